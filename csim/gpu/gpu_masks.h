// SPDX-License-Identifier: Apache-2.0
// The triangles of each cluster's front (gpu.front cluster): entries go in by number, in order,
// through the primitive distributor (docs/units/primitive_distributor.md), whose masks say which of
// them each front sets up and rasters.
#ifndef NOCTURNE_GPU_GPU_MASKS_H
#define NOCTURNE_GPU_GPU_MASKS_H

#include "gpu_part.h"

// An entry of the queue between geometry and raster.
typedef struct {
  uint64_t ready;  // cycle
  const gpu_draw_t *draw;
  uint32_t triangle;  // index into frame_t.triangles, or UINT32_MAX: a clear or hold
} gpu_entry_t;

// Entry that waits before the distributor.
typedef struct {
  const gpu_entry_t *entry;  // NULL: nothing
  const raster_t *box;       // of a triangle that is there and has a pixel
  bool room;                 // a number is free
} gpu_offer_t;

typedef struct gpu_masks gpu_masks_t;

// NULL: out of memory, or with one line in error.
gpu_masks_t *gpu_masks_create(gpu_site_t *site, const gpu_units_t *units, err_t *err);
void gpu_masks_destroy(gpu_masks_t *masks);

// Steps the distributor, once a cycle, if it does something. Returns true if it took the entry.
bool gpu_masks_step(gpu_masks_t *masks, uint64_t now, uint64_t *next, const gpu_offer_t *offer);

// Says that geometry has ended the draws before this sequence number.
void gpu_masks_ended(gpu_masks_t *masks, uint32_t sequence);

// Returns how many entries went in, and the number of the oldest one that some front still has
// before it: the former if none has.
uint32_t gpu_masks_numbers(const gpu_masks_t *masks);
uint32_t gpu_masks_passed(const gpu_masks_t *masks);
const gpu_entry_t *gpu_masks_entry(const gpu_masks_t *masks, uint32_t number);

// Returns the clear or hold that all fronts have reached, or NULL; lets them pass it.
const gpu_entry_t *gpu_masks_stop(const gpu_masks_t *masks);
void gpu_masks_pass(gpu_masks_t *masks);

// A front takes the next triangle of its masks into setup, one a cycle. False: it did not.
bool gpu_masks_take(gpu_masks_t *masks, uint32_t front, uint64_t now, uint64_t *next);

// Tells if a triangle has been set up, and its number; takes it into the raster; ends it.
bool gpu_masks_ready(const gpu_masks_t *masks, uint32_t front, uint64_t now, uint64_t *next,
                     uint32_t *number);
void gpu_masks_begin(gpu_masks_t *masks, uint32_t front);
void gpu_masks_end(gpu_masks_t *masks, uint32_t front);

// Tells if something will happen at a cycle that is known.
bool gpu_masks_busy(const gpu_masks_t *masks, uint64_t now);
void gpu_masks_describe(const gpu_masks_t *masks, text_t *text);

#endif
