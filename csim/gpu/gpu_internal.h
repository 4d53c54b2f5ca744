// The state of one GPU, shared by the files of its stages. Only csim/gpu includes it.
//
//   gpu.c           creation, queries, the order of the stages
//   gpu_geometry.c  command queue, geometry
//   gpu_raster.c    raster: blocks of triangles; clears and holds
//   gpu_pixels.c    early depth, shading, ROP, touches
#ifndef NOCTURNE_GPU_INTERNAL_H
#define NOCTURNE_GPU_INTERNAL_H

#include "../memory/dram.h"
#include "gpu.h"
#include "render.h"

enum {
  GpuRing = 4096,        // places of each ring; the parameters bound how many are used
  GpuTriangles = 2048,   // triangles that blocks in flight may refer to
  GpuDraws = 512,        // draws that blocks in flight may refer to
  GpuTouches = 2048,
  GpuCombine = 64,       // write-combining entries for touches
  GpuCacheSets = 32, GpuCacheWays = 4,  // depth and colour caches, lines of one block
};

// An entry between geometry and raster.
typedef struct {
  uint64_t ready;     // cycle
  uint32_t triangle;  // index into frame_t.triangles, or UINT32_MAX: a clear or hold
  uint32_t draw;      // slot in draws
} gpu_entry_t;

// A draw piece, clear or hold on its way.
typedef struct {
  gpu_command_t command;
  render_draw_t draw;
  const uint8_t *owners;  // NULL: all tiles
  bool late;
} gpu_draw_t;

// A block of a triangle on its way from raster to ROP.
typedef struct {
  uint64_t ready;     // cycle at which the next stage may take it
  uint64_t mask;
  uint32_t triangle;  // sequence number; the slot is modulo GpuTriangles
  uint32_t draw;      // sequence number; modulo GpuDraws
  uint32_t colors;    // slot of its colours
  uint16_t bx, by;
} gpu_block_t;

typedef struct {
  uint32_t head, count;  // head modulo GpuRing
} gpu_ring_t;

typedef struct {
  uint64_t tag[GpuCacheSets][GpuCacheWays];  // line + 1, most recent first
  bool dirty[GpuCacheSets][GpuCacheWays];
} gpu_cache_t;

struct gpu {
  gpu_params_t params;
  const frame_t *frame;
  uint32_t index;
  surface_t *targets, *depths;
  const uint8_t **target_owners, **depth_owners;
  gpu_stats_t stats;
  // Command queue
  gpu_command_t commands[1024];
  uint32_t command_head, command_count, credits, progress;
  // Geometry
  bool geometry_active;
  uint32_t next_ordinal, next_triangle, end_triangle, end_ordinal;
  uint64_t geometry_time;    // in 1/256 cycles
  uint32_t triangle_cost;    // of a submitted triangle, in 1/256 cycles
  uint32_t draw_sequence;    // of the draw in geometry
  gpu_draw_t draws[GpuDraws];
  gpu_entry_t entries[GpuRing];
  gpu_ring_t triangles;
  // Raster
  bool raster_active;
  raster_t rasters[GpuTriangles];
  uint32_t raster_sequence;  // of the triangle in raster
  int32_t bx, by;            // next block of the current triangle
  uint64_t raster_free;
  uint32_t empty_blocks;     // scanned without a pixel
  bool held, releasing;
  uint64_t held_since;
  // Early depth
  gpu_block_t to_depth[GpuRing], to_shading[GpuRing], to_rop[GpuRing];
  gpu_ring_t depth_queue, shading_queue, rop_queue;
  uint64_t depth_free, rop_free;
  uint32_t late_in_flight;
  // Shading
  uint64_t sm_free[64];
  uint32_t color_slot;
  uint32_t (*colors)[SurfaceBlockPixels];
  uint64_t *texture_tags;
  // ROP
  gpu_touch_t combining[GpuCombine];
  gpu_touch_t touches[GpuTouches];
  gpu_ring_t touch_queue;
  gpu_cache_t depth_cache, color_cache;
  dram_t dram;
};

static inline gpu_block_t *gpu_ring_push(gpu_block_t *ring, gpu_ring_t *r) {
  return &ring[(r->head + r->count++) % GpuRing];
}

static inline void gpu_ring_pop(gpu_ring_t *r) {
  r->head = (r->head + 1) % GpuRing;
  r->count--;
}

static inline void gpu_earliest(uint64_t *next, uint64_t cycle) {
  if (cycle < *next) {
    *next = cycle;
  }
}

// Nothing between raster and ROP.
static inline bool gpu_drained(const gpu_t *g) {
  return g->depth_queue.count == 0 && g->shading_queue.count == 0 && g->rop_queue.count == 0;
}

// The oldest draw and triangle that anything in flight refers to.
static inline const gpu_block_t *gpu_oldest_block(const gpu_t *g) {
  return g->rop_queue.count       ? &g->to_rop[g->rop_queue.head]
         : g->shading_queue.count ? &g->to_shading[g->shading_queue.head]
         : g->depth_queue.count   ? &g->to_depth[g->depth_queue.head]
                                  : NULL;
}

static inline uint32_t gpu_oldest_draw(const gpu_t *g) {
  const gpu_block_t *b = gpu_oldest_block(g);
  return b ? b->draw : g->triangles.count ? g->entries[g->triangles.head].draw : g->draw_sequence;
}

static inline uint32_t gpu_oldest_raster(const gpu_t *g) {
  const gpu_block_t *b = gpu_oldest_block(g);
  return b ? b->triangle : g->raster_sequence;
}

// Each does what its stage can do at `now`, true if that was anything; *next becomes the
// earliest cycle at which it can do more by itself.
bool gpu_geometry_step(gpu_t *g, uint64_t now, uint64_t *next);
bool gpu_raster_step(gpu_t *g, uint64_t now, uint64_t *next);
bool gpu_depth_step(gpu_t *g, uint64_t now, uint64_t *next);
bool gpu_shading_step(gpu_t *g, uint64_t now, uint64_t *next);
bool gpu_rop_step(gpu_t *g, uint64_t now, uint64_t *next);

// Moves all combined touches to the queue; false while it has no room for them.
bool gpu_flush_touches(gpu_t *g);

#endif
