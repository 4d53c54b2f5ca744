// SPDX-License-Identifier: Apache-2.0
// Files of several frames. The sections of a frame are those of a file of one; each is packed with
// the one before of its name, so that what lasts from frame to frame takes no place.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame_codec.h"
#include "frame_file.h"
#include "frame_io.h"
#include "frame_program_codec.h"
#include "frame_sequence.h"
#include "frame_texture_codec.h"

enum {
  HeadBytes = 16,          // of INFO, before the name
  MostTextures = 1 << 20,  // in the lists of all frames
};

static const char ProgramsName[] = "PROG";

// A frame's own sections, in file order; the first is INFO with the list of its textures.
static const char *section_name(frame_part_e part) {
  return part == FramePartInfo ? "FRAM" : frame_part_name[part];
}

// The contents of all frames together; a sequence has no more than one frame may have.
typedef struct {
  uint64_t commands, vertices, triangles, textures;
} totals_t;

static bool add_total(uint64_t *sum, uint32_t count, uint32_t most, const char *what, err_t *err) {
  *sum += count;
  if (*sum > most) {
    err_set(err, ErrInput, "%llu %s with this frame, expected at most %u in all",
            (unsigned long long)*sum, what, most);
  }
  return *sum <= most;
}

static bool add_totals(totals_t *t, const frame_t *f, err_t *err) {
  return add_total(&t->commands, f->command_count, FrameMaxCommands, "commands", err) &&
         add_total(&t->vertices, f->vertex_count, FrameMaxVertices, "vertices", err) &&
         add_total(&t->triangles, f->triangle_count, FrameMaxTriangles, "triangles", err) &&
         add_total(&t->textures, f->texture_count, MostTextures, "uses of textures", err);
}

// ---- reading

static bool refuse_size(err_t *err, size_t size, size_t expected) {
  err_set(err, ErrInput, "%zu bytes unpacked, expected %zu", size, expected);
  return false;
}

// The counts that a file announces; the sequence has none of these contents yet.
typedef struct {
  uint32_t frames, textures, programs;
} head_t;

// NULL with a message.
static frame_sequence_t *decode_head(const frame_bytes_t *raw, head_t *head, err_t *err) {
  uint32_t words[HeadBytes / 4] = {0};
  for (size_t i = 0; i < HeadBytes / 4 && raw->size >= HeadBytes; i++) {
    words[i] = frame_get32(raw->data + 4 * i);
  }
  if (raw->size < HeadBytes || words[3] > FrameMaxName || raw->size != HeadBytes + words[3]) {
    refuse_size(err, raw->size, HeadBytes + (words[3] > FrameMaxName ? 0 : (size_t)words[3]));
    return NULL;
  }
  if (words[0] < 1 || words[0] > FrameMaxFrames) {
    err_set(err, ErrInput, "%u frames, expected 1 to %d", words[0], FrameMaxFrames);
    return NULL;
  }
  if (words[1] >= FrameNone) {
    err_set(err, ErrInput, "%u textures, expected at most %d", words[1], FrameNone - 1);
    return NULL;
  }
  if (words[2] > FrameMaxPrograms) {
    err_set(err, ErrInput, "%u programs, expected at most %d", words[2], FrameMaxPrograms);
    return NULL;
  }
  if (memchr(raw->data + HeadBytes, 0, words[3])) {
    err_set(err, ErrInput, "a zero byte in the name, expected none");
    return NULL;
  }
  char name[FrameMaxName + 1] = "";
  memcpy(name, raw->data + HeadBytes, words[3]);
  frame_sequence_t *s = frame_sequence_create(name);
  if (!s) {
    err_set(err, ErrMachine, "no memory, expected a machine with more");
    return NULL;
  }
  *head = (head_t){words[0], words[1], words[2]};
  return s;
}

static frame_sequence_t *read_head(frame_reader_t *r, head_t *head) {
  err_auto_t said = {0};
  frame_bytes_t raw;
  frame_sequence_t *s = NULL;
  strcpy(r->name, "INFO");
  if (frame_reader_section(r, "INFO", NULL, &raw)) {
    s = decode_head(&raw, head, &said);
    if (!s) {
      frame_failed(r, said.status, r->section, "%s", err_text(&said));
    }
  }
  free(raw.data);
  return s;
}

