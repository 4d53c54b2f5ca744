// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "tb/stimulus/stimulus.h"

// A GPU's side: it serves its sends in order, reports the ending of each, merges what it is
// granted in any time, and is ready for its next group once all of both is over.
typedef struct {
  bool composing;
  uint8_t sends[UnitMaxGpus], count, served;  // granted receivers, in order
  uint8_t merges, merged;                     // granted, over
} gpu_t;

typedef struct {
  rng_t rng;
  uint32_t gpus, max_depth;
  uint32_t ready_rate, ending_rate, merge_rate, start_rate, depth, error_rate;
  gpu_t gpu[UnitMaxGpus];
  uint32_t group[UnitMaxGpus];
  uint64_t kinds;  // seed of the groups' kinds
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(ready_rate, "ready", "steps in which a GPU has rendered its group", 1000, 1000,
                    500, 100, 20, 5),
    STIMULUS_CHOICE(ending_rate, "ending", "steps in which a sender reports an ending", 1000, 1000,
                    500, 100, 20, 5),
    STIMULUS_CHOICE(merge_rate, "merge", "steps in which a receiver has merged a transfer", 1000,
                    1000, 500, 100, 20),
    STIMULUS_CHOICE(start_rate, "start", "steps in which a transfer may start", 1000, 1000, 500,
                    100, 20),
    STIMULUS_CHOICE(depth, "depth", "the depth of a ready, limited by MaxDepth; 0: any", 0, 0, 0, 1,
                    2, 8),
    STIMULUS_CHOICE(error_rate, "errors", "messages out of sequence", 0, 0, 2),
    {0}};

// All GPUs agree on the kind of a group.
static uint8_t kind_of(const traffic_t *t, uint32_t group) {
  rng_t r;
  rng_fork(&r, t->rng.source, t->kinds + group);
  return rng_chance(&r, 400) ? LookaheadSchedulerMessageReadyTransparent
                             : LookaheadSchedulerMessageReadyOpaque;
}

static uint8_t draw_depth(traffic_t *t) {
  uint32_t depth = t->depth ? t->depth : 1 + rng_below(&t->rng, t->max_depth);
  return (uint8_t)(depth < t->max_depth ? depth : t->max_depth);
}

// Returns true if GPU g says something.
static bool speak(traffic_t *t, uint32_t g, lookahead_scheduler_in_t *in) {
  gpu_t *u = &t->gpu[g];
  in->message_peer[g] = 0;
  in->message_depth[g] = 0;
  if (u->composing && u->served < u->count && rng_chance(&t->rng, t->ending_rate)) {
    in->message_op[g] = LookaheadSchedulerMessageEnding;
    in->message_peer[g] = u->sends[u->served++];
    return true;
  }
  if (!u->composing && rng_chance(&t->rng, t->ready_rate)) {
    in->message_op[g] = kind_of(t, ++t->group[g]);
    in->message_depth[g] = draw_depth(t);
    *u = (gpu_t){.composing = true};
    return true;
  }
  if (rng_chance(&t->rng, t->error_rate)) {
    in->message_op[g] = (uint8_t)rng_below(&t->rng, 4);
    in->message_peer[g] = (uint8_t)rng_below(&t->rng, t->gpus);
    in->message_depth[g] = (uint8_t)rng_below(&t->rng, 16);
    return true;
  }
  return false;
}

static void step_gpu(traffic_t *t, uint32_t g) {
  gpu_t *u = &t->gpu[g];
  if (u->merged < u->merges && rng_chance(&t->rng, t->merge_rate)) {
    u->merged++;
  }
  if (u->composing && u->served == t->gpus - 1 && u->merged == t->gpus - 1) {
    u->composing = false;
  }
}

// Errors may have led to grants that this side of the GPUs did not expect.
static void grant(traffic_t *t, const lookahead_scheduler_out_t *out) {
  gpu_t *s = &t->gpu[out->start_source], *d = &t->gpu[out->start_destination];
  if (s->count < t->gpus - 1) {
    s->sends[s->count++] = out->start_destination;
  }
  if (d->merges < t->gpus - 1) {
    d->merges++;
  }
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  traffic_t t = {.gpus = s->gpus, .kinds = s->seed};
  stimulus_seed(s, &t.rng);
  lookahead_scheduler_params_t params;
  stimulus_params(s, &lookahead_scheduler_info, &t.rng, &params);
  t.max_depth = params.max_depth;
  lookahead_scheduler_t unit;
  if (!stimulus_unit(s, harness, &lookahead_scheduler_info, &params, 0, &unit, err)) {
    return false;
  }
  stimulus_draw(s, &t.rng, Choices, &t);
  lookahead_scheduler_in_t in;
  lookahead_scheduler_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    in.message_valid = 0;
    for (uint32_t g = 0; g < t.gpus; g++) {
      in.message_valid |= (uint64_t)speak(&t, g, &in) << g;
      step_gpu(&t, g);
    }
    in.start_ready = rng_chance(&t.rng, t.start_rate);
    if (out.start_valid && in.start_ready) {
      grant(&t, &out);
    }
    if (unit.step(unit.self, &in, &out) != UnitOk) {
      return false;
    }
    // After an error a transfer may wait for ever.
    if (!s->busy && rng_below(&t.rng, t.error_rate ? 500 : 5000) == 0) {
      unit.reset(unit.self, &out);
      memset(t.gpu, 0, sizeof t.gpu);
      memset(t.group, 0, sizeof t.group);
    }
  }
  return true;
}

const stimulus_unit_t lookahead_scheduler_stimulus = {drive, Choices};
