// SPDX-License-Identifier: Apache-2.0
// The consolidation: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// The contents of empty queues and entries, and of a closed fetch, do not matter in
// either; so is where an idle walker stands. What holds of each entry and of each fetch is said of
// any one (Any), and assumed of those that a cycle touches.
#include <stdint.h>

static __attribute__((noinline)) uint32_t set_of(uint32_t line, uint32_t set_bits);
#include "csim/units/child_consolidation/golden.c"
#include "tb/prove/wrapper.h"

enum {
  N = P_Entries,
  Sets = 1 << P_SetBits,
  Ways = P_Ways,
  Fetches = Sets * Ways,
  EntryBits = __builtin_ctz(N),
  WordBits = 64 + 16 + 1 + 6,
  LineBits = 28,
  BeatBits = WordBits + LineBits,
  RunBits = WordBits + 2,
  ReadBits = LineBits + 11,
  InsertBits = 1 + 8 + 6 + 8 + 1,
};
_Static_assert(Ways <= 4, "as Registers has them");

PROVE_STATELESS_UNIT(child_consolidation)

struct related {
  uint64_t counters[ChildConsolidationCounters], seen, peek_data;
  uint64_t valid[Ways], generation[Ways][3];
  uint32_t insert;
  uint16_t close, used;
  uint8_t beats, reads, runs, head, tail;
  bool walks, is_void, error;
} Related;

