// SPDX-License-Identifier: Apache-2.0
// Errors of one cycle: of several causes the lowest code wins, in every unit (docs/units).
//
// Nothing here knows a unit. The unit's own traffic without faults is the context; changes of one
// lane of one input stream are tried in it at random, and those that end in an error in the same
// cycle are kept as its causes. Two of them, on different lanes or streams, then happen together.
// Codes are nibbles of the error output, each of its own. NOCTURNE_ENGINE as in unit_engine.h.
#include <stdio.h>

#include "csim/base/rng.h"
#include "tb/harness/lockstep.h"
#include "tb/harness/room.h"
#include "tb/harness/units.h"
#include "tb/stimulus/stimulus_page.h"
#include "unit_engine.h"

enum {
  Runs = 32,     // contexts of a unit
  Learnt = 8,    // of these, those that only tell in how many cycles a change is an error
  Cycles = 20,   // of a context in which errors meet
  Steps = 100,   // of a context
  Trials = 60,   // changes tried of a cycle
  Lead = 8,      // cycles from a change to its error, at most
  Most = 6,      // causes kept of a cycle and a code
  Codes = 32,    // of a unit; of a joined one each part has a nibble
  Enough = 5,    // meetings of two codes
  Bytes = 8192,  // of the inputs
};

// A change of a step's inputs, and the error that it alone leads to.
typedef struct {
  uint32_t at, stream, lane, code, id;  // id: index of the code
  uint8_t bits[Bytes];                  // that differ
} cause_t;

typedef struct {
  const unit_info_t *info;
  harness_t *harness;
  lockstep_t *unit;
  uint32_t dims[UnitMaxDims];
  rng_t rng;
  const uint8_t *steps;
  uint32_t count, cycle;  // of steps; the cycle in which the errors are to meet
  uint8_t in[Bytes], out[Bytes];
  cause_t causes[Codes * Most];
  uint32_t cause_count;
  // A row for each code that was met: the code, its causes kept, and its least lead in all
  // contexts.
  uint32_t codes[Codes], kept[Codes], lead[Codes], code_count;
  uint32_t met[Codes][Codes];  // how often
} bench_t;

static uint64_t ones(uint32_t bits) { return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1; }

static uint64_t error_of(const bench_t *b) {
  return unit_element(b->out, unit_find_field(b->info->out, "error"), 0);
}

// Plays the context with these changes; returns the error of the cycle, or UINT64_MAX if there was
// one before.
static uint64_t play(bench_t *b, const cause_t *first, const cause_t *second) {
  const size_t size = b->info->in_size;
  lockstep_reset_for(b->unit, 1, b->out);
  for (uint32_t i = 0; i <= b->cycle; i++) {
    if (error_of(b)) {
      return UINT64_MAX;
    }
    memcpy(b->in, b->steps + i * size, size);
    for (uint32_t k = 0; k < size; k++) {
      b->in[k] ^= first && first->at == i ? first->bits[k] : 0;
      b->in[k] ^= second && second->at == i ? second->bits[k] : 0;
    }
    if (lockstep_step(b->unit, b->in, b->out) != UnitOk) {
      fail_msg("%s", harness_failure(b->harness));
    }
  }
  return error_of(b);
}

// Corners more often than anything else.
static uint64_t any_value(bench_t *b, const unit_field_t *f) {
  rng_t *r = &b->rng;
  const uint64_t all = ones(unit_dim(b->dims, f->bits));
  switch (rng_below(r, 6)) {
    case 0: return all;
    case 1: return (all >> 1) + 1;
    case 2: return rng_below(r, 8) & all;
    default: return rng_u64(r) & all;
  }
}

