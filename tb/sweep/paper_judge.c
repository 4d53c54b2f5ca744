// SPDX-License-Identifier: Apache-2.0
// Takes each stated figure's value from the sweeps' tables and judges it.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paper.h"

// ---- Cells ----

static bool has_label(const json_t *row, const char *axis, const char *label) {
  const char *text = json_string_value(json_object_get(json_object_get(row, "at"), axis));
  return text && strcmp(text, label) == 0;
}

// The row has the cell's labels and, but for the axis left out, no other axes.
static bool matches(const json_t *row, const paper_cell_t *cell, const char *left_out) {
  bool all = json_object_size(json_object_get(row, "at")) == cell->count + (left_out ? 1 : 0);
  for (uint32_t a = 0; a < cell->count; a++) {
    all = all && has_label(row, cell->axes[a], cell->labels[a]);
  }
  return all;
}

static double value_of(const json_t *row, const char *column) {
  const json_t *value = json_object_get(json_object_get(row, "values"), column);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

static const json_t *find(const json_t *table, const paper_cell_t *cell) {
  size_t i;
  const json_t *row;
  json_array_foreach(json_object_get(table, "rows"), i, row) {
    if (matches(row, cell, NULL)) {
      return row;
    }
  }
  return NULL;
}

// A cell with other labels for some of its axes.
static paper_cell_t replaced(const paper_cell_t *cell, const paper_cell_t *over) {
  paper_cell_t result = *cell;
  for (uint32_t a = 0; a < result.count; a++) {
    for (uint32_t b = 0; b < over->count; b++) {
      if (strcmp(result.axes[a], over->axes[b]) == 0) {
        result.labels[a] = over->labels[b];
      }
    }
  }
  return result;
}

static bool take_cell(const paper_t *paper, const json_t *table, paper_row_t *row,
                      const paper_cell_t *cell) {
  paper_cell_t over = replaced(cell, &row->over);
  const json_t *found = find(table, cell), *base = find(table, &over);
  if (!found || !base) {
    return yaml_file_fail(&paper->file, row->at,
                          "%s: the sweep has no such row, expected a value "
                          "for each axis",
                          found ? "over" : "at");
  }
  double ratio = value_of(found, row->column);
  if (row->over.count) {
    ratio /= value_of(base, row->column);
  }
  row->names[row->ours_count] = cell->count ? cell->labels[cell->count - 1] : "";
  row->ours[row->ours_count++] = row->form == PaperGain        ? 100 * (ratio - 1)
                                 : row->form == PaperReduction ? 100 * (1 - ratio)
                                 : row->form == PaperNegative  ? -ratio
                                                               : ratio;
  return true;
}

static bool is_summary(const char *label) {
  return strcmp(label, "mean") == 0 || strcmp(label, "max") == 0 || strcmp(label, "min") == 0;
}

static bool take_along(const paper_t *paper, const json_t *table, paper_row_t *row) {
  size_t i;
  const json_t *line;
  paper_cell_t cell = row->cells[0];
  if (cell.count == PaperMaxAxes) {
    return yaml_file_fail(&paper->file, row->at, "at: more than %d axes", PaperMaxAxes - 1);
  }
  cell.axes[cell.count++] = row->along;
  json_array_foreach(json_object_get(table, "rows"), i, line) {
    const char *label = json_string_value(json_object_get(json_object_get(line, "at"), row->along));
    if (!label || is_summary(label) || !matches(line, &row->cells[0], row->along)) {
      continue;
    }
    if (row->ours_count == PaperMaxCells) {
      return yaml_file_fail(&paper->file, row->at, "along: more than %d values", PaperMaxCells);
    }
    cell.labels[cell.count - 1] = label;
    if (!take_cell(paper, table, row, &cell)) {
      return false;
    }
  }
  return row->ours_count > 0 ||
         yaml_file_fail(&paper->file, row->at, "along: the sweep has no such rows");
}

// The most or the least of the values is the only one that is left; a missing one hides it.
static void reduce(paper_row_t *row) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < row->ours_count; i++) {
    if (!isfinite(row->ours[i])) {
      best = i;
      break;
    }
    if (row->trend == PaperMost ? row->ours[i] > row->ours[best] : row->ours[i] < row->ours[best]) {
      best = i;
    }
  }
  row->ours[0] = row->ours[best];
  row->names[0] = row->names[best];
  row->ours_count = 1;
}

// Where along the axis the values first pass `through`, straight between two of them; INFINITY:
// nowhere.
static void cross(paper_row_t *row) {
  double place = INFINITY;
  for (uint32_t i = 0; i < row->ours_count; i++) {
    place = isfinite(row->ours[i]) ? place : NAN;
  }
  for (uint32_t i = 0; i + 1 < row->ours_count && isinf(place); i++) {
    double a = row->ours[i] - row->through, b = row->ours[i + 1] - row->through;
    if ((a >= 0) != (b >= 0)) {
      double from = strtod(row->names[i], NULL), to = strtod(row->names[i + 1], NULL);
      place = from + (to - from) * a / (a - b);
    }
  }
  row->ours[0] = place;
  row->ours_count = 1;
}

