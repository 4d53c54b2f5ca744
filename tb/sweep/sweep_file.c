// SPDX-License-Identifier: Apache-2.0
// Sweep files: YAML to sweep_t.
#include <libgen.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

#define fail(s, ...) yaml_file_fail(&(s)->file, __VA_ARGS__)
#define node_of(s, index) yaml_file_node(&(s)->file, index)
#define text_of(s, node, what, text) yaml_file_text(&(s)->file, node, what, text)
#define Pairs(p, node)                                                                            \
  yaml_node_pair_t *p = (node)->data.mapping.pairs.start; p < (node)->data.mapping.pairs.top; p++
#define Items(i, node)                                         \
  yaml_node_item_t *i = (node)->data.sequence.items.start;     \
  i < (node)->data.sequence.items.top;                         \
  i++

const char *sweep_text(sweep_t *s, const char *format, ...) {
  char *text = NULL;
  va_list args;
  if ((s->text_count & (s->text_count - 1)) == 0) {
    char **texts = realloc(s->texts, (s->text_count ? 2 * s->text_count : 16) * sizeof *texts);
    if (!texts) {
      return NULL;
    }
    s->texts = texts;
  }
  va_start(args, format);
  int n = vasprintf(&text, format, args);
  va_end(args);
  if (n < 0) {
    return NULL;
  }
  return s->texts[s->text_count++] = text;
}

// ---- Words ----

static bool mapping(const sweep_t *s, const yaml_node_t *node, const char *what) {
  return node->type == YAML_MAPPING_NODE || fail(s, node, "%s: expected {KEY: VALUE}", what);
}

static bool sequence(const sweep_t *s, const yaml_node_t *node, const char *what) {
  return node->type == YAML_SEQUENCE_NODE || fail(s, node, "%s: expected a list", what);
}

static bool real_of(const sweep_t *s, const yaml_node_t *node, const char *what, double *value) {
  const char *text = NULL;
  char *end = NULL;
  if (!text_of(s, node, what, &text)) {
    return false;
  }
  *value = strtod(text, &end);
  return (end != text && !*end && isfinite(*value)) ||
         fail(s, node, "%s: %.40s: expected a number", what, text);
}

static bool bool_of(const sweep_t *s, const yaml_node_t *node, const char *what, bool *value) {
  const char *text = NULL;
  if (!text_of(s, node, what, &text)) {
    return false;
  }
  *value = strcmp(text, "true") == 0;
  return *value || strcmp(text, "false") == 0 || fail(s, node, "%s: expected true or false", what);
}

// One of the words; "expected A, B or C" otherwise.
static bool word_of(const sweep_t *s, const yaml_node_t *node, const char *what,
                    const char *const *words, int32_t *index) {
  const char *text = NULL;
  char list[256] = "";
  if (!text_of(s, node, what, &text)) {
    return false;
  }
  for (*index = 0; words[*index]; ++*index) {
    if (strcmp(text, words[*index]) == 0) {
      return true;
    }
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%.40s",
             !*index ? "" : words[*index + 1] ? ", " : " or ", words[*index]);
  }
  return fail(s, node, "%s: %.40s: expected %s", what, text, list);
}

// ---- Settings and the grid ----

static bool add_set(const sweep_t *s, sweep_sets_t *sets, const char *key, const char *value,
                    const yaml_node_t *at) {
  if (sets->count == SweepMaxSets) {
    return fail(s, at, "more than %d settings", SweepMaxSets);
  }
  sets->sets[sets->count++] = (sweep_set_t){key, value, at};
  return true;
}

static bool sets_of(const sweep_t *s, const yaml_node_t *node, const char *what,
                    sweep_sets_t *sets) {
  if (!mapping(s, node, what)) {
    return false;
  }
  for (Pairs(p, node)) {
    const char *key = NULL, *value = NULL;
    if (!text_of(s, node_of(s, p->key), what, &key) ||
        !text_of(s, node_of(s, p->value), key, &value) ||
        !add_set(s, sets, key, value, node_of(s, p->key))) {
      return false;
    }
  }
  return true;
}

