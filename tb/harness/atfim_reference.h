// SPDX-License-Identifier: Apache-2.0
// What a package must be answered with: the formulas of docs/units/texel_generator.md and
// docs/units/combination_unit.md for whole packages, without cycles, queues or lines shared.
// It has no code in common with the golden models.
#ifndef NOCTURNE_HARNESS_ATFIM_REFERENCE_H
#define NOCTURNE_HARNESS_ATFIM_REFERENCE_H

#include "csim/unit/atfim_package.h"
#include "unit/atfim/atfim.h"

// The texel at a byte address; *failed is set if the read of its line fails.
typedef uint32_t (*atfim_memory_f)(const void *memory, uint64_t address, bool *failed);

// descriptor: as it is when the package is loaded; NULL: absent.
void atfim_reference(const atfim_package_t *package, const texel_generator_descriptor_t *descriptor,
                     bool exact, atfim_memory_f texel, const void *memory,
                     atfim_response_t *response);

// Byte address of child i of parent k.
uint64_t atfim_reference_address(const atfim_package_t *package,
                                 const texel_generator_descriptor_t *descriptor, uint32_t k,
                                 uint32_t i);

#endif
