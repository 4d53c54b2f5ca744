// SPDX-License-Identifier: Apache-2.0
// The offloading unit: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// In a free slot's memory, in queue words that hold nothing and in a stage that holds nothing, RTL
// and golden model need not agree.
#include "csim/units/atfim/package.c"
#include "csim/units/offload_unit/golden.c"
#include "tb/prove/wrapper.h"

enum {
  N = P_NumTextureUnits,
  S = P_Slots,
  SlotBits = __builtin_ctz(S),
  SlotWidth = S > 1 ? SlotBits : 1,
  UnitWidth = N <= 2 ? 1 : 32 - __builtin_clz(N - 1),
  IdBits = UnitWidth + SlotBits,
  PackageBits = IdBits + 8 + 32 * AtfimRequestWords,
  AnswerBits = IdBits + 16 + 1 + 32 * AtfimParents,
};
static const uint32_t AllSlots = UINT32_MAX >> (MaxSlots - S);

PROVE_UNIT(offload_unit)

const bool FindRelation = true;
struct related {
  uint64_t counters[OffloadUnitCounters], peek_data;
  uint32_t free[N], pending[N], waiting[N];
  uint8_t package_tail, responses;
} Related;

struct rtl {
  uint8_t package[PackageDepth][(PackageBits + 7) / 8], answer[ResponseDepth][(AnswerBits + 7) / 8];
  uint8_t memory[N][S][4 * AtfimRequestWords], read[N][4 * AtfimRequestWords];
  uint16_t stage_id;
  uint8_t stage_epoch, stage_unit, answer_head, answer_tail;
} Rtl;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
#if P_Slots == 1
#define WORD "[0]"
#else
#define WORD ""
#endif
#define MEMORY(unit)                                                        \
  RTL(memory[unit], "gen_unit[" #unit "].u_requests.u_memory.words_q" WORD, \
      32 * AtfimRequestWords, S)
const prove_register_t Registers[] = {
    MEMBER(counters, "gen_observe.u_counters.counter_q", P_CountWidth, OffloadUnitCounters),
    MEMBER(peek_data, "gen_observe.peek_data_q", P_CountWidth, 1),
    MEMBER(free, "gen_unit[%u].free_q", S, N),
    MEMBER(pending, "gen_unit[%u].pending_q", S, N),
    MEMBER(waiting, "gen_unit[%u].waiting_q", S, N),
    MEMBER(responses, "u_responses.count_q", 2, 1),
    MEMBER(package_tail, "u_packages.gen_ring.tail_q", 2, 1),
    RTL(package, "u_packages.gen_ring.words_q", PackageBits, PackageDepth),
    RTL(answer, "u_responses.gen_ring.words_q", AnswerBits, ResponseDepth),
    RTL(answer_head, "u_responses.gen_ring.head_q", 1, 1),
    RTL(answer_tail, "u_responses.gen_ring.tail_q", 1, 1),
    RTL(read, "gen_unit[%u].u_requests.u_memory.a_data_q", 32 * AtfimRequestWords, N),
    RTL(stage_id, "s_id_q", IdBits, 1),
    RTL(stage_epoch, "s_epoch_q", 8, 1),
    RTL(stage_unit, "s_unit_q", UnitWidth, 1),
    MEMORY(0),
    MEMORY(1),
#if P_NumTextureUnits > 2
    MEMORY(2),
    MEMORY(3),
#endif
#if P_NumTextureUnits > 4
    MEMORY(4),
    MEMORY(5),
    MEMORY(6),
    MEMORY(7),
    MEMORY(8),
    MEMORY(9),
    MEMORY(10),
    MEMORY(11),
    MEMORY(12),
    MEMORY(13),
    MEMORY(14),
    MEMORY(15),
#endif
};
_Static_assert(N == 2 || N == 4 || N == 16, "a memory of each unit, in Registers");

static golden_t *golden(void) { return Engine.self; }

void prove_relate(void) {
  const golden_t *g = golden();
  Related = (struct related){
      .peek_data = g->peek_data,
      .package_tail = (uint8_t)((g->package_head + g->packages) % PackageDepth),
      .responses = (uint8_t)g->responses,
  };
  memcpy(Related.counters, g->counters, sizeof Related.counters);
  memcpy(Related.free, g->slot.free, sizeof Related.free);
  memcpy(Related.pending, g->slot.pending, sizeof Related.pending);
  memcpy(Related.waiting, g->slot.waiting, sizeof Related.waiting);
}

