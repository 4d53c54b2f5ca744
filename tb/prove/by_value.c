// SPDX-License-Identifier: Apache-2.0
// A function of the golden model is run once for each value of a small word: where C indexes by the
// word, or begins a loop at it, each run is a short graph, and all of them together are a fraction
// of the one graph in which the word is unknown. Results and stores are joined by what the word is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitcode_internal.h"

enum { MostValues = 128, MostArguments = 64, MostWordBits = 64 };

// ---- Which functions ----

static uint64_t constant(const frame_t *frame, LLVMValueRef call, uint32_t i) {
  const value_t v = execute_get(frame, LLVMGetOperand(call, i), call);
  if (v.kind != ValueWord || !bits_is_constant(v.bits, v.count)) {
    bitcode_refuse(call, "a function by value, or a width, whose word or number is not known");
  }
  return bits_number(v.bits, v.count);
}

static LLVMValueRef function_named(const frame_t *frame, LLVMValueRef call) {
  const bitcode_t *p = frame->program;
  const value_t name = execute_get(frame, LLVMGetOperand(call, 0), call);
  const object_t *o = &p->memory.objects[name.targets->object];
  char text[256], what[320];
  uint32_t used = 0;
  for (uint64_t i = (uint64_t)name.targets->offset; i < o->size && used + 1 < sizeof text; i++) {
    text[used++] = (char)bits_number(o->bits + i * 8, 8);
  }
  text[used] = '\0';
  LLVMValueRef function = LLVMGetNamedFunction(p->module, text);
  if (!function || LLVMIsDeclaration(function)) {
    snprintf(what, sizeof what, "by value a function %s, which the bitcode does not have", text);
    bitcode_refuse(call, what);
  }
  return function;
}

void by_value_name(frame_t *frame, LLVMValueRef call, bool is_argument) {
  bitcode_t *p = frame->program;
  by_value_t *s = &p->by_value[p->by_value_count];
  if (p->by_value_count == BitcodeMostByValue) {
    bitcode_refuse(call, "more than 16 functions by value");
  }
  *s = (by_value_t){.function = function_named(frame, call), .is_argument = is_argument};
  s->count = (uint32_t)constant(frame, call, is_argument ? 2 : 3);
  if (s->count > MostValues) {
    bitcode_refuse(call, "a function by value of more than 128 values");
  }
  if (is_argument) {
    s->argument = (uint32_t)constant(frame, call, 1);
    if (s->argument >= LLVMCountParams(s->function)) {
      bitcode_refuse(call, "a function by an argument that it does not have");
    }
  } else {
    const value_t word = execute_get(frame, LLVMGetOperand(call, 1), call);
    if (word.count != 1 || word.targets->term_count) {
      bitcode_refuse(call, "a function by a word whose place is not known");
    }
    s->object = word.targets->object;
    s->offset = (uint64_t)word.targets->offset;
    s->size = constant(frame, call, 2);
    if (s->size * 8 > MostWordBits || s->offset + s->size > p->memory.objects[s->object].size) {
      bitcode_refuse(call, "a function by a word of more than 64 bits, or outside its object");
    }
  }
  p->by_value_count++;
}

void by_value_width(frame_t *frame, LLVMValueRef call) {
  bitcode_t *p = frame->program;
  const value_t word = execute_get(frame, LLVMGetOperand(call, 0), call);
  if (p->width_count == BitcodeMostWidths) {
    bitcode_refuse(call, "more than 256 words with a width");
  }
  if (word.count != 1 || word.targets->term_count) {
    bitcode_refuse(call, "the width of a word whose place is not known");
  }
  const width_t w = {word.targets->object, (uint32_t)word.targets->offset * 8,
                     (uint32_t)constant(frame, call, 2), (uint32_t)constant(frame, call, 1) * 8};
  if (w.bits > w.most || w.bit + w.most > p->memory.objects[w.object].size * 8) {
    bitcode_refuse(call, "a width of more bits than the word has, or outside its object");
  }
  p->widths[p->width_count++] = w;
}

const by_value_t *by_value_find(const bitcode_t *p, LLVMValueRef function) {
  for (uint32_t i = 0; i < p->by_value_count; i++) {
    if (p->by_value[i].function == function) {
      return &p->by_value[i];
    }
  }
  return NULL;
}

// ---- A call ----

