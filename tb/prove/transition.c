// SPDX-License-Identifier: Apache-2.0
#include "transition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"

enum { MostRounds = 64, ManyRounds = 12, TextSize = 128 };

static uint32_t object(const transition_t *t, const char *name) {
  const uint32_t number = bitcode_object(t->program, name);
  if (number == ObjectNull) {
    fault(FaultUsage, "the wrapper has no %s", name);
  }
  return number;
}

static uint32_t bits_of(const transition_t *t, const unit_field_t *fields) {
  uint32_t bits = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    bits += unit_dim(t->dims, f->bits) * unit_dim(t->dims, f->elements);
  }
  return bits;
}

// The literals of a struct's hardware bits; returns how many.
static uint32_t pack(const transition_t *t, const unit_field_t *fields, const lit_t *bits,
                     lit_t *packed) {
  uint32_t at = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    for (uint32_t i = 0; i < unit_dim(t->dims, f->elements); i++) {
      for (uint32_t b = 0; b < unit_dim(t->dims, f->bits); b++) {
        packed[at++] = bits[(f->offset + i * f->size) * 8 + b];
      }
    }
  }
  return at;
}

static void make_inputs(transition_t *t) {
  object_t *in = &bitcode_memory(t->program)->objects[object(t, "In")];
  uint32_t at = 0;
  t->in = fault_calloc(t->in_bits, sizeof *t->in);
  for (const unit_field_t *f = t->info->in; f->name; f++) {
    for (uint32_t i = 0; i < unit_dim(t->dims, f->elements); i++) {
      for (uint32_t b = 0; b < unit_dim(t->dims, f->bits); b++) {
        t->in[at] = aig_variable(t->aig);
        in->bits[(f->offset + i * f->size) * 8 + b] = t->in[at++];
      }
    }
  }
}

// Free values, in every memory from the first on.
static void make_any(transition_t *t) {
  const uint32_t number = bitcode_object(t->program, "Any");
  if (number == ObjectNull) {
    return;
  }
  object_t *any = &bitcode_memory(t->program)->objects[number];
  t->any_bits = (uint32_t)any->size * 8;
  t->any = fault_calloc(t->any_bits, sizeof *t->any);
  for (uint32_t i = 0; i < t->any_bits; i++) {
    t->any[i] = any->bits[i] = aig_variable(t->aig);
  }
}

// Objects that carry nothing from one clock to the next. What they hold before is unknown, so a
// wrapper that reads it can't be proved by accident.
static bool is_passing(const transition_t *t, uint32_t number) {
  static const char *const Names[] = {"In", "Out", "State", "Related", "Rtl", "Any", "Instances"};
  for (size_t i = 0; i < sizeof Names / sizeof *Names; i++) {
    if (number == bitcode_object(t->program, Names[i])) {
      return true;
    }
  }
  return bitcode_memory(t->program)->objects[number].is_constant;
}

static void forget_outputs(transition_t *t, memory_t *memory) {
  static const char *const Names[] = {"Out", "State", "Related"};
  for (size_t i = 0; i < sizeof Names / sizeof *Names; i++) {
    const uint32_t number = bitcode_object(t->program, Names[i]);
    object_t *o = &memory->objects[number];
    for (uint64_t b = 0; number != ObjectNull && b < o->size * 8; b++) {
      o->bits[b] = aig_variable(t->aig);
    }
  }
}

static void add_obligations(moment_t *m, const obligation_t *more, uint32_t count) {
  m->obligations =
      fault_realloc(m->obligations, m->obligation_count + count + 1, sizeof *m->obligations);
  for (uint32_t i = 0; i < count; i++) {
    m->obligations[m->obligation_count++] = more[i];
  }
}

static void free_moment(moment_t *m) {
  memory_destroy(&m->memory);
  memory_destroy(&m->raw);
  free(m->out);
  free(m->obligations);
  *m = (moment_t){0};
}

bool transition_run(transition_t *t, const memory_t *memory, const char *function) {
  memory_restore(bitcode_memory(t->program), memory);
  bitcode_clear_obligations(t->program);
  if (!bitcode_has(t->program, function)) {
    return false;
  }
  bitcode_call(t->program, function, NULL, 0);
  return true;
}

void transition_outputs(const transition_t *t, const memory_t *memory, lit_t *out) {
  const uint32_t used = pack(t, t->info->out, memory->objects[object(t, "Out")].bits, out);
  pack(t, t->info->state, memory->objects[object(t, "State")].bits, out + used);
}

