// SPDX-License-Identifier: Apache-2.0
#include "gpu_memory.h"

#include <stdlib.h>

#include "../memory/dram.h"
#include "cache.h"

enum {
  BlockBytes = 256,
  LineBytes = 64,  // of textures and memory
  Sectors = 15,    // all of a line
  VertexRegion = GpuFirstTarget,
  Requests = 1024,    // requests to a shared memory that wait to be sent
  RequestLimit = 64,  // of them: stages stop above
};

typedef enum { KindVertex, KindTexture, KindDepth, KindColor } kind_e;

typedef struct {
  uint64_t address;
  uint32_t bytes;
  uint16_t waiter;
  bool write;
} request_t;

enum { MaxMisses = 64 };

// A cache of the first level, and the misses that it has under way.
typedef struct {
  cache_t cache;
  uint64_t place[MaxMisses];  // arrival of each, in 1/256 cycles, oldest at `next`
  uint32_t next;
} l1_t;

struct gpu_memory {
  gpu_site_t *site;
  memory_port_t shared;                    // push NULL: none
  uint32_t line_shift;                     // of depth and colour caches and L2
  uint64_t turn;                           // until which the L2 takes lines, in 1/256 cycles
  uint64_t vertex_address, pixel_address;  // of the next that nobody waits for
  l1_t depth[GpuMaxClusters], color[GpuMaxClusters];  // the first one, or one a cluster
  l1_t texture[GpuMaxSms];
  cache_t l2;
  uint64_t *target_base, *depth_base, *texture_base;  // addresses
  dram_t dram;
  request_t requests[Requests];
  gpu_ring_t request_queue;
  uint32_t reads_under_way;
  bool moves;                        // since the last step began: requests or answers
  uint16_t waits[GpuWaitsNone + 1];  // of each waiter: responses not yet here
};

static uint64_t surface_bytes(const surface_t *s) {
  return (uint64_t)s->tiles_x * s->tiles_y * SurfaceTilePixels * 4;
}

// Returns the bytes of the levels below `level`, in whole lines of 4x4 texels.
static uint64_t level_offset(const frame_texture_t *t, uint32_t level) {
  uint64_t bytes = 0;
  for (uint32_t n = 0; n < level; n++) {
    uint64_t w = t->width >> n, h = t->height >> n;
    bytes += ((w > 1 ? w : 1) + 3) / 4 * (((h > 1 ? h : 1) + 3) / 4) * LineBytes;
  }
  return bytes;
}

// Gives surfaces and textures their addresses.
static void place(gpu_memory_t *m) {
  const frame_t *f = m->site->frame;
  uint64_t at = VertexRegion;
  for (uint32_t i = 0; i < f->target_count; i++) {
    m->target_base[i] = at;
    at += surface_bytes(&m->site->targets[i]);
  }
  for (uint32_t i = 0; i < f->depth_count; i++) {
    m->depth_base[i] = at;
    at += surface_bytes(&m->site->depths[i]);
  }
  for (uint32_t i = 0; i < f->texture_count; i++) {
    for (uint32_t n = 0; n < FrameMaxLevels; n++) {
      m->texture_base[i * FrameMaxLevels + n] = at + level_offset(&f->textures[i], n);
    }
    at += level_offset(&f->textures[i], FrameMaxLevels);
    at = (at + BlockBytes - 1) / BlockBytes * BlockBytes;
  }
}

static void count(gpu_memory_t *m, uint8_t kind, uint64_t bytes) {
  gpu_stats_t *s = &m->site->stats;
  uint64_t *const sums[] = {&s->vertex_bytes, &s->texture_bytes, &s->depth_bytes, &s->color_bytes};
  *sums[kind & 3] += bytes;
}

static void request(gpu_memory_t *m, uint64_t address, uint32_t bytes, bool write,
                    uint32_t waiter) {
  // A memory works in lines; a request of several is cut.
  for (uint32_t i = 0; i < bytes; i += LineBytes) {
    m->requests[gpu_ring_push(&m->request_queue, Requests)] =
        (request_t){address + i, LineBytes, (uint16_t)waiter, write};
    m->reads_under_way += !write;
    m->waits[waiter] += !write;
  }
  m->moves = true;
}

