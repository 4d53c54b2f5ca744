// SPDX-License-Identifier: Apache-2.0
// Directed tests of the texel generator, from docs/units/texel_generator.md: the beats of whole
// tiles. What a tile needs is taken from csim/texture/virtual_texture.h, which is written apart.
#include "directed.h"

typedef struct {
  frame_texture_t texture;
  texture_layout_t layout;
  virtual_texture_t v;
  texel_generator_package_t package;
} tile_t;

static void tile_make(tile_t *t, uint32_t width, uint32_t height, uint32_t level,
                      const virtual_texture_t *v) {
  t->texture = (frame_texture_t){.width = width, .height = height};
  while (!t->texture.levels || width >> t->texture.levels || height >> t->texture.levels) {
    t->texture.levels++;
  }
  texture_layout_make(&t->layout, &t->texture, TextureAlign);
  t->v = *v;
  t->v.width = frame_side(width, level);
  t->v.height = frame_side(height, level);
  t->package = (texel_generator_package_t){.id = 7,
                                           .descriptor = 5,
                                           .level = (uint8_t)level,
                                           .offset = t->layout.offset[level],
                                           .reading = v->reading,
                                           .extent = v->k,
                                           .along_y = v->along_y,
                                           .slope = v->q & 7};
}

// How often each texel of each line goes to each parent, and how often it should.
typedef struct {
  uint32_t line;
  uint8_t texel, parent;
  int32_t times;
} use_t;

static void use(use_t *uses, uint32_t *count, uint32_t line, uint32_t texel, uint32_t parent,
                int32_t times) {
  for (uint32_t i = 0; i < *count; i++) {
    if (uses[i].line == line && uses[i].texel == texel && uses[i].parent == parent) {
      uses[i].times += times;
      return;
    }
  }
  uses[(*count)++] = (use_t){line, (uint8_t)texel, (uint8_t)parent, times};
}

// A beat keeps the combination unit's limits: of a column along the axis a parent takes one texel.
static void check_beat(const tile_t *t, const texel_generator_beat_t *b) {
  assert_int_not_equal(b->texel, 0);
  for (uint32_t i = 0; i < 16; i++) {
    if (!(b->texel >> i & 1)) {
      assert_int_equal(b->parent[i], 0);
      continue;
    }
    for (uint32_t j = 0; j < i; j++) {
      bool same_column = t->v.along_y ? i / 4 == j / 4 : i % 4 == j % 4;
      assert_false((b->texel >> j & 1) && same_column && b->parent[i] == b->parent[j]);
    }
  }
}

