#include "regress.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  const char *signature;
  size_t count, first;
} group_t;

static int by_count(const void *a, const void *b) {
  const group_t *x = a, *y = b;
  return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                              : (x->first > y->first) - (x->first < y->first);
}

// Failures with one cause each; returns how many. The caller frees.
static size_t group_failures(const regress_t *r, group_t **groups) {
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
      (*groups)[count++] = (group_t){result->signature, 0, i};
    }
    (*groups)[k].count++;
  }
  if (*groups) {
    qsort(*groups, count, sizeof **groups, by_count);
  }
  return count;
}

void report_summary(const regress_t *r) {
  group_t *groups;
  size_t count = group_failures(r, &groups);
  char command[4096];
  for (size_t k = 0; k < count; k++) {
    const regress_end_t *e = &r->ends[groups[k].first];
    job_command(e->test, command, sizeof command);
    printf("\n%s: %zu test%s, first %s\n  %s\n  reproduce: %s\n  with waves: build/nocturne rerun %s\n",
           groups[k].signature, groups[k].count, groups[k].count == 1 ? "" : "s", e->test->id,
           e->entry->result.what, command, e->test->id);
  }
  free(groups);
  printf("%s%zu passed, %zu failed (%zu from the cache) in %.1f s\n", count ? "\n" : "", r->passed,
         r->failed, r->cached, r->seconds);
}

static json_t *end_json(const regress_end_t *e) {
  const job_result_t *r = &e->entry->result;
  char command[4096];
  job_command(e->test, command, sizeof command);
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "id", e->test->id, "name",
                   e->test->name, "verdict", r->verdict == JobPassed ? "passed" : "failed",
                   "signature", r->signature, "what", r->what, "digest", r->digest, "command",
                   command, "seed", (json_int_t)e->test->seed);
}

bool report_json(const regress_t *r, char error[TestErrorSize]) {
  char path[512], fresh[520];
  json_t *tests = json_array(), *seconds = json_object();
  for (size_t i = 0; i < r->list->count; i++) {
    json_array_append_new(tests, end_json(&r->ends[i]));
    json_object_set_new(seconds, r->ends[i].test->id, json_real(r->ends[i].entry->result.seconds));
  }
  json_t *root = json_pack("{s:I, s:I, s:o, s:{s:f, s:i, s:I, s:o}}", "passed",
                           (json_int_t)r->passed, "failed", (json_int_t)r->failed, "tests", tests,
                           "timing", "seconds", r->seconds, "jobs", (int)r->options->jobs, "cached",
                           (json_int_t)r->cached, "tests", seconds);
  snprintf(path, sizeof path, "%.400s/results.json", r->options->folder);
  snprintf(fresh, sizeof fresh, "%s.new", path);
  bool ok = root && json_dump_file(root, fresh, JSON_INDENT(1)) == 0 && rename(fresh, path) == 0;
  if (!ok) {
    snprintf(error, TestErrorSize, "%.300s: cannot be written: %s", path, strerror(errno));
  }
  json_decref(root);
  return ok;
}

// ---- XML and HTML ----

static void put_text(FILE *f, const char *text) {
  for (const char *c = text; *c; c++) {
    switch (*c) {
      case '&':
        fputs("&amp;", f);
        break;
      case '<':
        fputs("&lt;", f);
        break;
      case '>':
        fputs("&gt;", f);
        break;
      case '"':
        fputs("&quot;", f);
        break;
      default:
        if ((unsigned char)*c >= 32 || *c == '\n' || *c == '\t') {
          putc(*c, f);
        }
    }
  }
}

static void log_path(const regress_t *r, const test_t *t, char *path, size_t size) {
  int used = snprintf(path, size, "%.400s/logs/", r->options->folder);
  for (const char *c = t->id; *c && (size_t)used + 8 < size; c++) {
    path[used++] = *c == '/' ? '+' : *c;
  }
  snprintf(path + used, size - (size_t)used, ".log");
}

