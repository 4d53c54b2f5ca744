// SPDX-License-Identifier: Apache-2.0
// Assembly and launch of warps, and the answers to what the SMs ask.
#include "gpu_warps.h"

#include <stdlib.h>
#include <string.h>

#include "gpu_programs.h"
#include "gpu_tc.h"

enum {
  Stamps = ShaderLanes / 4,
  MaxClosed = 3,  // warps that one block can close
  NoWarp = 0xffff,
};

typedef struct {
  uint32_t lanes;  // with a fragment
  const gpu_draw_t *draw;
  uint32_t triangle;                   // sequence number of the one that came last
  uint64_t closes;                     // cycle at which it goes on without being full
  uint16_t pending[FrameMaxTextures];  // quads that are not answered
  uint16_t slot[Stamps];               // of each stamp: its block's place in the pool
  uint8_t stamp[Stamps];               // and which of the block's 16 it is
  uint8_t read[FrameMaxTextures];      // stamps whose stage was read
  uint8_t count, primitives;
  uint8_t tile;  // of the coalescer
} warp_t;

// Warps that a cluster takes together, with gpu.batch_warps.
typedef struct {
  uint32_t left, live;  // not launched yet; launched and not ended
  uint32_t number;      // of the next one
  uint64_t full;        // cycle from which the FIFO's warps count as one
  uint64_t shaded;      // pixels when it began
} batch_t;

struct gpu_warps {
  gpu_site_t *site;
  gpu_pool_t *pool;
  gpu_memory_t *memory;
  gpu_sampler_t *sampler;  // NULL: texture is a rate
  gpu_tc_t *tc;            // NULL: stamps are assembled in order
  shader_t *shader;
  uint32_t residency;  // warps in an SM
  warp_t open[GpuMaxClusters];
  batch_t batch[GpuMaxClusters];
  gpu_ring_t waiting[GpuMaxClusters];
  warp_t *fifo;  // of each cluster fifo_places
  uint32_t fifo_places;
  warp_t *resident;                  // of each SM ShaderMaxWarps
  uint64_t texture_free[GpuMaxSms];  // in 1/256 cycles
  bool seen;                         // something happened that other stages see
  gpu_dispatch_stats_t dispatch;
  uint64_t counted;        // its cycles are counted up to this one
  uint64_t shaded_pixels;  // of warps that have ended
  // For each place of the pool
  uint8_t parts[GpuBlocks];         // warps that have not ended
  uint64_t fragments[GpuBlocks];    // as they came
  uint16_t warp_of[GpuBlocks][16];  // of each stamp that is read: SM and place of its warp
  render_shaded_t *shaded;          // texture lines, where texture is a rate
  program_t *programs;
  uint32_t *program_of;  // of each command
};

static warp_t *resident(const gpu_warps_t *w, uint32_t sm, uint32_t warp) {
  return &w->resident[sm * ShaderMaxWarps + warp];
}

// Returns the rank of a stamp among those with a fragment.
static uint32_t rank_of(uint64_t fragments, uint32_t stamp) {
  uint64_t below = lanes_stamp_bits(fragments) & ((1ull << 4 * stamp) - 1);
  return (uint32_t)__builtin_popcountll(below);
}

// Returns, by rank, the stamps of the mask that are in the block of stamp `from`. *to: the first
// stamp of the next block.
static uint32_t ranks_of(const gpu_warps_t *all, const warp_t *w, uint32_t stamps, uint32_t from,
                         uint32_t *to) {
  uint32_t ranks = 0, slot = w->slot[from], i = from;
  for (; i < w->count && w->slot[i] == slot; i++) {
    if (stamps >> i & 1) {
      ranks |= 1u << rank_of(all->fragments[slot], w->stamp[i]);
    }
  }
  *to = i;
  return ranks;
}

// Counts the cycles until now, before clusters get, launch or end a warp.
static void count_dispatch(gpu_warps_t *all, uint64_t now) {
  gpu_dispatch_stats_t *s = &all->dispatch;
  uint64_t cycles = now - all->counted;
  bool any = false;
  if (all->site->params.dispatch == GpuDispatchFree || cycles == 0) {
    return;
  }
  for (uint32_t c = 0; c < all->site->clusters; c++) {
    any |= all->batch[c].live || all->waiting[c].count;
  }
  for (uint32_t c = 0; c < all->site->clusters; c++) {
    uint32_t live = all->batch[c].live, waiting = all->waiting[c].count;
    s->busy.of[c] += live ? cycles : 0;
    s->starved.of[c] += any && !live && !waiting ? cycles : 0;
    s->fifo_full.of[c] += waiting >= all->site->params.cluster_fifo ? cycles : 0;
  }
  all->counted = now;
}

