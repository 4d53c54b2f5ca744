// SPDX-License-Identifier: Apache-2.0
#include "texel_generator_golden.h"

#include "../unit/atfim_package.h"
#include <stdlib.h>
#include <string.h>

enum {
  PackageDepth = 2,
  RequestDepth = 2,
  AddressStages = 10,
  LastStage = 1 << (AddressStages - 1),
  AllStages = (1 << AddressStages) - 1,
  SequenceMask = 31,
  MaxSide = 8192,
  Slack = 16,  // texels by which a first parent may lie outside its level
};

static const uint32_t LineMask = (UINT32_C(1) << 30) - 1;

typedef struct {
  bool valid;
  texel_generator_descriptor_t fields;  // without the index
} descriptor_t;

// A package with its descriptor, in L or in C.
typedef struct {
  atfim_package_t package;
  descriptor_t descriptor;
  int32_t width[2], height[2];  // of the finer and the coarser level
} work_t;

typedef struct {
  uint32_t packages, requests;  // entries of the queues; their heads are entry 0
  bool load_valid, load_bad, work_valid, alloc_valid;
  uint8_t rest;         // parents of C that are still to be issued
  uint8_t sequence, work_sequence;
  uint8_t error;
  uint32_t stages;      // bit s: stage s is occupied
  uint32_t first;       // stage s is beats[(first + s) % AddressStages]
  uint32_t credits, tail;
  uint32_t entries, descriptor_mask;
  uint32_t line_mask, texel_mask;
  uint64_t counter_mask;
  bool observe;
  uint64_t peek_data;
  uint64_t counters[TexelGeneratorCounters];
  texel_generator_alloc_t alloc;
  texel_generator_request_t request[RequestDepth];
  atfim_package_t package[PackageDepth];
  work_t load, work;
  texel_generator_beat_t beats[AddressStages];  // the addresses are worked out on entry to stage 0
  texel_generator_out_t out;          // of the state, without quiescent
  descriptor_t *descriptors;
} golden_t;

static void raise(uint8_t *error, uint8_t code) {
  if (*error == TexelGeneratorErrorNone || code < *error) {
    *error = code;
  }
}

static void count(golden_t *g, texel_generator_counter_e counter, uint32_t n) {
  g->counters[counter] = (g->counters[counter] + n) & g->counter_mask;
}

// ---- Addresses ----

// A texel brought into 0 to size - 1.
static uint32_t wrapped(int32_t c, int32_t size, uint8_t wrap) {
  if (c >= 0 && c < size) {
    return (uint32_t)c;
  }
  if (wrap == TexelGeneratorWrapClamp) {
    return c < 0 ? 0 : (uint32_t)(size - 1);
  }
  int32_t m = c < 0 ? -1 - c : c;
  int32_t q = m / size, r = m % size;
  bool turned = wrap == TexelGeneratorWrapMirror ? (q & 1) != 0 : c < 0;
  return (uint32_t)(turned ? size - 1 - r : r);
}

// Places of 16 children along one axis, in texels of level l. The offsets rise or fall steadily, so
// if the first and the last child lie inside, all do. >> of a negative number rounds down.
static void places(int32_t first, int32_t ratio, int32_t step, uint32_t l, int32_t size,
                   uint8_t wrap, int32_t place[AtfimMaxRatio]) {
  int32_t halves = (1 - ratio) * step + (256 << l), shift = 9 + (int32_t)l;
  for (int32_t i = 0; i < AtfimMaxRatio; i++) {
    place[i] = first + ((halves + 2 * i * step) >> shift);
  }
  uint32_t limit = (uint32_t)size;
  if ((uint32_t)place[0] >= limit || (uint32_t)place[ratio - 1] >= limit) {
    for (int32_t i = 0; i < ratio; i++) {
      place[i] = (int32_t)wrapped(place[i], size, wrap);
    }
  }
}

