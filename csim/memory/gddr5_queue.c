// SPDX-License-Identifier: Apache-2.0
#include "gddr5.h"

#include <stdlib.h>
#include <string.h>

#include "../base/cycle.h"
#include "gddr5_state.h"

static inline bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

static const gddr5_sources_t Alone = {.sources = 1};

// Checks the parameters against what sources need.
static bool check_sources(const gddr5_params_t *p, const gddr5_sources_t *s, err_t *err) {
  uint32_t room = p->queue - Gddr5MaxPerRequest;
  if (!s->sources || s->sources > Gddr5MaxSources || s->cpus > s->sources) {
    err_set(err, ErrInput, "gddr5: %u sources, %u of them CPUs: it takes 1 to %u", s->sources,
            s->cpus, Gddr5MaxSources);
  } else if (p->reserve * s->sources > room) {
    err_set(err, ErrInput,
            "gddr5.reserve=%u: %u sources would have %u of a channel's %u places, and a request "
            "needs %u more; set %u at most",
            p->reserve, s->sources, p->reserve * s->sources, p->queue, Gddr5MaxPerRequest,
            room / s->sources);
  } else if (s->split && p->channels != 2) {
    err_set(err, ErrInput,
            "gddr5.channels=%u: split between CPUs and IPs there are two channels; set 2",
            p->channels);
  } else if (!s->split && p->ip_mapping != Gddr5AsMapping) {
    err_set(err, ErrInput,
            "gddr5.ip_mapping: only IPs with a channel of their own have a mapping of their own; "
            "leave it at as_mapping");
  } else {
    return true;
  }
  return false;
}

bool gddr5_check(const gddr5_params_t *p, const gddr5_sources_t *sources, err_t *err) {
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
  } else if (p->queue < Gddr5MaxPerRequest || p->queue > Gddr5MaxQueue) {
    wrong = "gddr5.queue: 9 (the accesses of one request) to 64";
  } else if (!p->requests || p->requests >= Gddr5None) {
    wrong = "gddr5.requests: 1 to 65534";
  } else if (!p->latency || !p->burst || !p->tcl || !p->trcd || !p->trp || !p->cwl) {
    wrong = "gddr5: latencies are at least 1 cycle";
  } else if (p->trefi && p->trefi <= p->trfc + p->tras + p->trp) {
    wrong = "gddr5.trefi: longer than a refresh and a row cycle";
  }
  if (wrong) {
    err_set(err, ErrInput, "%s", wrong);
  }
  return !wrong && check_sources(p, sources ? sources : &Alone, err);
}

