// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

enum {
  BeatDepth = 2,
  ReadDepth = 2,
  RunDepth = 2,
  MaxEntries = 256,
  MaxFetches = 256,
  MaxSets = 64,
  GenerationMask = 7,
  Texels = 16,
};

static const uint32_t LineMask = (UINT32_C(1) << 28) - 1;

// A beat that waits for its line.
typedef struct {
  texel_generator_beat_t beat;  // its line and last do not count
  uint8_t next;                 // entry of the next beat that waits for the line
  bool done;
} entry_t;

typedef struct {
  uint32_t line;
  uint8_t generation;
  uint8_t first, last;  // entries
} fetch_t;

typedef struct {
  uint32_t beats, reads, runs;  // entries of the queues; their heads are entry 0
  uint32_t head, tail, used;
  bool walks, is_void;
  uint8_t current, last;
  uint8_t error;
  bool merge, observe;
  uint64_t counter_mask, seen;
  uint32_t entries, set_bits, ways, ways_log2, fetches;
  uint64_t counters[ChildConsolidationCounters];
  child_consolidation_out_t out;  // of the state, without quiescent
  child_consolidation_read_t read[ReadDepth];
  child_consolidation_run_t run[RunDepth];
  texel_generator_beat_t beat[BeatDepth];
  uint8_t valid[MaxSets];  // bit w: way w of the set
  fetch_t fetch[MaxFetches];
  entry_t entry[MaxEntries];
} golden_t;

static void count(golden_t *g, child_consolidation_counter_e counter, uint64_t n) {
  g->counters[counter] = (g->counters[counter] + n) & g->counter_mask;
}

static uint32_t set_of(uint32_t line, uint32_t set_bits) {
  uint32_t set = 0;
  for (uint32_t rest = line; rest; rest >>= set_bits) {
    set ^= rest;
  }
  return set & ((1u << set_bits) - 1);
}

// ---- What is due, by the state at the start of the cycle ----

static bool emits(const golden_t *g) { return g->walks && g->runs < RunDepth; }

static bool emits_last(const golden_t *g) {
  return emits(g) && (g->is_void || g->current == g->last);
}

static bool take_ready(const golden_t *g) { return !g->walks || emits_last(g); }

static bool releases(const golden_t *g) { return g->used > 0 && g->entry[g->head].done; }

static bool is_valid(const golden_t *g, uint32_t fetch) {
  return g->valid[fetch >> g->ways_log2] >> (fetch & (g->ways - 1)) & 1;
}

// The fetch that a tag names, or -1.
static int32_t named(const golden_t *g, uint32_t tag) {
  uint32_t fetch = tag & 0xff;
  bool is_named = fetch < g->fetches && is_valid(g, fetch) &&
                  g->fetch[fetch].generation == (tag >> 8 & GenerationMask);
  return is_named ? (int32_t)fetch : -1;
}

// The fate of the beat at the queue's head.
typedef struct {
  bool inserted, is_new;
  uint32_t fetch;                        // if inserted
  child_consolidation_counter_e reason;  // if not
} insert_t;

static insert_t waits(child_consolidation_counter_e reason) { return (insert_t){.reason = reason}; }

// closed: fetch that a take closes in this cycle, or -1.
static insert_t plan_insert(const golden_t *g, int32_t closed) {
  if (g->beats == 0) {
    return waits(ChildConsolidationCounterNoBeat);
  }
  if (g->used == g->entries) {
    return waits(ChildConsolidationCounterNoEntry);
  }
  uint32_t line = g->beat[0].line;
  uint32_t set = g->merge ? set_of(line, g->set_bits) : g->tail & ((1u << g->set_bits) - 1);
  uint32_t valid = g->valid[set], first = set * g->ways;
  for (uint32_t way = 0; g->merge && way < g->ways; way++) {
    if ((valid >> way & 1) && g->fetch[first + way].line == line) {
      return (int32_t)(first + way) == closed ? waits(ChildConsolidationCounterClosing)
                                              : (insert_t){.inserted = true, .fetch = first + way};
    }
  }
  uint32_t free = ~valid & ((1u << g->ways) - 1);
  if (!free) {
    return waits(ChildConsolidationCounterNoFetch);
  }
  if (g->reads == ReadDepth) {
    return waits(ChildConsolidationCounterNoRead);
  }
  return (insert_t){
      .inserted = true, .is_new = true, .fetch = first + (uint32_t)__builtin_ctz(free)};
}

// ---- Parts of a cycle ----

