// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "elements.h"

enum { PointerBytes = PointerBits / 8, MostPlaces = 1 << 16 };

void memory_create(memory_t *memory, aig_t *aig, arena_t *arena) {
  *memory = (memory_t){.aig = aig, .arena = arena};
  memory_new(memory, "null", 0);
}

static void free_object(object_t *object) {
  free(object->bits);
  free(object->pointers);
}

void memory_destroy(memory_t *memory) {
  for (uint32_t i = 0; i < memory->count; i++) {
    free_object(&memory->objects[i]);
  }
  free(memory->objects);
  memory->objects = NULL;
  memory->count = memory->room = 0;
}

uint32_t memory_new(memory_t *memory, const char *name, uint64_t size) {
  if (memory->count == memory->room) {
    memory->room = memory->room ? memory->room * 2 : 64;
    memory->objects = fault_realloc(memory->objects, memory->room, sizeof *memory->objects);
  }
  memory->objects[memory->count] =
      (object_t){.name = name, .size = size, .bits = fault_calloc(size * 8, sizeof(lit_t))};
  return memory->count++;
}

static void copy_object(object_t *to, const object_t *from) {
  *to = *from;
  to->bits = fault_calloc(from->size * 8, sizeof *to->bits);
  if (from->size) {
    memcpy(to->bits, from->bits, from->size * 8 * sizeof *to->bits);
  }
  to->pointers = fault_calloc(from->pointer_count, sizeof *to->pointers);
  if (from->pointer_count) {
    memcpy(to->pointers, from->pointers, from->pointer_count * sizeof *to->pointers);
  }
}

void memory_copy(memory_t *to, const memory_t *from) {
  *to = *from;
  to->room = from->count;
  to->objects = fault_calloc(from->count, sizeof *to->objects);
  for (uint32_t i = 0; i < from->count; i++) {
    copy_object(&to->objects[i], &from->objects[i]);
  }
}

void memory_restore(memory_t *memory, const memory_t *copy) {
  memory_destroy(memory);
  memory_copy(memory, copy);
}

// ---- Places ----

typedef struct {
  lit_t when;
  uint32_t object;
  int64_t offset;
} place_t;

typedef struct {
  memory_t *memory;
  const target_t *target;
  uint64_t bytes;
  place_t *list;
  uint32_t count, room;
} places_t;

static void put_place(places_t *p, int64_t offset, lit_t when) {
  if (p->count == p->room) {
    p->room = p->room ? p->room * 2 : 16;
    p->list = fault_realloc(p->list, p->room, sizeof *p->list);
  }
  p->list[p->count++] = (place_t){when, p->target->object, offset};
}

// All values that the terms from `term` on may have.
static void spread(places_t *p, uint32_t term, int64_t offset, lit_t when) {
  const int64_t size = (int64_t)p->memory->objects[p->target->object].size;
  if (when == AigFalse || p->count > MostPlaces) {
    return;
  }
  if (term == p->target->term_count) {
    if (offset >= 0 && offset + (int64_t)p->bytes <= size) {
      put_place(p, offset, when);
    }
    return;
  }
  const term_t *t = &p->target->terms[term];
  const int64_t scale = t->scale > 0 ? t->scale : 1;
  const bool may_fall = t->index[PointerBits - 1] != AigFalse;
  const int64_t least = may_fall && offset > 0 ? -(offset / scale) - 1 : 0;
  const int64_t most = (size - (offset < 0 ? offset : 0)) / scale + 1;
  for (int64_t v = least; v <= most; v++) {
    lit_t is = bits_is(p->memory->aig, PointerBits, t->index, (uint64_t)v);
    spread(p, term + 1, offset + v * t->scale, aig_and(p->memory->aig, when, is));
  }
}

// Every place that an access may mean; to be freed.
static bool find_places(memory_t *m, const value_t *pointer, uint64_t bytes, lit_t guard,
                        places_t *p, lit_t *missed) {
  *p = (places_t){.memory = m, .bytes = bytes};
  for (uint32_t i = 0; i < pointer->count; i++) {
    p->target = &pointer->targets[i];
    if (p->target->object != ObjectNull && aig_and(m->aig, guard, p->target->when) != AigFalse) {
      spread(p, 0, p->target->offset, p->target->when);
    }
  }
  if (p->count > MostPlaces) {
    m->refusal = "an access to more than 65536 places";
    free(p->list);
    return false;
  }
  lit_t any = AigFalse;
  for (uint32_t i = 0; i < p->count; i++) {
    any = aig_or(m->aig, any, p->list[i].when);
  }
  *missed = aig_or(m->aig, *missed, aig_and(m->aig, guard, aig_not(any)));
  return true;
}

