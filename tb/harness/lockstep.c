// SPDX-License-Identifier: Apache-2.0
#include "lockstep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "coverage.h"
#include "csim/base/seconds.h"
#include "failure_report.h"
#include "session.h"
#include "vectors.h"

// A step for the second thread: this header, then the state, and what changed of inputs and
// outputs.
typedef struct {
  lockstep_t *unit;  // NULL: the step failed
  uint64_t cycle;
} record_t;

static size_t most_of_record(const lockstep_t *l) {
  return sizeof(record_t) + l->unit.info->state_size + spans_most(&l->in_spans) +
         spans_most(&l->out_spans);
}

enum { SkipChecks = 8 };  // of 1000 steps that follow a quiescent one

engine_e harness_engine(const harness_t *h) { return h->options.engine; }

lockstep_t *harness_unit(const harness_t *h, uint32_t i) {
  return i < h->count ? h->units[i] : NULL;
}

const harness_own_t *harness_own(const harness_t *h, const char *unit) {
  const harness_options_t *o = &h->options;
  for (uint32_t i = 0; i < o->own_count; i++) {
    if (strcmp(o->own[i].unit, unit) == 0) {
      return &o->own[i];
    }
  }
  return NULL;
}

uint64_t lockstep_clock(const lockstep_t *l) {
  const uint64_t *clock = l->harness->options.clock;
  return clock ? *clock : l->unit.steps;
}

// ---- Making one ----

static bool wants_waves(const harness_t *h, const unit_info_t *info, uint32_t instance) {
  const harness_options_t *o = &h->options;
  return o->waves && o->engine != EngineGates && !h->waves.unit &&
         (!o->waves_unit ||
          (instance == o->waves_instance && strcmp(o->waves_unit, info->name) == 0));
}

// The hardware, in the build kind that the run wants.
static bool open_rtl(lockstep_t *l, err_t *err) {
  harness_t *h = l->harness;
  instance_t *u = &l->unit;
  l->is_tracing = wants_waves(h, u->info, u->number);
  const char *kind = h->options.rtl_kind                ? h->options.rtl_kind
                     : h->options.engine == EngineGates ? "gates"
                     : l->is_tracing                    ? coverage_trace_kind()
                     : getenv("NOCTURNE_MUTANT")        ? "mutants"
                                                        : coverage_kind(u->info->name, u->params);
  double before = seconds_wall();
  bool ok = instance_open_rtl(u, kind, h->options.seed + u->number + 1, &h->lacking, err);
  h->build_seconds += seconds_wall() - before;
  if (!ok) {
    return false;
  }
  if (l->is_tracing) {
    h->waves = (waves_t){.path = h->options.waves,
                         .from = h->options.from,
                         .to = h->options.to,
                         .unit = u,
                         .failure = &h->failure,
                         .is_wanted = true};
  }
  return true;
}

// Its vectors, if they are wanted.
static bool open_record(lockstep_t *l, err_t *err) {
  const char *folder = l->harness->options.record;
  if (!folder) {
    return true;
  }
  char path[512];
  mkdir(folder, 0777);
  snprintf(path, sizeof path, "%s/%s-%u.vec", folder, l->unit.info->name, l->unit.number);
  return lockstep_record(l, path, err);
}

