// SPDX-License-Identifier: Apache-2.0
#include "corners.h"

#include <stdlib.h>
#include <string.h>

#include "tb/harness/lockstep.h"

enum { MaxStreams = 32, MaxFields = 256, FieldShare = 4 };

// A field of the inputs, and its elements that have a corner at present.
typedef struct {
  const unit_field_t *field;
  uint32_t bits, elements;
  uint64_t limit;  // 0: none
  uint64_t changed[UnitMaxGpus];
  uint64_t is_changed;  // a bit for each of them
} changed_t;

typedef struct {
  const unit_field_t *valid, *ready;  // ready NULL: always taken
  bool is_input;
  uint64_t held, ready_now;
} lanes_t;

static struct {
  unit_engine_t engine;
  const unit_engine_t *unit;
  const unit_info_t *info;
  rng_t rng;
  uint32_t rate, count;
  bool is_reset, has_acted;
  lanes_t streams[MaxStreams];
  changed_t fields[MaxFields];
  uint8_t *in;
} corners;

bool corners_acted(void) { return corners.has_acted; }

// Draws a corner of a field of this width; limit: of its values, 0: none.
static uint64_t corners_draw(rng_t *rng, uint32_t bits, uint64_t limit) {
  const uint64_t all = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  switch (rng_below(rng, limit ? 5 : 3)) {
    case 0: return 0;
    case 1: return all;
    case 2: return all ^ all >> 1;
    case 3: return (limit - 1) & all;
    default: return limit & all;
  }
}

// Changes some of the elements first to last - 1.
static void change(changed_t *c, uint32_t first, uint32_t last) {
  for (uint32_t i = first; i < last && i < c->elements; i++) {
    if (rng_below(&corners.rng, FieldShare) == 0) {
      c->changed[i] = corners_draw(&corners.rng, c->bits, c->limit);
      c->is_changed |= UINT64_C(1) << i;
      corners.has_acted = true;
    }
  }
}

static void forget(changed_t *c, uint32_t first, uint32_t last) {
  for (uint32_t i = first; i < last && i < UnitMaxGpus; i++) {
    c->is_changed &= ~(UINT64_C(1) << i);
  }
}

// The payload of the lanes that are newly valid, and of those that are no longer held.
static void change_payload(int32_t number, unit_role_e role, uint64_t fresh, uint64_t held) {
  for (changed_t *c = corners.fields; c < corners.fields + corners.count; c++) {
    const uint32_t n = c->field->per_lane;
    if (c->field->stream != number || c->field->role != role) {
      continue;
    }
    for (uint64_t rest = n ? ~held : 0; rest; rest &= rest - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctzll(rest);
      forget(c, lane * n, (lane + 1) * n);
    }
    if (!n && !held) {
      forget(c, 0, c->elements);
    }
  }
  for (uint64_t rest = fresh; rest; rest &= rest - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(rest);
    if (!rng_chance(&corners.rng, corners.rate)) {
      continue;
    }
    for (changed_t *c = corners.fields; c < corners.fields + corners.count; c++) {
      const uint32_t n = c->field->per_lane;
      if (c->field->stream == number && c->field->role == role && (n || !held)) {
        change(c, lane * n, n ? (lane + 1) * n : c->elements);
      }
    }
  }
}

static void change_streams(void) {
  for (int32_t i = 0; corners.info->streams[i].name; i++) {
    lanes_t *s = &corners.streams[i];
    if (s->is_input) {
      const uint64_t valid = unit_element(corners.in, s->valid, 0);
      change_payload(i, UnitRolePayload, valid & ~s->held, s->held);
      s->held = s->ready ? valid & ~s->ready_now : 0;
    } else if (s->ready) {
      change_payload(i, UnitRoleBack, unit_element(corners.in, s->ready, 0), 0);
    }
  }
}

static void change_pins(void) {
  for (changed_t *c = corners.fields; c < corners.fields + corners.count; c++) {
    if (c->field->role == UnitRolePin && (!c->field->is_constant || corners.is_reset)) {
      forget(c, 0, c->elements);
      if (rng_chance(&corners.rng, corners.rate)) {
        change(c, 0, c->elements);
      }
    }
  }
}

// Notes which inputs will be taken.
static void note(const void *out) {
  for (lanes_t *s = corners.streams; s->valid; s++) {
    if (s->is_input && s->ready) {
      s->ready_now = unit_element(out, s->ready, 0);
    }
  }
}

static unit_status_e step(void *self, const void *in, void *out) {
  (void)self;
  memcpy(corners.in, in, corners.info->in_size);
  change_streams();
  change_pins();
  corners.is_reset = false;
  for (const changed_t *c = corners.fields; c < corners.fields + corners.count; c++) {
    for (uint64_t rest = c->is_changed; rest; rest &= rest - 1) {
      const uint32_t i = (uint32_t)__builtin_ctzll(rest);
      unit_set_element(corners.in, c->field, i, c->changed[i]);
    }
  }
  const unit_status_e status = corners.unit->step(corners.unit->self, corners.in, out);
  note(out);
  return status;
}

