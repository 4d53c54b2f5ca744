// SPDX-License-Identifier: Apache-2.0
#include "liberty.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "liberty_function.h"
#include "liberty_text.h"

enum { MaxGroups = 64 };

typedef struct {
  double sum;
  uint32_t count;
} mean_t;

typedef enum {
  InOther,
  InLibrary,
  InConditions,
  InCell,
  InPin,
  InPower,
  InTable,
  InRegister,
  InLeakage,
  InTiming
} group_e;

typedef struct {
  liberty_text_t t;
  liberty_t *l;
  liberty_cell_t *cell;
  uint32_t first_pin, end_pin;     // of the pin group under way
  mean_t energy[LibertyMaxPins];   // of the cell's pins
  const char *state, *complement;  // of its register
  const char *next_state, *clocked_on;
  const char *clear, *preset;
  bool has_more_clocks;
  bool has_leakage;
  mean_t leakage;
  const char *conditions;                 // default_operating_conditions
  double capacitance_unit, leakage_unit;  // pF, nW
  int depth;
  const char *delay_model;
  size_t cell_room;
} reader_t;

// ---- meaning --------------------------------------------------------------------------

static bool is(const liberty_statement_t *s, const char *name) {
  return strcmp(s->name, name) == 0;
}

static bool is_true(const char *text) { return strcmp(text, "true") == 0; }