lockstep_t *lockstep_create(harness_t *h, const unit_model_t *model, uint32_t instance,
                            const void *params, void *golden, err_t *err) {
  const unit_info_t *info = model->info;
  lockstep_t *l = h->count < SessionMaxInstances ? calloc(1, sizeof *l) : NULL;
  err_set(err, ErrMachine, "out of memory");
  if (!l) {
    if (golden) {
      model->destroy(golden);
      free(golden);
    }
    return NULL;
  }
  h->units[h->count++] = l;
  l->harness = h;
  if (!instance_open(&l->unit, model, instance, params, h->options.engine, golden, err)) {
    return NULL;
  }
  // (A user's model may set elements that the hardware does not have, which is a mismatch.)
  const bool own = harness_own(h, info->name) != NULL;
  spans_of(&l->in_spans, info->in, l->unit.dims, info->in_size);
  if (own) {
    spans_whole(&l->out_spans, info->out_size);
  } else {
    spans_of(&l->out_spans, info->out, l->unit.dims, info->out_size);
  }
  l->in = calloc(1, info->in_size);
  l->out = calloc(1, info->out_size);
  l->sent_in = calloc(1, info->in_size);
  l->sent_out = calloc(1, info->out_size);
  if (!l->in || !l->out || !l->sent_in || !l->sent_out) {
    return NULL;
  }
  if (most_of_record(l) > BacklogMaxRecord) {
    err_set(err, ErrInput, "a step of %s is more than BacklogMaxRecord", info->name);
    return NULL;
  }
  rng_seed(&l->rng, h->options.seed ^ (uint64_t)instance << 32 ^ rng_name(info->name));
  rng_seed(&l->resets, l->rng.state ^ rng_name("reset"));
  if (l->unit.has_rtl && !open_rtl(l, err)) {
    return NULL;
  }
  while (l->observer_count < h->observer_count) {
    l->observers[l->observer_count] = &h->observers[l->observer_count];
    l->observer_count++;
  }
  err_free(err);
  return open_record(l, err) ? l : NULL;
}

bool lockstep_record(lockstep_t *l, const char *path, err_t *err) {
  if (!vectors_record(&l->recorder, &l->unit, path, err)) {
    return false;
  }
  l->observers[l->observer_count++] = &l->recorder;
  return true;
}

bool lockstep_end_record(lockstep_t *l, err_t *err) {
  const observer_t recorder = l->recorder;
  if (!recorder.self) {
    return true;
  }
  l->recorder.self = NULL;
  l->observer_count--;
  return recorder.close(recorder.self, &l->harness->failure, err);
}

void lockstep_destroy(lockstep_t *l) {
  lockstep_end_record(l, NULL);
  instance_close(&l->unit);
  free(l->kept);
  free(l->in);
  free(l->out);
  free(l->sent_in);
  free(l->sent_out);
  free(l);
}

// ---- Failures ----

// The command that runs to the end of a window around this cycle. A netlist has no waves; of two
// engines in a command the last counts.
static void put_waves_command(harness_t *h, const instance_t *u) {
  const harness_options_t *o = &h->options;
  uint64_t before = o->before || o->after ? o->before : 200;
  uint64_t after = o->before || o->after ? o->after : 20;
  uint64_t from = u->cycle > before ? u->cycle - before : 0;
  snprintf(h->waves_command, sizeof h->waves_command,
           "%s%s --waves build/waves/%s-%u.fst --waves-unit %s:%u --from %" PRIu64 " --to %" PRIu64
           "%s",
           o->command ? o->command : "", instance_has_netlist(u) ? " --engine lockstep" : "",
           u->info->name, u->number, u->info->name, u->number, from, u->cycle + after,
           h->count > 1 ? " --system-waves build/waves/system.vcd" : "");
}

// assertion: the model's message, or NULL.
static void fail(lockstep_t *l, const char *class, const char *what, const void *expected,
                 const void *actual, const char *assertion) {
  harness_t *h = l->harness;
  l->mismatches++;
  atomic_store(&h->failed, true);
  if (l->failed) {
    return;
  }
  l->failed = true;
  l->failure = (failure_t){.class = class,
                           .unit = &l->unit,
                           .cycle = l->unit.cycle,
                           .difference = compare_first(&l->unit, expected, actual)};
  if (assertion) {
    assertion_read(assertion, &l->failure.assertion);
  }
  if (h->report[0] || l->quiet) {
    return;
  }
  h->failure = l->failure;
  put_waves_command(h, &l->unit);
  const failure_report_t r = {what, expected, actual, h->options.seed, h->waves_command};
  failure_report_write(&h->failure, &r, h->report, sizeof h->report);
  if (!h->options.unreported) {
    failure_report_store(&h->failure, &r, h->report);
  }
}

