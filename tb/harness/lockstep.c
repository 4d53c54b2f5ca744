#include "lockstep.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backlog.h"
#include "coverage.h"
#include "failure.h"
#include "rtl_model.h"
#include "save_file.h"
#include "system_waves.h"

// A step for the second thread: this header, then inputs, outputs and state after it.
typedef struct {
  lockstep_t *unit;
  uint64_t cycle;
} record_t;

enum { MaxInstances = 256, SkipChecks = 8 };  // of 1000 steps that follow a quiescent one

struct harness {
  harness_options_t options;
  lockstep_t *units[MaxInstances];
  uint32_t count;
  bool lacking, waves_given;
  backlog_t *backlog;   // NULL: the RTL is clocked at once
  atomic_bool failed;   // seen by both threads
  FILE *transactions;   // NULL: no log
  system_waves_t *system_waves;  // likewise
  lockstep_failure_t failure;  // the first one, if report is not empty
  char report[16384], waves_command[4096];
  char output_error[HarnessErrorSize];  // why waves or vectors are missing
};

const char *engine_name(engine_e engine) {
  static const char *const names[] = {"golden", "rtl", "lockstep", "gates"};
  return names[engine];
}

engine_e harness_engine(const harness_t *h) { return h->options.engine; }
lockstep_t *harness_unit(const harness_t *h, uint32_t i) { return i < h->count ? h->units[i] : NULL; }
const char *harness_record(const harness_t *h) { return h->options.record; }
bool harness_lacking(const harness_t *h) { return h->lacking; }
const char *harness_failure(const harness_t *h) { return h->report[0] ? h->report : NULL; }

const char *harness_waves_command(const harness_t *h) {
  return h->waves_command[0] ? h->waves_command : NULL;
}

static void check_record(const void *record);
static void lockstep_destroy(lockstep_t *l);

static void make_folders(void) {
  mkdir("build", 0777);
  mkdir("build/waves", 0777);
}

harness_t *harness_create(const harness_options_t *options) {
  harness_t *h = calloc(1, sizeof *h);
  if (!h) {
    return NULL;
  }
  h->options = *options;
  if (options->log && !(h->transactions = fopen(options->log, "w"))) {
    snprintf(h->output_error, HarnessErrorSize, "%.150s: the log cannot be written: %.60s",
             options->log, strerror(errno));
  }
  if (options->system_waves) {
    make_folders();
    h->system_waves = system_waves_open(options->system_waves, options->from, options->to);
    if (!h->system_waves) {
      snprintf(h->output_error, HarnessErrorSize, "%.150s: the waves cannot be written: %.60s",
               options->system_waves, strerror(errno));
    }
  }
  if (options->behind && options->engine >= EngineLockstep && !options->waves &&
      !options->record && options->keep_steps == 0) {
    h->backlog = backlog_create(check_record);
  }
  return h;
}

bool harness_settle(harness_t *h) {
  if (h->backlog) {
    backlog_drain(h->backlog);
  }
  return !atomic_load(&h->failed);
}

static void close_transactions(harness_t *h) {
  bool is_whole = h->transactions && !ferror(h->transactions);
  if (h->transactions && (fclose(h->transactions) != 0 || !is_whole)) {
    snprintf(h->output_error, HarnessErrorSize, "%.150s: the log is incomplete: disk full?",
             h->options.log);
  }
  h->transactions = NULL;
}

static void close_system_waves(harness_t *h) {
  if (h->system_waves &&
      !system_waves_close(h->system_waves, h->report[0] ? &h->failure : NULL)) {
    snprintf(h->output_error, HarnessErrorSize, "%.150s: the waves are incomplete: disk full?",
             h->options.system_waves);
  }
  h->system_waves = NULL;
}

void harness_destroy(harness_t *h) {
  if (h) {
    backlog_destroy(h->backlog);
    close_system_waves(h);
  }
  for (uint32_t i = 0; h && i < h->count; i++) {
    lockstep_destroy(h->units[i]);
  }
  if (h) {
    close_transactions(h);
  }
  free(h);
}

