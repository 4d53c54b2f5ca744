// SPDX-License-Identifier: Apache-2.0
// Inside the swarm (swarm.h): its members, and its graph as C.
#ifndef NOCTURNE_PROVE_SWARM_INTERNAL_H
#define NOCTURNE_PROVE_SWARM_INTERNAL_H

#include "swarm.h"

struct swarm {
  const aiger_t *aiger;
  const swarm_kernel_t *kernel;
  void *library;
  swarm_state_t s;
  uint32_t *order, *patch_of, *step_of;  // step_of: by conjunction
  uint32_t *moved;
  uint8_t *in;  // what each input is in all lanes but for their flaws; InUnknown: not set yet
  swarm_patch_t *patches;
};

// Steps and the order of conjunctions.
void swarm_make_order(swarm_t *w);

// Writes the graph as C to FOLDER/swarm.c, compiles and loads it. Ends the program where that
// fails.
void swarm_compile(swarm_t *w, const char *folder);

// A register gives a register's next state.
bool swarm_is_moved(const aiger_t *a, uint32_t latch);

#endif
