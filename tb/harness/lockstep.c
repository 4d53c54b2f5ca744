#include "lockstep.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "rtl_model.h"

enum { MaxInstances = 256, SkipChecks = 8 };  // of 1000 steps that follow a quiescent one

struct harness {
  harness_options_t options;
  lockstep_t *units[MaxInstances];
  uint32_t count;
  bool lacking, waves_given;
  char report[8192], waves_command[2048];
};

const char *engine_name(engine_e engine) {
  static const char *const names[] = {"golden", "rtl", "lockstep"};
  return names[engine];
}

engine_e harness_engine(const harness_t *h) { return h->options.engine; }
bool harness_lacking(const harness_t *h) { return h->lacking; }
const char *harness_failure(const harness_t *h) { return h->report[0] ? h->report : NULL; }

const char *harness_waves_command(const harness_t *h) {
  return h->waves_command[0] ? h->waves_command : NULL;
}

harness_t *harness_create(const harness_options_t *options) {
  harness_t *h = calloc(1, sizeof *h);
  if (h) {
    h->options = *options;
  }
  return h;
}

void harness_destroy(harness_t *h) {
  for (uint32_t i = 0; h && i < h->count; i++) {
    lockstep_destroy(h->units[i]);
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

static uint64_t cycle_of(const lockstep_t *l) {
  const uint64_t *clock = l->harness->options.clock;
  return clock ? *clock : l->steps;
}

static bool wants_waves(const harness_t *h, const unit_info_t *info, uint32_t instance) {
  const harness_options_t *o = &h->options;
  return o->waves && !h->waves_given && instance == o->waves_instance &&
         (!o->waves_unit || strcmp(o->waves_unit, info->name) == 0);
}

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
  l->log = calloc(LockstepLog, info->in_size);
  h->units[h->count++] = l;
  if (!l->rtl_out || !l->rtl_state || !l->golden_state || !l->last_in || !l->last_out || !l->log) {
    return NULL;
  }
  rng_seed(&l->rng, h->options.seed ^ ((uint64_t)instance << 32) ^ info->in_size);
  if (l->has_rtl) {
    l->tracing = wants_waves(h, info, instance);
    l->context = (dpi_context_t){l->last_in, l->rtl_out, l->rtl_state};
    if (!rtl_model_open(&l->rtl, info->name, params, l->tracing ? "trace" : "plain",
                        h->options.seed + instance + 1, &l->context, &h->lacking, error)) {
      return NULL;
    }
    h->waves_given |= l->tracing;
  }
  if (h->options.record) {
    char path[512];
    mkdir(h->options.record, 0777);
    snprintf(path, sizeof path, "%s/%s-%u.vec", h->options.record, info->name, instance);
    l->record = fopen(path, "wb");
    if (!l->record) {
      snprintf(error, HarnessErrorSize, "cannot write %.180s", path);
      return NULL;
    }
    fprintf(l->record, "%s %s\n", info->name, params);
  }
  error[0] = '\0';
  return l;
}

void lockstep_destroy(lockstep_t *l) {
  if (l->tracing && l->rtl.model) {
    l->rtl.trace_close(l->rtl.model);
  }
  rtl_model_close(&l->rtl);
  if (l->golden) {
    l->info->golden_destroy(l->golden);
  }
  if (l->record) {
    fclose(l->record);
  }
  free(l->rtl_out);
  free(l->rtl_state);
  free(l->golden_state);
  free(l->last_in);
  free(l->last_out);
  free(l->log);
  free(l);
}

// ---- Reports ----

typedef struct {
  char *text;
  size_t used, size;
} writer_t;

static void put(writer_t *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer_t *w, const char *format, ...) {
  if (w->used + 1 >= w->size) {
    return;
  }
  va_list args;
  va_start(args, format);
  int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
  va_end(args);
  w->used += n > 0 ? (size_t)n : 0;
  if (w->used >= w->size) {
    w->used = w->size - 1;
  }
}

static uint64_t element(const void *base, const unit_field_t *f, uint32_t i) {
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)base + f->offset + (size_t)i * f->size, f->size);
  return value;
}