// ---- Pointers in objects ----

static stored_pointer_t *pointer_at(const object_t *object, int64_t offset) {
  for (uint32_t i = 0; i < object->pointer_count; i++) {
    if (object->pointers[i].offset == offset) {
      return &object->pointers[i];
    }
  }
  return NULL;
}

void memory_put_pointer(object_t *object, int64_t offset, const value_t *value) {
  stored_pointer_t *at = pointer_at(object, offset);
  if (!at) {
    object->pointers =
        fault_realloc(object->pointers, object->pointer_count + 1, sizeof *object->pointers);
    at = &object->pointers[object->pointer_count++];
    at->offset = offset;
  }
  at->value = *value;
}

void memory_put_word(object_t *object, uint64_t offset, uint32_t width, const lit_t *bits) {
  memcpy(object->bits + offset * 8, bits, width * sizeof *bits);
}

static bool overlaps(const stored_pointer_t *p, int64_t offset, uint64_t bytes) {
  return p->offset < offset + (int64_t)bytes && offset < p->offset + PointerBytes;
}

// Returns true if a place that is loaded as data holds a pointer.
static bool holds_pointer(const object_t *object, int64_t offset, uint64_t bytes) {
  for (uint32_t i = 0; i < object->pointer_count; i++) {
    const stored_pointer_t *at = &object->pointers[i];
    if (overlaps(at, offset, bytes) && !value_is_null(&at->value)) {
      return true;
    }
  }
  return false;
}

// ---- What is loaded ----

typedef struct {
  const memory_t *memory;
  const target_t *target;
  uint32_t width;
  bool pointers;  // places that hold some count, too
} load_t;

static value_t from_terms(const load_t *l, uint32_t term, int64_t offset, lit_t when);

static bool is_zero_word(const value_t *word) {
  return word->kind != ValueNone && bits_is_constant(word->bits, word->count) &&
         memchr(word->bits, AigTrue, word->count * sizeof *word->bits) == NULL;
}

// The values of an index: its low `bits` bits, the sign among them, and the word at each.
typedef struct {
  lit_t index[PointerBits];
  uint32_t bits;
  value_t *word;
  uint64_t there, full;  // the bits of values where a word is, and where one is that is not 0
} indexed_t;

static void find_words(const load_t *l, uint32_t term, int64_t offset, lit_t when, indexed_t *c) {
  const term_t *t = &l->target->terms[term];
  const uint64_t size = l->memory->objects[l->target->object].size;
  const uint64_t most =
      (size + (uint64_t)llabs(offset)) / (uint64_t)(t->scale ? llabs(t->scale) : 1);
  while (most >> c->bits != 0) {
    c->index[c->bits] = t->index[c->bits];
    c->bits++;
  }
  c->index[c->bits++] = t->index[PointerBits - 1];
  const uint64_t count = UINT64_C(1) << c->bits;
  c->word = fault_calloc(count, sizeof *c->word);
  for (uint64_t v = 0; v < count; v++) {
    const int64_t value = (int64_t)v - (v < count / 2 ? 0 : (int64_t)count);
    const lit_t is = bits_is(l->memory->aig, PointerBits, t->index, (uint64_t)value);
    const lit_t may_be = aig_and(l->memory->aig, when, is);
    if (may_be != AigFalse) {
      c->word[v] = from_terms(l, term + 1, offset + value * t->scale, may_be);
      c->there |= c->word[v].kind == ValueNone ? 0 : v;
      c->full |= c->word[v].kind == ValueNone || is_zero_word(&c->word[v]) ? 0 : v;
    }
  }
}

enum { MostStores = 32 };

// Stores that are taken off one bit of the words, the last one first.
typedef struct {
  uint32_t count, store[MostStores];
  lit_t bit[MostStores];
} taken_t;

