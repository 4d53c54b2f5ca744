// SPDX-License-Identifier: Apache-2.0
// The checks behind frame_check, one section at a time. Internal to csim/frame: everyone else uses
// frame.h.
#ifndef NOCTURNE_FRAME_FRAME_CHECK_H
#define NOCTURNE_FRAME_FRAME_CHECK_H

#include "frame.h"

enum {
  FrameMaxCommands = 1 << 20,
  FrameMaxVertices = 1 << 23,
  FrameMaxTriangles = 1 << 23,
};

// The order of the sections in a file; FramePartTexture occurs once a texture.
typedef enum {
  FramePartInfo,
  FramePartSurfaces,
  FramePartStates,
  FramePartCommands,
  FramePartVertices,
  FramePartTriangles,
  FramePartTexture,
} frame_part_e;

// Four letters, as they stand in the file.
extern const char frame_part_name[FramePartTexture + 1][5];

bool frame_check_part(const frame_t *frame, frame_part_e *part, uint32_t index, err_t *err);

// Adds a texture's texels on level 0 to those before it; false if they are too many.
bool frame_check_texels(const frame_texture_t *texture, uint64_t *texels, err_t *err);

// Returns true if a file may hold these programs: sound, without lists of pixels, of the stages
// that draws have. False with a message.
bool frame_programs_check(const program_t *programs, uint32_t count, err_t *err);

#endif
