// SPDX-License-Identifier: Apache-2.0
// Virtual textures against their definition worked out apart: children in real numbers and wrapped
// step by step, lines, ranges, and whole samples against the reference without time.
#include <math.h>

#include "csim/texture/filter.h"
#include "csim/texture/filter_virtual.h"
#include "csim/texture/virtual_texture.h"
#include "tests/programs/random_texture.h"
#include "tests/programs/test.h"

static const uint32_t Sizes[][2] = {{32, 32}, {64, 8},  {13, 7}, {1, 9},  {16, 3}, {37, 50},
                                    {2, 2},   {21, 65}, {1, 1},  {48, 5}, {5, 96}, {128, 128}};
enum { SizeCount = sizeof Sizes / sizeof Sizes[0] };

static double between(rng_t *rng, double low, double high) {
  return low + (high - low) * (double)(rng_u64(rng) >> 11) * 0x1p-53;
}

static int32_t any(rng_t *rng, int32_t low, int32_t high) {
  return low + (int32_t)rng_below(rng, (uint32_t)(high - low + 1));
}

// Any virtual texture of the level; k = 0 when a lattice of it has no room for more.
static virtual_texture_t any_virtual(rng_t *rng, uint32_t width, uint32_t height) {
  virtual_texture_t v = {.reading = (uint8_t)rng_below(rng, 2),
                         .k = (uint8_t)any(rng, 1, 4),
                         .along_y = rng_below(rng, 2),
                         .q = (int8_t)any(rng, -2, 2),
                         .wrap_x = (uint8_t)rng_below(rng, 3),
                         .wrap_y = (uint8_t)rng_below(rng, 3),
                         .width = width,
                         .height = height};
  while (v.reading == VirtualLattice && (v.along_y ? height : width) >> v.k == 0) {
    v.k--;
  }
  v.q = v.k ? v.q : 0;
  return v;
}

// Walks step by step into the level, instead of dividing.
static uint32_t brought_in(int32_t c, int32_t side, uint8_t wrap) {
  if (wrap == FrameWrapClamp) {
    return (uint32_t)(c < 0 ? 0 : c >= side ? side - 1 : c);
  }
  while (c < 0 || c >= side) {
    if (wrap == FrameWrapRepeat) {
      c += c < 0 ? side : -side;
    } else {
      c = c < 0 ? -1 - c : 2 * side - 1 - c;
    }
  }
  return (uint32_t)c;
}

// A channel of a parent, from the definition: the children on a line through the middle.
static uint32_t parent_value(const virtual_texture_t *v, const uint32_t *texel, int32_t a,
                             int32_t b, uint32_t c) {
  uint32_t n = 1u << v->k, sum = 0;
  double middle = v->reading == VirtualLattice ? b : b * (double)n + (n - 1) / 2.0;
  for (uint32_t i = 0; i < n; i++) {
    int32_t along = a * (int32_t)n + (int32_t)i;
    int32_t across = (int32_t)floor(middle + v->q * (i - (n - 1) / 2.0) / 2 + 0.5);
    uint32_t x = brought_in(v->along_y ? across : along, (int32_t)v->width, v->wrap_x);
    uint32_t y = brought_in(v->along_y ? along : across, (int32_t)v->height, v->wrap_y);
    sum += texel[y * v->width + x] >> 8 * c & 255;
  }
  return (uint32_t)floor((double)sum / n + 0.5);
}

TEST(test_parents) {
  rng_t rng;
  rng_seed(&rng, 1);
  for (uint32_t n = 0; n < SizeCount; n++) {
    frame_texture_t t = texture_random(&rng, Sizes[n][0], Sizes[n][1]);
    for (uint32_t i = 0; i < 3000; i++) {
      virtual_texture_t v = any_virtual(&rng, t.width, t.height);
      int32_t a = any(&rng, -40, 40), b = any(&rng, -60, 140);
      uint32_t got = virtual_texture_texel(&v, t.level[0], a, b);
      for (uint32_t c = 0; c < 4; c++) {
        assert_int_equal(got >> 8 * c & 255, parent_value(&v, t.level[0], a, b, c));
      }
    }
    texture_free(&t);
  }
}

