// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

enum { MaxCpus = 8, MaxIps = 4, MaxSources = MaxCpus + MaxIps, MostProbable = 100 };

typedef struct {
  bool active, urgent;
  uint32_t expected, period, served, elapsed;
  uint32_t quantum;      // accesses in it
  uint32_t probability;  // percent
} ip_t;

typedef struct {
  uint32_t quantum, sampled;
  uint32_t mpki;  // sampled
  bool intensive, judged;
  uint32_t order;
} cpu_t;

typedef enum { Choose, Add, Judge } phase_e;

typedef struct {
  dash_scheduler_params_t params;
  ip_t ips[MaxIps];
  cpu_t cpus[MaxCpus];
  uint8_t rank[MaxSources];
  uint32_t unit, change, shuffling, quantum;  // ticks
  uint32_t shuffle;
  uint32_t lfsr;
  bool later;  // the first quantum is over
  // Evaluation
  bool evaluates, judges, ends_unit, ends_switch, cancelled;
  uint32_t ip;
  uint64_t a, b;
  uint32_t elapsed, limit;  // 1000 x elapsed, threshold x period
  // Clustering
  bool clusters, over_limit;
  phase_e phase;
  uint32_t turn, chosen;
  uint32_t sum, total;
  uint8_t error;
} golden_t;

static uint32_t most_count(const golden_t *g) { return (1u << g->params.count_width) - 1; }

// ---- Rank --------------------------------------------------------------------------------------

// Returns class, key and number as one number.
static uint64_t key_of(const golden_t *g, uint32_t source) {
  uint32_t class, key;
  if (source < g->params.cpus) {
    const cpu_t *c = &g->cpus[source];
    class = c->intensive ? 3 : 1;
    key = c->intensive ? (source + g->params.cpus - g->shuffle) % g->params.cpus : c->order;
  } else {
    const ip_t *i = &g->ips[source - g->params.cpus];
    class = i->urgent ? 0 : 25 * (g->lfsr >> 9) < 32 * i->probability ? 4 : 2;
    key = i->elapsed < i->period ? i->period - i->elapsed : 0;
  }
  return (uint64_t) class << 32 | (uint64_t)key << 8 | source;
}

static void ranks(const golden_t *g, uint8_t *rank) {
  const uint32_t sources = g->params.cpus + g->params.ips;
  uint64_t key[MaxSources];
  for (uint32_t s = 0; s < sources; s++) {
    key[s] = key_of(g, s);
    rank[s] = 0;
    for (uint32_t o = 0; o < s; o++) {
      rank[s] += key[o] < key[s];
      rank[o] += key[s] < key[o];
    }
  }
}

// ---- Evaluation --------------------------------------------------------------------------------

static bool starts(const golden_t *g, const dash_scheduler_in_t *in) {
  return in->start_valid && in->start_ip < g->params.ips && in->start_expected != 0 &&
         in->start_period != 0;
}

static bool is_replaced(const golden_t *g, const dash_scheduler_in_t *in, uint32_t ip) {
  return (in->finish >> ip & 1) || (starts(g, in) && in->start_ip == ip);
}

static void judge_ip(golden_t *g, const dash_scheduler_in_t *in, ip_t *i) {
  const bool urgent = i->urgent;
  if (g->ends_unit) {
    i->urgent = i->active && (g->elapsed > g->limit || (in->progress && g->a <= g->b));
  }
  if (g->ends_switch && i->active && !urgent && g->later && i->served < i->expected) {
    if (g->a > g->b) {
      i->probability += i->probability < MostProbable;
    } else if (g->a < g->b) {
      i->probability -= i->probability < 5 ? i->probability : 5;
    }
  }
}

static void evaluate(golden_t *g, const dash_scheduler_in_t *in) {
  ip_t *i = &g->ips[g->ip];
  const bool replaced = is_replaced(g, in, g->ip);
  if (!g->judges) {
    g->a = (uint64_t)i->served * i->period;
    g->b = (uint64_t)i->elapsed * i->expected;
    g->elapsed = 1000 * i->elapsed;
    g->limit = in->threshold[g->ip] * i->period;
    g->cancelled = replaced;
    g->judges = true;
    return;
  }
  if (!g->cancelled && !replaced) {
    judge_ip(g, in, i);
  }
  g->judges = false;
  g->evaluates = g->ip + 1 < g->params.ips;
  g->ip = g->evaluates ? g->ip + 1 : 0;
}

// ---- Clustering --------------------------------------------------------------------------------