// Makes a change of one lane: it becomes valid, and some of its fields have other values.
static void change(bench_t *b, cause_t *c) {
  rng_t *r = &b->rng;
  const unit_info_t *info = b->info;
  uint32_t streams = 0;
  while (info->streams[streams].name) {
    streams++;
  }
  do {
    c->stream = rng_below(r, streams);
  } while (info->streams[c->stream].is_output);
  const unit_stream_t *s = &info->streams[c->stream];
  const unit_field_t *valid = unit_find_field(info->in, s->valid);
  c->lane = rng_below(r, unit_dim(b->dims, s->lanes));
  c->at = b->cycle - (rng_chance(r, 500) ? 0 : rng_below(r, Lead));
  const uint8_t *before = b->steps + c->at * info->in_size;
  memcpy(b->in, before, info->in_size);
  unit_set_element(b->in, valid, 0, unit_element(before, valid, 0) | 1ull << c->lane);
  for (const unit_field_t *f = info->in; f->name; f++) {
    const bool is_pin = f->role == UnitRolePin && !f->is_constant;
    const bool is_payload = f->role == UnitRolePayload && f->stream == (int32_t)c->stream;
    if (!(is_payload && rng_chance(r, 500)) && !(is_pin && rng_chance(r, 200))) {
      continue;
    }
    const uint32_t first = f->per_lane * c->lane;
    const uint32_t count = f->per_lane ? f->per_lane : unit_dim(b->dims, f->elements);
    for (uint32_t i = first; i < first + count; i++) {
      unit_set_element(b->in, f, i, any_value(b, f));
    }
  }
  for (size_t k = 0; k < info->in_size; k++) {
    c->bits[k] = b->in[k] ^ before[k];
  }
}

static uint32_t id_of(bench_t *b, uint32_t code) {
  uint32_t id = 0;
  while (id < b->code_count && b->codes[id] != code) {
    id++;
  }
  if (id == b->code_count) {
    assert_true(id < Codes);
    b->codes[b->code_count++] = code;
    b->lead[id] = UINT32_MAX;
    b->kept[id] = 0;
  }
  return id;
}

static void find_causes(bench_t *b) {
  b->cause_count = 0;
  memset(b->kept, 0, sizeof b->kept);
  for (uint32_t i = 0; i < Trials && b->cause_count < Codes * Most; i++) {
    cause_t *c = &b->causes[b->cause_count];
    change(b, c);
    const uint64_t code = play(b, c, NULL);
    const uint32_t lead = b->cycle - c->at;
    if (code == 0 || code == UINT64_MAX) {
      continue;
    }
    c->code = (uint32_t)code;
    c->id = id_of(b, c->code);
    if (b->kept[c->id] < Most && lead <= b->lead[c->id]) {
      b->kept[c->id]++;
      b->lead[c->id] = lead;
      b->cause_count++;
    }
  }
}

// The lower code of each nibble, if both have one.
static uint32_t both(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (uint32_t shift = 0; shift < 16; shift += 4) {
    const uint32_t x = a >> shift & 15, y = b >> shift & 15;
    sum |= (x && y ? (x < y ? x : y) : x | y) << shift;
  }
  return sum;
}

static const char *name_of(const bench_t *b, uint32_t code) {
  const unit_field_t *f = unit_find_field(b->info->out, "error");
  uint32_t names = 0;
  while (f->values && f->values[names]) {
    names++;
  }
  static char texts[2][16];
  char *text = texts[code & 1];
  snprintf(text, sizeof *texts, "0x%x", code);
  return code < names ? f->values[code] : text;
}

// An error that comes earlier than it must may be a fault of the context's own later steps, which
// another change would prevent.
static bool is_late(const bench_t *b, const cause_t *c) {
  return b->cycle - c->at == b->lead[c->id];
}

static void meet(bench_t *b, const cause_t *x, const cause_t *y) {
  if (b->met[x->id][y->id] >= Enough) {
    return;
  }
  if (!is_late(b, x) || !is_late(b, y)) {
    return;
  }
  if (x->code == y->code || (x->stream == y->stream && x->lane == y->lane)) {
    return;
  }
  for (size_t k = 0; k < b->info->in_size; k++) {
    if (x->bits[k] & y->bits[k]) {
      return;
    }
  }
  const uint64_t code = play(b, x, y);
  if (code != both(x->code, y->code)) {
    fail_msg("%s: %s (%s, lane %u) and %s (%s, lane %u) in one cycle: error is %u, expected %u",
             b->info->name, name_of(b, x->code), b->info->streams[x->stream].name, x->lane,
             name_of(b, y->code), b->info->streams[y->stream].name, y->lane, (uint32_t)code,
             both(x->code, y->code));
  }
  b->met[y->id][x->id] = ++b->met[x->id][y->id];
}

static void meet_all(bench_t *b) {
  for (uint32_t i = 0; i < b->cause_count; i++) {
    for (uint32_t k = 0; k < i; k++) {
      meet(b, &b->causes[i], &b->causes[k]);
    }
  }
}

