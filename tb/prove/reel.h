// SPDX-License-Identifier: Apache-2.0
// A recorded run (tb/harness/vectors.h) by cycle and bit.
#ifndef NOCTURNE_PROVE_REEL_H
#define NOCTURNE_PROVE_REEL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  char *path;
  uint32_t cycles, in_bits, out_bits;
  uint8_t *reset;     // by cycle
  uint8_t *in, *out;  // by cycle, then bit
} reel_t;

// Ends the program where the file is not of this head: unit, bits, parameters.
void reel_read(reel_t *reel, const char *path, const char *head, uint32_t in_bits,
               uint32_t out_bits);
// A run whose bits are all 0, without a path.
void reel_create(reel_t *reel, uint32_t cycles, uint32_t in_bits, uint32_t out_bits);
void reel_free(reel_t *reel);
// False: the file cannot be written.
bool reel_write(const reel_t *reel, const char *head);

// A run like another one, from a cycle of it on, with wrong inputs and resets in between; its
// outputs are not known yet. 10,000 cycles of a run as long, 1,000 of others. The same for the same
// seed.
void reel_shake(reel_t *reel, const char *path, const reel_t *from, uint64_t seed);

#endif
