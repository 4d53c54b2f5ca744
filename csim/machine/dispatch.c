// The driver's side: work items through the draw-command scheduler into the GPUs'
// command queues, credits and progress back. Without a draw scheduler (single GPU,
// primitive duplication) the driver writes every item to every GPU itself.
#include <stdlib.h>
#include <string.h>

#include "machine_internal.h"

enum { CommandBytes = 16, CreditBytes = 4, ComposePiece = 1u << 31 };

static void add_command(machine_t *m, uint8_t op, uint8_t kind, uint32_t id, uint32_t count) {
  m->commands[m->command_count++] = (draw_command_t){op, kind, id, count};
}

// Syncs and clears go to every GPU as draws without triangles in a duplicated group.
static void build_commands(machine_t *m) {
  const plan_t *plan = m->plan;
  for (uint32_t i = 0; i < plan->group_count; i++) {
    const plan_group_t *g = &plan->groups[i];
    uint32_t item = g->first_item, end = item + g->item_count;
    bool composed = g->kind != DrawGroupDuplicated;
    if (composed && plan->items[item].kind == PlanItemSync) {
      add_command(m, DrawOpGroupStart, DrawGroupDuplicated, 0, 0);
      while (plan->items[item].kind == PlanItemSync) {
        add_command(m, DrawOpDraw, 0, item++, 0);
      }
      add_command(m, DrawOpGroupEnd, 0, 0, 0);
    }
    add_command(m, DrawOpGroupStart, g->kind, 0, g->primitives);
    for (; item < end; item++) {
      const plan_item_t *it = &plan->items[item];
      uint32_t count =
          it->kind == PlanItemDraw ? m->frame->commands[it->command].triangles_in : 0;
      add_command(m, DrawOpDraw, 0, item, count);
    }
    add_command(m, DrawOpGroupEnd, 0, 0, 0);
  }
}

bool dispatch_create(machine_t *m) {
  size_t most = (size_t)m->plan->item_count + 4 * (size_t)m->plan->group_count + 1;
  m->commands = calloc(most, sizeof *m->commands);
  if (!m->commands) {
    return false;
  }
  if (m->has_draw_scheduler) {
    build_commands(m);
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    node_t *n = &m->nodes[g];
    if (!channel_create(&n->commands, m->params.message_latency) ||
        !channel_create(&n->credits, m->params.message_latency) ||
        !channel_create(&n->reports, m->params.message_latency)) {
      return false;
    }
  }
  return true;
}

void dispatch_destroy(machine_t *m) {
  free(m->commands);
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    channel_destroy(&m->nodes[g].commands);
    channel_destroy(&m->nodes[g].credits);
    channel_destroy(&m->nodes[g].reports);
  }
}

static gpu_command_t item_command(const machine_t *m, uint32_t id, uint32_t first,
                                  uint32_t count) {
  const plan_item_t *it = &m->plan->items[id];
  const plan_group_t *group = &m->plan->groups[it->group];
  bool composed = group->kind != DrawGroupDuplicated;
  bool alone = m->params.gpus == 1;
  gpu_command_t c = {.command = it->command, .first = first, .count = count};
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
      c.region = composed || alone ? GpuRegionAll : GpuRegionOwned;
      c.compose = composed;
      c.subimage = group->kind == DrawGroupTransparent;
      c.report = group->kind == DrawGroupOpaque;
      c.tag = it->tag;
      c.group = group->composed_index + 1;
  }
  return c;
}

// Progress of one GPU since the last look, in messages of at most the interval.
static void report_progress(machine_t *m, node_t *n) {
  n->progress += gpu_take_progress(n->gpu);
  uint32_t interval = m->params.progress_interval;
  while (n->progress >= interval) {
    earliest(&m->dispatch_wake,
             channel_send(&n->reports, m->now, (channel_message_t){.value = interval}));
    m->stats.progress_bytes += ChannelMessageBytes;
    n->progress -= interval;
  }
}

