// SPDX-License-Identifier: Apache-2.0
#include "package.h"

#include <string.h>

void atfim_package_pack(const atfim_package_t *p, uint32_t words[AtfimPackageWords]) {
  words[0] = AtfimPackageCommand | (p->flits & 31u) << 7 | (p->id & 0x7ffu) << 12 |
             (uint32_t)p->epoch << 24;
  words[1] = p->descriptor | (p->level & 15u) << 16 | (p->reading & 1u) << 20 |
             (p->extent & 7u) << 21 | (uint32_t)p->along_y << 24 | ((uint32_t)p->slope & 7u) << 25;
  words[2] = (p->tile_x & 0xfffu) | (p->tile_y & 0xfffu) << 12 | (p->angle & 127u) << 24;
  words[3] = p->offset & 0x0fffffffu;
}

void atfim_package_unpack(const uint32_t words[AtfimPackageWords], atfim_package_t *p) {
  p->flits = words[0] >> 7 & 31u;
  p->id = words[0] >> 12 & 0x7ffu;
  p->epoch = (uint8_t)(words[0] >> 24);
  p->descriptor = (uint16_t)words[1];
  p->level = words[1] >> 16 & 15u;
  p->reading = words[1] >> 20 & 1u;
  p->extent = words[1] >> 21 & 7u;
  p->along_y = words[1] >> 24 & 1u;
  p->slope = (int8_t)((int32_t)((words[1] >> 25 & 7u) ^ 4u) - 4);
  p->tile_x = words[2] & 0xfffu;
  p->tile_y = words[2] >> 12 & 0xfffu;
  p->angle = words[2] >> 24 & 127u;
  p->offset = words[3] & 0x0fffffffu;
}

void atfim_response_pack(const atfim_response_t *r, uint32_t words[AtfimResponseWords]) {
  words[0] = AtfimResponseCommand | AtfimResponseFlits << 7 | (r->id & 0x7ffu) << 12 |
             (uint32_t)r->epoch << 24;
  words[1] = r->failed | (uint32_t)r->refused << 16;
  memcpy(&words[2], r->texel, sizeof r->texel);
}

void atfim_response_unpack(const uint32_t words[AtfimResponseWords], atfim_response_t *r) {
  r->id = words[0] >> 12 & 0x7ffu;
  r->epoch = (uint8_t)(words[0] >> 24);
  r->failed = (uint16_t)words[1];
  r->refused = words[1] >> 16 & 1u;
  memcpy(r->texel, &words[2], sizeof r->texel);
}
