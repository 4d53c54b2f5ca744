// SPDX-License-Identifier: Apache-2.0
// nocturne unit UNIT: constrained-random stimulus of one unit alone.
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "csim/base/place.h"
#include "csim/base/seconds.h"
#include "csim/base/spelling.h"
#include "liberty_option.h"
#include "outside_options.h"
#include "tb/harness/activity.h"
#include "tb/harness/json_file.h"
#include "tb/harness/sequence.h"
#include "tb/harness/shrink.h"
#include "tb/harness/units.h"
#include "tb/harness/vectors_play.h"
#include "tb/stimulus/corners.h"
#include "tb/stimulus/stimulus_page.h"

enum { MostSeeds = 1000000, FailedShown = 8 };

typedef struct {
  stimulus_t stimulus;
  harness_options_t harness;
  outside_options_t outside;
  const char *folder;  // of --new
  const unit_model_t *unit;
  const char *play, *vectors, *json, *shrink;
  liberty_option_t liberty;
  stimulus_knob_t knobs[StimulusMaxKnobs + 1];
  uint32_t knob_count;
  uint64_t last_seed;  // the first one is the stimulus's
  bool list_knobs, from_page;
} options_t;

// The outcome of all seeds.
typedef struct {
  harness_t *harness;  // of the first seed that failed, or of the last
  text_t command;      // that repeats the seed under way; stays where it is from the first seed on
  char name[64];       // the unit's
  int status;
  bool is_stuck;
  uint64_t now;  // clock of the seed under way
  uint64_t clock, steps, compared, mismatches;
  activity_t activity;
  double seconds;  // without building
  uint64_t failed_count, failed[FailedShown];
} outcome_t;

enum {
  KeyLog = 256,
  KeyVectors,
  KeyJson,
  KeyKnob,
  KeyShrink,
  KeyWindow,
  KeySeeds,
  KeyKnobs,
  KeySet,
  KeyFromPage,
  KeyLiberty
};

static const struct argp_option Options[] = {
    {"gpus", 'g', "N", 0, "number of GPUs, 2 to 64 as in a machine with schedulers (8)", 0},
    {"seed", 's', "N", 0, "seed (1)", 0},
    {"seeds", KeySeeds, "N", 0, "seeds 1 to N, or A..B, one after another", 0},
    {"cycles", 'c', "N", 0, "clocks (20000)", 0},
    {"engine", 'e', "NAME", 0, "golden, rtl, lockstep or gates (lockstep)", 0},
    {"liberty", KeyLiberty, "FILE.lib", 0, "of --engine gates: cells of your own", 0},
    {"busy", 'b', NULL, 0, "inputs valid in most cycles, no errors", 0},
    {"waves", 'w', "FILE.fst", 0, "write waves", 0},
    {"waves-unit", 'u', "UNIT:N", 0, "of this instance", 0},
    {"from", 'f', "C", 0, "first cycle of the waves", 0},
    {"to", 't', "C", 0, "last cycle of the waves", 0},
    {"record", 'r', "DIR", 0, "record the unit's vectors", 0},
    {"log", KeyLog, "FILE", 0, "a line for each transaction", 0},
    {"knob", KeyKnob, "NAME=VALUE", 0, "a knob of the traffic: a number, A..B, or V*WEIGHT,...", 0},
    {"set", KeySet, "NAME", 0, "a named parameter set, or A,B from which the seed chooses", 0},
    {"knobs", KeyKnobs, NULL, 0, "print the unit's parameter sets and knobs and end", 0},
    {"from-page", KeyFromPage, NULL, 0, "stimulus from the unit's page alone, not its own", 0},
    {"json", KeyJson, "FILE", 0, "the result as JSON", 0},
    {"vectors", KeyVectors, "FILE.vec", 0, "play recorded vectors; they name the unit", 0},
    {"shrink", KeyShrink, "FILE.vec", 0, "cut a failing stimulus down and write it", 0},
    {"window", KeyWindow, "BEFORE:AFTER", 0, "cycles of waves around a failure (200:20)", 0},
    {"play", 'p', "FILE.json", 0, "play a directed sequence; it names the unit", 0},
    OUTSIDE_OPTIONS,
    {0}};

