// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "bitcode_internal.h"

static value_t operand(const frame_t *frame, LLVMValueRef at, uint32_t i) {
  return execute_get(frame, LLVMGetOperand(at, i), at);
}

static value_t word(const frame_t *frame, LLVMValueRef at, uint32_t i) {
  const value_t v = operand(frame, at, i);
  if (v.kind != ValueWord) {
    bitcode_refuse(at, "a pointer or a struct where a number is expected");
  }
  return v;
}

void instruction_checked(frame_t *frame, LLVMValueRef at, bool ok, const lit_t *missed) {
  if (!ok) {
    bitcode_refuse(at, frame->program->memory.refusal);
  }
  bitcode_note(frame->program, "an access out of bounds", at, *missed);
}

// ---- Arithmetic ----

static void absolute(aig_t *aig, uint32_t width, const lit_t *a, lit_t *result) {
  lit_t negative[BitsMost];
  bits_negate(aig, width, a, negative);
  bits_mux(aig, width, a[width - 1], negative, a, result);
}

static void divide(frame_t *frame, LLVMValueRef at, LLVMOpcode code, const value_t *a,
                   const value_t *b, lit_t guard, lit_t *result) {
  aig_t *aig = frame->program->aig;
  const uint32_t width = a->count;
  const bool is_signed = code == LLVMSDiv || code == LLVMSRem;
  const bool is_rest = code == LLVMURem || code == LLVMSRem;
  const lit_t *x = a->bits, *y = b->bits;
  lit_t positive_x[BitsMost], positive_y[BitsMost], quotient[BitsMost], rest[BitsMost];
  lit_t negative[BitsMost], zero[BitsMost];
  bits_constant(zero, width, 0);
  bitcode_note(frame->program, "a division by 0", at,
               aig_and(aig, guard, bits_equal(aig, width, y, zero)));
  if (is_signed) {
    absolute(aig, width, x, positive_x);
    absolute(aig, width, y, positive_y);
    bits_divide(aig, width, positive_x, positive_y, quotient, rest);
  } else {
    bits_divide(aig, width, x, y, quotient, rest);
    // Neither is more than what is divided: so it is known where they are 0.
    for (uint32_t i = width; i-- > 0 && x[i] == AigFalse;) {
      quotient[i] = rest[i] = AigFalse;
    }
  }
  memcpy(result, is_rest ? rest : quotient, width * sizeof *result);
  if (is_signed) {
    const lit_t sign = is_rest ? x[width - 1] : aig_xor(aig, x[width - 1], y[width - 1]);
    bits_negate(aig, width, result, negative);
    bits_mux(aig, width, sign, negative, result, result);
  }
}

static value_t arithmetic(frame_t *frame, LLVMValueRef at, LLVMOpcode code, lit_t guard) {
  aig_t *aig = frame->program->aig;
  const value_t a = word(frame, at, 0), b = word(frame, at, 1);
  const uint32_t w = a.count;
  lit_t *r = arena_take(frame->program->arena, w, sizeof *r);
  switch (code) {
    case LLVMAdd: bits_add(aig, w, a.bits, b.bits, AigFalse, r); break;
    case LLVMSub: bits_subtract(aig, w, a.bits, b.bits, r); break;
    case LLVMMul: products_multiply(frame->program->products, w, a.bits, b.bits, r); break;
    case LLVMShl: bits_shift(aig, ShiftLeft, w, a.bits, w, b.bits, r); break;
    case LLVMLShr: bits_shift(aig, ShiftRight, w, a.bits, w, b.bits, r); break;
    case LLVMAShr: bits_shift(aig, ShiftArithmetic, w, a.bits, w, b.bits, r); break;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
      for (uint32_t i = 0; i < w; i++) {
        r[i] = code == LLVMAnd  ? aig_and(aig, a.bits[i], b.bits[i])
               : code == LLVMOr ? aig_or(aig, a.bits[i], b.bits[i])
                                : aig_xor(aig, a.bits[i], b.bits[i]);
      }
      break;
    default: divide(frame, at, code, &a, &b, guard, r);
  }
  return (value_t){ValueWord, w, {.bits = r}, NULL};
}

