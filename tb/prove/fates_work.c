// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fates_internal.h"
#include "fault.h"

double fates_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

char *fates_path(const fates_t *w, const char *name) {
  char *path = fault_calloc(strlen(w->o->folder) + strlen(name) + 2, 1);
  sprintf(path, "%s/%s", w->o->folder, name);
  return path;
}

uint32_t fates_count(const fates_t *w, fate_e fate) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->flaws.count; i++) {
    count += w->fate[i] == (uint8_t)fate;
  }
  return count;
}

// ---- The journal ----

const char *const FatesWords[Fates] = {"live", "killed", "equivalent", "differs", "unknown",
                                       "hard", "shown",  "unshown",    "lost"};
const char FatesUnseen[] = "unseen\n", FatesShaking[] = "shaking %u\n",
           FatesShaken[] = "shaken %u\n";

// The solver's answers count once all of their round is there, so that a run that was cut
// off asks it the same questions again.
static void take_line(fates_t *w, const char *line, uint32_t *round, uint32_t *round_count) {
  unsigned number;
  char word[32];
  if (strcmp(line, "round\n") == 0) {
    for (uint32_t i = 0; i < *round_count; i += 2) {
      w->fate[round[i]] = (uint8_t)round[i + 1];
    }
    *round_count = 0;
  } else if (strcmp(line, FatesUnseen) == 0) {
    w->knows_unseen = true;
  } else if (sscanf(line, FatesShaking, &number) == 1) {
    w->shaken = number;
    w->is_shaking = true;
    w->killed_before = fates_count(w, Killed);
  } else if (sscanf(line, FatesShaken, &number) == 1) {
    w->shaken = w->shaken_first = number;
    w->is_shaking = false;
    w->shakes_read++;
  } else if (sscanf(line, "%u %31s", &number, word) == 2 && number < w->flaws.count) {
    fate_e fate = Killed;
    while (fate + 1 < Fates && strcmp(word, FatesWords[fate]) != 0) {
      fate++;
    }
    if (fate == Killed) {
      w->fate[number] = Killed;
    } else if (*round_count < 2 * FatesBlock) {
      round[(*round_count)++] = number;
      round[(*round_count)++] = fate;
    }
  }
}

// Takes over what came since, whole lines only.
void fates_read_journal(fates_t *w) {
  uint32_t round[2 * FatesBlock], round_count = 0;
  char *line = NULL;
  size_t room = 0;
  ssize_t size;
  fflush(stdout);
  fseek(w->journal, w->read, SEEK_SET);
  while ((size = getline(&line, &room, w->journal)) > 0 && line[size - 1] == '\n') {
    take_line(w, line, round, &round_count);
    w->read += size;
  }
  free(line);
}

void fates_open_journal(fates_t *w) {
  char *path = fates_path(w, "journal");
  w->journal = fopen(path, "a+");
  const int said = dup(STDOUT_FILENO);
  w->said = said >= 0 ? fdopen(said, "w") : NULL;
  if (!w->journal || !w->said) {
    fault(FaultUsage, "%s: %s", path, strerror(errno));
  }
  char head[FatesLine], was[FatesLine] = "";
  snprintf(head, sizeof head, "%u flaws of %s\n", w->flaws.count, w->o->head);
  rewind(w->journal);
  if (!fgets(was, sizeof was, w->journal)) {
    fputs(head, w->journal);
    fflush(w->journal);
  } else if (strcmp(was, head) != 0) {
    fault(FaultUsage, "%s:1:1: expected a journal of %.*s; remove it", path, (int)strlen(head) - 1,
          head);
  }
  fates_read_journal(w);
  // A line that was cut off is done again.
  if (ftruncate(fileno(w->journal), w->read) != 0) {
    fault(FaultLacking, "%s: %s", path, strerror(errno));
  }
  fflush(stdout);
  dup2(fileno(w->journal), STDOUT_FILENO);
  free(path);
}

void fates_progress(const fates_t *w, const char *what) {
  fprintf(stderr, "%s: %u of %u flaws killed, %u equivalent; %s; %.0f s\n", w->proof->t->info->name,
          fates_count(w, Killed), w->flaws.count, fates_count(w, Equivalent), what,
          fates_seconds() - w->since);
}

// Runs jobs, some at a time; what they print is the journal.
void fates_run_jobs(fates_t *w, uint32_t count, process_run_t *run, const void *context,
                    const char *end, const char *what) {
  processes_t jobs = {0};
  processes_run(&jobs, count, w->o->jobs, run, context);
  w->cycles += jobs.counted;
  processes_destroy(&jobs);
  fputs(end, stdout);
  fates_read_journal(w);
  fates_progress(w, what);
}

// Flaws that are not settled.
void fates_find_live(fates_t *w) {
  w->live_count = 0;
  for (uint32_t i = 0; i < w->flaws.count; i++) {
    if (w->fate[i] != Killed && w->fate[i] != Equivalent) {
      w->live[w->live_count++] = i;
    }
  }
}

void fates_gather(const fates_t *w, const uint32_t *numbers, uint32_t count, flaw_t *flaws) {
  for (uint32_t i = 0; i < count; i++) {
    flaws[i] = w->flaws.list[numbers[i]];
  }
}

void fates_read_reel(fates_t *w, const char *path) {
  const transition_t *t = w->proof->t;
  reel_read(&w->reel, path, w->o->head, t->in_bits, t->out_bits);
}
