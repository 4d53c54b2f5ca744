// SPDX-License-Identifier: Apache-2.0
// The page of a regression: HTML that is also well-formed XML, with all it needs inside.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tb/harness/origin.h"
#include "test_report.h"

typedef struct {
  FILE *f;
  const regress_t *r;
  journal_t before;      // of the last regression in this folder; empty: there was none
  json_t *cover, *plan;  // NULL: not measured
  char measured[32];     // when
} page_t;

static const char Style[] =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:84em;padding:0 1em;"
    "color:#222;background:#fff}h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2.2em;"
    "border-bottom:2px solid #ddd}h3{font-size:1.05em}table{border-collapse:collapse;width:100%}"
    "td,th{text-align:left;padding:.25em .7em;border-bottom:1px solid #ddd;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}pre{background:#f5f5f2;"
    "padding:1em;overflow:auto;font-size:13px}.passed{color:#176b2c}.failed{color:#a3161d;"
    "font-weight:600}.bar{display:flex;height:14px;background:#a3161d}.bar div{background:#2f8f4e}"
    ".share{background:#eee;height:10px;min-width:8em}.share div{background:#2f8f4e;height:10px}"
    ".share div.low{background:#c9302c}code{font-size:13px}nav a{margin-right:1.2em}"
    ".wave{overflow-x:auto;border:1px solid #ddd}.wave svg{max-width:none}"
    ".wide{overflow-x:auto}code{overflow-wrap:anywhere}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1em 1em}dd{margin:0}"
    ".trend{width:100%;height:90px}summary{cursor:pointer}";

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static size_t number_of(const json_t *object, const char *key) {
  return (size_t)json_integer_value(json_object_get(object, key));
}

// ---- Against the last regression ----

static const journal_entry_t *entry_before(const page_t *p, const char *id) {
  return journal_find(&p->before, id);
}

static bool has_changed(const page_t *p, size_t test, job_verdict_e was, job_verdict_e is) {
  const regress_end_t *e = &p->r->ends[test];
  const journal_entry_t *old = entry_before(p, e->test->id);
  return old && old->result.verdict == was && e->entry->result.verdict == is;
}

static void put_ids(const page_t *p, const char *what, const char *class, job_verdict_e was,
                    job_verdict_e is) {
  enum { Most = 12 };
  size_t count = 0, shown = 0, all = p->r->list->count;
  for (size_t i = 0; i < all; i++) count += has_changed(p, i, was, is);
  if (count == 0) return;
  report_put(p->f, "<p class=\"%s\">%u %s: ", class, count, what);
  for (size_t i = 0; shown < Most && i < all; i++) {
    if (has_changed(p, i, was, is)) {
      report_put(p->f, "%h%s", shown++ ? ", " : "", p->r->ends[i].test->id);
    }
  }
  fputs(count > Most ? " ...</p>\n" : "</p>\n", p->f);
}

static void put_changes(const page_t *p) {
  size_t both = 0, count = p->r->list->count;
  double seconds = 0, before = 0;
  for (size_t i = 0; i < count; i++) {
    const journal_entry_t *old = entry_before(p, p->r->ends[i].test->id);
    both += old != NULL;
    before += old ? old->result.seconds : 0;
    seconds += old ? p->r->ends[i].entry->result.seconds : 0;
  }
  fputs("<h2 id=\"changes\">Since the last regression</h2>\n", p->f);
  if (both == 0) {
    fputs("<p>None of these tests was in it.</p>\n", p->f);
    return;
  }
  put_ids(p, "newly failing", "failed", JobPassed, JobFailed);
  put_ids(p, "newly passing", "passed", JobFailed, JobPassed);
  report_put(p->f,
             "<p>%u of %u tests were in it; they took %.1f seconds then and %.1f now, their "
             "sum.</p>\n",
             both, count, before, seconds);
}

