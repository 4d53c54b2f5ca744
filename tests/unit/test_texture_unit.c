// The texture units against memory, link and cube of fixed latency: every request is
// answered once, in order, with the value of its design; caches, angle, rates, back-pressure,
// failures, determinism.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csim/base/rng.h"
#include "csim/golden/offload_unit_golden.h"
#include "csim/texture/texture_unit.h"

enum {
  Textures = 4, Stages = 12, MaxUnits = 16, Slots = 16, Ring = 1 << 14, MaxTags = 1 << 16,
  MemoryTags = 4096,
};

static const uint32_t Sizes[Textures][2] = {{256, 128}, {64, 64}, {100, 37}, {5, 3}};

// What is under way for a fixed time; in order.
typedef struct {
  uint64_t due;
  uint32_t tag;
  texture_message_t message;
  uint32_t words[AtfimResponseWords];
} entry_t;

typedef struct {
  entry_t *entries;
  uint32_t head, count;
} line_t;

typedef struct {
  rng_t rng;
  frame_texture_t texture[Textures];
  frame_cmd_t command[Stages];
  frame_t frame;
  texture_map_t map;
  texture_params_t params;
  texture_units_t *units;
  uint64_t now, next;
  // Memory and link
  uint32_t memory_latency, memory_refusals, link_latency, link_refusals;  // refusals in 1/1000
  line_t memory, down, up, packages;
  bool read_open[MemoryTags];
  uint64_t last_address;
  // The cube
  offload_unit_t offload;
  offload_unit_in_t in;
  offload_unit_out_t out;
  uint32_t cube_latency, failures;
  uint8_t epoch;
  // Requests
  texture_quad_t *quads;
  uint32_t tags;
  uint32_t order[MaxUnits][MaxTags / 8], pushed[MaxUnits], popped[MaxUnits];
  bool same_gradient;
  bool check_values, skipping, external;
  uint64_t hash;
} bench_t;

static entry_t *line_add(line_t *l)
{
  assert_true(l->count < Ring);
  return &l->entries[(l->head + l->count++) % Ring];
}

static entry_t *line_due(line_t *l, uint64_t now)
{
  if (!l->count || l->entries[l->head].due > now) return NULL;
  entry_t *e = &l->entries[l->head];
  l->head = (l->head + 1) % Ring;
  l->count--;
  return e;
}

static bool memory_read(void *self, uint64_t now, uint64_t address, uint32_t bytes, uint32_t tag)
{
  bench_t *b = self;
  uint32_t line[TextureLineTexels];
  assert_true(now == b->now);
  assert_int_equal(bytes, 64);
  assert_int_equal(address % 64, 0);
  assert_true(tag < MemoryTags && !b->read_open[tag]);
  assert_true(texture_map_line(&b->map, address, line));
  if (rng_chance(&b->rng, b->memory_refusals)) return false;
  *line_add(&b->memory) = (entry_t){.due = now + b->memory_latency, .tag = tag};
  b->read_open[tag] = true;
  b->last_address = address;
  return true;
}

static bool link_send(void *self, uint64_t now, texture_message_t m)
{
  bench_t *b = self;
  static const uint32_t Bytes[] = {64, 80, 16, 16};
  assert_int_equal(m.bytes, Bytes[m.kind]);
  assert_int_equal(b->params.design, TextureSTfim);
  if (rng_chance(&b->rng, b->link_refusals)) return false;
  line_t *l = m.kind == TextureMessagePackage ? &b->down : &b->up;
  *line_add(l) = (entry_t){.due = now + b->link_latency, .message = m};
  return true;
}

// A parent by the formulas of docs/units/texel_generator.md, out of memory.
static uint32_t cube_parent(const bench_t *b, const atfim_package_t *p, uint32_t k)
{
  const atfim_descriptor_t *d = &b->map.descriptor[p->descriptor];
  const uint32_t l = k >> 2;
  const uint32_t w = texture_side(d->width, p->level + l), h = texture_side(d->height, p->level + l);
  uint32_t sum[4] = {0}, parent = 0;
  for (uint32_t i = 0; i < p->ratio; i++) {
    const int32_t twice = 2 * (int32_t)i - p->ratio + 1;
    const int32_t x = p->x[l] + p->dx[k] + ((twice * p->step_x + (256 << l)) >> (9 + l));
    const int32_t y = p->y[l] + p->dy[k] + ((twice * p->step_y + (256 << l)) >> (9 + l));
    const uint32_t xw = footprint_wrap(d->wrap_x, x, w), yw = footprint_wrap(d->wrap_y, y, h);
    const uint64_t tile = (yw >> 2) * ((w + 3) >> 2) + (xw >> 2);
    const uint64_t address = ((uint64_t)d->base << 12) + (p->offset[l] + tile) * 64;
    uint32_t line[TextureLineTexels];
    assert_true(texture_map_line(&b->map, address, line));
    for (uint32_t c = 0; c < 4; c++) sum[c] += line[(yw & 3) * 4 + (xw & 3)] >> 8 * c & 255;
  }
  for (uint32_t c = 0; c < 4; c++) parent |= (2 * sum[c] + p->ratio) / (2u * p->ratio) << 8 * c;
  return parent;
}

