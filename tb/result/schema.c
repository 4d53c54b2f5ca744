// SPDX-License-Identifier: Apache-2.0
#include "schema.h"

#include <ctype.h>
#include <string.h>

#include "rows.h"

// Returns the member of an object, which is made where it is missing.
static json_t *member(json_t *object, const char *name) {
  json_t *found = json_object_get(object, name);
  if (!found) {
    found = json_object();
    json_object_set_new(object, name, found);
  }
  return found;
}

// Adds a name to the names that an object must have.
static void need(json_t *schema, const char *name) {
  json_t *required = json_object_get(schema, "required"), *known;
  size_t i;
  if (!required) {
    required = json_array();
    json_object_set_new(schema, "required", required);
  }
  json_array_foreach(required, i, known) {
    if (strcmp(json_string_value(known), name) == 0) {
      return;
    }
  }
  json_array_append_new(required, json_string(name));
}

// Returns the schema of a row's value. A capital word stands for any name, or any place of an
// array.
static json_t *schema_at(json_t *schema, const char *key, bool is_needed) {
  char part[128];
  for (const char *from = key; *from; from += strspn(from, ".")) {
    const size_t length = strcspn(from, ".");
    snprintf(part, sizeof part, "%.*s", (int)length, from);
    from += length;
    if (isupper((unsigned char)part[0])) {
      json_object_del(schema, "type");
      json_t *any = member(schema, "items");
      json_object_set(schema, "additionalProperties", any);
      schema = any;
      continue;
    }
    if (!json_object_get(schema, "items")) {
      json_object_set_new(schema, "type", json_string("object"));
      json_object_set_new(schema, "additionalProperties", json_false());
    }
    if (is_needed) {
      need(schema, part);
    }
    schema = member(member(schema, "properties"), part);
  }
  return schema;
}

static void put_type(json_t *schema, row_kind_e kind) {
  static const char *const Types[] = {
      [RowNumber] = "integer", [RowCount] = "integer", [RowReal] = "number",
      [RowTruth] = "boolean",  [RowWord] = "string",   [RowText] = "string",
      [RowList] = "array",     [RowClusters] = "array"};
  if (kind < sizeof Types / sizeof *Types) {
    json_object_set_new(schema, "type", json_string(Types[kind]));
  }
  if (kind == RowNumber || kind == RowCount) {
    json_object_set_new(schema, "minimum", json_integer(0));
  } else if (kind == RowList || kind == RowClusters) {
    json_object_set_new(schema, "items", json_pack("{s:s, s:i}", "type", "integer", "minimum", 0));
  }
}

json_t *schema_of_rows(void) {
  json_t *root = json_pack("{s:s, s:s}", "$schema", "http://json-schema.org/draft-07/schema#",
                           "title", "the result of nocturne run --json");
  for (const row_t *row = Rows; row->what; row++) {
    if (row->key) {
      // A sequence has what is of all its frames, and each frame by itself in `frames`.
      const bool is_needed = row->when == RowAlways && row->frames != FramesNone &&
                             row->kind != RowMade && row->kind != RowWithin;
      json_t *schema = schema_at(root, row->key, is_needed);
      json_object_set_new(schema, "description", json_string(row->what));
      put_type(schema, row->kind);
    }
  }
  json_object_set_new(member(root, "properties"), "frames",
                      json_pack("{s:s, s:{s:s}}", "type", "array", "items", "type", "object"));
  return root;
}
