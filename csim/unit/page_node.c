// SPDX-License-Identifier: Apache-2.0
// Shared parts of the reader of unit descriptions: errors, memory, nodes, values of parameters.
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "page_internal.h"

enum { BlockHead = 16 };  // keeps the alignment

_Noreturn void page_fail(page_reader_t *r, const yaml_node_t *node, const char *format, ...) {
  va_list args;
  va_start(args, format);
  yaml_file_vfail(&r->file, node, format, args);
  va_end(args);
  longjmp(r->broken, 1);
}

void *page_alloc(page_reader_t *r, size_t size) {
  page_memory_t *memory = r->page->memory;
  page_block_t *block = calloc(1, BlockHead + size);
  if (!block) {
    err_memory(r->file.err, r->file.path);
    longjmp(r->broken, 1);
  }
  block->next = memory->blocks;
  memory->blocks = block;
  return (char *)block + BlockHead;
}

const char *page_format(page_reader_t *r, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const size_t size = (size_t)n < sizeof text ? (size_t)n + 1 : sizeof text;
  return memcpy(page_alloc(r, size), text, size);
}

// ---- Nodes ----

const yaml_node_t *page_find(const page_reader_t *r, const yaml_node_t *map, const char *key) {
  PAGE_PAIRS(r, map, pair) {
    const yaml_node_t *k = yaml_file_node(&r->file, pair->key);
    if (k->type == YAML_SCALAR_NODE && strcmp((const char *)k->data.scalar.value, key) == 0) {
      return yaml_file_node(&r->file, pair->value);
    }
  }
  return NULL;
}

const char *page_text(page_reader_t *r, const yaml_node_t *node, const char *what) {
  if (node->type != YAML_SCALAR_NODE || node->data.scalar.length == 0) {
    page_fail(r, node, "%s: expected a word", what);
  }
  return (const char *)node->data.scalar.value;
}

const char *page_name(page_reader_t *r, const yaml_node_t *node, const char *what) {
  const char *text = page_text(r, node, what);
  size_t n = 0;
  while (islower((unsigned char)text[n]) ||
         (n > 0 && (isdigit((unsigned char)text[n]) || text[n] == '_'))) {
    n++;
  }
  if (text[n] || n > 60) {
    page_fail(r, node, "%s: %s, expected a name of small letters, digits and _", what, text);
  }
  return page_format(r, "%s", text);
}

int64_t page_number(page_reader_t *r, const yaml_node_t *node, const char *what, int64_t low,
                    int64_t high) {
  const char *text = page_text(r, node, what);
  char *end;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end || value < low || value > high) {
    page_fail(r, node, "%s: %s, expected a number from %" PRId64 " to %" PRId64, what, text, low,
              high);
  }
  return value;
}

bool page_flag(page_reader_t *r, const yaml_node_t *node, const char *what) {
  const char *text = page_text(r, node, what);
  const bool is_yes = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
  if (!is_yes && strcmp(text, "no") != 0 && strcmp(text, "false") != 0) {
    page_fail(r, node, "%s: %s, expected yes or no", what, text);
  }
  return is_yes;
}

void page_is_mapping(page_reader_t *r, const yaml_node_t *map, const char *what) {
  if (map->type != YAML_MAPPING_NODE) {
    page_fail(r, map, "%s: expected a mapping, {name: ...}", what);
  }
}

void page_keys(page_reader_t *r, const yaml_node_t *map, const char *what, const char *keys) {
  page_is_mapping(r, map, what);
  PAGE_PAIRS(r, map, pair) {
    const yaml_node_t *k = yaml_file_node(&r->file, pair->key);
    const char *key = page_text(r, k, what);
    const size_t length = strlen(key);
    const char *at = keys;
    while ((at = strstr(at, key)) &&
           !((at == keys || at[-1] == ' ') && (at[length] == ' ' || !at[length]))) {
      at += length;
    }
    if (!at) {
      page_fail(r, k, "%s: %s, expected one of: %s", what, key, keys);
    }
  }
}

const page_values_t *page_find_values(const page_t *page, const char *name) {
  for (uint32_t i = 0; i < page->value_count; i++) {
    if (strcmp(page->values[i].name, name) == 0) {
      return &page->values[i];
    }
  }
  return NULL;
}

int64_t page_param_value(page_reader_t *r, const yaml_node_t *node, const char *what,
                         const page_param_t *p) {
  const char *text = page_text(r, node, what);
  err_t err = {0};
  for (uint32_t v = 0; p->values && v < p->values->count; v++) {
    if (strcmp(text, p->values->values[v]) == 0) {
      return v;
    }
  }
  const int64_t value = page_number(r, node, what, p->low, p->high);
  if (!page_param_allows(p, value, &err)) {
    const char *why = page_format(r, "%s", err_text(&err));
    err_free(&err);
    page_fail(r, node, "%s: %s", what, why);
  }
  return value;
}

void page_defaults(const page_t *page, int64_t params[PageMaxParams]) {
  for (uint32_t i = 0; i < page->param_count; i++) {
    params[i] = page->params[i].initial;
  }
}

bool page_param_allows(const page_param_t *p, int64_t value, err_t *err) {
  bool is_listed = p->of == NULL;
  for (uint32_t i = 0; i < p->of_count; i++) {
    is_listed |= p->of[i] == value;
  }
  if (value >= p->low && value <= p->high && is_listed &&
      !(p->power_of_two && (value & (value - 1)) != 0)) {
    return true;
  }
  if (is_listed) {
    return err_set(err, ErrInput, "%s=%" PRId64 ", expected %s%" PRId64 " to %" PRId64, p->top,
                   value, p->power_of_two ? "a power of two from " : "", p->low, p->high);
  }
  text_t list = {0};
  for (uint32_t i = 0; i < p->of_count; i++) {
    text_format(&list, "%s%" PRId64, i == 0 ? "" : i + 1 == p->of_count ? " or " : ", ", p->of[i]);
  }
  err_set(err, ErrInput, "%s=%" PRId64 ", expected %s", p->top, value, text_string(&list));
  text_free(&list);
  return false;
}