// Reads "N" or "A..B".
static void read_seeds(struct argp_state *state, options_t *o, const char *text) {
  char first[32];
  const char *dots = strstr(text, "..");
  uint64_t a = 1, b = 0;
  snprintf(first, sizeof first, "%.*s", dots ? (int)(dots - text) : 0, text);
  bool ok = dots ? cli_read_number(first, 0, UINT64_MAX, &a) &&
                       cli_read_number(dots + 2, a, UINT64_MAX, &b)
                 : cli_read_number(text, 1, MostSeeds, &b);
  if (!ok || b - a >= MostSeeds) {
    argp_error(state, "--seeds %s: expected N or A..B, at most %d seeds", text, MostSeeds);
  }
  o->stimulus.seed = a;
  o->last_seed = b;
}

static void read_knob(struct argp_state *state, options_t *o, char *text) {
  char *end = strchr(text, '=');
  if (!end || end == text || !stimulus_knob_valid(end + 1)) {
    argp_error(state, "--knob %s: expected NAME=NUMBER, NAME=A..B or NAME=V*WEIGHT,...", text);
    return;
  }
  if (o->knob_count == StimulusMaxKnobs) {
    argp_error(state, "--knob: at most %d", StimulusMaxKnobs);
  }
  *end = '\0';
  o->knobs[o->knob_count++] = (stimulus_knob_t){.name = text, .value = end + 1};
}

// Refuses options that do not go together.
static void check_options(struct argp_state *state, const options_t *o) {
  const outside_t *own = &o->outside.outside;
  if (o->outside.skeleton) {
    if (!o->folder) {
      argp_error(state, "--new: expected a folder too");
    }
    return;
  }
  if (!own->page && (own->rtl || own->golden)) {
    argp_error(state, "--rtl and --golden: expected --page too");
  }
  if (!!o->unit + !!o->play + !!o->vectors > 1 || (o->unit && own->page) ||
      !(o->unit || o->play || o->vectors || own->page)) {
    argp_error(state, "expected a unit, --page, --play or --vectors");
  }
  const bool is_driven = !o->play && !o->vectors;
  if (o->list_knobs && !is_driven) {
    argp_error(state, "--knobs: expected a unit");
  }
  if (o->stimulus.set && !is_driven) {
    argp_error(state, "--set: expected a unit");
  }
  const harness_options_t *h = &o->harness;
  if (o->last_seed != o->stimulus.seed && (h->waves || h->record || h->log || !is_driven)) {
    argp_error(state, "--seeds: for a unit's random stimulus, without --waves, --record and --log");
  }
  if (o->liberty.count && h->engine != EngineGates) {
    argp_error(state, "--liberty: expected --engine gates too");
  }
  if (o->shrink && h->waves) {
    argp_error(state, "--shrink: not with --waves; play what it leaves with waves");
  }
  cli_check_waves(state, h);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 'g': o->stimulus.gpus = (uint32_t)cli_number(state, "--gpus", arg, 2, 64); return 0;
    case 's':
      o->stimulus.seed = o->last_seed = cli_number(state, "--seed", arg, 0, UINT64_MAX);
      return 0;
    case KeySeeds: read_seeds(state, o, arg); return 0;
    case KeyFromPage: o->from_page = true; return 0;
    case KeyLiberty: liberty_option_add(&o->liberty, arg, state); return 0;
    case KeySet: o->stimulus.set = arg; return 0;
    case KeyKnobs: o->list_knobs = true; return 0;
    case 'c': o->stimulus.cycles = cli_number(state, "--cycles", arg, 1, UINT64_MAX); return 0;
    case 'e': o->harness.engine = cli_engine(state, arg); return 0;
    case 'b': o->stimulus.busy = true; return 0;
    case 'w': o->harness.waves = arg; return 0;
    case 'u':
      if (!o->outside.outside.page || !outside_waves_unit(arg, &o->harness)) {
        cli_waves_unit(state, arg, &o->harness);
      }
      return 0;
    case 'f': o->harness.from = cli_number(state, "--from", arg, 0, UINT64_MAX); return 0;
    case 't': o->harness.to = cli_number(state, "--to", arg, 0, UINT64_MAX); return 0;
    case 'r': o->harness.record = arg; return 0;
    case KeyLog: o->harness.log = arg; return 0;
    case 'p': o->play = arg; return 0;
    case KeyVectors: o->vectors = arg; return 0;
    case KeyJson: o->json = arg; return 0;
    case KeyShrink: o->shrink = arg; return 0;
    case KeyWindow: cli_window(state, arg, &o->harness); return 0;
    case KeyKnob: read_knob(state, o, arg); return 0;
    case ARGP_KEY_ARG:
      if (o->outside.skeleton && !o->folder) {
        o->folder = arg;
        return 0;
      }
      if (o->unit || o->outside.outside.page) {
        argp_error(state, "%s: one unit only", arg);
      }
      o->unit = cli_unit_named(state, arg);
      return 0;
    case ARGP_KEY_END: check_options(state, o); return 0;
    default: return outside_option(&o->outside, key, arg) ? 0 : ARGP_ERR_UNKNOWN;
  }
}

