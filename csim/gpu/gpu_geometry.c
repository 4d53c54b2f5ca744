// SPDX-License-Identifier: Apache-2.0
// Command queue and geometry: index and vertex fetch, vertex shading, clip and setup.
// Culled and clipped triangles cost as much as others, and count as progress.
#include "gpu_internal.h"

enum {
  GeometryStep = 16,      // triangles that geometry passes at most in one go
  VertexFetch = 1 << 15,  // bytes of vertices that are asked for in one go
};

static surface_owners_t owners_of(const gpu_t *g, const frame_state_t *s) {
  if (s->color_target != FrameNone) {
    return (surface_owners_t){g->target_owners[s->color_target],
                              g->targets[s->color_target].tiles_x};
  }
  if (s->depth_buffer != FrameNone) {
    return (surface_owners_t){g->depth_owners[s->depth_buffer], g->depths[s->depth_buffer].tiles_x};
  }
  return (surface_owners_t){NULL, 0};
}

static uint64_t max_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

// Cycles of one submitted triangle in 1/256: the slowest of the parts, which work in
// parallel. Vertex programs run on all lanes of all SMs.
static uint64_t triangle_cost(const gpu_t *g, const frame_cmd_t *c, uint32_t program) {
  const gpu_params_t *p = &g->params;
  uint64_t n = c->triangles_in ? c->triangles_in : 1;
  uint64_t index = (uint64_t)GpuTimeOne * c->indices / (n * p->index_rate);
  uint64_t fetch = (uint64_t)GpuTimeOne * c->vertices_in / (n * p->vertex_rate);
  uint64_t shade = (uint64_t)GpuTimeOne * c->vertices_in * program / (n * p->sms * p->lanes);
  uint64_t setup = GpuTimeOne / p->triangle_rate;
  return max_of(max_of(max_of(index, fetch), max_of(shade, setup)), 1);
}

// The first surviving triangle of a draw that comes from this ordinal or a later one.
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

// Of a texture unit, for a stamp whose program reads so many textures.
static uint64_t texture_cycles(const gpu_params_t *p, uint32_t reads) {
  uint32_t next = p->texture_next_cycles ? p->texture_next_cycles : p->texture_cycles;
  return reads ? p->texture_cycles + (uint64_t)(reads - 1) * next : 0;
}

static void resolve(gpu_t *g, gpu_draw_t *d) {
  const gpu_command_t *command = &d->command;
  const frame_cmd_t *c = &g->frame->commands[command->command];
  const frame_state_t *s = &c->state;
  render_draw_make(&d->draw, g->frame, s, g->targets, g->depths, g->texturing.sampling);
  d->draw.mode = (render_mode_t){.compose = command->compose && !command->subimage,
                                 .subimage = command->subimage, .tag = command->tag,
                                 .group = command->group};
  d->owners = command->region == GpuRegionOwned ? owners_of(g, s) : (surface_owners_t){NULL, 0};
  d->late = render_is_late(s);
  d->tests = d->draw.depth && (s->depth_test || s->stencil_test);
  d->colors = d->draw.color && s->color_mask;
  d->runs = d->colors || (s->alpha_test && s->alpha_func != FrameFuncAlways);
  d->reads_color = s->blend || s->color_mask != 15;
  d->program = g->warps ? gpu_warps_program(g, command->command) : NULL;
  d->issue_cost = (uint64_t)GpuTimeOne * 4 * c->fragment_length / g->params.lanes;
  d->texture_cost = GpuTimeOne * texture_cycles(&g->params, d->draw.shade.stage_count) /
                    g->params.texture_units;
}

// Of a sorted draw: to the next triangle of this GPU's. Those before it cost nothing.
static bool skip_to_own(gpu_t *g) {
  while (g->next_triangle < g->end_triangle &&
         g->frame->triangles[g->next_triangle].ordinal < g->end_ordinal &&
         !(g->destinations[g->next_triangle] >> g->index & 1)) {
    g->next_triangle++;
  }
  return g->next_triangle < g->end_triangle &&
         g->frame->triangles[g->next_triangle].ordinal < g->end_ordinal;
}

// The next few triangles of the draw in work: up to a surviving one, or a full step.
// They leave at geometry_time.
static void take_step(gpu_t *g, const gpu_command_t *command) {
  g->step_fetches = false;
  if (command->sorted && !skip_to_own(g)) {
    g->step = 0;
    g->step_emits = false;
    g->next_ordinal = g->end_ordinal;
    return;
  }
  uint32_t survivor = g->next_triangle < g->end_triangle
                          ? g->frame->triangles[g->next_triangle].ordinal
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
  g->geometry_time += time;
  if (command->kind == GpuCommandProject) {
    g->busy_projection += time;
    g->stats.busy_projection = g->busy_projection / GpuTimeOne;
  } else {
    g->busy_geometry += time;
    g->stats.busy_geometry = g->busy_geometry / GpuTimeOne;
  }
}

// Cooperative projection computes the positions only: a shorter program on less data.
static void begin_projection(gpu_t *g, const gpu_command_t *command) {
  const frame_cmd_t *c = &g->frame->commands[command->command];
  uint32_t program = c->vertex_length < g->params.projection_length ? c->vertex_length
                                                                    : g->params.projection_length;
  g->triangle_cost = triangle_cost(g, c, program);
  g->vertex_cost = (uint64_t)GpuTimeOne * c->vertices_in * g->params.projection_bytes /
                   max_of(c->triangles_in, 1);
  g->next_ordinal = command->first;
  g->end_ordinal = command->first + command->count;
  g->next_triangle = g->end_triangle = 0;
  g->geometry_time += (uint64_t)g->params.draw_cycles * GpuTimeOne;
  take_step(g, command);
}

