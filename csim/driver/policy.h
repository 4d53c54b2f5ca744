// SPDX-License-Identifier: Apache-2.0
// Somebody else's decisions in place of the driver's own, and what they are told
// (nocturne_driver.h).
#ifndef NOCTURNE_DRIVER_POLICY_H
#define NOCTURNE_DRIVER_POLICY_H

#include "driver_memory.h"
#include "nocturne_driver.h"

// A function that is NULL leaves the driver's decision. Answers are within what the header says.
typedef struct {
  void *context;
  bool (*compose)(void *context, const nocturne_group_t *group, bool built_in);
  bool (*by_all)(void *context, const nocturne_group_t *group, uint32_t draw, bool built_in);
  uint32_t (*weight)(void *context, const nocturne_group_t *group, uint32_t draw,
                     uint32_t built_in);
  uint32_t (*split)(void *context, const nocturne_group_t *group, uint32_t draw, uint64_t left,
                    uint32_t built_in);
} driver_policy_t;

// Returns a draw for each of the frame's commands, without ids, which the caller frees; clears mean
// nothing. memory: of the frame before, or NULL. NULL: out of memory.
nocturne_draw_t *policy_draws(const frame_t *frame, const driver_memory_t *memory);

#endif
