// SPDX-License-Identifier: Apache-2.0
// Textures and packages for lines of parents, which the stimulus of the texel generator and that of
// the joined top send.
#ifndef NOCTURNE_STIMULUS_LINES_H
#define NOCTURNE_STIMULUS_LINES_H

#include "csim/base/rng.h"
#include "unit/texel_generator/texel_generator.h"

// A texture of any size, with any wrap modes.
texel_generator_descriptor_t stimulus_line_texture(rng_t *rng, uint16_t index);

// A package that is served, but for a tile past its range now and then: any reading, extent, axis,
// slope. seam_rate: tiles at the ends of their range, in 1/1,000.
texel_generator_package_t stimulus_atfim_package(rng_t *rng, const texel_generator_descriptor_t *d,
                                                 uint32_t seam_rate);

// Puts anything into one of its fields.
void stimulus_line_spoil(rng_t *rng, texel_generator_package_t *package);

#endif
