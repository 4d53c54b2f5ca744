// SPDX-License-Identifier: Apache-2.0
#include "dispatch.h"

#include <stdio.h>
#include <stdlib.h>

#include "../link/channel.h"

enum { CommandBytes = 16, CreditBytes = 4, ComposePiece = 1u << 31, WeightPart = 1024 };

typedef struct {
  uint8_t op, kind;  // draw_scheduler_op_e, draw_scheduler_group_e
  bool by_all;
  uint16_t weight;
  uint32_t id, first, count;  // id: work item
  uint64_t scouts;            // group start: not before so long after the last one with scouts
} draw_command_t;

// The queue and the counters between the driver and one GPU.
typedef struct {
  uint32_t next_item;  // without draw scheduler: the driver's place
  uint32_t progress;   // triangles, or weight, not yet reported
  channel_t commands;  // scheduler -> GPU
  channel_t credits;   // GPU -> scheduler
  channel_t reports;   // GPU -> scheduler: progress
} lane_t;

struct dispatch {
  site_t site;
  const distribute_t *distribute;
  lane_t *lanes;
  draw_command_t *commands;  // to the scheduler; none without
  uint32_t command_count, next_command;
  draw_scheduler_t unit;
  draw_scheduler_in_t in;
  draw_scheduler_out_t out;
  bool weighs;           // the scheduler counts weights, not triangles
  bool active;           // something passed in the last step
  uint64_t wake;         // next cycle at which a message arrives or the scheduler steps
  uint32_t items_taken;  // for the progress display
  uint64_t scouted;      // when the last group with scouts began
  uint64_t held;         // since when the next command waits for scouts; UINT64_MAX: it does not
  dispatch_stats_t stats;
};

static void add_command(dispatch_t *d, uint8_t op, uint8_t kind, uint32_t id, uint32_t count) {
  d->commands[d->command_count++] =
      (draw_command_t){.op = op, .kind = kind, .id = id, .count = count};
}

// A draw in its pieces, a clear or a sync.
static void add_item(dispatch_t *d, uint32_t item) {
  const plan_item_t *it = &d->site.plan->items[item];
  const pieces_t *pieces = d->site.pieces;
  if (it->kind != PlanItemDraw) {
    add_command(d, DrawSchedulerOpDraw, 0, item, 0);
    return;
  }
  for (uint32_t i = pieces->starts[it->command]; i < pieces->starts[it->command + 1]; i++) {
    const piece_t *piece = &pieces->pieces[i];
    add_command(d, DrawSchedulerOpDraw, 0, item, piece->count);
    draw_command_t *c = &d->commands[d->command_count - 1];
    c->first = piece->first;
    c->by_all = piece->by_all;
    c->weight = piece->weight;
  }
}

// Syncs and clears go to every GPU as draws without triangles in a duplicated group.
static void build_commands(dispatch_t *d) {
  const plan_t *plan = d->site.plan;
  for (uint32_t i = 0; i < plan->group_count; i++) {
    const plan_group_t *g = &plan->groups[i];
    uint32_t item = g->first_item, end = item + g->item_count;
    bool composed = g->kind != DrawSchedulerGroupDuplicated;
    if (composed && plan->items[item].kind == PlanItemSync) {
      add_command(d, DrawSchedulerOpGroupStart, DrawSchedulerGroupDuplicated, 0, 0);
      while (plan->items[item].kind == PlanItemSync) {
        add_command(d, DrawSchedulerOpDraw, 0, item++, 0);
      }
      add_command(d, DrawSchedulerOpGroupEnd, 0, 0, 0);
    }
    add_command(d, DrawSchedulerOpGroupStart, g->kind, 0, g->primitives);
    d->commands[d->command_count - 1].scouts = d->site.pieces->waits[i];
    for (; item < end; item++) {
      add_item(d, item);
    }
    add_command(d, DrawSchedulerOpGroupEnd, 0, 0, 0);
  }
}

// by_all: of an opaque group, and drawn by every GPU in its own tiles, which are never sent.
static gpu_command_t item_command(const dispatch_t *d, uint32_t id, uint32_t first, uint32_t count,
                                  bool by_all) {
  const plan_item_t *it = &d->site.plan->items[id];
  const plan_group_t *group = &d->site.plan->groups[it->group];
  bool composed = group->kind != DrawSchedulerGroupDuplicated;
  bool alone = d->site.params->gpus == 1;
  gpu_command_t c = {.command = it->command, .first = first, .count = count};
  c.cost = pieces_find(d->site.pieces, it->command, first);
  switch (it->kind) {
    case PlanItemSync:
      c.kind = GpuCommandHold;
      c.token = id;
      break;
    case PlanItemClear:
      c.kind = GpuCommandClear;
      c.region = it->owners_only ? GpuRegionOwned : GpuRegionAll;
      break;
    default:
      c.kind = GpuCommandDraw;
      c.region = (composed && !by_all) || alone ? GpuRegionAll : GpuRegionOwned;
      c.compose = composed;
      c.subimage = group->kind == DrawSchedulerGroupTransparent;
      c.report = group->kind == DrawSchedulerGroupOpaque && !by_all;
      c.scouted = d->site.pieces->pieces[c.cost].scouted;
      c.tag = it->tag;
      c.group = group->composed_index + 1;
      c.coarse_base = group->kind == DrawSchedulerGroupOpaque ? group->coarse_base : 0;
  }
  return c;
}