static value_t resize(frame_t *frame, LLVMValueRef at, bool is_signed) {
  const value_t a = word(frame, at, 0);
  const uint32_t w = bitcode_width(LLVMTypeOf(at), at);
  lit_t *r = arena_take(frame->program->arena, w, sizeof *r);
  for (uint32_t i = 0; i < w; i++) {
    r[i] = i < a.count ? a.bits[i] : is_signed ? a.bits[a.count - 1] : (lit_t)AigFalse;
  }
  return (value_t){ValueWord, w, {.bits = r}, NULL};
}

// ---- Comparisons ----

static lit_t compare_pointers(frame_t *frame, LLVMValueRef at, const value_t *a, const value_t *b) {
  lit_t same;
  if (!value_same_place(frame->program->aig, a, b, &same)) {
    bitcode_refuse(at, "a comparison of pointers into one object");
  }
  switch (LLVMGetICmpPredicate(at)) {
    case LLVMIntEQ: return same;
    case LLVMIntNE: return aig_not(same);
    default: bitcode_refuse(at, "an order of pointers");
  }
}

static uint32_t unknown_bits(const value_t *word) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < word->count; i++) {
    count += word->bits[i] > AigTrue;
  }
  return count;
}

// Words are compared where one of the two is one of several: each of them by itself, so that a
// comparison of two words of memory is there once, however they are come by. Short words are not
// worth it.
static bool below(aig_t *aig, const value_t *a, const value_t *b, lit_t *result) {
  enum { LeastBits = 8, MostPairs = 64 };
  choice_t as[MostPairs], bs[MostPairs];
  const uint32_t width = a->count;
  const bool is_wide = unknown_bits(a) >= LeastBits && unknown_bits(b) >= LeastBits;
  const uint32_t m = is_wide ? value_choices(aig, a, as, MostPairs) : 0;
  const uint32_t n = m ? value_choices(aig, b, bs, MostPairs) : 0;
  if (m * n < 2 || m * n > MostPairs) {
    return false;
  }
  *result = AigFalse;
  for (uint32_t i = 0; i < m; i++) {
    for (uint32_t k = 0; k < n; k++) {
      const lit_t both = aig_and(aig, as[i].when, bs[k].when);
      const lit_t is = both == AigFalse ? both : bits_below(aig, width, as[i].bits, bs[k].bits);
      *result = aig_or(aig, *result, aig_and(aig, both, is));
    }
  }
  return true;
}

static lit_t compare(frame_t *frame, LLVMValueRef at) {
  aig_t *aig = frame->program->aig;
  const value_t a = operand(frame, at, 0), b = operand(frame, at, 1);
  const uint32_t w = a.count;
  const LLVMIntPredicate predicate = LLVMGetICmpPredicate(at);
  if (a.kind == ValuePointer) {
    return compare_pointers(frame, at, &a, &b);
  }
  lit_t x[BitsMost], y[BitsMost], result;
  const bool is_up = predicate == LLVMIntUGT || predicate == LLVMIntULE;
  if (predicate >= LLVMIntUGT && predicate <= LLVMIntULE &&
      below(aig, is_up ? &b : &a, is_up ? &a : &b, &result)) {
    return result ^ (lit_t)(predicate == LLVMIntUGE || predicate == LLVMIntULE);
  }
  memcpy(x, a.bits, w * sizeof *x);
  memcpy(y, b.bits, w * sizeof *y);
  if (predicate >= LLVMIntSGT) {  // signed: as unsigned with the sign turned round
    x[w - 1] = aig_not(x[w - 1]);
    y[w - 1] = aig_not(y[w - 1]);
  }
  switch (predicate) {
    case LLVMIntEQ: return bits_equal(aig, w, x, y);
    case LLVMIntNE: return aig_not(bits_equal(aig, w, x, y));
    case LLVMIntULT:
    case LLVMIntSLT: return bits_below(aig, w, x, y);
    case LLVMIntUGT:
    case LLVMIntSGT: return bits_below(aig, w, y, x);
    case LLVMIntULE:
    case LLVMIntSLE: return aig_not(bits_below(aig, w, y, x));
    default: return aig_not(bits_below(aig, w, x, y));
  }
}

// ---- Memory ----

static value_t load(frame_t *frame, LLVMValueRef at, lit_t guard) {
  bitcode_t *p = frame->program;
  LLVMTypeRef type = LLVMTypeOf(at);
  const value_t place = operand(frame, at, 0);
  lit_t missed = AigFalse;
  value_t v;
  const bool ok =
      LLVMGetTypeKind(type) == LLVMPointerTypeKind
          ? memory_load_pointer(&p->memory, &place, guard, &v, &missed)
          : memory_load_word(&p->memory, &place, bitcode_width(type, at), guard, &v, &missed);
  instruction_checked(frame, at, ok, &missed);
  return v;
}

