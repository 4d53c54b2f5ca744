// SPDX-License-Identifier: Apache-2.0
// One texture as bytes: a predictor a row, colour planes apart. Internal to
// csim/frame; docs/reference/frame-format.md describes every byte.
#ifndef NOCTURNE_FRAME_FRAME_TEXTURE_CODEC_H
#define NOCTURNE_FRAME_FRAME_TEXTURE_CODEC_H

#include "frame_bytes.h"
#include "frame_check.h"

bool frame_texture_encode(const frame_texture_t *texture, frame_bytes_t *raw);

// Fills a zeroed texture. False with a message; the caller frees the levels.
bool frame_texture_decode(frame_texture_t *texture, const frame_bytes_t *raw, err_t *err);

#endif
