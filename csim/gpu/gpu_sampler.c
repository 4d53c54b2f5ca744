// SPDX-License-Identifier: Apache-2.0
#include "gpu_sampler.h"

#include <stdlib.h>

#include "../texture/camera_angle.h"

enum {
  Planes = 2048,                              // camera planes kept, by triangle
  Reads = FrameMaxTextures * 16 * GpuBlocks,  // a warp may hold one stamp of a block
  TagStage = 4,
  TagSlot = 5,  // a quad's tag: place in the pool, stage, stamp
};

// Stamps of a block whose stage is read: one bit each, of those with a pixel in the mask.
typedef struct {
  uint16_t slot;
  uint16_t stamps;
  uint8_t stage;
} read_t;

// The reads that wait for the texture units of an SM.
typedef struct {
  read_t reads[Reads];
  gpu_ring_t ring;
  uint32_t turn;  // unit that is asked next
  bool made;      // quad is the next one
  texture_quad_t quad;
} queue_t;

struct gpu_sampler {
  gpu_site_t *site;
  gpu_pool_t *pool;
  texture_units_t *units;
  bool keeps_answers;
  bool moves;           // since the last step began: reads, quads or results
  shade_work_t *works;  // of each place of the pool
  camera_plane_t planes[Planes];
  uint32_t plane_of[Planes];  // triangle + 1
  gpu_ring_t answered;
  uint16_t answers[Reads];  // tags
  queue_t queue[];          // of each SM
};

static const camera_plane_t *plane_of(gpu_sampler_t *s, const gpu_block_t *b) {
  uint32_t slot = b->triangle % Planes;
  if (s->plane_of[slot] != b->triangle + 1) {
    s->plane_of[slot] = b->triangle + 1;
    camera_plane_make(&s->planes[slot], b->draw->draw.state, b->raster->v);
  }
  return &s->planes[slot];
}

// All samples are there: makes the colours and drops what the alpha test fails.
static void finish(gpu_sampler_t *s, uint64_t now, uint32_t slot) {
  gpu_block_t *b = &s->pool->block[slot];
  uint32_t shaded = (uint32_t)__builtin_popcountll(b->mask);
  b->mask = render_shade_end(&b->draw->draw, &s->works[slot], s->pool->colors[slot]);
  b->ready = cycle_later(b->ready, now + 1);
  s->site->stats.fragments_discarded += shaded - (uint32_t)__builtin_popcountll(b->mask);
}

void gpu_sampler_begin(gpu_sampler_t *s, uint64_t now, uint32_t slot) {
  const gpu_block_t *b = &s->pool->block[slot];
  const shade_state_t *shade = &b->draw->draw.shade;
  shade_begin(shade, b->raster, b->bx, b->by, b->mask, &s->works[slot]);
  s->pool->samples[slot] = (uint16_t)(s->works[slot].lanes / 4 * shade->stage_count);
  if (s->pool->samples[slot] == 0) {
    finish(s, now, slot);
  }
}

void gpu_sampler_read(gpu_sampler_t *s, uint32_t sm, uint32_t slot, uint32_t stage,
                      uint32_t stamps) {
  queue_t *q = &s->queue[sm];
  if (stamps) {
    s->moves = true;
    q->reads[gpu_ring_push(&q->ring, Reads)] =
        (read_t){(uint16_t)slot, (uint16_t)stamps, (uint8_t)stage};
  }
}

void gpu_sampler_read_all(gpu_sampler_t *s, uint32_t sm, uint32_t slot) {
  uint32_t stages = s->pool->block[slot].draw->draw.shade.stage_count;
  for (uint32_t stage = 0; stage < stages; stage++) {
    gpu_sampler_read(s, sm, slot, stage, (1u << s->works[slot].lanes / 4) - 1);
  }
}

bool gpu_sampler_answer(gpu_sampler_t *s, gpu_sample_t *sample) {
  if (s->answered.count == 0) {
    return false;
  }
  uint32_t tag = s->answers[s->answered.head];
  gpu_ring_pop(&s->answered, Reads);
  *sample = (gpu_sample_t){(uint16_t)(tag >> TagSlot), tag >> TagStage & 1, tag & 15};
  return true;
}

uint64_t gpu_sampler_bright(const gpu_sampler_t *s, uint32_t slot, uint32_t stage, uint32_t ref) {
  return shade_bright(&s->works[slot], stage, ref);
}

