// SPDX-License-Identifier: Apache-2.0
// Sequences of frames: what is written is read, shared content stands once, every damage is refused
// with its place, and no count is taken on trust.
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "csim/frame/frame_codec.h"
#include "csim/frame/frame_file.h"
#include "csim/frame/generate.h"

enum { Frames = 3 };

static char path[] = "/tmp/test_frame_sequence_XXXXXX";
static char copy_path[sizeof path + 8];

static uint8_t *load(const char *from, size_t *size) {
  FILE *file = fopen(from, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(*size + 1);
  assert_int_equal(fread(data, 1, *size, file), *size);
  fclose(file);
  return data;
}

static void store(const char *to, const uint8_t *data, size_t size) {
  FILE *file = fopen(to, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
}

static frame_sequence_t *some_sequence(uint32_t count) {
  char error[FrameErrorSize] = "";
  frame_sequence_t *s = frame_sequence_generate("gen:test-4", 1, count, error);
  if (!s) {
    fail_msg("%s", error);
  }
  return s;
}

static void write_it(const frame_sequence_t *s, const char *to) {
  char error[FrameErrorSize] = "";
  if (!frame_sequence_write(s, to, error)) {
    fail_msg("%s", error);
  }
}

static frame_sequence_t *read_it(const char *from) {
  char error[FrameErrorSize] = "";
  frame_sequence_t *s = frame_sequence_read(from, error);
  if (!s) {
    fail_msg("%s", error);
  }
  return s;
}

static void assert_same_file(const char *a, const char *b) {
  size_t size, other_size;
  uint8_t *data = load(a, &size), *other = load(b, &other_size);
  assert_int_equal(size, other_size);
  assert_memory_equal(data, other, size);
  free(data);
  free(other);
}

// One line, with the file and a byte, whatever the damage.
static void assert_refused(const char *what, size_t where, const char *words) {
  char error[FrameErrorSize] = "";
  frame_sequence_t *s = frame_sequence_read(copy_path, error);
  if (s) {
    fail_msg("%s at %zu is accepted", what, where);
  }
  if (strchr(error, '\n') || !strstr(error, copy_path) || !strstr(error, ": byte ") ||
      !strstr(error, ": section ") || !strstr(error, "expected") || !strstr(error, words)) {
    fail_msg("%s at %zu says: %s", what, where, error);
  }
}

static void test_round_trip(void **unused) {
  (void)unused;
  frame_sequence_t *s = some_sequence(Frames);
  write_it(s, path);
  frame_sequence_t *again = read_it(path);
  assert_string_equal(s->name, again->name);
  assert_int_equal(again->count, Frames);
  assert_int_equal(again->texture_count, s->frames[0]->texture_count);
  for (uint32_t i = 0; i < Frames; i++) {
    const frame_t *f = again->frames[i];
    assert_string_equal(f->name, s->frames[i]->name);
    assert_true(frame_hash(f) == frame_hash(s->frames[i]) && frame_hash(f) != 0);
    assert_true(i == 0 || frame_hash(f) != frame_hash(again->frames[i - 1]));
    // Stored once, and once in memory.
    for (uint32_t k = 0; k < f->texture_count; k++) {
      assert_ptr_equal(f->textures[k].level[0], again->textures[f->shared[k]].level[0]);
    }
  }
  write_it(again, copy_path);
  assert_same_file(path, copy_path);
  frame_sequence_free(again);
  frame_sequence_free(s);
}

// The first generated frame is the one that is generated alone, and a file of one frame stays what
// it is: the same bytes when it is read as a sequence and its frame is written again.
static void test_one(void **unused) {
  (void)unused;
  char error[FrameErrorSize] = "";
  frame_t *alone = frame_generate("gen:test-4", 1, error);
  frame_sequence_t *s = some_sequence(Frames);
  assert_true(frame_hash(alone) == frame_hash(s->frames[0]));
  assert_true(frame_write(alone, copy_path, error));
  frame_sequence_free(s);
  s = read_it(copy_path);
  assert_int_equal(s->count, 1);
  assert_string_equal(s->name, alone->name);
  assert_true(frame_hash(alone) == frame_hash(s->frames[0]));
  char third[sizeof copy_path + 2];
  snprintf(third, sizeof third, "%s.1", copy_path);
  assert_true(frame_write(s->frames[0], third, error));
  assert_same_file(copy_path, third);
  unlink(third);
  frame_sequence_free(s);
  frame_free(alone);
  // The other way round it is refused by name.
  assert_null(frame_read(path, error));
  assert_non_null(strstr(error, "section HEAD: a sequence of frames, expected one frame"));
}

// The draws stay, their triangles move: a draw of a frame is that of the frame before.
static void test_generated(void **unused) {
  (void)unused;
  frame_sequence_t *s = some_sequence(Frames);
  for (uint32_t i = 1; i < Frames; i++) {
    const frame_t *a = s->frames[i - 1], *b = s->frames[i];
    assert_int_equal(a->command_count, b->command_count);
    for (uint32_t k = 0; k < a->command_count; k++) {
      const frame_cmd_t *c = &a->commands[k], *d = &b->commands[k];
      assert_memory_equal(&c->state, &d->state, sizeof c->state);
      assert_int_equal(c->triangles_in, d->triangles_in);
      assert_int_equal(c->vertices_in, d->vertices_in);
    }
    assert_int_equal(b->vertices[0].x - a->vertices[0].x, 8 * FrameSubpixel);
    assert_int_equal(b->vertices[0].y, a->vertices[0].y);
  }
  frame_sequence_free(s);
}

// What lasts from frame to frame takes hardly any place.
static void test_stored_once(void **unused) {
  (void)unused;
  size_t one, several;
  frame_sequence_t *s = some_sequence(1);
  char error[FrameErrorSize] = "";
  for (uint32_t i = 1; i < 8; i++) {
    frame_t *same = frame_generate("gen:test-4", 1, error);
    assert_true(frame_sequence_add(s, same, error));
  }
  assert_int_equal(s->texture_count, s->frames[0]->texture_count);
  write_it(s, copy_path);
  free(load(copy_path, &several));
  frame_t *alone = frame_generate("gen:test-4", 1, error);
  assert_true(frame_write(alone, copy_path, error));
  free(load(copy_path, &one));
  frame_free(alone);
  frame_sequence_free(s);
  assert_in_range(several, one, one + 7 * 500);
}

// Appends texture 0 once more, its last level changed or not.
static void add_copy(frame_t *f, uint32_t change) {
  f->textures = realloc(f->textures, (f->texture_count + 1) * sizeof *f->textures);
  frame_texture_t *copy = &f->textures[f->texture_count++];
  *copy = f->textures[0];
  memset(copy->level, 0, sizeof copy->level);
  const size_t texels = (size_t)copy->width * copy->height;
  copy->level[0] = malloc(texels * sizeof(uint32_t));
  memcpy(copy->level[0], f->textures[0].level[0], texels * sizeof(uint32_t));
  frame_texture_make_levels(copy);
  copy->level[copy->levels - 1][0] ^= change;
}

// A frame may hold a texture twice, one that no draw uses, one that differs by a bit; all stay.
static void test_odd_textures(void **unused) {
  (void)unused;
  char error[FrameErrorSize] = "";
  frame_t *f = frame_generate("gen:test-4", 1, error);
  add_copy(f, 0);
  add_copy(f, 1u << 17);
  const uint64_t hash = frame_hash(f);
  const uint32_t count = f->texture_count;
  frame_sequence_t *s = some_sequence(1);
  assert_true(frame_sequence_add(s, f, error));
  assert_int_equal(s->texture_count, count - 1);
  write_it(s, copy_path);
  frame_sequence_free(s);
  s = read_it(copy_path);
  assert_int_equal(s->frames[1]->texture_count, count);
  assert_true(frame_hash(s->frames[1]) == hash);
  frame_sequence_free(s);
}

static void test_truncated(void **unused) {
  (void)unused;
  size_t size;
  uint8_t *data = load(path, &size);
  for (size_t length = 0; length < size; length += 1 + length % 37) {
    store(copy_path, data, length);
    assert_refused("truncation", length, "");
  }
  data[size] = 0;
  store(copy_path, data, size + 1);
  assert_refused("a byte more", size, "");
  free(data);
}

static void test_flipped(void **unused) {
  (void)unused;
  size_t size;
  uint8_t *data = load(path, &size);
  for (size_t at = 0; at < size; at += 1 + at % 37) {
    data[at] ^= (uint8_t)(1 << at % 8);
    store(copy_path, data, size);
    assert_refused("a flipped bit", at, "");
    data[at] ^= (uint8_t)(1 << at % 8);
  }
  free(data);
}

// ---- What a reader must not believe, in files whose checksums are right

// Copies the sections of the sequence at `path`, one of them with other bytes.
typedef void (*spoil_t)(frame_bytes_t *raw);

static void rewrite(const char *name, uint32_t nth, spoil_t spoil) {
  char error[FrameErrorSize] = "";
  frame_reader_t r;
  frame_writer_t w;
  assert_true(frame_reader_open(&r, path, error));
  assert_true(frame_writer_begin(&w, copy_path, error));
  frame_bytes_t last[7] = {{0}}, raw;
  const char *names[] = {"FRAM", "SURF", "STAT", "CMDS", "VERT", "TRIS", "INFO", "TEXR"};
  uint32_t seen = 0, textures = 0;
  for (uint32_t i = 0; i < r.sections; i++) {
    if (i == 1) {
      textures = r.sections - 1 - Frames * 6;
    }
    const bool own = i > textures && i > 0;
    const uint32_t k = i == 0 ? 6 : own ? (i - 1 - textures) % 6 : 7;
    const frame_bytes_t *before = own && i - 1 - textures >= 6 ? &last[k] : NULL;
    assert_true(frame_reader_section(&r, names[k], before, &raw));
    frame_bytes_t changed = {malloc(raw.size + 8), raw.size};
    memcpy(changed.data, raw.data, raw.size);
    if (strcmp(names[k], name) == 0 && seen++ == nth) {
      spoil(&changed);
    }
    assert_true(frame_writer_section(&w, names[k], NULL, &changed));
    free(changed.data);
    if (own) {
      free(last[k].data);
      last[k] = raw;
    } else {
      free(raw.data);
    }
  }
  for (int k = 0; k < 7; k++) {
    free(last[k].data);
  }
  frame_reader_close(&r);
  assert_true(frame_writer_end(&w, FrameVersionSequence, error));
}

static void word(frame_bytes_t *raw, size_t at, uint32_t value) {
  frame_put32(raw->data + at, value);
}

static void nothing(frame_bytes_t *raw) { (void)raw; }
static void no_frames(frame_bytes_t *raw) { word(raw, 0, 0); }
static void many_frames(frame_bytes_t *raw) { word(raw, 0, FrameMaxFrames + 1); }
static void more_frames(frame_bytes_t *raw) { word(raw, 0, Frames + 1); }
static void more_textures(frame_bytes_t *raw) { word(raw, 4, 4); }
static void a_program(frame_bytes_t *raw) { word(raw, 8, 1); }
static void long_name(frame_bytes_t *raw) { word(raw, 12, FrameMaxName + 1); }
static void wrong_texture(frame_bytes_t *raw) { word(raw, raw->size - 4, 3); }
static void short_list(frame_bytes_t *raw) { raw->size -= 4; }
static void cut_short(frame_bytes_t *raw) { raw->size = 12; }
static void many_vertices(frame_bytes_t *raw) { word(raw, 28, FrameMaxVertices); }
static void many_triangles(frame_bytes_t *raw) { word(raw, 32, FrameMaxTriangles); }
static void many_commands(frame_bytes_t *raw) { word(raw, 24, FrameMaxCommands); }
static void many_uses(frame_bytes_t *raw) { word(raw, 16, FrameNone); }
static void no_depth(frame_bytes_t *raw) { word(raw, 12, 0); }

static void test_not_believed(void **unused) {
  (void)unused;
  const struct {
    const char *section;
    uint32_t nth;
    spoil_t spoil;
    const char *words;
  } cases[] = {
    {"INFO", 0, no_frames, "section INFO: 0 frames, expected 1 to 256"},
    {"INFO", 0, many_frames, "section INFO: 257 frames, expected 1 to 256"},
    {"INFO", 0, more_frames, "section HEAD: 22 sections, expected 28"},
    {"INFO", 0, more_textures, "section HEAD: 22 sections, expected 23"},
    {"INFO", 0, a_program, "section INFO: 1 programs, expected none: PROG sections are not read"},
    {"INFO", 0, long_name, "section INFO: "},
    {"INFO", 0, cut_short, "section INFO: 12 bytes unpacked, expected 16"},
    {"FRAM", 1, wrong_texture, "section FRAM of frame 1: texture 2 is 3, expected below 3"},
    {"FRAM", 1, short_list, "section FRAM of frame 1: "},
    {"FRAM", 1, cut_short, "section FRAM of frame 1: 12 bytes unpacked, expected 40"},
    {"FRAM", 2, many_uses, "section FRAM of frame 2: "},
    {"FRAM", 1, many_vertices, "section FRAM of frame 1: 8389"},
    {"FRAM", 1, many_triangles, "section FRAM of frame 1: 8389"},
    {"FRAM", 2, many_commands, "section FRAM of frame 2: 1048"},
    {"FRAM", 0, no_depth, "section SURF of frame 0: "},
    {"SURF", 2, cut_short, "section SURF of frame 2: 12 bytes unpacked, expected"},
    {"VERT", 1, cut_short, "section VERT of frame 1: 12 bytes unpacked, expected"},
  };
  rewrite("INFO", 0, nothing);
  frame_sequence_free(read_it(copy_path));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rewrite(cases[i].section, cases[i].nth, cases[i].spoil);
    assert_refused("case", i, cases[i].words);
  }
}

static void test_not_written(void **unused) {
  (void)unused;
  char error[FrameErrorSize] = "";
  frame_sequence_t *s = frame_sequence_create("none");
  assert_false(frame_sequence_write(s, copy_path, error));
  assert_non_null(strstr(error, "not written: 0 frames, expected 1 to 256"));
  frame_sequence_free(s);
  s = some_sequence(Frames);
  s->frames[1]->vertices[2].z = FrameMaxDepth + 1;
  assert_false(frame_sequence_write(s, copy_path, error));
  assert_non_null(strstr(error, "not written: frame 1: frame: section VERT: vertex 2"));
  s->frames[1]->vertices[2].z = 0;
  assert_false(frame_sequence_write(s, "/nonexistent/frame.nframe", error));
  assert_non_null(strstr(error, "No such file"));
  frame_sequence_free(s);
  s = some_sequence(FrameMaxFrames);
  assert_false(frame_sequence_add(s, frame_generate("gen:test-4", 1, error), error));
  assert_non_null(strstr(error, "more frames or textures than a sequence may have"));
  frame_sequence_free(s);
}

static int remove_files(void **unused) {
  (void)unused;
  unlink(path);
  unlink(copy_path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_round_trip), cmocka_unit_test(test_one),
    cmocka_unit_test(test_generated),
    cmocka_unit_test(test_stored_once), cmocka_unit_test(test_odd_textures),
    cmocka_unit_test(test_truncated),  cmocka_unit_test(test_flipped),
    cmocka_unit_test(test_not_believed), cmocka_unit_test(test_not_written),
  };
  const int file = mkstemp(path);
  if (file < 0) {
    return 1;
  }
  close(file);
  snprintf(copy_path, sizeof copy_path, "%s.copy", path);
  return cmocka_run_group_tests(tests, NULL, remove_files);
}
