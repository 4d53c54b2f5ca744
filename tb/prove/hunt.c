// SPDX-License-Identifier: Apache-2.0
#include "hunt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/rng.h"
#include "search.h"

enum {
  Restart = 48,    // cycles after which every fourth run is reset
  ShortField = 8,  // values of wide fields that are drawn more often than others: those below
  Seed = 1,
};

typedef uint64_t lanes_t;  // a bit of each run

// A cycle of all runs: which are reset, the inputs, the golden model's outputs.
typedef struct {
  lanes_t reset, *in, *expected;
} past_t;

typedef struct {
  const proof_t *proof;
  rng_t rng;
  layout_t layout;
  lit_t *roots;  // of a clock, of a reset, and of what strays
  event_t *breaks;
  uint32_t break_count, root_count;
  uint32_t *order, order_count;  // nodes, operands first
  lanes_t *value;                // by node
  past_t *past;
  uint32_t cycles;
} hunt_t;

// ---- The graph ----

static void make(hunt_t *h, const proof_t *proof, uint32_t cycles) {
  const transition_t *t = proof->t;
  *h = (hunt_t){.proof = proof, .layout = search_layout(t)};
  h->break_count = search_breaks(proof, &h->breaks);
  h->root_count = 2 * h->layout.count + h->break_count;
  h->roots = fault_calloc(h->root_count, sizeof *h->roots);
  search_roots(t, false, h->roots);
  search_roots(t, true, h->roots + h->layout.count);
  for (uint32_t i = 0; i < h->break_count; i++) {
    h->roots[2 * h->layout.count + i] = h->breaks[i].when;
  }
  products_work_out(t->products, h->roots, h->root_count);
  const uint32_t nodes = aig_count(t->aig);
  uint8_t *needed = fault_calloc(nodes, 1);
  h->order = fault_calloc(nodes, sizeof *h->order);
  h->value = fault_calloc(nodes, sizeof *h->value);
  aig_cone(t->aig, h->roots, h->root_count, needed);
  for (uint32_t i = 1; i < nodes; i++) {
    if (needed[i] && !aig_is_variable(t->aig, i)) {
      h->order[h->order_count++] = i;
    }
  }
  free(needed);
  h->past = fault_calloc(cycles, sizeof *h->past);
  rng_seed(&h->rng, Seed);
}

static void unmake(hunt_t *h) {
  for (uint32_t i = 0; i < h->cycles; i++) {
    free(h->past[i].in);
    free(h->past[i].expected);
  }
  free(h->past);
  free(h->roots);
  free(h->breaks);
  free(h->order);
  free(h->value);
}

static lanes_t get(const hunt_t *h, lit_t l) {
  return h->value[l / 2] ^ (l & 1 ? ~UINT64_C(0) : 0);
}

static void evaluate(hunt_t *h) {
  for (uint32_t i = 0; i < h->order_count; i++) {
    lit_t a, b;
    aig_operands(h->proof->t->aig, h->order[i], &a, &b);
    h->value[h->order[i]] = get(h, a) & get(h, b);
  }
}

// The cycle's end: after a clock, or after a reset where there is one.
static lanes_t root(const hunt_t *h, uint32_t i, lanes_t reset) {
  return (get(h, h->roots[i]) & ~reset) | (get(h, h->roots[h->layout.count + i]) & reset);
}

// ---- Inputs ----

// An element of a field in one run: single bits as likely as the run has it; wider ones often
// small.
static uint64_t draw(hunt_t *h, uint32_t lane, uint32_t bits) {
  static const uint32_t Likely[4] = {128, 224, 64, 24};  // of 256
  const uint64_t word = rng_u64(&h->rng), way = rng_u64(&h->rng);
  if (bits > 1 && way % 4) {
    return way % 4 == 1 ? word % ShortField : word;
  }
  uint64_t value = 0;
  for (uint32_t b = 0; b < bits && b < 64; b++) {
    value |= (uint64_t)((rng_u64(&h->rng) & 255) < Likely[lane % 4]) << b;
  }
  return value;
}

static void draw_inputs(hunt_t *h) {
  const transition_t *t = h->proof->t;
  uint32_t at = 0;
  for (const unit_field_t *f = t->info->in; f->name; f++) {
    const uint32_t bits = unit_dim(t->dims, f->bits), elements = unit_dim(t->dims, f->elements);
    for (uint32_t i = 0; i < elements; i++, at += bits) {
      for (uint32_t lane = 0; lane < HuntRuns; lane++) {
        const uint64_t one = UINT64_C(1) << lane, value = draw(h, lane, bits);
        for (uint32_t b = 0; b < bits; b++) {
          lanes_t *word = &h->value[t->in[at + b] / 2];
          *word = (*word & ~one) | (value >> b % 64 & 1 ? one : 0);
        }
      }
    }
  }
}

// Inputs that the wrapper rules out become 0; runs in which these are ruled out, too, are reset.
static lanes_t keep_legal(hunt_t *h) {
  const transition_t *t = h->proof->t;
  const lanes_t legal = get(h, h->roots[h->layout.legal]);
  if (legal != ~UINT64_C(0)) {
    for (uint32_t i = 0; i < t->in_bits; i++) {
      h->value[t->in[i] / 2] &= legal;
    }
    evaluate(h);
  }
  return ~get(h, h->roots[h->layout.legal]);
}

