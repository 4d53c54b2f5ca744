// SPDX-License-Identifier: Apache-2.0
#include "texturing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/cycle.h"
#include "../texture/texture_design.h"
#include "../units/atfim/package.h"

enum {
  Ordered = 256,         // S-TFIM messages of a unit and direction on their way
  TexturesAt = 1 << 30,  // half: vertices and surfaces lie below (gpu_memory.c)
};

// S-TFIM: messages of a unit are delivered in the order in which they were sent, whatever
// link of the cube they take.
typedef struct {
  uint8_t sent, delivered;
  bool here[Ordered];
  texture_message_t message[Ordered];
} lane_t;

struct texturing {
  texturing_params_t params;
  uint32_t unit_count;
  texture_units_t *units;
  memory_system_t *memory;
  soc_t *soc;          // whose memory it is; NULL: it is this one's own
  uint64_t units_due;  // with a SoC: next cycle in which the texture units do something
  memory_client_stats_t before[MemoryClients];  // with a SoC: what its memory had counted
  uint64_t errors_before;
  memory_port_t port;  // the texture units'
  hmc_t *hmc;          // NULL: GDDR5
  cube_t *cube;        // A-TFIM
  bool inside;         // the units are in the cube and read its vaults directly
  bool rests;          // a cube without work is not clocked
  uint64_t steps, next_reset;
  lane_t *down, *up;  // S-TFIM, of each unit
};

static const texture_design_t *design_of(const texturing_params_t *p) {
  return texture_design(p->design);
}

bool texturing_detailed(const texturing_params_t *p) {
  return design_of(p)->memory != TextureMemoryNone;
}

bool texturing_reuses(const texturing_params_t *p) {
  // A line of the pixel's own slope is the pixel's own, whoever asked for it.
  return design_of(p)->offloads && p->angle_threshold != TEXTURING_ALWAYS &&
         p->units.match != TextureMatchSlope;
}

static shade_filter_e filter_of(const texturing_params_t *p) {
  if (!texturing_detailed(p)) {
    return ShadeIsotropic;
  }
  if (!design_of(p)->offloads) {
    return ShadeFractional;
  }
  return p->units.reading == VirtualLattice ? ShadeLattice : ShadeIsotropicGrid;
}

shade_sampling_t texturing_sampling(const texturing_params_t *p) {
  return (shade_sampling_t){
      .filter = (uint8_t)filter_of(p),
      .threshold = p->units.extent_threshold,
      .anisotropic = p->anisotropic,
      .max_anisotropy = (uint8_t)p->anisotropy,
  };
}

bool texturing_map_create(texture_map_t *map, const frame_t *frame, err_t *err) {
  if (!texture_map_create(map, frame, 2ull * TexturesAt)) {
    err_set(err, ErrInput, "out of memory, or more textures than a cube holds");
    return false;
  }
  return true;
}

// Returns the requests that a memory without a cube has refused.
static uint64_t refused_by(memory_system_t *memory) {
  gddr5_stats_t s;
  gddr5_stats(memory_system_gddr5(memory), &s);
  return s.errors;
}

static bool create_memory(texturing_t *t, err_t *err) {
  if (t->soc) {
    t->memory = soc_memory(t->soc);
    t->port = memory_system_port(t->memory, MemoryClientTexture);
    for (uint32_t i = 0; i < MemoryClients; i++) {
      t->before[i] = *memory_system_stats(t->memory, i);
    }
    t->errors_before = refused_by(t->memory);
    return true;
  }
  bool cube = design_of(&t->params)->memory != TextureMemoryGddr5;
  t->memory =
      memory_system_create(cube ? &t->params.hmc : NULL, cube ? NULL : &t->params.gddr5, NULL, err);
  if (!t->memory) {
    return false;
  }
  t->port = memory_system_port(t->memory, MemoryClientTexture);
  t->hmc = memory_system_hmc(t->memory);
  if (t->hmc && t->params.read_errors) {
    const memory_errors_t errors = {.permille = t->params.read_errors, .seed = 1};
    hmc_inject_errors(t->hmc, &errors);
  }
  return true;
}

bool texturing_check(const texturing_params_t *p, bool shared, const frame_t *frame, err_t *err) {
  texturing_t trial = {.params = *p};
  texture_map_t map;
  if (!texturing_detailed(p)) {
    return true;
  }
  if (!texturing_map_create(&map, frame, err)) {
    return false;
  }
  bool fits = !design_of(p)->offloads || map.descriptor_count <= p->atfim.descriptors;
  if (!fits) {
    err_set(err, ErrInput,
            "atfim.descriptors=%u: the frame needs %u descriptors of textures; set a power of two "
            "from there on",
            p->atfim.descriptors, map.descriptor_count);
  }
  texture_map_destroy(&map);
  fits = fits && (shared || create_memory(&trial, err));
  memory_system_destroy(trial.memory);
  return fits;
}

