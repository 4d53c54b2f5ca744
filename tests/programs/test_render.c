// SPDX-License-Identifier: Apache-2.0
// The functional renderer against plain formulas.
#include <math.h>

#include "csim/gpu/blend.h"
#include "csim/gpu/depth.h"
#include "csim/gpu/isotropic.h"
#include "csim/gpu/lanes.h"
#include "csim/gpu/raster.h"
#include "csim/gpu/render.h"
#include "tests/programs/pixel_render.h"
#include "tests/programs/test.h"

static uint32_t seed = 1;

static uint32_t noise(void) {
  seed = seed * 1664525u + 1013904223u;
  return seed >> 8;
}

static int32_t between(int32_t low, int32_t high) {
  return low + (int32_t)(noise() % (uint32_t)(high - low + 1));
}

TEST(test_lanes) {
  for (uint32_t n = 0; n < 1000; n++) {
    uint64_t mask = (uint64_t)noise() << 40 ^ (uint64_t)noise() << 20 ^ noise();
    mask &= (uint64_t)noise() << 42 ^ (uint64_t)noise() << 21 ^ noise();
    uint32_t stamps = 0, found = 0;
    for (uint32_t i = 0; i < 64; i++) {
      stamps |= (uint32_t)(mask >> i & 1) << (lanes_y(i) / 2 * 4 + lanes_x(i) / 2);
      assert_int_equal(surface_block_index(lanes_x(i), lanes_y(i)), i);
    }
    for (uint32_t i = 0; i < 16; i++) {
      found += stamps >> i & 1;
    }
    assert_int_equal(lanes_stamps(mask), stamps);
    assert_int_equal(lanes_stamp_count(mask), found);
  }
}

// ---- Coverage ----

// Edge by edge, in 64 bits, without blocks.
static bool is_inside(const frame_vertex_t *a, const frame_vertex_t *b, const frame_vertex_t *c,
                      int32_t x, int32_t y) {
  const frame_vertex_t *v[4] = {a, b, c, a};
  int64_t area = (int64_t)(b->x - a->x) * (c->y - a->y) - (int64_t)(c->x - a->x) * (b->y - a->y);
  if (area < 0) {
    v[1] = c;
    v[2] = b;
  }
  for (int i = 0; i < 3 && area != 0; i++) {
    int64_t dx = v[i + 1]->x - v[i]->x, dy = v[i + 1]->y - v[i]->y;
    int64_t e = dx * (y * 256 + 128 - v[i]->y) - dy * (x * 256 + 128 - v[i]->x);
    bool top_left = dy < 0 || (dy == 0 && dx > 0);
    if (e < 0 || (e == 0 && !top_left)) {
      return false;
    }
  }
  return area != 0;
}

TEST(test_coverage) {
  frame_vertex_t v[3] = {{0}};
  frame_triangle_t t = {.v = {0, 1, 2}};
  frame_t frame = {.vertices = v, .triangles = &t};
  frame_state_t s = {.scissor = {3, 5, 61, 50}};
  for (uint32_t n = 0; n < 3000; n++) {
    // Every third one on pixel centres and corners, every seventh one far out.
    int32_t grid = n % 3 == 0 ? 128 : 1, reach = n % 7 == 0 ? 16383 * 256 : 80 * 256;
    for (int i = 0; i < 3; i++) {
      v[i].x = between(-reach, reach) / grid * grid;
      v[i].y = between(-reach, reach) / grid * grid;
    }
    raster_t r;
    bool any = raster_setup(&r, &frame, &s, &t);
    for (int32_t y = 0; y < 64; y++) {
      for (int32_t x = 0; x < 64; x++) {
        bool want = is_inside(&v[0], &v[1], &v[2], x, y) && x >= 3 && y >= 5 && x < 61 && y < 50;
        bool got = any && raster_coverage(&r, x / 8, y / 8) >>
                                  surface_block_index((uint32_t)x % 8, (uint32_t)y % 8) &
                              1;
        assert_int_equal(got, want);
        if (want) {
          assert_true(raster_may_touch(&r, x & ~15, y & ~15, 16));
          assert_true(x >= r.x0 && x < r.x1 && y >= r.y0 && y < r.y1);
        }
      }
    }
  }
}

