#include "raster.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static int32_t min3(int32_t a, int32_t b, int32_t c) {
  int32_t m = a < b ? a : b;
  return m < c ? m : c;
}

static int32_t max3(int32_t a, int32_t b, int32_t c) {
  int32_t m = a > b ? a : b;
  return m > c ? m : c;
}

// Planes are measured from vertex 0, so that large coordinates cost no precision there.
typedef struct {
  double x, y;            // vertex 0, pixels
  double e1x, e1y, e2x, e2y;  // growth of the weights of vertices 1 and 2
} weights_t;

static raster_plane_t plane(const weights_t *w, double v0, double v1, double v2) {
  raster_plane_t p;
  p.dx = (v1 - v0) * w->e1x + (v2 - v0) * w->e2x;
  p.dy = (v1 - v0) * w->e1y + (v2 - v0) * w->e2y;
  p.c = v0 - w->x * p.dx - w->y * p.dy;
  return p;
}

static void attributes(raster_t *r, const frame_state_t *s, const weights_t *w,
                       const frame_vertex_t *a, const frame_vertex_t *b,
                       const frame_vertex_t *c) {
  double wa = (double)a->inv_w, wb = (double)b->inv_w, wc = (double)c->inv_w;
  r->z = plane(w, a->z, b->z, c->z);
  r->inv_w = plane(w, wa, wb, wc);
  r->flat = a->rgba == b->rgba && a->rgba == c->rgba;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t shift = 8 * k;
    if (r->flat) {
      r->rgba[k] = (raster_plane_t){a->rgba >> shift & 255, 0, 0};
    } else {
      r->rgba[k] = plane(w, wa * (a->rgba >> shift & 255), wb * (b->rgba >> shift & 255),
                         wc * (c->rgba >> shift & 255));
    }
  }
  for (uint32_t k = 0; k < FrameMaxTextures; k++) {
    if (s->stages[k].texture == FrameNone) {
      continue;
    }
    uint32_t set = s->stages[k].coord;
    for (uint32_t i = 0; i < 2; i++) {
      r->uv[k][i] = plane(w, wa * (double)a->uv[set][i], wb * (double)b->uv[set][i],
                          wc * (double)c->uv[set][i]);
    }
  }
}

bool raster_setup(raster_t *r, const frame_t *frame, const frame_state_t *state,
                  const frame_triangle_t *t) {
  const frame_vertex_t *a = &frame->vertices[t->v[0]];
  const frame_vertex_t *b = &frame->vertices[t->v[1]];
  const frame_vertex_t *c = &frame->vertices[t->v[2]];
  int64_t area = (int64_t)(b->x - a->x) * (c->y - a->y) - (int64_t)(c->x - a->x) * (b->y - a->y);
  if (area == 0) {
    return false;
  }
  r->back = area < 0;
  if (r->back) {
    const frame_vertex_t *swap = b;
    b = c;
    c = swap;
    area = -area;
  }
  // The first and last pixel whose centre may lie inside.
  const int32_t half = FrameSubpixel / 2;
  r->x0 = (min3(a->x, b->x, c->x) - half + FrameSubpixel - 1) >> FrameSubpixelBits;
  r->y0 = (min3(a->y, b->y, c->y) - half + FrameSubpixel - 1) >> FrameSubpixelBits;
  r->x1 = ((max3(a->x, b->x, c->x) - half) >> FrameSubpixelBits) + 1;
  r->y1 = ((max3(a->y, b->y, c->y) - half) >> FrameSubpixelBits) + 1;
  const frame_rect_t *clip = &state->scissor;
  r->x0 = r->x0 < clip->x0 ? clip->x0 : r->x0;
  r->y0 = r->y0 < clip->y0 ? clip->y0 : r->y0;
  r->x1 = r->x1 > clip->x1 ? clip->x1 : r->x1;
  r->y1 = r->y1 > clip->y1 ? clip->y1 : r->y1;
  if (r->x0 >= r->x1 || r->y0 >= r->y1) {
    return false;
  }
  const frame_vertex_t *v[4] = {a, b, c, a};
  for (int i = 0; i < 3; i++) {
    int32_t dx = v[i + 1]->x - v[i]->x, dy = v[i + 1]->y - v[i]->y;
    bool top_left = dy < 0 || (dy == 0 && dx > 0);
    // At the centre of pixel (0, 0), in units of 1/256^2; the steps are multiples of 256,
    // so the sign needs the whole part only.
    int64_t e = (int64_t)dx * (half - v[i]->y) - (int64_t)dy * (half - v[i]->x) - !top_left;
    r->c[i] = e >> FrameSubpixelBits;
    r->dx[i] = -dy;
    r->dy[i] = dx;
  }
  double scale = 1.0 / FrameSubpixel, twice = (double)area * scale * scale;
  weights_t w = {(a->x - half) * scale, (a->y - half) * scale,
                 (c->y - a->y) * scale / twice, -(c->x - a->x) * scale / twice,
                 -(b->y - a->y) * scale / twice, (b->x - a->x) * scale / twice};
  attributes(r, state, &w, a, b, c);
  return true;
}