// A frame, a sequence or a configuration is called by its name, without gen:, folder and suffix.
static const char *label_of(sweep_t *s, const char *axis, const char *value) {
  if (strcmp(axis, "frame") != 0 && strcmp(axis, "frames") != 0 && strcmp(axis, "config") != 0) {
    return value;
  }
  const char *start = strrchr(value, '/');
  start = start ? start + 1 : strncmp(value, "gen:", 4) == 0 ? value + 4 : value;
  const char *dot = strrchr(start, '.');
  bool suffix = dot && (strcmp(dot, ".nframe") == 0 || strcmp(dot, ".yaml") == 0);
  return sweep_text(s, "%.*s", (int)(suffix ? dot - start : (int)strlen(start)), start);
}

static bool add_choice(sweep_t *s, sweep_axis_t *axis, const char *label, const yaml_node_t *at) {
  if (!label || axis->count == SweepMaxChoices) {
    return fail(s, at, "%.60s: out of memory, or more than %d values", axis->name,
                SweepMaxChoices);
  }
  for (uint32_t i = 0; i < axis->count; i++) {
    if (strcmp(axis->choices[i].label, label) == 0) {
      return fail(s, at, "%.60s: %.60s is there twice", axis->name, label);
    }
  }
  if (!*label || strpbrk(label, ",\"\n\t|")) {
    return fail(s, at, "%.60s: %.60s: expected a name without commas and quotes", axis->name,
                label);
  }
  axis->choices[axis->count++].label = label;
  return true;
}

// A value of the axis's key, or NAME: {KEY: VALUE, ...}.
static bool choice_of(sweep_t *s, sweep_axis_t *axis, const yaml_node_t *node) {
  const char *text = NULL;
  if (node->type == YAML_MAPPING_NODE &&
      node->data.mapping.pairs.top - node->data.mapping.pairs.start == 1) {
    const yaml_node_pair_t *p = node->data.mapping.pairs.start;
    return text_of(s, node_of(s, p->key), axis->name, &text) &&
           add_choice(s, axis, text, node_of(s, p->key)) &&
           sets_of(s, node_of(s, p->value), text, &axis->choices[axis->count - 1].sets);
  }
  if (node->type != YAML_SCALAR_NODE) {
    return fail(s, node, "%.60s: expected a value or NAME: {KEY: VALUE}", axis->name);
  }
  return text_of(s, node, axis->name, &text) &&
         add_choice(s, axis, label_of(s, axis->name, text), node) &&
         add_set(s, &axis->choices[axis->count - 1].sets, axis->name, text, node);
}

static sweep_axis_t *add_axis(sweep_t *s, const char *name, const yaml_node_t *at) {
  if (s->axis_count == SweepMaxAxes) {
    fail(s, at, "grid: more than %d axes", SweepMaxAxes);
    return NULL;
  }
  sweep_axis_t *axis = &s->axes[s->axis_count++];
  *axis = (sweep_axis_t){.name = name, .choices = calloc(SweepMaxChoices, sizeof *axis->choices)};
  if (!axis->choices) {
    fail(s, at, "out of memory");
    return NULL;
  }
  return axis;
}

static bool read_grid(sweep_t *s, const yaml_node_t *node) {
  s->grid = node;
  if (!mapping(s, node, "grid")) {
    return false;
  }
  for (Pairs(p, node)) {
    const yaml_node_t *key = node_of(s, p->key), *values = node_of(s, p->value);
    const char *name = NULL;
    if (!text_of(s, key, "grid", &name) || !sequence(s, values, name)) {
      return false;
    }
    sweep_axis_t *axis = add_axis(s, name, key);
    if (!axis) {
      return false;
    }
    if (values->data.sequence.items.start == values->data.sequence.items.top) {
      return fail(s, values, "%.60s: expected at least one value", name);
    }
    for (Items(i, values)) {
      if (!choice_of(s, axis, node_of(s, *i))) {
        return false;
      }
    }
  }
  return true;
}

