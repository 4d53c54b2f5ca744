// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu_geometry.h"
#include "gpu_rate.h"
#include "gpu_warps.h"

// The parts. They step in this order: what answers from outside, the SMs, then the stages from the
// last to the first, so that a stage sees the room that the next one made: ROP, shading and early
// depth of each front, raster, geometry.
enum { PartMemory, PartSampler, PartSms, PartRaster, PartGeometry, PartCommands, PartFronts };
enum { FrontRop, FrontShading, FrontDepth, FrontParts };
enum { MostParts = PartFronts + GpuMaxFronts * FrontParts };

struct gpu {
  gpu_site_t site;
  gpu_part_t part[MostParts];
  uint32_t parts;
  gpu_pool_t *pool;
  gpu_commands_t *commands;
  gpu_geometry_t *geometry;
  gpu_raster_t *raster;
  gpu_front_t fronts[GpuMaxFronts];
  gpu_touches_t *touches;
  gpu_warps_t *warps;  // NULL: shading is a rate
  bool outside;        // has a shared memory or modelled texture units
  uint64_t now;
  uint64_t stages_next;  // nothing but warps is due before
  // Asked in each cycle, so kept from one step of the stages to the next.
  const gpu_draw_t *hold;  // that has been reached, or NULL
  gpu_activity_e activity;
  uint64_t activity_until;  // cycle before which it stays
};

static bool make_front(gpu_t *g, uint32_t number, gpu_memory_t *memory, gpu_sms_t sms) {
  gpu_front_t *f = &g->fronts[number];
  gpu_part_t *part = &g->part[PartFronts + number * FrontParts];
  gpu_site_t *site = &g->site;
  g->parts += FrontParts;
  return (f->rop = gpu_rop_create(&part[FrontRop], site, number, g->pool, memory, g->touches)) &&
         (f->shading =
              gpu_shading_create(&part[FrontShading], site, number, g->pool, memory, sms)) &&
         (f->depth =
              gpu_depth_create(&part[FrontDepth], site, number, g->pool, memory, f->shading));
}

// Makes the parts, each with what it hands on to: from the memory up to the command queue.
static bool make_parts(gpu_t *g, const gpu_units_t *units, err_t *err) {
  gpu_site_t *site = &g->site;
  gpu_part_t *part = g->part;
  bool by_warps = site->params.shader == GpuShaderWarp;
  gpu_sampler_t *sampler = NULL;
  gpu_sms_t sms;
  gpu_memory_t *memory = gpu_memory_create(&part[PartMemory], site);
  g->pool = gpu_pool_create(site);
  g->touches = gpu_touches_create();
  if (!memory || !g->pool || !g->touches ||
      (site->texturing.units &&
       !(sampler = gpu_sampler_create(&part[PartSampler], site, g->pool, by_warps)))) {
    return false;
  }
  if (by_warps) {
    g->warps = gpu_warps_create(&part[PartSms], site, g->pool, memory, sampler, &sms, units, err);
  }
  bool ok = by_warps ? g->warps != NULL
                     : gpu_rate_create(&part[PartSms], site, g->pool, memory, sampler, &sms);
  for (uint32_t i = 0; ok && i < site->fronts; i++) {
    ok = make_front(g, i, memory, sms);
  }
  return ok &&
         (g->raster =
              gpu_raster_create(&part[PartRaster], site, g->fronts, g->touches, units, err)) &&
         (g->commands = gpu_command_create(&part[PartCommands], site)) &&
         (g->geometry =
              gpu_geometry_create(&part[PartGeometry], site, g->commands, memory, g->raster));
}

