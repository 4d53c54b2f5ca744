// SPDX-License-Identifier: Apache-2.0
#include "soc.h"

#include <stdlib.h>

#include "../base/cycle.h"
#include "../gpu/gpu.h"
#include "../gpu/surface.h"

enum { Gpu, Display };  // IPs of the unit

// An IP's unit of work.
typedef struct {
  bool starts, ends;  // told to the scheduler in its next cycle
  bool active;
  uint64_t begin;
  uint32_t expected;
} work_t;

struct soc {
  soc_params_t params;
  uint64_t limit, *clock;
  memory_system_t *memory;
  gddr5_t *dram;
  soc_core_t cores[SocMaxCores];
  soc_display_t display;
  uint32_t sources;
  uint64_t now;                        // the next cycle
  uint64_t base;                       // of the GPU's cycle 0
  bool drawing, besides[SocMaxCores];  // the GPU has a frame; a core is not done beside it
  bool was_full[MemoryClients];
  uint64_t next_frame;    // earliest begin
  uint64_t gpu_accesses;  // of the GPU's last frame; 0: none

  bool dash;
  dash_scheduler_params_t unit_params;
  dash_scheduler_t unit;
  dash_scheduler_in_t in;
  dash_scheduler_out_t out;
  dash_scheduler_state_t state;
  uint64_t next_tick, state_since;
  uint64_t quantum_misses[SocMaxCores], quantum_instructions[SocMaxCores];
  work_t work[SocIps];

  soc_sums_t sums, first;
  soc_frame_t frame;
  soc_display_stats_t shown;  // until the frame before ended
  uint64_t first_begin;
  soc_stats_t stats;
};

static uint32_t ip_source(const soc_t *s, uint32_t ip) { return s->params.cpu.cores + ip; }

// ---- Creation

static bool create_memory(soc_t *s, const gddr5_params_t *memory, err_t *err) {
  const gddr5_sources_t sources = soc_params_sources(&s->params);
  uint64_t bytes = (uint64_t)memory->channels * memory->banks * memory->row_bytes * memory->rows;
  uint64_t cpus = (uint64_t)s->params.cpu.cores * SocCoreBytes;
  if (sources.split ? bytes / 2 < cpus : bytes < SOC_CPU_BASE + cpus) {
    return err_set(err, ErrInput,
                   "gddr5.rows=%u: the CPUs' memory ends beyond the DRAM; set a larger gddr5.rows",
                   memory->rows);
  }
  s->memory = memory_system_create(NULL, memory, &sources, err);
  s->dram = s->memory ? memory_system_gddr5(s->memory) : NULL;
  return s->memory;
}

static bool create_unit(soc_t *s, const gddr5_params_t *memory, const soc_units_t *units,
                        err_t *err) {
  dash_scheduler_params_t *p = &s->unit_params;
  s->dash = s->params.scheduler > SocFrfcfs;
  *p = dash_scheduler_defaults();
  p->cpus = s->params.cpu.cores;
  p->ips = SocIps;
  p->channels = memory->channels;
  s->next_tick = s->dash ? SocTick : UINT64_MAX;
  if (!s->dash) {
    return true;
  }
  if (memory->channels > 4) {
    return err_set(err, ErrInput, "gddr5.channels=%u: soc.scheduler with DASH takes 4 at most",
                   memory->channels);
  }
  if (!units->dash_scheduler(units->context, p, &s->unit, err)) {
    return false;
  }
  s->unit.reset(s->unit.self, &s->out);
  s->unit.observe(s->unit.self, &s->state);
  gddr5_ranks(s->dram, s->state.rank);
  s->in.factor = (uint16_t)s->params.cluster_factor;
  s->in.threshold[Gpu] = (uint16_t)s->params.gpu_threshold;
  s->in.threshold[Display] = (uint16_t)s->params.threshold;
  s->in.all = s->params.scheduler == SocDashAll;
  s->in.progress = s->params.urgency == 0;
  return true;
}

