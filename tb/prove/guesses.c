// SPDX-License-Identifier: Apache-2.0
#include "guesses.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum {
  Batches = 64,      // of 64 recorded states
  MostPasses = 128,  // over as many each
  AtOnce = 3,        // conditions that a word is given
  PassWorth = 1000,  // a pass that drops fewer of so many guesses is the last
};
static const uint64_t Seed = 1;

static uint64_t literal(const uint64_t *value, uint32_t l) {
  return value[l / 2] ^ (l & 1 ? ~UINT64_C(0) : 0);
}

static void run(const aiger_t *a, uint64_t *value) {
  const uint32_t first = aiger_first_and(a);
  for (uint32_t k = 0; k < a->ands; k++) {
    value[first + k] = literal(value, a->operands[k][0]) & literal(value, a->operands[k][1]);
  }
}

static void clock(const aiger_t *a, const uint64_t *value, uint64_t *after) {
  memcpy(after, value, aiger_first_latch(a) * sizeof *after);
  for (uint32_t i = 0; i < a->latches; i++) {
    after[aiger_first_latch(a) + i] = literal(value, a->next[i]);
  }
  run(a, after);
}

static void look_at_conditions(const guesses_t *g, const uint64_t *value, uint64_t *holds) {
  for (uint32_t i = 0; i < g->seen->count; i++) {
    const while_t w = g->seen->whiles[i];
    holds[i] = literal(value, w.a) & literal(value, w.b);
  }
}

// The states in which a word may differ.
static uint64_t allowed(const guesses_t *g, uint32_t word, const uint64_t *holds) {
  uint64_t lanes = 0;
  for (uint32_t i = 0; i < g->seen->count && ~lanes; i++) {
    lanes |= guesses_has(g, word, i) ? holds[i] : 0;
  }
  return lanes;
}

// The states in which it matters what a word is.
static uint64_t matters(guesses_t *g, uint32_t word, const uint64_t *may) {
  const aiger_t *a = g->a;
  const uint32_t first = aiger_first_latch(a);
  uint64_t lanes = 0;
  memcpy(g->flipped, g->value, aiger_first_and(a) * sizeof *g->flipped);
  for (uint32_t i = word; i < a->latches; i++) {
    g->flipped[first + i] ^= g->word[i] == word ? rng_u64(&g->rng) : 0;
  }
  run(a, g->flipped);
  clock(a, g->flipped, g->flipped_after);
  for (uint32_t i = 0; i < a->latches; i++) {
    const uint64_t differ =
        g->twin->is_free[i] ? 0 : g->flipped_after[first + i] ^ g->after[first + i];
    lanes |= differ & ~may[g->word[i]];
  }
  for (uint32_t i = 0; i < a->out_bits; i++) {
    const uint32_t out = a->output[a->output_of[i]];
    lanes |= literal(g->flipped_after, out) ^ literal(g->after, out);
  }
  return lanes;
}

static bool is_word(const guesses_t *g, uint32_t latch) {
  return g->word[latch] == latch && !g->twin->is_free[latch];
}

static bool any_kept(const guesses_t *g, uint32_t word) {
  bool any = false;
  for (uint32_t i = 0; i < g->words; i++) {
    any |= g->kept[(size_t)word * g->words + i] != 0;
  }
  return any;
}

void guesses_drop(guesses_t *g, uint32_t word, uint32_t condition) {
  g->kept[(size_t)word * g->words + condition / 64] &= ~(UINT64_C(1) << condition % 64);
}

// The states are there, before the clock. Returns how many guesses it drops.
static uint64_t see(guesses_t *g, uint64_t *holds, uint64_t states) {
  const uint32_t count = g->seen->count;
  uint64_t *may = fault_calloc(g->a->latches + 1, sizeof *may), dropped = 0;
  run(g->a, g->value);
  clock(g->a, g->value, g->after);
  look_at_conditions(g, g->value, holds);
  look_at_conditions(g, g->after, g->holds_after);
  for (uint32_t w = 0; w < g->a->latches; w++) {
    may[w] = is_word(g, w) ? allowed(g, w, g->holds_after) : 0;
  }
  for (uint32_t w = 0; w < g->a->latches; w++) {
    const uint64_t lanes = is_word(g, w) && any_kept(g, w) ? matters(g, w, may) & states : 0;
    for (uint32_t i = 0; i < count && lanes; i++) {
      if (guesses_has(g, w, i) && holds[i] & lanes) {
        guesses_drop(g, w, i);
        dropped++;
      }
    }
  }
  free(may);
  return dropped;
}

// The inputs of a clock; `in` as of guesses_see, or NULL: drawn.
static void set_inputs(guesses_t *g, const uint64_t *word, const lit_t *in) {
  for (uint32_t i = 0; i < g->a->inputs; i++) {
    const uint32_t bit = g->a->input_bit[i];
    g->value[1 + i] = bit == AigerReset         ? ~UINT64_C(0)
                      : bit == AigerClock       ? 0
                      : in && bit < AigerMutant ? aig_word(word, in[bit])
                                                : rng_u64(&g->rng);
  }
}

