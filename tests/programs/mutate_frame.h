// SPDX-License-Identifier: Apache-2.0
// Frames with one thing or a few wrong, as files whose checksums are right: every field of every
// section, the bytes of every section, the headers' numbers. For mutated_frames.c alone.
#ifndef NOCTURNE_TESTS_UNIT_MUTATE_FRAME_H
#define NOCTURNE_TESTS_UNIT_MUTATE_FRAME_H

#include <float.h>
#include <math.h>

#include <zlib.h>
#include <zstd.h>

#include "csim/frame/frame.h"
#include "csim/frame/frame_codec.h"
#include "csim/frame/frame_file.h"
#include "csim/frame/frame_program_codec.h"
#include "csim/frame/frame_sequence.h"
#include "mutate.h"

// ---- Fields

typedef enum {
  FieldByte,  // most is the last value that is in range
  FieldShort,
  FieldNumber,  // any 32 bits
  FieldPlace,   // a coordinate
  FieldDepth,
  FieldFloat,
} field_kind_e;

typedef struct {
  size_t offset;
  uint8_t kind;
  uint32_t most;
} field_t;

#define STATE(kind, name, most) \
  { offsetof(frame_state_t, name), kind, most }
#define STENCIL(n)                                                                               \
  STATE(FieldByte, stencil[n].func, 7), STATE(FieldByte, stencil[n].ref, 255),                   \
      STATE(FieldByte, stencil[n].read_mask, 255), STATE(FieldByte, stencil[n].write_mask, 255), \
      STATE(FieldByte, stencil[n].fail, 7), STATE(FieldByte, stencil[n].depth_fail, 7),          \
      STATE(FieldByte, stencil[n].pass, 7)
#define STAGE(n)                                                                         \
  STATE(FieldShort, stages[n].texture, 3), STATE(FieldByte, stages[n].coord, 1),         \
      STATE(FieldByte, stages[n].combine, 5), STATE(FieldByte, stages[n].mag_filter, 1), \
      STATE(FieldByte, stages[n].min_filter, 1), STATE(FieldByte, stages[n].mip, 2),     \
      STATE(FieldByte, stages[n].wrap_s, 2), STATE(FieldByte, stages[n].wrap_t, 2),      \
      STATE(FieldByte, stages[n].max_anisotropy, 16), STATE(FieldFloat, stages[n].lod_bias, 0)

static const field_t StateFields[] = {STATE(FieldShort, color_target, 2),
                                      STATE(FieldShort, depth_buffer, 2),
                                      STATE(FieldByte, depth_test, 1),
                                      STATE(FieldByte, depth_write, 1),
                                      STATE(FieldByte, depth_func, 7),
                                      STATE(FieldByte, blend, 1),
                                      STATE(FieldByte, src_rgb, 10),
                                      STATE(FieldByte, dst_rgb, 10),
                                      STATE(FieldByte, src_alpha, 10),
                                      STATE(FieldByte, dst_alpha, 10),
                                      STATE(FieldByte, equation_rgb, 4),
                                      STATE(FieldByte, equation_alpha, 4),
                                      STATE(FieldByte, color_mask, 15),
                                      STATE(FieldByte, alpha_test, 1),
                                      STATE(FieldByte, alpha_func, 7),
                                      STATE(FieldByte, alpha_ref, 255),
                                      STATE(FieldByte, stencil_test, 1),
                                      STENCIL(0),
                                      STENCIL(1),
                                      STATE(FieldNumber, scissor.x0, 0),
                                      STATE(FieldNumber, scissor.y0, 0),
                                      STATE(FieldNumber, scissor.x1, 0),
                                      STATE(FieldNumber, scissor.y1, 0),
                                      STATE(FieldNumber, viewport.x0, 0),
                                      STATE(FieldNumber, viewport.y0, 0),
                                      STATE(FieldNumber, viewport.x1, 0),
                                      STATE(FieldNumber, viewport.y1, 0),
                                      STATE(FieldFloat, projection[0], 0),
                                      STATE(FieldFloat, projection[15], 0),
                                      STATE(FieldNumber, color, 0),
                                      STAGE(0),
                                      STAGE(1)};

#define COMMAND(kind, name, most) \
  { offsetof(frame_cmd_t, name), kind, most }
