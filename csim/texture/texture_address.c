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
  if (t->atfim) {
    tex_lines_begin(t, f, &g);
  }
  f->addressed = TEXTURE_NEVER;
  f->awaited = 0;
  f->failed = 0;
  f->slot = slot;
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
}

// The group's texels, the different lines that they lie in, and what the texels of plain lines
// bring to the sample: it does not depend on when they come.
static void make_group(tex_unit_t *u, tex_flight_t *f) {
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

// False: no room for a miss.
static bool look_up_plain(texture_units_t *t, tex_unit_t *u, uint32_t unit, tex_flight_t *f) {
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

static bool look_up(texture_units_t *t, tex_unit_t *u, uint32_t unit, tex_flight_t *f) {
  return u->filtered ? tex_lines_look_up(t, u, unit, f) : look_up_plain(t, u, unit, f);
}

// To the next group; false: that was the quad's last.
static bool advance(const texture_units_t *t, tex_unit_t *u, const tex_flight_t *f) {
  u->grouped = false;
  if (++u->level < levels_of(&f->footprint)) {
    return true;
  }
  u->level = 0;
  if (!t->atfim && ++u->child < f->footprint.ratio) {
    return true;
  }
  u->child = 0;
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
      if (t->atfim) {
        tex_lines_group(t, u, f);
      } else {
        make_group(u, f);
      }
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
    if (!advance(t, u, f)) {
      u->addressing = false;
      f->addressed = now;
    }
  }
  t->stats.address_busy += worked;
  return worked;
}
