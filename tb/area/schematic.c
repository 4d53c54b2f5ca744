// SPDX-License-Identifier: Apache-2.0
#include "schematic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/strings.h"
#include "yosys.h"

enum { BlocksMax = 160, DecisionsMax = 16, StageLetters = 2, StageLeast = 3 };

typedef enum { BlockInput, BlockOutput, BlockInstance, BlockMemory, BlockRegister } block_e;

typedef struct {
  block_e kind;
  const char *name, *module;
  uint64_t bits;
  uint32_t instances;
} block_t;

typedef struct {
  json_t *module, *cells, *modules;
  block_t blocks[BlocksMax];
  uint32_t count;
  size_t bits;
  int32_t *source;  // of a bit: the block that drives it, or -1
  json_t **driver;  // of a bit: the cell of logic that drives it
  uint8_t *is_q;    // of a bit: a register's
  uint32_t *seen;   // of a bit: the last search that came by
  uint32_t search;
  uint8_t *seen_at;  // of a bit: the decisions on that search's way
  // 1 + the least number of decisions (selects, enables, comparisons) on a way from one block to
  // another; 1: data; 0: no way of fewer than DecisionsMax.
  uint8_t ways[BlocksMax][BlocksMax];
  strings_t names;
} drawing_t;

// Returns the number of a block, a new one where it is not known yet; -1: too many. Owns name then.
static int32_t block(drawing_t *d, block_e kind, char *name, const char *module) {
  const char *own = strings_own(&d->names, name);
  for (uint32_t b = 0; b < d->count; b++) {
    if (d->blocks[b].kind == kind && strcmp(d->blocks[b].name, own) == 0 &&
        strcmp(d->blocks[b].module, module) == 0) {
      return (int32_t)b;
    }
  }
  if (d->count == BlocksMax) {
    return -1;
  }
  d->blocks[d->count] = (block_t){kind, own, module, 0, 0};
  return (int32_t)d->count++;
}

// ---- names ----------------------------------------------------------------------------

// "cmd_valid_i" is of the port cmd.
static char *port_word(const char *port) {
  size_t length = strlen(port);
  if (length > 2 &&
      (strcmp(port + length - 2, "_i") == 0 || strcmp(port + length - 2, "_o") == 0)) {
    length -= 2;
  }
  size_t word = strcspn(port, "_");
  return strndup(port, word < length ? word : length);
}

static bool is_clock(const char *port) {
  return strcmp(port, "clk_i") == 0 || strcmp(port, "rst_ni") == 0;
}

static bool is_state(const char *type) {
  return type[0] == '$' && (strstr(type, "dff") || strncmp(type, "$mem", 4) == 0);
}

// A memory's cells in the RTL: $mem_v2, or ports before memory_collect.
static bool is_memory(const char *type) { return strncmp(type, "$mem", 4) == 0; }

static char *memory_name(json_t *cell) {
  const char *id = json_string_value(json_object_get(json_object_get(cell, "parameters"), "MEMID"));
  return yosys_plain_name(id && id[0] == '\\' ? id + 1 : id ? id : "memory");
}

// The register's name without generate blocks and index.
static char *register_name(const char *name) {
  char *plain = yosys_plain_name(name);
  const char *last = plain ? strrchr(plain, '.') : NULL;
  const char *from = last ? last + 1 : plain;
  char *out = plain ? strndup(from, strcspn(from, "[")) : NULL;
  free(plain);
  return out;
}

static bool is_register_name(const char *name) {
  const char *q = strstr(name, "_q");
  return name[0] != '$' && q && (q[2] == '\0' || q[2] == '[');
}

// Counts the registers that begin with the same one or two letters and a '_'.
static uint32_t stage_size(json_t *names, const char *stage, size_t length) {
  uint32_t count = 0;
  YosysEach(names, name, net) {
    (void)net;
    char *plain = is_register_name(name) ? register_name(name) : NULL;
    count += plain && strncmp(plain, stage, length) == 0 && plain[length] == '_';
    free(plain);
  }
  return count;
}

// Returns the block's name of a register: "c_*" for the registers of a stage.
static char *stage_name(json_t *names, const char *name) {
  char *plain = register_name(name);
  size_t letters = plain ? strcspn(plain, "_") : 0;
  if (plain && letters <= StageLetters && stage_size(names, plain, letters) >= StageLeast) {
    char *stage = text_make("%.*s_*", (int)letters, plain);
    free(plain);
    return stage;
  }
  return plain;
}

// ---- pins -----------------------------------------------------------------------------

