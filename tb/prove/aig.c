// SPDX-License-Identifier: Apache-2.0
#include "aig.h"

#include <stdlib.h>
#include <string.h>

#include "fault.h"

enum { MostVariables = 6, Unknown = 7, Variable = 0xffffffff };

typedef struct {
  lit_t a, b;  // Variable: none
  uint32_t support[MostVariables];
  uint64_t table;     // of the function of the support, the first variable fastest
  uint8_t variables;  // of the support; Unknown: more than MostVariables
} node_t;

typedef struct {
  uint64_t key;  // both operands, 0: empty
  lit_t lit;
} pair_t;

struct aig {
  node_t *nodes;
  uint32_t count, room;
  pair_t *pairs;  // conjunctions that were asked for
  uint32_t pair_count, pair_room;
  uint32_t *functions;  // nodes by their truth tables, 0: empty
  uint32_t function_count, function_room;
};

static const uint64_t Columns[MostVariables] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc,
                                                0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
                                                0xffff0000ffff0000, 0xffffffff00000000};

static uint64_t mix(uint64_t h) {
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return h ^ h >> 32;
}

static uint64_t function_hash(const node_t *n, uint64_t table) {
  uint64_t h = table;
  for (uint32_t i = 0; i < n->variables; i++) {
    h = mix(h + 0x9e3779b97f4a7c15u * n->support[i]);
  }
  return mix(h + n->variables);
}

// The place of a function in the table: its node, or where it would be put.
static uint32_t *function_slot(const aig_t *aig, const node_t *n, uint64_t table) {
  uint32_t at = (uint32_t)function_hash(n, table) & (aig->function_room - 1);
  for (;; at = (at + 1) & (aig->function_room - 1)) {
    uint32_t *slot = &aig->functions[at];
    const node_t *o = &aig->nodes[*slot];
    if (!*slot || (o->variables == n->variables && o->table == table &&
                   memcmp(o->support, n->support, n->variables * sizeof *n->support) == 0)) {
      return slot;
    }
  }
}

static pair_t *pair_slot(const aig_t *aig, uint64_t key) {
  uint32_t at = (uint32_t)mix(key) & (aig->pair_room - 1);
  while (aig->pairs[at].key && aig->pairs[at].key != key) {
    at = (at + 1) & (aig->pair_room - 1);
  }
  return &aig->pairs[at];
}

static void grow_functions(aig_t *aig) {
  uint32_t *old = aig->functions, room = aig->function_room;
  aig->function_room = room * 2;
  aig->functions = fault_calloc(aig->function_room, sizeof *aig->functions);
  for (uint32_t i = 0; i < room; i++) {
    if (old[i]) {
      const node_t *n = &aig->nodes[old[i]];
      *function_slot(aig, n, n->table) = old[i];
    }
  }
  free(old);
}

static void grow_pairs(aig_t *aig) {
  pair_t *old = aig->pairs;
  uint32_t room = aig->pair_room;
  aig->pair_room = room * 2;
  aig->pairs = fault_calloc(aig->pair_room, sizeof *aig->pairs);
  for (uint32_t i = 0; i < room; i++) {
    if (old[i].key) {
      *pair_slot(aig, old[i].key) = old[i];
    }
  }
  free(old);
}

static lit_t put(aig_t *aig, const node_t *n) {
  if (aig->count == aig->room) {
    if (aig->room >= 1u << 30) {
      fault(FaultLacking, "out of room for the graph");
    }
    aig->room *= 2;
    aig->nodes = fault_realloc(aig->nodes, aig->room, sizeof *aig->nodes);
  }
  aig->nodes[aig->count] = *n;
  if (n->variables <= MostVariables) {
    if (aig->function_count * 2 >= aig->function_room) {
      grow_functions(aig);
    }
    *function_slot(aig, n, n->table) = aig->count;
    aig->function_count++;
  }
  return 2 * aig->count++;
}

aig_t *aig_create(void) {
  aig_t *aig = fault_calloc(1, sizeof *aig);
  aig->room = aig->pair_room = aig->function_room = 1 << 12;
  aig->nodes = fault_calloc(aig->room, sizeof *aig->nodes);
  aig->pairs = fault_calloc(aig->pair_room, sizeof *aig->pairs);
  aig->functions = fault_calloc(aig->function_room, sizeof *aig->functions);
  aig->nodes[0] = (node_t){Variable, Variable, {0}, 0, 0};
  aig->count = 1;
  return aig;
}

void aig_destroy(aig_t *aig) {
  if (aig) {
    free(aig->nodes);
    free(aig->pairs);
    free(aig->functions);
    free(aig);
  }
}

uint32_t aig_count(const aig_t *aig) { return aig->count; }

