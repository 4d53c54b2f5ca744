// SPDX-License-Identifier: Apache-2.0
#include "generate_build.h"

#include <stdlib.h>
#include <string.h>

#include "generate_math.h"

// Nearer than this, in units of the scene, nothing is drawn.
#define NEAR 0.05
// Corners beyond this many pixels are cut off, well inside the format's guard band.
#define GUARD 8000.0
// Pixels to the right that the picture moves from frame to frame: some 30 degrees a second at 60
// frames a second and 1,280 pixels a row.
#define TURN 8.0

// Grows an array to hold one more than count. False: out of memory.
static bool grow(generate_build_t *b, void *array, uint32_t count, uint32_t *room, size_t size) {
  void **slot = array;
  if (!b->failed && count >= *room) {
    uint32_t more = *room ? 2 * *room : 16;
    void *grown = realloc(*slot, more * size);
    if (grown) {
      *slot = grown;
      *room = more;
    } else {
      b->failed = true;
    }
  }
  return !b->failed;
}

bool generate_begin(generate_build_t *b, const char *name, uint64_t seed, uint32_t view) {
  *b = (generate_build_t){.frame = calloc(1, sizeof *b->frame), .pan = TURN * view};
  // Mixed once, since seeds that differ by little may give overlapping sequences.
  rng_seed(&b->rng, seed);
  rng_seed(&b->rng, rng_u64(&b->rng));
  if (b->frame) {
    b->frame->name = strdup(name);
  }
  b->failed = !b->frame || !b->frame->name;
  return !b->failed;
}

frame_t *generate_end(generate_build_t *b) {
  free(b->corners);
  free(b->corner_vertex);
  if (b->failed) {
    frame_free(b->frame);
    return NULL;
  }
  return b->frame;
}

uint16_t generate_target(generate_build_t *b, uint32_t width, uint32_t height) {
  frame_t *f = b->frame;
  if (!grow(b, &f->targets, f->target_count, &b->target_room, sizeof *f->targets)) {
    return 0;
  }
  if (f->target_count == 0) {
    f->width = width;
    f->height = height;
  }
  f->targets[f->target_count] = (frame_surface_t){width, height};
  return (uint16_t)f->target_count++;
}

uint16_t generate_depth(generate_build_t *b, uint32_t width, uint32_t height) {
  frame_t *f = b->frame;
  if (!grow(b, &f->depths, f->depth_count, &b->depth_room, sizeof *f->depths)) {
    return 0;
  }
  f->depths[f->depth_count] = (frame_surface_t){width, height};
  return (uint16_t)f->depth_count++;
}

// --- textures

enum { Octaves = 4 };

static double octaves(generate_cell_t cells[Octaves], double x, double y, uint32_t period,
                      uint32_t seed) {
  double sum = 0, weight = 0.5;
  for (uint32_t i = 0; i < Octaves; i++) {
    sum += weight * generate_noise_in(&cells[i], x, y, period, seed + i);
    x *= 2;
    y *= 2;
    period *= 2;
    weight *= 0.5;
  }
  return sum / 0.9375;
}

static uint32_t pack(double r, double g, double b, double a) {
  const double c[4] = {r, g, b, a};
  uint32_t packed = 0;
  for (int i = 0; i < 4; i++) {
    packed |= (uint32_t)(generate_clamp(c[i], 0, 1) * 255 + 0.5) << 8 * i;
  }
  return packed;
}

// A dark joint between stones or tiles: 1 inside, 0 on it.
static double joint(double x, double y, double width) {
  double fx = x - floor(x), fy = y - floor(y);
  return fx < width || fy < width ? 0.0 : 1.0;
}

static uint32_t bricks(double n, double u, double v, uint32_t seed) {
  double row = floor(8 * v), shift = row - 2 * floor(row / 2);
  double inside = joint(4 * u + 0.5 * shift, 8 * v, 0.06);
  double own = generate_hash((uint32_t)floor(4 * u + 0.5 * shift) % 4, (uint32_t)row, seed) *
               (1 / 4294967295.0);
  double c = 0.7 * (0.75 + 0.5 * n) * (0.8 + 0.3 * own);
  return inside > 0 ? pack(c, 0.55 * c, 0.42 * c, 1) : pack(0.55, 0.53, 0.5, 1);
}

