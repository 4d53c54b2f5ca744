// SPDX-License-Identifier: Apache-2.0
// The offloading unit for lines, the cube's layers and the HMC's model together: every request is
// answered once, with the line that csim/texture/virtual_texture.h has for it, to the bit, whatever
// the number of layers, however the texture units hold back, in whatever cycle the cube is reset;
// reads that fail mark the parents that they belong to and no others.
#include "csim/base/rng.h"
#include "csim/machine/cube.h"
#include "csim/texture/virtual_texture.h"
#include "csim/units/atfim/package.h"
#include "unit_engine.h"

enum {
  Textures = 4,
  Pairs = 9,  // wrap modes
  MaxUnits = 16,
  MaxSlots = 16,
  Patience = 200000,
  FailingLow = 5,  // lines whose low four bits are this fail
  LineShift = 23,  // of a read's tag (cube.c)
};

static const uint32_t Sizes[Textures][2] = {{256, 128}, {100, 37}, {64, 64}, {5, 3}};

typedef struct {
  frame_t frame;
  frame_texture_t texture[Textures];
  frame_cmd_t command[Textures * Pairs];
  texture_map_t map;
} scene_t;

typedef struct {
  uint32_t layers, packages, flits, request, answer, restart;  // shares in 1/1,000
  bool fails, hash;
} setting_t;

typedef struct {
  uint32_t texture;
  atfim_package_t package;
  bool owed;
} request_t;

typedef struct {
  rng_t rng;
  setting_t set;
  memory_system_t *memory;
  cube_t *cube;
  uint64_t held;  // units whose request waits
  uint32_t next_texture[MaxUnits];
  atfim_package_t next[MaxUnits];
  request_t request[MaxUnits][MaxSlots];
  uint32_t asked, answered, failed, restarts;
  uint64_t cycles;
} run_t;

static scene_t scene;
static run_t run;

static void scene_make(void) {
  rng_t rng;
  rng_seed(&rng, 1);
  memset(&scene, 0, sizeof scene);
  for (uint32_t i = 0; i < Textures; i++) {
    frame_texture_t *t = &scene.texture[i];
    t->width = Sizes[i][0];
    t->height = Sizes[i][1];
    for (; !t->levels || t->width >> t->levels || t->height >> t->levels; t->levels++) {
      size_t n = (size_t)frame_side(t->width, t->levels) * frame_side(t->height, t->levels);
      t->level[t->levels] = malloc(n * sizeof(uint32_t));
      for (size_t k = 0; k < n; k++) {
        t->level[t->levels][k] = (uint32_t)rng_u64(&rng);
      }
    }
  }
  for (uint32_t c = 0; c < Textures * Pairs; c++) {
    for (uint32_t k = 0; k < FrameMaxTextures; k++) {
      scene.command[c].state.stages[k].texture = FrameNone;
    }
    scene.command[c].state.stages[0] = (frame_stage_t){
        .texture = (uint16_t)(c / Pairs), .wrap_s = c % 3, .wrap_t = (uint8_t)(c / 3 % 3)};
  }
  scene.frame = (frame_t){.texture_count = Textures,
                          .textures = scene.texture,
                          .command_count = Textures * Pairs,
                          .commands = scene.command};
  assert_true(texture_map_create(&scene.map, &scene.frame, 1 << 20));
}

static void scene_free(void) {
  texture_map_destroy(&scene.map);
  for (uint32_t i = 0; i < Textures; i++) {
    for (uint32_t l = 0; l < scene.texture[i].levels; l++) {
      free(scene.texture[i].level[l]);
    }
  }
}

// ---- Packages and what they must be answered with

static void describe(uint32_t texture, const atfim_package_t *p, virtual_texture_t *v) {
  const frame_texture_t *t = &scene.texture[texture];
  const texel_generator_descriptor_t *d = &scene.map.descriptor[p->descriptor];
  *v = (virtual_texture_t){.reading = p->reading,
                           .k = p->extent,
                           .along_y = p->along_y,
                           .q = p->slope,
                           .wrap_x = d->wrap_x,
                           .wrap_y = d->wrap_y,
                           .width = frame_side(t->width, p->level),
                           .height = frame_side(t->height, p->level)};
}

