// SPDX-License-Identifier: Apache-2.0
// The parts of a generated game frame, for the files that make one: what they share, and what
// each does for the others.
#ifndef NOCTURNE_FRAME_GENERATE_SCENE_INTERNAL_H
#define NOCTURNE_FRAME_GENERATE_SCENE_INTERNAL_H

#include "generate_build.h"
#include "generate_games.h"

// The scene's units are metres.
#define SCENE_EYE 3.0
#define SCENE_FAR 400.0
#define SCENE_NEAR 0.5
#define SCENE_GROUND_END 110.0

typedef struct {
  const generate_game_t *game;
  uint32_t width, height;
  generate_build_t b;
  uint16_t textures[GenerateTextureCount];
  uint16_t reflection, bloom, buffer;  // targets
  uint16_t screen_depth, reflection_depth, buffer_depth, shadow_depth;
  uint32_t ground_seed;
  uint8_t func;  // of the last opaque group: the next takes the other one
  uint32_t small_left, small_at;
  uint32_t *small_sizes;  // triangles of each draw of the small groups
  uint32_t *small_draws;  // draws of each small group
  uint8_t last_small;
  double spread_x, spread_y;  // where the next object stands, 0 to 1
} scene_t;

// From scene to pixels of a target.
typedef struct {
  bool from_above;       // parallel, for shadow maps
  double width, height;  // of the target
  double focus;          // pixels
  double horizon;        // pixels
} camera_t;

typedef struct {
  double x, y, z;
} point_t;

typedef enum { ShapeBall, ShapeBox, ShapePillar, ShapeCard, ShapeGround } shape_e;

typedef struct {
  const scene_t *scene;
  const camera_t *camera;
  shape_e kind;
  point_t centre, radius;
  double turn;  // about the vertical, in turns
  double bump;  // of the radius
  uint32_t seed;
  double color[3];
  double texels;  // repeats of the texture about it
  // ground: the patch in pixels
  double x0, x1, y0, y1, whole;  // whole: u at which the patch ends and its skirt begins
} shape_t;

// The properties of a draw that are decided before the draws are put in order.
typedef struct {
  shape_t shape;
  uint32_t triangles, index;
  double key;  // order
  uint8_t texture;
  bool alpha_test;
} placement_t;

// How far below the horizon the feet of objects may be, over the height of the picture.
typedef struct {
  double far, near;
} band_t;

// Shapes in space (generate_shape.c): the height of the ground, the camera as a draw's state has
// it, and a shape of exactly `triangles` as the last draw's.
double scene_ground_height(const scene_t *s, double x, double z);
void scene_fill_projection(const camera_t *c, frame_state_t *state);
void scene_draw_shape(scene_t *s, shape_t *shape, uint32_t triangles);

// Places things in the scene (generate_place.c): a layer's draws, of which the triangles are given,
// placed and in the order in which they are drawn; or one thing of an area in pixels.
void scene_place(scene_t *s, const camera_t *camera, const generate_layer_t *layer,
                 placement_t *plans, uint32_t count);
void scene_plan_object(scene_t *s, const camera_t *camera, placement_t *p, double area, bool flat,
                       bool leaves, band_t band);

// The small groups (generate_small_groups.c): the next `count` of them, no two of one kind in a
// row, each draw of about draw_area pixels.
void scene_draw_small_groups(scene_t *s, uint32_t count, double draw_area);

// Draws and their states (generate_draw.c).
void scene_texture_stages(scene_t *s, frame_state_t *state, generate_texture_e kind);
generate_texture_e scene_any_surface(rng_t *rng);
frame_cmd_t *scene_begin_draw(scene_t *s, const frame_state_t *state, bool depth_only);

#endif
