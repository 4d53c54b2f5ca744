// SPDX-License-Identifier: Apache-2.0
#include "atfim_ideal.h"

#include <stdlib.h>
#include <string.h>

#include "../unit/atfim_package.h"
#include "../texture/footprint.h"

enum { Queue = 256, Latency = 64 };  // Latency: cycles, of pipeline and vault without a queue

typedef struct {
  uint64_t due;
  uint32_t words[AtfimResponseWords];
} answer_t;

typedef struct {
  const texture_map_t *map;
  uint32_t rate;
  bool exact;
  uint64_t now;
  uint64_t children_done;  // in children: when the last one leaves the ALUs, rate a cycle
  answer_t queue[Queue];
  uint32_t head, count;
} ideal_t;

static uint32_t parent_of(const ideal_t *d, const atfim_package_t *p, uint32_t k) {
  const texel_generator_descriptor_t *t = &d->map->descriptor[p->descriptor];
  uint32_t level = k >> 2, n = (uint32_t)p->level + level, sum[4] = {0}, texel = 0;
  uint32_t width = frame_side(t->width, n), height = frame_side(t->height, n);
  uint32_t columns = (width + 3) >> 2, line[TextureLineTexels];
  for (uint32_t i = 0; i < p->ratio; i++) {
    int64_t x = p->x[level] + p->dx[k] + footprint_offset(p->step_x, p->ratio, i, level);
    int64_t y = p->y[level] + p->dy[k] + footprint_offset(p->step_y, p->ratio, i, level);
    uint32_t cx = footprint_wrap(t->wrap_x, x, width), cy = footprint_wrap(t->wrap_y, y, height);
    uint64_t at = p->offset[level] + (uint64_t)(cy >> 2) * columns + (cx >> 2);
    texture_map_line(d->map, ((uint64_t)t->base << 12) + at * TextureLineBytes, line);
    uint32_t child = line[texture_place(cx, cy)];
    for (uint32_t c = 0; c < 4; c++) {
      uint32_t value = child >> 8 * c & 255;
      sum[c] += d->exact ? value : (value + i) / p->ratio;
    }
  }
  for (uint32_t c = 0; c < 4; c++) {
    texel |= (d->exact ? (2 * sum[c] + p->ratio) / (2u * p->ratio) : sum[c]) << 8 * c;
  }
  return texel;
}

static void answer(ideal_t *d, const atfim_package_t *p) {
  atfim_response_t r = {.id = p->id, .epoch = p->epoch, .mask = p->mask};
  for (uint32_t k = 0; k < AtfimParents; k++) {
    if (p->mask >> k & 1) {
      r.texel[k] = parent_of(d, p, k);
    }
  }
  uint64_t start = d->now * d->rate;
  d->children_done = (d->children_done > start ? d->children_done : start) +
                     (uint64_t)__builtin_popcount(p->mask) * p->ratio;
  answer_t *a = &d->queue[(d->head + d->count++) % Queue];
  a->due = (d->children_done + d->rate - 1) / d->rate + Latency;
  atfim_response_pack(&r, a->words);
}

static void show(const ideal_t *d, atfim_out_t *out) {
  const answer_t *a = &d->queue[d->head];
  memset(out, 0, sizeof *out);
  out->quiescent = d->count == 0;
  out->package_ready = d->count < Queue;
  out->child_data_ready = true;
  out->response_valid = d->count > 0 && a->due <= d->now;
  if (out->response_valid) {
    memcpy(out->response, a->words, sizeof out->response);
  }
}

static unit_status_e step(void *self, const atfim_in_t *in, atfim_out_t *out) {
  ideal_t *d = self;
  bool ready = out->package_ready, taken = out->response_valid && in->response_ready;
  if (in->package_valid && ready) {
    atfim_package_t p;
    atfim_package_unpack(in->package, &p);
    // One of an old epoch is dropped, as the hardware does.
    if (p.epoch == in->epoch) {
      answer(d, &p);
    }
  }
  if (taken) {
    d->head = (d->head + 1) % Queue;
    d->count--;
  }
  d->now++;
  show(d, out);
  return UnitOk;
}

static void reset(void *self, atfim_out_t *out) {
  ideal_t *d = self;
  d->head = d->count = 0;
  show(d, out);
}

bool atfim_ideal_create(const texture_map_t *map, uint32_t rate, bool exact, atfim_t *engine) {
  ideal_t *d = calloc(1, sizeof *d);
  if (d) {
    d->map = map;
    d->rate = rate;
    d->exact = exact;
    *engine = (atfim_t){d, step, reset};
  }
  return d != NULL;
}

void atfim_ideal_destroy(atfim_t *engine) { free(engine->self); }
