// SPDX-License-Identifier: Apache-2.0
#include "outside_options.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "csim/base/place.h"
#include "csim/base/text.h"
#include "dpi/generate_skeleton.h"
#include "tb/harness/shell.h"

bool outside_option(outside_options_t *o, int key, char *text) {
  const char **const into[] = {&o->outside.page, &o->outside.rtl, &o->outside.golden, &o->skeleton};
  if (key < KeyPage || key > KeyNew) {
    return false;
  }
  *into[key - KeyPage] = text;
  return true;
}

bool outside_waves_unit(const char *text, harness_options_t *options) {
  static char name[64];
  const size_t length = strcspn(text, ":");
  uint64_t instance = 0;
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  if (length == 0 || length >= sizeof name ||
      (text[length] && !cli_read_number(text + length + 1, 0, 63, &instance))) {
    return false;
  }
  options->waves_unit = name;
  options->waves_instance = (uint32_t)instance;
  return true;
}

void outside_print(const outside_options_t *o) {
  const char *const given[][2] = {
      {"--page", o->outside.page}, {"--rtl", o->outside.rtl}, {"--golden", o->outside.golden}};
  text_t words = {0};
  for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
    if (given[i][1]) {
      shell_add(&words, given[i][0]);
      shell_add(&words, given[i][1]);
    }
  }
  printf("%s%s", text_string(&words), words.length ? " " : "");
  text_free(&words);
}

// Prints what to do in the new folder, as a shell takes it.
static void print_next(const char *folder, const char *name) {
  text_t make = {0}, unit = {0}, path = {0};
  shell_add(&make, "make");
  shell_add(&make, "-C");
  shell_add(&make, folder);
  shell_add(&unit, place_program());
  shell_add(&unit, "unit");
  shell_add(&unit, "--page");
  shell_add(&unit, text_set(&path, "%s/%s.yaml", folder, name));
  shell_add(&unit, "--golden");
  shell_add(&unit, text_set(&path, "%s/%s.so", folder, name));
  printf("  %s\n  %s\n", text_string(&make), text_string(&unit));
  text_free(&make);
  text_free(&unit);
  text_free(&path);
}

const unit_model_t *outside_unit(const outside_options_t *o, int *status) {
  err_auto_t err = {0};
  char folder[400];
  bool lacking = false;
  outside_t outside = o->outside;
  const char *slash = strrchr(outside.page, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - outside.page) : 1,
           slash ? outside.page : ".");
  outside.rtl = outside.rtl ? outside.rtl : folder;
  const unit_model_t *model = outside_load(&outside, &lacking, &err);
  if (!model) {
    *status = cli_refuse(lacking ? ExitLacking : ExitUsage, "%s", err_text(&err));
  }
  return model;
}

int outside_new(const char *path, const char *folder) {
  err_auto_t err = {0};
  page_t *page = page_read(path, &err);
  bool ok = page && generate_skeleton(page, folder, &err);
  if (ok) {
    const char *n = page->name;
    printf("%s: %s.yaml %s.sv %s_golden.c %s.md Makefile list.yaml\n", folder, n, n, n, n);
    print_next(folder, n);
  } else {
    fprintf(stderr, "nocturne: %s\n", err_text(&err));
  }
  page_free(page);
  return ok ? ExitPassed : ExitUsage;
}
