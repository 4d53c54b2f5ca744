// SPDX-License-Identifier: Apache-2.0
#include "search.h"

#include <stdlib.h>
#include <string.h>

#include "explain.h"

enum { EventText = 128 };

void search_create(search_t *s, const proof_t *proof, const event_t *events, uint32_t count,
                   bool resets) {
  const transition_t *t = proof->t;
  const layout_t l = layout_of(t);
  *s = (search_t){.proof = proof, .events = events, .event_count = count, .has_resets = resets};
  s->cnf = cnf_create(t->aig);
  s->root_count = 2 * l.count + count;
  s->roots = fault_calloc(s->root_count, sizeof *s->roots);
  layout_roots(t, false, s->roots);
  layout_roots(t, true, s->roots + l.count);
  for (uint32_t i = 0; i < count; i++) {
    s->roots[2 * l.count + i] = events[i].when;
  }
  products_work_out(t->products, s->roots, s->root_count);
  s->golden = fault_calloc(t->state_count, sizeof *s->golden);
  for (uint32_t i = 0; i < t->state_count; i++) {
    s->golden[i] = t->created.memory.objects[t->state[i].object].bits[t->state[i].bit];
  }
  // The reset, from any registers and under any inputs.
  lit_t *in = fault_calloc(t->in_bits, sizeof *in);
  lit_t *unknown = fault_calloc(t->rtl.latches, sizeof *unknown);
  for (uint32_t i = 0; i < t->in_bits; i++) {
    in[i] = aig_variable(t->aig);
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    unknown[i] = aig_variable(t->aig);
  }
  s->latches = fault_calloc(t->rtl.latches, sizeof *s->latches);
  aiger_apply(&t->rtl, t->aig, t->products, AigFalse, in, unknown, NULL, s->latches);
  free(unknown);
  free(in);
}

void search_destroy(search_t *s) {
  for (uint32_t i = 0; i < s->count; i++) {
    free(s->cycles[i].in);
    free(s->cycles[i].expected);
    free(s->cycles[i].actual);
    free(s->cycles[i].events);
  }
  free(s->cycles);
  free(s->roots);
  free(s->golden);
  free(s->latches);
  cnf_destroy(s->cnf);
}

void search_begin(search_t *s, const uint8_t *state) {
  const transition_t *t = s->proof->t;
  for (uint32_t i = 0; i < t->state_count; i++) {
    s->golden[i] = state[i];
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    s->latches[i] = state[t->state_count + i];
  }
}

static lit_t *copy(const lit_t *from, uint32_t count) {
  lit_t *to = fault_calloc(count, sizeof *to);
  memcpy(to, from, count * sizeof *to);
  return to;
}

// Which variables stand for what in this cycle.
static void substitute(search_t *s, const cycle_t *c, lit_t *roots) {
  const transition_t *t = s->proof->t;
  const uint32_t count = t->in_bits + t->state_count + t->rtl.latches;
  lit_t *from = fault_calloc(count, sizeof *from), *to = fault_calloc(count, sizeof *to);
  memcpy(from, t->in, t->in_bits * sizeof *from);
  memcpy(to, c->in, t->in_bits * sizeof *to);
  for (uint32_t i = 0; i < t->state_count; i++) {
    from[t->in_bits + i] = t->state[i].variable;
    to[t->in_bits + i] = s->golden[i];
  }
  memcpy(from + t->in_bits + t->state_count, t->latches, t->rtl.latches * sizeof *from);
  memcpy(to + t->in_bits + t->state_count, s->latches, t->rtl.latches * sizeof *to);
  aig_substitute(t->aig, from, to, count, roots, s->root_count);
  free(from);
  free(to);
}

void search_cycle(search_t *s) {
  const transition_t *t = s->proof->t;
  const layout_t l = layout_of(t);
  s->cycles = fault_realloc(s->cycles, s->count + 1, sizeof *s->cycles);
  cycle_t *c = &s->cycles[s->count++];
  c->reset = s->has_resets ? aig_variable(t->aig) : (lit_t)AigFalse;
  c->in = fault_calloc(t->in_bits, sizeof *c->in);
  for (uint32_t i = 0; i < t->in_bits; i++) {
    c->in[i] = aig_variable(t->aig);
  }
  lit_t *roots = copy(s->roots, s->root_count);
  substitute(s, c, roots);
  for (uint32_t i = 0; i < l.count; i++) {
    roots[i] = aig_mux(t->aig, c->reset, roots[l.count + i], roots[i]);
  }
  memcpy(s->golden, roots + l.golden, t->state_count * sizeof *roots);
  memcpy(s->latches, roots + l.latches, t->rtl.latches * sizeof *roots);
  c->expected = copy(roots + l.expected, t->out_bits);
  c->actual = copy(roots + l.actual, t->out_bits);
  cnf_require(s->cnf, roots[l.legal]);
  c->events = copy(roots + 2 * l.count, s->event_count);
  free(roots);
}

