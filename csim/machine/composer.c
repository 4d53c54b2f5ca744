// SPDX-License-Identifier: Apache-2.0
#include "composer.h"

#include <stdio.h>
#include <stdlib.h>

#include "../link/channel.h"

typedef struct {
  channel_t reports;  // GPU -> scheduler; kind: the unit's message, value: peer or depth
  channel_t orders;   // scheduler -> GPU; kind: order_e, value: peer, payload: front
} lane_t;

// The outputs of a scheduler.
typedef struct {
  bool start_valid, front, quiescent;
  uint8_t source, destination, error;
  uint64_t release;
} said_t;

struct composer {
  site_t site;
  agenda_t *wakes;
  lane_t *lanes;
  bool ahead;  // the scheduler is the one with lookahead
  struct {     // the paper's
    composition_scheduler_t unit;
    composition_scheduler_in_t in;
    composition_scheduler_out_t out;
  } plain;
  struct {
    lookahead_scheduler_t unit;
    lookahead_scheduler_in_t in;
    lookahead_scheduler_out_t out;
  } look;
  said_t said;    // what either said last
  bool active;    // something passed in the last step
  uint64_t wake;  // next cycle at which a message arrives or the scheduler steps
  composer_stats_t stats;
};

static void hear_unit(composer_t *c) {
  if (c->ahead) {
    const lookahead_scheduler_out_t *o = &c->look.out;
    c->said = (said_t){.start_valid = o->start_valid,
                       .front = o->start_front,
                       .quiescent = o->quiescent,
                       .source = o->start_source,
                       .destination = o->start_destination,
                       .error = o->error};
  } else {
    const composition_scheduler_out_t *o = &c->plain.out;
    c->said = (said_t){o->start_valid,       o->start_front, o->quiescent,    o->start_source,
                       o->start_destination, o->error,       o->release_valid};
  }
}

static bool make_unit(composer_t *c, const machine_units_t *units, err_t *err) {
  const machine_params_t *p = c->site.params;
  c->ahead = machine_lookahead(p) > 0;
  if (c->ahead) {
    lookahead_scheduler_params_t params = {.gpus = p->gpus, .max_depth = machine_lookahead(p)};
    if (!units->lookahead_scheduler(units->context, &params, &c->look.unit, err)) {
      return false;
    }
    c->look.unit.reset(c->look.unit.self, &c->look.out);
  } else {
    composition_scheduler_params_t params = {.gpus = p->gpus, .lowest_first = p->lowest_first};
    if (!units->composition_scheduler(units->context, &params, &c->plain.unit, err)) {
      return false;
    }
    c->plain.unit.reset(c->plain.unit.self, &c->plain.out);
  }
  hear_unit(c);
  return true;
}

composer_t *composer_create(const site_t *site, const machine_units_t *units, agenda_t *wakes,
                            err_t *err) {
  composer_t *c = calloc(1, sizeof *c);
  if (!c) {
    return NULL;
  }
  c->site = *site;
  c->wakes = wakes;
  c->lanes = calloc(site->params->gpus, sizeof *c->lanes);
  bool ok = c->lanes != NULL;
  for (uint32_t g = 0; ok && g < site->params->gpus; g++) {
    ok = channel_create(&c->lanes[g].reports, site->params->message_latency) &&
         channel_create(&c->lanes[g].orders, site->params->message_latency);
  }
  if (!ok || !make_unit(c, units, err)) {
    composer_destroy(c);
    return NULL;
  }
  return c;
}

void composer_destroy(composer_t *c) {
  if (c) {
    for (uint32_t g = 0; c->lanes && g < c->site.params->gpus; g++) {
      channel_destroy(&c->lanes[g].reports);
      channel_destroy(&c->lanes[g].orders);
    }
    free(c->lanes);
    free(c);
  }
}

static void put_message(composer_t *c, uint32_t g, const channel_message_t *m) {
  if (c->ahead) {
    bool ending = m->kind == LookaheadSchedulerMessageEnding;
    c->look.in.message_valid |= 1ull << g;
    c->look.in.message_op[g] = (uint8_t)m->kind;
    c->look.in.message_peer[g] = (uint8_t)(ending ? m->value : 0);
    c->look.in.message_depth[g] = (uint8_t)(ending ? 0 : m->value);
  } else {
    c->plain.in.message_valid |= 1ull << g;
    c->plain.in.message[g] = (uint8_t)m->kind;
  }
}

// Returns when the next report arrives.
static uint64_t take_reports(composer_t *c, uint64_t now) {
  uint64_t next = UINT64_MAX;
  c->plain.in.message_valid = c->look.in.message_valid = 0;
  for (uint32_t g = 0; g < c->site.params->gpus; g++) {
    channel_t *reports = &c->lanes[g].reports;
    const channel_message_t *message = channel_head(reports, now);
    if (message) {
      put_message(c, g, message);
      channel_pop(reports);
    }
    cycle_earliest(&next, cycle_after(now, channel_next(reports)));
  }
  return next;
}

