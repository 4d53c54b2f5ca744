// SPDX-License-Identifier: Apache-2.0
// Skeletons of fragment programs as OpenGL has them: a GLSL source, an ARB program, the fixed
// function. Counts operations and keeps their order; knows no values.
//
// Operators of arithmetic, comparing and choosing, and calls, are operations of a GLSL body; a
// function's body stands where it is called first, a loop's once. Roots, powers, divisions by
// something else than a number and the like are of the SFU. docs/how-to/capture.md.
#ifndef NOCTURNE_FRAME_PROGRAM_SOURCE_H
#define NOCTURNE_FRAME_PROGRAM_SOURCE_H

#include "frame_program.h"

enum { ProgramStages = 2 };  // texture stages of a draw

typedef struct {
  const char *samplers[ProgramStages];  // GLSL: the sampler of each stage, NULL: none
  int units[ProgramStages];             // ARB: its texture unit, -1: none
  bool alpha_test;                      // a KILL at the end, if the program has none
} program_stages_t;

// Counts of things that a skeleton does not say.
typedef struct {
  uint32_t reads;     // of textures that no stage has: they are ALU operations
  uint32_t branches;  // whose outcome is not known: their first side has no lanes
} program_lost_t;

// Operations of all bodies of a preprocessed source, at least 1.
uint32_t program_glsl_length(const char *source);

// Makes the skeleton of all that main reaches. False: no skeleton (no main, brackets that do not
// match, more than a skeleton may have).
bool program_from_glsl(program_t *program, const char *source, const program_stages_t *stages,
                       program_lost_t *lost);
bool program_from_arb(program_t *program, const char *source, const program_stages_t *stages,
                      program_lost_t *lost);

// Makes a skeleton with a read and a combination per stage, 3 operations for fog, 1 for the colour.
void program_from_fixed(program_t *program, uint32_t stages, bool fog, bool alpha_test);

#endif