// A tile that a random parent of the range lies in.
static void make_request(rng_t *r, uint32_t *texture, atfim_package_t *p) {
  *texture = rng_below(r, Textures);
  const frame_texture_t *t = &scene.texture[*texture];
  const frame_stage_t stage = {.wrap_s = (uint8_t)rng_below(r, 3),
                               .wrap_t = (uint8_t)rng_below(r, 3)};
  *p = (atfim_package_t){.descriptor = texture_map_descriptor(&scene.map, *texture, &stage),
                         .level = (uint8_t)rng_below(r, t->levels),
                         .reading = rng_chance(r, 300),
                         .along_y = rng_chance(r, 500),
                         .extent = (uint8_t)(1 + rng_below(r, 4)),
                         .slope = (int8_t)(rng_below(r, 5) - 2)};
  p->offset = scene.map.layout[*texture].offset[p->level];
  virtual_texture_t v;
  describe(*texture, p, &v);
  while (!p->reading && p->extent > 1 && (v.along_y ? v.height : v.width) >> p->extent == 0) {
    p->extent--;
  }
  p->reading |= (v.along_y ? v.height : v.width) < 2;
  describe(*texture, p, &v);
  virtual_range_t range = virtual_texture_range(&v);
  int32_t a = range.a0 + (int32_t)rng_below(r, (uint32_t)(range.a1 - range.a0 + 1));
  int32_t b = range.b0 + (int32_t)rng_below(r, (uint32_t)(range.b1 - range.b0 + 1));
  uint32_t x, y, place;
  virtual_texture_tile(&v, a, b, &x, &y, &place);
  p->tile_x = (uint16_t)x;
  p->tile_y = (uint16_t)y;
}

// Parents with a child in a line that fails.
static uint16_t failing(const request_t *q, const virtual_texture_t *v) {
  uint16_t failed = 0;
  for (uint32_t n = 0; n < AtfimParents; n++) {
    int32_t a, b;
    bool inside = virtual_texture_parent(v, q->package.tile_x, q->package.tile_y, n, &a, &b);
    for (uint32_t i = 0; inside && i < 1u << v->k; i++) {
      uint32_t x, y;
      virtual_texture_child(v, a, b, i, &x, &y);
      uint64_t line = scene.map.layout[q->texture].base / 64 +
                      texture_line(&scene.map.layout[q->texture], &scene.texture[q->texture],
                                   q->package.level, x, y);
      failed |= (uint16_t)((line & 15) == FailingLow) << n;
    }
  }
  return failed;
}

static void check_answer(run_t *r, request_t *q) {
  const offload_unit_out_t *out = cube_answers(r->cube);
  virtual_texture_t v;
  uint32_t line[AtfimParents];
  assert_true(q->owed);
  describe(q->texture, &q->package, &v);
  virtual_texture_line(&v, scene.texture[q->texture].level[q->package.level], q->package.tile_x,
                       q->package.tile_y, line);
  uint16_t failed = r->set.fails ? failing(q, &v) : 0;
  assert_false(out->answer_refused);
  assert_int_equal(out->answer_failed, failed);
  for (uint32_t n = 0; n < AtfimParents; n++) {
    assert_int_equal(out->answer_texel[n], failed >> n & 1 ? 0 : line[n]);
  }
  q->owed = false;
  r->answered++;
  r->failed += failed != 0;
}

// ---- The run

static void texture_units(run_t *r) {
  offload_unit_in_t *in = cube_requests(r->cube);
  const offload_unit_out_t *out = cube_answers(r->cube);
  in->request_valid = r->held;
  in->answer_ready = 0;
  for (uint32_t u = 0; u < MaxUnits; u++) {
    uint64_t bit = UINT64_C(1) << u;
    if (!(r->held & bit) && rng_chance(&r->rng, r->set.request)) {
      uint32_t words[AtfimPackageWords];
      in->request_valid |= bit;
      make_request(&r->rng, &r->next_texture[u], &r->next[u]);
      atfim_package_pack(&r->next[u], words);
      memcpy(in->request[u], words + 1, AtfimRequestWords * sizeof *words);
    }
    in->answer_ready |= rng_chance(&r->rng, r->set.answer) ? bit : 0;
  }
  r->held = in->request_valid & ~out->request_ready;
  uint64_t given = out->answer_valid & in->answer_ready;
  if (given) {
    check_answer(r, &r->request[__builtin_ctzll(given)][out->answer_slot]);
  }
  for (uint64_t rest = in->request_valid & out->request_ready; rest; rest &= rest - 1) {
    uint32_t u = (uint32_t)__builtin_ctzll(rest);
    request_t *q = &r->request[u][out->request_slot[u]];
    assert_false(q->owed);
    *q = (request_t){r->next_texture[u], r->next[u], true};
    r->asked++;
  }
}

static void cycle(run_t *r) {
  uint32_t error;
  if (rng_chance(&r->rng, r->set.restart) && r->restarts < 200) {
    assert_int_equal(cube_reset(r->cube), UnitOk);
    r->restarts++;
  }
  texture_units(r);
  assert_int_equal(cube_step(r->cube, &error), UnitOk);
  assert_int_equal(error, 0);
  memory_system_step(r->memory);
  r->cycles++;
}

