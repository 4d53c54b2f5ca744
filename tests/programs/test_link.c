// SPDX-License-Identifier: Apache-2.0
// A link's line, latency and credits; places that several links share; a buffer without end.
#include "csim/base/rng.h"
#include "csim/link/link.h"
#include "tests/programs/test.h"

enum { Latency = 10, Record = 64, Senders = 3 };

static const link_params_t Params = {
    .latency = Latency, .bytes_per_cycle = Record, .buffer_bytes = 2 * Record};

static void push(link_t *l, uint64_t now, uint32_t value) {
  assert_true(link_room(l, now));
  link_push(l, now, &value);
}

static uint32_t pop(link_t *l, uint64_t now) {
  const uint32_t *head = link_head(l, now);
  assert_non_null(head);
  uint32_t value = *head;
  link_pop(l, now);
  return value;
}

TEST(test_own_buffer) {
  link_t l;
  link_create(&l, &Params, NULL, sizeof(uint32_t), Record);
  push(&l, 0, 1);
  assert_false(link_room(&l, 0));
  assert_int_equal(link_next(&l, 0), 1);
  push(&l, 1, 2);
  assert_null(link_head(&l, Latency - 1));
  assert_int_equal(link_next(&l, 2), Latency);
  assert_int_equal(pop(&l, Latency + 5), 1);
  // Two places: the first is back a latency after the pop.
  assert_false(link_room(&l, 2 * Latency + 4));
  assert_int_equal(link_next(&l, 2 * Latency + 4), 2 * Latency + 5);
  assert_true(link_room(&l, 2 * Latency + 5));
  link_destroy(&l);
}

// Three links of a place each and two for all.
typedef struct {
  link_pool_t pool;
  link_t links[Senders];
} shared_t;

static void share(shared_t *s, uint32_t places) {
  assert_true(link_pool_create(&s->pool, places * Record + Record / 2, Senders, Record));
  for (uint32_t i = 0; i < Senders; i++) {
    link_create(&s->links[i], &Params, &s->pool, sizeof(uint32_t), Record);
  }
}

static void unshare(shared_t *s) {
  for (uint32_t i = 0; i < Senders; i++) {
    link_destroy(&s->links[i]);
  }
  link_pool_destroy(&s->pool);
}

TEST(test_shared) {
  shared_t s;
  share(&s, Senders + 2);
  for (uint32_t i = 0; i < 3; i++) {
    push(&s.links[0], i, i);
  }
  // Its own place and both that are shared are taken; the others have theirs.
  assert_false(link_room(&s.links[0], 3));
  push(&s.links[1], 3, 10);
  assert_false(link_room(&s.links[1], 4));
  push(&s.links[2], 4, 20);
  assert_int_equal(pop(&s.links[1], 20), 10);
  // Its own comes back to it alone.
  assert_int_equal(link_next(&s.links[1], 20), 20 + Latency);
  assert_false(link_room(&s.links[1], 19 + Latency));
  assert_true(link_room(&s.links[1], 20 + Latency));
  assert_false(link_room(&s.links[0], 20 + Latency));
  assert_int_equal(pop(&s.links[0], 31), 0);
  assert_int_equal(pop(&s.links[0], 32), 1);
  // The first was link 0's own, the second is for any, once.
  assert_false(link_room(&s.links[2], 31 + Latency));
  assert_int_equal(link_next(&s.links[2], 32), 32 + Latency);
  assert_true(link_room(&s.links[2], 32 + Latency) && link_room(&s.links[0], 31 + Latency));
  push(&s.links[2], 32 + Latency, 21);
  push(&s.links[1], 32 + Latency, 11);
  assert_false(link_room(&s.links[1], 33 + Latency) || link_room(&s.links[2], 33 + Latency));
  push(&s.links[0], 33 + Latency, 3);
  assert_false(link_room(&s.links[0], 100));
  unshare(&s);
}

