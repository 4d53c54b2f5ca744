// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "tb/stimulus/corners.h"
#include "tb/stimulus/stimulus.h"

// A cluster's raster and its shading: blocks of raster tiles at a few places, and TC tiles that
// end in any order.
typedef struct {
  rng_t rng;
  tile_coalescer_params_t p;
  uint32_t raster_rate, ready_rate, done_rate, end_rate, places, full_rate, error_rate;
  uint64_t shading;  // ids
  uint16_t x, y;     // of the block under way
  uint32_t quadrant;
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(raster_rate, "raster", "steps with a raster tile", 1000, 1000, 1000, 500, 50),
    STIMULUS_CHOICE(ready_rate, "ready", "steps in which a TC tile is taken", 1000, 1000, 500, 100),
    STIMULUS_CHOICE(done_rate, "done", "steps in which a TC tile ends", 1000, 1000, 500, 100, 20),
    STIMULUS_CHOICE(end_rate, "end", "blocks with an end before them", 20, 0, 20, 200),
    STIMULUS_CHOICE(places, "places", "places, 0: any", 0, 1, 3, 10, 0),
    STIMULUS_CHOICE(full_rate, "full", "raster tiles with all stamps", 500, 1000, 500, 100, 0),
    STIMULUS_CHOICE(error_rate, "errors", "raster tiles without stamps, dones that are wrong", 0, 0,
                    0, 10),
    {0}};

static void draw_raster(traffic_t *t, tile_coalescer_in_t *in) {
  rng_t *r = &t->rng;
  in->raster_valid = true;
  in->raster_op = TileCoalescerOpTile;
  if (t->quadrant == 0) {
    const uint32_t side = 1u << t->p.pos_width;
    const uint32_t place = rng_below(r, t->places ? t->places : side * side);
    t->x = (uint16_t)(place % side);
    t->y = (uint16_t)(place / side % side);
    if (rng_chance(r, t->end_rate)) {
      in->raster_op = TileCoalescerOpEnd;
      return;
    }
  }
  in->raster_x = t->x;
  in->raster_y = t->y;
  in->raster_quadrant = (uint8_t)t->quadrant;
  in->raster_stamps = (uint8_t)(rng_chance(r, t->full_rate) ? 15 : 1 + rng_below(r, 15));
  in->raster_tag = (uint16_t)rng_below(r, 1u << t->p.tag_width);
  if (rng_chance(r, t->error_rate)) {
    in->raster_stamps = 0;
  }
  t->quadrant += rng_chance(r, 700) ? 1 : 1 + rng_below(r, 3);
  t->quadrant = t->quadrant > 3 ? 0 : t->quadrant;
}

// One of the ids in shading, from a random one on.
static uint32_t draw_id(traffic_t *t) {
  uint32_t id = rng_below(&t->rng, t->p.live);
  while (!(t->shading >> id & 1)) {
    id = (id + 1) % t->p.live;
  }
  return id;
}

static void say(traffic_t *t, tile_coalescer_in_t *in) {
  if (!in->raster_valid && rng_chance(&t->rng, t->raster_rate)) {
    draw_raster(t, in);
  }
  in->tile_ready = rng_chance(&t->rng, t->ready_rate);
  in->done_valid = t->shading != 0 && rng_chance(&t->rng, t->done_rate);
  in->done_id = in->done_valid ? (uint8_t)draw_id(t) : 0;
  t->shading &= ~((uint64_t)in->done_valid << in->done_id);
  if (!in->done_valid && rng_chance(&t->rng, t->error_rate)) {
    in->done_valid = true;
    in->done_id = (uint8_t)rng_below(&t->rng, 1u << tile_coalescer_id(&t->p));
    t->shading &= ~(UINT64_C(1) << in->done_id);
  }
}

static bool run(traffic_t *t, const stimulus_t *s, tile_coalescer_t *unit, err_t *err) {
  tile_coalescer_in_t in = {0};
  tile_coalescer_out_t out;
  unit->reset(unit->self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    say(t, &in);
    const bool taken = in.raster_valid && out.raster_ready;
    if (out.tile_valid && in.tile_ready) {
      t->shading |= UINT64_C(1) << out.tile_id;
    }
    if (unit->step(unit->self, &in, &out) != UnitOk) {
      return false;
    }
    if (t->error_rate == 0 && out.error && !corners_acted()) {
      err_set(err, ErrInput, "tile_coalescer: error %u without a fault", out.error);
      return false;
    }
    in.raster_valid &= !taken;
    if (!s->busy && rng_below(&t->rng, 8000) == 0) {
      unit->reset(unit->self, &out);
      memset(&in, 0, sizeof in);
      t->shading = 0;
    }
  }
  return true;
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  traffic_t t = {0};
  tile_coalescer_t unit;
  stimulus_seed(s, &t.rng);
  stimulus_params(s, &tile_coalescer_info, &t.rng, &t.p);
  if (!stimulus_unit(s, harness, &tile_coalescer_info, &t.p, 0, &unit, err)) {
    return false;
  }
  stimulus_draw(s, &t.rng, Choices, &t);
  return run(&t, s, &unit, err);
}

const stimulus_unit_t tile_coalescer_stimulus = {drive, Choices};
