// SPDX-License-Identifier: Apache-2.0
#include "gddr5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/cycle.h"
#include "../base/rng.h"

enum { None = 0xffff, MaxQueue = 64, MaxPerRequest = Gddr5MaxRequest / Gddr5Access + 1 };

typedef struct {
  uint64_t pushed;  // cycle
  uint64_t order;
  uint32_t row;
  uint16_t request;
  uint8_t next;  // of its bank, or free
  bool write;
} access_t;

enum { NoAccess = 0xff };

typedef struct {
  uint64_t column, precharge, activate;  // earliest command
  uint32_t row;
  bool fresh;          // no column yet
  uint8_t head, tail;  // accesses in order; NoAccess: none
  uint8_t hit;         // the first for the open row
} bank_t;

typedef struct {
  uint64_t next;                            // cycle before which no command can go
  uint64_t activate, read, write, refresh;  // earliest
  uint64_t window[4];
  uint32_t slot;
  uint32_t waiting;  // banks with accesses
  uint32_t open;     // banks with an open row
  uint32_t used;     // of accesses
  uint8_t free;
  bank_t bank[Gddr5MaxBanks];
  access_t access[MaxQueue];
} channel_t;

typedef struct {
  uint64_t tag, pushed;
  uint32_t bytes;
  uint16_t next;  // free, or in its bucket, or to be popped
  uint8_t kind, left;
  bool error;
} request_t;

typedef struct {
  uint16_t head, tail;
} bucket_t;

struct gddr5 {
  gddr5_params_t params;
  uint64_t now, capacity, order;
  uint64_t pending;  // in buckets
  uint32_t interleave_shift, channel_shift, row_shift, bank_shift;
  uint32_t horizon;  // buckets, a power of two
  uint16_t free;
  uint32_t used;
  bucket_t ready;  // to be popped
  bucket_t *buckets;
  request_t *requests;
  memory_errors_t errors;
  rng_t rng;
  gddr5_stats_t stats;
  channel_t channel[Gddr5MaxChannels];
};

static inline bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

static bool check(const gddr5_params_t *p, err_t *err) {
  const char *wrong = NULL;
  if (!power_of_two(p->channels) || p->channels > Gddr5MaxChannels) {
    wrong = "gddr5.channels: a power of two, 1 to 64";
  } else if (!power_of_two(p->banks) || p->banks > Gddr5MaxBanks) {
    wrong = "gddr5.banks: a power of two, 1 to 32";
  } else if (!power_of_two(p->row_bytes) || !power_of_two(p->rows)) {
    wrong = "gddr5.row_size, gddr5.rows: powers of two";
  } else if (!power_of_two(p->interleave) || p->interleave < Gddr5Access ||
             p->interleave > p->row_bytes) {
    wrong = "gddr5.interleave: a power of two, 32 to gddr5.row_size";
  } else if (p->queue < MaxPerRequest || p->queue > MaxQueue) {
    wrong = "gddr5.queue: 9 (the accesses of one request) to 64";
  } else if (!p->requests || p->requests >= None) {
    wrong = "gddr5.requests: 1 to 65534";
  } else if (!p->latency || !p->burst || !p->tcl || !p->trcd || !p->trp || !p->cwl) {
    wrong = "gddr5: latencies are at least 1 cycle";
  } else if (p->trefi && p->trefi <= p->trfc + p->tras + p->trp) {
    wrong = "gddr5.trefi: longer than a refresh and a row cycle";
  }
  if (wrong) {
    err_set(err, ErrInput, "%s", wrong);
  }
  return !wrong;
}

gddr5_t *gddr5_create(const gddr5_params_t *params, err_t *err) {
  if (!check(params, err)) {
    return NULL;
  }
  uint32_t longest = cycle_later(params->tcl, params->cwl) + params->burst + params->latency + 1;
  uint32_t horizon = 2;
  while (horizon <= longest) {
    horizon *= 2;
  }
  gddr5_t *g = calloc(1, sizeof *g);
  bucket_t *buckets = calloc(horizon, sizeof *buckets);
  request_t *requests = calloc(params->requests, sizeof *requests);
  if (!g || !buckets || !requests) {
    err_set(err, ErrMachine, "gddr5: out of memory");
    free(g), free(buckets), free(requests);
    return NULL;
  }
  g->params = *params;
  g->interleave_shift = (uint32_t)__builtin_ctz(params->interleave);
  g->channel_shift = (uint32_t)__builtin_ctz(params->channels);
  g->row_shift = (uint32_t)__builtin_ctz(params->row_bytes);
  g->bank_shift = (uint32_t)__builtin_ctz(params->banks);
  g->capacity = (uint64_t)params->channels * params->banks * params->rows * params->row_bytes;
  g->horizon = horizon;
  g->buckets = buckets;
  g->requests = requests;
  g->ready.head = None;
  for (uint32_t i = 0; i < horizon; i++) {
    buckets[i].head = None;
  }
  for (uint32_t i = 0; i < params->requests; i++) {
    requests[i].next = i + 1 < params->requests ? (uint16_t)(i + 1) : None;
  }
  for (uint32_t c = 0; c < params->channels; c++) {
    channel_t *channel = &g->channel[c];
    channel->refresh = params->trefi ? params->trefi : MEMORY_NEVER;
    channel->next = MEMORY_NEVER;
    for (uint32_t b = 0; b < params->banks; b++) {
      channel->bank[b].head = channel->bank[b].hit = NoAccess;
    }
    for (uint32_t i = 0; i < params->queue; i++) {
      channel->access[i].next = i + 1 < params->queue ? (uint8_t)(i + 1) : NoAccess;
    }
  }
  return g;
}

