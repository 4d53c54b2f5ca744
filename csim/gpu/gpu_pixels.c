// SPDX-License-Identifier: Apache-2.0
// Early depth, shading and ROP: in order within a cluster, a block at a time.
#include "gpu_internal.h"

// Some of the culled pixels, at random.
static uint64_t retained_of(gpu_t *g, uint64_t culled) {
  uint64_t retained = 0;
  for (uint64_t rest = g->params.retain ? culled : 0; rest; rest &= rest - 1) {
    retained |= rng_chance(&g->retain, g->params.retain) ? rest & -rest : 0;
  }
  g->stats.fragments_retained += (uint64_t)__builtin_popcountll(retained);
  return retained;
}

void gpu_depth_step(gpu_t *g, uint64_t now, uint64_t *next) {
  while (g->depth_queue.count > 0) {
    gpu_block_t *b = &g->to_depth[g->depth_queue.head];
    uint64_t start = cycle_later(b->ready, g->depth_free);
    if (start > now) {
      cycle_earliest(next, start);
      return;
    }
    const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
    bool early = d->tests && !d->late;
    gpu_cluster_t *c = &g->cluster[gpu_cluster_of(g, b->bx, b->by)];
    // What a discarding draw will write late must be there before it is tested.
    if (g->shading_queue.count >= g->params.shading_queue || (early && c->late_in_flight > 0) ||
        gpu_memory_full(g)) {
      return;
    }
    uint64_t mask = b->mask, retained = 0, ready = now;
    uint32_t cycles = 1;
    if (early) {
      cycles = gpu_stamp_cycles(lanes_stamp_count(mask), g->params.depth_stamps);
      mask = render_depth(&d->draw, gpu_raster(g, b->triangle), b->bx, b->by, mask);
      g->stats.fragments_early_passed += (uint64_t)__builtin_popcountll(mask);
      retained = retained_of(g, b->mask & ~mask);
      uint32_t slot = (g->shading_queue.head + g->shading_queue.count) % GpuBlocks;
      ready = gpu_memory_depth(g, now, d, b->bx, b->by, mask | retained ? slot : GpuWaitsNone);
    }
    g->depth_free = now + cycles;
    g->stats.busy_depth += cycles;
    gpu_note_end(g, d, g->depth_free);
    if (mask | retained) {
      gpu_block_t *to = gpu_ring_push(g->to_shading, &g->shading_queue);
      *to = *b;
      to->mask = mask;
      to->retained = retained;
      to->ready = cycle_later(ready, g->depth_free);
      cycle_earliest(next, g->shading_queue.count == 1 ? to->ready : GPU_NEVER);
      to->cluster = (uint8_t)(c - g->cluster);
      c->late_in_flight += d->late;
    }
    gpu_ring_pop(&g->depth_queue, GpuBlocks);
  }
}

// The SM of the cluster whose work ends first.
static uint32_t choose_sm(const gpu_t *g, uint32_t cluster) {
  uint32_t first = cluster * g->cluster_sms, sm = first, end = first + g->cluster_sms;
  for (uint32_t i = first + 1; i < end && i < g->params.sms; i++) {
    sm = g->sm_free[i] < g->sm_free[sm] ? i : sm;
  }
  return sm;
}

