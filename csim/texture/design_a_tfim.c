// SPDX-License-Identifier: Apache-2.0
// A-TFIM (V-A to V-D; docs/model/texture.md): a group is 2x2 parents of one pixel and level. Both
// caches hold lines of 16 parents; a line that neither has is requested from the cube whole, by the
// offloading unit. Lines of parents without children are plain ones.
#include <math.h>
#include <string.h>

#include "filter_virtual.h"
#include "texture_state_internal.h"

static void begin(texture_units_t *t, tex_unit_t *u, tex_flight_t *f,
                  const footprint_gradient_t *gradient) {
  (void)u;
  const texture_params_t *p = &t->params;
  virtual_footprint_make(&f->shape, &f->footprint, f->texture, &f->request.stage, gradient,
                         p->reading, p->extent_threshold);
  f->footprint.level = f->shape.level;
  f->footprint.weight = f->shape.weight;
  f->footprint.linear = f->shape.linear;
}

// ---- Groups

// Key bits of a line of parents:
//   11:0 tile x, 23:12 tile y, 27:24 level of the parents, 30:28 k, 31 along y,
//   47:32 descriptor (texture and wrap modes), 50:48 q + 2, 63: none of plain lines has it
static uint64_t line_key(const texture_units_t *t, const tex_flight_t *f,
                         const virtual_texture_t *v, uint32_t level, uint32_t tile_x,
                         uint32_t tile_y) {
  bool angle = t->params.match == TextureMatchAngle;
  uint32_t k = v->k, along_y = v->along_y, slope = angle ? 0 : (uint32_t)(v->q + VirtualMaxSlope);
  if (angle && v->reading == VirtualIsotropic) {
    // One line of all extents and axes: tiles numbered from the same parent.
    tile_x -= (v->along_y ? VirtualTileAcross : VirtualTileAlong) / 4;
    tile_y -= (v->along_y ? VirtualTileAlong : VirtualTileAcross) / 4;
    k = along_y = 0;
  }
  uint64_t descriptor = texture_map_descriptor(t->map, f->request.quad.texture, &f->request.stage);
  return tile_x | tile_y << 12 | level << 24 | k << 28 | along_y << 31 | descriptor << 32 |
         (uint64_t)slope << 48 | (uint64_t)1 << 63;
}

// The place of texel n in the group's lines.
static void add_texel(tex_unit_t *u, uint32_t n, uint32_t line, uint64_t key, uint32_t place) {
  uint32_t i = 0;
  while (i < u->line_count && (u->line[i] != line || u->key[i] != key)) {
    i++;
  }
  if (i == u->line_count) {
    u->line[i] = line;
    u->key[i] = key;
    u->members[i] = 0;
    u->line_count++;
  }
  u->members[i] |= (uint8_t)(1u << n);
  u->place[n] = (uint8_t)place;
}

static void group(texture_units_t *t, tex_unit_t *u, tex_flight_t *f) {
  const texture_quad_t *q = &f->request.quad;
  uint32_t l = u->level, p = u->pixel;
  virtual_sample_t *s = &f->sample[p][l];
  virtual_sample_make(s, &f->shape, f->texture, &f->request.stage, l, q->u[p], q->v[p]);
  u->filtered = s->texture.k > 0;
  u->line_count = u->line_next = 0;
  for (uint32_t n = 0; n < s->parents; n++) {
    if (u->filtered) {
      uint32_t x, y, place;
      virtual_texture_tile(&s->texture, s->a[n], s->b[n], &x, &y, &place);
      add_texel(u, n, 0, line_key(t, f, &s->texture, f->shape.level + l, x, y), place);
    } else {
      uint32_t x = (uint32_t)s->a[n], y = (uint32_t)s->b[n];
      uint32_t line = f->level[l].line + (y >> 2) * f->level[l].columns + (x >> 2);
      add_texel(u, n, line, 0, texture_place(x, y));
      f->parent[p][4 * l + n] = f->level[l].texel[(size_t)y * f->level[l].width + x];
    }
  }
  u->grouped = true;
}

// ---- The first-level cache

