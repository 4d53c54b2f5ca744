// SPDX-License-Identifier: Apache-2.0
// How long a group's exchange takes, by the composition scheduler's golden model: the bound
// of opaque groups, and the rounds of transparent ones beside the optimum, which a search
// over all schedules finds.
#include <stdio.h>

#include "../../csim/units/composition_scheduler/golden.h"
#include "tests/programs/test.h"

enum {
  // Cycles of the turnaround beside the messages' way there and back: the done clears the
  // flags, the next start is chosen and registered, and the receiver that is next in turn
  // comes free one cycle after the sender, because starts are given one a cycle.
  Turnaround = 3,
};

// All ready in cycle 0; the receiver's done arrives `length + way` cycles after the start.
// Returns the first cycle whose state knows all transfers as done.
static uint64_t exchange(composition_scheduler_params_t params, bool transparent, uint64_t length,
                         uint64_t way) {
  composition_scheduler_t unit;
  assert_true(composition_scheduler_golden_create(&params, &unit));
  composition_scheduler_out_t out;
  unit.reset(unit.self, &out);
  uint64_t due[UnitMaxGpus] = {0};
  uint32_t left = params.gpus * (params.gpus - 1), started = 0;
  uint64_t cycle = 0;
  uint64_t released = 0;
  for (; left > 0; cycle++) {
    assert_true(cycle < (length + way + 100) * params.gpus * params.gpus);
    composition_scheduler_in_t in = {.start_ready = true, .release_ready = UINT64_MAX};
    released |= out.release_valid;
    if (out.start_valid) {
      assert_int_equal(due[out.start_destination], 0);
      due[out.start_destination] = cycle + length + way;
      started++;
    }
    for (uint32_t gpu = 0; gpu < params.gpus; gpu++) {
      if (cycle == 0) {
        in.message_valid |= UINT64_C(1) << gpu;
        in.message[gpu] = transparent ? CompositionSchedulerMessageReadyTransparent
                                      : CompositionSchedulerMessageReadyOpaque;
      } else if (due[gpu] == cycle) {
        in.message_valid |= UINT64_C(1) << gpu;
        in.message[gpu] = CompositionSchedulerMessageDone;
        due[gpu] = 0;
        left--;
      }
    }
    assert_int_equal(unit.step(unit.self, &in, &out), UnitOk);
    assert_int_equal(out.error, CompositionSchedulerErrorNone);
  }
  // Who was done last is released in the next cycle.
  composition_scheduler_in_t idle = {.start_ready = true};
  unit.step(unit.self, &idle, &out);
  released |= out.release_valid;
  assert_int_equal(started, params.gpus * (params.gpus - 1));
  assert_true(released == UINT64_MAX >> (64 - params.gpus));
  composition_scheduler_golden_destroy(&unit);
  return cycle;
}

TEST(opaque_bound) {
  static const uint32_t Gpus[] = {2, 3, 4, 5, 6, 8, 12, 16, 33, 64};
  static const uint64_t Way[] = {0, 1, 7, 20, 400};
  printf("opaque: cycles of the exchange, bound (N-1)(L+c)+N, lowest receiver first\n");
  for (size_t i = 0; i < sizeof Gpus / sizeof *Gpus; i++) {
    uint64_t n = Gpus[i];
    const uint64_t lengths[] = {n, 1000, n + 1, 2 * n + 1};
    size_t tried = n <= 16 ? 4 : 2;
    for (size_t j = 0; j < tried; j++) {
      for (size_t k = 0; k < sizeof Way / sizeof *Way; k++) {
        composition_scheduler_params_t params = {.gpus = (uint32_t)n};
        uint64_t bound = (n - 1) * (lengths[j] + Way[k] + Turnaround) + n;
        uint64_t cycles = exchange(params, false, lengths[j], Way[k]);
        if (cycles > bound) {
          fail_msg("%d GPUs, length %d, way %d: %d cycles, bound %d", (int)n, (int)lengths[j],
                   (int)Way[k], (int)cycles, (int)bound);
        }
        if (lengths[j] == 1000 && Way[k] == 20) {
          params.lowest_first = true;
          printf("  %2d GPUs, L 1000, c %d: %d, %d, %d\n", (int)n, (int)Way[k] + Turnaround,
                 (int)cycles, (int)bound, (int)exchange(params, false, lengths[j], Way[k]));
        }
      }
    }
  }
}

// ------------------------------------------------------------ the optimum of transparent groups
//
// A state: the GPUs' merged intervals, reach[g] below and above g, as one mixed-radix number.
// Transfers are only ever enabled by others, never disabled, and each must happen once, so
// schedules that leave no possible transfer of a round out suffice.
typedef struct {
  uint32_t gpus;
  uint8_t *seen;
  uint32_t *now, *next;
  uint32_t next_count;
} search_t;

