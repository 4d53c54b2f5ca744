// SPDX-License-Identifier: Apache-2.0
// A generated game frame:
//
//   shadow maps | reflections | second buffer | the screen: its large groups, each
//   followed by some small ones | passes over the picture | panels
//
// Everything stands on one height field, seen by a camera that looks along z. Objects are given an
// area in pixels, which fixes their size in space.
#include "generate_scene.h"

#include <stdlib.h>
#include <string.h>

#include "generate_math.h"
#include "generate_scene_internal.h"

// --- numbers

// Splits a total into shares in proportion to weights, each between least and most.
// The total must lie between count x least and count x most.
static void apportion(uint32_t total, const double *weights, uint32_t count, uint32_t least,
                      uint32_t most, uint32_t *shares) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    sum += weights[i];
  }
  uint32_t left = total - count * least;
  double spare = left;
  for (uint32_t i = 0; i < count; i++) {
    double want = floor(spare * (weights[i] / sum));
    double room = most - least;
    uint32_t given = (uint32_t)(want < room ? want : room);
    given = given < left ? given : left;
    shares[i] = least + given;
    left -= given;
  }
  // Draws below their limit share the triangles cut off by limits, an eighth more each in turn.
  while (left > 0) {
    for (uint32_t i = 0; i < count && left > 0; i++) {
      uint32_t more = shares[i] / 8 + 1;
      more = more < most - shares[i] ? more : most - shares[i];
      more = more < left ? more : left;
      shares[i] += more;
      left -= more;
    }
  }
}

// --- states

static void clear(scene_t *s, uint16_t target, uint16_t depth) {
  frame_state_t state = generate_state(&s->b, target, depth);
  frame_cmd_t *c = generate_command(&s->b, FrameCmdClear, &state);
  if (c) {
    c->clear_color = target != FrameNone;
    c->clear_depth = depth != FrameNone;
    c->clear_rgba = 0xff000000;
    c->clear_z = FrameMaxDepth;
  }
}

// --- large groups

// Smoke and sparks: sprites, over.
static void draw_particles(scene_t *s, const generate_layer_t *layer, const uint32_t *sizes,
                           uint32_t count) {
  rng_t *rng = &s->b.rng;
  frame_state_t state = generate_state(&s->b, 0, s->screen_depth);
  state.depth_test = 0;
  generate_blend(&state, FrameFactorSrcAlpha, FrameFactorOneMinusSrcAlpha, FrameFactorOne,
                 FrameFactorOneMinusSrcAlpha);
  generate_stage(&state, 0, s->textures[GenerateTextureSprite], 0, FrameCombineModulate);
  double total = 0;
  for (uint32_t i = 0; i < count; i++) {
    total += sizes[i];
  }
  double each = (double)s->width * s->height * layer->area / 100 / (total / 2);
  for (uint32_t i = 0; i < count; i++) {
    scene_begin_draw(s, &state, false);
    double cx = generate_uniform(rng) * s->width;
    double cy = generate_between(rng, 0.35, 0.75) * s->height;
    double reach = 0.03 * s->width * generate_between(rng, 0.5, 1.5);
    for (uint32_t left = sizes[i]; left > 0; left -= left < 2 ? left : 2) {
      double side = sqrt(each) * generate_between(rng, 0.6, 1.3);
      double x = cx + reach * generate_normal(rng), y = cy + reach * generate_normal(rng);
      double hot = generate_between(rng, 0.05, 0.3);
      generate_quad(
          &s->b,
          &(generate_quad_t){
              x, y, x + side, y + side, 0.5, 0, 0, 1, 1, {hot, 0.9 * hot, 0.8 * hot, 0.7 * hot}},
          left < 2 ? left : 2);
    }
  }
}

// Chooses the camera and the surfaces of a layer that is not of particles.
static camera_t layer_camera(const scene_t *s, const generate_layer_t *layer, uint16_t *target,
                             uint16_t *depth) {
  const generate_game_t *g = s->game;
  camera_t camera = {.width = s->width, .height = s->height};
  *target = 0, *depth = s->screen_depth;
  if (layer->kind == GenerateLayerShadow) {
    camera.from_above = true;
    camera.width = camera.height = g->shadow_side;
    *target = FrameNone;
    *depth = s->shadow_depth;
  } else if (layer->kind == GenerateLayerReflection) {
    *target = s->reflection;
    *depth = s->reflection_depth;
  } else if (layer->kind == GenerateLayerBuffer) {
    *target = s->buffer;
    *depth = s->buffer_depth;
  }
  camera.focus = 0.9 * camera.width;
  camera.horizon = camera.height * g->horizon / 1000;
  return camera;
}

