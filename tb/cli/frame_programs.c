// SPDX-License-Identifier: Apache-2.0
#include "frame_programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "csim/frame/generate_frame.h"

// ---- Showing

static void show_predicate(const program_op_t *op) {
  switch (op->predicate) {
    case ProgramOnKill: printf("IF alpha test fails"); return;
    case ProgramOnTexel: printf("IF texel %u >= %u", op->stage, op->ref); return;
    case ProgramOnRect: printf("IF in %u,%u to %u,%u", op->x0, op->y0, op->x1, op->y1); return;
    default: printf("IF hash %u of %ux%u", op->permille, op->side, op->side); return;
  }
}

static void show_op(const program_op_t *op) {
  static const char *const names[ProgramKinds] = {"ALU", "SFU",  "TEX",  "KILL",
                                                  "IF",  "ELSE", "ENDIF"};
  if (op->kind == ProgramIf) {
    show_predicate(op);
    return;
  }
  printf("%s", names[op->kind]);
  if (op->kind == ProgramAlu || op->kind == ProgramSfu) {
    printf(" %u", op->count);
  } else if (op->kind == ProgramTex) {
    printf(op->count ? " %u use %u" : " %u", op->stage, op->count);
  }
}

static uint64_t draws_of(const frame_sequence_t *s, uint32_t program) {
  uint64_t draws = 0;
  for (uint32_t n = 0; n < s->count; n++) {
    for (uint32_t i = 0; i < s->frames[n]->command_count; i++) {
      const frame_cmd_t *c = &s->frames[n]->commands[i];
      draws += c->kind == FrameCmdDraw && c->program == program;
    }
  }
  return draws;
}

static frame_sequence_t *load(const char *name, int *status) {
  err_auto_t err = {0};
  frame_sequence_t *s = frame_sequence_load(name, 1, 1, &err);
  *status = s ? ExitPassed : cli_fail(&err);
  return s;
}

int frame_programs_list(const char *name) {
  int status;
  frame_sequence_t *s = load(name, &status);
  if (!s) {
    return status;
  }
  printf("%s\n  %" PRIu64 " draws without a recorded program\n", s->name, draws_of(s, 0));
  for (uint32_t i = 0; i < s->program_count; i++) {
    const program_t *p = &s->programs[i];
    printf("  %" PRIu64 " draws: ", draws_of(s, i + 1));
    for (uint32_t k = 0; k < p->count; k++) {
      printf(k ? ", " : "");
      show_op(&p->op[k]);
    }
    printf("\n");
  }
  frame_sequence_free(s);
  return ExitPassed;
}

// ---- Taking

static bool tests_alpha(const frame_state_t *s) {
  return s->alpha_test && s->alpha_func != FrameFuncAlways;
}

static bool same_kind(const frame_cmd_t *a, const frame_cmd_t *b) {
  bool same = a->kind == b->kind && a->vertex_length == b->vertex_length &&
              a->fragment_length == b->fragment_length &&
              tests_alpha(&a->state) == tests_alpha(&b->state);
  for (uint32_t k = 0; k < FrameMaxTextures; k++) {
    same = same &&
           (a->state.stages[k].texture == FrameNone) == (b->state.stages[k].texture == FrameNone);
  }
  return same;
}

// Returns the program that all draws of that kind have, or 0.
static uint16_t program_like(const frame_sequence_t *from, const frame_cmd_t *draw) {
  uint16_t found = 0;
  for (uint32_t n = 0; n < from->count; n++) {
    for (uint32_t i = 0; i < from->frames[n]->command_count; i++) {
      const frame_cmd_t *c = &from->frames[n]->commands[i];
      if (!same_kind(c, draw)) {
        continue;
      }
      if (c->program == 0 || (found && found != c->program)) {
        return 0;
      }
      found = c->program;
    }
  }
  return found;
}

static void take(frame_sequence_t *s, const frame_sequence_t *from, uint64_t counts[2]) {
  for (uint32_t n = 0; n < s->count; n++) {
    frame_t *f = s->frames[n];
    f->programs = s->programs;
    f->program_count = s->program_count;
    for (uint32_t i = 0; i < f->command_count; i++) {
      frame_cmd_t *c = &f->commands[i];
      c->program = c->kind == FrameCmdDraw ? program_like(from, c) : 0;
      if (c->kind == FrameCmdDraw) {
        counts[c->program == 0]++;
      }
    }
  }
}

// Removes programs that no draw names. Returns false if memory runs out.
static bool tidy(frame_sequence_t *s) {
  uint16_t *place = calloc((size_t)s->program_count + 1, sizeof *place);
  uint32_t kept = 0;
  for (uint32_t i = 0; place && i < s->program_count; i++) {
    if (draws_of(s, i + 1)) {
      s->programs[kept] = s->programs[i];
      place[i + 1] = (uint16_t)++kept;
    }
  }
  for (uint32_t n = 0; place && n < s->count; n++) {
    s->frames[n]->program_count = kept;
    for (uint32_t i = 0; i < s->frames[n]->command_count; i++) {
      s->frames[n]->commands[i].program = place[s->frames[n]->commands[i].program];
    }
  }
  s->program_count = place ? kept : s->program_count;
  free(place);
  return place;
}

int frame_programs_take(const char *name, const char *from_name, const char *path) {
  err_auto_t err = {0};
  uint64_t counts[2] = {0};
  int status;
  frame_sequence_t *s = load(name, &status);
  frame_sequence_t *from = s ? load(from_name, &status) : NULL;
  program_t *programs = from ? calloc((size_t)from->program_count + 1, sizeof *programs) : NULL;
  if (from && !programs) {
    status = cli_refuse(ExitLacking, "out of memory");
  } else if (from) {
    for (uint32_t i = 0; i < from->program_count; i++) {
      programs[i] = from->programs[i];
    }
    free(s->programs);
    s->programs = programs;
    s->program_count = from->program_count;
    take(s, from, counts);
    if (!tidy(s)) {
      status = cli_refuse(ExitLacking, "out of memory");
    } else if (!frame_sequence_write(s, path, &err)) {
      status = cli_fail(&err);
    } else {
      printf("%s: %u programs; %" PRIu64 " draws found theirs, %" PRIu64 " did not\n", path,
             s->program_count, counts[0], counts[1]);
    }
  }
  frame_sequence_free(from);
  frame_sequence_free(s);
  return status;
}