// Packs the request for the line of the group's parent n.
static void pack_request(const texture_units_t *t, const tex_flight_t *f, const virtual_sample_t *s,
                         uint32_t n, uint32_t request[]) {
  uint32_t x, y, place, words[AtfimPackageWords];
  virtual_texture_tile(&s->texture, s->a[n], s->b[n], &x, &y, &place);
  const atfim_package_t package = {
      .descriptor = texture_map_descriptor(t->map, f->request.quad.texture, &f->request.stage),
      .level = s->level,
      .reading = s->texture.reading,
      .extent = s->texture.k,
      .along_y = s->texture.along_y,
      .slope = s->texture.q,
      .tile_x = (uint16_t)x,
      .tile_y = (uint16_t)y,
      .angle = f->request.quad.angle,
      .offset = f->layout->offset[s->level],
  };
  atfim_package_pack(&package, words);
  memcpy(request, words + 1, AtfimRequestWords * sizeof *request);
}

// Hands the parents of some of a group's members over, out of a line.
static void give(tex_flight_t *f, uint32_t pixel, uint32_t level, uint32_t members,
                 const uint8_t place[GroupTexels], const uint32_t *texel, uint32_t failed) {
  for (uint32_t rest = members; rest; rest &= rest - 1) {
    uint32_t n = (uint32_t)__builtin_ctz(rest);
    f->parent[pixel][4 * level + n] = texel[place[n]];
    f->failed |= (uint8_t)((failed >> place[n] & 1) << pixel);
  }
}

static void await_line(tex_unit_t *u, tex_flight_t *f, uint32_t miss) {
  uint16_t n = u->waiter_free;
  tex_waiter_t *w = &u->waiters[n];
  u->waiter_free = w->next;
  *w = (tex_waiter_t){.flight = u->flight,
                      .pixel = u->pixel,
                      .level = u->level,
                      .members = u->members[u->line_next],
                      .next = u->misses[miss].waiter};
  memcpy(w->place, u->place, sizeof w->place);
  u->misses[miss].waiter = n;
  f->awaited++;
}

// The line's place in a cache, if it serves the angle. *stale: it is there with another angle.
static int32_t find(texture_cache_t *c, uint64_t key, uint8_t angle, uint32_t reuse,
                    int32_t *stale) {
  int32_t index = reuse ? texture_cache_find(c, key) : TextureCacheNone;
  *stale = TextureCacheNone;
  if (index == TextureCacheNone || texture_cache_admits(c->lines[index].angle, angle, reuse)) {
    return index;
  }
  *stale = index;
  return TextureCacheNone;
}

// The place for a line that is asked for, which then waits for it: `index`, if the cache has it
// already, or a new one.
static int32_t take_place(texture_cache_t *c, uint64_t key, uint8_t angle, int32_t index) {
  if (index == TextureCacheNone) {
    index = texture_cache_insert(c, key);
  }
  if (index != TextureCacheNone) {
    c->lines[index].angle = angle;
    texture_cache_lock(c, index, true);
  }
  return index;
}

// Puts a line into its place in a cache; failed parents do not stay.
static void keep(texture_cache_t *c, int32_t index, const uint32_t *texel, uint32_t failed) {
  texture_cache_lock(c, index, false);
  if (failed) {
    texture_cache_drop(c, index);
  } else {
    memcpy(c->lines[index].texel, texel, sizeof c->lines[index].texel);
  }
}

// False: no room for a miss.
static bool look_up_line(texture_units_t *t, tex_unit_t *u, uint32_t unit, tex_flight_t *f) {
  uint64_t key = u->key[u->line_next];
  uint32_t members = u->members[u->line_next];
  uint8_t angle = f->request.quad.angle;
  int32_t stale, index = find(&u->l1, key, angle, t->line_reuse, &stale);
  if (index != TextureCacheNone) {
    uint32_t under_way = u->line_miss[index];
    if (under_way) {
      await_line(u, f, under_way - 1);
      t->stats.l1_merged++;
      t->stats.l1_lines_merged++;
      t->stats.parents_merged += (uint32_t)__builtin_popcount(members);
    } else {
      give(f, u->pixel, u->level, members, u->place, u->l1.lines[index].texel, 0);
      t->stats.l1_hits++;
      t->stats.l1_lines_hit++;
      t->stats.parents_reused += (uint32_t)__builtin_popcount(members);
    }
    return true;
  }
  if (!u->miss_free) {
    return false;
  }
  if (t->line_reuse) {
    index = take_place(&u->l1, key, angle, stale);
    if (index == TextureCacheNone) {
      return false;
    }
  }
  uint32_t miss = (uint32_t)__builtin_ctzll(u->miss_free);
  tex_miss_t *m = &u->misses[miss];
  u->miss_free &= u->miss_free - 1;
  *m = (tex_miss_t){
      .key = key, .index = index, .filtered = true, .angle = angle, .waiter = NoWaiter};
  pack_request(t, f, &f->sample[u->pixel][u->level], (uint32_t)__builtin_ctz(members), m->request);
  if (index != TextureCacheNone) {
    u->line_miss[index] = (uint8_t)(miss + 1);
  }
  await_line(u, f, miss);
  t->stats.l1_misses++;
  t->stats.l1_angle_misses += stale != TextureCacheNone;
  tex_to_l2(t, u, unit, (uint8_t)miss);
  return true;
}

