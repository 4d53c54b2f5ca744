#include "atfim_golden.h"

#include <stdlib.h>
#include <string.h>

#include "child_consolidation_golden.h"
#include "combination_unit_golden.h"
#include "parent_texel_buffer_golden.h"
#include "texel_generator_golden.h"

// A part, its outputs and its inputs; those from other parts are set as soon as they are known.
typedef struct {
  texel_generator_t unit;
  texel_generator_in_t in;
  texel_generator_out_t out;
} generator_t;

typedef struct {
  child_consolidation_t unit;
  child_consolidation_in_t in;
  child_consolidation_out_t out;
} consolidation_t;

typedef struct {
  parent_texel_buffer_t unit;
  parent_texel_buffer_in_t in;
  parent_texel_buffer_out_t out;
} buffer_t;

typedef struct {
  combination_unit_t unit;
  combination_unit_in_t in;
  combination_unit_out_t out;
} combination_t;

typedef struct {
  generator_t generator;
  consolidation_t consolidation;
  buffer_t buffer;
  combination_t combination;
  uint8_t peeked;  // unit of the last peek
} golden_t;

// ---- Connections. Payloads are copied only with their valid. ----

static void give_from_outside(golden_t *g, const atfim_in_t *in) {
  texel_generator_in_t *ge = &g->generator.in;
  child_consolidation_in_t *co = &g->consolidation.in;
  parent_texel_buffer_in_t *bu = &g->buffer.in;
  combination_unit_in_t *cu = &g->combination.in;
  ge->epoch = cu->epoch = in->epoch;
  ge->descriptor_valid = in->descriptor_valid;
  if (in->descriptor_valid) {
    ge->descriptor = in->descriptor;
  }
  ge->package_valid = in->package_valid;
  if (in->package_valid && g->generator.out.package_ready) {
    memcpy(ge->package, in->package, sizeof ge->package);
  }
  co->read_ready = in->child_read_ready;
  cu->data_valid = in->child_data_valid;
  if (in->child_data_valid && g->combination.out.data_ready) {
    cu->data = in->child_data;
  }
  cu->response_ready = in->response_ready;
  ge->peek_valid = co->peek_valid = bu->peek_valid = cu->peek_valid = false;
  if (in->peek_valid) {
    uint8_t low = (uint8_t)in->peek_index;
    g->peeked = in->peek_unit & 3;
    ge->peek_valid = g->peeked == AtfimPeekGenerator;
    co->peek_valid = g->peeked == AtfimPeekConsolidation;
    bu->peek_valid = g->peeked == AtfimPeekBuffer;
    cu->peek_valid = g->peeked == AtfimPeekCombination;
    ge->peek_select = in->peek_select & 1;
    co->peek_select = in->peek_select & 3;
    ge->peek_index = in->peek_index;
    co->peek_index = bu->peek_index = cu->peek_index = low;
  }
}

static void give_from_generator(golden_t *g) {
  const texel_generator_out_t *o = &g->generator.out;
  if ((g->combination.in.request_valid = o->request_valid)) {
    g->combination.in.request = o->request;
  }
  if ((g->buffer.in.alloc_valid = o->alloc_valid)) {
    g->buffer.in.alloc = o->alloc;
  }
  if ((g->consolidation.in.beat_valid = o->beat_valid)) {
    g->consolidation.in.beat = o->beat;
  }
}

static void give_from_consolidation(golden_t *g) {
  const child_consolidation_out_t *o = &g->consolidation.out;
  g->generator.in.beat_ready = o->beat_ready;
  g->combination.in.take_ready = o->take_ready;
  if ((g->combination.in.run_valid = o->run_valid)) {
    g->combination.in.run = o->run;
  }
}

static void give_from_buffer(golden_t *g) {
  const parent_texel_buffer_out_t *o = &g->buffer.out;
  if ((g->combination.in.parent_valid = o->parent_valid)) {
    g->combination.in.parent = o->parent;
  }
}

static void give_from_combination(golden_t *g) {
  const combination_unit_out_t *o = &g->combination.out;
  g->generator.in.request_ready = o->request_ready;
  if ((g->consolidation.in.take_valid = o->take_valid)) {
    g->consolidation.in.take_tag = o->take_tag;
  }
  g->consolidation.in.run_ready = o->run_ready;
  if ((g->buffer.in.update_valid = o->update_valid)) {
    g->buffer.in.update = o->update;
  }
  g->buffer.in.parent_ready = o->parent_ready;
}

