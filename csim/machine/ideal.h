// SPDX-License-Identifier: Apache-2.0
// Ideal CHOPIN (V): infinite bandwidth and no latency between the GPUs. A transfer that the
// composition scheduler starts is over at once, and the distribution units have no part in
// it; the pixels merge by the contract's rule (docs/units/pixel_distributor.md, section 8).
#ifndef NOCTURNE_MACHINE_IDEAL_H
#define NOCTURNE_MACHINE_IDEAL_H

#include "machine_units.h"
#include "part.h"

// Merges at g what GPU `source` has drawn of a composed group in the tiles that g owns, in
// front or behind. Returns the bytes of the pixels that this takes.
uint64_t ideal_merge(const site_t *site, merge_pixels_t merge, uint32_t source, uint32_t g,
                     bool front, uint32_t composed);

#endif
