// nocturne regress LIST.yaml...: runs test lists. nocturne rerun TEST-ID: one test again.
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "tb/regress/regress.h"

enum { KeySeeds = 256, KeyResume, KeyNoCache, KeyJunit, KeyHtml, KeyFolder, KeyCover, KeyList };

typedef struct {
  cli_lists_t lists;
  const char *filter, *tag, *html;
  regress_options_t regress;
  test_seeds_t seeds;
  bool only_list;
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
    {"list", KeyList, NULL, 0, "print the tests and stop", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
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
    case KeyList:
      o->only_list = true;
      return 0;
    case ARGP_KEY_ARG:
      cli_add_list(state, &o->lists, arg);
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "expected a test list, such as tests/lists/standard.yaml");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

int cli_regress(int argc, char **argv) {
  static const struct argp Parser = {Options, parse, "LIST.yaml...", "Runs test lists.", NULL, NULL,
                                     NULL};
  static options_t o;
  char error[TestErrorSize] = "";
  o.regress = (regress_options_t){.jobs = cli_processors(), .use_cache = true,
                                  .folder = "build/regress", .cover = "build/cover"};
  argp_err_exit_status = ExitUsage;
  argp_parse(&Parser, argc, argv, 0, NULL, &o);
  test_list_t list = {0};
  bool ok = cli_load_lists(&o.lists, &o.seeds, &list, error);
  if (ok) {
    test_list_filter(&list, o.filter, o.tag);
    if (list.count == 0) {
      snprintf(error, sizeof error, "no test matches; --list shows them all");
      ok = false;
    }
  }
  if (!ok || o.only_list) {
    if (ok) {
      cli_print_list(&list);
    } else {
      fprintf(stderr, "nocturne: %s\n", error);
    }
    test_list_free(&list);
    return ok ? ExitPassed : ExitUsage;
  }
  regress_t r;
  int status;
  if (!regress_run(&r, &list, &o.regress, error)) {
    status = r.lacking ? ExitLacking : ExitFailed;
  } else {
    status = r.failed ? ExitFailed : ExitPassed;
    if (!report_json(&r, error) ||
        (o.regress.junit && !report_junit(&r, o.regress.junit, error)) ||
        !report_html(&r, o.html ? o.html : o.regress.folder, error)) {
      status = ExitFailed;
    }
    report_summary(&r);
    printf("report: %s/index.html\n", o.html ? o.html : o.regress.folder);
  }
  if (error[0]) {
    fprintf(stderr, "nocturne: %s\n", error);
  }
  regress_free(&r);
  test_list_free(&list);
  return status;
}
