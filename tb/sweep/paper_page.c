// SPDX-License-Identifier: Apache-2.0
// The pages: each stated figure beside ours, taken from the sweeps' tables; missed ones first.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/base/keep.h"
#include "csim/base/place.h"
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

// The values of a row's cells. False: the file names a column or a cell that the table lacks.
static bool take(const paper_t *paper, const json_t *table, paper_row_t *row) {
  if (!json_object_get(json_object_get(table, "units"), row->column)) {
    return yaml_file_fail(&paper->file, row->at, "column %s: the sweep has none", row->column);
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

static bool judge_all(paper_t *paper, const paper_options_t *o, err_t *err) {
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

// Words of the file, whose links are seen from docs/results.
static void put_words(FILE *to, const char *words, const paper_options_t *o) {
  static const char Up[] = "](../";
  for (const char *link; (link = strstr(words, Up)); words = link + strlen(Up)) {
    fprintf(to, "%.*s](%s/", (int)(link - words), words, o->docs);
  }
  fputs(words, to);
}

static void put_ours(FILE *to, const paper_row_t *row) {
  for (uint32_t i = 0; i < row->ours_count; i++) {
    fprintf(to, "%s", i ? ", " : "");
    if (row->ours_count > 1 || (row->along && row->trend != PaperCrosses)) {
      fprintf(to, "%s: ", row->names[i]);
    }
    if (isfinite(row->ours[i])) {
      fprintf(to, "%.*f", (int)row->digits, row->ours[i]);
    } else {
      fputs(isinf(row->ours[i]) ? "never" : "-", to);
    }
  }
  fputs(row->ours_count ? "" : "-", to);
}

static void put_stated(FILE *to, const paper_stated_t *s) {
  fputs(s->text, to);
  if (s->is_times) {
    fprintf(to, " (%g as 1 + N)", 1 + s->value);
  }
  fprintf(to, "%s%s", *s->unit ? " " : "", s->unit);
}

static void put_difference(FILE *to, const paper_row_t *row) {
  if (row->ours_count != 1 || !row->stated->is_number || !isfinite(row->ours[0])) {
    return;
  }
  const double difference = row->ours[0] - row->stated->value, of = fabs(row->stated->value) / 100;
  const bool percent = row->points <= 0 && of > 0;
  fprintf(to, percent ? "%+.1f %%" : "%+.1f", percent ? difference / of : difference);
}

static void put_tolerance(FILE *to, const paper_row_t *row) {
  static const char *const trends[] = {"", "rises", "falls", "steady",   "",
                                       "", "",      "exact", "at least", "at most"};
  fprintf(to, " | %s", trends[row->trend]);
  if (row->points > 0) {
    fprintf(to, "%g points", row->points);
  } else if (row->within > 0) {
    fprintf(to, "%s%g %%", row->trend == PaperSteady ? " within " : "", row->within);
  } else if (row->step > 0) {
    fprintf(to, " by %g %%", row->step);
  }
}

// The place in the sweep's table of a value that stands alone; the page explains its designs.
static void put_place(FILE *to, const paper_row_t *row, const char *open, const char *close) {
  const paper_cell_t *cell = &row->cells[0];
  for (uint32_t i = 0; row->cell_count == 1 && i < cell->count; i++) {
    fprintf(to, "%s%s%s", i ? ", " : open, cell->labels[i], i + 1 == cell->count ? close : "");
  }
}

static void put_row(FILE *to, const paper_figure_t *f, const paper_row_t *row) {
  static const char *const verdicts[] = {"not judged", "yes", "**missed**", "not measured"};
  fprintf(to, "| %s | %s | ", row->stated->what, row->stated->where);
  put_stated(to, row->stated);
  fputs(" | ", to);
  put_ours(to, row);
  fprintf(to, f->result ? " | [%s](tables/%s.csv)" : " | %s", f->name, f->name);
  put_place(to, row, ": ", "");
  fputs(" | ", to);
  put_difference(to, row);
  put_tolerance(to, row);
  fprintf(to, " | %s |\n", verdicts[row->verdict]);
}

// Writes the stated figures of all sweeps of a page in one table.
static void put_rows(FILE *to, const paper_page_t *page, const paper_options_t *o) {
  bool head = false;
  for (uint32_t i = 0; i < page->figure_count; i++) {
    const paper_figure_t *f = &page->figures[i];
    for (uint32_t r = 0; f->sweep && paper_has(f, o) && r < f->row_count; r++, head = true) {
      fputs(head ? ""
                 : "\n## Stated and ours\n\n"
                   "| figure | where | stated | ours | ours is of | difference | to be within | |\n"
                   "|---|---|---|---|---|---|---|---|\n",
            to);
      put_row(to, f, &f->rows[r]);
    }
  }
}

static void put_notes(FILE *to, const paper_figure_t *f, const paper_options_t *o) {
  for (uint32_t r = 0; r < f->row_count; r++) {
    if (f->rows[r].note) {
      fprintf(to, "\n%s: ", f->rows[r].stated->what);
      put_words(to, f->rows[r].note, o);
      fputs("\n", to);
    }
  }
}

static uint32_t put_verdict(FILE *to, const paper_page_t *page, const paper_options_t *o,
                            paper_verdict_e verdict) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < page->figure_count; i++) {
    const paper_figure_t *f = &page->figures[i];
    for (uint32_t r = 0; f->sweep && paper_has(f, o) && r < f->row_count; r++) {
      const paper_row_t *row = &f->rows[r];
      if (row->verdict != verdict) {
        continue;
      }
      count++;
      fprintf(to, "- %s (%s): stated ", row->stated->what, row->stated->where);
      put_stated(to, row->stated);
      if (verdict == PaperMissed) {
        fputs(", ours ", to);
        put_ours(to, row);
        put_place(to, row, " (", ")");
        fputs(". ", to);
        put_words(to, row->why ? row->why : "No explanation yet.", o);
      }
      fputs("\n", to);
    }
  }
  return count;
}

// The only rows of a stated figure are those of the full set.
static bool is_of_full_set(const paper_t *paper, const paper_stated_t *s,
                           const paper_options_t *o) {
  bool only_full = false;
  for (uint32_t p = 0; p < paper->page_count; p++) {
    for (uint32_t i = 0; i < paper->pages[p].figure_count; i++) {
      const paper_figure_t *f = &paper->pages[p].figures[i];
      for (uint32_t r = 0; r < f->row_count; r++) {
        if (f->rows[r].stated == s && paper_has(f, o)) {
          return false;
        }
        only_full = only_full || f->rows[r].stated == s;
      }
    }
  }
  return only_full;
}

// Those that no sweep of this set gives.
static uint32_t put_not_given(FILE *to, const paper_t *paper, const paper_page_t *page,
                              const paper_options_t *o) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < paper->stated_count; i++) {
    const paper_stated_t *s = &paper->stated[i];
    bool full = is_of_full_set(paper, s, o);
    if (page->of && strcmp(page->of, s->paper) == 0 && (s->why_not || full)) {
      fprintf(to, "- %s (%s): stated ", s->what, s->where);
      put_stated(to, s);
      fputs(". ", to);
      put_words(to, full ? "In the full set only." : s->why_not, o);
      fputs("\n", to);
      count++;
    }
  }
  return count;
}

