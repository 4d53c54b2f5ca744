// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

#include "../child_consolidation/golden.h"
#include "../combination_unit/golden.h"
#include "../parent_texel_buffer/golden.h"
#include "../texel_generator/golden.h"

// The parts, their inputs (those from other parts are set as soon as they are known) and their
// outputs, which lie in the parts.
typedef struct {
  texel_generator_t unit;
  texel_generator_in_t in;
  const texel_generator_out_t *out;
} generator_t;

typedef struct {
  child_consolidation_t unit;
  child_consolidation_in_t in;
  const child_consolidation_out_t *out;
} consolidation_t;

typedef struct {
  parent_texel_buffer_t unit;
  parent_texel_buffer_in_t in;
  const parent_texel_buffer_out_t *out;
} buffer_t;

typedef struct {
  combination_unit_t unit;
  combination_unit_in_t in;
  const combination_unit_out_t *out;
} combination_t;

typedef struct {
  generator_t generator;
  consolidation_t consolidation;
  buffer_t buffer;
  combination_t combination;
  uint8_t peeked;  // unit of the last peek
} golden_t;

// ---- Connections. A payload is copied when the other side takes it. ----

static uint32_t bits(const uint32_t words[4], uint32_t low, uint32_t width) {
  return words[low / 32] >> low % 32 & ((UINT32_C(1) << width) - 1);
}

static void unpack(const uint32_t words[4], texel_generator_package_t *p) {
  *p = (texel_generator_package_t){.id = (uint16_t)bits(words, 12, 11),
                                   .epoch = (uint8_t)bits(words, 24, 8),
                                   .descriptor = (uint16_t)bits(words, 32, 16),
                                   .level = (uint8_t)bits(words, 48, 4),
                                   .reading = (uint8_t)bits(words, 52, 1),
                                   .extent = (uint8_t)bits(words, 53, 3),
                                   .along_y = (uint8_t)bits(words, 56, 1),
                                   .slope = (uint8_t)bits(words, 57, 3),
                                   .tile_x = (uint16_t)bits(words, 64, 12),
                                   .tile_y = (uint16_t)bits(words, 76, 12),
                                   .offset = bits(words, 96, 28)};
}

static void give_peek(golden_t *g, const atfim_in_t *in) {
  texel_generator_in_t *ge = &g->generator.in;
  child_consolidation_in_t *co = &g->consolidation.in;
  parent_texel_buffer_in_t *bu = &g->buffer.in;
  combination_unit_in_t *cu = &g->combination.in;
  ge->peek_valid = co->peek_valid = bu->peek_valid = cu->peek_valid = false;
  if (in->peek_valid) {
    g->peeked = in->peek_unit & 3;
    ge->peek_valid = g->peeked == AtfimPeekUnitGenerator;
    co->peek_valid = g->peeked == AtfimPeekUnitConsolidation;
    bu->peek_valid = g->peeked == AtfimPeekUnitBuffer;
    cu->peek_valid = g->peeked == AtfimPeekUnitCombination;
    ge->peek_select = in->peek_select & 1;
    co->peek_select = in->peek_select & 3;
    ge->peek_index = in->peek_index;
    bu->peek_index = in->peek_index & 1023;
    co->peek_index = cu->peek_index = (uint8_t)in->peek_index;
  }
}

static void give_from_outside(golden_t *g, const atfim_in_t *in) {
  texel_generator_in_t *ge = &g->generator.in;
  combination_unit_in_t *cu = &g->combination.in;
  ge->epoch = cu->epoch = in->epoch;
  g->generator.in.cycle = g->consolidation.in.cycle = in->cycle;
  ge->descriptor_valid = in->descriptor_valid;
  if (in->descriptor_valid) {
    ge->descriptor = in->descriptor;
  }
  ge->package_valid = in->package_valid;
  if (in->package_valid && g->generator.out->package_ready) {
    unpack(in->package, &ge->package);
  }
  g->consolidation.in.read_ready = in->child_read_ready;
  cu->data_valid = in->child_data_valid;
  if (in->child_data_valid && g->combination.out->data_ready) {
    cu->data = in->child_data;
  }
  cu->response_ready = in->response_ready;
  give_peek(g, in);
}

static void give_beats(golden_t *g) {
  const texel_generator_out_t *ge = g->generator.out;
  const bool taken = ge->beat_valid && g->consolidation.out->beat_ready;
  g->generator.in.beat_ready = g->consolidation.out->beat_ready;
  g->consolidation.in.beat_valid = ge->beat_valid;
  g->buffer.in.beat_valid = taken;
  if (taken) {
    g->consolidation.in.beat = ge->beat;
    g->buffer.in.beat = (parent_texel_buffer_beat_t){.slot = ge->beat.slot, .last = ge->beat.last};
  }
}

static void give_runs(golden_t *g) {
  const child_consolidation_out_t *co = g->consolidation.out;
  const combination_unit_out_t *cu = g->combination.out;
  g->combination.in.run_valid = co->run_valid;
  g->consolidation.in.run_ready = cu->run_ready;
  if (co->run_valid && cu->run_ready) {
    g->combination.in.run = co->run;
  }
  g->consolidation.in.take_valid = cu->take_valid;
  g->combination.in.take_ready = co->take_ready;
  g->consolidation.in.take_tag = cu->take_tag;
}

