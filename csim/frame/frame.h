// SPDX-License-Identifier: Apache-2.0
// A frame: everything one picture needs, after the vertex transform.
//
// A frame is a list of commands (draws and clears) in API order, with the
// surfaces they render to, the textures they read, and their triangles in
// screen space. It is what the driver groups, what the GPU models render and
// what a frame file (.nframe, docs/reference/frame-format.md) holds.
//
// Coordinates: x to the right, y downwards, (0, 0) the upper left corner of the
// upper left pixel, FrameSubpixel units a pixel. Depth: 24 bits, 0 nearest under
// the usual projection. Colours: RGBA8, red in the lowest byte.
//
// Ownership: frame_t owns every array it points to; frame_free releases all.
#ifndef NOCTURNE_FRAME_FRAME_H
#define NOCTURNE_FRAME_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "frame_program.h"

enum {
  FrameSubpixelBits = 8,
  FrameSubpixel = 1 << FrameSubpixelBits,
  FrameDepthBits = 24,
  FrameMaxDepth = (1 << FrameDepthBits) - 1,
  FrameMaxSize = 8192,     // pixels, either side of a surface
  FrameGuardBand = 16384,  // pixels; |x| and |y| of a vertex stay below it
  FrameMaxTextures = 2,    // texture stages of a draw
  FrameMaxLevels = 14,
  FrameMaxTexels = 1 << 28,  // of all textures, level 0
  FrameMaxPrograms = 4096,
  FrameNone = 0xffff,  // "no surface", "no texture"
};

typedef enum {
  FrameFuncNever,
  FrameFuncLess,
  FrameFuncEqual,
  FrameFuncLessEqual,
  FrameFuncGreater,
  FrameFuncNotEqual,
  FrameFuncGreaterEqual,
  FrameFuncAlways,
} frame_func_e;

typedef enum {
  FrameFactorZero,
  FrameFactorOne,
  FrameFactorSrcColor,
  FrameFactorOneMinusSrcColor,
  FrameFactorSrcAlpha,
  FrameFactorOneMinusSrcAlpha,
  FrameFactorDstColor,
  FrameFactorOneMinusDstColor,
  FrameFactorDstAlpha,
  FrameFactorOneMinusDstAlpha,
  FrameFactorSrcAlphaSaturate,
} frame_factor_e;

typedef enum {
  FrameEquationAdd,
  FrameEquationSubtract,
  FrameEquationReverseSubtract,
  FrameEquationMin,
  FrameEquationMax,
} frame_equation_e;

typedef enum {
  FrameStencilKeep,
  FrameStencilZero,
  FrameStencilReplace,
  FrameStencilIncr,
  FrameStencilDecr,
  FrameStencilInvert,
  FrameStencilIncrWrap,
  FrameStencilDecrWrap,
} frame_stencil_op_e;

// How a texture stage combines its sample t with the colour c so far (the first
// stage starts from vertex colour x draw colour). Results saturate at 1.
typedef enum {
  FrameCombineModulate,    // c * t
  FrameCombineReplace,     // t
  FrameCombineAdd,         // rgb c + t, alpha c * t
  FrameCombineDecal,       // rgb mix(c, t, t.alpha), alpha c
  FrameCombineModulate2x,  // 2 * c * t
  FrameCombineModulate4x,  // 4 * c * t
} frame_combine_e;

typedef enum { FrameWrapRepeat, FrameWrapClamp, FrameWrapMirror } frame_wrap_e;

typedef enum { FrameFilterNearest, FrameFilterLinear } frame_filter_e;

// mip: FrameMipNone reads level 0 only.
typedef enum { FrameMipNone, FrameMipNearest, FrameMipLinear } frame_mip_e;

typedef struct {
  uint16_t texture;        // index into frame_t.textures, FrameNone = stage off
  uint8_t coord;           // texture coordinate set, 0 or 1
  uint8_t combine;         // frame_combine_e
  uint8_t mag_filter;      // frame_filter_e
  uint8_t min_filter;      // frame_filter_e
  uint8_t mip;             // frame_mip_e
  uint8_t wrap_s, wrap_t;  // frame_wrap_e
  uint8_t max_anisotropy;  // 1 to 16
  float lod_bias;
} frame_stage_t;

typedef struct {
  uint8_t func;  // frame_func_e
  uint8_t ref, read_mask, write_mask;
  uint8_t fail, depth_fail, pass;  // frame_stencil_op_e
} frame_stencil_t;

typedef struct {
  int32_t x0, y0, x1, y1;  // pixels, x0 <= x < x1, y0 <= y < y1
} frame_rect_t;

// Everything that a draw sets but its triangles.
typedef struct {
  uint16_t color_target;  // index into frame_t.targets, or FrameNone
  uint16_t depth_buffer;  // index into frame_t.depths, or FrameNone
  uint8_t depth_test;     // 0: every fragment passes and no depth is written
  uint8_t depth_write;
  uint8_t depth_func;                              // frame_func_e
  uint8_t blend;                                   // 0: the fragment's colour replaces
  uint8_t src_rgb, dst_rgb, src_alpha, dst_alpha;  // frame_factor_e
  uint8_t equation_rgb, equation_alpha;            // frame_equation_e
  uint8_t color_mask;                              // bit 0 red, 1 green, 2 blue, 3 alpha
  uint8_t alpha_test;
  uint8_t alpha_func;  // frame_func_e
  uint8_t alpha_ref;   // 0 to 255
  uint8_t stencil_test;
  frame_stencil_t stencil[2];  // 0: triangles of positive screen area (clockwise
                               // with y down), 1: the others
  frame_rect_t scissor;        // the viewport, cut by the scissor box and the surface
  frame_rect_t viewport;
  float projection[16];  // column-major, eye to clip; all 0 when unknown
  uint32_t color;        // RGBA8 factor of the vertex colours
  frame_stage_t stages[FrameMaxTextures];
} frame_state_t;

