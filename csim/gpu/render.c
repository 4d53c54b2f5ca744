#include "render.h"

#include <stdlib.h>
#include <string.h>

#include "texture.h"

// ---- Surfaces ----

static bool surface_create(surface_t *s, frame_surface_t size, bool depth) {
  *s = (surface_t){.width = size.width, .height = size.height,
                   .tiles_x = (size.width + SurfaceTile - 1) / SurfaceTile,
                   .tiles_y = (size.height + SurfaceTile - 1) / SurfaceTile};
  size_t tiles = (size_t)s->tiles_x * s->tiles_y, pixels = tiles * SurfaceTilePixels;
  s->dirty = calloc(tiles, 1);
  if (depth) {
    s->depth = malloc(pixels * sizeof *s->depth);
    s->stencil = calloc(pixels, 1);
    s->mark_group = calloc(pixels / SurfaceBlockPixels, sizeof *s->mark_group);
    for (size_t i = 0; s->depth && i < pixels; i++) {
      s->depth[i] = SurfaceDepthMask;
    }
    return s->depth && s->stencil && s->mark_group && s->dirty;
  }
  s->color = calloc(pixels, sizeof *s->color);
  s->tied = calloc(pixels, 1);
  return s->color && s->tied && s->dirty;
}

static void surfaces_free(surface_t *s, uint32_t count) {
  for (uint32_t i = 0; s && i < count; i++) {
    free(s[i].color);
    free(s[i].depth);
    free(s[i].stencil);
    free(s[i].mark_group);
    free(s[i].subimage);
    free(s[i].subimage_written);
    free(s[i].dirty);
    free(s[i].tied);
  }
  free(s);
}

void render_surfaces_destroy(const frame_t *frame, surface_t *targets, surface_t *depths) {
  surfaces_free(targets, frame->target_count);
  surfaces_free(depths, frame->depth_count);
}

bool render_surfaces_create(const frame_t *frame, surface_t **targets, surface_t **depths) {
  *targets = calloc(frame->target_count + 1, sizeof **targets);
  *depths = calloc(frame->depth_count + 1, sizeof **depths);
  bool ok = *targets && *depths;
  for (uint32_t i = 0; ok && i < frame->target_count; i++) {
    ok = surface_create(&(*targets)[i], frame->targets[i], false);
  }
  for (uint32_t i = 0; ok && i < frame->depth_count; i++) {
    ok = surface_create(&(*depths)[i], frame->depths[i], true);
  }
  if (!ok) {
    render_surfaces_destroy(frame, *targets, *depths);
    *targets = *depths = NULL;
  }
  return ok;
}

// ---- Pixels ----

static inline double pixel_x(uint32_t bx, uint32_t i) {
  return bx * 8 + (i >> 2 & 3) * 2 + (i & 1);
}

static inline double pixel_y(uint32_t by, uint32_t i) {
  return by * 8 + (i >> 4) * 2 + (i >> 1 & 1);
}

static inline size_t block_start(const surface_t *s, uint32_t bx, uint32_t by) {
  return surface_index(s->tiles_x, bx * 8, by * 8);
}

// x y / 255 rounded, for 8-bit x and y.
static inline uint32_t mul8(uint32_t x, uint32_t y) {
  uint32_t t = x * y + 128;
  return (t + (t >> 8)) >> 8;
}

// x y / 65535 rounded.
static inline uint32_t mul16(uint32_t x, uint32_t y) {
  uint32_t t = x * y + 32768;
  return (t + (t >> 16)) >> 16;
}

static inline bool compare(uint8_t func, uint32_t a, uint32_t b) {
  switch (func) {
    case FrameFuncNever: return false;
    case FrameFuncLess: return a < b;
    case FrameFuncEqual: return a == b;
    case FrameFuncLessEqual: return a <= b;
    case FrameFuncGreater: return a > b;
    case FrameFuncNotEqual: return a != b;
    case FrameFuncGreaterEqual: return a >= b;
    default: return true;
  }
}

