// SPDX-License-Identifier: Apache-2.0
// What watches the steps of instances: the log of transactions, recorded vectors, waves of all
// units together. Each is made by a function of its own and then known by this interface alone.
#ifndef NOCTURNE_HARNESS_OBSERVER_H
#define NOCTURNE_HARNESS_OBSERVER_H

#include "failure.h"

typedef struct {
  void *self;  // NULL: none
  // A step in unit->cycle: its inputs, the outputs that they met, and those that followed.
  void (*step)(void *self, const instance_t *unit, const void *in, const void *before,
               const void *after);
  // A reset in unit->cycle and the outputs after it.
  void (*reset)(void *self, const instance_t *unit, const void *out);
  // Ends and frees it, while the instances still exist. first: the first failure, or one whose
  // class is NULL. False with one line in error: what it writes is incomplete.
  bool (*close)(void *self, const failure_t *first, err_t *err);
} observer_t;

#endif
