// SPDX-License-Identifier: Apache-2.0
#include "liberty.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "liberty_function.h"

enum { MaxArguments = 16, MaxGroups = 64 };

// ---- text: groups NAME (ARGUMENT, ...) { ... }, attributes NAME : VALUE ; NAME (VALUES) ; -----

typedef struct {
  double sum;
  uint32_t count;
} mean_t;

typedef struct {
  char name[LibertyName];
  char arguments[MaxArguments][LibertyText];  // of a group or a complex attribute; cut
  int argument_count;
  char value[LibertyText];  // of a simple attribute
} statement_t;

typedef enum { InOther, InLibrary, InConditions, InCell, InPin, InPower, InTable, InRegister,
               InLeakage, InTiming } group_e;

typedef struct {
  const char *path, *text, *at;
  char *error;
  size_t size;
  liberty_t *l;
  liberty_cell_t *cell;
  uint32_t first_pin, end_pin;       // of the pin group under way
  mean_t energy[LibertyMaxPins];     // of the cell's pins
  char state[LibertyName], complement[LibertyName];  // of its register
  char next_state[LibertyText], clocked_on[LibertyText];
  bool is_cleared;
  bool has_leakage;
  mean_t leakage;
  char conditions[LibertyName];      // default_operating_conditions
  double capacitance_unit, leakage_unit;  // pF, nW
  int depth;
  char delay_model[LibertyName];
  size_t cell_room;
} reader_t;

static bool fail(const reader_t *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(const reader_t *r, const char *at, const char *format, ...) {
  char what[160];
  int line = 1;
  const char *start = r->text;
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  for (const char *p = r->text; p < at; p++) {
    if (*p == '\n') {
      line++;
      start = p + 1;
    }
  }
  snprintf(r->error, r->size, "%.120s:%d:%d: %s", r->path, line, (int)(at - start) + 1, what);
  return false;
}

// To the next token; false at a comment without an end.
static bool skip(reader_t *r) {
  for (;;) {
    r->at += strspn(r->at, " \t\r\n\\");
    if (strncmp(r->at, "/*", 2) == 0) {
      const char *end = strstr(r->at + 2, "*/");
      if (!end) {
        return fail(r, r->at, "a comment without an end, expected */");
      }
      r->at = end + 2;
    } else if (strncmp(r->at, "//", 2) == 0) {
      r->at += strcspn(r->at, "\n");
    } else {
      return true;
    }
  }
}

static void keep(char *out, size_t size, const char *from, size_t length) {
  size_t used = 0;
  for (size_t i = 0; i < length && used + 1 < size; i++) {
    if (from[i] == '\\' || from[i] == '\n' || from[i] == '\r') {
      continue;
    }
    out[used++] = from[i];
  }
  while (used && isspace((unsigned char)out[used - 1])) {
    used--;
  }
  out[used] = '\0';
}

// A quoted text or a word up to one of stop; out may be cut.
static bool word(reader_t *r, const char *stop, char *out, size_t size) {
  if (!skip(r)) {
    return false;
  }
  if (*r->at == '"') {
    const char *end = r->at + 1;
    while (*end && *end != '"') {
      end += *end == '\\' && end[1] ? 2 : 1;
    }
    if (!*end) {
      return fail(r, r->at, "a text without an end, expected \"");
    }
    keep(out, size, r->at + 1, (size_t)(end - r->at - 1));
    r->at = end + 1;
    return true;
  }
  size_t length = strcspn(r->at, stop);
  const char *comment = strstr(r->at, "/*");
  if (comment && (size_t)(comment - r->at) < length) {
    length = (size_t)(comment - r->at);
  }
  keep(out, size, r->at, length);
  r->at += length;
  return true;
}

static bool arguments(reader_t *r, statement_t *s) {
  const char *open = r->at++;
  s->argument_count = 0;
  for (;;) {
    char text[LibertyText];
    if (!skip(r)) {
      return false;
    }
    if (*r->at == ')') {
      r->at++;
      return true;
    }
    if (*r->at == ',') {
      r->at++;
      continue;
    }
    if (!*r->at || strchr("{};", *r->at)) {
      return fail(r, open, "%.60s: a ( without an end, expected )", s->name);
    }
    if (!word(r, ",){};\"\n", text, sizeof text)) {
      return false;
    }
    if (s->argument_count < MaxArguments) {
      memcpy(s->arguments[s->argument_count++], text, sizeof text);
    }
  }
}

// ---- meaning --------------------------------------------------------------------------

static bool is(const statement_t *s, const char *name) { return strcmp(s->name, name) == 0; }

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

static void library_attribute(reader_t *r, const statement_t *s) {
  liberty_t *l = r->l;
  if (is(s, "nom_voltage")) {
    l->voltage = strtod(s->value, NULL);
  } else if (is(s, "nom_process")) {
    l->process = strtod(s->value, NULL);
  } else if (is(s, "nom_temperature")) {
    l->temperature = strtod(s->value, NULL);
  } else if (is(s, "default_operating_conditions")) {
    snprintf(r->conditions, sizeof r->conditions, "%.63s", s->value);
  } else if (is(s, "delay_model")) {
    snprintf(r->delay_model, sizeof r->delay_model, "%.63s", s->value);
  } else if (is(s, "time_unit")) {
    l->time_unit = unit(s->value, 1e-9) * 1e9;
  } else if (is(s, "leakage_power_unit")) {
    r->leakage_unit = unit(s->value, 1e-9) * 1e9;
  } else if (is(s, "capacitive_load_unit") && s->argument_count == 2) {
    bool femto = tolower((unsigned char)s->arguments[1][0]) == 'f';
    r->capacitance_unit = strtod(s->arguments[0], NULL) * (femto ? 1e-3 : 1);
  }
}

static void cell_attribute(reader_t *r, const statement_t *s) {
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

static void pin_attribute(reader_t *r, const statement_t *s) {
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
      snprintf(pin->function, sizeof pin->function, "%s", s->value);
    } else if (is(s, "three_state")) {
      r->cell->is_other = true;
    }
  }
}

