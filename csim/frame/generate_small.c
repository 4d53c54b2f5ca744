// SPDX-License-Identifier: Apache-2.0
// Runs of draws that share a state, so that they form groups, between clears and
// switches of target. The usual states are the most frequent; every field of a state
// is visited over some dozens of seeds. Depths come from few values, and triangles are
// repeated, so that equal depths meet.
#include "generate_small.h"

#include <stdlib.h>

#include "generate_math.h"

enum { MostTargets = 3, Textures = 3 };

typedef struct {
  generate_build_t b;
  uint32_t surfaces;  // targets and depth buffers, in pairs of one size
  uint16_t texture[Textures];
  bool farther[MostTargets];  // the depth buffer is used with greater
} small_t;

static uint32_t pick(rng_t *rng, uint32_t low, uint32_t high) {
  return low + rng_below(rng, high - low + 1);
}

static frame_rect_t any_rect(rng_t *rng, frame_surface_t size) {
  int32_t x0 = (int32_t)rng_below(rng, size.width), y0 = (int32_t)rng_below(rng, size.height);
  // One draw of a random number a statement, here and below: C leaves the order of
  // arguments and initialisers open.
  int32_t x1 = x0 + 1 + (int32_t)rng_below(rng, size.width - (uint32_t)x0);
  int32_t y1 = y0 + 1 + (int32_t)rng_below(rng, size.height - (uint32_t)y0);
  return (frame_rect_t){x0, y0, x1, y1};
}

static void clear(small_t *s, uint32_t surface, bool first) {
  rng_t *rng = &s->b.rng;
  frame_state_t state = generate_state(&s->b, (uint16_t)surface, (uint16_t)surface);
  bool part = !first && rng_chance(rng, 400);
  if (part) {
    state.scissor = any_rect(rng, s->b.frame->targets[surface]);
  }
  if (!first && rng_chance(rng, 200)) {
    state.color_mask = (uint8_t)pick(rng, 0, 15);
  }
  frame_cmd_t *c = generate_command(&s->b, FrameCmdClear, &state);
  if (!c) {
    return;
  }
  c->clear_color = first || rng_chance(rng, 700);
  c->clear_depth = first || rng_chance(rng, 700);
  c->clear_stencil = first || rng_chance(rng, 500);
  c->clear_rgba = (uint32_t)rng_u64(rng);
  if (!part) {
    s->farther[surface] = rng_chance(rng, 250);
  }
  c->clear_z = s->farther[surface] ? 0 : FrameMaxDepth;
  c->clear_stencil_value = (uint8_t)pick(rng, 0, 3);
}

static void any_stencil(rng_t *rng, frame_state_t *state) {
  state->stencil_test = 1;
  for (int i = 0; i < 2; i++) {
    frame_stencil_t *st = &state->stencil[i];
    st->func = (uint8_t)pick(rng, 0, FrameFuncAlways);
    st->ref = (uint8_t)pick(rng, 0, 3);
    st->read_mask = (uint8_t)pick(rng, 1, 255);
    st->write_mask = (uint8_t)pick(rng, 0, 255);
    st->fail = (uint8_t)pick(rng, 0, FrameStencilDecrWrap);
    st->depth_fail = (uint8_t)pick(rng, 0, FrameStencilDecrWrap);
    st->pass = (uint8_t)pick(rng, 0, FrameStencilDecrWrap);
  }
}

static void any_blend(rng_t *rng, frame_state_t *state) {
  switch (pick(rng, 0, 4)) {
    case 0:
    case 1: {
      bool premultiplied = rng_chance(rng, 500);
      generate_blend(state, premultiplied ? FrameFactorOne : FrameFactorSrcAlpha,
                     FrameFactorOneMinusSrcAlpha, FrameFactorOne, FrameFactorOneMinusSrcAlpha);
      break;
    }
    case 2: {
      frame_factor_e src = rng_chance(rng, 500) ? FrameFactorOne : FrameFactorSrcAlpha;
      generate_blend(state, src, FrameFactorOne, src, FrameFactorOne);
      break;
    }
    case 3:
      if (rng_chance(rng, 500)) {
        generate_blend(state, FrameFactorDstColor, FrameFactorZero, FrameFactorDstAlpha,
                       FrameFactorZero);
      } else {
        generate_blend(state, FrameFactorZero, FrameFactorSrcColor, FrameFactorZero,
                       FrameFactorSrcAlpha);
      }
      break;
    default:
      generate_blend(state, FrameFactorOne, FrameFactorZero, FrameFactorOne, FrameFactorZero);
      state->src_rgb = (uint8_t)pick(rng, 0, FrameFactorSrcAlphaSaturate);
      state->dst_rgb = (uint8_t)pick(rng, 0, FrameFactorOneMinusDstAlpha);
      state->src_alpha = (uint8_t)pick(rng, 0, FrameFactorOneMinusDstAlpha);
      state->dst_alpha = (uint8_t)pick(rng, 0, FrameFactorOneMinusDstAlpha);
      state->equation_rgb = (uint8_t)pick(rng, 0, FrameEquationMax);
      state->equation_alpha = (uint8_t)pick(rng, 0, FrameEquationMax);
      break;
  }
}

