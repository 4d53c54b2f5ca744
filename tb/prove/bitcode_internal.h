// SPDX-License-Identifier: Apache-2.0
// The parts of bitcode.h: constants and globals (bitcode.c), control flow and calls (execute.c),
// instructions (instruction.c), what LLVM and C's library bring along (intrinsic.c).
#ifndef NOCTURNE_PROVE_BITCODE_INTERNAL_H
#define NOCTURNE_PROVE_BITCODE_INTERNAL_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "bitcode.h"
#include "flow.h"

// From what LLVM knows by its address to a number.
typedef struct {
  const void **keys;
  uint32_t *numbers;
  uint32_t count, room;
} index_t;

void index_put(index_t *index, const void *key, uint32_t number);
bool index_find(const index_t *index, const void *key, uint32_t *number);
void index_free(index_t *index);

typedef struct {
  LLVMValueRef value;
  const char *name;
  LLVMBasicBlockRef *blocks;
  flow_t flow;
  index_t values;  // arguments and instructions
  index_t places;  // blocks
  uint32_t value_count;
} function_t;

enum { BitcodeMostTurns = 16, BitcodeMostByValue = 16 };

// A function that is run once for each value of a word of memory, or of an argument.
typedef struct {
  LLVMValueRef function;
  bool is_argument;
  uint32_t argument, object;
  uint64_t offset, size;  // in bytes
  uint32_t count;         // of values
} by_value_t;

struct bitcode {
  aig_t *aig;
  products_t *products;
  arena_t *arena;
  memory_t memory;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetDataRef layout;
  uint32_t bound, depth;
  index_t globals;  // objects
  index_t indices;  // of functions below
  function_t **functions;
  uint32_t function_count, function_room;
  bool is_plain;  // nothing stands for a function
  obligation_t *obligations;
  uint32_t obligation_count, obligation_room;
  by_value_t by_value[BitcodeMostByValue];
  uint32_t by_value_count;
  lit_t given;  // the case that is run: what is noted is noted of it alone
  width_t widths[BitcodeMostWidths];
  uint32_t width_count;
  element_t arrays[BitcodeMostArrays];
  uint32_t array_count;
  bitcode_read_t *read;  // of the RTL's memories; NULL: there are none to read
  void *read_context;
  ring_t ring;                                   // count 0: none
  uint32_t turns[BitcodeMostTurns], turn_count;  // of loops under way, the outermost first
};

// A call that is under way.
typedef struct {
  bitcode_t *program;
  const function_t *function;
  value_t *values;
  struct pending *pending;  // by block
  lit_t *guards;            // by block: of the last turn that ran it
  lit_t entry;              // when it is called
  lit_t local;              // of the block that runs: when control comes to it after that
  value_t result;
} frame_t;

// ---- bitcode.c ----
_Noreturn void bitcode_refuse(LLVMValueRef at, const char *what);
void bitcode_note(bitcode_t *p, const char *why, LLVMValueRef at, lit_t when);
void bitcode_check(bitcode_t *p, const value_t *name, LLVMValueRef at, lit_t broken,
                   obligation_e kind);
value_t bitcode_constant(bitcode_t *p, LLVMValueRef constant, LLVMValueRef at);
value_t bitcode_undefined(bitcode_t *p, LLVMTypeRef type, LLVMValueRef at);
uint32_t bitcode_width(LLVMTypeRef type, LLVMValueRef at);  // of an integer
uint64_t bitcode_size(const bitcode_t *p, LLVMTypeRef type);
// The place that a getelementptr names; get gives an operand's value.
value_t bitcode_element(bitcode_t *p, LLVMValueRef gep, LLVMValueRef at, const frame_t *frame);

// The function, or what the wrapper has instead.
LLVMValueRef bitcode_instead(const bitcode_t *p, LLVMValueRef function);

// ---- by_value.c ----
void by_value_name(frame_t *frame, LLVMValueRef call, bool is_argument);
void by_value_width(frame_t *frame, LLVMValueRef call);
const by_value_t *by_value_find(const bitcode_t *p, LLVMValueRef function);
value_t by_value_call(bitcode_t *p, const by_value_t *split, const value_t *arguments,
                      uint32_t count, lit_t guard, LLVMValueRef at);

// ---- execute.c ----
value_t execute_get(const frame_t *frame, LLVMValueRef value, LLVMValueRef at);
value_t execute_call(bitcode_t *p, LLVMValueRef function, const value_t *arguments, uint32_t count,
                     lit_t guard, LLVMValueRef at);
// The same, as it stands in the program.
value_t execute_plainly(bitcode_t *p, LLVMValueRef function, const value_t *arguments,
                        uint32_t count, lit_t guard, LLVMValueRef at);
// Control goes from the block of `at` to a block.
void execute_edge(frame_t *frame, LLVMValueRef at, LLVMBasicBlockRef to, lit_t when);

// ---- instruction.c ----
// False: nothing has a value.
bool instruction_run(frame_t *frame, LLVMValueRef instruction, lit_t guard, value_t *result);

// ---- intrinsic.c ----
// False: the function is not one of these. A result that is a ValueNone: none.
bool intrinsic_call(frame_t *frame, LLVMValueRef call, const char *name, lit_t guard,
                    value_t *result);
// After an access to memory, which wrote missed: by address, so that it is read after it.
void instruction_checked(frame_t *frame, LLVMValueRef at, bool ok, const lit_t *missed);

#endif
