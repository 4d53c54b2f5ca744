// SPDX-License-Identifier: Apache-2.0
#include "unit_energy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scaling.h"
#include "yosys.h"

// A bit of the wrapper's vectors: an input drives a net, an output is compared with one.
typedef struct {
  uint32_t vector, net;
  bool is_quiescence;
} wire_t;

typedef struct {
  gate_sim_t sim;
  wire_t *in, *out;
  uint32_t in_count, out_count, in_bits, out_bits;
  uint32_t reset;  // the net of rst_ni
} bench_t;

static json_t *port_bits(json_t *module, const char *port) {
  return yosys_bits(json_object_get(yosys_ports(module), port));
}

// ---- wires ----------------------------------------------------------------------------

// Returns of each bit its place in the vector + 1, and the highest bit.
static uint32_t *find_places(json_t *vector, int64_t *last) {
  size_t bits = json_array_size(vector);
  *last = 0;
  for (size_t i = 0; i < bits; i++) {
    *last = yosys_bit(vector, i) > *last ? yosys_bit(vector, i) : *last;
  }
  uint32_t *place = calloc((size_t)*last + 1, sizeof *place);
  for (size_t i = 0; place && i < bits; i++) {
    if (yosys_bit(vector, i) >= 0) {
      place[yosys_bit(vector, i)] = (uint32_t)i + 1;
    }
  }
  return place;
}

// Pairs the wrapper's vector with the pins of u_dut that share its bits. A pin behind logic of the
// wrapper (outputs that mean nothing while a valid is 0) is left out.
static wire_t *pair(json_t *vector, json_t *pins, json_t *unit, const char *direction,
                    uint32_t *count) {
  size_t room = json_array_size(vector);
  int64_t last;
  const char *name;
  json_t *nets;
  json_object_foreach(pins, name, nets) { room += json_array_size(nets); }
  wire_t *wires = calloc(room + 1, sizeof *wires);
  uint32_t *place = find_places(vector, &last);
  *count = 0;
  json_object_foreach(pins, name, nets) {
    json_t *port = json_object_get(yosys_ports(unit), name);
    bool counts = wires && place && yosys_is(port, direction);
    for (size_t i = 0; counts && i < json_array_size(nets); i++) {
      int64_t b = yosys_bit(nets, i) > 0 ? yosys_bit(nets, i) : 0;
      int64_t net = yosys_bit(yosys_bits(port), i);
      if (b <= last && place[b] && net >= 0) {
        wires[(*count)++] = (wire_t){place[b] - 1, (uint32_t)net, strcmp(name, "quiescent_o") == 0};
      }
    }
  }
  free(place);
  return wires;
}

static bool open_bench(bench_t *b, const liberty_t *liberty, const char *unit, const char *folder,
                       err_t *err) {
  yosys_t netlist = {0}, wrapper = {0};
  bool ok = yosys_open(&netlist, folder, "netlist.json", unit, err) &&
            yosys_open(&wrapper, folder, "wrapper.json", "wrapper", err);
  json_t *pins = yosys_pins(json_object_get(yosys_cells(wrapper.module), "u_dut"));
  if (ok && !pins) {
    ok = err_set(err, ErrCheck, "vectors_%s.sv: no unit u_dut", unit);
  }
  if (ok) {
    json_t *in = port_bits(wrapper.module, "in_i"), *out = port_bits(wrapper.module, "out_o");
    b->in_bits = (uint32_t)json_array_size(in);
    b->out_bits = (uint32_t)json_array_size(out);
    b->in = pair(in, pins, netlist.module, "input", &b->in_count);
    b->out = pair(out, pins, netlist.module, "output", &b->out_count);
    b->reset = yosys_net(json_array_get(port_bits(netlist.module, "rst_ni"), 0));
    ok = (b->in && b->out) || err_memory(err, unit);
    ok = ok && gate_sim_create(&b->sim, liberty, netlist.module, err);
  }
  yosys_close(&netlist);
  yosys_close(&wrapper);
  return ok;
}

// ---- vectors --------------------------------------------------------------------------

bool unit_energy_header(const char *path, char **unit, char **params, err_t *err) {
  char *line = NULL;
  size_t room = 0;
  unsigned in, out;
  int used = 0;
  *unit = *params = NULL;
  FILE *f = fopen(path, "r");
  if (!f) {
    return err_set(err, ErrInput, "%s: %s", path, strerror(errno));
  }
  bool ok = getline(&line, &room, f) > 0 &&
            sscanf(line, "%m[a-z_] %u %u %n", unit, &in, &out, &used) == 3 && used > 0;
  fclose(f);
  if (ok) {
    line[strcspn(line, "\n")] = '\0';
    *params = strdup(line + used);
    ok = *params || err_memory(err, path);
  } else {
    err_set(err, ErrInput,
            "%s:1:1: expected a unit, the bits of its inputs and outputs, and its parameters",
            path);
    free(*unit);
    *unit = NULL;
  }
  free(line);
  return ok;
}

static bool bit_of(const char *digits, size_t nibbles, uint32_t bit) {
  char c = digits[nibbles - 1 - bit / 4];
  return ((c <= '9' ? c - '0' : c - 'a' + 10) >> bit % 4 & 1) != 0;
}

static void apply(bench_t *b, const char *digits, size_t nibbles) {
  for (uint32_t i = 0; i < b->in_count; i++) {
    gate_sim_set(&b->sim, b->in[i].net, bit_of(digits, nibbles, b->in[i].vector));
  }
}

