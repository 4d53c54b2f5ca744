// SPDX-License-Identifier: Apache-2.0
// The parent texel buffer: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// The contents of a bank for a parent that is not begun, and of the queue's words that are not in
// the queue, is of no matter in the RTL and 0 in the golden model.
#include "csim/units/parent_texel_buffer/golden.c"
#include "tb/prove/wrapper.h"

enum { N = P_Slots, IndexBits = __builtin_ctz(N), CountBits = IndexBits + 1, RowBytes = 96 };

PROVE_STATELESS_UNIT(parent_texel_buffer)

struct related {
  uint64_t peek_data;
  uint16_t begun[N];
  uint8_t left[N], head, tail, count, error;
  bool seen[N], beat_write, update_write;
} Related;

struct rtl {
  uint8_t value[N][RowBytes];
  uint16_t failed[N];
  uint8_t complete[N], beat_slot, update_slot;
} Rtl;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
const prove_register_t Registers[] = {
    MEMBER(peek_data, "gen_observe.peek_data_q", 59, 1),
    MEMBER(begun, "begun_q", 16, N),
    MEMBER(left, "left_q", 8, N),
    MEMBER(head, "u_complete.gen_ring.head_q", IndexBits, 1),
    MEMBER(tail, "u_complete.gen_ring.tail_q", IndexBits, 1),
    MEMBER(count, "u_complete.count_q", CountBits, 1),
    MEMBER(error, "error_q", 2, 1),
    MEMBER(seen, "seen_q", 1, N),
    MEMBER(beat_write, "gen_observe.beat_write_q", 1, 1),
    MEMBER(update_write, "gen_observe.update_write_q", 1, 1),
    RTL(value, "value_q", 8 * RowBytes, N),
    RTL(failed, "failed_q", 16, N),
    RTL(complete, "u_complete.gen_ring.words_q", IndexBits, N),
    RTL(beat_slot, "gen_observe.beat_slot_q", IndexBits, 1),
    RTL(update_slot, "gen_observe.update_slot_q", IndexBits, 1),
};

static golden_t *golden(void) { return Engine.self; }

void prove_relate(void) {
  const golden_t *g = golden();
  Related = (struct related){
      .peek_data = g->out.peek_data,
      .head = (uint8_t)g->head,
      .tail = (uint8_t)((g->head + g->count) % N),
      .count = (uint8_t)g->count,
      .error = g->out.error,
      .beat_write = g->out.beat_write_valid,
      .update_write = g->out.update_write_valid,
  };
  for (uint32_t s = 0; s < N; s++) {
    Related.begun[s] = g->row[s].begun;
    Related.left[s] = g->row[s].left;
    Related.seen[s] = g->row[s].seen;
  }
}

// Relates the outputs to the rows that they show.
static void narrow_shown(golden_t *g) {
  parent_texel_buffer_out_t *out = &g->out;
  out->quiescent = false;
  out->error &= 3;
  out->peek_data &= UINT64_MAX >> 5;
  show_row(g);
  out->beat_write_slot = out->beat_write_valid ? out->beat_write_slot % N : 0;
  out->update_write_slot = out->update_write_valid ? out->update_write_slot % N : 0;
  const row_t none = {0};
  const row_t *row = out->beat_write_valid ? &g->row[out->beat_write_slot] : &none;
  out->beat_write_left = row->left;
  out->beat_write_seen = row->seen;
  row = out->update_write_valid ? &g->row[out->update_write_slot] : &none;
  out->update_write_left = row->left;
  out->update_write_begun = row->begun;
  out->update_write_failed = row->failed;
  memcpy(out->update_write_value, row->value, sizeof row->value);
}

void prove_narrow(void) {
  golden_t *g = golden();
  g->slots = N;
  g->observe = true;
  g->head %= N;
  g->count &= 2 * N - 1;
  g->count = g->count > N ? 0 : g->count;
  for (uint32_t s = 0; s < MaxSlots; s++) {
    row_t *row = &g->row[s];
    g->complete[s] = s < N ? g->complete[s] % N : 0;
    if (s >= N) {
      clear(row);
    }
    for (uint32_t i = 0; i < Parents * Channels && s < N; i++) {
      row->value[i] &= row->begun >> i / Channels & 1 ? ChannelMask : 0;
    }
    row->failed &= row->begun;
  }
  narrow_shown(g);
}

static uint64_t packed(const row_t *row, uint32_t p) {
  uint64_t value = 0;
  for (uint32_t c = 0; c < Channels; c++) {
    value |= (uint64_t)row->value[Channels * p + c] << (12 * c);
  }
  return value;
}

static uint64_t held(uint32_t slot, uint32_t p) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < RowBytes / Parents; i++) {
    value |= (uint64_t)Rtl.value[slot][RowBytes / Parents * p + i] << (8 * i);
  }
  return value;
}

