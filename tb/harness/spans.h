// SPDX-License-Identifier: Apache-2.0
// The bytes of a unit's in, out or state struct that are there under the parameters of an instance.
// Elements beyond those of the hardware stay zero, and need not be handed to another thread.
#ifndef NOCTURNE_HARNESS_SPANS_H
#define NOCTURNE_HARNESS_SPANS_H

#include <string.h>

#include "csim/unit/table.h"

enum { SpansMax = 16 };

typedef struct {
  uint32_t count, bytes;  // bytes: of all
  struct {
    uint32_t offset, size;
  } of[SpansMax];
} spans_t;

// The fields end with a NULL name, and their offsets rise.
spans_t spans_of(const unit_field_t *fields, const uint32_t dims[UnitMaxDims]);

static inline spans_t spans_whole(size_t size) {
  return (spans_t){.count = 1, .bytes = (uint32_t)size, .of = {{0, (uint32_t)size}}};
}

// Copies the spans of a struct one behind the other.
static inline void spans_pack(const spans_t *s, uint8_t *to, const uint8_t *from) {
  for (uint32_t i = 0; i < s->count; i++) {
    memcpy(to, from + s->of[i].offset, s->of[i].size);
    to += s->of[i].size;
  }
}

// The reverse; what is in no span stays as it is.
static inline void spans_unpack(const spans_t *s, uint8_t *to, const uint8_t *from) {
  for (uint32_t i = 0; i < s->count; i++) {
    memcpy(to + s->of[i].offset, from, s->of[i].size);
    from += s->of[i].size;
  }
}

#endif
