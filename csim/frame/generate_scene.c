// A generated game frame:
//
//   shadow maps | reflections += g->layers| second buffer | the screen: its large groups, each
//   followed by some small ones | passes over the picture | panels
//
// Everything stands on one height field, seen by a camera that looks along z. Objects
// are placed by where their feet fall on the screen, so that they spread over it at any
// depth, and are given an area in pixels, which fixes their size in space.
#include "generate_scene.h"

#include <stdlib.h>
#include <string.h>

#include "generate_math.h"

// The scene's units are metres.
#define EYE 3.0
#define FAR 400.0
#define DEPTH_NEAR 0.5
#define GROUND_FAR 110.0
#define GROUND_HEIGHT 0.7

typedef struct {
  const generate_game_t *game;
  uint32_t width, height;
  generate_build_t b;
  uint16_t textures[GenerateTextureCount];
  uint16_t reflection, bloom, buffer;           // targets
  uint16_t screen_depth, reflection_depth, buffer_depth, shadow_depth;
  uint32_t ground_seed;
  uint8_t func;  // of the last opaque group: the next takes the other one
  uint32_t small_left, small_at;
  uint32_t *small_sizes;  // triangles of each draw of the small groups
  uint32_t *small_draws;  // draws of each small group
  uint8_t last_small;
  double spread_x, spread_y;  // where the next object stands, 0 to 1
} scene_t;

// From scene to pixels of a target.
typedef struct {
  bool from_above;        // parallel, for shadow maps
  double width, height;   // of the target
  double focus;           // pixels
  double horizon;         // pixels
} camera_t;

typedef struct {
  double x, y, z;
} point_t;

// --- numbers

// Splits a total into shares in proportion to weights, each between least and most.
// The total must lie between count x least and count x most.
static void apportion(uint32_t total, const double *weights, uint32_t count, uint32_t least,
                      uint32_t most, uint32_t *shares) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    sum += weights[i];
  }
  uint32_t left = total - count * least;
  double spare = left;
  for (uint32_t i = 0; i < count; i++) {
    double want = floor(spare * (weights[i] / sum));
    double room = most - least;
    uint32_t given = (uint32_t)(want < room ? want : room);
    given = given < left ? given : left;
    shares[i] = least + given;
    left -= given;
  }
  // What the limits cut off goes to the rest, an eighth more each in turn.
  while (left > 0) {
    for (uint32_t i = 0; i < count && left > 0; i++) {
      uint32_t more = shares[i] / 8 + 1;
      more = more < most - shares[i] ? more : most - shares[i];
      more = more < left ? more : left;
      shares[i] += more;
      left -= more;
    }
  }
}

static uint32_t program_length(rng_t *rng, uint32_t low, uint32_t high) {
  return low + rng_below(rng, high - low + 1);
}

// --- the scene in space

static double ground_height(const scene_t *s, double x, double z) {
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
  corner->y = c->horizon * p.z + c->focus * (EYE - p.y);
  corner->d = (p.z - DEPTH_NEAR) * (FAR / (FAR - DEPTH_NEAR));
}

// Column-major, eye to clip, as OpenGL has it: the eye looks along -z, y upwards.
static void fill_projection(const camera_t *c, frame_state_t *state) {
  float *m = state->projection;
  m[0] = (float)(2 * c->focus / c->width);
  m[5] = (float)(2 * c->focus / c->height);
  m[9] = (float)-(1 - 2 * c->horizon / c->height);
  m[10] = (float)(-(FAR + DEPTH_NEAR) / (FAR - DEPTH_NEAR));
  m[11] = -1;
  m[14] = (float)(-2 * FAR * DEPTH_NEAR / (FAR - DEPTH_NEAR));
}

typedef enum { ShapeBall, ShapeBox, ShapePillar, ShapeCard, ShapeGround } shape_e;

typedef struct {
  const scene_t *scene;
  const camera_t *camera;
  shape_e kind;
  point_t centre, radius;
  double turn;          // about the vertical, in turns
  double bump;          // of the radius
  uint32_t seed;
  double color[3];
  double texels;        // repeats of the texture about it
  // ground: the patch in pixels
  double x0, x1, y0, y1, whole;  // whole: u at which the patch ends and its skirt begins
} shape_t;

