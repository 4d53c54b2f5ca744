// SPDX-License-Identifier: Apache-2.0
#include "netlist.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/harness/json_file.h"

#define EACH(object, key, value) \
  const char *key;               \
  json_t *value;                 \
  json_object_foreach(object, key, value)

static json_t *load_module(json_t **root, const char *folder, const char *file, const char *unit,
                           char *error, size_t size) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  *root = json_file_load_cut(path, error, size);
  json_t *module = json_object_get(json_object_get(*root, "modules"), unit);
  if (*root && !module) {
    snprintf(error, size, "%s: the unit is missing", path);
  }
  return module;
}

// Yosys writes numbers as strings of binary digits.
static uint64_t parameter(json_t *cell, const char *name) {
  json_t *value = json_object_get(json_object_get(cell, "parameters"), name);
  const char *text = json_string_value(value);
  return text ? strtoull(text, NULL, 2) : (uint64_t)json_integer_value(value);
}

// ---- storage --------------------------------------------------------------------------

void netlist_strip_indices(char *out, size_t size, const char *name) {
  size_t n = 0;
  for (const char *p = name; *p && n + 4 < size; p++) {
    out[n++] = *p;
    size_t digits = *p == '[' ? strspn(p + 1, "0123456789") : 0;
    if (digits && p[1 + digits] == ']') {
      out[n++] = '*';
      p += digits;
    }
  }
  out[n] = '\0';
}

static bool add_storage(netlist_t *n, const char *name, uint64_t width, uint64_t words,
                        bool is_memory) {
  char plain[NetlistName];
  netlist_strip_indices(plain, sizeof plain, name);
  n->storage_bits += width * words;
  for (uint32_t s = 0; s < n->storage_count; s++) {
    if (strcmp(n->storage[s].name, plain) == 0) {
      n->storage[s].bits += width * words;
      n->storage[s].words += (uint32_t)words;
      return true;
    }
  }
  if ((n->storage_count & (n->storage_count + 1)) == 0) {
    size_t room = 2 * (size_t)n->storage_count + 2;
    netlist_storage_t *grown = realloc(n->storage, room * sizeof *grown);
    if (!grown) {
      return false;
    }
    n->storage = grown;
  }
  netlist_storage_t *s = &n->storage[n->storage_count++];
  *s = (netlist_storage_t){.bits = width * words, .width = (uint32_t)width,
                           .words = (uint32_t)words, .is_memory = is_memory};
  memcpy(s->name, plain, sizeof plain);
  return true;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const netlist_storage_t *)a)->name, ((const netlist_storage_t *)b)->name);
}

static bool is_register(const char *type) { return strstr(type, "dff") && type[0] == '$'; }

// A register's own name ends in _q; ports and wires of the same bits do not count.
static bool is_state_name(const char *name) {
  size_t length = strlen(name);
  while (length > 2 && name[length - 1] == ']') {
    while (length > 0 && name[--length] != '[') {
    }
  }
  return length > 2 && memcmp(name + length - 2, "_q", 2) == 0;
}

