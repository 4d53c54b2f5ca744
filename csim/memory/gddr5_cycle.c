// SPDX-License-Identifier: Apache-2.0
// A cycle of the GDDR5 memory: each channel's refresh and the choice of its command.
#include <string.h>

#include "../base/cycle.h"
#include "gddr5_state.h"

#define INLINE inline __attribute__((always_inline))

// Refreshes: all banks are precharged, then closed for tRFC from the cycle at which it falls due.
// That may be past: the channel is only looked at when a command could go.
static void refresh(gddr5_t *g, channel_t *c) {
  const gddr5_params_t *p = &g->params;
  uint64_t start = c->refresh;
  for (uint32_t i = 0; i < p->banks; i++) {
    const bank_t *b = &c->bank[i];
    uint64_t closed = cycle_later(b->precharge, c->refresh) + p->trp;
    start = cycle_later(start, c->open >> i & 1 ? closed : b->activate);
  }
  uint64_t missed = (g->now - c->refresh) / p->trefi;
  uint64_t end = cycle_later(start, missed ? c->refresh + missed * p->trefi : 0) + p->trfc;
  for (uint32_t i = 0; i < p->banks; i++) {
    bank_t *b = &c->bank[i];
    b->hit = Gddr5NoAccess;
    b->activate = end;
  }
  g->stats.precharges += (uint32_t)__builtin_popcount(c->open);
  c->open = 0;
  c->refresh += (missed + 1) * p->trefi;
  g->stats.refreshes += missed + 1;
}

// Returns the first access of the bank, from `from` on, that is for the open row.
static uint8_t find_hit(const channel_t *c, const bank_t *b, uint8_t from) {
  uint8_t i = from;
  while (i != Gddr5NoAccess && c->access[i].row != b->row) {
    i = c->access[i].next;
  }
  return i;
}

static void activate(gddr5_t *g, channel_t *c, uint32_t bank, uint8_t index) {
  const gddr5_params_t *p = &g->params;
  bank_t *b = &c->bank[bank];
  c->open |= 1u << bank;
  b->fresh = true;
  b->row = c->access[index].row;
  b->hit = find_hit(c, b, b->head);
  b->column = g->now + p->trcd;
  b->precharge = g->now + p->tras;
  c->activate = g->now + p->trrd;
  c->window[c->slot] = g->now + 1;
  c->slot = (c->slot + 1) & 3;
  g->source[c->access[index].source].activates++;
}

static void column(gddr5_t *g, channel_t *c, uint32_t bank, uint8_t index) {
  const gddr5_params_t *p = &g->params;
  bank_t *b = &c->bank[bank];
  uint8_t before = Gddr5NoAccess;
  access_t *a = &c->access[index];
  gddr5_source_stats_t *source = &g->source[a->source];
  if (b->head != index) {
    for (before = b->head; c->access[before].next != index;) {
      before = c->access[before].next;
    }
    c->access[before].next = a->next;
  } else {
    b->head = a->next;
  }
  b->tail = b->tail == index ? before : b->tail;
  b->hit = b->hit == index ? find_hit(c, b, a->next) : b->hit;
  c->waiting &= b->head == Gddr5NoAccess ? ~(1u << bank) : ~0u;
  a->next = c->free;
  c->free = index;
  c->used--;
  c->beyond -= c->of[a->source]-- > p->reserve;

  uint64_t gap = cycle_later(p->tccd, p->burst), end;
  if (a->write) {
    end = g->now + p->cwl + p->burst;
    c->write = g->now + gap;
    c->read = cycle_later(c->read, end + p->twtr);
    b->precharge = cycle_later(b->precharge, end + p->twr);
    source->write_bytes += Gddr5Access;
  } else {
    end = g->now + p->tcl + p->burst;
    c->read = g->now + gap;
    // The data lines turn round in one cycle.
    uint64_t turned = end + 1;
    c->write = cycle_later(c->write, cycle_later(c->read, turned > p->cwl ? turned - p->cwl : 0));
    b->precharge = cycle_later(b->precharge, g->now + p->trtp);
    source->read_bytes += Gddr5Access;
  }
  g->stats.busy += p->burst;
  source->accesses++;
  source->row_hits += !b->fresh;
  b->fresh = false;
  g->served[c - g->channel] = a->source;
  request_t *r = &g->requests[a->request];
  if (--r->left == 0) {
    gddr5_finish(g, a->request, end + p->latency);
  }
}

