// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

enum {
  PackageDepth = 2,
  RequestDepth = 2,
  AddressStages = 9,
  LineStages = 3,
  MaxSide = 8192,
  Children = 16,  // of a group: 4 lanes of 4 parents
  TileAlong = 4,
  TileAcross = 20,
};

static const uint32_t LineMask = (UINT32_C(1) << 28) - 1;

typedef struct {
  bool valid;
  texel_generator_descriptor_t fields;  // without the index
} descriptor_t;

// A package from L to C.
typedef struct {
  texel_generator_package_t package;
  descriptor_t descriptor;
  bool bad;
  uint8_t slot;
  int32_t side[2];  // x, y
  bool inside_a[4], inside_b[4];
  uint32_t group, last;  // the next one, the last one
} work_t;

// Why a stage is empty.
typedef enum { CauseNoPackage, CauseNoSlot, CauseNoRequest, CauseFilling } cause_e;

// 16 children of a package; number 4 * lane + n.
typedef struct {
  bool valid, last;  // last: group of its package
  uint8_t cause;     // if not valid
  bool along_y;
  uint8_t slot, parent[Children];
  uint16_t rest;  // children that have not left
  uint16_t x[Children], y[Children];
  uint32_t base, pitch;  // line of the level's first texel; tiles of a row
} group_t;

typedef struct {
  bool valid;
  uint8_t cause;  // if not valid
  texel_generator_beat_t beat;
} line_t;

typedef struct {
  uint32_t packages, requests;  // entries of the queues; their heads are entry 0
  bool load_valid, prepare_valid, ready_valid, work_valid;
  uint8_t error;
  uint64_t free;
  uint32_t slots, descriptor_mask;
  uint64_t counter_mask, seen;
  bool observe;
  uint64_t peek_data;
  uint64_t counters[TexelGeneratorCounters];
  texel_generator_package_t package[PackageDepth];
  texel_generator_request_t request[RequestDepth];
  work_t load, prepare, ready, work;  // L, P, R, C
  uint32_t first, occupied;           // stage s is stages[(first + s) % AddressStages]; how many
  group_t stages[AddressStages], emit;
  line_t lines[LineStages];
  descriptor_t *descriptors;
  texel_generator_out_t out;  // but quiescent
} golden_t;

static void raise(uint8_t *error, uint8_t code) {
  if (*error == TexelGeneratorErrorNone || code < *error) {
    *error = code;
  }
}

static void count(golden_t *g, texel_generator_counter_e counter, uint64_t n) {
  g->counters[counter] = (g->counters[counter] + n) & g->counter_mask;
}

static int32_t slope_of(const texel_generator_package_t *p) {
  return p->slope & 4 ? (int32_t)p->slope - 8 : p->slope;
}

// ---- Packages

static int32_t at_least_one(int32_t side) { return side > 0 ? side : 1; }

// The parents of the tile along one axis that lie between low and high.
static bool mark_inside(bool inside[4], int32_t first, int32_t low, int32_t high) {
  bool any = false;
  for (int32_t n = 0; n < 4; n++) {
    inside[n] = first + n >= low && first + n <= high;
    any |= inside[n];
  }
  return any;
}