// Issue slots and texture units of an SM work side by side; the busier one counts.
// Stamps of several blocks share a warp, so that a block costs its share. With modelled
// texture units the issue slots count here, and the samples come when they come.
static void run_program(gpu_t *g, uint64_t now, uint32_t slot) {
  gpu_block_t *b = &g->to_rop[slot];
  const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
  uint64_t all = b->mask | b->retained;
  uint32_t stamps = lanes_stamp_count(all), sm = choose_sm(g, b->cluster);
  uint64_t busy = stamps * d->issue_cost, filled = now;
  uint32_t fragments = (uint32_t)__builtin_popcountll(all);
  if (g->texturing.units) {
    g->stats.texture_requests += (uint64_t)fragments * d->draw.shade.stage_count;
  } else {
    render_shaded_t shaded;
    uint64_t sampling = stamps * d->texture_cost;
    busy = busy > sampling ? busy : sampling;
    uint64_t kept = render_shade(&d->draw, gpu_raster(g, b->triangle), b->bx, b->by, all,
                                 g->colors[slot], &shaded);
    b->mask &= kept;
    b->retained &= kept;
    filled = gpu_memory_textures(g, now, sm, &shaded);
    g->stats.texture_requests += shaded.probes;
    g->stats.fragments_discarded += fragments - (uint32_t)__builtin_popcountll(kept);
  }
  g->sm_free[sm] = cycle_later(g->sm_free[sm], now * GpuTimeOne) + busy;
  uint64_t done = (g->sm_free[sm] + GpuTimeOne - 1) / GpuTimeOne + g->params.shading_latency;
  g->stats.busy_shading += busy / GpuTimeOne;
  g->stats.warps += (stamps * 4 + g->params.lanes - 1) / g->params.lanes;
  b->stamps = (uint8_t)stamps;
  b->ready = cycle_later(done, filled + 1);
  if (g->texturing.units && render_needs_colors(&d->draw)) {
    gpu_texture_begin(g, now, slot);
    for (uint32_t s = 0; s < d->draw.shade.stage_count; s++) {
      gpu_texture_read(g, sm, slot, s, (1u << g->works[slot].lanes / 4) - 1);
    }
  }
}

// Whether the cluster has room for a block.
static bool room_in(const gpu_t *g, uint32_t cluster) {
  return g->warps ? gpu_warps_room(g, cluster)
                  : g->cluster[cluster].stamps_in_flight < g->stamp_limit;
}

// A place in to_rop, the last one of its cluster.
static uint32_t take_place(gpu_t *g, gpu_cluster_t *c) {
  uint32_t slot = g->free_place[g->free_places.head];
  gpu_ring_pop(&g->free_places, GpuBlocks);
  c->slots[(c->ring.head + c->ring.count++) % GpuBlocks] = (uint16_t)slot;
  g->in_rop++;
  return slot;
}

static void give_place(gpu_t *g, gpu_cluster_t *c) {
  uint32_t slot = c->slots[c->ring.head];
  gpu_ring_pop(&c->ring, GpuBlocks);
  g->free_place[(g->free_places.head + g->free_places.count++) % GpuBlocks] = (uint16_t)slot;
  g->in_rop--;
}

void gpu_shading_step(gpu_t *g, uint64_t now, uint64_t *next) {
  while (g->shading_queue.count > 0) {
    gpu_block_t *b = &g->to_shading[g->shading_queue.head];
    uint64_t start = cycle_later(b->ready, g->shading_free);
    if (start > now) {
      cycle_earliest(next, start);
      return;
    }
    gpu_cluster_t *c = &g->cluster[b->cluster];
    if (!room_in(g, b->cluster) || g->in_rop >= g->places - 1 ||
        g->waits[g->shading_queue.head] > 0 || gpu_memory_full(g)) {
      return;
    }
    const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
    uint32_t slot = take_place(g, c);
    gpu_block_t *to = &g->to_rop[slot];
    uint32_t stamps = lanes_stamp_count(b->mask | b->retained);
    *to = *b;
    to->stamps = 0;
    to->ready = now + 1;
    to->order = g->block_order++;
    uint64_t fetched = now + 1;
    if (d->runs) {
      uint32_t fragments = (uint32_t)__builtin_popcountll(b->mask | b->retained);
      g->stats.fragments_shaded += fragments;
      gpu_cost(g, d)->fragments_shaded += fragments;
      (g->warps ? gpu_warps_take : run_program)(g, now, slot);
      c->stamps_in_flight += to->stamps;
    }
    // What the ROP needs is fetched while the program runs.
    if (d->late) {
      fetched = cycle_later(fetched,
                            gpu_memory_depth(g, now, d, b->bx, b->by, GpuWaitsRop + slot));
    }
    if (d->colors && (to->mask | to->retained)) {
      fetched = cycle_later(fetched,
                            gpu_memory_color(g, now, d, b->bx, b->by, GpuWaitsRop + slot));
    }
    if (g->warps && d->runs) {
      gpu_warps_fetched(g, slot, fetched);
      cycle_earliest(next, gpu_warps_next(g, now, to->cluster));
    } else {
      to->ready = cycle_later(to->ready, fetched);
    }
    cycle_earliest(next, c->ring.count == 1 ? to->ready : GPU_NEVER);
    g->shading_free = now + gpu_stamp_cycles(stamps, g->params.shading_stamps);
    gpu_ring_pop(&g->shading_queue, GpuBlocks);
  }
}

