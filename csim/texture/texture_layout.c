// SPDX-License-Identifier: Apache-2.0
#include "texture_layout.h"

void texture_layout_make(texture_layout_t *layout, const frame_texture_t *t, uint64_t base) {
  layout->base = (base + TextureAlign - 1) / TextureAlign * TextureAlign;
  layout->offset[0] = 0;
  for (uint32_t l = 0; l < t->levels; l++) {
    uint32_t columns = (frame_side(t->width, l) + 3) / 4;
    uint32_t rows = (frame_side(t->height, l) + 3) / 4;
    layout->offset[l + 1] = layout->offset[l] + columns * rows;
  }
}

uint64_t texture_layout_end(const texture_layout_t *layout, const frame_texture_t *t) {
  return layout->base + (uint64_t)layout->offset[t->levels] * TextureLineBytes;
}
