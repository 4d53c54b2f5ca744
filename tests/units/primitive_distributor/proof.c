// SPDX-License-Identifier: Apache-2.0
// The primitive distributor: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// The contents of places, queue and masks that hold nothing do not matter in either. The golden
// model divides, the RTL multiplies by an inverse: that this is the same is proved apart
// (prove_instead_work_tile), and products stay open (tb/prove/product.h). The monitor keeps the
// clusters of what is in each place, so that each move is a small question.
#include <stdint.h>

static __attribute__((noinline)) uint32_t work_tile(uint32_t position, uint32_t wt);
#include "csim/units/primitive_distributor/golden.c"
#include "tb/prove/wrapper.h"

enum {
  N = P_Clusters,
  Batch = P_Batch,
  Pos = P_PosWidth,
  Prim = P_PrimWidth,
  Side = 1 << Pos,
  InverseBits = Pos + 6,
  DividerCycles = InverseBits + 3,
  SideBits = 32 - __builtin_clz(N),
  StepBits = 32 - __builtin_clz(N - 1),
  CountBits = 32 - __builtin_clz(Batch),
  All = (1 << N) - 1,
  MostPending = 5 + Batch - 1,  // in places, queue and batch: primitives and closes before masks
  Bound = 4 * N + 6,
};

PROVE_UNIT(primitive_distributor)

const uint8_t OpenProducts = 6;
const bool FindRelation = true, FindWidths = true;
struct related {
  uint64_t first;
} Related;

struct rtl {
  uint64_t second;
  uint32_t inverse;
  uint16_t row, x0, y0, x1, y1, start_x0, start_y0, start_x1, start_y1;
  uint8_t wt, rest, op, start_op, close, columns, rows, first, set, mask_count;
  uint32_t mask_first, mask[N];
} Rtl;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
const prove_register_t Registers[] = {
    MEMBER(first, "u_queue.gen_shift.first_q", 2 + 4 * Pos, 1),
    RTL(second, "u_queue.gen_shift.second_q", 2 + 4 * Pos, 1),
    RTL(inverse, "inverse_q", InverseBits + 1, 1),
    RTL(wt, "wt_q", 7, 1),
    RTL(rest, "rest_q", 6, 1),
    RTL(row, "row_q", Pos + 1, 1),
    RTL(op, "op_q", 2, 1),
    RTL(x0, "x0_q", Pos, 1),
    RTL(y0, "y0_q", Pos, 1),
    RTL(x1, "x1_q", Pos, 1),
    RTL(y1, "y1_q", Pos, 1),
    RTL(start_op, "start_op_q", 2, 1),
    RTL(start_x0, "start_x0_q", Pos, 1),
    RTL(start_y0, "start_y0_q", Pos, 1),
    RTL(start_x1, "start_x1_q", Pos, 1),
    RTL(start_y1, "start_y1_q", Pos, 1),
    RTL(close, "close_q", 1, 1),
    RTL(columns, "columns_q", SideBits, 1),
    RTL(rows, "rows_left_q", SideBits, 1),
    RTL(first, "first_q", StepBits, 1),
    RTL(set, "set_q", N, 1),
    RTL(mask_count, "mask_count_q", CountBits, 1),
    RTL(mask_first, "mask_first_q", Prim, 1),
    RTL(mask, "gen_cluster[%u].mask_q", Batch, N),
};

static golden_t *golden(void) { return Engine.self; }

static uint64_t packed(const primitive_t *p) {
  return (uint64_t)p->op << 4 * Pos | (uint64_t)p->x0 << 3 * Pos | (uint64_t)p->y0 << 2 * Pos |
         (uint32_t)p->x1 << Pos | p->y1;
}

void prove_relate(void) {
  const golden_t *g = golden();
  Related.first = g->queued > 0 ? packed(&g->queue[0]) : 0;
}

// Divided by a size, it gives the inverse.
enum { Dividend = (1 << InverseBits) + MaxWt - 1 };

static __attribute__((noinline)) uint32_t inverse(uint32_t wt) {
  return wt == 0 ? 0 : Dividend / wt;
}

