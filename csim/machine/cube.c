#include "cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atfim_ideal.h"

enum {
  PackageBytes = 4 * AtfimPackageWords,
  ResponseBytes = 4 * AtfimResponseWords,
  Carried = 4096,  // packages, and responses, on their way at most
  EpochShift = 11, LineShift = 19,  // of a child read's tag: 11 bits of tag, 8 of epoch, line
  LineUnit = 16,   // bytes, of atfim_read_t.line
};

// Tags that no packet under way has.
typedef struct {
  uint16_t free[Carried];
  uint32_t count;
} tags_t;

struct cube {
  const texture_map_t *map;
  memory_system_t *memory;
  hmc_t *hmc;
  offload_unit_t offload;
  offload_unit_in_t offload_in;
  offload_unit_out_t offload_out;
  atfim_t atfim;
  bool ideal;
  atfim_in_t atfim_in;
  atfim_out_t atfim_out;
  uint32_t line_bytes;
  uint32_t next_descriptor;  // to be written
  bool reissue;              // to be asked for when all descriptors are written
  // What packets hold while the memory carries them, by their tags
  uint32_t packages[Carried][AtfimPackageWords], responses[Carried][AtfimResponseWords];
  tags_t package_tags, response_tags;
  cube_stats_t stats;
};

cube_t *cube_create(const offload_unit_params_t *offload, const atfim_params_t *atfim,
                    uint32_t ideal, const texture_map_t *map, memory_system_t *memory,
                    const cube_units_t *units, uint32_t instance, char error[CubeErrorSize]) {
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
  if (!units->offload_unit(units->context, offload, instance, &c->offload, error) ||
      !(ideal ? atfim_ideal_create(map, ideal, atfim->exact, &c->atfim)
              : units->atfim(units->context, atfim, instance, &c->atfim, error))) {
    free(c);
    return NULL;
  }
  c->ideal = ideal > 0;
  c->offload.reset(c->offload.self, &c->offload_out);
  c->atfim.reset(c->atfim.self, &c->atfim_out);
  return c;
}

void cube_destroy(cube_t *c) {
  if (c && c->ideal) {
    atfim_ideal_destroy(&c->atfim);
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

static void carry_response(cube_t *c) {
  const atfim_out_t *out = &c->atfim_out;
  c->atfim_in.response_ready = c->response_tags.count > 0 && hmc_can_respond(c->hmc);
  if (out->response_valid && c->atfim_in.response_ready) {
    uint32_t tag = c->response_tags.free[--c->response_tags.count];
    memcpy(c->responses[tag], out->response, sizeof c->responses[tag]);
    hmc_respond(c->hmc, tag, ResponseBytes, false);
    c->stats.responses++;
  }
}

// What arrives waits on the interface until it is taken.
static void offer_package(cube_t *c) {
  memory_response_t r;
  if (!c->atfim_in.package_valid && hmc_package_pop(c->hmc, &r)) {
    memcpy(c->atfim_in.package, c->packages[r.tag], sizeof c->atfim_in.package);
    c->package_tags.free[c->package_tags.count++] = (uint16_t)r.tag;
    c->atfim_in.package_valid = true;
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

static void carry_read(cube_t *c) {
  const atfim_out_t *out = &c->atfim_out;
  c->atfim_in.child_read_ready = hmc_can_logic_read(c->hmc);
  if (out->child_read_valid && c->atfim_in.child_read_ready) {
    uint64_t address = (uint64_t)out->child_read.line * LineUnit;
    uint64_t line = (address - c->map->base) / LineUnit;
    hmc_logic_read(c->hmc, address, c->line_bytes,
                   out->child_read.tag | (uint64_t)c->atfim_in.epoch << EpochShift |
                       line << LineShift);
    c->stats.child_reads++;
  }
}

static void offer_data(cube_t *c) {
  memory_response_t r;
  atfim_data_t *d = &c->atfim_in.child_data;
  if (c->atfim_in.child_data_valid || !hmc_logic_pop(c->hmc, &r)) {
    return;
  }
  uint64_t offset = (r.tag >> LineShift) * LineUnit;
  *d = (atfim_data_t){.tag = r.tag & 0x7ff, .epoch = (uint8_t)(r.tag >> EpochShift),
                      .failed = r.error};
  uint32_t texels[TextureLineTexels];
  texture_map_line(c->map, c->map->base + offset, texels);
  memcpy(d->data, (const char *)texels + offset % TextureLineBytes, c->line_bytes);
  c->atfim_in.child_data_valid = true;
}

// ---- The cycle

static void write_descriptor(cube_t *c) {
  c->atfim_in.descriptor_valid = c->next_descriptor < c->map->descriptor_count;
  if (c->atfim_in.descriptor_valid) {
    c->atfim_in.descriptor = c->map->descriptor[c->next_descriptor++];
  } else if (c->reissue) {
    c->offload_in.reissue_valid = true;
    c->offload_in.reissue_epoch = c->atfim_in.epoch;
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

static unit_status_e step_atfim(cube_t *c) {
  atfim_in_t *in = &c->atfim_in;
  bool package = in->package_valid && c->atfim_out.package_ready;
  bool data = in->child_data_valid && c->atfim_out.child_data_ready;
  unit_status_e status = c->atfim.step(c->atfim.self, in, &c->atfim_out);
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

static bool atfim_idle(const cube_t *c) {
  const atfim_in_t *in = &c->atfim_in;
  const atfim_out_t *out = &c->atfim_out;
  return out->quiescent && !in->package_valid && !in->child_data_valid && !in->descriptor_valid &&
         !(out->child_read_valid && in->child_read_ready) &&
         !(out->response_valid && in->response_ready);
}

unit_status_e cube_step(cube_t *c, uint32_t *error) {
  unit_status_e status = UnitOk;
  // The ready inputs say what the memory takes in this cycle; what it takes is what the
  // units show at its start.
  carry_package(c);
  carry_response(c);
  carry_read(c);
  offer_package(c);
  offer_response(c);
  offer_data(c);
  write_descriptor(c);
  if (!offload_idle(c)) {
    status = step_offload(c);
  }
  if (status == UnitOk && !atfim_idle(c)) {
    status = step_atfim(c);
  }
  *error = c->offload_out.error | (uint32_t)c->atfim_out.error << 4;
  return status;
}

bool cube_idle(const cube_t *c) {
  return offload_idle(c) && atfim_idle(c) && c->next_descriptor == c->map->descriptor_count &&
         !c->reissue;
}

void cube_reset(cube_t *c) {
  uint8_t epoch = (uint8_t)(c->atfim_in.epoch + 1);
  c->atfim.reset(c->atfim.self, &c->atfim_out);
  c->atfim_in.epoch = epoch;
  c->next_descriptor = 0;
  c->reissue = true;
  c->stats.resets++;
}
