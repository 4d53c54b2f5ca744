// Constrained-random stimulus of the units alone, one function a unit.
//
// Each derives its weights (how often commands come, pieces are accepted, credits and
// progress return, errors are injected) from the seed, so that one seed is one kind of
// traffic; drives `cycles` steps; and resets the unit in the middle now and then.
#ifndef NOCTURNE_CLI_STIMULUS_H
#define NOCTURNE_CLI_STIMULUS_H

#include "csim/base/rng.h"
#include "tb/harness/harness.h"

typedef struct {
  uint32_t gpus;
  uint64_t seed, cycles;
  uint64_t *clock;      // counted up with each step
  bool busy;            // for benchmarks: inputs valid in most cycles, no errors, no resets
  const char *variant;  // unit parameters, "name=value,..." or NULL: from the seed
} stimulus_t;

// True if every step was right. *steps: steps done.
bool stimulus_draw_scheduler(const stimulus_t *s, harness_t *harness, char error[HarnessErrorSize]);
bool stimulus_composition_scheduler(const stimulus_t *s, harness_t *harness,
                                    char error[HarnessErrorSize]);
bool stimulus_pixel_distributor(const stimulus_t *s, harness_t *harness,
                                char error[HarnessErrorSize]);
bool stimulus_texel_generator(const stimulus_t *s, harness_t *harness,
                              char error[HarnessErrorSize]);
bool stimulus_parent_texel_buffer(const stimulus_t *s, harness_t *harness,
                                  char error[HarnessErrorSize]);

#endif
