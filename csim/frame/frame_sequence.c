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

bool frame_sequence_add(frame_sequence_t *s, frame_t *frame, char error[FrameErrorSize]) {
  uint16_t *shared = NULL;
  const bool fits =
      s->count < FrameMaxFrames && s->texture_count + frame->texture_count < FrameNone;
  if (!fits || !grow(s, frame, &shared)) {
    snprintf(error, FrameErrorSize, "%.80s: %s", s->name,
             fits ? "out of memory" : "more frames or textures than a sequence may have");
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
  frame->shared = shared;
  s->frames[s->count++] = frame;
  return true;
}
