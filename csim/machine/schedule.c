// SPDX-License-Identifier: Apache-2.0
#include "schedule.h"

#include <math.h>
#include <stdlib.h>

#include "compose.h"
#include "draw_times.h"

// ---- Compositions ----

// Cycles of a transfer on a port that takes a beat a cycle and a link of its bandwidth.
static uint64_t transfer_cycles(const compose_record_t *record, uint32_t beats) {
  uint64_t line = (uint64_t)beats * record->beat_bytes / record->link->bytes_per_cycle;
  return line > beats ? line : beats;
}

static void add_composition(const machine_t *m, const compose_record_t *record, uint32_t k,
                            uint64_t *transfer, schedule_compositions_t *r, double *ratio) {
  uint32_t gpus = machine_gpu_count(m);
  const uint64_t *ready = record->ready + (size_t)k * gpus;
  const uint64_t *released = record->released + (size_t)k * gpus;
  const uint32_t *beats = record->beats + (size_t)k * gpus * gpus;
  uint64_t first = UINT64_MAX, last = 0, end = 0;
  for (uint32_t g = 0; g < gpus; g++) {
    first = ready[g] < first ? ready[g] : first;
    last = ready[g] > last ? ready[g] : last;
    end = released[g] > end ? released[g] : end;
  }
  for (uint32_t i = 0; i < gpus * gpus; i++) {
    transfer[i] = transfer_cycles(record, beats[i]);
  }
  bounds_composition_t c = {gpus, ready, transfer, record->link->latency};
  uint64_t bound = bounds_composition(&c) - last;
  r->imbalance += last - first;
  r->summary.taken += end - last;
  r->summary.bound += bound;
  *ratio = (double)(end - last) / (double)bound;
}

bool schedule_compositions(const machine_t *m, schedule_compositions_t *r) {
  *r = (schedule_compositions_t){0};
  const compose_t *compose = machine_compose(m);
  compose_record_t record = compose ? compose_record(compose) : (compose_record_t){0};
  if (!record.ready) {
    return true;
  }
  uint32_t count = machine_plan(m)->composed_count, gpus = machine_gpu_count(m);
  uint64_t *transfer = calloc((size_t)gpus * gpus, sizeof *transfer);
  double *ratios = calloc((size_t)count + 1, sizeof *ratios);
  bool ok = transfer && ratios;
  for (uint32_t k = 0; ok && k < count; k++) {
    add_composition(m, &record, k, transfer, r, &ratios[r->summary.groups++]);
  }
  if (ok) {
    bounds_summarise(&r->summary, ratios);
  }
  free(transfer);
  free(ratios);
  return ok;
}

// ---- Draws ----

static void visit_draws(const machine_t *m, draw_visit_t visit, void *self) {
  for (uint32_t g = 0; g < machine_gpu_count(m); g++) {
    draw_times_visit(machine_gpu(m, g), g, machine_pieces(m), machine_frame(m), visit, self);
  }
}

typedef struct {
  const plan_t *plan;
  const uint32_t *group_of;  // of each command
  const pieces_t *pieces;
  uint32_t gpus;
  uint64_t *spent;       // [group * gpus + g]
  bounds_draw_t *draws;  // of group k from starts[k] on
  uint32_t *starts, *counts;
} assignment_t;

static void add_assigned(void *self, uint32_t g, uint32_t command, const gpu_draw_cost_t *c,
                         uint64_t cycles) {
  assignment_t *a = self;
  uint32_t k = a->group_of[command];
  bool by_all = a->pieces->pieces[a->pieces->starts[command]].by_all;
  if (a->plan->groups[k].kind == DrawSchedulerGroupOpaque && !by_all) {
    a->spent[(size_t)k * a->gpus + g] += cycles;
    // A piece goes to one GPU, or by all and is not assigned.
    a->draws[a->starts[k] + a->counts[k]++] = (bounds_draw_t){cycles, c->triangles};
  }
}

