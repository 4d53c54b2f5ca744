// SPDX-License-Identifier: Apache-2.0
#include "line_atfim_golden.h"

#include <stdlib.h>
#include <string.h>

#include "line_buffer_golden.h"
#include "line_combination_golden.h"
#include "line_consolidation_golden.h"
#include "line_generator_golden.h"

// The parts, their inputs (those from other parts are set as soon as they are known) and their
// outputs, which lie in the parts.
typedef struct {
  line_generator_t unit;
  line_generator_in_t in;
  const line_generator_out_t *out;
} generator_t;

typedef struct {
  line_consolidation_t unit;
  line_consolidation_in_t in;
  const line_consolidation_out_t *out;
} consolidation_t;

typedef struct {
  line_buffer_t unit;
  line_buffer_in_t in;
  const line_buffer_out_t *out;
} buffer_t;

typedef struct {
  line_combination_t unit;
  line_combination_in_t in;
  const line_combination_out_t *out;
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

static void unpack(const uint32_t words[4], line_generator_package_t *p) {
  *p = (line_generator_package_t){
      .id = (uint16_t)bits(words, 12, 11), .epoch = (uint8_t)bits(words, 24, 8),
      .descriptor = (uint16_t)bits(words, 32, 16), .level = (uint8_t)bits(words, 48, 4),
      .reading = (uint8_t)bits(words, 52, 1), .extent = (uint8_t)bits(words, 53, 3),
      .along_y = (uint8_t)bits(words, 56, 1), .slope = (uint8_t)bits(words, 57, 3),
      .tile_x = (uint16_t)bits(words, 64, 12), .tile_y = (uint16_t)bits(words, 76, 12),
      .offset = bits(words, 96, 28)};
}

static void give_peek(golden_t *g, const line_atfim_in_t *in) {
  line_generator_in_t *ge = &g->generator.in;
  line_consolidation_in_t *co = &g->consolidation.in;
  line_buffer_in_t *bu = &g->buffer.in;
  line_combination_in_t *cu = &g->combination.in;
  ge->peek_valid = co->peek_valid = bu->peek_valid = cu->peek_valid = false;
  if (in->peek_valid) {
    g->peeked = in->peek_unit & 3;
    ge->peek_valid = g->peeked == LineAtfimPeekUnitGenerator;
    co->peek_valid = g->peeked == LineAtfimPeekUnitConsolidation;
    bu->peek_valid = g->peeked == LineAtfimPeekUnitBuffer;
    cu->peek_valid = g->peeked == LineAtfimPeekUnitCombination;
    ge->peek_select = in->peek_select & 1;
    co->peek_select = in->peek_select & 3;
    ge->peek_index = in->peek_index;
    bu->peek_index = in->peek_index & 1023;
    co->peek_index = cu->peek_index = (uint8_t)in->peek_index;
  }
}

static void give_from_outside(golden_t *g, const line_atfim_in_t *in) {
  line_generator_in_t *ge = &g->generator.in;
  line_combination_in_t *cu = &g->combination.in;
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
  const line_generator_out_t *ge = g->generator.out;
  const bool taken = ge->beat_valid && g->consolidation.out->beat_ready;
  g->generator.in.beat_ready = g->consolidation.out->beat_ready;
  g->consolidation.in.beat_valid = ge->beat_valid;
  g->buffer.in.beat_valid = taken;
  if (taken) {
    g->consolidation.in.beat = ge->beat;
    g->buffer.in.beat = (line_buffer_beat_t){.slot = ge->beat.slot, .last = ge->beat.last};
  }
}

static void give_runs(golden_t *g) {
  const line_consolidation_out_t *co = g->consolidation.out;
  const line_combination_out_t *cu = g->combination.out;
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
  const line_generator_out_t *ge = g->generator.out;
  const line_buffer_out_t *bu = g->buffer.out;
  const line_combination_out_t *cu = g->combination.out;
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
  return line_combination_golden_quiescent(g->combination.unit.self, &g->combination.in) &&
         line_buffer_golden_quiescent(g->buffer.unit.self, &g->buffer.in) &&
         line_consolidation_golden_quiescent(g->consolidation.unit.self,
                                             &g->consolidation.in) &&
         line_generator_golden_quiescent(g->generator.unit.self, &g->generator.in);
}

static uint64_t peeked(const golden_t *g) {
  switch (g->peeked) {
    case LineAtfimPeekUnitGenerator: return g->generator.out->peek_data;
    case LineAtfimPeekUnitConsolidation: return g->consolidation.out->peek_data;
    case LineAtfimPeekUnitBuffer: return g->buffer.out->peek_data;
    default: return g->combination.out->peek_data;
  }
}

static void outputs(const golden_t *g, line_atfim_out_t *out) {
  const line_consolidation_out_t *co = g->consolidation.out;
  const line_combination_out_t *cu = g->combination.out;
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

static unit_status_e step(void *self, const line_atfim_in_t *in, line_atfim_out_t *out) {
  golden_t *g = self;
  give_from_outside(g, in);
  // All inputs are those of this cycle: outputs are handed on after the last part's.
  line_generator_golden_advance(g->generator.unit.self, &g->generator.in);
  line_consolidation_golden_advance(g->consolidation.unit.self, &g->consolidation.in);
  line_buffer_golden_advance(g->buffer.unit.self, &g->buffer.in);
  line_combination_golden_advance(g->combination.unit.self, &g->combination.in);
  give(g);
  outputs(g, out);
  return UnitOk;
}

static void reset(void *self, line_atfim_out_t *out) {
  golden_t *g = self;
  static const line_atfim_in_t none;
  line_generator_out_t generator;
  line_consolidation_out_t consolidation;
  line_buffer_out_t buffer;
  line_combination_out_t combination;
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

static bool create_parts(golden_t *g, const line_atfim_params_t *p) {
  const line_generator_params_t generator = {p->descriptors, p->slots, p->count_width, p->observe};
  const line_consolidation_params_t consolidation = {p->entries, p->set_bits, p->ways, p->merge,
                                                     p->count_width, p->observe};
  const line_buffer_params_t buffer = {p->slots, p->observe};
  const line_combination_params_t combination = {p->slots, p->count_width, p->observe};
  return line_generator_golden_create(&generator, &g->generator.unit) &&
         line_consolidation_golden_create(&consolidation, &g->consolidation.unit) &&
         line_buffer_golden_create(&buffer, &g->buffer.unit) &&
         line_combination_golden_create(&combination, &g->combination.unit);
}

bool line_atfim_golden_create(const line_atfim_params_t *params, line_atfim_t *engine) {
  golden_t *g = calloc(1, sizeof *g);
  if (!g) {
    return false;
  }
  *engine = (line_atfim_t){g, step, reset};
  if (!create_parts(g, params)) {
    line_atfim_golden_destroy(engine);
    return false;
  }
  g->generator.out = line_generator_golden_out(g->generator.unit.self);
  g->consolidation.out = line_consolidation_golden_out(g->consolidation.unit.self);
  g->buffer.out = line_buffer_golden_out(g->buffer.unit.self);
  g->combination.out = line_combination_golden_out(g->combination.unit.self);
  line_atfim_out_t out;
  reset(g, &out);
  return true;
}

void line_atfim_golden_destroy(line_atfim_t *engine) {
  golden_t *g = engine->self;
  if (g) {
    line_generator_golden_destroy(&g->generator.unit);
    line_consolidation_golden_destroy(&g->consolidation.unit);
    line_buffer_golden_destroy(&g->buffer.unit);
    line_combination_golden_destroy(&g->combination.unit);
  }
  free(g);
  engine->self = NULL;
}