// Second column of the second row, or of the only one.
static void energy_values(reader_t *r, const statement_t *s) {
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

static void attribute(reader_t *r, group_e in, const statement_t *s) {
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
        snprintf(r->next_state, sizeof r->next_state, "%s", s->value);
      } else if (is(s, "clocked_on")) {
        snprintf(r->clocked_on, sizeof r->clocked_on, "%s", s->value);
      } else if (is(s, "clear") || is(s, "preset") || is(s, "clocked_on_also")) {
        r->is_cleared = true;
      }
      return;
    default: return;
  }
}

static bool begin_cell(reader_t *r, const statement_t *s) {
  liberty_t *l = r->l;
  if (l->cell_count == r->cell_room) {
    r->cell_room = 2 * r->cell_room + 64;
    liberty_cell_t *grown = realloc(l->cells, r->cell_room * sizeof *grown);
    if (!grown) {
      return fail(r, r->at, "out of memory");
    }
    l->cells = grown;
  }
  r->cell = &l->cells[l->cell_count];
  *r->cell = (liberty_cell_t){.pins = calloc(LibertyMaxPins, sizeof *r->cell->pins)};
  l->cell_count++;
  snprintf(r->cell->name, sizeof r->cell->name, "%.63s", s->arguments[0]);
  memset(r->energy, 0, sizeof r->energy);
  r->state[0] = r->complement[0] = r->next_state[0] = r->clocked_on[0] = '\0';
  r->is_cleared = r->has_leakage = false;
  r->leakage = (mean_t){0};
  return r->cell->pins || fail(r, r->at, "out of memory");
}

static void begin_pin(reader_t *r, const statement_t *s) {
  r->first_pin = r->end_pin = r->cell->pin_count;
  for (int a = 0; a < s->argument_count; a++) {
    if (r->cell->pin_count == LibertyMaxPins) {
      r->cell->is_other = true;  // a macro
      return;
    }
    snprintf(r->cell->pins[r->cell->pin_count++].name, LibertyName, "%.63s", s->arguments[a]);
    r->end_pin = r->cell->pin_count;
  }
}

