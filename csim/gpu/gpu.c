// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_internal.h"

enum { ClipRoom = 64 };  // triangles that clipping may make of one

// Clusters of SMs; without a static map all are one.
static void make_clusters(gpu_t *g) {
  const gpu_params_t *p = &g->params;
  bool warps = p->shader == GpuShaderWarp;
  g->cluster_sms = p->dispatch == GpuDispatchFree ? p->sms : p->cluster_sms;
  g->clusters = (p->sms + g->cluster_sms - 1) / g->cluster_sms;
  g->stamp_limit = g->cluster_sms * p->threads / 4;
  g->cluster = calloc(g->clusters, sizeof *g->cluster);
  g->triangle_places = warps ? GpuTriangles : GpuRateTriangles;
  g->places = warps ? GpuBlocks : GpuRateBlocks;
  for (uint32_t i = 0; i < g->places; i++) {
    g->free_place[g->free_places.count++] = (uint16_t)i;
  }
}

gpu_t *gpu_create(const gpu_params_t *params, const frame_t *frame, uint32_t index,
                  const gpu_texturing_t *texturing) {
  gpu_t *g = calloc(1, sizeof *g);
  if (!g) {
    return NULL;
  }
  g->params = *params;
  g->frame = frame;
  g->index = index;
  g->texturing = *texturing;
  g->target_owners = calloc(frame->target_count + 1, sizeof *g->target_owners);
  g->depth_owners = calloc(frame->depth_count + 1, sizeof *g->depth_owners);
  g->costs = calloc(frame->command_count + 1, sizeof *g->costs);
  rng_seed(&g->retain, index);
  make_clusters(g);
  if (!g->target_owners || !g->depth_owners || !g->costs ||
      !render_surfaces_create(frame, &g->targets, &g->depths) ||
      !g->cluster || !gpu_memory_create(g) || (texturing->units && !gpu_texture_create(g)) ||
      (params->shader == GpuShaderWarp && !gpu_warps_create(g))) {
    gpu_destroy(g);
    return NULL;
  }
  g->entry_limit = params->triangle_queue + params->geometry_latency * params->triangle_rate;
  if (g->entry_limit > GpuEntries - ClipRoom) {
    g->entry_limit = GpuEntries - ClipRoom;
  }
  return g;
}

void gpu_destroy(gpu_t *g) {
  if (!g) {
    return;
  }
  if (g->targets) {
    render_surfaces_destroy(g->frame, g->targets, g->depths);
  }
  gpu_memory_destroy(g);
  gpu_texture_destroy(g);
  gpu_warps_destroy(g);
  free(g->cluster);
  free(g->target_owners);
  free(g->depth_owners);
  free(g->costs);
  free(g);
}

void gpu_set_owners(gpu_t *g, uint32_t width, uint32_t height, const uint8_t *owners) {
  for (uint32_t i = 0; i < g->frame->target_count; i++) {
    const frame_surface_t *f = &g->frame->targets[i];
    if (f->width == width && f->height == height) {
      g->target_owners[i] = owners;
    }
  }
  for (uint32_t i = 0; i < g->frame->depth_count; i++) {
    const frame_surface_t *f = &g->frame->depths[i];
    if (f->width == width && f->height == height) {
      g->depth_owners[i] = owners;
    }
  }
}

bool gpu_make_subimage(gpu_t *g, uint32_t target) {
  surface_t *t = &g->targets[target];
  size_t pixels = (size_t)t->tiles_x * t->tiles_y * SurfaceTilePixels;
  if (!t->subimage) {
    t->subimage = calloc(pixels, sizeof *t->subimage);
    t->subimage_written = calloc(pixels / SurfaceBlockPixels, sizeof *t->subimage_written);
  }
  return t->subimage && t->subimage_written;
}

bool gpu_push(gpu_t *g, const gpu_command_t *command) {
  if (g->command_queue.count >= g->params.queue) {
    return false;
  }
  g->commands[(g->command_queue.head + g->command_queue.count++) % GpuCommands] = *command;
  g->stages_next = 0;
  return true;
}