// Plays a directed sequence and prints what differs. Returns the exit status.
static int play(const char *path, harness_t *h, uint64_t *clock) {
  err_auto_t err = {0};
  sequence_result_t result;
  sequence_t *sequence = sequence_load(path, &err);
  if (!sequence || !sequence_play(sequence, h, clock, &result, &err)) {
    sequence_free(sequence);
    return cli_refuse(harness_lacking(h) ? ExitLacking : ExitUsage, "%s", err_text(&err));
  }
  bool is_wrong = harness_failure(h) || result.differing > 0;
  printf("%s%s: %s, %s: %" PRIu64 " cycles, %" PRIu64 " values drawn, %" PRIu64 " differ\n%s",
         harness_failure(h) ? harness_failure(h) : "", is_wrong ? "FAILED" : "passed", result.unit,
         path, result.cycles, result.checked, result.differing, result.text);
  sequence_free(sequence);
  return is_wrong ? ExitFailed : ExitPassed;
}

// Plays recorded vectors and prints what differs. Returns the exit status.
static int play_vectors(const char *path, harness_t *h, uint64_t *clock) {
  err_auto_t err = {0};
  __attribute__((cleanup(text_free))) text_t text = {0};
  uint64_t differing;
  if (!vectors_play(h, path, clock, &differing, &text, &err)) {
    return cli_refuse(harness_lacking(h) ? ExitLacking : ExitUsage, "%s", err_text(&err));
  }
  const char *report = harness_failure(h);
  bool is_wrong = report || differing > 0;
  printf("%s%s: %s: %" PRIu64 " steps, %s%" PRIu64 " differ from the record\n%s",
         report ? report : "", is_wrong ? "FAILED" : "passed", path, *clock,
         report ? "failed as above; " : "", differing, text_string(&text));
  return is_wrong ? ExitFailed : ExitPassed;
}

static void shrink(const options_t *o, harness_t *h) {
  err_auto_t err = {0};
  shrunk_t shrunk;
  if (!shrink_stimulus(h, o->shrink, &shrunk, &err)) {
    cli_refuse(ExitFailed, "--shrink: %s", err_text(&err));
    return;
  }
  printf("shrunk: %" PRIu64 " steps to %" PRIu64 " in %" PRIu64
         " trials, counted from the last reset: %s\n"
         "  play: %s unit ",
         shrunk.before, shrunk.after, shrunk.trials, o->shrink, place_program());
  outside_print(&o->outside);
  printf("--vectors %s\n", o->shrink);
}

static void print_knobs(const options_t *o) {
  const unit_info_t *info = o->unit->info;
  printf("%s: --set NAME, or A,B from which the seed chooses\n", info->name);
  for (const unit_set_t *set = info->sets; set->name; set++) {
    char params[UnitParamsText];
    unit_params_text(info, set->params, params);
    printf("  --set %-16s %s\n", set->name, params);
  }
  printf(
      "--knob NAME=VALUE: a number, A..B (drawn by the seed), or V*WEIGHT,V*WEIGHT\n"
      "Shares are in 1/1,000. Without a knob the seed chooses one of the values at the end.\n");
  if (o->from_page) {
    stimulus_page_knobs(info);
  }
  const stimulus_choice_t *choices = o->from_page ? NULL : o->unit->stimulus->choices;
  for (const stimulus_choice_t *c = choices; c && c->name; c++) {
    printf("  %-12s %s:", c->name, c->meaning);
    for (uint32_t i = 0; i < c->count; i++) {
      printf("%s %u", i ? "," : "", c->values[i]);
    }
    putchar('\n');
  }
  printf("  %-12s %s\n", CORNERS_KNOB, CORNERS_MEANING);
}