gpu_t *gpu_create(const gpu_params_t *params, const frame_t *frame, uint32_t index,
                  const gpu_texturing_t *texturing, const gpu_units_t *units, err_t *err) {
  gpu_t *g = calloc(1, sizeof *g);
  if (!g) {
    return NULL;
  }
  gpu_site_t *s = &g->site;
  s->params = *params;
  s->frame = frame;
  s->index = index;
  s->texturing = *texturing;
  s->target_owners = calloc(frame->target_count + 1, sizeof *s->target_owners);
  s->depth_owners = calloc(frame->depth_count + 1, sizeof *s->depth_owners);
  s->costs = calloc(frame->command_count + 1, sizeof *s->costs);
  s->cluster_sms = gpu_params_cluster_sms(params);
  s->clusters = gpu_params_clusters(params);
  s->fronts = params->front == GpuFrontCluster ? s->clusters : 1;
  g->parts = PartFronts;
  g->outside = texturing->units || texturing->memory.push;
  if (!s->target_owners || !s->depth_owners || !s->costs ||
      !render_surfaces_create_waiting(frame, &s->targets, &s->depths) ||
      !make_parts(g, units, err)) {
    gpu_destroy(g);
    return NULL;
  }
  return g;
}

void gpu_destroy(gpu_t *g) {
  if (!g) {
    return;
  }
  for (uint32_t i = 0; i < g->parts; i++) {
    if (g->part[i].self) {
      g->part[i].destroy(g->part[i].self);
    }
  }
  free(g->pool);
  free(g->touches);
  if (g->site.targets) {
    render_surfaces_destroy(g->site.frame, g->site.targets, g->site.depths);
  }
  free(g->site.target_owners);
  free(g->site.depth_owners);
  free(g->site.costs);
  free(g);
}

// The map belongs to all surfaces of its size.
static void set_owners(const frame_surface_t *surfaces, uint32_t count, uint32_t width,
                       uint32_t height, const uint8_t *owners, const uint8_t **of) {
  for (uint32_t i = 0; i < count; i++) {
    if (surfaces[i].width == width && surfaces[i].height == height) {
      of[i] = owners;
    }
  }
}

void gpu_set_owners(gpu_t *g, uint32_t width, uint32_t height, const uint8_t *owners) {
  const frame_t *f = g->site.frame;
  set_owners(f->targets, f->target_count, width, height, owners, g->site.target_owners);
  set_owners(f->depths, f->depth_count, width, height, owners, g->site.depth_owners);
}

void gpu_set_coarse(gpu_t *g, gpu_coarse_t *coarse) { g->site.coarse = coarse; }

void gpu_answer_look(gpu_t *g, uint32_t depth) {
  g->site.coarse->seen = true;
  g->site.coarse->depth = depth;
  g->stages_next = 0;
}

void gpu_set_guard(gpu_t *g, gpu_guard_t *guard) { g->site.guard = guard; }

void gpu_take_memory(gpu_t *g, uint64_t now, uint32_t read_bytes, uint32_t write_bytes) {
  gpu_memory_pixels(g->part[PartMemory].self, now, read_bytes, false);
  gpu_memory_pixels(g->part[PartMemory].self, now, write_bytes, true);
}

bool gpu_draws_group(const gpu_t *g, uint32_t group) {
  const gpu_draw_t *d = gpu_raster_oldest(g->raster);
  return !d || (d->command.compose && d->command.group == group);
}

bool gpu_make_subimage(gpu_t *g, uint32_t target) {
  surface_t *t = &g->site.targets[target];
  size_t pixels = (size_t)t->tiles_x * t->tiles_y * SurfaceTilePixels;
  if (!t->subimage) {
    t->subimage = calloc(pixels, sizeof *t->subimage);
    t->subimage_written = calloc(pixels / SurfaceBlockPixels, sizeof *t->subimage_written);
  }
  return t->subimage && t->subimage_written;
}

bool gpu_make_costs(gpu_t *g, uint32_t count) {
  free(g->site.costs);
  g->site.costs = calloc((size_t)count + 1, sizeof *g->site.costs);
  return g->site.costs != NULL;
}

bool gpu_push(gpu_t *g, const gpu_command_t *command) {
  if (!gpu_command_push(g->commands, command)) {
    return false;
  }
  g->stages_next = 0;
  return true;
}

uint32_t gpu_take_credits(gpu_t *g) { return gpu_command_take_credits(g->commands); }

uint32_t gpu_take_progress(gpu_t *g) { return gpu_geometry_take_progress(g->geometry); }

void gpu_set_destinations(gpu_t *g, const uint64_t *destinations, const uint32_t *culled) {
  gpu_geometry_set_destinations(g->geometry, destinations, culled);
}

