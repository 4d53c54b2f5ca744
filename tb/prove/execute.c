// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "bitcode_internal.h"

enum { MostDepth = 200, MostTurns = 1 << 16 };

// Control that has reached a block and was not run yet: under which condition, once the function is
// called, and the values of its phis. Neither depends on when it is called, so that a function
// answers the same arguments with the same literals.
typedef struct pending {
  lit_t guard;
  value_t *phis;
} pending_t;

// ---- Functions, once each ----

static uint32_t place_of(const function_t *f, LLVMBasicBlockRef block) {
  uint32_t place = 0;
  index_find(&f->places, block, &place);
  return place;
}

static void find_flow(function_t *f, uint32_t blocks) {
  uint32_t *first = fault_calloc(blocks + 1, sizeof *first), edges = 0, where = 0;
  for (uint32_t i = 0; i < blocks; i++) {
    edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(f->blocks[i]));
  }
  uint32_t *successors = fault_calloc(edges, sizeof *successors);
  edges = 0;
  for (uint32_t i = 0; i < blocks; i++) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(f->blocks[i]);
    for (uint32_t k = 0; k < LLVMGetNumSuccessors(last); k++) {
      successors[edges++] = place_of(f, LLVMGetSuccessor(last, k));
    }
    first[i + 1] = edges;
  }
  const graph_t graph = {blocks, first, successors};
  if (!flow_create(&f->flow, &graph, &where)) {
    bitcode_refuse(LLVMGetBasicBlockTerminator(f->blocks[where]), "a jump into a loop");
  }
  free(successors);
  free(first);
}

static const function_t *function_of(bitcode_t *p, LLVMValueRef value) {
  uint32_t number;
  size_t length;
  if (index_find(&p->indices, value, &number)) {
    return p->functions[number];
  }
  function_t *f = fault_calloc(1, sizeof *f);
  const uint32_t blocks = LLVMCountBasicBlocks(value);
  f->value = value;
  f->name = LLVMGetValueName2(value, &length);
  f->blocks = fault_calloc(blocks, sizeof(LLVMBasicBlockRef));
  LLVMGetBasicBlocks(value, f->blocks);
  for (LLVMValueRef a = LLVMGetFirstParam(value); a; a = LLVMGetNextParam(a)) {
    index_put(&f->values, a, f->value_count++);
  }
  for (uint32_t i = 0; i < blocks; i++) {
    index_put(&f->places, f->blocks[i], i);
    for (LLVMValueRef v = LLVMGetFirstInstruction(f->blocks[i]); v; v = LLVMGetNextInstruction(v)) {
      index_put(&f->values, v, f->value_count++);
    }
  }
  find_flow(f, blocks);
  if (p->function_count == p->function_room) {
    p->function_room = p->function_room ? p->function_room * 2 : 16;
    p->functions = fault_realloc(p->functions, p->function_room, sizeof(function_t *));
  }
  index_put(&p->indices, value, p->function_count);
  p->functions[p->function_count++] = f;
  return f;
}

// ---- Control ----

value_t execute_get(const frame_t *frame, LLVMValueRef value, LLVMValueRef at) {
  uint32_t number;
  if (LLVMIsConstant(value)) {
    return bitcode_constant(frame->program, value, at);
  }
  if (!index_find(&frame->function->values, value, &number) ||
      frame->values[number].kind == ValueNone) {
    bitcode_refuse(at, "an operand without a value");
  }
  return frame->values[number];
}

static uint32_t count_phis(LLVMBasicBlockRef block) {
  uint32_t count = 0;
  for (LLVMValueRef v = LLVMGetFirstInstruction(block); v && LLVMGetInstructionOpcode(v) == LLVMPHI;
       v = LLVMGetNextInstruction(v)) {
    count++;
  }
  return count;
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from) {
  for (uint32_t i = 0; i < LLVMCountIncoming(phi); i++) {
    if (LLVMGetIncomingBlock(phi, i) == from) {
      return LLVMGetIncomingValue(phi, i);
    }
  }
  bitcode_refuse(phi, "a phi that does not know where control came from");
}

void execute_edge(frame_t *frame, LLVMValueRef at, LLVMBasicBlockRef to, lit_t when) {
  bitcode_t *p = frame->program;
  pending_t *pending = &frame->pending[place_of(frame->function, to)];
  if (aig_and(p->aig, frame->entry, when) == AigFalse) {
    return;
  }
  const bool is_first = pending->guard == AigFalse;
  value_t *phis = arena_take(p->arena, count_phis(to), sizeof *phis);
  uint32_t k = 0;
  for (LLVMValueRef v = LLVMGetFirstInstruction(to); v && LLVMGetInstructionOpcode(v) == LLVMPHI;
       v = LLVMGetNextInstruction(v), k++) {
    const value_t now = execute_get(frame, incoming(v, LLVMGetInstructionParent(at)), at);
    phis[k] = is_first ? now : value_mux(p->aig, p->arena, when, &now, &pending->phis[k]);
  }
  pending->phis = phis;
  pending->guard = aig_or(p->aig, pending->guard, when);
}

