// SPDX-License-Identifier: Apache-2.0
// For the proof of A-TFIM's joined layer only: a part's fields and its stand-in. PART: its name;
// TABLE: the header with its fields, which the unit generator writes. Included once for each part.
#define PART_NAME(a, b) a##_##b
#define OF(part, name) PART_NAME(part, name)
#include TABLE

static stub_t OF(PART, stub);
static OF(PART, out_t) OF(PART, answer);

static void OF(PART, restart)(void *self, OF(PART, out_t) * out) {
  restart(self);
  *out = OF(PART, answer);
}

bool OF(PART, golden_create)(const OF(PART, params_t) * params, OF(PART, t) * engine) {
  OF(PART, stub) = (stub_t){
      .in = OF(PART, in_fields), .out = OF(PART, out_fields), .answers = &OF(PART, answer)};
  OF(PART, dims)(params, OF(PART, stub).widths);
  *engine = (OF(PART, t)){&OF(PART, stub), NULL, OF(PART, restart)};
  return true;
}

void OF(PART, golden_destroy)(OF(PART, t) * engine) { engine->self = NULL; }

void OF(PART, golden_advance)(void *self, const OF(PART, in_t) * in) { advance(self, in); }

const OF(PART, out_t) * OF(PART, golden_out)(const void *self) {
  (void)self;
  return &OF(PART, answer);
}

bool OF(PART, golden_quiescent)(const void *self, const OF(PART, in_t) * in) {
  return is_quiet(self, in);
}

#undef OF
#undef PART_NAME
#undef PART
#undef TABLE