static void mismatch(lockstep_t *l, const char *rtl, const char *netlist, const void *out,
                     const char *assertion) {
  fail(l, "MISMATCH", instance_has_netlist(&l->unit) ? netlist : rtl, out, l->unit.rtl_out,
       assertion);
}

// ---- The clock ----

// A machine skips the clocks of a quiescent unit. Clocks a few of those in the RTL before the
// next step: nothing may change.
static void check_skip(lockstep_t *l) {
  instance_t *u = &l->unit;
  if (!u->has_rtl || !u->has_golden || !u->was_quiescent || !rng_chance(&l->rng, SkipChecks)) {
    return;
  }
  l->skips_checked++;
  memcpy(u->last_out, u->rtl_out, u->info->out_size);
  // In a cycle that was skipped, if there was one.
  instance_clock_rtl(u, u->last_in, u->cycle ? u->cycle - 1 : 0);
  if (!compare_agrees(u, u->last_out)) {
    fail(l, "MISMATCH", "a clock while quiescent changed something", u->last_out, u->rtl_out, NULL);
  }
}

static void keep(lockstep_t *l, const void *in) {
  size_t size = l->unit.info->in_size;
  if (!l->kept) {
    l->kept = malloc(l->harness->options.keep_steps * size);
  }
  if (l->kept) {
    memcpy(l->kept + l->kept_count++ * size, in, size);
  }
}

// Reports logic that does not settle, with the places of its loops. Returns false if it settles.
static bool check_loop(lockstep_t *l) {
  const rtl_model_t *rtl = &l->unit.rtl;
  if (l->failed || !rtl->unsettled(rtl->model)) {
    return l->failed;
  }
  text_t what = {0};
  text_put(&what, "a combinational loop does not settle: ");
  rtl_model_loops(rtl, &what);
  fail(l, "LOOP", text_string(&what), NULL, NULL, NULL);
  text_free(&what);
  return true;
}

// Clocks the RTL and compares it with the golden model's outputs and state after the same step;
// without a golden model the outputs are the RTL's. False: it stopped.
static bool check_rtl(lockstep_t *l, const void *in, void *out) {
  instance_t *u = &l->unit;
  instance_clock_rtl(u, in, u->cycle);
  bool has_stopped = u->rtl.stopped(u->rtl.model);
  if (has_stopped && check_loop(l)) {
    return false;
  }
  const char *assertion = has_stopped ? u->rtl.message(u->rtl.model) : NULL;
  if (!u->has_golden) {
    memcpy(out, u->rtl_out, u->info->out_size);
  }
  l->cycles_compared += u->has_golden;
  if (u->has_golden && !compare_agrees(u, out)) {
    mismatch(l, "golden and RTL differ after this step",
             "golden and netlist differ after this step", out, assertion);
  } else if (has_stopped) {
    fail(l, "ASSERT", "an assertion failed", NULL, NULL, assertion);
  }
  return !has_stopped;
}

// The step of the hardware, if there is any, and of all that watches. out: golden's outputs.
static unit_status_e check_step(lockstep_t *l, const void *in, void *out) {
  instance_t *u = &l->unit;
  uint64_t step = u->steps++;
  step_log_put_in(&u->log, step, u->cycle, in);
  if (l->kept_count < l->harness->options.keep_steps) {
    keep(l, in);
  }
  if (l->is_tracing) {
    waves_step(&l->harness->waves);
    l->is_tracing = l->harness->waves.is_wanted;
  }
  bool has_stopped = u->has_rtl && !check_rtl(l, in, out);
  step_log_put_out(&u->log, step, out);
  for (uint32_t i = 0; i < l->observer_count; i++) {
    const observer_t *o = l->observers[i];
    o->step(o->self, u, in, step_log_out(&u->log, step - 1), out);
  }
  u->was_quiescent = *((const bool *)out + u->info->quiescent);
  if (u->was_quiescent && u->has_rtl && u->has_golden) {
    memcpy(u->last_in, in, u->info->in_size);
  }
  // With waves the run goes on past the failure to the end of the window.
  return l->is_tracing || !l->failed ? UnitOk : has_stopped ? UnitStopped : UnitMismatch;
}

