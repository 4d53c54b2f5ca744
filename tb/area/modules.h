// SPDX-License-Identifier: Apache-2.0
// The cost of each module of a unit where each is synthesized by itself (rtl/synth/modules.sh).
#ifndef NOCTURNE_AREA_MODULES_H
#define NOCTURNE_AREA_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "csim/base/strings.h"
#include "liberty.h"

// Instances of one module under one parent, which differ at most in an index, are one.
typedef struct {
  const char *instance, *module;
  uint32_t depth, instances;                    // depth: 0 for the unit itself
  uint64_t cells, flip_flops, memory_bits;      // of all instances and what is inside
  double cells_osu018, area_osu018, area_28nm;  // square micrometres; area includes memories
} module_cost_t;

// A table of zeros is empty.
typedef struct {
  module_cost_t *rows;  // in the order of the tree
  uint32_t count, room;
  strings_t names;  // owns the rows' names
} modules_t;

// Reads modules.json of the folder. modules_free is needed in any case.
bool modules_load(modules_t *modules, const liberty_t *liberty, const char *unit,
                  const char *folder, err_t *err);
void modules_free(modules_t *modules);

#endif