// Accesses bytes of the DRAM or of the shared memory. A read is there at the cycle returned.
static uint64_t access_memory(gpu_memory_t *m, uint64_t now, uint64_t address, uint32_t bytes,
                              bool write, uint32_t waiter) {
  if (!m->shared.push) {
    return dram_access(&m->dram, now, address, bytes, write);
  }
  request(m, address, bytes, write, waiter);
  return now;
}

static void step(void *self, uint64_t now, uint64_t *next) {
  gpu_memory_t *m = self;
  memory_answer_t answer;
  (void)now;
  (void)next;
  m->moves = false;
  while (m->shared.pop(m->shared.self, &answer)) {
    m->moves = true;
    m->reads_under_way--;
    m->waits[answer.tag]--;
  }
  while (m->request_queue.count > 0) {
    const request_t *r = &m->requests[m->request_queue.head];
    if (!m->shared.push(m->shared.self, r->address, r->bytes, r->write, r->waiter)) {
      return;
    }
    gpu_ring_pop(&m->request_queue, Requests);
    m->moves = true;
  }
}

// Accesses sectors of a line, in whole lines of the memory.
static uint64_t access_sectors(gpu_memory_t *m, uint64_t now, uint64_t line, uint8_t sectors,
                               uint8_t kind, bool write, uint32_t waiter) {
  uint64_t address = line << m->line_shift, last = now;
  uint32_t sector = 1u << m->line_shift >> 2, each = LineBytes / sector;
  for (uint32_t i = 0; i < 4; i += each) {
    if (sectors >> i & ((1u << each) - 1)) {
      count(m, kind, LineBytes);
      last = cycle_later(
          last, access_memory(m, now, address + (uint64_t)i * sector, LineBytes, write, waiter));
    }
  }
  return last;
}

// Takes one of the L2's turns; returns its end, in 1/256 cycles.
static uint64_t take_turn(gpu_memory_t *m, uint64_t now) {
  uint32_t lines = m->site->params.l2_lines;
  if (lines == 0) {
    return now * GpuTimeOne;
  }
  return m->turn = cycle_later(m->turn, now * GpuTimeOne) + GpuTimeOne / lines;
}

// Looks up sectors of a line in the L2. fetch: those of `fill` that are missing are read; without
// it the sectors are overwritten. Returns the cycles that the memory takes.
static uint64_t access_l2(gpu_memory_t *m, uint64_t now, uint64_t line, uint8_t sectors,
                          uint8_t kind, bool fetch, uint32_t waiter) {
  cache_result_t r = cache_access(&m->l2, line, sectors, sectors, kind, fetch ? 0 : sectors);
  m->site->stats.caches.l2_accesses++;
  if (r.old_sectors) {
    access_sectors(m, now, r.old_line, r.old_sectors, r.old_kind, true, GpuWaitsNone);
  }
  if (!fetch || !r.missing) {
    return 0;
  }
  m->site->stats.caches.l2_misses++;
  return access_sectors(m, now, line, r.missing, kind, false, waiter) - now;
}

// Fetches sectors that are missing in an L1, as one of the misses that it has under way.
static uint64_t fetch(gpu_memory_t *m, l1_t *l1, uint64_t now, uint64_t line, uint8_t sectors,
                      uint8_t kind, uint32_t waiter) {
  const gpu_params_t *p = &m->site->params;
  uint64_t ready = take_turn(m, now);
  uint64_t latency = p->l2_latency + access_l2(m, now, line, sectors, kind, true, waiter);
  if (p->l1_misses) {
    ready = cycle_later(ready, l1->place[l1->next]);
    l1->place[l1->next] = ready + latency * GpuTimeOne;
    l1->next = l1->next + 1 == p->l1_misses ? 0 : l1->next + 1;
  }
  return (ready + latency * GpuTimeOne + GpuTimeOne - 1) / GpuTimeOne;
}

typedef struct {
  l1_t *l1;
  gpu_l1_stats_t *stats;
  uint32_t cluster, waiter;
  uint8_t kind;
  bool read, write;  // the old content is needed; it changes
} access_t;

