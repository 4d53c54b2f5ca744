// SPDX-License-Identifier: Apache-2.0
#include "modules.h"

#include <stdlib.h>
#include <string.h>

#include "scaling.h"
#include "yosys.h"

typedef struct {
  json_t *modules;
  const liberty_t *liberty;
  modules_t *out;
  err_t *err;
} tree_t;

static void add_memory(module_cost_t *row, json_t *cell) {
  yosys_memory_t m = yosys_memory(cell);
  uint64_t bits = (uint64_t)m.width * m.words;
  memory_area_t area = memory_area(bits, m.reads + m.writes);
  row->memory_bits += bits;
  row->area_osu018 += area.osu018;
  row->area_28nm += area.nm28;
}

static bool insert_row(tree_t *t, uint32_t at, module_cost_t row) {
  modules_t *m = t->out;
  if (m->count == m->room) {
    uint32_t room = 2 * m->room + 16;
    module_cost_t *grown = realloc(m->rows, room * sizeof *grown);
    if (!grown) {
      return err_memory(t->err, row.module);
    }
    m->rows = grown;
    m->room = room;
  }
  memmove(&m->rows[at + 1], &m->rows[at], (m->count - at) * sizeof *m->rows);
  m->rows[at] = row;
  m->count++;
  return true;
}

static bool visit(tree_t *t, uint32_t at, json_t *module);

static bool visit_instance(tree_t *t, uint32_t parent, const char *name, const char *type) {
  modules_t *m = t->out;
  const char *instance = strings_own(&m->names, yosys_plain_name(name));
  const char *plain = strings_own(&m->names, yosys_plain_module(type));
  uint32_t depth = m->rows[parent].depth + 1, at = parent + 1;
  // Rows of a parent's subtree lie behind it.
  while (at < m->count && m->rows[at].depth >= depth &&
         !(m->rows[at].depth == depth && strcmp(m->rows[at].instance, instance) == 0 &&
           strcmp(m->rows[at].module, plain) == 0)) {
    at++;
  }
  if ((at == m->count || m->rows[at].depth < depth) &&
      !insert_row(t, at, (module_cost_t){instance, plain, .depth = depth})) {
    return false;
  }
  m->rows[at].instances++;
  return visit(t, at, json_object_get(t->modules, type));
}

// Adds a module's own cost to its row; modules_load adds the rows to their parents at the end.
static bool visit(tree_t *t, uint32_t at, json_t *module) {
  YosysEach(yosys_cells(module), name, cell) {
    const char *type = yosys_type(cell);
    const liberty_cell_t *known = liberty_cell(t->liberty, type);
    module_cost_t *row = &t->out->rows[at];
    if (known) {
      row->cells++;
      row->flip_flops += known->is_register;
      row->cells_osu018 += known->area;
      row->area_osu018 += known->area;
      row->area_28nm += known->area / scaling_area();
    } else if (yosys_is_memory(cell)) {
      add_memory(row, cell);
    } else if (!json_object_get(t->modules, type)) {
      return err_set(t->err, ErrCheck, "the netlist has a cell %s that the library has not", type);
    } else if (!visit_instance(t, at, name, type)) {
      return false;
    }
  }
  return true;
}

bool modules_load(modules_t *m, const liberty_t *liberty, const char *unit, const char *folder,
                  err_t *err) {
  yosys_t yosys;
  *m = (modules_t){0};
  bool ok = yosys_open(&yosys, folder, "modules.json", unit, err);
  tree_t t = {yosys.modules, liberty, m, err};
  const char *name = strings_put(&m->names, unit);
  ok = ok && insert_row(&t, 0, (module_cost_t){name, name, .instances = 1}) &&
       visit(&t, 0, yosys.module) && (!m->names.failed || err_memory(err, unit));
  // Children lie behind their parents.
  for (uint32_t i = m->count; ok && i-- > 1;) {
    uint32_t p = i;
    while (m->rows[--p].depth >= m->rows[i].depth) {
    }
    m->rows[p].cells += m->rows[i].cells;
    m->rows[p].flip_flops += m->rows[i].flip_flops;
    m->rows[p].memory_bits += m->rows[i].memory_bits;
    m->rows[p].cells_osu018 += m->rows[i].cells_osu018;
    m->rows[p].area_osu018 += m->rows[i].area_osu018;
    m->rows[p].area_28nm += m->rows[i].area_28nm;
  }
  yosys_close(&yosys);
  return ok;
}

void modules_free(modules_t *m) {
  free(m->rows);
  strings_free(&m->names);
  *m = (modules_t){0};
}
