// SPDX-License-Identifier: Apache-2.0
#include "export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abc.h"
#include "crowd.h"
#include "csim/base/text.h"
#include "explain.h"
#include "search.h"

enum { NameSize = 320 };

// An input, a register with its next value, or an output with what it is.
typedef struct {
  char *name;
  lit_t variable, value;
} named_t;

typedef struct {
  named_t *list;
  uint32_t count, room;
} names_t;

typedef struct {
  const proof_t *proof;
  aig_t *aig;
  names_t inputs, latches, outputs;
} file_t;

static void add(names_t *n, lit_t variable, lit_t value, const char *format, const char *text,
                uint32_t number) {
  char name[NameSize];
  if (n->count == n->room) {
    n->room = n->room ? n->room * 2 : 256;
    n->list = fault_realloc(n->list, n->room, sizeof *n->list);
  }
  snprintf(name, sizeof name, format, text, number);
  named_t *one = &n->list[n->count++];
  *one = (named_t){fault_calloc(strlen(name) + 1, 1), variable, value};
  strcpy(one->name, name);
}

static void free_names(names_t *n) {
  for (uint32_t i = 0; i < n->count; i++) {
    free(n->list[i].name);
  }
  free(n->list);
}

// ---- The file ----

static void put_delta(FILE *f, uint32_t delta) {
  for (; delta > 0x7f; delta >>= 7) {
    fputc((int)(delta & 0x7f) | 0x80, f);
  }
  fputc((int)delta, f);
}

// Variables that have no name may have any value: what nothing writes before it is read.
static void add_free(file_t *x, const uint8_t *needed) {
  const names_t *named[2] = {&x->inputs, &x->latches};
  uint8_t *has_name = fault_calloc(aig_count(x->aig), 1);
  for (uint32_t k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < named[k]->count; i++) {
      has_name[named[k]->list[i].variable / 2] = 1;
    }
  }
  for (uint32_t i = 1; i < aig_count(x->aig); i++) {
    if (needed[i] && !has_name[i] && aig_is_variable(x->aig, i)) {
      add(&x->inputs, 2 * i, 0, "free%s[%u]", "", i);
    }
  }
  free(has_name);
}

// Numbers the nodes as AIGER has them: inputs, registers, conjunctions; returns how many of these.
static uint32_t number_nodes(file_t *x, uint32_t *number) {
  const uint32_t nodes = aig_count(x->aig);
  uint8_t *needed = fault_calloc(nodes, 1);
  const names_t *roots[2] = {&x->latches, &x->outputs};
  uint32_t next = 1, conjunctions = 0;
  for (uint32_t k = 0; k < 2; k++) {
    for (uint32_t i = 0; i < roots[k]->count; i++) {
      needed[roots[k]->list[i].value / 2] = 1;
    }
  }
  for (uint32_t i = nodes; i-- > 1;) {
    lit_t a, b;
    if (needed[i] && !aig_is_variable(x->aig, i)) {
      aig_operands(x->aig, i, &a, &b);
      needed[a / 2] = needed[b / 2] = 1;
    }
  }
  add_free(x, needed);
  for (uint32_t i = 0; i < x->inputs.count; i++) {
    number[x->inputs.list[i].variable / 2] = next++;
  }
  for (uint32_t i = 0; i < x->latches.count; i++) {
    number[x->latches.list[i].variable / 2] = next++;
  }
  for (uint32_t i = 1; i < nodes; i++) {
    if (needed[i] && !aig_is_variable(x->aig, i)) {
      number[i] = next++;
      conjunctions++;
    }
  }
  free(needed);
  return conjunctions;
}

static uint32_t literal(const uint32_t *number, lit_t l) { return 2 * number[l / 2] + (l & 1); }

