// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "liberty.h"

// The only output, NULL where there is none or more.
static const liberty_pin_t *only_output(const liberty_cell_t *cell, uint32_t *inputs) {
  const liberty_pin_t *output = NULL;
  uint32_t outputs = 0;
  *inputs = 0;
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    output = cell->pins[p].is_output ? &cell->pins[p] : output;
    outputs += cell->pins[p].is_output;
    *inputs += !cell->pins[p].is_output;
  }
  return outputs == 1 ? output : NULL;
}

// Returns true if S in a multiplexer of three inputs is any of them, its output inverted or not.
static bool is_mux(uint64_t table) {
  for (unsigned order = 0; order < 6; order++) {
    static const uint8_t Orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const uint8_t *o = Orders[order];
    uint64_t mux = 0;
    for (unsigned i = 0; i < 8; i++) {
      mux |= (uint64_t)(i >> o[0] & 1 ? i >> o[1] & 1 : i >> o[2] & 1) << i;
    }
    if (table == mux || table == (~mux & 0xff)) {
      return true;
    }
  }
  return false;
}

static bool serves(const liberty_cell_t *cell, liberty_use_e use) {
  uint32_t inputs;
  const liberty_pin_t *output = only_output(cell, &inputs);
  if (cell->is_avoided || cell->is_other || !cell->has_timing) {
    return false;
  }
  if (use == LibertyRegister) {
    return cell->is_register;
  }
  if (cell->is_register || !output || !output->has_table) {
    return false;
  }
  switch (use) {
    case LibertyInverter: return inputs == 1 && output->table == 1;
    case LibertyBuffer: return inputs == 1 && output->table == 2;
    case LibertyMux: return inputs == 3 && is_mux(output->table);
    default:
      return inputs == 2 && (output->table == 0x8 || output->table == 0xe || output->table == 0x7 ||
                             output->table == 0x1);
  }
}

static const liberty_cell_t *smallest(const liberty_t *l, liberty_use_e use, double load) {
  const liberty_cell_t *best = NULL;
  for (uint32_t c = 0; c < l->cell_count; c++) {
    const liberty_cell_t *cell = &l->cells[c];
    uint32_t inputs;
    if (serves(cell, use) && (!best || cell->area < best->area) &&
        (load <= 0 || only_output(cell, &inputs)->most_load >= load)) {
      best = cell;
    }
  }
  return best;
}

// A pin of a gate of the library, pF: the mean over the gates of two inputs.
static double usual_pin(const liberty_t *l) {
  double sum = 0;
  uint32_t count = 0;
  for (uint32_t c = 0; c < l->cell_count; c++) {
    const liberty_cell_t *cell = &l->cells[c];
    for (uint32_t p = 0; serves(cell, LibertyGate) && p < cell->pin_count; p++) {
      sum += cell->pins[p].is_output ? 0 : cell->pins[p].capacitance;
      count += !cell->pins[p].is_output;
    }
  }
  return count ? sum / count : 0;
}

const liberty_cell_t *liberty_for(const liberty_t *l, liberty_use_e use) {
  if (use != LibertyBuffer) {
    return smallest(l, use, 0);
  }
  // Five times that load, so that edges stay short; wires come on top.
  const liberty_cell_t *strong = smallest(l, use, 5 * LibertyFanout * usual_pin(l));
  return strong ? strong : smallest(l, use, 0);
}

bool liberty_check(const liberty_t *l, const char *path, err_t *err) {
  static const struct {
    liberty_use_e use;
    const char *what;
  } Needed[] = {
      {LibertyRegister,
       "flip-flop (ff) with one data pin, a rising clock, and besides these at most set and reset"},
      {LibertyInverter, "inverter (function !A)"},
      {LibertyBuffer, "buffer (function A)"},
      {LibertyGate, "gate of two inputs (and, or, nand or nor)"}};
  for (size_t i = 0; i < sizeof Needed / sizeof *Needed; i++) {
    if (!liberty_for(l, Needed[i].use)) {
      return err_set(err, ErrInput,
                     "%s: library %s has no %s that may be used and has tables of delays; add one",
                     path, l->name, Needed[i].what);
    }
  }
  return true;
}
