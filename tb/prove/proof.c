// SPDX-License-Identifier: Apache-2.0
#include "proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wrapper.h"

const char *const ProofNames[ProofParts] = {"apart", "base", "reset", "outputs", "step"};

enum { EntrySize = sizeof(prove_register_t) };
_Static_assert(sizeof(prove_register_t) == 32, "the layout that clang gives Registers");

// ---- The table of registers, from the wrapper's memory ----

static const char *string_at(const transition_t *t, const value_t *pointer) {
  const object_t *o = &bitcode_memory(t->program)->objects[pointer->targets->object];
  char *text = arena_take(bitcode_arena(t->program), o->size + 1, 1);
  for (uint64_t i = 0; i < o->size; i++) {
    text[i] = (char)bits_number(o->bits + i * 8, 8);
  }
  text[o->size] = '\0';
  return text;
}

static void read_registers(proof_t *p) {
  transition_t *t = p->t;
  const uint32_t number = bitcode_object(t->program, "Registers");
  p->finds = number == ObjectNull || bitcode_object(t->program, "FindRelation") != ObjectNull;
  if (number == ObjectNull) {
    return;
  }
  memory_restore(bitcode_memory(t->program), &t->created.memory);
  const object_t *table = &bitcode_memory(t->program)->objects[number];
  p->register_count = table->pointer_count;
  p->registers = fault_calloc(p->register_count, sizeof *p->registers);
  for (uint32_t i = 0; i < p->register_count; i++) {
    const stored_pointer_t *name = &table->pointers[i];
    uint64_t n[5];
    for (uint32_t k = 0; k < 5; k++) {
      n[k] = bits_number(table->bits + ((uint64_t)name->offset + 8 + 4 * k) * 8, 32);
    }
    reg_t *r = &p->registers[i];
    *r = (reg_t){string_at(t, &name->value),
                 (uint32_t)n[0],
                 (uint32_t)n[3],
                 (uint32_t)n[4],
                 n[1],
                 n[2],
                 NULL};
    if (r->bits > r->size * 8 || name->offset % EntrySize) {
      fault(FaultUsage, "Registers: %s: more bits than its member has", r->name);
    }
    r->before = fault_calloc((size_t)r->bits * r->elements, sizeof *r->before);
  }
}

static int64_t latch_of(const proof_t *p, const reg_t *r, uint32_t element, uint32_t bit) {
  return r->side == ProveShown
             ? -1
             : aiger_latch(&p->t->rtl, r->name, element, r->bits, r->elements, bit);
}

// The literals of a register's member in its struct, bit by bit.
static lit_t *member(const proof_t *p, const reg_t *r, uint32_t element, uint32_t bit) {
  const char *name = r->side == ProveRtl ? "Rtl" : "Related";
  const uint32_t number = bitcode_object(p->t->program, name);
  if (number == ObjectNull) {
    fault(FaultUsage, "the wrapper has no %s, which Registers needs", name);
  }
  return &bitcode_memory(p->t->program)
              ->objects[number]
              .bits[(r->offset + element * r->size) * 8 + bit];
}

// ---- Duties ----

static void add(duties_t *d, const duty_t *duty) {
  if (duty->broken == AigFalse) {
    return;
  }
  if (d->count == d->room) {
    d->room = d->room ? d->room * 2 : 256;
    d->list = fault_realloc(d->list, d->room, sizeof *d->list);
  }
  d->list[d->count++] = *duty;
}

static void add_equal(duties_t *d, aig_t *aig, const char *what, uint32_t bit, lit_t expected,
                      lit_t actual, bool is_output) {
  const duty_t duty = {what, aig_xor(aig, expected, actual), expected, actual, bit, is_output, ""};
  add(d, &duty);
}

static void add_noted(duties_t *d, const obligation_t *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const duty_t duty = {list[i].what, list[i].broken,  AigNone, AigNone, 0,
                         false,        list[i].instance};
    add(d, &duty);
  }
}

