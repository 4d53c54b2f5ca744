// SPDX-License-Identifier: Apache-2.0
// The texel generator: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// The golden model knows the texels of a group as it issues it, the RTL nine stages later. Shadow
// follows what the RTL works on: of packages in L, P and R the range of parents, of groups in the
// address stages the coordinates. A division is a chain of subtractions there; that it divides is
// proved apart (prove_instead_wrapped). Products stay open (tb/prove/product.h).
#include <stdint.h>

// Inlined here and there, one function becomes several graphs, which a solver has to find equal.
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)

static __attribute__((noinline)) int32_t wrapped(int32_t c, int32_t size, uint8_t wrap);
#include "csim/units/texel_generator/golden.c"
#include "tb/prove/wrapper.h"

#include "proof_registers.h"

PROVE_STATELESS_UNIT(texel_generator)
const uint8_t OpenProducts = 8;

static golden_t *golden(void) { return Engine.self; }

static bool bit(uint64_t word, uint32_t i) { return word >> i & 1; }

static uint32_t field(uint64_t word, uint32_t from, uint32_t width) {
  return (uint32_t)(word >> from & ((UINT64_C(1) << width) - 1));
}

#include "proof_shadow.h"

// ---- Relation ----

static const group_t *stage(const golden_t *g, uint32_t s) {
  const uint32_t at = g->first + s;
  return &g->stages[at >= AddressStages ? at - AddressStages : at];
}

void prove_relate(void) {
  const golden_t *g = golden();
  Related = (struct related){
      .seen = g->seen,
      .rest = g->emit.rest,
      .packages = (uint8_t)g->packages,
      .requests = (uint8_t)g->requests,
      .free = g->free,
      .error = g->error,
      .emit_cause = g->emit.cause,
      .load = g->load_valid,
      .prepare = g->prepare_valid,
      .ready = g->ready_valid,
      .work = g->work_valid,
  };
  memcpy(Related.counters, g->counters, sizeof Related.counters);
  for (uint32_t s = 0; s < AddressStages; s++) {
    const group_t *group = stage(g, s);
    Related.stages |= (uint16_t)(Shadow.stage[s].valid << s);  // not by the ring, for fewer cases
    Related.cause |= (uint32_t)group->cause << 2 * s;
  }
  for (uint32_t s = 0; s < LineStages; s++) {
    Related.lines |= (uint8_t)(g->lines[s].valid << s);
    Related.line_cause[s] = g->lines[s].cause;
  }
  for (uint32_t d = 0; d < D; d++) {
    Related.known[d] = g->descriptors[d].valid;
  }
}

// As a byte: of a bool clang takes for granted that it is 0 or 1.
static void narrow_flag(bool *flag) { *(uint8_t *)flag &= 1; }

// (The queues in front of L can be written beyond their end, as far as their counts' bits tell.)
static void narrow_package(texel_generator_package_t *p) {
  p->id &= 0x7ff;
  p->level &= 15;
  p->offset &= LineMask;
  p->extent &= 7;
  p->slope &= 7;
  p->tile_x &= 0xfff;
  p->tile_y &= 0xfff;
  narrow_flag((bool *)&p->reading);
  narrow_flag(&p->along_y);
}

static void narrow_work(work_t *w) {
  narrow_package(&w->package);
  narrow_flag(&w->descriptor.valid);
  narrow_flag(&w->bad);
  for (uint32_t n = 0; n < 4; n++) {
    narrow_flag(&w->inside_a[n]);
    narrow_flag(&w->inside_b[n]);
  }
  w->group &= 31;
  w->last &= 15;
  w->slot &= S - 1;
  w->side[0] &= SideMask;
  w->side[1] &= SideMask;
}

static void narrow_group(group_t *group) {
  group->cause &= 3;
  group->slot &= S - 1;
  group->pitch &= 0xfff;
  for (uint32_t j = 0; j < Children; j++) {
    group->parent[j] &= 15;
  }
}

#include "proof_ports.h"