// Judges a package in stage R: whether it is bad, and which parents and groups it has.
static void judge(work_t *w) {
  const texel_generator_package_t *p = &w->package;
  const texel_generator_descriptor_t *d = &w->descriptor.fields;
  int32_t k = p->extent, n = 1 << k, q = slope_of(p);
  int32_t width = d->width >> p->level, height = d->height >> p->level;
  w->side[0] = at_least_one(width);
  w->side[1] = at_least_one(height);
  w->bad = !w->descriptor.valid || (width == 0 && height == 0) || k < 1 || k > 4 || q < -2 || q > 2;
  if (w->bad) {
    return;
  }
  int32_t along = p->along_y ? w->side[1] : w->side[0];
  int32_t across = p->along_y ? w->side[0] : w->side[1];
  uint8_t wrap_a = p->along_y ? d->wrap_y : d->wrap_x, wrap_b = p->along_y ? d->wrap_x : d->wrap_y;
  int32_t low_a = -1, high_a = (along + n - 1) / n, low_b = 0, high_b = across - 1;
  if (p->reading == TexelGeneratorReadingIsotropic) {
    low_a = 0;
    high_a = at_least_one(along >> k) - 1;
    high_b = at_least_one(across >> k) - 1;
  } else {
    w->bad = along < n;
    if (wrap_a == TexelGeneratorWrapRepeat && along % n == 0) {
      low_a = 0;
      high_a = along / n - 1;
    }
    if (wrap_b != TexelGeneratorWrapRepeat) {
      bool clamps = wrap_b == TexelGeneratorWrapClamp;
      low_b = clamps ? -8 : -17;
      high_b = across + (clamps ? 7 : 16);
    }
  }
  int32_t tile_a = p->along_y ? p->tile_y : p->tile_x, tile_b = p->along_y ? p->tile_x : p->tile_y;
  w->bad |= !mark_inside(w->inside_a, 4 * tile_a - TileAlong, low_a, high_a);
  w->bad |= !mark_inside(w->inside_b, 4 * tile_b - TileAcross, low_b, high_b);
  // Column u belongs to parents with m = u >> k, group g has columns 4g to 4g + 3.
  w->group = w->last = 0;
  bool begun = false;
  for (uint32_t u = 0; u < 4u * (uint32_t)n; u++) {
    if (w->inside_a[u >> k & 3]) {
      w->group = begun ? w->group : u / 4;
      w->last = u / 4;
      begun = true;
    }
  }
}

// ---- Children

static int32_t wrapped(int32_t c, int32_t size, uint8_t wrap) {
  if (c >= 0 && c < size) {
    return c;
  }
  if (wrap == TexelGeneratorWrapClamp) {
    return c < 0 ? 0 : size - 1;
  }
  int32_t m = c < 0 ? -1 - c : c, r = m % size;
  bool turned = wrap == TexelGeneratorWrapMirror ? (m / size & 1) != 0 : c < 0;
  return turned ? size - 1 - r : r;
}

static void make_group(const work_t *w, group_t *group) {
  const texel_generator_package_t *p = &w->package;
  const texel_generator_descriptor_t *d = &w->descriptor.fields;
  int32_t k = p->extent, n_children = 1 << k;
  int32_t tile_a = p->along_y ? p->tile_y : p->tile_x, tile_b = p->along_y ? p->tile_x : p->tile_y;
  uint8_t wrap_a = p->along_y ? d->wrap_y : d->wrap_x, wrap_b = p->along_y ? d->wrap_x : d->wrap_y;
  group->slot = w->slot;
  group->last = w->group == w->last;
  group->along_y = p->along_y;
  group->base = (d->base << 6) + p->offset;
  group->pitch = (uint32_t)(w->side[0] + 3) >> 2;
  group->rest = 0;
  for (uint32_t lane = 0; lane < 4; lane++) {
    int32_t u = (int32_t)(4 * w->group + lane), i = u % n_children, m = u / n_children & 3;
    int32_t v = slope_of(p) * (2 * i - n_children + 1);
    if (!w->inside_a[m]) {
      continue;
    }
    int32_t along = wrapped((4 * tile_a - TileAlong) * n_children + u, w->side[p->along_y], wrap_a);
    for (int32_t n = 0; n < 4; n++) {
      int32_t b = 4 * tile_b - TileAcross + n;
      if (!w->inside_b[n]) {
        continue;
      }
      int32_t row = p->reading == TexelGeneratorReadingIsotropic
                        ? b * n_children + ((2 * (n_children - 1) + v + 2) >> 2)
                        : b + ((v + 2) >> 2);
      int32_t across = wrapped(row, w->side[!p->along_y], wrap_b);
      uint32_t child = 4 * lane + (uint32_t)n;
      group->rest |= (uint16_t)(1 << child);
      group->x[child] = (uint16_t)(p->along_y ? across : along);
      group->y[child] = (uint16_t)(p->along_y ? along : across);
      group->parent[child] = (uint8_t)(p->along_y ? 4 * m + n : 4 * n + m);
    }
  }
}

