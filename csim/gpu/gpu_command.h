// SPDX-License-Identifier: Apache-2.0
// The command queue: commands in order, and a credit for each that leaves.
#ifndef NOCTURNE_GPU_GPU_COMMAND_H
#define NOCTURNE_GPU_GPU_COMMAND_H

#include "gpu_part.h"

typedef struct gpu_commands gpu_commands_t;

// NULL: out of memory.
gpu_commands_t *gpu_command_create(gpu_part_t *part, const gpu_site_t *site);

// Appends a command. False if the queue is full.
bool gpu_command_push(gpu_commands_t *commands, const gpu_command_t *command);

// Returns the oldest command, or NULL.
const gpu_command_t *gpu_command_first(const gpu_commands_t *commands);

// Removes the oldest command.
void gpu_command_pop(gpu_commands_t *commands);

// Returns the number of commands removed since the last call.
uint32_t gpu_command_take_credits(gpu_commands_t *commands);

#endif