uint32_t prove_instead_work_tile(uint32_t position, uint32_t wt) {
  prove_check("a position and a size", position < Side && wt >= 1 && wt <= MaxWt);
  return ((position % Side) * inverse(wt) >> InverseBits) % Side;
}

// Work tiles of a row, modulo N.
static uint32_t row_step(uint32_t width, uint32_t wt) { return (work_tile(width - 1, wt) + 1) % N; }

// ---- Invariant ----

static bool same_divide(const primitive_t *p) {
  return Rtl.op == p->op && Rtl.x0 == p->x0 && Rtl.y0 == p->y0 && Rtl.x1 == p->x1 &&
         Rtl.y1 == p->y1;
}

static bool same_start(const primitive_t *p) {
  return Rtl.start_op == p->op &&
         (p->op != PrimitiveDistributorOpBox ||
          (Rtl.start_x0 == p->x0 && Rtl.start_y0 == p->y0 && Rtl.start_x1 == p->x1 &&
           Rtl.start_y1 == p->y1 && p->x0 <= p->x1 && p->y0 <= p->y1));
}

// The divider after some of its steps: what is left of the number, behind it the quotient so far.
static void check_divider(const golden_t *g) {
  uint32_t quotient = Dividend, rest = 0;
  const uint32_t steps = g->divider_left > 2 ? DividerCycles - g->divider_left : InverseBits + 1;
  for (uint32_t i = 0; i <= InverseBits; i++) {
    if (i < steps) {
      rest = rest << 1 | (quotient >> InverseBits & 1);
      const bool fits = rest >= g->wt;
      quotient = (quotient << 1 & ((2u << InverseBits) - 1)) | fits;
      rest -= fits ? g->wt : 0;
    }
  }
  const bool known = g->configured || g->divider_left > 0;
  prove_check("a map has sizes",
              !known || (g->wt > 0 && g->wt <= MaxWt && g->width > 0 && g->width <= Side));
  prove_check("a work tile has at most 64 tiles a side", g->wt <= MaxWt);
  prove_check("the divider's size", !known || Rtl.wt == g->wt);
  prove_check("the divider's quotient", !known || Rtl.inverse == quotient);
  prove_check("the inverse", !g->configured || Rtl.inverse == inverse(g->wt));
  prove_check("the divider's rest", !known || Rtl.rest == rest);
  prove_check("the divider's width", g->divider_left == 0 || Rtl.x0 == g->width - 1);
  prove_check("the work tiles of a row, modulo the clusters",
              g->divider_left != 1 || g->wt == 0 || Rtl.row % N == row_step(g->width, g->wt));
  prove_check("r", g->row_step < N &&
                       (!g->configured || g->wt == 0 || g->row_step == row_step(g->width, g->wt)));
  prove_check("the divider is alone",
              g->divider_left == 0 || !(g->configured || g->dividing || g->starting || g->working ||
                                        g->count > 0 || g->valid != 0 || g->queued > 1));
  prove_check("the divider's cycles", g->divider_left <= DividerCycles);
}

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  check_divider(g);
  prove_check("the second of the queue", g->queued < 2 || Rtl.second == packed(&g->queue[1]));
  prove_check("divide", !g->dividing || same_divide(&g->divide));
  prove_check("start", !g->starting || same_start(&g->start));
  prove_check("a box in start has a map",
              !g->starting || g->start.op != PrimitiveDistributorOpBox || g->configured);
  prove_check("start has no unknown operation", !g->starting || g->start.op < 3);
  prove_check("rows",
              !g->working || (Rtl.close == g->close && Rtl.rows == g->rows && Rtl.set == g->set));
  prove_check("rows: the row",
              !g->working || g->rows == 0 ||
                  (Rtl.columns == g->columns && Rtl.first == g->first && g->first < N &&
                   g->columns > 0 && g->columns <= N && g->configured));
  prove_check("without a row, no cluster", !g->working || g->rows > 0 || g->set == 0);
  prove_check("a close has no row", !g->working || !g->close || (g->rows == 0 && g->set == 0));
  prove_check("a batch has room", g->count < Batch);
  for (uint32_t c = 0; c < N; c++) {
    prove_check("a batch has no bits behind its last", g->bits[c] >> g->count == 0);
    prove_check("the masks", !(g->valid >> c & 1) ||
                                 (Rtl.mask[c] == g->mask[c] && Rtl.mask_count == g->mask_count &&
                                  Rtl.mask_first == g->mask_first));
  }
  check_monitor(g);
}

