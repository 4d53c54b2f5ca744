// SPDX-License-Identifier: Apache-2.0
// Shading with modelled texture units: a block's quads go to the units of the SM that runs
// it, and the block goes on when its last sample has come.
#include "gpu_internal.h"

#include <stdlib.h>

// A quad's tag: place in to_rop, stage, lanes / 4.
enum { TagStage = 4, TagSlot = 5 };

bool gpu_texture_create(gpu_t *g) {
  g->works = calloc(GpuBlocks, sizeof *g->works);
  return g->works != NULL;
}

void gpu_texture_destroy(gpu_t *g) { free(g->works); }

static camera_plane_t *plane_of(gpu_t *g, const gpu_draw_t *d, uint32_t triangle) {
  uint32_t slot = triangle & (g->triangle_places - 1);
  if (g->plane_of[slot] != triangle + 1) {
    g->plane_of[slot] = triangle + 1;
    camera_plane_make(&g->planes[slot], d->draw.state, g->rasters[slot].v);
  }
  return &g->planes[slot];
}

void gpu_texture_begin(gpu_t *g, uint64_t now, uint32_t slot) {
  gpu_block_t *b = &g->to_rop[slot];
  const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
  shade_work_t *w = &g->works[slot];
  shade_begin(&d->draw.shade, gpu_raster(g, b->triangle), b->bx, b->by, b->mask, w);
  g->quads[slot] = (uint16_t)(w->lanes / 4 * d->draw.shade.stage_count);
  if (g->quads[slot] == 0) {
    gpu_texture_end(g, now, slot);
  }
}

void gpu_texture_read(gpu_t *g, uint32_t sm, uint32_t slot, uint32_t stage, uint32_t stamps) {
  gpu_sampler_t *s = &g->samplers[sm];
  if (stamps) {
    s->reads[(s->ring.head + s->ring.count++) % GpuReads] =
        (gpu_read_t){(uint16_t)slot, (uint16_t)stamps, (uint8_t)stage};
  }
}

// All samples are there: the colours, and what the alpha test keeps.
void gpu_texture_end(gpu_t *g, uint64_t now, uint32_t slot) {
  gpu_block_t *b = &g->to_rop[slot];
  const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
  uint32_t shaded = (uint32_t)__builtin_popcountll(b->mask);
  b->mask = render_shade_end(&d->draw, &g->works[slot], g->colors[slot]);
  b->ready = cycle_later(b->ready, now + 1);
  g->stats.fragments_discarded += shaded - (uint32_t)__builtin_popcountll(b->mask);
}

static void make_quad(gpu_t *g, uint32_t slot, uint32_t stage, uint32_t stamp,
                      texture_quad_t *q) {
  const gpu_block_t *b = &g->to_rop[slot];
  const gpu_draw_t *d = &g->draws[b->draw % GpuDraws];
  const shade_work_t *w = &g->works[slot];
  uint32_t lane = stamp * 4;
  const frame_stage_t *s = &d->draw.shade.stage[stage];
  *q = (texture_quad_t){
      .tag = slot << TagSlot | stage << TagStage | lane / 4,
      .texture = s->texture,
      .mask = (uint8_t)(w->mask >> w->index[lane] & 15),
      .stage = s,
  };
  for (uint32_t k = 0; k < 4; k++) {
    q->u[k] = w->u[stage][lane + k];
    q->v[k] = w->v[stage][lane + k];
  }
  if (g->texturing.angles) {
    // Once a quad, in its middle.
    double x = b->bx * 8.0 + lanes_x(w->index[lane]) + 1;
    double y = b->by * 8.0 + lanes_y(w->index[lane]) + 1;
    const raster_t *r = gpu_raster(g, b->triangle);
    double inv_w = r->inv_w.at + r->inv_w.dx * (x - r->vx) + r->inv_w.dy * (y - r->vy);
    q->angle = camera_angle_code(plane_of(g, d, b->triangle), x, y, inv_w);
  }
}

// Hands quads to the texture units of an SM until they are full.
static void send_quads(gpu_t *g, uint64_t now, uint32_t sm) {
  gpu_sampler_t *s = &g->samplers[sm];
  uint32_t units = g->params.texture_units;
  for (uint32_t full = 0; s->ring.count > 0 && full < units; s->turn = (s->turn + 1) % units) {
    gpu_read_t *r = &s->reads[s->ring.head];
    if (!s->made) {
      make_quad(g, r->slot, r->stage, (uint32_t)__builtin_ctz(r->stamps), &s->quad);
      s->made = true;
    }
    if (!texture_units_push(g->texturing.units, now, sm * units + s->turn, &s->quad)) {
      full++;
      continue;
    }
    full = 0;
    s->made = false;
    r->stamps = (uint16_t)(r->stamps & (r->stamps - 1));
    if (r->stamps == 0) {
      gpu_ring_pop(&s->ring, GpuReads);
    }
  }
}

// The pixel stays marked, also where the fragment's alpha decides that it is not drawn.
static void mark_failed(gpu_t *g, uint32_t slot, uint32_t lane, uint8_t failed) {
  const gpu_block_t *b = &g->to_rop[slot];
  const surface_t *s = g->draws[b->draw % GpuDraws].draw.color;
  for (uint32_t rest = failed; rest; rest &= rest - 1) {
    uint32_t index = g->works[slot].index[lane + (uint32_t)__builtin_ctz(rest)];
    if (s) {
      s->failed[surface_index(s->tiles_x, b->bx * 8u + lanes_x(index),
                              b->by * 8u + lanes_y(index))] = 1;
    }
    g->stats.fragments_failed++;
  }
}

static void take(gpu_t *g, uint64_t now, const texture_result_t *r) {
  uint32_t slot = r->tag >> TagSlot, stage = r->tag >> TagStage & 1, lane = (r->tag & 15) * 4;
  shade_work_t *w = &g->works[slot];
  for (uint32_t k = 0; k < 4; k++) {
    for (uint32_t c = 0; c < 4; c++) {
      w->sample[stage][c][lane + k] = r->sample[k][c];
    }
  }
  if (r->failed) {
    mark_failed(g, slot, lane, r->failed);
  }
  if (--g->quads[slot] == 0) {
    gpu_texture_end(g, now, slot);
  }
  if (g->warps) {
    gpu_warps_sample(g, now, slot, stage, lane / 4);
  }
}

void gpu_texture_step(gpu_t *g, uint64_t now) {
  texture_result_t result;
  for (uint64_t ready = texture_units_ready(g->texturing.units, now); ready; ready &= ready - 1) {
    uint32_t unit = (uint32_t)__builtin_ctzll(ready);
    while (texture_units_pop(g->texturing.units, now, unit, &result)) {
      take(g, now, &result);
    }
  }
  for (uint32_t sm = 0; sm < g->params.sms; sm++) {
    if (g->samplers[sm].ring.count > 0) {
      send_quads(g, now, sm);
    }
  }
}

bool gpu_texture_busy(const gpu_t *g) {
  // Warps read while all other stages may be idle.
  for (uint32_t sm = 0; g->warps && sm < g->params.sms; sm++) {
    if (g->samplers[sm].ring.count > 0) {
      return true;
    }
  }
  return texture_units_pending(g->texturing.units) > 0;
}
