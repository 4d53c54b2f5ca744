// SPDX-License-Identifier: Apache-2.0
// Packages for lines of virtual textures of all sizes, extents, slopes and wrap modes, a memory
// that answers child reads in any order, late and with failures, packages and data from before a
// reset, descriptors rewritten. Every response is compared with the formulas; at the end every
// package must have been answered once.
#include <string.h>

#include "tb/harness/atfim_reference.h"
#include "tb/stimulus/corners.h"
#include "tb/stimulus/stimulus.h"
#include "tb/stimulus/stimulus_lines.h"

enum {
  MaxTextures = 16,
  MaxReads = 1024,  // under way
  Ids = 2048,
  DrainSteps = 200000,
  SweepUnits = 4,  // entries, fetches, rows, counters of the combination
  SweepSteps = 1024,
};

typedef struct {
  uint64_t seed;
  uint32_t fail_rate;
} memory_t;

typedef struct {
  uint16_t tag;
  uint8_t epoch;
  uint32_t line;
  uint64_t due;
} read_t;

typedef struct {
  bool valid;
  atfim_package_t package;
  int32_t texture;  // -1: absent
} pending_t;

typedef enum { OrderFifo, OrderRandom, OrderNewest } order_e;

typedef struct {
  rng_t rng;
  atfim_params_t p;
  memory_t memory;
  uint32_t package_rate, read_rate, data_rate, response_rate, latency, order;
  uint32_t seam_rate, refuse_rate, stale_rate, error_rate, write_rate, peek_rate;
  uint8_t epoch;
  uint64_t cycle;              // since reset
  uint32_t setup, textures;    // descriptors still to be written; how many there are
  uint32_t uses[MaxTextures];  // packages that are not answered
  texel_generator_descriptor_t texture[MaxTextures];
  bool package_held, data_held;
  bool refusable, rejectable;  // a package, a descriptor of this epoch that is to be refused
  pending_t next;              // the package that is shown
  uint32_t count, reads, sweep;
  read_t read[MaxReads];
  pending_t pending[Ids];
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(package_rate, "package", "steps in which a package comes", 1000, 1000, 800, 300,
                    50),
    STIMULUS_CHOICE(read_rate, "read", "steps in which a read is taken", 1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(data_rate, "data", "steps in which a line comes back that is due", 1000, 1000,
                    800, 300, 50),
    STIMULUS_CHOICE(response_rate, "response", "steps in which a response is taken", 1000, 1000,
                    800, 300, 20),
    STIMULUS_CHOICE(latency, "latency", "cycles of a read, at most", 60, 1, 20, 100, 400),
    STIMULUS_CHOICE(order, "order", "of lines: 0 as asked, 1 any, 2 newest first", OrderRandom,
                    OrderFifo, OrderRandom, OrderNewest),
    STIMULUS_CHOICE(seam_rate, "seam", "tiles at the ends of their range", 100, 100, 400, 800),
    STIMULUS_CHOICE(memory.fail_rate, "fails", "lines whose read fails", 0, 0, 10, 200),
    STIMULUS_CHOICE(refuse_rate, "refused", "packages with a fault", 0, 0, 0, 30),
    STIMULUS_CHOICE(stale_rate, "stale", "packages of the last epoch", 0, 0, 30),
    STIMULUS_CHOICE(error_rate, "errors", "faults of protocol", 0, 0, 0, 0, 4, 4),
    STIMULUS_CHOICE(write_rate, "write", "steps in which a descriptor is written under way", 0, 0,
                    3, 50),
    STIMULUS_CHOICE(peek_rate, "peek", "steps in which something is peeked at", 0, 20, 200),
    {0}};

// ---- Memory ----

static uint64_t mix(uint64_t seed, uint64_t value) {
  rng_t r;
  rng_seed(&r, seed ^ value * 0xd6e8feb86659fd93u);
  return rng_u64(&r);
}

static uint32_t texel_at(const void *memory, uint64_t address, bool *failed) {
  const memory_t *m = memory;
  *failed |= mix(m->seed + 1, address / 64) % 1000 < m->fail_rate;
  uint64_t bits = mix(m->seed, address / 4);
  return bits >> 60 == 0 ? UINT32_MAX : (uint32_t)bits;
}

static void fill(const traffic_t *t, const read_t *from, combination_unit_data_t *data) {
  memset(data, 0, sizeof *data);
  data->tag = from->tag;
  data->epoch = from->epoch;
  bool failed = false;
  for (uint32_t w = 0; w < AtfimParents; w++) {
    data->data[w] = texel_at(&t->memory, from->line * 64ull + 4 * w, &failed);
  }
  data->failed = failed;
}

// A read that is due, or -1.
static int32_t choose_read(traffic_t *t, uint64_t now) {
  uint32_t n = t->reads, from = t->order == OrderRandom && n > 0 ? rng_below(&t->rng, n) : 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = t->order == OrderNewest ? n - 1 - i : (from + i) % n;
    if (t->read[at].due <= now) {
      return (int32_t)at;
    }
    if (t->order == OrderFifo) {
      return -1;
    }
  }
  return -1;
}

