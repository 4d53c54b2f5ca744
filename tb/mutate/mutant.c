// SPDX-License-Identifier: Apache-2.0
#include "mutant.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csim/base/text.h"
#include "tb/harness/spawn.h"

enum {
  MostWords = 64,
  LineSize = 512,
  ShortSeeds = 10,  // the first ones run few cycles
};
static const char *const ShortCycles = "2000", *const LongCycles = "20000";

// `nocturne unit` with the unit's arguments and some more, its output in the mutant's log.
static int run_unit(const mutant_t *m, bool has_unit, const char *const *more) {
  const char *words[MostWords + 1] = {spawn_self(), "unit"};
  uint32_t n = 2;
  char *log = text_make("%s/log", m->folder);
  for (const char *const *u = m->unit; has_unit && *u && n < MostWords; u++) {
    words[n++] = *u;
  }
  for (const char *const *w = more; *w && n < MostWords; w++) {
    words[n++] = *w;
  }
  const int status = spawn_run(words, NULL, log);
  free(log);
  return status;
}

// Vectors and sequences name their unit; of one from outside they need its description.
static int play(const mutant_t *m, const char *file) {
  const size_t size = strlen(file);
  const bool is_vectors = size > 4 && strcmp(file + size - 4, ".vec") == 0;
  return run_unit(m, strcmp(m->unit[0], "--page") == 0,
                  (const char *const[]){is_vectors ? "--vectors" : "--play", file, NULL});
}

static void put_last_line(const mutant_t *m) {
  char *path = text_make("%s/log", m->folder), line[LineSize] = "";
  FILE *log = path ? fopen(path, "r") : NULL;
  while (log && fgets(line, sizeof line, log)) {
  }
  if (log) {
    fclose(log);
  }
  line[strcspn(line, "\n")] = '\0';
  printf("%s failed: %s\n", m->number, line);
  free(path);
}

// Plays what is there; true if one of them fails, which is then said.
static bool is_killed_by_files(const mutant_t *m) {
  static const char *const Kinds[] = {"*.vec", "*.json"};
  bool killed = false;
  for (size_t k = 0; m->vectors && k < sizeof Kinds / sizeof *Kinds; k++) {
    char *pattern = text_make("%s/%s", m->vectors, Kinds[k]);
    glob_t found = {0};
    if (pattern && glob(pattern, 0, NULL, &found) == 0) {
      for (size_t i = 0; !killed && i < found.gl_pathc; i++) {
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        killed = play(m, found.gl_pathv[i]) != 0;
        if (killed) {
          printf("%s killed %.*s\n", m->number, (int)(strrchr(name, '.') - name), name);
        }
      }
    }
    globfree(&found);
    free(pattern);
  }
  return killed;
}

// True if the mutant survived; else its fate is said and *status set.
static bool survives(const mutant_t *m, int *status) {
  *status = 0;
  setenv("NOCTURNE_MUTANT", m->number, 1);
  setenv("NOCTURNE_NO_WAVES", "1", 1);
  mkdir(m->folder, 0777);
  if (is_killed_by_files(m)) {
    return false;
  }
  for (uint32_t seed = m->first; seed <= m->last; seed++) {
    char text[16];
    snprintf(text, sizeof text, "%u", seed);
    const int got =
        run_unit(m, true,
                 (const char *const[]){"--seed", text, "--cycles",
                                       seed <= ShortSeeds ? ShortCycles : LongCycles, NULL});
    if (got == 0) {
      continue;
    }
    // (A mutant that no longer settles is found too.)
    if (got == 1 || (got >= 130 && got < 140)) {
      printf("%s killed seed %u\n", m->number, seed);
    } else {
      put_last_line(m);
      *status = 1;
    }
    return false;
  }
  return true;
}

int mutant_attack(const mutant_t *m) {
  int status;
  char *log = text_make("%s/log", m->folder);
  if (survives(m, &status)) {
    printf("%s survived\n", m->number);
  }
  if (status == 0 && log) {
    unlink(log);
    rmdir(m->folder);
  }
  free(log);
  return status;
}

// Asks the prover about this mutant, for some seconds at most; its output in LOG.
static int ask(const mutant_t *m, const char *seconds, const char *cycles, const char *vectors,
               const char *log) {
  char *golden = text_make("%s/golden.bc", m->proof), *rtl = text_make("%s/rtl.aig", m->proof);
  const char *words[] = {"timeout", seconds, m->prover, m->name,    m->params, "--golden",
                         golden,    "--rtl", rtl,       "--mutant", m->number, "--cycles",
                         cycles,    NULL,    NULL,      NULL,       NULL,      NULL};
  uint32_t n = 13;
  if (m->tables) {
    words[n++] = "--tables";
    words[n++] = m->tables;
  }
  if (vectors) {
    words[n++] = "--vectors";
    words[n++] = vectors;
  }
  const int status = spawn_run(words, NULL, log);
  free(golden);
  free(rtl);
  return status;
}

// A run from reset that shows the mutant is a gap of the tests.
static void search(const mutant_t *m, const char *log) {
  char *vectors = text_make("%s/counterexample.vec", m->folder);
  const int status = ask(m, "300", "20", vectors, log);
  if (access(vectors, R_OK) != 0 && status == 1) {
    printf("%s open: no run of 20 cycles from reset, %s\n", m->number, log);
  } else if (access(vectors, R_OK) != 0 && status == 124) {
    printf("%s open: out of time, %s\n", m->number, log);
  } else if (access(vectors, R_OK) != 0) {
    printf("%s open: status %d, %s\n", m->number, status, log);
  } else if (play(m, vectors) == 0) {
    printf("%s open: the harness does not repeat it, %s/log\n", m->number, m->folder);
  } else {
    printf("%s gap %s\n", m->number, vectors);
  }
  free(vectors);
}

int mutant_settle(const mutant_t *m) {
  char *log = text_make("%s/proof.log", m->folder);
  int status = 0;
  mkdir(m->folder, 0777);
  if (ask(m, "1200", "1", NULL, log) == 0) {
    printf("%s equivalent proof\n", m->number);
  } else if (survives(m, &status)) {
    search(m, log);
  }
  free(log);
  return status;
}
