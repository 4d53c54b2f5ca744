// SPDX-License-Identifier: Apache-2.0
// The skeletons of a frame's fragment programs, as warps run them.
#ifndef NOCTURNE_GPU_GPU_PROGRAMS_H
#define NOCTURNE_GPU_GPU_PROGRAMS_H

#include "../frame/frame.h"

// Makes each distinct program once, and says of each command which it is; both are the caller's to
// free, on failure too. False: out of memory.
bool gpu_programs_make(const frame_t *frame, program_t **programs, uint32_t **program_of);

#endif
