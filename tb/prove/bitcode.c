// SPDX-License-Identifier: Apache-2.0
#include <llvm-c/BitReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitcode_internal.h"

// ---- What LLVM knows, by number ----

static uint32_t index_slot(const index_t *x, const void *key) {
  uint32_t at = (uint32_t)(((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 32) & (x->room - 1);
  while (x->keys[at] && x->keys[at] != key) {
    at = (at + 1) & (x->room - 1);
  }
  return at;
}

void index_put(index_t *x, const void *key, uint32_t number) {
  if (x->count * 2 >= x->room) {
    index_t old = *x;
    x->room = old.room ? old.room * 2 : 64;
    x->keys = fault_calloc(x->room, sizeof *x->keys);
    x->numbers = fault_calloc(x->room, sizeof *x->numbers);
    for (uint32_t i = 0; i < old.room; i++) {
      if (old.keys[i]) {
        uint32_t at = index_slot(x, old.keys[i]);
        x->keys[at] = old.keys[i];
        x->numbers[at] = old.numbers[i];
      }
    }
    index_free(&old);
  }
  uint32_t at = index_slot(x, key);
  x->count += !x->keys[at];
  x->keys[at] = key;
  x->numbers[at] = number;
}

bool index_find(const index_t *x, const void *key, uint32_t *number) {
  if (!x->room) {
    return false;
  }
  uint32_t at = index_slot(x, key);
  *number = x->numbers[at];
  return x->keys[at] != NULL;
}

void index_free(index_t *x) {
  free(x->keys);
  free(x->numbers);
}

// ---- Complaints and obligations ----

static void put_place(LLVMValueRef at, char *text, size_t size) {
  unsigned length = 0;
  size_t name_length = 0;
  LLVMValueRef function = NULL;
  if (at && LLVMIsAInstruction(at)) {
    function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
  }
  const char *name = function ? LLVMGetValueName2(function, &name_length) : "a global";
  const char *file = function ? LLVMGetDebugLocFilename(at, &length) : NULL;
  const char *last = file ? strrchr(file, '/') : NULL;
  if (last) {
    length -= (unsigned)(last + 1 - file);
    file = last + 1;
  }
  if (file) {
    snprintf(text, size, "%s, %.*s:%u", name, (int)length, file, LLVMGetDebugLocLine(at));
  } else {
    snprintf(text, size, "%s", name);
  }
}

_Noreturn void bitcode_refuse(LLVMValueRef at, const char *what) {
  char place[256];
  put_place(at, place, sizeof place);
  fault(FaultUsage, "not known to the translator: %s, in %s", what, place);
}

// Which turns of the loops under way, of all calls.
static const char *instance(const bitcode_t *p) {
  char text[16 + 8 * BitcodeMostTurns] = "";
  const uint32_t count = p->turn_count < BitcodeMostTurns ? p->turn_count : BitcodeMostTurns;
  size_t used = 0;
  for (uint32_t i = 0; i < count; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used, i ? ", %u" : " (turn %u",
                             p->turns[i] % 100000);
  }
  char *kept = arena_take(p->arena, used + 2, 1);
  strcpy(kept, text);
  return strcat(kept, used ? ")" : "");
}

// Every instance of a check counts by itself: it is small, and of few words. One that holds for
// sure only tells that there is such a check.
static void add_obligation(bitcode_t *p, const char *what, lit_t broken, obligation_e kind) {
  const bool is_instance = kind == ObligationCheck && broken != AigFalse;
  for (uint32_t i = 0; i < p->obligation_count && !is_instance; i++) {
    if (p->obligations[i].kind == kind && strcmp(p->obligations[i].what, what) == 0) {
      p->obligations[i].broken = aig_or(p->aig, p->obligations[i].broken, broken);
      return;
    }
  }
  if (p->obligation_count == p->obligation_room) {
    p->obligation_room = p->obligation_room ? p->obligation_room * 2 : 64;
    p->obligations = fault_realloc(p->obligations, p->obligation_room, sizeof *p->obligations);
  }
  char *kept = arena_take(p->arena, strlen(what) + 1, 1);
  strcpy(kept, what);
  p->obligations[p->obligation_count++] =
      (obligation_t){kept, is_instance ? instance(p) : "", broken, kind};
}

void bitcode_note(bitcode_t *p, const char *why, LLVMValueRef at, lit_t when) {
  char place[256], text[320];
  when = aig_and(p->aig, p->given, when);
  if (when == AigFalse) {
    return;
  }
  put_place(at, place, sizeof place);
  snprintf(text, sizeof text, "%s in %s", why, place);
  add_obligation(p, text, when, ObligationOwed);
}

void bitcode_check(bitcode_t *p, const value_t *name, LLVMValueRef at, lit_t broken,
                   obligation_e kind) {
  char text[160];
  uint32_t used = 0;
  const target_t *t = name->targets;
  if (name->count != 1 || t->term_count || !p->memory.objects[t->object].is_constant) {
    bitcode_refuse(at, "a check whose name is not a string");
  }
  const object_t *o = &p->memory.objects[t->object];
  for (uint64_t i = (uint64_t)t->offset; i < o->size && used + 1 < sizeof text; i++) {
    text[used++] = (char)bits_number(o->bits + i * 8, 8);
  }
  text[used] = '\0';
  add_obligation(p, text, aig_and(p->aig, p->given, broken), kind);
}

const obligation_t *bitcode_obligations(const bitcode_t *p, uint32_t *count) {
  *count = p->obligation_count;
  return p->obligations;
}

void bitcode_clear_obligations(bitcode_t *p) {
  p->obligation_count = 0;
  p->ring.count = 0;
}

const width_t *bitcode_widths(const bitcode_t *p, uint32_t *count) {
  *count = p->width_count;
  return p->widths;
}

const ring_t *bitcode_ring(const bitcode_t *p) { return p->ring.count ? &p->ring : NULL; }

// ---- Types and constants ----

uint32_t bitcode_width(LLVMTypeRef type, LLVMValueRef at) {
  switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
      if (LLVMGetIntTypeWidth(type) > BitsMost) {
        bitcode_refuse(at, "an integer of more than 4096 bits");
      }
      return LLVMGetIntTypeWidth(type);
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMX86_FP80TypeKind:
    case LLVMHalfTypeKind:
    case LLVMFP128TypeKind: bitcode_refuse(at, "floating point");
    case LLVMVectorTypeKind: bitcode_refuse(at, "a vector");
    default: bitcode_refuse(at, "a type that is neither integer nor pointer");
  }
}