static const field_t CommandFields[] = {COMMAND(FieldByte, kind, 1),
                                        COMMAND(FieldByte, clear_color, 1),
                                        COMMAND(FieldByte, clear_depth, 1),
                                        COMMAND(FieldByte, clear_stencil, 1),
                                        COMMAND(FieldByte, clear_stencil_value, 255),
                                        COMMAND(FieldNumber, triangles_in, 0),
                                        COMMAND(FieldNumber, indices, 0),
                                        COMMAND(FieldNumber, vertices_in, 0),
                                        COMMAND(FieldNumber, vertex_length, 0),
                                        COMMAND(FieldNumber, fragment_length, 0),
                                        COMMAND(FieldNumber, first_triangle, 0),
                                        COMMAND(FieldNumber, triangle_count, 0),
                                        COMMAND(FieldNumber, clear_rgba, 0),
                                        COMMAND(FieldDepth, clear_z, 0)};

#define VERTEX(kind, name) \
  { offsetof(frame_vertex_t, name), kind, 0 }
static const field_t VertexFields[] = {
    VERTEX(FieldPlace, x),        VERTEX(FieldPlace, y),        VERTEX(FieldDepth, z),
    VERTEX(FieldFloat, inv_w),    VERTEX(FieldNumber, rgba),    VERTEX(FieldFloat, uv[0][0]),
    VERTEX(FieldFloat, uv[0][1]), VERTEX(FieldFloat, uv[1][0]), VERTEX(FieldFloat, uv[1][1])};
#undef STATE
#undef STENCIL
#undef STAGE
#undef COMMAND
#undef VERTEX

static inline float mutate_float(rng_t *rng, float old) {
  static const float odd[] = {0.0f,     -0.0f,      1.0f,      -1.0f, FLT_MIN,  FLT_MAX,
                              -FLT_MAX, 1e-45f,     1e-20f,    1e20f, INFINITY, NAN,
                              0.5f,     4194304.0f, -16384.0f, 1e10f};
  switch (rng_below(rng, 3)) {
    case 0: return odd[rng_below(rng, sizeof odd / sizeof *odd)];
    case 1: return old * (rng_chance(rng, 500) ? 1.5f : -0.25f);
    default: return old + (float)(int32_t)rng_below(rng, 2001) / 1000.0f - 1.0f;
  }
}

static inline int32_t mutate_place(rng_t *rng, int32_t old) {
  switch (rng_below(rng, 4)) {
    case 0: return (int32_t)mutate_number(rng);
    case 1: return (rng_chance(rng, 500) ? 1 : -1) * (FrameGuardBand * FrameSubpixel - 1);
    case 2: return old & ~(FrameSubpixel / 2 - 1);
    default: return old + (int32_t)rng_below(rng, 60 * FrameSubpixel) - 30 * FrameSubpixel;
  }
}

static inline void mutate_field(rng_t *rng, const field_t *f, void *base) {
  uint8_t *at = (uint8_t *)base + f->offset;
  uint32_t number = mutate_number(rng);
  uint16_t half = (uint16_t)(rng_chance(rng, 900) ? rng_below(rng, f->most + 1) : number);
  float value;
  int32_t place;
  switch (f->kind) {
    case FieldByte:
      *at = (uint8_t)(rng_chance(rng, 950) ? rng_below(rng, f->most + 1) : number);
      return;
    case FieldShort:
      half = rng_chance(rng, 200) ? (uint16_t)FrameNone : half;
      memcpy(at, &half, sizeof half);
      return;
    case FieldFloat:
      memcpy(&value, at, sizeof value);
      value = mutate_float(rng, value);
      memcpy(at, &value, sizeof value);
      return;
    case FieldPlace:
      memcpy(&place, at, sizeof place);
      place = mutate_place(rng, place);
      memcpy(at, &place, sizeof place);
      return;
    case FieldDepth: number = rng_chance(rng, 900) ? number & FrameMaxDepth : number; break;
    default: break;
  }
  memcpy(at, &number, sizeof number);
}

// ---- A frame

static inline int32_t mutate_least(int32_t a, uint32_t b) {
  return a < (int32_t)b ? a : (int32_t)b;
}

