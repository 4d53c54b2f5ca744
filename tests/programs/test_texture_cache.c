// SPDX-License-Identifier: Apache-2.0
// The texture cache against a plain list, and the rules of the camera angle.
#include "csim/base/rng.h"
#include "csim/texture/texture_cache.h"
#include "tests/programs/test.h"

enum { Lines = 64, Ways = 4, Keys = 300 };

// One list of lines in the order of use, each with its place.
typedef struct {
  uint32_t key[Lines];
  int32_t index[Lines];
  bool locked[Lines];
  uint32_t count;
} list_t;

static uint32_t list_find(const list_t *l, uint32_t key) {
  uint32_t i = 0;
  while (i < l->count && l->key[i] != key) {
    i++;
  }
  return i;
}

static void list_drop(list_t *l, uint32_t i) {
  l->count--;
  memmove(&l->key[i], &l->key[i + 1], (l->count - i) * sizeof l->key[0]);
  memmove(&l->index[i], &l->index[i + 1], (l->count - i) * sizeof l->index[0]);
  memmove(&l->locked[i], &l->locked[i + 1], (l->count - i) * sizeof l->locked[0]);
}

static void list_add(list_t *l, uint32_t key, int32_t index, bool locked) {
  l->key[l->count] = key;
  l->index[l->count] = index;
  l->locked[l->count++] = locked;
}

static uint32_t list_locked(const list_t *l) {
  uint32_t locked = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    locked += l->locked[i];
  }
  return locked;
}

// Drops the line of a place that is taken anew: it was the oldest unlocked line of its set.
static void list_replace(list_t *l, int32_t index) {
  for (uint32_t i = 0; i < l->count; i++) {
    if (l->index[i] / Ways != index / Ways) {
      continue;
    }
    if (l->index[i] == index) {
      assert_false(l->locked[i]);
      list_drop(l, i);
      return;
    }
    // An older unlocked line stays only if the place was free.
    for (uint32_t k = i; !l->locked[i] && k < l->count; k++) {
      assert_int_not_equal(l->index[k], index);
    }
  }
}

TEST(test_replacement) {
  texture_cache_t c;
  list_t list = {.count = 0};
  rng_t rng;
  uint32_t full = 0, hits = 0;
  rng_seed(&rng, 1);
  assert_true(texture_cache_create(&c, Lines * 64 / 1024, Ways, false));
  assert_int_equal(c.sets, Lines / Ways);
  for (uint32_t n = 0; n < 200000; n++) {
    uint32_t key = (uint32_t)texture_cache_key(rng_below(&rng, Keys));
    uint32_t at = list_find(&list, key);
    int32_t index = texture_cache_find(&c, key);
    if (at < list.count) {
      bool locked = list.locked[at] != rng_chance(&rng, 300);
      assert_int_equal(index, list.index[at]);
      list_drop(&list, at);
      list_add(&list, key, index, locked);
      texture_cache_lock(&c, index, locked);
      hits++;
      continue;
    }
    assert_int_equal(index, TextureCacheNone);
    bool room = texture_cache_has_room(&c, key);
    index = texture_cache_insert(&c, key);
    assert_int_equal(room, index != TextureCacheNone);
    if (index == TextureCacheNone) {  // all ways of some set are locked
      assert_true(list_locked(&list) >= Ways);
      full++;
      continue;
    }
    list_replace(&list, index);
    list_add(&list, key, index, false);
  }
  assert_true(hits > 10000 && full > 100);
  texture_cache_clear(&c);
  for (uint32_t i = 0; i < list.count; i++) {
    assert_int_equal(texture_cache_find(&c, list.key[i]), TextureCacheNone);
  }
  texture_cache_destroy(&c);
}

// All lines of a cache hold different keys; rows of a large texture spread over the sets.
TEST(test_spread) {
  texture_cache_t c;
  assert_true(texture_cache_create(&c, 16, 16, false));
  uint32_t sets[16] = {0};
  for (uint32_t row = 0; row < 128; row++) {
    int32_t index = texture_cache_insert(&c, texture_cache_key(row * 256));
    sets[index / 16]++;
  }
  for (uint32_t i = 0; i < 16; i++) {
    assert_in_range(sets[i], 4, 16);
  }
  texture_cache_destroy(&c);
}

TEST(test_angles) {
  for (uint32_t reuse = 0; reuse <= 128; reuse++) {
    for (uint32_t stored = 0; stored < 128; stored++) {
      for (uint32_t asked = 0; asked < 128; asked++) {
        uint32_t difference = stored > asked ? stored - asked : asked - stored;
        assert_int_equal(texture_cache_admits((uint8_t)stored, (uint8_t)asked, reuse),
                         difference < reuse);
      }
    }
  }
}

// None comes into a locked place, whether the cache holds texels or not.
TEST(test_locked) {
  for (uint32_t filtered = 0; filtered < 2; filtered++) {
    texture_cache_t c;
    assert_true(texture_cache_create(&c, 1, 16, filtered));  // one set
    assert_int_equal(c.lines != NULL, filtered);
    for (uint32_t i = 0; i < 40; i++) {
      assert_int_not_equal(texture_cache_insert(&c, texture_cache_key(i)), TextureCacheNone);
    }
    for (uint32_t i = 40; i-- > 24;) {
      assert_int_not_equal(texture_cache_find(&c, texture_cache_key(i)), TextureCacheNone);
    }
    assert_int_equal(texture_cache_find(&c, texture_cache_key(23)), TextureCacheNone);
    for (int32_t i = 0; i < 16; i++) {
      texture_cache_lock(&c, i, true);
    }
    assert_int_equal(texture_cache_insert(&c, texture_cache_key(99)), TextureCacheNone);
    texture_cache_lock(&c, 7, false);
    assert_int_equal(texture_cache_insert(&c, texture_cache_key(99)), 7);
    texture_cache_destroy(&c);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
