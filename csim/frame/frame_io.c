// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of one frame of the first version, and hashes a frame.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "frame_codec.h"
#include "frame_file.h"
#include "frame_io.h"
#include "frame_program_codec.h"

static bool read_part(frame_reader_t *r, frame_codec_t *codec, frame_part_e part, uint32_t index,
                      uint64_t offsets[FramePartTexture + 1]) {
  frame_bytes_t raw;
  err_auto_t said = {0};
  strcpy(r->name, frame_part_name[part]);
  offsets[part] = r->at;
  bool good = frame_reader_section(r, frame_part_name[part], NULL, &raw);
  if (good && !frame_codec_decode(codec, &part, index, &raw, &said)) {
    strcpy(r->name, frame_part_name[part]);
    good = frame_failed(r, said.status, offsets[part], "%s", err_text(&said));
  }
  free(raw.data);
  return good;
}

static bool read_frame(frame_reader_t *r, frame_codec_t *codec) {
  uint64_t offsets[FramePartTexture + 1] = {0};
  for (int part = FramePartInfo; part < FramePartTexture; part++) {
    if (!read_part(r, codec, (frame_part_e)part, 0, offsets)) {
      return false;
    }
  }
  const frame_t *frame = codec->frame;
  if (!frame_reader_count(r, FramePartTexture + frame->texture_count)) {
    return false;
  }
  for (uint32_t i = 0; i < frame->texture_count; i++) {
    if (!read_part(r, codec, FramePartTexture, i, offsets)) {
      return false;
    }
  }
  return frame_reader_end(r);
}

frame_t *frame_io_read(frame_reader_t *r) {
  frame_codec_t codec = {.frame = calloc(1, sizeof(frame_t))};
  bool good =
      codec.frame || frame_failed(r, ErrMachine, 0, "no memory, expected a machine with more");
  good = good && read_frame(r, &codec);
  frame_codec_free(&codec);
  if (good) {
    return codec.frame;
  }
  frame_free(codec.frame);
  return NULL;
}

// The sections of one frame in file order: of the i-th its part, and a texture's index.
static frame_part_e part_of(uint32_t i, uint32_t *index) {
  *index = i >= FramePartTexture ? i - FramePartTexture : 0;
  return i >= FramePartTexture ? FramePartTexture : (frame_part_e)i;
}

static bool can_write(const frame_t *frame, const char *path, err_t *err) {
  if (!frame_check(frame, err)) {
    return err_before(err, "%s: not written: ", path);
  }
  if (strlen(frame->name) > FrameMaxName) {
    err_set(err, ErrCheck, "%s: not written: the name has %zu bytes, expected at most %d", path,
            strlen(frame->name), FrameMaxName);
    return false;
  }
  return true;
}

bool frame_io_write(const frame_t *frame, const char *path, err_t *err) {
  frame_writer_t w;
  frame_codec_t codec = {0};
  if (!can_write(frame, path, err) || !frame_writer_begin(&w, path, err)) {
    return false;
  }
  bool good = frame_codec_begin(&codec, frame);
  for (uint32_t i = 0; good && i < FramePartTexture + frame->texture_count; i++) {
    frame_bytes_t raw = {0};
    uint32_t index;
    const frame_part_e part = part_of(i, &index);
    good = frame_codec_encode(&codec, part, index, &raw) &&
           frame_writer_section(&w, frame_part_name[part], NULL, &raw);
    free(raw.data);
  }
  frame_codec_free(&codec);
  if (!good) {
    frame_writer_give_up(&w);
  }
  return frame_writer_end(&w, FrameVersion, err);
}

// FNV-1a over the unpacked sections, so that it depends on no version of zstd.
uint64_t frame_hash(const frame_t *frame) {
  uint64_t hash = 14695981039346656037u;
  frame_codec_t codec = {0};
  bool good = frame_codec_begin(&codec, frame);
  for (uint32_t i = 0; good && i < FramePartTexture + frame->texture_count; i++) {
    frame_bytes_t raw = {0};
    uint32_t index;
    const frame_part_e part = part_of(i, &index);
    good = frame_codec_encode(&codec, part, index, &raw);
    for (size_t k = 0; good && k < raw.size; k++) {
      hash = (hash ^ raw.data[k]) * 1099511628211u;
    }
    free(raw.data);
  }
  frame_codec_free(&codec);
  return good ? hash : 0;
}

uint64_t frame_programs_hash(const frame_t *frame) {
  uint64_t hash = 14695981039346656037u;
  bool any = false;
  for (uint32_t i = 0; i < frame->command_count; i++) {
    frame_bytes_t raw = {0};
    const uint16_t program = frame->commands[i].program;
    const uint32_t own = program != 0;
    if (!frame_programs_encode(frame->programs + (own ? program - 1 : 0), own, &raw)) {
      return 0;
    }
    hash = (hash ^ own) * 1099511628211u;
    for (size_t k = 0; k < raw.size; k++) {
      hash = (hash ^ raw.data[k]) * 1099511628211u;
    }
    any |= own;
    free(raw.data);
  }
  return any ? hash : 0;
}
