// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coarse.h"
#include "compose.h"
#include "decisions.h"
#include "dispatch.h"
#include "distribute.h"
#include "distribution_unit.h"
#include "draw_times.h"
#include "owners.h"
#include "part.h"
#include "sync.h"

enum { Parts = 4 };

// Per-GPU state owned by the machine.
typedef struct {
  texturing_t *texturing;  // NULL with the texture rate
  uint64_t texture_wake;   // next cycle at which it has something to do
} seat_t;

struct machine {
  machine_params_t params;
  const frame_t *frame;
  decisions_t decisions;
  owners_t *owners;
  node_t *nodes;
  turns_t turns;
  stages_t stages;
  seat_t *seats;
  texture_map_t texture_map;
  distribution_unit_t *distributors;  // NULL with one GPU
  pixel_distributor_params_t distributor_params;
  uint32_t distributor_count;
  // In the order of a cycle; NULL: not with this scheme.
  distribute_t *distribute;
  dispatch_t *dispatch;
  compose_t *compose;
  sync_t *sync;
  coarse_t *coarse;
  part_t parts[Parts];
  uint32_t part_count;
  soc_t *soc;  // NULL: none
  uint64_t now, *clock;
  uint64_t worked, worked_at;  // the last work that was seen, and after how many evaluated cycles
  machine_stats_t stats;
  halt_t halt;
};

void machine_units_outside(const machine_t *m, const char *names[4]) {
  uint32_t n = 0;
  if (!machine_composes(&m->params)) {
    names[n++] = "draw_scheduler";
  }
  if (!machine_schedules(&m->params) || machine_lookahead(&m->params)) {
    names[n++] = "composition_scheduler";
  }
  if (!machine_exchanges(&m->params)) {
    names[n++] = "pixel_distributor";
  }
  names[n] = NULL;
}

bool machine_check_frame(const machine_params_t *p, const frame_t *frame, err_t *err) {
  const uint64_t mib = 1 << 20;
  frame_work_t w;
  frame_work(frame, &w);
  // A copy in each GPU, and the reference.
  uint64_t copies = machine_single(p) ? 2 : p->gpus + 1;
  uint64_t work = frame_work_millions(&w);
  uint64_t memory = (w.surface_bytes * copies + mib - 1) / mib;
  if (work > p->frame_work) {
    err_set(err, ErrInput,
            "frame.work=%u: the frame has %llu million indices, vertices, triangles, pixels and "
            "thousands of instructions, expected at most that",
            p->frame_work, (unsigned long long)work);
    return false;
  }
  if (memory > p->frame_memory) {
    err_set(err, ErrInput,
            "frame.memory=%u: the frame's surfaces take %llu MiB, expected at most that",
            p->frame_memory, (unsigned long long)memory);
    return false;
  }
  return true;
}

bool machine_check_frames(const machine_params_t *p, frame_t *const *frames, uint32_t count,
                          err_t *err) {
  uint64_t work = 0;
  for (uint32_t i = 0; i < count; i++) {
    frame_work_t w;
    if (!machine_check_frame(p, frames[i], err)) {
      return false;
    }
    frame_work(frames[i], &w);
    work += frame_work_millions(&w);
  }
  if (work > p->frame_work) {
    err_set(err, ErrInput,
            "frame.work=%u: the %u frames have %llu million indices, vertices, triangles, pixels "
            "and thousands of instructions together, expected at most that",
            p->frame_work, count, (unsigned long long)work);
    return false;
  }
  return true;
}

// ---- Assembly

static bool create_gpu(machine_t *m, uint32_t g, const machine_units_t *units, err_t *err) {
  const texturing_params_t *t = &m->params.texturing;
  seat_t *seat = &m->seats[g];
  gpu_texturing_t attach = {0};
  if (texturing_detailed(t)) {
    seat->texturing =
        texturing_create(t, &m->params.gpu, &m->texture_map, &units->cube, g, m->soc, err);
    if (!seat->texturing) {
      return false;
    }
    attach = texturing_attach(seat->texturing);
  }
  seat->texture_wake = UINT64_MAX;
  m->nodes[g].gpu = gpu_create(&m->params.gpu, m->frame, g, &attach, &units->gpu, err);
  return m->nodes[g].gpu != NULL;
}