cnf_result_e search_ask(search_t *s, uint32_t event, uint32_t conflicts, uint8_t **value) {
  const cycle_t *c = &s->cycles[s->count - 1];
  aig_t *aig = s->proof->t->aig;
  const cnf_result_e result =
      cnf_solve(s->cnf, aig_and(aig, c->events[event], aig_not(c->reset)), conflicts);
  if (result == CnfSatisfiable) {
    *value = fault_calloc(aig_count(aig), 1);
    cnf_values(s->cnf, *value);
    aig_evaluate(aig, *value);
  }
  return result;
}

// ---- Events ----

static char *event_text(const transition_t *t, const char *format, const char *name) {
  char *text = arena_take(bitcode_arena(t->program), EventText, 1);
  snprintf(text, EventText, format, name);
  return text;
}

lit_t search_differs(const proof_t *p) {
  transition_t *t = p->t;
  const layout_t l = layout_of(t);
  lit_t *roots = fault_calloc(l.count, sizeof *roots), differs = AigFalse;
  layout_roots(t, false, roots);
  for (uint32_t i = 0; i < t->out_bits; i++) {
    differs = aig_or(t->aig, differs, aig_xor(t->aig, roots[l.expected + i], roots[l.actual + i]));
  }
  free(roots);
  return differs;
}

static const char *instance_text(const transition_t *t, const char *kind, const obligation_t *o) {
  const size_t size = strlen(kind) + strlen(o->what) + strlen(o->instance) + 1;
  char *text = arena_take(bitcode_arena(t->program), size, 1);
  snprintf(text, size, "%s%s%s", kind, o->what, o->instance);
  return text;
}

uint32_t search_breaks(const proof_t *p, event_t **breaks) {
  const transition_t *t = p->t;
  const moment_t *after = &t->stepped;
  const uint32_t most = t->rtl.latches + p->invariant_count + after->obligation_count;
  event_t *list = fault_calloc(most, sizeof *list);
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    const lit_t differs = aig_xor(t->aig, p->latches[i], t->latches[i]);
    if (differs != AigFalse) {
      list[count++] = (event_t){event_text(t, "register %s", t->rtl.latch_name[i]), differs};
    }
  }
  for (uint32_t i = 0; i < p->invariant_count; i++) {
    const obligation_t *o = &p->invariants[i];
    list[count++] = (event_t){instance_text(t, "invariant: ", o), o->broken};
  }
  for (uint32_t i = 0; i < after->obligation_count; i++) {
    const obligation_t *o = &after->obligations[i];
    list[count++] = (event_t){instance_text(t, "broken: ", o), o->broken};
  }
  *breaks = list;
  return count;
}

lit_t search_strays(const proof_t *p) {
  event_t *breaks;
  const uint32_t count = search_breaks(p, &breaks);
  lit_t strays = AigFalse;
  for (uint32_t i = 0; i < count; i++) {
    strays = aig_or(p->t->aig, strays, breaks[i].when);
  }
  free(breaks);
  return strays;
}

// The bits of a field of a packed struct.
static const lit_t *field_bits(const transition_t *t, const unit_field_t *fields, const char *name,
                               const lit_t *packed, uint32_t *bits) {
  for (const unit_field_t *f = fields; f->name; f++) {
    *bits = unit_dim(t->dims, f->bits) * unit_dim(t->dims, f->elements);
    if (name && strcmp(f->name, name) == 0) {
      return packed;
    }
    packed += *bits;
  }
  return NULL;
}

// A stream fires where valid and ready have a common bit.
static lit_t fires(const transition_t *t, const unit_stream_t *stream, const lit_t *out) {
  uint32_t valid_bits = 0, ready_bits = 0;
  const unit_field_t *in_fields = t->info->in, *out_fields = t->info->out;
  const lit_t *valid = field_bits(t, stream->is_output ? out_fields : in_fields, stream->valid,
                                  stream->is_output ? out : t->in, &valid_bits);
  const lit_t *ready = field_bits(t, stream->is_output ? in_fields : out_fields, stream->ready,
                                  stream->is_output ? t->in : out, &ready_bits);
  lit_t any = AigFalse;
  for (uint32_t i = 0; valid && i < valid_bits; i++) {
    const lit_t taken = ready && i < ready_bits ? ready[i] : (lit_t)AigTrue;
    any = aig_or(t->aig, any, aig_and(t->aig, valid[i], taken));
  }
  return any;
}