void prove_narrow(void) {
  golden_t *g = golden();
  g->packages = g->packages > PackageDepth ? 0 : g->packages & 3;
  g->requests = g->requests > RequestDepth ? 0 : g->requests & 3;
  g->error &= 3;
  g->free &= SlotMask;
  g->seen &= g->counter_mask;
  g->peek_data &= (UINT64_C(1) << 55) - 1;
  for (uint32_t i = 0; i < TexelGeneratorCounters; i++) {
    g->counters[i] &= g->counter_mask;
  }
  g->first &= 15;
  narrow_monitor();
  narrow_work(&g->load);
  narrow_work(&g->prepare);
  narrow_work(&g->ready);
  narrow_work(&g->work);
  narrow_group(&g->emit);
  g->occupied = 0;
  for (uint32_t s = 0; s < AddressStages; s++) {
    narrow_group(&g->stages[s]);
    g->occupied += Shadow.stage[s].valid;  // not by the ring, as above
  }
  for (uint32_t s = 0; s < LineStages; s++) {
    g->lines[s].cause &= 3;
  }
  show(g);
}

// ---- Invariant: packages ----

static bool is_same_package(const uint8_t *word, const texel_generator_package_t *p) {
  return prove_bits(word, 0, 12) == p->tile_y && prove_bits(word, 12, 12) == p->tile_x &&
         prove_bits(word, 24, 3) == p->slope && prove_bits(word, 27, 1) == p->along_y &&
         prove_bits(word, 28, 3) == p->extent && prove_bits(word, 31, 1) == p->reading &&
         prove_bits(word, 32, 28) == p->offset && prove_bits(word, 60, 4) == p->level &&
         prove_bits(word, 64, 16) == p->descriptor && prove_bits(word, 80, 8) == p->epoch &&
         prove_bits(word, 88, 11) == p->id;
}

static bool is_same_descriptor(uint64_t word, const texel_generator_descriptor_t *d) {
  return field(word, 0, 22) == d->base && field(word, 22, 14) == d->width &&
         field(word, 36, 14) == d->height && field(word, 50, 2) == d->wrap_x &&
         field(word, 52, 2) == d->wrap_y;
}

static bool is_same_request(uint64_t word, const texel_generator_request_t *r) {
  return field(word, 0, 1) == r->refused && field(word, 1, 3) == r->extent &&
         field(word, 4, 16) == r->mask && field(word, 20, 8) == r->epoch &&
         field(word, 28, 11) == r->id && field(word, 39, 6) == r->slot;
}

static bool is_sane(const texel_generator_descriptor_t *d) {
  return d->width <= MaxSide && d->height <= MaxSide && d->wrap_x < 3 && d->wrap_y < 3;
}

static void check_queues(const golden_t *g) {
  for (uint32_t k = 0; k < PackageDepth; k++) {
    prove_check("a package in the queue",
                k >= g->packages ||
                    is_same_package(Rtl.package[(Rtl.package_head + k) % 2], &g->package[k]));
  }
  for (uint32_t k = 0; k < RequestDepth; k++) {
    prove_check("a request in the queue",
                k >= g->requests ||
                    is_same_request(Rtl.request[(Rtl.request_head + k) % 2], &g->request[k]));
    prove_check("a request has parents if it is not refused",
                k >= g->requests || has_parents(&g->request[k]));
  }
  prove_check("the queues are rings",
              (Rtl.package_tail ^ Rtl.package_head) == (g->packages & 1) &&
                  (Rtl.request_tail ^ Rtl.request_head) == (g->requests & 1));
  prove_check("the request that came last",
              g->requests < 2 || (Rtl.pushed_good == !g->request[1].refused &&
                                  Rtl.pushed_slot == g->request[1].slot));
  for (uint32_t d = 0; d < D; d++) {
    const descriptor_t *was = &g->descriptors[d];
    prove_check("a descriptor", !was->valid || is_same_descriptor(Rtl.descriptor[d], &was->fields));
    prove_check(
        "a descriptor has a size",
        is_sane(&was->fields) && (!was->valid || (was->fields.width && was->fields.height)));
  }
  prove_check("what was peeked",
              g->peek_data == (Rtl.peeks_descriptor ? Rtl.peeked << 1 | 1 : Rtl.peek_counter));
}

