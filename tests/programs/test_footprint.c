// SPDX-License-Identifier: Apache-2.0
// Footprints: ratio, level, step, parents and offsets against their formulas in double.
#include <math.h>

#include "csim/texture/footprint.h"
#include "csim/texture/texture_layout.h"
#include "tests/programs/test.h"

static frame_texture_t texture_of(uint32_t width, uint32_t height) {
  frame_texture_t t = {.width = width, .height = height, .levels = 1};
  while (width >> t.levels || height >> t.levels) {
    t.levels++;
  }
  return t;
}

static frame_stage_t stage_of(uint8_t wrap, uint8_t anisotropy) {
  return (frame_stage_t){
      .mag_filter = FrameFilterLinear,
      .min_filter = FrameFilterLinear,
      .mip = FrameMipLinear,
      .wrap_s = wrap,
      .wrap_t = wrap,
      .max_anisotropy = anisotropy,
  };
}

static footprint_t make(const frame_texture_t *t, const frame_stage_t *s, double ux, double vx,
                        double uy, double vy) {
  footprint_gradient_t g = {ux, vx, uy, vy};
  footprint_t f;
  footprint_make(&f, t, s, &g);
  return f;
}

TEST(test_ratios) {
  frame_texture_t t = texture_of(1024, 512);
  frame_stage_t s = stage_of(FrameWrapRepeat, 16);
  for (uint32_t r = 1; r <= 16; r++) {
    footprint_t f = make(&t, &s, 2.0 * r, 0, 0, 2);
    assert_int_equal(f.ratio, r);
    assert_int_equal(f.level, 1);
    assert_int_equal(f.weight, 0);
    assert_int_equal(f.step_x, r == 1 ? 0 : 256);  // equal axes: the one along y
    assert_int_equal(f.step_y, r == 1 ? 256 : 0);
    f = make(&t, &s, 0, 2, 0, -2.0 * r);
    assert_int_equal(f.ratio, r);
    assert_int_equal(f.step_x, 0);
    assert_int_equal(f.step_y, -256);
    // The next whole number, up to the most.
    f = make(&t, &s, 2.0 * r * 1.005, 0, 0, 2);
    assert_int_equal(f.ratio, r < 16 ? r + 1 : 16);
    f = make(&t, &s, 2.0 * r * 1.003, 0, 0, 2);  // within 1/256
    assert_int_equal(f.ratio, r);
    for (uint8_t most = 1; most <= 16; most++) {
      frame_stage_t limited = stage_of(FrameWrapRepeat, most);
      f = make(&t, &limited, 2.0 * r, 0, 0, 2);
      uint32_t want = r < most ? r : most;
      assert_int_equal(f.ratio, want);
      // lod = log2(major / R), rounded down to 1/256 (1/128 of log2 of the square).
      double lod = log2(2.0 * r / want);
      assert_true(fabs(f.level + f.weight / 256.0 - lod) <= 1.0 / 256 + 1e-9);
      assert_true(f.level + f.weight / 256.0 <= lod + 1e-9);
      if (r > 1) {
        assert_true(fabs(f.step_x / 256.0 - 2.0 * r / want / (1 << f.level)) <= 1.0 / 512);
      }
    }
  }
  // A diagonal: axes 3 * sqrt(2) and sqrt(2).
  footprint_t f = make(&t, &s, 3, 3, 1, -1);
  assert_int_equal(f.ratio, 3);
  assert_true(fabs(f.major - 3 * sqrt(2)) < 1e-12 && fabs(f.minor - sqrt(2)) < 1e-12);
  assert_int_equal(f.step_x, 256);
  assert_int_equal(f.step_y, 256);
}

