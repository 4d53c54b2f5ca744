// SPDX-License-Identifier: Apache-2.0
#include "exclusions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// * is any text.
static bool matches(const char *pattern, const char *text) {
  for (; *pattern && *pattern != '*'; pattern++, text++) {
    if (*pattern != *text) {
      return false;
    }
  }
  if (!*pattern) {
    return !*text;
  }
  do {
    if (matches(pattern + 1, text)) {
      return true;
    }
  } while (*text++);
  return false;
}

static bool kind_of(const yaml_file_t *file, const yaml_node_t *node, point_kind_e *kind) {
  const char *text = NULL;
  if (!yaml_file_text(file, node, "kind", &text)) {
    return false;
  }
  *kind = strcmp(text, "toggle") == 0 ? PointToggle : PointLine;
  return strcmp(text, point_kind_name(*kind)) == 0 ||
         yaml_file_fail(file, node, "kind: %.40s: expected line or toggle", text);
}

static bool entry_of(const yaml_file_t *file, const yaml_node_t *node, bool is_c, exclusion_t *x) {
  bool has_kind = false;
  *x = (exclusion_t){.is_c = is_c, .at = node};
  if (node->type != YAML_MAPPING_NODE) {
    return yaml_file_fail(file, node, "expected an exclusion: {file: ..., reason: ...}");
  }
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = yaml_file_node(file, p->key), *value = yaml_file_node(file, p->value);
    const char *name = NULL;
    if (!yaml_file_text(file, key, "key", &name)) {
      return false;
    }
    const struct {
      const char *name;
      const char **word;
    } words[] = {{"file", &x->file}, {"unit", &x->unit}, {"reason", &x->reason}};
    bool known = true, good = true;
    if (strcmp(name, "kind") == 0) {
      has_kind = true;
      good = kind_of(file, value, &x->kind);
    } else if (strcmp(name, "name") == 0) {
      good = yaml_file_words(file, value, name, x->name);
    } else if (strcmp(name, "text") == 0) {
      good = yaml_file_words(file, value, name, x->text);
    } else {
      known = false;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      if (strcmp(name, words[i].name) == 0) {
        known = true;
        good = yaml_file_text(file, value, name, words[i].word);
      }
    }
    if (!known) {
      return yaml_file_fail(file, key,
                            "unknown key %.40s, expected kind, unit, file, name, text or "
                            "reason",
                            name);
    }
    if (!good) {
      return false;
    }
  }
  if (!x->file || !x->reason) {
    return yaml_file_fail(file, node, "expected a file and a reason");
  }
  bool wants_text = is_c || x->kind == PointLine;
  if (is_c ? has_kind || x->name[0] || x->unit : !has_kind) {
    return yaml_file_fail(file, node, is_c ? "of C: expected file, text and reason only"
                                           : "of RTL: expected a kind: line or toggle");
  }
  if (wants_text ? !x->text[0] : !x->name[0] || x->text[0]) {
    return yaml_file_fail(file, node, wants_text ? "expected text, a line of the source"
                                                 : "expected name, a signal's bit, and no text");
  }
  return true;
}

static bool list_of(exclusions_t *e, const yaml_node_t *node, bool is_c) {
  if (node->type != YAML_SEQUENCE_NODE) {
    return yaml_file_fail(&e->file, node, "expected a list of exclusions");
  }
  for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top;
       i++) {
    exclusion_t *more = realloc(e->list, (e->count + 1) * sizeof *more);
    if (!more) {
      return false;
    }
    e->list = more;
    if (!entry_of(&e->file, yaml_file_node(&e->file, *i), is_c, &e->list[e->count++])) {
      return false;
    }
  }
  return true;
}

bool exclusions_load(exclusions_t *e, const char *path, char error[YamlErrorSize]) {
  *e = (exclusions_t){.path = strdup(path)};
  if (!yaml_file_load(&e->file, e->path, error)) {
    return false;
  }
  const yaml_node_t *root = yaml_document_get_root_node(&e->file.document);
  if (!root || root->type != YAML_MAPPING_NODE) {
    snprintf(error, YamlErrorSize, "%.200s:1:1: expected rtl and c", path);
    return false;
  }
  for (yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = yaml_file_node(&e->file, p->key);
    const char *name = NULL;
    if (!yaml_file_text(&e->file, key, "key", &name)) {
      return false;
    }
    if (strcmp(name, "rtl") != 0 && strcmp(name, "c") != 0) {
      return yaml_file_fail(&e->file, key, "unknown key %.40s, expected rtl or c", name);
    }
    if (!list_of(e, yaml_file_node(&e->file, p->value), strcmp(name, "c") == 0)) {
      return false;
    }
  }
  return true;
}

void exclusions_free(exclusions_t *e) {
  yaml_file_free(&e->file);
  free(e->list);
  free(e->path);
  *e = (exclusions_t){0};
}

// ---- Lines of sources: one file at a time is kept ----

static const char *source_line(const char *path, uint32_t line) {
  static char kept[512], *text;
  static char **lines;
  static uint32_t count;
  if (strcmp(kept, path) != 0) {
    free(text);
    text = NULL;
    count = 0;
    snprintf(kept, sizeof kept, "%s", path);
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (file && getdelim(&text, &room, '\0', file) > 0) {
      for (char *at = text; at;) {
        char **more = realloc(lines, (count + 1) * sizeof *more);
        if (!more) {
          break;
        }
        lines = more;
        lines[count++] = at + strspn(at, " \t");
        at = strchr(at, '\n');
        if (at) {
          *at++ = '\0';
        }
      }
    }
    if (file) {
      fclose(file);
    }
  }
  return line > 0 && line <= count ? lines[line - 1] : "";
}

// No patterns: any text.
static bool any_matches(const char *const *patterns, const char *text) {
  for (size_t i = 0; patterns[i]; i++) {
    if (matches(patterns[i], text)) {
      return true;
    }
  }
  return !patterns[0];
}

const exclusion_t *exclusions_of_point(exclusions_t *e, const char *unit, const point_t *p) {
  for (size_t i = 0; i < e->count; i++) {
    exclusion_t *x = &e->list[i];
    if (!x->is_c && x->kind == p->kind && (!x->unit || strcmp(x->unit, unit) == 0) &&
        matches(x->file, p->file) && any_matches(x->name, p->name) &&
        any_matches(x->text, source_line(p->file, p->line))) {
      x->points++;
      return x;
    }
  }
  return NULL;
}

const exclusion_t *exclusions_of_line(exclusions_t *e, const char *file, uint32_t line) {
  for (size_t i = 0; i < e->count; i++) {
    exclusion_t *x = &e->list[i];
    if (x->is_c && matches(x->file, file) && any_matches(x->text, source_line(file, line))) {
      x->points++;
      return x;
    }
  }
  return NULL;
}

bool exclusions_are_fresh(const exclusions_t *e, bool with_c) {
  for (size_t i = 0; i < e->count; i++) {
    if (e->list[i].points == 0 && (with_c || !e->list[i].is_c)) {
      return yaml_file_fail(&e->file, e->list[i].at,
                            "stale: it leaves out nothing that was missed, "
                            "expected to be removed");
    }
  }
  return true;
}