// Reduced coordinates lie in the range and, in the lattice, mean the same children; over all
// that sampling asks for and far beyond, where the wrap mode allows.
TEST(test_reduction) {
  rng_t rng;
  rng_seed(&rng, 2);
  for (uint32_t i = 0; i < 3000; i++) {
    uint32_t n = rng_below(&rng, SizeCount);
    virtual_texture_t v = any_virtual(&rng, Sizes[n][0], Sizes[n][1]);
    int32_t along = (int32_t)(v.along_y ? v.height : v.width), children = 1 << v.k;
    int32_t across = (int32_t)(v.along_y ? v.width : v.height);
    uint8_t wrap_a = v.along_y ? v.wrap_y : v.wrap_x, wrap_b = v.along_y ? v.wrap_x : v.wrap_y;
    bool grid = v.reading == VirtualIsotropic || v.k == 0;
    virtual_range_t r = virtual_texture_range(&v);
    int32_t far = 200;
    int32_t a_far =
        grid || wrap_a == FrameWrapClamp || (wrap_a == FrameWrapRepeat && along % children == 0)
            ? far
            : 0;
    int32_t b_far = grid || wrap_b != FrameWrapMirror ? far : 0;
    for (uint32_t j = 0; j < 100; j++) {
      int32_t a = any(&rng, -1 - a_far, (along + children - 1) / children + a_far);
      int32_t b = any(&rng, -17 - b_far, across + 16 + b_far), ra = a, rb = b;
      virtual_texture_reduce(&v, &ra, &rb);
      assert_in_range(ra + 1000, r.a0 + 1000, r.a1 + 1000);
      assert_in_range(rb + 1000, r.b0 + 1000, r.b1 + 1000);
      if (v.reading == VirtualIsotropic) {
        assert_int_equal(ra, brought_in(a, (int32_t)frame_side((uint32_t)along, v.k), wrap_a));
        assert_int_equal(rb, brought_in(b, (int32_t)frame_side((uint32_t)across, v.k), wrap_b));
        continue;
      }
      for (uint32_t c = 0; c < (uint32_t)children; c++) {
        uint32_t x, y, rx, ry;
        virtual_texture_child(&v, a, b, c, &x, &y);
        virtual_texture_child(&v, ra, rb, c, &rx, &ry);
        if (x != rx || y != ry) {
          fail_msg("%ux%u k %u q %d: (%d, %d) is not (%d, %d)", v.width, v.height, v.k, v.q, a, b,
                   ra, rb);
        }
      }
    }
  }
}

// The ranges of docs/model/texture.md, which the cube keeps as well.
TEST(test_ranges) {
  // 37 columns by 50 rows, axis x, k = 2; then 40 columns, of which four make whole parents.
  const struct {
    uint32_t width;
    uint8_t reading, wrap_x, wrap_y;
    virtual_range_t range;
  } cases[] = {{37, VirtualLattice, FrameWrapRepeat, FrameWrapRepeat, {-1, 10, 0, 49}},
               {40, VirtualLattice, FrameWrapRepeat, FrameWrapRepeat, {0, 9, 0, 49}},
               {37, VirtualLattice, FrameWrapClamp, FrameWrapClamp, {-1, 10, -8, 57}},
               {40, VirtualLattice, FrameWrapClamp, FrameWrapClamp, {-1, 10, -8, 57}},
               {37, VirtualLattice, FrameWrapMirror, FrameWrapMirror, {-1, 10, -17, 66}},
               {40, VirtualLattice, FrameWrapMirror, FrameWrapRepeat, {-1, 10, 0, 49}},
               {37, VirtualIsotropic, FrameWrapRepeat, FrameWrapClamp, {0, 8, 0, 11}},
               {3, VirtualIsotropic, FrameWrapMirror, FrameWrapMirror, {0, 0, 0, 11}}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    virtual_texture_t v = {.reading = cases[i].reading,
                           .k = 2,
                           .wrap_x = cases[i].wrap_x,
                           .wrap_y = cases[i].wrap_y,
                           .width = cases[i].width,
                           .height = 50};
    for (uint32_t along_y = 0; along_y < 2; along_y++) {
      virtual_range_t r = virtual_texture_range(&v), want = cases[i].range;
      assert_true(r.a0 == want.a0 && r.a1 == want.a1 && r.b0 == want.b0 && r.b1 == want.b1);
      v = (virtual_texture_t){.reading = v.reading,
                              .k = 2,
                              .along_y = true,
                              .wrap_x = v.wrap_y,
                              .wrap_y = v.wrap_x,
                              .width = v.height,
                              .height = v.width};
    }
  }
}

