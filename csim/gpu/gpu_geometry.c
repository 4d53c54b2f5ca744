// SPDX-License-Identifier: Apache-2.0
#include "gpu_geometry.h"

#include <stdlib.h>

#include "../memory/dram.h"

enum {
  GeometryStep = 16,      // triangles that geometry passes at most in one go
  VertexFetch = 1 << 15,  // bytes of vertices that are asked for in one go
};

struct gpu_geometry {
  gpu_site_t *site;
  gpu_commands_t *commands;
  gpu_memory_t *memory;
  gpu_raster_t *raster;
  bool active;
  bool waits;      // for the release of a hold
  uint64_t since;  // cycle at which the draw in work began
  uint32_t next_ordinal, next_triangle, end_triangle, end_ordinal;
  uint64_t time;                 // in 1/256 cycles
  uint64_t busy_geometry;        // in 1/256 cycles
  uint64_t busy_projection;      // in 1/256 cycles
  const uint64_t *destinations;  // of each triangle of the frame, for sorted draws
  const uint32_t *culled;        // that come with each of them
  uint32_t projections;          // commands done
  uint32_t progress;             // triangles to report
  uint32_t retired;        // sequence number: draws before it have left the ROP, and are reported
  uint64_t triangle_cost;  // of a submitted triangle, in 1/256 cycles
  uint64_t vertex_cost;    // of a submitted triangle, in 1/256 bytes
  uint64_t vertex_due;     // not yet read, in 1/256 bytes
  uint32_t step;           // submitted triangles on their way, out at `time`
  bool step_emits;         // the last of them survives
  bool step_fetches;       // their vertices count in vertex_due already
  uint32_t sequence;       // of the draw in work
  gpu_draw_t draws[GpuDraws];
};

static gpu_draw_t *draw_of(gpu_geometry_t *g, uint32_t sequence) {
  return &g->draws[sequence % GpuDraws];
}

static uint32_t oldest_draw(const gpu_geometry_t *g) {
  const gpu_draw_t *d = gpu_raster_oldest(g->raster);
  return d ? d->sequence : g->sequence;
}

static surface_owners_t owners_of(const gpu_site_t *site, const frame_state_t *s) {
  if (s->color_target != FrameNone) {
    return (surface_owners_t){site->target_owners[s->color_target],
                              site->targets[s->color_target].tiles_x};
  }
  if (s->depth_buffer != FrameNone) {
    return (surface_owners_t){site->depth_owners[s->depth_buffer],
                              site->depths[s->depth_buffer].tiles_x};
  }
  return (surface_owners_t){NULL, 0};
}

// Returns the cycles of one submitted triangle in 1/256: the slowest of the parts, which work in
// parallel. Vertex programs run on all lanes of all SMs.
static uint64_t triangle_cost(const gpu_params_t *p, const frame_cmd_t *c, uint32_t program) {
  uint64_t n = c->triangles_in ? c->triangles_in : 1;
  uint64_t index = (uint64_t)GpuTimeOne * c->indices / (n * p->index_rate);
  uint64_t fetch = (uint64_t)GpuTimeOne * c->vertices_in / (n * p->vertex_rate);
  uint64_t shade = (uint64_t)GpuTimeOne * c->vertices_in * program / (n * p->sms * p->lanes);
  uint64_t setup = GpuTimeOne / p->triangle_rate;
  return cycle_later(cycle_later(cycle_later(index, fetch), cycle_later(shade, setup)), 1);
}

