// SPDX-License-Identifier: Apache-2.0
// The state of a run of A-TFIM's offloading unit with the layers of a cube, the textures in memory,
// what is asked for and what must come back.
#ifndef NOCTURNE_TESTS_ATFIM_CHAIN_H
#define NOCTURNE_TESTS_ATFIM_CHAIN_H

#include "csim/base/rng.h"
#include "csim/texture/virtual_texture.h"
#include "csim/units/atfim/package.h"
#include "tests/programs/unit_engine.h"

enum {
  MaxUnits = 16,
  MaxSlots = 16,
  MaxLayers = 4,
  MaxMade = 4,  // parameter sets of a test
  MaxUnderWay = 4096,
  Textures = 5,
  Descriptors = 16,  // of the table: a texture is sampled with several pairs of wrap modes
  Absent = 2,        // of these, never written
  MaxLevels = 14,
  LineBytes = 64,
  BaseLines = 64,    // lines in a unit of a texture's base
  MaxRestarts = 200  // fewer than there are epochs, so that none comes back within a run
};

// Shares in 1/1,000 of the cycles.
typedef struct {
  uint32_t request, package, read, data, response, answer, restart;
  uint32_t fails, refused;  // of the lines, of the requests
} rates_t;

typedef struct {
  uint32_t words[AtfimResponseWords];  // the longer of the two
} message_t;

typedef struct {
  uint32_t layer;
  uint16_t tag;
  uint8_t epoch;
  uint32_t line;
} read_t;

typedef struct {
  uint32_t base;  // in units of 4,096 bytes
  uint32_t width, height, levels, lines;
  uint32_t first[MaxLevels];   // line of each level, from the base
  uint32_t *level[MaxLevels];  // row-major
  uint32_t (*memory)[16];      // the lines; texels beyond a level's sides are noise
} texture_t;

typedef struct {
  atfim_t unit;
  atfim_in_t in;
  atfim_out_t out;
  bool data_held;
} layer_t;

typedef struct {
  rng_t rng;
  uint64_t seed;
  rates_t rate;
  const offload_unit_params_t *p;
  const atfim_params_t *cube_params;
  offload_unit_t unit;
  offload_unit_in_t in;
  offload_unit_out_t out;
  uint32_t layers, turn;
  layer_t layer[MaxLayers];
  texture_t texture[Textures];
  texel_generator_descriptor_t descriptor[Descriptors];
  uint8_t texture_of[Descriptors];
  uint32_t down_count, up_count, read_count;
  message_t down[MaxUnderWay], up[MaxUnderWay];
  read_t read[MaxUnderWay];
  bool response_held;
  uint64_t held;   // units whose request waits
  uint32_t off;    // cycles until the cube's reset ends
  uint32_t setup;  // descriptors still to be written
  uint64_t cycles;
  uint32_t restarts, asked, answered;
  const atfim_package_t *next;  // if not NULL, what is asked for next, not something random
  uint32_t next_count;
  bool owed[MaxUnits][MaxSlots];
  uint32_t request[MaxUnits][MaxSlots][AtfimRequestWords];
} run_t;

static inline uint32_t at_least_1(uint32_t n) { return n ? n : 1; }

// ---- Textures in memory ----

static inline uint32_t any_texel(rng_t *g) {  // for sums of extremes and of anything between
  uint32_t kind = rng_below(g, 4);
  return kind == 0 ? 0 : kind == 1 ? UINT32_MAX : (uint32_t)rng_u64(g);
}

static inline uint32_t line_of(const texture_t *t, uint32_t level, uint32_t x, uint32_t y) {
  uint32_t tiles = (at_least_1(t->width >> level) + 3) / 4;
  return t->first[level] + (y / 4) * tiles + x / 4;
}

static inline void texture_make(texture_t *t, rng_t *g, uint32_t width, uint32_t height) {
  *t = (texture_t){.width = width, .height = height};
  while (t->levels == 0 || width >> t->levels || height >> t->levels) {
    uint32_t w = at_least_1(width >> t->levels), h = at_least_1(height >> t->levels);
    t->first[t->levels++] = t->lines;
    t->lines += (w + 3) / 4 * ((h + 3) / 4);
  }
  t->memory = malloc(t->lines * sizeof *t->memory);
  for (uint32_t i = 0; i < t->lines; i++) {
    for (uint32_t n = 0; n < 16; n++) {
      t->memory[i][n] = (uint32_t)rng_u64(g);
    }
  }
  for (uint32_t l = 0; l < t->levels; l++) {
    uint32_t w = at_least_1(width >> l), h = at_least_1(height >> l);
    t->level[l] = malloc((size_t)w * h * sizeof(uint32_t));
    for (uint32_t y = 0; y < h; y++) {
      for (uint32_t x = 0; x < w; x++) {
        t->level[l][y * w + x] = any_texel(g);
        t->memory[line_of(t, l, x, y)][y % 4 * 4 + x % 4] = t->level[l][y * w + x];
      }
    }
  }
}

