// SPDX-License-Identifier: Apache-2.0
// Consecutive frames of one program. Each is a whole frame; textures and programs that several have
// are held and stored once.
//
// Ownership: the sequence owns its frames, all levels of their textures and all programs, so a
// frame does not outlive it. frame_sequence_free releases all.
#ifndef NOCTURNE_FRAME_FRAME_SEQUENCE_H
#define NOCTURNE_FRAME_FRAME_SEQUENCE_H

#include "frame.h"

enum { FrameMaxFrames = 256 };

typedef struct {
  char *name;  // where it comes from
  uint32_t texture_count;
  frame_texture_t *textures;  // of all frames
  uint32_t program_count;
  program_t *programs;  // of all frames; each frame points to them
  uint32_t count;
  frame_t **frames;  // frame_t.shared says which of these textures are its own
} frame_sequence_t;

// Without a frame. NULL: out of memory.
frame_sequence_t *frame_sequence_create(const char *name);

// Takes the frame over, on failure too, and makes its textures and programs common with
// those before. False with
// one line in error.
bool frame_sequence_add(frame_sequence_t *sequence, frame_t *frame, err_t *err);

// Reads a file of any version; one frame is a sequence, too. NULL and what has been checked: as
// with frame_read.
frame_sequence_t *frame_sequence_read(const char *path, err_t *err);

// Atomic, as frame_write. A sequence has at least one frame, and altogether what one frame may have
// at most (docs/reference/frame-format.md).
bool frame_sequence_write(const frame_sequence_t *sequence, const char *path, err_t *err);

// The only frame of a sequence, which then owns all of it; the sequence is gone, on failure too.
// NULL: out of memory.
frame_t *frame_sequence_alone(frame_sequence_t *sequence);

void frame_sequence_free(frame_sequence_t *sequence);

#endif
