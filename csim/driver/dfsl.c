// SPDX-License-Identifier: Apache-2.0
#include "dfsl.h"

static uint64_t place(const dfsl_t *d) { return d->frame % (d->max - d->min + 1 + d->run); }

void dfsl_init(dfsl_t *d, uint32_t min, uint32_t max, uint32_t run) {
  *d = (dfsl_t){.min = min, .max = max, .run = run};
}

bool dfsl_evaluates(const dfsl_t *d) { return place(d) <= d->max - d->min; }

uint32_t dfsl_next(dfsl_t *d) {
  if (place(d) == 0) {
    d->least = UINT64_MAX;
    d->wt = d->best = d->min;
  }
  return dfsl_evaluates(d) ? d->wt : d->best;
}

void dfsl_learn(dfsl_t *d, uint64_t time) {
  if (dfsl_evaluates(d)) {
    if (time < d->least) {
      d->least = time;
      d->best = d->wt;
    }
    d->wt++;
  }
  d->frame++;
}

uint64_t dfsl_evaluations(const dfsl_t *d) {
  uint64_t round = d->max - d->min + 1 + d->run;
  return (d->frame + round - 1) / round;
}
