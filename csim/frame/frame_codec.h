// SPDX-License-Identifier: Apache-2.0
// The sections of a frame file, between memory and bytes. Internal to csim/frame:
// everyone else uses frame.h. docs/reference/frame-format.md describes every byte.
#ifndef NOCTURNE_FRAME_FRAME_CODEC_H
#define NOCTURNE_FRAME_FRAME_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame_bytes.h"
#include "frame_check.h"

enum {
  FrameInfoBytes = 40,  // of INFO, before the name
  FrameMaxName = 1024,
};

// The link between commands and their states while sections pass by.
// Zero it before use; frame_codec_free releases the states, not the frame.
typedef struct {
  frame_t *frame;
  uint32_t state_count;
  frame_state_t *states;  // decoding: the deduplicated states
  uint32_t *state_of;     // encoding: for each command its state
  uint64_t texels;        // decoding: of the textures so far
  bool programs;          // commands name programs
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
                        const frame_bytes_t *raw, err_t *err);

void frame_codec_free(frame_codec_t *codec);

#endif
