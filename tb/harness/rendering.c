// SPDX-License-Identifier: Apache-2.0
#include "rendering.h"

#include <string.h>

#include "csim/units/pixel_distributor/golden.h"
#include "draw_watch.h"
#include "session.h"

void rendering_end(rendering_t *r) {
  check_destroy(r->check);
  machine_destroy(r->machine);
  harness_destroy(r->harness);
  driver_memory_destroy(r->rehearsed);
}

machine_units_t rendering_units(harness_t *h) {
  return (machine_units_t){.context = h,
                           .draw_scheduler = harness_draw_scheduler,
                           .composition_scheduler = harness_composition_scheduler,
                           .lookahead_scheduler = harness_lookahead_scheduler,
                           .pixel_distributor = harness_pixel_distributor_at,
                           .coarse_depth = harness_coarse_depth_at,
                           .cube = {h, harness_offload_unit_at, harness_atfim_at},
                           .gpu = {h, harness_primitive_distributor_at, harness_tile_coalescer_at},
                           .merge = pixel_merge_all};
}

// Makes the draw scheduler; one of the user's own is watched.
static bool make_draw_scheduler(void *context, const draw_scheduler_params_t *params,
                                draw_scheduler_t *engine, err_t *err) {
  harness_t *h = context;
  if (!harness_draw_scheduler(h, params, engine, err)) {
    return false;
  }
  if (harness_own(h, "draw_scheduler")) {
    h->watch = draw_watch_create(params, engine, h->units[h->count - 1]);
  }
  return h->watch || !harness_own(h, "draw_scheduler") || err_memory(err, "draw_scheduler");
}

// Renders the frame for what a driver remembers of it, by the built-in policy: what draws cost must
// not depend on that of the user.
static bool rehearse(rendering_t *r, const harness_options_t *options,
                     const machine_params_t *params, const frame_t *frame,
                     const driver_memory_t *memory, err_t *err) {
  const harness_options_t h = {.engine = EngineGolden, .seed = options->seed, .unreported = true};
  machine_params_t p = *params;
  rendering_t first = {.unjudged = true};
  p.rehearse = false;
  r->rehearsed = driver_memory_make();
  bool ok = r->rehearsed && rendering_make(&first, &h, &p, frame, memory, err);
  const machine_status_e status = ok ? rendering_run(&first, NULL, NULL) : MachineUnitFailed;
  if (ok && status != MachineDone) {
    text_t text = {0};
    rendering_failure(&first, status, &text);
    ok = err_set(err, ErrCheck, "driver.rehearse: %s", text_string(&text));
    text_free(&text);
  } else if (ok) {
    ok = machine_remember(first.machine, r->rehearsed);
  }
  rendering_end(&first);
  return ok || (!err_is_set(err) && err_memory(err, "driver.rehearse"));
}

bool rendering_make(rendering_t *r, const harness_options_t *options,
                    const machine_params_t *params, const frame_t *frame,
                    const driver_memory_t *memory, err_t *err) {
  harness_options_t h = *options;
  if (params->rehearse && machine_composes(params)) {
    if (!rehearse(r, options, params, frame, memory, err)) {
      return false;
    }
    memory = r->rehearsed;
  }
  h.clock = &r->clock;
  h.behind = true;
  if (r->soc) {
    soc_session_leave(r->soc, &h);
  }
  r->harness = harness_create(&h);
  if (!r->harness) {
    return err_set(err, ErrMachine, "out of memory");
  }
  machine_units_t units = rendering_units(r->harness);
  units.draw_scheduler = make_draw_scheduler;
  units.policy = h.driver ? &h.driver->policy : NULL;
  units.soc = r->soc ? r->soc->soc : NULL;
  r->machine = machine_create(params, frame, memory, &units, err);
  if (!r->machine) {
    harness_settle(r->harness);
    if (harness_failure(r->harness)) {
      err_free(err);
    } else if (err->status != ErrMachine) {
      err->status = harness_lacking(r->harness) ? ErrMachine : ErrCheck;
    }
    return false;
  }
  if (h.driver && h.driver->failure) {
    return err_set(err, ErrCheck, "%s", h.driver->failure);
  }
  machine_watch_clock(r->machine, &r->clock);
  if (r->unjudged) {
    return true;
  }
  r->check =
      check_create(frame, machine_plan(r->machine), machine_gpu_count(r->machine),
                   texturing_sampling(&params->texturing), texturing_reuses(&params->texturing));
  if (!r->check) {
    return err_set(err, ErrMachine, "out of memory for the reference picture");
  }
  check_start(r->check, r->hashed);
  return true;
}

machine_status_e rendering_run(rendering_t *r, machine_progress_t progress, void *context) {
  machine_status_e status = machine_run(r->machine, progress, context);
  bool good = harness_settle(r->harness);
  good = (!r->soc || harness_settle(r->soc->harness)) && good;
  return good ? status : MachineUnitFailed;
}

void rendering_failure(const rendering_t *r, machine_status_e status, text_t *text) {
  static const char *const Classes[] = {"", "MISMATCH", "HANG", "PROTOCOL"};
  const char *report = harness_failure(r->harness);
  report = report || !r->soc ? report : harness_failure(r->soc->harness);
  if (report) {
    text_put(text, report);
    return;
  }
  text_format(text, "%s: %s\n", Classes[status], machine_report(r->machine));
  if (status == MachineHang) {
    harness_describe(r->harness, text);
    if (r->soc) {
      harness_describe(r->soc->harness, text);
    }
    if (r->harness->watch) {
      draw_watch_describe(r->harness->watch, text);
    }
  }
}
