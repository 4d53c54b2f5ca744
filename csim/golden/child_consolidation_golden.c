// SPDX-License-Identifier: Apache-2.0
#include "child_consolidation_golden.h"

#include "../unit/atfim_package.h"
#include <stdlib.h>
#include <string.h>

enum {
  BeatDepth = 2,
  ReadDepth = 2,
  RunDepth = 2,
  MaxEntries = 256,
  MaxSlots = 256,
  MaxSets = 64,
  GenerationMask = 7,
};

static const uint32_t LineMask = (1u << 30) - 1;

// A run that waits for its line.
typedef struct {
  uint8_t parent, first, count, ratio;
  uint8_t next;  // entry of the next run that waits for the line
  bool done;
  uint8_t texel[AtfimMaxRatio];
} entry_t;

typedef struct {
  uint32_t line;
  uint8_t generation;
  uint8_t first, last;  // entries
} slot_t;

typedef struct {
  uint32_t beats, reads, runs;  // entries of the queues; their heads are entry 0
  uint32_t pos, end, set;       // of the head beat: the run that is next, and its line's set
  uint32_t starts[BeatDepth];   // bit i: a run of the beat starts with child i, or ends before R
  uint32_t head, tail, used;
  bool walks, is_void;
  uint8_t current, last;
  uint8_t error;
  bool merge, observe;
  uint64_t counter_mask;
  uint32_t entries, set_bits, ways, ways_log2, slots;
  uint32_t granule_log2;  // lines are multiples of this many units of 16 bytes
  uint64_t counters[ChildConsolidationCounters];
  child_consolidation_out_t out;  // of the state, without quiescent
  child_consolidation_read_t read[ReadDepth];
  child_consolidation_run_t run[RunDepth];
  texel_generator_beat_t beat[BeatDepth];
  uint8_t valid[MaxSets];  // bit w: way w of the set
  slot_t slot[MaxSlots];
  entry_t entry[MaxEntries];
} golden_t;

static void count(golden_t *g, child_consolidation_counter_e counter, uint32_t n) {
  g->counters[counter] = (g->counters[counter] + n) & g->counter_mask;
}

static uint32_t set_of(const golden_t *g, uint32_t line) {
  uint32_t set = 0;
  for (uint32_t rest = line >> g->granule_log2; rest; rest >>= g->set_bits) {
    set ^= rest;
  }
  return set & ((1u << g->set_bits) - 1);
}

// Finds the end of the run at pos, once for each run.
static void find_run(golden_t *g) {
  g->end = (uint32_t)__builtin_ctz(g->starts[0] >> (g->pos + 1)) + g->pos + 1;
  g->set = set_of(g, g->beat[0].line[g->pos]);
}

// ---- What is due, by the state at the start of the cycle ----

static bool emits(const golden_t *g) { return g->walks && g->runs < RunDepth; }

static bool emits_last(const golden_t *g) {
  return emits(g) && (g->is_void || g->current == g->last);
}

static bool take_ready(const golden_t *g) { return !g->walks || emits_last(g); }

static bool is_valid(const golden_t *g, uint32_t slot) {
  return g->valid[slot >> g->ways_log2] >> (slot & (g->ways - 1)) & 1;
}

// The slot that a tag names, or -1.
static int32_t named(const golden_t *g, uint32_t tag) {
  uint32_t slot = tag & 0xff;
  bool is_named = slot < g->slots && is_valid(g, slot) &&
                  g->slot[slot].generation == (tag >> 8 & GenerationMask);
  return is_named ? (int32_t)slot : -1;
}

