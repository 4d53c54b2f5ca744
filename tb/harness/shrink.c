// SPDX-License-Identifier: Apache-2.0
#include "shrink.h"

#include <stdlib.h>
#include <string.h>

#include "lockstep.h"

typedef struct {
  lockstep_t *unit;
  uint8_t *inputs;  // of all steps, changed by the clearing of fields
  uint32_t *steps;  // which steps remain
  uint32_t *trial;
  uint8_t *out;
  uint32_t count;
  uint32_t reset_clocks;  // of the reset before the failure
  failure_t failure;      // that must remain
  uint64_t trials;
} shrinker_t;

// Plays the steps; if they fail in the same way, returns the number played, else 0.
static uint32_t fails(shrinker_t *s, const uint32_t *steps, uint32_t count) {
  lockstep_t *l = s->unit;
  s->trials++;
  l->failed = false;
  l->failure = (failure_t){0};
  lockstep_reset_for(l, s->reset_clocks, s->out);
  for (uint32_t i = 0; i < count; i++) {
    if (lockstep_step(l, s->inputs + (size_t)steps[i] * l->unit.info->in_size, s->out) != UnitOk) {
      return failure_same(&l->failure, &s->failure) ? i + 1 : 0;
    }
  }
  return 0;
}

// Takes over the trial if it fails.
static bool accept(shrinker_t *s, uint32_t count) {
  uint32_t played = count ? fails(s, s->trial, count) : 0;
  if (played == 0) {
    return false;
  }
  memcpy(s->steps, s->trial, played * sizeof *s->steps);
  s->count = played;
  return true;
}

static void drop_beginning(shrinker_t *s) {
  for (uint32_t keep = 4; keep < s->count; keep *= 2) {
    memcpy(s->trial, s->steps + s->count - keep, keep * sizeof *s->trial);
    if (accept(s, keep)) {
      return;
    }
  }
}

static void drop_pieces(shrinker_t *s) {
  for (uint32_t piece = s->count / 2; piece > 0; piece /= 2) {
    bool again = true;
    while (again) {
      again = false;
      for (uint32_t at = 0; at < s->count;) {
        uint32_t end = at + piece < s->count ? at + piece : s->count;
        memcpy(s->trial, s->steps, at * sizeof *s->trial);
        memcpy(s->trial + at, s->steps + end, (s->count - end) * sizeof *s->trial);
        if (accept(s, at + s->count - end)) {
          again = piece == 1;
        } else {
          at = end;
        }
      }
    }
  }
}

// A field that is not needed is cleared in all steps, else in each step in which it is not.
static void clear_fields(shrinker_t *s) {
  const unit_info_t *info = s->unit->unit.info;
  uint8_t *before = malloc((size_t)s->count * info->in_size);
  for (const unit_field_t *f = info->in; before && f->name; f++) {
    size_t size = (size_t)f->size * f->count;
    // A constant pin has one value.
    int32_t count = f->is_constant ? 0 : (int32_t)s->count;
    for (int32_t only = -1; only < count; only++) {
      bool any = false;
      for (uint32_t i = 0; i < s->count; i++) {
        uint8_t *at = s->inputs + (size_t)s->steps[i] * info->in_size + f->offset;
        memcpy(before + i * size, at, size);
        if (only < 0 || only == (int32_t)i) {
          for (size_t k = 0; k < size; k++) {
            any |= at[k] != 0;
          }
          memset(at, 0, size);
        }
      }
      if (any && fails(s, s->steps, s->count) == s->count) {
        if (only < 0) {
          break;
        }
        continue;
      }
      for (uint32_t i = 0; i < s->count; i++) {
        memcpy(s->inputs + (size_t)s->steps[i] * info->in_size + f->offset, before + i * size,
               size);
      }
      if (!any && only < 0) {
        break;
      }
    }
  }
  free(before);
}

bool shrink_stimulus(harness_t *h, const char *path, shrunk_t *shrunk, err_t *err) {
  lockstep_t *l = harness_unit(h, 0);
  *shrunk = (shrunk_t){0};
  err_set(err, ErrInput, "nothing to shrink: the first unit has not failed");
  if (!l || !l->failed || !l->failure.class || l->kept_count == l->kept_from) {
    return false;
  }
  shrinker_t s = {.unit = l,
                  .inputs = l->kept + l->kept_from * l->unit.info->in_size,
                  .count = (uint32_t)(l->kept_count - l->kept_from),
                  .reset_clocks = l->unit.reset_clocks,
                  .failure = l->failure};
  shrunk->before = s.count;
  l->kept_count = UINT64_MAX;  // the trials are not kept
  l->quiet = true;
  if (l->unit.has_rtl) {
    l->unit.rtl.quiet(l->unit.rtl.model, 1);
  }
  s.steps = calloc(s.count, sizeof *s.steps);
  s.trial = calloc(s.count, sizeof *s.trial);
  s.out = calloc(1, l->unit.info->out_size);
  bool ok = s.steps && s.trial && s.out;
  for (uint32_t i = 0; ok && i < s.count; i++) {
    s.steps[i] = s.trial[i] = i;
  }
  if (ok && !accept(&s, s.count)) {
    err_set(err, ErrInput, "the failure does not come back after a reset");
    ok = false;
  }
  if (ok) {
    drop_beginning(&s);
    drop_pieces(&s);
    clear_fields(&s);
    ok = lockstep_record(l, path, err) && fails(&s, s.steps, s.count) == s.count;
    shrunk->after = s.count;
    shrunk->trials = s.trials;
  }
  free(s.steps);
  free(s.trial);
  free(s.out);
  return ok;
}