static void store(frame_t *frame, LLVMValueRef at, lit_t guard) {
  bitcode_t *p = frame->program;
  const value_t value = operand(frame, at, 0), place = operand(frame, at, 1);
  lit_t missed = AigFalse;
  if (value.kind == ValueGroup) {
    bitcode_refuse(at, "a struct stored whole");
  }
  const uint64_t bytes = LLVMStoreSizeOfType(p->layout, LLVMTypeOf(LLVMGetOperand(at, 0)));
  instruction_checked(frame, at, memory_store(&p->memory, &place, &value, bytes, guard, &missed),
                      &missed);
}

static value_t reserve(frame_t *frame, LLVMValueRef at) {
  bitcode_t *p = frame->program;
  const value_t count = operand(frame, at, 0);
  if (!bits_is_constant(count.bits, count.count)) {
    bitcode_refuse(at, "an array of unknown length");
  }
  const uint64_t size =
      bitcode_size(p, LLVMGetAllocatedType(at)) * bits_number(count.bits, count.count);
  return value_pointer(p->arena, memory_new(&p->memory, frame->function->name, size), 0);
}

// ---- Groups ----

static value_t extract(frame_t *frame, LLVMValueRef at) {
  value_t v = operand(frame, at, 0);
  const unsigned *indices = LLVMGetIndices(at);
  for (uint32_t i = 0; i < LLVMGetNumIndices(at); i++) {
    v = v.members[indices[i]];
  }
  return v;
}

static value_t inserted(arena_t *arena, const value_t *group, const value_t *part,
                        const unsigned *indices, uint32_t depth) {
  if (depth == 0) {
    return *part;
  }
  const value_t copy = value_group(arena, group->count, group->members);
  ((value_t *)copy.members)[*indices] =
      inserted(arena, &group->members[*indices], part, indices + 1, depth - 1);
  return copy;
}

static value_t insert(frame_t *frame, LLVMValueRef at) {
  const value_t group = operand(frame, at, 0), part = operand(frame, at, 1);
  return inserted(frame->program->arena, &group, &part, LLVMGetIndices(at), LLVMGetNumIndices(at));
}

// ---- Control ----

static void branch(frame_t *frame, LLVMValueRef at) {
  const lit_t guard = frame->local;
  aig_t *aig = frame->program->aig;
  if (!LLVMIsConditional(at)) {
    execute_edge(frame, at, LLVMGetSuccessor(at, 0), guard);
    return;
  }
  const lit_t c = execute_get(frame, LLVMGetCondition(at), at).bits[0];
  LLVMBasicBlockRef then = LLVMGetSuccessor(at, 0), otherwise = LLVMGetSuccessor(at, 1);
  if (then == otherwise) {
    execute_edge(frame, at, then, guard);
    return;
  }
  execute_edge(frame, at, then, aig_and(aig, guard, c));
  execute_edge(frame, at, otherwise, aig_and(aig, guard, aig_not(c)));
}

static void choose(frame_t *frame, LLVMValueRef at) {
  const lit_t guard = frame->local;
  aig_t *aig = frame->program->aig;
  const value_t v = word(frame, at, 0);
  lit_t rest = guard;
  for (uint32_t i = 2; i + 1 < (uint32_t)LLVMGetNumOperands(at); i += 2) {
    const value_t number = operand(frame, at, i);
    const lit_t is = bits_equal(aig, v.count, v.bits, number.bits);
    execute_edge(frame, at, LLVMValueAsBasicBlock(LLVMGetOperand(at, i + 1)),
                 aig_and(aig, guard, is));
    rest = aig_and(aig, rest, aig_not(is));
  }
  execute_edge(frame, at, LLVMGetSwitchDefaultDest(at), rest);
}

static void give_back(frame_t *frame, LLVMValueRef at) {
  bitcode_t *p = frame->program;
  if (LLVMGetNumOperands(at)) {
    const value_t v = operand(frame, at, 0);
    frame->result = value_mux(p->aig, p->arena, frame->local, &v, &frame->result);
  }
}

