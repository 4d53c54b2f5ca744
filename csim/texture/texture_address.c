// SPDX-License-Identifier: Apache-2.0
// The address stage: 2x2 texels of one pixel, child and level a group, and their look-up in the
// first-level cache.
#include <string.h>

#include "texture_unit_internal.h"

static uint32_t levels_of(const footprint_t *f) { return f->weight ? 2 : 1; }

static uint8_t next_pixel(uint8_t mask, uint32_t from) {
  while (from < 4 && !(mask >> from & 1)) {
    from++;
  }
  return (uint8_t)from;
}

void tex_begin(texture_units_t *t, tex_unit_t *u, const tex_request_t *request, uint8_t slot) {
  uint32_t at = tex_ring_push(&u->flight_ring);
  tex_flight_t *f = &u->flights[at];
  const texture_quad_t *q = &request->quad;
  f->request = *request;
  frame_stage_t *s = &f->request.stage;
  if (s->max_anisotropy > t->params.max_anisotropy) {
    s->max_anisotropy = (uint8_t)t->params.max_anisotropy;
  }
  f->texture = &t->map->frame->textures[q->texture];
  f->layout = &t->map->layout[q->texture];
  footprint_gradient_t g = footprint_gradient(f->texture, q->u, q->v);
  footprint_make(&f->footprint, f->texture, s, &g);
  if (t->lines) {
    tex_lines_begin(t, f, &g);
  }
  f->addressed = TEXTURE_NEVER;
  f->awaited = 0;
  f->failed = 0;
  f->slot = slot;
  f->filtered = t->atfim && !t->lines && f->footprint.ratio > 1;
  uint32_t pixels = (uint32_t)__builtin_popcount(q->mask), ratio = f->footprint.ratio;
  uint32_t children = t->atfim ? 1 : ratio;
  f->texels = pixels * children * levels_of(&f->footprint) * (f->footprint.linear ? 4 : 1);
  for (uint32_t l = 0; l < levels_of(&f->footprint); l++) {
    uint32_t level = f->footprint.level + l, w = frame_side(f->texture->width, level);
    f->level[l].width = w;
    f->level[l].height = frame_side(f->texture->height, level);
    f->level[l].columns = (w + 3) >> 2;
    f->level[l].line = (uint32_t)(f->layout->base / TextureLineBytes) + f->layout->offset[level];
    f->level[l].texel = f->texture->level[level];
  }
  memset(f->sum, 0, sizeof f->sum);
  if (t->atfim && !t->lines) {
    for (uint32_t p = next_pixel(q->mask, 0); p < 4; p = next_pixel(q->mask, p + 1)) {
      footprint_pixel(&f->pixel[p], &f->footprint, f->texture, s, q->u[p], q->v[p]);
    }
  }
  t->stats.pixels += pixels;
  t->stats.anisotropic_pixels += ratio > 1 ? pixels : 0;
  t->stats.ratio_sum += pixels * ratio;
  t->stats.ratio_pixels[ratio] += pixels;
  if (t->stfim && t->params.mtu_merge == TextureMergeQuad) {
    texture_cache_clear(&u->l1);
  }
  u->quad++;
  u->addressing = true;
  u->flight = (uint8_t)at;
  u->pixel = next_pixel(q->mask, 0);
  u->child = u->level = 0;
  u->grouped = false;
  u->last_key = 0;
  u->fetch = NoFetch;
}

