// SPDX-License-Identifier: Apache-2.0
// The parts of a GPU: the protocol by which the assembly (gpu.c) steps them, and what travels
// between them. Each stage is a part with a struct of its own in its own file; another part calls
// only the functions of its header, and only of parts further down:
//
//   gpu_command    command queue and credits
//   gpu_geometry   index and vertex fetch, vertex programs, clip and setup
//   gpu_raster     blocks of triangles; clears and holds wait here
//     gpu_masks    gives each cluster's front its triangles
//     gpu_walk     finds the blocks of a triangle
//   gpu_depth      early depth
//   gpu_shading    hands blocks to the SMs, which are a rate or run warps:
//     gpu_rate     an SM is busy for so many cycles a stamp
//     gpu_warps    stamps are assembled into warps, which the SMs of shader.h run
//   gpu_pool       the blocks between shading and ROP: no part of its own, but a queue
//   gpu_sampler    the side of the GPU to modelled texture units
//   gpu_rop        late depth, blend, colour write, touches
//   gpu_memory     caches, DRAM, or a memory shared with the texture units
//
// docs/model/gpu-model.md says in which order they step, and why.
#ifndef NOCTURNE_GPU_GPU_PART_H
#define NOCTURNE_GPU_GPU_PART_H

#include "../base/cycle.h"
#include "../base/text.h"
#include "gpu_types.h"
#include "lanes.h"
#include "render.h"

enum {
  GpuBlocks = 2048,      // places of blocks between shading and ROP
  GpuRateBlocks = 1024,  // places used where shading is a rate
  GpuQueue = 64,         // places of a queue of blocks; the parameters bound how many are used
  GpuDraws = 512,        // draws that blocks in flight may refer to
  GpuMaxSms = GpuMaxClusters,
  GpuTriangles = 2048,  // that blocks in flight may refer to
  GpuTimeBits = 8,      // fraction of the times that are kept finer than a cycle
  GpuTimeOne = 1 << GpuTimeBits,
};

// Shared by all parts. In a run only the surfaces, sums and costs change.
typedef struct {
  gpu_params_t params;
  const frame_t *frame;
  uint32_t index;  // this GPU's number
  gpu_texturing_t texturing;
  surface_t *targets, *depths;                    // of the frame
  const uint8_t **target_owners, **depth_owners;  // of each surface, as gpu_set_owners gave them
  uint32_t clusters, cluster_sms;                 // groups of SMs; without a static map all are one
  uint32_t fronts;                                // one, or one a cluster
  gpu_coarse_t *coarse;                           // NULL: none
  gpu_guard_t *guard;                             // NULL: nobody merges while the GPU draws
  gpu_stats_t stats;                              // each part counts what it does
  gpu_fault_t fault;                              // the first of a unit
  gpu_draw_cost_t *costs;                         // by gpu_command_t.cost
} gpu_site_t;

static inline void gpu_fault_set(gpu_site_t *s, const unit_info_t *unit, uint32_t cluster,
                                 unit_status_e status, uint8_t error) {
  if (!s->fault.unit) {
    s->fault = (gpu_fault_t){unit, cluster, status, error};
  }
}

typedef struct {
  void *self;  // NULL: this GPU has no such part
  // Does what is due at cycle now; lowers *next to the earliest cycle at which the part can do
  // more by itself. NULL: the part only answers calls.
  void (*step)(void *self, uint64_t now, uint64_t *next);
  // Computes, or has data under way to it that come at a known cycle. NULL: never.
  bool (*busy)(const void *self, uint64_t now);
  // Holds nothing that is still to be done, and waits for no answer from outside. NULL: always.
  bool (*empty)(const void *self);
  // The cycle at which the work that has left the part's queue is done. NULL: no such work.
  uint64_t (*done)(const void *self);
  // Adds a few words for a hang report. NULL: nothing to say.
  void (*describe)(const void *self, text_t *text);
  void (*destroy)(void *self);
} gpu_part_t;

// A draw piece, clear or hold on its way. Geometry owns it until all its blocks have left the ROP.
typedef struct {
  gpu_command_t command;
  uint32_t sequence;  // of the command, from 0
  render_draw_t draw;
  surface_owners_t owners;
  gpu_draw_cost_t *cost;              // of a draw
  bool late;                          // depth is tested in the ROP
  bool tests;                         // has a depth or stencil test
  bool runs;                          // has a fragment program to run
  bool colors;                        // writes colour
  bool reads_color;                   // needs the old colour
  uint64_t issue_cost, texture_cost;  // of an SM for a stamp, in 1/256 cycles
} gpu_draw_t;

// The clusters of a front.
static inline uint32_t gpu_first_cluster(const gpu_site_t *s, uint32_t front) {
  return s->fronts == 1 ? 0 : front;
}

static inline uint32_t gpu_end_cluster(const gpu_site_t *s, uint32_t front) {
  return s->fronts == 1 ? s->clusters : front + 1;
}

// A block of a triangle on its way from raster to ROP.
typedef struct {
  uint64_t ready;  // cycle at which the next stage may take it
  uint64_t mask;
  uint64_t retained;  // culled pixels that cost what others cost and are not written
  const gpu_draw_t *draw;
  raster_t *raster;   // the triangle's; shading completes it
  uint32_t triangle;  // sequence number
  uint32_t order;     // among the blocks that went to shading
  uint16_t bx, by;
  uint8_t stamps;   // after shading: stamps that the SMs worked on
  uint8_t cluster;  // whose SMs shade it
} gpu_block_t;

// Returns the place of a block in the guard; none: GpuGuardPlaces.
static inline uint32_t gpu_guarded(const gpu_site_t *s, const gpu_block_t *b) {
  const bool guarded = s->guard && b->draw->command.compose && !b->draw->command.subimage;
  return guarded ? gpu_guard_place(b->bx, b->by) : GpuGuardPlaces;
}

// Returns the one of the older triangle; NULL: there is none.
static inline const gpu_block_t *gpu_block_older(const gpu_block_t *a, const gpu_block_t *b) {
  return !a || (b && (int32_t)(b->triangle - a->triangle) < 0) ? b : a;
}

typedef struct {
  uint32_t head, count;
} gpu_ring_t;

static inline uint32_t gpu_ring_push(gpu_ring_t *r, uint32_t places) {
  return (r->head + r->count++) % places;
}

static inline void gpu_ring_pop(gpu_ring_t *r, uint32_t places) {
  r->head = (r->head + 1) % places;
  r->count--;
}

// A stage's queue of blocks.
typedef struct {
  gpu_ring_t ring;
  gpu_block_t block[GpuQueue];
} gpu_queue_t;

static inline gpu_block_t *gpu_queue_push(gpu_queue_t *q) {
  return &q->block[gpu_ring_push(&q->ring, GpuQueue)];
}

static inline gpu_block_t *gpu_queue_first(gpu_queue_t *q) { return &q->block[q->ring.head]; }

// The first block is there at a later cycle.
static inline bool gpu_queue_comes(const gpu_queue_t *q, uint64_t now) {
  return q->ring.count && q->block[q->ring.head].ready > now;
}

// Notes that something of the draw was under way until this cycle.
static inline void gpu_note_end(const gpu_draw_t *d, uint64_t cycle) {
  d->cost->end = cycle_later(d->cost->end, cycle);
}

// Returns the cycles for a number of stamps, one at least.
static inline uint32_t gpu_stamp_cycles(uint32_t stamps, uint32_t rate) {
  return stamps <= rate ? 1 : (stamps + rate - 1) / rate;
}

#endif
