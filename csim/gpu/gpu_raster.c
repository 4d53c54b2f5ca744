// SPDX-License-Identifier: Apache-2.0
#include "gpu_raster.h"

#include <stdlib.h>

#include "gpu_walk.h"

enum {
  Entries = 4096,       // places between geometry and raster
  ClipRoom = 64,        // triangles that clipping may make of one
  RateTriangles = 512,  // triangles in flight where shading is a rate
};

// The raster of a front.
typedef struct {
  const gpu_front_t *to;
  uint32_t number;  // of the front
  bool active;      // a triangle is being walked
  bool found;       // the walk has a block, due at free
  gpu_walk_t walk;
  uint32_t at;    // sequence number of the triangle in work
  uint64_t free;  // cycle
} walker_t;

struct gpu_raster {
  gpu_site_t *site;
  gpu_touches_t *touches;
  gpu_masks_t *masks;  // NULL: one front, which takes all entries as they come
  gpu_ring_t ring;
  gpu_entry_t entries[Entries];
  uint32_t entry_limit;
  walker_t walkers[GpuMaxFronts];  // clears and holds take the time of the first
  raster_t triangles[GpuTriangles];
  uint32_t places;         // used of them, a power of two
  bool prepared, covers;   // with masks: the first entry has been set up, and has a pixel
  uint32_t ended;          // with masks: triangles before this number have been noted as over
  uint32_t draw;           // sequence number of the draw in work
  bool clearing;           // a clear is under way until free
  uint64_t stopped_until;  // end of the last clear or hold
  bool held;
  uint64_t held_since;
};

static raster_t *triangle_of(gpu_raster_t *r, uint32_t number) {
  return &r->triangles[number & (r->places - 1)];
}

// Tells if nothing is left between raster and ROP; else lowers *next to the cycle at which that
// is known to be so. The last block of the ROP brings us here again.
static bool drained(const gpu_raster_t *r, uint64_t now, uint64_t *next) {
  uint64_t done = 0;
  for (uint32_t f = 0; f < r->site->fronts; f++) {
    const gpu_front_t *to = r->walkers[f].to;
    if (!gpu_depth_drained(to->depth)) {
      return false;
    }
    done = cycle_later(done, cycle_later(gpu_rop_done(to->rop), gpu_depth_done(to->depth)));
  }
  if (done > now) {
    cycle_earliest(next, done);
    return false;
  }
  return true;
}

// Returns true when the entry is done with.
static bool clear_or_hold(gpu_raster_t *r, uint64_t now, uint64_t *next, const gpu_entry_t *e) {
  const gpu_draw_t *d = e->draw;
  if (r->clearing) {
    r->clearing = false;
    r->stopped_until = now;
    return true;
  }
  if (!drained(r, now, next)) {
    return false;
  }
  if (d->command.kind == GpuCommandHold) {
    if (gpu_touches_flush(r->touches)) {
      r->held = true;
      r->held_since = now;
    } else {
      cycle_earliest(next, now + 1);
    }
    return false;  // until gpu_raster_release
  }
  const frame_cmd_t *c = &r->site->frame->commands[d->command.command];
  render_clear(c, d->draw.color, d->draw.depth, d->owners, r->site->index);
  const frame_rect_t *box = &c->state.scissor;
  uint64_t pixels = (uint64_t)(box->x1 - box->x0) * (uint64_t)(box->y1 - box->y0);
  r->walkers[0].free = now + 1 + pixels / r->site->params.clear_rate;
  r->clearing = true;
  return false;
}

static bool set_up(gpu_raster_t *r, uint32_t number, const gpu_entry_t *e) {
  r->site->stats.triangles_rastered++;
  return raster_setup(triangle_of(r, number), r->site->frame, e->draw->draw.state,
                      &r->site->frame->triangles[e->triangle]);
}

// Looks for the next block; it or the triangle's end is due after the cycles it took.
static void seek(gpu_raster_t *r, walker_t *k, uint64_t now, const gpu_draw_t *d, uint32_t cycles) {
  k->found = gpu_walk_next(&k->walk, r->site, k->number, triangle_of(r, k->at), d, &cycles);
  if (k->found) {
    cycles += gpu_stamp_cycles(lanes_stamp_count(k->walk.found), r->site->params.raster_stamps);
  }
  k->free = now + cycles;
  r->site->stats.busy_raster += cycles;
}

