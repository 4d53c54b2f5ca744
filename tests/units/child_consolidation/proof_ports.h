// SPDX-License-Identifier: Apache-2.0
// The duties of the consolidation, stated on its ports, with a monitor that follows them (proof.c).
#ifndef NOCTURNE_PROVE_CHILD_CONSOLIDATION_PORTS_H
#define NOCTURNE_PROVE_CHILD_CONSOLIDATION_PORTS_H

enum { CountMask = 2047, MostIdle = 2 };

static void narrow_monitor(void) {
  for (uint32_t i = 0; i < N; i++) {
    Owner[i] &= Fetches - 1;
    Before[i] &= N - 1;
    Place[i] &= N - 1;
    *(uint8_t *)&HasNext[i] &= 1;
    *(uint8_t *)&IsUsed[i] &= 1;
    *(uint8_t *)&IsOdd[i] &= 1;
  }
  for (uint32_t f = 0; f < Fetches; f++) {
    LastPlace[f] &= N - 1;
    *(uint8_t *)&Monitor.asked[f] &= 1;
  }
  Monitor.walked &= Fetches - 1;
  Monitor.from &= N - 1;
  Monitor.to &= N - 1;
  Monitor.inside &= CountMask;
  Monitor.waiting &= CountMask;
  Monitor.takes &= 3;
  Monitor.idle &= 3;
}

// Reads of a fetch whose line has not come.
static void check_reads(const golden_t *g, uint32_t f) {
  uint32_t queued = 0;
  bool same = true;
  for (uint32_t k = 0; k < ReadDepth; k++) {
    const bool here = k < g->reads && (g->read[k].tag & 0xff) == f;
    queued += here;
    same &= !here ||
            (g->read[k].line == g->fetch[f].line && g->read[k].tag >> 8 == g->fetch[f].generation);
  }
  prove_check("a fetch has one read, in the queue or under way",
              Monitor.is_misused || queued + Monitor.asked[f] == is_valid(g, f));
  prove_check(
      "a read asks for its fetch's line",
      Monitor.is_misused || (same && (!Monitor.asked[f] || Monitor.line[f] == g->fetch[f].line)));
}

static void check_monitor(const golden_t *g) {
  uint32_t inside = g->beats + Monitor.waiting, takes = g->walks;
  bool is_open = false;
  for (uint32_t k = 0; k < RunDepth; k++) {
    inside += k < g->runs && !g->run[k].is_void;
    takes += k < g->runs && g->run[k].last;
  }
  prove_check("no beat is lost or doubled", Monitor.inside == (inside & CountMask));
  prove_check("each take has one last run", Monitor.takes == takes);
  for (uint32_t f = 0; f < Fetches; f++) {
    is_open |= is_valid(g, f);
  }
  prove_check("a beat waits two cycles where nothing is under way",
              Monitor.is_misused || Monitor.idle == 0 ||
                  (g->beats > 0 && !is_open && Monitor.idle == 1 && g->used < N));
}

// The read that is taken.
static void follow_read(const golden_t *g, const child_consolidation_out_t *was) {
  const uint32_t fetch = g->read[0].tag & (Fetches - 1), line = g->read[0].line;
  const uint32_t other = any_fetch();
  prove_check("a read is of a fetch that is not under way",
              Monitor.is_misused | ((was->read.tag & 0xff) == fetch && !Monitor.asked[fetch]));
  for (uint32_t way = 0; way < Ways && P_Merge; way++) {
    const uint32_t k = other / Ways * Ways + way;
    prove_check("a read is of a fetch of its set",
                (fetch != k) | (is_valid(g, k) == is_valid(g, fetch)));
    for (uint32_t i = 0; i < LineBits; i++) {
      prove_check("a read is of a fetch of its set, bit by bit",
                  (fetch != k) | ((g->fetch[k].line >> i & 1) == (g->fetch[fetch].line >> i & 1)));
    }
  }
  prove_check("a read is of a line that is not under way", Monitor.is_misused | !P_Merge |
                                                               !Monitor.asked[other] |
                                                               (Monitor.line[other] != line));
  Monitor.asked[fetch] = true;
  Monitor.line[fetch] = was->read.line;
}

// A line comes: the entries of its fetch are the walker's.
static void follow_take(const golden_t *g, int32_t closed) {
  const uint32_t f = (uint32_t)closed % Fetches;
  Monitor.takes++;
  if (closed < 0) {
    return;
  }
  Monitor.is_misused |= !Monitor.asked[f];
  Monitor.asked[f] = false;
  Monitor.walked = (uint8_t)f;
  Monitor.walked_line = g->fetch[f].line;
  Monitor.from = 0;
  Monitor.to = LastPlace[f];
}

// A beat gets the entry at the tail, behind the last one of its fetch.
static void follow_insert(const golden_t *g, const insert_t *plan) {
  const uint32_t f = plan->fetch % Fetches, tail = g->tail & (N - 1);
  const uint32_t last = g->fetch[f].last & (N - 1);
  if (plan->inserted) {
    LastPlace[f] = plan->is_new ? 0 : LastPlace[f] + 1;
    Owner[tail] = (uint8_t)f;
    IsUsed[tail] = true;
    IsOdd[tail] = is_odd(g, f);
    Place[tail] = LastPlace[f];
    Before[tail] = (uint8_t)last;
    HasNext[last] = HasNext[last] || !plan->is_new;
    HasNext[tail] = false;
    Monitor.waiting = (Monitor.waiting + 1) & CountMask;
    Monitor.idle = 0;
  }
}

static void check_held(const child_consolidation_out_t *was) {
  prove_check(
      "a read is held until it is taken",
      !was->read_valid || In.read_ready ||
          (Out.read_valid && Out.read.tag == was->read.tag && Out.read.line == was->read.line));
  const child_consolidation_run_t *a = &was->run, *b = &Out.run;
  prove_check("a run is held until it is taken",
              !was->run_valid || In.run_ready ||
                  (Out.run_valid && a->is_void == b->is_void && a->last == b->last &&
                   a->slot == b->slot && a->along_y == b->along_y && a->texel == b->texel &&
                   memcmp(a->parent, b->parent, sizeof a->parent) == 0));
}

#endif
