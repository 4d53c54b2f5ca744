// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "tb/stimulus/corners.h"
#include "tb/stimulus/stimulus.h"

enum { MaxBlocks = 65536 };

// A GPU's side. It follows what may be hidden at most: the least depth that was told or heard of
// each block since the last forget.
typedef struct {
  rng_t rng;
  coarse_depth_params_t p;
  uint32_t forget_rate, look_rate, tell_rate, hear_rate, ready_rate, span, old_rate, same_rate;
  uint32_t error_rate;
  uint32_t base, blocks, far;
  uint32_t least[MaxBlocks];
  uint32_t asked;  // of the look that is answered now
  bool is_checked;
  bool old_message;  // what is on send was so at the last forget
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(forget_rate, "forget", "steps with a new base, in 1/100,000", 0, 20, 100, 500,
                    3000),
    STIMULUS_CHOICE(look_rate, "look", "steps with a look", 1000, 1000, 500, 100, 10),
    STIMULUS_CHOICE(tell_rate, "tell", "steps with a tell", 900, 1000, 500, 100, 10, 2),
    STIMULUS_CHOICE(hear_rate, "hear", "steps with a hear", 900, 1000, 500, 100, 10, 2),
    STIMULUS_CHOICE(ready_rate, "ready", "steps in which a GPU takes a message", 1000, 1000, 500,
                    100, 20),
    STIMULUS_CHOICE(span, "span", "blocks that are used; 0: all", 0, 0, 0, 1, 8, 40),
    STIMULUS_CHOICE(old_rate, "old", "hears of another base", 100, 0, 100, 500),
    STIMULUS_CHOICE(same_rate, "same", "depths that were told or heard before", 100, 0, 100, 500),
    STIMULUS_CHOICE(error_rate, "errors", "blocks that are not in use, forgets of too many", 0, 0,
                    0, 3),
    {0}};

// A block in use, mostly; any at all if none is.
static uint32_t draw_block(traffic_t *t) {
  const uint32_t span = t->span && t->span < t->blocks ? t->span : t->blocks;
  if (rng_chance(&t->rng, t->error_rate)) {
    return rng_below(&t->rng, 1u << coarse_depth_block_w(&t->p));
  }
  if (t->blocks == 0) {
    return 0;
  }
  return rng_chance(&t->rng, 20) ? t->blocks - 1 : rng_below(&t->rng, span);
}

// Depths go nearer by steps, so that each block takes part many times.
static uint32_t draw_depth(traffic_t *t, uint32_t block) {
  const uint32_t least = t->least[block % MaxBlocks];
  if (rng_chance(&t->rng, t->same_rate)) {
    return least;
  }
  if (rng_chance(&t->rng, 300)) {
    return rng_below(&t->rng, t->far + 1);
  }
  const uint32_t step = 1 + rng_below(&t->rng, 1 + t->far / 64);
  return least > step ? least - step : 0;
}

static bool has_blocks(const traffic_t *t) { return t->blocks > 0 || t->error_rate > 0; }

static void say(traffic_t *t, coarse_depth_in_t *in) {
  rng_t *r = &t->rng;
  const bool able = has_blocks(t);
  in->look_valid = able && rng_chance(r, t->look_rate);
  in->look_block = (uint16_t)draw_block(t);
  if (!in->tell_valid) {
    in->tell_valid = able && rng_chance(r, t->tell_rate);
    in->tell_block = (uint16_t)draw_block(t);
    in->tell_depth = draw_depth(t, in->tell_block);
  }
  if (!in->hear_valid) {
    in->hear_valid = able && rng_chance(r, t->hear_rate);
    in->hear_block = (uint16_t)draw_block(t);
    in->hear_depth = draw_depth(t, in->hear_block);
    in->hear_base = (uint8_t)t->base;
    if (rng_chance(r, t->old_rate)) {
      in->hear_base = (uint8_t)rng_below(r, 1u << t->p.base_width);
    }
  }
}

static void draw_forget(traffic_t *t, coarse_depth_in_t *in) {
  rng_t *r = &t->rng;
  in->forget_valid = t->blocks == 0 || rng_below(r, 100000) < t->forget_rate;
  in->forget_base = (uint8_t)((t->base + 1) & ((1u << t->p.base_width) - 1));
  in->forget_blocks = rng_chance(r, 500) ? t->p.blocks : rng_below(r, t->p.blocks + 1);
  if (rng_chance(r, 200)) {
    in->forget_blocks = rng_below(r, 33);
  }
  if (rng_chance(r, t->error_rate) && t->error_rate > 0) {
    in->forget_blocks = rng_below(r, 1u << coarse_depth_count_w(&t->p));
  }
}

