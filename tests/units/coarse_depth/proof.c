// SPDX-License-Identifier: Apache-2.0
// The shared coarse depth: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// A word of the tables is of no matter in the RTL while it is not in use or not yet swept; the
// golden model has forgotten it already.
#include "csim/units/coarse_depth/golden.c"
#include "tb/prove/wrapper.h"

enum {
  Lanes = P_NumGpus - 1,
  Blocks = P_Blocks,
  Depth = P_DepthWidth,
  Base = P_BaseWidth,
  Far = (1 << Depth) - 1,
  AllLanes = (int)(UINT64_MAX >> (64 - Lanes)),
  Words = Blocks / WordBlocks,
  BlockBits = 32 - __builtin_clz(Blocks - 1),
  CountBits = 32 - __builtin_clz(Blocks),
  WordBits = BlockBits - 4,
  EntryBits = BlockBits + Depth,
  HiddenBytes = 2 * Depth,
  ToldBytes = HiddenBytes + 2,
};
_Static_assert(Blocks % WordBlocks == 0 && Lanes < 32 && EntryBits <= 32,
               "a size that it can prove");

PROVE_UNIT(coarse_depth)

// Symbolic, the memories are functions of a place, and what is said of each block is said of any
// one of them; else each is looked at.
#ifdef PROVE_SYMBOLIC
enum { Picks = 1, WordPicks = 1, Known = 5 };
struct {
  uint16_t block;
} Any, Instances[Known];

static uint32_t pick(uint32_t i) { return i + Any.block; }
static uint32_t pick_word(uint32_t i) { return i + Any.block / WordBlocks; }
#else
enum { Picks = Blocks, WordPicks = Words };
const bool FindWidths = true;

static uint32_t pick(uint32_t i) { return i; }
static uint32_t pick_word(uint32_t i) { return i; }
#endif

struct related {
  uint32_t blocks, word, hear, send;
  uint8_t base, error, operation, tells, hears;
  bool sweep, walk, epoch, hear_last, seen;
} Related;

struct rtl {
  uint32_t epoch_left, tell, tell_second, hear_second, entry, last_word, sweep_word, send_block,
      send_depth;
  uint8_t send_base, seen_lane;
  bool seen_nothing;
  uint8_t hidden_read[HiddenBytes], told_read[ToldBytes], look_read[HiddenBytes];
} Rtl;

#define MEMBER(member, name, bits) PROVE_MEMBER(ProveRelated, struct related, member, name, bits, 1)
#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
const prove_register_t Registers[] = {
    MEMBER(blocks, "blocks_q", CountBits),
    MEMBER(word, "word_q", WordBits),
    MEMBER(hear, "u_hears.gen_shift.first_q", EntryBits),
    MEMBER(send, "send_q", Lanes),
    MEMBER(base, "base_q", Base),
    MEMBER(error, "error_q", 3),
    MEMBER(operation, "operation_q", 2),
    MEMBER(tells, "u_tells.count_q", 2),
    MEMBER(hears, "u_hears.count_q", 2),
    MEMBER(sweep, "sweep_q", 1),
    MEMBER(walk, "walk_q", 1),
    MEMBER(epoch, "epoch_q", 1),
    MEMBER(hear_last, "hear_last_q", 1),
    MEMBER(seen, "seen_q", 1),
    RTL(epoch_left, "epoch_left_q", 16, 1),
    RTL(tell, "u_tells.gen_shift.first_q", EntryBits, 1),
    RTL(tell_second, "u_tells.gen_shift.second_q", EntryBits, 1),
    RTL(hear_second, "u_hears.gen_shift.second_q", EntryBits, 1),
    RTL(entry, "entry_q", EntryBits, 1),
    RTL(last_word, "last_word_q", WordBits, 1),
    RTL(sweep_word, "sweep_word_q", WordBits, 1),
    RTL(send_block, "send_block_q", BlockBits, 1),
    RTL(send_depth, "send_depth_q", Depth, 1),
    RTL(send_base, "send_base_q", Base, 1),
    RTL(seen_lane, "seen_lane_q", 4, 1),
    RTL(seen_nothing, "seen_nothing_q", 1, 1),
    RTL(hidden_read, "u_hidden.a_data_q", 8 * HiddenBytes, 1),
    RTL(told_read, "u_told.u_memory.a_data_q", 8 * ToldBytes, 1),
    RTL(look_read, "u_hidden.gen_b.b_data_q", 8 * HiddenBytes, 1),
};

