// SPDX-License-Identifier: Apache-2.0
// Parameters of one GPU, their defaults, ranges and sources. One table describes them all
// (gpu_params.c); the configuration exposes it under the keys gpu.*.
#ifndef NOCTURNE_GPU_PARAMS_H
#define NOCTURNE_GPU_PARAMS_H

#include <stdint.h>

#include "../base/config.h"

typedef struct {
  // Commands and geometry
  uint32_t queue;              // command-queue entries
  uint32_t draw_cycles;        // of geometry, per draw piece
  uint32_t draws_in_flight;    // commands between the start of geometry and the end of the ROP
  uint32_t draw_overlap;       // 0: a draw's first triangle enters the raster when the draw
                               // before has left the ROP
  uint32_t index_rate;         // indices a cycle
  uint32_t vertex_rate;        // vertices a cycle
  uint32_t cut_vertices;       // shaded again where a draw is cut
  uint32_t vertex_bytes;       // read for a vertex
  uint32_t projection_length;  // instructions of a vertex program for positions alone
  uint32_t projection_bytes;   // read for a vertex's position
  uint32_t triangle_rate;      // triangles a cycle through clipper and setup
  uint32_t geometry_latency;   // cycles
  uint32_t triangle_queue;     // triangles between geometry and raster
  uint32_t geometry_ahead;     // 1: geometry goes on while the raster is held
  // Raster and depth
  uint32_t raster_triangle;  // cycles to start a triangle
  uint32_t raster_stamps;    // stamps a cycle
  uint32_t raster_order;     // gpu_raster_order_e
  uint32_t depth_stamps;     // stamps a cycle
  uint32_t depth_queue;      // blocks between raster and depth
  uint32_t front;            // gpu_front_e
  uint32_t masks;            // that a cluster's front holds
  uint32_t setup_latency;    // cycles, in a cluster's front
  uint32_t retain;           // of 1,000 culled fragments, that are shaded all the same
  // Shading
  uint32_t shading_queue;   // blocks between depth and shading
  uint32_t shading_stamps;  // stamps a cycle interpolated and sent to the SMs
  uint32_t sms;
  uint32_t lanes;                // of an SM
  uint32_t threads;              // in flight in an SM
  uint32_t shading_latency;      // cycles
  uint32_t texture_units;        // of an SM
  uint32_t texture_cycles;       // of a texture unit, per stamp and texture read
  uint32_t texture_next_cycles;  // of it, for each read of a fragment after the first; 0: the same
  uint32_t texture_lines;        // lines of an SM's texture cache
  uint32_t texture_ways;
  // Clusters and warps
  uint32_t dispatch;      // gpu_dispatch_e
  uint32_t cluster_sms;   // SMs of a cluster, with a static map
  uint32_t cluster_fifo;  // warps before the SMs of a cluster
  uint32_t batch_warps;   // that a cluster takes at a time; 0: each when an SM has room
  uint32_t wt;            // side of a work tile, in blocks
  uint32_t shader;        // gpu_shader_e
  uint32_t tc_engines;    // of a cluster's tile coalescer; 0: none
  uint32_t tc_bins, tc_wait, tc_live;
  uint32_t warp_primitives;   // of which a warp may have stamps
  uint32_t warp_wait;         // cycles that a warp waits for more stamps
  uint32_t warps;             // resident in an SM
  uint32_t schedulers;        // of an SM
  uint32_t warp_policy;       // gpu_policy_e
  uint32_t issue_per_warp;    // operations in one go
  uint32_t divergence;        // gpu_divergence_e
  uint32_t alu_groups;        // of an SM's lanes; 0: one a scheduler
  uint32_t alu_latency;       // cycles, issue to result
  uint32_t sfu_lanes;         // of an SM
  uint32_t sfu_latency;       // cycles
  uint32_t registers;         // of an SM
  uint32_t thread_registers;  // of a thread; 0: no limit
  uint32_t dependent;         // of 1,000 operations, on the result before
  // ROP
  uint32_t rop_stamps;   // stamps a cycle
  uint32_t clear_rate;   // pixels a cycle
  uint32_t touch_queue;  // touched blocks not yet taken
  // Memory
  uint32_t block_sets, block_ways;  // depth cache, colour cache: lines of one block
  uint32_t l1;                      // gpu_l1_e
  uint32_t surface_layout;          // gpu_layout_e
  uint32_t line_bytes;              // of depth and colour caches and L2: 64 << line_bytes
  uint32_t l1_misses;               // under way of a cache of the first level; 0: any number
  uint32_t l2_lines;                // that the L2 takes a cycle; 0: any number
  uint32_t l2_kib, l2_ways, l2_latency;
  uint32_t channels;       // of DRAM
  uint32_t channel_bytes;  // a cycle
  uint32_t banks;          // of a channel
  uint32_t row_bytes;
  uint32_t trcd, trp, cas, trrd, twr, twtr;  // cycles
  uint32_t transactions;                     // that a channel holds
} gpu_params_t;

typedef enum { GpuShaderRate, GpuShaderWarp } gpu_shader_e;
typedef enum { GpuDispatchFree, GpuDispatchWorkTile, GpuDispatchG80 } gpu_dispatch_e;
typedef enum { GpuFrontShared, GpuFrontCluster } gpu_front_e;
typedef enum { GpuL1Shared, GpuL1Cluster } gpu_l1_e;
typedef enum { GpuLayoutTiled, GpuLayoutLinear } gpu_layout_e;
typedef enum { GpuRasterNested, GpuRasterPairs } gpu_raster_order_e;
typedef enum { GpuDivergenceStack, GpuDivergencePredicated } gpu_divergence_e;
typedef enum { GpuPolicyLrr, GpuPolicyGreedy } gpu_policy_e;

// Returns the SMs of a cluster, and the clusters: without a static map all SMs are one.
uint32_t gpu_params_cluster_sms(const gpu_params_t *params);
uint32_t gpu_params_clusters(const gpu_params_t *params);

// Tells if the caches are others than those of CHOPIN's GPU.
bool gpu_params_caches(const gpu_params_t *params);

// Registers the keys of *params, a gpu_params_t: gpu.*.
bool gpu_config_add(config_t *config, void *params, err_t *err);

// The defaults of the keys. False with one line in error.
bool gpu_params_default(gpu_params_t *params, err_t *err);

#endif
