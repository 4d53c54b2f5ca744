// SPDX-License-Identifier: Apache-2.0
// Recorded vectors (tb/harness/vectors.h) played in both graphs: what the translator made of the
// golden model and what Yosys made of the RTL must answer as the compiled golden model did.
#ifndef NOCTURNE_PROVE_PLAY_H
#define NOCTURNE_PROVE_PLAY_H

#include "proof.h"

// The number of lines played; what differs first is printed. Ends the program with one line where
// the file is not of this unit with these parameters.
uint32_t play_vectors(const proof_t *proof, const char *path, const char *params, bool *same);

#endif
