// SPDX-License-Identifier: Apache-2.0
#include "distribution_unit.h"

static uint32_t max_side(uint32_t have, uint32_t need) {
  while (have < need) {
    have *= 2;
  }
  return have;
}

pixel_distributor_params_t distribution_unit_params(const machine_params_t *machine,
                                                    const frame_t *f) {
  pixel_distributor_params_t p = {.gpus = machine->gpus,
                                  .tile_log2 = 6,
                                  .cell = machine->cell_mode,
                                  .beat_bytes = 16u << machine->beat_bytes,
                                  .max_width = 2048,
                                  .max_height = 2048,
                                  .send_depth = 64,
                                  .receive_depth = 64,
                                  .count_width = 48,
                                  .count_cells = machine_lookahead(machine) > 0};
  for (uint32_t i = 0; i < f->target_count + f->depth_count; i++) {
    const frame_surface_t *s =
        i < f->target_count ? &f->targets[i] : &f->depths[i - f->target_count];
    p.max_width = max_side(p.max_width, s->width);
    p.max_height = max_side(p.max_height, s->height);
  }
  return p;
}

bool distribution_unit_create(distribution_unit_t *d, const pixel_distributor_params_t *params,
                              uint32_t g, const machine_units_t *units, err_t *err) {
  if (!units->pixel_distributor(units->context, params, g, &d->engine, err)) {
    return false;
  }
  d->engine.reset(d->engine.self, &d->out);
  d->in.gpu = (uint8_t)g;
  return true;
}

void distribution_unit_configure(distribution_unit_t *d, const machine_params_t *machine,
                                 uint32_t width, uint32_t height) {
  d->in.config_width = (uint16_t)width;
  d->in.config_height = (uint16_t)height;
  d->in.config_map = (uint8_t)machine->map_mode;
  d->in.config_work_tile = (uint8_t)machine->work_tile;
}

bool distribution_unit_step(distribution_unit_t *d, uint64_t now, halt_t *halt) {
  unit_status_e status = d->engine.step(d->engine.self, &d->in, &d->out);
  return halt_check(halt, now, &pixel_distributor_info, d->in.gpu, status, d->out.error);
}
