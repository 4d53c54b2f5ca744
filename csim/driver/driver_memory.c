// SPDX-License-Identifier: Apache-2.0
#include "driver_memory.h"

#include <stdlib.h>

typedef struct {
  uint64_t state;  // hash
  uint32_t place;  // among the draws of this state
  uint32_t command;
} draw_key_t;

typedef struct {
  draw_key_t key;
  driver_counters_t counters;
} entry_t;

struct driver_memory {
  bool has_frame;
  entry_t *entries;  // of the draws of the last frame, in order of their keys
  uint32_t count;
  uint64_t triangle_cost;  // mean, in 1/256 cycles
};

driver_memory_t *driver_memory_make(void) { return calloc(1, sizeof(driver_memory_t)); }

void driver_memory_destroy(driver_memory_t *m) {
  if (m) {
    free(m->entries);
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
  hash = mix(hash, (uint64_t)s->func << 24 | (uint64_t)s->ref << 16 |
                       (uint64_t)s->read_mask << 8 | s->write_mask);
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

static int by_state(const void *a, const void *b) {
  const draw_key_t *x = a, *y = b;
  if (x->state != y->state) {
    return x->state < y->state ? -1 : 1;
  }
  return x->command < y->command ? -1 : x->command > y->command;
}

static int by_place(const void *a, const void *b) {
  const draw_key_t *x = a, *y = b;
  if (x->state != y->state) {
    return x->state < y->state ? -1 : 1;
  }
  return x->place < y->place ? -1 : x->place > y->place;
}

// The keys of a frame's draws, in their order. NULL: out of memory.
static draw_key_t *keys_of(const frame_t *f, uint32_t *count) {
  draw_key_t *keys = calloc((size_t)f->command_count + 1, sizeof *keys);
  uint64_t *textures = calloc((size_t)f->texture_count + 1, sizeof *textures);
  *count = 0;
  if (!keys || !textures) {
    free(keys);
    free(textures);
    return NULL;
  }
  for (uint32_t i = 0; i < f->texture_count; i++) {
    textures[i] = texture_key(&f->textures[i]);
  }
  for (uint32_t i = 0; i < f->command_count; i++) {
    if (f->commands[i].kind == FrameCmdDraw) {
      keys[(*count)++] = (draw_key_t){state_key(&f->commands[i], textures), 0, i};
    }
  }
  qsort(keys, *count, sizeof *keys, by_state);
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
  free(m->entries);
  *m = (driver_memory_t){0};
  if (!keys || !entries) {
    free(keys);
    free(entries);
    return false;
  }
  uint64_t cycles = 0, triangles = 0;
  for (uint32_t i = 0; i < count; i++) {
    entries[i] = (entry_t){keys[i], counters[keys[i].command]};
    cycles += entries[i].counters.cycles;
    triangles += f->commands[keys[i].command].triangles_in;
  }
  free(keys);
  uint64_t mean = triangles ? cycles * 256 / triangles : 0;
  *m = (driver_memory_t){.has_frame = true, .entries = entries, .count = count,
                         .triangle_cost = mean < UINT32_MAX ? mean : UINT32_MAX};
  return true;
}

// ---- The next one

static uint16_t weight_of(uint64_t units) {
  return (uint16_t)(units < 1 ? 1 : units > DriverWeightMax ? DriverWeightMax : units);
}

static driver_hint_t hint_of(const driver_memory_t *m, const draw_key_t *key, uint32_t triangles,
                             const driver_hint_params_t *p) {
  const entry_t *e = bsearch(key, m->entries, m->count, sizeof *m->entries, by_place);
  if (!e) {
    uint64_t units = triangles * m->triangle_cost / 256 / DriverWeightCycles;
    return (driver_hint_t){.weight = weight_of(units)};
  }
  uint64_t least = p->pixels + (uint64_t)p->pixels_a_triangle * triangles;
  return (driver_hint_t){.by_all = e->counters.pixels >= least,
                         .weight = weight_of(e->counters.cycles / DriverWeightCycles)};
}

bool driver_memory_hints(const driver_memory_t *m, const frame_t *f,
                         const driver_hint_params_t *p, driver_hint_t *hints) {
  uint32_t count = 0;
  draw_key_t *keys = m->has_frame ? keys_of(f, &count) : NULL;
  if (m->has_frame && !keys) {
    return false;
  }
  for (uint32_t i = 0; i < f->command_count; i++) {
    hints[i] = (driver_hint_t){.weight = weight_of(f->commands[i].triangles_in)};
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t command = keys[i].command;
    hints[command] = hint_of(m, &keys[i], f->commands[command].triangles_in, p);
  }
  free(keys);
  return true;
}
