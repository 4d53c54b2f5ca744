// SPDX-License-Identifier: Apache-2.0
// The RTL's graph in 512 lanes at once: the same recorded run in all of them, each with a flaw of
// its own, lane 0 with none. The graph becomes plain C with vector types, in functions of some
// conjunctions each, which the machine's compiler takes in a second or two. Where a batch of flaws
// lies, and in no other function, the graph is interpreted instead; flaws that are neighbours in
// the list share few functions.
#ifndef NOCTURNE_PROVE_SWARM_H
#define NOCTURNE_PROVE_SWARM_H

#include "flaw.h"
#include "reel.h"
#include "swarm_kernel.h"

enum { SwarmFlaws = SwarmLanes - 1 };  // of a batch

typedef struct {
  uint32_t cycle;  // the line of the file in which a lane comes to differ; 0: it does not
  uint32_t port;   // bit of out_o
} kill_t;

typedef struct swarm swarm_t;

// Compiles the graph to FOLDER/swarm.so. Ends the program where there is no compiler.
swarm_t *swarm_create(const aiger_t *aiger, const char *folder);
void swarm_destroy(swarm_t *swarm);

// Makes the outputs of a run what the unit gives.
void swarm_record(swarm_t *swarm, reel_t *reel, uint64_t seed);
// Plays a run in lane 0 alone; takes each of its states, by register.
void swarm_show(swarm_t *swarm, const reel_t *reel, uint64_t seed, void *context,
                void (*take)(void *context, const uint8_t *state));
// Plays a run with flaws; takes each register of a flaw that differs from the unit's.
void swarm_differences(swarm_t *swarm, const reel_t *reel, uint64_t seed, const flaw_t *flaws,
                       uint32_t count, void *context,
                       void (*take)(void *context, uint32_t flaw, uint32_t latch));
// Plays a run with flaws; takes the registers of the unit and of each flawed unit, a bit each.
void swarm_states(swarm_t *swarm, const reel_t *reel, uint64_t seed, const flaw_t *flaws,
                  uint32_t count, void *context,
                  void (*take)(void *context, uint32_t flaw, const uint64_t *unit,
                               const uint64_t *flawed));

// Plays a run until all flaws are killed; `seed` decides what registers hold before the first
// reset. Returns the number of cycles played. Ends the program where lane 0 differs: the engine is
// wrong, or the run.
uint32_t swarm_play(swarm_t *swarm, const reel_t *reel, uint64_t seed, const flaw_t *flaws,
                    uint32_t count, kill_t *kills);

#endif
