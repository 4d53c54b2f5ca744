// SPDX-License-Identifier: Apache-2.0
// Packed arrays as they cross to the simulator, against one bit at a time.
#include "csim/base/rng.h"
#include "dpi/dpi_bits.h"
#include "tests/programs/test.h"

enum { MaxCount = 65 };

static void one_shape(rng_t *rng, uint32_t bytes, uint32_t bits, uint32_t count) {
  uint8_t elements[8 * MaxCount] = {0}, back[8 * MaxCount] = {0};
  uint32_t words[2 * MaxCount + 2];
  const uint32_t used = (bits * count + 31) / 32;
  const uint64_t mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t value = rng_u64(rng) & mask;
    memcpy(elements + i * bytes, &value, bytes);
  }
  memset(words, 0xa5, sizeof words);
  dpi_pack(words, elements, bytes, bits, count);
  assert_int_equal(words[used], 0xa5a5a5a5u);
  for (uint32_t b = 0; b < 32 * used; b++) {
    uint64_t value = 0;
    memcpy(&value, elements + b / bits % count * bytes, bytes);
    const uint32_t expected = b < bits * count ? value >> b % bits & 1 : 0;
    assert_int_equal(words[b / 32] >> b % 32 & 1, expected);
  }
  words[used] = 0xa5a5a5a5u;
  dpi_unpack(words, back, bytes, bits, count);
  assert_memory_equal(back, elements, sizeof back);
}

TEST(every_width) {
  rng_t rng;
  rng_seed(&rng, 1);
  for (uint32_t bits = 1; bits <= 64; bits++) {
    const uint32_t bytes = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    for (uint32_t count = 1; count < MaxCount; count++) {
      one_shape(&rng, bytes, bits, count);
    }
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