static void send_report(dispatch_t *d, lane_t *l, uint64_t now, uint32_t done) {
  cycle_earliest(&d->wake, channel_send(&l->reports, now, (channel_message_t){.value = done}));
  d->stats.progress_bytes += ChannelMessageBytes;
  l->progress -= done;
}

// Progress of one GPU since the last look, in messages of at most the interval; weights in
// parts.
static void report_progress(dispatch_t *d, uint32_t g, uint64_t now) {
  lane_t *l = &d->lanes[g];
  l->progress += gpu_take_progress(d->site.nodes[g].gpu);
  uint32_t interval = d->weighs ? WeightPart : d->site.params->progress_interval;
  while (l->progress >= interval) {
    send_report(d, l, now, interval);
  }
  // The rest of a draw is not kept back for the next.
  if (d->weighs && l->progress > 0) {
    send_report(d, l, now, l->progress);
  }
}

void dispatch_flush_progress(dispatch_t *d, uint32_t g, uint64_t now) {
  report_progress(d, g, now);
  if (d->lanes[g].progress > 0) {
    send_report(d, &d->lanes[g], now, d->lanes[g].progress);
  }
}

// ---- Without a scheduler

static gpu_command_t whole_item(const dispatch_t *d, uint32_t item) {
  const plan_item_t *it = &d->site.plan->items[item];
  uint32_t count = it->kind == PlanItemDraw ? d->site.frame->commands[it->command].triangles_in : 0;
  return item_command(d, item, 0, count, false);
}

// Sets the command that the driver gives to a GPU next; false while it may not give one.
static bool next_command(const dispatch_t *d, uint32_t g, gpu_command_t *c) {
  uint32_t place = d->lanes[g].next_item;
  if (!d->distribute) {
    if (place < d->site.plan->item_count) {
      *c = whole_item(d, place);
    }
    return place < d->site.plan->item_count;
  }
  const stream_entry_t *entry = distribute_entry(d->distribute, place);
  if (!entry || !distribute_ready(d->distribute, entry)) {
    return false;
  }
  *c = whole_item(d, entry->item);
  if (entry->project) {
    c->kind = GpuCommandProject;
    distribute_share(&d->site, g, c->count, &c->first, &c->count);
  } else {
    c->sorted = c->kind == GpuCommandDraw;
  }
  return true;
}

// The driver writes straight to the command queues, one command a cycle to each GPU.
static uint64_t step_driver(dispatch_t *d, uint64_t now) {
  uint64_t next = UINT64_MAX;
  if (now < d->site.params->message_latency) {
    return d->site.params->message_latency;
  }
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    gpu_t *gpu = d->site.nodes[g].gpu;
    gpu_take_credits(gpu);
    gpu_take_progress(gpu);
    gpu_command_t c;
    if (next_command(d, g, &c) && gpu_push(gpu, &c)) {
      d->stats.command_bytes += CommandBytes;
      d->lanes[g].next_item++;
      site_wake(&d->site, g, now);
      next = now + 1;
    }
  }
  return next;
}

static bool driver_busy(const dispatch_t *d) {
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    uint32_t place = d->lanes[g].next_item;
    if (d->distribute ? distribute_entry(d->distribute, place) != NULL
                      : place < d->site.plan->item_count) {
      return true;
    }
  }
  return false;
}

// ---- Through the scheduler

static bool deliver_commands(dispatch_t *d, uint32_t g, uint64_t now, uint64_t *next,
                             halt_t *halt) {
  channel_t *commands = &d->lanes[g].commands;
  const channel_message_t *message = channel_head(commands, now);
  if (message) {
    gpu_command_t c;
    if (message->kind & ComposePiece) {
      c = (gpu_command_t){.kind = GpuCommandHold, .token = HOLD_COMPOSE};
    } else {
      c = item_command(d, message->kind, (uint32_t)(message->payload >> 32),
                       (uint32_t)message->payload, message->value >> 16);
      c.weight = (uint16_t)message->value;
    }
    if (!gpu_push(d->site.nodes[g].gpu, &c)) {
      return halt_set(halt, MachineProtocol, now,
                      "draw_scheduler: a piece for GPU %u without a free queue entry", g);
    }
    channel_pop(commands);
    site_wake(&d->site, g, now);
  }
  cycle_earliest(next, cycle_after(now, channel_next(commands)));
  return true;
}