static void draw_shapes(scene_t *s, const generate_layer_t *layer, const uint32_t *sizes,
                        placement_t *plans, uint32_t count) {
  uint16_t target, depth;
  camera_t camera = layer_camera(s, layer, &target, &depth);
  bool shadow = layer->kind == GenerateLayerShadow;
  for (uint32_t i = 0; i < count; i++) {
    plans[i].triangles = sizes[i];
    plans[i].index = i;
  }
  scene_place(s, &camera, layer, plans, count);

  frame_state_t state = generate_state(&s->b, target, depth);
  s->func = s->func == FrameFuncLess ? FrameFuncLessEqual : FrameFuncLess;
  state.depth_func = s->func;
  if (!camera.from_above) {
    scene_fill_projection(&camera, &state);
  }
  for (uint32_t i = 0; i < count && !s->b.failed; i++) {
    frame_state_t own = state;
    if (!shadow) {
      scene_texture_stages(s, &own, plans[i].texture);
    }
    if (plans[i].alpha_test && !shadow) {
      own.alpha_test = 1;
      own.alpha_func = FrameFuncGreaterEqual;
      own.alpha_ref = 128;
    }
    scene_begin_draw(s, &own, shadow);
    scene_draw_shape(s, &plans[i].shape, plans[i].triangles);
  }
}

static void draw_layer(scene_t *s, const generate_layer_t *layer, uint32_t triangles,
                       uint32_t count) {
  double *weights = calloc(count, sizeof *weights);
  uint32_t *sizes = calloc(count, sizeof *sizes);
  placement_t *plans = calloc(count, sizeof *plans);
  if (!weights || !sizes || !plans) {
    s->b.failed = true;
  } else {
    for (uint32_t i = 0; i < count; i++) {
      weights[i] = generate_lognormal(&s->b.rng, s->game->size_sigma / 100.0);
    }
    apportion(triangles, weights, count, 2, triangles / count * 6 + 6000, sizes);
    if (layer->kind == GenerateLayerParticles) {
      draw_particles(s, layer, sizes, count);
    } else {
      draw_shapes(s, layer, sizes, plans, count);
    }
  }
  free(weights);
  free(sizes);
  free(plans);
}

// A pass over a whole target, without depth.
static void draw_pass(scene_t *s, uint16_t target, uint16_t texture, frame_factor_e src,
                      frame_factor_e dst, double grey) {
  frame_state_t state = generate_state(&s->b, target, FrameNone);
  frame_surface_t size = s->b.failed ? (frame_surface_t){1, 1} : s->b.frame->targets[target];
  if (src != FrameFactorOne || dst != FrameFactorZero) {
    generate_blend(&state, src, dst, src == FrameFactorDstColor ? FrameFactorDstAlpha : src, dst);
  }
  generate_stage(&state, 0, texture, 0,
                 src == FrameFactorDstColor ? FrameCombineAdd : FrameCombineModulate);
  scene_begin_draw(s, &state, false);
  generate_quad(
      &s->b,
      &(generate_quad_t){0, 0, size.width, size.height, 0.5, 0, 0, 1, 1, {grey, grey, grey, 1}}, 2);
}

static void draw_sky(scene_t *s, uint16_t target, uint16_t depth) {
  frame_state_t state = generate_state(&s->b, target, depth);
  frame_surface_t size = s->b.failed ? (frame_surface_t){1, 1} : s->b.frame->targets[target];
  state.depth_write = 0;
  state.depth_func = FrameFuncLessEqual;
  generate_stage(&state, 0, s->textures[GenerateTextureSky], 0, FrameCombineModulate);
  scene_begin_draw(s, &state, false);
  const double *fog = s->game->fog;
  generate_quad(&s->b,
                &(generate_quad_t){0,
                                   0,
                                   size.width,
                                   size.height,
                                   0.99999,
                                   0,
                                   0,
                                   1,
                                   1,
                                   {0.4 + 0.6 * fog[0], 0.4 + 0.6 * fog[1], 0.4 + 0.6 * fog[2], 1}},
                2);
}

