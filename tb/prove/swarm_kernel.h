// SPDX-License-Identifier: Apache-2.0
// A cycle of all lanes of a swarm (swarm.h): compiled for the machine at hand, together with the
// functions that swarm.c writes for the graph. A word holds one bit of each lane.
#ifndef NOCTURNE_PROVE_SWARM_KERNEL_H
#define NOCTURNE_PROVE_SWARM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

enum { SwarmLanes = 512, SwarmParts = SwarmLanes / 64, SwarmProductBits = 64 };

// By vector instructions as wide as the machine has them.
typedef uint64_t swarm_word_t __attribute__((vector_size(SwarmLanes / 8)));

// Changes the value of a place in each lane: ((value & keep) | set) ^ flip.
typedef struct {
  swarm_word_t keep, set, flip;
} swarm_patch_t;

typedef void swarm_chunk_t(swarm_word_t *node);

// Some conjunctions in a row, or a product of two words.
typedef struct {
  swarm_chunk_t *chunk;                 // of conjunctions, without flaws
  uint32_t first, count;                // of the order
  const uint32_t *a, *b, *y;            // of a product: outputs, outputs, inputs; else NULL
  bool is_product, is_out, is_patched;  // is_out: outputs depend on it
} swarm_step_t;

typedef struct {
  swarm_word_t *node, *next;
  swarm_step_t *steps;
  uint32_t step_count;
  const uint32_t *order;             // conjunctions, operands first
  const uint32_t (*operands)[2];     // literals
  const uint32_t *next_of, *output;  // literals
  uint32_t inputs, latches, ands;
  const uint32_t *patch_of;  // by place (aiger.h): in `patches`; 0: none
  const swarm_patch_t *patches;
} swarm_state_t;

// The kernel, as the compiled file exports it.
typedef struct {
  // Evaluates all, or only what outputs depend on.
  void (*evaluate)(const swarm_state_t *s, bool only_out);
  // Takes the next states over, after evaluate.
  void (*clock)(const swarm_state_t *s);
  // The lanes in which one of the first `count` outputs is not as expected, outputs and expected by
  void (*compare)(const swarm_state_t *s, const uint32_t *outputs, const uint8_t *expected,
                  uint32_t count, swarm_word_t *differs);
  swarm_chunk_t *const *chunks;
} swarm_kernel_t;

#ifdef SWARM_KERNEL

static inline swarm_word_t literal(const swarm_state_t *s, uint32_t l) {
  return l & 1 ? ~s->node[l / 2] : s->node[l / 2];
}

static inline swarm_word_t patched(const swarm_state_t *s, uint32_t place, swarm_word_t value) {
  const uint32_t number = s->patch_of[place];
  if (!number) {
    return value;
  }
  const swarm_patch_t *p = &s->patches[number];
  return ((value & p->keep) | p->set) ^ p->flip;
}

static inline uint32_t first_and(const swarm_state_t *s) { return 1 + s->inputs + s->latches; }

// The place of a reader: an operand, or after all of them a next state or an output.
static inline uint32_t reader(const swarm_state_t *s, uint32_t conjunction, uint32_t k) {
  return first_and(s) + s->ands + 2 * conjunction + k;
}

static void run_patched(const swarm_state_t *s, const swarm_step_t *step) {
  for (uint32_t i = step->first; i < step->first + step->count; i++) {
    const uint32_t n = s->order[i], *from = s->operands[n];
    const swarm_word_t a = patched(s, reader(s, n, 0), literal(s, from[0]));
    const swarm_word_t b = patched(s, reader(s, n, 1), literal(s, from[1]));
    s->node[first_and(s) + n] = patched(s, first_and(s) + n, a & b);
  }
}

// The word of each lane whose bits these outputs are.
static void gather(const swarm_state_t *s, const uint32_t *outputs, uint64_t *word) {
  __builtin_memset(word, 0, SwarmLanes * sizeof *word);
  for (uint32_t bit = 0; bit < SwarmProductBits; bit++) {
    const uint32_t o = outputs[bit];
    const swarm_word_t w = patched(s, reader(s, s->ands, s->latches + o), literal(s, s->output[o]));
    for (uint32_t lane = 0; lane < SwarmLanes; lane++) {
      word[lane] |= (w[lane / 64] >> lane % 64 & 1) << bit;
    }
  }
}

static void multiply(const swarm_state_t *s, const swarm_step_t *step) {
  static uint64_t a[SwarmLanes], b[SwarmLanes];
  gather(s, step->a, a);
  gather(s, step->b, b);
  for (uint32_t lane = 0; lane < SwarmLanes; lane++) {
    a[lane] *= b[lane];
  }
  for (uint32_t bit = 0; bit < SwarmProductBits; bit++) {
    swarm_word_t y = {0};
    for (uint32_t lane = 0; lane < SwarmLanes; lane++) {
      y[lane / 64] |= (a[lane] >> bit & 1) << lane % 64;
    }
    s->node[1 + step->y[bit]] = patched(s, 1 + step->y[bit], y);
  }
}

static void evaluate(const swarm_state_t *s, bool only_out) {
  for (uint32_t i = 0; i < s->step_count; i++) {
    const swarm_step_t *step = &s->steps[i];
    if (only_out && !step->is_out) {
      continue;
    }
    if (step->is_product) {
      multiply(s, step);
    } else if (step->is_patched) {
      run_patched(s, step);
    } else {
      step->chunk(s->node);
    }
  }
}

static void take_next(const swarm_state_t *s) {
  const uint32_t registers = 1 + s->inputs;
  for (uint32_t i = 0; i < s->latches; i++) {
    const swarm_word_t next = patched(s, reader(s, s->ands, i), literal(s, s->next_of[i]));
    s->next[i] = patched(s, registers + i, next);
  }
  __builtin_memcpy(s->node + registers, s->next, s->latches * sizeof *s->next);
}

static void compare(const swarm_state_t *s, const uint32_t *outputs, const uint8_t *expected,
                    uint32_t count, swarm_word_t *differs) {
  swarm_word_t any = {0};
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t o = outputs[i];
    const swarm_word_t value =
        patched(s, reader(s, s->ands, s->latches + o), literal(s, s->output[o]));
    any |= expected[i] ? ~value : value;
  }
  *differs = any;
}

#endif
#endif