// Draws the last regressions: a column each, failures at the foot.
static void put_trend(const page_t *p) {
  enum { Most = 60 };
  text_t path = {0};
  char *line = NULL;
  struct {
    double passed, failed, seconds;
  } last[Most];
  size_t count = 0, room = 0;
  double most = 1;
  FILE *history = fopen(text_set(&path, "%s/history.jsonl", p->r->options->folder), "r");
  while (history && getline(&line, &room, history) > 0) {
    json_t *j = json_loads(line, 0, NULL);
    if (j) {
      last[count % Most].passed = json_number_value(json_object_get(j, "passed"));
      last[count % Most].failed = json_number_value(json_object_get(j, "failed"));
      last[count++ % Most].seconds = json_number_value(json_object_get(j, "seconds"));
    }
    json_decref(j);
  }
  if (history) fclose(history);
  free(line);
  text_free(&path);
  if (count < 2) return;
  size_t from = count > Most ? count - Most : 0;
  for (size_t i = from; i < count; i++) {
    double all = last[i % Most].passed + last[i % Most].failed;
    most = all > most ? all : most;
  }
  report_put(p->f,
             "<p>The last %u regressions, a column each, failures at the foot:</p>\n<svg "
             "class=\"trend\" viewBox=\"0 0 600 90\" preserveAspectRatio=\"none\" role=\"img\">\n",
             count - from);
  for (size_t i = from; i < count; i++) {
    double x = 10.0 * (double)(i - from), good = 84 * last[i % Most].passed / most,
           bad = 84 * last[i % Most].failed / most;
    report_put(p->f,
               "<g><title>%.0f passed, %.0f failed, %.0f s</title><rect x=\"%.0f\" "
               "y=\"%.1f\" width=\"8\" height=\"%.1f\" fill=\"#2f8f4e\"></rect><rect x=\"%.0f\" "
               "y=\"%.1f\" width=\"8\" height=\"%.1f\" fill=\"#a3161d\"></rect></g>\n",
               last[i % Most].passed, last[i % Most].failed, last[i % Most].seconds, x,
               88 - good - bad, good, x, 88 - bad, bad);
  }
  fputs("</svg>\n", p->f);
}

static void remember_run(const regress_t *r) {
  text_t path = {0};
  FILE *history = fopen(text_set(&path, "%s/history.jsonl", r->options->folder), "a");
  if (history) {
    fprintf(history, "{\"passed\": %zu, \"failed\": %zu, \"seconds\": %.1f}\n", r->passed,
            r->failed, r->seconds);
    fclose(history);
  }
  text_free(&path);
}

// ---- Failures and tests ----

// A unit's failure has a picture, and waves.
static void put_picture(const page_t *p, const test_t *t) {
  text_t path = {0};
  char text[4096];
  FILE *picture = fopen(job_file(&path, p->r->logs, t->id, ".svg"), "r");
  text_free(&path);
  if (!picture) return;
  text_t command = {0};
  report_waves(p->r, t->id, &command);
  report_put(p->f, "<p>With waves: <code>%s</code></p>\n<div class=\"wave\">",
             text_string(&command));
  text_free(&command);
  for (size_t n; (n = fread(text, 1, sizeof text, picture)) > 0;) fwrite(text, 1, n, p->f);
  fputs("</div>\n", p->f);
  fclose(picture);
}

static void put_group(const page_t *p, const report_group_t *g) {
  const regress_end_t *e = &p->r->ends[g->first];
  text_t command = {0};
  job_command(e->test, &command);
  report_put(p->f,
             "<section>\n<h3 class=\"failed\">%s</h3>\n<p>%u test%s, first <b>%s</b>: "
             "%s</p>\n<p>Reproduce: <code>%s</code></p>\n",
             g->signature, g->count, g->count == 1 ? "" : "s", e->test->id, e->entry->result.what,
             text_string(&command));
  text_free(&command);
  put_picture(p, e->test);
  fputs("<details><summary>Report</summary><pre>", p->f);
  report_put_log(p->f, p->r, e->test, 60);
  fputs("</pre></details>\n", p->f);
  if (g->count > 1) {
    report_put(p->f, "<details><summary>All %u tests</summary><p>", g->count);
    for (size_t i = 0; i < p->r->list->count; i++) {
      if (report_is_of(&p->r->ends[i], g)) report_put(p->f, "%s<br/>", p->r->ends[i].test->id);
    }
    fputs("</p></details>\n", p->f);
  }
  fputs("</section>\n", p->f);
}