void gddr5_destroy(gddr5_t *g) {
  if (g) {
    free(g->buckets);
    free(g->requests);
    free(g);
  }
}

uint64_t gddr5_cycle(const gddr5_t *g) { return g->now; }

void gddr5_inject_errors(gddr5_t *g, const memory_errors_t *errors) {
  g->errors = *errors;
  rng_seed(&g->rng, errors->seed);
}

static void append(gddr5_t *g, bucket_t *bucket, uint16_t index) {
  g->requests[index].next = None;
  if (bucket->head == None) {
    bucket->head = index;
  } else {
    g->requests[bucket->tail].next = index;
  }
  bucket->tail = index;
}

static void finish(gddr5_t *g, uint16_t index, uint64_t cycle) {
  append(g, &g->buckets[cycle & (g->horizon - 1)], index);
  g->pending++;
}

static bool served(const gddr5_t *g, memory_kind_e kind, uint64_t address, uint32_t bytes) {
  return kind <= MemoryPostedWrite && bytes >= 1 && bytes <= Gddr5MaxRequest &&
         address < g->capacity && bytes <= g->capacity - address;
}

// Finds the place of 32 bytes; address low to high: in the interleave, channel, column, bank, row.
// The widths bound what indexes arrays and masks by their sizes, whatever the parameters.
typedef struct {
  uint32_t channel : 6, bank : 5, row;
} place_t;
_Static_assert(Gddr5MaxChannels == 1 << 6 && Gddr5MaxBanks == 1 << 5, "widths of place_t");

static place_t place_of(const gddr5_t *g, uint64_t address) {
  uint64_t unit = address >> g->interleave_shift;
  uint64_t local =
      (unit >> g->channel_shift) << g->interleave_shift | (address & (g->params.interleave - 1));
  uint64_t row = local >> g->row_shift;
  return (place_t){(uint32_t)unit & (g->params.channels - 1), (uint32_t)row & (g->params.banks - 1),
                   (uint32_t)(row >> g->bank_shift)};
}

static bool has_room(const gddr5_t *g, memory_kind_e kind, uint64_t address, uint32_t bytes) {
  if (g->free == None) {
    return false;
  }
  if (!served(g, kind, address, bytes)) {
    return true;
  }
  uint64_t last = (address + bytes - 1) / Gddr5Access;
  uint32_t channels = g->params.channels, per_unit = g->params.interleave / Gddr5Access;
  for (uint64_t a = address / Gddr5Access; a <= last;) {
    // Accesses of one unit, and of the units that come round to the same channel.
    uint32_t channel = place_of(g, a * Gddr5Access).channel;
    uint32_t count = 0;
    for (uint64_t b = address / Gddr5Access; b <= last; b++) {
      count += (uint32_t)(b / per_unit & (channels - 1)) == channel;
    }
    if (g->channel[channel].used + count > g->params.queue) {
      return false;
    }
    a = (a / per_unit + 1) * per_unit;
  }
  return true;
}

static void push_access(gddr5_t *g, uint64_t address, uint16_t request, bool write) {
  place_t place = place_of(g, address);
  channel_t *c = &g->channel[place.channel];
  bank_t *b = &c->bank[place.bank];
  uint8_t index = c->free;
  access_t *a = &c->access[index];
  c->free = a->next;
  *a = (access_t){g->now, g->order++, place.row, request, NoAccess, write};
  if (b->head == NoAccess) {
    b->head = index;
    c->waiting |= 1u << place.bank;
  } else {
    c->access[b->tail].next = index;
  }
  b->tail = index;
  if (c->open >> place.bank & 1 && b->row == place.row && b->hit == NoAccess) {
    b->hit = index;
  }
  c->used++;
  c->next = g->now;
}