// ---- Files ----

static bool failed(const char *path, err_t *err) {
  return err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
}

// Copies PREFIX/NAME to a path and frees both. A missing source is no fault: the sweep has failed,
// and the page says so.
static bool copy(char *from, char *path, bool *there, err_t *err) {
  *there = from && access(from, F_OK) == 0;
  if (path && !*there) {
    remove(path);
  }
  bool ok = from && path ? !*there || keep_copy(from, path) || failed(path, err)
                         : err_memory(err, "paper");
  free(from);
  free(path);
  return ok;
}

static void put_command(FILE *to, const paper_figure_t *f, const paper_options_t *o) {
  const char *const *frames = o->full ? f->full_frames : f->frames;
  fprintf(to, "`build/nocturne sweep %s", f->sweep);
  for (; *frames; frames++) {
    fprintf(to, " --frame %s", *frames);
  }
  for (const char *const *set = f->sets; *set; set++) {
    fprintf(to, " --set %s", *set);
  }
  fputs("`\n", to);
}

static size_t rows_without_values(const sweep_t *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->grid_rows; i++) {
    uint32_t c = 0;
    while (c < s->column_count && isnan(s->rows[i].values[c])) {
      c++;
    }
    count += c == s->column_count;
  }
  return count;
}

// The plots of a page, drawn from its table.
static bool put_plots(FILE *to, const paper_figure_t *f, const paper_options_t *o, err_t *err) {
  bool there = false, ok = true;
  if (f->result && *f->plots) {
    char *folder = text_make("%s/%s", o->runs, f->name);
    ok = folder && (place_make_folder(folder) || failed(folder, err)) &&
         sweep_draw(f->result, folder, err);
    free(folder);
  }
  for (const char *const *plot = f->plots; ok && *plot; plot++) {
    char *from = f->result ? text_make("%s/%s/%s.svg", o->runs, f->name, *plot)
                           : text_make("/%s.svg", *plot);
    if (!copy(from, text_make("%s/plots/%s-%s.svg", o->out, f->name, *plot), &there, err)) {
      return false;
    }
    fprintf(to, there ? "\n![%s](plots/%s-%s.svg)\n" : "\nNo plot %s.\n", *plot, f->name, *plot);
  }
  return ok;
}

