// SPDX-License-Identifier: Apache-2.0
// The draw scheduler: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// The RTL keeps a cut draw as it came and counts what is taken off it, the golden model keeps the
// rest; the RTL divides bit by bit, the golden model at once.

// Called functions stay functions, to be run by value.
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#include "csim/units/draw_scheduler/golden.c"
#pragma clang attribute pop
#include "tb/prove/wrapper.h"

enum {
  N = P_NumGpus,
  CreditBits = 32 - __builtin_clz(P_Credits),
  IndexBits = N <= 2 ? 1 : 32 - __builtin_clz(N - 1),
  WordBits = 100 + P_ByAll + 16 * P_Weights,
};

PROVE_UNIT(draw_scheduler)

const bool FindRelation = true, FindWidths = true;

struct related {
  uint64_t todo, scheduled[N], processed[N], remaining[N];
  uint16_t credit[N];
} Related;

struct word {
  uint32_t count, first, id, kind, op, by_all, weight;
};
struct rtl {
  uint64_t head[2], next[2];  // of the queue: first, count; weight, by_all, op, kind, id
  uint32_t done, left, range, current, quotient, rest;
} Rtl;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
#define RTL(member, name, bits) PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, 1)
const prove_register_t Registers[] = {
    MEMBER(todo, "todo_q", N, 1),
    MEMBER(scheduled, "scheduled_q", P_CountWidth, N),
    MEMBER(processed, "processed_q", P_CountWidth, N),
    MEMBER(remaining, "remaining_q", P_CountWidth, N),
    MEMBER(credit, "credit_q", CreditBits, N),
    {"u_queue.gen_shift.first_q", ProveRtl, offsetof(struct rtl, head), 16, WordBits, 1},
    {"u_queue.gen_shift.second_q", ProveRtl, offsetof(struct rtl, next), 16, WordBits, 1},
    RTL(done, "done_q", 32),
    RTL(left, "left_q", 32),
    RTL(range, "range_q", 32),
    RTL(current, "current_q", IndexBits),
    RTL(quotient, "u_divider.quotient_q", 32),
    RTL(rest, "u_divider.rest_q", IndexBits + 1)};

static golden_t *golden(void) { return Engine.self; }

void prove_relate(void) {
  const golden_t *g = golden();
  Related.todo = g->todo;
  for (uint32_t i = 0; i < N; i++) {
    Related.scheduled[i] = g->scheduled[i];
    Related.remaining[i] = g->remaining[i];
    Related.credit[i] = g->credits[i];
    Related.processed[i] = g->scheduled[i] - g->remaining[i];
  }
}

static struct word word_of(const uint64_t bits[2]) {
  return (struct word){.count = (uint32_t)bits[0],
                       .first = (uint32_t)(bits[0] >> 32),
                       .id = (uint32_t)bits[1],
                       .kind = bits[1] >> 32 & 3,
                       .op = bits[1] >> 34 & 3,
                       .by_all = P_ByAll ? bits[1] >> 36 & 1 : 0,
                       .weight = P_Weights ? bits[1] >> (36 + P_ByAll) & 0xffff : 0};
}

// Fields of a command that only some builds have.
static bool is_same_extension(const command_t *command, const struct word *word) {
  return (!P_ByAll || command->by_all == word->by_all) &&
         (!P_Weights || command->weight == word->weight);
}

// All that counts of a command; the kind is read at the start of a group only.
static bool is_same_command(const command_t *command, const struct word *word) {
  return command->id == word->id && command->op == word->op &&
         (command->op != DrawSchedulerOpGroupStart || command->kind == word->kind) &&
         is_same_extension(command, word);
}

static void check_queue(const golden_t *g) {
  const command_t *head = &g->queue[0], *next = &g->queue[1];
  const struct word first = word_of(Rtl.head), second = word_of(Rtl.next);
  prove_check("at most two commands wait", g->queued <= QueueDepth);
  prove_check("what is cut is in the queue", !g->is_cut || g->queued > 0);
  prove_check("nothing is taken off a draw that is not cut", g->is_cut || Rtl.done == 0);
  prove_check("an empty queue shows the first code",
              g->queued > 0 || first.op == DrawSchedulerOpGroupStart);
  if (g->queued >= 1) {
    prove_check("the oldest command", head->count == first.count - Rtl.done &&
                                          head->first == first.first + Rtl.done &&
                                          Rtl.done <= first.count && is_same_command(head, &first));
  }
  if (g->queued == QueueDepth) {
    prove_check("the command behind it", next->count == second.count &&
                                             next->first == second.first &&
                                             is_same_command(next, &second));
  }
}

