// SPDX-License-Identifier: Apache-2.0
// Where the draws of a generated frame stand: ground, hills, and objects placed by where their feet
// fall on the screen, so that they spread over it at any depth.
#include "generate_scene_internal.h"

#include <stdlib.h>

#include "generate_math.h"

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
  double top = camera->horizon + camera->focus * SCENE_EYE / SCENE_GROUND_END;
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
    p->shape.centre.z =
        camera->focus * SCENE_EYE / ((p->shape.y0 + p->shape.y1) / 2 - camera->horizon);
    for (int k = 0; k < 3; k++) {
      p->shape.color[k] = s->game->tint[k] * 0.85;
    }
    p->texture = (uint8_t)s->game->ground;
  }
}

// Hills, or house fronts, round the end of the ground, side by side.
static void plan_hills(scene_t *s, const camera_t *camera, placement_t *plans, uint32_t count) {
  rng_t *rng = &s->b.rng;
  double z = SCENE_GROUND_END, metre = z / camera->focus;
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
    plans[i].texture = (uint8_t)scene_any_surface(rng);
  }
}

// Something that stands on the ground, of an area in pixels.
void scene_plan_object(scene_t *s, const camera_t *camera, placement_t *p, double area, bool flat,
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
    o->centre =
        (point_t){px, generate_between(rng, 0, 400), (1.04 * s->spread_y - 0.02) * camera->height};
    o->radius = (point_t){rx, generate_between(rng, 10, 60), ry};
    if (o->kind == ShapeCard) {
      // A card lies on the ground there.
      o->kind = p->triangles < 12 ? ShapeCard : ShapePillar;
    }
  } else {
    double down = band.far + (band.near - band.far) * s->spread_y * (flat ? 0.5 : 1);
    double z = camera->focus * SCENE_EYE / (down * camera->height);
    double metre = z / camera->focus;
    o->radius = (point_t){rx * metre, ry * metre, rx * metre * generate_between(rng, 0.6, 1)};
    o->centre = (point_t){(px - camera->width / 2) * metre, 0, z};
    o->centre.y = scene_ground_height(s, o->centre.x, z) + o->radius.y * 0.9;
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
  p->texture = (uint8_t)(leaves ? GenerateTextureLeaves : scene_any_surface(rng));
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
    scene_plan_object(s, camera, &plans[i], area, flat[i], leaves, band);
  }
  free(areas);
  free(flat);
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

void scene_place(scene_t *s, const camera_t *camera, const generate_layer_t *layer,
                 placement_t *plans, uint32_t count) {
  const generate_game_t *g = s->game;
  uint32_t ground = count * layer->ground / 1000, hills = ground / 4;
  plan_ground(s, camera, plans, ground - hills);
  plan_hills(s, camera, plans + (ground - hills), hills);
  plan_objects(s, camera, layer, plans + ground, count - ground, band_of(g, layer));

  // Front to back, each rank moved by some part of the group.
  placement_t *objects = plans + ground;
  qsort(objects, count - ground, sizeof *objects, compare_depth);
  for (uint32_t i = 0; i < count - ground; i++) {
    objects[i].key = (double)i * g->order + generate_uniform(&s->b.rng) * count * (1000 - g->order);
  }
  qsort(objects, count - ground, sizeof *objects, compare_placements);
}