// Sends the tile and holds its beats against the children of its parents. Returns the beats.
static uint32_t run_tile(tile_t *t, uint32_t x, uint32_t y) {
  static use_t uses[512];
  uint32_t count = 0, base = TextureAlign / TextureLineBytes;
  uint16_t mask = 0;
  t->package.tile_x = (uint16_t)x;
  t->package.tile_y = (uint16_t)y;
  for (uint32_t n = 0; n < Parents; n++) {
    int32_t a, b;
    if (!virtual_texture_parent(&t->v, x, y, n, &a, &b)) {
      continue;
    }
    mask |= (uint16_t)(1 << n);
    for (uint32_t i = 0; i < 1u << t->v.k; i++) {
      uint32_t cx, cy;
      virtual_texture_child(&t->v, a, b, i, &cx, &cy);
      use(uses, &count, base + texture_line(&t->layout, &t->texture, t->package.level, cx, cy),
          texture_place(cx, cy), n, 1);
    }
  }
  beat_count = request_count = 0;
  send(&t->package);
  while (!request_count) {
    step();
  }
  assert_int_equal(last_request.refused, mask == 0);
  if (!mask) {
    return 0;
  }
  assert_int_equal(last_request.mask, mask);
  assert_int_equal(last_request.extent, t->v.k);
  while (!beat_count || !beats[beat_count - 1].last) {
    step();
  }
  give_back(last_request.slot);
  for (uint32_t i = 0; i < beat_count; i++) {
    assert_int_equal(beats[i].slot, last_request.slot);
    assert_int_equal(beats[i].along_y, t->v.along_y);
    assert_int_equal(beats[i].last, i + 1 == beat_count);
    check_beat(t, &beats[i]);
    for (uint32_t k = 0; k < 16; k++) {
      if (beats[i].texel >> k & 1) {
        use(uses, &count, beats[i].line, k, beats[i].parent[k], -1);
      }
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    if (uses[i].times != 0) {
      fail_msg("%ux%u, k %u, q %d: line %u texel %u of parent %u: %d too few", t->v.width,
               t->v.height, t->v.k, t->v.q, uses[i].line, uses[i].texel, uses[i].parent,
               uses[i].times);
    }
  }
  return beat_count;
}

static const uint32_t Sizes[][2] = {{64, 64}, {37, 50}, {128, 5}, {16, 16}, {21, 90},
                                    {1, 9},   {33, 1},  {1, 1},   {250, 3}, {70, 70}};
enum { SizeCount = sizeof Sizes / sizeof *Sizes };

// Tiles of all kinds, most of them at seams: each child once, nothing else.
ENGINE_TEST(test_children) {
  rng_t r;
  rng_seed(&r, 1);
  begin();
  uint32_t tiles = 0, most = 0;
  for (uint32_t i = 0; i < 3000; i++) {
    uint32_t n = rng_below(&r, SizeCount), level = rng_below(&r, 3);
    virtual_texture_t v = {.reading = (uint8_t)rng_below(&r, 2),
                           .k = (uint8_t)(1 + rng_below(&r, 4)),
                           .along_y = rng_below(&r, 2),
                           .q = (int8_t)((int)rng_below(&r, 5) - 2),
                           .wrap_x = (uint8_t)rng_below(&r, 3),
                           .wrap_y = (uint8_t)rng_below(&r, 3)};
    tile_t t;
    if (Sizes[n][0] >> level == 0 && Sizes[n][1] >> level == 0) {
      continue;
    }
    tile_make(&t, Sizes[n][0], Sizes[n][1], level, &v);
    if (v.reading == VirtualLattice && (v.along_y ? t.v.height : t.v.width) >> v.k == 0) {
      continue;
    }
    describe((uint16_t)Sizes[n][0], (uint16_t)Sizes[n][1], v.wrap_x, v.wrap_y);
    virtual_range_t range = virtual_texture_range(&t.v);
    for (uint32_t j = 0; j < 4; j++) {
      int32_t a = range.a0 + (int32_t)rng_below(&r, (uint32_t)(range.a1 - range.a0 + 1));
      int32_t b = range.b0 + (int32_t)rng_below(&r, (uint32_t)(range.b1 - range.b0 + 1));
      uint32_t x, y, place;
      virtual_texture_tile(&t.v, j & 1 ? a : range.a1, j & 2 ? b : range.b1, &x, &y, &place);
      uint32_t took = run_tile(&t, x, y);
      most = took > most ? took : most;
      tiles++;
    }
  }
  assert_true(tiles > 5000);
  assert_true(most <= MostBeats);
}

// Away from seams every line once: N, up to 3N with slope, isotropic N parents' rows.
ENGINE_TEST(test_beats) {
  begin();
  for (uint32_t k = 1; k <= 4; k++) {
    for (int32_t q = -2; q <= 2; q++) {
      for (uint32_t reading = 0; reading < 2; reading++) {
        for (uint32_t along_y = 0; along_y < 2; along_y++) {
          virtual_texture_t v = {
              .reading = (uint8_t)reading, .k = (uint8_t)k, .along_y = along_y, .q = (int8_t)q};
          tile_t t;
          tile_make(&t, 1024, 1024, 0, &v);
          describe(1024, 1024, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
          uint32_t across = reading ? 8 : 30, n = 1u << k;
          uint32_t took = run_tile(&t, along_y ? across : 5, along_y ? 5 : across);
          uint32_t least = reading ? (k == 1 ? 4 : 4 * n) : n, lines = 0;
          assert_in_range(took, least, reading ? 4 * n : 3 * n);
          assert_true(q || took == least);
          // No line twice.
          for (uint32_t i = 0; i < beat_count; i++) {
            lines++;
            for (uint32_t j = 0; j < i; j++) {
              assert_true(beats[i].line != beats[j].line);
            }
          }
          assert_int_equal(lines, took);
        }
      }
    }
  }
}

// The last parents of a clamped texture one texel high need the most beats: 31 columns of children
// are clamped to its last texel, and four parents take each.
ENGINE_TEST(test_most_beats) {
  uint32_t most = 0;
  begin();
  for (uint32_t width = 16; width <= 81; width++) {
    for (uint32_t height = 1; height <= 5; height += 4) {
      virtual_texture_t v = {.k = 4, .q = 2, .wrap_x = FrameWrapClamp, .wrap_y = FrameWrapClamp};
      tile_t t;
      uint32_t x, y, place;
      tile_make(&t, width, height, 0, &v);
      describe((uint16_t)width, (uint16_t)height, TexelGeneratorWrapClamp, TexelGeneratorWrapClamp);
      virtual_range_t range = virtual_texture_range(&t.v);
      for (int32_t b = range.b0; b <= range.b1; b += 4) {
        virtual_texture_tile(&t.v, range.a1, b, &x, &y, &place);
        uint32_t took = run_tile(&t, x, y);
        most = took > most ? took : most;
      }
    }
  }
  assert_int_equal(most, MostBeats);
}

// Levels of the largest side: tiles whose number is a power of two, those beside it, and those
// about the last one.
ENGINE_TEST(test_largest) {
  begin();
  for (uint32_t i = 0; i < 12; i++) {
    const bool along_y = i & 1, reading = i & 2;
    const uint8_t wrap = (uint8_t)(i / 4);
    for (uint32_t side = 0; side < 2; side++) {  // the largest one: along or across
      const bool is_high = (side == 0) == along_y;
      const uint16_t width = is_high ? 16 : 8192, height = is_high ? 8192 : 16;
      virtual_texture_t v = {
          .reading = reading, .k = 1, .along_y = along_y, .wrap_x = wrap, .wrap_y = wrap};
      tile_t t;
      tile_make(&t, width, height, 0, &v);
      describe(width, height, wrap, wrap);
      const uint32_t other = reading || side ? 1 : 5;
      for (uint32_t n = 0; n <= 12; n++) {
        for (uint32_t j = 0; j < 3; j++) {
          const uint32_t tile = n < 12 ? (1u << n) + j - 1 : 8192 / 4 + 3 + j;
          run_tile(&t, is_high ? other : tile, is_high ? tile : other);
        }
      }
    }
  }
}
