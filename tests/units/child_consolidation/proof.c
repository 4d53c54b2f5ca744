// SPDX-License-Identifier: Apache-2.0
// The consolidation: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// The contents of empty queues and entries, and of a closed fetch, do not matter in
// either; so is where an idle walker stands.
#include "csim/units/child_consolidation/golden.c"
#include "tb/prove/wrapper.h"

enum {
  N = P_Entries,
  Sets = 1 << P_SetBits,
  Ways = P_Ways,
  Fetches = Sets * Ways,
  Walker = Fetches,  // as an owner of entries
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
  uint32_t insert;
  uint16_t close;
  uint8_t beats, reads, runs, head, tail, used, valid[Ways], generation[Ways][3];
  bool walks, is_void, error;
} Related;

struct rtl {
  uint8_t beat[BeatDepth][(BeatBits + 7) / 8], read[ReadDepth][(ReadBits + 7) / 8];
  uint8_t run[RunDepth][(RunBits + 7) / 8], word[N][(WordBits + 7) / 8];
  uint32_t line[Ways][Sets], done;
  uint8_t next[N], first[Ways][Sets], last[Ways][Sets], current, end;
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
const prove_register_t Registers[] = {
    MEMBER(counters, "gen_observe.u_counters.counter_q", P_CountWidth, ChildConsolidationCounters),
    MEMBER(seen, "gen_observe.seen_q", P_CountWidth, 1),
    MEMBER(peek_data, "gen_observe.peek_data_q", 64, 1),
    MEMBER(insert, "gen_observe.insert_report_q", InsertBits, 1),
    MEMBER(close, "gen_observe.close_report_q", 9, 1),
    QUEUE(beat, "u_beats", BeatBits),
    QUEUE(read, "u_reads", ReadBits),
    QUEUE(run, "u_runs", RunBits),
    MEMBER(head, "head_q", EntryBits, 1),
    MEMBER(tail, "tail_q", EntryBits, 1),
    MEMBER(used, "used_q", EntryBits + 1, 1),
    MEMBER(walks, "busy_q", 1, 1),
    MEMBER(is_void, "void_q", 1, 1),
    MEMBER(error, "error_q", 1, 1),
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

static golden_t *golden(void) { return Engine.self; }

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
      .used = (uint8_t)g->used,
      .walks = g->walks,
      .is_void = g->is_void,
      .error = g->error == ChildConsolidationErrorTake,
  };
  memcpy(Related.counters, g->counters, sizeof Related.counters);
  for (uint32_t f = 0; f < Fetches; f++) {
    const uint32_t way = f % Ways, set = f / Ways;
    Related.valid[way] |= (uint8_t)((g->valid[set] >> way & 1) << set);
    for (uint32_t i = 0; i < 3; i++) {
      Related.generation[way][i] |= (uint8_t)((g->fetch[f].generation >> i & 1) << set);
    }
  }
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

static void narrow_beat(uint8_t *slot, uint8_t *parent) {
  *slot &= 63;
  for (uint32_t i = 0; i < Texels; i++) {
    parent[i] &= 15;
  }
}

void prove_narrow(void) {
  golden_t *g = golden();
  g->beats = g->beats > BeatDepth ? 0 : g->beats & 3;
  g->reads = g->reads > ReadDepth ? 0 : g->reads & 3;
  g->runs = g->runs > RunDepth ? 0 : g->runs & 3;
  g->used = g->used > N ? 0 : g->used & (2 * N - 1);
  g->head &= N - 1;
  g->tail = (g->head + g->used) & (N - 1);
  g->current &= N - 1;
  g->last &= N - 1;
  g->error &= 1;
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
    narrow_beat(&g->entry[i].beat.slot, g->entry[i].beat.parent);
    if (i >= N) {
      g->entry[i] = (entry_t){0};
    }
  }
  for (uint32_t i = 0; i < 2; i++) {
    g->read[i].tag &= 0x700 | (Fetches - 1);
    narrow_beat(&g->beat[i].slot, g->beat[i].parent);
    narrow_beat(&g->run[i].slot, g->run[i].parent);
  }
  narrow_shown(g);
  narrow_monitor();
}

// ---- The invariant ----

// Whose chain an entry is in, as long as it is not done: a fetch's, or the walker's.
uint8_t Owner[N];

static bool is_alive(const golden_t *g, uint32_t i) {
  return ((i - g->head) & (N - 1)) < g->used && !g->entry[i].done;
}

// Compares two entries of the ring.
static bool is_before(const golden_t *g, uint32_t i, uint32_t k) {
  return ((i - g->head) & (N - 1)) < ((k - g->head) & (N - 1));
}

