// SPDX-License-Identifier: Apache-2.0
// Shading by warps: assembly, launch, and what the SMs ask.
#include "gpu_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
  Stamps = ShaderLanes / 4,
  MaxClosed = 3,       // warps that one block can close
  NoWarp = 0xffff,
};

typedef struct {
  uint32_t lanes;              // with a fragment
  uint32_t draw, triangle;     // sequence numbers; the triangle that came last
  uint64_t closes;             // cycle at which it goes on without being full
  uint16_t pending[FrameMaxTextures];  // quads that are not answered
  uint16_t slot[Stamps];       // of each stamp: its block's place in to_rop
  uint8_t stamp[Stamps];       // and which of the block's 16 it is
  uint8_t read[FrameMaxTextures];      // stamps whose stage was read
  uint8_t count, primitives;
} gpu_warp_t;

// Warps that a cluster takes together, with gpu.batch_warps.
typedef struct {
  uint32_t left, live;         // not launched yet; launched and not ended
  uint32_t number;             // of the next one
  uint64_t full;               // cycle from which the FIFO's warps count as one
  uint64_t shaded;             // pixels when it began
} gpu_batch_t;

struct gpu_warps {
  shader_t *shader;
  uint32_t residency;          // warps in an SM
  gpu_warp_t open[GpuMaxClusters];
  gpu_batch_t batch[GpuMaxClusters];
  gpu_ring_t waiting[GpuMaxClusters];
  gpu_warp_t *fifo;            // of each cluster fifo_places
  uint32_t fifo_places;
  gpu_warp_t *resident;        // of each SM ShaderMaxWarps
  uint64_t texture_free[GpuMaxSms];    // in 1/256 cycles
  bool seen;                   // something happened that other stages see
  gpu_dispatch_stats_t dispatch;
  uint64_t counted;            // its cycles are counted up to this one
  uint64_t shaded_pixels;      // of warps that have ended
  // Of each place of to_rop
  uint8_t parts[GpuBlocks];    // warps that have not ended
  uint64_t fetched[GpuBlocks];
  uint64_t fragments[GpuBlocks];       // as they came
  uint16_t warp_of[GpuBlocks][16];     // of each stamp that is read: SM and place of its warp
  render_shaded_t *shaded;     // texture lines, where texture is a rate
  program_t *programs;
  uint32_t *program_of;        // of each command
};

static gpu_warp_t *resident(const gpu_warps_t *w, uint32_t sm, uint32_t warp) {
  return &w->resident[sm * ShaderMaxWarps + warp];
}

static const gpu_draw_t *draw_of(const gpu_t *g, const gpu_warp_t *w) {
  return &g->draws[w->draw % GpuDraws];
}

// Which of the stamps with a fragment it is.
static uint32_t rank_of(uint64_t fragments, uint32_t stamp) {
  uint64_t below = lanes_stamp_bits(fragments) & ((1ull << 4 * stamp) - 1);
  return (uint32_t)__builtin_popcountll(below);
}

// Of the warp's stamps in the mask, those of the block that stamp `from` belongs to, by rank.
static uint32_t ranks_of(const gpu_t *g, const gpu_warp_t *w, uint32_t stamps, uint32_t from,
                         uint32_t *to) {
  uint32_t ranks = 0, slot = w->slot[from], i = from;
  for (; i < w->count && w->slot[i] == slot; i++) {
    if (stamps >> i & 1) {
      ranks |= 1u << rank_of(g->warps->fragments[slot], w->stamp[i]);
    }
  }
  *to = i;
  return ranks;
}

// Before clusters get, launch or end a warp.
static void count_dispatch(gpu_t *g, uint64_t now) {
  gpu_warps_t *all = g->warps;
  gpu_dispatch_stats_t *s = &all->dispatch;
  uint64_t cycles = now - all->counted;
  bool any = false;
  if (g->params.dispatch != GpuDispatchG80 || cycles == 0) {
    return;
  }
  for (uint32_t c = 0; c < g->clusters; c++) {
    any |= all->batch[c].live || all->waiting[c].count;
  }
  for (uint32_t c = 0; c < g->clusters; c++) {
    uint32_t live = all->batch[c].live, waiting = all->waiting[c].count;
    s->busy[c] += live ? cycles : 0;
    s->starved[c] += any && !live && !waiting ? cycles : 0;
    s->fifo_full[c] += waiting >= g->params.cluster_fifo ? cycles : 0;
  }
  all->counted = now;
}

