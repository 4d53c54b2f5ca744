// SPDX-License-Identifier: Apache-2.0
// The combination unit: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// The contents of empty queues and stages and of closed slots do not matter in either. The RTL
// has the line in stage A column by column.
#include "csim/units/atfim/package.c"
#include "csim/units/combination_unit/golden.c"
#include "tb/prove/wrapper.h"

enum {
  N = P_Slots,
  SlotBits = __builtin_ctz(N),
  LineBits = 1 + 32 * Texels,
  RefusedBits = 11 + 8,
  ResponseBits = 11 + 8 + 16 + 1 + 32 * Texels,
  SumBits = 10,
  Sums = Texels * Channels,
};
static const uint32_t ResponseHeader = AtfimResponseCommand | AtfimResponseFlits << 7;

PROVE_STATELESS_UNIT(combination_unit)

struct related {
  uint64_t counters[CombinationUnitCounters], peek_data;
  uint8_t line_head, line_tail, line_count, tag_head, tag_tail, tag_count;
  uint8_t refused_head, refused_tail, refused_count, response_head, response_tail, response_count;
  uint32_t open;
  uint8_t error;
  bool a_valid, b_valid, free_valid;
} Related;

struct rtl {
  uint8_t line[DataDepth][(LineBits + 7) / 8], refused[RefusedDepth][(RefusedBits + 7) / 8];
  uint8_t response[ResponseDepth][(ResponseBits + 7) / 8];
  uint16_t tag[TakeDepth], id[N], mask[N];
  uint8_t epoch[N], extent[N], free_slot;
  uint8_t a_line[4 * Texels], a_parent[Texels / 2], a_slot, b_slot;
  uint8_t b_sum[Sums * SumBits / 8];
  uint16_t a_texel, b_add;
  bool a_failed, b_failed;
} Rtl;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
#define RING(member, name, word, word_bits, bits, depth)       \
  MEMBER(member##_head, name ".gen_ring.head_q", bits, 1),     \
      MEMBER(member##_tail, name ".gen_ring.tail_q", bits, 1), \
      MEMBER(member##_count, name ".count_q", bits + 1, 1),    \
      RTL(word, name ".gen_ring.words_q", word_bits, depth)
const prove_register_t Registers[] = {
    MEMBER(counters, "gen_observe.u_counters.counter_q", P_CountWidth, CombinationUnitCounters),
    MEMBER(peek_data, "gen_observe.peek_data_q", P_CountWidth, 1),
    RING(line, "u_data", line, LineBits, 2, DataDepth),
    RING(tag, "u_take", tag, 11, 1, TakeDepth),
    RING(refused, "u_refused", refused, RefusedBits, 1, RefusedDepth),
    RING(response, "u_response", response, ResponseBits, 2, ResponseDepth),
    MEMBER(open, "open_q", N, 1),
    MEMBER(error, "error_q", 2, 1),
    MEMBER(a_valid, "a_valid_q", 1, 1),
    MEMBER(b_valid, "b_valid_q", 1, 1),
    MEMBER(free_valid, "free_valid_q", 1, 1),
    RTL(id, "id_q", 11, N),
    RTL(mask, "mask_q", 16, N),
    RTL(epoch, "epoch_q", 8, N),
    RTL(extent, "extent_q", 3, N),
    RTL(free_slot, "free_slot_q", SlotBits, 1),
    RTL(a_line, "a_line_q", 32 * Texels, 1),
    RTL(a_parent, "a_parent_q", 4 * Texels, 1),
    RTL(a_texel, "a_texel_q", Texels, 1),
    RTL(a_slot, "a_slot_q", 6, 1),
    RTL(a_failed, "a_failed_q", 1, 1),
    RTL(b_slot, "b_slot_q", 6, 1),
    RTL(b_add, "b_add_q", 16, 1),
    RTL(b_failed, "b_failed_q", 1, 1),
    RTL(b_sum, "b_sum_q", Sums *SumBits, 1),
};

static golden_t *golden(void) { return Engine.self; }

static uint8_t tail(const ring_t *r, uint32_t depth) {
  return (uint8_t)((r->head + r->count) % depth);
}

void prove_relate(void) {
  const golden_t *g = golden();
  Related = (struct related){
      .peek_data = g->out.peek_data,
      .line_head = (uint8_t)g->line_ring.head,
      .line_tail = tail(&g->line_ring, DataDepth),
      .line_count = (uint8_t)g->line_ring.count,
      .tag_head = (uint8_t)g->tag_ring.head,
      .tag_tail = tail(&g->tag_ring, TakeDepth),
      .tag_count = (uint8_t)g->tag_ring.count,
      .refused_head = (uint8_t)g->refused_ring.head,
      .refused_tail = tail(&g->refused_ring, RefusedDepth),
      .refused_count = (uint8_t)g->refused_ring.count,
      .response_head = (uint8_t)g->response_ring.head,
      .response_tail = tail(&g->response_ring, ResponseDepth),
      .response_count = (uint8_t)g->response_ring.count,
      .error = g->out.error,
      .a_valid = g->a_valid,
      .b_valid = g->out.update_valid,
      .free_valid = g->out.free_valid,
  };
  memcpy(Related.counters, g->counters, sizeof Related.counters);
  for (uint32_t s = 0; s < N; s++) {
    Related.open |= (uint32_t)g->packages[s].open << s;
  }
}

static void narrow_ring(ring_t *r, uint32_t depth) {
  r->head %= depth;
  r->count = r->count > depth ? 0 : r->count & (2 * depth - 1);
}

static void narrow_monitor(void);

void prove_narrow(void) {
  golden_t *g = golden();
  combination_unit_out_t *out = &g->out;
  narrow_monitor();
  narrow_ring(&g->line_ring, DataDepth);
  narrow_ring(&g->tag_ring, TakeDepth);
  narrow_ring(&g->refused_ring, RefusedDepth);
  narrow_ring(&g->response_ring, ResponseDepth);
  for (uint32_t s = N; s < MaxSlots; s++) {
    g->packages[s] = (package_t){0};
  }
  for (uint32_t i = 0; i < ResponseDepth; i++) {
    g->responses[i][0] &= ~(1u << 23);
    g->responses[i][1] &= 0x1ffff;
  }
  for (uint32_t i = 0; i < Sums; i++) {
    out->update.sum[i] &= (1u << SumBits) - 1;
  }
  if (!out->update_valid) {
    out->update = (parent_texel_buffer_update_t){0};
  }
  out->quiescent = false;
  out->error &= 3;
  out->peek_data &= (UINT64_C(1) << P_CountWidth) - 1;
  out->free_slot = out->free_valid ? out->free_slot % N : 0;
  show_response(g);
  outputs(g);
}

// ---- The invariant ----

// Where the RTL has a texel of the line in stage A.
static uint32_t place(const child_consolidation_run_t *run, uint32_t t) {
  return run->along_y ? t : 4 * (t % 4) + t / 4;
}

static uint32_t at(const ring_t *r, uint32_t depth, uint32_t k) { return (r->head + k) % depth; }

static void check_texels(const char *what, bool is_held, const uint8_t *word, uint32_t from,
                         const uint32_t *texel) {
  for (uint32_t i = 0; i < Texels; i++) {
    prove_check(what, !is_held || prove_bits(word, from + 32 * i, 32) == texel[i]);
  }
}

// Whether a place of a ring holds something.
static bool holds(const ring_t *r, uint32_t depth, uint32_t i) {
  return ((i - r->head) & (depth - 1)) < r->count;
}

static void check_queues(const golden_t *g) {
  for (uint32_t i = 0; i < DataDepth; i++) {
    const bool is_held = holds(&g->line_ring, DataDepth, i);
    check_texels("a line in the queue", is_held, Rtl.line[i], 0, g->lines[i].data);
    prove_check("a failed line in the queue",
                !is_held || prove_bits(Rtl.line[i], LineBits - 1, 1) == g->lines[i].failed);
  }
  for (uint32_t i = 0; i < TakeDepth; i++) {
    prove_check("a tag in the queue",
                !holds(&g->tag_ring, TakeDepth, i) || Rtl.tag[i] == g->tags[i]);
  }
  for (uint32_t i = 0; i < RefusedDepth; i++) {
    const atfim_response_t *r = &g->refused[i];
    prove_check("a refused package in the queue",
                !holds(&g->refused_ring, RefusedDepth, i) ||
                    (r->refused && prove_bits(Rtl.refused[i], 0, 11) == r->id &&
                     prove_bits(Rtl.refused[i], 11, 8) == r->epoch));
  }
  for (uint32_t i = 0; i < ResponseDepth; i++) {
    const bool is_held = holds(&g->response_ring, ResponseDepth, i);
    const uint32_t *r = g->responses[i];
    const uint8_t *word = Rtl.response[i];
    const uint32_t header = ResponseHeader | (uint32_t)prove_bits(word, 0, 11) << 12 |
                            (uint32_t)prove_bits(word, 11, 8) << 24;
    prove_check("a response in the queue",
                !is_held || (r[0] == header && r[1] == prove_bits(word, 19, 17)));
    check_texels("a response's texels", is_held, word, 36, &r[2]);
  }
}

static void check_stages(const golden_t *g) {
  const parent_texel_buffer_update_t *u = &g->out.update;
  bool same = Rtl.a_slot == g->a.slot && Rtl.a_failed == g->a_line.failed;
  for (uint32_t t = 0; t < Texels; t++) {
    const uint32_t i = place(&g->a, t);
    for (uint32_t y = 0; y < 2; y++) {
      const uint32_t here = y ? t : 4 * (t % 4) + t / 4;
      const bool match = (Rtl.a_texel >> here & 1) == (g->a.texel >> t & 1) &&
                         prove_bits(Rtl.a_parent, 4 * here, 4) == g->a.parent[t] &&
                         prove_bits(Rtl.a_line, 32 * here, 32) == g->a_line.data[t];
      same &= i != here || match;
    }
  }
  prove_check("stage A", !g->a_valid || same);
  prove_check("stage B", !g->out.update_valid || (Rtl.b_slot == u->slot && Rtl.b_add == u->add &&
                                                  u->failed == (Rtl.b_failed ? u->add : 0)));
  // Bit by bit, from the lowest: each helps with the next.
  for (uint32_t i = 0; i < Sums * SumBits; i++) {
    prove_check("a sum in stage B",
                !g->out.update_valid || (u->sum[i / SumBits] >> i % SumBits & 1) ==
                                            (Rtl.b_failed ? 0 : prove_bits(Rtl.b_sum, i, 1)));
  }
  prove_check("the slot that came free", !g->out.free_valid || Rtl.free_slot == g->out.free_slot);
}

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  check_queues(g);
  check_stages(g);
  for (uint32_t s = 0; s < N; s++) {
    const package_t *p = &g->packages[s];
    prove_check(
        "a package in process",
        !p->open || (Rtl.id[s] == p->id && Rtl.epoch[s] == p->epoch && Rtl.mask[s] == p->mask &&
                     Rtl.extent[s] == p->extent && p->extent >= 1 && p->extent <= MaxExtent));
  }
  check_monitor(g);
}

// ---- Safety and progress, on the ports ----

typedef struct {
  uint16_t id;
  uint8_t epoch;
  bool refused;
} sent_t;

// Tags of lines that were kept and not taken; lines that no last or void run has ended; of each
// slot the request whose row has not come; refused requests, and responses, that have not left: the
// oldest first; the run of the last cycle, unless it was void.
struct {
  uint16_t tag[TakeDepth], parents;
  uint8_t tags, lines, slot, refusals, responses;
  uint32_t open;
  bool runs;
  sent_t package[N], refused[RefusedDepth], response[ResponseDepth];
} Monitor;

static void narrow_monitor(void) {
  Monitor.tags = Monitor.tags > TakeDepth ? 0 : Monitor.tags & 3;
  Monitor.lines = Monitor.lines > DataDepth ? 0 : Monitor.lines & 7;
  Monitor.refusals = Monitor.refusals > RefusedDepth ? 0 : Monitor.refusals & 3;
  Monitor.responses = Monitor.responses > ResponseDepth ? 0 : Monitor.responses & 7;
  Monitor.open &= UINT32_MAX >> (32 - N);
}

static bool same_sent(const sent_t *s, uint32_t id, uint32_t epoch, bool refused) {
  return s->id == id && s->epoch == epoch && s->refused == refused;
}

static bool same_response(const sent_t *s, const uint32_t *words) {
  return same_sent(s, words[0] >> 12 & 0x7ff, words[0] >> 24, words[1] >> 16 & 1);
}

static void check_monitor(const golden_t *g) {
  prove_check("the ports tell what waits",
              Monitor.tags == g->tag_ring.count && Monitor.lines == g->line_ring.count &&
                  Monitor.refusals == g->refused_ring.count &&
                  Monitor.responses == g->response_ring.count && Monitor.runs == g->a_valid);
  for (uint32_t k = 0; k < TakeDepth; k++) {
    prove_check(
        "tags in their order",
        k >= g->tag_ring.count || Monitor.tag[k] == g->tags[at(&g->tag_ring, TakeDepth, k)]);
  }
  for (uint32_t s = 0; s < N; s++) {
    const package_t *p = &g->packages[s];
    prove_check("the ports tell the packages in process",
                (Monitor.open >> s & 1) == p->open &&
                    (!p->open || same_sent(&Monitor.package[s], p->id, p->epoch, false)));
  }
  for (uint32_t k = 0; k < RefusedDepth; k++) {
    const atfim_response_t *r = &g->refused[at(&g->refused_ring, RefusedDepth, k)];
    prove_check(
        "refused packages in their order",
        k >= g->refused_ring.count || same_sent(&Monitor.refused[k], r->id, r->epoch, true));
  }
  for (uint32_t k = 0; k < ResponseDepth; k++) {
    const uint32_t *words = g->responses[at(&g->response_ring, ResponseDepth, k)];
    prove_check("responses in their order",
                k >= g->response_ring.count || same_response(&Monitor.response[k], words));
  }
  bool same_run = g->a.slot == Monitor.slot;
  uint32_t parents = 0;
  for (uint32_t t = 0; t < Texels; t++) {
    parents |= (g->a.texel >> t & 1u) << g->a.parent[t];
  }
  prove_check("the run of the last cycle", !g->a_valid || (same_run && parents == Monitor.parents));
}

// Notes what was accepted at the ports, before the clock.
typedef struct {
  bool data, take, run, request, row, response, refusal;
} accepted_t;

static void follow_lines(const accepted_t *a, const combination_unit_out_t *was) {
  prove_check("a tag is of the oldest line that was not taken",
              !was->take_valid || (Monitor.tags > 0 && was->take_tag == Monitor.tag[0]));
  prove_check("a tag waits as long as a line was not taken", was->take_valid == (Monitor.tags > 0));
  if (a->take) {
    Monitor.tag[0] = Monitor.tag[1];
    Monitor.tags--;
  }
  if (a->data && In.data.epoch == In.epoch) {
    Monitor.tag[Monitor.tags++ % TakeDepth] = In.data.tag;
    Monitor.lines++;
  }
  Monitor.lines -= a->run && (In.run.is_void || In.run.last);
}

static void push_response(sent_t s) { Monitor.response[Monitor.responses++ % ResponseDepth] = s; }

static void follow_packages(const accepted_t *a, const combination_unit_out_t *was) {
  const uint32_t r = In.request.slot % N, s = In.row.slot % N;
  const bool opens = a->request && !In.request.refused && In.request.slot < N &&
                     !(Monitor.open >> r & 1) && In.request.extent >= 1 &&
                     In.request.extent <= MaxExtent;
  const bool closes = a->row && In.row.slot < N && (Monitor.open >> s & 1);
  prove_check("a response is of the oldest row or refusal that was not answered",
              !was->response_valid ||
                  (Monitor.responses > 0 && same_response(&Monitor.response[0], was->response)));
  if (a->response) {
    for (uint32_t k = 0; k + 1 < ResponseDepth; k++) {
      Monitor.response[k] = Monitor.response[k + 1];
    }
    Monitor.responses--;
  }
  if (closes) {
    push_response(Monitor.package[s]);
    Monitor.open &= ~(1u << s);
  } else if (a->refusal) {
    push_response(Monitor.refused[0]);
    Monitor.refused[0] = Monitor.refused[1];
    Monitor.refusals--;
  }
  const sent_t sent = {In.request.id, In.request.epoch, In.request.refused};
  if (opens) {
    Monitor.package[r] = sent;
    Monitor.open |= 1u << r;
  } else if (a->request && In.request.refused) {
    Monitor.refused[Monitor.refusals++ % RefusedDepth] = sent;
  }
  prove_check("a row of a package in process frees its slot, and nothing else does",
              Out.free_valid == closes && (!closes || Out.free_slot == s));
  prove_check(
      "what is refused raises an error",
      Out.error != 0 || ((!a->request || In.request.refused || opens) && (!a->row || closes)));
}

static void follow_run(const accepted_t *a) {
  uint32_t parents = 0;
  prove_check("a run is an update two cycles later, of its slot and parents",
              Out.update_valid == Monitor.runs &&
                  (!Monitor.runs ||
                   (Out.update.slot == Monitor.slot && Out.update.add == Monitor.parents)));
  Monitor.runs = a->run && !In.run.is_void;
  for (uint32_t t = 0; t < Texels; t++) {
    parents |= (In.run.texel >> t & 1u) << In.run.parent[t];
  }
  Monitor.slot = Monitor.runs ? In.run.slot : Monitor.slot;
  Monitor.parents = Monitor.runs ? (uint16_t)parents : Monitor.parents;
}

static void check_progress(const accepted_t *a, const combination_unit_out_t *was) {
  prove_check("a tag is held until it is taken",
              !was->take_valid || a->take || (Out.take_valid && Out.take_tag == was->take_tag));
  prove_check(
      "a response is held until it is taken",
      !was->response_valid || a->response ||
          (Out.response_valid && memcmp(Out.response, was->response, sizeof Out.response) == 0));
  prove_check("a response stands in the cycle after its row or refusal",
              Out.response_valid == (Monitor.responses > 0));
  prove_check("a row is taken in the cycle after a response", !a->response || Out.row_ready);
  prove_check("a run is taken as long as a line has not ended",
              Out.run_ready == (Monitor.lines > 0));
  prove_check("a line is taken where less than four lines and two tags wait",
              Out.data_ready == (Monitor.lines < DataDepth && Monitor.tags < TakeDepth));
  prove_check("a request is taken where less than two refusals wait",
              Out.request_ready == (Monitor.refusals < RefusedDepth));
  prove_check("the first error stays", was->error == 0 || Out.error == was->error);
}

void prove_step(void) {
  const combination_unit_out_t was = golden()->out;
  const accepted_t a = {
      .data = In.data_valid && was.data_ready,
      .take = was.take_valid && In.take_ready,
      .run = In.run_valid && was.run_ready,
      .request = In.request_valid && was.request_ready,
      .row = In.row_valid && was.row_ready,
      .response = was.response_valid && In.response_ready,
      .refusal = Monitor.refusals > 0 && was.row_ready && !In.row_valid,
  };
  prove_clock();
  follow_lines(&a, &was);
  follow_packages(&a, &was);
  follow_run(&a);
  check_progress(&a, &was);
}

PROVE_MONITOR_RESTART

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("four lines wait", g->line_ring.count < DataDepth);
  prove_check("two tags wait", g->tag_ring.count < TakeDepth);
  prove_check("two refused packages wait", g->refused_ring.count < RefusedDepth);
  prove_check(
      "a response of each kind waits",
      g->response_ring.count < 2 || Monitor.response[0].refused == Monitor.response[1].refused);
  prove_check("a parent of four texels", !g->out.update_valid || g->out.update.sum[0] <= 3 * 255);
}