// --frame and --config take the place of the file's.
static bool replace(sweep_t *s, const sweep_options_t *o) {
  const yaml_node_t *at = s->grid;
  if (o->config && !add_set(s, &s->fixed, "config", o->config, at)) {
    return false;
  }
  if (o->frame_count == 0) {
    return true;
  }
  sweep_axis_t *axis = NULL;
  for (uint32_t i = 0; i < s->axis_count; i++) {
    axis = strcmp(s->axes[i].name, "frame") == 0 ? &s->axes[i] : axis;
  }
  if (!axis && o->frame_count == 1) {
    return add_set(s, &s->fixed, "frame", o->frames[0], at);
  }
  if (axis) {
    memset(axis->choices, 0, SweepMaxChoices * sizeof *axis->choices);
    axis->count = 0;
  } else if (!(axis = add_axis(s, "frame", at))) {
    return false;
  }
  for (uint32_t i = 0; i < o->frame_count; i++) {
    if (!add_choice(s, axis, label_of(s, "frame", o->frames[i]), at) ||
        !add_set(s, &axis->choices[axis->count - 1].sets, "frame", o->frames[i], at)) {
      return false;
    }
  }
  return true;
}

// ---- References to the grid ----

static int32_t find_axis(const sweep_t *s, const char *name) {
  for (uint32_t i = 0; i < s->axis_count; i++) {
    if (strcmp(s->axes[i].name, name) == 0) {
      return (int32_t)i;
    }
  }
  return -1;
}

static bool axis_of(const sweep_t *s, const yaml_node_t *node, const char *what, int32_t *axis) {
  const char *name = NULL;
  if (!text_of(s, node, what, &name)) {
    return false;
  }
  *axis = find_axis(s, name);
  return *axis >= 0 || fail(s, node, "%s: %.60s: expected an axis of the grid", what, name);
}

static bool choice_index(const sweep_t *s, const yaml_node_t *node, int32_t axis, bool means,
                         int32_t *choice) {
  const sweep_axis_t *a = &s->axes[axis];
  const char *text = NULL;
  if (!text_of(s, node, a->name, &text)) {
    return false;
  }
  for (uint32_t i = 0; i < a->count; i++) {
    const char *value = a->choices[i].sets.count ? a->choices[i].sets.sets[0].value : "";
    if (strcmp(a->choices[i].label, text) == 0 || strcmp(value, text) == 0) {
      *choice = (int32_t)i;
      return true;
    }
  }
  static const char *const names[] = {"mean", "max", "min"};
  for (int32_t k = 0; means && axis == s->summary_axis && k < 3; k++) {
    if (strcmp(text, names[k]) == 0) {
      *choice = SweepMean - k;
      for (uint32_t i = 0; i < s->summary_count; i++) {
        if (s->summary[i] == *choice) {
          return true;
        }
      }
    }
  }
  return fail(s, node, "%.60s: %.60s: no such value in the grid", a->name, text);
}

// {AXIS: VALUE, ...}
static bool place_of(const sweep_t *s, const yaml_node_t *node, const char *what, bool means,
                     int32_t place[SweepMaxAxes]) {
  for (uint32_t i = 0; i < SweepMaxAxes; i++) {
    place[i] = SweepAny;
  }
  if (!mapping(s, node, what)) {
    return false;
  }
  for (Pairs(p, node)) {
    int32_t axis = -1;
    if (!axis_of(s, node_of(s, p->key), what, &axis) ||
        !choice_index(s, node_of(s, p->value), axis, means, &place[axis])) {
      return false;
    }
  }
  return true;
}

// ---- Pins ----

static bool when_of(const sweep_t *s, const yaml_node_t *node, sweep_pin_t *pin) {
  if (!mapping(s, node, "when")) {
    return false;
  }
  for (Pairs(p, node)) {
    const yaml_node_t *value = node_of(s, p->value);
    int32_t axis = -1, choice = 0;
    if (!axis_of(s, node_of(s, p->key), "when", &axis)) {
      return false;
    }
    if (value->type != YAML_SEQUENCE_NODE) {
      if (!choice_index(s, value, axis, false, &choice)) {
        return false;
      }
      pin->when[axis] |= UINT64_C(1) << choice;
      continue;
    }
    for (Items(i, value)) {
      if (!choice_index(s, node_of(s, *i), axis, false, &choice)) {
        return false;
      }
      pin->when[axis] |= UINT64_C(1) << choice;
    }
  }
  return true;
}

