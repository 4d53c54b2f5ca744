// SPDX-License-Identifier: Apache-2.0
// Keeps the last steps of an instance: inputs, outputs after them, and cycle of each.
#ifndef NOCTURNE_HARNESS_STEP_LOG_H
#define NOCTURNE_HARNESS_STEP_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { StepLogLength = 256 };

typedef struct {
  size_t in_size, out_size;
  uint8_t *bytes;
  uint64_t cycle[StepLogLength];
} step_log_t;

// Returns false if memory runs out.
static inline bool step_log_create(step_log_t *log, size_t in_size, size_t out_size) {
  *log = (step_log_t){.in_size = in_size, .out_size = out_size};
  log->bytes = calloc(StepLogLength, in_size + out_size);
  return log->bytes != NULL;
}

static inline void step_log_free(step_log_t *log) { free(log->bytes); }

static inline const uint8_t *step_log_in(const step_log_t *log, uint64_t step) {
  return log->bytes + (step % StepLogLength) * (log->in_size + log->out_size);
}

// Returns the outputs before step n, which are those of step n - 1, also for the first step.
static inline const uint8_t *step_log_out(const step_log_t *log, uint64_t step) {
  return step_log_in(log, step) + log->in_size;
}

static inline uint64_t step_log_cycle(const step_log_t *log, uint64_t step) {
  return log->cycle[step % StepLogLength];
}

static inline void step_log_put_in(step_log_t *log, uint64_t step, uint64_t cycle, const void *in) {
  log->cycle[step % StepLogLength] = cycle;
  memcpy((void *)step_log_in(log, step), in, log->in_size);
}

static inline void step_log_put_out(step_log_t *log, uint64_t step, const void *out) {
  memcpy((void *)step_log_out(log, step), out, log->out_size);
}

#endif
