// SPDX-License-Identifier: Apache-2.0
// The small composition groups of a generated frame: decals, glows, shadows, lights, late objects.
#include "generate_scene_internal.h"

#include "generate_math.h"

typedef enum {
  SmallDecals,  // over, depth-tested
  SmallGlow,    // additive, depth-tested
  SmallProps,   // opaque, depth-written: things in the hand, late objects
  SmallShade,   // multiply: blob shadows
  SmallLights,  // additive, no depth test
  SmallKinds,
} small_e;

static void small_state(scene_t *s, small_e kind, frame_state_t *state) {
  rng_t *rng = &s->b.rng;
  *state = generate_state(&s->b, 0, s->screen_depth);
  state->depth_func = FrameFuncLessEqual;
  switch (kind) {
    case SmallDecals:
      generate_blend(state, FrameFactorSrcAlpha, FrameFactorOneMinusSrcAlpha, FrameFactorOne,
                     FrameFactorOneMinusSrcAlpha);
      generate_stage(state, 0, s->textures[GenerateTextureSprite], 0, FrameCombineModulate);
      break;
    case SmallGlow:
    case SmallLights:
      generate_blend(state, FrameFactorSrcAlpha, FrameFactorOne, FrameFactorSrcAlpha,
                     FrameFactorOne);
      generate_stage(state, 0, s->textures[GenerateTextureSprite], 0, FrameCombineModulate);
      state->depth_test = kind == SmallGlow;
      break;
    case SmallShade:
      generate_blend(state, FrameFactorDstColor, FrameFactorZero, FrameFactorDstAlpha,
                     FrameFactorZero);
      generate_stage(state, 0, s->textures[GenerateTextureLight], 0, FrameCombineAdd);
      break;
    default:
      s->func = s->func == FrameFuncLess ? FrameFuncLessEqual : FrameFuncLess;
      state->depth_func = s->func;
      scene_texture_stages(s, state, scene_any_surface(rng));
      break;
  }
}

static void small_colour(rng_t *rng, small_e kind, double rgba[4]) {
  double c = kind == SmallShade    ? generate_between(rng, 0.35, 0.6)
             : kind == SmallLights ? generate_between(rng, 0.03, 0.12)
             : kind == SmallGlow   ? generate_between(rng, 0.1, 0.35)
                                   : generate_between(rng, 0.1, 0.4);
  rgba[0] = c;
  rgba[1] = c * generate_between(rng, 0.8, 1);
  rgba[2] = c * generate_between(rng, 0.6, 1);
  rgba[3] = kind == SmallDecals ? generate_between(rng, 0.2, 0.5) : 0.8;
}

static void draw_small_group(scene_t *s, small_e kind, uint32_t group, double draw_area) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  frame_state_t state;
  small_state(s, kind, &state);
  camera_t camera = {.width = s->width,
                     .height = s->height,
                     .focus = 0.9 * s->width,
                     .horizon = s->height * g->horizon / 1000.0};
  for (uint32_t i = 0; i < s->small_draws[group] && !s->b.failed; i++) {
    uint32_t triangles = s->small_sizes[s->small_at++];
    double area = draw_area * generate_lognormal(rng, 0.8);
    area = area < 0.25 * s->width * s->height ? area : 0.25 * s->width * s->height;
    scene_begin_draw(s, &state, false);
    if (kind == SmallProps) {
      placement_t p = {.triangles = triangles};
      scene_plan_object(s, &camera, &p, area * 0.4, false, false, (band_t){0.3, 0.6});
      scene_draw_shape(s, &p.shape, triangles);
      continue;
    }
    double half = sqrt(area) / 2 * (kind == SmallShade ? 0.7 : 1);
    double x = generate_uniform(rng) * s->width;
    double down = generate_between(rng, 0.04, 0.55);
    double y = camera.horizon + down * s->height;
    double z = camera.focus * SCENE_EYE / (down * s->height);
    if (kind != SmallShade && kind != SmallDecals) {
      y -= generate_between(rng, 0, 0.35) * s->height;
      z *= generate_between(rng, 0.5, 1);
    }
    double depth = generate_clamp(
        (z - SCENE_NEAR) * (SCENE_FAR / (SCENE_FAR - SCENE_NEAR)) / z - 0.0004, 0, 1);
    double high = kind == SmallShade || kind == SmallDecals ? 0.5 * half : half;
    generate_quad_t quad = {x - half, y - high, x + half, y + high, depth, 0, 0, 1, 1, {0}};
    small_colour(rng, kind, quad.rgba);
    generate_quad(&s->b, &quad, triangles);
  }
}

void scene_draw_small_groups(scene_t *s, uint32_t count, double draw_area) {
  for (uint32_t i = 0; i < count && s->small_left > 0; i++) {
    uint32_t step = 1 + rng_below(&s->b.rng, SmallKinds - 1);
    s->last_small = (uint8_t)((s->last_small + step) % SmallKinds);
    uint32_t group = s->game->small_groups - s->small_left--;
    draw_small_group(s, (small_e)s->last_small, group, draw_area);
  }
}