static void answer_read(traffic_t *t, uint64_t now, atfim_in_t *in) {
  rng_t *r = &t->rng;
  if (t->data_held) {
    return;
  }
  in->child_data_valid = false;
  if (rng_chance(r, t->error_rate)) {
    // A fetch that is not open, data given twice, or by chance a read that is under way.
    in->child_data_valid = true;
    in->child_data.tag = (uint16_t)(rng_chance(r, 500) ? rng_below(r, 2048) : in->child_data.tag);
    return;
  }
  int32_t at = rng_chance(r, t->data_rate) ? choose_read(t, now) : -1;
  if (at >= 0) {
    in->child_data_valid = true;
    fill(t, &t->read[at], &in->child_data);
    t->reads--;
    memmove(&t->read[at], &t->read[at + 1], (t->reads - (uint32_t)at) * sizeof t->read[0]);
  }
}

static void accept_read(traffic_t *t, const child_consolidation_read_t *from, uint64_t now) {
  rng_t *r = &t->rng;
  uint32_t wait = 1 + rng_below(r, t->latency);
  wait = rng_chance(r, 10) ? 10 * wait : wait;
  t->read[t->reads++] = (read_t){from->tag, t->epoch, from->line, now + wait};
}

// ---- Descriptors and packages ----

static void describe(traffic_t *t, atfim_in_t *in) {
  rng_t *r = &t->rng;
  bool is_setup = t->setup > 0;
  uint32_t slot = is_setup ? --t->setup : rng_below(r, t->textures);
  // Packages under way keep their descriptor, unless anything goes.
  if (!is_setup && t->uses[slot] > 0 && t->error_rate == 0) {
    return;
  }
  uint32_t share = t->p.descriptors / t->textures;
  texel_generator_descriptor_t *d = &t->texture[slot];
  uint16_t index = is_setup ? (uint16_t)(slot * share + rng_below(r, share)) : d->index;
  *d = stimulus_line_texture(r, index);
  in->descriptor_valid = true;
  in->descriptor = *d;
  if (!is_setup && rng_chance(r, 20 * t->error_rate)) {
    t->rejectable = true;
    switch (rng_below(r, 4)) {
      case 0: in->descriptor.index = (uint16_t)rng_u64(r); break;
      case 1: in->descriptor.width = (uint16_t)(rng_chance(r, 500) ? 0 : 8193); break;
      case 2: in->descriptor.height = 16383; break;
      default: in->descriptor.wrap_x = 3; break;
    }
  }
}

static int32_t find_texture(const traffic_t *t, uint16_t index) {
  for (uint32_t i = 0; i < t->textures; i++) {
    if (t->texture[i].index == index) {
      return (int32_t)i;
    }
  }
  return -1;
}

static const texel_generator_descriptor_t *texture_of(const traffic_t *t, const pending_t *p) {
  return p->texture < 0 ? NULL : &t->texture[p->texture];
}

static void make_package(traffic_t *t) {
  rng_t *r = &t->rng;
  const texel_generator_descriptor_t *d = &t->texture[rng_below(r, t->textures)];
  texel_generator_package_t g = stimulus_atfim_package(r, d, t->seam_rate);
  g.epoch = (uint8_t)(t->epoch - rng_chance(r, t->stale_rate));
  if (rng_chance(r, t->refuse_rate)) {
    stimulus_line_spoil(r, &g);
  }
  while (t->pending[g.id].valid) {
    g.id = (g.id + 1) % Ids;
  }
  t->next = (pending_t){.package = {.id = g.id,
                                    .epoch = g.epoch,
                                    .flits = (uint8_t)rng_below(r, 32),
                                    .descriptor = g.descriptor,
                                    .level = g.level,
                                    .reading = g.reading,
                                    .extent = g.extent,
                                    .along_y = g.along_y,
                                    .slope = (int8_t)((int32_t)(g.slope ^ 4) - 4),
                                    .tile_x = g.tile_x,
                                    .tile_y = g.tile_y,
                                    .angle = (uint8_t)rng_below(r, 128),
                                    .offset = g.offset},
                        .texture = find_texture(t, g.descriptor)};
}

