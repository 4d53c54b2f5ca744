// SPDX-License-Identifier: Apache-2.0
// The composition scheduler with lookahead: golden model and RTL (tb/prove/wrapper.h,
// docs/hardware/proved.md).
#include "csim/units/lookahead_scheduler/golden.c"
#include "tb/prove/wrapper.h"

enum { N = P_NumGpus, MaxDepth = P_MaxDepth };

PROVE_UNIT(lookahead_scheduler)

static golden_t *golden(void) { return Engine.self; }

const bool FindWidths = true;

static uint64_t one(uint32_t i) { return UINT64_C(1) << i; }

// The transfers that s has been granted and has not reported as ending.
static uint64_t open_of(const lookahead_scheduler_state_t *t, uint32_t s) {
  return t->sent[s] & ~t->ended[s];
}

static uint32_t senders_to(const lookahead_scheduler_state_t *t, uint32_t d) {
  uint32_t count = 0;
  for (uint32_t s = 0; s < N; s++) {
    count += pairs_bit(open_of(t, s), d);
  }
  return count;
}

static uint32_t receivers_of(const lookahead_scheduler_state_t *t, uint32_t s) {
  uint32_t count = 0;
  for (uint32_t d = 0; d < N; d++) {
    count += pairs_bit(open_of(t, s), d);
  }
  return count;
}

// The GPUs strictly between two.
static uint64_t between(uint32_t a, uint32_t b) {
  const uint32_t low = a < b ? a : b, high = a < b ? b : a;
  return (one(high) - 1) & ~((UINT64_C(2) << low) - 1);
}

// ---- The invariant ----

// The transfer from a to b.
static void check_pair(const golden_t *g, uint32_t a, uint32_t b) {
  const lookahead_scheduler_state_t *t = &g->table;
  prove_check("what is outstanding is between two that are ready, in one group, of one kind",
              !pairs_bit(open_of(t, a), b) ||
                  (pairs_bit(t->ready, a) && pairs_bit(t->ready, b) && t->cgid[a] == t->cgid[b] &&
                   pairs_bit(g->transparent, a) == pairs_bit(g->transparent, b) &&
                   pairs_bit(t->received[b], a)));
  prove_check("what is granted in a transparent group is an interval",
              !(pairs_bit(t->received[b], a) && pairs_bit(g->transparent, b)) ||
                  (t->received[b] & between(a, b)) == between(a, b));
  if (t->cgid[a] == t->cgid[b]) {
    prove_check("sent and received agree within a group",
                !(pairs_bit(t->ready, a) && pairs_bit(t->ready, b)) ||
                    pairs_bit(t->sent[a], b) == pairs_bit(t->received[b], a));
    prove_check("who has left a group has exchanged with who is in it",
                pairs_bit(t->ready, a) || !pairs_bit(t->ready, b) ||
                    (pairs_bit(t->received[b], a) && pairs_bit(t->sent[b], a)));
    prove_check("who has exchanged within a group, or left it, is of one kind with who is in it",
                !pairs_bit(t->ready, b) ||
                    (pairs_bit(t->ready, a) && !pairs_bit(t->received[b], a)) ||
                    pairs_bit(g->transparent, a) == pairs_bit(g->transparent, b));
  }
  const bool is_ahead = t->cgid[a] == (uint8_t)(t->cgid[b] + 1);
  const bool is_behind = t->cgid[b] == (uint8_t)(t->cgid[a] + 1);
  prove_check("two groups differ by at most one",
              t->cgid[a] == t->cgid[b] || is_ahead || is_behind);
  prove_check("who is ahead is ready and has not exchanged with who is behind",
              !is_ahead || (pairs_bit(t->ready, a) && !pairs_bit(t->received[a], b) &&
                            !pairs_bit(t->sent[a], b)));
  prove_check("who is behind has exchanged with who is ahead",
              !is_ahead || !pairs_bit(t->ready, b) ||
                  (pairs_bit(t->received[b], a) && pairs_bit(t->sent[b], a)));
}

