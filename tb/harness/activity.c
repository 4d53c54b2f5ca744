// SPDX-License-Identifier: Apache-2.0
#include "activity.h"

#include <stdio.h>
#include <string.h>

// Lanes of valid or ready: bytes of the inputs or the outputs. This is read in every step of a
// unit.
typedef struct {
  uint32_t offset, size;  // size 0: no such field
} lanes_t;

typedef struct {
  lanes_t valid, ready;
  bool is_output;
} watched_t;

typedef struct {
  activity_t *activity;
  const instance_t *unit;
  watched_t watched[ActivityMaxStreams];
} counter_t;

static lanes_t lanes_of(const unit_field_t *fields, const char *name) {
  const unit_field_t *f = name ? unit_find_field(fields, name) : NULL;
  return f ? (lanes_t){f->offset, f->size} : (lanes_t){0, 0};
}

// (A copy whose size the compiler knows is no call; mostly it is a byte.)
static inline uint64_t bits_of(const void *base, lanes_t lanes) {
  const uint8_t *at = (const uint8_t *)base + lanes.offset;
  uint64_t bits = 0;
  if (lanes.size == 1) {
    return *at;
  }
  switch (lanes.size) {
    case 0: break;
    case 2: memcpy(&bits, at, 2); break;
    case 4: memcpy(&bits, at, 4); break;
    default: memcpy(&bits, at, sizeof bits); break;
  }
  return bits;
}

static void watch(counter_t *c, const instance_t *u) {
  const unit_info_t *info = u->info;
  uint32_t n = 0;
  c->unit = u;
  c->activity->unit = info->name;
  for (const unit_stream_t *s = info->streams; s && s->name && n < ActivityMaxStreams; s++, n++) {
    c->watched[n] =
        (watched_t){lanes_of(s->is_output ? info->out : info->in, s->valid),
                    lanes_of(s->is_output ? info->in : info->out, s->ready), s->is_output};
    c->activity->streams[n].name = s->name;
  }
  c->activity->stream_count = n;
}

static void step(void *self, const instance_t *u, const void *in, const void *before,
                 const void *after) {
  counter_t *c = self;
  activity_t *a = c->activity;
  (void)after;
  if (c->unit != u) {
    return;
  }
  const void *const from[] = {in, before};
  bool valid = false, taken = false;
  for (uint32_t i = 0; i < a->stream_count; i++) {
    const watched_t *w = &c->watched[i];
    uint64_t bits = bits_of(from[w->is_output], w->valid);
    if (!bits) {
      continue;
    }
    valid |= !w->is_output;
    if (w->ready.size && !(bits &= bits_of(from[!w->is_output], w->ready))) {
      continue;
    }
    taken |= !w->is_output;
    // Mostly one lane; counting more is a call on processors without an instruction for it.
    a->streams[i].transactions += (bits & (bits - 1)) ? (uint64_t)__builtin_popcountll(bits) : 1;
  }
  a->steps++;
  a->valid_steps += valid;
  a->taken_steps += taken;
}

static void reset(void *self, const instance_t *u, const void *out) {
  counter_t *c = self;
  (void)out;
  if (!c->unit) {
    watch(c, u);
  }
}

static bool end(void *self, const failure_t *first, err_t *err) {
  (void)first;
  (void)err;
  free(self);
  return true;
}

bool activity_open(observer_t *observer, activity_t *activity, err_t *err) {
  counter_t *c = calloc(1, sizeof *c);
  if (!c) {
    err_set(err, ErrMachine, "out of memory");
    return false;
  }
  c->activity = activity;
  *observer = (observer_t){c, step, reset, end};
  return true;
}

bool activity_any_valid(const unit_info_t *info, const void *in) {
  for (const unit_stream_t *s = info->streams; s && s->name; s++) {
    const unit_field_t *valid = s->is_output ? NULL : unit_find_field(info->in, s->valid);
    if (valid && unit_element(in, valid, 0)) {
      return true;
    }
  }
  return false;
}