// Creates the distribution units, and reads the owners of all tiles from the first.
static bool create_distributors(machine_t *m, const machine_units_t *units, err_t *err) {
  m->distributor_count = machine_distributors(&m->params);
  m->distributor_params = distribution_unit_params(&m->params, m->frame);
  m->distributors = calloc(m->distributor_count, sizeof *m->distributors);
  if (!m->distributors) {
    return false;
  }
  for (uint32_t g = 0; g < m->distributor_count; g++) {
    if (!distribution_unit_create(&m->distributors[g], &m->distributor_params, g, units, err)) {
      return false;
    }
    m->distributors[g].in.gpu = (uint8_t)(g % m->params.gpus);
  }
  if (!owners_read(m->owners, &m->params, &m->distributor_params, m->distributors, &m->halt)) {
    err_set(err, ErrInput, "%s", text_string(&m->halt.text));
    return false;
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    for (uint32_t k = 0; k < owners_count(m->owners); k++) {
      const owner_map_t *map = owners_map(m->owners, k);
      gpu_set_owners(m->nodes[g].gpu, map->width, map->height, map->tiles);
    }
  }
  return true;
}

static bool create_parts(machine_t *m, const machine_units_t *units, err_t *err) {
  const machine_params_t *p = &m->params;
  site_t site = {.params = p,
                 .frame = m->frame,
                 .plan = m->decisions.plan,
                 .owners = m->owners,
                 .pieces = m->decisions.pieces,
                 .nodes = m->nodes,
                 .turns = &m->turns};
  if (p->coarse_epoch && machine_composes(p)) {
    m->coarse = coarse_create(&site, units, err);
    if (!m->coarse) {
      return false;
    }
    site.coarse = m->coarse;
  }
  if (machine_distributes(p)) {
    m->distribute = distribute_create(&site);
    if (!m->distribute) {
      return false;
    }
    m->parts[m->part_count++] = distribute_part(m->distribute);
  }
  m->dispatch = dispatch_create(&site, m->distribute, units, err);
  if (!m->dispatch) {
    return false;
  }
  m->parts[m->part_count++] = dispatch_part(m->dispatch);
  if (machine_composes(p)) {
    m->compose = compose_create(&site, m->dispatch, units, &m->distributor_params,
                                machine_exchanges(p) ? m->distributors : NULL, err);
    if (!m->compose) {
      return false;
    }
    m->parts[m->part_count++] = compose_part(m->compose);
  }
  m->sync = sync_create(&site);
  if (!m->sync) {
    return false;
  }
  m->parts[m->part_count++] = sync_part(m->sync);
  return true;
}

static bool assemble(machine_t *m, const driver_memory_t *memory, const machine_units_t *units,
                     err_t *err) {
  uint32_t gpus = m->params.gpus;
  m->owners = owners_create(m->frame);
  m->nodes = calloc(gpus, sizeof *m->nodes);
  m->seats = calloc(gpus, sizeof *m->seats);
  if (!m->owners || !m->nodes || !m->seats ||
      !decisions_make(&m->decisions, &m->params, m->frame, memory, units->policy) ||
      (texturing_detailed(&m->params.texturing) &&
       !texturing_map_create(&m->texture_map, m->frame, err))) {
    return false;
  }
  for (uint32_t g = 0; g < gpus; g++) {
    agenda_set(&m->turns.wakes, g, 0);
    if (!create_gpu(m, g, units, err) ||
        !gpu_make_costs(m->nodes[g].gpu, m->decisions.pieces->count)) {
      return false;
    }
  }
  return (machine_single(&m->params) || create_distributors(m, units, err)) &&
         create_parts(m, units, err);
}

machine_t *machine_create(const machine_params_t *params, const frame_t *frame,
                          const driver_memory_t *memory, const machine_units_t *units, err_t *err) {
  if (!machine_single(params) && params->gpus < 2) {
    err_set(err, ErrInput, "gpus=%u: scheme %s needs at least 2 GPUs", params->gpus,
            machine_scheme_name(params));
    return NULL;
  }
  machine_t *m = calloc(1, sizeof *m);
  err_set(err, ErrMachine, "out of memory");
  if (!m) {
    return NULL;
  }
  m->params = *params;
  m->frame = frame;
  m->soc = units->soc;
  if (machine_single(params)) {
    m->params.gpus = 1;
  }
  if (machine_ideal(params)) {
    m->params.message_latency = 0;
  }
  if (!params->split) {
    m->params.gpu.cut_vertices = 0;  // the paper's transparent pieces are cut for nothing
  }
  if (!assemble(m, memory, units, err)) {
    machine_destroy(m);
    return NULL;
  }
  err_free(err);
  return m;
}