uint64_t bitcode_size(const bitcode_t *p, LLVMTypeRef type) {
  return LLVMABISizeOfType(p->layout, type);
}

value_t bitcode_undefined(bitcode_t *p, LLVMTypeRef type, LLVMValueRef at) {
  const LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMPointerTypeKind) {
    return value_pointer(p->arena, ObjectNull, 0);
  }
  if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind) {
    return value_number(p->arena, bitcode_width(type, at), 0);
  }
  const bool is_struct = kind == LLVMStructTypeKind;
  const uint32_t count = is_struct ? LLVMCountStructElementTypes(type) : LLVMGetArrayLength(type);
  value_t *members = arena_take(p->arena, count, sizeof *members);
  for (uint32_t i = 0; i < count; i++) {
    members[i] = bitcode_undefined(
        p, is_struct ? LLVMStructGetTypeAtIndex(type, i) : LLVMGetElementType(type), at);
  }
  return (value_t){ValueGroup, count, {.members = members}, NULL};
}

static value_t integer(bitcode_t *p, LLVMValueRef c, LLVMValueRef at) {
  const uint32_t width = bitcode_width(LLVMTypeOf(c), at);
  if (width <= 64) {
    return value_number(p->arena, width, LLVMConstIntGetZExtValue(c));
  }
  lit_t *bits = arena_take(p->arena, width, sizeof *bits);
  LLVMTypeRef word = LLVMIntTypeInContext(p->context, 64);
  for (uint32_t k = 0; k < width; k += 64) {
    LLVMValueRef part = LLVMConstTrunc(LLVMConstLShr(c, LLVMConstInt(LLVMTypeOf(c), k, 0)), word);
    bits_constant(bits + k, width - k < 64 ? width - k : 64, LLVMConstIntGetZExtValue(part));
  }
  return (value_t){ValueWord, width, {.bits = bits}, NULL};
}