// Traffic without faults; what it has done since its last reset is the context.
static void context(bench_t *b, const stimulus_t *base, const unit_model_t *model, uint32_t seed) {
  err_auto_t err = {0};
  const harness_options_t options = {
      .engine = engine_chosen(), .seed = seed, .keep_steps = Steps, .unreported = true};
  stimulus_t s = *base;
  uint64_t clock = 0;
  s.seed = seed;
  s.cycles = Steps;
  s.clock = &clock;
  b->harness = harness_create(&options);
  assert_non_null(b->harness);
  if (!stimulus_drive(&s, model, b->harness, &err)) {
    fail_msg("%s: %s", model->info->name,
             harness_failure(b->harness) ? harness_failure(b->harness) : err_text(&err));
  }
  b->unit = harness_unit(b->harness, 0);
  memcpy(b->dims, b->unit->unit.dims, sizeof b->dims);
  b->steps = b->unit->kept + b->unit->kept_from * model->info->in_size;
  b->count = (uint32_t)(b->unit->kept_count - b->unit->kept_from);
  b->unit->kept_count = UINT64_MAX;  // what follows is not kept
}

// Leaves out what follows an error of the traffic itself.
static void cut(bench_t *b) {
  lockstep_reset_for(b->unit, 1, b->out);
  for (uint32_t i = 0; i < b->count; i++) {
    memcpy(b->in, b->steps + i * b->info->in_size, b->info->in_size);
    if (lockstep_step(b->unit, b->in, b->out) != UnitOk || error_of(b)) {
      b->count = i;
    }
  }
}

static uint32_t pairs_of(const unit_model_t *model, const stimulus_t *base) {
  bench_t *b = calloc(1, sizeof *b);
  assert_non_null(b);
  assert_true(model->info->in_size <= Bytes && model->info->out_size <= Bytes);
  b->info = model->info;
  rng_seed(&b->rng, 1);
  for (uint32_t run = 1; run <= Runs; run++) {
    context(b, base, model, run);
    cut(b);
    for (uint32_t i = 0; i < Cycles && b->count > Lead; i++) {
      b->cycle = Lead + rng_below(&b->rng, b->count - Lead);
      find_causes(b);
      if (run > Learnt) {
        meet_all(b);
      }
    }
    harness_destroy(b->harness);
  }
  uint32_t pairs = 0;
  for (uint32_t i = 0; i < Codes; i++) {
    for (uint32_t k = 0; k < i; k++) {
      pairs += b->met[i][k] > 0;
    }
  }
  printf("%s: %u pairs\n", model->info->name, pairs);
  free(b);
  return pairs;
}

// A unit's wants beside that there be no faults.
static void read_knobs(json_t *wanted, stimulus_knob_t *knobs, char (*values)[16]) {
  const char *name;
  json_t *value;
  uint32_t count = 2;
  json_object_foreach(wanted, name, value) {
    assert_true(count < StimulusMaxKnobs);
    snprintf(values[count], sizeof *values, "%lld", (long long)json_integer_value(value));
    knobs[count] = (stimulus_knob_t){.name = name, .value = values[count]};
    count++;
  }
}

TEST(test_pairs) {
  err_auto_t err = {0};
  json_t *rooms = room_list("errors", NULL, 0, &err), *room;
  size_t i;
  if (!rooms) {
    fail_msg("%s", err_text(&err));
  }
  json_array_foreach(rooms, i, room) {
    const json_t *errors = json_object_get(room, "errors");
    const char *unit = json_string_value(json_object_get(room, "unit"));
    stimulus_knob_t knobs[StimulusMaxKnobs] = {{.name = "errors", .value = "0"},
                                               {.name = "corners", .value = "0"}};
    char values[StimulusMaxKnobs][16];
    read_knobs(json_object_get(errors, "knobs"), knobs, values);
    const stimulus_t base = {.knobs = knobs,
                             .gpus = (uint32_t)json_integer_value(json_object_get(errors, "gpus")),
                             .set = json_string_value(json_object_get(errors, "set"))};
    const uint32_t pairs = pairs_of(unit_find(unit), &base);
    if (pairs < json_integer_value(json_object_get(errors, "pairs"))) {
      fail_msg("%s: %u pairs of errors met in a cycle, expected at least those of unit.yaml", unit,
               pairs);
    }
  }
  json_decref(rooms);
}

int main(void) { return run_all_tests(NULL, NULL); }