static void cube_take(bench_t *b)
{
  atfim_package_t p;
  atfim_package_unpack(b->out.package, &p);
  if (p.epoch != b->epoch) return;
  assert_true(p.descriptor < b->map.descriptor_count);
  assert_true(p.mask && p.ratio > 1);
  atfim_response_t r = {.id = p.id, .epoch = p.epoch, .mask = p.mask};
  r.refused = b->failures && rng_chance(&b->rng, b->failures / 4);
  for (uint32_t k = 0; k < AtfimParents; k++) {
    if (!(p.mask >> k & 1) || r.refused) continue;
    if (b->failures && rng_chance(&b->rng, b->failures))
      r.failed |= (uint8_t)(1u << k);
    else
      r.texel[k] = cube_parent(b, &p, k);
  }
  entry_t *e = line_add(&b->packages);
  e->due = b->now + b->cube_latency;
  atfim_response_pack(&r, e->words);
}

static void cube_cycle(bench_t *b)
{
  const bool busy = texture_units_offers(b->units) || b->packages.count || b->out.answer_valid;
  b->in.package_ready = true;
  b->in.response_valid = b->packages.count && b->packages.entries[b->packages.head].due <= b->now;
  if (b->in.response_valid)
    memcpy(b->in.response, b->packages.entries[b->packages.head].words, sizeof b->in.response);
  texture_units_offload(b->units, b->now, &b->out, &b->in);
  b->external |= busy;
  if (b->out.package_valid) cube_take(b);
  if (b->in.response_valid && b->out.response_ready) line_due(&b->packages, b->now);
  assert_int_equal(b->offload.step(b->offload.self, &b->in, &b->out), UnitOk);
  assert_int_equal(b->out.error, 0);
  b->in.reissue_valid = false;
}

static void bench_create(bench_t *b, texture_design_e design, uint64_t seed)
{
  memset(b, 0, sizeof *b);
  rng_seed(&b->rng, seed);
  for (uint32_t i = 0; i < Textures; i++) {
    frame_texture_t *t = &b->texture[i];
    t->width = Sizes[i][0];
    t->height = Sizes[i][1];
    for (; !t->levels || t->width >> t->levels || t->height >> t->levels; t->levels++) {
      const uint32_t n = texture_side(t->width, t->levels) * texture_side(t->height, t->levels);
      t->level[t->levels] = malloc(n * sizeof(uint32_t));
      for (uint32_t k = 0; k < n; k++) t->level[t->levels][k] = (uint32_t)rng_u64(&b->rng);
    }
  }
  for (uint32_t i = 0; i < Stages; i++) {
    frame_stage_t *s = b->command[i].state.stages;
    s[0] = (frame_stage_t){
      .texture = (uint16_t)(i % Textures), .min_filter = i != 5, .mag_filter = i != 6,
      .mip = i == 7 ? FrameMipNone : i == 8 ? FrameMipNearest : FrameMipLinear,
      .wrap_s = (uint8_t)(i / 4 % 3), .wrap_t = (uint8_t)(i / 2 % 3),
      .max_anisotropy = i == 9 ? 4 : 16,
    };
    s[1].texture = FrameNone;
  }
  b->frame = (frame_t){.texture_count = Textures, .textures = b->texture,
                       .command_count = Stages, .commands = b->command};
  assert_true(texture_map_create(&b->map, &b->frame, 1 << 20));
  texture_params_default(&b->params);
  b->params.design = design;
  b->params.units = 4;
  b->params.reuse = 0;
  b->memory_latency = 80;
  b->link_latency = 25;
  b->cube_latency = 60;
  b->check_values = true;
  line_t *const lines[] = {&b->memory, &b->down, &b->up, &b->packages};
  for (uint32_t i = 0; i < 4; i++) lines[i]->entries = calloc(Ring, sizeof(entry_t));
  b->quads = calloc(MaxTags, sizeof *b->quads);
}

static void bench_start(bench_t *b)
{
  const texture_memory_t memory = {b, memory_read};
  const texture_link_t link = {b, link_send};
  const offload_unit_params_t offload = {b->params.units, Slots, 48, true};
  b->units = texture_units_create(&b->params, &b->map, &memory,
                                  b->params.design == TextureSTfim ? &link : NULL);
  assert_non_null(b->units);
  assert_true(offload_unit_golden_create(&offload, &b->offload));
  b->offload.reset(b->offload.self, &b->out);
}

