// SPDX-License-Identifier: Apache-2.0
// A unit by its modules: what each costs where each is synthesized by itself
// (rtl/synth/modules.sh), and a schematic of its blocks (rtl/synth/hierarchy.sh).
#ifndef NOCTURNE_AREA_MODULES_H
#define NOCTURNE_AREA_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liberty.h"

enum { ModulesMax = 256, ModulesName = 96 };

// Instances of one module under one parent, which differ at most in an index, are one.
typedef struct {
  char instance[ModulesName], module[ModulesName];
  uint32_t depth, instances;  // depth: 0 for the unit itself
  uint64_t cells, flip_flops, memory_bits;  // of all instances, with what is inside
  double cells_osu018, area_osu018, area_28nm;  // square micrometres; area: memories too
} module_cost_t;

// folder holds modules.json. Rows in the order of the tree. False with one line in error.
bool modules_load(module_cost_t rows[ModulesMax], uint32_t *count, const liberty_t *liberty,
                  const char *unit, const char *folder, char *error, size_t size);

// Writes a graph for graphviz of the unit's top: its ports by their first word, its instances, its
// memories, and its registers, those of a pipeline stage (a common first letter) as one. An arrow:
// data goes from one to the other, through logic or not; selects, enables and comparisons are left
// out. folder holds hierarchy.json.
bool modules_schematic(const char *path, const char *unit, const char *folder, char *error,
                       size_t size);

#endif
