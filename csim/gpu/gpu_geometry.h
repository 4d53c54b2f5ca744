// SPDX-License-Identifier: Apache-2.0
// Geometry: index and vertex fetch, vertex shading, clip and setup. Culled and clipped triangles
// cost as much as others, and count as progress.
#ifndef NOCTURNE_GPU_GPU_GEOMETRY_H
#define NOCTURNE_GPU_GPU_GEOMETRY_H

#include "gpu_command.h"
#include "gpu_memory.h"
#include "gpu_raster.h"

typedef struct gpu_geometry gpu_geometry_t;

// NULL: out of memory.
gpu_geometry_t *gpu_geometry_create(gpu_part_t *part, gpu_site_t *site, gpu_commands_t *commands,
                                    gpu_memory_t *memory, gpu_raster_t *raster);

// Do what the functions of the same names in gpu.h do.
void gpu_geometry_set_destinations(gpu_geometry_t *geometry, const uint64_t *destinations,
                                   const uint32_t *culled);
uint32_t gpu_geometry_projections(const gpu_geometry_t *geometry);
uint32_t gpu_geometry_take_progress(gpu_geometry_t *geometry);

// Returns the command in work until after `now`, and in *until the end of its step; or NULL.
const gpu_command_t *gpu_geometry_command(const gpu_geometry_t *geometry, uint64_t now,
                                          uint64_t *until);

// Says that a hold has been released.
void gpu_geometry_release(gpu_geometry_t *geometry);

#endif
