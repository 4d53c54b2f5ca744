// SPDX-License-Identifier: Apache-2.0
#include "liberty.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double sum;
  uint32_t count;
} mean_t;

typedef struct {
  liberty_cell_t *cell;
  liberty_pin_t *pin;
  mean_t output, clock, data;
  char function[LibertyMaxPins][64];  // of the cell's pins
  bool in_power, in_values;
  uint32_t row;   // of the table
  double value;   // second column of the second row so far, or of the only one
} reader_t;

// ---- functions: (A B), A+B, A^B, !A ---------------------------------------------------

typedef struct {
  const char *at;
  const liberty_cell_t *cell;
  uint32_t inputs;  // their values
  bool ok;
} function_t;

static void skip_space(function_t *f) { f->at += strspn(f->at, " "); }

static bool any_of(function_t *f);

static bool operand(function_t *f) {
  skip_space(f);
  if (*f->at == '!') {
    f->at++;
    return !operand(f);
  }
  if (*f->at == '(') {
    f->at++;
    bool value = any_of(f);
    skip_space(f);
    f->ok = f->ok && *f->at == ')';
    f->at += *f->at == ')';
    return value;
  }
  size_t length = strspn(f->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
  uint32_t input = 0;
  for (uint32_t p = 0; p < f->cell->pin_count; p++) {
    const liberty_pin_t *pin = &f->cell->pins[p];
    if (!pin->is_output && strlen(pin->name) == length &&
        memcmp(pin->name, f->at, length) == 0) {
      f->at += length;
      return f->inputs >> input & 1;
    }
    input += !pin->is_output;
  }
  f->ok = false;
  return false;
}

static bool one_of(function_t *f) {
  bool value = operand(f);
  for (skip_space(f); f->ok && *f->at == '^'; skip_space(f)) {
    f->at++;
    value ^= operand(f);
  }
  return value;
}

static bool all_of(function_t *f) {
  bool value = one_of(f);
  for (skip_space(f); f->ok && *f->at && !strchr(")+", *f->at); skip_space(f)) {
    value &= one_of(f);
  }
  return value;
}

static bool any_of(function_t *f) {
  bool value = all_of(f);
  for (skip_space(f); f->ok && *f->at == '+'; skip_space(f)) {
    f->at++;
    value |= all_of(f);
  }
  return value;
}

static void make_table(const liberty_cell_t *cell, liberty_pin_t *pin, const char *text) {
  uint32_t inputs = 0;
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    inputs += !cell->pins[p].is_output;
  }
  pin->has_table = inputs <= 4 && text[0];
  for (uint32_t i = 0; pin->has_table && i < 1u << inputs; i++) {
    function_t f = {text, cell, i, true};
    pin->table |= (uint16_t)(any_of(&f) << i);
    pin->has_table = f.ok && *f.at == '\0';
  }
}

static void end_cell(reader_t *r) {
  if (r->cell) {
    r->cell->energy = r->output.count ? r->output.sum / r->output.count : 0;
    r->cell->clock_energy = r->clock.count ? r->clock.sum / r->clock.count : 0;
    r->cell->data_energy = r->data.count ? r->data.sum / r->data.count : 0;
    for (uint32_t p = 0; p < r->cell->pin_count; p++) {
      make_table(r->cell, &r->cell->pins[p], r->function[p]);
    }
  }
  r->output = r->clock = r->data = (mean_t){0};
  memset(r->function, 0, sizeof r->function);
}

static void read_row(reader_t *r, const char *line) {
  double first, second;
  const char *quote = strchr(line, '"');
  if (quote && sscanf(quote + 1, "%lf, %lf", &first, &second) == 2 && r->row++ < 2) {
    r->value = second;
  }
  if (!strstr(line, ");")) {
    return;
  }
  r->in_values = false;
  mean_t *mean = r->pin->is_output                   ? &r->output
                 : strcmp(r->pin->name, "CLK") == 0 ? &r->clock
                 : strcmp(r->pin->name, "D") == 0 && r->cell->is_register ? &r->data
                                                                          : NULL;
  if (r->in_power && mean) {
    mean->sum += r->value;
    mean->count++;
  }
}

static bool read_line(reader_t *r, liberty_t *l, const char *line) {
  char name[LibertyName];
  const char *p = line + strspn(line, " \t");
  if (sscanf(p, "cell (%15[A-Z0-9a-z])", name) == 1 ||
      sscanf(p, "cell(%15[A-Z0-9a-z])", name) == 1) {
    end_cell(r);
    if (l->cell_count == LibertyMaxCells) {
      return false;
    }
    r->cell = &l->cells[l->cell_count++];
    r->pin = NULL;
    snprintf(r->cell->name, sizeof r->cell->name, "%s", name);
    r->in_power = false;
    return true;
  }
  if (!r->cell) {
    sscanf(p, "nom_voltage : %lf", &l->voltage);
    return true;
  }
  if (sscanf(p, "pin(%15[A-Z0-9a-z])", name) == 1 || sscanf(p, "pin (%15[A-Z0-9a-z])", name) == 1) {
    if (r->cell->pin_count == LibertyMaxPins) {
      return false;
    }
    r->pin = &r->cell->pins[r->cell->pin_count++];
    snprintf(r->pin->name, sizeof r->pin->name, "%s", name);
  } else if (strncmp(p, "ff ", 3) == 0 || strncmp(p, "ff(", 3) == 0) {
    r->cell->is_register = true;
  } else if (strncmp(p, "timing()", 8) == 0) {
    r->in_power = false;
  } else if (strncmp(p, "internal_power()", 16) == 0) {
    r->in_power = true;
  } else if (strncmp(p, "values", 6) == 0) {
    r->in_values = true;
    r->row = 0;
  } else if (!r->pin) {
    sscanf(p, "area : %lf", &r->cell->area);
    sscanf(p, "cell_leakage_power : %lf", &r->cell->leakage);
  } else if (strncmp(p, "direction : output", 18) == 0) {
    r->pin->is_output = true;
  } else {
    sscanf(p, "capacitance : %lf", &r->pin->capacitance);
  }
  if (r->pin) {
    sscanf(p, "function : \"%63[^\"]\"", r->function[r->pin - r->cell->pins]);
  }
  if (r->in_values && r->pin) {
    read_row(r, p);
  }
  return true;
}

bool liberty_load(liberty_t *l, const char *path, char *error, size_t size) {
  memset(l, 0, sizeof *l);
  FILE *f = fopen(path, "r");
  if (!f) {
    snprintf(error, size, "%s: %s; install it with: apt-get install qflow-tech-osu018", path,
             strerror(errno));
    return false;
  }
  reader_t r = {0};
  char line[512];
  bool ok = true;
  while (ok && fgets(line, sizeof line, f)) {
    ok = read_line(&r, l, line);
  }
  end_cell(&r);
  fclose(f);
  if (!ok || l->cell_count == 0 || l->voltage <= 0) {
    snprintf(error, size, "%s: not a liberty file that this reader knows", path);
    return false;
  }
  return true;
}

const liberty_cell_t *liberty_cell(const liberty_t *l, const char *name) {
  for (uint32_t c = 0; c < l->cell_count; c++) {
    if (strcmp(l->cells[c].name, name) == 0) {
      return &l->cells[c];
    }
  }
  return NULL;
}

const liberty_pin_t *liberty_pin(const liberty_cell_t *cell, const char *name) {
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    if (strcmp(cell->pins[p].name, name) == 0) {
      return &cell->pins[p];
    }
  }
  return NULL;
}
