// SPDX-License-Identifier: Apache-2.0
// @NAME@: draws that share textures go to one GPU, so that its caches hold them: the idea of OO-VR
// (ISCA 2019) on CHOPIN's machine. The driver numbers the batches; in hardware the number would go
// to the scheduler with the draw.
#include "csim/driver/nocturne_driver.h"
#include "own_unit.h"

enum { BatchTriangles = 4096 };  // of a batch, at most, so that no GPU gets too much at once

// By the draw's id: its batch, from 1 on; 0: none.
static uint32_t *batch_of, ids;
// By batch: the GPU that has it, from 1 on; 0: none yet.
static uint8_t *gpu_of;
static uint32_t batches, room;

// The batches of the group that is asked about, by their textures.
static struct {
  uint64_t key;
  uint32_t batch, triangles;
} open[256];
static uint32_t open_count;

static uint32_t choose_gpu(const golden_t *g) {
  const uint32_t id = g->queue[0].id, batch = id < ids ? batch_of[id] : 0;
  if (batch == 0) {
    return built_in_choice(g);
  }
  if (gpu_of[batch] == 0) {
    gpu_of[batch] = (uint8_t)(1 + built_in_choice(g));
  }
  return gpu_of[batch] - 1u;
}

static void put(uint32_t id, uint32_t batch) {
  if (id >= ids) {
    batch_of = realloc(batch_of, (2 * id + 64) * sizeof *batch_of);
    memset(batch_of + ids, 0, (2 * id + 64 - ids) * sizeof *batch_of);
    ids = 2 * id + 64;
  }
  batch_of[id] = batch;
}

static uint32_t new_batch(void) {
  if (++batches >= room) {
    room = 2 * batches + 64;
    gpu_of = realloc(gpu_of, room);
  }
  gpu_of[batches] = 0;
  return batches;
}

// Returns the open batch of these textures that has room for the draw.
static uint32_t find_batch(const nocturne_draw_t *d) {
  uint64_t key = d->texture_count;
  uint32_t i = 0;
  for (uint32_t k = 0; k < d->texture_count; k++) {
    key = key * 1099511628211u ^ d->textures[k];
  }
  while (i < open_count && open[i].key != key) {
    i++;
  }
  if (i == sizeof open / sizeof *open) {
    return 0;
  }
  if (i == open_count || open[i].triangles + d->triangles > BatchTriangles) {
    open_count += i == open_count;
    open[i].key = key;
    open[i].batch = new_batch();
    open[i].triangles = 0;
  }
  open[i].triangles += d->triangles;
  return open[i].batch;
}

NOCTURNE_DRIVER_LIBRARY;

uint32_t nocturne_weight(const nocturne_group_t *group, uint32_t draw, uint32_t built_in) {
  if (draw == 0) {
    open_count = 0;
  }
  put(group->draws[draw].id, find_batch(&group->draws[draw]));
  return built_in;
}

// The pieces of a large draw are spread as ever.
uint32_t nocturne_split(const nocturne_group_t *group, uint32_t draw, uint64_t left,
                        uint32_t built_in) {
  (void)left;
  if (built_in > 1) {
    put(group->draws[draw].id, 0);
  }
  return built_in;
}
