// SPDX-License-Identifier: Apache-2.0
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "fault.h"
#include "reel.h"

// The roots of a clock or a reset: golden state, its outputs, RTL registers, their outputs; that
// what the wrapper says does not hold, and what is looked for.
typedef struct {
  lit_t *roots;
  uint32_t out, latches, actual, strays, events, count;
  const store_t **stores;  // by array
} side_t;

typedef struct {
  const transition_t *t;
  side_t clock, reset;
  uint32_t *order, order_count;  // nodes, operands first
  uint8_t *value;
  uint8_t **words;   // by array: its bits, word behind word
  uint32_t *answer;  // by node: 1 + the load whose answer's first variable it is
} player_t;

static void make_side(const proof_t *proof, const moment_t *m, const sought_t *sought,
                      bool is_reset, side_t *s) {
  const transition_t *t = proof->t;
  lit_t *zero = fault_calloc(t->in_bits, sizeof *zero);
  s->out = t->state_count;
  s->latches = s->out + t->out_bits;
  s->actual = s->latches + t->rtl.latches;
  s->strays = s->actual + t->out_bits;
  s->events = s->strays + 1;
  s->count = s->events + sought->count;
  s->roots = fault_calloc(s->count, sizeof *s->roots);
  for (uint32_t i = 0; i < t->state_count; i++) {
    s->roots[i] = m->memory.objects[t->state[i].object].bits[t->state[i].bit];
  }
  memcpy(s->roots + s->out, m->out, t->out_bits * sizeof *s->roots);
  aiger_apply(&t->rtl, t->aig, t->products, is_reset ? AigFalse : AigTrue, t->in, t->latches, NULL,
              s->roots + s->latches);
  aiger_apply(&t->rtl, t->aig, t->products, AigTrue, is_reset ? zero : t->in, s->roots + s->latches,
              s->roots + s->actual, NULL);
  s->roots[s->strays] = is_reset ? (lit_t)AigFalse : search_strays(proof);
  for (uint32_t i = 0; i < sought->count; i++) {
    s->roots[s->events + i] = is_reset ? (lit_t)AigFalse : sought->events[i].when;
  }
  products_work_out(t->products, s->roots, s->count);
  s->stores = fault_calloc(arrays_count(t->base.arrays) + 1, sizeof(store_t *));
  for (uint32_t o = 1; o < m->memory.count; o++) {
    s->stores[m->memory.objects[o].array] = m->memory.objects[o].stores;
  }
  for (uint32_t i = 0; i < t->rtl.memory_count; i++) {
    s->stores[t->rtl.memories[i].array] = t->rtl.memories[i].after;
  }
  free(zero);
}

// ---- Arrays, word by word ----

static void need(const transition_t *t, const lit_t *bits, uint32_t count, uint8_t *needed) {
  if (bits) {
    aig_cone(t->aig, bits, count, needed);
  }
}

// Marks what stores and loads depend on; notes whose answer a variable is.
static void need_arrays(player_t *p, uint8_t *needed) {
  const transition_t *t = p->t;
  const arrays_t *arrays = t->base.arrays;
  const side_t *const Sides[] = {&p->clock, &p->reset};
  uint32_t count;
  for (uint32_t k = 0; k < 2; k++) {
    for (uint32_t a = 1; a <= arrays_count(arrays); a++) {
      for (const store_t *s = Sides[k]->stores[a]; s; s = s->before) {
        need(t, &s->when, 1, needed);
        need(t, s->word, arrays_width(arrays, a), needed);
        need(t, s->index, arrays_index_bits(arrays, a), needed);
      }
    }
  }
  const lookup_t *asked = arrays_asked(arrays, &count);
  for (uint32_t i = count; i-- > 0;) {  // a place may depend on what was asked before
    const lit_t *word = asked[i].word;
    bool is_needed = false;
    uint32_t first = 0;
    for (uint32_t b = arrays_width(arrays, asked[i].array); b-- > 0;) {
      is_needed |= word[b] > AigTrue && needed[word[b] / 2];
      first = word[b] > AigTrue ? word[b] / 2 : first;
    }
    if (is_needed) {
      needed[first] = 1;
      p->answer[first] = 1 + i;
      need(t, asked[i].index, arrays_index_bits(arrays, asked[i].array), needed);
    }
  }
}

static void make_arrays(player_t *p) {
  const transition_t *t = p->t;
  const arrays_t *arrays = t->base.arrays;
  p->words = fault_calloc(arrays_count(arrays) + 1, sizeof *p->words);
  for (uint32_t a = 1; a <= arrays_count(arrays); a++) {
    p->words[a] = fault_calloc((size_t)arrays_words(arrays, a) * arrays_width(arrays, a), 1);
  }
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    const object_t *x = &t->created.memory.objects[o];
    const uint32_t width = x->array ? arrays_width(arrays, x->array) : 0;
    for (size_t i = 0; x->array && i < (size_t)arrays_words(arrays, x->array) * width; i++) {
      p->words[x->array][i] = x->stores->word[i % width] == AigTrue;
    }
  }
}