uint32_t gpu_take_credits(gpu_t *g) {
  uint32_t n = g->credits;
  g->credits = 0;
  return n;
}

// Draws that have left the ROP since the last look.
static uint32_t retire(gpu_t *g) {
  uint32_t weight = 0, oldest = gpu_oldest_draw(g);
  for (; g->retired != oldest; g->retired++) {
    const gpu_command_t *c = &g->draws[g->retired % GpuDraws].command;
    weight += c->kind == GpuCommandDraw && c->report ? c->weight : 0;
  }
  return weight;
}

uint32_t gpu_take_progress(gpu_t *g) {
  uint32_t n = g->progress + retire(g);
  g->progress = 0;
  return n;
}

void gpu_set_destinations(gpu_t *g, const uint64_t *destinations, const uint32_t *culled) {
  g->destinations = destinations;
  g->culled = culled;
}

uint32_t gpu_projections(const gpu_t *g) { return g->projections; }

// Shading takes no more in some cluster.
static bool shading_full(const gpu_t *g) {
  for (uint32_t c = 0; c < g->clusters; c++) {
    if (g->warps ? !gpu_warps_room(g, c) : g->cluster[c].stamps_in_flight >= g->stamp_limit) {
      return true;
    }
  }
  return false;
}

gpu_activity_e gpu_activity(const gpu_t *g, uint64_t now) {
  if (g->held) {
    return GpuIsHeld;
  }
  if (shading_full(g) || g->depth_queue.count >= g->params.depth_queue) {
    return GpuInFragments;
  }
  if (g->raster_active || g->raster_free > now) {
    return GpuInRaster;
  }
  if (g->triangles.count > 0) {
    // A triangle, clear or hold that is there waits for the pixels before it.
    return g->entries[g->triangles.head].ready > now ? GpuInGeometry : GpuInFragments;
  }
  if (g->geometry_active && g->geometry_time / GpuTimeOne > now) {
    uint8_t kind = g->draws[g->draw_sequence % GpuDraws].command.kind;
    return kind == GpuCommandProject ? GpuInProjection : GpuInGeometry;
  }
  return gpu_drained(g) && g->rop_free <= now ? GpuWaitsForCommands : GpuInFragments;
}

// When everything that left the queues is done.
static uint64_t last_write(const gpu_t *g) {
  return cycle_later(cycle_later(g->rop_free, g->depth_free), g->raster_free);
}

static bool waits_outside(const gpu_t *g) {
  return (g->texturing.memory.push && (g->request_queue.count || g->reads_under_way)) ||
         (g->texturing.units && gpu_texture_busy(g));
}

// From the end to the front, so that a stage sees the room that the next one made. What
// a stage hands on is taken a cycle later at the earliest, so one pass does it; a stage
// that hands on to an empty queue says when the next one can go on.
uint64_t gpu_advance(gpu_t *g, uint64_t now) {
  uint64_t next = GPU_NEVER, warps_next = GPU_NEVER;
  g->now = now;
  if (g->texturing.memory.push) {
    gpu_memory_step(g, now);
  }
  if (g->texturing.units) {
    gpu_texture_step(g, now);
  }
  // Most of the time warps go on by themselves.
  if (g->warps && !gpu_warps_step(g, now, &warps_next) && now < g->stages_next) {
    return cycle_sooner(warps_next, g->stages_next);
  }
  gpu_rop_step(g, now, &next);
  gpu_shading_step(g, now, &next);
  gpu_depth_step(g, now, &next);
  gpu_raster_step(g, now, &next);
  gpu_geometry_step(g, now, &next);
  // Responses come from outside, in any cycle.
  if (waits_outside(g)) {
    g->stages_next = 0;
    return now + 1;
  }
  if (next == GPU_NEVER && last_write(g) > now) {
    next = last_write(g);  // gpu_idle turns true
  }
  g->stages_next = next;
  return cycle_sooner(next, warps_next);
}