// The slot into which the next run goes, or -1: it waits. closed: slot that a take closes in this
// cycle, or -1.
static int32_t find_slot(const golden_t *g, int32_t closed, bool *is_new) {
  if (g->beats == 0 || g->used == g->entries) {
    return -1;
  }
  uint32_t set = g->merge ? g->set : g->tail & ((1u << g->set_bits) - 1);
  uint32_t line = g->beat[0].line[g->pos], free = ~g->valid[set] & ((1u << g->ways) - 1);
  int32_t first = (int32_t)(set * g->ways);
  *is_new = false;
  if (g->merge) {
    for (uint32_t rest = g->valid[set]; rest; rest &= rest - 1) {
      int32_t slot = first + __builtin_ctz(rest);
      if (g->slot[slot].line == line) {
        return slot == closed ? -1 : slot;
      }
    }
  }
  *is_new = true;
  return free && g->reads < ReadDepth ? first + __builtin_ctz(free) : -1;
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
  run->parent = e->parent;
  run->first = e->first;
  run->count = e->count;
  run->ratio = e->ratio;
  memcpy(run->texel, e->texel, sizeof run->texel);
  e->done = true;
  g->walks = !run->last;
  g->current = e->next;
}

static void insert(golden_t *g, uint32_t at, bool is_new) {
  const texel_generator_beat_t *b = &g->beat[0];
  slot_t *s = &g->slot[at];
  uint8_t tail = (uint8_t)g->tail;
  entry_t *e = &g->entry[tail];
  e->parent = b->parent;
  e->first = (uint8_t)g->pos;
  e->count = (uint8_t)(g->end - g->pos - 1);
  e->ratio = b->ratio;
  e->done = false;
  memcpy(e->texel, b->texel, sizeof e->texel);
  if (is_new) {
    g->valid[at >> g->ways_log2] |= (uint8_t)(1u << (at & (g->ways - 1)));
    s->line = b->line[g->pos];
    s->first = tail;
    g->read[g->reads++] =
        (child_consolidation_read_t){(uint16_t)(s->generation << 8 | at), s->line};
    count(g, ChildConsolidationCounterReads, 1);
  } else {
    g->entry[s->last].next = tail;
  }
  s->last = tail;
  count(g, ChildConsolidationCounterRuns, 1);
  g->out.insert_valid = true;
  g->out.insert_index = tail;
  g->out.insert_parent = e->parent;
  g->out.insert_first = e->first;
  g->out.insert_count = e->count;
  g->out.insert_slot = (uint8_t)at;
  g->out.insert_new = is_new;
  g->tail = (g->tail + 1) & (g->entries - 1);
  g->used++;
  g->pos = g->end;
  if (g->pos > b->ratio) {
    count(g, ChildConsolidationCounterChildren, b->ratio + 1u);
    g->pos = 0;
    g->beat[0] = g->beat[1];
    g->starts[0] = g->starts[1];
    g->beats--;
  }
  if (g->beats > 0) {
    find_run(g);
  }
}

static void close_slot(golden_t *g, int32_t at) {
  g->walks = true;
  g->is_void = at < 0;
  if (at < 0) {
    g->error = ChildConsolidationErrorTake;
    return;
  }
  slot_t *s = &g->slot[at];
  g->valid[at >> g->ways_log2] &= (uint8_t)~(1u << ((uint32_t)at & (g->ways - 1)));
  s->generation = (s->generation + 1) & GenerationMask;
  g->current = s->first;
  g->last = s->last;
  g->out.close_valid = true;
  g->out.close_slot = (uint8_t)at;
}

static void accept_beat(golden_t *g, const texel_generator_beat_t *from) {
  texel_generator_beat_t *b = &g->beat[g->beats];
  *b = *from;
  b->ratio &= 15;
  uint32_t mask = LineMask >> g->granule_log2 << g->granule_log2, starts = 2u << b->ratio;
  for (uint32_t i = 0; i < AtfimMaxRatio; i++) {
    b->line[i] &= mask;
  }
  for (uint32_t i = 1; i <= b->ratio; i++) {
    starts |= (uint32_t)(b->line[i] != b->line[i - 1]) << i;
  }
  g->starts[g->beats++] = starts;
  if (g->beats == 1) {
    find_run(g);
  }
}

