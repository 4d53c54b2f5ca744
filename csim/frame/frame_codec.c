// SPDX-License-Identifier: Apache-2.0
// Sections of a frame file but the textures: columns of numbers, so that equal
// meaning stands together and zstd finds it. docs/reference/frame-format.md.
#include "frame_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame_texture_codec.h"

enum {
  UseShift = 30,  // in the width of a depth buffer
  StateBytes = 161,
  CommandBytes = 45,
  ProgramBytes = 2,  // more of a command, where the file has programs
  VertexColumns = 9,
  VertexBytes = 36,
  TriangleColumns = 4,
  TriangleBytes = 16,
};

// A place in a record; the same functions write and read it, so that the two
// directions cannot disagree.
typedef struct {
  uint8_t *at;
  bool writing;
} cursor_t;

static void io8(cursor_t *io, uint8_t *value) {
  if (io->writing) {
    *io->at = *value;
  } else {
    *value = *io->at;
  }
  io->at++;
}

static void io16(cursor_t *io, uint16_t *value) {
  uint8_t low = (uint8_t)*value, high = (uint8_t)(*value >> 8);
  io8(io, &low);
  io8(io, &high);
  *value = (uint16_t)(low | high << 8);
}

static void io32(cursor_t *io, uint32_t *value) {
  if (io->writing) {
    frame_put32(io->at, *value);
  } else {
    *value = frame_get32(io->at);
  }
  io->at += 4;
}

static void io_int(cursor_t *io, int32_t *value) {
  uint32_t bits;
  memcpy(&bits, value, sizeof bits);
  io32(io, &bits);
  memcpy(value, &bits, sizeof bits);
}

static void io_float(cursor_t *io, float *value) {
  uint32_t bits;
  memcpy(&bits, value, sizeof bits);
  io32(io, &bits);
  memcpy(value, &bits, sizeof bits);
}

static void io_rect(cursor_t *io, frame_rect_t *r) {
  io_int(io, &r->x0);
  io_int(io, &r->y0);
  io_int(io, &r->x1);
  io_int(io, &r->y1);
}

static void io_state(cursor_t *io, frame_state_t *s) {
  io16(io, &s->color_target);
  io16(io, &s->depth_buffer);
  io8(io, &s->depth_test);
  io8(io, &s->depth_write);
  io8(io, &s->depth_func);
  io8(io, &s->blend);
  io8(io, &s->src_rgb);
  io8(io, &s->dst_rgb);
  io8(io, &s->src_alpha);
  io8(io, &s->dst_alpha);
  io8(io, &s->equation_rgb);
  io8(io, &s->equation_alpha);
  io8(io, &s->color_mask);
  io8(io, &s->alpha_test);
  io8(io, &s->alpha_func);
  io8(io, &s->alpha_ref);
  io8(io, &s->stencil_test);
  for (int i = 0; i < 2; i++) {
    frame_stencil_t *t = &s->stencil[i];
    io8(io, &t->func);
    io8(io, &t->ref);
    io8(io, &t->read_mask);
    io8(io, &t->write_mask);
    io8(io, &t->fail);
    io8(io, &t->depth_fail);
    io8(io, &t->pass);
  }
  io_rect(io, &s->scissor);
  io_rect(io, &s->viewport);
  for (int i = 0; i < 16; i++) {
    io_float(io, &s->projection[i]);
  }
  io32(io, &s->color);
  for (int i = 0; i < FrameMaxTextures; i++) {
    frame_stage_t *t = &s->stages[i];
    io16(io, &t->texture);
    io8(io, &t->coord);
    io8(io, &t->combine);
    io8(io, &t->mag_filter);
    io8(io, &t->min_filter);
    io8(io, &t->mip);
    io8(io, &t->wrap_s);
    io8(io, &t->wrap_t);
    io8(io, &t->max_anisotropy);
    io_float(io, &t->lod_bias);
  }
}

static void io_command(cursor_t *io, frame_cmd_t *c, uint32_t *state, uint32_t *first) {
  io8(io, &c->kind);
  io8(io, &c->clear_color);
  io8(io, &c->clear_depth);
  io8(io, &c->clear_stencil);
  io8(io, &c->clear_stencil_value);
  io32(io, state);
  io32(io, &c->triangles_in);
  io32(io, &c->indices);
  io32(io, &c->vertices_in);
  io32(io, &c->vertex_length);
  io32(io, &c->fragment_length);
  io32(io, first);
  io32(io, &c->triangle_count);
  io32(io, &c->clear_rgba);
  io32(io, &c->clear_z);
}

