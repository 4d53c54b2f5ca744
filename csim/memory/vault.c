// SPDX-License-Identifier: Apache-2.0
#include "vault.h"

#include <string.h>

#include "../base/cycle.h"

static inline uint64_t edge(uint64_t t, uint32_t tck) { return (t + tck - 1) / tck * tck; }

static inline uint64_t after(uint64_t from, uint64_t time) { return from > time ? from - time : 0; }

void vault_init(vault_t *v, const vault_timing_t *t, uint32_t index, uint32_t vaults) {
  memset(v, 0, sizeof *v);
  v->refresh = !t->trefi      ? MEMORY_NEVER
               : t->staggered ? (uint64_t)t->trefi * (index + 1) / vaults
                              : t->trefi;
}

uint64_t vault_push(vault_t *v, hmc_packet_t *pool, uint16_t packet) {
  hmc_packet_t *p = &pool[packet];
  uint32_t bank = p->bank, class = p->class;
  bool first = !(v->waiting[class] & 1u << bank);
  p->next = VaultNone;
  if (first) {
    v->head[class][bank] = packet;
    v->waiting[class] |= (uint16_t)(1u << bank);
  } else {
    pool[v->tail[class][bank]].next = packet;
  }
  v->tail[class][bank] = packet;
  v->queued[class]++;
  return !first ? MEMORY_NEVER : p->bad ? p->ready : cycle_later(p->ready, v->ready[bank]);
}

// Refreshes: all banks are precharged, then closed for tRFC. Refreshes that fell due while nothing
// was requested took place in time.
static void refresh(vault_t *v, const vault_timing_t *t, uint32_t banks, uint64_t now) {
  if (now > v->refresh + t->trefi) {
    uint64_t missed = (now - v->refresh) / t->trefi;
    uint64_t idle = 0;
    for (uint32_t b = 0; b < banks; b++) {
      idle = cycle_later(idle, v->ready[b]);
    }
    // None is passed over that an access may still have held up.
    if (idle <= v->refresh) {
      v->stats.refreshes += missed;
      v->refresh += missed * t->trefi;
    }
  }
  uint64_t start = v->refresh;
  for (uint32_t b = 0; b < banks; b++) {
    start = cycle_later(start, v->ready[b]);
  }
  uint64_t end = edge(start, t->tck) + t->trfc;
  for (uint32_t b = 0; b < banks; b++) {
    v->ready[b] = end;
  }
  v->refresh += t->trefi;
  v->stats.refreshes++;
}

// Times the access activated at `start`; returns the end of its data.
static uint64_t access(vault_t *v, const vault_timing_t *t, hmc_packet_t *p, uint64_t start) {
  uint32_t bytes = (p->bytes + VaultAtom - 1) / VaultAtom * VaultAtom;
  uint32_t unit = bytes < t->column_bytes ? bytes : t->column_bytes;
  uint32_t columns = (bytes + unit - 1) / unit;
  uint32_t burst = unit * 1000 / t->bandwidth;
  uint32_t gap = (burst > t->tccd ? burst : t->tccd) + t->command;
  bool reads = p->kind == MemoryRead || p->kind == MemoryAtomic;
  uint64_t able = start + t->trcd + t->command;
  uint64_t first = edge(cycle_later(able, reads ? v->read : v->write), t->tck);
  uint64_t last = first + (uint64_t)(columns - 1) * gap;
  uint64_t data, done = 0, precharge = start + t->tras;
  if (reads) {
    done = data = last + t->command + t->tcl + burst;
    v->stats.read_bytes += bytes;
    v->read = last + gap;
    // The data lines turn round in one clock.
    v->write = cycle_later(v->write, cycle_later(last + gap, after(data + t->tck, t->cwl)));
    precharge = cycle_later(precharge, last + t->trtp);
  }
  if (p->kind == MemoryAtomic) {
    done = data + t->tck;  // the operation
    last = edge(cycle_later(done, v->write), t->tck);
  }
  if (p->kind != MemoryRead) {
    data = last + t->command + t->cwl + burst;
    v->stats.write_bytes += bytes;
    v->write = cycle_later(v->write, last + gap);
    v->read = cycle_later(v->read, data + t->twtr);
    precharge = cycle_later(precharge, data + t->twr);
    done = reads ? done : data;
  }
  v->ready[p->bank] = cycle_later(precharge + t->trp, start + t->trc) + t->command;
  return done;
}

typedef struct {
  uint64_t at, order;
  uint64_t able;  // when its bank could
  uint32_t bank, class;
  bool reads;
} candidate_t;

// Finds the earliest activate for the packet at the head of a queue; floor: what all wait for.
static inline candidate_t candidate(const vault_t *v, const vault_timing_t *t,
                                    const hmc_packet_t *p, uint64_t floor) {
  candidate_t k = {.order = p->order,
                   .bank = p->bank,
                   .class = p->class,
                   .reads = p->kind == MemoryRead || p->kind == MemoryAtomic};
  if (p->bad) {
    k.able = p->ready;  // needs no bank, only its turn
    k.at = cycle_later(p->ready, floor);
    return k;
  }
  k.able = cycle_later(v->ready[p->bank], p->ready);
  uint64_t lines = after(k.reads ? v->read : v->write, t->trcd + t->command);
  k.at = cycle_later(cycle_later(k.able, floor), lines);
  return k;
}

uint16_t vault_issue(vault_t *v, const vault_timing_t *t, uint32_t banks, uint32_t classes,
                     hmc_packet_t *pool, uint64_t until, uint64_t *done, uint64_t *next) {
  for (;;) {
    uint64_t floor = v->last ? v->last - 1 + t->trrd + t->command : 0;
    if (t->tfaw && v->window[v->slot]) {
      floor = cycle_later(floor, v->window[v->slot] - 1 + t->tfaw);
    }
    candidate_t first = {.at = MEMORY_NEVER, .order = MEMORY_NEVER};
    candidate_t longest = {.able = MEMORY_NEVER};
    for (uint32_t c = 0; c < VaultClasses; c++) {
      for (uint32_t m = classes & 1u << c ? v->waiting[c] : 0; m; m &= m - 1) {
        uint32_t b = (uint32_t)__builtin_ctz(m);
        candidate_t k = candidate(v, t, &pool[v->head[c][b]], floor);
        if (k.at < first.at || (k.at == first.at && k.order < first.order)) {
          first = k;
        }
        if (k.able < longest.able) {
          longest = k;
        }
      }
    }
    if (first.at == MEMORY_NEVER) {
      *next = MEMORY_NEVER;
      return VaultNone;
    }
    if (first.reads != longest.reads && first.at > longest.able + t->starve) {
      first = longest;
    }
    uint64_t best = edge(first.at, t->tck);
    uint32_t bank = first.bank, class = first.class;
    if (best >= v->refresh && v->refresh < until) {
      refresh(v, t, banks, best);
      continue;
    }
    if (best >= until || best >= v->refresh) {
      *next = best < v->refresh ? best : v->refresh;
      return VaultNone;
    }
    uint16_t index = v->head[class][bank];
    hmc_packet_t *p = &pool[index];
    v->head[class][bank] = p->next;
    if (p->next == VaultNone) {
      v->waiting[class] &= (uint16_t) ~(1u << bank);
    }
    v->queued[class]--;
    if (p->bad) {
      *done = best;
      return index;
    }
    v->window[v->slot] = best + 1;
    v->slot = (v->slot + 1) & 3;
    v->last = best + 1;
    v->stats.activates++;
    *done = access(v, t, p, best);
    return index;
  }
}
