// SPDX-License-Identifier: Apache-2.0
#include "unit_energy.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scaling.h"
#include "tb/harness/json_file.h"

// The wrapper's bits: an input drives pins, an output is compared with one.
typedef struct {
  uint32_t vector, net;
  bool is_quiescence;
} wire_t;

typedef struct {
  gate_sim_t sim;
  wire_t *in, *out;
  uint32_t in_count, out_count, in_bits, out_bits;
  uint32_t reset;  // the net of rst_ni
  char *error;
  size_t size;
} bench_t;

static json_t *load_module(bench_t *b, json_t **root, const char *folder, const char *file,
                           const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  *root = json_file_load_cut(path, b->error, b->size);
  json_t *module = json_object_get(json_object_get(*root, "modules"), name);
  if (*root && !module) {
    snprintf(b->error, b->size, "%.200s: the module is missing", path);
  }
  return module;
}

static json_t *port_bits(json_t *module, const char *port) {
  return json_object_get(json_object_get(json_object_get(module, "ports"), port), "bits");
}

// ---- wires ----------------------------------------------------------------------------

// Pairs the wrapper's vector with the pins of u_dut that share its bits. A pin behind logic of the
// wrapper (outputs that mean nothing while a valid is 0) is left out.
static wire_t *pair(json_t *vector, json_t *pins, json_t *unit, const char *direction,
                    uint32_t *count) {
  size_t bits = json_array_size(vector), room = 0, i;
  json_int_t last = 0;
  const char *name;
  json_t *nets, *bit;
  json_object_foreach(pins, name, nets) {
    room += json_array_size(nets);
  }
  json_array_foreach(vector, i, bit) {
    last = json_integer_value(bit) > last ? json_integer_value(bit) : last;
  }
  wire_t *wires = calloc(room + bits + 1, sizeof *wires);
  uint32_t *of = calloc((size_t)last + 1, sizeof *of);  // a bit: its place in the vector + 1
  *count = 0;
  json_array_foreach(vector, i, bit) {
    if (of && json_is_integer(bit)) {
      of[json_integer_value(bit)] = (uint32_t)i + 1;
    }
  }
  json_object_foreach(pins, name, nets) {
    json_t *port = json_object_get(json_object_get(unit, "ports"), name);
    json_t *own = json_object_get(port, "bits");
    const char *way = json_string_value(json_object_get(port, "direction"));
    json_array_foreach(nets, i, bit) {
      json_int_t b = json_is_integer(bit) ? json_integer_value(bit) : 0;
      json_t *net = json_array_get(own, i);
      if (wires && of && way && strcmp(way, direction) == 0 && b <= last && of[b] &&
          json_is_integer(net)) {
        wires[(*count)++] = (wire_t){of[b] - 1, (uint32_t)json_integer_value(net),
                                     strcmp(name, "quiescent_o") == 0};
      }
    }
  }
  free(of);
  return wires;
}

static bool open_bench(bench_t *b, const liberty_t *liberty, const char *unit, const char *folder) {
  json_t *netlist = NULL, *wrapper = NULL;
  json_t *module = load_module(b, &netlist, folder, "netlist.json", unit);
  json_t *around = module ? load_module(b, &wrapper, folder, "wrapper.json", "wrapper") : NULL;
  json_t *pins = json_object_get(
      json_object_get(json_object_get(around, "cells"), "u_dut"), "connections");
  bool ok = module && around;
  if (ok && !pins) {
    snprintf(b->error, b->size, "vectors_%s.sv: no unit u_dut", unit);
    ok = false;
  }
  if (ok) {
    json_t *in = port_bits(around, "in_i"), *out = port_bits(around, "out_o");
    b->in_bits = (uint32_t)json_array_size(in);
    b->out_bits = (uint32_t)json_array_size(out);
    b->in = pair(in, pins, module, "input", &b->in_count);
    b->out = pair(out, pins, module, "output", &b->out_count);
    b->reset = (uint32_t)json_integer_value(json_array_get(port_bits(module, "rst_ni"), 0));
    ok = b->in && b->out && gate_sim_create(&b->sim, liberty, module, b->error, b->size);
  }
  json_decref(netlist);
  json_decref(wrapper);
  return ok;
}

