// SPDX-License-Identifier: Apache-2.0
// Recorded vectors (tb/harness/vectors.h) played in both graphs: what the translator made of the
// golden model and what Yosys made of the RTL must answer as the compiled golden model did; and
// their inputs as a run to where the two graphs differ.
#ifndef NOCTURNE_PROVE_PLAY_H
#define NOCTURNE_PROVE_PLAY_H

#include "search.h"

// The events looked for: reached[i] is set where events[i] happens.
typedef struct {
  const event_t *events;
  uint32_t count;
  bool *reached;
} sought_t;

// The number of lines played; what differs first, or is not within relation and invariant, is
// printed, and same is false then. Ends the program with one line where the file is not of this
// unit with these parameters.
uint32_t play_vectors(const proof_t *proof, const char *path, const char *params,
                      const sought_t *sought, bool *same);

// In how many of the file's cycles the outputs of golden model and RTL come to differ; 0: they
// don't.
uint32_t play_difference(const proof_t *proof, const char *path, const char *params);
// Prints the last of these cycles and what differs, and writes them all to a file as vectors that
// expect what the golden model in the graph says. False: that can't be written.
bool play_report(const proof_t *proof, const char *path, const char *params, uint32_t cycles,
                 const char *to);
// The state after all of the file's cycles, golden model's and then RTL's, a byte for each bit.
// Returns how many cycles there are.
uint32_t play_state(const proof_t *proof, const char *path, const char *params, uint8_t *state);

#endif