gddr5_t *gddr5_create(const gddr5_params_t *params, const gddr5_sources_t *sources, err_t *err) {
  if (!gddr5_check(params, sources, err)) {
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
  g->sources = sources ? *sources : Alone;
  g->shared = sources != NULL;
  g->interleave_shift = (uint32_t)__builtin_ctz(params->interleave);
  g->channel_shift = (uint32_t)__builtin_ctz(params->channels);
  g->row_shift = (uint32_t)__builtin_ctz(params->row_bytes);
  g->bank_shift = (uint32_t)__builtin_ctz(params->banks);
  g->capacity = (uint64_t)params->channels * params->banks * params->rows * params->row_bytes;
  g->horizon = horizon;
  g->buckets = buckets;
  g->requests = requests;
  g->ready.head = Gddr5None;
  for (uint32_t i = 0; i < horizon; i++) {
    buckets[i].head = Gddr5None;
  }
  for (uint32_t i = 0; i < params->requests; i++) {
    requests[i].next = i + 1 < params->requests ? (uint16_t)(i + 1) : Gddr5None;
  }
  for (uint32_t c = 0; c < params->channels; c++) {
    channel_t *channel = &g->channel[c];
    channel->refresh = params->trefi ? params->trefi : MEMORY_NEVER;
    channel->next = MEMORY_NEVER;
    for (uint32_t b = 0; b < params->banks; b++) {
      channel->bank[b].head = channel->bank[b].hit = Gddr5NoAccess;
    }
    for (uint32_t i = 0; i < params->queue; i++) {
      channel->access[i].next = i + 1 < params->queue ? (uint8_t)(i + 1) : Gddr5NoAccess;
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

// Returns an address less where its source's memory begins.
static inline uint64_t from_base(const gddr5_t *g, uint32_t source, uint64_t address) {
  return g->sources.split && source < g->sources.cpus ? address - g->sources.cpu_base : address;
}

static bool served(const gddr5_t *g, uint32_t source, memory_kind_e kind, uint64_t address,
                   uint32_t bytes) {
  uint64_t local = from_base(g, source, address), capacity = g->capacity >> g->sources.split;
  return kind <= MemoryPostedWrite && bytes >= 1 && bytes <= Gddr5MaxRequest && local < capacity &&
         bytes <= capacity - local;
}

// The place of 32 bytes. The widths bound what indexes arrays and masks by their sizes, whatever
// the parameters.
typedef struct {
  uint32_t channel : 6, bank : 5, row;
} place_t;
_Static_assert(Gddr5MaxChannels == 1 << 6 && Gddr5MaxBanks == 1 << 5, "widths of place_t");

static place_t place_of(const gddr5_t *g, uint32_t source, uint64_t address) {
  const gddr5_params_t *p = &g->params;
  const uint32_t banks = p->banks - 1;
  uint64_t unit = address >> g->interleave_shift;
  uint32_t channel = (uint32_t)unit & (p->channels - 1), mapping = p->mapping;
  if (g->sources.split) {
    channel = source >= g->sources.cpus;
    mapping = channel && p->ip_mapping != Gddr5AsMapping ? p->ip_mapping : mapping;
    unit = from_base(g, source, address) >> g->interleave_shift;
  } else {
    unit >>= g->channel_shift;
  }
  uint64_t local = unit << g->interleave_shift | (address & (p->interleave - 1));
  uint64_t row = local >> g->row_shift;
  uint64_t bank = mapping == Gddr5BankLow ? unit : row;
  return (place_t){channel, (uint32_t)bank & banks, (uint32_t)(row >> g->bank_shift)};
}

// Tells if a channel has room for so many accesses of a source: among the source's own places and
// those that are nobody's.
static bool has_places(const gddr5_t *g, const channel_t *c, uint32_t source, uint32_t count) {
  const gddr5_params_t *p = &g->params;
  if (!p->reserve) {
    return c->used + count <= p->queue;
  }
  uint32_t own = p->reserve > c->of[source] ? p->reserve - c->of[source] : 0;
  uint32_t more = count > own ? count - own : 0;
  return c->beyond + more <= p->queue - p->reserve * g->sources.sources;
}

static bool has_room(const gddr5_t *g, uint32_t source, uint64_t address, uint32_t bytes) {
  uint64_t last = (address + bytes - 1) / Gddr5Access;
  uint32_t channels = g->sources.split ? 1 : g->params.channels;
  uint32_t per_unit = g->params.interleave / Gddr5Access;
  for (uint64_t a = address / Gddr5Access; a <= last;) {
    // Accesses of one unit, and of the units that come round to the same channel.
    uint32_t in_turn = (uint32_t)(a / per_unit) & (channels - 1), count = 0;
    for (uint64_t b = address / Gddr5Access; b <= last; b++) {
      count += (uint32_t)(b / per_unit & (channels - 1)) == in_turn;
    }
    uint32_t channel = place_of(g, source, a * Gddr5Access).channel;
    if (!has_places(g, &g->channel[channel], source, count)) {
      return false;
    }
    a = (a / per_unit + 1) * per_unit;
  }
  return true;
}

static void push_access(gddr5_t *g, uint64_t address, uint16_t request, bool write) {
  const uint8_t source = g->requests[request].source & (Gddr5MaxSources - 1);
  place_t place = place_of(g, source, address);
  channel_t *c = &g->channel[place.channel];
  bank_t *b = &c->bank[place.bank];
  uint8_t index = c->free;
  access_t *a = &c->access[index];
  c->free = a->next;
  *a = (access_t){g->now, g->order++, place.row, request, Gddr5NoAccess, source, write};
  if (b->head == Gddr5NoAccess) {
    b->head = index;
    c->waiting |= 1u << place.bank;
  } else {
    c->access[b->tail].next = index;
  }
  b->tail = index;
  if (c->open >> place.bank & 1 && b->row == place.row && b->hit == Gddr5NoAccess) {
    b->hit = index;
  }
  c->used++;
  c->beyond += ++c->of[source] > g->params.reserve;
  c->next = g->now;
}

bool gddr5_push_from(gddr5_t *g, gddr5_from_t from, memory_kind_e kind, uint64_t address,
                     uint32_t bytes, uint64_t tag) {
  const bool good = served(g, from.source, kind, address, bytes);
  if (g->free == Gddr5None || (good && !has_room(g, from.source, address, bytes))) {
    return false;
  }
  const memory_errors_t *e = &g->errors;
  uint16_t index = g->free;
  request_t *r = &g->requests[index];
  g->free = r->next;
  g->used++;
  *r = (request_t){.tag = tag,
                   .pushed = g->now,
                   .bytes = bytes,
                   .waited = (uint32_t)(g->now - from.since),
                   .kind = (uint8_t)kind,
                   .source = (uint8_t)from.source};
  r->error =
      (e->permille && rng_chance(&g->rng, e->permille)) || (e->mask && (tag & e->mask) == e->match);
  g->stats.requests[kind]++;
  g->stats.bytes[kind] += bytes;
  if (!good) {
    r->error = true;
    gddr5_finish(g, index, g->now + g->params.latency);
    return true;
  }
  uint64_t last = (address + bytes - 1) / Gddr5Access;
  for (uint64_t a = address / Gddr5Access; a <= last; a++) {
    r->left++;
    push_access(g, a * Gddr5Access, index, kind != MemoryRead);
  }
  return true;
}

bool gddr5_push(gddr5_t *g, memory_kind_e kind, uint64_t address, uint32_t bytes, uint64_t tag) {
  return gddr5_push_from(g, (gddr5_from_t){0, g->now}, kind, address, bytes, tag);
}

void gddr5_ranks(gddr5_t *g, const uint8_t rank[]) {
  const size_t bytes = g->sources.sources;
  if (g->ranked == (rank != NULL) && (!rank || memcmp(g->rank, rank, bytes) == 0)) {
    return;
  }
  g->ranked = rank != NULL;
  if (rank) {
    memcpy(g->rank, rank, bytes);
  }
  for (uint32_t c = 0; c < g->params.channels; c++) {
    // Another command may be the one to give, and sooner.
    if (g->channel[c].waiting) {
      g->channel[c].next = g->now;
    }
  }
}

const uint8_t *gddr5_served(const gddr5_t *g) { return g->served; }

const gddr5_source_stats_t *gddr5_source(const gddr5_t *g, uint32_t source) {
  return &g->source[source & (Gddr5MaxSources - 1)];
}

bool gddr5_pop(gddr5_t *g, memory_response_t *response) {
  uint16_t index = g->ready.head;
  if (index == Gddr5None) {
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

uint64_t gddr5_next_event(const gddr5_t *g) {
  if (g->ready.head != Gddr5None) {
    return g->now;
  }
  uint64_t next = MEMORY_NEVER;
  for (uint32_t c = 0; c < g->params.channels; c++) {
    next = cycle_sooner(next, g->channel[c].next);
  }
  // The step before a response can be popped moves it.
  for (uint64_t t = g->now + 1; g->pending && t < g->now + g->horizon && t <= next; t++) {
    if (g->buckets[t & (g->horizon - 1)].head != Gddr5None) {
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
  for (uint32_t i = 0; i < g->sources.sources; i++) {
    const gddr5_source_stats_t *s = &g->source[i];
    stats->accesses += s->accesses;
    stats->row_hits += s->row_hits;
    stats->activates += s->activates;
    stats->read_bytes += s->read_bytes;
    stats->write_bytes += s->write_bytes;
  }
}
