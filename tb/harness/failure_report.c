// SPDX-License-Identifier: Apache-2.0
#include "failure_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "picture.h"

static uint32_t put_differences(text_t *w, const unit_info_t *info, const unit_field_t *fields,
                                const void *expected, const void *actual, uint32_t room) {
  uint32_t found = 0;
  for (difference_t d = {0}; compare_next(info, fields, expected, actual, &d);) {
    if (found++ >= room) {
      continue;
    }
    if (d.field->count > 1) {
      text_format(w, "  signal %s[%u]: expected 0x%" PRIx64 ", actual 0x%" PRIx64 "\n",
                  d.field->name, d.index, d.expected, d.actual);
    } else {
      text_format(w, "  signal %s: expected 0x%" PRIx64 ", actual 0x%" PRIx64 "\n", d.field->name,
                  d.expected, d.actual);
    }
  }
  return found;
}

static void put_fields(text_t *w, const unit_field_t *fields, const void *base,
                       const unit_stream_t *streams, const unit_stream_t *stream) {
  uint32_t shown = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    const bool wanted = !stream || (f->stream >= 0 && &streams[f->stream] == stream);
    for (uint32_t i = 0; wanted && i < f->count; i++) {
      uint64_t v = unit_element(base, f, i);
      if (v == 0 || shown++ >= 12) {
        continue;
      }
      if (f->count > 1) {
        text_format(w, " %s[%u]=0x%" PRIx64, f->name, i, v);
      } else {
        text_format(w, " %s=0x%" PRIx64, f->name, v);
      }
    }
  }
}

// The bits in which a stream is valid and ready in a step: the outputs are those that
// the step before left.
static uint64_t stream_bits(const instance_t *u, const unit_stream_t *s, uint64_t step,
                            uint64_t *valid) {
  const unit_field_t *ours = s->is_output ? u->info->out : u->info->in;
  const unit_field_t *theirs = s->is_output ? u->info->in : u->info->out;
  const void *here = s->is_output ? step_log_out(&u->log, step - 1) : step_log_in(&u->log, step);
  const void *there = s->is_output ? step_log_in(&u->log, step) : step_log_out(&u->log, step - 1);
  const unit_field_t *f = unit_find_field(ours, s->valid);
  *valid = f ? unit_element(here, f, 0) : 0;
  f = s->ready ? unit_find_field(theirs, s->ready) : NULL;
  return *valid & (f ? unit_element(there, f, 0) : UINT64_MAX);
}

enum { TransactionsShown = 4 };

// The last transactions of every interface, oldest first.
static void put_transactions(text_t *w, const instance_t *u) {
  uint64_t oldest = u->steps >= StepLogLength ? u->steps - StepLogLength + 1 : 1;
  for (const unit_stream_t *s = u->info->streams; s && s->name; s++) {
    uint64_t at[TransactionsShown], bits[TransactionsShown], valid;
    uint32_t found = 0;
    for (uint64_t step = u->steps; step-- > oldest && found < TransactionsShown;) {
      uint64_t b = stream_bits(u, s, step, &valid);
      if (b) {
        at[found] = step;
        bits[found++] = b;
      }
    }
    text_format(w, "  last transactions of %s:%s\n", s->name, found ? "" : " none");
    while (found-- > 0) {
      uint64_t step = at[found];
      text_format(w, "    cycle %" PRIu64 ":", step_log_cycle(&u->log, step));
      if (bits[found] != 1) {
        text_format(w, " {0x%" PRIx64 "}", bits[found]);
      }
      if (s->is_output) {
        put_fields(w, u->info->out, step_log_out(&u->log, step - 1), u->info->streams, s);
      } else {
        put_fields(w, u->info->in, step_log_in(&u->log, step), u->info->streams, s);
      }
      text_format(w, "\n");
    }
  }
}

static void put_inputs(text_t *w, const instance_t *u) {
  uint64_t first = u->steps > 4 ? u->steps - 4 : 0;
  text_format(w, "  last inputs:\n");
  for (uint64_t step = first; step < u->steps; step++) {
    text_format(w, "    cycle %" PRIu64 ":", step_log_cycle(&u->log, step));
    put_fields(w, u->info->in, step_log_in(&u->log, step), NULL, NULL);
    text_format(w, "\n");
  }
}

void failure_report_waits(const instance_t *u, text_t *w) {
  if (u->steps == 0) {
    return;
  }
  uint64_t last = u->steps - 1, valid;
  text_format(w, "%s %u: last clocked in cycle %" PRIu64 "%s\n", u->info->name, u->number,
              step_log_cycle(&u->log, last), u->was_quiescent ? ", quiescent" : "");
  for (const unit_stream_t *s = u->info->streams; s && s->name && u->steps > 1; s++) {
    uint64_t taken = stream_bits(u, s, last, &valid);
    if (valid & ~taken) {
      text_format(w, "  %s is valid (0x%" PRIx64 ") and waits for ready\n", s->name,
                  valid & ~taken);
    }
  }
  text_format(w, "  outputs:");
  put_fields(w, u->info->out, step_log_out(&u->log, last), NULL, NULL);
  text_format(w, "\n");
}

void failure_report_write(const failure_t *failure, const failure_report_t *r, char *text,
                          size_t size) {
  const instance_t *u = failure->unit;
  text_t w = {0};
  text_format(&w, "%s: %s %u, cycle %" PRIu64 " (step %" PRIu64 "): %s\n", failure->class,
              u->info->name, u->number, u->cycle, u->steps, r->what);
  if (r->expected) {
    uint32_t n = put_differences(&w, u->info, u->info->out, r->expected, r->actual, 8);
    if (n > 8) {
      text_format(&w, "  and %u more\n", n - 8);
    }
  }
  if (u->info->observe && u->has_golden) {
    put_differences(&w, u->info, u->info->state, u->golden_state, u->rtl_state, 8);
  }
  if (failure->assertion.file[0]) {
    char assertion[400];
    assertion_text(&failure->assertion, assertion, sizeof assertion);
    text_format(&w, "  assertion %s\n", assertion);
  }
  text_format(
      &w, "  seed %" PRIu64 ", engine %s\n  %s: %s\n", r->seed, engine_name(u->engine),
      instance_has_netlist(u) ? "the same cycles in the RTL, with waves" : "reproduce with waves",
      r->waves_command);
  put_transactions(&w, u);
  put_inputs(&w, u);
  snprintf(text, size, "%s", text_string(&w));
  text_free(&w);
}

void failure_report_store(const failure_t *failure, const failure_report_t *r, const char *text) {
  const instance_t *u = failure->unit;
  const char *stem = getenv("NOCTURNE_REPORT");
  char own[128];
  if (!stem) {
    mkdir("build", 0777);
    mkdir("build/reports", 0777);
    snprintf(own, sizeof own, "build/reports/%s-%u", u->info->name, u->number);
    stem = own;
  }
  text_t path = {0};
  text_format(&path, "%s.txt", stem);
  FILE *file = fopen(text_string(&path), "w");
  if (file) {
    fputs(text, file);
    fclose(file);
  }
  text_cut(&path, strlen(stem));
  text_put(&path, ".svg");
  picture_write(text_string(&path), failure, r->expected, r->actual);
  text_free(&path);
}