void machine_destroy(machine_t *m) {
  if (!m) {
    return;
  }
  for (uint32_t i = m->part_count; i-- > 0;) {
    m->parts[i].destroy(m->parts[i].self);
  }
  for (uint32_t g = 0; m->nodes && m->seats && g < m->params.gpus; g++) {
    gpu_destroy(m->nodes[g].gpu);
    texturing_destroy(m->seats[g].texturing);
  }
  coarse_destroy(m->coarse);
  owners_destroy(m->owners);
  texture_map_destroy(&m->texture_map);
  decisions_free(&m->decisions);
  free(m->distributors);
  free(m->nodes);
  free(m->seats);
  text_free(&m->halt.text);
  free(m);
}

static uint64_t all_of(const machine_t *m) { return UINT64_MAX >> (64 - m->params.gpus); }

static void collect_stats(machine_t *m) {
  machine_stats_t *s = &m->stats;
  stages_step(&m->stages, m->nodes, m->dispatch, all_of(m), m->now);
  memcpy(s->spent, m->stages.spent, sizeof s->spent);
  s->dispatch = *dispatch_stats(m->dispatch);
  s->sync = *sync_stats(m->sync);
  if (m->distribute) {
    s->distribute = *distribute_stats(m->distribute);
  }
  if (m->coarse) {
    s->coarse = coarse_stats(m->coarse);
  }
  if (m->compose) {
    s->compose = compose_stats(m->compose);
  }
}

// ---- The end of a run

static bool busy(const machine_t *m) {
  for (uint32_t i = 0; i < m->part_count; i++) {
    if (m->parts[i].busy(m->parts[i].self)) {
      return true;
    }
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    if (!gpu_idle(m->nodes[g].gpu)) {
      return true;
    }
  }
  return false;
}

static void describe_gpu(machine_t *m, uint32_t g) {
  text_t *text = &m->halt.text;
  text_format(text, "  GPU %u: ", g);
  gpu_describe(m->nodes[g].gpu, text);
  for (uint32_t i = 0; i < m->part_count; i++) {
    if (m->parts[i].describe_gpu) {
      m->parts[i].describe_gpu(m->parts[i].self, g, text);
    }
  }
  text_put(text, "\n");
  if (m->seats[g].texturing) {
    text_put(text, "    texture: ");
    texturing_describe(m->seats[g].texturing, text);
    text_put(text, "\n");
  }
}

static void report_hang(machine_t *m, const char *why) {
  text_t *text = &m->halt.text;
  halt_set(&m->halt, MachineHang, m->now, "%s\n", why);
  for (uint32_t i = 0; i < m->part_count; i++) {
    size_t before = text->length;
    if (m->parts[i].describe) {
      text_put(text, "  ");
      m->parts[i].describe(m->parts[i].self, text);
    }
    if (text->length > before + 2) {
      text_put(text, "\n");
    } else {
      text_cut(text, before);
    }
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    describe_gpu(m, g);
  }
  if (m->soc) {
    soc_describe(m->soc, text);
  }
}

// Returns a number that changes with everything that gets done.
static uint64_t work_done(const machine_t *m) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < m->part_count; i++) {
    sum += m->parts[i].work(m->parts[i].self);
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    const gpu_stats_t *s = gpu_stats(m->nodes[g].gpu);
    sum += s->draws + s->triangles + s->projected + s->fragments + s->blocks + s->busy_rop +
           s->warps + s->busy_raster;
  }
  return sum;
}

// Fails a run whose memory lacks the addresses: it answered at once, so the time means nothing.
static void check_served(machine_t *m) {
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    const texturing_t *t = m->seats[g].texturing;
    uint64_t refused = t ? texturing_refused(t) : 0;
    if (refused) {
      halt_set(&m->halt, MachineProtocol, m->now,
               "GPU %u: %llu requests beyond the end of its memory: set a larger "
               "gddr5.rows, or hmc.bank_size",
               g, (unsigned long long)refused);
    }
  }
}