lit_t aig_variable(aig_t *aig) {
  const node_t n = {Variable, Variable, {aig->count}, Columns[0], 1};
  return put(aig, &n);
}

bool aig_is_variable(const aig_t *aig, uint32_t node) {
  return node > 0 && aig->nodes[node].a == Variable;
}

void aig_operands(const aig_t *aig, uint32_t node, lit_t *a, lit_t *b) {
  *a = aig->nodes[node].a;
  *b = aig->nodes[node].b;
}

// ---- Truth tables ----

// The table with the variables i < j exchanged.
static uint64_t exchange(uint64_t table, uint32_t i, uint32_t j) {
  const uint64_t mask = Columns[i] & ~Columns[j];
  const uint32_t shift = (1u << j) - (1u << i);
  return (table & ~(mask | mask << shift)) | (table & mask) << shift | (table >> shift & mask);
}

// The table of a literal over a support that contains its node's.
static uint64_t expand(const node_t *n, bool inverted, const uint32_t *support, uint32_t count) {
  uint64_t table = n->table;
  uint32_t at = count;
  for (uint32_t i = n->variables; i-- > 0;) {
    do {
      at--;
    } while (support[at] != n->support[i]);
    table = at == i ? table : exchange(table, i, at);
  }
  return inverted ? ~table : table;
}

// Both supports as one, ascending; returns its size.
static uint32_t merge(const node_t *x, const node_t *y, uint32_t support[2 * MostVariables]) {
  uint32_t count = 0, i = 0, j = 0;
  while (i < x->variables || j < y->variables) {
    if (j == y->variables || (i < x->variables && x->support[i] < y->support[j])) {
      support[count++] = x->support[i++];
    } else {
      i += i < x->variables && x->support[i] == y->support[j];
      support[count++] = y->support[j++];
    }
  }
  return count;
}

// Leaves out the variables that the table does not depend on.
static void shrink(node_t *n) {
  for (uint32_t v = n->variables; v-- > 0;) {
    if ((n->table & Columns[v]) >> (1u << v) != (n->table & ~Columns[v])) {
      continue;
    }
    for (uint32_t k = v; k + 1 < n->variables; k++) {
      n->table = exchange(n->table, k, k + 1);
      n->support[k] = n->support[k + 1];
    }
    n->support[--n->variables] = 0;
  }
}

// A conjunction of few variables: the literal of a node with that function, or AigNone, and n then
// has its table.
static lit_t fold(const aig_t *aig, node_t *n) {
  const node_t *x = &aig->nodes[n->a / 2], *y = &aig->nodes[n->b / 2];
  uint32_t support[2 * MostVariables] = {0};
  n->variables = Unknown;
  if (x->variables > MostVariables || y->variables > MostVariables) {
    return AigNone;
  }
  uint32_t count = merge(x, y, support);
  if (count > MostVariables) {
    return AigNone;
  }
  memcpy(n->support, support, sizeof n->support);
  n->table = expand(x, n->a & 1, support, count) & expand(y, n->b & 1, support, count);
  n->variables = (uint8_t)count;
  shrink(n);
  if (n->variables == 0) {
    return n->table ? AigTrue : AigFalse;
  }
  uint32_t found = *function_slot(aig, n, n->table);
  if (found) {
    return 2 * found;
  }
  found = *function_slot(aig, n, ~n->table);
  return found ? 2 * found + 1 : (lit_t)AigNone;
}

// ---- Rules of two levels ----

static bool is_conjunction(const aig_t *aig, lit_t l) {
  return l > AigTrue && aig->nodes[l / 2].a != Variable;
}

// x and y, where y is a conjunction or its inverse: a literal that it equals, or that may stand
// for y (*instead), or AigNone.
static lit_t simplify(const aig_t *aig, lit_t x, lit_t y, lit_t *instead) {
  if (!is_conjunction(aig, y)) {
    return AigNone;
  }
  const lit_t c = aig->nodes[y / 2].a, d = aig->nodes[y / 2].b;
  if (!(y & 1)) {
    if (x == (c ^ 1) || x == (d ^ 1)) {
      return AigFalse;
    }
    return x == c || x == d ? y : (lit_t)AigNone;
  }
  if (x == (c ^ 1) || x == (d ^ 1)) {
    return x;
  }
  if (x == c || x == d) {
    *instead = x == c ? d ^ 1 : c ^ 1;
  }
  return AigNone;
}

// The operand that two conjunctions share whose other operands are opposites, or AigNone.
static lit_t shared(const node_t *n, const node_t *m) {
  return n->a == m->a && n->b == (m->b ^ 1)   ? n->a
         : n->a == m->b && n->b == (m->a ^ 1) ? n->a
         : n->b == m->b && n->a == (m->a ^ 1) ? n->b
         : n->b == m->a && n->a == (m->b ^ 1) ? n->b
                                              : (lit_t)AigNone;
}

