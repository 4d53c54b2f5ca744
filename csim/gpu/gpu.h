// SPDX-License-Identifier: Apache-2.0
// One GPU: a timed pipeline that renders (CHOPIN, II-A, Table II; rates and their
// source in docs/configuration.md).
//
//   command queue -> geometry -> raster -> early depth -> shading -> ROP
//
// Stages are queues with a throughput and a latency, and with back-pressure from
// stage to stage. Work is done at the simulated cycle at which its stage does it,
// in blocks of 8x8 pixels of one triangle. Time is discrete: gpu_advance does all
// that is due at a cycle and says when it wants to be called again, so a caller
// may skip the cycles in which nothing happens without changing any result.
//
// Call order: gpu_create, gpu_set_owners for each surface, then any number of
// gpu_push and gpu_advance with time never going back, gpu_destroy. No function
// but gpu_create, gpu_set_owners and gpu_make_subimage allocates.
#ifndef NOCTURNE_GPU_GPU_H
#define NOCTURNE_GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../frame/frame.h"
#include "../memory/memory_port.h"
#include "../texture/texture_unit.h"
#include "gpu_params.h"
#include "shade.h"
#include "shader.h"
#include "surface.h"

#define GPU_NEVER UINT64_MAX

typedef enum {
  GpuCommandDraw,   // primitives first .. first + count - 1 of a draw
  GpuCommandProject,  // positions only, of primitives first .. first + count - 1: nothing is drawn
  GpuCommandClear,
  GpuCommandHold,   // wait until all before has left the ROP, then until gpu_release
} gpu_command_e;

typedef enum {
  GpuRegionAll,    // every tile
  GpuRegionOwned,  // only the tiles that this GPU owns
} gpu_region_e;

typedef struct {
  uint8_t kind;       // gpu_command_e
  uint8_t region;     // gpu_region_e
  bool compose;       // the draw belongs to a composed group: pixels written are marked and
                      // touches reported
  bool subimage;      // of a transparent group: render into the sub-image, not the surface
  bool report;        // triangles through geometry count in gpu_take_progress
  bool sorted;        // of the draw only the triangles whose destinations (gpu_set_destinations)
                      // include this GPU exist
  uint8_t tag;        // order tag for the depth words (0 to SurfaceTagMax)
  uint16_t weight;    // with report, if not 0: counts when the draw has left the ROP, in place of
                      // its triangles
  uint32_t group;     // composition group, for the lazy clearing of marks
  uint32_t command;   // index into frame_t.commands
  uint32_t first, count;  // draw: primitives (ordinals of submission)
  uint32_t token;     // hold: given back by gpu_held
} gpu_command_t;

typedef struct {
  uint16_t block_x, block_y;  // of the surface, 8x8 pixels each
  uint16_t stamps;            // bit (y / 2) * 4 + x / 2 of the block: some pixel written
} gpu_touch_t;

// Sums since creation. Times in cycles, traffic in bytes.
typedef struct {
  uint64_t draws, triangles, triangles_rastered;
  uint64_t fragments;         // covered, inside the region
  uint64_t fragments_early_passed, fragments_shaded, fragments_written, fragments_discarded;
  uint64_t fragments_failed;     // samples with texels that could not be read
  uint64_t fragments_retained;  // culled by the early test, and shaded all the same
                                // (gpu_params_t.retain)
  uint64_t stamps, blocks, warps;
  uint64_t texture_requests;
  uint64_t texture_lines;     // distinct ones of a block's reads, or of a warp's
  uint64_t texture_reads;     // TEX operations of warps
  uint64_t texture_bytes, depth_bytes, color_bytes, vertex_bytes;  // DRAM traffic
  uint64_t projected;         // triangles of GpuCommandProject
  uint64_t busy_geometry, busy_projection, busy_raster, busy_depth, busy_shading, busy_rop;
  uint64_t held;              // cycles between gpu_held turning true and gpu_release
} gpu_stats_t;

enum { GpuG80Clusters = 6 };

// Of gpu.dispatch g80: sums since creation, cycles by cluster.
typedef struct {
  uint64_t warps, stamps, primitives;      // assembled; what is in them, primitives of each warp
  uint64_t busy[GpuG80Clusters];           // with a warp in the cluster's SMs
  uint64_t starved[GpuG80Clusters];        // without one there or in its FIFO; another has one
  uint64_t fifo_full[GpuG80Clusters];
  uint64_t pixels_at_stall;   // most pixels shaded while a cluster was at one batch
} gpu_dispatch_stats_t;

// What a draw took on this GPU, all its pieces together. Cycles.
typedef struct {
  uint64_t begin;      // geometry takes it; not before the end of a clear or hold in front of it
  uint64_t end;        // its last triangle or block is through
  uint64_t geometry;   // from its start in geometry to its last triangle out of it
  uint32_t triangles;  // submitted; 0: not drawn here
  uint64_t fragments;  // covered, inside the region
  uint64_t fragments_shaded;
} gpu_draw_cost_t;