static golden_t *golden(void) { return Engine.self; }

static uint32_t packed(entry_t e) { return e.block << Depth | e.depth; }

void prove_relate(void) {
  const golden_t *g = golden();
  Related = (struct related){
      .blocks = g->blocks,
      .word = g->word,
      .hear = g->hears.count > 0 ? packed(g->hears.entry[0]) : 0,
      .send = (uint32_t)g->send,
      .base = (uint8_t)g->base,
      .error = g->error,
      .operation = (uint8_t)g->operation,
      .tells = (uint8_t)g->tells.count,
      .hears = (uint8_t)g->hears.count,
      .sweep = g->sweep_left > 0,
      .walk = g->walk,
      .epoch = g->epoch,
      .hear_last = g->hear_last,
      .seen = g->seen,
  };
}

// ---- Invariant ----

// One block of a word of bytes.
static uint32_t lane(const uint8_t *word, uint32_t k) {
  return (uint32_t)prove_bits(word, Depth * k, Depth);
}

static uint16_t due_of(const uint8_t *told) {
  return (uint16_t)prove_bits(told, WordBlocks * Depth, WordBlocks);
}

static void check_word(const golden_t *g, const uint8_t *hidden, const uint8_t *told, uint32_t w,
                       bool counts, const char *what) {
  prove_check(what, !counts || due_of(told) == g->due[w]);
  for (uint32_t k = 0; k < WordBlocks; k++) {
    prove_check(what, !counts || lane(hidden, k) == g->hidden[WordBlocks * w + k]);
    prove_check(what, !counts || lane(told, k) == g->told[WordBlocks * w + k]);
  }
}

static void check_tables(const golden_t *g) {
  const uint32_t words = words_of(g->blocks);
  const uint32_t at = g->operation == WalkStep ? g->word : g->entry.block / WordBlocks;
  for (uint32_t i = 0; i < WordPicks; i++) {
    const uint32_t w = pick_word(i);
    uint8_t hidden[HiddenBytes], told[ToldBytes];
    prove_memory("u_hidden.words_q", Words, 8 * HiddenBytes, w, hidden);
    prove_memory("u_told.u_memory.words_q", Words, 8 * ToldBytes, w, told);
    const bool is_known = w < words && (g->sweep_left == 0 || w < Rtl.sweep_word);
    check_word(g, hidden, told, w, is_known, "the tables");
    check_word(g, Rtl.hidden_read, Rtl.told_read, w, g->operation != NoOperation && at == w,
               "the word of the operation");
  }
  prove_check("the last word in use", g->blocks == 0 || Rtl.last_word == words - 1);
  prove_check("the word of the sweep",
              g->sweep_left == 0 || Rtl.sweep_word == words - g->sweep_left);
}

static void check_registers(const golden_t *g) {
  const bool second = g->tells.count == QueueDepth, other = g->hears.count == QueueDepth;
  prove_check("the cycles left of an epoch", !g->epoch || Rtl.epoch_left == g->epoch_left);
  prove_check("the first tell", g->tells.count == 0 || Rtl.tell == packed(g->tells.entry[0]));
  prove_check("the second tell", !second || Rtl.tell_second == packed(g->tells.entry[1]));
  prove_check("the second hear", !other || Rtl.hear_second == packed(g->hears.entry[1]));
  prove_check("the operation's entry", g->operation == NoOperation || g->operation == WalkStep ||
                                           Rtl.entry == packed(g->entry));
  prove_check("the message", g->send == 0 || (Rtl.send_block == g->message.block &&
                                              Rtl.send_depth == g->message.depth &&
                                              Rtl.send_base == g->message_base));
  const uint32_t seen = Rtl.seen_nothing ? Far : lane(Rtl.look_read, Rtl.seen_lane & 15);
  prove_check("the answer", !g->seen || seen == g->seen_depth);
}

static bool queue_in_use(const queue_t *q, uint32_t blocks) {
  return (q->count < 1 || q->entry[0].block < blocks) &&
         (q->count < 2 || q->entry[1].block < blocks);
}

