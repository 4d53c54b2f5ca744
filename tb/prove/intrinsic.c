// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "bitcode_internal.h"

static value_t argument(const frame_t *frame, LLVMValueRef call, uint32_t i) {
  return execute_get(frame, LLVMGetOperand(call, i), call);
}

enum { MostMoved = 1024 };  // bytes, where the number isn't known

static uint64_t known_size(const frame_t *frame, LLVMValueRef call, uint32_t i) {
  const value_t v = argument(frame, call, i);
  if (!bits_is_constant(v.bits, v.count) || bits_number(v.bits, v.count) > BitsMost * 64) {
    bitcode_refuse(call, "memory of unknown size, or more than 32 KiB at once");
  }
  return bits_number(v.bits, v.count);
}

static bool starts(const char *name, const char *start) {
  return strncmp(name, start, strlen(start)) == 0;
}

// ---- Memory ----

// So many bytes as an unknown word says, in pieces as small as its lowest bit that may be 1: no
// more than the place written has; more would be outside it.
static void move_some(frame_t *frame, LLVMValueRef call, const value_t *size, lit_t guard) {
  bitcode_t *p = frame->program;
  const value_t to = argument(frame, call, 0), from = argument(frame, call, 1);
  uint64_t piece = 1, most = 0, done = 0;
  while (piece < 64 && size->bits[__builtin_ctzll(piece)] == AigFalse) {
    piece *= 2;
  }
  for (uint32_t i = 0; i < to.count; i++) {
    const uint64_t room = p->memory.objects[to.targets[i].object].size;
    most = room > most ? room : most;
  }
  for (; done + piece <= most && done < MostMoved; done += piece) {
    lit_t limit[64], missed = AigFalse;
    bits_constant(limit, size->count, done);
    const lit_t when = aig_and(p->aig, guard, bits_below(p->aig, size->count, limit, size->bits));
    const value_t t = value_advance(p->arena, &to, (int64_t)done);
    const value_t f = value_advance(p->arena, &from, (int64_t)done);
    if (when == AigFalse) {
      return;
    }
    const bool ok = memory_move(&p->memory, &t, &f, piece, when, &missed);
    instruction_checked(frame, call, ok, &missed);
  }
  lit_t limit[64];
  bits_constant(limit, size->count, done);
  bitcode_note(p, "bounds", call,
               aig_and(p->aig, guard, bits_below(p->aig, size->count, limit, size->bits)));
}

// is_copy: the two don't overlap.
static void move(frame_t *frame, LLVMValueRef call, lit_t guard, bool is_copy) {
  bitcode_t *p = frame->program;
  const value_t to = argument(frame, call, 0), from = argument(frame, call, 1);
  const value_t size = argument(frame, call, 2);
  if (!bits_is_constant(size.bits, size.count) && is_copy) {
    move_some(frame, call, &size, guard);
    return;
  }
  const uint64_t bytes = known_size(frame, call, 2);
  lit_t missed = AigFalse;
  if (bytes) {
    instruction_checked(frame, call, memory_move(&p->memory, &to, &from, bytes, guard, &missed),
                        &missed);
  }
}

static void set(frame_t *frame, LLVMValueRef call, lit_t guard) {
  bitcode_t *p = frame->program;
  const value_t to = argument(frame, call, 0), byte = argument(frame, call, 1);
  const uint64_t bytes = known_size(frame, call, 2);
  lit_t *bits = arena_take(p->arena, bytes * 8, sizeof *bits);
  lit_t missed = AigFalse;
  for (uint64_t i = 0; i < bytes * 8; i++) {
    bits[i] = byte.bits[i % 8];
  }
  const value_t v = {ValueWord, (uint32_t)bytes * 8, {.bits = bits}, NULL};
  if (bytes) {
    instruction_checked(frame, call, memory_store(&p->memory, &to, &v, bytes, guard, &missed),
                        &missed);
  }
}

static value_t allocate(frame_t *frame, LLVMValueRef call, bool is_calloc) {
  bitcode_t *p = frame->program;
  const uint64_t size = known_size(frame, call, 0) * (is_calloc ? known_size(frame, call, 1) : 1);
  return value_pointer(p->arena, memory_new(&p->memory, "allocated", size), 0);
}

