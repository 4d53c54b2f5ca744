// SPDX-License-Identifier: Apache-2.0
// Sweep files: YAML to sweep_t.
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/frame/generate_frame.h"
#include "sweep_grid.h"

// ---- References to the grid ----

static int32_t find_axis(const sweep_t *s, const char *name) {
  for (uint32_t i = 0; i < s->axis_count; i++) {
    if (strcmp(s->axes[i].name, name) == 0) {
      return (int32_t)i;
    }
  }
  return -1;
}

// Reads the name of an axis into an int32_t or uint32_t.
static bool read_axis(const yaml_at_t *at, void *field) {
  const char *name = NULL;
  if (!yaml_at_word(at, &name)) {
    return false;
  }
  int32_t axis = find_axis(sweep_of(at), name);
  *(int32_t *)field = axis;
  return axis >= 0 || yaml_at_fail(at, "%s: %s: expected an axis of the grid", at->what, name);
}

// Returns the index of a value of the axis, or -1.
static int32_t find_choice(const sweep_axis_t *a, const char *text) {
  for (uint32_t i = 0; i < a->count; i++) {
    const char *value = a->choices[i].sets.count ? a->choices[i].sets.sets[0].value : "";
    if (strcmp(a->choices[i].label, text) == 0 || strcmp(value, text) == 0) {
      return (int32_t)i;
    }
  }
  return -1;
}

static bool read_index(const yaml_at_t *at, int32_t axis, bool means, int32_t *choice) {
  static const char *const names[] = {"mean", "max", "min"};
  const sweep_t *s = sweep_of(at);
  const sweep_axis_t *a = &s->axes[axis];
  const char *text = NULL;
  if (!yaml_at_word(at, &text)) {
    return false;
  }
  if ((*choice = find_choice(a, text)) >= 0) {
    return true;
  }
  for (int32_t k = 0; means && axis == s->summary_axis && k < 3; k++) {
    for (uint32_t i = 0; strcmp(text, names[k]) == 0 && i < s->summary_count; i++) {
      if (s->summary[i] == SweepMean - k) {
        *choice = SweepMean - k;
        return true;
      }
    }
  }
  return yaml_at_fail(at, "%s: %s: no such value in the grid", a->name, text);
}

// {AXIS: VALUE, ...}
static bool read_place(const yaml_at_t *at, bool means, int32_t *place) {
  for (uint32_t i = 0; i < SweepMaxAxes; i++) {
    place[i] = SweepAny;
  }
  if (!is_map(at)) {
    return false;
  }
  for (Pairs(p, at->node)) {
    yaml_at_t pair = pair_at(at, p), key = key_at(&pair);
    int32_t axis = -1;
    if (!read_axis(&key, &axis)) {
      return false;
    }
    pair.what = sweep_of(at)->axes[axis].name;
    if (!read_index(&pair, axis, means, &place[axis])) {
      return false;
    }
  }
  return true;
}

static bool read_where(const yaml_at_t *at, void *field) { return read_place(at, true, field); }

// ---- Pins ----

static bool read_when(const yaml_at_t *at, void *field) {
  uint64_t *when = field;
  if (!is_map(at)) {
    return false;
  }
  for (Pairs(p, at->node)) {
    yaml_at_t pair = pair_at(at, p), key = key_at(&pair);
    int32_t axis = -1, choice = 0;
    if (!read_axis(&key, &axis)) {
      return false;
    }
    const yaml_node_t *value = pair.node;
    bool is_list = value->type == YAML_SEQUENCE_NODE;
    size_t count =
        is_list ? (size_t)(value->data.sequence.items.top - value->data.sequence.items.start) : 1;
    const sweep_axis_t *a = &sweep_of(at)->axes[axis];
    const char *text = NULL;
    pair.what = a->name;
    for (size_t i = 0; i < count; i++) {
      pair.node = is_list ? yaml_file_node(at->file, value->data.sequence.items.start[i]) : value;
      if (a->is_limited && yaml_at_word(&pair, &text) && find_choice(a, text) < 0) {
        choice = SweepMaxChoices - 1;  // --only left it out: no row's
      } else if (!read_index(&pair, axis, false, &choice)) {
        return false;
      }
      when[axis] |= UINT64_C(1) << choice;
    }
  }
  return true;
}

static const yaml_row_t PinRows[] = {
    YamlRow("when", YamlCall, sweep_pin_t, when, .read = read_when),
    YamlRow("set", YamlCall, sweep_pin_t, sets, .read = sweep_read_sets),
    {0}};
static const yaml_table_t Pin = {.shape = "{when: ..., set: ...}", .rows = PinRows};

// ---- Columns ----

