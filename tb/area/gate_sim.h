// SPDX-License-Identifier: Apache-2.0
// A mapped netlist, evaluated cycle by cycle without delays, to count its toggles. The energy
// estimate (unit_energy.h) gives it recorded vectors and compares its answers with them.
//
// A net toggles at most once a cycle: the settled values of successive cycles are compared, so
// glitches are not counted. Registers and memories start at 0, memories where Yosys names no first
// value. A clocked read port takes its reset's word in place of the memory's; a read that is
// enabled counts as one either way.
#ifndef NOCTURNE_AREA_GATE_SIM_H
#define NOCTURNE_AREA_GATE_SIM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "liberty.h"

enum { GateSimInputs = LibertyMaxInputs, GateSimOutputs = 2 };

typedef struct {
  const liberty_cell_t *cell;
  uint32_t in[GateSimInputs], out[GateSimOutputs];  // nets; a register has its data and its state
  uint64_t table[GateSimOutputs];  // by the inputs' values, in[0] lowest; of a register by its data
  uint8_t in_count, out_count;
} gate_t;

typedef struct gate_memory gate_memory_t;

typedef struct {
  gate_t *gates;  // registers included
  uint32_t gate_count;
  gate_memory_t *memories;
  uint32_t memory_count;
  size_t nets;                       // 0 and 1 are the constants
  uint8_t *value;                    // of a net
  uint64_t *toggles;                 // of a net, in counted cycles
  uint64_t cycles;                   // counted
  uint64_t read_bits, written_bits;  // of memories, in counted cycles
  // Owned by the simulator:
  uint32_t *registers, register_count;
  uint32_t *level, *fanout, *fanout_start;  // of nodes: gates, then the memories' read ports
  uint32_t node_count, level_count;
  uint32_t *queue, *queue_start, *queue_used;
  uint8_t *queued;
  uint32_t *touched, touched_count;
  uint8_t *base, *is_touched;  // a net's value at the end of the last cycle
  uint8_t *next;               // of registers
} gate_sim_t;

// Builds the simulation of a flat module of Yosys' write_json. Refuses a cell that the library has
// not, a loop, a memory that is not clocked as the project's are (rising edge, no asynchronous
// reset).
bool gate_sim_create(gate_sim_t *sim, const liberty_t *liberty, json_t *module, err_t *err);
void gate_sim_destroy(gate_sim_t *sim);

// The value of an input; takes effect with the next settle.
void gate_sim_set(gate_sim_t *sim, uint32_t net, bool value);
void gate_sim_settle(gate_sim_t *sim);
// Ends a cycle: counts what differs from the end of the last one, then clocks registers and
// memories. counted false: the cycle (of a reset) is left out of toggles and cycles.
void gate_sim_clock(gate_sim_t *sim, bool counted);

#endif
