// SPDX-License-Identifier: Apache-2.0
#include "compose.h"

#include <stdio.h>
#include <stdlib.h>

#include "coarse.h"
#include "composer.h"
#include "direct_send.h"
#include "exchange.h"
#include "grants.h"
#include "ideal.h"
#include "subimage.h"

typedef enum {
  PhaseIdle,      // no composition
  PhaseDraining,  // held; the last touches go to the distribution unit
  PhaseActive,    // ready has been sent
} phase_e;

typedef struct {
  uint8_t phase;      // phase_e
  uint32_t composed;  // compose orders finished so far
  uint64_t ready;     // cycle
} lane_t;

struct compose {
  site_t site;
  dispatch_t *dispatch;
  composer_t *composer;  // NULL: direct
  direct_send_t *direct;
  grants_t *grants;      // with lookahead
  exchange_t *exchange;  // NULL: merge
  merge_pixels_t merge;
  lane_t *lanes;
  agenda_t wakes;  // of each GPU: when there is something to do
  uint64_t *ready, *released;
  uint32_t beat_bytes;
  uint64_t ideal_bytes;
  compose_stats_t stats;
};

static const plan_group_t *group_of(const compose_t *c, uint32_t g) {
  return subimage_group(&c->site, c->lanes[g].composed);
}

static size_t record_of(const compose_t *c, uint32_t g) {
  return (size_t)c->lanes[g].composed * c->site.params->gpus + g;
}

// ---- The phases of a composition

static void begin(compose_t *c, uint32_t g, uint64_t now) {
  lane_t *l = &c->lanes[g];
  bool transparent = group_of(c, g)->kind == DrawSchedulerGroupTransparent;
  l->phase = PhaseActive;
  l->ready = now;
  if (c->exchange) {
    c->ready[record_of(c, g)] = now;
    exchange_begin(c->exchange, g);
  }
  if (c->grants) {
    grants_begin(c->grants, g, transparent);
  }
  if (c->composer) {
    composer_ready(c->composer, g, transparent, c->grants ? grants_depth(c->grants, g) : 0, now);
  } else {
    direct_send_begin(c->direct, g, transparent);
  }
}

static void release(compose_t *c, uint32_t g, uint64_t now) {
  lane_t *l = &c->lanes[g];
  const plan_group_t *group = group_of(c, g);
  bool background = group->kind == DrawSchedulerGroupTransparent;
  gpu_release(c->site.nodes[g].gpu, now, background ? group->first : UINT32_MAX);
  site_wake(&c->site, g, now);
  if (c->exchange) {
    c->released[record_of(c, g)] = now;
    exchange_end(c->exchange, g);
  }
  if (c->site.coarse) {
    coarse_publish(c->site.coarse, g, l->composed);
  }
  l->phase = PhaseIdle;
  l->composed++;
  c->stats.releases++;
  c->stats.cycles += now - l->ready;
}

static void step_phase(compose_t *c, uint32_t g, uint64_t now) {
  lane_t *l = &c->lanes[g];
  uint32_t token;
  if (l->phase == PhaseIdle && gpu_held(c->site.nodes[g].gpu, &token) && token == HOLD_COMPOSE) {
    dispatch_flush_progress(c->dispatch, g, now);
    l->phase = PhaseDraining;
  }
  if (l->phase == PhaseDraining && (!c->exchange || exchange_drained(c->exchange, g, now))) {
    begin(c, g, now);
  }
}

// ---- A GPU's cycle

// Merged in no time; the source need not do anything.
static void merge_now(compose_t *c, uint32_t g, const order_t *order, uint64_t now) {
  c->ideal_bytes +=
      ideal_merge(&c->site, c->merge, order->peer, g, order->front, c->lanes[g].composed);
  composer_done(c->composer, g, now);
}

static void obey(compose_t *c, uint32_t g, const order_t *order, uint64_t now) {
  if (order->kind == OrderRelease) {
    release(c, g, now);
  } else if (order->kind == OrderReceive && !c->exchange) {
    merge_now(c, g, order, now);
  } else if (c->grants && order->kind == OrderReceive) {
    grants_receive(c->grants, g, order->peer, order->front);
  } else if (c->grants) {
    grants_send(c->grants, g, order->peer);
  } else if (order->kind == OrderReceive) {
    exchange_receive(c->exchange, g, order->peer, order->front);
  } else if (c->exchange) {
    exchange_send(c->exchange, g, order->peer);
  }
}