// Makes arrays of what prove_setup named. They begin as they were made, and nothing is known of
// them before a clock.
static void make_arrays(transition_t *t) {
  uint32_t count;
  const element_t *list = bitcode_arrays(t->program, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (!elements_make(&t->created.memory, &list[i])) {
      fault(FaultUsage, "prove_symbolic: %s is not made of words that are all the same",
            list[i].name);
    }
  }
}

static void forget_arrays(memory_t *memory) {
  for (uint32_t o = 1; o < memory->count; o++) {
    memory->objects[o].stores = NULL;
  }
}

// Lets the bits of arrays vary that a clock or a reset changes; returns how many are new.
static uint32_t vary_arrays(const transition_t *t) {
  const moment_t *const Moments[] = {&t->stepped, &t->reset};
  uint32_t added = 0;
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    const uint32_t array = t->created.memory.objects[o].array;
    for (uint32_t m = 0; m < 2 && array; m++) {
      added += arrays_vary(t->base.arrays, array, Moments[m]->memory.objects[o].stores);
    }
  }
  return added;
}

// That two memories are equal, word by word of the lasting objects, is owed.
static void owe_equal(transition_t *t, moment_t *m, const memory_t *a, const memory_t *b,
                      const char *why) {
  enum { WordBits = 64 };
  for (uint32_t o = 1; o < a->count; o++) {
    const lit_t *x = a->objects[o].bits, *y = b->objects[o].bits;
    const uint64_t bits = is_passing(t, o) ? 0 : a->objects[o].size * 8;
    if (a->objects[o].stores != b->objects[o].stores) {
      fault(FaultUsage, "%s: it writes into %s, a symbolic memory", why,
            arrays_name(a->arrays, a->objects[o].array));
    }
    for (uint64_t from = 0; from < bits; from += WordBits) {
      lit_t differs = AigFalse;
      for (uint64_t i = from; i < from + WordBits && i < bits; i++) {
        differs = aig_or(t->aig, differs, aig_xor(t->aig, x[i], y[i]));
      }
      if (differs != AigFalse) {
        char *text = arena_take(bitcode_arena(t->program), TextSize, 1);
        snprintf(text, TextSize, "%s, at byte %u of %s", why, (uint32_t)from / 8,
                 a->objects[o].name);
        const obligation_t owed = {text, "", differs, ObligationOwed};
        add_obligations(m, &owed, 1);
      }
    }
  }
}

// A word's bits: all 0 where it is above its range, or all 1 where it has a sign.
static void keep_range(transition_t *t, const range_t *r, memory_t *memory) {
  lit_t *bits = memory->objects[r->object].bits + r->bit, above = AigFalse, equal = AigTrue;
  for (uint32_t b = r->bits; b-- > 0;) {
    const bool one = r->most >> b & 1;
    above = aig_or(t->aig, above, aig_and(t->aig, equal, one ? AigFalse : bits[b]));
    equal = aig_and(t->aig, equal, one ? bits[b] : aig_not(bits[b]));
  }
  for (uint32_t b = 0; b < r->bits; b++) {
    bits[b] = r->sign ? aig_or(t->aig, bits[b], above) : aig_and(t->aig, bits[b], aig_not(above));
  }
  for (uint32_t b = 0; b < r->sign; b++) {
    bits[r->bits + b] = bits[r->bits - 1];
  }
}

bool transition_begins_in(const transition_t *t, const range_t *r) {
  const lit_t *bits = t->created.memory.objects[r->object].bits + r->bit;
  const uint64_t value = bits_number(bits, r->bits);
  bool is_in = value <= r->most || (r->sign && value == (1u << r->bits) - 1);
  for (uint32_t b = 0; b < r->bits + r->sign; b++) {
    is_in &= bits[b] <= AigTrue && (b < r->bits || bits[b] == bits[r->bits - 1]);
  }
  return is_in;
}

static void keep_ranges(transition_t *t, memory_t *memory) {
  for (uint32_t i = 0; i < t->range_count; i++) {
    keep_range(t, &t->ranges[i], memory);
  }
}