static bool put_figure(FILE *to, const paper_figure_t *f, const paper_options_t *o, err_t *err) {
  fprintf(to, "\n## %s\n", f->title);
  if (f->text) {
    fputs("\n", to);
    put_words(to, f->text, o);
    fputs("\n", to);
  }
  if (!f->sweep) {
    return true;
  }
  if (!f->result) {
    fputs("\nThe sweep has no result: ", to);
    put_command(to, f, o);
  } else if (rows_without_values(f->result)) {
    fprintf(to, "\nRows without a result: %zu.\n", rows_without_values(f->result));
  }
  if (!put_plots(to, f, o, err)) {
    return false;
  }
  put_notes(to, f, o);
  // The CSV has all; a plot shows it.
  if (f->with_table && !*f->plots && f->result && f->result->row_count <= 40) {
    fputs("\n```\n", to);
    sweep_write_text(f->result, f->result->row_count > 20, to);
    fputs("```\n", to);
  }
  if (f->result) {
    fprintf(to, "\n[All values](tables/%s.csv): ", f->name);
    put_command(to, f, o);
  }
  return true;
}

// Writes the missed and the unmeasured figures, before all others.
static void put_verdicts(FILE *to, const paper_t *paper, const paper_page_t *page,
                         const paper_options_t *o) {
  fputs("\n## Missed\n\n", to);
  fputs(put_verdict(to, page, o, PaperMissed) ? "" : "None.\n", to);
  fputs("\n## Not measured\n\n", to);
  uint32_t count = put_verdict(to, page, o, PaperUnmeasured);
  count += put_not_given(to, paper, page, o);
  fputs(count ? "" : "None.\n", to);
}

static bool put_page(FILE *to, const paper_t *paper, const paper_page_t *page,
                     const paper_options_t *o, err_t *err) {
  fprintf(to,
          "# %s\n\nMade by `make paper%s`; not edited by hand. Golden engine and lockstep give the "
          "same bytes.\n",
          page->title, o->full ? " FULL=1" : "");
  if (page->text) {
    fputs("\n", to);
    put_words(to, page->text, o);
    fputs("\n", to);
  }
  if (page->of) {
    put_verdicts(to, paper, page, o);
  }
  put_rows(to, page, o);
  for (uint32_t i = 0; i < page->figure_count; i++) {
    if (paper_has(&page->figures[i], o) && !put_figure(to, &page->figures[i], o, err)) {
      return false;
    }
  }
  return true;
}

static bool write_page(const paper_t *paper, const paper_page_t *page, const paper_options_t *o,
                       const char *path, err_t *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *whole = open_memstream(&text, &size);
  bool ok = whole && put_page(whole, paper, page, o, err);
  bool written = whole && !ferror(whole);
  written = (!whole || fclose(whole) == 0) && written;
  FILE *to = ok && written ? fopen(path, "w") : NULL;
  if (to) {
    paper_fold(to, text);
    written = !ferror(to);
    written = fclose(to) == 0 && written;
  }
  free(text);
  return to && written ? true : ok || !whole ? failed(path, err) : false;
}

static bool make_folder(const char *folder, const char *name, err_t *err) {
  char *path = text_make("%s/%s", folder, name);
  bool ok = path && (place_make_folder(path) || failed(path, err));
  free(path);
  return ok;
}

bool paper_take_tables(const paper_t *paper, const paper_options_t *o, err_t *err) {
  bool there, ok = make_folder(o->out, "tables", err);
  for (uint32_t p = 0; p < paper->page_count; p++) {
    for (uint32_t i = 0; ok && i < paper->pages[p].figure_count; i++) {
      const paper_figure_t *f = &paper->pages[p].figures[i];
      if (f->sweep && paper_has(f, o)) {
        ok = copy(text_make("%s/%s/table.csv", o->runs, f->name),
                  text_make("%s/tables/%s.csv", o->out, f->name), &there, err);
      }
    }
  }
  return ok;
}

bool paper_write(paper_t *paper, const paper_options_t *o, err_t *err) {
  paper->file.err = err;
  bool ok = make_folder(o->out, "plots", err) && judge_all(paper, o, err);
  for (uint32_t p = 0; ok && p < paper->page_count; p++) {
    char *path = text_make("%s/%s", o->out, paper->pages[p].file);
    ok = path ? write_page(paper, &paper->pages[p], o, path, err) : err_memory(err, o->out);
    free(path);
  }
  return ok;
}