static uint32_t lowest_mpki(const golden_t *g) {
  uint32_t lowest = g->params.cpus;
  for (uint32_t c = 0; c < g->params.cpus; c++) {
    if (!g->cpus[c].judged &&
        (lowest == g->params.cpus || g->cpus[c].mpki < g->cpus[lowest].mpki)) {
      lowest = c;
    }
  }
  return lowest;
}

static void judge_cpu(golden_t *g, const dash_scheduler_in_t *in) {
  cpu_t *c = &g->cpus[g->chosen];
  g->over_limit |= UINT64_C(1000) * g->sum > (uint64_t)in->factor * g->total;
  c->intensive = g->over_limit;
  c->order = g->turn;
  c->judged = true;
  g->clusters = g->turn + 1 < g->params.cpus;
  g->later |= !g->clusters;
  g->turn = g->clusters ? g->turn + 1 : 0;
}

static void cluster(golden_t *g, const dash_scheduler_in_t *in) {
  switch (g->phase) {
    case Choose:
      g->chosen = lowest_mpki(g);
      g->phase = Add;
      break;
    case Add:
      g->sum += g->cpus[g->chosen].sampled;
      g->phase = Judge;
      break;
    case Judge:
      judge_cpu(g, in);
      g->phase = Choose;
      break;
  }
}

static void begin_clusters(golden_t *g, const dash_scheduler_in_t *in) {
  g->clusters = true;
  g->over_limit = false;
  g->sum = g->total = 0;
  for (uint32_t c = 0; c < g->params.cpus; c++) {
    cpu_t *cpu = &g->cpus[c];
    cpu->mpki = in->mpki[c];
    cpu->sampled = cpu->quantum;
    cpu->judged = false;
    g->total += cpu->quantum;
    cpu->quantum = 0;
  }
  for (uint32_t i = 0; i < g->params.ips; i++) {
    g->total += in->all ? g->ips[i].quantum : 0;
    g->ips[i].quantum = 0;
  }
}

// ---- A cycle -----------------------------------------------------------------------------------

static bool advance(uint32_t *timer, uint32_t ticks) {
  *timer = *timer + 1 < ticks ? *timer + 1 : 0;
  return *timer == 0;
}

// A tick that is accepted; elapsed of IPs that start or finish does not change.
static void tick(golden_t *g, const dash_scheduler_in_t *in) {
  const dash_scheduler_params_t *p = &g->params;
  const uint32_t most = (1u << p->time_width) - 1;
  for (uint32_t i = 0; i < p->ips; i++) {
    ip_t *ip = &g->ips[i];
    ip->elapsed += ip->active && !is_replaced(g, in, i) && ip->elapsed < most;
  }
  g->ends_unit = advance(&g->unit, p->unit_ticks);
  g->ends_switch = advance(&g->change, p->switch_ticks);
  g->evaluates = g->ends_unit || g->ends_switch;
  if (advance(&g->shuffling, p->shuffle_ticks)) {
    g->shuffle = g->shuffle + 1 < p->cpus ? g->shuffle + 1 : 0;
  }
  if (advance(&g->quantum, p->quantum_ticks)) {
    begin_clusters(g, in);
  }
}

// Returns the number of accesses served of a source.
static uint32_t served_of(const golden_t *g, const dash_scheduler_in_t *in, uint32_t source) {
  uint32_t count = 0;
  for (uint32_t c = 0; c < g->params.channels; c++) {
    count += (in->served_valid >> c & 1) && in->served_source[c] == source;
  }
  return count;
}

static void add(uint32_t *count, uint32_t more, uint32_t most) {
  *count = *count + more < most ? *count + more : most;
}

static void serve(golden_t *g, const dash_scheduler_in_t *in) {
  uint32_t all = 0;
  for (uint32_t c = 0; c < g->params.cpus; c++) {
    const uint32_t count = served_of(g, in, c);
    add(&g->cpus[c].quantum, count, most_count(g));
    all += count;
  }
  for (uint32_t i = 0; i < g->params.ips; i++) {
    ip_t *ip = &g->ips[i];
    const uint32_t count = served_of(g, in, g->params.cpus + i);
    add(&ip->quantum, count, most_count(g));
    if (ip->active && !is_replaced(g, in, i)) {
      add(&ip->served, count, most_count(g));
    }
    all += count;
  }
  if (all > 0) {
    g->lfsr = g->lfsr >> 1 ^ (g->lfsr & 1 ? 0xb400 : 0);
  }
}

static void replace(golden_t *g, const dash_scheduler_in_t *in) {
  for (uint32_t i = 0; i < g->params.ips; i++) {
    if (in->finish >> i & 1) {
      g->ips[i].active = g->ips[i].urgent = false;
    }
  }
  if (starts(g, in)) {
    ip_t *ip = &g->ips[in->start_ip];
    ip->active = true;
    ip->urgent = false;
    ip->expected = in->start_expected;
    ip->period = in->start_period;
    ip->served = ip->elapsed = 0;
  }
}