// An axis in braces, at most one.
static bool fits_axis(const yaml_at_t *at, const char *key) {
  const sweep_t *s = sweep_of(at);
  const char *open = strchr(key, '{'), *close = open ? strchr(open, '}') : NULL;
  for (uint32_t a = 0; close && a < s->axis_count; a++) {
    size_t length = strlen(s->axes[a].name);
    if (length == (size_t)(close - open - 1) && strncmp(s->axes[a].name, open + 1, length) == 0) {
      return strpbrk(close + 1, "{}") == NULL ||
             yaml_at_fail(at, "%s: %s: expected one {AXIS}", at->what, key);
    }
  }
  return !strpbrk(key, "{}") ||
         yaml_at_fail(at, "%s: %s: expected an axis in the braces", at->what, key);
}

static bool read_keys(const yaml_at_t *at, void *field) {
  const char **keys = field;
  if (!yaml_file_words(at->file, at->node, at->what, keys)) {
    return false;
  }
  for (uint32_t i = 0; keys[i]; i++) {
    const char *star = strchr(keys[i], '*'), *key = star ? star + 1 : keys[i];
    char *end = NULL;
    if (star && (strtod(keys[i], &end), end != star)) {
      return yaml_at_fail(at, "%s: %s: expected KEY or NUMBER*KEY", at->what, keys[i]);
    }
    if (strncmp(key, "engine", 6) == 0 || strncmp(key, "timing", 6) == 0) {
      return yaml_at_fail(at,
                          "%s: %s differs from run to run, expected a key outside engine and "
                          "timing",
                          at->what, key);
    }
    if (!fits_axis(at, key)) {
      return false;
    }
  }
  return true;
}

static const char *const Kinds[] = {[SweepSpeedup] = "speedup_over",
                                    [SweepRelative] = "relative_to",
                                    [SweepChange] = "change_from"};

// Reads the base row of one of the kinds.
static bool read_base(const yaml_at_t *at, void *field) {
  sweep_column_t *c = field;
  if (c->kind != SweepPlain) {
    return yaml_file_fail(at->file, at->key, "%s: one of speedup_over, relative_to and change_from",
                          at->what);
  }
  c->kind = SweepSpeedup;
  while (strcmp(Kinds[c->kind], at->what) != 0) {
    c->kind++;
  }
  return read_place(at, false, c->base);
}

enum { ColumnMean = 6 };  // the row of `mean`

static bool check_column(const yaml_at_t *at, void *entry, uint64_t given) {
  sweep_column_t *c = entry;
  if (c->base_keys[0] && c->kind == SweepPlain) {
    return yaml_at_fail(at,
                        "columns: base_key belongs to speedup_over, relative_to or change_from");
  }
  if (!is_name(c->name)) {
    return yaml_at_fail(at, "columns: %s: expected a name without commas and quotes", c->name);
  }
  for (const sweep_column_t *other = sweep_of(at)->columns; other < c; other++) {
    if (strcmp(other->name, c->name) == 0) {
      return yaml_at_fail(at, "columns: %s is there twice", c->name);
    }
  }
  bool is_ratio = c->kind == SweepSpeedup || c->kind == SweepRelative;
  if (!(given >> ColumnMean & 1) && is_ratio) {
    c->mean = SweepGeometric;
  }
  return true;
}

static const char *const Means[] = {"arithmetic", "geometric", "none", NULL};
static const yaml_row_t ColumnRows[] = {
    YamlRow("name", YamlWord, sweep_column_t, name, .required = true),
    YamlRow("key", YamlCall, sweep_column_t, keys, .read = read_keys, .required = true),
    YamlRow("per", YamlCall, sweep_column_t, per, .read = read_keys),
    YamlRow("unit", YamlWord, sweep_column_t, unit),
    YamlRow("scale", YamlReal, sweep_column_t, scale),
    YamlRow("digits", YamlNumber, sweep_column_t, digits, .most = 12),
    [ColumnMean] = YamlRow("mean", YamlChoice, sweep_column_t, mean, .words = Means),
    YamlRow("base_key", YamlCall, sweep_column_t, base_keys, .read = read_keys),
    {.key = "speedup_over", .kind = YamlCall, .read = read_base},
    {.key = "relative_to", .kind = YamlCall, .read = read_base},
    {.key = "change_from", .kind = YamlCall, .read = read_base},
    {0}};
static const yaml_table_t Column = {.shape = "{name: ..., key: ...}",
                                    .rows = ColumnRows,
                                    .check = check_column,
                                    .keeps_at = true,
                                    .at_offset = offsetof(sweep_column_t, at)};
static const sweep_column_t ColumnStart = {.unit = "", .scale = 1, .digits = 3};

// ---- Summary ----

