// SPDX-License-Identifier: Apache-2.0
// From clip coordinates to the frame's vertices: clipping, projection, culling,
// polygon offset, rounding, shared vertices.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"

enum { MaxCorners = 16, HashSlots = 1 << 20, Planes = 7 };

// Pixels; below the guard band, so that rounding cannot leave it.
static const float band = FrameGuardBand - 64;

static frame_t *frame;
static uint32_t command_room, vertex_room, triangle_room, program_room;
static uint32_t *slots;        // of the vertices of this draw; 0: free
static uint32_t first_vertex;  // of this draw

static void *more(void *array, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room) {
    return array;
  }
  *room = *room ? 2 * *room : 1024;
  array = realloc(array, *room * size);
  if (!array) {
    fprintf(stderr, "capture: out of memory\n");
    exit(3);
  }
  return array;
}

bool capture_build_active(void) { return frame; }

frame_t *capture_build_frame(void) { return frame; }

void capture_build_begin(uint32_t width, uint32_t height) {
  frame = calloc(1, sizeof *frame);
  if (!slots) {
    slots = malloc(HashSlots * sizeof *slots);
  }
  if (!frame || !slots) {
    exit(3);
  }
  frame->width = width;
  frame->height = height;
  command_room = vertex_room = triangle_room = program_room = 0;
}

frame_cmd_t *capture_build_command(void) {
  frame->commands =
      more(frame->commands, frame->command_count, &command_room, sizeof *frame->commands);
  frame_cmd_t *command = &frame->commands[frame->command_count++];
  memset(command, 0, sizeof *command);
  command->first_triangle = frame->triangle_count;
  first_vertex = frame->vertex_count;
  memset(slots, 0, HashSlots * sizeof *slots);
  return command;
}

void capture_build_drop_command(void) {
  frame_cmd_t *command = &frame->commands[--frame->command_count];
  frame->triangle_count = command->first_triangle;
  frame->vertex_count = first_vertex;
}

uint16_t capture_build_program(const program_t *program) {
  uint32_t i = 0;
  while (i < frame->program_count && !program_same(&frame->programs[i], program)) {
    i++;
  }
  if (i == FrameMaxPrograms) {
    return 0;
  }
  if (i == frame->program_count) {
    frame->programs = more(frame->programs, i, &program_room, sizeof *frame->programs);
    frame->programs[frame->program_count++] = *program;
  }
  return (uint16_t)(i + 1);
}

static uint32_t add_vertex(const frame_vertex_t *vertex) {
  uint32_t words[sizeof *vertex / 4], hash = 2166136261u;
  memcpy(words, vertex, sizeof words);
  for (size_t i = 0; i < sizeof words / 4; i++) {
    hash = (hash ^ words[i]) * 16777619u;
  }
  hash ^= hash >> 15;
  uint32_t slot = hash & (HashSlots - 1);
  // A draw of more vertices than slots would never find a free one; it stops sharing.
  const bool full = frame->vertex_count - first_vertex > HashSlots / 2;
  while (!full && slots[slot]) {
    const uint32_t found = first_vertex + slots[slot] - 1;
    if (memcmp(&frame->vertices[found], vertex, sizeof *vertex) == 0) {
      return found;
    }
    slot = (slot + 1) & (HashSlots - 1);
  }
  frame->vertices =
      more(frame->vertices, frame->vertex_count, &vertex_room, sizeof *frame->vertices);
  frame->vertices[frame->vertex_count] = *vertex;
  if (!full) {
    slots[slot] = frame->vertex_count - first_vertex + 1;
  }
  return frame->vertex_count++;
}

static float clamp(float value, float low, float high) {
  return value < low ? low : value > high ? high : value;
}

// 2^-16 is an 1/128 of a texel in the largest textures; what is finer is noise that
// only makes files large.
static float round_uv(float value) {
  return isfinite(value) ? rintf(clamp(value, -8192, 8192) * 65536) / 65536 : 0;
}

static float round_inv_w(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x20) & ~0x3fu;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

// The largest change of z over a pixel, for the polygon offset.
static float depth_slope(const capture_corner_t *a, const capture_corner_t *b,
                         const capture_corner_t *c) {
  const float x1 = b->at[0] - a->at[0], y1 = b->at[1] - a->at[1], z1 = b->at[2] - a->at[2];
  const float x2 = c->at[0] - a->at[0], y2 = c->at[1] - a->at[1], z2 = c->at[2] - a->at[2];
  const float area = x1 * y2 - x2 * y1;
  if (area == 0) {
    return 0;
  }
  const float dx = fabsf((z1 * y2 - z2 * y1) / area), dy = fabsf((z2 * x1 - z1 * x2) / area);
  return dx > dy ? dx : dy;
}

