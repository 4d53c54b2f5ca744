// SPDX-License-Identifier: Apache-2.0
// A unit fuzzed in lockstep (docs/how-to/fuzz.md). An input's bytes become the choices of the
// unit's stimulus (choices.h). Built with libFuzzer (make fuzz) it looks for inputs that reach
// something new; built without it runs those that it is given.
//
//   fuzz_unit UNIT [OPTION...] FILE|FOLDER...                       runs inputs
//   fuzz_unit LIBFUZZER-OPTION... FOLDER... -ignore_remaining_args=1 UNIT [OPTION...]
//
//   --gpus N      --set NAME: the parameter set (its first)      --seconds S: processor time
//   --blind SEED  random bytes as inputs, nothing is learnt: what the decoder alone finds
//   --found DIR   where an input that fails, and its vectors, go
//   --report F    a line at the end: found or not, inputs, steps, processor seconds
//   --page P.yaml --rtl DIR --golden LIB.so: a unit from outside the tree
//
// Exit status: 0 nothing found; 1 golden model and RTL differ, or an assertion failed; 2 bad usage;
// 3 no simulator.
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "choices.h"
#include "csim/base/seconds.h"
#include "csim/base/text.h"
#include "features.h"
#include "tb/harness/outside.h"
#include "tb/harness/shrink.h"
#include "tb/harness/units.h"
#include "tb/stimulus/stimulus_page.h"

enum {
  Room = 1 << 16,    // bytes of an input
  MostBlind = 2048,  // of a blind one
  MostSteps = 4096,
  AllKnobs = StimulusMaxKnobs,
};
#define TrafficSeed UINT64_C(0x66757a7a2d756e69)

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size))
    __attribute__((weak));

typedef struct {
  const char *unit, *set, *found, *report, *blind;
  uint32_t gpus;
  double seconds;
  outside_t outside;
} options_t;

static options_t options = {.gpus = 0, .found = "build/fuzz"};
static bool is_fuzzing;
static const unit_model_t *model;
static const unit_info_t *info;
static harness_t *harness;
static lockstep_t *unit;
static features_t features;
static unit_engine_t engine;  // that the stimulus drives
static uint64_t clock_now, inputs, steps, tail_left;
static choices_t choices;

// ---- The unit, made once ----

static unit_status_e step(void *self, const void *in, void *out) {
  (void)self;
  if (choices.at >= choices.size && tail_left-- == 0) {
    return UnitStopped;  // the input is at its end
  }
  steps++;
  unit_status_e status = lockstep_step(unit, in, out);
  if (is_fuzzing) {
    features_step(&features, out);
  }
  return status;
}

static void reset(void *self, void *out) {
  (void)self;
  lockstep_reset(unit, out);
}

static void observe(void *self, void *state) {
  (void)self;
  lockstep_observe(unit, state);
}

// For stimulus_unit.
static const unit_engine_t *make(void *self, harness_t *h, const unit_info_t *of,
                                 const void *params, uint32_t instance, err_t *err) {
  (void)self;
  if (!unit) {
    if (!harness_unit_create(h, of, params, instance, NULL, err)) {
      return NULL;
    }
    unit = harness_unit(h, 0);
    if (!features_open(&features, unit)) {
      err_set(err, ErrMachine, "out of memory");
      return NULL;
    }
    engine = (unit_engine_t){NULL, step, reset, observe};
  }
  return &engine;
}

// ---- An input ----

// A knob's value: one that the seed would choose from; a share also any other.
static uint32_t knob_value(const stimulus_choice_t *c, uint8_t byte) {
  bool is_share = strcmp(c->name, "errors") == 0;
  for (uint32_t i = 0; i < c->count; i++) {
    is_share |= c->values[i] == 1000;
  }
  return is_share && byte >= 128 ? (byte - 128) * 1000u / 127 : c->values[byte % c->count];
}

static void read_knobs(stimulus_knob_t knobs[AllKnobs]) {
  static char texts[AllKnobs][16];
  uint32_t count = 0;
  const stimulus_choice_t *choice = model->stimulus ? model->stimulus->choices : NULL;
  for (const stimulus_choice_t *c = choice; c && c->name && count < AllKnobs; c++) {
    snprintf(texts[count], sizeof *texts, "%u", knob_value(c, choices_byte(&choices)));
    knobs[count] = (stimulus_knob_t){.name = c->name, .value = texts[count]};
    count++;
  }
}

