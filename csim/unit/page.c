// SPDX-License-Identifier: Apache-2.0
// Reads a page: parameters, derived names, values, imports. Types and fields: page_fields.c.
#include "page.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/base/place.h"
#include "csim/base/sha256.h"
#include "page_internal.h"

enum { MaxDepth = 8 };  // of imports

// ---- Values ----

static const char *value_name(page_reader_t *r, const yaml_node_t *node, const char *what) {
  const char *text = page_text(r, node, what);
  size_t n = 0;
  while (isupper((unsigned char)text[0]) && isalnum((unsigned char)text[n])) {
    n++;
  }
  if (text[n] || n == 0) {
    page_fail(r, node, "%s: %s, expected a name in UpperCamelCase", what, text);
  }
  return page_format(r, "%s", text);
}

// Names from a sequence, or the keys of a mapping.
static void add_values(page_reader_t *r, const char *name, const yaml_node_t *node) {
  page_t *page = r->page;
  page_values_t *v = (page_values_t *)&page->values[page->value_count];
  const bool is_map = node->type == YAML_MAPPING_NODE;
  if (!is_map && node->type != YAML_SEQUENCE_NODE) {
    page_fail(r, node, "%s: expected a list of names", name);
  }
  const size_t count =
      is_map ? (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start)
             : (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
  if (count == 0 || count > 256) {
    page_fail(r, node, "%s: %zu names, expected 1 to 256", name, count);
  }
  if (page_find_values(page, name)) {
    page_fail(r, node, "%s: stands twice, expected once among values, peek, error and parameters",
              name);
  }
  const char **names = page_alloc(r, count * sizeof *names);
  for (size_t i = 0; i < count; i++) {
    const int index =
        is_map ? node->data.mapping.pairs.start[i].key : node->data.sequence.items.start[i];
    const yaml_node_t *item = yaml_file_node(&r->file, index);
    names[i] = value_name(r, item, name);
    for (size_t k = 0; k < i; k++) {
      if (strcmp(names[k], names[i]) == 0) {
        page_fail(r, item, "%s: %s stands twice, expected once", name, names[i]);
      }
    }
  }
  *v = (page_values_t){name, page->name, names, (uint32_t)count};
  page->value_count++;
}

static size_t pairs_of(const yaml_node_t *map) {
  return map ? (size_t)(map->data.mapping.pairs.top - map->data.mapping.pairs.start) : 0;
}

static void read_values(page_reader_t *r, const yaml_node_t *root) {
  const yaml_node_t *map = page_find(r, root, "values"), *params = page_find(r, root, "params");
  const yaml_node_t *peek = page_find(r, root, "peek"), *error = page_find(r, root, "error");
  size_t room = 2 + pairs_of(map) + pairs_of(params);
  r->page->values = page_alloc(r, room * sizeof(page_values_t));
  if (map) {
    page_is_mapping(r, map, "values");
    PAGE_PAIRS(r, map, pair) {
      const char *name = page_name(r, yaml_file_node(&r->file, pair->key), "values");
      add_values(r, name, yaml_file_node(&r->file, pair->value));
    }
  }
  if (peek) {
    page_is_mapping(r, peek, "peek");
    PAGE_PAIRS(r, peek, pair) {
      const yaml_node_t *value = yaml_file_node(&r->file, pair->value);
      if (value->type == YAML_MAPPING_NODE) {
        add_values(r, "peek", value);
      }
    }
  }
  if (error) {
    add_values(r, "error", error);
  }
}

// ---- Parameters ----

static void read_range(page_reader_t *r, const yaml_node_t *node, page_param_t *p) {
  const char *text = page_text(r, node, "range");
  long long low, high;
  int used = 0;
  if (sscanf(text, "%lld..%lld%n", &low, &high, &used) != 2 || text[used] || low > high ||
      low < 0 || high > INT32_MAX) {
    page_fail(r, node, "range: %s, expected LOW..HIGH between 0 and 2147483647", text);
  }
  p->low = low;
  p->high = high;
}

static void read_of(page_reader_t *r, const yaml_node_t *node, page_param_t *p) {
  if (node->type != YAML_SEQUENCE_NODE ||
      node->data.sequence.items.top == node->data.sequence.items.start) {
    page_fail(r, node, "of: expected a list of numbers");
  }
  const size_t count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
  int64_t *of = page_alloc(r, count * sizeof *of);
  for (size_t i = 0; i < count; i++) {
    const yaml_node_t *item = yaml_file_node(&r->file, node->data.sequence.items.start[i]);
    of[i] = page_number(r, item, "of", 0, INT32_MAX);
    p->low = i == 0 || of[i] < p->low ? of[i] : p->low;
    p->high = i == 0 || of[i] > p->high ? of[i] : p->high;
  }
  p->of = of;
  p->of_count = (uint32_t)count;
}

static void read_default(page_reader_t *r, const yaml_node_t *map, page_param_t *p) {
  const yaml_node_t *node = page_find(r, map, "default");
  if (!node) {
    page_fail(r, map, "%s: expected a default", p->name);
  }
  p->initial = page_param_value(r, node, "default", p);
}

static void read_bounds(page_reader_t *r, const yaml_node_t *map, page_param_t *p) {
  const yaml_node_t *range = page_find(r, map, "range"), *of = page_find(r, map, "of");
  const yaml_node_t *values = page_find(r, map, "values"),
                    *power = page_find(r, map, "power_of_two");
  if ((range != NULL) + (of != NULL) + (values != NULL) > 1) {
    page_fail(r, map, "%s: expected one of range, of and values", p->name);
  }
  p->high = 1;
  if (range) {
    read_range(r, range, p);
  } else if (of) {
    read_of(r, of, p);
  } else if (values) {
    add_values(r, p->name, values);
    p->values = page_find_values(r->page, p->name);
    p->high = p->values->count - 1;
  } else if (p->in_c) {
    page_fail(r, map, "%s: expected a range, of or values", p->name);
  } else {
    p->high = INT32_MAX;
  }
  // `{..., power_of_two, ...}` is a key without a value.
  p->power_of_two = power && ((power->type == YAML_SCALAR_NODE && power->data.scalar.length == 0) ||
                              page_flag(r, power, "power_of_two"));
  p->is_bool = p->low == 0 && p->high == 1 && !p->values;
}

static void read_param(page_reader_t *r, const char *name, const yaml_node_t *map,
                       page_param_t *p) {
  page_keys(r, map, name, "rtl top is c range of power_of_two values default");
  const yaml_node_t *rtl = page_find(r, map, "rtl"), *top = page_find(r, map, "top");
  const yaml_node_t *is = page_find(r, map, "is"), *c = page_find(r, map, "c");
  if (!rtl) {
    page_fail(r, map, "%s: expected rtl, the name of the unit's parameter", name);
  }
  p->name = name;
  p->rtl = value_name(r, rtl, "rtl");
  p->top = top ? value_name(r, top, "top") : p->rtl;
  p->is = is ? page_format(r, "%s", page_text(r, is, "is")) : NULL;
  if (is) {
    page_check_text(r, is, p->is);
  }
  for (const page_param_t *o = r->page->params; o < p; o++) {
    if (strcmp(o->rtl, p->rtl) == 0 || strcmp(o->top, p->top) == 0) {
      page_fail(r, rtl, "%s: %s has this name in the RTL, expected another one", p->name, o->name);
    }
  }
  p->in_c = !c;
  if (c && strcmp(page_text(r, c, "c"), "none") != 0) {
    page_fail(r, c, "c: expected none");
  }
  if ((top != NULL) != (is != NULL)) {
    page_fail(r, map, "%s: expected both top and is, or neither", name);
  }
  read_bounds(r, map, p);
  p->doc = page_doc(r, p->rtl);
  read_default(r, map, p);
}

static void read_params(page_reader_t *r, const yaml_node_t *root) {
  page_t *page = r->page;
  const yaml_node_t *map = page_find(r, root, "params");
  if (!map) {
    return;
  }
  page_is_mapping(r, map, "params");
  if (pairs_of(map) > PageMaxParams) {
    page_fail(r, map, "params: expected at most %d", PageMaxParams);
  }
  page_param_t *params = page_alloc(r, pairs_of(map) * sizeof *params);
  page->params = params;
  PAGE_PAIRS(r, map, pair) {
    const yaml_node_t *key = yaml_file_node(&r->file, pair->key);
    const char *name = page_name(r, key, "params");
    page_check_c(r, key, name);
    read_param(r, name, yaml_file_node(&r->file, pair->value), &params[page->param_count]);
    params[page->param_count].line = (uint32_t)key->start_mark.line + 1;
    page->param_count++;
  }
}

// A largest value that the page says itself is at least that of the defaults.
static int64_t read_max(page_reader_t *r, const yaml_node_t *node, const page_derive_t *d) {
  int64_t params[PageMaxParams];
  page_defaults(r->page, params);
  const int64_t value = page_value(r->page, d->is, params);
  const int64_t max = page_number(r, node, "max", 1, INT32_MAX);
  if (value > max) {
    page_fail(r, node, "%s: %lld at the defaults, expected at most max", d->name, (long long)value);
  }
  return max;
}

static void read_derives(page_reader_t *r, const yaml_node_t *root) {
  page_t *page = r->page;
  const yaml_node_t *map = page_find(r, root, "derive");
  if (!map) {
    return;
  }
  page_is_mapping(r, map, "derive");
  page_derive_t *derives = page_alloc(r, pairs_of(map) * sizeof *derives);
  page->derives = derives;
  PAGE_PAIRS(r, map, pair) {
    const yaml_node_t *key = yaml_file_node(&r->file, pair->key);
    const yaml_node_t *value = yaml_file_node(&r->file, pair->value), *is = value, *max = NULL;
    page_derive_t *d = &derives[page->derive_count];
    d->name = page_name(r, key, "derive");
    char camel[128];
    page_camel(d->name, camel, sizeof camel);
    for (uint32_t i = 0; i < page->param_count; i++) {
      const page_param_t *p = &page->params[i];
      if (strcmp(p->name, d->name) == 0 || strcmp(p->top, camel) == 0) {
        page_fail(r, key, "derive: %s is a parameter, expected another name", d->name);
      }
    }
    if (value->type == YAML_MAPPING_NODE) {
      page_keys(r, value, d->name, "is max");
      is = page_find(r, value, "is");
      max = page_find(r, value, "max");
    }
    if (!is) {
      page_fail(r, value, "%s: expected is, an expression", d->name);
    }
    int64_t low;
    d->is = page_expr_read(r, is, page_text(r, is, d->name), NULL);
    page_expr_range(page, d->is, &low, &d->max);
    d->max = max ? read_max(r, max, d) : d->max;
    page->derive_count++;
  }
}

// ---- The whole ----

static page_t *read_nested(const char *path, uint32_t depth, err_t *err);

static page_t *read_beside(page_reader_t *r, const yaml_node_t *node, const char *name) {
  const char *file = r->page->file, *slash = strrchr(file, '/');
  char *path = text_make("%.*s%s.yaml", slash ? (int)(slash - file + 1) : 0, file, name);
  if (path && access(path, R_OK) != 0) {
    char *own = text_make("csim/units/%s/page.yaml", name);
    free(path);
    path = own ? place_find(own) : NULL;
    free(own);
  }
  if (path && access(path, R_OK) != 0) {
    free(path);
    page_fail(r, node, "import: no %s.yaml beside this page and no unit %s, expected a page", name,
              name);
  }
  page_t *page = path ? read_nested(path, r->depth + 1, r->file.err) : NULL;
  free(path);
  if (!page) {
    longjmp(r->broken, 1);
  }
  return page;
}

// `import: [texel_generator.beat]`; the types are found by page and name where they are used.
static void read_imports(page_reader_t *r, const yaml_node_t *root) {
  page_t *page = r->page;
  page_memory_t *memory = page->memory;
  const yaml_node_t *list = page_find(r, root, "import");
  const char **names = page_alloc(r, PageMaxImports * sizeof *names);
  page->imports = names;
  if (!list) {
    return;
  }
  if (list->type != YAML_SEQUENCE_NODE) {
    page_fail(r, list, "import: expected a list, [PAGE.TYPE, ...]");
  }
  for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top;
       i++) {
    const yaml_node_t *node = yaml_file_node(&r->file, *i);
    const char *text = page_text(r, node, "import"), *dot = strchr(text, '.');
    if (!dot || dot == text || dot - text > 60 || r->depth >= MaxDepth) {
      page_fail(r, node,
                r->depth >= MaxDepth ? "import: %s: pages import each other"
                                     : "import: %s, expected PAGE.TYPE",
                text);
    }
    const char *name = page_format(r, "%.*s", (int)(dot - text), text);
    uint32_t k = 0;
    while (k < page->import_count && strcmp(names[k], name) != 0) {
      k++;
    }
    if (k == PageMaxImports) {
      page_fail(r, node, "import: expected types of at most %d pages", PageMaxImports);
    }
    if (k == page->import_count) {
      memory->imported[k] = read_beside(r, node, name);
      r->imported[k] = memory->imported[k];
      names[page->import_count++] = name;
    }
    uint32_t t = 0;
    while (t < r->imported[k]->type_count && strcmp(r->imported[k]->types[t].name, dot + 1) != 0) {
      t++;
    }
    if (t == r->imported[k]->type_count) {
      page_fail(r, node, "import: %s has no type %s", name, dot + 1);
    }
  }
}

