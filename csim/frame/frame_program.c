// SPDX-License-Identifier: Apache-2.0
#include "frame_program.h"

#include <stdio.h>

static bool refuse(err_t *err, uint32_t at, const char *what) {
  err_set(err, ErrInput, "operation %u: %s", at, what);
  return false;
}

// Returns what is wrong with an operation by itself, or NULL.
static const char *fault(const program_op_t *op) {
  bool counts = op->kind == ProgramAlu || op->kind == ProgramSfu;
  if (op->kind >= ProgramKinds) {
    return "no such kind, expected 0 to 6";
  }
  if (op->count > ProgramMaxCount || (counts && op->count == 0)) {
    return "a count of 0 or above 2^24, expected 1 to 2^24";
  }
  if (counts && op->dependent > 1000 && op->dependent != ProgramDependentUnknown) {
    return "its dependent permille, expected 0 to 1,000 or 65,535";
  }
  if (op->kind != ProgramIf) {
    return NULL;
  }
  if (op->predicate >= ProgramPredicates) {
    return "no such predicate, expected 0 to 4";
  }
  if (op->predicate == ProgramOnHash && (op->permille > 1000 || op->side == 0)) {
    return "a hash, expected at most 1,000 permille and squares of at least a pixel";
  }
  if (op->predicate == ProgramOnRect && (op->x0 > op->x1 || op->y0 > op->y1)) {
    return "a rectangle that ends before it begins, expected x0 to x1";
  }
  return NULL;
}

bool program_check(program_t *program, err_t *err) {
  uint16_t open[ProgramMaxDepth];
  uint32_t depth = 0;
  if (program->count == 0 || program->count > ProgramMaxOps) {
    err_set(err, ErrInput, "%u operations, expected 1 to %u", program->count,
            (uint32_t)ProgramMaxOps);
    return false;
  }
  for (uint32_t i = 0; i < program->count; i++) {
    program_op_t *op = &program->op[i];
    const char *wrong = fault(op);
    if (wrong) {
      return refuse(err, i, wrong);
    }
    if (op->kind == ProgramIf) {
      if (depth == ProgramMaxDepth) {
        return refuse(err, i, "IF nested deeper than expected, 16");
      }
      open[depth++] = (uint16_t)i;
    } else if (op->kind == ProgramElse || op->kind == ProgramEndif) {
      if (depth == 0 ||
          (op->kind == ProgramElse && program->op[open[depth - 1]].kind == ProgramElse)) {
        return refuse(err, i, "ELSE or ENDIF without the expected IF");
      }
      program->op[open[depth - 1]].to = (uint16_t)i;
      open[depth - 1] = (uint16_t)i;
      depth -= op->kind == ProgramEndif;
    }
  }
  return depth == 0 || refuse(err, open[depth - 1], "an IF without the expected ENDIF");
}

void program_derive(program_t *program, uint32_t length, uint32_t stages, bool alpha_test) {
  uint32_t others = length > stages ? length - stages : 0, done = 0;
  program->count = 0;
  for (uint32_t s = 0; s <= stages; s++) {
    uint32_t until = s < stages ? (uint32_t)((uint64_t)(s + 1) * others / (stages + 1)) : others;
    if (until > done) {
      program->op[program->count++] = (program_op_t){
          .kind = ProgramAlu, .count = until - done, .dependent = ProgramDependentUnknown};
      done = until;
    }
    if (s < stages) {
      program->op[program->count++] = (program_op_t){.kind = ProgramTex, .stage = (uint8_t)s};
    }
  }
  if (alpha_test) {
    program->op[program->count++] = (program_op_t){.kind = ProgramKill};
  }
  if (program->count == 0) {
    program->op[program->count++] =
        (program_op_t){.kind = ProgramAlu, .count = 1, .dependent = ProgramDependentUnknown};
  }
}

bool program_same(const program_t *a, const program_t *b) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++) {
    const program_op_t *x = &a->op[i], *y = &b->op[i];
    same = x->kind == y->kind && x->predicate == y->predicate && x->stage == y->stage &&
           x->ref == y->ref && x->dependent == y->dependent && x->permille == y->permille &&
           x->side == y->side && x->x0 == y->x0 && x->y0 == y->y0 && x->x1 == y->x1 &&
           x->y1 == y->y1 && x->count == y->count && x->pixels == y->pixels;
  }
  return same;
}

uint64_t program_operations(const program_t *program) {
  uint64_t length = 0;
  for (uint32_t i = 0; i < program->count; i++) {
    const program_op_t *op = &program->op[i];
    const bool counts = op->kind == ProgramAlu || op->kind == ProgramSfu;
    length += counts ? op->count : op->kind == ProgramTex;
  }
  return length;
}

// The finaliser of MurmurHash3 (public domain): every bit of the place decides.
static uint32_t hash(uint32_t x, uint32_t y) {
  uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}

bool program_holds(const program_op_t *op, uint32_t x, uint32_t y) {
  switch (op->predicate) {
    case ProgramOnRect: return x >= op->x0 && x < op->x1 && y >= op->y0 && y < op->y1;
    case ProgramOnHash: return hash(x / op->side, y / op->side) % 1000 < op->permille;
    case ProgramOnPixels:
      for (uint32_t i = 0; i < op->count; i++) {
        if (op->pixels[i].x == x && op->pixels[i].y == y) {
          return true;
        }
      }
      return false;
    default: return false;
  }
}
