// SPDX-License-Identifier: Apache-2.0
#include "draw_watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// A command that the unit has taken. Commands come in the order of id and first primitive.
typedef struct {
  uint32_t id, first, count;
  uint32_t group;  // composed, counted from 0; of others the number of those before
  uint8_t kind;
  bool to_all;
  uint64_t given;  // GPUs
  uint32_t done;   // of a transparent draw: primitives given
  uint64_t cycle;  // when it was taken
} draw_t;

struct draw_watch {
  draw_scheduler_t inner;
  lockstep_t *unit;
  uint32_t gpus;
  bool by_all;
  draw_t *draws;
  size_t count, room;
  // Draws of each composed group that are still to be given, and how many groups each GPU has left.
  uint32_t *open;
  size_t groups, group_room;
  uint32_t composed[UnitMaxGpus];
  uint8_t kind;  // of the group in work
  uint64_t clock;
};

static bool is_composed(uint8_t kind) { return kind != DrawSchedulerGroupDuplicated; }

static bool refuse(draw_watch_t *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(draw_watch_t *w, const char *format, ...) {
  text_t what = {0};
  va_list args;
  va_start(args, format);
  text_vformat(&what, format, args);
  va_end(args);
  lockstep_refuse(w->unit, "LIBRARY", text_string(&what));
  text_free(&what);
  return false;
}

// Makes room for one more of size bytes.
static bool grow(void **list, size_t count, size_t *room, size_t size) {
  if (count < *room) {
    return true;
  }
  void *more = realloc(*list, (2 * count + 64) * size);
  *list = more ? more : *list;
  *room = more ? 2 * count + 64 : *room;
  return more;
}

static bool open_group(draw_watch_t *w, const draw_scheduler_in_t *in) {
  w->kind = in->policy == DrawSchedulerPolicyDuplicateAll ? (uint8_t)DrawSchedulerGroupDuplicated
                                                          : in->cmd_kind;
  if (is_composed(w->kind)) {
    if (!grow((void **)&w->open, w->groups, &w->group_room, sizeof *w->open)) {
      return refuse(w, "out of memory");
    }
    w->open[w->groups++] = 0;
  }
  return true;
}

// Notes a command that the unit takes in this cycle.
static bool take(draw_watch_t *w, const draw_scheduler_in_t *in) {
  if (in->cmd_op == DrawSchedulerOpGroupStart) {
    return open_group(w, in);
  }
  const bool is_nothing = w->kind == DrawSchedulerGroupTransparent && in->cmd_count == 0;
  if (in->cmd_op != DrawSchedulerOpDraw || is_nothing) {
    return true;
  }
  if (!grow((void **)&w->draws, w->count, &w->room, sizeof *w->draws)) {
    return refuse(w, "out of memory");
  }
  w->draws[w->count++] = (draw_t){
      .id = in->cmd_id,
      .first = in->cmd_first,
      .count = in->cmd_count,
      .group = (uint32_t)w->groups - is_composed(w->kind),
      .kind = w->kind,
      .to_all = w->kind == DrawSchedulerGroupDuplicated ||
                (w->kind == DrawSchedulerGroupOpaque && w->by_all && in->cmd_by_all),
      .cycle = w->clock,
  };
  if (is_composed(w->kind)) {
    w->open[w->groups - 1]++;
  }
  return true;
}

// Returns the last command of this id that begins at this primitive or before it, or NULL.
static draw_t *find(const draw_watch_t *w, uint32_t id, uint32_t first) {
  size_t low = 0, high = w->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const draw_t *d = &w->draws[middle];
    if (d->id < id || (d->id == id && d->first <= first)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && w->draws[low - 1].id == id ? &w->draws[low - 1] : NULL;
}

static uint32_t first_of(uint64_t gpus) { return (uint32_t)__builtin_ctzll(gpus); }

static uint32_t most_gpus(const draw_t *d, uint32_t gpus) { return d->to_all ? gpus : 1; }

// The part of a transparent draw that a GPU is given.
static bool give_part(draw_watch_t *w, draw_t *d, const draw_scheduler_out_t *out, uint32_t gpu) {
  const uint32_t expected = d->first + d->done;
  if (out->piece_first < expected) {
    return refuse(w, "primitive %u of draw %u was given twice, now to GPU %u", out->piece_first,
                  d->id, gpu);
  }
  if (out->piece_first > expected || out->piece_count > d->count - d->done) {
    return refuse(w, "primitives %u to %u of draw %u for GPU %u, expected from %u to at most %u",
                  out->piece_first, out->piece_first + out->piece_count - 1, d->id, gpu, expected,
                  d->first + d->count - 1);
  }
  d->done += out->piece_count;
  w->open[d->group] -= d->done == d->count;
  return true;
}

static bool give(draw_watch_t *w, const draw_scheduler_out_t *out, uint32_t gpu) {
  draw_t *d = find(w, out->piece_id, out->piece_first);
  if (!d || (d->kind != DrawSchedulerGroupTransparent &&
             (d->first != out->piece_first || d->count != out->piece_count))) {
    return refuse(w, "draw %u, primitive %u, %u primitives for GPU %u: no such draw was taken",
                  out->piece_id, out->piece_first, out->piece_count, gpu);
  }
  if (d->kind == DrawSchedulerGroupTransparent) {
    return give_part(w, d, out, gpu);
  }
  const uint64_t bit = UINT64_C(1) << gpu;
  if ((d->given & bit) || (d->given && !d->to_all)) {
    return refuse(w, "draw %u (from primitive %u) was given twice: to GPU %u and then to GPU %u",
                  d->id, d->first, (d->given & bit) ? gpu : first_of(d->given), gpu);
  }
  d->given |= bit;
  const bool is_done = (uint32_t)__builtin_popcountll(d->given) == most_gpus(d, w->gpus);
  if (is_composed(d->kind) && is_done) {
    w->open[d->group]--;
  }
  return true;
}

static bool is_left(const draw_watch_t *w, const draw_t *d) {
  return d->kind == DrawSchedulerGroupTransparent
             ? d->done < d->count
             : (uint32_t)__builtin_popcountll(d->given) < most_gpus(d, w->gpus);
}

// A compose order says that all draws of the group were given.
static bool compose(draw_watch_t *w, uint32_t gpu) {
  const uint32_t group = w->composed[gpu]++;
  if (group >= w->groups) {
    return refuse(w, "a compose order for GPU %u without a group", gpu);
  }
  for (size_t i = 0; w->open[group] > 0 && i < w->count; i++) {
    const draw_t *d = &w->draws[i];
    if (d->group == group && is_composed(d->kind) && is_left(w, d)) {
      return refuse(w,
                    "draw %u (from primitive %u), taken in cycle %" PRIu64
                    ", was never given%s: its group is composed",
                    d->id, d->first, d->cycle, d->given || d->done ? " whole" : "");
    }
  }
  return true;
}

static unit_status_e step(void *self, const draw_scheduler_in_t *in, draw_scheduler_out_t *out) {
  draw_watch_t *w = self;
  const uint64_t shown = out->piece_valid & ~in->piece_ready;
  const bool takes = in->cmd_valid && out->cmd_ready;
  const unit_status_e status = w->inner.step(w->inner.self, in, out);
  w->clock = lockstep_clock(w->unit);
  if (status != UnitOk) {
    return status;
  }
  bool ok = !takes || take(w, in);
  for (uint64_t rest = out->piece_valid & ~shown; ok && rest; rest &= rest - 1) {
    const uint32_t gpu = first_of(rest);
    if (gpu >= w->gpus) {
      ok = out->piece_compose
               ? refuse(w, "a compose order for GPU %u, which does not exist (0 to %u)", gpu,
                        w->gpus - 1)
               : refuse(w, "draw %u for GPU %u, which does not exist (0 to %u)", out->piece_id, gpu,
                        w->gpus - 1);
    } else {
      ok = out->piece_compose ? compose(w, gpu) : give(w, out, gpu);
    }
  }
  return ok ? UnitOk : UnitStopped;
}

static void reset(void *self, draw_scheduler_out_t *out) {
  draw_watch_t *w = self;
  w->inner.reset(w->inner.self, out);
  w->count = w->groups = 0;
  memset(w->composed, 0, sizeof w->composed);
  w->kind = DrawSchedulerGroupDuplicated;
}

static void observe(void *self, draw_scheduler_state_t *state) {
  draw_watch_t *w = self;
  w->inner.observe(w->inner.self, state);
}

draw_watch_t *draw_watch_create(const draw_scheduler_params_t *params, draw_scheduler_t *engine,
                                lockstep_t *l) {
  draw_watch_t *w = calloc(1, sizeof *w);
  if (w) {
    w->inner = *engine;
    w->unit = l;
    w->gpus = params->gpus;
    w->by_all = params->by_all;
    *engine = (draw_scheduler_t){.self = w, .step = step, .reset = reset, .observe = observe};
  }
  return w;
}

void draw_watch_destroy(draw_watch_t *w) {
  if (w) {
    free(w->draws);
    free(w->open);
    free(w);
  }
}

void draw_watch_describe(const draw_watch_t *w, text_t *text) {
  enum { Shown = 4 };
  uint32_t found = 0;
  for (size_t i = 0; i < w->count; i++) {
    const draw_t *d = &w->draws[i];
    if (is_left(w, d) && found++ < Shown) {
      text_format(text,
                  "  draw %u (from primitive %u), taken in cycle %" PRIu64 ", was not given%s\n",
                  d->id, d->first, d->cycle, d->given || d->done ? " whole" : "");
    }
  }
  if (found > Shown) {
    text_format(text, "  and %u more\n", found - Shown);
  }
}