// Leaves of the memory what runs from reset made of it, as the state and its ranges say; that this
// changes nothing is owed.
static void keep_widths(transition_t *t, moment_t *m, memory_t *memory) {
  memory_t was;
  memory_copy(&was, memory);
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    const object_t *made = &t->created.memory.objects[o];
    for (uint64_t b = 0; !is_passing(t, o) && b < made->size * 8; b++) {
      memory->objects[o].bits[b] = made->bits[b];
    }
  }
  for (uint32_t i = 0; i < t->state_count; i++) {
    const state_bit_t *s = &t->state[i];
    memory->objects[s->object].bits[s->bit] = was.objects[s->object].bits[s->bit];
  }
  keep_ranges(t, memory);
  owe_equal(t, m, &was, memory, "the width that runs showed");
  memory_destroy(&was);
}

static void add_case(moment_t *m, lit_t broken) {
  if (broken <= AigTrue) {
    return;
  }
  if (m->case_count == TransitionMostCases) {
    fault(FaultUsage, "the wrapper has more than %d cases", TransitionMostCases);
  }
  m->cases[m->case_count++] = aig_not(broken);
}

// The memory after the function `run` on memory, and narrowed; that narrowing changes nothing is
// owed.
static void make_moment(transition_t *t, const memory_t *memory, const char *run, moment_t *m) {
  uint32_t count;
  free_moment(m);
  transition_run(t, memory, run);
  const obligation_t *list = bitcode_obligations(t->program, &count);
  m->legal = AigTrue;
  const ring_t *ring = bitcode_ring(t->program);
  m->ring = ring ? *ring : (ring_t){0};
  for (uint32_t i = 0; i < count; i++) {
    if (list[i].kind == ObligationAssumed) {
      m->legal = aig_and(t->aig, m->legal, aig_not(list[i].broken));
    } else if (list[i].kind == ObligationCase) {
      add_case(m, list[i].broken);
    } else {
      add_obligations(m, &list[i], 1);
    }
  }
  memory_copy(&m->raw, bitcode_memory(t->program));
  if (transition_run(t, &m->raw, "prove_narrow")) {
    owe_equal(t, m, &m->raw, bitcode_memory(t->program), "prove_narrow changes nothing");
  }
  if (t->has_widths) {
    keep_widths(t, m, bitcode_memory(t->program));
  }
  memory_copy(&m->memory, bitcode_memory(t->program));
  m->out = fault_calloc(t->out_bits + 1, sizeof *m->out);
  transition_outputs(t, &m->memory, m->out);
}

void transition_add(transition_t *t, uint32_t number, uint32_t bit) {
  if (t->state_count == t->state_room) {
    t->state_room = t->state_room ? t->state_room * 2 : 256;
    t->state = fault_realloc(t->state, t->state_room, sizeof *t->state);
  }
  t->state[t->state_count++] = (state_bit_t){number, bit, aig_variable(t->aig)};
  if (!t->is_state) {
    t->is_state = fault_calloc(t->base.count, sizeof *t->is_state);
  }
  if (!t->is_state[number]) {
    t->is_state[number] = fault_calloc(t->base.objects[number].size * 8, 1);
  }
  t->is_state[number][bit] = 1;
}

static int by_place(const void *a, const void *b) {
  const state_bit_t *x = a, *y = b;
  return x->object != y->object ? (x->object > y->object) - (x->object < y->object)
                                : (x->bit > y->bit) - (x->bit < y->bit);
}

void transition_sort(transition_t *t) {
  qsort(t->state, t->state_count, sizeof *t->state, by_place);
}

bool transition_lasts(const transition_t *t, uint32_t number) { return !is_passing(t, number); }

static bool is_state(const transition_t *t, uint32_t number, uint64_t bit) {
  return t->is_state && t->is_state[number] && t->is_state[number][bit];
}

// That pointers stay as they were made is owed: each moment begins with them so.
static void owe_pointers(transition_t *t, moment_t *m, const object_t *was, const object_t *is) {
  lit_t same = AigTrue;
  bool is_known = was->pointer_count == is->pointer_count;
  for (uint32_t i = 0; is_known && i < was->pointer_count; i++) {
    const stored_pointer_t *a = &was->pointers[i], *b = &is->pointers[i];
    lit_t here = AigFalse;
    is_known = a->offset == b->offset && value_same_place(t->aig, &a->value, &b->value, &here);
    same = aig_and(t->aig, same, here);
  }
  if (!is_known || same == AigFalse) {
    fault(FaultUsage, "not known to the translator: a pointer in %s that changes", was->name);
  }
  if (same != AigTrue) {
    add_obligations(m, &(obligation_t){"a pointer stays", "", aig_not(same), ObligationOwed}, 1);
  }
}

