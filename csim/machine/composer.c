// SPDX-License-Identifier: Apache-2.0
#include "composer.h"

#include <stdio.h>
#include <stdlib.h>

#include "../link/channel.h"

typedef struct {
  channel_t reports;  // GPU -> scheduler
  channel_t orders;   // scheduler -> GPU; kind: order_e, value: peer, payload: front
} lane_t;

struct composer {
  site_t site;
  uint64_t *wakes;
  lane_t *lanes;
  composition_scheduler_t unit;
  composition_scheduler_in_t in;
  composition_scheduler_out_t out;
  bool active;    // something passed in the last step
  uint64_t wake;  // next cycle at which a message arrives or the scheduler steps
  composer_stats_t stats;
};

composer_t *composer_create(const site_t *site, const machine_units_t *units, uint64_t *wakes,
                            char error[FrameErrorSize]) {
  composition_scheduler_params_t params = {.gpus = site->params->gpus,
                                           .lowest_first = site->params->lowest_first};
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
  if (!ok || !units->composition_scheduler(units->context, &params, &c->unit, error)) {
    composer_destroy(c);
    return NULL;
  }
  c->unit.reset(c->unit.self, &c->out);
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

// Returns when the next report arrives.
static uint64_t take_reports(composer_t *c, uint64_t now) {
  uint64_t next = UINT64_MAX;
  c->in.message_valid = 0;
  for (uint32_t g = 0; g < c->site.params->gpus; g++) {
    channel_t *reports = &c->lanes[g].reports;
    const channel_message_t *message = channel_head(reports, now);
    if (message) {
      c->in.message_valid |= 1ull << g;
      c->in.message[g] = (uint8_t)message->kind;
      channel_pop(reports);
    }
    cycle_earliest(&next, cycle_after(now, channel_next(reports)));
  }
  return next;
}

static void tell(composer_t *c, uint32_t g, uint64_t now, channel_message_t message) {
  cycle_earliest(&c->wakes[g], channel_send(&c->lanes[g].orders, now, message));
}

static void give_orders(composer_t *c, uint64_t now) {
  const composition_scheduler_out_t *out = &c->out;
  c->in.start_ready = true;
  c->in.release_ready = site_all(&c->site);
  if (out->start_valid) {
    tell(c, out->start_source, now,
         (channel_message_t){.kind = OrderSend, .value = out->start_destination});
    tell(c, out->start_destination, now,
         (channel_message_t){.kind = OrderReceive, .value = out->start_source,
                             .payload = out->start_front});
    // One message, heard by both ends.
    c->stats.message_bytes += ChannelMessageBytes;
    c->stats.starts++;
  }
  for (uint64_t rest = out->release_valid; rest; rest &= rest - 1) {
    tell(c, (uint32_t)__builtin_ctzll(rest), now, (channel_message_t){.kind = OrderRelease});
    c->stats.message_bytes += ChannelMessageBytes;
  }
}

static bool step_unit(composer_t *c, uint64_t now, failure_t *failure) {
  unit_status_e status = c->unit.step(c->unit.self, &c->in, &c->out);
  return failure_check(failure, now, &composition_scheduler_info, FailureOnly, status,
                       c->out.error);
}

void composer_step(composer_t *c, uint64_t now, failure_t *failure) {
  if (now < c->wake) {
    return;
  }
  c->wake = take_reports(c, now);
  give_orders(c, now);
  bool active = c->in.message_valid || c->out.start_valid || c->out.release_valid;
  if (active || c->active || !c->out.quiescent) {
    if (!step_unit(c, now, failure)) {
      return;
    }
    if (active || !c->out.quiescent) {
      cycle_earliest(&c->wake, now + 1);
    }
  }
  c->active = active;
}

uint64_t composer_next(const composer_t *c, uint64_t now) { return cycle_after(now, c->wake); }

void composer_report(composer_t *c, uint32_t g, uint32_t kind, uint64_t now) {
  channel_message_t message = {.kind = kind};
  cycle_earliest(&c->wake, channel_send(&c->lanes[g].reports, now, message));
  c->stats.message_bytes += ChannelMessageBytes;
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

void composer_describe(const composer_t *c, char *text, size_t size) {
  const composition_scheduler_out_t *out = &c->out;
  bool lost = false;
  for (uint32_t g = 0; g < c->site.params->gpus; g++) {
    lost = lost || c->lanes[g].reports.failed || c->lanes[g].orders.failed;
  }
  snprintf(text, size, "composition_scheduler: start_valid=%d (%u to %u) release=%llx%s",
           out->start_valid, out->start_source, out->start_destination,
           (unsigned long long)out->release_valid,
           lost ? ", out of memory, a message was lost" : "");
}

const composer_stats_t *composer_stats(const composer_t *c) { return &c->stats; }
