// SPDX-License-Identifier: Apache-2.0
#include "texture_map.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t AddressEnd = (uint64_t)1 << 34;

static void add_descriptor(texture_map_t *m, uint32_t texture, const frame_stage_t *s) {
  uint16_t *index = &m->descriptor_index[texture * TextureWrapPairs + s->wrap_s * 3u + s->wrap_t];
  const frame_texture_t *t = &m->frame->textures[texture];
  if (*index != TextureNoDescriptor || m->descriptor_count == TextureNoDescriptor) {
    return;
  }
  *index = (uint16_t)m->descriptor_count;
  m->descriptor[m->descriptor_count++] = (texel_generator_descriptor_t){
      .index = *index,
      .base = (uint32_t)(m->layout[texture].base / TextureAlign),
      .width = (uint16_t)t->width,
      .height = (uint16_t)t->height,
      .wrap_x = s->wrap_s,
      .wrap_y = s->wrap_t,
  };
}

bool texture_map_create(texture_map_t *m, const frame_t *frame, uint64_t base) {
  size_t pairs = (size_t)frame->texture_count * TextureWrapPairs;
  *m = (texture_map_t){.frame = frame, .base = base, .end = base};
  m->layout = calloc(frame->texture_count + 1, sizeof *m->layout);
  m->descriptor = calloc(pairs + 1, sizeof *m->descriptor);
  m->descriptor_index = malloc((pairs + 1) * sizeof *m->descriptor_index);
  bool ok = m->layout && m->descriptor && m->descriptor_index;
  for (uint32_t i = 0; ok && i < frame->texture_count; i++) {
    texture_layout_make(&m->layout[i], &frame->textures[i], m->end);
    uint64_t end = texture_layout_end(&m->layout[i], &frame->textures[i]);
    m->end = (end + TextureAlign - 1) / TextureAlign * TextureAlign;
    ok = m->end <= AddressEnd;
  }
  if (!ok) {
    texture_map_destroy(m);
    return false;
  }
  for (size_t i = 0; i < pairs; i++) {
    m->descriptor_index[i] = TextureNoDescriptor;
  }
  for (uint32_t c = 0; c < frame->command_count; c++) {
    if (frame->commands[c].kind != FrameCmdDraw) {
      continue;
    }
    for (uint32_t s = 0; s < FrameMaxTextures; s++) {
      const frame_stage_t *stage = &frame->commands[c].state.stages[s];
      if (stage->texture != FrameNone) {
        add_descriptor(m, stage->texture, stage);
      }
    }
  }
  return true;
}

void texture_map_destroy(texture_map_t *m) {
  free(m->layout);
  free(m->descriptor);
  free(m->descriptor_index);
  *m = (texture_map_t){0};
}

// The last texture that starts at or before the address.
static uint32_t find_texture(const texture_map_t *m, uint64_t address) {
  uint32_t low = 0, high = m->frame->texture_count;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    *(m->layout[middle].base <= address ? &low : &high) = middle;
  }
  return low;
}

bool texture_map_line(const texture_map_t *m, uint64_t address, uint32_t texel[TextureLineTexels]) {
  memset(texel, 0, TextureLineTexels * sizeof *texel);
  if (!m->frame->texture_count) {
    return false;
  }
  uint32_t n = find_texture(m, address);
  const texture_layout_t *layout = &m->layout[n];
  const frame_texture_t *t = &m->frame->textures[n];
  uint64_t line = (address - layout->base) / TextureLineBytes;
  if (address < layout->base || line >= layout->offset[t->levels]) {
    return false;
  }
  uint32_t level = 0;
  while (line >= layout->offset[level + 1]) {
    level++;
  }
  uint32_t width = frame_side(t->width, level), height = frame_side(t->height, level);
  uint32_t tile = (uint32_t)line - layout->offset[level], columns = (width + 3) >> 2;
  uint32_t x0 = tile % columns * 4, y0 = tile / columns * 4;
  for (uint32_t y = y0; y < y0 + 4 && y < height; y++) {
    for (uint32_t x = x0; x < x0 + 4 && x < width; x++) {
      texel[texture_place(x, y)] = t->level[level][(size_t)y * width + x];
    }
  }
  return true;
}
