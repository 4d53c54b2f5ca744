// SPDX-License-Identifier: Apache-2.0
// Bytes of a unit's in or out struct that a step changes, for another thread that has the step
// before: most steps change few. Elements that the instance's parameters leave out stay zero, and
// are never handed over.
#ifndef NOCTURNE_HARNESS_SPANS_H
#define NOCTURNE_HARNESS_SPANS_H

#include <string.h>

#include "csim/unit/table.h"

enum { SpanBytes = 32, SpansMax = 2049, SpansOfMask = 64 };

typedef struct {
  uint32_t count, size;   // size: of the struct; count 0: it is short and handed over whole
  uint16_t at[SpansMax];  // where SpanBytes bytes begin each, in rising order
} spans_t;

// The fields end with a NULL name, and their offsets rise. size: of the struct.
void spans_of(spans_t *s, const unit_field_t *fields, const uint32_t dims[UnitMaxDims],
              size_t size);
void spans_whole(spans_t *s, size_t size);

// Most bytes that spans_pack writes.
size_t spans_most(const spans_t *s);

// Writes what differs from `last`, which becomes the struct; returns the end of what was written.
uint8_t *spans_pack(const spans_t *s, uint8_t *to, const uint8_t *from, uint8_t *last);

// Makes the struct of the step before that of this step; returns the end of what was read.
const uint8_t *spans_unpack(const spans_t *s, uint8_t *to, const uint8_t *from);

#endif
