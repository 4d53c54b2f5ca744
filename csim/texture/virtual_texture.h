// SPDX-License-Identifier: Apache-2.0
// Virtual textures: what A-TFIM's cube filters, a line of 4x4 at a time (A-TFIM, V-A to V-D;
// docs/model/texture.md has the formulas and what is a reading of ours). A virtual texture is made
// of a level of a texture, an extent k, a major axis and a slope; its texels, the parents, are
// means of N = 2^k texels of the level, the children, along the axis. Pure functions of integers.
//
// a counts virtual texels along the major axis, b across it. A parent is defined for all integers;
// coordinates are brought into a range only where that changes no value. Texels are RGBA8, red
// lowest.
#ifndef NOCTURNE_TEXTURE_VIRTUAL_TEXTURE_H
#define NOCTURNE_TEXTURE_VIRTUAL_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "footprint.h"

typedef enum {
  VirtualLattice,    // the level shrunk along the axis only
  VirtualIsotropic,  // the grid of the level k above: the paper's words
} virtual_reading_e;

enum {
  VirtualMaxExtent = 4,
  VirtualMaxSlope = 2,
  VirtualLineTexels = 16,  // parents of a line, 4x4
  // Tiles are numbered by (a + TileAlong) >> 2 and (b + TileAcross) >> 2, 12 bits each.
  VirtualTileAlong = 4,
  VirtualTileAcross = 20,
};

// T: an extent of 2^j needs the larger component of the major axis to reach T 2^(j - 1) texels.
#define VIRTUAL_THRESHOLD 1.74

typedef struct {
  uint8_t reading;         // virtual_reading_e
  uint8_t k;               // 1 to 4; 0: the level itself, q is 0
  bool along_y;            // the major axis
  int8_t q;                // half texels across for each texel along, -2 to 2
  uint8_t wrap_x, wrap_y;  // frame_wrap_e
  uint32_t width, height;  // texels of the children's level; lattice: N or more along the axis
} virtual_texture_t;

// Inclusive. Every coordinate that sampling asks for lies here once it is reduced.
typedef struct {
  int32_t a0, a1, b0, b1;
} virtual_range_t;

virtual_range_t virtual_texture_range(const virtual_texture_t *v);

// Brings a parent's coordinates into the range. Lattice: the parent's value stays; a and b as
// sampling makes them from footprint_at. Isotropic: wrapped over the sides of the level above.
void virtual_texture_reduce(const virtual_texture_t *v, int32_t *a, int32_t *b);

// Child i (0 to N - 1) of a parent: texel (x, y) of the level, wrapped.
void virtual_texture_child(const virtual_texture_t *v, int32_t a, int32_t b, uint32_t i,
                           uint32_t *x, uint32_t *y);

// A parent's value. texels: of the level, row-major.
uint32_t virtual_texture_texel(const virtual_texture_t *v, const uint32_t *texels, int32_t a,
                               int32_t b);

// The tile of a reduced parent, and its place in it.
void virtual_texture_tile(const virtual_texture_t *v, int32_t a, int32_t b, uint32_t *tile_x,
                          uint32_t *tile_y, uint32_t *place);

// Parent n (0 to 15) of a tile. False: outside the range.
bool virtual_texture_parent(const virtual_texture_t *v, uint32_t tile_x, uint32_t tile_y,
                            uint32_t n, int32_t *a, int32_t *b);

// The 16 parents of a tile; 0 outside the range. Returns a bit for each inside.
uint16_t virtual_texture_line(const virtual_texture_t *v, const uint32_t *texels, uint32_t tile_x,
                              uint32_t tile_y, uint32_t line[VirtualLineTexels]);

// The values that the pixels of a quad share.
typedef struct {
  uint8_t reading;
  uint8_t level, weight;  // of the parents, finer level; 1/256 of the next
  bool linear;
  bool along_y;
  int8_t q;      // where the texture is not mirrored
  uint8_t k[2];  // of the finer and the coarser level; both 0: plain texels
} virtual_footprint_t;

// f: the quad's, of the same gradient. threshold: T, above 0.
void virtual_footprint_make(virtual_footprint_t *vf, const footprint_t *f,
                            const frame_texture_t *texture, const frame_stage_t *stage,
                            const footprint_gradient_t *gradient, virtual_reading_e reading,
                            double threshold);

// The parents that a pixel needs on one level: (a0, b[0]), (a0, b[0] + 1), (a0 + 1, b[1]),
// (a0 + 1, b[1] + 1), reduced; of a nearest filter the first only.
typedef struct {
  virtual_texture_t texture;
  uint8_t level;    // the children's
  uint8_t parents;  // 4; nearest: 1
  int32_t a[4], b[4];
  uint8_t fa, fb[2];  // 1/256
} virtual_sample_t;

// level: 0 finer, 1 coarser.
void virtual_sample_make(virtual_sample_t *s, const virtual_footprint_t *vf,
                         const frame_texture_t *texture, const frame_stage_t *stage, uint32_t level,
                         float u, float v);

// The level's sample of its parents, a channel each, in 1/256.
void virtual_sample_filter(const virtual_sample_t *s, const uint32_t parent[4], int32_t out[4]);

#endif
