// SPDX-License-Identifier: Apache-2.0
// The composition scheduler: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).

// Called functions stay functions, to be run by value.
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#include "csim/units/composition_scheduler/golden.c"
#pragma clang attribute pop
#include "tb/prove/wrapper.h"

enum { N = P_NumGpus, IndexBits = N <= 2 ? 1 : 32 - __builtin_clz(N - 1) };

PROVE_UNIT(composition_scheduler)

static golden_t *golden(void) { return Engine.self; }

const bool FindWidths = true;

// a, and what it has to do with every b.
static void check_pair(const golden_t *g, uint32_t a, uint32_t b) {
  const composition_scheduler_state_t *t = &g->table;
  const bool is_sending = pairs_bit(t->receiving, b) && g->peer[b] == a;
  const uint32_t low = a < b ? a : b, high = a < b ? b : a;
  const uint64_t between = ((UINT64_C(1) << high) - 1) & ~((UINT64_C(2) << low) - 1);
  const bool has_between = (t->received[b] & between) == between;
  if (is_sending) {
    prove_check("a transfer is between two that are ready, in one group, of one kind",
                pairs_bit(t->ready, a) && pairs_bit(t->ready, b) && (t->cgid[a] == t->cgid[b]) &&
                    (pairs_bit(g->transparent, a) == pairs_bit(g->transparent, b)));
    prove_check("a transfer has not been before",
                !pairs_bit(t->sent[a], b) && !pairs_bit(t->received[b], a));
    prove_check("a transparent transfer comes from a neighbour of what is merged",
                !pairs_bit(g->transparent, b) || has_between);
  }
  prove_check("what is merged in a transparent group is an interval",
              !(pairs_bit(t->received[b], a) && pairs_bit(g->transparent, b)) || has_between);
  if (t->cgid[a] == t->cgid[b]) {
    prove_check("sent and received agree within a group",
                !(pairs_bit(t->ready, a) && pairs_bit(t->ready, b)) ||
                    (pairs_bit(t->sent[a], b) == pairs_bit(t->received[b], a)));
    prove_check("who has left a group has exchanged with who is in it",
                pairs_bit(t->ready, a) || !pairs_bit(t->ready, b) ||
                    (pairs_bit(t->received[b], a) && pairs_bit(t->sent[b], a)));
  }
  const bool is_ahead = t->cgid[a] == (uint8_t)(t->cgid[b] + 1);
  const bool is_behind = t->cgid[b] == (uint8_t)(t->cgid[a] + 1);
  prove_check("two groups differ by at most one",
              (t->cgid[a] == t->cgid[b]) || is_ahead || is_behind);
  prove_check("who is ahead is ready and has not exchanged with who is behind",
              !is_ahead || (pairs_bit(t->ready, a) && !pairs_bit(t->received[a], b) &&
                            !pairs_bit(t->sent[a], b)));
  prove_check("who is behind has exchanged with who is ahead",
              !is_ahead || !pairs_bit(t->ready, b) ||
                  (pairs_bit(t->received[b], a) && pairs_bit(t->sent[b], a)));
}

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  check_monitor(g);
  const composition_scheduler_state_t *t = &g->table;
  for (uint32_t a = 0; a < N; a++) {
    prove_check("nobody exchanges with itself",
                !pairs_bit(t->sent[a], a) && !pairs_bit(t->received[a], a));
    prove_check(
        "who is not ready exchanges with nobody",
        pairs_bit(t->ready, a) || (!pairs_bit(t->sending, a) && !pairs_bit(t->receiving, a) &&
                                   (t->sent[a] == 0) && (t->received[a] == 0)));
    prove_check("who waits for its release is not ready",
                !(pairs_bit(g->release, a) && pairs_bit(t->ready, a)));
    uint32_t transfers = 0;
    for (uint32_t b = 0; b < N; b++) {
      transfers += pairs_bit(t->receiving, b) && (g->peer[b] == a);
    }
    prove_check("nobody sends to itself", !(pairs_bit(t->receiving, a) && (g->peer[a] == a)));
    prove_check("who sends, sends to one", transfers == pairs_bit(t->sending, a));
    for (uint32_t b = 0; b < N; b++) {
      if (a != b) {
        check_pair(g, a, b);
      }
    }
  }
}

// ---- Safety, on the ports ----

// Transfers under way, by sender: one begins with the first cycle of its start order and ends with
// the receiver's done. is_old: the start order stood before. is_misused: a GPU broke a rule.
struct {
  uint64_t open[N];
  bool is_old;
  bool is_misused;
} Monitor;