// Triangles of a mesh cover each pixel of it exactly once.
TEST(test_shared_edges) {
  enum { Side = 9, Cell = 7 * 256 + 77 };
  for (uint32_t n = 0; n < 40; n++) {
    frame_vertex_t v[Side * Side] = {{0}};
    for (int32_t i = 0; i < Side * Side; i++) {
      int32_t x = i % Side, y = i / Side;
      bool edge = x == 0 || y == 0 || x == Side - 1 || y == Side - 1;
      int32_t grid = n % 2 ? 1 : 128;
      v[i].x = x * Cell + (edge ? 0 : between(-440, 440) / grid * grid);
      v[i].y = y * Cell + (edge ? 0 : between(-440, 440) / grid * grid);
    }
    uint8_t covered[64][64] = {{0}};
    for (uint32_t i = 0; i < (Side - 1) * (Side - 1); i++) {
      uint32_t a = i / (Side - 1) * Side + i % (Side - 1), b = a + 1, c = a + Side, d = c + 1;
      // Either diagonal, either winding. The jitter keeps the cells convex enough.
      frame_triangle_t t[4] = {
          {.v = {a, b, c}}, {.v = {b, c, d}}, {.v = {a, b, d}}, {.v = {d, c, a}}};
      frame_t frame = {.vertices = v, .triangles = t};
      frame_state_t s = {.scissor = {0, 0, 64, 64}};
      for (uint32_t k = 0; k < 2; k++) {
        raster_t r;
        if (!raster_setup(&r, &frame, &s, &t[2 * (i % 2) + k])) {
          continue;
        }
        for (uint32_t y = 0; y < 64; y++) {
          for (uint32_t x = 0; x < 64; x++) {
            covered[y][x] += raster_coverage(&r, (int32_t)x / 8, (int32_t)y / 8) >>
                                 surface_block_index(x % 8, y % 8) &
                             1;
          }
        }
      }
    }
    int32_t last = ((Side - 1) * Cell - 128) / 256;
    for (int32_t y = 0; y < 64; y++) {
      for (int32_t x = 0; x < 64; x++) {
        assert_int_equal(covered[y][x], x <= last && y <= last);
      }
    }
  }
}

// ---- Depth and stencil ----

static uint8_t operate(uint32_t op, uint8_t v, uint8_t ref) {
  switch (op) {
    case FrameStencilZero: return 0;
    case FrameStencilReplace: return ref;
    case FrameStencilIncr: return v == 255 ? 255 : (uint8_t)(v + 1);
    case FrameStencilDecr: return v == 0 ? 0 : (uint8_t)(v - 1);
    case FrameStencilInvert: return (uint8_t)(255 - v);
    case FrameStencilIncrWrap: return (uint8_t)(v + 1);
    case FrameStencilDecrWrap: return (uint8_t)(v - 1);
    default: return v;
  }
}

