// SPDX-License-Identifier: Apache-2.0
#include "bits.h"

#include <string.h>

void bits_constant(lit_t *bits, uint32_t width, uint64_t value) {
  for (uint32_t i = 0; i < width; i++) {
    bits[i] = i < 64 && (value >> i & 1) ? AigTrue : AigFalse;
  }
}

bool bits_is_constant(const lit_t *bits, uint32_t width) {
  for (uint32_t i = 0; i < width; i++) {
    if (bits[i] > AigTrue) {
      return false;
    }
  }
  return true;
}

uint64_t bits_number(const lit_t *bits, uint32_t width) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < width && i < 64; i++) {
    value |= (uint64_t)(bits[i] == AigTrue) << i;
  }
  return value;
}

void bits_add(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b, lit_t carry, lit_t *sum) {
  for (uint32_t i = 0; i < width; i++) {
    lit_t x = a[i], y = b[i], either = aig_xor(aig, x, y);
    sum[i] = aig_xor(aig, either, carry);
    carry = aig_or(aig, aig_and(aig, x, y), aig_and(aig, either, carry));
  }
}

void bits_subtract(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b, lit_t *difference) {
  lit_t inverted[BitsMost];
  for (uint32_t i = 0; i < width; i++) {
    inverted[i] = aig_not(b[i]);
  }
  bits_add(aig, width, a, inverted, AigTrue, difference);
}

void bits_negate(aig_t *aig, uint32_t width, const lit_t *a, lit_t *negative) {
  lit_t zero[BitsMost];
  bits_constant(zero, width, 0);
  bits_subtract(aig, width, zero, a, negative);
}

static uint32_t not_zero(uint32_t width, const lit_t *a) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < width; i++) {
    count += a[i] != AigFalse;
  }
  return count;
}

void bits_multiply(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b, lit_t *product) {
  lit_t part[BitsMost];
  const bool is_b_short = not_zero(width, b) <= not_zero(width, a);
  const lit_t *x = is_b_short ? a : b, *y = is_b_short ? b : a;
  bits_constant(product, width, 0);
  for (uint32_t k = 0; k < width; k++) {
    if (y[k] == AigFalse) {
      continue;
    }
    for (uint32_t i = 0; i < width; i++) {
      part[i] = i < k ? (lit_t)AigFalse : aig_and(aig, x[i - k], y[k]);
    }
    bits_add(aig, width, product, part, AigFalse, product);
  }
}

void bits_divide(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b, lit_t *quotient,
                 lit_t *rest) {
  lit_t left[BitsMost + 1], less[BitsMost + 1], divisor[BitsMost + 1];
  memcpy(divisor, b, width * sizeof *b);
  divisor[width] = AigFalse;
  bits_constant(left, width + 1, 0);
  // The rest is below the divisor: above its highest bit it is 0, which for one that is known keeps
  // the comparisons short.
  uint32_t used = width;
  while (used > 1 && divisor[used - 1] == AigFalse && bits_is_constant(b, width)) {
    used--;
  }
  for (uint32_t i = width; i-- > 0;) {
    memmove(left + 1, left, used * sizeof *left);
    left[0] = a[i];
    // Below any divisor but 0, which is ruled out elsewhere.
    if (not_zero(used + 1, left) == 0) {
      quotient[i] = AigFalse;
      continue;
    }
    lit_t is_below = bits_below(aig, used + 1, left, divisor);
    quotient[i] = aig_not(is_below);
    bits_subtract(aig, used + 1, left, divisor, less);
    bits_mux(aig, used + 1, is_below, left, less, left);
  }
  bits_constant(rest, width, 0);
  memcpy(rest, left, used * sizeof *rest);
}

void bits_mux(aig_t *aig, uint32_t width, lit_t condition, const lit_t *then,
              const lit_t *otherwise, lit_t *result) {
  for (uint32_t i = 0; i < width; i++) {
    result[i] = aig_mux(aig, condition, then[i], otherwise[i]);
  }
}

lit_t bits_below(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b) {
  lit_t below = AigFalse;
  for (uint32_t i = 0; i < width; i++) {
    below = aig_mux(aig, aig_xor(aig, a[i], b[i]), b[i], below);
  }
  return below;
}

lit_t bits_equal(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b) {
  lit_t equal = AigTrue;
  for (uint32_t i = 0; i < width && equal != AigFalse; i++) {
    equal = aig_and(aig, equal, aig_not(aig_xor(aig, a[i], b[i])));
  }
  return equal;
}

lit_t bits_is(aig_t *aig, uint32_t width, const lit_t *a, uint64_t value) {
  lit_t equal = AigTrue;
  for (uint32_t i = 0; i < width; i++) {
    bool bit = value >> i & 1;
    if (a[i] == (lit_t)!bit) {
      return AigFalse;
    }
  }
  for (uint32_t i = 0; i < width; i++) {
    equal = aig_and(aig, equal, a[i] ^ (lit_t) !(value >> i & 1));
  }
  return equal;
}

void bits_shift(aig_t *aig, shift_e kind, uint32_t width, const lit_t *a, uint32_t amount_width,
                const lit_t *amount, lit_t *result) {
  lit_t moved[BitsMost];
  const lit_t fill = kind == ShiftArithmetic ? a[width - 1] : (lit_t)AigFalse;
  memcpy(result, a, width * sizeof *a);
  for (uint32_t k = 0; k < amount_width; k++) {
    const uint64_t by = k < 16 ? 1u << k : BitsMost;
    for (uint64_t i = 0; i < width; i++) {
      if (kind == ShiftLeft) {
        moved[i] = i >= by ? result[i - by] : (lit_t)AigFalse;
      } else {
        moved[i] = i + by < width ? result[i + by] : fill;
      }
    }
    bits_mux(aig, width, amount[k], moved, result, result);
  }
}