typedef struct {
  const transition_t *t;
  const lit_t *latches;
} reading_t;

// A word of a memory that is open, or of one that is registers, at a place that is known then.
static bool read_memory(void *context, const char *name, uint32_t words, uint32_t bits,
                        const lit_t *index, lit_t *word) {
  const reading_t *r = context;
  const aiger_t *rtl = &r->t->rtl;
  const aiger_memory_t *m = aiger_memory(rtl, name);
  bool found = false;
  if (m) {
    found = m->data.count == bits && words <= UINT32_C(1) << m->place.count;
    if (found) {
      arrays_load(rtl->arrays, m->array, r->t->is_after ? m->after : NULL, index, word);
    }
    return found;
  }
  if (!bits_is_constant(index, 32)) {
    return false;
  }
  for (uint32_t b = 0; b < bits; b++) {
    const int64_t latch = aiger_latch(rtl, name, (uint32_t)bits_number(index, 32), bits, words, b);
    word[b] = latch >= 0 ? r->latches[latch] : (lit_t)AigFalse;
    found |= latch >= 0;
  }
  return found;
}

// Runs a function of the wrapper that reads registers, which it is given.
static void run_with(const proof_t *p, const memory_t *memory, const lit_t *latches,
                     const char *function) {
  transition_t *t = p->t;
  memory_t given;
  memory_copy(&given, memory);
  memory_restore(bitcode_memory(t->program), &given);
  for (uint32_t i = 0; i < p->register_count; i++) {
    const reg_t *r = &p->registers[i];
    for (uint32_t e = 0; r->side == ProveRtl && e < r->elements; e++) {
      for (uint32_t b = 0; b < r->size * 8; b++) {
        const int64_t latch = b < r->bits ? latch_of(p, r, e, b) : -1;
        *member(p, r, e, b) = latch >= 0 ? latches[latch] : (lit_t)AigFalse;
      }
    }
  }
  memory_destroy(&given);
  memory_copy(&given, bitcode_memory(t->program));
  reading_t reading = {t, latches};
  bitcode_read_with(t->program, read_memory, &reading);
  transition_run(t, &given, function);
  bitcode_read_with(t->program, NULL, NULL);
  memory_destroy(&given);
}

static const obligation_t *run_invariant(const proof_t *p, const memory_t *memory,
                                         const lit_t *latches, uint32_t *count) {
  run_with(p, memory, latches, "prove_invariant");
  return bitcode_obligations(p->t->program, count);
}

// "a_q[2][3]" is bit 3 of "a_q[2]".
static const char *register_of(const transition_t *t, uint32_t latch, uint32_t *bit) {
  const char *name = t->rtl.latch_name[latch], *from = strrchr(name, '[');
  char *end = NULL;
  *bit = from ? (uint32_t)strtoul(from + 1, &end, 10) : 0;
  if (!from || strcmp(end, "]") != 0) {
    *bit = 0;
    return name;
  }
  char *text = arena_take(bitcode_arena(t->program), strlen(name) + 1, 1);
  memcpy(text, name, (size_t)(from - name));
  text[from - name] = '\0';
  return text;
}

static void collect_found(const proof_t *p, const moment_t *m, lit_t *next, duties_t *d) {
  for (uint32_t i = 0; i < p->relation.count; i++) {
    const related_t *r = &p->relation.list[i];
    const lit_t is = relation_lit(p->t, r, &m->memory);
    uint32_t bit;
    const char *name = register_of(p->t, r->latch, &bit);
    add_equal(d, p->t->aig, name, bit, is, next[r->latch], false);
    next[r->latch] = is;
  }
}

