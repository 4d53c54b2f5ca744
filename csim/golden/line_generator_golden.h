// SPDX-License-Identifier: Apache-2.0
// Cycle-exact reference of the line generator, from docs/units/line_generator.md.
//
// create, then reset once, then any number of steps. False: bad parameters or out of memory.
#ifndef NOCTURNE_GOLDEN_LINE_GENERATOR_GOLDEN_H
#define NOCTURNE_GOLDEN_LINE_GENERATOR_GOLDEN_H

#include "unit/line_generator/line_generator.h"

bool line_generator_golden_create(const line_generator_params_t *params, line_generator_t *engine);
void line_generator_golden_destroy(line_generator_t *engine);

#endif