static void narrow_monitor(void);

static void narrow_slots(golden_t *g) {
  g->free_units = g->pending_units = 0;
  for (uint32_t u = 0; u < OffloadUnitMaxUnits; u++) {
    const uint32_t mask = u < N ? AllSlots : 0;
    g->slot.free[u] &= mask;
    g->slot.pending[u] &= mask;
    g->slot.waiting[u] &= mask;
    g->next[u] &= u < N ? S - 1 : 0;
    g->free_units |= (uint64_t)(g->slot.free[u] != 0) << u;
    g->pending_units |= (uint64_t)(g->slot.pending[u] != 0) << u;
    for (uint32_t s = 0; s < MaxSlots; s++) {
      if (u >= N || s >= S) {
        memset(g->request[u][s], 0, sizeof g->request[u][s]);
      }
    }
  }
}

void prove_narrow(void) {
  golden_t *g = golden();
  narrow_slots(g);
  narrow_monitor();
  g->last = g->last < N ? g->last & ((1u << UnitWidth) - 1) : 0;
  g->packages = g->packages > PackageDepth ? 0 : g->packages & 7;
  g->package_head %= PackageDepth;
  g->responses = g->responses > ResponseDepth ? 0 : g->responses & 3;
  g->error &= 3;
  g->stage.id %= N * S;
  g->peek_data &= g->counter_mask;
  for (uint32_t i = 0; i < OffloadUnitCounters; i++) {
    g->counters[i] &= g->counter_mask;
  }
  for (uint32_t i = 0; i < PackageDepth; i++) {
    g->package[i].from.id %= N * S;
  }
  for (uint32_t i = 0; i < ResponseDepth; i++) {
    g->answer[i].unit %= N;
    g->answer[i].slot %= S;
  }
}

// ---- The invariant ----

static bool bit(uint32_t mask, uint32_t i) { return mask >> i & 1; }

static bool same_request(const uint8_t *word, uint32_t from, const uint32_t *request) {
  bool same = true;
  for (uint32_t i = 0; i < AtfimRequestWords; i++) {
    same &= prove_bits(word, from + 32 * i, 32) == request[i];
  }
  return same;
}

static void check_queues(const golden_t *g) {
  for (uint32_t k = 0; k < PackageDepth; k++) {
    const uint32_t at = (g->package_head + k) % PackageDepth;
    const package_t *p = &g->package[at];
    const uint8_t *word = Rtl.package[at];
    prove_check("a package in the queue",
                k >= g->packages || (prove_bits(word, 0, IdBits) == p->from.id &&
                                     prove_bits(word, IdBits, 8) == p->from.epoch &&
                                     same_request(word, IdBits + 8, p->request)));
  }
  for (uint32_t k = 0; k < ResponseDepth; k++) {
    const answer_t *a = &g->answer[k];
    const uint8_t *word = Rtl.answer[(Rtl.answer_head + k) % ResponseDepth];
    bool same = prove_bits(word, 0, IdBits) == (uint32_t)(a->unit << SlotBits | a->slot) &&
                prove_bits(word, IdBits, 16) == a->failed &&
                prove_bits(word, IdBits + 16, 1) == a->refused;
    for (uint32_t i = 0; i < AtfimParents; i++) {
      same &= prove_bits(word, IdBits + 17 + 32 * i, 32) == a->texel[i];
    }
    prove_check("an answer in the queue", k >= g->responses || same);
  }
  prove_check("the queue of answers is a ring",
              Rtl.answer_tail == (Rtl.answer_head + g->responses) % ResponseDepth);
}