static bool in_line(const group_t *e, uint32_t i, uint32_t j) {
  return e->x[i] >> 2 == e->x[j] >> 2 && e->y[i] >> 2 == e->y[j] >> 2;
}

// Returns true if one of two children of a line keeps the other out of a beat.
static bool blocks(const group_t *e, uint32_t i, uint32_t j) {
  bool same_lane = i / 4 == j / 4;
  uint16_t along_i = e->along_y ? e->y[i] : e->x[i], along_j = e->along_y ? e->y[j] : e->x[j];
  uint16_t across_i = e->along_y ? e->x[i] : e->y[i], across_j = e->along_y ? e->x[j] : e->y[j];
  return same_lane ? across_i == across_j : along_i == along_j;
}

// The children that leave E with its next beat.
static uint16_t make_beat(const group_t *e, texel_generator_beat_t *beat) {
  uint32_t first = (uint32_t)__builtin_ctz(e->rest);
  uint16_t taken = 0, candidates = 0;
  memset(beat, 0, sizeof *beat);
  for (uint32_t j = 0; j < Children; j++) {
    if (!(e->rest >> j & 1) || !in_line(e, first, j)) {
      continue;
    }
    bool blocked = false;
    for (uint32_t i = 0; i < j; i++) {
      blocked |= (candidates >> i & 1) && blocks(e, i, j);
    }
    candidates |= (uint16_t)(1 << j);
    if (!blocked) {
      uint32_t texel = (e->y[j] & 3u) << 2 | (e->x[j] & 3u);
      taken |= (uint16_t)(1 << j);
      beat->texel |= (uint16_t)(1 << texel);
      beat->parent[texel] = e->parent[j];
    }
  }
  beat->slot = e->slot;
  beat->last = e->last && taken == e->rest;
  beat->along_y = e->along_y;
  beat->line = (e->base + (e->y[first] >> 2) * e->pitch + (e->x[first] >> 2)) & LineMask;
  return taken;
}

// ---- The cycle

// The outcome of the range-check stage R in a cycle.
typedef enum { ReadyStays, ReadyDropped, ReadyRefused, ReadyStarted } ready_e;

static ready_e judge_ready(const golden_t *g, uint8_t epoch, bool go) {
  if (!g->ready_valid) {
    return ReadyStays;
  }
  if (g->ready.package.epoch != epoch) {
    return ReadyDropped;
  }
  if (g->requests == RequestDepth) {
    return ReadyStays;
  }
  if (g->ready.bad) {
    return ReadyRefused;
  }
  bool has_room = !g->work_valid || (go && g->work.group == g->work.last);
  return has_room && g->free ? ReadyStarted : ReadyStays;
}

// Why the next address stage is empty if no group enters it.
static cause_e cause_of(const golden_t *g, uint8_t epoch) {
  if (g->ready_valid && g->ready.package.epoch == epoch) {
    if (!g->ready.bad && !g->free) {
      return CauseNoSlot;
    }
    return g->requests == RequestDepth ? CauseNoRequest : CauseFilling;
  }
  bool comes = g->ready_valid || g->prepare_valid || g->load_valid || g->packages > 0;
  return comes ? CauseFilling : CauseNoPackage;
}

// All that a cycle decides on the state before it.
typedef struct {
  bool go, step, sends, accepted, loads, prepares, readies;
  cause_e cause, line_cause;
  ready_e ready;
  uint16_t taken;
  texel_generator_beat_t beat;
} plan_t;

// Whether E may send: its package's request was taken.
static bool may_send(const golden_t *g) {
  bool waits = false;
  for (uint32_t i = 0; i < RequestDepth; i++) {
    waits |= i < g->requests && !g->request[i].refused && g->request[i].slot == g->emit.slot;
  }
  return g->emit.valid && !waits;
}