// "1ns", "100ps", "1nW": the number times the prefix, in units of the base.
static double unit(const char *text, double usual) {
  static const struct {
    char prefix;
    double value;
  } Prefixes[] = {{'f', 1e-15}, {'p', 1e-12}, {'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}};
  char *end;
  double number = strtod(text, &end);
  for (size_t i = 0; end != text && i < sizeof Prefixes / sizeof *Prefixes; i++) {
    if (*end == Prefixes[i].prefix) {
      return number * Prefixes[i].value;
    }
  }
  return usual;
}

static void library_attribute(reader_t *r, const liberty_statement_t *s) {
  liberty_t *l = r->l;
  if (is(s, "nom_voltage")) {
    l->voltage = strtod(s->value, NULL);
  } else if (is(s, "nom_process")) {
    l->process = strtod(s->value, NULL);
  } else if (is(s, "nom_temperature")) {
    l->temperature = strtod(s->value, NULL);
  } else if (is(s, "default_operating_conditions")) {
    r->conditions = s->value;
  } else if (is(s, "delay_model")) {
    r->delay_model = s->value;
  } else if (is(s, "time_unit")) {
    l->time_unit = unit(s->value, 1e-9) * 1e9;
  } else if (is(s, "leakage_power_unit")) {
    r->leakage_unit = unit(s->value, 1e-9) * 1e9;
  } else if (is(s, "capacitive_load_unit") && s->argument_count == 2) {
    bool femto = tolower((unsigned char)s->arguments[1][0]) == 'f';
    r->capacitance_unit = strtod(s->arguments[0], NULL) * (femto ? 1e-3 : 1);
  }
}

static void cell_attribute(reader_t *r, const liberty_statement_t *s) {
  liberty_cell_t *c = r->cell;
  if (is(s, "area")) {
    c->area = strtod(s->value, NULL);
  } else if (is(s, "cell_leakage_power")) {
    c->leakage = strtod(s->value, NULL) * r->leakage_unit;
    r->has_leakage = true;
  } else if (is(s, "dont_use")) {
    c->is_avoided = is_true(s->value);
  } else if (is(s, "clock_gating_integrated_cell") || is(s, "is_macro_cell") || is(s, "pad_cell")) {
    c->is_other = true;
  }
}

static void pin_attribute(reader_t *r, const liberty_statement_t *s) {
  for (uint32_t p = r->first_pin; p < r->end_pin; p++) {
    liberty_pin_t *pin = &r->cell->pins[p];
    if (is(s, "direction")) {
      pin->is_output = strcmp(s->value, "output") == 0;
      if (!pin->is_output && strcmp(s->value, "input") != 0) {
        r->cell->is_other = true;
      }
    } else if (is(s, "capacitance")) {
      pin->capacitance = strtod(s->value, NULL) * r->capacitance_unit;
    } else if (is(s, "max_capacitance")) {
      pin->most_load = strtod(s->value, NULL) * r->capacitance_unit;
    } else if (is(s, "function")) {
      pin->function = strings_put(&r->l->names, s->value);
    } else if (is(s, "three_state")) {
      r->cell->is_other = true;
    }
  }
}

// Second column of the second row, or of the only one.
static void energy_values(reader_t *r, const liberty_statement_t *s) {
  double first, second;
  const char *row = s->arguments[s->argument_count > 1 ? 1 : 0];
  if (!is(s, "values") || !s->argument_count) {
    return;
  }
  char *end;
  first = strtod(row, &end);
  if (end == row) {
    return;
  }
  row = end + strspn(end, ", \t");
  second = strtod(row, &end);
  double value = end == row ? first : second;
  double unit = r->capacitance_unit;  // times square volts: pJ
  for (uint32_t p = r->first_pin; p < r->end_pin; p++) {
    r->energy[p].sum += value * unit;
    r->energy[p].count++;
  }
}

static void attribute(reader_t *r, group_e in, const liberty_statement_t *s) {
  switch (in) {
    case InLibrary: library_attribute(r, s); return;
    case InConditions:
      if (is(s, "voltage")) {
        r->l->voltage = strtod(s->value, NULL);
      } else if (is(s, "process")) {
        r->l->process = strtod(s->value, NULL);
      } else if (is(s, "temperature")) {
        r->l->temperature = strtod(s->value, NULL);
      }
      return;
    case InCell: cell_attribute(r, s); return;
    case InPin: pin_attribute(r, s); return;
    case InTable: energy_values(r, s); return;
    case InLeakage:
      if (is(s, "value")) {
        r->leakage.sum += strtod(s->value, NULL) * r->leakage_unit;
        r->leakage.count++;
      }
      return;
    case InRegister:
      if (is(s, "next_state")) {
        r->next_state = s->value;
      } else if (is(s, "clocked_on")) {
        r->clocked_on = s->value;
      } else if (is(s, "clear")) {
        r->clear = s->value;
      } else if (is(s, "preset")) {
        r->preset = s->value;
      } else if (is(s, "clocked_on_also")) {
        r->has_more_clocks = true;
      }
      return;
    default: return;
  }
}

static bool begin_cell(reader_t *r, const liberty_statement_t *s) {
  liberty_t *l = r->l;
  if (l->cell_count == r->cell_room) {
    r->cell_room = 2 * r->cell_room + 64;
    liberty_cell_t *grown = realloc(l->cells, r->cell_room * sizeof *grown);
    if (!grown) {
      return err_memory(r->t.err, r->t.path);
    }
    l->cells = grown;
  }
  r->cell = &l->cells[l->cell_count];
  *r->cell = (liberty_cell_t){.pins = calloc(LibertyMaxPins, sizeof *r->cell->pins)};
  l->cell_count++;
  r->cell->name = strings_put(&r->l->names, s->arguments[0]);
  memset(r->energy, 0, sizeof r->energy);
  r->state = r->complement = r->next_state = r->clocked_on = r->clear = r->preset = "";
  r->has_more_clocks = r->has_leakage = false;
  r->leakage = (mean_t){0};
  return r->cell->pins || err_memory(r->t.err, r->t.path);
}

static void begin_pin(reader_t *r, const liberty_statement_t *s) {
  r->first_pin = r->end_pin = r->cell->pin_count;
  for (int a = 0; a < s->argument_count; a++) {
    if (r->cell->pin_count == LibertyMaxPins) {
      r->cell->is_other = true;  // a macro
      return;
    }
    r->cell->pins[r->cell->pin_count++] =
        (liberty_pin_t){.name = strings_put(&r->l->names, s->arguments[a]), .function = ""};
    r->end_pin = r->cell->pin_count;
  }
}

// Returns the kind of group that s begins within `in`.
static group_e kind_of(reader_t *r, group_e in, const liberty_statement_t *s) {
  if (in == InOther && r->depth == 1 && is(s, "library")) {
    r->l->name = strings_put(&r->l->names, s->arguments[0]);
    return InLibrary;
  }
  if (in == InLibrary && is(s, "cell")) {
    return InCell;
  }
  if (in == InLibrary && is(s, "operating_conditions") &&
      (!r->l->corner[0] || strcmp(s->arguments[0], r->conditions) == 0)) {
    r->l->corner = strings_put(&r->l->names, s->arguments[0]);
    return InConditions;
  }
  if (in == InCell && is(s, "pin")) {
    return InPin;
  }
  if (in == InCell && is(s, "ff")) {
    r->state = s->arguments[0];
    r->complement = s->arguments[1];
    return InRegister;
  }
  if (in == InCell && is(s, "leakage_power")) {
    return InLeakage;
  }
  if (in == InCell && !is(s, "pg_pin")) {
    static const char *const Others[] = {"latch", "latch_bank", "ff_bank",   "statetable",
                                         "bus",   "bundle",     "test_cell", "memory"};
    for (size_t i = 0; i < sizeof Others / sizeof *Others; i++) {
      r->cell->is_other = r->cell->is_other || is(s, Others[i]);
    }
  }
  if (in == InPin && is(s, "internal_power")) {
    return InPower;
  }
  if (in == InPin && is(s, "timing")) {
    return InTiming;
  }
  if (in == InTiming && is(s, "cell_rise")) {
    r->cell->has_timing = true;
  }
  return in == InPower ? InTable : InOther;
}

// ---- cells ----------------------------------------------------------------------------

static bool find_pin(const liberty_cell_t *cell, const char *name, uint32_t *number) {
  for (*number = 0; *number < cell->pin_count; ++*number) {
    if (strcmp(cell->pins[*number].name, name) == 0) {
      return !cell->pins[*number].is_output;
    }
  }
  return false;
}

// Returns the name in "D", "(D)", "!D", "(!D)" or "D'"; each complement turns *inverts over.
static const char *plain_pin(reader_t *r, const char *text, bool *inverts) {
  text_t name = {0};
  for (const char *p = text; *p; p++) {
    if (*p == '!' || *p == '\'') {
      *inverts = !*inverts;
    } else if (!strchr("() \t", *p)) {
      text_char(&name, *p);
    }
  }
  const char *out = strings_put(&r->t.words, text_string(&name));
  text_free(&name);
  return out;
}

static bool one_pin(reader_t *r, const char *text, uint32_t *pin, bool *inverts) {
  *inverts = false;
  return find_pin(r->cell, plain_pin(r, text, inverts), pin);
}

// Returns true for an output that is the register's state or its complement.
static bool output_of_state(reader_t *r, liberty_pin_t *pin) {
  const char *name = plain_pin(r, pin->function, &pin->inverts);
  if (r->complement[0] && strcmp(name, r->complement) == 0) {
    pin->inverts = !pin->inverts;
    return true;
  }
  return strcmp(name, r->state) == 0;
}

static double mean(const mean_t *m) { return m->count ? m->sum / m->count : 0; }

// Ties the pin of clear or preset, "" without one. False: it is none, or the clock or the data, or
// tied otherwise.
static bool tie_pin(reader_t *r, const char *expression) {
  liberty_cell_t *c = r->cell;
  uint32_t pin;
  bool is_low;
  if (!expression[0]) {
    return true;
  }
  if (!one_pin(r, expression, &pin, &is_low) || pin == c->clock || pin == c->data ||
      (c->pins[pin].is_tied && c->pins[pin].tie != is_low)) {
    return false;
  }
  c->pins[pin].is_tied = true;
  c->pins[pin].tie = is_low;
  return true;
}

static void end_register(reader_t *r) {
  liberty_cell_t *c = r->cell;
  bool falls = false;
  c->is_register = !r->has_more_clocks && one_pin(r, r->clocked_on, &c->clock, &falls) && !falls &&
                   one_pin(r, r->next_state, &c->data, &c->data_inverts) && c->clock != c->data &&
                   tie_pin(r, r->clear) && tie_pin(r, r->preset);
  uint32_t inputs = 0;
  for (uint32_t p = 0; p < c->pin_count; p++) {
    inputs += !c->pins[p].is_output && !c->pins[p].is_tied;
    if (c->pins[p].is_output) {
      c->is_register = output_of_state(r, &c->pins[p]) && c->is_register;
    }
  }
  c->is_register = c->is_register && inputs == 2 && !c->is_other;
  c->is_other = !c->is_register;
  if (c->is_register) {
    c->clock_energy = mean(&r->energy[c->clock]);
    c->data_energy = mean(&r->energy[c->data]);
  }
}

static void end_cell(reader_t *r) {
  liberty_cell_t *c = r->cell;
  mean_t outputs = {0};
  for (uint32_t p = 0; p < c->pin_count; p++) {
    liberty_pin_t *pin = &c->pins[p];
    if (pin->is_output) {
      outputs.sum += r->energy[p].sum;
      outputs.count += r->energy[p].count;
    }
  }
  if (r->state[0]) {
    end_register(r);
  }
  for (uint32_t p = 0; p < c->pin_count; p++) {
    liberty_pin_t *pin = &c->pins[p];
    if (pin->is_output && !c->is_register && !c->is_other && pin->function[0]) {
      pin->has_table = liberty_function_table(pin->function, c, &pin->table);
    }
  }
  c->energy = mean(&outputs);
  if (!r->has_leakage) {
    c->leakage = mean(&r->leakage);
  }
  liberty_pin_t *pins = realloc(c->pins, (c->pin_count + 1) * sizeof *pins);
  c->pins = pins ? pins : c->pins;
}

// ---- file -----------------------------------------------------------------------------

static bool read_group(reader_t *r, group_e in, const liberty_statement_t *begin);

static bool begin_group(reader_t *r, group_e in, const liberty_statement_t *s) {
  if (++r->depth == MaxGroups) {
    return liberty_text_fail(&r->t, s->place, "%s: groups within groups, expected at most %d",
                             s->name, MaxGroups);
  }
  group_e kind = kind_of(r, in, s);
  if (in == InLibrary && kind == InCell && (s->argument_count != 1 || !s->arguments[0][0])) {
    return liberty_text_fail(&r->t, s->place, "cell: expected one name in ()");
  }
  if (kind == InCell && !begin_cell(r, s)) {
    return false;
  }
  if (kind == InPin) {
    begin_pin(r, s);
  }
  if (!read_group(r, kind, s)) {
    return false;
  }
  if (kind == InCell) {
    end_cell(r);
    r->cell = NULL;
  }
  r->depth--;
  return true;
}

static bool read_statement(reader_t *r, group_e in) {
  liberty_statement_t s;
  if (!liberty_text_statement(&r->t, &s)) {
    return false;
  }
  if (s.is_group) {
    return begin_group(r, in, &s);
  }
  attribute(r, in, &s);
  return true;
}

static bool read_group(reader_t *r, group_e in, const liberty_statement_t *begin) {
  for (;;) {
    if (!liberty_text_skip(&r->t)) {
      return false;
    }
    if (!*r->t.at) {
      return liberty_text_fail(&r->t, begin->place, "%s (%s): a { without an end, expected }",
                               begin->name, begin->arguments[0]);
    }
    if (*r->t.at == '}') {
      r->t.at++;
      return true;
    }
    if (*r->t.at == ';') {
      r->t.at++;
    } else if (!read_statement(r, in)) {
      return false;
    }
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(liberty_cell_t *const *)a)->name, (*(liberty_cell_t *const *)b)->name);
}

static bool sort_names(liberty_t *l) {
  l->by_name = calloc(l->cell_count, sizeof *l->by_name);
  for (uint32_t c = 0; l->by_name && c < l->cell_count; c++) {
    l->by_name[c] = &l->cells[c];
  }
  if (l->by_name) {
    qsort(l->by_name, l->cell_count, sizeof *l->by_name, by_name);
  }
  return l->by_name != NULL;
}

static bool is_tied(const liberty_cell_t *cell) {
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    if (cell->pins[p].is_tied) {
      return true;
    }
  }
  return false;
}

