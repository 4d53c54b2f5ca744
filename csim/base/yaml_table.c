// SPDX-License-Identifier: Apache-2.0
#include "yaml_table.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "spelling.h"

enum { MaxRows = 64 };  // the bits of `given`

bool yaml_at_fail(const yaml_at_t *at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  yaml_file_vfail(at->file, at->node, format, arguments);
  va_end(arguments);
  return false;
}

void yaml_words_text(text_t *text, const char *const *words) {
  for (size_t i = 0; words[i]; i++) {
    text_format(text, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
  }
}

// ---- Scalars ----

bool yaml_at_word(const yaml_at_t *at, const char **word) {
  return yaml_file_text(at->file, at->node, at->what, word);
}

bool yaml_at_choice(const yaml_at_t *at, const char *const *words, int *index) {
  const char *word = NULL;
  if (!yaml_at_word(at, &word)) {
    return false;
  }
  for (int i = 0; words[i]; i++) {
    if (strcmp(words[i], word) == 0) {
      *index = i;
      return true;
    }
  }
  text_t all = {0};
  yaml_words_text(&all, words);
  yaml_at_fail(at, "%s: %s: expected %s", at->what, word, text_string(&all));
  text_free(&all);
  return false;
}

bool yaml_at_flag(const yaml_at_t *at, const char *const *words, bool *flag) {
  static const char *const Usual[] = {"false", "true"};
  const char *word = NULL;
  words = words ? words : Usual;
  if (!yaml_at_word(at, &word)) {
    return false;
  }
  *flag = strcmp(word, words[1]) == 0;
  return *flag || strcmp(word, words[0]) == 0 ||
         yaml_at_fail(at, "%s: expected %s or %s", at->what, words[1], words[0]);
}

bool yaml_at_real(const yaml_at_t *at, double from, double to, double *value) {
  const char *word = NULL;
  char *end = NULL;
  const bool any = from == 0 && to == 0;
  if (!yaml_at_word(at, &word)) {
    return false;
  }
  *value = strtod(word, &end);
  if (end != word && !*end && isfinite(*value) && (any || (*value >= from && *value <= to))) {
    return true;
  }
  return any               ? yaml_at_fail(at, "%s: %s: expected a number", at->what, word)
         : from == DBL_MIN ? yaml_at_fail(at, "%s: %s: expected a number above 0", at->what, word)
         : isinf(to) ? yaml_at_fail(at, "%s: %s: expected a number from %g", at->what, word, from)
                     : yaml_at_fail(at, "%s: %s: expected a number from %g to %g", at->what, word,
                                    from, to);
}

static bool read_copy(const yaml_at_t *at, char **copy) {
  const char *word = NULL;
  if (!yaml_at_word(at, &word)) {
    return false;
  }
  free(*copy);
  *copy = strdup(word);
  return *copy || err_memory(at->file->err, at->file->path);
}

static bool read_number(const yaml_at_t *at, const yaml_row_t *row, uint32_t *number) {
  uint64_t wide = 0;
  const bool ok = yaml_file_number(at->file, at->node, at->what, row->least, row->most, &wide);
  *number = (uint32_t)wide;
  return ok;
}

// ---- Lists ----

static bool read_item(const yaml_at_t *at, const yaml_list_t *list, void *item) {
  return list->table ? yaml_table_read(at, list->table, item) : list->read(at, item);
}

// Reads one item behind those that are there.
static bool add_item(const yaml_at_t *at, const yaml_list_t *list, char *entry, char *items) {
  if (list->size == 0) {
    return read_item(at, list, items);
  }
  uint32_t *count = (void *)(entry + list->count_offset);
  char *item = items + *count * list->size;
  if (list->start) {
    memcpy(item, list->start, list->size);
  } else {
    memset(item, 0, list->size);
  }
  ++*count;
  return read_item(at, list, item);
}

// Returns where the items go, with room for as many more; NULL after a complaint.
static char *make_room(const yaml_at_t *at, const yaml_list_t *list, char *entry, size_t offset,
                       size_t more) {
  if (!list->grows) {
    return entry + offset;
  }
  char **field = (void *)(entry + offset);
  const uint32_t count = *(const uint32_t *)(void *)(entry + list->count_offset);
  char *items = realloc(*field, (count + more) * list->size + 1);
  if (!items) {
    err_memory(at->file->err, at->file->path);
    return NULL;
  }
  return *field = items;
}

bool yaml_list_read(const yaml_at_t *at, const yaml_list_t *list, void *entry, size_t offset) {
  const bool is_list = at->node->type == YAML_SEQUENCE_NODE;
  if (!is_list && !list->or_one) {
    return yaml_at_fail(at, "%s: expected a list", at->what);
  }
  const yaml_node_item_t *first = is_list ? at->node->data.sequence.items.start : NULL;
  const size_t more = is_list ? (size_t)(at->node->data.sequence.items.top - first) : 1;
  const size_t before = list->size ? *(uint32_t *)(void *)((char *)entry + list->count_offset) : 0;
  if (more < list->least) {
    return yaml_at_fail(at, "%s: expected at least %u", at->what, list->least);
  }
  if (list->most && before + more > list->most) {
    yaml_at_t beyond = *at;
    beyond.node = is_list ? yaml_file_node(at->file, first[list->most - before]) : at->node;
    return yaml_at_fail(&beyond, "%s: expected at most %u", at->what, list->most);
  }
  char *items = make_room(at, list, entry, offset, more);
  for (size_t i = 0; items && i < more; i++) {
    yaml_at_t item = *at;
    item.key = NULL;
    item.node = is_list ? yaml_file_node(at->file, first[i]) : at->node;
    if (!add_item(&item, list, entry, items)) {
      return false;
    }
  }
  return items != NULL;
}

// ---- Mappings ----

static bool read_row(const yaml_at_t *at, const yaml_row_t *row, char *entry) {
  void *field = entry + row->offset;
  switch (row->kind) {
    case YamlWord: return yaml_at_word(at, field);
    case YamlCopy: return read_copy(at, field);
    case YamlWords: return yaml_file_words(at->file, at->node, at->what, field);
    case YamlFlag: return yaml_at_flag(at, row->words, field);
    case YamlChoice: return yaml_at_choice(at, row->words, field);
    case YamlNumber: return read_number(at, row, field);
    case YamlNumber64:
      return yaml_file_number(at->file, at->node, at->what, row->least, row->most, field);
    case YamlReal: return yaml_at_real(at, row->from, row->to, field);
    case YamlNode: *(const yaml_node_t **)field = at->node; return true;
    case YamlMap: return yaml_table_read(at, row->table, field);
    case YamlList: return yaml_list_read(at, row->list, entry, row->offset);
    case YamlCall: return row->read(at, field);
  }
  return false;
}

// Returns the row of a key, or the one that takes any; NULL: there is none.
static const yaml_row_t *find_row(const yaml_table_t *table, const char *key) {
  const yaml_row_t *row = table->rows;
  while (row->key && strcmp(row->key, key) != 0 && strcmp(row->key, "*") != 0) {
    row++;
  }
  return row->key ? row : NULL;
}

// Words before a complaint of a mapping: "KEY: " of what holds it.
static const char *before(const yaml_at_t *at, const char **colon) {
  *colon = at->what ? ": " : "";
  return at->what ? at->what : "";
}

static bool fail_unknown(const yaml_at_t *at, const yaml_table_t *table, const yaml_node_t *key,
                         const char *name) {
  const char *names[MaxRows + 1] = {NULL};
  for (size_t i = 0; table->rows[i].key; i++) {
    names[i] = table->rows[i].key;
  }
  const char *nearest = spelling_nearest(name, names), *colon;
  const char *what = before(at, &colon);
  text_t all = {0};
  yaml_words_text(&all, names);
  yaml_file_fail(at->file, key, "%s%sunknown key %s, expected %s%s", what, colon, name,
                 nearest ? "perhaps " : "", nearest ? nearest : text_string(&all));
  text_free(&all);
  return false;
}

// Finds the pair of each row; the row that takes any key reads its pairs later.
static bool find_pairs(const yaml_at_t *at, const yaml_table_t *table,
                       const yaml_node_pair_t *pairs[MaxRows], uint64_t *given) {
  const yaml_node_t *map = at->node;
  for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
    const yaml_node_t *key = yaml_file_node(at->file, p->key);
    const char *name = NULL;
    if (!yaml_file_text(at->file, key, at->what ? at->what : "key", &name)) {
      return false;
    }
    const yaml_row_t *row = find_row(table, name);
    if (!row) {
      return fail_unknown(at, table, key, name);
    }
    pairs[row - table->rows] = p;
    *given |= UINT64_C(1) << (row - table->rows);
  }
  return true;
}