static void assess(assignment_t *a, schedule_assignment_t *r, double *ratios) {
  for (uint32_t k = 0; k < a->plan->group_count; k++) {
    uint64_t taken = 0;
    if (a->plan->groups[k].kind != DrawSchedulerGroupOpaque) {
      continue;
    }
    for (uint32_t g = 0; g < a->gpus; g++) {
      uint64_t spent = a->spent[(size_t)k * a->gpus + g];
      taken = spent > taken ? spent : taken;
    }
    bounds_assignment_t b = bounds_assignment(a->draws + a->starts[k], a->counts[k], a->gpus);
    if (b.bound == 0) {
      continue;
    }
    r->summary.taken += taken;
    r->summary.bound += b.bound;
    r->greedy += b.greedy;
    r->by_triangles += b.by_triangles;
    ratios[r->summary.groups++] = (double)taken / (double)b.bound;
  }
  bounds_summarise(&r->summary, ratios);
}

bool schedule_assignment(const machine_t *m, schedule_assignment_t *r) {
  const plan_t *p = machine_plan(m);
  uint32_t gpus = machine_gpu_count(m), commands = machine_frame(m)->command_count;
  *r = (schedule_assignment_t){0};
  uint32_t *group_of = calloc((size_t)commands + 1, sizeof *group_of);
  double *ratios = calloc((size_t)p->group_count + 1, sizeof *ratios);
  assignment_t a = {.plan = p, .group_of = group_of, .pieces = machine_pieces(m), .gpus = gpus};
  a.spent = calloc((size_t)p->group_count * gpus + 1, sizeof *a.spent);
  a.draws = calloc((size_t)a.pieces->count + 1, sizeof *a.draws);
  a.starts = calloc((size_t)p->group_count + 1, sizeof *a.starts);
  a.counts = calloc((size_t)p->group_count + 1, sizeof *a.counts);
  bool ok = group_of && ratios && a.spent && a.draws && a.starts && a.counts;
  for (uint32_t k = 0; ok && k < p->group_count; k++) {
    a.starts[k] = a.pieces->starts[p->groups[k].first];
    for (uint32_t i = 0; i < p->groups[k].count; i++) {
      group_of[p->groups[k].first + i] = k;
    }
  }
  if (ok) {
    visit_draws(m, add_assigned, &a);
    assess(&a, r, ratios);
  }
  free(group_of);
  free(ratios);
  free(a.spent);
  free(a.draws);
  free(a.starts);
  free(a.counts);
  return ok;
}

// ---- Rates ----

static void add_rate(void *self, uint32_t g, uint32_t command, const gpu_draw_cost_t *c,
                     uint64_t cycles) {
  schedule_draws_t *d = (schedule_draws_t *)self + command;
  (void)g;
  d->triangles += c->triangles;
  d->geometry += c->geometry;
  d->pipeline += cycles;
}

static double geometry_rate(const schedule_draws_t *d) {
  return (double)d->geometry / (double)d->triangles;
}

static int by_rate(const void *a, const void *b) {
  double x = geometry_rate(a), y = geometry_rate(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

static void gather(schedule_draws_t *to, uint32_t parts, const schedule_draws_t *draws,
                   uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    schedule_draws_t *d = &to[(uint64_t)i * parts / count];
    d->triangles += draws[i].triangles;
    d->geometry += draws[i].geometry;
    d->pipeline += draws[i].pipeline;
  }
}

static double correlation_of(const schedule_draws_t *draws, uint32_t count) {
  double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (uint32_t i = 0; i < count; i++) {
    const schedule_draws_t *d = &draws[i];
    if (d->geometry && d->pipeline) {
      double a = log(geometry_rate(d)), b = log((double)d->pipeline / (double)d->triangles);
      n += 1;
      x += a;
      y += b;
      xx += a * a;
      yy += b * b;
      xy += a * b;
    }
  }
  double spread = (n * xx - x * x) * (n * yy - y * y);
  return spread > 0 ? (n * xy - x * y) / sqrt(spread) : 0;
}

bool schedule_rates(const machine_t *m, schedule_rates_t *r) {
  *r = (schedule_rates_t){0};
  schedule_draws_t *draws = calloc((size_t)machine_frame(m)->command_count + 1, sizeof *draws);
  if (!draws) {
    return false;
  }
  visit_draws(m, add_rate, draws);
  for (uint32_t i = 0; i < machine_frame(m)->command_count; i++) {
    if (draws[i].triangles) {
      draws[r->draws++] = draws[i];
    }
  }
  gather(r->slices, ScheduleSlices, draws, r->draws);
  r->correlation = correlation_of(draws, r->draws);
  qsort(draws, r->draws, sizeof *draws, by_rate);
  gather(r->quarters, ScheduleQuarters, draws, r->draws);
  free(draws);
  return true;
}
