// SPDX-License-Identifier: Apache-2.0
// S-TFIM (A-TFIM, IV): packages to the unit's twin in the cube, samples back, stall and
// resume.
#include "texture_unit_internal.h"

static bool send(texture_units_t *t, uint64_t now, texture_message_e kind, uint32_t unit,
                 uint32_t slot, uint32_t bytes) {
  texture_message_t m = {(uint8_t)kind, (uint8_t)unit, (uint8_t)slot, (uint8_t)bytes};
  return t->link.send(t->link.self, now, m);
}

static bool send_package(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint64_t now) {
  uint32_t slot = (uint32_t)__builtin_ctzll(u->slot_free);
  if (!send(t, now, TextureMessagePackage, unit, slot, TexturePackageBytes)) {
    return false;
  }
  u->slot_free &= u->slot_free - 1;
  u->sent_request[slot] = u->requests[u->request_ring.head];
  tex_ring_pop(&u->request_ring);
  t->stats.packages++;
  t->stats.package_bytes += TexturePackageBytes;
  return true;
}

static bool send_response(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint64_t now) {
  uint8_t slot = u->response[u->response_ring.head];
  if (!send(t, now, TextureMessageResponse, unit, slot, TextureResponseBytes)) {
    return false;
  }
  tex_ring_pop(&u->response_ring);
  t->stats.response_bytes += TextureResponseBytes;
  return true;
}

static bool send_signal(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint64_t now) {
  texture_message_e kind = u->full ? TextureMessageStall : TextureMessageResume;
  if (!send(t, now, kind, unit, 0, TextureSignalBytes)) {
    return false;
  }
  u->told_full = u->full;
  t->stats.stalls += u->full;
  t->stats.signal_bytes += TextureSignalBytes;
  return true;
}

// One package and one message back a cycle; a signal first, it is late already.
void tex_mtu_send(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint64_t now, uint64_t *next) {
  if (u->request_ring.count && u->slot_free && !u->held) {
    send_package(t, u, unit, now);
    if (u->request_ring.count) {
      cycle_earliest(next, now + 1);
    }
  }
  if (u->full != u->told_full) {
    send_signal(t, u, unit, now);
    cycle_earliest(next, now + 1);
  } else if (u->response_ring.count) {
    uint64_t ready = u->response_ready[u->response[u->response_ring.head]];
    if (ready <= now) {
      send_response(t, u, unit, now);
      if (u->response_ring.count) {
        cycle_earliest(next, now + 1);
      }
    } else {
      cycle_earliest(next, ready);
    }
  }
}

bool tex_mtu_begin(texture_units_t *t, tex_unit_t *u) {
  if (!u->mtu_ring.count) {
    return false;
  }
  uint8_t slot = u->mtu[u->mtu_ring.head];
  tex_ring_pop(&u->mtu_ring);
  if (u->mtu_ring.count <= t->params.mtu_queue / 2) {
    u->full = false;
  }
  tex_begin(t, u, &u->sent_request[slot], slot);
  return true;
}

void texture_units_link_arrived(texture_units_t *t, uint64_t now, texture_message_t m) {
  tex_unit_t *u = &t->units[m.unit];
  tex_wake(u);
  switch (m.kind) {
    case TextureMessagePackage:
      u->mtu[tex_ring_push(&u->mtu_ring)] = m.slot;
      if (u->mtu_ring.count >= t->params.mtu_queue) {
        u->full = true;
      }
      break;
    case TextureMessageResponse: {
      tex_result_t *r = &u->results[tex_ring_push(&u->result_ring)];
      *r = u->sent[m.slot];
      r->slot = m.slot;
      r->ready = now;
      tex_latency(t, now - u->sent_request[m.slot].accepted);
      break;
    }
    default: u->held = m.kind == TextureMessageStall;
  }
}