static void run_block(frame_t *frame, uint32_t block) {
  const function_t *f = frame->function;
  const uint32_t fork = f->flow.fork[block];
  pending_t now = frame->pending[block];
  frame->pending[block] = (pending_t){AigFalse, NULL};
  if (now.guard != AigFalse && fork != FlowNone) {
    now.guard = frame->guards[fork];  // the same condition, without those of the ways between
  }
  frame->guards[block] = now.guard;
  const lit_t guard = aig_and(frame->program->aig, frame->entry, now.guard);
  uint32_t k = 0;
  frame->local = now.guard;
  for (LLVMValueRef v = LLVMGetFirstInstruction(f->blocks[block]); v && guard != AigFalse;
       v = LLVMGetNextInstruction(v)) {
    uint32_t number = 0;
    index_find(&f->values, v, &number);
    value_t result = {ValueNone, 0, {NULL}, NULL};
    if (LLVMGetInstructionOpcode(v) == LLVMPHI) {
      frame->values[number] = now.phis[k++];
    } else if (instruction_run(frame, v, guard, &result)) {
      frame->values[number] = result;
    }
  }
}

static void run_region(frame_t *frame, uint32_t header);

static void unroll(frame_t *frame, uint32_t header) {
  bitcode_t *p = frame->program;
  pending_t *pending = &frame->pending[header];
  const lit_t entered = pending->guard;
  for (uint32_t turns = 0, open = 0; pending->guard != AigFalse; turns++) {
    // Turns that are taken whenever the loop is do not count: their number is known.
    open += pending->guard != entered;
    if (open > p->bound || turns > MostTurns) {
      bitcode_note(p, "a loop beyond its bound",
                   LLVMGetBasicBlockTerminator(frame->function->blocks[header]),
                   aig_and(p->aig, frame->entry, pending->guard));
      *pending = (pending_t){AigFalse, NULL};
      return;
    }
    if (p->turn_count <= BitcodeMostTurns) {
      p->turns[p->turn_count - 1] = turns;
    }
    run_region(frame, header);
  }
}

// Turn after turn until control leaves the loop for sure.
static void run_loop(frame_t *frame, uint32_t header) {
  frame->program->turn_count++;
  unroll(frame, header);
  frame->program->turn_count--;
}

// The blocks of a loop's turn, or of the function outside all loops.
static void run_region(frame_t *frame, uint32_t header) {
  const flow_t *flow = &frame->function->flow;
  for (uint32_t i = 0; i < flow->count; i++) {
    const uint32_t block = flow->order[i], inner = flow->header[block];
    if (inner == header) {
      run_block(frame, block);
    } else if (inner == block && flow->parent[block] == header) {
      run_loop(frame, block);
    }
  }
}

// A struct that is passed by value is a copy.
static value_t by_value(frame_t *frame, LLVMValueRef at, uint32_t argument, const value_t *value,
                        lit_t guard) {
  bitcode_t *p = frame->program;
  const unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
  LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(frame->function->value, argument + 1, kind);
  if (!a) {
    return *value;
  }
  const uint64_t size = bitcode_size(p, LLVMGetTypeAttributeValue(a));
  const value_t copy = value_pointer(p->arena, memory_new(&p->memory, "argument", size), 0);
  lit_t missed = AigFalse;
  instruction_checked(frame, at, memory_move(&p->memory, &copy, value, size, guard, &missed),
                      &missed);
  return copy;
}

value_t execute_call(bitcode_t *p, LLVMValueRef function, const value_t *arguments, uint32_t count,
                     lit_t guard, LLVMValueRef at) {
  const by_value_t *split = by_value_find(p, function);
  return split && guard != AigFalse ? by_value_call(p, split, arguments, count, guard, at)
                                    : execute_plainly(p, function, arguments, count, guard, at);
}

value_t execute_plainly(bitcode_t *p, LLVMValueRef function, const value_t *arguments,
                        uint32_t count, lit_t guard, LLVMValueRef at) {
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
  frame_t frame = {.program = p, .function = function_of(p, function), .entry = guard};
  const function_t *f = frame.function;
  if (guard == AigFalse) {
    return LLVMGetTypeKind(type) == LLVMVoidTypeKind ? frame.result
                                                     : bitcode_undefined(p, type, at);
  }
  if (count != LLVMCountParams(function)) {
    bitcode_refuse(at, "a call with another number of arguments");
  }
  if (p->depth++ > MostDepth) {
    bitcode_refuse(at, "a recursion");
  }
  frame.values = fault_calloc(f->value_count, sizeof *frame.values);
  frame.pending = fault_calloc(LLVMCountBasicBlocks(function), sizeof *frame.pending);
  frame.guards = fault_calloc(LLVMCountBasicBlocks(function), sizeof *frame.guards);
  for (uint32_t i = 0; i < count; i++) {
    frame.values[i] = by_value(&frame, at, i, &arguments[i], guard);
  }
  frame.pending[0].guard = AigTrue;
  run_region(&frame, FlowNone);
  free(frame.values);
  free(frame.pending);
  free(frame.guards);
  p->depth--;
  if (frame.result.kind == ValueNone && LLVMGetTypeKind(type) != LLVMVoidTypeKind) {
    return bitcode_undefined(p, type, at);
  }
  return frame.result;
}
