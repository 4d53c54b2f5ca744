// SPDX-License-Identifier: Apache-2.0
#include "room.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/spelling.h"
#include "csim/base/yaml_file.h"

static const char *const Folder = "tests/units";

typedef enum { KindMap, KindList, KindNumber, KindFigure, KindFlag, KindText, KindSet } kind_e;
static const char *const KindNames[] = {"keys",
                                        "a list",
                                        "a number",
                                        "a number",
                                        "true or false",
                                        "a word",
                                        "a number or a list of numbers"};

// The keys allowed in each place; "*" is any key.
static const struct {
  const char *path;
  kind_e kind;
} Keys[] = {
    {"", KindMap},
    {".prove", KindList},
    {".prove[]", KindMap},
    {".prove[].size", KindMap},
    {".prove[].size.*", KindNumber},
    {".prove[].short", KindFlag},
    {".prove[].full", KindFlag},
    {".prove[].shows", KindText},
    {".prove[].takes", KindFigure},
    {".prove[].symbolic", KindFlag},
    {".prove[].beyond", KindList},
    {".prove[].beyond[]", KindText},
    {".arrays", KindFlag},
    {".parts", KindList},
    {".parts[]", KindText},
    {".runs", KindList},
    {".runs[]", KindMap},
    {".runs[].set", KindText},
    {".runs[].knobs", KindMap},
    {".runs[].knobs.*", KindNumber},
    {".runs[].cycles", KindNumber},
    {".runs[].seeds", KindList},
    {".runs[].seeds[]", KindNumber},
    {".runs[].play", KindText},
    {".mutate", KindMap},
    {".mutate.gpus", KindNumber},
    {".mutate.set", KindText},
    {".mutate.runs", KindList},
    {".mutate.runs[]", KindMap},
    {".mutate.runs[].knobs", KindMap},
    {".mutate.runs[].knobs.*", KindNumber},
    {".mutate.runs[].cycles", KindNumber},
    {".mutate.runs[].seeds", KindList},
    {".mutate.runs[].seeds[]", KindNumber},
    {".fuzz", KindList},
    {".fuzz[]", KindMap},
    {".fuzz[].gpus", KindNumber},
    {".fuzz[].set", KindText},
    {".errors", KindMap},
    {".errors.gpus", KindNumber},
    {".errors.set", KindText},
    {".errors.knobs", KindMap},
    {".errors.knobs.*", KindNumber},
    {".errors.pairs", KindNumber},
    {".lint", KindList},
    {".lint[]", KindMap},
    {".lint[].tools", KindText},
    {".lint[].set", KindMap},
    {".lint[].set.*", KindSet},
    {".lint[].set.*[]", KindNumber},
    {".budget", KindMap},
    {".budget.*", KindList},
    {".budget.*[]", KindFigure},
};
enum { KeyCount = sizeof Keys / sizeof *Keys };

typedef struct {
  const yaml_file_t *file;
  text_t path;
} reader_t;

static json_t *convert(reader_t *r, const yaml_node_t *node, kind_e kind);

// The kind of what stands at the path so far and one more step, a key or "[]"; -1: nothing.
static int find_kind(reader_t *r, const char *step) {
  for (int any = 0; any < 2; any++) {
    const size_t length = r->path.length;
    text_put(&r->path, any && *step == '.' ? ".*" : step);
    for (size_t i = 0; i < KeyCount; i++) {
      if (strcmp(Keys[i].path, text_string(&r->path)) == 0) {
        return (int)Keys[i].kind;
      }
    }
    text_cut(&r->path, length);
  }
  return -1;
}

static json_t *convert_list(reader_t *r, const yaml_node_t *node) {
  json_t *list = json_array();
  const size_t length = r->path.length;
  for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top;
       i++) {
    const kind_e kind = (kind_e)find_kind(r, "[]");
    json_t *value = convert(r, yaml_file_node(r->file, *i), kind);
    if (!value || json_array_append_new(list, value) != 0) {
      json_decref(list);
      return NULL;
    }
    text_cut(&r->path, length);
  }
  return list;
}

static json_t *convert_map(reader_t *r, const yaml_node_t *node) {
  json_t *map = json_object();
  const size_t length = r->path.length;
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = yaml_file_node(r->file, p->key);
    const char *name = NULL;
    json_t *value = NULL;
    if (yaml_file_text(r->file, key, "key", &name)) {
      char *step = text_make(".%s", name);
      const int kind = step ? find_kind(r, step) : -1;
      free(step);
      if (kind < 0) {
        yaml_file_fail(r->file, key, "%s: no such key here (tb/harness/room.h)", name);
      } else {
        value = convert(r, yaml_file_node(r->file, p->value), (kind_e)kind);
      }
    }
    if (!value || json_object_set_new(map, name, value) != 0) {
      json_decref(map);
      return NULL;
    }
    text_cut(&r->path, length);
  }
  return map;
}

