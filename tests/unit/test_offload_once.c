// SPDX-License-Identifier: Apache-2.0
// No request is lost and none is answered twice: random traffic through the offloading unit, a
// link that delays and reorders, and a cube that fails reads and is reset under way. Each
// request carries a number that its answer must bring back to the slot that asked.
#include "csim/unit/atfim_package.h"
#include "csim/base/rng.h"
#include "unit_engine.h"

enum {
  MaxUnits = 64,
  MaxSlots = 32,
  MaxUnderWay = 8192,
  MaxRestarts = 200,  // fewer than there are epochs, so that none comes back within a run
};

// Shares in 1/1,000 of the cycles.
typedef struct {
  uint32_t request, package, arrive, serve, respond, answer, failed, restart;
} rates_t;

typedef struct {
  uint16_t id;
  uint8_t epoch;
  uint32_t number;
} message_t;

typedef struct {
  uint32_t count;
  message_t at[MaxUnderWay];
} heap_t;

typedef struct {
  rng_t rng;
  offload_unit_params_t p;
  rates_t rate;
  offload_unit_t unit;
  offload_unit_in_t in;
  offload_unit_out_t out;
  heap_t down, cube, up;  // packages on the link, in the cube; responses on the link
  uint8_t epoch;          // the cube's
  bool response_held;
  uint64_t held;          // units whose request waits
  uint32_t restarts, off;  // off: cycles until the cube is up again
  uint32_t numbers;       // given so far
  uint32_t asking[MaxUnits];
  uint32_t owed[MaxUnits][MaxSlots];  // number, 0: none
  uint32_t asked, answered, failed, lost, fullest;
} run_t;

static run_t run;

static void put(heap_t *h, message_t m) {
  assert_true(h->count < MaxUnderWay);
  h->at[h->count++] = m;
}

// Any of them: nothing relies on an order.
static message_t take(heap_t *h) {
  uint32_t i = rng_below(&run.rng, h->count);
  message_t m = h->at[i];
  h->at[i] = h->at[--h->count];
  return m;
}

static void texture_units(run_t *r) {
  r->in.request_valid = r->held;
  r->in.answer_ready = 0;
  for (uint32_t u = 0; u < r->p.units; u++) {
    uint64_t bit = UINT64_C(1) << u;
    if (!(r->held & bit) && rng_chance(&r->rng, r->rate.request)) {
      r->in.request_valid |= bit;
      r->asking[u] = ++r->numbers;
      r->in.request[u][0] = r->asking[u];
      r->in.request[u][AtfimRequestWords - 1] = ~r->asking[u];
    }
    if (rng_chance(&r->rng, r->rate.answer)) {
      r->in.answer_ready |= bit;
    }
  }
  r->held = r->in.request_valid & ~r->out.request_ready;
  for (uint64_t rest = r->in.request_valid & r->out.request_ready; rest; rest &= rest - 1) {
    uint32_t u = (uint32_t)__builtin_ctzll(rest), s = r->out.request_slot[u];
    assert_int_equal(r->owed[u][s], 0);
    r->owed[u][s] = r->asking[u];
    r->asked++;
  }
  uint64_t given = r->out.answer_valid & r->in.answer_ready;
  if (given) {
    uint32_t u = (uint32_t)__builtin_ctzll(given), s = r->out.answer_slot;
    assert_int_not_equal(r->owed[u][s], 0);
    assert_int_equal(r->out.answer_texel[0], r->owed[u][s]);
    assert_int_equal(r->out.answer_texel[AtfimParents - 1], ~r->owed[u][s]);
    r->failed += r->out.answer_failed != 0;
    r->owed[u][s] = 0;
    r->answered++;
  }
}