static void begin(gpu_t *g, uint64_t now, const gpu_command_t *command) {
  gpu_draw_t *d = &g->draws[g->draw_sequence % GpuDraws];
  *d = (gpu_draw_t){.command = *command};
  g->geometry_active = true;
  g->geometry_time = cycle_later(g->geometry_time, now * GpuTimeOne);
  g->step = 0;
  g->step_emits = false;
  g->next_ordinal = g->end_ordinal = 0;
  if (command->kind == GpuCommandHold) {
    return;
  }
  if (command->kind == GpuCommandProject) {
    begin_projection(g, command);
    return;
  }
  resolve(g, d);
  if (command->kind == GpuCommandDraw) {
    const frame_cmd_t *c = &g->frame->commands[command->command];
    gpu_draw_cost_t *cost = gpu_cost(g, d);
    g->geometry_since = g->geometry_time / GpuTimeOne;
    cost->begin = cost->triangles ? cost->begin : g->geometry_since;
    cost->triangles += command->count;
    g->stats.draws++;
    g->triangle_cost = triangle_cost(g, c, c->vertex_length);
    g->vertex_cost = (uint64_t)GpuTimeOne * c->vertices_in * g->params.vertex_bytes /
                     max_of(c->triangles_in, 1);
    g->next_ordinal = command->first;
    g->end_ordinal = command->first + command->count;
    g->next_triangle = find_ordinal(g->frame, c, g->next_ordinal);
    g->end_triangle = c->first_triangle + c->triangle_count;
    g->geometry_time += (uint64_t)g->params.draw_cycles * GpuTimeOne;
    take_step(g, command);
  }
}

static void push_entry(gpu_t *g, uint64_t now, uint64_t *next, uint32_t triangle) {
  uint64_t ready = now + g->params.geometry_latency;
  g->entries[(g->triangles.head + g->triangles.count++) % GpuEntries] =
      (gpu_entry_t){ready, triangle, g->draw_sequence};
  cycle_earliest(next, g->triangles.count == 1 ? ready : GPU_NEVER);
}

static void finish(gpu_t *g) {
  g->geometry_active = false;
  g->draw_sequence++;
  gpu_ring_pop(&g->command_queue, GpuCommands);
  g->credits++;
}

// Asks for the step's vertices; false while more are wanted than the memory takes.
static bool fetch_step(gpu_t *g, uint64_t now) {
  if (!g->step_fetches) {
    g->vertex_due += g->step * g->vertex_cost;
    g->step_fetches = true;
  }
  while (g->vertex_due >= (uint64_t)DramBurst * GpuTimeOne) {
    uint64_t bytes = g->vertex_due / GpuTimeOne / DramBurst * DramBurst;
    if (gpu_memory_full(g)) {
      return false;
    }
    bytes = bytes < VertexFetch ? bytes : VertexFetch;
    g->vertex_due -= bytes * GpuTimeOne;
    gpu_memory_vertices(g, now, bytes);
  }
  return true;
}

// What the step produced.
static void commit_step(gpu_t *g, uint64_t now, uint64_t *next, const gpu_command_t *command) {
  *(command->kind == GpuCommandProject ? &g->stats.projected : &g->stats.triangles) += g->step;
  g->progress += command->report && !command->weight ? g->step : 0;
  if (g->step_emits) {
    // All that clipping made of one triangle leaves together.
    uint32_t ordinal = g->frame->triangles[g->next_triangle].ordinal;
    do {
      push_entry(g, now, next, g->next_triangle++);
    } while (g->next_triangle < g->end_triangle &&
             g->frame->triangles[g->next_triangle].ordinal == ordinal &&
             g->triangles.count < GpuEntries);
  }
}

void gpu_geometry_step(gpu_t *g, uint64_t now, uint64_t *next) {
  for (;;) {
    if (!g->geometry_active) {
      if (g->command_queue.count == 0 || g->geometry_waits ||
          g->draw_sequence - gpu_oldest_draw(g) >= g->params.draws_in_flight) {
        return;
      }
      begin(g, now, &g->commands[g->command_queue.head]);
    }
    if (g->geometry_time / GpuTimeOne > now) {
      cycle_earliest(next, g->geometry_time / GpuTimeOne);
      return;
    }
    if (g->triangles.count >= g->entry_limit || gpu_memory_full(g)) {
      return;
    }
    // Time lost to a full queue is not made up for.
    g->geometry_time = cycle_later(g->geometry_time, now * GpuTimeOne);
    const gpu_command_t *command = &g->draws[g->draw_sequence % GpuDraws].command;
    if (command->kind != GpuCommandDraw && command->kind != GpuCommandProject) {
      push_entry(g, now, next, UINT32_MAX);
      g->geometry_waits = command->kind == GpuCommandHold && !g->params.geometry_ahead;
      finish(g);
      continue;
    }
    if (!fetch_step(g, now)) {
      return;
    }
    commit_step(g, now, next, command);
    if (g->next_ordinal >= g->end_ordinal) {
      g->projections += command->kind == GpuCommandProject;
      if (command->kind == GpuCommandDraw) {
        const gpu_draw_t *d = &g->draws[g->draw_sequence % GpuDraws];
        gpu_cost(g, d)->geometry += now - g->geometry_since;
        gpu_note_end(g, d, now);
      }
      finish(g);
    } else {
      take_step(g, command);
    }
  }
}