static bool need(frame_bytes_t *raw, size_t size) {
  raw->size = size;
  raw->data = malloc(size ? size : 1);
  return raw->data;
}

// Small differences of either sign become small numbers.
static uint32_t zigzag(uint32_t difference) { return difference << 1 ^ (0u - (difference >> 31)); }

static uint32_t unzigzag(uint32_t code) { return code >> 1 ^ (0u - (code & 1)); }

// One column: number i stands as four bytes in four planes of count bytes.
static void put_planes(uint8_t *column, size_t count, size_t i, uint32_t value) {
  for (size_t plane = 0; plane < 4; plane++) {
    column[plane * count + i] = (uint8_t)(value >> 8 * plane);
  }
}

static uint32_t get_planes(const uint8_t *column, size_t count, size_t i) {
  uint32_t value = 0;
  for (size_t plane = 0; plane < 4; plane++) {
    value |= (uint32_t)column[plane * count + i] << 8 * plane;
  }
  return value;
}

// The numbers of a vertex as 32-bit words, floats by their bits.
static void vertex_words(frame_vertex_t *vertex, uint32_t words[VertexColumns], bool writing) {
  void *fields[VertexColumns] = {&vertex->x,        &vertex->y,        &vertex->z,
                                 &vertex->inv_w,    &vertex->rgba,     &vertex->uv[0][0],
                                 &vertex->uv[0][1], &vertex->uv[1][0], &vertex->uv[1][1]};
  for (int i = 0; i < VertexColumns; i++) {
    if (writing) {
      memcpy(&words[i], fields[i], 4);
    } else {
      memcpy(fields[i], &words[i], 4);
    }
  }
}

// The colour changes by bytes, all else by small steps.
enum { ColorColumn = 4 };

static bool encode_vertices(const frame_t *frame, frame_bytes_t *raw) {
  const size_t n = frame->vertex_count;
  uint32_t last[VertexColumns] = {0}, now[VertexColumns];
  if (!need(raw, n * VertexBytes)) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    frame_vertex_t vertex = frame->vertices[i];
    vertex_words(&vertex, now, true);
    for (size_t k = 0; k < VertexColumns; k++) {
      const uint32_t code = k == ColorColumn ? now[k] ^ last[k] : zigzag(now[k] - last[k]);
      put_planes(raw->data + 4 * k * n, n, i, code);
      last[k] = now[k];
    }
  }
  return true;
}

static void decode_vertices(frame_t *frame, const frame_bytes_t *raw) {
  const size_t n = frame->vertex_count;
  uint32_t now[VertexColumns] = {0};
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < VertexColumns; k++) {
      const uint32_t code = get_planes(raw->data + 4 * k * n, n, i);
      now[k] = k == ColorColumn ? now[k] ^ code : now[k] + unzigzag(code);
    }
    vertex_words(&frame->vertices[i], now, false);
  }
}

static bool encode_triangles(const frame_t *frame, frame_bytes_t *raw) {
  const size_t n = frame->triangle_count;
  uint32_t last = 0, ordinal = 0;
  if (!need(raw, n * TriangleBytes)) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    const frame_triangle_t *t = &frame->triangles[i];
    const uint32_t words[TriangleColumns] = {t->v[0] - last, t->v[1] - t->v[0], t->v[2] - t->v[0],
                                             t->ordinal - ordinal};
    for (size_t k = 0; k < TriangleColumns; k++) {
      put_planes(raw->data + 4 * k * n, n, i, zigzag(words[k]));
    }
    last = t->v[0];
    ordinal = t->ordinal;
  }
  return true;
}

static void decode_triangles(frame_t *frame, const frame_bytes_t *raw) {
  const size_t n = frame->triangle_count;
  uint32_t last = 0, ordinal = 0;
  for (size_t i = 0; i < n; i++) {
    frame_triangle_t *t = &frame->triangles[i];
    uint32_t words[TriangleColumns];
    for (size_t k = 0; k < TriangleColumns; k++) {
      words[k] = unzigzag(get_planes(raw->data + 4 * k * n, n, i));
    }
    last = t->v[0] = last + words[0];
    t->v[1] = t->v[0] + words[1];
    t->v[2] = t->v[0] + words[2];
    ordinal = t->ordinal = ordinal + words[3];
  }
}