// ---- Depth and stencil ----

static uint8_t stencil_op(uint8_t op, uint8_t old, const frame_stencil_t *s) {
  uint8_t v = old;
  switch (op) {
    case FrameStencilZero: v = 0; break;
    case FrameStencilReplace: v = s->ref; break;
    case FrameStencilIncr: v = old < 255 ? (uint8_t)(old + 1) : old; break;
    case FrameStencilDecr: v = old > 0 ? (uint8_t)(old - 1) : old; break;
    case FrameStencilInvert: v = (uint8_t)~old; break;
    case FrameStencilIncrWrap: v = (uint8_t)(old + 1); break;
    case FrameStencilDecrWrap: v = (uint8_t)(old - 1); break;
    default: break;
  }
  return (uint8_t)((old & ~s->write_mask) | (v & s->write_mask));
}

// The first write of a group to a block drops the marks of older groups there.
static void begin_block(const render_draw_t *d, size_t start) {
  uint32_t *group = &d->depth->mark_group[start / SurfaceBlockPixels];
  if (*group == d->mode.group) {
    return;
  }
  *group = d->mode.group;
  uint32_t *words = d->depth->depth + start;
  for (uint32_t i = 0; i < SurfaceBlockPixels; i++) {
    words[i] &= ~(1u << SurfaceMarkBit);
  }
}

static inline uint32_t depth_at(const raster_t *r, double x, double y) {
  double z = raster_at(&r->z, x, y) + 0.5;
  return z <= 0 ? 0 : z >= FrameMaxDepth ? FrameMaxDepth : (uint32_t)z;
}

static uint64_t depth_with_stencil(const render_draw_t *d, const raster_t *r, uint32_t bx,
                                   uint32_t by, uint64_t mask, size_t start, uint32_t extra) {
  const frame_state_t *s = d->state;
  const frame_stencil_t *st = &s->stencil[r->back];
  uint64_t passed = 0;
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    uint32_t *word = &d->depth->depth[start + i];
    uint8_t *stencil = &d->depth->stencil[start + i];
    if (!compare(st->func, st->ref & st->read_mask, *stencil & st->read_mask)) {
      *stencil = stencil_op(st->fail, *stencil, st);
      continue;
    }
    uint32_t z = depth_at(r, pixel_x(bx, i), pixel_y(by, i));
    if (s->depth_test && !compare(s->depth_func, z, *word & SurfaceDepthMask)) {
      *stencil = stencil_op(st->depth_fail, *stencil, st);
      continue;
    }
    *stencil = stencil_op(st->pass, *stencil, st);
    if (s->depth_test && s->depth_write) {
      *word = z | extra;
    }
    passed |= 1ull << i;
  }
  return passed;
}

uint64_t render_depth(const render_draw_t *d, const raster_t *r, uint32_t bx, uint32_t by,
                      uint64_t mask) {
  const frame_state_t *s = d->state;
  if (!d->depth || (!s->depth_test && !s->stencil_test)) {
    return mask;
  }
  size_t start = block_start(d->depth, bx, by);
  uint32_t extra = (uint32_t)d->mode.tag << SurfaceTagShift |
                   (uint32_t)d->mode.compose << SurfaceMarkBit;
  if (s->stencil_test) {
    d->depth->dirty[start / SurfaceTilePixels] = 1;
    return depth_with_stencil(d, r, bx, by, mask, start, extra);
  }
  uint32_t *words = d->depth->depth + start;
  uint32_t z[SurfaceBlockPixels];
  uint64_t passed = 0;
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    z[i] = depth_at(r, pixel_x(bx, i), pixel_y(by, i));
    uint64_t ok = compare(s->depth_func, z[i], words[i] & SurfaceDepthMask);
    passed |= ok << i;
  }
  if (!s->depth_write || !passed) {
    return passed;
  }
  if (d->mode.compose && !d->mode.subimage) {
    begin_block(d, start);
  }
  d->depth->dirty[start / SurfaceTilePixels] = 1;
  for (uint64_t rest = passed; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    words[i] = z[i] | extra;
  }
  return passed;
}

