// SPDX-License-Identifier: Apache-2.0
// Frames, of one or several, with right checksums. What the fuzzer changes is a list of unpacked
// sections, from which each run makes a file:
//
//   byte 0      version of the file
//   byte 1      sections that the header states besides those that follow (signed)
//   then, for each section: 4 bytes name, 4 bytes size, a byte of damage, its bytes
//
// A section that runs beyond the end is cut. Damage d: 0 none, else number d % 4 of the section's
// header is changed in bit d / 4 % 32. All checksums are right; sections of the later frames of a
// sequence are packed with those before, as the writer does.
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "csim/base/config.h"
#include "csim/driver/plan.h"
#include "csim/frame/frame_codec.h"
#include "csim/frame/frame_file.h"
#include "csim/frame/frame_program_codec.h"
#include "csim/frame/frame_sequence.h"
#include "csim/machine/machine.h"
#include "csim/machine/machine_config.h"
#include "fuzz.h"

enum {
  Room = 1 << 20,  // of a file and of the sections unpacked
  HeadBytes = 2,
  SectionBytes = 9,
  MostSections = 256,
  WorkLimit = 4,      // millions
  MemoryLimit = 100,  // MiB
};

typedef struct {
  const uint8_t *name, *raw;
  uint32_t size, damage;
} section_t;

static uint32_t crc_of(const uint8_t *data, size_t size) {
  return (uint32_t)crc32(crc32(0, NULL, 0), data, (uInt)size);
}

// The latest section of the same name before number n: what that is packed with. Textures stand
// alone.
static const section_t *prefix_of(const section_t *sections, uint32_t n) {
  const bool is_alone = memcmp(sections[n].name, "TEXR", 4) == 0;
  for (uint32_t i = n; !is_alone && i > 0; i--) {
    if (memcmp(sections[i - 1].name, sections[n].name, 4) == 0) {
      return &sections[i - 1];
    }
  }
  return NULL;
}

static uint32_t split(const uint8_t *data, size_t size, section_t sections[MostSections]) {
  uint32_t count = 0;
  for (size_t at = HeadBytes; at + SectionBytes <= size && count < MostSections;) {
    const size_t left = size - at - SectionBytes;
    const uint32_t wanted = frame_get32(data + at + 4);
    const uint32_t taken = wanted < left ? wanted : (uint32_t)left;
    sections[count++] = (section_t){data + at, data + at + SectionBytes, taken, data[at + 8]};
    at += SectionBytes + taken;
  }
  return count;
}

static size_t pack(uint8_t *to, size_t room, const section_t *prefix, const section_t *s) {
  static ZSTD_CCtx *context;
  if (!context) {
    context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
  }
  ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
  if (prefix) {
    ZSTD_CCtx_refPrefix(context, prefix->raw, prefix->size);
  }
  return ZSTD_compress2(context, to, room, s->raw, s->size);
}

// Returns the size of the file; 0: no room.
static size_t make_file(const uint8_t *data, const section_t *sections, uint32_t count,
                        uint8_t *file) {
  static const uint8_t Magic[8] = {0x89, 'N', 'F', 'R', '\r', '\n', 0x1a, '\n'};
  size_t size = FrameHeaderBytes;
  for (uint32_t i = 0; i < count; i++) {
    const section_t *s = &sections[i];
    uint8_t *head = file + size;
    if (size + FrameSectionBytes + ZSTD_compressBound(s->size) > Room) {
      return 0;
    }
    const section_t *prefix = data[0] == FrameVersionSequence ? prefix_of(sections, i) : NULL;
    size_t packed = pack(head + FrameSectionBytes, Room - size - FrameSectionBytes, prefix, s);
    memcpy(head, s->name, 4);
    frame_put32(head + 4, s->size);
    frame_put32(head + 8, (uint32_t)packed);
    frame_put32(head + 12, crc_of(head + FrameSectionBytes, packed));
    if (s->damage) {
      uint8_t *number = head + 4 * (s->damage % 4);
      frame_put32(number, frame_get32(number) ^ 1u << (s->damage / 4 % 32));
    }
    frame_put32(head + 16, crc_of(head, 16));
    size += FrameSectionBytes + packed;
  }
  memset(file, 0, FrameHeaderBytes);
  memcpy(file, Magic, sizeof Magic);
  frame_put32(file + 8, data[0]);
  frame_put32(file + 12, count + (uint32_t)(int8_t)data[1]);
  frame_put32(file + 16, (uint32_t)size);
  frame_put32(file + 28, crc_of(file, 28));
  return size;
}