static void peek(golden_t *g, uint8_t select, uint8_t index) {
  uint64_t word = 0;
  const entry_t *e = &g->entry[index];
  bool is_live = index < g->entries && ((index - g->head) & (g->entries - 1)) < g->used;
  switch (select & 3) {
    case ChildConsolidationPeekEntry:
      if (is_live) {
        word = e->parent | (uint64_t)e->first << 8 | (uint64_t)e->count << 12 |
               (uint64_t)e->ratio << 16 | (uint64_t)e->done << 20 | 1u << 21;
      }
      break;
    case ChildConsolidationPeekSlot:
      if (index < g->slots) {
        const slot_t *s = &g->slot[index];
        word = s->generation;
        if (is_valid(g, index)) {
          word |= 1u << 3 | (uint64_t)s->first << 4 | (uint64_t)s->last << 12 |
                  (uint64_t)s->line << 20;
        }
      }
      break;
    case ChildConsolidationPeekCounter:
      word = index < ChildConsolidationCounters ? g->counters[index] : 0;
      break;
    default:
      for (uint32_t i = 0; is_live && i < AtfimMaxRatio; i++) {
        word |= (uint64_t)(e->texel[i] & 15) << (4 * i);
      }
      break;
  }
  g->out.peek_data = word;
}

// ---- The engine ----

bool child_consolidation_golden_quiescent(const void *self,
                                          const child_consolidation_in_t *in) {
  const golden_t *g = self;
  bool is_new;
  return !((in->beat_valid && g->beats < BeatDepth) || (g->reads > 0 && in->read_ready) ||
           (in->take_valid && take_ready(g)) || (g->runs > 0 && in->run_ready) || emits(g) ||
           (g->used > 0 && g->entry[g->head].done) || (in->peek_valid && g->observe) ||
           g->out.insert_valid || g->out.close_valid) &&
         find_slot(g, -1, &is_new) < 0;
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

static void clear_writes(child_consolidation_out_t *out) {
  out->insert_valid = out->insert_new = out->close_valid = false;
  out->insert_index = out->insert_parent = out->insert_first = out->insert_count = 0;
  out->insert_slot = out->close_slot = 0;
}

void child_consolidation_golden_advance(void *self, const child_consolidation_in_t *in) {
  golden_t *g = self;
  // All choices are made on the state before the cycle.
  bool is_accepted = in->beat_valid && g->beats < BeatDepth;
  bool takes = in->take_valid && take_ready(g);
  bool walks = emits(g);
  bool releases = g->used > 0 && g->entry[g->head].done;
  bool is_new = false;
  int32_t closed = takes ? named(g, in->take_tag) : -1;
  int32_t slot = find_slot(g, closed, &is_new);
  if (in->peek_valid && g->observe) {
    peek(g, in->peek_select, in->peek_index);
  }
  if (g->out.insert_valid || g->out.close_valid) {
    clear_writes(&g->out);
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
  if (slot >= 0) {
    insert(g, (uint32_t)slot, is_new);
  }
  if (takes) {
    close_slot(g, closed);
  }
  if (releases) {
    g->head = (g->head + 1) & (g->entries - 1);
    g->used--;
  }
  if (is_accepted) {
    accept_beat(g, &in->beat);
  }
  if (!g->observe) {
    clear_writes(&g->out);
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
                          .counter_mask = g->counter_mask,
                          .entries = g->entries,
                          .set_bits = g->set_bits,
                          .ways = g->ways,
                          .ways_log2 = g->ways_log2,
                          .slots = g->slots,
                          .granule_log2 = g->granule_log2};
  *g = fresh;
  static const child_consolidation_in_t Idle;
  outputs(g);
  *out = g->out;
  out->quiescent = child_consolidation_golden_quiescent(g, &Idle);
}

bool child_consolidation_golden_create(const child_consolidation_params_t *params,
                                       child_consolidation_t *engine) {
  uint32_t n = params->entries, w = params->ways, b = params->line_bytes;
  if (n < 16 || n > MaxEntries || (n & (n - 1)) != 0 || params->set_bits < 1 ||
      params->set_bits > 6 || (w != 1 && w != 2 && w != 4) || (b != 16 && b != 32 && b != 64) ||
      params->count_width < 10 || params->count_width > 48) {
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
  g->slots = w << params->set_bits;
  g->granule_log2 = b == 64 ? 2 : b == 32 ? 1 : 0;
  child_consolidation_out_t out;
  reset(g, &out);
  *engine = (child_consolidation_t){g, step, reset};
  return true;
}

void child_consolidation_golden_destroy(child_consolidation_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