// The cycle from which the next command may pass: a group's scouts are sent when the group with
// scouts before it begins, and have to have reported.
static uint64_t scouts_end(const dispatch_t *d) {
  uint64_t scouts = d->next_command < d->command_count ? d->commands[d->next_command].scouts : 0;
  return scouts ? d->scouted + scouts : 0;
}

// Pieces to the GPUs, the next command to the unit. Whether anything passes.
static bool pass_commands(dispatch_t *d, uint64_t now) {
  draw_scheduler_in_t *in = &d->in;
  const draw_scheduler_out_t *out = &d->out;
  bool active = false;
  for (uint64_t rest = out->piece_valid; rest; rest &= rest - 1) {
    uint32_t g = (uint32_t)__builtin_ctzll(rest);
    channel_message_t message = {.kind = out->piece_compose ? ComposePiece : out->piece_id,
                                 .value = (uint32_t)out->piece_by_all << 16 | out->piece_weight,
                                 .payload = (uint64_t)out->piece_first << 32 | out->piece_count};
    channel_send(&d->lanes[g].commands, now, message);
    d->stats.command_bytes += CommandBytes;
    active = true;
  }
  in->piece_ready = site_all(&d->site);
  bool held = scouts_end(d) > now;
  d->held = held && d->held > now ? now : d->held;
  in->cmd_valid = d->next_command < d->command_count && !held;
  if (in->cmd_valid) {
    const draw_command_t *c = &d->commands[d->next_command];
    in->cmd_op = c->op;
    in->cmd_kind = c->kind;
    in->cmd_id = c->id;
    in->cmd_first = c->first;
    in->cmd_count = c->count;
    in->cmd_by_all = c->by_all;
    in->cmd_weight = c->weight;
    if (out->cmd_ready) {
      d->next_command++;
      d->scouted = c->scouts ? now : d->scouted;
      d->stats.scout_cycles += d->held == UINT64_MAX ? 0 : now - d->held;
      d->held = UINT64_MAX;
      d->items_taken = c->op == DrawSchedulerOpDraw ? c->id : d->items_taken;
      active = true;
    }
  }
  return active;
}

// Credits and progress to the unit. Whether any pass.
static bool pass_reports(dispatch_t *d, uint64_t now) {
  draw_scheduler_in_t *in = &d->in;
  bool active = false;
  in->credit = 0;
  in->progress_valid = 0;
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    lane_t *l = &d->lanes[g];
    if (channel_head(&l->credits, now)) {
      channel_pop(&l->credits);
      in->credit |= 1ull << g;
      active = true;
    }
    const channel_message_t *report = channel_head(&l->reports, now);
    if (report) {
      in->progress_valid |= 1ull << g;
      in->progress[g] = (uint16_t)report->value;
      channel_pop(&l->reports);
      active = true;
    }
  }
  return active;
}

static bool step_unit(dispatch_t *d, uint64_t now, halt_t *halt) {
  unit_status_e status = d->unit.step(d->unit.self, &d->in, &d->out);
  return halt_check(halt, now, &draw_scheduler_info, HaltOnly, status, d->out.error);
}

// The scheduler's cycle: what arrives, what it decides.
static uint64_t step_scheduler(dispatch_t *d, uint64_t now, halt_t *halt) {
  uint64_t next = UINT64_MAX;
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    if (!deliver_commands(d, g, now, &next, halt)) {
      return next;
    }
  }
  bool active = pass_commands(d, now);
  active = pass_reports(d, now) || active;
  if (active || d->active || !d->out.quiescent) {
    if (!step_unit(d, now, halt)) {
      return next;
    }
    d->active = active;
  }
  if (d->active || !d->out.quiescent) {
    cycle_earliest(&next, now + 1);
  }
  if (scouts_end(d) > now) {
    cycle_earliest(&next, scouts_end(d));
  }
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    cycle_earliest(&next, cycle_after(now, channel_next(&d->lanes[g].credits)));
    cycle_earliest(&next, cycle_after(now, channel_next(&d->lanes[g].reports)));
  }
  return next;
}

static bool scheduler_busy(const dispatch_t *d) {
  if (d->next_command < d->command_count || d->active || !d->out.quiescent || d->out.piece_valid) {
    return true;
  }
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    if (channel_next(&d->lanes[g].commands) != CHANNEL_NEVER) {
      return true;
    }
  }
  return false;
}

// ---- The part

