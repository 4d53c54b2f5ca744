// SPDX-License-Identifier: Apache-2.0
#include "pieces.h"

#include <stdlib.h>

typedef struct {
  const frame_t *frame;
  const pieces_params_t *params;
  const driver_hint_t *hints;
  pieces_t *pieces;
  bool *by_all;   // of each command of the group
  uint64_t left;  // of the group, the command in work included: what draws count
} cutter_t;

// Returns the count of a draw: its weight or its triangles, nothing if all GPUs draw it.
static uint64_t amount_of(const cutter_t *c, uint32_t command) {
  const frame_cmd_t *d = &c->frame->commands[command];
  if (d->kind != FrameCmdDraw || c->by_all[command]) {
    return 0;
  }
  return c->params->weighs ? c->hints[command].weight : d->triangles_in;
}

// Which draws of a composed opaque group go to all GPUs.
static void choose_by_all(cutter_t *c, const plan_group_t *g) {
  const scout_params_t *s = &c->params->scouts;
  uint64_t expected = 0;
  for (uint32_t i = g->first; i < g->first + g->count && s->triangles; i++) {
    expected += scout_expects(s, c->frame, &c->frame->commands[i]);
  }
  for (uint32_t i = g->first; i < g->first + g->count; i++) {
    const frame_cmd_t *d = &c->frame->commands[i];
    bool scouted = scout_takes(s, d);
    bool wants = scouted ? scout_by_all(s, c->frame, d, expected) : c->hints && c->hints[i].by_all;
    c->by_all[i] = c->params->by_all && wants;
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
  return count < 1 ? 1 : (uint32_t)count;
}

static uint16_t part_of_weight(uint32_t weight, uint64_t i, uint64_t parts) {
  uint64_t part = weight * (i + 1) / parts - weight * i / parts;
  return (uint16_t)(part < 1 ? 1 : part);
}

static void add_pieces(cutter_t *c, uint32_t command, bool opaque, uint32_t parts) {
  const frame_cmd_t *d = &c->frame->commands[command];
  uint64_t n = d->kind == FrameCmdDraw ? d->triangles_in : 0;
  const bool counts = c->hints && opaque && d->kind == FrameCmdDraw && !c->by_all[command];
  for (uint64_t i = 0; i < parts; i++) {
    uint32_t first = (uint32_t)(n * i / parts), end = (uint32_t)(n * (i + 1) / parts);
    c->pieces->pieces[c->pieces->count++] =
        (piece_t){.first = first,
                  .count = end - first,
                  .by_all = c->by_all[command],
                  .scouted = opaque && i == 0 && scout_takes(&c->params->scouts, d),
                  .weight = counts ? part_of_weight(c->hints[command].weight, i, parts) : 0};
  }
  c->pieces->draws_cut += parts > 1;
  c->pieces->cuts += parts - 1;
}

static void add_group(cutter_t *c, const plan_group_t *g) {
  bool opaque = g->kind == DrawSchedulerGroupOpaque;
  c->left = 0;
  if (opaque) {
    choose_by_all(c, g);
  }
  for (uint32_t i = g->first; i < g->first + g->count; i++) {
    c->left += amount_of(c, i);
  }
  for (uint32_t i = g->first; i < g->first + g->count; i++) {
    c->pieces->starts[i] = c->pieces->count;
    add_pieces(c, i, opaque, opaque ? piece_count(c, i) : 1);
    c->left -= amount_of(c, i);
  }
}

// The most pieces that there may be.
static size_t most_pieces(const frame_t *f, const pieces_params_t *p) {
  size_t n = 1;
  for (uint32_t i = 0; i < f->command_count; i++) {
    n += 1 + (p->split ? f->commands[i].triangles_in / p->split_min : 0);
  }
  return n;
}

pieces_t *pieces_create(const frame_t *frame, const plan_t *plan, const pieces_params_t *params,
                        const driver_hint_t *hints) {
  pieces_t *r = calloc(1, sizeof *r);
  cutter_t c = {.frame = frame, .params = params, .hints = hints, .pieces = r};
  c.by_all = calloc((size_t)frame->command_count + 1, sizeof *c.by_all);
  if (r) {
    r->pieces = calloc(most_pieces(frame, params), sizeof *r->pieces);
    r->starts = calloc((size_t)frame->command_count + 1, sizeof *r->starts);
    r->waits = calloc((size_t)plan->group_count + 1, sizeof *r->waits);
    r->weighs = params->weighs;
  }
  if (!r || !c.by_all || !r->pieces || !r->starts || !r->waits) {
    free(c.by_all);
    pieces_destroy(r);
    return NULL;
  }
  for (uint32_t k = 0; k < plan->group_count; k++) {
    add_group(&c, &plan->groups[k]);
    r->waits[k] = scout_wait(&params->scouts, frame, &plan->groups[k]);
  }
  r->starts[frame->command_count] = r->count;
  free(c.by_all);
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
