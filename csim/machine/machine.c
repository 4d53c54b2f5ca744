#include "machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine_internal.h"

const char *machine_scheme_name(uint32_t scheme) {
  static const char *const names[MachineSchemeCount] = {"single", "duplication", "chopin_rr",
                                                        "chopin_direct", "chopin", "gpupd",
                                                        "gpupd_ideal", "chopin_ideal"};
  return scheme < MachineSchemeCount ? names[scheme] : "?";
}

const char *machine_stage_name(uint32_t stage) {
  static const char *const names[MachineStageCount] = {
      "geometry", "projection", "distribution", "raster",
      "fragment", "composition", "sync", "idle"};
  return stage < MachineStageCount ? names[stage] : "?";
}

void machine_units_outside(const machine_t *m, const char *names[4]) {
  uint32_t n = 0;
  if (!m->has_draw_scheduler) {
    names[n++] = "draw_scheduler";
  }
  if (!m->has_composer) {
    names[n++] = "composition_scheduler";
  }
  if (!machine_composes(m) || machine_ideal(m)) {
    names[n++] = "pixel_distributor";
  }
  names[n] = NULL;
}

bool machine_fail(machine_t *m, machine_status_e status, const char *format, ...) {
  if (m->status != MachineDone) {
    return false;
  }
  m->status = status;
  va_list args;
  va_start(args, format);
  int n = snprintf(m->report, sizeof m->report, "cycle %llu: ", (unsigned long long)m->now);
  vsnprintf(m->report + n, sizeof m->report - (size_t)n, format, args);
  va_end(args);
  return false;
}

static bool owner_maps_create(machine_t *m) {
  const frame_t *f = m->frame;
  m->target_owners = calloc(f->target_count + 1, sizeof *m->target_owners);
  m->depth_owners = calloc(f->depth_count + 1, sizeof *m->depth_owners);
  m->owner_maps = calloc((size_t)f->target_count + f->depth_count + 1, sizeof *m->owner_maps);
  m->owner_sizes = calloc((size_t)f->target_count + f->depth_count + 1, sizeof *m->owner_sizes);
  if (!m->target_owners || !m->depth_owners || !m->owner_maps || !m->owner_sizes) {
    return false;
  }
  for (uint32_t i = 0; i < f->target_count + f->depth_count; i++) {
    bool depth = i >= f->target_count;
    frame_surface_t size = depth ? f->depths[i - f->target_count] : f->targets[i];
    uint32_t k = 0;
    while (k < m->owner_map_count && (m->owner_sizes[k].width != size.width ||
                                      m->owner_sizes[k].height != size.height)) {
      k++;
    }
    if (k == m->owner_map_count) {
      size_t tiles = (size_t)((size.width + 63) / 64) * ((size.height + 63) / 64);
      m->owner_maps[k] = calloc(tiles, 1);
      if (!m->owner_maps[k]) {
        return false;
      }
      m->owner_sizes[k] = size;
      m->owner_map_count++;
    }
    if (depth) {
      m->depth_owners[i - f->target_count] = m->owner_maps[k];
    } else {
      m->target_owners[i] = m->owner_maps[k];
    }
  }
  return true;
}

static bool units_create(machine_t *m, const machine_units_t *units, char error[FrameErrorSize]) {
  const machine_params_t *p = &m->params;
  m->has_draw_scheduler = machine_composes(m);
  m->has_composer = machine_composes(m) && p->scheme != MachineChopinDirect;
  m->has_distributors = p->scheme != MachineSingle;
  if (m->has_draw_scheduler) {
    draw_scheduler_params_t d = {.gpus = p->gpus, .count_width = p->count_width,
                                 .credits = p->gpu.queue, .tie_lowest = p->tie_lowest};
    if (!units->draw_scheduler(units->context, &d, &m->draws, error)) {
      return false;
    }
    m->draws.reset(m->draws.self, &m->draws_out);
    m->draws_in.policy = p->scheme == MachineChopinRoundRobin ? DrawPolicyRoundRobin
                                                              : DrawPolicyLeastRemaining;
  }
  if (m->has_composer) {
    composition_scheduler_params_t c = {.gpus = p->gpus, .lowest_first = p->lowest_first};
    if (!units->composition_scheduler(units->context, &c, &m->composer, error)) {
      return false;
    }
    m->composer.reset(m->composer.self, &m->composer_out);
  }
  return compose_create(m, units, error);
}