static inline void textures_free(run_t *r) {
  for (uint32_t i = 0; i < Textures; i++) {
    for (uint32_t l = 0; l < r->texture[i].levels; l++) {
      free(r->texture[i].level[l]);
    }
    free(r->texture[i].memory);
    r->texture[i] = (texture_t){0};
  }
}

static inline void textures_make(run_t *r) {
  static const uint32_t sizes[][2] = {{64, 64}, {13, 7}, {37, 50}, {16, 2},  {48, 5},
                                      {21, 65}, {2, 2},  {1, 33},  {100, 1}, {96, 96}};
  enum { Sizes = sizeof sizes / sizeof *sizes };
  rng_t *g = &r->rng;
  uint32_t base = rng_below(g, 1000);
  for (uint32_t i = 0; i < Textures; i++) {
    texture_t *t = &r->texture[i];
    const uint32_t *side = sizes[rng_below(g, Sizes)];
    // The first has one texel, the second a side as long as can be.
    texture_make(t, g,
                 i == 0   ? 1
                 : i == 1 ? (base & 1 ? 8192 : 5)
                          : side[0],
                 i == 0   ? 1
                 : i == 1 ? (base & 1 ? 3 : 8192)
                          : side[1]);
    t->base = base;
    if (i == Textures - 1) {  // the last lines that there are
      t->base = (1u << 22) - (t->lines + BaseLines - 1) / BaseLines;
    }
    base += (t->lines + BaseLines - 1) / BaseLines + rng_below(g, 3);
  }
  for (uint32_t i = 0; i < Descriptors; i++) {
    const texture_t *t = &r->texture[i < 2 ? 0 : rng_below(g, Textures)];
    r->texture_of[i] = (uint8_t)(t - r->texture);
    r->descriptor[i] = (texel_generator_descriptor_t){.index = (uint16_t)i,
                                                      .base = t->base,
                                                      .width = (uint16_t)t->width,
                                                      .height = (uint16_t)t->height,
                                                      .wrap_x = (uint8_t)rng_below(g, 3),
                                                      .wrap_y = (uint8_t)rng_below(g, 3)};
  }
}

static inline bool line_fails(const run_t *r, uint32_t line) {
  rng_t g;
  rng_seed(&g, r->seed ^ line * 0xd6e8feb86659fd93u);
  return rng_chance(&g, r->rate.fails);
}

// A line that no texture has is a wrong address.
static const uint32_t *line_at(const run_t *r, uint32_t line) {
  for (uint32_t i = 0; i < Textures; i++) {
    const texture_t *t = &r->texture[i];
    if (line - t->base * BaseLines < t->lines) {
      return t->memory[line - t->base * BaseLines];
    }
  }
  fail_msg("line 0x%x was read, which is no texture's", line);
  return NULL;
}

// ---- What is asked for, and what must come back ----

static inline virtual_texture_t virtual_of(const run_t *r, const atfim_package_t *p) {
  const texel_generator_descriptor_t *d = &r->descriptor[p->descriptor];
  return (virtual_texture_t){.reading = p->reading,
                             .k = p->extent,
                             .along_y = p->along_y,
                             .q = p->slope,
                             .wrap_x = d->wrap_x,
                             .wrap_y = d->wrap_y,
                             .width = at_least_1((uint32_t)d->width >> p->level),
                             .height = at_least_1((uint32_t)d->height >> p->level)};
}

// Refused by docs/units/texel_generator.md for anything but a tile without a parent.
static inline bool is_malformed(const run_t *r, const atfim_package_t *p) {
  if (p->descriptor >= Descriptors - Absent || p->extent < 1 || p->extent > VirtualMaxExtent ||
      p->slope < -VirtualMaxSlope || p->slope > VirtualMaxSlope) {
    return true;
  }
  const texel_generator_descriptor_t *d = &r->descriptor[p->descriptor];
  uint32_t w = (uint32_t)d->width >> p->level, h = (uint32_t)d->height >> p->level;
  uint32_t along = at_least_1(p->along_y ? h : w);
  return (w == 0 && h == 0) || (p->reading == VirtualLattice && along >> p->extent == 0);
}