// Takes off the words what stores left at every place; returns what, by bit; NULL: nothing.
static taken_t *take_stores(const load_t *l, indexed_t *c) {
  const uint64_t count = UINT64_C(1) << c->bits;
  if (!l->memory->stored || l->memory->objects[l->target->object].pointer_count) {
    return NULL;
  }
  taken_t *taken = fault_calloc(l->width, sizeof *taken);
  lit_t *bits = fault_calloc(count, sizeof *bits);
  lit_t **words = fault_calloc(count, sizeof *words);
  for (uint64_t v = 0; v < count; v++) {
    words[v] = c->word[v].kind == ValueWord
                   ? memcpy(arena_take(l->memory->arena, l->width, sizeof(lit_t)), c->word[v].bits,
                            l->width * sizeof(lit_t))
                   : NULL;
  }
  for (uint32_t b = 0; b < l->width; b++) {
    taken_t *t = &taken[b];
    for (uint64_t v = 0; v < count; v++) {
      bits[v] = words[v] ? words[v][b] : (lit_t)AigNone;
    }
    while (t->count < MostStores &&
           (t->store[t->count] =
                stored_take(l->memory->stored, l->memory->aig, bits, count, &t->bit[t->count]))) {
      t->count++;
    }
    for (uint64_t v = 0; v < count; v++) {
      if (words[v]) {
        words[v][b] = bits[v];
      }
    }
  }
  for (uint64_t v = 0; v < count; v++) {
    if (words[v]) {
      c->word[v] = (value_t){ValueWord, l->width, {.bits = words[v]}, NULL};
    }
  }
  free(words);
  free(bits);
  return taken;
}

// The word with the stores that were taken off, the first of them at the bottom.
static value_t put_stores(const load_t *l, const lit_t *index, const taken_t *taken,
                          const value_t *word) {
  const memory_t *m = l->memory;
  value_t value = value_word(m->arena, l->width, word->bits);
  lit_t *bits = arena_take(m->arena, l->width, sizeof *bits);
  for (uint32_t b = 0; b < l->width; b++) {
    bits[b] = value.bits[b];
    for (uint32_t k = taken[b].count; k-- > 0;) {
      const lit_t hit = stored_hit(m->stored, m->aig, taken[b].store[k], index);
      bits[b] = aig_mux(m->aig, hit, taken[b].bit[k], bits[b]);
    }
  }
  value.bits = bits;
  return value;
}

// Chooses by an index, its lowest bit first, as Yosys does it: what both sides choose from is then
// equal node by node. High bits under which there are only zeros are one condition for the rest, so
// that a 1 tells at once that they are 0.
static value_t from_index(const load_t *l, uint32_t term, int64_t offset, lit_t when) {
  const memory_t *m = l->memory;
  indexed_t c = {.bits = 0};
  find_words(l, term, offset, when, &c);
  taken_t *taken = take_stores(l, &c);
  lit_t is_low = AigTrue;
  uint32_t top = c.bits;
  for (; top > 0 && c.full >> (top - 1) == 0; top--) {
    const uint32_t k = top - 1;
    if (c.there >> k & 1) {
      is_low = aig_and(m->aig, is_low, aig_not(c.index[k]));
    }
    for (uint64_t v = 0; v < UINT64_C(1) << k; v++) {
      c.word[v] = c.word[v].kind == ValueNone ? c.word[v + (UINT64_C(1) << k)] : c.word[v];
    }
  }
  for (uint32_t k = 0; k < top; k++) {
    for (uint64_t v = 0; v < UINT64_C(1) << (top - 1 - k); v++) {
      c.word[v] = value_mux(m->aig, m->arena, c.index[k], &c.word[2 * v + 1], &c.word[2 * v]);
    }
  }
  value_t value = c.word[0];
  free(c.word);
  const value_t none = value_number(m->arena, l->width, 0);
  if (value.kind != ValueNone) {
    value = value_mux(m->aig, m->arena, is_low, &value, &none);
    value = taken ? put_stores(l, l->target->terms[term].index, taken, &value) : value;
  }
  free(taken);
  return value;
}

// The word at the places that the terms from `term` on may mean; ValueNone where it would lie
// outside the object.
static value_t from_terms(const load_t *l, uint32_t term, int64_t offset, lit_t when) {
  const object_t *o = &l->memory->objects[l->target->object];
  const uint64_t bytes = (l->width + 7) / 8;
  if (term < l->target->term_count) {
    return from_index(l, term, offset, when);
  }
  const bool is_there = offset >= 0 && offset + (int64_t)bytes <= (int64_t)o->size &&
                        (l->pointers || !holds_pointer(o, offset, bytes));
  return is_there ? value_word(l->memory->arena, l->width, o->bits + offset * 8)
                  : (value_t){ValueNone, 0, {NULL}, NULL};
}

