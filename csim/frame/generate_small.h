// SPDX-License-Identifier: Apache-2.0
// Generator of small random frames for constrained-random tests of the whole machine.
#ifndef NOCTURNE_FRAME_GENERATE_SMALL_H
#define NOCTURNE_FRAME_GENERATE_SMALL_H

#include "generate_build.h"

frame_t *generate_small(const char *name, uint64_t seed, uint32_t view);

#endif
