// SPDX-License-Identifier: Apache-2.0
// Sequences of frames: what is written is read, shared content stands once, every damage is refused
// with its place, and no count is taken on trust.
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>

#include "csim/frame/frame_codec.h"
#include "csim/frame/frame_file.h"
#include "csim/frame/generate_frame.h"
#include "tests/programs/frame_files.h"

enum { Frames = 3 };

static frame_sequence_t *some_sequence(uint32_t count) {
  err_auto_t err = {0};
  frame_sequence_t *s = frame_sequence_generate("gen:test-4", 1, count, &err);
  if (!s) {
    fail_msg("%s", err_text(&err));
  }
  return s;
}

static void write_it(const frame_sequence_t *s, const char *to) {
  err_auto_t err = {0};
  if (!frame_sequence_write(s, to, &err)) {
    fail_msg("%s", err_text(&err));
  }
}

static frame_sequence_t *read_it(const char *from) {
  err_auto_t err = {0};
  frame_sequence_t *s = frame_sequence_read(from, &err);
  if (!s) {
    fail_msg("%s", err_text(&err));
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
  err_auto_t err = {0};
  frame_sequence_t *s = frame_sequence_read(copy_path, &err);
  if (s) {
    fail_msg("%s at %zu is accepted", what, where);
  }
  if (strchr(err_text(&err), '\n') || !strstr(err_text(&err), copy_path) ||
      !strstr(err_text(&err), ": byte ") || !strstr(err_text(&err), ": section ") ||
      !strstr(err_text(&err), "expected") || !strstr(err_text(&err), words)) {
    fail_msg("%s at %zu says: %s", what, where, err_text(&err));
  }
}

TEST(test_round_trip) {
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
TEST(test_one) {
  err_auto_t err = {0};
  frame_t *alone = frame_generate("gen:test-4", 1, &err);
  frame_sequence_t *s = some_sequence(Frames);
  assert_true(frame_hash(alone) == frame_hash(s->frames[0]));
  assert_true(frame_write(alone, copy_path, &err));
  frame_sequence_free(s);
  s = read_it(copy_path);
  assert_int_equal(s->count, 1);
  assert_string_equal(s->name, alone->name);
  assert_true(frame_hash(alone) == frame_hash(s->frames[0]));
  char third[sizeof copy_path + 2];
  snprintf(third, sizeof third, "%s.1", copy_path);
  assert_true(frame_write(s->frames[0], third, &err));
  assert_same_file(copy_path, third);
  unlink(third);
  frame_sequence_free(s);
  frame_free(alone);
  // The other way round it is refused by name.
  assert_null(frame_read(path, &err));
  assert_non_null(strstr(err_text(&err), "section HEAD: a sequence of frames, expected one frame"));
}

// The draws stay, their triangles move: a draw of a frame is that of the frame before.
TEST(test_generated) {
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

// Contents that last from frame to frame take hardly any place.
TEST(test_stored_once) {
  size_t one, several;
  frame_sequence_t *s = some_sequence(1);
  err_auto_t err = {0};
  for (uint32_t i = 1; i < 8; i++) {
    frame_t *same = frame_generate("gen:test-4", 1, &err);
    assert_true(frame_sequence_add(s, same, &err));
  }
  assert_int_equal(s->texture_count, s->frames[0]->texture_count);
  write_it(s, copy_path);
  free(load(copy_path, &several));
  frame_t *alone = frame_generate("gen:test-4", 1, &err);
  assert_true(frame_write(alone, copy_path, &err));
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
TEST(test_odd_textures) {
  err_auto_t err = {0};
  frame_t *f = frame_generate("gen:test-4", 1, &err);
  add_copy(f, 0);
  add_copy(f, 1u << 17);
  const uint64_t hash = frame_hash(f);
  const uint32_t count = f->texture_count;
  frame_sequence_t *s = some_sequence(1);
  assert_true(frame_sequence_add(s, f, &err));
  assert_int_equal(s->texture_count, count - 1);
  write_it(s, copy_path);
  frame_sequence_free(s);
  s = read_it(copy_path);
  assert_int_equal(s->frames[1]->texture_count, count);
  assert_true(frame_hash(s->frames[1]) == hash);
  frame_sequence_free(s);
}

TEST(test_truncated) {
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

TEST(test_flipped) {
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
  err_auto_t err = {0};
  frame_reader_t r;
  frame_writer_t w;
  assert_true(frame_reader_open(&r, path, &err));
  assert_true(frame_writer_begin(&w, copy_path, &err));
  frame_bytes_t last[7] = {{0}}, raw;
  const char *names[] = {"FRAM", "SURF", "STAT", "CMDS", "VERT", "TRIS", "INFO", "TEXR", "PROG"};
  uint32_t seen = 0, textures = 0, programs = 0;
  for (uint32_t i = 0; i < r.sections; i++) {
    if (i == 1) {
      textures = frame_get32(last[6].data + 4);
      programs = frame_get32(last[6].data + 8) > 0;
    }
    const uint32_t common = 1 + textures + programs;
    const bool own = i >= common && i > 0;
    const uint32_t k = i == 0 ? 6 : own ? (i - common) % 6 : i <= textures ? 7 : 8;
    const frame_bytes_t *before = own && i - common >= 6 ? &last[k] : NULL;
    assert_true(frame_reader_section(&r, names[k], before, &raw));
    frame_bytes_t changed = {malloc(raw.size + 8), raw.size};
    memcpy(changed.data, raw.data, raw.size);
    if (strcmp(names[k], name) == 0 && seen++ == nth) {
      spoil(&changed);
    }
    assert_true(frame_writer_section(&w, names[k], NULL, &changed));
    free(changed.data);
    if (k < 7) {
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
  assert_true(frame_writer_end(&w, FrameVersionSequence, &err));
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

TEST(test_not_believed) {
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
      {"INFO", 0, a_program, "section HEAD: 22 sections, expected 23"},
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

// ---- Programs

enum { Programs = 2 };

// Two frames whose draws name two programs in turn, the second one in another order, and one
// without any.
static frame_sequence_t *some_programs(void) {
  err_auto_t err = {0};
  frame_sequence_t *s = frame_sequence_create("programs");
  for (uint32_t n = 0; n < Frames; n++) {
    frame_t *f = frame_generate("gen:test-4", 1, &err);
    f->programs = n < 2 ? calloc(Programs, sizeof *f->programs) : NULL;
    f->program_count = n < 2 ? Programs : 0;
    for (uint32_t i = 0; i < f->program_count; i++) {
      program_t *p = &f->programs[i];
      if (i == n) {
        program_derive(p, 20, 2, true);
      } else {
        *p = (program_t){5,
                         {{.kind = ProgramSfu, .count = 3, .dependent = 1000},
                          {.kind = ProgramIf, .predicate = ProgramOnTexel, .stage = 1, .ref = 9},
                          {.kind = ProgramTex, .stage = 1, .count = 4},
                          {.kind = ProgramElse},
                          {.kind = ProgramEndif}}};
        assert_true(program_check(p, &err));
      }
    }
    for (uint32_t i = 0; f->programs && i < f->command_count; i++) {
      f->commands[i].program = f->commands[i].kind == FrameCmdDraw ? (uint16_t)(i % 3) : 0;
    }
    assert_true(frame_sequence_add(s, f, &err));
  }
  return s;
}

static const program_t *program_of(const frame_t *f, uint32_t command) {
  const uint16_t n = f->commands[command].program;
  return n ? &f->programs[n - 1] : NULL;
}

TEST(test_programs) {
  frame_sequence_t *s = some_programs();
  assert_int_equal(s->program_count, Programs);  // each once, wherever it stood
  write_it(s, copy_path);
  frame_sequence_t *again = read_it(copy_path);
  assert_int_equal(again->program_count, Programs);
  for (uint32_t n = 0; n < Frames; n++) {
    const frame_t *a = s->frames[n], *b = again->frames[n];
    assert_ptr_equal(b->programs, again->programs);
    for (uint32_t i = 0; i < a->command_count; i++) {
      const program_t *p = program_of(a, i), *q = program_of(b, i);
      assert_true(p ? q && program_same(p, q) && p->op[1].to == q->op[1].to : !q);
    }
    // Pictures and counts are what they are without; programs have a hash of their own.
    assert_true(frame_hash(a) == frame_hash(s->frames[2]));
    assert_true(frame_programs_hash(a) == frame_programs_hash(b));
    assert_true((frame_programs_hash(a) != 0) == (n < 2));
  }
  assert_true(frame_programs_hash(s->frames[0]) != frame_programs_hash(s->frames[1]));
  write_it(again, path);
  assert_same_file(path, copy_path);
  frame_sequence_free(again);
  frame_sequence_free(s);
}

// One frame with programs is a file of version 2, which is read as one frame, too; with a texture
// twice, and one that no draw uses.
TEST(test_programs_alone) {
  err_auto_t err = {0};
  frame_t *f = frame_generate("gen:test-4", 1, &err);
  add_copy(f, 0);
  f->programs = calloc(1, sizeof *f->programs);
  f->program_count = 1;
  program_derive(f->programs, 7, 1, false);
  f->commands[f->command_count - 1].program = 1;
  assert_true(frame_write(f, path, &err));
  frame_sequence_t *s = read_it(path);
  assert_int_equal(s->count, 1);
  // A sequence holds equal textures once.
  frame_t *other = frame_generate("gen:test-4", 1, &err);
  add_copy(other, 0);
  frame_sequence_t *several = frame_sequence_create(other->name);
  assert_true(frame_sequence_add(several, other, &err));
  write_it(several, copy_path);
  const char *paths[] = {path, copy_path};
  for (uint32_t i = 0; i < 2; i++) {
    frame_t *again = frame_read(paths[i], &err);
    if (!again) {
      fail_msg("%s", err_text(&err));
    }
    assert_null(again->shared);
    assert_true(frame_hash(again) == frame_hash(f));
    assert_true((frame_programs_hash(again) == frame_programs_hash(f)) == (i == 0));
    again->textures[0].level[0][0] ^= 1;  // nothing is shared
    assert_true(again->textures[0].level[0][0] !=
                again->textures[again->texture_count - 1].level[0][0]);
    frame_free(again);
  }
  frame_sequence_free(several);
  frame_sequence_free(s);
  f->programs[0].op[0].kind = ProgramKinds;
  assert_false(frame_write(f, copy_path, &err));
  assert_non_null(strstr(err_text(&err), "frame 0: frame: section PROG: program 0: operation 0"));
  frame_free(f);
}

// Bytes of PROG: two counts of operations, then the bytes of the fields, each of all 11 operations:
// kind, predicate, stage, ref, dependent, ...; the first program has 6 operations, the last one a
// KILL.
enum { Ops = 11, First = 4 };
static void no_ops(frame_bytes_t *raw) { raw->data[0] = 0; }
static void many_ops(frame_bytes_t *raw) { raw->data[1] = 2; }
static void more_ops(frame_bytes_t *raw) { raw->data[2] = 6; }
static void wrong_kind(frame_bytes_t *raw) { raw->data[First + 5] = ProgramKinds; }
static void no_if(frame_bytes_t *raw) { raw->data[First + 5] = ProgramEndif; }
static void no_endif(frame_bytes_t *raw) { raw->data[First + 10] = ProgramKill; }
static void wrong_predicate(frame_bytes_t *raw) { raw->data[First + Ops + 7] = 5; }
static void pixels(frame_bytes_t *raw) { raw->data[First + Ops + 7] = ProgramOnPixels; }
static void no_hash(frame_bytes_t *raw) { raw->data[First + Ops + 7] = ProgramOnHash; }
static void wrong_stage(frame_bytes_t *raw) { raw->data[First + 2 * Ops + 8] = 2; }
static void wrong_texel(frame_bytes_t *raw) { raw->data[First + 2 * Ops + 7] = 2; }
static void dependent(frame_bytes_t *raw) { raw->data[First + 5 * Ops] = 4; }
static void no_count(frame_bytes_t *raw) { raw->data[First + 18 * Ops] = 0; }
static void large_count(frame_bytes_t *raw) { raw->data[First + 21 * Ops] = 2; }
static void no_programs(frame_bytes_t *raw) { word(raw, 8, 0); }
static void third_program(frame_bytes_t *raw) { word(raw, 8, 3); }
static void many_programs(frame_bytes_t *raw) { word(raw, 8, FrameMaxPrograms + 1); }
// The column of programs is the last one: two bytes of each of the commands, transposed.
static void wrong_program(frame_bytes_t *raw) { raw->data[raw->size / 47 * 45 + 1] = 3; }
static void short_column(frame_bytes_t *raw) { raw->size -= 1; }

TEST(test_programs_not_believed) {
  const struct {
    const char *section;
    spoil_t spoil;
    const char *words;
  } cases[] = {
      {"PROG", no_ops, "section PROG: program 0: 0 operations, expected 1 to 256"},
      {"PROG", many_ops, "section PROG: program 0: 518 operations, expected 1 to 256"},
      {"PROG", more_ops, "section PROG: 246 bytes unpacked, expected 268"},
      {"PROG", short_column, "section PROG: 245 bytes unpacked, expected 246"},
      {"PROG", wrong_kind, "program 0: operation 5: no such kind, expected 0 to 6"},
      {"PROG", no_if, "program 0: operation 5: ELSE or ENDIF without the expected IF"},
      {"PROG", no_endif, "program 1: operation 3: an IF without the expected ENDIF"},
      {"PROG", wrong_predicate, "program 1: operation 1: no such predicate, expected 0 to 4"},
      {"PROG", pixels, "program 1: operation 1: a list of pixels, expected a predicate"},
      {"PROG", no_hash, "program 1: operation 1: a hash, expected at most 1,000 permille"},
      {"PROG", wrong_stage, "program 1: operation 2: a stage of 2 or more, expected 0 or 1"},
      {"PROG", wrong_texel, "program 1: operation 1: a stage of 2 or more, expected 0 or 1"},
      {"PROG", dependent, "program 0: operation 0: its dependent permille, expected 0 to 1,000"},
      {"PROG", no_count, "program 0: operation 0: a count of 0 or above 2^24, expected 1 to 2^24"},
      {"PROG", large_count, "program 0: operation 0: a count of 0 or above 2^24"},
      {"INFO", many_programs, "section INFO: 4097 programs, expected at most 4096"},
      {"INFO", no_programs, "section HEAD: 23 sections, expected 22"},
      {"INFO", third_program, "section PROG: "},
      {"CMDS", wrong_program, "section CMDS of frame 0: command 1: program 3, expected at most 2"},
      {"CMDS", short_column, "section CMDS of frame 0: "},
  };
  frame_sequence_t *s = some_programs();
  write_it(s, path);
  frame_sequence_free(s);
  rewrite("INFO", 0, nothing);
  frame_sequence_free(read_it(copy_path));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rewrite(cases[i].section, 0, cases[i].spoil);
    assert_refused("case", i, cases[i].words);
  }
}

TEST(test_not_written) {
  err_auto_t err = {0};
  frame_sequence_t *s = frame_sequence_create("none");
  assert_false(frame_sequence_write(s, copy_path, &err));
  assert_non_null(strstr(err_text(&err), "not written: 0 frames, expected 1 to 256"));
  frame_sequence_free(s);
  s = some_sequence(Frames);
  s->frames[1]->vertices[2].z = FrameMaxDepth + 1;
  assert_false(frame_sequence_write(s, copy_path, &err));
  assert_non_null(strstr(err_text(&err), "not written: frame 1: frame: section VERT: vertex 2"));
  s->frames[1]->vertices[2].z = 0;
  assert_false(frame_sequence_write(s, "/nonexistent/frame.nframe", &err));
  assert_non_null(strstr(err_text(&err), "No such file"));
  frame_sequence_free(s);
  s = some_sequence(FrameMaxFrames);
  assert_false(frame_sequence_add(s, frame_generate("gen:test-4", 1, &err), &err));
  assert_non_null(strstr(err_text(&err), "more frames or textures than a sequence may have"));
  frame_sequence_free(s);
}