static uint32_t texel(generate_cell_t cells[2 * Octaves], generate_texture_e kind, double u,
                      double v, uint32_t seed) {
  double n = octaves(cells, 8 * u, 8 * v, 8, seed);
  switch (kind) {
    case GenerateTextureStone: return pack(0.35 + 0.5 * n, 0.33 + 0.5 * n, 0.3 + 0.48 * n, 1);
    case GenerateTextureGrass: {
      double m = generate_noise(64 * u, 64 * v, 64, seed + 9);
      return pack(0.34 + 0.3 * n, 0.42 + 0.25 * n + 0.15 * m, 0.22 + 0.2 * n, 1);
    }
    case GenerateTextureBricks: return bricks(n, u, v, seed);
    case GenerateTextureMetal: {
      double m = generate_noise(2 * u, 96 * v, 96, seed + 3);
      double c = 0.45 + 0.25 * m + 0.2 * n;
      return joint(4 * u, 4 * v, 0.03) > 0 ? pack(c, c, c + 0.03, 1) : pack(0.2, 0.2, 0.22, 1);
    }
    case GenerateTexturePlaster: return pack(0.7 + 0.25 * n, 0.66 + 0.25 * n, 0.58 + 0.22 * n, 1);
    case GenerateTextureBark: {
      double m = octaves(cells + Octaves, 16 * u, 4 * v, 16, seed + 5);
      return pack(0.25 + 0.4 * m, 0.18 + 0.3 * m, 0.1 + 0.22 * m, 1);
    }
    case GenerateTextureTiles: {
      double odd = (double)(((uint32_t)(8 * u) ^ (uint32_t)(8 * v)) & 1);
      double c = (0.5 + 0.35 * odd) * (0.85 + 0.3 * n) * (0.6 + 0.4 * joint(8 * u, 8 * v, 0.05));
      return pack(c, c, 0.95 * c, 1);
    }
    case GenerateTextureCloth: {
      double c = 0.5 + 0.25 * generate_sin(32 * u) * generate_sin(32 * v) + 0.3 * (n - 0.5);
      return pack(0.9 * c, 0.55 * c, 0.5 * c, 1);
    }
    case GenerateTextureLight: {
      double c = 0.25 + 0.75 * octaves(cells + Octaves, 3 * u, 3 * v, 3, seed);
      return pack(c, 0.96 * c, 0.88 * c, 1);
    }
    case GenerateTextureDetail: return pack(0.3 + 0.4 * n, 0.3 + 0.4 * n, 0.3 + 0.4 * n, 1);
    case GenerateTextureLeaves: {
      double m = generate_noise(12 * u, 12 * v, 12, seed + 7);
      double edge = 4 * u * (1 - u) * 4 * v * (1 - v);
      return pack(0.18 + 0.3 * n, 0.34 + 0.4 * n, 0.1 + 0.1 * n, m * (0.5 + edge) > 0.42 ? 1 : 0);
    }
    case GenerateTextureSprite: {
      double x = 2 * u - 1, y = 2 * v - 1;
      double c = generate_clamp(1 - x * x - y * y, 0, 1);
      c = c * c * (0.7 + 0.5 * n);
      return pack(c, 0.8 * c, 0.55 * c, c);
    }
    case GenerateTextureSky: {
      double cloud =
          generate_clamp(2.2 * octaves(cells + Octaves, 6 * u, 6 * v, 6, seed) - 0.8, 0, 1);
      double r = 0.35 + 0.35 * v, g = 0.52 + 0.28 * v, blue = 0.85 + 0.05 * v;
      return pack(r + (0.95 - r) * cloud, g + (0.95 - g) * cloud, blue + (0.96 - blue) * cloud, 1);
    }
    default: {
      double border = u < 0.06 || v < 0.06 || u > 0.94 || v > 0.94 ? 1 : 0;
      double glyph = generate_hash((uint32_t)(16 * u), (uint32_t)(16 * v), seed) > 0xa0000000u;
      return pack(0.2 + 0.6 * border + 0.5 * glyph, 0.25 + 0.6 * border + 0.5 * glyph,
                  0.3 + 0.4 * border + 0.3 * glyph, 0.45 + 0.5 * border + 0.4 * glyph);
    }
  }
}