static void emit(gpu_raster_t *r, const walker_t *k, uint64_t now, uint64_t *next,
                 const gpu_draw_t *d) {
  gpu_stats_t *stats = &r->site->stats;
  uint64_t fragments = (uint64_t)__builtin_popcountll(k->walk.found);
  *gpu_depth_push(k->to->depth) = (gpu_block_t){.ready = now + 1,
                                                .mask = k->walk.found,
                                                .draw = d,
                                                .raster = triangle_of(r, k->at),
                                                .triangle = k->at,
                                                .bx = (uint16_t)k->walk.found_x,
                                                .by = (uint16_t)k->walk.found_y};
  cycle_earliest(next, now + 1);
  stats->first_block = stats->first_block ? stats->first_block : now + 1;
  stats->blocks++;
  stats->stamps += lanes_stamp_count(k->walk.found);
  stats->fragments += fragments;
  d->cost->fragments += fragments;
}

// Returns the block of the oldest triangle between raster and ROP, or NULL.
static const gpu_block_t *oldest_block(const gpu_raster_t *r) {
  const gpu_block_t *b = NULL;
  for (uint32_t f = 0; f < r->site->fronts; f++) {
    b = gpu_block_older(b, gpu_depth_oldest(r->walkers[f].to->depth));
  }
  return b;
}

// Tells if a place for a triangle is free. `number`: its own.
static bool has_place(const gpu_raster_t *r, uint32_t number) {
  const gpu_block_t *b = oldest_block(r);
  return !b || number - b->triangle < r->places - 1;
}

// Tells if a triangle of this draw may start. `through`: all of the draws before has been walked.
static bool may_start(gpu_raster_t *r, uint64_t now, uint64_t *next, const gpu_draw_t *d,
                      bool through) {
  if (d->sequence != r->draw) {
    if (!r->site->params.draw_overlap && !(through && drained(r, now, next))) {
      return false;
    }
    d->cost->begin = cycle_later(d->cost->begin, r->stopped_until);
  }
  r->draw = d->sequence;
  return true;
}

static void start_walk(gpu_raster_t *r, walker_t *k, uint64_t now, const gpu_draw_t *d) {
  gpu_walk_begin(&k->walk, r->site, triangle_of(r, k->at));
  k->active = true;
  seek(r, k, now, d, r->site->params.raster_triangle);
}

// Goes on with the triangle in work. False: it has to wait.
static bool go_on(gpu_raster_t *r, walker_t *k, uint64_t now, uint64_t *next, const gpu_draw_t *d) {
  if (k->found) {
    if (gpu_depth_full(k->to->depth)) {
      return false;
    }
    emit(r, k, now, next, d);
    seek(r, k, now, d, 0);
    return true;
  }
  k->active = false;
  gpu_note_end(d, now);
  return true;
}

// ---- One front

// Begins the triangle at the head, or is done with it because it has no pixel. False: it has to
// wait.
static bool begin_triangle(gpu_raster_t *r, uint64_t now, uint64_t *next, const gpu_entry_t *e) {
  const gpu_draw_t *d = e->draw;
  walker_t *k = &r->walkers[0];
  if (!may_start(r, now, next, d, true) || !has_place(r, k->at)) {
    return false;
  }
  if (set_up(r, k->at, e)) {
    start_walk(r, k, now, d);
    return true;
  }
  gpu_ring_pop(&r->ring, Entries);
  k->free = now + r->site->params.raster_triangle;
  gpu_note_end(d, k->free);
  r->site->stats.busy_raster += r->site->params.raster_triangle;
  return true;
}

// Goes on with the triangle at the head.
static bool walk_head(gpu_raster_t *r, uint64_t now, uint64_t *next, const gpu_entry_t *e) {
  walker_t *k = &r->walkers[0];
  if (!go_on(r, k, now, next, e->draw)) {
    return false;
  }
  if (!k->active) {
    k->at++;
    gpu_ring_pop(&r->ring, Entries);
  }
  return true;
}

static void step_shared(gpu_raster_t *r, uint64_t now, uint64_t *next) {
  const walker_t *k = &r->walkers[0];
  for (;;) {
    if (k->free > now) {
      cycle_earliest(next, k->free);
      return;
    }
    if (r->ring.count == 0 || r->held) {
      return;
    }
    const gpu_entry_t *e = &r->entries[r->ring.head];
    if (e->ready > now) {
      cycle_earliest(next, e->ready);
      return;
    }
    if (e->triangle == UINT32_MAX) {
      if (!clear_or_hold(r, now, next, e)) {
        cycle_earliest(next, r->clearing ? k->free : GPU_NEVER);
        return;
      }
      gpu_ring_pop(&r->ring, Entries);
    } else if (!(k->active ? walk_head(r, now, next, e) : begin_triangle(r, now, next, e))) {
      return;
    }
  }
}

