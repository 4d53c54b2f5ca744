// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <string.h>

static bool ends(const row_t *row) { return !row->what; }

// The member of the dotted key's last part, in the object that holds it; objects on the way are
// made if `make` says so. Returns NULL if one is missing.
static json_t *holder(json_t *o, const char *key, bool make, const char **member) {
  const char *dot;
  for (; o && (dot = strchr(key, '.')); key = dot + 1) {
    const size_t length = (size_t)(dot - key);
    json_t *inner = json_object_getn(o, key, length);
    if (!inner && make) {
      json_object_setn_new(o, key, length, inner = json_object());
    }
    o = inner;
  }
  *member = key;
  return o;
}

static json_t *get(json_t *o, const char *key) {
  const char *member;
  o = holder(o, key, false, &member);
  return json_object_get(o, member);
}

static void put(json_t *o, const char *key, json_t *value) {
  const char *member;
  o = holder(o, key, true, &member);
  json_object_set_new(o, member, value);
}

// ---- One run

void rows_join(gpu_facts_t *sum, const gpu_facts_t *one) {
  for (const row_t *row = Rows; !ends(row); row++) {
    if (row->gpus == GpusOne) {
      continue;
    }
    void *to = (char *)sum + row->at;
    const void *from = (const char *)one + row->at;
    if (row->kind == RowReal) {
      double *a = to, b = *(const double *)from;
      *a = row->gpus == GpusSum ? *a + b : b > *a ? b : *a;
      continue;
    }
    uint64_t *a = to;
    const uint64_t *b = from;
    for (size_t i = 0; i < row->size / sizeof *a; i++) {
      a[i] = row->gpus == GpusSum ? a[i] + b[i] : b[i] > a[i] ? b[i] : a[i];
    }
  }
}

static json_t *value_of(const row_t *row, const facts_t *facts) {
  const void *at = (const char *)facts + row->at;
  const uint64_t *numbers = at;
  switch (row->kind) {
    case RowNumber: return json_integer((json_int_t)*numbers);
    case RowCount: return json_integer(*(const uint32_t *)at);
    case RowReal: return json_real(*(const double *)at);
    case RowTruth: return json_boolean(*(const bool *)at);
    case RowWord: return json_string(*(const char *const *)at);
    case RowText: return json_string(at);
    case RowMade: return row->make(facts);
    default: break;
  }
  json_t *list = json_array();
  size_t count = row->kind == RowClusters ? facts->clusters : row->size / sizeof *numbers;
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, json_integer((json_int_t)numbers[i]));
  }
  return list;
}

json_t *rows_json(const facts_t *facts) {
  json_t *o = json_object();
  for (const row_t *row = Rows; !ends(row); row++) {
    if (row->key && row->kind != RowWithin && row_holds(row, facts->run)) {
      put(o, row->key, value_of(row, facts));
    }
  }
  return o;
}

// ---- Several frames

// Adds numbers, and those of an object to those of another with the same keys.
static void add(json_t *sum, json_t *value) {
  const char *key;
  json_t *inner;
  if (json_is_integer(sum)) {
    json_integer_set(sum, json_integer_value(sum) + json_integer_value(value));
  } else if (json_is_real(sum)) {
    json_real_set(sum, json_real_value(sum) + json_real_value(value));
  }
  json_object_foreach(value, key, inner) { add(json_object_get(sum, key), inner); }
}

json_t *rows_whole(json_t *frame) {
  json_t *whole = json_object();
  for (const row_t *row = Rows; !ends(row); row++) {
    json_t *value = row->key && row->kind != RowWithin ? get(frame, row->key) : NULL;
    if (value && row->frames != FramesNone) {
      if (strncmp(row->key, "energy.", 7) == 0 && !get(whole, "traffic")) {
        put(whole, "traffic", json_object());  // stands before energy here, and after it in a frame
      }
      if (strncmp(row->key, "engine.", 7) == 0 && !get(whole, "frames")) {
        put(whole, "frames", json_array());
      }
      put(whole, row->key, json_deep_copy(value));
    }
  }
  return whole;
}

void rows_add(json_t *whole, json_t *frame) {
  for (const row_t *row = Rows; !ends(row); row++) {
    json_t *sum = row->key ? get(whole, row->key) : NULL;
    json_t *value = row->key ? get(frame, row->key) : NULL;
    if (row->frames == FramesSum && row->kind != RowWithin) {
      add(sum, value);
    } else if (row->frames == FramesMax && json_integer_value(value) > json_integer_value(sum)) {
      json_integer_set(sum, json_integer_value(value));
    } else if (row->frames == FramesLast && value) {
      put(whole, row->key, json_deep_copy(value));
    }
  }
}

void rows_strip(json_t *frame) {
  for (const row_t *row = Rows; !ends(row); row++) {
    if (row->once) {
      char top[32];
      snprintf(top, sizeof top, "%.*s", (int)strcspn(row->key, "."), row->key);
      json_object_del(frame, top);
    }
  }
}

// ---- The list of all keys

void rows_list(bool csv, FILE *file) {
  static const char *const OverGpus[] = {"-", "sum", "largest"};
  static const char *const OverFrames[] = {"-", "same", "sum", "largest", "last", "again"};
  const char *format = csv ? "%s,%s,%s,%s,\"%s\",\"%s\"\n" : "%-42s %-12s %-8s %-8s %-32s %s\n";
  fprintf(file, format, "key", "unit", "GPUs", "frames", "present", "meaning");
  for (const row_t *row = Rows; !ends(row); row++) {
    if (row->key) {
      fprintf(file, format, row->key, row->unit[0] ? row->unit : "-", OverGpus[row->gpus],
              OverFrames[row->frames], row_presence(row), row->what);
    }
  }
}