static void check_reach(const golden_t *g) {
  prove_check("no more than there are",
              g->blocks <= Blocks && g->tells.count <= QueueDepth && g->hears.count <= QueueDepth);
  prove_check(
      "what waits or is under way is in use",
      queue_in_use(&g->tells, g->blocks) && queue_in_use(&g->hears, g->blocks) &&
          (g->operation == NoOperation || g->operation == WalkStep || g->entry.block < g->blocks));
  prove_check("a sweep is alone",
              g->sweep_left == 0 || (g->operation == NoOperation && g->tells.count == 0 &&
                                     g->hears.count == 0 && !g->walk && !g->epoch));
  prove_check("a sweep is of the words in use", g->sweep_left <= words_of(g->blocks));
  prove_check("a step is a walk's, and has the lanes",
              g->operation != WalkStep || (g->walk && g->send == 0));
  prove_check("a walk is of the words in use",
              g->walk ? g->word < words_of(g->blocks) : g->word == 0);
  prove_check("an epoch has blocks in use", !g->epoch || g->blocks > 0);
  prove_check("only an epoch has cycles left", g->epoch || g->epoch_left == 0);
  for (uint32_t i = 0; i < WordPicks && pick_word(i) < Words; i++) {
    const uint32_t w = pick_word(i);
    const bool is_used = w < words_of(g->blocks), ahead = g->epoch || (g->walk && g->word <= w);
    prove_check("what is due has a walk before it", !is_used || g->due[w] == 0 || ahead);
    for (uint32_t b = WordBlocks * w, k = 0; k < WordBlocks; b++, k++) {
      const bool due = g->due[w] >> k & 1;
      prove_check("a sweep finds all forgotten",
                  g->sweep_left == 0 || (!due && g->hidden[b] == Far && g->told[b] == Far));
      prove_check("what is due is in use", !due || b < g->blocks || !is_used);
    }
  }
}

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  check_tables(g);
  check_registers(g);
  check_reach(g);
  check_monitor(g);
}

// ---- Safety and progress, on the ports ----

// The least depth that was told or heard of each block since the last forget; cycles that a tell
// and a hear have waited at most; cycles in which a walk did not move.
uint16_t Least[Blocks];
struct {
  uint8_t tell_wait, hear_wait, still;
} Monitor;

static void follow_least(uint32_t block, uint32_t depth) {
  if (depth < Least[block]) {
    Least[block] = (uint16_t)depth;
  }
}

static void check_monitor(const golden_t *g) {
  for (uint32_t i = 0; i < Picks && pick(i) < Blocks; i++) {
    const uint32_t b = pick(i);
    bool held = g->hidden[b] >= Least[b] && g->told[b] >= Least[b];
    for (uint32_t k = 0; k < QueueDepth; k++) {
      const entry_t *t = &g->tells.entry[k], *h = &g->hears.entry[k];
      held &= k >= g->tells.count || t->block != b || t->depth >= Least[b];
      held &= k >= g->hears.count || h->block != b || h->depth >= Least[b];
    }
    held &= g->operation == NoOperation || g->operation == WalkStep || g->entry.block != b ||
            g->entry.depth >= Least[b];
    prove_check("nothing is nearer than what was told or heard of its block", held);
  }
  const uint32_t step = g->operation == WalkStep;
  prove_check("a tell's wait ends", g->tells.count < QueueDepth
                                        ? Monitor.tell_wait == 0
                                        : Monitor.tell_wait + (g->hear_last ? 2 : 4) - step <= 4);
  prove_check("a hear's wait ends", g->hears.count < QueueDepth
                                        ? Monitor.hear_wait == 0
                                        : Monitor.hear_wait + (g->hear_last ? 4 : 2) - step <= 4);
  prove_check("a walk that does not move has begun a step",
              Monitor.still == 0 || (Monitor.still == 1 && step));
}

static void check_forgotten(bool forgets, bool sweeps, const golden_t *g, const uint32_t *before) {
  for (uint32_t i = 0; i < Picks && pick(i) < Blocks; i++) {
    const uint32_t is = g->hidden[pick(i)];
    prove_check("a hidden depth rises by a forget only", forgets || sweeps || is <= before[i]);
    prove_check("a forget leaves nothing", !forgets || is == Far);
  }
}