// The textures stand in a frame without anything else while they are read.
static bool read_textures(frame_reader_t *r, frame_sequence_t *s, uint32_t count) {
  err_auto_t said = {0};
  frame_t all = {.texture_count = count};
  frame_codec_t codec = {.frame = &all};
  bool good = true;
  strcpy(r->name, frame_part_name[FramePartTexture]);
  for (uint32_t i = 0; good && i < count; i++) {
    frame_bytes_t raw;
    frame_part_e part = FramePartTexture;
    good = frame_reader_section(r, frame_part_name[part], NULL, &raw);
    if (good && !frame_codec_decode(&codec, &part, i, &raw, &said)) {
      good = frame_failed(r, said.status, r->section, "%s", err_text(&said));
    }
    free(raw.data);
  }
  s->textures = all.textures;
  s->texture_count = all.textures ? count : 0;
  return good;
}

static bool read_programs(frame_reader_t *r, frame_sequence_t *s, uint32_t count) {
  err_auto_t said = {0};
  frame_bytes_t raw = {0};
  strcpy(r->name, ProgramsName);
  bool good = count == 0 || frame_reader_section(r, ProgramsName, NULL, &raw);
  if (good && count && !frame_programs_decode(&s->programs, count, &raw, &said)) {
    good = frame_failed(r, said.status, r->section, "%s", err_text(&said));
  }
  s->program_count = s->programs ? count : 0;
  free(raw.data);
  return good;
}

// A frame's counts and name, then for each of its textures which of the sequence it is.
static bool decode_frame_info(const frame_sequence_t *s, frame_codec_t *codec, totals_t *totals,
                              const frame_bytes_t *raw, err_t *err) {
  frame_t *f = codec->frame;
  frame_bytes_t info = *raw;
  size_t count = 0;
  if (raw->size >= FrameInfoBytes) {
    const uint32_t length = frame_get32(raw->data + FrameInfoBytes - 4);
    count = frame_get32(raw->data + 16);
    info.size = FrameInfoBytes + (size_t)length;
    if (length > FrameMaxName || count >= FrameNone || raw->size != info.size + 4 * count) {
      return refuse_size(err, raw->size, info.size + 4 * count);
    }
  }
  frame_part_e part = FramePartInfo;
  if (!frame_codec_decode(codec, &part, 0, &info, err) || !add_totals(totals, f, err)) {
    return false;
  }
  f->textures = calloc(count ? count : 1, sizeof *f->textures);
  f->shared = calloc(count ? count : 1, sizeof *f->shared);
  if (!f->textures || !f->shared) {
    err_set(err, ErrMachine, "no memory, expected a machine with more");
    return false;
  }
  f->programs = s->programs;  // once it is marked as one of several, so that it frees none
  f->program_count = s->program_count;
  for (size_t i = 0; i < count; i++) {
    const uint32_t k = frame_get32(raw->data + info.size + 4 * i);
    if (k >= s->texture_count) {
      err_set(err, ErrInput, "texture %zu is %u, expected below %u", i, k, s->texture_count);
      return false;
    }
    f->shared[i] = (uint16_t)k;
    f->textures[i] = s->textures[k];
  }
  return true;
}

static void name_section(frame_reader_t *r, frame_part_e part, uint32_t frame) {
  snprintf(r->name, sizeof r->name, "%s of frame %u", section_name(part), frame);
}

// last: the sections of the frame before, unpacked; afterwards of this one.
static bool read_frame(frame_reader_t *r, const frame_sequence_t *s, frame_codec_t *codec,
                       totals_t *totals, frame_bytes_t last[FramePartTexture]) {
  uint64_t offsets[FramePartTexture];
  err_auto_t said = {0};
  bool good = true;
  for (int i = FramePartInfo; good && i < FramePartTexture; i++) {
    frame_part_e part = (frame_part_e)i;
    frame_bytes_t raw;
    name_section(r, part, s->count);
    offsets[i] = r->at;
    good = frame_reader_section(r, section_name(part), s->count ? &last[i] : NULL, &raw);
    if (good) {
      good = part == FramePartInfo ? decode_frame_info(s, codec, totals, &raw, &said)
                                   : frame_codec_decode(codec, &part, 0, &raw, &said);
      if (!good) {
        name_section(r, part, s->count);
        frame_failed(r, said.status, offsets[part], "%s", err_text(&said));
      }
    }
    free(last[i].data);
    last[i] = raw;
  }
  return good;
}

