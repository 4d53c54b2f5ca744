// SPDX-License-Identifier: Apache-2.0
// The solver's last answers: which are found again, with products that are worked out, and which
// are forgotten. What the solver is told of products is true of all that are products.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tb/prove/bits.h"
#include "tb/prove/models.h"

enum { Bits = 8, Width = 2 * Bits, Kept = 64 };  // of a word; of a product; models

// Stands in for the solver: one requirement.
struct cnf {
  lit_t required[1];
  uint32_t count;
};
const lit_t *cnf_required(const cnf_t *cnf, uint32_t *count) {
  *count = cnf->count;
  return cnf->required;
}
bool cnf_allows(const cnf_t *cnf, const uint8_t *value) {
  return cnf->count == 0 || aig_value(value, cnf->required[0]);
}
bool cnf_knows(const cnf_t *cnf, lit_t l) { return cnf && l; }
void cnf_require(cnf_t *cnf, lit_t l) { cnf->required[0] = l; }

static aig_t *aig;
static products_t *products;
static struct cnf cnf;
static models_t *models;
static lit_t a[Width], b[Width];

static int begin(void **state) {
  (void)state;
  aig = aig_create();
  products = products_create(aig);
  products_open(products, 6);
  cnf = (struct cnf){0};
  bits_constant(a, Width, 0);
  bits_constant(b, Width, 0);
  for (uint32_t i = 0; i < Bits; i++) {
    a[i] = aig_variable(aig);
    b[i] = aig_variable(aig);
  }
  models = models_create(aig, products, &cnf);
  return 0;
}

static int end(void **state) {
  (void)state;
  models_destroy(models);
  products_destroy(products);
  aig_destroy(aig);
  return 0;
}

static lit_t is(const lit_t *word, uint32_t number) {
  lit_t constant[Width];
  bits_constant(constant, Width, number);
  return bits_equal(aig, Width, word, constant);
}

// The values of all nodes under these two words.
static uint8_t *values(uint32_t x, uint32_t y) {
  uint8_t *value = test_calloc(aig_count(aig), 1);
  for (uint32_t i = 0; i < Bits; i++) {
    value[a[i] / 2] = x >> i & 1;
    value[b[i] / 2] = y >> i & 1;
  }
  products_evaluate(products, value);
  return value;
}

static void add(uint32_t x, uint32_t y) {
  uint8_t *value = values(x, y);
  models_add(models, value);
  test_free(value);
}

static bool finds(lit_t l) {
  uint8_t *value = models_find(models, l);
  const bool found = value != NULL;
  assert_true(!found || aig_value(value, l));
  free(value);
  return found;
}

// Products of products, older and newer than a model.
static void products_have_values(void **state) {
  lit_t first[Width], second[Width], third[Width];
  (void)state;
  products_multiply(products, Width, a, b, first);
  products_multiply(products, Width, first, a, second);
  uint8_t *value = values(13, 7);
  assert_true(aig_value(value, first[0]) && products_are(products, value));
  models_add(models, value);
  test_free(value);
  add(200, 3);
  products_multiply(products, Width, second, b, third);
  assert_true(finds(is(first, 13 * 7)));
  assert_true(finds(is(second, 13 * 7 * 13)));
  assert_true(finds(is(third, 13 * 7 * 13 * 7)));
  assert_true(finds(aig_and(aig, is(third, 200 * 3 * 200 * 3 % 65536), is(a, 200))));
  assert_false(finds(is(first, 13 * 7 + 1)));
  assert_false(finds(aig_and(aig, is(a, 13), is(b, 3))));
}

static void no_product(void **state) {
  lit_t product[Width];
  (void)state;
  products_multiply(products, Width, a, b, product);
  uint8_t *value = values(13, 7);
  value[product[1] / 2] ^= 1;
  assert_false(products_are(products, value));
  models_add(models, value);
  test_free(value);
  assert_false(finds(is(a, 13)));
}

// Two products of words, and values that their words and results may have.
typedef struct {
  uint32_t words[4], results[2];
} pair_t;

static lit_t words[4][Width], results[2][Width];