// A tell or hear that is taken, and a forget, of the state before the step.
static void follow(traffic_t *t, const coarse_depth_in_t *in, const coarse_depth_out_t *out) {
  t->is_checked = in->look_valid && in->look_block < t->blocks;
  t->asked = in->look_block;
  if (in->tell_valid && out->tell_ready && in->tell_depth < t->least[in->tell_block]) {
    t->least[in->tell_block] = in->tell_depth;
  }
  if (in->hear_valid && out->hear_ready && in->hear_base == t->base &&
      in->hear_depth < t->least[in->hear_block]) {
    t->least[in->hear_block] = in->hear_depth;
  }
}

static void forget(traffic_t *t, uint32_t base, uint32_t blocks) {
  t->base = base;
  t->blocks = blocks;
  for (uint32_t b = 0; b < 1u << coarse_depth_block_w(&t->p); b++) {
    t->least[b] = t->far;
  }
}

// Safety, of what the step left; an answer may be of the base before, which hid no more.
static bool is_right(const traffic_t *t, const coarse_depth_out_t *out, err_t *err) {
  if (corners_acted()) {
    return true;
  }
  if (t->is_checked && (!out->seen_valid || out->seen_depth < t->least[t->asked])) {
    err_set(err, ErrInput, "coarse_depth: block %u: seen %u, told or heard at least %u", t->asked,
            out->seen_depth, t->least[t->asked]);
    return false;
  }
  if (out->send_valid && !t->old_message &&
      (out->send_base != t->base || out->send_depth < t->least[out->send_block])) {
    err_set(err, ErrInput, "coarse_depth: block %u of base %u: sent %u, told or heard at least %u",
            out->send_block, out->send_base, out->send_depth, t->least[out->send_block]);
    return false;
  }
  return true;
}

static void restart(traffic_t *t, coarse_depth_in_t *in) {
  memset(in, 0, sizeof *in);
  forget(t, 0, 0);
}

static bool run(traffic_t *t, const stimulus_t *s, coarse_depth_t *unit, err_t *err) {
  coarse_depth_in_t in;
  coarse_depth_out_t out;
  restart(t, &in);
  unit->reset(unit->self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    draw_forget(t, &in);
    say(t, &in);
    in.send_ready = 0;
    for (uint32_t i = 0; i + 1 < t->p.gpus; i++) {
      in.send_ready |= (uint64_t)rng_chance(&t->rng, t->ready_rate) << i;
    }
    follow(t, &in, &out);
    t->old_message &= out.send_valid != 0;
    const bool told = out.tell_ready, heard = out.hear_ready;
    if (unit->step(unit->self, &in, &out) != UnitOk || !is_right(t, &out, err)) {
      return false;
    }
    if (t->error_rate == 0 && out.error && !corners_acted()) {
      err_set(err, ErrInput, "coarse_depth: error %u without a fault", out.error);
      return false;
    }
    if (in.forget_valid && in.forget_blocks <= t->p.blocks) {
      forget(t, in.forget_base, in.forget_blocks);
      in.tell_valid = in.hear_valid = false;
      t->old_message = out.send_valid != 0;
    }
    in.tell_valid &= !told;
    in.hear_valid &= !heard;
    if (!s->busy && rng_below(&t->rng, 8000) == 0) {
      unit->reset(unit->self, &out);
      restart(t, &in);
    }
  }
  return true;
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  traffic_t *t = calloc(1, sizeof *t);
  if (!t) {
    return err_memory(err, "coarse_depth");
  }
  stimulus_seed(s, &t->rng);
  stimulus_params(s, &coarse_depth_info, &t->rng, &t->p);
  t->far = (1u << t->p.depth_width) - 1;
  coarse_depth_t unit;
  bool ok = stimulus_unit(s, harness, &coarse_depth_info, &t->p, 0, &unit, err) != NULL;
  if (ok) {
    stimulus_draw(s, &t->rng, Choices, t);
    ok = run(t, s, &unit, err);
  }
  free(t);
  return ok;
}

const stimulus_unit_t coarse_depth_stimulus = {drive, Choices};
