// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the pixel-distribution unit, written from
// docs/units/pixel_distributor.md.
#ifndef NOCTURNE_GOLDEN_PIXEL_DISTRIBUTOR_H
#define NOCTURNE_GOLDEN_PIXEL_DISTRIBUTOR_H

#include "unit/pixel_distributor/pixel_distributor.h"

// False: out of memory or parameters out of range.
bool pixel_distributor_golden_create(const pixel_distributor_params_t *params,
                                     pixel_distributor_t *engine);
void pixel_distributor_golden_destroy(pixel_distributor_t *engine);

// The merge of one pixel (section 8 of the contract), for what needs the arithmetic alone.
typedef struct {
  bool front, transparent, depth_write, tag_enable, test_base;
  uint8_t op, depth_func, color_mask;
} pixel_merge_t;

// Returns whether the pixel is written; *tie whether the depths tied.
bool pixel_merge(const pixel_merge_t *m, uint64_t in, uint64_t local, bool written,
                 uint64_t *result, bool *tie);

// The rule that a begin's fields say.
pixel_merge_t pixel_merge_rule(const pixel_distributor_in_t *begin);

// The same for each bit p of sent: in[p] with local[p], written if bit p of written. Returns those
// to be written, and their values in result.
uint32_t pixel_merge_all(const pixel_distributor_in_t *begin, uint32_t sent, const uint64_t *in,
                         const uint64_t *local, uint32_t written, uint64_t *result);

#endif
