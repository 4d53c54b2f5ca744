// From 0.18 um to 28 nm, and the bit cells of memories: the only place with figures of a process.
//
// Logic: the scaling factors of A. Stillmaker and B. Baas, "Scaling equations for the accurate
// prediction of CMOS device performance from 180 nm to 7 nm", Integration 58 (2017): their area
// table and their delay and energy polynomials, 180 nm at 1.8 V against high-performance 32 nm and
// 20 nm at 0.9 V, and 28 nm between those two on a logarithmic scale. They are for circuits of
// inverters and gates without wires: area is good to perhaps 25 %, delay and energy to a factor of
// 1.5 (a plain ratio of the feature sizes gives a delay 6.4 times shorter, not 9).
//
// Memories: a six-transistor cell of 4.65 um2 at 0.18 um and 0.127 um2 at 28 nm (foundry cells as
// published at IEDM and ISSCC), one port; each further port adds 0.35 of it (an eight-transistor
// cell with a read port of its own is a third larger); half of the array is cells. Small arrays are
// worse: taken for a factor of 2.
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

#endif
