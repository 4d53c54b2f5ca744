// SPDX-License-Identifier: Apache-2.0
// Tables of keys, their names, and what is read back of them.
#include "config_internal.h"

#include <stdlib.h>
#include <string.h>

#include "spelling.h"

// --- names

// First entry whose name is not below `name`.
static size_t position(const config_t *config, const char *name) {
  size_t low = 0, high = config->count;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (strcmp(config->entries[mid]->name, name) < 0) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low;
}

entry_t *config_find(const config_t *config, const char *name) {
  size_t at = position(config, name);
  return at < config->count && strcmp(config->entries[at]->name, name) == 0 ? config->entries[at]
                                                                            : NULL;
}

// True if some key's name begins with name and a dot.
bool config_is_section(const config_t *config, const char *name) {
  size_t length = strlen(name);
  for (size_t i = position(config, name); i < config->count; i++) {
    const char *other = config->entries[i]->name;
    if (strncmp(other, name, length) != 0) {
      return false;
    }
    if (other[length] == '.') {
      return true;
    }
  }
  return false;
}

bool config_is_key(const entry_t *e) {
  return e && !e->member_of && !e->key.constant && !e->key.instead;
}

// Returns the key, or the entry of a set, that a user most likely meant; NULL if none is near.
static const entry_t *nearest(const config_t *config, const entry_t *set, const char *name) {
  const entry_t *nearest = NULL;
  size_t least = SIZE_MAX;
  const char *own = strrchr(name, '.');
  for (size_t i = 0; i < config->count; i++) {
    const entry_t *e = config->entries[i];
    if (set ? e->member_of != set : !config_is_key(e)) {
      continue;
    }
    const char *last = strrchr(e->name, '.');
    size_t d = spelling_distance(name, set ? last + 1 : e->name);
    // The right key without its section, or in another one.
    if (!set && last && strcmp(last + 1, own ? own + 1 : name) == 0 && d > 1) {
      d = 1;
    }
    if (d < least) {
      least = d;
      nearest = e;
    }
  }
  return spelling_is_near(name, least) ? nearest : NULL;
}

void config_refuse_name(const config_t *config, const char *name, text_t *what) {
  static const char Listed[] = "expected one of the keys that `nocturne config --markdown` lists";
  const entry_t *e = strlen(name) < NameSize ? config_find(config, name) : NULL;
  text_cut(what, 0);
  if (!e && config_is_section(config, name)) {
    text_format(what, "%s is a section, expected one of its keys", name);
  } else if (!e) {
    char quote[ShownSize];
    const entry_t *near = nearest(config, NULL, name);
    text_format(what, "unknown key '%s', ", config_shown(name, quote));
    text_format(what, near ? "expected perhaps %s" : "%s", near ? near->name : Listed);
  } else if (e->key.instead) {
    text_format(what, "%s is no key any more, expected %s", name, e->key.instead);
  } else if (e->key.constant) {
    text_format(what, "%s is a constant (%s%s%s: %s), %s", name, e->initial,
                *e->key.unit ? " " : "", e->key.unit, e->key.source, Listed);
  } else {
    text_format(what,
                "%s is an entry of a set, expected %s with the name of a set or a "
                "file.yaml",
                name, e->member_of->name);
  }
}

void config_refuse_entry(const config_t *config, const entry_t *set, const char *name,
                         text_t *what) {
  char quote[ShownSize];
  const entry_t *near = nearest(config, set, name);
  text_cut(what, 0);
  text_format(what, "unknown entry '%s' of %s, expected ", config_shown(name, quote), set->name);
  if (near) {
    text_format(what, "perhaps %s", strrchr(near->name, '.') + 1);
  } else {
    text_format(what, "one of those that `nocturne config --csv` lists");
  }
}

// --- tables

config_t *config_create(void) { return calloc(1, sizeof(config_t)); }

void config_destroy(config_t *config) {
  if (config) {
    for (size_t i = 0; i < config->count; i++) {
      if (config->entries[i]->set) {
        free(config->entries[i]->field);
      }
      free(config->entries[i]->origin);
      free(config->entries[i]);
    }
    free(config->entries);
    free(config);
  }
}

static bool key_is_sound(const config_key_t *key) {
  bool sized = key->size == 1 || key->size == 2 || key->size == 4 || key->size == 8;
  switch (key->kind) {
    case ConfigUint:
      return sized && key->min <= key->max && (key->size == 8 || key->max < 1ull << 8 * key->size);
    case ConfigBool: return key->size == sizeof(bool);
    case ConfigEnum: return sized && key->names && key->names[0];
    case ConfigDouble: return key->size == sizeof(double) && key->low <= key->high;
    case ConfigString: return key->size > 0 && key->size <= TextSize;
  }
  return false;
}