// ---- Answers to the SMs ----

// Returns the lanes of stamp i whose pixels are in the mask of their block.
static uint32_t lanes_in(const warp_t *w, uint32_t i, uint64_t pixels) {
  return (uint32_t)(pixels >> 4 * w->stamp[i] & 15) << 4 * i;
}

// Returns the fragments of the block that the alpha test failed, as far as it is known.
static uint64_t failed(const gpu_warps_t *all, uint32_t slot) {
  const gpu_block_t *b = &all->pool->block[slot];
  bool known = !all->sampler || all->pool->samples[slot] == 0;
  return known ? all->fragments[slot] & ~(b->mask | b->retained) : 0;
}

static uint64_t bright(gpu_warps_t *all, const warp_t *w, uint32_t slot, const program_op_t *op) {
  const gpu_draw_t *d = w->draw;
  const gpu_block_t *b = &all->pool->block[slot];
  if (op->stage >= d->draw.shade.stage_count) {
    return 0;
  }
  if (all->sampler) {
    return gpu_sampler_bright(all->sampler, slot, op->stage, op->ref);
  }
  return shade_sampled_bright(&d->draw.shade, b->raster, b->bx, b->by, all->fragments[slot],
                              op->stage, op->ref);
}

static uint64_t placed(const gpu_warps_t *all, uint32_t slot, const program_op_t *op) {
  const gpu_block_t *b = &all->pool->block[slot];
  uint64_t pixels = 0;
  for (uint64_t rest = all->fragments[slot]; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    if (program_holds(op, b->bx * 8u + lanes_x(i), b->by * 8u + lanes_y(i))) {
      pixels |= 1ull << i;
    }
  }
  return pixels;
}

static uint32_t ask_lanes(void *self, uint32_t sm, uint32_t warp, const program_op_t *op) {
  gpu_warps_t *all = self;
  const warp_t *w = resident(all, sm, warp);
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < w->count;) {
    uint32_t slot = w->slot[i];
    uint64_t pixels = op->kind == ProgramKill || op->predicate == ProgramOnKill ? failed(all, slot)
                      : op->predicate == ProgramOnTexel ? bright(all, w, slot, op)
                                                        : placed(all, slot, op);
    for (; i < w->count && w->slot[i] == slot; i++) {
      lanes |= lanes_in(w, i, pixels);
    }
  }
  return lanes;
}

// Sends the quads that this warp has not read yet to modelled texture units; returns their number.
static uint32_t send_reads(gpu_warps_t *all, uint32_t sm, warp_t *w, uint32_t id, uint32_t stage,
                           uint32_t stamps) {
  uint32_t sent = 0, next;
  stamps &= ~(uint32_t)w->read[stage];
  all->seen = true;  // the units are offered them in the next cycle
  w->read[stage] |= (uint8_t)stamps;
  for (uint32_t i = 0; i < w->count; i = next) {
    uint32_t slot = w->slot[i], ranks = ranks_of(all, w, stamps, i, &next);
    for (uint32_t rest = ranks; rest; rest &= rest - 1) {
      all->warp_of[slot][__builtin_ctz(rest)] = (uint16_t)id;
      sent++;
    }
    if (ranks) {
      gpu_sampler_read(all->sampler, sm, slot, stage, ranks);
    }
  }
  return sent;
}

// Reads the lines of these stamps of a block, where texture is a rate.
static uint64_t read_lines(gpu_warps_t *all, uint64_t now, uint32_t sm, uint32_t slot,
                           uint32_t stage, uint32_t ranks) {
  const render_shaded_t *of = &all->shaded[slot];
  render_shaded_t some;
  some.line_count = 0;
  for (uint32_t k = of->first[stage]; k < of->first[stage + 1]; k++) {
    // A line is read by its stamp and those up to the next one's.
    bool last = k + 1 == of->first[stage + 1] || of->of[k + 1] <= of->of[k];
    uint32_t until = last ? 16 : of->of[k + 1];
    uint32_t readers = ((1u << until) - 1) & ~((1u << of->of[k]) - 1);
    if (ranks & readers) {
      some.lines[some.line_count++] = of->lines[k];
    }
  }
  return gpu_memory_textures(all->memory, now, sm, &some);
}