static plan_t plan(const golden_t *g, const texel_generator_in_t *in) {
  plan_t p = {.step = !g->lines[LineStages - 1].valid || in->beat_ready};
  p.sends = may_send(g);
  if (p.sends) {
    p.taken = make_beat(&g->emit, &p.beat);
  }
  p.go = !g->emit.valid || (p.step && p.sends && p.taken == g->emit.rest);
  p.cause = cause_of(g, in->epoch);
  p.line_cause = g->emit.valid ? CauseNoRequest : (cause_e)g->emit.cause;
  p.ready = judge_ready(g, in->epoch, p.go);
  p.readies = g->prepare_valid && (!g->ready_valid || p.ready != ReadyStays);
  p.prepares = g->load_valid && (!g->prepare_valid || p.readies);
  p.loads = g->packages > 0 && (!g->load_valid || p.prepares);
  p.accepted = in->package_valid && g->packages < PackageDepth;
  return p;
}

// Whether the cause of a stage changes; all that move are empty.
static bool causes_move(const golden_t *g, const plan_t *p) {
  bool move = false;
  if (p->go) {
    for (uint32_t s = 0; s < AddressStages; s++) {
      move |= g->stages[s].cause != p->cause;
    }
    move |= g->emit.cause != g->stages[(g->first + AddressStages - 1) % AddressStages].cause;
  }
  for (uint32_t s = 0; p->step && s < LineStages; s++) {
    move |= g->lines[s].cause != p->line_cause;
  }
  return move;
}

static bool is_quiescent(const golden_t *g, const texel_generator_in_t *in, const plan_t *plan) {
  const plan_t p = *plan;
  bool lines = g->lines[0].valid || g->lines[1].valid || g->lines[2].valid;
  return !(in->descriptor_valid || (in->peek_valid && g->observe) || in->free_valid || p.accepted ||
           (in->request_ready && g->requests > 0) || p.loads || p.prepares || p.readies ||
           p.ready != ReadyStays || (p.go && (g->occupied || g->work_valid)) ||
           (p.step && (p.sends || lines)) || (g->observe && causes_move(g, plan)));
}

bool texel_generator_golden_quiescent(const void *self, const texel_generator_in_t *in) {
  const plan_t p = plan(self, in);
  return is_quiescent(self, in, &p);
}

static void take_ready(golden_t *g, ready_e action, uint8_t *error) {
  const texel_generator_package_t *p = &g->ready.package;
  texel_generator_request_t request = {.id = p->id, .epoch = p->epoch};
  if (action == ReadyDropped) {
    count(g, TexelGeneratorCounterDropped, 1);
  } else if (action == ReadyRefused) {
    request.refused = true;
    g->request[g->requests++] = request;
    raise(error, TexelGeneratorErrorPackage);
    count(g, TexelGeneratorCounterRefused, 1);
  } else if (action == ReadyStarted) {
    g->work = g->ready;
    g->work.slot = request.slot = (uint8_t)__builtin_ctzll(g->free);
    g->work_valid = true;
    g->free &= g->free - 1;
    request.extent = p->extent;
    for (uint32_t a = 0; a < 4; a++) {
      for (uint32_t b = 0; b < 4; b++) {
        uint32_t number = p->along_y ? 4 * a + b : 4 * b + a;
        request.mask |= (uint16_t)((g->work.inside_a[a] && g->work.inside_b[b]) << number);
      }
    }
    g->request[g->requests++] = request;
    count(g, TexelGeneratorCounterPackages, 1);
  }
}

// The address stages move, and E if a group comes there.
static void move_groups(golden_t *g, cause_e cause) {
  const group_t *last = &g->stages[(g->first + AddressStages - 1) % AddressStages];
  g->emit.valid = last->valid;
  g->emit.cause = last->cause;
  if (last->valid) {
    g->emit = *last;
    g->occupied--;
  }
  g->first = (g->first + AddressStages - 1) % AddressStages;
  group_t *next = &g->stages[g->first];
  next->valid = g->work_valid;
  next->cause = (uint8_t)cause;
  if (g->work_valid) {
    make_group(&g->work, next);
    g->occupied++;
    g->work_valid = g->work.group++ != g->work.last;
    count(g, TexelGeneratorCounterGroups, 1);
  }
}