static bool read_pair(const yaml_at_t *map, const yaml_node_pair_t *pair, const yaml_row_t *row,
                      void *entry) {
  yaml_at_t at = *map;
  at.key = yaml_file_node(map->file, pair->key);
  at.node = yaml_file_node(map->file, pair->value);
  at.what = (const char *)at.key->data.scalar.value;
  return read_row(&at, row, entry);
}

// Reads the pairs that no other row takes, in the order of the file.
static bool read_others(const yaml_at_t *at, const yaml_table_t *table, const yaml_row_t *any,
                        void *entry) {
  const yaml_node_t *map = at->node;
  for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
    const yaml_node_t *key = yaml_file_node(at->file, p->key);
    if (find_row(table, (const char *)key->data.scalar.value) == any &&
        !read_pair(at, p, any, entry)) {
      return false;
    }
  }
  return true;
}

static bool fail_missing(const yaml_at_t *at, const yaml_table_t *table, uint64_t given) {
  const char *missing[MaxRows + 1] = {NULL}, *colon;
  size_t count = 0;
  for (size_t i = 0; table->rows[i].key; i++) {
    if (table->rows[i].required && !(given >> i & 1)) {
      missing[count++] = table->rows[i].key;
    }
  }
  if (count == 0) {
    return true;
  }
  const char *what = before(at, &colon);
  text_t all = {0};
  for (size_t i = 0; i < count; i++) {
    text_format(&all, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", missing[i]);
  }
  yaml_at_fail(at, "%s%sexpected %s", what, colon, text_string(&all));
  text_free(&all);
  return false;
}

static bool fail_shape(const yaml_at_t *at, const yaml_table_t *table) {
  const char *colon, *what = before(at, &colon);
  return yaml_at_fail(at, "%s%sexpected %s", what, colon,
                      table->shape ? table->shape : "{KEY: VALUE}");
}

bool yaml_table_read(const yaml_at_t *at, const yaml_table_t *table, void *entry) {
  const yaml_node_pair_t *pairs[MaxRows] = {NULL};
  uint64_t given = 0;
  if (at->node->type != YAML_MAPPING_NODE) {
    return fail_shape(at, table);
  }
  if (table->keeps_at) {
    *(const yaml_node_t **)(void *)((char *)entry + table->at_offset) = at->node;
  }
  if (!find_pairs(at, table, pairs, &given)) {
    return false;
  }
  for (size_t i = 0; table->rows[i].key; i++) {
    const yaml_row_t *row = &table->rows[i];
    const bool is_any = strcmp(row->key, "*") == 0;
    if (is_any ? !read_others(at, table, row, entry)
               : pairs[i] && !read_pair(at, pairs[i], row, entry)) {
      return false;
    }
  }
  return fail_missing(at, table, given) && (!table->check || table->check(at, entry, given));
}

bool yaml_table_load(yaml_file_t *file, const char *path, const yaml_table_t *table, void *context,
                     void *entry, err_t *err) {
  if (!yaml_file_load(file, path, err)) {
    return false;
  }
  const yaml_at_t at = {
      .file = file, .context = context, .node = yaml_document_get_root_node(&file->document)};
  if (!at.node) {
    return err_set(err, ErrInput, "%s:1:1: empty, expected %s", path,
                   table->shape ? table->shape : "{KEY: VALUE}");
  }
  return yaml_table_read(&at, table, entry);
}