// ---- Safety and progress, on the ports ----

// A primitive, with the clusters that own a TC tile of its box, or a close that ends a batch; the
// cycles since it was accepted in which all masks were taken.
typedef struct {
  uint8_t close, set, age;
} pending_t;

enum { InRows, InStart, InDivide, InQueue, Places = InQueue + 2 };  // (two in the queue)

// Accepted primitives that are not in masks, the oldest first; primitives of the batch that is open
// where primitives are accepted; the map. places: the clusters of the primitive in each place.
struct {
  pending_t pending[MostPending];
  uint8_t places[Places];
  uint8_t count, open, wt;
  uint16_t width;
  uint32_t next;
} Monitor;

// The numbers modulo N, as bits, that `step` times each number from low to high has. N in a row
// have all that there are.
static uint32_t residues(uint32_t low, uint32_t high, uint32_t step) {
  const uint32_t first = low % N, count = high - low < N ? high - low + 1 : N;
  uint32_t set = 0;
  for (uint32_t k = 0; k < N; k++) {
    set |= (uint32_t)(k < count) << (first + k) % N * step % N;
  }
  return set;
}

// The owners of columns and rows that have these residues.
static uint32_t sums(uint32_t columns, uint32_t rows) {
  uint32_t set = 0;
  for (uint32_t a = 0; a < N; a++) {
    for (uint32_t b = 0; b < N; b++) {
      set |= (columns >> a & rows >> b & 1) << (a + b) % N;
    }
  }
  return set;
}

// The clusters that own a TC tile (x, y) of a box, by (y / N ceil(width / N) + x / N) mod Clusters.
static uint32_t owners(const primitive_t *p, uint32_t wt, uint32_t width) {
  if (p->op != PrimitiveDistributorOpBox || p->x0 > p->x1 || p->y0 > p->y1 || wt == 0) {
    return 0;
  }
  return sums(residues(work_tile(p->x0, wt), work_tile(p->x1, wt), 1),
              residues(work_tile(p->y0, wt), work_tile(p->y1, wt), row_step(width, wt)));
}

// The same of a box in work tiles.
static uint32_t work_owners(const golden_t *g) {
  const primitive_t *p = &g->start;
  return p->op != PrimitiveDistributorOpBox
             ? 0
             : sums(residues(p->x0, p->x1, 1), residues(p->y0, p->y1, g->row_step));
}

// The clusters that rows has set once it is through.
static uint32_t rows_owners(const golden_t *g) {
  uint32_t set = g->set, first = g->first;
  for (uint32_t k = 0; k < N; k++) {
    for (uint32_t c = 0; c < N && k < g->rows; c++) {
      set |= (uint32_t)(c < g->columns) << (first + c) % N;
    }
    first = (first + g->row_step) % N;
  }
  return set;
}

// Sequence of what is pending by the state; time: the cycles until it is over if masks are taken.
typedef struct {
  pending_t pending[MostPending + 1];
  uint32_t count, open, time, place;
} sequence_t;

static void follow(sequence_t *s, bool some, bool close, uint32_t set, uint32_t rows) {
  s->place++;
  if (!some) {
    return;
  }
  // It is in rows at the earliest when it has passed the places before it.
  s->time = (s->time < s->place - 1 ? s->place - 1 : s->time) + rows;
  if (!close || s->open > 0) {
    for (uint32_t k = 0; k < MostPending; k++) {
      if (k == s->count) {
        s->pending[k] = (pending_t){close, (uint8_t)set, (uint8_t)s->time};
      }
    }
    s->count++;
  }
  s->open = close || s->open + 1 == Batch ? 0 : s->open + 1;
}