static void link_and_cube(run_t *r) {
  r->in.package_ready = rng_chance(&r->rng, r->rate.package);
  if (r->out.package_valid && r->in.package_ready) {
    const uint32_t *words = r->out.package;
    assert_int_equal(words[1], ~words[AtfimRequestWords]);
    put(&r->down, (message_t){words[0] >> 12 & 0x7ff, (uint8_t)(words[0] >> 24), words[1]});
  }
  if (r->down.count > 0 && rng_chance(&r->rng, r->rate.arrive)) {
    message_t m = take(&r->down);
    if (r->off == 0 && m.epoch == r->epoch) {
      put(&r->cube, m);
    } else {
      r->lost++;
    }
  }
  if (r->off == 0 && r->cube.count > 0 && rng_chance(&r->rng, r->rate.serve)) {
    put(&r->up, take(&r->cube));
  }
  if (!r->response_held) {
    r->in.response_valid = r->up.count > 0 && rng_chance(&r->rng, r->rate.respond);
    if (r->in.response_valid) {
      message_t m = take(&r->up);
      bool fails = rng_chance(&r->rng, r->rate.failed);
      atfim_response_t response = {.id = m.id, .epoch = m.epoch, .mask = 0x81,
                                   .failed = fails ? 0x81 : 0,
                                   .refused = fails && rng_chance(&r->rng, 500)};
      response.texel[0] = m.number;
      response.texel[AtfimParents - 1] = ~m.number;
      atfim_response_pack(&response, r->in.response);
    }
  }
  r->response_held = r->in.response_valid && !r->out.response_ready;
}

// Reset in any cycle loses what the cube has; what is on the link still arrives.
static void restarts(run_t *r) {
  r->in.reissue_valid = false;
  if (r->off > 0 && --r->off == 0) {
    r->epoch++;
    r->in.reissue_valid = true;
    r->in.reissue_epoch = r->epoch;
  } else if (r->off == 0 && r->restarts < MaxRestarts && rng_chance(&r->rng, r->rate.restart)) {
    r->restarts++;
    r->lost += r->cube.count;
    r->cube.count = 0;
    r->off = 1 + rng_below(&r->rng, rng_chance(&r->rng, 500) ? 3 : 80);
  }
}

static void cycle(run_t *r) {
  offload_unit_state_t s;
  restarts(r);
  texture_units(r);
  link_and_cube(r);
  assert_int_equal(r->unit.step(r->unit.self, &r->in, &r->out), UnitOk);
  assert_int_equal(r->out.error, OffloadUnitErrorNone);
  // A slot is in one state, and free exactly while nobody waits for it.
  r->unit.observe(r->unit.self, &s);
  uint32_t busy = 0;
  for (uint32_t u = 0; u < r->p.units; u++) {
    assert_int_equal(s.free[u] & s.pending[u], 0);
    assert_int_equal((s.free[u] | s.pending[u]) & s.waiting[u], 0);
    for (uint32_t i = 0; i < r->p.slots; i++) {
      assert_int_equal(s.free[u] >> i & 1, r->owed[u][i] == 0);
      busy += r->owed[u][i] != 0;
    }
  }
  r->fullest = busy > r->fullest ? busy : r->fullest;
}

static uint64_t counter(run_t *r, uint8_t index) {
  r->in.peek_valid = true;
  r->in.peek_index = index;
  cycle(r);
  r->in.peek_valid = false;
  return r->out.peek_data;
}

static void begin(run_t *r, uint64_t seed, offload_unit_params_t params, rates_t rate) {
  char error[HarnessErrorSize];
  memset(r, 0, sizeof *r);
  rng_seed(&r->rng, seed);
  r->p = params;
  r->rate = rate;
  if (!harness_offload_unit(engine, &params, 0, &r->unit, error)) {
    fail_msg("%s", error);
  }
  r->unit.reset(r->unit.self, &r->out);
}

// Nobody asks any more, nothing is held back and nothing reset: all answers come.
static void drain(run_t *r) {
  r->rate = (rates_t){.package = 1000, .arrive = 1000, .serve = 1000, .respond = 1000,
                      .answer = 1000, .failed = r->rate.failed};
  uint32_t most = 100 + 8 * r->p.units * r->p.slots + r->down.count + r->cube.count + r->up.count;
  for (uint32_t c = 0; c < most; c++) {
    cycle(r);
  }
  assert_int_equal(r->held, 0);
  assert_true(r->out.quiescent);
  assert_int_equal(r->down.count + r->cube.count + r->up.count, 0);
  assert_int_equal(r->answered, r->asked);
  for (uint32_t u = 0; u < r->p.units; u++) {
    for (uint32_t s = 0; s < r->p.slots; s++) {
      assert_int_equal(r->owed[u][s], 0);
    }
  }
  assert_int_equal(counter(r, OffloadUnitCounterRequests), r->asked);
  assert_int_equal(counter(r, OffloadUnitCounterResponses), r->asked);
  assert_int_equal(counter(r, OffloadUnitCounterPackages), r->asked + r->lost +
                                                        counter(r, OffloadUnitCounterDropped));
}