static value_t load(const memory_t *m, const value_t *pointer, uint32_t width, bool pointers,
                    lit_t guard) {
  value_t value = {ValueNone, 0, {NULL}, NULL};
  for (uint32_t i = 0; i < pointer->count; i++) {
    const target_t *target = &pointer->targets[i];
    if (target->object != ObjectNull && aig_and(m->aig, guard, target->when) != AigFalse) {
      const load_t l = {m, target, width, pointers};
      const value_t here = from_terms(&l, 0, target->offset, aig_and(m->aig, guard, target->when));
      value = value_mux(m->aig, m->arena, target->when, &here, &value);
    }
  }
  return value.kind == ValueNone ? value_number(m->arena, width, 0) : value;
}

// ---- Accesses ----

bool memory_load_word(memory_t *m, const value_t *pointer, uint32_t width, lit_t guard,
                      value_t *value, lit_t *missed) {
  places_t p;
  const uint64_t bytes = (width + 7) / 8;
  if (elements_meant(m, pointer, guard)) {
    return elements_load(m, pointer, width, guard, value, missed);
  }
  if (!find_places(m, pointer, bytes, guard, &p, missed)) {
    return false;
  }
  bool ok = true;
  for (uint32_t i = 0; i < p.count && ok; i++) {
    // One of several places may never be meant; the wrapper owes that.
    if (holds_pointer(&m->objects[p.list[i].object], p.list[i].offset, bytes)) {
      ok = p.count > 1;
      *missed = aig_or(m->aig, *missed, aig_and(m->aig, guard, p.list[i].when));
    }
  }
  free(p.list);
  *value = load(m, pointer, width, false, guard);
  m->refusal = ok ? NULL : "a pointer read as a number";
  return ok;
}

bool memory_load_pointer(memory_t *m, const value_t *pointer, lit_t guard, value_t *value,
                         lit_t *missed) {
  places_t p;
  if (elements_meant(m, pointer, guard)) {
    return elements_refuse(m);
  }
  if (!find_places(m, pointer, PointerBytes, guard, &p, missed)) {
    return false;
  }
  *value = value_pointer(m->arena, ObjectNull, 0);
  bool ok = true;
  for (uint32_t i = 0; i < p.count && ok; i++) {
    const object_t *o = &m->objects[p.list[i].object];
    const stored_pointer_t *at = pointer_at(o, p.list[i].offset);
    value_t here = at ? at->value : value_pointer(m->arena, ObjectNull, 0);
    const lit_t *bits = o->bits + p.list[i].offset * 8;
    ok = at || (bits_is_constant(bits, PointerBits) && bits_number(bits, PointerBits) == 0);
    *value = i == 0 ? here : value_mux(m->aig, m->arena, p.list[i].when, &here, value);
  }
  free(p.list);
  m->refusal = ok ? NULL : "a number read as a pointer";
  return ok;
}

static bool is_zero(const value_t *word, uint32_t from) {
  for (uint32_t i = from; i < word->count && i < from + PointerBits; i++) {
    if (word->bits[i] != AigFalse) {
      return false;
    }
  }
  return true;
}

// Data over pointers makes them null where it is 0.
static bool clear_pointers(memory_t *m, object_t *o, int64_t offset, const value_t *data,
                           uint64_t bytes, lit_t when) {
  const value_t null = value_pointer(m->arena, ObjectNull, 0);
  for (uint32_t i = 0; i < o->pointer_count; i++) {
    stored_pointer_t *at = &o->pointers[i];
    if (!overlaps(at, offset, bytes) || value_is_null(&at->value)) {
      continue;
    }
    if (at->offset < offset || at->offset + PointerBytes > offset + (int64_t)bytes ||
        !is_zero(data, (uint32_t)(at->offset - offset) * 8)) {
      m->refusal = "a number stored over a pointer";
      return false;
    }
    at->value = value_mux(m->aig, m->arena, when, &null, &at->value);
  }
  return true;
}