uint16_t generate_texture(generate_build_t *b, generate_texture_e kind, uint32_t side) {
  frame_t *f = b->frame;
  uint32_t seed = (uint32_t)rng_u64(&b->rng);
  if (!grow(b, &f->textures, f->texture_count, &b->texture_room, sizeof *f->textures)) {
    return 0;
  }
  frame_texture_t *t = &f->textures[f->texture_count];
  *t = (frame_texture_t){.width = side, .height = side, .levels = 1};
  t->level[0] = malloc((size_t)side * side * sizeof *t->level[0]);
  f->texture_count++;
  if (!t->level[0]) {
    b->failed = true;
    return 0;
  }
  generate_cell_t cells[2 * Octaves] = {{.known = false}};
  for (uint32_t y = 0; y < side; y++) {
    for (uint32_t x = 0; x < side; x++) {
      t->level[0][y * side + x] = texel(cells, kind, (x + 0.5) / side, (y + 0.5) / side, seed);
    }
  }
  frame_texture_make_levels(t);
  b->failed = b->failed || side >> (t->levels - 1) > 1;
  return (uint16_t)(f->texture_count - 1);
}

// --- states and commands

frame_state_t generate_state(const generate_build_t *b, uint16_t target, uint16_t depth) {
  const frame_t *f = b->frame;
  frame_state_t s = {
      .color_target = target,
      .depth_buffer = depth,
      .depth_test = depth != FrameNone,
      .depth_write = depth != FrameNone,
      .depth_func = FrameFuncLess,
      .src_rgb = FrameFactorOne,
      .src_alpha = FrameFactorOne,
      .dst_rgb = FrameFactorZero,
      .dst_alpha = FrameFactorZero,
      .color_mask = 0xf,
      .alpha_func = FrameFuncAlways,
      .color = 0xffffffff,
  };
  if (!b->failed) {
    const frame_surface_t *size = target != FrameNone ? &f->targets[target] : &f->depths[depth];
    s.scissor = s.viewport = (frame_rect_t){0, 0, (int32_t)size->width, (int32_t)size->height};
  }
  for (int i = 0; i < 2; i++) {
    s.stencil[i] =
        (frame_stencil_t){.func = FrameFuncAlways, .read_mask = 0xff, .write_mask = 0xff};
    s.stages[i] = (frame_stage_t){.texture = FrameNone, .max_anisotropy = 1};
  }
  return s;
}

void generate_blend(frame_state_t *state, frame_factor_e src, frame_factor_e dst,
                    frame_factor_e src_alpha, frame_factor_e dst_alpha) {
  state->blend = 1;
  state->depth_write = 0;
  state->src_rgb = (uint8_t)src;
  state->dst_rgb = (uint8_t)dst;
  state->src_alpha = (uint8_t)src_alpha;
  state->dst_alpha = (uint8_t)dst_alpha;
}

void generate_stage(frame_state_t *state, uint32_t stage, uint16_t texture, uint8_t coord,
                    frame_combine_e combine) {
  state->stages[stage] = (frame_stage_t){
      .texture = texture,
      .coord = coord,
      .combine = (uint8_t)combine,
      .mag_filter = FrameFilterLinear,
      .min_filter = FrameFilterLinear,
      .mip = FrameMipLinear,
      .wrap_s = FrameWrapRepeat,
      .wrap_t = FrameWrapRepeat,
      .max_anisotropy = 1,
  };
}

frame_cmd_t *generate_command(generate_build_t *b, frame_cmd_e kind, const frame_state_t *state) {
  frame_t *f = b->frame;
  if (!grow(b, &f->commands, f->command_count, &b->command_room, sizeof *f->commands)) {
    return NULL;
  }
  frame_cmd_t *c = &f->commands[f->command_count++];
  *c = (frame_cmd_t){.kind = (uint8_t)kind, .state = *state, .first_triangle = f->triangle_count};
  return c;
}

// --- meshes

static uint32_t place(generate_build_t *b, const generate_corner_t *c) {
  frame_t *f = b->frame;
  if (!grow(b, &f->vertices, f->vertex_count, &b->vertex_room, sizeof *f->vertices)) {
    return 0;
  }
  frame_vertex_t *v = &f->vertices[f->vertex_count];
  double depth = generate_clamp(c->d / c->w, 0, 1);
  *v = (frame_vertex_t){
      .x = (int32_t)floor(c->x / c->w * FrameSubpixel + 0.5),
      .y = (int32_t)floor(c->y / c->w * FrameSubpixel + 0.5),
      .z = (uint32_t)floor(depth * FrameMaxDepth + 0.5),
      .inv_w = (float)(1 / c->w),
      .rgba = pack(c->rgba[0], c->rgba[1], c->rgba[2], c->rgba[3]),
      .uv = {{(float)c->uv[0][0], (float)c->uv[0][1]}, {(float)c->uv[1][0], (float)c->uv[1][1]}},
  };
  return f->vertex_count++;
}