#define PLACES(text) \
  { text " of L", text " of P", text " of R", text " of C" }
enum { AtL, AtP, AtR, AtC };

// A package's range, wherever it is, is that of its sides.
static void check_range(const work_t *w, const range_t *r, uint32_t at) {
  static const char ShrunkAlong[][32] = PLACES("shrunk along");
  static const char ShrunkAcross[][32] = PLACES("shrunk across");
  static const char Ceiling[][32] = PLACES("ceiling"), Lows[][32] = PLACES("first parents");
  static const char Whole[][32] = PLACES("whole"), Early[][32] = PLACES("what makes bad");
  static const char Along[][32] = PLACES("last along"), Across[][32] = PLACES("last across");
  const range_t made = range_of(w);
  range_t found = *r;
  find_last(w, &found);
  prove_check(Early[at], r->early == made.early);
  if (!w->descriptor.valid) {
    return;
  }
  prove_check(ShrunkAlong[at], r->shrunk_along == made.shrunk_along);
  prove_check(ShrunkAcross[at], r->shrunk_across == made.shrunk_across);
  prove_check(Ceiling[at], r->ceiling == made.ceiling);
  prove_check(Whole[at], r->whole == made.whole);
  prove_check(Lows[at], r->low_clamp == made.low_clamp && r->low_mirror == made.low_mirror);
  prove_check(Along[at], r->from_zero == found.from_zero && r->high_along == found.high_along &&
                             r->bad == found.bad);
  prove_check(Across[at], r->high_across == found.high_across);
}

// The golden model's judgement in L, wherever the package is now, by the range.
static void check_judged(const work_t *w, const range_t *r, uint32_t at) {
  static const char Along[][32] = PLACES("parents inside along");
  static const char Across[][32] = PLACES("parents inside across");
  static const char Bad[][32] = PLACES("whether bad"), Good[][32] = PLACES("what is good");
  static const char First[][32] = PLACES("first group"), Last[][32] = PLACES("last group");
  const bool along_y = w->package.along_y;
  const uint32_t k = w->package.extent;
  const uint32_t in_a = mask_of(w->inside_a), in_b = mask_of(w->inside_b);
  prove_check(Along[at], r->bad || in_a == inside_along(r, tile_of(w, along_y)));
  prove_check(Across[at], r->bad || in_b == inside_across(r, tile_of(w, !along_y)));
  prove_check(Bad[at], w->bad == (r->bad || in_a == 0 || in_b == 0));
  prove_check(Good[at], r->early ? r->bad : w->descriptor.valid && k >= 1 && k <= 4);
  prove_check(First[at], w->bad || w->group == first_group(in_a, k));
  prove_check(Last[at], w->bad || w->last == last_group(in_a, k));
}

static bool is_side(const work_t *w) {
  return w->side[0] >= 1 && w->side[0] <= MaxSide && w->side[1] >= 1 && w->side[1] <= MaxSide;
}

static uint32_t base_of(const work_t *w) {
  return ((w->descriptor.fields.base << 6) + w->package.offset) & LineMask;
}

static void check_load(const golden_t *g) {
  const work_t *w = &g->load;
  const texel_generator_package_t *p = &w->package;
  const texel_generator_descriptor_t *d = &w->descriptor.fields;
  const uint32_t width = d->width >> p->level, height = d->height >> p->level;
  if (!g->load_valid) {
    return;
  }
  prove_check("L", Rtl.l_known == w->descriptor.valid && Rtl.l_id == p->id &&
                       Rtl.l_epoch == p->epoch && Rtl.l_level == p->level &&
                       Rtl.l_offset == p->offset && Rtl.l_reading == p->reading &&
                       Rtl.l_extent == p->extent && Rtl.l_along_y == p->along_y &&
                       Rtl.l_slope == p->slope && Rtl.l_tile_x == p->tile_x &&
                       Rtl.l_tile_y == p->tile_y);
  prove_check("L has its descriptor", !w->descriptor.valid || is_same_descriptor(Rtl.loaded, d));
  prove_check("the sides of L", (uint32_t)w->side[0] == (width ? width : 1) &&
                                    (uint32_t)w->side[1] == (height ? height : 1));
}

