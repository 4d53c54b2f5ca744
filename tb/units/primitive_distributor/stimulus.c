// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "tb/stimulus/corners.h"
#include "tb/stimulus/stimulus.h"

// Geometry's side: primitives in batches, and now and then a new map, before which it closes the
// batch and waits.
typedef struct {
  rng_t rng;
  primitive_distributor_params_t p;
  uint32_t configure_rate, primitive_rate, ready_rate, close_rate, empty_rate, span, error_rate;
  bool configured;  // or accepted a legal one
  bool closes;      // a map is wanted, and the close before it
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(configure_rate, "configure", "steps that want a new map, in 1/100,000", 0, 100,
                    1000, 10, 5000),
    STIMULUS_CHOICE(primitive_rate, "primitive", "steps with a primitive", 1000, 1000, 1000, 300),
    STIMULUS_CHOICE(ready_rate, "ready", "steps in which a cluster takes its mask", 1000, 1000, 500,
                    100),
    STIMULUS_CHOICE(close_rate, "close", "primitives that are closes", 20, 0, 20, 100, 500),
    STIMULUS_CHOICE(empty_rate, "empty", "primitives without a box", 50, 0, 50, 500),
    STIMULUS_CHOICE(span, "span", "sides of boxes at most, 0: any", 8, 1, 2, 8, 64, 0),
    STIMULUS_CHOICE(error_rate, "errors", "primitives and maps that are illegal", 0, 0, 0, 10),
    {0}};

static void draw_configure(traffic_t *t, primitive_distributor_in_t *in) {
  const uint32_t most = 1u << t->p.pos_width;
  in->configure_valid = true;
  in->configure_wt = (uint8_t)(1 + rng_below(&t->rng, rng_chance(&t->rng, 500) ? 12 : 64));
  in->configure_width = (uint16_t)(1 + rng_below(&t->rng, most));
  if (rng_chance(&t->rng, t->error_rate * 20)) {
    in->configure_wt = (uint8_t)(rng_chance(&t->rng, 500) ? 0 : 65 + rng_below(&t->rng, 63));
  } else if (rng_chance(&t->rng, t->error_rate * 20)) {
    in->configure_width = (uint16_t)(rng_chance(&t->rng, 500) ? 0 : most + 1);
  }
}

static void draw_ends(traffic_t *t, uint16_t *low, uint16_t *high) {
  const uint32_t most = 1u << t->p.pos_width;
  *low = (uint16_t)rng_below(&t->rng, most);
  const uint32_t room = most - *low;
  *high = (uint16_t)(*low + rng_below(&t->rng, t->span && t->span < room ? t->span : room));
}

static void draw_primitive(traffic_t *t, primitive_distributor_in_t *in) {
  in->primitive_valid = true;
  draw_ends(t, &in->primitive_x0, &in->primitive_x1);
  draw_ends(t, &in->primitive_y0, &in->primitive_y1);
  in->primitive_op = PrimitiveDistributorOpBox;
  if (t->closes || rng_chance(&t->rng, t->close_rate)) {
    in->primitive_op = PrimitiveDistributorOpClose;
    t->closes = false;
  } else if (rng_chance(&t->rng, t->error_rate)) {
    in->primitive_op = (uint8_t)rng_below(&t->rng, 4);
    in->primitive_x1 = (uint16_t)rng_below(&t->rng, 1u << t->p.pos_width);
    in->primitive_y1 = (uint16_t)rng_below(&t->rng, 1u << t->p.pos_width);
  } else if (rng_chance(&t->rng, t->empty_rate)) {
    in->primitive_op = PrimitiveDistributorOpEmpty;
  }
}

// Wants a map first, then now and then; the close before it is the last primitive that is offered
// until it is accepted, but for one in the same cycle now and then.
static void say(traffic_t *t, primitive_distributor_in_t *in,
                const primitive_distributor_out_t *out) {
  rng_t *r = &t->rng;
  if (!in->configure_valid && !t->closes &&
      (!t->configured || rng_below(r, 100000) < t->configure_rate)) {
    t->closes = t->configured;
    draw_configure(t, in);
  }
  const bool waits = in->configure_valid && !t->closes &&
                     !(out->configure_ready && t->configured && rng_chance(r, 200));
  if (!in->primitive_valid && (!waits || rng_chance(r, t->error_rate)) &&
      rng_chance(r, t->primitive_rate)) {
    draw_primitive(t, in);
  }
  in->mask_ready = 0;
  for (uint32_t i = 0; i < t->p.clusters; i++) {
    in->mask_ready |= (uint16_t)(rng_chance(r, t->ready_rate) << i);
  }
}

static void restart(traffic_t *t, primitive_distributor_in_t *in) {
  memset(in, 0, sizeof *in);
  t->configured = t->closes = false;
}

static bool run(traffic_t *t, const stimulus_t *s, primitive_distributor_t *unit, err_t *err) {
  primitive_distributor_in_t in;
  primitive_distributor_out_t out;
  restart(t, &in);
  unit->reset(unit->self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    say(t, &in, &out);
    const bool configured = in.configure_valid && out.configure_ready;
    const bool taken = in.primitive_valid && out.primitive_ready;
    if (unit->step(unit->self, &in, &out) != UnitOk) {
      return false;
    }
    if (t->error_rate == 0 && out.error && !corners_acted()) {
      err_set(err, ErrInput, "primitive_distributor: error %u without a fault", out.error);
      return false;
    }
    if (configured) {
      t->configured |= !out.primitive_ready;
      in.configure_valid = false;
    }
    in.primitive_valid &= !taken;
    if (!s->busy && rng_below(&t->rng, 8000) == 0) {
      unit->reset(unit->self, &out);
      restart(t, &in);
    }
  }
  return true;
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  traffic_t t = {0};
  primitive_distributor_t unit;
  stimulus_seed(s, &t.rng);
  stimulus_params(s, &primitive_distributor_info, &t.rng, &t.p);
  if (!stimulus_unit(s, harness, &primitive_distributor_info, &t.p, 0, &unit, err)) {
    return false;
  }
  stimulus_draw(s, &t.rng, Choices, &t);
  return run(&t, s, &unit, err);
}

const stimulus_unit_t primitive_distributor_stimulus = {drive, Choices};