// Every parent of the range has one place, and its line holds its value there; the others are 0.
TEST(test_lines) {
  rng_t rng;
  rng_seed(&rng, 3);
  for (uint32_t i = 0; i < 60; i++) {
    uint32_t n = rng_below(&rng, SizeCount);
    frame_texture_t t = texture_random(&rng, Sizes[n][0], Sizes[n][1]);
    virtual_texture_t v = any_virtual(&rng, t.width, t.height);
    virtual_range_t r = virtual_texture_range(&v);
    for (int32_t a = r.a0; a <= r.a1; a++) {
      for (int32_t b = r.b0; b <= r.b1; b++) {
        uint32_t x, y, place, line[VirtualLineTexels];
        int32_t back_a, back_b;
        virtual_texture_tile(&v, a, b, &x, &y, &place);
        assert_int_equal(v.along_y ? y : x, (a + 4) / 4);
        assert_int_equal(v.along_y ? x : y, (b + 20) / 4);
        assert_int_equal(place & 3, ((v.along_y ? b : a) + 40) % 4);
        assert_int_equal(place >> 2, ((v.along_y ? a : b) + 40) % 4);
        assert_true(virtual_texture_parent(&v, x, y, place, &back_a, &back_b));
        assert_int_equal(back_a, a);
        assert_int_equal(back_b, b);
        if ((a + b) % 3 == 0) {
          uint16_t inside = virtual_texture_line(&v, t.level[0], x, y, line);
          assert_true(inside >> place & 1);
          assert_int_equal(line[place], virtual_texture_texel(&v, t.level[0], a, b));
          for (uint32_t k = 0; k < VirtualLineTexels; k++) {
            bool is_inside = virtual_texture_parent(&v, x, y, k, &back_a, &back_b);
            assert_int_equal(is_inside,
                             back_a >= r.a0 && back_a <= r.a1 && back_b >= r.b0 && back_b <= r.b1);
            assert_int_equal(inside >> k & 1, is_inside);
            assert_true(is_inside || line[k] == 0);
          }
        }
      }
    }
    texture_free(&t);
  }
  // Twelve bits suffice for the largest level.
  for (uint32_t wrap = 0; wrap < 3; wrap++) {
    virtual_texture_t v = {.k = 1,
                           .wrap_x = (uint8_t)wrap,
                           .wrap_y = (uint8_t)wrap,
                           .width = FrameMaxSize,
                           .height = FrameMaxSize};
    virtual_range_t r = virtual_texture_range(&v);
    assert_true((r.a1 + 4) >> 2 < 4096 && (r.b1 + 20) >> 2 < 4096 && r.a0 >= -4 && r.b0 >= -20);
  }
}

// ---- Footprints

typedef struct {
  frame_texture_t texture;
  frame_stage_t stage;
  footprint_gradient_t gradient;
  footprint_t footprint;
} shape_t;

static void quad_make(shape_t *q, double x, double y, double minor) {
  double length = sqrt(x * x + y * y);
  q->gradient = (footprint_gradient_t){x, y, -minor * y / length, minor * x / length};
  footprint_make(&q->footprint, &q->texture, &q->stage, &q->gradient);
}

static virtual_footprint_t footprint_of(const shape_t *q, virtual_reading_e reading) {
  virtual_footprint_t vf;
  virtual_footprint_make(&vf, &q->footprint, &q->texture, &q->stage, &q->gradient, reading,
                         VIRTUAL_THRESHOLD);
  return vf;
}

static const frame_stage_t Trilinear = {.mag_filter = FrameFilterLinear,
                                        .min_filter = FrameFilterLinear,
                                        .mip = FrameMipLinear,
                                        .max_anisotropy = 16};

