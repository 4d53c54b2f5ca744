// SPDX-License-Identifier: Apache-2.0
// Reads a YAML file as a document. A complaint is one line `file:line:column: what, expected ...`.
// Most readers use the tables of yaml_table.h on top of this.
#ifndef NOCTURNE_BASE_YAML_FILE_H
#define NOCTURNE_BASE_YAML_FILE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <yaml.h>

#include "err.h"

enum { YamlMaxWords = 64 };

typedef struct {
  const char *path;
  err_t *err;  // where complaints go; NULL: nowhere
  yaml_document_t document;
  bool is_loaded;
} yaml_file_t;

// Loads a file; false after a complaint: no file, not YAML, or a key twice. Words stay valid until
// the free.
bool yaml_file_load(yaml_file_t *file, const char *path, err_t *err);
void yaml_file_free(yaml_file_t *file);

// Each of these is false after a complaint at the node's place.
bool yaml_file_fail(const yaml_file_t *file, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool yaml_file_vfail(const yaml_file_t *file, const yaml_node_t *node, const char *format,
                     va_list arguments);
bool yaml_file_text(const yaml_file_t *file, const yaml_node_t *node, const char *what,
                    const char **text);
bool yaml_file_number(const yaml_file_t *file, const yaml_node_t *node, const char *what,
                      uint64_t least, uint64_t most, uint64_t *number);
// Reads a word, or a list of words with NULL behind the last.
bool yaml_file_words(const yaml_file_t *file, const yaml_node_t *node, const char *what,
                     const char *words[YamlMaxWords]);

const yaml_node_t *yaml_file_node(const yaml_file_t *file, int index);

#endif
