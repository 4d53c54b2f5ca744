// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

#include <stdlib.h>
#include <string.h>

enum {
  FirstBits = sizeof(((ring_t *)0)->first) / sizeof(lit_t),
  MostConjuncts = 4096,  // that are put in order
};

// A case whose elements are called by their distance: literals, those of the duties ascending.
typedef struct {
  lit_t *context, *broken;
  uint32_t context_count, count;
} shape_t;

struct rings {
  const proof_t *proof;
  ring_t ring;
  const lit_t *elements;  // bits of the state before
  uint8_t *is_fixed;      // variables that must not occur: by node, of the first `nodes`
  uint32_t nodes;
  shape_t *shapes;
  uint32_t count, room;
};

static uint32_t element_bits(const rings_t *r) { return (uint32_t)r->ring.size * 8; }

// Checks that a ring of the wrapper has elements that are narrowed alike, and state that says where
// it begins.
static void check(const rings_t *r) {
  const uint32_t bits = element_bits(r);
  const aig_t *aig = r->proof->t->aig;
  for (uint32_t i = 0; i < bits * r->ring.count; i++) {
    const lit_t is = r->elements[i], as = r->elements[i % bits];
    const bool is_variable = !(is & 1) && aig_is_variable(aig, is / 2);
    if (is > AigTrue ? !is_variable || as <= AigTrue : is != as) {
      fault(FaultUsage,
            "prove_ring: bit %u of element %u is neither state nor narrowed as the "
            "first one's",
            i % bits, i / bits);
    }
  }
  for (uint32_t i = 0; i < FirstBits; i++) {
    if (r->ring.first[i] > AigTrue && !aig_is_variable(aig, r->ring.first[i] / 2)) {
      fault(FaultUsage, "prove_ring: where it begins is not state");
    }
  }
}

rings_t *rings_create(const proof_t *proof, const moment_t *moment) {
  rings_t *r = fault_calloc(1, sizeof *r);
  r->proof = proof;
  r->ring = moment->ring;
  if (r->ring.count) {
    r->elements = proof->t->before.objects[r->ring.object].bits + r->ring.offset * 8;
    check(r);
    // A product of words that depend on the ring is another one in each case.
    r->nodes = aig_count(proof->t->aig);
    r->is_fixed = fault_calloc(r->nodes, 1);
    for (uint32_t i = 0; i < element_bits(r) * r->ring.count; i++) {
      r->is_fixed[r->elements[i] / 2] = r->elements[i] > AigTrue;
    }
    for (uint32_t i = 0; i < FirstBits; i++) {
      r->is_fixed[r->ring.first[i] / 2] = r->ring.first[i] > AigTrue;
    }
    products_follow(proof->t->products, r->is_fixed);
    for (uint32_t i = 0; i < element_bits(r) * r->ring.count; i++) {
      r->is_fixed[r->elements[i] / 2] = 0;
    }
  }
  return r;
}

void rings_destroy(rings_t *r) {
  for (uint32_t i = 0; i < r->count; i++) {
    free(r->shapes[i].context);
    free(r->shapes[i].broken);
  }
  free(r->shapes);
  free(r->is_fixed);
  free(r);
}

// Nodes that depend on what must not occur.
static uint8_t *find_fixed(const rings_t *r) {
  const aig_t *aig = r->proof->t->aig;
  const uint32_t nodes = aig_count(aig);
  uint8_t *depends = fault_calloc(nodes, 1);
  for (uint32_t i = 1; i < nodes; i++) {
    if (aig_is_variable(aig, i)) {
      depends[i] = i < r->nodes && r->is_fixed[i];
    } else {
      lit_t a, b;
      aig_operands(aig, i, &a, &b);
      depends[i] = depends[a / 2] || depends[b / 2];
    }
  }
  return depends;
}

// Lists the literals whose conjunction a node is, however it was put together, its operands first.
static uint32_t conjuncts(const aig_t *aig, uint32_t node, lit_t *list) {
  uint32_t count = 2;
  aig_operands(aig, node, &list[0], &list[1]);
  for (uint32_t i = 0; i < count; i++) {
    while (list[i] > AigTrue && !(list[i] & 1) && !aig_is_variable(aig, list[i] / 2) &&
           count < MostConjuncts) {
      aig_operands(aig, list[i] / 2, &list[i], &list[count]);
      count++;
    }
  }
  return count;
}

// In ascending order, so that what was put together in another order becomes the same.
static lit_t put_together(aig_t *aig, lit_t *list, uint32_t count) {
  lit_t all = AigTrue;
  qsort(list, count, sizeof *list, aig_ascending);
  for (uint32_t i = 0; i < count; i++) {
    all = aig_and(aig, all, list[i]);
  }
  return all;
}

