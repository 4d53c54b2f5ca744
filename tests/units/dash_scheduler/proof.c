// SPDX-License-Identifier: Apache-2.0
// The DASH scheduler: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// Products matter where an IP is judged, its accesses and what it expects while it is active, its
// elapsed time once it had work, what a clustering has sampled while it is under way. The RTL has a
// flag for each CPU where the golden model has the number of the chosen one. Products stay open
// (tb/prove/product.h).
#include "csim/units/dash_scheduler/golden.c"
#include "tb/prove/wrapper.h"

// Bits of a counter of ticks from 0 to below `ticks`.
#define TICK_BITS(ticks) ((ticks) > 2 ? 32 - __builtin_clz((ticks)-1) : 1)

enum {
  N = P_Cpus,
  M = P_Ips,
  MostCount = (1 << P_CountWidth) - 1,
  MostTime = (1 << P_TimeWidth) - 1,
  ProductBits = P_CountWidth + P_TimeWidth,
  LimitBits = P_TimeWidth + 10,
  SumBits = P_CountWidth + 4,
  IndexBits = N + M <= 2   ? 1
              : N + M <= 4 ? 2
                           : 3,
  UnitBits = TICK_BITS(P_UnitTicks),
  SwitchBits = TICK_BITS(P_SwitchTicks),
  ShuffleBits = TICK_BITS(P_ShuffleTicks),
  QuantumBits = TICK_BITS(P_QuantumTicks),
};
_Static_assert(P_CountWidth <= 28 && P_TimeWidth <= 22 && N + M <= 8, "a size that it can prove");

PROVE_UNIT(dash_scheduler)

const uint8_t OpenProducts = 6;

struct related {
  uint32_t rank;
  uint32_t counted[M], period[M], count[N];
  uint32_t unit, change, shuffling, quantum;
  uint8_t active, urgent, probability[M], intensive, order[N], shuffle;
  uint16_t lfsr;
  uint8_t evaluates, judges, ip, clusters, phase, turn, error;
} Related;

struct rtl {
  uint64_t a, b;
  uint32_t late, limit, sum, total, expected[M], served[M], elapsed[M], sampled[N];
  uint16_t mpki[N];
  uint8_t later, ends_unit, ends_switch, cancelled, taken, chosen, over;
} Rtl;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
const prove_register_t Registers[] = {
    MEMBER(rank, "rank_q", IndexBits *(N + M), 1),
    MEMBER(active, "active_q", M, 1),
    MEMBER(urgent, "urgent_q", M, 1),
    MEMBER(counted, "ip_quantum_q[%u]", P_CountWidth, M),
    MEMBER(period, "period_q[%u]", P_TimeWidth, M),
    MEMBER(probability, "probability_q[%u]", 7, M),
    MEMBER(intensive, "intensive_q", N, 1),
    MEMBER(count, "quantum_count_q[%u]", P_CountWidth, N),
    MEMBER(order, "gen_cpu[%u].order_q", 3, N),
    MEMBER(unit, "unit_q", UnitBits, 1),
    MEMBER(change, "switch_q", SwitchBits, 1),
    MEMBER(shuffling, "shuffle_left_q", ShuffleBits, 1),
    MEMBER(quantum, "quantum_q", QuantumBits, 1),
    MEMBER(shuffle, "shuffle_q", 3, 1),
    MEMBER(lfsr, "lfsr_q", 16, 1),
    MEMBER(evaluates, "evaluates_q", 1, 1),
    MEMBER(judges, "judges_q", 1, 1),
    MEMBER(ip, "ip_q", 2, 1),
    MEMBER(clusters, "clusters_q", 1, 1),
    MEMBER(phase, "phase_q", 2, 1),
    MEMBER(turn, "turn_q", 3, 1),
    MEMBER(error, "error_q", 3, 1),
    RTL(expected, "expected_q[%u]", P_CountWidth, M),
    RTL(served, "served_q[%u]", P_CountWidth, M),
    RTL(elapsed, "elapsed_q[%u]", P_TimeWidth, M),
    RTL(a, "served_product_q", ProductBits, 1),
    RTL(b, "elapsed_product_q", ProductBits, 1),
    RTL(late, "late_q", LimitBits, 1),
    RTL(limit, "limit_q", LimitBits, 1),
    RTL(sum, "sum_q", SumBits, 1),
    RTL(total, "total_q", SumBits, 1),
    RTL(mpki, "cpu_mpki_q[%u]", 16, N),
    RTL(later, "later_q", 1, 1),
    RTL(ends_unit, "ends_unit_q", 1, 1),
    RTL(ends_switch, "ends_switch_q", 1, 1),
    RTL(cancelled, "cancelled_q", 1, 1),
    RTL(sampled, "sampled_q[%u]", P_CountWidth, N),
    RTL(taken, "taken_q", N, 1),
    RTL(chosen, "chosen_q", N, 1),
    RTL(over, "over_q", 1, 1),
};