static void put_conjunctions(const file_t *x, const uint32_t *number, FILE *f) {
  for (uint32_t i = 1; i < aig_count(x->aig); i++) {
    if (number[i] && !aig_is_variable(x->aig, i)) {
      lit_t a, b;
      aig_operands(x->aig, i, &a, &b);
      const uint32_t p = literal(number, a), q = literal(number, b), high = p > q ? p : q;
      put_delta(f, 2 * number[i] - high);
      put_delta(f, high - (p > q ? q : p));
    }
  }
}

static void put_names(const names_t *n, char kind, FILE *f) {
  for (uint32_t i = 0; i < n->count; i++) {
    fprintf(f, "%c%u %s\n", kind, i, n->list[i].name);
  }
}

static void write_file(file_t *x, const char *path) {
  uint32_t *number = fault_calloc(aig_count(x->aig), sizeof *number);
  const uint32_t ands = number_nodes(x, number);
  const uint32_t others = x->inputs.count + x->latches.count;
  FILE *f = fopen(path, "wb");
  if (!f) {
    fault(FaultLacking, "%s: %s", path, strerror(errno));
  }
  fprintf(f, "aig %u %u %u %u %u\n", others + ands, x->inputs.count, x->latches.count,
          x->outputs.count, ands);
  for (uint32_t i = 0; i < x->latches.count; i++) {
    fprintf(f, "%u\n", literal(number, x->latches.list[i].value));
  }
  for (uint32_t i = 0; i < x->outputs.count; i++) {
    fprintf(f, "%u\n", literal(number, x->outputs.list[i].value));
  }
  put_conjunctions(x, number, f);
  put_names(&x->inputs, 'i', f);
  put_names(&x->latches, 'l', f);
  put_names(&x->outputs, 'o', f);
  free(number);
  const bool ok = !ferror(f);
  if (fclose(f) != 0 || !ok) {
    fault(FaultLacking, "%s: cannot be written", path);
  }
}

// ---- A part of the proof ----

// All products multiply: what a file says, it says by itself.
static void work_out(file_t *x, names_t *n) {
  lit_t *roots = fault_calloc(n->count, sizeof *roots);
  for (uint32_t i = 0; i < n->count; i++) {
    roots[i] = n->list[i].value;
  }
  products_work_out(x->proof->t->products, roots, n->count);
  for (uint32_t i = 0; i < n->count; i++) {
    n->list[i].value = roots[i];
  }
  free(roots);
}

static void add_part(file_t *x, proof_part_e part) {
  const proof_t *p = x->proof;
  const duties_t *d = &p->duties[part];
  const lit_t given = proof_given(p, part);
  for (uint32_t i = 0; i < d->count; i++) {
    char text[NameSize];
    explain_duty(p->t, &d->list[i], text, sizeof text);
    add(&x->outputs, 0, aig_and(x->aig, given, d->list[i].broken), "%s", text, 0);
  }
  work_out(x, &x->outputs);
}

static void add_variables(file_t *x) {
  const transition_t *t = x->proof->t;
  for (uint32_t i = 0; i < t->in_bits; i++) {
    add(&x->inputs, t->in[i], 0, "in_i%s[%u]", "", i);
  }
  for (uint32_t i = 0; i < t->state_count; i++) {
    add(&x->inputs, t->state[i].variable, 0, "golden %s[%u]",
        t->created.memory.objects[t->state[i].object].name, t->state[i].bit);
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    add(&x->inputs, t->latches[i], 0, "%s", t->rtl.latch_name[i], 0);
  }
}

// ---- The machine from reset ----

// Duties that break in a cycle, over the variables of the transition system.
static void add_breaks(file_t *x, const lit_t *clock, const lit_t *reset, lit_t is_reset) {
  const proof_t *p = x->proof;
  const transition_t *t = p->t;
  const layout_t l = layout_of(t);
  char text[NameSize];
  for (uint32_t i = 0; i < t->out_bits; i++) {
    const lit_t after = aig_xor(x->aig, clock[l.expected + i], clock[l.actual + i]);
    const lit_t at_reset = aig_xor(x->aig, reset[l.expected + i], reset[l.actual + i]);
    explain_signal(t, i, text, sizeof text);
    add(&x->outputs, 0, aig_mux(x->aig, is_reset, at_reset, after), "signal %s", text, 0);
  }
  event_t *breaks;
  const uint32_t count = search_breaks(p, &breaks);
  for (uint32_t i = 0; i < count; i++) {
    const lit_t broken = aig_and(x->aig, breaks[i].when, aig_not(is_reset));
    add(&x->outputs, 0, broken, "%s", breaks[i].what, 0);
  }
  free(breaks);
}

