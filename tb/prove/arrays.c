// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name;
  uint32_t words, width, index_bits;
  lit_t *made;  // by bit; AigNone: it varies
} array_t;

struct arrays {
  aig_t *aig;
  arena_t *arena;
  array_t *list;
  uint32_t count;
  lookup_t *asked;
  uint32_t asked_count, asked_room;
  lit_t known;  // of the first `compared` that were asked
  uint32_t compared;
};

arrays_t *arrays_create(aig_t *aig, arena_t *arena) {
  arrays_t *x = fault_calloc(1, sizeof *x);
  *x = (arrays_t){.aig = aig, .arena = arena, .known = AigTrue};
  return x;
}

void arrays_destroy(arrays_t *x) {
  free(x->list);
  free(x->asked);
  free(x);
}

uint32_t arrays_add(arrays_t *x, const char *name, uint32_t words, uint32_t width,
                    const lit_t *made) {
  x->list = fault_realloc(x->list, x->count + 1, sizeof *x->list);
  array_t *a = &x->list[x->count++];
  *a = (array_t){name, words, width, 1, arena_take(x->arena, width, sizeof *a->made)};
  while (a->index_bits < 32 && (words - 1) >> a->index_bits) {
    a->index_bits++;
  }
  for (uint32_t b = 0; b < width; b++) {
    a->made[b] = made ? made[b] : (lit_t)AigNone;
  }
  return x->count;
}

uint32_t arrays_count(const arrays_t *x) { return x->count; }

static const array_t *of(const arrays_t *x, uint32_t array) { return &x->list[array - 1]; }

const char *arrays_name(const arrays_t *x, uint32_t array) { return of(x, array)->name; }

uint32_t arrays_words(const arrays_t *x, uint32_t array) { return of(x, array)->words; }

uint32_t arrays_width(const arrays_t *x, uint32_t array) { return of(x, array)->width; }

uint32_t arrays_index_bits(const arrays_t *x, uint32_t array) { return of(x, array)->index_bits; }

const store_t *arrays_made(arrays_t *x, uint32_t array) {
  const array_t *a = of(x, array);
  lit_t *word = arrays_room(x, a->width);
  memcpy(word, a->made, a->width * sizeof *word);
  const store_t all = {NULL, AigTrue, NULL, 0, a->words, word};
  return arrays_store(x, NULL, &all);
}

// ---- Loads ----

static const lit_t *ask(arrays_t *x, uint32_t array, const lit_t *index) {
  const array_t *a = of(x, array);
  for (uint32_t i = 0; i < x->asked_count; i++) {
    const lookup_t *q = &x->asked[i];
    if (q->array == array && memcmp(q->index, index, a->index_bits * sizeof *index) == 0) {
      return q->word;
    }
  }
  lit_t *word = arena_take(x->arena, a->width, sizeof *word);
  lit_t *at = arena_take(x->arena, a->index_bits, sizeof *at);
  memcpy(at, index, a->index_bits * sizeof *at);
  for (uint32_t b = 0; b < a->width; b++) {
    word[b] = a->made[b] == AigNone ? aig_variable(x->aig) : a->made[b];
  }
  if (x->asked_count == x->asked_room) {
    x->asked_room = x->asked_room ? 2 * x->asked_room : 64;
    x->asked = fault_realloc(x->asked, x->asked_room, sizeof *x->asked);
  }
  x->asked[x->asked_count++] = (lookup_t){array, at, word};
  return word;
}

// Whether a place is one of a range.
static lit_t is_within(aig_t *aig, const array_t *a, const store_t *s, const lit_t *index) {
  lit_t limit[32];
  bits_constant(limit, a->index_bits, s->first);
  const lit_t below = s->first ? bits_below(aig, a->index_bits, index, limit) : (lit_t)AigFalse;
  bits_constant(limit, a->index_bits, s->end);
  const lit_t before = s->end < a->words ? bits_below(aig, a->index_bits, index, limit) : AigTrue;
  return aig_and(aig, aig_not(below), before);
}

void arrays_load(arrays_t *x, uint32_t array, const store_t *s, const lit_t *index, lit_t *word) {
  const array_t *a = of(x, array);
  if (!s) {
    memcpy(word, ask(x, array, index), a->width * sizeof *word);
    return;
  }
  const lit_t there = s->index ? bits_equal(x->aig, a->index_bits, index, s->index)
                               : is_within(x->aig, a, s, index);
  const lit_t hit = aig_and(x->aig, s->when, there);
  if (hit == AigTrue) {
    memcpy(word, s->word, a->width * sizeof *word);
    return;
  }
  arrays_load(x, array, s->before, index, word);
  bits_mux(x->aig, a->width, hit, s->word, word, word);
}

// ---- Stores ----

lit_t *arrays_room(arrays_t *x, uint32_t count) {
  return arena_take(x->arena, count, sizeof(lit_t));
}

const store_t *arrays_store(arrays_t *x, const store_t *stores, const store_t *store) {
  store_t *s = arena_take(x->arena, 1, sizeof *s);
  *s = *store;
  s->before = stores;
  return s;
}

uint32_t arrays_vary(arrays_t *x, uint32_t array, const store_t *stores) {
  const array_t *a = of(x, array);
  uint32_t added = 0;
  for (const store_t *s = stores; s; s = s->before) {
    for (uint32_t b = 0; b < a->width; b++) {
      if (a->made[b] != AigNone && s->word[b] != a->made[b]) {
        a->made[b] = AigNone;
        added++;
      }
    }
  }
  if (added) {
    x->asked_count = x->compared = 0;
    x->known = AigTrue;
  }
  return added;
}

// ---- What is known ----

const lookup_t *arrays_asked(const arrays_t *x, uint32_t *count) {
  *count = x->asked_count;
  return x->asked;
}

static lit_t agree(arrays_t *x, const lookup_t *p, const lookup_t *q) {
  const array_t *a = of(x, p->array);
  if (p->array != q->array) {
    return AigTrue;
  }
  const lit_t same = bits_equal(x->aig, a->index_bits, p->index, q->index);
  return same == AigFalse
             ? (lit_t)AigTrue
             : aig_or(x->aig, aig_not(same), bits_equal(x->aig, a->width, p->word, q->word));
}

lit_t arrays_known(arrays_t *x) {
  for (; x->compared < x->asked_count; x->compared++) {
    for (uint32_t i = 0; i < x->compared; i++) {
      x->known = aig_and(x->aig, x->known, agree(x, &x->asked[i], &x->asked[x->compared]));
    }
  }
  return x->known;
}