static bool encode_info(const frame_codec_t *codec, frame_bytes_t *raw) {
  const frame_t *f = codec->frame;
  const size_t length = strlen(f->name);
  const uint32_t words[FrameInfoBytes / 4] = {
      f->width,           f->height,        f->target_count, f->depth_count,    f->texture_count,
      codec->state_count, f->command_count, f->vertex_count, f->triangle_count, (uint32_t)length};
  if (length > FrameMaxName || !need(raw, FrameInfoBytes + length)) {
    return false;
  }
  for (size_t i = 0; i < FrameInfoBytes / 4; i++) {
    frame_put32(raw->data + 4 * i, words[i]);
  }
  memcpy(raw->data + FrameInfoBytes, f->name, length);
  return true;
}

static bool refuse_size(err_t *err, size_t size, size_t expected) {
  err_set(err, ErrInput, "%zu bytes unpacked, expected %zu", size, expected);
  return false;
}

static bool no_memory(err_t *err, size_t size) {
  err_set(err, ErrMachine, "no memory for %zu bytes, expected a machine with more", size);
  return false;
}

static bool decode_info(frame_codec_t *codec, const frame_bytes_t *raw, err_t *err) {
  frame_t *f = codec->frame;
  if (raw->size < FrameInfoBytes) {
    return refuse_size(err, raw->size, FrameInfoBytes);
  }
  uint32_t words[FrameInfoBytes / 4];
  for (size_t i = 0; i < FrameInfoBytes / 4; i++) {
    words[i] = frame_get32(raw->data + 4 * i);
  }
  if (words[9] > FrameMaxName || raw->size != FrameInfoBytes + words[9]) {
    return refuse_size(err, raw->size, FrameInfoBytes + (size_t)words[9]);
  }
  const size_t limit = words[6] ? words[6] : 1;
  if (words[5] > limit) {
    err_set(err, ErrInput, "%u states, expected at most one a command, %u", words[5], words[6]);
    return false;
  }
  if (memchr(raw->data + FrameInfoBytes, 0, words[9])) {
    err_set(err, ErrInput, "a zero byte in the name, expected none");
    return false;
  }
  f->width = words[0];
  f->height = words[1];
  f->target_count = words[2];
  f->depth_count = words[3];
  f->texture_count = words[4];
  codec->state_count = words[5];
  f->command_count = words[6];
  f->vertex_count = words[7];
  f->triangle_count = words[8];
  f->name = malloc((size_t)words[9] + 1);
  if (!f->name) {
    return no_memory(err, (size_t)words[9] + 1);
  }
  memcpy(f->name, raw->data + FrameInfoBytes, words[9]);
  f->name[words[9]] = 0;
  return true;
}

static bool encode_surfaces(const frame_t *f, frame_bytes_t *raw) {
  if (!need(raw, 8 * ((size_t)f->target_count + f->depth_count))) {
    return false;
  }
  uint8_t *at = raw->data;
  for (size_t i = 0; i < (size_t)f->target_count + f->depth_count; i++, at += 8) {
    const frame_surface_t *s =
        i < f->target_count ? &f->targets[i] : &f->depths[i - f->target_count];
    const uint32_t use =
        i < f->target_count ? 0 : frame_depth_use(f, (uint32_t)i - f->target_count);
    frame_put32(at, s->width | use << UseShift);
    frame_put32(at + 4, s->height);
  }
  return true;
}

static void decode_surfaces(frame_t *f, const frame_bytes_t *raw) {
  const uint8_t *at = raw->data;
  for (size_t i = 0; i < (size_t)f->target_count + f->depth_count; i++, at += 8) {
    frame_surface_t *s = i < f->target_count ? &f->targets[i] : &f->depths[i - f->target_count];
    s->width = frame_get32(at);
    s->height = frame_get32(at + 4);
    if (i >= f->target_count) {
      f->depth_uses[i - f->target_count] = (uint8_t)(s->width >> UseShift);
      s->width &= (1u << UseShift) - 1;
    }
  }
}