// A corner's colour: lit by a sun, dimmed into the fog.
static void shade(const shape_t *s, point_t p, point_t normal, generate_corner_t *corner) {
  double light = 0.42 + 0.58 * generate_clamp(0.45 * normal.x + 0.7 * normal.y - 0.55 * normal.z,
                                              0, 1);
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
  point_t p = {.z = c->focus * EYE / (py - c->horizon)};
  p.x = (px - c->width / 2) * p.z / c->focus;
  double level = ground_height(s->scene, p.x, p.z);
  // Triangles that fill no column hang below the next patch, so that no hole shows.
  p.y = along > 1.000001 ? level - 0.4 : level;
  const double step = 0.25;
  double dx = ground_height(s->scene, p.x + step, p.z) - level;
  double dz = ground_height(s->scene, p.x, p.z + step) - level;
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
static void draw_shape(scene_t *s, shape_t *shape, uint32_t triangles) {
  bool closed = shape->kind < ShapeCard;
  uint32_t rows = (uint32_t)sqrt(closed ? triangles / 4.0 : triangles / 2.0);
  uint32_t least = closed ? 2 : 1;
  rows = rows > least ? rows : least;
  uint32_t columns = (triangles + 2 * rows - 1) / (2 * rows);
  shape->whole = (double)(triangles / (2 * rows)) / columns;
  generate_grid(&s->b, columns, rows, triangles, closed || shape->kind == ShapeGround, shape_point,
                shape);
}

// --- states

static void texture_stages(scene_t *s, frame_state_t *state, generate_texture_e kind) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  generate_stage(state, 0, s->textures[kind], 0, FrameCombineModulate);
  if (rng_chance(rng, g->anisotropic)) {
    state->stages[0].max_anisotropy = (uint8_t)g->anisotropy;
  }
  if (rng_chance(rng, g->two_stages)) {
    bool light = rng_chance(rng, 500);
    generate_stage(state, 1, s->textures[light ? GenerateTextureLight : GenerateTextureDetail],
                   light, FrameCombineModulate2x);
  }
}

static generate_texture_e any_surface(rng_t *rng) {
  static const generate_texture_e kinds[] = {
    GenerateTextureStone, GenerateTextureBricks, GenerateTextureMetal, GenerateTexturePlaster,
    GenerateTextureBark,  GenerateTextureTiles,  GenerateTextureCloth,
  };
  return kinds[rng_below(rng, sizeof kinds / sizeof *kinds)];
}

static frame_cmd_t *begin_draw(scene_t *s, const frame_state_t *state, bool depth_only) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  frame_cmd_t *c = generate_command(&s->b, FrameCmdDraw, state);
  if (c) {
    c->vertex_length = program_length(rng, g->vertex_low, g->vertex_high);
    c->fragment_length = program_length(rng, g->fragment_low, g->fragment_high);
    if (depth_only) {
      // Position only, and nothing to shade.
      c->vertex_length = c->vertex_length / 3 + 4;
      c->fragment_length = 1;
    }
  }
  return c;
}

static void clear(scene_t *s, uint16_t target, uint16_t depth) {
  frame_state_t state = generate_state(&s->b, target, depth);
  frame_cmd_t *c = generate_command(&s->b, FrameCmdClear, &state);
  if (c) {
    c->clear_color = target != FrameNone;
    c->clear_depth = depth != FrameNone;
    c->clear_rgba = 0xff000000;
    c->clear_z = FrameMaxDepth;
  }
}

// --- large groups

// What is decided of a draw before the draws are put in order.
typedef struct {
  shape_t shape;
  uint32_t triangles, index;
  double key;  // order
  uint8_t texture;
  bool alpha_test;
} placement_t;

static int compare_placements(const void *a, const void *b) {
  const placement_t *p = a, *q = b;
  if (p->key != q->key) {
    return p->key < q->key ? -1 : 1;
  }
  return p->index < q->index ? -1 : p->index > q->index;
}

static int compare_depth(const void *a, const void *b) {
  const placement_t *p = a, *q = b;
  if (p->shape.centre.z != q->shape.centre.z) {
    return p->shape.centre.z < q->shape.centre.z ? -1 : 1;
  }
  return p->index < q->index ? -1 : p->index > q->index;
}

// The ground before the camera, cut into patches that are equal on the screen.
static void plan_ground(scene_t *s, const camera_t *camera, placement_t *plans, uint32_t count) {
  double bottom = camera->height * 1.12;
  double top = camera->horizon + camera->focus * EYE / GROUND_FAR;
  uint32_t rows = (uint32_t)sqrt(count * 0.6);
  rows = rows ? rows : 1;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t row = i * rows / count;
    uint32_t first = (row * count + rows - 1) / rows, after = ((row + 1) * count + rows - 1) / rows;
    double width = camera->width * 1.2, columns = after - first;
    placement_t *p = &plans[i];
    p->shape = (shape_t){.scene = s, .camera = camera, .kind = ShapeGround};
    p->shape.x0 = -0.1 * camera->width + width * (i - first) / columns;
    p->shape.x1 = -0.1 * camera->width + width * (i - first + 1) / columns;
    p->shape.y0 = top + (bottom - top) * row / rows;
    p->shape.y1 = top + (bottom - top) * (row + 1) / rows;
    p->shape.centre.z = camera->focus * EYE / ((p->shape.y0 + p->shape.y1) / 2 - camera->horizon);
    for (int k = 0; k < 3; k++) {
      p->shape.color[k] = s->game->tint[k] * 0.85;
    }
    p->texture = (uint8_t)s->game->ground;
  }
}