// Only whether it is 0: what else it gives is not told by C.
static value_t compare_memory(frame_t *frame, LLVMValueRef call, lit_t guard) {
  bitcode_t *p = frame->program;
  const value_t a = argument(frame, call, 0), b = argument(frame, call, 1);
  const uint32_t width = (uint32_t)known_size(frame, call, 2) * 8;
  value_t x, y;
  lit_t missed = AigFalse;
  const bool ok = memory_load_word(&p->memory, &a, width, guard, &x, &missed) &&
                  memory_load_word(&p->memory, &b, width, guard, &y, &missed);
  instruction_checked(frame, call, ok, &missed);
  const value_t zero = value_number(p->arena, 32, 0), one = value_number(p->arena, 32, 1);
  return value_mux(p->aig, p->arena, bits_equal(p->aig, width, x.bits, y.bits), &zero, &one);
}

// ---- Arithmetic ----

static value_t count_ones(bitcode_t *p, const value_t *a) {
  const uint32_t w = a->count;
  lit_t *sum = arena_take(p->arena, w, sizeof *sum);
  lit_t one[BitsMost];
  bits_constant(sum, w, 0);
  bits_constant(one, w, 0);
  for (uint32_t i = 0; i < w; i++) {
    one[0] = a->bits[i];
    bits_add(p->aig, w, sum, one, AigFalse, sum);
  }
  return (value_t){ValueWord, w, {.bits = sum}, NULL};
}

// The number of zeros below the lowest one, or above the highest; the width where there is none.
static value_t count_zeros(bitcode_t *p, const value_t *a, bool is_leading, bool is_undefined) {
  const uint32_t w = a->count;
  lit_t *r = arena_take(p->arena, w, sizeof *r), number[BitsMost];
  bool is_set = !is_undefined;
  bits_constant(r, w, is_undefined ? 0 : w);
  for (uint32_t k = w; k-- > 0;) {
    const lit_t bit = a->bits[is_leading ? w - 1 - k : k];
    if (bit == AigFalse) {
      continue;
    }
    bits_constant(number, w, k);
    // Without any bit the result is undefined: the first one needs no choice.
    bits_mux(p->aig, w, is_set ? bit : (lit_t)AigTrue, number, r, r);
    is_set = true;
  }
  return (value_t){ValueWord, w, {.bits = r}, NULL};
}

static value_t extreme(bitcode_t *p, const char *name, const value_t *a, const value_t *b) {
  const uint32_t w = a->count;
  lit_t x[BitsMost], y[BitsMost];
  lit_t *r = arena_take(p->arena, w, sizeof *r);
  memcpy(x, a->bits, w * sizeof *x);
  memcpy(y, b->bits, w * sizeof *y);
  if (name[5] == 's') {
    x[w - 1] = aig_not(x[w - 1]);
    y[w - 1] = aig_not(y[w - 1]);
  }
  const lit_t is_below = bits_below(p->aig, w, x, y);
  const bool is_least = strncmp(name + 6, "min", 3) == 0;
  bits_mux(p->aig, w, is_below ^ (lit_t)!is_least, a->bits, b->bits, r);
  return (value_t){ValueWord, w, {.bits = r}, NULL};
}

static value_t magnitude(bitcode_t *p, const value_t *a) {
  lit_t *r = arena_take(p->arena, a->count, sizeof *r);
  bits_negate(p->aig, a->count, a->bits, r);
  bits_mux(p->aig, a->count, a->bits[a->count - 1], r, a->bits, r);
  return (value_t){ValueWord, a->count, {.bits = r}, NULL};
}

static value_t saturated(bitcode_t *p, const value_t *a, const value_t *b) {
  const uint32_t w = a->count;
  lit_t *r = arena_take(p->arena, w, sizeof *r), zero[BitsMost];
  bits_constant(zero, w, 0);
  const lit_t is_below = bits_below(p->aig, w, a->bits, b->bits);
  bits_subtract(p->aig, w, a->bits, b->bits, r);
  bits_mux(p->aig, w, is_below, zero, r, r);
  return (value_t){ValueWord, w, {.bits = r}, NULL};
}