uint32_t harness_stats(const harness_t *h, harness_unit_stats_t *stats, uint32_t max) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < h->count; i++) {
    const lockstep_t *l = h->units[i];
    uint32_t k = 0;
    while (k < n && strcmp(stats[k].name, l->info->name) != 0) {
      k++;
    }
    if (k == max) {
      continue;
    }
    if (k == n) {
      stats[n++] = (harness_unit_stats_t){.name = l->info->name};
    }
    stats[k].instances++;
    stats[k].steps += l->steps;
    stats[k].cycles_compared += l->cycles_compared;
    stats[k].mismatches += l->mismatches;
    stats[k].skips_checked += l->skips_checked;
  }
  return n;
}

static uint64_t clock_of(const lockstep_t *l) {
  const uint64_t *clock = l->harness->options.clock;
  return clock ? *clock : l->steps;
}

static bool wants_waves(const harness_t *h, const unit_info_t *info, uint32_t instance) {
  const harness_options_t *o = &h->options;
  return o->waves && !h->waves_given &&
         (!o->waves_unit ||
          (instance == o->waves_instance && strcmp(o->waves_unit, info->name) == 0));
}

static void close_waves(lockstep_t *l);

static void *zeroed(size_t size) { return calloc(1, size ? size : 1); }

lockstep_t *lockstep_create(harness_t *h, const unit_info_t *info, uint32_t instance,
                            const char *params, void *golden, char error[HarnessErrorSize]) {
  lockstep_t *l = calloc(1, sizeof *l);
  snprintf(error, HarnessErrorSize, "out of memory");
  if (!l || h->count == MaxInstances) {
    free(l);
    return NULL;
  }
  l->harness = h;
  l->info = info;
  l->instance = instance;
  l->golden = golden;
  l->has_golden = h->options.engine != EngineRtl;
  l->has_rtl = h->options.engine != EngineGolden;
  l->rtl_out = zeroed(info->out_size);
  l->rtl_state = zeroed(info->state_size);
  l->golden_state = zeroed(info->state_size);
  l->last_in = zeroed(info->in_size);
  l->last_out = zeroed(info->out_size);
  l->log = calloc(LockstepLog, info->in_size + info->out_size);
  snprintf(l->params, sizeof l->params, "%s", params);
  h->units[h->count++] = l;
  if (!l->rtl_out || !l->rtl_state || !l->golden_state || !l->last_in || !l->last_out || !l->log) {
    return NULL;
  }
  if (sizeof(record_t) + info->in_size + info->out_size + info->state_size > BacklogMaxRecord) {
    snprintf(error, HarnessErrorSize, "a step of %s is more than BacklogMaxRecord", info->name);
    return NULL;
  }
  rng_seed(&l->rng, h->options.seed ^ ((uint64_t)instance << 32) ^ info->in_size);
  if (l->has_rtl) {
    l->tracing = h->options.engine != EngineGates && wants_waves(h, info, instance);
    l->context = (dpi_context_t){l->last_in, l->rtl_out, l->rtl_state};
    const char *kind = h->options.engine == EngineGates ? "gates"
                       : l->tracing                     ? "trace"
                                                        : coverage_kind(info->name, params);
    if (!rtl_model_open(&l->rtl, info->name, params, kind,
                        h->options.seed + instance + 1, &l->context, &h->lacking, error)) {
      return NULL;
    }
    h->waves_given |= l->tracing;
  }
  if (h->system_waves) {
    system_waves_add(h->system_waves, l);
  }
  error[0] = '\0';
  return l;
}

static void close_record(lockstep_t *l) {
  bool is_whole = l->record && !ferror(l->record);
  if (l->record && (fclose(l->record) != 0 || !is_whole)) {
    snprintf(l->harness->output_error, HarnessErrorSize, "%.150s: the vectors of %s are incomplete: "
             "disk full?", l->harness->options.record, l->info->name);
  }
  l->record = NULL;
}

static void lockstep_destroy(lockstep_t *l) {
  close_waves(l);
  rtl_model_close(&l->rtl);
  if (l->golden) {
    l->info->golden_destroy(l->golden);
  }
  close_record(l);
  free(l->rtl_out);
  free(l->rtl_state);
  free(l->golden_state);
  free(l->last_in);
  free(l->last_out);
  free(l->log);
  free(l->kept);
  free(l);
}

// ---- Failures ----

static bool fields_differ(const unit_field_t *fields, const void *a, const void *b) {
  for (const unit_field_t *f = fields; f->name; f++) {
    if (memcmp((const uint8_t *)a + f->offset, (const uint8_t *)b + f->offset,
               (size_t)f->size * f->count) != 0) {
      return true;
    }
  }
  return false;
}

