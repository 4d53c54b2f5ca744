// SPDX-License-Identifier: Apache-2.0
#include "stored.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  lit_t guard, index[PointerBits];
} store_t;

typedef struct {
  lit_t left, bit, before;
  uint32_t store;  // 0: an empty slot
  int64_t place;
} note_t;

struct stored {
  store_t *stores;
  note_t *notes;  // by their literals
  uint32_t count, room, note_count, note_room;
};

stored_t *stored_create(void) { return fault_calloc(1, sizeof(stored_t)); }

void stored_destroy(stored_t *s) {
  free(s->stores);
  free(s->notes);
  free(s);
}

uint32_t stored_begin(stored_t *s, lit_t guard, const lit_t *index) {
  if (s->count == s->room) {
    s->room = s->room ? s->room * 2 : 64;
    s->stores = fault_realloc(s->stores, s->room, sizeof *s->stores);
  }
  store_t *one = &s->stores[s->count++];
  one->guard = guard;
  memcpy(one->index, index, sizeof one->index);
  return s->count;
}

static note_t *slot(const stored_t *s, lit_t left) {
  uint32_t at = (left * 2654435761u) & (s->note_room - 1);
  while (s->notes[at].store && s->notes[at].left != left) {
    at = (at + 1) & (s->note_room - 1);
  }
  return &s->notes[at];
}

static void grow(stored_t *s) {
  note_t *old = s->notes;
  const uint32_t room = s->note_room;
  s->note_room = room ? room * 2 : 1024;
  s->notes = fault_calloc(s->note_room, sizeof *s->notes);
  for (uint32_t i = 0; i < room; i++) {
    if (old[i].store) {
      *slot(s, old[i].left) = old[i];
    }
  }
  free(old);
}

void stored_note(stored_t *s, lit_t left, uint32_t store, int64_t place, lit_t bit, lit_t before) {
  if (left <= AigTrue || left == before) {
    return;
  }
  if (2 * s->note_count >= s->note_room) {
    grow(s);
  }
  note_t *at = slot(s, left);
  s->note_count += at->store == 0;
  *at = (note_t){left, bit, before, store, place};
}

static const note_t *find(const stored_t *s, lit_t left) {
  const note_t *at = s->note_room && left != AigNone ? slot(s, left) : NULL;
  return at && at->store ? at : NULL;
}

static int64_t place_of(uint64_t v, uint64_t count) {
  return (int64_t)v - (v < count / 2 ? 0 : (int64_t)count);
}

// The last store that left one of the bits.
static uint32_t last_of(const stored_t *s, const lit_t *bits, uint64_t count, lit_t *bit) {
  uint32_t last = 0;
  for (uint64_t v = 0; v < count; v++) {
    const note_t *n = find(s, bits[v]);
    if (n && n->store > last) {
      last = n->store;
      *bit = n->bit;
    }
  }
  return last;
}

static bool is_left(const note_t *n, uint32_t store, int64_t place, lit_t bit) {
  return n && n->store == store && n->place == place && n->bit == bit;
}

uint32_t stored_take(stored_t *s, aig_t *aig, lit_t *bits, uint64_t count, lit_t *bit) {
  const uint32_t last = last_of(s, bits, count, bit);
  if (!last) {
    return 0;
  }
  const lit_t *index = s->stores[last - 1].index;
  for (uint64_t v = 0; v < count; v++) {
    const int64_t place = place_of(v, count);
    if (!is_left(find(s, bits[v]), last, place, *bit) && bits[v] != AigNone &&
        bits_is(aig, PointerBits, index, (uint64_t)place) != AigFalse) {
      return 0;
    }
  }
  for (uint64_t v = 0; v < count; v++) {
    const note_t *n = find(s, bits[v]);
    bits[v] = is_left(n, last, place_of(v, count), *bit) ? n->before : bits[v];
  }
  return last;
}

lit_t stored_hit(const stored_t *s, aig_t *aig, uint32_t store, const lit_t *index) {
  const store_t *one = &s->stores[store - 1];
  return aig_and(aig, one->guard, bits_equal(aig, PointerBits, one->index, index));
}
