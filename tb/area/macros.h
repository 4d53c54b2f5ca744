// SPDX-License-Identifier: Apache-2.0
// Memories of a user's library: a table of macros, of which those of a unit are built.
//
//   macros:
//     - {name: sram_256x32, words: 256, width: 32, reads: 1, writes: 1, area_um2: 21000,
//        access_ns: 1.9}
//     - {name: rf_64x16, words: 64, width: 16, reads: 1, writes: 1, clocked: no,
//        area_um2: 9000, access_ns: 1.1}
//
// clocked (yes): a word comes access_ns after the edge that took the address; no: access_ns after
// the address. A memory of more words, a wider word or more read ports than a macro takes several:
// banks side by side, and a copy for each reads ports. The choice is of the least area; selecting a
// bank costs nothing here. Write ports are not multiplied: a macro needs as many as the memory.
#ifndef NOCTURNE_AREA_MACROS_H
#define NOCTURNE_AREA_MACROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netlist.h"

enum { MacrosMax = 256, MacrosName = 64 };

typedef struct {
  char name[MacrosName];
  uint32_t words, width, reads, writes;
  bool is_clocked;
  double area, access;  // square micrometres, ns
} macro_t;

typedef struct {
  uint32_t count;
  macro_t macros[MacrosMax];
} macros_t;

// False with one line in error, of the file's line and column.
bool macros_load(macros_t *macros, const char *path, char *error, size_t size);

// The macro that a memory is built of, and how many: NULL where none has its write ports and its
// way of reading.
const macro_t *macros_for(const macros_t *macros, const netlist_memory_t *memory, uint32_t *count);

#endif
