// SPDX-License-Identifier: Apache-2.0
#include "modules.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netlist.h"
#include "scaling.h"
#include "tb/harness/json_file.h"

static json_t *load(json_t **root, const char *folder, const char *file, char *error, size_t size) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  *root = json_file_load_cut(path, error, size);
  json_t *modules = json_object_get(*root, "modules");
  if (*root && !modules) {
    snprintf(error, size, "%.200s: no modules", path);
  }
  return modules;
}

static uint32_t number(json_t *cell, const char *name) {
  const char *text = json_string_value(json_object_get(json_object_get(cell, "parameters"), name));
  return text ? (uint32_t)strtoull(text, NULL, 2) : 0;
}

// "$paramod\skid_fifo\Width=..." and "$paramod$HASH\skid_fifo" are skid_fifo.
static void plain_module(char out[ModulesName], const char *type) {
  const char *name = type;
  if (strncmp(type, "$paramod", 8) == 0 && strchr(type, '\\')) {
    name = strchr(type, '\\') + 1;
  }
  snprintf(out, ModulesName, "%.*s", (int)strcspn(name, "\\"), name);
}

// ---- costs ----------------------------------------------------------------------------

typedef struct {
  json_t *modules;
  const liberty_t *liberty;
  module_cost_t *rows;
  uint32_t count;
  char *error;
  size_t size;
} tree_t;

static void add_memory(module_cost_t *row, json_t *cell) {
  uint64_t bits = (uint64_t)number(cell, "WIDTH") * number(cell, "SIZE");
  memory_area_t area = memory_area(bits, number(cell, "RD_PORTS") + number(cell, "WR_PORTS"));
  row->memory_bits += bits;
  row->area_osu018 += area.osu018;
  row->area_28nm += area.nm28;
}

static bool visit(tree_t *t, uint32_t at, json_t *module);

static bool visit_instance(tree_t *t, uint32_t parent, const char *name, const char *type) {
  char instance[ModulesName], plain[ModulesName];
  uint32_t depth = t->rows[parent].depth + 1, at = parent + 1;
  netlist_strip_indices(instance, sizeof instance, name);
  plain_module(plain, type);
  // Rows of a parent's subtree lie behind it.
  while (at < t->count && t->rows[at].depth >= depth &&
         !(t->rows[at].depth == depth && strcmp(t->rows[at].instance, instance) == 0 &&
           strcmp(t->rows[at].module, plain) == 0)) {
    at++;
  }
  if (at == t->count || t->rows[at].depth < depth) {
    if (t->count == ModulesMax) {
      snprintf(t->error, t->size, "more than %d modules", ModulesMax);
      return false;
    }
    memmove(&t->rows[at + 1], &t->rows[at], (t->count - at) * sizeof *t->rows);
    t->count++;
    t->rows[at] = (module_cost_t){.depth = depth};
    memcpy(t->rows[at].instance, instance, sizeof instance);
    memcpy(t->rows[at].module, plain, sizeof plain);
  }
  t->rows[at].instances++;
  return visit(t, at, json_object_get(t->modules, type));
}

// Adds a module's own cost to its row; parents are summed up at the end.
static bool visit(tree_t *t, uint32_t at, json_t *module) {
  const char *name;
  json_t *cell;
  json_object_foreach(json_object_get(module, "cells"), name, cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    const liberty_cell_t *known = liberty_cell(t->liberty, type);
    module_cost_t *row = &t->rows[at];
    if (known) {
      row->cells++;
      row->flip_flops += known->is_register;
      row->cells_osu018 += known->area;
      row->area_osu018 += known->area;
      row->area_28nm += known->area / scaling_area();
    } else if (strcmp(type, "$mem_v2") == 0) {
      add_memory(row, cell);
    } else if (!json_object_get(t->modules, type)) {
      snprintf(t->error, t->size, "the netlist has a cell %.60s that the library has not", type);
      return false;
    } else if (!visit_instance(t, at, name, type)) {
      return false;
    }
  }
  return true;
}

