// SPDX-License-Identifier: Apache-2.0
#include "memory_stream.h"

#include <math.h>

void memory_stream_init(memory_stream_t *s, const memory_shape_t *shape, char pattern,
                        uint32_t bytes, double load, uint64_t seed) {
  *s = (memory_stream_t){.shape = *shape,
                         .pattern = pattern,
                         .bytes = bytes,
                         .gap = load > 0 ? 1000.0 * bytes / load : 0};
  rng_seed(&s->addresses, seed);
  rng_seed(&s->arrivals, seed ^ 0x5deece66d);
}

static uint64_t place(const memory_shape_t *g, uint32_t unit, uint32_t bank, uint64_t row,
                      uint64_t column) {
  return (((row * g->columns + column) * g->banks + bank) * g->units + unit) * g->block;
}

uint64_t memory_stream_next(memory_stream_t *s, uint64_t *at) {
  const memory_shape_t *g = &s->shape;
  uint64_t size = (uint64_t)g->units * g->banks * g->rows * g->columns * g->block;
  uint32_t unit = 5 % g->units, bank = 3 % g->banks;
  uint64_t i = s->index++, row, column;
  if (s->gap > 0) {
    double uniform = (double)(rng_u64(&s->arrivals) >> 11) * 0x1p-53;
    s->at -= log(1 - uniform) * s->gap;
  }
  *at = (uint64_t)(s->at + 0.5);
  switch (s->pattern) {
    case 'U': return rng_u64(&s->addresses) % (size / s->bytes) * s->bytes;
    case 'S': return i * s->bytes % size;
    case 'H': return place(g, unit, bank, i / g->columns % g->rows, i % g->columns);
    case 'V': bank = (uint32_t)(rng_u64(&s->addresses) % g->banks); break;
    default: break;
  }
  row = rng_u64(&s->addresses) % g->rows;
  column = rng_u64(&s->addresses) % g->columns;
  return place(g, unit, bank, row, column);
}

uint64_t memory_stream_gddr5(const gddr5_params_t *p, const memory_shape_t *g, uint64_t address) {
  uint64_t b = address / g->block;
  uint64_t channel = b % g->units, bank = b / g->units % g->banks;
  uint64_t column = b / g->units / g->banks % g->columns;
  uint64_t row = b / g->units / g->banks / g->columns;
  uint64_t local = (row * g->banks + bank) * p->row_bytes + column * g->block;
  return (local / p->interleave * g->units + channel) * p->interleave + local % p->interleave;
}
