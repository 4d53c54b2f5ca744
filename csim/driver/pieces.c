// SPDX-License-Identifier: Apache-2.0
#include "pieces.h"

#include <stdlib.h>

typedef struct {
  const frame_t *frame;
  const pieces_params_t *params;
  const driver_hint_t *hints;
  pieces_t *pieces;
  bool *by_all;            // of each command
  uint16_t *weights;       // likewise, of a policy; NULL: those of the hints
  size_t room;             // pieces
  uint64_t left;           // of the group, the command in work included: what draws count
  nocturne_group_t group;  // for the policy
} cutter_t;

static uint16_t weight_of(const cutter_t *c, uint32_t command) {
  return c->weights ? c->weights[command] : c->hints ? c->hints[command].weight : 0;
}

// Returns the count of a draw: its weight or its triangles, nothing if all GPUs draw it.
static uint64_t amount_of(const cutter_t *c, uint32_t command) {
  const frame_cmd_t *d = &c->frame->commands[command];
  if (d->kind != FrameCmdDraw || c->by_all[command]) {
    return 0;
  }
  return c->pieces->weighs ? weight_of(c, command) : d->triangles_in;
}

// Which draws of a composed opaque group go to all GPUs.
static void choose_by_all(cutter_t *c, const plan_group_t *g) {
  const scout_params_t *s = &c->params->scouts;
  const driver_policy_t *p = c->params->policy;
  uint64_t expected = 0;
  for (uint32_t i = g->first; i < g->first + g->count && s->triangles; i++) {
    expected += scout_expects(s, c->frame, &c->frame->commands[i]);
  }
  for (uint32_t i = g->first; i < g->first + g->count; i++) {
    const frame_cmd_t *d = &c->frame->commands[i];
    bool scouted = scout_takes(s, d);
    bool wants = scouted ? scout_by_all(s, c->frame, d, expected) : c->hints && c->hints[i].by_all;
    c->by_all[i] = c->params->by_all && wants;
    if (p && p->by_all && c->params->by_all && d->kind == FrameCmdDraw) {
      c->by_all[i] = p->by_all(p->context, &c->group, i - g->first, c->by_all[i]);
    }
    c->pieces->scouted += scouted;
    c->pieces->scouted_by_all += scouted && c->by_all[i];
    expected -= s->triangles ? scout_expects(s, c->frame, d) : 0;
  }
}

// Into how many pieces a draw is cut: none holds more than its share of what is left.
static uint32_t piece_count(const cutter_t *c, uint32_t command) {
  const pieces_params_t *p = c->params;
  uint64_t amount = amount_of(c, command);
  if (p->split == 0 || amount == 0) {
    return 1;
  }
  uint64_t limit = c->left * p->split / 1000 / p->gpus;
  uint64_t most = c->frame->commands[command].triangles_in / p->split_min;
  limit = limit < 1 ? 1 : limit;
  uint64_t count = (amount + limit - 1) / limit;
  count = count > most ? most : count;
  count = count < 1 ? 1 : count;
  if (p->policy && p->policy->split) {
    count = p->policy->split(p->policy->context, &c->group, command - c->group.draws->number,
                             c->left, (uint32_t)count);
  }
  return (uint32_t)count;
}

// Makes room for so many more pieces.
static bool reserve(cutter_t *c, size_t parts) {
  if (c->pieces->count + parts <= c->room) {
    return true;
  }
  const size_t room = 2 * (c->pieces->count + parts) + c->frame->command_count;
  piece_t *more = realloc(c->pieces->pieces, room * sizeof *more);
  c->pieces->pieces = more ? more : c->pieces->pieces;
  c->room = more ? room : c->room;
  return more;
}

static uint16_t part_of_weight(uint32_t weight, uint64_t i, uint64_t parts) {
  uint64_t part = weight * (i + 1) / parts - weight * i / parts;
  return (uint16_t)(part < 1 ? 1 : part);
}

static bool add_pieces(cutter_t *c, uint32_t command, bool opaque, uint32_t parts) {
  const frame_cmd_t *d = &c->frame->commands[command];
  uint64_t n = d->kind == FrameCmdDraw ? d->triangles_in : 0;
  const uint16_t weight = weight_of(c, command);
  const bool counts = weight && opaque && d->kind == FrameCmdDraw && !c->by_all[command];
  if (!reserve(c, parts)) {
    return false;
  }
  for (uint64_t i = 0; i < parts; i++) {
    uint32_t first = (uint32_t)(n * i / parts), end = (uint32_t)(n * (i + 1) / parts);
    c->pieces->pieces[c->pieces->count++] =
        (piece_t){.first = first,
                  .count = end - first,
                  .by_all = c->by_all[command],
                  .scouted = opaque && i == 0 && scout_takes(&c->params->scouts, d),
                  .weight = counts ? part_of_weight(weight, i, parts) : 0};
  }
  c->pieces->draws_cut += parts > 1;
  c->pieces->cuts += parts - 1;
  return true;
}

