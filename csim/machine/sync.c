// Barrier and broadcast at a switch of render target or depth buffer (CHOPIN, V):
// every GPU sends the tiles that it owns and has written since the last broadcast to
// all others.
//
// Time: the links of a GPU work in parallel, each carrying all that its owner sends;
// a GPU takes in what all others send at its memory's bandwidth. So the broadcast
// lasts as long as the slower of the two, plus one latency of the link.
#include <string.h>

#include "machine_internal.h"

enum { TileBytes = 4 * SurfaceTilePixels };

static surface_t *surface_of(machine_t *m, uint32_t g, uint16_t index, bool depth) {
  return depth ? gpu_depth(m->nodes[g].gpu, index) : gpu_target(m->nodes[g].gpu, index);
}

// A tile of one GPU's to all others.
static void copy_tile(machine_t *m, uint32_t owner, uint16_t index, bool depth, uint32_t tile) {
  const surface_t *s = surface_of(m, owner, index, depth);
  size_t at = (size_t)tile * SurfaceTilePixels;
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    if (g == owner) {
      continue;
    }
    surface_t *d = surface_of(m, g, index, depth);
    memcpy((depth ? d->depth : d->color) + at, (depth ? s->depth : s->color) + at, TileBytes);
    if (depth) {
      memcpy(d->stencil + at, s->stencil + at, SurfaceTilePixels);
    }
  }
}

// The tiles of a surface belong to those that drew them: by the map of the target, if there is
// one. Nothing was drawn beyond the smaller of the two.
static uint64_t broadcast_tiles(machine_t *m, uint16_t index, bool depth, uint16_t target,
                                uint64_t *sent) {
  const surface_t *size = surface_of(m, 0, index, depth);
  const surface_t *map = target == FrameNone ? size : surface_of(m, 0, target, false);
  const uint8_t *owners = target == FrameNone ? m->depth_owners[index] : m->target_owners[target];
  uint64_t all = 0;
  for (uint32_t y = 0; y < size->tiles_y && y < map->tiles_y; y++) {
    for (uint32_t x = 0; x < size->tiles_x && x < map->tiles_x; x++) {
      uint32_t owner = owners[y * map->tiles_x + x], tile = y * size->tiles_x + x;
      if (surface_of(m, owner, index, depth)->dirty[tile]) {
        copy_tile(m, owner, index, depth, tile);
        sent[owner] += TileBytes;
        all += TileBytes;
      }
    }
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    memset(surface_of(m, g, index, depth)->dirty, 0, (size_t)size->tiles_x * size->tiles_y);
  }
  return all;
}

static uint64_t broadcast(machine_t *m, const plan_item_t *item) {
  uint64_t sent[UnitMaxGpus] = {0};
  uint64_t all = 0;
  if (item->sync_target != FrameNone) {
    all += broadcast_tiles(m, item->sync_target, false, item->sync_owner, sent);
  }
  if (item->sync_depth != FrameNone) {
    all += broadcast_tiles(m, item->sync_depth, true, item->sync_owner, sent);
  }
  uint64_t longest = 0;
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    uint64_t out = sent[g] / m->params.link.bytes_per_cycle;
    uint64_t in = (all - sent[g]) / m->params.memory_bytes_per_cycle;
    longest = out > longest ? out : longest;
    longest = in > longest ? in : longest;
  }
  m->stats.sync_bytes += all * (m->params.gpus - 1);
  if (machine_ideal(m)) {
    return 0;
  }
  return longest + m->params.link.latency;
}

uint64_t sync_step(machine_t *m) {
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    node_t *n = &m->nodes[g];
    uint32_t token;
    if (!n->advanced || n->at_barrier || !gpu_held(n->gpu, &token) || token == HOLD_COMPOSE) {
      continue;
    }
    n->at_barrier = true;
    m->barrier_count++;
    if (m->barrier_count == m->params.gpus) {
      // The last report travels to the driver, the broadcast runs, the order travels back.
      uint64_t start = m->now + m->params.message_latency;
      m->barrier_release =
          start + broadcast(m, &m->plan->items[token]) + m->params.message_latency;
      m->stats.syncs++;
      m->stats.sync_cycles += m->barrier_release - m->now;
    }
  }
  if (m->barrier_count < m->params.gpus) {
    return UINT64_MAX;
  }
  if (m->now < m->barrier_release) {
    return m->barrier_release;
  }
  m->barrier_count = 0;
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    m->nodes[g].at_barrier = false;
    gpu_release(m->nodes[g].gpu, m->now, UINT32_MAX);
    m->nodes[g].wake = m->now;
  }
  return m->now + 1;
}