static bool read_frames(frame_reader_t *r, frame_sequence_t *s, uint32_t frames) {
  frame_bytes_t last[FramePartTexture] = {0};
  totals_t totals = {0};
  s->frames = calloc(frames, sizeof(frame_t *));
  bool good =
      s->frames || frame_failed(r, ErrMachine, r->at, "no memory, expected a machine with more");
  while (good && s->count < frames) {
    frame_codec_t codec = {.frame = calloc(1, sizeof(frame_t)), .programs = s->program_count > 0};
    good = codec.frame ||
           frame_failed(r, ErrMachine, r->at, "no memory, expected a machine with more");
    good = good && read_frame(r, s, &codec, &totals, last);
    frame_codec_free(&codec);
    if (good) {
      s->frames[s->count++] = codec.frame;
    } else {
      frame_free(codec.frame);
    }
  }
  for (int i = 0; i < FramePartTexture; i++) {
    free(last[i].data);
  }
  return good;
}

static frame_sequence_t *read_several(frame_reader_t *r) {
  head_t head = {0};
  frame_sequence_t *s = read_head(r, &head);
  if (!s) {
    return NULL;
  }
  const uint32_t sections =
      1 + head.textures + (head.programs > 0) + head.frames * FramePartTexture;
  const bool good = frame_reader_count(r, sections) && read_textures(r, s, head.textures) &&
                    read_programs(r, s, head.programs) && read_frames(r, s, head.frames) &&
                    frame_reader_end(r);
  if (!good) {
    frame_sequence_free(s);
  }
  return good ? s : NULL;
}

// Reads an open file of any version as a sequence.
static frame_sequence_t *read_any(frame_reader_t *r, err_t *err) {
  if (r->version == FrameVersionSequence) {
    return read_several(r);
  }
  frame_t *frame = frame_io_read(r);
  frame_sequence_t *s = frame ? frame_sequence_create(frame->name) : NULL;
  if (frame && !s) {
    err_set(err, ErrMachine, "%s: out of memory", r->path);
    frame_free(frame);
  } else if (s && !frame_sequence_add(s, frame, err)) {
    frame_sequence_free(s);
    s = NULL;
  }
  return s;
}

frame_sequence_t *frame_sequence_read(const char *path, err_t *err) {
  frame_reader_t r;
  frame_sequence_t *s = frame_reader_open(&r, path, err) ? read_any(&r, err) : NULL;
  frame_reader_close(&r);
  return s;
}

// Takes the frame out of a sequence of one.
static frame_t *read_alone(frame_reader_t *r) {
  frame_sequence_t *s = read_several(r);
  strcpy(r->name, "HEAD");
  if (s && s->count != 1) {
    frame_damaged(r, 8, "a sequence of frames, expected one frame (run --frames takes it)");
    frame_sequence_free(s);
    return NULL;
  }
  frame_t *f = s ? frame_sequence_alone(s) : NULL;
  if (s && !f) {
    frame_failed(r, ErrMachine, 0, "no memory, expected a machine with more");
  }
  return f;
}

frame_t *frame_read(const char *path, err_t *err) {
  frame_reader_t r;
  const bool good = frame_reader_open(&r, path, err);
  frame_t *f = !good ? NULL : r.version == FrameVersion ? frame_io_read(&r) : read_alone(&r);
  frame_reader_close(&r);
  return f;
}

// ---- writing

static bool check(const frame_sequence_t *s, err_t *err) {
  totals_t totals = {0};
  uint64_t texels = 0;
  if (s->count < 1 || s->count > FrameMaxFrames) {
    err_set(err, ErrInput, "%u frames, expected 1 to %d", s->count, FrameMaxFrames);
    return false;
  }
  bool good = true;
  for (uint32_t i = 0; good && i < s->texture_count; i++) {
    good = frame_check_texels(&s->textures[i], &texels, err);
  }
  for (uint32_t i = 0; good && i < s->count; i++) {
    const frame_t *f = s->frames[i];
    if (!frame_check(f, err)) {
      return err_before(err, "frame %u: ", i);
    }
    good = add_totals(&totals, f, err);
    if (good && strlen(f->name) > FrameMaxName) {
      err_set(err, ErrInput, "frame %u: the name has %zu bytes, expected at most %d", i,
              strlen(f->name), FrameMaxName);
      return false;
    }
  }
  return good;
}