static void check_prepare(const golden_t *g) {
  const work_t *w = &g->prepare;
  const texel_generator_package_t *p = &w->package;
  const bool y = p->along_y;
  if (!g->prepare_valid) {
    return;
  }
  prove_check("P", Rtl.p_id == p->id && Rtl.p_epoch == p->epoch && Rtl.p_reading == p->reading &&
                       Rtl.p_extent == p->extent && Rtl.p_along_y == y && Rtl.p_slope == p->slope &&
                       Rtl.p_tile_along == tile_of(w, y) && Rtl.p_tile_across == tile_of(w, !y));
  prove_check("P is bad", Rtl.p_bad == Shadow.prepare.early);
  prove_check(
      "sides and base of P",
      !w->descriptor.valid || (Rtl.p_along == w->side[y] && Rtl.p_across == w->side[!y] &&
                               Rtl.p_wrap_along == wrap_of(w, y) &&
                               Rtl.p_wrap_across == wrap_of(w, !y) && Rtl.p_base == base_of(w)));
}

static void check_ready(const golden_t *g) {
  const work_t *w = &g->ready;
  const texel_generator_package_t *p = &w->package;
  const range_t *r = &Shadow.ready;
  const bool y = p->along_y;
  if (!g->ready_valid) {
    return;
  }
  prove_check("R", Rtl.r_id == p->id && Rtl.r_epoch == p->epoch && Rtl.r_reading == p->reading &&
                       Rtl.r_extent == p->extent && Rtl.r_along_y == y && Rtl.r_slope == p->slope &&
                       Rtl.r_tile_along == tile_of(w, y) && Rtl.r_tile_across == tile_of(w, !y));
  prove_check("R is bad", r->early ? Rtl.r_bad : Rtl.r_bad == r->bad);
  prove_check("sides and base of R",
              !w->descriptor.valid ||
                  (Rtl.r_along == w->side[y] && Rtl.r_across == w->side[!y] &&
                   Rtl.r_wrap_along == wrap_of(w, y) && Rtl.r_wrap_across == wrap_of(w, !y) &&
                   Rtl.r_base == base_of(w) && Rtl.r_pitch == (w->side[0] + 3) >> 2));
  prove_check("the range of R",
              !w->descriptor.valid ||
                  (Rtl.r_high_along == r->high_along && Rtl.r_high_across == r->high_across &&
                   Rtl.r_from_zero == r->from_zero && Rtl.r_low_clamp == r->low_clamp &&
                   Rtl.r_low_mirror == r->low_mirror));
}

static void check_packages(const golden_t *g) {
  const work_t *const Works[] = {&g->load, &g->prepare, &g->ready};
  const range_t *const Ranges[] = {&Shadow.load, &Shadow.prepare, &Shadow.ready};
  const bool valid[] = {g->load_valid, g->prepare_valid, g->ready_valid};
  check_load(g);
  check_prepare(g);
  check_ready(g);
  for (uint32_t i = 0; i < 3; i++) {
    const work_t *w = Works[i];
    if (valid[i]) {
      check_range(w, Ranges[i], i);
      prove_check("sides are 1 to 8192", is_side(w) && is_sane(&w->descriptor.fields));
      check_judged(w, Ranges[i], i);
    }
  }
}

