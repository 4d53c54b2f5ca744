// SPDX-License-Identifier: Apache-2.0
// The state of one GPU, shared by the files of its stages. Only csim/gpu includes it.
//
//   gpu.c           creation, queries, the order of the stages
//   gpu_geometry.c  command queue, geometry
//   gpu_raster.c    raster: blocks of triangles; clears and holds
//   gpu_pixels.c    early depth, shading, ROP, touches
//   gpu_dispatch.c  which cluster of SMs a block belongs to
//   gpu_warps.c     shading by warps (gpu.shader warp)
//   gpu_texture.c   shading with modelled texture units
//   gpu_memory.c    caches and DRAM
#ifndef NOCTURNE_GPU_INTERNAL_H
#define NOCTURNE_GPU_INTERNAL_H

#include "../base/cycle.h"
#include "../base/rng.h"
#include "../memory/dram.h"
#include "../texture/camera_angle.h"
#include "cache.h"
#include "gpu.h"
#include "lanes.h"
#include "render.h"
#include "shader.h"

enum {
  GpuCommands = 1024,
  GpuBlocks = 2048,      // places of each block ring; the parameters bound how many are used
  GpuRateBlocks = 1024,  // of them used before the ROP where shading is a rate
  GpuEntries = 4096,     // places between geometry and raster
  GpuTriangles = 2048,   // triangles that blocks in flight may refer to
  GpuRateTriangles = 512,  // of them used where shading is a rate
  GpuDraws = 512,        // draws that blocks in flight may refer to
  GpuTouches = 2048,
  GpuCombine = 64,       // write-combining entries for touches
  GpuReads = FrameMaxTextures * 16 * GpuBlocks,  // a warp may hold one stamp of a block
  GpuMaxSms = 64,
  GpuMaxClusters = GpuMaxSms,
  GpuRequests = 1024,    // requests to a shared memory that wait to be sent
  GpuRequestLimit = 64,  // of them: stages stop above
  GpuTimeBits = 8,       // fraction of the times that are kept finer than a cycle
  GpuTimeOne = 1 << GpuTimeBits,
};

// Who waits for a response of a shared memory: a place in to_shading or, from GpuBlocks on,
// in to_rop; or nobody.
enum { GpuWaitsRop = GpuBlocks, GpuWaitsNone = 2 * GpuBlocks };

typedef struct {
  uint64_t address;
  uint32_t bytes;
  uint16_t waiter;
  bool write;
} gpu_request_t;

typedef enum { GpuMemoryVertex, GpuMemoryTexture, GpuMemoryDepth, GpuMemoryColor } gpu_memory_e;

// An entry between geometry and raster.
typedef struct {
  uint64_t ready;     // cycle
  uint32_t triangle;  // index into frame_t.triangles, or UINT32_MAX: a clear or hold
  uint32_t draw;      // sequence number; the slot is modulo GpuDraws
} gpu_entry_t;

// A draw piece, clear or hold on its way.
typedef struct {
  gpu_command_t command;
  render_draw_t draw;
  surface_owners_t owners;
  bool late;              // depth is tested in the ROP
  bool tests;             // has a depth or stencil test
  bool runs;              // has a fragment program to run
  bool colors;            // writes colour
  bool reads_color;       // needs the old colour
  uint64_t issue_cost, texture_cost;  // of an SM for a stamp, in 1/256 cycles
  const program_t *program;           // with warps
} gpu_draw_t;

// A block of a triangle on its way from raster to ROP.
typedef struct {
  uint64_t ready;     // cycle at which the next stage may take it
  uint64_t mask;
  uint64_t retained;  // culled pixels that cost what others cost and are not written
  uint32_t triangle;  // sequence number; the slot is modulo GpuTriangles
  uint32_t draw;      // sequence number; the slot is modulo GpuDraws
  uint16_t bx, by;
  uint8_t stamps;     // after shading: that the SMs worked on
  uint8_t cluster;    // whose SMs shade it
  uint32_t order;     // among the blocks that went to shading
} gpu_block_t;

typedef struct {
  uint32_t head, count;
} gpu_ring_t;

// Blocks of a cluster, in the order in which the ROP takes them: places in to_rop.
typedef struct {
  uint16_t slots[GpuBlocks];
  gpu_ring_t ring;
  uint32_t stamps_in_flight;
  uint32_t late_in_flight;   // late blocks between depth and ROP
} gpu_cluster_t;