static uint32_t put_differences(writer_t *w, const unit_field_t *fields, const void *expected,
                                const void *actual, uint32_t room) {
  uint32_t found = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    for (uint32_t i = 0; i < f->count; i++) {
      uint64_t e = element(expected, f, i), a = element(actual, f, i);
      if (e != a && found++ < room) {
        if (f->count > 1) {
          put(w, "  signal %s[%u]: expected 0x%" PRIx64 ", actual 0x%" PRIx64 "\n", f->name, i, e,
              a);
        } else {
          put(w, "  signal %s: expected 0x%" PRIx64 ", actual 0x%" PRIx64 "\n", f->name, e, a);
        }
      }
    }
  }
  return found;
}

static bool fields_differ(const unit_field_t *fields, const void *a, const void *b) {
  for (const unit_field_t *f = fields; f->name; f++) {
    if (memcmp((const uint8_t *)a + f->offset, (const uint8_t *)b + f->offset,
               (size_t)f->size * f->count) != 0) {
      return true;
    }
  }
  return false;
}

static void put_inputs(writer_t *w, const lockstep_t *l) {
  uint64_t first = l->steps > LockstepLog ? l->steps - LockstepLog : 0;
  put(w, "  last inputs (fields that are not 0):\n");
  for (uint64_t s = first; s < l->steps; s++) {
    const uint8_t *in = l->log + (s % LockstepLog) * l->info->in_size;
    put(w, "    cycle %" PRIu64 ":", l->log_cycle[s % LockstepLog]);
    uint32_t shown = 0;
    for (const unit_field_t *f = l->info->in; f->name; f++) {
      for (uint32_t i = 0; i < f->count; i++) {
        uint64_t v = element(in, f, i);
        if (v != 0 && shown++ < 12) {
          put(w, f->count > 1 ? " %s[%u]=%" PRIx64 : " %s", f->name, i, v);
          if (f->count == 1) {
            put(w, "=%" PRIx64, v);
          }
        }
      }
    }
    put(w, "\n");
  }
}

static void report(lockstep_t *l, const char *class, const char *what, const void *expected,
                   const void *actual) {
  harness_t *h = l->harness;
  l->mismatches++;
  l->failed = true;
  if (h->report[0]) {
    return;
  }
  uint64_t cycle = cycle_of(l), from = cycle > 200 ? cycle - 200 : 0;
  writer_t w = {h->report, 0, sizeof h->report};
  put(&w, "%s: %s %u, cycle %" PRIu64 " (step %" PRIu64 "): %s\n", class, l->info->name,
      l->instance, cycle, l->steps, what);
  if (expected) {
    uint32_t n = put_differences(&w, l->info->out, expected, actual, 8);
    if (n > 8) {
      put(&w, "  and %u more\n", n - 8);
    }
  }
  if (l->info->golden_observe && l->has_golden) {
    put_differences(&w, l->info->state, l->golden_state, l->rtl_state, 8);
  }
  put_inputs(&w, l);
  const char *command = h->options.command ? h->options.command : "";
  snprintf(h->waves_command, sizeof h->waves_command,
           "%s --waves build/waves/%s-%u.fst --waves-unit %s:%u --from %" PRIu64 " --to %" PRIu64,
           command, l->info->name, l->instance, l->info->name, l->instance, from, cycle + 20);
  put(&w, "  seed %" PRIu64 "\n  reproduce with waves: %s\n", h->options.seed, h->waves_command);
}

// ---- The clock ----

static void trace_window(lockstep_t *l) {
  const harness_options_t *o = &l->harness->options;
  uint64_t cycle = cycle_of(l);
  bool inside = cycle >= o->from && (o->to == 0 || cycle <= o->to);
  static bool open;
  if (inside && !open) {
    open = l->rtl.trace_open(l->rtl.model, o->waves);
  } else if (!inside && open && o->to != 0 && cycle > o->to) {
    l->rtl.trace_close(l->rtl.model);
    open = false;
    l->tracing = false;
  }
}