// ---- What the SMs ask ----

// Lanes of the warp with a bit in the mask of their block's pixels.
static uint32_t lanes_in(const gpu_warp_t *w, uint32_t i, uint64_t pixels) {
  return (uint32_t)(pixels >> 4 * w->stamp[i] & 15) << 4 * i;
}

// Fragments of the block that the alpha test failed, as far as it is known.
static uint64_t failed(const gpu_t *g, uint32_t slot) {
  const gpu_block_t *b = &g->to_rop[slot];
  bool known = !g->texturing.units || g->quads[slot] == 0;
  return known ? g->warps->fragments[slot] & ~(b->mask | b->retained) : 0;
}

static uint64_t bright(gpu_t *g, const gpu_warp_t *w, uint32_t slot, const program_op_t *op) {
  const gpu_draw_t *d = draw_of(g, w);
  const gpu_block_t *b = &g->to_rop[slot];
  if (op->stage >= d->draw.shade.stage_count) {
    return 0;
  }
  if (g->texturing.units) {
    return shade_bright(&g->works[slot], op->stage, op->ref);
  }
  return shade_sampled_bright(&d->draw.shade, gpu_raster(g, b->triangle), b->bx, b->by,
                              g->warps->fragments[slot], op->stage, op->ref);
}

static uint64_t placed(const gpu_t *g, uint32_t slot, const program_op_t *op) {
  const gpu_block_t *b = &g->to_rop[slot];
  uint64_t pixels = 0;
  for (uint64_t rest = g->warps->fragments[slot]; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctzll(rest);
    if (program_holds(op, b->bx * 8u + lanes_x(i), b->by * 8u + lanes_y(i))) {
      pixels |= 1ull << i;
    }
  }
  return pixels;
}

static uint32_t ask_lanes(void *self, uint32_t sm, uint32_t warp, const program_op_t *op) {
  gpu_t *g = self;
  const gpu_warp_t *w = resident(g->warps, sm, warp);
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < w->count;) {
    uint32_t slot = w->slot[i];
    uint64_t pixels = op->kind == ProgramKill || op->predicate == ProgramOnKill ? failed(g, slot)
                      : op->predicate == ProgramOnTexel ? bright(g, w, slot, op)
                                                        : placed(g, slot, op);
    for (; i < w->count && w->slot[i] == slot; i++) {
      lanes |= lanes_in(w, i, pixels);
    }
  }
  return lanes;
}

// Modelled texture units: quads that have not been read by this warp yet. Their number.
static uint32_t send_reads(gpu_t *g, uint32_t sm, gpu_warp_t *w, uint32_t id, uint32_t stage,
                           uint32_t stamps) {
  uint32_t sent = 0, next;
  stamps &= ~(uint32_t)w->read[stage];
  g->warps->seen = true;  // the units are offered them in the next cycle
  w->read[stage] |= (uint8_t)stamps;
  for (uint32_t i = 0; i < w->count; i = next) {
    uint32_t slot = w->slot[i], ranks = ranks_of(g, w, stamps, i, &next);
    for (uint32_t rest = ranks; rest; rest &= rest - 1) {
      g->warps->warp_of[slot][__builtin_ctz(rest)] = (uint16_t)id;
      sent++;
    }
    if (ranks) {
      gpu_texture_read(g, sm, slot, stage, ranks);
    }
  }
  return sent;
}

// Texture as a rate: the lines that these stamps of a block read.
static uint64_t read_lines(gpu_t *g, uint64_t now, uint32_t sm, uint32_t slot, uint32_t stage,
                           uint32_t ranks) {
  const render_shaded_t *all = &g->warps->shaded[slot];
  render_shaded_t some;
  some.line_count = 0;
  for (uint32_t k = all->first[stage]; k < all->first[stage + 1]; k++) {
    // A line is read by its stamp and those up to the next one's.
    bool last = k + 1 == all->first[stage + 1] || all->of[k + 1] <= all->of[k];
    uint32_t until = last ? 16 : all->of[k + 1];
    uint32_t readers = ((1u << until) - 1) & ~((1u << all->of[k]) - 1);
    if (ranks & readers) {
      some.lines[some.line_count++] = all->lines[k];
    }
  }
  return gpu_memory_textures(g, now, sm, &some);
}

