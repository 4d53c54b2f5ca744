// SPDX-License-Identifier: Apache-2.0
// Raster: walks triangles and hands on their blocks. Clears and holds wait here until all before
// them has left the ROP.
#ifndef NOCTURNE_GPU_GPU_RASTER_H
#define NOCTURNE_GPU_GPU_RASTER_H

#include "gpu_depth.h"
#include "gpu_rop.h"

typedef struct gpu_raster gpu_raster_t;

// An entry of the queue between geometry and raster.
typedef struct {
  uint64_t ready;  // cycle
  const gpu_draw_t *draw;
  uint32_t triangle;  // index into frame_t.triangles, or UINT32_MAX: a clear or hold
} gpu_entry_t;

// NULL: out of memory.
gpu_raster_t *gpu_raster_create(gpu_part_t *part, gpu_site_t *site, gpu_depth_t *depth,
                                gpu_rop_t *rop);

// Tells if the queue takes no further step of geometry; has room for one more triangle that
// clipping made.
bool gpu_raster_full(const gpu_raster_t *raster);
bool gpu_raster_room(const gpu_raster_t *raster);

// Appends an entry to the queue; lowers *next to the cycle at which it is there, if nothing is
// before it.
void gpu_raster_push(gpu_raster_t *raster, const gpu_entry_t *entry, uint64_t *next);

// Returns the first entry, or NULL.
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