static void put_log(FILE *f, const regress_t *r, const test_t *t, uint32_t lines) {
  char path[512], line[1024];
  log_path(r, t, path, sizeof path);
  FILE *log = fopen(path, "r");
  for (uint32_t i = 0; log && i < lines && fgets(line, sizeof line, log); i++) {
    put_text(f, line);
  }
  if (log) {
    fclose(log);
  }
}

static bool close_file(FILE *f, const char *path, char error[TestErrorSize]) {
  bool bad = ferror(f);
  if (fclose(f) != 0 || bad) {
    snprintf(error, TestErrorSize, "%.300s: cannot be written: %s", path, strerror(errno));
    return false;
  }
  return true;
}

static FILE *open_file(const char *path, char error[TestErrorSize]) {
  FILE *f = fopen(path, "w");
  if (!f) {
    snprintf(error, TestErrorSize, "%.300s: %s", path, strerror(errno));
  }
  return f;
}

bool report_junit(const regress_t *r, const char *path, char error[TestErrorSize]) {
  FILE *f = open_file(path, error);
  if (!f) {
    return false;
  }
  fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"nocturne\" "
          "tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"%.3f\">\n", r->list->count, r->failed,
          r->seconds);
  for (size_t i = 0; i < r->list->count; i++) {
    const regress_end_t *e = &r->ends[i];
    const job_result_t *result = &e->entry->result;
    fputs("<testcase classname=\"", f);
    put_text(f, e->test->name);
    fputs("\" name=\"", f);
    put_text(f, e->test->id);
    fprintf(f, "\" time=\"%.3f\"", result->seconds);
    if (result->verdict == JobPassed) {
      fputs("/>\n", f);
      continue;
    }
    fputs("><failure type=\"", f);
    put_text(f, result->signature);
    fputs("\" message=\"", f);
    put_text(f, result->what);
    fputs("\">", f);
    put_log(f, r, e->test, 60);
    fputs("</failure></testcase>\n", f);
  }
  fputs("</testsuite>\n</testsuites>\n", f);
  return close_file(f, path, error);
}

static const char Style[] =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;"
    "color:#222;background:#fff}h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25em .7em;"
    "border-bottom:1px solid #ddd;vertical-align:top}pre{background:#f5f5f2;padding:1em;"
    "overflow:auto;font-size:13px}.passed{color:#176b2c}.failed{color:#a3161d;font-weight:600}"
    ".bar{display:flex;height:14px;background:#a3161d}.bar div{background:#2f8f4e}"
    "code{font-size:13px}svg{width:100%;height:90px}";

static void put_failures(FILE *f, const regress_t *r) {
  group_t *groups;
  char command[4096];
  size_t count = group_failures(r, &groups);
  fprintf(f, "<h2>Failures</h2>\n%s", count ? "" : "<p>None.</p>\n");
  for (size_t k = 0; k < count; k++) {
    const regress_end_t *e = &r->ends[groups[k].first];
    job_command(e->test, command, sizeof command);
    fputs("<h3 class=\"failed\">", f);
    put_text(f, groups[k].signature);
    fprintf(f, "</h3>\n<p>%zu test%s, first ", groups[k].count, groups[k].count == 1 ? "" : "s");
    put_text(f, e->test->id);
    fputs(". Reproduce: <code>", f);
    put_text(f, command);
    fputs("</code>; with waves: <code>build/nocturne rerun ", f);
    put_text(f, e->test->id);
    fputs("</code></p>\n<pre>", f);
    put_log(f, r, e->test, 40);
    fputs("</pre>\n", f);
  }
  free(groups);
}

// A row a test: its seeds as one figure.
static void put_tests(FILE *f, const regress_t *r) {
  fputs("<h2>Tests</h2>\n<table><tr><th>test</th><th>passed</th><th>failed</th>"
        "<th>seconds</th></tr>\n", f);
  for (size_t i = 0; i < r->list->count;) {
    const char *name = r->ends[i].test->name;
    size_t passed = 0, failed = 0;
    double seconds = 0;
    for (; i < r->list->count && strcmp(r->ends[i].test->name, name) == 0; i++) {
      bool good = r->ends[i].entry->result.verdict == JobPassed;
      passed += good;
      failed += !good;
      seconds += r->ends[i].entry->result.seconds;
    }
    fputs("<tr><td>", f);
    put_text(f, name);
    fprintf(f, "</td><td class=\"passed\">%zu</td><td class=\"%s\">%zu</td><td>%.1f</td></tr>\n",
            passed, failed ? "failed" : "passed", failed, seconds);
  }
  fputs("</table>\n", f);
}

