// SPDX-License-Identifier: Apache-2.0
#include "gpu_masks.h"

#include <stdlib.h>

enum { MostMasks = 1024, CloseAfter = 20 };

// A mask of the primitive distributor that a front has not gone through.
typedef struct {
  uint64_t ready;  // cycle
  uint32_t first, count, bits;
} mask_t;

typedef struct {
  uint64_t ready;  // cycle
  uint32_t number;
} setup_t;

typedef struct {
  mask_t masks[MostMasks];
  gpu_ring_t ring;
  setup_t *setup;  // pipeline of setup_latency + 1 triangles
  gpu_ring_t under_way;
  uint64_t taken;     // cycle + 1 at which it took the last triangle or mask without one
  bool rasters;       // triangle `at`
  uint32_t at, next;  // next: the first number behind its masks
} front_t;

struct gpu_masks {
  gpu_site_t *site;
  primitive_distributor_t unit;
  primitive_distributor_out_t out;
  bool configured;
  uint64_t stepped;                   // cycle + 1 of the last step
  gpu_entry_t entries[GpuTriangles];  // by number
  uint32_t numbers;
  uint32_t gathered;    // entries since the end of the last batch
  uint64_t last;        // cycle at which the last entry went in
  uint32_t last_draw;   // its draw
  uint32_t ended_draw;  // geometry has ended those before
  uint32_t stops;       // clears and holds with lower numbers are done
  uint32_t batch;       // entries
  front_t fronts[];
};

static uint32_t setup_places(const gpu_masks_t *m) { return m->site->params.setup_latency + 1; }

uint32_t gpu_masks_numbers(const gpu_masks_t *m) { return m->numbers; }

const gpu_entry_t *gpu_masks_entry(const gpu_masks_t *m, uint32_t number) {
  return &m->entries[number % GpuTriangles];
}

void gpu_masks_ended(gpu_masks_t *m, uint32_t sequence) { m->ended_draw = sequence; }

// ---- The fronts

// Returns the first number that a front is not done with.
static uint32_t place_of(const front_t *f) {
  if (f->rasters) {
    return f->at;
  }
  if (f->under_way.count) {
    return f->setup[f->under_way.head].number;
  }
  const mask_t *mask = &f->masks[f->ring.head];
  return f->ring.count ? mask->first + (mask->bits ? (uint32_t)__builtin_ctz(mask->bits) : 0)
                       : f->next;
}

uint32_t gpu_masks_passed(const gpu_masks_t *m) {
  uint32_t passed = place_of(&m->fronts[0]);
  for (uint32_t f = 1; f < m->site->fronts; f++) {
    const uint32_t place = place_of(&m->fronts[f]);
    passed = (int32_t)(place - passed) < 0 ? place : passed;
  }
  return passed;
}

// Tells if a number is that of a clear or hold that is not done. It is alone in its batch.
static bool is_stop(const gpu_masks_t *m, uint32_t number) {
  return number != m->numbers && gpu_masks_entry(m, number)->triangle == UINT32_MAX &&
         (int32_t)(number - m->stops) >= 0;
}

const gpu_entry_t *gpu_masks_stop(const gpu_masks_t *m) {
  const uint32_t passed = gpu_masks_passed(m);
  return is_stop(m, passed) ? gpu_masks_entry(m, passed) : NULL;
}

void gpu_masks_pass(gpu_masks_t *m) { m->stops = gpu_masks_passed(m) + 1; }