// ---- Shading ----

static uint32_t combine(uint8_t how, uint32_t c, uint32_t t) {
  if (how == FrameCombineReplace) {
    return t;
  }
  uint32_t out = 0, alpha = t >> 24;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t a = c >> (8 * k) & 255, b = t >> (8 * k) & 255, v;
    switch (how) {
      case FrameCombineAdd: v = k < 3 ? a + b : mul8(a, b); break;
      case FrameCombineDecal: v = k < 3 ? (a * (255 - alpha) + b * alpha + 127) / 255 : a; break;
      case FrameCombineModulate2x: v = (2 * a * b + 127) / 255; break;
      case FrameCombineModulate4x: v = (4 * a * b + 127) / 255; break;
      default: v = mul8(a, b);
    }
    out |= (v > 255 ? 255 : v) << (8 * k);
  }
  return out;
}

static uint32_t scale_color(uint32_t c, uint32_t by) {
  if (by == UINT32_MAX) {
    return c;
  }
  return mul8(c & 255, by & 255) | mul8(c >> 8 & 255, by >> 8 & 255) << 8 |
         mul8(c >> 16 & 255, by >> 16 & 255) << 16 | mul8(c >> 24, by >> 24) << 24;
}

static uint32_t vertex_color(const raster_t *r, double x, double y, double w) {
  uint32_t c = 0;
  for (uint32_t k = 0; k < 4; k++) {
    double v = r->flat ? r->rgba[k].c : raster_at(&r->rgba[k], x, y) * w;
    v += 0.5;
    c |= (v <= 0 ? 0 : v >= 255 ? 255u : (uint32_t)v) << (8 * k);
  }
  return c;
}

static uint32_t shade(const render_draw_t *d, const raster_t *r, double x, double y, bool trace,
                      render_shaded_t *out) {
  const frame_state_t *s = d->state;
  double q = raster_at(&r->inv_w, x, y);
  double w = q != 0 ? 1.0 / q : 0;
  uint32_t c = scale_color(vertex_color(r, x, y, w), s->color);
  for (uint32_t k = 0; k < FrameMaxTextures; k++) {
    const frame_stage_t *stage = &s->stages[k];
    if (stage->texture == FrameNone) {
      continue;
    }
    const frame_texture_t *t = &d->frame->textures[stage->texture];
    const raster_plane_t *pu = &r->uv[k][0], *pv = &r->uv[k][1];
    double u = raster_at(pu, x, y) * w, v = raster_at(pv, x, y) * w;
    // d(U/W) = (dU - u dW) / W
    double ux = (pu->dx - u * r->inv_w.dx) * w * t->width;
    double vx = (pv->dx - v * r->inv_w.dx) * w * t->height;
    double uy = (pu->dy - u * r->inv_w.dy) * w * t->width;
    double vy = (pv->dy - v * r->inv_w.dy) * w * t->height;
    double along_x = ux * ux + vx * vx, along_y = uy * uy + vy * vy;
    texture_read_t read;
    c = combine(stage->combine, c,
                texture_sample(t, stage, u, v, along_x > along_y ? along_x : along_y, &read));
    out->texels += read.texels;
    out->probes++;
    for (uint32_t n = 0; trace && n < read.line_count; n++) {
      out->lines[out->line_count++] = (uint64_t)stage->texture << 40 | read.lines[n];
    }
  }
  return c;
}

// ---- Blending ----

