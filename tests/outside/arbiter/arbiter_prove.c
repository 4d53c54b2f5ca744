// SPDX-License-Identifier: Apache-2.0
// The arbiter: golden model and RTL (tb/prove/wrapper.h, docs/hardware/proved.md).
#include "arbiter_golden.c"
#include "tb/prove/wrapper.h"

enum { N = P_Inputs, IndexBits = N <= 2 ? 1 : 32 - __builtin_clz(N - 1) };

PROVE_OUTSIDE_UNIT(arbiter)

struct related {
  uint32_t data[N], out;
  uint8_t last, source, left;
  bool full[N], valid, error;
} Related;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
const prove_register_t Registers[] = {
    MEMBER(data, "data_q", P_Width, N),   MEMBER(out, "out_q", P_Width, 1),
    MEMBER(last, "last_q", IndexBits, 1), MEMBER(source, "source_q", IndexBits, 1),
    MEMBER(left, "left_q", 4, 1),         MEMBER(full, "full_q", 1, N),
    MEMBER(valid, "valid_q", 1, 1),       MEMBER(error, "error_q", 1, 1),
};

static golden_t *golden(void) { return Engine.self; }

void prove_relate(void) {
  const golden_t *g = golden();
  Related = (struct related){.out = g->out,
                             .last = (uint8_t)g->last,
                             .source = (uint8_t)g->source,
                             .left = (uint8_t)g->left,
                             .valid = g->valid,
                             .error = g->error};
  for (uint32_t i = 0; i < N; i++) {
    Related.data[i] = g->data[i];
    Related.full[i] = g->full[i];
  }
}

void prove_narrow(void) {
  golden_t *g = golden();
  g->last %= N;
  g->source %= N;
  g->left &= 15;
}

void prove_invariant(void) {
  prove_check("no more credits than there are", golden()->left <= P_Credits);
}

// Safety and progress, on the ports.
void prove_step(void) {
  const golden_t was = *golden();
  prove_clock();
  prove_check("a grant is held until it is taken",
              !was.valid || In.grant_ready ||
                  (Out.grant_valid && Out.grant_source == was.source && Out.grant_data == was.out));
  prove_check("what is kept is granted at once, with a credit and room for a grant",
              !any_full(&was) || was.left == 0 || (was.valid && !In.grant_ready) ||
                  (Out.grant_valid && was.full[Out.grant_source % N]));
  prove_check("the error stays", !was.error || Out.error);
}

void prove_cover(void) {
  prove_check("no credit is left", golden()->left > 0);
  prove_check("two inputs wait", !golden()->full[0] || !golden()->full[N - 1]);
}
