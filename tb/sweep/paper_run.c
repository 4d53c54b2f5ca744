// SPDX-License-Identifier: Apache-2.0
// Runs the sweeps of the pages, one after the other; a sweep checks its file while the one before
// runs, and begins when that one has started all of its runs.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "csim/base/seconds.h"
#include "paper.h"

extern char **environ;

enum { Alive = 3 };  // sweeps: one that runs, the others check their files and wait

// A sweep on its way. Its checks and its first runs may go along with the last runs of the sweep
// before.
typedef struct {
  const paper_figure_t *figure;
  pid_t pid;  // -1: it did not start
  char *log;  // owned
} sweep_run_t;

// Starts the command with its output in a file; its standard input ends when `turn` does (-1: at
// once), and file 3 is the next sweep's turn. -1: it did not start.
static pid_t start(char **arguments, const char *log, int turn, int next) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    return -1;
  }
  bool ok =
      (turn >= 0 ? posix_spawn_file_actions_adddup2(&actions, turn, 0)
                 : posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)) == 0 &&
      posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0666) == 0 &&
      posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 &&
      posix_spawn_file_actions_adddup2(&actions, next, 3) == 0 &&
      posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return ok ? child : -1;
}

static void start_sweep(const paper_figure_t *f, const paper_options_t *o, int turn, int next,
                        sweep_run_t *r) {
  static const char *const tables[] = {"json", "csv"};
  char jobs[16], *arguments[4 * YamlMaxWords + PaperMaxOptions + 16];
  uint32_t n = 0;
  const char *const *frames = o->full ? f->full_frames : f->frames;
  *r = (sweep_run_t){.figure = f, .pid = -1};
  char *folder = text_make("%s/%s", o->runs, f->name);
  r->log = text_make("%s/%s.log", o->runs, f->name);
  if (!folder || !r->log) {
    free(folder);
    return;
  }
  snprintf(jobs, sizeof jobs, "%u", o->jobs);
  // A table of another run must not count for one that fails.
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    char *table = text_make("%s/table.%s", folder, tables[i]);
    bool ok = table && (remove(table) == 0 || errno == ENOENT);
    if (!ok) {
      printf("%s: %s\n", folder, strerror(errno));
      free(table);
      free(folder);
      return;
    }
    free(table);
  }
  const char *fixed[] = {o->program, "sweep", f->sweep, "--engine",
                         o->engine,  "--out", folder,   "--in-turn"};
  for (uint32_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    arguments[n++] = (char *)fixed[i];
  }
  if (o->jobs) {
    arguments[n++] = "-j";
    arguments[n++] = jobs;
  }
  for (uint32_t i = 0; i < o->sweep_option_count; i++) {
    arguments[n++] = (char *)o->sweep_options[i];
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
  r->pid = start(arguments, r->log, turn, next);
  free(folder);
}

// Its line, with the time since the line before.
static bool end_sweep(sweep_run_t *r, const paper_options_t *o, double *since) {
  int status = -1;
  if (r->pid >= 0) {
    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR) {
    }
    status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  char *table = text_make("%s/%s/table.json", o->runs, r->figure->name);
  const double now = seconds_wall(), seconds = now - *since;
  *since = now;
  if (status == 0) {
    printf("%-24s %7.1f s\n", r->figure->name, seconds);
  } else {
    printf("%-24s %7.1f s, failed %s (status %d): %s\n", r->figure->name, seconds,
           table && access(table, R_OK) == 0 ? "in part" : "in whole", status,
           r->log ? r->log : "out of memory");
  }
  free(table);
  free(r->log);
  fflush(stdout);
  return status == 0;
}

uint32_t paper_run(const paper_t *paper, const paper_options_t *o) {
  sweep_run_t runs[Alive];
  double since = seconds_wall();
  uint32_t started = 0, ended = 0, failed = 0;
  int turn = -1, next[2];
  for (uint32_t p = 0; p < paper->page_count; p++) {
    for (uint32_t i = 0; i < paper->pages[p].figure_count; i++) {
      const paper_figure_t *f = &paper->pages[p].figures[i];
      if (!f->sweep || !paper_has(f, o)) {
        continue;
      }
      if (started - ended == Alive) {
        failed += !end_sweep(&runs[ended++ % Alive], o, &since);
      }
      if (pipe2(next, O_CLOEXEC) != 0) {
        perror("nocturne: pipe");
        next[0] = next[1] = -1;
      }
      start_sweep(f, o, turn, next[1], &runs[started++ % Alive]);
      if (turn >= 0) {
        close(turn);
      }
      close(next[1]);
      turn = next[0];
    }
  }
  while (ended < started) {
    failed += !end_sweep(&runs[ended++ % Alive], o, &since);
  }
  if (turn >= 0) {
    close(turn);
  }
  return failed;
}
