// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "tb/stimulus/stimulus.h"

enum { Rendering, Composing };  // of a GPU

typedef struct {
  rng_t rng;
  uint32_t gpus, ready_rate, done_rate, start_rate, release_rate, error_rate;
  uint8_t phase[UnitMaxGpus];
  bool receiving[UnitMaxGpus];
  uint32_t group[UnitMaxGpus];
  uint64_t kinds;  // seed of the groups' kinds
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(ready_rate, "ready", "steps in which a GPU has rendered its group", 1000, 1000,
                    500, 100, 20, 5),
    STIMULUS_CHOICE(done_rate, "done", "steps in which a GPU has received a transfer", 1000, 1000,
                    500, 100, 20, 5),
    STIMULUS_CHOICE(start_rate, "start", "steps in which a transfer may start", 1000, 1000, 500,
                    100, 20),
    STIMULUS_CHOICE(release_rate, "release", "steps in which a GPU takes its release", 1000, 1000,
                    500, 100, 20),
    STIMULUS_CHOICE(error_rate, "errors", "messages out of sequence", 0, 0, 2),
    {0}};

// All GPUs agree on the kind of a group.
static uint8_t kind_of(const traffic_t *t, uint32_t group) {
  rng_t r;
  rng_fork(&r, t->rng.source, t->kinds + group);
  return rng_chance(&r, 400) ? CompositionSchedulerMessageReadyTransparent
                             : CompositionSchedulerMessageReadyOpaque;
}

static void messages(traffic_t *t, composition_scheduler_in_t *in) {
  in->message_valid = 0;
  for (uint32_t g = 0; g < t->gpus; g++) {
    int op = -1;
    if (t->phase[g] == Rendering && rng_chance(&t->rng, t->ready_rate)) {
      op = kind_of(t, ++t->group[g]);
      t->phase[g] = Composing;
    } else if (t->receiving[g] && rng_chance(&t->rng, t->done_rate)) {
      op = CompositionSchedulerMessageDone;
      t->receiving[g] = false;
    } else if (rng_chance(&t->rng, t->error_rate)) {
      op = (int)rng_below(&t->rng, 4);
    }
    if (op >= 0) {
      in->message_valid |= 1ull << g;
      in->message[g] = (uint8_t)op;
    }
  }
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  traffic_t t = {.gpus = s->gpus, .kinds = s->seed};
  stimulus_seed(s, &t.rng);
  composition_scheduler_params_t params;
  stimulus_params(s, &composition_scheduler_info, &t.rng, &params);
  composition_scheduler_t unit;
  if (!stimulus_unit(s, harness, &composition_scheduler_info, &params, 0, &unit, err)) {
    return false;
  }
  stimulus_draw(s, &t.rng, Choices, &t);
  composition_scheduler_in_t in;
  composition_scheduler_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    messages(&t, &in);
    in.start_ready = rng_chance(&t.rng, t.start_rate);
    in.release_ready = 0;
    for (uint32_t g = 0; g < t.gpus; g++) {
      in.release_ready |= (uint64_t)rng_chance(&t.rng, t.release_rate) << g;
    }
    if (out.start_valid && in.start_ready) {
      t.receiving[out.start_destination] = true;
    }
    for (uint64_t rest = out.release_valid & in.release_ready; rest; rest &= rest - 1) {
      t.phase[__builtin_ctzll(rest)] = Rendering;
    }
    if (unit.step(unit.self, &in, &out) != UnitOk) {
      return false;
    }
    if (!s->busy && rng_below(&t.rng, 5000) == 0) {
      unit.reset(unit.self, &out);
      memset(t.phase, Rendering, sizeof t.phase);
      memset(t.receiving, 0, sizeof t.receiving);
      memset(t.group, 0, sizeof t.group);
    }
  }
  return true;
}

const stimulus_unit_t composition_scheduler_stimulus = {drive, Choices};
