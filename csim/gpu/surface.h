// SPDX-License-Identifier: Apache-2.0
// The storage of a GPU's render targets and depth buffers, in the order in which
// the pixel-distribution unit addresses it:
//
//   tile (64x64 pixels, row-major) -> block (8x8 pixels, row-major in the tile)
//   -> stamp (2x2 pixels, row-major in the block) -> pixel (row-major in the stamp)
//
// so that 8 consecutive pixels are two stamps side by side. Sizes are rounded up
// to whole tiles; pixels beyond the surface exist but are never drawn.
#ifndef NOCTURNE_GPU_SURFACE_H
#define NOCTURNE_GPU_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SurfaceTile = 64,
  SurfaceTilePixels = SurfaceTile * SurfaceTile,
  SurfaceBlock = 8,
  SurfaceBlockPixels = 64,
  SurfaceBlocksPerTile = 64,
  // The depth word: depth, the written mark, and the order tag in the spare bits.
  SurfaceDepthMask = 0xffffff,
  SurfaceMarkBit = 24,
  SurfaceTagShift = 25,
  SurfaceTagMax = 127,
  // Bits of a tile: what was written since all GPUs had the same content.
  SurfaceDirtyValues = 1,  // colour or depth
  SurfaceDirtyStencil = 2,
  // Bits of a tile, of what it lacks: a clear of colour or depth, of stencil, of ties; a copy.
  SurfaceWaitsWords = 1,
  SurfaceWaitsStencil = 2,
  SurfaceWaitsTies = 4,
  SurfaceWaitsCopy = 8,
  // Notes of a pixel
  SurfaceTied = 1,
  SurfaceTiedWhenWritten = 2,
};

// Returns the index of pixel (x, y) in a surface that is `tiles_x` tiles wide.
static inline uint32_t surface_index(uint32_t tiles_x, uint32_t x, uint32_t y) {
  uint32_t tile = (y >> 6) * tiles_x + (x >> 6);
  uint32_t block = ((y >> 3) & 7) << 3 | ((x >> 3) & 7);
  uint32_t stamp = ((y >> 1) & 3) << 2 | ((x >> 1) & 3);
  return tile << 12 | block << 6 | stamp << 2 | (y & 1) << 1 | (x & 1);
}

// Returns the index of pixel (x, y) of a block, 0 <= x, y < 8, among the block's 64.
static inline uint32_t surface_block_index(uint32_t x, uint32_t y) {
  return (y >> 1) << 4 | (x >> 1) << 2 | (y & 1) << 1 | (x & 1);
}

// The owner of each tile, row-major. Draws and clears use one map for all their surfaces: that
// of the colour target's size, or of the depth buffer's without one.
typedef struct {
  const uint8_t *owner;  // NULL: all tiles are everyone's
  uint32_t tiles_x;
} surface_owners_t;

// A clear of a whole tile waits until something touches the tile, and so does a copy of a tile that
// was broadcast, so that a GPU's memory is that of the tiles that it draws.
typedef struct {
  uint32_t word;
  uint8_t stencil, waits;  // SurfaceWaits*
} surface_clear_t;

typedef struct surface {
  uint32_t width, height;  // pixels
  uint32_t tiles_x, tiles_y;
  uint32_t *color;       // RGBA8, red lowest; NULL for a depth buffer
  uint32_t *depth;       // depth words; NULL for a render target
  uint8_t *stencil;      // beside a depth buffer
  uint32_t *mark_group;  // depth buffer, of each block: the composed group of its marks
  // Sub-image of a transparent group, allocated with the first one: premultiplied
  // 16 bits a channel, red lowest, and which pixels of each block it has (bit
  // surface_block_index; none between two groups).
  uint64_t *subimage;
  uint64_t *subimage_written;  // one word a block, bit surface_block_index
  uint8_t *dirty;              // of each tile: SurfaceDirty*
  uint64_t *dirty_blocks;      // of each tile: its blocks in which something was written, or for
                               // which something came that lost
  uint8_t *tied;            // of each pixel, or NULL: SurfaceTied*, two GPUs brought equal depth;
                            // a draw that replaces the pixel clears it
  uint8_t *tied_tiles;      // of each tile, beside tied: 0, none of its pixels has a note
  uint8_t *failed;          // of each pixel, or NULL: texels of a fragment could not be read
  surface_clear_t *clears;  // of each tile, or NULL: nothing waits
  const struct surface *shared;  // borrowed: the tiles as broadcast last
} surface_t;

// Copies colour, or depth and stencil, of the pixels from `start` on.
void surface_copy(const surface_t *to, const surface_t *from, size_t start, size_t pixels);

// Does what waits for a tile. Whoever reads or writes colour, depth, stencil or ties calls
// surface_touch first.
void surface_fill(const surface_t *s, size_t tile);
static inline void surface_touch(const surface_t *s, size_t tile) {
  if (s->clears && s->clears[tile].waits) {
    surface_fill(s, tile);
  }
}

// Tells if a clear waits of all that the tile has.
static inline bool surface_waits(const surface_t *s, size_t tile) {
  const uint8_t all = s->color ? SurfaceWaitsWords : SurfaceWaitsWords | SurfaceWaitsStencil;
  return (s->clears[tile].waits & all) == all;
}

// Returns the farthest depth of a block.
static inline uint32_t surface_farthest(const surface_t *s, size_t block) {
  surface_touch(s, block / SurfaceBlocksPerTile);
  const uint32_t *words = s->depth + block * SurfaceBlockPixels;
  uint32_t most = 0;
  for (uint32_t i = 0; i < SurfaceBlockPixels; i++) {
    const uint32_t depth = words[i] & SurfaceDepthMask;
    most = depth > most ? depth : most;
  }
  return most;
}

static inline void surface_tie(surface_t *s, size_t index, uint8_t note) {
  s->tied[index] |= note;
  s->tied_tiles[index / SurfaceTilePixels] = 1;
}

// Notes that something was written in the block of pixel `index`, or came for it and lost.
static inline void surface_soil(surface_t *s, size_t index, uint8_t dirty) {
  size_t tile = index / SurfaceTilePixels;
  s->dirty[tile] |= dirty;
  s->dirty_blocks[tile] |= 1ull << (index / SurfaceBlockPixels % SurfaceBlocksPerTile);
}

#endif
