// SPDX-License-Identifier: Apache-2.0
#include "macros.h"

#include <float.h>
#include <stdlib.h>

#include "csim/base/yaml_table.h"

static const char *const NoYes[] = {"no", "yes"};

#define Count(key, member) \
  YamlRow(key, YamlNumber, macro_t, member, .required = true, .least = 1, .most = 1u << 24)
#define Figure(key, member) \
  YamlRow(key, YamlReal, macro_t, member, .required = true, .from = DBL_MIN, .to = 1e12)

static const yaml_row_t MacroRows[] = {
    YamlRow("name", YamlWord, macro_t, name, .required = true),
    Count("words", words),
    Count("width", width),
    Count("reads", reads),
    Count("writes", writes),
    YamlRow("clocked", YamlFlag, macro_t, is_clocked, .words = NoYes),
    Figure("area_um2", area),
    Figure("access_ns", access),
    {0}};
static const yaml_table_t MacroTable = {.shape = "a macro: {name: ..., words: ..., ...}",
                                        .rows = MacroRows};
static const macro_t Start = {.is_clocked = true};
static const yaml_list_t MacroList = {.table = &MacroTable,
                                      .size = sizeof(macro_t),
                                      .grows = true,
                                      .count_offset = offsetof(macros_t, count),
                                      .least = 1,
                                      .start = &Start};
static const yaml_row_t Rows[] = {
    YamlRow("macros", YamlList, macros_t, macros, .list = &MacroList, .required = true), {0}};
static const yaml_table_t Table = {.shape = "macros: and a list of them", .rows = Rows};

bool macros_load(macros_t *macros, const char *path, err_t *err) {
  *macros = (macros_t){0};
  return yaml_table_load(&macros->file, path, &Table, NULL, macros, err);
}

void macros_free(macros_t *macros) {
  yaml_file_free(&macros->file);
  free(macros->macros);
  *macros = (macros_t){0};
}

static uint32_t parts(uint32_t whole, uint32_t part) { return (whole + part - 1) / part; }

const macro_t *macros_for(const macros_t *macros, const netlist_memory_t *m, uint32_t *count) {
  const macro_t *best = NULL;
  *count = 0;
  for (uint32_t i = 0; i < macros->count; i++) {
    const macro_t *x = &macros->macros[i];
    if (x->is_clocked != m->is_clocked || x->writes < m->writes) {
      continue;
    }
    uint32_t number = parts(m->words, x->words) * parts(m->width, x->width) *
                      (m->reads ? parts(m->reads, x->reads) : 1);
    if (!best || number * x->area < *count * best->area) {
      best = x;
      *count = number;
    }
  }
  return best;
}
