// SPDX-License-Identifier: Apache-2.0
#include "cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/atfim_package.h"
#include "atfim_ideal.h"

enum {
  PackageBytes = AtfimPackageFlits * AtfimFlitBytes,
  ResponseBytes = AtfimResponseFlits * AtfimFlitBytes,
  Carried = 4096,  // packages, and responses, on their way at most
  // Of a child read's tag: 11 bits of tag, 8 of epoch, 4 of unit, then the line.
  EpochShift = 11, UnitShift = 19, LineShift = 23,
  LineUnit = 16,   // bytes, of child_consolidation_read_t.line
};

// Tags that no packet under way has.
typedef struct {
  uint16_t free[Carried];
  uint32_t count;
} tags_t;

// A-TFIM's units in the logic layer, as one top.
typedef struct {
  atfim_t engine;
  atfim_in_t in;
  atfim_out_t out;
} layer_t;

struct cube {
  const texture_map_t *map;
  memory_system_t *memory;
  hmc_t *hmc;
  offload_unit_t offload;
  offload_unit_in_t offload_in;
  offload_unit_out_t offload_out;
  layer_t layers[CubeMaxLayers];
  uint32_t layer_count, turn;  // turn: served first in this cycle
  bool ideal;
  uint8_t epoch;
  bool held_valid;             // data that their layer had no room for
  memory_response_t held;
  uint32_t line_bytes;
  uint32_t next_descriptor;  // to be written
  bool reissue;              // to be asked for when all descriptors are written
  // What packets hold while the memory carries them, by their tags
  uint32_t packages[Carried][AtfimPackageWords], responses[Carried][AtfimResponseWords];
  tags_t package_tags, response_tags;
  cube_stats_t stats;
};

cube_t *cube_create(const offload_unit_params_t *offload, const atfim_params_t *atfim,
                    uint32_t layers, uint32_t ideal, const texture_map_t *map,
                    memory_system_t *memory, const cube_units_t *units, uint32_t instance,
                    char error[CubeErrorSize]) {
  cube_t *c = calloc(1, sizeof *c);
  if (!c) {
    snprintf(error, CubeErrorSize, "out of memory");
    return NULL;
  }
  for (uint16_t i = 0; i < Carried; i++) {
    c->package_tags.free[i] = c->response_tags.free[i] = i;
  }
  c->package_tags.count = c->response_tags.count = Carried;
  c->map = map;
  c->memory = memory;
  c->hmc = memory_system_hmc(memory);
  c->line_bytes = atfim->line_bytes;
  c->ideal = ideal > 0;
  bool ok = units->offload_unit(units->context, offload, instance, &c->offload, error);
  for (; ok && c->layer_count < layers; c->layer_count += ok) {
    layer_t *l = &c->layers[c->layer_count];
    ok = ideal ? atfim_ideal_create(map, ideal, atfim->exact, &l->engine)
               : units->atfim(units->context, atfim, instance * layers + c->layer_count,
                              &l->engine, error);
  }
  if (!ok) {
    cube_destroy(c);
    return NULL;
  }
  c->offload.reset(c->offload.self, &c->offload_out);
  for (uint32_t i = 0; i < layers; i++) {
    c->layers[i].engine.reset(c->layers[i].engine.self, &c->layers[i].out);
  }
  return c;
}

void cube_destroy(cube_t *c) {
  for (uint32_t i = 0; c && c->ideal && i < c->layer_count; i++) {
    atfim_ideal_destroy(&c->layers[i].engine);
  }
  free(c);
}

offload_unit_in_t *cube_requests(cube_t *c) { return &c->offload_in; }
const offload_unit_out_t *cube_answers(const cube_t *c) { return &c->offload_out; }
const cube_stats_t *cube_stats(const cube_t *c) { return &c->stats; }

// ---- The link