// ---- A front of each cluster

// Does the clear or hold that all fronts have reached. Returns true if they may go on.
static bool pass_stop(gpu_raster_t *r, uint64_t now, uint64_t *next) {
  const gpu_entry_t *e = gpu_masks_stop(r->masks);
  if (!e || r->held) {
    return false;
  }
  if (r->walkers[0].free > now || !clear_or_hold(r, now, next, e)) {
    cycle_earliest(next, r->walkers[0].free > now ? r->walkers[0].free : GPU_NEVER);
    return false;
  }
  gpu_masks_pass(r->masks);
  return true;
}

// Begins the next triangle that has been set up for a front. False: there is none, or it has to
// wait.
static bool begin_own(gpu_raster_t *r, walker_t *k, uint64_t now, uint64_t *next) {
  uint32_t number;
  if (!gpu_masks_ready(r->masks, k->number, now, next, &number)) {
    return false;
  }
  const gpu_draw_t *d = gpu_masks_entry(r->masks, number)->draw;
  const uint32_t passed = gpu_masks_passed(r->masks);
  if (!may_start(r, now, next, d, gpu_masks_entry(r->masks, passed)->draw == d)) {
    return false;
  }
  gpu_masks_begin(r->masks, k->number);
  k->at = number;
  start_walk(r, k, now, d);
  return true;
}

// Returns true if the front has gone on.
static bool step_front(gpu_raster_t *r, walker_t *k, uint64_t now, uint64_t *next) {
  bool any = gpu_masks_take(r->masks, k->number, now, next);
  while (k->free <= now) {
    const gpu_draw_t *d = gpu_masks_entry(r->masks, k->at)->draw;
    if (!(k->active ? go_on(r, k, now, next, d) : begin_own(r, k, now, next))) {
      return any;
    }
    any = true;
    if (!k->active) {
      gpu_masks_end(r->masks, k->number);
    }
  }
  cycle_earliest(next, k->free);
  return any;
}

// Ends the triangles that all fronts are done with.
static void end_triangles(gpu_raster_t *r, uint64_t now) {
  for (const uint32_t passed = gpu_masks_passed(r->masks); r->ended != passed; r->ended++) {
    const gpu_entry_t *e = gpu_masks_entry(r->masks, r->ended);
    if (e->triangle != UINT32_MAX) {
      gpu_note_end(e->draw, now);
    }
  }
}

// Offers the first entry to the primitive distributor.
static void step_masks(gpu_raster_t *r, uint64_t now, uint64_t *next) {
  const gpu_entry_t *e = r->ring.count ? &r->entries[r->ring.head] : NULL;
  const uint32_t number = gpu_masks_numbers(r->masks);
  gpu_offer_t offer = {
      .entry = e,
      .room = number - gpu_masks_passed(r->masks) < r->places - 1 && has_place(r, number)};
  if (e && e->ready <= now && offer.room && !r->prepared) {
    r->covers = e->triangle != UINT32_MAX && set_up(r, number, e);
    r->prepared = true;
  }
  offer.box = r->prepared && r->covers ? triangle_of(r, number) : NULL;
  if (gpu_masks_step(r->masks, now, next, &offer)) {
    gpu_ring_pop(&r->ring, Entries);
    r->prepared = false;
  } else if (e) {
    cycle_earliest(next, e->ready > now ? e->ready : GPU_NEVER);
  }
}

static void step_fronts(gpu_raster_t *r, uint64_t now, uint64_t *next) {
  bool any;
  do {
    any = pass_stop(r, now, next);
    for (uint32_t f = 0; f < r->site->fronts; f++) {
      any |= step_front(r, &r->walkers[f], now, next);
    }
  } while (any);
  end_triangles(r, now);
  step_masks(r, now, next);
}

// ---- The part

static void step(void *self, uint64_t now, uint64_t *next) {
  gpu_raster_t *r = self;
  if (r->masks) {
    step_fronts(r, now, next);
  } else {
    step_shared(r, now, next);
  }
}

bool gpu_raster_full(const gpu_raster_t *r) { return r->ring.count >= r->entry_limit; }

bool gpu_raster_room(const gpu_raster_t *r) { return r->ring.count < Entries; }

void gpu_raster_push(gpu_raster_t *r, const gpu_entry_t *e, uint64_t *next) {
  r->entries[gpu_ring_push(&r->ring, Entries)] = *e;
  cycle_earliest(next, r->ring.count == 1 ? e->ready : GPU_NEVER);
}

