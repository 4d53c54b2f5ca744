// SPDX-License-Identifier: Apache-2.0
#include "owners.h"

#include <stdlib.h>

struct owners {
  const frame_t *frame;
  uint32_t *of_surface;  // index of the map: of targets, then of depth buffers
  owner_map_t *maps;
  uint32_t count;
};

static bool map_create(owner_map_t *map, frame_surface_t size) {
  *map = (owner_map_t){.width = size.width,
                       .height = size.height,
                       .tiles_x = (size.width + 63) / 64,
                       .tiles_y = (size.height + 63) / 64};
  map->tiles = calloc((size_t)map->tiles_x * map->tiles_y, 1);
  return map->tiles != NULL;
}

owners_t *owners_create(const frame_t *f) {
  uint32_t surfaces = f->target_count + f->depth_count;
  owners_t *o = calloc(1, sizeof *o);
  if (!o) {
    return NULL;
  }
  o->frame = f;
  o->of_surface = calloc((size_t)surfaces + 1, sizeof *o->of_surface);
  o->maps = calloc((size_t)surfaces + 1, sizeof *o->maps);
  bool ok = o->of_surface && o->maps;
  for (uint32_t i = 0; ok && i < surfaces; i++) {
    frame_surface_t size = i < f->target_count ? f->targets[i] : f->depths[i - f->target_count];
    uint32_t k = 0;
    while (k < o->count && (o->maps[k].width != size.width || o->maps[k].height != size.height)) {
      k++;
    }
    if (k == o->count) {
      ok = map_create(&o->maps[o->count++], size);
    }
    o->of_surface[i] = k;
  }
  if (!ok) {
    owners_destroy(o);
    return NULL;
  }
  return o;
}

void owners_destroy(owners_t *o) {
  if (o) {
    for (uint32_t k = 0; k < o->count; k++) {
      free(o->maps[k].tiles);
    }
    free(o->maps);
    free(o->of_surface);
    free(o);
  }
}

static bool settle(distribution_unit_t *unit, halt_t *halt) {
  unit->in.config_valid = unit->in.peek_valid = false;
  do {
    if (!distribution_unit_step(unit, 0, halt)) {
      return false;
    }
  } while (!unit->out.quiescent);
  return true;
}

static bool read_map(owner_map_t *map, uint32_t pitch, distribution_unit_t *unit, halt_t *halt) {
  unit->in.config_valid = true;
  if (!distribution_unit_step(unit, 0, halt) || !settle(unit, halt)) {
    return false;
  }
  for (uint32_t y = 0; y < map->tiles_y; y++) {
    for (uint32_t x = 0; x < map->tiles_x; x++) {
      unit->in.peek_valid = true;
      unit->in.peek_select = PixelDistributorPeekOwner;
      unit->in.peek_index = y * pitch + x;
      if (!distribution_unit_step(unit, 0, halt)) {
        return false;
      }
      map->tiles[y * map->tiles_x + x] = (uint8_t)unit->out.peek_data;
    }
  }
  return settle(unit, halt);
}

bool owners_read(owners_t *o, const machine_params_t *machine,
                 const pixel_distributor_params_t *params, distribution_unit_t *unit,
                 halt_t *halt) {
  for (uint32_t k = 0; k < o->count; k++) {
    distribution_unit_configure(unit, machine, o->maps[k].width, o->maps[k].height);
    if (!read_map(&o->maps[k], pixel_distributor_pitch(params), unit, halt)) {
      return false;
    }
  }
  return true;
}

const owner_map_t *owners_target(const owners_t *o, uint16_t target) {
  return &o->maps[o->of_surface[target]];
}

const owner_map_t *owners_depth(const owners_t *o, uint16_t depth_buffer) {
  return &o->maps[o->of_surface[o->frame->target_count + depth_buffer]];
}

const owner_map_t *owners_drawn(const owners_t *o, uint16_t target, uint16_t depth_buffer) {
  return target != FrameNone ? owners_target(o, target) : owners_depth(o, depth_buffer);
}

uint32_t owners_count(const owners_t *o) { return o->count; }
const owner_map_t *owners_map(const owners_t *o, uint32_t index) { return &o->maps[index]; }
