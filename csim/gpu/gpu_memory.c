// SPDX-License-Identifier: Apache-2.0
// Depth, colour and texture caches, L2 and DRAM: traffic and the cycle of arrival. The
// values themselves are in the surfaces; the caches hold tags only.
#include <stdlib.h>

#include "gpu_internal.h"

enum { BlockBytes = 256, LineBytes = 64, LineShift = 8, VertexRegion = 1 << 30 };

static uint64_t surface_bytes(const surface_t *s) {
  return (uint64_t)s->tiles_x * s->tiles_y * SurfaceTilePixels * 4;
}

// Bytes of the levels below `level`, in whole lines of 4x4 texels.
static uint64_t level_offset(const frame_texture_t *t, uint32_t level) {
  uint64_t bytes = 0;
  for (uint32_t n = 0; n < level; n++) {
    uint64_t w = t->width >> n, h = t->height >> n;
    bytes += ((w > 1 ? w : 1) + 3) / 4 * (((h > 1 ? h : 1) + 3) / 4) * LineBytes;
  }
  return bytes;
}

static void place(gpu_t *g) {
  uint64_t at = VertexRegion;
  for (uint32_t i = 0; i < g->frame->target_count; i++) {
    g->target_base[i] = at;
    at += surface_bytes(&g->targets[i]);
  }
  for (uint32_t i = 0; i < g->frame->depth_count; i++) {
    g->depth_base[i] = at;
    at += surface_bytes(&g->depths[i]);
  }
  for (uint32_t i = 0; i < g->frame->texture_count; i++) {
    for (uint32_t n = 0; n < FrameMaxLevels; n++) {
      g->texture_base[i * FrameMaxLevels + n] = at + level_offset(&g->frame->textures[i], n);
    }
    at += level_offset(&g->frame->textures[i], FrameMaxLevels);
    at = (at + BlockBytes - 1) / BlockBytes * BlockBytes;
  }
}

bool gpu_memory_create(gpu_t *g) {
  const gpu_params_t *p = &g->params;
  const dram_params_t d = {
      .channels = p->channels, .channel_bytes = p->channel_bytes, .banks = p->banks,
      .row_bytes = p->row_bytes, .activate = p->trcd, .precharge = p->trp, .column = p->cas,
      .row_to_row = p->trrd, .write_recovery = p->twr, .write_to_read = p->twtr,
      .transactions = p->transactions};
  dram_init(&g->dram, &d);
  g->target_base = calloc(g->frame->target_count + 1, sizeof *g->target_base);
  g->depth_base = calloc(g->frame->depth_count + 1, sizeof *g->depth_base);
  g->texture_base =
      calloc((size_t)g->frame->texture_count * FrameMaxLevels + 1, sizeof *g->texture_base);
  uint32_t l2_sets = p->l2_kib * 1024 / BlockBytes / p->l2_ways;
  bool ok = g->target_base && g->depth_base && g->texture_base &&
            cache_create(&g->depth_cache, p->block_sets, p->block_ways) &&
            cache_create(&g->color_cache, p->block_sets, p->block_ways) &&
            cache_create(&g->l2, l2_sets ? l2_sets : 1, p->l2_ways);
  for (uint32_t i = 0; ok && i < p->sms; i++) {
    ok = cache_create(&g->texture_caches[i], p->texture_lines / 16, 16);
  }
  if (ok) {
    place(g);
  }
  return ok;
}

void gpu_memory_destroy(gpu_t *g) {
  free(g->target_base);
  free(g->depth_base);
  free(g->texture_base);
  cache_destroy(&g->depth_cache);
  cache_destroy(&g->color_cache);
  cache_destroy(&g->l2);
  for (uint32_t i = 0; i < GpuMaxSms; i++) {
    cache_destroy(&g->texture_caches[i]);
  }
}

static void count(gpu_t *g, uint8_t kind, uint64_t bytes) {
  uint64_t *const sums[] = {&g->stats.vertex_bytes, &g->stats.texture_bytes,
                            &g->stats.depth_bytes, &g->stats.color_bytes};
  *sums[kind & 3] += bytes;
}

static void request(gpu_t *g, uint64_t address, uint32_t bytes, bool write, uint32_t waiter) {
  // A memory works in lines; a request of several is cut.
  for (uint32_t i = 0; i < bytes; i += LineBytes) {
    g->requests[(g->request_queue.head + g->request_queue.count++) % GpuRequests] =
        (gpu_request_t){address + i, LineBytes, (uint16_t)waiter, write};
    g->reads_under_way += !write;
    g->waits[waiter] += !write;
  }
}

// Bytes of the DRAM or of the shared memory. A read is there at the cycle returned.
static uint64_t access_memory(gpu_t *g, uint64_t now, uint64_t address, uint32_t bytes, bool write,
                              uint32_t waiter) {
  if (!g->texturing.memory.push) {
    return dram_access(&g->dram, now, address, bytes, write);
  }
  request(g, address, bytes, write, waiter);
  return now;
}