static json_t *convert_scalar(kind_e kind, const char *text) {
  char *end;
  const bool is_word = *text != '\0', is_digit = *text >= '0' && *text <= '9';
  switch (kind) {
    case KindFlag:
      return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ? json_boolean(*text == 't')
                                                                     : NULL;
    case KindText: return is_word ? json_string(text) : NULL;
    case KindFigure: {
      const double value = strtod(text, &end);
      return !is_digit || *end   ? NULL
             : strchr(text, '.') ? json_real(value)
                                 : json_integer((json_int_t)value);
    }
    default: {
      const long long value = strtoll(text, &end, 10);
      return !is_digit || *end ? NULL : json_integer(value);
    }
  }
}

static json_t *convert(reader_t *r, const yaml_node_t *node, kind_e kind) {
  json_t *value = NULL;
  if (kind == KindMap && node->type == YAML_MAPPING_NODE) {
    return convert_map(r, node);
  }
  if ((kind == KindList || kind == KindSet) && node->type == YAML_SEQUENCE_NODE) {
    return convert_list(r, node);
  }
  if (kind != KindMap && kind != KindList && node->type == YAML_SCALAR_NODE) {
    value = convert_scalar(kind, (const char *)node->data.scalar.value);
  }
  if (!value) {
    yaml_file_fail(r->file, node, "expected %s", KindNames[kind]);
  }
  return value;
}

json_t *room_read(const char *unit, err_t *err) {
  char *path = text_make("%s/%s/unit.yaml", Folder, unit);
  yaml_file_t file;
  json_t *room = NULL;
  if (!path) {
    err_memory(err, unit);
    return NULL;
  }
  if (yaml_file_load(&file, path, err)) {
    reader_t r = {.file = &file};
    room = convert(&r, yaml_document_get_root_node(&file.document), KindMap);
    text_free(&r.path);
  }
  yaml_file_free(&file);
  free(path);
  if (room && json_object_set_new(room, "unit", json_string(unit)) != 0) {
    json_decref(room);
    err_memory(err, unit);
    return NULL;
  }
  return room;
}

static int is_name(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static bool is_among(const char *unit, const char *const *units, size_t count) {
  size_t i = 0;
  while (i < count && strcmp(units[i], unit) != 0) {
    i++;
  }
  return i < count;
}

// folders: the units that there are, up to a NULL.
static bool check_named(const json_t *rooms, const char *section, const char *const *units,
                        size_t count, const char *const *folders, err_t *err) {
  for (size_t i = 0; i < count; i++) {
    size_t k;
    json_t *room;
    bool found = false;
    json_array_foreach(rooms, k, room) {
      found |= strcmp(json_string_value(json_object_get(room, "unit")), units[i]) == 0;
    }
    if (!found) {
      const char *nearest = spelling_nearest(units[i], folders);
      const bool is_near = nearest && strcmp(nearest, units[i]) != 0;
      return err_set(err, ErrInput, "%s: no %s/%s/unit.yaml%s%s%s%s", units[i], Folder, units[i],
                     section ? " with " : "", section ? section : "",
                     is_near ? ", expected perhaps " : "", is_near ? nearest : "");
    }
  }
  return true;
}

json_t *room_list(const char *section, const char *const *units, size_t count, err_t *err) {
  struct dirent **names = NULL;
  const int found = scandir(Folder, &names, is_name, alphasort);
  json_t *rooms = json_array();
  const char **folders = calloc((size_t)(found > 0 ? found : 0) + 1, sizeof *folders);
  bool ok = rooms && folders &&
            (found > 0 || err_set(err, ErrInput,
                                  "%s: no units there; the tree's root is "
                                  "expected as the working folder",
                                  Folder));
  for (int i = 0; i < found; i++) {
    const char *unit = names[i]->d_name;
    if (ok) {
      folders[i] = unit;
    }
    if (ok && (count == 0 || is_among(unit, units, count))) {
      json_t *room = room_read(unit, err);
      ok = room != NULL;
      if (ok && (!section || json_object_get(room, section))) {
        json_array_append(rooms, room);
      }
      json_decref(room);
    }
  }
  ok = ok && check_named(rooms, section, units, count, folders, err);
  for (int i = 0; i < found; i++) {
    free(names[i]);
  }
  free(names);
  free(folders);
  if (!ok) {
    json_decref(rooms);
    return NULL;
  }
  return rooms;
}

void room_size(const json_t *size, text_t *text) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)size, name, value) {
    text_format(text, "%s%s=%lld", text->length ? " " : "", name,
                (long long)json_integer_value(value));
  }
}