TEST(test_depth_and_stencil) {
  frame_vertex_t v[3] = {
      {.x = -9000, .y = -9000}, {.x = 90000, .y = -9000}, {.x = -9000, .y = 90000}};
  frame_triangle_t t = {.v = {0, 1, 2}};
  frame_t frame = {.vertices = v, .triangles = &t};
  for (uint32_t n = 0; n < 4000; n++) {
    frame_state_t s = {.scissor = {0, 0, 64, 64},
                       .depth_test = n % 5 != 0,
                       .depth_write = n % 3 != 0,
                       .depth_func = (uint8_t)(n % 8),
                       .stencil_test = n / 8 % 2};
    for (int i = 0; i < 2; i++) {
      s.stencil[i] = (frame_stencil_t){
          (uint8_t)(noise() % 8), (uint8_t)noise(),       (uint8_t)noise(),      (uint8_t)noise(),
          (uint8_t)(noise() % 8), (uint8_t)(noise() % 8), (uint8_t)(noise() % 8)};
    }
    for (int i = 0; i < 3; i++) {
      v[i].z = n % 2 ? 5000 : noise() % 10000;
    }
    t.v[1] = n % 4 < 2 ? 1 : 2;
    t.v[2] = 3 - t.v[1];
    raster_t r;
    assert_true(raster_setup(&r, &frame, &s, &t));
    assert_int_equal(r.back, n % 4 >= 2);
    uint32_t words[64], before[64];
    uint8_t stencil[64], old[64];
    for (uint32_t i = 0; i < 64; i++) {
      before[i] = words[i] = 5000 + (uint32_t)between(-1, 1) * (noise() % 3000);
      old[i] = stencil[i] = (uint8_t)noise();
    }
    uint64_t mask = (uint64_t)noise() << 40 ^ (uint64_t)noise() << 20 ^ noise();
    uint32_t extra = n % 2 ? 1u << SurfaceMarkBit | 9u << SurfaceTagShift : 0;
    uint64_t passed = depth_block(&s, &r, 2, 3, mask, extra, words, stencil);
    const frame_stencil_t *st = &s.stencil[r.back];
    for (uint32_t i = 0; i < 64; i++) {
      double x = 2 * 8 + lanes_x(i) + 0.5 + 9000 / 256.0;
      double y = 3 * 8 + lanes_y(i) + 0.5 + 9000 / 256.0, side = 99000 / 256.0;
      double plane =
          v[0].z + ((double)v[1].z - v[0].z) * x / side + ((double)v[2].z - v[0].z) * y / side;
      uint32_t z = (uint32_t)(plane + 0.5);
      bool in = mask >> i & 1;
      bool kept = !s.stencil_test ||
                  pixel_compare(st->func, st->ref & st->read_mask, old[i] & st->read_mask);
      bool pass = kept && (!s.depth_test || pixel_compare(s.depth_func, z, before[i]));
      bool close = fabs(plane + 0.5 - floor(plane + 0.5)) < 1e-6;  // rounds either way
      if (close && n % 2 == 0) {
        continue;
      }
      assert_int_equal(passed >> i & 1, in && pass);
      bool write = in && pass && s.depth_test && s.depth_write;
      assert_int_equal(words[i], write ? (z | extra) : before[i]);
      uint8_t op = kept ? pass ? st->pass : st->depth_fail : st->fail;
      uint8_t want = operate(op, old[i], st->ref);
      want = (uint8_t)((want & st->write_mask) | (old[i] & ~st->write_mask));
      assert_int_equal(stencil[i], in && s.stencil_test ? want : old[i]);
    }
  }
}

// ---- Blending ----

static double factor(uint32_t f, uint32_t k, uint32_t src, uint32_t dst) {
  double s = src >> (8 * k) & 255, d = dst >> (8 * k) & 255, sa = src >> 24, da = dst >> 24;
  switch (f) {
    case FrameFactorZero: return 0;
    case FrameFactorOne: return 255;
    case FrameFactorSrcColor: return s;
    case FrameFactorOneMinusSrcColor: return 255 - s;
    case FrameFactorSrcAlpha: return sa;
    case FrameFactorOneMinusSrcAlpha: return 255 - sa;
    case FrameFactorDstColor: return d;
    case FrameFactorOneMinusDstColor: return 255 - d;
    case FrameFactorDstAlpha: return da;
    case FrameFactorOneMinusDstAlpha: return 255 - da;
    default: return k == 3 ? 255 : fmin(sa, 255 - da);
  }
}

static uint32_t blend_plain(const frame_state_t *s, uint32_t src, uint32_t dst) {
  uint32_t out = 0;
  for (uint32_t k = 0; k < 4; k++) {
    double a = src >> (8 * k) & 255, b = dst >> (8 * k) & 255, v;
    double fa = a * factor(k < 3 ? s->src_rgb : s->src_alpha, k, src, dst) / 255;
    double fb = b * factor(k < 3 ? s->dst_rgb : s->dst_alpha, k, src, dst) / 255;
    switch (k < 3 ? s->equation_rgb : s->equation_alpha) {
      case FrameEquationSubtract: v = fa - fb; break;
      case FrameEquationReverseSubtract: v = fb - fa; break;
      case FrameEquationMin: v = fmin(a, b); break;
      case FrameEquationMax: v = fmax(a, b); break;
      default: v = fa + fb;
    }
    v = fmin(fmax(floor(v + 0.5), 0), 255);
    uint32_t byte = (uint32_t)(s->blend ? v : a);
    out |= (s->color_mask >> k & 1 ? byte : dst >> (8 * k) & 255) << (8 * k);
  }
  return out;
}

