// SPDX-License-Identifier: Apache-2.0
// The offloading unit and the cube's logic layer together: every request is answered once, with
// the texels of the contract's formulas, whatever the links and the memory hold back, reorder and
// fail, and in whatever cycle the cube is reset.
#include "csim/unit/atfim_package.h"
#include "csim/base/rng.h"
#include "tb/harness/atfim_reference.h"
#include "unit_engine.h"

enum {
  MaxUnits = 16,
  MaxSlots = 16,
  MaxUnderWay = 4096,
  Textures = 4,      // of the table's descriptors, 16 at least
  MaxRestarts = 200  // fewer than there are epochs, so that none comes back within a run
};

// Shares in 1/1,000 of the cycles.
typedef struct {
  uint32_t request, package, read, data, response, answer, restart;
  uint32_t fails, refused;  // of the lines, of the requests
} rates_t;

typedef struct {
  uint32_t words[AtfimResponseWords];  // the longer of the two
} message_t;

typedef struct {
  uint16_t tag;
  uint8_t epoch;
  uint64_t address;
} read_t;

typedef struct {
  rng_t rng;
  uint64_t seed;
  rates_t rate;
  offload_unit_params_t p;
  atfim_params_t cube_params;
  offload_unit_t unit;
  offload_unit_in_t in;
  offload_unit_out_t out;
  atfim_t cube;
  atfim_in_t cube_in;
  atfim_out_t cube_out;
  texel_generator_descriptor_t texture[Textures];
  uint32_t down_count, up_count, read_count;
  message_t down[MaxUnderWay], up[MaxUnderWay];
  read_t read[MaxUnderWay];
  bool package_held, data_held, response_held;
  uint64_t held;     // units whose request waits
  uint32_t off;      // cycles until the cube's reset ends
  uint32_t setup;    // descriptors still to be written
  uint32_t restarts, asked, answered, failed, refused;
  bool owed[MaxUnits][MaxSlots];
  uint32_t request[MaxUnits][MaxSlots][AtfimRequestWords];
} run_t;

static run_t run;

static uint64_t mix(uint64_t seed, uint64_t value) {
  rng_t r;
  rng_seed(&r, seed ^ value * 0xd6e8feb86659fd93u);
  return rng_u64(&r);
}

static uint32_t texel_at(const void *memory, uint64_t address, bool *failed) {
  const run_t *r = memory;
  *failed |= mix(r->seed + 1, address / r->cube_params.line_bytes) % 1000 < r->rate.fails;
  return (uint32_t)mix(r->seed, address / 4);
}

// ---- Texture units ----

static void make_request(run_t *r, uint32_t request[AtfimRequestWords]) {
  rng_t *g = &r->rng;
  const texel_generator_descriptor_t *d = &r->texture[rng_below(g, Textures)];
  atfim_package_t p = {
      .descriptor = d->index, .level = (uint8_t)rng_below(g, 3),
      .ratio = (uint8_t)(1 + rng_below(g, AtfimMaxRatio)), .mask = (uint8_t)(1 + rng_below(g, 255)),
      .step_x = (int16_t)(rng_below(g, 1024) - 512), .step_y = (int16_t)(rng_below(g, 1024) - 512),
      .offset = {rng_below(g, 64), rng_below(g, 64)}};
  for (uint32_t l = 0; l < 2; l++) {
    p.x[l] = (int16_t)rng_below(g, 16);
    p.y[l] = (int16_t)rng_below(g, 16);
  }
  for (uint32_t k = 0; k < AtfimParents; k++) {
    p.dx[k] = k & 1;
    p.dy[k] = k >> 1 & 1;
  }
  if (rng_chance(g, r->rate.refused)) {
    if (rng_chance(g, 500)) {
      p.mask = 0;
    } else {
      p.descriptor = Textures + 1;  // never written
    }
  }
  uint32_t words[AtfimPackageWords];
  atfim_package_pack(&p, words);
  memcpy(request, &words[1], AtfimRequestWords * sizeof *request);
}

