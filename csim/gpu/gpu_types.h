// SPDX-License-Identifier: Apache-2.0
// Input and output of a GPU: commands, touches, statistics. gpu.h has the functions.
#ifndef NOCTURNE_GPU_GPU_TYPES_H
#define NOCTURNE_GPU_GPU_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../frame/frame.h"
#include "../memory/memory_port.h"
#include "../texture/texture_unit.h"
#include "gpu_coarse.h"
#include "gpu_guard.h"
#include "gpu_params.h"
#include "shade.h"
#include "shader.h"
#include "surface.h"
#include "unit/primitive_distributor/primitive_distributor.h"
#include "unit/tile_coalescer/tile_coalescer.h"

#define GPU_NEVER UINT64_MAX

typedef enum {
  GpuCommandDraw,     // draws primitives first .. first + count - 1 of a draw
  GpuCommandProject,  // computes positions only, of primitives first .. first + count - 1
  GpuCommandClear,
  GpuCommandHold,  // waits until all before has left the ROP, then until gpu_release
} gpu_command_e;

typedef enum {
  GpuRegionAll,    // every tile
  GpuRegionOwned,  // only the tiles that this GPU owns
} gpu_region_e;

typedef struct {
  uint8_t kind;     // gpu_command_e
  uint8_t region;   // gpu_region_e
  bool compose;     // the draw belongs to a composed group: written pixels are marked, touches
                    // reported
  bool subimage;    // the group is transparent: render into the sub-image, not the surface
  bool report;      // triangles through geometry count in gpu_take_progress
  bool scouted;     // positions were projected before by some GPU, which is charged here
  bool sorted;      // only the triangles of the draw whose destinations
                    // (gpu_set_destinations) include this GPU exist
  uint8_t tag;      // order tag for the depth words (0 to SurfaceTagMax)
  uint16_t weight;  // with report, if not 0: counts when the draw has left the ROP, in place of
                    // its triangles
  uint32_t coarse_base;   // composed opaque draw: the base of its coarse depth; 0: none
  uint32_t group;         // composition group, for the lazy clearing of marks
  uint32_t command;       // index into frame_t.commands
  uint32_t first, count;  // draw: primitives (ordinals of submission)
  uint32_t cost;          // draw: of gpu_draw_costs, in which it counts
  uint32_t token;         // hold: given back by gpu_held
} gpu_command_t;

typedef struct {
  uint16_t block_x, block_y;  // of the surface, 8x8 pixels each
  uint16_t stamps;            // bit (y / 2) * 4 + x / 2 of the block: some pixel written
} gpu_touch_t;

enum { GpuMaxClusters = 64, GpuMaxFronts = PrimitiveDistributorMaxClusters };

typedef struct {
  uint64_t of[GpuMaxClusters];
} gpu_by_cluster_t;

// Look-ups in the caches of the first level, by line. A write of what was not there is a miss too.
typedef struct {
  uint64_t accesses, misses;
  gpu_by_cluster_t by_cluster;  // misses
} gpu_l1_stats_t;

typedef struct {
  gpu_l1_stats_t depth, color, texture;
  uint64_t l2_accesses, l2_misses;  // misses: fetched
} gpu_cache_stats_t;

// Sums of all tile coalescers.
typedef struct {
  uint64_t raster_tiles, tiles, stamps;     // in; out, and what is in these
  uint64_t evicted, full, blocked, waited;  // tiles by what made an engine issue
  uint64_t conflicts;            // cycles of engines that hold raster tiles and stage nothing
  uint64_t live_waits;           // cycles of engines that had to issue and could not
  uint64_t head_waits;           // cycles in which a raster tile waited before the unit
  uint64_t engine_cycles, held;  // cycles of active engines, raster tiles in them
} gpu_tc_stats_t;

// Sums of the primitive distributor, with gpu.front cluster.
typedef struct {
  uint64_t primitives, masks, bits;  // into it; out of it, and what is set in these
  uint64_t rows;  // of work tiles that boxes lie in, at most the clusters of each
} gpu_vpo_stats_t;

