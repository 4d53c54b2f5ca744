// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "facts.h"
#include "fates_internal.h"
#include "fault.h"
#include "holds.h"
#include "loose.h"
#include "stray.h"
#include "twin.h"

enum {
  SeenCycles = 4000,      // of a run whose states are looked at
  LookedCycles = 100000,  // in which it is looked at where flaws differ
  SeenStates = 20000,     // in which it is looked at what their registers are
  MostTurns = 24,         // states of which facts are looked for, for each flaw of a crowd
  IdleCrowds = 4,         // of which facts make none equivalent, before others are left
  WorthGuessing = 8,      // flaws of FatesAtOnce that guesses have to settle, to go on before runs
  LearnConflicts = 2000,  // for each flaw of a question about a crowd
  TwinConflicts = 20000,  // of the first question about what a flaw changes
  StrayConflicts = 4000,  // of each of many questions about a flaw
  LooseCrowds = 4,        // of flaws that are asked about between two lines of progress
  LooseConflicts = 500,   // of a question about a flaw and words that do not matter
  LooseInCrowd = 400,     // for each flaw of several
  LooseSettle = 32000,    // of one about these words
};

static void see(void *context, const uint8_t *state) { facts_see(context, state); }

struct fates_learned {
  const fates_t *w;
  twin_t twin;
  facts_t facts;
  seen_t seen;            // by place in `guessed`
  uint32_t *guessed;      // flaws, in the order in which they are asked about; NULL: none yet
  uint32_t count, asked;  // of them
};

// A batch of flaws.
typedef struct {
  seen_t *seen;
  uint32_t first, latches;
  bool *differs;  // by flaw of all and register
} part_t;

static void see_difference(void *context, uint32_t flaw, uint32_t latch) {
  const part_t *p = context;
  p->differs[(size_t)(p->first + flaw) * p->latches + latch] = true;
}

static void see_state(void *context, uint32_t flaw, const uint64_t *unit, const uint64_t *flawed) {
  const part_t *p = context;
  seen_state(p->seen, p->first + flaw, unit, flawed);
}

// Takes where registers of the flaws that are left differ in a run, or, without `differs`, what
// they are.
static void look(fates_t *w, fates_learned_t *l, bool *differs) {
  for (uint32_t first = 0; first < l->count; first += SwarmFlaws) {
    static flaw_t flaws[SwarmFlaws];
    uint32_t count = 0;
    for (; count < SwarmFlaws && first + count < l->count; count++) {
      flaws[count] = w->flaws.list[l->guessed[first + count]];
    }
    part_t part = {&l->seen, first, w->proof->t->rtl.latches, differs};
    if (differs) {
      swarm_differences(w->swarm, &w->reel, FatesSeed, flaws, count, &part, see_difference);
    } else {
      swarm_states(w->swarm, &w->reel, FatesSeed, flaws, count, &part, see_state);
    }
  }
}

// Reads a run by number: those that were recorded, then those that were shaken. False: it is the
// solver's turn instead, or a long one.
static bool read_run(fates_t *w, uint32_t number) {
  const char *path = w->runs[number % w->run_count];
  if (path) {
    fates_read_reel(w, path);
  }
  if (path && number >= w->run_count) {
    reel_t recorded = w->reel;
    reel_shake(&w->reel, "", &recorded, number - w->run_count);
    reel_free(&recorded);
  }
  if (path && w->reel.cycles > SeenCycles) {
    reel_free(&w->reel);
    return false;
  }
  return path != NULL;
}

// Facts that exclude the states which the solver comes up with; turns: that are left.
typedef struct {
  facts_t *facts;
  uint32_t turns;
} learning_t;

static bool learn(void *context, uint32_t flaw, const uint8_t *value) {
  learning_t *l = context;
  (void)flaw;
  if (l->turns == 0) {
    return false;
  }
  l->turns--;
  return facts_learn(l->facts, value);
}

static void ask_learning(void *context, const flaw_t *flaws, uint32_t count, cnf_result_e *said) {
  fates_learned_t *l = context;
  learning_t learning = {&l->facts, count * MostTurns};
  twin_ask(l->facts.twin, flaws, count, LearnConflicts * count, said, learn, &learning);
}