soc_t *soc_create(const soc_params_t *params, const gddr5_params_t *memory,
                  const soc_units_t *units, uint64_t seed, uint64_t limit, uint64_t *clock,
                  err_t *err) {
  soc_t *s = calloc(1, sizeof *s);
  if (!s) {
    err_set(err, ErrMachine, "out of memory");
    return NULL;
  }
  s->params = *params;
  s->limit = limit;
  s->clock = clock;
  s->sources = params->cpu.cores + SocIps;
  s->stats.cores = params->cpu.cores;
  if (!create_memory(s, memory, err) || !create_unit(s, memory, units, err)) {
    soc_destroy(s);
    return NULL;
  }
  for (uint32_t i = 0; i < params->cpu.cores; i++) {
    soc_core_init(&s->cores[i], &s->params.cpu, i, seed,
                  memory_system_port(s->memory, memory_system_client(s->memory, i)));
  }
  uint32_t client = memory_system_client(s->memory, ip_source(s, Display));
  if (!soc_display_init(&s->display, params->buffer, memory_system_port(s->memory, client))) {
    err_set(err, ErrMachine, "out of memory");
    soc_destroy(s);
    return NULL;
  }
  return s;
}

void soc_destroy(soc_t *s) {
  if (s) {
    soc_display_free(&s->display);
    memory_system_destroy(s->memory);
    free(s);
  }
}

memory_system_t *soc_memory(soc_t *s) { return s->memory; }
uint32_t soc_sources(const soc_t *s) { return s->sources; }

// ---- Deadlines

static uint64_t period_of(const soc_t *s, uint32_t ip) {
  return ip == Gpu ? s->params.gpu_period : s->params.display_period;
}

static void begin_work(soc_t *s, uint32_t ip, uint64_t at, uint64_t expected) {
  uint32_t most = (1u << s->unit_params.count_width) - 1;
  s->work[ip] = (work_t){.starts = true,
                         .active = true,
                         .begin = at,
                         .expected = expected > most ? most
                                     : expected      ? (uint32_t)expected
                                                     : 1};
}

// A work that the scheduler has not been told of ends without a word.
static void end_work(soc_t *s, uint32_t ip, uint64_t at, bool good) {
  work_t *w = &s->work[ip];
  if (w->active) {
    // The beam sets the pace of the display: of a refresh only its end counts.
    bool met = good && (ip == Display || at - w->begin <= period_of(s, ip));
    (met ? s->sums.met : s->sums.missed)[ip]++;
    w->ends = !w->starts;
    w->starts = w->active = false;
  }
}

// ---- The scheduler

// Tells the scheduler of one start; of two, the other one comes in the next cycle.
static bool give_inputs(soc_t *s, uint64_t at) {
  dash_scheduler_in_t *in = &s->in;
  in->tick = at == s->next_tick;
  in->finish = 0;
  in->start_valid = false;
  for (uint32_t ip = 0; ip < SocIps; ip++) {
    work_t *w = &s->work[ip];
    in->finish = (uint8_t)(in->finish | w->ends << ip);
    w->ends = false;
    if (w->starts && !in->start_valid) {
      in->start_valid = true;
      in->start_ip = (uint8_t)ip;
      in->start_expected = w->expected;
      in->start_period = (uint32_t)(period_of(s, ip) / SocTick);
      w->starts = false;
    }
  }
  return in->tick || in->finish || in->start_valid || in->served_valid;
}

// Each CPU's misses in 1,000 instructions of the quantum that ends.
static void measure_quantum(soc_t *s, uint64_t at) {
  s->sums.quanta++;
  for (uint32_t i = 0; i < s->params.cpu.cores; i++) {
    uint64_t misses = s->cores[i].misses - s->quantum_misses[i];
    uint64_t instructions = soc_core_instructions(&s->cores[i], at) - s->quantum_instructions[i];
    uint64_t mpki = instructions ? 1000 * misses / instructions : 0;
    s->in.mpki[i] = (uint16_t)(mpki < UINT16_MAX ? mpki : UINT16_MAX);
    s->quantum_misses[i] += misses;
    s->quantum_instructions[i] += instructions;
    s->sums.intensive[i] += s->state.intensive >> i & 1;
  }
}

static void count_urgent(soc_t *s, uint64_t at) {
  for (uint32_t ip = 0; ip < SocIps; ip++) {
    s->sums.active[ip] += s->state.active >> ip & 1 ? at - s->state_since : 0;
    s->sums.urgent[ip] += s->state.urgent >> ip & 1 ? at - s->state_since : 0;
  }
  s->state_since = at;
}