static void reset(void *self, void *out) {
  (void)self;
  for (lanes_t *s = corners.streams; s->valid; s++) {
    s->held = 0;
  }
  for (changed_t *c = corners.fields; c < corners.fields + corners.count; c++) {
    c->is_changed = 0;
  }
  corners.is_reset = true;
  corners.unit->reset(corners.unit->self, out);
  note(out);
}

// Returns true if a knob says which values the field has.
static bool is_given(const stimulus_t *s, const unit_field_t *f) {
  for (const stimulus_knob_t *k = s->knobs; k && k < s->knobs + StimulusMaxKnobs && k->name; k++) {
    if (strncmp(k->name, "value.", 6) == 0 && strcmp(k->name + 6, f->name) == 0) {
      return true;
    }
  }
  return false;
}

static void add_field(const unit_field_t *f, const uint32_t *dims) {
  if (corners.count == MaxFields ||
      (f->role != UnitRolePayload && f->role != UnitRoleBack && f->role != UnitRolePin)) {
    return;
  }
  changed_t *c = &corners.fields[corners.count++];
  c->field = f;
  c->bits = unit_dim(dims, f->bits);
  c->elements = unit_dim(dims, f->elements);
  c->elements = c->elements < UnitMaxGpus ? c->elements : UnitMaxGpus;
  c->limit = f->limit ? unit_dim(dims, f->limit) : 0;
  for (uint32_t i = 0; f->values && f->values[i]; i++) {
    c->limit = i + 1;
  }
}

// Returns the engine that puts corners into one payload or pin of 1,000 / rate and hands it to
// `unit`, until the next call; `unit` itself with rate 0. NULL: out of memory.
static const unit_engine_t *corners_between(const stimulus_t *s, const unit_info_t *info,
                                            const void *params, uint32_t rate,
                                            const unit_engine_t *unit) {
  uint32_t dims[UnitMaxDims];
  free(corners.in);
  memset(&corners, 0, sizeof corners);
  if (rate == 0) {
    return unit;
  }
  corners.in = calloc(1, info->in_size);
  if (!corners.in) {
    return NULL;
  }
  info->dims(params, dims);
  corners.engine = (unit_engine_t){NULL, step, reset, NULL};
  corners.unit = unit;
  corners.info = info;
  corners.rate = rate;
  rng_fork(&corners.rng, s->source, s->seed ^ rng_name(CORNERS_KNOB));
  for (uint32_t i = 0; info->streams[i].name && i < MaxStreams - 1; i++) {
    const unit_stream_t *stream = &info->streams[i];
    const unit_field_t *ours = stream->is_output ? info->out : info->in;
    const unit_field_t *theirs = stream->is_output ? info->in : info->out;
    lanes_t *l = &corners.streams[i];
    l->valid = unit_find_field(ours, stream->valid);
    l->ready = stream->ready ? unit_find_field(theirs, stream->ready) : NULL;
    l->is_input = !stream->is_output && l->valid->role != UnitRolePeekValid;
  }
  for (const unit_field_t *f = info->in; f->name; f++) {
    if (!is_given(s, f)) {
      add_field(f, dims);
    }
  }
  return &corners.engine;
}

// The unit itself, made by the host or the harness.
static const unit_engine_t *make_unit(const stimulus_t *s, harness_t *harness,
                                      const unit_info_t *info, const void *params,
                                      uint32_t instance, err_t *err) {
  if (s->host) {
    return s->host->make(s->host->self, harness, info, params, instance, err);
  }
  uint32_t count = 0;
  while (harness_unit(harness, count)) {
    count++;
  }
  return harness_unit_create(harness, info, params, instance, NULL, err)
             ? &harness_unit(harness, count)->engine
             : NULL;
}

const unit_engine_t *stimulus_unit(const stimulus_t *s, harness_t *harness, const unit_info_t *info,
                                   const void *params, uint32_t instance, void *typed, err_t *err) {
  static const uint32_t rates[] = {0, 0, 0, 0, 0, 0, 0, 30};
  rng_t apart;
  const unit_engine_t *engine = make_unit(s, harness, info, params, instance, err);
  rng_fork(&apart, s->source, s->seed ^ rng_name(CORNERS_KNOB));
  uint32_t rate = stimulus_choose(s, &apart, CORNERS_KNOB, rates, sizeof rates / sizeof *rates);
  if (s->busy || s->source) {
    rate = 0;
  }
  if (engine) {
    engine = corners_between(s, info, params, rate, engine);
    if (!engine) {
      err_memory(err, "corners");
    }
  }
  if (engine && typed) {
    info->bind(typed, engine);
  }
  return engine;
}