static void check_work(const golden_t *g) {
  const work_t *w = &g->work;
  const texel_generator_package_t *p = &w->package;
  const range_t *r = &Shadow.work;
  const bool y = p->along_y;
  const uint32_t k = p->extent, in_a = mask_of(w->inside_a), in_b = mask_of(w->inside_b);
  if (!g->work_valid) {
    return;
  }
  prove_check("C", Rtl.c_slot == w->slot && Rtl.c_group == w->group && Rtl.c_final == w->last &&
                       Rtl.c_in_along == in_a && Rtl.c_in_across == in_b &&
                       Rtl.c_reading == p->reading && Rtl.c_along_y == y && Rtl.c_extent == k &&
                       Rtl.c_slope == p->slope);
  prove_check("sides and base of C",
              Rtl.c_along == w->side[y] && Rtl.c_across == w->side[!y] &&
                  Rtl.c_wrap_along == wrap_of(w, y) && Rtl.c_wrap_across == wrap_of(w, !y) &&
                  Rtl.c_base == base_of(w) && Rtl.c_pitch == (w->side[0] + 3) >> 2 &&
                  Rtl.c_first_along == ((4 * tile_of(w, y) - TileAlong) & 0x7fff) &&
                  Rtl.c_first_across == ((4 * tile_of(w, !y) - TileAcross) & 0x7fff));
  prove_check("C is not bad", !r->early && w->descriptor.valid);
  prove_check("C has parents", !r->bad && !w->bad && in_a != 0 && in_b != 0 && k >= 1 && k <= 4 &&
                                   p->slope != 3 && p->slope != 4 && p->slope != 5 && is_side(w) &&
                                   is_sane(&w->descriptor.fields));
  check_range(w, r, AtC);
  prove_check("the parents of C",
              in_a == inside_along(r, tile_of(w, y)) && in_b == inside_across(r, tile_of(w, !y)));
  prove_check("the groups of C", w->group >= first_group(in_a, k) && w->group <= w->last &&
                                     w->last == last_group(in_a, k));
}

// ---- Invariant: groups ----

#include "proof_stages.h"

#define CHILDREN(text)                                                                      \
  {                                                                                         \
    text " 0", text " 1", text " 2", text " 3", text " 4", text " 5", text " 6", text " 7", \
        text " 8", text " 9", text " 10", text " 11", text " 12", text " 13", text " 14",   \
        text " 15"                                                                          \
  }

static bool is_line(uint32_t j, uint32_t i) {
  return j == 1 ? Rtl.line_of_1 : bit(Rtl.line_of[j], i);
}

static bool is_block(uint32_t j, uint32_t i) {
  return j == 1 ? Rtl.block_of_1 : bit(Rtl.block_of[j], i);
}

// That the RTL's pairs let the same children leave follows from the rest, and is proved once.
static void check_leaving(const group_t *e) {
  static const char Leaves[][24] = CHILDREN("who leaves: child");
  texel_generator_beat_t beat;
  const uint32_t first = e->rest & (0u - e->rest);
  const uint16_t taken = e->valid && e->rest ? make_beat(e, &beat) : 0;
  uint32_t candidates = 0;
  for (uint32_t j = 0; j < Children; j++) {
    bool joins = bit(first, j), blocked = false;
    for (uint32_t i = 0; i < j; i++) {
      joins |= bit(first, i) && is_line(j, i);
      blocked |= bit(candidates, i) && is_block(j, i);
    }
    candidates |= (uint32_t)(bit(e->rest, j) && joins) << j;
    prove_check(Leaves[j], !e->valid || bit(taken, j) == (bit(candidates, j) && !blocked));
  }
}

static void check_emit(const golden_t *g) {
  const group_t *e = &g->emit;
  bool same = true, carried = true, pairs = true;
  for (uint32_t j = 0; j < Children; j++) {
    const uint32_t l = j / 4, n = j % 4, m = Rtl.e_parent >> 2 * l & 3;
    const uint16_t along = e->along_y ? e->y[j] : e->x[j], across = e->along_y ? e->x[j] : e->y[j];
    const bool is = bit(e->rest, j);
    same &= !is || (Rtl.e_along[l] == along && Rtl.e_across[j] == across);
    carried &= !is || e->parent[j] == (e->along_y ? 4 * m + n : 4 * n + m);
    for (uint32_t i = 0; i < j; i++) {
      pairs &= !is || !bit(e->rest, i) ||
               (is_line(j, i) == in_line(e, i, j) && is_block(j, i) == blocks(e, i, j));
    }
  }
  carried &= Rtl.e_slot == e->slot && Rtl.e_last == e->last && Rtl.e_along_y == e->along_y &&
             Rtl.e_pitch == e->pitch && Rtl.e_base == (e->base & LineMask);
  prove_check("E holds a group while children are left", e->valid == (e->rest != 0));
  prove_check("what E knows of its group", !e->valid || carried);
  prove_check("E's texels", !e->valid || same);
  prove_check("E's pairs", !e->valid || pairs);
  check_leaving(e);
}