static bool step_unit(soc_t *s, uint64_t at, halt_t *halt) {
  bool given = give_inputs(s, at);
  if (!given && s->out.quiescent) {
    return true;
  }
  if (s->in.tick) {
    s->next_tick += SocTick;
    s->sums.ticks++;
    for (uint32_t ip = 0; ip < SocIps; ip++) {
      s->sums.probability[ip] += s->state.probability[ip];
    }
    if (at / SocTick % s->unit_params.quantum_ticks == 0) {
      measure_quantum(s, at);
    }
  }
  unit_status_e status = s->unit.step(s->unit.self, &s->in, &s->out);
  if (!halt_check(halt, at, &dash_scheduler_info, HaltOnly, status, s->out.error)) {
    return false;
  }
  count_urgent(s, at);
  s->unit.observe(s->unit.self, &s->state);
  gddr5_ranks(s->dram, s->state.rank);
  return true;
}

// ---- A cycle

// Adds bytes of a source to their part of time; the parts double when time has run out of them.
static void add_part(soc_t *s, uint32_t source, uint64_t at) {
  soc_stats_t *t = &s->stats;
  while (at >> t->part_shift >= SocParts) {
    for (uint32_t i = 0; i < s->sources; i++) {
      for (uint32_t k = 0; k < SocParts; k++) {
        t->parts[i][k] = k < SocParts / 2 ? t->parts[i][2 * k] + t->parts[i][2 * k + 1] : 0;
      }
    }
    t->part_shift++;
  }
  t->parts[source][at >> t->part_shift] += Gddr5Access;
}

static void take_served(soc_t *s, uint64_t at) {
  const uint8_t *served = gddr5_served(s->dram);
  s->in.served_valid = 0;
  for (uint32_t c = 0; c < s->unit_params.channels; c++) {
    if (served[c] != Gddr5NoSource) {
      s->in.served_valid = (uint8_t)(s->in.served_valid | 1u << c);
      s->in.served_source[c] = served[c];
      add_part(s, served[c], at);
    }
  }
}

static void step_display(soc_t *s, uint64_t at) {
  soc_display_t *d = &s->display;
  uint64_t aborted = d->stats.aborted;
  soc_display_step(d, at);
  if (d->ended) {
    end_work(s, Display, at, d->stats.aborted == aborted);
  }
  if (d->began) {
    begin_work(s, Display, at, (uint64_t)d->columns * d->rows * 4 / Gddr5Access);
  }
}

// A core that is done beside the GPU goes on in the background, as long as the GPU draws.
static void step_core(soc_t *s, uint32_t i, uint64_t at) {
  soc_core_t *core = &s->cores[i];
  soc_core_step(core, at);
  if (s->besides[i] && soc_core_done(core)) {
    s->besides[i] = false;
    s->frame.beside = at - s->base > s->frame.beside ? at - s->base : s->frame.beside;
    if (s->drawing) {
      soc_core_background(core, at);
    }
  }
}

static bool cycle(soc_t *s, uint64_t at, halt_t *halt) {
  if (s->clock) {
    *s->clock = at;
  }
  memory_system_skip_to(s->memory, at);
  for (uint32_t i = 0; i < s->params.cpu.cores; i++) {
    step_core(s, i, at);
  }
  step_display(s, at);
  memory_system_step(s->memory);
  take_served(s, at);
  s->now = at + 1;
  return !s->dash || step_unit(s, at, halt);
}

static bool has_room(const soc_t *s, uint32_t source) {
  return memory_system_waiting(s->memory, memory_system_client(s->memory, source)) <
         MemoryQueueRoom;
}

// Returns the next cycle in which the cores or the memory do something.
static uint64_t work_due(const soc_t *s) {
  uint64_t due = memory_system_next_event(s->memory), last = s->now - 1;
  for (uint32_t i = 0; i < s->params.cpu.cores; i++) {
    bool sends = soc_core_blocked(&s->cores[i]) && has_room(s, i);
    cycle_earliest(&due, sends ? s->now : soc_core_next(&s->cores[i], last));
  }
  return due;
}

// Returns the next cycle in which anything is done.
static uint64_t next_due(const soc_t *s) {
  bool sends = s->display.blocked && has_room(s, ip_source(s, Display));
  bool told = s->work[Gpu].starts || s->work[Gpu].ends || s->work[Display].starts;
  uint64_t due = cycle_sooner(work_due(s), s->next_tick);
  cycle_earliest(&due, sends ? s->now : soc_display_next(&s->display, s->now - 1));
  return s->dash && (!s->out.quiescent || told) ? s->now : cycle_later(due, s->now);
}