// Returns true if the last of the state is this bit, added behind the first `known`.
static bool is_new(const transition_t *t, uint32_t number, uint64_t bit, uint32_t known) {
  const state_bit_t *s = &t->state[t->state_count - 1];
  return t->state_count > known && s->object == number && s->bit == bit;
}

static bool is_added(const transition_t *t, uint32_t number, uint64_t bit, uint32_t from,
                     uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    if (t->state[i].object == number && t->state[i].bit == bit) {
      return true;
    }
  }
  return false;
}

// Returns true if a bit is one that a word with a width does not use.
static bool is_unused(const transition_t *t, uint32_t number, uint64_t bit) {
  uint32_t count;
  const width_t *w = bitcode_widths(t->program, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (w[i].object == number && bit >= w[i].bit + w[i].bits && bit < w[i].bit + w[i].most) {
      return true;
    }
  }
  return false;
}

// Makes variables of the bits that a moment changes; returns how many are new. A counter grows by a
// bit a round: with is_growing the rest of its 32 bits is taken at once. The round before began at
// `before`, this one at `known`.
static uint32_t add_state(transition_t *t, moment_t *m, uint32_t before, uint32_t known,
                          bool is_growing) {
  const uint32_t count = t->state_count;
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    const object_t *was = &t->created.memory.objects[o], *is = &m->memory.objects[o];
    bool grows = false;
    if (is_passing(t, o)) {
      continue;
    }
    for (uint64_t b = 0; b < was->size * 8; b++) {
      grows = is_growing && b % 32 && is_new(t, o, b - 1, known) &&
              (grows || (b % 32 > 1 && is_added(t, o, b - 2, before, known)));
      if ((was->bits[b] == is->bits[b] && !grows) || is_state(t, o, b) || is_unused(t, o, b)) {
        continue;
      }
      transition_add(t, o, (uint32_t)b);
    }
  }
  return t->state_count - count;
}

void transition_moments(transition_t *t) {
  const char *step = bitcode_has(t->program, "prove_step") ? "prove_step" : "prove_clock";
  const char *reset = bitcode_has(t->program, "prove_restart") ? "prove_restart" : "prove_reset";
  for (uint32_t i = 0; i < t->state_count; i++) {
    t->base.objects[t->state[i].object].bits[t->state[i].bit] = t->state[i].variable;
  }
  transition_run(t, &t->base, "prove_narrow");
  keep_ranges(t, bitcode_memory(t->program));
  memory_destroy(&t->before);
  memory_copy(&t->before, bitcode_memory(t->program));
  make_moment(t, &t->before, step, &t->stepped);
  make_moment(t, &t->before, reset, &t->reset);
  for (uint32_t o = 1; o < t->created.memory.count; o++) {
    const object_t *was = &t->created.memory.objects[o];
    if (!is_passing(t, o)) {
      owe_pointers(t, &t->stepped, was, &t->stepped.memory.objects[o]);
      owe_pointers(t, &t->reset, was, &t->reset.memory.objects[o]);
    }
  }
}

// The state is what a clock or a reset changes, of what these changed until nothing is added.
static void find_state(transition_t *t) {
  uint32_t round = 0, before = 0, known = 0, widths;
  const width_t *w = bitcode_widths(t->program, &widths);
  for (uint32_t i = 0; i < widths; i++) {
    for (uint32_t b = 0; b < w[i].bits; b++) {
      transition_add(t, w[i].object, w[i].bit + b);
    }
  }
  for (uint32_t added = 1; added; round++) {
    if (round == MostRounds) {
      fault(FaultUsage,
            "the golden model's state still grows after %d rounds: prove_narrow must "
            "clear more",
            MostRounds);
    }
    transition_moments(t);
    before = known;
    known = t->state_count;
    added = add_state(t, &t->stepped, before, known, round >= ManyRounds);
    added += add_state(t, &t->reset, before, known, round >= ManyRounds);
    added += vary_arrays(t);
  }
  if (widths) {  // that the rest of these words stays is owed
    t->has_widths = true;
    transition_moments(t);
  }
}

static void read_rtl(transition_t *t, const char *path) {
  aiger_read(&t->rtl, path);
  if (t->rtl.out_bits != t->out_bits) {
    fault(FaultUsage, "%s: %u bits of outputs, expected %u", path, t->rtl.out_bits, t->out_bits);
  }
  for (uint32_t i = 0; i < t->rtl.inputs; i++) {
    const uint32_t bit = t->rtl.input_bit[i];
    if (bit < AigerMutant && bit >= t->in_bits) {
      fault(FaultUsage, "%s: in_i[%u], expected %u bits", path, bit, t->in_bits);
    }
  }
  aiger_open(&t->rtl, t->base.arrays, NULL);
  t->latches = fault_calloc(t->rtl.latches, sizeof *t->latches);
  for (uint32_t i = 0; i < t->rtl.latches; i++) {
    t->latches[i] = aig_variable(t->aig);
  }
}