// Returns true while a GPU computes something whose end is known: it may take long, and is no hang.
static bool computes(const machine_t *m) {
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    if (gpu_busy(m->nodes[g].gpu, m->now)) {
      return true;
    }
  }
  return false;
}

// Returns true when there was no progress for too long. Looks at the work every 1,024 cycles and
// before it reports a hang. Cycles in which nothing was due do not count.
static bool hangs(machine_t *m) {
  uint64_t idle = m->stats.cycles_evaluated - m->worked_at;
  if (((m->stats.cycles_evaluated & 1023) == 0 || idle > m->params.watchdog) &&
      (work_done(m) != m->worked || computes(m))) {
    m->worked = work_done(m);
    m->worked_at = m->stats.cycles_evaluated;
    idle = 0;
  }
  return idle > m->params.watchdog;
}

static void finish_textures(machine_t *m) {
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    texturing_t *t = m->seats[g].texturing;
    if (t && texturing_finish(t) != UnitOk) {
      halt_set(&m->halt, MachineUnitFailed, m->now, "GPU %u: the cube's counters", g);
    }
  }
}

// Returns true if the run goes on at cycle next.
static bool goes_on(machine_t *m, uint64_t next) {
  if (m->halt.status != MachineDone) {
    return false;
  }
  if (next == UINT64_MAX && !busy(m)) {
    m->stats.cycles = m->now;
    finish_textures(m);
    check_served(m);
    return false;
  }
  if (next == UINT64_MAX) {
    report_hang(m, "nothing is due, and work is left");
    return false;
  }
  if (hangs(m)) {
    char why[100];
    snprintf(why, sizeof why, "no progress in %u cycles in which something was due (watchdog)",
             m->params.watchdog);
    report_hang(m, why);
    return false;
  }
  if (m->params.limit && next > m->params.limit) {
    report_hang(m, "the limit of cycles is reached (limit)");
    return false;
  }
  return true;
}

// ---- The clock

static void step_texture(machine_t *m, uint32_t g) {
  uint32_t error;
  seat_t *s = &m->seats[g];
  if (texturing_step(s->texturing, m->now, &s->texture_wake, &error) != UnitOk) {
    halt_set(&m->halt, MachineUnitFailed, m->now, "GPU %u: offloading unit or cube", g);
  } else if (error) {
    halt_set(&m->halt, MachineProtocol, m->now,
             "GPU %u: error outputs %x (offloading unit, then 4 bits each of the cube's "
             "generator, consolidation, buffer and combination)",
             g, error);
  }
}

// Ends the run if a unit of a GPU has failed.
static void check_units(machine_t *m, uint32_t g) {
  const gpu_fault_t *f = gpu_fault(m->nodes[g].gpu);
  if (f->unit) {
    halt_set(&m->halt, f->status == UnitOk ? MachineProtocol : MachineUnitFailed, m->now,
             "GPU %u, cluster %u: %s, error output %u", g, f->cluster, f->unit->name, f->error);
  }
}

// Steps the GPUs that have something to do. Returns when a texture unit has.
static uint64_t step_gpus(machine_t *m) {
  uint64_t next = UINT64_MAX;
  turns_t *t = &m->turns;
  agenda_go(&t->wakes, m->now);
  t->advanced = t->given = agenda_due(&t->wakes);
  for (uint64_t left = m->seats[0].texturing ? all_of(m) : t->advanced; left; left &= left - 1) {
    const uint32_t g = (uint32_t)__builtin_ctzll(left);
    const bool is_due = t->advanced >> g & 1;
    seat_t *s = &m->seats[g];
    if (is_due) {
      agenda_set(&t->wakes, g, gpu_advance(m->nodes[g].gpu, m->now));
      check_units(m, g);
    }
    if (s->texturing && (is_due || s->texture_wake <= m->now)) {
      step_texture(m, g);
      cycle_earliest(&next, s->texture_wake);
      if (m->soc) {
        agenda_lower(&t->wakes, g, s->texture_wake);
      }
    }
  }
  return next;
}