static uint32_t object_of(bitcode_t *p, LLVMValueRef global);

value_t bitcode_constant(bitcode_t *p, LLVMValueRef c, LLVMValueRef at) {
  if (LLVMIsAConstantInt(c)) {
    return integer(p, c, at);
  }
  if (LLVMIsUndef(c) || LLVMIsNull(c)) {
    return bitcode_undefined(p, LLVMTypeOf(c), at);
  }
  if (LLVMIsAFunction(c) || LLVMIsAGlobalVariable(c)) {
    return value_pointer(p->arena, object_of(p, c), 0);
  }
  if (LLVMIsAConstantExpr(c)) {
    switch (LLVMGetConstOpcode(c)) {
      case LLVMBitCast: return bitcode_constant(p, LLVMGetOperand(c, 0), at);
      case LLVMGetElementPtr: return bitcode_element(p, c, at, NULL);
      default:
        bitcode_refuse(at, "a constant expression that is neither a cast nor an element's place");
    }
  }
  if (LLVMIsAConstantStruct(c)) {
    const uint32_t count = (uint32_t)LLVMGetNumOperands(c);
    value_t *members = arena_take(p->arena, count, sizeof *members);
    for (uint32_t i = 0; i < count; i++) {
      members[i] = bitcode_constant(p, LLVMGetOperand(c, i), at);
    }
    return (value_t){ValueGroup, count, {.members = members}, NULL};
  }
  bitcode_width(LLVMTypeOf(c), at);
  bitcode_refuse(at, "a constant of this kind");
}

value_t bitcode_element(bitcode_t *p, LLVMValueRef gep, LLVMValueRef at, const frame_t *frame) {
  value_t place = frame ? execute_get(frame, LLVMGetOperand(gep, 0), at)
                        : bitcode_constant(p, LLVMGetOperand(gep, 0), at);
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  for (uint32_t i = 1; i < (uint32_t)LLVMGetNumOperands(gep); i++) {
    LLVMValueRef operand = LLVMGetOperand(gep, i);
    if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      const uint32_t member = (uint32_t)LLVMConstIntGetZExtValue(operand);
      place =
          value_advance(p->arena, &place, (int64_t)LLVMOffsetOfElement(p->layout, type, member));
      type = LLVMStructGetTypeAtIndex(type, member);
      continue;
    }
    if (i > 1) {
      if (LLVMGetTypeKind(type) != LLVMArrayTypeKind) {
        bitcode_refuse(at, "an element of something that is neither a struct nor an array");
      }
      type = LLVMGetElementType(type);
    }
    const value_t index =
        frame ? execute_get(frame, operand, at) : bitcode_constant(p, operand, at);
    place = value_index(p->arena, &place, &index, (int64_t)bitcode_size(p, type));
  }
  return place;
}

// ---- Globals ----

static void fill(bitcode_t *p, object_t *o, LLVMValueRef c, uint64_t offset) {
  LLVMTypeRef type = LLVMTypeOf(c);
  const LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (LLVMIsUndef(c) || LLVMIsNull(c)) {
    return;
  }
  if (kind == LLVMPointerTypeKind) {
    const value_t v = bitcode_constant(p, c, NULL);
    memory_put_pointer(o, (int64_t)offset, &v);
  } else if (kind == LLVMStructTypeKind) {
    for (uint32_t i = 0; i < LLVMCountStructElementTypes(type); i++) {
      fill(p, o, LLVMGetOperand(c, i), offset + LLVMOffsetOfElement(p->layout, type, i));
    }
  } else if (kind == LLVMArrayTypeKind) {
    const uint64_t size = bitcode_size(p, LLVMGetElementType(type));
    for (uint32_t i = 0; i < LLVMGetArrayLength(type); i++) {
      fill(p, o,
           LLVMIsAConstantDataSequential(c) ? LLVMGetElementAsConstant(c, i) : LLVMGetOperand(c, i),
           offset + i * size);
    }
  } else {
    const value_t v = bitcode_constant(p, c, NULL);
    memory_put_word(o, offset, v.count, v.bits);
  }
}

