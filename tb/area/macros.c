// SPDX-License-Identifier: Apache-2.0
#include "macros.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/yaml_file.h"

static bool read_real(const yaml_file_t *file, const yaml_node_t *node, const char *what,
                      double *value) {
  const char *text;
  char *end;
  if (!yaml_file_text(file, node, what, &text)) {
    return false;
  }
  *value = strtod(text, &end);
  return (end != text && !*end && *value > 0 && *value < 1e12) ||
         yaml_file_fail(file, node, "%s: %.40s: expected a number above 0", what, text);
}

static bool read_number(const yaml_file_t *file, const yaml_node_t *node, const char *what,
                        uint32_t *value) {
  uint64_t number = 0;
  bool ok = yaml_file_number(file, node, what, 1, 1u << 24, &number);
  *value = (uint32_t)number;
  return ok;
}

static bool read_key(const yaml_file_t *file, const yaml_node_t *key, const yaml_node_t *value,
                     macro_t *m) {
  const char *name, *text;
  if (!yaml_file_text(file, key, "key", &name)) {
    return false;
  }
  if (strcmp(name, "name") == 0) {
    if (!yaml_file_text(file, value, name, &text)) {
      return false;
    }
    snprintf(m->name, sizeof m->name, "%.63s", text);
    return true;
  }
  if (strcmp(name, "clocked") == 0) {
    if (!yaml_file_text(file, value, name, &text)) {
      return false;
    }
    m->is_clocked = strcmp(text, "yes") == 0;
    return m->is_clocked || strcmp(text, "no") == 0 ||
           yaml_file_fail(file, value, "clocked: %.40s: expected yes or no", text);
  }
  uint32_t *number = strcmp(name, "words") == 0    ? &m->words
                     : strcmp(name, "width") == 0  ? &m->width
                     : strcmp(name, "reads") == 0  ? &m->reads
                     : strcmp(name, "writes") == 0 ? &m->writes
                                                   : NULL;
  if (number) {
    return read_number(file, value, name, number);
  }
  double *real = strcmp(name, "area_um2") == 0    ? &m->area
                 : strcmp(name, "access_ns") == 0 ? &m->access
                                                  : NULL;
  return real ? read_real(file, value, name, real)
              : yaml_file_fail(file, key,
                               "%.40s: expected name, words, width, reads, writes, clocked, "
                               "area_um2 or access_ns",
                               name);
}

static bool read_macro(const yaml_file_t *file, const yaml_node_t *node, macro_t *m) {
  *m = (macro_t){.is_clocked = true};
  if (node->type != YAML_MAPPING_NODE) {
    return yaml_file_fail(file, node, "expected {name: ..., words: ..., ...}");
  }
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    if (!read_key(file, yaml_file_node(file, p->key), yaml_file_node(file, p->value), m)) {
      return false;
    }
  }
  return (m->name[0] && m->words && m->width && m->reads && m->writes && m->area > 0 &&
          m->access > 0) ||
         yaml_file_fail(file, node,
                        "a macro needs name, words, width, reads, writes, area_um2 and access_ns");
}

static bool read_list(const yaml_file_t *file, macros_t *macros, const yaml_node_t *list) {
  if (list->type != YAML_SEQUENCE_NODE) {
    return yaml_file_fail(file, list, "macros: expected a list");
  }
  for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top;
       i++) {
    const yaml_node_t *node = yaml_file_node(file, *i);
    if (macros->count == MacrosMax) {
      return yaml_file_fail(file, node, "more than %d macros", MacrosMax);
    }
    if (!read_macro(file, node, &macros->macros[macros->count++])) {
      return false;
    }
  }
  return macros->count || yaml_file_fail(file, list, "macros: expected one at least");
}

bool macros_load(macros_t *macros, const char *path, char *error, size_t size) {
  yaml_file_t file;
  char complaint[YamlErrorSize];
  memset(macros, 0, sizeof *macros);
  bool ok = yaml_file_load(&file, path, complaint);
  if (ok) {
    const yaml_node_t *root = yaml_document_get_root_node(&file.document);
    ok = root && root->type == YAML_MAPPING_NODE &&
         root->data.mapping.pairs.top - root->data.mapping.pairs.start == 1;
    const char *key = "";
    const yaml_node_pair_t *pair = ok ? root->data.mapping.pairs.start : NULL;
    ok = ok && yaml_file_text(&file, yaml_file_node(&file, pair->key), "key", &key) &&
         strcmp(key, "macros") == 0;
    if (!ok) {
      snprintf(complaint, sizeof complaint, "%.200s:1:1: expected macros: and a list of them",
               path);
    }
    ok = ok && read_list(&file, macros, yaml_file_node(&file, pair->value));
    yaml_file_free(&file);
  }
  if (!ok) {
    snprintf(error, size, "%.*s", (int)size - 1, complaint);
  }
  return ok;
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
