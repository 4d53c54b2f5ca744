// SPDX-License-Identifier: Apache-2.0
// Static timing and power of a mapped netlist by OpenSTA (Debian's opensta): no wires, an ideal
// clock. Inputs come at the clock's edge and outputs may take the whole cycle, unless an SDC file
// says otherwise.
//
// Memories are cells of a liberty file that is written beside the netlist: an address and what is
// written end a path at the clock's edge; a word read begins one there, access ns later. Where the
// memory reads within the cycle and its access time is known, the address goes through it.
#ifndef NOCTURNE_AREA_TIMING_H
#define NOCTURNE_AREA_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "liberty.h"
#include "netlist.h"

typedef struct {
  double access;  // ns; 0: not known
} timing_memory_t;

typedef struct {
  const char *liberty;              // the file
  const char *sdc;                  // or NULL
  const char *unit, *folder;        // folder holds timing.v
  const timing_memory_t *memories;  // of the netlist's
  bool with_power;
} timing_request_t;

typedef struct {
  bool has_period;  // false: no path
  double period;    // ps, the shortest: the clock's less the worst slack
  double wanted;    // ps, the SDC file's clock; 0: none
  double slack;     // ps, at that clock
  char *from, *to;  // owned, ends of the path by the RTL's names; NULL: no path
  bool has_power;
  double internal, switching, leakage;  // mW, at the clock above
} timing_t;

// Each cell's inputs in power: transitions in so many cycles where no vectors are given.
static const double TimingActivity = 0.1;

// Measures. The error is OpenSTA's own first complaint, or that it is missing. Call timing_free
// in any case.
bool timing_measure(timing_t *timing, const timing_request_t *request, const netlist_t *netlist,
                    err_t *err);
void timing_free(timing_t *timing);

#endif
