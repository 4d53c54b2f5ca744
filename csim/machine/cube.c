// SPDX-License-Identifier: Apache-2.0
#include "cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../units/atfim/package.h"

enum {
  ResponseBytes = AtfimResponseFlits * AtfimFlitBytes,
  Carried = 4096,  // packages, and responses, on their way at most; child data of a layer
  // Fields of a child read's tag: 11 bits of tag, 8 of epoch, 4 of layer, then the line.
  EpochShift = 11,
  LayerShift = 19,
  LineShift = 23,
};

// Tags that no packet under way has.
typedef struct {
  uint16_t free[Carried];
  uint32_t count;
} tags_t;

typedef struct {
  atfim_t engine;
  atfim_in_t in;
  atfim_out_t out;
  uint32_t head, count;  // of what has come for it
  memory_response_t come[Carried];
} layer_t;

struct cube {
  const texture_map_t *map;
  memory_system_t *memory;
  hmc_t *hmc;
  offload_unit_t offload;
  offload_unit_in_t offload_in;
  offload_unit_out_t offload_out;
  uint32_t package_bytes;
  layer_t *layers;
  uint32_t layer_count;
  uint32_t turn;      // layer that is served first in this cycle
  uint32_t deal;      // layer that the next package is for, if it has room
  uint64_t reset_at;  // cycle of the memory
  uint64_t cycle;     // number of the last cycle since then
  uint8_t epoch;
  uint32_t next_descriptor;  // to be written
  bool reissue;              // to be asked for when all descriptors are written
  // Contents of packets while the memory carries them, by their tags
  uint32_t packages[Carried][AtfimPackageWords], responses[Carried][AtfimResponseWords];
  tags_t package_tags, response_tags;
  cube_stats_t stats;
};

cube_t *cube_create(const offload_unit_params_t *offload, const atfim_params_t *layer,
                    uint32_t layers, const texture_map_t *map, memory_system_t *memory,
                    const cube_units_t *units, uint32_t instance, err_t *err) {
  cube_t *c = calloc(1, sizeof *c);
  layer_t *of = calloc(layers, sizeof *of);
  if (!c || !of) {
    err_set(err, ErrMachine, "out of memory");
    free(c);
    free(of);
    return NULL;
  }
  for (uint16_t i = 0; i < Carried; i++) {
    c->package_tags.free[i] = c->response_tags.free[i] = i;
  }
  c->package_tags.count = c->response_tags.count = Carried;
  c->map = map;
  c->memory = memory;
  c->hmc = memory_system_hmc(memory);
  c->package_bytes = offload->package_flits * AtfimFlitBytes;
  c->layers = of;
  bool ok = units->offload_unit(units->context, offload, instance, &c->offload, err);
  for (; ok && c->layer_count < layers; c->layer_count += ok) {
    ok = units->atfim(units->context, layer, instance * layers + c->layer_count,
                      &of[c->layer_count].engine, err);
  }
  if (!ok) {
    cube_destroy(c);
    return NULL;
  }
  c->offload.reset(c->offload.self, &c->offload_out);
  for (uint32_t i = 0; i < layers; i++) {
    of[i].engine.reset(of[i].engine.self, &of[i].out);
  }
  return c;
}

void cube_destroy(cube_t *c) {
  if (c) {
    free(c->layers);
    free(c);
  }
}

offload_unit_in_t *cube_requests(cube_t *c) { return &c->offload_in; }
const offload_unit_out_t *cube_answers(const cube_t *c) { return &c->offload_out; }
const cube_stats_t *cube_stats(const cube_t *c) { return &c->stats; }

// ---- The link

static void carry_package(cube_t *c) {
  const offload_unit_out_t *out = &c->offload_out;
  c->offload_in.package_ready =
      c->package_tags.count > 0 && hmc_can_push(c->hmc, MemoryPackage, 0, c->package_bytes);
  if (out->package_valid && c->offload_in.package_ready) {
    uint32_t tag = c->package_tags.free[--c->package_tags.count];
    memcpy(c->packages[tag], out->package, sizeof c->packages[tag]);
    hmc_push(c->hmc, MemoryPackage, 0, c->package_bytes, tag);
    c->stats.packages++;
  }
}

static void carry_response(cube_t *c, layer_t *l) {
  l->in.response_ready = c->response_tags.count > 0 && hmc_can_respond(c->hmc);
  if (l->out.response_valid && l->in.response_ready) {
    uint32_t tag = c->response_tags.free[--c->response_tags.count];
    memcpy(c->responses[tag], l->out.response, sizeof c->responses[tag]);
    hmc_respond(c->hmc, tag, ResponseBytes, false);
    c->stats.responses++;
  }
}