TEST(test_special_footprints) {
  frame_texture_t t = texture_of(64, 64);
  frame_stage_t s = stage_of(FrameWrapRepeat, 16);
  s.mag_filter = FrameFilterNearest;
  footprint_t f = make(&t, &s, 0.9, 0, 0, 0.01);  // magnified
  assert_int_equal(f.ratio, 1);
  assert_int_equal(f.level, 0);
  assert_int_equal(f.weight, 0);
  assert_false(f.linear);
  f = make(&t, &s, 0, 0, 0, 0);
  assert_int_equal(f.ratio, 1);
  assert_int_equal(f.level, 0);
  f = make(&t, &s, 1.003, 0, 0, 0.1);  // a texel a pixel
  assert_int_equal(f.ratio, 1);
  f = make(&t, &s, 1.005, 0, 0, 0.1);
  assert_int_equal(f.ratio, 11);
  f = make(&t, &s, 4, 0, 0, 0);  // a line: the most children
  assert_int_equal(f.ratio, 16);
  double bad[] = {INFINITY, -INFINITY, NAN, 1e200};
  for (uint32_t i = 0; i < 4; i++) {
    f = make(&t, &s, bad[i], 0, 0, 1);
    assert_int_equal(f.ratio, 1);
    assert_int_equal(f.level, 6);
    assert_int_equal(f.weight, 0);
    assert_int_equal(f.step_x, 0);
  }
  f = make(&t, &s, 1e6, 0, 0, 1e6);  // beyond the last level
  assert_int_equal(f.level, 6);
  assert_int_equal(f.weight, 0);
  f = make(&t, &s, 1e9, 0, 0, 1);  // the step keeps its range
  assert_int_equal(f.step_x, INT16_MAX);
  s.mip = FrameMipNearest;
  f = make(&t, &s, 2.9, 0, 0, 2.9);  // 1.54
  assert_int_equal(f.level, 2);
  assert_int_equal(f.weight, 0);
  s.mip = FrameMipNone;
  f = make(&t, &s, 8, 0, 0, 2);
  assert_int_equal(f.level, 0);
  assert_int_equal(f.ratio, 4);
  assert_int_equal(f.step_x, 512);
  s.mip = FrameMipLinear;
  s.lod_bias = -1;
  f = make(&t, &s, 4, 0, 0, 4);
  assert_int_equal(f.level, 1);
  s.lod_bias = 0.25f;
  f = make(&t, &s, 4, 0, 0, 4);
  assert_int_equal(f.level * 256 + f.weight, 2 * 256 + 64);
}

TEST(test_gradient) {
  frame_texture_t t = texture_of(100, 50);
  float u[4] = {0.25f, 0.5f, 0.125f, 9}, v[4] = {0.5f, 0.25f, 1.0f, 9};
  footprint_gradient_t g = footprint_gradient(&t, u, v);
  assert_true(g.ux == 25 && g.vx == -12.5 && g.uy == -12.5 && g.vy == 25);
}

TEST(test_offsets) {
  for (int32_t step = INT16_MIN; step <= INT16_MAX; step += 3) {
    for (uint32_t r = 1; r <= 16; r++) {
      for (uint32_t i = 0; i < r; i++) {
        double texels = (2.0 * i - r + 1) * (step / 256.0) / 2;
        if (footprint_offset(step, r, i, false) != (int32_t)floor(texels + 0.5) ||
            footprint_offset(step, r, i, true) != (int32_t)floor(texels / 2 + 0.5)) {
          fail_msg("step %d, R %u, child %u", step, r, i);
        }
      }
    }
  }
}

// By walking, one texel at a time.
static uint32_t walk(uint8_t mode, int32_t texel, uint32_t side) {
  int32_t at = 0, direction = 1;
  for (int32_t n = 0; n < abs(texel); n++) {
    if (mode == FrameWrapRepeat) {
      at = at + 1 == (int32_t)side ? 0 : at + 1;
    } else {  // mirror: the border texel comes twice
      if (at + direction < 0 || at + direction >= (int32_t)side) {
        direction = -direction;
      } else {
        at += direction;
      }
    }
  }
  if (texel >= 0) {
    return (uint32_t)at;
  }
  // Left of 0 the mirrored picture starts with texel 0 itself.
  return mode == FrameWrapRepeat ? (side - (uint32_t)at) % side : walk(mode, -texel - 1, side);
}