size_t harness_describe(const harness_t *h, char *text, size_t size) {
  size_t used = 0;
  if (size > 0) {
    text[0] = '\0';
  }
  for (uint32_t i = 0; i < h->count && used < size; i++) {
    used += failure_describe(h->units[i], text + used, size - used);
  }
  return used;
}

bool lockstep_has_netlist(const lockstep_t *l) {
  return l->harness->options.engine == EngineGates;
}

static void report(lockstep_t *l, const char *class, const char *what, const void *expected,
                   const void *actual) {
  harness_t *h = l->harness;
  l->mismatches++;
  l->failed = true;
  l->failure = (lockstep_failure_t){.class = class, .unit = l, .cycle = l->cycle};
  if (!(expected && failure_find(l->info, l->info->out, expected, actual, &l->failure)) &&
      l->has_golden) {
    l->failure.is_state =
        failure_find(l->info, l->info->state, l->golden_state, l->rtl_state, &l->failure);
  }
  atomic_store(&h->failed, true);
  if (h->report[0] || l->quiet) {
    return;
  }
  h->failure = l->failure;
  const harness_options_t *o = &h->options;
  uint64_t before = o->before || o->after ? o->before : 200;
  uint64_t after = o->before || o->after ? o->after : 20;
  uint64_t from = l->cycle > before ? l->cycle - before : 0;
  // A netlist has no waves; of two engines in a command the last counts.
  snprintf(h->waves_command, sizeof h->waves_command,
           "%s%s --waves build/waves/%s-%u.fst --waves-unit %s:%u --from %" PRIu64 " --to %" PRIu64 "%s",
           o->command ? o->command : "", lockstep_has_netlist(l) ? " --engine lockstep" : "",
           l->info->name, l->instance, l->info->name, l->instance, from, l->cycle + after,
           h->count > 1 ? " --system-waves build/waves/system.vcd" : "");
  const failure_report_t r = {what, expected, actual, o->seed, h->waves_command};
  failure_write(l, &r, h->report, sizeof h->report);
  failure_store(l, &r, h->report);
}

// ---- The clock ----

// The instance whose waves are open, for the signal handlers.
static lockstep_t *tracing_instance;
static volatile sig_atomic_t interrupted;

// An FST file is a row of blocks: a type, 8 bytes of length, which counts itself. The writer
// says nothing of a full disk; the row then breaks off, or has no hierarchy.
static bool is_whole_fst(const char *path) {
  enum { BlockHierarchy = 4, BlockHierarchyLz4 = 6, BlockHierarchyLz4Duo = 7, BlockSkip = 255 };
  FILE *file = fopen(path, "rb");
  bool has_hierarchy = false;
  long at = 0, size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  uint8_t head[9];
  while (at < size && fseek(file, at, SEEK_SET) == 0 && fread(head, sizeof head, 1, file) == 1 &&
         head[0] != BlockSkip) {
    uint64_t length = 0;
    for (int i = 1; i < 9; i++) {
      length = length << 8 | head[i];
    }
    if (length < 8 || length > (uint64_t)size) {
      break;
    }
    has_hierarchy |= head[0] == BlockHierarchy || head[0] == BlockHierarchyLz4 ||
                     head[0] == BlockHierarchyLz4Duo;
    at += 1 + (long)length;
  }
  if (file) {
    fclose(file);
  }
  return at == size && has_hierarchy;
}

static void close_waves(lockstep_t *l) {
  if (l->waves_open) {
    l->waves_open = false;
    tracing_instance = NULL;
    harness_t *h = l->harness;
    const lockstep_t *const units[] = {l};
    l->rtl.trace_close(l->rtl.model);
    if (!is_whole_fst(h->options.waves) ||
        !save_file_write(h->options.waves, units, 1, false,
                         h->report[0] && h->failure.unit == l ? &h->failure : NULL,
                         h->options.from)) {
      snprintf(h->output_error, HarnessErrorSize, "%.200s: the waves are incomplete: disk full?",
               h->options.waves);
    }
  }
}

const char *harness_output_error(harness_t *h) {
  for (uint32_t i = 0; i < h->count; i++) {
    close_waves(h->units[i]);
    close_record(h->units[i]);
  }
  close_transactions(h);
  close_system_waves(h);
  const harness_options_t *o = &h->options;
  if (o->waves && !h->waves_given && o->engine != EngineGolden && !h->output_error[0]) {
    snprintf(h->output_error, HarnessErrorSize, "%.150s: no waves: there is no %s %u here", o->waves,
             o->waves_unit ? o->waves_unit : "unit", o->waves_instance);
  }
  return h->output_error[0] ? h->output_error : NULL;
}