bool gddr5_push(gddr5_t *g, memory_kind_e kind, uint64_t address, uint32_t bytes, uint64_t tag) {
  if (!has_room(g, kind, address, bytes)) {
    return false;
  }
  const memory_errors_t *e = &g->errors;
  uint16_t index = g->free;
  request_t *r = &g->requests[index];
  g->free = r->next;
  g->used++;
  *r = (request_t){.tag = tag, .pushed = g->now, .bytes = bytes, .kind = (uint8_t)kind};
  r->error =
      (e->permille && rng_chance(&g->rng, e->permille)) || (e->mask && (tag & e->mask) == e->match);
  g->stats.requests[kind]++;
  g->stats.bytes[kind] += bytes;
  if (!served(g, kind, address, bytes)) {
    r->error = true;
    finish(g, index, g->now + g->params.latency);
    return true;
  }
  uint64_t last = (address + bytes - 1) / Gddr5Access;
  for (uint64_t a = address / Gddr5Access; a <= last; a++) {
    r->left++;
    push_access(g, a * Gddr5Access, index, kind != MemoryRead);
  }
  return true;
}

bool gddr5_pop(gddr5_t *g, memory_response_t *response) {
  uint16_t index = g->ready.head;
  if (index == None) {
    return false;
  }
  request_t *r = &g->requests[index];
  *response = (memory_response_t){r->tag, r->bytes, r->kind, r->error};
  g->ready.head = r->next;
  r->next = g->free;
  g->free = index;
  g->used--;
  return true;
}

// ---- One channel, one command a cycle

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
    b->hit = NoAccess;
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
  while (i != NoAccess && c->access[i].row != b->row) {
    i = c->access[i].next;
  }
  return i;
}

static void activate(gddr5_t *g, channel_t *c, uint32_t bank) {
  const gddr5_params_t *p = &g->params;
  bank_t *b = &c->bank[bank];
  c->open |= 1u << bank;
  b->fresh = true;
  b->row = c->access[b->head].row;
  b->hit = b->head;
  b->column = g->now + p->trcd;
  b->precharge = g->now + p->tras;
  c->activate = g->now + p->trrd;
  c->window[c->slot] = g->now + 1;
  c->slot = (c->slot + 1) & 3;
  g->stats.activates++;
}

static void column(gddr5_t *g, channel_t *c, uint32_t bank) {
  const gddr5_params_t *p = &g->params;
  bank_t *b = &c->bank[bank];
  uint8_t index = b->hit, before = NoAccess;
  access_t *a = &c->access[index];
  if (b->head != index) {
    for (before = b->head; c->access[before].next != index;) {
      before = c->access[before].next;
    }
    c->access[before].next = a->next;
  } else {
    b->head = a->next;
  }
  b->tail = b->tail == index ? before : b->tail;
  b->hit = find_hit(c, b, a->next);
  c->waiting &= b->head == NoAccess ? ~(1u << bank) : ~0u;
  a->next = c->free;
  c->free = index;
  c->used--;

  uint64_t gap = cycle_later(p->tccd, p->burst), end;
  if (a->write) {
    end = g->now + p->cwl + p->burst;
    c->write = g->now + gap;
    c->read = cycle_later(c->read, end + p->twtr);
    b->precharge = cycle_later(b->precharge, end + p->twr);
    g->stats.write_bytes += Gddr5Access;
  } else {
    end = g->now + p->tcl + p->burst;
    c->read = g->now + gap;
    // The data lines turn round in one cycle.
    uint64_t turned = end + 1;
    c->write = cycle_later(c->write, cycle_later(c->read, turned > p->cwl ? turned - p->cwl : 0));
    b->precharge = cycle_later(b->precharge, g->now + p->trtp);
    g->stats.read_bytes += Gddr5Access;
  }
  g->stats.busy += p->burst;
  g->stats.accesses++;
  request_t *r = &g->requests[a->request];
  if (--r->left == 0) {
    finish(g, a->request, end + p->latency);
  }
}

typedef enum { CommandNone, CommandColumn, CommandActivate, CommandPrecharge } command_e;

typedef struct {
  uint64_t at;
  uint32_t bank;
  command_e command;
  uint8_t access;  // on whose behalf
} candidate_t;

// Finds the command that a bank with accesses needs next. An old access has its row opened even if
// others still hit the open one.
static candidate_t wanted(const gddr5_t *g, const channel_t *c, uint32_t bank, uint64_t floor) {
  const bank_t *b = &c->bank[bank];
  if (!(c->open >> bank & 1)) {
    return (candidate_t){cycle_later(b->activate, floor), bank, CommandActivate, b->head};
  }
  bool starved = b->hit != b->head && g->now - c->access[b->head].pushed > g->params.starve;
  if (b->hit == NoAccess || starved) {
    return (candidate_t){b->precharge, bank, CommandPrecharge, b->head};
  }
  bool write = c->access[b->hit].write;
  uint64_t at = cycle_later(b->column, write ? c->write : c->read);
  return (candidate_t){at, bank, CommandColumn, b->hit};
}

