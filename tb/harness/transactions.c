// SPDX-License-Identifier: Apache-2.0
// The log of transactions: a line for each, the same from golden and RTL, so that two runs are
// compared with diff. It holds what the machine saw and nothing of the engine.
//
//   CYCLE UNIT.INSTANCE STREAM[LANE] FIELD=VALUE ...
//   CYCLE UNIT.INSTANCE reset
//
// LANE where the stream's valid has several bits: the GPU. Single fields are a name, decimal, or
// hexadecimal (masks, more than 32 bits); arrays are hexadecimal, the first element first.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "transactions.h"

typedef struct {
  FILE *file;
  const char *path;
} log_t;

// lanes 1: the whole payload; more: the part of each array that belongs to the lane.
static void put_payload(FILE *f, const instance_t *u, const unit_stream_t *s, const void *base,
                        uint32_t lane, uint32_t lanes) {
  const unit_field_t *fields = s->is_output ? u->info->out : u->info->in;
  for (const unit_field_t *field = fields; field->name; field++) {
    if (unit_stream_of(u->info, field->name) != s || strcmp(field->name, s->valid) == 0 ||
        (s->ready && strcmp(field->name, s->ready) == 0)) {
      continue;
    }
    uint32_t elements = instance_dim(u, field->elements), first = 0;
    if (elements == 0) {
      elements = field->count;
    }
    // Arrays as long as there are lanes, or a multiple, are by lane; those of a fixed length not.
    bool by_lane = lanes > 1 && field->elements >= UnitDim && elements % lanes == 0;
    uint32_t count = by_lane ? elements / lanes : elements;
    first = by_lane ? lane * count : 0;
    fprintf(f, " %s=", field->name);
    if (count == 1) {
      char text[64];
      unit_value_text(u->dims, field, unit_element(base, field, first), text, sizeof text);
      fputs(text, f);
    }
    for (uint32_t i = 0; i < count && count > 1; i++) {
      fprintf(f, "%s%" PRIx64, i ? "," : "", unit_element(base, field, first + i));
    }
  }
}

static void reset(void *self, const instance_t *u, const void *out) {
  log_t *log = self;
  (void)out;
  fprintf(log->file, "%" PRIu64 " %s.%u reset\n", u->cycle, u->info->name, u->number);
}

static void step(void *self, const instance_t *u, const void *in, const void *before,
                 const void *after) {
  FILE *f = ((const log_t *)self)->file;
  const unit_info_t *info = u->info;
  (void)after;
  for (const unit_stream_t *s = info->streams; s && s->name; s++) {
    const void *ours = s->is_output ? before : in, *theirs = s->is_output ? in : before;
    const unit_field_t *valid = unit_find_field(s->is_output ? info->out : info->in, s->valid);
    const unit_field_t *ready =
        s->ready ? unit_find_field(s->is_output ? info->in : info->out, s->ready) : NULL;
    if (!valid) {
      continue;
    }
    uint64_t bits = unit_element(ours, valid, 0);
    bits &= ready ? unit_element(theirs, ready, 0) : UINT64_MAX;
    uint32_t lanes = instance_dim(u, valid->bits);
    for (uint32_t lane = 0; bits; lane++, bits >>= 1) {
      if (bits & 1) {
        fprintf(f, "%" PRIu64 " %s.%u %s", u->cycle, info->name, u->number, s->name);
        if (lanes > 1) {
          fprintf(f, "[%u]", lane);
        }
        put_payload(f, u, s, ours, lane, lanes);
        putc('\n', f);
      }
    }
  }
}

static bool end(void *self, const failure_t *first, err_t *err) {
  log_t *log = self;
  (void)first;
  bool ok = !ferror(log->file);
  ok = fclose(log->file) == 0 && ok;
  if (!ok) {
    err_set(err, ErrCheck, "%s: the log is incomplete: disk full?", log->path);
  }
  free(log);
  return ok;
}

bool transactions_open(observer_t *observer, const char *path, err_t *err) {
  log_t *log = calloc(1, sizeof *log);
  FILE *file = log ? fopen(path, "w") : NULL;
  if (!file) {
    err_set(err, ErrCheck, "%s: the log cannot be written: %s", path, strerror(errno));
    free(log);
    return false;
  }
  *log = (log_t){file, path};
  *observer = (observer_t){log, step, reset, end};
  return true;
}