uint32_t gpu_projections(const gpu_t *g) { return gpu_geometry_projections(g->geometry); }

static bool fragments_full(const gpu_t *g) {
  for (uint32_t i = 0; i < g->site.fronts; i++) {
    if (gpu_shading_full(g->fronts[i].shading) || gpu_depth_full(g->fronts[i].depth)) {
      return true;
    }
  }
  return false;
}

// Tells if all fronts are empty; *done: the cycle at which the last ROP is through.
static bool fragments_drained(const gpu_t *g, uint64_t *done) {
  bool drained = true;
  *done = 0;
  for (uint32_t i = 0; i < g->site.fronts; i++) {
    *done = cycle_later(*done, gpu_rop_done(g->fronts[i].rop));
    drained = drained && gpu_depth_drained(g->fronts[i].depth);
  }
  return drained;
}

// Finds what holds the GPU up; it stays until cycle *until, if no stage steps before. Kept out of
// gpu_activity, which is called in each cycle.
__attribute__((noinline)) static gpu_activity_e find_activity(const gpu_t *g, uint64_t now,
                                                              uint64_t *until) {
  *until = GPU_NEVER;
  if (g->hold) {
    return GpuIsHeld;
  }
  if (fragments_full(g)) {
    return GpuInFragments;
  }
  if (gpu_raster_walks(g->raster, now, until)) {
    return GpuInRaster;
  }
  const gpu_entry_t *first = gpu_raster_first(g->raster);
  if (first) {
    // A triangle, clear or hold that is there waits for the pixels before it.
    *until = first->ready > now ? first->ready : GPU_NEVER;
    return first->ready > now ? GpuInGeometry : GpuInFragments;
  }
  const gpu_command_t *command = gpu_geometry_command(g->geometry, now, until);
  if (command) {
    return command->kind == GpuCommandProject ? GpuInProjection : GpuInGeometry;
  }
  uint64_t done;
  bool drained = fragments_drained(g, &done);
  *until = done > now ? done : GPU_NEVER;
  return drained && done <= now ? GpuWaitsForCommands : GpuInFragments;
}

gpu_activity_e gpu_activity(const gpu_t *g, uint64_t now, uint64_t *until) {
  *until = g->activity_until;
  return now < g->activity_until ? g->activity : find_activity(g, now, until);
}

// Returns the cycle at which everything that left the queues is done.
static uint64_t last_write(const gpu_t *g) {
  uint64_t last = 0;
  for (uint32_t i = PartRaster; i < g->parts; i++) {
    const gpu_part_t *p = &g->part[i];
    last = p->done ? cycle_later(last, p->done(p->self)) : last;
  }
  return last;
}

static bool is_empty(const gpu_part_t *p) { return !p->empty || p->empty(p->self); }

// Tells if an answer of the shared memory or the texture units is to come.
static bool waits_outside(const gpu_t *g) {
  return g->outside && (!is_empty(&g->part[PartMemory]) || !is_empty(&g->part[PartSampler]));
}

// Tells if the next cycle may bring something although nobody wakes the GPU.
static bool moves_outside(const gpu_t *g) {
  return !g->site.texturing.wakes || gpu_memory_moves(g->part[PartMemory].self) ||
         gpu_sampler_moves(g->part[PartSampler].self);
}