void dispatch_flush_progress(machine_t *m, uint32_t g) {
  node_t *n = &m->nodes[g];
  report_progress(m, n);
  if (n->progress > 0) {
    earliest(&m->dispatch_wake,
             channel_send(&n->reports, m->now, (channel_message_t){.value = n->progress}));
    m->stats.progress_bytes += ChannelMessageBytes;
    n->progress = 0;
  }
}

static gpu_command_t whole_item(const machine_t *m, uint32_t item) {
  const plan_item_t *it = &m->plan->items[item];
  uint32_t count = it->kind == PlanItemDraw ? m->frame->commands[it->command].triangles_in : 0;
  return item_command(m, item, 0, count);
}

// What the driver gives to a GPU next; false while it may not.
static bool next_command(const machine_t *m, uint32_t g, gpu_command_t *c) {
  uint32_t place = m->nodes[g].next_item;
  if (!machine_distributes(m)) {
    if (place < m->plan->item_count) {
      *c = whole_item(m, place);
    }
    return place < m->plan->item_count;
  }
  const stream_entry_t *entry = distribute_entry(m, place);
  if (!entry || !distribute_ready(m, entry)) {
    return false;
  }
  *c = whole_item(m, entry->item);
  if (entry->project) {
    c->kind = GpuCommandProject;
    distribute_share(m, g, c->count, &c->first, &c->count);
  } else {
    c->sorted = c->kind == GpuCommandDraw;
  }
  return true;
}

// The driver writes straight to the command queues, one command a cycle to each GPU.
static uint64_t step_driver(machine_t *m) {
  uint64_t next = UINT64_MAX;
  if (m->now < m->params.message_latency) {
    return m->params.message_latency;
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    node_t *n = &m->nodes[g];
    gpu_take_credits(n->gpu);
    gpu_take_progress(n->gpu);
    gpu_command_t c;
    if (next_command(m, g, &c) && gpu_push(n->gpu, &c)) {
      m->stats.command_bytes += CommandBytes;
      n->next_item++;
      n->wake = m->now;
      next = m->now + 1;
    }
  }
  return next;
}

static bool deliver_commands(machine_t *m, uint32_t g, uint64_t *next) {
  node_t *n = &m->nodes[g];
  const channel_message_t *message = channel_head(&n->commands, m->now);
  if (message) {
    gpu_command_t c;
    if (message->kind & ComposePiece) {
      c = (gpu_command_t){.kind = GpuCommandHold, .token = HOLD_COMPOSE};
    } else {
      c = item_command(m, message->kind, (uint32_t)(message->payload >> 32),
                       (uint32_t)message->payload);
    }
    if (!gpu_push(n->gpu, &c)) {
      return machine_fail(m, MachineProtocol,
                          "draw_scheduler: a piece for GPU %u without a free queue entry", g);
    }
    channel_pop(&n->commands);
    n->wake = m->now;
  }
  earliest(next, channel_next(&n->commands) <= m->now ? m->now + 1 : channel_next(&n->commands));
  return true;
}

