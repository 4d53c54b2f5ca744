// SPDX-License-Identifier: Apache-2.0
// Readers of what regressions and sweeps are given and leave: lists, journals, exclusions, sweeps.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tb/regress/exclusions.h"
#include "tb/regress/journal.h"
#include "tb/regress/test_list.h"
#include "tb/sweep/sweep.h"

static void run_list(const uint8_t *data, size_t size) {
  const test_seeds_t seeds = {0};
  text_t command = {0};
  err_t err = {0};
  test_list_t list = {0};
  if (test_list_load(&list, fuzz_store("input.yaml", data, size), &seeds, &err)) {
    for (size_t i = 0; i < list.count; i++) {
      const test_t *t = &list.tests[i];
      if (!t->id || !t->id[0] || !t->arguments[0] || t->seconds < 1 || strpbrk(t->id, " \n\"<")) {
        fuzz_wrong("test %zu is none", i);
      }
      text_cut(&command, 0);
      job_command(t, &command);
    }
  } else {
    fuzz_refused(err_text(&err));
  }
  err_free(&err);
  text_free(&command);
  test_list_free(&list);
}

static void run_journal(const uint8_t *data, size_t size) {
  err_t err = {0};
  journal_t read, open;
  fuzz_store("journal.jsonl", data, size);
  if (!journal_read(&read, fuzz_folder, "journal.jsonl")) {
    fuzz_wrong("a journal that is there is not read");
  }
  if (!journal_open(&open, fuzz_folder, true, &err)) {
    fuzz_wrong("it cannot be continued: %s", err_text(&err));
  }
  if (open.count != read.count) {
    fuzz_wrong("%zu entries, to go on with it %zu", read.count, open.count);
  }
  for (size_t i = 0; i < read.count; i++) {
    const journal_entry_t *e = read.entries[i];
    if (!journal_find(&open, e->id) || journal_find(&read, e->id) != e) {
      fuzz_wrong("%s is lost", e->id);
    }
  }
  journal_close(&read);
  journal_close(&open);
}

static void run_exclusions(const uint8_t *data, size_t size) {
  err_t err = {0};
  exclusions_t e = {0};
  if (!exclusions_load(&e, fuzz_store("input.yaml", data, size), &err)) {
    fuzz_refused(err_text(&err));
  }
  err_free(&err);
  exclusions_free(&e);
}

static void run_sweep(const uint8_t *data, size_t size) {
  static sweep_t sweep;
  const sweep_options_t options = {0};
  err_t err = {0};
  memset(&sweep, 0, sizeof sweep);
  if (!sweep_load(&sweep, fuzz_store("input.yaml", data, size), &options, &err) ||
      !sweep_make_rows(&sweep, &err)) {
    fuzz_refused(err_text(&err));
  }
  err_free(&err);
  sweep_free(&sweep);
}

const fuzz_target_t FuzzLists[] = {
    {"list", "test lists", run_list, true, NULL},
    {"journal", "journals of regressions", run_journal, true, NULL},
    {"exclusions", "coverage exclusions", run_exclusions, true, NULL},
    {"sweep", "sweeps (vectors/sweeps)", run_sweep, true, NULL},
    {0}};
