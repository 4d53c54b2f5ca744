// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the offloading unit for lines, written from docs/units/line_offload.md.
#ifndef NOCTURNE_GOLDEN_LINE_OFFLOAD_H
#define NOCTURNE_GOLDEN_LINE_OFFLOAD_H

#include "unit/line_offload/line_offload.h"

// False: out of memory or parameters out of range.
bool line_offload_golden_create(const line_offload_params_t *params, line_offload_t *engine);
void line_offload_golden_destroy(line_offload_t *engine);

#endif