// Finds the first surviving triangle of a draw that comes from this ordinal or a later one.
static uint32_t find_ordinal(const frame_t *f, const frame_cmd_t *c, uint32_t ordinal) {
  uint32_t low = c->first_triangle, high = low + c->triangle_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (f->triangles[middle].ordinal < ordinal) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Returns the cycles of a texture unit for a stamp whose program reads so many textures.
static uint64_t texture_cycles(const gpu_params_t *p, uint32_t reads) {
  uint32_t next = p->texture_next_cycles ? p->texture_next_cycles : p->texture_cycles;
  return reads ? p->texture_cycles + (uint64_t)(reads - 1) * next : 0;
}

static void resolve(const gpu_site_t *site, gpu_draw_t *d) {
  const gpu_command_t *command = &d->command;
  const frame_cmd_t *c = &site->frame->commands[command->command];
  const frame_state_t *s = &c->state;
  const gpu_params_t *p = &site->params;
  render_draw_make(&d->draw, site->frame, s, site->targets, site->depths, site->texturing.sampling);
  d->draw.mode = (render_mode_t){.compose = command->compose && !command->subimage,
                                 .subimage = command->subimage,
                                 .ties = site->guard && command->compose && !command->subimage,
                                 .tag = site->guard ? (uint8_t)site->index : command->tag,
                                 .group = command->group};
  d->owners = command->region == GpuRegionOwned ? owners_of(site, s) : (surface_owners_t){NULL, 0};
  d->late = render_is_late(s);
  d->tests = d->draw.depth && (s->depth_test || s->stencil_test);
  d->colors = d->draw.color && s->color_mask;
  d->runs = d->colors || (s->alpha_test && s->alpha_func != FrameFuncAlways);
  d->reads_color = s->blend || s->color_mask != 15;
  d->issue_cost = (uint64_t)GpuTimeOne * 4 * c->fragment_length / p->lanes;
  d->texture_cost = GpuTimeOne * texture_cycles(p, d->draw.shade.stage_count) / p->texture_units;
}

// Goes to the next triangle of a sorted draw that is this GPU's. Those before it cost nothing.
static bool skip_to_own(gpu_geometry_t *g) {
  const frame_triangle_t *triangles = g->site->frame->triangles;
  while (g->next_triangle < g->end_triangle &&
         triangles[g->next_triangle].ordinal < g->end_ordinal) {
    if (g->destinations[g->next_triangle] >> g->site->index & 1) {
      return true;
    }
    g->next_triangle++;
  }
  return false;
}

// Takes the next few triangles of the draw in work: up to a surviving one, or a full step.
// They leave at `time`.
static void take_step(gpu_geometry_t *g, const gpu_command_t *command) {
  gpu_stats_t *stats = &g->site->stats;
  g->step_fetches = false;
  if (command->sorted && !skip_to_own(g)) {
    g->step = 0;
    g->step_emits = false;
    g->next_ordinal = g->end_ordinal;
    return;
  }
  uint32_t survivor = g->next_triangle < g->end_triangle
                          ? g->site->frame->triangles[g->next_triangle].ordinal
                          : g->end_ordinal;
  uint32_t to = survivor < g->end_ordinal ? survivor + 1 : g->end_ordinal;
  g->step_emits = survivor < g->end_ordinal;
  if (!command->sorted && to - g->next_ordinal > GeometryStep) {
    to = g->next_ordinal + GeometryStep;
    g->step_emits = false;
  }
  g->step = command->sorted ? 1 + g->culled[g->next_triangle] : to - g->next_ordinal;
  g->next_ordinal = to;
  uint64_t time = (uint64_t)g->step * g->triangle_cost;
  g->time += time;
  if (command->kind == GpuCommandProject) {
    g->busy_projection += time;
    stats->busy_projection = g->busy_projection / GpuTimeOne;
  } else {
    g->busy_geometry += time;
    stats->busy_geometry = g->busy_geometry / GpuTimeOne;
  }
}

// Charges what a draw costs beside its own triangles: the vertices that the piece before it has
// shaded, a post-transform cache full of them, and the projection of a scouted draw.
static void charge_extra(gpu_geometry_t *g, const gpu_command_t *command) {
  const gpu_params_t *p = &g->site->params;
  const frame_cmd_t *c = &g->site->frame->commands[command->command];
  if (command->first > 0) {
    uint64_t n = p->cut_vertices;
    uint64_t shade = n * c->vertex_length / ((uint64_t)p->sms * p->lanes);
    g->time += cycle_later(n / p->vertex_rate, shade) * GpuTimeOne;
    g->vertex_due += n * p->vertex_bytes * GpuTimeOne;
  }
  if (command->scouted) {
    bool shorter = c->vertex_length > p->projection_length;
    uint64_t each = triangle_cost(p, c, shorter ? p->projection_length : c->vertex_length);
    uint64_t time = (uint64_t)p->draw_cycles * GpuTimeOne + c->triangles_in * each;
    g->time += time;
    g->busy_projection += time;
    g->site->stats.busy_projection = g->busy_projection / GpuTimeOne;
    g->site->stats.projected += c->triangles_in;
    g->vertex_due += (uint64_t)c->vertices_in * p->projection_bytes * GpuTimeOne;
  }
}

// Begins the primitives of a draw or projection. A projection computes the positions only: a
// shorter program on less data.
static void begin_primitives(gpu_geometry_t *g, const gpu_command_t *command) {
  const gpu_params_t *p = &g->site->params;
  const frame_cmd_t *c = &g->site->frame->commands[command->command];
  bool draws = command->kind == GpuCommandDraw;
  bool shorter = !draws && c->vertex_length > p->projection_length;
  g->triangle_cost = triangle_cost(p, c, shorter ? p->projection_length : c->vertex_length);
  g->vertex_cost = (uint64_t)GpuTimeOne * c->vertices_in *
                   (draws ? p->vertex_bytes : p->projection_bytes) /
                   cycle_later(c->triangles_in, 1);
  g->next_ordinal = command->first;
  g->end_ordinal = command->first + command->count;
  g->next_triangle = draws ? find_ordinal(g->site->frame, c, g->next_ordinal) : 0;
  g->end_triangle = draws ? c->first_triangle + c->triangle_count : 0;
  g->time += (uint64_t)p->draw_cycles * GpuTimeOne;
  if (draws) {
    charge_extra(g, command);
  }
  take_step(g, command);
}

static void begin(gpu_geometry_t *g, uint64_t now, const gpu_command_t *command) {
  gpu_draw_t *d = draw_of(g, g->sequence);
  *d = (gpu_draw_t){.command = *command, .sequence = g->sequence};
  g->active = true;
  g->time = cycle_later(g->time, now * GpuTimeOne);
  g->step = 0;
  g->step_emits = false;
  g->next_ordinal = g->end_ordinal = 0;
  if (command->kind == GpuCommandDraw || command->kind == GpuCommandClear) {
    resolve(g->site, d);
  }
  if (command->kind == GpuCommandDraw) {
    d->cost = &g->site->costs[command->cost];
    g->since = g->time / GpuTimeOne;
    d->cost->begin = d->cost->triangles ? d->cost->begin : g->since;
    d->cost->triangles += command->count;
    g->site->stats.draws++;
  }
  if (command->kind == GpuCommandDraw || command->kind == GpuCommandProject) {
    begin_primitives(g, command);
  }
}

static void push_entry(gpu_geometry_t *g, uint64_t now, uint64_t *next, uint32_t triangle) {
  gpu_entry_t e = {now + g->site->params.geometry_latency, draw_of(g, g->sequence), triangle};
  gpu_raster_push(g->raster, &e, next);
}

static void finish(gpu_geometry_t *g, uint64_t now, uint64_t *next) {
  g->active = false;
  g->sequence++;
  gpu_raster_ended(g->raster, now, next, g->sequence);
  gpu_command_pop(g->commands);
}

// Asks for the step's vertices; false while more are wanted than the memory takes.
static bool fetch_step(gpu_geometry_t *g, uint64_t now) {
  if (!g->step_fetches) {
    g->vertex_due += g->step * g->vertex_cost;
    g->step_fetches = true;
  }
  while (g->vertex_due >= (uint64_t)DramBurst * GpuTimeOne) {
    uint64_t bytes = g->vertex_due / GpuTimeOne / DramBurst * DramBurst;
    if (gpu_memory_full(g->memory)) {
      return false;
    }
    bytes = bytes < VertexFetch ? bytes : VertexFetch;
    g->vertex_due -= bytes * GpuTimeOne;
    gpu_memory_vertices(g->memory, now, bytes);
  }
  return true;
}

// Counts the step and hands on the triangle that survived.
static void commit_step(gpu_geometry_t *g, uint64_t now, uint64_t *next,
                        const gpu_command_t *command) {
  gpu_stats_t *stats = &g->site->stats;
  *(command->kind == GpuCommandProject ? &stats->projected : &stats->triangles) += g->step;
  g->progress += command->report && !command->weight ? g->step : 0;
  if (g->step_emits) {
    // All that clipping made of one triangle leaves together.
    const frame_triangle_t *triangles = g->site->frame->triangles;
    uint32_t ordinal = triangles[g->next_triangle].ordinal;
    do {
      push_entry(g, now, next, g->next_triangle++);
    } while (g->next_triangle < g->end_triangle && triangles[g->next_triangle].ordinal == ordinal &&
             gpu_raster_room(g->raster));
  }
}

// Ends the step in work, and with the last one its draw. False: it has to wait.
static bool end_step(gpu_geometry_t *g, uint64_t now, uint64_t *next, const gpu_draw_t *d) {
  const gpu_command_t *command = &d->command;
  if (!fetch_step(g, now)) {
    return false;
  }
  commit_step(g, now, next, command);
  if (g->next_ordinal < g->end_ordinal) {
    take_step(g, command);
    return true;
  }
  g->projections += command->kind == GpuCommandProject;
  if (command->kind == GpuCommandDraw) {
    d->cost->geometry += now - g->since;
    gpu_note_end(d, now);
  }
  finish(g, now, next);
  return true;
}

static void step(void *self, uint64_t now, uint64_t *next) {
  gpu_geometry_t *g = self;
  for (;;) {
    if (!g->active) {
      const gpu_command_t *command = gpu_command_first(g->commands);
      if (!command || g->waits || g->sequence - oldest_draw(g) >= g->site->params.draws_in_flight) {
        return;
      }
      begin(g, now, command);
    }
    if (g->time / GpuTimeOne > now) {
      cycle_earliest(next, g->time / GpuTimeOne);
      return;
    }
    if (gpu_raster_full(g->raster) || gpu_memory_full(g->memory)) {
      return;
    }
    // Time lost to a full queue is not made up for.
    g->time = cycle_later(g->time, now * GpuTimeOne);
    const gpu_draw_t *d = draw_of(g, g->sequence);
    uint8_t kind = d->command.kind;
    if (kind != GpuCommandDraw && kind != GpuCommandProject) {
      push_entry(g, now, next, UINT32_MAX);
      g->waits = kind == GpuCommandHold && !g->site->params.geometry_ahead;
      finish(g, now, next);
    } else if (!end_step(g, now, next, d)) {
      return;
    }
  }
}

void gpu_geometry_set_destinations(gpu_geometry_t *g, const uint64_t *destinations,
                                   const uint32_t *culled) {
  g->destinations = destinations;
  g->culled = culled;
}

uint32_t gpu_geometry_projections(const gpu_geometry_t *g) { return g->projections; }

uint32_t gpu_geometry_take_progress(gpu_geometry_t *g) {
  // Without a draw behind geometry there is none to look for.
  uint32_t n = g->progress, oldest = g->retired == g->sequence ? g->retired : oldest_draw(g);
  g->progress = 0;
  for (; g->retired != oldest; g->retired++) {
    const gpu_command_t *c = &draw_of(g, g->retired)->command;
    n += c->kind == GpuCommandDraw && c->report ? c->weight : 0;
  }
  return n;
}

const gpu_command_t *gpu_geometry_command(const gpu_geometry_t *g, uint64_t now, uint64_t *until) {
  if (!g->active || g->time / GpuTimeOne <= now) {
    return NULL;
  }
  *until = g->time / GpuTimeOne;
  return &g->draws[g->sequence % GpuDraws].command;
}

void gpu_geometry_release(gpu_geometry_t *g) { g->waits = false; }

static bool busy(const void *self, uint64_t now) {
  uint64_t until;
  return gpu_geometry_command(self, now, &until);
}

static void describe(const void *self, text_t *text) {
  text_format(text, ", geometry %s", ((const gpu_geometry_t *)self)->active ? "busy" : "idle");
}

gpu_geometry_t *gpu_geometry_create(gpu_part_t *part, gpu_site_t *site, gpu_commands_t *commands,
                                    gpu_memory_t *memory, gpu_raster_t *raster) {
  gpu_geometry_t *g = calloc(1, sizeof *g);
  *part = (gpu_part_t){g, step, busy, NULL, NULL, describe, free};
  if (g) {
    g->site = site;
    g->commands = commands;
    g->memory = memory;
    g->raster = raster;
  }
  return g;
}
