// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

enum { QueueDepth = 2, MaxEngines = 8, MaxBins = 8, Stamps = 16, AllStamps = 0xffff, MaxLive = 64 };

typedef struct {
  uint8_t op;
  uint16_t x, y;
  uint16_t stamps;  // of the TC tile
  uint16_t tag;
} raster_t;

typedef struct {
  uint16_t stamps;  // of the TC tile, those left
  uint16_t tag;
} bin_t;

typedef struct {
  bool active, evict;
  uint16_t x, y;
  uint32_t idle;
  uint32_t held;
  bin_t bins[MaxBins];  // the oldest first
  uint16_t covered;
  uint16_t tags[Stamps];  // of those covered
} engine_t;

typedef struct {
  uint16_t x, y;
} place_t;

typedef struct {
  tile_coalescer_params_t params;
  raster_t queue[QueueDepth];
  uint32_t queued;
  engine_t engines[MaxEngines];
  uint32_t last;  // the engine that issued last
  uint64_t live;
  place_t places[MaxLive];
  bool valid;  // the output register
  uint32_t id;
  place_t place;
  uint16_t stamps;
  uint16_t tags[Stamps];
  uint8_t error;
} golden_t;

// Returns the stamps of a raster tile as those of its TC tile.
static uint16_t spread(uint32_t quadrant, uint32_t stamps) {
  const uint32_t rows = (stamps & 3) | (stamps & 12) << 2;
  return (uint16_t)(rows << (8 * (quadrant >> 1) + 2 * (quadrant & 1)));
}

// ---- What a cycle does --------------------------------------------------------------------------

typedef struct {
  uint32_t issues;  // the engine, or none: Engines
  uint32_t takes, appends;
  uint32_t evicts;  // engines that become evicted
  bool pop, bad_raster, bad_done;
} plan_t;

static uint16_t moves(const engine_t *e) {
  uint16_t stamps = 0;
  for (uint32_t b = 0; b < e->held; b++) {
    stamps |= e->bins[b].stamps;
  }
  return stamps & (uint16_t)~e->covered;
}

static bool is_live(const golden_t *g, uint32_t x, uint32_t y) {
  for (uint32_t l = 0; l < g->params.live; l++) {
    if (g->live >> l & 1 && g->places[l].x == x && g->places[l].y == y) {
      return true;
    }
  }
  return false;
}

static uint64_t all_ids(const golden_t *g) { return UINT64_MAX >> (64 - g->params.live); }

static bool can_issue(const golden_t *g, const engine_t *e) {
  return e->active && e->covered != 0 &&
         (e->evict || e->covered == AllStamps || e->held == g->params.bins ||
          e->idle == g->params.wait) &&
         moves(e) == 0 && !is_live(g, e->x, e->y);
}

static uint32_t choose(const golden_t *g, const tile_coalescer_in_t *in) {
  const uint32_t n = g->params.engines;
  if ((g->valid && !in->tile_ready) || g->live == all_ids(g)) {
    return n;
  }
  for (uint32_t k = 1; k <= n; k++) {
    const uint32_t e = (g->last + k) % n;
    if (can_issue(g, &g->engines[e])) {
      return e;
    }
  }
  return n;
}

// The engines that are evicted for a raster tile that finds none.
static uint32_t victim(const golden_t *g) {
  uint32_t longest = 0;
  for (uint32_t e = 0; e < g->params.engines; e++) {
    if (g->engines[e].evict) {
      return 0;
    }
    longest = g->engines[e].idle > g->engines[longest].idle ? e : longest;
  }
  return 1u << longest;
}

static void plan_tile(const golden_t *g, const raster_t *head, plan_t *p) {
  const uint32_t n = g->params.engines;
  uint32_t inactive = n;
  for (uint32_t e = n; e-- > 0;) {
    const engine_t *engine = &g->engines[e];
    if (!engine->active) {
      inactive = e;
    } else if (engine->x == head->x && engine->y == head->y) {
      p->pop = p->issues != e && engine->held < g->params.bins;
      p->appends = p->pop ? e : n;
      return;
    }
  }
  p->pop = inactive < n;
  p->takes = inactive;
  p->evicts = inactive < n ? 0 : victim(g);
}

static void plan_head(const golden_t *g, plan_t *p) {
  const raster_t *head = &g->queue[0];
  if (head->op == TileCoalescerOpTile) {
    p->bad_raster = head->stamps == 0;
    p->pop = p->bad_raster;
    if (!p->bad_raster) {
      plan_tile(g, head, p);
    }
    return;
  }
  for (uint32_t e = 0; e < g->params.engines; e++) {
    p->evicts |= (uint32_t)g->engines[e].active << e;
  }
  p->pop = p->evicts == 0;
}

// Returns what the cycle does, by the state at its start and its inputs.
static plan_t plan(const golden_t *g, const tile_coalescer_in_t *in) {
  const uint32_t n = g->params.engines;
  plan_t p = {.issues = choose(g, in), .takes = n, .appends = n};
  if (g->queued > 0) {
    plan_head(g, &p);
  }
  p.bad_done = in->done_valid && (in->done_id >= g->params.live || !(g->live >> in->done_id & 1) ||
                                  (g->valid && g->id == in->done_id));
  return p;
}

// ---- A cycle -----------------------------------------------------------------------------------

static void issue(golden_t *g, engine_t *e) {
  g->valid = true;
  g->id = (uint32_t)__builtin_ctzll(~g->live);
  g->live |= UINT64_C(1) << g->id;
  g->place = g->places[g->id] = (place_t){e->x, e->y};
  g->stamps = e->covered;
  memcpy(g->tags, e->tags, sizeof g->tags);
  e->covered = 0;
  e->idle = 0;
  e->active = e->held > 0;
  e->evict &= e->active;
}