static void begin(run_t *r, uint64_t seed, const setting_t *s) {
  err_auto_t err = {0};
  hmc_params_t hmc;
  const cube_units_t units = {engine, harness_offload_unit_at, harness_atfim_at};
  const offload_unit_params_t offload = {.units = MaxUnits,
                                         .slots = MaxSlots,
                                         .package_flits = s->flits,
                                         .count_width = 48,
                                         .observe = true};
  const atfim_params_t layer = {64, s->packages, 256, 6, 4, true, 48, true};
  memset(r, 0, sizeof *r);
  rng_seed(&r->rng, seed);
  r->set = *s;
  assert_true(hmc_params_default(&hmc, NULL, &err));
  hmc.vault_hash = s->hash;
  r->memory = memory_system_create(&hmc, NULL, NULL, &err);
  assert_non_null(r->memory);
  if (s->fails) {
    const memory_errors_t errors = {.mask = 15ull << LineShift,
                                    .match = (uint64_t)FailingLow << LineShift};
    hmc_inject_errors(memory_system_hmc(r->memory), &errors);
  }
  r->cube =
      cube_create(&offload, &layer, s->layers, &scene.map, r->memory, &units, (uint32_t)seed, &err);
  if (!r->cube) {
    fail_msg("%s", err_text(&err));
  }
}

// All answers come; then nothing is left anywhere. Counters: each cycle of each layer is a beat or
// has a reason why not, each beat is a read or was merged into one.
static void finish(run_t *r) {
  r->set.request = r->set.restart = 0;
  r->set.answer = 1000;
  for (uint32_t i = 0; i < Patience; i++) {
    if (r->answered == r->asked && !r->held && cube_idle(r->cube)) {
      break;
    }
    cycle(r);
  }
  assert_int_equal(r->answered, r->asked);
  assert_true(cube_idle(r->cube) && memory_system_idle(r->memory));
  assert_int_equal(cube_finish(r->cube), UnitOk);
  const cube_stats_t *s = cube_stats(r->cube);
  if (r->restarts == 0) {
    const uint64_t *n = s->lines;
    assert_int_equal(s->packages, r->asked);
    assert_int_equal(s->responses, r->asked);
    assert_int_equal(s->child_reads, n[ChildConsolidationCounterReads]);
    assert_int_equal(n[ChildConsolidationCounterBeats],
                     n[ChildConsolidationCounterReads] + n[ChildConsolidationCounterMerged]);
    uint64_t all = n[ChildConsolidationCounterBeats];
    for (uint32_t i = ChildConsolidationCounterNoBeat; i < ChildConsolidationCounters; i++) {
      all += n[i];
    }
    assert_int_equal(all, r->set.layers * r->cycles);
    all = 0;
    for (uint32_t i = TexelGeneratorCounterTaken; i < TexelGeneratorCounters; i++) {
      all += s->generator[i];
    }
    assert_int_equal(all, r->set.layers * r->cycles);
    assert_int_equal(s->generator[TexelGeneratorCounterTaken], n[ChildConsolidationCounterBeats]);
    assert_true(s->children >= n[ChildConsolidationCounterBeats]);
  }
  cube_destroy(r->cube);
  memory_system_destroy(r->memory);
}

static uint64_t go(uint64_t seed, const setting_t *s, uint32_t requests) {
  begin(&run, seed, s);
  while (run.asked < requests) {
    cycle(&run);
  }
  finish(&run);
  return run.cycles;
}

static uint32_t share(void) { return getenv("NOCTURNE_ENGINE") ? 10 : 1; }

ENGINE_TEST(test_layers) {
  static const uint32_t layers[] = {1, 3, 4, 16};
  scene_make();
  for (uint32_t i = 0; i < 4; i++) {
    const setting_t s = {.layers = layers[i],
                         .packages = 16,
                         .flits = i & 1 ? 2 : 4,
                         .request = i == 2 ? 100 : 1000,
                         .answer = i == 1 ? 100 : 1000,
                         .hash = i & 1};
    go(i + 1, &s, 3000 / share());
  }
  scene_free();
}

// Packages go to all layers: four take little more than a quarter of the time of one.
ENGINE_TEST(test_dealt) {
  setting_t s = {
      .layers = 1, .packages = 32, .flits = 4, .request = 1000, .answer = 1000, .hash = true};
  scene_make();
  uint64_t one = go(10, &s, 3000 / share());
  s.layers = 4;
  uint64_t four = go(10, &s, 3000 / share());
  assert_true(four * 100 < one * (share() > 1 ? 60 : 35));
  scene_free();
}

ENGINE_TEST(test_resets) {
  uint32_t restarts = 0;
  scene_make();
  for (uint32_t i = 0; i < 3; i++) {
    const setting_t s = {.layers = i == 2 ? 16 : 1 + 3 * i,
                         .packages = 2u << 2 * i,
                         .flits = 4,
                         .request = 200,
                         .answer = 900,
                         .restart = i == 1 ? 5 : 2};
    go(i + 20, &s, 3000 / share());
    restarts += run.restarts;
  }
  assert_true(restarts > 20 / share());
  scene_free();
}

ENGINE_TEST(test_failing_reads) {
  scene_make();
  for (uint32_t i = 0; i < 2; i++) {
    const setting_t s = {.layers = 1 + 3 * i,
                         .packages = 16,
                         .flits = 4,
                         .request = 1000,
                         .answer = 1000,
                         .restart = i ? 2 : 0,
                         .fails = true};
    go(i + 30, &s, 2000 / share());
    assert_in_range(run.failed, 200 / share(), 1800 / share());
  }
  scene_free();
}

int main(void) { return run_all_tests(NULL, NULL); }
