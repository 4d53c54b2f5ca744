// SPDX-License-Identifier: Apache-2.0
#include "covers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cnf.h"
#include "fault.h"
#include "play.h"

enum {
  MostConflicts = 8000,  // of one question about runs from reset
  FirstAsked = 4,        // cycle of a run that is asked for covers
};

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static bool is_beyond(const covers_t *c, const char *what) {
  uint32_t i = 0;
  while (i < c->beyond_count && strcmp(c->beyond[i], what) != 0) {
    i++;
  }
  return i < c->beyond_count;
}

// Events that the invariant excludes, or that a state within it leads to in a cycle, where no run
// comes to one; returns how many.
static uint32_t exclude(const covers_t *c, const event_t *events, uint32_t count, bool *excluded) {
  const proof_t *p = c->proof;
  uint32_t found = 0;
  cnf_t *cnf = cnf_create_confirmed(p->t->aig);
  cnf_require(cnf, p->assumed);
  for (uint32_t i = 0; i < count; i++) {
    const cnf_result_e result = cnf_solve(cnf, events[i].when, MostConflicts);
    const bool is_possible = result == CnfSatisfiable && is_beyond(c, events[i].what);
    excluded[i] = result == CnfUnsatisfiable || is_possible;
    if (excluded[i]) {
      printf("  %s: %s\n", events[i].what,
             is_possible ? "beyond any run from reset; possible within the invariant"
                         : "never, by the invariant");
      found++;
    }
  }
  cnf_destroy(cnf);
  return found;
}

// The proof speaks of something: what the unit can do is reached from reset, and so, as base and
// step are proved, within relation and invariant.
bool covers_search(const covers_t *c) {
  const proof_t *p = c->proof;
  const double start = seconds();
  event_t *events;
  search_t s;
  const uint32_t count = search_covers(p, &events);
  search_create(&s, p, events, count, false);
  bool *reached = fault_calloc(count, sizeof *reached);
  const uint32_t possible = count - exclude(c, events, count, reached);
  uint32_t left = possible;
  // Events that can happen in a cycle can mostly happen later as well, so few of them are asked
  // about.
  uint32_t next = FirstAsked;
  while (left && s.count < c->cycles) {
    search_cycle(&s);
    const bool is_asked = s.count == next || s.count == c->cycles;
    next += s.count == next ? next / 2 : 0;
    for (uint32_t i = 0; i < count && is_asked; i++) {
      uint8_t *value = NULL;
      if (reached[i] || search_ask(&s, i, MostConflicts, &value) != CnfSatisfiable) {
        continue;
      }
      reached[i] = true;
      left--;
      free(value);
    }
  }
  printf("  from reset: %u of %u streams, errors and situations within %u cycles, %.1f s\n",
         possible - left, possible, s.count, seconds() - start);
  for (uint32_t i = 0; i < count; i++) {
    if (!reached[i]) {
      printf("  %s: not reached\n", events[i].what);
    }
  }
  free(reached);
  free(events);
  search_destroy(&s);
  return left == 0;
}

// Recorded vectors in both graphs, and what happens in them.
bool covers_play(const covers_t *c) {
  const proof_t *p = c->proof;
  const double start = seconds();
  event_t *events;
  const uint32_t count = search_covers(p, &events);
  bool *excluded = fault_calloc(count, sizeof *excluded), same, ok = true, covered = true;
  const sought_t sought = {events, count, fault_calloc(count, sizeof *sought.reached)};
  uint32_t lines = 0, reached = 0;
  for (uint32_t i = 0; i < c->run_count; i++) {
    lines += play_vectors(p, c->runs[i], c->params, &sought, &same);
    ok &= same;
  }
  const uint32_t possible = c->required ? count - exclude(c, events, count, excluded) : count;
  for (uint32_t i = 0; i < count; i++) {
    reached += sought.reached[i];
    const bool is_wrong = sought.reached[i] && is_beyond(c, events[i].what);
    if (is_wrong || (!sought.reached[i] && !excluded[i])) {
      printf("  %s: %s\n", events[i].what,
             is_wrong ? "in these vectors, so not beyond them" : "not in these vectors");
      covered &= !c->required;
    }
  }
  printf("  %u vectors: %s, %u of %u streams, errors and situations, %.1f s\n", lines,
         ok ? "as recorded" : "differ", reached, possible, seconds() - start);
  free(sought.reached);
  free(excluded);
  free(events);
  return ok && covered;
}
