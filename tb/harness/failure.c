#include "failure.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "picture.h"

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

// Differences of two structs, one after another: false at the end. `at` starts as {0}. Quiescent
// comes last: it often follows from another.
typedef struct {
  uint32_t pass;
  const unit_field_t *field;
  uint32_t index;
} difference_t;

static bool next_difference(const unit_info_t *info, const unit_field_t *fields,
                            const void *expected, const void *actual, difference_t *at) {
  for (; at->pass < 2; at->pass++, at->field = NULL) {
    for (const unit_field_t *f = at->field ? at->field : fields; f->name; f++) {
      bool is_last = fields == info->out && f->offset == info->quiescent;
      for (uint32_t i = f == at->field ? at->index + 1 : 0; i < f->count; i++) {
        if (is_last == (at->pass == 1) &&
            unit_element(expected, f, i) != unit_element(actual, f, i)) {
          at->field = f;
          at->index = i;
          return true;
        }
      }
    }
  }
  return false;
}

static uint32_t put_differences(writer_t *w, const unit_info_t *info, const unit_field_t *fields,
                                const void *expected, const void *actual, uint32_t room) {
  uint32_t found = 0;
  for (difference_t d = {0}; next_difference(info, fields, expected, actual, &d);) {
    uint64_t e = unit_element(expected, d.field, d.index);
    uint64_t a = unit_element(actual, d.field, d.index);
    if (found++ >= room) {
      continue;
    }
    if (d.field->count > 1) {
      put(w, "  signal %s[%u]: expected 0x%" PRIx64 ", actual 0x%" PRIx64 "\n", d.field->name,
          d.index, e, a);
    } else {
      put(w, "  signal %s: expected 0x%" PRIx64 ", actual 0x%" PRIx64 "\n", d.field->name, e, a);
    }
  }
  return found;
}

static void put_fields(writer_t *w, const unit_field_t *fields, const void *base,
                       const unit_stream_t *stream) {
  uint32_t shown = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    bool wanted = !stream;
    for (uint32_t p = 0; stream && p < 3 && stream->prefix[p]; p++) {
      wanted |= strncmp(f->name, stream->prefix[p], strlen(stream->prefix[p])) == 0;
    }
    for (uint32_t i = 0; wanted && i < f->count; i++) {
      uint64_t v = unit_element(base, f, i);
      if (v == 0 || shown++ >= 12) {
        continue;
      }
      if (f->count > 1) {
        put(w, " %s[%u]=0x%" PRIx64, f->name, i, v);
      } else {
        put(w, " %s=0x%" PRIx64, f->name, v);
      }
    }
  }
}

// The bits in which a stream is valid and ready in a step: the outputs are those that
// the step before left.
static uint64_t stream_bits(const lockstep_t *l, const unit_stream_t *s, uint64_t step,
                            uint64_t *valid) {
  const unit_field_t *ours = s->is_output ? l->info->out : l->info->in;
  const unit_field_t *theirs = s->is_output ? l->info->in : l->info->out;
  const void *here = s->is_output ? lockstep_log_out(l, step - 1) : lockstep_log_in(l, step);
  const void *there = s->is_output ? lockstep_log_in(l, step) : lockstep_log_out(l, step - 1);
  const unit_field_t *f = unit_find_field(ours, s->valid);
  *valid = f ? unit_element(here, f, 0) : 0;
  f = s->ready ? unit_find_field(theirs, s->ready) : NULL;
  return *valid & (f ? unit_element(there, f, 0) : UINT64_MAX);
}

enum { TransactionsShown = 4 };

// The last transactions of every interface, oldest first.
static void put_transactions(writer_t *w, const lockstep_t *l) {
  uint64_t oldest = l->steps >= LockstepLog ? l->steps - LockstepLog + 1 : 1;
  for (const unit_stream_t *s = l->info->streams; s && s->name; s++) {
    uint64_t at[TransactionsShown], bits[TransactionsShown], valid;
    uint32_t found = 0;
    for (uint64_t step = l->steps; step-- > oldest && found < TransactionsShown;) {
      uint64_t b = stream_bits(l, s, step, &valid);
      if (b) {
        at[found] = step;
        bits[found++] = b;
      }
    }
    put(w, "  last transactions of %s:%s\n", s->name, found ? "" : " none");
    while (found-- > 0) {
      uint64_t step = at[found];
      put(w, "    cycle %" PRIu64 ":", lockstep_log_cycle(l, step));
      if (bits[found] != 1) {
        put(w, " {0x%" PRIx64 "}", bits[found]);
      }
      if (s->is_output) {
        put_fields(w, l->info->out, lockstep_log_out(l, step - 1), s);
      } else {
        put_fields(w, l->info->in, lockstep_log_in(l, step), s);
      }
      put(w, "\n");
    }
  }
}

