// SPDX-License-Identifier: Apache-2.0
#include "driver_memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t state;  // hash
  uint32_t place;  // among the draws of this state
  uint32_t triangles;
  uint32_t twin;  // place among those of them with as many triangles
  uint32_t command;
} draw_key_t;

typedef struct {
  draw_key_t key;
  driver_counters_t counters;
} entry_t;

struct driver_memory {
  bool has_frame;
  entry_t *entries;  // of the draws of the last frame, by state and place
  entry_t *twins;    // the same by state, triangles and twin
  uint32_t count;
  uint64_t triangle_cost;  // mean, in 1/256 cycles
};

driver_memory_t *driver_memory_make(void) { return calloc(1, sizeof(driver_memory_t)); }

void driver_memory_destroy(driver_memory_t *m) {
  if (m) {
    free(m->entries);
    free(m->twins);
    free(m);
  }
}

bool driver_memory_has_frame(const driver_memory_t *m) { return m->has_frame; }

// ---- The key of a draw

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

// A program's textures need not have the same numbers in the next frame.
static uint64_t texture_key(const frame_texture_t *t) {
  uint64_t hash = mix(mix(t->levels, t->width), t->height);
  for (size_t i = 0; i < (size_t)t->width * t->height; i++) {
    hash = mix(hash, t->level[0][i]);
  }
  return hash;
}

uint64_t *driver_texture_keys(const frame_t *f) {
  uint64_t *keys = calloc((size_t)f->texture_count + 1, sizeof *keys);
  for (uint32_t i = 0; keys && i < f->texture_count; i++) {
    keys[i] = texture_key(&f->textures[i]);
  }
  return keys;
}

static uint64_t stage_key(uint64_t hash, const frame_stage_t *s, const uint64_t *textures) {
  if (s->texture == FrameNone) {
    return mix(hash, FrameNone);
  }
  hash = mix(hash, textures[s->texture]);
  hash = mix(hash, (uint64_t)s->coord << 32 | (uint64_t)s->combine << 24 |
                       (uint64_t)s->mag_filter << 16 | (uint64_t)s->min_filter << 8 | s->mip);
  return mix(hash, (uint64_t)s->wrap_s << 16 | (uint64_t)s->wrap_t << 8 | s->max_anisotropy);
}

static uint64_t stencil_key(uint64_t hash, const frame_stencil_t *s) {
  hash = mix(hash, (uint64_t)s->func << 24 | (uint64_t)s->ref << 16 | (uint64_t)s->read_mask << 8 |
                       s->write_mask);
  return mix(hash, (uint64_t)s->fail << 16 | (uint64_t)s->depth_fail << 8 | s->pass);
}

static uint64_t blend_key(uint64_t hash, const frame_state_t *s) {
  hash = mix(hash, (uint64_t)s->color_mask << 8 | s->blend);
  if (!s->blend) {
    return hash;
  }
  return mix(hash, (uint64_t)s->src_rgb << 40 | (uint64_t)s->dst_rgb << 32 |
                       (uint64_t)s->src_alpha << 24 | (uint64_t)s->dst_alpha << 16 |
                       (uint64_t)s->equation_rgb << 8 | s->equation_alpha);
}

static uint64_t state_key(const frame_cmd_t *c, const uint64_t *textures) {
  const frame_state_t *s = &c->state;
  uint64_t hash = mix(s->color_target, s->depth_buffer);
  hash = mix(hash, (uint64_t)s->depth_test << 16 | (uint64_t)s->depth_write << 8 | s->depth_func);
  hash = blend_key(hash, s);
  hash = mix(hash, (uint64_t)s->alpha_test << 16 | (uint64_t)s->alpha_func << 8 | s->alpha_ref);
  hash = mix(hash, s->stencil_test);
  for (uint32_t side = 0; s->stencil_test && side < 2; side++) {
    hash = stencil_key(hash, &s->stencil[side]);
  }
  for (uint32_t k = 0; k < FrameMaxTextures; k++) {
    hash = stage_key(hash, &s->stages[k], textures);
  }
  return mix(hash, (uint64_t)c->vertex_length << 32 | c->fragment_length);
}

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

// Compares keys, and entries, which begin with a key.
static int by_command(const void *a, const void *b) {
  const draw_key_t *x = a, *y = b;
  int order = compare(x->state, y->state);
  return order ? order : compare(x->command, y->command);
}

static int by_place(const void *a, const void *b) {
  const draw_key_t *x = a, *y = b;
  int order = compare(x->state, y->state);
  return order ? order : compare(x->place, y->place);
}

static int by_triangles(const void *a, const void *b) {
  const draw_key_t *x = a, *y = b;
  int order = compare(x->state, y->state);
  order = order ? order : compare(x->triangles, y->triangles);
  return order ? order : compare(x->command, y->command);
}

static int by_twin(const void *a, const void *b) {
  const draw_key_t *x = a, *y = b;
  int order = compare(x->state, y->state);
  order = order ? order : compare(x->triangles, y->triangles);
  return order ? order : compare(x->twin, y->twin);
}