// Looks up sectors of a line of a surface. A read fetches all of the line.
static uint64_t access_line(gpu_memory_t *m, const access_t *a, uint64_t now, uint64_t line,
                            uint8_t sectors) {
  uint8_t dirty = a->write ? sectors : 0;
  cache_result_t r =
      cache_access(&a->l1->cache, line, sectors, a->read ? Sectors : sectors, a->kind, dirty);
  a->stats->accesses++;
  if (!r.missing) {
    return now;
  }
  a->stats->misses++;
  a->stats->by_cluster.of[a->cluster]++;
  if (r.old_sectors) {
    take_turn(m, now);
    access_l2(m, now, r.old_line, r.old_sectors, r.old_kind, false, GpuWaitsNone);
  }
  if (a->read) {
    return fetch(m, a->l1, now, line, Sectors, a->kind, a->waiter);
  }
  take_turn(m, now);
  return now;
}

// Looks up a block's lines: all of its own, or with a linear layout those of the rows of its
// stamps.
static uint64_t access_block(gpu_memory_t *m, const access_t *a, uint64_t now, uint64_t base,
                             const surface_t *s, const gpu_block_t *b, uint64_t pixels) {
  uint64_t last = now;
  if (m->site->params.surface_layout == GpuLayoutTiled) {
    uint64_t index = surface_index(s->tiles_x, b->bx * 8u, b->by * 8u) / SurfaceBlockPixels;
    uint64_t line = (base + index * BlockBytes) >> m->line_shift;
    for (uint32_t i = 0; i < (uint32_t)BlockBytes >> m->line_shift; i++) {
      last = cycle_later(last, access_line(m, a, now, line + i, Sectors));
    }
    return last;
  }
  for (uint32_t y = 0; y < SurfaceBlock; y++) {
    if (pixels >> (y / 2 * 16) & 0xffff) {
      uint64_t x = b->bx * 8u, row = b->by * 8u + y;
      uint64_t address = base + (row * s->tiles_x * SurfaceTile + x) * 4;
      last = cycle_later(
          last, access_line(m, a, now, address >> m->line_shift, (uint8_t)(1u << b->bx % 4)));
    }
  }
  return last;
}

void gpu_memory_vertices(gpu_memory_t *m, uint64_t now, uint64_t bytes) {
  count(m, KindVertex, bytes);
  // A stream: no reuse worth a cache. Nobody waits: it is fetched ahead.
  uint64_t address = m->vertex_address;
  m->vertex_address = (address + bytes) % VertexRegion;
  access_memory(m, now, address, (uint32_t)bytes, false, GpuWaitsNone);
}

void gpu_memory_pixels(gpu_memory_t *m, uint64_t now, uint32_t bytes, bool write) {
  if (bytes > 0 && !gpu_memory_full(m)) {
    count(m, KindDepth, bytes / 2);
    count(m, KindColor, bytes / 2);
    access_memory(m, now, m->pixel_address, bytes, write, GpuWaitsNone);
    m->pixel_address = (m->pixel_address + bytes) % VertexRegion;
  }
}

uint64_t gpu_memory_depth(gpu_memory_t *m, uint64_t now, const gpu_block_t *b, uint64_t pixels,
                          uint32_t waiter) {
  const render_draw_t *d = &b->draw->draw;
  const frame_state_t *s = d->state;
  const access_t a = {.l1 = &m->depth[m->site->params.l1 == GpuL1Cluster ? b->cluster : 0],
                      .stats = &m->site->stats.caches.depth,
                      .cluster = b->cluster,
                      .waiter = waiter,
                      .kind = KindDepth,
                      .read = true,
                      .write = s->stencil_test || (s->depth_test && s->depth_write)};
  return access_block(m, &a, now, m->depth_base[s->depth_buffer], d->depth, b, pixels);
}

uint64_t gpu_memory_color(gpu_memory_t *m, uint64_t now, const gpu_block_t *b, uint64_t pixels,
                          uint32_t waiter) {
  const render_draw_t *d = &b->draw->draw;
  const access_t a = {.l1 = &m->color[m->site->params.l1 == GpuL1Cluster ? b->cluster : 0],
                      .stats = &m->site->stats.caches.color,
                      .cluster = b->cluster,
                      .waiter = waiter,
                      .kind = KindColor,
                      .read = b->draw->reads_color,
                      .write = true};
  return access_block(m, &a, now, m->target_base[d->state->color_target], d->color, b, pixels);
}