// Hills, or house fronts, round the end of the ground, side by side.
static void plan_hills(scene_t *s, const camera_t *camera, placement_t *plans, uint32_t count) {
  rng_t *rng = &s->b.rng;
  double z = GROUND_FAR, metre = z / camera->focus;
  for (uint32_t i = 0; i < count; i++) {
    double width = camera->width * 1.1 / count;
    double px = -0.05 * camera->width + width * (i + 0.5);
    double high = camera->horizon * generate_between(rng, 0.35, 0.8);
    shape_t *o = &plans[i].shape;
    *o = (shape_t){.scene = s, .camera = camera, .kind = ShapeCard, .texels = 2};
    o->radius = (point_t){width / 2 * metre, high / 2 * metre + 4, 1};
    o->centre = (point_t){(px - camera->width / 2) * metre, o->radius.y - 4, z};
    for (int k = 0; k < 3; k++) {
      o->color[k] = s->game->tint[k] * generate_between(rng, 0.5, 0.8);
    }
    plans[i].texture = (uint8_t)any_surface(rng);
  }
}

// How far below the horizon the feet of objects may be, over the height of the picture.
typedef struct {
  double far, near;
} band_t;

// Something that stands on the ground, of an area in pixels.
static void plan_object(scene_t *s, const camera_t *camera, placement_t *p, double area, bool flat,
                        bool leaves, band_t band) {
  rng_t *rng = &s->b.rng;
  shape_t *o = &p->shape;
  *o = (shape_t){.scene = s, .camera = camera, .seed = (uint32_t)rng_u64(rng)};
  o->kind = flat || leaves || p->triangles < 12 ? ShapeCard : (shape_e)rng_below(rng, 3);
  double tall = flat ? generate_between(rng, 0.4, 1.4) : generate_between(rng, 0.6, 2.2);
  // Boxes fill their outline; balls pi / 4 of it.
  double rx = sqrt(area / (4 * tall)), ry = tall * rx;
  // A sequence that fills the unit square evenly, so that little hides little.
  s->spread_x += 0.7548776662466927;
  s->spread_y += 0.5698402909980532;
  s->spread_x -= floor(s->spread_x);
  s->spread_y -= floor(s->spread_y);
  double px = (1.08 * s->spread_x - 0.04) * camera->width;
  if (rng_chance(rng, s->game->off_screen)) {
    px = camera->width * (rng_chance(rng, 500) ? -1.0 : 2.0);
  }
  if (camera->from_above) {
    o->centre = (point_t){px, generate_between(rng, 0, 400),
                          (1.04 * s->spread_y - 0.02) * camera->height};
    o->radius = (point_t){rx, generate_between(rng, 10, 60), ry};
    if (o->kind == ShapeCard) {
      // A card lies on the ground there.
      o->kind = p->triangles < 12 ? ShapeCard : ShapePillar;
    }
  } else {
    double down = band.far + (band.near - band.far) * s->spread_y * (flat ? 0.5 : 1);
    double z = camera->focus * EYE / (down * camera->height);
    double metre = z / camera->focus;
    o->radius = (point_t){rx * metre, ry * metre, rx * metre * generate_between(rng, 0.6, 1)};
    o->centre = (point_t){(px - camera->width / 2) * metre, 0, z};
    o->centre.y = ground_height(s, o->centre.x, z) + o->radius.y * 0.9;
    // Some things hang or fly: crowns, lamps, signs.
    if (rng_chance(rng, 150)) {
      o->centre.y += generate_between(rng, 0, 0.55) * camera->height * metre * 0.6;
    }
  }
  o->turn = generate_between(rng, -0.08, 0.08);
  o->bump = o->kind == ShapeBall ? generate_between(rng, 0, 0.25) : 0;
  double bright = generate_between(rng, 0.55, 1.0);
  for (int k = 0; k < 3; k++) {
    o->color[k] = s->game->tint[k] * bright * generate_between(rng, 0.8, 1.05);
  }
  o->texels = leaves ? 1 : flat ? 3 : 2;
  p->texture = (uint8_t)(leaves ? GenerateTextureLeaves : any_surface(rng));
  p->alpha_test = leaves;
}

