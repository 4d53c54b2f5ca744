// SPDX-License-Identifier: Apache-2.0
// The part of a run's JSON that tells of warps (gpu.shader warp); docs/results.md has the keys.
#ifndef NOCTURNE_RESULT_SHADER_RESULT_H
#define NOCTURNE_RESULT_SHADER_RESULT_H

#include <jansson.h>

#include "csim/machine/machine.h"

// Sums over the GPUs. NULL: shading is a rate.
json_t *shader_result(const machine_t *machine);

// Of gpu.dispatch g80, sums over the GPUs. NULL: another one.
json_t *dispatch_result(const machine_t *machine);

#endif
