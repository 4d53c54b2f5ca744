// SPDX-License-Identifier: Apache-2.0
#include "gpu_rate.h"

#include <stdlib.h>

typedef struct {
  gpu_site_t *site;
  gpu_pool_t *pool;
  gpu_memory_t *memory;
  gpu_sampler_t *sampler;
  uint32_t stamp_limit;         // in flight in a cluster
  uint64_t sm_free[GpuMaxSms];  // in 1/256 cycles
} rate_t;

static bool room(const void *self, uint32_t cluster) {
  const rate_t *r = self;
  return r->pool->cluster[cluster].stamps < r->stamp_limit;
}

// Returns the SM of the cluster whose work ends first.
static uint32_t choose_sm(const rate_t *r, uint32_t cluster) {
  uint32_t first = cluster * r->site->cluster_sms, sm = first, end = first + r->site->cluster_sms;
  for (uint32_t i = first + 1; i < end && i < r->site->params.sms; i++) {
    sm = r->sm_free[i] < r->sm_free[sm] ? i : sm;
  }
  return sm;
}

// Shades a block with texture units that are a rate; returns the cycle at which its lines are
// there.
static uint64_t shade(rate_t *r, uint64_t now, uint32_t slot, uint32_t sm) {
  gpu_block_t *b = &r->pool->block[slot];
  gpu_stats_t *stats = &r->site->stats;
  uint64_t all = b->mask | b->retained;
  render_shaded_t shaded;
  uint64_t kept =
      render_shade(&b->draw->draw, b->raster, b->bx, b->by, all, r->pool->colors[slot], &shaded);
  b->mask &= kept;
  b->retained &= kept;
  stats->texture_requests += shaded.probes;
  stats->fragments_discarded +=
      (uint32_t)__builtin_popcountll(all) - (uint32_t)__builtin_popcountll(kept);
  return gpu_memory_textures(r->memory, now, sm, &shaded);
}

// Issue slots and texture units of an SM work side by side; the busier one counts.
// Stamps of several blocks share a warp, so that a block costs its share. With modelled
// texture units the issue slots count here, and the samples come when they come.
static void run(void *self, uint64_t now, uint32_t slot, uint64_t *next) {
  rate_t *r = self;
  gpu_block_t *b = &r->pool->block[slot];
  const gpu_draw_t *d = b->draw;
  const gpu_params_t *p = &r->site->params;
  gpu_stats_t *stats = &r->site->stats;
  uint64_t all = b->mask | b->retained;
  uint32_t stamps = lanes_stamp_count(all), sm = choose_sm(r, b->cluster);
  uint64_t busy = stamps * d->issue_cost, filled = now;
  (void)next;
  if (r->sampler) {
    stats->texture_requests += (uint64_t)__builtin_popcountll(all) * d->draw.shade.stage_count;
  } else {
    busy = cycle_later(busy, stamps * d->texture_cost);
    filled = shade(r, now, slot, sm);
  }
  r->sm_free[sm] = cycle_later(r->sm_free[sm], now * GpuTimeOne) + busy;
  uint64_t done = (r->sm_free[sm] + GpuTimeOne - 1) / GpuTimeOne + p->shading_latency;
  stats->busy_shading += busy / GpuTimeOne;
  stats->warps += (stamps * 4 + p->lanes - 1) / p->lanes;
  b->stamps = (uint8_t)stamps;
  b->ready = cycle_later(done, filled + 1);
  if (r->sampler && render_needs_colors(&d->draw)) {
    gpu_sampler_begin(r->sampler, now, slot);
    gpu_sampler_read_all(r->sampler, sm, slot);
  }
}

// A block that the ROP takes next is not ready yet.
static bool busy(const void *self, uint64_t now) {
  const gpu_pool_t *p = ((const rate_t *)self)->pool;
  for (uint32_t c = 0; c < p->clusters; c++) {
    if (p->cluster[c].ring.count && p->block[gpu_pool_first(&p->cluster[c])].ready > now) {
      return true;
    }
  }
  return false;
}

bool gpu_rate_create(gpu_part_t *part, gpu_site_t *site, gpu_pool_t *pool, gpu_memory_t *memory,
                     gpu_sampler_t *sampler, gpu_sms_t *sms) {
  rate_t *r = calloc(1, sizeof *r);
  *part = (gpu_part_t){.self = r, .busy = busy, .destroy = free};
  if (r) {
    *r = (rate_t){site, pool, memory, sampler, site->cluster_sms * site->params.threads / 4, {0}};
  }
  *sms = (gpu_sms_t){r, room, run};
  return r != NULL;
}