// A situation happens where one of its instances does.
static void add_situation(aig_t *aig, event_t *list, uint32_t *count, const obligation_t *one) {
  for (uint32_t i = 0; i < *count; i++) {
    if (strcmp(list[i].what, one->what) == 0) {
      list[i].when = aig_or(aig, list[i].when, one->broken);
      return;
    }
  }
  list[(*count)++] = (event_t){one->what, one->broken};
}

uint32_t search_covers(const proof_t *p, event_t **events) {
  const transition_t *t = p->t;
  uint32_t count = 0, bits = 0;
  lit_t *out = fault_calloc(t->out_bits, sizeof *out);
  event_t *list = NULL;
  aiger_apply(&t->rtl, t->aig, t->products, AigTrue, t->in, t->latches, out, NULL);
  for (const unit_stream_t *s = t->info->streams; s->name; s++) {
    list = fault_realloc(list, count + 1, sizeof *list);
    list[count++] = (event_t){event_text(t, "stream %s", s->name), fires(t, s, out)};
  }
  for (const unit_field_t *f = t->info->out; f->name; f++) {
    if (f->role != UnitRoleError || !f->values) {
      continue;
    }
    const lit_t *code = field_bits(t, t->info->out, f->name, t->stepped.out, &bits);
    for (uint32_t v = 1; f->values[v]; v++) {
      list = fault_realloc(list, count + 1, sizeof *list);
      lit_t is = AigTrue;
      for (uint32_t b = 0; b < bits; b++) {
        is = aig_and(t->aig, is, code[b] ^ (lit_t) !(v >> b & 1));
      }
      list[count++] = (event_t){event_text(t, "error %s", f->values[v]), is};
    }
  }
  free(out);
  if (transition_run(p->t, &t->stepped.memory, "prove_cover")) {
    uint32_t noted;
    const obligation_t *situation = bitcode_obligations(t->program, &noted);
    list = fault_realloc(list, count + noted + 1, sizeof *list);
    for (uint32_t i = 0; i < noted; i++) {
      if (situation[i].kind == ObligationCheck) {
        add_situation(p->t->aig, list, &count, &situation[i]);
      }
    }
  }
  *events = list;
  return count;
}

// ---- What a run was ----

// As tb/harness/vectors.h says: nibbles, the highest first.
static void put_number(FILE *f, const lit_t *bits, uint32_t count, const uint8_t *value,
                       bool none) {
  for (uint32_t n = (count + 3) / 4; n-- > 0;) {
    uint32_t digit = 0;
    for (uint32_t b = 0; b < 4 && 4 * n + b < count && !none; b++) {
      digit |= (uint32_t)aig_value(value, bits[4 * n + b]) << b;
    }
    fputc("0123456789abcdef"[digit], f);
  }
}

bool search_write(const search_t *s, const uint8_t *value, const char *params, const char *path) {
  const transition_t *t = s->proof->t;
  FILE *f = fopen(path, params ? "w" : "a");
  if (!f) {
    return false;
  }
  if (params) {
    fprintf(f, "%s %u %u %s\n", t->info->name, t->in_bits, t->out_bits, params);
  }
  for (uint32_t i = 0; i < s->count; i++) {
    const cycle_t *c = &s->cycles[i];
    const bool is_reset = aig_value(value, c->reset);
    fputc(is_reset ? '1' : '0', f);
    put_number(f, c->expected, t->out_bits, value, false);
    put_number(f, c->in, t->in_bits, value, is_reset);
    fputc('\n', f);
  }
  const bool ok = !ferror(f);
  return fclose(f) == 0 && ok;
}

void search_report(FILE *f, const search_t *s, const uint8_t *value) {
  const transition_t *t = s->proof->t;
  const cycle_t *last = &s->cycles[s->count - 1];
  for (uint32_t i = s->count > CyclesShown ? s->count - CyclesShown : 0; i < s->count; i++) {
    fprintf(f, "  cycle %u:", i);
    if (aig_value(value, s->cycles[i].reset)) {
      fprintf(f, " reset\n");
    } else {
      explain_inputs(f, t, s->cycles[i].in, value);
    }
  }
  for (uint32_t i = 0; i < t->out_bits; i++) {
    char signal[160];
    const bool expected = aig_value(value, last->expected[i]);
    const bool actual = aig_value(value, last->actual[i]);
    if (expected != actual) {
      explain_signal(t, i, signal, sizeof signal);
      fprintf(f, "  signal %s: expected %d, actual %d\n", signal, expected, actual);
    }
  }
}