// ---- vectors --------------------------------------------------------------------------

bool energy_read_header(const char *path, char unit[64], char params[256], char *error,
                        size_t size) {
  char line[512] = "";
  unsigned in, out;
  int used = 0;
  FILE *f = fopen(path, "r");
  if (!f) {
    snprintf(error, size, "%.150s: %s", path, strerror(errno));
    return false;
  }
  bool ok = fgets(line, sizeof line, f) &&
            sscanf(line, "%63[a-z_] %u %u %n", unit, &in, &out, &used) == 3 && used > 0;
  fclose(f);
  if (!ok) {
    snprintf(error, size,
             "%.150s:1:1: expected a unit, the bits of its inputs and outputs, and its "
             "parameters",
             path);
    return false;
  }
  line[strcspn(line, "\n")] = '\0';
  snprintf(params, 256, "%.255s", line + used);
  return true;
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
    if (ours != bit_of(digits, nibbles, b->out[i].vector) &&
        !(b->out[i].is_quiescence && ours)) {
      return false;
    }
  }
  return true;
}

// As replay.sv does: two clocks of reset, outputs compared after the clock with the inputs
// still there.
static bool play(bench_t *b, FILE *f, const char *path, uint64_t steps) {
  size_t in = (b->in_bits + 3) / 4, out = (b->out_bits + 3) / 4, room = 0;
  char *line = NULL;
  bool ok = getline(&line, &room, f) > 0;
  gate_sim_set(&b->sim, b->reset, true);
  for (uint64_t number = 2; ok && (!steps || number < steps + 2) && getline(&line, &room, f) > 0;
       number++) {
    if (strspn(line, "0123456789abcdef") != 1 + in + out) {
      snprintf(b->error, b->size, "%.150s:%" PRIu64 ":%zu: expected %zu hexadecimal digits", path,
               number, strspn(line, "0123456789abcdef") + 1, 1 + in + out);
      ok = false;
      break;
    }
    bool is_reset = line[0] == '1';
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
      snprintf(b->error, b->size,
               "%.150s:%" PRIu64 ":1: the netlist answers otherwise than recorded", path, number);
      ok = false;
    }
  }
  free(line);
  return ok;
}

// ---- energy ---------------------------------------------------------------------------

void energy_weigh(energy_t *e, const liberty_t *liberty, const gate_sim_t *s) {
  double *load = calloc(s->nets, sizeof *load);  // pF
  double half = 0.5 * liberty->voltage * liberty->voltage, clock = 0;
  *e = (energy_t){.cycles = s->cycles, .read_bits = s->read_bits, .written_bits = s->written_bits};
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

bool energy_measure(energy_t *e, const liberty_t *liberty, const char *unit, const char *folder,
                    const char *path, uint64_t steps, char *error, size_t size) {
  bench_t b = {.error = error, .size = size};
  snprintf(error, size, "out of memory");
  FILE *f = NULL;
  bool ok = open_bench(&b, liberty, unit, folder);
  if (ok && !(f = fopen(path, "r"))) {
    snprintf(error, size, "%.150s: %s", path, strerror(errno));
    ok = false;
  }
  ok = ok && play(&b, f, path, steps);
  if (ok && b.sim.cycles == 0) {
    snprintf(error, size, "%.150s: no step but resets", path);
    ok = false;
  }
  if (ok) {
    energy_weigh(e, liberty, &b.sim);
  }
  if (f) {
    fclose(f);
  }
  gate_sim_destroy(&b.sim);
  free(b.in);
  free(b.out);
  return ok;
}
