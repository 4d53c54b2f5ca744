// SPDX-License-Identifier: Apache-2.0
// Reads the named parameter sets of a unit description.
#include <string.h>

#include "page_internal.h"

static void read_set(page_reader_t *r, const yaml_node_t *map, page_set_t *set) {
  page_t *page = r->page;
  int64_t *values = page_alloc(r, PageMaxParams * sizeof *values);
  page_is_mapping(r, map, set->name);
  page_defaults(page, values);
  PAGE_PAIRS(r, map, pair) {
    const yaml_node_t *key = yaml_file_node(&r->file, pair->key);
    const char *name = page_name(r, key, set->name);
    uint32_t p = 0;
    while (p < page->param_count && strcmp(page->params[p].name, name) != 0) {
      p++;
    }
    if (p == page->param_count || !page->params[p].in_c) {
      page_fail(r, key, "%s: %s, expected a parameter of this unit", set->name, name);
    }
    values[p] = page_param_value(r, yaml_file_node(&r->file, pair->value), name, &page->params[p]);
  }
  set->values = values;
}

static uint32_t set_of(page_reader_t *r, const yaml_node_t *node) {
  const char *name = page_name(r, node, "random_sets");
  for (uint32_t i = 0; i < r->page->set_count; i++) {
    if (strcmp(r->page->sets[i].name, name) == 0) {
      return i;
    }
  }
  page_fail(r, node, "random_sets: %s, expected one of the sets", name);
}

// Without a list, each set once.
static void read_random(page_reader_t *r, const yaml_node_t *list) {
  page_t *page = r->page;
  if (list && (list->type != YAML_SEQUENCE_NODE ||
               list->data.sequence.items.top == list->data.sequence.items.start)) {
    page_fail(r, list, "random_sets: expected a list of sets");
  }
  page->random_count =
      list ? (uint32_t)(list->data.sequence.items.top - list->data.sequence.items.start)
           : page->set_count;
  uint32_t *random = page_alloc(r, (page->random_count + 1) * sizeof *random);
  for (uint32_t i = 0; i < page->random_count; i++) {
    random[i] = list ? set_of(r, yaml_file_node(&r->file, list->data.sequence.items.start[i])) : i;
  }
  page->random_sets = random;
}

void page_read_sets(page_reader_t *r, const yaml_node_t *root) {
  page_t *page = r->page;
  const yaml_node_t *map = page_find(r, root, "sets"), *random = page_find(r, root, "random_sets");
  if (map) {
    page_is_mapping(r, map, "sets");
    const size_t count = (size_t)(map->data.mapping.pairs.top - map->data.mapping.pairs.start);
    page_set_t *sets = page_alloc(r, (count + 1) * sizeof *sets);
    page->sets = sets;
    PAGE_PAIRS(r, map, pair) {
      const yaml_node_t *key = yaml_file_node(&r->file, pair->key);
      page_set_t *set = &sets[page->set_count];
      set->name = page_name(r, key, "sets");
      read_set(r, yaml_file_node(&r->file, pair->value), set);
      page->set_count++;
    }
  }
  read_random(r, random);
}