static void report(bool found) {
  FILE *file = options.report ? fopen(options.report, "a") : NULL;
  if (file) {
    fprintf(file, "%s %" PRIu64 " %" PRIu64 " %.2f\n", found ? "found" : "nothing", inputs, steps,
            seconds_cpu());
    fclose(file);
  }
  printf("%s: %s: %" PRIu64 " inputs, %" PRIu64 " steps, %.1f s of CPU\n", found ? "FAILED" : "ok",
         info->name, inputs, steps, seconds_cpu());
  fflush(stdout);
}

// The input as a file, the failure cut down as vectors; ends the program.
static void fail(const uint8_t *data, size_t size, const char *why) {
  char *path = text_make("%s/found", options.found);
  err_auto_t err = {0};
  shrunk_t shrunk;
  printf("%s", why);
  mkdir(options.found, 0777);
  FILE *file = path ? fopen(path, "wb") : NULL;
  if (file && fwrite(data, 1, size, file) == size && fclose(file) == 0) {
    printf("  input: %s\n", path);
  }
  report(true);
  free(path);
  path = text_make("%s/found.vec", options.found);
  if (path && shrink_stimulus(harness, path, &shrunk, &err)) {
    printf("shrunk: %" PRIu64 " steps to %" PRIu64 "\n  play: build/nocturne unit ", shrunk.before,
           shrunk.after);
    if (options.outside.page) {
      printf("--page %s --rtl %s --golden %s ", options.outside.page, options.outside.rtl,
             options.outside.golden ? options.outside.golden : "");
    }
    printf("--vectors %s\n", path);
  } else {
    printf("  not cut down: %s\n", err_text(&err));
  }
  harness_destroy(harness);  // which ends the vectors
  fflush(stdout);
  _exit(1);
}

static int run(const uint8_t *data, size_t size) {
  stimulus_knob_t knobs[AllKnobs] = {0};
  err_auto_t err = {0};
  tail_left = choices_begin(&choices, data, size);
  read_knobs(knobs);  // a byte each
  if (unit) {
    unit->kept_count = unit->kept_from = 0;
    unit->unit.steps = 0;
    rng_fork(&unit->rng, &choices.source, 0);
    clock_now = 0;
    features_begin(&features);
  }
  // (stimulus_page mixes the unit's name into the seed; here one seed serves both.)
  static const stimulus_host_t Host = {.make = make};
  const uint64_t seed = TrafficSeed ^ (model->stimulus ? 0 : rng_name(info->name));
  const stimulus_t s = {.gpus = options.gpus,
                        .set = options.set,
                        .seed = seed,
                        .cycles = MostSteps,
                        .knobs = knobs,
                        .clock = &clock_now,
                        .source = &choices.source,
                        .host = &Host};
  bool good = stimulus_drive(&s, model, harness, &err);
  inputs++;
  if (!unit) {
    fprintf(stderr, "fuzz_unit: %s\n", err_text(&err));
    _exit(harness_lacking(harness) ? 3 : 2);
  }
  if (!good && harness_failure(harness)) {
    fail(data, size, harness_failure(harness));
  }
  if (is_fuzzing) {
    features_end(&features);
  }
  if (options.seconds > 0 && inputs % 16 == 0 && seconds_cpu() > options.seconds) {
    report(false);
    _exit(0);
  }
  return 0;
}

// Runs the inputs of a file or folder; false: there is none.
static bool replay(const char *path) {
  static uint8_t data[Room];
  DIR *folder = opendir(path);
  bool good = true;
  if (!folder) {
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(data, 1, Room, file) : 0;
    if (file) {
      fclose(file);
      run(data, size);
    }
    return file;
  }
  for (struct dirent *d = readdir(folder); good && d; d = readdir(folder)) {
    char *inner = text_make("%s/%s", path, d->d_name);
    good = inner && (d->d_name[0] == '.' || replay(inner));
    free(inner);
  }
  closedir(folder);
  return good;
}

// Until the time is over.
static void run_blind(uint64_t seed) {
  static uint8_t data[MostBlind];
  rng_t rng;
  rng_seed(&rng, seed);
  for (;;) {
    size_t size = rng_u64(&rng) % sizeof data;
    for (size_t i = 0; i < size; i++) {
      data[i] = (uint8_t)rng_u64(&rng);
    }
    run(data, size);
  }
}

// ---- Command line ----

