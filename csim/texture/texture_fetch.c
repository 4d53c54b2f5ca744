// SPDX-License-Identifier: Apache-2.0
// Behind the first-level caches: the second-level cache and the memory port.
#include "texture_unit_internal.h"

void tex_to_l2(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint8_t miss) {
  u->to_l2[tex_ring_push(&u->to_l2_ring)] = miss;
  t->l2_waiting |= (uint64_t)1 << unit;
}

static void pop_to_l2(texture_units_t *t, tex_unit_t *u, uint32_t unit) {
  tex_ring_pop(&u->to_l2_ring);
  if (!u->to_l2_ring.count) {
    t->l2_waiting &= ~((uint64_t)1 << unit);
  }
}

void tex_add_event(texture_units_t *t, uint64_t cycle, uint32_t unit, uint8_t miss) {
  t->events[tex_ring_push(&t->event_ring)] = (tex_event_t){cycle, (uint8_t)unit, miss};
}

static bool read_line(texture_units_t *t, uint64_t now, uint32_t line, uint32_t tag) {
  uint64_t address = (uint64_t)line * TextureLineBytes;
  if (!t->memory.read(t->memory.self, now, address, TextureLineBytes, tag)) {
    return false;
  }
  t->stats.reads++;
  t->stats.read_bytes += TextureLineBytes;
  return true;
}

static tex_lookup_e look_up_plain(texture_units_t *t, uint32_t unit, uint32_t miss,
                                  uint64_t now) {
  uint32_t line = t->units[unit].misses[miss].line;
  uint64_t key = texture_cache_key(line);
  int32_t index = texture_cache_find(&t->l2, key);
  if (index != TextureCacheNone) {
    t->stats.l2_lookups++;
    uint32_t under_way = t->l2_line_miss[index];
    if (under_way) {
      tex_l2_miss_t *m = &t->l2_misses[under_way - 1];
      m->units |= (uint64_t)1 << unit;
      m->miss[unit] = (uint8_t)miss;
      t->stats.l2_merged++;
    } else {
      tex_add_event(t, now + t->params.l2_latency, unit, (uint8_t)miss);
      t->stats.l2_hits++;
    }
    return LookupDone;
  }
  if (!t->l2_miss_free_count) {
    return LookupFull;
  }
  uint16_t n = t->l2_miss_free[t->l2_miss_free_count - 1];
  // The victim goes only if the read is taken.
  if (!texture_cache_has_room(&t->l2, key)) {
    return LookupFull;
  }
  if (!read_line(t, now, line, n)) {
    return LookupRefused;
  }
  index = texture_cache_insert(&t->l2, key);
  t->l2_miss_free_count--;
  t->l2_misses[n] = (tex_l2_miss_t){.index = index, .units = (uint64_t)1 << unit};
  t->l2_misses[n].miss[unit] = (uint8_t)miss;
  t->l2_line_miss[index] = (uint16_t)(n + 1);
  texture_cache_lock(&t->l2, index, true);
  t->stats.l2_lookups++;
  t->stats.l2_misses++;
  return LookupDone;
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
    tex_lookup_e done = u->misses[miss].filtered ? tex_lines_l2(t, unit, miss, now)
                                                 : look_up_plain(t, unit, miss, now);
    if (done != LookupDone) {
      refused |= done == LookupRefused;
      rest &= ~((uint64_t)1 << unit);
      continue;
    }
    pop_to_l2(t, u, unit);
    budget--;
    rest &= t->l2_waiting;
    t->l2_turn = unit + 1 < t->params.units ? unit + 1 : 0;
  }
  // Lines that were refused for want of room wait for an answer of memory.
  if (refused || (!budget && t->l2_waiting)) {
    cycle_earliest(next, now + 1);
  }
}

void tex_mtu_reads(texture_units_t *t, uint64_t now, uint64_t *next) {
  for (uint64_t rest = t->l2_waiting; rest; rest &= rest - 1) {
    uint32_t unit = (uint32_t)__builtin_ctzll(rest);
    tex_unit_t *u = &t->units[unit];
    uint8_t miss = u->to_l2[u->to_l2_ring.head];
    if (read_line(t, now, u->misses[miss].line, unit * UnitMissTags + miss)) {
      pop_to_l2(t, u, unit);
    }
  }
  if (t->l2_waiting) {
    cycle_earliest(next, now + 1);
  }
}

void texture_units_memory_done(texture_units_t *t, uint64_t now, uint32_t tag) {
  if (t->stfim) {
    tex_line_come(&t->units[tag / UnitMissTags], tag % UnitMissTags);
    return;
  }
  const tex_l2_miss_t *m = &t->l2_misses[tag];
  for (uint64_t rest = m->units; rest; rest &= rest - 1) {
    uint32_t unit = (uint32_t)__builtin_ctzll(rest);
    tex_add_event(t, now + t->params.l2_latency, unit, m->miss[unit]);
  }
  t->l2_line_miss[m->index] = 0;
  texture_cache_lock(&t->l2, m->index, false);
  t->l2_miss_free[t->l2_miss_free_count++] = (uint16_t)tag;
}

void tex_events(texture_units_t *t, uint64_t now, uint64_t *next) {
  while (t->event_ring.count) {
    tex_event_t e = t->events[t->event_ring.head];
    if (e.cycle > now) {
      cycle_earliest(next, e.cycle);
      return;
    }
    tex_ring_pop(&t->event_ring);
    tex_line_come(&t->units[e.unit], e.miss);
  }
}