static uint64_t one(uint32_t i) { return UINT64_C(1) << i; }

// The GPUs' duties: no illegal message; ready only outside a group and after its release; done
// only while receiving; one kind for all that are in a group or enter it in this cycle.
static bool is_misuse(const golden_t *g) {
  const composition_scheduler_state_t *t = &g->table;
  bool wrong = false;
  for (uint32_t i = 0; i < N; i++) {
    const uint8_t op = In.message[i];
    const bool is_message = pairs_bit(In.message_valid, i), is_ready = is_message && op <= 1;
    wrong |= is_message && op > CompositionSchedulerMessageDone;
    wrong |= is_ready && (pairs_bit(t->ready, i) || pairs_bit(g->release, i));
    wrong |= is_message && op == CompositionSchedulerMessageDone && !pairs_bit(t->receiving, i);
    for (uint32_t k = 0; k < N && is_ready; k++) {
      const bool is_other = pairs_bit(In.message_valid, k) && In.message[k] <= 1;
      wrong |= pairs_bit(t->ready, k) && t->cgid[k] == (uint8_t)(t->cgid[i] + 1) &&
               pairs_bit(g->transparent, k) != (op == 1);
      wrong |= is_other && t->cgid[k] == t->cgid[i] && In.message[k] != op;
    }
  }
  return wrong;
}

// As it is in a cycle: with a start order that begins in it.
static void see_open(const golden_t *g, uint64_t open[N]) {
  for (uint32_t s = 0; s < N; s++) {
    const bool begins = g->start_valid && !Monitor.is_old && g->start_source == s;
    open[s] = Monitor.open[s] | (begins ? one(g->start_destination) : 0);
  }
}

static void check_monitor(const golden_t *g) {
  uint64_t open[N];
  see_open(g, open);
  for (uint32_t s = 0; s < N; s++) {
    uint64_t transfers = 0;
    for (uint32_t d = 0; d < N; d++) {
      transfers |= pairs_bit(g->table.receiving, d) && g->peer[d] == s ? one(d) : 0;
    }
    prove_check("GPUs that keep the rules see no error", Monitor.is_misused || g->error == 0);
    for (uint32_t d = 0; d < N; d++) {
      prove_check("GPUs that keep the rules give a group one kind",
                  Monitor.is_misused || !pairs_bit(g->table.ready, s) ||
                      !pairs_bit(g->table.ready, d) || g->table.cgid[s] != g->table.cgid[d] ||
                      pairs_bit(g->transparent, s) == pairs_bit(g->transparent, d));
    }
    prove_check("the ports tell the transfers under way", open[s] == transfers);
    prove_check("the order tells group and side",
                !g->start_valid || Monitor.is_old || g->start_source != s ||
                    (g->start_cgid == g->table.cgid[s] &&
                     g->start_front == (pairs_bit(g->transparent, s) && s > g->start_destination)));
  }
}

static void check_held(const composition_scheduler_out_t *was) {
  const bool is_held = was->start_valid && !In.start_ready;
  prove_check(
      "a start order is held until it is taken",
      !is_held || (Out.start_valid && Out.start_source == was->start_source &&
                   Out.start_destination == was->start_destination &&
                   Out.start_cgid == was->start_cgid && Out.start_front == was->start_front));
  prove_check("the first error stays", was->error == 0 || Out.error == was->error);
}

