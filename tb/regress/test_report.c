// SPDX-License-Identifier: Apache-2.0
#include "test_report.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/place.h"
#include "tb/harness/json_file.h"
#include "tb/harness/shell.h"
#include "terminal.h"

static int by_count(const void *a, const void *b) {
  const report_group_t *x = a, *y = b;
  return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                              : (x->first > y->first) - (x->first < y->first);
}

size_t report_groups(const regress_t *r, report_group_t **groups) {
  size_t count = 0;
  *groups = calloc(r->failed + 1, sizeof **groups);
  for (size_t i = 0; *groups && i < r->list->count; i++) {
    const job_result_t *result = &r->ends[i].entry->result;
    size_t k = 0;
    if (result->verdict == JobPassed) {
      continue;
    }
    while (k < count && strcmp((*groups)[k].signature, result->signature) != 0) {
      k++;
    }
    if (k == count) {
      (*groups)[count++] = (report_group_t){result->signature, 0, i};
    }
    (*groups)[k].count++;
  }
  if (*groups) {
    qsort(*groups, count, sizeof **groups, by_count);
  }
  return count;
}

bool report_is_of(const regress_end_t *e, const report_group_t *group) {
  return e->entry->result.verdict != JobPassed &&
         strcmp(e->entry->result.signature, group->signature) == 0;
}

// Prints all that a command printed, since the failure may stand anywhere in it. The middle of a
// very long log is left out.
static void print_log(const regress_t *r, const test_t *t) {
  enum { Head = 20000, Tail = 80000 };
  static char text[Head + Tail];
  text_t path = {0};
  FILE *log = fopen(job_file(&path, r->logs, t->id, ".log"), "r");
  if (!log) {
    text_free(&path);
    return;
  }
  fseek(log, 0, SEEK_END);
  long size = ftell(log), skipped = size > Head + Tail ? size - Head - Tail : 0;
  rewind(log);
  printf("---- %s\n", text_string(&path));
  for (int part = 0; part < (skipped ? 2 : 1); part++) {
    size_t room = !skipped ? sizeof text : part == 0 ? Head : Tail;
    if (part == 1) {
      printf("\n---- %ld bytes are left out here\n", skipped);
      fseek(log, -(long)Tail, SEEK_END);
    }
    size_t n = fread(text, 1, room, log);
    for (size_t i = 0; i < n; i++) {
      text[i] =
          (text[i] < ' ' && text[i] != '\n' && text[i] != '\t') || text[i] & 0x80 ? '?' : text[i];
    }
    fwrite(text, 1, n, stdout);
  }
  printf("---- end of %s\n", text_string(&path));
  fclose(log);
  text_free(&path);
}

void report_waves(const regress_t *r, const char *id, text_t *command) {
  shell_add(command, place_program());
  shell_add(command, "rerun");
  if (strcmp(r->options->folder, "build/regress") != 0) {
    shell_add(command, "--folder");
    shell_add(command, r->options->folder);
  }
  shell_add(command, id);
}

static void print_group(const regress_t *r, const report_group_t *group) {
  const regress_end_t *e = &r->ends[group->first];
  text_t command = {0};
  job_command(e->test, &command);
  printf("\n%s%s%s: %zu test%s, first %s\n  %s\n  reproduce: %s\n",
         terminal_color(stdout, ColorBad), group->signature, terminal_color(stdout, ColorNone),
         group->count, group->count == 1 ? "" : "s", e->test->id, e->entry->result.what,
         text_string(&command));
  text_cut(&command, 0);
  for (size_t i = group->first; i < r->list->count; i++) {
    const regress_end_t *other = &r->ends[i];
    if (other->test->kind == TestCommand && report_is_of(other, group)) print_log(r, other->test);
  }
  if (e->test->kind != TestCommand) {
    report_waves(r, e->test->id, &command);
    printf("  with waves: %s\n", text_string(&command));
  }
  text_free(&command);
}