static bool read_kind(const yaml_at_t *at, void *field) {
  static const char *const kinds[] = {"mean", "max", "min", NULL};
  int kind = 0;
  bool ok = yaml_at_choice(at, kinds, &kind);
  *(int32_t *)field = SweepMean - kind;
  return ok;
}

static bool check_summary(const yaml_at_t *at, void *entry, uint64_t given) {
  sweep_t *s = entry;
  (void)at, (void)given;
  if (s->summary_count == 0) {
    s->summary[s->summary_count++] = SweepMean;
  }
  return true;
}

static const yaml_list_t Summaries = {.read = read_kind,
                                      .size = sizeof(int32_t),
                                      .most = 3,
                                      .count_offset = offsetof(sweep_t, summary_count)};
static const yaml_row_t SummaryRows[] = {
    YamlRow("over", YamlCall, sweep_t, summary_axis, .read = read_axis, .required = true),
    YamlRow("rows", YamlList, sweep_t, summary, .list = &Summaries),
    {0}};
static const yaml_table_t Summary = {
    .shape = "over: AXIS", .rows = SummaryRows, .check = check_summary};

// ---- Plots ----

static bool read_column_name(const yaml_at_t *at, void *field) {
  const sweep_t *s = sweep_of(at);
  const char *name = NULL;
  if (!yaml_at_word(at, &name)) {
    return false;
  }
  for (uint32_t column = 0; column < s->column_count; column++) {
    if (strcmp(s->columns[column].name, name) == 0) {
      *(uint32_t *)field = column;
      return true;
    }
  }
  return yaml_at_fail(at, "%s: %s: expected a column", at->what, name);
}

// Every axis with more than one value is drawn or has a place in where.
static bool check_axes(const yaml_at_t *at, sweep_plot_t *plot) {
  const sweep_t *s = sweep_of(at);
  for (uint32_t i = 0; i < s->axis_count; i++) {
    bool drawn = i == plot->x || (int32_t)i == plot->series;
    if (drawn && plot->where[i] != SweepAny) {
      return yaml_at_fail(at, "plots: %s: axis %s is drawn and in where", plot->name,
                          s->axes[i].name);
    }
    if (!drawn && plot->where[i] == SweepAny) {
      if (s->axes[i].count > 1) {
        return yaml_at_fail(at, "plots: %s: axis %s is neither x nor series nor in where",
                            plot->name, s->axes[i].name);
      }
      plot->where[i] = 0;
    }
  }
  return true;
}

static bool check_plot(const yaml_at_t *at, void *entry, uint64_t given) {
  sweep_t *s = sweep_of(at);
  sweep_plot_t *plot = entry;
  (void)given;
  if (strspn(plot->name,
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "0123456789_-.") != strlen(plot->name)) {
    return yaml_at_fail(at, "plots: expected a name of letters, digits, _ . and -");
  }
  for (const sweep_plot_t *other = s->plots; other < plot; other++) {
    if (strcmp(other->name, plot->name) == 0) {
      return yaml_at_fail(at, "plots: %s is there twice", plot->name);
    }
  }
  if (plot->series >= 0 && plot->column_count > 1 && plot->kind != SweepStacked) {
    return yaml_at_fail(at, "plots: %s: expected one column beside a series", plot->name);
  }
  if (plot->right >= 0 && plot->kind != SweepLines) {
    return yaml_at_fail(at, "plots: %s: right belongs to lines", plot->name);
  }
  if ((plot->stated > 0) != (plot->stated_of != NULL)) {
    return yaml_at_fail(at, "plots: %s: stated and stated_of go together", plot->name);
  }
  if (!check_axes(at, plot)) {
    return false;
  }
  const sweep_column_t *c = &s->columns[plot->columns[0]];
  if (!plot->y_label) {
    plot->y_label = *c->unit ? strings_format(&s->texts, "%s (%s)", c->name, c->unit) : c->name;
  }
  plot->x_label = plot->x_label ? plot->x_label : "";
  plot->title = plot->title ? plot->title : s->title;
  return true;
}

static const char *const PlotKinds[] = {"bars", "stacked", "lines", NULL};
static const yaml_list_t PlotColumns = {.read = read_column_name,
                                        .size = sizeof(uint32_t),
                                        .count_offset = offsetof(sweep_plot_t, column_count),
                                        .least = 1,
                                        .most = SweepMaxColumns,
                                        .or_one = true};
