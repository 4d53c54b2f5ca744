// SPDX-License-Identifier: Apache-2.0
// Raster: walks triangles and hands on their blocks. Clears and holds wait here until all before
// them has left the ROP. With gpu.front cluster each cluster walks its own triangles and blocks.
#ifndef NOCTURNE_GPU_GPU_RASTER_H
#define NOCTURNE_GPU_GPU_RASTER_H

#include "gpu_depth.h"
#include "gpu_masks.h"
#include "gpu_rop.h"

typedef struct gpu_raster gpu_raster_t;

// The stages of a front behind its raster.
typedef struct {
  gpu_depth_t *depth;
  gpu_shading_t *shading;
  gpu_rop_t *rop;
} gpu_front_t;

// fronts: as many as the site has; borrowed. units: with more than one. NULL: out of memory, or
// with one line in error.
gpu_raster_t *gpu_raster_create(gpu_part_t *part, gpu_site_t *site, const gpu_front_t *fronts,
                                gpu_touches_t *touches, const gpu_units_t *units, err_t *err);

// Tells if the queue takes no further step of geometry; has room for one more triangle that
// clipping made.
bool gpu_raster_full(const gpu_raster_t *raster);
bool gpu_raster_room(const gpu_raster_t *raster);

// Appends an entry to the queue; lowers *next to the cycle at which it is there, if nothing is
// before it.
void gpu_raster_push(gpu_raster_t *raster, const gpu_entry_t *entry, uint64_t *next);

// Says that geometry has ended the draws before this sequence number.
void gpu_raster_ended(gpu_raster_t *raster, uint64_t now, uint64_t *next, uint32_t sequence);

// Returns the first entry that the raster is not done with, or NULL.
const gpu_entry_t *gpu_raster_first(const gpu_raster_t *raster);

// Returns the oldest draw with something between geometry and the end of the ROP, or NULL.
const gpu_draw_t *gpu_raster_oldest(const gpu_raster_t *raster);

// Tells if a triangle is being walked, or a clear; *until becomes the end of that, if it is known.
bool gpu_raster_walks(const gpu_raster_t *raster, uint64_t now, uint64_t *until);

// Returns the hold that has been reached, or NULL.
const gpu_draw_t *gpu_raster_held(const gpu_raster_t *raster);

// Ends the hold at cycle `now`; what comes behind it may start at cycle `until`.
void gpu_raster_release(gpu_raster_t *raster, uint64_t now, uint64_t until);

#endif