static const machine_params_t *machine(void) {
  static machine_params_t params;
  err_auto_t err = {0};
  if (!params.gpus) {
    config_t *config = config_create();
    if (!config || !machine_config_add(config, &params, &err)) {
      fuzz_wrong("defaults of a machine: %s", config ? err_text(&err) : "out of memory");
    }
    config_destroy(config);
    params.frame_work = WorkLimit;
    params.frame_memory = MemoryLimit;
  }
  return &params;
}

static void run_frame(const uint8_t *data, size_t size) {
  static uint8_t file[Room];
  static section_t sections[MostSections];
  err_auto_t err = {0};
  size_t length =
      size < HeadBytes ? 0 : make_file(data, sections, split(data, size, sections), file);
  if (length == 0) {
    return;
  }
  frame_sequence_t *s = frame_sequence_read(fuzz_store("input.nframe", file, length), &err);
  if (!s) {
    fuzz_refused(err_text(&err));
    if (!strstr(err_text(&err), ": byte ") || !strstr(err_text(&err), "expected")) {
      fuzz_wrong("a refusal of another form: %s", err_text(&err));
    }
    return;
  }
  if (machine_check_frames(machine(), s->frames, s->count, &err)) {
    const plan_params_t params = {.gpus = 3,
                                  .compose = true,
                                  .threshold = size % 64,
                                  .depth_broadcast = size % 2,
                                  .order_tag = size % 3};
    plan_t *plan = plan_create(s->frames[size % s->count], &params);
    if (!plan) {
      fuzz_wrong("out of memory");
    }
    plan_destroy(plan);
  } else if (strncmp(err_text(&err), "frame.", 6) != 0) {
    fuzz_wrong("a refusal of another form: %s", err_text(&err));
  }
  frame_sequence_free(s);
}

// ---- Seeds ----

enum { SeedCommands = 6, SeedSide = 4 };  // kept of a frame; the most texels of a texture's side

// Drops what makes a frame large: commands, triangles and vertices after the first few, and all but
// a corner of each texture, whose texels then stand in other places.
static void trim(frame_t *f) {
  uint32_t most = 0;
  f->triangle_count = 0;
  f->command_count = f->command_count < SeedCommands ? f->command_count : SeedCommands;
  for (uint32_t i = 0; i < f->command_count; i++) {
    frame_cmd_t *c = &f->commands[i];
    c->triangle_count = c->triangle_count < 3 ? c->triangle_count : 3;
    memmove(&f->triangles[f->triangle_count], &f->triangles[c->first_triangle],
            c->triangle_count * sizeof *f->triangles);
    c->first_triangle = c->kind == FrameCmdDraw ? f->triangle_count : 0;
    f->triangle_count += c->triangle_count;
  }
  for (uint32_t i = 0; i < f->triangle_count; i++) {
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t *v = &f->triangles[i].v[k];
      *v = *v % 32;
      most = *v > most ? *v : most;
    }
  }
  f->vertex_count = most + 1 < f->vertex_count ? most + 1 : f->vertex_count;
  for (uint32_t i = 0; i < f->texture_count; i++) {
    frame_texture_t *x = &f->textures[i];
    x->width = x->width < SeedSide ? x->width : SeedSide;
    x->height = x->height < SeedSide ? x->height : SeedSide;
    while (x->levels > 1 && x->width >> (x->levels - 1) == 0 && x->height >> (x->levels - 1) == 0) {
      free(x->level[--x->levels]);
      x->level[x->levels] = NULL;
    }
  }
}

