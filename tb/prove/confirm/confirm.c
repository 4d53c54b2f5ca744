// SPDX-License-Identifier: Apache-2.0
// build/confirm: reads from standard input what the prover's SAT solver was given and what it
// derived, and checks each step by unit propagation alone: assume that a derived clause is false,
// and the clauses before it must contradict each other. Shares no code with prover or solver.
//
// The input is binary DRAT (a letter, literals, 0) with two letters more, in the order of events:
//   i  a clause that the solver was given        q  a clause that it answers to a question
//   a  one that it derived                       d  one that it drops
// A step counts only if it follows; so what is dropped is of no weight, and comes back where a step
// does not follow without it. Exit status: 0 every answer follows; 1 one does not, or a step before
// it; 2 not such an input.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { StatusRefuted = 1, StatusInput = 2, FirstRoom = 4, Removed = 0x80000000 };

// Literals are 2 * variable, plus one where inverted, as in the file.
typedef uint32_t literal_t;

typedef struct {
  uint32_t *list, count, room;
} list_t;

// A clause lies in `words` as its count, with Removed where it is dropped, and its literals, of
// which the first two are watched.
static list_t words, *watches, trail, clauses, *names;
static int8_t *value;  // by literal: 1 true, -1 false
static uint32_t literals, name_room, next_of_trail, step;
static int contradicts;  // the clauses do, without an assumption
static uint64_t answers, derived;

static void *grow(void *memory, uint32_t *room, uint32_t needed, size_t size) {
  const uint32_t was = *room;
  uint32_t now = was ? was : FirstRoom;
  while (now < needed) {
    now = now > UINT32_MAX / 2 ? UINT32_MAX : now * 2;
  }
  memory = now > was ? realloc(memory, now * size) : memory;
  if (!memory) {
    fprintf(stderr, "confirm: out of memory\n");
    exit(StatusInput);
  }
  if (now > was) {
    memset((char *)memory + was * size, 0, (now - was) * size);
  }
  *room = now;
  return memory;
}

static void push(list_t *l, uint32_t word) {
  l->list = grow(l->list, &l->room, l->count + 1, sizeof *l->list);
  l->list[l->count++] = word;
}

static void need_literal(literal_t l) {
  if ((l | 1) >= literals) {
    uint32_t room = literals;
    value = grow(value, &room, (l | 1) + 1, sizeof *value);
    room = literals;
    watches = grow(watches, &room, (l | 1) + 1, sizeof *watches);
    literals = room;
  }
}

static void assign(literal_t l) {
  value[l] = 1;
  value[l ^ 1] = -1;
  push(&trail, l);
}

// ---- Propagation ----

// Looks at a clause of which a watched literal became false. Returns 1 if it is kept in that list,
// 0 if it watches another one or is dropped, -1 if all its literals are false.
static int visit(uint32_t at, literal_t is_false) {
  const uint32_t count = words.list[at];
  literal_t *l = &words.list[at + 1];
  if (count & Removed) {
    return 0;
  }
  if (l[0] == is_false) {
    l[0] = l[1];
    l[1] = is_false;
  }
  if (value[l[0]] == 1) {
    return 1;
  }
  for (uint32_t i = 2; i < count; i++) {
    if (value[l[i]] != -1) {
      l[1] = l[i];
      l[i] = is_false;
      push(&watches[l[1]], at);
      return 0;
    }
  }
  if (value[l[0]] == -1) {
    return -1;
  }
  assign(l[0]);
  return 1;
}

// Returns whether the clauses contradict what is assigned.
static int propagate(void) {
  while (next_of_trail < trail.count) {
    const literal_t is_false = trail.list[next_of_trail++] ^ 1;
    list_t *w = &watches[is_false];
    uint32_t kept = 0, i = 0;
    int found = 0;
    for (; i < w->count && found >= 0; i++) {
      const uint32_t at = w->list[i];
      found = visit(at, is_false);
      if (found != 0) {
        w->list[kept++] = at;
      }
    }
    for (; i < w->count; i++) {
      w->list[kept++] = w->list[i];
    }
    w->count = kept;
    if (found < 0) {
      return 1;
    }
  }
  return 0;
}

// Takes back what was assigned behind so many.
static void undo(uint32_t count) {
  while (trail.count > count) {
    const literal_t l = trail.list[--trail.count];
    value[l] = value[l ^ 1] = 0;
  }
  next_of_trail = count;
}

// ---- Clauses ----

static uint32_t name_of(const literal_t *l, uint32_t count) {
  uint64_t sum = 0, product = 1, mixed = 0;  // whatever their order is
  for (uint32_t i = 0; i < count; i++) {
    sum += l[i];
    product *= 2 * (uint64_t)l[i] + 1;
    mixed ^= l[i] * UINT64_C(0x9e3779b97f4a7c15);
  }
  const uint64_t h = (sum * 31 + product * 17 + mixed) * UINT64_C(0xbf58476d1ce4e5b9);
  return (uint32_t)(h >> 32);
}

static void enter_name(uint32_t at) {
  const uint32_t count = words.list[at] & ~Removed;
  push(&names[name_of(&words.list[at + 1], count) & (name_room - 1)], at);
}