static bool make_room(config_t *config) {
  if (config->count < config->room) {
    return true;
  }
  size_t room = config->room ? 2 * config->room : 64;
  entry_t **entries = realloc(config->entries, room * sizeof(entry_t *));
  if (entries) {
    config->entries = entries;
    config->room = room;
  }
  return entries != NULL;
}

// Checks a new entry and gives its field the default; what is wrong with the table in `what`.
static bool begin(const config_t *config, entry_t *e, text_t *what) {
  const config_key_t *key = &e->key;
  text_cut(what, 0);
  if (config_find(config, e->name)) {
    text_format(what, "name too long or given twice");
  } else if (key->instead) {
    return true;
  } else if (!key_is_sound(key)) {
    text_format(what, "size or range of the field wrong");
  } else if (!e->member_of) {
    if (!key->initial) {
      // The same checks as for a value that a user gives.
      config_value_text(e, e->initial);
    }
    if (config_parse_value(e, key->initial ? key->initial : e->initial, false, what)) {
      config_value_text(e, e->initial);
    }
  }
  return what->length == 0;
}

entry_t *config_add_entry(config_t *config, const char *prefix, const config_key_t *key, void *base,
                          const entry_t *member_of, err_t *err) {
  entry_t *e = make_room(config) ? calloc(1, sizeof *e) : NULL;
  if (!e) {
    err_set(err, ErrMachine, "configuration: out of memory");
    return NULL;
  }
  e->key = *key;
  e->key.unit = key->unit ? key->unit : "";
  e->key.source = key->source ? key->source : "";
  e->key.meaning = key->meaning ? key->meaning : "";
  e->field = (char *)base + key->offset;
  e->member_of = member_of;
  int length = snprintf(e->name, sizeof e->name, "%s%s%s", prefix, *prefix ? "." : "", key->name);
  text_t what = {0};
  if (length < 0 || length >= NameSize || !begin(config, e, &what)) {
    err_set(err, ErrInput, "configuration table: %s: %s", key->name,
            what.length ? text_string(&what) : "name too long or given twice");
    text_free(&what);
    free(e);
    return NULL;
  }
  size_t at = position(config, e->name);
  memmove(config->entries + at + 1, config->entries + at, (config->count - at) * sizeof(entry_t *));
  config->entries[at] = e;
  config->count++;
  return e;
}

bool config_add(config_t *config, const char *prefix, const config_key_t *keys, size_t count,
                void *base, err_t *err) {
  for (size_t i = 0; i < count; i++) {
    if (!config_add_entry(config, prefix, &keys[i], base, NULL, err)) {
      return false;
    }
  }
  return true;
}

bool config_set_origin(entry_t *e, char *origin) {
  free(e->origin);
  e->origin = origin;
  return origin != NULL;
}

// --- reading

static const char *origin_of(const entry_t *e) {
  const char *origin = e->member_of ? e->member_of->origin : e->origin;
  return origin ? origin : "default";
}

static config_value_t value_of(const entry_t *e, char text[TextSize]) {
  config_value_text(e, text);
  return (config_value_t){.key = &e->key,
                          .name = e->name,
                          .text = e->key.kind == ConfigString ? e->field : text,
                          .initial = e->initial,
                          .set = e->member_of ? e->member_of->name : NULL,
                          .origin = origin_of(e)};
}

void config_visit(const config_t *config, void (*visit)(void *self, const config_value_t *value),
                  void *self) {
  for (size_t i = 0; i < config->count; i++) {
    const entry_t *e = config->entries[i];
    if (e->member_of || config_is_key(e)) {
      char text[TextSize];
      config_value_t value = value_of(e, text);
      visit(self, &value);
    }
  }
}

bool config_get(const config_t *config, const char *name, config_value_t *value) {
  static _Thread_local char text[TextSize];
  const entry_t *e = config_find(config, name);
  bool found = e && (e->member_of || config_is_key(e));
  if (found) {
    *value = value_of(e, text);
  }
  return found;
}

const char *config_origin(const config_t *config, const char *name) {
  const entry_t *e = config_find(config, name);
  return e ? origin_of(e) : "default";
}

static void hash_value(void *self, const config_value_t *value) {
  const config_key_t *key = value->key;
  bool left_out = key->unhashed || (key->hashed_if_set && strcmp(value->text, value->initial) == 0);
  if (!left_out) {
    base_sha256_add(self, value->name, strlen(value->name));
    base_sha256_add(self, "=", 1);
    base_sha256_add(self, value->text, strlen(value->text));
    base_sha256_add(self, "\n", 1);
  }
}

void config_sha256(const config_t *config, char text[BaseSha256Text]) {
  base_sha256_t sha;
  base_sha256_begin(&sha);
  config_visit(config, hash_value, &sha);
  base_sha256_end(&sha, text);
}
