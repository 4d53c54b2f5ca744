// SPDX-License-Identifier: Apache-2.0
#include "coarse.h"

#include <stdlib.h>
#include <string.h>

#include "subimage.h"

enum { MessageBytes = 4, MostBlocks = 65536, Rounded = 255, DepthShift = 8, Arrivals = 1024 };

typedef struct {
  uint64_t cycle;
  uint16_t block;
  uint32_t depth;
  uint8_t base;
} message_t;

// The blocks of a GPU's own tiles, told one after the other.
typedef struct {
  const owner_map_t *map;  // NULL: none
  const surface_t *depth;
  uint32_t base, tile, block;
} cursor_t;

typedef struct {
  coarse_depth_t engine;
  coarse_depth_in_t in;
  coarse_depth_out_t out;
  gpu_coarse_t port;
  uint32_t base;  // the last one that was forgotten to
  bool stepped_active;
  uint64_t wake;  // next cycle at which it has something to do by itself
  cursor_t cursor;
  message_t arrivals[Arrivals];
  uint32_t head, count;
} lane_t;

struct coarse {
  site_t site;
  coarse_depth_params_t params;
  lane_t *lanes;
  coarse_stats_t stats;
};

static uint32_t blocks_of(const frame_t *frame) {
  uint32_t blocks = coarse_depth_defaults().blocks;
  for (uint32_t i = 0; i < frame->depth_count; i++) {
    const frame_surface_t *s = &frame->depths[i];
    const uint32_t need = ((s->width + 63) / 64) * ((s->height + 63) / 64) * SurfaceBlocksPerTile;
    while (blocks < need && blocks < MostBlocks) {
      blocks = 2 * blocks < MostBlocks ? 2 * blocks : MostBlocks;
    }
  }
  return blocks;
}

coarse_t *coarse_create(const site_t *site, const machine_units_t *units, err_t *err) {
  coarse_t *c = calloc(1, sizeof *c);
  const uint32_t gpus = site->params->gpus;
  if (c) {
    c->site = *site;
    c->params = coarse_depth_defaults();
    c->params.gpus = gpus;
    c->params.blocks = blocks_of(site->frame);
    c->params.epoch = site->params->coarse_epoch;
    c->lanes = calloc(gpus, sizeof *c->lanes);
  }
  if (!c || !c->lanes) {
    coarse_destroy(c);
    err_memory(err, "coarse depth");
    return NULL;
  }
  for (uint32_t g = 0; g < gpus; g++) {
    lane_t *l = &c->lanes[g];
    if (!units->coarse_depth(units->context, &c->params, g, &l->engine, err)) {
      coarse_destroy(c);
      return NULL;
    }
    l->engine.reset(l->engine.self, &l->out);
    l->port.most_blocks = c->params.blocks;
    gpu_set_coarse(site->nodes[g].gpu, &l->port);
  }
  return c;
}

void coarse_destroy(coarse_t *c) {
  if (c) {
    free(c->lanes);
    free(c);
  }
}

// ---- What the GPU asks and tells

// A new base goes before its first look.
static void pass_look(coarse_t *c, lane_t *l) {
  gpu_coarse_t *p = &l->port;
  if (p->wanted && p->base != l->base) {
    l->in.forget_valid = true;
    l->in.forget_base = (uint8_t)(p->base & ((1u << c->params.base_width) - 1));
    l->in.forget_blocks = p->blocks;
    l->base = p->base;
    c->stats.forgets++;
  } else if (p->wanted) {
    l->in.look_valid = true;
    l->in.look_block = p->block;
    p->wanted = false;
  }
}

static void offer_tell(lane_t *l, uint32_t block, uint32_t depth) {
  l->in.tell_valid = true;
  l->in.tell_block = (uint16_t)block;
  l->in.tell_depth = depth >> DepthShift;
}

// The next block of the own tiles, past those of other GPUs.
static void pass_own(lane_t *l, uint32_t g) {
  cursor_t *k = &l->cursor;
  while (k->map && l->base == k->base && !l->in.tell_valid) {
    const surface_t *s = k->depth;
    const uint32_t x = k->tile % s->tiles_x, y = k->tile / s->tiles_x;
    const bool own =
        x < k->map->tiles_x && y < k->map->tiles_y && k->map->tiles[y * k->map->tiles_x + x] == g;
    if (own) {
      const uint32_t block = k->tile * SurfaceBlocksPerTile + k->block;
      offer_tell(l, block, surface_farthest(s, block));
    }
    k->block = own ? (k->block + 1) % SurfaceBlocksPerTile : 0;
    k->tile += k->block == 0;
    if (k->tile == s->tiles_x * s->tiles_y) {
      k->map = NULL;
    }
  }
  if (k->map && l->base != k->base) {
    k->map = NULL;
  }
}

