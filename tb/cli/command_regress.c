// SPDX-License-Identifier: Apache-2.0
// nocturne regress LIST.yaml...: runs test lists.
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "launch_options.h"
#include "own_options.h"
#include "tb/regress/baseline.h"
#include "tb/regress/regress.h"

enum {
  KeySeeds = 256,
  KeyResume,
  KeyNoCache,
  KeyJunit,
  KeyHtml,
  KeyFolder,
  KeyCover,
  KeyList,
  KeyFailed,
  KeyCompare,
  KeyCi
};

typedef struct {
  cli_lists_t lists;
  const char *filter, *tag, *html;
  regress_options_t regress;
  test_seeds_t seeds;
  own_options_t own;
  const char *compare;
  bool only_list, only_failed, wants_coverage;
  regress_ci_e ci;
  char *junit;  // of --ci, owned
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
    {"ci", KeyCi, "github|gitlab", 0,
     "tell the service's pages what fails, with FOLDER/junit.xml (docs/how-to/ci.md)", 0},
    {"list", KeyList, NULL, 0, "print the tests and stop", 0},
    OWN_OPTIONS,
    LAUNCH_OPTIONS,
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  if (launch_option(&o->regress.launch, key, arg, state)) return 0;
  if (own_option(&o->own, key, arg, state)) return 0;
  switch (key) {
    case 'j': o->regress.jobs = (uint32_t)cli_number(state, "-j", arg, 1, CliMostJobs); return 0;
    case 'f': o->filter = arg; return 0;
    case 't': o->tag = arg; return 0;
    case 's':
      o->seeds.has_seed = true;
      o->seeds.seed = cli_number(state, "--seed", arg, 0, UINT64_MAX - 1);
      return 0;
    case KeySeeds:
      o->seeds.has_seeds = true;
      o->seeds.seeds = cli_number(state, "--seeds", arg, 1, 100000);
      return 0;
    case KeyResume: o->regress.resume = true; return 0;
    case KeyNoCache: o->regress.use_cache = false; return 0;
    case KeyJunit: o->regress.junit = arg; return 0;
    case KeyHtml: o->html = arg; return 0;
    case KeyFolder: o->regress.folder = arg; return 0;
    case KeyCover:
      o->regress.cover = arg;
      o->wants_coverage = true;
      return 0;
    case KeyFailed: o->only_failed = true; return 0;
    case KeyCompare: o->compare = arg; return 0;
    case KeyCi:
      o->ci = strcmp(arg, "github") == 0   ? RegressGithub
              : strcmp(arg, "gitlab") == 0 ? RegressGitlab
                                           : RegressNoCi;
      if (o->ci == RegressNoCi) {
        argp_error(state, "--ci %s: expected github or gitlab", arg);
      }
      return 0;
    case KeyList: o->only_list = true; return 0;
    case ARGP_KEY_ARG: cli_add_list(state, &o->lists, arg); return 0;
    case ARGP_KEY_END:
      launch_check(&o->regress.launch, o->regress.jobs, state);
      if (o->ci && !o->regress.junit) {
        o->regress.junit = o->junit = text_make("%s/junit.xml", o->regress.folder);
      }
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "expected a test list, such as tests/lists/standard.yaml");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static bool has_failed(void *journal, const char *id) {
  const journal_entry_t *e = journal_find(journal, id);
  return e && e->result.verdict != JobPassed;
}

// Keeps the tests that failed in the folder's last regression.
static bool keep_failed(const options_t *o, test_list_t *list, err_t *err) {
  journal_t journal;
  bool ok = journal_read(&journal, o->regress.folder, "journal.jsonl");
  if (ok) {
    test_list_keep(list, has_failed, &journal);
  } else {
    err_set(err, ErrInput, "--failed: %s/journal.jsonl: no regression has run there",
            o->regress.folder);
  }
  journal_close(&journal);
  return ok;
}

// Gives the tests that run frames what stands in place of ours, and has them run again when it
// changes.
static bool add_own(const own_options_t *own, test_list_t *list, err_t *err) {
  const char *words[2 * OwnMaxUnits + 2];
  const uint32_t count = own_words(own, words, 0);
  char hash[BaseSha256Text];
  bool ok = own_hash(own, hash, err);
  for (size_t i = 0; ok && i < list->count; i++) {
    test_t *t = &list->tests[i];
    for (uint32_t k = 0; ok && t->kind == TestRun && k < count; k++) {
      const char *path = strchr(words[k], '=');
      ok = test_add_word(&t->arguments, "%s", words[k]) &&
           (k % 2 == 0 || test_add_word(&t->needs, "%s", path ? path + 1 : words[k]));
    }
  }
  if (!ok && !err_is_set(err)) {
    err_memory(err, "--unit");
  }
  return ok;
}

// Refuses a folder that was given and holds no coverage.
static bool has_coverage(const options_t *o, err_t *err) {
  text_t path = {0};
  const bool ok = !o->wants_coverage ||
                  access(text_set(&path, "%s/summary.json", o->regress.cover), R_OK) == 0 ||
                  err_set(err, ErrInput,
                          "--cover %s: no summary.json there, expected a folder of "
                          "`nocturne cover`",
                          o->regress.cover);
  text_free(&path);
  return ok;
}

// Runs the tests and writes the reports; returns the exit status.
static int run(const options_t *o, const test_list_t *list, baseline_t *baseline) {
  const char *page = o->html ? o->html : o->regress.folder;
  err_t err = {0};
  regress_t r;
  int status;
  if (!regress_run(&r, list, &o->regress, &err)) {
    status = cli_fail(&err);
  } else {
    status = r.failed ? ExitFailed : ExitPassed;
    if (!report_json(&r, &err) || (o->regress.junit && !report_junit(&r, o->regress.junit, &err)) ||
        !report_html(&r, page, &err)) {
      status = cli_fail(&err);
    }
    baseline_keep_coverage(&r);
    if (o->compare) baseline_print(baseline, &r);
    printf("report: %s/index.html\n", page);
    if (!report_ci(&r, o->ci, o->lists.paths[0], &err)) {
      status = cli_fail(&err);
    }
    report_summary(&r);
  }
  regress_free(&r);
  return status;
}

int cli_regress(int argc, char **argv) {
  static const struct argp Parser = {Options, parse, "LIST.yaml...", "Runs test lists.", NULL,
                                     NULL,    NULL};
  static options_t o;
  char *command = cli_command_line(argc, argv);
  err_t err = {0};
  test_list_t list = {0};
  baseline_t baseline = {0};
  int status = ExitPassed;
  o.regress = (regress_options_t){.use_cache = true,
                                  .launch = LaunchDefaults,
                                  .folder = "build/regress",
                                  .cover = "build/cover",
                                  .command = command};
  cli_parse(&Parser, argc, argv, &o);
  o.regress.jobs = o.regress.jobs ? o.regress.jobs : cli_processors();
  bool ok = cli_load_lists(&o.lists, &o.seeds, &list, &err);
  if (ok) {
    test_list_filter(&list, o.filter, o.tag);
    ok = list.count > 0 || err_set(&err, ErrInput, "no test matches; --list shows them all");
  }
  ok = ok && add_own(&o.own, &list, &err) && has_coverage(&o, &err) &&
       (!o.only_failed || keep_failed(&o, &list, &err)) &&
       (!o.compare || baseline_open(&baseline, o.compare, &err));
  if (!ok) {
    status = cli_fail(&err);
  } else if (o.only_list) {
    cli_print_list(&list);
  } else if (o.only_failed && list.count == 0) {
    printf("no test of these lists failed last in %s\n", o.regress.folder);
  } else {
    status = run(&o, &list, &baseline);
  }
  baseline_close(&baseline);
  test_list_free(&list);
  free(command);
  free(o.junit);
  return status;
}
