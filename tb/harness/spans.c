// SPDX-License-Identifier: Apache-2.0
#include "spans.h"

#include <stdbool.h>

enum { Short = 2 * SpanBytes };  // of a struct that is shorter the spans would overlap

typedef struct {
  uint64_t part[SpanBytes / sizeof(uint64_t)];
} span_t;

static void put_range(spans_t *s, uint32_t from, uint32_t end) {
  while (from < end && s->count < SpansMax) {
    const uint32_t last = s->size - SpanBytes, at = from < last ? from : last;
    s->at[s->count++] = (uint16_t)at;
    from = at + SpanBytes;
  }
}

void spans_of(spans_t *s, const unit_field_t *fields, const uint32_t dims[UnitMaxDims],
              size_t size) {
  *s = (spans_t){.size = (uint32_t)size};
  uint32_t covered = 0;
  for (const unit_field_t *f = fields; f->name && size >= Short; f++) {
    const uint32_t elements = unit_dim(dims, f->elements);
    const uint32_t end = f->offset + f->size * (elements < f->count ? elements : f->count);
    put_range(s, f->offset > covered ? f->offset : covered, end);
    covered = s->count ? s->at[s->count - 1] + SpanBytes : 0;
  }
}

void spans_whole(spans_t *s, size_t size) {
  *s = (spans_t){.size = (uint32_t)size};
  if (size >= Short) {
    put_range(s, 0, s->size);
  }
}

size_t spans_most(const spans_t *s) {
  const size_t masks = (s->count + SpansOfMask - 1) / SpansOfMask;
  return s->count ? masks * sizeof(uint64_t) + (size_t)s->count * SpanBytes : s->size;
}

// Whether they differ; `last` and `to` become `from`.
static inline bool put_span(uint8_t *to, const uint8_t *from, uint8_t *last) {
  span_t new, old;
  memcpy(&new, from, sizeof new);
  memcpy(&old, last, sizeof old);
  memcpy(to, &new, sizeof new);
  memcpy(last, &new, sizeof new);
  return ((new.part[0] ^ old.part[0]) | (new.part[1] ^ old.part[1]) | (new.part[2] ^ old.part[2]) |
          (new.part[3] ^ old.part[3])) != 0;
}

uint8_t *spans_pack(const spans_t *s, uint8_t *to, const uint8_t *from, uint8_t *last) {
  if (!s->count) {
    memcpy(to, from, s->size);
    return to + s->size;
  }
  for (uint32_t first = 0; first < s->count; first += SpansOfMask) {
    const uint32_t left = s->count - first, count = left < SpansOfMask ? left : SpansOfMask;
    uint8_t *bytes = to + sizeof(uint64_t);
    uint64_t mask = 0;
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t at = s->at[first + i];
      const bool differs = put_span(bytes, from + at, last + at);
      mask |= (uint64_t)differs << i;
      bytes += differs ? SpanBytes : 0;
    }
    memcpy(to, &mask, sizeof mask);
    to = bytes;
  }
  return to;
}

const uint8_t *spans_unpack(const spans_t *s, uint8_t *to, const uint8_t *from) {
  if (!s->count) {
    memcpy(to, from, s->size);
    return from + s->size;
  }
  for (uint32_t first = 0; first < s->count; first += SpansOfMask) {
    uint64_t mask;
    memcpy(&mask, from, sizeof mask);
    from += sizeof mask;
    for (; mask; mask &= mask - 1) {
      memcpy(to + s->at[first + (uint32_t)__builtin_ctzll(mask)], from, SpanBytes);
      from += SpanBytes;
    }
  }
  return from;
}