static void vertex_of(const capture_transform_t *t, const capture_corner_t *c, float offset,
                      frame_vertex_t *v) {
  const float x = clamp(c->at[0], -band, band);
  const float y = clamp((float)t->surface_height - c->at[1], -band, band);
  memset(v, 0, sizeof *v);
  v->x = (int32_t)lrintf(x * FrameSubpixel);
  v->y = (int32_t)lrintf(y * FrameSubpixel);
  v->z = (uint32_t)lrint((double)clamp(c->at[2] + offset, 0, 1) * FrameMaxDepth);
  v->inv_w = round_inv_w(1 / c->at[3]);
  for (int k = 0; k < 4; k++) {
    v->rgba |= (uint32_t)lrintf(clamp(c->color[k], 0, 1) * 255) << 8 * k;
  }
  for (int k = 0; k < 4; k++) {
    v->uv[k / 2][k % 2] = round_uv(c->uv[k / 2][k % 2]);
  }
}

void capture_build_window_polygon(const capture_transform_t *t, const capture_corner_t *corners,
                                  int count, uint32_t ordinal) {
  frame_cmd_t *command = &frame->commands[frame->command_count - 1];
  uint32_t index[MaxCorners];
  if (count > MaxCorners) {
    count = MaxCorners;
  }
  float area = 0, slope = 0;
  for (int i = 2; i < count; i++) {
    const float *a = corners[0].at, *b = corners[i - 1].at, *c = corners[i].at;
    area += (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (t->offset_factor != 0) {
      const float s = depth_slope(&corners[0], &corners[i - 1], &corners[i]);
      if (s > slope) {
        slope = s;
      }
    }
  }
  if ((area > 0 && t->cull_positive) || (area < 0 && t->cull_negative)) {
    return;
  }
  const float offset =
      t->offset_factor * clamp(slope, 0, 1) + t->offset_units / (float)FrameMaxDepth;
  for (int i = 0; i < count; i++) {
    frame_vertex_t vertex;
    vertex_of(t, &corners[i], offset, &vertex);
    index[i] = add_vertex(&vertex);
  }
  for (int i = 2; i < count; i++) {
    const frame_vertex_t *a = &frame->vertices[index[0]], *b = &frame->vertices[index[i - 1]],
                         *c = &frame->vertices[index[i]];
    // Rounded to nothing: the rasteriser would cull it.
    if ((int64_t)(b->x - a->x) * (c->y - a->y) == (int64_t)(b->y - a->y) * (c->x - a->x)) {
      continue;
    }
    frame->triangles =
        more(frame->triangles, frame->triangle_count, &triangle_room, sizeof *frame->triangles);
    frame->triangles[frame->triangle_count++] =
        (frame_triangle_t){{index[0], index[i - 1], index[i]}, ordinal};
    command->triangle_count++;
  }
}

static float distance(const float plane[4], const float at[4]) {
  return plane[0] * at[0] + plane[1] * at[1] + plane[2] * at[2] + plane[3] * at[3];
}

static int clip(const capture_corner_t *in, int count, const float plane[4],
                capture_corner_t *out) {
  int made = 0;
  for (int i = 0; i < count; i++) {
    const capture_corner_t *a = &in[i], *b = &in[(i + 1) % count];
    const float da = distance(plane, a->at), db = distance(plane, b->at);
    if (da >= 0) {
      out[made++] = *a;
    }
    if ((da >= 0) != (db >= 0)) {
      // From the inside to the outside, so that both owners of an edge cut alike.
      const capture_corner_t *from = da >= 0 ? a : b, *to = da >= 0 ? b : a;
      const float inside = da >= 0 ? da : db, outside = da >= 0 ? db : da;
      const float share = inside / (inside - outside);
      capture_corner_t *cut = &out[made++];
      for (int k = 0; k < 4; k++) {
        cut->at[k] = from->at[k] + share * (to->at[k] - from->at[k]);
        cut->color[k] = from->color[k] + share * (to->color[k] - from->color[k]);
        cut->uv[k / 2][k % 2] =
            from->uv[k / 2][k % 2] + share * (to->uv[k / 2][k % 2] - from->uv[k / 2][k % 2]);
      }
    }
  }
  return made;
}

// Returns true if nothing of a triangle can be seen: a corner is not finite, or all lie beyond one
// side of the view.
static bool is_out_of_sight(const capture_corner_t corners[3]) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 4; k++) {
      if (!isfinite(corners[i].at[k])) {
        return true;
      }
    }
  }
  for (int axis = 0; axis < 3; axis++) {
    int below = 0, above = 0;
    for (int i = 0; i < 3; i++) {
      below += corners[i].at[axis] < -corners[i].at[3];
      above += corners[i].at[axis] > corners[i].at[3];
    }
    if (below == 3 || above == 3) {
      return true;
    }
  }
  return false;
}