static uint32_t color(void) { return noise() << 16 ^ noise(); }

TEST(test_blend) {
  for (uint32_t n = 0; n < 20000; n++) {
    frame_state_t s = {.blend = n % 16 != 0,
                       .color_mask = n % 3 ? 15 : (uint8_t)(noise() % 16),
                       .src_rgb = (uint8_t)(noise() % 11),
                       .dst_rgb = (uint8_t)(noise() % 11),
                       .src_alpha = (uint8_t)(noise() % 11),
                       .dst_alpha = (uint8_t)(noise() % 11),
                       .equation_rgb = (uint8_t)(n % 5),
                       .equation_alpha = (uint8_t)(n / 5 % 5)};
    uint32_t colors[64], target[64], before[64];
    for (uint32_t i = 0; i < 64; i++) {
      colors[i] = color();
      target[i] = before[i] = color();
    }
    uint64_t mask = (uint64_t)noise() << 40 ^ (uint64_t)noise() << 20 ^ noise();
    blend_block(&s, mask, colors, target);
    for (uint32_t i = 0; i < 64; i++) {
      uint32_t want = mask >> i & 1 ? blend_plain(&s, colors[i], before[i]) : before[i];
      assert_int_equal(target[i], want);
    }
  }
}

// A group through the sub-image and over the background, against the layers blended one
// by one in exact arithmetic.
TEST(test_subimage) {
  static const uint8_t kinds[5][4] = {
      {FrameFactorSrcAlpha, FrameFactorOneMinusSrcAlpha, FrameFactorOne,
       FrameFactorOneMinusSrcAlpha},
      {FrameFactorOne, FrameFactorOneMinusSrcAlpha, FrameFactorOne, FrameFactorOneMinusSrcAlpha},
      {FrameFactorSrcAlpha, FrameFactorOne, FrameFactorSrcAlpha, FrameFactorOne},
      {FrameFactorOne, FrameFactorOne, FrameFactorOne, FrameFactorOne},
      {FrameFactorDstColor, FrameFactorZero, FrameFactorDstAlpha, FrameFactorZero}};
  for (uint32_t n = 0; n < 5000; n++) {
    const uint8_t *k = kinds[n % 5];
    frame_state_t s = {.blend = 1,
                       .color_mask = 15,
                       .src_rgb = k[0],
                       .dst_rgb = k[1],
                       .src_alpha = k[2],
                       .dst_alpha = k[3]};
    uint32_t layers = 1 + noise() % 8, target[64];
    uint64_t sub[64] = {0}, written = 0;
    double exact[64][4];
    for (uint32_t i = 0; i < 64; i++) {
      target[i] = color();
      for (uint32_t c = 0; c < 4; c++) {
        exact[i][c] = target[i] >> (8 * c) & 255;
      }
    }
    for (uint32_t l = 0; l < layers; l++) {
      uint32_t colors[64];
      for (uint32_t i = 0; i < 64; i++) {
        // Premultiplied colours do not exceed their alpha, or over is no blending.
        uint32_t a = noise() & 255;
        colors[i] = a << 24;
        for (uint32_t c = 0; c < 24; c += 8) {
          colors[i] |= (n % 5 == 1 ? noise() % (a + 1) : noise() & 255) << c;
        }
        for (uint32_t c = 0; c < 4; c++) {
          double v = colors[i] >> (8 * c) & 255, d = exact[i][c], al = a / 255.0;
          double w = k[c < 3 ? 0 : 2] == FrameFactorSrcAlpha ? al : 1;
          exact[i][c] = n % 5 < 2 ? v * w + d * (1 - al) : n % 5 < 4 ? v * w + d : v * d / 255;
          exact[i][c] = fmin(exact[i][c], 255);
        }
      }
      blend_subimage(&s, ~(uint64_t)0, colors, sub, written);
      written = ~(uint64_t)0;
    }
    blend_background(&s, sub, written, target);
    for (uint32_t i = 0; i < 64; i++) {
      for (uint32_t c = 0; c < 4; c++) {
        double off = fabs((target[i] >> (8 * c) & 255) - exact[i][c]);
        assert_true(off <= 0.5 + 2.0 * layers / 257.0 + 1e-9);
      }
    }
  }
}