static void move_lines(golden_t *g, const plan_t *p) {
  if (g->lines[0].valid) {
    count(g, TexelGeneratorCounterBeats, 1);
    count(g, TexelGeneratorCounterChildren, (uint32_t)__builtin_popcount(g->lines[0].beat.texel));
  }
  g->lines[2] = g->lines[1];
  g->lines[1] = g->lines[0];
  g->lines[0] = (line_t){p->sends, (uint8_t)p->line_cause, p->beat};
  g->emit.rest &= (uint16_t)~p->taken;
}

// Counts the actions of line stage 2 in the cycles up to this one. Nothing changed in quiescent
// ones.
static void count_cycles(golden_t *g, const texel_generator_in_t *in) {
  const line_t *line = &g->lines[LineStages - 1];
  uint64_t passed = in->cycle - g->seen;
  if (!line->valid) {
    count(g, TexelGeneratorCounterNoPackage + line->cause, passed);
  } else if (in->beat_ready) {
    count(g, TexelGeneratorCounterTaken, 1);
    count(g, TexelGeneratorCounterNotTaken, passed - 1);
  } else {
    count(g, TexelGeneratorCounterNotTaken, passed);
  }
  g->seen = in->cycle & g->counter_mask;
}

static void load(golden_t *g) {
  work_t *w = &g->load;
  memset(w, 0, sizeof *w);
  w->package = g->package[0];
  g->package[0] = g->package[1];
  g->packages--;
  if (w->package.descriptor <= g->descriptor_mask) {
    w->descriptor = g->descriptors[w->package.descriptor];
  }
  judge(w);
}

static uint64_t peek(const golden_t *g, uint8_t select, uint16_t index) {
  if ((select & 1) == TexelGeneratorPeekCounter) {
    return index < TexelGeneratorCounters ? g->counters[index] : 0;
  }
  const descriptor_t *d = &g->descriptors[index & g->descriptor_mask];
  const texel_generator_descriptor_t *f = &d->fields;
  return d->valid
             ? 1 | (uint64_t)f->base << 1 | (uint64_t)f->width << 23 | (uint64_t)f->height << 37 |
                   (uint64_t)f->wrap_x << 51 | (uint64_t)f->wrap_y << 53
             : 0;
}

static void write_descriptor(golden_t *g, const texel_generator_descriptor_t *d, uint8_t *error) {
  uint32_t width = d->width & 0x3fff, height = d->height & 0x3fff;
  uint8_t wrap_x = d->wrap_x & 3, wrap_y = d->wrap_y & 3;
  if (d->index > g->descriptor_mask || width == 0 || width > MaxSide || height == 0 ||
      height > MaxSide || wrap_x > TexelGeneratorWrapMirror || wrap_y > TexelGeneratorWrapMirror) {
    raise(error, TexelGeneratorErrorDescriptor);
    return;
  }
  g->descriptors[d->index] = (descriptor_t){true,
                                            {.base = d->base & 0x3fffff,
                                             .width = (uint16_t)width,
                                             .height = (uint16_t)height,
                                             .wrap_x = wrap_x,
                                             .wrap_y = wrap_y}};
}

static void show(golden_t *g) {
  texel_generator_out_t *out = &g->out;
  memset(out, 0, sizeof *out);
  out->error = g->error;
  out->package_ready = g->packages < PackageDepth;
  out->peek_data = g->peek_data;
  out->request_valid = g->requests > 0;
  if (g->requests > 0) {
    out->request = g->request[0];
  }
  out->beat_valid = g->lines[LineStages - 1].valid;
  if (out->beat_valid) {
    out->beat = g->lines[LineStages - 1].beat;
  }
}