static int by_cpu(const void *a, const void *b) {
  const regress_end_t *x = *(const regress_end_t *const *)a, *y = *(const regress_end_t *const *)b;
  double p = x->entry->result.cpu, q = y->entry->result.cpu;
  return p != q ? (p < q) - (p > q) : strcmp(x->test->id, y->test->id);
}

// Tags of tests whose processor time is told apart. A budget is one of them, or NULL for all other
// tests.
static const char *const Budgets[] = {"proof", "fuzz"};
enum { BudgetCount = sizeof Budgets / sizeof *Budgets };

static bool is_of_budget(const test_t *test, const char *budget) {
  bool of_any = false;
  for (size_t i = 0; i < BudgetCount; i++) of_any = of_any || test_has_tag(test, Budgets[i]);
  return budget ? test_has_tag(test, budget) : !of_any;
}

static double budget_cpu(const regress_t *r, const char *budget) {
  double sum = 0;
  for (size_t i = 0; i < r->list->count; i++) {
    const regress_end_t *e = &r->ends[i];
    sum += e->entry->cached || !is_of_budget(e->test, budget) ? 0 : e->entry->result.cpu;
  }
  return sum;
}

static void print_budgets(const regress_t *r) {
  printf("of these");
  for (size_t i = 0; i < BudgetCount; i++) {
    printf(" %s %.0f s,", Budgets[i], budget_cpu(r, Budgets[i]));
  }
  printf(" all else %.0f s\n", budget_cpu(r, NULL));
}

static void print_longest(const regress_t *r) {
  size_t count = r->list->count, most = count < 5 ? count : 5;
  const regress_end_t **ends = calloc(count + 1, sizeof *ends);
  double all = 0, building = 0;
  for (size_t i = 0; ends && i < count; i++) {
    ends[i] = &r->ends[i];
    if (r->ends[i].entry->cached) {
      continue;
    }
    all += r->ends[i].entry->result.cpu;
    building += r->ends[i].entry->result.building;
  }
  if (ends && r->fresh > 0) {
    qsort(ends, count, sizeof *ends, by_cpu);
    printf("%.0f s of CPU, of which %.0f s built units; longest:", all, building);
    for (size_t i = 0; i < most; i++) {
      printf("%s %s %.0f s", i ? "," : "", ends[i]->test->id, ends[i]->entry->result.cpu);
    }
    printf("\n");
    print_budgets(r);
  }
  free(ends);
}

void report_summary(const regress_t *r) {
  report_group_t *groups;
  size_t count = report_groups(r, &groups);
  for (size_t k = 0; k < count; k++) {
    print_group(r, &groups[k]);
  }
  free(groups);
  printf("%s", count ? "\n" : "");
  print_longest(r);
  printf("%zu tests in %.1f s, %zu from the cache\n%s%zu passed, %zu failed%s\n",
         r->passed + r->failed, r->seconds, r->cached,
         terminal_color(stdout, r->bad ? ColorBad : ColorGood), r->good, r->bad,
         terminal_color(stdout, ColorNone));
}

static json_t *end_json(const regress_end_t *e) {
  const job_result_t *r = &e->entry->result;
  text_t command = {0};
  job_command(e->test, &command);
  json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "id", e->test->id, "name",
                        e->test->name, "verdict", r->verdict == JobPassed ? "passed" : "failed",
                        "signature", r->signature, "what", r->what, "digest", r->digest, "command",
                        text_string(&command), "seed", (json_int_t)e->test->seed);
  if (e->test->counts) {
    json_object_set_new(
        j, "checks",
        json_pack("{s:I, s:I}", "passed", (json_int_t)r->good, "failed", (json_int_t)r->bad));
  }
  text_free(&command);
  return j;
}