typedef struct {
  int32_t x, y;  // FrameSubpixel units
  uint32_t z;    // 0 to FrameMaxDepth
  float inv_w;   // 1 / clip w
  uint32_t rgba;
  float uv[2][2];  // coordinate sets 0 and 1
} frame_vertex_t;

typedef struct {
  uint32_t v[3];     // index into frame_t.vertices
  uint32_t ordinal;  // among the triangles submitted by its draw; not decreasing
                     // (clipping may make several of one)
} frame_triangle_t;

typedef enum { FrameCmdDraw, FrameCmdClear } frame_cmd_e;

typedef struct {
  uint8_t kind;         // frame_cmd_e
  frame_state_t state;  // a clear uses color_target, depth_buffer, color_mask, scissor
  // draw
  uint32_t triangles_in;     // triangles submitted, culled and clipped ones included
  uint32_t indices;          // indices fetched
  uint32_t vertices_in;      // distinct vertices shaded
  uint32_t vertex_length;    // instructions of the vertex program
  uint32_t fragment_length;  // instructions of the fragment program, texture reads included
  uint16_t program;          // the skeleton of the fragment program: 1 + index into
                             // frame_t.programs; 0: not recorded, derived from the length
  uint32_t first_triangle, triangle_count;  // surviving triangles, in frame_t.triangles;
                                            // draw after draw, none shared
  // clear
  uint8_t clear_color, clear_depth, clear_stencil;  // which of them
  uint8_t clear_stencil_value;
  uint32_t clear_rgba, clear_z;
} frame_cmd_t;

typedef struct {
  uint32_t width, height;
} frame_surface_t;

// Says what reads a depth buffer.
typedef enum {
  FrameDepthUnknown,  // not recorded
  FrameDepthTested,   // the depth test alone
  FrameDepthSampled,  // textures may be made of it, too
  FrameDepthUses
} frame_depth_use_e;

typedef struct {
  uint32_t width, height;           // of level 0, 1 to FrameMaxSize, any value
  uint32_t levels;                  // 1 to FrameMaxLevels; level n is max(1, side >> n)
  uint32_t *level[FrameMaxLevels];  // RGBA8, row-major, row 0 first (v = 0)
} frame_texture_t;

typedef struct {
  char *name;              // where it comes from: program, demo, frame number; or gen:...
  uint32_t width, height;  // of the picture: target 0
  uint32_t target_count, depth_count, texture_count;
  frame_surface_t *targets;  // [0] is what is shown
  frame_surface_t *depths;
  uint8_t *depth_uses;  // frame_depth_use_e of each depth buffer; NULL: unknown
  frame_texture_t *textures;
  uint16_t *shared;  // of each texture its place in the frame_sequence_t that owns its levels;
                     // NULL: the frame owns them
  uint32_t program_count;
  program_t *programs;  // checked; with `shared` those of the sequence
  uint32_t command_count;
  frame_cmd_t *commands;
  uint32_t vertex_count;
  frame_vertex_t *vertices;
  uint32_t triangle_count;
  frame_triangle_t *triangles;
} frame_t;

// Reads a file of one frame, of either version (frame_sequence.h: of several). Returns NULL on
// failure with one line in error: file, byte offset and section of the damage, and what was
// expected. Every index and size of the returned frame has been checked against its array.
frame_t *frame_read(const char *path, err_t *err);

// Writes atomically (a temporary beside the path, then rename); a frame with programs as version 2.
// False on failure, with one line in error; nothing is left behind then.
bool frame_write(const frame_t *frame, const char *path, err_t *err);

// Checks every index, range and enum. False with one line in error.
bool frame_check(const frame_t *frame, err_t *err);

static inline uint8_t frame_depth_use(const frame_t *frame, uint32_t depth) {
  return frame->depth_uses ? frame->depth_uses[depth] : (uint8_t)FrameDepthUnknown;
}

// Width or height of a texture's level.
static inline uint32_t frame_side(uint32_t side, uint32_t level) {
  return side >> level ? side >> level : 1;
}

// Fills levels 1.. of a texture from level 0 with a box filter, down to 1x1.
void frame_texture_make_levels(frame_texture_t *texture);

void frame_texture_free_levels(frame_texture_t *texture);

// 64-bit hash of the frame's content, independent of how it was stored; printed by
// `frame info` and written into results.
uint64_t frame_hash(const frame_t *frame);

// The same of the recorded programs of its draws; 0: none. frame_hash leaves them out, since they
// change neither a picture nor what the counts of a draw say.
uint64_t frame_programs_hash(const frame_t *frame);

void frame_free(frame_t *frame);

#endif
