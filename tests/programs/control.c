// SPDX-License-Identifier: Apache-2.0
// Blocks to which control comes for sure, and blocks that look so (fork in tb/prove/flow.h).
// Functions of three words, for prove_instructions. What they write is volatile, so that clang
// leaves branches as they are.
#include <stdint.h>

enum { Turns = 4 };

// A turn that is cut short comes to the next one, not to its end.
uint64_t cut_short(uint64_t a, uint64_t b, uint64_t c) {
  volatile uint64_t sum = c;
  for (uint32_t i = 0; i < Turns; i++) {
    if (a >> i & 1) {
      continue;
    }
    sum += b >> i;
    if (b >> i & 1) {
      sum ^= a;
    }
    sum += i;
  }
  return sum;
}

uint64_t begins_again(uint64_t a, uint64_t b, uint64_t c) {
  volatile uint64_t sum = c;
  uint32_t i = 0;
  while (i < Turns) {
    i++;
    if (a >> i & 1) {
      sum ^= b;
    } else {
      continue;
    }
    sum += b >> i;
  }
  return sum;
}

// A loop that ends early, and what comes behind it either way.
uint64_t ends_early(uint64_t a, uint64_t b, uint64_t c) {
  volatile uint64_t sum = a;
  if (c & 1) {
    uint32_t i = 0;
    for (; i < Turns; i++) {
      sum += i;
      if (a >> i & 1) {
        sum ^= b;
        break;
      }
      sum += c;
    }
    sum = sum * 2 + i;
  }
  sum += b;
  return sum;
}

// The inner loop leaves the outer one, goes on with it, or ends.
uint64_t leaves_both(uint64_t a, uint64_t b, uint64_t c) {
  volatile uint64_t sum = 0;
  for (uint32_t i = 0; i < Turns; i++) {
    for (uint32_t k = 0; k < Turns; k++) {
      const uint64_t what = a >> (i * Turns + k) & 3;
      if (what == 1 && (b >> k & 1)) {
        goto next;
      }
      if (what == 2 && (c >> i & 1)) {
        goto end;
      }
      sum += b + k;
    }
    sum ^= c << i;
  next:
    sum += i;
  }
  sum += 1;
end:
  sum *= 3;
  return sum;
}

// Several ways out of a function, and two ways that meet before the last.
uint64_t returns_early(uint64_t a, uint64_t b, uint64_t c) {
  volatile uint64_t sum = a;
  if (b & 1) {
    sum += c;
    if (c & 2) {
      return sum;
    }
  } else if (b & 2) {
    sum ^= c;
  }
  sum += b;
  switch (c & 7) {
    case 0: sum += 1; break;
    case 1: sum += 2; return sum * 5;
    case 2: sum += 3;  // and falls through
    case 3: sum += 4; break;
    default: sum += 5; break;
  }
  sum ^= b << 3;
  return sum;
}