static golden_t *golden(void) { return Engine.self; }

void prove_relate(void) {
  const golden_t *g = golden();
  Related = (struct related){
      .unit = g->unit,
      .change = g->change,
      .shuffling = g->shuffling,
      .quantum = g->quantum,
      .shuffle = (uint8_t)g->shuffle,
      .lfsr = (uint16_t)g->lfsr,
      .evaluates = g->evaluates,
      .judges = g->judges,
      .ip = (uint8_t)g->ip,
      .clusters = g->clusters,
      .phase = (uint8_t)g->phase,
      .turn = (uint8_t)g->turn,
      .error = g->error,
  };
  for (uint32_t s = 0; s < N + M; s++) {
    Related.rank |= (uint32_t)g->rank[s] << s * IndexBits;
  }
  for (uint32_t i = 0; i < M; i++) {
    const ip_t *ip = &g->ips[i];
    Related.active |= (uint8_t)(ip->active << i);
    Related.urgent |= (uint8_t)(ip->urgent << i);
    Related.counted[i] = ip->quantum;
    Related.period[i] = ip->period;
    Related.probability[i] = (uint8_t)ip->probability;
  }
  for (uint32_t c = 0; c < N; c++) {
    const cpu_t *cpu = &g->cpus[c];
    Related.intensive |= (uint8_t)(cpu->intensive << c);
    Related.count[c] = cpu->quantum;
    Related.order[c] = (uint8_t)cpu->order;
  }
}

// ---- Narrowing ----

static void narrow_bool(bool *b) {
  uint8_t byte;
  memcpy(&byte, b, 1);
  byte &= 1;
  memcpy(b, &byte, 1);
}

// Returns the lowest bits of a number below `end`, a number of few bits.
static uint32_t below(uint32_t number, uint32_t mask, uint32_t end) {
  return (number & mask) < end ? number & mask : 0;
}

// Since an accepted tick that ended a unit or a switching unit: cycles, 0 none. Of each IP that was
// behind then, with what is next: it is judged (1), its rank is made (2); 0 no more.
struct {
  uint8_t after, owed[M];
} Monitor;