static void pass_tell(coarse_t *c, lane_t *l, uint32_t g) {
  gpu_coarse_t *p = &l->port;
  while (p->count > 0 && !l->in.tell_valid) {
    const gpu_coarse_tell_t *t = &p->tells[p->head];
    if (t->base == l->base) {
      offer_tell(l, t->block, t->depth);
    }
    p->head = (p->head + 1) % GpuCoarseTells;
    p->count--;
  }
  pass_own(l, g);
  c->stats.told += l->in.tell_valid && l->out.tell_ready;
}

void coarse_publish(coarse_t *c, uint32_t g, uint32_t composed) {
  const plan_group_t *group = subimage_group(&c->site, composed);
  const frame_state_t *s = &c->site.frame->commands[group->first].state;
  const uint32_t depth = group->depth_buffer;
  lane_t *l = &c->lanes[g];
  if (group->kind != DrawSchedulerGroupOpaque || depth == FrameNone || !s->depth_test ||
      (s->depth_func != FrameFuncLess && s->depth_func != FrameFuncLessEqual)) {
    return;
  }
  const surface_t *surface = gpu_depth(c->site.nodes[g].gpu, depth);
  if (surface->tiles_x * surface->tiles_y * SurfaceBlocksPerTile <= c->params.blocks) {
    l->wake = 0;
    l->cursor = (cursor_t){owners_drawn(c->site.owners, group->color_target, group->depth_buffer),
                           surface, group->coarse_base, 0, 0};
  }
}

// ---- Messages

static uint32_t other(uint32_t g, uint32_t lane) { return lane < g ? lane : lane + 1; }

static void pass_messages(coarse_t *c, lane_t *l, uint32_t g, uint64_t now) {
  const message_t *first = &l->arrivals[l->head];
  l->in.hear_valid = l->count > 0 && first->cycle <= now;
  if (l->in.hear_valid) {
    l->in.hear_block = first->block;
    l->in.hear_depth = first->depth;
    l->in.hear_base = first->base;
    if (l->out.hear_ready) {
      l->head = (l->head + 1) % Arrivals;
      l->count--;
    }
  }
  l->in.send_ready = 0;
  for (uint64_t rest = l->out.send_valid; rest; rest &= rest - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(rest);
    lane_t *to = &c->lanes[other(g, i)];
    if (to->count < Arrivals) {
      to->arrivals[(to->head + to->count++) % Arrivals] =
          (message_t){now + c->site.params->message_latency, l->out.send_block, l->out.send_depth,
                      l->out.send_base};
      l->in.send_ready |= 1ull << i;
      c->stats.messages++;
      c->stats.bytes += MessageBytes;
    }
  }
}

// ---- A cycle

static bool is_active(const lane_t *l) {
  return l->in.forget_valid || l->in.look_valid || l->in.tell_valid || l->in.hear_valid ||
         l->in.send_ready;
}

static uint64_t step_gpu(coarse_t *c, uint32_t g, uint64_t now, halt_t *halt) {
  lane_t *l = &c->lanes[g];
  l->in.forget_valid = l->in.look_valid = false;
  pass_look(c, l);
  pass_tell(c, l, g);
  pass_messages(c, l, g, now);
  const bool taken = l->out.tell_ready;
  if (is_active(l) || l->stepped_active || !l->out.quiescent) {
    const unit_status_e status = l->engine.step(l->engine.self, &l->in, &l->out);
    if (!halt_check(halt, now, &coarse_depth_info, (int)g, status, l->out.error)) {
      return UINT64_MAX;
    }
  }
  l->stepped_active = is_active(l);
  if (taken || l->in.forget_valid) {
    l->in.tell_valid = false;
  }
  if (l->out.seen_valid) {
    gpu_answer_look(c->site.nodes[g].gpu, l->out.seen_depth << DepthShift | Rounded);
    site_wake(&c->site, g, now + 1);
  }
  const bool waits = l->port.wanted || l->port.count || l->cursor.map || l->out.send_valid;
  return l->stepped_active || !l->out.quiescent || waits ? now + 1 : UINT64_MAX;
}

uint64_t coarse_step(coarse_t *c, uint64_t now, halt_t *halt) {
  uint64_t next = UINT64_MAX;
  for (uint32_t g = 0; g < c->site.params->gpus && halt->status == MachineDone; g++) {
    lane_t *l = &c->lanes[g];
    const bool arrives = l->count > 0 && l->arrivals[l->head].cycle <= now;
    if (c->site.turns->advanced >> g & 1 || l->wake <= now || arrives) {
      l->wake = step_gpu(c, g, now, halt);
    }
  }
  for (uint32_t g = 0; g < c->site.params->gpus; g++) {
    const lane_t *l = &c->lanes[g];
    cycle_earliest(&next, l->wake);
    if (l->count > 0) {
      cycle_earliest(&next, cycle_after(now, l->arrivals[l->head].cycle));
    }
  }
  return next;
}

coarse_stats_t coarse_stats(const coarse_t *c) {
  coarse_stats_t s = c->stats;
  for (uint32_t g = 0; g < c->site.params->gpus; g++) {
    const gpu_coarse_t *p = &c->lanes[g].port;
    s.hidden += p->hidden;
    s.waits += p->waits;
    s.untold += p->untold;
  }
  return s;
}
