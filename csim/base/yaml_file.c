// SPDX-License-Identifier: Apache-2.0
#include "yaml_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

static bool same_key(const yaml_node_t *a, const yaml_node_t *b) {
  return a->type == YAML_SCALAR_NODE && b->type == YAML_SCALAR_NODE &&
         strcmp((const char *)a->data.scalar.value, (const char *)b->data.scalar.value) == 0;
}

// Of two equal keys in one mapping a reader would take the later one.
static bool keys_differ(const yaml_file_t *f) {
  const yaml_node_t *node;
  for (int i = 1; (node = yaml_file_node(f, i)); i++) {
    if (node->type != YAML_MAPPING_NODE) {
      continue;
    }
    const yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
    for (const yaml_node_pair_t *p = pairs; p < node->data.mapping.pairs.top; p++) {
      const yaml_node_t *key = yaml_file_node(f, p->key);
      for (const yaml_node_pair_t *q = pairs; q < p; q++) {
        if (same_key(yaml_file_node(f, q->key), key)) {
          return yaml_file_fail(f, key, "%s stands twice, expected once",
                                (const char *)key->data.scalar.value);
        }
      }
    }
  }
  return true;
}

// Complains of the whole file.
static bool fail_file(const yaml_file_t *f, const char *what) {
  return err_set(f->err, ErrInput, "%s%s", f->path, what);
}

static bool load(yaml_file_t *f) {
  FILE *file = place_open(f->path);
  int first = file ? fgetc(file) : EOF;
  yaml_parser_t parser;
  // A directory opens but does not read.
  if (!file || ferror(file) || !yaml_parser_initialize(&parser)) {
    char *what = text_make(": %s", strerror(errno));
    fail_file(f, what ? what : ": out of memory");
    free(what);
    if (file) {
      fclose(file);
    }
    return false;
  }
  if (first != EOF) {
    ungetc(first, file);
  }
  yaml_parser_set_input_file(&parser, file);
  f->is_loaded = yaml_parser_load(&parser, &f->document);
  if (!f->is_loaded) {
    char *what =
        text_make(":%zu:%zu: %s", parser.problem_mark.line + 1, parser.problem_mark.column + 1,
                  parser.problem ? parser.problem : "not YAML");
    fail_file(f, what ? what : ": out of memory");
    free(what);
  }
  yaml_parser_delete(&parser);
  fclose(file);
  return f->is_loaded && keys_differ(f);
}

bool yaml_file_load(yaml_file_t *f, const char *path, err_t *err) {
  *f = (yaml_file_t){.path = path, .err = err};
  return load(f);
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
  // What the file says may hold line ends.
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