static uint64_t read_by_rate(gpu_warps_t *all, uint64_t now, uint32_t sm, const warp_t *w,
                             uint32_t stage, uint32_t stamps) {
  const gpu_params_t *p = &all->site->params;
  uint64_t *free_at = &all->texture_free[sm];
  uint32_t cycles = stage && p->texture_next_cycles ? p->texture_next_cycles : p->texture_cycles;
  uint64_t cost = (uint64_t)__builtin_popcount(stamps) * GpuTimeOne * cycles / p->texture_units;
  *free_at = cycle_later(*free_at, now * GpuTimeOne) + cost;
  uint64_t ready = (*free_at + GpuTimeOne - 1) / GpuTimeOne;
  uint32_t next;
  for (uint32_t i = 0; i < w->count; i = next) {
    uint32_t slot = w->slot[i], ranks = ranks_of(all, w, stamps, i, &next);
    if (ranks) {
      ready = cycle_later(ready, read_lines(all, now, sm, slot, stage, ranks) + 1);
    }
  }
  return ready;
}

static uint64_t ask_texture(void *self, uint64_t now, uint32_t sm, uint32_t warp, uint32_t stage,
                            uint32_t stamps) {
  gpu_warps_t *all = self;
  warp_t *w = resident(all, sm, warp);
  const gpu_draw_t *d = w->draw;
  if (stage >= d->draw.shade.stage_count) {
    return now;
  }
  all->site->stats.texture_reads++;
  if (!all->sampler) {
    return read_by_rate(all, now, sm, w, stage, stamps);
  }
  if (!render_needs_colors(&d->draw)) {
    return now;
  }
  uint32_t sent = send_reads(all, sm, w, sm * ShaderMaxWarps + warp, stage, stamps);
  w->pending[stage] = (uint16_t)(w->pending[stage] + sent);
  return w->pending[stage] ? SHADER_LATER : now;
}

// A sample has come: tells the warp that waits for it.
static void take_sample(gpu_warps_t *all, uint64_t now, const gpu_sample_t *s) {
  uint32_t id = all->warp_of[s->slot][s->stamp];
  if (id == NoWarp) {
    return;
  }
  uint32_t sm = id / ShaderMaxWarps, warp = id % ShaderMaxWarps;
  if (--resident(all, sm, warp)->pending[s->stage] == 0) {
    shader_textured(all->shader, now, sm, warp, s->stage);
  }
}

// Reads what the skeleton has not read when it is over, because a picture needs all samples.
static void read_rest(gpu_warps_t *all, uint32_t sm, warp_t *w) {
  const gpu_draw_t *d = w->draw;
  if (!all->sampler || !render_needs_colors(&d->draw)) {
    return;
  }
  for (uint32_t s = 0; s < d->draw.shade.stage_count; s++) {
    send_reads(all, sm, w, NoWarp, s, (1u << w->count) - 1);
  }
}

static void end_in_batch(gpu_warps_t *all, uint64_t now, uint32_t cluster) {
  batch_t *b = &all->batch[cluster];
  uint64_t *most = &all->dispatch.pixels_at_stall;
  count_dispatch(all, now);
  if (--b->live == 0 && b->left == 0 && all->site->params.batch_warps) {
    *most = cycle_later(*most, all->shaded_pixels - b->shaded);
  }
}

static void ask_end(void *self, uint64_t now, uint32_t sm, uint32_t warp, uint32_t alive) {
  gpu_warps_t *all = self;
  warp_t *w = resident(all, sm, warp);
  (void)alive;
  read_rest(all, sm, w);
  all->shaded_pixels += (uint64_t)__builtin_popcount(w->lanes);
  end_in_batch(all, now, sm / all->site->cluster_sms);
  if (all->tc) {
    gpu_tc_end_warp(all->tc, sm / all->site->cluster_sms, w->tile);
  }
  for (uint32_t i = 0; i < w->count; i++) {
    uint32_t slot = w->slot[i];
    if (i + 1 < w->count && w->slot[i + 1] == slot) {
      continue;
    }
    if (--all->parts[slot] == 0 && !(all->tc && gpu_tc_left(all->tc, slot))) {
      all->seen = true;
      all->pool->block[slot].ready =
          cycle_later(all->pool->fetched[slot], now + all->site->params.shading_latency);
    }
  }
}

