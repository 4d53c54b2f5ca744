// SPDX-License-Identifier: Apache-2.0
// A sweep's table from the CSV that it has written.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

typedef struct {
  const sweep_t *sweep;
  const char *path;
  size_t line;
  err_t *err;
} reader_t;

static bool fail(const reader_t *r, const char *what, const char *expected) {
  return err_set(r->err, ErrCheck, "%s:%zu: %s, expected %s", r->path, r->line, what, expected);
}

// The next cell of a line, which is cut at its comma; NULL: there is none.
static char *next_cell(char **line) { return strsep(line, ","); }

static bool read_head(const reader_t *r, char *line) {
  const sweep_t *s = r->sweep;
  for (uint32_t i = 0; i < s->axis_count + s->column_count; i++) {
    const char *name = i < s->axis_count ? s->axes[i].name : s->columns[i - s->axis_count].name;
    const char *cell = next_cell(&line);
    if (!cell || strcmp(cell, name) != 0) {
      return fail(r, cell ? cell : "the line ends", name);
    }
  }
  return !line || fail(r, line, "no more columns");
}

static bool read_row(const reader_t *r, char *line, sweep_row_t *row) {
  const sweep_t *s = r->sweep;
  for (uint32_t a = 0; a < s->axis_count; a++) {
    const char *cell = next_cell(&line), *label = sweep_label(s, row, a);
    if (!cell || strcmp(cell, label) != 0) {
      return fail(r, cell ? cell : "the line ends", label);
    }
  }
  for (uint32_t c = 0; c < s->column_count; c++) {
    char *cell = next_cell(&line), *end = cell;
    row->values[c] = cell && *cell ? strtod(cell, &end) : NAN;
    if (!cell || *end) {
      return fail(r, cell ? cell : "the line ends", "a number");
    }
  }
  return !line || fail(r, line, "no more columns");
}

bool sweep_read(sweep_t *s, const char *path, err_t *err) {
  reader_t r = {.sweep = s, .path = path, .err = err};
  char *line = NULL;
  size_t room = 0;
  if (!sweep_make_rows(s, err)) {
    return false;
  }
  FILE *file = fopen(path, "r");
  if (!file) {
    return err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
  }
  bool ok = true;
  for (size_t i = 0; ok && i <= s->row_count; i++) {
    r.line = i + 1;
    if (getline(&line, &room, file) < 0) {
      ok = fail(&r, "the file ends", "a row for each point of the sweep");
      break;
    }
    line[strcspn(line, "\n")] = '\0';
    ok = i == 0 ? read_head(&r, line) : read_row(&r, line, &s->rows[i - 1]);
  }
  r.line++;
  ok = ok && (getline(&line, &room, file) < 0 || fail(&r, "a row more", "the end of the table"));
  free(line);
  fclose(file);
  return ok;
}