void prove_narrow(void) {
  golden_t *g = golden();
  g->params = Params;
  for (uint32_t i = 0; i < MaxIps; i++) {
    ip_t *ip = &g->ips[i];
    narrow_bool(&ip->active);
    narrow_bool(&ip->urgent);
    ip->expected &= MostCount;
    ip->served &= MostCount;
    ip->quantum &= MostCount;
    ip->period &= MostTime;
    ip->elapsed &= MostTime;
    ip->probability = below(ip->probability, 127, MostProbable + 1);
    if (i >= M) {
      *ip = (ip_t){0};
    }
  }
  for (uint32_t c = 0; c < MaxCpus; c++) {
    cpu_t *cpu = &g->cpus[c];
    narrow_bool(&cpu->intensive);
    narrow_bool(&cpu->judged);
    cpu->quantum &= MostCount;
    cpu->sampled &= MostCount;
    cpu->mpki &= 0xffff;
    cpu->order &= 7;
    if (c >= N) {
      *cpu = (cpu_t){.intensive = true, .order = c};
    }
  }
  for (uint32_t s = 0; s < MaxSources; s++) {
    g->rank[s] &= s < N + M ? (1 << IndexBits) - 1 : 15;
    g->rank[s] = s < N + M ? g->rank[s] : (uint8_t)s;
  }
  bool *flags[] = {&g->later,       &g->evaluates, &g->judges,   &g->ends_unit,
                   &g->ends_switch, &g->cancelled, &g->clusters, &g->over_limit};
  for (uint32_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    narrow_bool(flags[i]);
  }
  g->unit = below(g->unit, (1u << UnitBits) - 1, P_UnitTicks);
  g->change = below(g->change, (1u << SwitchBits) - 1, P_SwitchTicks);
  g->shuffling = below(g->shuffling, (1u << ShuffleBits) - 1, P_ShuffleTicks);
  g->quantum = below(g->quantum, (1u << QuantumBits) - 1, P_QuantumTicks);
  g->shuffle = below(g->shuffle, 7, N);
  g->lfsr &= 0xffff;
  g->ip = below(g->ip, 3, M);
  g->a &= (UINT64_C(1) << ProductBits) - 1;
  g->b &= (UINT64_C(1) << ProductBits) - 1;
  g->elapsed &= (1u << LimitBits) - 1;
  g->limit &= (1u << LimitBits) - 1;
  g->phase = (phase_e)below((uint32_t)g->phase, 3, 3);
  g->turn = below(g->turn, 7, N);
  g->chosen = below(g->chosen, 7, N);
  g->sum &= (1u << SumBits) - 1;
  g->total &= (1u << SumBits) - 1;
  g->error &= 7;
  Monitor.after &= 15;
  for (uint32_t i = 0; i < M; i++) {
    Monitor.owed[i] &= 3;
  }
}

// ---- Invariant ----

static void check_evaluation(const golden_t *g) {
  prove_check("who is not evaluating is at the first IP",
              g->evaluates || (!g->judges && g->ip == 0));
  prove_check("an evaluation follows an end", !g->evaluates || (Rtl.ends_unit == g->ends_unit &&
                                                                Rtl.ends_switch == g->ends_switch));
  const bool is_judged = g->judges && !g->cancelled && g->ips[g->ip].active;
  prove_check("served x period", !is_judged || Rtl.a == g->a);
  prove_check("elapsed x expected", !is_judged || Rtl.b == g->b);
  prove_check("1000 x elapsed", !is_judged || Rtl.late == g->elapsed);
  // 1000 x elapsed is a multiple of 8, so that Yosys leaves the lowest bits of the limit out.
  prove_check("threshold x period", !is_judged || Rtl.limit >> 3 == g->limit >> 3);
  // (Nobody looks at it between the last evaluation and the end of a clustering.)
  prove_check("a quantum was clustered",
              (g->clusters && g->turn + 1 == N && !g->evaluates) || Rtl.later == g->later);
  prove_check("a judging is cancelled", !g->judges || Rtl.cancelled == g->cancelled);
  for (uint32_t i = 0; i < M; i++) {
    const ip_t *ip = &g->ips[i];
    prove_check("accesses of work", !ip->active || Rtl.served[i] == ip->served);
    prove_check("accesses that work expects", !ip->active || Rtl.expected[i] == ip->expected);
    prove_check("ticks since work began", ip->period == 0 || Rtl.elapsed[i] == ip->elapsed);
    prove_check("work has a period", !ip->active || ip->period > 0);
    prove_check("an inactive IP is not urgent", ip->active || !ip->urgent);
    prove_check("P is a percentage", ip->probability <= MostProbable);
  }
}