// ---- Assembly ----

static void close_warp(gpu_warps_t *all, uint64_t now, uint32_t cluster) {
  warp_t *open = &all->open[cluster];
  gpu_ring_t *r = &all->waiting[cluster];
  count_dispatch(all, now);
  all->dispatch.warps.of[cluster]++;
  all->dispatch.stamps.of[cluster] += open->count;
  all->dispatch.primitives.of[cluster] += open->primitives;
  all->fifo[cluster * all->fifo_places + (r->head + r->count++) % all->fifo_places] = *open;
  open->count = 0;
  all->batch[cluster].full = now + all->site->params.warp_wait;
}

static void add_stamp(gpu_warps_t *all, uint64_t now, uint32_t slot, uint32_t stamp) {
  const gpu_block_t *b = &all->pool->block[slot];
  warp_t *w = &all->open[b->cluster];
  bool another = w->count && w->triangle != b->triangle;
  if (w->count &&
      (w->draw != b->draw || (another && w->primitives == all->site->params.warp_primitives))) {
    close_warp(all, now, b->cluster);
  }
  if (w->count == 0) {
    *w = (warp_t){.draw = b->draw, .primitives = 1};
  } else {
    w->primitives += another;
  }
  w->triangle = b->triangle;
  all->parts[slot] += w->count == 0 || w->slot[w->count - 1] != slot;
  w->slot[w->count] = (uint16_t)slot;
  w->stamp[w->count] = (uint8_t)stamp;
  w->lanes |= lanes_in(w, w->count, all->fragments[slot]);
  w->closes = now + all->site->params.warp_wait;
  if (++w->count == Stamps) {
    close_warp(all, now, b->cluster);
  }
}

// Makes the warps of a TC tile.
static void launch_tile(gpu_warps_t *all, uint64_t now, uint32_t cluster, const gpu_tile_t *tile) {
  warp_t *w = &all->open[cluster];
  for (uint32_t half = 0; half < 2; half++) {
    const gpu_half_t *h = &tile->half[half];
    *w = (warp_t){.tile = tile->id, .count = h->count};
    memcpy(w->slot, h->slot, sizeof w->slot);
    memcpy(w->stamp, h->stamp, sizeof w->stamp);
    for (uint32_t i = 0; i < w->count; i++) {
      bool another = i == 0 || w->slot[i] != w->slot[i - 1];
      w->lanes |= lanes_in(w, i, all->fragments[w->slot[i]]);
      w->primitives += another;
      all->parts[w->slot[i]] += another;
    }
    if (w->count) {
      w->draw = all->pool->block[w->slot[0]].draw;
      close_warp(all, now, cluster);
    }
  }
}

// Steps the coalescer of a cluster.
static void step_tc(gpu_warps_t *all, uint64_t now, uint64_t *next, uint32_t cluster) {
  gpu_tile_t tile;
  bool ready = all->waiting[cluster].count + 2 <= all->site->params.cluster_fifo;
  if (gpu_tc_step(all->tc, now, next, cluster, ready, &tile, &all->seen)) {
    launch_tile(all, now, cluster, &tile);
  }
}

static bool room(const void *self, uint32_t cluster) {
  const gpu_warps_t *all = self;
  if (all->tc) {
    return gpu_tc_room(all->tc, cluster);
  }
  return all->waiting[cluster].count < all->site->params.cluster_fifo;
}

