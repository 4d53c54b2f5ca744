// SPDX-License-Identifier: Apache-2.0
#include "scouts.h"

enum { Overhead = 300, PixelRate = 16, QuarterOfStamp = 4 };

bool scout_takes(const scout_params_t *p, const frame_cmd_t *c) {
  return c->kind == FrameCmdDraw && c->triangles_in <= p->triangles && p->triangles > 0;
}

static int64_t clamp(int64_t v, int32_t low, int32_t high) {
  return v < low ? low : v > high ? high : v;
}

// In units of half a subpixel squared.
static uint64_t triangle_area(const frame_t *f, const frame_triangle_t *t,
                              const frame_rect_t *box) {
  const frame_vertex_t *v[3] = {&f->vertices[t->v[0]], &f->vertices[t->v[1]],
                                &f->vertices[t->v[2]]};
  int64_t ax = (int64_t)v[1]->x - v[0]->x, ay = (int64_t)v[1]->y - v[0]->y;
  int64_t bx = (int64_t)v[2]->x - v[0]->x, by = (int64_t)v[2]->y - v[0]->y;
  int64_t twice = ax * by - ay * bx;
  int64_t x0 = INT32_MAX, y0 = INT32_MAX, x1 = INT32_MIN, y1 = INT32_MIN;
  for (uint32_t k = 0; k < 3; k++) {
    int64_t x = v[k]->x / FrameSubpixel, y = v[k]->y / FrameSubpixel;
    x0 = x < x0 ? x : x0;
    x1 = x > x1 ? x : x1;
    y0 = y < y0 ? y : y0;
    y1 = y > y1 ? y : y1;
  }
  int64_t width = clamp(x1 + 1, box->x0, box->x1) - clamp(x0, box->x0, box->x1);
  int64_t height = clamp(y1 + 1, box->y0, box->y1) - clamp(y0, box->y0, box->y1);
  uint64_t area = (uint64_t)(twice < 0 ? -twice : twice);
  uint64_t inside = (uint64_t)(width * height) * 2 * FrameSubpixel * FrameSubpixel;
  return area < inside ? area : inside;
}

uint64_t scout_area(const frame_t *f, const frame_cmd_t *c) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < c->triangle_count; i++) {
    sum += triangle_area(f, &f->triangles[c->first_triangle + i], &c->state.scissor);
  }
  return sum / (2 * FrameSubpixel * FrameSubpixel);
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

// The slowest of texture units, lanes, raster and geometry, in the units of weights.
static uint64_t expect_scouted(const scout_params_t *p, const frame_cmd_t *c, uint64_t area) {
  uint64_t reads = 0;
  for (uint32_t k = 0; k < FrameMaxTextures; k++) {
    reads += c->state.stages[k].texture != FrameNone;
  }
  uint64_t texture =
      area * reads * p->texture_cycles / (QuarterOfStamp * (uint64_t)p->texture_units);
  uint64_t issue = area * c->fragment_length / p->lanes;
  uint64_t pixels = larger(larger(texture, issue) * 3 / 4, area / PixelRate);
  uint64_t units = (Overhead + larger(pixels, c->triangles_in)) / DriverWeightCycles;
  units = units < 1 ? 1 : units > DriverWeightMax ? DriverWeightMax : units;
  return units * DriverWeightCycles;
}

uint64_t scout_expects(const scout_params_t *p, const frame_t *f, const frame_cmd_t *c) {
  return scout_takes(p, c) ? expect_scouted(p, c, scout_area(f, c))
                           : (uint64_t)c->triangles_in * p->cycles;
}

bool scout_by_all(const scout_params_t *p, const frame_t *f, const frame_cmd_t *c, uint64_t left) {
  uint64_t area = scout_area(f, c);
  return area >= p->area.pixels + (uint64_t)p->area.pixels_a_triangle * c->triangles_in &&
         expect_scouted(p, c, area) >= left * p->share / 1000 / p->gpus;
}

uint64_t scout_wait(const scout_params_t *p, const frame_t *f, const plan_group_t *g) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < g->count && g->kind == DrawSchedulerGroupOpaque; i++) {
    const frame_cmd_t *c = &f->commands[g->first + i];
    if (scout_takes(p, c)) {
      sum += p->draw_cycles + (uint64_t)c->triangles_in / p->triangle_rate + 1;
    }
  }
  return sum ? sum / p->gpus + p->geometry_latency + 2 * (uint64_t)p->message_latency : 0;
}
