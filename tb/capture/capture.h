// SPDX-License-Identifier: Apache-2.0
// The capture library's parts and what they tell each other.
//
//   capture_hooks.c    the program's GL calls, frame by frame
//   capture_lost.c     options, the number of the frame, what a frame file cannot hold
//   capture_clear.c    clears
//   capture_call.c     a draw call handed on to GL
//   capture_wanted.c   which frames, and the files they become
//   capture_draw.c     one draw call: indices, triangles, instances, replays
//   capture_list.c     display lists, piece by piece
//   capture_vertices.c vertices of lists and immediate mode, by transform feedback
//   capture_fixed.c    triangles of a fixed-function draw, by GL feedback
//   capture_program.c  GLSL programs: outputs, lengths, transform feedback
//   capture_recipe.c   what a GLSL program means in the frame's texture stages
//   capture_skeleton.c programs as skeletons
//   capture_state.c    GL state to frame state, surfaces
//   capture_texture.c  textures and snapshots
//   capture_build.c    clipping, projection, vertices; knows no GL
#ifndef NOCTURNE_CAPTURE_H
#define NOCTURNE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "../../csim/frame/frame.h"
#include "../../csim/frame/program_source.h"
#include "capture_gl.h"

// Set by NOCTURNE_... variables, docs/how-to/capture.md.
typedef struct {
  const char *out, *name;
  uint32_t texture_cap;   // pixels, longer side
  uint32_t texture_bits;  // of a channel that are kept
  bool ignore_alpha;      // nothing shows the alpha of a target
  bool merge_copy;        // a full copy of a target onto the window makes them one
  bool skip;              // draw nothing outside the captured frames
  bool reference;         // write the back buffer as PNG too
} capture_options_t;

extern capture_options_t capture_options;
extern long capture_frame;  // the number of the frame in progress

// Things that a frame file cannot hold; counted, and told at the end of a frame.
typedef enum {
  CaptureLostTargets,     // colour attachments beyond the first
  CaptureLostStages,      // texture stages beyond FrameMaxTextures
  CaptureLostTextures,    // textures other than two-dimensional ones
  CaptureLostCombine,     // texture environments without a counterpart
  CaptureLostProgram,     // programs whose outputs cannot be captured
  CaptureLostPrimitives,  // draws of points and lines
  CaptureLostBlit,        // framebuffer blits
  CaptureLostState,       // values without a counterpart (blend constants, ...)
  CaptureLostFeedback,    // draws whose two feedback passes differ
  CaptureLostLists,       // display lists that are not taken apart
  CaptureLostVertices,    // draws of lists, without transform feedback
  CaptureLostReads,       // texture reads of programs that no stage has
  CaptureLostBranches,    // branches of programs, whose outcome is not known
  CaptureLostSkeletons,   // draws of programs that have no skeleton
  CaptureLostCount,
} capture_lost_e;

void capture_lost(capture_lost_e what);
void capture_lost_clear(void);
void capture_lost_tell(void);  // prints the counts of capture_frame to standard error

// ---- which frames (capture_wanted.c)

// Reads NOCTURNE_FRAMES. False with one line said.
bool capture_wanted_read(const char *frames);
bool capture_wanted_any(void);
bool capture_wanted(long number);
bool capture_wanted_all_before(long number);  // none is wanted from this one on

// Takes a finished frame over: a file of its own, or the next of a sequence, which is written with
// its last.
void capture_wanted_keep(frame_t *frame, long number);

// ---- building (capture_build.c)

// A corner of a triangle: clip coordinates, or window ones (x, y up, z in 0 to 1,
// clip w), as the function says.
typedef struct {
  float at[4], color[4], uv[2][2];
} capture_corner_t;

// The transformation of a draw's triangles; y points upwards as in GL.
typedef struct {
  float viewport[4], depth_range[2];
  bool cull_positive, cull_negative;  // by the sign of the area with y up
  float offset_factor, offset_units;
  uint32_t surface_height;
} capture_transform_t;

void capture_build_begin(uint32_t width, uint32_t height);
bool capture_build_active(void);
frame_t *capture_build_frame(void);  // the frame in the making, for state and textures

// Starts a command; triangles that follow belong to it. The pointer holds until
// the next command.
frame_cmd_t *capture_build_command(void);
void capture_build_drop_command(void);  // takes the last command back
// A draw's program among those of the frame: 1 + its index; 0: no room.
uint16_t capture_build_program(const program_t *program);

void capture_build_clip_triangle(const capture_transform_t *t, const capture_corner_t corners[3],
                                 uint32_t ordinal);
void capture_build_window_polygon(const capture_transform_t *t, const capture_corner_t *corners,
                                  int count, uint32_t ordinal);

// Ends the frame: the surface `merged`, if not 0, becomes target 0.
void capture_build_end(long number, uint16_t merged);

// ---- state (capture_state.c, capture_texture.c)

void capture_state_begin(uint32_t width, uint32_t height);
// All but the texture stages, the colour and the projection.
void capture_state_read(frame_state_t *state, capture_transform_t *transform);
uint32_t capture_state_target_texture(uint16_t target);  // GL name, 0: no texture
uint16_t capture_state_target_of(uint32_t texture);      // FrameNone: not a target yet
void capture_state_merge(uint16_t target);               // it and the window are one
uint16_t capture_state_merged(void);                     // 0: none
bool capture_state_alpha_shows(void);
void capture_fixed_projection(frame_state_t *state);

