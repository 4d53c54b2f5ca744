// SPDX-License-Identifier: Apache-2.0
#include "flow.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

typedef struct {
  const graph_t *graph;
  uint32_t *number;     // by block: its place in the order, FlowNone: not reached
  uint32_t *dominator;  // by place
  flow_t *flow;
} work_t;

static void number_blocks(work_t *w) {
  const graph_t *g = w->graph;
  uint32_t *stack = fault_calloc(g->blocks + 1, sizeof *stack);
  uint32_t *next = fault_calloc(g->blocks + 1, sizeof *next);
  uint8_t *seen = fault_calloc(g->blocks + 1, 1);
  uint32_t depth = 1, finished = 0;
  seen[0] = 1;
  next[0] = g->first[0];
  while (depth) {
    uint32_t b = stack[depth - 1];
    if (next[b] == g->first[b + 1]) {
      w->flow->order[finished++] = b;
      depth--;
      continue;
    }
    uint32_t s = g->successors[next[b]++];
    if (!seen[s]) {
      seen[s] = 1;
      next[s] = g->first[s];
      stack[depth++] = s;
    }
  }
  w->flow->count = finished;
  for (uint32_t i = 0; i < finished / 2; i++) {
    uint32_t t = w->flow->order[i];
    w->flow->order[i] = w->flow->order[finished - 1 - i];
    w->flow->order[finished - 1 - i] = t;
  }
  for (uint32_t i = 0; i < finished; i++) {
    w->number[w->flow->order[i]] = i;
  }
  free(seen);
  free(next);
  free(stack);
}

static uint32_t common(const work_t *w, uint32_t a, uint32_t b) {
  while (a != b) {
    if (a > b) {
      a = w->dominator[a];
    } else {
      b = w->dominator[b];
    }
  }
  return a;
}

// Finds for each block the nearest one that stands on every way to it (Cooper, Harvey, Kennedy).
static void find_dominators(work_t *w) {
  const graph_t *g = w->graph;
  for (uint32_t i = 0; i < w->flow->count; i++) {
    w->dominator[i] = i == 0 ? 0 : FlowNone;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < w->flow->count; i++) {
      uint32_t b = w->flow->order[i];
      for (uint32_t k = g->first[b]; k < g->first[b + 1]; k++) {
        uint32_t s = w->number[g->successors[k]];
        uint32_t now = s == 0 ? 0
                       : w->dominator[s] == FlowNone || w->dominator[i] == FlowNone
                           ? (w->dominator[s] == FlowNone ? i : w->dominator[s])
                           : common(w, i, w->dominator[s]);
        changed |= now != w->dominator[s];
        w->dominator[s] = now;
      }
    }
  }
}

static bool dominates(const work_t *w, uint32_t a, uint32_t b) {
  while (b > a) {
    b = w->dominator[b];
  }
  return a == b;
}

// Everything from which the latch is reached without the header is in the header's loop. Headers
// are taken in order, so an inner loop's comes later and replaces the outer one's.
static void fill_loop(work_t *w, uint32_t header) {
  const graph_t *g = w->graph;
  uint8_t *in = fault_calloc(w->flow->count, 1);
  in[header] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = w->flow->count; i-- > header + 1;) {
      uint32_t b = w->flow->order[i];
      for (uint32_t k = g->first[b]; k < g->first[b + 1] && !in[i]; k++) {
        uint32_t s = w->number[g->successors[k]];
        // Into the loop, or back to its header, from a block that the header dominates.
        in[i] = in[s] && dominates(w, header, i);
        changed |= in[i];
      }
    }
  }
  uint32_t block = w->flow->order[header];
  w->flow->parent[block] = w->flow->header[block];
  for (uint32_t i = header; i < w->flow->count; i++) {
    if (in[i]) {
      w->flow->header[w->flow->order[i]] = block;
    }
  }
  free(in);
}