// Scissors inside what their surfaces have become.
static inline void mutate_fit(frame_t *f) {
  for (uint32_t i = 0; i < f->command_count; i++) {
    frame_state_t *s = &f->commands[i].state;
    frame_rect_t *r = &s->scissor;
    for (uint32_t k = 0; k < 2; k++) {
      uint16_t n = k ? s->depth_buffer : s->color_target;
      if (n < (k ? f->depth_count : f->target_count)) {
        const frame_surface_t *size = k ? &f->depths[n] : &f->targets[n];
        r->x1 = mutate_least(r->x1, size->width);
        r->y1 = mutate_least(r->y1, size->height);
        r->x0 = r->x0 < r->x1 ? r->x0 : r->x1;
        r->y0 = r->y0 < r->y1 ? r->y0 : r->y1;
      }
    }
  }
}

static inline void mutate_sizes(rng_t *rng, frame_t *f) {
  uint32_t n = rng_below(rng, f->target_count + f->depth_count);
  frame_surface_t *s = n < f->target_count ? &f->targets[n] : &f->depths[n - f->target_count];
  uint32_t *side = rng_chance(rng, 500) ? &s->width : &s->height;
  *side = rng_chance(rng, 900) ? 1 + rng_below(rng, 400) : mutate_number(rng);
  if (n == 0 && rng_chance(rng, 900)) {
    f->width = s->width;
    f->height = s->height;
  }
  if (*side > 0 && *side < 10000 && rng_chance(rng, 900)) {
    mutate_fit(f);
  }
}

static inline void mutate_scissor(rng_t *rng, frame_t *f, frame_state_t *s) {
  s->scissor.x0 = (int32_t)rng_below(rng, 100);
  s->scissor.y0 = (int32_t)rng_below(rng, 100);
  s->scissor.x1 = s->scissor.x0 + (int32_t)rng_below(rng, 100);
  s->scissor.y1 = s->scissor.y0 + (int32_t)rng_below(rng, 100);
  if (rng_chance(rng, 900)) {
    mutate_fit(f);
  }
}

#define MUTATE_ANY(array) array[rng_below(rng, sizeof array / sizeof *array)]

// One change of what the frame says.
static inline void mutate_frame(rng_t *rng, frame_t *f) {
  if (f->command_count == 0 || f->vertex_count == 0 || f->triangle_count == 0) {
    return;
  }
  frame_cmd_t *c = &f->commands[rng_below(rng, f->command_count)];
  frame_cmd_t *other = &f->commands[rng_below(rng, f->command_count)];
  frame_triangle_t *t = &f->triangles[rng_below(rng, f->triangle_count)];
  switch (rng_below(rng, 12)) {
    case 0:
    case 1:
    case 2:
      mutate_field(rng, &MUTATE_ANY(StateFields), &c->state);
      // Surfaces of another size, which the scissor may not fit.
      if (rng_chance(rng, 900)) {
        mutate_fit(f);
      }
      return;
    case 3: mutate_field(rng, &MUTATE_ANY(CommandFields), c); return;
    case 4:
    case 5:
      mutate_field(rng, &MUTATE_ANY(VertexFields), &f->vertices[rng_below(rng, f->vertex_count)]);
      return;
    case 6:
      if (rng_chance(rng, 200)) {
        t->ordinal = rng_chance(rng, 500) ? mutate_number(rng) : t->ordinal + 1;
      } else {
        t->v[rng_below(rng, 3)] =
            rng_chance(rng, 950) ? rng_below(rng, f->vertex_count) : mutate_number(rng);
      }
      return;
    case 7:
    case 8: mutate_sizes(rng, f); return;
    case 9: mutate_scissor(rng, f, &c->state); return;
    case 10: c->state = other->state; return;
    default:
      if (f->texture_count) {
        frame_texture_t *x = &f->textures[rng_below(rng, f->texture_count)];
        x->level[rng_below(rng, x->levels)][0] ^= mutate_number(rng);
      }
  }
}