// ---- Textures ----

static int32_t wrapped(int32_t i, int32_t n, uint32_t mode) {
  if (mode == FrameWrapClamp) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  }
  int32_t period = mode == FrameWrapMirror ? 2 * n : n;
  i = (i % period + period) % period;
  return i < n ? i : 2 * n - 1 - i;
}

static double bilinear(const frame_texture_t *t, uint32_t level, const frame_stage_t *s, double u,
                       double v, uint32_t channel, bool linear) {
  int32_t w = (int32_t)(t->width >> level), h = (int32_t)(t->height >> level);
  w = w ? w : 1;
  h = h ? h : 1;
  double x = u * w - (linear ? 0.5 : 0), y = v * h - (linear ? 0.5 : 0);
  int32_t x0 = (int32_t)floor(x), y0 = (int32_t)floor(y);
  double fx = linear ? x - x0 : 0, fy = linear ? y - y0 : 0, sum = 0;
  for (int32_t i = 0; i < 4; i++) {
    int32_t cx = wrapped(x0 + (i & 1), w, s->wrap_s), cy = wrapped(y0 + (i >> 1), h, s->wrap_t);
    double weight = (i & 1 ? fx : 1 - fx) * (i >> 1 ? fy : 1 - fy);
    sum += weight * (t->level[level][cy * w + cx] >> (8 * channel) & 255);
  }
  return sum;
}

TEST(test_texture) {
  static const uint32_t sides[][2] = {{16, 16}, {13, 7}, {1, 1}, {1, 24}, {64, 3}};
  for (uint32_t n = 0; n < 3000; n++) {
    frame_texture_t t = {.width = sides[n % 5][0], .height = sides[n % 5][1], .levels = 1};
    t.level[0] = malloc(t.width * t.height * sizeof(uint32_t));
    for (uint32_t i = 0; i < t.width * t.height; i++) {
      t.level[0][i] = color();
    }
    frame_texture_make_levels(&t);
    frame_stage_t s = {.wrap_s = (uint8_t)(n % 3),
                       .wrap_t = (uint8_t)(n / 3 % 3),
                       .mag_filter = n / 9 % 2,
                       .min_filter = n / 18 % 2,
                       .mip = (uint8_t)(n / 36 % 3),
                       .max_anisotropy = 1,
                       .lod_bias = n % 7 == 0 ? 1.25F : 0};
    isotropic_request_t r = {.count = 64};
    double lod[64];
    for (uint32_t i = 0; i < 64; i++) {
      // Exact in the arithmetic of both, and never on the border of two texels.
      r.u[i] = (float)(2 * between(-3 * 4096, 3 * 4096) + 1) / 8192;
      r.v[i] = (float)(2 * between(-3 * 4096, 3 * 4096) + 1) / 8192;
      double step = pow(2, between(-200, 700) / 100.0);
      r.ux[i] = (float)(step / t.width);
      r.vy[i] = (float)(step / t.height / 2);
      lod[i] = log2((double)r.ux[i] * t.width) + (double)s.lod_bias;
    }
    float sample[4][64];
    isotropic_sample(&t, &s, &r, sample, NULL);
    for (uint32_t i = 0; i < 64; i++) {
      // Not where a small error in the level chooses another filter or texel row.
      double part = lod[i] - floor(lod[i]);
      if (fabs(lod[i]) < 0.02 || (s.mip == FrameMipNearest && fabs(part - 0.5) < 0.02)) {
        continue;
      }
      bool linear = lod[i] <= 0 ? s.mag_filter : s.min_filter;
      double l = lod[i] <= 0 || s.mip == FrameMipNone ? 0 : fmin(lod[i], t.levels - 1);
      l = s.mip == FrameMipNearest ? floor(l + 0.5) : l;
      uint32_t level = (uint32_t)l, next = level + 1 < t.levels ? level + 1 : level;
      for (uint32_t c = 0; c < 4; c++) {
        double a = bilinear(&t, level, &s, (double)r.u[i], (double)r.v[i], c, linear);
        double b = bilinear(&t, next, &s, (double)r.u[i], (double)r.v[i], c, linear);
        double want = a + (b - a) * (l - level);
        // Weights have 8 bits: 1/256 in each of three of them, of 255 at most.
        assert_true(fabs(want - (double)sample[c][i]) < (linear ? 3.5 : 1.5));
      }
    }
    for (uint32_t i = 0; i < t.levels; i++) {
      free(t.level[i]);
    }
  }
}