static bool read_storage(netlist_t *n, json_t *module) {
  int64_t last = 0;
  json_t *cells = json_object_get(module, "cells"), *names = json_object_get(module, "netnames");
  size_t i;
  json_t *bit;
  {
    EACH(cells, key, cell) {
      (void)key;
      json_array_foreach(json_object_get(json_object_get(cell, "connections"), "Q"), i, bit) {
        last = json_integer_value(bit) > last ? json_integer_value(bit) : last;
      }
    }
  }
  // 1: a register's bit that no name has claimed yet.
  uint8_t *open = calloc((size_t)last + 1, 1);
  bool ok = open != NULL;
  if (ok) {
    EACH(cells, key, cell) {
      (void)key;
      if (is_register(json_string_value(json_object_get(cell, "type")))) {
        json_array_foreach(json_object_get(json_object_get(cell, "connections"), "Q"), i, bit) {
          open[json_integer_value(bit)] = 1;
        }
      }
    }
  }
  // First the registers' names, then any other name, then those without one.
  for (int round = 0; ok && round < 3; round++) {
    EACH(names, key, net) {
      uint64_t bits = 0;
      bool hidden = json_integer_value(json_object_get(net, "hide_name")) != 0;
      if ((round == 0 && !is_state_name(key)) || (round < 2 && hidden)) {
        continue;
      }
      json_array_foreach(json_object_get(net, "bits"), i, bit) {
        int64_t b = json_is_integer(bit) ? json_integer_value(bit) : 0;
        if (b > 0 && b <= last && open[b]) {
          open[b] = 0;
          bits++;
        }
      }
      ok = ok && (!bits || add_storage(n, hidden ? "(unnamed)" : key, bits, 1, false));
    }
  }
  free(open);
  // Tables that are never written (read-only, of cases) are logic, not storage.
  EACH(json_object_get(module, "memories"), key, memory) {
    if (!strchr(key, '$')) {
      ok = ok && add_storage(n, key,
                             (uint64_t)json_integer_value(json_object_get(memory, "width")),
                             (uint64_t)json_integer_value(json_object_get(memory, "size")), true);
    }
  }
  if (n->storage_count) {
    qsort(n->storage, n->storage_count, sizeof *n->storage, by_name);
  }
  return ok;
}

// ---- mapped netlist -------------------------------------------------------------------

typedef struct {
  const liberty_cell_t *cell;  // NULL: a memory
  json_t *pins;
} instance_t;

typedef struct {
  netlist_t *netlist;
  instance_t *instances;
  uint32_t count;
  int64_t *driver;   // of a bit: the index of a combinational cell, or -1
  uint32_t *depth;   // of an instance; 0: not known yet
  size_t bits;
} graph_t;

static int64_t bit_of(json_t *connection, size_t index) {
  json_t *bit = json_array_get(connection, index);
  return json_is_integer(bit) ? json_integer_value(bit) : -1;
}

// Depth first without recursion: paths are hundreds of cells long.
static bool find_depth(graph_t *g) {
  uint32_t *stack = malloc((g->count + 1) * sizeof *stack);
  if (!stack) {
    return false;
  }
  for (uint32_t first = 0; first < g->count; first++) {
    uint32_t used = 0;
    if (g->instances[first].cell && !g->instances[first].cell->is_register && !g->depth[first]) {
      stack[used++] = first;
    }
    while (used) {
      uint32_t at = stack[used - 1], deepest = 0;
      const liberty_cell_t *cell = g->instances[at].cell;
      bool ready = true;
      for (uint32_t p = 0; ready && p < cell->pin_count; p++) {
        int64_t bit = cell->pins[p].is_output
                          ? -1
                          : bit_of(json_object_get(g->instances[at].pins, cell->pins[p].name), 0);
        int64_t from = bit >= 0 ? g->driver[bit] : -1;
        if (from >= 0 && !g->depth[from]) {
          if (used > g->count) {  // a combinational loop
            free(stack);
            return false;
          }
          stack[used++] = (uint32_t)from;
          ready = false;
        } else if (from >= 0 && g->depth[from] > deepest) {
          deepest = g->depth[from];
        }
      }
      if (ready) {
        g->depth[at] = deepest + 1;
        used--;
        if (deepest + 1 > g->netlist->depth) {
          g->netlist->depth = deepest + 1;
        }
      }
    }
  }
  free(stack);
  return true;
}

static char *bit_name(const char *name, json_t *bits, size_t index) {
  char text[2 * NetlistName];
  size_t length = (size_t)snprintf(text, sizeof text, "%s", name);
  if (json_array_size(bits) > 1 && length < sizeof text) {
    snprintf(text + length, sizeof text - length, "[%zu]", index);
  }
  return strdup(text);
}

