// SPDX-License-Identifier: Apache-2.0
#include "features.h"

#include <stdlib.h>
#include <string.h>

enum {
  PointsSize = 1 << 16,
  PairsSize = 1 << 14,
  SmallBits = 8,     // of a small field
  MostChanges = 12,  // of one step that are paired
};

// libFuzzer takes each byte that an input changes as something that it reached, by classes of its
// value.
__attribute__((
    section("__libfuzzer_extra_counters"))) static uint8_t reached[PointsSize + PairsSize];

bool features_open(features_t *f, lockstep_t *unit) {
  const instance_t *u = &unit->unit;
  *f = (features_t){.unit = unit};
  if (u->rtl.counters) {
    f->counters = u->rtl.counters(u->rtl.model, &f->count);
  }
  f->before = calloc(f->count + 1, sizeof *f->before);
  f->last = calloc(1, u->info->out_size + u->info->state_size + 1);
  return f->before && f->last;
}

void features_begin(features_t *f) {
  const unit_info_t *info = f->unit->unit.info;
  if (f->counters) {
    memcpy(f->before, f->counters, f->count * sizeof *f->before);
  }
  memset(f->last, 0, info->out_size + info->state_size);
}

// Adds a field's elements that changed to `changes`, each as a hash of place and value.
static uint32_t changed(const features_t *f, const unit_field_t *fields, const void *now,
                        const void *last, bool is_state, uint32_t changes[MostChanges],
                        uint32_t count) {
  const instance_t *u = &f->unit->unit;
  for (const unit_field_t *d = fields; d->name; d++) {
    bool is_control = is_state || (d->role != UnitRolePayload && d->role != UnitRolePeekData);
    uint32_t elements =
        is_control && instance_dim(u, d->bits) <= SmallBits ? instance_dim(u, d->elements) : 0;
    for (uint32_t i = 0; i < elements && count < MostChanges; i++) {
      uint32_t value = (uint32_t)unit_element(now, d, i);
      if (value != (uint32_t)unit_element(last, d, i)) {
        uint32_t place = (uint32_t)(d - fields) << 8 ^ i ^ (uint32_t)is_state << 20;
        changes[count++] = (place * 0x9e3779b1u) ^ (value * 0x85ebca6bu);
      }
    }
  }
  return count;
}

void features_step(features_t *f, const void *out) {
  const instance_t *u = &f->unit->unit;
  const size_t out_size = u->info->out_size;
  const void *state = u->has_golden ? u->golden_state : u->rtl_state;
  uint32_t changes[MostChanges];
  uint32_t count = changed(f, u->info->out, out, f->last, false, changes, 0);
  count = changed(f, u->info->state, state, f->last + out_size, true, changes, count);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = i; k < count; k++) {
      uint32_t hash = (changes[i] + 1) * 0xc2b2ae35u ^ changes[k];
      reached[PointsSize + (hash ^ hash >> 16) % PairsSize] = 1;
    }
  }
  if (count) {
    memcpy(f->last, out, out_size);
    memcpy(f->last + out_size, state, u->info->state_size);
  }
}

void features_end(features_t *f) {
  for (uint32_t i = 0; f->counters && i < f->count; i++) {
    uint32_t n = f->counters[i] - f->before[i];
    if (n) {
      reached[i % PointsSize] |= n < 8 ? 1 : n < 64 ? 8 : 128;  // three classes
    }
  }
}
