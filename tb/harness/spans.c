// SPDX-License-Identifier: Apache-2.0
#include "spans.h"

// A copy of its own costs more than so many bytes between two fields.
enum { Gap = 32 };

spans_t spans_of(const unit_field_t *fields, const uint32_t dims[UnitMaxDims]) {
  spans_t s = {0};
  for (const unit_field_t *f = fields; f->name; f++) {
    const uint32_t elements = unit_dim(dims, f->elements);
    const uint32_t end = f->offset + f->size * (elements < f->count ? elements : f->count);
    uint32_t last = s.count - 1;
    if (s.count == 0 ||
        (s.count < SpansMax && f->offset > s.of[last].offset + s.of[last].size + Gap)) {
      last = s.count++;
      s.of[last].offset = f->offset;
    }
    s.of[last].size = end - s.of[last].offset;
  }
  for (uint32_t i = 0; i < s.count; i++) {
    s.bytes += s.of[i].size;
  }
  return s;
}
