// SPDX-License-Identifier: Apache-2.0
#include "reel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/rng.h"
#include "fault.h"

static void unpack(uint8_t *bits, uint32_t count, const char *digits) {
  const uint32_t nibbles = (count + 3) / 4;
  for (uint32_t i = 0; i < count; i++) {
    const char c = digits[nibbles - 1 - i / 4];
    bits[i] = (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10) >> i % 4 & 1;
  }
}

void reel_read(reel_t *r, const char *path, const char *head, uint32_t in_bits, uint32_t out_bits) {
  const uint32_t out = (out_bits + 3) / 4, digits = 1 + out + (in_bits + 3) / 4;
  FILE *f = fopen(path, "r");
  char *line = NULL;
  size_t room = 0;
  if (!f) {
    fault(FaultUsage, "%s: %s", path, strerror(errno));
  }
  *r = (reel_t){.path = strdup(path), .in_bits = in_bits, .out_bits = out_bits};
  if (getline(&line, &room, f) <= 0 || strncmp(line, head, strlen(head)) != 0 ||
      strcmp(line + strlen(head), "\n") != 0) {
    fault(FaultUsage, "%s:1:1: expected vectors of %s", path, head);
  }
  for (uint32_t room_of = 0; getline(&line, &room, f) > 0; r->cycles++) {
    if (strspn(line, "0123456789abcdef") != digits) {
      fault(FaultUsage, "%s:%u:1: expected %u hexadecimal digits", path, r->cycles + 2, digits);
    }
    if (r->cycles == room_of) {
      room_of = room_of ? 2 * room_of : 256;
      r->reset = fault_realloc(r->reset, room_of, 1);
      r->in = fault_realloc(r->in, room_of, in_bits);
      r->out = fault_realloc(r->out, room_of, out_bits);
    }
    r->reset[r->cycles] = line[0] != '0';
    unpack(r->out + (size_t)r->cycles * out_bits, out_bits, line + 1);
    unpack(r->in + (size_t)r->cycles * in_bits, in_bits, line + 1 + out);
  }
  free(line);
  fclose(f);
}

void reel_free(reel_t *r) {
  free(r->path);
  free(r->reset);
  free(r->in);
  free(r->out);
}

static void put_number(FILE *f, const uint8_t *bits, uint32_t count) {
  for (uint32_t n = (count + 3) / 4; n-- > 0;) {
    uint32_t digit = 0;
    for (uint32_t b = 0; b < 4 && 4 * n + b < count; b++) {
      digit |= (uint32_t)bits[4 * n + b] << b;
    }
    fputc("0123456789abcdef"[digit], f);
  }
}

void reel_create(reel_t *r, uint32_t cycles, uint32_t in_bits, uint32_t out_bits) {
  *r = (reel_t){.cycles = cycles, .in_bits = in_bits, .out_bits = out_bits};
  r->reset = fault_calloc(cycles, 1);
  r->in = fault_calloc(cycles, in_bits + 1);
  r->out = fault_calloc(cycles, out_bits + 1);
}

bool reel_write(const reel_t *r, const char *head) {
  FILE *f = fopen(r->path, "w");
  if (!f) {
    return false;
  }
  fprintf(f, "%s\n", head);
  for (uint32_t c = 0; c < r->cycles; c++) {
    fputc('0' + r->reset[c], f);
    put_number(f, r->out + (size_t)c * r->out_bits, r->out_bits);
    put_number(f, r->in + (size_t)c * r->in_bits, r->in_bits);
    fputc('\n', f);
  }
  const bool is_written = !ferror(f);
  return fclose(f) == 0 && is_written;
}

enum {
  ResetOften = 16,  // a thousand cycles
  ResetSeldom = 2,
  ShortRun = 1000,  // cycles
  LongRun = 10000,  // of runs as long; without resets where they are seldom, for counters to fill
  ShakeLeast = 30,
  ShakeMost = 500,
  MostFlips = 4,
  MostDrawn = 64
};

// Neighbouring bits, drawn anew: a word that no run has.
static void draw_word(rng_t *rng, uint8_t *bits, uint32_t in) {
  const uint32_t first = rng_below(rng, in), most = in - first < MostDrawn ? in - first : MostDrawn;
  uint64_t word = rng_u64(rng);
  for (uint32_t k = 1 + rng_below(rng, most); k > 0; k--, word >>= 1) {
    bits[first + k - 1] = word & 1;
  }
}

// In a share of the cycles inputs of another cycle, or some bits that differ: single ones or a
// word.
void reel_shake(reel_t *r, const char *path, const reel_t *from, uint64_t seed) {
  const bool is_long = from->cycles >= LongRun;
  const uint32_t cycles = is_long ? LongRun : ShortRun;
  rng_t rng;
  rng_seed(&rng, seed);
  const uint32_t in = from->in_bits, shaken = seed % 2 ? ShakeLeast : ShakeMost;
  const uint32_t resets = seed / 2 % 2 ? ResetOften : is_long ? 0 : ResetSeldom;
  const bool has_words = seed / 4 % 2;
  reel_create(r, cycles, in, from->out_bits);
  r->path = strdup(path);
  uint32_t at = rng_below(&rng, from->cycles);
  for (uint32_t c = 0; c < cycles; c++, at = (at + 1) % from->cycles) {
    uint8_t *bits = r->in + (size_t)c * in;
    r->reset[c] = c == 0 || from->reset[at] || rng_chance(&rng, resets);
    const bool jumps = rng_chance(&rng, shaken), flips = rng_chance(&rng, shaken);
    memcpy(bits, from->in + (size_t)(jumps ? rng_below(&rng, from->cycles) : at) * in, in);
    if (flips && has_words) {
      draw_word(&rng, bits, in);
    }
    for (uint32_t k = flips && !has_words ? 1 + rng_below(&rng, MostFlips) : 0; k > 0; k--) {
      bits[rng_below(&rng, in)] ^= 1;
    }
  }
}
