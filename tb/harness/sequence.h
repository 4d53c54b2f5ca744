// SPDX-License-Identifier: Apache-2.0
// Directed sequences of one unit: timing diagrams that run.
//
// A sequence is a WaveJSON file (WaveDrom's format, strict JSON) whose rows are ports of
// the unit: input rows drive it, output and state rows are what it must show, in every
// drawn cycle. docs/harness.md has the format. The same file is drawn for the docs.
#ifndef NOCTURNE_HARNESS_SEQUENCE_H
#define NOCTURNE_HARNESS_SEQUENCE_H

#include "harness.h"

typedef struct {
  const char *unit;                   // name in the file; owned by the sequence
  uint64_t cycles, checked, differing;  // drawn cycles; values compared; those that differ
  char text[2048];                    // a line for each of the first differing values
} sequence_result_t;

typedef struct sequence sequence_t;

// NULL with one line in error: file, place, and what was expected.
sequence_t *sequence_load(const char *path, err_t *err);

// Makes the unit in the harness, resets it and plays the sequence. *clock counts the
// steps. False with one line in error: an unknown row, or no simulator (harness_lacking).
// True also if values differ, and if the engine reports a failure (harness_failure).
bool sequence_play(const sequence_t *sequence, harness_t *harness, uint64_t *clock,
                   sequence_result_t *result, err_t *err);

void sequence_free(sequence_t *sequence);

#endif