// A register of the file; `value`: what it is, for now, with `first` before there is a clock. All
// registers of a file begin as 0.
static void add_latch(file_t *x, lit_t has_started, lit_t first, const char *format,
                      const char *text, uint32_t number) {
  const lit_t is = aig_variable(x->aig);
  add(&x->latches, is, aig_mux(x->aig, has_started, is, first), format, text, number);
}

static void add_golden(file_t *x, lit_t has_started) {
  const transition_t *t = x->proof->t;
  for (uint32_t i = 0; i < t->state_count; i++) {
    const state_bit_t *s = &t->state[i];
    const object_t *o = &t->created.memory.objects[s->object];
    add_latch(x, has_started, o->bits[s->bit], "golden %s[%u]", o->name, s->bit);
  }
}

// Before the first cycle there was a reset, from any registers and under any inputs: what it leaves
// in the RTL's registers. flawed: NULL, or the same of this graph.
static lit_t *add_first_reset(file_t *x, const aiger_t *flawed, lit_t *flawed_first) {
  const transition_t *t = x->proof->t;
  lit_t *in = fault_calloc(t->in_bits, sizeof *in);
  lit_t *unknown = fault_calloc(t->rtl.latches, sizeof *unknown);
  lit_t *first = fault_calloc(t->rtl.latches, sizeof *first);
  for (uint32_t i = 0; i < t->in_bits; i++) {
    in[i] = aig_variable(x->aig);
    add(&x->inputs, in[i], 0, "in_i in the first reset%s[%u]", "", i);
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    unknown[i] = aig_variable(x->aig);
    add(&x->inputs, unknown[i], 0, "%s before reset", t->rtl.latch_name[i], 0);
  }
  aiger_apply(&t->rtl, x->aig, t->products, AigFalse, in, unknown, NULL, first);
  if (flawed) {
    aiger_apply(flawed, x->aig, t->products, AigFalse, in, unknown, NULL, flawed_first);
  }
  free(in);
  free(unknown);
  return first;
}

// Ends a machine: `from` are the transition system's variables that its registers stand for, `next`
// what they are after a cycle. Outputs count as long as what is assumed has held.
static void close_machine(file_t *x, const lit_t *from, const lit_t *next, lit_t legal,
                          lit_t has_started) {
  const uint32_t states = x->latches.count, outs = x->outputs.count;
  const lit_t was_illegal = aig_variable(x->aig);
  lit_t *roots = fault_calloc(outs + 1 + states, sizeof *roots);
  lit_t *to = fault_calloc(states, sizeof *to);
  for (uint32_t i = 0; i < outs; i++) {
    roots[i] = aig_and(x->aig, x->outputs.list[i].value, aig_not(was_illegal));
  }
  roots[outs] = aig_or(x->aig, was_illegal, aig_not(legal));
  memcpy(roots + outs + 1, next, states * sizeof *roots);
  products_work_out(x->proof->t->products, roots, outs + 1 + states);
  for (uint32_t i = 0; i < states; i++) {
    to[i] = x->latches.list[i].value;
  }
  aig_substitute(x->aig, from, to, states, roots, outs + 1 + states);
  for (uint32_t i = 0; i < outs; i++) {
    x->outputs.list[i].value = roots[i];
  }
  for (uint32_t i = 0; i < states; i++) {
    x->latches.list[i].value = roots[outs + 1 + i];
  }
  add(&x->latches, has_started, AigTrue, "the first reset is over%s", "", 0);
  add(&x->latches, was_illegal, roots[outs], "inputs were illegal%s", "", 0);
  free(roots);
  free(to);
}