// The group's texels, the different lines that they lie in, and what the texels of plain lines
// bring to the sample: it does not depend on when they come.
static void make_group(const texture_units_t *t, tex_unit_t *u, tex_flight_t *f) {
  const frame_stage_t *s = &f->request.stage;
  uint32_t l = u->level, w = f->level[l].width, h = f->level[l].height;
  uint32_t texels = f->footprint.linear ? GroupTexels : 1;
  int64_t x, y;
  double fx = 0, fy = 0;
  if (t->atfim) {
    x = f->pixel[u->pixel].x[l];
    y = f->pixel[u->pixel].y[l];
  } else {
    footprint_fractional(&f->footprint, f->texture, f->footprint.level + l,
                         f->request.quad.u[u->pixel], f->request.quad.v[u->pixel], u->child, &fx,
                         &fy);
    x = footprint_floor(fx);
    y = footprint_floor(fy);
    fx -= (double)x;
    fy -= (double)y;
  }
  uint32_t xs[2] = {footprint_wrap(s->wrap_s, x, w), footprint_wrap(s->wrap_s, x + 1, w)};
  uint32_t ys[2] = {footprint_wrap(s->wrap_t, y, h), footprint_wrap(s->wrap_t, y + 1, h)};
  uint32_t texel[GroupTexels];
  for (uint32_t k = 0; k < GroupTexels; k++) {
    texel[k] = f->level[l].texel[(size_t)ys[k >> 1] * w + xs[k & 1]];
  }
  if (!t->atfim) {
    filter_add(texel, f->footprint.linear ? fx : 0, f->footprint.linear ? fy : 0,
               filter_weight(&f->footprint, l), f->sum[u->pixel]);
  } else if (!f->filtered) {
    memcpy(&f->parent[u->pixel][4u * l], texel, sizeof texel);
  }
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

// False: no room for a miss.
static bool look_up_plain(texture_units_t *t, tex_unit_t *u, uint32_t unit, tex_flight_t *f) {
  for (; u->line_next < u->line_count; u->line_next++) {
    uint32_t line = u->line[u->line_next];
    uint64_t key = texture_cache_key(line, false);
    if (key == u->last_key) {  // this quad has it, or awaits it
      t->stats.l1_lookups++;
      t->stats.l1_hits++;
      continue;
    }
    int32_t index = texture_cache_find(&u->l1, key);
    uint32_t under_way = index != TextureCacheNone ? u->line_miss[index] : 0;
    // In the cube a line that has come is its quad's only.
    bool there =
        index != TextureCacheNone && (under_way || !t->stfim || u->line_quad[index] == u->quad);
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
    if (t->stfim) {
      u->line_quad[index] = u->quad;
    }
    t->stats.l1_lookups++;
    u->last_key = key;
  }
  return true;
}

void tex_line_come(tex_unit_t *u, uint32_t miss) {
  tex_miss_t *m = &u->misses[miss];
  if (m->filtered) {
    tex_lines_come(u, miss);
    return;
  }
  for (uint64_t rest = m->flights; rest; rest &= rest - 1) {
    u->flights[__builtin_ctzll(rest)].awaited--;
  }
  // S-TFIM has forgotten the line if another quad has started since.
  if (u->l1.keys[m->index] == m->key && u->line_miss[m->index] == miss + 1) {
    u->line_miss[m->index] = 0;
    texture_cache_lock(&u->l1, m->index, false);
  }
  u->miss_free |= (uint64_t)1 << miss;
  tex_wake(u);
}

static tex_fetch_t *the_fetch(tex_unit_t *u, const tex_flight_t *f) {
  if (u->fetch == NoFetch) {
    u->fetch = __builtin_ctzll(u->fetch_free);
    u->fetch_free &= u->fetch_free - 1;
    tex_fetch_t *e = &u->fetches[u->fetch];
    e->flight = u->flight;
    e->pixel = u->pixel;
    e->angle = f->request.quad.angle;
    e->mask = e->hit = 0;
  }
  return &u->fetches[u->fetch];
}

static void fetch_parent(tex_unit_t *u, tex_flight_t *f, uint32_t k, uint32_t line) {
  tex_fetch_t *e = the_fetch(u, f);
  uint32_t parent = 4u * u->level + k;
  e->mask |= (uint8_t)(1u << parent);
  e->line[parent] = line;
  e->place[parent] = u->place[k];
  e->waiter[parent] = NoWaiter;
  f->awaited++;
}

static void await_parent(tex_unit_t *u, tex_flight_t *f, uint32_t k, uint32_t source) {
  uint16_t n = u->waiter_free;
  uint16_t *first = &u->fetches[source >> 3].waiter[source & 7];
  u->waiter_free = u->waiters[n].next;
  u->waiters[n] = (tex_waiter_t){
      .flight = u->flight,
      .pixel = u->pixel,
      .parent = (uint8_t)(4u * u->level + k),
      .next = *first,
  };
  *first = n;
  f->awaited++;
}

// The texels of one line that the group wants.
static void use_line(texture_units_t *t, tex_unit_t *u, tex_flight_t *f, texture_line_t *l,
                     texture_cache_e found) {
  bool missing = false, merged = false;
  for (uint32_t rest = u->members[u->line_next]; rest; rest &= rest - 1) {
    uint32_t k = (uint32_t)__builtin_ctz(rest), place = u->place[k];
    uint32_t bit = 1u << place;
    if (l->valid & bit) {
      f->parent[u->pixel][4u * u->level + k] = l->texel[place];
      t->stats.parents_reused++;
    } else if (l->pending & bit) {
      await_parent(u, f, k, l->source[place]);
      t->stats.parents_merged++;
      merged = true;
    } else {
      fetch_parent(u, f, k, u->line[u->line_next]);
      l->pending |= (uint16_t)bit;
      l->source[place] = (uint16_t)((uint32_t)u->fetch << 3 | (4u * u->level + k));
      missing = true;
    }
  }
  t->stats.l1_lookups++;
  t->stats.l1_angle_misses += found == TextureCacheAngle;
  *(missing ? &t->stats.l1_misses : merged ? &t->stats.l1_merged : &t->stats.l1_hits) += 1;
}

static bool look_up_filtered(texture_units_t *t, tex_unit_t *u, tex_flight_t *f) {
  uint32_t reuse = t->params.reuse;
  // Any parent may miss; a fetch must be there then.
  if (u->fetch == NoFetch && !u->fetch_free) {
    return false;
  }
  for (; u->line_next < u->line_count; u->line_next++) {
    if (reuse) {
      texture_cache_e found;
      texture_line_t *l =
          texture_cache_lookup(&u->l1, texture_cache_key(u->line[u->line_next], true),
                               f->request.quad.angle, reuse, &found);
      if (!l) {
        return false;
      }
      use_line(t, u, f, l, found);
    } else {
      for (uint32_t rest = u->members[u->line_next]; rest; rest &= rest - 1) {
        fetch_parent(u, f, (uint32_t)__builtin_ctz(rest), u->line[u->line_next]);
      }
    }
    t->stats.parents += (uint32_t)__builtin_popcount(u->members[u->line_next]);
  }
  return true;
}

void tex_parents_come(texture_units_t *t, tex_unit_t *u, uint32_t fetch, uint8_t mask,
                      uint8_t failed, const uint32_t texel[FootprintParents]) {
  tex_fetch_t *e = &u->fetches[fetch];
  for (uint32_t rest = mask & e->mask; rest; rest &= rest - 1) {
    uint32_t k = (uint32_t)__builtin_ctz(rest);
    bool bad = failed >> k & 1;
    uint32_t value = bad ? 0 : texel[k];
    tex_flight_t *f = &u->flights[e->flight];
    f->parent[e->pixel][k] = value;
    f->failed |= (uint8_t)(bad << e->pixel);
    f->awaited--;
    for (uint16_t n = e->waiter[k]; n != NoWaiter;) {
      tex_waiter_t *w = &u->waiters[n];
      uint16_t next = w->next;
      f = &u->flights[w->flight];
      f->parent[w->pixel][w->parent] = value;
      f->failed |= (uint8_t)(bad << w->pixel);
      f->awaited--;
      w->next = u->waiter_free;
      u->waiter_free = n;
      n = next;
    }
    e->waiter[k] = NoWaiter;
    if (!t->params.reuse) {
      continue;
    }
    // The line waits for this value unless it was replaced or asked for with another angle.
    texture_line_t *l = texture_cache_to_fill(&u->l1, texture_cache_key(e->line[k], true), e->angle,
                                              TextureReuseAll);
    uint32_t bit = 1u << e->place[k];
    if (!l || !(l->pending & bit) || l->source[e->place[k]] != (fetch << 3 | k)) {
      continue;
    }
    l->pending &= (uint16_t)~bit;
    if (bad) {
      continue;
    }
    l->valid |= (uint16_t)bit;
    l->texel[e->place[k]] = value;
  }
  e->mask &= (uint8_t)~mask;
  if (!e->mask) {
    u->fetch_free |= (uint64_t)1 << fetch;
  }
  tex_wake(u);
}

void tex_pack(const texture_units_t *t, tex_unit_t *u, uint32_t fetch) {
  tex_fetch_t *e = &u->fetches[fetch];
  const tex_flight_t *f = &u->flights[e->flight];
  const footprint_pixel_t *p = &f->pixel[e->pixel];
  uint32_t level = f->footprint.level;
  uint32_t words[AtfimPackageWords];
  atfim_package_t package = {
      .descriptor = texture_map_descriptor(t->map, f->request.quad.texture, &f->request.stage),
      .level = (uint8_t)level,
      .ratio = f->footprint.ratio,
      .angle = e->angle,
      .mask = e->mask,
      .step_x = p->step_x,
      .step_y = p->step_y,
      .x = {p->x[0], p->x[1]},
      .y = {p->y[0], p->y[1]},
      .offset = {f->layout->offset[level], f->footprint.weight ? f->layout->offset[level + 1] : 0},
  };
  for (uint32_t k = 0; k < FootprintParents; k++) {
    package.dx[k] = (int8_t)(k & 1);
    package.dy[k] = (int8_t)(k >> 1 & 1);
  }
  atfim_package_pack(&package, words);
  for (uint32_t i = 0; i < AtfimRequestWords; i++) {
    e->words[i] = words[i + 1];
  }
}

static bool look_up(texture_units_t *t, tex_unit_t *u, uint32_t unit, tex_flight_t *f) {
  if (t->lines && u->filtered) {
    return tex_lines_look_up(t, u, unit, f);
  }
  return f->filtered ? look_up_filtered(t, u, f) : look_up_plain(t, u, unit, f);
}

static void end_pixel(texture_units_t *t, tex_unit_t *u, uint32_t unit) {
  if (u->fetch == NoFetch) {
    return;
  }
  u->fetches[u->fetch].lookup = u->fetches[u->fetch].mask;
  if (t->params.reuse) {
    tex_to_l2(t, u, unit, (uint8_t)(FetchMark + u->fetch));
  } else {
    tex_offer(t, u, unit, (uint8_t)u->fetch);
  }
  u->fetch = NoFetch;
}

// To the next group; false: that was the quad's last.
static bool advance(texture_units_t *t, tex_unit_t *u, uint32_t unit, const tex_flight_t *f) {
  u->grouped = false;
  if (++u->level < levels_of(&f->footprint)) {
    return true;
  }
  u->level = 0;
  if (!t->atfim && ++u->child < f->footprint.ratio) {
    return true;
  }
  u->child = 0;
  end_pixel(t, u, unit);
  u->pixel = next_pixel(f->request.quad.mask, u->pixel + 1u);
  return u->pixel < 4;
}

bool tex_address(texture_units_t *t, tex_unit_t *u, uint32_t unit, uint64_t now) {
  int32_t alus = (int32_t)t->params.address_alus;
  int32_t most = alus > GroupTexels ? alus : GroupTexels;
  u->credit = u->credit + alus < most ? u->credit + alus : most;
  bool worked = false;
  while (u->addressing) {
    tex_flight_t *f = &u->flights[u->flight];
    int32_t texels = f->footprint.linear ? GroupTexels : 1;
    if (u->credit < texels) {
      worked = true;
      break;
    }
    if (!u->grouped) {
      if (t->stfim && t->params.mtu_merge == TextureMergeNone) {
        texture_cache_clear(&u->l1);
        u->last_key = 0;
      }
      (t->lines ? tex_lines_group : make_group)(t, u, f);
    }
    if (!look_up(t, u, unit, f)) {
      if (u->stalled == TEXTURE_NEVER) {
        u->stalled = now;
      }
      break;
    }
    if (u->stalled != TEXTURE_NEVER) {
      t->stats.miss_stalls += now - u->stalled;
      u->stalled = TEXTURE_NEVER;
    }
    u->credit -= texels;
    t->stats.address_ops += (uint32_t)texels;
    worked = true;
    if (!advance(t, u, unit, f)) {
      u->addressing = false;
      f->addressed = now;
    }
  }
  t->stats.address_busy += worked;
  return worked;
}
