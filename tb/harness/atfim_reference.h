// SPDX-License-Identifier: Apache-2.0
// Computes the right answer to a package for a line: the formulas of docs/model/texture.md (virtual
// textures) and the refusals of docs/units/texel_generator.md, for whole packages, without cycles,
// queues or shared lines. It has no code in common with the golden models.
#ifndef NOCTURNE_HARNESS_ATFIM_REFERENCE_H
#define NOCTURNE_HARNESS_ATFIM_REFERENCE_H

#include "csim/units/atfim/package.h"
#include "unit/atfim/atfim.h"

// Returns the texel at a byte address; sets *failed if the read of its line fails.
typedef uint32_t (*line_memory_f)(const void *memory, uint64_t address, bool *failed);

// descriptor: its value when the package is loaded; NULL: absent. mask: parents inside the virtual
// texture.
void atfim_reference(const atfim_package_t *package, const texel_generator_descriptor_t *descriptor,
                     line_memory_f texel, const void *memory, atfim_response_t *response,
                     uint16_t *mask);

#endif