bool modules_load(module_cost_t rows[ModulesMax], uint32_t *count, const liberty_t *liberty,
                  const char *unit, const char *folder, char *error, size_t size) {
  json_t *root = NULL;
  json_t *modules = load(&root, folder, "modules.json", error, size);
  tree_t t = {modules, liberty, rows, 1, error, size};
  rows[0] = (module_cost_t){.instances = 1};
  snprintf(rows[0].instance, ModulesName, "%s", unit);
  snprintf(rows[0].module, ModulesName, "%s", unit);
  bool ok = modules && visit(&t, 0, json_object_get(modules, unit));
  // Children lie behind their parents.
  for (uint32_t i = t.count; ok && i-- > 1;) {
    uint32_t p = i;
    while (rows[--p].depth >= rows[i].depth) {
    }
    rows[p].cells += rows[i].cells;
    rows[p].flip_flops += rows[i].flip_flops;
    rows[p].memory_bits += rows[i].memory_bits;
    rows[p].cells_osu018 += rows[i].cells_osu018;
    rows[p].area_osu018 += rows[i].area_osu018;
    rows[p].area_28nm += rows[i].area_28nm;
  }
  *count = t.count;
  json_decref(root);
  return ok;
}

// ---- schematic ------------------------------------------------------------------------

enum { BlocksMax = 160, DecisionsMax = 16, StageLetters = 2, StageLeast = 3 };

typedef enum { BlockInput, BlockOutput, BlockInstance, BlockMemory, BlockRegister } block_e;

typedef struct {
  block_e kind;
  char name[ModulesName], module[ModulesName];
  uint64_t bits;
  uint32_t instances;
} block_t;

typedef struct {
  json_t *cells, *modules;
  block_t blocks[BlocksMax];
  uint32_t count;
  size_t bits;
  int32_t *source;   // of a bit: the block that drives it, or -1
  json_t **driver;   // the cell of logic that drives it
  uint32_t *seen;    // the search that came by
  uint32_t search;
  uint8_t *seen_at;  // with how many decisions on the way
  // 1 + the least number of decisions (selects, enables, comparisons) on a way from one block to
  // another; 1: data; 0: no way of fewer than DecisionsMax.
  uint8_t ways[BlocksMax][BlocksMax];
} drawing_t;

static int32_t block(drawing_t *d, block_e kind, const char *name, const char *module) {
  for (uint32_t b = 0; b < d->count; b++) {
    if (d->blocks[b].kind == kind && strcmp(d->blocks[b].name, name) == 0 &&
        strcmp(d->blocks[b].module, module) == 0) {
      return (int32_t)b;
    }
  }
  if (d->count == BlocksMax) {
    return -1;
  }
  d->blocks[d->count] = (block_t){.kind = kind};
  snprintf(d->blocks[d->count].name, ModulesName, "%.95s", name);
  snprintf(d->blocks[d->count].module, ModulesName, "%.95s", module);
  return (int32_t)d->count++;
}

// "cmd_valid_i" is of the port cmd.
static void port_word(char out[ModulesName], const char *port) {
  size_t length = strlen(port);
  if (length > 2 &&
      (strcmp(port + length - 2, "_i") == 0 || strcmp(port + length - 2, "_o") == 0)) {
    length -= 2;
  }
  size_t word = strcspn(port, "_");
  snprintf(out, ModulesName, "%.*s", (int)(word < length ? word : length), port);
}

static bool is_clock(const char *port) {
  return strcmp(port, "clk_i") == 0 || strcmp(port, "rst_ni") == 0;
}

static bool is_state(const char *type) {
  return type[0] == '$' && (strstr(type, "dff") || strncmp(type, "$mem", 4) == 0);
}

// A memory's cells in the RTL: $mem_v2, or ports before memory_collect.
static bool is_memory(const char *type) { return type[0] == '$' && strncmp(type, "$mem", 4) == 0; }

static void memory_name(char out[ModulesName], json_t *cell) {
  const char *id =
      json_string_value(json_object_get(json_object_get(cell, "parameters"), "MEMID"));
  netlist_strip_indices(out, ModulesName, id && id[0] == '\\' ? id + 1 : id ? id : "memory");
}

// The register's name without generate blocks and index, and its stage: "c_first_q" is of c.
static void register_name(char out[ModulesName], const char *name) {
  char plain[ModulesName];
  netlist_strip_indices(plain, sizeof plain, name);
  char *last = strrchr(plain, '.');
  snprintf(out, ModulesName, "%s", last ? last + 1 : plain);
  char *index = strchr(out, '[');
  if (index) {
    *index = '\0';
  }
}

