// SPDX-License-Identifier: Apache-2.0
// Directed tests of the DASH scheduler, from docs/units/dash_scheduler.md.
#include "tests/programs/unit_engine.h"

enum { Cpus = 4, Ips = 2, Unit = 4, Switch = 2, Shuffle = 3, Quantum = 16, Rest = 3 * Cpus };

static dash_scheduler_t unit;
static dash_scheduler_in_t in;
static dash_scheduler_out_t out;
static dash_scheduler_state_t now;
static uint32_t ticked;

static void begin(void) {
  err_auto_t err = {0};
  const dash_scheduler_params_t params = {Cpus, Ips, 2, 10, 8, Unit, Switch, Shuffle, Quantum};
  if (!harness_dash_scheduler(engine, &params, &unit, &err)) {
    fail_msg("%s", err_text(&err));
  }
  memset(&in, 0, sizeof in);
  in.factor = 150;
  in.threshold[0] = in.threshold[1] = 800;
  ticked = 0;
  unit.reset(unit.self, &out);
}

// Pins hold for good, all else for one step.
static void step(void) {
  assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
  in.tick = in.start_valid = false;
  in.finish = in.served_valid = 0;
  unit.observe(unit.self, &now);
}

ENGINE_STEPS(steps)

static void ticks(uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    in.tick = true;
    step();
    ticked++;
    steps(Rest);
  }
}

static void start(uint32_t ip, uint32_t expected, uint32_t period) {
  in.start_valid = true;
  in.start_ip = (uint8_t)ip;
  in.start_expected = expected;
  in.start_period = period;
  step();
}

// Two channels, so two accesses a step.
static void serve(uint32_t source, uint32_t count) {
  for (uint32_t i = 0; i < count; i += 2) {
    in.served_valid = i + 1 < count ? 3 : 1;
    in.served_source[0] = in.served_source[1] = (uint8_t)source;
    step();
  }
}

static void expect_ranks(const char *ranks) {  // a digit for each source
  step();
  for (uint32_t s = 0; s < Cpus + Ips; s++) {
    assert_int_equal(now.rank[s], ranks[s] - '0');
  }
}

ENGINE_TEST(test_reset) {
  begin();
  unit.observe(unit.self, &now);
  for (uint32_t s = 0; s < Cpus + Ips; s++) {
    assert_int_equal(now.rank[s], s);
  }
  assert_false(out.quiescent);  // before rank is that of the state
  expect_ranks("234501");
  assert_true(out.quiescent);
  assert_int_equal(now.intensive, 15);
}

ENGINE_TEST(test_late) {
  begin();
  start(1, 100, 10);
  start(0, 100, 20);
  assert_int_equal(now.active, 3);
  expect_ranks("234510");  // the earlier deadline first
  ticks(7);
  assert_int_equal(now.urgent, 0);
  in.tick = true;
  step();  // 8 of 10 are 800 of 1,000, which is not above the threshold
  steps(Rest);
  assert_int_equal(now.urgent, 0);
  ticks(3);
  in.tick = true;
  step();
  steps(3);
  assert_int_equal(now.urgent, 0);
  step();  // IP 1 is judged 4 cycles after the tick
  assert_int_equal(now.urgent, 2);
  expect_ranks("234510");
  in.finish = 2;
  step();
  assert_int_equal(now.urgent, 0);
  assert_int_equal(now.active, 1);
}

ENGINE_TEST(test_progress) {
  begin();
  in.progress = true;
  start(0, 20, 40);
  ticks(Unit);  // served x 40 <= 4 x 20
  assert_int_equal(now.urgent, 1);
  serve(Cpus, 3);
  ticks(Unit);  // 3 x 40 <= 8 x 20
  assert_int_equal(now.urgent, 1);
  serve(Cpus, 1);
  ticks(Unit - 1);
  serve(Cpus, 3);
  ticks(1);  // 7 x 40 > 12 x 20
  assert_int_equal(now.urgent, 0);
  serve(Cpus, 1);
  ticks(Unit);  // 8 x 40 = 16 x 20 is behind
  assert_int_equal(now.urgent, 1);
  in.progress = false;
  ticks(Unit);
  assert_int_equal(now.urgent, 0);
}