bool gpu_masks_take(gpu_masks_t *m, uint32_t front, uint64_t now, uint64_t *next) {
  front_t *f = &m->fronts[front];
  mask_t *mask = &f->masks[f->ring.head];
  if (f->ring.count == 0 || is_stop(m, mask->first) ||
      (mask->bits && f->under_way.count == setup_places(m))) {
    return false;
  }
  const uint64_t start = cycle_later(mask->ready, f->taken);
  if (start > now) {
    cycle_earliest(next, start);
    return false;
  }
  f->taken = now + 1;
  if (mask->bits) {
    const uint32_t k = (uint32_t)__builtin_ctz(mask->bits);
    f->setup[gpu_ring_push(&f->under_way, setup_places(m))] =
        (setup_t){now + m->site->params.setup_latency, mask->first + k};
    mask->bits &= mask->bits - 1;
  }
  if (!mask->bits) {
    f->next = mask->first + mask->count;
    gpu_ring_pop(&f->ring, MostMasks);
  }
  return true;
}

bool gpu_masks_ready(const gpu_masks_t *m, uint32_t front, uint64_t now, uint64_t *next,
                     uint32_t *number) {
  const front_t *f = &m->fronts[front];
  const setup_t *s = &f->setup[f->under_way.head];
  if (f->under_way.count == 0 || s->ready > now) {
    cycle_earliest(next, f->under_way.count ? s->ready : GPU_NEVER);
    return false;
  }
  *number = s->number;
  return true;
}

void gpu_masks_begin(gpu_masks_t *m, uint32_t front) {
  front_t *f = &m->fronts[front];
  f->rasters = true;
  f->at = f->setup[f->under_way.head].number;
  gpu_ring_pop(&f->under_way, setup_places(m));
}

void gpu_masks_end(gpu_masks_t *m, uint32_t front) { m->fronts[front].rasters = false; }

// ---- The distributor

// Tells if the batch is to end before anything else goes in.
static bool closes(const gpu_masks_t *m, uint64_t now, const gpu_offer_t *o) {
  const bool another = o->entry && o->entry->draw->sequence != m->last_draw;
  const bool ended = !o->entry && (int32_t)(m->ended_draw - m->last_draw) > 0;
  return m->gathered && (another || ended || !o->room || now >= m->last + CloseAfter);
}

// Says what goes in. Returns true if it is the entry.
static bool offer(const gpu_masks_t *m, uint64_t now, const gpu_offer_t *o,
                  primitive_distributor_in_t *in) {
  if (closes(m, now, o)) {
    in->primitive_valid = true;
    in->primitive_op = PrimitiveDistributorOpClose;
    return false;
  }
  if (!o->entry || !o->room || o->entry->ready > now) {
    return false;
  }
  in->primitive_valid = true;
  in->primitive_op = PrimitiveDistributorOpEmpty;
  if (o->box) {
    in->primitive_op = PrimitiveDistributorOpBox;
    in->primitive_x0 = (uint16_t)(o->box->x0 / SurfaceBlock);
    in->primitive_y0 = (uint16_t)(o->box->y0 / SurfaceBlock);
    in->primitive_x1 = (uint16_t)((o->box->x1 - 1) / SurfaceBlock);
    in->primitive_y1 = (uint16_t)((o->box->y1 - 1) / SurfaceBlock);
  }
  return true;
}

static void number_entry(gpu_masks_t *m, uint64_t now, const gpu_offer_t *o,
                         const primitive_distributor_in_t *in) {
  gpu_vpo_stats_t *s = &m->site->stats.vpo;
  const uint32_t wt = m->site->params.wt;
  if (in->primitive_op == PrimitiveDistributorOpBox) {
    s->rows += cycle_sooner(in->primitive_y1 / wt - in->primitive_y0 / wt + 1, m->site->clusters);
  }
  s->primitives++;
  m->entries[m->numbers++ % GpuTriangles] = *o->entry;
  m->gathered = (m->gathered + 1) % m->batch;
  m->last = now;
  m->last_draw = o->entry->draw->sequence;
}