static void draw_panels(scene_t *s, uint32_t first, uint32_t count) {
  rng_t *rng = &s->b.rng;
  frame_state_t state = generate_state(&s->b, 0, FrameNone);
  generate_blend(&state, FrameFactorSrcAlpha, FrameFactorOneMinusSrcAlpha, FrameFactorOne,
                 FrameFactorOneMinusSrcAlpha);
  generate_stage(&state, 0, s->textures[GenerateTexturePanel], 0, FrameCombineModulate);
  for (uint32_t i = 0; i < count; i++) {
    scene_begin_draw(s, &state, false);
    double w = s->width * generate_between(rng, 0.02, 0.1), h = s->height * 0.04;
    double x = (rng_chance(rng, 500) ? 0.02 : 0.85) * s->width + (i % 3) * 0.02 * s->width;
    double y = (rng_chance(rng, 250) ? 0.03 : 0.88) * s->height + (i % 2) * 0.045 * s->height;
    generate_quad(&s->b,
                  &(generate_quad_t){x, y, x + w, y + h, 0, 0, 0, 1, 1, {0.8, 0.85, 0.9, 0.5}},
                  s->small_sizes[first + i]);
  }
}

// --- the frame

static void make_surfaces(scene_t *s) {
  const generate_game_t *g = s->game;
  generate_build_t *b = &s->b;
  static const uint16_t sides[GenerateTextureCount] = {
      [GenerateTextureStone] = 256,  [GenerateTextureGrass] = 256,   [GenerateTextureBricks] = 256,
      [GenerateTextureMetal] = 256,  [GenerateTexturePlaster] = 128, [GenerateTextureBark] = 128,
      [GenerateTextureTiles] = 256,  [GenerateTextureCloth] = 128,   [GenerateTextureLight] = 128,
      [GenerateTextureDetail] = 256, [GenerateTextureLeaves] = 128,  [GenerateTextureSprite] = 64,
      [GenerateTextureSky] = 256,    [GenerateTexturePanel] = 64,
  };
  generate_target(b, s->width, s->height);
  s->screen_depth = generate_depth(b, s->width, s->height);
  bool has[GenerateLayerParticles + 1] = {false};
  for (uint32_t i = 0; g->layers[i].kind != GenerateLayerEnd; i++) {
    has[g->layers[i].kind] = true;
  }
  s->bloom = generate_target(b, s->width / 4, s->height / 4);
  if (has[GenerateLayerReflection]) {
    s->reflection = generate_target(b, s->width, s->height);
    s->reflection_depth = generate_depth(b, s->width, s->height);
  }
  if (has[GenerateLayerBuffer]) {
    s->buffer = generate_target(b, s->width, s->height);
    s->buffer_depth = generate_depth(b, s->width, s->height);
  }
  if (has[GenerateLayerShadow]) {
    s->shadow_depth = generate_depth(b, g->shadow_side, g->shadow_side);
  }
  for (uint32_t i = 0; i < GenerateTextureCount; i++) {
    s->textures[i] =
        generate_texture(b, (generate_texture_e)i,
                         i < GenerateTextureLeaves ? sides[i] << g->texture_shift : sides[i]);
  }
}

// Draws and triangles of each layer and of each small group and draw; panels come last
// among the small draws.
static bool share_out(scene_t *s, uint32_t layers, uint32_t fixed, uint32_t panels,
                      uint32_t *triangles, uint32_t *draws) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  uint32_t large = 0;
  double weights[GenerateMostLayers];
  for (uint32_t i = 0; i < layers; i++) {
    triangles[i] = (uint32_t)((uint64_t)g->triangles * g->layers[i].share / 10000);
    large += triangles[i];
    weights[i] = g->layers[i].share * generate_between(rng, 0.7, 1.3);
  }
  uint32_t small = g->draws * g->small_draws / 1000;
  // More draws than any number of GPUs can leave idle, where the frame has them.
  apportion(g->draws - fixed - small, weights, layers, 20, g->draws, draws);

  uint32_t groups = g->small_groups, in_groups = small - panels;
  uint32_t left = g->triangles - large - 2 * fixed - 2 * panels;
  double *random = calloc(small + groups, sizeof *random);
  uint32_t *group_triangles = calloc(groups, sizeof *group_triangles);
  s->small_sizes = calloc(small, sizeof *s->small_sizes);
  s->small_draws = calloc(groups, sizeof *s->small_draws);
  bool good = random && group_triangles && s->small_sizes && s->small_draws;
  if (good) {
    for (uint32_t i = 0; i < small + groups; i++) {
      random[i] = generate_lognormal(rng, 1.0);
    }
    apportion(in_groups, random, groups, 1, in_groups, s->small_draws);
    for (uint32_t i = 0; i < groups; i++) {
      random[i] = s->small_draws[i] * generate_lognormal(rng, 1.4);
      group_triangles[i] = 0;
    }
    // Below the threshold of 4,096 in every group, at least 2 in every draw.
    for (uint32_t i = 0; i < groups; i++) {
      left -= 2 * s->small_draws[i];
    }
    apportion(left, random, groups, 0, 3200, group_triangles);
    for (uint32_t i = 0, at = 0; i < groups; at += s->small_draws[i], i++) {
      uint32_t count = s->small_draws[i];
      apportion(group_triangles[i] + 2 * count, random + groups + at, count, 2, 4000,
                s->small_sizes + at);
    }
    for (uint32_t i = 0; i < panels; i++) {
      s->small_sizes[in_groups + i] = 2;
    }
  }
  free(random);
  free(group_triangles);
  return good;
}

