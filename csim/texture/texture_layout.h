// SPDX-License-Identifier: Apache-2.0
// Where a texture lies in memory: tiles of 4x4 RGBA8 texels make a line of 64 bytes, tiles
// row-major in a level, levels in sequence, a texture starts at a multiple of 4 KiB
// (docs/model/texture.md). The same addresses as the cube's texel generator makes.
#ifndef NOCTURNE_TEXTURE_TEXTURE_LAYOUT_H
#define NOCTURNE_TEXTURE_TEXTURE_LAYOUT_H

#include <stdint.h>

#include "../frame/frame.h"

enum { TextureLineBytes = 64, TextureAlign = 4096 };

typedef struct {
  uint64_t base;                        // byte address of level 0
  uint32_t offset[FrameMaxLevels + 1];  // lines from the base to each level; then the end
} texture_layout_t;

// base: rounded up to a multiple of 4 KiB.
void texture_layout_make(texture_layout_t *layout, const frame_texture_t *texture, uint64_t base);

// First byte after the texture.
uint64_t texture_layout_end(const texture_layout_t *layout, const frame_texture_t *texture);

// Line of texel (x, y) of a level, counted from the base; 0 <= x < width, 0 <= y < height.
static inline uint32_t texture_line(const texture_layout_t *layout, const frame_texture_t *texture,
                                    uint32_t level, uint32_t x, uint32_t y) {
  return layout->offset[level] + (y >> 2) * ((frame_side(texture->width, level) + 3) >> 2) +
         (x >> 2);
}

// Place of a texel in its line, 0 to 15.
static inline uint32_t texture_place(uint32_t x, uint32_t y) { return (y & 3) << 2 | (x & 3); }

#endif