static bool agrees(lockstep_t *l, const void *out) {
  const unit_info_t *info = l->info;
  bool same = memcmp(out, l->rtl_out, info->out_size) == 0 ||
              !fields_differ(info->out, out, l->rtl_out);
  if (info->golden_observe) {
    info->golden_observe(l->golden, l->golden_state);
    same = same && memcmp(l->golden_state, l->rtl_state, info->state_size) == 0;
  }
  return same;
}

// A machine skips the clocks of a quiescent unit. Clocks a few of those in the RTL:
// nothing may change.
static void check_skip(lockstep_t *l) {
  l->skips_checked++;
  memcpy(l->last_out, l->rtl_out, l->info->out_size);
  l->context.in = l->last_in;
  l->rtl.step(l->rtl.model, cycle_of(l));
  if (fields_differ(l->info->out, l->last_out, l->rtl_out) ||
      (l->info->golden_observe &&
       memcmp(l->golden_state, l->rtl_state, l->info->state_size) != 0)) {
    report(l, "MISMATCH", "a clock while quiescent changed something", l->last_out, l->rtl_out);
  }
}

unit_status_e lockstep_step(lockstep_t *l, const void *in, void *out) {
  const unit_info_t *info = l->info;
  if (l->has_rtl && l->has_golden && l->was_quiescent && rng_chance(&l->rng, SkipChecks)) {
    check_skip(l);
  }
  memcpy(l->log + (l->steps % LockstepLog) * info->in_size, in, info->in_size);
  l->log_cycle[l->steps % LockstepLog] = cycle_of(l);
  l->steps++;
  if (l->tracing) {
    trace_window(l);
  }
  if (l->has_golden) {
    info->golden_step(l->golden, in, out);
  }
  if (l->has_rtl) {
    l->context.in = in;
    l->rtl.step(l->rtl.model, cycle_of(l));
    if (!l->has_golden) {
      memcpy(out, l->rtl_out, info->out_size);
    } else {
      l->cycles_compared++;
      if (!agrees(l, out)) {
        report(l, "MISMATCH", "golden and RTL differ after this step", out, l->rtl_out);
      }
    }
    if (l->rtl.stopped(l->rtl.model)) {
      report(l, "ASSERT", "the simulator stopped at an assertion", NULL, NULL);
      return UnitStopped;
    }
  }
  if (l->record) {
    fwrite(in, info->in_size, 1, l->record);
    fwrite(out, info->out_size, 1, l->record);
  }
  l->was_quiescent = *((const bool *)out + info->quiescent);
  if (l->was_quiescent && l->has_rtl && l->has_golden) {
    memcpy(l->last_in, in, info->in_size);
  }
  // With waves the run goes on past the mismatch to the end of the window.
  return l->failed && !l->tracing ? UnitMismatch : UnitOk;
}

void lockstep_reset(lockstep_t *l, void *out) {
  const unit_info_t *info = l->info;
  memset(l->last_in, 0, info->in_size);
  l->was_quiescent = false;
  if (l->has_rtl) {
    l->context.in = l->last_in;
    l->rtl.reset(l->rtl.model, 1);
    l->rtl.step(l->rtl.model, cycle_of(l));
    l->rtl.step(l->rtl.model, cycle_of(l));
    l->rtl.reset(l->rtl.model, 0);
    memcpy(out, l->rtl_out, info->out_size);
  }
  if (l->has_golden) {
    info->golden_reset(l->golden, out);
    if (l->has_rtl && !agrees(l, out)) {
      report(l, "MISMATCH", "golden and RTL differ after reset", out, l->rtl_out);
    }
  }
}

void lockstep_observe(lockstep_t *l, void *state) {
  if (l->has_golden) {
    l->info->golden_observe(l->golden, state);
  } else {
    memcpy(state, l->rtl_state, l->info->state_size);
  }
}
