// SPDX-License-Identifier: Apache-2.0
// The skeleton of a fragment program: what of it takes time, and on what it branches. Colours are
// none of its business (csim/gpu/shade.h).
//
// Recorded with a frame (format 2) or derived from a draw's counts. Operations stand in the order
// in which a warp issues them; IF, ELSE and ENDIF nest. docs/model/shader.md has their meaning.
// Source: the textbook on GPUs, 6.4.4 (warps of 32 in lockstep, masks, predicated execution).
#ifndef NOCTURNE_FRAME_FRAME_PROGRAM_H
#define NOCTURNE_FRAME_FRAME_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"

enum {
  ProgramMaxOps = 256,
  ProgramMaxDepth = 16,             // of nested IFs
  ProgramMaxCount = 1 << 24,        // operations that one entry stands for
  ProgramDependentUnknown = 0xffff  // permille: as gpu.dependent says
};

typedef enum {
  ProgramAlu,   // `count` operations, `dependent` permille of them on the result before
  ProgramSfu,   // the same on the special function units
  ProgramTex,   // reads `stage`; waits for it before the operation after the next `count`
  ProgramKill,  // lanes that the alpha test fails end
  ProgramIf,    // lanes for which `predicate` holds go on, the others at ELSE
  ProgramElse,
  ProgramEndif,
  ProgramKinds,
} program_kind_e;

typedef enum {
  ProgramOnKill,    // the alpha test fails
  ProgramOnTexel,   // the sample of `stage` has an alpha of at least `ref`
  ProgramOnRect,    // pixels of the rectangle x0, y0, x1, y1, the last ones excluded
  ProgramOnPixels,  // the listed pixels
  ProgramOnHash,    // of squares of `side` pixels, `permille` by a hash of their place: synthetic
  ProgramPredicates,
} program_predicate_e;

typedef struct {
  uint16_t x, y;
} program_pixel_t;

typedef struct {
  uint8_t kind;             // program_kind_e
  uint8_t predicate;        // program_predicate_e, of IF
  uint8_t stage;            // TEX, ProgramOnTexel
  uint8_t ref;              // ProgramOnTexel: 0 to 255
  uint16_t dependent;       // permille, or ProgramDependentUnknown
  uint16_t permille, side;  // ProgramOnHash
  uint16_t x0, y0, x1, y1;  // ProgramOnRect
  uint32_t count;
  const program_pixel_t *pixels;  // ProgramOnPixels: `count` of them, borrowed; not in files
  uint16_t to;  // IF: its ELSE or ENDIF; ELSE: its ENDIF. Filled in by program_check
} program_op_t;

typedef struct {
  uint32_t count;
  program_op_t op[ProgramMaxOps];
} program_t;

// Checks every field and the nesting, and fills in `to`. False with one line in error.
bool program_check(program_t *program, err_t *err);

// The skeleton of a program of which only counts are known: `length` instructions, texture reads
// included; the read of stage s stands after instruction floor((s + 1)(L - S) / (S + 1)) of the
// L - S others and is waited for at once; a KILL at the end with an alpha test.
void program_derive(program_t *program, uint32_t length, uint32_t stages, bool alpha_test);

// Returns true if two take the same time whatever is drawn: equal field by field.
bool program_same(const program_t *a, const program_t *b);

// Operations of a lane that goes through all of it, both sides of branches included; branches take
// none.
uint64_t program_operations(const program_t *program);

// Returns true if a predicate on the pixel's place alone holds (ProgramOnRect, -Pixels, -Hash).
bool program_holds(const program_op_t *op, uint32_t x, uint32_t y);

#endif