// ---- Results ----

// Returns true if the unit has a parameter for the number of GPUs.
static bool has_gpus(const options_t *o) {
  const unit_param_t *p = o->unit ? o->unit->info->params : NULL;
  while (p && p->name && strcmp(p->name, "gpus") != 0) {
    p++;
  }
  return p && p->name;
}

static double share(uint64_t part, uint64_t whole) {
  return whole ? (double)part / (double)whole : 0;
}

// Writes one object as `nocturne run` does. Everything but "engine" and "timing" depends on the
// stimulus alone. Returns an exit status.
static int write_json(const options_t *o, const outcome_t *r) {
  json_t *root =
      json_pack("{s:s, s:I, s:I, s:b, s:{s:s, s:I, s:I}, s:{s:f}}", "unit", r->name, "seed",
                (json_int_t)o->stimulus.seed, "cycles", (json_int_t)r->clock, "passed",
                r->status == ExitPassed, "engine", "name", engine_name(o->harness.engine),
                "cycles_compared", (json_int_t)r->compared, "mismatches", (json_int_t)r->mismatches,
                "timing", "seconds", r->seconds);
  if (has_gpus(o)) {
    json_object_set_new(root, "gpus", json_integer((json_int_t)o->stimulus.gpus));
  }
  if (o->last_seed != o->stimulus.seed) {
    json_object_set_new(root, "seeds",
                        json_pack("{s:I, s:I}", "last", (json_int_t)o->last_seed, "failed",
                                  (json_int_t)r->failed_count));
  }
  if (r->activity.steps) {
    json_t *streams = json_object();
    for (uint32_t i = 0; i < r->activity.stream_count; i++) {
      json_object_set_new(streams, r->activity.streams[i].name,
                          json_integer((json_int_t)r->activity.streams[i].transactions));
    }
    json_object_set_new(
        root, "activity",
        json_pack("{s:I, s:I, s:o}", "valid_cycles", (json_int_t)r->activity.valid_steps,
                  "taken_cycles", (json_int_t)r->activity.taken_steps, "transactions", streams));
  }
  err_t err = {0};
  bool ok = json_file_write(root, o->json, JSON_INDENT(1), &err);
  json_decref(root);
  return ok ? ExitPassed : cli_fail(&err);
}

static void add_stats(outcome_t *r, const harness_t *h) {
  const harness_unit_stats_t sum = harness_totals(h);
  harness_unit_stats_t first;
  r->steps += sum.steps;
  r->compared += sum.cycles_compared;
  r->mismatches += sum.mismatches;
  if (harness_stats(h, 0, &first)) {
    snprintf(r->name, sizeof r->name, "%s", first.name);
  }
  r->clock += r->now;
}

static const double NearlyIdle = 0.1;  // of the steps take an input

static void print_activity(const activity_t *a) {
  double taken = share(a->taken_steps, a->steps);
  printf("  inputs valid in %.1f %% of the steps, taken in %.1f %%; transactions:",
         100 * share(a->valid_steps, a->steps), 100 * taken);
  for (uint32_t i = 0; i < a->stream_count; i++) {
    printf("%s %s %" PRIu64, i ? "," : "", a->streams[i].name, a->streams[i].transactions);
  }
  putchar('\n');
  if (taken < NearlyIdle) {
    printf("  nearly idle; another --seed, --busy or a --knob (--knobs lists them) gives more\n");
  }
}