static bool read_pins(sweep_t *s, const yaml_node_t *node) {
  if (!sequence(s, node, "pins")) {
    return false;
  }
  for (Items(i, node)) {
    const yaml_node_t *item = node_of(s, *i);
    if (s->pin_count == SweepMaxPins) {
      return fail(s, item, "pins: more than %d", SweepMaxPins);
    }
    sweep_pin_t *pin = &s->pins[s->pin_count++];
    if (!mapping(s, item, "pins")) {
      return false;
    }
    for (Pairs(p, item)) {
      static const char *const names[] = {"when", "set", NULL};
      int32_t which = 0;
      if (!word_of(s, node_of(s, p->key), "pins", names, &which) ||
          !(which == 0 ? when_of(s, node_of(s, p->value), pin)
                       : sets_of(s, node_of(s, p->value), "set", &pin->sets))) {
        return false;
      }
    }
  }
  return true;
}

// ---- Columns ----

// An axis in braces, at most one.
static bool fits_axis(const sweep_t *s, const yaml_node_t *node, const char *what,
                      const char *key) {
  const char *open = strchr(key, '{'), *close = open ? strchr(open, '}') : NULL;
  for (uint32_t a = 0; close && a < s->axis_count; a++) {
    size_t length = strlen(s->axes[a].name);
    if (length == (size_t)(close - open - 1) && strncmp(s->axes[a].name, open + 1, length) == 0) {
      return strpbrk(close + 1, "{}") == NULL ||
             fail(s, node, "%s: %.60s: expected one {AXIS}", what, key);
    }
  }
  return !strpbrk(key, "{}") ||
         fail(s, node, "%s: %.60s: expected an axis in the braces", what, key);
}

static bool keys_of(const sweep_t *s, const yaml_node_t *node, const char *what,
                    const char *keys[YamlMaxWords]) {
  if (!yaml_file_words(&s->file, node, what, keys)) {
    return false;
  }
  for (uint32_t i = 0; keys[i]; i++) {
    const char *star = strchr(keys[i], '*'), *key = star ? star + 1 : keys[i];
    char *end = NULL;
    if (star && (strtod(keys[i], &end), end != star)) {
      return fail(s, node, "%s: %.60s: expected KEY or NUMBER*KEY", what, keys[i]);
    }
    if (strncmp(key, "engine", 6) == 0 || strncmp(key, "timing", 6) == 0) {
      return fail(s, node, "%s: %.60s differs from run to run, expected a key outside engine and "
                  "timing", what, key);
    }
    if (!fits_axis(s, node, what, key)) {
      return false;
    }
  }
  return true;
}

static bool read_column(sweep_t *s, const yaml_node_t *node) {
  static const char *const names[] = {"name", "key", "per", "unit", "scale", "digits", "mean",
                                      "base_key", "speedup_over", "relative_to", "change_from",
                                      NULL};
  static const char *const means[] = {"arithmetic", "geometric", "none", NULL};
  if (s->column_count == SweepMaxColumns) {
    return fail(s, node, "columns: more than %d", SweepMaxColumns);
  }
  sweep_column_t *c = &s->columns[s->column_count++];
  *c = (sweep_column_t){.unit = "", .scale = 1, .digits = 3, .at = node};
  if (!mapping(s, node, "columns")) {
    return false;
  }
  bool has_mean = false;
  for (Pairs(p, node)) {
    const yaml_node_t *key = node_of(s, p->key), *value = node_of(s, p->value);
    int32_t which = 0, mean = 0;
    uint64_t digits = 0;
    bool good = word_of(s, key, "columns", names, &which);
    if (!good) {
      return false;
    }
    switch (which) {
      case 0: good = text_of(s, value, "name", &c->name); break;
      case 1: good = keys_of(s, value, "key", c->keys); break;
      case 2: good = keys_of(s, value, "per", c->per); break;
      case 3: good = text_of(s, value, "unit", &c->unit); break;
      case 4: good = real_of(s, value, "scale", &c->scale); break;
      case 5:
        good = yaml_file_number(&s->file, value, "digits", 0, 12, &digits);
        c->digits = (uint32_t)digits;
        break;
      case 6:
        good = word_of(s, value, "mean", means, &mean);
        c->mean = (sweep_mean_e)mean;
        has_mean = true;
        break;
      case 7: good = keys_of(s, value, "base_key", c->base_keys); break;
      default:
        if (c->kind != SweepPlain) {
          return fail(s, key, "%s: one of speedup_over, relative_to and change_from", names[which]);
        }
        c->kind = (sweep_kind_e)(which - 8 + SweepSpeedup);
        good = place_of(s, value, names[which], false, c->base);
    }
    if (!good) {
      return false;
    }
  }
  if (c->base_keys[0] && c->kind == SweepPlain) {
    return fail(s, node, "columns: base_key belongs to speedup_over, relative_to or change_from");
  }
  if (!c->name || !c->keys[0]) {
    return fail(s, node, "columns: expected a name and a key");
  }
  if (strpbrk(c->name, ",\"\n\t|")) {
    return fail(s, node, "columns: %.60s: expected a name without commas and quotes", c->name);
  }
  for (uint32_t i = 0; i + 1 < s->column_count; i++) {
    if (strcmp(s->columns[i].name, c->name) == 0) {
      return fail(s, node, "columns: %.60s is there twice", c->name);
    }
  }
  if (!has_mean && (c->kind == SweepSpeedup || c->kind == SweepRelative)) {
    c->mean = SweepGeometric;
  }
  return true;
}