// A start or finish in one of its two cycles cancels the judging.
ENGINE_TEST(test_cancel) {
  for (uint32_t i = 0; i < 10; i++) {
    const uint32_t judged = i % 2, wait = i / 2;
    begin();
    in.progress = true;
    start(judged, 20, 40);
    ticks(Unit - 1);
    in.tick = true;
    step();
    steps(wait);
    start(0, 20, 40);
    steps(Rest);
    assert_int_equal(now.urgent, 2 * judged);
    assert_int_equal(now.active, 1 | 2 * judged);
  }
}

static void pass_quantum(void) { ticks(Quantum - ticked % Quantum); }

ENGINE_TEST(test_probability) {
  begin();
  start(0, 1000, 100);
  serve(Cpus, 1000 / 2);
  ticks(Quantum - 2);
  assert_int_equal(now.probability[0], 0);  // not in the first quantum
  pass_quantum();
  ticks(Switch * 3);
  const uint32_t before = now.probability[0];
  assert_true(before >= 3);
  ticks(Switch);
  assert_int_equal(now.probability[0], before + 1);
  assert_int_equal(now.probability[1], 0);
  start(0, 1000, 100);
  ticks(Switch);
  assert_int_equal(now.probability[0], before < 4 ? 0 : before - 4);
  ticks(Switch);
  assert_int_equal(now.probability[0], 0);  // not below
  // At 100 the IP goes behind the intensive CPUs whatever is drawn.
  for (uint32_t i = 0; i < 101; i++) {
    for (uint32_t ip = 0; ip < Ips && i % 20 == 0; ip++) {
      start(ip, 1023, 255);
      serve(Cpus + ip, 1020);
    }
    ticks(Switch);
  }
  assert_int_equal(now.probability[0], 100);
  assert_int_equal(now.probability[1], 100);
  expect_ranks("012345");
}

// The traffic is 40, 10, 10, 40: with a factor of 0.2 two CPUs, by MPKI, are not intensive.
static void cluster(bool all, uint32_t ip_accesses) {
  const uint16_t mpki[] = {9, 3, 2, 30};
  begin();
  in.factor = 200;
  in.all = all;
  memcpy(in.mpki, mpki, sizeof mpki);
  serve(0, 40);
  serve(1, 10);
  serve(2, 10);
  serve(3, 40);
  serve(Cpus + 1, ip_accesses);
  ticks(Quantum - 1);
  assert_int_equal(now.intensive, 15);
  in.tick = true;
  step();
}

ENGINE_TEST(test_clusters) {
  cluster(false, 60);
  steps(2);
  assert_int_equal(now.order[2], 2);
  step();  // the first one is judged 3 cycles after the tick
  assert_int_equal(now.order[2], 0);
  assert_int_equal(now.intensive, 11);
  steps(Rest - 3);
  assert_int_equal(now.intensive, 9);
  assert_int_equal(now.order[0], 2);
  assert_int_equal(now.order[1], 1);
  assert_int_equal(now.order[3], 3);
  // With the IPs' 200 accesses in the total 60 of 300 are not above 0.2.
  cluster(true, 200);
  steps(Rest);
  assert_int_equal(now.intensive, 8);
  // Without traffic nobody is intensive, and of equal MPKI the lower number goes first.
  memset(in.mpki, 0, sizeof in.mpki);
  ticked = 0;
  ticks(Quantum);
  assert_int_equal(now.intensive, 0);
  for (uint32_t c = 0; c < Cpus; c++) {
    assert_int_equal(now.order[c], c);
  }
  expect_ranks("012345");
}

