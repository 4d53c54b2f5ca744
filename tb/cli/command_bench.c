// SPDX-License-Identifier: Apache-2.0
// nocturne bench: measures the speed of the units in lockstep against the bare Verilated units, of
// the memory models, and of the bundled frame in the three engines; or of a unit from outside the
// tree. With --peers it measures units beside benches that a user would write instead.
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cli.h"
#include "csim/base/place.h"
#include "csim/base/seconds.h"
#include "csim/frame/generate_frame.h"
#include "csim/machine/check.h"
#include "memory_run.h"
#include "outside_options.h"
#include "tb/harness/json_file.h"
#include "tb/harness/speed.h"
#include "tb/harness/units.h"
#include "tb/peers/peers.h"
#include "tb/stimulus/stimulus_page.h"

enum { KeptSteps = 20000, PeerUnits = 8 };

typedef struct {
  const char *json;
  const char *peers;  // the folder of what they are built of; NULL: none are measured
  char **units;       // NULL: all
  uint32_t unit_count;
  bool units_only;
  outside_options_t outside;
} options_t;

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 'j': o->json = arg; return 0;
    case 'u': o->units_only = true; return 0;
    case 'p': o->peers = arg ? arg : "build/peers"; return 0;
    case ARGP_KEY_ARGS:
      o->units = state->argv + state->next;
      o->unit_count = (uint32_t)(state->argc - state->next);
      o->units_only = true;
      for (uint32_t i = 0; i < o->unit_count; i++) {
        cli_unit_named(state, o->units[i]);
      }
      return 0;
    case ARGP_KEY_END: {
      const outside_t *own = &o->outside.outside;
      if (own->page ? !own->golden || o->unit_count : own->rtl || own->golden) {
        argp_error(state, "--page: of a unit alone, with --golden");
      }
      if (o->peers && (own->page || place_data() || o->unit_count > PeerUnits)) {
        argp_error(state, "--peers: of up to %d units of the tree, in the tree", PeerUnits);
      }
      return 0;
    }
    default: return outside_option(&o->outside, key, arg) ? 0 : ARGP_ERR_UNKNOWN;
  }
}

static bool is_wanted(const options_t *o, const char *name) {
  bool wanted = o->unit_count == 0;
  for (uint32_t i = 0; i < o->unit_count; i++) {
    wanted |= strcmp(o->units[i], name) == 0;
  }
  return wanted;
}

// Drives a unit and returns its harness, or NULL with the exit status. record: a folder for its
// vectors, or NULL.
static harness_t *drive(const unit_model_t *u, engine_e engine, const char *record, int *status) {
  static uint64_t clock;
  err_auto_t err = {0};
  harness_options_t options = {.engine = engine,
                               .seed = 1,
                               .command = "make bench",
                               .clock = &clock,
                               .keep_steps = KeptSteps,
                               .record = record};
  stimulus_t s = {.gpus = 8, .seed = 1, .cycles = KeptSteps, .clock = &clock, .busy = true};
  clock = 0;
  harness_t *h = harness_create(&options);
  if (h && stimulus_drive(&s, u, h, &err)) {
    return h;
  }
  const char *report = h ? harness_failure(h) : NULL;
  *status = cli_refuse(h && harness_lacking(h) ? ExitLacking : ExitFailed, "%s",
                       report ? report : err_text(&err));
  harness_destroy(h);
  return NULL;
}

// Measures a unit and adds its ratio to *ratios. Returns an exit status.
static int bench_unit(const unit_model_t *u, json_t *units, double *ratios) {
  err_auto_t err = {0};
  speed_t speed;
  int status = ExitPassed;
  harness_t *h = drive(u, EngineLockstep, NULL, &status);
  if (!h) {
    return status;
  }
  if (!speed_measure(h, 2.0, &speed, &err)) {
    const char *report = harness_failure(h);
    status = cli_refuse(harness_lacking(h) ? ExitLacking : ExitFailed, "%s",
                        report ? report : err_text(&err));
    harness_destroy(h);
    return status;
  }
  harness_destroy(h);
  double ratio = speed.lockstep_hz / speed.bare_hz;
  *ratios += ratio;
  printf("%-24s %14.0f %14.0f %7.2f %7.2f\n", u->info->name, speed.lockstep_hz, speed.bare_hz,
         ratio, speed.valid_share);
  fflush(stdout);
  json_object_set_new(units, u->info->name,
                      json_pack("{s:f, s:f, s:f, s:f}", "lockstep_hz", speed.lockstep_hz, "bare_hz",
                                speed.bare_hz, "ratio", ratio, "valid_share", speed.valid_share));
  return ExitPassed;
}

