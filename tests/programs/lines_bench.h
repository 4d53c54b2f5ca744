// SPDX-License-Identifier: Apache-2.0
// A-TFIM's texture units on a bench, against a cube that makes lines by their definition and
// answers after any time, in any order, some with failures. Call lines_new, change params,
// lines_start; then run_lines or push_one; lines_free.
#ifndef NOCTURNE_TESTS_LINES_BENCH_H
#define NOCTURNE_TESTS_LINES_BENCH_H

#include "csim/units/atfim/package.h"
#include "tests/programs/texture_bench.h"

enum { Lanes = 4, LaneSlots = 8, WrapPairs = 9, Spots = 20 };

static const uint32_t LineSizes[MaxTextures][2] = {{256, 128}, {64, 64}, {100, 37}, {5, 3},
                                                   {1, 1},     {1, 9},   {16, 3},   {37, 50},
                                                   {21, 65},   {5, 96},  {512, 16}, {13, 7}};

typedef struct {
  bool taken;
  uint64_t due;
  atfim_response_t answer;
} slot_t;

typedef struct {
  uint32_t stage;
  double u, v, ux, vx, uy, vy;
} spot_t;

typedef struct {
  bench_t b;  // first
  offload_unit_in_t in;
  offload_unit_out_t out;
  slot_t slots[Lanes][LaneSlots];
  uint32_t latency, spread, refusals;  // cycles; refusals in 1/1000
  uint64_t packages;
  uint64_t *asked;               // lines, none of which is asked for again; NULL: any may
  uint32_t first_stage, stages;  // of the quads
  uint32_t seen[2][VirtualMaxExtent + 1][5], nearest;  // axis, k, q + 2
  spot_t spots[Spots];
} lines_t;

// ---- The cube

static inline uint64_t mixed(uint64_t n) {
  n = (n ^ n >> 31) * 0x7fb5d329728ea185u;
  n = (n ^ n >> 27) * 0x81dadef4bc2dd44du;
  return n ^ n >> 33;
}

// Returns true if the parent fails, which is fixed, so that a pixel's failure does not depend on
// the caches.
static inline bool fails(const bench_t *b, const atfim_package_t *p, uint32_t parent) {
  uint64_t n = mixed(p->descriptor | (uint64_t)p->level << 16 | (uint64_t)p->extent << 20 |
                     (uint64_t)p->along_y << 24 | (uint64_t)(p->slope + 2) << 28);
  return mixed(n ^ (p->tile_x | (uint64_t)p->tile_y << 12 | (uint64_t)parent << 24)) % 1000 <
         b->failures;
}

// Whole packages are refused as well.
static inline bool is_refused(const bench_t *b, const atfim_package_t *p) {
  return fails(b, p, 16) && fails(b, p, 17);
}

static inline void answer_package(lines_t *l, uint32_t lane, uint32_t slot) {
  const bench_t *b = &l->b;
  uint32_t words[AtfimPackageWords] = {0};
  atfim_package_t p;
  slot_t *s = &l->slots[lane][slot];
  memcpy(words + 1, l->in.request[lane], AtfimRequestWords * sizeof *words);
  atfim_package_unpack(words, &p);
  assert_true(p.descriptor < b->map.descriptor_count);
  const texel_generator_descriptor_t *d = &b->map.descriptor[p.descriptor];
  uint32_t texture = 0;
  while (b->map.layout[texture].base != (uint64_t)d->base * TextureAlign) {
    texture++;
  }
  const frame_texture_t *t = &b->texture[texture];
  assert_true(p.level < t->levels && p.extent >= 1 && p.extent <= VirtualMaxExtent);
  assert_in_range(p.slope + VirtualMaxSlope, 0, 2 * VirtualMaxSlope);
  assert_int_equal(p.offset, b->map.layout[texture].offset[p.level]);
  assert_int_equal(p.reading, b->params.reading);
  assert_true(p.angle < 128);
  virtual_texture_t v = {.reading = p.reading,
                         .k = p.extent,
                         .along_y = p.along_y,
                         .q = p.slope,
                         .wrap_x = d->wrap_x,
                         .wrap_y = d->wrap_y,
                         .width = frame_side(d->width, p.level),
                         .height = frame_side(d->height, p.level)};
  assert_true(p.reading == VirtualIsotropic || (p.along_y ? v.height : v.width) >> p.extent);
  *s = (slot_t){.taken = true, .due = b->now + l->latency};
  s->due += l->spread ? rng_below(&l->b.rng, l->spread) : 0;
  uint16_t inside =
      virtual_texture_line(&v, t->level[p.level], p.tile_x, p.tile_y, s->answer.texel);
  assert_true(inside);
  s->answer.refused = is_refused(b, &p);
  for (uint32_t n = 0; n < AtfimParents; n++) {
    bool failed = fails(b, &p, n) && inside >> n & 1;
    s->answer.failed |= (uint16_t)((failed && !s->answer.refused) << n);
    s->answer.texel[n] = failed || s->answer.refused ? 0 : s->answer.texel[n];
  }
  if (l->asked) {
    const uint64_t line = mixed(words[1] | (uint64_t)words[3] << 32) ^ (words[2] & 0xffffff);
    for (uint64_t i = 0; i < l->packages; i++) {
      assert_true(l->asked[i] != line);
    }
    l->asked[l->packages] = line;
  }
  l->packages++;
}