// Counts and times stay at their most.
ENGINE_TEST(test_saturates) {
  cluster(true, 0);
  memset(in.mpki, 0xff, sizeof in.mpki);
  in.threshold[0] = in.threshold[1] = 999;
  steps(Rest);
  ticked = Quantum;
  start(0, 1023, 255);
  start(1, 1023, 255);
  for (uint32_t s = 0; s < Cpus + Ips; s++) {
    serve(s, 1100);
  }
  pass_quantum();
  assert_int_equal(now.intensive, 14);  // 1,023 of 6,138 are not above 0.2, 2,046 are
  in.mpki[1] = 0;
  serve(0, 1100);
  serve(1, 256);
  pass_quantum();
  assert_int_equal(now.intensive, 15);  // 256 are above 0.2 of 1,279, not of 1,356
  for (uint32_t c = 0; c < Cpus; c++) {
    in.mpki[c] = (uint16_t)(Cpus - c);
    serve(c, c > 0 ? 1100 : 0);
  }
  start(1, 1023, 255);
  serve(Cpus + 1, 5);
  pass_quantum();
  for (uint32_t c = 0; c < Cpus; c++) {
    assert_int_equal(now.order[c], Cpus - 1 - c);
  }
  ticks(300);
  assert_int_equal(now.urgent, 3);  // 255 of 255 ticks are above 999 of 1,000
}

ENGINE_TEST(test_shuffle) {
  begin();
  ticks(Shuffle - 1);
  expect_ranks("234501");
  ticks(1);
  expect_ranks("523401");
  ticks(Shuffle);
  expect_ranks("452301");
  ticks(2 * Shuffle);
  expect_ranks("234501");
}

// Start and finish go before the accesses and the tick of their cycle.
ENGINE_TEST(test_same_cycle) {
  begin();
  in.progress = true;
  in.served_valid = 3;
  in.served_source[0] = in.served_source[1] = Cpus;
  in.tick = true;
  start(0, 2, 255);
  ticked = 1;
  steps(Rest);
  ticks(Unit - 1);
  assert_int_equal(now.urgent, 1);  // served is 0
  in.finish = 1;
  start(0, 2, 255);
  assert_int_equal(now.active, 1);
  assert_int_equal(out.error, DashSchedulerErrorNone);
  in.finish = 1;
  step();
  assert_int_equal(now.active, 0);
}

ENGINE_TEST(test_errors) {
  const uint32_t starts[][3] = {{Ips, 1, 1}, {3, 1, 1}, {0, 0, 1}, {0, 1, 0}};
  for (uint32_t i = 0; i < 4; i++) {
    begin();
    start(starts[i][0], starts[i][1], starts[i][2]);
    assert_int_equal(out.error, DashSchedulerErrorStart);
    assert_int_equal(now.active, 0);
  }
  begin();
  serve(Cpus + Ips, 1);
  assert_int_equal(out.error, DashSchedulerErrorServed);
  begin();
  in.finish = 2;
  step();
  assert_int_equal(out.error, DashSchedulerErrorFinish);
  begin();
  ticks(Switch);
  assert_int_equal(out.error, DashSchedulerErrorNone);
  ticks(Switch - 1);
  in.tick = true;
  step();
  in.tick = true;  // an evaluation is under way
  step();
  assert_int_equal(out.error, DashSchedulerErrorTick);
  begin();
  in.finish = 1;
  in.served_valid = 2;
  in.served_source[1] = 15;
  step();
  assert_int_equal(out.error, DashSchedulerErrorServed);  // the lowest
  start(0, 0, 0);
  assert_int_equal(out.error, DashSchedulerErrorServed);  // the first
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, DashSchedulerErrorNone);
}

ENGINE_TEST(test_params) {
  const dash_scheduler_params_t good = {Cpus, Ips, 2, 10, 8, Unit, Switch, Shuffle, Quantum};
  const uint32_t wrong[][2] = {{0, 9},    {0, 5},    {0, 5},    {7, 25},      {5, 21},
                               {1, 1001}, {1, 1001}, {0, 1001}, {15, 1000001}};
  err_auto_t err = {0};
  for (uint32_t i = 0; i < 18; i++) {
    dash_scheduler_params_t p = good;
    memcpy((char *)&p + 4 * (i / 2), &wrong[i / 2][i % 2], 4);
    assert_false(harness_dash_scheduler(engine, &p, &unit, &err));
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