// There is no touched map.
static void drop_touches(const site_t *site, uint32_t g, uint64_t now) {
  while (gpu_touch(site->nodes[g].gpu)) {
    gpu_touch_pop(site->nodes[g].gpu);
    site_wake(site, g, now + 1);
  }
}

static uint64_t step_exchange(compose_t *c, uint32_t g, uint64_t now, halt_t *halt) {
  int merged;
  uint64_t next = exchange_step(c->exchange, g, now, &merged, halt);
  if (merged != ExchangeNone && c->grants) {
    grants_merged(c->grants, g);
  } else if (merged != ExchangeNone && c->composer) {
    composer_done(c->composer, g, now);
  } else if (merged != ExchangeNone) {
    direct_send_merged(c->direct, g, (uint32_t)merged);
  }
  int ending = c->grants ? grants_ending(c->grants, g) : ExchangeNone;
  if (ending != ExchangeNone) {
    composer_ending(c->composer, g, (uint32_t)ending, now);
  }
  return next;
}

// Without releases from the scheduler: whether a GPU has exchanged with all others.
static bool exchanged(compose_t *c, uint32_t g, uint64_t now) {
  return c->grants ? grants_step(c->grants, g, now)
                   : c->direct && direct_send_step(c->direct, g, now);
}

static uint64_t step_gpu(compose_t *c, uint32_t g, uint64_t now, halt_t *halt) {
  uint64_t next = UINT64_MAX;
  order_t order;
  if (c->composer && composer_order(c->composer, g, now, &order)) {
    obey(c, g, &order, now);
  }
  if (!c->exchange) {
    drop_touches(&c->site, g, now);
  }
  step_phase(c, g, now);
  if (c->lanes[g].phase == PhaseActive && exchanged(c, g, now)) {
    if (c->exchange && !exchange_settled(c->exchange, g)) {
      halt_set(halt, MachineProtocol, now, "GPU %u goes on while it merges what came early", g);
    }
    release(c, g, now);
  }
  if (c->exchange) {
    next = step_exchange(c, g, now, halt);
  }
  if (c->lanes[g].phase == PhaseDraining) {
    cycle_earliest(&next, now + 1);
  }
  if (c->composer) {
    cycle_earliest(&next, composer_arrival(c->composer, g, now));
  } else if (c->lanes[g].phase == PhaseActive) {
    cycle_earliest(&next, direct_send_next(c->direct, g, now));
  }
  if (c->grants && c->lanes[g].phase == PhaseActive) {
    cycle_earliest(&next, grants_next(c->grants, g, now));
  }
  return next;
}

// ---- The part

static uint64_t step(void *self, uint64_t now, halt_t *halt) {
  compose_t *c = self;
  uint64_t later = UINT64_MAX;
  agenda_go(&c->wakes, now);
  if (c->composer) {
    composer_step(c->composer, now, halt);
  }
  // One may make something due in this cycle for a later one.
  for (uint64_t left; (left = (c->site.turns->advanced | agenda_due(&c->wakes)) & later) &&
                      halt->status == MachineDone;) {
    const uint32_t g = (uint32_t)__builtin_ctzll(left);
    later = UINT64_MAX << g << 1;
    agenda_take(&c->wakes, g);
    agenda_lower(&c->wakes, g, step_gpu(c, g, now, halt));
  }
  return cycle_sooner(c->composer ? composer_next(c->composer, now) : UINT64_MAX,
                      agenda_next(&c->wakes));
}

static bool busy(const void *self) {
  const compose_t *c = self;
  for (uint32_t g = 0; g < c->site.params->gpus; g++) {
    const lane_t *l = &c->lanes[g];
    if (l->phase != PhaseIdle || l->composed != c->site.plan->composed_count ||
        gpu_touch(c->site.nodes[g].gpu)) {
      return true;
    }
  }
  return false;
}