// The net of a pin: an input port's bit, the first output port's, n<bit>, or a constant.
static void write_bit(FILE *f, char *const *ports, json_t *bit) {
  if (json_is_integer(bit)) {
    json_int_t b = json_integer_value(bit);
    if (ports[b]) {
      fprintf(f, "%s", ports[b]);
    } else {
      fprintf(f, "n%lld", (long long)b);
    }
  } else {
    fprintf(f, "1'b%c", json_is_string(bit) && json_string_value(bit)[0] == '1' ? '1' : '0');
  }
}

// Names the bits of the ports of one direction that have no name yet.
static bool name_ports(char **names, json_t *ports, const char *direction) {
  bool ok = true;
  EACH(ports, key, port) {
    size_t i;
    json_t *bit, *bits = json_object_get(port, "bits");
    if (strcmp(json_string_value(json_object_get(port, "direction")), direction) != 0) {
      continue;
    }
    json_array_foreach(bits, i, bit) {
      json_int_t b = json_is_integer(bit) ? json_integer_value(bit) : 0;
      if (b > 0 && !names[b]) {
        names[b] = bit_name(key, bits, i);
        ok = ok && names[b];
      }
    }
  }
  return ok;
}

static void write_ports(FILE *f, char *const *names, const char *unit, json_t *ports) {
  const char *separator = "";
  fprintf(f, "module %s (", unit);
  {
    EACH(ports, key, port) {
      (void)port;
      fprintf(f, "%s%s", separator, key);
      separator = ", ";
    }
  }
  fprintf(f, ");\n");
  EACH(ports, key, port) {
    size_t i, width = json_array_size(json_object_get(port, "bits"));
    json_t *bit, *bits = json_object_get(port, "bits");
    const char *direction = json_string_value(json_object_get(port, "direction"));
    if (width > 1) {
      fprintf(f, "%s [%zu:0] %s;\n", direction, width - 1, key);
    } else {
      fprintf(f, "%s %s;\n", direction, key);
    }
    if (strcmp(direction, "output") != 0) {
      continue;
    }
    // Bits that another port has named, and constants.
    json_array_foreach(bits, i, bit) {
      char *own = bit_name(key, bits, i);
      const char *named = json_is_integer(bit) ? names[json_integer_value(bit)] : NULL;
      if (own && (!named || strcmp(named, own) != 0)) {
        fprintf(f, "assign %s = ", own);
        write_bit(f, names, bit);
        fprintf(f, ";\n");
      }
      free(own);
    }
  }
}

// A memory is the cell memory_<number>, each bit of its pins a pin: RD_ADDR_3.
static void write_memory(FILE *f, char *const *names, uint32_t number, json_t *pins) {
  const char *separator = "";
  fprintf(f, "memory_%u m%u (", number, number);
  EACH(pins, key, bits) {
    size_t i;
    json_t *bit;
    json_array_foreach(bits, i, bit) {
      fprintf(f, "%s.%s_%zu(", separator, key, i);
      write_bit(f, names, bit);
      fprintf(f, ")");
      separator = ", ";
    }
  }
  fprintf(f, ");\n");
}

// The netlist for OpenSTA.
static bool write_timing(const graph_t *g, json_t *module, const char *unit, const char *folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/timing.v", folder);
  FILE *f = fopen(path, "w");
  char **names = calloc(g->bits, sizeof *names);
  json_t *ports = json_object_get(module, "ports");
  bool ok = f && names && name_ports(names, ports, "input") && name_ports(names, ports, "output");
  if (ok) {
    write_ports(f, names, unit, ports);
  }
  for (uint32_t c = 0, memory = 0; ok && c < g->count; c++) {
    const liberty_cell_t *cell = g->instances[c].cell;
    if (!cell) {
      write_memory(f, names, memory++, g->instances[c].pins);
      continue;
    }
    fprintf(f, "%s u%u (", cell->name, c);
    for (uint32_t p = 0, written = 0; p < cell->pin_count; p++) {
      json_t *connection = json_object_get(g->instances[c].pins, cell->pins[p].name);
      if (connection && json_array_size(connection)) {
        fprintf(f, "%s.%s(", written++ ? ", " : "", cell->pins[p].name);
        write_bit(f, names, json_array_get(connection, 0));
        fprintf(f, ")");
      }
    }
    fprintf(f, ");\n");
  }
  if (ok) {
    fprintf(f, "endmodule\n");
  }
  for (size_t b = 0; names && b < g->bits; b++) {
    free(names[b]);
  }
  free(names);
  return (!f || fclose(f) == 0) && ok;
}