// Collects the duty that the states are related after a moment. Registers that are owed to be what
// the golden model tells are told in its words from then on.
static void collect_related(const proof_t *p, const moment_t *m, lit_t *next, duties_t *d) {
  transition_t *t = p->t;
  run_with(p, &m->memory, next, "prove_relate");
  for (uint32_t i = 0; i < p->register_count; i++) {
    const reg_t *r = &p->registers[i];
    for (uint32_t k = 0; k < r->bits * r->elements; k++) {
      const int64_t latch = latch_of(p, r, k / r->bits, k % r->bits);
      if (latch >= 0) {
        const lit_t is = *member(p, r, k / r->bits, k % r->bits);
        add_equal(d, t->aig, r->name, k, is, next[latch], false);
        next[latch] = is;
      }
    }
  }
  collect_found(p, m, next, d);
}

// Facts that the wrapper says of any related state and its registers, and that help with the rest.
static void collect_lemmas(proof_t *p, proof_part_e part) {
  uint32_t count;
  if (bitcode_has(p->t->program, "prove_lemmas")) {
    run_with(p, &p->t->before, p->latches, "prove_lemmas");
    const obligation_t *list = bitcode_obligations(p->t->program, &count);
    add_noted(&p->duties[part], list, count);
  }
}

// Outputs as a function of any related state and the inputs: the RTL's are proved to be that, and a
// clock's to be that function of the state that it leads to. Both together say as much as that the
// RTL's are equal after a clock, for relation and invariant hold after it; but no output is proved
// behind the clock's whole graph.
static void collect_outputs(proof_t *p) {
  transition_t *t = p->t;
  lit_t *told = fault_calloc(t->out_bits + 1, sizeof *told);
  lit_t *out = fault_calloc(t->out_bits + 1, sizeof *out);
  uint32_t count;
  collect_lemmas(p, ProofOutputs);
  transition_run(t, &t->before, "prove_outputs");
  const obligation_t *list = bitcode_obligations(t->program, &count);
  add_noted(&p->duties[ProofOutputs], list, count);
  transition_outputs(t, bitcode_memory(t->program), told);
  aiger_apply(&t->rtl, t->aig, t->products, AigTrue, t->in, p->latches, out, NULL);
  for (uint32_t i = 0; i < t->out_bits; i++) {
    add_equal(&p->duties[ProofOutputs], t->aig, NULL, i, told[i], out[i], true);
  }
  // Narrowing changes nothing, which is owed; before it both graphs are the same.
  transition_run(t, &t->stepped.raw, "prove_outputs");
  transition_outputs(t, bitcode_memory(t->program), told);
  for (uint32_t i = 0; i < t->out_bits; i++) {
    add_equal(&p->duties[ProofStep], t->aig, NULL, i, t->stepped.out[i], told[i], true);
  }
  free(told);
  free(out);
}

void proof_collect_state(const proof_t *p, const moment_t *m, lit_t *next, duties_t *d) {
  uint32_t count;
  p->t->is_after = true;
  collect_related(p, m, next, d);
  const obligation_t *list = run_invariant(p, &m->memory, next, &count);
  p->t->is_after = false;
  for (uint32_t i = 0; i < count; i++) {
    // Where loads are choices behind stores (stored.h), one outside its object would not be the
    // same of a state that a clock leads to and of one that is given.
    const bool is_owed = list[i].kind == ObligationOwed && p->t->any_bits > 0;
    if (list[i].kind == ObligationCheck || is_owed) {
      add_noted(d, &list[i], 1);
    }
  }
}