// Sets the outputs of the coming cycle: one of the answers that are due, slots at random.
static inline void show(lines_t *l) {
  rng_t *rng = &l->b.rng;
  uint32_t choices = 0;
  memset(&l->out, 0, sizeof l->out);
  for (uint32_t lane = 0; lane < l->b.params.units; lane++) {
    uint32_t first = rng_below(rng, LaneSlots);
    for (uint32_t n = 0; n < LaneSlots; n++) {
      uint32_t slot = (first + n) % LaneSlots;
      slot_t *s = &l->slots[lane][slot];
      if (!s->taken) {
        l->out.request_ready |= (uint64_t)!rng_chance(rng, l->refusals) << lane;
        l->out.request_slot[lane] = (uint8_t)slot;
      } else if (s->due <= l->b.now && rng_below(rng, ++choices) == 0) {
        l->out.answer_valid = (uint64_t)1 << lane;
        l->out.answer_slot = (uint8_t)slot;
        l->out.answer_failed = s->answer.failed;
        l->out.answer_refused = s->answer.refused;
        memcpy(l->out.answer_texel, s->answer.texel, sizeof s->answer.texel);
      }
    }
  }
}

static inline void lines_cycle(bench_t *b) {
  lines_t *l = (lines_t *)(void *)b;
  b->external |= texture_units_offers(b->units) || l->out.answer_valid;
  l->in.request_valid = 0;
  if (texture_units_offers(b->units) || l->out.answer_valid) {
    texture_units_offload(b->units, b->now, &l->out, &l->in);
    assert_int_equal(l->in.answer_ready, UINT64_MAX);
  }
  if (l->out.answer_valid) {
    l->slots[__builtin_ctzll(l->out.answer_valid)][l->out.answer_slot].taken = false;
  }
  for (uint64_t rest = l->in.request_valid & l->out.request_ready; rest; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctzll(rest);
    answer_package(l, lane, l->out.request_slot[lane]);
  }
  show(l);
}

// ---- Quads

// Every texture with every pair of wrap modes; some with few samples or the nearest texel.
static inline void line_stage(uint32_t i, frame_stage_t *s) {
  uint32_t pair = i % WrapPairs;
  *s = (frame_stage_t){
      .texture = (uint16_t)(i / WrapPairs),
      .min_filter = i % 7 != 3,
      .mag_filter = i % 5 != 3,
      .mip = i % 11 == 4   ? FrameMipNone
             : i % 11 == 7 ? FrameMipNearest
                           : FrameMipLinear,
      .wrap_s = (uint8_t)(pair / 3),
      .wrap_t = (uint8_t)(pair % 3),
      .lod_bias = i % 13 == 5 ? 0.7f : 0,
      .max_anisotropy = i % 17 == 6 ? 4 : 16,
  };
}

// The parents of a quad's pixel: as many as its groups have, k > 0 only.
static inline uint8_t line_failed(bench_t *b, const texture_quad_t *q) {
  lines_t *l = (lines_t *)(void *)b;
  const frame_texture_t *t = &b->texture[q->texture];
  footprint_gradient_t g = footprint_gradient(t, q->u, q->v);
  footprint_t f;
  virtual_footprint_t vf;
  frame_stage_t stage = *q->stage;
  if (stage.max_anisotropy > b->params.max_anisotropy) {
    stage.max_anisotropy = (uint8_t)b->params.max_anisotropy;
  }
  footprint_make(&f, t, &stage, &g);
  virtual_footprint_make(&vf, &f, t, &stage, &g, b->params.reading, b->params.extent_threshold);
  uint8_t failed = 0;
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t pixel = i / 2, level = i % 2;
    if (!(q->mask >> pixel & 1) || (level && !vf.weight)) {
      continue;
    }
    virtual_sample_t s;
    virtual_sample_make(&s, &vf, t, &stage, level, q->u[pixel], q->v[pixel]);
    l->seen[s.texture.along_y][s.texture.k][s.texture.q + 2]++;
    l->nearest += s.parents == 1 && s.texture.k > 0;
    atfim_package_t p = {.descriptor = texture_map_descriptor(&b->map, q->texture, &stage),
                         .level = s.level,
                         .extent = s.texture.k,
                         .along_y = s.texture.along_y,
                         .slope = s.texture.q};
    for (uint32_t n = 0; s.texture.k && n < s.parents; n++) {
      uint32_t x, y, place;
      virtual_texture_tile(&s.texture, s.a[n], s.b[n], &x, &y, &place);
      p.tile_x = (uint16_t)x;
      p.tile_y = (uint16_t)y;
      failed |= (uint8_t)((fails(b, &p, place) || is_refused(b, &p)) << pixel);
    }
  }
  return failed;
}

