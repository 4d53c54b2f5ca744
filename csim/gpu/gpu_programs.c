// SPDX-License-Identifier: Apache-2.0
#include "gpu_programs.h"

#include <stdlib.h>

static bool tests_alpha(const frame_state_t *s) {
  return s->alpha_test && s->alpha_func != FrameFuncAlways;
}

static uint32_t stages_of(const frame_state_t *s) {
  uint32_t stages = 0;
  for (uint32_t k = 0; k < FrameMaxTextures; k++) {
    stages += s->stages[k].texture != FrameNone;
  }
  return stages;
}

static bool same_program(const frame_cmd_t *a, const frame_cmd_t *b) {
  if (a->program || b->program) {
    return a->program == b->program;
  }
  return a->fragment_length == b->fragment_length && stages_of(&a->state) == stages_of(&b->state) &&
         tests_alpha(&a->state) == tests_alpha(&b->state);
}

bool gpu_programs_make(const frame_t *f, program_t **programs, uint32_t **program_of) {
  uint32_t *first = calloc(f->command_count + 1, sizeof *first), count = 0;
  uint32_t *of = *program_of = calloc(f->command_count + 1, sizeof **program_of);
  for (uint32_t i = 0; first && of && i < f->command_count; i++) {
    uint32_t k = 0;
    while (k < count && !same_program(&f->commands[first[k]], &f->commands[i])) {
      k++;
    }
    first[k] = k == count ? i : first[k];
    count += k == count;
    of[i] = k;
  }
  program_t *made = *programs = calloc(count + 1, sizeof **programs);
  for (uint32_t k = 0; first && made && k < count; k++) {
    const frame_cmd_t *c = &f->commands[first[k]];
    if (c->program) {
      made[k] = f->programs[c->program - 1];
    } else {
      program_derive(&made[k], c->fragment_length, stages_of(&c->state), tests_alpha(&c->state));
    }
    program_check(&made[k], NULL);
  }
  bool ok = first && of && made;
  free(first);
  return ok;
}
