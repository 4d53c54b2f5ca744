// SPDX-License-Identifier: Apache-2.0
// Behind the first-level caches: lines on their way to the second-level cache, memory, and back.
#include "texture_state_internal.h"

void tex_to_l2(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint8_t miss) {
  u->to_l2[tex_ring_push(&u->to_l2_ring)] = miss;
  t->l2_waiting |= (uint64_t)1 << unit;
}

void tex_pop_to_l2(texture_units_t *t, tex_unit_t *u, uint32_t unit) {
  tex_ring_pop(&u->to_l2_ring);
  if (!u->to_l2_ring.count) {
    t->l2_waiting &= ~((uint64_t)1 << unit);
  }
}

void tex_add_event(texture_units_t *t, uint64_t cycle, uint32_t unit, uint8_t miss) {
  t->events[tex_ring_push(&t->event_ring)] = (tex_event_t){cycle, (uint8_t)unit, miss};
}

bool tex_read_line(texture_units_t *t, uint64_t now, uint32_t line, uint32_t tag) {
  uint64_t address = (uint64_t)line * TextureLineBytes;
  if (!t->memory.read(t->memory.self, now, address, TextureLineBytes, tag)) {
    return false;
  }
  t->stats.reads++;
  t->stats.read_bytes += TextureLineBytes;
  return true;
}

void tex_l2_step(texture_units_t *t, uint64_t now, uint64_t *next) {
  uint32_t budget = t->params.l2_lookups;
  uint64_t rest = t->l2_waiting;
  bool refused = false;
  while (budget && rest) {
    uint64_t upper = rest >> t->l2_turn << t->l2_turn;
    uint32_t unit = (uint32_t)__builtin_ctzll(upper ? upper : rest);
    tex_unit_t *u = &t->units[unit];
    uint8_t miss = u->to_l2[u->to_l2_ring.head];
    tex_lookup_e done = t->design->look_up_second(t, unit, miss, now);
    if (done != LookupDone) {
      refused |= done == LookupRefused;
      rest &= ~((uint64_t)1 << unit);
      continue;
    }
    tex_pop_to_l2(t, u, unit);
    budget--;
    rest &= t->l2_waiting;
    t->l2_turn = unit + 1 < t->params.units ? unit + 1 : 0;
  }
  // Lines that were refused for want of room wait for an answer of memory.
  if (refused || (!budget && t->l2_waiting)) {
    cycle_earliest(next, now + 1);
  }
}

void tex_events(texture_units_t *t, uint64_t now, uint64_t *next) {
  while (t->event_ring.count) {
    tex_event_t e = t->events[t->event_ring.head];
    if (e.cycle > now) {
      cycle_earliest(next, e.cycle);
      return;
    }
    tex_ring_pop(&t->event_ring);
    t->design->fill(&t->units[e.unit], e.miss);
  }
}