static void check_walk(const golden_t *was, const golden_t *g, bool forgets) {
  const bool free = (was->send & ~In.send_ready) == 0;
  const bool moved = !g->walk || g->word != was->word || g->send != 0;
  prove_check("an epoch ends in its time",
              !was->epoch || forgets || was->epoch_left > 0 || was->walk || g->walk);
  prove_check("an epoch's time passes",
              !was->epoch || forgets || was->epoch_left == 0 || g->epoch_left < was->epoch_left);
  Monitor.still = was->walk && g->walk && free && !moved ? (uint8_t)(Monitor.still + 1) : 0;
  prove_check("a walk whose messages are taken moves every second cycle", Monitor.still < 2);
}

static void follow_wait(uint8_t *wait, const queue_t *was, const queue_t *is) {
  *wait = was->count == QueueDepth && is->count == QueueDepth ? (uint8_t)(*wait + 1) : 0;
}

void prove_step(void) {
  const golden_t was = *golden();
  uint32_t hidden[Picks] = {0};
  for (uint32_t i = 0; i < Picks && pick(i) < Blocks; i++) {
    hidden[i] = was.hidden[pick(i)];
  }
  const bool forgets = In.forget_valid && In.forget_blocks <= Blocks;
  const bool looks = In.look_valid && In.look_block < was.blocks;
  const uint32_t seen = looks ? Least[In.look_block] : 0;
  prove_clock();
  const golden_t *g = golden();
  prove_check("an answer to each look", Out.seen_valid == In.look_valid);
  prove_check("what is seen was told or heard, or is farther", !looks || Out.seen_depth >= seen);
  check_forgotten(forgets, was.sweep_left > 0, g, hidden);
  check_walk(&was, g, forgets);
  const uint64_t kept = was.send & ~In.send_ready;
  prove_check(
      "a message is held until it is taken",
      kept == 0 || (g->send == kept && g->message.block == was.message.block &&
                    g->message.depth == was.message.depth && g->message_base == was.message_base));
  prove_check("a message is of its base",
              g->send == 0 || was.send != 0 || g->message_base == was.base);
  prove_check("the first error stays", was.error == 0 || g->error == was.error);
  if (In.tell_valid && was.tells.count < QueueDepth && In.tell_block < was.blocks) {
    follow_least(In.tell_block, In.tell_depth);
  }
  if (In.hear_valid && was.hears.count < QueueDepth && In.hear_base == was.base &&
      In.hear_block < was.blocks) {
    follow_least(In.hear_block, In.hear_depth);
  }
  if (forgets) {
    for (uint32_t b = 0; b < Blocks; b++) {
      Least[b] = Far;
    }
  }
  follow_wait(&Monitor.tell_wait, &was.tells, &g->tells);
  follow_wait(&Monitor.hear_wait, &was.hears, &g->hears);
}

PROVE_MONITOR_RESTART

#ifdef PROVE_SYMBOLIC
void prove_setup(void) {
  const golden_t *g = golden();
  prove_symbolic("hidden", g->hidden, sizeof *g->hidden);
  prove_symbolic("told", g->told, sizeof *g->told);
  prove_symbolic("due", g->due, sizeof *g->due);
  prove_symbolic("Least", Least, sizeof *Least);
  prove_width(&g->sweep_left, sizeof g->sweep_left, WordBits + 1);
  prove_width(&g->word, sizeof g->word, WordBits);
  prove_width(&g->epoch_left, sizeof g->epoch_left, 16);
  prove_width(&g->hear_last, sizeof g->hear_last, 1);
  prove_width(&g->tells.count, sizeof g->tells.count, 2);
  prove_width(&g->hears.count, sizeof g->hears.count, 2);
}

// The blocks of the clock: of the look, the operation, and those that may be the next one's.
void prove_instances(void) {
  const golden_t *g = golden();
  Instances[0].block = In.look_block;
  Instances[1].block = (uint16_t)g->entry.block;
  Instances[2].block = (uint16_t)(g->word * WordBlocks);
  Instances[3].block = (uint16_t)g->tells.entry[0].block;
  Instances[4].block = (uint16_t)g->hears.entry[0].block;
}
#endif

void prove_cover(void) {
  prove_check("a message of the second base", golden()->send == 0 || golden()->message_base < 2);
  prove_check("a walk with its epoch", !golden()->walk || !golden()->epoch);
}
