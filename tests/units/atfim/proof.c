// SPDX-License-Identifier: Apache-2.0
// A layer of A-TFIM: what joins its parts (tb/prove/wrapper.h). The parts are proven
// apart; here each is one that may give anything (tb/prove/part.awk): its answer and what it
// has taken are state, the same in the RTL's stand-in and in this one. So golden model and RTL hand
// the same to each part and to the outside, whatever the parts give.
#include "csim/units/atfim/golden.c"
#include "tb/prove/wrapper.h"

enum { MostIn = 2048, MostOut = 2048, MostStreams = 16, Parts = 4 };

// The stand-in of a part. seen: all that it has taken; answer: its outputs, bit by bit.
typedef struct {
  const unit_field_t *in, *out;
  void *answers;
  uint32_t widths[UnitMaxDims];
  bool seen[MostIn], answer[MostOut];
} stub_t;

static bool bit_of(const void *base, const unit_field_t *f, uint32_t element, uint32_t bit) {
  return ((const uint8_t *)base)[f->offset + element * f->size + bit / 8] >> bit % 8 & 1;
}

static bool is_payload(const unit_field_t *f) {
  return f->role == UnitRolePayload || f->role == UnitRolePeekInput;
}

// A payload counts while its stream is valid and ready.
static void find_taken(const stub_t *s, const void *in, bool taken[MostStreams]) {
  memset(taken, true, MostStreams);
  for (uint32_t side = 0; side < 2; side++) {
    for (const unit_field_t *f = side ? s->out : s->in; f->name; f++) {
      if (f->role == UnitRoleValid || f->role == UnitRoleReady || f->role == UnitRolePeekValid) {
        taken[f->stream] &= bit_of(side ? s->answers : in, f, 0, 0);
      }
    }
  }
}

static uint32_t gather(const stub_t *s, const void *in, bool bits[MostIn]) {
  bool taken[MostStreams];
  uint32_t at = 0;
  find_taken(s, in, taken);
  for (const unit_field_t *f = s->in; f->name; f++) {
    for (uint32_t i = 0; i < unit_dim(s->widths, f->elements); i++) {
      for (uint32_t b = 0; b < unit_dim(s->widths, f->bits); b++) {
        bits[at++] = bit_of(in, f, i, b) && (!is_payload(f) || taken[f->stream]);
      }
    }
  }
  return at;
}

static uint32_t scatter(const stub_t *s, const bool bits[MostOut]) {
  uint32_t at = 0;
  for (const unit_field_t *f = s->out; f->name; f++) {
    uint8_t *to = (uint8_t *)s->answers + f->offset;
    for (uint32_t i = 0; i < unit_dim(s->widths, f->elements); i++) {
      for (uint32_t byte = 0; byte < f->size; byte++) {
        uint8_t value = 0;
        for (uint32_t b = 8 * byte; b < 8 * byte + 8 && b < unit_dim(s->widths, f->bits); b++) {
          value |= (uint8_t)(bits[at++] << b % 8);
        }
        to[i * f->size + byte] = value;
      }
    }
  }
  return at;
}

// Both turn by one place, inverted: no bit of the RTL's is constant, or another's.
static void advance(stub_t *s, const void *in) {
  bool seen[MostIn], was[MostIn], answer[MostOut];
  const uint32_t in_bits = gather(s, in, seen), out_bits = scatter(s, s->answer);
  memcpy(was, s->seen, sizeof was);
  memcpy(answer, s->answer, sizeof answer);
  for (uint32_t i = 0; i < in_bits; i++) {
    s->seen[i] = !was[(i ? i : in_bits) - 1] ^ seen[i];
  }
  for (uint32_t i = 0; i < out_bits; i++) {
    s->answer[i] = !answer[(i ? i : out_bits) - 1] ^ was[i % in_bits];
  }
  scatter(s, s->answer);
}

static void restart(stub_t *s) {
  memset(s->seen, 0, sizeof s->seen);
  memset(s->answer, 0, sizeof s->answer);
  scatter(s, s->answer);
}

// A part tells by what is offered, not by payloads, whether anything happens.
static bool is_quiet(const stub_t *s, const void *in) {
  bool quiet = s->answer[0];
  for (const unit_field_t *f = s->in; f->name; f++) {
    const uint32_t bits = is_payload(f) ? 0 : unit_dim(s->widths, f->bits);
    for (uint32_t b = 0; b < bits; b++) {
      quiet ^= bit_of(in, f, 0, b);
    }
  }
  return quiet;
}

#define PART texel_generator
#define TABLE "unit/texel_generator/texel_generator_fields.h"
#include "proof_part.h"
#define PART child_consolidation
#define TABLE "unit/child_consolidation/child_consolidation_fields.h"
#include "proof_part.h"
#define PART parent_texel_buffer
#define TABLE "unit/parent_texel_buffer/parent_texel_buffer_fields.h"
#include "proof_part.h"
#define PART combination_unit
#define TABLE "unit/combination_unit/combination_unit_fields.h"
#include "proof_part.h"

PROVE_STATELESS_UNIT(atfim)

static golden_t *golden(void) { return Engine.self; }

static stub_t *const Stubs[Parts] = {&texel_generator_stub, &child_consolidation_stub,
                                     &parent_texel_buffer_stub, &combination_unit_stub};

struct related {
  bool seen[Parts][MostIn], answer[Parts][MostOut];
  uint8_t peeked;
} Related;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
const prove_register_t Registers[] = {MEMBER(seen[0], "u_generator.seen_q", 1, MostIn),
                                      MEMBER(answer[0], "u_generator.answer_q", 1, MostOut),
                                      MEMBER(seen[1], "u_consolidation.seen_q", 1, MostIn),
                                      MEMBER(answer[1], "u_consolidation.answer_q", 1, MostOut),
                                      MEMBER(seen[2], "u_buffer.seen_q", 1, MostIn),
                                      MEMBER(answer[2], "u_buffer.answer_q", 1, MostOut),
                                      MEMBER(seen[3], "u_combination.seen_q", 1, MostIn),
                                      MEMBER(answer[3], "u_combination.answer_q", 1, MostOut),
                                      MEMBER(peeked, "gen_observe.peek_unit_q", 2, 1)};

void prove_relate(void) {
  for (uint32_t k = 0; k < Parts; k++) {
    memcpy(Related.seen[k], Stubs[k]->seen, sizeof Related.seen[k]);
    memcpy(Related.answer[k], Stubs[k]->answer, sizeof Related.answer[k]);
  }
  Related.peeked = golden()->peeked;
}

// Outputs follow from answers, inputs from other parts from these parts' outputs.
void prove_narrow(void) {
  golden()->peeked &= 3;
  for (uint32_t k = 0; k < Parts; k++) {
    scatter(Stubs[k], Stubs[k]->answer);
  }
  give(golden());
}

void prove_invariant(void) {}