// Where this run's memory is another one than before the call, it is what the call leaves if the
// word has this value.
static void join_memory(bitcode_t *p, LLVMValueRef at, const memory_t *before, lit_t is,
                        memory_t *joined) {
  for (uint32_t o = 1; o < before->count; o++) {
    const object_t *was = &before->objects[o], *now = &p->memory.objects[o];
    if (was->pointer_count != now->pointer_count) {
      bitcode_refuse(at, "a function by value that stores a pointer");
    }
    for (uint32_t i = 0; i < was->pointer_count; i++) {
      if (was->pointers[i].value.targets != now->pointers[i].value.targets) {
        bitcode_refuse(at, "a function by value that stores a pointer");
      }
    }
    if (was->stores != now->stores) {
      bitcode_refuse(at, "a function by value that stores into a symbolic memory");
    }
    for (uint64_t b = 0; b < was->size * 8; b++) {
      if (was->bits[b] != now->bits[b]) {
        lit_t *bit = &joined->objects[o].bits[b];
        *bit = aig_mux(p->aig, is, now->bits[b], *bit);
      }
    }
  }
}

// One of several words; conditions that exclude each other tell which.
static value_t join(bitcode_t *p, lit_t is, const value_t *value, const value_t *others) {
  if (value->kind != ValueWord) {
    return value_mux(p->aig, p->arena, is, value, others);
  }
  lit_t *bits = arena_take(p->arena, value->count, sizeof *bits);
  for (uint32_t i = 0; i < value->count; i++) {
    const lit_t rest = others->kind == ValueNone ? (lit_t)AigFalse : others->bits[i];
    bits[i] = aig_or(p->aig, aig_and(p->aig, is, value->bits[i]), rest);
  }
  return (value_t){ValueWord, value->count, {.bits = bits}, NULL};
}

// One run, of a word that is known; the memory is what it leaves.
static value_t run(bitcode_t *p, const by_value_t *s, const value_t *arguments, uint32_t count,
                   uint32_t value, lit_t guard, LLVMValueRef at) {
  value_t given[MostArguments];
  lit_t known[MostWordBits];
  if (count > MostArguments) {
    bitcode_refuse(at, "a function by value of more than 64 arguments");
  }
  memcpy(given, arguments, count * sizeof *given);
  if (s->is_argument) {
    given[s->argument] = value_number(p->arena, given[s->argument].count, value);
    return execute_plainly(p, s->function, given, count, guard, at);
  }
  const uint32_t bits = (uint32_t)s->size * 8;
  lit_t was[MostWordBits];
  memcpy(was, p->memory.objects[s->object].bits + s->offset * 8, bits * sizeof *was);
  bits_constant(known, bits, value);
  memory_put_word(&p->memory.objects[s->object], s->offset, bits, known);
  const value_t result = execute_plainly(p, s->function, given, count, guard, at);
  lit_t *left = p->memory.objects[s->object].bits + s->offset * 8;
  if (memcmp(left, known, bits * sizeof *known) != 0) {
    bitcode_refuse(at, "a function by value of a word that it writes");
  }
  memcpy(left, was, bits * sizeof *was);
  return result;
}

value_t by_value_call(bitcode_t *p, const by_value_t *s, const value_t *arguments, uint32_t count,
                      lit_t guard, LLVMValueRef at) {
  const value_t here = {ValueWord,
                        (uint32_t)s->size * 8,
                        {.bits = p->memory.objects[s->object].bits + s->offset * 8},
                        NULL};
  const value_t word =
      s->is_argument ? arguments[s->argument] : value_word(p->arena, here.count, here.bits);
  if (word.kind != ValueWord || bits_is_constant(word.bits, word.count)) {
    return execute_plainly(p, s->function, arguments, count, guard, at);
  }
  value_t result = {ValueNone, 0, {NULL}, NULL};
  memory_t before, joined;
  const lit_t given = p->given;
  lit_t any = AigFalse;
  memory_copy(&before, &p->memory);
  memory_copy(&joined, &p->memory);
  for (uint32_t k = 0; k < s->count; k++) {
    const lit_t is = bits_is(p->aig, word.count, word.bits, k);
    if (is == AigFalse) {
      continue;
    }
    memory_restore(&p->memory, &before);
    p->given = aig_and(p->aig, given, is);
    const value_t value = run(p, s, arguments, count, k, guard, at);
    p->given = given;
    join_memory(p, at, &before, is, &joined);
    result = value.kind == ValueNone ? result : join(p, is, &value, &result);
    any = aig_or(p->aig, any, is);
  }
  memory_restore(&p->memory, &joined);
  memory_destroy(&before);
  memory_destroy(&joined);
  bitcode_note(p, "a value beyond those that a function is run by", at,
               aig_and(p->aig, guard, aig_not(any)));
  return result;
}
