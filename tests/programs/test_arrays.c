// SPDX-License-Identifier: Apache-2.0
// Loads and stores of arrays (tb/prove/arrays.h) beside those of a memory of which every word is
// written down.
#include "tb/prove/arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "csim/base/rng.h"

enum { Words = 5, Width = 3, IndexBits = 3, Stores = 6, Runs = 2000, MostNodes = 1 << 16 };

// A store as both have it; what it is under the values of a run.
typedef struct {
  lit_t when, index[IndexBits], word[Width];
  bool is_range;
  uint32_t first, end;
} given_t;

typedef struct {
  aig_t *aig;
  arena_t *arena;
  arrays_t *arrays;
  uint32_t array;
  uint8_t value[MostNodes];
  uint8_t memory[Words];
} test_t;

static void variables(aig_t *aig, uint32_t count, lit_t *bits) {
  for (uint32_t i = 0; i < count; i++) {
    bits[i] = aig_variable(aig);
  }
}

static uint32_t number(const test_t *t, const lit_t *bits, uint32_t count) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++) {
    n |= (uint32_t)aig_value(t->value, bits[i]) << i;
  }
  return n;
}

static void begin(test_t *t, const lit_t *made) {
  memset(t, 0, sizeof *t);
  t->aig = aig_create();
  t->arena = arena_create();
  t->arrays = arrays_create(t->aig, t->arena);
  t->array = arrays_add(t->arrays, "table", Words, Width, made);
}

static void end(test_t *t) {
  arrays_destroy(t->arrays);
  arena_destroy(t->arena);
  aig_destroy(t->aig);
}

// Values of all variables; what loads ask the memory before is what it holds.
static void draw(test_t *t, rng_t *rng) {
  uint32_t count;
  const lookup_t *asked = arrays_asked(t->arrays, &count);
  assert_true(aig_count(t->aig) <= MostNodes);
  for (uint32_t i = 0; i < aig_count(t->aig); i++) {
    t->value[i] = i > 0 && rng_below(rng, 2);
  }
  for (uint32_t w = 0; w < Words; w++) {
    t->memory[w] = (uint8_t)rng_below(rng, 1 << Width);
  }
  for (uint32_t i = 0; i < count; i++) {
    aig_evaluate(t->aig, t->value);
    const uint32_t place = number(t, asked[i].index, IndexBits);
    for (uint32_t b = 0; b < Width; b++) {
      if (asked[i].word[b] > AigTrue) {
        t->value[asked[i].word[b] / 2] = place < Words && t->memory[place] >> b & 1;
      }
    }
  }
  aig_evaluate(t->aig, t->value);
}

static const store_t *put(test_t *t, const store_t *stores, const given_t *g) {
  const store_t s = {NULL,
                     g->when,
                     g->is_range ? NULL : g->index,
                     g->is_range ? g->first : 0,
                     g->is_range ? g->end : 0,
                     g->word};
  return arrays_store(t->arrays, stores, &s);
}

// Brings the memory behind the stores.
static void run_stores(test_t *t, const given_t *given) {
  for (uint32_t i = 0; i < Stores; i++) {
    const given_t *g = &given[i];
    const uint32_t place = number(t, g->index, IndexBits);
    for (uint32_t w = 0; w < Words; w++) {
      const bool hit = g->is_range ? w >= g->first && w < g->end : w == place;
      if (aig_value(t->value, g->when) && hit) {
        t->memory[w] = (uint8_t)number(t, g->word, Width);
      }
    }
  }
}

static void loads(void **state) {
  static test_t t;
  static given_t given[Stores];
  rng_t rng;
  lit_t index[2][IndexBits], word[2][Width];
  const store_t *stores = NULL;
  (void)state;
  rng_seed(&rng, 1);
  begin(&t, NULL);
  for (uint32_t i = 0; i < Stores; i++) {
    given_t *g = &given[i];
    g->when = i == 2 ? (lit_t)AigTrue : aig_variable(t.aig);
    g->is_range = i == 1 || i == 4;
    g->first = i == 1 ? 1 : 0;
    g->end = i == 1 ? 4 : Words;
    variables(t.aig, IndexBits, g->index);
    variables(t.aig, Width, g->word);
    stores = put(&t, stores, g);
  }
  for (uint32_t k = 0; k < 2; k++) {
    variables(t.aig, IndexBits, index[k]);
    arrays_load(t.arrays, t.array, stores, index[k], word[k]);
  }
  const lit_t known = arrays_known(t.arrays);
  for (uint32_t run = 0; run < Runs; run++) {
    draw(&t, &rng);
    assert_true(aig_value(t.value, known));
    run_stores(&t, given);
    for (uint32_t k = 0; k < 2; k++) {
      const uint32_t place = number(&t, index[k], IndexBits);
      assert_true(place >= Words || number(&t, word[k], Width) == t.memory[place]);
    }
  }
  end(&t);
}

// A place has one word, and one question is asked once.
static void one_word(void **state) {
  static test_t t;
  lit_t index[2][IndexBits], word[3][Width];
  uint32_t count;
  (void)state;
  begin(&t, NULL);
  for (uint32_t k = 0; k < 2; k++) {
    variables(t.aig, IndexBits, index[k]);
    arrays_load(t.arrays, t.array, NULL, index[k], word[k]);
  }
  arrays_load(t.arrays, t.array, NULL, index[0], word[2]);
  assert_memory_equal(word[0], word[2], sizeof word[0]);
  arrays_asked(t.arrays, &count);
  assert_int_equal(count, 2);
  const lit_t known = arrays_known(t.arrays);
  t.value[word[1][0] / 2] = 1;
  aig_evaluate(t.aig, t.value);
  assert_false(aig_value(t.value, known));
  t.value[index[1][2] / 2] = 1;
  aig_evaluate(t.aig, t.value);
  assert_true(aig_value(t.value, known));
  end(&t);
}

// A bit is what it was made with until a store leaves something else.
static void varies(void **state) {
  static test_t t;
  static const lit_t Made[Width] = {AigFalse, AigTrue, AigFalse};
  lit_t index[IndexBits], word[Width], stored[Width] = {AigFalse, AigTrue, AigFalse};
  (void)state;
  begin(&t, Made);
  variables(t.aig, IndexBits, index);
  const store_t *made = arrays_made(t.arrays, t.array);
  arrays_load(t.arrays, t.array, NULL, index, word);
  assert_memory_equal(word, Made, sizeof Made);
  store_t s = {NULL, aig_variable(t.aig), index, 0, 0, stored};
  assert_int_equal(arrays_vary(t.arrays, t.array, arrays_store(t.arrays, NULL, &s)), 0);
  stored[1] = aig_variable(t.aig);
  assert_int_equal(arrays_vary(t.arrays, t.array, arrays_store(t.arrays, NULL, &s)), 1);
  arrays_load(t.arrays, t.array, NULL, index, word);
  assert_true(word[0] == AigFalse && word[1] > AigTrue && word[2] == AigFalse);
  arrays_load(t.arrays, t.array, made, index, word);
  assert_memory_equal(word, Made, sizeof Made);
  end(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loads), cmocka_unit_test(one_word),
                                     cmocka_unit_test(varies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