static void put_inputs(writer_t *w, const lockstep_t *l) {
  uint64_t first = l->steps > 4 ? l->steps - 4 : 0;
  put(w, "  last inputs:\n");
  for (uint64_t step = first; step < l->steps; step++) {
    put(w, "    cycle %" PRIu64 ":", lockstep_log_cycle(l, step));
    put_fields(w, l->info->in, lockstep_log_in(l, step), NULL);
    put(w, "\n");
  }
}

bool failure_find(const unit_info_t *info, const unit_field_t *fields, const void *expected,
                  const void *actual, lockstep_failure_t *found) {
  difference_t d = {0};
  if (!next_difference(info, fields, expected, actual, &d)) {
    return false;
  }
  found->field = d.field;
  found->index = d.index;
  found->expected = unit_element(expected, d.field, d.index);
  found->actual = unit_element(actual, d.field, d.index);
  return true;
}

size_t failure_describe(const lockstep_t *l, char *text, size_t size) {
  if (l->steps == 0) {
    return 0;
  }
  writer_t w = {text, 0, size};
  uint64_t last = l->steps - 1, valid;
  put(&w, "%s %u: last clocked in cycle %" PRIu64 "%s\n", l->info->name, l->instance,
      lockstep_log_cycle(l, last), l->was_quiescent ? ", quiescent" : "");
  for (const unit_stream_t *s = l->info->streams; s && s->name && l->steps > 1; s++) {
    uint64_t taken = stream_bits(l, s, last, &valid);
    if (valid & ~taken) {
      put(&w, "  %s is valid (0x%" PRIx64 ") and waits for ready\n", s->name, valid & ~taken);
    }
  }
  put(&w, "  outputs:");
  put_fields(&w, l->info->out, lockstep_log_out(l, last), NULL);
  put(&w, "\n");
  return w.used;
}

void failure_write(const lockstep_t *l, const failure_report_t *r, char *text, size_t size) {
  writer_t w = {text, 0, size};
  put(&w, "%s: %s %u, cycle %" PRIu64 " (step %" PRIu64 "): %s\n", l->failure.class, l->info->name,
      l->instance, l->cycle, l->steps, r->what);
  if (r->expected) {
    uint32_t n = put_differences(&w, l->info, l->info->out, r->expected, r->actual, 8);
    if (n > 8) {
      put(&w, "  and %u more\n", n - 8);
    }
  }
  if (l->info->golden_observe && l->has_golden) {
    put_differences(&w, l->info, l->info->state, l->golden_state, l->rtl_state, 8);
  }
  put(&w, "  seed %" PRIu64 ", engine %s\n  %s: %s\n", r->seed, engine_name(harness_engine(l->harness)),
      lockstep_has_netlist(l) ? "the same cycles in the RTL, with waves" : "reproduce with waves",
      r->waves_command);
  put_transactions(&w, l);
  put_inputs(&w, l);
}

void failure_store(const lockstep_t *l, const failure_report_t *r, const char *text) {
  const char *stem = getenv("NOCTURNE_REPORT");
  char path[512], own[128];
  if (!stem) {
    mkdir("build", 0777);
    mkdir("build/reports", 0777);
    snprintf(own, sizeof own, "build/reports/%s-%u", l->info->name, l->instance);
    stem = own;
  }
  snprintf(path, sizeof path, "%.500s.txt", stem);
  FILE *file = fopen(path, "w");
  if (file) {
    fputs(text, file);
    fclose(file);
  }
  snprintf(path, sizeof path, "%.500s.svg", stem);
  picture_write(path, l, &l->failure, r->expected, r->actual);
}