// Adds a triangle of placed corners unless it is flat, or turned away and culled.
static void add_triangle(generate_build_t *b, const uint32_t v[3], uint32_t ordinal, bool cull) {
  frame_t *f = b->frame;
  if (!grow(b, &f->triangles, f->triangle_count, &b->triangle_room, sizeof *f->triangles)) {
    return;
  }
  const frame_vertex_t *p = &f->vertices[v[0]], *q = &f->vertices[v[1]], *r = &f->vertices[v[2]];
  int64_t area = (int64_t)(q->x - p->x) * (r->y - p->y) - (int64_t)(q->y - p->y) * (r->x - p->x);
  if (area == 0 || (cull && area < 0)) {
    return;
  }
  f->triangles[f->triangle_count++] =
      (frame_triangle_t){.v = {v[0], v[1], v[2]}, .ordinal = ordinal};
  f->commands[f->command_count - 1].triangle_count++;
}

enum { Planes = 5, MostCorners = 3 + Planes };

// Positive inside.
static double side_of_plane(const generate_corner_t *c, int plane) {
  switch (plane) {
    case 0: return c->w - NEAR;
    case 1: return c->x + GUARD * c->w;
    case 2: return GUARD * c->w - c->x;
    case 3: return c->y + GUARD * c->w;
    default: return GUARD * c->w - c->y;
  }
}

static generate_corner_t cut_edge(const generate_corner_t *a, const generate_corner_t *c,
                                  double at) {
  generate_corner_t m;
  m.x = a->x + (c->x - a->x) * at;
  m.y = a->y + (c->y - a->y) * at;
  m.d = a->d + (c->d - a->d) * at;
  m.w = a->w + (c->w - a->w) * at;
  for (int i = 0; i < 4; i++) {
    m.uv[i / 2][i % 2] = a->uv[i / 2][i % 2] + (c->uv[i / 2][i % 2] - a->uv[i / 2][i % 2]) * at;
    m.rgba[i] = a->rgba[i] + (c->rgba[i] - a->rgba[i]) * at;
  }
  return m;
}

static void clip_triangle(generate_build_t *b, const generate_corner_t *t[3], uint32_t ordinal,
                          bool cull) {
  generate_corner_t polygon[MostCorners], next[MostCorners];
  int count = 3;
  for (int i = 0; i < 3; i++) {
    polygon[i] = *t[i];
  }
  for (int plane = 0; plane < Planes && count > 0; plane++) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      const generate_corner_t *a = &polygon[i], *c = &polygon[(i + 1) % count];
      double da = side_of_plane(a, plane), dc = side_of_plane(c, plane);
      if (da >= 0) {
        next[kept++] = *a;
      }
      if ((da >= 0) != (dc >= 0)) {
        next[kept++] = cut_edge(a, c, da / (da - dc));
      }
    }
    count = kept;
    memcpy(polygon, next, sizeof *next * (size_t)kept);
  }
  if (count < 3) {
    return;
  }
  uint32_t placed[MostCorners];
  for (int i = 0; i < count; i++) {
    placed[i] = place(b, &polygon[i]);
  }
  for (int i = 2; i < count && !b->failed; i++) {
    const uint32_t v[3] = {placed[0], placed[i - 1], placed[i]};
    add_triangle(b, v, ordinal, cull);
  }
}

// One mesh triangle: dropped if off the screen, cut if it reaches too far.
static void submit(generate_build_t *b, const uint32_t index[3], uint32_t ordinal, bool cull) {
  const frame_rect_t *view = &b->frame->commands[b->frame->command_count - 1].state.viewport;
  const generate_corner_t *t[3];
  bool inside = true;
  int left = 0, right = 0, above = 0, below = 0;
  for (int i = 0; i < 3; i++) {
    const generate_corner_t *c = t[i] = &b->corners[index[i]];
    left += c->x < view->x0 * c->w;
    right += c->x > view->x1 * c->w;
    above += c->y < view->y0 * c->w;
    below += c->y > view->y1 * c->w;
    for (int plane = 0; plane < Planes; plane++) {
      inside = inside && side_of_plane(c, plane) >= 0;
    }
  }
  if (left == 3 || right == 3 || above == 3 || below == 3) {
    return;
  }
  if (!inside) {
    clip_triangle(b, t, ordinal, cull);
    return;
  }
  if (cull) {
    double x0 = t[0]->x / t[0]->w, y0 = t[0]->y / t[0]->w;
    double area = (t[1]->x / t[1]->w - x0) * (t[2]->y / t[2]->w - y0) -
                  (t[1]->y / t[1]->w - y0) * (t[2]->x / t[2]->w - x0);
    // Surely turned away; what is close to flat is decided after rounding.
    if (area < -1) {
      return;
    }
  }
  uint32_t v[3];
  for (int i = 0; i < 3; i++) {
    uint32_t *known = &b->corner_vertex[index[i]];
    if (*known == GenerateUnplaced) {
      *known = place(b, t[i]);
    }
    v[i] = *known;
  }
  if (!b->failed) {
    add_triangle(b, v, ordinal, cull);
  }
}