// Lines and texels in units of 16 bytes and 4 bytes; levels start at multiples of 64 bytes.
static void address(const golden_t *g, const work_t *w, uint32_t k, texel_generator_beat_t *beat) {
  const atfim_package_t *p = &w->package;
  const texel_generator_descriptor_t *d = &w->descriptor.fields;
  uint32_t l = k >> 2;
  int32_t ratio = p->ratio, x[AtfimMaxRatio], y[AtfimMaxRatio];
  places(p->x[l] + p->dx[k], ratio, p->step_x, l, w->width[l], d->wrap_x, x);
  places(p->y[l] + p->dy[k], ratio, p->step_y, l, w->height[l], d->wrap_y, y);
  int32_t row = (w->width[l] + 3) >> 2;  // tiles
  uint32_t base = (d->base << 8) + (p->offset[l] << 2), mask = g->line_mask & LineMask;
  beat->ratio = (uint8_t)(ratio - 1);
  for (int32_t i = 0; i < AtfimMaxRatio; i++) {
    uint32_t tile = (uint32_t)((y[i] >> 2) * row + (x[i] >> 2));
    uint32_t line = (base + (tile << 2) + ((uint32_t)y[i] & 3)) & mask;
    uint32_t texel = (((uint32_t)y[i] & 3) << 2 | ((uint32_t)x[i] & 3)) & g->texel_mask;
    beat->line[i] = i < ratio ? line : 0;
    beat->texel[i] = (uint8_t)(i < ratio ? texel : 0);
  }
}

// ---- Packages ----

static int32_t side(uint32_t full, uint32_t level) {
  return full >> level ? (int32_t)(full >> level) : 1;
}

static bool is_near(int32_t c, int32_t size) { return c >= -Slack && c < size + Slack; }

// Puts a package into L with the descriptor as it is now.
static void load(golden_t *g, const atfim_package_t *p) {
  work_t *w = &g->load;
  w->package = *p;
  w->descriptor = p->descriptor <= g->descriptor_mask ? g->descriptors[p->descriptor]
                                                       : (descriptor_t){0};
  bool bad = p->mask == 0 || !w->descriptor.valid;
  for (uint32_t l = 0; l < 2; l++) {
    w->width[l] = side(w->descriptor.fields.width, p->level + l);
    w->height[l] = side(w->descriptor.fields.height, p->level + l);
    bad |= (p->mask >> (4 * l) & 15) != 0 &&
           !(is_near(p->x[l], w->width[l]) && is_near(p->y[l], w->height[l]));
  }
  g->load_valid = true;
  g->load_bad = bad;
}

// What L does in a cycle.
typedef enum { LoadStays, LoadDropped, LoadRefused, LoadDecomposed } load_e;

static bool is_go(const golden_t *g, bool beat_ready) {
  return !(g->stages & LastStage) || beat_ready;
}

static load_e judge_load(const golden_t *g, uint8_t epoch, bool go) {
  const atfim_package_t *p = &g->load.package;
  if (!g->load_valid) {
    return LoadStays;
  }
  if (p->epoch != epoch) {
    return LoadDropped;
  }
  if (g->requests == RequestDepth) {
    return LoadStays;
  }
  if (g->load_bad) {
    return LoadRefused;
  }
  bool has_room = !g->work_valid || (go && (g->rest & (g->rest - 1)) == 0);
  return has_room && g->credits >= (uint32_t)__builtin_popcount(p->mask) ? LoadDecomposed
                                                                         : LoadStays;
}

static void request(golden_t *g, bool refused) {
  const atfim_package_t *p = &g->load.package;
  g->request[g->requests++] = (texel_generator_request_t){
      .id = p->id, .epoch = p->epoch, .mask = p->mask, .ratio = (uint8_t)(p->ratio - 1),
      .refused = refused};
}

static void issue(golden_t *g) {
  uint32_t k = (uint32_t)__builtin_ctz(g->rest);
  texel_generator_beat_t *beat = &g->beats[g->first];
  address(g, &g->work, k, beat);
  beat->parent = (uint8_t)g->tail;
  g->alloc = (texel_generator_alloc_t){.index = (uint8_t)g->tail,
                             .id = (uint8_t)(g->work_sequence << 3 | k),
                             .ratio = beat->ratio};
  g->stages |= 1;
  g->rest &= (uint8_t)(g->rest - 1);
  g->work_valid = g->rest != 0;
  g->tail = (g->tail + 1) & (g->entries - 1);
  count(g, TexelGeneratorCounterParents, 1);
  count(g, TexelGeneratorCounterChildren, beat->ratio + 1u);
}