static uint32_t factor(uint8_t f, uint32_t k, uint32_t src, uint32_t dst) {
  uint32_t sa = src >> 24, da = dst >> 24;
  switch (f) {
    case FrameFactorZero: return 0;
    case FrameFactorOne: return 255;
    case FrameFactorSrcColor: return src >> (8 * k) & 255;
    case FrameFactorOneMinusSrcColor: return 255 - (src >> (8 * k) & 255);
    case FrameFactorSrcAlpha: return sa;
    case FrameFactorOneMinusSrcAlpha: return 255 - sa;
    case FrameFactorDstColor: return dst >> (8 * k) & 255;
    case FrameFactorOneMinusDstColor: return 255 - (dst >> (8 * k) & 255);
    case FrameFactorDstAlpha: return da;
    case FrameFactorOneMinusDstAlpha: return 255 - da;
    default: return k == 3 ? 255 : sa < 255 - da ? sa : 255 - da;
  }
}

static uint32_t blend(const frame_state_t *s, uint32_t src, uint32_t dst) {
  uint32_t out = 0;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t a = src >> (8 * k) & 255, b = dst >> (8 * k) & 255;
    int32_t fa = (int32_t)(a * factor(k < 3 ? s->src_rgb : s->src_alpha, k, src, dst));
    int32_t fb = (int32_t)(b * factor(k < 3 ? s->dst_rgb : s->dst_alpha, k, src, dst));
    int32_t v;
    switch (k < 3 ? s->equation_rgb : s->equation_alpha) {
      case FrameEquationSubtract: v = fa - fb; break;
      case FrameEquationReverseSubtract: v = fb - fa; break;
      case FrameEquationMin: v = 255 * (int32_t)(a < b ? a : b); break;
      case FrameEquationMax: v = 255 * (int32_t)(a > b ? a : b); break;
      default: v = fa + fb;
    }
    v = v <= 0 ? 0 : (v + 127) / 255;
    out |= (uint32_t)(v > 255 ? 255 : v) << (8 * k);
  }
  return out;
}

static uint32_t mask_bytes(uint8_t color_mask) {
  uint32_t m = 0;
  for (uint32_t k = 0; k < 4; k++) {
    m |= (color_mask >> k & 1 ? 255u : 0u) << (8 * k);
  }
  return m;
}

static inline bool is_multiply(const frame_state_t *s) {
  return s->src_rgb == FrameFactorZero || s->dst_rgb == FrameFactorZero;
}

static inline bool is_add(const frame_state_t *s) { return s->dst_rgb == FrameFactorOne; }

// A fragment in the sub-image's format: 16 bits a channel, multiplied by alpha where the
// source factor says so.
static uint64_t widen(const frame_state_t *s, uint32_t c) {
  uint64_t out = 0;
  uint32_t alpha = (c >> 24) * 257;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t v = (c >> (8 * k) & 255) * 257;
    uint8_t f = k < 3 ? s->src_rgb : s->src_alpha;
    if (f == FrameFactorSrcAlpha) {
      v = mul16(v, alpha);
    }
    out |= (uint64_t)v << (16 * k);
  }
  return out;
}

static uint64_t blend16(const frame_state_t *s, uint64_t src, uint64_t old) {
  uint64_t out = 0;
  uint32_t keep = 65535 - (uint32_t)(src >> 48);
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t a = (uint32_t)(src >> (16 * k)) & 65535, b = (uint32_t)(old >> (16 * k)) & 65535;
    uint32_t v = is_multiply(s) ? mul16(a, b) : is_add(s) ? a + b : a + mul16(keep, b);
    out |= (uint64_t)(v > 65535 ? 65535 : v) << (16 * k);
  }
  return out;
}

static void write_subimage(const render_draw_t *d, size_t start, uint64_t mask,
                           const uint32_t *colors) {
  surface_t *t = d->color;
  size_t block = start / SurfaceBlockPixels;
  uint64_t written = t->subimage_written[block];
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    uint64_t src = widen(d->state, colors[i]), *to = &t->subimage[start + i];
    *to = written >> i & 1 ? blend16(d->state, src, *to) : src;
  }
  t->subimage_written[block] = written | mask;
}

