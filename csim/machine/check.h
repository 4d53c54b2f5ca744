// SPDX-License-Identifier: Apache-2.0
// Is the picture right? The reference is the single GPU's rendering of the same frame,
// made by the same functional code without time (docs/model/correctness.md has the bounds and
// their argument).
#ifndef NOCTURNE_MACHINE_CHECK_H
#define NOCTURNE_MACHINE_CHECK_H

#include "../gpu/shade.h"
#include "machine.h"

typedef struct check check_t;

typedef struct {
  uint32_t width, height;
  uint32_t *picture;    // RGBA8, row-major: what the machine shows
  uint32_t *reference;  // the single GPU's
  uint8_t *left_out;    // 1: a tied or failed pixel
  uint64_t tie_pixels;
  uint64_t failed_pixels;      // with a fragment whose texels could not be read
  uint64_t violations;         // pixels of the picture beyond their bound
  uint64_t target_violations;  // the same over all other targets, and over the depth buffers
  // Pixels of one fragment in a composed transparent group, of all targets, and of them those that
  // differ from the single GPU's by what is within the bound: few, where all is rounded to the
  // nearest.
  uint64_t layered_pixels, rounded_pixels;
  uint32_t max_abs_error;  // of colour, over the pixels not left out
  // The first violation.
  uint32_t x, y, bound;
  bool bounded;  // false: filtered texels were reused, so that pixels have no bound
  // The single GPU's picture with anisotropic filtering last, children at fractional
  // distances (the baseline design) and at whole texels. NULL with the texture rate.
  uint32_t *fractional, *whole;
  bool hashed;          // by check_start
  uint64_t frame_hash;  // frame_hash of the frame
} check_result_t;

// The picture that a single GPU makes, without time, row-major, to be freed. NULL: out of memory.
uint32_t *check_picture(const frame_t *frame, shade_sampling_t sampling);

// plan: the machine's; it says which draws are composed. sampling: the machine's; reuse: filtered
// texels may come from another pixel. NULL: out of memory.
check_t *check_create(const frame_t *frame, const plan_t *plan, uint32_t gpus,
                      shade_sampling_t sampling, bool reuse);

// Begins to render the reference on a thread of its own, beside the machine; hash: and the frame's
// hash. Without this call, or where no thread can be had, check_finish renders it. The frame must
// not change until check_finish or check_destroy.
void check_start(check_t *check, bool hash);

// Compares. The result's arrays belong to the check. False: out of memory.
bool check_finish(check_t *check, machine_t *machine, check_result_t *result);
void check_destroy(check_t *check);

#endif
