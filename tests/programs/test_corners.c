// SPDX-License-Identifier: Apache-2.0
// Corners in the inputs of every unit's stimulus: each field of a payload and each pin takes every
// corner of its width and limit, and what is offered is held until it is taken.
#include "tb/stimulus/corners.h"

#include <stdio.h>

#include "tb/harness/lockstep.h"
#include "tb/harness/units.h"
#include "tb/stimulus/stimulus_page.h"
#include "tests/programs/test.h"

enum { Fields = 256, Corners = 5, Seeds = 400, Cycles = 150 };

extern const unit_model_t UnitModels[];

// Stands between the corners and the unit.
static struct {
  unit_engine_t engine;
  const unit_engine_t *unit;
  const unit_info_t *info;
  uint32_t dims[UnitMaxDims], seen[Fields];  // a bit for each corner that a field has had
  uint8_t in[8192], before[8192], out[8192], out_before[8192];
  bool is_first;
} watch;

static uint64_t limit_of(const unit_field_t *f) {
  uint64_t limit = f->limit ? unit_dim(watch.dims, f->limit) : 0;
  for (uint32_t i = 0; f->values && f->values[i]; i++) {
    limit = i + 1;
  }
  return limit;
}

static void note(const unit_field_t *f, uint32_t number, uint64_t value) {
  const uint32_t bits = unit_dim(watch.dims, f->bits);
  const uint64_t all = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, limit = limit_of(f);
  const uint64_t corner[Corners] = {0, all, all - all / 2, (limit - 1) & all, limit & all};
  for (uint32_t i = 0; i < Corners; i++) {
    watch.seen[number] |= (uint32_t)(value == corner[i] || (i > 2 && !limit)) << i;
  }
}

// The lanes of a field's stream that are valid, or taken, in these inputs.
static uint64_t lanes_of(const unit_field_t *f, const void *in, bool is_back) {
  const unit_stream_t *s = &watch.info->streams[f->stream];
  return unit_element(in, unit_find_field(watch.info->in, is_back ? s->ready : s->valid), 0);
}

// A lane that was valid and not taken has the same payload.
static void check_held(const unit_field_t *f, uint32_t element, uint32_t lane) {
  const unit_stream_t *s = &watch.info->streams[f->stream];
  const uint64_t ready =
      s->ready ? unit_element(watch.out_before, unit_find_field(watch.info->out, s->ready), 0)
               : ~0ull;
  if (!watch.is_first && lanes_of(f, watch.before, false) & ~ready & 1ull << lane) {
    assert_int_equal(unit_element(watch.in, f, element), unit_element(watch.before, f, element));
  }
}

static unit_status_e step(void *self, const void *in, void *out) {
  (void)self;
  memcpy(watch.in, in, watch.info->in_size);
  for (uint32_t n = 0; watch.info->in[n].name; n++) {
    const unit_field_t *f = &watch.info->in[n];
    const bool is_pin = f->role == UnitRolePin, is_back = f->role == UnitRoleBack;
    if (!is_pin && !is_back && f->role != UnitRolePayload) {
      continue;
    }
    const uint64_t lanes = is_pin ? ~0ull : lanes_of(f, in, is_back);
    for (uint32_t i = 0; i < unit_dim(watch.dims, f->elements); i++) {
      const uint32_t lane = f->per_lane ? i / f->per_lane
                            : lanes     ? (uint32_t)__builtin_ctzll(lanes)
                                        : 0;
      if (lanes >> lane & 1) {
        note(f, n, unit_element(in, f, i));
        if (!is_pin && !is_back && f->per_lane) {
          check_held(f, i, lane);
        }
      }
    }
  }
  memcpy(watch.before, in, watch.info->in_size);
  memcpy(watch.out_before, watch.out, watch.info->out_size);
  const unit_status_e status = watch.unit->step(watch.unit->self, in, out);
  memcpy(watch.out, out, watch.info->out_size);
  watch.is_first = false;
  return status;
}

static void reset(void *self, void *out) {
  (void)self;
  watch.is_first = true;
  watch.unit->reset(watch.unit->self, out);
  memcpy(watch.out, out, watch.info->out_size);
}

static const unit_engine_t *make(void *self, harness_t *h, const unit_info_t *info,
                                 const void *params, uint32_t instance, err_t *err) {
  (void)self;
  assert_true(info->in_size <= sizeof watch.in && info->out_size <= sizeof watch.out);
  assert_true(harness_unit_create(h, info, params, instance, NULL, err));
  info->dims(params, watch.dims);
  watch.unit = &harness_unit(h, 0)->engine;
  watch.engine = (unit_engine_t){NULL, step, reset, NULL};
  return &watch.engine;
}

// Returns the name of a field that lacks a corner, or NULL.
static const char *missing(void) {
  for (uint32_t n = 0; watch.info->in[n].name; n++) {
    const unit_field_t *f = &watch.info->in[n];
    const bool counts = f->role == UnitRolePin || f->role == UnitRoleBack ||
                        (f->role == UnitRolePayload && unit_dim(watch.dims, f->elements) > 0);
    if (counts && watch.seen[n] != (1u << Corners) - 1) {
      return f->name;
    }
  }
  return NULL;
}

TEST(test_every_corner) {
  const stimulus_host_t host = {NULL, make};
  for (const unit_model_t *m = UnitModels; m->info; m++) {
    memset(&watch, 0, sizeof watch);
    watch.info = m->info;
    const char *left = "";
    for (uint64_t seed = 1; seed <= Seeds && left; seed++) {
      err_auto_t err = {0};
      uint64_t clock = 0;
      stimulus_knob_t knobs[StimulusMaxKnobs] = {{.name = CORNERS_KNOB, .value = "300"}};
      const harness_options_t options = {.engine = EngineGolden, .seed = seed};
      const stimulus_t s = {.gpus = 3,
                            .seed = seed,
                            .cycles = Cycles,
                            .knobs = knobs,
                            .clock = &clock,
                            .host = &host};
      harness_t *h = harness_create(&options);
      assert_non_null(h);
      if (!stimulus_drive(&s, m, h, &err)) {
        fail_msg("%s, seed %d: %s", m->info->name, (int)seed, err_text(&err));
      }
      harness_destroy(h);
      left = missing();
    }
    if (left) {
      fail_msg("%s: %s lacks a corner", m->info->name, left);
    }
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