// The last regressions: a column each, failures at the foot.
static void put_trend(FILE *f, const regress_t *r) {
  enum { Most = 60 };
  char path[512], line[512];
  struct {
    double passed, failed, seconds;
  } last[Most];
  size_t count = 0;
  snprintf(path, sizeof path, "%.400s/history.jsonl", r->options->folder);
  FILE *history = fopen(path, "r");
  while (history && fgets(line, sizeof line, history)) {
    json_t *j = json_loads(line, 0, NULL);
    if (j) {
      last[count++ % Most].passed = json_number_value(json_object_get(j, "passed"));
      last[(count - 1) % Most].failed = json_number_value(json_object_get(j, "failed"));
      last[(count - 1) % Most].seconds = json_number_value(json_object_get(j, "seconds"));
    }
    json_decref(j);
  }
  if (history) {
    fclose(history);
  }
  if (count < 2) {
    return;
  }
  size_t from = count > Most ? count - Most : 0;
  double most = 1;
  for (size_t i = from; i < count; i++) {
    double all = last[i % Most].passed + last[i % Most].failed;
    most = all > most ? all : most;
  }
  fputs("<h2>Trend</h2>\n<svg viewBox=\"0 0 600 90\" preserveAspectRatio=\"none\">\n", f);
  for (size_t i = from; i < count; i++) {
    double x = 10.0 * (double)(i - from), p = 84 * last[i % Most].passed / most,
           q = 84 * last[i % Most].failed / most;
    fprintf(f, "<g><title>%.0f passed, %.0f failed, %.0f s</title><rect x=\"%.0f\" y=\"%.1f\" "
            "width=\"8\" height=\"%.1f\" fill=\"#2f8f4e\"/><rect x=\"%.0f\" y=\"%.1f\" width=\"8\" "
            "height=\"%.1f\" fill=\"#a3161d\"/></g>\n", last[i % Most].passed, last[i % Most].failed,
            last[i % Most].seconds, x, 88 - p - q, p, x, 88 - q, q);
  }
  fputs("</svg>\n", f);
}

static void remember_run(const regress_t *r) {
  char path[512];
  snprintf(path, sizeof path, "%.400s/history.jsonl", r->options->folder);
  FILE *history = fopen(path, "a");
  if (history) {
    fprintf(history, "{\"passed\": %zu, \"failed\": %zu, \"seconds\": %.1f}\n", r->passed, r->failed,
            r->seconds);
    fclose(history);
  }
}

bool report_html(const regress_t *r, const char *folder, char error[TestErrorSize]) {
  char path[512];
  remember_run(r);
  snprintf(path, sizeof path, "%.400s/index.html", folder);
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    snprintf(error, TestErrorSize, "%.300s: %s", folder, strerror(errno));
    return false;
  }
  FILE *f = open_file(path, error);
  if (!f) {
    return false;
  }
  size_t all = r->passed + r->failed;
  fprintf(f, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Nocturne: %zu "
          "passed, %zu failed</title><style>%s</style></head><body>\n<h1>Regression: %zu passed, "
          "<span class=\"%s\">%zu failed</span></h1>\n<div class=\"bar\"><div style=\"width:%.2f%%\">"
          "</div></div>\n<p>%zu tests in %.1f seconds with %u at a time; %zu results from the cache."
          "</p>\n", r->passed, r->failed, Style, r->passed, r->failed ? "failed" : "passed",
          r->failed, all ? 100.0 * (double)r->passed / (double)all : 100.0, all, r->seconds,
          r->options->jobs, r->cached);
  put_failures(f, r);
  put_tests(f, r);
  put_trend(f, r);
  fputs("</body></html>\n", f);
  return close_file(f, path, error);
}