static void check_entry(const golden_t *g, uint32_t i) {
  const lookahead_scheduler_state_t *t = &g->table;
  prove_check("nobody exchanges with itself", !pairs_bit(t->sent[i] | t->received[i], i));
  prove_check("what is reported as ending was granted", !(t->ended[i] & ~t->sent[i]));
  prove_check("the counter of sends tells what is outstanding",
              t->sending[i] == receivers_of(t, i));
  prove_check("the counter of receives tells what is outstanding",
              t->receiving[i] == senders_to(t, i));
  prove_check("nobody has more outstanding than its depth",
              t->sending[i] <= t->depth[i] && t->receiving[i] <= t->depth[i]);
  prove_check("the depth of who is ready is legal",
              t->depth[i] <= MaxDepth && (!pairs_bit(t->ready, i) || t->depth[i] > 0));
  prove_check("only who is ready is ready for the next group, too, at a legal depth",
              !pairs_bit(t->pending, i) || (pairs_bit(t->ready, i) && g->pending_depth[i] > 0 &&
                                            g->pending_depth[i] <= MaxDepth));
  prove_check("who is not ready exchanges with nobody",
              pairs_bit(t->ready, i) || !(t->sent[i] | t->received[i] | t->ended[i]));
}

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  check_monitor(g);
  for (uint32_t a = 0; a < N; a++) {
    check_entry(g, a);
    for (uint32_t b = 0; b < N; b++) {
      if (a != b) {
        check_pair(g, a, b);
      }
    }
  }
}

// ---- Safety, on the ports ----

// Transfers under way, by sender: one begins with the first cycle of its start order and ends with
// the sender's ending. is_old: the start order stood before. is_misused: a GPU broke a rule.
// waited: for how many cycles nothing has been under way where something could be.
struct {
  uint64_t open[N];
  uint8_t waited;
  bool is_old;
  bool is_misused;
} Monitor;

// The effect of a clock on GPU i's entry, by the state before it and the inputs.
typedef struct {
  bool is_complete, is_ready, is_taken, waits, enters, transparent;
  uint8_t depth;
} entry_t;

static entry_t entry_of(const golden_t *g, uint32_t i) {
  const lookahead_scheduler_state_t *t = &g->table;
  const uint64_t others = g->all & ~one(i);
  entry_t e = {.is_complete = pairs_bit(t->ready, i) && t->sent[i] == others &&
                              t->received[i] == others && open_of(t, i) == 0 &&
                              senders_to(t, i) == 0};
  e.is_ready = pairs_bit(In.message_valid, i) && In.message_op[i] <= 1;
  e.is_taken = e.is_ready && !pairs_bit(t->pending, i) && In.message_depth[i] > 0 &&
               In.message_depth[i] <= MaxDepth;
  e.waits = e.is_taken || pairs_bit(t->pending, i);
  e.enters = e.waits && (!pairs_bit(t->ready, i) || e.is_complete);
  e.transparent = e.is_taken ? In.message_op[i] == 1 : pairs_bit(g->pending_transparent, i);
  e.depth = e.is_taken ? In.message_depth[i] : g->pending_depth[i];
  return e;
}

static bool is_ending(const golden_t *g, uint32_t s, uint32_t d) {
  return pairs_bit(In.message_valid, s) && In.message_op[s] == LookaheadSchedulerMessageEnding &&
         In.message_peer[s] == d && pairs_bit(open_of(&g->table, s), d);
}