static void plan_objects(scene_t *s, const camera_t *camera, const generate_layer_t *layer,
                         placement_t *plans, uint32_t count, band_t band) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  double *areas = calloc(count ? count : 1, sizeof *areas);
  bool *flat = calloc(count ? count : 1, sizeof *flat);
  if (!areas || !flat) {
    s->b.failed = true;
    free(areas);
    free(flat);
    return;
  }
  // A draw's area follows its triangles; a facade's does not.
  double sums[2] = {0, 0};
  for (uint32_t i = 0; i < count; i++) {
    flat[i] = rng_chance(rng, g->flat);
    double by_size = flat[i] ? 1 : sqrt((double)plans[i].triangles);
    areas[i] = by_size * generate_lognormal(rng, 0.9);
    sums[flat[i]] += areas[i];
  }
  double screen = camera->width * camera->height, whole = screen * layer->area / 100;
  double flat_part = sums[1] > 0 && sums[0] > 0 ? 0.2 + g->flat / 1500.0 : sums[1] > 0;
  for (uint32_t i = 0; i < count && !s->b.failed; i++) {
    double part = flat[i] ? flat_part : 1 - flat_part;
    double area = generate_clamp(whole * part * areas[i] / sums[flat[i]], 4, screen * 0.12);
    bool leaves = layer->kind == GenerateLayerFoliage && rng_chance(rng, 500) &&
                  rng_chance(rng, 2 * g->alpha_tested);
    plan_object(s, camera, &plans[i], area, flat[i], leaves, band);
  }
  free(areas);
  free(flat);
}

// Smoke and sparks: sprites, over.
static void draw_particles(scene_t *s, const generate_layer_t *layer, const uint32_t *sizes,
                           uint32_t count) {
  rng_t *rng = &s->b.rng;
  frame_state_t state = generate_state(&s->b, 0, s->screen_depth);
  state.depth_test = 0;
  generate_blend(&state, FrameFactorSrcAlpha, FrameFactorOneMinusSrcAlpha, FrameFactorOne,
                 FrameFactorOneMinusSrcAlpha);
  generate_stage(&state, 0, s->textures[GenerateTextureSprite], 0, FrameCombineModulate);
  double total = 0;
  for (uint32_t i = 0; i < count; i++) {
    total += sizes[i];
  }
  double each = (double)s->width * s->height * layer->area / 100 / (total / 2);
  for (uint32_t i = 0; i < count; i++) {
    begin_draw(s, &state, false);
    double cx = generate_uniform(rng) * s->width;
    double cy = generate_between(rng, 0.35, 0.75) * s->height;
    double reach = 0.03 * s->width * generate_between(rng, 0.5, 1.5);
    for (uint32_t left = sizes[i]; left > 0; left -= left < 2 ? left : 2) {
      double side = sqrt(each) * generate_between(rng, 0.6, 1.3);
      double x = cx + reach * generate_normal(rng), y = cy + reach * generate_normal(rng);
      double hot = generate_between(rng, 0.05, 0.3);
      generate_quad(&s->b, &(generate_quad_t){x, y, x + side, y + side, 0.5, 0, 0, 1, 1,
                                              {hot, 0.9 * hot, 0.8 * hot, 0.7 * hot}},
                    left < 2 ? left : 2);
    }
  }
}

// On the screen every group stands before the last one.
static band_t band_of(const generate_game_t *g, const generate_layer_t *layer) {
  if (layer->kind < GenerateLayerWorld) {
    return (band_t){0.03, 0.6};
  }
  double rank = 0, count = 0;
  for (const generate_layer_t *l = g->layers; l->kind != GenerateLayerEnd; l++) {
    if (l->kind >= GenerateLayerWorld && l->kind != GenerateLayerParticles) {
      rank += l < layer;
      count++;
    }
  }
  double far = 0.03 + 0.5 * rank / count;
  return (band_t){far, far + 0.12 + 0.3 / count};
}

