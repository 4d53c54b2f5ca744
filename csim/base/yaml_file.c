// SPDX-License-Identifier: Apache-2.0
#include "yaml_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

enum { MaxDepth = 64 };  // of brackets and indents within one another

typedef struct {
  const yaml_node_t *node;
  const char *name;
} yaml_key_t;

static int compare_keys(const void *a, const void *b) {
  const yaml_key_t *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order ? order : (x->node > y->node) - (x->node < y->node);
}

// Refuses equal keys in one mapping: a reader would take the later one.
static bool keys_differ(const yaml_file_t *f, const yaml_node_t *map) {
  const yaml_node_pair_t *pairs = map->data.mapping.pairs.start;
  const size_t count = (size_t)(map->data.mapping.pairs.top - pairs);
  yaml_key_t *keys = calloc(count + 1, sizeof *keys);
  const yaml_key_t *again = NULL;
  size_t n = 0;
  if (!keys) {
    return err_memory(f->err, f->path);
  }
  for (size_t i = 0; i < count; i++) {
    const yaml_node_t *key = yaml_file_node(f, pairs[i].key);
    if (key->type == YAML_SCALAR_NODE) {
      keys[n++] = (yaml_key_t){key, (const char *)key->data.scalar.value};
    }
  }
  qsort(keys, n, sizeof *keys, compare_keys);
  for (size_t i = 1; i < n; i++) {
    const bool is_equal = strcmp(keys[i - 1].name, keys[i].name) == 0;
    again = is_equal && (!again || keys[i].node < again->node) ? &keys[i] : again;
  }
  const bool ok =
      !again || yaml_file_fail(f, again->node, "%s stands twice, expected once", again->name);
  free(keys);
  return ok;
}

// The form that every file must have, whatever it is for.
static bool nodes_are_right(const yaml_file_t *f) {
  const yaml_node_t *node;
  for (int i = 1; (node = yaml_file_node(f, i)); i++) {
    if (node->type == YAML_SCALAR_NODE &&
        memchr(node->data.scalar.value, '\0', node->data.scalar.length)) {
      return yaml_file_fail(f, node, "%s: followed by a zero byte, expected text without one",
                            (const char *)node->data.scalar.value);
    }
    if (node->type == YAML_MAPPING_NODE && !keys_differ(f, node)) {
      return false;
    }
  }
  return true;
}

static bool fail_at(const yaml_file_t *f, yaml_mark_t mark, const char *what) {
  return err_set(f->err, ErrInput, "%s:%zu:%zu: %s", f->path, mark.line + 1, mark.column + 1, what);
}

// Reads a file whole. A directory opens but does not read.
static bool read_bytes(const yaml_file_t *f, text_t *bytes) {
  FILE *file = place_open(f->path);
  char part[4096];
  size_t n;
  while (file && (n = fread(part, 1, sizeof part, file)) > 0) {
    text_bytes(bytes, part, n);
  }
  bool ok =
      (file && !ferror(file)) || err_set(f->err, ErrInput, "%s: %s", f->path, strerror(errno));
  ok = ok && (!bytes->failed || err_memory(f->err, f->path));
  if (file) {
    fclose(file);
  }
  return ok;
}