// Records stand transposed: byte k of all of them, then byte k + 1.
static void scatter(uint8_t *to, const uint8_t *record, size_t bytes, size_t count, size_t i) {
  for (size_t k = 0; k < bytes; k++) {
    to[k * count + i] = record[k];
  }
}

static void gather(uint8_t *record, const uint8_t *from, size_t bytes, size_t count, size_t i) {
  for (size_t k = 0; k < bytes; k++) {
    record[k] = from[k * count + i];
  }
}

static void pack_state(const frame_state_t *state, uint8_t record[StateBytes]) {
  frame_state_t copy = *state;
  cursor_t io = {record, true};
  io_state(&io, &copy);
}

static bool encode_states(const frame_codec_t *codec, frame_bytes_t *raw) {
  uint8_t record[StateBytes];
  uint32_t next = 0;
  if (!need(raw, (size_t)codec->state_count * StateBytes)) {
    return false;
  }
  for (uint32_t i = 0; i < codec->frame->command_count; i++) {
    if (codec->state_of[i] != next) {
      continue;  // first uses come in ascending order
    }
    pack_state(&codec->frame->commands[i].state, record);
    scatter(raw->data, record, StateBytes, codec->state_count, next++);
  }
  return true;
}

static void decode_states(frame_codec_t *codec, const frame_bytes_t *raw) {
  uint8_t record[StateBytes];
  for (uint32_t i = 0; i < codec->state_count; i++) {
    gather(record, raw->data, StateBytes, codec->state_count, i);
    cursor_t io = {record, false};
    io_state(&io, &codec->states[i]);
  }
}

static size_t command_bytes(const frame_codec_t *codec) {
  return codec->programs ? CommandBytes + ProgramBytes : CommandBytes;
}

static bool encode_commands(const frame_codec_t *codec, frame_bytes_t *raw) {
  const uint32_t n = codec->frame->command_count;
  const size_t bytes = command_bytes(codec);
  uint8_t record[CommandBytes + ProgramBytes];
  uint32_t end = 0;
  if (!need(raw, n * bytes)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    frame_cmd_t copy = codec->frame->commands[i];
    uint32_t state = codec->state_of[i], first = copy.first_triangle - end;
    cursor_t io = {record, true};
    io_command(&io, &copy, &state, &first);
    if (codec->programs) {
      io16(&io, &copy.program);
    }
    scatter(raw->data, record, bytes, n, i);
    end = copy.first_triangle + copy.triangle_count;
  }
  return true;
}

static bool decode_commands(frame_codec_t *codec, const frame_bytes_t *raw, err_t *err) {
  const uint32_t n = codec->frame->command_count;
  const size_t bytes = command_bytes(codec);
  uint8_t record[CommandBytes + ProgramBytes];
  uint32_t end = 0;
  for (uint32_t i = 0; i < n; i++) {
    frame_cmd_t *c = &codec->frame->commands[i];
    uint32_t state = 0, first = 0;
    gather(record, raw->data, bytes, n, i);
    cursor_t io = {record, false};
    io_command(&io, c, &state, &first);
    if (codec->programs) {
      io16(&io, &c->program);
    }
    if (state >= codec->state_count) {
      err_set(err, ErrInput, "command %u: state %u, expected below %u", i, state,
              codec->state_count);
      return false;
    }
    c->state = codec->states[state];
    c->first_triangle = end + first;
    end = c->first_triangle + c->triangle_count;
  }
  return true;
}

bool frame_codec_begin(frame_codec_t *codec, const frame_t *frame) {
  // The frame is not changed while encoding; the codec shares one pointer type
  // for both directions.
  codec->frame = (frame_t *)(uintptr_t)frame;
  const size_t n = frame->command_count;
  size_t slots = 16;
  while (slots < 2 * n) {
    slots *= 2;
  }
  codec->state_of = calloc(n ? n : 1, sizeof *codec->state_of);
  uint8_t *records = malloc(n ? n * StateBytes : 1);
  uint32_t *table = calloc(slots, sizeof *table);
  const bool good = codec->state_of && records && table;
  for (size_t i = 0; good && i < n; i++) {
    uint8_t *record = records + (size_t)codec->state_count * StateBytes;
    pack_state(&frame->commands[i].state, record);
    uint32_t hash = 2166136261u;
    for (size_t k = 0; k < StateBytes; k++) {
      hash = (hash ^ record[k]) * 16777619u;
    }
    size_t slot = hash & (slots - 1);
    while (table[slot] &&
           memcmp(records + (size_t)(table[slot] - 1) * StateBytes, record, StateBytes) != 0) {
      slot = (slot + 1) & (slots - 1);
    }
    if (!table[slot]) {
      table[slot] = ++codec->state_count;
    }
    codec->state_of[i] = table[slot] - 1;
  }
  free(records);
  free(table);
  return good;
}