static bool is_output_pin(const drawing_t *d, json_t *cell, const char *pin) {
  json_t *module = json_object_get(d->modules, yosys_type(cell));
  if (module) {
    return yosys_is(json_object_get(yosys_ports(module), pin), "output");
  }
  const char *way =
      json_string_value(json_object_get(json_object_get(cell, "port_directions"), pin));
  return way && strcmp(way, "output") == 0;
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

// ---- blocks ---------------------------------------------------------------------------

static int32_t block_of_cell(drawing_t *d, const char *name, json_t *cell) {
  const char *type = yosys_type(cell);
  if (json_object_get(d->modules, type)) {
    return block(d, BlockInstance, yosys_plain_name(name),
                 strings_own(&d->names, yosys_plain_module(type)));
  }
  return is_memory(type) ? block(d, BlockMemory, memory_name(cell), "") : -1;
}

// Notes who drives each of a cell's output bits.
static void find_cell_outputs(drawing_t *d, json_t *cell, int32_t own) {
  const char *type = yosys_type(cell);
  YosysEach(yosys_pins(cell), pin, bits) {
    for (size_t i = 0; is_output_pin(d, cell, pin) && i < json_array_size(bits); i++) {
      int64_t b = yosys_bit(bits, i) > 0 ? yosys_bit(bits, i) : 0;
      if (own >= 0) {
        d->source[b] = own;
      } else if (is_state(type)) {
        d->is_q[b] = d->is_q[b] || strcmp(pin, "Q") == 0;
      } else {
        d->driver[b] = cell;
      }
    }
  }
}

static void find_cells(drawing_t *d) {
  YosysEach(d->cells, name, cell) {
    const char *type = yosys_type(cell);
    int32_t own = block_of_cell(d, name, cell);
    if (own >= 0) {
      d->blocks[own].instances++;
      if (is_memory(type) && strcmp(type, "$memwr") != 0 && strncmp(type, "$memrd", 6) != 0) {
        yosys_memory_t m = yosys_memory(cell);
        d->blocks[own].bits = (uint64_t)m.width * m.words;
      }
    }
    find_cell_outputs(d, cell, own);
  }
}

static void find_registers(drawing_t *d) {
  json_t *names = yosys_nets(d->module);
  YosysEach(names, name, net) {
    json_t *bits = yosys_bits(net);
    char *stage = is_register_name(name) ? stage_name(names, name) : NULL;
    for (size_t i = 0; stage && i < json_array_size(bits); i++) {
      int64_t b = yosys_bit(bits, i);
      if (b > 1 && d->is_q[b] && d->source[b] < 0) {
        int32_t own = block(d, BlockRegister, strdup(stage), "");
        if (own >= 0) {
          d->source[b] = own;
          d->blocks[own].bits++;
        }
      }
    }
    free(stage);
  }
}

static void find_inputs(drawing_t *d) {
  YosysEach(yosys_ports(d->module), name, port) {
    json_t *bits = yosys_bits(port);
    bool counts = !is_clock(name) && yosys_is(port, "input");
    int32_t own = counts ? block(d, BlockInput, port_word(name), "") : -1;
    for (size_t i = 0; own >= 0 && i < json_array_size(bits); i++) {
      if (yosys_bit(bits, i) >= 0) {
        d->source[yosys_bit(bits, i)] = own;
      }
    }
  }
}

// ---- ways -----------------------------------------------------------------------------

static void add_way(drawing_t *d, int32_t from, int32_t to, uint8_t decisions) {
  uint8_t *way = &d->ways[from][to];
  if (!*way || *way > decisions + 1) {
    *way = (uint8_t)(decisions + 1);
  }
}

// Follows the bits back to the blocks that drive them.
static void reach(drawing_t *d, json_t *bits, int32_t to, uint8_t decisions) {
  for (size_t i = 0; i < json_array_size(bits); i++) {
    int64_t b = yosys_bit(bits, i);
    if (b < 2 || decisions == DecisionsMax ||
        (d->seen[b] == d->search && d->seen_at[b] <= decisions)) {
      continue;
    }
    d->seen[b] = d->search;
    d->seen_at[b] = decisions;
    if (d->source[b] >= 0) {
      add_way(d, d->source[b], to, decisions);
    } else if (d->driver[b]) {
      const char *type = yosys_type(d->driver[b]);
      YosysEach(yosys_pins(d->driver[b]), pin, nets) {
        if (!is_clock(pin) && !is_output_pin(d, d->driver[b], pin)) {
          bool decides = is_question(type) || is_choice(type, pin);
          reach(d, nets, to, (uint8_t)(decisions + decides));
        }
      }
    }
  }
}

// Returns the block that a cell belongs to, -1 for logic.
static int32_t block_fed_by(drawing_t *d, const char *name, json_t *cell) {
  int32_t to = block_of_cell(d, name, cell);
  // Each bit's own block: a register's cell may hold several.
  json_t *bits = to < 0 && is_state(yosys_type(cell)) ? yosys_pin(cell, "Q") : NULL;
  for (size_t i = 0; i < json_array_size(bits); i++) {
    int64_t b = yosys_bit(bits, i);
    to = b > 1 && d->source[b] >= 0 ? d->source[b] : to;
  }
  return to;
}

static void find_ways_to_cells(drawing_t *d) {
  YosysEach(d->cells, name, cell) {
    int32_t to = block_fed_by(d, name, cell);
    if (to < 0) {
      continue;
    }
    d->search++;
    const char *pin;
    json_t *bits;
    json_object_foreach(yosys_pins(cell), pin, bits) {
      if (!is_output_pin(d, cell, pin) && !is_clock(pin) && strcmp(pin, "CLK") != 0 &&
          strcmp(pin, "SRST") != 0) {
        reach(d, bits, to, is_choice(yosys_type(cell), pin));
      }
    }
  }
}

static void find_ways_to_outputs(drawing_t *d) {
  YosysEach(yosys_ports(d->module), name, port) {
    if (yosys_is(port, "output")) {
      int32_t to = block(d, BlockOutput, port_word(name), "");
      d->search++;
      if (to >= 0) {
        reach(d, yosys_bits(port), to, 0);
      }
    }
  }
}

// ---- graph ----------------------------------------------------------------------------

static void write_block(FILE *f, const drawing_t *d, uint32_t b) {
  static const char *const Looks[] = {[BlockInput] = "shape=cds, fillcolor=\"#e8e8e8\"",
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
    fprintf(f, "\\n%" PRIu64 " bits", x->bits);
  }
  fprintf(f, "\"];\n");
}

static bool is_port(const drawing_t *d, uint32_t b) {
  return d->blocks[b].kind == BlockInput || d->blocks[b].kind == BlockOutput;
}

// Returns the shortest way into a block, or out of it, from or to another one; 0: there is none.
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

// Data is drawn; for a block without it, the ways with the fewest decisions.
static bool is_drawn(const drawing_t *d, uint32_t from, uint32_t to) {
  uint8_t way = d->ways[from][to];
  return from != to && way &&
         (way == 1 || (!is_port(d, to) && way == shortest(d, to, true)) ||
          (!is_port(d, from) && way == shortest(d, from, false)));
}

static bool write_graph(const drawing_t *d, const char *path, const char *unit) {
  FILE *f = fopen(path, "w");
  if (!f) {
    return false;
  }
  fprintf(f,
          "digraph \"%s\" {\n  rankdir=LR; nodesep=0.15; ranksep=0.6;\n"
          "  node [style=filled, fontname=sans, fontsize=10]; edge [color=\"#606060\", "
          "arrowsize=0.6];\n",
          unit);
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

static drawing_t *make_drawing(const yosys_t *yosys) {
  drawing_t *d = calloc(1, sizeof *d);
  if (!d) {
    return NULL;
  }
  d->modules = yosys->modules;
  d->module = yosys->module;
  d->cells = yosys_cells(d->module);
  d->bits = yosys_net_count(d->module);
  d->source = malloc(d->bits * sizeof *d->source);
  d->driver = calloc(d->bits, sizeof *d->driver);
  d->is_q = calloc(d->bits, 1);
  d->seen = calloc(d->bits, sizeof *d->seen);
  d->seen_at = calloc(d->bits, 1);
  if (d->source) {
    memset(d->source, -1, d->bits * sizeof *d->source);
  }
  return d;
}

static void free_drawing(drawing_t *d) {
  if (d) {
    free(d->source);
    free(d->driver);
    free(d->is_q);
    free(d->seen);
    free(d->seen_at);
    strings_free(&d->names);
  }
  free(d);
}

bool schematic_write(const char *path, const char *unit, const char *folder, err_t *err) {
  yosys_t yosys;
  bool ok = yosys_open(&yosys, folder, "hierarchy.json", unit, err);
  drawing_t *d = ok ? make_drawing(&yosys) : NULL;
  if (ok && (!d || !d->source || !d->driver || !d->is_q || !d->seen || !d->seen_at)) {
    ok = err_memory(err, unit);
  }
  if (ok) {
    // Cells' and memories' bits first, then registers by name.
    find_cells(d);
    find_registers(d);
    find_inputs(d);
    find_ways_to_cells(d);
    find_ways_to_outputs(d);
    ok = !d->names.failed || err_memory(err, unit);
  }
  if (ok && !write_graph(d, path, unit)) {
    ok = err_set(err, ErrCheck, "%s: cannot be written", path);
  }
  free_drawing(d);
  yosys_close(&yosys);
  return ok;
}