static void check_stage(const golden_t *g) {
  const uint32_t unit = g->stage.id >> SlotBits, slot = g->stage.id % S;
  prove_check("the stage",
              !g->staged || (Rtl.stage_id == g->stage.id && Rtl.stage_epoch == g->stage.epoch &&
                             Rtl.stage_unit == unit));
  for (uint32_t u = 0; u < N; u++) {
    prove_check("the request of the stage",
                !g->staged || unit != u || same_request(Rtl.read[u], 0, g->request[u][slot]));
  }
  prove_check("the package queue takes what is read", g->packages + g->staged <= PackageDepth);
}

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  uint32_t answered[N] = {0}, answers = 0;
  for (uint32_t k = 0; k < ResponseDepth; k++) {
    if (k < g->responses) {
      answered[g->answer[k].unit % N] |= 1u << g->answer[k].slot % S;
    }
  }
  for (uint32_t u = 0; u < N; u++) {
    const uint32_t f = g->slot.free[u], p = g->slot.pending[u], w = g->slot.waiting[u];
    answers += (uint32_t)__builtin_popcount(answered[u]);
    prove_check("a slot is in one state",
                !(f & p) && !(f & w) && !(p & w) && answered[u] == (AllSlots & ~(f | p | w)));
    for (uint32_t s = 0; s < S; s++) {
      prove_check("the request of a slot",
                  bit(f, s) || same_request(Rtl.memory[u][s], 0, g->request[u][s]));
    }
  }
  prove_check("a slot has one answer", answers == g->responses);
  check_queues(g);
  check_stage(g);
  check_monitor(g);
}

// ---- Safety and progress, on the ports ----

// A package leaves after at most so many cycles in which the link is ready.
enum { MostWaited = N * S + 4, WaitedBits = 32 - __builtin_clz(MostWaited) };

// Each slot: its request as it was accepted; whether it is open, from then until its answer is
// taken; whether it is unsent: no package of it has left since it was accepted or sent anew; and
// for how many cycles in which the link was ready. Of answers that are not taken: the response.
// is_misused: a package was answered before it had left, or an epoch is used again while packages
// of it are inside; of packages nothing is said from then on.
struct {
  uint32_t request[N][S][AtfimRequestWords], open[N], unsent[N];
  uint32_t response[ResponseDepth][AtfimResponseWords];
  uint16_t waited[N][S];
  uint8_t answers;
  bool is_misused;
} Monitor;

static void narrow_monitor(void) {
  for (uint32_t u = 0; u < N; u++) {
    Monitor.open[u] &= AllSlots;
    Monitor.unsent[u] &= AllSlots;
    for (uint32_t s = 0; s < S; s++) {
      uint16_t *waited = &Monitor.waited[u][s];
      *waited = *waited > MostWaited ? 0 : *waited & ((1 << WaitedBits) - 1);
    }
  }
  Monitor.answers = Monitor.answers > ResponseDepth ? 0 : Monitor.answers & 3;
}

static uint32_t id_of(uint32_t header) { return header >> 12 & 0x7ff; }

static bool is_id(uint32_t id, uint32_t unit, uint32_t slot) {
  return id == (unit << SlotBits | slot);
}

// For how many cycles with a ready link a slot may yet wait: picks before its own, by round robin
// over units and slots, and what is in front of it in the queue.
static uint32_t still_waits(const golden_t *g, uint32_t u, uint32_t s, uint32_t *inside) {
  const uint32_t slots = (s - g->next[u]) % S, units = (u - g->last - 1 + N) % N;
  uint32_t waits = slots * N + units + 4 + (g->packages + g->staged == PackageDepth);
  *inside = 0;
  for (uint32_t k = 0; k < PackageDepth; k++) {
    const package_t *p = &g->package[(g->package_head + k) % PackageDepth];
    if (k < g->packages && p->from.epoch == g->slot.epoch && is_id(p->from.id, u, s)) {
      waits = k + 1;
      ++*inside;
    }
  }
  if (g->staged && g->stage.epoch == g->slot.epoch && is_id(g->stage.id, u, s)) {
    waits = (g->packages ? g->packages : 1) + 1;
    ++*inside;
  }
  return waits;
}

static void check_slot(const golden_t *g, uint32_t u, uint32_t s) {
  const bool is_unsent = bit(Monitor.unsent[u], s), waits = bit(g->slot.waiting[u], s);
  uint32_t inside;
  const uint32_t still = still_waits(g, u, s, &inside);
  prove_check("a slot keeps the request that was accepted",
              !bit(Monitor.open[u], s) ||
                  memcmp(Monitor.request[u][s], g->request[u][s], sizeof g->request[u][s]) == 0);
  if (Monitor.is_misused) {
    return;
  }
  prove_check("what is unsent is pending, or one package of it is inside",
              is_unsent == (bit(g->slot.pending[u], s) || inside > 0));
  prove_check("a package inside is of a slot that waits, and the only one",
              inside == 0 || (inside == 1 && waits));
  prove_check("a package leaves within NumTextureUnits x Slots + 4 cycles with a ready link",
              !is_unsent || Monitor.waited[u][s] + still <= MostWaited);
}