// The result of the steps left to the divider's registers. Called for each number of steps by
// itself: with constants the solver sees one chain at a time. The last range may be longer than
// what is left of the group, since no more than that is cut off it.
static void check_divider(const golden_t *g, uint32_t steps) {
  uint32_t quotient = Rtl.quotient, rest = Rtl.rest;
  for (uint32_t i = 0; i < steps; i++) {
    const uint32_t longer = rest << 1 | quotient >> 31;
    const bool fits = longer >= N;
    quotient = quotient << 1 | fits;
    rest = (fits ? longer - N : longer) & ((2u << IndexBits) - 1);
  }
  // Only the ranges that are still to come are made of them.
  const bool is_used = steps > 0 || g->range_gpu < N - 1;
  const bool next_is_last = steps == 0 && g->range_gpu == N - 2;
  // Its upper bit is free for the carry of what a range is longer by.
  const bool is_longer = quotient > g->range_base && quotient >> 31 == 0;
  prove_check("the divider comes to the quotient",
              !is_used || quotient == g->range_base || (next_is_last && is_longer));
  prove_check("the divider comes to the rest",
              !is_used || ((rest == g->range_longer || next_is_last) && Rtl.rest < N));
}

static void check_ranges(const golden_t *g) {
  const bool is_transparent = g->open && g->kind == DrawSchedulerGroupTransparent;
  const command_t *head = &g->queue[0];
  prove_check("the divider runs for transparent groups only", g->divider == 0 || is_transparent);
  prove_check("the divider takes a cycle a bit", g->divider <= DividerCycles);
  prove_check("a draw that is cut fits",
              !g->is_cut || (is_transparent && g->divider == 0 && head->op == DrawSchedulerOpDraw &&
                             head->count > 0 && head->count <= g->left));
  prove_check("a draw that is cut goes on with another GPU's range",
              !g->is_cut || g->range_gpu > 0);
  if (!is_transparent) {
    return;
  }
  uint64_t later = 0;
  for (uint32_t i = 0; i < N; i++) {
    later += i > g->range_gpu ? (uint64_t)g->range_base + (i < g->range_longer) : 0;
  }
  for (uint32_t steps = 0; steps <= DividerCycles; steps++) {
    if (g->divider == steps) {
      check_divider(g, steps);
    }
  }
  prove_check("what is left of the group", Rtl.left == g->left);
  prove_check("the ranges add up to what is left",
              g->left == (g->range_gpu == N ? 0 : g->range_rest + later));
  prove_check("a range is empty where nothing is left",
              g->range_rest > 0 || g->range_gpu == N ||
                  (g->range_base == 0 && g->range_gpu >= g->range_longer));
  prove_check("fewer than all ranges are longer", g->range_longer < N);
  if (g->divider > 0) {
    prove_check("the first range waits for the divider",
                g->range_gpu == 0 && g->range_rest == g->range_base + (g->range_longer > 0));
  } else {
    prove_check("whose range is under way", g->range_gpu == N || Rtl.current == g->range_gpu);
    prove_check("the range under way", g->range_gpu == N || Rtl.range == g->range_rest ||
                                           (g->range_gpu == N - 1 && Rtl.range > g->range_rest));
  }
}

void prove_invariant(void) {
  const golden_t *g = golden();
  prove_check("the group has a kind", g->kind != KindIllegal);
  prove_check("an error has a name", g->error < DrawSchedulerErrors);
  prove_check("no change of what the table counts where it counts triangles only",
              P_Weights || g->error != DrawSchedulerErrorMode);
  check_queue(g);
  check_ranges(g);
  for (uint32_t i = 0; i < N; i++) {
    prove_check("no more credits than the queue has", g->credits[i] <= P_Credits);
    prove_check("who has a credit", (g->has_credit >> i & 1) == (g->credits[i] > 0));
    const bool is_near = P_OpaqueAhead == 0 || P_Credits - g->credits[i] < P_OpaqueAhead;
    prove_check("who may be given an opaque draw", (g->near >> i & 1) == is_near);
    prove_check("who has all credits", (g->full >> i & 1) == (g->credits[i] == P_Credits));
    prove_check("no more is processed than was scheduled", g->remaining[i] <= g->scheduled[i]);
  }
  prove_check("who is still to get a piece has none", (g->todo & g->piece_valid) == 0);
  prove_check("the choice that is remembered is the choice",
              !g->is_choice_known || g->choice == least_remaining(g));
}