static lit_t add_inputs(file_t *x) {
  const transition_t *t = x->proof->t;
  const lit_t reset_i = aig_variable(x->aig);
  for (uint32_t i = 0; i < t->in_bits; i++) {
    add(&x->inputs, t->in[i], 0, "in_i%s[%u]", "", i);
  }
  add(&x->inputs, reset_i, 0, "reset_i%s", "", 0);
  return reset_i;
}

static void add_machine(file_t *x) {
  const transition_t *t = x->proof->t;
  const layout_t l = layout_of(t);
  const uint32_t states = t->state_count + t->rtl.latches;
  const lit_t reset_i = add_inputs(x), has_started = aig_variable(x->aig);
  lit_t *clock = fault_calloc(l.count, sizeof *clock),
        *reset = fault_calloc(l.count, sizeof *reset), *from = fault_calloc(states, sizeof *from);
  layout_roots(t, false, clock);
  layout_roots(t, true, reset);
  lit_t *first = add_first_reset(x, NULL, NULL);
  add_golden(x, has_started);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    add_latch(x, has_started, first[i], "%s", t->rtl.latch_name[i], 0);
  }
  add_breaks(x, clock, reset, reset_i);
  const lit_t legal = aig_mux(x->aig, reset_i, reset[l.legal], clock[l.legal]);
  for (uint32_t i = 0; i < x->outputs.count; i++) {
    x->outputs.list[i].value = aig_and(x->aig, x->outputs.list[i].value, legal);
  }
  for (uint32_t i = 0; i < states; i++) {
    from[i] = i < t->state_count ? t->state[i].variable : t->latches[i - t->state_count];
    clock[i] = aig_mux(x->aig, reset_i, reset[i], clock[i]);
  }
  close_machine(x, from, clock, legal, has_started);
  free(clock);
  free(reset);
  free(first);
  free(from);
}

// ---- The unit beside itself with a flaw ----

typedef struct {
  lit_t *out, *clock, *reset;  // registers after a clock, after a reset; outputs then
} side_t;

// Outputs are compared as in lockstep: after the edge, under the inputs that the clock had, or none
// after a reset.
static side_t apply_side(file_t *x, const aiger_t *rtl, const lit_t *now, lit_t reset_i) {
  const transition_t *t = x->proof->t;
  const side_t s = {fault_calloc(t->out_bits + 1, sizeof(lit_t)),
                    fault_calloc(t->rtl.latches + 1, sizeof(lit_t)),
                    fault_calloc(t->rtl.latches + 1, sizeof(lit_t))};
  lit_t *in = fault_calloc(t->in_bits + 1, sizeof *in);
  lit_t *after = fault_calloc(t->rtl.latches + 1, sizeof *after);
  aiger_apply(rtl, x->aig, t->products, AigTrue, t->in, now, NULL, s.clock);
  aiger_apply(rtl, x->aig, t->products, AigFalse, t->in, now, NULL, s.reset);
  for (uint32_t i = 0; i < t->in_bits; i++) {
    in[i] = aig_and(x->aig, t->in[i], aig_not(reset_i));
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    after[i] = aig_mux(x->aig, reset_i, s.reset[i], s.clock[i]);
  }
  aiger_apply(rtl, x->aig, t->products, AigTrue, in, after, s.out, NULL);
  free(in);
  free(after);
  return s;
}

static void free_side(const side_t *s) {
  free(s->out);
  free(s->clock);
  free(s->reset);
}

