// SPDX-License-Identifier: Apache-2.0
// An observer watches the steps of instances: the log of transactions, recorded vectors, waves of
// all units. A function of its own makes each; the harness knows only this interface.
#ifndef NOCTURNE_HARNESS_OBSERVER_H
#define NOCTURNE_HARNESS_OBSERVER_H

#include "failure.h"

typedef struct {
  void *self;  // NULL: none
  // Sees a step in unit->cycle: its inputs, the outputs before it, and those after it.
  void (*step)(void *self, const instance_t *unit, const void *in, const void *before,
               const void *after);
  // Sees a reset in unit->cycle and the outputs after it.
  void (*reset)(void *self, const instance_t *unit, const void *out);
  // Ends and frees it, while the instances still exist. first: the first failure, or one whose
  // class is NULL. Fails if its output is incomplete.
  bool (*close)(void *self, const failure_t *first, err_t *err);
} observer_t;

#endif
