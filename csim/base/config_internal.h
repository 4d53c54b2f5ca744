// SPDX-License-Identifier: Apache-2.0
// Shared parts of the configuration: config.c (tables, names, reading back),
// config_value.c (values as text), config_file.c (YAML), config_document.c.
#ifndef NOCTURNE_BASE_CONFIG_INTERNAL_H
#define NOCTURNE_BASE_CONFIG_INTERNAL_H

#include "config.h"

enum {
  TextSize = 256,  // of a value
  NameSize = 128,  // of a key
  ShownSize = 60,  // of foreign text in a message
};

typedef struct entry {
  config_key_t key;
  char name[NameSize];
  char initial[TextSize];
  char *origin;  // owned; NULL: the default
  void *field;
  const config_set_t *set;        // of a key that names a set; its field is an owned text
  const struct entry *member_of;  // of an entry of a set: the key that names it
  char from[TextSize];            // of a key that names a set: the file's source
} entry_t;

struct config {
  entry_t **entries;  // by name
  size_t count, room;
};

// config_value.c
void config_value_text(const entry_t *e, char text[TextSize]);
void config_describe_range(const entry_t *e, char text[TextSize]);
// Stores a value, or says in `what` why not.
bool config_parse_value(entry_t *e, const char *text, bool quoted, text_t *what);
// Foreign text as it may stand in a one-line message.
const char *config_shown(const char *text, char out[ShownSize]);

// config.c
entry_t *config_find(const config_t *config, const char *name);
// A key that can be set: not an entry, a constant or a name of the past.
bool config_is_key(const entry_t *e);
// Adds a key, or an entry of the set that `member_of` names; NULL after err_set.
entry_t *config_add_entry(config_t *config, const char *prefix, const config_key_t *key, void *base,
                          const entry_t *member_of, err_t *err);
// Takes over the text of where a value came from; false if it is NULL.
bool config_set_origin(entry_t *e, char *origin);
bool config_is_section(const config_t *config, const char *name);
// Why `name` cannot be set: unknown, a constant, an entry, a name of the past.
void config_refuse_name(const config_t *config, const char *name, text_t *what);
// The same for a name in the file of a set.
void config_refuse_entry(const config_t *config, const entry_t *set, const char *name,
                         text_t *what);

// config_file.c
// Reads the set `text`. False with the reason in `what` if the name cannot be followed, or else
// after err_set.
bool config_load_set(config_t *config, entry_t *set, const char *text, text_t *what, err_t *err);

#endif
