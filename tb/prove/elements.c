// SPDX-License-Identifier: Apache-2.0
#include "elements.h"

#include <stdlib.h>
#include <string.h>

bool elements_make(memory_t *m, const element_t *e) {
  object_t *o = &m->objects[e->object];
  const uint32_t bytes = e->bytes, width = bytes * 8;
  bool ok = bytes && o->size && o->size % bytes == 0 && !o->pointer_count && !o->array &&
            bits_is_constant(o->bits, width);
  for (uint64_t b = width; b < o->size * 8 && ok; b++) {
    ok = o->bits[b] == o->bits[b - width];
  }
  if (ok) {
    o->array = arrays_add(m->arrays, e->name, (uint32_t)(o->size / bytes), width, o->bits);
    o->stores = arrays_made(m->arrays, o->array);
    free(o->bits);
    o->bits = NULL;
    o->size = 0;
  }
  return ok;
}

static bool is_meant(const memory_t *m, const target_t *t, lit_t guard) {
  return t->object != ObjectNull && aig_and(m->aig, guard, t->when) != AigFalse;
}

// Returns true if a pointer may mean an array.
bool elements_meant(const memory_t *m, const value_t *pointer, lit_t guard) {
  for (uint32_t i = 0; i < pointer->count; i++) {
    const target_t *t = &pointer->targets[i];
    if (is_meant(m, t, guard) && m->objects[t->object].array) {
      return true;
    }
  }
  return false;
}

// The place of an element, and when there is none. False: no whole element.
static bool find_element(const memory_t *m, const target_t *t, lit_t *index, lit_t *missed) {
  const uint32_t array = m->objects[t->object].array;
  lit_t sum[PointerBits], scale[PointerBits], words[PointerBits];
  const int64_t bytes = array ? arrays_width(m->arrays, array) / 8 : 0;
  bool ok = bytes && t->offset % bytes == 0;
  if (ok) {
    bits_constant(sum, PointerBits, (uint64_t)(t->offset / bytes));
  }
  for (uint32_t i = 0; i < t->term_count && ok; i++) {
    lit_t part[PointerBits];
    ok = t->terms[i].scale % bytes == 0;
    bits_constant(scale, PointerBits, (uint64_t)(t->terms[i].scale / bytes));
    bits_multiply(m->aig, PointerBits, t->terms[i].index, scale, part);
    bits_add(m->aig, PointerBits, sum, part, AigFalse, sum);
  }
  if (ok) {
    bits_constant(words, PointerBits, arrays_words(m->arrays, array));
    memcpy(index, sum, arrays_index_bits(m->arrays, array) * sizeof *index);
    *missed = aig_not(bits_below(m->aig, PointerBits, sum, words));
  }
  return ok;
}

bool elements_refuse(memory_t *m) {
  m->refusal = "a symbolic memory that is read or written otherwise than element by element";
  return false;
}

bool elements_load(memory_t *m, const value_t *pointer, uint32_t width, lit_t guard, value_t *value,
                   lit_t *missed) {
  *value = (value_t){ValueNone, 0, {NULL}, NULL};
  for (uint32_t i = 0; i < pointer->count; i++) {
    const target_t *t = &pointer->targets[i];
    const object_t *o = &m->objects[t->object];
    lit_t index[PointerBits], outside;
    if (!is_meant(m, t, guard)) {
      continue;
    }
    if (!o->array || arrays_width(m->arrays, o->array) != width ||
        !find_element(m, t, index, &outside)) {
      return elements_refuse(m);
    }
    lit_t *word = arena_take(m->arena, width, sizeof *word);
    arrays_load(m->arrays, o->array, o->stores, index, word);
    const value_t here = {ValueWord, width, {.bits = word}, NULL};
    *value = value_mux(m->aig, m->arena, t->when, &here, value);
    const lit_t meant = aig_and(m->aig, guard, t->when);
    *missed = aig_or(m->aig, *missed, aig_and(m->aig, meant, outside));
  }
  return true;
}

// A word of an element: with zeros up to whole bytes.
static const lit_t *whole(memory_t *m, const value_t *value, uint32_t width) {
  lit_t *word = arena_take(m->arena, width, sizeof *word);
  for (uint32_t b = 0; b < width; b++) {
    word[b] = b < value->count ? value->bits[b] : (lit_t)AigFalse;
  }
  return word;
}

// So many equal words from a known place on; where the last store ends there, it grows.
static void fill(memory_t *m, object_t *o, uint32_t first, uint32_t count, lit_t when,
                 const lit_t *word) {
  const uint32_t width = arrays_width(m->arrays, o->array);
  const store_t *last = o->stores;
  store_t s = {NULL, when, NULL, first, first + count, word};
  if (last && !last->index && last->when == when && last->end == first &&
      memcmp(last->word, word, width * sizeof *word) == 0) {
    s.first = last->first;
    last = last->before;
  }
  o->stores = arrays_store(m->arrays, last, &s);
}

static bool fill_array(memory_t *m, const target_t *t, const value_t *value, uint64_t bytes,
                       lit_t when) {
  object_t *o = &m->objects[t->object];
  const uint32_t width = arrays_width(m->arrays, o->array), size = width / 8;
  const uint64_t end = (uint64_t)t->offset + bytes;
  if (t->term_count || t->offset < 0 || t->offset % size || bytes % size ||
      value->count != bytes * 8 || end / size > arrays_words(m->arrays, o->array)) {
    return elements_refuse(m);
  }
  for (uint64_t b = width; b < bytes * 8; b++) {
    if (value->bits[b] != value->bits[b - width]) {
      return elements_refuse(m);
    }
  }
  fill(m, o, (uint32_t)(t->offset / size), (uint32_t)(bytes / size), when, value->bits);
  return true;
}

bool elements_store(memory_t *m, const value_t *pointer, const value_t *value, uint64_t bytes,
                    lit_t guard, lit_t *missed) {
  for (uint32_t i = 0; i < pointer->count; i++) {
    const target_t *t = &pointer->targets[i];
    object_t *o = &m->objects[t->object];
    const lit_t when = aig_and(m->aig, guard, t->when);
    lit_t at[PointerBits], outside;
    if (!is_meant(m, t, guard) || aig_contradicts(m->aig, when)) {
      continue;
    }
    if (!o->array || value->kind != ValueWord || !find_element(m, t, at, &outside)) {
      return elements_refuse(m);
    }
    const uint32_t bits = arrays_index_bits(m->arrays, o->array);
    const uint32_t width = arrays_width(m->arrays, o->array);
    if (bytes * 8 != width) {
      if (!fill_array(m, t, value, bytes, when)) {
        return false;
      }
    } else if (bits_is_constant(at, bits)) {
      fill(m, o, (uint32_t)bits_number(at, bits), 1, when, whole(m, value, width));
    } else {
      lit_t *index = arena_take(m->arena, bits, sizeof *index);
      memcpy(index, at, bits * sizeof *index);
      const store_t s = {NULL, when, index, 0, 0, whole(m, value, width)};
      o->stores = arrays_store(m->arrays, o->stores, &s);
    }
    *missed = aig_or(m->aig, *missed, aig_and(m->aig, when, outside));
  }
  return true;
}
