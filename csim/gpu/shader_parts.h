// SPDX-License-Identifier: Apache-2.0
// Activity of the SMs over the time of a frame: sums for each of at most 64 parts of equal length.
// The length, a power of two of cycles, doubles when the frame outlasts the parts, so that nobody
// needs to know before how long it takes.
#ifndef NOCTURNE_GPU_SHADER_PARTS_H
#define NOCTURNE_GPU_SHADER_PARTS_H

#include <stdint.h>

enum { ShaderParts = 64 };

typedef enum {
  ShaderPartResident,  // cycles of warps in SMs
  ShaderPartIssuing,   // cycles of schedulers, from here on
  ShaderPartScoreboard,
  ShaderPartTexture,
  ShaderPartUnit,
  ShaderPartSeries,
} shader_part_e;

typedef struct {
  uint32_t shift;  // a part is 1 << shift cycles
  uint64_t sum[ShaderPartSeries][ShaderParts];
} shader_parts_t;

// Adds so much for each cycle from `from` to before `to`.
void shader_parts_add(shader_parts_t *parts, shader_part_e series, uint64_t from, uint64_t to,
                      uint64_t each);

// Adds the parts of another GPU over the same time; the longer length is that of both.
void shader_parts_merge(shader_parts_t *parts, const shader_parts_t *other);

#endif
