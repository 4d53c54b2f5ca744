// SPDX-License-Identifier: Apache-2.0
#include "gpu_command.h"

#include <stdlib.h>

enum { Places = 1024 };

struct gpu_commands {
  uint32_t limit;  // of commands
  uint32_t credits;
  gpu_ring_t ring;
  gpu_command_t command[Places];
};

static bool empty(const void *self) {
  const gpu_commands_t *c = self;
  return c->ring.count == 0;
}

static void describe(const void *self, text_t *text) {
  const gpu_commands_t *c = self;
  text_format(text, "%u commands queued", c->ring.count);
}

gpu_commands_t *gpu_command_create(gpu_part_t *part, const gpu_site_t *site) {
  gpu_commands_t *c = calloc(1, sizeof *c);
  *part = (gpu_part_t){.self = c, .empty = empty, .describe = describe, .destroy = free};
  if (c) {
    c->limit = site->params.queue;
  }
  return c;
}

bool gpu_command_push(gpu_commands_t *c, const gpu_command_t *command) {
  if (c->ring.count >= c->limit) {
    return false;
  }
  c->command[gpu_ring_push(&c->ring, Places)] = *command;
  return true;
}

const gpu_command_t *gpu_command_first(const gpu_commands_t *c) {
  return c->ring.count ? &c->command[c->ring.head] : NULL;
}

void gpu_command_pop(gpu_commands_t *c) {
  gpu_ring_pop(&c->ring, Places);
  c->credits++;
}

uint32_t gpu_command_take_credits(gpu_commands_t *c) {
  uint32_t n = c->credits;
  c->credits = 0;
  return n;
}