// Reads the outputs of this cycle and builds its inputs. Whether anything passes.
static bool exchange(machine_t *m) {
  draw_scheduler_in_t *in = &m->draws_in;
  const draw_scheduler_out_t *out = &m->draws_out;
  bool active = false;
  for (uint64_t rest = out->piece_valid; rest; rest &= rest - 1) {
    uint32_t g = (uint32_t)__builtin_ctzll(rest);
    channel_message_t message = {.kind = out->piece_compose ? ComposePiece : out->piece_id,
                                 .payload = (uint64_t)out->piece_first << 32 | out->piece_count};
    channel_send(&m->nodes[g].commands, m->now, message);
    m->stats.command_bytes += CommandBytes;
    active = true;
  }
  in->piece_ready = m->params.gpus == 64 ? UINT64_MAX : (1ull << m->params.gpus) - 1;
  in->cmd_valid = m->next_command < m->command_count;
  if (in->cmd_valid) {
    const draw_command_t *c = &m->commands[m->next_command];
    in->cmd_op = c->op;
    in->cmd_kind = c->kind;
    in->cmd_id = c->id;
    in->cmd_first = 0;
    in->cmd_count = c->count;
    if (out->cmd_ready) {
      m->next_command++;
      m->items_taken = c->op == DrawOpDraw ? c->id : m->items_taken;
      active = true;
    }
  }
  in->credit = 0;
  in->progress_valid = 0;
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    node_t *n = &m->nodes[g];
    if (channel_head(&n->credits, m->now)) {
      channel_pop(&n->credits);
      in->credit |= 1ull << g;
      active = true;
    }
    const channel_message_t *report = channel_head(&n->reports, m->now);
    if (report) {
      in->progress_valid |= 1ull << g;
      in->progress[g] = (uint16_t)report->value;
      channel_pop(&n->reports);
      active = true;
    }
  }
  return active;
}

static bool check_error(machine_t *m) {
  static const char *const names[] = {"none",     "sequence", "wrap", "range",
                                      "progress", "credit"};
  uint8_t error = m->draws_out.error;
  return error == 0 ||
         machine_fail(m, MachineProtocol, "draw_scheduler: error_o = %u (%s)", error,
                      error < 6 ? names[error] : "?");
}

// The scheduler's cycle: what arrives, what it decides.
static uint64_t step_scheduler(machine_t *m, bool *ok) {
  uint64_t next = UINT64_MAX;
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    if (!deliver_commands(m, g, &next)) {
      *ok = false;
      return next;
    }
  }
  bool active = exchange(m);
  if (active || m->draws_active || !m->draws_out.quiescent) {
    if (m->draws.step(m->draws.self, &m->draws_in, &m->draws_out) != UnitOk) {
      *ok = machine_fail(m, MachineUnitFailed, "draw_scheduler");
      return next;
    }
    *ok = check_error(m);
    m->draws_active = active;
  }
  if (m->draws_active || !m->draws_out.quiescent) {
    earliest(&next, m->now + 1);
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    node_t *n = &m->nodes[g];
    uint64_t credit = channel_next(&n->credits), report = channel_next(&n->reports);
    earliest(&next, credit <= m->now ? m->now + 1 : credit);
    earliest(&next, report <= m->now ? m->now + 1 : report);
  }
  return next;
}

uint64_t dispatch_step(machine_t *m, bool *ok) {
  if (!m->has_draw_scheduler) {
    return step_driver(m);
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    node_t *n = &m->nodes[g];
    if (!n->advanced) {
      continue;
    }
    uint32_t credits = gpu_take_credits(n->gpu);
    for (; credits > 0; credits--) {
      earliest(&m->dispatch_wake, channel_send(&n->credits, m->now, (channel_message_t){0}));
      m->stats.command_bytes += CreditBytes;
    }
    report_progress(m, n);
  }
  if (m->now >= m->dispatch_wake) {
    m->dispatch_wake = step_scheduler(m, ok);
  }
  return m->dispatch_wake;
}

bool dispatch_done(const machine_t *m) {
  if (!m->has_draw_scheduler) {
    for (uint32_t g = 0; g < m->params.gpus; g++) {
      uint32_t place = m->nodes[g].next_item;
      if (machine_distributes(m) ? distribute_entry(m, place) != NULL
                                 : place < m->plan->item_count) {
        return false;
      }
    }
    return true;
  }
  if (m->next_command < m->command_count || m->draws_active || !m->draws_out.quiescent ||
      m->draws_out.piece_valid) {
    return false;
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    if (channel_next(&m->nodes[g].commands) != CHANNEL_NEVER) {
      return false;
    }
  }
  return true;
}
