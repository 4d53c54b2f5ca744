// SPDX-License-Identifier: Apache-2.0
// Filtering through virtual textures as it is defined (docs/model/texture.md), pixel by pixel and
// without time: the reference that pictures of the timed units are held against. It shares
// footprint.h with them and nothing of virtual_texture.h but names: places are numbers in real
// texels (sums of powers of two, so that nothing is rounded but where the definition says so), and
// every parent is worked out from its children where it is asked for.
#ifndef NOCTURNE_TEXTURE_FILTER_VIRTUAL_H
#define NOCTURNE_TEXTURE_FILTER_VIRTUAL_H

#include "footprint.h"
#include "virtual_texture.h"

// A sample of the pixel at (u, v), RGBA, red first, 0 to 255. f and gradient: of its quad;
// threshold: T.
void filter_virtual(const frame_texture_t *texture, const frame_stage_t *stage,
                    const footprint_t *f, const footprint_gradient_t *gradient,
                    virtual_reading_e reading, double threshold, float u, float v, double out[4]);

#endif
