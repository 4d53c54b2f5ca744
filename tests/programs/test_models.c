// SPDX-License-Identifier: Apache-2.0
// The solver's last answers: which are found again, with products that are worked out, and which
// are forgotten.
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
      cmocka_unit_test_setup_teardown(requirements, begin, end),
      cmocka_unit_test_setup_teardown(oldest_goes, begin, end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
