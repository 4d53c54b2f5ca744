// SPDX-License-Identifier: Apache-2.0
// nocturne run CONFIG.yaml: renders frames on the configured machine and judges the pictures.
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "csim/base/config.h"
#include "csim/base/seconds.h"
#include "csim/frame/generate_frame.h"
#include "csim/frame/image.h"
#include "csim/machine/machine_config.h"
#include "own_options.h"
#include "tb/harness/rendering.h"
#include "tb/regress/terminal.h"
#include "tb/result/frames_result.h"
#include "tb/result/words.h"

enum { MaxSets = 128 };
enum {
  KeyWaves = 256,
  KeyWavesUnit,
  KeyFrom,
  KeyTo,
  KeyRecord,
  KeyBaseline,
  KeyJson,
  KeyImage,
  KeyReference,
  KeyDifference,
  KeySeed,
  KeyWindow,
  KeyLog,
  KeySystemWaves,
  KeyExplain,
  KeyFrames,
  KeyFirst,
  KeyCount,
  KeyListKeys
};

typedef struct {
  const char *config, *frame, *frames, *json, *image, *reference, *difference, *baseline;
  const char *sets[MaxSets];
  uint32_t set_count;
  uint32_t first, count;  // of frames; count 0: all
  harness_options_t harness;
  own_options_t own;
  bool explain;
} options_t;

static const struct argp_option Options[] = {
    {"frame", 'f', "FRAME", 0, "a frame file, or gen:NAME", 0},
    {"frames", KeyFrames, "SEQUENCE", 0, "instead: consecutive frames, a file or gen:NAME", 0},
    {"first", KeyFirst, "N", 0, "of them, the first that runs (0)", 0},
    {"count", KeyCount, "N", 0, "so many of them (all; of generated ones 4)", 0},
    {"engine", 'e', "NAME", 0, "golden, rtl, lockstep or gates (lockstep)", 0},
    {"set", 's', "KEY=VALUE", 0, "overrides a key of the configuration", 0},
    {"seed", KeySeed, "N", 0, "of generated frames, register values and checks (1)", 0},
    {"json", KeyJson, "FILE", 0, "the result as JSON, - for standard output", 0},
    {"list-keys", KeyListKeys, "csv|schema", OPTION_ARG_OPTIONAL,
     "only list the keys of the JSON, in columns or as CSV, with units and meanings", 0},
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
    OWN_OPTIONS,
    {0}};