// Returns the parents inside the virtual texture.
static inline uint16_t due_of(const run_t *r, const atfim_package_t *p, atfim_response_t *due) {
  *due = (atfim_response_t){.refused = true};
  if (is_malformed(r, p)) {
    return 0;
  }
  const texture_t *t = &r->texture[r->texture_of[p->descriptor]];
  virtual_texture_t v = virtual_of(r, p);
  uint16_t mask = virtual_texture_line(&v, t->level[p->level], p->tile_x, p->tile_y, due->texel);
  due->refused = mask == 0;
  for (uint32_t n = 0; n < AtfimParents; n++) {
    int32_t a, b;
    if (!virtual_texture_parent(&v, p->tile_x, p->tile_y, n, &a, &b)) {
      continue;
    }
    for (uint32_t i = 0; i < 1u << v.k; i++) {
      uint32_t x, y;
      virtual_texture_child(&v, a, b, i, &x, &y);
      if (line_fails(r, t->base * BaseLines + line_of(t, p->level, x, y))) {
        due->failed |= (uint16_t)(1u << n);
        due->texel[n] = 0;
      }
    }
  }
  return mask;
}

// A tile of the range: often one at an edge, where it may lie partly outside.
static inline void pick_tile(run_t *r, atfim_package_t *p) {
  rng_t *g = &r->rng;
  virtual_texture_t v = virtual_of(r, p);
  virtual_range_t range = virtual_texture_range(&v);
  uint32_t tile_x, tile_y, place;
  int32_t at[2], low[2] = {range.a0, range.b0}, high[2] = {range.a1, range.b1};
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t kind = rng_below(g, 4), inside = rng_below(g, (uint32_t)(high[i] - low[i] + 1));
    at[i] = kind == 0 ? low[i] : kind == 1 ? high[i] : low[i] + (int32_t)inside;
  }
  virtual_texture_tile(&v, at[0], at[1], &tile_x, &tile_y, &place);
  p->tile_x = (uint16_t)tile_x;
  p->tile_y = (uint16_t)tile_y;
}

// One thing about it is wrong.
static inline void spoil(run_t *r, atfim_package_t *p) {
  rng_t *g = &r->rng;
  switch (rng_below(g, 5)) {
    case 0: p->descriptor = (uint16_t)(Descriptors - Absent + rng_below(g, 1000)); break;
    case 1: p->level = (uint8_t)(r->texture[r->texture_of[p->descriptor]].levels); break;
    case 2: p->extent = (uint8_t)(rng_below(g, 4) ? 5 + rng_below(g, 3) : 0); break;
    case 3: p->slope = (int8_t)(rng_below(g, 2) ? 3 : -3 - (int)rng_below(g, 2)); break;
    default: p->tile_x = (uint16_t)(p->tile_x ^ 0xc00); break;  // likely outside
  }
}

static inline atfim_package_t random_package(run_t *r) {
  rng_t *g = &r->rng;
  atfim_package_t p = {.descriptor = (uint16_t)rng_below(g, Descriptors - Absent)};
  const texture_t *t = &r->texture[r->texture_of[p.descriptor]];
  do {
    p.level = (uint8_t)rng_below(g, rng_below(g, 2) ? 1 : t->levels);
    p.reading = (uint8_t)(t->width * t->height == 1 || rng_below(g, 2));
    p.extent = (uint8_t)(1 + rng_below(g, VirtualMaxExtent));
    p.along_y = rng_below(g, 2);
    p.slope = (int8_t)((int)rng_below(g, 5) - 2);
  } while (is_malformed(r, &p));
  p.angle = (uint8_t)rng_below(g, 128);
  pick_tile(r, &p);
  if (rng_chance(g, r->rate.refused)) {
    spoil(r, &p);
  }
  return p;
}

static inline void make_request(run_t *r, uint32_t request[AtfimRequestWords]) {
  atfim_package_t p;
  if (r->next) {
    p = *r->next++;
    r->next_count--;
  } else {
    p = random_package(r);
  }
  if (p.descriptor < Descriptors) {
    p.offset = r->texture[r->texture_of[p.descriptor]].first[p.level % MaxLevels];
  }
  uint32_t words[AtfimPackageWords];
  atfim_package_pack(&p, words);
  words[1] |= (uint32_t)rng_u64(&r->rng) << 28;  // bits that are no field's
  words[2] |= (uint32_t)rng_u64(&r->rng) << 31;
  words[3] |= (uint32_t)rng_u64(&r->rng) << 28;
  memcpy(request, &words[1], AtfimRequestWords * sizeof *request);
}

#endif
