// SPDX-License-Identifier: Apache-2.0
// The composition scheduler: golden model and RTL (tb/prove/wrapper.h, docs/proved.md).
#include "csim/golden/composition_scheduler_golden.c"
#include "tb/prove/wrapper.h"

enum { N = P_NumGpus, IndexBits = N <= 2 ? 1 : 32 - __builtin_clz(N - 1) };

PROVE_UNIT(composition_scheduler)

struct related {
  uint64_t transparent, later, release, ready, receiving, sending, sent[N], received[N];
  uint8_t peer[N], cgid[N], start_source, start_destination, start_cgid, error;
  bool start_valid, start_front;
} Related;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
const prove_register_t Registers[] = {
    MEMBER(transparent, "transparent_q", N, 1), MEMBER(later, "later_q", N, 1),
    MEMBER(release, "release_valid_q", N, 1),   MEMBER(ready, "ready_q", N, 1),
    MEMBER(receiving, "receiving_q", N, 1),     MEMBER(sending, "sending_q", N, 1),
    MEMBER(sent, "sent_q", N, N),               MEMBER(received, "received_q", N, N),
    MEMBER(peer, "peer_q", IndexBits, N),       MEMBER(cgid, "cgid_q", 8, N),
    MEMBER(start_source, "start_source_q", IndexBits, 1),
    MEMBER(start_destination, "start_destination_q", IndexBits, 1),
    MEMBER(start_cgid, "start_cgid_q", 8, 1),   MEMBER(error, "error_q", 3, 1),
    MEMBER(start_valid, "start_valid_q", 1, 1), MEMBER(start_front, "start_front_q", 1, 1)};

static golden_t *golden(void) { return Engine.self; }

void prove_relate(void) {
  const golden_t *g = golden();
  Related = (struct related){
      .transparent = g->transparent,
      .later = g->all & ~((UINT64_C(2) << g->last) - 1),
      .release = g->release,
      .ready = g->table.ready,
      .receiving = g->table.receiving,
      .sending = g->table.sending,
      .start_source = g->start_source,
      .start_destination = g->start_destination,
      .start_cgid = g->start_cgid,
      .error = g->error,
      .start_valid = g->start_valid,
      .start_front = g->start_front,
  };
  for (uint32_t i = 0; i < N; i++) {
    Related.sent[i] = g->table.sent[i];
    Related.received[i] = g->table.received[i];
    Related.peer[i] = g->peer[i];
    Related.cgid[i] = g->table.cgid[i];
  }
}

static uint32_t gpu(uint32_t number) {
  number &= (1u << IndexBits) - 1;
  return number < N ? number : 0;
}

void prove_narrow(void) {
  golden_t *g = golden();
  g->last = gpu(g->last);
  g->start_source = (uint8_t)gpu(g->start_source);
  g->start_destination = (uint8_t)gpu(g->start_destination);
  g->transparent &= g->all;
  g->release &= g->all;
  g->table.ready &= g->all;
  g->table.sending &= g->all;
  g->table.receiving &= g->all;
  for (uint32_t i = 0; i < N; i++) {
    g->table.sent[i] &= g->all;
    g->table.received[i] &= g->all;
    g->peer[i] = (uint8_t)gpu(g->peer[i]);
  }
}

// a, and what it has to do with every b.
static void check_pair(const golden_t *g, uint32_t a, uint32_t b) {
  const composition_scheduler_state_t *t = &g->table;
  const bool is_sending = bit(t->receiving, b) && g->peer[b] == a;
  const uint32_t low = a < b ? a : b, high = a < b ? b : a;
  const uint64_t between = ((UINT64_C(1) << high) - 1) & ~((UINT64_C(2) << low) - 1);
  const bool has_between = (t->received[b] & between) == between;
  if (is_sending) {
    prove_check("a transfer is between two that are ready, in one group, of one kind",
                bit(t->ready, a) && bit(t->ready, b) && (t->cgid[a] == t->cgid[b]) &&
                    (bit(g->transparent, a) == bit(g->transparent, b)));
    prove_check("a transfer has not been before", !bit(t->sent[a], b) && !bit(t->received[b], a));
    prove_check("a transparent transfer comes from a neighbour of what is merged",
                !bit(g->transparent, b) || has_between);
  }
  prove_check("what is merged in a transparent group is an interval",
              !(bit(t->received[b], a) && bit(g->transparent, b)) || has_between);
  if (t->cgid[a] == t->cgid[b]) {
    prove_check("sent and received agree within a group",
                !(bit(t->ready, a) && bit(t->ready, b)) ||
                    (bit(t->sent[a], b) == bit(t->received[b], a)));
    prove_check("who has left a group has exchanged with who is in it",
                bit(t->ready, a) || !bit(t->ready, b) ||
                    (bit(t->received[b], a) && bit(t->sent[b], a)));
  }
  const bool is_ahead = t->cgid[a] == (uint8_t)(t->cgid[b] + 1);
  const bool is_behind = t->cgid[b] == (uint8_t)(t->cgid[a] + 1);
  prove_check("two groups differ by at most one",
              (t->cgid[a] == t->cgid[b]) || is_ahead || is_behind);
  prove_check("who is ahead is ready and has not exchanged with who is behind",
              !is_ahead || (bit(t->ready, a) && !bit(t->received[a], b) && !bit(t->sent[a], b)));
  prove_check("who is behind has exchanged with who is ahead",
              !is_ahead || !bit(t->ready, b) || (bit(t->received[b], a) && bit(t->sent[b], a)));
}

void prove_invariant(void) {
  const golden_t *g = golden();
  const composition_scheduler_state_t *t = &g->table;
  for (uint32_t a = 0; a < N; a++) {
    prove_check("nobody exchanges with itself", !bit(t->sent[a], a) && !bit(t->received[a], a));
    prove_check("who is not ready exchanges with nobody",
                bit(t->ready, a) || (!bit(t->sending, a) && !bit(t->receiving, a) &&
                                    (t->sent[a] == 0) && (t->received[a] == 0)));
    prove_check("who waits for its release is not ready",
                !(bit(g->release, a) && bit(t->ready, a)));
    uint32_t transfers = 0;
    for (uint32_t b = 0; b < N; b++) {
      transfers += bit(t->receiving, b) && (g->peer[b] == a);
    }
    prove_check("nobody sends to itself", !(bit(t->receiving, a) && (g->peer[a] == a)));
    prove_check("who sends, sends to one", transfers == bit(t->sending, a));
    for (uint32_t b = 0; b < N; b++) {
      if (a != b) {
        check_pair(g, a, b);
      }
    }
  }
}