static bool look_up(texture_units_t *t, tex_unit_t *u, uint32_t unit, tex_flight_t *f) {
  if (!u->filtered) {
    return tex_plain_look_up(t, u, unit, f);
  }
  for (; u->line_next < u->line_count; u->line_next++) {
    if (!look_up_line(t, u, unit, f)) {
      return false;
    }
    t->stats.l1_lookups++;
    t->stats.lines++;
    t->stats.parents += (uint32_t)__builtin_popcount(u->members[u->line_next]);
  }
  return true;
}

static void fill(tex_unit_t *u, uint32_t miss) {
  tex_miss_t *m = &u->misses[miss];
  if (!m->filtered) {
    tex_plain_fill(u, miss);
    return;
  }
  for (uint16_t n = m->waiter; n != NoWaiter;) {
    tex_waiter_t *w = &u->waiters[n];
    uint16_t next = w->next;
    tex_flight_t *f = &u->flights[w->flight];
    give(f, w->pixel, w->level, w->members, w->place, m->texel, m->failed);
    f->awaited--;
    w->next = u->waiter_free;
    u->waiter_free = n;
    n = next;
  }
  // The place may wait for a line of another angle since.
  if (m->index != TextureCacheNone && u->line_miss[m->index] == miss + 1) {
    u->line_miss[m->index] = 0;
    keep(&u->l1, m->index, m->texel, m->failed);
  }
  u->miss_free |= (uint64_t)1 << miss;
  tex_wake(u);
}

// ---- The second-level cache and the offloading unit

static tex_lookup_e look_up_second(texture_units_t *t, uint32_t unit, uint32_t miss, uint64_t now) {
  tex_unit_t *u = &t->units[unit];
  tex_miss_t *m = &u->misses[miss];
  if (!m->filtered) {
    return tex_plain_look_up_second(t, unit, miss, now);
  }
  int32_t stale, index = find(&t->l2, m->key, m->angle, t->line_reuse, &stale);
  if (index != TextureCacheNone && !t->l2_line_miss[index]) {
    memcpy(m->texel, t->l2.lines[index].texel, sizeof m->texel);
    tex_add_event(t, now + t->params.l2_latency, unit, (uint8_t)miss);
    t->stats.l2_hits++;
    t->stats.l2_lines_hit++;
    t->stats.l2_lookups++;
    return LookupDone;
  }
  if (index != TextureCacheNone) {
    tex_l2_miss_t *other = &t->l2_misses[t->l2_line_miss[index] - 1];
    // A unit waits once for a line; of near angles it may want it twice.
    if (!(other->units >> unit & 1)) {
      other->units |= (uint64_t)1 << unit;
      other->miss[unit] = (uint8_t)miss;
      t->stats.l2_merged++;
      t->stats.l2_lines_merged++;
      t->stats.l2_lookups++;
      return LookupDone;
    }
  }
  if (!t->l2_miss_free_count) {
    return LookupFull;
  }
  if (t->line_reuse) {
    index = take_place(&t->l2, m->key, m->angle, stale != TextureCacheNone ? stale : index);
    if (index == TextureCacheNone) {
      return LookupFull;
    }
  }
  uint16_t n = t->l2_miss_free[--t->l2_miss_free_count];
  t->l2_misses[n] = (tex_l2_miss_t){.index = index, .units = (uint64_t)1 << unit};
  t->l2_misses[n].miss[unit] = (uint8_t)miss;
  if (index != TextureCacheNone) {
    t->l2_line_miss[index] = (uint16_t)(n + 1);
  }
  u->offload[tex_ring_push(&u->offload_ring)] = n;
  t->offering |= (uint64_t)1 << unit;
  t->stats.l2_misses++;
  t->stats.l2_angle_misses += stale != TextureCacheNone;
  t->stats.l2_lookups++;
  return LookupDone;
}

