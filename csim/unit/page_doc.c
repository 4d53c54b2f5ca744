// SPDX-License-Identifier: Apache-2.0
// The meanings of a page's parameters and ports: its last key, `doc`. A key in it is the RTL name
// of a parameter, a port, or TYPE.FIELD for all ports that this field becomes, also in pages that
// import the type.
#include <string.h>

#include "page_internal.h"

const char *page_doc(page_reader_t *r, const char *key) {
  const yaml_node_t *node = r->docs ? page_find(r, r->docs, key) : NULL;
  return node ? page_format(r, "%s", page_text(r, node, key)) : NULL;
}

void page_find_docs(page_reader_t *r, const yaml_node_t *root) {
  r->docs = page_find(r, root, "doc");
  if (!r->docs) {
    return;
  }
  page_is_mapping(r, r->docs, "doc");
  const yaml_node_t *last = yaml_file_node(&r->file, root->data.mapping.pairs.top[-1].value);
  if (last != r->docs) {
    page_fail(r, r->docs, "doc: expected as the last key of the page");
  }
  r->docs_line = yaml_file_node(&r->file, root->data.mapping.pairs.top[-1].key)->start_mark.line;
}

// Ports that mean the same in every unit.
static const char *usual(page_reader_t *r, const page_field_t *f) {
  switch (f->role) {
    case PageQuiescent: return "another clock under the same inputs would change nothing";
    case PageError: return "sticky code, 0 none";
    case PageReady:
      return page_format(r, "takes what `%.*svalid_%c` offers", (int)strlen(f->port) - 7, f->port,
                         f->is_output ? 'i' : 'o');
    case PagePeekInput:
      return strcmp(f->name, "index") == 0 ? "index of what is read" : "what is read";
    case PagePeekData: return "what the last peek read";
    default: return NULL;
  }
}

static void complete(page_reader_t *r, const page_field_t *fields, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    page_field_t *f = (page_field_t *)&fields[i];
    f->doc = f->doc ? f->doc : usual(r, f);
    if (!f->doc) {
      page_fail(r, r->docs, "doc: %s is missing, expected the meaning of each port", f->port);
    }
  }
}

static bool has_port(const page_field_t *fields, uint32_t count, const char *port) {
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(fields[i].port, port) == 0) {
      return true;
    }
  }
  return false;
}

static bool has_type_field(const page_t *page, const char *key) {
  const char *dot = strchr(key, '.');
  for (uint32_t t = 0; dot && t < page->type_count; t++) {
    const page_type_t *type = &page->types[t];
    if (strlen(type->name) == (size_t)(dot - key) && strncmp(type->name, key, dot - key) == 0) {
      return has_port(type->fields, type->field_count, dot + 1);
    }
  }
  return false;
}

static bool has_param(const page_t *page, const char *key) {
  for (uint32_t i = 0; i < page->param_count; i++) {
    if (strcmp(page->params[i].rtl, key) == 0) {
      return true;
    }
  }
  return false;
}

void page_check_docs(page_reader_t *r) {
  const page_t *page = r->page;
  if (!r->docs) {
    return;
  }
  complete(r, page->in, page->in_count);
  complete(r, page->out, page->out_count);
  complete(r, page->state, page->state_count);
  for (uint32_t i = 0; i < page->param_count; i++) {
    if (!page->params[i].doc) {
      page_fail(r, r->docs, "doc: %s is missing, expected the meaning of each parameter",
                page->params[i].rtl);
    }
  }
  PAGE_PAIRS(r, r->docs, pair) {
    const yaml_node_t *node = yaml_file_node(&r->file, pair->key);
    const char *key = page_text(r, node, "doc"), *text = page_doc(r, key);
    if (!has_port(page->in, page->in_count, key) && !has_port(page->out, page->out_count, key) &&
        !has_port(page->state, page->state_count, key) && !has_param(page, key) &&
        !has_type_field(page, key)) {
      page_fail(r, node, "doc: %s, expected a port, a parameter as the RTL names it, or TYPE.FIELD",
                key);
    }
    if (strchr(text, '|')) {
      page_fail(r, node, "doc: %s: expected a text without |, which parts a table's columns", key);
    }
  }
}
