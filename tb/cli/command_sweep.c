// SPDX-License-Identifier: Apache-2.0
// nocturne sweep SWEEP.yaml: a grid of runs side by side, one table, plots.
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "launch_options.h"
#include "own_options.h"
#include "tb/regress/folders.h"
#include "tb/sweep/sweep.h"

enum {
  KeyResume = 256,
  KeyNoCache,
  KeyCache,
  KeyOut,
  KeySeed,
  KeyConfig,
  KeyList,
  KeyTurn,
  KeyOnly,
  KeyNoPlots
};
enum { TurnOut = 3 };  // file descriptor

typedef struct {
  const char *file, *out;
  sweep_options_t sweep;
  regress_options_t regress;
  bool only_list, in_turn, no_plots;
} options_t;

static const struct argp_option Options[] = {
    {"jobs", 'j', "N", 0, "runs at a time (one for each processor)", 0},
    {"engine", 'e', "NAME", 0, "golden, rtl, lockstep or gates (lockstep)", 0},
    {"out", KeyOut, "DIR", 0, "table, plots, logs (build/sweep/NAME)", 0},
    {"resume", KeyResume, NULL, 0, "go on with a sweep that was cut off", 0},
    {"no-cache", KeyNoCache, NULL, 0, "run what is known, too", 0},
    {"cache", KeyCache, "DIR", 0, "where results are kept (build/sweep)", 0},
    {"frame", 'f', "FRAME", 0, "instead of the file's frames; may be repeated", 0},
    {"config", KeyConfig, "CONFIG.yaml", 0, "instead of the file's configuration", 0},
    {"set", 's', "KEY=VALUE", 0, "overrides a key of all configurations", 0},
    {"seed", KeySeed, "N", 0, "instead of the file's (1)", 0},
    {"list", KeyList, NULL, 0, "check the file, print its runs and stop", 0},
    {"no-plots", KeyNoPlots, NULL, 0, "the table alone, which needs no gnuplot", 0},
    {"in-turn", KeyTurn, NULL, 0,
     "run after standard input ends; file 3 is closed when the last run has begun", 0},
    {"only", KeyOnly, "AXIS=VALUE", 0, "of this axis no other values; may be repeated", 0},
    OWN_OPTIONS,
    LAUNCH_OPTIONS,
    {0}};

static void pass_turn(void) { close(TurnOut); }