// Stamps of a block whose stage is read: one bit each, of those with a pixel in the mask.
typedef struct {
  uint16_t slot;  // place in to_rop
  uint16_t stamps;
  uint8_t stage;
} gpu_read_t;

// What waits for the texture units of an SM.
typedef struct {
  gpu_read_t reads[GpuReads];
  gpu_ring_t ring;
  uint32_t turn;  // unit that is asked next
  bool made;      // quad is the next one
  texture_quad_t quad;
} gpu_sampler_t;

// Where the raster is in a triangle: tiles of 64x64 pixels, in them scan tiles of 16x16, in them
// blocks of 8x8; with pairs tiles of 32x32 and halves of blocks. All in blocks.
typedef struct {
  int32_t x0, y0, x1, y1;  // bounds, inclusive
  int32_t side;            // of a tile
  int32_t tile_x, tile_y;  // first block of the tile
  int32_t scan_x, scan_y;  // first block of the scan tile, if in_tile
  int32_t x, y;            // next block, if in_scan
  uint32_t half;           // with pairs in their place: the next half block of the scan tile
  uint64_t covered[2];     // of the row of blocks that it is in
  bool in_tile, in_scan;
  bool any;                // the scan tile had a covered block
} gpu_walk_t;

typedef struct gpu_warps gpu_warps_t;

struct gpu {
  gpu_params_t params;
  const frame_t *frame;
  uint32_t index;
  surface_t *targets, *depths;
  const uint8_t **target_owners, **depth_owners;
  gpu_stats_t stats;
  gpu_draw_cost_t *costs;  // of each command of the frame
  uint64_t now;
  // Command queue
  gpu_command_t commands[GpuCommands];
  gpu_ring_t command_queue;
  uint32_t credits, progress;
  uint32_t retired;          // sequence number: draws before it have left the ROP, and are reported
  // Geometry
  bool geometry_active;
  bool geometry_waits;       // for the release of a hold
  uint64_t geometry_since;   // cycle at which the draw in geometry began
  uint32_t next_ordinal, next_triangle, end_triangle, end_ordinal;
  uint64_t geometry_time;    // in 1/256 cycles
  uint64_t busy_geometry;    // in 1/256 cycles
  uint64_t busy_projection;  // in 1/256 cycles
  const uint64_t *destinations;  // of each triangle of the frame, for sorted draws
  const uint32_t *culled;        // that come with each of them
  uint32_t projections;      // commands done
  uint64_t triangle_cost;    // of a submitted triangle, in 1/256 cycles
  uint64_t vertex_cost;      // of a submitted triangle, in 1/256 bytes
  uint64_t vertex_due;       // not yet read, in 1/256 bytes
  uint64_t vertex_address;
  uint32_t step;             // submitted triangles on their way, out at geometry_time
  bool step_emits;           // the last of them survives
  bool step_fetches;         // their vertices count in vertex_due already
  uint32_t draw_sequence;    // of the draw in geometry
  gpu_draw_t draws[GpuDraws];
  gpu_entry_t entries[GpuEntries];
  gpu_ring_t triangles;
  uint32_t entry_limit;
  // Raster
  bool raster_active;        // a triangle is being walked
  bool found;                // found_* is the next block, due at raster_free
  uint64_t found_mask;
  int32_t found_x, found_y;
  gpu_walk_t walk;
  raster_t rasters[GpuTriangles];
  uint32_t triangle_places;  // used of them, a power of two
  uint32_t raster_sequence;  // of the triangle in raster
  uint32_t raster_draw;      // sequence number of its draw
  uint64_t raster_free;
  bool clearing;             // a clear is under way until raster_free
  uint64_t stopped_until;    // end of the last clear or hold
  bool held;
  uint64_t held_since;
  // Early depth
  rng_t retain;
  gpu_block_t to_depth[GpuBlocks], to_shading[GpuBlocks], to_rop[GpuBlocks];
  gpu_ring_t depth_queue, shading_queue;
  uint64_t depth_free, shading_free, rop_free;
  // Shading
  uint64_t sm_free[GpuMaxSms];  // in 1/256 cycles
  uint32_t stamp_limit;         // in flight in a cluster
  gpu_cluster_t *cluster;
  uint32_t clusters, cluster_sms;
  gpu_ring_t free_places;       // of to_rop
  uint16_t free_place[GpuBlocks];
  uint32_t places, in_rop;      // places used of to_rop; taken
  uint32_t block_order;         // of the next block that goes to shading
  gpu_warps_t *warps;      // NULL: shading is a rate
  uint64_t stages_next;         // nothing but warps is due before
  uint32_t colors[GpuBlocks][SurfaceBlockPixels];  // of each block in to_rop
  // ROP
  gpu_touch_t combining[GpuCombine];
  gpu_touch_t touches[GpuTouches];
  gpu_ring_t touch_queue;
  // Memory
  cache_t depth_cache, color_cache, l2;
  cache_t texture_caches[GpuMaxSms];
  uint64_t *target_base, *depth_base, *texture_base;  // addresses
  dram_t dram;
  // Modelled texture units, if texturing.units
  gpu_texturing_t texturing;
  shade_work_t *works;                // of each block in to_rop
  uint16_t quads[GpuBlocks];          // of them: not answered
  gpu_sampler_t samplers[GpuMaxSms];
  camera_plane_t planes[GpuTriangles];
  uint32_t plane_of[GpuTriangles];    // triangle + 1
  // A memory shared with them, if texturing.memory.push
  gpu_request_t requests[GpuRequests];
  gpu_ring_t request_queue;
  uint32_t reads_under_way;
  uint16_t waits[GpuWaitsNone + 1];  // of each waiter: responses not yet here
};