// Pixels of the block where q + x dx + y dy >= 0; |q| is small enough for 32 bits.
static uint64_t half_plane(int32_t q, int32_t dx, int32_t dy) {
  uint64_t mask = 0;
#ifdef __SSE2__
  __m128i stamp = _mm_setr_epi32(0, dx, dy, dx + dy);
  for (int i = 0; i < 16; i++) {
    __m128i e = _mm_add_epi32(stamp, _mm_set1_epi32(q + 2 * (i & 3) * dx + 2 * (i >> 2) * dy));
    uint64_t outside = (uint64_t)_mm_movemask_ps(_mm_castsi128_ps(e));
    mask |= (outside ^ 15) << (4 * i);
  }
#else
  for (int i = 0; i < 64; i++) {
    int x = (i >> 2 & 3) * 2 + (i & 1), y = (i >> 4) * 2 + (i >> 1 & 1);
    mask |= (uint64_t)(q + x * dx + y * dy >= 0) << i;
  }
#endif
  return mask;
}

// Pixels of the block inside the bounds. Rows and columns of a block as masks.
static uint64_t inside_bounds(const raster_t *r, int32_t x, int32_t y) {
  if (r->x0 <= x && r->y0 <= y && r->x1 >= x + 8 && r->y1 >= y + 8) {
    return UINT64_MAX;
  }
  uint64_t mask = UINT64_MAX;
  if (r->x0 > x) {
    mask &= half_plane(x - r->x0, 1, 0);
  }
  if (r->x1 < x + 8) {
    mask &= half_plane(r->x1 - 1 - x, -1, 0);
  }
  if (r->y0 > y) {
    mask &= half_plane(y - r->y0, 0, 1);
  }
  if (r->y1 < y + 8) {
    mask &= half_plane(r->y1 - 1 - y, 0, -1);
  }
  return mask;
}

uint64_t raster_coverage(const raster_t *r, int32_t bx, int32_t by) {
  int32_t x = bx * 8, y = by * 8;
  uint64_t mask = inside_bounds(r, x, y);
  for (int i = 0; i < 3 && mask; i++) {
    int64_t q = r->c[i] + (int64_t)x * r->dx[i] + (int64_t)y * r->dy[i];
    int64_t dx = 7 * (int64_t)r->dx[i], dy = 7 * (int64_t)r->dy[i];
    int64_t low = q + (dx < 0 ? dx : 0) + (dy < 0 ? dy : 0);
    int64_t high = q + (dx > 0 ? dx : 0) + (dy > 0 ? dy : 0);
    if (high < 0) {
      return 0;
    }
    if (low < 0) {
      mask &= half_plane((int32_t)q, r->dx[i], r->dy[i]);
    }
  }
  return mask;
}
