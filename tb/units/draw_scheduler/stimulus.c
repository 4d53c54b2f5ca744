// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "tb/stimulus/stimulus.h"

typedef struct {
  rng_t rng;
  uint32_t gpus, command_rate, ready_rate, credit_rate, progress_rate, error_rate;
  uint32_t largest;    // triangles of a draw
  uint32_t huge_rate;  // of numbers and transparent counts of all 32 bits
  uint32_t by_all_rate, mode_rate, heaviest;
  bool by_all, weights;  // built
  bool weighted;         // the table counts weights
  bool changes_mode;     // before the next group, once all work has left
  bool open, have_command;
  uint8_t kind, policy;
  uint64_t left;  // primitives of the open transparent group
  uint32_t draws_left;
  uint32_t owed_credits[UnitMaxGpus];
  uint64_t owed_progress[UnitMaxGpus];
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(command_rate, "command", "steps in which the next command comes", 950, 1000,
                    900, 500, 100, 20),
    STIMULUS_CHOICE(ready_rate, "ready", "steps in which a GPU takes a piece", 1000, 1000, 900, 500,
                    100, 20),
    STIMULUS_CHOICE(credit_rate, "credit", "steps in which a GPU returns a credit", 900, 1000, 900,
                    500, 100, 20),
    STIMULUS_CHOICE(progress_rate, "progress", "steps in which a GPU reports progress", 500, 1000,
                    900, 500, 100, 20),
    STIMULUS_CHOICE(error_rate, "errors",
                    "faults: commands out of sequence, false credits and progress", 0, 0, 2),
    STIMULUS_CHOICE(largest, "largest",
                    "triangles of a draw, at most; 0: 5000, or 60 with narrow counters", 64, 0),
    STIMULUS_CHOICE(huge_rate, "huge", "numbers and counts that overflow a narrow counter", 0, 0,
                    50),
    STIMULUS_CHOICE_APART(by_all_rate, "by_all", "opaque draws that go to all GPUs", 100, 0, 20,
                          100, 500),
    STIMULUS_CHOICE_APART(mode_rate, "mode",
                          "group starts that change between triangles and weights", 20, 0, 20, 100,
                          500),
    STIMULUS_CHOICE_APART(heaviest, "heaviest",
                          "weight of a draw, at most; 0: 5000, or 60 with narrow counters", 64, 0,
                          0, 1, 65535),
    {0}};

// Adds the fields of extensions to a command. Extensions that are not built ignore them.
static void extend_command(traffic_t *t, draw_scheduler_in_t *in) {
  rng_t *r = &t->rng;
  in->cmd_by_all = t->by_all ? rng_chance(r, t->by_all_rate) : in->cmd_id & 1;
  in->cmd_weight = (uint16_t)(t->weights ? rng_below(r, t->heaviest + 1) : in->cmd_id >> 1);
  if (!t->weights) {
    in->weighted = in->cmd_id >> 17 & 1;
  } else if (in->cmd_op == DrawSchedulerOpGroupStart) {
    in->weighted = t->weighted ^ rng_chance(r, t->error_rate);
  }
}

// Returns true if the table may change what it counts before the next group.
static bool is_drained(const traffic_t *t, const draw_scheduler_out_t *out) {
  uint64_t owed = out->piece_valid | !out->quiescent;
  for (uint32_t g = 0; g < t->gpus; g++) {
    owed |= t->owed_credits[g] | t->owed_progress[g];
  }
  return owed == 0;
}

// Returns true if a change that is due holds the next command up.
static bool waits_for_mode(traffic_t *t, const draw_scheduler_out_t *out) {
  if (t->changes_mode && is_drained(t, out)) {
    t->weighted = !t->weighted;
    t->changes_mode = false;
  }
  return t->changes_mode;
}

// A new command; now and then one that is out of sequence.
static void next_command(traffic_t *t, draw_scheduler_in_t *in) {
  rng_t *r = &t->rng;
  t->have_command = true;
  in->cmd_id = (uint32_t)rng_u64(r);
  in->cmd_first = rng_chance(r, t->huge_rate) ? (uint32_t)rng_u64(r) : rng_below(r, 1000);
  in->cmd_count = 0;
  if (rng_chance(r, t->error_rate)) {
    in->cmd_op = (uint8_t)rng_below(r, 4);
    in->cmd_kind = (uint8_t)rng_below(r, 4);
    in->cmd_count = rng_chance(r, 500) ? (uint32_t)rng_u64(r) : rng_below(r, t->largest);
    if (in->cmd_op == DrawSchedulerOpGroupStart && !t->open && in->cmd_kind < 3) {
      t->open = true;
      t->kind = in->cmd_kind;
      t->left = in->cmd_count;
    } else if (in->cmd_op == DrawSchedulerOpGroupEnd) {
      t->open = false;
    }
    return;
  }
  if (!t->open) {
    in->cmd_op = DrawSchedulerOpGroupStart;
    in->cmd_kind = t->kind = (uint8_t)rng_below(r, 3);
    t->draws_left = rng_below(r, 40);
    t->left = rng_chance(r, 100) ? 0 : rng_below(r, t->largest * 8);
    if (rng_chance(r, t->huge_rate)) {
      t->left = (uint32_t)rng_u64(r) >> rng_below(r, 31);
    }
    in->cmd_count = (uint32_t)t->left;
    t->open = true;
    return;
  }
  if (t->draws_left == 0 || (t->kind == DrawSchedulerGroupTransparent && t->left == 0)) {
    in->cmd_op = DrawSchedulerOpGroupEnd;
    t->open = false;
    t->changes_mode = t->weights && rng_chance(r, t->mode_rate);
    return;
  }
  t->draws_left--;
  in->cmd_op = DrawSchedulerOpDraw;
  uint32_t count = rng_chance(r, 200) ? rng_below(r, t->largest) : rng_below(r, 8);
  if (t->kind == DrawSchedulerGroupTransparent) {
    if (rng_chance(r, t->huge_rate)) {
      count = (uint32_t)rng_u64(r) >> rng_below(r, 31);
    }
    if (t->draws_left == 0 || count > t->left) {
      count = (uint32_t)t->left;
    }
    t->left -= count;
  }
  in->cmd_count = count;
}