static sequence_t sequence(const golden_t *g) {
  sequence_t s = {0};
  for (uint32_t k = 0; k + 1 < Batch; k++) {
    uint32_t set = 0;
    for (uint32_t c = 0; c < N; c++) {
      set |= (g->bits[c] >> k & 1) << c;
    }
    follow(&s, k < g->count, false, set, 0);
  }
  s.place = s.time = 0;
  const uint32_t rows = g->rows == 0 ? 1 : g->rows;
  follow(&s, g->working, g->close, Monitor.places[InRows], rows);
  follow(&s, g->starting, g->start.op == PrimitiveDistributorOpClose, Monitor.places[InStart],
         g->start.op == PrimitiveDistributorOpBox ? N : 1);
  const primitive_t *waiting[] = {&g->divide, &g->queue[0], &g->queue[1]};
  const bool some[] = {g->dividing, g->queued > 0, g->queued > 1};
  for (uint32_t i = 0; i < 3; i++) {
    follow(&s, some[i], waiting[i]->op == PrimitiveDistributorOpClose, Monitor.places[InDivide + i],
           waiting[i]->op == PrimitiveDistributorOpClose ? 1 : N);
  }
  return s;
}

static void check_places(const golden_t *g) {
  const bool known = g->configured || g->divider_left > 0;
  prove_check("the ports tell the map",
              Monitor.wt == (known ? g->wt : 0) && (!known || Monitor.width == g->width));
  const primitive_t *waiting[] = {&g->divide, &g->queue[0], &g->queue[1]};
  const bool some[] = {g->dividing, g->queued > 0, g->queued > 1};
  for (uint32_t i = 3; i-- > 0;) {
    prove_check(
        "the clusters of what is to be divided",
        !some[i] || Monitor.places[InDivide + i] == owners(waiting[i], Monitor.wt, Monitor.width));
  }
  prove_check("the clusters of what is in start",
              !g->starting || Monitor.places[InStart] == work_owners(g));
  prove_check("the clusters of what is in rows",
              !g->working || Monitor.places[InRows] == rows_owners(g));
}

static void check_monitor(const golden_t *g) {
  check_places(g);
  const sequence_t s = sequence(g);
  prove_check("the ports tell what is pending",
              Monitor.count == s.count && Monitor.open == s.open && Monitor.next == g->next);
  for (uint32_t k = 0; k < MostPending; k++) {
    const pending_t *p = &Monitor.pending[k];
    prove_check("the ports tell the kind", k >= s.count || p->close == s.pending[k].close);
    prove_check("the ports tell the clusters",
                k >= s.count || p->close || p->set == s.pending[k].set);
    prove_check("a close is over in its time",
                k >= s.count || !p->close || p->age + s.pending[k].age <= Bound);
  }
}

// The masks that have come are those of the oldest pending batch.
static void check_masks(void) {
  uint32_t count = 0, gone = 0;
  bool open = true;
  uint32_t bits[N] = {0};
  for (uint32_t k = 0; k < MostPending; k++) {
    const pending_t *p = &Monitor.pending[k];
    if (open && k < Monitor.count) {
      gone++;
      for (uint32_t c = 0; c < N && !p->close; c++) {
        bits[c] |= (uint32_t)(p->set >> c & 1) << count;
      }
      count += !p->close;
      open = !p->close && count < Batch;
    }
  }
  prove_check("a batch is full or closed", !open);
  for (uint32_t c = 0; c < N; c++) {
    prove_check("a mask is of the oldest primitives, in their order",
                Out.mask_count[c] == count && Out.mask_first[c] == Monitor.next);
    prove_check("a bit is set for the owners of a TC tile, and no other",
                Out.mask_bits[c] == bits[c]);
  }
  Monitor.next = (Monitor.next + count) & (UINT32_MAX >> (32 - Prim));
  Monitor.count -= (uint8_t)gone;
  for (uint32_t k = 0; k < MostPending; k++) {
    pending_t moved = {0};
    for (uint32_t i = k + 1; i < MostPending; i++) {
      moved = i == k + gone ? Monitor.pending[i] : moved;
    }
    Monitor.pending[k] = moved;
  }
}

