// SPDX-License-Identifier: Apache-2.0
#include "hunt.h"

#include <stdio.h>
#include <stdlib.h>

#include "lanes.h"
#include "search.h"

// A cycle of all runs: which are reset, the inputs, the golden model's outputs.
typedef struct {
  word64_t reset, *in, *expected;
} past_t;

typedef struct {
  lanes_t lanes;
  event_t *breaks;
  uint32_t break_count;
  past_t *past;
  uint32_t cycles;
} hunt_t;

static void make(hunt_t *h, const proof_t *proof, uint32_t cycles) {
  *h = (hunt_t){.past = fault_calloc(cycles, sizeof *h->past)};
  h->break_count = search_breaks(proof, &h->breaks);
  lit_t *more = fault_calloc(h->break_count + 1, sizeof *more);
  for (uint32_t i = 0; i < h->break_count; i++) {
    more[i] = h->breaks[i].when;
  }
  lanes_create(&h->lanes, proof->t, more, h->break_count);
  free(more);
}

static void unmake(hunt_t *h) {
  for (uint32_t i = 0; i < h->cycles; i++) {
    free(h->past[i].in);
    free(h->past[i].expected);
  }
  free(h->past);
  free(h->breaks);
  lanes_destroy(&h->lanes);
}

// Remembers the cycle; returns in which runs outputs differ.
static word64_t remember(hunt_t *h, word64_t reset) {
  const lanes_t *x = &h->lanes;
  const transition_t *t = x->t;
  past_t *past = &h->past[h->cycles++];
  word64_t differs = 0;
  past->reset = reset;
  past->in = fault_calloc(t->in_bits, sizeof *past->in);
  past->expected = fault_calloc(t->out_bits, sizeof *past->expected);
  for (uint32_t i = 0; i < t->in_bits; i++) {
    past->in[i] = lanes_get(x, t->in[i]) & ~reset;
  }
  for (uint32_t i = 0; i < t->out_bits; i++) {
    past->expected[i] = lanes_after(x, x->layout.expected + i, reset);
    differs |= past->expected[i] ^ lanes_after(x, x->layout.actual + i, reset);
  }
  return differs;
}

// In which runs anything strays, and what does first.
static word64_t stray(const hunt_t *h, word64_t reset, const char **what) {
  const lanes_t *x = &h->lanes;
  word64_t all = 0;
  for (uint32_t i = 0; i < h->break_count; i++) {
    const word64_t here = lanes_get(x, x->roots[2 * x->layout.count + i]) & ~reset;
    if (here && !all) {
      *what = h->breaks[i].what;
    }
    all |= here;
  }
  return all;
}

// ---- The file ----

static void put_number(FILE *f, const word64_t *bits, uint32_t count, uint32_t lane) {
  for (uint32_t n = (count + 3) / 4; n-- > 0;) {
    uint32_t digit = 0;
    for (uint32_t b = 0; b < 4 && 4 * n + b < count; b++) {
      digit |= (uint32_t)(bits[4 * n + b] >> lane & 1) << b;
    }
    fputc("0123456789abcdef"[digit], f);
  }
}

static void write_run(const hunt_t *h, uint32_t lane, const char *params, const char *path) {
  const transition_t *t = h->lanes.t;
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
  for (uint32_t c = 0; c < cycles && !found.cycles; c++) {
    const word64_t reset = lanes_cycle(&h.lanes, c);
    const char *what = NULL;
    const word64_t strays = stray(&h, reset, &what), differs = remember(&h, reset);
    if (strays && !found.strays) {
      found.strays = c + 1;
      found.strayed = what;
      write_run(&h, (uint32_t)__builtin_ctzll(strays), params, vectors);
    }
    if (differs) {
      found.cycles = c + 1;
      write_run(&h, (uint32_t)__builtin_ctzll(differs), params, vectors);
    }
    lanes_clock(&h.lanes, reset);
  }
  unmake(&h);
  return found;
}