// Leaves registers with set or reset alone where there is a plain one, onto which Yosys maps.
static void prefer_plain_registers(liberty_t *l) {
  bool has_plain = false;
  for (uint32_t c = 0; c < l->cell_count; c++) {
    const liberty_cell_t *cell = &l->cells[c];
    has_plain =
        has_plain || (cell->is_register && !is_tied(cell) && !cell->is_avoided && cell->has_timing);
  }
  for (uint32_t c = 0; has_plain && c < l->cell_count; c++) {
    if (is_tied(&l->cells[c])) {
      l->cells[c].is_register = false;
      l->cells[c].is_other = true;
    }
  }
}

static bool read_all(reader_t *r) {
  liberty_text_t *t = &r->t;
  bool ok = liberty_text_skip(t);
  if (ok && !*t->at) {
    return liberty_text_fail(t, t->at, "an empty file, expected library (NAME) { ... }");
  }
  while (ok && *t->at) {
    ok = *t->at == ';' ? (t->at++, true) : read_statement(r, InOther);
    ok = ok && liberty_text_skip(t);
  }
  if (!ok) {
    return false;
  }
  if (!r->l->name[0] || !r->l->cell_count) {
    return liberty_text_fail(t, t->text, "expected library (NAME) { ... } with cells in it");
  }
  if (r->delay_model[0] && strcmp(r->delay_model, "table_lookup") != 0) {
    return err_set(t->err, ErrInput, "%s: delay_model %s; expected table_lookup (NLDM)", t->path,
                   r->delay_model);
  }
  if (r->l->voltage <= 0) {
    return err_set(t->err, ErrInput, "%s: no voltage; expected nom_voltage or operating_conditions",
                   t->path);
  }
  prefer_plain_registers(r->l);
  if (!r->l->corner[0]) {
    r->l->corner = "nominal";
  }
  return (!t->words.failed && !r->l->names.failed && sort_names(r->l)) ||
         err_memory(t->err, t->path);
}