TEST(test_extents) {
  shape_t q = {.texture = {.width = 256, .height = 256, .levels = 9}, .stage = Trilinear};
  virtual_footprint_t vf;
  // The longer axis in texels of level 0; minor 1: one texel between children.
  const struct {
    double major;
    uint8_t k;
  } steps[] = {{1.5, 0},  {1.739, 0}, {1.741, 1}, {3.47, 1}, {3.49, 2}, {6.95, 2},
               {6.97, 3}, {13.9, 3},  {13.93, 4}, {16, 4},   {40, 4}};
  for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    // No lod: the level sampled is 0 whatever R is.
    q.stage.mip = FrameMipNone;
    quad_make(&q, steps[i].major, 0, 1);
    vf = footprint_of(&q, VirtualLattice);
    assert_int_equal(vf.k[0], steps[i].k);
    assert_int_equal(vf.level, 0);
    // The larger component counts.
    quad_make(&q, 0.3 * steps[i].major, -steps[i].major, 1);
    vf = footprint_of(&q, VirtualLattice);
    assert_true(vf.along_y);
    assert_int_equal(vf.q, -1);  // 2 x -0.3 + 0.5, down
    if (steps[i].major < 14) {
      assert_int_equal(vf.k[0], steps[i].k);
    }
  }
  // 16 texels of a longer axis count: along a diagonal 11.3, less than 8 T.
  quad_make(&q, 100, 100, 5);
  vf = footprint_of(&q, VirtualLattice);
  assert_int_equal(vf.k[0], 3);
  assert_false(vf.along_y);
  assert_int_equal(vf.q, 2);
  // On a coarser level the axis is shorter: R 8 with texels of level 2.5 between children.
  q.stage.mip = FrameMipLinear;
  quad_make(&q, 8 * exp2(2.5), 0, exp2(2.5) * 1.0001);
  vf = footprint_of(&q, VirtualLattice);
  assert_int_equal(q.footprint.ratio, 8);
  assert_int_equal(vf.level, 2);
  assert_in_range(vf.weight, 127, 128);
  assert_int_equal(vf.k[0], 3);
  assert_int_equal(vf.k[1], 3);
  // A level's side limits its own k: 4 and 2 texels are left.
  q.texture.width = 16;
  vf = footprint_of(&q, VirtualLattice);
  assert_int_equal(vf.k[0], 2);
  assert_int_equal(vf.k[1], 1);
  // R = 1 is plain.
  quad_make(&q, 5, 0, 5);
  vf = footprint_of(&q, VirtualLattice);
  assert_int_equal(vf.k[0] | vf.k[1], 0);
}

TEST(test_slopes) {
  shape_t q = {.texture = {.width = 256, .height = 256, .levels = 9}, .stage = Trilinear};
  const struct {
    double x, y;
    bool along_y;
    int8_t q;
  } cases[] = {{8, 0, false, 0},    {8, 1.9, false, 0}, {8, 2.1, false, 1},  {8, 5.9, false, 1},
               {8, 6.1, false, 2},  {8, 8, false, 2},   {8, -1.9, false, 0}, {8, -2.1, false, -1},
               {8, -8, false, -2},  {-8, 8, false, -2}, {-8, -8, false, 2},  {1.9, 8, true, 0},
               {2.1, -8, true, -1}, {7.9, 8, true, 2},  {-8, 2.1, false, -1}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quad_make(&q, cases[i].x, cases[i].y, 1);
    for (uint32_t reading = 0; reading < 2; reading++) {
      virtual_footprint_t vf = footprint_of(&q, reading);
      assert_int_equal(vf.along_y, cases[i].along_y);
      assert_int_equal(vf.q, cases[i].q);
    }
  }
}

TEST(test_isotropic_levels) {
  shape_t q = {.texture = {.width = 1024, .height = 1024, .levels = 11}, .stage = Trilinear};
  static const uint8_t Extent[17] = {0, 0, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4};
  for (uint32_t ratio = 2; ratio <= 16; ratio++) {
    quad_make(&q, 4.0 * ratio, 0, 4);
    virtual_footprint_t vf = footprint_of(&q, VirtualIsotropic);
    double lod = log2(4.0 * ratio);
    assert_int_equal(q.footprint.ratio, ratio);
    assert_true(fabs(vf.level + vf.weight / 256.0 - lod) <= 1.0 / 128);
    assert_int_equal(vf.k[0], Extent[ratio]);
    assert_int_equal(vf.k[1], Extent[ratio]);
  }
  // A level has no more levels below than its number.
  quad_make(&q, 2.5, 0, 0.2);
  virtual_footprint_t vf = footprint_of(&q, VirtualIsotropic);
  assert_int_equal(vf.level, 1);
  assert_int_equal(vf.k[0], 1);
  assert_int_equal(vf.k[1], 2);
}