// ---- Safety and progress, on the ports ----

// Credits that make a GPU that any draw may go to.
enum {
  Enough = P_OpaqueAhead > 0 && P_OpaqueAhead < P_Credits ? P_Credits - P_OpaqueAhead + 1 : 1,
  MostWaiting = DividerCycles + Enough + 3,
};

// Cycles in which the head of the queue leaves or sends a piece, if all pieces are taken and each
// GPU that owes a credit gives one back in every cycle.
static uint32_t head_distance(const golden_t *g) {
  uint32_t lack = 0;
  for (uint32_t i = 0; i < N; i++) {
    lack = g->credits[i] + lack < Enough ? Enough - g->credits[i] : lack;
  }
  return g->divider + (g->todo == 0 ? lack + 1 : 2 + Enough + !!(g->todo & ~g->has_credit));
}

static void check_pieces(const golden_t *was, const golden_t *g) {
  const uint64_t stays = was->piece_valid & ~In.piece_ready, rises = g->piece_valid & ~stays;
  prove_check(
      "a piece is held until it is taken",
      (stays & ~g->piece_valid) == 0 &&
          (stays == 0 || (g->piece_id == was->piece_id && g->piece_first == was->piece_first &&
                          g->piece_count == was->piece_count && g->piece_kind == was->piece_kind &&
                          g->piece_compose == was->piece_compose)));
  prove_check("a GPU that is still to get a piece gets it, or stays to get it",
              (was->todo & ~(g->todo | rises)) == 0);
  for (uint32_t i = 0; i < N; i++) {
    const bool is_back = In.credit >> i & 1, is_spent = rises >> i & 1;
    prove_check("a piece costs a credit, which comes back once",
                g->credits[i] + is_spent == was->credits[i] + is_back ||
                    (was->credits[i] == P_Credits && is_back && !is_spent &&
                     g->credits[i] == P_Credits && g->error != 0));
    prove_check("who waits for a credit gets the piece once it has one",
                !(was->todo & was->has_credit & ~rises & (UINT64_C(1) << i)));
  }
}

void prove_setup(void) {
  prove_width(&golden()->todo, sizeof golden()->todo, N);
  prove_width(&golden()->has_credit, sizeof golden()->has_credit, N);
  for (uint32_t i = 0; i < N; i++) {
    prove_width(&golden()->scheduled[i], sizeof golden()->scheduled[i], P_CountWidth);
    prove_width(&golden()->credits[i], sizeof golden()->credits[i], CreditBits);
    prove_width(&golden()->remaining[i], sizeof golden()->remaining[i], P_CountWidth);
  }
  prove_by_value("least_remaining", &golden()->last, sizeof golden()->last, N);
}

void prove_outputs(void) {
  write_outputs(golden(), &In, &Out);
  Engine.observe(Engine.self, &State);
}

void prove_step(void) {
  const golden_t was = *golden();
  prove_clock();
  const golden_t *g = golden();
  const bool takes = In.cmd_valid && was.queued < QueueDepth;
  const uint32_t left = was.queued + takes - g->queued;
  const bool pieces_taken = (was.piece_valid & ~In.piece_ready) == 0;
  const bool credits_back = (~was.full & g->all & ~In.credit) == 0;
  const bool cuts = left == 0 && was.left != g->left;
  check_pieces(&was, g);
  prove_check("commands leave one by one", left <= (was.queued > 0));
  prove_check("a cut of a draw uses up the draw or a range",
              !cuts || g->range_gpu == was.range_gpu + 1);
  prove_check("a command moves in time, if pieces are taken and credits given back",
              was.queued == 0 || left || cuts || !pieces_taken || !credits_back ||
                  (head_distance(&was) <= MostWaiting && head_distance(g) < head_distance(&was)));
  prove_check("the first error stays", was.error == 0 || g->error == was.error);
}
