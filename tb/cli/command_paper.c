// SPDX-License-Identifier: Apache-2.0
// nocturne paper: runs the papers' evaluations and writes pages of stated figures beside ours.
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "csim/base/place.h"
#include "launch_options.h"
#include "own_options.h"
#include "tb/sweep/paper.h"

enum { KeyFull = 256, KeyPages, KeyOut, KeyRuns, KeyCache, KeyResume };

typedef struct {
  const char *file;
  paper_options_t paper;
  launch_options_t launch;
  own_options_t own;
  bool only_pages;
} options_t;

static const struct argp_option Options[] = {
    {"full", KeyFull, NULL, 0, "all frames and figures instead of the short set", 0},
    {"engine", 'e', "NAME", 0, "golden, rtl or lockstep (golden)", 0},
    {"jobs", 'j', "N", 0, "runs at a time (one for each processor)", 0},
    {"pages", KeyPages, NULL, 0, "run nothing: pages and plots of the tables that are there", 0},
    {"out", KeyOut, "DIR", 0, "pages, plots, tables (build/results; with --full docs/results)", 0},
    {"runs", KeyRuns, "DIR", 0, "folders of the sweeps (build/paper; with --full build/paper-full)",
     0},
    {"cache", KeyCache, "DIR", 0, "where results are kept (build/sweep)", 0},
    {"resume", KeyResume, NULL, 0, "go on with sweeps that were cut off", 0},
    OWN_OPTIONS,
    LAUNCH_OPTIONS,
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  if (launch_option(&o->launch, key, arg, state) || own_option(&o->own, key, arg, state)) return 0;
  switch (key) {
    case KeyFull: o->paper.full = true; return 0;
    case 'e':
      if (strcmp(arg, "golden") != 0 && strcmp(arg, "rtl") != 0 && strcmp(arg, "lockstep") != 0) {
        argp_error(state, "--engine %s: expected golden, rtl or lockstep", arg);
      }
      o->paper.engine = arg;
      return 0;
    case 'j': o->paper.jobs = (uint32_t)cli_number(state, "-j", arg, 1, CliMostJobs); return 0;
    case KeyPages: o->only_pages = true; return 0;
    case KeyOut: o->paper.out = arg; return 0;
    case KeyRuns: o->paper.runs = arg; return 0;
    case KeyCache: o->paper.cache = arg; return 0;
    case KeyResume:
      o->paper.sweep_options[0] = "--resume";
      o->paper.sweep_option_count = 1;
      return 0;
    case ARGP_KEY_END:
      launch_check(&o->launch, o->paper.jobs, state);
      o->paper.sweep_option_count =
          launch_words(&o->launch, o->paper.sweep_options, o->paper.sweep_option_count);
      o->paper.sweep_option_count =
          own_words(&o->own, o->paper.sweep_options, o->paper.sweep_option_count);
      return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num > 0) {
        argp_error(state, "%s: one file only", arg);
      }
      o->file = arg;
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

int cli_paper(int argc, char **argv) {
  static const struct argp Parser = {
      Options,
      parse,
      "[PAPER.yaml]",
      "Runs the sweeps of the papers' figures and writes pages of the stated "
      "figures beside ours (vectors/paper.yaml).",
      NULL,
      NULL,
      NULL};
  static paper_t paper;
  err_t err = {0};
  char program[PATH_MAX];
  options_t o = {
      .file = "vectors/paper.yaml", .launch = LaunchDefaults, .paper = {.engine = "golden"}};
  cli_parse(&Parser, argc, argv, &o);
  // The documents show the full set.
  o.paper.docs = o.paper.full || o.paper.out ? ".." : "../../docs";
  if (!o.paper.out) {
    o.paper.out = o.paper.full ? "docs/results" : "build/results";
  }
  if (!o.paper.runs) {
    o.paper.runs = o.paper.full ? "build/paper-full" : "build/paper";
  }
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  o.paper.program = program;
  int status = ExitFailed;
  if (paper_load(&paper, o.file, &err)) {
    if (!place_make_folder(o.paper.runs)) {
      err_set(&err, ErrCheck, "%s: cannot be made", o.paper.runs);
    } else {
      uint32_t failed = o.only_pages ? 0 : paper_run(&paper, &o.paper);
      if ((o.only_pages || paper_take_tables(&paper, &o.paper, &err)) &&
          paper_write(&paper, &o.paper, &err)) {
        printf("pages: %s/  %u sweeps failed\n", o.paper.out, failed);
        status = failed ? ExitFailed : ExitPassed;
      }
    }
  }
  if (err_is_set(&err)) {
    status = cli_fail(&err);
  }
  paper_free(&paper);
  return status;
}
