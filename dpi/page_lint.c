// SPDX-License-Identifier: Apache-2.0
// Holds a unit's RTL to its page: page_lint PAGE.yaml UNIT.xml [NAME=VALUE ...]
// UNIT.xml is what `verilator --xml-only` says of the unit with these parameters. Compared: ports,
// their directions and widths, parameters, and without NAME=VALUE their defaults, error codes that
// the RTL defines itself (localparams ErrNAME) in place of the unit's package. Each difference is a
// line with its name; exit status 1. 2: bad usage or input.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/unit/page.h"

enum { NameSize = 128, MaxLines = 1 << 20 };

typedef struct {
  char name[NameSize], type[16];
  int line;  // of the XML
  enum { IsPort, IsParameter, IsLocal } kind;
  bool is_output, is_on_page;
  int64_t value;  // of a parameter or localparam
} item_t;

typedef struct {
  const page_t *page;
  char **lines;
  int line_count;
  item_t *items;
  int item_count;
  int64_t values[PageMaxParams];
  int differences;
} lint_t;

static void __attribute__((format(printf, 3, 4)))
differ(lint_t *l, uint32_t line, const char *form, ...) {
  va_list args;
  va_start(args, form);
  fprintf(stderr, "%s:%" PRIu32 ":1: ", l->page->file, line ? line : 1);
  vfprintf(stderr, form, args);
  fprintf(stderr, "\n");
  va_end(args);
  l->differences++;
}

// ---- What Verilator says ----

static bool attribute(const char *line, const char *name, char *text, size_t size) {
  char key[40];
  snprintf(key, sizeof key, " %s=\"", name);
  const char *at = strstr(line, key);
  if (!at) {
    return false;
  }
  at += strlen(key);
  snprintf(text, size, "%.*s", (int)strcspn(at, "\""), at);
  return true;
}

static bool read_lines(lint_t *l, const char *path) {
  FILE *f = fopen(path, "r");
  size_t room = 0;
  char *line = NULL;
  l->lines = calloc(MaxLines, sizeof *l->lines);
  while (f && l->lines && l->line_count < MaxLines && getline(&line, &room, f) > 0) {
    l->lines[l->line_count++] = line;
    line = NULL;
    room = 0;
  }
  free(line);
  if (f) {
    fclose(f);
  }
  return l->line_count > 0;
}

// "10&apos;h3ff", signed ones with "sh".
static int64_t constant(const char *line) {
  char text[NameSize];
  const char *at = attribute(line, "name", text, sizeof text) ? strchr(text, 'h') : NULL;
  return at ? (int64_t)(int32_t)strtoull(at + 1, NULL, 16) : INT64_MIN;
}

static bool read_item(lint_t *l, int n) {
  const char *line = l->lines[n];
  char text[NameSize];
  item_t *i = &l->items[l->item_count];
  *i = (item_t){.line = n, .value = INT64_MIN};
  if (!strstr(line, "<var ") || !attribute(line, "origName", i->name, sizeof i->name) ||
      !attribute(line, "dtype_id", i->type, sizeof i->type)) {
    return false;
  }
  if (attribute(line, "pinIndex", text, sizeof text)) {
    i->kind = IsPort;
    i->is_output = attribute(line, "dir", text, sizeof text) && strcmp(text, "output") == 0;
    return true;
  }
  const bool is_parameter = attribute(line, "param", text, sizeof text);
  if (!is_parameter && !attribute(line, "localparam", text, sizeof text)) {
    return false;
  }
  i->kind = is_parameter ? IsParameter : IsLocal;
  i->value = n + 1 < l->line_count ? constant(l->lines[n + 1]) : INT64_MIN;
  return true;
}

// The unit's own declarations: those of the top module.
static bool read_items(lint_t *l) {
  char text[NameSize];
  bool inside = false, found = false;
  l->items = calloc((size_t)l->line_count + 1, sizeof *l->items);
  for (int n = 0; l->items && n < l->line_count; n++) {
    if (strstr(l->lines[n], "<module ")) {
      inside = attribute(l->lines[n], "origName", text, sizeof text) &&
               strcmp(text, l->page->name) == 0 && strstr(l->lines[n], "topModule=");
      found |= inside;
    } else if (strstr(l->lines[n], "</module>")) {
      inside = false;
    } else if (inside && read_item(l, n)) {
      l->item_count++;
    }
  }
  return found;
}

static int64_t width_of(const lint_t *l, const item_t *item) {
  char text[NameSize];
  for (int n = 0; n < l->line_count; n++) {
    if (strstr(l->lines[n], "<basicdtype ") && attribute(l->lines[n], "id", text, sizeof text) &&
        strcmp(text, item->type) == 0) {
      char left[NameSize], right[NameSize];
      return attribute(l->lines[n], "left", left, sizeof left) &&
                     attribute(l->lines[n], "right", right, sizeof right)
                 ? atoll(left) - atoll(right) + 1
                 : 1;
    }
  }
  return -1;
}