struct rtl {
  uint8_t beat[BeatDepth][(BeatBits + 7) / 8], read[ReadDepth][(ReadBits + 7) / 8];
  uint8_t run[RunDepth][(RunBits + 7) / 8], word[N][(WordBits + 7) / 8];
  uint32_t line[Ways][Sets];
  uint8_t done[(N + 7) / 8], next[N], first[Ways][Sets], last[Ways][Sets], current, end;
  uint8_t beat_head, beat_tail, read_head, read_tail, run_head, run_tail;
} Rtl;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
#define QUEUE(member, name, bits)                                                           \
  MEMBER(member##s, name ".count_q", 2, 1), RTL(member, name ".gen_ring.words_q", bits, 2), \
      RTL(member##_head, name ".gen_ring.head_q", 1, 1),                                    \
      RTL(member##_tail, name ".gen_ring.tail_q", 1, 1)
#define GENERATION(way, bit) \
  MEMBER(generation[way][bit], "gen_way[" #way "].gen_generation[" #bit "].bit_q", Sets, 1)
#define WAY(way)                                                                \
  MEMBER(valid[way], "gen_way[" #way "].valid_q", Sets, 1), GENERATION(way, 0), \
      GENERATION(way, 1), GENERATION(way, 2),                                   \
      RTL(line[way], "gen_way[" #way "].line_q", LineBits, Sets),               \
      RTL(first[way], "gen_way[" #way "].first_q", EntryBits, Sets),            \
      RTL(last[way], "gen_way[" #way "].last_q", EntryBits, Sets)
// First what tells whether a take closes and a beat is inserted: all else depends on it.
const prove_register_t Registers[] = {
    MEMBER(walks, "busy_q", 1, 1),
    MEMBER(is_void, "void_q", 1, 1),
    QUEUE(beat, "u_beats", BeatBits),
    QUEUE(read, "u_reads", ReadBits),
    QUEUE(run, "u_runs", RunBits),
    MEMBER(head, "head_q", EntryBits, 1),
    MEMBER(tail, "tail_q", EntryBits, 1),
    MEMBER(used, "used_q", EntryBits + 1, 1),
    MEMBER(error, "error_q", 1, 1),
    MEMBER(insert, "gen_observe.insert_report_q", InsertBits, 1),
    MEMBER(close, "gen_observe.close_report_q", 9, 1),
    MEMBER(counters, "gen_observe.u_counters.counter_q", P_CountWidth, ChildConsolidationCounters),
    MEMBER(seen, "gen_observe.seen_q", P_CountWidth, 1),
    MEMBER(peek_data, "gen_observe.peek_data_q", 64, 1),
    WAY(0),
#if P_Ways > 1
    WAY(1),
#endif
#if P_Ways > 2
    WAY(2),
    WAY(3),
#endif
    RTL(word, "word_q", WordBits, N),
#if P_Merge
    RTL(next, "next_q", EntryBits, N),
#endif
    RTL(done, "done_q", N, 1),
    RTL(current, "current_q", EntryBits, 1),
    RTL(end, "end_q", EntryBits, 1),
};

// Ghosts of entries: whether each is in use. As long as they are not done: the fetch that each
// joined and, by the fetch's generation then, whether that has been closed, so that it is in the
// walker's chain; the entry before it there; whether there is one behind it; its place, from where
// the chain began on. Ghosts of fetches: the place of the last entry.
uint8_t Owner[N], Before[N], Place[N], LastPlace[Fetches];
bool IsUsed[N], IsOdd[N], HasNext[N];

static golden_t *golden(void) { return Engine.self; }

// Fills the word of a queue or an entry with a beat.
static void pack(uint8_t *word, const texel_generator_beat_t *b) {
  for (uint32_t i = 0; i < Texels / 2; i++) {
    word[i] = (uint8_t)(b->parent[2 * i] | b->parent[2 * i + 1] << 4);
  }
  memcpy(word + 8, &b->texel, sizeof b->texel);
  word[10] = (uint8_t)(b->along_y | b->slot << 1);
}

static void relate_queues(const golden_t *g) {
  for (uint32_t k = 0; k < 2; k++) {
    uint8_t *beat = Rtl.beat[(Rtl.beat_head + k) % 2];
    uint8_t *read = Rtl.read[(Rtl.read_head + k) % 2];
    uint8_t *run = Rtl.run[(Rtl.run_head + k) % 2];
    if (k < g->beats) {
      const uint32_t rest = g->beat[k].line >> 1;
      pack(beat, &g->beat[k]);
      beat[10] |= (uint8_t)(g->beat[k].line << 7);
      memcpy(beat + 11, &rest, sizeof rest);
    }
    if (k < g->reads) {
      const uint64_t word = (uint64_t)g->read[k].tag << LineBits | g->read[k].line;
      memcpy(read, &word, (ReadBits + 7) / 8);
    }
    if (k < g->runs) {
      const child_consolidation_run_t *r = &g->run[k];
      texel_generator_beat_t said = {.slot = r->slot, .along_y = r->along_y, .texel = r->texel};
      memcpy(said.parent, r->parent, sizeof said.parent);
      pack(run, &said);
      run[10] |= (uint8_t)(r->last << 7);
      run[11] = r->is_void;
    }
  }
  Rtl.beat_tail = (Rtl.beat_head + g->beats) % 2;
  Rtl.read_tail = (Rtl.read_head + g->reads) % 2;
  Rtl.run_tail = (Rtl.run_head + g->runs) % 2;
}

static bool is_alive(const golden_t *g, uint32_t i) { return IsUsed[i] & !g->entry[i].done; }

static void relate_tables(const golden_t *g) {
  for (uint32_t i = 0; i < N; i++) {
    const entry_t *e = &g->entry[i];
    if (IsUsed[i]) {
      Rtl.done[i / 8] = (uint8_t)((Rtl.done[i / 8] & ~(1u << i % 8)) | (uint32_t)e->done << i % 8);
      pack(Rtl.word[i], &e->beat);
    }
    if (is_alive(g, i) && HasNext[i] && P_Merge) {
      Rtl.next[i] = e->next;
    }
  }
  for (uint32_t f = 0; f < Fetches; f++) {
    const uint32_t way = f % Ways, set = f / Ways;
    const fetch_t *fetch = &g->fetch[f];
    Related.valid[way] |= (uint64_t)is_valid(g, f) << set;
    for (uint32_t i = 0; i < 3; i++) {
      Related.generation[way][i] |= (uint64_t)(fetch->generation >> i & 1) << set;
    }
    if (is_valid(g, f)) {
      Rtl.line[way][set] = fetch->line;
      Rtl.first[way][set] = fetch->first;
      Rtl.last[way][set] = fetch->last;
    }
  }
  if (g->walks && !g->is_void) {
    Rtl.current = g->current;
    Rtl.end = g->last;
  }
}

void prove_relate(void) {
  const golden_t *g = golden();
  const child_consolidation_out_t *out = &g->out;
  Related = (struct related){
      .seen = g->seen,
      .peek_data = out->peek_data,
      .insert = (uint32_t)out->insert_valid << 23 | (uint32_t)out->insert_index << 15 |
                (uint32_t)out->insert_slot << 9 | (uint32_t)out->insert_fetch << 1 |
                out->insert_new,
      .close = (uint16_t)(out->close_valid << 8 | out->close_fetch),
      .beats = (uint8_t)g->beats,
      .reads = (uint8_t)g->reads,
      .runs = (uint8_t)g->runs,
      .head = (uint8_t)g->head,
      .tail = (uint8_t)g->tail,
      .used = (uint16_t)g->used,
      .walks = g->walks,
      .is_void = g->is_void,
      .error = g->error == ChildConsolidationErrorTake,
  };
  memcpy(Related.counters, g->counters, sizeof Related.counters);
  relate_queues(g);
  relate_tables(g);
}

static void narrow_monitor(void);

// Relates the outputs to the queues that they show.
static void narrow_shown(golden_t *g) {
  child_consolidation_out_t *out = &g->out;
  out->quiescent = false;
  out->read = g->reads > 0 ? g->read[0] : (child_consolidation_read_t){0};
  out->run = g->runs > 0 ? g->run[0] : (child_consolidation_run_t){0};
  out->insert_index = out->insert_valid ? out->insert_index & (N - 1) : 0;
  out->insert_slot = out->insert_valid ? out->insert_slot & 63 : 0;
  out->insert_fetch = out->insert_valid ? out->insert_fetch & (Fetches - 1) : 0;
  out->insert_new &= out->insert_valid;
  out->close_fetch = out->close_valid ? out->close_fetch & (Fetches - 1) : 0;
  outputs(g);
}

static void narrow_count(uint32_t *count, uint32_t most) {
  *count &= 2 * most - 1;
  *count = *count > most ? 0 : *count;
}

static void narrow_flag(bool *flag) { *(uint8_t *)flag &= 1; }

static void narrow_beat(uint8_t *slot, bool *along_y, uint8_t *parent) {
  *slot &= 63;
  narrow_flag(along_y);
  for (uint32_t i = 0; i < Texels; i++) {
    parent[i] &= 15;
  }
}

void prove_narrow(void) {
  golden_t *g = golden();
  narrow_count(&g->beats, BeatDepth);
  narrow_count(&g->reads, ReadDepth);
  narrow_count(&g->runs, RunDepth);
  narrow_count(&g->used, N);
  g->head &= N - 1;
  g->tail = (g->head + g->used) & (N - 1);
  g->current &= N - 1;
  g->last &= N - 1;
  g->error &= 1;
  narrow_flag(&g->walks);
  narrow_flag(&g->is_void);
  g->seen &= g->counter_mask;
  for (uint32_t i = 0; i < ChildConsolidationCounters; i++) {
    g->counters[i] &= g->counter_mask;
  }
  for (uint32_t s = 0; s < MaxSets; s++) {
    g->valid[s] &= s < Sets ? (1u << Ways) - 1 : 0;
  }
  for (uint32_t f = 0; f < MaxFetches; f++) {
    fetch_t *fetch = &g->fetch[f];
    fetch->line &= f < Fetches ? LineMask : 0;
    fetch->generation &= f < Fetches ? GenerationMask : 0;
    fetch->first &= f < Fetches ? N - 1 : 0;
    fetch->last &= f < Fetches ? N - 1 : 0;
  }
  for (uint32_t i = 0; i < MaxEntries; i++) {
    g->entry[i].next &= N - 1;
    narrow_beat(&g->entry[i].beat.slot, &g->entry[i].beat.along_y, g->entry[i].beat.parent);
    narrow_flag(&g->entry[i].done);
    if (i >= N) {
      g->entry[i] = (entry_t){0};
    }
  }
  for (uint32_t i = 0; i < 2; i++) {
    g->read[i].tag &= 0x700 | (Fetches - 1);
    narrow_beat(&g->beat[i].slot, &g->beat[i].along_y, g->beat[i].parent);
    g->beat[i].line &= LineMask;
    g->read[i].line &= LineMask;
    narrow_beat(&g->run[i].slot, &g->run[i].along_y, g->run[i].parent);
    narrow_flag(&g->run[i].last);
    narrow_flag(&g->run[i].is_void);
  }
  narrow_shown(g);
  narrow_monitor();
}

// ---- Chains ----

// An entry and a fetch, for all of them.
typedef struct {
  uint16_t entry, fetch;
} any_t;
any_t Any;

static uint32_t any_entry(void) { return Any.entry & (N - 1); }
static uint32_t any_fetch(void) { return Any.fetch & (Fetches - 1); }

static uint32_t distance(const golden_t *g, uint32_t i) { return (i - g->head) & (N - 1); }

// Compares two entries of the ring.
static bool is_before(const golden_t *g, uint32_t i, uint32_t k) {
  return distance(g, i) < distance(g, k);
}

// Beats that were accepted and whose run was not taken; of these, those in an entry that is not
// done; takes whose last run was not; of each fetch, whether a read of it was taken whose line has
// not come, and that line; for how many cycles a beat has waited where nothing was under way.
// is_misused: a line came before its read was taken; of reads nothing is said from then on. Of the
// walker's chain: its fetch and line, the places of its first and last entry.
struct {
  uint32_t line[Fetches], walked_line;
  uint16_t inside, waiting;
  uint8_t takes, idle, walked, from, to;
  bool asked[Fetches], is_misused;
} Monitor;

typedef struct {
  bool is_there, is_odd;
  uint32_t fetch, line;
  uint8_t first, last, from, to;  // entries, and their places
} chain_t;

static bool is_odd(const golden_t *g, uint32_t fetch) { return g->fetch[fetch].generation & 1; }

static chain_t fetched(const golden_t *g, uint32_t f) {
  const fetch_t *fetch = &g->fetch[f];
  return (chain_t){is_valid(g, f), is_odd(g, f), f, fetch->line,
                   fetch->first,   fetch->last,  0, LastPlace[f]};
}

static chain_t walked(const golden_t *g) {
  const uint32_t f = Monitor.walked;
  return (chain_t){g->walks && !g->is_void,
                   !is_odd(g, f),
                   f,
                   Monitor.walked_line,
                   g->current,
                   g->last,
                   Monitor.from,
                   Monitor.to};
}

static bool is_at(const golden_t *g, uint32_t i, const chain_t *c, uint32_t place) {
  return is_alive(g, i) && Owner[i] == c->fetch && IsOdd[i] == c->is_odd && Place[i] == place;
}

// An entry that waits has its place in a chain, between two others or at an end.
static void check_entry(const golden_t *g, uint32_t i) {
  const uint32_t place = Place[i];
  prove_check("the entries in use", IsUsed[i] == (distance(g, i) < g->used));
  if (!is_alive(g, i)) {
    return;
  }
  const chain_t c = IsOdd[i] == is_odd(g, Owner[i]) ? fetched(g, Owner[i]) : walked(g);
  const uint32_t next = g->entry[i].next, before = Before[i];
  prove_check("an entry waits for a fetch, or the walker is on its way to it",
              c.is_there && c.fetch == Owner[i]);
  prove_check("an entry's place is one of its chain", place >= c.from && place <= c.to);
  prove_check("a chain begins with its first entry", (place == c.from) == (i == c.first));
  prove_check("a chain ends with its last entry",
              (place == c.to) == (i == c.last) && HasNext[i] == (i != c.last));
  prove_check("a chain goes on with the next place", i == c.last || is_at(g, next, &c, place + 1));
  prove_check("what an entry goes on with comes from it", i == c.last || Before[next] == i);
  prove_check("what comes before an entry has the place before",
              i == c.first || is_at(g, before, &c, place - 1));
  prove_check("what comes before an entry goes on with it, and is older",
              i == c.first || (g->entry[before].next == i && is_before(g, before, i)));
  prove_check("all of a chain want one line", g->entry[i].beat.line == c.line);
}

// ---- Fetches ----

uint32_t prove_instead_set_of(uint32_t line, uint32_t set_bits) {
  uint32_t set = 0;
  prove_check("a set is made of a line", set_bits == P_SetBits && line <= LineMask);
  for (uint32_t i = 0; i < LineBits; i++) {
    set ^= (line >> i & 1) << i % P_SetBits;
  }
  return set;
}

// (In the state before: it follows from what is said of each fetch.)
static void check_matches(const golden_t *g) {
  const uint32_t first = set_of(g->beat[0].line, P_SetBits) * Ways;
  uint32_t matches = 0;
  for (uint32_t way = 0; way < Ways && P_Merge; way++) {
    matches += is_valid(g, first + way) && g->fetch[first + way].line == g->beat[0].line;
    prove_check("one fetch at most is the oldest beat's", g->beats == 0 || matches <= 1);
  }
}

static void check_difference(const golden_t *g, uint32_t set, uint32_t line) {
  const bool is_there = P_Merge && g->beats > 0 && set_of(g->beat[0].line, P_SetBits) == set;
  for (uint32_t i = 0; i < LineBits; i++) {
    prove_check("the oldest beat's line is not one bit from one of its set",
                !is_there || (g->beat[0].line ^ line) != 1u << i);
  }
}

static void check_ends(const golden_t *g, const chain_t *c) {
  prove_check("the first of a chain waits for it", is_at(g, c->first, c, c->from));
  prove_check("the last of a chain waits for it", is_at(g, c->last, c, c->to));
}

static void check_fetch(const golden_t *g, uint32_t f) {
  const uint32_t set = f / Ways;
  const fetch_t *fetch = &g->fetch[f];
  if (!is_valid(g, f)) {
    return;
  }
  prove_check("a fetch is in the set of its line",
              !P_Merge || set_of(fetch->line, P_SetBits) == set);
  check_difference(g, set, fetch->line);
  for (uint32_t way = 0; way < Ways; way++) {
    const uint32_t k = set * Ways + way;
    prove_check("a line is under way in one fetch",
                !P_Merge || k == f || !is_valid(g, k) || g->fetch[k].line != fetch->line);
  }
  const chain_t c = fetched(g, f);
  check_ends(g, &c);
  prove_check("a chain is no longer than the ring from its first entry to its last one",
              distance(g, c.first) + c.to <= distance(g, c.last));
}

// ---- The invariant ----

static void check_monitor(const golden_t *g);
static void check_reads(const golden_t *g, uint32_t f);

void prove_invariant(void) {
  const golden_t *g = golden();
  prove_check("the oldest entry is in use", g->used == 0 || IsUsed[g->head & (N - 1)]);
  if (g->walks && !g->is_void) {
    const chain_t c = walked(g);
    check_ends(g, &c);
    prove_check("the walker goes on", c.from <= c.to);
  }
  check_monitor(g);
  // Behind all that does not read Any, so that no branch of these is in it.
  check_fetch(g, any_fetch());
  check_entry(g, any_entry());
  check_reads(g, any_fetch());
}

static int32_t closes(const golden_t *g) {
  return In.take_valid && take_ready(g) ? named(g, In.take_tag) : -1;
}

static any_t pick(uint32_t entry, uint32_t fetch) {
  return (any_t){(uint16_t)(entry & (N - 1)), (uint16_t)(fetch & (Fetches - 1))};
}

// Entries and fetches that a cycle touches, and those beside the ones that a duty is about.
any_t Instances[14 + Ways];
void prove_instances(void) {
  const golden_t *g = golden();
  const int32_t closed = closes(g);
  const insert_t plan = plan_insert(g, closed);
  const uint32_t e = any_entry(), f = any_fetch(), set = set_of(g->beat[0].line, P_SetBits);
  uint32_t open = 0, n = 0;
  for (uint32_t k = Fetches; k-- > 0;) {
    open = is_valid(g, k) ? k : open;
  }
  Instances[n++] = pick(g->current, plan.fetch);
  Instances[n++] = pick(g->entry[g->current & (N - 1)].next, (uint32_t)closed);
  Instances[n++] = pick(g->last, Owner[e]);
  Instances[n++] = pick(g->fetch[plan.fetch & (Fetches - 1)].last, open);
  Instances[n++] = pick(g->entry[e].next, g->read[0].tag);
  Instances[n++] = pick(Before[e], g->read[1].tag);
  Instances[n++] = pick(g->head, Owner[g->head & (N - 1)]);
  Instances[n++] = pick(g->fetch[f].first, f);
  Instances[n++] = pick(In.peek_index, In.peek_index);
  Instances[n++] = pick(g->head + 1, f);
  Instances[n++] = pick(g->fetch[f].last, f);
  Instances[n++] = pick(g->fetch[closed & (int32_t)(Fetches - 1)].first, f);
  Instances[n++] = pick(g->fetch[closed & (int32_t)(Fetches - 1)].last, f);
  Instances[n++] = pick(g->tail, Monitor.walked);
  for (uint32_t way = 0; way < Ways; way++) {
    Instances[n++] = pick(e, set * Ways + way);
  }
}

// ---- Safety and progress, on the ports ----

#include "proof_ports.h"

// An entry is what a place says, so that the solver need not find it out of the whole table.
static void check_same(const golden_t *g, uint32_t i, uint32_t k) {
  prove_check("an entry that a cycle touches is itself",
              (i != k) | ((IsUsed[i] == IsUsed[k]) & (g->entry[i].done == g->entry[k].done)));
}

void prove_step(void) {
  const golden_t *g = golden();
  const child_consolidation_out_t was = g->out;
  const bool accepts = In.beat_valid && was.beat_ready, takes = In.take_valid && was.take_ready;
  const bool reads = was.read_valid && In.read_ready, runs = was.run_valid && In.run_ready;
  const bool walks = g->walks, waits = g->beats > 0;
  const bool ends = emits(g) && !g->is_void;
  const int32_t closed = closes(g);
  const insert_t plan = plan_insert(g, closed);
  const uint32_t e = any_entry(), tail = g->tail & (N - 1), current = g->current & (N - 1);
  const bool lives = (is_alive(g, e) & !(ends & (e == current))) | (plan.inserted & (e == tail));
  const bool begins = plan.inserted & (e == tail);
  const bool uses = begins | (e == (g->head & (N - 1)) ? (g->used > 0) & !releases(g) : IsUsed[e]);
  const bool is_done = (g->entry[e].done | (ends & (e == current))) & !begins;
  bool under_way = was.read_valid || was.run_valid || Monitor.takes;
  for (uint32_t f = 0; f < Fetches; f++) {
    under_way |= Monitor.asked[f];
  }
  check_matches(g);
  prove_case("a beat waits", g->beats > 0);
  prove_case("the walker is on a chain", g->walks && !g->is_void);
  check_same(g, e, tail);
  check_same(g, e, current);
  check_same(g, e, g->head & (N - 1));
  prove_check("a beat gets an entry that is free, and a run is of one that waits",
              (!plan.inserted || !is_alive(g, tail)) && (!ends || is_alive(g, current)));
  Monitor.waiting = (Monitor.waiting - ends) & CountMask;
  Monitor.from += ends && !emits_last(g);
  if (reads) {
    follow_read(g, &was);
  }
  if (takes) {
    follow_take(g, closed);
  }
  Monitor.idle = waits && !under_way ? Monitor.idle + (Monitor.idle < MostIdle) : 0;
  IsUsed[g->head & (N - 1)] = g->used > 0 && !releases(g);
  follow_insert(g, &plan);
  prove_clock();
  prove_check("an entry is used until it is released", IsUsed[e] == uses);
  prove_check("an entry is done with its run", g->entry[e].done == is_done);
  prove_check("an entry waits from its beat to its run", is_alive(g, e) == lives);
  Monitor.inside = (Monitor.inside + accepts - (runs && !was.run.is_void)) & CountMask;
  Monitor.takes -= runs && was.run.last;
  prove_check("a walker has a run in the cycle after", !walks || Out.run_valid);
  prove_check("a void run, and an error, are of a tag that names no fetch",
              (Out.error != 0) == (was.error != 0 || (takes && closed < 0)));
  check_held(&was);
}

// A register that is a golden word where that matters is this word at the place that is read.
void prove_lemmas(void) {
  const golden_t *g = golden();
  const uint32_t set = set_of(g->beat[0].line, P_SetBits);
  for (uint32_t way = 0; way < Ways && P_Merge; way++) {
    const uint32_t f = set * Ways + way;
    const uint32_t differs = Rtl.line[way][set] ^ g->fetch[f].line;
    for (uint32_t i = 0; i < LineBits; i++) {
      prove_check("the RTL reads the line of a fetch", !is_valid(g, f) | !(differs >> i & 1));
    }
  }
}

void prove_outputs(void) {
  golden_t *g = golden();
  outputs(g);
  Out = g->out;
  Out.quiescent = child_consolidation_golden_quiescent(g, &In);
}

void prove_restart(void) {
  prove_reset();
  memset(Owner, 0, sizeof Owner);
  memset(Before, 0, sizeof Before);
  memset(Place, 0, sizeof Place);
  memset(IsUsed, 0, sizeof IsUsed);
  memset(IsOdd, 0, sizeof IsOdd);
  memset(HasNext, 0, sizeof HasNext);
  memset(LastPlace, 0, sizeof LastPlace);
  memset(&Monitor, 0, sizeof Monitor);
}

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("both ways of a set are taken", g->valid[0] != (1u << Ways) - 1);
  prove_check("a chain of three", !(g->walks && !g->is_void && g->used >= 3 &&
                                    g->entry[g->current].next != g->last && g->current != g->last));
  prove_check("two reads wait", g->reads < ReadDepth);
  prove_check("a beat waits for a line that comes",
              g->counters[ChildConsolidationCounterClosing] == 0);
}
