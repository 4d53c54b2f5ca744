// SPDX-License-Identifier: Apache-2.0
#include "stimulus_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/harness/lockstep.h"
#include "tb/harness/units.h"

enum { MaxStreams = 32, MaxFields = 256, MaxPins = 16, NameSize = 96, PinShare = 3 };

typedef struct {
  const unit_stream_t *stream;
  const unit_field_t *valid, *ready;  // ready NULL: always taken
  uint32_t lanes, share;
  bool is_peek;       // driven with what peeks
  uint64_t held;      // input: lanes that were valid and not taken
  int32_t credit_of;  // input: returns the credits of this output stream; -1: of none
  uint32_t owed[64];
} channel_t;

// A field that is drawn: the values of a knob, or of its width.
typedef struct {
  const unit_field_t *field;
  uint32_t bits, elements, limit, names;  // limit, names: 0: none
  bool has_range;
  stimulus_range_t range;
} value_t;

typedef struct {
  rng_t rng;
  const unit_info_t *info;
  const uint32_t *dims;
  channel_t channels[MaxStreams];
  uint32_t channel_count;
  value_t values[MaxFields];
  uint32_t value_count;
  uint32_t error_rate, peek_rate, reset_every;
} traffic_t;

static const uint32_t Shares[] = {1000, 800, 300, 50}, Errors[] = {0, 0, 0, 5};
static const uint32_t Peeks[] = {0, 50}, Resets[] = {100, 1000, 5000};

static uint32_t choose(const stimulus_t *s, rng_t *rng, const char *name, const uint32_t *choices,
                       uint32_t count, uint32_t busy) {
  uint32_t value = stimulus_choose(s, rng, name, choices, count);
  return s->busy ? busy : value;
}

#define CHOOSE(s, rng, name, choices, busy) \
  choose(s, rng, name, choices, sizeof(choices) / sizeof *(choices), busy)

static uint64_t ones(uint32_t bits) { return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1; }

// ---- Set up ----

static void add_channel(traffic_t *t, const stimulus_t *s, const unit_stream_t *stream) {
  const unit_info_t *info = t->info;
  channel_t *c = &t->channels[t->channel_count++];
  *c = (channel_t){.stream = stream, .lanes = unit_dim(t->dims, stream->lanes), .credit_of = -1};
  c->valid = unit_find_field(stream->is_output ? info->out : info->in, stream->valid);
  c->ready = stream->ready
                 ? unit_find_field(stream->is_output ? info->in : info->out, stream->ready)
                 : NULL;
  c->is_peek = c->valid->role == UnitRolePeekValid;
  if ((!stream->is_output && !c->is_peek) || c->ready) {
    c->share = CHOOSE(s, &t->rng, stream->name, Shares, 1000);
  }
}

static bool has_payload(const unit_info_t *info, int32_t stream) {
  for (const unit_field_t *f = info->in; f->name; f++) {
    if (f->stream == stream && f->role == UnitRolePayload) {
      return true;
    }
  }
  return false;
}

// The only output stream with as many lanes, more than one, and with ready; or -1.
static int32_t find_credited(const traffic_t *t, const channel_t *credit) {
  int32_t found = -1;
  for (uint32_t i = 0; i < t->channel_count; i++) {
    const channel_t *c = &t->channels[i];
    if (c->stream->is_output && c->ready && c->lanes == credit->lanes && c->lanes > 1) {
      if (found >= 0) {
        return -1;
      }
      found = (int32_t)i;
    }
  }
  return found;
}

static void add_value(traffic_t *t, const stimulus_t *s, const unit_field_t *field) {
  char name[NameSize];
  value_t *v = &t->values[t->value_count++];
  *v = (value_t){.field = field,
                 .bits = unit_dim(t->dims, field->bits),
                 .elements = unit_dim(t->dims, field->elements),
                 .limit = field->limit ? unit_dim(t->dims, field->limit) : 0};
  for (uint32_t i = 0; field->values && field->values[i]; i++) {
    v->names = i + 1;
  }
  snprintf(name, sizeof name, "value.%s", field->name);
  v->has_range = stimulus_knob_range(s, name, &v->range);
}

static bool set_up(traffic_t *t, const stimulus_t *s, const unit_info_t *info,
                   const uint32_t *dims) {
  t->info = info;
  t->dims = dims;
  for (const unit_stream_t *stream = info->streams; stream->name; stream++) {
    if (t->channel_count == MaxStreams) {
      return false;
    }
    add_channel(t, s, stream);
  }
  for (uint32_t i = 0; i < t->channel_count; i++) {
    channel_t *c = &t->channels[i];
    if (!c->stream->is_output && !c->ready && !has_payload(info, (int32_t)i)) {
      c->credit_of = find_credited(t, c);
    }
  }
  for (const unit_field_t *f = info->in; f->name; f++) {
    if (t->value_count == MaxFields) {
      return false;
    }
    add_value(t, s, f);
  }
  t->error_rate = CHOOSE(s, &t->rng, "errors", Errors, 0);
  t->peek_rate = CHOOSE(s, &t->rng, "peek", Peeks, 0);
  t->reset_every = CHOOSE(s, &t->rng, "resets", Resets, 0);
  return true;
}

