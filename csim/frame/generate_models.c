// SPDX-License-Identifier: Apache-2.0
// Models are made of parts, each a grid over a surface in space (x to the right, y up, z away from
// the viewer). docs/model/workloads.md says what they stand for.
#include "generate_models.h"

#include <stdlib.h>

#include "generate_math.h"

typedef struct {
  double x, y, z;
} vec_t;

typedef enum {
  PartBall,     // radii `size`, with bumps
  PartPlane,    // corner `at`, sides `size` and `other`
  PartColumn,   // upright, radius size.x, height size.y
  PartVault,    // half a tube along z, seen from inside: radius size.x, length size.z
  PartArch,     // half a ring over z: radius size.z, its tube's size.x
  PartRevolve,  // a quarter of the teapot's body
  PartTube,     // half of a piece of its handle or spout
  PartFace,     // half a shell of radii `size` that bulges towards -z, with nose, mouth and eyes
} part_kind_e;

typedef struct {
  uint8_t kind;     // part_kind_e
  uint8_t quarter;  // of PartRevolve; PartTube: side
  bool inside;      // seen from inside
  uint16_t columns, rows;
  vec_t at, size, other;
  double bump, texels;         // how often the texture repeats along u
  const double (*profile)[2];  // PartRevolve: radius and height
  const double (*pieces)[5];   // PartTube: x and height of both edges, half width
  double color[3];
} part_t;

typedef struct {
  double sine, cosine;            // of the camera's turn
  double tilt_sine, tilt_cosine;  // and of its height
  double distance, focus, width, height;
  vec_t centre;
  double alpha;
} camera_t;

typedef struct {
  const part_t *part;
  const camera_t *camera;
  bool turned;  // u runs backwards, so that the visible side turns clockwise
} shape_t;

static const double Near = 0.1, Far = 100;

static vec_t plus(vec_t a, vec_t b, double by) {
  return (vec_t){a.x + b.x * by, a.y + b.y * by, a.z + b.z * by};
}