static bool nodes_create(machine_t *m, const machine_units_t *units, char error[FrameErrorSize]) {
  const texturing_params_t *t = &m->params.texturing;
  if (t->design != TexturingRate && !texturing_map_create(&m->texture_map, m->frame, error)) {
    return false;
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    node_t *n = &m->nodes[g];
    gpu_texturing_t attach = {0};
    if (t->design != TexturingRate) {
      n->texturing =
          texturing_create(t, &m->params.gpu, &m->texture_map, &units->cube, g, error);
      if (!n->texturing) {
        return false;
      }
      attach = texturing_attach(n->texturing);
    }
    n->texture_wake = UINT64_MAX;
    n->gpu = gpu_create(&m->params.gpu, m->frame, g, &attach);
    if (!n->gpu) {
      snprintf(error, FrameErrorSize, "out of memory");
      return false;
    }
  }
  return true;
}

machine_t *machine_create(const machine_params_t *params, const frame_t *frame,
                          const machine_units_t *units, char error[FrameErrorSize]) {
  machine_t *m = calloc(1, sizeof *m);
  snprintf(error, FrameErrorSize, "out of memory");
  if (!m) {
    return NULL;
  }
  m->params = *params;
  if (params->scheme == MachineSingle) {
    m->params.gpus = 1;
  } else if (params->gpus < 2) {
    snprintf(error, FrameErrorSize, "gpus=%u: scheme %s needs at least 2 GPUs", params->gpus,
             machine_scheme_name(params->scheme));
    free(m);
    return NULL;
  }
  if (machine_ideal(m)) {
    m->params.message_latency = 0;
  }
  m->frame = frame;
  plan_params_t plan = {.gpus = m->params.gpus,
                        .compose = machine_composes(m),
                        .threshold = params->threshold,
                        .require_draws = params->require_draws,
                        .function_while_writing = params->function_while_writing,
                        .depth_broadcast = params->depth_broadcast,
                        .order_tag = params->order_tag};
  m->plan = plan_create(frame, &plan);
  m->nodes = calloc(m->params.gpus, sizeof *m->nodes);
  if (!m->plan || !m->nodes || !owner_maps_create(m)) {
    machine_destroy(m);
    return NULL;
  }
  if (!nodes_create(m, units, error)) {
    machine_destroy(m);
    return NULL;
  }
  if (!units_create(m, units, error) || !dispatch_create(m) ||
      (machine_distributes(m) && !distribute_create(m))) {
    machine_destroy(m);
    return NULL;
  }
  for (uint32_t g = 0; g < m->params.gpus && m->params.gpus > 1; g++) {
    for (uint32_t k = 0; k < m->owner_map_count; k++) {
      gpu_set_owners(m->nodes[g].gpu, m->owner_sizes[k].width, m->owner_sizes[k].height,
                     m->owner_maps[k]);
    }
  }
  error[0] = '\0';
  return m;
}

void machine_destroy(machine_t *m) {
  if (!m) {
    return;
  }
  if (m->nodes) {
    dispatch_destroy(m);
    distribute_destroy(m);
    compose_destroy(m);
    for (uint32_t g = 0; g < m->params.gpus; g++) {
      gpu_destroy(m->nodes[g].gpu);
      texturing_destroy(m->nodes[g].texturing);
    }
  }
  for (uint32_t k = 0; k < m->owner_map_count; k++) {
    free(m->owner_maps[k]);
  }
  free(m->owner_maps);
  free(m->owner_sizes);
  free(m->target_owners);
  free(m->depth_owners);
  texture_map_destroy(&m->texture_map);
  plan_destroy(m->plan);
  free(m->nodes);
  free(m);
}