// Two conjunctions that can't both hold, or one that says no more than the other; or neither of
// two that differ in one operand holds, which is what ends a branch: it was not entered.
static lit_t compare(const aig_t *aig, lit_t x, lit_t y) {
  if (!is_conjunction(aig, x) || !is_conjunction(aig, y)) {
    return AigNone;
  }
  const node_t *n = &aig->nodes[x / 2], *m = &aig->nodes[y / 2];
  if (x & 1) {
    const lit_t rest = y & 1 ? shared(n, m) : (lit_t)AigNone;
    return rest == AigNone ? rest : rest ^ 1;
  }
  const bool opposed =
      n->a == (m->a ^ 1) || n->a == (m->b ^ 1) || n->b == (m->a ^ 1) || n->b == (m->b ^ 1);
  if (!opposed) {
    return AigNone;
  }
  return y & 1 ? x : (lit_t)AigFalse;
}

// ---- Operators ----

lit_t aig_and(aig_t *aig, lit_t a, lit_t b) {
  if (a > b) {
    lit_t t = a;
    a = b;
    b = t;
  }
  if (a == AigFalse || (a ^ b) == 1) {
    return AigFalse;
  }
  if (a == AigTrue || a == b) {
    return b;
  }
  lit_t simple = AigNone, other = AigNone;
  for (uint32_t i = 0; i < 4 && simple == AigNone; i++) {
    const lit_t x = i & 1 ? b : a, y = i & 1 ? a : b;
    simple = i < 2 ? simplify(aig, x, y, &other) : compare(aig, x, y);
    if (simple == AigNone && other != AigNone) {
      return aig_and(aig, x, other);
    }
  }
  if (simple != AigNone) {
    return simple;
  }
  if (aig->pair_count * 2 >= aig->pair_room) {
    grow_pairs(aig);
  }
  pair_t *pair = pair_slot(aig, (uint64_t)a << 32 | b);
  if (!pair->key) {
    node_t n = {a, b, {0}, 0, 0};
    lit_t found = fold(aig, &n);
    *pair = (pair_t){(uint64_t)a << 32 | b, found == AigNone ? put(aig, &n) : found};
    aig->pair_count++;
  }
  return pair->lit;
}

lit_t aig_or(aig_t *aig, lit_t a, lit_t b) { return aig_not(aig_and(aig, a ^ 1, b ^ 1)); }

lit_t aig_or_all(aig_t *aig, const lit_t *list, size_t count) {
  if (count < 2) {
    return count ? *list : AigFalse;
  }
  const size_t half = count / 2;
  return aig_or(aig, aig_or_all(aig, list, half), aig_or_all(aig, list + half, count - half));
}

lit_t aig_mux(aig_t *aig, lit_t c, lit_t t, lit_t e) {
  if (c <= AigTrue || t == e) {
    return c == AigFalse ? e : t;
  }
  if (t <= AigTrue) {
    return t == AigTrue ? aig_or(aig, c, e) : aig_and(aig, aig_not(c), e);
  }
  if (e <= AigTrue) {
    return e == AigTrue ? aig_or(aig, aig_not(c), t) : aig_and(aig, c, t);
  }
  return aig_or(aig, aig_and(aig, c, t), aig_and(aig, aig_not(c), e));
}

lit_t aig_xor(aig_t *aig, lit_t a, lit_t b) {
  if (a <= AigTrue) {
    return a ^ b;
  }
  return b <= AigTrue ? a ^ b : aig_mux(aig, a, b ^ 1, b);
}

// ---- Passes ----

bool aig_contradicts(const aig_t *aig, lit_t lit) {
  enum { MostLeaves = 128 };
  lit_t leaf[MostLeaves], stack[MostLeaves];
  uint32_t leaves = 0, depth = 1;
  stack[0] = lit;
  while (depth > 0) {
    const lit_t l = stack[--depth];
    const node_t *n = &aig->nodes[l / 2];
    bool seen = false;
    for (uint32_t i = 0; i < leaves; i++) {
      if (leaf[i] == (l ^ 1)) {
        return true;
      }
      seen |= leaf[i] == l;
    }
    if (seen) {
      continue;
    }
    if (leaves == MostLeaves || depth + 2 > MostLeaves) {
      return false;
    }
    leaf[leaves++] = l;  // what is a conjunction, too: its opposite may be in another
    if (!(l & 1) && n->a != Variable && l / 2 > 0) {
      stack[depth++] = n->a;
      stack[depth++] = n->b;
    }
  }
  return false;
}

