// SPDX-License-Identifier: Apache-2.0
// The settings and the grid of a sweep file.
#include "sweep_grid.h"

#include <stdlib.h>

static bool add_set(const yaml_at_t *at, sweep_sets_t *sets, const char *key, const char *value,
                    const yaml_node_t *node) {
  if (sets->count == SweepMaxSets) {
    return yaml_file_fail(at->file, node, "more than %d settings", SweepMaxSets);
  }
  sets->sets[sets->count++] = (sweep_set_t){key, value, node};
  return true;
}

bool sweep_read_sets(const yaml_at_t *at, void *field) {
  if (!is_map(at)) {
    return false;
  }
  for (Pairs(p, at->node)) {
    yaml_at_t pair = pair_at(at, p), key = key_at(&pair);
    const char *name = NULL, *value = NULL;
    if (!yaml_at_word(&key, &name)) {
      return false;
    }
    pair.what = name;
    if (!yaml_at_word(&pair, &value) || !add_set(at, field, name, value, pair.key)) {
      return false;
    }
  }
  return true;
}

bool sweep_read_fixed(const yaml_at_t *at, void *field) {
  const sweep_sets_t *sets = field;
  const char *value = NULL;
  for (uint32_t i = 0; strcmp(at->what, "frames") == 0 && i < sets->count; i++) {
    if (strcmp(sets->sets[i].key, "frame") == 0) {
      return yaml_at_fail(at, "frame and frames: expected one of them");
    }
  }
  return yaml_at_word(at, &value) && add_set(at, field, at->what, value, at->node);
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
  return strings_bytes(&s->texts, start, suffix ? (size_t)(dot - start) : strlen(start));
}

// Tells if --only leaves this value of an axis.
static bool is_wanted(const yaml_at_t *at, const sweep_axis_t *axis, const char *label) {
  const sweep_options_t *o = ((const reader_t *)at->context)->options;
  const size_t length = strlen(axis->name);
  bool is_limited = false, is_named = false;
  for (uint32_t i = 0; i < o->only_count; i++) {
    if (strncmp(o->only[i], axis->name, length) == 0 && o->only[i][length] == '=') {
      is_limited = true;
      is_named |= strcmp(o->only[i] + length + 1, label) == 0;
    }
  }
  return is_named || !is_limited;
}

static bool add_choice(const yaml_at_t *at, sweep_axis_t *axis, const char *label,
                       const yaml_node_t *node) {
  if (axis->count == SweepMaxChoices) {
    return yaml_file_fail(at->file, node, "%s: more than %d values", axis->name, SweepMaxChoices);
  }
  for (uint32_t i = 0; i < axis->count; i++) {
    if (strcmp(axis->choices[i].label, label) == 0) {
      return yaml_file_fail(at->file, node, "%s: %s is there twice", axis->name, label);
    }
  }
  if (!is_name(label)) {
    return yaml_file_fail(at->file, node, "%s: %s: expected a name without commas and quotes",
                          axis->name, label);
  }
  axis->choices[axis->count++].label = label;
  return true;
}

// A value of the axis's key, or NAME: {KEY: VALUE, ...}.
static bool add_entry(const yaml_at_t *at, sweep_axis_t *axis) {
  const char *text = NULL;
  if (at->node->type == YAML_MAPPING_NODE &&
      at->node->data.mapping.pairs.top - at->node->data.mapping.pairs.start == 1) {
    yaml_at_t pair = pair_at(at, at->node->data.mapping.pairs.start), key = key_at(&pair);
    if (!yaml_at_word(&key, &text)) {
      return false;
    }
    pair.what = text;
    return add_choice(at, axis, text, key.node) &&
           sweep_read_sets(&pair, &axis->choices[axis->count - 1].sets);
  }
  if (at->node->type != YAML_SCALAR_NODE) {
    return yaml_at_fail(at, "%s: expected a value or NAME: {KEY: VALUE}", axis->name);
  }
  return yaml_at_word(at, &text) &&
         add_choice(at, axis, label_of(sweep_of(at), axis->name, text), at->node) &&
         add_set(at, &axis->choices[axis->count - 1].sets, axis->name, text, at->node);
}

// Reads a value, which --only may leave out.
static bool read_choice(const yaml_at_t *at, void *field) {
  sweep_axis_t *axis = field;
  if (!add_entry(at, axis)) {
    return false;
  }
  sweep_choice_t *last = &axis->choices[axis->count - 1];
  if (!is_wanted(at, axis, last->label)) {
    *last = (sweep_choice_t){0};
    axis->count--;
    axis->is_limited = true;
  }
  return true;
}

static sweep_axis_t *add_axis(const yaml_at_t *at, const char *name, const yaml_node_t *node) {
  sweep_t *s = sweep_of(at);
  if (s->axis_count == SweepMaxAxes) {
    yaml_file_fail(at->file, node, "grid: more than %d axes", SweepMaxAxes);
    return NULL;
  }
  sweep_axis_t *axis = &s->axes[s->axis_count++];
  *axis = (sweep_axis_t){.name = name, .choices = calloc(SweepMaxChoices, sizeof *axis->choices)};
  if (!axis->choices) {
    err_memory(at->file->err, at->file->path);
    return NULL;
  }
  return axis;
}

// --frame and --config take the place of the file's.
static bool replace(const yaml_at_t *at) {
  const sweep_options_t *o = ((const reader_t *)at->context)->options;
  sweep_t *s = sweep_of(at);
  if (o->config && !add_set(at, &s->fixed, "config", o->config, at->node)) {
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
    return add_set(at, &s->fixed, "frame", o->frames[0], at->node);
  }
  if (axis) {
    memset(axis->choices, 0, SweepMaxChoices * sizeof *axis->choices);
    axis->count = 0;
  } else if (!(axis = add_axis(at, "frame", at->node))) {
    return false;
  }
  for (uint32_t i = 0; i < o->frame_count; i++) {
    if (!add_choice(at, axis, label_of(s, "frame", o->frames[i]), at->node) ||
        !add_set(at, &axis->choices[axis->count - 1].sets, "frame", o->frames[i], at->node)) {
      return false;
    }
  }
  return true;
}

bool sweep_read_grid(const yaml_at_t *at, void *field) {
  static const yaml_list_t Choices = {.read = read_choice, .least = 1};
  (void)field;
  sweep_of(at)->grid = at->node;
  if (!is_map(at)) {
    return false;
  }
  for (Pairs(p, at->node)) {
    yaml_at_t pair = pair_at(at, p), key = key_at(&pair);
    const char *name = NULL;
    sweep_axis_t *axis = yaml_at_word(&key, &name) ? add_axis(at, name, key.node) : NULL;
    pair.what = name;
    if (!axis || !yaml_list_read(&pair, &Choices, axis, 0)) {
      return false;
    }
    if (axis->count == 0) {
      return yaml_at_fail(&pair, "%s: --only leaves no value", name);
    }
  }
  return replace(at);
}
