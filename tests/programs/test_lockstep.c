// SPDX-License-Identifier: Apache-2.0
// The comparison of the harness itself, without a simulator: a second golden model is the hardware.
// Each byte of each unit's outputs and state differs once, after a step and after a reset, and must
// be reported by its field. Each operation of the harness takes the clocks that it should. What is
// handed to the second thread is there what it was.
#include <stdio.h>

#include "tb/harness/lockstep.h"
#include "tb/harness/session.h"
#include "tb/harness/units.h"
#include "tests/programs/test.h"

enum { Resets = 300, StepsBetween = 6 };

extern const unit_model_t UnitModels[];

// The hardware: a golden model whose outputs or state are wrong in one byte.
typedef struct {
  instance_t *unit;
  void *golden;  // the typed engine
  uint8_t *wrong;
  bool in_reset;
  uint32_t resets, clocks, reset_clocks;
} hardware_t;

typedef struct {
  const unit_model_t *model;
  harness_t *harness;
  lockstep_t *lockstep;
  hardware_t hardware;
  uint8_t *in, *out, *members_in, *members_out, *members_state;
} bench_t;

static err_t err;

static void hardware_step(void *self, uint64_t time) {
  (void)time;
  hardware_t *h = self;
  const unit_info_t *info = h->unit->info;
  if (h->in_reset) {
    h->reset_clocks++;
    info->reset(h->golden, h->unit->rtl_out);
  } else {
    h->clocks++;
    info->step(h->golden, h->unit->context.in, h->unit->rtl_out);
  }
  if (info->observe) {
    info->observe(h->golden, h->unit->rtl_state);
  }
  if (h->wrong) {
    *h->wrong ^= 1;
  }
}

static void hardware_reset(void *self, int active) {
  hardware_t *h = self;
  assert_int_equal(h->in_reset, !active);
  h->in_reset = active;
  h->resets += active != 0;
}

static int hardware_unsettled(void *self) {
  (void)self;
  return 0;
}

static int hardware_stopped(void *self) {
  (void)self;
  return 0;
}

// behind: the hardware is clocked by a second thread.
static bench_t *create(const unit_model_t *model, bool behind) {
  const unit_info_t *info = model->info;
  bench_t *b = calloc(1, sizeof *b);
  assert_non_null(b);
  const harness_options_t options = {.engine = EngineGolden, .seed = 1, .unreported = true};
  b->model = model;
  b->harness = harness_create(&options);
  assert_non_null(b->harness);
  assert_true(harness_unit_create(b->harness, info, info->defaults, 0, NULL, &err));
  b->lockstep = harness_unit(b->harness, 0);
  instance_t *u = &b->lockstep->unit;
  b->hardware = (hardware_t){.unit = u, .golden = calloc(1, info->engine_size)};
  assert_true(model->create(info->defaults, b->hardware.golden));
  u->rtl.model = &b->hardware;
  u->rtl.step = hardware_step;
  u->rtl.reset = hardware_reset;
  u->rtl.stopped = hardware_stopped;
  u->rtl.unsettled = hardware_unsettled;
  u->has_rtl = true;
  if (behind) {
    b->harness->backlog = backlog_create(lockstep_check_record);
    assert_non_null(b->harness->backlog);
  }
  b->in = calloc(1, info->in_size);
  b->out = calloc(1, info->out_size);
  b->members_in = calloc(1, info->in_size);
  b->members_out = calloc(1, info->out_size);
  b->members_state = calloc(1, info->state_size + 1);
  info->members(b->members_in, b->members_out, b->members_state);
  lockstep_reset(b->lockstep, b->out);
  return b;
}

static void destroy(bench_t *b) {
  instance_t *u = &b->lockstep->unit;
  u->has_rtl = false;
  u->rtl = (rtl_model_t){0};
  b->model->destroy(b->hardware.golden);
  free(b->hardware.golden);
  harness_destroy(b->harness);
  free(b->in);
  free(b->out);
  free(b->members_in);
  free(b->members_out);
  free(b->members_state);
  free(b);
}

// The element that holds a byte.
static void name_of(const unit_field_t *fields, size_t byte, char *name, size_t size) {
  for (const unit_field_t *f = fields; f->name; f++) {
    if (byte >= f->offset && byte < f->offset + (size_t)f->size * f->count) {
      if (f->count > 1) {
        snprintf(name, size, "%s[%zu]", f->name, (byte - f->offset) / f->size);
      } else {
        snprintf(name, size, "%s", f->name);
      }
      return;
    }
  }
  fail_msg("byte %zu is in no field", byte);
}

// The report names this signal, and no other.
static void check_report(bench_t *b, const char *what, const char *name) {
  char expected[200];
  const char *report = harness_failure(b->harness);
  const char *signal = report ? strstr(report, "\n  signal ") : NULL;
  snprintf(expected, sizeof expected, "\n  signal %s: ", name);
  if (!report || !strstr(report, what) || !signal ||
      strncmp(signal, expected, strlen(expected)) != 0 || strstr(signal + 1, "\n  signal ")) {
    fail_msg("%s, %s: %s", b->model->info->name, name, report ? report : "not reported");
  }
  b->harness->report[0] = '\0';
  b->harness->failed = false;
  b->lockstep->failed = false;
}