static void bench_destroy(bench_t *b)
{
  texture_units_destroy(b->units);
  offload_unit_golden_destroy(&b->offload);
  texture_map_destroy(&b->map);
  for (uint32_t i = 0; i < Textures; i++)
    for (uint32_t l = 0; l < b->texture[i].levels; l++) free(b->texture[i].level[l]);
  line_t *const lines[] = {&b->memory, &b->down, &b->up, &b->packages};
  for (uint32_t i = 0; i < 4; i++) free(lines[i]->entries);
  free(b->quads);
}

static double between(rng_t *rng, double low, double high)
{
  return low + (high - low) * (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

// A quad at (u, v) with derivatives in texels of level 0 a pixel.
static texture_quad_t quad_at(const bench_t *b, uint32_t stage, double u, double v, double ux,
                              double vx, double uy, double vy)
{
  const frame_stage_t *s = b->command[stage].state.stages;
  const double w = b->texture[s->texture].width, h = b->texture[s->texture].height;
  texture_quad_t q = {.texture = s->texture, .mask = 15, .angle = 5, .stage = s};
  for (uint32_t p = 0; p < 4; p++) {
    q.u[p] = (float)(u + ((p & 1) * ux + (p >> 1) * uy) / w);
    q.v[p] = (float)(v + ((p & 1) * vx + (p >> 1) * vy) / h);
  }
  return q;
}

// One of a few places and slopes, so that caches find something.
static texture_quad_t some_quad(bench_t *b)
{
  rng_t *r = &b->rng;
  const uint32_t stage = rng_below(r, Stages);
  const double minor = exp2(between(r, -1.5, 2.5)), angle = between(r, 0, 6.2832);
  const double major = minor * (rng_chance(r, 400) ? 1 : between(r, 1, 20));
  texture_quad_t q = quad_at(b, stage, between(r, -0.6, 1.6), between(r, -0.6, 1.6),
                             major * cos(angle), major * sin(angle), -minor * sin(angle),
                             minor * cos(angle));
  if (b->same_gradient) {
    // Multiples of 1/1024 of the size, slopes of 6 and 2 texels: parents depend on the place only.
    const double u = rng_below(r, 1024) / 1024.0, v = rng_below(r, 1024) / 1024.0;
    q = quad_at(b, rng_below(r, 2), u, v, 6, 0, 0, 2);
  }
  q.mask = (uint8_t)(rng_chance(r, 700) ? 15 : 1 + rng_below(r, 15));
  q.angle = (uint8_t)(b->same_gradient ? 40 + rng_below(r, 4) : rng_below(r, 128));
  return q;
}

// What the quad's design makes of it.
static void expected(const bench_t *b, const texture_quad_t *q, uint32_t p, float out[4])
{
  const frame_texture_t *t = &b->texture[q->texture];
  frame_stage_t s = *q->stage;
  if (s.max_anisotropy > b->params.max_anisotropy)
    s.max_anisotropy = (uint8_t)b->params.max_anisotropy;
  const footprint_gradient_t g = footprint_gradient(t, q->u, q->v);
  footprint_t f;
  footprint_make(&f, t, &s, &g);
  if (b->params.design != TextureATfim) {
    double sample[4];
    filter_fractional(t, &s, &f, q->u[p], q->v[p], sample);
    for (uint32_t c = 0; c < 4; c++) out[c] = (float)sample[c];
    return;
  }
  footprint_pixel_t pixel;
  uint32_t parent[FootprintParents] = {0};
  int32_t sample[4];
  footprint_pixel(&pixel, &f, t, &s, q->u[p], q->v[p]);
  for (uint32_t k = 0; k < FootprintParents; k++)
    if (pixel.mask >> k & 1) parent[k] = filter_parent(t, &s, &f, &pixel, k, true);
  filter_parents(&f, &pixel, parent, sample);
  for (uint32_t c = 0; c < 4; c++) out[c] = (float)sample[c] / 65536;
}

static void mix_hash(bench_t *b, const void *data, size_t size)
{
  const uint8_t *bytes = data;
  for (size_t i = 0; i < size; i++) b->hash = (b->hash ^ bytes[i]) * 0x100000001b3u;
}

static void take_result(bench_t *b, uint32_t unit)
{
  texture_result_t r;
  if (!texture_units_pop(b->units, b->now, unit, &r)) {
    assert_false(texture_units_ready(b->units, b->now) >> unit & 1);
    return;
  }
  assert_true(b->popped[unit] < b->pushed[unit]);
  assert_int_equal(r.tag, b->order[unit][b->popped[unit]++]);
  const texture_quad_t *q = &b->quads[r.tag];
  assert_int_equal(r.mask, q->mask);
  assert_int_equal(r.failed & ~r.mask, 0);
  mix_hash(b, &b->now, sizeof b->now);
  mix_hash(b, &r, sizeof r);
  for (uint32_t p = 0; p < 4; p++) {
    float want[4] = {0};
    if (r.mask >> p & 1) expected(b, q, p, want);
    if (r.failed >> p & 1 || !b->check_values) continue;
    for (uint32_t c = 0; c < 4; c++)
      if (r.sample[p][c] != want[c])
        fail_msg("tag %u, pixel %u, channel %u: %.9g, wanted %.9g", r.tag, p, c,
                 (double)r.sample[p][c], (double)want[c]);
  }
  b->external = true;
}

static bool push(bench_t *b, uint32_t unit, const texture_quad_t *quad)
{
  texture_quad_t *q = &b->quads[b->tags];
  assert_true(b->tags < MaxTags);
  *q = *quad;
  q->tag = b->tags;
  if (!texture_units_push(b->units, b->now, unit, q)) return false;
  b->order[unit][b->pushed[unit]++] = b->tags++;
  b->external = true;
  return true;
}

// What comes from outside, then a step, if one is due.
static void cycle(bench_t *b, uint32_t pop_permille)
{
  const entry_t *e;
  while ((e = line_due(&b->memory, b->now))) {
    b->read_open[e->tag] = false;
    texture_units_memory_done(b->units, b->now, e->tag);
    b->external = true;
  }
  while ((e = line_due(&b->down, b->now)) || (e = line_due(&b->up, b->now))) {
    texture_units_link_arrived(b->units, b->now, e->message);
    b->external = true;
  }
  for (uint32_t u = 0; u < b->params.units; u++)
    if (rng_chance(&b->rng, pop_permille)) take_result(b, u);
  if (b->params.design == TextureATfim) cube_cycle(b);
  if (!b->skipping || b->external || b->now >= b->next) {
    b->next = texture_units_step(b->units, b->now);
    assert_true(b->next > b->now);
  }
  b->external = false;
  b->now++;
}

static void drain(bench_t *b)
{
  const uint64_t end = b->now + 200000;
  while (texture_units_pending(b->units) && b->now < end) cycle(b, 1000);
  if (texture_units_pending(b->units)) {
    char text[300];
    texture_units_describe(b->units, 0, text, sizeof text);
    fail_msg("%s", text);
  }
  for (uint32_t u = 0; u < b->params.units; u++) assert_int_equal(b->pushed[u], b->popped[u]);
}

static void check_sums(const bench_t *b)
{
  const texture_stats_t *s = texture_units_stats(b->units);
  uint64_t answered = 0, pixels = 0, ratios = 0;
  for (uint32_t i = 0; i < TextureLatencyBins; i++) answered += s->latency[i];
  for (uint32_t i = 1; i <= FootprintMaxRatio; i++) {
    pixels += s->ratio_pixels[i];
    ratios += i * s->ratio_pixels[i];
  }
  assert_int_equal(answered, b->tags);
  assert_int_equal(s->quads, b->tags);
  assert_int_equal(pixels, s->pixels);
  assert_int_equal(ratios, s->ratio_sum);
  assert_int_equal(s->l1_lookups, s->l1_hits + s->l1_merged + s->l1_misses);
  assert_int_equal(s->l2_lookups, s->l2_hits + s->l2_merged + s->l2_misses);
  assert_int_equal(s->read_bytes, 64 * s->reads);
  assert_int_equal(s->package_bytes, 64 * s->packages);
  assert_int_equal(s->response_bytes, 80 * s->packages);
  assert_true(s->latency_max >= 11 && s->latency_sum >= 11 * s->quads);
  if (b->params.design != TextureATfim) assert_int_equal(s->address_ops, s->filter_ops);
}

static void run(bench_t *b, uint32_t quads, uint32_t push_permille, uint32_t pop_permille)
{
  while (b->tags < quads) {
    for (uint32_t u = 0; u < b->params.units && b->tags < quads; u++) {
      if (!rng_chance(&b->rng, push_permille)) continue;
      const texture_quad_t q = some_quad(b);
      push(b, u, &q);
    }
    cycle(b, pop_permille);
  }
  drain(b);
  check_sums(b);
}

static bench_t *new_bench(void) { return malloc(sizeof(bench_t)); }

// Every design, with comfortable and with narrow queues and everything refusing.
static void test_designs(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  for (uint32_t design = TextureBaseline; design <= TextureATfim; design++) {
    for (uint32_t narrow = 0; narrow < 3; narrow++) {
      bench_create(b, design, 10 + narrow);
      if (narrow) {
        b->params.request_queue = 3;
        b->params.in_flight = narrow == 1 ? 5 : 1;
        b->params.results = narrow == 1 ? 2 : 1;
        b->params.l1_kib = 1;
        b->params.l1_ways = narrow == 1 ? 4 : 2;
        b->params.l1_misses = narrow == 1 ? 5 : 1;
        b->params.l2_kib = 2;
        b->params.l2_ways = 2;
        b->params.l2_misses = narrow == 1 ? 7 : 1;
        b->params.l2_lookups = 1;
        b->params.fetches = narrow == 1 ? 3 : 1;
        b->params.mtu_queue = 2;
        b->params.mtu_merge = narrow - 1;
        b->params.address_alus = narrow == 1 ? 2 : 3;
        b->params.filter_alus = 3;
        b->memory_refusals = b->link_refusals = 400;
        b->memory_latency = 7;
      }
      bench_start(b);
      run(b, narrow ? 1500 : 6000, narrow ? 300 : 100, narrow ? 300 : 1000);
      bench_destroy(b);
    }
  }
  free(b);
}

// Anisotropy off: the same with R = 1; no package.
static void test_off(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  for (uint32_t design = TextureBaseline; design <= TextureATfim; design++) {
    bench_create(b, design, 3);
    b->params.max_anisotropy = 1;
    bench_start(b);
    run(b, 1000, 200, 1000);
    assert_int_equal(texture_units_stats(b->units)->anisotropic_pixels, 0);
    if (design == TextureATfim) assert_int_equal(texture_units_stats(b->units)->packages, 0);
    bench_destroy(b);
  }
  free(b);
}

// Parents that depend on their place only: every threshold gives the value of `always`, with
// less and less traffic.
static void test_reuse(void **state)
{
  (void)state;
  static const uint32_t Reuse[] = {0, 1, 2, 3, TextureReuseAll};
  bench_t *b = new_bench();
  uint64_t parents[5];
  for (uint32_t narrow = 0; narrow < 2; narrow++) {
    for (uint32_t i = 0; i < 5; i++) {
      bench_create(b, TextureATfim, 4);
      b->same_gradient = true;
      b->params.reuse = Reuse[i];
      if (narrow) {
        b->params.l1_kib = 1;
        b->params.l1_misses = b->params.fetches = 2;
        b->params.l2_kib = 4;
      }
      bench_start(b);
      run(b, 8000, 150, 800);
      const texture_stats_t *s = texture_units_stats(b->units);
      parents[i] = s->package_parents;
      assert_int_equal(s->parents, s->parents_reused + s->parents_merged + s->package_parents);
      assert_int_equal(s->anisotropic_pixels, s->pixels);
      if (!i) assert_int_equal(s->parents_reused + s->l1_lookups + s->l2_lookups, 0);
      if (i == 4) assert_int_equal(s->l1_angle_misses + s->l2_angle_misses, 0);
      if (i && i < 3) assert_true(s->l1_angle_misses > 0 && s->l2_angle_misses > 0);
      bench_destroy(b);
    }
    for (uint32_t i = 1; i < 5; i++) assert_true(parents[i] < parents[i - 1]);
  }
  free(b);
}

static void one(bench_t *b, const texture_quad_t *q, texture_result_t *r)
{
  assert_true(push(b, 0, q));
  b->popped[0]++;
  while (!texture_units_pop(b->units, b->now, 0, r)) cycle(b, 0);
}

// The angle rule from outside, and what reuse is: the other pixel's parents.
static void test_angle(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  bench_create(b, TextureATfim, 5);
  b->params.reuse = texture_reuse_of(1.8);
  b->check_values = false;
  bench_start(b);
  const texture_stats_t *s = texture_units_stats(b->units);
  texture_result_t first, r;
  texture_quad_t q = quad_at(b, 0, 0.31, 0.42, 8, 0, 0, 2);
  q.angle = 50;
  one(b, &q, &first);
  const uint64_t packages = s->packages;
  assert_in_range(packages, 2, 4);  // the pixels of a quad share parents
  assert_true(s->parents_merged > 0);
  one(b, &q, &r);
  assert_memory_equal(r.sample, first.sample, sizeof r.sample);
  for (uint8_t angle = 49; angle <= 51; angle++) {
    q.angle = angle;
    one(b, &q, &r);
    assert_int_equal(s->packages, packages);
  }
  // Along the other axis: other children, but the same addresses and a near angle.
  texture_quad_t turned = quad_at(b, 0, 0.31, 0.42, 2, 0, 0, 8);
  turned.mask = q.mask = 1;
  turned.angle = 51;
  one(b, &turned, &r);
  assert_int_equal(s->packages, packages);
  assert_memory_equal(r.sample[0], first.sample[0], sizeof r.sample[0]);
  turned.angle = 52;
  one(b, &turned, &r);
  assert_int_equal(s->packages, packages + 1);
  assert_true(s->l1_angle_misses > 0);
  float want[4];
  expected(b, &turned, 0, want);
  assert_memory_equal(r.sample[0], want, sizeof want);
  assert_memory_not_equal(r.sample[0], first.sample[0], sizeof r.sample[0]);
  // The second cache was told too: from another unit no package.
  assert_true(texture_units_push(b->units, b->now, 1, &turned));
  while (!texture_units_pop(b->units, b->now, 1, &r)) cycle(b, 0);
  assert_int_equal(s->packages, packages + 1);
  assert_memory_equal(r.sample[0], want, sizeof want);
  bench_destroy(b);
  free(b);
}

// A line asked for with another angle while its parents are under way: the older answer goes
// to its own pixel only.
static void test_angle_under_way(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  bench_create(b, TextureATfim, 5);
  b->params.reuse = 1;
  bench_start(b);
  texture_quad_t q[3] = {
    quad_at(b, 0, 0.31, 0.42, 8, 0, 0, 2), quad_at(b, 0, 0.31, 0.42, 2, 0, 0, 8),
    quad_at(b, 0, 0.31, 0.42, 2, 0, 0, 8),
  };
  q[0].angle = 10;
  q[1].angle = q[2].angle = 60;
  for (uint32_t i = 0; i < 3; i++) q[i].mask = 1;
  push(b, 0, &q[0]);
  for (uint32_t i = 0; i < 30; i++) cycle(b, 1000);
  push(b, 0, &q[1]);
  while (!b->popped[0]) cycle(b, 1000);
  push(b, 0, &q[2]);  // awaits the second's parents
  drain(b);
  const texture_stats_t *s = texture_units_stats(b->units);
  assert_int_equal(s->packages, 2);
  assert_int_equal(s->parents_merged, 4);
  bench_destroy(b);
  free(b);
}

static void test_thresholds(void **state)
{
  (void)state;
  assert_int_equal(texture_reuse_of(0), 1);
  assert_int_equal(texture_reuse_of(0.9), 1);
  assert_int_equal(texture_reuse_of(1.8), 2);
  assert_int_equal(texture_reuse_of(9), 7);
  assert_int_equal(texture_reuse_of(178), 127);
  assert_int_equal(texture_reuse_of(180), TextureReuseAll);
  assert_int_equal(texture_reuse_of(INFINITY), TextureReuseAll);
}

// Nothing is read twice while the caches hold it all; all units share the second cache.
static void test_traffic(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  bench_create(b, TextureBaseline, 6);
  b->params.l2_kib = 4096;
  bench_start(b);
  run(b, 8000, 150, 1000);
  const texture_stats_t *s = texture_units_stats(b->units);
  assert_int_equal(s->reads, s->l2_misses);
  assert_true(s->reads <= (b->map.end - b->map.base) / 64);
  const uint64_t reads = s->reads;
  // The same quads again.
  const uint32_t tags = b->tags;
  for (uint32_t i = 0; i < tags; i++) {
    while (!push(b, i % 4, &b->quads[i])) cycle(b, 1000);
    cycle(b, 1000);
  }
  drain(b);
  assert_int_equal(s->reads, reads);
  bench_destroy(b);
  free(b);
}

// Cycles for `count` equal quads, everything in the first cache.
static uint64_t warm_cycles(texture_design_e design, double ux, double uy_axis, uint32_t count,
                            uint32_t filter_alus)
{
  bench_t *b = new_bench();
  texture_result_t r;
  bench_create(b, design, 7);
  b->params.units = 1;
  b->params.reuse = 2;
  b->params.results = 4096;
  b->params.filter_alus = filter_alus;
  bench_start(b);
  const texture_quad_t q = quad_at(b, 0, 0.3, 0.4, ux, 0, 0, uy_axis);
  for (uint32_t i = 0; i < 3; i++) one(b, &q, &r);
  const uint64_t start = b->now;
  uint32_t pushed = 0;
  while (b->popped[0] < count + 3) {
    while (pushed < count && push(b, 0, &q)) pushed++;
    cycle(b, 1000);
  }
  const uint64_t cycles = b->now - start;
  bench_destroy(b);
  free(b);
  return cycles;
}

// The filter goes on while results wait to be taken.
static void test_latency(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  texture_result_t r;
  bench_create(b, TextureBaseline, 7);
  b->params.filter_alus = 1;
  bench_start(b);
  const texture_quad_t q = quad_at(b, 0, 0.3, 0.4, 2.9, 0, 0, 2.9);
  one(b, &q, &r);
  const texture_stats_t *s = texture_units_stats(b->units);
  const uint64_t before = s->latency_sum;
  for (uint32_t i = 0; i < 3; i++) push(b, 0, &q);
  for (uint32_t i = 0; i < 200; i++) cycle(b, 0);
  // 8 groups, 6 cycles to the filter, 32 a quad, 4 of latency.
  assert_int_equal(s->latency_sum - before, 3 * (7 + 6 + 4) + 32 + 64 + 96);
  drain(b);
  bench_destroy(b);
  free(b);
}

// Four texel addresses and eight filtered texels a cycle.
static void test_rates(void **state)
{
  (void)state;
  const uint32_t n = 100;
  // One quad: 8 groups, 6 cycles to the filter, 32 texels, 4 cycles of latency.
  assert_int_equal(warm_cycles(TextureBaseline, 2.9, 2.9, 1, 8), 7 + 6 + 4 + 4 + 1);
  const uint64_t plain = warm_cycles(TextureBaseline, 2.9, 2.9, n, 8);
  const uint64_t wide = warm_cycles(TextureBaseline, 16 * 2.9, 2.9, n, 8);
  const uint64_t cube = warm_cycles(TextureATfim, 16 * 2.9, 2.9, n, 8);
  assert_in_range(plain, 8 * n, 8 * n + 30);
  assert_in_range(wide, 128 * n, 128 * n + 80);
  assert_in_range(cube, 8 * n, 8 * n + 30);
  // With one filtering ALU the filter is what limits.
  assert_in_range(warm_cycles(TextureBaseline, 2.9, 2.9, n, 1), 32 * n, 32 * n + 30);
}

// The link's stall and resume.
// A line that memory sends passes the second cache: its latency counts once.
static void test_miss_latency(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  texture_result_t r;
  uint64_t cycles[2];
  for (uint32_t i = 0; i < 2; i++) {
    bench_create(b, TextureBaseline, 7);
    b->params.l2_latency += 8 * i;
    bench_start(b);
    const texture_quad_t q = quad_at(b, 0, 0.3, 0.4, 0.5, 0, 0, 0.5);
    one(b, &q, &r);
    cycles[i] = texture_units_stats(b->units)->latency_sum;
    bench_destroy(b);
  }
  assert_int_equal(cycles[1], cycles[0] + 8);
  free(b);
}

// The second cache serves the units in turn, when all want more than it gives.
static void test_turns(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  bench_create(b, TextureBaseline, 15);
  b->params.l1_kib = 1;
  b->params.l1_ways = 4;
  b->params.l2_lookups = 1;
  bench_start(b);
  for (uint32_t i = 0; i < 6000; i++) {
    for (uint32_t u = 0; u < b->params.units; u++) {
      // Hardly two near one another: a line of its own for almost every texel.
      const texture_quad_t q = quad_at(b, 0, between(&b->rng, 0, 1), between(&b->rng, 0, 1), 8, 0,
                                       0, 8);
      push(b, u, &q);
    }
    cycle(b, 1000);
  }
  assert_true(texture_units_stats(b->units)->l2_lookups > 5500);
  uint32_t least = UINT32_MAX, most = 0;
  for (uint32_t u = 0; u < b->params.units; u++) {
    least = b->popped[u] < least ? b->popped[u] : least;
    most = b->popped[u] > most ? b->popped[u] : most;
  }
  assert_true(4 * most < 5 * least);
  drain(b);
  bench_destroy(b);
  free(b);
}

static void test_stall(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  bench_create(b, TextureSTfim, 8);
  b->params.mtu_queue = 4;
  bench_start(b);
  run(b, 4000, 900, 1000);
  const texture_stats_t *s = texture_units_stats(b->units);
  assert_true(s->stalls > 10);
  assert_int_equal(s->packages, b->tags);
  assert_int_equal(s->response_bytes, 80ull * b->tags);
  assert_true(s->signal_bytes / 16 >= 2 * s->stalls - b->params.units);
  assert_int_equal(s->l2_lookups, 0);
  bench_destroy(b);
  free(b);
}

// In the cube no line stays, but one read serves a quad, or all who ask while it is under way.
static void test_mtu_merge(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  texture_result_t r;
  uint64_t reads[3], both[3];
  for (uint32_t merge = TextureMergeNone; merge <= TextureMergeUnderWay; merge++) {
    bench_create(b, TextureSTfim, 8);
    b->params.mtu_merge = merge;
    bench_start(b);
    // All texels of a line of level 0, no neighbour.
    const texture_quad_t q = quad_at(b, 0, 1.6 / 256, 1.6 / 128, 0.5, 0, 0, 0.5);
    one(b, &q, &r);
    reads[merge] = texture_units_stats(b->units)->reads;
    one(b, &q, &r);
    assert_int_equal(texture_units_stats(b->units)->reads, 2 * reads[merge]);
    // Two at once.
    push(b, 0, &q);
    push(b, 0, &q);
    drain(b);
    both[merge] = texture_units_stats(b->units)->reads - 2 * reads[merge];
    bench_destroy(b);
  }
  assert_int_equal(reads[TextureMergeNone], 4);
  assert_int_equal(reads[TextureMergeQuad], 1);
  assert_int_equal(reads[TextureMergeUnderWay], 1);
  assert_int_equal(both[TextureMergeNone], 8);
  assert_int_equal(both[TextureMergeQuad], 2);
  assert_int_equal(both[TextureMergeUnderWay], 1);
  free(b);
}

// Failed reads and refused packages are answered and reported; the others keep their value,
// and no failed parent stays in a cache.
static void test_failures(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  for (uint32_t reuse = 0; reuse < 2; reuse++) {
    bench_create(b, TextureATfim, 9);
    b->params.reuse = reuse;
    b->same_gradient = true;
    b->failures = 100;
    b->params.track_error = 1;
    bench_start(b);
    run(b, 3000, 200, 1000);
    const texture_stats_t *s = texture_units_stats(b->units);
    assert_true(s->failed_parents > 100 && s->refused_packages > 10);
    // A failed sample is no rounding error.
    assert_true(s->max_sample_error > 0 && s->max_sample_error <= filter_bound(16, true) + 1e-5);
    // Later, without failures: all values as they should be.
    b->failures = 0;
    run(b, 6000, 200, 1000);
    bench_destroy(b);
  }
  free(b);
}

// The cube is reset again and again; everything is answered once, with the right values.
static void test_reissue(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  bench_create(b, TextureATfim, 11);
  bench_start(b);
  for (uint32_t i = 0; i < 30; i++) {
    for (uint32_t n = 0; n < 200; n++) {
      const texture_quad_t q = some_quad(b);
      push(b, n % 4, &q);
      cycle(b, 900);
    }
    b->packages.count = 0;  // what was in the cube is lost
    b->in.reissue_valid = true;
    b->in.reissue_epoch = ++b->epoch;
  }
  drain(b);
  check_sums(b);
  bench_destroy(b);
  free(b);
}

// The same run twice, and once more stepping only when due: the same cycles and values.
static void test_determinism(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  for (uint32_t design = TextureBaseline; design <= TextureATfim; design++) {
    uint64_t hash[3];
    texture_stats_t stats[3];
    for (uint32_t i = 0; i < 3; i++) {
      bench_create(b, design, 12);
      b->params.reuse = 3;
      b->check_values = design != TextureATfim;
      b->params.l1_kib = 2;
      b->params.l2_kib = 8;
      b->params.l2_misses = 9;
      b->params.l1_misses = 3;
      b->memory_refusals = 200;
      b->link_refusals = 200;
      b->skipping = i == 2;
      bench_start(b);
      run(b, 2000, 20, 600);
      hash[i] = b->hash;
      stats[i] = *texture_units_stats(b->units);
      bench_destroy(b);
    }
    assert_true(hash[0] == hash[1]);
    assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
    assert_true(hash[0] == hash[2]);
    assert_memory_equal(&stats[0], &stats[2], sizeof stats[0]);
  }
  free(b);
}

// The error against whole-texel filtering stays in its bound with `always`, and the default
// threshold may leave it.
static void test_error(void **state)
{
  (void)state;
  bench_t *b = new_bench();
  double error[2];
  for (uint32_t i = 0; i < 2; i++) {
    bench_create(b, TextureATfim, 13);
    b->params.track_error = 1;
    b->params.reuse = i ? TextureReuseAll : 0;
    b->check_values = !i;
    bench_start(b);
    run(b, 3000, 200, 1000);
    error[i] = texture_units_stats(b->units)->max_sample_error;
    bench_destroy(b);
  }
  assert_true(error[0] > 0.25 && error[0] <= filter_bound(16, true) + 1e-5);
  assert_true(error[1] > 5);
  free(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_designs),    cmocka_unit_test(test_off),
    cmocka_unit_test(test_reuse),      cmocka_unit_test(test_angle),
    cmocka_unit_test(test_angle_under_way),
    cmocka_unit_test(test_thresholds), cmocka_unit_test(test_traffic),
    cmocka_unit_test(test_latency),    cmocka_unit_test(test_miss_latency),
    cmocka_unit_test(test_turns),
    cmocka_unit_test(test_rates),      cmocka_unit_test(test_stall),
    cmocka_unit_test(test_mtu_merge),  cmocka_unit_test(test_failures),
    cmocka_unit_test(test_reissue),    cmocka_unit_test(test_determinism),
    cmocka_unit_test(test_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