static bool is_output_pin(json_t *d_modules, const char *type, const char *pin, json_t *cell) {
  json_t *module = json_object_get(d_modules, type);
  json_t *way = module ? json_object_get(json_object_get(json_object_get(module, "ports"), pin),
                                         "direction")
                       : json_object_get(json_object_get(cell, "port_directions"), pin);
  const char *text = json_string_value(way);
  return text && strcmp(text, "output") == 0;
}

static void set_source(drawing_t *d, json_t *bits, int32_t source) {
  size_t i;
  json_t *bit;
  json_array_foreach(bits, i, bit) {
    if (json_is_integer(bit)) {
      d->source[json_integer_value(bit)] = source;
    }
  }
}

// Pins that choose rather than carry: a multiplexer's select, a register's enable.
static bool is_choice(const char *type, const char *pin) {
  return strcmp(pin, "CLK") == 0 || strcmp(pin, "SRST") == 0 || strcmp(pin, "EN") == 0 ||
         (strcmp(pin, "S") == 0 && type[0] == '$' && strstr(type, "mux"));
}

// Cells whose answer is one bit about their inputs.
static bool is_question(const char *type) {
  static const char *const Types[] = {"$eq", "$ne", "$eqx", "$nex", "$lt", "$le", "$gt", "$ge"};
  for (size_t i = 0; i < sizeof Types / sizeof *Types; i++) {
    if (strcmp(type, Types[i]) == 0) {
      return true;
    }
  }
  return strncmp(type, "$reduce_", 8) == 0 || strncmp(type, "$logic_", 7) == 0;
}

static void add_way(drawing_t *d, int32_t from, int32_t to, uint8_t decisions) {
  uint8_t *way = &d->ways[from][to];
  if (!*way || *way > decisions + 1) {
    *way = (uint8_t)(decisions + 1);
  }
}

// From the bits back to blocks.
static void reach(drawing_t *d, json_t *bits, int32_t to, uint8_t decisions) {
  size_t i;
  json_t *bit;
  json_array_foreach(bits, i, bit) {
    json_int_t b = json_is_integer(bit) ? json_integer_value(bit) : 0;
    if (b < 2 || decisions == DecisionsMax ||
        (d->seen[b] == d->search && d->seen_at[b] <= decisions)) {
      continue;
    }
    d->seen[b] = d->search;
    d->seen_at[b] = decisions;
    if (d->source[b] >= 0) {
      add_way(d, d->source[b], to, decisions);
    } else if (d->driver[b]) {
      json_t *cell = d->driver[b], *pins = json_object_get(cell, "connections"), *nets;
      const char *type = json_string_value(json_object_get(cell, "type")), *pin;
      json_object_foreach(pins, pin, nets) {
        if (!is_clock(pin) && !is_output_pin(d->modules, type, pin, cell)) {
          bool decides = is_question(type) || is_choice(type, pin);
          reach(d, nets, to, (uint8_t)(decisions + decides));
        }
      }
    }
  }
}

static int32_t block_of_cell(drawing_t *d, const char *name, json_t *cell) {
  const char *type = json_string_value(json_object_get(cell, "type"));
  char plain[ModulesName], module[ModulesName];
  if (json_object_get(d->modules, type)) {
    netlist_strip_indices(plain, sizeof plain, name);
    plain_module(module, type);
    return block(d, BlockInstance, plain, module);
  }
  if (is_memory(type)) {
    memory_name(plain, cell);
    return block(d, BlockMemory, plain, "");
  }
  return -1;
}

static bool is_register_name(const char *name) {
  const char *q = strstr(name, "_q");
  return name[0] != '$' && q && (q[2] == '\0' || q[2] == '[');
}

// How many registers begin with the same one or two letters and a '_'.
static uint32_t stage_size(json_t *names, const char *stage, size_t length) {
  const char *name;
  json_t *net;
  uint32_t count = 0;
  char plain[ModulesName];
  json_object_foreach(names, name, net) {
    if (is_register_name(name)) {
      register_name(plain, name);
      count += strncmp(plain, stage, length) == 0 && plain[length] == '_';
    }
  }
  return count;
}