// Collects the duties after a clock or a reset that led to a moment: first what makes the states
// related again, then the outputs, which follow from it.
static void collect(proof_t *p, const moment_t *m, lit_t *next, proof_part_e part) {
  transition_t *t = p->t;
  duties_t *d = &p->duties[part];
  if (part == ProofStep) {
    collect_lemmas(p, part);
  }
  add_noted(d, m->obligations, m->obligation_count);
  proof_collect_state(p, m, next, d);
  if (part == ProofStep && bitcode_has(t->program, "prove_outputs")) {
    collect_outputs(p);
    return;
  }
  lit_t *zero = fault_calloc(t->in_bits, sizeof *zero);
  lit_t *out = fault_calloc(t->out_bits + 1, sizeof *out);
  aiger_apply(&t->rtl, t->aig, t->products, AigTrue, part == ProofStep ? t->in : zero, next, out,
              NULL);
  for (uint32_t i = 0; i < t->out_bits; i++) {
    add_equal(d, t->aig, NULL, i, m->out[i], out[i], true);
  }
  free(zero);
  free(out);
}

// ---- The state before ----

// Takes registers that the wrapper leaves out for what they are in runs from reset; for reports
// they stand beside those that it names.
static void relate_found(proof_t *p, bool *mapped) {
  transition_t *t = p->t;
  if (p->known) {
    p->relation = *p->known;
  } else {
    relation_find(&p->relation, t, mapped);
  }
  p->registers =
      fault_realloc(p->registers, p->register_count + p->relation.count + 1, sizeof *p->registers);
  for (uint32_t i = 0; i < p->relation.count; i++) {
    const related_t *one = &p->relation.list[i];
    uint32_t bit;
    const char *name = register_of(t, one->latch, &bit);
    reg_t *r = &p->registers[p->register_count];
    if (i == 0 || bit == 0 || bit != r[-1].bits || strcmp(r[-1].name, name) != 0) {
      *r = (reg_t){name, ProveShown, 0, 1, 0, 0, fault_calloc(64, sizeof *r->before)};
      p->register_count++;
    } else {
      r--;
    }
    p->latches[one->latch] = relation_lit(t, one, &t->before);
    mapped[one->latch] = true;
    if (r->bits < 64) {
      r->before[r->bits++] = p->latches[one->latch];
    }
  }
}

static void relate(proof_t *p) {
  transition_t *t = p->t;
  bool *mapped = fault_calloc(t->rtl.latches, sizeof *mapped);
  p->latches = fault_calloc(t->rtl.latches, sizeof *p->latches);
  memcpy(p->latches, t->latches, t->rtl.latches * sizeof *p->latches);
  run_with(p, &t->before, t->latches, "prove_relate");
  for (uint32_t i = 0; i < p->register_count; i++) {
    const reg_t *r = &p->registers[i];
    uint32_t found = 0;
    for (uint32_t k = 0; k < r->bits * r->elements; k++) {
      const uint32_t e = k / r->bits, b = k % r->bits;
      const int64_t latch = latch_of(p, r, e, b);
      if (latch >= 0) {
        p->latches[latch] = *member(p, r, e, b);
      }
      r->before[k] = *member(p, r, e, b);
      found += latch >= 0;
      if (latch >= 0) {
        mapped[latch] = true;
      }
    }
    if (!found && r->side != ProveShown) {
      fault(FaultUsage, "Registers: the RTL has no register %s", r->name);
    }
  }
  if (p->finds) {
    relate_found(p, mapped);
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    p->unmapped += !mapped[i];
  }
  free(mapped);
}

static void assume(proof_t *p) {
  uint32_t count;
  const obligation_t *list = run_invariant(p, &p->t->before, p->latches, &count);
  p->assumed = AigTrue;
  p->invariants = fault_calloc(count, sizeof *p->invariants);
  for (uint32_t i = 0; i < count; i++) {
    if (list[i].kind == ObligationCheck) {
      p->invariants[p->invariant_count++] = list[i];
      p->assumed = aig_and(p->t->aig, p->assumed, aig_not(list[i].broken));
    }
  }
}

