// SPDX-License-Identifier: Apache-2.0
#include "raster.h"

#include "lanes.h"

// The floor of n / 2^bits, for negative n too.
static int64_t floor_shift(int64_t n, uint32_t bits) {
  return n >= 0 ? n >> bits : -((-n + ((int64_t)1 << bits) - 1) >> bits);
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }

static bool set_bounds(raster_t *r, const frame_rect_t *clip, const frame_vertex_t *const v[3]) {
  const int32_t half = FrameSubpixel / 2;
  int32_t x_low = least(v[0]->x, least(v[1]->x, v[2]->x));
  int32_t x_high = most(v[0]->x, most(v[1]->x, v[2]->x));
  int32_t y_low = least(v[0]->y, least(v[1]->y, v[2]->y));
  int32_t y_high = most(v[0]->y, most(v[1]->y, v[2]->y));
  // First pixel centre inside, and one past the last.
  r->x0 = most((int32_t)floor_shift(x_low + half - 1, FrameSubpixelBits), clip->x0);
  r->y0 = most((int32_t)floor_shift(y_low + half - 1, FrameSubpixelBits), clip->y0);
  r->x1 = least((int32_t)floor_shift(x_high - half, FrameSubpixelBits) + 1, clip->x1);
  r->y1 = least((int32_t)floor_shift(y_high - half, FrameSubpixelBits) + 1, clip->y1);
  return r->x0 < r->x1 && r->y0 < r->y1;
}

static void set_edge(raster_t *r, uint32_t i) {
  const int32_t half = FrameSubpixel / 2;
  const frame_vertex_t *from = r->v[i], *to = r->v[i == 2 ? 0 : i + 1];
  int32_t dx = to->x - from->x, dy = to->y - from->y;
  // Clockwise with y down: a top edge runs to the right, a left one upwards.
  bool top_left = dy < 0 || (dy == 0 && dx > 0);
  int64_t e = (int64_t)dx * (half - from->y) - (int64_t)dy * (half - from->x) - !top_left;
  // In 1/256^2; the steps are multiples of 256, so the sign needs the whole part only.
  r->c[i] = floor_shift(e, FrameSubpixelBits);
  r->dx[i] = -dy;
  r->dy[i] = dx;
  r->low[i] = 7 * (least(-dy, 0) + least(dx, 0));
  r->high[i] = 7 * (most(-dy, 0) + most(dx, 0));
}

static raster_plane_t plane(const raster_t *r, double a0, double a1, double a2) {
  const frame_vertex_t *const *v = r->v;
  double d1 = a1 - a0, d2 = a2 - a0, scale = FrameSubpixel / r->area;
  return (raster_plane_t){
      .at = a0,
      .dx = (d1 * (v[2]->y - v[0]->y) - d2 * (v[1]->y - v[0]->y)) * scale,
      .dy = (d2 * (v[1]->x - v[0]->x) - d1 * (v[2]->x - v[0]->x)) * scale,
  };
}

bool raster_setup(raster_t *r, const frame_t *frame, const frame_state_t *state,
                  const frame_triangle_t *triangle) {
  const frame_vertex_t *v[3];
  for (uint32_t i = 0; i < 3; i++) {
    v[i] = &frame->vertices[triangle->v[i]];
  }
  int64_t area = (int64_t)(v[1]->x - v[0]->x) * (v[2]->y - v[0]->y) -
                 (int64_t)(v[2]->x - v[0]->x) * (v[1]->y - v[0]->y);
  if (area == 0 || !set_bounds(r, &state->scissor, v)) {
    return false;
  }
  r->back = area < 0;
  r->shadable = false;
  r->area = (double)(r->back ? -area : area);
  r->v[0] = v[0];
  r->v[1] = r->back ? v[2] : v[1];
  r->v[2] = r->back ? v[1] : v[2];
  for (uint32_t i = 0; i < 3; i++) {
    set_edge(r, i);
  }
  r->vx = (double)v[0]->x / FrameSubpixel;
  r->vy = (double)v[0]->y / FrameSubpixel;
  r->z = plane(r, r->v[0]->z, r->v[1]->z, r->v[2]->z);
  uint32_t z_low = v[0]->z, z_high = v[0]->z;
  for (uint32_t i = 1; i < 3; i++) {
    z_low = v[i]->z < z_low ? v[i]->z : z_low;
    z_high = v[i]->z > z_high ? v[i]->z : z_high;
  }
  r->z_low = z_low;
  r->z_high = z_high;
  return true;
}