static bool same_beat(const uint8_t *word, const texel_generator_beat_t *b) {
  uint64_t parents = 0;
  for (uint32_t i = 0; i < Texels; i++) {
    parents |= (uint64_t)b->parent[i] << (4 * i);
  }
  return prove_bits(word, 0, 64) == parents && prove_bits(word, 64, 16) == b->texel &&
         prove_bits(word, 80, 1) == b->along_y && prove_bits(word, 81, 6) == b->slot;
}

static void check_queues(const golden_t *g) {
  prove_check("the queues are rings", Rtl.beat_tail == (Rtl.beat_head + g->beats) % 2 &&
                                          Rtl.read_tail == (Rtl.read_head + g->reads) % 2 &&
                                          Rtl.run_tail == (Rtl.run_head + g->runs) % 2);
  for (uint32_t k = 0; k < 2; k++) {
    const uint8_t *beat = Rtl.beat[(Rtl.beat_head + k) % 2];
    const uint8_t *read = Rtl.read[(Rtl.read_head + k) % 2];
    const uint8_t *run = Rtl.run[(Rtl.run_head + k) % 2];
    const child_consolidation_run_t *r = &g->run[k];
    texel_generator_beat_t said = {.slot = r->slot, .along_y = r->along_y, .texel = r->texel};
    memcpy(said.parent, r->parent, sizeof said.parent);
    prove_check("a beat in the queue",
                k >= g->beats || (same_beat(beat, &g->beat[k]) &&
                                  prove_bits(beat, WordBits, LineBits) == g->beat[k].line));
    prove_check("a read in the queue",
                k >= g->reads || (prove_bits(read, 0, LineBits) == g->read[k].line &&
                                  prove_bits(read, LineBits, 11) == g->read[k].tag));
    prove_check("a run in the queue",
                k >= g->runs || (same_beat(run, &said) && prove_bits(run, WordBits, 1) == r->last &&
                                 prove_bits(run, WordBits + 1, 1) == r->is_void));
  }
}

// The set of the oldest beat, from bit to bit of its line as the RTL works it out. One bit of a
// line follows from the others and its set.
static void check_set(const golden_t *g) {
  const uint8_t *beat = Rtl.beat[Rtl.beat_head % 2];
  bool rtl[P_SetBits] = {false}, known[P_SetBits] = {false};
  for (uint32_t i = 0; i < LineBits && P_Merge; i++) {
    rtl[i % P_SetBits] ^= g->beats > 0 && prove_bits(beat, WordBits + i, 1);
    known[i % P_SetBits] ^= g->beat[0].line >> i & 1;
    prove_check("the set of the oldest beat, up to a bit of its line",
                g->beats == 0 || rtl[i % P_SetBits] == known[i % P_SetBits]);
  }
  for (uint32_t i = 0; i < P_SetBits && P_Merge; i++) {
    prove_check("the set of the oldest beat",
                g->beats == 0 || rtl[i] == (set_of(g, g->beat[0].line) >> i & 1));
  }
}

static void check_difference(const golden_t *g, uint32_t set, uint32_t line) {
  const bool is_there = P_Merge && g->beats > 0 && set_of(g, g->beat[0].line) == set;
  for (uint32_t i = 0; i < LineBits; i++) {
    prove_check("the oldest beat's line is not one bit from one of its set",
                !is_there || (g->beat[0].line ^ line) != 1u << i);
  }
}

static void check_fetch(const golden_t *g, uint32_t f) {
  const uint32_t way = f % Ways, set = f / Ways;
  const fetch_t *fetch = &g->fetch[f];
  if (!is_valid(g, f)) {
    return;
  }
  prove_check("a fetch", Rtl.line[way][set] == fetch->line && Rtl.first[way][set] == fetch->first &&
                             Rtl.last[way][set] == fetch->last);
  prove_check("a fetch is in the set of its line", !P_Merge || set_of(g, fetch->line) == set);
  check_difference(g, set, fetch->line);
  for (uint32_t k = 0; k < f; k++) {
    prove_check("a line is under way in one fetch",
                !P_Merge || k / Ways != set || !is_valid(g, k) || g->fetch[k].line != fetch->line);
  }
  bool has_first = false, has_last = false;
  for (uint32_t i = 0; i < N; i++) {
    has_first |= fetch->first == i && is_alive(g, i) && Owner[i] == f;
    has_last |= fetch->last == i && is_alive(g, i) && Owner[i] == f;
  }
  prove_check("first and last of a fetch wait for it", has_first && has_last);
}