// The GPUs' duties: no illegal message; one ready at most waits, its depth is legal; an ending
// only of what is granted and was not reported; one kind for all that are in a group or enter it.
static bool is_misuse(const golden_t *g) {
  const lookahead_scheduler_state_t *t = &g->table;
  bool wrong = false;
  for (uint32_t i = 0; i < N; i++) {
    const entry_t e = entry_of(g, i);
    bool ends = false;
    for (uint32_t k = 0; k < N; k++) {
      const entry_t other = entry_of(g, k);
      ends |= is_ending(g, i, k);
      wrong |= e.enters && pairs_bit(t->ready, k) && t->cgid[k] == (uint8_t)(t->cgid[i] + 1) &&
               pairs_bit(g->transparent, k) != e.transparent;
      wrong |= e.enters && other.enters && t->cgid[k] == t->cgid[i] &&
               other.transparent != e.transparent;
    }
    wrong |= pairs_bit(In.message_valid, i) && (e.is_ready ? !e.is_taken : !ends);
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

static bool is_idle(const golden_t *g);
static bool is_waiting(const golden_t *g);
static bool is_incomplete(const golden_t *g);

static void check_monitor(const golden_t *g) {
  const lookahead_scheduler_state_t *t = &g->table;
  uint64_t open[N];
  see_open(g, open);
  prove_check("GPUs that keep the rules see no error", Monitor.is_misused || g->error == 0);
  prove_check("where nothing is under way and a group is not complete, some pair may start",
              !(is_incomplete(g) && is_idle(g)) || is_waiting(g));
  prove_check("where nothing is under way, the next transfer starts within two cycles",
              Monitor.waited < 2 && (Monitor.waited == 0 || (is_waiting(g) && g->level == 0)));
  for (uint32_t s = 0; s < N; s++) {
    prove_check("the ports tell the transfers under way", open[s] == open_of(t, s));
    prove_check("the order tells group and side",
                !g->start_valid || Monitor.is_old || g->start_source != s ||
                    (g->start_cgid == t->cgid[s] &&
                     g->start_front == (pairs_bit(g->transparent, s) && s > g->start_destination)));
    for (uint32_t d = 0; d < N; d++) {
      prove_check("GPUs that keep the rules give a group one kind",
                  Monitor.is_misused || !pairs_bit(t->ready, s) || !pairs_bit(t->ready, d) ||
                      t->cgid[s] != t->cgid[d] ||
                      pairs_bit(g->transparent, s) == pairs_bit(g->transparent, d));
    }
  }
}

// Whether a may be granted to b, and how many transfers its busier end has.
static bool may_start(const golden_t *g, uint32_t a, uint32_t b, uint32_t *busy) {
  const lookahead_scheduler_state_t *t = &g->table;
  const uint32_t sends = receivers_of(t, a), receives = senders_to(t, b);
  *busy = sends > receives ? sends : receives;
  return pairs_bit(t->ready, a) && pairs_bit(t->ready, b) && t->cgid[a] == t->cgid[b] &&
         pairs_bit(g->transparent, a) == pairs_bit(g->transparent, b) &&
         !pairs_bit(t->received[b], a) && sends < t->depth[a] && receives < t->depth[b] &&
         (!pairs_bit(g->transparent, a) || (t->received[b] & between(a, b)) == between(a, b));
}

static void check_order(const golden_t *was) {
  const golden_t *g = golden();
  const bool is_held = was->start_valid && !In.start_ready;
  prove_check(
      "a start order is held until it is taken",
      !is_held || (Out.start_valid && Out.start_source == was->start_source &&
                   Out.start_destination == was->start_destination &&
                   Out.start_cgid == was->start_cgid && Out.start_front == was->start_front));
  prove_check("the first error stays", was->error == 0 || Out.error == was->error);
  uint32_t lowest = NoLevel, busy;
  for (uint32_t s = 0; s < N; s++) {
    for (uint32_t d = 0; d < N; d++) {
      if (s != d && may_start(was, s, d, &busy) && busy < lowest) {
        lowest = busy;
      }
    }
  }
  prove_check("the level is the lowest at which a pair may start", g->level == lowest);
}

// Nothing is under way.
static bool is_idle(const golden_t *g) {
  bool idle = !g->start_valid;
  for (uint32_t s = 0; s < N; s++) {
    idle &= open_of(&g->table, s) == 0;
  }
  return idle;
}

// A pair may start, and nothing is under way.
static bool is_waiting(const golden_t *g) {
  bool may = false;
  uint32_t busy;
  for (uint32_t s = 0; s < N; s++) {
    for (uint32_t d = 0; d < N; d++) {
      may |= s != d && may_start(g, s, d, &busy);
    }
  }
  return may && is_idle(g);
}

// All GPUs are in one group, of one kind, with something left to exchange.
static bool is_incomplete(const golden_t *g) {
  const lookahead_scheduler_state_t *t = &g->table;
  bool lacks = false, is_one = t->ready == g->all;
  for (uint32_t i = 0; i < N; i++) {
    lacks |= t->received[i] != (g->all & ~one(i));
    is_one &=
        t->cgid[i] == t->cgid[0] && pairs_bit(g->transparent, i) == pairs_bit(g->transparent, 0);
  }
  return is_one && lacks;
}

// Checks the new state of GPU i's entry.
static void check_change(const golden_t *was, uint32_t i) {
  const golden_t *g = golden();
  const lookahead_scheduler_state_t *t = &was->table;
  const entry_t e = entry_of(was, i);
  if (e.is_complete) {
    prove_check("an entry that is complete resets",
                !(State.sent[i] | State.received[i] | State.ended[i]) &&
                    pairs_bit(State.ready, i) == e.waits);
  } else {
    prove_check("an entry resets only when complete",
                (pairs_bit(State.ready, i) || !pairs_bit(t->ready, i)) &&
                    !(t->sent[i] & ~State.sent[i]) && !(t->received[i] & ~State.received[i]) &&
                    !(t->ended[i] & ~State.ended[i]));
  }
  if (e.enters) {
    prove_check("an accepted ready enters the next group as soon as the entry is free",
                pairs_bit(State.ready, i) && !pairs_bit(State.pending, i) &&
                    State.cgid[i] == (uint8_t)(t->cgid[i] + 1) && State.depth[i] == e.depth &&
                    pairs_bit(g->transparent, i) == e.transparent);
  } else {
    prove_check("nothing else enters a group",
                (pairs_bit(t->ready, i) || !pairs_bit(State.ready, i)) &&
                    pairs_bit(State.pending, i) == e.waits && State.cgid[i] == t->cgid[i] &&
                    State.depth[i] == t->depth[i] &&
                    pairs_bit(g->transparent, i) == pairs_bit(was->transparent, i));
    prove_check("a ready that waits stays as it is",
                !e.waits || (g->pending_depth[i] == e.depth &&
                             pairs_bit(g->pending_transparent, i) == e.transparent));
  }
}

// The transfer from a to b.
static void check_transfer(const golden_t *was, uint32_t a, uint32_t b) {
  const golden_t *g = golden();
  const lookahead_scheduler_state_t *t = &was->table;
  const bool is_start = Out.start_valid && !(was->start_valid && !In.start_ready) &&
                        Out.start_source == a && Out.start_destination == b;
  uint32_t busy;
  if (is_start) {
    prove_check(
        "a start is between two that are ready, of one group and kind, below their depths, "
        "not granted before; next to the interval",
        may_start(was, a, b, &busy));
    prove_check("a start is of the level or below",
                may_start(was, a, b, &busy) && was->level != NoLevel && busy <= was->level);
    prove_check("a start fills both vectors", pairs_bit(State.sent[a], b) &&
                                                  pairs_bit(State.received[b], a) &&
                                                  !pairs_bit(State.ended[a], b));
  } else {
    prove_check("nothing but a start fills the vectors",
                (pairs_bit(t->sent[a], b) || !pairs_bit(State.sent[a], b)) &&
                    (pairs_bit(t->received[b], a) || !pairs_bit(State.received[b], a)));
  }
  prove_check("an ending, and nothing else, ends a transfer",
              is_ending(was, a, b) ? pairs_bit(State.ended[a], b)
                                   : pairs_bit(t->ended[a], b) || !pairs_bit(State.ended[a], b));
  prove_check("a level is none or below the depths", g->level == NoLevel || g->level < MaxDepth);
}

void prove_step(void) {
  const golden_t was = *golden();
  uint64_t open[N];
  see_open(&was, open);
  Monitor.is_misused |= is_misuse(&was);
  prove_clock();
  Monitor.waited = is_waiting(&was) && !Out.start_valid ? Monitor.waited + 1 : 0;
  check_order(&was);
  for (uint32_t i = 0; i < N; i++) {
    uint32_t sends = 0, receives = 0;
    check_change(&was, i);
    for (uint32_t k = 0; k < N; k++) {
      sends += pairs_bit(open[i], k);
      receives += pairs_bit(open[k], i);
      if (i != k) {
        check_transfer(&was, i, k);
      }
    }
    prove_check("nobody sends or receives more at a time than it asked for",
                sends <= was.table.depth[i] && receives <= was.table.depth[i]);
    prove_check("nobody sends to itself", !pairs_bit(open[i], i));
  }
  for (uint32_t s = 0; s < N; s++) {
    Monitor.open[s] = open[s];
    for (uint32_t d = 0; d < N; d++) {
      Monitor.open[s] &= is_ending(&was, s, d) ? ~one(d) : UINT64_MAX;
    }
  }
  Monitor.is_old = was.start_valid && !In.start_ready;
}

void prove_outputs(void) {
  outputs(golden(), &In, &Out);
  Engine.observe(Engine.self, &State);
}

void prove_restart(void) {
  prove_reset();
  memset(&Monitor, 0, sizeof Monitor);
}

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("a group ends", !(g->table.ready == 0 && g->table.cgid[0] == 1 && g->error == 0));
  prove_check("a ready waits for its entry", g->table.pending == 0);
  prove_check("a transfer is waited for", !is_waiting(golden()));
}
