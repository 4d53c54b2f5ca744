// SPDX-License-Identifier: Apache-2.0
#include "shade.h"

#include <string.h>

#include "../texture/filter.h"
#include "../texture/filter_virtual.h"
#include "lanes.h"

void shade_state_make(shade_state_t *shade, const frame_t *frame, const frame_state_t *s,
                      shade_sampling_t sampling) {
  *shade = (shade_state_t){.sampling = sampling};
  for (uint32_t i = 0; i < FrameMaxTextures; i++) {
    if (s->stages[i].texture == FrameNone) {
      continue;
    }
    frame_stage_t *stage = &shade->stage[shade->stage_count];
    *stage = s->stages[i];
    if (sampling.max_anisotropy && stage->min_filter == FrameFilterLinear &&
        stage->mip != FrameMipNone) {
      stage->max_anisotropy = sampling.max_anisotropy;
    }
    if (!sampling.anisotropic) {
      stage->max_anisotropy = 1;
    }
    shade->texture[shade->stage_count++] = &frame->textures[s->stages[i].texture];
    shade->uses_uv[s->stages[i].coord & 1] = true;
  }
  for (uint32_t c = 0; c < 4; c++) {
    shade->color[c] = (float)(s->color >> (8 * c) & 255) / 255.0f;
  }
}

// A plane's value at the block's first pixel and its growth, in single precision.
typedef struct {
  float at, x, y;
} local_t;

static local_t local(const raster_plane_t *p, double dx, double dy) {
  return (local_t){(float)(p->at + (p->dx * dx + p->dy * dy)), (float)p->dx, (float)p->dy};
}

// The pixels of a block that are shaded, side by side; the last one repeated up to a
// multiple of 8.
typedef struct {
  uint32_t count, lanes;
  uint8_t index[64];            // surface_block_index
  float dx[64], dy[64], w[64];  // pixel in the block; clip w
  float color[4][64];           // 0 to 255
} fragments_t;

static void list_fragments(fragments_t *f, uint64_t mask) {
  f->count = 0;
  for (; mask; mask &= mask - 1) {
    f->index[f->count++] = (uint8_t)__builtin_ctzll(mask);
  }
  f->lanes = (f->count + 7) & ~7u;
  for (uint32_t i = f->count; i < f->lanes; i++) {
    f->index[i] = f->index[f->count - 1];
  }
  for (uint32_t i = 0; i < f->lanes; i++) {
    f->dx[i] = (float)lanes_x(f->index[i]);
    f->dy[i] = (float)lanes_y(f->index[i]);
  }
}

CLONES
static void find_w(const local_t *p, fragments_t *restrict f) {
  const float at = p->at, x = p->x, y = p->y;
  for (size_t i = 0; i < f->lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      f->w[i + k] = 1.0f / (at + (x * f->dx[i + k] + y * f->dy[i + k]));
    }
  }
}

CLONES
static void find_color(const local_t *p, const fragments_t *restrict f, float factor,
                       float *restrict out) {
  const float at = p->at, x = p->x, y = p->y;
  for (size_t i = 0; i < f->lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      float c = (at + (x * f->dx[i + k] + y * f->dy[i + k])) * f->w[i + k];
      c = c > 0.0f ? c : 0.0f;
      c = c < 255.0f ? c : 255.0f;
      out[i + k] = c * factor;
    }
  }
}

CLONES
static void fill(uint32_t lanes, float value, float *restrict out) {
  for (size_t i = 0; i < lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      out[i + k] = value;
    }
  }
}

// A coordinate and its derivatives: of the quotient U / W of two planes,
// (U / W)' = (U' - (U / W) W') / W.
CLONES
static void find_coordinate(const local_t *p, const local_t *inv_w, const fragments_t *restrict f,
                            float *restrict u, float *restrict ux, float *restrict uy) {
  const float at = p->at, x = p->x, y = p->y, wx = inv_w->x, wy = inv_w->y;
  for (size_t i = 0; i < f->lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      const float w = f->w[i + k];
      const float value = (at + (x * f->dx[i + k] + y * f->dy[i + k])) * w;
      u[i + k] = value;
      ux[i + k] = (x - value * wx) * w;
      uy[i + k] = (y - value * wy) * w;
    }
  }
}

