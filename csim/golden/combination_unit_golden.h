// Cycle-exact reference of the combination unit, written from
// docs/units/combination_unit.md.
#ifndef NOCTURNE_GOLDEN_COMBINATION_UNIT_H
#define NOCTURNE_GOLDEN_COMBINATION_UNIT_H

#include "../unit/combination_unit.h"

// False: out of memory or parameters out of range.
bool combination_unit_golden_create(const combination_unit_params_t *params,
                                    combination_unit_t *engine);
void combination_unit_golden_destroy(combination_unit_t *engine);

#endif
