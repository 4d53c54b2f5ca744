// The texture designs of A-TFIM side by side: each is a run of its own, in a process of its
// own; the table is made of their JSON files.
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

enum { MaxPassed = 64, MaxArguments = MaxPassed + 24 };

typedef struct {
  const char *name, *design, *key;  // key: a setting beside the design
} variant_t;

static const variant_t Variants[] = {
    {"baseline", "baseline", NULL},
    {"b_pim", "b_pim", NULL},
    {"s_tfim", "s_tfim", NULL},
    {"a_tfim", "a_tfim", NULL},
    {"isotropic", "baseline", "texture.anisotropic=false"},
    {"a_tfim-always", "a_tfim", "texture.angle_threshold=always"},
    {"a_tfim-0", "a_tfim", "texture.angle_threshold=0"},
    {"a_tfim-0.9", "a_tfim", "texture.angle_threshold=0.9"},
    {"a_tfim-1.8", "a_tfim", "texture.angle_threshold=1.8"},
    {"a_tfim-9", "a_tfim", "texture.angle_threshold=9"},
    {"a_tfim-none", "a_tfim", "texture.angle_threshold=none"},
};
enum { Designs = 5, AllVariants = sizeof Variants / sizeof *Variants };

typedef struct {
  const char *config, *out;
  uint32_t jobs;
  bool thresholds;
  const char *passed[MaxPassed];  // options for each run
  uint32_t passed_count;
} options_t;

typedef struct {
  pid_t pid;
  char json[512], picture[512], log[512];
  int status;
  bool done;
  uint64_t cycles, mismatches;
  double latency, psnr, energy, traffic;
} run_t;

enum { KeyJobs = 'j', KeyOut = 256, KeyThresholds };

