// SPDX-License-Identifier: Apache-2.0
#include "scaling.h"

#include <math.h>

// Stillmaker and Baas: area relative to 180 nm; delay d3 V^3 + d2 V^2 + d1 V + d0; energy
// e2 V^2 + e1 V + e0.
typedef struct {
  double node, voltage, area, d3, d2, d1, d0, e2, e1, e0;
} node_t;

static const node_t From = {180, 1.8, 1, 0, 97.09, -356.7, 406.5, 0, 24.64, -17.98};
static const node_t Above = {32, 0.9, 1 / 40.0, -1047, 2982, -2797, 873.5, 0.8367, -0.4341, 0.1701};
static const node_t Below = {20, 0.9, 1 / 88.0, 0, 34.63, -66.37, 41.15, 0.373, -0.1582, 0.04104};
static const double Target = 28;

static double delay(const node_t *n) {
  double v = n->voltage;
  return ((n->d3 * v + n->d2) * v + n->d1) * v + n->d0;
}

static double energy(const node_t *n) {
  double v = n->voltage;
  return (n->e2 * v + n->e1) * v + n->e0;
}

static double between(double above, double below) {
  double share = log(Above.node / Target) / log(Above.node / Below.node);
  return above * pow(below / above, share);
}

double scaling_area(void) { return From.area / between(Above.area, Below.area); }
double scaling_delay(void) { return delay(&From) / between(delay(&Above), delay(&Below)); }
double scaling_energy(void) { return energy(&From) / between(energy(&Above), energy(&Below)); }

memory_area_t memory_area(uint64_t bits, uint32_t ports) {
  static const double Cell018 = 146 * 0.18 * 0.18, Cell28 = 0.127, PortShare = 0.35,
                      ArrayEfficiency = 0.5;
  double cells = (double)bits * (1 + PortShare * (ports > 1 ? ports - 1 : 0)) / ArrayEfficiency;
  return (memory_area_t){cells * Cell018, cells * Cell28};
}

double scaling_gate(double gate_area) {
  static const double Gate018 = 24;
  return gate_area / Gate018;
}

double scaling_access(double gate_area, double voltage) {
  double volts = voltage / From.voltage;
  return sqrt(scaling_gate(gate_area)) * volts * volts;
}

memory_energy_t memory_energy(void) {
  static const double Bit45 = 10.0 / 64;
  double volts = From.voltage / 0.9;
  return (memory_energy_t){Bit45 * From.node / 45 * volts * volts, Bit45 * Target / 45};
}