static void await_turn(void) {
  char bytes[256];
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // nobody else would end it
  for (ssize_t n = 1; n > 0 || (n < 0 && errno == EINTR);) {
    n = read(STDIN_FILENO, bytes, sizeof bytes);
  }
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  if (launch_option(&o->regress.launch, key, arg, state)) return 0;
  if (own_option(&o->sweep.own, key, arg, state)) return 0;
  switch (key) {
    case 'j': o->regress.jobs = (uint32_t)cli_number(state, "-j", arg, 1, CliMostJobs); return 0;
    case 'e': o->sweep.engine = engine_name(cli_engine(state, arg)); return 0;
    case KeyOut: o->out = arg; return 0;
    case KeyResume: o->regress.resume = true; return 0;
    case KeyNoCache: o->regress.use_cache = false; return 0;
    case KeyCache: o->regress.cache = arg; return 0;
    case 'f':
      if (o->sweep.frame_count == SweepMaxChoices) {
        argp_error(state, "more than %d --frame", SweepMaxChoices);
      }
      o->sweep.frames[o->sweep.frame_count++] = arg;
      return 0;
    case KeyConfig: o->sweep.config = arg; return 0;
    case 's':
      if (o->sweep.set_count == SweepMaxSets) {
        argp_error(state, "more than %d --set", SweepMaxSets);
      }
      o->sweep.sets[o->sweep.set_count++] = arg;
      return 0;
    case KeySeed:
      o->sweep.has_seed = true;
      o->sweep.seed = cli_number(state, "--seed", arg, 0, UINT64_MAX - 1);
      return 0;
    case KeyOnly:
      if (o->sweep.only_count == SweepMaxChoices || !strchr(arg, '=')) {
        argp_error(state, "--only %s: expected AXIS=VALUE, at most %d", arg, SweepMaxChoices);
      }
      o->sweep.only[o->sweep.only_count++] = arg;
      return 0;
    case KeyList: o->only_list = true; return 0;
    case KeyNoPlots: o->no_plots = true; return 0;
    case KeyTurn:
      o->in_turn = true;
      o->regress.begun = pass_turn;
      // The runs must not hold it open.
      if (fcntl(TurnOut, F_SETFD, FD_CLOEXEC) != 0) {
        argp_error(state, "--in-turn: file 3: %s", strerror(errno));
      }
      return 0;
    case ARGP_KEY_ARG:
      if (o->file) {
        argp_error(state, "%s: one sweep only", arg);
      }
      o->file = arg;
      return 0;
    case ARGP_KEY_END:
      launch_check(&o->regress.launch, o->regress.jobs, state);
      if (!o->file) {
        argp_error(state, "expected a sweep, such as vectors/sweeps/designs.yaml");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static void print_failures(const regress_t *r) {
  for (size_t i = 0; i < r->list->count; i++) {
    const job_result_t *result = &r->ends[i].entry->result;
    if (result->verdict != JobPassed) {
      text_t command = {0};
      job_command(&r->list->tests[i], &command);
      printf("failed: %s: %s; again: %s\n", r->list->tests[i].id, result->what,
             text_string(&command));
      text_free(&command);
    }
  }
}

static int report(const options_t *o, sweep_t *s, const regress_t *r) {
  err_t err = {0};
  if (!sweep_gather(s, r, &err)) {
    return cli_fail(&err);
  }
  putchar('\n');
  if (!sweep_write(s, r, r->options->folder, &err)) {
    return cli_fail(&err);
  }
  bool plotted = o->no_plots || sweep_draw(s, r->options->folder, &err);
  putchar('\n');
  print_failures(r);
  printf("%zu runs, %zu failed, %zu known before; engine %s, %" PRIu64
         " cycles compared, "
         "mismatches %" PRIu64 "; %.1f s\n",
         r->list->count, r->failed, r->cached, o->sweep.engine, s->compared, s->mismatches,
         r->seconds);
  printf("table%s: %s/  logs, JSON%s: %s/logs/\n", o->no_plots ? "" : ", plots", r->options->folder,
         s->pictures ? ", pictures" : "", r->options->folder);
  return !plotted ? cli_fail(&err) : r->failed ? ExitFailed : ExitPassed;
}

int cli_sweep(int argc, char **argv) {
  static const struct argp Parser = {
      Options, parse, "SWEEP.yaml", "A grid of runs side by side, one table, plots.",
      NULL,    NULL,  NULL};
  static options_t o;
  static sweep_t s;
  err_t err = {0};
  char *folder = NULL;
  o.sweep.engine = "lockstep";
  o.regress = (regress_options_t){.use_cache = true,
                                  .keep_results = true,
                                  .show_command = true,
                                  .cache = "build/sweep",
                                  .launch = LaunchDefaults};
  cli_parse(&Parser, argc, argv, &o);
  o.regress.jobs = o.regress.jobs ? o.regress.jobs : cli_processors();
  test_list_t list = {0};
  regress_t r = {0};
  int status = ExitUsage;
  if (sweep_load(&s, o.file, &o.sweep, &err) && sweep_expand(&s, &o.sweep, &list, &err)) {
    folder = text_make("build/sweep/%s", s.name);
    o.regress.folder = o.out ? o.out : folder;
    if (o.only_list) {
      cli_print_list(&list);
      status = ExitPassed;
    } else {
      status = ExitFailed;
      if (o.in_turn) {
        await_turn();
      }
      if (folder_make(o.regress.cache, &err) && folder_make(o.regress.folder, &err) &&
          regress_run(&r, &list, &o.regress, &err)) {
        status = report(&o, &s, &r);
      } else {
        status = cli_fail(&err);
      }
    }
  }
  if (err_is_set(&err)) {
    status = cli_fail(&err);
  }
  regress_free(&r);
  test_list_free(&list);
  sweep_free(&s);
  free(folder);
  return status;
}