// Others of the recorded states in each pass, and other inputs.
static uint64_t see_batch(guesses_t *g, uint32_t batch, uint32_t pass) {
  const aiger_t *a = g->a;
  const uint32_t most = FactsStates / 64, seen = g->facts->states / 64;
  const uint32_t from = batch * (seen / g->batches) + pass % (seen / g->batches);
  set_inputs(g, NULL, NULL);
  for (uint32_t i = 0; i < a->latches; i++) {
    g->value[aiger_first_latch(a) + i] = g->facts->seen[(size_t)i * most + from];
  }
  return see(g, g->holds + (size_t)batch * g->seen->count, ~UINT64_C(0));
}

void guesses_see(guesses_t *g, const uint64_t *word, const lit_t *in, const lit_t *registers,
                 uint64_t lanes) {
  const aiger_t *a = g->a;
  uint64_t *holds = fault_calloc(g->seen->count + 1, sizeof *holds);
  set_inputs(g, word, in);
  for (uint32_t i = 0; i < a->latches; i++) {
    g->value[aiger_first_latch(a) + i] = aig_word(word, registers[i]);
  }
  see(g, holds, lanes);
  free(holds);
}

static uint64_t count_kept(const guesses_t *g) {
  uint64_t count = 0;
  for (size_t i = 0; i < (size_t)g->a->latches * g->words; i++) {
    count += (uint64_t)__builtin_popcountll(g->kept[i]);
  }
  return count;
}

// A condition reads no free register: a state may have any value there.
static void start(guesses_t *g) {
  bool *reads_free = seen_depends(g->seen, g->twin->is_free);
  for (uint32_t w = 0; w < g->a->latches; w++) {
    for (uint32_t i = 0; i < g->seen->count && is_word(g, w); i++) {
      g->kept[(size_t)w * g->words + i / 64] |= (uint64_t)!reads_free[i] << i % 64;
    }
  }
  free(reads_free);
}

void guesses_create(guesses_t *g, const facts_t *facts, const seen_t *seen, const uint32_t *word,
                    conditions_t *conditions) {
  const aiger_t *a = &facts->twin->proof->t->rtl;
  const uint32_t nodes = aiger_first_and(a) + a->ands, groups = facts->states / 64;
  *g = (guesses_t){facts, facts->twin, a, seen, word, conditions, .words = seen->count / 64 + 1};
  g->batches = groups < Batches ? groups : Batches;
  g->kept = fault_calloc((size_t)a->latches * g->words + 1, sizeof *g->kept);
  g->holds = fault_calloc((size_t)Batches * seen->count + 1, sizeof *g->holds);
  g->holds_after = fault_calloc(seen->count + 1, sizeof *g->holds_after);
  uint64_t **const values[] = {&g->value, &g->after, &g->flipped, &g->flipped_after};
  for (uint32_t i = 0; i < 4; i++) {
    *values[i] = fault_calloc(nodes, sizeof(uint64_t));
  }
  rng_seed(&g->rng, Seed);
  start(g);
  uint64_t left = count_kept(g), dropped = left;
  for (uint32_t pass = 0; pass < MostPasses && dropped > left / PassWorth; pass++) {
    dropped = 0;
    for (uint32_t b = 0; b < g->batches; b++) {
      dropped += see_batch(g, b, pass);
    }
    left -= dropped;
  }
}

void guesses_destroy(guesses_t *g) {
  free(g->kept);
  free(g->holds);
  free(g->holds_after);
  free(g->value);
  free(g->after);
  free(g->flipped);
  free(g->flipped_after);
}

static uint32_t states_more(const guesses_t *g, uint32_t condition, const uint64_t *covered) {
  uint32_t states = 0;
  for (uint32_t b = 0; b < g->batches; b++) {
    const uint64_t holds = g->holds[(size_t)b * g->seen->count + condition];
    states += (uint32_t)__builtin_popcountll(holds & ~covered[b]);
  }
  return states;
}

uint32_t guesses_states(const guesses_t *g, uint32_t condition) {
  static const uint64_t None[Batches] = {0};
  return states_more(g, condition, None);
}

static void cover(const guesses_t *g, uint32_t condition, uint64_t *covered) {
  for (uint32_t b = 0; b < g->batches; b++) {
    covered[b] |= g->holds[(size_t)b * g->seen->count + condition];
  }
}

static bool take(const guesses_t *g, uint32_t word) {
  conditions_t *c = &g->conditions[word];
  uint64_t covered[Batches] = {0};
  const uint32_t before = c->count;
  uint32_t most = 1;
  for (uint32_t k = 0; k < c->count; k++) {
    cover(g, c->list[k], covered);
  }
  while (most && c->count < GuessesMost && c->count < before + AtOnce) {
    uint32_t best = 0;
    most = 0;
    for (uint32_t i = 0; i < g->seen->count; i++) {
      const uint32_t states = guesses_has(g, word, i) ? states_more(g, i, covered) : 0;
      best = states > most ? i : best;
      most = states > most ? states : most;
    }
    if (most) {
      cover(g, best, covered);
      c->list[c->count++] = best;
    }
  }
  return c->count > before;
}

bool guesses_take(guesses_t *g) {
  bool any = false;
  for (uint32_t w = 0; w < g->a->latches && g->batches; w++) {
    any |= is_word(g, w) && take(g, w);
  }
  return any;
}