// The first and last entry of an owner, and whether it has any.
static uint32_t first_of(const golden_t *g, uint32_t owner) {
  uint32_t first = g->current;
  for (uint32_t f = 0; f < Fetches; f++) {
    first = owner == f ? g->fetch[f].first : first;
  }
  return first;
}

static uint32_t last_of(const golden_t *g, uint32_t owner) {
  uint32_t last = g->last;
  for (uint32_t f = 0; f < Fetches; f++) {
    last = owner == f ? g->fetch[f].last : last;
  }
  return last;
}

static uint32_t line_of(const golden_t *g, uint32_t owner);

static bool has_chain(const golden_t *g, uint32_t owner) {
  bool has = owner == Walker && g->walks && !g->is_void;
  for (uint32_t f = 0; f < Fetches; f++) {
    has |= owner == f && is_valid(g, f);
  }
  return has;
}

// The chain of an owner: its entries in the order of the ring, all of them.
static void check_entry(const golden_t *g, uint32_t i) {
  bool is_first = true, is_last = true, follows = true;
  if (!is_alive(g, i)) {
    return;
  }
  for (uint32_t k = 0; k < N; k++) {
    const bool same = k != i && is_alive(g, k) && Owner[k] == Owner[i];
    bool between = false;
    for (uint32_t b = 0; b < N; b++) {
      between |= b != i && b != k && is_alive(g, b) && Owner[b] == Owner[i] && is_before(g, i, b) &&
                 is_before(g, b, k);
    }
    is_first &= !(same && is_before(g, k, i));
    is_last &= !(same && is_before(g, i, k));
    follows &= !(same && is_before(g, i, k) && !between) || g->entry[i].next == k;
  }
  prove_check("an entry waits for a fetch, or the walker is on its way to it",
              Owner[i] <= Walker && has_chain(g, Owner[i]));
  prove_check("a chain begins with its first entry", is_first == (first_of(g, Owner[i]) == i));
  prove_check("a chain ends with its last entry", is_last == (last_of(g, Owner[i]) == i));
  prove_check("a chain has all its entries, in the order of the ring", follows);
  prove_check("where a chain goes on", is_last || !P_Merge || Rtl.next[i] == g->entry[i].next);
  prove_check("all of a chain want one line", g->entry[i].beat.line == line_of(g, Owner[i]));
}

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  check_queues(g);
  for (uint32_t i = 0; i < N; i++) {
    const bool is_used = ((i - g->head) & (N - 1)) < g->used;
    prove_check("an entry", !is_used || ((Rtl.done >> i & 1) == g->entry[i].done &&
                                         same_beat(Rtl.word[i], &g->entry[i].beat)));
  }
  check_set(g);
  for (uint32_t f = 0; f < Fetches; f++) {
    check_fetch(g, f);
  }
  for (uint32_t i = 0; i < N; i++) {
    check_entry(g, i);
  }
  bool is_at = false;
  for (uint32_t i = 0; i < N; i++) {
    is_at |= g->current == i && is_alive(g, i) && Owner[i] == Walker;
  }
  prove_check(
      "the walker is at an entry of its chain, and will come to its last one",
      !g->walks || g->is_void || (is_at && Rtl.current == g->current && Rtl.end == g->last));
  check_monitor(g);
}

// ---- Safety and progress, on the ports ----

enum {
  MostInside = BeatDepth + N + RunDepth,
  InsideMask = (2 << (31 - __builtin_clz(MostInside))) - 1,
  MostIdle = 2,
};

// Beats that were accepted and whose run was not taken; takes whose last run was not; of each
// fetch, whether a read of it was taken whose line has not come, and that line; for how many cycles
// a beat has waited where nothing was under way. is_misused: a line came before its read was taken;
// of reads nothing is said from then on. walked: the line that the walker's chain wants.
struct {
  uint32_t line[Fetches], walked;
  uint8_t inside, takes, asked, idle;
  bool is_misused;
} Monitor;

static uint32_t line_of(const golden_t *g, uint32_t owner) {
  uint32_t line = Monitor.walked;
  for (uint32_t f = 0; f < Fetches; f++) {
    line = owner == f ? g->fetch[f].line : line;
  }
  return line;
}

static void narrow_monitor(void) {
  for (uint32_t i = 0; i < N; i++) {
    Owner[i] = Owner[i] > Walker ? 0 : Owner[i] & (2 * Fetches - 1);
  }
  Monitor.inside = Monitor.inside > MostInside ? 0 : Monitor.inside & InsideMask;
  Monitor.takes &= 3;
  Monitor.asked &= (1u << Fetches) - 1;
  Monitor.idle &= 3;
}