static uint64_t peek(const golden_t *g, uint8_t select, uint16_t index) {
  if ((select & 1) == TexelGeneratorPeekCounter) {
    return index < TexelGeneratorCounters ? g->counters[index] : 0;
  }
  const descriptor_t *d = &g->descriptors[index & g->descriptor_mask];
  const texel_generator_descriptor_t *f = &d->fields;
  return d->valid ? 1 | (uint64_t)f->base << 1 | (uint64_t)f->width << 23 |
                        (uint64_t)f->height << 37 | (uint64_t)f->wrap_x << 51 |
                        (uint64_t)f->wrap_y << 53
                  : 0;
}

static void write_descriptor(golden_t *g, const texel_generator_descriptor_t *d, uint8_t *error) {
  uint32_t width = d->width & 0x3fff, height = d->height & 0x3fff;
  uint8_t wrap_x = d->wrap_x & 3, wrap_y = d->wrap_y & 3;
  if (d->index > g->descriptor_mask || width == 0 || width > MaxSide || height == 0 ||
      height > MaxSide || wrap_x > TexelGeneratorWrapMirror || wrap_y > TexelGeneratorWrapMirror) {
    raise(error, TexelGeneratorErrorDescriptor);
    return;
  }
  g->descriptors[d->index] = (descriptor_t){
      true, {.base = d->base & 0x3fffff, .width = (uint16_t)width, .height = (uint16_t)height,
             .wrap_x = wrap_x, .wrap_y = wrap_y}};
}

// ---- The engine ----

bool texel_generator_golden_quiescent(const void *self, const texel_generator_in_t *in) {
  const golden_t *g = self;
  bool go = is_go(g, in->beat_ready);
  return !(in->descriptor_valid || (in->peek_valid && g->observe) || in->parent_free ||
           (in->package_valid && g->packages < PackageDepth) ||
           (in->request_ready && g->requests > 0) || g->alloc_valid ||
           (go && (g->stages || g->work_valid)) || (g->packages > 0 && !g->load_valid)) &&
         judge_load(g, in->epoch, go) == LoadStays;
}

// has_moved: the address stages have.
static void outputs(golden_t *g, bool has_moved) {
  texel_generator_out_t *out = &g->out;
  out->error = g->error;
  out->package_ready = g->packages < PackageDepth;
  out->peek_data = g->peek_data;
  if (g->requests > 0) {
    out->request = g->request[0];
  } else if (out->request_valid) {
    out->request = (texel_generator_request_t){0};
  }
  out->request_valid = g->requests > 0;
  if (g->alloc_valid) {
    out->alloc = g->alloc;
  } else if (out->alloc_valid) {
    out->alloc = (texel_generator_alloc_t){0};
  }
  out->alloc_valid = g->alloc_valid;
  if (has_moved) {
    bool is_due = g->stages & LastStage;
    if (is_due) {
      out->beat = g->beats[g->first == 0 ? AddressStages - 1 : g->first - 1];
    } else if (out->beat_valid) {
      memset(&out->beat, 0, sizeof out->beat);
    }
    out->beat_valid = is_due;
  }
}

// What was judged for the loaded package happens. Returns the parents that it takes.
static uint32_t take_loaded(golden_t *g, load_e action, uint8_t *error) {
  uint32_t taken = 0;
  if (action == LoadDropped) {
    count(g, TexelGeneratorCounterDropped, 1);
  } else if (action == LoadRefused) {
    request(g, true);
    raise(error, TexelGeneratorErrorPackage);
    count(g, TexelGeneratorCounterRefused, 1);
  } else if (action == LoadDecomposed) {
    request(g, false);
    taken = (uint32_t)__builtin_popcount(g->load.package.mask);
    g->work = g->load;
    g->work_valid = true;
    g->rest = g->load.package.mask;
    g->work_sequence = g->sequence;
    g->sequence = (g->sequence + 1) & SequenceMask;
    count(g, TexelGeneratorCounterPackages, 1);
  }
  if (action != LoadStays) {
    g->load_valid = false;
  }
  return taken;
}