static void emit(golden_t *g) {
  child_consolidation_run_t *run = &g->run[g->runs++];
  memset(run, 0, sizeof *run);
  if (g->is_void) {
    run->is_void = run->last = true;
    g->walks = false;
    return;
  }
  entry_t *e = &g->entry[g->current];
  run->last = g->current == g->last;
  run->slot = e->beat.slot;
  run->along_y = e->beat.along_y;
  run->texel = e->beat.texel;
  memcpy(run->parent, e->beat.parent, sizeof run->parent);
  e->done = true;
  g->walks = !run->last;
  g->current = e->next;
}

static void insert(golden_t *g, const insert_t *plan) {
  fetch_t *f = &g->fetch[plan->fetch];
  uint8_t tail = (uint8_t)g->tail;
  g->entry[tail] = (entry_t){.beat = g->beat[0]};
  if (plan->is_new) {
    g->valid[plan->fetch >> g->ways_log2] |= (uint8_t)(1u << (plan->fetch & (g->ways - 1)));
    f->line = g->beat[0].line;
    f->first = tail;
    g->read[g->reads++] =
        (child_consolidation_read_t){(uint16_t)(f->generation << 8 | plan->fetch), f->line};
    count(g, ChildConsolidationCounterReads, 1);
  } else {
    g->entry[f->last].next = tail;
    count(g, ChildConsolidationCounterMerged, 1);
  }
  f->last = tail;
  count(g, ChildConsolidationCounterBeats, 1);
  g->out.insert_valid = true;
  g->out.insert_index = tail;
  g->out.insert_slot = g->beat[0].slot;
  g->out.insert_fetch = (uint8_t)plan->fetch;
  g->out.insert_new = plan->is_new;
  g->tail = (g->tail + 1) & (g->entries - 1);
  g->used++;
  g->beat[0] = g->beat[1];
  g->beats--;
}

static void close_fetch(golden_t *g, int32_t at) {
  g->walks = true;
  g->is_void = at < 0;
  if (at < 0) {
    g->error = ChildConsolidationErrorTake;
    return;
  }
  fetch_t *f = &g->fetch[at];
  g->valid[at >> g->ways_log2] &= (uint8_t) ~(1u << ((uint32_t)at & (g->ways - 1)));
  f->generation = (f->generation + 1) & GenerationMask;
  g->current = f->first;
  g->last = f->last;
  g->out.close_valid = true;
  g->out.close_fetch = (uint8_t)at;
}

static void accept_beat(golden_t *g, const texel_generator_beat_t *from) {
  texel_generator_beat_t *b = &g->beat[g->beats++];
  *b = *from;
  b->slot &= 63;
  b->line &= LineMask;
  for (uint32_t i = 0; i < Texels; i++) {
    b->parent[i] &= 15;
  }
}

static uint64_t peek_entry(const golden_t *g, const entry_t *e, bool parents) {
  uint64_t word = 0;
  if ((((uint32_t)(e - g->entry) - g->head) & (g->entries - 1)) >= g->used) {
    return 0;
  }
  if (parents) {
    for (uint32_t i = 0; i < Texels; i++) {
      word |= (uint64_t)e->beat.parent[i] << (4 * i);
    }
    return word;
  }
  return e->beat.slot | (uint64_t)e->beat.along_y << 6 | (uint64_t)e->beat.texel << 7 |
         (uint64_t)e->done << 23 | UINT64_C(1) << 24;
}

static uint64_t peek(const golden_t *g, uint8_t select, uint8_t index) {
  const fetch_t *f = &g->fetch[index];
  switch (select & 3) {
    case ChildConsolidationPeekEntry:
    case ChildConsolidationPeekParents:
      return index < g->entries
                 ? peek_entry(g, &g->entry[index], (select & 3) == ChildConsolidationPeekParents)
                 : 0;
    case ChildConsolidationPeekFetch:
      if (index >= g->fetches) {
        return 0;
      }
      return !is_valid(g, index) ? f->generation
                                 : f->generation | UINT64_C(1) << 3 | (uint64_t)f->first << 4 |
                                       (uint64_t)f->last << 12 | (uint64_t)f->line << 20;
    default: return index < ChildConsolidationCounters ? g->counters[index] : 0;
  }
}

// ---- The engine ----

bool child_consolidation_golden_quiescent(const void *self, const child_consolidation_in_t *in) {
  const golden_t *g = self;
  return !((in->beat_valid && g->beats < BeatDepth) || (g->reads > 0 && in->read_ready) ||
           (in->take_valid && take_ready(g)) || (g->runs > 0 && in->run_ready) || emits(g) ||
           releases(g) || (in->peek_valid && g->observe) || g->out.insert_valid ||
           g->out.close_valid || plan_insert(g, -1).inserted);
}