static uint32_t object_of(bitcode_t *p, LLVMValueRef global) {
  uint32_t number;
  size_t length;
  if (index_find(&p->globals, global, &number)) {
    return number;
  }
  const char *name = LLVMGetValueName2(global, &length);
  const bool is_variable = LLVMIsAGlobalVariable(global) != NULL;
  number = memory_new(&p->memory, name,
                      is_variable ? bitcode_size(p, LLVMGlobalGetValueType(global)) : 0);
  index_put(&p->globals, global, number);
  if (is_variable && LLVMGetInitializer(global)) {
    object_t made = p->memory.objects[number];  // others may be made, and move it
    fill(p, &made, LLVMGetInitializer(global), 0);
    made.is_constant = LLVMIsGlobalConstant(global);
    p->memory.objects[number] = made;
  }
  if (!is_variable) {
    p->memory.objects[number].function = global;
  }
  return number;
}

uint32_t bitcode_object(bitcode_t *p, const char *name) {
  LLVMValueRef global = LLVMGetNamedGlobal(p->module, name);
  return global ? object_of(p, global) : ObjectNull;
}

memory_t *bitcode_memory(bitcode_t *p) { return &p->memory; }
arena_t *bitcode_arena(bitcode_t *p) { return p->arena; }

const element_t *bitcode_arrays(const bitcode_t *p, uint32_t *count) {
  *count = p->array_count;
  return p->arrays;
}

void bitcode_read_with(bitcode_t *p, bitcode_read_t *read, void *context) {
  p->read = read;
  p->read_context = context;
}

// ---- Loading ----

bitcode_t *bitcode_load(const char *path, aig_t *aig, products_t *products, uint32_t bound) {
  bitcode_t *p = fault_calloc(1, sizeof *p);
  LLVMMemoryBufferRef buffer;
  char *why = NULL;
  p->aig = aig;
  p->products = products;
  p->bound = bound;
  p->given = AigTrue;
  p->arena = arena_create();
  p->context = LLVMContextCreate();
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &why)) {
    fault(FaultUsage, "%s: %s", path, why);
  }
  if (LLVMParseBitcodeInContext2(p->context, buffer, &p->module)) {
    fault(FaultUsage, "%s: not LLVM 14's bitcode", path);
  }
  LLVMDisposeMemoryBuffer(buffer);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(p->module, "function(loop-simplify,lcssa)", NULL, options);
  LLVMDisposePassBuilderOptions(options);
  if (error) {
    fault(FaultUsage, "%s: %s", path, LLVMGetErrorMessage(error));
  }
  p->layout = LLVMGetModuleDataLayout(p->module);
  memory_create(&p->memory, aig, p->arena);
  p->memory.arrays = arrays_create(aig, p->arena);
  // All now: memory is taken back to earlier copies, and their numbers must last.
  for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
    object_of(p, f);
  }
  for (LLVMValueRef g = LLVMGetFirstGlobal(p->module); g; g = LLVMGetNextGlobal(g)) {
    object_of(p, g);
  }
  p->memory.stored = bitcode_object(p, "Any") == ObjectNull ? NULL : stored_create();
  return p;
}

