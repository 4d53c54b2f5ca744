// SPDX-License-Identifier: Apache-2.0
// nocturne run CONFIG.yaml: renders one frame on the configured machine and judges it.
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "csim/base/config.h"
#include "csim/frame/generate.h"
#include "csim/frame/image.h"
#include "csim/golden/pixel_distributor_golden.h"
#include "csim/machine/check.h"
#include "csim/machine/machine_config.h"
#include "result.h"
#include "tb/harness/harness.h"
#include "tb/regress/terminal.h"
#include "words.h"

enum { MaxSets = 128, KeyWaves = 256, KeyWavesUnit, KeyFrom, KeyTo, KeyRecord, KeyBaseline,
       KeyJson, KeyImage, KeyReference, KeyDifference, KeySeed, KeyWindow, KeyLog,
       KeySystemWaves, KeyExplain };

typedef struct {
  const char *config, *frame, *json, *image, *reference, *difference, *baseline;
  const char *sets[MaxSets];
  uint32_t set_count;
  harness_options_t harness;
  bool explain;
} options_t;

static const struct argp_option Options[] = {
    {"frame", 'f', "FRAME", 0, "a frame file, or gen:NAME", 0},
    {"engine", 'e', "NAME", 0, "golden, rtl, lockstep or gates (lockstep)", 0},
    {"set", 's', "KEY=VALUE", 0, "overrides a key of the configuration", 0},
    {"seed", KeySeed, "N", 0, "of generated frames, register values and checks (1)", 0},
    {"json", KeyJson, "FILE", 0, "the result as JSON, - for standard output", 0},
    {"image", KeyImage, "FILE.png", 0, "the picture", 0},
    {"window", KeyWindow, "BEFORE:AFTER", 0, "cycles of waves around a failure (200:20)", 0},
    {"reference", KeyReference, "FILE.png", 0, "the single GPU's picture", 0},
    {"difference", KeyDifference, "FILE.png", 0, "their difference, 16 times", 0},
    {"baseline", KeyBaseline, "SETTING", 0,
     "also run with this scheme, or KEY=VALUE, and print the speedup", 0},
    {"explain", KeyExplain, NULL, 0,
     "say in words what was shown, and with --baseline where time is won and lost", 0},
    {"waves", KeyWaves, "FILE.fst", 0, "write waves of one unit", 0},
    {"waves-unit", KeyWavesUnit, "UNIT:N", 0, "of this one", 0},
    {"system-waves", KeySystemWaves, "FILE.vcd", 0, "write waves of what crosses all units' ports",
     0},
    {"from", KeyFrom, "C", 0, "first cycle of the waves", 0},
    {"to", KeyTo, "C", 0, "last cycle of the waves", 0},
    {"record", KeyRecord, "DIR", 0, "record all units' vectors", 0},
    {"log", KeyLog, "FILE", 0, "a line for each transaction of all units", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 'f': o->frame = arg; return 0;
    case KeyWindow: cli_window(state, arg, &o->harness); return 0;
    case 'e': o->harness.engine = cli_engine(state, arg); return 0;
    case 's':
      if (o->set_count == MaxSets) {
        argp_error(state, "more than %d --set", MaxSets);
      }
      o->sets[o->set_count++] = arg;
      return 0;
    case KeySeed:
      o->harness.seed = cli_number(state, "--seed", arg, 0, UINT64_MAX);
      return 0;
    case KeyJson: o->json = arg; return 0;
    case KeyImage: o->image = arg; return 0;
    case KeyReference: o->reference = arg; return 0;
    case KeyDifference: o->difference = arg; return 0;
    case KeyBaseline: o->baseline = arg; return 0;
    case KeyExplain: o->explain = true; return 0;
    case KeyWaves: o->harness.waves = arg; return 0;
    case KeyWavesUnit: cli_waves_unit(state, arg, &o->harness); return 0;
    case KeyFrom: o->harness.from = cli_number(state, "--from", arg, 0, UINT64_MAX); return 0;
    case KeyTo: o->harness.to = cli_number(state, "--to", arg, 0, UINT64_MAX); return 0;
    case KeyRecord: o->harness.record = arg; return 0;
    case KeySystemWaves: o->harness.system_waves = arg; return 0;
    case KeyLog: o->harness.log = arg; return 0;
    case ARGP_KEY_ARG:
      if (o->config) {
        argp_error(state, "%s: one configuration only", arg);
      }
      o->config = arg;
      return 0;
    case ARGP_KEY_END:
      if (!o->config) {
        argp_error(state, "expected a configuration, such as vectors/config/chopin.yaml");
      }
      cli_check_waves(state, &o->harness);
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What runs, and since when.
typedef struct {
  const char *what;
  double start;
} progress_t;

// The time left is told once a twentieth is done, and some seconds: before that it means nothing.
static void show_progress(void *context, double share, uint64_t cycle) {
  const progress_t *p = context;
  double spent = seconds() - p->start;
  char left[32];
  if (!isatty(STDERR_FILENO)) {
    return;
  }
  fprintf(stderr, "\r%-14s %3.0f %%  %" PRIu64 " cycles", p->what, 100 * share, cycle);
  if (share > 0.05 && spent > 3) {
    fprintf(stderr, ", about %s left", terminal_time(spent / share * (1 - share), left));
  }
  fprintf(stderr, "\033[K");
  fflush(stderr);
}

static void end_progress(void) {
  if (isatty(STDERR_FILENO)) {
    fprintf(stderr, "\r\033[K");
  }
}

// Runs one scheme. The machine's clock is copied out for the harness while it runs.
typedef struct {
  machine_t *machine;
  harness_t *harness;
  check_t *check;
  uint64_t clock;
} session_t;

static void session_end(session_t *s) {
  check_destroy(s->check);
  machine_destroy(s->machine);
  harness_destroy(s->harness);
}

// Returns an exit status; on ExitPassed the result is filled. The judgement of the
// picture is the caller's.
static int simulate(const options_t *o, const machine_params_t *params, const frame_t *frame,
                    const char *command, session_t *s, result_t *r) {
  char error[FrameErrorSize];
  harness_options_t h = o->harness;
  h.command = command;
  h.clock = &s->clock;
  h.behind = true;
  s->harness = harness_create(&h);
  if (!s->harness) {
    return cli_complain("out of memory", ExitLacking);
  }
  machine_units_t units = {s->harness, harness_draw_scheduler, harness_composition_scheduler,
                           harness_pixel_distributor,
                           {s->harness, harness_offload_unit, harness_atfim}, pixel_merge_all};
  s->machine = machine_create(params, frame, NULL, &units, error);
  if (!s->machine) {
    harness_settle(s->harness);
    if (harness_failure(s->harness)) {
      printf("%s", harness_failure(s->harness));
      return ExitFailed;
    }
    bool memory = strncmp(error, "out of memory", strlen("out of memory")) == 0;
    return cli_complain(error, memory || harness_lacking(s->harness) ? ExitLacking : ExitFailed);
  }
  machine_watch_clock(s->machine, &s->clock);
  s->check = check_create(frame, machine_plan(s->machine), machine_gpu_count(s->machine),
                          texturing_sampling(&params->texturing),
                          texturing_reuses(&params->texturing));
  if (!s->check) {
    return cli_complain("out of memory for the reference picture", ExitLacking);
  }
  double start = seconds();
  progress_t progress = {machine_scheme_name(params->scheme), start};
  machine_status_e status = machine_run(s->machine, show_progress, &progress);
  if (!harness_settle(s->harness)) {
    status = MachineUnitFailed;
  }
  r->seconds = seconds() - start;
  end_progress();
  r->machine = s->machine;
  r->harness = s->harness;
  if (status != MachineDone) {
    const char *report = harness_failure(s->harness);
    static const char *const classes[] = {"", "MISMATCH", "HANG", "PROTOCOL"};
    printf("%s", report ? report : "");
    if (!report) {
      printf("%s: %s\n", classes[status], machine_report(s->machine));
      if (status == MachineHang) {
        static char text[32768];
        harness_describe(s->harness, text, sizeof text);
        printf("%s", text);
      }
    }
    return ExitFailed;
  }
  check_finish(s->check, s->machine, &r->check);
  return ExitPassed;
}

// An exit status, as of what follows.
static int write_picture(const char *path, uint32_t *pixels, const check_result_t *c) {
  char error[ImageErrorSize];
  image_t image = {c->width, c->height, pixels};
  return path && !image_write_png(&image, path, error) ? cli_complain(error, ExitFailed)
                                                       : ExitPassed;
}

static int write_outputs(const options_t *o, const result_t *r) {
  const check_result_t *c = &r->check;
  int status = write_picture(o->image, c->picture, c);
  if (status == ExitPassed) {
    status = write_picture(o->reference, c->reference, c);
  }
  if (status == ExitPassed && o->difference) {
    image_t a = {c->width, c->height, c->picture}, b = {c->width, c->height, c->reference};
    image_t *d = image_difference(&a, &b, c->left_out, 16);
    status = d ? write_picture(o->difference, d->pixels, c)
               : cli_complain("out of memory for the difference", ExitLacking);
    image_free(d);
  }
  return status;
}

// The configuration that the options say, and one key set differently (NULL: none). NULL with
// one line in error.
static config_t *configure(const options_t *o, const char *set, machine_params_t *params,
                           char error[ConfigErrorSize]) {
  memset(params, 0, sizeof *params);
  snprintf(error, ConfigErrorSize, "out of memory");
  config_t *config = config_create();
  bool ok = config && machine_config_add(config, params, error) &&
            config_load_file(config, o->config, error);
  for (uint32_t i = 0; ok && i < o->set_count; i++) {
    ok = config_set(config, o->sets[i], error);
  }
  ok = ok && (!set || config_set(config, set, error)) &&
       machine_config_check(config, params, error);
  if (!ok) {
    config_destroy(config);
    return NULL;
  }
  return config;
}

int cli_run(int argc, char **argv) {
  static const struct argp Parser = {Options, parse, "CONFIG.yaml",
                                     "Renders one frame on the configured machine.", NULL, NULL,
                                     NULL};
  static options_t o;
  static char command[2048];
  char error[ConfigErrorSize];
  o = (options_t){.harness = {.engine = EngineLockstep, .seed = 1}};
  cli_command_line(argc, argv, command, sizeof command);
  cli_parse(&Parser, argc, argv, &o);
  if (!cli_can_write(o.json) || !cli_can_write(o.image) || !cli_can_write(o.reference) ||
      !cli_can_write(o.difference)) {
    return ExitFailed;
  }
  machine_params_t params;
  config_t *config = configure(&o, NULL, &params, error);
  if (!config) {
    return cli_complain(error, ExitUsage);
  }
  const char *name = o.frame ? o.frame : "vectors/frames/nexuiz/bench1_ultra.nframe";
  frame_t *frame = frame_load(name, o.harness.seed, error);
  if (!frame || !machine_check_frame(&params, frame, error) ||
      !texturing_check(&params.texturing, frame, error)) {
    frame_free(frame);
    config_destroy(config);
    return cli_complain(error, ExitUsage);
  }
  result_t r = {.config = config, .params = &params, .frame = frame,
                .seed = o.harness.seed, .engine = o.harness.engine};
  session_t session = {0}, baseline = {0};
  result_t base = r;
  int status = ExitPassed;
  if (o.baseline) {
    machine_params_t other;
    char set[256];
    snprintf(set, sizeof set, "%s%s", strchr(o.baseline, '=') ? "" : "scheme=", o.baseline);
    config_t *copy = configure(&o, set, &other, error);
    if (!copy) {
      fprintf(stderr, "nocturne: --baseline: %s\n", error);
      config_destroy(config);
      frame_free(frame);
      return ExitUsage;
    }
    config_destroy(copy);
    status = simulate(&o, &other, frame, command, &baseline, &base);
    r.baseline = o.baseline;
    if (status == ExitPassed) {
      const machine_stats_t *stats = machine_stats(baseline.machine);
      r.baseline_cycles = stats->cycles;
      r.baseline_gpus = machine_gpu_count(baseline.machine);
      memcpy(r.baseline_spent, stats->spent, sizeof r.baseline_spent);
    }
    session_end(&baseline);
  }
  if (status == ExitPassed) {
    status = simulate(&o, &params, frame, command, &session, &r);
    if (status == ExitFailed && session.harness) {
      if (harness_failure(session.harness) && !o.harness.waves) {
        cli_repeat_with_waves(session.harness);
      } else if (!harness_failure(session.harness) && session.machine &&
                 !o.harness.system_waves) {
        cli_repeat_machine(command, session.clock, o.harness.before);
      }
    }
  }
  if (status == ExitPassed) {
    status = write_outputs(&o, &r);
    FILE *to = o.json && strcmp(o.json, "-") == 0 ? stderr : stdout;
    result_print(&r, to);
    if (o.explain) {
      words_print(&r, to);
    }
    if (o.json && !result_write_json(&r, o.json, error)) {
      status = cli_complain(error, ExitFailed);
    }
    if (harness_output_error(session.harness)) {
      fprintf(stderr, "nocturne: %s\n", harness_output_error(session.harness));
      status = ExitFailed;
    }
    if (result_sample_error(&r) > result_sample_bound(&r)) {
      fprintf(stderr,
              "nocturne: a filtered sample is off by %g, more than rounding explains (%g)\n",
              result_sample_error(&r), result_sample_bound(&r));
      status = ExitFailed;
    }
    if (result_mismatches(&r) || r.check.violations || r.check.target_violations) {
      status = ExitFailed;
    }
  }
  session_end(&session);
  frame_free(frame);
  config_destroy(config);
  return status;
}
