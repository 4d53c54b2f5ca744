// SPDX-License-Identifier: Apache-2.0
// Damaged input for readers: a random change of some bytes, or of a text, in place. Seeded, so
// that a finding is a seed and a number. A test makes a mutate_t with room to grow, and for each
// number n copies the sound input into it, seeds the generator with mutate_seed(seed, n), and
// changes it once or a few times.
#ifndef NOCTURNE_TESTS_UNIT_MUTATE_H
#define NOCTURNE_TESTS_UNIT_MUTATE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "csim/base/rng.h"

typedef struct {
  uint8_t *data;
  size_t size, room;
} mutate_t;

static inline uint64_t mutate_seed(uint64_t seed, uint64_t n) {
  return (seed << 32 ^ n) * 0x9e3779b97f4a7c15u;
}

// "COUNT [SEED [FIRST]]" of a test's command line: mutations FIRST .. FIRST + COUNT - 1 of a seed.
typedef struct {
  uint64_t count, seed, first;
} mutate_range_t;

static inline mutate_range_t mutate_range(int argc, char **argv, uint64_t count) {
  mutate_range_t r = {.count = count, .seed = 1};
  uint64_t *const fields[] = {&r.count, &r.seed, &r.first};
  for (int i = 1; i < argc && i <= 3; i++) {
    *fields[i - 1] = strtoull(argv[i], NULL, 10);
  }
  return r;
}

// Notes what is wrong; returns false.
__attribute__((format(printf, 3, 4))) static inline bool mutate_wrong(char *why, size_t room,
                                                                      const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(why, room, format, list);
  va_end(list);
  return false;
}

// Bytes of memory that this process has held at most.
static inline uint64_t mutate_peak_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * (uint64_t)usage.ru_maxrss;
}

// A number that programs get wrong: near a power of two, a small one, or any.
static inline uint32_t mutate_number(rng_t *rng) {
  switch (rng_below(rng, 4)) {
    case 0: return (1u << rng_below(rng, 32)) + rng_below(rng, 3) - 1;
    case 1: return rng_below(rng, 20);
    case 2: return 0u - rng_below(rng, 20);
    default: return (uint32_t)rng_u64(rng);
  }
}

// Puts `size` bytes in place of `old` bytes at `at`, as far as there is room.
static inline void mutate_splice(mutate_t *m, size_t at, size_t old, const void *bytes,
                                 size_t size) {
  if (m->size - old + size > m->room) {
    return;
  }
  memmove(m->data + at + size, m->data + at + old, m->size - at - old);
  if (size > 0) {
    memcpy(m->data + at, bytes, size);
  }
  m->size += size - old;
}

// A copy of some bytes, at most `most`, stands at another place.
static inline void mutate_copy(rng_t *rng, mutate_t *m, size_t most) {
  uint8_t piece[256];
  size_t size = 1 + rng_below(rng, (uint32_t)(most < sizeof piece ? most : sizeof piece));
  size = size < m->size ? size : m->size;
  memcpy(piece, m->data + rng_below(rng, (uint32_t)(m->size - size + 1)), size);
  mutate_splice(m, rng_below(rng, (uint32_t)m->size + 1), 0, piece, size);
}

static inline void mutate_bytes(rng_t *rng, mutate_t *m) {
  if (m->size == 0) {
    return;
  }
  size_t at = rng_below(rng, (uint32_t)m->size);
  uint8_t number[4];
  uint32_t value = mutate_number(rng);
  memcpy(number, &value, sizeof number);
  switch (rng_below(rng, 8)) {
    case 0:
    case 1: m->data[at] ^= (uint8_t)(1u << rng_below(rng, 8)); return;
    case 2: m->data[at] = number[0]; return;
    case 3:
      if (m->size - at >= sizeof number) {
        memcpy(m->data + at, number, sizeof number);
      }
      return;
    case 4: mutate_splice(m, at, 0, number, 1 + rng_below(rng, 4)); return;
    case 5: {
      size_t gone = 1 + rng_below(rng, 8);
      mutate_splice(m, at, gone < m->size - at ? gone : m->size - at, NULL, 0);
      return;
    }
    case 6: mutate_copy(rng, m, 64); return;
    default: m->size = at;
  }
}