// Tells the policy about a group.
static void show_group(cutter_t *c, const plan_group_t *g) {
  if (!c->params->policy) {
    return;
  }
  const uint32_t end = g->first_item + g->item_count;
  for (uint32_t i = 0; i < g->count; i++) {
    c->params->draws[g->first + i].id = end - g->count + i;
  }
  c->group = (nocturne_group_t){.draws = c->params->draws + g->first,
                                .count = g->count,
                                .gpus = c->params->gpus,
                                .triangles = g->primitives};
}

// Asks the policy what the draws of opaque composed groups weigh. Draws count by weights from the
// first one on that it names where nothing is remembered; then 0 stands for a draw's triangles.
static bool ask_weights(cutter_t *c, const plan_t *plan) {
  const driver_policy_t *p = c->params->policy;
  if (!p || !p->weight || !c->params->may_weigh) {
    return true;
  }
  uint16_t *weights = calloc((size_t)c->frame->command_count + 1, sizeof *weights);
  for (uint32_t k = 0; weights && k < plan->group_count; k++) {
    const plan_group_t *g = &plan->groups[k];
    if (g->kind == DrawSchedulerGroupOpaque) {
      show_group(c, g);
      for (uint32_t i = g->first; i < g->first + g->count; i++) {
        weights[i] = (uint16_t)p->weight(p->context, &c->group, i - g->first, weight_of(c, i));
        c->pieces->weighs |= weights[i] > 0;
      }
    }
  }
  for (uint32_t i = 0; weights && i < c->frame->command_count && c->pieces->weighs; i++) {
    const uint32_t n = c->frame->commands[i].triangles_in;
    weights[i] = weights[i]            ? weights[i]
                 : n > DriverWeightMax ? (uint16_t)DriverWeightMax
                                       : (uint16_t)(n < 1 ? 1 : n);
  }
  c->weights = weights;
  return weights;
}

static bool add_group(cutter_t *c, const plan_group_t *g) {
  bool opaque = g->kind == DrawSchedulerGroupOpaque;
  bool ok = true;
  c->left = 0;
  if (opaque) {
    show_group(c, g);
    choose_by_all(c, g);
  }
  for (uint32_t i = g->first; i < g->first + g->count; i++) {
    c->left += amount_of(c, i);
  }
  for (uint32_t i = g->first; ok && i < g->first + g->count; i++) {
    c->pieces->starts[i] = c->pieces->count;
    ok = ok && add_pieces(c, i, opaque, opaque ? piece_count(c, i) : 1);
    c->left -= amount_of(c, i);
  }
  return ok;
}

pieces_t *pieces_create(const frame_t *frame, const plan_t *plan, const pieces_params_t *params,
                        const driver_hint_t *hints) {
  pieces_t *r = calloc(1, sizeof *r);
  cutter_t c = {.frame = frame, .params = params, .hints = hints, .pieces = r};
  c.by_all = calloc((size_t)frame->command_count + 1, sizeof *c.by_all);
  if (r) {
    r->starts = calloc((size_t)frame->command_count + 1, sizeof *r->starts);
    r->waits = calloc((size_t)plan->group_count + 1, sizeof *r->waits);
    r->weighs = params->weighs;
  }
  bool ok = r && c.by_all && r->starts && r->waits && reserve(&c, 1) && ask_weights(&c, plan);
  for (uint32_t k = 0; ok && k < plan->group_count; k++) {
    ok = add_group(&c, &plan->groups[k]);
    r->waits[k] = scout_wait(&params->scouts, frame, &plan->groups[k]);
  }
  free(c.by_all);
  free(c.weights);
  if (!ok) {
    pieces_destroy(r);
    return NULL;
  }
  r->starts[frame->command_count] = r->count;
  return r;
}

void pieces_destroy(pieces_t *pieces) {
  if (pieces) {
    free(pieces->pieces);
    free(pieces->starts);
    free(pieces->waits);
    free(pieces);
  }
}

uint32_t pieces_find(const pieces_t *pieces, uint32_t command, uint32_t first) {
  uint32_t low = pieces->starts[command], high = pieces->starts[command + 1];
  const uint32_t start = low;
  while (low + 1 < high) {
    uint32_t middle = low + (high - low) / 2;
    if (pieces->pieces[middle].first <= first) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return pieces->pieces[low].first == first ? low : start;
}