static const offload_unit_params_t Sets[] = {{16, 16, 48, true}, {1, 1, 48, true}, {5, 4, 48, true},
                                             {3, 1, 48, true}, {64, 32, 48, true}};
enum { SetCount = sizeof Sets / sizeof *Sets };

static rates_t random_rates(rng_t *r) {
  static const uint32_t some[] = {1000, 900, 500, 100, 20}, few[] = {0, 1, 5, 40};
  return (rates_t){.request = some[rng_below(r, 5)], .package = some[rng_below(r, 5)],
                   .arrive = some[rng_below(r, 5)], .serve = some[rng_below(r, 5)],
                   .respond = some[rng_below(r, 5)], .answer = some[rng_below(r, 5)],
                   .failed = some[rng_below(r, 5)] / 2, .restart = few[rng_below(r, 4)]};
}

static void test_random(void **state) {
  (void)state;
  uint32_t answered = 0, failed = 0, lost = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    rng_t choice;
    rng_seed(&choice, seed << 32);
    begin(&run, seed, Sets[seed % SetCount], random_rates(&choice));
    for (uint32_t c = 0; c < 3000; c++) {
      cycle(&run);
    }
    drain(&run);
    answered += run.answered;
    failed += run.failed;
    lost += run.lost;
  }
  // The runs meet what they are for.
  assert_true(answered > 10000 && failed > 1000 && lost > 1000);
}

// All buffers full before the first answer, and again after a reset of the cube that loses all.
static void test_full(void **state) {
  (void)state;
  for (uint32_t set = 0; set < SetCount; set++) {
    uint32_t slots = Sets[set].units * Sets[set].slots;
    begin(&run, 100 + set, Sets[set], (rates_t){.request = 1000, .package = 0});
    for (uint32_t c = 0; c < 100; c++) {
      cycle(&run);
    }
    assert_int_equal(run.fullest, slots);
    assert_int_equal(run.out.request_ready, 0);
    assert_true(run.out.quiescent);
    run.rate.package = run.rate.arrive = 1000;
    for (uint32_t c = 0; c < slots + 20; c++) {
      cycle(&run);
    }
    assert_int_equal(run.cube.count, slots);
    run.rate.restart = 1000;
    cycle(&run);
    run.rate.restart = 0;
    assert_int_equal(run.lost, slots);
    run.rate.serve = run.rate.respond = 1000;
    for (uint32_t c = 0; c < 2 * slots + 100; c++) {
      cycle(&run);
    }
    // Two answers fit; nobody takes them.
    assert_int_equal(run.answered, 0);
    assert_false(run.out.response_ready && slots > 1);
    drain(&run);
    assert_true(run.answered >= slots);
  }
}

// The cube is reset again and again, also in the cycle in which it has come up.
static void test_restarts(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    begin(&run, 200 + seed, Sets[seed % SetCount],
          (rates_t){.request = 500, .package = 900, .arrive = 300, .serve = 500, .respond = 700,
                    .answer = 900, .failed = 200, .restart = seed % 2 ? 1000 : 60});
    for (uint32_t c = 0; c < 4000 && run.restarts < MaxRestarts; c++) {
      cycle(&run);
    }
    assert_true(run.restarts > 50);
    drain(&run);
  }
}

// Each point of a short exchange in turn is the one where the cube is reset.
static void test_restart_anywhere(void **state) {
  (void)state;
  for (uint32_t at = 0; at < 40; at++) {
    for (uint32_t off = 1; off < 4; off++) {
      begin(&run, 300 + at, (offload_unit_params_t){2, 2, 48, true},
            (rates_t){.request = 1000, .package = 1000, .arrive = 1000, .serve = 1000,
                      .respond = 1000, .answer = at % 2 ? 1000 : 300});
      for (uint32_t c = 0; c < 60; c++) {
        if (c == at) {
          run.lost += run.cube.count;
          run.cube.count = 0;
          run.off = off + 1;
        }
        cycle(&run);
      }
      drain(&run);
      assert_int_equal(run.epoch, 1);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {ENGINE_TEST(test_random), ENGINE_TEST(test_full),
                                     ENGINE_TEST(test_restarts),
                                     ENGINE_TEST(test_restart_anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
