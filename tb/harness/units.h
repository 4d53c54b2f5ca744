// SPDX-License-Identifier: Apache-2.0
// The units by name, and an instance of one behind the harness's engine.
#ifndef NOCTURNE_HARNESS_UNITS_H
#define NOCTURNE_HARNESS_UNITS_H

#include "harness.h"

// Room for the parameter struct of any unit.
typedef union {
  uint64_t align;
  uint8_t bytes[512];
} unit_params_t;

const unit_model_t *unit_find(const char *name);  // NULL: no such unit

const unit_model_t *unit_at(uint32_t index);  // of the tree, by their names; NULL: beyond the last

// One unit from outside the tree; unit_find knows it from here on.
void unit_add(const unit_model_t *model);

#endif
