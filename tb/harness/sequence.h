// SPDX-License-Identifier: Apache-2.0
// Plays directed sequences of one unit: timing diagrams that run.
//
// A sequence is a WaveJSON file (WaveDrom's format, strict JSON) whose rows are ports of the unit.
// In every drawn cycle input rows drive the unit, and its outputs and state must match their rows.
// docs/reference/stimulus.md has the format. The documents show the same file as a picture.
#ifndef NOCTURNE_HARNESS_SEQUENCE_H
#define NOCTURNE_HARNESS_SEQUENCE_H

#include "harness.h"

typedef struct {
  const char *unit;                     // name in the file; owned by the sequence
  uint64_t cycles, checked, differing;  // drawn cycles; values compared; those that differ
  char text[2048];                      // a line for each of the first differing values
} sequence_result_t;

typedef struct sequence sequence_t;

// Returns NULL on failure.
sequence_t *sequence_load(const char *path, err_t *err);

// Makes the unit in the harness, resets it and plays the sequence. *clock counts the steps. Fails
// on an unknown row or without a simulator (harness_lacking). Returns true also if values differ or
// the engine reports a failure (harness_failure).
bool sequence_play(const sequence_t *sequence, harness_t *harness, uint64_t *clock,
                   sequence_result_t *result, err_t *err);

void sequence_free(sequence_t *sequence);

#endif
