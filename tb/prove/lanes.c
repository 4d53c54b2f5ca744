// SPDX-License-Identifier: Apache-2.0
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

enum {
  Restart = 48,    // cycles after which every fourth run is reset
  ShortField = 8,  // values of wide fields that are drawn more often than others: those below
  Seed = 1,
};

word64_t lanes_get(const lanes_t *x, lit_t l) {
  return x->value[l / 2] ^ (l & 1 ? ~UINT64_C(0) : 0);
}

word64_t lanes_after(const lanes_t *x, uint32_t i, word64_t reset) {
  return (lanes_get(x, x->roots[i]) & ~reset) |
         (lanes_get(x, x->roots[x->layout.count + i]) & reset);
}

static void evaluate(lanes_t *x) {
  for (uint32_t i = 0; i < x->order_count; i++) {
    const lanes_node_t *n = &x->order[i];
    x->value[n->node] = lanes_get(x, n->a) & lanes_get(x, n->b);
  }
}

// The RTL's registers hold anything before their first reset.
static void start(lanes_t *x) {
  const transition_t *t = x->t;
  for (uint32_t i = 0; i < t->state_count; i++) {
    const state_bit_t *s = &t->state[i];
    const bool made = t->created.memory.objects[s->object].bits[s->bit] == AigTrue;
    x->value[s->variable / 2] = made ? ~UINT64_C(0) : 0;
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    x->value[t->latches[i] / 2] = rng_u64(&x->rng);
  }
  evaluate(x);
  word64_t *next = fault_calloc(t->rtl.latches, sizeof *next);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    next[i] = lanes_after(x, x->layout.latches + i, ~UINT64_C(0));
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    x->value[t->latches[i] / 2] = next[i];
  }
  free(next);
}

void lanes_create(lanes_t *x, const transition_t *t, const lit_t *more, uint32_t count) {
  *x = (lanes_t){.t = t, .layout = layout_of(t)};
  x->root_count = 2 * x->layout.count + count;
  x->roots = fault_calloc(x->root_count, sizeof *x->roots);
  layout_roots(t, false, x->roots);
  layout_roots(t, true, x->roots + x->layout.count);
  for (uint32_t i = 0; i < count; i++) {
    x->roots[2 * x->layout.count + i] = more[i];
  }
  products_work_out(t->products, x->roots, x->root_count);
  const uint32_t nodes = aig_count(t->aig);
  uint8_t *needed = fault_calloc(nodes, 1);
  x->order = fault_calloc(nodes, sizeof *x->order);
  x->value = fault_calloc(nodes, sizeof *x->value);
  aig_cone(t->aig, x->roots, x->root_count, needed);
  for (uint32_t i = 1; i < nodes; i++) {
    if (needed[i] && !aig_is_variable(t->aig, i)) {
      lanes_node_t *n = &x->order[x->order_count++];
      n->node = i;
      aig_operands(t->aig, i, &n->a, &n->b);
    }
  }
  free(needed);
  rng_seed(&x->rng, Seed);
  start(x);
}

void lanes_destroy(lanes_t *x) {
  free(x->roots);
  free(x->order);
  free(x->value);
}

// An element of a field in one run: single bits as likely as the run has it; wider ones often
// small.
static uint64_t draw(lanes_t *x, uint32_t lane, uint32_t bits) {
  static const uint32_t Likely[4] = {128, 224, 64, 24};  // of 256
  const uint64_t word = rng_u64(&x->rng), way = rng_u64(&x->rng);
  if (bits > 1 && way % 4) {
    return way % 4 == 1 ? word % ShortField : word;
  }
  uint64_t value = 0;
  for (uint32_t b = 0; b < bits && b < 64; b++) {
    value |= (uint64_t)((rng_u64(&x->rng) & 255) < Likely[lane % 4]) << b;
  }
  return value;
}

static void draw_inputs(lanes_t *x) {
  const transition_t *t = x->t;
  for (uint32_t i = 0; i < t->any_bits; i++) {
    x->value[t->any[i] / 2] = rng_u64(&x->rng);
  }
  uint64_t last[LanesRuns];
  uint32_t at = 0;
  for (const unit_field_t *f = t->info->in; f->name; f++) {
    const uint32_t bits = unit_dim(t->dims, f->bits), elements = unit_dim(t->dims, f->elements);
    for (uint32_t i = 0; i < elements; i++, at += bits) {
      for (uint32_t lane = 0; lane < LanesRuns; lane++) {
        // In half of the runs elements are often the same; in half of all, words often stay what
        // they were in the cycle before.
        const bool same = i > 0 && bits > 1 && lane % 8 > 3 && rng_u64(&x->rng) % 4;
        const bool stays = lane & 16 && bits > 1 && !same && rng_u64(&x->rng) % 4;
        const uint64_t one = UINT64_C(1) << lane, value = same ? last[lane] : draw(x, lane, bits);
        last[lane] = value;
        if (stays) {
          continue;
        }
        for (uint32_t b = 0; b < bits; b++) {
          word64_t *word = &x->value[t->in[at + b] / 2];
          *word = (*word & ~one) | (value >> b % 64 & 1 ? one : 0);
        }
      }
    }
  }
}

