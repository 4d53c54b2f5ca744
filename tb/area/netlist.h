// SPDX-License-Identifier: Apache-2.0
// What Yosys wrote of a unit (rtl/synth/synth.sh), read back: the registers and memories of the
// elaborated RTL by name, and the mapped netlist: cells, area, depth, memories kept as such.
#ifndef NOCTURNE_AREA_NETLIST_H
#define NOCTURNE_AREA_NETLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liberty.h"

enum { NetlistName = 160 };

// A register or memory as the RTL names it; those that differ only in an index are one.
typedef struct {
  char name[NetlistName];
  uint64_t bits;
  uint32_t width, words;  // words: entries, times instances
  bool is_memory;         // an array that the RTL indexes
} netlist_storage_t;

typedef struct {
  char name[NetlistName];
  uint32_t width, words, reads, writes, address_bits;
  bool is_clocked;  // reads at an edge of the clock; else within the cycle, through logic
} netlist_memory_t;

typedef struct {
  netlist_storage_t *storage;  // sorted by name
  uint32_t storage_count;
  uint64_t storage_bits;
  netlist_memory_t *memories;  // that stay memories
  uint32_t memory_count;
  uint64_t cells, flip_flops;
  uint32_t depth;      // cells on the longest path between registers, memories and pins
  double area;         // square micrometres, memories left out
  double leakage;      // nW
  char **register_names;  // the bit that instance u<i> of timing.v keeps; NULL: the RTL has none
  uint32_t instance_count;
} netlist_t;

// folder holds elaborated.json and netlist.json. Writes timing.v there, the netlist for OpenSTA:
// ports as the RTL's, cells u<i>, memories as cells memory_<i> named m<i> (timing.h). False with
// one line in error.
bool netlist_load(netlist_t *netlist, const liberty_t *liberty, const char *unit,
                  const char *folder, char *error, size_t size);
void netlist_free(netlist_t *netlist);

// The RTL's name of a path's end in timing.v, "u25441/CLK" or "m0/RD_DATA_3"; the end itself where
// the RTL has none, as of a port. Cut to size bytes.
void netlist_name_end(char *out, size_t size, const netlist_t *netlist, const char *end);

// Indices become [*]: "gen_way[3].valid_q" and "scheduled_q[0]" are one each. Cut to size bytes.
void netlist_strip_indices(char *out, size_t size, const char *name);

#endif
