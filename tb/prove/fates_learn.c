// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "facts.h"
#include "fates_internal.h"
#include "fault.h"
#include "stray.h"
#include "twin.h"

enum {
  SeenCycles = 4000,      // of a run whose states are looked at
  LookedCycles = 100000,  // in which it is looked at where flaws differ
  MostTurns = 24,         // states of which facts are looked for, for each flaw of a crowd
  WorthGuessing = 8,      // flaws of FatesAtOnce that guesses have to settle, to go on before runs
  LearnConflicts = 2000,  // for each flaw of a question about a crowd
  TwinConflicts = 20000,  // of the first question about what a flaw changes
  StrayConflicts = 4000,  // of each of many questions about a flaw
};

static void see(void *context, const uint8_t *state) { facts_see(context, state); }
static void stray(void *context, uint32_t flaw, uint32_t latch, const uint64_t *state) {
  strays_see(context, flaw, latch, state);
}

struct fates_learned {
  const fates_t *w;
  twin_t twin;
  facts_t facts;
  strays_t strays;        // by place in `guessed`
  uint32_t *guessed;      // flaws, in the order in which they are asked about; NULL: none yet
  uint32_t count, asked;  // of them
};

// Takes where registers of the flaws that are left differ in a run.
static void look(fates_t *w, fates_learned_t *l) {
  for (uint32_t first = 0; first < l->count; first += SwarmFlaws) {
    static flaw_t flaws[SwarmFlaws];
    uint32_t count = 0;
    for (; count < SwarmFlaws && first + count < l->count; count++) {
      flaws[count] = w->flaws.list[l->guessed[first + count]];
    }
    strays_t part = l->strays;
    part.seen += (size_t)first * part.latches;
    swarm_stray(w->swarm, &w->reel, FatesSeed, flaws, count, &part, stray);
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
// none equivalent, the others are not asked.
static void learn_facts(fates_t *w, fates_learned_t *l) {
  bool again = true;
  for (uint32_t first = 0; again && first < w->live_count; first += FatesAtOnce) {
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
    again = fates_count(w, Equivalent) > before;
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
      said = stray_ask(&twin, flaw, &l->strays, at, StrayConflicts);
    }
    if (said == CnfUnsatisfiable) {
      printf("%u %s\n", which, FatesWords[Equivalent]);
    }
  }
  return true;
}

fates_learned_t *fates_learn(fates_t *w) {
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
  fates_find_live(w);
  learn_facts(w, l);
  return l;
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
  strays_create(&l->strays, w->proof->t->rtl.latches, l->count);
  uint32_t cycles = 0;
  for (uint32_t i = 0; i < w->run_count + w->shaken && cycles < LookedCycles; i++) {
    if (read_run(w, i)) {
      look(w, l);
      cycles += w->reel.cycles;
      reel_free(&w->reel);
    }
  }
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
  strays_destroy(&l->strays);
  facts_destroy(&l->facts);
  twin_destroy(&l->twin);
  free(l->guessed);
  free(l);
}