static void push_touch(gpu_t *g, const gpu_touch_t *t) {
  g->touches[(g->touch_queue.head + g->touch_queue.count++) % GpuTouches] = *t;
}

bool gpu_flush_touches(gpu_t *g) {
  for (uint32_t i = 0; i < GpuCombine; i++) {
    if (g->combining[i].stamps) {
      if (g->touch_queue.count >= GpuTouches - 1) {
        return false;
      }
      push_touch(g, &g->combining[i]);
      g->combining[i].stamps = 0;
    }
  }
  return true;
}

static void touch(gpu_t *g, const gpu_block_t *b, uint64_t mask) {
  gpu_touch_t *t = &g->combining[(b->bx ^ b->by * 9u) % GpuCombine];
  if (t->stamps && (t->block_x != b->bx || t->block_y != b->by)) {
    push_touch(g, t);
    t->stamps = 0;
  }
  t->block_x = b->bx;
  t->block_y = b->by;
  t->stamps |= lanes_stamps(mask);
}

// The oldest block that the ROP may take, of those that are their cluster's first; NULL: none is
// ready, and *next knows when one is, as far as it is known.
static gpu_cluster_t *ready_cluster(gpu_t *g, uint64_t now, uint64_t *next) {
  gpu_cluster_t *oldest = NULL;
  uint32_t order = 0;
  for (uint32_t i = 0; i < g->clusters; i++) {
    gpu_cluster_t *c = &g->cluster[i];
    if (c->ring.count == 0) {
      continue;
    }
    uint32_t slot = c->slots[c->ring.head];
    const gpu_block_t *b = &g->to_rop[slot];
    uint64_t start = cycle_later(b->ready, g->rop_free);
    if (start > now) {
      cycle_earliest(next, start);
    } else if (g->waits[GpuWaitsRop + slot] == 0 && (!g->texturing.units || !g->quads[slot]) &&
               (!oldest || (int32_t)(b->order - order) < 0)) {
      oldest = c;  // the others wait for responses
      order = b->order;
    }
  }
  return oldest;
}

void gpu_rop_step(gpu_t *g, uint64_t now, uint64_t *next) {
  gpu_cluster_t *c;
  while ((c = ready_cluster(g, now, next))) {
    if (g->touch_queue.count >= g->params.touch_queue) {
      return;  // until the distribution unit takes one
    }
    uint32_t slot = c->slots[c->ring.head];
    gpu_block_t *b = &g->to_rop[slot];
    const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
    uint64_t written = render_write(&d->draw, gpu_raster(g, b->triangle), b->bx, b->by, b->mask,
                                    g->colors[slot]);
    uint32_t stamps = d->colors || d->late ? lanes_stamp_count(b->mask | b->retained) : 0;
    uint32_t cycles = gpu_stamp_cycles(stamps, g->params.rop_stamps);
    g->rop_free = now + cycles;
    gpu_note_end(g, d, g->rop_free);
    g->stats.busy_rop += cycles;
    g->stats.fragments_written += (uint64_t)__builtin_popcountll(written);
    if (d->command.compose && written) {
      touch(g, b, written);
    }
    c->late_in_flight -= d->late;
    c->stamps_in_flight -= b->stamps;
    give_place(g, c);
  }
}
