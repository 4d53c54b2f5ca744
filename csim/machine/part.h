// SPDX-License-Identifier: Apache-2.0
// State that every part of the machine is given, and how the machine's clock sees it: one protocol
// for distribution, dispatch, composition and synchronisation. A part knows of another only what
// that one's header says.
#ifndef NOCTURNE_MACHINE_PART_H
#define NOCTURNE_MACHINE_PART_H

#include "../base/agenda.h"
#include "../driver/pieces.h"
#include "../gpu/gpu.h"
#include "halt.h"
#include "machine_params.h"
#include "owners.h"

// Tokens of holds: a compose order, or the item of a sync.
#define HOLD_COMPOSE UINT32_MAX

typedef struct {
  gpu_t *gpu;
} node_t;

// When the GPUs have something to do. Who gives one something calls site_wake.
typedef struct {
  agenda_t wakes;
  uint64_t advanced;  // bit g: GPU g did something in this cycle
  uint64_t given;     // ... was given something
} turns_t;

// State that the parts share; during a run only the GPUs and their turns change.
typedef struct {
  const machine_params_t *params;
  const frame_t *frame;
  const plan_t *plan;
  const owners_t *owners;
  const pieces_t *pieces;
  node_t *nodes;  // params->gpus
  turns_t *turns;
  struct coarse *coarse;  // NULL: no shared coarse depth
} site_t;

typedef struct {
  void *self;
  // Does what is due at cycle now, after the GPUs of that cycle. Returns the next cycle at which
  // it has something to do by itself, UINT64_MAX if it only waits. A failure ends the run.
  uint64_t (*step)(void *self, uint64_t now, halt_t *halt);
  bool (*busy)(const void *self);      // something is left to do
  uint64_t (*work)(const void *self);  // a number that changes with everything that gets done
  // Add to the report of a hang: a line about the part; what it does at GPU g. NULL: nothing.
  void (*describe)(const void *self, text_t *text);
  void (*describe_gpu)(const void *self, uint32_t g, text_t *text);
  void (*destroy)(void *self);
} part_t;

// A mask of all GPUs.
static inline uint64_t site_all(const site_t *site) {
  return UINT64_MAX >> (64 - site->params->gpus);
}

static inline void site_wake(const site_t *site, uint32_t g, uint64_t cycle) {
  agenda_lower(&site->turns->wakes, g, cycle);
  site->turns->given |= 1ull << g;
}

#endif