static uint64_t step(void *self, uint64_t now, halt_t *halt) {
  dispatch_t *d = self;
  if (!d->commands) {
    return step_driver(d, now);
  }
  for (uint64_t left = d->site.turns->advanced; left; left &= left - 1) {
    const uint32_t g = (uint32_t)__builtin_ctzll(left);
    for (uint32_t credits = gpu_take_credits(d->site.nodes[g].gpu); credits > 0; credits--) {
      cycle_earliest(&d->wake, channel_send(&d->lanes[g].credits, now, (channel_message_t){0}));
      d->stats.command_bytes += CreditBytes;
    }
    report_progress(d, g, now);
  }
  if (now >= d->wake) {
    d->wake = step_scheduler(d, now, halt);
  }
  return d->wake;
}

static bool busy(const void *self) {
  const dispatch_t *d = self;
  return d->commands ? scheduler_busy(d) : driver_busy(d);
}

static uint64_t work(const void *self) {
  const dispatch_t *d = self;
  uint64_t sum = d->next_command + d->stats.command_bytes + d->stats.progress_bytes;
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    sum += d->lanes[g].next_item;
  }
  return sum;
}

static void describe(const void *self, text_t *text) {
  const dispatch_t *d = self;
  bool lost = false;
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    const lane_t *l = &d->lanes[g];
    lost = lost || l->commands.failed || l->credits.failed || l->reports.failed;
  }
  if (d->commands) {
    text_format(text, "draw_scheduler: cmd_ready=%d piece_valid=%llx command %u of %u%s",
                d->out.cmd_ready, (unsigned long long)d->out.piece_valid, d->next_command,
                d->command_count, lost ? ", out of memory, a message was lost" : "");
  }
}

static void destroy(void *self) {
  dispatch_t *d = self;
  for (uint32_t g = 0; d->lanes && g < d->site.params->gpus; g++) {
    channel_destroy(&d->lanes[g].commands);
    channel_destroy(&d->lanes[g].credits);
    channel_destroy(&d->lanes[g].reports);
  }
  free(d->lanes);
  free(d->commands);
  free(d);
}

static bool create_scheduler(dispatch_t *d, const machine_units_t *units, err_t *err) {
  const machine_params_t *p = d->site.params;
  draw_scheduler_params_t params = {.gpus = p->gpus,
                                    .count_width = p->count_width,
                                    .credits = p->gpu.queue,
                                    .tie_lowest = p->tie_lowest,
                                    .opaque_ahead = p->opaque_ahead,
                                    .eligible = p->eligible,
                                    .by_all = p->by_all,
                                    .weights = p->weights};
  if (!units->draw_scheduler(units->context, &params, &d->unit, err)) {
    return false;
  }
  d->unit.reset(d->unit.self, &d->out);
  d->in.policy = (uint8_t)machine_policy(p);
  d->weighs = d->site.pieces->weighs;
  d->in.weighted = d->weighs;
  const plan_t *plan = d->site.plan;
  size_t most = (size_t)plan->item_count + d->site.pieces->cuts;
  d->commands = calloc(most + 4 * (size_t)plan->group_count + 1, sizeof *d->commands);
  if (d->commands) {
    build_commands(d);
  }
  return d->commands != NULL;
}

dispatch_t *dispatch_create(const site_t *site, const distribute_t *distribute,
                            const machine_units_t *units, err_t *err) {
  dispatch_t *d = calloc(1, sizeof *d);
  if (!d) {
    return NULL;
  }
  d->site = *site;
  d->distribute = distribute;
  d->held = UINT64_MAX;
  d->lanes = calloc(site->params->gpus, sizeof *d->lanes);
  bool ok = d->lanes != NULL;
  for (uint32_t g = 0; ok && g < site->params->gpus; g++) {
    lane_t *l = &d->lanes[g];
    ok = channel_create(&l->commands, site->params->message_latency) &&
         channel_create(&l->credits, site->params->message_latency) &&
         channel_create(&l->reports, site->params->message_latency);
  }
  // A frame of which nothing is composed needs no scheduler: the driver fills each queue by itself.
  bool schedules = machine_composes(site->params) &&
                   (site->plan->composed_count > 0 || !site->params->barrier_share);
  if (!ok || (schedules && !create_scheduler(d, units, err))) {
    destroy(d);
    return NULL;
  }
  return d;
}

part_t dispatch_part(dispatch_t *d) {
  return (part_t){.self = d,
                  .step = step,
                  .busy = busy,
                  .work = work,
                  .describe = describe,
                  .destroy = destroy};
}

bool dispatch_waits(const dispatch_t *d, uint32_t g) {
  return d->distribute && distribute_entry(d->distribute, d->lanes[g].next_item);
}

double dispatch_share(const dispatch_t *d) {
  uint32_t taken = d->commands ? d->items_taken : d->lanes[0].next_item;
  return (double)taken / (d->site.plan->item_count + 1);
}

const dispatch_stats_t *dispatch_stats(const dispatch_t *d) { return &d->stats; }