static void print_summary(const options_t *o, const outcome_t *r) {
  bool is_one = o->last_seed == o->stimulus.seed;
  printf("%s: %s, ", r->status ? "FAILED" : "passed", r->name);
  if (has_gpus(o)) {
    printf("gpus %u, ", o->stimulus.gpus);
  }
  if (is_one) {
    printf("seed %" PRIu64, o->stimulus.seed);
  } else {
    printf("seeds %" PRIu64 " to %" PRIu64, o->stimulus.seed, o->last_seed);
  }
  printf(": %" PRIu64 " steps, %" PRIu64 " compared, %" PRIu64 " mismatches\n", r->steps,
         r->compared, r->mismatches);
  if (!is_one && r->failed_count) {
    printf("  %" PRIu64 " of %" PRIu64 " seeds failed:", r->failed_count,
           o->last_seed - o->stimulus.seed + 1);
    for (uint32_t i = 0; i < r->failed_count && i < FailedShown; i++) {
      printf(" %" PRIu64, r->failed[i]);
    }
    printf("%s; above is the first\n", r->failed_count > FailedShown ? " ..." : "");
  }
  if (r->activity.steps) {
    print_activity(&r->activity);
  }
  if (r->seconds > 0) {
    printf("  %.3f million steps a second, stimulus included\n",
           1e-6 * (double)r->clock / r->seconds);
  }
}

// ---- Running ----

static harness_t *make_harness(options_t *o) {
  harness_t *h = harness_create(&o->harness);
  if (!h) {
    cli_refuse(ExitLacking, "out of memory");
  }
  return h;
}

// Refuses the first knob that the unit does not have, and names the nearest, or all. Returns an
// exit status.
static int check_knobs(const options_t *o) {
  for (uint32_t i = 0; i < o->knob_count; i++) {
    const stimulus_knob_t *k = &o->knobs[i];
    const char *const words[] = {k->nearest, NULL}, *nearest = spelling_nearest(k->name, words);
    if (!k->used) {
      return cli_refuse(
          ExitUsage, "--knob %s: %s has no such knob, expected %s%s; --knobs lists them", k->name,
          o->unit->info->name, nearest ? "perhaps " : "one of ", nearest ? nearest : k->offered);
    }
  }
  return ExitPassed;
}

// Drives the unit with one seed; prints the report of the first seed that fails.
static int drive_seed(options_t *o, outcome_t *r, uint64_t seed) {
  err_auto_t err = {0};
  r->now = 0;
  o->harness.seed = seed;
  o->harness.unreported = r->failed_count > 0;
  harness_t *h = make_harness(o);
  if (!h) {
    return ExitLacking;
  }
  stimulus_t s = o->stimulus;
  s.seed = seed;
  const double start = seconds_wall();
  bool ok = o->from_page ? stimulus_page(&s, o->unit->info, h, &err)
                         : stimulus_drive(&s, o->unit, h, &err);
  r->seconds += seconds_wall() - start - harness_build_seconds(h);
  const char *report = harness_failure(h);
  int status = !ok && harness_lacking(h) ? ExitLacking : ok && !report ? ExitPassed : ExitFailed;
  r->is_stuck = !ok && !report && r->now == 0;  // nothing was clocked: no other seed will be
  status = status == ExitPassed ? check_knobs(o) : status;
  if (status != ExitPassed && r->failed_count == 0) {
    if (report) {
      printf("%s", report);
    } else if (!ok) {
      cli_refuse(status, "%s", err_text(&err));
    }
  }
  add_stats(r, h);
  // The harness of the first failed seed is kept for waves and shrinking.
  bool is_kept = r->failed_count == 0;
  harness_destroy(is_kept ? r->harness : h);
  r->harness = is_kept ? h : r->harness;
  if (status == ExitFailed) {
    if (r->failed_count < FailedShown) {
      r->failed[r->failed_count] = seed;
    }
    r->failed_count++;
  }
  return status;
}

static int drive(options_t *o, outcome_t *r) {
  const size_t base = r->command.length;
  for (uint64_t seed = o->stimulus.seed;; seed++) {
    if (o->last_seed != o->stimulus.seed) {
      text_cut(&r->command, base);
      text_format(&r->command, " --seed %" PRIu64, seed);
    }
    int status = drive_seed(o, r, seed);
    if (status == ExitUsage || status == ExitLacking || r->is_stuck) {
      return status;
    }
    if (seed == o->last_seed) {
      break;
    }
  }
  r->status = r->failed_count ? ExitFailed : ExitPassed;
  print_summary(o, r);
  return r->status;
}

