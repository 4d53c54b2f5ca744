// SPDX-License-Identifier: Apache-2.0
#include "chase.h"

#include <stdlib.h>
#include <string.h>

#include "crowd.h"
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
  crowd_t crowd;   // of the flaw
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
  crowd_create(&c->crowd, &t->rtl, t->aig, flaw, 1);
  for (uint32_t k = 0; k < 2; k++) {
    side_t *s = &c->side[k];
    s->rtl = t->rtl;
    s->rtl.crowd = k ? &c->crowd : NULL;
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
  crowd_destroy(&c->crowd);
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

// Asks if outputs differ in this cycle; where open products let it, the solver is asked again with
// these worked out.
static cnf_result_e ask(const chase_t *c, cnf_t *cnf, uint32_t conflicts, uint8_t **value) {
  const lit_t question = differs(c);
  cnf_result_e said = twin_solve(c->t, cnf, question, conflicts, value);
  if (said == CnfSatisfiable) {
    lit_t real = question;
    products_work_out(c->t->products, &real, 1);
    if (real != question) {
      free(*value);
      said = twin_solve(c->t, cnf, real, conflicts, value);
    }
  }
  return said;
}

static void write_run(reel_t *run, swarm_t *swarm, uint64_t seed, const char *head,
                      const char *path) {
  run->path = strdup(path);
  swarm_record(swarm, run, seed);
  if (!reel_write(run, head)) {
    fault(FaultLacking, "%s: cannot be written", path);
  }
}

static void take_run(const chase_t *c, const uint8_t *value, reel_t *run) {
  reel_create(run, c->cycles + 1, c->t->in_bits, c->t->out_bits);
  run->reset[0] = true;
  for (uint32_t i = 0; i < c->cycles; i++) {
    for (uint32_t b = 0; b < c->t->in_bits; b++) {
      run->in[(size_t)(i + 1) * c->t->in_bits + b] = aig_value(value, c->in[i][b]);
    }
  }
}

cnf_result_e chase(const proof_t *p, const flaw_t *flaw, uint32_t cycles, uint32_t conflicts,
                   swarm_t *swarm, uint64_t seed, const char *head, const char *path) {
  chase_t c;
  cnf_t *cnf = cnf_create(p->t->aig);
  uint8_t *value = NULL;
  start(&c, p, flaw);
  cnf_result_e said = ask(&c, cnf, conflicts, &value);
  while (said == CnfUnsatisfiable && c.cycles < ChaseCycles && c.cycles < cycles) {
    advance(&c);
    said = ask(&c, cnf, conflicts, &value);
  }
  if (said == CnfSatisfiable) {
    reel_t run;
    take_run(&c, value, &run);
    write_run(&run, swarm, seed, head, path);
    reel_free(&run);
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
    write_run(&run, swarm, seed, head, path);
    said = CnfSatisfiable;
  }
  reel_free(&run);
  free(file);
  return said;
}