// How many rows leave before the one at this place of the ring.
static uint32_t place_in_queue(const golden_t *g, uint32_t at) { return (at - g->head) % N; }

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  for (uint32_t at = 0; at < N; at++) {
    const row_t *row = &g->row[g->complete[at] % N];
    if (place_in_queue(g, at) < g->count) {
      prove_check("the queue of complete rows", Rtl.complete[at] == g->complete[at]);
      prove_check("a row in the queue is complete", row->seen && row->left == 0);
    }
    for (uint32_t k = 0; k < at; k++) {
      prove_check("a row is in the queue once", place_in_queue(g, at) >= g->count ||
                                                    place_in_queue(g, k) >= g->count ||
                                                    g->complete[at] != g->complete[k]);
    }
  }
  uint32_t complete = 0;
  for (uint32_t s = 0; s < N; s++) {
    const row_t *row = &g->row[s];
    bool is_queued = false;
    complete += row->seen && row->left == 0;
    for (uint32_t at = 0; at < N; at++) {
      is_queued |= place_in_queue(g, at) < g->count && g->complete[at] == s;
    }
    prove_check("a complete row is in the queue", is_queued || !row->seen || row->left > 0);
    for (uint32_t p = 0; p < Parents; p++) {
      if (row->begun >> p & 1) {
        prove_check("a parent's values", held(s, p) == packed(row, p));
        prove_check("a parent's failure", (Rtl.failed[s] >> p & 1) == (row->failed >> p & 1));
      }
    }
  }
  prove_check("as many rows are in the queue as are complete", complete == g->count);
  prove_check("the slot of the last beat",
              !g->out.beat_write_valid || Rtl.beat_slot == g->out.beat_write_slot);
  prove_check("the slot of the last update",
              !g->out.update_write_valid || Rtl.update_slot == g->out.update_write_slot);
  check_monitor(g);
}

// ---- Safety and progress, on the ports ----

// Each slot, by beats and updates that are not refused: beats that have not come back; the last
// beat was; the row is complete and has not been taken, in that order (turn), and how many others
// were taken meanwhile.
struct {
  uint8_t beats[N], turn[N], taken[N];
  bool last[N], complete[N];
} Monitor;

static uint32_t complete_rows(void) {
  uint32_t count = 0;
  for (uint32_t s = 0; s < N; s++) {
    count += Monitor.complete[s];
  }
  return count;
}

static void check_monitor(const golden_t *g) {
  for (uint32_t s = 0; s < N; s++) {
    prove_check("the ports tell the beats under way",
                Monitor.beats[s] == g->row[s].left && Monitor.last[s] == g->row[s].seen);
    prove_check("a row is complete when all its beats have come back",
                Monitor.complete[s] == (Monitor.last[s] && Monitor.beats[s] == 0));
    bool in_turn = !Monitor.complete[s];
    for (uint32_t at = 0; at < N; at++) {
      const uint32_t turn = place_in_queue(g, at);
      in_turn |= turn < g->count && g->complete[at] == s && Monitor.turn[s] == turn;
    }
    prove_check("rows leave in the order in which they are complete", in_turn);
    prove_check("a complete row leaves after fewer than Slots others",
                !Monitor.complete[s] || Monitor.taken[s] + Monitor.turn[s] < N);
  }
  prove_check("a complete row is offered at once", g->out.row_valid == (complete_rows() > 0));
}

static void follow_row(const parent_texel_buffer_out_t *was) {
  for (uint32_t s = 0; s < N; s++) {
    if (Monitor.complete[s] && s != was->row.slot) {
      Monitor.turn[s]--;
      Monitor.taken[s]++;
    }
  }
  const uint32_t slot = was->row.slot % N;
  prove_check("only a complete row leaves",
              was->row.slot < N && Monitor.complete[slot] && Monitor.turn[slot] == 0);
  Monitor.complete[slot] = Monitor.last[slot] = false;
}

void prove_step(void) {
  const parent_texel_buffer_out_t was = golden()->out;
  const uint32_t b = In.beat.slot % N, u = In.update.slot % N;
  const bool beats =
      In.beat_valid && In.beat.slot < N && !Monitor.last[b] && Monitor.beats[b] < MostLeft;
  const bool updates = In.update_valid && In.update.slot < N && Monitor.beats[u] > 0;
  const bool completes = updates && Monitor.last[u] && Monitor.beats[u] == 1;
  const uint32_t waiting = complete_rows();
  const bool leaves = was.row_valid && In.row_ready;
  prove_clock();
  if (leaves) {
    follow_row(&was);
  } else {
    prove_check("a row is held until it is taken",
                !was.row_valid || (Out.row_valid && Out.row.slot == was.row.slot &&
                                   Out.row.failed == was.row.failed &&
                                   !memcmp(Out.row.value, was.row.value, sizeof was.row.value)));
  }
  Monitor.beats[b] += beats;
  Monitor.last[b] |= beats && In.beat.last;
  Monitor.beats[u] -= updates;
  if (completes) {
    Monitor.complete[u] = true;
    Monitor.turn[u] = (uint8_t)(waiting - leaves);
    Monitor.taken[u] = 0;
  }
  prove_check("the first error stays", was.error == 0 || Out.error == was.error);
  prove_check("what is refused raises an error",
              Out.error != 0 || (In.beat_valid == beats && In.update_valid == updates));
}

PROVE_MONITOR_RESTART

void prove_cover(void) {
  prove_check("two rows wait", golden()->count < 2);
  prove_check("a value beyond 10 bits", golden()->row[0].value[0] < 1024);
}