typedef enum { CommandNone, CommandColumn, CommandActivate, CommandPrecharge } command_e;

typedef struct {
  uint64_t at;
  uint32_t bank;
  command_e command;
  uint8_t access;  // on whose behalf
} candidate_t;

static INLINE bool starved(const gddr5_t *g, const access_t *a) {
  return g->now - a->pushed > g->params.starve;
}

// Finds the access of a bank with accesses that goes first by ranks. Only the first in the list can
// be the oldest that is old.
static uint8_t first_by_rank(const gddr5_t *g, const channel_t *c, const bank_t *b) {
  uint8_t first = b->head;
  if (starved(g, &c->access[first])) {
    return first;
  }
  // A closed bank has no hit.
  bool hit = first == b->hit;
  for (uint8_t i = c->access[first].next; i != Gddr5NoAccess; i = c->access[i].next) {
    const access_t *a = &c->access[i];
    bool hits = b->hit != Gddr5NoAccess && a->row == b->row;
    int better = g->rank[c->access[first].source] - g->rank[a->source];
    if (better > 0 || (better == 0 && hits && !hit)) {
      first = i;
      hit = hits;
    }
  }
  return first;
}

// Finds the command that a bank with accesses needs next. An old access has its row opened even if
// others still hit the open one; so has a better one by ranks.
static INLINE candidate_t wanted(const gddr5_t *g, const channel_t *c, uint32_t bank,
                                 uint64_t floor, bool ranked) {
  const bank_t *b = &c->bank[bank];
  uint8_t first = ranked ? first_by_rank(g, c, b) : b->head;
  if (!(c->open >> bank & 1)) {
    return (candidate_t){cycle_later(b->activate, floor), bank, CommandActivate, first};
  }
  bool closes = ranked
                    ? c->access[first].row != b->row
                    : b->hit == Gddr5NoAccess || (b->hit != first && starved(g, &c->access[first]));
  if (closes) {
    return (candidate_t){b->precharge, bank, CommandPrecharge, first};
  }
  first = ranked ? first : b->hit;
  uint64_t at = cycle_later(b->column, c->access[first].write ? c->write : c->read);
  return (candidate_t){at, bank, CommandColumn, first};
}

// Returns the place of a command in the order in which they go: columns before others, then age;
// by ranks an old one's, then the rank before both.
static INLINE uint64_t place_in_order(const gddr5_t *g, const access_t *a, bool is_column,
                                      bool ranked) {
  uint64_t rank = 0;
  if (ranked) {
    if (starved(g, a)) {
      return a->order;
    }
    rank = 1u + g->rank[a->source];
  }
  return rank << 58 | (uint64_t)!is_column << 57 | a->order;
}