static void add_grid(generate_build_t *b, uint32_t columns, uint32_t rows, uint32_t triangles,
                     bool cull, generate_point_f *point, const void *self, double pan) {
  uint32_t across = rows + 1, count = (columns + 1) * across;
  if (b->failed) {
    return;
  }
  if (count > b->corner_room) {
    generate_corner_t *corners = realloc(b->corners, count * sizeof *corners);
    b->corners = corners ? corners : b->corners;
    uint32_t *vertex = realloc(b->corner_vertex, count * sizeof *vertex);
    b->corner_vertex = vertex ? vertex : b->corner_vertex;
    if (!corners || !vertex) {
      b->failed = true;
      return;
    }
    b->corner_room = count;
  }
  frame_cmd_t *cmd = &b->frame->commands[b->frame->command_count - 1];
  uint32_t first = cmd->triangles_in;
  // Only the corners that the triangles use are shaded.
  uint32_t used = ((triangles + 2 * rows - 1) / (2 * rows) + 1) * across;
  used = used < count ? used : count;
  cmd->triangles_in += triangles;
  cmd->indices += 3 * triangles;
  cmd->vertices_in += used;
  for (uint32_t i = 0; i < used; i++) {
    b->corner_vertex[i] = GenerateUnplaced;
    point(self, (double)(i / across) / columns, (double)(i % across) / rows, &b->corners[i]);
    b->corners[i].x += pan * b->corners[i].w;
  }
  for (uint32_t i = 0; i < triangles && !b->failed; i++) {
    uint32_t cell = i / 2, corner = cell / rows * across + cell % rows;
    const uint32_t upper[3] = {corner, corner + across, corner + 1};
    const uint32_t lower[3] = {corner + 1, corner + across, corner + across + 1};
    submit(b, i & 1 ? lower : upper, first + i, cull);
  }
}

void generate_grid(generate_build_t *b, uint32_t columns, uint32_t rows, uint32_t triangles,
                   bool cull, generate_point_f *point, const void *self) {
  add_grid(b, columns, rows, triangles, cull, point, self, b->pan);
}

static void quad_point(const void *self, double u, double v, generate_corner_t *corner) {
  const generate_quad_t *q = self;
  corner->x = q->x0 + (q->x1 - q->x0) * u;
  corner->y = q->y0 + (q->y1 - q->y0) * v;
  corner->d = q->depth;
  corner->w = 1;
  for (int set = 0; set < 2; set++) {
    corner->uv[set][0] = q->u0 + (q->u1 - q->u0) * u;
    corner->uv[set][1] = q->v0 + (q->v1 - q->v0) * v;
  }
  memcpy(corner->rgba, q->rgba, sizeof corner->rgba);
}

void generate_quad(generate_build_t *b, const generate_quad_t *quad, uint32_t triangles) {
  uint32_t rows = (uint32_t)sqrt(triangles / 2.0);
  rows = rows ? rows : 1;
  uint32_t columns = (triangles + 2 * rows - 1) / (2 * rows);
  add_grid(b, columns, rows, triangles, false, quad_point, quad, 0);
}

void generate_triangle(generate_build_t *b, const double corner[3][2]) {
  uint32_t v[3] = {0};
  if (b->failed) {
    return;
  }
  frame_cmd_t *cmd = &b->frame->commands[b->frame->command_count - 1];
  for (uint32_t k = 0; k < 3; k++) {
    v[k] = place(b, &(generate_corner_t){
                        .x = corner[k][0], .y = corner[k][1], .w = 1, .rgba = {1, 1, 1, 1}});
  }
  if (!b->failed) {
    add_triangle(b, v, cmd->triangles_in++, false);
    cmd->indices += 3;
    cmd->vertices_in += 3;
  }
}