static void count_layers(const render_draw_t *d, size_t start, uint64_t mask) {
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    uint8_t *n = &d->layers[start + (size_t)__builtin_ctzll(rest)];
    if (d->layered) {
      *n += *n < 255;
    } else if (!d->state->blend) {
      *n = 0;
    }
  }
}

static void write_color(const render_draw_t *d, size_t start, uint64_t mask,
                        const uint32_t *colors) {
  surface_t *t = d->color;
  const frame_state_t *s = d->state;
  uint32_t keep = ~mask_bytes(s->color_mask);
  t->dirty[start / SurfaceTilePixels] = 1;
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    uint32_t *to = &t->color[start + i];
    uint32_t c = s->blend ? blend(s, colors[i], *to) : colors[i];
    *to = keep ? (c & ~keep) | (*to & keep) : c;
  }
  if (!s->blend && !keep) {
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
      t->tied[start + (size_t)__builtin_ctzll(rest)] = 0;
    }
  }
}

uint64_t render_shade(const render_draw_t *d, const raster_t *r, uint32_t bx, uint32_t by,
                      uint64_t mask, uint32_t *colors, render_shaded_t *shaded) {
  const frame_state_t *s = d->state;
  shaded->texels = shaded->probes = shaded->line_count = 0;
  if (!(d->color && s->color_mask) && !s->alpha_test) {
    return mask;
  }
  uint64_t stamps_seen = 0, kept = mask;
  for (uint64_t rest = mask; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    bool first = !(stamps_seen >> (i >> 2) & 1);
    stamps_seen |= 1ull << (i >> 2);
    colors[i] = shade(d, r, pixel_x(bx, i), pixel_y(by, i), first, shaded);
    if (s->alpha_test && !compare(s->alpha_func, colors[i] >> 24, s->alpha_ref)) {
      kept &= ~(1ull << i);
    }
  }
  return kept;
}

uint64_t render_write(const render_draw_t *d, const raster_t *r, uint32_t bx, uint32_t by,
                      uint64_t mask, const uint32_t *colors) {
  const frame_state_t *s = d->state;
  if (render_is_late(s)) {
    mask = render_depth(d, r, bx, by, mask);
  }
  if (!d->color || !s->color_mask || !mask) {
    return mask;
  }
  size_t start = block_start(d->color, bx, by);
  if (d->mode.subimage) {
    write_subimage(d, start, mask, colors);
  } else {
    write_color(d, start, mask, colors);
  }
  if (d->layers) {
    count_layers(d, start, mask);
  }
  return mask;
}

// ---- Clears and background ----

void render_clear(const frame_cmd_t *c, surface_t *color, surface_t *depth, const uint8_t *owners,
                  uint32_t owner) {
  const frame_rect_t *box = &c->state.scissor;
  surface_t *both[2] = {c->clear_color ? color : NULL,
                        c->clear_depth || c->clear_stencil ? depth : NULL};
  uint32_t write = mask_bytes(c->state.color_mask);
  for (int k = 0; k < 2; k++) {
    surface_t *s = both[k];
    if (!s) {
      continue;
    }
    for (int32_t y = box->y0; y < box->y1; y++) {
      for (int32_t x = box->x0; x < box->x1; x++) {
        uint32_t i = surface_index(s->tiles_x, (uint32_t)x, (uint32_t)y);
        if (owners && owners[i / SurfaceTilePixels] != owner) {
          continue;
        }
        if (s->color) {
          s->color[i] = (s->color[i] & ~write) | (c->clear_rgba & write);
          s->tied[i] = 0;
        } else {
          if (c->clear_depth) {
            s->depth[i] = c->clear_z & SurfaceDepthMask;
          }
          if (c->clear_stencil) {
            s->stencil[i] = c->clear_stencil_value;
          }
        }
      }
    }
    // A whole clear by all leaves nothing to broadcast.
    size_t tiles = (size_t)s->tiles_x * s->tiles_y;
    bool whole = !owners && box->x0 <= 0 && box->y0 <= 0 && box->x1 >= (int32_t)s->width &&
                 box->y1 >= (int32_t)s->height && (!s->color || write == UINT32_MAX);
    memset(s->dirty, whole ? 0 : 1, tiles);
  }
}