// The upper or lower half of two words shifted as one; the amount counts modulo the width.
static value_t funnel(frame_t *frame, LLVMValueRef call, bool is_left) {
  bitcode_t *p = frame->program;
  const value_t high = argument(frame, call, 0), low = argument(frame, call, 1);
  const value_t amount = argument(frame, call, 2);
  const uint32_t w = high.count;
  uint32_t digits = 0;
  while (1u << digits < w) {
    digits++;
  }
  if (1u << digits != w || 2 * w > BitsMost) {
    bitcode_refuse(call, "a rotation of a width that is no power of two");
  }
  lit_t both[BitsMost], moved[BitsMost];
  memcpy(both, low.bits, w * sizeof *both);
  memcpy(both + w, high.bits, w * sizeof *both);
  bits_shift(p->aig, is_left ? ShiftLeft : ShiftRight, 2 * w, both, digits, amount.bits, moved);
  return value_word(p->arena, w, is_left ? moved + w : moved);
}

// The bytes in the other order.
static value_t swap_bytes(bitcode_t *p, const value_t *a) {
  lit_t *r = arena_take(p->arena, a->count, sizeof *r);
  for (uint32_t i = 0; i < a->count; i++) {
    r[i] = a->bits[a->count - 8 - i / 8 * 8 + i % 8];
  }
  return (value_t){ValueWord, a->count, {.bits = r}, NULL};
}

static bool arithmetic(frame_t *frame, LLVMValueRef call, const char *name, value_t *result) {
  bitcode_t *p = frame->program;
  if (starts(name, "llvm.fshl") || starts(name, "llvm.fshr")) {
    *result = funnel(frame, call, name[8] == 'l');
    return true;
  }
  static const char *const Known[] = {"llvm.ctpop.",    "llvm.cttz.", "llvm.ctlz.", "llvm.umin.",
                                      "llvm.umax.",     "llvm.smin.", "llvm.smax.", "llvm.abs.",
                                      "llvm.usub.sat.", "llvm.bswap."};
  uint32_t k = 0;
  while (k < 10 && !starts(name, Known[k])) {
    k++;
  }
  if (k == 10) {
    return false;
  }
  bitcode_width(LLVMTypeOf(call), call);
  const value_t a = argument(frame, call, 0);
  if (k == 0) {
    *result = count_ones(p, &a);
  } else if (k <= 2) {
    *result = count_zeros(p, &a, k == 2, argument(frame, call, 1).bits[0] == AigTrue);
  } else if (k <= 6) {
    const value_t b = argument(frame, call, 1);
    *result = extreme(p, name, &a, &b);
  } else if (k == 7) {
    *result = magnitude(p, &a);
  } else if (k == 8) {
    const value_t b = argument(frame, call, 1);
    *result = saturated(p, &a, &b);
  } else {
    *result = swap_bytes(p, &a);
  }
  return true;
}

static void name_ring(frame_t *frame, LLVMValueRef call) {
  const value_t elements = argument(frame, call, 0), first = argument(frame, call, 3);
  const target_t *t = elements.targets;
  ring_t *ring = &frame->program->ring;
  if (elements.count != 1 || t->term_count || t->offset < 0 || first.count != 32) {
    bitcode_refuse(call, "a ring whose place is not known");
  }
  *ring = (ring_t){.object = t->object,
                   .count = (uint32_t)known_size(frame, call, 2),
                   .offset = (uint64_t)t->offset,
                   .size = known_size(frame, call, 1)};
  if (ring->offset + ring->size * ring->count > frame->program->memory.objects[t->object].size) {
    bitcode_refuse(call, "a ring with more elements than its object has");
  }
  memcpy(ring->first, first.bits, sizeof ring->first);
}

// A name that the program holds.
static const char *text_of(const frame_t *frame, LLVMValueRef call, uint32_t i) {
  const value_t name = argument(frame, call, i);
  const target_t *t = name.targets;
  if (name.kind != ValuePointer || name.count != 1 || t->term_count) {
    bitcode_refuse(call, "a name that is not known");
  }
  const object_t *o = &frame->program->memory.objects[t->object];
  char *text = arena_take(frame->program->arena, o->size + 1, 1);
  memset(text, 0, o->size + 1);
  for (uint64_t b = (uint64_t)t->offset; b < o->size; b++) {
    text[b - (uint64_t)t->offset] = (char)bits_number(o->bits + b * 8, 8);
  }
  return text;
}

