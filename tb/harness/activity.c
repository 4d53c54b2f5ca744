// SPDX-License-Identifier: Apache-2.0
#include "activity.h"

#include <stdio.h>

typedef struct {
  const unit_field_t *valid, *ready;  // NULL: none
  bool is_output;
} watched_t;

typedef struct {
  activity_t *activity;
  const instance_t *unit;
  watched_t watched[ActivityMaxStreams];
} counter_t;

static void watch(counter_t *c, const instance_t *u) {
  const unit_info_t *info = u->info;
  uint32_t n = 0;
  c->unit = u;
  c->activity->unit = info->name;
  for (const unit_stream_t *s = info->streams; s && s->name && n < ActivityMaxStreams; s++, n++) {
    const unit_field_t *ours = s->is_output ? info->out : info->in;
    const unit_field_t *theirs = s->is_output ? info->in : info->out;
    c->watched[n] = (watched_t){unit_find_field(ours, s->valid),
                                s->ready ? unit_find_field(theirs, s->ready) : NULL, s->is_output};
    c->activity->streams[n].name = s->name;
  }
  c->activity->stream_count = n;
}

static void step(void *self, const instance_t *u, const void *in, const void *before,
                 const void *after) {
  counter_t *c = self;
  (void)after;
  if (c->unit != u) {
    return;
  }
  bool valid = false, taken = false;
  for (uint32_t i = 0; i < c->activity->stream_count; i++) {
    const watched_t *w = &c->watched[i];
    uint64_t bits = w->valid ? unit_element(w->is_output ? before : in, w->valid, 0) : 0;
    valid |= !w->is_output && bits;
    if (bits && w->ready) {
      bits &= unit_element(w->is_output ? in : before, w->ready, 0);
    }
    taken |= !w->is_output && bits;
    c->activity->streams[i].transactions += (uint64_t)__builtin_popcountll(bits);
  }
  c->activity->steps++;
  c->activity->valid_steps += valid;
  c->activity->taken_steps += taken;
}

static void reset(void *self, const instance_t *u, const void *out) {
  counter_t *c = self;
  (void)out;
  if (!c->unit) {
    watch(c, u);
  }
}

static bool end(void *self, const failure_t *first, char error[HarnessErrorSize]) {
  (void)first;
  (void)error;
  free(self);
  return true;
}

bool activity_open(observer_t *observer, activity_t *activity, char error[HarnessErrorSize]) {
  counter_t *c = calloc(1, sizeof *c);
  if (!c) {
    snprintf(error, HarnessErrorSize, "out of memory");
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
