// SPDX-License-Identifier: Apache-2.0
#include "sequence.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "lockstep.h"
#include "units.h"

enum { MaxRows = 96, MaxCycles = 512, MaxRepeat = 100000 };

struct sequence {
  json_t *root;
  char *path;
};

// One drawn row, resolved against the unit's tables.
typedef enum { RowInput, RowOutput, RowState, RowReset } row_e;
typedef struct {
  row_e kind;
  const char *name;
  const unit_field_t *field;
  uint32_t element;
  int32_t bit;  // of a scalar field, or -1
  uint16_t length;
  bool is_given[MaxCycles];
  uint64_t value[MaxCycles];
} row_t;

typedef struct {
  const sequence_t *sequence;
  const unit_info_t *info;
  const uint32_t *dims;  // of the instance
  err_t *err;
  row_t *rows;
  uint32_t row_count, cycles;
} player_t;

static bool wrong(const player_t *p, const char *where, const char *what, const char *expected) {
  char *shown = strdup(where);
  for (char *c = shown; c && *c; c++) {  // a name may hold line ends
    *c = (unsigned char)*c < ' ' ? '?' : *c;
  }
  err_set(p->err, ErrInput, "%s: %s: %s, expected %s", p->sequence->path, shown ? shown : "", what,
          expected);
  free(shown);
  return false;
}

sequence_t *sequence_load(const char *path, err_t *err) {
  sequence_t *s = calloc(1, sizeof *s);
  err_set(err, ErrMachine, "out of memory");
  if (!s) {
    return NULL;
  }
  s->path = strdup(path);
  if (!s->path) {
    free(s);
    return NULL;
  }
  s->root = json_file_load(path, err);
  if (s->root && (!json_is_string(json_object_get(s->root, "unit")) ||
                  !json_is_array(json_object_get(s->root, "signal")))) {
    err_set(err, ErrInput, "%s: expected an object with \"unit\" and \"signal\"", s->path);
    json_decref(s->root);
    s->root = NULL;
  }
  if (!s->root) {
    sequence_free(s);
    return NULL;
  }
  return s;
}

void sequence_free(sequence_t *s) {
  if (s) {
    json_decref(s->root);
    free(s->path);
    free(s);
  }
}

// ---- Values ----

// A number, a boolean, or a text such as "0x1f"; JSON's own numbers end at 63 bits.
static bool number_of(const json_t *j, uint64_t *value) {
  char *end;
  if (json_is_integer(j) && json_integer_value(j) >= 0) {
    *value = (uint64_t)json_integer_value(j);
  } else if (json_is_boolean(j)) {
    *value = json_is_true(j);
  } else if (json_is_string(j) && json_string_length(j) > 0) {
    *value = strtoull(json_string_value(j), &end, 0);
    return *end == '\0' && json_string_value(j)[0] != '-';
  } else {
    return false;
  }
  return true;
}

static void store(void *base, const unit_field_t *f, uint32_t element, int32_t bit,
                  uint64_t value) {
  uint64_t all = 0;
  uint8_t *at = (uint8_t *)base + f->offset + (size_t)element * f->size;
  memcpy(&all, at, f->size);
  if (bit >= 0) {
    all = (all & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
  } else {
    all = value;
  }
  memcpy(at, &all, f->size);
}

// Returns true if an input has so many bits; wider ones only the golden model would see.
static bool fits(const player_t *p, const row_t *row, uint64_t value) {
  uint32_t bits = row->bit >= 0 ? 1 : unit_dim(p->dims, row->field->bits);
  return row->kind != RowInput || bits >= 64 || value >> bits == 0;
}

static uint64_t fetch(const void *base, const unit_field_t *f, uint32_t element, int32_t bit) {
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)base + f->offset + (size_t)element * f->size, f->size);
  return bit >= 0 ? value >> bit & 1 : value;
}

// A field's name as a port: "beat_in.pieces.mask" is beat_in_mask.
static bool is_named(const char *field, const char *port, size_t length) {
  size_t at = 0;
  for (const char *c = field; *c; c++) {
    if (strncmp(c, ".pieces.", 8) == 0) {
      c += 7;
    }
    if (at == length || port[at++] != (*c == '.' ? '_' : *c)) {
      return false;
    }
  }
  return at == length;
}

static const unit_field_t *field_of(const unit_field_t *fields, const char *port, size_t length) {
  for (const unit_field_t *f = fields; f && f->name; f++) {
    if (is_named(f->name, port, length)) {
      return f;
    }
  }
  return NULL;
}