// Clusters move with the primitive that has them.
static void follow_places(const plan_t *moves) {
  uint8_t *set = Monitor.places;
  set[InRows] = moves->from_start ? set[InStart] : set[InRows];
  set[InStart] = moves->from_divide ? set[InDivide] : set[InStart];
  if (moves->pop) {
    set[InDivide] = set[InQueue];
    set[InQueue] = set[InQueue + 1];
  }
}

// queued: primitives in the queue, with this one.
static void accept(bool known, uint32_t queued) {
  const primitive_t p = {In.primitive_op, In.primitive_x0, In.primitive_y0, In.primitive_x1,
                         In.primitive_y1};
  const bool close = p.op == PrimitiveDistributorOpClose;
  const uint8_t set = (uint8_t)owners(&p, known ? Monitor.wt : 0, Monitor.width);
  Monitor.places[queued < 2 ? InQueue : InQueue + 1] = set;
  if (!close || Monitor.open > 0) {
    for (uint32_t k = 0; k < MostPending; k++) {
      if (k == Monitor.count) {
        Monitor.pending[k] = (pending_t){close, set, 0};
      }
    }
    Monitor.count++;
  }
  Monitor.open = close || Monitor.open + 1 == Batch ? 0 : (uint8_t)(Monitor.open + 1);
}

void prove_step(void) {
  const golden_t was = *golden();
  const primitive_distributor_in_t none = {0};
  primitive_distributor_out_t before;
  outputs(&was, &none, &before);
  const uint32_t kept = before.mask_valid & ~(uint32_t)In.mask_ready;
  const bool legal = In.configure_wt >= 1 && In.configure_wt <= 64 && In.configure_width >= 1 &&
                     In.configure_width <= Side;
  if (In.configure_valid && before.configure_ready && legal) {
    Monitor.wt = In.configure_wt;
    Monitor.width = In.configure_width;
  }
  const plan_t moves = plan(&was, &In);
  follow_places(&moves);
  prove_clock();
  for (uint32_t k = 0; k < MostPending; k++) {
    pending_t *p = &Monitor.pending[k];
    p->age = kept != 0 || k >= Monitor.count ? 0 : (uint8_t)((p->age + 1) & 31);
  }
  if (Out.mask_valid != 0 && kept == 0) {
    prove_check("masks come to all at once", Out.mask_valid == All);
    check_masks();
  } else {
    prove_check("a mask's valid falls when it is taken", Out.mask_valid == kept);
  }
  for (uint32_t c = 0; c < N; c++) {
    prove_check("a mask is held until it is taken",
                !(kept >> c & 1) || (Out.mask_bits[c] == before.mask_bits[c] &&
                                     Out.mask_count[c] == before.mask_count[c] &&
                                     Out.mask_first[c] == before.mask_first[c]));
  }
  if (In.primitive_valid && before.primitive_ready) {
    accept(Monitor.wt > 0, golden()->queued);
  }
  prove_check("the first error stays", was.error == 0 || Out.error == was.error);
}

PROVE_MONITOR_RESTART

// No run has so many primitives, or so many pending.
void prove_setup(void) {
  prove_by_argument("work_tile", 1, MaxWt + 1);
  prove_by_argument("inverse", 0, MaxWt + 1);
  prove_width(&golden()->next, sizeof golden()->next, Prim);
  prove_width(&golden()->mask_first, sizeof golden()->mask_first, Prim);
  prove_width(&Monitor.next, sizeof Monitor.next, Prim);
  for (uint32_t k = 0; k < MostPending; k++) {
    prove_width(&Monitor.pending[k].close, sizeof Monitor.pending[k].close, 1);
    prove_width(&Monitor.pending[k].set, sizeof Monitor.pending[k].set, N);
    prove_width(&Monitor.pending[k].age, sizeof Monitor.pending[k].age, 5);
  }
}

PROVE_OUTPUTS

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("a batch waits for masks to be taken",
              g->valid == 0 || !g->working || g->close || g->count + 1 < Batch);
}