void lockstep_check_record(const void *record) {
  const record_t *r = record;
  lockstep_t *l = r->unit;
  if (!l || atomic_load(&l->harness->failed)) {
    return;
  }
  const uint8_t *bytes = (const uint8_t *)record + sizeof *r;
  l->unit.cycle = r->cycle;
  check_skip(l);
  memcpy(l->unit.golden_state, bytes, l->unit.info->state_size);
  bytes = spans_unpack(&l->in_spans, l->in, bytes + l->unit.info->state_size);
  spans_unpack(&l->out_spans, l->out, bytes);
  check_step(l, l->in, l->out);
}

unit_status_e lockstep_refuse(lockstep_t *l, const char *class, const char *what) {
  if (l->harness->backlog) {
    backlog_drain(l->harness->backlog);
  }
  if (!atomic_load(&l->harness->failed)) {
    l->unit.cycle = lockstep_clock(l);
    fail(l, class, what, NULL, NULL, NULL);
  }
  return UnitStopped;
}

// The step in which a user's golden model failed.
static unit_status_e refuse_step(lockstep_t *l) {
  const harness_own_t *own = harness_own(l->harness, l->unit.info->name);
  return lockstep_refuse(l, "LIBRARY",
                         own && own->failure ? own->failure : "the golden model stopped");
}

static unit_status_e step_behind(lockstep_t *l, const void *in, void *out) {
  const unit_info_t *info = l->unit.info;
  record_t *r = backlog_put(l->harness->backlog, most_of_record(l));
  *r = (record_t){l, lockstep_clock(l)};
  uint8_t *state = (uint8_t *)(r + 1), *bytes = state + info->state_size;
  bytes = spans_pack(&l->in_spans, bytes, in, l->sent_in);
  if (info->step(l->unit.golden, in, out) != UnitOk) {
    r->unit = NULL;
    return refuse_step(l);
  }
  bytes = spans_pack(&l->out_spans, bytes, out, l->sent_out);
  backlog_trim(l->harness->backlog, r, (size_t)(bytes - (uint8_t *)r));
  if (info->observe) {
    info->observe(l->unit.golden, state);
  }
  return atomic_load(&l->harness->failed) ? UnitMismatch : UnitOk;
}

unit_status_e lockstep_step(lockstep_t *l, const void *in, void *out) {
  if (l->harness->backlog) {
    return step_behind(l, in, out);
  }
  l->unit.cycle = lockstep_clock(l);
  check_skip(l);
  if (l->unit.has_golden && instance_clock_golden(&l->unit, in, out) != UnitOk) {
    return refuse_step(l);
  }
  return check_step(l, in, out);
}

void lockstep_reset_for(lockstep_t *l, uint32_t clocks, void *out) {
  instance_t *u = &l->unit;
  if (l->harness->backlog) {
    backlog_drain(l->harness->backlog);
  }
  l->kept_from = l->kept_count;
  u->cycle = lockstep_clock(l);
  instance_reset(u, clocks, out);
  if (u->has_rtl && check_loop(l)) {
    return;
  }
  if (u->has_golden && u->has_rtl && !compare_agrees(u, out)) {
    mismatch(l, "golden and RTL differ after reset", "golden and netlist differ after reset", out,
             NULL);
  }
  // The outputs that the next step's inputs meet; before the first step the last entry of the log
  // is free.
  step_log_put_out(&u->log, u->steps - 1, out);
  for (uint32_t i = 0; i < l->observer_count; i++) {
    l->observers[i]->reset(l->observers[i]->self, u, out);
  }
}

void lockstep_reset(lockstep_t *l, void *out) {
  lockstep_reset_for(l, 1 + rng_below(&l->resets, LockstepMaxReset), out);
}

void lockstep_observe(lockstep_t *l, void *state) { instance_observe(&l->unit, state); }
