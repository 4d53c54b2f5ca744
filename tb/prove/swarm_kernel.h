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
  swarm_chunk_t *chunk;       // of conjunctions, without flaws
  uint32_t first, count;      // of the order
  const uint32_t *a, *b, *y;  // of a product: outputs, outputs, inputs; else NULL
  bool is_product, is_patched;
  bool is_out, is_held;   // outputs depend on it; they do, and no input changes it
  swarm_word_t *factors;  // of a product: as it was last multiplied
  bool is_multiplied;     // in this run
} swarm_step_t;

typedef struct {
  swarm_word_t *node, *next;
  swarm_step_t *steps;
  uint32_t step_count;
  const uint32_t *order;             // conjunctions, operands first
  const uint32_t (*operands)[2];     // literals
  const uint32_t *next_of, *output;  // literals
  swarm_chunk_t *const *direct;      // write the registers that no register gives; NULL at the end
  const uint32_t *moved;             // registers that another one gives
  uint32_t *flawed;                  // registers whose next state has a patch
  uint32_t inputs, latches, ands, moved_count, flawed_count;
  bool out_is_patched;
  const uint32_t *patch_of;  // by place (aiger.h): in `patches`; 0: none
  const swarm_patch_t *patches;
} swarm_state_t;

// The kernel, as the compiled file exports it.
typedef struct {
  // Evaluates what outputs depend on; or all else, and what of it inputs change.
  void (*evaluate)(const swarm_state_t *s, bool only_out);
  // Takes the next states over, after evaluate.
  void (*clock)(const swarm_state_t *s);
  // The lanes in which one of the first `count` outputs is not as expected, outputs and expected by
  void (*compare)(const swarm_state_t *s, const uint32_t *outputs, const uint8_t *expected,
                  uint32_t count, swarm_word_t *differs);
  swarm_chunk_t *const *chunks, *const *direct;
} swarm_kernel_t;

#ifdef SWARM_KERNEL

static inline swarm_word_t literal(const swarm_state_t *s, uint32_t l) {
  return s->node[l / 2] ^ -(uint64_t)(l & 1);
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

// Rows to columns, in each part of the rows for itself: bit c of row r becomes bit r of row c.
static void transpose(swarm_word_t *row) {
  uint64_t low = ~UINT64_C(0) >> 32;
  for (uint32_t j = 32; j; j /= 2, low ^= low << j) {
    for (uint32_t r = 0; r < 64; r = (r + j + 1) & ~j) {
      const swarm_word_t swapped = ((row[r] >> j) ^ row[r + j]) & low;
      row[r + j] ^= swapped;
      row[r] ^= swapped << j;
    }
  }
}

// Takes over outputs that are a word; whether they have changed.
static bool gather(const swarm_state_t *s, const uint32_t *outputs, swarm_word_t *row) {
  swarm_word_t changed = {0};
  for (uint32_t bit = 0; bit < SwarmProductBits; bit++) {
    const uint32_t o = outputs[bit];
    const swarm_word_t now =
        patched(s, reader(s, s->ands, s->latches + o), literal(s, s->output[o]));
    changed |= row[bit] ^ now;
    row[bit] = now;
  }
  uint64_t any = 0;
  for (uint32_t part = 0; part < SwarmParts; part++) {
    any |= changed[part];
  }
  return any != 0;
}

static void multiply(const swarm_state_t *s, swarm_step_t *step) {
  swarm_word_t a[SwarmProductBits], b[SwarmProductBits];
  const bool a_changed = gather(s, step->a, step->factors);
  const bool b_changed = gather(s, step->b, step->factors + SwarmProductBits);
  if (step->is_multiplied && !a_changed && !b_changed) {
    return;
  }
  step->is_multiplied = true;
  __builtin_memcpy(a, step->factors, sizeof a);
  __builtin_memcpy(b, step->factors + SwarmProductBits, sizeof b);
  transpose(a);
  transpose(b);
  for (uint32_t i = 0; i < SwarmProductBits; i++) {
    a[i] *= b[i];  // of lane i of each part
  }
  transpose(a);
  for (uint32_t bit = 0; bit < SwarmProductBits; bit++) {
    s->node[1 + step->y[bit]] = patched(s, 1 + step->y[bit], a[bit]);
  }
}

static void evaluate(const swarm_state_t *s, bool only_out) {
  for (uint32_t i = 0; i < s->step_count; i++) {
    swarm_step_t *step = &s->steps[i];
    if (only_out ? !step->is_out : step->is_held) {
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

// A register that another one gives is read before any is written; one that keeps its state, never.
static void take_next(const swarm_state_t *s) {
  swarm_word_t *registers = s->node + 1 + s->inputs, *moved = s->next + s->flawed_count;
  for (uint32_t k = 0; k < s->flawed_count; k++) {
    const uint32_t i = s->flawed[k];
    const swarm_word_t next = patched(s, reader(s, s->ands, i), literal(s, s->next_of[i]));
    s->next[k] = patched(s, 1 + s->inputs + i, next);
  }
  for (uint32_t k = 0; k < s->moved_count; k++) {
    moved[k] = literal(s, s->next_of[s->moved[k]]);
  }
  for (uint32_t i = 0; s->direct[i]; i++) {
    s->direct[i](s->node);
  }
  for (uint32_t k = 0; k < s->moved_count; k++) {
    registers[s->moved[k]] = moved[k];
  }
  for (uint32_t k = 0; k < s->flawed_count; k++) {
    registers[s->flawed[k]] = s->next[k];
  }
}

static void compare(const swarm_state_t *s, const uint32_t *outputs, const uint8_t *expected,
                    uint32_t count, swarm_word_t *differs) {
  swarm_word_t any = {0};
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t o = outputs[i];
    const swarm_word_t value = literal(s, s->output[o]);
    any |= -(uint64_t)expected[i] ^
           (s->out_is_patched ? patched(s, reader(s, s->ands, s->latches + o), value) : value);
  }
  *differs = any;
}

#endif
#endif