// Plays a file of vectors or a directed sequence.
static int play_file(options_t *o, outcome_t *r) {
  r->harness = make_harness(o);
  if (!r->harness) {
    return ExitLacking;
  }
  int status =
      o->play ? play(o->play, r->harness, &r->now) : play_vectors(o->vectors, r->harness, &r->now);
  add_stats(r, r->harness);
  return status;
}

// Ends the harness; an output that could not be written is a failure.
static int end(harness_t *h, int status) {
  const char *error = h ? harness_output_error(h) : NULL;
  if (error) {
    const int missing = cli_refuse(ExitFailed, "%s", error);
    status = status ? status : missing;
  }
  harness_destroy(h);
  return status;
}

// Writes the command line without --seeds and --shrink, which one seed with waves does not need,
// and without waves, which the report adds; leaves room for a seed.
static void put_command(int argc, char **argv, text_t *text) {
  static const char *const Left[] = {"--seeds",      "--shrink", "--waves",        "-w",
                                     "--waves-unit", "-u",       "--from",         "-f",
                                     "--to",         "-t",       "--system-waves", NULL};
  char *line = cli_command_without(argc, argv, Left);
  text_put(text, line ? line : "");
  const size_t length = text->length;
  text_format(text, " --seed %" PRIu64, UINT64_MAX);
  text_cut(text, length);
  free(line);
}

// Hands the library for the netlists to the scripts. Returns an exit status.
static int take_liberty(const liberty_option_t *liberty) {
  err_t err = {0};
  const char *path;
  return liberty_option_make(liberty, &path, &err) ? ExitPassed : cli_fail(&err);
}

// Refuses --set if it names what is no parameter set of the unit. Returns an exit status.
static int check_set(const options_t *o) {
  err_auto_t err = {0};
  const char *sets = o->stimulus.set;
  return !sets || !o->unit || stimulus_sets_valid(o->unit->info, sets, &err)
             ? ExitPassed
             : cli_refuse(ExitUsage, "--set %s", err_text(&err));
}

int cli_unit(int argc, char **argv) {
  static const struct argp Parser = {Options,
                                     parse,
                                     "[UNIT]\n--new P.yaml FOLDER",
                                     "Drives one unit with constrained-random stimulus, or a "
                                     "directed sequence.",
                                     NULL,
                                     NULL,
                                     NULL};
  static options_t o;
  static outcome_t r;
  o.stimulus = (stimulus_t){.gpus = 8, .seed = 1, .cycles = 20000, .clock = &r.now};
  o.last_seed = 1;
  o.harness.engine = EngineLockstep;
  put_command(argc, argv, &r.command);
  cli_parse(&Parser, argc, argv, &o);
  if (o.outside.skeleton) {
    return outside_new(o.outside.skeleton, o.folder);
  }
  if (o.outside.outside.page) {
    int status = ExitUsage;
    const unit_model_t *unit = outside_unit(&o.outside, &status);
    if (!unit) {
      return status;
    }
    o.unit = o.play || o.vectors ? NULL : unit;
    o.harness.engine = o.outside.outside.golden ? o.harness.engine : EngineRtl;
  }
  o.from_page |= o.unit && !o.unit->stimulus;
  int status = check_set(&o);
  if (status == ExitPassed && o.list_knobs) {
    print_knobs(&o);
    return ExitPassed;
  }
  if (status == ExitPassed && o.liberty.count) {
    status = take_liberty(&o.liberty);
  }
  if (status != ExitPassed) {
    return status;
  }
  o.stimulus.knobs = o.knobs;
  o.harness.command = text_string(&r.command);
  o.harness.clock = &r.now;
  o.harness.seed = o.stimulus.seed;
  o.harness.activity = &r.activity;
  o.harness.keep_steps = o.shrink ? o.stimulus.cycles : 0;
  r.status = o.unit ? drive(&o, &r) : play_file(&o, &r);
  if (r.status == ExitFailed && o.shrink) {
    shrink(&o, r.harness);
  } else if (r.status == ExitFailed && !o.harness.waves) {
    cli_repeat_with_waves(r.harness);
  }
  if (o.json && r.harness) {
    const int written = write_json(&o, &r);
    r.status = r.status ? r.status : written;
  }
  return end(r.harness, r.status);
}