// ---- What the texture units reach

static bool read_line(void *self, uint64_t now, uint64_t address, uint32_t bytes, uint32_t tag) {
  texturing_t *t = self;
  (void)now;
  return t->inside ? hmc_logic_read(t->hmc, address, bytes, tag)
                   : t->port.push(t->port.self, address, bytes, false, tag);
}

static uint64_t pack(texture_message_t m, uint8_t order) {
  return m.kind | (uint64_t)m.unit << 8 | (uint64_t)m.slot << 16 | (uint64_t)m.bytes << 24 |
         (uint64_t)order << 32;
}

static bool send_message(void *self, uint64_t now, texture_message_t m) {
  texturing_t *t = self;
  (void)now;
  bool down = m.kind == TextureMessagePackage;
  lane_t *lane = &(down ? t->down : t->up)[m.unit];
  if ((uint8_t)(lane->sent - lane->delivered) == Ordered - 1) {
    return false;
  }
  uint64_t tag = pack(m, lane->sent);
  if (!(down ? hmc_push(t->hmc, MemoryPackage, 0, m.bytes, tag)
             : hmc_respond(t->hmc, tag, m.bytes, false))) {
    return false;
  }
  lane->sent++;
  return true;
}

static void arrive(texturing_t *t, uint64_t now, lane_t *lanes, uint64_t tag) {
  texture_message_t m = {(uint8_t)tag, (uint8_t)(tag >> 8), (uint8_t)(tag >> 16),
                         (uint8_t)(tag >> 24)};
  lane_t *lane = &lanes[m.unit];
  uint8_t order = (uint8_t)(tag >> 32);
  lane->message[order] = m;
  lane->here[order] = true;
  for (; lane->here[lane->delivered]; lane->delivered++) {
    lane->here[lane->delivered] = false;
    texture_units_link_arrived(t->units, now, lane->message[lane->delivered]);
  }
}

// ---- Creation

static bool create_units(texturing_t *t, const texture_map_t *map, err_t *err) {
  const texturing_params_t *p = &t->params;
  texture_params_t units = p->units;
  const texture_memory_t memory = {t, read_line};
  const texture_link_t link = {t, send_message};
  units.design = p->design;
  units.units = t->unit_count;
  units.max_anisotropy = FootprintMaxRatio;  // the stages say it
  units.package_bytes = p->offload.package_flits * AtfimFlitBytes;
  units.reuse = p->angle_threshold == TEXTURING_ALWAYS ? 0
                : isinf(p->angle_threshold)            ? TextureReuseAll
                                                       : texture_reuse_of(p->angle_threshold);
  t->down = calloc(t->unit_count, sizeof *t->down);
  t->up = calloc(t->unit_count, sizeof *t->up);
  t->units = texture_units_create(&units, map, &memory, t->inside ? &link : NULL);
  if (!t->down || !t->up || !t->units) {
    err_set(err, ErrMachine, "out of memory");
    return false;
  }
  return true;
}

static bool create_cube(texturing_t *t, const texture_map_t *map, const cube_units_t *units,
                        uint32_t instance, err_t *err) {
  const texturing_params_t *p = &t->params;
  offload_unit_params_t offload = p->offload;
  atfim_params_t atfim = p->atfim;
  offload.units = t->unit_count;
  offload.count_width = atfim.count_width = 48;
  offload.observe = atfim.observe = true;
  t->cube = cube_create(&offload, &atfim, p->layers, map, t->memory, units, instance, err);
  return t->cube != NULL;
}

texturing_t *texturing_create(const texturing_params_t *params, const gpu_params_t *gpu,
                              const texture_map_t *map, const cube_units_t *units,
                              uint32_t instance, soc_t *soc, err_t *err) {
  texturing_t *t = calloc(1, sizeof *t);
  if (!t) {
    err_set(err, ErrMachine, "out of memory");
    return NULL;
  }
  t->params = *params;
  t->soc = soc;
  t->units_due = UINT64_MAX;
  t->inside = design_of(params)->memory == TextureMemoryVaults;
  t->unit_count = gpu->sms * gpu->texture_units;
  t->next_reset = params->reset_interval ? params->reset_interval : UINT64_MAX;
  // Its layers take turns in the cycles in which it is clocked. With warps the GPU, and so this, is
  // called as often as it asks for it, which must not count.
  t->rests = gpu->shader == GpuShaderWarp;
  bool ok = create_memory(t, err) && create_units(t, map, err);
  if (ok && design_of(params)->offloads) {
    ok = create_cube(t, map, units, instance, err);
  }
  if (!ok) {
    texturing_destroy(t);
    return NULL;
  }
  return t;
}

void texturing_destroy(texturing_t *t) {
  if (t) {
    cube_destroy(t->cube);
    texture_units_destroy(t->units);
    if (!t->soc) {
      memory_system_destroy(t->memory);
    }
    free(t->down);
    free(t->up);
    free(t);
  }
}