static bool find_loops(work_t *w, uint32_t *where) {
  const graph_t *g = w->graph;
  uint8_t *is_header = w->flow->count ? fault_calloc(w->flow->count, 1) : NULL;
  bool ok = true;
  for (uint32_t i = 0; i < w->flow->count && ok; i++) {
    uint32_t b = w->flow->order[i];
    for (uint32_t k = g->first[b]; k < g->first[b + 1] && ok; k++) {
      uint32_t s = w->number[g->successors[k]];
      if (s <= i) {
        ok = dominates(w, s, i);
        *where = b;
        is_header[s] = 1;
      }
    }
  }
  for (uint32_t i = 0; i < w->flow->count && ok; i++) {
    if (is_header[i]) {
      fill_loop(w, i);
    }
  }
  free(is_header);
  return ok;
}

static bool is_inside(const flow_t *f, uint32_t block, uint32_t loop) {
  uint32_t header = f->header[block];
  while (header != FlowNone && header != loop) {
    header = f->parent[header];
  }
  return header == loop;
}

// Marks where control goes from a block, or from the loop that it begins. False: away from `to`.
static bool follow(const work_t *w, uint32_t from, uint32_t to, uint8_t *reached) {
  const graph_t *g = w->graph;
  const flow_t *f = w->flow;
  const uint32_t block = f->order[from];
  const bool is_loop = f->header[block] == block && f->header[f->order[to]] != block;
  bool ok = is_loop || g->first[block] < g->first[block + 1];
  for (uint32_t i = from; i < (is_loop ? f->count : from + 1) && ok; i++) {
    const uint32_t b = f->order[i];
    for (uint32_t k = g->first[b];
         k < g->first[b + 1] && ok && (!is_loop || is_inside(f, b, block)); k++) {
      const uint32_t s = w->number[g->successors[k]];
      const bool stays = is_loop && is_inside(f, g->successors[k], block);
      ok = stays || (s > from && s <= to);
      reached[s] |= ok && !stays;
    }
  }
  return ok;
}

// Whether control comes to a place for sure once it is at the one that dominates it.
static bool is_sure(const work_t *w, uint32_t from, uint32_t to, uint8_t *reached) {
  bool ok = true;
  memset(reached, 0, w->flow->count);
  reached[from] = 1;
  for (uint32_t i = from; i < to && ok; i++) {
    ok = !reached[i] || follow(w, i, to, reached);
  }
  return ok;
}

static void find_forks(work_t *w) {
  flow_t *f = w->flow;
  uint8_t *reached = fault_calloc(f->count + 1, 1);
  for (uint32_t i = 1; i < f->count; i++) {
    const uint32_t block = f->order[i], level = f->header[block];
    uint32_t from = w->dominator[i];
    while (from > 0 && f->header[f->order[from]] != level) {
      from = w->dominator[from];
    }
    if (f->header[f->order[from]] == level && is_sure(w, from, i, reached)) {
      f->fork[block] = f->order[from];
    }
  }
  free(reached);
}

bool flow_create(flow_t *flow, const graph_t *graph, uint32_t *where) {
  const uint32_t n = graph->blocks;
  *flow = (flow_t){.order = fault_calloc(n, sizeof(uint32_t)),
                   .header = fault_calloc(n, sizeof(uint32_t)),
                   .parent = fault_calloc(n, sizeof(uint32_t)),
                   .fork = fault_calloc(n, sizeof(uint32_t))};
  work_t w = {.graph = graph,
              .flow = flow,
              .number = fault_calloc(n, sizeof(uint32_t)),
              .dominator = fault_calloc(n, sizeof(uint32_t))};
  memset(w.number, 0xff, n * sizeof *w.number);
  memset(flow->header, 0xff, n * sizeof *flow->header);
  memset(flow->parent, 0xff, n * sizeof *flow->parent);
  memset(flow->fork, 0xff, n * sizeof *flow->fork);
  number_blocks(&w);
  find_dominators(&w);
  const bool ok = find_loops(&w, where);
  if (ok) {
    find_forks(&w);
  }
  free(w.number);
  free(w.dominator);
  if (!ok) {
    flow_destroy(flow);
  }
  return ok;
}

void flow_destroy(flow_t *flow) {
  free(flow->order);
  free(flow->header);
  free(flow->parent);
  free(flow->fork);
  *flow = (flow_t){0};
}