// "name", "name_i", "name_o[3]": the index chooses an element, or a bit of a scalar.
static bool resolve(const player_t *p, const char *text, row_t *row) {
  size_t length = strcspn(text, "[");
  const char *index = text[length] ? text + length + 1 : NULL;
  bool is_in = length > 2 && strncmp(text + length - 2, "_i", 2) == 0;
  bool is_out = length > 2 && strncmp(text + length - 2, "_o", 2) == 0;
  length -= is_in || is_out ? 2 : 0;
  row->kind = RowInput;
  row->field = is_out ? NULL : field_of(p->info->in, text, length);
  if (!row->field && !is_in) {
    row->kind = RowOutput;
    row->field = field_of(p->info->out, text, length);
  }
  if (!row->field && !is_in) {
    row->kind = RowState;
    row->field = field_of(p->info->state, text, length);
  }
  row->element = 0;
  row->bit = -1;
  if (!row->field) {
    return wrong(p, text, "no such port", "a port of the unit");
  }
  if (index) {
    char *end;
    unsigned long i = strtoul(index, &end, 10);
    const uint32_t most = row->field->count > 1 ? row->field->elements : row->field->bits;
    if (strcmp(end, "]") != 0 || i >= unit_dim(p->dims, most)) {
      return wrong(p, text, "a wrong index", "[N] within the port's width");
    }
    if (row->field->count > 1) {
      row->element = (uint32_t)i;
    } else {
      row->bit = (int32_t)i;
    }
  } else if (row->field->count > 1) {
    return wrong(p, text, "no index", "NAME[N]");
  }
  return true;
}

// ---- Rows ----

// Reads the letters of a wave; = and 2 to 9 take the next of the labels.
static bool read_wave(player_t *p, row_t *row, const char *wave, const json_t *labels) {
  size_t label = 0;
  for (uint32_t c = 0; c < row->length; c++) {
    if (wave[c] == '.') {
      if (c > 0) {
        row->is_given[c] = row->is_given[c - 1];
        row->value[c] = row->value[c - 1];
      }
    } else if (wave[c] == '0' || wave[c] == '1') {
      row->is_given[c] = true;
      row->value[c] = (uint64_t)(wave[c] - '0');
    } else if (strchr("=23456789", wave[c])) {
      row->is_given[c] = true;
      if (!number_of(json_array_get(labels, label++), &row->value[c])) {
        return wrong(p, row->name, "a value is no number or missing", "a number in data or values");
      }
      if (!fits(p, row, row->value[c])) {
        return wrong(p, row->name, "a value is wider than the port", "one of its bits");
      }
    } else if (wave[c] != 'x') {
      return wrong(p, row->name, "an unknown letter in the wave", "0 1 = 2 to 9 x . or a clock");
    }
  }
  return true;
}

static bool read_row(player_t *p, const json_t *j) {
  const char *name = json_string_value(json_object_get(j, "name"));
  const char *wave = json_string_value(json_object_get(j, "wave"));
  if (!name || !wave || strchr("pPnN", wave[0])) {
    return true;  // a gap between rows, or the clock
  }
  if (p->cycles > 0 && strlen(wave) != p->cycles) {
    return wrong(p, name, "another length than the row before", "rows of one length");
  }
  const char *port = json_string_value(json_object_get(j, "field"));
  row_t *row = &p->rows[p->row_count];
  if (p->row_count == MaxRows || strlen(wave) > MaxCycles) {
    return wrong(p, name, "too many rows or cycles", "at most 96 and 512");
  }
  p->row_count++;
  row->name = name;
  row->length = (uint16_t)strlen(wave);
  p->cycles = row->length;
  if (strcmp(name, "rst_ni") == 0) {
    row->kind = RowReset;
  } else if (!resolve(p, port ? port : name, row)) {
    return false;
  }
  const json_t *labels = json_object_get(j, "values");
  return read_wave(p, row, wave, labels ? labels : json_object_get(j, "data"));
}

static bool read_rows(player_t *p, const json_t *list) {
  size_t i;
  json_t *j;
  json_array_foreach(list, i, j) {
    if (json_is_array(j) ? !read_rows(p, j) : json_is_object(j) && !read_row(p, j)) {
      return false;
    }
  }
  return true;
}

static bool apply(const player_t *p, json_t *object, void *in) {
  const char *key;
  json_t *j;
  row_t row;
  json_object_foreach(object, key, j) {
    uint64_t value;
    if (strcmp(key, "repeat") == 0) {
      continue;
    }
    if (!resolve(p, key, &row)) {
      return false;
    }
    if (row.kind != RowInput || !number_of(j, &value)) {
      return wrong(p, key, "not an input with a number", "PORT: number");
    }
    if (!fits(p, &row, value)) {
      return wrong(p, key, "a value is wider than the port", "one of its bits");
    }
    store(in, row.field, row.element, row.bit, value);
  }
  return true;
}