void capture_texture_begin(void);
// The texture bound to the unit's 2D target as a stage; false: none.
bool capture_texture_stage(uint32_t unit, frame_stage_t *stage);
uint32_t capture_texture_bound(uint32_t unit);  // GL name, 0: none
void capture_texture_changed(uint32_t texture);
void capture_texture_bound_changed(GLenum target);
// The sum of the base unit's texture and of two tinted ones, as DarkPlaces colours players.
// FrameNone: not of one size.
uint16_t capture_texture_tinted(const int units[3], const float tints[2][3]);
// A made texture: how light falls off sideways, from a row of `count` values.
uint16_t capture_texture_falloff(const uint8_t *row, uint32_t count);
bool capture_texture_row(uint32_t unit, uint8_t row[256], uint32_t *count);

// ---- programs (capture_program.c, capture_recipe.c)

enum { CaptureMaxOutputs = 24, CaptureNameSize = 64 };

typedef struct {
  char name[CaptureNameSize];
  int offset, size;  // floats in the captured vertex
} capture_output_t;

typedef struct {
  bool usable;
  int count, stride;  // floats
  capture_output_t outputs[CaptureMaxOutputs];
  uint32_t vertex_length, fragment_length;
  char *defines;   // the #define lines at the head of the fragment source
  char *fragment;  // the source of the fragment shaders, preprocessed
} capture_program_t;

void capture_program_linked(GLuint program);  // instead of glLinkProgram
const capture_program_t *capture_program_find(GLuint program);

typedef enum {
  CaptureShadeWhite,
  CaptureShadeOutput,
  CaptureShadeDirection,
  CaptureShadeSource
} capture_shade_e;

// How a captured vertex becomes a corner.
typedef struct {
  capture_shade_e shade;
  int position, color, uv[2];    // offsets, -1: none
  int light, cube;               // offsets of the light's vector and of its share of the radius
  float ambient[3], diffuse[3];  // already divided by the overbright scale
  float alpha;
  bool falloff;      // the second stage holds the falloff
  uint8_t row[256];  // attenuation by distance
  uint32_t row_count;
  bool drop;  // a copy of a whole target onto the window: nothing to draw
  const char *samplers[FrameMaxTextures];  // of each stage, NULL: none
} capture_recipe_t;

void capture_recipe_read(GLuint name, const capture_program_t *program, uint32_t triangles,
                         frame_state_t *state, capture_recipe_t *recipe);
void capture_recipe_corner(const capture_recipe_t *recipe, const float *vertex,
                           capture_corner_t *corner);

// ---- skeletons (capture_skeleton.c); they need the state of the draw

void capture_skeleton_glsl(frame_cmd_t *command, const capture_program_t *program,
                           const capture_recipe_t *recipe);
// ARB programs, too. units: of both coordinate sets.
void capture_skeleton_fixed(frame_cmd_t *command, uint32_t used, const uint32_t units[2]);

// ---- draws (capture_draw.c, capture_fixed.c)

typedef enum { CaptureArrays, CaptureElements, CaptureList } capture_kind_e;

// One draw call. instances is 1 for plain ones.
typedef struct {
  capture_kind_e kind;
  GLenum mode, type;
  GLsizei count, instances;
  GLint first, base_vertex;
  GLuint base_instance, list;
  const void *indices;
} capture_call_t;

void capture_call_issue(const capture_call_t *call);
void capture_draw(const capture_call_t *call);  // records it, without drawing

// Returns true if this frame need not be drawn: it is not captured, and leaves nothing behind for
// one that is (the frame before a wanted one is drawn).
bool capture_skipped(void);

// Records what the program draws, clears or uploads, if the frame is captured, and lets GL do it
// unless the frame is skipped.
void capture_draw_now(const capture_call_t *call);
void capture_draw_list(GLuint list, GLenum mode);
void capture_clear(GLbitfield mask);
void capture_texture_uploaded(GLenum target);  // GL has done it

// Record a glClearBuffer that GL is about to do.
void capture_clear_buffer(GLenum buffer, const GLfloat *value);
void capture_clear_depth_stencil(GLfloat depth, GLint stencil);

// ---- display lists (capture_list.c); the program's calls, from capture_hooks.c

// In glNewList to glEndList of a list that is taken apart; false: it is not, and GL has not been
// told.
bool capture_list_begin(GLuint name, GLenum mode);
bool capture_list_making(void);
void capture_list_end(bool in_primitive);
void capture_list_draw_begin(void);  // what GL compiles until the end is one draw
void capture_list_draw_end(GLenum mode);
void capture_list_call(GLuint name);
void capture_list_calls(GLsizei count, GLenum type, const void *names);
void capture_list_clear(GLbitfield mask);
void capture_list_upload(GLenum target);  // compiled just before
void capture_list_run(GLuint name);
void capture_list_run_all(GLsizei count, GLenum type, const void *names);
void capture_list_deleted(GLuint first, GLsizei count);

// Units that the fixed function can use; of a draw at most FrameMaxTextures count.
enum { CaptureMaxUnits = 4 };

// The triangles of a draw, three indices each, for the fixed path; and the counts.
typedef struct {
  uint32_t *indices;
  uint32_t triangles, fetched, distinct;
} capture_triangles_t;

// Makes arrays of what a CaptureList draws, and the list of its triangles, until the end; false: GL
// cannot.
bool capture_vertices_begin(const capture_call_t *call, capture_triangles_t *list);
void capture_vertices_end(void);

// units: the texture units whose coordinates are the sets of the corners; the second one where
// two_sets only.
void capture_fixed_draw(const capture_call_t *call, const capture_triangles_t *list,
                        const uint32_t units[2], bool two_sets,
                        const capture_transform_t *transform);
uint32_t capture_program_draw(const capture_call_t *call, const capture_program_t *program,
                              const capture_recipe_t *recipe, uint32_t triangles,
                              const capture_transform_t *transform);

#endif