static void check_answer(run_t *r, uint32_t u, uint32_t s) {
  uint32_t words[AtfimPackageWords] = {0};
  atfim_package_t p;
  atfim_response_t due;
  assert_true(r->owed[u][s]);
  memcpy(&words[1], r->request[u][s], sizeof r->request[u][s]);
  atfim_package_unpack(words, &p);
  const texel_generator_descriptor_t *d =
      p.descriptor < Textures ? &r->texture[p.descriptor] : NULL;
  atfim_reference(&p, d, r->cube_params.exact, texel_at, r, &due);
  assert_int_equal(r->out.answer_mask, due.mask);
  assert_int_equal(r->out.answer_failed, due.failed);
  assert_int_equal(r->out.answer_refused, due.refused);
  assert_memory_equal(r->out.answer_texel, due.texel, sizeof due.texel);
  r->owed[u][s] = false;
  r->answered++;
  r->failed += due.failed != 0 && !due.refused;
  r->refused += due.refused;
}

static void texture_units(run_t *r) {
  r->in.request_valid = r->held;
  r->in.answer_ready = 0;
  for (uint32_t u = 0; u < r->p.units; u++) {
    uint64_t bit = UINT64_C(1) << u;
    if (!(r->held & bit) && rng_chance(&r->rng, r->rate.request)) {
      r->in.request_valid |= bit;
      make_request(r, r->in.request[u]);
    }
    if (rng_chance(&r->rng, r->rate.answer)) {
      r->in.answer_ready |= bit;
    }
  }
  r->held = r->in.request_valid & ~r->out.request_ready;
  uint64_t given = r->out.answer_valid & r->in.answer_ready;
  if (given) {
    check_answer(r, (uint32_t)__builtin_ctzll(given), r->out.answer_slot);
  }
  for (uint64_t rest = r->in.request_valid & r->out.request_ready; rest; rest &= rest - 1) {
    uint32_t u = (uint32_t)__builtin_ctzll(rest), s = r->out.request_slot[u];
    assert_false(r->owed[u][s]);
    r->owed[u][s] = true;
    memcpy(r->request[u][s], r->in.request[u], sizeof r->request[u][s]);
    r->asked++;
  }
}

// ---- Links: any message may overtake any other ----

static void put(message_t *queue, uint32_t *count, const uint32_t *words, uint32_t n) {
  assert_true(*count < MaxUnderWay);
  memcpy(queue[(*count)++].words, words, n * sizeof *words);
}

static void take(rng_t *rng, message_t *queue, uint32_t *count, uint32_t *words, uint32_t n) {
  uint32_t i = rng_below(rng, *count);
  memcpy(words, queue[i].words, n * sizeof *words);
  queue[i] = queue[--*count];
}

static void links(run_t *r) {
  rng_t *g = &r->rng;
  r->in.package_ready = rng_chance(g, r->rate.package);
  if (r->out.package_valid && r->in.package_ready) {
    put(r->down, &r->down_count, r->out.package, AtfimPackageWords);
  }
  if (!r->response_held) {
    r->in.response_valid = r->up_count > 0 && rng_chance(g, r->rate.response);
    if (r->in.response_valid) {
      take(g, r->up, &r->up_count, r->in.response, AtfimResponseWords);
    }
  }
  r->response_held = r->in.response_valid && !r->out.response_ready;
}

// ---- The cube and its memory ----

static void reset_cube(run_t *r) {
  r->cube.reset(r->cube.self, &r->cube_out);
  r->setup = Textures;
  // The switch hands over anew what was not taken.
  if (r->package_held) {
    put(r->down, &r->down_count, r->cube_in.package, AtfimPackageWords);
  }
  r->package_held = r->data_held = false;
  memset(&r->cube_in, 0, sizeof r->cube_in);
  // Of the reads some come back late, with the epoch in which they were made.
  for (uint32_t i = r->read_count; i-- > 0;) {
    if (rng_chance(&r->rng, 500)) {
      r->read[i] = r->read[--r->read_count];
    }
  }
}

static void data(run_t *r) {
  if (r->data_held) {
    return;
  }
  atfim_in_t *in = &r->cube_in;
  in->child_data_valid = r->read_count > 0 && rng_chance(&r->rng, r->rate.data);
  if (in->child_data_valid) {
    uint32_t i = rng_below(&r->rng, r->read_count);
    read_t read = r->read[i];
    r->read[i] = r->read[--r->read_count];
    memset(&in->child_data, 0, sizeof in->child_data);
    in->child_data.tag = read.tag;
    in->child_data.epoch = read.epoch;
    for (uint32_t w = 0; w < r->cube_params.line_bytes / 4; w++) {
      in->child_data.data[w] = texel_at(r, read.address + 4 * w, &in->child_data.failed);
    }
  }
}