static void check_options(struct argp_state *state, options_t *o) {
  if (!o->config) {
    argp_error(state, "expected a configuration, such as vectors/config/chopin.yaml");
  }
  if (o->frame && o->frames) {
    argp_error(state, "--frame and --frames: expected one of them");
  }
  if (!o->frames && (o->first || o->count)) {
    argp_error(state, "--first and --count are of --frames");
  }
  cli_check_waves(state, &o->harness);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  if (own_option(&o->own, key, arg, state)) return 0;
  switch (key) {
    case 'f': o->frame = arg; return 0;
    case KeyFrames: o->frames = arg; return 0;
    case KeyFirst:
      o->first = (uint32_t)cli_number(state, "--first", arg, 0, FrameMaxFrames - 1);
      return 0;
    case KeyCount:
      o->count = (uint32_t)cli_number(state, "--count", arg, 1, FrameMaxFrames);
      return 0;
    case KeyWindow: cli_window(state, arg, &o->harness); return 0;
    case 'e': o->harness.engine = cli_engine(state, arg); return 0;
    case 's':
      if (o->set_count == MaxSets) {
        argp_error(state, "more than %d --set", MaxSets);
      }
      o->sets[o->set_count++] = arg;
      return 0;
    case KeySeed: o->harness.seed = cli_number(state, "--seed", arg, 0, UINT64_MAX); return 0;
    case KeyJson: o->json = arg; return 0;
    case KeyListKeys:
      if (arg && strcmp(arg, "csv") != 0 && strcmp(arg, "schema") != 0) {
        argp_error(state, "--list-keys=%s: expected csv, schema, or nothing", arg);
      }
      if (arg && strcmp(arg, "schema") == 0) {
        result_list_schema(stdout);
      } else {
        result_list_keys(arg, stdout);
      }
      exit(ExitPassed);
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
    case ARGP_KEY_END: check_options(state, o); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

// The run that is shown as progress.
typedef struct {
  const char *what;
  double start;
} progress_t;

// Estimates the time left once a twentieth is done and some seconds have passed; earlier it would
// mean nothing.
static void show_progress(void *context, double share, uint64_t cycle) {
  const progress_t *p = context;
  double spent = seconds_wall() - p->start;
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

// Runs one frame. Returns an exit status; on ExitPassed the result is filled, and the caller judges
// the picture, if the session is not unjudged. memory: what the driver remembers of the frame
// before, then of this one; NULL: none. soc: without a SoC empty.
static int simulate(const options_t *o, const machine_params_t *params, const frame_t *frame,
                    driver_memory_t *memory, soc_session_t *soc, const char *command,
                    rendering_t *s, result_t *r) {
  err_auto_t err = {0};
  harness_options_t h = o->harness;
  h.command = command;
  if (s->unjudged) {  // a baseline: the files are the other run's
    h.log = h.system_waves = NULL;
  }
  s->soc = r->soc = soc->soc ? soc : NULL;
  if (!rendering_make(s, &h, params, frame, memory, &err)) {
    if (err_is_set(&err)) {
      return cli_fail(&err);
    }
    printf("%s", harness_failure(s->harness));
    return ExitFailed;
  }
  double start = seconds_wall();
  progress_t progress = {machine_scheme_name(params), start};
  machine_status_e status = rendering_run(s, show_progress, &progress);
  r->seconds = seconds_wall() - start;
  end_progress();
  r->machine = s->machine;
  r->harness = s->harness;
  if (status != MachineDone) {
    text_t text = {0};
    rendering_failure(s, status, &text);
    printf("%s", text_string(&text));
    text_free(&text);
    return ExitFailed;
  }
  if (s->check && !check_finish(s->check, s->machine, &r->check)) {
    return cli_refuse(ExitLacking, "out of memory for the reference picture");
  }
  if (memory && !machine_remember(s->machine, memory)) {
    return cli_refuse(ExitLacking, "out of memory for the driver's memory");
  }
  return ExitPassed;
}

// Writes a picture. Returns an exit status. number: of a frame of several, which goes before the
// path's ending; -1: the frame is the only one.
static int write_picture(const char *path, int number, uint32_t *pixels, const check_result_t *c) {
  err_auto_t err = {0};
  text_t name = {0};
  image_t image = {c->width, c->height, pixels};
  if (!path) {
    return ExitPassed;
  }
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
  text_bytes(&name, path, stem);
  if (number >= 0) {
    text_format(&name, "-%d", number);
  }
  text_put(&name, path + stem);
  const int status = name.failed ? cli_refuse(ExitLacking, "%s: out of memory", path)
                     : image_write_png(&image, text_string(&name), &err) ? ExitPassed
                                                                         : cli_fail(&err);
  text_free(&name);
  return status;
}

static int write_pictures(const options_t *o, const result_t *r, int number) {
  const check_result_t *c = &r->check;
  int status = write_picture(o->image, number, c->picture, c);
  if (status == ExitPassed) {
    status = write_picture(o->reference, number, c->reference, c);
  }
  if (status == ExitPassed && o->difference) {
    image_t a = {c->width, c->height, c->picture}, b = {c->width, c->height, c->reference};
    image_t *d = image_difference(&a, &b, c->left_out, 16);
    status = d ? write_picture(o->difference, number, d->pixels, c)
               : cli_refuse(ExitLacking, "out of memory for the difference");
    image_free(d);
  }
  return status;
}

// Reads the configuration that the options name, with one more setting (NULL: none). Returns NULL
// with an error.
static config_t *configure(const options_t *o, const char *set, machine_params_t *params,
                           err_t *err) {
  memset(params, 0, sizeof *params);
  err_set(err, ErrMachine, "out of memory");
  config_t *config = config_create();
  bool ok =
      config && machine_config_add(config, params, err) && config_load_file(config, o->config, err);
  for (uint32_t i = 0; ok && i < o->set_count; i++) {
    ok = config_set(config, o->sets[i], err);
  }
  ok = ok && (!set || config_set(config, set, err)) && machine_config_check(config, params, err);
  if (!ok) {
    config_destroy(config);
    return NULL;
  }
  return config;
}

// Everything that the frames of one run have in common.
typedef struct {
  const options_t *options;
  const char *command;
  config_t *config;
  machine_params_t params, baseline;  // baseline: with --baseline
  frame_t *alone;                     // with --frame; a generated one of --frames while it runs
  frame_sequence_t *sequence;         // with --frames of a file
  char *name;                         // with --frames of generated ones
  frame_t *const *frames;             // those that run, if they are held together
  uint32_t count;
  driver_memory_t *memory, *baseline_memory;  // with --frames
  soc_session_t soc, baseline_soc;            // with soc.scheduler
  dfsl_t dfsl;                                // with dfsl.mode
  frames_result_t results;                    // with --frames
  rendering_t session;                        // of the last frame
  result_t last;                              // its result, without a machine if it did not end
  FILE *to;                                   // of tables
} run_t;

static void run_end(run_t *run) {
  rendering_end(&run->session);
  frames_result_free(&run->results);
  driver_memory_destroy(run->memory);
  driver_memory_destroy(run->baseline_memory);
  soc_session_end(&run->soc);
  soc_session_end(&run->baseline_soc);
  frame_free(run->alone);
  frame_sequence_free(run->sequence);
  free(run->name);
  config_destroy(run->config);
}

// Loads the frames that the options name.
static bool load_frames(run_t *run, err_t *err) {
  const options_t *o = run->options;
  if (!o->frames) {
    const char *name = o->frame ? o->frame : "vectors/frames/nexuiz/bench1_ultra.nframe";
    run->alone = frame_load(name, o->harness.seed, err);
    run->count = 1;
    return run->alone;
  }
  if (strncmp(o->frames, "gen:", 4) == 0) {
    // Made one at a time: many would take much memory.
    run->count = o->count ? o->count : FrameSequenceFrames;
    run->name = text_make("%s, %u frames", o->frames, o->first + run->count);
    run->results.name = run->name;
    run->alone = frame_generate_view(o->frames, o->harness.seed, o->first, err);
    return run->alone;
  }
  run->sequence = frame_sequence_load(o->frames, o->harness.seed, 1, err);
  if (!run->sequence) {
    return false;
  }
  const uint32_t held = run->sequence->count;
  if (o->first >= held || o->count > held - o->first) {
    err_set(err, ErrInput, "--first %u --count %u: %s has the frames 0 to %u", o->first,
            o->count ? o->count : 1, run->sequence->name, held - 1);
    return false;
  }
  run->frames = run->sequence->frames + o->first;
  run->count = o->count ? o->count : held - o->first;
  run->results.name = run->sequence->name;
  return true;
}

// Refuses frames that the machine cannot render.
static bool check_frames(const run_t *run, err_t *err) {
  frame_t *const *frames = run->alone ? &run->alone : run->frames;
  const uint32_t count = run->alone ? 1 : run->count;
  bool good = machine_check_frames(&run->params, frames, count, err);
  for (uint32_t i = 0; good && i < count; i++) {
    good = texturing_check(&run->params.texturing, run->params.soc.scheduler, frames[i], err);
  }
  return good;
}

// Makes the next of generated frames in the place of the one before. Returns an exit status.
static int make_frame(run_t *run, uint32_t number) {
  err_auto_t err = {0};
  frame_free(run->alone);
  run->alone = frame_generate_view(run->options->frames, run->options->harness.seed, number, &err);
  return run->alone && check_frames(run, &err) ? ExitPassed : cli_fail(&err);
}

// Reads the configuration of the baseline. Returns an exit status.
static int configure_baseline(run_t *run) {
  err_auto_t err = {0};
  err_set(&err, ErrMachine, "out of memory");
  const char *baseline = run->options->baseline;
  char *set = text_make("%s%s", strchr(baseline, '=') ? "" : "scheme=", baseline);
  config_t *copy = set ? configure(run->options, set, &run->baseline, &err) : NULL;
  free(set);
  if (!copy) {
    return cli_refuse(ExitUsage, "--baseline: %s", err_text(&err));
  }
  config_destroy(copy);
  return ExitPassed;
}

// Makes the SoC that the parameters ask for, if any. Returns an exit status.
static int make_soc(const run_t *run, const machine_params_t *params, soc_session_t *soc) {
  err_auto_t err = {0};
  harness_options_t h = run->options->harness;
  h.command = run->command;
  if (soc == &run->baseline_soc) {
    h.log = h.system_waves = NULL;
  }
  return !params->soc.scheduler || soc_session_make(soc, &h, params, &err) ? ExitPassed
                                                                           : cli_fail(&err);
}

static int prepare(run_t *run) {
  err_auto_t err = {0};
  const options_t *o = run->options;
  run->config = configure(o, NULL, &run->params, &err);
  if (!run->config || !load_frames(run, &err) || !check_frames(run, &err)) {
    return cli_fail(&err);
  }
  run->to = o->json && strcmp(o->json, "-") == 0 ? stderr : stdout;
  if (run->params.dfsl_mode && !run->results.name) {
    return cli_refuse(ExitUsage, "dfsl.mode=on: only with --frames");
  }
  if (run->params.soc.scheduler && !run->results.name) {
    return cli_refuse(ExitUsage, "soc.scheduler: only with --frames");
  }
  dfsl_init(&run->dfsl, run->params.dfsl_min, run->params.dfsl_max, run->params.dfsl_run);
  if (run->results.name) {
    run->memory = driver_memory_make();
    run->baseline_memory = driver_memory_make();
    if (!run->memory || !run->baseline_memory) {
      return cli_refuse(ExitLacking, "out of memory");
    }
  }
  int status = o->baseline ? configure_baseline(run) : ExitPassed;
  status = status ? status : make_soc(run, &run->params, &run->soc);
  return status || !o->baseline ? status : make_soc(run, &run->baseline, &run->baseline_soc);
}

static int run_baseline(run_t *run, const frame_t *frame, result_t *r) {
  rendering_t session = {.unjudged = true};
  result_t base = *r;
  int status = simulate(run->options, &run->baseline, frame, run->baseline_memory,
                        &run->baseline_soc, run->command, &session, &base);
  r->baseline = run->options->baseline;
  if (status == ExitPassed) {
    const machine_stats_t *stats = machine_stats(session.machine);
    r->baseline_cycles = stats->cycles;
    r->baseline_gpus = machine_gpu_count(session.machine);
    memcpy(r->baseline_spent, stats->spent, sizeof r->baseline_spent);
  }
  rendering_end(&session);
  return status;
}

// Repeats a failed run with waves, if it had none.
static void repeat_failed(const run_t *run) {
  const options_t *o = run->options;
  const rendering_t *session = &run->session;
  if (!session->harness) {
    return;
  }
  const harness_t *failed =
      run->soc.soc && harness_failure(run->soc.harness) ? run->soc.harness : session->harness;
  if (harness_failure(failed)) {
    if (!o->harness.waves) {
      cli_repeat_with_waves(failed);
    }
  } else if (session->machine && !o->harness.system_waves) {
    cli_repeat_machine(run->command, session->clock, o->harness.before);
  }
}

static int judge(const result_t *r) {
  int status = ExitPassed;
  if (harness_output_error(r->harness)) {
    status = cli_refuse(ExitFailed, "%s", harness_output_error(r->harness));
  }
  if (result_sample_error(r) > result_sample_bound(r)) {
    status =
        cli_refuse(ExitFailed, "a filtered sample is off by %g, more than rounding explains (%g)",
                   result_sample_error(r), result_sample_bound(r));
  }
  if (result_mismatches(r) || r->check.violations || r->check.target_violations) {
    status = ExitFailed;
  }
  return status;
}

// Prints one frame's result, or its row in a sequence. number: its place in the sequence.
static int tell(run_t *run, const result_t *r, uint32_t number) {
  err_t err = {0};
  const options_t *o = run->options;
  if (run->results.name) {
    frames_result_add(&run->results, r, number, run->to);
    return ExitPassed;
  }
  result_print(r, run->to);
  return !o->json || result_write_json(r, o->json, &err) ? ExitPassed : cli_fail(&err);
}

// Prints the whole, after the last frame or the one that failed.
static int tell_whole(run_t *run) {
  err_t err = {0};
  const options_t *o = run->options;
  int status = ExitPassed;
  if (run->results.cycles) {
    frames_result_print(&run->results, run->to);
    if (o->json && !frames_result_write_json(&run->results, o->json, &err)) {
      status = cli_fail(&err);
    }
  }
  if (run->soc.soc && harness_output_error(run->soc.harness)) {
    status = cli_refuse(ExitFailed, "%s", harness_output_error(run->soc.harness));
  }
  if (o->explain && run->last.machine) {
    words_print(&run->last, run->to);
  }
  return status;
}

// Returns the longest time that a GPU took for the frame's fragments.
static uint64_t fragment_cycles(const result_t *r) {
  uint64_t most = 0;
  for (uint32_t g = 0; g < machine_gpu_count(r->machine); g++) {
    const uint64_t cycles = gpu_stats(machine_gpu(r->machine, g))->fragment_cycles;
    most = cycles > most ? cycles : most;
  }
  return most;
}

static int run_frame(run_t *run, uint32_t i) {
  const options_t *o = run->options;
  const uint32_t number = o->first + i;
  rendering_end(&run->session);
  run->session = (rendering_t){.hashed = o->json != NULL};
  if (run->soc.soc) {
    soc_session_next(&run->soc);
  }
  run->last = (result_t){0};
  int status = run->name && i > 0 ? make_frame(run, number) : ExitPassed;
  if (status != ExitPassed) {
    return status;
  }
  const dfsl_t dfsl = run->dfsl;
  if (run->params.dfsl_mode) {
    run->params.gpu.wt = dfsl_next(&run->dfsl);
  }
  const frame_t *frame = run->alone ? run->alone : run->frames[i];
  result_t r = {.config = run->config,
                .params = &run->params,
                .frame = frame,
                .seed = o->harness.seed,
                .engine = o->harness.engine,
                .dfsl = run->params.dfsl_mode ? &dfsl : NULL,
                .sequence = run->results.name};
  status = o->baseline ? run_baseline(run, frame, &r) : ExitPassed;
  if (status != ExitPassed) {
    return status;
  }
  status =
      simulate(o, &run->params, frame, run->memory, &run->soc, run->command, &run->session, &r);
  if (status != ExitPassed) {
    if (status == ExitFailed) {
      repeat_failed(run);
    }
    return status;
  }
  if (run->params.dfsl_mode) {
    dfsl_learn(&run->dfsl, fragment_cycles(&r));
  }
  run->last = r;
  const int written = write_pictures(o, &r, run->results.name ? (int)number : -1);
  const int told = tell(run, &r, number);
  const int judged = judge(&r);
  return written ? written : told ? told : judged;
}

int cli_run(int argc, char **argv) {
  static const struct argp Parser = {Options,
                                     parse,
                                     "CONFIG.yaml",
                                     "Renders a frame, or several one after the other, on the "
                                     "configured machine.",
                                     NULL,
                                     NULL,
                                     NULL};
  static options_t o;
  static char *command;
  o = (options_t){.harness = {.engine = EngineLockstep, .seed = 1}};
  // (The report of a failure adds waves of its own.)
  static const char *const Waves[] = {"--waves", "--waves-unit", "--system-waves",
                                      "--from",  "--to",         NULL};
  command = cli_command_without(argc, argv, Waves);
  cli_parse(&Parser, argc, argv, &o);
  if (!cli_can_write(o.json) || !cli_can_write(o.image) || !cli_can_write(o.reference) ||
      !cli_can_write(o.difference)) {
    return ExitFailed;
  }
  run_t run = {.options = &o, .command = command};
  err_t err = {0};
  int status = own_load(&o.own, &o.harness, &err) ? prepare(&run) : cli_fail(&err);
  for (uint32_t i = 0; i < run.count && status == ExitPassed; i++) {
    status = run_frame(&run, i);
  }
  const int told = tell_whole(&run);
  status = status ? status : told;
  run_end(&run);
  return status;
}