// Goes on until all cores are done. Returns false with a halt.
static bool run_cores(soc_t *s, const char *what, halt_t *halt) {
  const uint64_t begin = s->now;
  for (;;) {
    bool done = true;
    for (uint32_t i = 0; i < s->params.cpu.cores; i++) {
      done = done && soc_core_done(&s->cores[i]) && !s->besides[i];
    }
    if (done) {
      return true;
    }
    bool stuck = work_due(s) == MEMORY_NEVER, late = s->limit && s->now - begin > s->limit;
    if (stuck || late) {
      halt_set(
          halt, MachineHang, s->now, "SoC, %s: %s\n", what,
          stuck ? "nothing is due, and work is left" : "the limit of cycles is reached (limit)");
      soc_describe(s, &halt->text);
      return false;
    }
    if (!cycle(s, next_due(s), halt)) {
      return false;
    }
  }
}

// ---- Frames

static uint64_t cpu_bytes(const soc_t *s) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < s->params.cpu.cores; i++) {
    const gddr5_source_stats_t *of = gddr5_source(s->dram, i);
    bytes += of->read_bytes + of->write_bytes;
  }
  return bytes;
}

static uint64_t gpu_accesses(const soc_t *s) {
  return gddr5_source(s->dram, ip_source(s, Gpu))->accesses;
}

// Takes the sums up to now of what others count.
static void take_sums(soc_t *s) {
  for (uint32_t i = 0; i < s->sources; i++) {
    s->sums.sources[i] = *gddr5_source(s->dram, i);
  }
  s->sums.display = s->display.stats;
}

static void subtract(void *from, const void *by, size_t size) {
  uint64_t *a = from;
  const uint64_t *b = by;
  for (size_t i = 0; i < size / sizeof *a; i++) {
    a[i] -= b[i];
  }
}

static uint64_t pixels(const frame_surface_t *s) {
  uint64_t columns = (s->width + SurfaceTile - 1) / SurfaceTile;
  return columns * ((s->height + SurfaceTile - 1) / SurfaceTile) * SurfaceTilePixels;
}

// Two for each 32 bytes of the surfaces: what is expected of a GPU that has drawn nothing yet.
static uint64_t first_accesses(const frame_t *f) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < f->target_count; i++) {
    sum += pixels(&f->targets[i]);
  }
  for (uint32_t i = 0; i < f->depth_count; i++) {
    sum += pixels(&f->depths[i]);
  }
  return 2 * 4 * sum / Gddr5Access;
}

bool soc_begin(soc_t *s, const frame_t *frame, halt_t *halt) {
  const frame_surface_t *show = &frame->targets[0];
  uint64_t pitch = (uint64_t)(show->width + SurfaceTile - 1) / SurfaceTile * SurfaceTile * 4;
  soc_display_show(&s->display, show->width, show->height, GpuFirstTarget, pitch);
  while (next_due(s) < s->next_frame) {
    if (!cycle(s, next_due(s), halt)) {
      return false;
    }
  }
  s->now = cycle_later(s->now, s->next_frame);
  if (s->sums.frames == 1) {
    count_urgent(s, s->now);
    take_sums(s);
    s->first = s->sums;
    s->first_begin = s->now;
  }
  s->frame = (soc_frame_t){.begin = s->now, .prepare_bytes = cpu_bytes(s)};
  for (uint32_t i = 0; i < s->params.cpu.cores; i++) {
    soc_core_work(&s->cores[i], s->now, s->params.cpu.prepare[i]);
  }
  if (!run_cores(s, "while the CPUs prepare a frame", halt)) {
    return false;
  }
  s->base = s->now;
  s->drawing = true;
  s->frame.prepare = s->now - s->frame.begin;
  s->frame.prepare_bytes = cpu_bytes(s) - s->frame.prepare_bytes;
  s->frame.beside_bytes = cpu_bytes(s);
  for (uint32_t i = 0; i < s->params.cpu.cores; i++) {
    s->besides[i] = true;
    soc_core_work(&s->cores[i], s->now, s->params.cpu.beside[i]);
  }
  begin_work(s, Gpu, s->now, s->gpu_accesses ? s->gpu_accesses : first_accesses(frame));
  s->gpu_accesses = gpu_accesses(s);
  return true;
}