static bool is_asked(uint32_t fetch) { return Monitor.asked >> fetch & 1; }

static void check_monitor(const golden_t *g) {
  uint32_t inside = g->beats, takes = g->walks;
  for (uint32_t i = 0; i < N; i++) {
    inside += is_alive(g, i);
  }
  for (uint32_t k = 0; k < RunDepth; k++) {
    inside += k < g->runs && !g->run[k].is_void;
    takes += k < g->runs && g->run[k].last;
  }
  prove_check("no beat is lost or doubled", Monitor.inside == inside);
  prove_check("each take has one last run", Monitor.takes == takes);
  for (uint32_t f = 0; f < Fetches && !Monitor.is_misused; f++) {
    uint32_t queued = 0;
    bool same = true;
    for (uint32_t k = 0; k < ReadDepth; k++) {
      const bool here = k < g->reads && (g->read[k].tag & 0xff) == f;
      queued += here;
      same &= !here || (g->read[k].line == g->fetch[f].line &&
                        g->read[k].tag >> 8 == g->fetch[f].generation);
    }
    prove_check("a fetch has one read, in the queue or under way",
                queued + is_asked(f) == is_valid(g, f));
    prove_check("a read asks for its fetch's line",
                same && (!is_asked(f) || Monitor.line[f] == g->fetch[f].line));
  }
  bool is_open = false;
  for (uint32_t f = 0; f < Fetches; f++) {
    is_open |= is_valid(g, f);
  }
  prove_check("a beat waits two cycles where nothing is under way",
              Monitor.is_misused || Monitor.idle == 0 ||
                  (g->beats > 0 && !is_open && Monitor.idle == 1 && g->used < N));
}

// The read that is taken.
static void follow_read(const child_consolidation_out_t *was) {
  const uint32_t fetch = was->read.tag & 0xff;
  bool is_new = fetch < Fetches && !is_asked(fetch % Fetches);
  for (uint32_t f = 0; f < Fetches; f++) {
    is_new &= !is_asked(f) || !P_Merge || Monitor.line[f] != was->read.line;
  }
  prove_check("a read is of a fetch and a line that are not under way",
              is_new || Monitor.is_misused);
  Monitor.asked |= (uint8_t)(1u << fetch % Fetches);
  Monitor.line[fetch % Fetches] = was->read.line;
}

// A line comes: the entries of its fetch are the walker's.
static void follow_take(const golden_t *g, int32_t closed) {
  Monitor.takes++;
  for (uint32_t f = 0; f < Fetches; f++) {
    if (closed != (int32_t)f) {
      continue;
    }
    Monitor.is_misused |= !is_asked(f);
    Monitor.asked &= (uint8_t) ~(1u << f);
    Monitor.walked = g->fetch[f].line;
    for (uint32_t i = 0; i < N; i++) {
      Owner[i] = is_alive(g, i) && Owner[i] == f ? Walker : Owner[i];
    }
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

void prove_step(void) {
  const golden_t *g = golden();
  const child_consolidation_out_t was = g->out;
  const bool accepts = In.beat_valid && was.beat_ready, takes = In.take_valid && was.take_ready;
  const bool reads = was.read_valid && In.read_ready, runs = was.run_valid && In.run_ready;
  const bool walked = g->walks, waits = g->beats > 0;
  const int32_t closed = takes ? named(g, In.take_tag) : -1;
  const bool under_way = Monitor.asked || was.read_valid || was.run_valid || Monitor.takes;
  if (reads) {
    follow_read(&was);
  }
  if (takes) {
    follow_take(g, closed);
  }
  Monitor.idle = waits && !under_way ? Monitor.idle + (Monitor.idle < MostIdle) : 0;
  prove_clock();
  for (uint32_t i = 0; i < N; i++) {
    Owner[i] = Out.insert_valid && Out.insert_index == i ? Out.insert_fetch : Owner[i];
  }
  Monitor.idle = Out.insert_valid ? 0 : Monitor.idle;
  Monitor.inside += accepts;
  Monitor.inside -= runs && !was.run.is_void;
  Monitor.takes -= runs && was.run.last;
  prove_check("a walker has a run in the cycle after", !walked || Out.run_valid);
  prove_check("a void run, and an error, are of a tag that names no fetch",
              (Out.error != 0) == (was.error != 0 || (takes && closed < 0)));
  check_held(&was);
}

void prove_restart(void) {
  prove_reset();
  memset(Owner, 0, sizeof Owner);
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