static uint32_t number(const player_t *p, const lit_t *bits, uint32_t count) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    n |= (uint32_t)aig_value(p->value, bits[i]) << i;
  }
  return n;
}

static void answer(player_t *p, uint32_t load) {
  const arrays_t *arrays = p->t->base.arrays;
  uint32_t count;
  const lookup_t *q = &arrays_asked(arrays, &count)[load];
  const uint32_t width = arrays_width(arrays, q->array);
  const uint32_t place = number(p, q->index, arrays_index_bits(arrays, q->array));
  for (uint32_t b = 0; b < width; b++) {
    if (q->word[b] > AigTrue) {
      p->value[q->word[b] / 2] =
          place < arrays_words(arrays, q->array) && p->words[q->array][(size_t)place * width + b];
    }
  }
}

static void put(player_t *p, uint32_t array, uint32_t place, const lit_t *word) {
  const uint32_t width = arrays_width(p->t->base.arrays, array);
  for (uint32_t b = 0; b < width; b++) {
    p->words[array][(size_t)place * width + b] = aig_value(p->value, word[b]);
  }
}

// The oldest of the stores first.
static void store(player_t *p, uint32_t array, const store_t *s) {
  if (!s) {
    return;
  }
  store(p, array, s->before);
  const arrays_t *arrays = p->t->base.arrays;
  const uint32_t place =
      s->index ? number(p, s->index, arrays_index_bits(arrays, array)) : s->first;
  const uint32_t end = s->index ? place + 1 : s->end;
  for (uint32_t w = place; aig_value(p->value, s->when) && w < end; w++) {
    if (w < arrays_words(arrays, array)) {
      put(p, array, w, s->word);
    }
  }
}

static void make_player(player_t *p, const proof_t *proof, const sought_t *sought) {
  const transition_t *t = proof->t;
  *p = (player_t){.t = t};
  make_side(proof, &t->stepped, sought, false, &p->clock);
  make_side(proof, &t->reset, sought, true, &p->reset);
  const uint32_t nodes = aig_count(t->aig);
  uint8_t *needed = fault_calloc(nodes, 1);
  p->order = fault_calloc(nodes, sizeof *p->order);
  p->value = fault_calloc(nodes, 1);
  p->answer = fault_calloc(nodes, sizeof *p->answer);
  make_arrays(p);
  aig_cone(t->aig, p->clock.roots, p->clock.count, needed);
  aig_cone(t->aig, p->reset.roots, p->reset.count, needed);
  need_arrays(p, needed);
  for (uint32_t i = 1; i < nodes; i++) {
    if (needed[i] && (p->answer[i] || !aig_is_variable(t->aig, i))) {
      p->order[p->order_count++] = i;
    }
  }
  free(needed);
  for (uint32_t i = 0; i < t->state_count; i++) {
    const state_bit_t *s = &t->state[i];
    p->value[s->variable / 2] = t->created.memory.objects[s->object].bits[s->bit] == AigTrue;
  }
}

static void run(player_t *p, const side_t *s, uint8_t *after) {
  for (uint32_t i = 0; i < p->order_count; i++) {
    lit_t a, b;
    if (p->answer[p->order[i]]) {
      answer(p, p->answer[p->order[i]] - 1);
      continue;
    }
    aig_operands(p->t->aig, p->order[i], &a, &b);
    p->value[p->order[i]] = aig_value(p->value, a) && aig_value(p->value, b);
  }
  for (uint32_t i = 0; i < s->count; i++) {
    after[i] = aig_value(p->value, s->roots[i]);
  }
  for (uint32_t a = 1; a <= arrays_count(p->t->base.arrays); a++) {
    store(p, a, s->stores[a]);
  }
  for (uint32_t i = 0; i < p->t->state_count; i++) {
    p->value[p->t->state[i].variable / 2] = after[i];
  }
  for (uint32_t i = 0; i < p->t->rtl.latches; i++) {
    p->value[p->t->latches[i] / 2] = after[s->latches + i];
  }
}

// ---- A recorded run, cycle by cycle ----

typedef struct {
  const proof_t *proof;
  player_t player;
  reel_t reel;
  uint32_t cycles;     // that were played
  const side_t *side;  // of the last one
  uint8_t *after;      // what its roots are
} replay_t;

static void open_replay(replay_t *r, const proof_t *proof, const char *path, const char *params,
                        const sought_t *sought) {
  const transition_t *t = proof->t;
  char head[TransitionHeadSize];
  *r = (replay_t){.proof = proof};
  transition_head(t, params, head);
  reel_read(&r->reel, path, head, t->in_bits, t->out_bits);
  make_player(&r->player, proof, sought);
  r->after = fault_calloc(r->player.clock.count, 1);
  run(&r->player, &r->player.reset, r->after);  // the RTL's registers are unknown before
}

static void close_replay(replay_t *r) {
  reel_free(&r->reel);
  free(r->after);
  free(r->player.value);
  free(r->player.order);
  free(r->player.answer);
  for (uint32_t a = 1; a <= arrays_count(r->proof->t->base.arrays); a++) {
    free(r->player.words[a]);
  }
  free(r->player.words);
  free(r->player.clock.stores);
  free(r->player.reset.stores);
  free(r->player.clock.roots);
  free(r->player.reset.roots);
}

