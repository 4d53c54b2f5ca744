// SPDX-License-Identifier: Apache-2.0
// Packages for textures of all sizes and wrap modes, a memory that answers child reads in any
// order, late and with failures, packages and data from before a reset, descriptors rewritten.
// Every response is compared with the contract's formulas; at the end every package must have
// been answered once.
#include <string.h>

#include "csim/unit/atfim_package.h"
#include "stimulus.h"
#include "tb/harness/atfim_reference.h"

enum {
  MaxTextures = 16,
  MaxReads = 1024,     // under way
  MaxPackages = 1024,  // not answered; a power of two
  DrainSteps = 200000,
  SweepEnd = 4 * 256,
};

typedef struct {
  uint64_t seed;
  uint32_t line_bytes, fail_rate;
} memory_t;

typedef struct {
  uint16_t tag;
  uint8_t epoch;
  uint64_t address;  // of the line, in bytes
  uint64_t due;
} read_t;

typedef struct {
  atfim_package_t package;
  int32_t texture;  // -1: absent
} pending_t;

typedef enum { OrderFifo, OrderRandom, OrderNewest } order_e;

typedef struct {
  rng_t rng;
  atfim_params_t p;
  memory_t memory;
  uint32_t package_rate, read_rate, data_rate, response_rate, latency, order;
  uint32_t refuse_rate, stale_rate, error_rate, write_rate, peek_rate, step_log2, spread;
  uint8_t epoch;
  uint32_t setup, textures;  // descriptors still to be written; how many there are
  uint32_t uses[MaxTextures];  // packages that are not answered
  texel_generator_descriptor_t texture[MaxTextures];
  bool package_held, data_held;
  pending_t next;  // the package that is shown
  uint32_t head, count, reads, sweep;
  read_t read[MaxReads];
  pending_t pending[MaxPackages];
} traffic_t;

