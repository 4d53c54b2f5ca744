// The sections of a frame file, between memory and bytes. Internal to csim/frame:
// everyone else uses frame.h. docs/frame-format.md describes every byte.
#ifndef NOCTURNE_FRAME_FRAME_CODEC_H
#define NOCTURNE_FRAME_FRAME_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

enum {
  FrameVersion = 1,
  FrameHeaderBytes = 32,
  FrameSectionBytes = 20,
  FrameMessageSize = 160,        // of a message without the place
  FrameMaxRaw = 512 << 20,       // bytes of one section, unpacked
  FrameMaxName = 1024,
  FrameMaxCommands = 1 << 20,
  FrameMaxVertices = 1 << 23,
  FrameMaxTriangles = 1 << 23,
};

// The order of the sections in a file; FramePartTexture occurs once a texture.
typedef enum {
  FramePartInfo, FramePartSurfaces, FramePartStates, FramePartCommands,
  FramePartVertices, FramePartTriangles, FramePartTexture,
} frame_part_e;

// Four letters, as they stand in the file.
extern const char frame_part_name[FramePartTexture + 1][5];

typedef struct {
  uint8_t *data;
  size_t size;
} frame_bytes_t;

// What stands between commands and their states while sections pass by.
// Zero it before use; frame_codec_free releases the states, not the frame.
typedef struct {
  frame_t *frame;
  uint32_t state_count;
  frame_state_t *states;    // decoding: the deduplicated states
  uint32_t *state_of;       // encoding: for each command its state
  uint64_t texels;          // decoding: of the textures so far
} frame_codec_t;

// Encoding: finds the distinct states. False when memory is short.
bool frame_codec_begin(frame_codec_t *codec, const frame_t *frame);

// Encodes one section. False when memory is short. The caller frees raw->data.
bool frame_codec_encode(const frame_codec_t *codec, frame_part_e part, uint32_t index,
                        frame_bytes_t *raw);

// Decodes one section into codec->frame, checking sizes, then all that refers to
// what has been decoded before. False with a message; *part is then the section
// at fault, which may be an earlier one (a state used wrongly by a command).
bool frame_codec_decode(frame_codec_t *codec, frame_part_e *part, uint32_t index,
                        const frame_bytes_t *raw, char message[FrameMessageSize]);

void frame_codec_free(frame_codec_t *codec);

// The checks behind frame_check, one section at a time.
bool frame_check_part(const frame_t *frame, frame_part_e *part, uint32_t index,
                      char message[FrameMessageSize]);

// Adds a texture's texels on level 0 to those before it; false if they are too many.
bool frame_check_texels(const frame_texture_t *texture, uint64_t *texels,
                        char message[FrameMessageSize]);

// Bytes and little-endian numbers.
static inline void frame_put32(uint8_t *to, uint32_t value) {
  for (int i = 0; i < 4; i++) {
    to[i] = (uint8_t)(value >> 8 * i);
  }
}

static inline uint32_t frame_get32(const uint8_t *from) {
  return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
         (uint32_t)from[3] << 24;
}

#endif