bool frame_codec_encode(const frame_codec_t *codec, frame_part_e part, uint32_t index,
                        frame_bytes_t *raw) {
  *raw = (frame_bytes_t){0};
  switch (part) {
    case FramePartInfo: return encode_info(codec, raw);
    case FramePartSurfaces: return encode_surfaces(codec->frame, raw);
    case FramePartStates: return encode_states(codec, raw);
    case FramePartCommands: return encode_commands(codec, raw);
    case FramePartVertices: return encode_vertices(codec->frame, raw);
    case FramePartTriangles: return encode_triangles(codec->frame, raw);
    case FramePartTexture: return frame_texture_encode(&codec->frame->textures[index], raw);
  }
  return false;
}

// Checks the section's size against the counts, and only then allocates.
static bool make(void **array, size_t count, size_t packed, size_t size, const frame_bytes_t *raw,
                 err_t *err) {
  if (raw->size != count * packed) {
    return refuse_size(err, raw->size, count * packed);
  }
  *array = calloc(count ? count : 1, size);
  return *array || no_memory(err, count * size);
}

static bool decode(frame_codec_t *codec, frame_part_e part, uint32_t index,
                   const frame_bytes_t *raw, err_t *err) {
  frame_t *f = codec->frame;
  void *array = NULL;
  switch (part) {
    case FramePartInfo: return decode_info(codec, raw, err);
    case FramePartSurfaces: {
      const size_t count = (size_t)f->target_count + f->depth_count;
      if (raw->size != 8 * count) {
        return refuse_size(err, raw->size, 8 * count);
      }
      f->targets = calloc(f->target_count, sizeof *f->targets);
      f->depths = calloc(f->depth_count ? f->depth_count : 1, sizeof *f->depths);
      f->depth_uses = calloc(f->depth_count ? f->depth_count : 1, sizeof *f->depth_uses);
      if (!f->targets || !f->depths || !f->depth_uses) {
        return no_memory(err, count * sizeof *f->targets);
      }
      decode_surfaces(f, raw);
      return true;
    }
    case FramePartStates:
      if (!make(&array, codec->state_count, StateBytes, sizeof *codec->states, raw, err)) {
        return false;
      }
      codec->states = array;
      decode_states(codec, raw);
      return true;
    case FramePartCommands:
      if (!make(&array, f->command_count, command_bytes(codec), sizeof *f->commands, raw, err)) {
        return false;
      }
      f->commands = array;
      return decode_commands(codec, raw, err);
    case FramePartVertices:
      if (!make(&array, f->vertex_count, VertexBytes, sizeof *f->vertices, raw, err)) {
        return false;
      }
      f->vertices = array;
      decode_vertices(f, raw);
      return true;
    case FramePartTriangles:
      if (!make(&array, f->triangle_count, TriangleBytes, sizeof *f->triangles, raw, err)) {
        return false;
      }
      f->triangles = array;
      decode_triangles(f, raw);
      return true;
    case FramePartTexture:
      if (!f->textures) {
        f->textures = calloc(f->texture_count, sizeof *f->textures);
        if (!f->textures) {
          return no_memory(err, f->texture_count * sizeof *f->textures);
        }
      }
      return frame_texture_decode(&f->textures[index], raw, err) &&
             frame_check_texels(&f->textures[index], &codec->texels, err);
  }
  return false;
}

bool frame_codec_decode(frame_codec_t *codec, frame_part_e *part, uint32_t index,
                        const frame_bytes_t *raw, err_t *err) {
  return decode(codec, *part, index, raw, err) && frame_check_part(codec->frame, part, index, err);
}

void frame_codec_free(frame_codec_t *codec) {
  free(codec->states);
  free(codec->state_of);
  codec->states = NULL;
  codec->state_of = NULL;
}
