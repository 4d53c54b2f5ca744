// SPDX-License-Identifier: Apache-2.0
#include "sync.h"

#include <stdlib.h>
#include <string.h>

#include "csim/gpu/render.h"

enum {
  TileBytes = 4 * SurfaceTilePixels,
  BlockBytes = 4 * SurfaceBlockPixels,
  BlockMapBytes = SurfaceBlocksPerTile / 8,  // which blocks of a tile are sent
};

struct sync {
  site_t site;
  uint64_t waiting;  // GPUs at the barrier
  uint64_t release;  // once all wait
  uint64_t now;      // of the broadcast
  halt_t *halt;
  sync_stats_t stats;
  surface_t *targets, *depths;  // as broadcast last
};

static surface_t *surface_of(const sync_t *s, uint32_t g, uint16_t index, bool depth) {
  gpu_t *gpu = s->site.nodes[g].gpu;
  return depth ? gpu_depth(gpu, index) : gpu_target(gpu, index);
}

// Copies a block of one GPU's to all others.
static void copy_block(sync_t *s, const surface_t *from, uint16_t index, bool depth, size_t at) {
  surface_touch(from, at / SurfaceTilePixels);
  for (uint32_t g = 0; g < s->site.params->gpus; g++) {
    surface_t *to = surface_of(s, g, index, depth);
    if (to == from) {
      continue;
    }
    surface_touch(to, at / SurfaceTilePixels);
    surface_copy(to, from, at, SurfaceBlockPixels);
  }
}

// Gives all others a whole tile of one GPU's, which waits there: as the clear that it is, or in
// what all share.
static void share_tile(sync_t *s, const surface_t *from, uint16_t index, bool depth,
                       uint32_t tile) {
  const bool is_clear = surface_waits(from, tile);
  surface_clear_t given =
      is_clear ? from->clears[tile] : (surface_clear_t){.waits = SurfaceWaitsCopy};
  if (!is_clear) {
    surface_touch(from, tile);
    surface_copy(from->shared, from, (size_t)tile * SurfaceTilePixels, SurfaceTilePixels);
  }
  given.waits &= (uint8_t)~SurfaceWaitsTies;
  for (uint32_t g = 0; g < s->site.params->gpus; g++) {
    const surface_t *to = surface_of(s, g, index, depth);
    if (to != from) {
      const uint8_t ties = to->clears[tile].waits & SurfaceWaitsTies;
      to->clears[tile] = given;
      to->clears[tile].waits |= ties;
    }
  }
}

// Tells if the same waits for both, which needs no look at pixels.
static bool same_clear(const surface_t *a, const surface_t *b, size_t tile) {
  const surface_clear_t *x = &a->clears[tile], *y = &b->clears[tile];
  return ((x->waits ^ y->waits) & ~SurfaceWaitsTies) == 0 && x->word == y->word &&
         x->stencil == y->stencil && (surface_waits(a, tile) || (x->waits & SurfaceWaitsCopy));
}

static bool same_block(const surface_t *a, const surface_t *b, bool depth, size_t at) {
  const size_t tile = at / SurfaceTilePixels;
  if (same_clear(a, b, tile)) {
    return true;
  }
  surface_touch(a, tile);
  surface_touch(b, tile);
  if (!depth) {
    return memcmp(a->color + at, b->color + at, BlockBytes) == 0;
  }
  uint32_t differ = 0;
  for (uint32_t i = 0; i < SurfaceBlockPixels; i++) {
    differ |= a->depth[at + i] ^ b->depth[at + i];
  }
  return (differ & SurfaceDepthMask) == 0 &&
         memcmp(a->stencil + at, b->stencil + at, SurfaceBlockPixels) == 0;
}

// Pixels that are not sent must be the same on all GPUs already.
static void check_block(sync_t *s, const surface_t *owned, uint16_t index, bool depth, size_t at) {
  for (uint32_t g = 0; g < s->site.params->gpus; g++) {
    if (!same_block(owned, surface_of(s, g, index, depth), depth, at)) {
      halt_set(s->halt, MachineProtocol, s->now,
               "sync: block %u of tile %u of %s %u is not sent, and GPU %u has not what its owner "
               "has",
               (uint32_t)(at / SurfaceBlockPixels % SurfaceBlocksPerTile),
               (uint32_t)(at / SurfaceTilePixels), depth ? "depth buffer" : "target", index, g);
    }
  }
}

// Returns the bytes that a tile's owner sends to each other GPU.
static uint64_t broadcast_tile(sync_t *s, const surface_t *owned, uint16_t index, bool depth,
                               uint32_t tile) {
  const machine_params_t *p = s->site.params;
  uint64_t blocks = p->sync_blocks       ? owned->dirty_blocks[tile]
                    : owned->dirty[tile] ? UINT64_MAX
                                         : 0;
  if (blocks == UINT64_MAX) {
    share_tile(s, owned, index, depth, tile);
  }
  for (uint32_t i = 0; blocks != UINT64_MAX && i < SurfaceBlocksPerTile; i++) {
    size_t at = (size_t)tile * SurfaceTilePixels + (size_t)i * SurfaceBlockPixels;
    if (blocks >> i & 1) {
      copy_block(s, owned, index, depth, at);
    } else if (p->sync_blocks || p->sync_needed) {
      check_block(s, owned, index, depth, at);
    }
  }
  if (!p->sync_blocks || !blocks) {
    return blocks ? TileBytes : 0;
  }
  uint64_t count = (uint64_t)__builtin_popcountll(blocks);
  s->stats.blocks += count;
  s->stats.blocks_left += SurfaceBlocksPerTile - count;
  return BlockMapBytes + BlockBytes * count;
}

