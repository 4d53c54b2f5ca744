// SPDX-License-Identifier: Apache-2.0
#include "netlist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "yosys.h"

// ---- storage --------------------------------------------------------------------------

static bool add_storage(netlist_t *n, const char *name, uint64_t width, uint64_t words,
                        bool is_memory) {
  const char *plain = strings_own(&n->names, yosys_plain_name(name));
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
  n->storage[n->storage_count++] =
      (netlist_storage_t){plain, width * words, (uint32_t)width, (uint32_t)words, is_memory};
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

// Marks the registers' bits with 1: no name has claimed them yet.
static uint8_t *open_bits(json_t *module, size_t *count) {
  size_t i;
  json_t *bit;
  *count = yosys_net_count(module);
  uint8_t *open = calloc(*count, 1);
  YosysEach(yosys_cells(module), key, cell) {
    (void)key;
    if (open && is_register(yosys_type(cell))) {
      json_array_foreach(yosys_pin(cell, "Q"), i, bit) { open[json_integer_value(bit)] = 1; }
    }
  }
  return open;
}

static bool is_hidden(json_t *net) {
  return json_integer_value(json_object_get(net, "hide_name")) != 0;
}

static bool name_registers_bits(netlist_t *n, json_t *module) {
  size_t i, count;
  json_t *bit;
  uint8_t *open = open_bits(module, &count);
  bool ok = open != NULL;
  // First the registers' names, then any other name, then those without one.
  for (int round = 0; ok && round < 3; round++) {
    YosysEach(yosys_nets(module), key, net) {
      uint64_t bits = 0;
      bool hidden = is_hidden(net);
      if ((round == 0 && !is_state_name(key)) || (round < 2 && hidden)) {
        continue;
      }
      json_array_foreach(yosys_bits(net), i, bit) {
        int64_t b = json_is_integer(bit) ? json_integer_value(bit) : 0;
        if (b > 0 && open[b]) {
          open[b] = 0;
          bits++;
        }
      }
      ok = ok && (!bits || add_storage(n, hidden ? "(unnamed)" : key, bits, 1, false));
    }
  }
  free(open);
  return ok;
}

static bool read_storage(netlist_t *n, json_t *module) {
  bool ok = name_registers_bits(n, module);
  // Tables that are never written (read-only, of cases) are logic, not storage.
  YosysEach(json_object_get(module, "memories"), key, memory) {
    if (!strchr(key, '$')) {
      ok = ok && add_storage(n, key, (uint64_t)json_integer_value(json_object_get(memory, "width")),
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
  int64_t *driver;  // of a bit: the index of a combinational cell, or -1
  uint32_t *depth;  // of an instance; 0: not known yet
  size_t bits;
} graph_t;

// Returns the net of a cell's pin, or -1.
static int64_t net_of(const instance_t *instance, const liberty_pin_t *pin) {
  return yosys_bit(json_object_get(instance->pins, pin->name), 0);
}

// Returns a driver of the cell whose depth is not known yet, or -1 and the greatest depth of all.
static int64_t next_driver(const graph_t *g, uint32_t at, uint32_t *deepest) {
  const instance_t *instance = &g->instances[at];
  *deepest = 0;
  for (uint32_t p = 0; p < instance->cell->pin_count; p++) {
    const liberty_pin_t *pin = &instance->cell->pins[p];
    int64_t bit = pin->is_output ? -1 : net_of(instance, pin);
    int64_t from = bit >= 0 ? g->driver[bit] : -1;
    if (from >= 0 && !g->depth[from]) {
      return from;
    }
    if (from >= 0 && g->depth[from] > *deepest) {
      *deepest = g->depth[from];
    }
  }
  return -1;
}

// Depth first without recursion: paths are hundreds of cells long. False: a combinational loop, or
// no memory.
static bool find_depth(graph_t *g) {
  uint32_t *stack = malloc((g->count + 1) * sizeof *stack);
  bool ok = stack != NULL;
  for (uint32_t first = 0; ok && first < g->count; first++) {
    uint32_t used = 0, deepest;
    if (g->instances[first].cell && !g->instances[first].cell->is_register && !g->depth[first]) {
      stack[used++] = first;
    }
    while (ok && used) {
      uint32_t at = stack[used - 1];
      int64_t from = next_driver(g, at, &deepest);
      if (from >= 0) {
        ok = used <= g->count;
        if (ok) {
          stack[used++] = (uint32_t)from;
        }
        continue;
      }
      g->depth[at] = deepest + 1;
      used--;
      if (deepest + 1 > g->netlist->depth) {
        g->netlist->depth = deepest + 1;
      }
    }
  }
  free(stack);
  return ok;
}

static char *bit_name(const char *name, json_t *bits, size_t index) {
  return json_array_size(bits) > 1 ? text_make("%s[%zu]", name, index) : strdup(name);
}

// ---- the netlist for OpenSTA ----------------------------------------------------------

// Writes the net of a pin: an input port's bit, the first output port's, n<bit>, or a constant.
static void write_bit(FILE *f, char *const *ports, json_t *bit) {
  if (!json_is_integer(bit)) {
    fprintf(f, "1'b%u", yosys_net(bit));
  } else if (ports[json_integer_value(bit)]) {
    fputs(ports[json_integer_value(bit)], f);
  } else {
    fprintf(f, "n%" PRId64, (int64_t)json_integer_value(bit));
  }
}

// Names the bits of the ports of one direction that have no name yet.
static bool name_ports(char **names, json_t *ports, const char *direction) {
  bool ok = true;
  YosysEach(ports, key, port) {
    json_t *bits = yosys_bits(port);
    for (size_t i = 0; yosys_is(port, direction) && i < json_array_size(bits); i++) {
      int64_t b = yosys_bit(bits, i);
      if (b > 0 && !names[b]) {
        names[b] = bit_name(key, bits, i);
        ok = ok && names[b];
      }
    }
  }
  return ok;
}

static void write_port_list(FILE *f, const char *unit, json_t *ports) {
  const char *separator = "";
  fprintf(f, "module %s (", unit);
  YosysEach(ports, key, port) {
    (void)port;
    fprintf(f, "%s%s", separator, key);
    separator = ", ";
  }
  fprintf(f, ");\n");
}

static void write_ports(FILE *f, char *const *names, const char *unit, json_t *ports) {
  write_port_list(f, unit, ports);
  YosysEach(ports, key, port) {
    json_t *bits = yosys_bits(port);
    size_t width = json_array_size(bits);
    bool is_output = yosys_is(port, "output");
    const char *direction = json_string_value(json_object_get(port, "direction"));
    if (width > 1) {
      fprintf(f, "%s [%zu:0] %s;\n", direction, width - 1, key);
    } else {
      fprintf(f, "%s %s;\n", direction, key);
    }
    // Bits that another port has named, and constants.
    for (size_t i = 0; is_output && i < width; i++) {
      char *own = bit_name(key, bits, i);
      int64_t b = yosys_bit(bits, i);
      const char *named = b >= 0 ? names[b] : NULL;
      if (own && (!named || strcmp(named, own) != 0)) {
        fprintf(f, "assign %s = ", own);
        write_bit(f, names, json_array_get(bits, i));
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
  YosysEach(pins, key, bits) {
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

static void write_cell(FILE *f, char *const *names, uint32_t number, const instance_t *instance) {
  const liberty_cell_t *cell = instance->cell;
  const char *separator = "";
  fprintf(f, "%s u%u (", cell->name, number);
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    json_t *bits = json_object_get(instance->pins, cell->pins[p].name);
    if (json_array_size(bits)) {
      fprintf(f, "%s.%s(", separator, cell->pins[p].name);
      write_bit(f, names, json_array_get(bits, 0));
      fprintf(f, ")");
      separator = ", ";
    }
  }
  fprintf(f, ");\n");
}

static bool write_timing(const graph_t *g, json_t *module, const char *unit, const char *path) {
  FILE *f = fopen(path, "w");
  char **names = calloc(g->bits, sizeof *names);
  json_t *ports = yosys_ports(module);
  bool ok = f && names && name_ports(names, ports, "input") && name_ports(names, ports, "output");
  if (ok) {
    write_ports(f, names, unit, ports);
  }
  for (uint32_t c = 0, memory = 0; ok && c < g->count; c++) {
    if (g->instances[c].cell) {
      write_cell(f, names, c, &g->instances[c]);
    } else {
      write_memory(f, names, memory++, g->instances[c].pins);
    }
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

// ---- names of paths' ends -------------------------------------------------------------

// Returns of each net the register that keeps it, or -1.
static int64_t *find_keepers(const graph_t *g) {
  int64_t *keeper = malloc(g->bits * sizeof *keeper);
  for (size_t b = 0; keeper && b < g->bits; b++) {
    keeper[b] = -1;
  }
  for (uint32_t c = 0; keeper && c < g->count; c++) {
    const liberty_cell_t *cell = g->instances[c].cell;
    for (uint32_t p = 0; cell && cell->is_register && p < cell->pin_count; p++) {
      int64_t bit = cell->pins[p].is_output ? net_of(&g->instances[c], &cell->pins[p]) : -1;
      if (bit >= 0) {
        keeper[bit] = c;
      }
    }
  }
  return keeper;
}

// First the registers' own names, then any other of the RTL.
static bool name_registers(netlist_t *n, const graph_t *g, json_t *module) {
  int64_t *keeper = find_keepers(g);
  n->instance_count = g->count;
  n->register_names = calloc(g->count + 1, sizeof *n->register_names);
  for (int round = 0; keeper && n->register_names && round < 2; round++) {
    YosysEach(yosys_nets(module), key, net) {
      json_t *bits = yosys_bits(net);
      bool counts = !is_hidden(net) && is_state_name(key) == (round == 0);
      for (size_t i = 0; counts && i < json_array_size(bits); i++) {
        int64_t b = yosys_bit(bits, i), c = b >= 0 ? keeper[b] : -1;
        if (c >= 0 && !n->register_names[c]) {
          n->register_names[c] = strings_own(&n->names, bit_name(key, bits, i));
        }
      }
    }
  }
  bool ok = keeper && n->register_names;
  free(keeper);
  return ok;
}

char *netlist_end_name(const netlist_t *n, const char *end) {
  unsigned number;
  int pin = 0;
  if (sscanf(end, "u%u/", &number) == 1 && number < n->instance_count) {
    const char *name = n->register_names[number];
    return strdup(name ? name : end);
  }
  if (sscanf(end, "m%u/%n", &number, &pin) == 1 && pin && number < n->memory_count) {
    const char *bit = strrchr(end, '_');
    return text_make("%s %.*s[%s]", n->memories[number].name, bit ? (int)(bit - end - pin) : 0,
                     end + pin, bit ? bit + 1 : "");
  }
  return strdup(end);
}

// ---- all ------------------------------------------------------------------------------

static netlist_memory_t read_memory(netlist_t *n, const char *name, json_t *cell) {
  yosys_memory_t m = yosys_memory(cell);
  return (netlist_memory_t){strings_put(&n->names, name),
                            m.width,
                            m.words,
                            m.reads,
                            m.writes,
                            m.address_bits,
                            yosys_number(cell, "RD_CLK_ENABLE") != 0};
}

static bool read_cells(netlist_t *n, const liberty_t *l, graph_t *g, json_t *module, err_t *err) {
  YosysEach(yosys_cells(module), key, cell) {
    const liberty_cell_t *known = liberty_cell(l, yosys_type(cell));
    instance_t *instance = &g->instances[g->count++];
    *instance = (instance_t){known, yosys_pins(cell)};
    if (!known && !yosys_is_memory(cell)) {
      return err_set(err, ErrCheck, "the netlist has a cell %s that the library has not",
                     yosys_type(cell));
    }
    if (!known) {
      n->memories[n->memory_count++] = read_memory(n, key, cell);
      continue;
    }
    n->cells++;
    n->flip_flops += known->is_register;
    n->area += known->area;
    n->leakage += known->leakage;
    for (uint32_t p = 0; !known->is_register && p < known->pin_count; p++) {
      int64_t bit = known->pins[p].is_output ? net_of(instance, &known->pins[p]) : -1;
      if (bit >= 0) {
        g->driver[bit] = g->count - 1;
      }
    }
  }
  return true;
}

static bool read_netlist(netlist_t *n, const liberty_t *l, json_t *module, const char *unit,
                         const char *folder, err_t *err) {
  size_t cells = json_object_size(yosys_cells(module));
  graph_t g = {.netlist = n, .bits = yosys_net_count(module)};
  char *timing = text_make("%s/timing.v", folder);
  g.instances = malloc((cells + 1) * sizeof *g.instances);
  g.depth = calloc(cells + 1, sizeof *g.depth);
  g.driver = malloc(g.bits * sizeof *g.driver);
  n->memories = calloc(cells + 1, sizeof *n->memories);
  bool ok = (timing && g.instances && g.depth && g.driver && n->memories) || err_memory(err, unit);
  for (size_t b = 0; ok && b < g.bits; b++) {
    g.driver[b] = -1;
  }
  ok = ok && read_cells(n, l, &g, module, err);
  if (ok && !find_depth(&g)) {
    ok = err_set(err, ErrCheck, "%s: a combinational loop, or out of memory", unit);
  }
  if (ok && !write_timing(&g, module, unit, timing)) {
    ok = err_set(err, ErrCheck, "%s: cannot be written", timing);
  }
  ok = ok && (name_registers(n, &g, module) || err_memory(err, unit));
  free(timing);
  free(g.instances);
  free(g.depth);
  free(g.driver);
  return ok;
}

bool netlist_load(netlist_t *n, const liberty_t *l, const char *unit, const char *folder,
                  err_t *err) {
  yosys_t elaborated = {0}, mapped = {0};
  *n = (netlist_t){0};
  bool ok = yosys_open(&elaborated, folder, "elaborated.json", unit, err) &&
            (read_storage(n, elaborated.module) || err_memory(err, unit));
  yosys_close(&elaborated);
  ok = ok && yosys_open(&mapped, folder, "netlist.json", unit, err) &&
       read_netlist(n, l, mapped.module, unit, folder, err);
  yosys_close(&mapped);
  ok = ok && (!n->names.failed || err_memory(err, unit));
  if (!ok) {
    netlist_free(n);
  }
  return ok;
}

void netlist_free(netlist_t *n) {
  free(n->storage);
  free(n->memories);
  free(n->register_names);
  strings_free(&n->names);
  *n = (netlist_t){0};
}
