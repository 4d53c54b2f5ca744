// nocturne unit UNIT: constrained-random stimulus of one unit alone.
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "tb/harness/json_file.h"
#include "tb/harness/sequence.h"
#include "tb/harness/shrink.h"
#include "tb/harness/vectors_play.h"

typedef struct {
  stimulus_t stimulus;
  harness_options_t harness;
  const stimulus_unit_t *unit;
  const char *play, *vectors, *json, *shrink;
  stimulus_knob_t knobs[StimulusMaxKnobs + 1];
  uint32_t knob_count, highest_set;  // of the knob "params"
  bool speed;
} options_t;

enum { KeyLog = 256, KeyVectors, KeyJson, KeyKnob, KeyShrink, KeyWindow };

static const struct argp_option Options[] = {
    {"gpus", 'g', "N", 0, "number of GPUs, 2 to 64 as in a machine with schedulers (8)", 0},
    {"seed", 's', "N", 0, "seed (1)", 0},
    {"cycles", 'c', "N", 0, "clocks (20000)", 0},
    {"engine", 'e', "NAME", 0, "golden, rtl, lockstep or gates (lockstep)", 0},
    {"busy", 'b', NULL, 0, "inputs valid in most cycles, no errors; prints the rate", 0},
    {"waves", 'w', "FILE.fst", 0, "write waves", 0},
    {"waves-unit", 'u', "UNIT:N", 0, "of this instance", 0},
    {"from", 'f', "C", 0, "first cycle of the waves", 0},
    {"to", 't', "C", 0, "last cycle of the waves", 0},
    {"record", 'r', "DIR", 0, "record the unit's vectors", 0},
    {"log", KeyLog, "FILE", 0, "a line for each transaction", 0},
    {"knob", KeyKnob, "NAME=VALUE", 0, "a knob of the traffic: a number, A..B, or V*WEIGHT,...", 0},
    {"json", KeyJson, "FILE", 0, "the result as JSON", 0},
    {"vectors", KeyVectors, "FILE.vec", 0, "play recorded vectors; they name the unit", 0},
    {"shrink", KeyShrink, "FILE.vec", 0, "cut a failing stimulus down and write it", 0},
    {"window", KeyWindow, "BEFORE:AFTER", 0, "cycles of waves around a failure (200:20)", 0},
    {"play", 'p', "FILE.json", 0, "play a directed sequence; it names the unit", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 'g':
      o->stimulus.gpus = (uint32_t)cli_number(state, "--gpus", arg, 2, 64);
      return 0;
    case 's':
      o->stimulus.seed = cli_number(state, "--seed", arg, 0, UINT64_MAX);
      return 0;
    case 'c':
      o->stimulus.cycles = cli_number(state, "--cycles", arg, 1, UINT64_MAX);
      return 0;
    case 'e':
      o->harness.engine = cli_engine(state, arg);
      return 0;
    case 'b':
      o->stimulus.busy = o->speed = true;
      return 0;
    case 'w':
      o->harness.waves = arg;
      return 0;
    case 'u':
      cli_waves_unit(state, arg, &o->harness);
      return 0;
    case 'f':
      o->harness.from = cli_number(state, "--from", arg, 0, UINT64_MAX);
      return 0;
    case 't':
      o->harness.to = cli_number(state, "--to", arg, 0, UINT64_MAX);
      return 0;
    case 'r':
      o->harness.record = arg;
      return 0;
    case KeyLog:
      o->harness.log = arg;
      return 0;
    case 'p':
      o->play = arg;
      return 0;
    case KeyVectors:
      o->vectors = arg;
      return 0;
    case KeyJson:
      o->json = arg;
      return 0;
    case KeyShrink:
      o->shrink = arg;
      return 0;
    case KeyWindow:
      cli_window(state, arg, &o->harness);
      return 0;
    case KeyKnob: {
      char *end = strchr(arg, '=');
      uint32_t highest;
      if (!end || end == arg || !stimulus_knob_valid(end + 1, &highest)) {
        argp_error(state, "--knob %s: expected NAME=NUMBER, NAME=A..B or NAME=V*WEIGHT,...", arg);
      }
      if (o->knob_count == StimulusMaxKnobs) {
        argp_error(state, "--knob: at most %d", StimulusMaxKnobs);
      }
      *end = '\0';
      o->highest_set = strcmp(arg, "params") == 0 ? highest : o->highest_set;
      o->knobs[o->knob_count++] = (stimulus_knob_t){arg, end + 1, false};
      return 0;
    }
    case ARGP_KEY_ARG:
      if (o->unit) {
        argp_error(state, "%s: one unit only", arg);
      }
      o->unit = cli_unit_named(state, arg);
      return 0;
    case ARGP_KEY_END:
      if (!!o->unit + !!o->play + !!o->vectors != 1) {
        argp_error(state, "expected a unit, --play or --vectors");
      }
      if (o->unit && o->highest_set >= o->unit->sets) {
        argp_error(state, "--knob params=%u: %s has the parameter sets 0 to %u", o->highest_set,
                   o->unit->name, o->unit->sets - 1);
      }
      cli_check_waves(state, &o->harness);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// Returns the exit status, and says what differs.
static int play(const char *path, harness_t *h, uint64_t *clock) {
  char error[HarnessErrorSize];
  sequence_result_t result;
  sequence_t *sequence = sequence_load(path, error);
  if (!sequence || !sequence_play(sequence, h, clock, &result, error)) {
    fprintf(stderr, "nocturne: %s\n", error);
    sequence_free(sequence);
    return harness_lacking(h) ? ExitLacking : ExitUsage;
  }
  bool is_wrong = harness_failure(h) || result.differing > 0;
  printf("%s%s: %s, %s: %" PRIu64 " cycles, %" PRIu64 " values drawn, %" PRIu64 " differ\n%s",
         harness_failure(h) ? harness_failure(h) : "", is_wrong ? "FAILED" : "passed", result.unit,
         path, result.cycles, result.checked, result.differing, result.text);
  sequence_free(sequence);
  return is_wrong ? ExitFailed : ExitPassed;
}

// The same for recorded vectors.
static int play_vectors(const char *path, harness_t *h, uint64_t *clock) {
  char error[HarnessErrorSize], text[HarnessErrorSize];
  uint64_t differing;
  if (!vectors_play(h, path, clock, &differing, text, error)) {
    fprintf(stderr, "nocturne: %s\n", error);
    return harness_lacking(h) ? ExitLacking : ExitUsage;
  }
  const char *report = harness_failure(h);
  bool is_wrong = report || differing > 0;
  printf("%s%s: %s: %" PRIu64 " steps, %" PRIu64 " differ from the record\n%s", report ? report : "",
         is_wrong ? "FAILED" : "passed", path, *clock, differing, text);
  return is_wrong ? ExitFailed : ExitPassed;
}

static bool shrink(const options_t *o, harness_t *h) {
  char error[HarnessErrorSize];
  shrunk_t shrunk;
  if (!shrink_stimulus(h, o->shrink, &shrunk, error)) {
    fprintf(stderr, "nocturne: --shrink: %s\n", error);
    return false;
  }
  printf("shrunk: %" PRIu64 " steps to %" PRIu64 " in %" PRIu64 " trials: %s\n"
         "  play: build/nocturne unit --vectors %s\n",
         shrunk.before, shrunk.after, shrunk.trials, o->shrink, o->shrink);
  return true;
}

// One object, as `nocturne run` writes one: all but "engine" and "timing" depend on the
// stimulus alone.
static bool write_json(const options_t *o, const harness_t *h, int status, uint64_t clock,
                       double seconds) {
  harness_unit_stats_t stats[8];
  uint64_t compared = 0, mismatches = 0;
  uint32_t n = harness_stats(h, stats, 8);
  for (uint32_t i = 0; i < n; i++) {
    compared += stats[i].cycles_compared;
    mismatches += stats[i].mismatches;
  }
  json_t *root = json_pack(
      "{s:s, s:I, s:I, s:I, s:b, s:{s:s, s:I, s:I}, s:{s:f}}", "unit", n ? stats[0].name : "none",
      "gpus", (json_int_t)o->stimulus.gpus, "seed", (json_int_t)o->stimulus.seed, "cycles",
      (json_int_t)clock, "passed", status == ExitPassed, "engine", "name",
      engine_name(o->harness.engine), "cycles_compared", (json_int_t)compared, "mismatches",
      (json_int_t)mismatches, "timing", "seconds", seconds);
  char error[HarnessErrorSize];
  bool ok = json_file_write(root, o->json, JSON_INDENT(1), error, sizeof error);
  if (!ok) {
    fprintf(stderr, "nocturne: %s\n", error);
  }
  json_decref(root);
  return ok;
}

static int drive(options_t *o, harness_t *h, const uint64_t *clock, double *seconds) {
  char error[HarnessErrorSize] = "";
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  bool ok = o->unit->run(&o->stimulus, h, error);
  clock_gettime(CLOCK_MONOTONIC, &b);
  *seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
  int status = ExitPassed;
  if (harness_failure(h)) {
    printf("%s", harness_failure(h));
    status = ExitFailed;
  } else if (!ok) {
    fprintf(stderr, "nocturne: %s\n", error);
    return harness_lacking(h) ? ExitLacking : ExitFailed;
  }
  for (uint32_t i = 0; i < o->knob_count; i++) {
    if (!o->knobs[i].used) {
      fprintf(stderr, "nocturne: --knob %s: %s has no such knob; docs/regress.md lists them\n",
              o->knobs[i].name, o->unit->name);
      return ExitUsage;
    }
  }
  harness_unit_stats_t stats[4];
  uint32_t n = harness_stats(h, stats, 4);
  for (uint32_t i = 0; i < n; i++) {
    printf("%s: %s, gpus %u, seed %" PRIu64 ": %" PRIu64 " steps, %" PRIu64
           " compared, %" PRIu64 " mismatches\n",
           status ? "FAILED" : "passed", stats[i].name, o->stimulus.gpus, o->stimulus.seed,
           stats[i].steps, stats[i].cycles_compared, stats[i].mismatches);
  }
  if (o->speed) {
    printf("%.3f million steps a second, stimulus included\n", 1e-6 * (double)*clock / *seconds);
  }
  return status;
}

// Outputs that could not be written count as a failure.
static int end(harness_t *h, int status) {
  const char *error = harness_output_error(h);
  if (error) {
    fprintf(stderr, "nocturne: %s\n", error);
    status = status == ExitPassed ? ExitFailed : status;
  }
  harness_destroy(h);
  return status;
}

int cli_unit(int argc, char **argv) {
  static const struct argp Parser = {Options, parse, "[UNIT]",
                                     "Drives one unit with constrained-random stimulus, or a "
                                     "directed sequence.", NULL,
                                     NULL, NULL};
  static options_t o;
  uint64_t clock = 0;
  double seconds = 0;
  char command[1024];
  o.stimulus = (stimulus_t){.gpus = 8, .seed = 1, .cycles = 20000, .clock = &clock};
  o.harness.engine = EngineLockstep;
  cli_command_line(argc, argv, command, sizeof command);
  cli_parse(&Parser, argc, argv, &o);
  o.stimulus.knobs = o.knobs;
  o.harness.command = command;
  o.harness.clock = &clock;
  o.harness.seed = o.stimulus.seed;
  o.harness.keep_steps = o.shrink ? o.stimulus.cycles : 0;
  harness_t *h = harness_create(&o.harness);
  if (!h) {
    fprintf(stderr, "nocturne: out of memory\n");
    return ExitLacking;
  }
  int status = o.play      ? play(o.play, h, &clock)
               : o.vectors ? play_vectors(o.vectors, h, &clock)
                           : drive(&o, h, &clock, &seconds);
  if (status == ExitFailed && o.shrink) {
    shrink(&o, h);
  } else if (status == ExitFailed && !o.harness.waves) {
    cli_repeat_with_waves(h);
  }
  if (o.json && !write_json(&o, h, status, clock, seconds) && status == ExitPassed) {
    status = ExitFailed;
  }
  return end(h, status);
}
