// SPDX-License-Identifier: Apache-2.0
// The generators' building blocks of frames: growing arrays, surfaces, textures, and
// meshes that are transformed, culled and clipped into screen space.
#ifndef NOCTURNE_FRAME_GENERATE_BUILD_H
#define NOCTURNE_FRAME_GENERATE_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/rng.h"
#include "frame.h"

typedef struct {
  frame_t *frame;
  rng_t rng;
  bool failed;  // out of memory: everything after it is without effect
  double pan;   // pixels that everything but upright rectangles stands to the right
  uint32_t command_room, vertex_room, triangle_room;
  uint32_t target_room, depth_room, texture_room;
  // scratch of the mesh at work
  struct generate_corner *corners;
  uint32_t *corner_vertex;  // frame vertex of a corner, or GenerateUnplaced
  uint32_t corner_room;
} generate_build_t;

enum { GenerateUnplaced = UINT32_MAX };

// A corner in homogeneous screen space: pixel position and depth (0 to 1) times w.
// All attributes are linear in it, so an edge may be cut anywhere.
typedef struct generate_corner {
  double x, y, d, w;
  double uv[2][2];
  double rgba[4];  // 0 to 1
} generate_corner_t;

// view: the number of a frame in a sequence, in which the camera turns.
bool generate_begin(generate_build_t *b, const char *name, uint64_t seed, uint32_t view);

// The finished frame, or NULL if memory ran out.
frame_t *generate_end(generate_build_t *b);

uint16_t generate_target(generate_build_t *b, uint32_t width, uint32_t height);
uint16_t generate_depth(generate_build_t *b, uint32_t width, uint32_t height);

typedef enum {
  GenerateTextureStone,
  GenerateTextureGrass,
  GenerateTextureBricks,
  GenerateTextureMetal,
  GenerateTexturePlaster,
  GenerateTextureBark,
  GenerateTextureTiles,
  GenerateTextureCloth,
  GenerateTextureLight,   // a lightmap
  GenerateTextureDetail,  // grey detail around the middle
  GenerateTextureLeaves,  // holes in alpha
  GenerateTextureSprite,  // round, soft in alpha and colour
  GenerateTextureSky,
  GenerateTexturePanel,
  GenerateTextureCount,
} generate_texture_e;

uint16_t generate_texture(generate_build_t *b, generate_texture_e kind, uint32_t side);

// Opaque, Less, write, into the surfaces, whole scissor; no texture.
frame_state_t generate_state(const generate_build_t *b, uint16_t target, uint16_t depth);
// One of the usual blend operators; depth write off.
void generate_blend(frame_state_t *state, frame_factor_e src, frame_factor_e dst,
                    frame_factor_e src_alpha, frame_factor_e dst_alpha);
void generate_stage(frame_state_t *state, uint32_t stage, uint16_t texture, uint8_t coord,
                    frame_combine_e combine);

// Appends a command, which holds no triangle yet. NULL: out of memory.
frame_cmd_t *generate_command(generate_build_t *b, frame_cmd_e kind, const frame_state_t *state);

// A grid of columns x rows cells, of two triangles each, column by column, cut off
// after `triangles`. The point function fills the corner at (u, v), 0 to 1. It joins
// the last draw. cull: triangles that turn counter-clockwise on the screen are dropped.
typedef void generate_point_f(const void *self, double u, double v, generate_corner_t *corner);
void generate_grid(generate_build_t *b, uint32_t columns, uint32_t rows, uint32_t triangles,
                   bool cull, generate_point_f *point, const void *self);

// An upright rectangle in pixels, of constant depth, as 2 of the last draw's triangles
// (or more: a grid).
typedef struct {
  double x0, y0, x1, y1, depth;
  double u0, v0, u1, v1;
  double rgba[4];
} generate_quad_t;
void generate_quad(generate_build_t *b, const generate_quad_t *quad, uint32_t triangles);

// A white triangle by its corners in pixels, as the last draw has it.
void generate_triangle(generate_build_t *b, const double corner[3][2]);

#endif