static uint64_t read_by_rate(gpu_t *g, uint64_t now, uint32_t sm, const gpu_warp_t *w,
                             uint32_t stage, uint32_t stamps) {
  const gpu_params_t *p = &g->params;
  uint64_t *free_at = &g->warps->texture_free[sm];
  uint32_t cycles = stage && p->texture_next_cycles ? p->texture_next_cycles : p->texture_cycles;
  uint64_t cost = (uint64_t)__builtin_popcount(stamps) * GpuTimeOne * cycles / p->texture_units;
  *free_at = cycle_later(*free_at, now * GpuTimeOne) + cost;
  uint64_t ready = (*free_at + GpuTimeOne - 1) / GpuTimeOne;
  uint32_t next;
  for (uint32_t i = 0; i < w->count; i = next) {
    uint32_t slot = w->slot[i], ranks = ranks_of(g, w, stamps, i, &next);
    if (ranks) {
      ready = cycle_later(ready, read_lines(g, now, sm, slot, stage, ranks) + 1);
    }
  }
  return ready;
}

static uint64_t ask_texture(void *self, uint64_t now, uint32_t sm, uint32_t warp, uint32_t stage,
                            uint32_t stamps) {
  gpu_t *g = self;
  gpu_warp_t *w = resident(g->warps, sm, warp);
  const gpu_draw_t *d = draw_of(g, w);
  if (stage >= d->draw.shade.stage_count) {
    return now;
  }
  g->stats.texture_reads++;
  if (!g->texturing.units) {
    return read_by_rate(g, now, sm, w, stage, stamps);
  }
  if (!render_needs_colors(&d->draw)) {
    return now;
  }
  uint32_t sent = send_reads(g, sm, w, sm * ShaderMaxWarps + warp, stage, stamps);
  w->pending[stage] = (uint16_t)(w->pending[stage] + sent);
  return w->pending[stage] ? SHADER_LATER : now;
}

void gpu_warps_sample(gpu_t *g, uint64_t now, uint32_t slot, uint32_t stage, uint32_t stamp) {
  uint32_t id = g->warps->warp_of[slot][stamp];
  if (id == NoWarp) {
    return;
  }
  uint32_t sm = id / ShaderMaxWarps, warp = id % ShaderMaxWarps;
  if (--resident(g->warps, sm, warp)->pending[stage] == 0) {
    shader_textured(g->warps->shader, now, sm, warp, stage);
  }
}

// A picture needs all samples: what the skeleton did not read is read when it is over.
static void read_rest(gpu_t *g, uint32_t sm, gpu_warp_t *w) {
  const gpu_draw_t *d = draw_of(g, w);
  if (!g->texturing.units || !render_needs_colors(&d->draw)) {
    return;
  }
  for (uint32_t s = 0; s < d->draw.shade.stage_count; s++) {
    send_reads(g, sm, w, NoWarp, s, (1u << w->count) - 1);
  }
}

static void end_in_batch(gpu_t *g, uint64_t now, uint32_t cluster) {
  gpu_batch_t *b = &g->warps->batch[cluster];
  uint64_t *most = &g->warps->dispatch.pixels_at_stall;
  count_dispatch(g, now);
  if (--b->live == 0 && b->left == 0 && g->params.batch_warps) {
    *most = cycle_later(*most, g->warps->shaded_pixels - b->shaded);
  }
}