const stimulus_choice_t AtfimChoices[] = {
    STIMULUS_CHOICE(package_rate, "package", "steps in which a package comes",
                    1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(read_rate, "read", "steps in which a read is taken", 1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(data_rate, "data", "steps in which a line comes back that is due",
                    1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(response_rate, "response", "steps in which a response is taken",
                    1000, 1000, 800, 300, 50),
    STIMULUS_CHOICE(latency, "latency", "cycles of a read, at most", 60, 1, 20, 100, 400),
    STIMULUS_CHOICE(order, "order", "of lines: 0 as asked, 1 any, 2 newest first",
                    OrderRandom, OrderFifo, OrderRandom, OrderNewest),
    STIMULUS_CHOICE(memory.fail_rate, "fails", "lines whose read fails", 0, 0, 10, 200),
    STIMULUS_CHOICE(refuse_rate, "refused", "packages that are to be refused", 0, 0, 0, 30),
    STIMULUS_CHOICE(stale_rate, "stale", "packages of the last epoch", 0, 0, 30),
    STIMULUS_CHOICE(error_rate, "errors", "faults of protocol", 0, 0, 0, 0, 4, 4),
    STIMULUS_CHOICE(write_rate, "write", "steps in which a descriptor is written under way",
                    0, 0, 3, 50),
    STIMULUS_CHOICE(peek_rate, "peek", "steps in which something is peeked at", 0, 20, 200),
    STIMULUS_CHOICE(step_log2, "step_log2", "log2 of the largest step, in 1/256 texel",
                    9, 6, 8, 9, 10, 12, 15),
    STIMULUS_CHOICE(spread, "spread", "packages whose parents lie anywhere", 0, 0, 200, 1000),
    {0}};

// ---- Memory ----

static uint64_t mix(uint64_t seed, uint64_t value) {
  rng_t r;
  rng_seed(&r, seed ^ value * 0xd6e8feb86659fd93u);
  return rng_u64(&r);
}

static uint32_t texel_at(const void *memory, uint64_t address, bool *failed) {
  const memory_t *m = memory;
  uint64_t line = address / m->line_bytes;
  *failed |= mix(m->seed + 1, line) % 1000 < m->fail_rate;
  uint64_t bits = mix(m->seed, address / 4);
  return bits >> 60 == 0 ? UINT32_MAX : (uint32_t)bits;
}

static void fill(const traffic_t *t, const read_t *from, combination_unit_data_t *data) {
  memset(data, 0, sizeof *data);
  data->tag = from->tag;
  data->epoch = from->epoch;
  for (uint32_t w = 0; w < t->p.line_bytes / 4; w++) {
    data->data[w] = texel_at(&t->memory, from->address + 4 * w, &data->failed);
  }
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
    // A slot that is not open, data given twice, or by chance a read that is under way.
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
  t->read[t->reads++] = (read_t){from->tag, t->epoch, (uint64_t)from->line * 16, now + wait};
}

// ---- Descriptors and packages ----

static uint16_t side(rng_t *r) {
  switch (rng_below(r, 4)) {
    case 0: return (uint16_t)(1u << rng_below(r, 14));
    case 1: return (uint16_t)(1 + rng_below(r, 20));
    default: return (uint16_t)(1 + rng_below(r, 8192));
  }
}

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
  *d = (texel_generator_descriptor_t){.index = index,
                                      .base = rng_below(r, 1 << 22),
                                      .width = side(r),
                                      .height = side(r),
                                      .wrap_x = (uint8_t)rng_below(r, 3),
                                      .wrap_y = (uint8_t)rng_below(r, 3)};
  in->descriptor_valid = true;
  in->descriptor = *d;
  if (!is_setup && rng_chance(r, 20 * t->error_rate)) {
    switch (rng_below(r, 4)) {
      case 0: in->descriptor.index = (uint16_t)rng_u64(r); break;
      case 1: in->descriptor.width = (uint16_t)(rng_chance(r, 500) ? 0 : 8193); break;
      case 2: in->descriptor.height = 16383; break;
      default: in->descriptor.wrap_x = 3; break;
    }
  }
}

// Mostly within the level; now and then at the ends of what is allowed.
static int16_t first(rng_t *r, uint32_t full, uint32_t level) {
  int32_t size = full >> level ? (int32_t)(full >> level) : 1;
  switch (rng_below(r, 10)) {
    case 0: return (int16_t)(-16 + (int32_t)rng_below(r, 16));
    case 1: return (int16_t)(size + (int32_t)rng_below(r, 16));
    default: return (int16_t)rng_below(r, (uint32_t)size);
  }
}

static int16_t step_size(const traffic_t *t, rng_t *r) {
  int32_t most = 1 << (t->step_log2 < 15 ? t->step_log2 : 15);
  return (int16_t)((int32_t)rng_below(r, (uint32_t)(2 * most)) - most);
}

static void spoil(traffic_t *t, atfim_package_t *p) {
  rng_t *r = &t->rng;
  int16_t away = (int16_t)(rng_chance(r, 500) ? -17 : 8208);
  switch (rng_below(r, 4)) {
    case 0: p->descriptor = (uint16_t)rng_u64(r); break;
    case 1: p->mask = 0; break;
    case 2: p->x[rng_below(r, 2)] = away; break;
    default: p->y[rng_below(r, 2)] = away; break;
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

static void make_package(traffic_t *t) {
  rng_t *r = &t->rng;
  const texel_generator_descriptor_t *d = &t->texture[rng_below(r, t->textures)];
  atfim_package_t p = {
      .id = (uint16_t)rng_below(r, 2048), .epoch = t->epoch, .descriptor = d->index,
      .level = (uint8_t)rng_below(r, rng_chance(r, 900) ? 4 : 16),
      .ratio = (uint8_t)(1 + rng_below(r, AtfimMaxRatio)), .angle = (uint8_t)rng_below(r, 128),
      .mask = (uint8_t)(1 + rng_below(r, 255)), .step_x = step_size(t, r),
      .step_y = step_size(t, r)};
  if (rng_chance(r, 500)) {
    p.mask = (uint8_t)(rng_chance(r, 700) ? 255 : 1 << rng_below(r, 8));
  }
  for (uint32_t l = 0; l < 2; l++) {
    p.x[l] = first(r, d->width, p.level + l);
    p.y[l] = first(r, d->height, p.level + l);
    p.offset[l] = rng_below(r, 1u << (rng_chance(r, 100) ? 28 : 12));
  }
  // The four of a bilinear sample, or anywhere near the first.
  bool is_sample = !rng_chance(r, t->spread);
  for (uint32_t k = 0; k < AtfimParents; k++) {
    p.dx[k] = (int8_t)(is_sample ? k & 1 : rng_below(r, 16) - 8);
    p.dy[k] = (int8_t)(is_sample ? k >> 1 & 1 : rng_below(r, 16) - 8);
  }
  if (rng_chance(r, t->refuse_rate)) {
    spoil(t, &p);
  }
  int32_t texture = find_texture(t, p.descriptor);
  if (rng_chance(r, t->stale_rate)) {
    p.epoch = (uint8_t)(t->epoch - 1);
  } else if (texture >= 0) {
    t->uses[texture]++;
  }
  t->next = (pending_t){p, texture};
}

static void give_package(traffic_t *t, atfim_in_t *in) {
  rng_t *r = &t->rng;
  if (t->package_held) {
    return;
  }
  in->package_valid = t->setup == 0 && t->count < MaxPackages && rng_chance(r, t->package_rate);
  if (!in->package_valid) {
    return;
  }
  make_package(t);
  atfim_package_pack(&t->next.package, in->package);
  if (rng_chance(r, 200)) {
    // Bits that the cube ignores.
    static const uint32_t ignored[AtfimPackageWords] = {
        [0] = 0x00800fff, [1] = 0x80000000, [2] = 0x0000ff00, [3] = 0xffff0000, [6] = 0xf0000000,
        [7] = 0xf0000000};
    for (uint32_t i = 0; i < AtfimPackageWords; i++) {
      in->package[i] ^= (uint32_t)rng_u64(r) & ignored[i];
    }
  }
}

// ---- The cycle ----

static void start(traffic_t *t, const stimulus_t *s) {
  rng_t *r = &t->rng;
  stimulus_draw(s, r, AtfimChoices, t);
  t->latency = t->latency < 1 ? 1 : t->latency;
  t->setup = t->textures;
  t->head = t->count = 0;
  t->sweep = SweepEnd;
  t->package_held = t->data_held = false;
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
  bool is_sweeping = t->sweep < SweepEnd;
  in->peek_valid = is_sweeping || rng_chance(r, t->peek_rate);
  if (is_sweeping) {
    static const uint8_t units[] = {AtfimPeekUnitConsolidation, AtfimPeekUnitConsolidation,
                                    AtfimPeekUnitBuffer, AtfimPeekUnitCombination};
    uint32_t part = t->sweep >> 8;
    in->peek_unit = units[part];
    in->peek_select = (uint8_t)part;
    in->peek_index = (uint16_t)t->sweep++;
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
          (generator == TexelGeneratorErrorPackage && (t->refuse_rate || t->error_rate)) ||
          (generator == TexelGeneratorErrorDescriptor && t->error_rate)) &&
         (consolidation == ChildConsolidationErrorNone || t->error_rate);
}

static bool is_response_right(const traffic_t *t, const uint32_t words[AtfimResponseWords],
                              char error[HarnessErrorSize]) {
  const pending_t *q = &t->pending[t->head];
  atfim_response_t expected, got;
  uint32_t packed[AtfimResponseWords];
  atfim_reference(&q->package, q->texture < 0 ? NULL : &t->texture[q->texture], t->p.exact,
                  texel_at, &t->memory, &expected);
  atfim_response_pack(&expected, packed);
  atfim_response_unpack(words, &got);
  // With wrong tags a parent may get another line's texels, and descriptors change under way.
  bool same = t->error_rate == 0 ? memcmp(packed, words, sizeof packed) == 0
                                 : got.id == expected.id && got.epoch == expected.epoch &&
                                       got.mask == expected.mask;
  for (uint32_t k = 0; !same && k < AtfimParents; k++) {
    if (got.texel[k] != expected.texel[k] || k == AtfimParents - 1) {
      snprintf(error, HarnessErrorSize, "atfim: response id %u mask %02x failed %02x refused %u "
               "texel[%u] %08x, expected id %u mask %02x failed %02x refused %u, %08x", got.id,
               got.mask, got.failed, got.refused, k, got.texel[k], expected.id, expected.mask,
               expected.failed, expected.refused, expected.texel[k]);
      return false;
    }
  }
  return same;
}

// What a cycle does; out holds what the unit showed in it.
static bool follow(traffic_t *t, const atfim_in_t *in, const atfim_out_t *out, uint64_t now,
                   char error[HarnessErrorSize]) {
  t->data_held = in->child_data_valid && !out->child_data_ready;
  t->package_held = in->package_valid && !out->package_ready;
  if (out->response_valid && in->response_ready) {
    if (t->count == 0) {
      snprintf(error, HarnessErrorSize, "atfim: a response that no package waits for");
      return false;
    }
    if (!is_response_right(t, out->response, error)) {
      return false;
    }
    int32_t texture = t->pending[t->head].texture;
    if (texture >= 0) {
      t->uses[texture]--;
    }
    t->head = (t->head + 1) % MaxPackages;
    t->count--;
  }
  if (in->package_valid && out->package_ready && t->next.package.epoch == t->epoch) {
    t->pending[(t->head + t->count++) % MaxPackages] = t->next;
  }
  if (out->child_read_valid && in->child_read_ready) {
    accept_read(t, &out->child_read, now);
  }
  return true;
}

static bool cycle(traffic_t *t, const stimulus_t *s, const atfim_t *unit, atfim_in_t *in,
                  atfim_out_t *out, char error[HarnessErrorSize]) {
  if (!follow(t, in, out, *s->clock, error) || unit->step(unit->self, in, out) != UnitOk) {
    return false;
  }
  if (!is_error_right(t, out->error)) {
    snprintf(error, HarnessErrorSize, "atfim: error %04x without a cause", out->error);
    return false;
  }
  return true;
}

// No more packages, and nothing in the way of those that are there.
static bool drain(traffic_t *t, const stimulus_t *s, const atfim_t *unit, atfim_in_t *in,
                  atfim_out_t *out, char error[HarnessErrorSize]) {
  t->package_rate = t->write_rate = 0;
  t->setup = 0;
  t->read_rate = t->data_rate = t->response_rate = 1000;
  t->latency = 1;
  for (uint32_t n = 0; t->count > 0 || t->package_held; n++, (*s->clock)++) {
    if (n == DrainSteps) {
      snprintf(error, HarnessErrorSize, "atfim: %u packages are not answered", t->count);
      return false;
    }
    inputs(t, *s->clock, in);
    if (!cycle(t, s, unit, in, out, error)) {
      return false;
    }
  }
  return true;
}

bool stimulus_atfim(const stimulus_t *s, harness_t *harness, char error[HarnessErrorSize]) {
  // Few parameter sets, so that few objects are built.
  static const atfim_params_t sets[] = {
      {1024, 256, 256, 6, 4, 64, 64, true, true, 10, true},
      {16, 16, 16, 1, 1, 16, 2, true, false, 48, true},
      {64, 64, 32, 2, 2, 32, 4, true, true, 48, false},
      {1024, 256, 256, 6, 4, 64, 64, false, true, 48, true},
      {2, 32, 64, 4, 4, 64, 256, true, false, 48, true}};
  _Static_assert(sizeof sets / sizeof *sets == AtfimSets, "stimulus.h has their number");
  static const uint32_t numbers[] = {0, 1, 2, 3, 4};
  static traffic_t t;
  memset(&t, 0, sizeof t);
  rng_seed(&t.rng, s->seed);
  uint32_t set = stimulus_choose(s, &t.rng, "params", numbers, 5);
  t.p = sets[s->busy ? 0 : set];
  atfim_t unit;
  if (!harness_atfim(harness, &t.p, 0, &unit, error)) {
    return false;
  }
  t.textures = t.p.descriptors < MaxTextures ? t.p.descriptors : MaxTextures;
  t.memory = (memory_t){.seed = rng_u64(&t.rng), .line_bytes = t.p.line_bytes};
  t.epoch = (uint8_t)rng_u64(&t.rng);
  static atfim_in_t in;
  static atfim_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  start(&t, s);
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    inputs(&t, *s->clock, &in);
    if (!cycle(&t, s, &unit, &in, &out, error)) {
      return false;
    }
    if (!s->busy && rng_below(&t.rng, 4000) == 0) {
      unit.reset(unit.self, &out);
      start_epoch(&t, s);
    }
  }
  return s->busy || drain(&t, s, &unit, &in, &out, error);
}