// Some at a time: they have all facts that were learned for those before them. Where these make
// none equivalent for some time, the others are not asked.
static void learn_facts(fates_t *w, fates_learned_t *l) {
  uint32_t idle = 0;
  for (uint32_t first = 0; idle < IdleCrowds && first < w->live_count; first += FatesAtOnce) {
    const uint32_t before = fates_count(w, Equivalent), left = w->live_count - first;
    uint32_t numbers[FatesAtOnce], count = 0;
    flaw_t flaws[FatesAtOnce];
    cnf_result_e said[FatesAtOnce];
    for (uint32_t i = first; i < first + FatesAtOnce && i - first < left; i++) {
      if (w->fate[w->live[i]] != Live) {
        numbers[count++] = w->live[i];
      }
    }
    fates_gather(w, numbers, count, flaws);
    crowd_ask(ask_learning, l, flaws, count, said);
    for (uint32_t i = 0; i < count; i++) {
      if (said[i] == CnfUnsatisfiable) {
        printf("%u %s\n", numbers[i], FatesWords[Equivalent]);
      }
    }
    char what[FatesLine];
    fputs("round\n", stdout);
    fates_read_journal(w);
    snprintf(what, sizeof what, "%u facts of %u states", l->facts.count, l->facts.states);
    fates_progress(w, what);
    idle = fates_count(w, Equivalent) > before ? 0 : idle + 1;
  }
}

static bool stray_one(process_t *job, const void *context, uint32_t number) {
  const fates_learned_t *l = context;
  const fates_t *w = l->w;
  const uint32_t at = l->asked + number, which = l->guessed[at];
  const flaw_t *flaw = &w->flaws.list[which];
  (void)job;
  if (w->fate[which] != Live && w->fate[which] != Equivalent) {
    twin_t twin = *l->facts.twin;
    cnf_result_e said;
    twin_ask(&twin, flaw, 1, TwinConflicts, &said, NULL, NULL);
    if (said != CnfUnsatisfiable) {
      said = stray_ask(&l->seen, at, &twin, flaw, StrayConflicts);
    }
    if (said != CnfUnsatisfiable) {
      said = holds_ask(&l->seen, at, &w->keeps, &twin, flaw, StrayConflicts);
    }
    if (said == CnfUnsatisfiable) {
      printf("%u %s\n", which, FatesWords[Equivalent]);
    }
  }
  return true;
}

fates_learned_t *fates_see(fates_t *w) {
  fates_learned_t *l = fault_calloc(1, sizeof *l);
  l->w = w;
  twin_create(&l->twin, w->proof);
  facts_create(&l->facts, &l->twin);
  for (uint32_t i = 0; i < w->run_count + w->shaken && l->facts.states < FactsStates; i++) {
    if (read_run(w, i)) {
      swarm_show(w->swarm, &w->reel, FatesSeed, &l->facts, see);
      reel_free(&w->reel);
    }
  }
  return l;
}

void fates_learn(fates_t *w, fates_learned_t *l) {
  fates_find_live(w);
  learn_facts(w, l);
}

static void look_at_runs(fates_t *w, fates_learned_t *l, uint32_t most, bool *differs) {
  uint32_t cycles = 0;
  for (uint32_t i = 0; i < w->run_count + w->shaken && cycles < most; i++) {
    if (read_run(w, i)) {
      look(w, l, differs);
      cycles += w->reel.cycles;
      reel_free(&w->reel);
    }
  }
}

// first: place in w->live of the flaws whose turn it is.
typedef struct {
  const fates_t *w;
  loose_t loose;
  uint32_t first;
} loosened_t;

static void ask_loose(void *context, const flaw_t *flaws, uint32_t count, cnf_result_e *said) {
  const loosened_t *l = context;
  loose_ask(&l->loose, flaws, count, count > 1 ? LooseInCrowd * count : LooseConflicts, said);
}