static const float One = 1.0f / 255.0f;

CLONES
static void multiply(uint32_t lanes, float factor, float *restrict c, const float *restrict t) {
  for (size_t i = 0; i < lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      const float product = c[i + k] * t[i + k] * factor;
      c[i + k] = product < 255.0f ? product : 255.0f;
    }
  }
}

CLONES
static void add(uint32_t lanes, float *restrict c, const float *restrict t) {
  for (size_t i = 0; i < lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      const float sum = c[i + k] + t[i + k];
      c[i + k] = sum < 255.0f ? sum : 255.0f;
    }
  }
}

CLONES
static void decal(uint32_t lanes, float *restrict c, const float *restrict t,
                  const float *restrict alpha) {
  for (size_t i = 0; i < lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      c[i + k] += (t[i + k] - c[i + k]) * (alpha[i + k] * One);
    }
  }
}

static void combine(uint32_t mode, uint32_t lanes, float (*c)[64], float (*t)[64]) {
  for (uint32_t n = 0; n < 4; n++) {
    switch (mode) {
      case FrameCombineReplace:
        for (uint32_t i = 0; i < lanes; i++) {
          c[n][i] = t[n][i];
        }
        break;
      case FrameCombineDecal:
        if (n < 3) {
          decal(lanes, c[n], t[n], t[3]);
        }
        break;
      case FrameCombineAdd:
        if (n < 3) {
          add(lanes, c[n], t[n]);
        } else {
          multiply(lanes, One, c[n], t[n]);
        }
        break;
      case FrameCombineModulate2x: multiply(lanes, 2.0f * One, c[n], t[n]); break;
      case FrameCombineModulate4x: multiply(lanes, 4.0f * One, c[n], t[n]); break;
      default: multiply(lanes, One, c[n], t[n]); break;
    }
  }
}

// To 8 bits a channel, rounded to nearest.
CLONES
static void pack(uint32_t lanes, float (*restrict color)[64], uint32_t *restrict out) {
  for (size_t i = 0; i < lanes; i += 8) {
    for (size_t k = 0; k < 8; k++) {
      out[i + k] = (uint32_t)(int32_t)(color[0][i + k] + 0.5f) |
                   (uint32_t)(int32_t)(color[1][i + k] + 0.5f) << 8 |
                   (uint32_t)(int32_t)(color[2][i + k] + 0.5f) << 16 |
                   (uint32_t)(int32_t)(color[3][i + k] + 0.5f) << 24;
    }
  }
}

// The first fragment of each stamp.
static void trace_stamps(const fragments_t *f, isotropic_trace_t *trace) {
  trace->lane_count = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    if (i == 0 || f->index[i] >> 2 != f->index[i - 1] >> 2) {
      trace->lane[trace->lane_count++] = (uint8_t)i;
    }
  }
}

static void find_colors(const shade_state_t *shade, const raster_t *r, double dx, double dy,
                        const fragments_t *f, float (*color)[64]) {
  for (uint32_t c = 0; c < 4; c++) {
    const float factor = shade->color[c];
    if (r->flat) {
      fill(f->lanes, r->flat_color[c] * factor, color[c]);
    } else {
      const local_t p = local(&r->color[c], dx, dy);
      find_color(&p, f, factor, color[c]);
    }
  }
}