// Assumes the invariant for the values of Any that the wrapper picks, too: it holds for all. Checks
// that do not read Any are assumed already.
static void assume_instances(proof_t *p) {
  transition_t *t = p->t;
  const uint32_t any = bitcode_object(t->program, "Any");
  const uint32_t instances = bitcode_object(t->program, "Instances");
  if (any == ObjectNull || instances == ObjectNull) {
    return;
  }
  p->without_any = AigTrue;
  transition_run(t, &t->before, "prove_instances");
  memory_t picked, given;
  memory_copy(&picked, bitcode_memory(t->program));
  for (uint64_t at = 0; at + t->any_bits <= picked.objects[instances].size * 8; at += t->any_bits) {
    uint32_t count;
    memory_copy(&given, &t->before);
    memcpy(given.objects[any].bits, picked.objects[instances].bits + at,
           t->any_bits * sizeof(lit_t));
    const obligation_t *list = run_invariant(p, &given, p->latches, &count);
    for (uint32_t i = 0, next = 0; i < count; i++) {
      if (list[i].kind != ObligationCheck) {
        continue;
      }
      // As many checks as without an instance, in the same order, unless constants leave some out.
      const bool is_known =
          next < p->invariant_count && list[i].broken == p->invariants[next].broken;
      next++;
      if (!is_known) {
        p->assumed = aig_and(t->aig, p->assumed, aig_not(list[i].broken));
      } else if (at == 0) {
        p->without_any = aig_and(t->aig, p->without_any, aig_not(list[i].broken));
      }
    }
    memory_destroy(&given);
  }
  memory_destroy(&picked);
}

static void check_kept(const transition_t *t, const memory_t *memory) {
  const uint32_t any = bitcode_object(t->program, "Any");
  if (t->any_bits && memcmp(memory->objects[any].bits, t->any, t->any_bits * sizeof *t->any) != 0) {
    fault(FaultUsage, "the wrapper writes Any");
  }
}

static bool reads(const transition_t *t, const lit_t *roots, uint32_t root_count,
                  const lit_t *variables, uint32_t count) {
  uint8_t *needed = fault_calloc(aig_count(t->aig), 1);
  bool any = false;
  aig_support(t->aig, roots, root_count, needed);
  for (uint32_t i = 0; i < count; i++) {
    any |= needed[variables[i] / 2];
  }
  free(needed);
  return any;
}

// Lists what a moment stores in arrays of the golden model; returns how many literals.
static uint32_t stored(const transition_t *t, const moment_t *m, lit_t *roots) {
  uint32_t count = 0;
  for (uint32_t o = 1; o < m->memory.count; o++) {
    const object_t *x = &m->memory.objects[o];
    for (const store_t *s = x->array ? x->stores : NULL; s; s = s->before) {
      const uint32_t width = arrays_width(t->base.arrays, x->array);
      const uint32_t bits = s->index ? arrays_index_bits(t->base.arrays, x->array) : 0;
      if (roots) {
        roots[count] = s->when;
        memcpy(roots + count + 1, s->word, width * sizeof *roots);
        if (bits) {
          memcpy(roots + count + 1 + width, s->index, bits * sizeof *roots);
        }
      }
      count += 1 + width + bits;
    }
  }
  return count;
}

// Any must stay as it is given, and not come into the state: else the invariant could not be taken
// for each of its values.
static void check_any(const proof_t *p) {
  const transition_t *t = p->t;
  const moment_t *const Moments[] = {&t->created, &t->stepped, &t->reset};
  for (uint32_t m = 0; m < 3; m++) {
    check_kept(t, &Moments[m]->memory);
  }
  check_kept(t, &t->before);
  const uint32_t stores = stored(t, &t->stepped, NULL) + stored(t, &t->reset, NULL);
  lit_t *roots =
      fault_calloc(4 * (size_t)t->state_count + t->rtl.latches + 2 + stores, sizeof *roots);
  uint32_t count = stored(t, &t->stepped, roots);
  count += stored(t, &t->reset, roots + count);
  for (uint32_t i = 0; i < t->state_count; i++) {
    const state_bit_t *s = &t->state[i];
    for (uint32_t m = 0; m < 3; m++) {
      roots[count++] = Moments[m]->memory.objects[s->object].bits[s->bit];
    }
    roots[count++] = t->before.objects[s->object].bits[s->bit];
  }
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    roots[count++] = p->latches[i];
  }
  roots[count++] = t->stepped.legal;
  roots[count++] = t->reset.legal;
  if (reads(t, roots, count, t->any, t->any_bits)) {
    fault(FaultUsage, "the wrapper lets Any into the state, the relation or prove_assume");
  }
  free(roots);
}