static int bench_units(const options_t *o, json_t *units) {
  double ratios = 0;
  int count = 0, status = ExitPassed;
  const unit_model_t *own = NULL;
  if (o->outside.outside.page && !(own = outside_unit(&o->outside, &status))) {
    return status;
  }
  printf("%-24s %14s %14s %7s %7s\n", own ? "unit" : "unit, 8 GPUs", "lockstep Hz", "bare Hz",
         "ratio", "valid");
  if (own) {
    return bench_unit(own, units, &ratios);
  }
  for (uint32_t i = 0; unit_at(i) && status == ExitPassed; i++) {
    if (is_wanted(o, unit_at(i)->info->name)) {
      status = bench_unit(unit_at(i), units, &ratios);
      count++;
    }
  }
  if (status == ExitPassed) {
    printf("%-24s %14s %14s %7.2f\n", "average", "", "", ratios / count);
  }
  return status;
}

// Measures units beside benches that a user would write instead: three, or those named.
// Returns an exit status.
static int bench_peers(const options_t *o, json_t *units, json_t *root) {
  static char *Usual[] = {"draw_scheduler", "composition_scheduler", "texel_generator"};
  char **names = o->unit_count ? o->units : Usual;
  const uint32_t count = o->unit_count ? o->unit_count : sizeof Usual / sizeof *Usual;
  peers_t measured[PeerUnits];
  err_auto_t err = {0};
  double ratios = 0;
  json_t *all = json_object();
  json_object_set_new(root, "peers", all);
  mkdir("build", 0777);
  mkdir(o->peers, 0777);
  for (uint32_t i = 0; i < count; i++) {
    bool lacking = false;
    int status = bench_unit(unit_find(names[i]), units, &ratios);
    harness_t *h =
        status == ExitPassed ? drive(unit_find(names[i]), EngineGolden, o->peers, &status) : NULL;
    harness_destroy(h);  // ends the record
    json_t *unit = json_object_get(units, names[i]), *speeds = json_object();
    if (status != ExitPassed) {
      json_decref(speeds);
      return status;
    }
    measured[i] = (peers_t){.unit = names[i]};
    measured[i].hz[PeerLockstep] = json_number_value(json_object_get(unit, "lockstep_hz"));
    measured[i].hz[PeerBare] = json_number_value(json_object_get(unit, "bare_hz"));
    json_object_set_new(all, names[i], speeds);
    if (!peers_measure(&measured[i], o->peers, &lacking, &err)) {
      return cli_refuse(lacking ? ExitLacking : ExitFailed, "%s", err_text(&err));
    }
    for (uint32_t p = 0; Peers[p].name; p++) {
      const double over = measured[i].hz[p] / measured[i].hz[PeerLockstep];
      printf("  %-28s %12.0f Hz, %9.5f of lockstep; checks %s\n", Peers[p].what, measured[i].hz[p],
             over, Peers[p].checks);
      json_object_set_new(speeds, Peers[p].name,
                          json_pack("{s:f, s:f}", "hz", measured[i].hz[p], "ratio", over));
    }
    fflush(stdout);
  }
  printf("cocotb: skipped: Debian 12 has no package of it; C over VPI drives as it does\n");
  if (!peers_write(measured, count, o->peers, &err)) {
    return cli_fail(&err);
  }
  return ExitPassed;
}

// Returns the processor time of rendering the bundled frame without any machine; < 0: it failed,
// which is said.
static double render_cpu(void) {
  err_auto_t err = {0};
  frame_t *f = frame_load("vectors/frames/nexuiz/bench1_ultra.nframe", 1, &err);
  const double start = seconds_cpu();
  uint32_t *picture = f ? check_picture(f, (shade_sampling_t){.filter = ShadeIsotropic}) : NULL;
  const double cpu = picture ? seconds_cpu() - start : -1;
  if (!picture) {
    cli_refuse(ExitFailed, "%s", f ? "out of memory" : err_text(&err));
  }
  free(picture);
  frame_free(f);
  return cpu;
}