// Returns the lanes whose masks are taken.
static uint16_t take_masks(gpu_masks_t *m, uint64_t now) {
  gpu_vpo_stats_t *s = &m->site->stats.vpo;
  uint32_t taken = 0;
  for (uint32_t i = 0; i < m->site->fronts; i++) {
    front_t *f = &m->fronts[i];
    if (m->out.mask_valid >> i & 1 && f->ring.count < m->site->params.masks) {
      const mask_t mask = {now + 1, m->out.mask_first[i], m->out.mask_count[i],
                           m->out.mask_bits[i]};
      f->masks[gpu_ring_push(&f->ring, MostMasks)] = mask;
      s->masks++;
      s->bits += (uint32_t)__builtin_popcount(mask.bits);
      taken |= 1u << i;
    }
  }
  return (uint16_t)taken;
}

bool gpu_masks_step(gpu_masks_t *m, uint64_t now, uint64_t *next, const gpu_offer_t *o) {
  primitive_distributor_in_t in = {.configure_valid = !m->configured};
  if (m->stepped == now + 1) {
    return false;
  }
  in.configure_wt = (uint8_t)m->site->params.wt;
  in.configure_width = (uint16_t)((m->site->frame->width + SurfaceBlock - 1) / SurfaceBlock);
  const bool entry = offer(m, now, o, &in);
  const bool accepts = in.primitive_valid && m->out.primitive_ready;
  in.mask_ready = take_masks(m, now);
  if (m->gathered) {
    cycle_earliest(next, m->last + CloseAfter > now ? m->last + CloseAfter : GPU_NEVER);
  }
  if (m->configured && m->out.quiescent && !accepts && !in.mask_ready) {
    return false;
  }
  m->configured |= m->out.configure_ready;
  const unit_status_e status = m->unit.step(m->unit.self, &in, &m->out);
  m->stepped = now + 1;
  if (status != UnitOk || m->out.error) {
    gpu_fault_set(m->site, &primitive_distributor_info, 0, status, m->out.error);
  }
  if (accepts && entry) {
    number_entry(m, now, o, &in);
  } else if (accepts) {
    m->gathered = 0;
  }
  cycle_earliest(next, now + 1);
  return accepts && entry;
}

// ---- Reports

bool gpu_masks_busy(const gpu_masks_t *m, uint64_t now) {
  for (uint32_t i = 0; i < m->site->fronts; i++) {
    const front_t *f = &m->fronts[i];
    if (f->under_way.count && f->setup[f->under_way.head].ready > now) {
      return true;
    }
  }
  return !m->out.quiescent || (m->gathered && m->last + CloseAfter > now);
}

void gpu_masks_describe(const gpu_masks_t *m, text_t *text) {
  text_format(text, ", %u entries through the primitive distributor, %u of them in its batch",
              m->numbers, m->gathered);
  for (uint32_t i = 0; i < m->site->fronts; i++) {
    const front_t *f = &m->fronts[i];
    text_format(text, ", front %u: %u masks, %u in setup, at %u", i, f->ring.count,
                f->under_way.count, place_of(f));
  }
}

// ---- Creation

void gpu_masks_destroy(gpu_masks_t *m) {
  for (uint32_t i = 0; m && i < m->site->fronts; i++) {
    free(m->fronts[i].setup);
  }
  free(m);
}

gpu_masks_t *gpu_masks_create(gpu_site_t *site, const gpu_units_t *units, err_t *err) {
  gpu_masks_t *m = calloc(1, sizeof *m + site->fronts * sizeof *m->fronts);
  primitive_distributor_params_t params = primitive_distributor_defaults();
  if (!m) {
    return NULL;
  }
  m->site = site;
  m->batch = params.batch;
  params.clusters = site->clusters;
  bool ok = true;
  for (uint32_t i = 0; i < site->fronts; i++) {
    m->fronts[i].setup = calloc(setup_places(m), sizeof *m->fronts[i].setup);
    ok = ok && m->fronts[i].setup;
  }
  if (!ok || !units->primitive_distributor(units->context, &params, site->index, &m->unit, err)) {
    gpu_masks_destroy(m);
    return NULL;
  }
  m->unit.reset(m->unit.self, &m->out);
  return m;
}
