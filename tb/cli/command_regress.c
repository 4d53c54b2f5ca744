// SPDX-License-Identifier: Apache-2.0
// nocturne regress LIST.yaml...: runs test lists.
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "slurm_options.h"
#include "tb/regress/compare.h"
#include "tb/regress/regress.h"

enum { KeySeeds = 256, KeyResume, KeyNoCache, KeyJunit, KeyHtml, KeyFolder, KeyCover, KeyList,
       KeyFailed, KeyCompare };

typedef struct {
  cli_lists_t lists;
  const char *filter, *tag, *html;
  regress_options_t regress;
  slurm_given_t slurm;
  test_seeds_t seeds;
  const char *compare;
  bool only_list, only_failed;
} options_t;

static const struct argp_option Options[] = {
    {"jobs", 'j', "N", 0, "tests at a time (one for each processor)", 0},
    {"filter", 'f', "GLOB", 0, "only tests whose name or id matches", 0},
    {"tag", 't', "TAG", 0, "only tests with this tag", 0},
    {"seed", 's', "N", 0, "every random test with this seed only", 0},
    {"seeds", KeySeeds, "N", 0, "every random test with seeds 1 to N", 0},
    {"resume", KeyResume, NULL, 0, "go on with a regression that was cut off", 0},
    {"no-cache", KeyNoCache, NULL, 0, "run tests whose result is known, too", 0},
    {"junit", KeyJunit, "OUT.xml", 0, "write JUnit XML", 0},
    {"html", KeyHtml, "DIR", 0, "write one page (build/regress)", 0},
    {"folder", KeyFolder, "DIR", 0, "journal, logs, cache (build/regress)", 0},
    {"cover", KeyCover, "DIR", 0, "plan and coverage for the page (build/cover)", 0},
    {"failed", KeyFailed, NULL, 0, "only those that failed last in this folder", 0},
    {"compare", KeyCompare, "DIR", 0,
     "say what differs from the regression in this folder: verdicts, times, coverage", 0},
    {"list", KeyList, NULL, 0, "print the tests and stop", 0},
    SLURM_OPTIONS,
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  if (slurm_option(&o->slurm, key, arg, state)) {
    return 0;
  }
  switch (key) {
    case 'j':
      o->regress.jobs = (uint32_t)cli_number(state, "-j", arg, 1, 256);
      return 0;
    case 'f':
      o->filter = arg;
      return 0;
    case 't':
      o->tag = arg;
      return 0;
    case 's':
      o->seeds.has_seed = true;
      o->seeds.seed = cli_number(state, "--seed", arg, 0, UINT64_MAX - 1);
      return 0;
    case KeySeeds:
      o->seeds.has_seeds = true;
      o->seeds.seeds = cli_number(state, "--seeds", arg, 1, 100000);
      return 0;
    case KeyResume:
      o->regress.resume = true;
      return 0;
    case KeyNoCache:
      o->regress.use_cache = false;
      return 0;
    case KeyJunit:
      o->regress.junit = arg;
      return 0;
    case KeyHtml:
      o->html = arg;
      return 0;
    case KeyFolder:
      o->regress.folder = arg;
      return 0;
    case KeyCover:
      o->regress.cover = arg;
      return 0;
    case KeyFailed:
      o->only_failed = true;
      return 0;
    case KeyCompare:
      o->compare = arg;
      return 0;
    case KeyList:
      o->only_list = true;
      return 0;
    case ARGP_KEY_ARG:
      cli_add_list(state, &o->lists, arg);
      return 0;
    case ARGP_KEY_END:
      o->regress.slurm = slurm_chosen(&o->slurm, o->regress.jobs, state);
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "expected a test list, such as tests/lists/standard.yaml");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static bool has_failed(void *journal, const char *id) {
  const journal_entry_t *e = journal_find(journal, id);
  return e && e->result.verdict != JobPassed;
}

// Leaves the tests that failed in the folder's last regression.
static bool keep_failed(const options_t *o, test_list_t *list, char error[TestErrorSize]) {
  char path[512];
  journal_t journal;
  snprintf(path, sizeof path, "%.400s/journal.jsonl", o->regress.folder);
  if (!journal_read(&journal, path)) {
    snprintf(error, TestErrorSize, "--failed: %.300s: no regression has run there", path);
    return false;
  }
  test_list_keep(list, has_failed, &journal);
  journal_close(&journal);
  return true;
}

// Runs the tests and writes the reports; an exit status.
static int run(const options_t *o, const test_list_t *list, compare_t *compare) {
  char error[TestErrorSize] = "";
  const char *page = o->html ? o->html : o->regress.folder;
  regress_t r;
  int status;
  if (!regress_run(&r, list, &o->regress, error)) {
    status = r.lacking ? ExitLacking : r.refused ? ExitUsage : ExitFailed;
    status = cli_complain(error, status);
  } else {
    status = r.failed ? ExitFailed : ExitPassed;
    if (!report_json(&r, error) ||
        (o->regress.junit && !report_junit(&r, o->regress.junit, error)) ||
        !report_html(&r, page, error)) {
      status = cli_complain(error, ExitFailed);
    }
    compare_keep_coverage(&r);
    if (o->compare) {
      compare_print(compare, &r);
    }
    printf("report: %s/index.html\n", page);
    report_summary(&r);
  }
  regress_free(&r);
  return status;
}

int cli_regress(int argc, char **argv) {
  static const struct argp Parser = {Options, parse, "LIST.yaml...", "Runs test lists.", NULL, NULL,
                                     NULL};
  static options_t o;
  static char command[2048];
  char error[TestErrorSize] = "";
  test_list_t list = {0};
  compare_t compare = {0};
  int status;
  cli_command_line(argc, argv, command, sizeof command);
  o.regress = (regress_options_t){.use_cache = true,
                                  .folder = "build/regress", .cover = "build/cover",
                                  .command = command};
  cli_parse(&Parser, argc, argv, &o);
  o.regress.jobs = o.regress.jobs ? o.regress.jobs : cli_processors();
  bool ok = cli_load_lists(&o.lists, &o.seeds, &list, error);
  if (ok) {
    test_list_filter(&list, o.filter, o.tag);
    if (list.count == 0) {
      snprintf(error, sizeof error, "no test matches; --list shows them all");
      ok = false;
    }
  }
  ok = ok && (!o.only_failed || keep_failed(&o, &list, error)) &&
       (!o.compare || compare_open(&compare, o.compare, error));
  if (!ok) {
    status = cli_complain(error, ExitUsage);
  } else if (o.only_list) {
    cli_print_list(&list);
    status = ExitPassed;
  } else if (o.only_failed && list.count == 0) {
    printf("no test of these lists failed last in %s\n", o.regress.folder);
    status = ExitPassed;
  } else {
    status = run(&o, &list, &compare);
  }
  compare_close(&compare);
  test_list_free(&list);
  return status;
}