static void make_quad(gpu_sampler_t *s, const read_t *read, texture_quad_t *q) {
  const gpu_block_t *b = &s->pool->block[read->slot];
  const shade_work_t *w = &s->works[read->slot];
  const frame_stage_t *stage = &b->draw->draw.shade.stage[read->stage];
  uint32_t stamp = (uint32_t)__builtin_ctz(read->stamps), lane = stamp * 4;
  *q = (texture_quad_t){
      .tag = (uint32_t)read->slot << TagSlot | (uint32_t)read->stage << TagStage | stamp,
      .texture = stage->texture,
      .mask = (uint8_t)(w->mask >> w->index[lane] & 15),
      .stage = stage,
  };
  for (uint32_t k = 0; k < 4; k++) {
    q->u[k] = w->u[read->stage][lane + k];
    q->v[k] = w->v[read->stage][lane + k];
  }
  if (s->site->texturing.angles) {
    // Once a quad, in its middle.
    double x = b->bx * 8.0 + lanes_x(w->index[lane]) + 1;
    double y = b->by * 8.0 + lanes_y(w->index[lane]) + 1;
    const raster_t *r = b->raster;
    double inv_w = r->inv_w.at + r->inv_w.dx * (x - r->vx) + r->inv_w.dy * (y - r->vy);
    q->angle = camera_angle_code(plane_of(s, b), x, y, inv_w);
  }
}

// Hands quads to the texture units of an SM until they are full.
static void send_quads(gpu_sampler_t *s, uint64_t now, uint32_t sm) {
  queue_t *q = &s->queue[sm];
  uint32_t units = s->site->params.texture_units;
  for (uint32_t full = 0; q->ring.count > 0 && full < units; q->turn = (q->turn + 1) % units) {
    read_t *r = &q->reads[q->ring.head];
    if (!q->made) {
      make_quad(s, r, &q->quad);
      q->made = true;
    }
    if (!texture_units_push(s->units, now, sm * units + q->turn, &q->quad)) {
      full++;
      continue;
    }
    full = 0;
    s->moves = true;
    q->made = false;
    r->stamps = (uint16_t)(r->stamps & (r->stamps - 1));
    if (r->stamps == 0) {
      gpu_ring_pop(&q->ring, Reads);
    }
  }
}

// Marks pixels whose texels could not be read. They stay marked where the fragment's alpha
// decides that it is not drawn.
static void mark_failed(gpu_sampler_t *s, uint32_t slot, uint32_t lane, uint8_t failed) {
  const gpu_block_t *b = &s->pool->block[slot];
  const surface_t *t = b->draw->draw.color;
  for (uint32_t rest = failed; rest; rest &= rest - 1) {
    uint32_t index = s->works[slot].index[lane + (uint32_t)__builtin_ctz(rest)];
    if (t) {
      t->failed[surface_index(t->tiles_x, b->bx * 8u + lanes_x(index),
                              b->by * 8u + lanes_y(index))] = 1;
    }
    s->site->stats.fragments_failed++;
  }
}

static void take(gpu_sampler_t *s, uint64_t now, const texture_result_t *r) {
  uint32_t slot = r->tag >> TagSlot, stage = r->tag >> TagStage & 1, lane = (r->tag & 15) * 4;
  shade_work_t *w = &s->works[slot];
  for (uint32_t k = 0; k < 4; k++) {
    for (uint32_t c = 0; c < 4; c++) {
      w->sample[stage][c][lane + k] = r->sample[k][c];
    }
  }
  if (r->failed) {
    mark_failed(s, slot, lane, r->failed);
  }
  if (--s->pool->samples[slot] == 0) {
    finish(s, now, slot);
  }
  if (s->keeps_answers) {
    s->answers[gpu_ring_push(&s->answered, Reads)] = (uint16_t)r->tag;
  }
}

static void step(void *self, uint64_t now, uint64_t *next) {
  gpu_sampler_t *s = self;
  texture_result_t result;
  (void)next;
  s->moves = false;
  for (uint64_t ready = texture_units_ready(s->units, now); ready; ready &= ready - 1) {
    uint32_t unit = (uint32_t)__builtin_ctzll(ready);
    while (texture_units_pop(s->units, now, unit, &result)) {
      s->moves = true;
      take(s, now, &result);
    }
  }
  for (uint32_t sm = 0; sm < s->site->params.sms; sm++) {
    if (s->queue[sm].ring.count > 0) {
      send_quads(s, now, sm);
    }
  }
}

bool gpu_sampler_moves(const gpu_sampler_t *s) { return s && s->moves; }

static bool empty(const void *self) {
  const gpu_sampler_t *s = self;
  // Warps read while all other stages may be idle. Blocks shaded at a rate wait in the pool.
  for (uint32_t sm = 0; s->keeps_answers && sm < s->site->params.sms; sm++) {
    if (s->queue[sm].ring.count > 0) {
      return false;
    }
  }
  return texture_units_pending(s->units) == 0;
}

static void destroy(void *self) {
  gpu_sampler_t *s = self;
  free(s->works);
  free(s);
}

gpu_sampler_t *gpu_sampler_create(gpu_part_t *part, gpu_site_t *site, gpu_pool_t *pool,
                                  bool answers) {
  gpu_sampler_t *s = calloc(1, sizeof *s + site->params.sms * sizeof *s->queue);
  *part = (gpu_part_t){.self = s, .step = step, .empty = empty, .destroy = destroy};
  if (!s) {
    return NULL;
  }
  s->site = site;
  s->pool = pool;
  s->units = site->texturing.units;
  s->keeps_answers = answers;
  s->works = calloc(GpuBlocks, sizeof *s->works);
  return s->works ? s : NULL;
}