// Steps one cycle: the GPUs, then the parts. Returns the next cycle in which something is due.
static uint64_t step(machine_t *m) {
  uint64_t next = step_gpus(m);
  for (uint32_t i = 0; i < m->part_count && m->halt.status == MachineDone; i++) {
    cycle_earliest(&next, m->parts[i].step(m->parts[i].self, m->now, &m->halt));
  }
  uint64_t coarse = UINT64_MAX;
  if (m->coarse && m->halt.status == MachineDone) {
    coarse = coarse_step(m->coarse, m->now, &m->halt);
  }
  cycle_earliest(&next, agenda_next(&m->turns.wakes));
  // The units' last messages to each other matter to nobody once all else is done.
  if (next != UINT64_MAX || busy(m)) {
    cycle_earliest(&next, coarse);
  }
  if (m->soc && m->halt.status == MachineDone) {
    // The GPU is next called when it can go on.
    const uint64_t until = soc_run(m->soc, m->now, next, &m->halt);
    if (until < next) {
      agenda_set(&m->turns.wakes, 0, until);
    }
    next = until;
  }
  m->stats.cycles_evaluated++;
  // (What distribution waits for is not of the GPU alone.)
  stages_step(&m->stages, m->nodes, m->dispatch, m->distribute ? all_of(m) : m->turns.given,
              m->now);
  return next;
}

machine_status_e machine_run(machine_t *m, machine_progress_t progress, void *context) {
  uint64_t next = 0;
  if (m->soc && !soc_begin(m->soc, m->frame, &m->halt)) {
    return m->halt.status;
  }
  do {
    m->now = next;
    if (m->clock) {
      *m->clock = m->now;
    }
    next = step(m);
    if (progress && m->stats.cycles_evaluated % 65536 == 0) {
      progress(context, dispatch_share(m->dispatch), m->now);
    }
  } while (goes_on(m, next));
  if (m->soc && m->halt.status == MachineDone) {
    soc_finish(m->soc, m->now, &m->halt);
  }
  collect_stats(m);
  return m->halt.status;
}

// ---- Results

static void add_counters(void *self, uint32_t g, uint32_t command, const gpu_draw_cost_t *c,
                         uint64_t cycles) {
  driver_counters_t *of = (driver_counters_t *)self + command;
  (void)g;
  of->fragments_shaded += c->fragments_shaded;
  of->pixels += c->fragments;
  of->cycles += cycles;
}

bool machine_remember(const machine_t *m, driver_memory_t *memory) {
  driver_counters_t *counters = calloc((size_t)m->frame->command_count + 1, sizeof *counters);
  for (uint32_t g = 0; counters && g < m->params.gpus; g++) {
    draw_times_visit(m->nodes[g].gpu, g, m->decisions.pieces, m->frame, add_counters, counters);
  }
  bool ok = counters && driver_memory_learn(memory, m->frame, counters);
  free(counters);
  return ok;
}

const char *machine_report(const machine_t *m) { return text_string(&m->halt.text); }
const machine_stats_t *machine_stats(const machine_t *m) { return &m->stats; }
const machine_params_t *machine_params(const machine_t *m) { return &m->params; }
const frame_t *machine_frame(const machine_t *m) { return m->frame; }
const plan_t *machine_plan(const machine_t *m) { return m->decisions.plan; }
const driver_hint_t *machine_hints(const machine_t *m) { return m->decisions.hints; }
const pieces_t *machine_pieces(const machine_t *m) { return m->decisions.pieces; }
uint32_t machine_gpu_count(const machine_t *m) { return m->params.gpus; }
gpu_t *machine_gpu(const machine_t *m, uint32_t index) { return m->nodes[index].gpu; }
const texturing_t *machine_texturing(const machine_t *m, uint32_t index) {
  return m->seats[index].texturing;
}
const compose_t *machine_compose(const machine_t *m) { return m->compose; }
void machine_watch_clock(machine_t *m, uint64_t *clock) { m->clock = clock; }

uint32_t machine_owner(const machine_t *m, uint16_t target, uint32_t x, uint32_t y) {
  const owner_map_t *map = owners_target(m->owners, target);
  return map->tiles[(y / 64) * map->tiles_x + x / 64];
}

uint32_t machine_depth_owner(const machine_t *m, uint16_t target, uint16_t depth, uint32_t x,
                             uint32_t y) {
  const owner_map_t *map = owners_drawn(m->owners, target, depth);
  const bool is_inside = x < map->width && y < map->height;
  return is_inside ? map->tiles[(y / 64) * map->tiles_x + x / 64] : 0;
}