static void from_gpus(traffic_t *t, const draw_scheduler_out_t *out, draw_scheduler_in_t *in) {
  rng_t *r = &t->rng;
  in->piece_ready = in->credit = in->progress_valid = 0;
  for (uint32_t g = 0; g < t->gpus; g++) {
    uint64_t bit = 1ull << g;
    if (rng_chance(r, t->ready_rate)) {
      in->piece_ready |= bit;
    }
    if (out->piece_valid & in->piece_ready & bit) {
      t->owed_credits[g]++;
      if (out->piece_kind == DrawSchedulerGroupOpaque && !out->piece_compose &&
          !out->piece_by_all) {
        t->owed_progress[g] += t->weighted ? out->piece_weight : out->piece_count;
      }
    }
    const bool due = t->owed_credits[g] > 0 && rng_chance(r, t->credit_rate);
    const bool false_credit = !due && rng_below(r, 8000) < t->error_rate;
    if (due || false_credit) {
      in->credit |= bit;
      t->owed_credits[g] -= t->owed_credits[g] > 0;
    }
    // Two causes in one cycle: the unit must name the right one.
    bool wrong = rng_below(r, 8000) < (false_credit ? 4000 : t->error_rate);
    if (wrong || (t->owed_progress[g] > 0 && rng_chance(r, t->progress_rate))) {
      uint64_t most = t->owed_progress[g] < 1024 ? t->owed_progress[g] : 1024;
      uint32_t count = wrong ? rng_below(r, 1025) : 1 + rng_below(r, (uint32_t)most);
      in->progress_valid |= bit;
      in->progress[g] = (uint16_t)count;
      t->owed_progress[g] -= count < t->owed_progress[g] ? count : t->owed_progress[g];
    }
  }
}

// Returns the traffic as it starts after a reset, with the same choices.
static traffic_t fresh(const traffic_t *t) {
  return (traffic_t){.rng = t->rng,
                     .gpus = t->gpus,
                     .command_rate = t->command_rate,
                     .ready_rate = t->ready_rate,
                     .credit_rate = t->credit_rate,
                     .progress_rate = t->progress_rate,
                     .error_rate = t->error_rate,
                     .largest = t->largest,
                     .huge_rate = t->huge_rate,
                     .by_all_rate = t->by_all_rate,
                     .mode_rate = t->mode_rate,
                     .heaviest = t->heaviest,
                     .by_all = t->by_all,
                     .weights = t->weights,
                     .policy = t->policy};
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  traffic_t t = {.gpus = s->gpus};
  stimulus_seed(s, &t.rng);
  draw_scheduler_params_t params;
  stimulus_params(s, &draw_scheduler_info, &t.rng, &params);
  draw_scheduler_t unit;
  if (!stimulus_unit(s, harness, &draw_scheduler_info, &params, 0, &unit, err)) {
    return false;
  }
  stimulus_draw(s, &t.rng, Choices, &t);
  if (t.largest == 0) {
    t.largest = params.count_width < 16 ? 60 : 5000;
  }
  if (t.heaviest == 0) {
    t.heaviest = params.count_width < 16 ? 60 : 5000;
  }
  t.by_all = params.by_all;
  t.weights = params.weights;
  draw_scheduler_in_t in;
  draw_scheduler_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    if (!t.have_command && rng_chance(&t.rng, t.command_rate) && !waits_for_mode(&t, &out)) {
      next_command(&t, &in);
      extend_command(&t, &in);
    }
    in.cmd_valid = t.have_command;
    if (rng_chance(&t.rng, 3)) {
      t.policy = (uint8_t)rng_below(&t.rng, 4);
    }
    in.policy = t.policy;
    from_gpus(&t, &out, &in);
    if (out.cmd_ready) {
      t.have_command = false;
    }
    if (unit.step(unit.self, &in, &out) != UnitOk) {
      return false;
    }
    // The first error stays until reset, and hides those after it.
    if (!s->busy && ((rng_chance(&t.rng, 1) && rng_chance(&t.rng, 100)) ||
                     (out.error && rng_chance(&t.rng, 5)))) {
      unit.reset(unit.self, &out);
      t = fresh(&t);
    }
  }
  return true;
}

const stimulus_unit_t draw_scheduler_stimulus = {drive, Choices};