gpu_texturing_t texturing_attach(texturing_t *t) {
  gpu_texturing_t g = {.sampling = texturing_sampling(&t->params),
                       .units = t->units,
                       .angles = t->cube != NULL,
                       .wakes = t->soc != NULL};
  if (t->params.shares_memory) {
    g.memory = memory_system_port(t->memory, MemoryClientGpu);
  }
  return g;
}

// ---- The cycle

static void take_responses(texturing_t *t, uint64_t now) {
  memory_answer_t answer;
  memory_response_t r;
  while (t->port.pop(t->port.self, &answer)) {
    texture_units_memory_done(t->units, now, (uint32_t)answer.tag);
  }
  if (t->inside) {
    while (hmc_logic_pop(t->hmc, &r)) {
      texture_units_memory_done(t->units, now, (uint32_t)r.tag);
    }
    while (hmc_package_pop(t->hmc, &r)) {
      arrive(t, now, t->down, r.tag);
    }
    while (memory_system_pop_package(t->memory, &r)) {
      arrive(t, now, t->up, r.tag);
    }
  }
}

// In the memory, to or from it, or in the cube.
static bool under_way(const texturing_t *t) {
  return !memory_system_idle(t->memory) || (t->cube && !cube_idle(t->cube));
}

// Between the texture units and the cube.
static bool exchanges(const texturing_t *t) {
  return texture_units_offers(t->units) || cube_answers(t->cube)->answer_valid;
}

static unit_status_e step_cube(texturing_t *t, uint64_t now, uint32_t *error) {
  unit_status_e status = UnitOk;
  if (t->rests && !under_way(t) && !exchanges(t)) {
    return status;
  }
  if (now >= t->next_reset) {
    t->next_reset = now + t->params.reset_interval;
    status = cube_reset(t->cube);
  }
  if (exchanges(t)) {
    texture_units_offload(t->units, now, cube_answers(t->cube), cube_requests(t->cube));
  } else {
    cube_requests(t->cube)->request_valid = 0;
  }
  return status == UnitOk ? cube_step(t->cube, error) : status;
}

// The SoC steps the memory, and wakes the GPU's side when it answers.
static void step_beside_soc(texturing_t *t, uint64_t now, uint64_t *next) {
  bool does = t->units_due <= now || memory_system_answers(t->memory, MemoryClientTexture);
  take_responses(t, now);
  t->units_due = texture_units_step(t->units, now);
  *next = cycle_sooner(t->units_due, texture_units_next_result(t->units));
  *next = does || *next <= now ? now + 1 : *next;
}

unit_status_e texturing_step(texturing_t *t, uint64_t now, uint64_t *next, uint32_t *error) {
  unit_status_e status = UnitOk;
  *error = 0;
  if (t->soc) {
    step_beside_soc(t, now, next);
    return status;
  }
  memory_system_skip_to(t->memory, now);
  take_responses(t, now);
  uint64_t units = texture_units_step(t->units, now);
  // The contents of an answer take part in the next step.
  bool answers = t->cube && cube_answers(t->cube)->answer_valid;
  if (t->cube) {
    status = step_cube(t, now, error);
  }
  bool busy = under_way(t);
  if (busy) {
    memory_system_step(t->memory);
  }
  *next = busy || answers || units <= now ? now + 1 : units;
  return status;
}

unit_status_e texturing_finish(texturing_t *t) { return t->cube ? cube_finish(t->cube) : UnitOk; }

uint64_t texturing_refused(const texturing_t *t) {
  texturing_stats_t s;
  texturing_stats(t, &s);
  return t->params.read_errors ? 0 : t->hmc ? s.hmc.errors : s.gddr5.errors;
}

void texturing_stats(const texturing_t *t, texturing_stats_t *s) {
  *s = (texturing_stats_t){.units = *texture_units_stats(t->units), .cube = t->hmc != NULL};
  for (uint32_t i = 0; i < MemoryClients; i++) {
    s->clients[i] = *memory_system_stats(t->memory, i);
    s->clients[i].read_bytes -= t->before[i].read_bytes;
    s->clients[i].write_bytes -= t->before[i].write_bytes;
  }
  if (t->soc) {
    s->gddr5.errors = refused_by(t->memory) - t->errors_before;
  } else if (t->hmc) {
    hmc_stats(t->hmc, &s->hmc);
  } else {
    gddr5_stats(memory_system_gddr5(t->memory), &s->gddr5);
  }
  if (t->cube) {
    s->atfim = *cube_stats(t->cube);
  }
}

void texturing_describe(const texturing_t *t, text_t *text) {
  for (uint32_t u = 0; u < t->unit_count; u++) {
    text_put(text, u ? "; " : "");
    texture_units_describe(t->units, u, text);
  }
}
