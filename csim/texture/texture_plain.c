// SPDX-License-Identifier: Apache-2.0
// Lines of plain texels: groups of 2x2 texels of one pixel, child and level, and their lines in
// both caches. Used by every design; in A-TFIM by parents without children.
#include "texture_state_internal.h"

// Also adds the texels to the sample, which does not depend on when their lines come.
void tex_plain_group(texture_units_t *t, tex_unit_t *u, tex_flight_t *f) {
  (void)t;
  const frame_stage_t *s = &f->request.stage;
  uint32_t l = u->level, w = f->level[l].width, h = f->level[l].height;
  uint32_t texels = f->footprint.linear ? GroupTexels : 1;
  double fx, fy;
  footprint_fractional(&f->footprint, f->texture, f->footprint.level + l,
                       f->request.quad.u[u->pixel], f->request.quad.v[u->pixel], u->child, &fx,
                       &fy);
  int64_t x = footprint_floor(fx), y = footprint_floor(fy);
  fx -= (double)x;
  fy -= (double)y;
  uint32_t xs[2] = {footprint_wrap(s->wrap_s, x, w), footprint_wrap(s->wrap_s, x + 1, w)};
  uint32_t ys[2] = {footprint_wrap(s->wrap_t, y, h), footprint_wrap(s->wrap_t, y + 1, h)};
  uint32_t texel[GroupTexels];
  for (uint32_t k = 0; k < GroupTexels; k++) {
    texel[k] = f->level[l].texel[(size_t)ys[k >> 1] * w + xs[k & 1]];
  }
  filter_add(texel, f->footprint.linear ? fx : 0, f->footprint.linear ? fy : 0,
             filter_weight(&f->footprint, l), f->sum[u->pixel]);
  u->line_count = u->line_next = 0;
  for (uint32_t k = 0; k < texels; k++) {
    uint32_t tx = xs[k & 1], ty = ys[k >> 1];
    uint32_t line = f->level[l].line + (ty >> 2) * f->level[l].columns + (tx >> 2);
    uint32_t n = 0;
    while (n < u->line_count && u->line[n] != line) {
      n++;
    }
    if (n == u->line_count) {
      u->line[u->line_count++] = line;
      u->members[n] = 0;
    }
    u->members[n] |= (uint8_t)(1u << k);
    u->place[k] = (uint8_t)texture_place(tx, ty);
  }
  u->grouped = true;
}

static void await_miss(tex_unit_t *u, tex_flight_t *f, uint32_t miss) {
  uint64_t bit = (uint64_t)1 << u->flight;
  f->awaited += !(u->misses[miss].flights & bit);
  u->misses[miss].flights |= bit;
}

bool tex_plain_look_up(texture_units_t *t, tex_unit_t *u, uint32_t unit, tex_flight_t *f) {
  for (; u->line_next < u->line_count; u->line_next++) {
    uint32_t line = u->line[u->line_next];
    uint64_t key = texture_cache_key(line);
    if (key == u->last_key) {  // this quad has it, or awaits it
      t->stats.l1_lookups++;
      t->stats.l1_hits++;
      continue;
    }
    int32_t index = texture_cache_find(&u->l1, key);
    uint32_t under_way = index != TextureCacheNone ? u->line_miss[index] : 0;
    bool there = index != TextureCacheNone &&
                 (under_way || !t->design->forgets || u->line_quad[index] == u->quad);
    if (there) {
      *(under_way ? &t->stats.l1_merged : &t->stats.l1_hits) += 1;
      if (under_way) {
        await_miss(u, f, under_way - 1);
      }
    } else {
      if (u->miss_free && index == TextureCacheNone) {
        index = texture_cache_insert(&u->l1, key);
      }
      if (!u->miss_free || index == TextureCacheNone) {
        return false;
      }
      uint32_t miss = (uint32_t)__builtin_ctzll(u->miss_free);
      u->miss_free &= u->miss_free - 1;
      u->misses[miss] = (tex_miss_t){.line = line, .key = key, .index = index};
      u->line_miss[index] = (uint8_t)(miss + 1);
      texture_cache_lock(&u->l1, index, true);
      t->stats.l1_misses++;
      await_miss(u, f, miss);
      tex_to_l2(t, u, unit, (uint8_t)miss);
    }
    if (t->design->forgets) {
      u->line_quad[index] = u->quad;
    }
    t->stats.l1_lookups++;
    u->last_key = key;
  }
  return true;
}

void tex_plain_fill(tex_unit_t *u, uint32_t miss) {
  tex_miss_t *m = &u->misses[miss];
  for (uint64_t rest = m->flights; rest; rest &= rest - 1) {
    u->flights[__builtin_ctzll(rest)].awaited--;
  }
  // A design without a cache has forgotten the line if another quad has started since.
  if (u->l1.keys[m->index] == m->key && u->line_miss[m->index] == miss + 1) {
    u->line_miss[m->index] = 0;
    texture_cache_lock(&u->l1, m->index, false);
  }
  u->miss_free |= (uint64_t)1 << miss;
  tex_wake(u);
}

tex_lookup_e tex_plain_look_up_second(texture_units_t *t, uint32_t unit, uint32_t miss,
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
  if (!tex_read_line(t, now, line, n)) {
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

void tex_plain_read_done(texture_units_t *t, uint64_t now, uint32_t tag) {
  const tex_l2_miss_t *m = &t->l2_misses[tag];
  for (uint64_t rest = m->units; rest; rest &= rest - 1) {
    uint32_t unit = (uint32_t)__builtin_ctzll(rest);
    tex_add_event(t, now + t->params.l2_latency, unit, m->miss[unit]);
  }
  t->l2_line_miss[m->index] = 0;
  texture_cache_lock(&t->l2, m->index, false);
  t->l2_miss_free[t->l2_miss_free_count++] = (uint16_t)tag;
}

void tex_plain_sample(texture_units_t *t, const tex_flight_t *f, uint32_t p, float out[4]) {
  (void)t;
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = (float)f->sum[p][c];
  }
}
