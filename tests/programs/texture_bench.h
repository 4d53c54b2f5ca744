// SPDX-License-Identifier: Apache-2.0
// Texture units on a bench: a memory and a link with fixed latencies and refusals, random quads,
// and each sample compared with what the filter gives for it. A-TFIM's cube is the caller's. Call
// bench_create, change params, bench_start; then push and cycle, or run; drain, bench_destroy.
#ifndef NOCTURNE_TESTS_TEXTURE_BENCH_H
#define NOCTURNE_TESTS_TEXTURE_BENCH_H

#include <math.h>

#include "csim/base/rng.h"
#include "csim/texture/filter.h"
#include "csim/texture/filter_virtual.h"
#include "csim/texture/texture_design.h"
#include "csim/texture/texture_unit.h"
#include "tests/programs/test.h"

enum {
  Textures = 4,
  Stages = 12,
  MaxTextures = 12,
  MaxStages = 9 * MaxTextures,
  MaxUnits = 16,
  Ring = 1 << 14,
  MaxTags = 1 << 16,
  MemoryTags = 4096,
};

static const uint32_t Sizes[Textures][2] = {{256, 128}, {64, 64}, {100, 37}, {5, 3}};

// Messages under way for a fixed time, in order.
typedef struct {
  uint64_t due;
  uint32_t tag;
  texture_message_t message;
} entry_t;

typedef struct {
  entry_t *entries;
  uint32_t head, count;
} line_t;

typedef struct bench {
  rng_t rng;
  frame_texture_t texture[MaxTextures];
  frame_cmd_t command[MaxStages];
  frame_t frame;
  texture_map_t map;
  texture_params_t params;
  texture_units_t *units;
  uint64_t now, next;
  // Memory and link
  uint32_t memory_latency, memory_refusals, link_latency, link_refusals;  // refusals in 1/1000
  line_t memory, down, up;
  bool read_open[MemoryTags];
  uint64_t last_address;
  // A-TFIM: a cycle of the cube; pixels of a quad with a failed parent
  void (*cube)(struct bench *b);
  uint8_t (*failed)(struct bench *b, const texture_quad_t *quad);
  uint32_t failures;
  // Requests
  texture_quad_t *quads;
  uint32_t tags;
  uint32_t order[MaxUnits][MaxTags / 8], pushed[MaxUnits], popped[MaxUnits];
  bool check_values, skipping, external;
  uint64_t hash;
} bench_t;

static inline entry_t *line_add(line_t *l) {
  assert_true(l->count < Ring);
  return &l->entries[(l->head + l->count++) % Ring];
}

static inline entry_t *line_due(line_t *l, uint64_t now) {
  if (!l->count || l->entries[l->head].due > now) {
    return NULL;
  }
  entry_t *e = &l->entries[l->head];
  l->head = (l->head + 1) % Ring;
  l->count--;
  return e;
}

static inline bool memory_read(void *self, uint64_t now, uint64_t address, uint32_t bytes,
                               uint32_t tag) {
  bench_t *b = self;
  uint32_t line[TextureLineTexels];
  assert_true(now == b->now);
  assert_int_equal(bytes, 64);
  assert_int_equal(address % 64, 0);
  assert_true(tag < MemoryTags && !b->read_open[tag]);
  assert_true(texture_map_line(&b->map, address, line));
  if (rng_chance(&b->rng, b->memory_refusals)) {
    return false;
  }
  *line_add(&b->memory) = (entry_t){.due = now + b->memory_latency, .tag = tag};
  b->read_open[tag] = true;
  b->last_address = address;
  return true;
}

static inline const texture_design_t *bench_design(const bench_t *b) {
  return texture_design(b->params.design);
}

static inline bool link_send(void *self, uint64_t now, texture_message_t m) {
  bench_t *b = self;
  static const uint32_t Bytes[] = {64, 80, 16, 16};
  assert_int_equal(m.bytes, Bytes[m.kind]);
  assert_true(bench_design(b)->memory == TextureMemoryVaults);
  if (rng_chance(&b->rng, b->link_refusals)) {
    return false;
  }
  line_t *l = m.kind == TextureMessagePackage ? &b->down : &b->up;
  *line_add(l) = (entry_t){.due = now + b->link_latency, .message = m};
  return true;
}

static inline void some_stage(uint32_t i, frame_stage_t *s) {
  *s = (frame_stage_t){
      .texture = (uint16_t)(i % Textures),
      .min_filter = i != 5,
      .mag_filter = i != 6,
      .mip = i == 7   ? FrameMipNone
             : i == 8 ? FrameMipNearest
                      : FrameMipLinear,
      .wrap_s = (uint8_t)(i / 4 % 3),
      .wrap_t = (uint8_t)(i / 2 % 3),
      .max_anisotropy = i == 9 ? 4 : 16,
  };
}

