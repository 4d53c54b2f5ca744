// SPDX-License-Identifier: Apache-2.0
// The published bit map of A-TFIM's package and response.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "csim/base/rng.h"
#include "csim/unit/atfim_package.h"

static uint32_t bits(const uint32_t *words, unsigned at, unsigned width) {
  uint32_t value = 0;
  for (unsigned i = 0; i < width; i++) {
    value |= (words[(at + i) / 32] >> (at + i) % 32 & 1u) << i;
  }
  return value;
}

static void test_package_bits(void **state) {
  (void)state;
  const atfim_package_t p = {
    .id = 0x5a3, .epoch = 0xc7, .descriptor = 0xbeef, .level = 9, .ratio = 16, .angle = 0x55,
    .mask = 0xa6, .step_x = -300, .step_y = 511, .x = {-1, 77}, .y = {1000, -16},
    .offset = {0x0abcdef1, 0x1234567}, .dx = {0, 1, 0, -8, 7}, .dy = {0, 0, 1, 7, -8, 0, 0, -1},
  };
  uint32_t w[AtfimPackageWords];
  atfim_package_pack(&p, w);
  assert_int_equal(bits(w, 0, 7), 0x70);
  assert_int_equal(bits(w, 7, 5), 4);
  assert_int_equal(bits(w, 12, 11), 0x5a3);
  assert_int_equal(bits(w, 24, 8), 0xc7);
  assert_int_equal(bits(w, 32, 16), 0xbeef);
  assert_int_equal(bits(w, 48, 4), 15);
  assert_int_equal(bits(w, 52, 4), 9);
  assert_int_equal(bits(w, 56, 7), 0x55);
  assert_int_equal(bits(w, 64, 8), 0xa6);
  assert_int_equal(bits(w, 80, 16), 65536 - 300);
  assert_int_equal(bits(w, 96, 16), 511);
  assert_int_equal(bits(w, 128, 16), 0xffff);
  assert_int_equal(bits(w, 144, 16), 1000);
  assert_int_equal(bits(w, 160, 16), 77);
  assert_int_equal(bits(w, 176, 16), 0xfff0);
  assert_int_equal(bits(w, 192, 28), 0x0abcdef1);
  assert_int_equal(bits(w, 224, 28), 0x1234567);
  assert_int_equal(bits(w, 256 + 8 * 3, 8), 0x78);
  assert_int_equal(bits(w, 256 + 8 * 4, 8), 0x87);
  assert_int_equal(bits(w, 256 + 8 * 7, 8), 0xf0);
  atfim_package_t q;
  atfim_package_unpack(w, &q);
  assert_int_equal(q.ratio, 16);
  assert_int_equal(q.step_x, -300);
  assert_int_equal(q.x[0], -1);
  assert_int_equal(q.y[1], -16);
  assert_int_equal(q.dx[3], -8);
  assert_int_equal(q.dy[7], -1);
  assert_int_equal(q.level, 9);
  assert_int_equal(q.angle, 0x55);
}

static void test_response_bits(void **state) {
  (void)state;
  const atfim_response_t r = {
    .id = 0x7ff, .epoch = 3, .mask = 0xf1, .failed = 0x10, .refused = true,
    .texel = {0x11223344, 0, 0, 0, 0, 0, 0, 0xdeadbeef},
  };
  uint32_t w[AtfimResponseWords];
  atfim_response_pack(&r, w);
  assert_int_equal(bits(w, 0, 7), 0x71);
  assert_int_equal(bits(w, 7, 5), 5);
  assert_int_equal(bits(w, 12, 11), 0x7ff);
  assert_int_equal(bits(w, 24, 8), 3);
  assert_int_equal(bits(w, 32, 8), 0xf1);
  assert_int_equal(bits(w, 40, 8), 0x10);
  assert_int_equal(bits(w, 48, 1), 1);
  assert_int_equal(bits(w, 64, 32), 0x11223344);
  assert_int_equal(bits(w, 64 + 32 * 7, 32), 0xdeadbeef);
}

// What is unpacked and packed again is the same in all used bits.
static void test_round_trip(void **state) {
  (void)state;
  rng_t rng;
  rng_seed(&rng, 1);
  for (unsigned n = 0; n < 1000; n++) {
    uint32_t a[AtfimPackageWords], b[AtfimPackageWords], c[AtfimPackageWords];
    for (unsigned i = 0; i < AtfimPackageWords; i++) {
      a[i] = (uint32_t)rng_u64(&rng);
    }
    atfim_package_t p, q;
    memset(&p, 0, sizeof p);
    memset(&q, 0, sizeof q);
    atfim_package_unpack(a, &p);
    atfim_package_pack(&p, b);
    atfim_package_unpack(b, &q);
    atfim_package_pack(&q, c);
    assert_memory_equal(b, c, sizeof b);
    assert_memory_equal(&p, &q, sizeof p);
    const uint32_t used[AtfimPackageWords] = {
      0xff7ff000, 0x7fffffff, 0xffff00ff, 0x0000ffff, 0xffffffff, 0xffffffff, 0x0fffffff,
      0x0fffffff, 0xffffffff, 0xffffffff,
    };
    for (unsigned i = 0; i < AtfimPackageWords; i++) {
      assert_int_equal((a[i] ^ b[i]) & used[i], 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_package_bits),
    cmocka_unit_test(test_response_bits),
    cmocka_unit_test(test_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