static void ask_end(void *self, uint64_t now, uint32_t sm, uint32_t warp, uint32_t alive) {
  gpu_t *g = self;
  gpu_warps_t *all = g->warps;
  gpu_warp_t *w = resident(all, sm, warp);
  (void)alive;
  read_rest(g, sm, w);
  all->shaded_pixels += (uint64_t)__builtin_popcount(w->lanes);
  end_in_batch(g, now, sm / g->cluster_sms);
  for (uint32_t i = 0; i < w->count; i++) {
    uint32_t slot = w->slot[i];
    if (i + 1 < w->count && w->slot[i + 1] == slot) {
      continue;
    }
    if (--all->parts[slot] == 0) {
      all->seen = true;
      g->to_rop[slot].ready = cycle_later(all->fetched[slot], now + g->params.shading_latency);
    }
  }
}

// ---- Assembly ----

static void close_warp(gpu_t *g, uint64_t now, uint32_t cluster) {
  gpu_warps_t *all = g->warps;
  gpu_warp_t *open = &all->open[cluster];
  gpu_ring_t *r = &all->waiting[cluster];
  count_dispatch(g, now);
  all->dispatch.warps++;
  all->dispatch.stamps += open->count;
  all->dispatch.primitives += open->primitives;
  all->fifo[cluster * all->fifo_places + (r->head + r->count++) % all->fifo_places] = *open;
  open->count = 0;
  all->batch[cluster].full = now + g->params.warp_wait;
}

static void add_stamp(gpu_t *g, uint64_t now, uint32_t slot, uint32_t stamp) {
  const gpu_block_t *b = &g->to_rop[slot];
  gpu_warp_t *w = &g->warps->open[b->cluster];
  bool another = w->count && w->triangle != b->triangle;
  if (w->count && (w->draw != b->draw ||
                   (another && w->primitives == g->params.warp_primitives))) {
    close_warp(g, now, b->cluster);
  }
  if (w->count == 0) {
    *w = (gpu_warp_t){.draw = b->draw, .primitives = 1};
  } else {
    w->primitives += another;
  }
  w->triangle = b->triangle;
  g->warps->parts[slot] += w->count == 0 || w->slot[w->count - 1] != slot;
  w->slot[w->count] = (uint16_t)slot;
  w->stamp[w->count] = (uint8_t)stamp;
  w->lanes |= lanes_in(w, w->count, g->warps->fragments[slot]);
  w->closes = now + g->params.warp_wait;
  if (++w->count == Stamps) {
    close_warp(g, now, b->cluster);
  }
}

bool gpu_warps_room(const gpu_t *g, uint32_t cluster) {
  return g->warps->waiting[cluster].count < g->params.cluster_fifo;
}

void gpu_warps_fetched(gpu_t *g, uint32_t slot, uint64_t fetched) {
  g->warps->fetched[slot] = fetched;
}

uint64_t gpu_warps_next(const gpu_t *g, uint64_t now, uint32_t cluster) {
  return g->warps->waiting[cluster].count ? now + 1 : g->warps->open[cluster].closes;
}

void gpu_warps_take(gpu_t *g, uint64_t now, uint32_t slot) {
  gpu_warps_t *all = g->warps;
  gpu_block_t *b = &g->to_rop[slot];
  const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
  uint64_t fragments = b->mask | b->retained;
  uint32_t count = (uint32_t)__builtin_popcountll(fragments);
  all->fragments[slot] = fragments;
  all->parts[slot] = 0;
  b->ready = GPU_NEVER;
  b->stamps = (uint8_t)lanes_stamp_count(fragments);
  if (g->texturing.units) {
    g->stats.texture_requests += (uint64_t)count * d->draw.shade.stage_count;
    g->quads[slot] = 0;
    if (render_needs_colors(&d->draw)) {
      gpu_texture_begin(g, now, slot);
    }
  } else {
    render_shaded_t *shaded = &all->shaded[slot];
    uint64_t kept = render_shade(&d->draw, gpu_raster(g, b->triangle), b->bx, b->by, fragments,
                                 g->colors[slot], shaded);
    b->mask &= kept;
    b->retained &= kept;
    g->stats.texture_requests += shaded->probes;
    g->stats.fragments_discarded += count - (uint32_t)__builtin_popcountll(kept);
  }
  for (uint64_t rest = lanes_stamp_bits(fragments); rest; rest &= rest - 1) {
    add_stamp(g, now, slot, (uint32_t)__builtin_ctzll(rest) / 4);
  }
}

// ---- Launch ----

