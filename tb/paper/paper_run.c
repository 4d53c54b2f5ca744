// Runs the sweeps of the pages, one after the other.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "paper.h"

extern char **environ;

bool paper_make_folder(const char *path) {
  char part[512];
  snprintf(part, sizeof part, "%s/", path);
  for (char *c = part + 1; *c; c++) {
    if (*c == '/') {
      *c = '\0';
      if (mkdir(part, 0777) != 0 && errno != EEXIST) {
        return false;
      }
      *c = '/';
    }
  }
  return true;
}

// Exit status of the command with its output in a file; -1: it did not run or was killed.
static int run(char **arguments, const char *log) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = -1;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    return -1;
  }
  if (posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
      posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666) == 0 &&
      posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 &&
      posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ) == 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

static bool run_sweep(const paper_figure_t *f, const paper_options_t *o) {
  char folder[512], table[600], log[600], jobs[16], *arguments[4 * YamlMaxWords + 16];
  uint32_t n = 0;
  const char *const *frames = o->full ? f->full_frames : f->frames;
  struct timespec start, end;
  snprintf(folder, sizeof folder, "%.300s/%.120s", o->runs, f->name);
  snprintf(table, sizeof table, "%s/table.json", folder);
  snprintf(log, sizeof log, "%s.log", folder);
  snprintf(jobs, sizeof jobs, "%u", o->jobs);
  // A table of another run must not count for one that fails.
  if (remove(table) != 0 && errno != ENOENT) {
    printf("%-24s failed: %s: %s\n", f->name, table, strerror(errno));
    return false;
  }
  const char *fixed[] = {o->program, "sweep", f->sweep, "--engine", o->engine, "--out", folder};
  for (uint32_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    arguments[n++] = (char *)fixed[i];
  }
  if (o->jobs) {
    arguments[n++] = "-j";
    arguments[n++] = jobs;
  }
  if (o->cache) {
    arguments[n++] = "--cache";
    arguments[n++] = (char *)o->cache;
  }
  for (; *frames; frames++) {
    arguments[n++] = "--frame";
    arguments[n++] = (char *)*frames;
  }
  for (const char *const *set = f->sets; *set; set++) {
    arguments[n++] = "--set";
    arguments[n++] = (char *)*set;
  }
  arguments[n] = NULL;
  clock_gettime(CLOCK_MONOTONIC, &start);
  int status = run(arguments, log);
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
  if (status == 0) {
    printf("%-24s %7.1f s\n", f->name, seconds);
  } else {
    printf("%-24s %7.1f s, failed %s (status %d): %s\n", f->name, seconds,
           access(table, R_OK) == 0 ? "in part" : "in whole", status, log);
  }
  fflush(stdout);
  return status == 0;
}

uint32_t paper_run(const paper_t *paper, const paper_options_t *o) {
  uint32_t failed = 0;
  for (uint32_t p = 0; p < paper->page_count; p++) {
    for (uint32_t i = 0; i < paper->pages[p].figure_count; i++) {
      const paper_figure_t *f = &paper->pages[p].figures[i];
      failed += f->sweep && paper_has(f, o) && !run_sweep(f, o);
    }
  }
  return failed;
}