// The parameters of the set given, else the defaults; then what knobs say.
static void set_params(const stimulus_t *s, const unit_info_t *info, unit_params_t *params) {
  rng_t any;
  rng_fork(&any, s->source, s->seed);
  memcpy(params, info->defaults, info->params_size);
  if (s->set) {
    stimulus_params(s, info, &any, params);
  }
  for (const unit_param_t *p = info->params; p->name; p++) {
    char name[NameSize];
    stimulus_range_t range;
    rng_t rng;
    uint64_t value;
    snprintf(name, sizeof name, "param.%s", p->name);
    if (stimulus_knob_range(s, name, &range)) {
      rng_fork(&rng, s->source, s->seed ^ rng_name(name));
      value = stimulus_range_draw(&range, &rng);
    } else if (strcmp(p->name, "gpus") == 0) {
      value = s->gpus;
    } else {
      continue;
    }
    memcpy(params->bytes + p->offset, &value, p->size);
  }
}

// ---- A step ----

static uint64_t draw_value(traffic_t *t, const value_t *v) {
  rng_t *r = &t->rng;
  if (v->has_range) {
    return stimulus_range_draw(&v->range, r) & ones(v->bits);
  }
  bool is_wrong = rng_chance(r, t->error_rate);
  if (v->limit && !is_wrong) {
    return rng_below(r, v->limit);
  }
  if (v->names && !is_wrong) {
    return rng_below(r, v->names);
  }
  uint64_t all = ones(v->bits);
  switch (rng_below(r, 8)) {
    case 0: return rng_below(r, 4) & all;
    case 1: return all;
    case 2:
    case 3: return (rng_u64(r) & all) >> rng_below(r, v->bits ? v->bits : 1);
    default: return rng_u64(r) & all;
  }
}

// Elements first to first + count of a field.
static void put_value(traffic_t *t, const value_t *v, void *in, uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count && i < v->elements; i++) {
    unit_set_element(in, v->field, i, draw_value(t, v));
  }
}

static void put_payload(traffic_t *t, int32_t stream, unit_role_e role, void *in, uint32_t lane,
                        bool shared_too) {
  for (uint32_t i = 0; i < t->value_count; i++) {
    const value_t *v = &t->values[i];
    if (v->field->stream != stream || v->field->role != role) {
      continue;
    }
    if (v->field->per_lane) {
      put_value(t, v, in, lane * v->field->per_lane, v->field->per_lane);
    } else if (shared_too) {
      put_value(t, v, in, 0, v->elements);
    }
  }
}

// The lanes of an input stream, and the payload of those that are newly valid. A payload that all
// lanes share changes only while none is held.
static void drive_input(traffic_t *t, int32_t number, void *in) {
  channel_t *c = &t->channels[number];
  uint64_t valid = c->held;
  bool shared_too = valid == 0;
  for (uint32_t lane = 0; lane < c->lanes; lane++) {
    bool may = c->credit_of < 0 || c->owed[lane] > 0 || rng_chance(&t->rng, t->error_rate);
    if ((c->held >> lane & 1) || !may || !rng_chance(&t->rng, c->share)) {
      continue;
    }
    valid |= 1ull << lane;
    c->owed[lane] -= c->owed[lane] > 0;
    put_payload(t, number, UnitRolePayload, in, lane, shared_too);
    shared_too = false;
  }
  unit_set_element(in, c->valid, 0, valid);
}

static void drive_ready(traffic_t *t, int32_t number, void *in) {
  channel_t *c = &t->channels[number];
  uint64_t ready = 0;
  for (uint32_t lane = 0; lane < c->lanes; lane++) {
    ready |= (uint64_t)rng_chance(&t->rng, c->share) << lane;
    put_payload(t, number, UnitRoleBack, in, lane, lane == 0);
  }
  unit_set_element(in, c->ready, 0, ready);
}

// Pins and what peeks; a constant pin with a reset only.
static void drive_others(traffic_t *t, void *in, bool is_reset) {
  bool peeks = rng_chance(&t->rng, t->peek_rate);
  for (uint32_t i = 0; i < t->value_count; i++) {
    const value_t *v = &t->values[i];
    unit_role_e role = v->field->role;
    if (role == UnitRolePeekValid) {
      unit_set_element(in, v->field, 0, peeks);
    } else if ((role == UnitRolePeekInput && peeks) ||
               (role == UnitRolePin &&
                (is_reset || (!v->field->is_constant && rng_chance(&t->rng, PinShare))))) {
      put_value(t, v, in, 0, v->elements);
    }
  }
}

