// SPDX-License-Identifier: Apache-2.0
// From 0.18 um to 28 nm, and the bit cells of memories: the only place with figures of a process.
//
// Logic: the scaling factors of A. Stillmaker and B. Baas, "Scaling equations for the accurate
// prediction of CMOS device performance from 180 nm to 7 nm", Integration 58 (2017): their area
// table and their delay and energy polynomials, 180 nm at 1.8 V against high-performance 32 nm and
// 20 nm at 0.9 V, and 28 nm between those two on a logarithmic scale. They are for circuits of
// inverters and gates without wires: area is good to perhaps 25 %, delay and energy to a factor of
// 1.5 (a plain ratio of the feature sizes gives a delay 6.4 times shorter, not 9).
//
// Memories: a six-transistor cell of 146 F^2 at 0.18 um, 4.73 um2 (CACTI 5 to 7, its constant of
// all nodes), and of 0.127 um2 at 28 nm (TSMC, high density, WikiChip "28 nm lithography process";
// UMC 0.124, Samsung 0.120), one port; each further port adds 0.35 of it (an eight-transistor cell
// with a read port of its own is a third larger); half of the array is cells. Small arrays are
// worse: taken for a factor of 2.
//
// An access of a memory: 10 pJ for 64 bits of an 8 KB cache at 45 nm and 0.9 V, by feature size and
// the square of the voltage: a factor of 2. M. Horowitz, "Computing's energy problem (and what we
// can do about it)", ISSCC 2014, the table of energies, read where it is cited: F. Manzouri and
// others, "A comparison of energy-efficient seizure detectors for implantable neurostimulation
// devices", Frontiers in Neurology 12 (2022), table 3 (half of it, for 32 bits).
#ifndef NOCTURNE_AREA_SCALING_H
#define NOCTURNE_AREA_SCALING_H

#include <stdint.h>

// Divisors: area_28nm = area_osu018 / scaling_area(), and so on.
double scaling_area(void);
double scaling_delay(void);
double scaling_energy(void);

typedef struct {
  double osu018, nm28;  // square micrometres
} memory_area_t;
memory_area_t memory_area(uint64_t bits, uint32_t ports);

// How many times as large a bit cell of another library's process is as one at 0.18 um: as its
// smallest gate of two inputs is to that of the OSU cells, 24 square micrometres. Taken for a
// factor of 2, on top of the model's own.
double scaling_gate(double gate_area);

// And its accesses' energy, of 0.18 um and 1.8 V: by feature size and voltage squared.
double scaling_access(double gate_area, double voltage);

typedef struct {
  double osu018, nm28;  // pJ for each bit read or written
} memory_energy_t;
memory_energy_t memory_energy(void);

#endif
