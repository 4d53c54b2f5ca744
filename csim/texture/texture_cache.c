// SPDX-License-Identifier: Apache-2.0
#include "texture_cache.h"

#include <stdlib.h>
#include <string.h>

bool texture_cache_create(texture_cache_t *c, uint32_t kib, uint32_t ways, bool filtered) {
  uint32_t lines = kib * (1024 / TextureLineBytes);
  *c = (texture_cache_t){.sets = lines / ways, .ways = ways, .stride = (ways + 3) / 4 * 4};
  size_t size = texture_cache_size(c);
  c->keys = aligned_alloc(16, size * sizeof *c->keys);
  c->used = calloc(size, sizeof *c->used);
  c->locked = calloc(size, sizeof *c->locked);
  c->recent = calloc(c->sets, sizeof *c->recent);
  if (filtered) {
    c->lines = calloc(size, sizeof *c->lines);
  }
  if (c->keys && c->used && c->locked && c->recent && (c->lines || !filtered)) {
    texture_cache_clear(c);
    return true;
  }
  texture_cache_destroy(c);
  return false;
}

void texture_cache_destroy(texture_cache_t *c) {
  free(c->keys);
  free(c->used);
  free(c->locked);
  free(c->recent);
  free(c->lines);
  *c = (texture_cache_t){0};
}

void texture_cache_clear(texture_cache_t *c) {
  memset(c->keys, 0, texture_cache_size(c) * sizeof *c->keys);
  memset(c->locked, 0, texture_cache_size(c) * sizeof *c->locked);
}

// Hashed, so that the rows of textures of round sizes do not all fall on one set.
static uint32_t set_of(const texture_cache_t *c, uint64_t key) {
  uint32_t folded = (uint32_t)key ^ (uint32_t)(key >> 32) * 0x85ebca6bu;
  uint32_t hash = (folded - 1) * 0x9e3779b1u;
  return (uint32_t)((uint64_t)hash * c->sets >> 32);
}

typedef uint64_t two_t __attribute__((vector_size(16)));

static int32_t search(const texture_cache_t *c, uint32_t set, uint64_t key) {
  uint32_t first = set * c->stride, recent = first + c->recent[set];
  if (c->keys[recent] == key) {
    return (int32_t)recent;
  }
  two_t wanted = {key, key};
  for (uint32_t i = first; i < first + c->stride; i += 4) {
    const two_t *at = (const two_t *)(const void *)&c->keys[i];
    two_t same = (at[0] == wanted) | (at[1] == wanted);
    if (!(same[0] | same[1])) {
      continue;
    }
    while (c->keys[i] != key) {
      i++;
    }
    return (int32_t)i;
  }
  return TextureCacheNone;
}

static int32_t touch(texture_cache_t *c, uint32_t set, int32_t index) {
  c->recent[set] = (uint8_t)((uint32_t)index - set * c->stride);
  c->used[index] = ++c->clock;
  return index;
}

int32_t texture_cache_find(texture_cache_t *c, uint64_t key) {
  uint32_t set = set_of(c, key);
  int32_t index = search(c, set, key);
  return index == TextureCacheNone ? index : touch(c, set, index);
}

int32_t texture_cache_insert(texture_cache_t *c, uint64_t key) {
  uint32_t set = set_of(c, key), first = set * c->stride;
  int32_t best = TextureCacheNone;
  for (uint32_t i = first; i < first + c->ways; i++) {
    if (c->locked[i]) {
      continue;
    }
    if (!c->keys[i]) {
      best = (int32_t)i;
      break;
    }
    if (best == TextureCacheNone || c->used[i] < c->used[best]) {
      best = (int32_t)i;
    }
  }
  if (best == TextureCacheNone) {
    return best;
  }
  c->keys[best] = key;
  return touch(c, set, best);
}

bool texture_cache_has_room(const texture_cache_t *c, uint64_t key) {
  uint32_t first = set_of(c, key) * c->stride;
  for (uint32_t i = first; i < first + c->ways; i++) {
    if (!c->locked[i]) {
      return true;
    }
  }
  return false;
}