static void draw_layer(scene_t *s, const generate_layer_t *layer, uint32_t triangles,
                       uint32_t count) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  double *weights = calloc(count, sizeof *weights);
  uint32_t *sizes = calloc(count, sizeof *sizes);
  placement_t *plans = calloc(count, sizeof *plans);
  if (!weights || !sizes || !plans) {
    s->b.failed = true;
    free(weights);
    free(sizes);
    free(plans);
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    weights[i] = generate_lognormal(rng, g->size_sigma / 100.0);
  }
  uint32_t most = triangles / count * 6 + 6000;
  apportion(triangles, weights, count, 2, most, sizes);
  free(weights);
  if (layer->kind == GenerateLayerParticles) {
    draw_particles(s, layer, sizes, count);
    free(sizes);
    free(plans);
    return;
  }

  camera_t camera = {.width = s->width, .height = s->height};
  uint16_t target = 0, depth = s->screen_depth;
  bool shadow = layer->kind == GenerateLayerShadow;
  if (shadow) {
    camera.from_above = true;
    camera.width = camera.height = g->shadow_side;
    target = FrameNone;
    depth = s->shadow_depth;
  } else if (layer->kind == GenerateLayerReflection) {
    target = s->reflection;
    depth = s->reflection_depth;
  } else if (layer->kind == GenerateLayerBuffer) {
    target = s->buffer;
    depth = s->buffer_depth;
  }
  camera.focus = 0.9 * camera.width;
  camera.horizon = camera.height * g->horizon / 1000;
  for (uint32_t i = 0; i < count; i++) {
    plans[i].triangles = sizes[i];
    plans[i].index = i;
  }
  uint32_t ground = count * layer->ground / 1000, hills = ground / 4;
  plan_ground(s, &camera, plans, ground - hills);
  plan_hills(s, &camera, plans + (ground - hills), hills);
  plan_objects(s, &camera, layer, plans + ground, count - ground, band_of(g, layer));

  // Front to back, each rank moved by some part of the group.
  placement_t *objects = plans + ground;
  qsort(objects, count - ground, sizeof *objects, compare_depth);
  for (uint32_t i = 0; i < count - ground; i++) {
    objects[i].key = (double)i * g->order + generate_uniform(rng) * count * (1000 - g->order);
  }
  qsort(objects, count - ground, sizeof *objects, compare_placements);

  frame_state_t state = generate_state(&s->b, target, depth);
  s->func = s->func == FrameFuncLess ? FrameFuncLessEqual : FrameFuncLess;
  state.depth_func = s->func;
  if (!camera.from_above) {
    fill_projection(&camera, &state);
  }
  for (uint32_t i = 0; i < count && !s->b.failed; i++) {
    frame_state_t own = state;
    if (!shadow) {
      texture_stages(s, &own, plans[i].texture);
    }
    if (plans[i].alpha_test && !shadow) {
      own.alpha_test = 1;
      own.alpha_func = FrameFuncGreaterEqual;
      own.alpha_ref = 128;
    }
    begin_draw(s, &own, shadow);
    draw_shape(s, &plans[i].shape, plans[i].triangles);
  }
  free(sizes);
  free(plans);
}

// --- small groups

typedef enum {
  SmallDecals,  // over, depth-tested
  SmallGlow,    // additive, depth-tested
  SmallProps,   // opaque, depth-written: things in the hand, late objects
  SmallShade,   // multiply: blob shadows
  SmallLights,  // additive, no depth test
  SmallKinds,
} small_e;

static void small_state(scene_t *s, small_e kind, frame_state_t *state) {
  rng_t *rng = &s->b.rng;
  *state = generate_state(&s->b, 0, s->screen_depth);
  state->depth_func = FrameFuncLessEqual;
  switch (kind) {
    case SmallDecals:
      generate_blend(state, FrameFactorSrcAlpha, FrameFactorOneMinusSrcAlpha, FrameFactorOne,
                     FrameFactorOneMinusSrcAlpha);
      generate_stage(state, 0, s->textures[GenerateTextureSprite], 0, FrameCombineModulate);
      break;
    case SmallGlow:
    case SmallLights:
      generate_blend(state, FrameFactorSrcAlpha, FrameFactorOne, FrameFactorSrcAlpha,
                     FrameFactorOne);
      generate_stage(state, 0, s->textures[GenerateTextureSprite], 0, FrameCombineModulate);
      state->depth_test = kind == SmallGlow;
      break;
    case SmallShade:
      generate_blend(state, FrameFactorDstColor, FrameFactorZero, FrameFactorDstAlpha,
                     FrameFactorZero);
      generate_stage(state, 0, s->textures[GenerateTextureLight], 0, FrameCombineAdd);
      break;
    default:
      s->func = s->func == FrameFuncLess ? FrameFuncLessEqual : FrameFuncLess;
      state->depth_func = s->func;
      texture_stages(s, state, any_surface(rng));
      break;
  }
}