// ---- Samples

// A sample as the texture units make it: line after line, by places in lines.
static void sample_by_lines(const virtual_footprint_t *vf, const shape_t *q, float u, float v,
                            int32_t out[4]) {
  int32_t level[2][4];
  for (uint32_t l = 0; l < (vf->weight ? 2u : 1u); l++) {
    virtual_sample_t s;
    uint32_t parent[4], line[VirtualLineTexels], x, y, place;
    virtual_sample_make(&s, vf, &q->texture, &q->stage, l, u, v);
    for (uint32_t n = 0; n < s.parents; n++) {
      virtual_texture_tile(&s.texture, s.a[n], s.b[n], &x, &y, &place);
      uint16_t inside = virtual_texture_line(&s.texture, q->texture.level[s.level], x, y, line);
      assert_true(inside >> place & 1);
      parent[n] = line[place];
    }
    virtual_sample_filter(&s, parent, level[l]);
  }
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = 256 * level[0][c] + (vf->weight ? vf->weight * (level[1][c] - level[0][c]) : 0);
  }
}

static float any_coordinate(rng_t *rng) {
  static const float Wild[] = {0.0f,  1.0f,   -1.0f,     0.5f,    2.0f,      3.0f,
                               1e30f, -1e30f, 0.999999f, -1e-20f, 1.000001f, NAN};
  return rng_chance(rng, 100) ? Wild[rng_below(rng, sizeof Wild / sizeof *Wild)]
                              : (float)between(rng, -2.5, 3.5);
}

static void any_quad(shape_t *q, rng_t *rng) {
  q->stage = (frame_stage_t){.mag_filter = (uint8_t)rng_below(rng, 2),
                             .min_filter = rng_below(rng, 8) > 0,
                             .mip = (uint8_t)rng_below(rng, 3),
                             .wrap_s = (uint8_t)rng_below(rng, 3),
                             .wrap_t = (uint8_t)rng_below(rng, 3),
                             .max_anisotropy = (uint8_t)any(rng, 1, 16),
                             .lod_bias = rng_chance(rng, 200) ? (float)between(rng, -1, 1) : 0};
  double angle = between(rng, 0, 6.2832), minor = exp2(between(rng, -2, 3));
  double major = minor * between(rng, 1, 20);
  quad_make(q, major * cos(angle), major * sin(angle), minor);
}

// The same to the bit as without lines, tiles and reduced coordinates; everything occurs.
TEST(test_samples) {
  rng_t rng;
  rng_seed(&rng, 4);
  uint32_t seen[2][2][5][5] = {{{{0}}}}, nearest = 0;
  for (uint32_t n = 0; n < SizeCount; n++) {
    shape_t q = {.texture = texture_random(&rng, Sizes[n][0], Sizes[n][1])};
    for (uint32_t i = 0; i < 4000; i++) {
      any_quad(&q, &rng);
      float u = any_coordinate(&rng), v = any_coordinate(&rng);
      for (uint32_t reading = 0; reading < 2; reading++) {
        int32_t got[4];
        double want[4];
        virtual_footprint_t vf = footprint_of(&q, reading);
        sample_by_lines(&vf, &q, u, v, got);
        filter_virtual(&q.texture, &q.stage, &q.footprint, &q.gradient, reading, VIRTUAL_THRESHOLD,
                       u, v, want);
        for (uint32_t c = 0; c < 4; c++) {
          if (got[c] != want[c] * FilterOne) {
            fail_msg("size %u case %u reading %u k %u %u q %d: channel %u is %g, not %g", n, i,
                     reading, vf.k[0], vf.k[1], vf.q, c, (double)got[c] / FilterOne, want[c]);
          }
        }
        virtual_sample_t s;
        virtual_sample_make(&s, &vf, &q.texture, &q.stage, 0, u, v);
        seen[reading][s.texture.along_y][s.texture.k][s.texture.q + 2]++;
        nearest += s.parents == 1 && s.texture.k > 0;
      }
    }
    texture_free(&q.texture);
  }
  for (uint32_t i = 0; i < 2 * 2 * 5 * 5; i++) {
    uint32_t reading = i / 50, along_y = i / 25 % 2, k = i / 5 % 5;
    int32_t slope = (int32_t)(i % 5) - 2;
    // At most 12.8 of 16 texels along a slope of 3/4 or more are along the axis: less than 8 T.
    bool steep = reading == VirtualLattice && k == 4 && abs(slope) == 2;
    uint32_t times = (&seen[0][0][0][0])[i];
    if (k == 0 ? slope == 0 && !along_y : !steep) {
      assert_true(times > 20);
    } else {
      assert_int_equal(times, 0);
    }
  }
  assert_true(nearest > 100);
}

