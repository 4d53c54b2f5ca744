// SPDX-License-Identifier: Apache-2.0
#include "coverage.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csim/base/text.h"

static const char *folder(void) {
  const char *path = getenv("NOCTURNE_COVERAGE");
  return path && *path ? path : NULL;
}

// "NumGpus=8 Credits=3" as part of a file's name, as tb/unit.mk makes it.
static void put_name(text_t *path, const char *params) {
  for (const char *c = params; *c; c++) {
    text_char(path, *c == ' ' ? '-' : *c);
  }
}

static bool is_quick(void) {
  const char *quick = getenv("NOCTURNE_QUICK");
  return quick && *quick;
}

const char *coverage_trace_kind(void) { return is_quick() ? "glance" : "trace"; }

const char *coverage_kind(const char *unit, const char *params) {
  if (!folder()) {
    return is_quick() ? "quick" : "plain";
  }
  const char *kind = "cover";
  char *path = text_make("%s/toggle", folder()), *wanted = text_make("%s %s\n", unit, params);
  char *line = NULL;
  size_t room = 0;
  FILE *file = path && wanted ? fopen(path, "r") : NULL;
  while (file && getline(&line, &room, file) > 0) {
    kind = strcmp(line, wanted) == 0 ? "toggle" : kind;
  }
  if (file) {
    fclose(file);
  }
  free(line);
  free(path);
  free(wanted);
  return kind;
}

// A line is C 'KEY' COUNT; the same model writes the same keys in the same order. False if the
// files are not of one model.
static bool add_counts(FILE *before, FILE *fresh, FILE *sum) {
  char *a = NULL, *b = NULL;
  size_t a_room = 0, b_room = 0;
  bool same = true;
  while (same && getline(&b, &b_room, fresh) > 0) {
    same = getline(&a, &a_room, before) > 0;
    char *a_end = same ? strrchr(a, ' ') : NULL, *b_end = strrchr(b, ' ');
    if (!same || b[0] != 'C' || !a_end || !b_end) {
      same = same && strcmp(a, b) == 0;
      fputs(b, sum);
      continue;
    }
    same = a_end - a == b_end - b && strncmp(a, b, (size_t)(a_end - a)) == 0;
    fprintf(sum, "%.*s %" PRIu64 "\n", (int)(b_end - b), b,
            (uint64_t)strtoull(a_end, NULL, 10) + (uint64_t)strtoull(b_end, NULL, 10));
  }
  free(a);
  free(b);
  return same;
}

static bool merge(const char *path, const char *fresh, const char *sum) {
  FILE *a = fopen(path, "r"), *b = fopen(fresh, "r"), *c = fopen(sum, "w");
  bool ok = a && b && c && add_counts(a, b, c) && !ferror(c);
  if (a) {
    fclose(a);
  }
  if (b) {
    fclose(b);
  }
  return c && fclose(c) == 0 && ok;
}

void coverage_add(const char *unit, const char *params, void *model,
                  void (*write)(void *model, const char *path)) {
  if (!folder()) {
    return;
  }
  mkdir(folder(), 0777);
  text_t at_text = {0}, path_text = {0};
  text_format(&at_text, "%s/%s", folder(), unit);
  const char *at = text_string(&at_text);
  mkdir(at, 0777);
  text_format(&path_text, "%s/", at);
  put_name(&path_text, params);
  text_put(&path_text, ".dat");
  const char *path = text_string(&path_text);
  char *fresh = text_make("%s.%d", path, (int)getpid());
  char *sum = text_make("%s.%d.sum", path, (int)getpid());
  if (!fresh || !sum) {
    fprintf(stderr, "nocturne: coverage of %s: out of memory\n", unit);
    exit(3);
  }
  write(model, fresh);
  int lock = open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock >= 0) {
    flock(lock, LOCK_EX);
  }
  // A file of another build is replaced.
  if (rename(merge(path, fresh, sum) ? sum : fresh, path) != 0) {
    perror(path);
  }
  unlink(sum);
  unlink(fresh);
  if (lock >= 0) {
    close(lock);
  }
  free(fresh);
  free(sum);
  text_free(&at_text);
  text_free(&path_text);
}