static void put_failures(const page_t *p) {
  report_group_t *groups;
  size_t count = report_groups(p->r, &groups);
  report_put(p->f, "<h2 id=\"failures\">Failures</h2>\n%h", count ? "" : "<p>None.</p>\n");
  for (size_t k = 0; k < count; k++) put_group(p, &groups[k]);
  free(groups);
}

// Writes a row per test, for all its seeds.
static void put_tests(const page_t *p) {
  const regress_t *r = p->r;
  fputs(
      "<h2 id=\"tests\">Tests</h2>\n<div class=\"wide\"><table><thead><tr><th>test</th>"
      "<th class=\"n\">passed</th>"
      "<th class=\"n\">failed</th><th class=\"n\">failed before</th><th class=\"n\">seconds</th>"
      "<th>longest</th></tr></thead><tbody>\n",
      p->f);
  for (size_t i = 0; i < r->list->count;) {
    const char *name = r->ends[i].test->name;
    size_t passed = 0, failed = 0, before = 0, longest = i;
    double seconds = 0;
    for (; i < r->list->count && strcmp(r->ends[i].test->name, name) == 0; i++) {
      const job_result_t *result = &r->ends[i].entry->result;
      const journal_entry_t *old = entry_before(p, r->ends[i].test->id);
      passed += result->verdict == JobPassed;
      failed += result->verdict != JobPassed;
      before += old && old->result.verdict != JobPassed;
      seconds += result->seconds;
      longest = result->seconds > r->ends[longest].entry->result.seconds ? i : longest;
    }
    report_put(p->f,
               "<tr><td>%s</td><td class=\"n passed\">%u</td><td class=\"n %s\">%u</td>"
               "<td class=\"n\">%u</td><td class=\"n\">%.1f</td><td>%s, %.1f s</td></tr>\n",
               name, passed, failed ? "failed" : "passed", failed, before, seconds,
               r->ends[longest].test->id, r->ends[longest].entry->result.seconds);
  }
  fputs("</tbody></table></div>\n", p->f);
}

// ---- Plan and coverage, from the files of `nocturne cover` ----

static void put_words(const page_t *p, const json_t *list, const char *number) {
  size_t i;
  json_t *item;
  json_array_foreach(list, i, item) {
    report_put(p->f, "%h%s", i ? ", " : "", text_of(item, "name"));
    if (json_object_get(item, "failed")) {
      size_t failed = number_of(item, "failed");
      report_put(p->f, " (%u passed", number_of(item, "passed"));
      if (failed) report_put(p->f, ", <span class=\"failed\">%u failed</span>", failed);
      fputs(")", p->f);
    } else if (number && json_object_get(item, number)) {
      size_t n = number_of(item, number);
      report_put(p->f, n ? " (%u)" : " (<span class=\"failed\">%u</span>)", n);
    }
  }
}

static void put_feature(const page_t *p, const json_t *feature) {
  bool is_bare = json_is_true(json_object_get(feature, "bare"));
  report_put(p->f, "<tr><td class=\"%s\">%s</td><td>%s", is_bare ? "failed" : "passed",
             text_of(feature, "name"), text_of(feature, "shows"));
  if (is_bare) {
    report_put(p->f, "<br/><span class=\"failed\">%s</span>", text_of(feature, "why"));
  }
  fputs("</td><td>", p->f);
  put_words(p, json_object_get(feature, "tests"), NULL);
  fputs("</td><td>", p->f);
  put_words(p, json_object_get(feature, "cover"), "count");
  fputs("</td></tr>\n", p->f);
}

