// SPDX-License-Identifier: Apache-2.0
// The points of a grid: their settings, checked, and the runs that give them.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/place.h"
#include "csim/frame/generate_frame.h"
#include "csim/machine/machine_config.h"
#include "sweep.h"

typedef struct {
  sweep_set_t sets[8 * SweepMaxSets];  // each key once
  uint32_t count;
  const char *config, *frame;
  bool several;  // the frame is a sequence
  own_options_t own;
  machine_params_t params;
  char config_sha256[BaseSha256Text], inputs[256];
  bool done;
} point_t;

static bool is_frame(const sweep_set_t *set) {
  return strcmp(set->key, "frame") == 0 || strcmp(set->key, "frames") == 0;
}

// A unit takes the place of one of the same name.
static bool put_unit(const sweep_t *s, own_options_t *own, const char *unit,
                     const yaml_node_t *at) {
  const size_t length = strcspn(unit, "=") + 1;
  uint32_t i = 0;
  while (i < own->unit_count && strncmp(own->units[i], unit, length) != 0) {
    i++;
  }
  if (i == OwnMaxUnits) {
    return yaml_file_fail(&s->file, at, "more than %d units", OwnMaxUnits);
  }
  own->units[i] = unit;
  own->unit_count += i == own->unit_count;
  return true;
}

static bool put(const sweep_t *s, point_t *p, const sweep_set_t *set) {
  if (strcmp(set->key, "unit") == 0) {
    return put_unit(s, &p->own, set->value, set->at);
  }
  if (strcmp(set->key, "driver") == 0) {
    p->own.driver = set->value;
    return true;
  }
  if (strcmp(set->key, "config") == 0) {
    p->config = set->value;
    return true;
  }
  if (is_frame(set)) {
    p->frame = set->value;
    p->several = strcmp(set->key, "frames") == 0;
    return true;
  }
  for (uint32_t i = 0; i < p->count; i++) {
    if (strcmp(p->sets[i].key, set->key) == 0) {
      p->sets[i] = *set;
      return true;
    }
  }
  if (p->count == sizeof p->sets / sizeof *p->sets) {
    return yaml_file_fail(&s->file, set->at, "too many settings");
  }
  p->sets[p->count++] = *set;
  return true;
}

static bool put_all(const sweep_t *s, point_t *p, const sweep_sets_t *sets) {
  for (uint32_t i = 0; i < sets->count; i++) {
    if (!put(s, p, &sets->sets[i])) {
      return false;
    }
  }
  return true;
}

static bool pinned(const sweep_t *s, const sweep_pin_t *pin, const int32_t at[SweepMaxAxes]) {
  for (uint32_t i = 0; i < s->axis_count; i++) {
    if (pin->when[i] && !(pin->when[i] >> at[i] & 1)) {
      return false;
    }
  }
  return true;
}

static bool put_command_line(sweep_t *s, const sweep_options_t *o, point_t *p) {
  for (uint32_t i = 0; i < o->set_count; i++) {
    const char *equals = strchr(o->sets[i], '=');
    const char *key = strings_bytes(&s->texts, o->sets[i], strcspn(o->sets[i], "="));
    if (!equals) {
      return err_set(s->file.err, ErrInput, "--set %s: expected KEY=VALUE", o->sets[i]);
    }
    for (uint32_t a = 0; a < s->axis_count; a++) {
      if (strcmp(s->axes[a].name, key) == 0) {
        return err_set(s->file.err, ErrInput, "--set %s: an axis of the sweep", o->sets[i]);
      }
    }
    if (!put(s, p, &(sweep_set_t){key, equals + 1, NULL})) {
      return false;
    }
  }
  return true;
}

