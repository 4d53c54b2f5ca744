// SPDX-License-Identifier: Apache-2.0
// The liberty files of a kit of cells as one file that all tools read.
//
// A kit may come in several files of one corner (ASAP7: by the kind of cell). The first one gives
// the library's head, the others add their cells and tables' templates. Expressions without quotes
// (GF180MCU: clear : !RN ;), at which Yosys stops, get quotes.
#ifndef NOCTURNE_AREA_KIT_H
#define NOCTURNE_AREA_KIT_H

#include <stdbool.h>
#include <stdint.h>

#include "csim/base/err.h"

// Sets *path, which the caller frees: the only file's where it may stay as it is, else that of the
// file made, in `folder`, by its content. Refuses a file that cannot be read or has no cells, two
// files that differ in a unit or in the corner, and a cell that comes twice.
bool kit_make(const char *const *files, uint32_t count, const char *folder, char **path,
              err_t *err);

#endif