static inline bool mutate_in_word(uint8_t c) {
  uint8_t letter = c | 32;
  return (c >= '0' && c <= '9') || (letter >= 'a' && letter <= 'z') || c == '_' || c >= 128;
}

// The word, number or run of other characters at `at`.
static inline void mutate_token(const mutate_t *m, size_t at, size_t *start, size_t *end) {
  bool word = mutate_in_word(m->data[at]);
  for (*start = at; *start > 0 && mutate_in_word(m->data[*start - 1]) == word; --*start) {
  }
  for (*end = at; *end < m->size && mutate_in_word(m->data[*end]) == word; ++*end) {
  }
}

static inline void mutate_line(const mutate_t *m, size_t at, size_t *start, size_t *end) {
  for (*start = at; *start > 0 && m->data[*start - 1] != '\n'; --*start) {
  }
  for (*end = at; *end < m->size && m->data[*end] != '\n'; ++*end) {
  }
  *end += *end < m->size;
}

// A change that readers of YAML, JSON and hexadecimal lines notice. words: what such a text may
// hold besides.
static inline void mutate_text(rng_t *rng, mutate_t *m, const char *const *words, uint32_t count) {
  static const char *const marks[] = {": ",    "- ",    "[",    "]",      "{",    "}",
                                      "\"",    "'",     "#",    "\n",     "  ",   "\t",
                                      ",",     "&a ",   "*a",   "!!int ", "|\n",  ">\n",
                                      "---\n", "...\n", "%",    "\\",     "\r\n", "\xef\xbb\xbf",
                                      "\xff",  "\xc3",  "?",    "~",      "<<: ", "@",
                                      "`",     "null",  "true", "false",  ".inf", ".nan",
                                      "-",     "0x",    "e9",   "1e400",  "\x01"};
  char text[64];
  size_t start, end, at, gone;
  if (m->size == 0) {
    return;
  }
  at = rng_below(rng, (uint32_t)m->size);
  switch (rng_below(rng, 9)) {
    case 0: mutate_bytes(rng, m); return;
    case 1:
    case 2:
      mutate_token(m, at, &start, &end);
      snprintf(text, sizeof text, "%lld", (long long)(int32_t)mutate_number(rng));
      mutate_splice(m, start, end - start, text, strlen(text));
      return;
    case 3:
      snprintf(text, sizeof text, "%s", marks[rng_below(rng, sizeof marks / sizeof *marks)]);
      mutate_splice(m, at, rng_below(rng, 2), text, strlen(text));
      return;
    case 4:
      mutate_token(m, at, &start, &end);
      snprintf(text, sizeof text, "%s", count ? words[rng_below(rng, count)] : "");
      mutate_splice(m, start, end - start, text, strlen(text));
      return;
    case 5:
      mutate_line(m, at, &start, &end);
      mutate_splice(m, start, end - start, NULL, 0);
      return;
    case 6: {  // a line once more, elsewhere
      uint8_t line[512];
      size_t to, unused;
      mutate_line(m, at, &start, &end);
      gone = end - start < sizeof line ? end - start : sizeof line;
      memcpy(line, m->data + start, gone);
      mutate_line(m, rng_below(rng, (uint32_t)m->size), &to, &unused);
      mutate_splice(m, to, 0, line, gone);
      return;
    }
    case 7: {  // one token in place of another
      uint8_t token[64];
      mutate_token(m, at, &start, &end);
      gone = end - start < sizeof token ? end - start : sizeof token;
      memcpy(token, m->data + start, gone);
      mutate_token(m, rng_below(rng, (uint32_t)m->size), &start, &end);
      mutate_splice(m, start, end - start, token, gone);
      return;
    }
    default: mutate_copy(rng, m, 200);
  }
}

#endif
