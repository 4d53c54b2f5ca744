// SPDX-License-Identifier: Apache-2.0
#include "cache.h"

#include <stdlib.h>

enum { LineShift = 12, KindShift = 8, DirtyShift = 4, SectorMask = 15 };

bool cache_create(cache_t *c, uint32_t sets, uint32_t ways) {
  c->sets = sets;
  c->ways = ways;
  c->tags = calloc((size_t)sets * ways, sizeof *c->tags);
  return c->tags != NULL;
}

void cache_destroy(cache_t *c) { free(c->tags); }

cache_result_t cache_access(cache_t *c, uint64_t line, uint8_t sectors, uint8_t fill, uint8_t kind,
                            uint8_t dirty) {
  // Hashed, so that surfaces of round sizes do not all fall on the same sets; the product
  // takes the place of a division.
  uint32_t hash = (uint32_t)line * 0x9e3779b1u;
  uint64_t *set = c->tags + ((uint64_t)hash * c->sets >> 32) * c->ways;
  if (set[0] >> LineShift == line && (set[0] & sectors) == sectors) {
    set[0] |= (uint64_t)dirty << DirtyShift;
    return (cache_result_t){0};
  }
  cache_result_t result = {.missing = fill};
  uint32_t way = 0;
  while (way < c->ways - 1 && (set[way] >> LineShift != line || set[way] == 0)) {
    way++;
  }
  uint64_t tag = set[way];
  if (tag >> LineShift == line && tag != 0) {
    result.missing = (uint8_t)(sectors & ~tag ? fill & ~tag : 0);
  } else {
    result.old_sectors = tag >> DirtyShift & SectorMask;
    result.old_line = tag >> LineShift;
    result.old_kind = tag >> KindShift & 7;
    tag = line << LineShift | (uint64_t)kind << KindShift;
  }
  for (; way > 0; way--) {
    set[way] = set[way - 1];
  }
  set[0] = tag | (result.missing ? fill : 0) | (uint64_t)dirty << DirtyShift;
  return result;
}