// ---- Whole draws ----

typedef struct {
  frame_surface_t size;
  frame_texture_t texture;
  uint32_t texel[2];
  frame_vertex_t v[4];
  frame_triangle_t t[2];
  frame_cmd_t c;
  frame_t frame;
} square_t;

static void square_make(square_t *q) {
  *q = (square_t){.size = {16, 16}};
  q->texture = (frame_texture_t){.width = 2, .height = 1, .levels = 1, .level = {q->texel}};
  for (uint32_t i = 0; i < 4; i++) {
    q->v[i] = (frame_vertex_t){.x = (int32_t)(i % 2 * 16 * 256),
                               .y = (int32_t)(i / 2 * 16 * 256),
                               .z = 77,
                               .inv_w = 1,
                               .rgba = 0xff804020,
                               .uv = {{(float)(i % 2), (float)(i / 2)}}};
  }
  q->t[0] = (frame_triangle_t){.v = {0, 1, 2}};
  q->t[1] = (frame_triangle_t){.v = {3, 2, 1}, .ordinal = 1};
  frame_state_t *s = &q->c.state;
  s->color_mask = 15;
  s->color = 0xffffffff;
  s->depth_test = s->depth_write = 1;
  s->depth_func = FrameFuncLess;
  s->scissor = (frame_rect_t){0, 0, 16, 16};
  s->stages[0] = (frame_stage_t){.texture = FrameNone, .max_anisotropy = 1};
  s->stages[1] = (frame_stage_t){.texture = FrameNone, .max_anisotropy = 1};
  q->c.triangle_count = q->c.triangles_in = 2;
  q->frame = (frame_t){.width = 16,
                       .height = 16,
                       .target_count = 1,
                       .depth_count = 1,
                       .texture_count = 1,
                       .targets = &q->size,
                       .depths = &q->size,
                       .textures = &q->texture,
                       .command_count = 1,
                       .commands = &q->c,
                       .vertex_count = 4,
                       .vertices = q->v,
                       .triangle_count = 2,
                       .triangles = q->t};
}

TEST(test_alpha_test) {
  for (uint32_t n = 0; n < 64; n++) {
    square_t q;
    square_make(&q);
    q.texel[0] = 0x40ffffff;
    q.texel[1] = 0xc0ffffff;
    frame_state_t *s = &q.c.state;
    s->stages[0].texture = 0;
    s->stages[0].wrap_s = s->stages[0].wrap_t = FrameWrapClamp;
    s->alpha_test = 1;
    s->alpha_func = (uint8_t)(n % 8);
    s->alpha_ref = n / 8 % 2 ? 0xc0 : 0x40;
    s->stages[0].combine = n / 16 % 2 ? FrameCombineReplace : FrameCombineModulate;
    surface_t *targets, *depths;
    assert_true(render_surfaces_create(&q.frame, &targets, &depths));
    render_commands(&q.frame, 0, 1, targets, depths, (shade_sampling_t){0}, NULL, NULL);
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t x = i % 16, at = surface_index(1, x, i / 16), texel = q.texel[x / 8];
      bool pass = pixel_compare(s->alpha_func, texel >> 24, s->alpha_ref);
      uint32_t rgb = n / 16 % 2 ? 0xffffff : 0x804020;
      assert_int_equal(targets->color[at], pass ? (texel & 0xff000000) | rgb : 0);
      // A discarded fragment writes no depth.
      assert_int_equal(depths->depth[at], pass ? 77 : FrameMaxDepth);
    }
    render_surfaces_destroy(&q.frame, targets, depths);
  }
}

