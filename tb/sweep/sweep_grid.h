// SPDX-License-Identifier: Apache-2.0
// The parts of the reader of sweep files: what its callbacks read for, and the settings and the
// grid.
#ifndef NOCTURNE_SWEEP_GRID_H
#define NOCTURNE_SWEEP_GRID_H

#include <string.h>

#include "csim/base/yaml_table.h"
#include "sweep.h"

#define Pairs(p, node)                                    \
  yaml_node_pair_t *p = (node)->data.mapping.pairs.start; \
  p < (node)->data.mapping.pairs.top;                     \
  p++

// The context of the tables' callbacks.
typedef struct {
  sweep_t *sweep;
  const sweep_options_t *options;
} reader_t;

static inline sweep_t *sweep_of(const yaml_at_t *at) {
  return ((const reader_t *)at->context)->sweep;
}

// Returns the place of one pair of a mapping.
static inline yaml_at_t pair_at(const yaml_at_t *map, const yaml_node_pair_t *pair) {
  yaml_at_t at = *map;
  at.key = yaml_file_node(map->file, pair->key);
  at.node = yaml_file_node(map->file, pair->value);
  return at;
}

static inline yaml_at_t key_at(const yaml_at_t *pair) {
  yaml_at_t at = *pair;
  at.node = pair->key;
  return at;
}

static inline bool is_map(const yaml_at_t *at) {
  return at->node->type == YAML_MAPPING_NODE ||
         yaml_at_fail(at, "%s: expected {KEY: VALUE}", at->what);
}

static inline bool is_name(const char *name) { return *name && !strpbrk(name, ",\"\n\t|"); }

// Callbacks of yaml_row_t. Reads {KEY: VALUE, ...} into a sweep_sets_t.
bool sweep_read_sets(const yaml_at_t *at, void *field);

// Reads `config`, `frame` or `frames` into a sweep_sets_t as a setting of the same name.
bool sweep_read_fixed(const yaml_at_t *at, void *field);

// Reads the axes into the sweep; --frame and --config take the place of the file's.
bool sweep_read_grid(const yaml_at_t *at, void *field);

#endif