static void put_plan(const page_t *p) {
  fputs("<h2 id=\"plan\">Test plan</h2>\n", p->f);
  if (!p->plan) {
    fputs("<p>Not measured; <code>make cover</code> does.</p>\n", p->f);
    return;
  }
  report_put(p->f, "<p>Measured %s.</p>\n", p->measured);
  size_t i, k;
  json_t *unit, *feature;
  json_array_foreach(json_object_get(p->plan, "units"), i, unit) {
    const json_t *features = json_object_get(unit, "features");
    size_t bare = 0;
    json_array_foreach(features, k, feature) {
      bare += json_is_true(json_object_get(feature, "bare"));
    }
    report_put(p->f,
               "<details%h><summary>%s: %u features, <span class=\"%s\">%u bare</span>"
               "</summary>\n<table><thead><tr><th>feature</th><th>shows</th><th>tests</th>"
               "<th>cover points</th></tr></thead><tbody>\n",
               bare ? " open=\"open\"" : "", text_of(unit, "unit"), json_array_size(features),
               bare ? "failed" : "passed", bare);
    json_array_foreach(features, k, feature) put_feature(p, feature);
    fputs("</tbody></table></details>\n", p->f);
  }
}

// Writes a cell. Lines count without what is excluded, toggles with it, as `nocturne cover` judges
// them.
static void put_share(const page_t *p, const json_t *tally, bool all, double threshold) {
  size_t hit = number_of(tally, "hit"), total = number_of(tally, "total");
  total -= all ? 0 : number_of(tally, "excluded");
  if (total == 0) {
    fputs("<td>nothing to cover</td>", p->f);
    return;
  }
  double share = 100.0 * (double)hit / (double)total;
  report_put(p->f,
             "<td>%u of %u, %.2f %%<div class=\"share\"><div class=\"%s\" "
             "style=\"width:%.2f%%\"></div></div></td>",
             hit, total, share, share < threshold ? "low" : "enough", share);
}

static void put_covered_units(const page_t *p, double line, double toggle) {
  size_t i;
  json_t *item;
  fputs(
      "<table><thead><tr><th>unit</th><th>lines</th><th>toggles</th><th>cover points</th></tr>"
      "</thead><tbody>\n",
      p->f);
  json_array_foreach(json_object_get(p->cover, "units"), i, item) {
    report_put(p->f, "<tr><td>%s</td>", text_of(item, "name"));
    put_share(p, json_object_get(item, "line"), false, line);
    put_share(p, json_object_get(item, "toggle"), true, toggle);
    put_share(p, json_object_get(item, "points"), true, 100);
    fputs("</tr>\n", p->f);
  }
  fputs("</tbody></table>\n", p->f);
}

static void put_covered_c(const page_t *p, double limit) {
  const json_t *sum = json_object_get(p->cover, "c");
  const char *name;
  json_t *item;
  fputs("<table><thead><tr><th>C</th><th>lines</th></tr></thead><tbody>\n<tr><td>all</td>", p->f);
  put_share(p, json_object_get(sum, "all"), false, limit);
  fputs("</tr>\n", p->f);
  json_object_foreach(json_object_get(sum, "folders"), name, item) {
    report_put(p->f, "<tr><td>%s</td>", name);
    put_share(p, item, false, limit);
    fputs("</tr>\n", p->f);
  }
  fputs("</tbody></table>\n", p->f);
}