// Checks the new state of GPU i's entry.
static void check_entry(const composition_scheduler_state_t *was,
                        const composition_scheduler_out_t *out, uint64_t transparent, uint32_t i) {
  const uint64_t others = golden()->all & ~one(i);
  const bool is_complete =
      pairs_bit(was->ready, i) && was->sent[i] == others && was->received[i] == others;
  const bool is_message = pairs_bit(In.message_valid, i);
  const uint8_t op = In.message[i];
  const bool enters = is_message && op <= CompositionSchedulerMessageReadyTransparent &&
                      !pairs_bit(was->ready, i) && !pairs_bit(out->release_valid, i);
  const bool ends =
      is_message && op == CompositionSchedulerMessageDone && pairs_bit(was->receiving, i);
  prove_check("an entry resets only when complete, and a release follows",
              is_complete ? !pairs_bit(State.ready, i) && pairs_bit(Out.release_valid, i) &&
                                State.sent[i] == 0 && State.received[i] == 0
                          : (pairs_bit(State.ready, i) || !pairs_bit(was->ready, i)) &&
                                !(was->sent[i] & ~State.sent[i]) &&
                                !(was->received[i] & ~State.received[i]));
  prove_check("a release is given once and held until it is taken",
              is_complete || pairs_bit(Out.release_valid, i) == (pairs_bit(out->release_valid, i) &&
                                                                 !pairs_bit(In.release_ready, i)));
  prove_check("only an accepted ready enters a group, the next one, with its kind",
              enters ? pairs_bit(State.ready, i) && State.cgid[i] == (uint8_t)(was->cgid[i] + 1) &&
                           pairs_bit(golden()->transparent, i) == (op == 1)
                     : (!pairs_bit(State.ready, i) || pairs_bit(was->ready, i)) &&
                           State.cgid[i] == was->cgid[i] &&
                           pairs_bit(golden()->transparent, i) == pairs_bit(transparent, i));
  prove_check("only an accepted done ends a transfer",
              ends ? !pairs_bit(State.receiving, i)
                   : (pairs_bit(State.receiving, i) || !pairs_bit(was->receiving, i)) &&
                         !(State.received[i] & ~was->received[i]));
}

// All GPUs are in one group, of one kind, with something left to exchange, and nothing is under
// way.
static bool is_waiting(const golden_t *g) {
  const composition_scheduler_state_t *t = &g->table;
  bool lacks = false, is_one = t->ready == g->all;
  for (uint32_t i = 0; i < N; i++) {
    lacks |= t->received[i] != (g->all & ~one(i));
    is_one &=
        t->cgid[i] == t->cgid[0] && pairs_bit(g->transparent, i) == pairs_bit(g->transparent, 0);
    is_one &= !pairs_bit(t->sending, i) && !pairs_bit(t->receiving, i);
  }
  return is_one && lacks && !g->start_valid;
}

// The end of a transfer, and nothing else, fills both vectors.
static void check_end(const composition_scheduler_state_t *was, const uint64_t open[N], uint32_t s,
                      uint32_t d) {
  const bool ends = pairs_bit(open[s], d) && pairs_bit(In.message_valid, d) &&
                    In.message[d] == CompositionSchedulerMessageDone;
  prove_check("the end of a transfer fills both vectors, and nothing else does",
              ends ? pairs_bit(State.sent[s], d) && pairs_bit(State.received[d], s)
                   : (!pairs_bit(State.sent[s], d) || pairs_bit(was->sent[s], d)) &&
                         (!pairs_bit(State.received[d], s) || pairs_bit(was->received[d], s)));
  prove_check("a start is between two that are ready and have not exchanged",
              !pairs_bit(open[s], d) || (pairs_bit(was->ready, s) && pairs_bit(was->ready, d) &&
                                         !pairs_bit(was->sent[s], d)));
}

void prove_step(void) {
  const golden_t *g = golden();
  const composition_scheduler_state_t was = g->table;
  const uint64_t transparent = g->transparent;
  const bool waits = is_waiting(g);
  composition_scheduler_out_t out;
  uint64_t open[N];
  outputs(g, &In, &out);
  see_open(g, open);
  Monitor.is_misused |= is_misuse(g);
  prove_clock();
  check_held(&out);
  prove_check("where nothing is under way, the next transfer starts in a cycle",
              !waits || Out.start_valid);
  for (uint32_t i = 0; i < N; i++) {
    check_entry(&was, &out, transparent, i);
    prove_check("nobody sends to two", !(open[i] & (open[i] - 1)));
    for (uint32_t k = 0; k < N; k++) {
      if (i != k) {
        check_end(&was, open, i, k);
      }
      prove_check("nobody receives from two", i == k || !(open[i] & open[k]));
    }
  }
  for (uint32_t s = 0; s < N; s++) {
    Monitor.open[s] = open[s];
    for (uint32_t d = 0; d < N; d++) {
      const bool ends =
          pairs_bit(In.message_valid, d) && In.message[d] == CompositionSchedulerMessageDone;
      Monitor.open[s] &= ends ? ~one(d) : UINT64_MAX;
    }
  }
  Monitor.is_old = out.start_valid && !In.start_ready;
}

void prove_setup(void) {
  prove_by_argument("eligible", 1, N);
  prove_by_argument("first_after", 1, N);
}

PROVE_OUTPUTS

PROVE_MONITOR_RESTART

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("a group ends", !(g->table.ready == 0 && g->table.cgid[0] == 1 && g->error == 0));
  prove_check("a transfer is waited for", !is_waiting(golden()));
}