// The first SM behind the cluster's last.
static uint32_t end_of(const gpu_t *g, uint32_t cluster) {
  uint32_t end = (cluster + 1) * g->cluster_sms;
  return end < g->params.sms ? end : g->params.sms;
}

static uint32_t emptiest_sm(const gpu_t *g, uint32_t cluster) {
  uint32_t best = UINT32_MAX, fewest = g->warps->residency;
  for (uint32_t i = cluster * g->cluster_sms; i < end_of(g, cluster); i++) {
    uint32_t n = shader_resident(g->warps->shader, i);
    if (n < fewest) {
      fewest = n;
      best = i;
    }
  }
  return best;
}

// With batches: of the FIFO's first warp, whose number in its batch says which. UINT32_MAX: the
// batch is not complete, or the one before has not ended, or the SM has no room.
static uint32_t batch_sm(const gpu_t *g, uint64_t now, uint64_t *next, uint32_t cluster) {
  gpu_batch_t *b = &g->warps->batch[cluster];
  uint32_t waiting = g->warps->waiting[cluster].count;
  if (b->left == 0) {
    if (b->live > 0) {
      return UINT32_MAX;
    }
    if (waiting < g->params.batch_warps && b->full > now) {
      cycle_earliest(next, b->full);
      return UINT32_MAX;
    }
    b->left = waiting < g->params.batch_warps ? waiting : g->params.batch_warps;
    b->number = 0;
    b->shaded = g->warps->shaded_pixels;
  }
  uint32_t first = cluster * g->cluster_sms, sm = first + b->number % (end_of(g, cluster) - first);
  return shader_resident(g->warps->shader, sm) < g->warps->residency ? sm : UINT32_MAX;
}

static void launch(gpu_t *g, uint64_t now, uint64_t *next, uint32_t cluster) {
  gpu_warps_t *all = g->warps;
  gpu_ring_t *r = &all->waiting[cluster];
  gpu_batch_t *batch = &all->batch[cluster];
  bool batches = g->params.batch_warps > 0;
  uint32_t sm;
  while (r->count > 0 && (sm = batches ? batch_sm(g, now, next, cluster)
                                       : emptiest_sm(g, cluster)) != UINT32_MAX) {
    const gpu_warp_t *w = &all->fifo[cluster * all->fifo_places + r->head];
    count_dispatch(g, now);
    shader_launch_t launch = {draw_of(g, w)->program, w->lanes};
    uint32_t place = shader_launch(all->shader, now, sm, &launch);
    *resident(all, sm, place) = *w;
    gpu_ring_pop(r, all->fifo_places);
    batch->left -= batches;
    batch->live++;
    batch->number++;
    all->seen = true;
    g->stats.warps++;
    cycle_earliest(next, now + 1);
  }
}

bool gpu_warps_step(gpu_t *g, uint64_t now, uint64_t *next) {
  gpu_warps_t *all = g->warps;
  all->seen = false;
  shader_step(all->shader, now, next);
  for (uint32_t c = 0; c < g->clusters; c++) {
    gpu_warp_t *open = &all->open[c];
    if (open->count && open->closes <= now) {
      close_warp(g, now, c);
      all->seen = true;
    }
    launch(g, now, next, c);
    if (open->count) {
      cycle_earliest(next, open->closes);
    }
    // The ROP was asked before the warps that have just ended.
    const gpu_ring_t *r = &g->cluster[c].ring;
    const gpu_block_t *b = r->count ? &g->to_rop[g->cluster[c].slots[r->head]] : NULL;
    cycle_earliest(next, b && b->ready > now ? b->ready : GPU_NEVER);
  }
  g->stats.busy_shading = shader_stats(all->shader)->slots / g->params.schedulers;
  return all->seen;
}

bool gpu_warps_due(const gpu_t *g) {
  for (uint32_t c = 0; c < g->clusters; c++) {
    const gpu_batch_t *b = &g->warps->batch[c];
    bool gathers = g->warps->waiting[c].count && b->left == 0 && b->live == 0;
    if (g->warps->open[c].count || gathers) {
      return true;
    }
  }
  return shader_due(g->warps->shader);
}

const gpu_dispatch_stats_t *gpu_warps_dispatch(const gpu_t *g) { return &g->warps->dispatch; }