// Returns the processor time of a command's second run; the first builds the units. < 0: it failed.
static double command_cpu(const char *command) {
  struct rusage before, after;
  if (system(command) != 0 || getrusage(RUSAGE_CHILDREN, &before) || system(command) != 0) {
    return -1;
  }
  getrusage(RUSAGE_CHILDREN, &after);
  return (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
         (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
         1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) +
         1e-6 * (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
}

// Measures the bundled frame, each engine in a process of its own. Returns an exit status.
static int bench_frame(json_t *frame) {
  double cpu[3] = {0};
  const double render = render_cpu();
  if (render < 0) {
    return ExitFailed;
  }
  mkdir("build", 0777);
  for (engine_e e = EngineGolden; e <= EngineLockstep; e++) {
    char command[PATH_MAX + 256], key[32];
    snprintf(command, sizeof command,
             "%s run vectors/config/chopin.yaml --engine %s --json "
             "build/bench-frame.json >/dev/null",
             place_program(), engine_name(e));
    cpu[e] = command_cpu(command);
    json_t *run = cpu[e] >= 0 ? json_load_file("build/bench-frame.json", 0, NULL) : NULL;
    json_t *timing = json_object_get(run, "timing");
    if (!timing) {
      return cli_refuse(ExitFailed, "failed: %s", command);
    }
    double seconds = json_number_value(json_object_get(timing, "seconds"));
    double cycles = json_number_value(json_object_get(run, "cycles"));
    snprintf(key, sizeof key, "%s_s", engine_name(e));
    json_object_set_new(frame, key, json_real(seconds));
    snprintf(key, sizeof key, "%s_cpu_s", engine_name(e));
    json_object_set_new(frame, key, json_real(cpu[e]));
    json_object_set_new(frame, "cycles", json_integer((json_int_t)cycles));
    printf("frame, %-8s %8.2f s, %.2f million cycles a second\n", engine_name(e), seconds,
           1e-6 * cycles / seconds);
    fflush(stdout);
    json_decref(run);
  }
  json_object_set_new(frame, "render_cpu_s", json_real(render));
  printf("frame, processor time: lockstep over golden %.2f, golden over rendering alone %.2f\n",
         cpu[EngineLockstep] / cpu[EngineGolden], cpu[EngineGolden] / render);
  remove("build/bench-frame.json");
  return ExitPassed;
}

// Measures the saturated memory models with random and sequential reads. Returns an exit status.
static int bench_memory(json_t *memory) {
  hmc_params_t hmc;
  gddr5_params_t gddr5;
  err_auto_t err = {0};
  if (!hmc_params_default(&hmc, NULL, &err) || !gddr5_params_default(&gddr5, &err)) {
    return cli_fail(&err);
  }
  const struct {
    const char *name;
    memory_run_t run;
  } Runs[] = {{"hmc_uniform", {.hmc = &hmc, .pattern = 'U', .window = 512}},
              {"hmc_sequential", {.hmc = &hmc, .pattern = 'S', .window = 512}},
              {"hmc_inside_uniform", {.hmc = &hmc, .pattern = 'U', .window = 256, .logic = true}},
              {"gddr5_uniform", {.gddr5 = &gddr5, .pattern = 'U', .window = 512}},
              {"gddr5_sequential", {.gddr5 = &gddr5, .pattern = 'S', .window = 512}}};
  for (size_t i = 0; i < sizeof Runs / sizeof *Runs; i++) {
    double best = 0;
    for (int repeat = 0; repeat < 3; repeat++) {
      memory_run_t run = Runs[i].run;
      memory_result_t result;
      run.bytes = 64, run.duration = 60000, run.seed = 1;
      if (!memory_run(&run, &result, &err)) {
        return cli_fail(&err);
      }
      double speed = (double)result.requests / result.seconds;
      best = speed > best ? speed : best;
    }
    printf("memory, %-20s %6.2f million reads a second\n", Runs[i].name, 1e-6 * best);
    fflush(stdout);
    json_object_set_new(memory, Runs[i].name, json_pack("{s:f}", "reads_per_second", best));
  }
  return ExitPassed;
}

int cli_bench(int argc, char **argv) {
  static const struct argp_option Options[] = {
      {"json", 'j', "FILE", 0, "the result as JSON", 0},
      {"units-only", 'u', NULL, 0, "leave the frame out", 0},
      {"peers", 'p', "DIR", OPTION_ARG_OPTIONAL,
       "units beside benches over VPI, in SystemVerilog and in C++; built in DIR (build/peers)", 0},
      OUTSIDE_GIVEN,
      {0}};
  static const struct argp Parser = {Options, parse, NULL, "Measures speed.", NULL, NULL, NULL};
  options_t o = {0};
  cli_parse(&Parser, argc, argv, &o);
  json_t *root = json_object(), *units = json_object(), *frame = json_object();
  json_t *memory = json_object();
  int status = o.peers ? bench_peers(&o, units, root) : bench_units(&o, units);
  json_object_set_new(root, "units", units);
  if (status == ExitPassed) {
    status = o.unit_count || o.peers || o.outside.outside.page ? ExitPassed : bench_memory(memory);
  }
  json_object_set_new(root, "memory", memory);
  if (status == ExitPassed && !o.units_only && !o.peers && !o.outside.outside.page) {
    status = bench_frame(frame);
    json_object_set(root, "frame", frame);
  }
  json_decref(frame);
  err_t err = {0};
  if (status == ExitPassed && o.json && !json_file_write(root, o.json, JSON_INDENT(2), &err)) {
    status = cli_fail(&err);
  }
  json_decref(root);
  return status;
}