static const struct argp_option Options[] = {
    {"frame", 'f', "F", 0, "as in `nocturne run`", 0},
    {"engine", 'e', "ENGINE", 0, "as in `nocturne run`", 0},
    {"set", 's', "KEY=VALUE", 0, "as in `nocturne run`", 0},
    {"seed", 'r', "N", 0, "as in `nocturne run`", 0},
    {"jobs", KeyJobs, "N", 0, "runs at a time (as many as there are processors)", 0},
    {"out", KeyOut, "DIR", 0, "folder of the JSON files and pictures (build/designs)", 0},
    {"thresholds", KeyThresholds, NULL, 0, "also all angle thresholds of A-TFIM", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  static const struct { char key; const char *name; } passed[] = {
      {'f', "--frame"}, {'e', "--engine"}, {'s', "--set"}, {'r', "--seed"}};
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
    if (key == passed[i].key) {
      if (o->passed_count + 2 > MaxPassed) {
        argp_error(state, "too many options");
      }
      o->passed[o->passed_count++] = passed[i].name;
      o->passed[o->passed_count++] = arg;
      return 0;
    }
  }
  switch (key) {
    case KeyJobs: {
      char *end;
      o->jobs = (uint32_t)strtoul(arg, &end, 10);
      if (*end || o->jobs < 1 || o->jobs > 64) {
        argp_error(state, "--jobs %s: expected 1 to 64", arg);
      }
      return 0;
    }
    case KeyOut: o->out = arg; return 0;
    case KeyThresholds: o->thresholds = true; return 0;
    case ARGP_KEY_ARG:
      if (o->config) {
        return ARGP_ERR_UNKNOWN;
      }
      o->config = arg;
      return 0;
    case ARGP_KEY_END:
      if (!o->config) {
        argp_error(state, "no configuration, expected CONFIG.yaml");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static bool start(const options_t *o, const variant_t *v, run_t *r) {
  const char *arguments[MaxArguments] = {"nocturne", "run", o->config};
  char design[64];
  uint32_t n = 3;
  snprintf(r->json, sizeof r->json, "%s/%s.json", o->out, v->name);
  snprintf(r->picture, sizeof r->picture, "%s/%s.png", o->out, v->name);
  snprintf(r->log, sizeof r->log, "%s/%s.log", o->out, v->name);
  snprintf(design, sizeof design, "texture.design=%s", v->design);
  for (uint32_t i = 0; i < o->passed_count; i++) {
    arguments[n++] = o->passed[i];
  }
  arguments[n++] = "--set";
  arguments[n++] = design;
  if (v->key) {
    arguments[n++] = "--set";
    arguments[n++] = v->key;
  }
  const char *const files[] = {"--json", r->json, "--image", r->picture};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    arguments[n++] = files[i];
  }
  unlink(r->json);
  fflush(NULL);
  r->pid = fork();
  if (r->pid == 0) {
    if (!freopen(r->log, "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) {
      _exit(ExitFailed);
    }
    execv("/proc/self/exe", (char *const *)(uintptr_t)arguments);
    _exit(ExitLacking);
  }
  return r->pid > 0;
}

static double number(const json_t *o, const char *group, const char *key) {
  return json_number_value(json_object_get(group ? json_object_get(o, group) : o, key));
}

static bool read_result(run_t *r) {
  json_error_t why;
  json_t *o = json_load_file(r->json, 0, &why);
  if (!o) {
    return false;
  }
  const char *name;
  json_t *unit;
  json_object_foreach(json_object_get(json_object_get(o, "engine"), "units"), name, unit) {
    r->mismatches += (uint64_t)json_integer_value(json_object_get(unit, "mismatches"));
  }
  r->cycles = (uint64_t)number(o, NULL, "cycles");
  r->latency = number(o, "texture", "filter_latency");
  r->traffic = number(o, "traffic", "texture_bytes");
  r->psnr = number(o, "quality", "psnr_db");
  r->energy = number(o, "energy", "total_j");
  json_decref(o);
  return true;
}

static void finish(const variant_t *v, run_t *r, int wait_status) {
  r->done = true;
  r->status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : ExitFailed;
  if (WIFSIGNALED(wait_status)) {
    fprintf(stderr, "nocturne: %s was ended by signal %d (%s), its output: %s\n", v->name,
            WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)), r->log);
  }
  if (r->status == ExitPassed && !read_result(r)) {
    r->status = ExitFailed;
  }
  if (r->status == ExitPassed) {
    printf("  %-14s done: %" PRIu64 " cycles\n", v->name, r->cycles);
  } else {
    printf("  %-14s failed (exit status %d), its output: %s\n", v->name, r->status, r->log);
  }
  fflush(stdout);
}

static int run_all(const options_t *o, uint32_t count, run_t *runs) {
  uint32_t started = 0, running = 0;
  int worst = ExitPassed;
  while (started < count || running > 0) {
    if (started < count && running < o->jobs) {
      if (!start(o, &Variants[started], &runs[started])) {
        fprintf(stderr, "nocturne: cannot start a process: %s\n", strerror(errno));
        return ExitLacking;
      }
      started++;
      running++;
      continue;
    }
    int status;
    pid_t pid = wait(&status);
    for (uint32_t i = 0; i < started; i++) {
      if (runs[i].pid == pid && !runs[i].done) {
        running--;
        finish(&Variants[i], &runs[i], status);
        worst = runs[i].status > worst ? runs[i].status : worst;
      }
    }
  }
  return worst;
}

static void print_table(const run_t *runs, uint32_t count) {
  const run_t *b = &runs[0];
  printf("\n%-14s %10s %10s %10s %12s %10s %9s %10s\n", "design", "cycles", "rendering",
         "filtering", "texture MB", "energy mJ", "PSNR dB", "mismatches");
  for (uint32_t i = 0; i < count; i++) {
    const run_t *r = &runs[i];
    if (r->status != ExitPassed) {
      continue;
    }
    printf("%-14s %10" PRIu64 " %9.3fx %9.3fx %12.2f %10.3f %9.2f %10" PRIu64 "\n",
           Variants[i].name, r->cycles, (double)b->cycles / (double)r->cycles,
           r->latency > 0 ? b->latency / r->latency : 0, 1e-6 * r->traffic, 1e3 * r->energy,
           r->psnr, r->mismatches);
  }
  printf("rendering, filtering: speed over the baseline design (cycles of the frame; mean "
         "cycles from a request\nfor texels to the filtered result)\n");
}

int cli_designs(int argc, char **argv) {
  static const struct argp Parser = {
      Options, parse, "CONFIG.yaml",
      "Renders one frame with each texture design of A-TFIM and compares them.", NULL, NULL, NULL};
  static run_t runs[AllVariants];
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  options_t o = {.out = "build/designs", .jobs = processors > 0 ? (uint32_t)processors : 1};
  argp_err_exit_status = ExitUsage;
  argp_parse(&Parser, argc, argv, 0, NULL, &o);
  if (mkdir(o.out, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "nocturne: %s: %s\n", o.out, strerror(errno));
    return ExitUsage;
  }
  uint32_t count = o.thresholds ? AllVariants : Designs;
  int status = run_all(&o, count, runs);
  if (runs[0].status == ExitPassed && runs[0].done) {
    print_table(runs, count);
  }
  printf("pictures and JSON: %s/\n", o.out);
  return status;
}
