// SPDX-License-Identifier: Apache-2.0
// State of the work on flaws (fates.h), and what all its steps do: journal, progress, jobs, runs.
#ifndef NOCTURNE_PROVE_FATES_INTERNAL_H
#define NOCTURNE_PROVE_FATES_INTERNAL_H

#include <stdio.h>

#include "fates.h"
#include "keeps.h"
#include "processes.h"
#include "reel.h"
#include "swarm.h"

enum {
  FatesBlock = CrowdMost,  // flaws that one solver is asked about
  FatesSeed = 1,           // of what registers hold before the first reset
  FatesAtOnce = 64,        // jobs between two lines of progress
  FatesLine = 512,
};

// Differs, Unknown: what the solver says of states that may not be reached; Hard: Unknown, and
// asked for longer. Shown, Unshown, Lost: a run from reset was found, there is none so short, the
// solver gave up.
typedef enum {
  Live,
  Killed,
  Equivalent,
  Differs,
  Unknown,
  Hard,
  Shown,
  Unshown,
  Lost,
  Fates
} fate_e;

typedef struct {
  const fates_options_t *o;
  const proof_t *proof;
  flaws_t flaws;
  swarm_t *swarm;
  keeps_t keeps;
  uint8_t *fate;  // fate_e, by flaw
  uint32_t *live, live_count;
  char **runs;  // NULL: the solver's turn
  uint32_t run_count;
  reel_t reel;        // of the run
  uint64_t seed;      // of what registers hold before the first reset
  bool knows_unseen;  // what no output depends on
  // Runs with wrong inputs: the first of those that play or of the next ones, the first of this
  // time, that they play, flaws killed before, times that began, and those that the journal says
  // have ended.
  uint32_t shaken, shaken_first;
  bool is_shaking;
  uint32_t killed_before, shakes_begun, shakes_read;
  FILE *journal, *said;  // said: standard output as it was
  long read;             // of the journal
  uint64_t cycles;       // of all lanes
  double since;
  bool far;  // abc is asked for runs
} fates_t;

// By fate_e.
extern const char *const FatesWords[Fates];
// The journal's other lines: all flaws that no output depends on are there; some shaken runs are
// about to play; enough have played.
extern const char FatesUnseen[], FatesShaking[], FatesShaken[];

// Elapsed.
double fates_seconds(void);
// Path of a file in the folder, to be freed.
char *fates_path(const fates_t *w, const char *name);
uint32_t fates_count(const fates_t *w, fate_e fate);

// Standard output is the journal from then on.
void fates_open_journal(fates_t *w);
// Takes over what the journal got since, whole lines only.
void fates_read_journal(fates_t *w);
void fates_progress(const fates_t *w, const char *what);
// Runs jobs, some at a time; what they print, and then `end`, is the journal.
void fates_run_jobs(fates_t *w, uint32_t count, process_run_t *run, const void *context,
                    const char *end, const char *what);
// w->live: flaws that are not settled.
void fates_find_live(fates_t *w);
// The flaws of these numbers.
void fates_gather(const fates_t *w, const uint32_t *numbers, uint32_t count, flaw_t *flaws);
// To w->reel.
void fates_read_reel(fates_t *w, const char *path);

// Looks at the states of the runs. Then the solver is asked again of what it did not settle: where
// words of registers do not matter (loose.h), and with facts that exclude states (facts.h).
typedef struct fates_learned fates_learned_t;
fates_learned_t *fates_see(fates_t *w);
void fates_loosen(fates_t *w, fates_learned_t *learned);
void fates_learn(fates_t *w, fates_learned_t *learned);
// And once more of what is left, with guesses of what a flaw changes (stray.h): as long as these
// settle some, or the others, too.
void fates_guess(fates_t *w, fates_learned_t *learned, bool to_the_end);
void fates_forget(fates_learned_t *learned);

#endif
