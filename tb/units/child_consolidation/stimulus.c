// SPDX-License-Identifier: Apache-2.0
// Beats of packages that share few or many lines; a memory that answers reads in any order.
#include <string.h>

#include "tb/stimulus/stimulus.h"

enum { MaxReads = 1024 };  // under way, more than there are fetches

typedef struct {
  rng_t rng;
  uint32_t beat_rate, read_rate, take_rate, run_rate, error_rate;
  uint32_t stay_rate;    // that a beat wants the line of the one before
  uint32_t lines, base;  // beats want so many lines from base
  bool in_order;         // reads are answered so
  bool beat_held, take_held;
  uint32_t read_count;
  uint16_t read[MaxReads];
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(beat_rate, "beat", "steps in which a beat comes", 1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(read_rate, "read", "steps in which a read is taken", 1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(take_rate, "take", "steps in which a line that was read is taken", 1000, 1000,
                    800, 300, 50),
    STIMULUS_CHOICE(run_rate, "run", "steps in which a run is taken", 1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(stay_rate, "stay", "beats for the line of the one before", 50, 0, 50, 300),
    STIMULUS_CHOICE(lines, "lines", "lines that beats want", 400, 1, 4, 40, 400, 1u << 24),
    STIMULUS_CHOICE(error_rate, "errors", "lines taken that nobody read", 0, 0, 0, 0, 3, 3),
    {0}};

static void beat(traffic_t *t, texel_generator_beat_t *b) {
  rng_t *r = &t->rng;
  uint32_t line = b->line;
  *b = (texel_generator_beat_t){.slot = (uint8_t)rng_below(r, 64),
                                .last = rng_chance(r, 100),
                                .along_y = rng_below(r, 2),
                                .line = line,
                                .texel = (uint16_t)(rng_below(r, 2) ? 0xffff : rng_u64(r))};
  if (rng_chance(r, 10)) {
    t->base = (uint32_t)rng_u64(r);  // to another texture
  }
  if (!rng_chance(r, t->stay_rate)) {
    b->line = (t->base + rng_below(r, t->lines)) & 0xfffffff;
  }
  for (uint32_t i = 0; i < 16; i++) {
    b->parent[i] = (uint8_t)(b->texel >> i & 1 ? rng_below(r, 16) : 0);
  }
}

// After each reset a kind of traffic of its own.
static void start(traffic_t *t, const stimulus_t *s, child_consolidation_in_t *in) {
  rng_t *r = &t->rng;
  stimulus_draw(s, r, Choices, t);
  t->base = (uint32_t)rng_u64(r);
  t->in_order = rng_chance(r, 400);
  t->read_count = 0;
  t->beat_held = t->take_held = false;
  in->cycle = 0;
}

// The tag of a read that is answered now.
static uint16_t answer(traffic_t *t) {
  uint32_t i = t->in_order ? 0 : rng_below(&t->rng, t->read_count);
  uint16_t tag = t->read[i];
  t->read_count--;
  memmove(&t->read[i], &t->read[i + 1], (t->read_count - i) * sizeof *t->read);
  return tag;
}

static void inputs(traffic_t *t, const child_consolidation_out_t *out,
                   child_consolidation_in_t *in) {
  rng_t *r = &t->rng;
  in->cycle++;
  if (!t->beat_held) {
    in->beat_valid = rng_chance(r, t->beat_rate);
    if (in->beat_valid) {
      beat(t, &in->beat);
    }
  }
  t->beat_held = in->beat_valid && !out->beat_ready;
  if (!t->take_held) {
    bool is_wrong = rng_chance(r, t->error_rate);
    in->take_valid = is_wrong || (t->read_count > 0 && rng_chance(r, t->take_rate));
    if (is_wrong) {
      // Any tag, one of another generation of its fetch, or data given twice.
      switch (rng_below(r, 4)) {
        case 0: in->take_tag = (uint16_t)rng_below(r, 2048); break;
        case 1:
          if (t->read_count > 0) {
            in->take_tag = (uint16_t)(t->read[0] ^ 256u << rng_below(r, 3));
          }
          break;
        default: break;
      }
    } else if (in->take_valid) {
      in->take_tag = answer(t);
    }
  }
  t->take_held = in->take_valid && !out->take_ready;
  in->read_ready = rng_chance(r, t->read_rate) && t->read_count < MaxReads;
  if (out->read_valid && in->read_ready) {
    t->read[t->read_count++] = out->read.tag;
  }
  in->run_ready = rng_chance(r, t->run_rate);
  in->peek_valid = rng_chance(r, 100);
  if (in->peek_valid) {
    in->peek_select = (uint8_t)rng_below(r, 4);
    in->peek_index = (uint8_t)rng_below(
        r, in->peek_select == ChildConsolidationPeekCounter ? ChildConsolidationCounters + 1 : 256);
  }
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  static traffic_t t;
  memset(&t, 0, sizeof t);
  stimulus_seed(s, &t.rng);
  child_consolidation_params_t params;
  stimulus_params(s, &child_consolidation_info, &t.rng, &params);
  child_consolidation_t unit;
  if (!stimulus_unit(s, harness, &child_consolidation_info, &params, 0, &unit, err)) {
    return false;
  }
  static child_consolidation_in_t in;
  static child_consolidation_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  start(&t, s, &in);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    inputs(&t, &out, &in);
    if (unit.step(unit.self, &in, &out) != UnitOk) {
      return false;
    }
    if (!s->busy && rng_below(&t.rng, 3000) == 0) {
      unit.reset(unit.self, &out);
      start(&t, s, &in);
    }
  }
  return true;
}

const stimulus_unit_t child_consolidation_stimulus = {drive, Choices};