// Bits of a block ring's place.
static inline gpu_block_t *gpu_ring_push(gpu_block_t *ring, gpu_ring_t *r) {
  return &ring[(r->head + r->count++) % GpuBlocks];
}

static inline void gpu_ring_pop(gpu_ring_t *r, uint32_t places) {
  r->head = (r->head + 1) % places;
  r->count--;
}

static inline gpu_draw_cost_t *gpu_cost(gpu_t *g, const gpu_draw_t *d) {
  return &g->costs[d->command.command];
}

// Something of the draw was under way until this cycle.
static inline void gpu_note_end(gpu_t *g, const gpu_draw_t *d, uint64_t cycle) {
  gpu_draw_cost_t *c = gpu_cost(g, d);
  c->end = cycle_later(c->end, cycle);
}

// Cycles for a number of stamps, one at least.
static inline uint32_t gpu_stamp_cycles(uint32_t stamps, uint32_t rate) {
  return stamps <= rate ? 1 : (stamps + rate - 1) / rate;
}

// Nothing between raster and ROP.
static inline bool gpu_drained(const gpu_t *g) {
  return g->depth_queue.count == 0 && g->shading_queue.count == 0 && g->in_rop == 0;
}

// The oldest block before the ROP, if there is one.
static inline const gpu_block_t *gpu_oldest_in_rop(const gpu_t *g) {
  const gpu_block_t *oldest = NULL;
  for (uint32_t i = 0; i < g->clusters; i++) {
    const gpu_cluster_t *c = &g->cluster[i];
    const gpu_block_t *b = c->ring.count ? &g->to_rop[c->slots[c->ring.head]] : NULL;
    oldest = b && (!oldest || (int32_t)(b->order - oldest->order) < 0) ? b : oldest;
  }
  return oldest;
}

// The oldest block in flight; draws and triangles older than its own are free.
static inline const gpu_block_t *gpu_oldest_block(const gpu_t *g) {
  return g->in_rop                ? gpu_oldest_in_rop(g)
         : g->shading_queue.count ? &g->to_shading[g->shading_queue.head]
         : g->depth_queue.count   ? &g->to_depth[g->depth_queue.head]
                                  : NULL;
}

static inline uint32_t gpu_oldest_draw(const gpu_t *g) {
  const gpu_block_t *b = gpu_oldest_block(g);
  return b ? b->draw : g->triangles.count ? g->entries[g->triangles.head].draw : g->draw_sequence;
}

static inline uint32_t gpu_oldest_triangle(const gpu_t *g) {
  const gpu_block_t *b = gpu_oldest_block(g);
  return b ? b->triangle : g->raster_sequence;
}

static inline raster_t *gpu_raster(gpu_t *g, uint32_t triangle) {
  return &g->rasters[triangle & (g->triangle_places - 1)];
}

