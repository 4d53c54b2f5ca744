// SPDX-License-Identifier: Apache-2.0
// An agenda against a list of cycles that is searched each time.
#include "csim/base/agenda.h"
#include "csim/base/rng.h"
#include "tests/programs/test.h"

enum { Count = 64, Steps = 20000 };

typedef struct {
  agenda_t agenda;
  uint64_t at[Count];
  uint64_t now;
} both_t;

static uint64_t due(const both_t *b) {
  uint64_t mask = 0;
  for (uint32_t i = 0; i < Count; i++) {
    mask |= (uint64_t)(b->at[i] <= b->now) << i;
  }
  return mask;
}

static uint64_t next(const both_t *b) {
  uint64_t first = UINT64_MAX;
  for (uint32_t i = 0; i < Count; i++) {
    cycle_earliest(&first, cycle_after(b->now, b->at[i]));
  }
  return first;
}

// Changes a few: within the ring, just at its end, far beyond it, in the past, never.
static void change(both_t *b, rng_t *rng) {
  static const uint32_t Ahead[] = {1, 4, 62, 66, 1000};
  for (uint64_t n = rng_below(rng, 8); n > 0; n--) {
    const uint32_t i = rng_below(rng, Count), kind = rng_below(rng, 8);
    uint64_t cycle = kind < 5 ? b->now + rng_below(rng, Ahead[kind] + 1) : UINT64_MAX;
    cycle = kind == 5 ? b->now / 2 : cycle;
    if (kind == 6) {
      agenda_take(&b->agenda, i);
      b->at[i] = UINT64_MAX;
    } else if (rng_below(rng, 2)) {
      agenda_set(&b->agenda, i, cycle);
      b->at[i] = cycle;
    } else {
      agenda_lower(&b->agenda, i, cycle);
      cycle_earliest(&b->at[i], cycle);
    }
  }
}

TEST(test_against_a_list) {
  rng_t rng;
  both_t b = {0};
  uint64_t most = 0, far = 0;
  rng_seed(&rng, 1);
  for (uint32_t i = 0; i < Count; i++) {
    b.at[i] = UINT64_MAX;
  }
  for (uint32_t step = 0; step < Steps; step++) {
    change(&b, &rng);
    assert_int_equal(agenda_due(&b.agenda), due(&b));
    const uint64_t then = next(&b);
    assert_int_equal(agenda_next(&b.agenda), then);
    // Mostly the next, seldom later, so that some are late.
    b.now =
        then == UINT64_MAX ? b.now + 1 : then + (rng_below(&rng, 16) ? 0 : rng_below(&rng, 200));
    agenda_go(&b.agenda, b.now);
    most = cycle_later(most, (uint64_t)__builtin_popcountll(due(&b)));
    far |= b.agenda.far;
  }
  assert_true(most > 8 && far != 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