void capture_build_clip_triangle(const capture_transform_t *t, const capture_corner_t corners[3],
                                 uint32_t ordinal) {
  if (is_out_of_sight(corners)) {
    return;
  }
  // Near, far, a positive w, and the guard band: x at window -band is
  // (-band - x0) * 2 / width - 1 before the viewport, and so on; y is flipped.
  const float *v = t->viewport;
  const float h = (float)t->surface_height;
  if (v[2] <= 0 || v[3] <= 0) {
    return;
  }
  const float planes[Planes][4] = {
      {0, 0, 0, 1},
      {0, 0, 1, 1},
      {0, 0, -1, 1},
      {1, 0, 0, -((-band - v[0]) * 2 / v[2] - 1)},
      {-1, 0, 0, (band - v[0]) * 2 / v[2] - 1},
      {0, 1, 0, -((h - band - v[1]) * 2 / v[3] - 1)},
      {0, -1, 0, (h + band - v[1]) * 2 / v[3] - 1},
  };
  capture_corner_t buffers[2][MaxCorners];
  int count = 3, now = 0;
  memcpy(buffers[0], corners, 3 * sizeof *corners);
  for (int p = 0; p < Planes && count >= 3; p++) {
    bool outside = false;
    for (int i = 0; i < count; i++) {
      outside |= distance(planes[p], buffers[now][i].at) < 0;
    }
    if (!outside) {
      continue;
    }
    count = clip(buffers[now], count, planes[p], buffers[!now]);
    now = !now;
  }
  if (count < 3) {
    return;
  }
  for (int i = 0; i < count; i++) {
    float *at = buffers[now][i].at;
    if (at[3] < 1e-6F) {
      return;
    }
    const float w = 1 / at[3];
    at[0] = v[0] + (at[0] * w + 1) * 0.5F * v[2];
    at[1] = v[1] + (at[1] * w + 1) * 0.5F * v[3];
    at[2] = t->depth_range[0] + (at[2] * w + 1) * 0.5F * (t->depth_range[1] - t->depth_range[0]);
  }
  capture_build_window_polygon(t, buffers[now], count, ordinal);
}

// Target `merged` becomes target 0, and the later ones move up.
static void merge_targets(uint16_t merged) {
  for (uint32_t i = 0; i < frame->command_count; i++) {
    uint16_t *target = &frame->commands[i].state.color_target;
    if (*target == FrameNone) {
      continue;
    }
    if (*target == merged) {
      *target = 0;
    } else if (*target > merged) {
      --*target;
    }
  }
  memmove(frame->targets + merged, frame->targets + merged + 1,
          (frame->target_count - merged - 1u) * sizeof *frame->targets);
  frame->target_count--;
}

void capture_build_end(long number, uint16_t merged) {
  char name[512];
  if (merged) {
    merge_targets(merged);
  }
  snprintf(name, sizeof name, "%s, frame %ld", capture_options.name, number);
  frame->name = strdup(name);
  uint32_t draws = 0, submitted = 0;
  for (uint32_t i = 0; i < frame->command_count; i++) {
    draws += frame->commands[i].kind == FrameCmdDraw;
    submitted += frame->commands[i].triangles_in;
  }
  fprintf(stderr,
          "capture: frame %ld: %u draws, %u triangles submitted, %u kept, %u vertices, "
          "%u textures, %u targets, %u depth buffers\n",
          number, draws, submitted, frame->triangle_count, frame->vertex_count,
          frame->texture_count, frame->target_count, frame->depth_count);
  capture_wanted_keep(frame, number);
  frame = NULL;
}
