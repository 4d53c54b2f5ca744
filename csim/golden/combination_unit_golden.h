// Cycle-exact reference of the combination unit, written from
// docs/units/combination_unit.md.
#ifndef NOCTURNE_GOLDEN_COMBINATION_UNIT_H
#define NOCTURNE_GOLDEN_COMBINATION_UNIT_H

#include "../unit/combination_unit.h"

// False: out of memory or parameters out of range.
bool combination_unit_golden_create(const combination_unit_params_t *params,
                                    combination_unit_t *engine);
void combination_unit_golden_destroy(combination_unit_t *engine);

// The halves of a step, for the model of the joined top: a cycle without out->quiescent, and
// whether the unit is quiescent under these inputs. self is the engine's.
void combination_unit_golden_advance(void *self, const combination_unit_in_t *in,
                                     combination_unit_out_t *out);
bool combination_unit_golden_quiescent(const void *self, const combination_unit_in_t *in);

#endif