TEST(test_combine) {
  for (uint32_t mode = 0; mode <= FrameCombineModulate4x; mode++) {
    square_t q;
    square_make(&q);
    q.texel[0] = q.texel[1] = 0x60a0c0e0;
    q.c.state.stages[0].texture = 0;
    q.c.state.stages[0].combine = (uint8_t)mode;
    surface_t *targets, *depths;
    assert_true(render_surfaces_create(&q.frame, &targets, &depths));
    render_commands(&q.frame, 0, 1, targets, depths, (shade_sampling_t){0}, NULL, NULL);
    for (uint32_t k = 0; k < 4; k++) {
      double c = q.v[0].rgba >> (8 * k) & 255, t = q.texel[0] >> (8 * k) & 255, a = 0x60 / 255.0;
      double want = mode == FrameCombineReplace      ? t
                    : mode == FrameCombineAdd        ? k < 3 ? c + t : c * t / 255
                    : mode == FrameCombineDecal      ? k < 3 ? c + (t - c) * a : c
                    : mode == FrameCombineModulate2x ? 2 * c * t / 255
                    : mode == FrameCombineModulate4x ? 4 * c * t / 255
                                                     : c * t / 255;
      want = floor(fmin(want, 255) + 0.5);
      for (uint32_t i = 0; i < 256; i++) {
        uint32_t at = surface_index(1, i % 16, i / 16);
        assert_int_equal(targets->color[at] >> (8 * k) & 255, (uint32_t)want);
      }
    }
    render_surfaces_destroy(&q.frame, targets, depths);
  }
}

TEST(test_clear) {
  frame_surface_t size = {150, 100};
  for (uint32_t n = 0; n < 200; n++) {
    frame_surface_t depth = {n % 2 ? 350 : 150, n % 4 < 2 ? 100 : 200};
    frame_t frame = {.width = 150,
                     .height = 100,
                     .target_count = 1,
                     .depth_count = 1,
                     .targets = &size,
                     .depths = &depth};
    surface_t *targets, *depths;
    assert_true(render_surfaces_create(&frame, &targets, &depths));
    frame_cmd_t c = {.kind = FrameCmdClear,
                     .clear_color = n % 2,
                     .clear_depth = n / 2 % 2,
                     .clear_stencil = n / 4 % 2,
                     .clear_stencil_value = 9,
                     .clear_rgba = 0xa1b2c3d4,
                     .clear_z = 1234};
    c.state.color_mask = n % 3 ? 15 : (uint8_t)(noise() % 16);
    int32_t x = n % 5 ? between(0, 149) : 0, y = n % 5 ? between(0, 99) : 0;
    c.state.scissor =
        (frame_rect_t){x, y, n % 5 ? between(x + 1, 150) : 150, n % 5 ? between(y + 1, 100) : 100};
    // The depth buffer of half of them is wider than the target, whose map counts.
    uint8_t owners[6] = {0, 1, 2, 0, 1, 2};
    render_clear(&c, targets, depths, (surface_owners_t){n % 7 ? NULL : owners, 3}, 1);
    uint32_t write = 0;
    for (uint32_t k = 0; k < 4; k++) {
      write |= c.state.color_mask >> k & 1 ? 255u << (8 * k) : 0;
    }
    for (int32_t py = 0; py < 100; py++) {
      for (int32_t px = 0; px < 150; px++) {
        uint32_t at = surface_index(3, (uint32_t)px, (uint32_t)py);
        uint32_t in_depth = surface_index(depths->tiles_x, (uint32_t)px, (uint32_t)py);
        const frame_rect_t *r = &c.state.scissor;
        bool in = px >= r->x0 && py >= r->y0 && px < r->x1 && py < r->y1 &&
                  (n % 7 || owners[at / SurfaceTilePixels] == 1);
        assert_int_equal(targets->color[at], in && c.clear_color ? c.clear_rgba & write : 0);
        assert_int_equal(depths->depth[in_depth], in && c.clear_depth ? c.clear_z : FrameMaxDepth);
        assert_int_equal(depths->stencil[in_depth], in && c.clear_stencil ? 9 : 0);
      }
    }
    render_surfaces_destroy(&frame, targets, depths);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