void raster_setup_shading(raster_t *r, const bool uses_uv[2]) {
  const frame_vertex_t *const *v = r->v;
  const double w[3] = {(double)v[0]->inv_w, (double)v[1]->inv_w, (double)v[2]->inv_w};
  r->shadable = true;
  r->inv_w = plane(r, w[0], w[1], w[2]);
  for (uint32_t set = 0; set < 2; set++) {
    for (uint32_t i = 0; i < 2 && uses_uv[set]; i++) {
      r->uv[set][i] = plane(r, (double)v[0]->uv[set][i] * w[0], (double)v[1]->uv[set][i] * w[1],
                            (double)v[2]->uv[set][i] * w[2]);
    }
  }
  r->flat = v[0]->rgba == v[1]->rgba && v[0]->rgba == v[2]->rgba;
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t shift = 8 * k;
    if (r->flat) {
      r->flat_color[k] = (float)(v[0]->rgba >> shift & 255);
    } else {
      r->color[k] = plane(r, (v[0]->rgba >> shift & 255) * w[0], (v[1]->rgba >> shift & 255) * w[1],
                          (v[2]->rgba >> shift & 255) * w[2]);
    }
  }
}

bool raster_may_touch(const raster_t *r, int32_t x, int32_t y, int32_t side) {
  for (uint32_t i = 0; i < 3; i++) {
    int64_t reach = (int64_t)(r->high[i] / 7) * (side - 1);
    if (r->c[i] + (int64_t)x * r->dx[i] + (int64_t)y * r->dy[i] + reach < 0) {
      return false;
    }
  }
  return true;
}

uint64_t raster_rectangle(const frame_rect_t *r, int32_t bx, int32_t by) {
  int32_t x = bx * 8, y = by * 8;
  if (r->x0 <= x && r->y0 <= y && r->x1 >= x + 8 && r->y1 >= y + 8) {
    return UINT64_MAX;
  }
  // Pixels of column 0 and of row 0 of a block.
  const uint64_t column = 0x0005000500050005u, row = 0x3333u;
  uint64_t columns = 0, rows = 0;
  for (int32_t k = 0; k < 8; k++) {
    if (x + k >= r->x0 && x + k < r->x1) {
      columns |= column << ((k >> 1) * 4 + (k & 1));
    }
    if (y + k >= r->y0 && y + k < r->y1) {
      rows |= row << ((k >> 1) * 16 + (k & 1) * 2);
    }
  }
  return columns & rows;
}

// Pixels of a block inside up to three edges whose values fit in 32 bits over it.
CLONES
static uint64_t inside_edges(const int32_t dx[3], const int32_t dy[3], const int32_t base[3],
                             uint32_t count) {
  int32_t value[64];
  for (uint32_t i = 0; i < 64; i++) {
    value[i] = 0;
  }
  for (uint32_t e = 0; e < count; e++) {
    const int32_t x = dx[e], y = dy[e];
    const int32_t pattern[LanesGroup] = {0, x, y, x + y, 2 * x, 3 * x, 2 * x + y, 3 * x + y};
    for (uint32_t g = 0; g < LanesGroups; g++) {
      const int32_t start = base[e] + LANES_GROUP_X(g) * x + LANES_GROUP_Y(g) * y;
      for (uint32_t k = 0; k < LanesGroup; k++) {
        value[g * 8 + k] |= start + pattern[k];
      }
    }
  }
  return ~lanes_signs(value);
}

uint64_t raster_coverage(const raster_t *r, int32_t bx, int32_t by) {
  int32_t x = bx * 8, y = by * 8;
  int32_t dx[3], dy[3], base[3];
  uint32_t count = 0;
  for (uint32_t i = 0; i < 3; i++) {
    int64_t q = r->c[i] + (int64_t)x * r->dx[i] + (int64_t)y * r->dy[i];
    if (q + r->high[i] < 0) {
      return 0;
    }
    if (q + r->low[i] >= 0) {
      continue;
    }
    // The edge crosses the block, so q is within 14 steps of zero: 32 bits do.
    dx[count] = r->dx[i];
    dy[count] = r->dy[i];
    base[count++] = (int32_t)q;
  }
  uint64_t mask = count ? inside_edges(dx, dy, base, count) : UINT64_MAX;
  if (x < r->x0 || y < r->y0 || x + 8 > r->x1 || y + 8 > r->y1) {
    const frame_rect_t bounds = {r->x0, r->y0, r->x1, r->y1};
    mask &= raster_rectangle(&bounds, bx, by);
  }
  return mask;
}