static void give_package(traffic_t *t, atfim_in_t *in) {
  rng_t *r = &t->rng;
  if (t->package_held) {
    return;
  }
  in->package_valid = t->setup == 0 && t->count < Ids / 2 && rng_chance(r, t->package_rate);
  if (!in->package_valid) {
    return;
  }
  make_package(t);
  atfim_package_pack(&t->next.package, in->package);
  if (rng_chance(r, 200)) {
    // Bits that the cube ignores.
    static const uint32_t ignored[AtfimPackageWords] = {0x00800fff, 0xf0000000, 0xff000000,
                                                        0xf0000000};
    for (uint32_t i = 0; i < AtfimPackageWords; i++) {
      in->package[i] ^= (uint32_t)rng_u64(r) & ignored[i];
    }
  }
}

// ---- The cycle ----

static void start(traffic_t *t, const stimulus_t *s) {
  rng_t *r = &t->rng;
  stimulus_draw(s, r, Choices, t);
  t->latency = t->latency < 1 ? 1 : t->latency;
  t->setup = t->textures;
  t->count = 0;
  t->cycle = 0;
  t->sweep = SweepUnits * SweepSteps;
  t->package_held = t->data_held = t->refusable = t->rejectable = false;
  memset(t->pending, 0, sizeof t->pending);
  memset(t->uses, 0, sizeof t->uses);
  memset(t->texture, 0, sizeof t->texture);
}

// Some reads of the last epoch come back in this one, older ones are gone.
static void start_epoch(traffic_t *t, const stimulus_t *s) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->reads; i++) {
    if (t->read[i].epoch == t->epoch && rng_chance(&t->rng, 700)) {
      t->read[kept++] = t->read[i];
    }
  }
  t->reads = kept;
  t->epoch++;
  start(t, s);
}

static void peek(traffic_t *t, atfim_in_t *in) {
  rng_t *r = &t->rng;
  bool is_sweeping = t->sweep < SweepUnits * SweepSteps;
  in->peek_valid = is_sweeping || rng_chance(r, t->peek_rate);
  if (is_sweeping) {
    static const uint8_t units[SweepUnits] = {AtfimPeekUnitConsolidation,
                                              AtfimPeekUnitConsolidation, AtfimPeekUnitBuffer,
                                              AtfimPeekUnitCombination};
    uint32_t part = t->sweep / SweepSteps;
    in->peek_unit = units[part];
    in->peek_select = (uint8_t)part;
    in->peek_index = (uint16_t)(t->sweep++ % SweepSteps);
  } else if (in->peek_valid) {
    in->peek_unit = (uint8_t)rng_below(r, 4);
    in->peek_select = (uint8_t)rng_below(r, 4);
    in->peek_index = (uint16_t)(rng_chance(r, 500) ? rng_below(r, 8) : rng_u64(r));
    if (in->peek_unit == AtfimPeekUnitGenerator && rng_chance(r, 500)) {
      in->peek_index = t->texture[rng_below(r, t->textures)].index;
    }
    if (t->peek_rate && rng_below(r, 200) == 0) {
      t->sweep = 0;
    }
  } else {
    in->peek_unit = (uint8_t)rng_below(r, 4);  // read only with a peek
  }
}

static void inputs(traffic_t *t, uint64_t now, atfim_in_t *in) {
  rng_t *r = &t->rng;
  in->epoch = t->epoch;
  in->cycle = ++t->cycle & ((UINT64_C(1) << t->p.count_width) - 1);
  in->descriptor_valid = false;
  if (t->setup > 0 || rng_chance(r, t->write_rate)) {
    describe(t, in);
  }
  give_package(t, in);
  answer_read(t, now, in);
  in->child_read_ready = t->reads < MaxReads && rng_chance(r, t->read_rate);
  in->response_ready = rng_chance(r, t->response_rate);
  peek(t, in);
}

// Errors must be those that the traffic causes.
static bool is_error_right(const traffic_t *t, uint16_t code) {
  uint32_t generator = code & 15, consolidation = code >> 4 & 15;
  return code >> 8 == 0 &&
         (generator == TexelGeneratorErrorNone ||
          (generator == TexelGeneratorErrorPackage && (t->refusable || t->error_rate)) ||
          (generator == TexelGeneratorErrorDescriptor && t->rejectable)) &&
         (consolidation == ChildConsolidationErrorNone || t->error_rate);
}