bool report_json(const regress_t *r, err_t *err) {
  text_t path = {0};
  json_t *tests = json_array(), *seconds = json_object();
  for (size_t i = 0; i < r->list->count; i++) {
    json_array_append_new(tests, end_json(&r->ends[i]));
    json_object_set_new(seconds, r->ends[i].test->id, json_real(r->ends[i].entry->result.seconds));
  }
  json_t *root = json_pack("{s:I, s:I, s:{s:I, s:I}, s:o, s:{s:f, s:i, s:I, s:o}}", "passed",
                           (json_int_t)r->passed, "failed", (json_int_t)r->failed, "checks",
                           "passed", (json_int_t)r->good, "failed", (json_int_t)r->bad, "tests",
                           tests, "timing", "seconds", r->seconds, "jobs", (int)r->options->jobs,
                           "cached", (json_int_t)r->cached, "tests", seconds);
  text_set(&path, "%s/results.json", r->options->folder);
  bool ok = json_file_write(root, text_string(&path), JSON_INDENT(1), err);
  json_decref(root);
  text_free(&path);
  return ok;
}

// ---- XML ----

void report_put_text(FILE *f, const char *text) {
  static const char *const Names[] = {
      ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    const char *name = *c < sizeof Names / sizeof *Names ? Names[*c] : NULL;
    if (name) {
      fputs(name, f);
    } else if (*c >= 32 || *c == '\n' || *c == '\t') {
      putc(*c, f);
    }
  }
}

void report_put(FILE *f, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (const char *c = format; *c; c++) {
    if (*c != '%') {
      putc(*c, f);
      continue;
    }
    int digits = *++c == '.' ? c[1] - '0' : 6;
    c += *c == '.' ? 2 : 0;
    switch (*c) {
      case 's': report_put_text(f, va_arg(arguments, const char *)); break;
      case 'h': fputs(va_arg(arguments, const char *), f); break;
      case 'u': fprintf(f, "%zu", va_arg(arguments, size_t)); break;
      case 'f': fprintf(f, "%.*f", digits, va_arg(arguments, double)); break;
      default: putc(*c, f);
    }
  }
  va_end(arguments);
}

void report_put_log(FILE *f, const regress_t *r, const test_t *t, uint32_t lines) {
  text_t path = {0};
  char line[1024];  // a longer line counts as several
  FILE *log = fopen(job_file(&path, r->logs, t->id, ".log"), "r");
  for (uint32_t i = 0; log && i < lines && fgets(line, sizeof line, log); i++) {
    for (char *c = line; *c; c++) {
      *c = *c & 0x80 ? '?' : *c;  // it may be anything, UTF-8 or not
    }
    report_put_text(f, line);
  }
  if (log) fclose(log);
  text_free(&path);
}

bool report_close(FILE *f, const char *path, err_t *err) {
  bool bad = ferror(f);
  return (fclose(f) == 0 && !bad) ||
         err_set(err, ErrCheck, "%s: cannot be written: %s", path, strerror(errno));
}

FILE *report_open(const char *path, err_t *err) {
  FILE *f = fopen(path, "w");
  if (!f) err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
  return f;
}

bool report_junit(const regress_t *r, const char *path, err_t *err) {
  FILE *f = report_open(path, err);
  if (!f) return false;
  report_put(f,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite "
             "name=\"nocturne\" tests=\"%u\" failures=\"%u\" errors=\"0\" time=\"%.3f\">\n",
             r->list->count, r->failed, r->seconds);
  for (size_t i = 0; i < r->list->count; i++) {
    const regress_end_t *e = &r->ends[i];
    const job_result_t *result = &e->entry->result;
    report_put(f, "<testcase classname=\"%s\" name=\"%s\" time=\"%.3f\"", e->test->name,
               e->test->id, result->seconds);
    if (result->verdict == JobPassed) {
      fputs("/>\n", f);
      continue;
    }
    report_put(f, "><failure type=\"%s\" message=\"%s\">", result->signature, result->what);
    report_put_log(f, r, e->test, 60);
    fputs("</failure></testcase>\n", f);
  }
  fputs("</testsuite>\n</testsuites>\n", f);
  return report_close(f, path, err);
}
