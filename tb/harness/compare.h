// SPDX-License-Identifier: Apache-2.0
// The comparison of golden model and hardware: outputs field by field, and the observed state.
#ifndef NOCTURNE_HARNESS_COMPARE_H
#define NOCTURNE_HARNESS_COMPARE_H

#include "instance.h"

// One element that differs.
typedef struct {
  const unit_field_t *field;  // NULL: none
  uint32_t index;
  bool is_state, is_late;     // is_late: for compare_next alone
  uint64_t expected, actual;
} difference_t;

// Whether the hardware has these outputs and the state in golden_state.
bool compare_agrees(const instance_t *unit, const void *out);

// The differences of two structs with these fields, one after another; false at the end. `at`
// starts as {0}. Quiescent comes last: it often follows from another.
bool compare_next(const unit_info_t *info, const unit_field_t *fields, const void *expected,
                  const void *actual, difference_t *at);

// The first difference of the outputs, or else of the state. expected NULL: of the state alone.
difference_t compare_first(const instance_t *unit, const void *expected, const void *actual);

#endif