bool gpu_held(const gpu_t *g, uint32_t *token) {
  if (g->held) {
    *token = g->draws[g->entries[g->triangles.head].draw % GpuDraws].command.token;
  }
  return g->held;
}

void gpu_release(gpu_t *g, uint64_t now, uint32_t background_command) {
  uint64_t cycles = 0;
  if (background_command != UINT32_MAX) {
    const frame_state_t *s = &g->frame->commands[background_command].state;
    surface_t *t = &g->targets[s->color_target];
    uint32_t tiles = t->tiles_x * t->tiles_y, pixels = 0;
    const uint8_t *owners = g->target_owners[s->color_target];
    for (uint32_t i = 0; i < tiles && t->subimage; i++) {
      if (!owners || owners[i] == g->index) {
        pixels += render_background(s, t, i);
      }
    }
    if (t->subimage) {
      memset(t->subimage_written, 0,
             (size_t)tiles * SurfaceBlocksPerTile * sizeof *t->subimage_written);
    }
    cycles = pixels / (4 * g->params.rop_stamps);
    g->stats.color_bytes += 8ull * pixels;
  }
  g->stats.held += now - g->held_since;
  g->stages_next = 0;
  g->held = false;
  g->geometry_waits = false;
  gpu_ring_pop(&g->triangles, GpuEntries);
  g->raster_free = g->rop_free = g->stopped_until = now + cycles;
}

const gpu_touch_t *gpu_touch(const gpu_t *g) {
  return g->touch_queue.count ? &g->touches[g->touch_queue.head] : NULL;
}

void gpu_touch_pop(gpu_t *g) {
  gpu_ring_pop(&g->touch_queue, GpuTouches);
  g->stages_next = 0;
}

bool gpu_idle(const gpu_t *g) {
  return g->command_queue.count == 0 && g->triangles.count == 0 && gpu_drained(g) &&
         !waits_outside(g) && last_write(g) <= g->now;
}

bool gpu_busy(const gpu_t *g, uint64_t now) {
  bool busy = (g->geometry_active && g->geometry_time / GpuTimeOne > now) || last_write(g) > now ||
              g->shading_free > now;
  busy = busy || (g->triangles.count && g->entries[g->triangles.head].ready > now);
  busy = busy || (g->depth_queue.count && g->to_depth[g->depth_queue.head].ready > now);
  busy = busy || (g->shading_queue.count && g->to_shading[g->shading_queue.head].ready > now);
  if (g->warps) {
    return busy || gpu_warps_due(g);
  }
  for (uint32_t c = 0; c < g->clusters && !busy; c++) {
    const gpu_ring_t *r = &g->cluster[c].ring;
    busy = r->count && g->to_rop[g->cluster[c].slots[r->head]].ready > now;
  }
  return busy;
}

surface_t *gpu_target(gpu_t *g, uint32_t index) { return &g->targets[index]; }
surface_t *gpu_depth(gpu_t *g, uint32_t index) { return &g->depths[index]; }
const gpu_stats_t *gpu_stats(const gpu_t *g) { return &g->stats; }
const gpu_draw_cost_t *gpu_draw_costs(const gpu_t *g) { return g->costs; }

const shader_stats_t *gpu_shader_stats(const gpu_t *g) {
  return g->warps ? gpu_warps_stats(g) : NULL;
}

const gpu_dispatch_stats_t *gpu_dispatch_stats(const gpu_t *g) {
  return g->params.dispatch == GpuDispatchG80 ? gpu_warps_dispatch(g) : NULL;
}

uint32_t gpu_lanes(const gpu_t *g) { return g->params.lanes; }

void gpu_describe(const gpu_t *g, char *text, size_t size) {
  snprintf(text, size, "%u commands queued, geometry %s, %u triangles before raster%s, blocks: "
           "%u before depth, %u before shading, %u before ROP, %u touches",
           g->command_queue.count, g->geometry_active ? "busy" : "idle", g->triangles.count,
           g->held ? " (held)" : "", g->depth_queue.count, g->shading_queue.count,
           g->in_rop, g->touch_queue.count);
}
