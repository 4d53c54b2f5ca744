// SPDX-License-Identifier: Apache-2.0
// The programs of a sequence, between memory and the bytes of section PROG. Internal to csim/frame:
// everyone else uses frame.h. docs/reference/frame-format.md describes every byte.
#ifndef NOCTURNE_FRAME_FRAME_PROGRAM_CODEC_H
#define NOCTURNE_FRAME_FRAME_PROGRAM_CODEC_H

#include "frame_bytes.h"
#include "frame_check.h"

// False when memory is short. The caller frees raw->data.
bool frame_programs_encode(const program_t *programs, uint32_t count, frame_bytes_t *raw);

// Makes an array of `count` checked programs, which the caller frees. False with a message.
bool frame_programs_decode(program_t **programs, uint32_t count, const frame_bytes_t *raw,
                           err_t *err);

#endif