static void draw_frame(scene_t *s) {
  const generate_game_t *g = s->game;
  uint32_t layers = 0, on_screen = 0, off_screen = 0;
  uint32_t reflections = 0;
  for (; g->layers[layers].kind != GenerateLayerEnd; layers++) {
    reflections += g->layers[layers].kind == GenerateLayerReflection;
    on_screen += g->layers[layers].kind >= GenerateLayerWorld;
  }
  off_screen = layers - on_screen;
  uint32_t fixed = 1 + reflections + g->post_passes + g->bloom_passes;
  uint32_t panels = 8 + g->draws / 200;
  uint32_t triangles[GenerateMostLayers], draws[GenerateMostLayers];
  if (!share_out(s, layers, fixed, panels, triangles, draws)) {
    s->b.failed = true;
    return;
  }
  for (uint32_t i = 0; i < off_screen; i++) {
    const generate_layer_t *layer = &g->layers[i];
    if (layer->kind == GenerateLayerShadow) {
      clear(s, FrameNone, s->shadow_depth);
    } else if (layer->kind == GenerateLayerReflection) {
      clear(s, s->reflection, s->reflection_depth);
      draw_sky(s, s->reflection, s->reflection_depth);
    } else if (layer->kind == GenerateLayerBuffer) {
      clear(s, s->buffer, s->buffer_depth);
    }
    draw_layer(s, layer, triangles[i], draws[i]);
  }

  clear(s, 0, s->screen_depth);
  uint32_t small = g->draws * g->small_draws / 1000 - panels;
  double area = (double)s->width * s->height * g->small_area / 100 / small;
  s->small_left = g->small_groups;
  for (uint32_t i = off_screen; i < layers; i++) {
    draw_layer(s, &g->layers[i], triangles[i], draws[i]);
    if (i == off_screen) {
      draw_sky(s, 0, s->screen_depth);
    }
    uint32_t slots = layers - i;
    scene_draw_small_groups(s, (s->small_left + slots - 1) / slots, area);
  }

  for (uint32_t i = 0; i < g->bloom_passes; i++) {
    draw_pass(s, s->bloom, s->textures[i % 2 ? GenerateTextureLight : GenerateTextureSky],
              FrameFactorOne, i ? FrameFactorOne : FrameFactorZero, 0.2);
  }
  for (uint32_t i = 0; i < g->post_passes; i++) {
    // Grading, which darkens a little, and glow in turn.
    if (i % 2 == 0) {
      draw_pass(s, 0, s->textures[GenerateTextureLight], FrameFactorDstColor, FrameFactorZero,
                0.55);
    } else {
      draw_pass(s, 0, s->textures[GenerateTextureLight], FrameFactorOne, FrameFactorOne, 0.04);
    }
  }
  draw_panels(s, small, panels);
}

frame_t *generate_scene(const generate_game_t *game, uint32_t size, const char *name, uint64_t seed,
                        uint32_t view) {
  scene_t s = {.game = game,
               .width = game->sizes[size].width,
               .height = game->sizes[size].height,
               .func = FrameFuncLess};
  // Each game its own sequence, so that equal parameters do not give equal pictures.
  uint64_t own = seed;
  for (const char *c = game->name; *c; c++) {
    own = own * 1099511628211u + (uint8_t)*c;
  }
  if (!generate_begin(&s.b, name, own, view)) {
    return generate_end(&s.b);
  }
  s.ground_seed = (uint32_t)rng_u64(&s.b.rng);
  make_surfaces(&s);
  if (!s.b.failed) {
    draw_frame(&s);
  }
  free(s.small_sizes);
  free(s.small_draws);
  return generate_end(&s.b);
}