static uint64_t turned(uint64_t word, uint32_t width, bool turns) {
  uint64_t t = 0;
  for (uint32_t s = 0; s < 16; s++) {
    const uint32_t from = turns ? s % 4 * 4 + s / 4 : s;
    t |= (word >> from * width & ((1u << width) - 1)) << s * width;
  }
  return t;
}

static uint64_t parents_of(const texel_generator_beat_t *beat) {
  uint64_t parents = 0;
  for (uint32_t s = 0; s < 16; s++) {
    parents |= (uint64_t)(beat->parent[s] & 15) << 4 * s;
  }
  return parents;
}

static void check_line_0(const line_t *line) {
  const texel_generator_beat_t *b = &line->beat;
  const bool y = b->along_y;
  uint16_t texels = 0;
  uint8_t parent[16] = {0};
  bool low = true, apart = true;
  for (uint32_t j = 0; j < Children; j++) {
    const uint32_t l = j / 4, n = j % 4, m = Rtl.m >> 2 * l & 3, t = Shadow.texel[j];
    const uint32_t along = Rtl.low_along >> 2 * l & 3, across = Rtl.low_across >> 2 * j & 3;
    const bool is = bit(Shadow.taken, j);
    low &= !is || (t == (y ? along << 2 | across : across << 2 | along) &&
                   Shadow.parent[j] == (y ? 4 * m + n : 4 * n + m));
    for (uint32_t i = 0; i < j; i++) {
      apart &= !is || !bit(Shadow.taken, i) || Shadow.texel[i] != t;
    }
    if (is) {
      texels |= (uint16_t)(1 << t);
      parent[t] = Shadow.parent[j];
    }
  }
  const uint32_t row = y ? Rtl.f_along : Rtl.f_across, x = y ? Rtl.f_across : Rtl.f_along;
  prove_check("line stage 0", Rtl.slot0 == b->slot && Rtl.last0 == b->last && Rtl.along_y0 == y);
  prove_check("who is taken in line stage 0", Rtl.taken == Shadow.taken);
  prove_check("places in line stage 0", low);
  prove_check("two children have two places", apart);
  prove_check("texels of line stage 0", b->texel == texels && texels != 0);
  prove_check("parents of line stage 0", memcmp(parent, b->parent, sizeof parent) == 0);
  prove_check("line of line stage 0", b->line == ((Rtl.base0 + row * Rtl.f_pitch + x) & LineMask));
}

static void check_lines(const golden_t *g) {
  const texel_generator_beat_t *b1 = &g->lines[1].beat, *b2 = &g->lines[2].beat;
  if (g->lines[0].valid) {
    check_line_0(&g->lines[0]);
  }
  prove_check("a line takes texels",
              (!g->lines[1].valid || b1->texel != 0) && (!g->lines[2].valid || b2->texel != 0));
  prove_check("line stage 1",
              !g->lines[1].valid ||
                  (Rtl.slot1 == b1->slot && Rtl.last1 == b1->last && Rtl.along_y1 == b1->along_y));
  prove_check("texels of line stage 1",
              !g->lines[1].valid || (turned(Rtl.spot, 1, b1->along_y) == b1->texel &&
                                     turned(Rtl.spot_parent, 4, b1->along_y) == parents_of(b1)));
  prove_check("line of line stage 1",
              !g->lines[1].valid || ((Rtl.base1 + Rtl.rows + Rtl.f_x) & LineMask) == b1->line);
  prove_check("line stage 2",
              !g->lines[2].valid || (Rtl.slot2 == b2->slot && Rtl.last2 == b2->last &&
                                     Rtl.along_y2 == b2->along_y && Rtl.texels == b2->texel &&
                                     Rtl.parent == parents_of(b2) && Rtl.line == b2->line));
}