// No more places, than one each: whoever is held up by others, each can go on.
TEST(test_reserved_only) {
  shared_t s;
  share(&s, Senders);
  for (uint32_t i = 0; i < Senders; i++) {
    push(&s.links[i], 0, i);
    assert_false(link_room(&s.links[i], 1));
  }
  assert_int_equal(pop(&s.links[2], 12), 2);
  assert_false(link_room(&s.links[0], 12 + Latency) || link_room(&s.links[1], 12 + Latency));
  push(&s.links[2], 12 + Latency, 22);
  unshare(&s);
}

// Never more waiting than there are places; each link in order; nothing lost.
TEST(test_shared_at_random) {
  rng_t rng;
  for (uint32_t seed = 0; seed < 50; seed++) {
    shared_t s;
    uint32_t places = Senders + seed % 5, sent[Senders] = {0}, taken[Senders] = {0};
    rng_seed(&rng, seed);
    share(&s, places);
    for (uint64_t now = 0; now < 2000; now++) {
      uint32_t waiting = 0;
      for (uint32_t i = 0; i < Senders; i++) {
        if (rng_chance(&rng, 700) && link_room(&s.links[i], now)) {
          push(&s.links[i], now, sent[i]++);
        }
        waiting += sent[i] - taken[i];
      }
      assert_in_range(waiting, 0, places);
      uint32_t i = rng_below(&rng, Senders);
      if (link_head(&s.links[i], now)) {
        assert_int_equal(pop(&s.links[i], now), taken[i]++);
      }
    }
    for (uint32_t i = 0; i < Senders; i++) {
      assert_in_range(taken[i], 20, 2000);
    }
    unshare(&s);
  }
}

// A buffer that is made as records come, against the cycles at which its places come back: room is
// where the record that was pushed as many places ago has left, and its credit is there. Phases
// without a push let all come back.
TEST(test_places_as_needed) {
  enum { Places = 40, Cycles = 4000 };
  static uint64_t back[Cycles];
  const link_params_t params = {
      .latency = Latency, .bytes_per_cycle = Record, .buffer_bytes = Places * Record};
  link_t l;
  rng_t rng;
  uint32_t sent = 0, taken = 0, full = 0, restarts = 0;
  rng_seed(&rng, 3);
  link_create(&l, &params, NULL, sizeof(uint32_t), Record);
  assert_int_equal(l.made, 0);
  for (uint32_t now = 0; now < Cycles; now++) {
    const bool is_busy = now / 200 % 4 != 3;
    const bool room = sent < Places || (taken > sent - Places && back[sent - Places] <= now);
    assert_int_equal(link_room(&l, now), room);
    full += !room;
    if (is_busy && room && rng_chance(&rng, 900)) {
      const uint64_t before = l.pushed;
      push(&l, now, sent++);
      restarts += l.pushed < before;
      assert_true(l.made >= sent - taken && l.made <= Places);
    }
    if (link_head(&l, now) && rng_chance(&rng, is_busy ? 300 : 1000)) {
      assert_int_equal(pop(&l, now), taken);
      back[taken++] = now + Latency;
    }
  }
  assert_true(full > 100 && restarts > 2 && sent > 10 * Places);
  link_destroy(&l);
}

TEST(test_endless) {
  link_t l;
  link_params_t params = {
      .latency = 1, .bytes_per_cycle = Record, .endless = true, .buffer_bytes = 4 * Record};
  link_create(&l, &params, NULL, sizeof(uint32_t), Record);
  uint32_t taken = 0;
  for (uint32_t i = 0; i < 100; i++) {
    push(&l, i, i);
    if (i >= 3) {
      assert_int_equal(pop(&l, i), taken++);
    }
  }
  while (taken < 100) {
    assert_int_equal(pop(&l, 200), taken++);
  }
  // As much memory as records wait: it begins anew.
  push(&l, 201, 7);
  assert_int_equal(l.pushed, 1);
  assert_int_equal(pop(&l, 202), 7);
  link_destroy(&l);
}

int main(void) { return run_all_tests(NULL, NULL); }