// Relation and invariant are of states: what the inputs of a cycle make true of one need not hold
// when those of the next cycle are there.
static void check_inputs(const proof_t *p) {
  const transition_t *t = p->t;
  lit_t *roots = fault_calloc((size_t)t->rtl.latches + p->invariant_count + 1, sizeof *roots);
  uint32_t count = t->rtl.latches;
  memcpy(roots, p->latches, count * sizeof *roots);
  for (uint32_t i = 0; i < p->invariant_count; i++) {
    roots[count++] = p->invariants[i].broken;
  }
  if (reads(t, roots, count, t->in, t->in_bits)) {
    fault(FaultUsage, "the wrapper's relation or invariant reads In");
  }
  free(roots);
}

// The RTL's state a clock later. The outputs of interest are those that the same inputs meet then,
// and after a reset those that inputs of 0 meet.
static void clock_rtl(const proof_t *p, const lit_t *latches, bool is_reset, lit_t *next) {
  const transition_t *t = p->t;
  aiger_apply(&t->rtl, t->aig, t->products, is_reset ? AigFalse : AigTrue, t->in, latches, NULL,
              next);
}

// Functions of the golden model and what the wrapper has instead, with all products worked out.
static void compare(proof_t *p) {
  const uint32_t least = products_open(p->t->products, UINT32_MAX);
  bitcode_t *program = p->t->program;
  const char *name;
  for (uint32_t i = 0; (name = bitcode_replaced(program, i)); i++) {
    uint32_t count;
    memory_restore(bitcode_memory(program), &p->t->created.memory);
    bitcode_compare(program, name);
    const obligation_t *list = bitcode_obligations(program, &count);
    add_noted(&p->duties[ProofApart], list, count);
  }
  products_open(p->t->products, least);
}

void proof_create(proof_t *p, transition_t *t, const relation_t *known) {
  *p = (proof_t){.t = t, .known = known, .without_any = AigNone};
  lit_t *next = fault_calloc(t->rtl.latches + 1, sizeof *next);
  read_registers(p);
  compare(p);
  relate(p);
  assume(p);
  assume_instances(p);
  check_any(p);
  check_inputs(p);
  clock_rtl(p, t->latches, true, next);
  collect(p, &t->created, next, ProofBase);
  clock_rtl(p, p->latches, true, next);
  collect(p, &t->reset, next, ProofReset);
  clock_rtl(p, p->latches, false, next);
  collect(p, &t->stepped, next, ProofStep);
  p->assumed = aig_and(t->aig, p->assumed, arrays_known(t->base.arrays));
  free(next);
}

void proof_destroy(proof_t *p) {
  for (uint32_t i = 0; i < p->register_count; i++) {
    free(p->registers[i].before);
  }
  for (uint32_t i = 0; i < ProofParts; i++) {
    free(p->duties[i].list);
  }
  if (!p->known) {
    relation_destroy(&p->relation);
  }
  free(p->registers);
  free(p->latches);
  free(p->invariants);
}

lit_t proof_given(const proof_t *p, proof_part_e part) {
  switch (part) {
    case ProofReset: return aig_and(p->t->aig, p->assumed, p->t->reset.legal);
    case ProofOutputs: return p->assumed;
    case ProofStep: return aig_and(p->t->aig, p->assumed, p->t->stepped.legal);
    default: return AigTrue;
  }
}