static void check_monitor(const golden_t *g) {
  for (uint32_t u = 0; u < N; u++) {
    prove_check("the ports tell the open slots", Monitor.open[u] == (AllSlots & ~g->slot.free[u]));
    for (uint32_t s = 0; s < S; s++) {
      check_slot(g, u, s);
    }
  }
  for (uint32_t k = 0; k < PackageDepth; k++) {
    const package_t *p = &g->package[(g->package_head + k) % PackageDepth];
    const uint32_t u = p->from.id >> SlotBits, s = p->from.id % S;
    prove_check("a package has the request of its slot",
                Monitor.is_misused || k >= g->packages || p->from.epoch != g->slot.epoch ||
                    (u < N && !memcmp(p->request, g->request[u][s], sizeof p->request)));
  }
  prove_check("the ports tell the answers", Monitor.answers == g->responses);
  for (uint32_t k = 0; k < ResponseDepth; k++) {
    const uint32_t *r = Monitor.response[k];
    const answer_t *a = &g->answer[k];
    prove_check(
        "an answer is what the response said",
        k >= g->responses ||
            (is_id(id_of(r[0]), a->unit, a->slot) && a->failed == (uint16_t)r[1] &&
             a->refused == (r[1] >> 16 & 1) && memcmp(a->texel, &r[2], sizeof a->texel) == 0));
  }
}

static void check_package(const offload_unit_out_t *was, uint8_t epoch) {
  const uint32_t id = id_of(was->package[0]), u = id >> SlotBits, s = id % S;
  if (was->package[0] >> 24 != epoch || Monitor.is_misused) {
    return;
  }
  prove_check(
      "a package is of a request that was not sent before, and as it was accepted",
      u < N && bit(Monitor.unsent[u % N], s) &&
          memcmp(&was->package[1], Monitor.request[u % N][s], sizeof Monitor.request[0][0]) == 0);
  Monitor.unsent[u % N] &= ~(1u << s);
}

static void check_answer(const offload_unit_out_t *was) {
  const uint32_t *r = Monitor.response[0];
  const uint32_t id = id_of(r[0]), u = id >> SlotBits, s = id % S;
  if (!was->answer_valid) {
    return;
  }
  prove_check("an answer is of an open slot, and of the oldest response",
              u < N && was->answer_valid == UINT64_C(1) << u && was->answer_slot == s &&
                  bit(Monitor.open[u % N], s));
  prove_check("an answer says what its response said",
              was->answer_failed == (uint16_t)r[1] && was->answer_refused == (r[1] >> 16 & 1) &&
                  memcmp(was->answer_texel, &r[2], sizeof was->answer_texel) == 0);
}

// The slot's answer has been taken.
static void follow_answer(void) {
  const uint32_t id = id_of(Monitor.response[0][0]);
  Monitor.open[(id >> SlotBits) % N] &= ~(1u << id % S);
  memcpy(Monitor.response[0], Monitor.response[1], sizeof Monitor.response[0]);
  Monitor.answers--;
}

// The response that is accepted: whether it answers a slot.
static bool follow_response(const golden_t *g, uint8_t epoch) {
  const uint32_t id = id_of(In.response[0]), u = id >> SlotBits, s = id % S;
  const bool is_present = In.response[0] >> 24 == epoch;
  const bool is_answer = is_present && u < N && bit(g->slot.waiting[u % N], s);
  Monitor.is_misused |= is_answer && bit(Monitor.unsent[u % N], s);
  return is_answer;
}

static void follow_requests(const offload_unit_out_t *was) {
  for (uint32_t u = 0; u < N; u++) {
    const uint32_t free = AllSlots & ~Monitor.open[u], s = was->request_slot[u] % S;
    prove_check("a unit with a free slot is asked for a request, others are not",
                (was->request_ready >> u & 1) == (free != 0));
    prove_check("the lowest free slot is offered",
                !free || (was->request_slot[u] < S && (free & -free) == 1u << s));
    if (In.request_valid >> u & was->request_ready >> u & 1) {
      memcpy(Monitor.request[u][s], In.request[u], sizeof In.request[u]);
      Monitor.open[u] |= 1u << s;
      Monitor.unsent[u] |= 1u << s;
      Monitor.waited[u][s] = 0;
    }
  }
}