void gpu_raster_ended(gpu_raster_t *r, uint64_t now, uint64_t *next, uint32_t sequence) {
  if (r->masks) {
    gpu_masks_ended(r->masks, sequence);
    cycle_earliest(next, now + 1);
  }
}

// Tells if the fronts have entries before them.
static bool under_way(const gpu_raster_t *r) {
  return r->masks && gpu_masks_passed(r->masks) != gpu_masks_numbers(r->masks);
}

const gpu_entry_t *gpu_raster_first(const gpu_raster_t *r) {
  return under_way(r)    ? gpu_masks_entry(r->masks, gpu_masks_passed(r->masks))
         : r->ring.count ? &r->entries[r->ring.head]
                         : NULL;
}

const gpu_draw_t *gpu_raster_oldest(const gpu_raster_t *r) {
  const gpu_block_t *b = oldest_block(r);
  const gpu_entry_t *e = gpu_raster_first(r);
  // A front may be behind the blocks of the others.
  return !b || (e && (int32_t)(e->draw->sequence - b->draw->sequence) < 0) ? (e ? e->draw : NULL)
                                                                           : b->draw;
}

bool gpu_raster_walks(const gpu_raster_t *r, uint64_t now, uint64_t *until) {
  bool walks = under_way(r) && !gpu_masks_stop(r->masks);
  uint64_t last = 0;
  for (uint32_t f = 0; f < r->site->fronts; f++) {
    walks |= r->walkers[f].active;
    last = cycle_later(last, r->walkers[f].free);
  }
  if (!walks && last > now) {
    *until = last;
  }
  return walks || last > now;
}

const gpu_draw_t *gpu_raster_held(const gpu_raster_t *r) {
  return r->held ? gpu_raster_first(r)->draw : NULL;
}

void gpu_raster_release(gpu_raster_t *r, uint64_t now, uint64_t until) {
  r->site->stats.held += now - r->held_since;
  r->held = false;
  if (r->masks) {
    gpu_masks_pass(r->masks);
  } else {
    gpu_ring_pop(&r->ring, Entries);
  }
  for (uint32_t f = 0; f < r->site->fronts; f++) {
    r->walkers[f].free = until;
  }
  r->stopped_until = until;
}

static uint64_t done(const void *self) {
  const gpu_raster_t *r = self;
  uint64_t last = 0;
  for (uint32_t f = 0; f < r->site->fronts; f++) {
    last = cycle_later(last, r->walkers[f].free);
  }
  return last;
}

static bool busy(const void *self, uint64_t now) {
  const gpu_raster_t *r = self;
  return done(r) > now || (r->ring.count && r->entries[r->ring.head].ready > now) ||
         (r->masks && gpu_masks_busy(r->masks, now));
}

static bool empty(const void *self) {
  const gpu_raster_t *r = self;
  return r->ring.count == 0 && !under_way(r);
}

static void describe(const void *self, text_t *text) {
  const gpu_raster_t *r = self;
  text_format(text, ", %u triangles before raster%s", r->ring.count, r->held ? " (held)" : "");
  if (r->masks) {
    gpu_masks_describe(r->masks, text);
  }
}

static void destroy(void *self) {
  gpu_raster_t *r = self;
  gpu_masks_destroy(r->masks);
  free(r);
}

gpu_raster_t *gpu_raster_create(gpu_part_t *part, gpu_site_t *site, const gpu_front_t *fronts,
                                gpu_touches_t *touches, const gpu_units_t *units, err_t *err) {
  gpu_raster_t *r = calloc(1, sizeof *r);
  const gpu_params_t *p = &site->params;
  *part = (gpu_part_t){r, step, busy, empty, done, describe, destroy};
  if (!r) {
    return NULL;
  }
  uint64_t limit = p->triangle_queue + (uint64_t)p->geometry_latency * p->triangle_rate;
  r->site = site;
  r->touches = touches;
  r->entry_limit = (uint32_t)cycle_sooner(limit, Entries - ClipRoom);
  r->places = p->shader == GpuShaderWarp ? GpuTriangles : RateTriangles;
  for (uint32_t f = 0; f < site->fronts; f++) {
    r->walkers[f].to = &fronts[f];
    r->walkers[f].number = f;
  }
  if (site->fronts > 1 && !(r->masks = gpu_masks_create(site, units, err))) {
    return NULL;  // gpu_destroy frees the part
  }
  return r;
}