// Returns the state that all draws of a run share.
static frame_state_t run_state(small_t *s, uint32_t surface) {
  rng_t *rng = &s->b.rng;
  uint32_t kind = rng_below(rng, 100);
  uint16_t target = (uint16_t)surface, depth = (uint16_t)surface;
  if (rng_chance(rng, 60)) {
    target = FrameNone;
  } else if (rng_chance(rng, 60)) {
    depth = FrameNone;
  }
  frame_state_t state = generate_state(&s->b, target, depth);
  uint8_t less[2] = {FrameFuncLess, FrameFuncLessEqual};
  uint8_t greater[2] = {FrameFuncGreater, FrameFuncGreaterEqual};
  state.depth_func = s->farther[surface] ? greater[rng_below(rng, 2)] : less[rng_below(rng, 2)];
  if (kind < 50) {
    // Opaque, the composable state.
  } else if (kind < 60) {
    state.depth_func = (uint8_t)pick(rng, 0, FrameFuncAlways);
    state.depth_write = !rng_chance(rng, 300);
  } else if (kind < 65) {
    state.depth_test = 0;
  } else if (kind < 82) {
    any_blend(rng, &state);
    state.depth_test = 0;
  } else if (kind < 94) {
    any_blend(rng, &state);
    state.depth_write = rng_chance(rng, 250);
  } else {
    any_stencil(rng, &state);
  }
  if (rng_chance(rng, 80)) {
    state.color_mask = (uint8_t)pick(rng, 0, 15);
  }
  if (rng_chance(rng, 120)) {
    state.scissor = any_rect(
        rng, target != FrameNone ? s->b.frame->targets[target] : s->b.frame->depths[depth]);
  }
  return state;
}

static void draw_state(small_t *s, frame_state_t *state) {
  rng_t *rng = &s->b.rng;
  for (uint32_t i = 0; i < 2; i++) {
    if (rng_chance(rng, i ? 250 : 600)) {
      generate_stage(state, i, s->texture[rng_below(rng, Textures)], 0, FrameCombineModulate);
      frame_stage_t *t = &state->stages[i];
      t->coord = (uint8_t)rng_below(rng, 2);
      t->combine = (uint8_t)pick(rng, 0, FrameCombineModulate4x);
      t->mag_filter = (uint8_t)rng_below(rng, 2);
      t->min_filter = (uint8_t)rng_below(rng, 2);
      t->mip = (uint8_t)rng_below(rng, 3);
      t->wrap_s = (uint8_t)rng_below(rng, 3);
      t->wrap_t = (uint8_t)rng_below(rng, 3);
      t->max_anisotropy = (uint8_t)(1u << rng_below(rng, 5));
      t->lod_bias = (float)rng_below(rng, 9) * 0.5f - 2;
    }
  }
  if (rng_chance(rng, 120)) {
    state->alpha_test = 1;
    state->alpha_func = (uint8_t)pick(rng, 0, FrameFuncAlways);
    state->alpha_ref = (uint8_t)pick(rng, 0, 255);
  }
  if (rng_chance(rng, 100)) {
    state->color = (uint32_t)rng_u64(rng);
  }
}

typedef struct {
  double corner[4][4];  // x, y, depth, w
  double rgba[4][4];
  double repeat;
} patch_t;

static void patch_point(const void *self, double u, double v, generate_corner_t *corner) {
  const patch_t *p = self;
  const double weight[4] = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
  double at[4] = {0, 0, 0, 0};
  for (int c = 0; c < 4; c++) {
    corner->rgba[c] = 0;
  }
  for (int i = 0; i < 4; i++) {
    for (int c = 0; c < 4; c++) {
      at[c] += weight[i] * p->corner[i][c];
      corner->rgba[c] += weight[i] * p->rgba[i][c];
    }
  }
  corner->w = at[3];
  corner->x = at[0] * at[3];
  corner->y = at[1] * at[3];
  corner->d = at[2] * at[3];
  for (int i = 0; i < 4; i++) {
    corner->uv[i / 2][i % 2] = (i % 2 ? v : u) * p->repeat * (i / 2 ? 0.5 : 1);
  }
}