static int usage(const char *what) {
  fprintf(stderr,
          "fuzz_unit: %s: expected [libFuzzer's options -ignore_remaining_args=1] UNIT "
          "[--gpus N] [--set NAME] [--seconds S] [--blind SEED] [--found DIR] "
          "[--report FILE] [--page P.yaml --rtl DIR --golden LIB.so] [FILE...]\n",
          what);
  return 2;
}

// Reads own options; returns how many arguments at the end are none, -1: bad usage.
static int read_options(int argc, char **argv) {
  int i = 0;
  for (; i < argc && argv[i][0] == '-'; i += 2) {
    const char *name = argv[i] + 2, *value = i + 1 < argc ? argv[i + 1] : NULL;
    struct {
      const char *name, **into;
    } texts[] = {{"set", &options.set},
                 {"blind", &options.blind},
                 {"found", &options.found},
                 {"report", &options.report},
                 {"page", &options.outside.page},
                 {"rtl", &options.outside.rtl},
                 {"golden", &options.outside.golden}};
    bool known = false;
    for (size_t k = 0; value && k < sizeof texts / sizeof *texts; k++) {
      if (strcmp(name, texts[k].name) == 0) {
        *texts[k].into = value;
        known = true;
      }
    }
    if (value && strcmp(name, "gpus") == 0) {
      options.gpus = (uint32_t)strtoul(value, NULL, 10);
      known = options.gpus >= 2 && options.gpus <= 64;
    } else if (value && strcmp(name, "seconds") == 0) {
      options.seconds = strtod(value, NULL);
      known = true;
    }
    if (!known) {
      usage(argv[i]);
      return -1;
    }
  }
  return argc - i;
}

// The unit's stimulus; 0, or an exit status and one line said.
static int find_unit(void) {
  err_auto_t err = {0};
  bool lacking = false;
  if (options.outside.page) {
    model = outside_load(&options.outside, &lacking, &err);
    if (!model) {
      fprintf(stderr, "fuzz_unit: %s\n", err_text(&err));
      return lacking ? 3 : 2;
    }
  } else {
    model = unit_find(options.unit);
  }
  info = model ? model->info : NULL;
  if (info && options.set && strchr(options.set, ',')) {
    return usage("one parameter set, since the unit is made once");
  }
  if (info && options.set && !stimulus_sets_valid(info, options.set, &err)) {
    return usage(err_text(&err));
  }
  if (info && !options.set) {
    options.set = info->sets->name;  // else each input would draw its own
  }
  return info ? 0 : usage(options.unit);
}

int main(int argc, char **argv) {
  int own = 1;
  while (own < argc && strcmp(argv[own], "-ignore_remaining_args=1") != 0) {
    own++;
  }
  is_fuzzing = own < argc;
  own = is_fuzzing ? own + 1 : 1;
  if (own >= argc) {
    return usage("no unit");
  }
  bool has_name = argv[own][0] != '-';
  options.unit = has_name ? argv[own] : "";
  int left = read_options(argc - own - has_name, argv + own + has_name);
  int status = left < 0 ? 2 : find_unit();
  if (status) {
    return status;
  }
  options.gpus = options.gpus ? options.gpus : 8;
  const harness_options_t wanted = {
      .engine = options.outside.page && !options.outside.golden ? EngineRtl : EngineLockstep,
      .seed = 1,
      .clock = &clock_now,
      .keep_steps = MostSteps,
      .command = "",
      .rtl_kind = is_fuzzing ? "fuzz" : NULL};
  harness = harness_create(&wanted);
  if (!harness) {
    fprintf(stderr, "fuzz_unit: out of memory\n");
    return 3;
  }
  if (is_fuzzing) {
    if (!LLVMFuzzerRunDriver) {
      fprintf(stderr, "fuzz_unit: built without libFuzzer: make fuzz UNIT=%s\n", info->name);
      return 3;
    }
    run(NULL, 0);  // makes the unit, which libFuzzer's watch over time would interrupt
    status = LLVMFuzzerRunDriver(&argc, &argv, run);
    report(false);
    return status;
  }
  if (options.blind && options.seconds > 0) {
    run_blind(strtoull(options.blind, NULL, 10));
  }
  for (int i = argc - left; i < argc; i++) {
    if (!replay(argv[i])) {
      return usage(argv[i]);
    }
  }
  report(false);
  harness_destroy(harness);
  return 0;
}
