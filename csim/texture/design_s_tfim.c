// SPDX-License-Identifier: Apache-2.0
// S-TFIM (A-TFIM, IV): a unit's twin in the cube's logic layer makes the samples. Packages go to
// the cube; samples, stall and resume come back. The twin has no cache. Its first-level cache here
// only holds lines whose reads are under way.
#include "texture_state_internal.h"

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

// Sends up to one package and one message back per cycle. A signal goes first: it is late already.
static void send_due(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint64_t now,
                     uint64_t *next) {
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

static bool take(texture_units_t *t, tex_unit_t *u) {
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

static void arrived(texture_units_t *t, uint64_t now, const texture_message_t *m) {
  tex_unit_t *u = &t->units[m->unit];
  tex_wake(u);
  switch (m->kind) {
    case TextureMessagePackage:
      u->mtu[tex_ring_push(&u->mtu_ring)] = m->slot;
      if (u->mtu_ring.count >= t->params.mtu_queue) {
        u->full = true;
      }
      break;
    case TextureMessageResponse: {
      tex_result_t *r = &u->results[tex_ring_push(&u->result_ring)];
      *r = u->sent[m->slot];
      r->slot = m->slot;
      r->ready = now;
      tex_latency(t, now - u->sent_request[m->slot].accepted);
      break;
    }
    default: u->held = m->kind == TextureMessageStall;
  }
}

static void respond(texture_units_t *t, tex_unit_t *u, const tex_flight_t *f,
                    const texture_result_t *result, uint64_t ready) {
  (void)t;
  u->sent[f->slot].result = *result;
  u->response[tex_ring_push(&u->response_ring)] = f->slot;
  u->response_ready[f->slot] = ready;
}

// ---- Reads in the cube

static void begin(texture_units_t *t, tex_unit_t *u, tex_flight_t *f,
                  const footprint_gradient_t *gradient) {
  (void)f;
  (void)gradient;
  if (t->params.mtu_merge == TextureMergeQuad) {
    texture_cache_clear(&u->l1);
  }
}

static void group(texture_units_t *t, tex_unit_t *u, tex_flight_t *f) {
  if (t->params.mtu_merge == TextureMergeNone) {
    texture_cache_clear(&u->l1);
    u->last_key = 0;
  }
  tex_plain_group(t, u, f);
}

static void fetch(texture_units_t *t, uint64_t now, uint64_t *next) {
  for (uint64_t rest = t->l2_waiting; rest; rest &= rest - 1) {
    uint32_t unit = (uint32_t)__builtin_ctzll(rest);
    tex_unit_t *u = &t->units[unit];
    uint8_t miss = u->to_l2[u->to_l2_ring.head];
    if (tex_read_line(t, now, u->misses[miss].line, unit * UnitMissTags + miss)) {
      tex_pop_to_l2(t, u, unit);
    }
  }
  if (t->l2_waiting) {
    cycle_earliest(next, now + 1);
  }
}

static void read_done(texture_units_t *t, uint64_t now, uint32_t tag) {
  (void)now;
  tex_plain_fill(&t->units[tag / UnitMissTags], tag % UnitMissTags);
}

const texture_design_t texture_design_s_tfim = {
    .memory = TextureMemoryVaults,
    .forgets = true,
    .begin = begin,
    .group = group,
    .look_up = tex_plain_look_up,
    .fetch = fetch,
    .read_done = read_done,
    .fill = tex_plain_fill,
    .sample = tex_plain_sample,
    .take = take,
    .respond = respond,
    .send = send_due,
    .arrived = arrived,
};