// The first layer from `deal` on that can take another package in this cycle; NULL: none.
static layer_t *layer_with_room(cube_t *c) {
  for (uint32_t i = 0; i < c->layer_count; i++) {
    layer_t *l = &c->layers[(c->deal + i) % c->layer_count];
    if (!l->in.package_valid && l->out.package_ready) {
      return l;
    }
  }
  return NULL;
}

// Packages wait in the receive buffer of their link until a layer has room for them, and for the
// descriptors.
static void deal_packages(cube_t *c) {
  layer_t *l;
  memory_response_t r;
  bool ready = c->next_descriptor == c->map->descriptor_count;
  while (ready && (l = layer_with_room(c)) && hmc_package_pop(c->hmc, &r)) {
    memcpy(l->in.package, c->packages[r.tag], sizeof l->in.package);
    c->package_tags.free[c->package_tags.count++] = (uint16_t)r.tag;
    l->in.package_valid = true;
    c->deal = (uint32_t)(l - c->layers + 1) % c->layer_count;
  }
}

// Offers what has arrived on the interface until it is taken.
static void offer_response(cube_t *c) {
  memory_response_t r;
  if (!c->offload_in.response_valid && memory_system_pop_package(c->memory, &r)) {
    memcpy(c->offload_in.response, c->responses[r.tag], sizeof c->offload_in.response);
    c->response_tags.free[c->response_tags.count++] = (uint16_t)r.tag;
    c->offload_in.response_valid = true;
  }
}

// ---- The vaults

static void carry_read(cube_t *c, layer_t *l) {
  l->in.child_read_ready = hmc_can_logic_read(c->hmc);
  if (l->out.child_read_valid && l->in.child_read_ready) {
    uint64_t line = l->out.child_read.line, layer = (uint64_t)(l - c->layers);
    hmc_logic_read(c->hmc, line * TextureLineBytes, TextureLineBytes,
                   l->out.child_read.tag | (uint64_t)c->epoch << EpochShift | layer << LayerShift |
                       line << LineShift);
    c->stats.child_reads++;
  }
}

// Each layer's data wait by themselves. It has a few hundred reads under way at most, and takes a
// line a cycle whatever else it waits for.
static void sort_data(cube_t *c) {
  memory_response_t r;
  while (hmc_logic_pop(c->hmc, &r)) {
    layer_t *l = &c->layers[r.tag >> LayerShift & (CubeMaxLayers - 1)];
    l->come[(l->head + l->count++) % Carried] = r;
  }
}

static void offer_data(const cube_t *c, layer_t *l) {
  if (l->in.child_data_valid || l->count == 0) {
    return;
  }
  const memory_response_t *r = &l->come[l->head];
  l->head = (l->head + 1) % Carried;
  l->count--;
  l->in.child_data_valid = true;
  l->in.child_data = (combination_unit_data_t){
      .tag = r->tag & 0x7ff, .epoch = (uint8_t)(r->tag >> EpochShift), .failed = r->error};
  texture_map_line(c->map, (r->tag >> LineShift) * TextureLineBytes, l->in.child_data.data);
}

// ---- The cycle

static void write_descriptor(cube_t *c) {
  bool writes = c->next_descriptor < c->map->descriptor_count;
  for (uint32_t i = 0; i < c->layer_count; i++) {
    atfim_in_t *in = &c->layers[i].in;
    in->descriptor_valid = writes;
    if (writes) {
      const texel_generator_descriptor_t *d = &c->map->descriptor[c->next_descriptor];
      in->descriptor = (texel_generator_descriptor_t){.index = d->index,
                                                      .base = d->base,
                                                      .width = d->width,
                                                      .height = d->height,
                                                      .wrap_x = d->wrap_x,
                                                      .wrap_y = d->wrap_y};
    }
  }
  c->next_descriptor += writes;
  if (!writes && c->reissue) {
    c->offload_in.reissue_valid = true;
    c->offload_in.reissue_epoch = c->epoch;
    c->reissue = false;
  }
}

static unit_status_e step_offload(cube_t *c) {
  offload_unit_in_t *in = &c->offload_in;
  bool taken = in->response_valid && c->offload_out.response_ready;
  unit_status_e status = c->offload.step(c->offload.self, in, &c->offload_out);
  in->response_valid &= !taken;
  in->reissue_valid = false;
  return status;
}

static unit_status_e step_layer(const cube_t *c, layer_t *l) {
  atfim_in_t *in = &l->in;
  bool data = in->child_data_valid && l->out.child_data_ready;
  in->cycle = c->cycle;
  unit_status_e status = l->engine.step(l->engine.self, in, &l->out);
  in->package_valid = false;  // given only where there is room
  in->child_data_valid &= !data;
  in->descriptor_valid = false;
  return status;
}

