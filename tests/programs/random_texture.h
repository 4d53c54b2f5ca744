// SPDX-License-Identifier: Apache-2.0
// Textures of random texels on all levels, black and white as often as anything else.
#ifndef NOCTURNE_TESTS_RANDOM_TEXTURE_H
#define NOCTURNE_TESTS_RANDOM_TEXTURE_H

#include <stdlib.h>

#include "csim/base/rng.h"
#include "csim/frame/frame.h"

static inline frame_texture_t texture_random(rng_t *rng, uint32_t width, uint32_t height) {
  frame_texture_t t = {.width = width, .height = height};
  for (; !t.levels || width >> t.levels || height >> t.levels; t.levels++) {
    size_t n = (size_t)frame_side(width, t.levels) * frame_side(height, t.levels);
    t.level[t.levels] = malloc(n * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
      uint32_t kind = rng_below(rng, 4);
      t.level[t.levels][i] = kind == 0 ? 0 : kind == 1 ? UINT32_MAX : (uint32_t)rng_u64(rng);
    }
  }
  return t;
}

static inline void texture_free(frame_texture_t *t) {
  for (uint32_t l = 0; l < t->levels; l++) {
    free(t->level[l]);
  }
}

#endif