static bool read_summary(sweep_t *s, const yaml_node_t *node) {
  static const char *const names[] = {"over", "rows", NULL};
  static const char *const kinds[] = {"mean", "max", "min", NULL};
  if (!mapping(s, node, "summary")) {
    return false;
  }
  for (Pairs(p, node)) {
    const yaml_node_t *value = node_of(s, p->value);
    int32_t which = 0, kind = 0;
    if (!word_of(s, node_of(s, p->key), "summary", names, &which) ||
        (which == 0 && !axis_of(s, value, "over", &s->summary_axis)) ||
        (which == 1 && !sequence(s, value, "rows"))) {
      return false;
    }
    for (yaml_node_item_t *i = which ? value->data.sequence.items.start : NULL;
         which && i < value->data.sequence.items.top; i++) {
      if (s->summary_count == 3 || !word_of(s, node_of(s, *i), "rows", kinds, &kind)) {
        return s->summary_count == 3 ? fail(s, value, "rows: at most mean, max and min") : false;
      }
      s->summary[s->summary_count++] = SweepMean - kind;
    }
  }
  if (s->summary_axis < 0) {
    return fail(s, node, "summary: expected over: AXIS");
  }
  if (s->summary_count == 0) {
    s->summary[s->summary_count++] = SweepMean;
  }
  return true;
}

// ---- Plots ----

static bool column_of(const sweep_t *s, const yaml_node_t *node, const char *what,
                      uint32_t *column) {
  const char *name = NULL;
  if (!text_of(s, node, what, &name)) {
    return false;
  }
  for (*column = 0; *column < s->column_count; ++*column) {
    if (strcmp(s->columns[*column].name, name) == 0) {
      return true;
    }
  }
  return fail(s, node, "%s: %.60s: expected a column", what, name);
}

static bool plot_columns(const sweep_t *s, const yaml_node_t *node, sweep_plot_t *plot) {
  if (node->type == YAML_SCALAR_NODE) {
    plot->column_count = 1;
    return column_of(s, node, "column", &plot->columns[0]);
  }
  if (!sequence(s, node, "column")) {
    return false;
  }
  for (Items(i, node)) {
    if (plot->column_count == SweepMaxColumns ||
        !column_of(s, node_of(s, *i), "column", &plot->columns[plot->column_count++])) {
      return false;
    }
  }
  return true;
}