static size_t put_bytes(const char *name, const uint8_t *data, size_t size, uint8_t *to,
                        size_t room) {
  if (SectionBytes + size > room) {
    return 0;
  }
  memcpy(to, name, 4);
  frame_put32(to + 4, (uint32_t)size);
  to[8] = 0;
  memcpy(to + SectionBytes, data, size);
  return SectionBytes + size;
}

// A section of the frame's; of a sequence INFO is called FRAM and names the textures at its end.
static size_t put_section(frame_codec_t *codec, frame_part_e part, uint32_t index, uint8_t *to,
                          size_t room) {
  frame_bytes_t raw = {0};
  size_t size = 0;
  const bool listed = codec->programs && part == FramePartInfo;
  const uint32_t textures = listed ? codec->frame->texture_count : 0;
  if (frame_codec_encode(codec, part, index, &raw)) {
    uint8_t *grown = realloc(raw.data, raw.size + 4 * (size_t)textures + 1);
    raw.data = grown ? grown : raw.data;
    for (uint32_t i = 0; grown && i < textures; i++, raw.size += 4) {
      frame_put32(grown + raw.size, i);
    }
    size = put_bytes(listed ? "FRAM" : frame_part_name[part], raw.data, raw.size, to, room);
  }
  free(raw.data);
  return size;
}

// The head of a sequence of this one frame.
static size_t put_common(frame_codec_t *codec, uint8_t *to, size_t room) {
  const frame_t *f = codec->frame;
  frame_bytes_t raw = {0};
  uint8_t head[16];
  const uint32_t words[4] = {1, f->texture_count, f->program_count, 0};
  for (size_t i = 0; i < 4; i++) {
    frame_put32(head + 4 * i, words[i]);
  }
  size_t used = put_bytes("INFO", head, sizeof head, to, room), put = used;
  for (uint32_t i = 0; put && i < f->texture_count; i++, used += put) {
    put = put_section(codec, FramePartTexture, i, to + used, room - used);
  }
  if (put && frame_programs_encode(f->programs, f->program_count, &raw)) {
    put = put_bytes("PROG", raw.data, raw.size, to + used, room - used);
    used += put;
  }
  free(raw.data);
  return put ? used : 0;
}

// A file of one frame, cut down and unpacked.
static size_t convert_frame(const uint8_t *file, size_t size, uint8_t *to, size_t room) {
  err_auto_t err = {0};
  frame_t *f = frame_read(fuzz_store("input.nframe", file, size), &err);
  size_t used = HeadBytes;
  if (!f) {
    return 0;
  }
  trim(f);
  frame_codec_t codec = {.programs = f->program_count > 0};
  bool good = frame_codec_begin(&codec, f);
  to[0] = codec.programs ? FrameVersionSequence : FrameVersion;
  to[1] = 0;
  if (good && codec.programs) {
    const size_t put = put_common(&codec, to + used, room - used);
    good = put > 0;
    used += put;
  }
  const uint32_t textures = codec.programs ? 0 : f->texture_count;
  for (uint32_t i = 0; good && i < FramePartTexture + textures; i++) {
    bool is_texture = i >= FramePartTexture;
    size_t put = put_section(&codec, is_texture ? FramePartTexture : (frame_part_e)i,
                             is_texture ? i - FramePartTexture : 0, to + used, room - used);
    good = put > 0;
    used += put;
  }
  frame_codec_free(&codec);
  frame_free(f);
  return good ? used : 0;
}

const fuzz_target_t FuzzFrames[] = {
    {"frame", "frames, their checksums right", run_frame, false, convert_frame}, {0}};
