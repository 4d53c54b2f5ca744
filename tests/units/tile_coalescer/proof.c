// SPDX-License-Identifier: Apache-2.0
// The tile coalescer: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
//
// Raster tiles, places, tags and queue entries that nothing holds do not matter in either. The RTL
// has a raster tile's stamps as four bits and its quadrant.
#include "csim/units/tile_coalescer/golden.c"
#include "tb/prove/wrapper.h"

enum {
  N = P_Engines,
  Bins = P_Bins,
  Live = P_Live,
  Tag = P_TagWidth,
  Pos = P_PosWidth,
  AllTags = (1 << Tag) - 1,
  AllPlaces = (1 << Pos) - 1,
  IdBits = Live <= 2 ? 1 : 32 - __builtin_clz(Live - 1),
  QueueBits = 7 + 2 * Pos + Tag,
};
#define ALL_IDS (UINT64_MAX >> (64 - Live))

PROVE_UNIT(tile_coalescer)

const bool FindRelation = true, FindWidths = true;

struct rtl {
  uint64_t first, second;
  struct engine {
    uint32_t place;
    uint8_t quadrant[Bins], stamps[Bins];
    uint16_t tag[Bins], stamp_tag[Stamps];
  } engine[N];
  uint32_t live_place[Live], tile_place;
  uint16_t tile_stamps;
  uint8_t id;
  uint8_t tile_tags[2 * Tag];
} Rtl;