static item_t *find(lint_t *l, int kind, const char *name) {
  for (int i = 0; i < l->item_count; i++) {
    if ((int)l->items[i].kind == kind && strcmp(l->items[i].name, name) == 0) {
      l->items[i].is_on_page = true;
      return &l->items[i];
    }
  }
  return NULL;
}

// ---- Against the page ----

static void check_port(lint_t *l, const page_field_t *f) {
  const item_t *port = find(l, IsPort, f->port);
  if (!port) {
    differ(l, f->line, "%s: no such port in the RTL", f->port);
    return;
  }
  const int64_t bits =
      page_value(l->page, f->bits, l->values) * page_value(l->page, f->count, l->values);
  if (port->is_output != f->is_output) {
    differ(l, f->line, "%s: an %s in the RTL, expected an %s", f->port,
           port->is_output ? "output" : "input", f->is_output ? "output" : "input");
  }
  if (width_of(l, port) != bits) {
    differ(l, f->line, "%s: %" PRId64 " bits in the RTL, expected %" PRId64, f->port,
           width_of(l, port), bits);
  }
}

static void check_ports(lint_t *l) {
  static const char *const Own[] = {"clk_i", "rst_ni"};
  for (int i = 0; i < 2; i++) {
    if (!find(l, IsPort, Own[i])) {
      differ(l, 1, "%s: no such port in the RTL", Own[i]);
    }
  }
  for (uint32_t i = 0; i < l->page->in_count; i++) {
    check_port(l, &l->page->in[i]);
  }
  for (uint32_t i = 0; i < l->page->out_count; i++) {
    check_port(l, &l->page->out[i]);
  }
  for (uint32_t i = 0; i < l->page->state_count; i++) {
    check_port(l, &l->page->state[i]);
  }
}

static void check_parameters(lint_t *l, bool defaults) {
  for (uint32_t i = 0; i < l->page->param_count; i++) {
    const page_param_t *p = &l->page->params[i];
    const item_t *item = find(l, IsParameter, p->rtl);
    if (!item) {
      differ(l, 1, "%s: no such parameter in the RTL", p->rtl);
    } else if (defaults && !p->is && item->value != p->initial) {
      differ(l, 1, "%s: default %" PRId64 " in the RTL, expected %" PRId64, p->rtl, item->value,
             p->initial);
    }
  }
}

static void check_errors(lint_t *l) {
  const page_values_t *errors = NULL;
  for (uint32_t i = 0; i < l->page->out_count; i++) {
    errors = l->page->out[i].role == PageError ? l->page->out[i].values : errors;
  }
  for (uint32_t i = 0; errors && i < errors->count; i++) {
    char name[NameSize];
    snprintf(name, sizeof name, "Err%s", errors->values[i]);
    const item_t *item = find(l, IsLocal, name);
    if (item && item->value != (int64_t)i) {
      differ(l, 1, "%s: %" PRId64 " in the RTL, expected %" PRIu32, name, item->value, i);
    }
  }
}

static void check_rest(lint_t *l) {
  for (int i = 0; i < l->item_count; i++) {
    const item_t *item = &l->items[i];
    const bool is_error = item->kind == IsLocal && strncmp(item->name, "Err", 3) == 0;
    if (!item->is_on_page && (item->kind != IsLocal || is_error)) {
      differ(l, 1, "%s: a%s of the RTL that is not on the page", item->name,
             item->kind == IsPort        ? " port"
             : item->kind == IsParameter ? " parameter"
                                         : "n error code");
    }
  }
}

static bool set_value(lint_t *l, const char *text) {
  const size_t length = strcspn(text, "=");
  for (uint32_t i = 0; i < l->page->param_count; i++) {
    const char *name = l->page->params[i].rtl;
    if (text[length] == '=' && strlen(name) == length && strncmp(name, text, length) == 0) {
      l->values[i] = atoll(text + length + 1);
      return true;
    }
  }
  fprintf(stderr, "page_lint: %s: expected NAME=VALUE with a parameter of %s\n", text,
          l->page->name);
  return false;
}

int main(int argc, char **argv) {
  err_auto_t err = {0};
  lint_t l = {0};
  if (argc < 3) {
    fprintf(stderr, "page_lint: expected PAGE.yaml UNIT.xml [NAME=VALUE ...]\n");
    return 2;
  }
  page_t *page = page_read(argv[1], &err);
  if (!page) {
    fprintf(stderr, "%s\n", err_text(&err));
    return 2;
  }
  l.page = page;
  page_defaults(page, l.values);
  bool ok = true;
  for (int i = 3; i < argc && ok; i++) {
    ok = set_value(&l, argv[i]);
  }
  if (ok && (!read_lines(&l, argv[2]) || !read_items(&l))) {
    fprintf(stderr, "%s:1:1: no top module %s, expected the output of verilator --xml-only\n",
            argv[2], page->name);
    ok = false;
  }
  if (ok) {
    check_ports(&l);
    check_parameters(&l, argc == 3);
    check_errors(&l);
    check_rest(&l);
  }
  for (int n = 0; n < l.line_count; n++) {
    free(l.lines[n]);
  }
  free(l.lines);
  free(l.items);
  page_free(page);
  return !ok ? 2 : l.differences ? 1 : 0;
}
