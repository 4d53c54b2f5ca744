// SPDX-License-Identifier: Apache-2.0
// The textures of a frame in memory: where each lies, what a line of memory holds, and the
// descriptors that the cube's texel generator needs (docs/units/texel_generator.md). Made
// once for a frame and shared by all GPUs, which hold the same textures at the same
// addresses.
#ifndef NOCTURNE_TEXTURE_TEXTURE_MAP_H
#define NOCTURNE_TEXTURE_TEXTURE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "../frame/frame.h"
#include "texture_layout.h"
#include "unit/texel_generator/texel_generator.h"

enum {
  TextureLineTexels = 16,
  TextureWrapPairs = 9,  // wrap modes of s and t
  TextureNoDescriptor = 0xffff,
};

typedef struct {
  const frame_t *frame;       // not owned, stays as it is
  texture_layout_t *layout;   // [texture_count]
  uint64_t base, end;         // bytes; end is a multiple of 4 KiB
  uint32_t descriptor_count;  // one for each texture and pair of wrap modes that a draw uses
  texel_generator_descriptor_t *descriptor;
  uint16_t *descriptor_index;  // [texture * 9 + wrap_s * 3 + wrap_t], or TextureNoDescriptor
} texture_map_t;

// Lays the frame's textures out from byte `base` on. False: out of memory, or the textures
// end beyond the 34 bits of an address; nothing is left allocated.
bool texture_map_create(texture_map_t *map, const frame_t *frame, uint64_t base);
void texture_map_destroy(texture_map_t *map);

static inline uint16_t texture_map_descriptor(const texture_map_t *map, uint32_t texture,
                                              const frame_stage_t *stage) {
  return map->descriptor_index[texture * TextureWrapPairs + stage->wrap_s * 3u + stage->wrap_t];
}

// The 16 texels of the 64-byte line at a byte address (its low 6 bits do not count). 0
// where no texture lies; false if that is the whole line.
bool texture_map_line(const texture_map_t *map, uint64_t address,
                      uint32_t texel[TextureLineTexels]);

#endif
