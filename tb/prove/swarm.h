// SPDX-License-Identifier: Apache-2.0
// The RTL's graph in 512 lanes at once: the same recorded run in all of them, each with a flaw of
// its own, lane 0 with none. The graph becomes plain C with vector types, in functions of some
// conjunctions each, which the machine's compiler takes in a second or two. Where a batch of flaws
// lies, and in no other function, the graph is interpreted instead; flaws that are neighbours in
// the list share few functions.
#ifndef NOCTURNE_PROVE_SWARM_H
#define NOCTURNE_PROVE_SWARM_H

#include "flaw.h"
#include "swarm_kernel.h"

enum { SwarmFlaws = SwarmLanes - 1 };  // of a batch

// A recorded run (tb/harness/vectors.h), by cycle and bit.
typedef struct {
  const char *path;
  uint32_t cycles, in_bits, out_bits;
  uint8_t *reset;     // by cycle
  uint8_t *in, *out;  // by cycle, then bit
} reel_t;

typedef struct {
  uint32_t cycle;  // the line of the file in which a lane comes to differ; 0: it does not
  uint32_t port;   // bit of out_o
} kill_t;

typedef struct swarm swarm_t;

// Compiles the graph to FOLDER/swarm.so. Ends the program where there is no compiler.
swarm_t *swarm_create(const aiger_t *aiger, const char *folder);
void swarm_destroy(swarm_t *swarm);

// Ends the program where the file is no run of this unit at this size.
void reel_read(reel_t *reel, const char *path, const char *head, uint32_t in_bits,
               uint32_t out_bits);
void reel_free(reel_t *reel);

// Plays a run until all flaws are killed; `seed` decides what registers hold before the first
// reset. Returns the number of cycles played. Ends the program where lane 0 differs: the engine is
// wrong, or the run.
uint32_t swarm_play(swarm_t *swarm, const reel_t *reel, uint64_t seed, const flaw_t *flaws,
                    uint32_t count, kill_t *kills);

#endif
