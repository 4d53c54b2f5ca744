// SPDX-License-Identifier: Apache-2.0
#include "tb/stimulus/stimulus.h"
#include "tb/stimulus/corners.h"

// Time, frames of IPs and accesses. Ticks keep the distance that evaluations and clusterings need,
// unless errors are wanted.
typedef struct {
  rng_t rng;
  dash_scheduler_params_t p;
  uint32_t tick_rate, start_rate, finish_rate, served_rate, ip_share, need, error_rate;
  uint32_t rest;  // steps without a tick
  uint32_t active;
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(tick_rate, "tick", "steps with a tick, where one may come", 1000, 1000, 500,
                    100),
    STIMULUS_CHOICE(start_rate, "start", "steps in which an IP starts", 100, 200, 50, 5),
    STIMULUS_CHOICE(finish_rate, "finish", "steps in which an active IP ends", 5, 0, 5, 50),
    STIMULUS_CHOICE(served_rate, "served", "steps with an access on a channel", 500, 900, 500, 50),
    STIMULUS_CHOICE(ip_share, "ip", "accesses of IPs", 500, 200, 500, 800),
    STIMULUS_CHOICE(need, "need", "accesses that an IP needs at most, 0: any", 100, 20, 100, 0),
    STIMULUS_CHOICE(error_rate, "errors", "starts, finishes, accesses and ticks that are illegal",
                    0, 0, 0, 20),
    {0}};

static void draw_pins(traffic_t *t, dash_scheduler_in_t *in) {
  rng_t *r = &t->rng;
  for (uint32_t c = 0; c < t->p.cpus; c++) {
    in->mpki[c] = (uint16_t)rng_below(r, rng_chance(r, 500) ? 4 : 65536);
  }
  for (uint32_t i = 0; i < t->p.ips; i++) {
    in->threshold[i] = (uint16_t)(rng_chance(r, 500) ? 100 * rng_below(r, 11) : rng_below(r, 1024));
  }
  in->factor = (uint16_t)rng_below(r, 1024);
  in->all = rng_chance(r, 500);
  in->progress = rng_chance(r, 500);
}

static void draw_start(traffic_t *t, dash_scheduler_in_t *in) {
  rng_t *r = &t->rng;
  const uint32_t most = (1u << t->p.count_width) - 1, longest = (1u << t->p.time_width) - 1;
  const bool wrong = rng_chance(r, t->error_rate * 5);
  in->start_ip = (uint8_t)rng_below(r, wrong ? 4 : t->p.ips);
  in->start_expected = 1 + rng_below(r, t->need && t->need < most ? t->need : most);
  in->start_period = 1 + rng_below(r, rng_chance(r, 800) ? 40 : longest);
  in->start_expected = wrong && rng_chance(r, 300) ? 0 : in->start_expected;
  in->start_period = wrong && rng_chance(r, 300) ? 0 : in->start_period;
}

static void say(traffic_t *t, dash_scheduler_in_t *in) {
  rng_t *r = &t->rng;
  if (rng_chance(r, 5)) {
    draw_pins(t, in);
  }
  const bool early = rng_chance(r, t->error_rate);
  in->tick = (t->rest == 0 || early) && rng_chance(r, t->tick_rate);
  const uint32_t evaluation = 2 * t->p.ips, clustering = 3 * t->p.cpus;
  t->rest = in->tick      ? (evaluation > clustering ? evaluation : clustering)
            : t->rest > 0 ? t->rest - 1
                          : 0;
  in->finish = 0;
  for (uint32_t i = 0; i < t->p.ips; i++) {
    const bool ends =
        t->active >> i & 1 ? rng_chance(r, t->finish_rate) : rng_chance(r, t->error_rate);
    in->finish |= (uint8_t)(ends << i);
  }
  in->start_valid = rng_chance(r, t->start_rate);
  draw_start(t, in);
  in->served_valid = 0;
  for (uint32_t c = 0; c < t->p.channels; c++) {
    in->served_valid |= (uint8_t)(rng_chance(r, t->served_rate) << c);
    in->served_source[c] = (uint8_t)(rng_chance(r, t->ip_share) ? t->p.cpus + rng_below(r, t->p.ips)
                                                                : rng_below(r, t->p.cpus));
    if (rng_chance(r, t->error_rate)) {
      in->served_source[c] = (uint8_t)rng_below(r, 16);
    }
  }
}

// Follows which IPs are active, as the contract has it.
static void follow(traffic_t *t, const dash_scheduler_in_t *in) {
  const bool starts =
      in->start_valid && in->start_ip < t->p.ips && in->start_expected > 0 && in->start_period > 0;
  t->active = (t->active & ~(uint32_t)in->finish) | (starts ? 1u << in->start_ip : 0);
}

static bool run(traffic_t *t, const stimulus_t *s, dash_scheduler_t *unit, err_t *err) {
  dash_scheduler_in_t in = {0};
  dash_scheduler_out_t out;
  draw_pins(t, &in);
  unit->reset(unit->self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    say(t, &in);
    if (unit->step(unit->self, &in, &out) != UnitOk) {
      return false;
    }
    follow(t, &in);
    if (t->error_rate == 0 && out.error && !corners_acted()) {
      return err_set(err, ErrInput, "dash_scheduler: error %u without a fault", out.error);
    }
    if (!s->busy && rng_below(&t->rng, 8000) == 0) {
      unit->reset(unit->self, &out);
      t->rest = t->active = 0;
    }
  }
  return true;
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  traffic_t t = {0};
  dash_scheduler_t unit;
  stimulus_seed(s, &t.rng);
  stimulus_params(s, &dash_scheduler_info, &t.rng, &t.p);
  if (!stimulus_unit(s, harness, &dash_scheduler_info, &t.p, 0, &unit, err)) {
    return false;
  }
  stimulus_draw(s, &t.rng, Choices, &t);
  return run(&t, s, &unit, err);
}

const stimulus_unit_t dash_scheduler_stimulus = {drive, Choices};