static uint8_t stage_of(const machine_t *m, const node_t *n) {
  uint32_t token;
  switch (gpu_activity(n->gpu, m->now)) {
    case GpuIsHeld:
      return gpu_held(n->gpu, &token) && token == HOLD_COMPOSE ? MachineInComposition
                                                                : MachineInSync;
    case GpuInProjection:
      return MachineInProjection;
    case GpuInGeometry:
      return MachineInGeometry;
    case GpuInRaster:
      return MachineInRaster;
    case GpuInFragments:
      return MachineInFragments;
    default:
      return machine_distributes(m) && distribute_entry(m, n->next_item) ? MachineInDistribution
                                                                         : MachineIdle;
  }
}

// Counts the time since the last call in the stage that was found then.
static void count_time(machine_t *m) {
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    node_t *n = &m->nodes[g];
    m->stats.spent[n->stage] += m->now - n->stage_since;
    n->stage_since = m->now;
    n->stage = stage_of(m, n);
  }
}

static bool all_idle(const machine_t *m) {
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    if (!gpu_idle(m->nodes[g].gpu)) {
      return false;
    }
  }
  return true;
}

static bool message_lost(const machine_t *m) {
  bool lost = false;
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    const node_t *n = &m->nodes[g];
    lost = lost || n->commands.failed || n->credits.failed || n->reports.failed ||
           n->to_composer.failed || n->from_composer.failed;
  }
  return lost;
}

static void report_hang(machine_t *m, const char *why) {
  size_t used = 0, size = sizeof m->report;
  m->status = MachineHang;
  why = message_lost(m) ? "out of memory, a message was lost" : why;
  used += (size_t)snprintf(m->report, size, "cycle %llu: %s\n",
                           (unsigned long long)m->now, why);
  if (m->has_draw_scheduler) {
    used += (size_t)snprintf(m->report + used, size - used,
                             "  draw_scheduler: cmd_ready=%d piece_valid=%llx command %u of %u\n",
                             m->draws_out.cmd_ready, (unsigned long long)m->draws_out.piece_valid,
                             m->next_command, m->command_count);
  }
  if (m->has_composer) {
    used += (size_t)snprintf(m->report + used, size - used,
                             "  composition_scheduler: start_valid=%d (%u to %u) release=%llx\n",
                             m->composer_out.start_valid, m->composer_out.start_source,
                             m->composer_out.start_destination,
                             (unsigned long long)m->composer_out.release_valid);
  }
  for (uint32_t g = 0; g < m->params.gpus && used + 1 < size; g++) {
    char gpu[200], unit[200] = "";
    gpu_describe(m->nodes[g].gpu, gpu, sizeof gpu);
    if (machine_composes(m)) {
      compose_describe(m, g, unit, sizeof unit);
    }
    int n = snprintf(m->report + used, size - used, "  GPU %u: %s%s\n", g, gpu, unit);
    used += n > 0 ? (size_t)n : 0;
    if (m->nodes[g].texturing && used + 1 < size) {
      char texture[2000];
      texturing_describe(m->nodes[g].texturing, texture, sizeof texture);
      n = snprintf(m->report + used, size - used, "    texture: %s\n", texture);
      used += n > 0 ? (size_t)n : 0;
    }
  }
}

static bool texture_step(machine_t *m, uint32_t g) {
  node_t *n = &m->nodes[g];
  uint32_t error;
  if (texturing_step(n->texturing, m->now, &n->texture_wake, &error) != UnitOk) {
    return machine_fail(m, MachineUnitFailed, "GPU %u: offload_unit or atfim", g);
  }
  return error == 0 ||
         machine_fail(m, MachineProtocol,
                      "GPU %u: error outputs %x (offload_unit, then 4 bits each of the cube's "
                      "texel_generator, child_consolidation, parent_texel_buffer, combination_unit)",
                      g, error);
}

// A number that changes with everything that gets done.
static uint64_t work_done(const machine_t *m) {
  uint64_t sum = m->next_command + m->stats.command_bytes + m->stats.composition_bytes +
                 m->stats.composition_message_bytes + m->stats.progress_bytes +
                 m->stats.releases + m->stats.syncs + m->stats.batches;
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    const gpu_stats_t *s = gpu_stats(m->nodes[g].gpu);
    sum += s->draws + s->triangles + s->projected + s->fragments + s->blocks + s->busy_rop + s->warps +
           s->busy_raster + m->nodes[g].next_item + m->nodes[g].beats_taken;
  }
  return sum;
}

