// Cycle-exact reference of the child texel consolidation, written from
// docs/units/child_consolidation.md.
#ifndef NOCTURNE_GOLDEN_CHILD_CONSOLIDATION_H
#define NOCTURNE_GOLDEN_CHILD_CONSOLIDATION_H

#include "../unit/child_consolidation.h"

// False: out of memory or parameters out of range.
bool child_consolidation_golden_create(const child_consolidation_params_t *params,
                                       child_consolidation_t *engine);
void child_consolidation_golden_destroy(child_consolidation_t *engine);

// The halves of a step, for the model of the joined top: a cycle without out->quiescent, and
// whether the unit is quiescent under these inputs. self is the engine's.
void child_consolidation_golden_advance(void *self, const child_consolidation_in_t *in,
                                        child_consolidation_out_t *out);
bool child_consolidation_golden_quiescent(const void *self, const child_consolidation_in_t *in);

#endif