// The keys of a frame's draws, by place. NULL: out of memory.
static draw_key_t *keys_of(const frame_t *f, uint32_t *count) {
  draw_key_t *keys = calloc((size_t)f->command_count + 1, sizeof *keys);
  uint64_t *textures = driver_texture_keys(f);
  *count = 0;
  if (!keys || !textures) {
    free(keys);
    free(textures);
    return NULL;
  }
  for (uint32_t i = 0; i < f->command_count; i++) {
    if (f->commands[i].kind == FrameCmdDraw) {
      keys[(*count)++] = (draw_key_t){.state = state_key(&f->commands[i], textures),
                                      .triangles = f->commands[i].triangles_in,
                                      .command = i};
    }
  }
  qsort(keys, *count, sizeof *keys, by_triangles);
  for (uint32_t i = 1; i < *count; i++) {
    bool same = keys[i].state == keys[i - 1].state && keys[i].triangles == keys[i - 1].triangles;
    keys[i].twin = same ? keys[i - 1].twin + 1 : 0;
  }
  qsort(keys, *count, sizeof *keys, by_command);
  for (uint32_t i = 1; i < *count; i++) {
    keys[i].place = keys[i].state == keys[i - 1].state ? keys[i - 1].place + 1 : 0;
  }
  free(textures);
  return keys;
}

// ---- The last frame

bool driver_memory_learn(driver_memory_t *m, const frame_t *f, const driver_counters_t *counters) {
  uint32_t count;
  draw_key_t *keys = keys_of(f, &count);
  entry_t *entries = calloc((size_t)f->command_count + 1, sizeof *entries);
  entry_t *twins = calloc((size_t)f->command_count + 1, sizeof *twins);
  free(m->entries);
  free(m->twins);
  *m = (driver_memory_t){0};
  if (!keys || !entries || !twins) {
    free(keys);
    free(entries);
    free(twins);
    return false;
  }
  uint64_t cycles = 0, triangles = 0;
  for (uint32_t i = 0; i < count; i++) {
    entries[i] = (entry_t){keys[i], counters[keys[i].command]};
    cycles += entries[i].counters.cycles;
    triangles += keys[i].triangles;
  }
  memcpy(twins, entries, count * sizeof *twins);
  qsort(twins, count, sizeof *twins, by_twin);
  free(keys);
  uint64_t mean = triangles ? cycles * 256 / triangles : 0;
  *m = (driver_memory_t){.has_frame = true,
                         .entries = entries,
                         .twins = twins,
                         .count = count,
                         .triangle_cost = mean < UINT32_MAX ? mean : UINT32_MAX};
  return true;
}

// ---- The next one

static uint16_t weight_of(uint64_t units) {
  return (uint16_t)(units < 1 ? 1 : units > DriverWeightMax ? DriverWeightMax : units);
}

// A draw that comes or goes shifts the places of those after it, but not of all twins.
static const entry_t *last_of(const driver_memory_t *m, const draw_key_t *key) {
  const entry_t *twin = bsearch(key, m->twins, m->count, sizeof *m->twins, by_twin);
  return twin ? twin : bsearch(key, m->entries, m->count, sizeof *m->entries, by_place);
}

static driver_hint_t hint_of(const driver_memory_t *m, const draw_key_t *key,
                             const driver_hint_params_t *p) {
  const entry_t *e = last_of(m, key);
  if (!e) {
    uint64_t units = key->triangles * m->triangle_cost / 256 / DriverWeightCycles;
    return (driver_hint_t){.weight = weight_of(units)};
  }
  uint64_t least = p->pixels + (uint64_t)p->pixels_a_triangle * key->triangles;
  return (driver_hint_t){.by_all = e->counters.pixels >= least,
                         .weight = weight_of(e->counters.cycles / DriverWeightCycles)};
}

bool driver_memory_hints(const driver_memory_t *m, const frame_t *f, const driver_hint_params_t *p,
                         driver_hint_t *hints) {
  uint32_t count = 0;
  draw_key_t *keys = m->has_frame ? keys_of(f, &count) : NULL;
  if (m->has_frame && !keys) {
    return false;
  }
  for (uint32_t i = 0; i < f->command_count; i++) {
    hints[i] = (driver_hint_t){.weight = weight_of(f->commands[i].triangles_in)};
  }
  for (uint32_t i = 0; i < count; i++) {
    hints[keys[i].command] = hint_of(m, &keys[i], p);
  }
  free(keys);
  return true;
}

bool driver_memory_counters(const driver_memory_t *m, const frame_t *f,
                            const driver_counters_t **counters) {
  uint32_t count = 0;
  draw_key_t *keys = m->has_frame ? keys_of(f, &count) : NULL;
  for (uint32_t i = 0; i < count; i++) {
    const entry_t *e = last_of(m, &keys[i]);
    counters[keys[i].command] = e ? &e->counters : NULL;
  }
  const bool ok = keys || !m->has_frame;
  free(keys);
  return ok;
}