// Registers of the file: the unit's that are not related, then how the flawed one's differ.
static void add_registers(file_t *x, const aiger_t *flawed, lit_t has_started) {
  const proof_t *p = x->proof;
  const transition_t *t = p->t;
  lit_t *other = fault_calloc(t->rtl.latches + 1, sizeof *other);
  lit_t *first = add_first_reset(x, flawed, other);
  add_golden(x, has_started);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    if (p->latches[i] == t->latches[i]) {
      add_latch(x, has_started, first[i], "%s", t->rtl.latch_name[i], 0);
    }
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    add_latch(x, has_started, aig_xor(x->aig, first[i], other[i]), "%s differs",
              t->rtl.latch_name[i], 0);
  }
  free(first);
  free(other);
}

// In related states: the golden model's state and the registers that are not related stand for the
// unit, the invariant is assumed. Of the flawed one a register of the file is how it differs.
static void add_pair(file_t *x, const flaw_t *flaw) {
  const proof_t *p = x->proof;
  const transition_t *t = p->t;
  const uint32_t n = t->rtl.latches, golden = t->state_count;
  const lit_t reset_i = add_inputs(x), has_started = aig_variable(x->aig);
  aiger_t flawed = t->rtl;
  lit_t *from = fault_calloc(golden + 2 * n, sizeof *from);
  lit_t *next = fault_calloc(golden + 2 * n, sizeof *next);
  lit_t *is = fault_calloc(n + 1, sizeof *is), *now = fault_calloc(n + 1, sizeof *now);
  lit_t differs = AigFalse;
  uint32_t count = golden;
  crowd_t crowd;
  crowd_create(&crowd, &t->rtl, x->aig, flaw, 1);
  flawed.crowd = &crowd;
  add_registers(x, &flawed, has_started);
  for (uint32_t i = 0; i < n; i++) {
    is[i] = aig_variable(x->aig);
    now[i] = aig_xor(x->aig, is[i], p->latches[i]);
  }
  const side_t unit = apply_side(x, &t->rtl, p->latches, reset_i);
  const side_t other = apply_side(x, &flawed, now, reset_i);
  for (uint32_t i = 0; i < golden; i++) {
    const state_bit_t *s = &t->state[i];
    from[i] = s->variable;
    next[i] = aig_mux(x->aig, reset_i, t->reset.memory.objects[s->object].bits[s->bit],
                      t->stepped.memory.objects[s->object].bits[s->bit]);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (p->latches[i] == t->latches[i]) {
      from[count] = t->latches[i];
      next[count++] = aig_mux(x->aig, reset_i, unit.reset[i], unit.clock[i]);
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    from[count] = is[i];
    next[count++] = aig_mux(x->aig, reset_i, aig_xor(x->aig, unit.reset[i], other.reset[i]),
                            aig_xor(x->aig, unit.clock[i], other.clock[i]));
  }
  for (uint32_t i = 0; i < t->out_bits; i++) {
    differs = aig_or(x->aig, differs, aig_xor(x->aig, unit.out[i], other.out[i]));
  }
  const lit_t legal =
      aig_and(x->aig, p->assumed, aig_mux(x->aig, reset_i, t->reset.legal, t->stepped.legal));
  add(&x->outputs, 0, aig_and(x->aig, differs, legal), "outputs differ%s", "", 0);
  close_machine(x, from, next, legal, has_started);
  crowd_destroy(&crowd);
  free_side(&unit);
  free_side(&other);
  free(is);
  free(now);
  free(from);
  free(next);
}

// ---- What another program found ----

static void free_file(file_t *x) {
  free_names(&x->inputs);
  free_names(&x->latches);
  free_names(&x->outputs);
}

// Returns true if a register's place in a line says so: 0, 1, or - for either.
static lit_t cube(const file_t *x, const char *line, bool after) {
  lit_t all = AigTrue;
  for (uint32_t i = 0; i < x->latches.count; i++) {
    const lit_t l = after ? x->latches.list[i].value : x->latches.list[i].variable;
    all = line[i] == '-' ? all : aig_and(x->aig, all, line[i] == '1' ? l : aig_not(l));
  }
  return all;
}

// Asks that lines do not hold: not at the start, where all registers are 0; nor after a cycle,
// where they do not hold before it; and that then no output is 1.
static bool is_invariant(const file_t *x, char *const *lines, uint32_t count) {
  cnf_t *cnf = cnf_create_confirmed(x->aig);
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    ok &= strchr(lines[i], '1') != NULL;
    cnf_require(cnf, aig_not(cube(x, lines[i], false)));
  }
  for (uint32_t i = 0; i < count && ok; i++) {
    ok = cnf_solve(cnf, cube(x, lines[i], true), 0) == CnfUnsatisfiable;
  }
  for (uint32_t i = 0; i < x->outputs.count && ok; i++) {
    ok = cnf_solve(cnf, x->outputs.list[i].value, 0) == CnfUnsatisfiable;
  }
  cnf_destroy(cnf);
  return ok;
}

