// SPDX-License-Identifier: Apache-2.0
// A regression's report for the pages of GitHub and GitLab: its failures, one for each cause,
// beside the line of code that they name.
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/base/sha256.h"
#include "tb/harness/json_file.h"
#include "test_report.h"

// The first FILE:LINE in a text of which the file is there, relative to the tree. The caller frees
// it; NULL without one.
static char *find_place(const char *text, long *line) {
  for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
    const char *start = colon;
    while (start > text && (isalnum((unsigned char)start[-1]) || strchr("_-./", start[-1]))) {
      start--;
    }
    char *path = strndup(start, (size_t)(colon - start));
    if (path && isdigit((unsigned char)colon[1]) && path[0] != '/' && access(path, F_OK) == 0) {
      *line = strtol(colon + 1, NULL, 10);
      return path;
    }
    free(path);
  }
  return NULL;
}

// Taken from what a test printed.
static char *log_place(const regress_t *r, const test_t *t, long *line) {
  text_t name = {0};
  char text[1024], *path = NULL;
  FILE *log = fopen(job_file(&name, r->logs, t->id, ".log"), "r");
  while (log && !path && fgets(text, sizeof text, log)) {
    path = find_place(text, line);
  }
  if (log) {
    fclose(log);
  }
  text_free(&name);
  return path;
}

static char *group_place(const regress_t *r, const report_group_t *group, long *line) {
  const regress_end_t *e = &r->ends[group->first];
  char *path = find_place(group->signature, line);
  path = path ? path : find_place(e->entry->result.what, line);
  return path ? path : log_place(r, e->test, line);
}

// A value of a workflow command: of a property also , and : stand for themselves only as %XX.
static void put_escaped(FILE *f, const char *text, bool is_property) {
  for (const char *c = text; *c; c++) {
    const bool escapes = strchr("%\r\n", *c) || (is_property && strchr(":,", *c));
    if (escapes) {
      fprintf(f, "%%%02X", (unsigned char)*c);
    } else {
      putc(*c, f);
    }
  }
}

static void put_annotation(const regress_t *r, const report_group_t *group) {
  const regress_end_t *e = &r->ends[group->first];
  long line = 0;
  char *path = group_place(r, group, &line);
  text_t command = {0};
  job_command(e->test, &command);
  printf("::error title=");
  put_escaped(stdout, e->test->id, true);
  if (path) {
    printf(",file=");
    put_escaped(stdout, path, true);
    printf(",line=%ld", line);
  }
  printf("::");
  put_escaped(stdout, e->entry->result.what, false);
  printf("%%0A%zu test%s; reproduce: ", group->count, group->count == 1 ? "" : "s");
  put_escaped(stdout, text_string(&command), false);
  printf("\n");
  text_free(&command);
  free(path);
}

// Adds a table to the page of the workflow, whose file the environment names.
static bool put_step_summary(const regress_t *r, const report_group_t *groups, size_t count,
                             err_t *err) {
  const char *path = getenv("GITHUB_STEP_SUMMARY");
  FILE *f = path && *path ? fopen(path, "a") : NULL;
  if (!path || !*path) {
    return true;
  }
  if (!f) {
    return err_set(err, ErrCheck, "GITHUB_STEP_SUMMARY: %s cannot be written", path);
  }
  fprintf(f, "### Nocturne: %zu passed, %zu failed\n", r->good, r->bad);
  if (count) {
    fprintf(f, "\n| cause | tests | first |\n|---|---|---|\n");
  }
  for (size_t k = 0; k < count; k++) {
    report_put(f, "| <code>%s</code> | %u | <code>%s</code> |\n", groups[k].signature,
               groups[k].count, r->ends[groups[k].first].test->id);
  }
  return report_close(f, path, err);
}

// GitLab's Code Quality report: the cause, its place, and a hash by which it is known again.
static json_t *finding(const regress_t *r, const report_group_t *group, const char *list) {
  const regress_end_t *e = &r->ends[group->first];
  long line = 1;
  char hash[BaseSha256Text], *path = group_place(r, group, &line);
  base_sha256_hex(group->signature, strlen(group->signature), hash);
  json_t *j = json_pack("{s:s++, s:s, s:s, s:s, s:{s:s, s:{s:I}}}", "description", e->test->id,
                        ": ", e->entry->result.what, "check_name", group->signature, "fingerprint",
                        hash, "severity", "major", "location", "path", path ? path : list, "lines",
                        "begin", (json_int_t)line);
  free(path);
  return j;
}

bool report_ci(const regress_t *r, regress_ci_e ci, const char *list, err_t *err) {
  report_group_t *groups;
  size_t count = report_groups(r, &groups);
  bool ok = true;
  if (ci == RegressGithub) {
    for (size_t k = 0; k < count; k++) {
      put_annotation(r, &groups[k]);
    }
    ok = put_step_summary(r, groups, count, err);
  } else if (ci == RegressGitlab) {
    text_t path = {0};
    json_t *all = json_array();
    for (size_t k = 0; k < count; k++) {
      json_array_append_new(all, finding(r, &groups[k], list));
    }
    text_set(&path, "%s/codequality.json", r->options->folder);
    ok = json_file_write(all, text_string(&path), JSON_INDENT(1), err);
    json_decref(all);
    text_free(&path);
  }
  free(groups);
  return ok;
}