// One value of those along the axis, NAN if one is missing: by how much the largest is above the
// least, or Pearson's r with the other column's.
static bool fold(const paper_t *paper, const json_t *table, paper_row_t *row) {
  paper_row_t other = *row;
  const uint32_t n = row->ours_count;
  double x = 0, y = 0, xx = 0, yy = 0, xy = 0, most = row->ours[0], least = row->ours[0];
  other.column = row->with ? row->with : row->column;
  other.ours_count = 0;
  if (!take_along(paper, table, &other)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    x += row->ours[i] / n, y += other.ours[i] / n;
    most = fmax(most, row->ours[i]), least = fmin(least, row->ours[i]);
  }
  for (uint32_t i = 0; i < n; i++) {
    const double dx = row->ours[i] - x, dy = other.ours[i] - y;
    xx += dx * dx, yy += dy * dy, xy += dx * dy;
  }
  row->ours[0] = row->form == PaperCorrelation ? xy / sqrt(xx * yy)
                 : isfinite(x)                 ? 100 * (most / least - 1)
                                               : NAN;
  row->ours_count = 1;
  return true;
}

static bool has_column(const paper_t *paper, const json_t *table, const paper_row_t *row,
                       const char *column) {
  return json_object_get(json_object_get(table, "units"), column) ||
         yaml_file_fail(&paper->file, row->at, "column %s: the sweep has none", column);
}

// The values of a row's cells. False: the file names a column or a cell that the table lacks.
static bool take(const paper_t *paper, const json_t *table, paper_row_t *row) {
  if (!has_column(paper, table, row, row->column) ||
      (row->with && !has_column(paper, table, row, row->with))) {
    return false;
  }
  if (row->along && !take_along(paper, table, row)) {
    return false;
  }
  for (uint32_t c = 0; !row->along && c < row->cell_count; c++) {
    if (!take_cell(paper, table, row, &row->cells[c])) {
      return false;
    }
  }
  if (row->trend == PaperMost || row->trend == PaperLeast) {
    reduce(row);
  } else if (row->trend == PaperCrosses) {
    cross(row);
  } else if (row->form >= PaperSpread) {
    return fold(paper, table, row);
  }
  return true;
}

// ---- Verdicts ----

static bool follows(const paper_row_t *row) {
  double first = row->ours[0], last = row->ours[row->ours_count - 1], most = first, least = first;
  for (uint32_t i = 1; i < row->ours_count; i++) {
    double step = row->ours[i] - row->ours[i - 1];
    if ((row->trend == PaperRises && step < 0) || (row->trend == PaperFalls && step > 0)) {
      return false;
    }
    most = fmax(most, row->ours[i]);
    least = fmin(least, row->ours[i]);
  }
  return row->trend == PaperSteady ? most - least <= row->within / 100 * fabs(most)
                                   : fabs(last - first) >= row->step / 100 * fabs(first);
}

static paper_verdict_e judge(const paper_row_t *row) {
  if (row->trend == PaperCrosses && row->ours_count && isinf(row->ours[0])) {
    return PaperMissed;
  }
  bool measured = row->ours_count > 0;
  for (uint32_t i = 0; i < row->ours_count; i++) {
    measured = measured && isfinite(row->ours[i]);
  }
  if (!measured) {
    return PaperUnmeasured;
  }
  bool one = row->trend == PaperMost || row->trend == PaperLeast || row->trend == PaperCrosses;
  if (one && !row->stated->is_number) {
    return strcmp(row->names[0], row->stated->text) == 0 ? PaperHeld : PaperMissed;
  }
  const double off = row->ours[0] - row->stated->value;
  if (row->trend >= PaperExact) {
    bool is_under = off < 0 && row->trend != PaperStays;
    return is_under || (off > 0 && row->trend != PaperReaches) ? PaperMissed : PaperHeld;
  }
  if (row->trend != PaperNoTrend && !one) {
    return follows(row) ? PaperHeld : PaperMissed;
  }
  if (row->within == 0 && row->points == 0) {
    return PaperUnjudged;
  }
  double room = row->points > 0 ? row->points : row->within / 100 * fabs(row->stated->value);
  return fabs(off) <= room * (1 + 1e-12) ? PaperHeld : PaperMissed;
}

// A sweep that has not run leaves no table; its figures are unmeasured.
static bool load_table(paper_figure_t *f, const paper_options_t *o, err_t *err) {
  sweep_options_t options = {0};
  char *path = text_make("%s/tables/%s.csv", o->out, f->name);
  if (!path || access(path, F_OK) != 0) {
    free(path);
    return true;
  }
  for (const char *const *frame = o->full ? f->full_frames : f->frames; *frame; frame++) {
    options.frames[options.frame_count++] = *frame;
  }
  for (const char *const *set = f->sets; *set; set++) {
    options.sets[options.set_count++] = *set;
  }
  f->result = calloc(1, sizeof *f->result);
  bool ok = f->result || err_memory(err, f->name);
  ok = ok && sweep_load(f->result, f->sweep, &options, err) && sweep_read(f->result, path, err);
  free(path);
  f->table = ok ? sweep_json(f->result) : NULL;
  return ok;
}

bool paper_judge(paper_t *paper, const paper_options_t *o, err_t *err) {
  for (uint32_t p = 0; p < paper->page_count; p++) {
    for (uint32_t i = 0; i < paper->pages[p].figure_count; i++) {
      paper_figure_t *f = &paper->pages[p].figures[i];
      if (!f->sweep || !paper_has(f, o)) {
        continue;
      }
      if (!load_table(f, o, err)) {
        return false;
      }
      for (uint32_t r = 0; r < f->row_count; r++) {
        if (f->table && !take(paper, f->table, &f->rows[r])) {
          return false;
        }
        f->rows[r].verdict = judge(&f->rows[r]);
      }
    }
  }
  return true;
}
