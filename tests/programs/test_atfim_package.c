// SPDX-License-Identifier: Apache-2.0
// The published bit map of the package and the response for lines (docs/units/offload_unit.md).
#include "csim/base/rng.h"
#include "csim/units/atfim/package.h"
#include "tests/programs/test.h"

typedef struct {
  const char *name;
  unsigned at, width;  // bits of the words
} field_t;

static const field_t PackageFields[] = {
    {"flits", 7, 5},   {"id", 12, 11},     {"epoch", 24, 8},   {"descriptor", 32, 16},
    {"level", 48, 4},  {"reading", 52, 1}, {"extent", 53, 3},  {"along_y", 56, 1},
    {"slope", 57, 3},  {"tile_x", 64, 12}, {"tile_y", 76, 12}, {"angle", 88, 7},
    {"offset", 96, 28}};
enum { PackageFieldCount = sizeof PackageFields / sizeof *PackageFields };

static const field_t ResponseFields[] = {
    {"id", 12, 11}, {"epoch", 24, 8}, {"failed", 32, 16}, {"refused", 48, 1}};
enum { ResponseFieldCount = sizeof ResponseFields / sizeof *ResponseFields };

static uint32_t bits(const uint32_t *words, unsigned at, unsigned width) {
  uint32_t value = 0;
  for (unsigned i = 0; i < width; i++) {
    value |= (words[(at + i) / 32] >> (at + i) % 32 & 1u) << i;
  }
  return value;
}

// Sets one field by its number in the list above; more bits than it has are cut.
static void set_package(atfim_package_t *p, unsigned field, uint32_t value) {
  switch (field) {
    case 0: p->flits = (uint8_t)value; break;
    case 1: p->id = (uint16_t)value; break;
    case 2: p->epoch = (uint8_t)value; break;
    case 3: p->descriptor = (uint16_t)value; break;
    case 4: p->level = (uint8_t)value; break;
    case 5: p->reading = (uint8_t)value; break;
    case 6: p->extent = (uint8_t)value; break;
    case 7: p->along_y = value & 1u; break;
    case 8: p->slope = (int8_t)value; break;
    case 9: p->tile_x = (uint16_t)value; break;
    case 10: p->tile_y = (uint16_t)value; break;
    case 11: p->angle = (uint8_t)value; break;
    default: p->offset = value; break;
  }
}

static uint32_t package_field(const atfim_package_t *p, unsigned field) {
  const uint32_t of[PackageFieldCount] = {
      p->flits,   p->id,     p->epoch,   p->descriptor,           p->level,
      p->reading, p->extent, p->along_y, (uint32_t)p->slope & 7u, p->tile_x,
      p->tile_y,  p->angle,  p->offset};
  return of[field];
}

// Each field alone, every single bit of it, all of them, and more than it has room for: its place
// holds it, all else is 0, and it comes back.
TEST(test_package_fields) {
  uint32_t claimed[AtfimPackageWords] = {0x7f};  // the command
  for (unsigned f = 0; f < PackageFieldCount; f++) {
    const field_t *field = &PackageFields[f];
    uint32_t most = UINT32_MAX >> (32 - field->width);
    for (unsigned i = 0; i <= field->width + 1; i++) {
      uint32_t given = i < field->width ? 1u << i : i == field->width ? most : UINT32_MAX;
      uint32_t due = given & most, words[AtfimPackageWords];
      atfim_package_t p = {0}, q;
      set_package(&p, f, given);
      memset(words, 0xff, sizeof words);
      atfim_package_pack(&p, words);
      assert_int_equal(bits(words, 0, 7), 0x70);
      assert_int_equal(bits(words, field->at, field->width), due);
      words[0] &= ~0x7fu;
      unsigned ones = 0;
      for (unsigned w = 0; w < AtfimPackageWords; w++) {
        ones += (unsigned)__builtin_popcount(words[w]);
      }
      assert_int_equal(ones, __builtin_popcount(due));
      memset(&q, 0xff, sizeof q);
      atfim_package_unpack(words, &q);
      for (unsigned g = 0; g < PackageFieldCount; g++) {
        assert_int_equal(package_field(&q, g), g == f ? due : 0);
      }
    }
    for (unsigned i = field->at; i < field->at + field->width; i++) {  // nobody else's
      assert_int_equal(bits(claimed, i, 1), 0);
      claimed[i / 32] |= 1u << i % 32;
    }
  }
  // Bits of no field: one reserved bit of the header, 63:60, 95, 127:124.
  static const uint32_t fields[AtfimPackageWords] = {0xff7fffff, 0x0fffffff, 0x7fffffff,
                                                     0x0fffffff};
  assert_memory_equal(claimed, fields, sizeof claimed);
}