static void carry_package(cube_t *c) {
  const offload_unit_out_t *out = &c->offload_out;
  c->offload_in.package_ready =
      c->package_tags.count > 0 && hmc_can_push(c->hmc, MemoryPackage, 0, PackageBytes);
  if (out->package_valid && c->offload_in.package_ready) {
    uint32_t tag = c->package_tags.free[--c->package_tags.count];
    memcpy(c->packages[tag], out->package, sizeof c->packages[tag]);
    hmc_push(c->hmc, MemoryPackage, 0, PackageBytes, tag);
    c->stats.packages++;
    atfim_package_t p;
    atfim_package_unpack(out->package, &p);
    c->stats.children += (uint64_t)__builtin_popcount(p.mask) * p.ratio;
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

// What arrives waits on the interface until it is taken.
static void offer_package(cube_t *c, layer_t *l) {
  memory_response_t r;
  if (!l->in.package_valid && hmc_package_pop(c->hmc, &r)) {
    memcpy(l->in.package, c->packages[r.tag], sizeof l->in.package);
    c->package_tags.free[c->package_tags.count++] = (uint16_t)r.tag;
    l->in.package_valid = true;
  }
}

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
    uint64_t address = (uint64_t)l->out.child_read.line * LineUnit;
    uint64_t line = (address - c->map->base) / LineUnit, unit = (uint64_t)(l - c->layers);
    hmc_logic_read(c->hmc, address, c->line_bytes,
                   l->out.child_read.tag | (uint64_t)c->epoch << EpochShift | unit << UnitShift |
                       line << LineShift);
    c->stats.child_reads++;
  }
}

// False: the layer has not taken its last data yet.
static bool offer(cube_t *c, const memory_response_t *r) {
  layer_t *l = &c->layers[r->tag >> UnitShift & (CubeMaxLayers - 1)];
  if (l->in.child_data_valid) {
    return false;
  }
  uint64_t offset = (r->tag >> LineShift) * LineUnit;
  uint32_t texels[TextureLineTexels];
  l->in.child_data = (combination_unit_data_t){
      .tag = r->tag & 0x7ff, .epoch = (uint8_t)(r->tag >> EpochShift), .failed = r->error};
  texture_map_line(c->map, c->map->base + offset, texels);
  memcpy(l->in.child_data.data, (const char *)texels + offset % TextureLineBytes, c->line_bytes);
  l->in.child_data_valid = true;
  return true;
}

static void offer_data(cube_t *c) {
  if (c->held_valid && !offer(c, &c->held)) {
    return;
  }
  do {
    c->held_valid = hmc_logic_pop(c->hmc, &c->held);
  } while (c->held_valid && offer(c, &c->held));
}

// ---- The cycle

static void write_descriptor(cube_t *c) {
  bool writes = c->next_descriptor < c->map->descriptor_count;
  for (uint32_t i = 0; i < c->layer_count; i++) {
    c->layers[i].in.descriptor_valid = writes;
    if (writes) {
      c->layers[i].in.descriptor = c->map->descriptor[c->next_descriptor];
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

static unit_status_e step_layer(layer_t *l) {
  atfim_in_t *in = &l->in;
  bool package = in->package_valid && l->out.package_ready;
  bool data = in->child_data_valid && l->out.child_data_ready;
  unit_status_e status = l->engine.step(l->engine.self, in, &l->out);
  in->package_valid &= !package;
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
  // The ready inputs say what the memory takes in this cycle; what it takes is what the
  // units show at its start.
  carry_package(c);
  for (uint32_t i = 0; i < c->layer_count; i++) {
    layer_t *l = &c->layers[(c->turn + i) % c->layer_count];
    carry_response(c, l);
    carry_read(c, l);
    offer_package(c, l);
  }
  c->turn = (c->turn + 1) % c->layer_count;
  offer_response(c);
  offer_data(c);
  write_descriptor(c);
  if (!offload_idle(c)) {
    status = step_offload(c);
  }
  *error = c->offload_out.error;
  for (uint32_t i = 0; i < c->layer_count && status == UnitOk; i++) {
    if (!layer_idle(&c->layers[i])) {
      status = step_layer(&c->layers[i]);
    }
    *error |= (uint32_t)c->layers[i].out.error << 4;
  }
  return status;
}

bool cube_idle(const cube_t *c) {
  bool idle = offload_idle(c) && !c->held_valid && !c->reissue &&
              c->next_descriptor == c->map->descriptor_count;
  for (uint32_t i = 0; i < c->layer_count; i++) {
    idle = idle && layer_idle(&c->layers[i]);
  }
  return idle;
}

void cube_reset(cube_t *c) {
  c->epoch++;
  for (uint32_t i = 0; i < c->layer_count; i++) {
    layer_t *l = &c->layers[i];
    l->engine.reset(l->engine.self, &l->out);
    l->in.epoch = c->epoch;
  }
  c->next_descriptor = 0;
  c->reissue = true;
  c->stats.resets++;
}
