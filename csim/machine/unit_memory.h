// SPDX-License-Identifier: Apache-2.0
// The memory ports of a distribution unit: its reads are answered and its writes taken from a
// sub-image, after the memory's latency, in order.
#ifndef NOCTURNE_MACHINE_UNIT_MEMORY_H
#define NOCTURNE_MACHINE_UNIT_MEMORY_H

#include "distribution_unit.h"
#include "subimage.h"

typedef struct unit_memory unit_memory_t;

// latency: cycles. guard: where the GPU may draw, or two units merge, meanwhile; borrowed, or NULL.
// NULL: out of memory.
unit_memory_t *unit_memory_create(const pixel_distributor_params_t *params, uint32_t latency,
                                  gpu_guard_t *guard, gpu_guard_merger_e merger);
void unit_memory_destroy(unit_memory_t *memory);

// In a cycle, first: takes the unit's reads, answers those that are due.
void unit_memory_serve(unit_memory_t *memory, uint64_t now, const subimage_t *image,
                       distribution_unit_t *unit);
// The unit takes this data beat in: it will ask for the local pixels.
void unit_memory_expect(unit_memory_t *memory, const pixel_distributor_beat_t *beat);
// At last: takes what the unit writes.
void unit_memory_write(const unit_memory_t *memory, const subimage_t *image,
                       distribution_unit_t *unit);

// The next cycle with an answer, UINT64_MAX without reads in flight.
uint64_t unit_memory_next(const unit_memory_t *memory, uint64_t now);

#endif