TEST(test_slope_signed) {
  for (int8_t slope = -4; slope < 4; slope++) {
    atfim_package_t p = {.slope = slope}, q;
    uint32_t words[AtfimPackageWords];
    atfim_package_pack(&p, words);
    atfim_package_unpack(words, &q);
    assert_int_equal(q.slope, slope);
  }
}

static void set_response(atfim_response_t *r, unsigned field, uint32_t value) {
  switch (field) {
    case 0: r->id = (uint16_t)value; break;
    case 1: r->epoch = (uint8_t)value; break;
    case 2: r->failed = (uint16_t)value; break;
    case 3: r->refused = value & 1u; break;
    default: r->texel[field - ResponseFieldCount] = value; break;
  }
}

static uint32_t response_field(const atfim_response_t *r, unsigned field) {
  const uint32_t of[ResponseFieldCount] = {r->id, r->epoch, r->failed, r->refused};
  return field < ResponseFieldCount ? of[field] : r->texel[field - ResponseFieldCount];
}

TEST(test_response_fields) {
  uint32_t claimed[AtfimResponseWords] = {0xfff};  // command and length
  for (unsigned f = 0; f < ResponseFieldCount + AtfimParents; f++) {
    field_t field = f < ResponseFieldCount
                        ? ResponseFields[f]
                        : (field_t){"texel", 64 + 32 * (f - ResponseFieldCount), 32};
    uint32_t most = UINT32_MAX >> (32 - field.width);
    for (unsigned i = 0; i <= field.width + 1; i++) {
      uint32_t given = i < field.width ? 1u << i : i == field.width ? most : UINT32_MAX;
      uint32_t due = given & most, words[AtfimResponseWords];
      atfim_response_t r = {0}, q;
      set_response(&r, f, given);
      memset(words, 0xff, sizeof words);
      atfim_response_pack(&r, words);
      assert_int_equal(bits(words, 0, 12), 0x71 | 5 << 7);
      assert_int_equal(bits(words, field.at, field.width), due);
      words[0] &= ~0xfffu;
      unsigned ones = 0;
      for (unsigned w = 0; w < AtfimResponseWords; w++) {
        ones += (unsigned)__builtin_popcount(words[w]);
      }
      assert_int_equal(ones, __builtin_popcount(due));
      atfim_response_unpack(words, &q);
      for (unsigned g = 0; g < ResponseFieldCount + AtfimParents; g++) {
        assert_int_equal(response_field(&q, g), g == f ? due : 0);
      }
    }
    for (unsigned i = field.at; i < field.at + field.width; i++) {
      assert_int_equal(bits(claimed, i, 1), 0);
      claimed[i / 32] |= 1u << i % 32;
    }
  }
  assert_int_equal(claimed[0], 0xff7fffff);
  assert_int_equal(claimed[1], 0x0001ffff);
}

// Unpacking and packing keep all bits of fields and clear all others.
TEST(test_round_trip) {
  static const uint32_t used[AtfimPackageWords] = {0xff7fff80, 0x0fffffff, 0x7fffffff, 0x0fffffff};
  rng_t rng;
  rng_seed(&rng, 1);
  for (unsigned n = 0; n < 1000; n++) {
    uint32_t a[AtfimResponseWords], b[AtfimResponseWords];
    for (unsigned i = 0; i < AtfimResponseWords; i++) {
      a[i] = (uint32_t)rng_u64(&rng);
    }
    atfim_package_t p;
    atfim_package_unpack(a, &p);
    atfim_package_pack(&p, b);
    for (unsigned i = 0; i < AtfimPackageWords; i++) {
      assert_int_equal(b[i], (a[i] & used[i]) | (i == 0 ? AtfimPackageCommand : 0));
    }
    atfim_response_t r;
    atfim_response_unpack(a, &r);
    atfim_response_pack(&r, b);
    assert_int_equal(b[0], (a[0] & 0xff7ff000) | AtfimResponseCommand | AtfimResponseFlits << 7);
    assert_int_equal(b[1], a[1] & 0x1ffff);
    assert_memory_equal(&b[2], &a[2], sizeof r.texel);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