static bool plot_is_whole(sweep_t *s, const yaml_node_t *node, sweep_plot_t *plot) {
  if (!plot->name || strspn(plot->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-.") != strlen(plot->name)) {
    return fail(s, node, "plots: expected a name of letters, digits, _ . and -");
  }
  for (uint32_t i = 0; i + 1 < s->plot_count; i++) {
    if (strcmp(s->plots[i].name, plot->name) == 0) {
      return fail(s, node, "plots: %.60s is there twice", plot->name);
    }
  }
  if (plot->column_count == 0 || plot->x == SweepMaxAxes) {
    return fail(s, node, "plots: %.60s: expected column and x", plot->name);
  }
  if (plot->series >= 0 && plot->column_count > 1 && plot->kind != SweepStacked) {
    return fail(s, node, "plots: %.60s: expected one column beside a series", plot->name);
  }
  if (plot->right >= 0 && plot->kind != SweepLines) {
    return fail(s, node, "plots: %.60s: right belongs to lines", plot->name);
  }
  for (uint32_t i = 0; i < s->axis_count; i++) {
    bool drawn = i == plot->x || (int32_t)i == plot->series;
    if (drawn && plot->where[i] != SweepAny) {
      return fail(s, node, "plots: %.60s: axis %.60s is drawn and in where", plot->name,
                  s->axes[i].name);
    }
    if (!drawn && plot->where[i] == SweepAny) {
      if (s->axes[i].count > 1) {
        return fail(s, node, "plots: %.60s: axis %.60s is neither x nor series nor in where",
                    plot->name, s->axes[i].name);
      }
      plot->where[i] = 0;
    }
  }
  const sweep_column_t *c = &s->columns[plot->columns[0]];
  if (!plot->y_label) {
    plot->y_label = *c->unit ? sweep_text(s, "%s (%s)", c->name, c->unit) : c->name;
  }
  plot->x_label = plot->x_label ? plot->x_label : "";
  plot->title = plot->title ? plot->title : s->title;
  return true;
}

static bool read_plot(sweep_t *s, const yaml_node_t *node) {
  static const char *const names[] = {"name", "kind", "column", "right", "x", "series", "where",
                                      "title", "x_label", "y_label", "log_x", "log_y", NULL};
  static const char *const kinds[] = {"bars", "stacked", "lines", NULL};
  if (s->plot_count == SweepMaxPlots) {
    return fail(s, node, "plots: more than %d", SweepMaxPlots);
  }
  sweep_plot_t *plot = &s->plots[s->plot_count++];
  *plot = (sweep_plot_t){.x = SweepMaxAxes, .series = -1, .right = -1};
  for (uint32_t i = 0; i < SweepMaxAxes; i++) {
    plot->where[i] = SweepAny;
  }
  if (!mapping(s, node, "plots")) {
    return false;
  }
  for (Pairs(p, node)) {
    const yaml_node_t *value = node_of(s, p->value);
    int32_t which = 0, index = 0;
    uint32_t column = 0;
    bool good = word_of(s, node_of(s, p->key), "plots", names, &which);
    if (!good) {
      return false;
    }
    switch (which) {
      case 0: good = text_of(s, value, "name", &plot->name); break;
      case 1:
        good = word_of(s, value, "kind", kinds, &index);
        plot->kind = (sweep_plot_e)index;
        break;
      case 2: good = plot_columns(s, value, plot); break;
      case 3:
        good = column_of(s, value, "right", &column);
        plot->right = (int32_t)column;
        break;
      case 4:
        good = axis_of(s, value, "x", &index);
        plot->x = (uint32_t)index;
        break;
      case 5: good = axis_of(s, value, "series", &plot->series); break;
      case 6: good = place_of(s, value, "where", true, plot->where); break;
      case 7: good = text_of(s, value, "title", &plot->title); break;
      case 8: good = text_of(s, value, "x_label", &plot->x_label); break;
      case 9: good = text_of(s, value, "y_label", &plot->y_label); break;
      case 10: good = bool_of(s, value, "log_x", &plot->log_x); break;
      default: good = bool_of(s, value, "log_y", &plot->log_y);
    }
    if (!good) {
      return false;
    }
  }
  return plot_is_whole(s, node, plot);
}

// ---- The file ----

static bool each(sweep_t *s, const yaml_node_t *node, const char *what,
                 bool (*read)(sweep_t *s, const yaml_node_t *node)) {
  if (!sequence(s, node, what)) {
    return false;
  }
  for (Items(i, node)) {
    if (!read(s, node_of(s, *i))) {
      return false;
    }
  }
  return true;
}

enum { KeyTitle, KeySource, KeyNote, KeyConfig, KeyFrame, KeyFrames, KeySeed, KeySet, KeyPictures,
       KeyTimeout, KeyGrid, KeyPins, KeyColumns, KeySummary, KeyPlots, KeyCount };

static bool read_key(sweep_t *s, int32_t key, const yaml_node_t *value,
                     const sweep_options_t *options) {
  const char *text = NULL;
  switch (key) {
    case KeyTitle: return text_of(s, value, "title", &s->title);
    case KeySource: return text_of(s, value, "source", &s->source);
    case KeyNote: return text_of(s, value, "note", &s->note);
    case KeyConfig:
      return text_of(s, value, "config", &text) && add_set(s, &s->fixed, "config", text, value);
    case KeyFrame:
      return text_of(s, value, "frame", &text) && add_set(s, &s->fixed, "frame", text, value);
    case KeyFrames:
      return text_of(s, value, "frames", &text) && add_set(s, &s->fixed, "frames", text, value);
    case KeySeed: return yaml_file_number(&s->file, value, "seed", 0, UINT64_MAX - 1, &s->seed);
    case KeySet: return sets_of(s, value, "set", &s->fixed);
    case KeyPictures: return bool_of(s, value, "pictures", &s->pictures);
    case KeyTimeout: return yaml_file_number(&s->file, value, "timeout", 1, 10000000, &s->seconds);
    case KeyGrid: return read_grid(s, value) && replace(s, options);
    case KeyPins: return read_pins(s, value);
    case KeyColumns: return each(s, value, "columns", read_column);
    case KeySummary: return read_summary(s, value);
    default: return each(s, value, "plots", read_plot);
  }
}

static bool read_document(sweep_t *s, const sweep_options_t *options) {
  static const char *const names[] = {"title", "source", "note", "config", "frame", "frames",
                                      "seed", "set", "pictures", "timeout", "grid", "pins",
                                      "columns", "summary", "plots", NULL};
  const yaml_node_t *root = yaml_document_get_root_node(&s->file.document);
  const yaml_node_t *values[KeyCount] = {NULL};
  if (!root) {
    snprintf(s->file.error, TestErrorSize, "%.200s:1:1: empty, expected grid and columns",
             s->file.path);
    return false;
  }
  if (!mapping(s, root, "sweep")) {
    return false;
  }
  for (Pairs(p, root)) {
    int32_t which = 0;
    if (!word_of(s, node_of(s, p->key), "sweep", names, &which)) {
      return false;
    }
    if (values[which]) {
      return fail(s, node_of(s, p->key), "%s is there twice", names[which]);
    }
    values[which] = node_of(s, p->value);
  }
  if (!values[KeyGrid] || !values[KeyColumns]) {
    return fail(s, root, "expected %s", values[KeyGrid] ? "columns" : "grid");
  }
  if (values[KeyFrame] && values[KeyFrames]) {
    return fail(s, values[KeyFrames], "frame and frames: expected one of them");
  }
  // In this order, as the later ones refer to the earlier ones.
  for (int32_t key = 0; key < KeyCount; key++) {
    if (values[key] && !read_key(s, key, values[key], options)) {
      return false;
    }
  }
  return true;
}

bool sweep_load(sweep_t *s, const char *path, const sweep_options_t *options,
                char error[TestErrorSize]) {
  char base[512];
  *s = (sweep_t){.summary_axis = -1, .seed = 1, .seconds = 36000};
  snprintf(base, sizeof base, "%s", path);
  snprintf(s->name, sizeof s->name, "%.120s", basename(base));
  char *dot = strrchr(s->name, '.');
  if (dot && dot != s->name) {
    *dot = '\0';
  }
  s->title = s->name;
  if (!yaml_file_load(&s->file, path, error) || !read_document(s, options)) {
    return false;
  }
  s->seed = options->has_seed ? options->seed : s->seed;
  return true;
}

void sweep_free(sweep_t *s) {
  for (uint32_t i = 0; i < s->axis_count; i++) {
    free(s->axes[i].choices);
  }
  for (size_t i = 0; i < s->text_count; i++) {
    free(s->texts[i]);
  }
  free(s->texts);
  free(s->rows);
  free(s->config_sha256);
  free(s->frame_hash);
  yaml_file_free(&s->file);
  *s = (sweep_t){0};
}