static const yaml_row_t PlotRows[] = {
    YamlRow("name", YamlWord, sweep_plot_t, name, .required = true),
    YamlRow("kind", YamlChoice, sweep_plot_t, kind, .words = PlotKinds),
    YamlRow("column", YamlList, sweep_plot_t, columns, .list = &PlotColumns, .required = true),
    YamlRow("right", YamlCall, sweep_plot_t, right, .read = read_column_name),
    YamlRow("x", YamlCall, sweep_plot_t, x, .read = read_axis, .required = true),
    YamlRow("series", YamlCall, sweep_plot_t, series, .read = read_axis),
    YamlRow("where", YamlCall, sweep_plot_t, where, .read = read_where),
    YamlRow("title", YamlWord, sweep_plot_t, title),
    YamlRow("x_label", YamlWord, sweep_plot_t, x_label),
    YamlRow("y_label", YamlWord, sweep_plot_t, y_label),
    YamlRow("log_x", YamlFlag, sweep_plot_t, log_x),
    YamlRow("log_y", YamlFlag, sweep_plot_t, log_y),
    YamlRow("stated", YamlReal, sweep_plot_t, stated, .from = DBL_MIN, .to = DBL_MAX),
    YamlRow("stated_of", YamlWord, sweep_plot_t, stated_of),
    {0}};
static const yaml_table_t Plot = {
    .shape = "{name: ..., column: ..., x: ...}", .rows = PlotRows, .check = check_plot};
static const sweep_plot_t PlotStart = {
    .series = -1,
    .right = -1,
    .where = {SweepAny, SweepAny, SweepAny, SweepAny, SweepAny, SweepAny, SweepAny, SweepAny}};

// ---- The file ----

static const yaml_list_t Pins = {.table = &Pin,
                                 .size = sizeof(sweep_pin_t),
                                 .most = SweepMaxPins,
                                 .count_offset = offsetof(sweep_t, pin_count)};
static const yaml_list_t Columns = {.table = &Column,
                                    .size = sizeof(sweep_column_t),
                                    .count_offset = offsetof(sweep_t, column_count),
                                    .most = SweepMaxColumns,
                                    .start = &ColumnStart};
static const yaml_list_t Plots = {.table = &Plot,
                                  .size = sizeof(sweep_plot_t),
                                  .count_offset = offsetof(sweep_t, plot_count),
                                  .most = SweepMaxPlots,
                                  .start = &PlotStart};

static const char *const Prints[] = {"all", "summary", NULL};

// In this order, as the later rows refer to the earlier ones.
static const yaml_row_t Rows[] = {
    YamlRow("title", YamlWord, sweep_t, title),
    YamlRow("source", YamlWord, sweep_t, source),
    YamlRow("note", YamlWord, sweep_t, note),
    YamlRow("config", YamlCall, sweep_t, fixed, .read = sweep_read_fixed),
    YamlRow("frame", YamlCall, sweep_t, fixed, .read = sweep_read_fixed),
    YamlRow("frames", YamlCall, sweep_t, fixed, .read = sweep_read_fixed),
    YamlRow("count", YamlNumber, sweep_t, frames, .least = 1, .most = FrameMaxFrames),
    YamlRow("seed", YamlNumber64, sweep_t, seed, .most = UINT64_MAX - 1),
    YamlRow("set", YamlCall, sweep_t, fixed, .read = sweep_read_sets),
    YamlRow("pictures", YamlFlag, sweep_t, pictures),
    YamlRow("timeout", YamlNumber64, sweep_t, seconds, .least = 1, .most = 10000000),
    YamlRow("grid", YamlCall, sweep_t, grid, .read = sweep_read_grid, .required = true),
    YamlRow("pins", YamlList, sweep_t, pins, .list = &Pins),
    YamlRow("columns", YamlList, sweep_t, columns, .list = &Columns, .required = true),
    {.key = "summary", .kind = YamlMap, .table = &Summary},
    YamlRow("print", YamlChoice, sweep_t, prints, .words = Prints),
    YamlRow("plots", YamlList, sweep_t, plots, .list = &Plots),
    {0}};
static const yaml_table_t Table = {.shape = "grid and columns", .rows = Rows};

bool sweep_load(sweep_t *s, const char *path, const sweep_options_t *options, err_t *err) {
  *s = (sweep_t){.summary_axis = -1, .seed = 1, .seconds = 36000, .frames = FrameSequenceFrames};
  const char *base = strrchr(path, '/');
  base = base ? base + 1 : path;
  const char *dot = strrchr(base, '.');
  s->name =
      strings_bytes(&s->texts, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
  s->title = s->name;
  reader_t reader = {s, options};
  if (!yaml_table_load(&s->file, path, &Table, &reader, s, err)) {
    return false;
  }
  s->seed = options->has_seed ? options->seed : s->seed;
  return !s->texts.failed || err_memory(err, path);
}

void sweep_free(sweep_t *s) {
  for (uint32_t i = 0; i < s->axis_count; i++) {
    free(s->axes[i].choices);
  }
  strings_free(&s->texts);
  free(s->rows);
  free(s->config_sha256);
  free(s->frame_hash);
  yaml_file_free(&s->file);
  *s = (sweep_t){0};
}
