// SPDX-License-Identifier: Apache-2.0
// A sweep: a grid of runs of `nocturne run`, one table of their results, and plots. The file
// that describes it: docs/how-to/sweep.md.
//
// Call order: sweep_load, sweep_expand, then regress_run on the list of tests (one for each
// different run), then sweep_gather and the writers.
#ifndef NOCTURNE_SWEEP_SWEEP_H
#define NOCTURNE_SWEEP_SWEEP_H

#include <jansson.h>
#include <stdio.h>

#include "tb/harness/own.h"
#include "tb/regress/regress.h"

#include "csim/base/strings.h"
#include "csim/base/yaml_file.h"

enum {
  SweepMaxAxes = 8,
  SweepMaxChoices = 64,
  SweepMaxSets = 24,
  SweepMaxPins = 16,
  SweepMaxColumns = 32,
  SweepMaxKeys = 12,
  SweepMaxPlots = 16,
  SweepMaxRows = 20000
};

// Values of an axis in a row: an index of its choices, or one of these.
enum { SweepAny = -1, SweepMean = -2, SweepMost = -3, SweepLeast = -4 };

// One setting: a key of the configuration, or `frame`, `frames`, `config`, `unit` or `driver`.
typedef struct {
  const char *key, *value;
  const yaml_node_t *at;
} sweep_set_t;

typedef struct {
  sweep_set_t sets[SweepMaxSets];
  uint32_t count;
} sweep_sets_t;

typedef struct {
  const char *label;
  sweep_sets_t sets;
} sweep_choice_t;

typedef struct {
  const char *name;
  sweep_choice_t *choices;
  uint32_t count;
  bool is_limited;  // --only left values out
} sweep_axis_t;

// Where the axes have one of these choices, these settings hold instead of the grid's.
typedef struct {
  uint64_t when[SweepMaxAxes];  // a bit for each choice; 0: any
  sweep_sets_t sets;
} sweep_pin_t;

typedef enum {
  SweepPlain,
  SweepSpeedup,   // base row's value over the row's
  SweepRelative,  // the row's value over the base row's
  SweepChange,    // the latter minus one, in percent
} sweep_kind_e;

typedef enum { SweepArithmetic, SweepGeometric, SweepNoMean } sweep_mean_e;

typedef struct {
  const char *name, *unit;
  // Sum of the keys over the sum of per; KEY or NUMBER*KEY.
  const char *keys[YamlMaxWords], *per[YamlMaxWords];
  const char *base_keys[YamlMaxWords];  // of the base row; [0] NULL: the same
  double scale;
  sweep_kind_e kind;
  int32_t base[SweepMaxAxes];  // the base row's choices; SweepAny: as in the row
  uint32_t digits;             // printed
  sweep_mean_e mean;
  const yaml_node_t *at;
} sweep_column_t;

typedef enum { SweepBars, SweepStacked, SweepLines } sweep_plot_e;

typedef struct {
  const char *name, *title, *x_label, *y_label;
  sweep_plot_e kind;
  uint32_t columns[SweepMaxColumns], column_count;
  int32_t right;                // column of the second y axis, or -1
  uint32_t x;                   // axis
  int32_t series;               // axis, or -1: the columns are the series; stacked: side by side
  int32_t where[SweepMaxAxes];  // of the other axes
  bool log_x, log_y;            // lines only
  double stated;                // a paper's value, a line across the plot; 0: none
  const char *stated_of;        // what it is of
} sweep_plot_t;

typedef struct {
  int32_t at[SweepMaxAxes];
  size_t test;                     // of the list; rows of means have none
  double values[SweepMaxColumns];  // NAN: none
  double base[SweepMaxColumns];    // as the base of other rows
} sweep_row_t;

typedef struct {
  yaml_file_t file;
  const char *name;  // of the file, without folder and suffix
  const char *title, *source, *note;
  sweep_sets_t fixed;
  uint64_t seed, seconds;
  uint32_t frames;  // of generated sequences
  bool pictures;
  sweep_axis_t axes[SweepMaxAxes];
  uint32_t axis_count;
  const yaml_node_t *grid;
  sweep_pin_t pins[SweepMaxPins];
  uint32_t pin_count;
  sweep_column_t columns[SweepMaxColumns];
  uint32_t column_count;
  int prints;            // 1: of the table only the summary is printed
  int32_t summary_axis;  // -1: none
  int32_t summary[3];    // SweepMean, SweepMost, SweepLeast
  uint32_t summary_count;
  sweep_plot_t plots[SweepMaxPlots];
  uint32_t plot_count;
  sweep_row_t *rows;  // the grid's in its order, the last axis fastest; then the summary's
  size_t row_count, grid_rows;
  char (*config_sha256)[65], (*frame_hash)[24];  // of each test
  uint64_t compared, mismatches;                 // of all results
  strings_t texts;                               // owns labels and names made of the file's words
} sweep_t;

typedef struct {
  const char *frames[SweepMaxChoices];  // instead of the file's
  uint32_t frame_count;
  const char *sets[SweepMaxSets];  // KEY=VALUE, over all others
  uint32_t set_count;
  own_options_t own;                  // of all runs
  const char *only[SweepMaxChoices];  // AXIS=VALUE: of these axes no other values
  uint32_t only_count;
  const char *config;  // instead of the file's, or NULL
  const char *engine;
  uint64_t seed;
  bool has_seed;
} sweep_options_t;

// Reads a file. sweep_free is needed in any case.
bool sweep_load(sweep_t *sweep, const char *path, const sweep_options_t *options, err_t *err);
void sweep_free(sweep_t *sweep);

// Makes the rows and the list of runs, each different one once, and checks every configuration
// with its frame.
bool sweep_expand(sweep_t *sweep, const sweep_options_t *options, test_list_t *list, err_t *err);

// The rows alone, without values: what sweep_expand begins with.
bool sweep_make_rows(sweep_t *sweep, err_t *err);

// Instead of sweep_expand and sweep_gather: the rows of a table.csv that this sweep has written.
bool sweep_read(sweep_t *sweep, const char *path, err_t *err);

// Reads the results (FOLDER/logs) into the rows and computes what is normalised and the means.
bool sweep_gather(sweep_t *sweep, const regress_t *regress, err_t *err);

// The hash of a sequence's frames, from that of those before (0: none): of one frame its own.
uint64_t sweep_hash(uint64_t before, uint64_t frame);

// Label of an axis in a row: of its choice, or mean, max, min.
const char *sweep_label(const sweep_t *sweep, const sweep_row_t *row, uint32_t axis);

// The row with these choices, or NULL.
const sweep_row_t *sweep_find(const sweep_t *sweep, const int32_t at[SweepMaxAxes]);

// FOLDER/table.csv, table.json and table.txt; the last one also to standard output.
bool sweep_write(const sweep_t *sweep, const regress_t *regress, const char *folder, err_t *err);

// Writes table.txt, or of it only the summary, and the part of table.json that is known without the
// runs.
void sweep_write_text(const sweep_t *sweep, bool only_summary, FILE *file);
json_t *sweep_json(const sweep_t *sweep);

// FOLDER/NAME.gp and NAME.svg of every plot.
bool sweep_draw(const sweep_t *sweep, const char *folder, err_t *err);

#endif
