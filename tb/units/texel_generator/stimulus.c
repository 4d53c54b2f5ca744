// SPDX-License-Identifier: Apache-2.0
// Tiles of virtual textures of all sizes, extents, slopes and wrap modes, at seams more often than
// elsewhere; descriptors rewritten under way, back-pressure on requests and beats, slots given back
// in any order.
#include <string.h>

#include "tb/stimulus/stimulus.h"
#include "tb/stimulus/stimulus_lines.h"

enum { Textures = 16, MaxSlots = 64, MostSide = 8192 };

typedef struct {
  rng_t rng;
  uint32_t package_rate, request_rate, beat_rate, free_rate, descriptor_rate, error_rate, seam_rate;
  uint32_t near;         // share of textures with sides close to a power of two
  uint32_t index_limit;  // of the descriptors written
  uint8_t epoch;
  uint32_t setup;  // descriptors still to be written first
  uint64_t used;   // slots taken, not given back
  bool held;       // the package waits for ready
  texel_generator_descriptor_t textures[Textures];
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(package_rate, "package", "steps in which a package comes", 1000, 1000, 800, 300,
                    50),
    STIMULUS_CHOICE(request_rate, "request", "steps in which a request is taken", 1000, 1000, 800,
                    300, 50),
    STIMULUS_CHOICE(beat_rate, "beat", "steps in which a beat is taken", 1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(free_rate, "free", "steps in which a slot is freed", 1000, 1000, 800, 300, 20),
    STIMULUS_CHOICE(seam_rate, "seam", "tiles at the ends of their range", 100, 100, 400, 800),
    STIMULUS_CHOICE(descriptor_rate, "descriptor",
                    "steps in which a descriptor is written under way", 0, 0, 0, 0, 3, 100),
    STIMULUS_CHOICE(error_rate, "errors", "faults in packages, slots freed that are not in use", 0,
                    0, 0, 0, 3, 3),
    STIMULUS_CHOICE_APART(near, "near", "textures with sides close to a power of two", 0, 0),
    {0}};

// A power of two and some, or fewer, in a level or more.
static uint16_t near_side(rng_t *r) {
  const uint32_t shift = rng_below(r, 10), power = 1u << rng_below(r, 14 - shift);
  const uint32_t side = (power + rng_below(r, 96) - (power > 32 ? 32 : 0)) << shift;
  return (uint16_t)(side > MostSide ? power << shift : side);
}

static void describe(traffic_t *t, texel_generator_in_t *in) {
  rng_t *r = &t->rng;
  uint32_t slot = t->setup > 0 ? --t->setup : rng_below(r, Textures);
  texel_generator_descriptor_t d = stimulus_line_texture(r, (uint16_t)rng_below(r, t->index_limit));
  if (t->near && rng_chance(r, t->near)) {
    d.width = near_side(r);
    d.height = near_side(r);
  }
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

static void package(traffic_t *t, texel_generator_package_t *p) {
  rng_t *r = &t->rng;
  const texel_generator_descriptor_t *d = &t->textures[rng_below(r, Textures)];
  *p = stimulus_atfim_package(r, d, t->seam_rate);
  p->epoch = t->epoch;
  if (rng_chance(r, 10 * t->error_rate)) {
    stimulus_line_spoil(r, p);
  }
}

// After each reset a kind of traffic of its own.
static void start(traffic_t *t, const stimulus_t *s, texel_generator_in_t *in) {
  rng_t *r = &t->rng;
  stimulus_draw(s, r, Choices, t);
  t->epoch = (uint8_t)rng_u64(r);
  in->cycle = 0;
  t->setup = Textures;
  t->used = 0;
  t->held = false;
  memset(t->textures, 0, sizeof t->textures);
}

// A used slot, any of them.
static uint8_t used_slot(traffic_t *t) {
  uint64_t rest = t->used;
  for (uint32_t n = rng_below(&t->rng, (uint32_t)__builtin_popcountll(rest)); n > 0; n--) {
    rest &= rest - 1;
  }
  return (uint8_t)__builtin_ctzll(rest);
}

static void inputs(traffic_t *t, const texel_generator_out_t *out, texel_generator_in_t *in) {
  rng_t *r = &t->rng;
  in->epoch = t->epoch;
  in->cycle++;
  in->descriptor_valid = false;
  if (t->setup > 0 || rng_chance(r, t->descriptor_rate)) {
    describe(t, in);
  }
  if (!t->held) {
    in->package_valid = t->setup == 0 && rng_chance(r, t->package_rate);
    if (in->package_valid) {
      package(t, &in->package);
    }
  }
  t->held = in->package_valid && !out->package_ready;
  in->request_ready = rng_chance(r, t->request_rate);
  in->beat_ready = rng_chance(r, t->beat_rate);
  in->free_valid = t->used && rng_chance(r, t->free_rate);
  if (in->free_valid) {
    in->free_slot = used_slot(t);
    t->used &= ~(UINT64_C(1) << in->free_slot);
  }
  if (out->request_valid && in->request_ready && !out->request.refused) {
    t->used |= UINT64_C(1) << out->request.slot;
  }
  if (rng_chance(r, t->error_rate)) {
    in->free_valid = true;
    in->free_slot = (uint8_t)rng_below(r, MaxSlots);
    t->used &= ~(UINT64_C(1) << in->free_slot);
  }
  in->peek_valid = rng_chance(r, 50);
  if (in->peek_valid) {
    in->peek_select = (uint8_t)rng_below(r, 2);
    in->peek_index = (uint16_t)rng_below(
        r, in->peek_select == TexelGeneratorPeekCounter ? TexelGeneratorCounters + 2 : 65536);
    if (in->peek_select == TexelGeneratorPeekDescriptor && rng_chance(r, 800)) {
      in->peek_index = t->textures[rng_below(r, Textures)].index;
    }
  }
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  static traffic_t t;
  memset(&t, 0, sizeof t);
  stimulus_seed(s, &t.rng);
  texel_generator_params_t params;
  stimulus_params(s, &texel_generator_info, &t.rng, &params);
  texel_generator_t unit;
  if (!stimulus_unit(s, harness, &texel_generator_info, &params, 0, &unit, err)) {
    return false;
  }
  t.index_limit = params.descriptors;
  static texel_generator_in_t in;
  static texel_generator_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  start(&t, s, &in);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    inputs(&t, &out, &in);
    if (unit.step(unit.self, &in, &out) != UnitOk) {
      return false;
    }
    if (!s->busy && rng_below(&t.rng, 3000) == 0) {
      unit.reset(unit.self, &out);
      start(&t, s, &in);
    }
  }
  return true;
}

const stimulus_unit_t texel_generator_stimulus = {drive, Choices};