// All orders are different, and who is intensive comes after who is not. While a clustering is
// under way that is so among those that it has judged, and among the others.
static void check_order(const golden_t *g) {
  for (uint32_t c = 0; c < N; c++) {
    const cpu_t *cpu = &g->cpus[c];
    prove_check("an order is below the number of CPUs", cpu->order < N);
    prove_check("who is judged has the order of a turn that is over",
                !g->clusters || !cpu->judged || cpu->order < g->turn);
    prove_check("who is over the limit comes last",
                !g->clusters || !cpu->judged || !cpu->intensive || g->over_limit);
    for (uint32_t o = 0; o < N; o++) {
      const cpu_t *other = &g->cpus[o];
      const bool both = o != c && (!g->clusters || cpu->judged == other->judged);
      prove_check("no two CPUs have one order", !both || cpu->order != other->order);
      prove_check("who comes after an intensive CPU is intensive",
                  !both || !cpu->intensive || other->intensive || other->order < cpu->order);
    }
  }
}

// Accesses of a quantum that has begun while the last one's are looked at.
static void check_begun(const golden_t *g) {
  uint32_t begun = 0;
  for (uint32_t c = 0; c < N; c++) {
    begun += g->cpus[c].quantum;
  }
  for (uint32_t i = 0; i < M; i++) {
    begun += g->ips[i].quantum;
  }
  prove_check("no more accesses than lanes and cycles since a quantum began",
              !g->clusters || begun <= P_Channels * (3 * g->turn + (uint32_t)g->phase + 1));
  prove_check("a clustering is at the begin of a quantum", !g->clusters || g->quantum == 0);
}

static void check_clustering(const golden_t *g) {
  const bool is_last = g->turn + (g->phase != Choose) + 1 >= N;
  const bool is_chosen = g->turn + 1 == N && g->phase != Choose;
  uint32_t judged = 0;
  prove_check("who is not clustering is at the first CPU",
              g->clusters || (g->phase == Choose && g->turn == 0));
  check_begun(g);
  prove_check("the total", !g->clusters || Rtl.total == g->total);
  prove_check("what a total has at most", g->total <= (N + M) * (uint32_t)MostCount);
  prove_check("the sum", !g->clusters || Rtl.sum == g->sum);
  prove_check("over the limit", !g->clusters || Rtl.over == g->over_limit);
  prove_check("what a sum has at most",
              !g->clusters || g->sum <= (g->turn + (g->phase == Judge)) * (uint32_t)MostCount);
  for (uint32_t c = 0; c < N; c++) {
    const cpu_t *cpu = &g->cpus[c];
    judged += cpu->judged;
    prove_check("the sampled count", !g->clusters || Rtl.sampled[c] == cpu->sampled);
    // (The last one is chosen whatever its mpki is.)
    prove_check("the sampled mpki",
                !g->clusters || cpu->judged || is_last || Rtl.mpki[c] == cpu->mpki);
    // (Nobody is chosen after the last one.)
    prove_check("who is judged", !g->clusters || is_chosen || (Rtl.taken >> c & 1) == cpu->judged);
    prove_check("who is chosen", g->phase == Choose || (Rtl.chosen >> c & 1) == (g->chosen == c));
    prove_check("the chosen one is not judged",
                g->phase == Choose || g->chosen != c || !cpu->judged);
  }
  prove_check("as many are judged as have an order", !g->clusters || judged == g->turn);
  check_order(g);
}

static void check_monitor(const golden_t *g) {
  prove_check("the ports tell where an evaluation is",
              Monitor.after == (g->evaluates ? 1 + 2 * g->ip + g->judges : 0));
  for (uint32_t i = 0; i < M; i++) {
    const bool judged = g->evaluates && g->judges && g->ip == i && g->ends_unit && !g->cancelled;
    prove_check("who is behind is judged",
                Monitor.owed[i] != 1 || (judged && g->ips[i].active && g->a <= g->b));
    prove_check("who was behind is urgent", Monitor.owed[i] != 2 || g->ips[i].urgent);
    prove_check("nothing else is owed", Monitor.owed[i] < 3);
  }
}