// ---- names of paths' ends ---------------------------------------------------------------

// First the registers' own names, then any other of the RTL.
static bool name_registers(netlist_t *n, const graph_t *g, json_t *module) {
  int64_t *keeper = malloc(g->bits * sizeof *keeper);  // of a bit: its register, or -1
  bool ok = keeper != NULL;
  for (size_t b = 0; ok && b < g->bits; b++) {
    keeper[b] = -1;
  }
  for (uint32_t c = 0; ok && c < g->count; c++) {
    const liberty_cell_t *cell = g->instances[c].cell;
    for (uint32_t p = 0; cell && cell->is_register && p < cell->pin_count; p++) {
      const liberty_pin_t *pin = &cell->pins[p];
      int64_t bit = pin->is_output ? bit_of(json_object_get(g->instances[c].pins, pin->name), 0)
                                   : -1;
      if (bit >= 0) {
        keeper[bit] = c;
      }
    }
  }
  for (int round = 0; ok && round < 2; round++) {
    EACH(json_object_get(module, "netnames"), key, net) {
      size_t i;
      json_t *bit, *bits = json_object_get(net, "bits");
      if (json_integer_value(json_object_get(net, "hide_name")) ||
          is_state_name(key) != (round == 0)) {
        continue;
      }
      json_array_foreach(bits, i, bit) {
        int64_t c = json_is_integer(bit) ? keeper[json_integer_value(bit)] : -1;
        if (c >= 0 && !n->register_names[c]) {
          n->register_names[c] = bit_name(key, bits, i);
          ok = ok && n->register_names[c];
        }
      }
    }
  }
  free(keeper);
  return ok;
}

static bool name_ends(netlist_t *n, const graph_t *g, json_t *module) {
  n->instance_count = g->count;
  n->register_names = calloc(g->count + 1, sizeof *n->register_names);
  return n->register_names && name_registers(n, g, module);
}

void netlist_name_end(char *out, size_t size, const netlist_t *n, const char *end) {
  unsigned number;
  int pin = 0;
  if (sscanf(end, "u%u/", &number) == 1 && number < n->instance_count) {
    const char *name = n->register_names[number];
    snprintf(out, size, "%s", name ? name : end);
  } else if (sscanf(end, "m%u/%n", &number, &pin) == 1 && pin && number < n->memory_count) {
    const char *bit = strrchr(end, '_');
    snprintf(out, size, "%s %.*s[%s]", n->memories[number].name, bit ? (int)(bit - end - pin) : 0,
             end + pin, bit ? bit + 1 : "");
  } else {
    snprintf(out, size, "%s", end);
  }
}

