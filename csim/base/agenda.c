// SPDX-License-Identifier: Apache-2.0
#include "agenda.h"

// The cycle of the first place that is held, counted from now.
static uint64_t first_held(const agenda_t *a) {
  const uint32_t turn = a->now % AgendaCycles;
  const uint64_t turned = a->held >> turn | a->held << ((AgendaCycles - turn) % AgendaCycles);
  return a->now + (uint64_t)__builtin_ctzll(turned);
}

static uint64_t first_far(const agenda_t *a) {
  uint64_t first = UINT64_MAX;
  for (uint64_t rest = a->far; rest; rest &= rest - 1) {
    first = cycle_sooner(first, a->at[__builtin_ctzll(rest)]);
  }
  return first;
}

void agenda_go(agenda_t *a, uint64_t now) {
  uint64_t moved = 0;
  while (a->held && first_held(a) < now) {
    const uint64_t place = first_held(a) % AgendaCycles;
    moved |= a->ring[place];
    a->ring[place] = 0;
    a->held &= ~(1ull << place);
  }
  a->near &= ~moved;
  a->now = now;
  if (a->far && a->far_first < now + AgendaCycles) {
    moved |= a->far;
    a->far = 0;
  }
  for (uint64_t rest = moved; rest; rest &= rest - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(rest);
    agenda_set(a, i, a->at[i]);
  }
}

uint64_t agenda_next(const agenda_t *a) {
  const uint64_t due = agenda_due(a);
  if (due) {
    return a->now + 1;
  }
  return a->held ? first_held(a) : first_far(a);
}