static bool loosen(process_t *job, const void *context, uint32_t number) {
  loosened_t l = *(const loosened_t *)context;
  const fates_t *w = l.w;
  const uint32_t first = l.first + number * FatesAtOnce, left = w->live_count - first;
  const uint32_t count = left < FatesAtOnce ? left : FatesAtOnce;
  flaw_t flaws[FatesAtOnce];
  cnf_result_e said[FatesAtOnce];
  (void)job;
  fates_gather(w, w->live + first, count, flaws);
  crowd_ask(ask_loose, &l, flaws, count, said);
  for (uint32_t i = 0; i < count; i++) {
    if (said[i] == CnfUnsatisfiable) {
      printf("%u %s\n", w->live[first + i], FatesWords[Equivalent]);
    }
  }
  return true;
}

// Leaves in w->live the flaws that no run shows to change more than words that do not matter.
static void keep_loose(fates_t *w, fates_learned_t *l, const loose_t *loose) {
  fates_find_live(w);
  l->guessed = w->live;
  l->count = loose_count(loose) ? w->live_count : 0;
  const uint32_t latches = w->proof->t->rtl.latches;
  bool *differs = fault_calloc((size_t)latches * l->count + 1, sizeof *differs);
  look_at_runs(w, l, LookedCycles, differs);
  uint32_t left = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    if (loose_may(loose, differs + (size_t)i * latches)) {
      w->live[left++] = w->live[i];
    }
  }
  free(differs);
  l->guessed = NULL;
  l->count = 0;
  w->live_count = left;
}

static void tell_words(void *context, uint32_t words, uint32_t questions) {
  char what[FatesLine];
  snprintf(what, sizeof what, "words that do not matter: %u left after %u questions", words,
           questions);
  fates_progress(context, what);
}

void fates_loosen(fates_t *w, fates_learned_t *learned) {
  loosened_t l = {.w = w};
  char what[FatesLine];
  loose_create(&l.loose, &learned->facts, LooseSettle, tell_words, w);
  snprintf(what, sizeof what, "words that may differ: %u", loose_count(&l.loose));
  fates_progress(w, what);
  keep_loose(w, learned, &l.loose);
  for (; l.first < w->live_count; l.first += LooseCrowds * FatesAtOnce) {
    const uint32_t crowds = (w->live_count - l.first + FatesAtOnce - 1) / FatesAtOnce;
    fates_run_jobs(w, crowds < LooseCrowds ? crowds : LooseCrowds, loosen, &l, "round\n", what);
  }
  loose_destroy(&l.loose);
}

// Each round of FatesAtOnce has some of all parts of the list.
static void start_guesses(fates_t *w, fates_learned_t *l) {
  fates_find_live(w);
  const uint32_t rounds = (w->live_count + FatesAtOnce - 1) / FatesAtOnce;
  l->guessed = fault_calloc(w->live_count + 1, sizeof *l->guessed);
  for (uint32_t r = 0; r < rounds; r++) {
    for (uint32_t i = r; i < w->live_count; i += rounds) {
      l->guessed[l->count++] = w->live[i];
    }
  }
  const uint32_t latches = w->proof->t->rtl.latches;
  bool *differs = fault_calloc((size_t)latches * l->count + 1, sizeof *differs);
  seen_create(&l->seen, &w->proof->t->rtl, l->count);
  look_at_runs(w, l, LookedCycles, differs);
  for (size_t i = 0; i < (size_t)latches * l->count; i++) {
    if (differs[i]) {
      seen_change(&l->seen, (uint32_t)(i / latches), (uint32_t)(i % latches));
    }
  }
  free(differs);
  look_at_runs(w, l, SeenStates, NULL);
}

void fates_guess(fates_t *w, fates_learned_t *l, bool to_the_end) {
  if (!l->guessed) {
    start_guesses(w, l);
  }
  uint32_t settled = FatesAtOnce;
  while (l->asked < l->count && (to_the_end || settled >= WorthGuessing)) {
    const uint32_t left = l->count - l->asked, before = fates_count(w, Equivalent);
    const uint32_t asked = left < FatesAtOnce ? left : FatesAtOnce;
    fates_run_jobs(w, asked, stray_one, l, "round\n", "guesses of what flaws change");
    settled = fates_count(w, Equivalent) - before;
    l->asked += asked;
  }
}

void fates_forget(fates_learned_t *l) {
  seen_destroy(&l->seen);
  facts_destroy(&l->facts);
  twin_destroy(&l->twin);
  free(l->guessed);
  free(l);
}