static patch_t any_patch(small_t *s, frame_surface_t size) {
  rng_t *rng = &s->b.rng;
  patch_t p = {.repeat = generate_between(rng, 0.2, 6)};
  double reach = rng_chance(rng, 150) ? 1.5 : generate_between(rng, 0.05, 0.6);
  double cx = generate_between(rng, -0.1, 1.1) * size.width;
  double cy = generate_between(rng, -0.1, 1.1) * size.height;
  double rx = reach * size.width / 2, ry = reach * size.height / 2;
  bool flat = rng_chance(rng, 450);
  double level = pick(rng, 1, 7) / 8.0;
  bool far_out = rng_chance(rng, 25);
  for (int i = 0; i < 4; i++) {
    double sx = i & 1 ? 1 : -1, sy = i & 2 ? 1 : -1;
    double near = flat ? 1 : generate_between(rng, 0.5, 4);
    p.corner[i][0] = cx + sx * rx * generate_between(rng, 0.5, 1.2) * (far_out ? 60 : 1);
    p.corner[i][1] = cy + sy * ry * generate_between(rng, 0.5, 1.2) * (far_out ? 60 : 1);
    p.corner[i][2] = flat ? level : generate_between(rng, 0.05, 0.95);
    p.corner[i][3] = near;
    for (int c = 0; c < 4; c++) {
      p.rgba[i][c] = generate_uniform(rng);
    }
  }
  return p;
}

frame_t *generate_small(const char *name, uint64_t seed, uint32_t view) {
  small_t s = {.surfaces = 1};
  generate_build_t *b = &s.b;
  if (!generate_begin(b, name, seed, view)) {
    return generate_end(b);
  }
  rng_t *rng = &b->rng;
  s.surfaces = rng_chance(rng, 600) ? pick(rng, 2, MostTargets) : 1;
  for (uint32_t i = 0; i < s.surfaces; i++) {
    uint32_t width = i == 0 ? pick(rng, 120, 260) : pick(rng, 20, 200);
    uint32_t height = i == 0 ? pick(rng, 90, 200) : pick(rng, 20, 160);
    generate_target(b, width, height);
    generate_depth(b, width, height);
  }
  const uint32_t sides[Textures] = {16, 64, 37};
  const generate_texture_e kinds[Textures] = {GenerateTextureLeaves, GenerateTextureTiles,
                                              GenerateTextureSprite};
  for (uint32_t i = 0; i < Textures; i++) {
    s.texture[i] = generate_texture(b, kinds[i], sides[i]);
  }
  for (uint32_t i = 0; i < s.surfaces && !b->failed; i++) {
    clear(&s, i, true);
  }
  uint32_t draws = pick(rng, 30, 80), surface = 0;
  patch_t patch = {0};
  bool have_patch = false;
  for (uint32_t drawn = 0; drawn < draws && !b->failed;) {
    if (rng_chance(rng, 200)) {
      surface = rng_below(rng, s.surfaces);
    }
    if (rng_chance(rng, 150)) {
      clear(&s, surface, false);
    }
    frame_state_t shared = run_state(&s, surface);
    uint32_t run = pick(rng, 1, 12);
    bool cull = rng_chance(rng, 300);
    for (; run > 0 && drawn < draws && !b->failed; run--, drawn++) {
      frame_state_t state = shared;
      draw_state(&s, &state);
      frame_cmd_t *c = generate_command(b, FrameCmdDraw, &state);
      if (!c) {
        break;
      }
      c->vertex_length = pick(rng, 1, 40);
      c->fragment_length = pick(rng, 1, 40);
      // The same triangles again, so that equal depths meet.
      if (!have_patch || !rng_chance(rng, 120)) {
        patch = any_patch(&s, b->frame->targets[surface]);
        have_patch = true;
      }
      uint32_t triangles = rng_chance(rng, 500) ? pick(rng, 1, 8) : pick(rng, 8, 120);
      uint32_t rows = (uint32_t)sqrt(triangles / 2.0);
      rows = rows ? rows : 1;
      generate_grid(b, (triangles + 2 * rows - 1) / (2 * rows), rows, triangles, cull, patch_point,
                    &patch);
    }
  }
  return generate_end(b);
}