static void release(golden_t *g, uint64_t free_before, uint8_t slot, uint8_t *error) {
  slot &= 63;
  if (slot >= g->slots || free_before >> slot & 1) {
    raise(error, TexelGeneratorErrorSlot);
  } else {
    g->free |= UINT64_C(1) << slot;
  }
}

void texel_generator_golden_advance(void *self, const texel_generator_in_t *in) {
  golden_t *g = self;
  uint8_t error = TexelGeneratorErrorNone;
  const plan_t p = plan(g, in);
  uint64_t free_before = g->free;
  if (in->peek_valid && g->observe) {
    g->peek_data = peek(g, in->peek_select, in->peek_index);
  }
  if (!is_quiescent(g, in, &p)) {
    count_cycles(g, in);
  }
  if (in->descriptor_valid) {
    write_descriptor(g, &in->descriptor, &error);
  }
  if (g->requests > 0 && in->request_ready) {
    g->request[0] = g->request[1];
    g->requests--;
  }
  if (p.step) {
    move_lines(g, &p);
  }
  if (p.go) {
    move_groups(g, p.cause);
  }
  take_ready(g, p.ready, &error);
  if (in->free_valid) {
    release(g, free_before, in->free_slot, &error);
  }
  if (p.ready != ReadyStays) {
    g->ready_valid = false;
  }
  if (p.readies) {
    g->ready = g->prepare;
    g->ready_valid = true;
    g->prepare_valid = false;
  }
  if (p.prepares) {
    g->prepare = g->load;
    g->prepare_valid = true;
    g->load_valid = false;
  }
  if (p.loads) {
    load(g);
    g->load_valid = true;
  }
  if (p.accepted) {
    g->package[g->packages++] = in->package;
  }
  if (g->error == TexelGeneratorErrorNone) {
    g->error = error;
  }
  show(g);
}

const texel_generator_out_t *texel_generator_golden_out(const void *self) {
  return &((const golden_t *)self)->out;
}

static unit_status_e step(void *self, const texel_generator_in_t *in, texel_generator_out_t *out) {
  golden_t *g = self;
  texel_generator_golden_advance(g, in);
  *out = g->out;
  out->quiescent = texel_generator_golden_quiescent(g, in);
  return UnitOk;
}

static void reset(void *self, texel_generator_out_t *out) {
  golden_t *g = self;
  golden_t fresh = {.slots = g->slots,
                    .descriptor_mask = g->descriptor_mask,
                    .counter_mask = g->counter_mask,
                    .observe = g->observe,
                    .descriptors = g->descriptors,
                    .free = UINT64_MAX >> (64 - g->slots)};
  *g = fresh;
  memset(g->descriptors, 0, ((size_t)g->descriptor_mask + 1) * sizeof *g->descriptors);
  static const texel_generator_in_t Idle;
  show(g);
  *out = g->out;
  out->quiescent = texel_generator_golden_quiescent(g, &Idle);
}

static bool is_power(uint32_t n, uint32_t least, uint32_t most) {
  return n >= least && n <= most && (n & (n - 1)) == 0;
}

bool texel_generator_golden_create(const texel_generator_params_t *params,
                                   texel_generator_t *engine) {
  if (!is_power(params->descriptors, 2, 65536) || !is_power(params->slots, 2, 64) ||
      params->count_width < 10 || params->count_width > 48) {
    return false;
  }
  golden_t *g = calloc(1, sizeof *g);
  descriptor_t *descriptors = calloc(params->descriptors, sizeof *descriptors);
  if (!g || !descriptors) {
    free(g);
    free(descriptors);
    return false;
  }
  g->slots = params->slots;
  g->descriptor_mask = params->descriptors - 1;
  g->counter_mask = (UINT64_C(1) << params->count_width) - 1;
  g->observe = params->observe;
  g->descriptors = descriptors;
  texel_generator_out_t out;
  reset(g, &out);
  *engine = (texel_generator_t){g, step, reset};
  return true;
}

void texel_generator_golden_destroy(texel_generator_t *engine) {
  golden_t *g = engine->self;
  if (g) {
    free(g->descriptors);
  }
  free(g);
  engine->self = NULL;
}