// One pass over the parts does all that is due, because a stage takes what the one before hands on
// a cycle later at the earliest. A stage that hands on to an empty queue says when the next one can
// go on.
uint64_t gpu_advance(gpu_t *g, uint64_t now) {
  uint64_t next = GPU_NEVER, warps_next = GPU_NEVER;
  g->now = now;
  for (uint32_t i = PartMemory; g->outside && i <= PartSampler; i++) {
    if (g->part[i].step) {
      g->part[i].step(g->part[i].self, now, &next);
    }
  }
  // Most of the time warps go on by themselves.
  if (g->warps && !gpu_warps_step(g->warps, now, &warps_next) && now < g->stages_next) {
    return cycle_sooner(warps_next, g->stages_next);
  }
  for (uint32_t i = PartFronts; i < g->parts; i++) {
    g->part[i].step(g->part[i].self, now, &next);
  }
  for (uint32_t i = PartRaster; i <= PartGeometry; i++) {
    g->part[i].step(g->part[i].self, now, &next);
  }
  g->hold = gpu_raster_held(g->raster);
  g->activity = find_activity(g, now, &g->activity_until);
  // Responses come from outside, in any cycle.
  if (waits_outside(g)) {
    g->stages_next = 0;
    return moves_outside(g) ? now + 1 : cycle_sooner(next, warps_next);
  }
  if (next == GPU_NEVER && last_write(g) > now) {
    next = last_write(g);  // gpu_idle turns true
  }
  g->stages_next = next;
  return cycle_sooner(next, warps_next);
}

bool gpu_held(const gpu_t *g, uint32_t *token) {
  if (g->hold) {
    *token = g->hold->command.token;
  }
  return g->hold;
}

void gpu_release(gpu_t *g, uint64_t now, uint32_t background_command) {
  uint64_t until = gpu_rop_compose(g->fronts[0].rop, now, background_command);
  gpu_raster_release(g->raster, now, until);
  gpu_geometry_release(g->geometry);
  g->hold = NULL;
  g->activity_until = 0;
  g->stages_next = 0;
}

const gpu_touch_t *gpu_touch(const gpu_t *g) { return gpu_touches_first(g->touches); }

void gpu_touch_pop(gpu_t *g) {
  gpu_touches_pop(g->touches);
  g->stages_next = 0;
}

bool gpu_idle(const gpu_t *g) {
  for (uint32_t i = g->parts; i-- > 0;) {
    if (!is_empty(&g->part[i])) {
      return false;
    }
  }
  return last_write(g) <= g->now;
}

bool gpu_busy(const gpu_t *g, uint64_t now) {
  for (uint32_t i = 0; i < g->parts; i++) {
    const gpu_part_t *p = &g->part[i];
    if (p->busy && p->busy(p->self, now)) {
      return true;
    }
  }
  return false;
}

static void settle(const surface_t *s) {
  for (size_t tile = 0; tile < (size_t)s->tiles_x * s->tiles_y; tile++) {
    surface_touch(s, tile);
  }
}

void gpu_settle(gpu_t *g) {
  for (uint32_t i = 0; i < g->site.frame->target_count; i++) {
    settle(&g->site.targets[i]);
  }
  for (uint32_t i = 0; i < g->site.frame->depth_count; i++) {
    settle(&g->site.depths[i]);
  }
}

surface_t *gpu_target(gpu_t *g, uint32_t index) { return &g->site.targets[index]; }
surface_t *gpu_depth(gpu_t *g, uint32_t index) { return &g->site.depths[index]; }
const gpu_stats_t *gpu_stats(const gpu_t *g) { return &g->site.stats; }
const gpu_draw_cost_t *gpu_draw_costs(const gpu_t *g) { return g->site.costs; }

const shader_stats_t *gpu_shader_stats(const gpu_t *g) {
  return g->warps ? gpu_warps_stats(g->warps) : NULL;
}

const gpu_dispatch_stats_t *gpu_dispatch_stats(const gpu_t *g) {
  return g->warps && g->site.params.dispatch ? gpu_warps_dispatch(g->warps) : NULL;
}

const gpu_fault_t *gpu_fault(const gpu_t *g) { return &g->site.fault; }

uint32_t gpu_lanes(const gpu_t *g) { return g->site.params.lanes; }

static void describe(const gpu_part_t *p, text_t *text) {
  if (p->describe) {
    p->describe(p->self, text);
  }
}

void gpu_describe(const gpu_t *g, text_t *text) {
  for (uint32_t i = PartCommands; i >= PartSms; i--) {
    describe(&g->part[i], text);
  }
  for (uint32_t i = g->parts; i-- > PartFronts;) {
    if (g->site.fronts > 1 && (i - PartFronts) % FrontParts == FrontDepth) {
      text_format(text, "; front %u", (i - PartFronts) / FrontParts);
    }
    describe(&g->part[i], text);
  }
}
