// SPDX-License-Identifier: Apache-2.0
#include "gpu_memory.h"

#include <stdlib.h>

#include "../memory/dram.h"
#include "cache.h"

enum {
  BlockBytes = 256,
  LineBytes = 64,
  LineShift = 8,
  VertexRegion = 1 << 30,
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

struct gpu_memory {
  gpu_site_t *site;
  memory_port_t shared;  // push NULL: none
  uint32_t l2_latency;
  uint64_t vertex_address;
  cache_t depth_cache, color_cache, l2;
  cache_t texture_caches[GpuMaxSms];
  uint64_t *target_base, *depth_base, *texture_base;  // addresses
  dram_t dram;
  request_t requests[Requests];
  gpu_ring_t request_queue;
  uint32_t reads_under_way;
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
  while (m->shared.pop(m->shared.self, &answer)) {
    m->reads_under_way--;
    m->waits[answer.tag]--;
  }
  while (m->request_queue.count > 0) {
    const request_t *r = &m->requests[m->request_queue.head];
    if (!m->shared.push(m->shared.self, r->address, r->bytes, r->write, r->waiter)) {
      return;
    }
    gpu_ring_pop(&m->request_queue, Requests);
  }
}

// Looks up sectors of one 256-byte line in the L2. fetch: what is missing is read; without
// it the sectors are overwritten.
static uint64_t access_l2(gpu_memory_t *m, uint64_t now, uint64_t line, uint8_t sectors,
                          uint8_t kind, bool write, bool fetch, uint32_t waiter) {
  cache_result_t r = cache_access(&m->l2, line, sectors, kind, write);
  uint64_t ready = now + m->l2_latency;
  if (r.write_back) {
    uint32_t bytes = (uint32_t)__builtin_popcount(r.old_sectors) * LineBytes;
    count(m, r.old_kind, bytes);
    access_memory(m, now, r.old_line << LineShift, bytes, true, GpuWaitsNone);
  }
  if (fetch && r.missing) {
    uint32_t first = (uint32_t)__builtin_ctz(r.missing);
    uint32_t bytes = (uint32_t)__builtin_popcount(r.missing) * LineBytes;
    count(m, kind, bytes);
    ready +=
        access_memory(m, now, (line << LineShift) + first * LineBytes, bytes, false, waiter) - now;
  }
  return ready;
}

// Looks up a block's line in the depth or colour cache. read: the old content is needed.
static uint64_t access_block(gpu_memory_t *m, cache_t *cache, uint64_t now, uint64_t line,
                             uint8_t kind, bool read, bool write, uint32_t waiter) {
  cache_result_t r = cache_access(cache, line, 15, kind, write);
  if (!r.missing) {
    return now;
  }
  if (r.write_back) {
    access_l2(m, now, r.old_line, 15, r.old_kind, true, false, GpuWaitsNone);
  }
  return read ? access_l2(m, now, line, 15, kind, false, true, waiter) : now;
}

static uint64_t line_of(uint64_t base, const surface_t *s, uint32_t bx, uint32_t by) {
  return (base >> LineShift) + surface_index(s->tiles_x, bx * 8, by * 8) / SurfaceBlockPixels;
}

void gpu_memory_vertices(gpu_memory_t *m, uint64_t now, uint64_t bytes) {
  count(m, KindVertex, bytes);
  // A stream: no reuse worth a cache. Nobody waits: it is fetched ahead.
  uint64_t address = m->vertex_address;
  m->vertex_address = (address + bytes) % VertexRegion;
  access_memory(m, now, address, (uint32_t)bytes, false, GpuWaitsNone);
}

uint64_t gpu_memory_depth(gpu_memory_t *m, uint64_t now, const gpu_draw_t *d, uint32_t bx,
                          uint32_t by, uint32_t waiter) {
  const frame_state_t *s = d->draw.state;
  uint64_t line = line_of(m->depth_base[s->depth_buffer], d->draw.depth, bx, by);
  bool write = s->stencil_test || (s->depth_test && s->depth_write);
  return access_block(m, &m->depth_cache, now, line, KindDepth, true, write, waiter);
}

uint64_t gpu_memory_color(gpu_memory_t *m, uint64_t now, const gpu_draw_t *d, uint32_t bx,
                          uint32_t by, uint32_t waiter) {
  uint64_t line = line_of(m->target_base[d->draw.state->color_target], d->draw.color, bx, by);
  return access_block(m, &m->color_cache, now, line, KindColor, d->reads_color, true, waiter);
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
    cache_result_t r =
        cache_access(&m->texture_caches[sm], address / LineBytes, 1, KindTexture, false);
    if (r.missing) {
      uint8_t sector = (uint8_t)(1u << (address / LineBytes % 4));
      last = cycle_later(last, access_l2(m, now, address >> LineShift, sector, KindTexture, false,
                                         true, GpuWaitsNone));
    }
  }
  return last;
}

bool gpu_memory_full(const gpu_memory_t *m) { return m->request_queue.count > RequestLimit; }

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
  cache_destroy(&m->depth_cache);
  cache_destroy(&m->color_cache);
  cache_destroy(&m->l2);
  for (uint32_t i = 0; i < GpuMaxSms; i++) {
    cache_destroy(&m->texture_caches[i]);
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
  m->l2_latency = p->l2_latency;
  m->target_base = calloc(f->target_count + 1, sizeof *m->target_base);
  m->depth_base = calloc(f->depth_count + 1, sizeof *m->depth_base);
  m->texture_base = calloc((size_t)f->texture_count * FrameMaxLevels + 1, sizeof *m->texture_base);
  uint32_t l2_sets = p->l2_kib * 1024 / BlockBytes / p->l2_ways;
  bool ok = m->target_base && m->depth_base && m->texture_base &&
            cache_create(&m->depth_cache, p->block_sets, p->block_ways) &&
            cache_create(&m->color_cache, p->block_sets, p->block_ways) &&
            cache_create(&m->l2, l2_sets ? l2_sets : 1, p->l2_ways);
  for (uint32_t i = 0; ok && i < p->sms; i++) {
    ok = cache_create(&m->texture_caches[i], p->texture_lines / 16, 16);
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
