// SPDX-License-Identifier: Apache-2.0
// Finds units by name, and makes an instance of one behind the harness's engine.
#ifndef NOCTURNE_HARNESS_UNITS_H
#define NOCTURNE_HARNESS_UNITS_H

#include "harness.h"

// Holds the parameter struct of any unit.
typedef union {
  uint64_t align;
  uint8_t bytes[512];
} unit_params_t;

const unit_model_t *unit_find(const char *name);  // NULL: no such unit

const unit_model_t *unit_at(uint32_t index);  // the tree's, by name; NULL beyond the last

// Adds a unit from outside the tree, at most UnitMaxAdded; unit_find knows it from here on, and
// not the tree's of the same name.
enum { UnitMaxAdded = 8 };
void unit_add(const unit_model_t *model);

#endif