static void small_colour(rng_t *rng, small_e kind, double rgba[4]) {
  double c = kind == SmallShade    ? generate_between(rng, 0.35, 0.6)
             : kind == SmallLights ? generate_between(rng, 0.03, 0.12)
             : kind == SmallGlow   ? generate_between(rng, 0.1, 0.35)
                                   : generate_between(rng, 0.1, 0.4);
  rgba[0] = c;
  rgba[1] = c * generate_between(rng, 0.8, 1);
  rgba[2] = c * generate_between(rng, 0.6, 1);
  rgba[3] = kind == SmallDecals ? generate_between(rng, 0.2, 0.5) : 0.8;
}

static void draw_small_group(scene_t *s, small_e kind, uint32_t group, double draw_area) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  frame_state_t state;
  small_state(s, kind, &state);
  camera_t camera = {.width = s->width, .height = s->height, .focus = 0.9 * s->width,
                     .horizon = s->height * g->horizon / 1000.0};
  for (uint32_t i = 0; i < s->small_draws[group] && !s->b.failed; i++) {
    uint32_t triangles = s->small_sizes[s->small_at++];
    double area = draw_area * generate_lognormal(rng, 0.8);
    area = area < 0.25 * s->width * s->height ? area : 0.25 * s->width * s->height;
    begin_draw(s, &state, false);
    if (kind == SmallProps) {
      placement_t p = {.triangles = triangles};
      plan_object(s, &camera, &p, area * 0.4, false, false, (band_t){0.3, 0.6});
      draw_shape(s, &p.shape, triangles);
      continue;
    }
    double half = sqrt(area) / 2 * (kind == SmallShade ? 0.7 : 1);
    double x = generate_uniform(rng) * s->width;
    double down = generate_between(rng, 0.04, 0.55);
    double y = camera.horizon + down * s->height;
    double z = camera.focus * EYE / (down * s->height);
    if (kind != SmallShade && kind != SmallDecals) {
      y -= generate_between(rng, 0, 0.35) * s->height;
      z *= generate_between(rng, 0.5, 1);
    }
    double depth = generate_clamp((z - DEPTH_NEAR) * (FAR / (FAR - DEPTH_NEAR)) / z - 0.0004, 0, 1);
    double high = kind == SmallShade || kind == SmallDecals ? 0.5 * half : half;
    generate_quad_t quad = {x - half, y - high, x + half, y + high, depth, 0, 0, 1, 1, {0}};
    small_colour(rng, kind, quad.rgba);
    generate_quad(&s->b, &quad, triangles);
  }
}

// The next `count` small groups, no two of one kind in a row.
static void draw_small_groups(scene_t *s, uint32_t count, double draw_area) {
  for (uint32_t i = 0; i < count && s->small_left > 0; i++) {
    uint32_t step = 1 + rng_below(&s->b.rng, SmallKinds - 1);
    s->last_small = (uint8_t)((s->last_small + step) % SmallKinds);
    uint32_t group = s->game->small_groups - s->small_left--;
    draw_small_group(s, (small_e)s->last_small, group, draw_area);
  }
}

// A pass over a whole target, without depth.
static void draw_pass(scene_t *s, uint16_t target, uint16_t texture, frame_factor_e src,
                      frame_factor_e dst, double grey) {
  frame_state_t state = generate_state(&s->b, target, FrameNone);
  frame_surface_t size = s->b.failed ? (frame_surface_t){1, 1} : s->b.frame->targets[target];
  if (src != FrameFactorOne || dst != FrameFactorZero) {
    generate_blend(&state, src, dst, src == FrameFactorDstColor ? FrameFactorDstAlpha : src, dst);
  }
  generate_stage(&state, 0, texture, 0,
                 src == FrameFactorDstColor ? FrameCombineAdd : FrameCombineModulate);
  begin_draw(s, &state, false);
  generate_quad(&s->b, &(generate_quad_t){0, 0, size.width, size.height, 0.5, 0, 0, 1, 1,
                                          {grey, grey, grey, 1}}, 2);
}

static void draw_sky(scene_t *s, uint16_t target, uint16_t depth) {
  frame_state_t state = generate_state(&s->b, target, depth);
  frame_surface_t size = s->b.failed ? (frame_surface_t){1, 1} : s->b.frame->targets[target];
  state.depth_write = 0;
  state.depth_func = FrameFuncLessEqual;
  generate_stage(&state, 0, s->textures[GenerateTextureSky], 0, FrameCombineModulate);
  begin_draw(s, &state, false);
  const double *fog = s->game->fog;
  generate_quad(&s->b, &(generate_quad_t){0, 0, size.width, size.height, 0.99999, 0, 0, 1, 1,
                                          {0.4 + 0.6 * fog[0], 0.4 + 0.6 * fog[1],
                                           0.4 + 0.6 * fog[2], 1}}, 2);
}

