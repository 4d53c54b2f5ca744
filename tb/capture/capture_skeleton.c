// SPDX-License-Identifier: Apache-2.0
// Programs of draws as skeletons, in the order of their operations: csim/frame/program_source.h.
#include <stdlib.h>

#include "capture.h"

static bool tests_alpha(const frame_state_t *s) {
  return s->alpha_test && s->alpha_func != FrameFuncAlways;
}

static void count_lost(const program_lost_t *lost) {
  for (uint32_t i = 0; i < lost->reads; i++) {
    capture_lost(CaptureLostReads);
  }
  for (uint32_t i = 0; i < lost->branches; i++) {
    capture_lost(CaptureLostBranches);
  }
}

// Without a skeleton the draw keeps its counts.
static void keep(frame_cmd_t *command, const program_t *program, const program_lost_t *lost,
                 bool good) {
  command->program = good ? capture_build_program(program) : 0;
  if (command->program == 0) {
    capture_lost(CaptureLostSkeletons);
  } else {
    count_lost(lost);
  }
}

void capture_skeleton_glsl(frame_cmd_t *command, const capture_program_t *program,
                           const capture_recipe_t *recipe) {
  program_stages_t stages = {.alpha_test = tests_alpha(&command->state)};
  program_lost_t lost;
  program_t skeleton;
  for (int i = 0; i < FrameMaxTextures; i++) {
    const bool on = command->state.stages[i].texture != FrameNone;
    stages.samplers[i] = on ? recipe->samplers[i] : NULL;
  }
  const bool good =
      program->fragment && program_from_glsl(&skeleton, program->fragment, &stages, &lost);
  keep(command, &skeleton, &lost, good);
}

// The program that GL runs in place of the fixed function, NULL: none.
static char *arb_program(void) {
  GLint length = 0;
  if (!gl.GetProgramivARB || !gl.GetProgramStringARB || !gl.IsEnabled(GL_FRAGMENT_PROGRAM_ARB)) {
    return NULL;
  }
  gl.GetProgramivARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_LENGTH_ARB, &length);
  char *text = calloc((size_t)(length > 0 ? length : 0) + 1, 1);
  if (text && length > 0) {
    gl.GetProgramStringARB(GL_FRAGMENT_PROGRAM_ARB, GL_PROGRAM_STRING_ARB, text);
  }
  while (gl.GetError() != GL_NO_ERROR) {
  }
  return text;
}

void capture_skeleton_fixed(frame_cmd_t *command, uint32_t used, const uint32_t units[2]) {
  program_stages_t stages = {.alpha_test = tests_alpha(&command->state)};
  program_lost_t lost = {0};
  program_t skeleton;
  bool good = true;
  char *text = arb_program();
  for (int i = 0; i < FrameMaxTextures; i++) {
    const frame_stage_t *stage = &command->state.stages[i];
    stages.units[i] = stage->texture != FrameNone ? (int)units[stage->coord] : -1;
  }
  if (text) {
    good = program_from_arb(&skeleton, text, &stages, &lost);
  } else {
    program_from_fixed(&skeleton, used, gl.IsEnabled(GL_FOG), stages.alpha_test);
  }
  keep(command, &skeleton, &lost, good);
  free(text);
}