// Near one of a few spots, which change now and then: something is found in the caches.
static inline texture_quad_t line_quad(lines_t *l) {
  static const float Wild[] = {1e30f, -1e30f, NAN, 2.0f, -1e-20f, 1.000001f, 0.999999f};
  rng_t *r = &l->b.rng;
  spot_t *s = &l->spots[rng_below(r, Spots)];
  if (s->ux == 0 || rng_chance(r, 120)) {
    double minor = exp2(between(r, -2, 3)), angle = between(r, 0, 6.2832);
    double major = minor * (rng_chance(r, 200) ? 1 : between(r, 1, 20));
    *s = (spot_t){l->first_stage + rng_below(r, l->stages),
                  between(r, -2.5, 3.5),
                  between(r, -2.5, 3.5),
                  major * cos(angle),
                  major * sin(angle),
                  -minor * sin(angle),
                  minor * cos(angle)};
  }
  uint32_t stage = s->stage;
  if (rng_chance(r, 300)) {  // the same texture with other wrap modes
    stage = stage / WrapPairs * WrapPairs + rng_below(r, WrapPairs);
  }
  const frame_texture_t *t = &l->b.texture[l->b.command[stage].state.stages[0].texture];
  double u = s->u + between(r, -12, 12) / t->width, v = s->v + between(r, -12, 12) / t->height;
  texture_quad_t q = quad_at(&l->b, stage, u, v, s->ux, s->vx, s->uy, s->vy);
  if (rng_chance(r, 10)) {
    q.u[rng_below(r, 4)] = Wild[rng_below(r, sizeof Wild / sizeof *Wild)];
  }
  q.mask = (uint8_t)(rng_chance(r, 700) ? 15 : 1 + rng_below(r, 15));
  q.angle = (uint8_t)rng_below(r, 128);
  return q;
}

static inline lines_t *lines_new(uint32_t reading, uint64_t seed) {
  lines_t *l = calloc(1, sizeof *l);
  bench_create_of(&l->b, TextureATfim, seed, LineSizes, MaxTextures, MaxStages, line_stage);
  l->b.cube = lines_cycle;
  l->b.failed = line_failed;
  l->b.params.reading = reading;
  l->b.params.reuse = 1;
  l->stages = MaxStages;
  l->latency = 90;
  l->spread = 60;
  assert_int_equal(l->b.map.descriptor_count, MaxStages);
  return l;
}

static inline void lines_start(lines_t *l) {
  bench_start(&l->b);
  show(l);
}

static inline void lines_free(lines_t *l) {
  bench_destroy(&l->b);
  free(l->asked);
  free(l);
}

static inline void check_lines(const lines_t *l) {
  const texture_stats_t *s = texture_units_stats(l->b.units);
  check_sums(&l->b);
  assert_int_equal(s->packages, l->packages);
  assert_int_equal(s->lines, s->l1_lines_hit + s->l1_lines_merged + s->l2_lines_hit +
                                 s->l2_lines_merged + s->packages);
  assert_true(s->parents >= s->lines && s->parents <= 4 * s->lines);
}

static inline void run_lines(lines_t *l, uint32_t quads, uint32_t push_permille,
                             uint32_t pop_permille) {
  bench_t *b = &l->b;
  for (uint32_t end = b->tags + quads; b->tags < end;) {
    for (uint32_t u = 0; u < b->params.units && b->tags < end; u++) {
      if (rng_chance(&b->rng, push_permille)) {
        texture_quad_t q = line_quad(l);
        push(b, u, &q);
      }
    }
    cycle(b, pop_permille);
  }
  drain(b);
  check_lines(l);
}

// ---- Tests

// Caches and queues: comfortable, narrow, as small as can be; latencies alike.
static inline void make_narrow(lines_t *l, uint32_t narrow) {
  texture_params_t *p = &l->b.params;
  l->latency = narrow == 1 ? 3 : 200;
  l->spread = narrow == 1 ? 600 : 1;
  l->refusals = l->b.memory_refusals = 300;
  p->request_queue = 3;
  p->in_flight = narrow == 1 ? 9 : 1;
  p->results = narrow == 1 ? 2 : 1;
  p->l1_kib = 1;
  p->l1_ways = narrow == 1 ? 4 : 1;
  p->l1_misses = narrow == 1 ? 7 : 1;
  p->l2_kib = 2;
  p->l2_ways = narrow == 1 ? 2 : 1;
  p->l2_misses = narrow == 1 ? 9 : 1;
  p->l2_lookups = 1;
  p->address_alus = narrow == 1 ? 16 : 3;
  p->filter_alus = narrow == 1 ? 32 : 3;
}

// Pushes a quad and waits for its result.
static inline void push_one(lines_t *l, const texture_quad_t *q, texture_result_t *r) {
  assert_true(push(&l->b, 0, q));
  l->b.popped[0]++;
  while (!texture_units_pop(l->b.units, l->b.now, 0, r)) {
    cycle(&l->b, 0);
  }
}

#endif