static uint32_t pack(uint32_t gpus, const uint8_t *below, const uint8_t *above) {
  uint32_t code = 0;
  for (uint32_t g = 0; g < gpus; g++) {
    code = (code * (g + 1) + below[g]) * (gpus - g) + above[g];
  }
  return code;
}

static void unpack(uint32_t gpus, uint32_t code, uint8_t *below, uint8_t *above) {
  for (uint32_t g = gpus; g-- > 0;) {
    above[g] = (uint8_t)(code % (gpus - g));
    code /= gpus - g;
    below[g] = (uint8_t)(code % (g + 1));
    code /= g + 1;
  }
}

// Chooses for each receiver from `g` on a free neighbour of its interval, or none.
static void extend(search_t *search, uint32_t g, uint32_t senders, const uint8_t *below_before,
                   const uint8_t *above_before, uint8_t *below, uint8_t *above) {
  if (g == search->gpus) {
    for (uint32_t r = 0; r < g; r++) {
      bool is_free = below[r] == below_before[r] && above[r] == above_before[r];
      if (is_free && ((below[r] < r && !(senders >> (r - below[r] - 1) & 1)) ||
                      (above[r] < g - 1 - r && !(senders >> (r + above[r] + 1) & 1)))) {
        return;  // a possible transfer is left out
      }
    }
    uint32_t code = pack(g, below, above);
    if (!search->seen[code]) {
      search->seen[code] = 1;
      search->next[search->next_count++] = code;
    }
    return;
  }
  if (below[g] < g && !(senders >> (g - below[g] - 1) & 1)) {
    uint32_t sender = g - below[g] - 1;
    below[g]++;
    extend(search, g + 1, senders | 1u << sender, below_before, above_before, below, above);
    below[g]--;
  }
  if (above[g] < search->gpus - 1 - g && !(senders >> (g + above[g] + 1) & 1)) {
    uint32_t sender = g + above[g] + 1;
    above[g]++;
    extend(search, g + 1, senders | 1u << sender, below_before, above_before, below, above);
    above[g]--;
  }
  extend(search, g + 1, senders, below_before, above_before, below, above);
}

static uint32_t optimum(uint32_t gpus) {
  uint32_t states = 1;
  uint8_t below[UnitMaxGpus] = {0}, above[UnitMaxGpus] = {0};
  for (uint32_t g = 0; g < gpus; g++) {
    states *= (g + 1) * (gpus - g);
  }
  search_t search = {
      .gpus = gpus,
      .seen = calloc(states, 1),
      .now = calloc(states, sizeof(uint32_t)),
      .next = calloc(states, sizeof(uint32_t)),
  };
  assert_true(search.seen && search.now && search.next);
  uint32_t count = 1, rounds = 0;  // from state 0, nothing merged
  while (!search.seen[states - 1]) {
    search.next_count = 0;
    for (uint32_t i = 0; i < count; i++) {
      uint8_t b[UnitMaxGpus], a[UnitMaxGpus];
      unpack(gpus, search.now[i], b, a);
      memcpy(below, b, sizeof b);
      memcpy(above, a, sizeof a);
      extend(&search, 0, 0, b, a, below, above);
    }
    uint32_t *swap = search.now;
    search.now = search.next;
    search.next = swap;
    count = search.next_count;
    rounds++;
    assert_true(count > 0);
  }
  free(search.seen);
  free(search.now);
  free(search.next);
  return rounds;
}

TEST(transparent_rounds) {
  enum { Length = 100000 };  // so long that the rounds do not blur
  static const uint32_t Known[] = {[2] = 1, [3] = 3, [4] = 4, [5] = 6, [6] = 7};
  printf("transparent: rounds of equal transfers, optimum, lowest receiver first\n");
  for (uint32_t gpus = 2; gpus <= 16; gpus++) {
    composition_scheduler_params_t params = {.gpus = gpus};
    uint64_t cycles = exchange(params, true, Length, 20);
    params.lowest_first = true;
    uint64_t lowest = exchange(params, true, Length, 20);
    uint32_t rounds = (uint32_t)(cycles / Length);
    printf("  %2d GPUs: %d", (int)gpus, (int)rounds);
    assert_true(rounds >= gpus - 1);
    if (gpus <= 6) {
      uint32_t best = optimum(gpus);
      printf(", %d", (int)best);
      assert_int_equal(best, Known[gpus]);
      assert_true(rounds >= best);
    } else {
      printf(", -");
    }
    printf(", %d\n", (int)(lowest / Length));
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