// Which cluster shades a block.
uint32_t gpu_cluster_of(const gpu_t *g, uint32_t bx, uint32_t by);

// Each does what its stage can do at `now`; *next becomes the earliest cycle at which it
// can do more by itself.
void gpu_geometry_step(gpu_t *g, uint64_t now, uint64_t *next);
void gpu_raster_step(gpu_t *g, uint64_t now, uint64_t *next);
void gpu_depth_step(gpu_t *g, uint64_t now, uint64_t *next);
void gpu_shading_step(gpu_t *g, uint64_t now, uint64_t *next);
void gpu_rop_step(gpu_t *g, uint64_t now, uint64_t *next);

// Moves all combined touches to the queue; false while it has no room for them.
bool gpu_flush_touches(gpu_t *g);

// False: out of memory.
bool gpu_memory_create(gpu_t *g);
void gpu_memory_destroy(gpu_t *g);

// Each starts an access and returns the cycle at which its data are there; with a shared
// memory the waiter waits for the responses too.
void gpu_memory_vertices(gpu_t *g, uint64_t now, uint64_t bytes);
uint64_t gpu_memory_depth(gpu_t *g, uint64_t now, const gpu_draw_t *d, uint32_t bx, uint32_t by,
                          uint32_t waiter);
uint64_t gpu_memory_color(gpu_t *g, uint64_t now, const gpu_draw_t *d, uint32_t bx, uint32_t by,
                          uint32_t waiter);
uint64_t gpu_memory_textures(gpu_t *g, uint64_t now, uint32_t sm, const render_shaded_t *shaded);

// With a shared memory: sends requests and takes responses.
void gpu_memory_step(gpu_t *g, uint64_t now);

// With modelled texture units. begin: what is to be sampled; read: stamps of it, for an SM's units;
// end: when all are answered, or at once if there are none. step: hands quads over and takes
// samples.
bool gpu_texture_create(gpu_t *g);
void gpu_texture_destroy(gpu_t *g);
void gpu_texture_begin(gpu_t *g, uint64_t now, uint32_t slot);
void gpu_texture_read(gpu_t *g, uint32_t sm, uint32_t slot, uint32_t stage, uint32_t stamps);
void gpu_texture_end(gpu_t *g, uint64_t now, uint32_t slot);
void gpu_texture_step(gpu_t *g, uint64_t now);
bool gpu_texture_busy(const gpu_t *g);

// ---- Shading by warps (docs/shader.md): stamps of blocks are assembled into warps, in order, of
// one draw; the warps of a cluster wait in a FIFO for an SM with room.

// False: out of memory.
bool gpu_warps_create(gpu_t *g);
void gpu_warps_destroy(gpu_t *g);

// The skeleton of a draw's fragment program.
const program_t *gpu_warps_program(const gpu_t *g, uint32_t command);

// Whether the cluster takes a block.
bool gpu_warps_room(const gpu_t *g, uint32_t cluster);

// A block at its place in to_rop goes to warps; it may leave for the ROP when their last has ended
// and `fetched`, the cycle at which depth and colour are there, has come.
void gpu_warps_take(gpu_t *g, uint64_t now, uint32_t slot);
void gpu_warps_fetched(gpu_t *g, uint32_t slot, uint64_t fetched);

// The cycle from which the cluster's last warps go on.
uint64_t gpu_warps_next(const gpu_t *g, uint64_t now, uint32_t cluster);

// A sample of modelled texture units has come: of the block's so manieth stamp.
void gpu_warps_sample(gpu_t *g, uint64_t now, uint32_t slot, uint32_t stage, uint32_t stamp);

// SMs work, full or overdue warps go on. True if another stage may see it: a warp was closed or
// launched, or a block's last one has ended.
bool gpu_warps_step(gpu_t *g, uint64_t now, uint64_t *next);

// Something will happen at a cycle that is known.
bool gpu_warps_due(const gpu_t *g);

const shader_stats_t *gpu_warps_stats(const gpu_t *g);
const gpu_dispatch_stats_t *gpu_warps_dispatch(const gpu_t *g);

// More requests wait than stages may add to.
static inline bool gpu_memory_full(const gpu_t *g) {
  return g->request_queue.count > GpuRequestLimit;
}

#endif