static void put(uint8_t *value, const lit_t *word, uint32_t number) {
  for (uint32_t i = 0; i < Width; i++) {
    if (word[i] > AigTrue) {
      value[word[i] / 2] = number >> i & 1;
    }
  }
}

// The values of all nodes; with multiplied, the results are what the words' products are.
static uint8_t *values_of(const pair_t *p, bool multiplied) {
  uint8_t *value = test_calloc(aig_count(aig), 1);
  for (uint32_t w = 0; w < 4; w++) {
    put(value, words[w], p->words[w]);
  }
  if (multiplied) {
    products_evaluate(products, value);
  } else {
    put(value, results[0], p->results[0]);
    put(value, results[1], p->results[1]);
    aig_evaluate(aig, value);
  }
  return value;
}

static bool is_told(const pair_t *p) {
  uint8_t *value = values_of(p, false);
  const bool told = products_contradict(products, &cnf, value);
  test_free(value);
  return told;
}

static bool allows(const pair_t *p, bool multiplied) {
  uint8_t *value = values_of(p, multiplied);
  const bool ok = aig_value(value, cnf.required[0]);
  test_free(value);
  return ok;
}

// Each of these is wrong in one way only: equal words, in either order; larger words, in either
// order; a word that is a power of two, or below one; and the last ones by 1.
static const pair_t Wrong[] = {
    {{13, 7, 13, 7}, {91, 92}},     {{13, 7, 7, 13}, {92, 91}},
    {{10, 20, 11, 21}, {240, 235}}, {{10, 20, 21, 11}, {240, 235}},
    {{11, 21, 10, 20}, {200, 236}}, {{11, 21, 20, 10}, {235, 240}},
    {{5, 16, 200, 1}, {81, 200}},   {{16, 5, 200, 1}, {81, 200}},
    {{100, 13, 1, 1}, {1601, 1}},   {{255, 128, 0, 9}, {32641, 0}},
    {{255, 1, 0, 9}, {256, 0}},     {{127, 255, 126, 255}, {32384, 32385}},
};

static void only_what_is_true(void **state) {
  static const uint32_t Numbers[] = {0, 1, 2, 5, 10, 13, 16, 17, 127, 128, 255};
  enum { Count = sizeof Numbers / sizeof *Numbers };
  (void)state;
  for (uint32_t w = 0; w < 4; w++) {
    bits_constant(words[w], Width, 0);
    for (uint32_t i = 0; i < Bits; i++) {
      words[w][i] = aig_variable(aig);
    }
  }
  products_multiply(products, Width, words[0], words[1], results[0]);
  products_multiply(products, Width, words[2], words[3], results[1]);
  assert_false(is_told(&(pair_t){{13, 7, 100, 200}, {91, 20000}}));
  for (uint32_t i = 0; i < sizeof Wrong / sizeof *Wrong; i++) {
    assert_true(is_told(&Wrong[i]));
    assert_false(allows(&Wrong[i], false));
    for (uint32_t k = 0; k < Count * Count * Count * Count; k++) {
      const pair_t real = {{Numbers[k % Count], Numbers[k / Count % Count],
                            Numbers[k / Count / Count % Count], Numbers[k / Count / Count / Count]},
                           {0}};
      assert_true(allows(&real, true));
    }
  }
}

static void requirements(void **state) {
  (void)state;
  add(1, 2);
  add(2, 2);
  assert_true(finds(is(a, 1)) && finds(is(a, 2)));
  cnf.required[0] = is(a, 2);
  cnf.count = 1;
  assert_false(finds(is(a, 1)));
  assert_true(finds(is(a, 2)));
  add(3, 2);
  assert_false(finds(is(a, 3)));
}

static void oldest_goes(void **state) {
  (void)state;
  for (uint32_t i = 0; i <= Kept; i++) {
    add(i, 0);
  }
  assert_false(finds(is(a, 0)));
  assert_true(finds(is(a, 1)) && finds(is(a, Kept)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(products_have_values, begin, end),
      cmocka_unit_test_setup_teardown(no_product, begin, end),
      cmocka_unit_test_setup_teardown(only_what_is_true, begin, end),
      cmocka_unit_test_setup_teardown(requirements, begin, end),
      cmocka_unit_test_setup_teardown(oldest_goes, begin, end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