static void outputs(golden_t *g) {
  child_consolidation_out_t *out = &g->out;
  out->error = g->error;
  out->beat_ready = g->beats < BeatDepth;
  out->take_ready = take_ready(g);
  if (g->reads > 0) {
    out->read = g->read[0];
  } else if (out->read_valid) {
    out->read = (child_consolidation_read_t){0};
  }
  out->read_valid = g->reads > 0;
  if (g->runs > 0) {
    out->run = g->run[0];
  } else if (out->run_valid) {
    out->run = (child_consolidation_run_t){0};
  }
  out->run_valid = g->runs > 0;
}

static void clear_reports(child_consolidation_out_t *out) {
  out->insert_valid = out->insert_new = out->close_valid = false;
  out->insert_index = out->insert_slot = out->insert_fetch = out->close_fetch = 0;
}

// Cycles without an insertion, up to this one. Nothing changes them in a quiescent cycle.
static void count_cycles(golden_t *g, const child_consolidation_in_t *in, const insert_t *plan) {
  if (child_consolidation_golden_quiescent(g, in)) {
    return;
  }
  if (!plan->inserted) {
    count(g, plan->reason, in->cycle - g->seen);
  }
  g->seen = in->cycle & g->counter_mask;
}

void child_consolidation_golden_advance(void *self, const child_consolidation_in_t *in) {
  golden_t *g = self;
  // All choices are made on the state before the cycle.
  bool accepted = in->beat_valid && g->beats < BeatDepth;
  bool takes = in->take_valid && take_ready(g);
  bool walks = emits(g), frees = releases(g);
  int32_t closed = takes ? named(g, in->take_tag) : -1;
  const insert_t plan = plan_insert(g, closed);
  if (in->peek_valid && g->observe) {
    g->out.peek_data = peek(g, in->peek_select, in->peek_index);
  }
  count_cycles(g, in, &plan);
  if (g->out.insert_valid || g->out.close_valid) {
    clear_reports(&g->out);
  }
  if (g->reads > 0 && in->read_ready) {
    g->read[0] = g->read[1];
    g->reads--;
  }
  if (g->runs > 0 && in->run_ready) {
    g->run[0] = g->run[1];
    g->runs--;
  }
  if (walks) {
    emit(g);
  }
  if (plan.inserted) {
    insert(g, &plan);
  }
  if (takes) {
    close_fetch(g, closed);
  }
  if (frees) {
    g->head = (g->head + 1) & (g->entries - 1);
    g->used--;
  }
  if (accepted) {
    accept_beat(g, &in->beat);
  }
  if (!g->observe) {
    clear_reports(&g->out);
  }
  outputs(g);
}

const child_consolidation_out_t *child_consolidation_golden_out(const void *self) {
  return &((const golden_t *)self)->out;
}

static unit_status_e step(void *self, const child_consolidation_in_t *in,
                          child_consolidation_out_t *out) {
  golden_t *g = self;
  child_consolidation_golden_advance(g, in);
  *out = g->out;
  out->quiescent = child_consolidation_golden_quiescent(g, in);
  return UnitOk;
}

static void reset(void *self, child_consolidation_out_t *out) {
  golden_t *g = self;
  const golden_t fresh = {.merge = g->merge,
                          .observe = g->observe,
                          .entries = g->entries,
                          .counter_mask = g->counter_mask,
                          .set_bits = g->set_bits,
                          .ways = g->ways,
                          .ways_log2 = g->ways_log2,
                          .fetches = g->fetches};
  *g = fresh;
  static const child_consolidation_in_t Idle;
  outputs(g);
  *out = g->out;
  out->quiescent = child_consolidation_golden_quiescent(g, &Idle);
}

bool child_consolidation_golden_create(const child_consolidation_params_t *params,
                                       child_consolidation_t *engine) {
  uint32_t n = params->entries, w = params->ways;
  if (n < 16 || n > MaxEntries || (n & (n - 1)) != 0 || params->set_bits < 1 ||
      params->set_bits > 6 || (w != 1 && w != 2 && w != 4) || params->count_width < 10 ||
      params->count_width > 48) {
    return false;
  }
  golden_t *g = calloc(1, sizeof *g);
  if (!g) {
    return false;
  }
  g->merge = params->merge;
  g->observe = params->observe;
  g->counter_mask = (UINT64_C(1) << params->count_width) - 1;
  g->entries = n;
  g->set_bits = params->set_bits;
  g->ways = w;
  g->ways_log2 = w >> 1;  // of 1, 2, 4
  g->fetches = w << params->set_bits;
  child_consolidation_out_t out;
  reset(g, &out);
  *engine = (child_consolidation_t){g, step, reset};
  return true;
}

void child_consolidation_golden_destroy(child_consolidation_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
