// SPDX-License-Identifier: Apache-2.0
// What a package for a line must be answered with: the formulas of docs/texture.md (virtual
// textures) and what docs/units/line_generator.md refuses, for whole packages, without cycles,
// queues or lines shared. It has no code in common with the golden models.
#ifndef NOCTURNE_HARNESS_LINE_REFERENCE_H
#define NOCTURNE_HARNESS_LINE_REFERENCE_H

#include "csim/unit/line_package.h"
#include "unit/line_atfim/line_atfim.h"

// The texel at a byte address; *failed is set if the read of its line fails.
typedef uint32_t (*line_memory_f)(const void *memory, uint64_t address, bool *failed);

// descriptor: as it is when the package is loaded; NULL: absent. mask: parents inside the virtual
// texture.
void line_reference(const line_package_t *package, const line_generator_descriptor_t *descriptor,
                    line_memory_f texel, const void *memory, line_response_t *response,
                    uint16_t *mask);

#endif