static void mark(const aig_t *aig, const lit_t *roots, size_t count, bool by_function,
                 uint8_t *needed) {
  uint32_t most = 0;
  for (size_t i = 0; i < count; i++) {
    needed[roots[i] / 2] = 1;
    most = roots[i] / 2 > most ? roots[i] / 2 : most;
  }
  for (uint32_t i = most; i > 0; i--) {
    const node_t *n = &aig->nodes[i];
    if (!needed[i] || n->a == Variable) {
      continue;
    }
    if (by_function && n->variables <= MostVariables) {
      for (uint32_t k = 0; k < n->variables; k++) {
        needed[n->support[k]] = 1;
      }
    } else {
      needed[n->a / 2] = needed[n->b / 2] = 1;
    }
  }
}

void aig_cone(const aig_t *aig, const lit_t *roots, size_t count, uint8_t *needed) {
  mark(aig, roots, count, false, needed);
}

void aig_support(const aig_t *aig, const lit_t *roots, size_t count, uint8_t *needed) {
  mark(aig, roots, count, true, needed);
}

void aig_substitute(aig_t *aig, const lit_t *from, const lit_t *to, size_t count, lit_t *roots,
                    size_t root_count) {
  uint32_t nodes = 1;  // below which all operands of the roots are
  for (size_t i = 0; i < root_count; i++) {
    nodes = roots[i] / 2 < nodes ? nodes : roots[i] / 2 + 1;
  }
  uint8_t *needed = fault_calloc(nodes, 1);
  lit_t *image = fault_calloc(nodes, sizeof *image);
  aig_cone(aig, roots, root_count, needed);
  for (uint32_t i = 0; i < nodes; i++) {
    image[i] = 2 * i;
  }
  for (size_t i = 0; i < count; i++) {
    if (from[i] / 2 < nodes) {
      image[from[i] / 2] = to[i] ^ (from[i] & 1);
      needed[from[i] / 2] = 0;
    }
  }
  for (uint32_t i = 1; i < nodes; i++) {
    if (needed[i] && aig->nodes[i].a != Variable) {
      lit_t a = aig->nodes[i].a, b = aig->nodes[i].b;
      image[i] = aig_and(aig, image[a / 2] ^ (a & 1), image[b / 2] ^ (b & 1));
    }
  }
  for (size_t i = 0; i < root_count; i++) {
    roots[i] = image[roots[i] / 2] ^ (roots[i] & 1);
  }
  free(image);
  free(needed);
}

int aig_ascending(const void *a, const void *b) {
  const lit_t x = *(const lit_t *)a, y = *(const lit_t *)b;
  return (x > y) - (x < y);
}

static bool holds(const lit_t *list, size_t count, lit_t l) {
  for (size_t i = 0; i < count; i++) {
    if (list[i] == l) {
      return true;
    }
  }
  return false;
}

size_t aig_implied(const aig_t *aig, lit_t *list, size_t count, size_t room) {
  for (size_t known = 0; known < count;) {
    known = count;
    for (size_t i = 0; i < known; i++) {
      const node_t *n = &aig->nodes[list[i] / 2];
      const bool is_and = list[i] / 2 != 0 && n->a != Variable;
      const bool is_false = list[i] & 1;
      const lit_t follows[2] = {
          !is_and                    ? AigTrue
          : !is_false                ? n->a
          : holds(list, count, n->b) ? n->a ^ 1
                                     : AigTrue,
          !is_and                    ? AigTrue
          : !is_false                ? n->b
          : holds(list, count, n->a) ? n->b ^ 1
                                     : AigTrue,
      };
      for (uint32_t k = 0; k < 2; k++) {
        if (follows[k] != AigTrue && count < room && !holds(list, count, follows[k])) {
          list[count++] = follows[k];
        }
      }
    }
  }
  return count;
}

void aig_evaluate(const aig_t *aig, uint8_t *value) {
  aig_evaluate_some(aig, 0, aig->count, value);
}

void aig_evaluate_some(const aig_t *aig, uint32_t first, uint32_t end, uint8_t *value) {
  value[0] = 0;
  for (uint32_t i = first > 0 ? first : 1; i < end; i++) {
    const node_t *n = &aig->nodes[i];
    if (n->a != Variable) {
      value[i] = aig_value(value, n->a) && aig_value(value, n->b);
    }
  }
}

void aig_evaluate_words(const aig_t *aig, uint32_t first, uint32_t end, uint64_t *word) {
  word[0] = 0;
  for (uint32_t i = first > 0 ? first : 1; i < end; i++) {
    const node_t *n = &aig->nodes[i];
    if (n->a != Variable) {
      word[i] = aig_word(word, n->a) & aig_word(word, n->b);
    }
  }
}