// Picks the command to give now; a column that waits for the data lines to turn goes first once it
// is starved. *next: the next cycle that may have one.
static INLINE candidate_t choose(const gddr5_t *g, const channel_t *c, uint32_t banks,
                                 uint64_t floor, uint64_t *next, const bool ranked) {
  candidate_t best = {MEMORY_NEVER, 0, CommandNone, Gddr5NoAccess};
  uint64_t place = MEMORY_NEVER, oldest = MEMORY_NEVER;
  bool oldest_write = false;
  for (uint32_t m = banks; m; m &= m - 1) {
    candidate_t k = wanted(g, c, (uint32_t)__builtin_ctz(m), floor, ranked);
    bool is_column = k.command == CommandColumn;
    if (k.at > g->now && !is_column) {
      *next = cycle_sooner(*next, k.at);
      continue;
    }
    const access_t *a = &c->access[k.access];
    if (is_column && starved(g, a) && a->order < oldest) {
      oldest = a->order;
      oldest_write = a->write;
    }
    if (k.at > g->now) {
      *next = cycle_sooner(*next, k.at);
      continue;
    }
    uint64_t in_order = place_in_order(g, a, is_column, ranked);
    if (in_order < place) {
      best = k;
      place = in_order;
    }
  }
  if (best.command != CommandNone) {
    *next = g->now + 1;
  }
  bool held = best.command == CommandColumn && oldest != MEMORY_NEVER &&
              c->access[best.access].write != oldest_write;
  return held ? (candidate_t){MEMORY_NEVER, 0, CommandNone, Gddr5NoAccess} : best;
}

// By ranks: an access that becomes old may need another command than the better ones before it.
static uint64_t next_old(const gddr5_t *g, const channel_t *c) {
  uint64_t next = MEMORY_NEVER;
  for (uint32_t m = c->waiting; m; m &= m - 1) {
    const access_t *a = &c->access[c->bank[__builtin_ctz(m)].head];
    next = starved(g, a) ? next : cycle_sooner(next, a->pushed + g->params.starve + 1);
  }
  return next;
}

static void give(gddr5_t *g, channel_t *c, candidate_t chosen) {
  bank_t *b = &c->bank[chosen.bank];
  switch (chosen.command) {
    case CommandColumn: column(g, c, chosen.bank, chosen.access); break;
    case CommandActivate: activate(g, c, chosen.bank, chosen.access); break;
    case CommandPrecharge:
      c->open &= ~(1u << chosen.bank);
      b->hit = Gddr5NoAccess;
      b->activate = g->now + g->params.trp;
      g->stats.precharges++;
      break;
    case CommandNone: break;
  }
}

static void step_channel(gddr5_t *g, channel_t *c) {
  const gddr5_params_t *p = &g->params;
  if (c->refresh <= g->now) {
    refresh(g, c);
  }
  uint64_t floor = c->activate, next = MEMORY_NEVER;
  if (p->tfaw && c->window[c->slot]) {
    floor = cycle_later(floor, c->window[c->slot] - 1 + p->tfaw);
  }
  uint32_t banks = c->waiting;
  if (floor > g->now) {
    next = banks & ~c->open ? floor : MEMORY_NEVER;
    banks &= c->open;
  }
  candidate_t chosen;
  if (g->ranked) {
    chosen = choose(g, c, banks, floor, &next, true);
    next = cycle_sooner(next, next_old(g, c));
  } else {
    chosen = choose(g, c, banks, floor, &next, false);
  }
  c->next = next;
  give(g, c, chosen);
}

void gddr5_step(gddr5_t *g) {
  if (g->shared) {
    memset(g->served, Gddr5NoSource, g->params.channels);
  }
  for (uint32_t c = 0; c < g->params.channels; c++) {
    if (g->channel[c].next <= g->now) {
      step_channel(g, &g->channel[c]);
    }
  }
  g->now++;
  bucket_t *bucket = &g->buckets[g->now & (g->horizon - 1)];
  while (bucket->head != Gddr5None) {
    uint16_t index = bucket->head;
    request_t *r = &g->requests[index];
    bucket->head = r->next;
    g->pending--;
    g->stats.errors += r->error;
    memory_latency_add(&g->stats.latency[r->kind], g->now - r->pushed);
    if (g->shared && r->kind == MemoryRead) {
      memory_latency_count(&g->source[r->source].latency, g->now - r->pushed + r->waited,
                           Gddr5LatencyBin);
    }
    if (r->kind == MemoryPostedWrite) {
      r->next = g->free;
      g->free = index;
      g->used--;
    } else {
      gddr5_append(g, &g->ready, index);
    }
  }
}
