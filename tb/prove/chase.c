// SPDX-License-Identifier: Apache-2.0
#include "chase.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/text.h"
#include "export.h"
#include "fault.h"
#include "twin.h"

// One of the two, as far as it was run.
typedef struct {
  aiger_t rtl;
  lit_t *state, *out[ChaseCycles + 1];  // out: after the reset, then after each cycle
} side_t;

typedef struct {
  const transition_t *t;
  side_t side[2];  // the unit, the flaw
  lit_t *in[ChaseCycles], *zero;
  uint32_t cycles;
} chase_t;

static void clock_side(const transition_t *t, side_t *s, const lit_t *in, lit_t rst_ni) {
  lit_t *next = fault_calloc(t->rtl.latches + 1, sizeof *next);
  aiger_apply(&s->rtl, t->aig, t->products, rst_ni, in, s->state, NULL, next);
  free(s->state);
  s->state = next;
}

static lit_t *outputs(const transition_t *t, const side_t *s, const lit_t *in) {
  lit_t *out = fault_calloc(t->out_bits + 1, sizeof *out);
  aiger_apply(&s->rtl, t->aig, t->products, AigTrue, in, s->state, out, NULL);
  return out;
}

// Registers hold anything before the reset, the same in both.
static void start(chase_t *c, const proof_t *p, const flaw_t *flaw) {
  const transition_t *t = p->t;
  *c = (chase_t){.t = t, .zero = fault_calloc(t->in_bits + 1, sizeof(lit_t))};
  for (uint32_t k = 0; k < 2; k++) {
    side_t *s = &c->side[k];
    s->rtl = t->rtl;
    s->rtl.flaw = k ? *flaw : (flaw_t){0};
    s->state = fault_calloc(t->rtl.latches + 1, sizeof *s->state);
    memcpy(s->state, t->latches, t->rtl.latches * sizeof *s->state);
    clock_side(t, s, c->zero, AigFalse);
    s->out[0] = outputs(t, s, c->zero);
  }
}

static void finish(chase_t *c) {
  for (uint32_t k = 0; k < 2; k++) {
    free(c->side[k].state);
    for (uint32_t i = 0; i <= c->cycles; i++) {
      free(c->side[k].out[i]);
    }
  }
  for (uint32_t i = 0; i < c->cycles; i++) {
    free(c->in[i]);
  }
  free(c->zero);
}

static void advance(chase_t *c) {
  lit_t *in = c->in[c->cycles] = fault_calloc(c->t->in_bits + 1, sizeof *in);
  for (uint32_t i = 0; i < c->t->in_bits; i++) {
    in[i] = aig_variable(c->t->aig);
  }
  c->cycles++;
  for (uint32_t k = 0; k < 2; k++) {
    clock_side(c->t, &c->side[k], in, AigTrue);
    c->side[k].out[c->cycles] = outputs(c->t, &c->side[k], in);
  }
}

static lit_t differs(const chase_t *c) {
  lit_t any = AigFalse;
  for (uint32_t i = 0; i < c->t->out_bits; i++) {
    any = aig_or(c->t->aig, any,
                 aig_xor(c->t->aig, c->side[0].out[c->cycles][i], c->side[1].out[c->cycles][i]));
  }
  return any;
}

static void put_number(FILE *f, const uint8_t *value, const lit_t *bits, uint32_t count) {
  for (uint32_t n = (count + 3) / 4; n-- > 0;) {
    uint32_t digit = 0;
    for (uint32_t b = 0; b < 4 && 4 * n + b < count; b++) {
      digit |= (uint32_t)aig_value(value, bits[4 * n + b]) << b;
    }
    fputc("0123456789abcdef"[digit], f);
  }
}

static void write_run(const chase_t *c, const uint8_t *value, const char *head, const char *path) {
  const transition_t *t = c->t;
  FILE *f = fopen(path, "w");
  if (!f) {
    fault(FaultLacking, "%s: %s", path, strerror(errno));
  }
  fprintf(f, "%s\n", head);
  for (uint32_t i = 0; i <= c->cycles; i++) {
    fputc(i ? '0' : '1', f);
    put_number(f, value, c->side[0].out[i], t->out_bits);
    put_number(f, value, i ? c->in[i - 1] : c->zero, t->in_bits);
    fputc('\n', f);
  }
  if (fclose(f) != 0) {
    fault(FaultLacking, "%s: cannot be written", path);
  }
}

cnf_result_e chase(const proof_t *p, const flaw_t *flaw, uint32_t cycles, uint32_t conflicts,
                   const char *head, const char *path) {
  chase_t c;
  cnf_t *cnf = cnf_create(p->t->aig);
  uint8_t *value = NULL;
  start(&c, p, flaw);
  cnf_result_e said = twin_solve(p->t, cnf, differs(&c), conflicts, &value);
  while (said == CnfUnsatisfiable && c.cycles < ChaseCycles && c.cycles < cycles) {
    advance(&c);
    said = twin_solve(p->t, cnf, differs(&c), conflicts, &value);
  }
  if (said == CnfSatisfiable) {
    write_run(&c, value, head, path);
  }
  free(value);
  cnf_destroy(cnf);
  finish(&c);
  return said;
}

cnf_result_e chase_far(const proof_t *p, const flaw_t *flaw, uint32_t seconds, swarm_t *swarm,
                       uint64_t seed, const char *head, const char *path) {
  char *file = text_make("%s.aig", path);
  reel_t run;
  cnf_result_e said = CnfUnknown;
  if (export_flaw(p, flaw, file, seconds, &run)) {
    said = CnfUnsatisfiable;
  } else if (run.cycles) {
    run.path = strdup(path);
    swarm_record(swarm, &run, seed);
    if (!reel_write(&run, head)) {
      fault(FaultLacking, "%s: cannot be written", path);
    }
    said = CnfSatisfiable;
  }
  reel_free(&run);
  free(file);
  return said;
}