// Programs and draws that name them, most of them sound.
static inline void mutate_add_programs(rng_t *rng, frame_t *f) {
  const uint32_t count = 1 + rng_below(rng, 4);
  f->programs = calloc(count, sizeof *f->programs);
  f->program_count = f->programs ? count : 0;
  for (uint32_t i = 0; i < f->program_count; i++) {
    program_t *p = &f->programs[i];
    program_derive(p, rng_below(rng, 60), rng_below(rng, 3), rng_chance(rng, 300));
    for (uint32_t k = rng_chance(rng, 200) ? 1 + rng_below(rng, 3) : 0; k > 0; k--) {
      program_op_t *op = &p->op[rng_below(rng, p->count)];
      const uint32_t most = rng_chance(rng, 800) ? 4 : 256;
      *op = (program_op_t){.kind = (uint8_t)rng_below(rng, most + 2),
                           .stage = rng_chance(rng, 50),
                           .predicate = (uint8_t)rng_below(rng, most),
                           .count = rng_below(rng, 9),
                           .side = (uint16_t)rng_below(rng, most),
                           .permille = 500};
    }
    program_check(p, NULL);
  }
  for (uint32_t i = 0; f->programs && i < f->command_count; i++) {
    frame_cmd_t *c = &f->commands[i];
    const bool named = c->kind == FrameCmdDraw && rng_chance(rng, 700);
    c->program = named ? (uint16_t)(1 + rng_below(rng, count)) : 0;
  }
}

// ---- A file of it

// Other damage: the bytes of a section before packing, or a number of its header or the
// file's. section: FramePartInfo .. FramePartTexture, MutatePrograms, -1: nothing.
enum { MutatePrograms = FramePartTexture + 1 };

typedef struct {
  int section;
  bool header;
} mutate_damage_t;

static inline uint32_t mutate_crc(const uint8_t *data, size_t size) {
  return (uint32_t)crc32(crc32(0, NULL, 0), data, (uInt)size);
}

static inline size_t mutate_compress(uint8_t *to, size_t room, const frame_bytes_t *before,
                                     const frame_bytes_t *raw) {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
  if (before) {
    ZSTD_CCtx_refPrefix(context, before->data, before->size);
  }
  size_t size = ZSTD_compress2(context, to, room, raw->data, raw->size);
  ZSTD_freeCCtx(context);
  return size;
}

// Appends a section, damaged if it is hit; raw is then what stands in it. before: what it is packed
// with, or NULL. False: no room.
static inline bool mutate_put(rng_t *rng, const char *name, frame_bytes_t *raw,
                              const frame_bytes_t *before, bool hit, const mutate_damage_t *d,
                              mutate_t *file) {
  mutate_t m = {.size = raw->size, .room = raw->size + 4096};
  m.data = realloc(raw->data, m.room);
  if (!m.data) {
    return false;
  }
  for (uint32_t k = hit && !d->header ? 1 + rng_below(rng, 2) : 0; k > 0; k--) {
    mutate_bytes(rng, &m);
  }
  *raw = (frame_bytes_t){m.data, m.size};
  uint8_t *head = file->data + file->size;
  size_t room = file->room - file->size;
  if (room <= FrameSectionBytes + ZSTD_compressBound(m.size)) {
    return false;
  }
  size_t packed = mutate_compress(head + FrameSectionBytes, room - FrameSectionBytes, before, raw);
  memcpy(head, name, 4);
  frame_put32(head + 4, (uint32_t)m.size);
  frame_put32(head + 8, (uint32_t)packed);
  frame_put32(head + 12, mutate_crc(head + FrameSectionBytes, packed));
  if (hit && d->header) {
    frame_put32(head + 4 * rng_below(rng, 4), mutate_number(rng));
  }
  frame_put32(head + 16, mutate_crc(head, 16));
  file->size += FrameSectionBytes + packed;
  return true;
}

static inline void mutate_head(rng_t *rng, uint32_t version, uint32_t sections,
                               const mutate_damage_t *d, mutate_t *file) {
  static const uint8_t magic[8] = {0x89, 'N', 'F', 'R', '\r', '\n', 0x1a, '\n'};
  memset(file->data, 0, FrameHeaderBytes);
  memcpy(file->data, magic, sizeof magic);
  frame_put32(file->data + 8, version);
  frame_put32(file->data + 12, sections);
  frame_put32(file->data + 16, (uint32_t)file->size);
  if (d->header && d->section < 0) {
    frame_put32(file->data + 4 * rng_below(rng, 7), mutate_number(rng));
  }
  frame_put32(file->data + 28, mutate_crc(file->data, 28));
}