// Takes a block. It may leave for the ROP when its last warp has ended, and depth and colour are
// there.
static void run(void *self, uint64_t now, uint32_t slot, uint64_t *next) {
  gpu_warps_t *all = self;
  gpu_block_t *b = &all->pool->block[slot];
  const gpu_draw_t *d = b->draw;
  gpu_stats_t *stats = &all->site->stats;
  uint64_t fragments = b->mask | b->retained;
  uint32_t count = (uint32_t)__builtin_popcountll(fragments);
  all->fragments[slot] = fragments;
  all->parts[slot] = 0;
  b->ready = GPU_NEVER;
  b->stamps = (uint8_t)lanes_stamp_count(fragments);
  if (all->sampler) {
    stats->texture_requests += (uint64_t)count * d->draw.shade.stage_count;
    if (render_needs_colors(&d->draw)) {
      gpu_sampler_begin(all->sampler, now, slot);
    }
  } else {
    render_shaded_t *shaded = &all->shaded[slot];
    uint64_t kept =
        render_shade(&d->draw, b->raster, b->bx, b->by, fragments, all->pool->colors[slot], shaded);
    b->mask &= kept;
    b->retained &= kept;
    stats->texture_requests += shaded->probes;
    stats->fragments_discarded += count - (uint32_t)__builtin_popcountll(kept);
  }
  if (all->tc) {
    gpu_tc_push(all->tc, slot, fragments);
    cycle_earliest(next, now + 1);
    return;
  }
  for (uint64_t rest = lanes_stamp_bits(fragments); rest; rest &= rest - 1) {
    add_stamp(all, now, slot, (uint32_t)__builtin_ctzll(rest) / 4);
  }
  bool waiting = all->waiting[b->cluster].count;
  cycle_earliest(next, waiting ? now + 1 : all->open[b->cluster].closes);
}

// ---- Launch ----

// Returns the first SM behind the cluster's last.
static uint32_t end_of(const gpu_warps_t *all, uint32_t cluster) {
  uint32_t end = (cluster + 1) * all->site->cluster_sms;
  return end < all->site->params.sms ? end : all->site->params.sms;
}

static uint32_t emptiest_sm(const gpu_warps_t *all, uint32_t cluster) {
  uint32_t best = UINT32_MAX, fewest = all->residency;
  for (uint32_t i = cluster * all->site->cluster_sms; i < end_of(all, cluster); i++) {
    uint32_t n = shader_resident(all->shader, i);
    if (n < fewest) {
      fewest = n;
      best = i;
    }
  }
  return best;
}

// With batches, returns the SM of the FIFO's first warp, by its number in the batch. UINT32_MAX:
// the batch is not complete, or the one before has not ended, or the SM has no room.
static uint32_t batch_sm(gpu_warps_t *all, uint64_t now, uint64_t *next, uint32_t cluster) {
  batch_t *b = &all->batch[cluster];
  uint32_t waiting = all->waiting[cluster].count;
  if (b->left == 0) {
    if (b->live > 0) {
      return UINT32_MAX;
    }
    if (waiting < all->site->params.batch_warps && b->full > now) {
      cycle_earliest(next, b->full);
      return UINT32_MAX;
    }
    b->left = waiting < all->site->params.batch_warps ? waiting : all->site->params.batch_warps;
    b->number = 0;
    b->shaded = all->shaded_pixels;
  }
  uint32_t first = cluster * all->site->cluster_sms;
  uint32_t sm = first + b->number % (end_of(all, cluster) - first);
  return shader_resident(all->shader, sm) < all->residency ? sm : UINT32_MAX;
}

// Returns the skeleton of a draw's fragment program.
static const program_t *program_of(const gpu_warps_t *all, const gpu_draw_t *d) {
  return &all->programs[all->program_of[d->command.command]];
}

static void launch(gpu_warps_t *all, uint64_t now, uint64_t *next, uint32_t cluster) {
  gpu_ring_t *r = &all->waiting[cluster];
  batch_t *batch = &all->batch[cluster];
  bool batches = all->site->params.batch_warps > 0;
  uint32_t sm;
  while (r->count > 0 && (sm = batches ? batch_sm(all, now, next, cluster)
                                       : emptiest_sm(all, cluster)) != UINT32_MAX) {
    const warp_t *w = &all->fifo[cluster * all->fifo_places + r->head];
    count_dispatch(all, now);
    shader_launch_t launch = {program_of(all, w->draw), w->lanes};
    uint32_t place = shader_launch(all->shader, now, sm, &launch);
    *resident(all, sm, place) = *w;
    gpu_ring_pop(r, all->fifo_places);
    batch->left -= batches;
    batch->live++;
    batch->number++;
    all->seen = true;
    all->site->stats.warps++;
    cycle_earliest(next, now + 1);
  }
}

