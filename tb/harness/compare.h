// SPDX-License-Identifier: Apache-2.0
// Compares golden model and hardware: outputs field by field, and the observed state.
#ifndef NOCTURNE_HARNESS_COMPARE_H
#define NOCTURNE_HARNESS_COMPARE_H

#include "instance.h"

// One element that differs.
typedef struct {
  const unit_field_t *field;  // NULL: none
  uint32_t index;
  bool is_state, is_late;  // is_late: used by compare_next only
  uint64_t expected, actual;
} difference_t;

// Returns true if the hardware has these outputs and the state in golden_state.
bool compare_agrees(const instance_t *unit, const void *out);

// Finds the differences of two structs with these fields, one per call; returns false at the end.
// `at` starts as {0}. Quiescent comes last because it often follows from another difference.
bool compare_next(const unit_info_t *info, const unit_field_t *fields, const void *expected,
                  const void *actual, difference_t *at);

// Returns the first difference of the outputs, or else of the state. expected NULL: the state only.
difference_t compare_first(const instance_t *unit, const void *expected, const void *actual);

#endif