// Returns whether the lines of the file are an invariant, and how many there are.
static bool confirm(const file_t *x, const char *path, uint32_t *found) {
  char *line = NULL, **lines = NULL;
  size_t room = 0;
  uint32_t count = 0;
  FILE *f = fopen(path, "r");
  if (!f) {
    fault(FaultLacking, "%s: %s", path, strerror(errno));
  }
  while (getline(&line, &room, f) > 0) {
    if (strspn(line, "01-") == x->latches.count && line[x->latches.count] == ' ') {
      lines = fault_realloc(lines, count + 1, sizeof *lines);
      lines[count++] = line;
      line = NULL;
      room = 0;
    }
  }
  fclose(f);
  const bool ok = is_invariant(x, lines, count);
  *found = count;
  for (uint32_t i = 0; i < count; i++) {
    free(lines[i]);
  }
  free(lines);
  free(line);
  return ok;
}

bool export_confirm(const proof_t *proof, const char *path) {
  file_t x = {.proof = proof, .aig = proof->t->aig};
  uint32_t count;
  add_machine(&x);
  const bool ok = confirm(&x, path, &count);
  printf("  from reset: %s, invariant of %u clauses, %u outputs and checks\n",
         ok ? "proved" : "the invariant does not hold", count, x.outputs.count);
  free_file(&x);
  return ok;
}

bool export_flaw(const proof_t *proof, const flaw_t *flaw, const char *path, uint32_t seconds,
                 reel_t *run) {
  file_t x = {.proof = proof, .aig = proof->t->aig};
  char *clauses = text_make("%s.pla", path), *inputs = text_make("%s.cex", path);
  char *whole = text_make("pdr -T %u -d -e -I %s; write_cex %s", seconds, clauses, inputs);
  char *less = text_make("scorr; dc2; scorr -F 2; pdr -T %u; write_cex %s", seconds, inputs);
  uint32_t count, frames;
  add_pair(&x, flaw);
  write_file(&x, path);
  const bool found = abc_ask(path, whole, 2 * seconds, &frames) && confirm(&x, clauses, &count);
  if (!found && !frames) {
    abc_ask(path, less, 2 * seconds, &frames);
  }
  reel_create(run, frames ? frames + 1 : 0, proof->t->in_bits, proof->t->out_bits);
  if (frames && !abc_take_run(inputs, x.inputs.count, run)) {
    run->cycles = 0;  // abc was ended before it wrote all of it
  }
  remove(clauses);
  remove(inputs);
  remove(path);
  free(clauses);
  free(inputs);
  free(whole);
  free(less);
  free_file(&x);
  return found;
}

bool export_write(const proof_t *proof, const char *part, const char *path) {
  file_t x = {.proof = proof, .aig = proof->t->aig};
  uint32_t number = 0;
  while (number < ProofParts && strcmp(part, ProofNames[number]) != 0) {
    number++;
  }
  if (number < ProofParts) {
    add_part(&x, (proof_part_e)number);
    add_variables(&x);
  } else if (strcmp(part, "reachable") == 0) {
    add_machine(&x);
  } else {
    return false;
  }
  write_file(&x, path);
  free_file(&x);
  return true;
}