static double dot(vec_t a, vec_t b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static vec_t cross(vec_t a, vec_t b) {
  return (vec_t){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// ---- Newell's teapot (1975): Bezier patches, z of the published points is our y

static const double Profiles[6][4][2] = {
    {{1.4, 2.4}, {1.3375, 2.53125}, {1.4375, 2.53125}, {1.5, 2.4}},  // rim
    {{1.5, 2.4}, {1.75, 1.875}, {2, 1.35}, {2, 0.9}},                // body
    {{2, 0.9}, {2, 0.45}, {1.5, 0.225}, {1.5, 0.15}},
    {{0, 3.15}, {0.8, 3.15}, {0, 2.85}, {0.2, 2.7}},  // lid
    {{0.2, 2.7}, {0.4, 2.55}, {1.3, 2.55}, {1.3, 2.4}},
    {{0, 0}, {1.425, 0}, {1.5, 0.075}, {1.5, 0.15}},  // bottom
};
static const double Handle[7][5] = {
    {-1.6, 2.025, -1.5, 2.25, 0.3}, {-2.3, 2.025, -2.5, 2.25, 0.3},
    {-2.7, 2.025, -3, 2.25, 0.3},   {-2.7, 1.8, -3, 1.8, 0.3},
    {-2.7, 1.575, -3, 1.35, 0.3},   {-2.5, 1.125, -2.65, 0.9375, 0.3},
    {-2, 0.9, -1.9, 0.6, 0.3},
};
static const double Spout[7][5] = {
    {1.7, 1.425, 1.7, 0.6, 0.66},       {2.6, 1.425, 3.1, 0.825, 0.66},
    {2.3, 2.1, 2.4, 2.025, 0.25},       {2.7, 2.4, 3.3, 2.4, 0.25},
    {2.8, 2.475, 3.525, 2.49375, 0.25}, {2.9, 2.475, 3.45, 2.5125, 0.15},
    {2.8, 2.4, 3.2, 2.4, 0.15},
};

static double bezier(double a, double b, double c, double d, double t) {
  double s = 1 - t;
  return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

static vec_t revolve(const part_t *p, double u, double v) {
  const double(*f)[2] = p->profile;
  double r = bezier(f[0][0], f[1][0], f[2][0], f[3][0], v);
  double a = r * bezier(1, 1, 0.56, 0, u), b = r * bezier(0, 0.56, 1, 1, u);
  double y = bezier(f[0][1], f[1][1], f[2][1], f[3][1], v);
  switch (p->quarter) {
    case 0: return (vec_t){a, y, b};
    case 1: return (vec_t){-b, y, a};
    case 2: return (vec_t){-a, y, -b};
    default: return (vec_t){b, y, -a};
  }
}

static vec_t tube(const part_t *p, double u, double v) {
  const double(*f)[5] = p->pieces;
  double edge[5];
  for (int i = 0; i < 5; i++) {
    edge[i] = bezier(f[0][i], f[1][i], f[2][i], f[3][i], v);
  }
  double side = p->quarter ? 1 : -1;
  return (vec_t){bezier(edge[0], edge[0], edge[2], edge[2], u),
                 bezier(edge[1], edge[1], edge[3], edge[3], u),
                 side * bezier(0, edge[4], edge[4], 0, u)};
}

// ---- Parts

// Returns how much a hill or dent about (x, y) adds at (u, v).
static double hill(double u, double v, double x, double y, double height, double narrow) {
  return height / (1 + narrow * ((u - x) * (u - x) + (v - y) * (v - y)));
}

static vec_t face(const part_t *p, double u, double v) {
  double x = 2 * u - 1, y = 2 * v - 1, side = 1 - 0.8 * y * y;
  double depth = 0.75 * generate_sin(u / 2) * side + hill(x, y, 0, -0.05, 0.35, 30) +
                 hill(x, y, 0, -0.5, 0.12, 40) + hill(x, y, -0.4, 0.3, -0.2, 40) +
                 hill(x, y, 0.4, 0.3, -0.2, 40);
  return (vec_t){p->at.x + p->size.x * x * sqrt(side), p->at.y + p->size.y * y,
                 p->at.z - p->size.z * depth};
}

static vec_t point_of(const part_t *p, double u, double v) {
  vec_t at = p->at;
  switch (p->kind) {
    case PartBall: {
      double ring = generate_sin(v / 2);
      double scale = 1 + p->bump * generate_sin(5 * u) * generate_sin(2 * v);
      return (vec_t){at.x + p->size.x * scale * ring * generate_cos(u),
                     at.y + p->size.y * scale * generate_cos(v / 2),
                     at.z + p->size.z * scale * ring * generate_sin(u)};
    }
    case PartPlane: return plus(plus(at, p->size, u), p->other, v);
    case PartColumn:
      return (vec_t){at.x + p->size.x * generate_cos(u), at.y + p->size.y * v,
                     at.z + p->size.x * generate_sin(u)};
    case PartVault:
      return (vec_t){at.x + p->size.x * generate_cos(u / 2), at.y + p->size.x * generate_sin(u / 2),
                     at.z + p->size.z * v};
    case PartArch: {
      double r = p->size.z + p->size.x * generate_cos(v);
      return (vec_t){at.x + p->size.x * generate_sin(v), at.y + r * generate_sin(u / 2),
                     at.z + r * generate_cos(u / 2)};
    }
    case PartRevolve: return revolve(p, u, v);
    case PartFace: return face(p, u, v);
    default: return tube(p, u, v);
  }
}

// Returns the cross product of the surface's directions, of any length; zero at a pole.
static vec_t across(const part_t *p, double u, double v) {
  const double step = 1e-4;
  double u0 = u > step ? u - step : 0, u1 = u < 1 - step ? u + step : 1;
  double v0 = v > step ? v - step : 0, v1 = v < 1 - step ? v + step : 1;
  return cross(plus(point_of(p, u1, v), point_of(p, u0, v), -1),
               plus(point_of(p, u, v1), point_of(p, u, v0), -1));
}

// Returns a direction that leads out of the part in its middle.
static vec_t outwards(const part_t *p) {
  vec_t middle = point_of(p, 0.5, 0.5);
  switch (p->kind) {
    case PartRevolve: return (vec_t){middle.x, 0.05 * middle.y, middle.z};  // up on the rim
    case PartTube: return (vec_t){0, 0, middle.z};
    case PartColumn: return (vec_t){middle.x - p->at.x, 0, middle.z - p->at.z};
    case PartArch: return (vec_t){0, p->at.y - middle.y, 0};  // the middle is its inner side
    default: return plus(middle, p->at, -1);
  }
}

static void project(const camera_t *c, vec_t world, generate_corner_t *corner) {
  vec_t p = plus(world, c->centre, -1);
  double x = c->cosine * p.x + c->sine * p.z, far = c->cosine * p.z - c->sine * p.x;
  double y = c->tilt_cosine * p.y + c->tilt_sine * far;
  double z = c->tilt_cosine * far - c->tilt_sine * p.y + c->distance;
  corner->w = z;
  corner->x = c->width / 2 * z + c->focus * x;
  corner->y = c->height / 2 * z - c->focus * y;
  corner->d = (z - Near) * (Far / (Far - Near));
}

static void corner_at(const void *self, double u, double v, generate_corner_t *corner) {
  const shape_t *s = self;
  const part_t *p = s->part;
  double along = s->turned ? 1 - u : u;
  vec_t normal = across(p, along, v);
  double length = sqrt(dot(normal, normal)) * (s->turned ? -1 : 1);
  double toward = length != 0 ? dot(normal, (vec_t){0.45, 0.7, -0.55}) / length : 0;
  double light = 0.42 + 0.58 * generate_clamp(toward, 0, 1);
  project(s->camera, point_of(p, along, v), corner);
  for (int i = 0; i < 3; i++) {
    corner->rgba[i] = p->color[i] * light;
  }
  corner->rgba[3] = s->camera->alpha;
  corner->uv[0][0] = corner->uv[1][0] = along * p->texels;
  corner->uv[0][1] = corner->uv[1][1] = v * p->texels * p->rows / p->columns;
}

static void draw_part(generate_build_t *b, const camera_t *camera, const part_t *p, bool cull) {
  // A plane's sides say where it is seen from.
  bool turned = p->kind != PartPlane && (dot(across(p, 0.5, 0.5), outwards(p)) < 0) != p->inside;
  shape_t s = {p, camera, turned};
  generate_grid(b, p->columns, p->rows, 2u * p->columns * p->rows, cull, corner_at, &s);
}

// ---- Models

enum { MostParts = 80 };

typedef struct {
  part_t parts[MostParts];
  uint32_t count;
} model_t;

static void add(model_t *m, part_t part) { m->parts[m->count++] = part; }

static void add_ball(model_t *m, vec_t at, vec_t size, uint16_t columns, uint16_t rows,
                     double bump) {
  add(m, (part_t){.kind = PartBall,
                  .columns = columns,
                  .rows = rows,
                  .at = at,
                  .size = size,
                  .bump = bump,
                  .texels = 2,
                  .color = {0.9, 0.8, 0.65}});
}

static void add_plane(model_t *m, vec_t at, vec_t a, vec_t b, uint16_t columns, uint16_t rows,
                      double texels) {
  add(m, (part_t){.kind = PartPlane,
                  .columns = columns,
                  .rows = rows,
                  .at = at,
                  .size = a,
                  .other = b,
                  .texels = texels,
                  .color = {0.8, 0.8, 0.75}});
}

// A hall of 20 by 6, with two rows of eight columns, arches between them, floor, walls and vault.
static void make_hall(model_t *m) {
  const double color[3] = {0.85, 0.8, 0.7};
  for (uint32_t i = 0; i < 16; i++) {
    vec_t foot = {i % 2 ? 2 : -2, 0, -8.4 + 2.4 * (i / 2)};
    part_t column = {.kind = PartColumn,
                     .columns = 32,
                     .rows = 48,
                     .at = foot,
                     .size = {0.35, 2.6, 0},
                     .texels = 2,
                     .color = {color[0], color[1], color[2]}};
    add(m, column);
    if (i < 14) {
      column.kind = PartArch;
      column.columns = 24;
      column.rows = 12;
      column.at = (vec_t){foot.x, 2.6, foot.z + 1.2};
      column.size = (vec_t){0.25, 0, 1.2};
      column.texels = 6;
      add(m, column);
    }
  }
  add_plane(m, (vec_t){-3, 0, -10}, (vec_t){0, 0, 20}, (vec_t){6, 0, 0}, 60, 48, 20);
  add_plane(m, (vec_t){-3, 0, -10}, (vec_t){0, 4, 0}, (vec_t){0, 0, 20}, 20, 40, 4);
  add_plane(m, (vec_t){3, 0, -10}, (vec_t){0, 0, 20}, (vec_t){0, 4, 0}, 40, 20, 20);
  add_plane(m, (vec_t){-3, 0, -10}, (vec_t){6, 0, 0}, (vec_t){0, 7, 0}, 20, 20, 6);
  add_plane(m, (vec_t){-3, 0, 10}, (vec_t){0, 7, 0}, (vec_t){6, 0, 0}, 20, 20, 7);
  add(m, (part_t){.kind = PartVault,
                  .inside = true,
                  .columns = 60,
                  .rows = 60,
                  .at = {0, 4, -10},
                  .size = {3, 0, 20},
                  .texels = 10,
                  .color = {0.75, 0.72, 0.7}});
}

static void make_cow(model_t *m) {
  add_ball(m, (vec_t){0, 0.3, 0}, (vec_t){0.65, 0.6, 1}, 48, 48, 0.12);
  for (uint32_t i = 0; i < 4; i++) {
    add_ball(m, (vec_t){i % 2 ? 0.35 : -0.35, -0.45, i / 2 ? 0.6 : -0.6}, (vec_t){0.16, 0.5, 0.16},
             12, 13, 0);
  }
}

static void make_cube(model_t *m) {
  static const vec_t Axis[3] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
  for (int i = 0; i < 3; i++) {
    vec_t a = Axis[(i + 1) % 3], b = Axis[(i + 2) % 3];
    add_plane(m, (vec_t){-1, -1, -1}, b, a, 1, 1, 1);
    add_plane(m, plus((vec_t){-1, -1, -1}, Axis[i], 1), a, b, 1, 1, 1);
  }
}

static void make_head(model_t *m) {
  add_ball(m, (vec_t){0, 0, 0}, (vec_t){0.8, 0.75, 0.7}, 22, 14, 0.06);
  add_ball(m, (vec_t){-0.95, 0.15, 0.1}, (vec_t){0.35, 0.4, 0.15}, 8, 8, 0);
  add_ball(m, (vec_t){0.95, 0.15, 0.1}, (vec_t){0.35, 0.4, 0.15}, 8, 8, 0);
  add_ball(m, (vec_t){0, -0.3, -0.55}, (vec_t){0.4, 0.3, 0.35}, 8, 6, 0);
}

static void make_teapot(model_t *m) {
  part_t p = {.columns = 14, .rows = 14, .texels = 1, .color = {0.75, 0.85, 0.95}};
  for (uint32_t i = 0; i < 24; i++) {
    p.kind = PartRevolve;
    p.quarter = (uint8_t)(i % 4);
    p.profile = Profiles[i / 4];
    add(m, p);
  }
  for (uint32_t i = 0; i < 8; i++) {
    p.kind = PartTube;
    p.quarter = (uint8_t)(i % 2);
    p.pieces = (i / 4 ? Spout : Handle) + 3 * (i / 2 % 2);
    add(m, p);
  }
}

static void add_box(model_t *m, vec_t at, vec_t size) {
  vec_t side[3] = {{size.x, 0, 0}, {0, size.y, 0}, {0, 0, size.z}};
  for (int i = 0; i < 3; i++) {
    vec_t a = side[(i + 1) % 3], b = side[(i + 2) % 3];
    add_plane(m, at, b, a, 2, 7, 1);
    add_plane(m, plus(at, side[i], 1), a, b, 2, 7, 1);
  }
}

// A seat on four legs, with two posts and five slats behind it.
static void make_chair(model_t *m) {
  add_box(m, (vec_t){-0.5, 0, -0.5}, (vec_t){1, 0.1, 1});
  for (uint32_t i = 0; i < 4; i++) {
    add_box(m, (vec_t){i % 2 ? 0.38 : -0.48, -0.95, i / 2 ? 0.38 : -0.48}, (vec_t){0.1, 0.95, 0.1});
  }
  for (uint32_t i = 0; i < 2; i++) {
    add_box(m, (vec_t){i ? 0.38 : -0.48, 0.1, 0.38}, (vec_t){0.1, 1, 0.1});
  }
  for (uint32_t i = 0; i < 5; i++) {
    add_box(m, (vec_t){-0.38, 0.2 + 0.18 * i, 0.41}, (vec_t){0.76, 0.1, 0.04});
  }
}

static void make_mask(model_t *m) {
  add(m, (part_t){.kind = PartFace,
                  .columns = 64,
                  .rows = 62,
                  .size = {0.8, 1, 0.8},
                  .texels = 1,
                  .color = {0.9, 0.75, 0.5}});
}

// Two squares of two triangles each, the smaller one before the other.
static void make_triangles(model_t *m) {
  add_plane(m, (vec_t){-1.3, -1, 0.3}, (vec_t){0, 2, 0}, (vec_t){2.6, 0, 0}, 1, 1, 1);
  add_plane(m, (vec_t){-0.9, -0.7, -0.3}, (vec_t){0.3, 1.4, 0}, (vec_t){1.6, 0, 0.4}, 1, 1, 1);
}

// Puts the camera so that the model's bounding sphere fills 80 % of the picture's height, four
// radii away and 20 degrees above; into the hall at the height of an eye.
static void place_camera(camera_t *c, uint32_t model, uint32_t view) {
  static const double Radius[GenerateModels] = {0,   1.2, 1.7320508075688772, 1.3, 1.3,
                                                3.4, 1.2, 1.7320508075688772, 1.1, 1.6};
  static const vec_t Centre[GenerateModels] = {
      {0, 1.5, 0},      {0, 0, 0},    {0, 0, 0}, {0, 0, 0},    {0, 0, 0},
      {0.26, 1.575, 0}, {0, 0.05, 0}, {0, 0, 0}, {0, 0, -0.3}, {0, 0, 0}};
  double turn = view / 360.0, tilt = 0;
  c->centre = Centre[model - 1];
  c->focus = 0.7 * c->width;
  if (model > 1) {
    turn += 25 / 360.0;  // so that no face of the cube is seen from the side
    tilt = 20 / 360.0;
    c->distance = 4 * Radius[model - 1];
    c->focus = 0.4 * c->height * 3.872983346207417;  // square root of 4 * 4 - 1
  }
  c->sine = generate_sin(turn);
  c->cosine = generate_cos(turn);
  c->tilt_sine = generate_sin(tilt);
  c->tilt_cosine = generate_cos(tilt);
}

frame_t *generate_model(uint32_t model, uint32_t width, uint32_t height, const char *name,
                        uint64_t seed, uint32_t view) {
  static void (*const Make[GenerateModels])(model_t *) = {
      make_hall,   make_cow,   make_cube, make_head, make_head,
      make_teapot, make_chair, make_cube, make_mask, make_triangles};
  // GenerateTextureCount: none.
  static const generate_texture_e Texture[GenerateModels] = {
      GenerateTextureBricks,  GenerateTexturePlaster, GenerateTextureTiles, GenerateTextureBark,
      GenerateTextureCloth,   GenerateTextureStone,   GenerateTextureBark,  GenerateTextureCount,
      GenerateTexturePlaster, GenerateTextureCount};
  generate_build_t b;
  model_t m = {.count = 0};
  camera_t camera = {.width = width, .height = height, .alpha = model == 5 ? 0.5 : 1};
  if (!generate_begin(&b, name, seed, 0)) {
    return generate_end(&b);
  }
  uint16_t target = generate_target(&b, width, height), depth = generate_depth(&b, width, height);
  frame_state_t state = generate_state(&b, target, depth);
  frame_cmd_t *clear = generate_command(&b, FrameCmdClear, &state);
  if (Texture[model - 1] != GenerateTextureCount) {
    uint16_t texture = generate_texture(&b, Texture[model - 1], 512);
    generate_stage(&state, 0, texture, 0, FrameCombineModulate);
  }
  if (model == 5) {
    generate_blend(&state, FrameFactorSrcAlpha, FrameFactorOneMinusSrcAlpha, FrameFactorOne,
                   FrameFactorOneMinusSrcAlpha);
  }
  if (clear) {
    clear->clear_color = clear->clear_depth = true;
    clear->clear_rgba = 0xff403020;
    clear->clear_z = FrameMaxDepth;
  }
  frame_cmd_t *draw = generate_command(&b, FrameCmdDraw, &state);
  if (draw) {
    draw->vertex_length = 20;
    draw->fragment_length = 24;
  }
  Make[model - 1](&m);
  place_camera(&camera, model, view);
  for (uint32_t i = 0; i < m.count && !b.failed; i++) {
    draw_part(&b, &camera, &m.parts[i], model != 5 && model != GenerateModels);
  }
  return generate_end(&b);
}