void prove_invariant(void) {
  const golden_t *g = golden();
  check_queues(g);
  check_packages(g);
  check_work(g);
  check_groups(g);
  check_emit(g);
  check_lines(g);
  check_monitor(g);
}

// ---- The cycle ----

// Each child that leaves is a texel more.
static void count_children(const golden_t *g) {
  static const char Counted[][24] = CHILDREN("counted: child");
  uint16_t texels = 0;
  int count = 0;
  for (uint32_t j = 0; j < Children; j++) {
    if (bit(Shadow.taken, j)) {
      texels |= (uint16_t)(1 << Shadow.texel[j]);
      count++;
    }
    prove_check(Counted[j], !g->lines[0].valid || __builtin_popcount(texels) == count);
  }
}

void prove_step(void) {
  golden_t *g = golden();
  const plan_t p = plan(g, &In);
  const texel_generator_out_t was = g->out;
  const uint32_t before = distance(g, In.epoch);
  const bool accepts = In.package_valid && was.package_ready;
  const bool was_idle = is_idle(g), did_wait = waits_for_slot(g);
  const bool is_refused = is_refused_descriptor() || p.ready == ReadyRefused ||
                          (In.free_valid && (In.free_slot >= S || bit(g->free, In.free_slot)));
  prove_ring(g->stages, sizeof *g->stages, AddressStages, g->first);
  prove_case("the address stages move", p.go);
  prove_case("where the ring of stages begins: bit 0", p.go && g->first & 1);
  prove_case("where the ring of stages begins: bit 1", p.go && g->first & 2);
  prove_case("where the ring of stages begins: bit 2", p.go && g->first & 4);
  prove_case("where the ring of stages begins: bit 3", p.go && g->first & 8);
  count_children(g);
  if (p.go) {
    follow_groups(g);
  }
  if (p.step) {
    follow_beat(g, &p);
  }
  follow_packages(&p);
  follow_epoch();
  if (was.request_valid && In.request_ready) {
    follow_request(&was);
  }
  if (was.beat_valid && In.beat_ready) {
    follow_beat_out(&was);
  }
  if (In.free_valid) {
    follow_free();
  }
  if (accepts && In.package.epoch == Monitor.epoch && Monitor.waiting < MostWaiting) {
    Monitor.id[Monitor.waiting++ & 7] = In.package.id;
  }
  prove_clock();
  if (p.loads) {
    Shadow.load = range_of(&g->load);
  }
  check_held(&was);
  check_progress(before, was_idle, did_wait, p.ready == ReadyDropped);
  prove_check("what is refused raises an error, and nothing else does",
              (Out.error != 0) == (was.error != 0 || is_refused));
}

void prove_restart(void) {
  prove_reset();
  memset(&Shadow, 0, sizeof Shadow);
  memset(&Monitor, 0, sizeof Monitor);
}

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("both slots are taken", g->free != 0);
  prove_check("two requests wait", g->requests < RequestDepth);
  prove_check("a package waits for a slot", !waits_for_slot(g));
  prove_check("a group that leaves by several beats", !g->emit.valid || g->emit.rest == 0xffff);
  prove_check("every address stage holds a group", g->occupied < AddressStages);
  prove_check("beats of two packages inside", !(g->lines[0].valid && g->lines[2].valid &&
                                                g->lines[0].beat.slot != g->lines[2].beat.slot));
  prove_check("a package is dropped", g->counters[TexelGeneratorCounterDropped] == 0);
  prove_check("a level that is mirrored",
              !(g->work_valid && g->work.descriptor.fields.wrap_x == TexelGeneratorWrapMirror));
}

#pragma clang attribute pop