// Without the registers of reports, which Observe builds, a unit may be quiescent where the
// recorded one still writes them, never the other way round.
static bool matches(const bench_t *b, const char *digits, size_t nibbles) {
  for (uint32_t i = 0; i < b->out_count; i++) {
    const bool ours = b->sim.value[b->out[i].net] != 0;
    if (ours != bit_of(digits, nibbles, b->out[i].vector) && !(b->out[i].is_quiescence && ours)) {
      return false;
    }
  }
  return true;
}

// Outputs are compared after the clock, with the inputs still there. A reset takes two clocks,
// whatever the record says: energy is of the steps.
static bool play(bench_t *b, FILE *f, const char *path, uint64_t steps, err_t *err) {
  size_t in = (b->in_bits + 3) / 4, out = (b->out_bits + 3) / 4, room = 0;
  char *line = NULL;
  bool ok = getline(&line, &room, f) > 0;
  gate_sim_set(&b->sim, b->reset, true);
  for (uint64_t number = 2; ok && (!steps || number < steps + 2) && getline(&line, &room, f) > 0;
       number++) {
    if (strspn(line, "0123456789abcdef") != 1 + in + out) {
      ok = err_set(err, ErrCheck, "%s:%" PRIu64 ":%zu: expected %zu hexadecimal digits", path,
                   number, strspn(line, "0123456789abcdef") + 1, 1 + in + out);
      break;
    }
    bool is_reset = line[0] != '0';
    apply(b, line + 1 + out, in);
    if (is_reset) {
      gate_sim_set(&b->sim, b->reset, false);
      gate_sim_settle(&b->sim);
      gate_sim_clock(&b->sim, false);
    }
    gate_sim_settle(&b->sim);
    gate_sim_clock(&b->sim, !is_reset);
    gate_sim_set(&b->sim, b->reset, true);
    gate_sim_settle(&b->sim);
    if (!matches(b, line + 1, out)) {
      ok = err_set(err, ErrCheck, "%s:%" PRIu64 ":1: the netlist answers otherwise than recorded",
                   path, number);
    }
  }
  free(line);
  return ok;
}

// ---- energy ---------------------------------------------------------------------------

void unit_energy_weigh(unit_energy_t *e, const liberty_t *liberty, const gate_sim_t *s) {
  double *load = calloc(s->nets, sizeof *load);  // pF
  double half = 0.5 * liberty->voltage * liberty->voltage, clock = 0;
  *e = (unit_energy_t){
      .cycles = s->cycles, .read_bits = s->read_bits, .written_bits = s->written_bits};
  for (uint32_t g = 0; load && g < s->gate_count; g++) {
    const gate_t *gate = &s->gates[g];
    uint32_t input = 0, output = 0;
    e->leakage += gate->cell->leakage;
    for (uint32_t p = 0; p < gate->cell->pin_count; p++) {
      const liberty_pin_t *pin = &gate->cell->pins[p];
      if (gate->cell->is_register && p == gate->cell->clock) {
        clock += 2 * (half * pin->capacitance + gate->cell->clock_energy);
      } else if (pin->is_output) {
        e->internal += gate->cell->energy * (double)s->toggles[gate->out[output++]];
      } else {
        e->internal += gate->cell->data_energy * (double)s->toggles[gate->in[input]];
        load[gate->in[input++]] += pin->capacitance;
      }
    }
  }
  for (size_t n = 2; load && n < s->nets; n++) {
    e->switching += half * load[n] * (double)s->toggles[n];
    e->toggles += s->toggles[n];
    e->nets += load[n] > 0;
  }
  free(load);
  double cycles = s->cycles ? (double)s->cycles : 1;
  memory_energy_t bit = memory_energy();
  e->switching /= cycles;
  e->internal /= cycles;
  e->clock = clock;
  e->memory = bit.osu018 * (double)(s->read_bits + s->written_bits) / cycles;
  e->memory_28nm = bit.nm28 * (double)(s->read_bits + s->written_bits) / cycles;
}

unit_power_t unit_energy_power(const unit_energy_t *e, uint64_t cycles, double mhz, bool is_28nm) {
  double by = is_28nm ? scaling_energy() : 1;
  double memory = is_28nm ? e->memory_28nm : e->memory;
  double share = cycles > e->cycles ? (double)e->cycles / (double)cycles : 1;
  double moving = (e->switching + e->internal) / by + memory;  // pJ
  return (unit_power_t){1e-3 * mhz * (moving + e->clock / by),
                        1e-3 * mhz * (share * moving + e->clock / by), 1e-6 * e->leakage};
}

bool unit_energy_measure(unit_energy_t *e, const liberty_t *liberty, const char *unit,
                         const char *folder, const char *path, uint64_t steps, err_t *err) {
  bench_t b = {0};
  FILE *f = NULL;
  bool ok = open_bench(&b, liberty, unit, folder, err);
  if (ok && !(f = fopen(path, "r"))) {
    ok = err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
  }
  ok = ok && play(&b, f, path, steps, err);
  if (ok && b.sim.cycles == 0) {
    ok = err_set(err, ErrCheck, "%s: no step but resets", path);
  }
  if (ok) {
    unit_energy_weigh(e, liberty, &b.sim);
  }
  if (f) {
    fclose(f);
  }
  gate_sim_destroy(&b.sim);
  free(b.in);
  free(b.out);
  return ok;
}