// Plain quads are filtered as ever, in the integers of the texture unit.
TEST(test_plain) {
  rng_t rng;
  rng_seed(&rng, 5);
  for (uint32_t n = 0; n < SizeCount; n++) {
    shape_t q = {.texture = texture_random(&rng, Sizes[n][0], Sizes[n][1])};
    for (uint32_t i = 0; i < 1000; i++) {
      any_quad(&q, &rng);
      q.stage.max_anisotropy = 1;
      footprint_make(&q.footprint, &q.texture, &q.stage, &q.gradient);
      float u = (float)between(&rng, -0.5, 1.5), v = (float)between(&rng, -0.5, 1.5);
      footprint_pixel_t p;
      uint32_t parent[FootprintParents] = {0};
      int32_t want[4], got[4];
      footprint_pixel(&p, &q.footprint, &q.texture, &q.stage, u, v);
      for (uint32_t k = 0; k < FootprintParents; k++) {
        parent[k] = p.mask >> k & 1 ? filter_parent(&q.texture, &q.stage, &q.footprint, &p, k) : 0;
      }
      filter_parents(&q.footprint, &p, parent, want);
      virtual_footprint_t vf = footprint_of(&q, rng_below(&rng, 2));
      sample_by_lines(&vf, &q, u, v, got);
      for (uint32_t c = 0; c < 4; c++) {
        assert_int_equal(got[c], want[c]);
      }
    }
    texture_free(&q.texture);
  }
}

// In a mirrored copy the picture is mirrored: far from seams a sample there is the sample of the
// place that it mirrors, with the slope turned over.
TEST(test_mirrored) {
  rng_t rng;
  rng_seed(&rng, 6);
  shape_t q = {.texture = texture_random(&rng, 128, 128), .stage = Trilinear};
  uint32_t turned = 0;
  q.stage.wrap_s = q.stage.wrap_t = FrameWrapMirror;
  for (uint32_t i = 0; i < 4000; i++) {
    // A whole number of 1/256 texels, so that both places are exact.
    float u = (float)any(&rng, 12000, 20000) / 32768, v = (float)any(&rng, 12000, 20000) / 32768;
    double angle = between(&rng, 0, 6.2832), major = between(&rng, 2, 12);
    int32_t there[4], here[4];
    quad_make(&q, major * cos(angle), major * sin(angle), 1);
    virtual_footprint_t vf = footprint_of(&q, VirtualLattice);
    sample_by_lines(&vf, &q, 2 - u, v, there);
    quad_make(&q, -major * cos(angle), major * sin(angle), 1);
    virtual_footprint_t back = footprint_of(&q, VirtualLattice);
    if (back.q != -vf.q) {
      continue;  // between two slopes both are rounded up
    }
    sample_by_lines(&back, &q, u, v, here);
    for (uint32_t c = 0; c < 4; c++) {
      assert_int_equal(there[c], here[c]);
    }
    turned += vf.q != 0 && vf.k[0] > 0;
  }
  assert_true(turned > 1000);
  texture_free(&q.texture);
}

int main(void) { return run_all_tests(NULL, NULL); }