static void draw_panels(scene_t *s, uint32_t first, uint32_t count) {
  rng_t *rng = &s->b.rng;
  frame_state_t state = generate_state(&s->b, 0, FrameNone);
  generate_blend(&state, FrameFactorSrcAlpha, FrameFactorOneMinusSrcAlpha, FrameFactorOne,
                 FrameFactorOneMinusSrcAlpha);
  generate_stage(&state, 0, s->textures[GenerateTexturePanel], 0, FrameCombineModulate);
  for (uint32_t i = 0; i < count; i++) {
    begin_draw(s, &state, false);
    double w = s->width * generate_between(rng, 0.02, 0.1), h = s->height * 0.04;
    double x = (rng_chance(rng, 500) ? 0.02 : 0.85) * s->width + (i % 3) * 0.02 * s->width;
    double y = (rng_chance(rng, 250) ? 0.03 : 0.88) * s->height + (i % 2) * 0.045 * s->height;
    generate_quad(&s->b, &(generate_quad_t){x, y, x + w, y + h, 0, 0, 0, 1, 1,
                                            {0.8, 0.85, 0.9, 0.5}}, s->small_sizes[first + i]);
  }
}

// --- the frame

static void make_surfaces(scene_t *s) {
  const generate_game_t *g = s->game;
  generate_build_t *b = &s->b;
  static const uint16_t sides[GenerateTextureCount] = {
    [GenerateTextureStone] = 256, [GenerateTextureGrass] = 256, [GenerateTextureBricks] = 256,
    [GenerateTextureMetal] = 256, [GenerateTexturePlaster] = 128, [GenerateTextureBark] = 128,
    [GenerateTextureTiles] = 256, [GenerateTextureCloth] = 128, [GenerateTextureLight] = 128,
    [GenerateTextureDetail] = 256, [GenerateTextureLeaves] = 128, [GenerateTextureSprite] = 64,
    [GenerateTextureSky] = 256, [GenerateTexturePanel] = 64,
  };
  generate_target(b, s->width, s->height);
  s->screen_depth = generate_depth(b, s->width, s->height);
  bool has[GenerateLayerParticles + 1] = {false};
  for (uint32_t i = 0; g->layers[i].kind != GenerateLayerEnd; i++) {
    has[g->layers[i].kind] = true;
  }
  s->bloom = generate_target(b, s->width / 4, s->height / 4);
  if (has[GenerateLayerReflection]) {
    s->reflection = generate_target(b, s->width, s->height);
    s->reflection_depth = generate_depth(b, s->width, s->height);
  }
  if (has[GenerateLayerBuffer]) {
    s->buffer = generate_target(b, s->width, s->height);
    s->buffer_depth = generate_depth(b, s->width, s->height);
  }
  if (has[GenerateLayerShadow]) {
    s->shadow_depth = generate_depth(b, g->shadow_side, g->shadow_side);
  }
  for (uint32_t i = 0; i < GenerateTextureCount; i++) {
    s->textures[i] = generate_texture(
        b, (generate_texture_e)i,
        i < GenerateTextureLeaves ? sides[i] << g->texture_shift : sides[i]);
  }
}

// Draws and triangles of each layer and of each small group and draw; panels come last
// among the small draws.
static bool share_out(scene_t *s, uint32_t layers, uint32_t fixed, uint32_t panels,
                      uint32_t *triangles, uint32_t *draws) {
  const generate_game_t *g = s->game;
  rng_t *rng = &s->b.rng;
  uint32_t large = 0;
  double weights[GenerateMostLayers];
  for (uint32_t i = 0; i < layers; i++) {
    triangles[i] = (uint32_t)((uint64_t)g->triangles * g->layers[i].share / 10000);
    large += triangles[i];
    weights[i] = g->layers[i].share * generate_between(rng, 0.7, 1.3);
  }
  uint32_t small = g->draws * g->small_draws / 1000;
  // More draws than any number of GPUs can leave idle, where the frame has them.
  apportion(g->draws - fixed - small, weights, layers, 20, g->draws, draws);

  uint32_t groups = g->small_groups, in_groups = small - panels;
  uint32_t left = g->triangles - large - 2 * fixed - 2 * panels;
  double *random = calloc(small + groups, sizeof *random);
  uint32_t *group_triangles = calloc(groups, sizeof *group_triangles);
  s->small_sizes = calloc(small, sizeof *s->small_sizes);
  s->small_draws = calloc(groups, sizeof *s->small_draws);
  bool good = random && group_triangles && s->small_sizes && s->small_draws;
  if (good) {
    for (uint32_t i = 0; i < small + groups; i++) {
      random[i] = generate_lognormal(rng, 1.0);
    }
    apportion(in_groups, random, groups, 1, in_groups, s->small_draws);
    for (uint32_t i = 0; i < groups; i++) {
      random[i] = s->small_draws[i] * generate_lognormal(rng, 1.4);
      group_triangles[i] = 0;
    }
    // Below the threshold of 4,096 in every group, at least 2 in every draw.
    for (uint32_t i = 0; i < groups; i++) {
      left -= 2 * s->small_draws[i];
    }
    apportion(left, random, groups, 0, 3200, group_triangles);
    for (uint32_t i = 0, at = 0; i < groups; at += s->small_draws[i], i++) {
      uint32_t count = s->small_draws[i];
      apportion(group_triangles[i] + 2 * count, random + groups + at, count, 2, 4000,
                s->small_sizes + at);
    }
    for (uint32_t i = 0; i < panels; i++) {
      s->small_sizes[in_groups + i] = 2;
    }
  }
  free(random);
  free(group_triangles);
  return good;
}