// A wrong byte after a reset, and after a step.
static void wrong_byte(bench_t *b, const unit_field_t *fields, uint8_t *base, size_t byte) {
  char name[120];
  name_of(fields, byte, name, sizeof name);
  b->hardware.wrong = base + byte;
  // (A second clock would put it right.)
  lockstep_reset_for(b->lockstep, 1, b->out);
  check_report(b, ": golden and RTL differ after reset", name);
  b->hardware.wrong = NULL;
  lockstep_reset_for(b->lockstep, 1, b->out);
  assert_null(harness_failure(b->harness));
  b->hardware.wrong = base + byte;
  lockstep_step(b->lockstep, b->in, b->out);
  harness_settle(b->harness);
  check_report(b, ": golden and RTL differ after this step", name);
}

static void each_byte(bool behind) {
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    bench_t *b = create(m, behind);
    const instance_t *u = &b->lockstep->unit;
    uint32_t count = 0;
    for (size_t i = 0; i < m->info->out_size; i++) {
      if (b->members_out[i]) {
        wrong_byte(b, m->info->out, u->rtl_out, i);
        count++;
      }
    }
    for (size_t i = 0; m->info->observe && i < m->info->state_size; i++) {
      if (b->members_state[i]) {
        wrong_byte(b, m->info->state, u->rtl_state, i);
        count++;
      }
    }
    assert_true(count > 10);
    destroy(b);
  }
}

TEST(test_each_byte) { each_byte(false); }

TEST(test_each_byte_behind) { each_byte(true); }

// A step takes one clock, one more if it checks that a skipped clock changes nothing. A reset takes
// one to three, each of them now and then.
TEST(test_clocks) {
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    bench_t *b = create(m, false);
    hardware_t *h = &b->hardware;
    uint32_t seen[LockstepMaxReset + 1] = {0};
    uint64_t skips = 0;
    for (uint32_t i = 0; i < Resets; i++) {
      h->resets = h->reset_clocks = h->clocks = 0;
      lockstep_reset(b->lockstep, b->out);
      assert_int_equal(h->resets, 1);
      assert_false(h->in_reset);
      assert_int_equal(h->clocks, 0);
      assert_in_range(h->reset_clocks, 1, 3);
      assert_int_equal(h->reset_clocks, b->lockstep->unit.reset_clocks);
      seen[h->reset_clocks]++;
      for (uint32_t k = 0; k < StepsBetween; k++) {
        h->clocks = 0;
        assert_int_equal(lockstep_step(b->lockstep, b->in, b->out), UnitOk);
        assert_int_equal(h->clocks, 1 + b->lockstep->skips_checked - skips);
        skips = b->lockstep->skips_checked;
      }
      h->reset_clocks = 0;
      lockstep_reset_for(b->lockstep, 2, b->out);
      assert_int_equal(h->reset_clocks, 2);
    }
    assert_true(seen[1] > 5 && seen[2] > 5 && seen[3] > 5);
    assert_true(skips > 0);
    destroy(b);
  }
}

enum { Structs = 200, MostBytes = 5000, Steps = 50 };

// Steps that change some bytes, or none, arrive as they were; few bytes are written for few.
static void hand_over(const spans_t *s, rng_t *rng) {
  static uint8_t here[MostBytes], last[MostBytes], there[MostBytes], between[2 * MostBytes];
  assert_in_range(spans_most(s), s->size, sizeof between - 1);
  memset(here, 0, sizeof here);
  memset(last, 0, sizeof last);
  memset(there, 0, sizeof there);
  for (uint32_t i = 0; i < Steps; i++) {
    const uint32_t changes = i % 3 * rng_below(rng, 4);
    for (uint32_t k = 0; k < changes; k++) {
      here[rng_below(rng, s->size)] ^= (uint8_t)(1 + rng_below(rng, 255));
    }
    const size_t written = (size_t)(spans_pack(s, between, here, last) - between);
    assert_in_range(written, 0, spans_most(s));
    assert_int_equal(spans_unpack(s, there, between) - between, written);
    assert_memory_equal(there, here, s->size);
    assert_true(!s->count || written <= (s->count + SpansOfMask - 1) / SpansOfMask * 8 +
                                            changes * 2 * SpanBytes);
  }
}

TEST(test_spans) {
  spans_t s;
  rng_t rng;
  rng_seed(&rng, 1);
  for (uint32_t i = 1; i <= Structs; i++) {
    spans_whole(&s, i < Structs ? i : MostBytes);
    hand_over(&s, &rng);
  }
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    bench_t *b = create(m, false);
    spans_of(&s, m->info->in, b->lockstep->unit.dims, m->info->in_size);
    for (const unit_field_t *f = m->info->in; f->name; f++) {
      const uint32_t elements = unit_dim(b->lockstep->unit.dims, f->elements);
      for (uint32_t at = f->offset; at < f->offset + f->size * elements; at++) {
        bool found = s.count == 0;
        for (uint32_t i = 0; i < s.count; i++) {
          found |= at >= s.at[i] && at < s.at[i] + (uint32_t)SpanBytes;
        }
        assert_true(found);
      }
    }
    destroy(b);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