static uint8_t error_of(const golden_t *g, const dash_scheduler_in_t *in) {
  uint32_t inactive = 0;
  bool no_source = false;
  for (uint32_t i = 0; i < g->params.ips; i++) {
    inactive |= (uint32_t)!g->ips[i].active << i;
  }
  for (uint32_t c = 0; c < g->params.channels; c++) {
    no_source |=
        (in->served_valid >> c & 1) && in->served_source[c] >= g->params.cpus + g->params.ips;
  }
  return in->start_valid && !starts(g, in)           ? DashSchedulerErrorStart
         : no_source                                 ? DashSchedulerErrorServed
         : (in->finish & inactive) != 0              ? DashSchedulerErrorFinish
         : in->tick && (g->evaluates || g->clusters) ? DashSchedulerErrorTick
                                                     : DashSchedulerErrorNone;
}

static void outputs(const golden_t *g, const dash_scheduler_in_t *in, dash_scheduler_out_t *out) {
  uint8_t rank[MaxSources];
  memset(out, 0, sizeof *out);
  out->error = g->error;
  out->quiescent = !(in->tick || in->start_valid || in->finish || in->served_valid ||
                     g->evaluates || g->clusters);
  if (out->quiescent) {
    ranks(g, rank);
    out->quiescent = memcmp(rank, g->rank, g->params.cpus + g->params.ips) == 0;
  }
}

static unit_status_e step(void *self, const dash_scheduler_in_t *in, dash_scheduler_out_t *out) {
  golden_t *g = self;
  const bool evaluates = g->evaluates, clusters = g->clusters;
  if (g->error == DashSchedulerErrorNone) {
    g->error = error_of(g, in);
  }
  ranks(g, g->rank);
  if (evaluates) {
    evaluate(g, in);
  }
  if (clusters) {
    cluster(g, in);
  }
  if (in->tick && !evaluates && !clusters) {
    tick(g, in);
  }
  serve(g, in);
  replace(g, in);
  outputs(g, in, out);
  return UnitOk;
}

static void reset(void *self, dash_scheduler_out_t *out) {
  golden_t *g = self;
  const dash_scheduler_in_t none = {0};
  *g = (golden_t){.params = g->params, .lfsr = 1};
  for (uint32_t c = 0; c < MaxCpus; c++) {
    g->cpus[c].intensive = true;
    g->cpus[c].order = c;
  }
  for (uint32_t s = 0; s < MaxSources; s++) {
    g->rank[s] = (uint8_t)s;
  }
  outputs(g, &none, out);
}

static void observe(void *self, dash_scheduler_state_t *state) {
  const golden_t *g = self;
  memset(state, 0, sizeof *state);
  for (uint32_t s = 0; s < g->params.cpus + g->params.ips; s++) {
    state->rank[s] = g->rank[s];
  }
  for (uint32_t i = 0; i < g->params.ips; i++) {
    state->active |= (uint8_t)(g->ips[i].active << i);
    state->urgent |= (uint8_t)(g->ips[i].urgent << i);
    state->probability[i] = (uint8_t)g->ips[i].probability;
  }
  for (uint32_t c = 0; c < g->params.cpus; c++) {
    state->intensive |= (uint8_t)(g->cpus[c].intensive << c);
    state->order[c] = (uint8_t)g->cpus[c].order;
  }
}

static bool in_range(const dash_scheduler_params_t *p) {
  return p->cpus >= 1 && p->cpus <= MaxCpus && p->ips >= 1 && p->ips <= MaxIps &&
         p->channels >= 1 && p->channels <= 4 && p->count_width >= 8 && p->count_width <= 24 &&
         p->time_width >= 6 && p->time_width <= 20 && p->unit_ticks >= 2 && p->unit_ticks <= 1000 &&
         p->switch_ticks >= 2 && p->switch_ticks <= 1000 && p->shuffle_ticks >= 1 &&
         p->shuffle_ticks <= 1000 && p->quantum_ticks >= 16 && p->quantum_ticks <= 1000000;
}

bool dash_scheduler_golden_create(const dash_scheduler_params_t *params, dash_scheduler_t *engine) {
  golden_t *g = in_range(params) ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    return false;
  }
  g->params = *params;
  dash_scheduler_out_t out;
  reset(g, &out);
  *engine = (dash_scheduler_t){g, step, reset, observe};
  return true;
}

void dash_scheduler_golden_destroy(dash_scheduler_t *engine) {
  free(engine->self);
  engine->self = NULL;
}