// Plays the next cycle; false: there is none.
static bool advance(replay_t *r) {
  const transition_t *t = r->proof->t;
  if (r->cycles == r->reel.cycles) {
    return false;
  }
  const uint8_t *in = r->reel.in + (size_t)r->cycles * t->in_bits;
  for (uint32_t i = 0; i < t->in_bits; i++) {
    r->player.value[t->in[i] / 2] = in[i];
  }
  r->side = r->reel.reset[r->cycles] ? &r->player.reset : &r->player.clock;
  r->cycles++;
  run(&r->player, r->side, r->after);
  return true;
}

static bool is_as_recorded(const replay_t *r) {
  const transition_t *t = r->proof->t;
  for (uint32_t i = 0; i < t->out_bits; i++) {
    const bool expected = r->reel.out[(size_t)(r->cycles - 1) * t->out_bits + i];
    const bool golden = r->after[r->side->out + i], rtl = r->after[r->side->actual + i];
    if (golden != expected || rtl != expected) {
      char signal[160];
      explain_signal(t, i, signal, sizeof signal);
      printf("  line %u: signal %s: recorded %d, golden in the graph %d, RTL in the graph %d\n",
             r->cycles + 1, signal, expected, golden, rtl);
      return false;
    }
  }
  if (r->after[r->side->strays]) {
    printf("  line %u: not within relation and invariant\n", r->cycles + 1);
  }
  return !r->after[r->side->strays];
}

uint32_t play_vectors(const proof_t *proof, const char *path, const char *params,
                      const sought_t *sought, bool *same) {
  replay_t r;
  open_replay(&r, proof, path, params, sought);
  for (*same = true; *same && advance(&r);) {
    *same = is_as_recorded(&r);
    for (uint32_t i = 0; i < sought->count; i++) {
      sought->reached[i] |= r.after[r.side->events + i];
    }
  }
  const uint32_t lines = r.cycles;
  close_replay(&r);
  return lines;
}

// ---- The first difference in recorded inputs ----

static bool differs(const replay_t *r) {
  return memcmp(r->after + r->side->out, r->after + r->side->actual, r->proof->t->out_bits) != 0;
}

static void explain_line(const replay_t *r) {
  printf("  cycle %u:", r->cycles - 1);
  if (r->side == &r->player.reset) {
    printf(" reset\n");
  } else {
    explain_inputs(stdout, r->proof->t, r->proof->t->in, r->player.value);
  }
}

static void explain_difference(const replay_t *r) {
  for (uint32_t i = 0; i < r->proof->t->out_bits; i++) {
    const bool golden = r->after[r->side->out + i], rtl = r->after[r->side->actual + i];
    if (golden != rtl) {
      char signal[160];
      explain_signal(r->proof->t, i, signal, sizeof signal);
      printf("  signal %s: expected %d, actual %d\n", signal, golden, rtl);
    }
  }
}

uint32_t play_difference(const proof_t *proof, const char *path, const char *params) {
  const sought_t nothing = {NULL, 0, NULL};
  replay_t r;
  bool is_found = false;
  open_replay(&r, proof, path, params, &nothing);
  while (!is_found && advance(&r)) {
    is_found = differs(&r);
  }
  const uint32_t cycles = is_found ? r.cycles : 0;
  close_replay(&r);
  return cycles;
}

uint32_t play_state(const proof_t *proof, const char *path, const char *params, uint8_t *state) {
  const transition_t *t = proof->t;
  const sought_t nothing = {NULL, 0, NULL};
  replay_t r;
  open_replay(&r, proof, path, params, &nothing);
  while (advance(&r)) {
  }
  for (uint32_t i = 0; i < t->state_count; i++) {
    state[i] = r.player.value[t->state[i].variable / 2];
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    state[t->state_count + i] = r.player.value[t->latches[i] / 2];
  }
  const uint32_t cycles = r.cycles;
  close_replay(&r);
  return cycles;
}

static bool write_run(replay_t *r, const char *to, const char *params) {
  const transition_t *t = r->proof->t;
  char head[TransitionHeadSize];
  transition_head(t, params, head);
  free(r->reel.path);
  r->reel.path = strdup(to);
  return r->reel.path && reel_write(&r->reel, head);
}

bool play_report(const proof_t *proof, const char *path, const char *params, uint32_t cycles,
                 const char *to) {
  const transition_t *t = proof->t;
  const sought_t nothing = {NULL, 0, NULL};
  replay_t r;
  open_replay(&r, proof, path, params, &nothing);
  while (r.cycles < cycles && advance(&r)) {
    // The run to write expects what the golden model in the graph says.
    memcpy(r.reel.out + (size_t)(r.cycles - 1) * t->out_bits, r.after + r.side->out, t->out_bits);
    if (r.cycles + CyclesShown > cycles) {
      explain_line(&r);
    }
  }
  explain_difference(&r);
  r.reel.cycles = r.cycles;
  const bool ok = write_run(&r, to, params);
  close_replay(&r);
  return ok;
}
