// SPDX-License-Identifier: Apache-2.0
#include "play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"

// The roots of a clock or a reset: golden state, its outputs, RTL registers, their outputs; that
// what the wrapper says does not hold, and what is looked for.
typedef struct {
  lit_t *roots;
  uint32_t out, latches, actual, strays, events, count;
} side_t;

typedef struct {
  const transition_t *t;
  side_t clock, reset;
  uint32_t *order, order_count;  // nodes, operands first
  uint8_t *value;
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
  free(zero);
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
  aig_cone(t->aig, p->clock.roots, p->clock.count, needed);
  aig_cone(t->aig, p->reset.roots, p->reset.count, needed);
  for (uint32_t i = 1; i < nodes; i++) {
    if (needed[i] && !aig_is_variable(t->aig, i)) {
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
    aig_operands(p->t->aig, p->order[i], &a, &b);
    p->value[p->order[i]] = aig_value(p->value, a) && aig_value(p->value, b);
  }
  for (uint32_t i = 0; i < s->count; i++) {
    after[i] = aig_value(p->value, s->roots[i]);
  }
  for (uint32_t i = 0; i < p->t->state_count; i++) {
    p->value[p->t->state[i].variable / 2] = after[i];
  }
  for (uint32_t i = 0; i < p->t->rtl.latches; i++) {
    p->value[p->t->latches[i] / 2] = after[s->latches + i];
  }
}

// ---- A file of vectors, line by line ----

typedef struct {
  const proof_t *proof;
  const char *path;
  player_t player;
  FILE *file;
  char *line;  // whether a reset, outputs, inputs
  size_t room;
  uint32_t number, out, in;  // digits of outputs and inputs
  const side_t *side;        // of this line
  uint8_t *after;            // what its roots are
} replay_t;

static bool digit_bit(const char *number, uint32_t nibbles, uint32_t bit) {
  const char c = number[nibbles - 1 - bit / 4];
  const uint32_t digit = (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
  return digit >> bit % 4 & 1;
}

static void open_replay(replay_t *r, const proof_t *proof, const char *path, const char *params,
                        const sought_t *sought) {
  const transition_t *t = proof->t;
  char head[UnitParamsText + 128], expected[UnitParamsText + 128];
  *r = (replay_t){.proof = proof, .path = path, .file = fopen(path, "r"), .number = 1};
  if (!r->file) {
    fault(FaultUsage, "%s: %s", path, strerror(errno));
  }
  snprintf(expected, sizeof expected, "%s %u %u %s\n", t->info->name, t->in_bits, t->out_bits,
           params);
  if (!fgets(head, sizeof head, r->file) || strcmp(head, expected) != 0) {
    fault(FaultUsage, "%s:1:1: expected vectors of %.*s", path, (int)strlen(expected) - 1,
          expected);
  }
  make_player(&r->player, proof, sought);
  r->after = fault_calloc(r->player.clock.count, 1);
  r->out = (t->out_bits + 3) / 4;
  r->in = (t->in_bits + 3) / 4;
  run(&r->player, &r->player.reset, r->after);  // the RTL's registers are unknown before
}

static void close_replay(replay_t *r) {
  fclose(r->file);
  free(r->line);
  free(r->after);
  free(r->player.value);
  free(r->player.order);
  free(r->player.clock.roots);
  free(r->player.reset.roots);
}

// Plays the next line; false: there is none.
static bool advance(replay_t *r) {
  const transition_t *t = r->proof->t;
  if (getline(&r->line, &r->room, r->file) <= 0) {
    return false;
  }
  r->number++;
  if (strspn(r->line, "0123456789abcdef") != 1 + r->out + r->in) {
    fault(FaultUsage, "%s:%u:1: expected %u hexadecimal digits", r->path, r->number,
          1 + r->out + r->in);
  }
  for (uint32_t i = 0; i < t->in_bits; i++) {
    r->player.value[t->in[i] / 2] = digit_bit(r->line + 1 + r->out, r->in, i);
  }
  r->side = r->line[0] != '0' ? &r->player.reset : &r->player.clock;
  run(&r->player, r->side, r->after);
  return true;
}

static bool is_as_recorded(const replay_t *r) {
  const transition_t *t = r->proof->t;
  for (uint32_t i = 0; i < t->out_bits; i++) {
    const bool expected = digit_bit(r->line + 1, r->out, i);
    const bool golden = r->after[r->side->out + i], rtl = r->after[r->side->actual + i];
    if (golden != expected || rtl != expected) {
      char signal[160];
      explain_signal(t, i, signal, sizeof signal);
      printf("  line %u: signal %s: recorded %d, golden in the graph %d, RTL in the graph %d\n",
             r->number, signal, expected, golden, rtl);
      return false;
    }
  }
  if (r->after[r->side->strays]) {
    printf("  line %u: not within relation and invariant\n", r->number);
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
  const uint32_t lines = r.number - 1;
  close_replay(&r);
  return lines;
}

// ---- The first difference in recorded inputs ----

static bool differs(const replay_t *r) {
  return memcmp(r->after + r->side->out, r->after + r->side->actual, r->proof->t->out_bits) != 0;
}

// The line as a vector that expects what the golden model in the graph says.
static void put_line(FILE *to, const replay_t *r) {
  fputc(r->line[0], to);
  for (uint32_t n = r->out; n-- > 0;) {
    uint32_t digit = 0;
    for (uint32_t b = 0; b < 4 && 4 * n + b < r->proof->t->out_bits; b++) {
      digit |= (uint32_t)r->after[r->side->out + 4 * n + b] << b;
    }
    fputc("0123456789abcdef"[digit], to);
  }
  fprintf(to, "%.*s\n", (int)r->in, r->line + 1 + r->out);
}

static void explain_line(const replay_t *r) {
  printf("  cycle %u:", r->number - 2);
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
  const uint32_t cycles = is_found ? r.number - 1 : 0;
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
  const uint32_t cycles = r.number - 1;
  close_replay(&r);
  return cycles;
}

bool play_report(const proof_t *proof, const char *path, const char *params, uint32_t cycles,
                 const char *to) {
  const transition_t *t = proof->t;
  const sought_t nothing = {NULL, 0, NULL};
  replay_t r;
  FILE *f = fopen(to, "w");
  if (!f) {
    return false;
  }
  fprintf(f, "%s %u %u %s\n", t->info->name, t->in_bits, t->out_bits, params);
  open_replay(&r, proof, path, params, &nothing);
  while (r.number - 1 < cycles && advance(&r)) {
    put_line(f, &r);
    if (r.number - 1 + CyclesShown > cycles) {
      explain_line(&r);
    }
  }
  explain_difference(&r);
  close_replay(&r);
  const bool ok = !ferror(f);
  return fclose(f) == 0 && ok;
}