static void cube(run_t *r, uint8_t epoch) {
  atfim_in_t *in = &r->cube_in;
  rng_t *g = &r->rng;
  in->epoch = epoch;
  in->descriptor_valid = r->setup > 0;
  if (in->descriptor_valid) {
    in->descriptor = r->texture[--r->setup];
  }
  if (!r->package_held) {
    in->package_valid = r->down_count > 0 && rng_chance(g, r->rate.package);
    if (in->package_valid) {
      take(g, r->down, &r->down_count, in->package, AtfimPackageWords);
    }
  }
  data(r);
  in->child_read_ready = rng_chance(g, r->rate.read) && r->read_count < MaxUnderWay;
  in->response_ready = rng_chance(g, r->rate.response);
  r->package_held = in->package_valid && !r->cube_out.package_ready;
  r->data_held = in->child_data_valid && !r->cube_out.child_data_ready;
  if (r->cube_out.response_valid && in->response_ready) {
    put(r->up, &r->up_count, r->cube_out.response, AtfimResponseWords);
  }
  if (r->cube_out.child_read_valid && in->child_read_ready) {
    r->read[r->read_count++] = (read_t){r->cube_out.child_read.tag, epoch,
                                        r->cube_out.child_read.line * UINT64_C(16)};
  }
  assert_int_equal(r->cube.step(r->cube.self, in, &r->cube_out), UnitOk);
  assert_int_equal(r->cube_out.error >> 4, 0);
  assert_true((r->cube_out.error & 15) <= (r->rate.refused ? TexelGeneratorErrorPackage : 0u));
}

static void restart(run_t *r) {
  r->restarts++;
  r->off = 1 + rng_below(&r->rng, rng_chance(&r->rng, 500) ? 3 : 60);
  reset_cube(r);
}

static void cycle(run_t *r) {
  uint8_t epoch = (uint8_t)r->restarts;
  r->in.reissue_valid = false;
  texture_units(r);
  links(r);
  if (r->restarts < MaxRestarts && rng_chance(&r->rng, r->rate.restart)) {
    restart(r);  // also one that is not yet set up after the last
  } else if (r->off > 0) {
    // In reset. The link loses what it hands over.
    uint32_t lost[AtfimPackageWords];
    if (r->down_count > 0) {
      take(&r->rng, r->down, &r->down_count, lost, AtfimPackageWords);
    }
    r->off--;
  } else {
    bool is_set_up = r->setup == 0;
    cube(r, epoch);
    // The host lets the requests be sent anew when the descriptors are written.
    if (!is_set_up && r->setup == 0 && epoch > 0) {
      r->in.reissue_valid = true;
      r->in.reissue_epoch = epoch;
    }
  }
  assert_int_equal(r->unit.step(r->unit.self, &r->in, &r->out), UnitOk);
  assert_int_equal(r->out.error, OffloadUnitErrorNone);
}

static void begin(run_t *r, uint64_t seed, offload_unit_params_t p, atfim_params_t c,
                  rates_t rate) {
  char error[HarnessErrorSize];
  memset(r, 0, sizeof *r);
  rng_seed(&r->rng, seed);
  r->seed = seed;
  r->rate = rate;
  r->p = p;
  r->cube_params = c;
  for (uint32_t i = 0; i < Textures; i++) {
    r->texture[i] = (texel_generator_descriptor_t){
        .index = (uint16_t)i, .base = 100 * i, .width = (uint16_t)(64 + rng_below(&r->rng, 100)),
        .height = (uint16_t)(64 << i), .wrap_x = (uint8_t)(i % 3),
        .wrap_y = (uint8_t)rng_below(&r->rng, 3)};
  }
  if (!harness_offload_unit(engine, &p, 0, &r->unit, error) ||
      !harness_atfim(engine, &c, 0, &r->cube, error)) {
    fail_msg("%s", error);
  }
  r->unit.reset(r->unit.self, &r->out);
  reset_cube(r);
}