// Waves survive an end from outside: a polite one waits for the end of the step, after
// a crash there is nothing to lose by trying at once.
static void on_signal(int number) {
  lockstep_t *l = tracing_instance;
  if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
    interrupted = number;
    if (l) {
      return;
    }
  } else if (l) {
    close_waves(l);
  }
  signal(number, SIG_DFL);
  raise(number);
}

static void open_waves(lockstep_t *l) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGFPE, SIGBUS};
  const char *path = l->harness->options.waves;
  make_folders();
  FILE *probe = fopen(path, "wb");  // the writer of waves does not say why
  if (!probe) {
    snprintf(l->harness->output_error, HarnessErrorSize, "%.150s: the waves cannot be written: %.60s",
             path, strerror(errno));
    l->tracing = false;
    return;
  }
  fclose(probe);
  l->waves_open = l->rtl.trace_open(l->rtl.model, path);
  tracing_instance = l;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    signal(signals[i], on_signal);
  }
}

static void trace_window(lockstep_t *l) {
  const harness_options_t *o = &l->harness->options;
  uint64_t cycle = l->cycle;
  bool past = o->to != 0 && cycle > o->to;
  if (interrupted) {
    int number = interrupted;
    close_waves(l);
    signal(number, SIG_DFL);
    raise(number);
  }
  if (past) {
    close_waves(l);
    l->tracing = false;
  } else if (cycle >= o->from && !l->waves_open) {
    open_waves(l);
  }
}

// Whether the RTL has these outputs and the state in golden_state.
static bool agrees(lockstep_t *l, const void *out) {
  const unit_info_t *info = l->info;
  bool same = memcmp(out, l->rtl_out, info->out_size) == 0 ||
              !fields_differ(info->out, out, l->rtl_out);
  return same && (!info->golden_observe ||
                  memcmp(l->golden_state, l->rtl_state, info->state_size) == 0);
}

// A machine skips the clocks of a quiescent unit. Clocks a few of those in the RTL before the
// next step: nothing may change.
static void check_skip(lockstep_t *l) {
  if (!l->has_rtl || !l->has_golden || !l->was_quiescent || !rng_chance(&l->rng, SkipChecks)) {
    return;
  }
  l->skips_checked++;
  memcpy(l->last_out, l->rtl_out, l->info->out_size);
  l->context.in = l->last_in;
  // In a cycle that was skipped, if there was one.
  l->rtl.step(l->rtl.model, l->cycle ? l->cycle - 1 : 0);
  if (fields_differ(l->info->out, l->last_out, l->rtl_out) ||
      (l->info->golden_observe &&
       memcmp(l->golden_state, l->rtl_state, l->info->state_size) != 0)) {
    report(l, "MISMATCH", "a clock while quiescent changed something", l->last_out, l->rtl_out);
  }
}

static void keep(lockstep_t *l, const void *in) {
  if (!l->kept) {
    l->kept = malloc(l->harness->options.keep_steps * l->info->in_size);
  }
  if (l->kept) {
    memcpy(l->kept + l->kept_count++ * l->info->in_size, in, l->info->in_size);
  }
}