uint64_t gpu_memory_textures(gpu_memory_t *m, uint64_t now, uint32_t sm,
                             const render_shaded_t *shaded) {
  uint64_t seen[16] = {0};  // stamps side by side read the same lines
  uint64_t last = now;
  for (uint32_t i = 0; i < shaded->line_count; i++) {
    uint64_t line = shaded->lines[i];
    uint64_t *entry = &seen[(line ^ line >> 7) % 16];
    if (*entry == line + 1) {
      continue;
    }
    *entry = line + 1;
    m->site->stats.texture_lines++;
    uint64_t level = (line >> 40) * FrameMaxLevels + (line >> 32 & 255);
    uint64_t address = m->texture_base[level] + (line & 0xffffffff) * LineBytes;
    l1_t *l1 = &m->texture[sm];
    gpu_l1_stats_t *stats = &m->site->stats.caches.texture;
    stats->accesses++;
    if (cache_access(&l1->cache, address / LineBytes, 1, 1, KindTexture, 0).missing) {
      stats->misses++;
      stats->by_cluster.of[sm / m->site->cluster_sms]++;
      uint64_t sector = (address & ((1u << m->line_shift) - 1)) >> (m->line_shift - 2);
      uint32_t wanted = (1u << (LineBytes * 4 >> m->line_shift)) - 1;
      last = cycle_later(last, fetch(m, l1, now, address >> m->line_shift,
                                     (uint8_t)(wanted << sector), KindTexture, GpuWaitsNone));
    }
  }
  return last;
}

bool gpu_memory_full(const gpu_memory_t *m) { return m->request_queue.count > RequestLimit; }

bool gpu_memory_moves(const gpu_memory_t *m) { return m->moves; }

bool gpu_memory_waits(const gpu_memory_t *m, uint32_t waiter) { return m->waits[waiter] > 0; }

static bool empty(const void *self) {
  const gpu_memory_t *m = self;
  return m->request_queue.count == 0 && m->reads_under_way == 0;
}

static void destroy(void *self) {
  gpu_memory_t *m = self;
  free(m->target_base);
  free(m->depth_base);
  free(m->texture_base);
  cache_destroy(&m->l2);
  for (uint32_t i = 0; i < GpuMaxSms; i++) {
    cache_destroy(&m->depth[i].cache);
    cache_destroy(&m->color[i].cache);
    cache_destroy(&m->texture[i].cache);
  }
  free(m);
}

static bool make(gpu_memory_t *m) {
  const gpu_params_t *p = &m->site->params;
  const frame_t *f = m->site->frame;
  const dram_params_t d = {.channels = p->channels,
                           .channel_bytes = p->channel_bytes,
                           .banks = p->banks,
                           .row_bytes = p->row_bytes,
                           .activate = p->trcd,
                           .precharge = p->trp,
                           .column = p->cas,
                           .row_to_row = p->trrd,
                           .write_recovery = p->twr,
                           .write_to_read = p->twtr,
                           .transactions = p->transactions};
  dram_init(&m->dram, &d);
  m->shared = m->site->texturing.memory;
  m->line_shift = 6 + p->line_bytes;
  m->target_base = calloc(f->target_count + 1, sizeof *m->target_base);
  m->depth_base = calloc(f->depth_count + 1, sizeof *m->depth_base);
  m->texture_base = calloc((size_t)f->texture_count * FrameMaxLevels + 1, sizeof *m->texture_base);
  uint32_t l2_sets = (p->l2_kib * 1024 >> m->line_shift) / p->l2_ways;
  bool ok = m->target_base && m->depth_base && m->texture_base &&
            cache_create(&m->l2, l2_sets ? l2_sets : 1, p->l2_ways);
  for (uint32_t i = 0; ok && i < (p->l1 == GpuL1Cluster ? m->site->clusters : 1); i++) {
    ok = cache_create(&m->depth[i].cache, p->block_sets, p->block_ways) &&
         cache_create(&m->color[i].cache, p->block_sets, p->block_ways);
  }
  for (uint32_t i = 0; ok && i < p->sms; i++) {
    ok = cache_create(&m->texture[i].cache, p->texture_lines / p->texture_ways, p->texture_ways);
  }
  return ok;
}

gpu_memory_t *gpu_memory_create(gpu_part_t *part, gpu_site_t *site) {
  gpu_memory_t *m = calloc(1, sizeof *m);
  *part = (gpu_part_t){.self = m,
                       .empty = empty,
                       .destroy = destroy,
                       .step = site->texturing.memory.push ? step : NULL};
  if (!m) {
    return NULL;
  }
  m->site = site;
  if (!make(m)) {
    return NULL;  // gpu_destroy frees the part
  }
  place(m);
  return m;
}