// Random textures of these sizes; a draw of each stage.
static inline void bench_create_of(bench_t *b, texture_design_e design, uint64_t seed,
                                   const uint32_t sizes[][2], uint32_t textures, uint32_t stages,
                                   void (*stage)(uint32_t i, frame_stage_t *s)) {
  memset(b, 0, sizeof *b);
  rng_seed(&b->rng, seed);
  for (uint32_t i = 0; i < textures; i++) {
    frame_texture_t *t = &b->texture[i];
    t->width = sizes[i][0];
    t->height = sizes[i][1];
    for (; !t->levels || t->width >> t->levels || t->height >> t->levels; t->levels++) {
      uint32_t n = frame_side(t->width, t->levels) * frame_side(t->height, t->levels);
      t->level[t->levels] = malloc(n * sizeof(uint32_t));
      for (uint32_t k = 0; k < n; k++) {
        t->level[t->levels][k] = (uint32_t)rng_u64(&b->rng);
      }
    }
  }
  for (uint32_t i = 0; i < stages; i++) {
    frame_stage_t *s = b->command[i].state.stages;
    stage(i, s);
    s[1].texture = FrameNone;
  }
  b->frame = (frame_t){.texture_count = textures,
                       .textures = b->texture,
                       .command_count = stages,
                       .commands = b->command};
  assert_true(texture_map_create(&b->map, &b->frame, 1 << 20));
  err_auto_t err = {0};
  assert_true(texture_params_default(&b->params, &err));
  b->params.design = design;
  b->params.units = 4;
  b->params.reuse = 0;
  b->memory_latency = 80;
  b->link_latency = 25;
  b->check_values = true;
  line_t *const lines[] = {&b->memory, &b->down, &b->up};
  for (uint32_t i = 0; i < 3; i++) {
    lines[i]->entries = calloc(Ring, sizeof(entry_t));
  }
  b->quads = calloc(MaxTags, sizeof *b->quads);
}

static inline void bench_create(bench_t *b, texture_design_e design, uint64_t seed) {
  bench_create_of(b, design, seed, Sizes, Textures, Stages, some_stage);
}

static inline void bench_start(bench_t *b) {
  texture_memory_t memory = {b, memory_read};
  texture_link_t link = {b, link_send};
  b->units = texture_units_create(&b->params, &b->map, &memory,
                                  bench_design(b)->memory == TextureMemoryVaults ? &link : NULL);
  assert_non_null(b->units);
}

static inline void bench_destroy(bench_t *b) {
  texture_units_destroy(b->units);
  texture_map_destroy(&b->map);
  for (uint32_t i = 0; i < b->frame.texture_count; i++) {
    for (uint32_t l = 0; l < b->texture[i].levels; l++) {
      free(b->texture[i].level[l]);
    }
  }
  line_t *const lines[] = {&b->memory, &b->down, &b->up};
  for (uint32_t i = 0; i < 3; i++) {
    free(lines[i]->entries);
  }
  free(b->quads);
}

