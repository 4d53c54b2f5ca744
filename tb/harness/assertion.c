// SPDX-License-Identifier: Apache-2.0
#include "assertion.h"

#include <stdio.h>
#include <string.h>

// Up to end, cut to size.
static void copy(char *to, size_t size, const char *from, const char *end) {
  snprintf(to, size, "%.*s", (int)(end - from), from);
}

// "FILE:LINE: ..." of a text that starts with FILE; its end, or NULL.
static const char *read_place(const char *text, assertion_t *a) {
  unsigned line = 0;
  int used = 0;
  const char *colon = text + strcspn(text, ":\n");
  if (sscanf(colon, ":%u:%n", &line, &used) != 1 || used == 0) {
    return NULL;
  }
  copy(a->file, sizeof a->file, text, colon);
  a->line = line;
  return colon + used;
}

// "top.tb_UNIT.u_dut.gen_entry[3].LABEL: MESSAGE". The scope's last name is the label where the
// message says the same, else an instance's.
static void read_scope(const char *scope, assertion_t *a) {
  const char *end = scope + strcspn(scope, ":\n"), *from = scope, *name = scope;
  for (const char *c = scope; c < end; c++) {
    name = *c == '.' ? c + 1 : name;
  }
  size_t length = (size_t)(end - name);
  bool has_label = end[0] == ':' && end[1] == ' ' && strncmp(end + 2, name, length) == 0 &&
                   strchr(" :\n", end[2 + length]);
  if (has_label) {
    copy(a->label, sizeof a->label, name, end);
    end = name > scope ? name - 1 : name;
  }
  // Not the simulator's name for its top and that of the test bench.
  for (int skipped = 0; skipped < 2; skipped++) {
    const char *dot = memchr(from, '.', (size_t)(end - from));
    from = dot ? dot + 1 : from;
  }
  copy(a->instance, sizeof a->instance, from, end);
}

void assertion_read(const char *message, assertion_t *a) {
  static const char Mark[] = "Error: ", Failed[] = " Assertion failed in ";
  *a = (assertion_t){0};
  const char *at = strstr(message, Mark);
  const char *rest = at ? read_place(at + sizeof Mark - 1, a) : NULL;
  if (!rest || strncmp(rest, Failed, sizeof Failed - 1) != 0) {
    return;
  }
  read_scope(rest + sizeof Failed - 1, a);
  // The line that says where it stopped has the file's whole path.
  if ((at = strstr(rest, Mark))) {
    assertion_t stop = {0};
    if (read_place(at + sizeof Mark - 1, &stop) && stop.line == a->line) {
      memcpy(a->file, stop.file, sizeof a->file);
    }
  }
}

bool assertion_same(const assertion_t *a, const assertion_t *b) {
  return a->line == b->line && strcmp(a->file, b->file) == 0 &&
         strcmp(a->instance, b->instance) == 0 && strcmp(a->label, b->label) == 0;
}

void assertion_text(const assertion_t *a, char *text, size_t size) {
  snprintf(text, size, "%s%s%s:%u%s%s", a->label, a->label[0] ? " " : "", a->file, a->line,
           a->instance[0] ? " " : "", a->instance);
}