static void follow_waits(void) {
  for (uint32_t u = 0; u < N; u++) {
    for (uint32_t s = 0; s < S; s++) {
      uint16_t *waited = &Monitor.waited[u][s];
      *waited = bit(Monitor.unsent[u], s) && *waited < MostWaited ? *waited + In.package_ready : 0;
    }
  }
}

static bool is_inside(const golden_t *g, uint8_t epoch) {
  bool is = g->staged && g->stage.epoch == epoch;
  for (uint32_t k = 0; k < PackageDepth; k++) {
    const package_t *p = &g->package[(g->package_head + k) % PackageDepth];
    is |= k < g->packages && p->from.epoch == epoch;
  }
  return is;
}

// Everything open that is not answered is unsent.
static void follow_reissue(void) {
  uint32_t answered[N] = {0};
  for (uint32_t k = 0; k < ResponseDepth; k++) {
    const uint32_t id = id_of(Monitor.response[k][0]);
    answered[(id >> SlotBits) % N] |= k < Monitor.answers ? 1u << id % S : 0;
  }
  for (uint32_t u = 0; u < N; u++) {
    Monitor.unsent[u] = Monitor.open[u] & ~answered[u];
    memset(Monitor.waited[u], 0, sizeof Monitor.waited[u]);
  }
}

static void check_held(const offload_unit_out_t *was, bool leaves, bool is_given) {
  prove_check("a package is held until it is taken",
              !was->package_valid || leaves ||
                  (Out.package_valid && !memcmp(Out.package, was->package, sizeof Out.package)));
  prove_check(
      "an answer is held until it is taken",
      !was->answer_valid || is_given ||
          (Out.answer_valid == was->answer_valid && Out.answer_slot == was->answer_slot &&
           Out.answer_failed == was->answer_failed && Out.answer_refused == was->answer_refused &&
           !memcmp(Out.answer_texel, was->answer_texel, sizeof Out.answer_texel)));
  prove_check("a response is answered in the cycle after it",
              (Out.answer_valid != 0) == (Monitor.answers > 0));
  prove_check("a response is taken in the cycle after an answer", !is_given || Out.response_ready);
  prove_check("the first error stays", was->error == 0 || Out.error == was->error);
}

void prove_step(void) {
  const golden_t *g = golden();
  const uint8_t epoch = g->slot.epoch;
  offload_unit_out_t was;
  outputs(g, &In, &was);
  const bool leaves = was.package_valid && In.package_ready;
  const bool is_given = (was.answer_valid & In.answer_ready) != 0;
  const bool responds = In.response_valid && was.response_ready;
  const bool is_answer = responds && follow_response(g, epoch);
  const bool is_refused = responds && !is_answer && In.response[0] >> 24 == epoch;
  const bool is_reissue = In.reissue_valid && In.reissue_epoch != epoch;
  Monitor.is_misused |= is_reissue && is_inside(g, In.reissue_epoch);
  follow_waits();
  if (leaves) {
    check_package(&was, epoch);
  }
  check_answer(&was);
  follow_requests(&was);
  prove_clock();
  if (is_given) {
    follow_answer();
  }
  if (is_answer) {
    memcpy(Monitor.response[Monitor.answers++ % ResponseDepth], In.response, sizeof In.response);
  }
  if (is_reissue) {
    follow_reissue();
  }
  check_held(&was, leaves, is_given);
  prove_check(
      "what is refused raises an error, and nothing else does",
      (Out.error != 0) == (was.error != 0 || is_refused || (In.reissue_valid && !is_reissue)));
}

PROVE_MONITOR_RESTART

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("the package queue is full", g->packages < PackageDepth);
  prove_check("two answers wait", g->responses < ResponseDepth);
  prove_check("all slots of a unit are taken", g->slot.free[0] != 0);
  prove_check("a package of an older epoch is inside, and nobody broke a rule",
              Monitor.is_misused || g->packages == 0 ||
                  g->package[g->package_head].from.epoch == g->slot.epoch);
}
