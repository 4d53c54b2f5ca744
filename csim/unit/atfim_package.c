// SPDX-License-Identifier: Apache-2.0
#include "atfim_package.h"

#include <string.h>

void atfim_package_pack(const atfim_package_t *p, uint32_t words[AtfimPackageWords]) {
  memset(words, 0, AtfimPackageWords * sizeof words[0]);
  words[0] = AtfimPackageCommand | AtfimPackageFlits << 7 | (p->id & 0x7ffu) << 12 |
             (uint32_t)p->epoch << 24;
  words[1] = p->descriptor | ((p->ratio - 1u) & 15u) << 16 | (p->level & 15u) << 20 |
             (p->angle & 127u) << 24;
  words[2] = p->mask;
  words[2] |= (uint32_t)(uint16_t)p->step_x << 16;
  words[3] = (uint16_t)p->step_y;
  for (unsigned l = 0; l < 2; l++) {
    words[4 + l] = (uint16_t)p->x[l] | (uint32_t)(uint16_t)p->y[l] << 16;
    words[6 + l] = p->offset[l] & 0x0fffffffu;
  }
  for (unsigned k = 0; k < AtfimParents; k++) {
    const uint32_t delta = ((uint32_t)p->dx[k] & 15u) | ((uint32_t)p->dy[k] & 15u) << 4;
    words[8 + k / 4] |= delta << 8 * (k % 4);
  }
}

static int8_t delta_of(uint32_t bits) {
  return (int8_t)((int32_t)((bits & 15u) ^ 8u) - 8);
}

void atfim_package_unpack(const uint32_t words[AtfimPackageWords], atfim_package_t *p) {
  p->id = words[0] >> 12 & 0x7ffu;
  p->epoch = (uint8_t)(words[0] >> 24);
  p->descriptor = (uint16_t)words[1];
  p->ratio = (uint8_t)((words[1] >> 16 & 15u) + 1u);
  p->level = words[1] >> 20 & 15u;
  p->angle = words[1] >> 24 & 127u;
  p->mask = (uint8_t)words[2];
  p->step_x = (int16_t)(words[2] >> 16);
  p->step_y = (int16_t)words[3];
  for (unsigned l = 0; l < 2; l++) {
    p->x[l] = (int16_t)words[4 + l];
    p->y[l] = (int16_t)(words[4 + l] >> 16);
    p->offset[l] = words[6 + l] & 0x0fffffffu;
  }
  for (unsigned k = 0; k < AtfimParents; k++) {
    const uint32_t delta = words[8 + k / 4] >> 8 * (k % 4);
    p->dx[k] = delta_of(delta);
    p->dy[k] = delta_of(delta >> 4);
  }
}

void atfim_response_pack(const atfim_response_t *r, uint32_t words[AtfimResponseWords]) {
  memset(words, 0, AtfimResponseWords * sizeof words[0]);
  words[0] = AtfimResponseCommand | AtfimResponseFlits << 7 | (r->id & 0x7ffu) << 12 |
             (uint32_t)r->epoch << 24;
  words[1] = r->mask | (uint32_t)r->failed << 8 | (uint32_t)r->refused << 16;
  for (unsigned k = 0; k < AtfimParents; k++) {
    words[2 + k] = r->texel[k];
  }
}

void atfim_response_unpack(const uint32_t words[AtfimResponseWords], atfim_response_t *r) {
  r->id = words[0] >> 12 & 0x7ffu;
  r->epoch = (uint8_t)(words[0] >> 24);
  r->mask = (uint8_t)words[1];
  r->failed = (uint8_t)(words[1] >> 8);
  r->refused = words[1] >> 16 & 1u;
  for (unsigned k = 0; k < AtfimParents; k++) {
    r->texel[k] = words[2 + k];
  }
}