static value_t call(frame_t *frame, LLVMValueRef at, lit_t guard) {
  bitcode_t *p = frame->program;
  LLVMValueRef callee = LLVMGetCalledValue(at);
  value_t result = {ValueNone, 0, {NULL}, NULL};
  size_t length;
  if (LLVMIsAFunction(callee) &&
      intrinsic_call(frame, at, LLVMGetValueName2(callee, &length), guard, &result)) {
    return result;
  }
  const uint32_t count = LLVMGetNumArgOperands(at);
  value_t *arguments = arena_take(p->arena, count, sizeof *arguments);
  for (uint32_t i = 0; i < count; i++) {
    arguments[i] = operand(frame, at, i);
  }
  const value_t target = LLVMIsAInlineAsm(callee) ? result : execute_get(frame, callee, at);
  if (target.kind != ValuePointer) {
    bitcode_refuse(at, "a call of assembly");
  }
  lit_t called = AigFalse;
  for (uint32_t i = 0; i < target.count; i++) {
    LLVMValueRef function = (LLVMValueRef)p->memory.objects[target.targets[i].object].function;
    const lit_t when = aig_and(p->aig, guard, target.targets[i].when);
    if (!function || when == AigFalse) {
      continue;
    }
    if (LLVMIsDeclaration(function)) {
      char what[160];
      snprintf(what, sizeof what, "the function %s", LLVMGetValueName2(function, &length));
      bitcode_refuse(at, what);
    }
    const value_t v = execute_call(p, bitcode_instead(p, function), arguments, count, when, at);
    result = value_mux(p->aig, p->arena, target.targets[i].when, &v, &result);
    called = aig_or(p->aig, called, target.targets[i].when);
  }
  bitcode_note(p, "a call of nothing", at, aig_and(p->aig, guard, aig_not(called)));
  if (result.kind == ValueNone && LLVMGetTypeKind(LLVMTypeOf(at)) != LLVMVoidTypeKind) {
    result = bitcode_undefined(p, LLVMTypeOf(at), at);
  }
  return result;
}

// ---- All of them ----

static bool is_arithmetic(LLVMOpcode code) {
  switch (code) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: return true;
    default: return false;
  }
}

// Runs an instruction that hands control on. False: it is none of these.
static bool run_control(frame_t *frame, LLVMValueRef at, LLVMOpcode code, lit_t guard) {
  switch (code) {
    case LLVMBr: branch(frame, at); return true;
    case LLVMSwitch: choose(frame, at); return true;
    case LLVMRet: give_back(frame, at); return true;
    case LLVMUnreachable:
      bitcode_note(frame->program, "what C leaves undefined", at, guard);
      return true;
    case LLVMStore: store(frame, at, guard); return true;
    default: return false;
  }
}

bool instruction_run(frame_t *frame, LLVMValueRef at, lit_t guard, value_t *result) {
  bitcode_t *p = frame->program;
  const LLVMOpcode code = LLVMGetInstructionOpcode(at);
  if (run_control(frame, at, code, guard)) {
    return false;
  }
  if (is_arithmetic(code)) {
    *result = arithmetic(frame, at, code, guard);
    return true;
  }
  switch (code) {
    case LLVMZExt:
    case LLVMTrunc: *result = resize(frame, at, false); break;
    case LLVMSExt: *result = resize(frame, at, true); break;
    case LLVMFreeze: *result = operand(frame, at, 0); break;
    case LLVMBitCast:
      *result = operand(frame, at, 0);
      if (LLVMGetTypeKind(LLVMTypeOf(at)) != LLVMPointerTypeKind) {
        bitcode_width(LLVMTypeOf(at), at);
      }
      break;
    case LLVMSelect: {
      const value_t a = operand(frame, at, 1), b = operand(frame, at, 2);
      *result = value_mux(p->aig, p->arena, word(frame, at, 0).bits[0], &a, &b);
      break;
    }
    case LLVMICmp: {
      const lit_t l = compare(frame, at);
      *result = value_word(p->arena, 1, &l);
      break;
    }
    case LLVMGetElementPtr: *result = bitcode_element(p, at, at, frame); break;
    case LLVMLoad: *result = load(frame, at, guard); break;
    case LLVMAlloca: *result = reserve(frame, at); break;
    case LLVMExtractValue: *result = extract(frame, at); break;
    case LLVMInsertValue: *result = insert(frame, at); break;
    case LLVMCall: *result = call(frame, at, guard); break;
    default: {
      char *text = LLVMPrintValueToString(at);
      bitcode_refuse(at, text);
    }
  }
  return result->kind != ValueNone;
}
