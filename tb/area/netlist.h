// SPDX-License-Identifier: Apache-2.0
// Reads back what Yosys wrote of a unit (rtl/synth/synth.sh): the registers and memories of the
// elaborated RTL by name, and the mapped netlist with its cells, area, depth and memories.
#ifndef NOCTURNE_AREA_NETLIST_H
#define NOCTURNE_AREA_NETLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "csim/base/strings.h"
#include "liberty.h"

// A register or memory as the RTL names it; those that differ only in an index are one.
typedef struct {
  const char *name;
  uint64_t bits;
  uint32_t width, words;  // words: entries, times instances
  bool is_memory;         // an array that the RTL indexes
} netlist_storage_t;

typedef struct {
  const char *name;
  uint32_t width, words, reads, writes, address_bits;
  bool is_clocked;  // reads at an edge of the clock; else within the cycle, through logic
} netlist_memory_t;

typedef struct {
  netlist_storage_t *storage;  // sorted by name
  uint32_t storage_count;
  uint64_t storage_bits;
  netlist_memory_t *memories;  // those that the mapping kept as memories
  uint32_t memory_count;
  uint64_t cells, flip_flops;
  uint32_t depth;               // cells on the longest path between registers, memories and pins
  double area;                  // square micrometres, without memories
  double leakage;               // nW
  const char **register_names;  // of the bit that instance u<i> of timing.v keeps; NULL: no name
  uint32_t instance_count;
  strings_t names;  // owns all names above
} netlist_t;

// Reads elaborated.json and netlist.json of the folder. Writes timing.v there, the netlist for
// OpenSTA: ports as the RTL's, cells u<i>, memories as cells memory_<i> named m<i> (timing.h).
// netlist_free is needed only after success.
bool netlist_load(netlist_t *netlist, const liberty_t *liberty, const char *unit,
                  const char *folder, err_t *err);
void netlist_free(netlist_t *netlist);

// Returns a new string, the RTL's name of a path's end in timing.v ("u25441/CLK", "m0/RD_DATA_3");
// the end itself where the RTL has no name, as for a port. NULL without memory.
char *netlist_end_name(const netlist_t *netlist, const char *end);

#endif