void texel_generator_golden_advance(void *self, const texel_generator_in_t *in) {
  golden_t *g = self;
  uint8_t error = TexelGeneratorErrorNone;
  // All choices are made on the state before the cycle.
  bool go = is_go(g, in->beat_ready);
  load_e action = judge_load(g, in->epoch, go);
  bool is_accepted = in->package_valid && g->packages < PackageDepth;
  bool loads = g->packages > 0 && (!g->load_valid || action != LoadStays);
  if (in->peek_valid && g->observe) {
    g->peek_data = peek(g, in->peek_select, in->peek_index);
  }
  if (in->descriptor_valid) {
    write_descriptor(g, &in->descriptor, &error);
  }
  if (g->requests > 0 && in->request_ready) {
    g->request[0] = g->request[1];
    g->requests--;
  }

  bool moves = go && (g->stages || g->work_valid);
  g->alloc_valid = go && g->work_valid;
  if (moves) {
    g->stages = g->stages << 1 & AllStages;
    g->first = g->first == 0 ? AddressStages - 1 : g->first - 1;
    if (g->work_valid) {
      issue(g);
    }
  }

  uint32_t taken = take_loaded(g, action, &error);
  if (in->parent_free && g->credits == g->entries && taken == 0) {
    raise(&error, TexelGeneratorErrorCredit);
  } else {
    g->credits = g->credits - taken + in->parent_free;
  }

  if (loads) {
    load(g, &g->package[0]);
    g->package[0] = g->package[1];
    g->packages--;
  }
  if (is_accepted) {
    atfim_package_unpack(in->package, &g->package[g->packages++]);
  }
  if (g->error == TexelGeneratorErrorNone) {
    g->error = error;
  }
  outputs(g, moves);
}

const texel_generator_out_t *texel_generator_golden_out(const void *self) {
  return &((const golden_t *)self)->out;
}

static unit_status_e step(void *self, const texel_generator_in_t *in,
                          texel_generator_out_t *out) {
  golden_t *g = self;
  texel_generator_golden_advance(g, in);
  *out = g->out;
  out->quiescent = texel_generator_golden_quiescent(g, in);
  return UnitOk;
}

static void reset(void *self, texel_generator_out_t *out) {
  golden_t *g = self;
  golden_t fresh = {
      .credits = g->entries, .entries = g->entries, .descriptor_mask = g->descriptor_mask,
      .line_mask = g->line_mask, .texel_mask = g->texel_mask, .counter_mask = g->counter_mask,
      .observe = g->observe, .descriptors = g->descriptors};
  *g = fresh;
  memset(g->descriptors, 0, ((size_t)g->descriptor_mask + 1) * sizeof *g->descriptors);
  static const texel_generator_in_t Idle;
  outputs(g, true);
  *out = g->out;
  out->quiescent = texel_generator_golden_quiescent(g, &Idle);
}

static bool is_power(uint32_t n, uint32_t least, uint32_t most) {
  return n >= least && n <= most && (n & (n - 1)) == 0;
}

bool texel_generator_golden_create(const texel_generator_params_t *params,
                                   texel_generator_t *engine) {
  if (!is_power(params->descriptors, 2, 65536) || !is_power(params->entries, 16, 256) ||
      !is_power(params->line_bytes, 16, 64) || params->count_width < 10 ||
      params->count_width > 48) {
    return false;
  }
  golden_t *g = calloc(1, sizeof *g);
  descriptor_t *descriptors = calloc(params->descriptors, sizeof *descriptors);
  if (!g || !descriptors) {
    free(g);
    free(descriptors);
    return false;
  }
  g->entries = params->entries;
  g->descriptor_mask = params->descriptors - 1;
  g->line_mask = ~(params->line_bytes / 16 - 1);
  g->texel_mask = params->line_bytes / 4 - 1;
  g->counter_mask = (UINT64_C(1) << params->count_width) - 1;
  g->observe = params->observe;
  g->descriptors = descriptors;
  texel_generator_out_t out;
  reset(g, &out);
  *engine = (texel_generator_t){g, step, reset};
  return true;
}

void texel_generator_golden_destroy(texel_generator_t *engine) {
  golden_t *g = engine->self;
  if (g) {
    free(g->descriptors);
  }
  free(g);
  engine->self = NULL;
}