// Inputs that the wrapper rules out become 0; runs in which these are ruled out, too, are reset.
static word64_t keep_legal(lanes_t *x) {
  const transition_t *t = x->t;
  const word64_t legal = lanes_get(x, x->roots[x->layout.legal]);
  if (legal != ~UINT64_C(0)) {
    for (uint32_t i = 0; i < t->in_bits; i++) {
      x->value[t->in[i] / 2] &= legal;
    }
    evaluate(x);
  }
  return ~lanes_get(x, x->roots[x->layout.legal]);
}

static word64_t restarts(uint32_t cycle) {
  return cycle && cycle % Restart == 0         ? UINT64_C(0x1111111111111111)
         : cycle && cycle % (5 * Restart) == 1 ? UINT64_C(0x4444444444444444)
                                               : 0;
}

word64_t lanes_cycle(lanes_t *x, uint32_t cycle) {
  draw_inputs(x);
  evaluate(x);
  return restarts(cycle) | keep_legal(x);
}

// A cycle of a recorded run, in one run; `reset` gets whether it is one.
static void set_reel(lanes_t *x, const reel_t *r, uint32_t cycle, word64_t one, word64_t *reset) {
  const transition_t *t = x->t;
  for (uint32_t i = 0; i < t->in_bits && cycle < r->cycles; i++) {
    word64_t *word = &x->value[t->in[i] / 2];
    *word = (*word & ~one) | (r->in[(size_t)cycle * t->in_bits + i] ? one : 0);
  }
  if (cycle < r->cycles) {
    *reset = (*reset & ~one) | (r->reset[cycle] ? one : 0);
  }
}

word64_t lanes_cycle_or_reels(lanes_t *x, uint32_t cycle) {
  const transition_t *t = x->t;
  word64_t reset = restarts(cycle);
  draw_inputs(x);
  for (uint32_t k = 0; k < t->reel_count && k < LanesReels; k++) {
    set_reel(x, &t->reels[k], cycle, UINT64_C(1) << (LanesRuns - 1 - k), &reset);
  }
  evaluate(x);
  return reset | keep_legal(x);
}

void lanes_keep_legal(lanes_t *x, reel_t *reels, uint32_t count) {
  const uint32_t in_bits = x->t->in_bits;
  uint32_t cycles = 0;
  for (uint32_t k = 0; k < count; k++) {
    cycles = reels[k].cycles > cycles ? reels[k].cycles : cycles;
  }
  start(x);
  for (uint32_t c = 0; c < cycles; c++) {
    word64_t reset = 0;
    for (uint32_t k = 0; k < count; k++) {
      set_reel(x, &reels[k], c, UINT64_C(1) << k, &reset);
    }
    evaluate(x);
    const word64_t illegal = ~lanes_get(x, x->roots[x->layout.legal]) & ~reset;
    const word64_t still = keep_legal(x) & illegal;
    for (uint32_t k = 0; k < count; k++) {
      if (illegal >> k & 1 && c < reels[k].cycles) {
        memset(reels[k].in + (size_t)c * in_bits, 0, in_bits);
        reels[k].reset[c] = still >> k & 1;
      }
    }
    lanes_clock(x, reset | still);
  }
}

void lanes_try(lanes_t *x) { lanes_cycle(x, 0); }

void lanes_clock(lanes_t *x, word64_t reset) {
  const transition_t *t = x->t;
  const uint32_t states = t->state_count + t->rtl.latches;
  word64_t *next = fault_calloc(states, sizeof *next);
  for (uint32_t i = 0; i < states; i++) {
    next[i] = lanes_after(x, i, reset);
  }
  for (uint32_t i = 0; i < states; i++) {
    const lit_t v = i < t->state_count ? t->state[i].variable : t->latches[i - t->state_count];
    x->value[v / 2] = next[i];
  }
  free(next);
}

word64_t *lanes_watch(lanes_t *x, uint32_t cycles) {
  const transition_t *t = x->t;
  const uint32_t states = t->state_count + t->rtl.latches;
  word64_t *past = fault_calloc((size_t)states * cycles + 1, sizeof *past);
  for (uint32_t c = 0; c < cycles; c++) {
    const word64_t reset = lanes_cycle_or_reels(x, c);
    for (uint32_t i = 0; i < states; i++) {
      const lit_t v = i < t->state_count ? t->state[i].variable : t->latches[i - t->state_count];
      past[(size_t)i * cycles + c] = lanes_get(x, v);
    }
    lanes_clock(x, reset);
  }
  return past;
}
