// SPDX-License-Identifier: Apache-2.0
// Shapes of a generated frame in space: the camera, the height field, what stands on it, its light.
#include "generate_scene_internal.h"

#include "generate_math.h"

#define GROUND_HEIGHT 0.7

double scene_ground_height(const scene_t *s, double x, double z) {
  return GROUND_HEIGHT * (2 * generate_noise(x * 0.13, z * 0.13, 0, s->ground_seed) +
                          0.5 * generate_noise(x * 0.6, z * 0.6, 0, s->ground_seed + 1) - 1.25);
}

static void project(const camera_t *c, point_t p, generate_corner_t *corner) {
  if (c->from_above) {
    corner->w = 1;
    corner->x = p.x;
    corner->y = p.z;
    corner->d = 0.5 - p.y / 4000;
    return;
  }
  corner->w = p.z;
  corner->x = c->width / 2 * p.z + c->focus * p.x;
  corner->y = c->horizon * p.z + c->focus * (SCENE_EYE - p.y);
  corner->d = (p.z - SCENE_NEAR) * (SCENE_FAR / (SCENE_FAR - SCENE_NEAR));
}

// Column-major, eye to clip, as OpenGL has it: the eye looks along -z, y upwards.
void scene_fill_projection(const camera_t *c, frame_state_t *state) {
  float *m = state->projection;
  m[0] = (float)(2 * c->focus / c->width);
  m[5] = (float)(2 * c->focus / c->height);
  m[9] = (float)-(1 - 2 * c->horizon / c->height);
  m[10] = (float)(-(SCENE_FAR + SCENE_NEAR) / (SCENE_FAR - SCENE_NEAR));
  m[11] = -1;
  m[14] = (float)(-2 * SCENE_FAR * SCENE_NEAR / (SCENE_FAR - SCENE_NEAR));
}

// A corner's colour: lit by a sun, dimmed into the fog.
static void shade(const shape_t *s, point_t p, point_t normal, generate_corner_t *corner) {
  double light =
      0.42 + 0.58 * generate_clamp(0.45 * normal.x + 0.7 * normal.y - 0.55 * normal.z, 0, 1);
  double clear = s->camera->from_above ? 1 : generate_exp2(-p.z * 0.02);
  const double *fog = s->scene->game->fog;
  for (int i = 0; i < 3; i++) {
    corner->rgba[i] = generate_clamp(fog[i] + (s->color[i] * light - fog[i]) * clear, 0, 1);
  }
  corner->rgba[3] = 1;
}

static void ground_point(const shape_t *s, double u, double v, generate_corner_t *corner) {
  const camera_t *c = s->camera;
  double along = u / s->whole;
  double px = s->x0 + (s->x1 - s->x0) * along, py = s->y0 + (s->y1 - s->y0) * v;
  point_t p = {.z = c->focus * SCENE_EYE / (py - c->horizon)};
  p.x = (px - c->width / 2) * p.z / c->focus;
  double level = scene_ground_height(s->scene, p.x, p.z);
  // Triangles that fill no column hang below the next patch, so that no hole shows.
  p.y = along > 1.000001 ? level - 0.4 : level;
  const double step = 0.25;
  double dx = scene_ground_height(s->scene, p.x + step, p.z) - level;
  double dz = scene_ground_height(s->scene, p.x, p.z + step) - level;
  double scale = 1 / sqrt(dx * dx + dz * dz + step * step);
  project(c, p, corner);
  shade(s, p, (point_t){-dx * scale, step * scale, -dz * scale}, corner);
  corner->uv[0][0] = p.x * 0.25;
  corner->uv[0][1] = p.z * 0.25;
  corner->uv[1][0] = p.x * 0.03;
  corner->uv[1][1] = p.z * 0.03;
}

static void shape_point(const void *self, double u, double v, generate_corner_t *corner) {
  const shape_t *s = self;
  if (s->kind == ShapeGround) {
    ground_point(s, u, v, corner);
    return;
  }
  point_t d, n;
  if (s->kind == ShapeCard) {
    d = (point_t){2 * u - 1, 1 - 2 * v, 0};
    n = (point_t){0.3 * d.x, 0.4, -0.85};
  } else {
    // u about the vertical from the far side, v from top to bottom.
    double ring = generate_sin(v / 2);
    d = (point_t){-ring * generate_sin(u), generate_cos(v / 2), ring * generate_cos(u)};
    n = d;
    double scale = 1;
    if (s->kind == ShapeBox) {
      double ax = fabs(d.x), ay = fabs(d.y), az = fabs(d.z);
      double most = ax > ay ? (ax > az ? ax : az) : (ay > az ? ay : az);
      scale = 1 / most;
      n = most == ay   ? (point_t){0, d.y > 0 ? 1 : -1, 0}
          : most == ax ? (point_t){d.x > 0 ? 1 : -1, 0, 0}
                       : (point_t){0, 0, d.z > 0 ? 1 : -1};
    } else if (s->kind == ShapePillar) {
      double around = ring > fabs(d.y) ? ring : fabs(d.y);
      scale = 1 / around;
    }
    if (s->bump > 0) {
      uint32_t lobes = 3 + s->seed % 3;
      scale *= 1 + s->bump * (generate_sin(lobes * u + (s->seed >> 8 & 255) / 256.0) *
                                  generate_sin((2 + (s->seed >> 4 & 1)) * v) +
                              0.5 * generate_sin(7 * u) * generate_sin(5 * v / 2));
    }
    d = (point_t){d.x * scale, d.y * scale, d.z * scale};
  }
  double cosine = generate_cos(s->turn), sine = generate_sin(s->turn);
  double lx = d.x * s->radius.x, lz = d.z * s->radius.z;
  point_t p = {s->centre.x + lx * cosine - lz * sine, s->centre.y + d.y * s->radius.y,
               s->centre.z + lx * sine + lz * cosine};
  point_t turned = {n.x * cosine - n.z * sine, n.y, n.x * sine + n.z * cosine};
  project(s->camera, p, corner);
  shade(s, p, turned, corner);
  corner->uv[0][0] = u * s->texels;
  corner->uv[0][1] = v * s->texels;
  corner->uv[1][0] = u;
  corner->uv[1][1] = v;
  if (s->kind == ShapeCard && s->texels < 2) {
    corner->uv[0][0] = u;
    corner->uv[0][1] = v;
  }
}

// Chooses a grid of at least `triangles` for the shape and draws it.
void scene_draw_shape(scene_t *s, shape_t *shape, uint32_t triangles) {
  bool closed = shape->kind < ShapeCard;
  uint32_t rows = (uint32_t)sqrt(closed ? triangles / 4.0 : triangles / 2.0);
  uint32_t least = closed ? 2 : 1;
  rows = rows > least ? rows : least;
  uint32_t columns = (triangles + 2 * rows - 1) / (2 * rows);
  shape->whole = (double)(triangles / (2 * rows)) / columns;
  generate_grid(&s->b, columns, rows, triangles, closed || shape->kind == ShapeGround, shape_point,
                shape);
}