compose_stats_t compose_stats(const compose_t *c) {
  compose_stats_t s = c->stats;
  s.bytes = c->ideal_bytes;
  if (c->exchange) {
    s.bytes = exchange_stats(c->exchange)->bytes;
    s.header_bytes = exchange_stats(c->exchange)->header_bytes;
    s.early_bytes = exchange_stats(c->exchange)->early_bytes;
    s.early_transfers = exchange_stats(c->exchange)->early_transfers;
  }
  if (c->composer) {
    s.message_bytes = composer_stats(c->composer)->message_bytes;
    s.starts = composer_stats(c->composer)->starts;
  } else {
    s.starts = direct_send_starts(c->direct);
  }
  return s;
}

static uint64_t work(const void *self) {
  const compose_t *c = self;
  compose_stats_t s = compose_stats(c);
  return s.bytes + s.message_bytes + s.releases +
         (c->exchange ? exchange_stats(c->exchange)->beats_taken : 0);
}

static void describe(const void *self, text_t *text) {
  const compose_t *c = self;
  if (c->composer) {
    composer_describe(c->composer, text);
  }
}

static void describe_gpu(const void *self, uint32_t g, text_t *text) {
  static const char *const phases[] = {"no composition", "draining touches", "composing"};
  const compose_t *c = self;
  text_format(text, "; pixel_distributor: %s, composed %u of %u", phases[c->lanes[g].phase],
              c->lanes[g].composed, c->site.plan->composed_count);
  if (c->exchange) {
    exchange_describe(c->exchange, g, text);
  }
}

static void destroy(void *self) {
  compose_t *c = self;
  direct_send_destroy(c->direct);
  grants_destroy(c->grants);
  exchange_destroy(c->exchange);
  composer_destroy(c->composer);
  free(c->lanes);
  free(c->ready);
  free(c->released);
  free(c);
}

static bool allocate(compose_t *c) {
  size_t gpus = c->site.params->gpus, records = c->site.plan->composed_count * gpus;
  c->lanes = calloc(gpus, sizeof *c->lanes);
  for (uint32_t g = 0; g < gpus; g++) {
    agenda_set(&c->wakes, g, 0);
  }
  c->ready = calloc(records + 1, sizeof *c->ready);
  c->released = calloc(records + 1, sizeof *c->released);
  return c->lanes && c->ready && c->released;
}

// Room for the pixels of the transparent groups.
static bool make_subimages(const site_t *site) {
  bool ok = true;
  for (uint32_t i = 0; i < site->plan->composed_count; i++) {
    const plan_group_t *group = subimage_group(site, i);
    uint32_t gpus = group->kind == DrawSchedulerGroupTransparent ? site->params->gpus : 0;
    for (uint32_t g = 0; ok && g < gpus; g++) {
      ok = gpu_make_subimage(site->nodes[g].gpu, group->color_target);
    }
  }
  return ok;
}

compose_t *compose_create(const site_t *site, dispatch_t *dispatch, const machine_units_t *units,
                          const pixel_distributor_params_t *params,
                          distribution_unit_t *distributors, err_t *err) {
  compose_t *c = calloc(1, sizeof *c);
  if (!c) {
    return NULL;
  }
  c->site = *site;
  c->dispatch = dispatch;
  c->merge = units->merge;
  c->beat_bytes = params->beat_bytes;
  bool ok = allocate(c) && make_subimages(site);
  if (ok && machine_schedules(site->params)) {
    c->composer = composer_create(site, units, &c->wakes, err);
    ok = c->composer != NULL;
  }
  if (ok && distributors) {
    c->exchange = exchange_create(site, params, distributors, &c->wakes);
    ok = c->exchange != NULL;
  }
  if (ok && c->composer && machine_lookahead(site->params)) {
    c->grants = grants_create(site, c->exchange);
    ok = c->grants != NULL;
  }
  if (ok && !c->composer) {
    c->direct = direct_send_create(site, c->exchange);
    ok = c->direct != NULL;
  }
  if (!ok) {
    destroy(c);
    return NULL;
  }
  return c;
}

part_t compose_part(compose_t *c) {
  return (part_t){.self = c,
                  .step = step,
                  .busy = busy,
                  .work = work,
                  .describe = describe,
                  .describe_gpu = describe_gpu,
                  .destroy = destroy};
}

compose_record_t compose_record(const compose_t *c) {
  if (!c->exchange) {
    return (compose_record_t){0};
  }
  return (compose_record_t){c->ready, c->released, exchange_beats(c->exchange), c->beat_bytes,
                            exchange_link(c->exchange)};
}