const shader_stats_t *gpu_warps_stats(const gpu_t *g) { return shader_stats(g->warps->shader); }

// ---- Creation ----

const program_t *gpu_warps_program(const gpu_t *g, uint32_t command) {
  return &g->warps->programs[g->warps->program_of[command]];
}

static bool tests_alpha(const frame_state_t *s) {
  return s->alpha_test && s->alpha_func != FrameFuncAlways;
}

static uint32_t stages_of(const frame_state_t *s) {
  uint32_t stages = 0;
  for (uint32_t k = 0; k < FrameMaxTextures; k++) {
    stages += s->stages[k].texture != FrameNone;
  }
  return stages;
}

static bool same_program(const frame_cmd_t *a, const frame_cmd_t *b) {
  if (a->program || b->program) {
    return a->program == b->program;
  }
  return a->fragment_length == b->fragment_length &&
         stages_of(&a->state) == stages_of(&b->state) &&
         tests_alpha(&a->state) == tests_alpha(&b->state);
}

// Each distinct program once.
static bool make_programs(gpu_t *g) {
  gpu_warps_t *all = g->warps;
  const frame_t *f = g->frame;
  char unused[64];
  uint32_t *first = calloc(f->command_count + 1, sizeof *first), count = 0;
  all->program_of = calloc(f->command_count + 1, sizeof *all->program_of);
  for (uint32_t i = 0; first && all->program_of && i < f->command_count; i++) {
    uint32_t k = 0;
    while (k < count && !same_program(&f->commands[first[k]], &f->commands[i])) {
      k++;
    }
    first[k] = k == count ? i : first[k];
    count += k == count;
    all->program_of[i] = k;
  }
  all->programs = calloc(count + 1, sizeof *all->programs);
  for (uint32_t k = 0; first && all->programs && k < count; k++) {
    const frame_cmd_t *c = &f->commands[first[k]];
    if (c->program) {
      all->programs[k] = f->programs[c->program - 1];
    } else {
      program_derive(&all->programs[k], c->fragment_length, stages_of(&c->state),
                     tests_alpha(&c->state));
    }
    program_check(&all->programs[k], unused, sizeof unused);
  }
  bool ok = first && all->program_of && all->programs;
  free(first);
  return ok;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

bool gpu_warps_create(gpu_t *g) {
  const gpu_params_t *p = &g->params;
  gpu_warps_t *w = calloc(1, sizeof *w);
  g->warps = w;
  if (!w) {
    return false;
  }
  shader_params_t s = {.sms = p->sms, .schedulers = p->schedulers, .lanes = p->lanes,
                       .alu_groups = p->alu_groups, .sfu_lanes = p->sfu_lanes,
                       .alu_latency = p->alu_latency, .sfu_latency = p->sfu_latency,
                       .warps = p->warps, .issue_per_warp = p->issue_per_warp,
                       .dependent = p->dependent, .greedy = p->warp_policy == GpuPolicyGreedy,
                       .predicated = p->divergence == GpuDivergencePredicated};
  w->residency = least(p->warps, p->threads / ShaderLanes);
  if (p->thread_registers) {
    w->residency = least(w->residency, p->registers / (ShaderLanes * p->thread_registers));
  }
  w->fifo_places = p->cluster_fifo + MaxClosed;
  w->fifo = calloc((size_t)g->clusters * w->fifo_places, sizeof *w->fifo);
  w->resident = calloc((size_t)p->sms * ShaderMaxWarps, sizeof *w->resident);
  w->shaded = g->texturing.units ? NULL : calloc(GpuBlocks, sizeof *w->shaded);
  w->shader = shader_create(&s, (shader_ports_t){g, ask_lanes, ask_texture, ask_end});
  return w->fifo && w->resident && (w->shaded || g->texturing.units) && w->shader &&
         make_programs(g);
}

void gpu_warps_destroy(gpu_t *g) {
  gpu_warps_t *w = g->warps;
  if (w) {
    shader_destroy(w->shader);
    free(w->fifo);
    free(w->resident);
    free(w->shaded);
    free(w->programs);
    free(w->program_of);
    free(w);
  }
}