// Picks the command to give now: columns before others, the oldest of each; a column that waits for
// the data lines to turn goes first once it is starved. *next: the next cycle that may have one.
static candidate_t choose(const gddr5_t *g, const channel_t *c, uint32_t banks, uint64_t floor,
                          uint64_t *next) {
  candidate_t best = {MEMORY_NEVER, 0, CommandNone, NoAccess};
  uint64_t order = MEMORY_NEVER, starved = MEMORY_NEVER;
  bool starved_write = false;
  for (uint32_t m = banks; m; m &= m - 1) {
    candidate_t k = wanted(g, c, (uint32_t)__builtin_ctz(m), floor);
    bool is_column = k.command == CommandColumn;
    if (k.at > g->now && !is_column) {
      *next = cycle_sooner(*next, k.at);
      continue;
    }
    const access_t *a = &c->access[k.access];
    if (is_column && g->now - a->pushed > g->params.starve && a->order < starved) {
      starved = a->order;
      starved_write = a->write;
    }
    if (k.at > g->now) {
      *next = cycle_sooner(*next, k.at);
      continue;
    }
    bool best_column = best.command == CommandColumn;
    if ((is_column && !best_column) || (is_column == best_column && a->order < order)) {
      best = k;
      order = a->order;
    }
  }
  if (best.command != CommandNone) {
    *next = g->now + 1;
  }
  bool held = best.command == CommandColumn && starved != MEMORY_NEVER &&
              c->access[c->bank[best.bank].hit].write != starved_write;
  return held ? (candidate_t){MEMORY_NEVER, 0, CommandNone, NoAccess} : best;
}

static void give(gddr5_t *g, channel_t *c, candidate_t chosen) {
  bank_t *b = &c->bank[chosen.bank];
  switch (chosen.command) {
    case CommandColumn:
      g->stats.row_hits += !b->fresh;
      b->fresh = false;
      column(g, c, chosen.bank);
      break;
    case CommandActivate: activate(g, c, chosen.bank); break;
    case CommandPrecharge:
      c->open &= ~(1u << chosen.bank);
      b->hit = NoAccess;
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
  candidate_t chosen = choose(g, c, banks, floor, &next);
  c->next = next;
  give(g, c, chosen);
}

void gddr5_step(gddr5_t *g) {
  for (uint32_t c = 0; c < g->params.channels; c++) {
    if (g->channel[c].next <= g->now) {
      step_channel(g, &g->channel[c]);
    }
  }
  g->now++;
  bucket_t *bucket = &g->buckets[g->now & (g->horizon - 1)];
  while (bucket->head != None) {
    uint16_t index = bucket->head;
    request_t *r = &g->requests[index];
    bucket->head = r->next;
    g->pending--;
    g->stats.errors += r->error;
    memory_latency_add(&g->stats.latency[r->kind], g->now - r->pushed);
    if (r->kind == MemoryPostedWrite) {
      r->next = g->free;
      g->free = index;
      g->used--;
    } else {
      append(g, &g->ready, index);
    }
  }
}

uint64_t gddr5_next_event(const gddr5_t *g) {
  if (g->ready.head != None) {
    return g->now;
  }
  uint64_t next = MEMORY_NEVER;
  for (uint32_t c = 0; c < g->params.channels; c++) {
    next = cycle_sooner(next, g->channel[c].next);
  }
  // The step before a response can be popped moves it.
  for (uint64_t t = g->now + 1; g->pending && t < g->now + g->horizon && t <= next; t++) {
    if (g->buckets[t & (g->horizon - 1)].head != None) {
      next = t - 1;
    }
  }
  return next == MEMORY_NEVER ? MEMORY_NEVER : cycle_later(next, g->now);
}

void gddr5_skip_to(gddr5_t *g, uint64_t cycle) { g->now = cycle_later(g->now, cycle); }

void gddr5_stats(const gddr5_t *g, gddr5_stats_t *stats) {
  const gddr5_params_t *p = &g->params;
  *stats = g->stats;
  stats->cycles = g->now;
  for (uint32_t c = 0; p->trefi && c < p->channels; c++) {
    // Refreshes that fell due since the channel was last looked at.
    if (g->channel[c].refresh < g->now) {
      stats->refreshes += (g->now - g->channel[c].refresh - 1) / p->trefi + 1;
    }
  }
  stats->channel_cycles = g->now * p->channels;
}
