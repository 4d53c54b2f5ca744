// SPDX-License-Identifier: Apache-2.0
// Bytes of a frame file. Internal to csim/frame.
#ifndef NOCTURNE_FRAME_FRAME_BYTES_H
#define NOCTURNE_FRAME_FRAME_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint8_t *data;
  size_t size;
} frame_bytes_t;

// Little-endian numbers.
static inline void frame_put32(uint8_t *to, uint32_t value) {
  for (int i = 0; i < 4; i++) {
    to[i] = (uint8_t)(value >> 8 * i);
  }
}

static inline uint32_t frame_get32(const uint8_t *from) {
  return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
         (uint32_t)from[3] << 24;
}

#endif