static bool offload_idle(const cube_t *c) {
  const offload_unit_in_t *in = &c->offload_in;
  const offload_unit_out_t *out = &c->offload_out;
  return out->quiescent && !(in->request_valid & out->request_ready) && !in->response_valid &&
         !in->reissue_valid && !(out->package_valid && in->package_ready) &&
         !(out->answer_valid & in->answer_ready);
}

static bool layer_idle(const layer_t *l) {
  const atfim_in_t *in = &l->in;
  const atfim_out_t *out = &l->out;
  return out->quiescent && !in->package_valid && !in->child_data_valid && !in->descriptor_valid &&
         !(out->child_read_valid && in->child_read_ready) &&
         !(out->response_valid && in->response_ready);
}

unit_status_e cube_step(cube_t *c, uint32_t *error) {
  unit_status_e status = UnitOk;
  c->cycle = hmc_cycle(c->hmc) - c->reset_at + 1;
  // The ready inputs say what the memory takes in this cycle; what it takes is what the
  // units show at its start.
  carry_package(c);
  for (uint32_t i = 0; i < c->layer_count; i++) {
    layer_t *l = &c->layers[(c->turn + i) % c->layer_count];
    carry_response(c, l);
    carry_read(c, l);
  }
  c->turn = (c->turn + 1) % c->layer_count;
  deal_packages(c);
  offer_response(c);
  sort_data(c);
  write_descriptor(c);
  if (!offload_idle(c)) {
    status = step_offload(c);
  }
  *error = c->offload_out.error;
  for (uint32_t i = 0; i < c->layer_count && status == UnitOk; i++) {
    layer_t *l = &c->layers[i];
    offer_data(c, l);
    if (!layer_idle(l)) {
      status = step_layer(c, l);
    }
    *error |= (uint32_t)l->out.error << 4;
  }
  return status;
}

bool cube_idle(const cube_t *c) {
  bool idle = offload_idle(c) && !c->reissue && c->next_descriptor == c->map->descriptor_count;
  for (uint32_t i = 0; i < c->layer_count; i++) {
    idle = idle && layer_idle(&c->layers[i]) && c->layers[i].count == 0;
  }
  return idle;
}

// ---- Counters

// One counter of a layer, which nothing but the peek reaches in this step.
static unit_status_e read_counter(const cube_t *c, layer_t *l, atfim_peek_unit_e unit,
                                  uint32_t index, uint64_t *value) {
  atfim_in_t in = {.epoch = l->in.epoch,
                   .cycle = c->cycle,
                   .peek_valid = true,
                   .peek_unit = (uint8_t)unit,
                   .peek_select = unit == AtfimPeekUnitGenerator ? TexelGeneratorPeekCounter
                                                                 : ChildConsolidationPeekCounter,
                   .peek_index = (uint16_t)index};
  unit_status_e status = l->engine.step(l->engine.self, &in, &l->out);
  *value = l->out.peek_data;
  return status;
}

static unit_status_e read_counters(cube_t *c) {
  unit_status_e status = UnitOk;
  uint64_t value;
  for (uint32_t i = 0; i < c->layer_count && status == UnitOk; i++) {
    layer_t *l = &c->layers[i];
    // The first ones bring the cycles of waiting up to date.
    status = read_counter(c, l, AtfimPeekUnitConsolidation, 0, &value);
    if (status == UnitOk) {
      status = read_counter(c, l, AtfimPeekUnitGenerator, 0, &value);
    }
    for (uint32_t n = 0; n < ChildConsolidationCounters && status == UnitOk; n++) {
      status = read_counter(c, l, AtfimPeekUnitConsolidation, n, &value);
      c->stats.lines[n] += value;
    }
    for (uint32_t n = 0; n < TexelGeneratorCounters && status == UnitOk; n++) {
      status = read_counter(c, l, AtfimPeekUnitGenerator, n, &value);
      c->stats.generator[n] += value;
    }
    if (status == UnitOk) {
      status = read_counter(c, l, AtfimPeekUnitCombination, CombinationUnitCounterTexels, &value);
      c->stats.children += value;
    }
  }
  return status;
}

unit_status_e cube_finish(cube_t *c) { return read_counters(c); }

unit_status_e cube_reset(cube_t *c) {
  unit_status_e status = read_counters(c);
  c->epoch++;
  c->reset_at = hmc_cycle(c->hmc);
  c->cycle = 0;
  for (uint32_t i = 0; i < c->layer_count; i++) {
    layer_t *l = &c->layers[i];
    l->engine.reset(l->engine.self, &l->out);
    l->in.epoch = c->epoch;
  }
  c->next_descriptor = 0;
  c->reissue = true;
  c->stats.resets++;
  return status;
}
