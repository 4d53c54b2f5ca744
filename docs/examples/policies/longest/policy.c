// SPDX-License-Identifier: Apache-2.0
// @NAME@: longest first with known costs, an oracle. A front holds the draws of an opaque group
// until it is whole and gives them on by falling cost, each to the GPU with the least left. The
// costs are those of this very frame (driver.rehearse), which no driver knows.
#define OWN_FRONT
#include "csim/driver/nocturne_driver.h"
#include "own_unit.h"

NOCTURNE_DRIVER_LIBRARY;  // of which every decision is the built-in one

static uint32_t choose_gpu(const golden_t *g) { return built_in_choice(g); }

// Commands on their way; those of an opaque group stay until it is whole.
static struct {
  command_t *commands;
  uint32_t count, sent, room;
  bool collects;    // an opaque group is open
  bool is_waiting;  // and not whole
  draw_scheduler_out_t out;
} front;

static void front_reset(draw_scheduler_t *engine, draw_scheduler_out_t *out) {
  engine->reset(engine->self, &front.out);
  front.count = front.sent = 0;
  front.collects = front.is_waiting = false;
  *out = front.out;
}

static bool counts_weights;

static uint32_t cost_of(const command_t *c) {
  return c->by_all ? UINT32_MAX : counts_weights ? c->weight : c->count;
}

// Draws of equal cost stay in the order of the frame.
static int by_cost(const void *a, const void *b) {
  const command_t *x = a, *y = b;
  const uint32_t p = cost_of(x), q = cost_of(y);
  const uint64_t m = (uint64_t)x->id << 32 | x->first, n = (uint64_t)y->id << 32 | y->first;
  return p != q ? (p < q) - (p > q) : (m > n) - (m < n);
}

static void take(const draw_scheduler_in_t *in) {
  if (front.count == front.room) {
    front.room = 2 * front.room + 64;
    front.commands = realloc(front.commands, front.room * sizeof *front.commands);
  }
  front.commands[front.count++] = (command_t){.id = in->cmd_id,
                                              .first = in->cmd_first,
                                              .count = in->cmd_count,
                                              .weight = in->cmd_weight,
                                              .op = in->cmd_op,
                                              .kind = in->cmd_kind,
                                              .by_all = in->cmd_by_all};
  if (in->cmd_op == DrawSchedulerOpGroupStart) {
    front.collects = front.is_waiting = in->cmd_kind == DrawSchedulerGroupOpaque;
  } else if (in->cmd_op == DrawSchedulerOpGroupEnd && front.collects) {
    // Behind what was sent stand the group's start, its draws and its end.
    counts_weights = in->weighted;
    uint32_t first = front.count - 2;
    while (front.commands[first].op != DrawSchedulerOpGroupStart) {
      first--;
    }
    qsort(front.commands + first + 1, front.count - first - 2, sizeof *front.commands, by_cost);
    front.collects = front.is_waiting = false;
  }
}

// While a group is collected the model gets none of it.
static bool has_next(void) { return front.sent < front.count && !front.is_waiting; }

static unit_status_e front_step(draw_scheduler_t *engine, const draw_scheduler_in_t *in,
                                draw_scheduler_out_t *out) {
  draw_scheduler_in_t inner = *in;
  const bool taken = in->cmd_valid && out->cmd_ready;
  inner.cmd_valid = has_next();
  if (inner.cmd_valid) {
    const command_t *c = &front.commands[front.sent];
    inner.cmd_op = c->op;
    inner.cmd_kind = c->kind;
    inner.cmd_id = c->id;
    inner.cmd_first = c->first;
    inner.cmd_count = c->count;
    inner.cmd_by_all = c->by_all;
    inner.cmd_weight = c->weight;
    front.sent += front.out.cmd_ready;
  }
  const unit_status_e status = engine->step(engine->self, &inner, &front.out);
  if (front.sent == front.count) {
    front.sent = front.count = 0;
  }
  if (taken) {
    take(in);
  }
  *out = front.out;
  // Commands are taken one group at a time: a group that is whole goes first.
  out->cmd_ready = front.is_waiting || front.sent == front.count;
  out->quiescent = front.out.quiescent && !has_next() && !(in->cmd_valid && out->cmd_ready);
  return status;
}
