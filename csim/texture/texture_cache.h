// SPDX-License-Identifier: Apache-2.0
// A texture cache: set-associative lines of 64 bytes (16 texels), least recently used line
// replaced (A-TFIM, Table I: 16 ways, 16 KB and 128 KB). A key names a line and is not 0.
//
// A plain line needs its tag only; its texels are the texture's. A filtered line (A-TFIM, V-C)
// holds 16 parents as the cube averaged them, and one camera angle of 7 bits (VII-E). It may be
// used for a pixel whose angle code differs by less than `reuse`.
#ifndef NOCTURNE_TEXTURE_TEXTURE_CACHE_H
#define NOCTURNE_TEXTURE_TEXTURE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "texture_layout.h"

enum { TextureCacheNone = -1 };

typedef struct {
  uint8_t angle;
  uint32_t texel[16];  // RGBA8
} texture_line_t;

typedef struct {
  uint32_t sets, ways, stride;  // ways rounded up to a multiple of 4
  uint64_t clock;
  uint64_t *keys;  // [set * stride + way]; 0: none
  uint64_t *used;
  uint8_t *locked;
  uint8_t *recent;        // way used last, of each set
  texture_line_t *lines;  // NULL: plain lines only
} texture_cache_t;

// The key of plain line number (byte address / 64, 28 bits).
static inline uint64_t texture_cache_key(uint32_t line) { return (uint64_t)(line << 1) + 1; }

// kib * 16 lines, a multiple of `ways` (1 to 64). False: out of memory.
bool texture_cache_create(texture_cache_t *cache, uint32_t kib, uint32_t ways, bool filtered);
void texture_cache_destroy(texture_cache_t *cache);

// Indices are below this.
static inline size_t texture_cache_size(const texture_cache_t *cache) {
  return (size_t)cache->sets * cache->stride;
}

// The index of a line, which becomes the one used last, or TextureCacheNone.
int32_t texture_cache_find(texture_cache_t *cache, uint64_t key);

// Gives a line that is not there the place of the least recently used one of its set that
// is not locked. TextureCacheNone: all are locked.
int32_t texture_cache_insert(texture_cache_t *cache, uint64_t key);

// Returns true if insert will find a place for the key.
bool texture_cache_has_room(const texture_cache_t *cache, uint64_t key);

// A locked line is not replaced.
static inline void texture_cache_lock(texture_cache_t *cache, int32_t index, bool locked) {
  cache->locked[index] = locked;
}

// Forgets one line, which is not locked.
static inline void texture_cache_drop(texture_cache_t *cache, int32_t index) {
  cache->keys[index] = 0;
}

// Forgets all lines, also locked ones.
void texture_cache_clear(texture_cache_t *cache);

// Returns true if a line of one angle code serves a pixel of another.
static inline bool texture_cache_admits(uint8_t a, uint8_t b, uint32_t reuse) {
  return (uint32_t)(a > b ? a - b : b - a) < reuse;
}

#endif