// A wrapper of another unit, or of this one's page as it was.
static void check_wrapper(const transition_t *t) {
  const unit_info_t *info = t->info;
  const struct {
    const char *name;
    uint64_t size;
  } expected[] = {{"Params", info->params_size},
                  {"In", info->in_size},
                  {"Out", info->out_size},
                  {"State", info->state_size}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const object_t *o = &bitcode_memory(t->program)->objects[object(t, expected[i].name)];
    if (expected[i].size && o->size != expected[i].size) {
      fault(FaultUsage,
            "the wrapper's %s has %u bytes, expected %u: it is not of %s, or of "
            "another page",
            expected[i].name, (uint32_t)o->size, (uint32_t)expected[i].size, info->name);
    }
  }
}

void transition_head(const transition_t *t, const char *params, char head[TransitionHeadSize]) {
  snprintf(head, TransitionHeadSize, "%s %u %u %s", t->info->name, t->in_bits, t->out_bits, params);
}

void transition_reel(transition_t *t, const char *run, const char *params) {
  char head[TransitionHeadSize];
  transition_head(t, params, head);
  t->reels = fault_realloc(t->reels, t->reel_count + 1, sizeof *t->reels);
  reel_read(&t->reels[t->reel_count++], run, head, t->in_bits, t->out_bits);
}

void transition_create(transition_t *t, const transition_options_t *o) {
  *t = (transition_t){.info = o->info, .aig = aig_create()};
  o->info->dims(o->params, t->dims);
  t->in_bits = bits_of(t, o->info->in);
  t->out_bits = bits_of(t, o->info->out) + bits_of(t, o->info->state);
  t->products = products_create(t->aig);
  t->program = bitcode_load(o->golden, t->aig, t->products, o->bound);
  const uint32_t open = bitcode_object(t->program, "OpenProducts");
  if (open != ObjectNull) {
    uint32_t least = 0;
    for (uint32_t b = 0; b < 8; b++) {
      least |= (bitcode_memory(t->program)->objects[open].bits[b] == AigTrue) << b;
    }
    products_open(t->products, least);
  }
  check_wrapper(t);
  object_t *params = &bitcode_memory(t->program)->objects[object(t, "Params")];
  for (uint64_t i = 0; i < o->info->params_size; i++) {
    bits_constant(params->bits + i * 8, 8, ((const uint8_t *)o->params)[i]);
  }
  make_any(t);
  memory_t start;
  memory_copy(&start, bitcode_memory(t->program));
  make_moment(t, &start, "prove_create", &t->created);
  memory_destroy(&start);
  transition_run(t, &t->created.memory, "prove_setup");
  make_arrays(t);
  memory_restore(bitcode_memory(t->program), &t->created.memory);
  make_inputs(t);
  forget_outputs(t, bitcode_memory(t->program));
  forget_arrays(bitcode_memory(t->program));
  memory_copy(&t->base, bitcode_memory(t->program));
  t->needs_widths = bitcode_object(t->program, "FindWidths") != ObjectNull;
  if (t->needs_widths && arrays_count(t->base.arrays)) {
    fault(FaultUsage, "the wrapper has FindWidths and symbolic memories: runs show no widths then");
  }
  if (!t->needs_widths) {
    find_state(t);
  }
  if (o->rtl) {
    read_rtl(t, o->rtl);
  }
}

void transition_destroy(transition_t *t) {
  for (uint32_t o = 0; t->is_state && o < t->base.count; o++) {
    free(t->is_state[o]);
  }
  free(t->is_state);
  free_moment(&t->created);
  free_moment(&t->stepped);
  free_moment(&t->reset);
  memory_destroy(&t->before);
  memory_destroy(&t->base);
  bitcode_destroy(t->program);
  aiger_free(&t->rtl);
  products_destroy(t->products);
  aig_destroy(t->aig);
  free(t->in);
  free(t->any);
  free(t->state);
  free(t->ranges);
  for (uint32_t i = 0; i < t->reel_count; i++) {
    reel_free(&t->reels[i]);
  }
  free(t->reels);
  free(t->latches);
}