// ---- Cycles ----

static void start(hunt_t *h) {
  const transition_t *t = h->proof->t;
  for (uint32_t i = 0; i < t->state_count; i++) {
    const state_bit_t *s = &t->state[i];
    const bool made = t->created.memory.objects[s->object].bits[s->bit] == AigTrue;
    h->value[s->variable / 2] = made ? ~UINT64_C(0) : 0;
  }
  // The RTL's registers hold anything before their first reset.
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    h->value[t->latches[i] / 2] = rng_u64(&h->rng);
  }
  evaluate(h);
  lanes_t *next = fault_calloc(t->rtl.latches, sizeof *next);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    next[i] = root(h, h->layout.latches + i, ~UINT64_C(0));
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    h->value[t->latches[i] / 2] = next[i];
  }
  free(next);
}

// Remembers the cycle; returns in which runs outputs differ.
static lanes_t remember(hunt_t *h, lanes_t reset) {
  const transition_t *t = h->proof->t;
  past_t *past = &h->past[h->cycles++];
  lanes_t differs = 0;
  past->reset = reset;
  past->in = fault_calloc(t->in_bits, sizeof *past->in);
  past->expected = fault_calloc(t->out_bits, sizeof *past->expected);
  for (uint32_t i = 0; i < t->in_bits; i++) {
    past->in[i] = h->value[t->in[i] / 2] & ~reset;
  }
  for (uint32_t i = 0; i < t->out_bits; i++) {
    past->expected[i] = root(h, h->layout.expected + i, reset);
    differs |= past->expected[i] ^ root(h, h->layout.actual + i, reset);
  }
  return differs;
}

static void clock_all(hunt_t *h, lanes_t reset) {
  const transition_t *t = h->proof->t;
  const uint32_t states = t->state_count + t->rtl.latches;
  lanes_t *next = fault_calloc(states, sizeof *next);
  for (uint32_t i = 0; i < states; i++) {
    next[i] = root(h, i, reset);
  }
  for (uint32_t i = 0; i < states; i++) {
    const lit_t v = i < t->state_count ? t->state[i].variable : t->latches[i - t->state_count];
    h->value[v / 2] = next[i];
  }
  free(next);
}

// In which runs anything strays, and what does first.
static lanes_t stray(const hunt_t *h, lanes_t reset, const char **what) {
  lanes_t all = 0;
  for (uint32_t i = 0; i < h->break_count; i++) {
    const lanes_t here = get(h, h->roots[2 * h->layout.count + i]) & ~reset;
    if (here && !all) {
      *what = h->breaks[i].what;
    }
    all |= here;
  }
  return all;
}

// ---- The file ----

static void put_number(FILE *f, const lanes_t *bits, uint32_t count, uint32_t lane) {
  for (uint32_t n = (count + 3) / 4; n-- > 0;) {
    uint32_t digit = 0;
    for (uint32_t b = 0; b < 4 && 4 * n + b < count; b++) {
      digit |= (uint32_t)(bits[4 * n + b] >> lane & 1) << b;
    }
    fputc("0123456789abcdef"[digit], f);
  }
}

static void write_run(const hunt_t *h, uint32_t lane, const char *params, const char *path) {
  const transition_t *t = h->proof->t;
  FILE *f = fopen(path, "w");
  if (!f) {
    fault(FaultLacking, "%s: cannot be written", path);
  }
  fprintf(f, "%s %u %u %s\n", t->info->name, t->in_bits, t->out_bits, params);
  for (uint32_t i = 0; i < h->cycles; i++) {
    fputc(h->past[i].reset >> lane & 1 ? '1' : '0', f);
    put_number(f, h->past[i].expected, t->out_bits, lane);
    put_number(f, h->past[i].in, t->in_bits, lane);
    fputc('\n', f);
  }
  const bool ok = !ferror(f);
  if (fclose(f) != 0 || !ok) {
    fault(FaultLacking, "%s: cannot be written", path);
  }
}

hunted_t hunt(const proof_t *proof, uint32_t cycles, const char *params, const char *vectors) {
  hunted_t found = {0, 0, NULL};
  hunt_t h;
  make(&h, proof, cycles);
  start(&h);
  for (uint32_t c = 0; c < cycles && !found.cycles; c++) {
    lanes_t reset = c && c % Restart == 0 ? UINT64_C(0x1111111111111111) : 0;
    draw_inputs(&h);
    evaluate(&h);
    reset |= keep_legal(&h);
    const char *what = NULL;
    const lanes_t strays = stray(&h, reset, &what), differs = remember(&h, reset);
    if (strays && !found.strays) {
      found.strays = c + 1;
      found.strayed = what;
      write_run(&h, (uint32_t)__builtin_ctzll(strays), params, vectors);
    }
    if (differs) {
      found.cycles = c + 1;
      write_run(&h, (uint32_t)__builtin_ctzll(differs), params, vectors);
    }
    clock_all(&h, reset);
  }
  unmake(&h);
  return found;
}