static void tell(composer_t *c, uint32_t g, uint64_t now, channel_message_t message) {
  agenda_lower(c->wakes, g, channel_send(&c->lanes[g].orders, now, message));
}

static void give_orders(composer_t *c, uint64_t now) {
  const said_t *out = &c->said;
  c->plain.in.start_ready = c->look.in.start_ready = true;
  c->plain.in.release_ready = site_all(&c->site);
  if (out->start_valid) {
    tell(c, out->source, now, (channel_message_t){.kind = OrderSend, .value = out->destination});
    tell(c, out->destination, now,
         (channel_message_t){.kind = OrderReceive, .value = out->source, .payload = out->front});
    // One message, heard by both ends.
    c->stats.message_bytes += ChannelMessageBytes;
    c->stats.starts++;
  }
  for (uint64_t rest = out->release; rest; rest &= rest - 1) {
    tell(c, (uint32_t)__builtin_ctzll(rest), now, (channel_message_t){.kind = OrderRelease});
    c->stats.message_bytes += ChannelMessageBytes;
  }
}

static bool step_unit(composer_t *c, uint64_t now, halt_t *halt) {
  unit_status_e status = c->ahead
                             ? c->look.unit.step(c->look.unit.self, &c->look.in, &c->look.out)
                             : c->plain.unit.step(c->plain.unit.self, &c->plain.in, &c->plain.out);
  hear_unit(c);
  return halt_check(halt, now, c->ahead ? &lookahead_scheduler_info : &composition_scheduler_info,
                    HaltOnly, status, c->said.error);
}

void composer_step(composer_t *c, uint64_t now, halt_t *halt) {
  if (now < c->wake) {
    return;
  }
  c->wake = take_reports(c, now);
  give_orders(c, now);
  bool active = c->plain.in.message_valid || c->look.in.message_valid || c->said.start_valid ||
                c->said.release;
  if (active || c->active || !c->said.quiescent) {
    if (!step_unit(c, now, halt)) {
      return;
    }
    if (active || !c->said.quiescent) {
      cycle_earliest(&c->wake, now + 1);
    }
  }
  c->active = active;
}

uint64_t composer_next(const composer_t *c, uint64_t now) { return cycle_after(now, c->wake); }

static void report(composer_t *c, uint32_t g, uint32_t kind, uint32_t value, uint64_t now) {
  channel_message_t message = {.kind = kind, .value = value};
  cycle_earliest(&c->wake, channel_send(&c->lanes[g].reports, now, message));
  c->stats.message_bytes += ChannelMessageBytes;
}

void composer_ready(composer_t *c, uint32_t g, bool transparent, uint32_t depth, uint64_t now) {
  uint32_t kind = c->ahead ? (transparent ? LookaheadSchedulerMessageReadyTransparent
                                          : LookaheadSchedulerMessageReadyOpaque)
                           : (transparent ? CompositionSchedulerMessageReadyTransparent
                                          : CompositionSchedulerMessageReadyOpaque);
  report(c, g, kind, depth, now);
}

void composer_done(composer_t *c, uint32_t g, uint64_t now) {
  report(c, g, CompositionSchedulerMessageDone, 0, now);
}

void composer_ending(composer_t *c, uint32_t g, uint32_t peer, uint64_t now) {
  report(c, g, LookaheadSchedulerMessageEnding, peer, now);
}

bool composer_order(composer_t *c, uint32_t g, uint64_t now, order_t *order) {
  const channel_message_t *message = channel_head(&c->lanes[g].orders, now);
  if (message) {
    *order = (order_t){(uint8_t)message->kind, (uint8_t)message->value, message->payload};
    channel_pop(&c->lanes[g].orders);
  }
  return message != NULL;
}

uint64_t composer_arrival(const composer_t *c, uint32_t g, uint64_t now) {
  return cycle_after(now, channel_next(&c->lanes[g].orders));
}

void composer_describe(const composer_t *c, text_t *text) {
  const said_t *out = &c->said;
  bool lost = false;
  for (uint32_t g = 0; g < c->site.params->gpus; g++) {
    lost = lost || c->lanes[g].reports.failed || c->lanes[g].orders.failed;
  }
  text_format(text, "%s: start_valid=%d (%u to %u) release=%llx%s",
              c->ahead ? "lookahead_scheduler" : "composition_scheduler", out->start_valid,
              out->source, out->destination, (unsigned long long)out->release,
              lost ? ", out of memory, a message was lost" : "");
}

const composer_stats_t *composer_stats(const composer_t *c) { return &c->stats; }
