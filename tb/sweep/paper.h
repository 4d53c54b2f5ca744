// SPDX-License-Identifier: Apache-2.0
// The papers' evaluations: sweeps are run, and pages are written that hold each stated figure
// against ours. The file of the pages, and the one of the stated figures: docs/develop/paper.md.
//
// Call order: paper_load; paper_run and paper_take_tables, or neither; paper_write.
#ifndef NOCTURNE_SWEEP_PAPER_H
#define NOCTURNE_SWEEP_PAPER_H

#include <jansson.h>

#include "csim/base/yaml_file.h"
#include "sweep.h"

enum { PaperMaxCells = 32, PaperMaxAxes = 8, PaperMaxOptions = 48 };

// A statement of a paper.
typedef struct {
  const char *id, *paper, *what, *text, *unit,
      *where;  // text: what is printed, a number or a statement
  double value;
  const char *why_not;  // no figure gives it; NULL: some row does
  const yaml_node_t *at;
  bool is_number;
  bool is_times;  // a speedup written as "N X", which may also mean 1 + N
} paper_stated_t;

// A cell's place in a sweep's table: labels of its axes.
typedef struct {
  const char *axes[PaperMaxAxes], *labels[PaperMaxAxes];
  uint32_t count;
} paper_cell_t;

// x, 100 (x - 1), 100 (1 - x), -x; of all along an axis: 100 (most / least - 1), Pearson's r with
// another column
typedef enum {
  PaperPlain,
  PaperGain,
  PaperReduction,
  PaperNegative,
  PaperSpread,
  PaperCorrelation
} paper_form_e;
typedef enum {
  PaperNoTrend,
  PaperRises,
  PaperFalls,
  PaperSteady,
  PaperMost,
  PaperLeast,
  PaperCrosses,
  PaperExact,  // of one value, from here on
  PaperReaches,
  PaperStays
} paper_trend_e;
typedef enum { PaperUnjudged, PaperHeld, PaperMissed, PaperUnmeasured } paper_verdict_e;

// One stated figure and how ours is taken from the table.
typedef struct {
  const paper_stated_t *stated;
  const char *column, *with, *along, *why, *note;  // with: of a correlation
  paper_cell_t cells[PaperMaxCells], over;  // over: axes that are others in the base; none: no base
  uint32_t cell_count, digits;
  paper_form_e form;
  paper_trend_e trend;
  double within, points;  // tolerance in percent of the stated one, or absolute; 0: none
  double through;         // crosses: the value at which the axis is read
  double step;            // rises, falls: least change from the first to the last, percent of it
  const yaml_node_t *at;
  // Result
  paper_verdict_e verdict;
  double ours[PaperMaxCells];
  const char *names[PaperMaxCells];  // of a trend along an axis
  uint32_t ours_count;
} paper_row_t;

typedef struct {
  const char *name, *title, *sweep, *text;  // sweep: the file; name: of its folder
  const char *plots[YamlMaxWords], *frames[YamlMaxWords],
      *full_frames[YamlMaxWords];  // NULL at the end
  const char *sets[YamlMaxWords];  // KEY=VALUE, over the sweep's own
  bool only_full;
  paper_row_t *rows;
  uint32_t row_count;
  const yaml_node_t *at;
  sweep_t *result;  // of its table; NULL: no result
  json_t *table;    // its rows
} paper_figure_t;

typedef struct {
  const char *file, *title, *text;
  const char *of;  // the paper's name in the file of the stated figures; NULL: none
  paper_figure_t *figures;
  uint32_t figure_count;
} paper_page_t;

typedef struct {
  yaml_file_t file, stated_file;
  paper_stated_t *stated;
  uint32_t stated_count;
  paper_page_t *pages;
  uint32_t page_count;
} paper_t;

typedef struct {
  const char *program, *engine, *runs, *out,
      *cache;                                  // runs: the sweeps' folders; cache NULL: theirs
  const char *docs;                            // where docs/ is, seen from out
  uint32_t jobs;                               // 0: one for each processor
  const char *sweep_options[PaperMaxOptions];  // handed to each sweep as they are
  uint32_t sweep_option_count;
  bool full;
} paper_options_t;

// Reads a file. paper_free is needed in any case.
bool paper_load(paper_t *paper, const char *path, err_t *err);
void paper_free(paper_t *paper);

// Runs the sweeps one after the other, a line for each. Returns how many failed in part or in
// whole.
uint32_t paper_run(const paper_t *paper, const paper_options_t *options);

// Takes over the tables of the sweeps that have run.
bool paper_take_tables(const paper_t *paper, const paper_options_t *options, err_t *err);

// Takes the values of all rows from the tables and judges them.
bool paper_judge(paper_t *paper, const paper_options_t *options, err_t *err);

// Writes the pages and their plots, of nothing but the tables in the folder of the pages, the
// sweeps' files, and the files of the pages.
bool paper_write(paper_t *paper, const paper_options_t *options, err_t *err);

// A figure is part of this set.
static inline bool paper_has(const paper_figure_t *figure, const paper_options_t *options) {
  return options->full || !figure->only_full;
}

// A page with its prose in lines of at most 120 columns; tables, code and pictures as they are.
void paper_fold(FILE *to, const char *text);

#endif