static void drive(traffic_t *t, void *in, bool is_reset) {
  drive_others(t, in, is_reset);
  for (uint32_t i = 0; i < t->channel_count; i++) {
    if (t->channels[i].is_peek) {
      continue;
    }
    if (!t->channels[i].stream->is_output) {
      drive_input(t, (int32_t)i, in);
    } else if (t->channels[i].ready) {
      drive_ready(t, (int32_t)i, in);
    }
  }
}

// Notes the effect of these inputs on the outputs that they meet.
static void follow(traffic_t *t, const void *in, const void *out) {
  for (uint32_t i = 0; i < t->channel_count; i++) {
    channel_t *c = &t->channels[i];
    const void *ours = c->stream->is_output ? out : in, *theirs = c->stream->is_output ? in : out;
    uint64_t valid = unit_element(ours, c->valid, 0);
    uint64_t taken = valid & (c->ready ? unit_element(theirs, c->ready, 0) : UINT64_MAX);
    c->held = c->stream->is_output ? 0 : valid & ~taken;
    for (uint32_t k = 0; k < t->channel_count; k++) {
      for (uint64_t rest = t->channels[k].credit_of == (int32_t)i ? taken : 0; rest;
           rest &= rest - 1) {
        t->channels[k].owed[__builtin_ctzll(rest)]++;
      }
    }
  }
}

static void start(traffic_t *t, void *in) {
  memset(in, 0, t->info->in_size);
  for (uint32_t i = 0; i < t->channel_count; i++) {
    t->channels[i].held = 0;
    memset(t->channels[i].owed, 0, sizeof t->channels[i].owed);
  }
}

static bool run(traffic_t *t, const stimulus_t *s, const unit_engine_t *unit, void *in, void *out) {
  bool is_reset = true;
  start(t, in);
  unit->reset(unit->self, out);
  for (uint64_t n = 0; n < s->cycles; n++, (*s->clock)++) {
    drive(t, in, is_reset);
    follow(t, in, out);
    if (unit->step(unit->self, in, out) != UnitOk) {
      return false;
    }
    is_reset = t->reset_every && rng_below(&t->rng, t->reset_every) == 0;
    if (is_reset) {
      start(t, in);
      unit->reset(unit->self, out);
    }
  }
  return true;
}

bool stimulus_page(const stimulus_t *s, const unit_info_t *info, harness_t *h, err_t *err) {
  unit_params_t params = {0};
  uint32_t dims[UnitMaxDims];
  set_params(s, info, &params);
  const unit_engine_t *unit = stimulus_unit(s, h, info, &params, 0, NULL, err);
  if (!unit) {
    return false;
  }
  info->dims(&params, dims);
  traffic_t *t = calloc(1, sizeof *t);
  void *in = calloc(1, info->in_size), *out = calloc(1, info->out_size);
  bool ok = t && in && out;
  err_set(err, ErrMachine, "out of memory");
  if (ok) {
    t->rng = (rng_t){s->seed ^ rng_name(info->name), s->source};
    ok = set_up(t, s, info, dims);
    err_set(err, ErrInput, "%s: at most %d streams and %d fields", info->name, MaxStreams,
            MaxFields);
  }
  ok = ok && run(t, s, unit, in, out);
  free(t);
  free(in);
  free(out);
  return ok;
}

bool stimulus_drive(const stimulus_t *s, const unit_model_t *model, harness_t *harness,
                    err_t *err) {
  return model->stimulus ? model->stimulus->run(s, harness, err)
                         : stimulus_page(s, model->info, harness, err);
}

void stimulus_page_knobs(const unit_info_t *info) {
  for (const unit_stream_t *s = info->streams; s->name; s++) {
    const unit_field_t *valid = unit_find_field(s->is_output ? info->out : info->in, s->valid);
    if ((!s->is_output && valid->role != UnitRolePeekValid) || s->ready) {
      printf("  %-24s steps in which %s: 1000, 800, 300, 50\n", s->name,
             s->is_output ? "it is taken" : "it becomes valid");
    }
  }
  for (const unit_field_t *f = info->in; f->name; f++) {
    if (f->role != UnitRoleValid && f->role != UnitRoleReady && f->role != UnitRolePeekValid) {
      char name[NameSize];
      snprintf(name, sizeof name, "value.%s", f->name);
      printf("  %-24s each value drawn from the range\n", name);
    }
  }
  for (const unit_param_t *p = info->params; p->name; p++) {
    char name[NameSize];
    snprintf(name, sizeof name, "param.%s", p->name);
    printf("  %-24s the parameter\n", name);
  }
  printf(
      "  %-24s values beyond limits and names, credits that nobody owes: 0, 0, 0, 5\n"
      "  %-24s steps that peek: 0, 50\n"
      "  %-24s steps from one reset to the next, in the mean; 0: none: 100, 1000, 5000\n",
      "errors", "peek", "resets");
}