// What samples textures. All zero: the texture units are a rate (gpu_params_t), the samples
// isotropic, and the GPU has its own DRAM.
typedef struct {
  shade_sampling_t sampling;
  texture_units_t *units;  // sms * texture_units of them, modelled; stepped by the caller
  bool angles;             // they want camera angles
  memory_port_t memory;    // for vertices, depth and colour; push NULL: the GPU's own DRAM
} gpu_texturing_t;

typedef struct gpu gpu_t;

// index: this GPU's number. The frame and what texturing refers to must outlive the GPU.
// NULL: out of memory.
gpu_t *gpu_create(const gpu_params_t *params, const frame_t *frame, uint32_t index,
                  const gpu_texturing_t *texturing);
void gpu_destroy(gpu_t *gpu);

// Which GPU owns each tile of a surface of this size: tiles_x * tiles_y entries,
// row-major, borrowed. A draw uses the map of its colour target's size, or of its
// depth buffer's if it has no colour target. Until set, every tile is owned by all.
void gpu_set_owners(gpu_t *gpu, uint32_t width, uint32_t height, const uint8_t *owners);

// Makes room for the sub-images of a target, before the first command with `subimage` that draws
// to it. False: out of memory.
bool gpu_make_subimage(gpu_t *gpu, uint32_t target);

// Appends a command. False if the queue is full (gpu_params_t.queue entries).
bool gpu_push(gpu_t *gpu, const gpu_command_t *command);

// Commands that left the queue since the last call: credits to give back.
uint32_t gpu_take_credits(gpu_t *gpu);

// For draws with `sorted`: a mask of GPUs for each of the frame's triangles, and how many culled
// ones come with it and are passed by geometry; borrowed.
void gpu_set_destinations(gpu_t *gpu, const uint64_t *destinations, const uint32_t *culled);

// Projection commands that left geometry since creation.
uint32_t gpu_projections(const gpu_t *gpu);

// What holds the GPU up at a cycle at which gpu_advance has run: the last stage that has work
// and is not itself stopped by a later one.
typedef enum {
  GpuWaitsForCommands,
  GpuIsHeld,        // between gpu_held turning true and gpu_release
  GpuInProjection,
  GpuInGeometry,
  GpuInRaster,
  GpuInFragments,   // early depth, shading, ROP
} gpu_activity_e;
gpu_activity_e gpu_activity(const gpu_t *gpu, uint64_t now);

// Triangles of commands with `report` that left geometry since the last call; of those with a
// weight, the weights that left the ROP.
uint32_t gpu_take_progress(gpu_t *gpu);

// Does all that is due at cycle `now`; returns the next cycle at which something is
// due without new commands, or GPU_NEVER.
uint64_t gpu_advance(gpu_t *gpu, uint64_t now);

// True while a hold has been reached and everything before it has left the ROP
// (touches included); *token is the command's.
bool gpu_held(const gpu_t *gpu, uint32_t *token);

// Ends the hold at cycle `now`. With background_command other than UINT32_MAX the
// GPU first composes the sub-image of that draw's target into the target, over the
// tiles that it owns, with that draw's operator; this takes its time in the ROP.
void gpu_release(gpu_t *gpu, uint64_t now, uint32_t background_command);

// The oldest touched block not yet taken, or NULL. The ROP stalls when more than
// gpu_params_t.touch_queue wait.
const gpu_touch_t *gpu_touch(const gpu_t *gpu);
void gpu_touch_pop(gpu_t *gpu);

// True while a stage computes, or its data are on their way: something will be done at a cycle
// that is known already.
bool gpu_busy(const gpu_t *gpu, uint64_t now);

// True when no command is queued and nothing is in flight.
bool gpu_idle(const gpu_t *gpu);

surface_t *gpu_target(gpu_t *gpu, uint32_t index);
surface_t *gpu_depth(gpu_t *gpu, uint32_t index);
const gpu_stats_t *gpu_stats(const gpu_t *gpu);
// Of its shader cores; NULL: shading is a rate.
const shader_stats_t *gpu_shader_stats(const gpu_t *gpu);
// NULL: another dispatch.
const gpu_dispatch_stats_t *gpu_dispatch_stats(const gpu_t *gpu);
// Of each of the frame's commands.
const gpu_draw_cost_t *gpu_draw_costs(const gpu_t *gpu);

// Lanes of an SM.
uint32_t gpu_lanes(const gpu_t *gpu);

// One line for a hang report: what each stage waits for.
void gpu_describe(const gpu_t *gpu, char *text, size_t size);

#endif