TEST(test_wrap) {
  for (uint32_t side = 1; side <= 17; side++) {
    for (int32_t texel = -100; texel <= 100; texel++) {
      int32_t last = (int32_t)side - 1;
      assert_int_equal(footprint_wrap(FrameWrapRepeat, texel, side),
                       walk(FrameWrapRepeat, texel, side));
      assert_int_equal(footprint_wrap(FrameWrapMirror, texel, side),
                       walk(FrameWrapMirror, texel, side));
      assert_int_equal(footprint_wrap(FrameWrapClamp, texel, side), texel < 0      ? 0
                                                                    : texel > last ? last
                                                                                   : texel);
    }
  }
}

// Texels at which a bilinear filter starts, in double.
static double reference_place(uint8_t mode, double u, uint32_t side) {
  double w = u;
  if (mode == FrameWrapRepeat) {
    w = u - floor(u);
  }
  if (mode == FrameWrapMirror) {
    w = fabs(u - 2 * floor(u / 2));
    w = w > 1 ? 2 - w : w;
  }
  if (mode == FrameWrapClamp) {
    double slack = 16.0 / side;
    w = fmin(fmax(u, -slack), 1 + slack);
  }
  return w * side - 0.5;
}

TEST(test_pixels) {
  static const uint32_t Sizes[][2] = {{8, 8}, {64, 16}, {7, 5}, {1, 1}, {13, 3}, {100, 1}};
  for (uint32_t n = 0; n < sizeof Sizes / sizeof Sizes[0]; n++) {
    frame_texture_t t = texture_of(Sizes[n][0], Sizes[n][1]);
    for (uint8_t mode = FrameWrapRepeat; mode <= FrameWrapMirror; mode++) {
      frame_stage_t s = stage_of(mode, 16);
      for (double lod = 0; lod <= t.levels; lod += 0.34) {
        footprint_t f = make(&t, &s, 2 * exp2(lod), 0, 0, exp2(lod));
        for (int32_t i = -80; i <= 80; i++) {
          float u = (float)i * 0.0371f, v = (float)-i * 0.0593f;
          footprint_pixel_t p;
          footprint_pixel(&p, &f, &t, &s, u, v);
          assert_int_equal(p.mask, f.weight ? 0xff : 0x0f);
          for (uint32_t l = 0; l < (f.weight ? 2u : 1u); l++) {
            uint32_t w = frame_side(t.width, f.level + l);
            uint32_t h = frame_side(t.height, f.level + l);
            double x = reference_place(mode, (double)u, w);
            double y = reference_place(mode, (double)v, h);
            // Rounded down to 1/256, after single precision.
            double dx = x - (p.x[l] + p.fx[l] / 256.0), dy = y - (p.y[l] + p.fy[l] / 256.0);
            bool edge = mode == FrameWrapClamp && (x > w + 14 || x < -15 || y > h + 14 || y < -15);
            if (!edge) {
              assert_true(dx > -1e-4 && dx < 1 / 256.0 + 1e-4);
            }
            if (!edge) {
              assert_true(dy > -1e-4 && dy < 1 / 256.0 + 1e-4);
            }
            assert_in_range(p.x[l] + 16, 0, w + 31);
            assert_in_range(p.y[l] + 16, 0, h + 31);
          }
          bool turned = mode == FrameWrapMirror && (int64_t)floor((double)u) % 2;
          if (i) {
            assert_int_equal(p.step_x, turned ? -f.step_x : f.step_x);
          }
        }
        float bad[] = {INFINITY, -INFINITY, NAN, 1e30f, -1e30f};
        for (uint32_t i = 0; i < 5; i++) {
          footprint_pixel_t p;
          footprint_pixel(&p, &f, &t, &s, bad[i], bad[4 - i]);
          for (uint32_t l = 0; l < 2; l++) {
            assert_in_range(p.x[l] + 16, 0, frame_side(t.width, f.level + l) + 31);
            assert_in_range(p.y[l] + 16, 0, frame_side(t.height, f.level + l) + 31);
          }
        }
      }
    }
  }
}