static void give(golden_t *g) {
  give_from_generator(g);
  give_from_consolidation(g);
  give_from_buffer(g);
  give_from_combination(g);
  g->generator.in.parent_free = g->buffer.out.parent_valid && g->combination.out.parent_ready;
}

// ---- The engine ----

static bool generator_rests(const golden_t *g) {
  return texel_generator_golden_quiescent(g->generator.unit.self, &g->generator.in);
}
static bool consolidation_rests(const golden_t *g) {
  return child_consolidation_golden_quiescent(g->consolidation.unit.self, &g->consolidation.in);
}
static bool buffer_rests(const golden_t *g) {
  return parent_texel_buffer_golden_quiescent(g->buffer.unit.self, &g->buffer.in);
}
static bool combination_rests(const golden_t *g) {
  return combination_unit_golden_quiescent(g->combination.unit.self, &g->combination.in);
}

static bool is_quiescent(const golden_t *g) {
  return combination_rests(g) && consolidation_rests(g) && buffer_rests(g) && generator_rests(g);
}

static void show_peek(const golden_t *g, uint64_t data[2]) {
  data[0] = data[1] = 0;
  switch (g->peeked) {
    case AtfimPeekGenerator: data[0] = g->generator.out.peek_data; break;
    case AtfimPeekConsolidation:
      memcpy(data, g->consolidation.out.peek_data, sizeof g->consolidation.out.peek_data);
      break;
    case AtfimPeekBuffer: data[0] = g->buffer.out.peek_data; break;
    default: data[0] = g->combination.out.peek_data; break;
  }
}

static void outputs(const golden_t *g, atfim_out_t *out) {
  const combination_unit_out_t *cu = &g->combination.out;
  out->quiescent = is_quiescent(g);
  out->error = (uint16_t)(g->generator.out.error | g->consolidation.out.error << 4 |
                          g->buffer.out.error << 8 | cu->error << 12);
  out->package_ready = g->generator.out.package_ready;
  out->child_read_valid = g->consolidation.out.read_valid;
  out->child_read = g->consolidation.out.read;
  out->child_data_ready = cu->data_ready;
  out->response_valid = cu->response_valid;
  memcpy(out->response, cu->response, sizeof out->response);
  out->consolidation_writes = g->consolidation.out.writes;
  out->buffer_writes = g->buffer.out.writes;
  show_peek(g, out->peek_data);
}

static unit_status_e step(void *self, const atfim_in_t *in, atfim_out_t *out) {
  golden_t *g = self;
  give_from_outside(g, in);
  // All inputs are those of this cycle: the parts' outputs are handed on after the last step.
  if (!generator_rests(g)) {
    texel_generator_golden_advance(g->generator.unit.self, &g->generator.in, &g->generator.out);
  }
  if (!consolidation_rests(g)) {
    child_consolidation_golden_advance(g->consolidation.unit.self, &g->consolidation.in,
                                       &g->consolidation.out);
  }
  if (!buffer_rests(g)) {
    parent_texel_buffer_golden_advance(g->buffer.unit.self, &g->buffer.in, &g->buffer.out);
  }
  if (!combination_rests(g)) {
    combination_unit_golden_advance(g->combination.unit.self, &g->combination.in,
                                    &g->combination.out);
  }
  give(g);
  outputs(g, out);
  return UnitOk;
}

static void reset(void *self, atfim_out_t *out) {
  golden_t *g = self;
  static const atfim_in_t none;
  g->generator.unit.reset(g->generator.unit.self, &g->generator.out);
  g->consolidation.unit.reset(g->consolidation.unit.self, &g->consolidation.out);
  g->buffer.unit.reset(g->buffer.unit.self, &g->buffer.out);
  g->combination.unit.reset(g->combination.unit.self, &g->combination.out);
  g->peeked = 0;
  give_from_outside(g, &none);
  give(g);
  memset(out, 0, sizeof *out);
  outputs(g, out);
}

static bool create_parts(golden_t *g, const atfim_params_t *p) {
  const texel_generator_params_t generator = {p->descriptors, p->parent_entries, p->line_bytes};
  const child_consolidation_params_t consolidation = {p->run_entries, p->set_bits, p->ways,
                                                      p->line_bytes, p->merge};
  const parent_texel_buffer_params_t buffer = {p->parent_entries, p->exact};
  const combination_unit_params_t combination = {p->line_bytes, p->exact, p->requests};
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