void prove_invariant(void) {
  const golden_t *g = golden();
  prove_check("timers are in their range", g->unit < P_UnitTicks && g->change < P_SwitchTicks &&
                                               g->shuffling < P_ShuffleTicks &&
                                               g->quantum < P_QuantumTicks && g->shuffle < N);
  prove_check("shuffles are in step with quanta",
              P_QuantumTicks % (P_ShuffleTicks * N) != 0 ||
                  g->quantum % (P_ShuffleTicks * N) == g->shuffle * P_ShuffleTicks + g->shuffling);
  check_evaluation(g);
  check_clustering(g);
  check_monitor(g);
}

// ---- Safety and progress ----

// Ranks are those of the state before: a permutation, urgent IPs before CPUs, CPUs that are not
// intensive before other IPs.
static void check_ranks(const golden_t *was) {
  for (uint32_t s = 0; s < N + M; s++) {
    prove_check("a rank is below the number of sources", State.rank[s] < N + M);
    for (uint32_t o = 0; o < s; o++) {
      prove_check("no two sources have one rank", State.rank[s] != State.rank[o]);
    }
  }
  for (uint32_t i = 0; i < M; i++) {
    for (uint32_t c = 0; c < N; c++) {
      const bool first = State.rank[N + i] < State.rank[c];
      prove_check("an urgent IP goes before every CPU", !was->ips[i].urgent || first);
      prove_check("a CPU that is not intensive goes before an IP that is not urgent",
                  was->ips[i].urgent || was->cpus[c].intensive || !first);
    }
  }
}

static void check_changes(const golden_t *was) {
  const golden_t *g = golden();
  const bool quiet = !In.tick && !In.start_valid && In.finish == 0 && In.served_valid == 0 &&
                     !was->evaluates && !was->clusters;
  for (uint32_t i = 0; i < M; i++) {
    const ip_t *old = &was->ips[i], *ip = &g->ips[i];
    prove_check("P rises by 1 and falls by 5 at most",
                ip->probability <= old->probability + 1 && old->probability <= ip->probability + 5);
    prove_check("an IP rests", !quiet || memcmp(old, ip, sizeof *ip) == 0);
  }
  for (uint32_t c = 0; c < N; c++) {
    prove_check("a CPU rests", !quiet || memcmp(&was->cpus[c], &g->cpus[c], sizeof(cpu_t)) == 0);
  }
  prove_check("the first error stays", was->error == 0 || Out.error == was->error);
}

// An IP that is behind when a unit's end evaluates it has a rank below Ips within 2 Ips + 2 cycles
// of that end, unless its work is replaced.
static void follow(const golden_t *was) {
  const golden_t *g = golden();
  const bool ends = !was->evaluates && g->evaluates;
  prove_check("an evaluation is over in time", Monitor.after <= 2 * M);
  for (uint32_t i = 0; i < M; i++) {
    const ip_t *ip = &was->ips[i];
    const bool replaced = is_replaced(was, &In, i);
    const bool evaluated = was->evaluates && !was->judges && was->ip == i && was->ends_unit;
    prove_check("who was behind has a rank below Ips in time",
                Monitor.owed[i] != 2 || State.rank[N + i] < M);
    if (Monitor.owed[i] == 1 && In.progress && !replaced) {
      Monitor.owed[i] = 2;
    } else {
      const bool behind = (uint64_t)ip->served * ip->period <= (uint64_t)ip->elapsed * ip->expected;
      Monitor.owed[i] = evaluated && ip->active && !replaced && behind;
    }
  }
  Monitor.after = ends ? 1 : g->evaluates ? (uint8_t)((Monitor.after + 1) & 15) : 0;
}

void prove_step(void) {
  const golden_t was = *golden();
  prove_case("an evaluation is under way", was.evaluates);
  prove_case("a clustering is under way", was.clusters);
  prove_clock();
  check_ranks(&was);
  check_changes(&was);
  follow(&was);
}

PROVE_MONITOR_RESTART

PROVE_OUTPUTS

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("an IP is urgent", !g->ips[0].urgent);
}
