// SPDX-License-Identifier: Apache-2.0
// Random numbers from a fuzzer's input: the stimulus that makes random traffic (tb/units) decodes
// bytes into traffic as legal.
//
// A draw takes a byte or two: 0 is the least value, and for a share "yes" unless the share is 0;
// 255 the greatest, and "no" unless the share is nearly 1,000. Behind the end of the input the
// draws go on from a generator that the salt seeds.
#ifndef NOCTURNE_FUZZ_CHOICES_H
#define NOCTURNE_FUZZ_CHOICES_H

#include "csim/base/rng.h"

typedef struct {
  rng_source_t source;  // first: what the stimulus is given
  const uint8_t *data;
  size_t size, at;
  rng_t tail;  // after the end of the data
} choices_t;

// Begins an input, which stays the caller's: the source, its salt from the first three bytes.
// Returns how many draws the tail may answer before the input is at its end.
uint64_t choices_begin(choices_t *choices, const uint8_t *data, size_t size);

// Returns the next byte as it is; 0 behind the end.
uint8_t choices_byte(choices_t *choices);

#endif
