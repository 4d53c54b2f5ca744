// SPDX-License-Identifier: Apache-2.0
// The three ways to filter against each other and against definitions in double.
#include <math.h>

#include "csim/texture/filter.h"
#include "csim/texture/texture_layout.h"
#include "tests/programs/random_texture.h"
#include "tests/programs/test.h"

typedef struct {
  frame_texture_t texture;
  frame_stage_t stage;
  footprint_gradient_t gradient;
  footprint_t footprint;
  footprint_pixel_t pixel;
  float u, v;
} case_t;

static double between(rng_t *rng, double low, double high) {
  return low + (high - low) * (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

// A case with the wanted ratio, or with any if 0.
static void case_make(case_t *c, rng_t *rng, uint32_t ratio) {
  c->stage = (frame_stage_t){
      .mag_filter = (uint8_t)rng_below(rng, 2),
      .min_filter = rng_below(rng, 8) > 0,
      .mip = (uint8_t)rng_below(rng, 3),
      .wrap_s = (uint8_t)rng_below(rng, 3),
      .wrap_t = (uint8_t)rng_below(rng, 3),
      .max_anisotropy = 16,
  };
  do {
    double angle = between(rng, 0, 6.2832), minor = exp2(between(rng, -2, 3));
    double major = minor * (ratio ? ratio - between(rng, 0.05, 0.95) : between(rng, 1, 20));
    c->gradient = (footprint_gradient_t){major * cos(angle), major * sin(angle),
                                         minor * -sin(angle), minor * cos(angle)};
    footprint_make(&c->footprint, &c->texture, &c->stage, &c->gradient);
  } while (ratio && c->footprint.ratio != ratio);
  c->u = (float)between(rng, -3, 3);
  c->v = (float)between(rng, -3, 3);
  footprint_pixel(&c->pixel, &c->footprint, &c->texture, &c->stage, c->u, c->v);
}

static double texel_at(const case_t *c, uint32_t level, int64_t x, int64_t y, uint32_t channel) {
  uint32_t w = frame_side(c->texture.width, level);
  uint32_t h = frame_side(c->texture.height, level);
  uint32_t at = footprint_wrap(c->stage.wrap_t, y, h) * w + footprint_wrap(c->stage.wrap_s, x, w);
  return c->texture.level[level][at] >> 8 * channel & 255;
}

// Bilinear at a place in texels, from the definition.
static double bilinear(const case_t *c, uint32_t level, double x, double y, uint32_t channel) {
  int64_t x0 = (int64_t)floor(x), y0 = (int64_t)floor(y);
  if (!c->footprint.linear) {
    return texel_at(c, level, x0, y0, channel);
  }
  double fx = x - floor(x), fy = y - floor(y);
  return (1 - fy) * ((1 - fx) * texel_at(c, level, x0, y0, channel) +
                     fx * texel_at(c, level, x0 + 1, y0, channel)) +
         fy * ((1 - fx) * texel_at(c, level, x0, y0 + 1, channel) +
               fx * texel_at(c, level, x0 + 1, y0 + 1, channel));
}

// Trilinear of one child after the other, then their mean.
static double reference(const case_t *c, uint32_t channel, bool whole) {
  const footprint_t *f = &c->footprint;
  const footprint_pixel_t *p = &c->pixel;
  double sum = 0;
  for (uint32_t i = 0; i < f->ratio; i++) {
    double level[2] = {0};
    for (uint32_t l = 0; l < 2; l++) {
      if (l && !f->weight) {
        break;
      }
      uint32_t n = f->level + l;
      double along = (2.0 * i - f->ratio + 1) / 2;
      double x, y;
      if (whole) {
        double half = l ? 0.5 : 1;
        x = p->x[l] + p->fx[l] / 256.0 + floor(along * half * p->step_x / 256.0 + 0.5);
        y = p->y[l] + p->fy[l] / 256.0 + floor(along * half * p->step_y / 256.0 + 0.5);
      } else {
        x = ((double)c->u + along * f->axis_x / c->texture.width) *
                frame_side(c->texture.width, n) -
            (f->linear ? 0.5 : 0);
        y = ((double)c->v + along * f->axis_y / c->texture.height) *
                frame_side(c->texture.height, n) -
            (f->linear ? 0.5 : 0);
      }
      level[l] = bilinear(c, n, x, y, channel);
    }
    sum += level[0] + f->weight / 256.0 * (level[1] - level[0]);
  }
  return sum / f->ratio;
}

static const uint32_t Sizes[][2] = {{32, 32}, {64, 8}, {13, 7}, {1, 9}, {2, 2}, {21, 5}, {1, 1}};
enum { SizeCount = sizeof Sizes / sizeof Sizes[0] };

TEST(test_definitions) {
  rng_t rng;
  rng_seed(&rng, 1);
  for (uint32_t n = 0; n < SizeCount; n++) {
    case_t c = {.texture = texture_random(&rng, Sizes[n][0], Sizes[n][1])};
    for (uint32_t i = 0; i < 2000; i++) {
      double fractional[4], whole[4];
      case_make(&c, &rng, 0);
      filter_fractional(&c.texture, &c.stage, &c.footprint, c.u, c.v, fractional);
      filter_whole(&c.texture, &c.stage, &c.footprint, &c.pixel, whole);
      for (uint32_t k = 0; k < 4; k++) {
        if (fabs(fractional[k] - reference(&c, k, false)) > 1e-9) {
          fail_msg("fractional: size %u, case %u", n, i);
        }
        if (fabs(whole[k] - reference(&c, k, true)) > 1e-9) {
          fail_msg("whole: size %u, case %u", n, i);
        }
      }
    }
    texture_free(&c.texture);
  }
}

// Anisotropic first equals anisotropic last: in real arithmetic exactly, in the hardware's
// integers within the bound, for every ratio. The bound is used, not only kept.
TEST(test_reordering) {
  rng_t rng;
  rng_seed(&rng, 2);
  for (uint32_t ratio = 1; ratio <= 16; ratio++) {
    double worst = 0;
    for (uint32_t n = 0; n < SizeCount; n++) {
      case_t c = {.texture = texture_random(&rng, Sizes[n][0], Sizes[n][1])};
      for (uint32_t i = 0; i < 300; i++) {
        double whole[4];
        case_make(&c, &rng, ratio);
        const footprint_t *f = &c.footprint;
        const footprint_pixel_t *p = &c.pixel;
        filter_whole(&c.texture, &c.stage, f, p, whole);
        uint32_t parent[FootprintParents] = {0};
        double mean[FootprintParents][4] = {{0}};
        for (uint32_t k = 0; k < FootprintParents; k++) {
          if (!(p->mask >> k & 1)) {
            continue;
          }
          parent[k] = filter_parent(&c.texture, &c.stage, f, p, k);
          for (uint32_t m = 0; m < 4; m++) {
            for (uint32_t j = 0; j < ratio; j++) {
              mean[k][m] += texel_at(
                  &c, f->level + (k >> 2),
                  p->x[k >> 2] + (int32_t)(k & 1) + footprint_offset(p->step_x, ratio, j, k >> 2),
                  p->y[k >> 2] + (int32_t)(k >> 1 & 1) +
                      footprint_offset(p->step_y, ratio, j, k >> 2),
                  m);
            }
            mean[k][m] /= ratio;
            double error = fabs((parent[k] >> 8 * m & 255) - mean[k][m]);
            assert_true(error <= 0.5 + 1e-9);
          }
        }
        int32_t out[4];
        filter_parents(f, p, parent, out);
        for (uint32_t m = 0; m < 4; m++) {
          double sum = 0;
          for (uint32_t k = 0; k < FootprintParents; k++) {
            uint32_t l = k >> 2;
            double fx = p->fx[l] / 256.0, fy = p->fy[l] / 256.0;
            double level = (l ? f->weight : 256 - f->weight) / 256.0;
            sum += level * (k & 1 ? fx : 1 - fx) * (k >> 1 & 1 ? fy : 1 - fy) * mean[k][m];
          }
          assert_true(fabs(sum - whole[m]) < 1e-9);
          double error = fabs(out[m] / (double)FilterOne - whole[m]);
          worst = fmax(worst, error);
          if (error > filter_bound() + 1e-9) {
            fail_msg("ratio %u: %f", ratio, error);
          }
        }
      }
      texture_free(&c.texture);
    }
    if (ratio > 1) {
      assert_true(worst > 0.25);
    }
  }
}

// One value everywhere stays that value.
TEST(test_constant) {
  rng_t rng;
  rng_seed(&rng, 3);
  case_t c = {.texture = texture_random(&rng, 24, 10)};
  for (uint32_t value = 0; value < 256; value += 5) {
    for (uint32_t l = 0; l < c.texture.levels; l++) {
      for (uint32_t i = 0; i < frame_side(24, l) * frame_side(10, l); i++) {
        c.texture.level[l][i] = value * 0x01010101u;
      }
    }
    for (uint32_t ratio = 1; ratio <= 16; ratio++) {
      double fractional[4], whole[4];
      uint32_t parent[FootprintParents];
      int32_t out[4];
      case_make(&c, &rng, ratio);
      filter_fractional(&c.texture, &c.stage, &c.footprint, c.u, c.v, fractional);
      filter_whole(&c.texture, &c.stage, &c.footprint, &c.pixel, whole);
      for (uint32_t k = 0; k < FootprintParents; k++) {
        parent[k] = c.pixel.mask >> k & 1
                        ? filter_parent(&c.texture, &c.stage, &c.footprint, &c.pixel, k)
                        : 0;
      }
      filter_parents(&c.footprint, &c.pixel, parent, out);
      for (uint32_t m = 0; m < 4; m++) {
        assert_int_equal(out[m], value * FilterOne);
      }
      for (uint32_t m = 0; m < 4; m++) {
        assert_true(fabs(fractional[m] - value) < 1e-9);
        assert_true(fabs(whole[m] - value) < 1e-9);
      }
    }
  }
  texture_free(&c.texture);
}

// Where a parent lies: with one child it is the texel there.
TEST(test_place) {
  rng_t rng;
  rng_seed(&rng, 4);
  for (uint32_t n = 0; n < SizeCount; n++) {
    case_t c = {.texture = texture_random(&rng, Sizes[n][0], Sizes[n][1])};
    for (uint32_t i = 0; i < 500; i++) {
      case_make(&c, &rng, 1);
      for (uint32_t k = 0; k < FootprintParents; k++) {
        uint32_t level, x, y;
        if (!(c.pixel.mask >> k & 1)) {
          continue;
        }
        filter_parent_place(&c.texture, &c.stage, &c.footprint, &c.pixel, k, &level, &x, &y);
        uint32_t w = frame_side(c.texture.width, level);
        assert_int_equal(level, c.footprint.level + (k >> 2));
        assert_true(x < w && y < frame_side(c.texture.height, level));
        assert_int_equal(filter_parent(&c.texture, &c.stage, &c.footprint, &c.pixel, k),
                         c.texture.level[level][y * w + x]);
      }
    }
    texture_free(&c.texture);
  }
}

// Coordinates without a fraction or without a value end in the texture.
TEST(test_wild_coordinates) {
  rng_t rng;
  rng_seed(&rng, 5);
  case_t c = {.texture = texture_random(&rng, 13, 7)};
  float bad[] = {INFINITY, -INFINITY, NAN, 1e30f, -1e30f};
  for (uint32_t i = 0; i < 200; i++) {
    double out[4];
    case_make(&c, &rng, 0);
    c.u = bad[i % 5];
    c.v = bad[i / 5 % 5];
    footprint_pixel(&c.pixel, &c.footprint, &c.texture, &c.stage, c.u, c.v);
    filter_fractional(&c.texture, &c.stage, &c.footprint, c.u, c.v, out);
    for (uint32_t m = 0; m < 4; m++) {
      assert_true(out[m] >= 0 && out[m] <= 255.0001);
    }
    filter_whole(&c.texture, &c.stage, &c.footprint, &c.pixel, out);
    for (uint32_t m = 0; m < 4; m++) {
      assert_true(out[m] >= 0 && out[m] <= 255.0001);
    }
  }
  texture_free(&c.texture);
}

int main(void) { return run_all_tests(NULL, NULL); }