// A memory that lacks the addresses answers at once: such a run's time is worth nothing.
static bool all_served(machine_t *m) {
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    uint64_t refused = m->nodes[g].texturing ? texturing_refused(m->nodes[g].texturing) : 0;
    if (refused) {
      return machine_fail(m, MachineProtocol, "GPU %u: %llu requests beyond the end of its memory: set a larger "
                          "gddr5.rows, or hmc.bank_size", g, (unsigned long long)refused);
    }
  }
  return true;
}

machine_status_e machine_run(machine_t *m, machine_progress_t progress, void *context) {
  uint64_t shown = 0, worked = 0, worked_at = 0;
  bool ok = true;
  while (ok) {
    uint64_t next = UINT64_MAX;
    if (m->clock) {
      *m->clock = m->now;
    }
    for (uint32_t g = 0; g < m->params.gpus; g++) {
      node_t *n = &m->nodes[g];
      n->advanced = n->wake <= m->now;
      if (n->advanced) {
        n->wake = gpu_advance(n->gpu, m->now);
      }
      if (n->texturing && (n->advanced || n->texture_wake <= m->now)) {
        ok = ok && texture_step(m, g);
        earliest(&next, n->texture_wake);
      }
    }
    if (machine_distributes(m)) {
      earliest(&next, distribute_step(m));
    }
    if (ok) {
      earliest(&next, dispatch_step(m, &ok));
    }
    if (ok && machine_composes(m)) {
      earliest(&next, compose_step(m, &ok));
    }
    if (ok) {
      earliest(&next, sync_step(m));
    }
    for (uint32_t g = 0; g < m->params.gpus; g++) {
      uint64_t wake = m->nodes[g].wake;
      earliest(&next, wake <= m->now ? m->now + 1 : wake);
    }
    m->stats.cycles_evaluated++;
    count_time(m);
    if (!ok) {
      break;
    }
    if (next == UINT64_MAX) {
      if (dispatch_done(m) && all_idle(m) && compose_done(m)) {
        m->stats.cycles = m->now;
        all_served(m);
        break;
      }
      report_hang(m, "nothing is due, and work is left");
      break;
    }
    // Looked at now and then, and before it is called a hang.
    if (((m->stats.cycles_evaluated & 1023) == 0 || next - worked_at > m->params.watchdog) &&
        work_done(m) != worked) {
      worked = work_done(m);
      worked_at = m->now;
    }
    if (next - worked_at > m->params.watchdog) {
      report_hang(m, "no draw, fragment, beat or message within the watchdog's time");
      break;
    }
    if (m->params.limit && next > m->params.limit) {
      report_hang(m, "the limit of cycles is reached");
      break;
    }
    m->now = next;
    if (progress && m->stats.cycles_evaluated - shown >= 65536) {
      shown = m->stats.cycles_evaluated;
      uint32_t taken = m->has_draw_scheduler ? m->items_taken : m->nodes[0].next_item;
      progress(context, (double)taken / (m->plan->item_count + 1), m->now);
    }
  }
  return m->status;
}

const char *machine_report(const machine_t *m) { return m->report; }
const machine_stats_t *machine_stats(const machine_t *m) { return &m->stats; }
const plan_t *machine_plan(const machine_t *m) { return m->plan; }
uint32_t machine_gpu_count(const machine_t *m) { return m->params.gpus; }
gpu_t *machine_gpu(machine_t *m, uint32_t index) { return m->nodes[index].gpu; }
const texturing_t *machine_texturing(const machine_t *m, uint32_t index) {
  return m->nodes[index].texturing;
}
void machine_watch_clock(machine_t *m, uint64_t *clock) { m->clock = clock; }

uint32_t machine_owner(const machine_t *m, uint16_t target, uint32_t x, uint32_t y) {
  uint32_t tiles_x = (m->frame->targets[target].width + 63) / 64;
  return m->target_owners[target][(y / 64) * tiles_x + x / 64];
}
