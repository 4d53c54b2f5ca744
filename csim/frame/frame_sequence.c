// SPDX-License-Identifier: Apache-2.0
#include "frame_sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

frame_sequence_t *frame_sequence_create(const char *name) {
  frame_sequence_t *s = calloc(1, sizeof *s);
  if (!s) {
    return NULL;
  }
  s->name = strdup(name);
  if (!s->name) {
    free(s);
    return NULL;
  }
  return s;
}

void frame_sequence_free(frame_sequence_t *s) {
  if (!s) {
    return;
  }
  for (uint32_t i = 0; i < s->count; i++) {
    frame_free(s->frames[i]);
  }
  for (uint32_t i = 0; i < s->texture_count; i++) {
    frame_texture_free_levels(&s->textures[i]);
  }
  free(s->name);
  free(s->programs);
  free(s->textures);
  free(s->frames);
  free(s);
}

static bool same_texture(const frame_texture_t *a, const frame_texture_t *b) {
  bool same = a->width == b->width && a->height == b->height && a->levels == b->levels;
  for (uint32_t n = 0; same && n < a->levels; n++) {
    const size_t texels = (size_t)frame_side(a->width, n) * frame_side(a->height, n);
    same = memcmp(a->level[n], b->level[n], texels * sizeof *a->level[n]) == 0;
  }
  return same;
}

// Makes room for one frame more and its textures, so that nothing can fail after.
static bool grow(frame_sequence_t *s, const frame_t *frame, uint16_t **shared) {
  const size_t textures = (size_t)s->texture_count + frame->texture_count;
  frame_t **frames = realloc(s->frames, (s->count + 1) * sizeof(frame_t *));
  s->frames = frames ? frames : s->frames;
  frame_texture_t *all = realloc(s->textures, (textures ? textures : 1) * sizeof *all);
  s->textures = all ? all : s->textures;
  *shared = calloc(frame->texture_count ? frame->texture_count : 1, sizeof **shared);
  return frames && all && *shared;
}

// The frame's programs join those before; its draws name them by their new places. No frame keeps a
// list of its own, since all look at the sequence's.
static bool add_programs(frame_sequence_t *s, frame_t *frame, const char **why) {
  const size_t most = (size_t)s->program_count + frame->program_count;
  program_t *all = most ? realloc(s->programs, most * sizeof *all) : NULL;
  uint16_t *place = calloc((size_t)frame->program_count + 1, sizeof *place);
  s->programs = all ? all : s->programs;
  *why = "out of memory";
  bool good = place && (all || most == 0);
  for (uint32_t i = 0; good && i < frame->program_count; i++) {
    uint32_t k = 0;
    while (k < s->program_count && !program_same(&all[k], &frame->programs[i])) {
      k++;
    }
    if (k == s->program_count) {
      good = k < FrameMaxPrograms;
      *why = "more programs than a sequence may have";
      if (good) {
        all[s->program_count++] = frame->programs[i];
      }
    }
    place[i + 1] = (uint16_t)(k + 1);
  }
  for (uint32_t i = 0; good && i < frame->command_count; i++) {
    frame->commands[i].program = place[frame->commands[i].program];
  }
  free(place);
  return good;
}

static void share_programs(frame_sequence_t *s) {
  for (uint32_t i = 0; i < s->count; i++) {
    s->frames[i]->programs = s->programs;
    s->frames[i]->program_count = s->program_count;
  }
}

bool frame_sequence_add(frame_sequence_t *s, frame_t *frame, err_t *err) {
  uint16_t *shared = NULL;
  const bool fits =
      s->count < FrameMaxFrames && s->texture_count + frame->texture_count < FrameNone;
  const char *why = fits ? "out of memory" : "more frames or textures than a sequence may have";
  if (!fits || !grow(s, frame, &shared) || !add_programs(s, frame, &why)) {
    err_set(err, ErrInput, "%s: %s", s->name, why);
    share_programs(s);
    free(shared);
    frame_free(frame);
    return false;
  }
  for (uint32_t i = 0; i < frame->texture_count; i++) {
    frame_texture_t *own = &frame->textures[i];
    uint32_t k = 0;
    while (k < s->texture_count && !same_texture(&s->textures[k], own)) {
      k++;
    }
    if (k < s->texture_count) {
      frame_texture_free_levels(own);
      *own = s->textures[k];
    } else {
      s->textures[s->texture_count++] = *own;
    }
    shared[i] = (uint16_t)k;
  }
  free(frame->programs);
  frame->shared = shared;
  s->frames[s->count++] = frame;
  share_programs(s);
  return true;
}

// Gives a texture levels of its own, equal to those it looks at. False: out of memory; it then has
// none.
static bool copy_levels(frame_texture_t *t) {
  frame_texture_t own = *t;
  bool good = true;
  memset(own.level, 0, sizeof own.level);
  for (uint32_t n = 0; good && n < t->levels; n++) {
    const size_t bytes =
        (size_t)frame_side(t->width, n) * frame_side(t->height, n) * sizeof *t->level[n];
    own.level[n] = malloc(bytes);
    good = own.level[n];
    if (good) {
      memcpy(own.level[n], t->level[n], bytes);
    }
  }
  if (!good) {
    frame_texture_free_levels(&own);
    memset(own.level, 0, sizeof own.level);
  }
  *t = own;
  return good;
}

// Each level once to the frame; what several of its textures share, or none has, is settled.
frame_t *frame_sequence_alone(frame_sequence_t *s) {
  frame_t *f = s->frames[0];
  bool *taken = calloc((size_t)s->texture_count + 1, sizeof *taken), good = taken;
  for (uint32_t i = 0; good && i < f->texture_count; i++) {
    const uint32_t k = f->shared[i];
    if (taken[k]) {
      good = copy_levels(&f->textures[i]);
    }
    taken[k] = true;
    if (!good) {
      f->texture_count = i;  // what follows is still the sequence's
    }
  }
  for (uint32_t k = 0; taken && k < s->texture_count; k++) {
    if (taken[k]) {
      memset(s->textures[k].level, 0, sizeof s->textures[k].level);
    }
  }
  if (taken) {
    free(f->shared);
    f->shared = NULL;
    s->programs = NULL;
    s->count = 0;
  }
  free(taken);
  frame_sequence_free(s);
  if (!good && taken) {
    frame_free(f);
  }
  return good ? f : NULL;
}
