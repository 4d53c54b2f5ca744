// SPDX-License-Identifier: Apache-2.0
// Collects the values of a run.
#ifndef NOCTURNE_RESULT_COLLECT_H
#define NOCTURNE_RESULT_COLLECT_H

#include "facts.h"

// Joins the statistics of a run's GPUs.
void collect_gpus(const result_t *r, gpu_facts_t *sum);

// Collects the values that result_print shows; the others are 0.
void collect_printed(const result_t *r, facts_t *facts);

// Collects all values. Returns false if memory runs out.
bool collect(const result_t *r, facts_t *facts);

#endif