void bitcode_destroy(bitcode_t *p) {
  for (uint32_t i = 0; i < p->function_count; i++) {
    flow_destroy(&p->functions[i]->flow);
    index_free(&p->functions[i]->values);
    index_free(&p->functions[i]->places);
    free(p->functions[i]->blocks);
    free(p->functions[i]);
  }
  free(p->functions);
  index_free(&p->globals);
  index_free(&p->indices);
  free(p->obligations);
  if (p->memory.stored) {
    stored_destroy(p->memory.stored);
  }
  arrays_destroy(p->memory.arrays);
  memory_destroy(&p->memory);
  arena_destroy(p->arena);
  LLVMDisposeModule(p->module);
  LLVMContextDispose(p->context);
  free(p);
}

bool bitcode_has(const bitcode_t *p, const char *function) {
  LLVMValueRef f = LLVMGetNamedFunction(p->module, function);
  return f && !LLVMIsDeclaration(f);
}

value_t bitcode_call(bitcode_t *p, const char *function, const value_t *arguments, uint32_t count) {
  if (!bitcode_has(p, function)) {
    fault(FaultUsage, "the program has no function %s", function);
  }
  return execute_call(p, LLVMGetNamedFunction(p->module, function), arguments, count, AigTrue,
                      NULL);
}

// ---- Functions for which others stand ----

static const char Prefix[] = "prove_instead_";

LLVMValueRef bitcode_instead(const bitcode_t *p, LLVMValueRef function) {
  char name[256];
  size_t length;
  snprintf(name, sizeof name, "%s%s", Prefix, LLVMGetValueName2(function, &length));
  LLVMValueRef other = p->is_plain ? NULL : LLVMGetNamedFunction(p->module, name);
  return other ? other : function;
}

const char *bitcode_replaced(const bitcode_t *p, uint32_t i) {
  for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    if (strncmp(name, Prefix, strlen(Prefix)) == 0 && i-- == 0) {
      return name + strlen(Prefix);
    }
  }
  return NULL;
}

static bool is_pure(LLVMValueRef function) {
  const unsigned kind = LLVMGetEnumAttributeKindForName("readnone", 8);
  return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                     kind) != NULL;
}

void bitcode_compare(bitcode_t *p, const char *name) {
  LLVMValueRef function = LLVMGetNamedFunction(p->module, name);
  if (!function || !is_pure(function)) {
    fault(FaultUsage, "prove_instead_%s: %s is no function that only reads its arguments", name,
          name);
  }
  LLVMValueRef other = bitcode_instead(p, function);
  const uint32_t count = LLVMCountParams(function);
  value_t *arguments = arena_take(p->arena, count, sizeof *arguments);
  if (LLVMTypeOf(function) != LLVMTypeOf(other)) {
    fault(FaultUsage, "prove_instead_%s: not of %s's type", name, name);
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t width = bitcode_width(LLVMTypeOf(LLVMGetParam(function, i)), NULL);
    lit_t *bits = arena_take(p->arena, width, sizeof *bits);
    for (uint32_t b = 0; b < width; b++) {
      bits[b] = aig_variable(p->aig);
    }
    arguments[i] = (value_t){ValueWord, width, {.bits = bits}, NULL};
  }
  bitcode_clear_obligations(p);
  const value_t actual = execute_call(p, other, arguments, count, AigTrue, NULL);
  lit_t given = AigTrue;
  for (uint32_t i = 0; i < p->obligation_count; i++) {
    given = aig_and(p->aig, given, aig_not(p->obligations[i].broken));
  }
  bitcode_clear_obligations(p);
  p->is_plain = true;
  const value_t expected = execute_call(p, function, arguments, count, AigTrue, NULL);
  p->is_plain = false;
  char *what = arena_take(p->arena, strlen(name) + 64, 1);
  for (uint32_t i = expected.count; i-- > 0;) {
    snprintf(what, strlen(name) + 64, "%s gives what stands for it, bit %u", name, i);
    add_obligation(p, what, aig_xor(p->aig, expected.bits[i], actual.bits[i]), ObligationCheck);
  }
  for (uint32_t i = 0; i < p->obligation_count; i++) {
    p->obligations[i].broken = aig_and(p->aig, given, p->obligations[i].broken);
  }
}
