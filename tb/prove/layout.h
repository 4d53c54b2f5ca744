// SPDX-License-Identifier: Apache-2.0
// A cycle of golden model and RTL side by side as one list of literals.
#ifndef NOCTURNE_PROVE_LAYOUT_H
#define NOCTURNE_PROVE_LAYOUT_H

#include "transition.h"

// Both models after a clock or a reset, over the transition system's variables: places of
// golden state, RTL registers, outputs expected and actual, and whether the inputs are legal.
typedef struct {
  uint32_t golden, latches, expected, actual, legal, count;
} layout_t;

layout_t layout_of(const transition_t *t);
// The literals of a clock or a reset, layout_of(t).count of them.
void layout_roots(const transition_t *t, bool is_reset, lit_t *roots);

#endif