static void shade_isotropic(const shade_state_t *shade, raster_t *r, uint32_t bx, uint32_t by,
                            uint64_t mask, uint32_t colors[64], isotropic_trace_t *traces) {
  fragments_t f;
  uint32_t packed[64];
  if (!r->shadable) {
    raster_setup_shading(r, shade->uses_uv);
  }
  list_fragments(&f, mask);
  const double dx = bx * 8 + 0.5 - r->vx, dy = by * 8 + 0.5 - r->vy;
  const local_t inv_w = local(&r->inv_w, dx, dy);
  if (!r->flat || shade->stage_count) {
    find_w(&inv_w, &f);
  }
  find_colors(shade, r, dx, dy, &f, f.color);
  for (uint32_t s = 0; s < shade->stage_count; s++) {
    isotropic_request_t request;
    float sample[4][64];
    const raster_plane_t *uv = r->uv[shade->stage[s].coord & 1];
    const local_t u = local(&uv[0], dx, dy), v = local(&uv[1], dx, dy);
    if (traces) {
      trace_stamps(&f, &traces[s]);
    }
    request.count = f.lanes;
    find_coordinate(&u, &inv_w, &f, request.u, request.ux, request.uy);
    find_coordinate(&v, &inv_w, &f, request.v, request.vx, request.vy);
    isotropic_sample(shade->texture[s], &shade->stage[s], &request, sample,
                     traces ? &traces[s] : NULL);
    combine(shade->stage[s].combine, f.lanes, f.color, sample);
  }
  pack(f.lanes, f.color, packed);
  for (uint32_t i = 0; i < f.count; i++) {
    colors[f.index[i]] = packed[i];
  }
}

void shade_begin(const shade_state_t *shade, raster_t *r, uint32_t bx, uint32_t by, uint64_t mask,
                 shade_work_t *work) {
  fragments_t f;
  float unused[2][64];
  if (!r->shadable) {
    raster_setup_shading(r, shade->uses_uv);
  }
  list_fragments(&f, lanes_stamp_bits(mask) * 15);
  const double dx = bx * 8 + 0.5 - r->vx, dy = by * 8 + 0.5 - r->vy;
  const local_t inv_w = local(&r->inv_w, dx, dy);
  if (!r->flat || shade->stage_count) {
    find_w(&inv_w, &f);
  }
  find_colors(shade, r, dx, dy, &f, work->color);
  work->mask = mask;
  work->lanes = f.count;
  memcpy(work->index, f.index, sizeof work->index);
  memset(work->sample, 0, shade->stage_count * sizeof work->sample[0]);
  for (uint32_t s = 0; s < shade->stage_count; s++) {
    const raster_plane_t *uv = r->uv[shade->stage[s].coord & 1];
    const local_t u = local(&uv[0], dx, dy), v = local(&uv[1], dx, dy);
    find_coordinate(&u, &inv_w, &f, work->u[s], unused[0], unused[1]);
    find_coordinate(&v, &inv_w, &f, work->v[s], unused[0], unused[1]);
  }
}

void shade_end(const shade_state_t *shade, shade_work_t *work, uint32_t colors[64]) {
  uint32_t packed[64];
  const uint32_t lanes = (work->lanes + 7) & ~7u;
  for (uint32_t s = 0; s < shade->stage_count; s++) {
    combine(shade->stage[s].combine, lanes, work->color, work->sample[s]);
  }
  pack(lanes, work->color, packed);
  for (uint32_t i = 0; i < work->lanes; i++) {
    if (work->mask >> work->index[i] & 1) {
      colors[work->index[i]] = packed[i];
    }
  }
}

static void sample_parents(const shade_state_t *shade, uint32_t stage, const footprint_t *f,
                           const footprint_pixel_t *p, double out[4]) {
  uint32_t parent[FootprintParents] = {0};
  int32_t fixed[4];
  for (uint32_t k = 0; k < FootprintParents; k++) {
    if (p->mask >> k & 1) {
      parent[k] = filter_parent(shade->texture[stage], &shade->stage[stage], f, p, k);
    }
  }
  filter_parents(f, p, parent, fixed);
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = (double)fixed[c] / FilterOne;
  }
}

static void sample_pixel(const shade_state_t *shade, uint32_t stage, const footprint_t *f,
                         const footprint_gradient_t *g, float u, float v, float out[4]) {
  const frame_texture_t *t = shade->texture[stage];
  const frame_stage_t *s = &shade->stage[stage];
  footprint_pixel_t p;
  double sample[4];
  switch (shade->sampling.filter) {
    case ShadeFractional: filter_fractional(t, s, f, u, v, sample); break;
    case ShadeWhole:
      footprint_pixel(&p, f, t, s, u, v);
      filter_whole(t, s, f, &p, sample);
      break;
    case ShadeLattice:
    case ShadeIsotropicGrid:
      filter_virtual(t, s, f, g,
                     shade->sampling.filter == ShadeLattice ? VirtualLattice : VirtualIsotropic,
                     shade->sampling.threshold, u, v, sample);
      break;
    default:
      footprint_pixel(&p, f, t, s, u, v);
      sample_parents(shade, stage, f, &p, sample);
      break;
  }
  for (uint32_t c = 0; c < 4; c++) {
    out[c] = (float)sample[c];
  }
}