// The tiles of a surface belong to those that drew them: by the map of the target, if there is
// one. Nothing was drawn beyond the smaller of the two.
static uint64_t broadcast_tiles(sync_t *s, uint16_t index, bool depth, uint16_t target,
                                uint64_t *sent) {
  const surface_t *size = surface_of(s, 0, index, depth);
  const owner_map_t *map = owners_drawn(s->site.owners, target, index);
  uint64_t all = 0;
  for (uint32_t y = 0; y < size->tiles_y && y < map->tiles_y; y++) {
    for (uint32_t x = 0; x < size->tiles_x && x < map->tiles_x; x++) {
      uint32_t owner = map->tiles[y * map->tiles_x + x], tile = y * size->tiles_x + x;
      uint64_t bytes = broadcast_tile(s, surface_of(s, owner, index, depth), index, depth, tile);
      sent[owner] += bytes;
      all += bytes;
    }
  }
  size_t tiles = (size_t)size->tiles_x * size->tiles_y;
  for (uint32_t g = 0; g < s->site.params->gpus; g++) {
    surface_t *t = surface_of(s, g, index, depth);
    memset(t->dirty, 0, tiles);
    memset(t->dirty_blocks, 0, tiles * sizeof *t->dirty_blocks);
  }
  return all;
}

static uint64_t broadcast(sync_t *s, const plan_item_t *item) {
  const machine_params_t *p = s->site.params;
  uint64_t sent[UnitMaxGpus] = {0};
  uint64_t all = 0;
  if (item->sync_target != FrameNone) {
    all += broadcast_tiles(s, item->sync_target, false, item->sync_owner, sent);
  }
  if (item->sync_depth != FrameNone) {
    all += broadcast_tiles(s, item->sync_depth, true, item->sync_owner, sent);
  }
  uint64_t longest = 0;
  for (uint32_t g = 0; g < p->gpus; g++) {
    uint64_t out = sent[g] / p->link.bytes_per_cycle;
    uint64_t in = (all - sent[g]) / p->memory_bytes_per_cycle;
    longest = out > longest ? out : longest;
    longest = in > longest ? in : longest;
  }
  s->stats.bytes += all * (p->gpus - 1);
  bool is_free = machine_ideal(p) && p->ideal_broadcast == MachineBroadcastFree;
  return is_free ? 0 : longest + p->link.latency;
}

// The last report travels to the driver, the broadcast runs, the order travels back.
static void all_wait(sync_t *s, uint64_t now, uint32_t item) {
  uint64_t message = s->site.params->message_latency;
  s->release = now + message + broadcast(s, &s->site.plan->items[item]) + message;
  s->stats.syncs++;
  s->stats.cycles += s->release - now;
}

static uint64_t step(void *self, uint64_t now, halt_t *halt) {
  sync_t *s = self;
  uint64_t all = site_all(&s->site);
  s->now = now;
  s->halt = halt;
  for (uint64_t left = s->site.turns->advanced & ~s->waiting; left; left &= left - 1) {
    const uint32_t g = (uint32_t)__builtin_ctzll(left);
    uint32_t token;
    if (gpu_held(s->site.nodes[g].gpu, &token) && token != HOLD_COMPOSE) {
      s->waiting |= 1ull << g;
      if (s->waiting == all) {
        all_wait(s, now, token);
      }
    }
  }
  if (s->waiting != all) {
    return UINT64_MAX;
  }
  if (now < s->release) {
    return s->release;
  }
  s->waiting = 0;
  for (uint32_t g = 0; g < s->site.params->gpus; g++) {
    gpu_release(s->site.nodes[g].gpu, now, UINT32_MAX);
    site_wake(&s->site, g, now);
  }
  return now + 1;
}

static bool busy(const void *self) { return ((const sync_t *)self)->waiting != 0; }
static uint64_t work(const void *self) { return ((const sync_t *)self)->stats.syncs; }

sync_t *sync_create(const site_t *site) {
  sync_t *s = calloc(1, sizeof *s);
  const frame_t *f = site->frame;
  if (!s || !render_surfaces_create_waiting(f, &s->targets, &s->depths)) {
    free(s);
    return NULL;
  }
  s->site = *site;
  for (uint32_t g = 0; g < site->params->gpus; g++) {
    for (uint16_t i = 0; i < f->target_count; i++) {
      surface_of(s, g, i, false)->shared = &s->targets[i];
    }
    for (uint16_t i = 0; i < f->depth_count; i++) {
      surface_of(s, g, i, true)->shared = &s->depths[i];
    }
  }
  return s;
}

static void destroy(void *self) {
  sync_t *s = self;
  render_surfaces_destroy(s->site.frame, s->targets, s->depths);
  free(s);
}

part_t sync_part(sync_t *s) {
  return (part_t){.self = s, .step = step, .busy = busy, .work = work, .destroy = destroy};
}

const sync_stats_t *sync_stats(const sync_t *s) { return &s->stats; }