// Calls the elements by their distance from this one.
static void turn(const rings_t *r, uint32_t first, lit_t *roots, uint32_t count) {
  aig_t *aig = r->proof->t->aig;
  const uint32_t nodes = aig_count(aig), all = element_bits(r) * r->ring.count;
  lit_t list[MostConjuncts];
  lit_t *image = fault_calloc(nodes, sizeof *image);  // AigNone: not needed
  for (uint32_t i = 0; i < nodes; i++) {
    image[i] = AigNone;
  }
  for (uint32_t i = 0; i < count; i++) {
    image[roots[i] / 2] = roots[i] & ~1u;
  }
  for (uint32_t i = nodes; i-- > 1;) {
    const bool is_and = image[i] != AigNone && !aig_is_variable(aig, i);
    const uint32_t found = is_and ? conjuncts(aig, i, list) : 0;
    for (uint32_t k = 0; k < found; k++) {
      image[list[k] / 2] = list[k] & ~1u;
    }
  }
  for (uint32_t i = 0; i < all; i++) {
    const lit_t is = r->elements[(i + first * element_bits(r)) % all];
    if (is > AigTrue) {
      image[is / 2] = r->elements[i];
    }
  }
  for (uint32_t i = 1; i < nodes; i++) {
    if (image[i] != AigNone && !aig_is_variable(aig, i)) {
      const uint32_t found = conjuncts(aig, i, list);
      for (uint32_t k = 0; k < found; k++) {
        list[k] = image[list[k] / 2] ^ (list[k] & 1);
      }
      image[i] = put_together(aig, list, found);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    roots[i] = image[roots[i] / 2] ^ (roots[i] & 1);
  }
  free(image);
}

// Its literals, before they are turned: the context without what says where the ring begins, then
// the duties. False: what holds depends on that all the same.
static bool collect(const rings_t *r, const uint8_t *depends, const lit_t *context,
                    uint32_t context_count, const duty_t *list, uint32_t count, shape_t *s) {
  s->context = fault_calloc(context_count + count, sizeof *s->context);
  for (uint32_t i = 0; i < context_count; i++) {
    bool says_first = false;
    for (uint32_t k = 0; k < FirstBits; k++) {
      says_first |= context[i] / 2 == r->ring.first[k] / 2;
    }
    if (!says_first) {
      s->context[s->context_count++] = context[i];
      if (depends[context[i] / 2]) {
        return false;
      }
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    s->context[s->context_count + i] = list[i].broken;
  }
  return true;
}

uint32_t rings_leave(rings_t *r, const lit_t *context, uint32_t context_count, const lit_t *first,
                     duty_t *list, uint32_t count) {
  const uint64_t begins = r->ring.count && bits_is_constant(first, FirstBits)
                              ? bits_number(first, FirstBits)
                              : UINT64_MAX;
  shape_t s = {0};
  if (begins >= r->ring.count) {
    return count;
  }
  uint8_t *depends = find_fixed(r);
  if (!collect(r, depends, context, context_count, list, count, &s)) {
    free(depends);
    free(s.context);
    return count;
  }
  turn(r, (uint32_t)begins, s.context, s.context_count + count);
  duty_t *sorted = fault_calloc(count + 1, sizeof *sorted);
  uint32_t left = 0, gone = count;
  s.broken = fault_calloc(count + 1, sizeof *s.broken);
  for (uint32_t i = 0; i < count; i++) {
    const lit_t broken = s.context[s.context_count + i];
    const bool may_be_same = !depends[list[i].broken / 2];
    bool is_known = false;
    for (uint32_t k = 0; may_be_same && k < r->count && !is_known; k++) {
      const shape_t *was = &r->shapes[k];
      is_known = was->context_count == s.context_count &&
                 memcmp(was->context, s.context, s.context_count * sizeof *s.context) == 0 &&
                 bsearch(&broken, was->broken, was->count, sizeof broken, aig_ascending);
    }
    sorted[is_known ? --gone : left++] = list[i];
    if (may_be_same) {
      s.broken[s.count++] = broken;
    }
  }
  memcpy(list, sorted, count * sizeof *list);
  free(sorted);
  free(depends);
  qsort(s.broken, s.count, sizeof *s.broken, aig_ascending);
  if (r->count == r->room) {
    r->room = r->room ? r->room * 2 : 16;
    r->shapes = fault_realloc(r->shapes, r->room, sizeof *r->shapes);
  }
  r->shapes[r->count++] = s;
  return left;
}