#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
#define ENGINE(e)                                                                 \
  RTL(engine[e].place, "gen_engine[" #e "].u_engine.place_q", 2 * Pos, 1),        \
      RTL(engine[e].quadrant, "gen_engine[" #e "].u_engine.quadrant_q", 2, Bins), \
      RTL(engine[e].stamps, "gen_engine[" #e "].u_engine.stamps_q", 4, Bins),     \
      RTL(engine[e].tag, "gen_engine[" #e "].u_engine.tag_q", Tag, Bins),         \
      RTL(engine[e].stamp_tag, "gen_engine[" #e "].u_engine.gen_tag[%u].stamp_q", Tag, Stamps)
const prove_register_t Registers[] = {
    RTL(first, "u_queue.gen_shift.first_q", QueueBits, 1),
    RTL(second, "u_queue.gen_shift.second_q", QueueBits, 1),
    ENGINE(0),
#if P_Engines > 1
    ENGINE(1),
#endif
    RTL(live_place, "live_place_q", 2 * Pos, Live),
    RTL(id, "id_q", IdBits, 1),
    RTL(tile_place, "place_q", 2 * Pos, 1),
    RTL(tile_stamps, "stamps_q", Stamps, 1),
    RTL(tile_tags, "tags_q", Stamps *Tag, 1),
};

static golden_t *golden(void) { return Engine.self; }

_Static_assert((Live & (Live - 1)) == 0, "ids of a power of two");

// ---- Invariant ----

static bool same_raster(uint64_t word, const raster_t *r) {
  const uint32_t stamps = (uint32_t)(word >> Tag) & 15,
                 quadrant = (uint32_t)(word >> (Tag + 4)) & 3;
  return (word & AllTags) == r->tag && spread(quadrant, stamps) == r->stamps &&
         (word >> (Tag + 6) & AllPlaces) == r->x && (word >> (Tag + 6 + Pos) & AllPlaces) == r->y &&
         word >> (QueueBits - 1) == r->op;
}

static void check_engine(const golden_t *g, uint32_t i) {
  const engine_t *e = &g->engines[i];
  const struct engine *r = &Rtl.engine[i];
  prove_check("an engine is active if it has stamps",
              e->active == (e->held > 0 || e->covered != 0));
  prove_check("an inactive engine is at rest", e->active || (!e->evict && e->idle == 0));
  prove_check("an engine's idle", e->idle <= P_Wait);
  prove_check("an engine's raster tiles", e->held <= Bins);
  prove_check("an engine's place", !e->active || r->place == (e->x | (uint32_t)e->y << Pos));
  for (uint32_t b = 0; b < Bins; b++) {
    prove_check("a raster tile of an engine",
                b >= e->held || (spread(r->quadrant[b], r->stamps[b]) == e->bins[b].stamps &&
                                 r->tag[b] == e->bins[b].tag && e->bins[b].stamps != 0));
  }
  for (uint32_t s = 0; s < Stamps; s++) {
    prove_check("the tag of a covered stamp",
                !(e->covered >> s & 1) || r->stamp_tag[s] == e->tags[s]);
  }
  for (uint32_t k = 0; k < i; k++) {
    const engine_t *o = &g->engines[k];
    prove_check("a place has one engine", !e->active || !o->active || o->x != e->x || o->y != e->y);
  }
}

static bool same_place(const place_t *a, const place_t *b) { return a->x == b->x && a->y == b->y; }

static void check_live(const golden_t *g) {
  for (uint32_t l = 0; l < Live; l++) {
    const bool lives = g->live >> l & 1;
    prove_check("a live place",
                !lives || Rtl.live_place[l] == (g->places[l].x | (uint32_t)g->places[l].y << Pos));
    prove_check("the tile in the output register lives", !g->valid || g->id != l || lives);
    prove_check("the tile's place",
                !g->valid || g->id != l || same_place(&g->place, &g->places[l]));
    for (uint32_t k = 0; k < l; k++) {
      prove_check("a place lives once",
                  !lives || !(g->live >> k & 1) || !same_place(&g->places[l], &g->places[k]));
    }
  }
  prove_check("the tile in the output register",
              !g->valid || (Rtl.id == g->id && Rtl.tile_stamps == g->stamps &&
                            Rtl.tile_place == (g->place.x | (uint32_t)g->place.y << Pos)));
  for (uint32_t s = 0; s < Stamps; s++) {
    prove_check("its tags", !g->valid || prove_bits(Rtl.tile_tags, Tag * s, Tag) ==
                                             (g->stamps >> s & 1 ? g->tags[s] : 0));
  }
}

static void check_monitor(const golden_t *g);

void prove_invariant(void) {
  const golden_t *g = golden();
  prove_check("the head", g->queued < 1 || same_raster(Rtl.first, &g->queue[0]));
  prove_check("the second", g->queued < 2 || same_raster(Rtl.second, &g->queue[1]));
  for (uint32_t e = 0; e < N; e++) {
    check_engine(g, e);
  }
  prove_check("the engine that issued last", g->last < N);
  check_live(g);
  check_monitor(g);
}

// ---- Safety and progress, on the ports ----

// Two stamps of one place, any ones: the raster tiles that have them and have not left, the oldest
// first, with the number of ends before them, modulo 4. Whether the place lives, and its id.
enum { Watched = 2, MostPending = QueueDepth + Bins + 1 };
typedef struct {
  uint16_t tag;
  uint8_t draw;
} pending_t;
struct {
  uint16_t x, y;
  uint8_t stamp[Watched];
  uint8_t count[Watched], draw, lives, id;
  pending_t pending[Watched][MostPending];
} Monitor;

// How long the head waits where a tile is taken within Take cycles and done within Done cycles
// after that. untaken: cycles in which the tile was offered; age: cycles since it was taken.
// is_slow: the outside did not keep to it.
enum { Take = 2, Done = 3, MostWait = (Bins + 1) * (Done + N * Take + 4) + 2 };
struct {
  uint8_t waited, untaken, age[Live];
  bool is_slow;
} Wait;

_Static_assert(MostWait < 64 && Take == 2 && Done < 4 && Live >= N, "bits of these");

typedef struct {
  pending_t pending[MostPending];
  uint32_t count;
} sequence_t;

static void append_to(sequence_t *s, bool some, uint32_t tag, uint32_t draw) {
  for (uint32_t k = 0; k < MostPending; k++) {
    if (some && k == s->count) {
      s->pending[k] = (pending_t){(uint16_t)tag, draw & 3};
    }
  }
  s->count += some;
}

static sequence_t sequence(const golden_t *g, uint32_t stamp) {
  sequence_t s = {0};
  const uint32_t first_end = g->queued > 0 && g->queue[0].op == TileCoalescerOpEnd;
  const uint32_t second_end = g->queued > 1 && g->queue[1].op == TileCoalescerOpEnd;
  const uint32_t draw = Monitor.draw - first_end - second_end;
  for (uint32_t i = 0; i < N; i++) {
    const engine_t *e = &g->engines[i];
    const bool here = e->active && e->x == Monitor.x && e->y == Monitor.y;
    uint32_t tag = 0;
    for (uint32_t k = 0; k < Stamps; k++) {
      tag = k == stamp ? e->tags[k] : tag;
    }
    append_to(&s, here && (e->covered >> stamp & 1), tag, draw);
    for (uint32_t b = 0; b < Bins; b++) {
      append_to(&s, here && b < e->held && (e->bins[b].stamps >> stamp & 1), e->bins[b].tag, draw);
    }
  }
  for (uint32_t i = 0; i < QueueDepth; i++) {
    const raster_t *r = &g->queue[i];
    append_to(&s,
              i < g->queued && r->op == TileCoalescerOpTile && r->x == Monitor.x &&
                  r->y == Monitor.y && (r->stamps >> stamp & 1),
              r->tag, i == 0 ? Monitor.draw - second_end : Monitor.draw);
  }
  return s;
}

// In how many cycles an id is no longer live, at most.
static uint32_t live_left(const golden_t *g, uint32_t id) {
  return !(g->live >> id & 1)      ? 0
         : g->valid && g->id == id ? Take - Wait.untaken + Done
                                   : Done - Wait.age[id];
}

// Tiles are taken one by one, and done in time: at most so many are live.
enum { MostLive = 1 + Done, HasIds = Live >= MostLive + N };

// In how many cycles an id is free for an engine, at most. Of live tiles of places that no engine
// has so many must be done that each of the other engines may have one, and it one more.
static uint32_t id_left(const golden_t *g, uint32_t engine) {
  bool is_old[Live];
  uint32_t used = 0, next = 0;
  if (HasIds) {
    return 0;
  }
  for (uint32_t i = 0; i < N; i++) {
    used += i != engine && g->engines[i].active;
  }
  for (uint32_t l = 0; l < Live; l++) {
    is_old[l] = g->live >> l & 1;
    for (uint32_t i = 0; i < N; i++) {
      const engine_t *e = &g->engines[i];
      is_old[l] &= !e->active || g->places[l].x != e->x || g->places[l].y != e->y;
    }
    used += is_old[l];
  }
  for (uint32_t l = 0; l < Live; l++) {
    uint32_t sooner = 0;
    for (uint32_t k = 0; k < Live; k++) {
      sooner += is_old[k] && live_left(g, k) <= live_left(g, l);
    }
    const bool enough = is_old[l] && used >= Live && sooner + Live > used;
    next = enough && (next == 0 || live_left(g, l) < next) ? live_left(g, l) : next;
  }
  return next;
}

// In how many cycles an engine is at rest, at most: of its raster tiles and covered stamps each
// needs a tile. One is issued when the one before is done, an id is free, and those engines that
// are before it have issued.
static uint32_t engine_left(const golden_t *g, uint32_t engine, bool evicts) {
  const engine_t *e = &g->engines[engine];
  const uint32_t tiles = (e->covered != 0) + e->held;
  const uint32_t before = (engine + N - 1 - g->last) % N;
  uint32_t next = id_left(g, engine);
  next = next == 0 && (evicts || e->covered == 0 || moves(e) != 0) ? 1 : next;
  for (uint32_t l = 0; l < Live; l++) {
    const bool own = g->places[l].x == e->x && g->places[l].y == e->y;
    next = own && live_left(g, l) > next ? live_left(g, l) : next;
  }
  next = next > 0 ? next + N * Take : (g->valid ? Take - 1 - Wait.untaken : 0) + 1 + before * Take;
  return next + (tiles - 1) * (Take + Done + N * Take);
}

// In how many cycles the head is let in, at most.
static uint32_t wait_left(const golden_t *g) {
  const raster_t *head = &g->queue[0];
  const bool is_end = head->op == TileCoalescerOpEnd;
  uint32_t active = 0, evicted = 0, all = 0, first = UINT32_MAX, own = UINT32_MAX;
  for (uint32_t i = 0; i < N; i++) {
    active += g->engines[i].active;
    evicted += g->engines[i].active && g->engines[i].evict;
  }
  for (uint32_t i = 0; i < N; i++) {
    const engine_t *e = &g->engines[i];
    const bool here = e->active && !is_end && e->x == head->x && e->y == head->y;
    const bool goes = evicted > 0 ? e->evict : victim(g) >> i & 1;
    const uint32_t left = engine_left(g, i, !here && !e->evict);
    all = e->active && left > all ? left : all;
    first = goes && left < first ? left : first;
    own = here ? left : own;
  }
  return is_end ? all : own != UINT32_MAX ? own : active < N ? 0 : first;
}

static bool is_taken(const golden_t *g, uint32_t id) {
  return (g->live >> id & 1) && !(g->valid && g->id == id);
}

static void check_wait(const golden_t *g) {
  prove_check("the head is let in in time",
              Wait.is_slow || g->queued == 0 || Wait.waited + wait_left(g) <= MostWait);
  for (uint32_t l = 0; l < Live; l++) {
    prove_check("a tile that is taken is done in time", Wait.is_slow || Wait.age[l] < Done);
    for (uint32_t k = 0; k < l && HasIds; k++) {
      prove_check("tiles are taken one by one",
                  Wait.is_slow || !is_taken(g, l) || !is_taken(g, k) || Wait.age[l] != Wait.age[k]);
    }
  }
  prove_check("no head, no wait", g->queued > 0 || Wait.waited == 0);
}

// Notes if the outside does not keep to its times in this cycle, and the times after it.
static void wait(const golden_t *was) {
  const bool let_in = was->queued == 0 || plan(was, &In).pop;
  Wait.is_slow |= was->valid && !In.tile_ready && Wait.untaken == Take - 1;
  for (uint32_t l = 0; l < Live; l++) {
    const bool out = was->valid && was->id == l, counts = (was->live >> l & 1) && !out;
    const bool stays = counts && !(In.done_valid && In.done_id == l);
    Wait.is_slow |= stays && Wait.age[l] == Done - 1;
    Wait.age[l] = stays ? Wait.age[l] + 1 : 0;
  }
  Wait.untaken = was->valid && !In.tile_ready ? Wait.untaken + 1 : 0;
  Wait.waited = let_in ? 0 : Wait.waited + 1;
  if (Wait.is_slow) {
    memset(&Wait, 0, sizeof Wait);
    Wait.is_slow = true;
  }
}

static void check_monitor(const golden_t *g) {
  check_wait(g);
  for (uint32_t w = 0; w < Watched; w++) {
    const sequence_t s = sequence(g, Monitor.stamp[w]);
    prove_check("every stamp of every raster tile is inside", Monitor.count[w] == s.count);
    for (uint32_t k = 0; k < MostPending; k++) {
      prove_check("in their order",
                  k >= s.count || (Monitor.pending[w][k].tag == s.pending[k].tag &&
                                   Monitor.pending[w][k].draw == s.pending[k].draw));
    }
  }
  for (uint32_t l = 0; l < Live; l++) {
    const bool here =
        (g->live >> l & 1) && g->places[l].x == Monitor.x && g->places[l].y == Monitor.y;
    prove_check("the ports tell whether the place lives",
                here == (Monitor.lives && Monitor.id == l));
  }
}

// A TC tile that stands at the port for the first time.
static void check_tile(void) {
  if (Out.tile_x != Monitor.x || Out.tile_y != Monitor.y) {
    return;
  }
  prove_check("one live tile a place", !Monitor.lives);
  Monitor.lives = 1;
  Monitor.id = Out.tile_id;
  pending_t gone[Watched];
  bool has[Watched];
  for (uint32_t w = 0; w < Watched; w++) {
    uint32_t tag = 0;
    for (uint32_t k = 0; k < Stamps; k++) {
      tag = k == Monitor.stamp[w] ? Out.tile_tag[k] : tag;
    }
    has[w] = Out.tile_stamps >> Monitor.stamp[w] & 1;
    gone[w] = Monitor.pending[w][0];
    prove_check("a stamp is of the oldest raster tile that has it",
                !has[w] || (Monitor.count[w] > 0 && tag == gone[w].tag));
    for (uint32_t k = 0; k < MostPending && has[w]; k++) {
      Monitor.pending[w][k] = k + 1 < MostPending ? Monitor.pending[w][k + 1] : (pending_t){0};
    }
    Monitor.count[w] -= has[w];
  }
  prove_check("nothing before an end is joined with what is after it",
              !has[0] || !has[1] || gone[0].draw == gone[1].draw);
}

static void accept(void) {
  Monitor.draw = (Monitor.draw + (In.raster_op == TileCoalescerOpEnd)) & 3;
  if (In.raster_op != TileCoalescerOpTile || In.raster_x != Monitor.x || In.raster_y != Monitor.y) {
    return;
  }
  for (uint32_t w = 0; w < Watched; w++) {
    if (spread(In.raster_quadrant, In.raster_stamps) >> Monitor.stamp[w] & 1) {
      for (uint32_t k = 0; k < MostPending; k++) {
        if (k == Monitor.count[w]) {
          Monitor.pending[w][k] = (pending_t){(uint16_t)In.raster_tag, Monitor.draw};
        }
      }
      Monitor.count[w]++;
    }
  }
}

// An engine that can issue does, and one that can be staged is.
static void check_progress(const golden_t *was, const golden_t *g) {
  bool able = false, moved = true;
  for (uint32_t i = 0; i < N; i++) {
    const engine_t *e = &was->engines[i], *is = &g->engines[i];
    able |= can_issue(was, e);
    moved &= !e->active || moves(e) == 0 || (is->covered & ~e->covered) != 0;
  }
  const bool free = !was->valid || In.tile_ready;
  prove_check("an engine that can issue does where a tile and an id are free",
              !able || !free || was->live == ALL_IDS || Out.tile_valid);
  prove_check("a move covers a stamp", moved);
}

void prove_step(void) {
  const golden_t was = *golden();
  const bool known = was.live >> In.done_id & 1;
  wait(&was);
  prove_clock();
  const golden_t *g = golden();
  prove_check("the head waits no longer than the contract says",
              Wait.is_slow || Wait.waited <= MostWait);
  if (In.done_valid && known && !(was.valid && was.id == In.done_id) && Monitor.lives &&
      Monitor.id == In.done_id) {
    Monitor.lives = Monitor.id = 0;
  }
  if (Out.tile_valid && (!was.valid || In.tile_ready)) {
    check_tile();
  } else if (was.valid) {
    prove_check("a tile is held until it is taken",
                In.tile_ready
                    ? !Out.tile_valid
                    : Out.tile_valid && Out.tile_id == was.id && Out.tile_stamps == was.stamps &&
                          Out.tile_x == was.place.x && Out.tile_y == was.place.y);
  }
  if (In.raster_valid && was.queued < QueueDepth) {
    accept();
  }
  check_progress(&was, g);
  prove_check("the first error stays", was.error == 0 || Out.error == was.error);
}

void prove_restart(void) {
  prove_reset();
  Monitor.count[0] = Monitor.count[1] = Monitor.draw = Monitor.lives = Monitor.id = 0;
  memset(Monitor.pending, 0, sizeof Monitor.pending);
  memset(&Wait, 0, sizeof Wait);
}

PROVE_OUTPUTS

void prove_cover(void) {
  const golden_t *g = golden();
  prove_check("an engine holds Bins raster tiles", g->engines[0].held < Bins);
  prove_check("an engine is evicted", !g->engines[0].evict);
  prove_check("all ids live", g->live != ALL_IDS);
}
