// SPDX-License-Identifier: Apache-2.0
// Frame files: what is written is read, and every damage is refused with its place.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>

#include "csim/frame/frame.h"
#include "csim/frame/frame_codec.h"
#include "tests/programs/frame_files.h"

enum { Vertices = 12, Triangles = 5 };

static uint32_t noise(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

static frame_state_t some_state(void) {
  frame_state_t s = {0};
  s.color_target = 0;
  s.depth_buffer = 0;
  s.depth_test = s.depth_write = 1;
  s.depth_func = FrameFuncLessEqual;
  s.color_mask = 15;
  s.scissor = (frame_rect_t){0, 0, 33, 17};
  s.viewport = (frame_rect_t){0, -1, 33, 17};
  s.projection[5] = 1.5F;
  s.color = 0xffffffff;
  s.stages[0] =
      (frame_stage_t){.texture = 1, .mip = FrameMipLinear, .max_anisotropy = 16, .lod_bias = -0.5F};
  s.stages[1].texture = FrameNone;
  return s;
}

static void some_texture(frame_texture_t *t, uint32_t width, uint32_t height, bool box,
                         uint32_t *seed) {
  t->width = width;
  t->height = height;
  t->levels = 1;
  t->level[0] = malloc((size_t)width * height * sizeof(uint32_t));
  for (uint32_t i = 0; i < width * height; i++) {
    t->level[0][i] = noise(seed) * 0x10101u + i;
  }
  frame_texture_make_levels(t);
  if (!box && t->levels > 1) {
    t->level[1][0] ^= 1;
  }
}

static void record_use(frame_t *f, uint8_t use) {
  f->depth_uses = calloc(1, sizeof *f->depth_uses);
  f->depth_uses[0] = use;
}

static frame_t *some_frame(void) {
  uint32_t seed = 1;
  frame_t *f = calloc(1, sizeof *f);
  f->name = strdup("test: a small frame");
  f->width = 33;
  f->height = 17;
  f->target_count = 2;
  f->depth_count = 1;
  f->texture_count = 3;
  f->command_count = 4;
  f->vertex_count = Vertices;
  f->triangle_count = Triangles;
  f->targets = calloc(2, sizeof *f->targets);
  f->targets[0] = (frame_surface_t){33, 17};
  f->targets[1] = (frame_surface_t){64, 64};
  f->depths = calloc(1, sizeof *f->depths);
  f->depths[0] = (frame_surface_t){33, 17};
  f->textures = calloc(3, sizeof *f->textures);
  some_texture(&f->textures[0], 1, 1, true, &seed);
  some_texture(&f->textures[1], 9, 5, true, &seed);
  some_texture(&f->textures[2], 6, 3, false, &seed);
  f->commands = calloc(4, sizeof *f->commands);
  for (int i = 0; i < 4; i++) {
    f->commands[i].state = some_state();
  }
  f->commands[0].kind = FrameCmdClear;
  f->commands[0].clear_color = f->commands[0].clear_depth = 1;
  f->commands[0].clear_rgba = 0x12345678;
  f->commands[0].clear_z = FrameMaxDepth;
  f->commands[1].triangles_in = 9;
  f->commands[1].triangle_count = 3;
  f->commands[2].state.blend = 1;
  f->commands[2].triangles_in = 4;
  f->commands[2].first_triangle = 3;
  f->commands[3].triangles_in = 2;
  f->commands[3].first_triangle = 3;
  f->commands[3].triangle_count = 2;
  f->vertices = calloc(Vertices, sizeof *f->vertices);
  for (uint32_t i = 0; i < Vertices; i++) {
    frame_vertex_t *v = &f->vertices[i];
    v->x = (int32_t)(noise(&seed) % (1u << 22)) - (1 << 21);
    v->y = (int32_t)(noise(&seed) % (1u << 22)) - (1 << 21);
    v->z = noise(&seed) & FrameMaxDepth;
    v->inv_w = 1.0F / (float)(1 + i);
    v->rgba = noise(&seed) * 257u;
    for (int k = 0; k < 4; k++) {
      v->uv[k / 2][k % 2] = (float)noise(&seed) / 65536.0F - 50.0F;
    }
  }
  f->triangles = calloc(Triangles, sizeof *f->triangles);
  const uint32_t ordinals[Triangles] = {0, 4, 4, 0, 1};
  for (uint32_t i = 0; i < Triangles; i++) {
    for (int k = 0; k < 3; k++) {
      f->triangles[i].v[k] = noise(&seed) % Vertices;
    }
    f->triangles[i].ordinal = ordinals[i];
  }
  return f;
}

static void assert_same(const frame_t *a, const frame_t *b) {
  assert_string_equal(a->name, b->name);
  assert_int_equal(a->command_count, b->command_count);
  assert_int_equal(a->texture_count, b->texture_count);
  assert_memory_equal(a->targets, b->targets, a->target_count * sizeof *a->targets);
  assert_memory_equal(a->depths, b->depths, a->depth_count * sizeof *a->depths);
  assert_int_equal(frame_depth_use(a, 0), frame_depth_use(b, 0));
  assert_memory_equal(a->commands, b->commands, a->command_count * sizeof *a->commands);
  assert_memory_equal(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices);
  assert_memory_equal(a->triangles, b->triangles, a->triangle_count * sizeof *a->triangles);
  for (uint32_t i = 0; i < a->texture_count; i++) {
    const frame_texture_t *s = &a->textures[i], *t = &b->textures[i];
    assert_int_equal(s->width, t->width);
    assert_int_equal(s->height, t->height);
    assert_int_equal(s->levels, t->levels);
    for (uint32_t n = 0; n < s->levels; n++) {
      const uint32_t w = s->width >> n ? s->width >> n : 1, h = s->height >> n ? s->height >> n : 1;
      assert_memory_equal(s->level[n], t->level[n], (size_t)w * h * sizeof(uint32_t));
    }
  }
}

TEST(test_round_trip) {
  err_auto_t err = {0};
  frame_t *frame = some_frame();
  record_use(frame, FrameDepthSampled);
  if (!frame_write(frame, path, &err)) {
    fail_msg("%s", err_text(&err));
  }
  frame_t *again = frame_read(path, &err);
  if (!again) {
    fail_msg("%s", err_text(&err));
  }
  assert_same(frame, again);
  assert_true(frame_hash(frame) == frame_hash(again));
  assert_true(frame_hash(frame) != 0);
  again->vertices[3].x++;
  assert_true(frame_hash(frame) != frame_hash(again));
  again->vertices[3].x--;
  assert_true(frame_write(again, copy_path, &err));
  size_t size, copy_size;
  uint8_t *data = load(path, &size), *copy = load(copy_path, &copy_size);
  assert_int_equal(size, copy_size);
  assert_memory_equal(data, copy, size);
  free(data);
  free(copy);
  frame_free(again);
  frame_free(frame);
}

TEST(test_empty) {
  err_auto_t err = {0};
  frame_t frame = {0};
  frame_surface_t target = {1, 1};
  frame.name = (char[]){""};
  frame.width = frame.height = 1;
  frame.target_count = 1;
  frame.targets = &target;
  if (!frame_write(&frame, copy_path, &err)) {
    fail_msg("%s", err_text(&err));
  }
  frame_t *again = frame_read(copy_path, &err);
  if (!again) {
    fail_msg("%s", err_text(&err));
  }
  assert_int_equal(again->command_count, 0);
  frame_free(again);
}

// One line, with the file and a byte, whatever the damage.
static void assert_refused(const char *what, size_t where) {
  err_auto_t err = {0};
  frame_t *frame = frame_read(copy_path, &err);
  if (frame) {
    fail_msg("%s at %zu is accepted", what, where);
  }
  if (strchr(err_text(&err), '\n') || !strstr(err_text(&err), copy_path) ||
      !strstr(err_text(&err), ": byte ") || !strstr(err_text(&err), ": section ") ||
      !strstr(err_text(&err), "expected")) {
    fail_msg("%s at %zu says: %s", what, where, err_text(&err));
  }
}

TEST(test_truncated) {
  size_t size;
  uint8_t *data = load(path, &size);
  for (size_t length = 0; length < size; length++) {
    store(copy_path, data, length);
    assert_refused("truncation", length);
  }
  data = realloc(data, size + 1);
  data[size] = 0;
  store(copy_path, data, size + 1);
  assert_refused("a byte more", size);
  free(data);
}

TEST(test_flipped) {
  size_t size;
  uint8_t *data = load(path, &size);
  for (size_t at = 0; at < size; at++) {
    for (int bit = 0; bit < 8; bit += 7) {
      data[at] ^= (uint8_t)(1 << bit);
      store(copy_path, data, size);
      assert_refused("a flipped bit", at);
      data[at] ^= (uint8_t)(1 << bit);
    }
  }
  free(data);
}

TEST(test_place) {
  err_auto_t err = {0};
  char expected[256];
  size_t size;
  uint8_t *data = load(path, &size);
  size_t at = 32;
  const char *names[] = {"INFO", "SURF", "STAT", "CMDS", "VERT", "TRIS", "TEXR", "TEXR", "TEXR"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t packed = data[at + 8] | (size_t)data[at + 9] << 8 | (size_t)data[at + 10] << 16;
    assert_memory_equal(data + at, names[i], 4);
    data[at + 20 + packed / 2] ^= 0x10;
    store(copy_path, data, size);
    data[at + 20 + packed / 2] ^= 0x10;
    assert_null(frame_read(copy_path, &err));
    snprintf(expected, sizeof expected, "%s: byte %zu: section %s: wrong checksum", copy_path,
             at + 20, names[i]);
    assert_memory_equal(err_text(&err), expected, strlen(expected));
    at += 20 + packed;
  }
  assert_int_equal(at, size);
  free(data);
}

TEST(test_unreadable) {
  err_auto_t err = {0};
  assert_null(frame_read("/nonexistent/frame.nframe", &err));
  assert_non_null(strstr(err_text(&err), "No such file"));
  assert_null(frame_read("/tmp", &err));
  assert_non_null(strstr(err_text(&err), "regular file"));
  frame_t *frame = some_frame();
  assert_false(frame_write(frame, "/nonexistent/frame.nframe", &err));
  assert_non_null(strstr(err_text(&err), "No such file"));
  frame_free(frame);
}

typedef void (*spoil_t)(frame_t *frame);

static void spoil_vertex_index(frame_t *f) { f->triangles[2].v[1] = Vertices; }
static void spoil_ordinal_order(frame_t *f) { f->triangles[1].ordinal = 5; }
static void spoil_ordinal_range(frame_t *f) { f->triangles[2].ordinal = 9; }
static void spoil_range(frame_t *f) { f->commands[3].triangle_count = 3; }
static void spoil_overlap(frame_t *f) { f->commands[3].first_triangle = 2; }
static void spoil_target(frame_t *f) { f->commands[1].state.color_target = 2; }
static void spoil_depth(frame_t *f) { f->commands[1].state.depth_buffer = 1; }
static void spoil_texture(frame_t *f) { f->commands[1].state.stages[0].texture = 3; }
static void spoil_func(frame_t *f) { f->commands[1].state.depth_func = 8; }
static void spoil_factor(frame_t *f) { f->commands[2].state.dst_alpha = 11; }
static void spoil_bool(frame_t *f) { f->commands[2].state.blend = 2; }
static void spoil_stencil(frame_t *f) { f->commands[2].state.stencil[1].pass = 8; }
static void spoil_aniso(frame_t *f) { f->commands[1].state.stages[0].max_anisotropy = 0; }
static void spoil_bias(frame_t *f) { f->commands[1].state.stages[0].lod_bias = NAN; }
static void spoil_scissor(frame_t *f) { f->commands[0].state.scissor.x1 = 34; }
static void spoil_no_surface(frame_t *f) {
  f->commands[0].state.color_target = f->commands[0].state.depth_buffer = FrameNone;
}
static void spoil_x(frame_t *f) { f->vertices[4].x = FrameGuardBand * FrameSubpixel; }
static void spoil_y(frame_t *f) { f->vertices[4].y = -FrameGuardBand * FrameSubpixel; }
static void spoil_z(frame_t *f) { f->vertices[4].z = FrameMaxDepth + 1; }
static void spoil_w(frame_t *f) { f->vertices[4].inv_w = INFINITY; }
static void spoil_uv(frame_t *f) { f->vertices[4].uv[1][0] = -NAN; }
static void spoil_clear_z(frame_t *f) { f->commands[0].clear_z = FrameMaxDepth + 1; }
static void spoil_kind(frame_t *f) { f->commands[0].kind = 2; }
static void spoil_size(frame_t *f) { f->width++; }
static void spoil_surface(frame_t *f) { f->targets[1].height = FrameMaxSize + 1; }
static void spoil_use(frame_t *f) { record_use(f, FrameDepthUses); }
static void spoil_levels(frame_t *f) { f->textures[1].levels = 5; }

TEST(test_refused) {
  const struct {
    spoil_t spoil;
    const char *section;
  } cases[] = {
      {spoil_vertex_index, "TRIS"},
      {spoil_ordinal_order, "TRIS"},
      {spoil_ordinal_range, "TRIS"},
      {spoil_range, "CMDS"},
      {spoil_overlap, "CMDS"},
      {spoil_target, "STAT"},
      {spoil_depth, "STAT"},
      {spoil_texture, "STAT"},
      {spoil_func, "STAT"},
      {spoil_factor, "STAT"},
      {spoil_bool, "STAT"},
      {spoil_stencil, "STAT"},
      {spoil_aniso, "STAT"},
      {spoil_bias, "STAT"},
      {spoil_scissor, "STAT"},
      {spoil_no_surface, "STAT"},
      {spoil_x, "VERT"},
      {spoil_y, "VERT"},
      {spoil_z, "VERT"},
      {spoil_w, "VERT"},
      {spoil_uv, "VERT"},
      {spoil_clear_z, "CMDS"},
      {spoil_kind, "CMDS"},
      {spoil_size, "SURF"},
      {spoil_surface, "SURF"},
      {spoil_use, "SURF"},
      {spoil_levels, "TEXR"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    err_auto_t err = {0};
    char section[32];
    frame_t *frame = some_frame();
    cases[i].spoil(frame);
    if (frame_check(frame, &err)) {
      fail_msg("case %zu is accepted", i);
    }
    snprintf(section, sizeof section, "section %s: ", cases[i].section);
    if (!strstr(err_text(&err), section)) {
      fail_msg("case %zu says: %s", i, err_text(&err));
    }
    assert_non_null(strstr(err_text(&err), "expected"));
    assert_false(frame_write(frame, copy_path, &err));
    assert_non_null(strstr(err_text(&err), "not written"));
    frame_free(frame);
  }
}

// A file whose checksums are right may still name a state that it does not hold.
TEST(test_state_index) {
  err_auto_t said = {0};
  frame_t *frame = some_frame(), *again = calloc(1, sizeof *again);
  frame_codec_t encoder = {0}, decoder = {.frame = again};
  assert_true(frame_codec_begin(&encoder, frame));
  for (frame_part_e part = FramePartInfo; part <= FramePartCommands; part++) {
    frame_bytes_t raw;
    assert_true(frame_codec_encode(&encoder, part, 0, &raw));
    frame_part_e at = part;
    if (part == FramePartCommands) {
      // The lowest byte of the last command's state: plane 5 of the commands' columns.
      uint8_t *state = raw.data + 5 * frame->command_count + frame->command_count - 1;
      assert_true(*state < encoder.state_count);
      *state = (uint8_t)encoder.state_count;
      assert_false(frame_codec_decode(&decoder, &at, 0, &raw, &said));
      assert_non_null(strstr(err_text(&said), "command 3: state"));
      *state = (uint8_t)(encoder.state_count - 1);
      at = part;
      free(again->commands);
    }
    assert_true(frame_codec_decode(&decoder, &at, 0, &raw, &said));
    free(raw.data);
  }
  frame_codec_free(&decoder);
  frame_codec_free(&encoder);
  frame_free(again);
  frame_free(frame);
}

TEST(test_levels) {
  frame_texture_t t = {.width = 5, .height = 2, .levels = 1};
  t.level[0] = malloc(10 * sizeof(uint32_t));
  for (uint32_t i = 0; i < 10; i++) {
    t.level[0][i] = i * 0x04000001u;
  }
  frame_texture_make_levels(&t);
  assert_int_equal(t.levels, 3);
  assert_int_equal(t.level[1][0], 0x0c000003u);  // 0 1 5 6, alpha four times that
  assert_int_equal(t.level[1][1], 0x14000005u);  // 2 3 7 8
  assert_int_equal(t.level[2][0], 0x10000004u);
  for (int n = 0; n < 3; n++) {
    free(t.level[n]);
  }
}