static void stage(const golden_t *g, engine_t *e) {
  uint32_t held = 0;
  for (uint32_t b = 0; b < e->held; b++) {
    bin_t bin = e->bins[b];
    const uint16_t moved = bin.stamps & (uint16_t)~e->covered;
    for (uint32_t left = moved; left; left &= left - 1) {
      e->tags[__builtin_ctz(left)] = bin.tag;
    }
    e->covered |= moved;
    bin.stamps &= (uint16_t)~moved;
    if (bin.stamps) {
      e->bins[held++] = bin;
    }
  }
  e->held = held;
  e->idle += e->idle < g->params.wait;
}

static void append(engine_t *e, const raster_t *r) {
  e->bins[e->held++] = (bin_t){r->stamps, r->tag};
  e->idle = 0;
}

static void move_engines(golden_t *g, const plan_t *p) {
  const raster_t *head = &g->queue[0];
  for (uint32_t i = 0; i < g->params.engines; i++) {
    engine_t *e = &g->engines[i];
    if (i == p->issues) {
      issue(g, e);
      g->last = i;
    } else if (e->active) {
      stage(g, e);
    }
    e->evict |= e->active && p->evicts >> i & 1;
    if (i == p->takes) {
      *e = (engine_t){.active = true, .x = head->x, .y = head->y};
    }
    if (i == p->takes || i == p->appends) {
      append(e, head);
    }
  }
}

static bool is_quiescent(const golden_t *g, const tile_coalescer_in_t *in) {
  if ((in->raster_valid && g->queued < QueueDepth) || in->done_valid ||
      (g->valid && in->tile_ready)) {
    return false;
  }
  uint32_t evicted = 0;
  for (uint32_t i = 0; i < g->params.engines; i++) {
    const engine_t *e = &g->engines[i];
    if (e->active && (e->idle < g->params.wait || moves(e) != 0)) {
      return false;
    }
    evicted |= (uint32_t)e->evict << i;
  }
  const plan_t p = plan(g, in);
  return p.issues == g->params.engines && !p.pop && (p.evicts & ~evicted) == 0;
}

static void outputs(const golden_t *g, const tile_coalescer_in_t *in, tile_coalescer_out_t *out) {
  memset(out, 0, sizeof *out);
  out->quiescent = is_quiescent(g, in);
  out->error = g->error;
  out->raster_ready = g->queued < QueueDepth;
  if (g->valid) {
    out->tile_valid = true;
    out->tile_id = (uint8_t)g->id;
    out->tile_x = g->place.x;
    out->tile_y = g->place.y;
    out->tile_stamps = g->stamps;
    for (uint32_t s = 0; s < Stamps; s++) {
      out->tile_tag[s] = g->stamps >> s & 1 ? g->tags[s] : 0;
    }
  }
}

static unit_status_e step(void *self, const tile_coalescer_in_t *in, tile_coalescer_out_t *out) {
  golden_t *g = self;
  const plan_t p = plan(g, in);
  const bool accepts = in->raster_valid && g->queued < QueueDepth;
  g->valid &= !in->tile_ready;
  move_engines(g, &p);
  if (in->done_valid && !p.bad_done) {
    g->live &= ~(UINT64_C(1) << in->done_id);
  }
  if (p.pop) {
    g->queue[0] = g->queue[1];
    g->queued--;
  }
  if (accepts) {
    g->queue[g->queued++] =
        (raster_t){in->raster_op, in->raster_x, in->raster_y,
                   spread(in->raster_quadrant, in->raster_stamps), in->raster_tag};
  }
  if (g->error == TileCoalescerErrorNone) {
    g->error = p.bad_raster ? TileCoalescerErrorRaster
               : p.bad_done ? TileCoalescerErrorDone
                            : TileCoalescerErrorNone;
  }
  outputs(g, in, out);
  return UnitOk;
}

static void reset(void *self, tile_coalescer_out_t *out) {
  golden_t *g = self;
  const tile_coalescer_in_t none = {0};
  *g = (golden_t){.params = g->params, .last = g->params.engines - 1};
  outputs(g, &none, out);
}

static void observe(void *self, tile_coalescer_state_t *state) {
  const golden_t *g = self;
  memset(state, 0, sizeof *state);
  for (uint32_t e = 0; e < g->params.engines; e++) {
    state->active |= (uint8_t)(g->engines[e].active << e);
    state->evict |= (uint8_t)(g->engines[e].evict << e);
    state->covered[e] = g->engines[e].covered;
    state->held[e] = (uint8_t)g->engines[e].held;
  }
  state->live = g->live;
}

static bool in_range(const tile_coalescer_params_t *p) {
  return p->engines >= 1 && p->engines <= MaxEngines && p->bins >= 1 && p->bins <= MaxBins &&
         p->wait >= 1 && p->wait <= 1023 && p->live >= 2 && p->live <= MaxLive &&
         p->tag_width >= 1 && p->tag_width <= 16 && p->pos_width >= 1 && p->pos_width <= 10;
}

bool tile_coalescer_golden_create(const tile_coalescer_params_t *params, tile_coalescer_t *engine) {
  golden_t *g = in_range(params) ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->params = *params;
  tile_coalescer_out_t out;
  reset(g, &out);
  *engine = (tile_coalescer_t){g, step, reset, observe};
  return true;
}

void tile_coalescer_golden_destroy(tile_coalescer_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