bool gpu_warps_step(gpu_warps_t *all, uint64_t now, uint64_t *next) {
  gpu_sample_t sample;
  while (all->sampler && gpu_sampler_answer(all->sampler, &sample)) {
    take_sample(all, now, &sample);
  }
  all->seen = false;
  shader_step(all->shader, now, next);
  for (uint32_t c = 0; c < all->site->clusters; c++) {
    warp_t *open = &all->open[c];
    if (open->count && open->closes <= now) {
      close_warp(all, now, c);
      all->seen = true;
    }
    if (all->tc) {
      step_tc(all, now, next, c);
    }
    launch(all, now, next, c);
    if (open->count) {
      cycle_earliest(next, open->closes);
    }
    // The ROP was asked before the warps that have just ended.
    const gpu_cluster_t *cluster = &all->pool->cluster[c];
    const gpu_block_t *b = cluster->ring.count ? &all->pool->block[gpu_pool_first(cluster)] : NULL;
    cycle_earliest(next, b && b->ready > now ? b->ready : GPU_NEVER);
  }
  all->site->stats.busy_shading = shader_stats(all->shader)->slots / all->site->params.schedulers;
  return all->seen;
}

static bool busy(const void *self, uint64_t now) {
  const gpu_warps_t *all = self;
  (void)now;
  for (uint32_t c = 0; c < all->site->clusters; c++) {
    const batch_t *b = &all->batch[c];
    bool gathers = all->waiting[c].count && b->left == 0 && b->live == 0;
    if (all->open[c].count || gathers) {
      return true;
    }
  }
  return (all->tc && gpu_tc_busy(all->tc)) || shader_due(all->shader);
}

static void describe(const void *self, text_t *text) {
  const gpu_warps_t *all = self;
  if (all->tc) {
    gpu_tc_describe(all->tc, text);
  }
}

const gpu_dispatch_stats_t *gpu_warps_dispatch(const gpu_warps_t *all) { return &all->dispatch; }

const shader_stats_t *gpu_warps_stats(const gpu_warps_t *all) { return shader_stats(all->shader); }

// ---- Creation ----

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static bool make(gpu_warps_t *all) {
  const gpu_params_t *p = &all->site->params;
  shader_params_t s = {.sms = p->sms,
                       .schedulers = p->schedulers,
                       .lanes = p->lanes,
                       .alu_groups = p->alu_groups,
                       .sfu_lanes = p->sfu_lanes,
                       .alu_latency = p->alu_latency,
                       .sfu_latency = p->sfu_latency,
                       .warps = p->warps,
                       .issue_per_warp = p->issue_per_warp,
                       .dependent = p->dependent,
                       .greedy = p->warp_policy == GpuPolicyGreedy,
                       .predicated = p->divergence == GpuDivergencePredicated};
  all->residency = least(p->warps, p->threads / ShaderLanes);
  if (p->thread_registers) {
    all->residency = least(all->residency, p->registers / (ShaderLanes * p->thread_registers));
  }
  all->fifo_places = p->cluster_fifo + MaxClosed;
  all->fifo = calloc((size_t)all->site->clusters * all->fifo_places, sizeof *all->fifo);
  all->resident = calloc((size_t)p->sms * ShaderMaxWarps, sizeof *all->resident);
  all->shaded = all->sampler ? NULL : calloc(GpuBlocks, sizeof *all->shaded);
  all->shader = shader_create(&s, (shader_ports_t){all, ask_lanes, ask_texture, ask_end});
  return all->fifo && all->resident && (all->shaded || all->sampler) && all->shader &&
         gpu_programs_make(all->site->frame, &all->programs, &all->program_of);
}

static void destroy(void *self) {
  gpu_warps_t *all = self;
  shader_destroy(all->shader);
  gpu_tc_destroy(all->tc);
  free(all->fifo);
  free(all->resident);
  free(all->shaded);
  free(all->programs);
  free(all->program_of);
  free(all);
}

gpu_warps_t *gpu_warps_create(gpu_part_t *part, gpu_site_t *site, gpu_pool_t *pool,
                              gpu_memory_t *memory, gpu_sampler_t *sampler, gpu_sms_t *sms,
                              const gpu_units_t *units, err_t *err) {
  gpu_warps_t *all = calloc(1, sizeof *all);
  *part = (gpu_part_t){.self = all, .busy = busy, .describe = describe, .destroy = destroy};
  *sms = (gpu_sms_t){all, room, run};
  if (!all) {
    return NULL;
  }
  all->site = site;
  all->pool = pool;
  all->memory = memory;
  all->sampler = sampler;
  if (site->params.tc_engines && !(all->tc = gpu_tc_create(site, pool, memory, units, err))) {
    return NULL;
  }
  return make(all) ? all : NULL;
}