static void hash_page(page_reader_t *r) {
  base_sha256_t sha;
  char text[BaseSha256Text], *line = NULL;
  size_t room = 0, number = 0;
  ssize_t n;
  FILE *file = place_open(r->page->file);
  base_sha256_begin(&sha);
  while (file && !(r->docs && number++ == r->docs_line) && (n = getline(&line, &room, file)) > 0) {
    base_sha256_add(&sha, line, (size_t)n);
  }
  free(line);
  if (file) {
    fclose(file);
  }
  for (uint32_t i = 0; i < r->page->import_count; i++) {
    base_sha256_add(&sha, &r->imported[i]->hash, sizeof r->imported[i]->hash);
  }
  base_sha256_end(&sha, text);
  text[16] = '\0';
  r->page->hash = strtoull(text, NULL, 16);
}

static void read_root(page_reader_t *r) {
  const yaml_node_t *root = yaml_document_get_root_node(&r->file.document);
  if (!root) {
    err_set(r->file.err, ErrInput, "%s:1:1: an empty file, expected a page", r->file.path);
    longjmp(r->broken, 1);
  }
  page_keys(r, root, "page",
            "unit contract params sets random_sets derive import values types streams events peek "
            "pins error error_bits parts state doc");
  const yaml_node_t *unit = page_find(r, root, "unit"), *contract = page_find(r, root, "contract");
  if (!unit) {
    page_fail(r, root, "page: expected unit, its name");
  }
  r->page->name = page_name(r, unit, "unit");
  page_check_rtl(r, unit, r->page->name);
  r->page->contract = contract ? page_format(r, "%s", page_text(r, contract, "contract")) : NULL;
  page_find_docs(r, root);
  read_imports(r, root);
  read_values(r, root);
  read_params(r, root);
  read_derives(r, root);
  page_read_sets(r, root);
  page_read_types(r, root);
  page_read_fields(r, root);
  page_check_docs(r);
  hash_page(r);
}

static page_t *read_nested(const char *path, uint32_t depth, err_t *err) {
  page_reader_t r = {.depth = depth};
  if (!yaml_file_load(&r.file, path, err)) {
    yaml_file_free(&r.file);
    return NULL;
  }
  page_t *page = calloc(1, sizeof *page);
  page_memory_t *memory = calloc(1, sizeof *memory);
  if (!page || !memory) {
    err_set(err, ErrMachine, "out of memory");
    free(page);
    free(memory);
    yaml_file_free(&r.file);
    return NULL;
  }
  page->memory = memory;
  r.page = page;
  if (setjmp(r.broken) != 0) {
    yaml_file_free(&r.file);
    page_free(r.page);
    return NULL;
  }
  page->file = page_format(&r, "%s", path);
  read_root(&r);
  yaml_file_free(&r.file);
  return r.page;
}

page_t *page_read(const char *path, err_t *err) { return read_nested(path, 0, err); }

void page_free(page_t *page) {
  page_memory_t *memory = page ? page->memory : NULL;
  for (uint32_t i = 0; memory && i < PageMaxImports; i++) {
    page_free(memory->imported[i]);
  }
  for (page_block_t *b = memory ? memory->blocks : NULL, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(memory);
  free(page);
}
