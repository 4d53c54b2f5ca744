// SPDX-License-Identifier: Apache-2.0
// Reads a table of memory macros of a user's library.
//
//   macros:
//     - {name: sram_256x32, words: 256, width: 32, reads: 1, writes: 1, area_um2: 21000,
//        access_ns: 1.9}
//     - {name: rf_64x16, words: 64, width: 16, reads: 1, writes: 1, clocked: no,
//        area_um2: 9000, access_ns: 1.1}
//
// With clocked: yes (the default) a word comes access_ns after the edge that took the address; with
// clocked: no it comes access_ns after the address. A memory that has more words, a wider word or
// more read ports than a macro takes several macros: banks side by side, and a copy for each reads
// ports. The choice is the one of the least area; selecting a bank costs nothing here. Write ports
// are not multiplied: a macro needs as many as the memory.
#ifndef NOCTURNE_AREA_MACROS_H
#define NOCTURNE_AREA_MACROS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/yaml_file.h"
#include "netlist.h"

typedef struct {
  const char *name;
  uint32_t words, width, reads, writes;
  bool is_clocked;
  double area, access;  // square micrometres, ns
} macro_t;

typedef struct {
  uint32_t count;
  macro_t *macros;
  yaml_file_t file;  // owns the names
} macros_t;

// Loads a table; false after a complaint. macros_free is due in any case.
bool macros_load(macros_t *macros, const char *path, err_t *err);
void macros_free(macros_t *macros);

// Returns the macro that a memory is built of, and how many; NULL if no macro has its write ports
// and its way of reading.
const macro_t *macros_for(const macros_t *macros, const netlist_memory_t *memory, uint32_t *count);

#endif