static bool is_response_right(const traffic_t *t, const uint32_t words[AtfimResponseWords],
                              err_t *err) {
  atfim_response_t expected, got;
  uint32_t packed[AtfimResponseWords];
  uint16_t mask;
  atfim_response_unpack(words, &got);
  const pending_t *q = &t->pending[got.id];
  if (!q->valid) {
    return corners_acted() ||
           err_set(err, ErrInput, "atfim: a response that no package waits for, id %u", got.id);
  }
  atfim_reference(&q->package, texture_of(t, q), texel_at, &t->memory, &expected, &mask);
  atfim_response_pack(&expected, packed);
  // With wrong tags a parent may get another line's texels, and descriptors change under way.
  if (t->error_rate ? got.epoch == expected.epoch : memcmp(packed, words, sizeof packed) == 0) {
    return true;
  }
  uint32_t n = 0;
  while (n < AtfimParents - 1 && got.texel[n] == expected.texel[n]) {
    n++;
  }
  return corners_acted() ||
         err_set(err, ErrInput,
                 "atfim: response id %u epoch %u failed %04x refused %u "
                 "texel[%u] %08x, expected epoch %u failed %04x refused %u, %08x",
                 got.id, got.epoch, got.failed, got.refused, n, got.texel[n], expected.epoch,
                 expected.failed, expected.refused, expected.texel[n]);
}

static void accept_package(traffic_t *t) {
  pending_t *p = &t->next;
  atfim_response_t expected;
  uint16_t mask;
  if (p->package.epoch != t->epoch) {
    return;
  }
  memory_t whole = {.seed = t->memory.seed};
  atfim_reference(&p->package, texture_of(t, p), texel_at, &whole, &expected, &mask);
  t->refusable |= expected.refused;
  p->valid = true;
  t->pending[p->package.id] = *p;
  t->count++;
  if (p->texture >= 0) {
    t->uses[p->texture]++;
  }
}

// Follows a cycle; out holds what the unit showed in it.
static bool follow(traffic_t *t, const atfim_in_t *in, const atfim_out_t *out, uint64_t now,
                   err_t *err) {
  t->data_held = in->child_data_valid && !out->child_data_ready;
  t->package_held = in->package_valid && !out->package_ready;
  if (out->response_valid && in->response_ready) {
    if (!is_response_right(t, out->response, err)) {
      return false;
    }
    atfim_response_t got;
    atfim_response_unpack(out->response, &got);
    pending_t *q = &t->pending[got.id];
    if (q->valid && q->texture >= 0) {
      t->uses[q->texture]--;
    }
    t->count -= q->valid;
    q->valid = false;
  }
  if (in->package_valid && out->package_ready) {
    accept_package(t);
  }
  if (out->child_read_valid && in->child_read_ready) {
    accept_read(t, &out->child_read, now);
  }
  return true;
}

static bool cycle(traffic_t *t, const stimulus_t *s, const atfim_t *unit, atfim_in_t *in,
                  atfim_out_t *out, err_t *err) {
  if (!follow(t, in, out, *s->clock, err) || unit->step(unit->self, in, out) != UnitOk) {
    return false;
  }
  if (!corners_acted() && !is_error_right(t, out->error)) {
    err_set(err, ErrInput, "atfim: error %04x without a cause", out->error);
    return false;
  }
  return true;
}

// No more packages, and nothing in the way of those that are there.
static bool drain(traffic_t *t, const stimulus_t *s, const atfim_t *unit, atfim_in_t *in,
                  atfim_out_t *out, err_t *err) {
  t->package_rate = t->write_rate = 0;
  t->setup = 0;
  t->read_rate = t->data_rate = t->response_rate = 1000;
  t->latency = 1;
  for (uint32_t n = 0; !corners_acted() && (t->count > 0 || t->package_held); n++, (*s->clock)++) {
    if (n == DrainSteps) {
      err_set(err, ErrInput, "atfim: %u packages are not answered", t->count);
      return false;
    }
    inputs(t, *s->clock, in);
    if (!cycle(t, s, unit, in, out, err)) {
      return false;
    }
  }
  return true;
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  static traffic_t t;
  memset(&t, 0, sizeof t);
  stimulus_seed(s, &t.rng);
  stimulus_params(s, &atfim_info, &t.rng, &t.p);
  atfim_t unit;
  if (!stimulus_unit(s, harness, &atfim_info, &t.p, 0, &unit, err)) {
    return false;
  }
  t.textures = t.p.descriptors < MaxTextures ? t.p.descriptors : MaxTextures;
  t.memory = (memory_t){.seed = rng_u64(&t.rng)};
  t.epoch = (uint8_t)rng_u64(&t.rng);
  static atfim_in_t in;
  static atfim_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  start(&t, s);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    inputs(&t, *s->clock, &in);
    if (!cycle(&t, s, &unit, &in, &out, err)) {
      return false;
    }
    if (!s->busy && rng_below(&t.rng, 4000) == 0) {
      unit.reset(unit.self, &out);
      start_epoch(&t, s);
    }
  }
  return s->busy || drain(&t, s, &unit, &in, &out, err);
}

const stimulus_unit_t atfim_stimulus = {drive, Choices};
