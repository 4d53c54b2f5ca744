// SPDX-License-Identifier: Apache-2.0
// Buffers the nets that abc leaves alone: those driven by flip-flops, memories and input pins.
//   buffer_nets LIBERTY NETLIST.json UNIT
// A net with more than LibertyFanout sinks, clocks aside, becomes a tree of the library's buffer
// (liberty_for) in which no net has more. The file is Yosys' write_json of a mapped module, and is
// rewritten.
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/area/liberty.h"

enum { Fanout = LibertyFanout };

static liberty_t liberty;
static const liberty_cell_t *buffer_cell;

typedef struct {
  json_t *pin;  // the array that holds the bit
  size_t index, order;
  json_int_t bit;
} sink_t;

// Pins whose nets need no tree by what they draw: outputs and clocks.
static bool is_left(const char *type, const char *pin) {
  if (type[0] == '$') {
    size_t length = strlen(pin);
    return strcmp(pin, "RD_DATA") == 0 || (length >= 3 && strcmp(pin + length - 3, "CLK") == 0);
  }
  const liberty_cell_t *cell = liberty_cell(&liberty, type);
  const liberty_pin_t *known = cell ? liberty_pin(cell, pin) : NULL;
  return !known || known->is_output || (cell->is_register && known == &cell->pins[cell->clock]);
}

static int by_bit(const void *a, const void *b) {
  const sink_t *x = a, *y = b;
  if (x->bit != y->bit) {
    return x->bit < y->bit ? -1 : 1;
  }
  return (x->order > y->order) - (x->order < y->order);
}

static void add_buffer(json_t *cells, json_int_t in, json_int_t out) {
  char name[64];
  const liberty_pin_t *pins = buffer_cell->pins;
  const char *from = pins[pins[0].is_output].name, *to = pins[!pins[0].is_output].name;
  snprintf(name, sizeof name, "$buffer$%lld", (long long)out);
  json_object_set_new(
      cells, name,
      json_pack("{s:i, s:s, s:{}, s:{}, s:{s:s, s:s}, s:{s:[I], s:[I]}}", "hide_name", 1, "type",
                buffer_cell->name, "parameters", "attributes", "port_directions", from, "input", to,
                "output", "connections", from, in, to, out));
}

// A tree from root to the sinks.
static void buffer(json_t *cells, sink_t *sinks, size_t count, json_int_t root, json_int_t *next) {
  size_t groups = (count + Fanout - 1) / Fanout;
  // Nets of the lowest level first; each level up feeds the one below.
  json_int_t *nets = malloc(groups * sizeof *nets);
  if (!nets) {
    exit(1);
  }
  for (size_t g = 0; g < groups; g++) {
    nets[g] = (*next)++;
  }
  for (size_t s = 0; s < count; s++) {
    json_array_set_new(sinks[s].pin, sinks[s].index, json_integer(nets[s * groups / count]));
  }
  while (groups > Fanout) {
    size_t above = (groups + Fanout - 1) / Fanout;
    for (size_t g = 0; g < groups; g++) {
      add_buffer(cells, *next + (json_int_t)(g * above / groups), nets[g]);
    }
    for (size_t g = 0; g < above; g++) {
      nets[g] = (*next)++;
    }
    groups = above;
  }
  for (size_t g = 0; g < groups; g++) {
    add_buffer(cells, root, nets[g]);
  }
  free(nets);
}

// Returns the lowest number above all nets.
static json_int_t next_net(json_t *module) {
  json_int_t next = 2;
  const char *name;
  json_t *net, *bit;
  size_t i;
  json_object_foreach(json_object_get(module, "netnames"), name, net) {
    json_array_foreach(json_object_get(net, "bits"), i, bit) {
      next = json_integer_value(bit) >= next ? json_integer_value(bit) + 1 : next;
    }
  }
  return next;
}

// Lists all pins that may need a tree, by their nets.
static sink_t *find_sinks(json_t *cells, size_t *count) {
  sink_t *sinks = NULL;
  json_t *cell, *bits, *bit;
  const char *name, *pin;
  size_t i, room = 0;
  *count = 0;
  json_object_foreach(cells, name, cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    json_object_foreach(json_object_get(cell, "connections"), pin, bits) {
      json_array_foreach(bits, i, bit) {
        if (!json_is_integer(bit) || is_left(type, pin)) {
          continue;
        }
        if (*count == room) {
          room = 2 * room + 1024;
          sinks = realloc(sinks, room * sizeof *sinks);
          if (!sinks) {
            exit(1);
          }
        }
        sinks[*count] = (sink_t){bits, i, *count, json_integer_value(bit)};
        ++*count;
      }
    }
  }
  qsort(sinks, *count, sizeof *sinks, by_bit);
  return sinks;
}

static json_t *load(char **argv, err_t *err) {
  json_error_t error;
  if (!liberty_load(&liberty, argv[1], err) || !liberty_check(&liberty, argv[1], err)) {
    return NULL;
  }
  json_t *root = json_load_file(argv[2], 0, &error);
  if (!json_object_get(json_object_get(root, "modules"), argv[3])) {
    err_set(err, ErrInput, "buffer_nets: the netlist cannot be read");
    json_decref(root);
    return NULL;
  }
  return root;
}

int main(int argc, char **argv) {
  err_t err = {0};
  json_t *root = argc == 4 ? load(argv, &err) : NULL;
  size_t count;
  if (!root) {
    fprintf(stderr, "ERROR: %s\n",
            argc == 4 ? err_text(&err) : "usage: buffer_nets LIBERTY NETLIST.json UNIT");
    err_free(&err);
    return 2;
  }
  json_t *module = json_object_get(json_object_get(root, "modules"), argv[3]);
  json_t *cells = json_object_get(module, "cells");
  json_int_t next = next_net(module);
  buffer_cell = liberty_for(&liberty, LibertyBuffer);
  sink_t *sinks = find_sinks(cells, &count);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first; end < count && sinks[end].bit == sinks[first].bit; end++) {
    }
    if (end - first > Fanout) {
      buffer(cells, sinks + first, end - first, sinks[first].bit, &next);
    }
  }
  free(sinks);
  bool ok = json_dump_file(root, argv[2], JSON_COMPACT) == 0;
  if (!ok) {
    fprintf(stderr, "buffer_nets: %s: cannot be written\n", argv[2]);
  }
  json_decref(root);
  liberty_free(&liberty);
  return ok ? 0 : 1;
}
