// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

bool failure_same(const failure_t *a, const failure_t *b) {
  return a->class && b->class && strcmp(a->class, b->class) == 0 && a->unit == b->unit &&
         a->difference.field == b->difference.field && assertion_same(&a->assertion, &b->assertion);
}