// The samples of all stages at once, without time.
static void sample_stages(const shade_state_t *shade, shade_work_t *work) {
  for (uint32_t s = 0; s < shade->stage_count; s++) {
    for (uint32_t q = 0; q < work->lanes; q += 4) {
      const float *u = &work->u[s][q], *v = &work->v[s][q];
      footprint_t f;
      const footprint_gradient_t g = footprint_gradient(shade->texture[s], u, v);
      footprint_make(&f, shade->texture[s], &shade->stage[s], &g);
      if (shade->sampling.probes) {
        shade->sampling.probes->by_ratio[f.ratio] +=
            (uint32_t)__builtin_popcountll(work->mask >> work->index[q] & 15);
      }
      for (uint32_t k = 0; k < 4; k++) {
        float sample[4];
        if (!(work->mask >> work->index[q + k] & 1)) {
          continue;
        }
        sample_pixel(shade, s, &f, &g, u[k], v[k], sample);
        for (uint32_t c = 0; c < 4; c++) {
          work->sample[s][c][q + k] = sample[c];
        }
      }
    }
  }
}

void shade_block(const shade_state_t *shade, raster_t *r, uint32_t bx, uint32_t by, uint64_t mask,
                 uint32_t colors[64], isotropic_trace_t *traces) {
  if (!mask) {
    return;
  }
  if (shade->sampling.filter == ShadeIsotropic) {
    shade_isotropic(shade, r, bx, by, mask, colors, traces);
    return;
  }
  shade_work_t work;
  shade_begin(shade, r, bx, by, mask, &work);
  sample_stages(shade, &work);
  shade_end(shade, &work, colors);
}

static uint64_t bright(const float *alpha, const uint8_t *index, uint32_t count, uint32_t ref) {
  uint64_t pixels = 0;
  for (uint32_t i = 0; i < count; i++) {
    pixels |= (uint64_t)(alpha[i] >= (float)ref) << index[i];
  }
  return pixels;
}

uint64_t shade_bright(const shade_work_t *work, uint32_t stage, uint32_t ref) {
  return bright(work->sample[stage][3], work->index, work->lanes, ref) & work->mask;
}

uint64_t shade_sampled_bright(const shade_state_t *shade, raster_t *r, uint32_t bx, uint32_t by,
                              uint64_t mask, uint32_t stage, uint32_t ref) {
  if (shade->sampling.filter != ShadeIsotropic) {
    shade_work_t work;
    shade_begin(shade, r, bx, by, mask, &work);
    sample_stages(shade, &work);
    return shade_bright(&work, stage, ref);
  }
  fragments_t f;
  isotropic_request_t request;
  float sample[4][64];
  if (!r->shadable) {
    raster_setup_shading(r, shade->uses_uv);
  }
  list_fragments(&f, mask);
  const double dx = bx * 8 + 0.5 - r->vx, dy = by * 8 + 0.5 - r->vy;
  const local_t inv_w = local(&r->inv_w, dx, dy);
  const raster_plane_t *uv = r->uv[shade->stage[stage].coord & 1];
  const local_t u = local(&uv[0], dx, dy), v = local(&uv[1], dx, dy);
  find_w(&inv_w, &f);
  request.count = f.lanes;
  find_coordinate(&u, &inv_w, &f, request.u, request.ux, request.uy);
  find_coordinate(&v, &inv_w, &f, request.v, request.vx, request.vy);
  isotropic_sample(shade->texture[stage], &shade->stage[stage], &request, sample, NULL);
  return bright(sample[3], f.index, f.count, ref);
}