static bool find_blocks(drawing_t *d, json_t *module) {
  json_t *names = json_object_get(module, "netnames"), *net, *cell, *port, *bits, *bit;
  const char *name, *pin;
  char plain[ModulesName];
  size_t i;
  // Registers' bits first, then their names.
  uint8_t *is_q = calloc(d->bits, 1);
  if (!is_q) {
    return false;
  }
  json_object_foreach(d->cells, name, cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    bool is_block = json_object_get(d->modules, type) || is_memory(type);
    int32_t own = is_block ? block_of_cell(d, name, cell) : -1;
    if (own >= 0) {
      d->blocks[own].instances++;
      if (is_memory(type) && strcmp(type, "$memwr") != 0 && strncmp(type, "$memrd", 6) != 0) {
        d->blocks[own].bits = (uint64_t)number(cell, "WIDTH") * number(cell, "SIZE");
      }
    }
    json_object_foreach(json_object_get(cell, "connections"), pin, bits) {
      if (!is_output_pin(d->modules, type, pin, cell)) {
        continue;
      }
      json_array_foreach(bits, i, bit) {
        json_int_t b = json_is_integer(bit) ? json_integer_value(bit) : 0;
        if (own >= 0) {
          d->source[b] = own;
        } else if (is_state(type)) {
          is_q[b] = is_q[b] || strcmp(pin, "Q") == 0;
        } else {
          d->driver[b] = cell;
        }
      }
    }
  }
  json_object_foreach(names, name, net) {
    if (!is_register_name(name)) {
      continue;
    }
    register_name(plain, name);
    size_t letters = strcspn(plain, "_");
    if (letters <= StageLetters && stage_size(names, plain, letters) >= StageLeast) {
      snprintf(plain + letters, sizeof plain - letters, "_*");
    }
    json_array_foreach(json_object_get(net, "bits"), i, bit) {
      json_int_t b = json_is_integer(bit) ? json_integer_value(bit) : 0;
      if (b > 1 && is_q[b] && d->source[b] < 0) {
        int32_t own = block(d, BlockRegister, plain, "");
        if (own >= 0) {
          d->source[b] = own;
          d->blocks[own].bits++;
        }
      }
    }
  }
  json_object_foreach(json_object_get(module, "ports"), name, port) {
    const char *way = json_string_value(json_object_get(port, "direction"));
    if (!is_clock(name) && strcmp(way, "input") == 0) {
      port_word(plain, name);
      int32_t own = block(d, BlockInput, plain, "");
      if (own >= 0) {
        set_source(d, json_object_get(port, "bits"), own);
      }
    }
  }
  free(is_q);
  return true;
}

static void find_edges(drawing_t *d, json_t *module) {
  json_t *cell, *port, *bits;
  const char *name, *pin;
  json_object_foreach(d->cells, name, cell) {
    const char *type = json_string_value(json_object_get(cell, "type"));
    int32_t to = block_of_cell(d, name, cell);
    json_t *pins = json_object_get(cell, "connections");
    if (to < 0 && is_state(type)) {
      size_t i;
      json_t *bit;
      // Each bit's own block: a register's cell may hold several.
      json_array_foreach(json_object_get(pins, "Q"), i, bit) {
        json_int_t b = json_is_integer(bit) ? json_integer_value(bit) : 0;
        to = b > 1 && d->source[b] >= 0 ? d->source[b] : to;
      }
    }
    if (to < 0) {
      continue;
    }
    d->search++;
    json_object_foreach(pins, pin, bits) {
      if (!is_output_pin(d->modules, type, pin, cell) && !is_clock(pin) &&
          strcmp(pin, "CLK") != 0 && strcmp(pin, "SRST") != 0) {
        reach(d, bits, to, is_choice(type, pin));
      }
    }
  }
  json_object_foreach(json_object_get(module, "ports"), name, port) {
    char plain[ModulesName];
    if (strcmp(json_string_value(json_object_get(port, "direction")), "output") == 0) {
      port_word(plain, name);
      int32_t to = block(d, BlockOutput, plain, "");
      d->search++;
      if (to >= 0) {
        reach(d, json_object_get(port, "bits"), to, 0);
      }
    }
  }
}

static void write_block(FILE *f, const drawing_t *d, uint32_t b) {
  static const char *const Looks[] = {
      [BlockInput] = "shape=cds, fillcolor=\"#e8e8e8\"",
      [BlockOutput] = "shape=cds, fillcolor=\"#e8e8e8\"",
      [BlockInstance] = "shape=box3d, fillcolor=\"#cfe2f3\"",
      [BlockMemory] = "shape=cylinder, fillcolor=\"#d9ead3\"",
      [BlockRegister] = "shape=box, fillcolor=\"#fff2cc\""};
  const block_t *x = &d->blocks[b];
  fprintf(f, "  b%u [%s, label=\"%s", b, Looks[x->kind], x->name);
  if (x->kind == BlockInstance) {
    fprintf(f, "\\n%s", x->module);
    if (x->instances > 1) {
      fprintf(f, ", %u times", x->instances);
    }
  } else if (x->bits) {
    fprintf(f, "\\n%llu bits", (unsigned long long)x->bits);
  }
  fprintf(f, "\"];\n");
}

