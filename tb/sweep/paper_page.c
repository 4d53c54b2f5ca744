// SPDX-License-Identifier: Apache-2.0
// The pages: each stated figure beside ours; missed ones first.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/base/keep.h"
#include "csim/base/place.h"
#include "paper.h"

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
    if (row->ours_count > 1 ||
        (row->along && row->trend != PaperCrosses && row->form < PaperSpread)) {
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

// Returns true if both are single values beside one stated figure, under one tolerance and verdict.
static bool is_beside(const paper_row_t *a, const paper_row_t *b) {
  return a == b ||
         (a->stated == b->stated && a->stated->is_number && a->verdict == b->verdict &&
          a->trend == b->trend && a->points == b->points && a->within == b->within &&
          a->step == b->step && a->ours_count == 1 && b->ours_count == 1 && a->cell_count == 1 &&
          b->cell_count == 1 && a->cells[0].count && b->cells[0].count);
}

// Writes the row of a stated figure at its first value, with all values beside it in one order.
static void put_row(FILE *to, const paper_figure_t *f, uint32_t at) {
  static const char *const verdicts[] = {"not judged", "yes", "**missed**", "not measured"};
  const paper_row_t *row = &f->rows[at];
  fprintf(to, "| %s | %s | ", row->stated->what, row->stated->where);
  put_stated(to, row->stated);
  for (uint32_t column = 0; column < 3; column++) {
    fputs(" | ", to);
    if (column == 1) {
      fprintf(to, f->result ? "[%s](tables/%s.csv)" : "%s", f->name, f->name);
    }
    for (uint32_t i = at; i < f->row_count; i++) {
      if (!is_beside(row, &f->rows[i])) {
        continue;
      }
      fputs(i > at && column != 1 ? "; " : "", to);
      if (column == 1) {
        put_place(to, &f->rows[i], i > at ? "; " : ": ", "");
      } else {
        (column ? put_difference : put_ours)(to, &f->rows[i]);
      }
    }
  }
  put_tolerance(to, row);
  fprintf(to, " | %s |\n", verdicts[row->verdict]);
}

static bool is_first(const paper_figure_t *f, uint32_t at) {
  uint32_t i = 0;
  while (!is_beside(&f->rows[i], &f->rows[at])) {
    i++;
  }
  return i == at;
}

// Writes the stated figures of all sweeps of a page in one table.
static void put_rows(FILE *to, const paper_page_t *page, const paper_options_t *o) {
  bool head = false;
  for (uint32_t i = 0; i < page->figure_count; i++) {
    const paper_figure_t *f = &page->figures[i];
    for (uint32_t r = 0; f->sweep && paper_has(f, o) && r < f->row_count; r++, head = true) {
      fputs(head ? ""
                 : "\n## Stated and ours\n"
                   "| figure | where | stated | ours | ours is of | difference | to be within | |\n"
                   "|---|---|---|---|---|---|---|---|\n",
            to);
      if (is_first(f, r)) {
        put_row(to, f, r);
      }
    }
  }
}

// The row of a verdict with this number, NULL behind the last.
static const paper_row_t *verdict_row(const paper_page_t *page, const paper_options_t *o,
                                      paper_verdict_e verdict, uint32_t number) {
  for (uint32_t i = 0; i < page->figure_count; i++) {
    const paper_figure_t *f = &page->figures[i];
    for (uint32_t r = 0; f->sweep && paper_has(f, o) && r < f->row_count; r++) {
      if (f->rows[r].verdict == verdict && number-- == 0) {
        return &f->rows[r];
      }
    }
  }
  return NULL;
}

static bool is_same_text(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

static void put_figure_name(FILE *to, const paper_stated_t *s, const char *before) {
  fprintf(to, "%s%s (%s): stated ", before, s->what, s->where);
  put_stated(to, s);
}

// Misses of one reason are one item, at the first of them.
static uint32_t put_verdict(FILE *to, const paper_page_t *page, const paper_options_t *o,
                            paper_verdict_e verdict) {
  const paper_row_t *row, *other;
  uint32_t count = 0;
  for (; (row = verdict_row(page, o, verdict, count)); count++) {
    const char *why = verdict == PaperMissed ? row->why : NULL;
    uint32_t i = 0;
    while (i < count && !is_same_text(verdict_row(page, o, verdict, i)->why, why)) {
      i++;
    }
    if (i < count) {
      continue;
    }
    for (; (other = verdict_row(page, o, verdict, i)); i++) {
      if (other == row || is_same_text(other->why, why)) {
        put_figure_name(to, other->stated, other == row ? "- " : "; ");
        if (verdict == PaperMissed) {
          fputs(", ours ", to);
          put_ours(to, other);
          put_place(to, other, " (", ")");
        }
      }
    }
    if (verdict == PaperMissed) {
      fputs(". ", to);
      put_words(to, why ? why : "No explanation yet.", o);
    }
    fputs("\n", to);
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

// Those that no sweep of this set gives, each with why not; those of one reason in one item.
static uint32_t put_not_given(FILE *to, const paper_t *paper, const paper_page_t *page,
                              const paper_options_t *o) {
  uint32_t count = 0;
  const char *before = NULL;
  for (uint32_t i = 0; i < paper->stated_count; i++) {
    const paper_stated_t *s = &paper->stated[i];
    const char *why = is_of_full_set(paper, s, o) ? "In the full set only." : s->why_not;
    if (!page->of || strcmp(page->of, s->paper) != 0 || !why) {
      continue;
    }
    if (before && !is_same_text(before, why)) {
      fputs(". ", to);
      put_words(to, before, o);
      fputs("\n", to);
    }
    put_figure_name(to, s, is_same_text(before, why) ? "; " : "- ");
    before = why;
    count++;
  }
  if (before) {
    fputs(". ", to);
    put_words(to, before, o);
    fputs("\n", to);
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
  fputs("`", to);
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
    fprintf(to, there ? "[![%s](plots/%s-%s.svg)](tables/%s.csv)\n" : "No plot %s.\n", *plot,
            f->name, *plot, f->name);
  }
  return ok;
}

// Its plots lead to the table, and the page's first words say which command makes it.
static bool is_plain(const paper_figure_t *f, const paper_options_t *o) {
  char *path = text_make("vectors/sweeps/%s.yaml", f->name);
  bool plain = path && strcmp(path, f->sweep) == 0 && *f->plots && !*f->sets &&
               !*(o->full ? f->full_frames : f->frames);
  free(path);
  return plain;
}

// Writes the paragraph of a figure: its words, those of its rows, and the command that makes it.
static void put_paragraph(FILE *to, const paper_figure_t *f, const paper_options_t *o) {
  static const char *const between[] = {"", " "};
  bool any = f->text;
  put_words(to, any ? f->text : "", o);
  for (uint32_t r = 0; f->sweep && r < f->row_count; r++) {
    if (f->rows[r].note) {
      fprintf(to, "%s%s: ", between[any], f->rows[r].stated->what);
      put_words(to, f->rows[r].note, o);
      any = true;
    }
  }
  if (f->sweep && !f->result) {
    fprintf(to, "%sThe sweep has no result: ", between[any]);
    put_command(to, f, o);
    any = true;
  } else if (f->sweep && rows_without_values(f->result)) {
    fprintf(to, "%sRows without a result: %zu.", between[any], rows_without_values(f->result));
    any = true;
  }
  if (f->result && !is_plain(f, o)) {
    fputs(between[any], to);
    if (!*f->plots) {
      fprintf(to, "[All values](tables/%s.csv): ", f->name);
    }
    put_command(to, f, o);
    any = true;
  }
  fputs(any ? f->sweep && *f->plots ? "\n\n" : "\n" : "", to);
}

static bool put_figure(FILE *to, const paper_figure_t *f, const paper_options_t *o, err_t *err) {
  fprintf(to, "\n## %s\n", f->title);
  put_paragraph(to, f, o);
  return !f->sweep || put_plots(to, f, o, err);
}

// Writes the missed and the unmeasured figures, before all others.
static void put_verdicts(FILE *to, const paper_t *paper, const paper_page_t *page,
                         const paper_options_t *o) {
  fputs("\n## Missed\n", to);
  fputs(put_verdict(to, page, o, PaperMissed) ? "" : "None.\n", to);
  fputs("\n## Not measured\n", to);
  uint32_t count = put_verdict(to, page, o, PaperUnmeasured);
  count += put_not_given(to, paper, page, o);
  fputs(count ? "" : "None.\n", to);
}

// Returns true if a plot of the page has a line at the paper's value.
static bool has_stated(const paper_page_t *page) {
  for (uint32_t i = 0; i < page->figure_count; i++) {
    const sweep_t *s = page->figures[i].result;
    for (uint32_t k = 0; s && k < s->plot_count; k++) {
      if (s->plots[k].stated > 0) {
        return true;
      }
    }
  }
  return false;
}

static bool put_page(FILE *to, const paper_t *paper, const paper_page_t *page,
                     const paper_options_t *o, err_t *err) {
  fprintf(to,
          "# %s\n\nMade by `make paper%s`, not edited by hand. A plot leads to its table, which "
          "`build/nocturne "
          "sweep vectors/sweeps/TABLE.yaml` makes unless another command stands with it.%s\n",
          page->title, o->full ? " FULL=1" : "",
          has_stated(page) ? " A red line in a plot is the paper's value." : "");
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
  bool ok = make_folder(o->out, "plots", err) && paper_judge(paper, o, err);
  for (uint32_t p = 0; ok && p < paper->page_count; p++) {
    char *path = text_make("%s/%s", o->out, paper->pages[p].file);
    ok = path ? write_page(paper, &paper->pages[p], o, path, err) : err_memory(err, o->out);
    free(path);
  }
  return ok;
}
