// Barrier and broadcast at a switch of render target or depth buffer (CHOPIN, V):
// every GPU sends the tiles that it owns and has written since the last broadcast to
// all others.
//
// Time: the links of a GPU work in parallel, each carrying all that its owner sends;
// a GPU takes in what all others send at its memory's bandwidth. So the broadcast
// lasts as long as the slower of the two, plus one latency of the link.
#include <string.h>

#include "machine_internal.h"

static uint64_t broadcast_tiles(machine_t *m, uint16_t index, bool depth, uint64_t *sent) {
  uint32_t gpus = m->params.gpus;
  const frame_surface_t *f = depth ? &m->frame->depths[index] : &m->frame->targets[index];
  const uint8_t *owners = depth ? m->depth_owners[index] : m->target_owners[index];
  uint32_t tiles = ((f->width + 63) / 64) * ((f->height + 63) / 64);
  uint64_t all = 0;
  for (uint32_t t = 0; t < tiles; t++) {
    uint32_t owner = owners[t];
    gpu_t *from = m->nodes[owner].gpu;
    surface_t *s = depth ? gpu_depth(from, index) : gpu_target(from, index);
    if (!s->dirty[t]) {
      continue;
    }
    uint64_t bytes = 4ull * SurfaceTilePixels;
    sent[owner] += bytes;
    all += bytes;
    size_t at = (size_t)t * SurfaceTilePixels;
    for (uint32_t g = 0; g < gpus; g++) {
      if (g == owner) {
        continue;
      }
      surface_t *d = depth ? gpu_depth(m->nodes[g].gpu, index) : gpu_target(m->nodes[g].gpu, index);
      uint32_t *to = depth ? d->depth : d->color;
      memcpy(to + at, (depth ? s->depth : s->color) + at, bytes);
      if (depth && s->stencil && d->stencil) {
        memcpy(d->stencil + at, s->stencil + at, SurfaceTilePixels);
      }
    }
  }
  for (uint32_t g = 0; g < gpus; g++) {
    surface_t *d = depth ? gpu_depth(m->nodes[g].gpu, index) : gpu_target(m->nodes[g].gpu, index);
    memset(d->dirty, 0, tiles);
  }
  return all;
}

static uint64_t broadcast(machine_t *m, const plan_item_t *item) {
  uint64_t sent[UnitMaxGpus] = {0};
  uint64_t all = 0;
  if (item->sync_target != FrameNone) {
    all += broadcast_tiles(m, item->sync_target, false, sent);
  }
  if (item->sync_depth != FrameNone) {
    all += broadcast_tiles(m, item->sync_depth, true, sent);
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
