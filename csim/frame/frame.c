// SPDX-License-Identifier: Apache-2.0
// Frames in memory: release, mip levels.
#include "frame.h"

#include <stdlib.h>

void frame_texture_free_levels(frame_texture_t *texture) {
  for (uint32_t n = 0; n < FrameMaxLevels; n++) {
    free(texture->level[n]);
  }
}

void frame_free(frame_t *frame) {
  if (!frame) {
    return;
  }
  for (uint32_t i = 0; frame->textures && !frame->shared && i < frame->texture_count; i++) {
    frame_texture_free_levels(&frame->textures[i]);
  }
  free(frame->name);
  free(frame->targets);
  free(frame->depths);
  free(frame->depth_uses);
  free(frame->textures);
  if (!frame->shared) {
    free(frame->programs);
  }
  free(frame->shared);
  free(frame->commands);
  free(frame->vertices);
  free(frame->triangles);
  free(frame);
}

void frame_texture_make_levels(frame_texture_t *texture) {
  for (uint32_t n = 1; n < FrameMaxLevels; n++) {
    free(texture->level[n]);
    texture->level[n] = NULL;
  }
  texture->levels = 1;
  for (uint32_t n = 1; n < FrameMaxLevels; n++) {
    const uint32_t from_w = frame_side(texture->width, n - 1);
    const uint32_t from_h = frame_side(texture->height, n - 1);
    if (from_w == 1 && from_h == 1) {
      return;
    }
    const uint32_t w = frame_side(texture->width, n), h = frame_side(texture->height, n);
    const uint32_t *from = texture->level[n - 1];
    uint32_t *to = malloc((size_t)w * h * sizeof *to);
    if (!to) {
      return;  // fewer levels: seen by whoever compares the count
    }
    // The last row or column of an odd side is left out, as is usual for mip maps.
    const uint32_t step_x = from_w > 1, step_y = from_h > 1;
    for (uint32_t y = 0; y < h; y++) {
      const uint32_t *row0 = from + (size_t)(2 * y * step_y) * from_w;
      const uint32_t *row1 = row0 + (size_t)step_y * from_w;
      for (uint32_t x = 0; x < w; x++) {
        const uint32_t x0 = 2 * x * step_x, x1 = x0 + step_x;
        const uint32_t texel[4] = {row0[x0], row0[x1], row1[x0], row1[x1]};
        // Two channels at once, each with 16 bits for its sum.
        const uint32_t channels = 0x00ff00ff;
        uint32_t even = 0x00020002, odd = 0x00020002;
        for (int i = 0; i < 4; i++) {
          even += texel[i] & channels;
          odd += texel[i] >> 8 & channels;
        }
        const uint32_t mean = (even >> 2 & channels) | (odd >> 2 & channels) << 8;
        to[(size_t)y * w + x] = mean;
      }
    }
    texture->level[n] = to;
    texture->levels = n + 1;
  }
}