static bool settle(sweep_t *s, const sweep_options_t *o, const int32_t at[SweepMaxAxes],
                   point_t *p) {
  *p = (point_t){.config = NULL};
  bool ok = put_all(s, p, &s->fixed);
  for (uint32_t i = 0; ok && i < s->axis_count; i++) {
    ok = put_all(s, p, &s->axes[i].choices[at[i]].sets);
  }
  for (uint32_t i = 0; ok && i < s->pin_count; i++) {
    ok = !pinned(s, &s->pins[i], at) || put_all(s, p, &s->pins[i].sets);
  }
  ok = ok && put_command_line(s, o, p);
  for (uint32_t i = 0; ok && i < o->own.unit_count; i++) {
    ok = put_unit(s, &p->own, o->own.units[i], s->grid);
  }
  p->own.driver = o->own.driver ? o->own.driver : p->own.driver;
  if (ok && (!p->config || !p->frame)) {
    ok = yaml_file_fail(&s->file, s->grid, "no %s is given", p->config ? "frame" : "config");
  }
  return ok;
}

// ---- Checks, and what a result depends on ----

static bool complain(const sweep_t *s, const yaml_node_t *at, const char *what) {
  static const char prefix[] = "--set ";
  what += strncmp(what, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
  if (!at) {
    return err_set(s->file.err, ErrInput, "--set %s", what);
  }
  return yaml_file_fail(&s->file, at, "%s", what);
}

// The frame or the frames of a point, one of which is there. Generated ones of a sequence come one
// at a time, since many would take much memory.
typedef struct {
  frame_t *alone;
  frame_sequence_t *sequence;
  frame_t *const *frames;
  uint32_t count, next;     // next: of a generated sequence, the number of the frame after this one
  uint64_t hash, programs;  // of all up to here; 0: none recorded
} loaded_t;

static bool is_made_in_turn(const point_t *p) {
  return p->several && strncmp(p->frame, "gen:", 4) == 0;
}

// Loads the frame, the sequence, or the next frame of a generated one in the place of that before.
static bool load_frames(loaded_t *l, const point_t *p, const sweep_t *s, err_t *err) {
  frame_free(l->alone);
  l->alone = NULL;
  if (is_made_in_turn(p)) {
    l->alone = frame_generate_view(p->frame, s->seed, l->next++, err);
  } else if (p->several) {
    l->sequence = frame_sequence_load(p->frame, s->seed, 1, err);
  } else {
    l->alone = frame_load(p->frame, s->seed, err);
  }
  l->frames = l->sequence ? l->sequence->frames : &l->alone;
  l->count = l->sequence ? l->sequence->count : l->alone ? 1 : 0;
  for (uint32_t i = 0; i < l->count; i++) {
    l->hash = sweep_hash(l->hash, frame_hash(l->frames[i]));
    const uint64_t programs = frame_programs_hash(l->frames[i]);
    l->programs = programs ? sweep_hash(l->programs, programs) : l->programs;
  }
  return l->count > 0;
}

static void free_frames(loaded_t *l) {
  frame_free(l->alone);
  frame_sequence_free(l->sequence);
}

static const yaml_node_t *frame_place(const sweep_t *s, const char *name) {
  const sweep_sets_t *sets = &s->fixed;
  for (uint32_t a = 0; a <= s->axis_count; a++) {
    uint32_t count = a < s->axis_count ? s->axes[a].count : 1;
    for (uint32_t c = 0; c < count; c++) {
      sets = a < s->axis_count ? &s->axes[a].choices[c].sets : &s->fixed;
      for (uint32_t i = 0; i < sets->count; i++) {
        if (is_frame(&sets->sets[i]) && strcmp(sets->sets[i].value, name) == 0) {
          return sets->sets[i].at;
        }
      }
    }
  }
  return s->grid;
}

static bool same_frames(const point_t *a, const point_t *b) {
  return a->several == b->several && strcmp(a->frame, b->frame) == 0;
}

static bool configure_point(const sweep_t *s, point_t *p) {
  err_auto_t err = {0};
  err_set(&err, ErrMachine, "out of memory");
  config_t *config = config_create();
  bool ok = config && machine_config_add(config, &p->params, &err) &&
            config_load_file(config, p->config, &err);
  const yaml_node_t *at = s->grid;
  for (uint32_t i = 0; ok && i < p->count; i++) {
    char *assignment = text_make("%s=%s", p->sets[i].key, p->sets[i].value);
    ok = assignment && config_set(config, assignment, &err);
    free(assignment);
    at = ok ? at : p->sets[i].at;
  }
  ok = ok && machine_config_check(config, &p->params, &err);
  if (ok) {
    config_sha256(config, p->config_sha256);
  }
  config_destroy(config);
  return ok || complain(s, at, err_text(&err));
}

static bool check_frames(const sweep_t *s, const loaded_t *l, const point_t *p) {
  err_auto_t err = {0};
  bool ok = machine_check_frames(&p->params, l->frames, l->count, &err);
  for (uint32_t i = 0; ok && i < l->count; i++) {
    ok = texturing_check(&p->params.texturing, p->params.soc.scheduler, l->frames[i], &err);
  }
  return ok || complain(s, s->grid, err_text(&err));
}

// Names what the result of a point depends on; the frames have all been loaded.
static bool name_inputs(const sweep_t *s, const sweep_options_t *o, const loaded_t *frames,
                        point_t *p) {
  err_auto_t err = {0};
  char own[BaseSha256Text] = "", programs[40] = "";
  if (!own_hash(&p->own, own, &err)) {
    return complain(s, s->grid, err_text(&err));
  }
  if (frames->programs && p->params.gpu.shader == GpuShaderWarp) {
    snprintf(programs, sizeof programs, " programs %016" PRIx64, frames->programs);
  }
  snprintf(p->inputs, sizeof p->inputs, "%s %016" PRIx64 " %" PRIu64 " %s%s%s%s%s",
           p->config_sha256, frames->hash, s->seed, o->engine, s->pictures ? " picture" : "",
           programs, own[0] ? " own " : "", own);
  p->done = true;
  return true;
}

// Checks the points of the frames of the first of them, which are loaded here.
static bool check_points(const sweep_t *s, const sweep_options_t *o, loaded_t *frames,
                         point_t *points, size_t count) {
  err_auto_t err = {0};
  const uint32_t loads = is_made_in_turn(points) ? s->frames : 1;
  bool ok = true;
  for (uint32_t n = 0; ok && n < loads; n++) {
    ok = load_frames(frames, points, s, &err) ||
         complain(s, frame_place(s, points->frame), err_text(&err));
    for (size_t k = 0; ok && k < count; k++) {
      ok = !same_frames(&points[k], points) ||
           ((n > 0 || configure_point(s, &points[k])) && check_frames(s, frames, &points[k]));
    }
  }
  for (size_t k = 0; ok && k < count; k++) {
    ok = !same_frames(&points[k], points) || name_inputs(s, o, frames, &points[k]);
  }
  return ok;
}

// Each frame or sequence is in memory once, and only one at a time.
static bool check_all(const sweep_t *s, const sweep_options_t *o, point_t *points, size_t count) {
  bool ok = true;
  for (size_t i = 0; ok && i < count; i++) {
    if (!points[i].done) {
      loaded_t frames = {0};
      ok = check_points(s, o, &frames, &points[i], count - i);
      free_frames(&frames);
    }
  }
  return ok;
}

// ---- Runs ----

static bool add_run(sweep_t *s, const sweep_options_t *o, const sweep_row_t *row, const point_t *p,
                    test_list_t *list) {
  test_t *t = &list->tests[list->count];
  char number[24];
  text_t id = {0};
  *t = (test_t){.kind = TestRun,
                .seed = s->seed,
                .repeat = 1,
                .seconds = (double)s->seconds,
                .result_wanted = true,
                .without_rtl = strcmp(o->engine, "golden") == 0};
  for (uint32_t i = 0; i < s->axis_count; i++) {
    text_format(&id, "%s%s", i ? "/" : "", sweep_label(s, row, i));
  }
  snprintf(number, sizeof number, "%" PRIu64, s->seed);
  const char *const first[] = {place_program(), "run", p->config,
                               p->several ? "--frames" : "--frame", p->frame};
  const char *const last[] = {"--seed", number,     "--engine", o->engine,
                              "--json", "{result}", "--image",  "{picture}"};
  const char *own[2 * OwnMaxUnits + 2];
  const uint32_t last_count = s->pictures ? 8 : 6, own_count = own_words(&p->own, own, 0);
  bool ok = true;
  for (uint32_t i = 0; i < 5; i++) ok = ok && test_add_word(&t->arguments, "%s", first[i]);
  if (p->several && s->frames != FrameSequenceFrames) {
    ok = ok && test_add_word(&t->arguments, "--count") &&
         test_add_word(&t->arguments, "%u", s->frames);
  }
  for (uint32_t i = 0; i < p->count; i++) {
    ok = ok && test_add_word(&t->arguments, "--set") &&
         test_add_word(&t->arguments, "%s=%s", p->sets[i].key, p->sets[i].value);
  }
  for (uint32_t i = 0; i < own_count; i++) ok = ok && test_add_word(&t->arguments, "%s", own[i]);
  for (uint32_t i = 0; i < last_count; i++) ok = ok && test_add_word(&t->arguments, "%s", last[i]);
  t->id = strdup(text_string(&id));
  t->name = text_take(&id);
  t->tags = strdup(" ");
  t->inputs = strdup(p->inputs);
  snprintf(s->config_sha256[list->count], sizeof *s->config_sha256, "%s", p->config_sha256);
  snprintf(s->frame_hash[list->count], sizeof *s->frame_hash, "%.16s", p->inputs + 65);
  list->count++;
  return (ok && t->id && t->name && t->tags && t->inputs) || err_memory(s->file.err, s->name);
}

static bool add_runs(sweep_t *s, const sweep_options_t *o, const point_t *points,
                     test_list_t *list) {
  for (size_t i = 0; i < s->grid_rows; i++) {
    size_t known = 0;
    while (known < list->count && strcmp(list->tests[known].inputs, points[i].inputs) != 0) {
      known++;
    }
    s->rows[i].test = known;
    if (known == list->count && !add_run(s, o, &s->rows[i], &points[i], list)) {
      return false;
    }
  }
  return true;
}

bool sweep_make_rows(sweep_t *s, err_t *err) {
  size_t count = 1, summary = 1;
  s->file.err = err;
  for (uint32_t i = 0; i < s->axis_count; i++) {
    count *= s->axes[i].count;
    summary *= (int32_t)i == s->summary_axis ? s->summary_count : s->axes[i].count;
    if (count > SweepMaxRows) {
      return yaml_file_fail(&s->file, s->grid, "more than %d points", SweepMaxRows);
    }
  }
  s->grid_rows = count;
  s->row_count = count + (s->summary_axis >= 0 ? summary : 0);
  s->rows = calloc(s->row_count, sizeof *s->rows);
  if (!s->rows) {
    return err_memory(err, s->name);
  }
  for (size_t i = 0; i < s->row_count; i++) {
    size_t rest = i < count ? i : i - count;
    for (uint32_t a = s->axis_count; a-- > 0;) {
      bool is_summary = i >= count && (int32_t)a == s->summary_axis;
      uint32_t choices = is_summary ? s->summary_count : s->axes[a].count;
      s->rows[i].at[a] = is_summary ? s->summary[rest % choices] : (int32_t)(rest % choices);
      rest /= choices;
    }
  }
  return true;
}

bool sweep_expand(sweep_t *s, const sweep_options_t *o, test_list_t *list, err_t *err) {
  *list = (test_list_t){0};
  if (!sweep_make_rows(s, err)) {
    return false;
  }
  size_t count = s->grid_rows;
  point_t *points = calloc(count, sizeof *points);
  s->config_sha256 = calloc(count, sizeof *s->config_sha256);
  s->frame_hash = calloc(count, sizeof *s->frame_hash);
  list->tests = calloc(count, sizeof *list->tests);
  bool ok = points && s->config_sha256 && s->frame_hash && list->tests;
  if (!ok) {
    err_memory(err, s->name);
  }
  for (size_t i = 0; ok && i < count; i++) {
    ok = settle(s, o, s->rows[i].at, &points[i]);
  }
  ok = ok && check_all(s, o, points, count) && add_runs(s, o, points, list);
  free(points);
  return ok;
}
