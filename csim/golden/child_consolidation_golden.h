// Cycle-exact reference of the child texel consolidation, written from
// docs/units/child_consolidation.md.
#ifndef NOCTURNE_GOLDEN_CHILD_CONSOLIDATION_H
#define NOCTURNE_GOLDEN_CHILD_CONSOLIDATION_H

#include "../unit/child_consolidation.h"

// False: out of memory or parameters out of range.
bool child_consolidation_golden_create(const child_consolidation_params_t *params,
                                       child_consolidation_t *engine);
void child_consolidation_golden_destroy(child_consolidation_t *engine);

#endif