// The time that libyaml takes grows with the square of the depth. A file that it cannot read is
// taken here: loading it says what is wrong.
static bool is_shallow(const yaml_file_t *f, const text_t *bytes) {
  yaml_parser_t parser;
  yaml_event_t event;
  uint32_t depth = 0;
  bool is_end = !yaml_parser_initialize(&parser);
  bool ok = !is_end || err_memory(f->err, f->path);
  yaml_parser_set_input_string(&parser, (const uint8_t *)text_string(bytes), bytes->length);
  while (ok && !is_end && yaml_parser_parse(&parser, &event)) {
    const yaml_event_type_t type = event.type;
    depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
    depth -= type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
    is_end = type == YAML_STREAM_END_EVENT;
    if (depth > MaxDepth) {
      ok = fail_at(f, event.start_mark, "lists and mappings more than 64 deep, expected fewer");
    }
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return ok;
}

static bool load(yaml_file_t *f, const text_t *bytes) {
  yaml_parser_t parser;
  if (!is_shallow(f, bytes)) {
    return false;
  }
  if (!yaml_parser_initialize(&parser)) {
    return err_memory(f->err, f->path);
  }
  yaml_parser_set_input_string(&parser, (const uint8_t *)text_string(bytes), bytes->length);
  f->is_loaded = yaml_parser_load(&parser, &f->document);
  if (!f->is_loaded) {
    fail_at(f, parser.problem_mark, parser.problem ? parser.problem : "not YAML");
  }
  yaml_parser_delete(&parser);
  return f->is_loaded && nodes_are_right(f);
}

bool yaml_file_load(yaml_file_t *f, const char *path, err_t *err) {
  text_t bytes = {0};
  *f = (yaml_file_t){.path = path, .err = err};
  const bool ok = read_bytes(f, &bytes) && load(f, &bytes);
  text_free(&bytes);
  return ok;
}

void yaml_file_free(yaml_file_t *f) {
  if (f->is_loaded) {
    yaml_document_delete(&f->document);
  }
  f->is_loaded = false;
}

bool yaml_file_vfail(const yaml_file_t *f, const yaml_node_t *node, const char *format,
                     va_list arguments) {
  text_t text = {0};
  text_format(&text, "%s:%zu:%zu: ", f->path, node->start_mark.line + 1,
              node->start_mark.column + 1);
  text_vformat(&text, format, arguments);
  // The file's words may hold line ends.
  for (size_t i = 0; i < text.length; i++) {
    if (text.bytes[i] == '\r' || text.bytes[i] == '\n') {
      text.bytes[i] = ' ';
    }
  }
  err_set(f->err, ErrInput, "%s", text_string(&text));
  text_free(&text);
  return false;
}

bool yaml_file_fail(const yaml_file_t *f, const yaml_node_t *node, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  yaml_file_vfail(f, node, format, arguments);
  va_end(arguments);
  return false;
}

const yaml_node_t *yaml_file_node(const yaml_file_t *f, int index) {
  return yaml_document_get_node((yaml_document_t *)&f->document, index);
}

bool yaml_file_text(const yaml_file_t *f, const yaml_node_t *node, const char *what,
                    const char **text) {
  if (node->type != YAML_SCALAR_NODE || node->data.scalar.length == 0) {
    return yaml_file_fail(f, node, "%s: expected a word", what);
  }
  *text = (const char *)node->data.scalar.value;
  return true;
}

bool yaml_file_number(const yaml_file_t *f, const yaml_node_t *node, const char *what,
                      uint64_t least, uint64_t most, uint64_t *number) {
  const char *text = NULL;
  char *end = NULL;
  if (node->type == YAML_SCALAR_NODE) {
    text = (const char *)node->data.scalar.value;
    errno = 0;
    *number = strtoull(text, &end, 10);
  }
  if (!text || end == text || *end || errno || *text == '-' || *number < least || *number > most) {
    return yaml_file_fail(f, node, "%s: expected a number from %llu to %llu", what,
                          (unsigned long long)least, (unsigned long long)most);
  }
  return true;
}

bool yaml_file_words(const yaml_file_t *f, const yaml_node_t *node, const char *what,
                     const char *words[YamlMaxWords]) {
  memset(words, 0, YamlMaxWords * sizeof *words);  // of defaults
  if (node->type == YAML_SCALAR_NODE) {
    return yaml_file_text(f, node, what, &words[0]);
  }
  uint32_t count = 0;
  if (node->type != YAML_SEQUENCE_NODE) {
    return yaml_file_fail(f, node, "%s: expected a word or a list of words", what);
  }
  for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top;
       i++) {
    if (count + 1 == YamlMaxWords) {
      return yaml_file_fail(f, yaml_file_node(f, *i), "%s: expected at most %d words", what,
                            YamlMaxWords - 1);
    }
    if (!yaml_file_text(f, yaml_file_node(f, *i), what, &words[count++])) {
      return false;
    }
  }
  return true;
}