static void take_answer(texture_units_t *t, uint64_t now, const offload_unit_out_t *out) {
  uint32_t lane = (uint32_t)__builtin_ctzll(out->answer_valid);
  uint16_t n = t->units[lane].slot_miss[out->answer_slot];
  const tex_l2_miss_t *m = &t->l2_misses[n];
  uint16_t failed = out->answer_refused ? 0xffff : (uint16_t)out->answer_failed;
  uint32_t texel[AtfimParents];
  for (uint32_t i = 0; i < AtfimParents; i++) {
    texel[i] = failed >> i & 1 ? 0 : out->answer_texel[i];
  }
  for (uint64_t rest = m->units; rest; rest &= rest - 1) {
    uint32_t unit = (uint32_t)__builtin_ctzll(rest);
    tex_miss_t *to = &t->units[unit].misses[m->miss[unit]];
    memcpy(to->texel, texel, sizeof to->texel);
    to->failed = failed;
    tex_add_event(t, now + t->params.l2_latency, unit, m->miss[unit]);
  }
  if (m->index != TextureCacheNone && t->l2_line_miss[m->index] == n + 1) {
    t->l2_line_miss[m->index] = 0;
    keep(&t->l2, m->index, texel, failed);
  }
  t->l2_miss_free[t->l2_miss_free_count++] = n;
  t->stats.response_bytes += TextureResponseBytes;
  t->stats.refused_packages += out->answer_refused;
  t->stats.failed_parents += (uint32_t)__builtin_popcount(failed);
}

static void offload(texture_units_t *t, uint64_t now, const offload_unit_out_t *out,
                    offload_unit_in_t *in) {
  if (out->answer_valid) {
    take_answer(t, now, out);
  }
  in->answer_ready = UINT64_MAX;
  in->request_valid = t->offering;
  for (uint64_t rest = t->offering; rest; rest &= rest - 1) {
    uint32_t unit = (uint32_t)__builtin_ctzll(rest);
    tex_unit_t *u = &t->units[unit];
    uint16_t n = u->offload[u->offload_ring.head];
    memcpy(in->request[unit], u->misses[t->l2_misses[n].miss[unit]].request,
           sizeof in->request[unit]);
    if (!(out->request_ready >> unit & 1)) {
      continue;
    }
    u->slot_miss[out->request_slot[unit]] = n;
    tex_ring_pop(&u->offload_ring);
    if (!u->offload_ring.count) {
      t->offering &= ~((uint64_t)1 << unit);
    }
    t->stats.packages++;
    t->stats.package_parents += AtfimParents;
    t->stats.package_bytes += t->params.package_bytes;
  }
}

// ---- Samples

// Returns the sample of a pixel in units of 1 / FilterOne.
static void filter(const tex_flight_t *f, uint32_t p, int32_t out[4]) {
  int32_t level[2][4];
  uint32_t weight = f->shape.weight;
  virtual_sample_filter(&f->sample[p][0], f->parent[p], level[0]);
  if (weight) {
    virtual_sample_filter(&f->sample[p][1], f->parent[p] + 4, level[1]);
  }
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = 256 * level[0][c];
    out[c] += weight ? (int32_t)weight * (level[1][c] - level[0][c]) : 0;
  }
}

// Compares a sample with the one that the formulas give without time.
static void note_error(texture_units_t *t, const tex_flight_t *f, uint32_t p, const float out[4]) {
  const texture_quad_t *q = &f->request.quad;
  footprint_gradient_t g = footprint_gradient(f->texture, q->u, q->v);
  footprint_t footprint;
  double whole[4];
  footprint_make(&footprint, f->texture, &f->request.stage, &g);
  filter_virtual(f->texture, &f->request.stage, &footprint, &g, t->params.reading,
                 t->params.extent_threshold, q->u[p], q->v[p], whole);
  for (uint32_t c = 0; c < 4; c++) {
    t->stats.max_sample_error = fmax(t->stats.max_sample_error, fabs((double)out[c] - whole[c]));
  }
}

static void sample(texture_units_t *t, const tex_flight_t *f, uint32_t p, float out[4]) {
  int32_t fixed[4];
  filter(f, p, fixed);
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = (float)fixed[c] * (1.0f / FilterOne);
  }
  if (t->params.track_error && !(f->failed >> p & 1)) {
    note_error(t, f, p, out);
  }
}

const texture_design_t texture_design_a_tfim = {
    .memory = TextureMemoryCube,
    .offloads = true,
    .begin = begin,
    .group = group,
    .look_up = look_up,
    .fetch = tex_l2_step,
    .look_up_second = look_up_second,
    .read_done = tex_plain_read_done,
    .fill = fill,
    .sample = sample,
    .take = tex_take,
    .offload = offload,
};
