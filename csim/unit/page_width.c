// SPDX-License-Identifier: Apache-2.0
// How wide a field is: what its entry on the page says, in the RTL and in C.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_internal.h"

void page_size_in_c(page_reader_t *r, const yaml_node_t *node, page_field_t *f) {
  int64_t low, high, one;
  page_expr_range(r->page, f->bits, &low, &high);
  if (high < 1 || high > 64 || low > 64) {
    page_fail(r, node, "%s: up to %lld bits, expected 1 to 64 (an array is WIDTH x COUNT)", f->path,
              (long long)high);
  }
  f->bits_max = (uint32_t)high;
  f->c_bytes = high <= 8 ? 1 : high <= 16 ? 2 : high <= 32 ? 4 : 8;
  f->is_bool = page_is_constant(f->bits, &one) && one == 1 && !f->values;
  page_expr_range(r->page, f->count, &low, &high);
  if (high < 1 || high > 65536) {
    page_fail(r, node, "%s: up to %lld elements, expected 1 to 65536", f->path, (long long)high);
  }
  f->count_max = (uint32_t)high;
}

const page_type_t *page_find_type(page_reader_t *r, const char *text, const page_t **owner) {
  const char *dot = strchr(text, '.');
  const size_t length = dot ? (size_t)(dot - text) : 0;
  const page_t *page = dot ? NULL : r->page;
  for (uint32_t i = 0; dot && i < r->page->import_count; i++) {
    if (strlen(r->page->imports[i]) == length && !strncmp(r->page->imports[i], text, length)) {
      page = r->imported[i];
    }
  }
  for (uint32_t t = 0; page && t < page->type_count; t++) {
    if (strcmp(page->types[t].name, dot ? dot + 1 : text) == 0) {
      *owner = page;
      return &page->types[t];
    }
  }
  return NULL;
}

int64_t page_bits_for(uint32_t count) {
  int64_t bits = 1;
  while ((uint32_t)1 << bits < count) {
    bits++;
  }
  return bits;
}

void page_read_width(page_reader_t *r, const yaml_node_t *node, page_spec_t *s) {
  const char *text = page_text(r, node, s->name[0] ? s->name : "field");
  s->type = page_find_type(r, text, &s->owner);
  s->values = s->type ? NULL : page_find_values(r->page, text);
  if (s->values) {
    s->bits = page_expr_number(r, page_bits_for(s->values->count));
  } else if (!s->type) {
    if (strchr(text, '.')) {
      page_fail(r, node, "%s: expected a type that import names, or an expression", text);
    }
    s->bits = page_expr_read(r, node, text, &s->count);
  }
}

page_spec_t page_read_spec(page_reader_t *r, const char *name, const yaml_node_t *node) {
  page_spec_t s = {.node = node, .name = name};
  if (node->type != YAML_MAPPING_NODE) {
    page_read_width(r, node, &s);
    return s;
  }
  page_keys(r, node, name[0] ? name : "field", "bits c port show");
  const yaml_node_t *bits = page_find(r, node, "bits"), *c = page_find(r, node, "c");
  const yaml_node_t *port = page_find(r, node, "port"), *show = page_find(r, node, "show");
  if (!bits) {
    page_fail(r, node, "%s: expected bits", name);
  }
  page_read_width(r, bits, &s);
  s.c = c ? page_name(r, c, "c") : NULL;
  s.port = port ? page_name(r, port, "port") : NULL;
  s.is_mask = show && strcmp(page_text(r, show, "show"), "mask") == 0;
  if (show && !s.is_mask) {
    page_fail(r, show, "show: expected mask");
  }
  return s;
}