static bool make_unit(player_t *p, harness_t *h, lockstep_t **unit) {
  const char *name = json_string_value(json_object_get(p->sequence->root, "unit"));
  json_t *given = json_object_get(p->sequence->root, "params"), *j;
  uint32_t count = 0;
  while (harness_unit(h, count)) {
    count++;
  }
  const unit_model_t *model = unit_find(name);
  if (model) {
    unit_params_t params;
    memcpy(&params, model->info->defaults, model->info->params_size);
    const char *key;
    json_object_foreach(given, key, j) {
      const unit_param_t *param = model->info->params;
      uint64_t value;
      while (param->name && strcmp(param->name, key) != 0) {
        param++;
      }
      if (!param->name || !number_of(j, &value)) {
        return wrong(p, key, "no such parameter, or no number", "a parameter of the unit");
      }
      if (param->size < sizeof value && value >> 8 * param->size != 0) {
        return wrong(p, key, "beyond its range", "a smaller number");
      }
      memcpy((uint8_t *)&params + param->offset, &value, param->size);
    }
    if (!harness_unit_create(h, model->info, &params, 0, NULL, p->err)) {
      return false;
    }
    *unit = harness_unit(h, count);
    p->info = (*unit)->unit.info;
    p->dims = (*unit)->unit.dims;
    return true;
  }
  return wrong(p, name, "no such unit", "a unit that plays sequences");
}

static void check_cycle(player_t *p, uint32_t c, const void *out, const void *state,
                        sequence_result_t *r) {
  for (uint32_t i = 0; i < p->row_count; i++) {
    const row_t *row = &p->rows[i];
    if (row->kind == RowInput || row->kind == RowReset || c >= row->length || !row->is_given[c]) {
      continue;
    }
    uint64_t got = fetch(row->kind == RowOutput ? out : state, row->field, row->element, row->bit);
    r->checked++;
    if (got != row->value[c]) {
      size_t used = strlen(r->text);
      r->differing++;
      snprintf(r->text + used, sizeof r->text - used,
               "  cycle %" PRIu32 ", %s: drawn 0x%" PRIx64 ", the unit shows 0x%" PRIx64 "\n", c,
               row->name, row->value[c], got);
    }
  }
}

// Resets, plays "before", then the drawn cycles. False: a wrong file.
static bool play(player_t *p, lockstep_t *unit, uint8_t *in, uint8_t *out, void *state,
                 uint64_t *clock, sequence_result_t *r) {
  const unit_info_t *info = p->info;
  size_t i;
  json_t *step, *given = json_object_get(p->sequence->root, "given");
  lockstep_reset(unit, out);
  json_array_foreach(json_object_get(p->sequence->root, "before"), i, step) {
    memset(in, 0, info->in_size);
    if (!apply(p, given, in) || !apply(p, step, in)) {
      return false;
    }
    json_int_t times = json_integer_value(json_object_get(step, "repeat"));
    if (times < 0 || times > MaxRepeat) {
      return wrong(p, "repeat", "beyond its range", "at most 100000 steps");
    }
    for (times = times ? times : 1; times > 0; times--, (*clock)++) {
      if (lockstep_step(unit, in, out) != UnitOk) {
        return true;
      }
    }
  }
  for (uint32_t c = 0; c < p->cycles; c++, (*clock)++, r->cycles++) {
    bool is_reset = false;
    memset(in, 0, info->in_size);
    if (!apply(p, given, in)) {
      return false;
    }
    if (info->observe) {
      lockstep_observe(unit, state);
    }
    check_cycle(p, c, out, state, r);
    for (uint32_t k = 0; k < p->row_count; k++) {
      const row_t *row = &p->rows[k];
      if (c >= row->length || !row->is_given[c]) {
        continue;
      }
      if (row->kind == RowReset) {
        is_reset = row->value[c] == 0;
      } else if (row->kind == RowInput) {
        store(in, row->field, row->element, row->bit, row->value[c]);
      }
    }
    if (is_reset) {
      lockstep_reset(unit, out);
    } else if (lockstep_step(unit, in, out) != UnitOk) {
      return true;
    }
  }
  return true;
}

bool sequence_play(const sequence_t *s, harness_t *h, uint64_t *clock, sequence_result_t *result,
                   err_t *err) {
  player_t p = {.sequence = s, .err = err};
  lockstep_t *unit = NULL;
  memset(result, 0, sizeof *result);
  result->unit = json_string_value(json_object_get(s->root, "unit"));
  if (!make_unit(&p, h, &unit)) {
    return false;
  }
  p.rows = calloc(MaxRows, sizeof *p.rows);
  uint8_t *in = calloc(1, p.info->in_size), *out = calloc(1, p.info->out_size);
  void *state = calloc(1, p.info->state_size ? p.info->state_size : 1);
  bool ok = p.rows && in && out && state;
  err_set(err, ErrMachine, "out of memory");
  ok = ok && read_rows(&p, json_object_get(s->root, "signal")) &&
       read_rows(&p, json_object_get(s->root, "hidden")) &&
       play(&p, unit, in, out, state, clock, result);
  if (ok && result->checked == 0 && !harness_failure(h)) {
    ok = wrong(&p, "signal", "no output is drawn", "at least one");
  }
  free(p.rows);
  free(in);
  free(out);
  free(state);
  return ok;
}