// What kind of group s begins within in.
static group_e kind_of(reader_t *r, group_e in, const statement_t *s) {
  if (in == InOther && r->depth == 1 && is(s, "library")) {
    snprintf(r->l->name, sizeof r->l->name, "%.63s", s->arguments[0]);
    return InLibrary;
  }
  if (in == InLibrary && is(s, "cell")) {
    return InCell;
  }
  if (in == InLibrary && is(s, "operating_conditions") &&
      (!r->l->corner[0] || strcmp(s->arguments[0], r->conditions) == 0)) {
    snprintf(r->l->corner, sizeof r->l->corner, "%.63s", s->arguments[0]);
    return InConditions;
  }
  if (in == InCell && is(s, "pin")) {
    return InPin;
  }
  if (in == InCell && is(s, "ff")) {
    snprintf(r->state, sizeof r->state, "%.63s", s->argument_count > 0 ? s->arguments[0] : "");
    snprintf(r->complement, sizeof r->complement, "%.63s",
             s->argument_count > 1 ? s->arguments[1] : "");
    return InRegister;
  }
  if (in == InCell && is(s, "leakage_power")) {
    return InLeakage;
  }
  if (in == InCell && !is(s, "pg_pin")) {
    static const char *const Others[] = {"latch", "latch_bank", "ff_bank", "statetable", "bus",
                                         "bundle", "test_cell", "memory"};
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

// A pin's name, or its complement: "D", "(D)", "!D", "(!D)", "D'".
static bool one_pin(const liberty_cell_t *cell, const char *text, uint32_t *pin, bool *inverts) {
  char name[LibertyName];
  size_t used = 0;
  *inverts = false;
  for (const char *p = text; *p && used + 1 < sizeof name; p++) {
    if (*p == '!' || *p == '\'') {
      *inverts = !*inverts;
    } else if (!strchr("() \t", *p)) {
      name[used++] = *p;
    }
  }
  name[used] = '\0';
  return find_pin(cell, name, pin);
}

// Whether an output is the register's state or its complement.
static bool output_of_state(const reader_t *r, liberty_pin_t *pin) {
  char name[LibertyText];
  size_t used = 0;
  for (const char *p = pin->function; *p; p++) {
    if (*p == '!' || *p == '\'') {
      pin->inverts = !pin->inverts;
    } else if (!strchr("() \t", *p)) {
      name[used++] = *p;
    }
  }
  name[used] = '\0';
  if (r->complement[0] && strcmp(name, r->complement) == 0) {
    pin->inverts = !pin->inverts;
    return true;
  }
  return strcmp(name, r->state) == 0;
}

static double mean(const mean_t *m) { return m->count ? m->sum / m->count : 0; }

static void end_register(reader_t *r) {
  liberty_cell_t *c = r->cell;
  bool falls = false;
  c->is_register = !r->is_cleared && one_pin(c, r->clocked_on, &c->clock, &falls) && !falls &&
                   one_pin(c, r->next_state, &c->data, &c->data_inverts) && c->clock != c->data;
  uint32_t inputs = 0;
  for (uint32_t p = 0; p < c->pin_count; p++) {
    inputs += !c->pins[p].is_output;
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

static bool group(reader_t *r, group_e in, const char *open, const statement_t *begin);

static bool begin_group(reader_t *r, group_e in, const char *place, const statement_t *s) {
  if (++r->depth == MaxGroups) {
    return fail(r, place, "%.60s: groups within groups, expected at most %d", s->name, MaxGroups);
  }
  group_e kind = kind_of(r, in, s);
  if (in == InLibrary && kind == InCell && (s->argument_count != 1 || !s->arguments[0][0])) {
    return fail(r, place, "cell: expected one name in ()");
  }
  if (kind == InCell && !begin_cell(r, s)) {
    return false;
  }
  if (kind == InPin) {
    begin_pin(r, s);
  }
  if (!group(r, kind, place, s)) {
    return false;
  }
  if (kind == InCell) {
    end_cell(r);
    r->cell = NULL;
  }
  r->depth--;
  return true;
}

// NAME and what belongs to it, from r->at.
static bool statement(reader_t *r, group_e in) {
  statement_t s = {.argument_count = 0};
  const char *place = r->at;
  size_t length = strcspn(r->at, " \t\r\n:(){};,\"");
  if (!length) {
    return fail(r, place, "'%c', expected a name", *place);
  }
  keep(s.name, sizeof s.name, r->at, length);
  r->at += length;
  if (!skip(r)) {
    return false;
  }
  if (*r->at == ':') {
    r->at++;
    if (!word(r, ";\n}", s.value, sizeof s.value) || !skip(r)) {
      return false;
    }
    attribute(r, in, &s);
    return true;
  }
  if (*r->at != '(') {
    return fail(r, r->at, "%.60s: expected : or ( behind it", s.name);
  }
  if (!arguments(r, &s) || !skip(r)) {
    return false;
  }
  if (*r->at == '{') {
    r->at++;
    return begin_group(r, in, place, &s);
  }
  attribute(r, in, &s);
  return true;
}

static bool group(reader_t *r, group_e in, const char *open, const statement_t *begin) {
  for (;;) {
    if (!skip(r)) {
      return false;
    }
    if (!*r->at) {
      return fail(r, open, "%.60s (%.60s): a { without an end, expected }", begin->name,
                  begin->argument_count ? begin->arguments[0] : "");
    }
    if (*r->at == '}') {
      r->at++;
      return true;
    }
    if (*r->at == ';') {
      r->at++;
    } else if (!statement(r, in)) {
      return false;
    }
  }
}

static char *whole_file(const char *path, char *error, size_t size) {
  FILE *f = fopen(path, "r");
  char *text = NULL;
  size_t used = 0, room = 0, got = 0;
  do {
    if (f && used + 1 >= room) {
      room = 2 * room + (1 << 16);
      char *grown = realloc(text, room);
      if (!grown) {
        break;
      }
      text = grown;
    }
    got = f && text ? fread(text + used, 1, room - used - 1, f) : 0;
    used += got;
  } while (got);
  bool ok = f && text && !ferror(f) && feof(f);
  if (!ok) {
    snprintf(error, size, "%.150s: %s", path, strerror(errno ? errno : ENOMEM));
    free(text);
    text = NULL;
  } else {
    text[used] = '\0';
  }
  if (f) {
    fclose(f);
  }
  if (text && strlen(text) != used) {
    snprintf(error, size, "%.150s: not a text; a packed file (.gz) is unpacked first", path);
    free(text);
    text = NULL;
  }
  return text;
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

static bool read_all(reader_t *r) {
  bool ok = skip(r);
  if (ok && !*r->at) {
    return fail(r, r->at, "an empty file, expected library (NAME) { ... }");
  }
  while (ok && *r->at) {
    ok = *r->at == ';' ? (r->at++, true) : statement(r, InOther);
    ok = ok && skip(r);
  }
  if (!ok) {
    return false;
  }
  if (!r->l->name[0] || !r->l->cell_count) {
    return fail(r, r->text, "expected library (NAME) { ... } with cells in it");
  }
  if (r->delay_model[0] && strcmp(r->delay_model, "table_lookup") != 0) {
    snprintf(r->error, r->size, "%.120s: delay_model %.60s; expected table_lookup (NLDM)", r->path,
             r->delay_model);
    return false;
  }
  if (r->l->voltage <= 0) {
    snprintf(r->error, r->size, "%.120s: no voltage; expected nom_voltage or operating_conditions",
             r->path);
    return false;
  }
  if (!r->l->corner[0]) {
    snprintf(r->l->corner, sizeof r->l->corner, "nominal");
  }
  return sort_names(r->l) || fail(r, r->at, "out of memory");
}

bool liberty_load(liberty_t *l, const char *path, char *error, size_t size) {
  errno = 0;
  memset(l, 0, sizeof *l);
  char *text = whole_file(path, error, size);
  if (!text) {
    return false;
  }
  reader_t r = {.path = path, .text = text, .at = text, .error = error, .size = size, .l = l,
                .capacitance_unit = 1, .leakage_unit = 1};
  l->time_unit = 1;
  bool ok = read_all(&r);
  free(text);
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
  memset(l, 0, sizeof *l);
}

const liberty_cell_t *liberty_cell(const liberty_t *l, const char *name) {
  liberty_cell_t wanted, *key = &wanted;
  snprintf(wanted.name, sizeof wanted.name, "%.63s", name);
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