// Nobody asks any more, nothing is held back and nothing reset: all answers come.
static void drain(run_t *r) {
  r->rate = (rates_t){.package = 1000, .read = 1000, .data = 1000, .response = 1000,
                      .answer = 1000, .fails = r->rate.fails, .refused = r->rate.refused};
  // A request takes 8 parents of 16 runs at most; memory may hold reads of old epochs.
  uint32_t most = 4000 + 200 * r->p.units * r->p.slots;
  for (uint32_t c = 0; c < most && !(r->answered == r->asked && r->held == 0 &&
                                     r->out.quiescent && r->cube_out.quiescent); c++) {
    cycle(r);
  }
  assert_int_equal(r->held, 0);
  assert_int_equal(r->answered, r->asked);
  for (uint32_t c = 0; c < 2000; c++) {  // and none comes late
    cycle(r);
  }
  assert_true(r->out.quiescent && r->cube_out.quiescent);
  assert_int_equal(r->down_count + r->up_count + r->read_count, 0);
}

// Small enough that every buffer of the cube fills; then the paper's sizes.
static const atfim_params_t Small = {16, 16, 16, 1, 1, 16, 2, true, false, 48, true};
static const atfim_params_t Medium = {64, 64, 32, 2, 2, 32, 4, true, true, 48, true};
static const atfim_params_t Paper = {1024, 256, 256, 6, 4, 64, 64, true, true, 48, true};

static void test_random(void **state) {
  (void)state;
  static const uint32_t some[] = {1000, 900, 300, 60}, few[] = {0, 1, 4, 15};
  static const offload_unit_params_t sets[] = {{16, 16, 48, true}, {1, 1, 48, true},
                                               {5, 4, 48, true}, {2, 2, 48, true}};
  static const atfim_params_t *const cubes[] = {&Small, &Medium, &Paper};
  uint32_t answered = 0, failed = 0, refused = 0, restarts = 0;
  for (uint64_t seed = 1; seed <= 36; seed++) {
    rng_t c;
    rng_seed(&c, seed << 32);
    rates_t rate = {.request = some[rng_below(&c, 4)], .package = some[rng_below(&c, 4)],
                    .read = some[rng_below(&c, 4)], .data = some[rng_below(&c, 4)],
                    .response = some[rng_below(&c, 4)], .answer = some[rng_below(&c, 4)],
                    .restart = few[rng_below(&c, 4)], .fails = 5 * few[rng_below(&c, 4)],
                    .refused = 20 * few[rng_below(&c, 4)]};
    begin(&run, seed, sets[seed % 4], *cubes[seed % 3], rate);
    for (uint32_t i = 0; i < 20000; i++) {
      cycle(&run);
    }
    drain(&run);
    answered += run.answered;
    failed += run.failed;
    refused += run.refused;
    restarts += run.restarts;
  }
  // The runs meet what they are for.
  // The runs meet what they are for.
  assert_true(answered > 10000 && failed > 1000 && refused > 1000 && restarts > 1000);
}

// Each cycle of an exchange in turn is the one in which the cube is reset.
static void test_reset_anywhere(void **state) {
  (void)state;
  for (uint32_t at = 1; at < 90; at++) {
    begin(&run, 1000 + at, (offload_unit_params_t){2, 2, 48, true}, Small,
          (rates_t){.request = 1000, .package = 1000, .read = 900, .data = 600, .response = 900,
                    .answer = 900, .fails = 10});
    for (uint32_t c = 0; c < 160; c++) {
      if (c == at) {
        restart(&run);
      }
      if (c == 100) {
        run.rate.request = 0;
      }
      cycle(&run);
    }
    drain(&run);
    assert_int_equal(run.restarts, 1);
    assert_true(run.answered >= 4);
  }
}

// Nobody takes an answer until every queue between the units and the memory is full.
static void test_full(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 2; i++) {
    begin(&run, 2000 + i, (offload_unit_params_t){16, 16, 48, true}, i ? Medium : Small,
          (rates_t){.request = 1000, .package = 1000, .read = 1000, .data = 1000});
    for (uint32_t c = 0; c < 6000; c++) {
      cycle(&run);
    }
    assert_int_equal(run.out.request_ready, 0);
    assert_false(run.cube_out.package_ready);
    assert_true(run.out.quiescent && run.cube_out.quiescent);
    assert_int_equal(run.answered, 0);
    run.rate.response = 1000;
    for (uint32_t c = 0; c < 1000; c++) {
      cycle(&run);
    }
    assert_false(run.out.response_ready);
    restart(&run);
    drain(&run);
    assert_true(run.answered >= 256);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {ENGINE_TEST(test_random), ENGINE_TEST(test_reset_anywhere),
                                     ENGINE_TEST(test_full)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