static void put_coverage(const page_t *p) {
  fputs("<h2 id=\"coverage\">Coverage</h2>\n", p->f);
  if (!p->cover) {
    fputs("<p>Not measured; <code>make cover</code> does.</p>\n", p->f);
    return;
  }
  const json_t *limits = json_object_get(p->cover, "thresholds");
  double line = json_number_value(json_object_get(limits, "line")),
         toggle = json_number_value(json_object_get(limits, "toggle")),
         c = json_number_value(json_object_get(limits, "c"));
  bool passed = json_is_true(json_object_get(p->cover, "passed"));
  report_put(p->f,
             "<p class=\"%s\">Measured %s: %s the thresholds (lines %.0f %%, toggles %.0f "
             "%%, C %.0f %%).</p>\n",
             passed ? "passed" : "failed", p->measured, passed ? "above" : "below", line, toggle,
             c);
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(p->cover, "complaints"), i, item) {
    report_put(p->f, "<p class=\"failed\">%s</p>\n", json_string_value(item));
  }
  put_covered_units(p, line, toggle);
  put_covered_c(p, c);
}

// ---- The page ----

static void put_time(char text[32], time_t clock) {
  struct tm when;
  text[0] = '\0';
  if (localtime_r(&clock, &when)) strftime(text, 32, "%Y-%m-%d %H:%M", &when);
}

static json_t *load(page_t *p, const char *name) {
  text_t path = {0};
  struct stat info;
  json_t *j = json_load_file(text_set(&path, "%s/%s", p->r->options->cover, name), 0, NULL);
  if (j && stat(text_string(&path), &info) == 0) put_time(p->measured, info.st_mtime);
  text_free(&path);
  return j;
}

static void put_origin(const page_t *p, const char *what, const char *text, const char *otherwise) {
  report_put(p->f, "<dt>%s</dt><dd><code>%s</code></dd>\n", what, text && *text ? text : otherwise);
}

static void put_top(const page_t *p) {
  const regress_t *r = p->r;
  size_t all = r->passed + r->failed;
  char now[32];
  put_time(now, time(NULL));
  report_put(p->f,
             "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">"
             "<head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
             "content=\"width=device-width\"/><title>Nocturne: %u passed, %u failed</title>"
             "<style>%h</style></head>\n<body>\n<h1>Regression: %u passed, <span class=\"%s\">%u "
             "failed</span></h1>\n<div class=\"bar\"><div style=\"width:%.2f%%\"></div></div>\n<p>"
             "%s. %u tests in %.1f seconds with %u at a time; %u results from the cache.</p>\n",
             r->passed, r->failed, Style, r->passed, r->failed ? "failed" : "passed", r->failed,
             all ? 100.0 * (double)r->passed / (double)all : 100.0, now, all, r->seconds,
             (size_t)r->options->jobs, r->cached);
  fputs("<dl>\n", p->f);
  put_origin(p, "command", r->options->command, "not known");
  put_origin(p, "revision", origin_revision(), "built outside git");
  put_origin(p, "Verilator", origin_verilator(), "missing");
  put_origin(p, "compiler", origin_compiler(), "");
  put_origin(p, "host", origin_host(), "");
  fputs(
      "</dl>\n<nav><a href=\"#failures\">Failures</a><a href=\"#changes\">Since the last</a>"
      "<a href=\"#tests\">Tests</a><a href=\"#plan\">Test plan</a>"
      "<a href=\"#coverage\">Coverage</a></nav>\n",
      p->f);
}

bool report_html(const regress_t *r, const char *folder, err_t *err) {
  text_t path = {0};
  page_t p = {.r = r};
  if (r->fresh > 0) remember_run(r);
  text_set(&path, "%s/index.html", folder);
  mkdir(folder, 0777);
  if (!(p.f = report_open(text_string(&path), err))) {
    text_free(&path);
    return false;
  }
  p.plan = load(&p, "plan.json");
  p.cover = load(&p, "summary.json");
  journal_read(&p.before, r->options->folder, "journal-before.jsonl");
  put_top(&p);
  put_failures(&p);
  put_changes(&p);
  put_trend(&p);
  put_tests(&p);
  put_plan(&p);
  put_coverage(&p);
  fputs("</body></html>\n", p.f);
  journal_close(&p.before);
  json_decref(p.plan);
  json_decref(p.cover);
  bool ok = report_close(p.f, text_string(&path), err);
  text_free(&path);
  return ok;
}
