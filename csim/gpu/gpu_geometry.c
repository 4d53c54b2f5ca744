// Command queue and geometry: index and vertex fetch, vertex shading, clip and setup.
// Culled and clipped triangles cost as much as others, and count as progress.
#include "gpu_internal.h"

enum { CulledStep = 64 };  // triangles that geometry passes at most in one go

static const uint8_t *owners_of(const gpu_t *g, const frame_state_t *s) {
  return s->color_target != FrameNone   ? g->target_owners[s->color_target]
         : s->depth_buffer != FrameNone ? g->depth_owners[s->depth_buffer]
                                        : NULL;
}

static uint32_t max_of(uint32_t a, uint32_t b) { return a > b ? a : b; }

// Cycles of one submitted triangle in 1/256: the slowest of the parts, which work in
// parallel. Vertex programs run on all lanes of all SMs.
static uint32_t triangle_cost(const gpu_t *g, const frame_cmd_t *c) {
  const gpu_params_t *p = &g->params;
  uint64_t n = c->triangles_in ? c->triangles_in : 1;
  uint32_t index = (uint32_t)(256ull * c->indices / (n * p->index_rate));
  uint32_t fetch = (uint32_t)(256ull * c->vertices_in / (n * p->vertex_rate));
  uint32_t shade =
      (uint32_t)(256ull * c->vertices_in * c->vertex_length / (n * p->sms * p->lanes));
  uint32_t setup = 256 / p->triangle_rate;
  uint32_t cost = max_of(max_of(index, fetch), max_of(shade, setup));
  return cost ? cost : 1;
}

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

static void begin(gpu_t *g, uint64_t now, const gpu_command_t *command) {
  gpu_draw_t *d = &g->draws[g->draw_sequence % GpuDraws];
  *d = (gpu_draw_t){.command = *command};
  g->geometry_active = true;
  g->geometry_time = g->geometry_time < now * 256 ? now * 256 : g->geometry_time;
  g->next_ordinal = g->end_ordinal = 0;
  g->next_triangle = g->end_triangle = 0;
  if (command->kind == GpuCommandHold) {
    return;
  }
  const frame_cmd_t *c = &g->frame->commands[command->command];
  const frame_state_t *s = &c->state;
  render_draw_make(&d->draw, g->frame, s, g->targets, g->depths);
  d->draw.mode = (render_mode_t){.compose = command->compose && !command->subimage,
                                 .subimage = command->subimage, .tag = command->tag,
                                 .group = command->group};
  d->owners = command->region == GpuRegionOwned ? owners_of(g, s) : NULL;
  d->late = render_is_late(s);
  if (command->kind == GpuCommandDraw) {
    g->stats.draws++;
    g->triangle_cost = triangle_cost(g, c);
    g->next_ordinal = command->first;
    g->end_ordinal = command->first + command->count;
    g->next_triangle = find_ordinal(g->frame, c, g->next_ordinal);
    g->end_triangle = c->first_triangle + c->triangle_count;
    g->geometry_time += (uint64_t)g->params.draw_cycles * 256;
    uint64_t vertices = (uint64_t)c->vertices_in * command->count /
                        (c->triangles_in ? c->triangles_in : 1);
    g->stats.vertex_bytes += vertices * 32;
    dram_access(&g->dram, now, (uint64_t)command->command << 24, (uint32_t)(vertices * 32));
  }
}

static void push_entry(gpu_t *g, uint32_t triangle) {
  uint64_t ready = g->geometry_time / 256 + g->params.geometry_latency;
  g->entries[(g->triangles.head + g->triangles.count++) % GpuRing] =
      (gpu_entry_t){ready, triangle, g->draw_sequence};
}

static void finish(gpu_t *g) {
  g->geometry_active = false;
  g->draw_sequence++;
  g->command_head = (g->command_head + 1) % 1024;
  g->command_count--;
  g->credits++;
}

bool gpu_geometry_step(gpu_t *g, uint64_t now, uint64_t *next) {
  bool did = false;
  for (;;) {
    if (!g->geometry_active) {
      if (g->command_count == 0 || g->draw_sequence - gpu_oldest_draw(g) >= GpuDraws - 1) {
        return did;
      }
      begin(g, now, &g->commands[g->command_head]);
      did = true;
    }
    if (g->geometry_time > now * 256 + 255) {
      gpu_earliest(next, g->geometry_time / 256);
      return did;
    }
    if (g->triangles.count >= g->params.triangle_queue) {
      return did;
    }
    const gpu_draw_t *d = &g->draws[g->draw_sequence % GpuDraws];
    if (d->command.kind != GpuCommandDraw) {
      push_entry(g, UINT32_MAX);
      finish(g);
      did = true;
      continue;
    }
    if (g->next_ordinal >= g->end_ordinal) {
      finish(g);
      did = true;
      continue;
    }
    // On to the next surviving triangle, or as far as one step goes.
    uint32_t survivor = g->next_triangle < g->end_triangle
                            ? g->frame->triangles[g->next_triangle].ordinal
                            : g->end_ordinal;
    uint32_t to = survivor < g->end_ordinal ? survivor + 1 : g->end_ordinal;
    bool emit = survivor < g->end_ordinal;
    if (to > g->next_ordinal && to - g->next_ordinal > CulledStep) {
      to = g->next_ordinal + CulledStep;
      emit = false;
    }
    uint32_t passed = to > g->next_ordinal ? to - g->next_ordinal : 0;
    g->geometry_time += (uint64_t)passed * g->triangle_cost;
    g->stats.busy_geometry += (uint64_t)passed * g->triangle_cost;
    g->stats.triangles += passed;
    g->progress += d->command.report ? passed : 0;
    g->next_ordinal = to > g->next_ordinal ? to : g->next_ordinal;
    if (emit) {
      // All that clipping made of one triangle leaves together.
      do {
        push_entry(g, g->next_triangle++);
      } while (g->next_triangle < g->end_triangle && g->triangles.count < GpuRing - 1 &&
               g->frame->triangles[g->next_triangle].ordinal == survivor);
    }
    did = true;
  }
}