static bool is_port(const drawing_t *d, uint32_t b) {
  return d->blocks[b].kind == BlockInput || d->blocks[b].kind == BlockOutput;
}

// The shortest way into a block, or out of it, from or to another one; 0: there is none.
static uint8_t shortest(const drawing_t *d, uint32_t b, bool in) {
  uint8_t least = 0;
  for (uint32_t other = 0; other < d->count; other++) {
    uint8_t way = in ? d->ways[other][b] : d->ways[b][other];
    if (other != b && way && (!least || way < least)) {
      least = way;
    }
  }
  return least;
}

// Data is drawn; of a block without it, the ways with the fewest decisions.
static bool is_drawn(const drawing_t *d, uint32_t from, uint32_t to) {
  uint8_t way = d->ways[from][to];
  return from != to && way && (way == 1 || (!is_port(d, to) && way == shortest(d, to, true)) ||
                               (!is_port(d, from) && way == shortest(d, from, false)));
}

static bool write_graph(const drawing_t *d, const char *path, const char *unit) {
  FILE *f = fopen(path, "w");
  if (!f) {
    return false;
  }
  fprintf(f, "digraph \"%s\" {\n  rankdir=LR; nodesep=0.15; ranksep=0.6;\n"
             "  node [style=filled, fontname=sans, fontsize=10]; edge [color=\"#606060\", "
             "arrowsize=0.6];\n", unit);
  for (uint32_t b = 0; b < d->count; b++) {
    bool has_edge = false;
    for (uint32_t other = 0; other < d->count; other++) {
      has_edge = has_edge || is_drawn(d, b, other) || is_drawn(d, other, b);
    }
    if (has_edge || !is_port(d, b)) {
      write_block(f, d, b);
    }
  }
  for (uint32_t from = 0; from < d->count; from++) {
    for (uint32_t to = 0; to < d->count; to++) {
      if (is_drawn(d, from, to)) {
        fprintf(f, "  b%u -> b%u%s;\n", from, to, d->ways[from][to] == 1 ? "" : " [style=dashed]");
      }
    }
  }
  fprintf(f, "}\n");
  return fclose(f) == 0;
}

static size_t count_bits(json_t *module) {
  json_int_t last = 1;
  const char *name;
  json_t *net, *bit;
  size_t i;
  json_object_foreach(json_object_get(module, "netnames"), name, net) {
    json_array_foreach(json_object_get(net, "bits"), i, bit) {
      last = json_integer_value(bit) > last ? json_integer_value(bit) : last;
    }
  }
  return (size_t)last + 1;
}

bool modules_schematic(const char *path, const char *unit, const char *folder, char *error,
                       size_t size) {
  json_t *root = NULL;
  json_t *modules = load(&root, folder, "hierarchy.json", error, size);
  json_t *module = json_object_get(modules, unit);
  drawing_t *d = calloc(1, sizeof *d);
  bool ok = modules && module && d;
  if (ok) {
    d->modules = modules;
    d->cells = json_object_get(module, "cells");
    d->bits = count_bits(module);
    d->source = malloc(d->bits * sizeof *d->source);
    d->driver = calloc(d->bits, sizeof *d->driver);
    d->seen = calloc(d->bits, sizeof *d->seen);
    d->seen_at = calloc(d->bits, 1);
    ok = d->source && d->driver && d->seen && d->seen_at;
  }
  if (ok) {
    memset(d->source, -1, d->bits * sizeof *d->source);
    ok = find_blocks(d, module);
  }
  if (!ok && modules) {
    snprintf(error, size, module ? "%.60s: out of memory" : "%.60s: not in hierarchy.json", unit);
  }
  if (ok) {
    find_edges(d, module);
    ok = write_graph(d, path, unit);
    if (!ok) {
      snprintf(error, size, "%.200s: cannot be written", path);
    }
  }
  if (d) {
    free(d->source);
    free(d->driver);
    free(d->seen);
    free(d->seen_at);
  }
  free(d);
  json_decref(root);
  return ok;
}