static inline bool mutate_pack(rng_t *rng, const frame_t *f, const mutate_damage_t *d,
                               mutate_t *file) {
  frame_codec_t codec = {0};
  bool good = frame_codec_begin(&codec, f);
  file->size = FrameHeaderBytes;
  for (uint32_t i = 0; good && i < FramePartTexture + f->texture_count; i++) {
    bool texture = i >= FramePartTexture;
    frame_part_e part = texture ? FramePartTexture : (frame_part_e)i;
    bool hit = d->section == (int)part && (!texture || rng_chance(rng, 500));
    frame_bytes_t raw = {0};
    good = frame_codec_encode(&codec, part, texture ? i - FramePartTexture : 0, &raw) &&
           mutate_put(rng, frame_part_name[part], &raw, NULL, hit, d, file);
    free(raw.data);
  }
  frame_codec_free(&codec);
  mutate_head(rng, FrameVersion, FramePartTexture + f->texture_count, d, file);
  return good;
}

// ---- A file of several

static inline bool mutate_put_words(rng_t *rng, const frame_sequence_t *s, const mutate_damage_t *d,
                                    mutate_t *file) {
  const uint32_t words[4] = {s->count, s->texture_count, s->program_count, 3};
  frame_bytes_t raw = {malloc(19), 19};
  for (size_t i = 0; raw.data && i < 4; i++) {
    frame_put32(raw.data + 4 * i, words[i]);
  }
  bool hit = d->section == FramePartInfo && rng_chance(rng, 500);
  bool good = raw.data && memcpy(raw.data + 16, "abc", 3) &&
              mutate_put(rng, "INFO", &raw, NULL, hit, d, file);
  free(raw.data);
  return good;
}

// INFO of a frame, and the list of its textures.
static inline bool mutate_add_list(const frame_t *f, frame_bytes_t *raw) {
  uint8_t *grown = realloc(raw->data, raw->size + 4 * (size_t)f->texture_count);
  raw->data = grown ? grown : raw->data;
  for (uint32_t i = 0; grown && i < f->texture_count; i++, raw->size += 4) {
    frame_put32(grown + raw->size, f->shared[i]);
  }
  return grown;
}

static inline bool mutate_put_frame(rng_t *rng, const frame_sequence_t *s, uint32_t n,
                                    frame_bytes_t last[FramePartTexture], const mutate_damage_t *d,
                                    mutate_t *file) {
  frame_codec_t codec = {.programs = s->program_count > 0};
  bool good = frame_codec_begin(&codec, s->frames[n]);
  for (uint32_t i = 0; good && i < FramePartTexture; i++) {
    frame_bytes_t raw = {0};
    bool hit = d->section == (int)i && rng_chance(rng, 500);
    good =
        frame_codec_encode(&codec, (frame_part_e)i, 0, &raw) &&
        (i > 0 || mutate_add_list(s->frames[n], &raw)) &&
        mutate_put(rng, i ? frame_part_name[i] : "FRAM", &raw, n ? &last[i] : NULL, hit, d, file);
    free(last[i].data);
    last[i] = raw;
  }
  frame_codec_free(&codec);
  return good;
}

static inline bool mutate_pack_sequence(rng_t *rng, const frame_sequence_t *s,
                                        const mutate_damage_t *d, mutate_t *file) {
  frame_bytes_t last[FramePartTexture] = {{0}};
  file->size = FrameHeaderBytes;
  bool good = mutate_put_words(rng, s, d, file);
  for (uint32_t i = 0; good && i < s->texture_count; i++) {
    frame_t all = {.textures = s->textures, .texture_count = s->texture_count};
    frame_codec_t codec = {.frame = &all};
    frame_bytes_t raw = {0};
    bool hit = d->section == FramePartTexture && rng_chance(rng, 500);
    good = frame_codec_encode(&codec, FramePartTexture, i, &raw) &&
           mutate_put(rng, frame_part_name[FramePartTexture], &raw, NULL, hit, d, file);
    free(raw.data);
  }
  if (good && s->program_count > 0) {
    frame_bytes_t raw = {0};
    good = frame_programs_encode(s->programs, s->program_count, &raw) &&
           mutate_put(rng, "PROG", &raw, NULL, d->section == MutatePrograms, d, file);
    free(raw.data);
  }
  for (uint32_t n = 0; good && n < s->count; n++) {
    good = mutate_put_frame(rng, s, n, last, d, file);
  }
  for (uint32_t i = 0; i < FramePartTexture; i++) {
    free(last[i].data);
  }
  const uint32_t sections =
      1 + s->texture_count + (s->program_count > 0) + s->count * FramePartTexture;
  mutate_head(rng, FrameVersionSequence, sections, d, file);
  return good;
}

#endif