// Clocks the RTL, if there is one, and compares it with the golden model's outputs and
// state after the same step; without a golden model the outputs are the RTL's.
static unit_status_e check_step(lockstep_t *l, const void *in, void *out) {
  const unit_info_t *info = l->info;
  uint8_t *entry = l->log + (l->steps % LockstepLog) * (info->in_size + info->out_size);
  memcpy(entry, in, info->in_size);
  l->log_cycle[l->steps % LockstepLog] = l->cycle;
  if (l->kept_count < l->harness->options.keep_steps) {
    keep(l, in);
  }
  if (l->harness->transactions) {
    transactions_step(l->harness->transactions, l, in, lockstep_log_out(l, l->steps - 1));
  }
  l->steps++;
  if (l->tracing) {
    trace_window(l);
  }
  if (l->has_rtl) {
    l->context.in = in;
    l->rtl.step(l->rtl.model, l->cycle);
    if (!l->has_golden) {
      memcpy(out, l->rtl_out, info->out_size);
    } else {
      l->cycles_compared++;
      if (!agrees(l, out)) {
        report(l, "MISMATCH",
               lockstep_has_netlist(l) ? "golden and netlist differ after this step"
                                       : "golden and RTL differ after this step",
               out, l->rtl_out);
      }
    }
    if (l->rtl.stopped(l->rtl.model)) {
      report(l, "ASSERT", "an assertion failed (its text is on standard output)", NULL, NULL);
      if (!l->tracing) {
        return UnitStopped;
      }
    }
  }
  memcpy(entry + info->in_size, out, info->out_size);
  if (l->harness->system_waves) {
    system_waves_step(l->harness->system_waves, l, in, lockstep_log_out(l, l->steps - 2), out);
  }
  if (l->record) {
    vectors_write(l, false, in, out);
  }
  l->was_quiescent = *((const bool *)out + info->quiescent);
  if (l->was_quiescent && l->has_rtl && l->has_golden) {
    memcpy(l->last_in, in, info->in_size);
  }
  // With waves the run goes on past the mismatch to the end of the window.
  return l->failed && !l->tracing ? UnitMismatch : UnitOk;
}

static void check_record(const void *record) {
  const record_t *r = record;
  lockstep_t *l = r->unit;
  const uint8_t *in = (const uint8_t *)(r + 1), *out = in + l->info->in_size;
  if (atomic_load(&l->harness->failed)) {
    return;
  }
  l->cycle = r->cycle;
  check_skip(l);
  memcpy(l->golden_state, out + l->info->out_size, l->info->state_size);
  check_step(l, in, (void *)out);
}

static unit_status_e step_behind(lockstep_t *l, const void *in, void *out) {
  const unit_info_t *info = l->info;
  record_t *r = backlog_put(l->harness->backlog,
                            sizeof *r + info->in_size + info->out_size + info->state_size);
  *r = (record_t){l, clock_of(l)};
  uint8_t *at = (uint8_t *)(r + 1);
  memcpy(at, in, info->in_size);
  info->golden_step(l->golden, in, out);
  memcpy(at + info->in_size, out, info->out_size);
  if (info->golden_observe) {
    info->golden_observe(l->golden, at + info->in_size + info->out_size);
  }
  return atomic_load(&l->harness->failed) ? UnitMismatch : UnitOk;
}

unit_status_e lockstep_step(lockstep_t *l, const void *in, void *out) {
  if (l->harness->backlog) {
    return step_behind(l, in, out);
  }
  l->cycle = clock_of(l);
  check_skip(l);
  if (l->has_golden) {
    l->info->golden_step(l->golden, in, out);
    if (l->info->golden_observe && l->has_rtl) {
      l->info->golden_observe(l->golden, l->golden_state);
    }
  }
  return check_step(l, in, out);
}

void lockstep_reset(lockstep_t *l, void *out) {
  const unit_info_t *info = l->info;
  harness_settle(l->harness);
  l->kept_from = l->kept_count;
  l->cycle = clock_of(l);
  memset(l->last_in, 0, info->in_size);
  l->was_quiescent = false;
  if (l->has_rtl) {
    l->context.in = l->last_in;
    l->rtl.reset(l->rtl.model, 1);
    l->rtl.step(l->rtl.model, l->cycle);
    l->rtl.step(l->rtl.model, l->cycle);
    l->rtl.reset(l->rtl.model, 0);
    memcpy(out, l->rtl_out, info->out_size);
  }
  if (l->has_golden) {
    info->golden_reset(l->golden, out);
    if (info->golden_observe) {
      info->golden_observe(l->golden, l->golden_state);
    }
    if (l->has_rtl && !agrees(l, out)) {
      report(l, "MISMATCH",
             lockstep_has_netlist(l) ? "golden and netlist differ after reset"
                                     : "golden and RTL differ after reset",
             out, l->rtl_out);
    }
  }
  // What the next step's inputs meet; before the first step the last entry of the log is free.
  memcpy((void *)lockstep_log_out(l, l->steps - 1), out, info->out_size);
  if (l->harness->transactions) {
    transactions_reset(l->harness->transactions, l);
  }
  if (l->record) {
    vectors_write(l, true, l->last_in, out);
  }
}

void lockstep_observe(lockstep_t *l, void *state) {
  if (l->has_golden) {
    l->info->golden_observe(l->golden, state);
  } else {
    memcpy(state, l->rtl_state, l->info->state_size);
  }
}
