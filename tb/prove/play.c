// SPDX-License-Identifier: Apache-2.0
#include "play.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

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

static bool digit_bit(const char *number, uint32_t nibbles, uint32_t bit) {
  const char c = number[nibbles - 1 - bit / 4];
  const uint32_t digit = (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
  return digit >> bit % 4 & 1;
}

static bool compare(const player_t *p, const side_t *s, const uint8_t *after, const char *number,
                    uint32_t line) {
  const uint32_t bits = p->t->out_bits;
  for (uint32_t i = 0; i < bits; i++) {
    const bool expected = digit_bit(number, (bits + 3) / 4, i);
    const bool golden = after[s->out + i], rtl = after[s->actual + i];
    if (golden != expected || rtl != expected) {
      char signal[160];
      report_signal(p->t, i, signal, sizeof signal);
      printf("  line %u: signal %s: recorded %d, golden in the graph %d, RTL in the graph %d\n",
             line, signal, expected, golden, rtl);
      return false;
    }
  }
  if (after[s->strays]) {
    printf("  line %u: not within relation and invariant\n", line);
  }
  return !after[s->strays];
}

uint32_t play_vectors(const proof_t *proof, const char *path, const char *params,
                      const sought_t *sought, bool *same) {
  const transition_t *t = proof->t;
  FILE *f = fopen(path, "r");
  char head[UnitParamsText + 128], expected[UnitParamsText + 128], *line = NULL;
  size_t room = 0;
  if (!f) {
    fault(FaultUsage, "%s: %s", path, strerror(errno));
  }
  snprintf(expected, sizeof expected, "%s %u %u %s\n", t->info->name, t->in_bits, t->out_bits,
           params);
  if (!fgets(head, sizeof head, f) || strcmp(head, expected) != 0) {
    fault(FaultUsage, "%s:1:1: expected vectors of %.*s", path, (int)strlen(expected) - 1,
          expected);
  }
  player_t p;
  make_player(&p, proof, sought);
  uint8_t *after = fault_calloc(p.clock.count, 1);
  const uint32_t out = (t->out_bits + 3) / 4, in = (t->in_bits + 3) / 4;
  uint32_t number = 1;
  run(&p, &p.reset, after);  // the RTL's registers are unknown before
  for (*same = true; *same && getline(&line, &room, f) > 0;) {
    number++;
    if (strspn(line, "0123456789abcdef") != 1 + out + in) {
      fault(FaultUsage, "%s:%u:1: expected %u hexadecimal digits", path, number, 1 + out + in);
    }
    for (uint32_t i = 0; i < t->in_bits; i++) {
      p.value[t->in[i] / 2] = digit_bit(line + 1 + out, in, i);
    }
    const side_t *s = line[0] == '1' ? &p.reset : &p.clock;
    run(&p, s, after);
    *same = compare(&p, s, after, line + 1, number);
    for (uint32_t i = 0; i < sought->count; i++) {
      sought->reached[i] |= after[s->events + i];
    }
  }
  fclose(f);
  free(line);
  free(after);
  free(p.value);
  free(p.order);
  free(p.clock.roots);
  free(p.reset.roots);
  return number - 1;
}