static void give(golden_t *g) {
  const texel_generator_out_t *ge = g->generator.out;
  const parent_texel_buffer_out_t *bu = g->buffer.out;
  const combination_unit_out_t *cu = g->combination.out;
  give_beats(g);
  give_runs(g);
  g->combination.in.request_valid = ge->request_valid;
  g->generator.in.request_ready = cu->request_ready;
  if (ge->request_valid && cu->request_ready) {
    g->combination.in.request = ge->request;
  }
  g->buffer.in.update_valid = cu->update_valid;
  if (cu->update_valid) {
    g->buffer.in.update = cu->update;
  }
  g->combination.in.row_valid = bu->row_valid;
  g->buffer.in.row_ready = cu->row_ready;
  if (bu->row_valid && cu->row_ready) {
    g->combination.in.row = bu->row;
  }
  g->generator.in.free_valid = cu->free_valid;
  g->generator.in.free_slot = cu->free_slot;
}

// ---- The engine ----

static bool is_quiescent(const golden_t *g) {
  return combination_unit_golden_quiescent(g->combination.unit.self, &g->combination.in) &&
         parent_texel_buffer_golden_quiescent(g->buffer.unit.self, &g->buffer.in) &&
         child_consolidation_golden_quiescent(g->consolidation.unit.self, &g->consolidation.in) &&
         texel_generator_golden_quiescent(g->generator.unit.self, &g->generator.in);
}

static uint64_t peeked(const golden_t *g) {
  switch (g->peeked) {
    case AtfimPeekUnitGenerator: return g->generator.out->peek_data;
    case AtfimPeekUnitConsolidation: return g->consolidation.out->peek_data;
    case AtfimPeekUnitBuffer: return g->buffer.out->peek_data;
    default: return g->combination.out->peek_data;
  }
}

static void outputs(const golden_t *g, atfim_out_t *out) {
  const child_consolidation_out_t *co = g->consolidation.out;
  const combination_unit_out_t *cu = g->combination.out;
  out->quiescent = is_quiescent(g);
  out->error = (uint16_t)(g->generator.out->error | co->error << 4 | g->buffer.out->error << 8 |
                          cu->error << 12);
  out->package_ready = g->generator.out->package_ready;
  out->child_read_valid = co->read_valid;
  out->child_read = co->read;
  out->child_data_ready = cu->data_ready;
  out->response_valid = cu->response_valid;
  memcpy(out->response, cu->response, sizeof out->response);
  out->peek_data = peeked(g);
}

static unit_status_e step(void *self, const atfim_in_t *in, atfim_out_t *out) {
  golden_t *g = self;
  give_from_outside(g, in);
  // All inputs are those of this cycle: outputs are handed on after the last part's.
  texel_generator_golden_advance(g->generator.unit.self, &g->generator.in);
  child_consolidation_golden_advance(g->consolidation.unit.self, &g->consolidation.in);
  parent_texel_buffer_golden_advance(g->buffer.unit.self, &g->buffer.in);
  combination_unit_golden_advance(g->combination.unit.self, &g->combination.in);
  give(g);
  outputs(g, out);
  return UnitOk;
}

static void reset(void *self, atfim_out_t *out) {
  golden_t *g = self;
  static const atfim_in_t none;
  texel_generator_out_t generator;
  child_consolidation_out_t consolidation;
  parent_texel_buffer_out_t buffer;
  combination_unit_out_t combination;
  g->generator.unit.reset(g->generator.unit.self, &generator);
  g->consolidation.unit.reset(g->consolidation.unit.self, &consolidation);
  g->buffer.unit.reset(g->buffer.unit.self, &buffer);
  g->combination.unit.reset(g->combination.unit.self, &combination);
  g->peeked = 0;
  give_from_outside(g, &none);
  give(g);
  memset(out, 0, sizeof *out);
  outputs(g, out);
}

static bool create_parts(golden_t *g, const atfim_params_t *p) {
  const texel_generator_params_t generator = {p->descriptors, p->slots, p->count_width, p->observe};
  const child_consolidation_params_t consolidation = {p->entries, p->set_bits,    p->ways,
                                                      p->merge,   p->count_width, p->observe};
  const parent_texel_buffer_params_t buffer = {p->slots, p->observe};
  const combination_unit_params_t combination = {p->slots, p->count_width, p->observe};
  return texel_generator_golden_create(&generator, &g->generator.unit) &&
         child_consolidation_golden_create(&consolidation, &g->consolidation.unit) &&
         parent_texel_buffer_golden_create(&buffer, &g->buffer.unit) &&
         combination_unit_golden_create(&combination, &g->combination.unit);
}

bool atfim_golden_create(const atfim_params_t *params, atfim_t *engine) {
  golden_t *g = calloc(1, sizeof *g);
  if (!g) {
    return false;
  }
  *engine = (atfim_t){g, step, reset};
  if (!create_parts(g, params)) {
    atfim_golden_destroy(engine);
    return false;
  }
  g->generator.out = texel_generator_golden_out(g->generator.unit.self);
  g->consolidation.out = child_consolidation_golden_out(g->consolidation.unit.self);
  g->buffer.out = parent_texel_buffer_golden_out(g->buffer.unit.self);
  g->combination.out = combination_unit_golden_out(g->combination.unit.self);
  atfim_out_t out;
  reset(g, &out);
  return true;
}

void atfim_golden_destroy(atfim_t *engine) {
  golden_t *g = engine->self;
  if (g) {
    texel_generator_golden_destroy(&g->generator.unit);
    child_consolidation_golden_destroy(&g->consolidation.unit);
    parent_texel_buffer_golden_destroy(&g->buffer.unit);
    combination_unit_golden_destroy(&g->combination.unit);
  }
  free(g);
  engine->self = NULL;
}
