// SPDX-License-Identifier: Apache-2.0
// Draws the blocks of a unit's top as a graph for graphviz.
//
// Blocks are the ports by their first word, the instances, the memories, and the registers, those
// of a pipeline stage (one or two common first letters) as one. A solid arrow is data that goes
// from one to the other, through logic or not. Selects, enables and comparisons are left out,
// unless a block has no other way in or out; then they are dashed.
#ifndef NOCTURNE_AREA_SCHEMATIC_H
#define NOCTURNE_AREA_SCHEMATIC_H

#include <stdbool.h>

#include "csim/base/err.h"

// Writes the graph to path. folder holds hierarchy.json (rtl/synth/hierarchy.sh).
bool schematic_write(const char *path, const char *unit, const char *folder, err_t *err);

#endif