static void enter(uint32_t at) {
  if (clauses.count >= name_room) {
    for (uint32_t i = 0; i < name_room; i++) {
      names[i].count = 0;
    }
    names = grow(names, &name_room, 2 * (clauses.count + 1), sizeof *names);
    for (uint32_t i = 0; i < clauses.count; i++) {
      enter_name(clauses.list[i]);
    }
  }
  push(&clauses, at);
  enter_name(at);
}

// Puts two literals first that are not false, if there are two, and watches them. Nothing but what
// follows from the clauses alone is assigned.
static void watch(uint32_t at) {
  const uint32_t count = words.list[at] & ~Removed;
  literal_t *l = &words.list[at + 1];
  uint32_t open = 0;
  for (uint32_t i = 0; i < count && open < 2; i++) {
    if (value[l[i]] != -1) {
      const literal_t first = l[open];
      l[open++] = l[i];
      l[i] = first;
    }
  }
  if (count > 1) {
    push(&watches[l[0]], at);
    push(&watches[l[1]], at);
  }
  if (open == 0) {
    contradicts = 1;
  } else if (open == 1 && value[l[0]] == 0) {
    assign(l[0]);
    contradicts |= propagate();
  }
}

static void add(const literal_t *l, uint32_t count) {
  const uint32_t at = words.count;
  push(&words, count);
  for (uint32_t i = 0; i < count; i++) {
    push(&words, l[i]);
  }
  enter(at);
  watch(at);
}

static int is_same(uint32_t at, const literal_t *l, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t k = 0;
    while (k < count && words.list[at + 1 + k] != l[i]) {
      k++;
    }
    if (k == count) {
      return 0;
    }
  }
  return 1;
}

static void drop(const literal_t *l, uint32_t count) {
  const list_t *n = name_room ? &names[name_of(l, count) & (name_room - 1)] : NULL;
  for (uint32_t i = 0; n && count > 1 && i < n->count; i++) {
    const uint32_t at = n->list[i];
    if (words.list[at] == count && is_same(at, l, count)) {
      words.list[at] |= Removed;
      return;
    }
  }
}

// Takes back all that was dropped. Returns whether there was anything.
static int take_back(void) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < clauses.count; i++) {
    const uint32_t at = clauses.list[i], count = words.list[at] & ~Removed;
    if (words.list[at] & Removed) {
      // A copy, since old watches of this one may be left.
      literal_t *copy = malloc((count + 1) * sizeof *copy);
      if (!copy) {
        exit(StatusInput);
      }
      memcpy(copy, &words.list[at + 1], count * sizeof *copy);
      clauses.list[i] = words.count;
      push(&words, count);
      for (uint32_t k = 0; k < count; k++) {
        push(&words, copy[k]);
      }
      free(copy);
      enter_name(clauses.list[i]);
      watch(clauses.list[i]);
      found = 1;
    }
  }
  return found;
}

// ---- Steps ----

static int follows_now(const literal_t *l, uint32_t count) {
  const uint32_t before = trail.count;
  int found = contradicts;
  for (uint32_t i = 0; i < count && !found; i++) {
    if (value[l[i]] == 1) {
      found = 1;
    } else if (value[l[i]] == 0) {
      assign(l[i] ^ 1);
    }
  }
  found = found || propagate();
  undo(before);
  return found;
}

static void derive(const literal_t *l, uint32_t count, char kind) {
  if (!follows_now(l, count) && !(take_back() && follows_now(l, count))) {
    fprintf(stderr, "confirm: step %u, %s %" PRIu64 ": it does not follow\n", step,
            kind == 'q' ? "answer" : "derived clause", kind == 'q' ? answers + 1 : derived + 1);
    exit(StatusRefuted);
  }
  answers += kind == 'q';
  derived += kind == 'a';
  add(l, count);
}

static void refuse(void) {
  fprintf(stderr, "confirm: step %u: not a proof\n", step);
  exit(StatusInput);
}

// Reads literals up to 0, each once. Returns how many.
static uint32_t read_literals(list_t *into) {
  into->count = 0;
  for (;;) {
    uint32_t word = 0, shift = 0;
    int c;
    while ((c = getc_unlocked(stdin)) != EOF && c & 0x80 && shift < 28) {
      word |= (uint32_t)(c & 0x7f) << shift;
      shift += 7;
    }
    if (c == EOF) {
      refuse();
    }
    word |= (uint32_t)c << shift;
    if (word == 0) {
      return into->count;
    }
    need_literal(word);
    uint32_t i = 0;
    while (i < into->count && into->list[i] != word) {
      i++;
    }
    if (i == into->count) {
      push(into, word);
    }
  }
}

int main(void) {
  list_t read = {0};
  for (int kind; (kind = getc_unlocked(stdin)) != EOF;) {
    step++;
    const uint32_t count = read_literals(&read);
    switch (kind) {
      case 'i': add(read.list, count); break;
      case 'a':
      case 'q': derive(read.list, count, (char)kind); break;
      case 'd': drop(read.list, count); break;
      default: refuse();
    }
  }
  return 0;
}