// Sums since creation. Times in cycles, traffic in bytes.
typedef struct {
  gpu_cache_stats_t caches;
  gpu_tc_stats_t tc;
  gpu_vpo_stats_t vpo;
  uint64_t draws, triangles, triangles_rastered;
  uint64_t fragments;  // covered, inside the region
  uint64_t fragments_early_passed, fragments_shaded, fragments_written, fragments_discarded;
  uint64_t fragments_failed;    // samples with texels that could not be read
  uint64_t fragments_retained;  // culled by the early test, and shaded all the same
                                // (gpu_params_t.retain)
  uint64_t stamps, blocks, warps;
  uint64_t texture_requests;
  uint64_t texture_lines;  // distinct ones of a block's reads, or of a warp's
  uint64_t texture_reads;  // TEX operations of warps
  uint64_t texture_bytes, depth_bytes, color_bytes, vertex_bytes;  // DRAM traffic
  uint64_t projected;                                              // triangles of GpuCommandProject
  uint64_t busy_geometry, busy_projection, busy_raster, busy_depth, busy_shading, busy_rop;
  uint64_t first_block;      // cycle + 1 at which it left a raster; 0: none did
  uint64_t fragment_cycles;  // from there to the end of the last write
  uint64_t held;             // cycles between gpu_held turning true and gpu_release
} gpu_stats_t;

enum { GpuG80Clusters = 6 };

// Statistics of a static map: sums since creation.
typedef struct {
  gpu_by_cluster_t warps, stamps,
      primitives;            // assembled; what is in them, primitives of each warp
  gpu_by_cluster_t busy;     // cycles with a warp in the cluster's SMs
  gpu_by_cluster_t starved;  // without one there or in its FIFO; another has one
  gpu_by_cluster_t fifo_full;
  uint64_t pixels_at_stall;  // most pixels shaded while a cluster was at one batch
} gpu_dispatch_stats_t;

// The cost of a draw, or of a piece of it, on this GPU. Cycles.
typedef struct {
  uint64_t begin;      // geometry takes it; not before the end of a clear or hold in front of it
  uint64_t end;        // its last triangle or block is through
  uint64_t geometry;   // from its start in geometry to its last triangle out of it
  uint32_t triangles;  // submitted; 0: not drawn here
  uint64_t fragments;  // covered, inside the region
  uint64_t fragments_shaded;
} gpu_draw_cost_t;

// Address of the frame's first target; with gpu.surface_layout linear its rows, of whole tiles,
// follow each other.
enum { GpuFirstTarget = 1 << 30 };

// How textures are sampled. All zero: the texture units are a rate (gpu_params_t), the samples
// isotropic, and the GPU has its own DRAM.
typedef struct {
  shade_sampling_t sampling;
  texture_units_t *units;  // sms * texture_units of them, modelled; stepped by the caller
  bool angles;             // they want camera angles
  memory_port_t memory;    // for vertices, depth and colour; push NULL: the GPU's own DRAM
  // The caller advances the GPU when an answer is there, when a full port has room again and when
  // the texture units have done something. Otherwise the GPU asks to be advanced in each cycle.
  bool wakes;
} gpu_texturing_t;

// The engines of the GPU's units; each maker returns false with one line in error. instance: the
// GPU; of a coalescer the GPU's number times the clusters, and the cluster's.
typedef struct {
  void *context;
  bool (*primitive_distributor)(void *context, const primitive_distributor_params_t *params,
                                uint32_t instance, primitive_distributor_t *engine, err_t *err);
  bool (*tile_coalescer)(void *context, const tile_coalescer_params_t *params, uint32_t instance,
                         tile_coalescer_t *engine, err_t *err);
} gpu_units_t;

// A unit of the GPU that failed. unit NULL: none.
typedef struct {
  const unit_info_t *unit;
  uint32_t cluster;
  unit_status_e status;
  uint8_t error;  // its error output
} gpu_fault_t;

// The stage that holds the GPU up at a cycle at which gpu_advance has run: the last one that has
// work and is not itself stopped by a later one.
typedef enum {
  GpuWaitsForCommands,
  GpuIsHeld,  // between gpu_held turning true and gpu_release
  GpuInProjection,
  GpuInGeometry,
  GpuInRaster,
  GpuInFragments,  // early depth, shading, ROP
} gpu_activity_e;

#endif