static void name_array(frame_t *frame, LLVMValueRef call) {
  bitcode_t *p = frame->program;
  const value_t elements = argument(frame, call, 1);
  if (elements.count != 1 || elements.targets->term_count || elements.targets->offset) {
    bitcode_refuse(call, "a symbolic memory that is no object of its own");
  }
  if (p->array_count == BitcodeMostArrays) {
    bitcode_refuse(call, "more than 16 symbolic memories");
  }
  p->arrays[p->array_count++] = (element_t){text_of(frame, call, 0), elements.targets->object,
                                            (uint32_t)known_size(frame, call, 2)};
}

// prove_memory(name, words, bits, word, to)
static void read_memory(frame_t *frame, LLVMValueRef call, lit_t guard) {
  bitcode_t *p = frame->program;
  const char *name = text_of(frame, call, 0);
  const uint32_t words = (uint32_t)known_size(frame, call, 1);
  const uint32_t bits = (uint32_t)known_size(frame, call, 2), bytes = (bits + 7) / 8;
  const value_t word = argument(frame, call, 3), to = argument(frame, call, 4);
  lit_t *read = arena_take(p->arena, bytes * 8, sizeof *read);
  bits_constant(read, bytes * 8, 0);
  if (!p->read || !p->read(p->read_context, name, words, bits, word.bits, read)) {
    bitcode_refuse(call, "a word of an RTL memory that is not there, or not known here");
  }
  lit_t missed = AigFalse;
  const value_t value = {ValueWord, bytes * 8, {.bits = read}, NULL};
  instruction_checked(frame, call, memory_store(&p->memory, &to, &value, bytes, guard, &missed),
                      &missed);
}

bool intrinsic_call(frame_t *frame, LLVMValueRef call, const char *name, lit_t guard,
                    value_t *result) {
  static const char *const Nothing[] = {"llvm.lifetime.", "llvm.dbg.", "llvm.assume",
                                        "llvm.ubsantrap", "llvm.experimental.noalias"};
  *result = (value_t){ValueNone, 0, {NULL}, NULL};
  for (size_t i = 0; i < sizeof Nothing / sizeof *Nothing; i++) {
    if (starts(name, Nothing[i])) {
      return true;
    }
  }
  if (starts(name, "llvm.memcpy.") || starts(name, "llvm.memmove.")) {
    move(frame, call, guard, starts(name, "llvm.memcpy."));
  } else if (starts(name, "llvm.memset.")) {
    set(frame, call, guard);
  } else if (strcmp(name, "malloc") == 0 || strcmp(name, "calloc") == 0) {
    *result = allocate(frame, call, name[0] == 'c');
  } else if (strcmp(name, "memcmp") == 0 || strcmp(name, "bcmp") == 0) {
    *result = compare_memory(frame, call, guard);
  } else if (strcmp(name, "prove_check") == 0 || strcmp(name, "prove_assume") == 0 ||
             strcmp(name, "prove_case") == 0) {
    const value_t what = argument(frame, call, 0), ok = argument(frame, call, 1);
    bitcode_check(frame->program, &what, call,
                  aig_and(frame->program->aig, guard, aig_not(ok.bits[0])),
                  name[7] == 'h'   ? ObligationCheck
                  : name[7] == 's' ? ObligationAssumed
                                   : ObligationCase);
  } else if (strcmp(name, "prove_by_value") == 0 || strcmp(name, "prove_by_argument") == 0) {
    by_value_name(frame, call, name[9] == 'a');
  } else if (strcmp(name, "prove_width") == 0) {
    by_value_width(frame, call);
  } else if (strcmp(name, "prove_ring") == 0) {
    name_ring(frame, call);
  } else if (strcmp(name, "prove_symbolic") == 0) {
    name_array(frame, call);
  } else if (strcmp(name, "prove_memory") == 0) {
    read_memory(frame, call, guard);
  } else if (strcmp(name, "free") != 0) {
    return arithmetic(frame, call, name, result);
  }
  return true;
}