static bool write_head(frame_writer_t *w, const frame_sequence_t *s) {
  const size_t length = strnlen(s->name, FrameMaxName);
  uint8_t bytes[HeadBytes + FrameMaxName];
  const frame_bytes_t raw = {bytes, HeadBytes + length};
  const uint32_t words[HeadBytes / 4] = {s->count, s->texture_count, s->program_count,
                                         (uint32_t)length};
  for (size_t i = 0; i < HeadBytes / 4; i++) {
    frame_put32(bytes + 4 * i, words[i]);
  }
  memcpy(bytes + HeadBytes, s->name, length);
  return frame_writer_section(w, "INFO", NULL, &raw);
}

// Appends the list of the frame's textures to its INFO.
static bool append_textures(const frame_t *f, frame_bytes_t *raw) {
  uint8_t *grown = realloc(raw->data, raw->size + 4 * (size_t)f->texture_count);
  if (!grown) {
    return false;
  }
  raw->data = grown;
  for (uint32_t i = 0; i < f->texture_count; i++, raw->size += 4) {
    frame_put32(grown + raw->size, f->shared[i]);
  }
  return true;
}

static bool write_frame(frame_writer_t *w, const frame_t *f, bool first,
                        frame_bytes_t last[FramePartTexture]) {
  frame_codec_t codec = {.programs = f->program_count > 0};
  bool good = frame_codec_begin(&codec, f);
  for (int i = FramePartInfo; good && i < FramePartTexture; i++) {
    const frame_part_e part = (frame_part_e)i;
    frame_bytes_t raw = {0};
    good = frame_codec_encode(&codec, part, 0, &raw) &&
           (part != FramePartInfo || append_textures(f, &raw)) &&
           frame_writer_section(w, section_name(part), first ? NULL : &last[i], &raw);
    free(last[i].data);
    last[i] = raw;
  }
  frame_codec_free(&codec);
  return good;
}

static bool write_textures(frame_writer_t *w, const frame_sequence_t *s) {
  bool good = true;
  for (uint32_t i = 0; good && i < s->texture_count; i++) {
    frame_bytes_t raw = {0};
    good = frame_texture_encode(&s->textures[i], &raw) &&
           frame_writer_section(w, frame_part_name[FramePartTexture], NULL, &raw);
    free(raw.data);
  }
  return good;
}

static bool write_programs(frame_writer_t *w, const frame_sequence_t *s) {
  frame_bytes_t raw = {0};
  const bool good =
      s->program_count == 0 || (frame_programs_encode(s->programs, s->program_count, &raw) &&
                                frame_writer_section(w, ProgramsName, NULL, &raw));
  free(raw.data);
  return good;
}

bool frame_sequence_write(const frame_sequence_t *s, const char *path, err_t *err) {
  frame_writer_t w;
  frame_bytes_t last[FramePartTexture] = {0};
  if (!check(s, err)) {
    return err_before(err, "%s: not written: ", path);
  }
  if (!frame_writer_begin(&w, path, err)) {
    return false;
  }
  bool good = write_head(&w, s) && write_textures(&w, s) && write_programs(&w, s);
  for (uint32_t i = 0; good && i < s->count; i++) {
    good = write_frame(&w, s->frames[i], i == 0, last);
  }
  for (int i = 0; i < FramePartTexture; i++) {
    free(last[i].data);
  }
  if (!good) {
    frame_writer_give_up(&w);
  }
  return frame_writer_end(&w, FrameVersionSequence, err);
}

// Writes a frame as a sequence that has nothing else.
static bool write_alone(const frame_t *frame, const char *path, err_t *err) {
  uint16_t *all = calloc((size_t)frame->texture_count + 1, sizeof *all);
  frame_t copy = *frame, *frames[] = {&copy};
  const frame_sequence_t s = {.name = frame->name,
                              .texture_count = frame->texture_count,
                              .textures = frame->textures,
                              .program_count = frame->program_count,
                              .programs = frame->programs,
                              .count = 1,
                              .frames = frames};
  copy.shared = all;
  for (uint32_t i = 0; all && i < frame->texture_count; i++) {
    all[i] = (uint16_t)i;
  }
  if (!all) {
    err_set(err, ErrMachine, "%s: not written: out of memory", path);
  }
  const bool good = all && frame_sequence_write(&s, path, err);
  free(all);
  return good;
}

bool frame_write(const frame_t *frame, const char *path, err_t *err) {
  return frame->program_count > 0 ? write_alone(frame, path, err)
                                  : frame_io_write(frame, path, err);
}