bool liberty_load(liberty_t *l, const char *path, err_t *err) {
  reader_t r = {
      .l = l, .capacitance_unit = 1, .leakage_unit = 1, .conditions = "", .delay_model = ""};
  *l = (liberty_t){.name = "", .corner = "", .time_unit = 1};
  bool ok = liberty_text_open(&r.t, path, err) && read_all(&r);
  liberty_text_close(&r.t);
  if (!ok) {
    liberty_free(l);
  }
  return ok;
}

void liberty_free(liberty_t *l) {
  for (uint32_t c = 0; c < l->cell_count; c++) {
    free(l->cells[c].pins);
  }
  free(l->cells);
  free(l->by_name);
  strings_free(&l->names);
  *l = (liberty_t){0};
}

const liberty_cell_t *liberty_cell(const liberty_t *l, const char *name) {
  liberty_cell_t wanted = {.name = name}, *key = &wanted;
  liberty_cell_t **found = bsearch(&key, l->by_name, l->cell_count, sizeof *l->by_name, by_name);
  return found ? *found : NULL;
}

const liberty_pin_t *liberty_pin(const liberty_cell_t *cell, const char *name) {
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    if (strcmp(cell->pins[p].name, name) == 0) {
      return &cell->pins[p];
    }
  }
  return NULL;
}
