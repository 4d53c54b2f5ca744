// SPDX-License-Identifier: Apache-2.0
// Textures in memory: every texel is found again at the address that the texel generator
// would make; descriptors.
#include "csim/texture/texture_map.h"
#include "tests/programs/test.h"

enum { Textures = 4, Commands = 3 };

static const uint32_t Sizes[Textures][2] = {{64, 32}, {13, 7}, {1, 1}, {5, 40}};

typedef struct {
  frame_t frame;
  frame_texture_t texture[Textures];
  frame_cmd_t command[Commands];
} scene_t;

static void scene_make(scene_t *s) {
  memset(s, 0, sizeof *s);
  for (uint32_t i = 0; i < Textures; i++) {
    frame_texture_t *t = &s->texture[i];
    t->width = Sizes[i][0];
    t->height = Sizes[i][1];
    for (; !t->levels || t->width >> t->levels || t->height >> t->levels; t->levels++) {
      uint32_t n = frame_side(t->width, t->levels) * frame_side(t->height, t->levels);
      t->level[t->levels] = malloc(n * sizeof(uint32_t));
      for (uint32_t k = 0; k < n; k++) {
        t->level[t->levels][k] = (i + 1) << 24 | t->levels << 16 | (k + 1);
      }
    }
  }
  for (uint32_t c = 0; c < Commands; c++) {
    for (uint32_t k = 0; k < FrameMaxTextures; k++) {
      s->command[c].state.stages[k].texture = FrameNone;
    }
  }
  s->command[0].state.stages[0] = (frame_stage_t){.texture = 1, .wrap_t = FrameWrapClamp};
  s->command[0].state.stages[1] = (frame_stage_t){.texture = 3, .wrap_s = FrameWrapMirror};
  s->command[1].state.stages[0] = (frame_stage_t){.texture = 1, .wrap_t = FrameWrapClamp};
  s->command[1].state.stages[1] = (frame_stage_t){.texture = 1};
  s->command[2].kind = FrameCmdClear;
  s->command[2].state.stages[0].texture = 0;
  s->frame = (frame_t){.texture_count = Textures,
                       .textures = s->texture,
                       .command_count = Commands,
                       .commands = s->command};
}

static void scene_free(scene_t *s) {
  for (uint32_t i = 0; i < Textures; i++) {
    for (uint32_t l = 0; l < s->texture[i].levels; l++) {
      free(s->texture[i].level[l]);
    }
  }
}

TEST(test_lines) {
  scene_t s;
  texture_map_t m;
  uint32_t line[TextureLineTexels];
  scene_make(&s);
  assert_true(texture_map_create(&m, &s.frame, 12345));
  assert_int_equal(m.layout[0].base, 16384);
  assert_int_equal(m.end % 4096, 0);
  for (uint32_t i = 0; i < Textures; i++) {
    const frame_texture_t *t = &s.texture[i];
    if (i) {
      assert_true(m.layout[i].base >= texture_layout_end(&m.layout[i - 1], &s.texture[i - 1]));
    }
    for (uint32_t l = 0; l < t->levels; l++) {
      uint32_t w = frame_side(t->width, l), h = frame_side(t->height, l);
      uint32_t filled = 0;
      for (uint32_t y = 0; y < h; y++) {
        for (uint32_t x = 0; x < w; x++) {
          uint64_t at = m.layout[i].base + 64ull * texture_line(&m.layout[i], t, l, x, y);
          assert_true(texture_map_line(&m, at + (x * 7 + y) % 64, line));
          assert_int_equal(line[texture_place(x, y)], t->level[l][y * w + x]);
        }
      }
      for (uint32_t n = m.layout[i].offset[l]; n < m.layout[i].offset[l + 1]; n++) {
        assert_true(texture_map_line(&m, m.layout[i].base + 64ull * n, line));
        for (uint32_t k = 0; k < TextureLineTexels; k++) {
          filled += line[k] != 0;
        }
      }
      assert_int_equal(filled, w * h);
    }
    assert_false(texture_map_line(&m, texture_layout_end(&m.layout[i], t), line));
  }
  assert_false(texture_map_line(&m, 16383, line));
  assert_false(texture_map_line(&m, m.end, line));
  texture_map_destroy(&m);
  scene_free(&s);
}

TEST(test_descriptors) {
  scene_t s;
  texture_map_t m;
  scene_make(&s);
  assert_true(texture_map_create(&m, &s.frame, 0));
  assert_int_equal(m.descriptor_count, 3);
  const frame_stage_t *mirror = &s.command[0].state.stages[1];
  uint16_t index = texture_map_descriptor(&m, 3, mirror);
  assert_int_equal(index, 1);
  const texel_generator_descriptor_t *d = &m.descriptor[index];
  assert_int_equal(d->index, 1);
  assert_int_equal(d->base, m.layout[3].base / 4096);
  assert_int_equal(d->width, 5);
  assert_int_equal(d->height, 40);
  assert_int_equal(d->wrap_x, FrameWrapMirror);
  assert_int_equal(d->wrap_y, FrameWrapRepeat);
  assert_int_equal(texture_map_descriptor(&m, 0, mirror), TextureNoDescriptor);
  texture_map_destroy(&m);
  assert_false(texture_map_create(&m, &s.frame, ((uint64_t)1 << 34) - 4096));
  scene_free(&s);
}

int main(void) { return run_all_tests(NULL, NULL); }