// Tells if the GPU's side can go on.
static bool gpu_goes_on(const soc_t *s) {
  for (uint32_t i = 0; i < MemoryClients; i++) {
    if (memory_system_answers(s->memory, i) ||
        (s->was_full[i] && memory_system_waiting(s->memory, i) < MemoryQueueRoom)) {
      return true;
    }
  }
  return false;
}

static bool gpu_waits(const soc_t *s) {
  return !memory_system_client_idle(s->memory, MemoryClientGpu) ||
         !memory_system_client_idle(s->memory, MemoryClientTexture);
}

uint64_t soc_run(soc_t *s, uint64_t now, uint64_t next, halt_t *halt) {
  uint64_t at = s->base + now, end = next == UINT64_MAX ? next : s->base + next;
  if (s->limit) {
    cycle_earliest(&end, s->base + s->limit + 1);
  }
  for (uint32_t i = 0; i < MemoryClients; i++) {
    s->was_full[i] = memory_system_waiting(s->memory, i) == MemoryQueueRoom;
  }
  while (cycle(s, at, halt)) {
    if (gpu_goes_on(s)) {
      return at + 1 - s->base;
    }
    if (next == UINT64_MAX && (!gpu_waits(s) || work_due(s) == MEMORY_NEVER)) {
      return UINT64_MAX;
    }
    if (s->params.polled) {
      return at + 1 - s->base;
    }
    at = next_due(s);
    if (at >= end) {
      return end - s->base;
    }
  }
  return now + 1;
}

static void add_frame(soc_t *s) {
  const soc_frame_t *f = &s->frame;
  soc_frame_t *sum = &s->sums.frame;
  s->sums.frames++;
  sum->prepare += f->prepare;
  sum->gpu += f->gpu;
  sum->beside += f->beside;
  sum->cycles += f->cycles;
  sum->prepare_bytes += f->prepare_bytes;
  sum->beside_bytes += f->beside_bytes;
}

bool soc_finish(soc_t *s, uint64_t now, halt_t *halt) {
  soc_frame_t *f = &s->frame;
  uint64_t idle = s->base + now;
  s->drawing = false;
  f->gpu = now;
  f->beside_bytes = cpu_bytes(s) - f->beside_bytes;
  s->gpu_accesses = gpu_accesses(s) - s->gpu_accesses;
  end_work(s, Gpu, idle, true);
  for (uint32_t i = 0; i < s->params.cpu.cores; i++) {
    if (!s->besides[i]) {
      soc_core_rest(&s->cores[i]);
    }
  }
  if (!run_cores(s, "after the GPU's frame", halt)) {
    return false;
  }
  uint64_t end = cycle_later(idle, s->base + f->beside);
  f->cycles = end - f->begin;
  s->next_frame = cycle_later(s->now, f->begin + s->params.pace);
  add_frame(s);
  count_urgent(s, s->now);
  take_sums(s);
  f->refreshes = s->display.stats.refreshes - s->shown.refreshes;
  f->aborted = s->display.stats.aborted - s->shown.aborted;
  s->shown = s->display.stats;
  s->stats.frame = *f;
  s->stats.sums = s->sums;
  if (s->sums.frames > 1) {
    subtract(&s->stats.sums, &s->first, sizeof s->first);
    for (uint32_t i = 0; i < s->sources; i++) {
      s->stats.sums.sources[i].latency.max = s->sums.sources[i].latency.max;
    }
  }
  s->stats.sums.span = s->next_frame - s->first_begin;
  return true;
}

const soc_stats_t *soc_stats(const soc_t *s) { return &s->stats; }

void soc_describe(const soc_t *s, text_t *text) {
  for (uint32_t i = 0; i < s->params.cpu.cores; i++) {
    text_put(text, "  ");
    soc_core_describe(&s->cores[i], text);
    text_put(text, "\n");
  }
  text_put(text, "  ");
  soc_display_describe(&s->display, text);
  text_format(text, "\n  GPU %s, %u requests of it and %u of its textures wait for the memory\n",
              s->drawing ? "draws" : "waits for its next frame",
              memory_system_waiting(s->memory, MemoryClientGpu),
              memory_system_waiting(s->memory, MemoryClientTexture));
}