TEST(test_nearest) {
  frame_texture_t t = texture_of(9, 4);
  frame_stage_t s = stage_of(FrameWrapRepeat, 1);
  s.mag_filter = FrameFilterNearest;
  footprint_t f = make(&t, &s, 0.5, 0, 0, 0.5);
  for (int32_t i = -18; i < 36; i++) {
    footprint_pixel_t p;
    footprint_pixel(&p, &f, &t, &s, ((float)i + 0.5f) / 9, 0.6f);
    assert_int_equal(p.x[0], ((i % 9) + 9) % 9);
    assert_int_equal(p.y[0], 2);
    assert_int_equal(p.fx[0] | p.fy[0], 0);
    assert_int_equal(p.mask, 1);
  }
}

// The children lie along the major axis, centred on the pixel, one axis / R apart.
TEST(test_fractional) {
  frame_texture_t t = texture_of(37, 20);
  frame_stage_t s = stage_of(FrameWrapRepeat, 16);
  for (uint32_t r = 1; r <= 16; r++) {
    footprint_t f = make(&t, &s, 2.0 * r, 0.5, 0.0, 2.01);
    for (uint32_t level = f.level; level < f.level + 2u && level < t.levels; level++) {
      double w = frame_side(t.width, level), h = frame_side(t.height, level);
      double sum_x = 0, sum_y = 0, x, y, before = 0;
      for (uint32_t i = 0; i < f.ratio; i++) {
        footprint_fractional(&f, &t, level, 0.25f, 0.75f, i, &x, &y);
        sum_x += x;
        sum_y += y;
        if (i) {
          assert_true(fabs(x - before - f.axis_x * w / 37) < 1e-9);
        }
        before = x;
      }
      assert_true(fabs(sum_x / f.ratio - (0.25 * w - 0.5)) < 1e-9);
      assert_true(fabs(sum_y / f.ratio - (0.75 * h - 0.5)) < 1e-9);
    }
    assert_true(fabs(hypot(f.axis_x, f.axis_y) * f.ratio - f.major) < 1e-9);
  }
}

// Each texel of each level has a place of its own; levels touch.
TEST(test_layout) {
  frame_texture_t t = texture_of(21, 6);
  texture_layout_t layout;
  texture_layout_make(&layout, &t, 4097);
  assert_int_equal(layout.base, 8192);
  uint32_t total = layout.offset[t.levels];
  assert_int_equal(texture_layout_end(&layout, &t), 8192 + 64 * total);
  uint16_t *seen = calloc(total, sizeof *seen);
  for (uint32_t l = 0; l < t.levels; l++) {
    uint32_t w = frame_side(21, l), h = frame_side(6, l);
    assert_int_equal(layout.offset[l + 1] - layout.offset[l], (w + 3) / 4 * ((h + 3) / 4));
    for (uint32_t y = 0; y < h; y++) {
      for (uint32_t x = 0; x < w; x++) {
        uint32_t line = texture_line(&layout, &t, l, x, y);
        assert_in_range(line, layout.offset[l], layout.offset[l + 1] - 1);
        assert_false(seen[line] >> texture_place(x, y) & 1);
        seen[line] = (uint16_t)(seen[line] | 1u << texture_place(x, y));
      }
    }
  }
  // The second row of tiles, second texel row, fourth column of level 0.
  assert_int_equal(texture_line(&layout, &t, 0, 3, 5), 6);
  assert_int_equal(texture_place(3, 5), 7);
  free(seen);
}

int main(void) { return run_all_tests(NULL, NULL); }
