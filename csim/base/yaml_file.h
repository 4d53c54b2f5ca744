// SPDX-License-Identifier: Apache-2.0
// A YAML file read as a document, for test lists, plans and units' pages: a complaint is one line
// `file:line:column: what, expected ...`.
#ifndef NOCTURNE_BASE_YAML_FILE_H
#define NOCTURNE_BASE_YAML_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <yaml.h>

enum { YamlErrorSize = 512, YamlMaxWords = 64 };

typedef struct {
  const char *path;
  char *error;  // YamlErrorSize bytes
  yaml_document_t document;
  bool is_loaded;
} yaml_file_t;

// False with the complaint in error: no file, not YAML, or a key twice. Words stay valid until the
// free.
bool yaml_file_load(yaml_file_t *file, const char *path, char error[YamlErrorSize]);
void yaml_file_free(yaml_file_t *file);

// Each of these is false with a complaint at the node's place.
bool yaml_file_fail(const yaml_file_t *file, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool yaml_file_text(const yaml_file_t *file, const yaml_node_t *node, const char *what,
                    const char **text);
bool yaml_file_number(const yaml_file_t *file, const yaml_node_t *node, const char *what,
                      uint64_t least, uint64_t most, uint64_t *number);
// A word, or a list of words with NULL behind the last.
bool yaml_file_words(const yaml_file_t *file, const yaml_node_t *node, const char *what,
                     const char *words[YamlMaxWords]);

const yaml_node_t *yaml_file_node(const yaml_file_t *file, int index);

#endif
