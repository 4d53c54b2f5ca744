// SPDX-License-Identifier: Apache-2.0
// Packages for a table of textures of all sizes and wrap modes, descriptors rewritten under way,
// back-pressure on requests and beats, entries given back in order.
#include <string.h>

#include "csim/unit/atfim_package.h"
#include "stimulus.h"

enum { Textures = 16 };  // written at a time

typedef struct {
  rng_t rng;
  uint32_t package_rate, request_rate, beat_rate, free_rate, descriptor_rate, error_rate;
  uint32_t index_limit;  // of the descriptors written
  uint8_t epoch;
  uint32_t setup;        // descriptors still to be written first
  uint32_t live;         // entries reserved, not given back
  bool held;             // the package waits for ready
  texel_generator_descriptor_t textures[Textures];
} traffic_t;

const stimulus_choice_t TexelGeneratorChoices[] = {
    STIMULUS_CHOICE(package_rate, "package", "steps in which a package comes",
                    1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(request_rate, "request", "steps in which a request is taken",
                    1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(beat_rate, "beat", "steps in which a beat is taken", 1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(free_rate, "free", "steps in which a parent is freed",
                    1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(descriptor_rate, "descriptor",
                    "steps in which a descriptor is written under way", 0, 0, 0, 0, 3, 100),
    STIMULUS_CHOICE(error_rate, "errors",
                    "faults in packages, parents freed that are not in use", 0, 0, 0, 0, 3, 3),
    {0}};

static uint16_t side(rng_t *r) {
  switch (rng_below(r, 4)) {
    case 0: return (uint16_t)(1u << rng_below(r, 14));
    case 1: return (uint16_t)(1 + rng_below(r, 20));
    default: return (uint16_t)(1 + rng_below(r, 8192));
  }
}

static void describe(traffic_t *t, texel_generator_in_t *in) {
  rng_t *r = &t->rng;
  uint32_t slot = t->setup > 0 ? --t->setup : rng_below(r, Textures);
  const texel_generator_descriptor_t d = {
      .index = (uint16_t)rng_below(r, t->index_limit), .base = rng_below(r, 1 << 22),
      .width = side(r), .height = side(r), .wrap_x = (uint8_t)rng_below(r, 3),
      .wrap_y = (uint8_t)rng_below(r, 3)};
  for (uint32_t i = 0; i < Textures; i++) {
    if (i == slot || t->textures[i].index == d.index) {
      t->textures[i] = d;
    }
  }
  in->descriptor_valid = true;
  in->descriptor = d;
  if (rng_chance(r, t->error_rate)) {
    switch (rng_below(r, 5)) {
      case 0: in->descriptor.index = (uint16_t)rng_below(r, 65536); break;
      case 1: in->descriptor.width = (uint16_t)(rng_chance(r, 500) ? 0 : 8193); break;
      case 2: in->descriptor.height = (uint16_t)(rng_chance(r, 500) ? 0 : 16383); break;
      case 3: in->descriptor.wrap_x = 3; break;
      default: in->descriptor.wrap_y = 3; break;
    }
  }
}

// Mostly within the level; now and then at the ends of what is allowed.
static int16_t first(rng_t *r, uint32_t full, uint32_t level) {
  int32_t size = full >> level ? (int32_t)(full >> level) : 1;
  switch (rng_below(r, 8)) {
    case 0: return (int16_t)(-16 + (int32_t)rng_below(r, 16));
    case 1: return (int16_t)(size + (int32_t)rng_below(r, 16));
    default: return (int16_t)rng_below(r, (uint32_t)size);
  }
}

static int16_t step_size(rng_t *r) {
  int32_t most = 1 << (4 + rng_below(r, 12));
  return (int16_t)((int32_t)rng_below(r, (uint32_t)(2 * most)) - most);
}

static void package(traffic_t *t, uint32_t words[AtfimPackageWords]) {
  rng_t *r = &t->rng;
  const texel_generator_descriptor_t *d = &t->textures[rng_below(r, Textures)];
  atfim_package_t p = {
      .id = (uint16_t)rng_below(r, 2048), .epoch = t->epoch, .descriptor = d->index,
      .level = (uint8_t)rng_below(r, rng_chance(r, 800) ? 5 : 16),
      .ratio = (uint8_t)(1 + rng_below(r, AtfimMaxRatio)), .angle = (uint8_t)rng_below(r, 128),
      .mask = (uint8_t)(1 + rng_below(r, 255)), .step_x = step_size(r), .step_y = step_size(r)};
  if (rng_chance(r, 300)) {
    p.mask = (uint8_t)(rng_chance(r, 500) ? 255 : 1 << rng_below(r, 8));
  }
  for (uint32_t l = 0; l < 2; l++) {
    p.x[l] = first(r, d->width, p.level + l);
    p.y[l] = first(r, d->height, p.level + l);
    p.offset[l] = rng_below(r, 1 << (rng_chance(r, 500) ? 28 : 12));
  }
  for (uint32_t k = 0; k < AtfimParents; k++) {
    p.dx[k] = (int8_t)((int32_t)rng_below(r, 16) - 8);
    p.dy[k] = (int8_t)((int32_t)rng_below(r, 16) - 8);
  }
  if (rng_chance(r, 10 * t->error_rate)) {
    int16_t away = (int16_t)(rng_chance(r, 500) ? -17 : 8208);
    switch (rng_below(r, 5)) {
      case 0: p.epoch = (uint8_t)rng_u64(r); break;
      case 1: p.descriptor = (uint16_t)rng_u64(r); break;
      case 2: p.mask = 0; break;
      case 3: p.x[rng_below(r, 2)] = away; break;
      default: p.y[rng_below(r, 2)] = away; break;
    }
  }
  atfim_package_pack(&p, words);
  if (rng_chance(r, 200)) {
    // Bits that the cube ignores.
    words[0] ^= (uint32_t)rng_u64(r) & 0x00800fff;
    words[1] ^= (uint32_t)rng_u64(r) & 0x80000000;
    words[2] ^= (uint32_t)rng_u64(r) & 0x0000ff00;
    words[3] ^= (uint32_t)rng_u64(r) & 0xffff0000;
    words[6] ^= (uint32_t)rng_u64(r) & 0xf0000000;
    words[7] ^= (uint32_t)rng_u64(r) & 0xf0000000;
  }
}

// After each reset a kind of traffic of its own.
static void start(traffic_t *t, const stimulus_t *s) {
  rng_t *r = &t->rng;
  stimulus_draw(s, r, TexelGeneratorChoices, t);
  t->epoch = (uint8_t)rng_u64(r);
  t->setup = Textures;
  t->live = 0;
  t->held = false;
  memset(t->textures, 0, sizeof t->textures);
}

static void inputs(traffic_t *t, const texel_generator_out_t *out, texel_generator_in_t *in) {
  rng_t *r = &t->rng;
  in->epoch = t->epoch;
  in->descriptor_valid = false;
  if (t->setup > 0 || rng_chance(r, t->descriptor_rate)) {
    describe(t, in);
  }
  if (!t->held) {
    in->package_valid = t->setup == 0 && rng_chance(r, t->package_rate);
    if (in->package_valid) {
      package(t, in->package);
    }
  }
  t->held = in->package_valid && !out->package_ready;
  in->request_ready = rng_chance(r, t->request_rate);
  in->beat_ready = rng_chance(r, t->beat_rate);
  in->parent_free = t->live > 0 && rng_chance(r, t->free_rate);
  t->live = t->live - in->parent_free + out->alloc_valid;
  if (rng_chance(r, t->error_rate)) {
    in->parent_free = true;
  }
  in->peek_valid = rng_chance(r, 50);
  if (in->peek_valid) {
    in->peek_select = (uint8_t)rng_below(r, 2);
    in->peek_index = (uint16_t)rng_below(r, in->peek_select == TexelGeneratorPeekCounter
                                                ? TexelGeneratorCounters + 2
                                                : 65536);
    if (in->peek_select == TexelGeneratorPeekDescriptor && rng_chance(r, 800)) {
      in->peek_index = t->textures[rng_below(r, Textures)].index;
    }
  }
}

bool stimulus_texel_generator(const stimulus_t *s, harness_t *harness,
                              char error[HarnessErrorSize]) {
  // Few parameter sets, so that few objects are built.
  static const texel_generator_params_t sets[] = {
      {1024, 256, 64, 48, true}, {16, 16, 16, 10, true}, {2, 64, 32, 48, false},
      {65536, 32, 64, 48, true}};
  _Static_assert(sizeof sets / sizeof *sets == TexelGeneratorSets, "stimulus.h has their number");
  static traffic_t t;
  memset(&t, 0, sizeof t);
  rng_seed(&t.rng, s->seed);
  static const uint32_t all[] = {0, 1, 2, 3};
  uint32_t set = stimulus_choose(s, &t.rng, "params", all, 4);
  const texel_generator_params_t *params = &sets[s->busy ? 0 : set];
  texel_generator_t unit;
  if (!harness_texel_generator(harness, params, &unit, error)) {
    return false;
  }
  t.index_limit = params->descriptors;
  static texel_generator_in_t in;
  static texel_generator_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  start(&t, s);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    inputs(&t, &out, &in);
    if (unit.step(unit.self, &in, &out) != UnitOk) {
      return false;
    }
    if (!s->busy && rng_below(&t.rng, 3000) == 0) {
      unit.reset(unit.self, &out);
      start(&t, s);
    }
  }
  return true;
}
