// SPDX-License-Identifier: Apache-2.0
// The address stage: 2x2 texels of one pixel, child and level a group; the design makes their lines
// and looks them up.
#include <string.h>

#include "texture_state_internal.h"

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
  if (t->design->begin) {
    t->design->begin(t, u, f, &g);
  }
  f->addressed = TEXTURE_NEVER;
  f->awaited = 0;
  f->failed = 0;
  f->slot = slot;
  uint32_t pixels = (uint32_t)__builtin_popcount(q->mask), ratio = f->footprint.ratio;
  uint32_t children = t->design->offloads ? 1 : ratio;
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
  u->quad++;
  u->addressing = true;
  u->flight = (uint8_t)at;
  u->pixel = next_pixel(q->mask, 0);
  u->child = u->level = 0;
  u->grouped = false;
  u->last_key = 0;
}

bool tex_take(texture_units_t *t, tex_unit_t *u) {
  if (!u->request_ring.count) {
    return false;
  }
  tex_begin(t, u, &u->requests[u->request_ring.head], 0);
  tex_ring_pop(&u->request_ring);
  return true;
}

// Moves on to the next group; false if that was the quad's last.
static bool advance(const texture_units_t *t, tex_unit_t *u, const tex_flight_t *f) {
  u->grouped = false;
  if (++u->level < levels_of(&f->footprint)) {
    return true;
  }
  u->level = 0;
  if (!t->design->offloads && ++u->child < f->footprint.ratio) {
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
      t->design->group(t, u, f);
    }
    if (!t->design->look_up(t, u, unit, f)) {
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