static bool read_cells(netlist_t *n, const liberty_t *l, graph_t *g, json_t *module,
                       char *error, size_t size) {
  json_t *cells = json_object_get(module, "cells");
  uint32_t memory = 0;
  EACH(cells, key, cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    json_t *pins = json_object_get(cell, "connections");
    const liberty_cell_t *known = liberty_cell(l, type);
    if (!known && strcmp(type, "$mem_v2") != 0) {
      snprintf(error, size, "the netlist has a cell %s that the library has not", type);
      return false;
    }
    g->instances[g->count++] = (instance_t){known, pins};
    if (!known) {
      netlist_memory_t *m = &n->memories[memory++];
      snprintf(m->name, sizeof m->name, "%s", key);
      m->width = (uint32_t)parameter(cell, "WIDTH");
      m->words = (uint32_t)parameter(cell, "SIZE");
      m->reads = (uint32_t)parameter(cell, "RD_PORTS");
      m->writes = (uint32_t)parameter(cell, "WR_PORTS");
      m->address_bits = (uint32_t)parameter(cell, "ABITS");
      m->is_clocked = parameter(cell, "RD_CLK_ENABLE") != 0;
      continue;
    }
    n->cells++;
    n->flip_flops += known->is_register;
    n->area += known->area;
    n->leakage += known->leakage;
    for (uint32_t p = 0; !known->is_register && p < known->pin_count; p++) {
      int64_t bit = known->pins[p].is_output ? bit_of(json_object_get(pins, known->pins[p].name), 0)
                                             : -1;
      if (bit >= 0) {
        g->driver[bit] = g->count - 1;
      }
    }
  }
  n->memory_count = memory;
  return true;
}

static size_t count_bits(json_t *module) {
  int64_t last = 1;
  size_t i;
  json_t *bit;
  EACH(json_object_get(module, "netnames"), key, net) {
    (void)key;
    json_array_foreach(json_object_get(net, "bits"), i, bit) {
      last = json_integer_value(bit) > last ? json_integer_value(bit) : last;
    }
  }
  return (size_t)last + 1;
}

static bool read_netlist(netlist_t *n, const liberty_t *l, json_t *module, const char *unit,
                         const char *folder, char *error, size_t size) {
  size_t cells = json_object_size(json_object_get(module, "cells"));
  graph_t g = {.netlist = n, .bits = count_bits(module)};
  g.instances = malloc((cells + 1) * sizeof *g.instances);
  g.depth = calloc(cells + 1, sizeof *g.depth);
  g.driver = malloc(g.bits * sizeof *g.driver);
  n->memories = calloc(cells + 1, sizeof *n->memories);
  bool ok = g.instances && g.depth && g.driver && n->memories;
  snprintf(error, size, "out of memory");
  for (size_t b = 0; ok && b < g.bits; b++) {
    g.driver[b] = -1;
  }
  ok = ok && read_cells(n, l, &g, module, error, size);
  if (ok && !find_depth(&g)) {
    snprintf(error, size, "%s: a combinational loop, or out of memory", unit);
    ok = false;
  }
  if (ok && !write_timing(&g, module, unit, folder)) {
    snprintf(error, size, "%s/timing.v: cannot be written", folder);
    ok = false;
  }
  if (ok && !name_ends(n, &g, module)) {
    snprintf(error, size, "out of memory");
    ok = false;
  }
  free(g.instances);
  free(g.depth);
  free(g.driver);
  return ok;
}

bool netlist_load(netlist_t *n, const liberty_t *l, const char *unit, const char *folder,
                  char *error, size_t size) {
  json_t *root = NULL;
  memset(n, 0, sizeof *n);
  json_t *module = load_module(&root, folder, "elaborated.json", unit, error, size);
  bool ok = module != NULL;
  if (ok && !read_storage(n, module)) {
    snprintf(error, size, "out of memory");
    ok = false;
  }
  json_decref(root);
  root = NULL;
  module = ok ? load_module(&root, folder, "netlist.json", unit, error, size) : NULL;
  ok = module && read_netlist(n, l, module, unit, folder, error, size);
  json_decref(root);
  if (!ok) {
    netlist_free(n);
  }
  return ok;
}

void netlist_free(netlist_t *n) {
  free(n->storage);
  free(n->memories);
  for (uint32_t i = 0; n->register_names && i < n->instance_count; i++) {
    free(n->register_names[i]);
  }
  free(n->register_names);
  memset(n, 0, sizeof *n);
}
