// SPDX-License-Identifier: Apache-2.0
// Tags of a set-associative cache with least-recently-used replacement. A line has up
// to four sectors that are filled one by one.
#ifndef NOCTURNE_GPU_CACHE_H
#define NOCTURNE_GPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

// tag: line << 12 | kind << 8 | dirty sectors << 4 | sectors; 0 = empty.| kind << 5 | dirty << 4 |
// sectors; 0 = empty.
typedef struct {
  uint32_t sets, ways;
  uint64_t *tags;  // of each set, most recent first
} cache_t;

// Result of a look-up: sectors that were not there, and the line that had to leave.
typedef struct {
  uint8_t missing;      // of `fill`, if a wanted one was not there
  uint8_t old_sectors;  // dirty ones of the line that left; 0: none
  uint8_t old_kind;
  uint64_t old_line;
} cache_result_t;

// False: out of memory.
bool cache_create(cache_t *cache, uint32_t sets, uint32_t ways);
void cache_destroy(cache_t *cache);

// Looks up sectors (bits) of a line. If one is not there, it becomes present with those of `fill`,
// of which it is one. `dirty` ones become so. kind: 0 to 7, given back when the line leaves.
cache_result_t cache_access(cache_t *cache, uint64_t line, uint8_t sectors, uint8_t fill,
                            uint8_t kind, uint8_t dirty);

#endif