// store: 0, or its number in `stored` and the place.
static bool store_word(memory_t *m, object_t *o, int64_t offset, const value_t *value,
                       uint64_t bytes, lit_t when, uint32_t store, int64_t place) {
  for (uint32_t i = 0; i < bytes * 8; i++) {
    lit_t *d = &o->bits[offset * 8 + i];
    const lit_t bit = i < value->count ? value->bits[i] : (lit_t)AigFalse, before = *d;
    *d = aig_mux(m->aig, when, bit, before);
    if (store) {
      stored_note(m->stored, *d, store, place, bit, before);
    }
  }
  return clear_pointers(m, o, offset, value, bytes, when);
}

// The number of a store at several places that one index tells apart, 0 of any other.
static uint32_t begin_store(memory_t *m, const value_t *pointer, const places_t *p, lit_t guard) {
  const target_t *t = pointer->targets;
  return m->stored && pointer->count == 1 && t->term_count == 1 && p->count > 1
             ? stored_begin(m->stored, aig_and(m->aig, guard, t->when), t->terms[0].index)
             : 0;
}

static bool store_pointer(memory_t *m, object_t *o, int64_t offset, const value_t *value,
                          lit_t when) {
  const lit_t *bits = o->bits + offset * 8;
  if (!bits_is_constant(bits, PointerBits) || bits_number(bits, PointerBits) != 0) {
    m->refusal = "a pointer stored over a number";
    return false;
  }
  const stored_pointer_t *at = pointer_at(o, offset);
  const value_t old = at ? at->value : value_pointer(m->arena, ObjectNull, 0);
  const value_t now = value_mux(m->aig, m->arena, when, value, &old);
  memory_put_pointer(o, offset, &now);
  return true;
}

bool memory_store(memory_t *m, const value_t *pointer, const value_t *value, uint64_t bytes,
                  lit_t guard, lit_t *missed) {
  places_t p;
  if (elements_meant(m, pointer, guard)) {
    return elements_store(m, pointer, value, bytes, guard, missed);
  }
  if (!find_places(m, pointer, bytes, guard, &p, missed)) {
    return false;
  }
  bool ok = true;
  const uint32_t store = begin_store(m, pointer, &p, guard);
  for (uint32_t i = 0; i < p.count && ok; i++) {
    object_t *o = &m->objects[p.list[i].object];
    const target_t *t = pointer->targets;
    const int64_t place = store ? (p.list[i].offset - t->offset) / t->terms[0].scale : 0;
    const lit_t when = aig_and(m->aig, p.list[i].when, guard);
    // A place beyond an index's bound would make state of what nothing writes.
    if (when == AigFalse || aig_contradicts(m->aig, when)) {
      continue;
    }
    ok = value->kind == ValuePointer
             ? store_pointer(m, o, p.list[i].offset, value, when)
             : store_word(m, o, p.list[i].offset, value, bytes, when, store, place);
  }
  free(p.list);
  return ok;
}

// The pointers of n bytes from a place on, each at its distance.
static void add_pointers(const memory_t *m, const place_t *place, uint64_t bytes,
                         object_t *collected) {
  const object_t *o = &m->objects[place->object];
  for (uint32_t i = 0; i < o->pointer_count; i++) {
    const stored_pointer_t *at = &o->pointers[i];
    if (at->offset >= place->offset &&
        at->offset + PointerBytes <= place->offset + (int64_t)bytes) {
      memory_put_pointer(collected, at->offset - place->offset, &at->value);
    }
  }
}

bool memory_move(memory_t *m, const value_t *to, const value_t *from, uint64_t bytes, lit_t guard,
                 lit_t *missed) {
  places_t p;
  if (elements_meant(m, from, guard)) {
    return elements_refuse(m);
  }
  if (!find_places(m, from, bytes, guard, &p, missed)) {
    return false;
  }
  object_t collected = {0};
  for (uint32_t i = 0; i < p.count; i++) {
    add_pointers(m, &p.list[i], bytes, &collected);
  }
  free(p.list);
  const value_t data = load(m, from, (uint32_t)bytes * 8, true, guard);
  bool ok = p.count <= 1 || collected.pointer_count == 0;
  m->refusal = ok ? NULL : "pointers copied from one of several places";
  ok = ok && memory_store(m, to, &data, bytes, guard, missed);
  for (uint32_t i = 0; i < collected.pointer_count && ok; i++) {
    const value_t at = value_advance(m->arena, to, collected.pointers[i].offset);
    ok = memory_store(m, &at, &collected.pointers[i].value, PointerBytes, guard, missed);
  }
  free(collected.pointers);
  return ok;
}