static inline double between(rng_t *rng, double low, double high) {
  return low + (high - low) * (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

// A quad at (u, v) with derivatives in texels of level 0 a pixel.
static inline texture_quad_t quad_at(const bench_t *b, uint32_t stage, double u, double v,
                                     double ux, double vx, double uy, double vy) {
  const frame_stage_t *s = b->command[stage].state.stages;
  double w = b->texture[s->texture].width, h = b->texture[s->texture].height;
  texture_quad_t q = {.texture = s->texture, .mask = 15, .angle = 5, .stage = s};
  for (uint32_t p = 0; p < 4; p++) {
    q.u[p] = (float)(u + ((p & 1) * ux + (p >> 1) * uy) / w);
    q.v[p] = (float)(v + ((p & 1) * vx + (p >> 1) * vy) / h);
  }
  return q;
}

// One of a few places and slopes, so that caches find something.
static inline texture_quad_t some_quad(bench_t *b) {
  rng_t *r = &b->rng;
  uint32_t stage = rng_below(r, Stages);
  double minor = exp2(between(r, -1.5, 2.5)), angle = between(r, 0, 6.2832);
  double major = minor * (rng_chance(r, 400) ? 1 : between(r, 1, 20));
  texture_quad_t q =
      quad_at(b, stage, between(r, -0.6, 1.6), between(r, -0.6, 1.6), major * cos(angle),
              major * sin(angle), -minor * sin(angle), minor * cos(angle));
  q.mask = (uint8_t)(rng_chance(r, 700) ? 15 : 1 + rng_below(r, 15));
  q.angle = (uint8_t)rng_below(r, 128);
  return q;
}

// Computes the sample that the quad's design gives.
static inline void expected(const bench_t *b, const texture_quad_t *q, uint32_t p, float out[4]) {
  const frame_texture_t *t = &b->texture[q->texture];
  frame_stage_t s = *q->stage;
  if (s.max_anisotropy > b->params.max_anisotropy) {
    s.max_anisotropy = (uint8_t)b->params.max_anisotropy;
  }
  footprint_gradient_t g = footprint_gradient(t, q->u, q->v);
  footprint_t f;
  footprint_make(&f, t, &s, &g);
  double sample[4];
  if (bench_design(b)->offloads) {
    filter_virtual(t, &s, &f, &g, b->params.reading, b->params.extent_threshold, q->u[p], q->v[p],
                   sample);
  } else {
    filter_fractional(t, &s, &f, q->u[p], q->v[p], sample);
  }
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = (float)sample[c];
  }
}

static inline void mix_hash(bench_t *b, const void *data, size_t size) {
  const uint8_t *bytes = data;
  for (size_t i = 0; i < size; i++) {
    b->hash = (b->hash ^ bytes[i]) * 0x100000001b3u;
  }
}

static inline void take_result(bench_t *b, uint32_t unit) {
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
  if (b->failed) {
    assert_int_equal(r.failed, b->failed(b, q));
  }
  mix_hash(b, &b->now, sizeof b->now);
  mix_hash(b, &r, sizeof r);
  for (uint32_t p = 0; p < 4; p++) {
    float want[4] = {0};
    if (r.mask >> p & 1) {
      expected(b, q, p, want);
    }
    if (r.failed >> p & 1 || !b->check_values) {
      continue;
    }
    for (uint32_t c = 0; c < 4; c++) {
      if (r.sample[p][c] != want[c]) {
        fail_msg("tag %u, pixel %u, channel %u: %.9g, wanted %.9g", r.tag, p, c,
                 (double)r.sample[p][c], (double)want[c]);
      }
    }
  }
  b->external = true;
}

static inline bool push(bench_t *b, uint32_t unit, const texture_quad_t *quad) {
  texture_quad_t *q = &b->quads[b->tags];
  assert_true(b->tags < MaxTags);
  *q = *quad;
  q->tag = b->tags;
  if (!texture_units_push(b->units, b->now, unit, q)) {
    return false;
  }
  b->order[unit][b->pushed[unit]++] = b->tags++;
  b->external = true;
  return true;
}

// Delivers what comes from outside, then steps if a step is due.
static inline void cycle(bench_t *b, uint32_t pop_permille) {
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
  for (uint32_t u = 0; u < b->params.units; u++) {
    if (rng_chance(&b->rng, pop_permille)) {
      take_result(b, u);
    }
  }
  if (bench_design(b)->offloads) {
    b->cube(b);
  }
  if (!b->skipping || b->external || b->now >= b->next) {
    b->next = texture_units_step(b->units, b->now);
    assert_true(b->next > b->now);
  }
  b->external = false;
  b->now++;
}

static inline void drain(bench_t *b) {
  uint64_t end = b->now + 200000;
  while (texture_units_pending(b->units) && b->now < end) {
    cycle(b, 1000);
  }
  if (texture_units_pending(b->units)) {
    text_t text = {0};
    texture_units_describe(b->units, 0, &text);
    fail_msg("%s", text_string(&text));
  }
  for (uint32_t u = 0; u < b->params.units; u++) {
    assert_int_equal(b->pushed[u], b->popped[u]);
  }
}

static inline void check_sums(const bench_t *b) {
  const texture_stats_t *s = texture_units_stats(b->units);
  uint64_t answered = 0, pixels = 0, ratios = 0;
  for (uint32_t i = 0; i < TextureLatencyBins; i++) {
    answered += s->latency[i];
  }
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
  if (!bench_design(b)->offloads) {
    assert_int_equal(s->address_ops, s->filter_ops);
  }
}

static inline void run(bench_t *b, uint32_t quads, uint32_t push_permille, uint32_t pop_permille) {
  while (b->tags < quads) {
    for (uint32_t u = 0; u < b->params.units && b->tags < quads; u++) {
      if (!rng_chance(&b->rng, push_permille)) {
        continue;
      }
      texture_quad_t q = some_quad(b);
      push(b, u, &q);
    }
    cycle(b, pop_permille);
  }
  drain(b);
  check_sums(b);
}

static inline bench_t *new_bench(void) { return malloc(sizeof(bench_t)); }

#endif