void gpu_memory_step(gpu_t *g, uint64_t now) {
  memory_answer_t answer;
  while (g->texturing.memory.pop(g->texturing.memory.self, &answer)) {
    uint32_t waiter = (uint32_t)answer.tag;
    g->reads_under_way--;
    if (--g->waits[waiter] == 0 && waiter != GpuWaitsNone) {
      gpu_block_t *b = waiter < GpuWaitsRop ? &g->to_shading[waiter]
                                            : &g->to_rop[waiter - GpuWaitsRop];
      b->ready = cycle_later(b->ready, now);
    }
  }
  while (g->request_queue.count > 0) {
    const gpu_request_t *r = &g->requests[g->request_queue.head];
    if (!g->texturing.memory.push(g->texturing.memory.self, r->address, r->bytes, r->write,
                                  r->waiter)) {
      return;
    }
    gpu_ring_pop(&g->request_queue, GpuRequests);
  }
}

// Sectors of one 256-byte line through the L2. fetch: what is missing is read; without
// it the sectors are overwritten.
static uint64_t access_l2(gpu_t *g, uint64_t now, uint64_t line, uint8_t sectors, uint8_t kind,
                          bool write, bool fetch, uint32_t waiter) {
  cache_result_t r = cache_access(&g->l2, line, sectors, kind, write);
  uint64_t ready = now + g->params.l2_latency;
  if (r.write_back) {
    uint32_t bytes = (uint32_t)__builtin_popcount(r.old_sectors) * LineBytes;
    count(g, r.old_kind, bytes);
    access_memory(g, now, r.old_line << LineShift, bytes, true, GpuWaitsNone);
  }
  if (fetch && r.missing) {
    uint32_t first = (uint32_t)__builtin_ctz(r.missing);
    uint32_t bytes = (uint32_t)__builtin_popcount(r.missing) * LineBytes;
    count(g, kind, bytes);
    ready += access_memory(g, now, (line << LineShift) + first * LineBytes, bytes, false, waiter) -
             now;
  }
  return ready;
}

// A block's line of the depth or colour cache. read: the old content is needed.
static uint64_t access_block(gpu_t *g, cache_t *cache, uint64_t now, uint64_t line, uint8_t kind,
                             bool read, bool write, uint32_t waiter) {
  cache_result_t r = cache_access(cache, line, 15, kind, write);
  if (!r.missing) {
    return now;
  }
  if (r.write_back) {
    access_l2(g, now, r.old_line, 15, r.old_kind, true, false, GpuWaitsNone);
  }
  return read ? access_l2(g, now, line, 15, kind, false, true, waiter) : now;
}

static uint64_t line_of(uint64_t base, const surface_t *s, uint32_t bx, uint32_t by) {
  return (base >> LineShift) + surface_index(s->tiles_x, bx * 8, by * 8) / SurfaceBlockPixels;
}

void gpu_memory_vertices(gpu_t *g, uint64_t now, uint64_t bytes) {
  count(g, GpuMemoryVertex, bytes);
  // A stream: no reuse worth a cache. Nobody waits: it is fetched ahead.
  uint64_t address = g->vertex_address;
  g->vertex_address = (address + bytes) % VertexRegion;
  access_memory(g, now, address, (uint32_t)bytes, false, GpuWaitsNone);
}

uint64_t gpu_memory_depth(gpu_t *g, uint64_t now, const gpu_draw_t *d, uint32_t bx, uint32_t by,
                          uint32_t waiter) {
  const frame_state_t *s = d->draw.state;
  uint64_t line = line_of(g->depth_base[s->depth_buffer], d->draw.depth, bx, by);
  bool write = s->stencil_test || (s->depth_test && s->depth_write);
  return access_block(g, &g->depth_cache, now, line, GpuMemoryDepth, true, write, waiter);
}

uint64_t gpu_memory_color(gpu_t *g, uint64_t now, const gpu_draw_t *d, uint32_t bx, uint32_t by,
                          uint32_t waiter) {
  uint64_t line = line_of(g->target_base[d->draw.state->color_target], d->draw.color, bx, by);
  return access_block(g, &g->color_cache, now, line, GpuMemoryColor, d->reads_color, true, waiter);
}

uint64_t gpu_memory_textures(gpu_t *g, uint64_t now, uint32_t sm, const render_shaded_t *shaded) {
  uint64_t seen[16] = {0};  // stamps side by side read the same lines
  uint64_t last = now;
  for (uint32_t i = 0; i < shaded->line_count; i++) {
    uint64_t line = shaded->lines[i];
    uint64_t *entry = &seen[(line ^ line >> 7) % 16];
    if (*entry == line + 1) {
      continue;
    }
    *entry = line + 1;
    g->stats.texture_lines++;
    uint64_t level = (line >> 40) * FrameMaxLevels + (line >> 32 & 255);
    uint64_t address = g->texture_base[level] + (line & 0xffffffff) * LineBytes;
    cache_result_t r =
        cache_access(&g->texture_caches[sm], address / LineBytes, 1, GpuMemoryTexture, false);
    if (r.missing) {
      uint8_t sector = (uint8_t)(1u << (address / LineBytes % 4));
      last = cycle_later(last, access_l2(g, now, address >> LineShift, sector, GpuMemoryTexture,
                                       false, true, GpuWaitsNone));
    }
  }
  return last;
}