uint32_t render_background(const frame_state_t *s, surface_t *t, uint32_t tile) {
  uint32_t composed = 0;
  for (uint32_t b = 0; b < SurfaceBlocksPerTile; b++) {
    size_t block = (size_t)tile * SurfaceBlocksPerTile + b;
    for (uint64_t rest = t->subimage_written[block]; rest; rest &= rest - 1) {
      size_t i = block * SurfaceBlockPixels + (size_t)__builtin_ctzll(rest);
      uint64_t sub = t->subimage[i];
      uint32_t alpha = (uint32_t)(sub >> 48), old = t->color[i], out = 0;
      for (uint32_t k = 0; k < 4; k++) {
        uint64_t a = sub >> (16 * k) & 65535, b8 = old >> (8 * k) & 255, v;
        if (is_multiply(s)) {
          v = (a * b8 + 32767) / 65535;
        } else if (is_add(s)) {
          v = (a + 257 * b8 + 128) / 257;
        } else {
          v = (a * 65535 + (65535 - alpha) * 257 * b8 + 65535 * 128) / (65535ull * 257);
        }
        out |= (uint32_t)(v > 255 ? 255 : v) << (8 * k);
      }
      t->color[i] = out;
      composed++;
    }
  }
  t->dirty[tile] |= composed > 0;
  return composed;
}

// ---- A whole frame ----

static void render_triangle(const render_draw_t *d, const raster_t *r) {
  render_shaded_t shaded;
  uint32_t colors[SurfaceBlockPixels];
  for (int32_t by = r->y0 >> 3; by <= (r->y1 - 1) >> 3; by++) {
    for (int32_t bx = r->x0 >> 3; bx <= (r->x1 - 1) >> 3; bx++) {
      uint64_t mask = raster_coverage(r, bx, by);
      if (mask && !render_is_late(d->state)) {
        mask = render_depth(d, r, (uint32_t)bx, (uint32_t)by, mask);
      }
      if (mask) {
        mask = render_shade(d, r, (uint32_t)bx, (uint32_t)by, mask, colors, &shaded);
        render_write(d, r, (uint32_t)bx, (uint32_t)by, mask, colors);
      }
    }
  }
}

void render_commands(const frame_t *frame, uint32_t first, uint32_t last, surface_t *targets,
                     surface_t *depths, const bool *layered, uint8_t **layers) {
  for (uint32_t i = first; i < last; i++) {
    const frame_cmd_t *c = &frame->commands[i];
    uint16_t t = c->state.color_target;
    render_draw_t d = {.frame = frame, .state = &c->state,
                       .color = t == FrameNone ? NULL : &targets[t],
                       .depth = c->state.depth_buffer == FrameNone
                                    ? NULL
                                    : &depths[c->state.depth_buffer],
                       .layers = layers && t != FrameNone ? layers[t] : NULL,
                       .layered = layered && layered[i]};
    if (c->kind == FrameCmdClear) {
      render_clear(c, d.color, d.depth, NULL, 0);
      if (d.layers && c->clear_color && !d.color->dirty[0]) {
        memset(d.layers, 0, (size_t)d.color->tiles_x * d.color->tiles_y * SurfaceTilePixels);
      }
      continue;
    }
    for (uint32_t k = 0; k < c->triangle_count; k++) {
      raster_t r;
      if (raster_setup(&r, frame, &c->state, &frame->triangles[c->first_triangle + k])) {
        render_triangle(&d, &r);
      }
    }
  }
}