static void draw_frame(scene_t *s) {
  const generate_game_t *g = s->game;
  uint32_t layers = 0, on_screen = 0, off_screen = 0;
  uint32_t reflections = 0;
  for (; g->layers[layers].kind != GenerateLayerEnd; layers++) {
    reflections += g->layers[layers].kind == GenerateLayerReflection;
    on_screen += g->layers[layers].kind >= GenerateLayerWorld;
  }
  off_screen = layers - on_screen;
  uint32_t fixed = 1 + reflections + g->post_passes + g->bloom_passes;
  uint32_t panels = 8 + g->draws / 200;
  uint32_t triangles[GenerateMostLayers], draws[GenerateMostLayers];
  if (!share_out(s, layers, fixed, panels, triangles, draws)) {
    s->b.failed = true;
    return;
  }
  for (uint32_t i = 0; i < off_screen; i++) {
    const generate_layer_t *layer = &g->layers[i];
    if (layer->kind == GenerateLayerShadow) {
      clear(s, FrameNone, s->shadow_depth);
    } else if (layer->kind == GenerateLayerReflection) {
      clear(s, s->reflection, s->reflection_depth);
      draw_sky(s, s->reflection, s->reflection_depth);
    } else if (layer->kind == GenerateLayerBuffer) {
      clear(s, s->buffer, s->buffer_depth);
    }
    draw_layer(s, layer, triangles[i], draws[i]);
  }

  clear(s, 0, s->screen_depth);
  uint32_t small = g->draws * g->small_draws / 1000 - panels;
  double area = (double)s->width * s->height * g->small_area / 100 / small;
  s->small_left = g->small_groups;
  for (uint32_t i = off_screen; i < layers; i++) {
    draw_layer(s, &g->layers[i], triangles[i], draws[i]);
    if (i == off_screen) {
      draw_sky(s, 0, s->screen_depth);
    }
    uint32_t slots = layers - i;
    draw_small_groups(s, (s->small_left + slots - 1) / slots, area);
  }

  for (uint32_t i = 0; i < g->bloom_passes; i++) {
    draw_pass(s, s->bloom, s->textures[i % 2 ? GenerateTextureLight : GenerateTextureSky],
              FrameFactorOne, i ? FrameFactorOne : FrameFactorZero, 0.2);
  }
  for (uint32_t i = 0; i < g->post_passes; i++) {
    // Grading, which darkens a little, and glow in turn.
    if (i % 2 == 0) {
      draw_pass(s, 0, s->textures[GenerateTextureLight], FrameFactorDstColor, FrameFactorZero,
                0.55);
    } else {
      draw_pass(s, 0, s->textures[GenerateTextureLight], FrameFactorOne, FrameFactorOne, 0.04);
    }
  }
  draw_panels(s, small, panels);
}

frame_t *generate_scene(const generate_game_t *game, uint32_t size, const char *name,
                        uint64_t seed) {
  scene_t s = {.game = game, .width = game->sizes[size].width, .height = game->sizes[size].height,
               .func = FrameFuncLess};
  // Each game its own sequence, so that equal parameters do not give equal pictures.
  uint64_t own = seed;
  for (const char *c = game->name; *c; c++) {
    own = own * 1099511628211u + (uint8_t)*c;
  }
  if (!generate_begin(&s.b, name, own)) {
    return generate_end(&s.b);
  }
  s.ground_seed = (uint32_t)rng_u64(&s.b.rng);
  make_surfaces(&s);
  if (!s.b.failed) {
    draw_frame(&s);
  }
  free(s.small_sizes);
  free(s.small_draws);
  return generate_end(&s.b);
}
