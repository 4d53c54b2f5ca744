// SPDX-License-Identifier: Apache-2.0
#include "value.h"

#include <string.h>

value_t value_word(arena_t *arena, uint32_t width, const lit_t *bits) {
  lit_t *kept = arena_take(arena, width, sizeof *kept);
  memcpy(kept, bits, width * sizeof *kept);
  return (value_t){ValueWord, width, {.bits = kept}, NULL};
}

value_t value_number(arena_t *arena, uint32_t width, uint64_t number) {
  lit_t *bits = arena_take(arena, width, sizeof *bits);
  bits_constant(bits, width, number);
  return (value_t){ValueWord, width, {.bits = bits}, NULL};
}

value_t value_pointer(arena_t *arena, uint32_t object, int64_t offset) {
  target_t *target = arena_take(arena, 1, sizeof *target);
  *target = (target_t){AigTrue, object, offset, 0, NULL};
  return (value_t){ValuePointer, 1, {.targets = target}, NULL};
}

value_t value_group(arena_t *arena, uint32_t count, const value_t *members) {
  value_t *kept = arena_take(arena, count, sizeof *kept);
  memcpy(kept, members, count * sizeof *kept);
  return (value_t){ValueGroup, count, {.members = kept}, NULL};
}

static target_t *copy_targets(arena_t *arena, const value_t *pointer) {
  target_t *targets = arena_take(arena, pointer->count, sizeof *targets);
  memcpy(targets, pointer->targets, pointer->count * sizeof *targets);
  return targets;
}

value_t value_advance(arena_t *arena, const value_t *pointer, int64_t bytes) {
  target_t *targets = copy_targets(arena, pointer);
  for (uint32_t i = 0; i < pointer->count; i++) {
    targets[i].offset += bytes;
  }
  return (value_t){ValuePointer, pointer->count, {.targets = targets}, NULL};
}

value_t value_index(arena_t *arena, const value_t *pointer, const value_t *index, int64_t scale) {
  const uint32_t width = index->count;
  if (bits_is_constant(index->bits, width)) {
    uint64_t number = bits_number(index->bits, width);
    if (width < 64 && index->bits[width - 1] == AigTrue) {
      number |= ~UINT64_C(0) << width;
    }
    return value_advance(arena, pointer, (int64_t)number * scale);
  }
  lit_t *bits = arena_take(arena, PointerBits, sizeof *bits);
  for (uint32_t i = 0; i < PointerBits; i++) {
    bits[i] = index->bits[i < width ? i : width - 1];
  }
  target_t *targets = copy_targets(arena, pointer);
  for (uint32_t i = 0; i < pointer->count; i++) {
    target_t *t = &targets[i];
    term_t *terms = arena_take(arena, t->term_count + 1, sizeof *terms);
    if (t->term_count) {
      memcpy(terms, t->terms, t->term_count * sizeof *terms);
    }
    terms[t->term_count++] = (term_t){bits, scale};
    t->terms = terms;
  }
  return (value_t){ValuePointer, pointer->count, {.targets = targets}, NULL};
}

static bool is_same_target(const target_t *a, const target_t *b) {
  if (a->object != b->object || a->offset != b->offset || a->term_count != b->term_count) {
    return false;
  }
  for (uint32_t i = 0; i < a->term_count; i++) {
    if (a->terms[i].scale != b->terms[i].scale ||
        memcmp(a->terms[i].index, b->terms[i].index, PointerBits * sizeof(lit_t)) != 0) {
      return false;
    }
  }
  return true;
}

static value_t mux_pointers(aig_t *aig, arena_t *arena, lit_t condition, const value_t *then,
                            const value_t *otherwise) {
  target_t *targets = arena_take(arena, then->count + otherwise->count, sizeof *targets);
  uint32_t count = 0;
  for (uint32_t i = 0; i < then->count + otherwise->count; i++) {
    const bool is_then = i < then->count;
    target_t t = is_then ? then->targets[i] : otherwise->targets[i - then->count];
    t.when = aig_and(aig, t.when, condition ^ (lit_t)!is_then);
    uint32_t k = 0;
    while (k < count && !is_same_target(&targets[k], &t)) {
      k++;
    }
    if (k < count) {
      targets[k].when = aig_or(aig, targets[k].when, t.when);
    } else if (t.when != AigFalse) {
      targets[count++] = t;
    }
  }
  return (value_t){ValuePointer, count, {.targets = targets}, NULL};
}

value_t value_mux(aig_t *aig, arena_t *arena, lit_t condition, const value_t *then,
                  const value_t *otherwise) {
  if (condition == AigTrue || otherwise->kind == ValueNone) {
    return *then;
  }
  if (condition == AigFalse || then->kind == ValueNone) {
    return *otherwise;
  }
  if (then->kind == ValuePointer) {
    return mux_pointers(aig, arena, condition, then, otherwise);
  }
  if (then->kind == ValueGroup) {
    value_t *members = arena_take(arena, then->count, sizeof *members);
    for (uint32_t i = 0; i < then->count; i++) {
      members[i] = value_mux(aig, arena, condition, &then->members[i], &otherwise->members[i]);
    }
    return (value_t){ValueGroup, then->count, {.members = members}, NULL};
  }
  lit_t *bits = arena_take(arena, then->count, sizeof *bits);
  fork_t *fork = arena_take(arena, 1, sizeof *fork);
  bits_mux(aig, then->count, condition, then->bits, otherwise->bits, bits);
  *fork = (fork_t){condition, *then, *otherwise};
  return (value_t){ValueWord, then->count, {.bits = bits}, fork};
}

uint32_t value_choices(aig_t *aig, const value_t *word, choice_t *choices, uint32_t most) {
  struct {
    lit_t when;
    const value_t *word;
  } stack[ValueMostChoices * 2];
  uint32_t count = 0, depth = 1, seen = 0;
  stack[0].when = AigTrue;
  stack[0].word = word;
  while (depth) {
    const lit_t when = stack[--depth].when;
    const value_t *w = stack[depth].word;
    if (w->fork) {
      if (++seen > ValueMostChoices || depth + 2 > ValueMostChoices * 2) {
        return 0;
      }
      stack[depth].when = aig_and(aig, when, w->fork->condition);
      stack[depth++].word = &w->fork->then;
      stack[depth].when = aig_and(aig, when, aig_not(w->fork->condition));
      stack[depth++].word = &w->fork->otherwise;
      continue;
    }
    uint32_t k = 0;
    while (k < count && memcmp(choices[k].bits, w->bits, w->count * sizeof *w->bits) != 0) {
      k++;
    }
    if (k == most) {
      return 0;
    }
    choices[k] = (choice_t){k < count ? aig_or(aig, choices[k].when, when) : when, w->bits};
    count += k == count;
  }
  return count;
}

bool value_same_place(aig_t *aig, const value_t *a, const value_t *b, lit_t *same) {
  *same = AigFalse;
  for (uint32_t i = 0; i < a->count; i++) {
    for (uint32_t k = 0; k < b->count; k++) {
      const target_t *x = &a->targets[i], *y = &b->targets[k];
      if (x->object != y->object) {
        continue;
      }
      if (x->object == ObjectNull || is_same_target(x, y)) {
        *same = aig_or(aig, *same, aig_and(aig, x->when, y->when));
      } else if (x->term_count || y->term_count) {
        return false;
      }
    }
  }
  return true;
}

bool value_is_null(const value_t *pointer) {
  for (uint32_t i = 0; i < pointer->count; i++) {
    if (pointer->targets[i].object != ObjectNull) {
      return false;
    }
  }
  return true;
}
