// SPDX-License-Identifier: Apache-2.0
#include "frame_work.h"

enum {
  Tile = 64,
  // Bytes of a pixel: colour, tie and sub-image; depth word and stencil (csim/gpu/surface.h).
  TargetBytes = 4 + 1 + 8,
  DepthBytes = 4 + 1,
};

static uint64_t surface_pixels(const frame_surface_t *s) {
  uint64_t x = (s->width + Tile - 1) / Tile, y = (s->height + Tile - 1) / Tile;
  return x * y * Tile * Tile;
}

// Pixels between two coordinates that a clip leaves.
static uint64_t extent(int32_t low, int32_t high, int32_t clip_low, int32_t clip_high) {
  low = (low >> FrameSubpixelBits) > clip_low ? low >> FrameSubpixelBits : clip_low;
  high = (high >> FrameSubpixelBits) + 1 < clip_high ? (high >> FrameSubpixelBits) + 1 : clip_high;
  return high > low ? (uint64_t)(high - low) : 0;
}

static uint64_t triangle_pixels(const frame_t *f, const frame_rect_t *clip,
                                const frame_triangle_t *t) {
  int32_t x0 = INT32_MAX, y0 = INT32_MAX, x1 = INT32_MIN, y1 = INT32_MIN;
  for (uint32_t i = 0; i < 3; i++) {
    const frame_vertex_t *v = &f->vertices[t->v[i]];
    x0 = v->x < x0 ? v->x : x0;
    y0 = v->y < y0 ? v->y : y0;
    x1 = v->x > x1 ? v->x : x1;
    y1 = v->y > y1 ? v->y : y1;
  }
  return extent(x0, x1, clip->x0, clip->x1) * extent(y0, y1, clip->y0, clip->y1);
}

static void count(uint64_t *sum, uint64_t runs, uint64_t length) {
  if (length && runs > (UINT64_MAX - *sum) / length) {
    *sum = UINT64_MAX;
  } else {
    *sum += runs * length;
  }
}

// Returns the larger of both ways of counting, since SMs run the recorded program.
static uint64_t fragment_length(const frame_t *f, const frame_cmd_t *c) {
  const uint64_t recorded = c->program ? program_operations(&f->programs[c->program - 1]) : 0;
  return recorded > c->fragment_length ? recorded : c->fragment_length;
}

uint64_t frame_work_millions(const frame_work_t *w) {
  const uint64_t million = 1000000;
  return (w->geometry + w->pixels + w->instructions / 1000 + million - 1) / million;
}

void frame_work(const frame_t *f, frame_work_t *work) {
  *work = (frame_work_t){0};
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_cmd_t *c = &f->commands[i];
    const frame_rect_t *clip = &c->state.scissor;
    if (c->kind == FrameCmdClear) {
      work->pixels += (uint64_t)(clip->x1 - clip->x0) * (uint64_t)(clip->y1 - clip->y0);
      continue;
    }
    work->geometry += (uint64_t)c->indices + c->vertices_in + c->triangles_in;
    uint64_t pixels = 0;
    for (uint32_t k = 0; k < c->triangle_count; k++) {
      pixels += triangle_pixels(f, clip, &f->triangles[c->first_triangle + k]);
    }
    work->pixels += pixels;
    count(&work->instructions, c->vertices_in, c->vertex_length);
    count(&work->instructions, pixels, fragment_length(f, c));
  }
  for (uint32_t i = 0; i < f->target_count; i++) {
    work->surface_bytes += surface_pixels(&f->targets[i]) * TargetBytes;
  }
  for (uint32_t i = 0; i < f->depth_count; i++) {
    work->surface_bytes += surface_pixels(&f->depths[i]) * DepthBytes;
  }
}
