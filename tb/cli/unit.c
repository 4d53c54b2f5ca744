// nocturne unit UNIT: constrained-random stimulus of one unit alone.
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "stimulus.h"
#include "tb/harness/sequence.h"

typedef bool (*stimulus_f)(const stimulus_t *, harness_t *, char[HarnessErrorSize]);

static const struct {
  const char *name;
  stimulus_f run;
} Units[] = {
    {"draw_scheduler", stimulus_draw_scheduler},
    {"composition_scheduler", stimulus_composition_scheduler},
    {"pixel_distributor", stimulus_pixel_distributor},
    {"texel_generator", stimulus_texel_generator},
    {"parent_texel_buffer", stimulus_parent_texel_buffer},
};

typedef struct {
  stimulus_t stimulus;
  harness_options_t harness;
  char waves_unit[64];
  stimulus_f run;
  const char *name, *play;
  bool speed;
} options_t;

static const struct argp_option Options[] = {
    {"gpus", 'g', "N", 0, "number of GPUs, 2 to 64 (8)", 0},
    {"seed", 's', "N", 0, "seed (1)", 0},
    {"cycles", 'c', "N", 0, "clocks (20000)", 0},
    {"engine", 'e', "NAME", 0, "golden, rtl or lockstep (lockstep)", 0},
    {"busy", 'b', NULL, 0, "inputs valid in most cycles, no errors; prints the rate", 0},
    {"waves", 'w', "FILE.fst", 0, "write waves", 0},
    {"waves-unit", 'u', "UNIT:N", 0, "of this instance", 0},
    {"from", 'f', "C", 0, "first cycle of the waves", 0},
    {"to", 't', "C", 0, "last cycle of the waves", 0},
    {"record", 'r', "DIR", 0, "record the unit's vectors", 0},
    {"play", 'p', "FILE.json", 0, "play a directed sequence; it names the unit", 0},
    {0}};

static void no_such_unit(struct argp_state *state, const char *name) {
  char names[512] = "";
  size_t used = 0;
  for (size_t i = 0; i < sizeof Units / sizeof *Units; i++) {
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                             Units[i].name);
  }
  argp_error(state, "%s: no such unit; expected one of %s", name, names);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  char *end = NULL;
  uint64_t number = arg ? strtoull(arg, &end, 10) : 0;
  if (strchr("gscft", key) && key < 128 && key > 0 && (!end || *end || end == arg)) {
    argp_error(state, "--%c %s: expected a number", key, arg);
  }
  switch (key) {
    case 'g':
      if (number < 2 || number > 64) {
        argp_error(state, "--gpus %s: expected 2 to 64", arg);
      }
      o->stimulus.gpus = (uint32_t)number;
      return 0;
    case 's':
      o->stimulus.seed = number;
      return 0;
    case 'c':
      o->stimulus.cycles = number;
      return 0;
    case 'e':
      for (engine_e e = EngineGolden; e <= EngineLockstep; e++) {
        if (strcmp(arg, engine_name(e)) == 0) {
          o->harness.engine = e;
          return 0;
        }
      }
      argp_error(state, "--engine %s: expected golden, rtl or lockstep", arg);
      return 0;
    case 'b':
      o->stimulus.busy = o->speed = true;
      return 0;
    case 'w':
      o->harness.waves = arg;
      return 0;
    case 'u':
      snprintf(o->waves_unit, sizeof o->waves_unit, "%.*s", (int)strcspn(arg, ":"), arg);
      o->harness.waves_unit = o->waves_unit;
      o->harness.waves_instance = strchr(arg, ':') ? (uint32_t)atoi(strchr(arg, ':') + 1) : 0;
      return 0;
    case 'f':
      o->harness.from = number;
      return 0;
    case 't':
      o->harness.to = number;
      return 0;
    case 'r':
      o->harness.record = arg;
      return 0;
    case 'p':
      o->play = arg;
      return 0;
    case ARGP_KEY_ARG:
      for (size_t i = 0; i < sizeof Units / sizeof *Units; i++) {
        if (strcmp(arg, Units[i].name) == 0) {
          o->run = Units[i].run;
          o->name = Units[i].name;
          return 0;
        }
      }
      no_such_unit(state, arg);
      return 0;
    case ARGP_KEY_END:
      if (!o->run == !o->play) {
        argp_error(state, "expected a unit, or --play");
      }
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
  char command[1024], error[HarnessErrorSize];
  o.stimulus = (stimulus_t){.gpus = 8, .seed = 1, .cycles = 20000, .clock = &clock};
  o.harness.engine = EngineLockstep;
  cli_command_line(argc, argv, command, sizeof command);
  argp_err_exit_status = ExitUsage;
  argp_parse(&Parser, argc, argv, 0, NULL, &o);
  o.harness.command = command;
  o.harness.clock = &clock;
  o.harness.seed = o.stimulus.seed;
  harness_t *h = harness_create(&o.harness);
  if (!h) {
    fprintf(stderr, "nocturne: out of memory\n");
    return ExitLacking;
  }
  if (o.play) {
    return end(h, play(o.play, h, &clock));
  }
  struct timespec a, b;
  error[0] = '\0';
  clock_gettime(CLOCK_MONOTONIC, &a);
  bool ok = o.run(&o.stimulus, h, error);
  clock_gettime(CLOCK_MONOTONIC, &b);
  int status = ExitPassed;
  if (harness_failure(h)) {
    printf("%s", harness_failure(h));
    status = ExitFailed;
  } else if (!ok) {
    fprintf(stderr, "nocturne: %s\n", error);
    status = harness_lacking(h) ? ExitLacking : ExitFailed;
  }
  harness_unit_stats_t stats[4];
  uint32_t n = harness_stats(h, stats, 4);
  for (uint32_t i = 0; i < n; i++) {
    printf("%s: %s, gpus %u, seed %" PRIu64 ": %" PRIu64 " steps, %" PRIu64
           " compared, %" PRIu64 " mismatches\n",
           status ? "FAILED" : "passed", stats[i].name, o.stimulus.gpus, o.stimulus.seed,
           stats[i].steps, stats[i].cycles_compared, stats[i].mismatches);
  }
  if (o.speed) {
    double s = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    printf("%.3f million steps a second, stimulus included\n", 1e-6 * (double)clock / s);
  }
  return end(h, status);
}
