// SPDX-License-Identifier: Apache-2.0
#include "product.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "fault.h"

enum { MostChain = 16 };  // products of products

typedef struct {
  uint32_t width;
  lit_t a[ProductMostBits], b[ProductMostBits], result[ProductMostBits];
  lit_t known;
} product_t;

struct products {
  aig_t *aig;
  product_t **list;
  uint32_t count, room;
  uint32_t least_unknown;  // bits of a word, to be open
};

products_t *products_create(aig_t *aig) {
  products_t *p = fault_calloc(1, sizeof *p);
  p->aig = aig;
  p->least_unknown = UINT32_MAX;
  return p;
}

void products_destroy(products_t *p) {
  for (uint32_t i = 0; i < p->count; i++) {
    free(p->list[i]);
  }
  free(p->list);
  free(p);
}

uint32_t products_open(products_t *p, uint32_t least_unknown) {
  const uint32_t was = p->least_unknown;
  p->least_unknown = least_unknown;
  return was;
}

// Copies of a sign are one.
static uint32_t unknown_bits(const lit_t *bits, uint32_t width) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < width; i++) {
    count += bits[i] > AigTrue && (i == 0 || bits[i] != bits[i - 1]);
  }
  return count;
}

// Bits up to the highest that may be 1.
static uint32_t significant(const lit_t *bits, uint32_t width) {
  while (width && bits[width - 1] == AigFalse) {
    width--;
  }
  return width;
}

static bool is_same(const lit_t *x, const lit_t *y, uint32_t width) {
  return memcmp(x, y, width * sizeof *x) == 0;
}

static const product_t *find(const products_t *p, uint32_t width, const lit_t *a, const lit_t *b) {
  for (uint32_t i = 0; i < p->count; i++) {
    const product_t *q = p->list[i];
    if (q->width == width && ((is_same(q->a, a, width) && is_same(q->b, b, width)) ||
                              (is_same(q->a, b, width) && is_same(q->b, a, width)))) {
      return q;
    }
  }
  return NULL;
}

// If word `a` has only bits below some place, so has the product, higher by the bits of the other.
static lit_t short_word(aig_t *aig, const product_t *q, const lit_t *a, uint32_t m, uint32_t n) {
  lit_t known = AigTrue, upper = AigFalse, above = AigFalse;
  for (uint32_t k = m; k-- > 0;) {
    upper = aig_or(aig, upper, a[k]);
    above = k + n < q->width ? aig_or(aig, above, q->result[k + n]) : above;
    known = aig_and(aig, known, aig_or(aig, upper, aig_not(above)));
  }
  return known;
}

static bool is_whole(const product_t *q) {
  return significant(q->a, q->width) + significant(q->b, q->width) <= q->width;
}

// At most the product of the largest words, and of fewer bits for shorter words.
static lit_t bound(aig_t *aig, const product_t *q, uint32_t m, uint32_t n) {
  lit_t largest[ProductMostBits];
  if (m + n > q->width || m + n >= ProductMostBits) {
    return AigTrue;
  }
  bits_constant(largest, q->width, ((UINT64_C(1) << m) - 1) * ((UINT64_C(1) << n) - 1));
  const lit_t shorter =
      aig_and(aig, short_word(aig, q, q->a, m, n), short_word(aig, q, q->b, n, m));
  return aig_and(aig, shorter, aig_not(bits_below(aig, q->width, largest, q->result)));
}

static const product_t *make(products_t *p, uint32_t width, const lit_t *a, const lit_t *b) {
  product_t *q = fault_calloc(1, sizeof *q);
  const uint32_t m = significant(a, width), n = significant(b, width);
  if (p->count == p->room) {
    p->room = p->room ? p->room * 2 : 64;
    p->list = fault_realloc(p->list, p->room, sizeof *p->list);
  }
  p->list[p->count++] = q;
  q->width = width;
  memcpy(q->a, a, width * sizeof *a);
  memcpy(q->b, b, width * sizeof *b);
  for (uint32_t i = 0; i < width; i++) {
    q->result[i] = i < m + n ? aig_variable(p->aig) : (lit_t)AigFalse;
  }
  q->known = bound(p->aig, q, m, n);
  return q;
}

void products_multiply(products_t *p, uint32_t width, const lit_t *a, const lit_t *b,
                       lit_t *product) {
  if (width > ProductMostBits || unknown_bits(a, width) < p->least_unknown ||
      unknown_bits(b, width) < p->least_unknown) {
    bits_multiply(p->aig, width, a, b, product);
    return;
  }
  const product_t *q = find(p, width, a, b);
  q = q ? q : make(p, width, a, b);
  memcpy(product, q->result, width * sizeof *product);
}

static uint64_t number(const uint8_t *value, const lit_t *bits, uint32_t width) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < width; i++) {
    n |= (uint64_t)aig_value(value, bits[i]) << i;
  }
  return n;
}

// (A product's words are older than it is, and its word is of nodes that follow each other.)
void products_evaluate(const products_t *p, uint8_t *value) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const product_t *q = p->list[i];
    aig_evaluate_some(p->aig, first, q->result[0] / 2, value);
    first = q->result[0] / 2;
    const uint64_t product = number(value, q->a, q->width) * number(value, q->b, q->width);
    for (uint32_t b = 0; b < q->width; b++) {
      if (q->result[b] != AigFalse) {
        value[q->result[b] / 2] = product >> b & 1;
      }
    }
  }
  aig_evaluate_some(p->aig, first, aig_count(p->aig), value);
}

static uint64_t lane_number(const uint64_t *word, uint32_t lane, const lit_t *bits,
                            uint32_t width) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < width; i++) {
    n |= (aig_word(word, bits[i]) >> lane & 1) << i;
  }
  return n;
}

static void work_out(const product_t *q, uint64_t *word) {
  for (uint32_t b = 0; b < q->width; b++) {
    if (q->result[b] != AigFalse) {
      word[q->result[b] / 2] = 0;
    }
  }
  for (uint32_t lane = 0; lane < 64; lane++) {
    const uint64_t product =
        lane_number(word, lane, q->a, q->width) * lane_number(word, lane, q->b, q->width);
    for (uint32_t b = 0; b < q->width; b++) {
      if (q->result[b] != AigFalse) {
        word[q->result[b] / 2] |= (product >> b & 1) << lane;
      }
    }
  }
}

void products_evaluate_words(const products_t *p, uint32_t first, uint64_t *word) {
  for (uint32_t i = 0; i < p->count; i++) {
    const product_t *q = p->list[i];
    const uint32_t node = q->result[0] / 2;
    if (node >= first) {
      aig_evaluate_words(p->aig, first, node, word);
      work_out(q, word);
      first = node;
    }
  }
  aig_evaluate_words(p->aig, first, aig_count(p->aig), word);
}

bool products_are(const products_t *p, const uint8_t *value) {
  bool are = true;
  for (uint32_t i = 0; i < p->count && are; i++) {
    const product_t *q = p->list[i];
    const uint64_t mask = UINT64_MAX >> (64 - q->width);
    const uint64_t product = number(value, q->a, q->width) * number(value, q->b, q->width);
    are = (product & mask) == number(value, q->result, q->width);
  }
  return are;
}

// As far as the narrower of two reaches: higher bits have no part in lower ones.
static bool is_contradiction(const product_t *q, const product_t *r, const uint8_t *value) {
  const uint32_t w = q->width < r->width ? q->width : r->width;
  const uint64_t a = number(value, q->a, w), b = number(value, q->b, w);
  const uint64_t c = number(value, r->a, w), d = number(value, r->b, w);
  return ((a == c && b == d) || (a == d && b == c)) &&
         number(value, q->result, w) != number(value, r->result, w);
}

// 2^k, or 2^k + 2^j (j below k): where word b is up to that, the product is up to word a times it.
typedef struct {
  uint32_t k, j;
  bool is_sum;
} short_t;

static uint64_t factor(short_t s) {
  return (UINT64_C(1) << s.k) + (s.is_sum ? UINT64_C(1) << s.j : 0);
}

static void shift(const lit_t *a, uint32_t width, uint32_t k, lit_t *shifted) {
  for (uint32_t i = 0; i < width; i++) {
    shifted[i] = i >= k ? a[i - k] : (lit_t)AigFalse;
  }
}

static void require_short(aig_t *aig, cnf_t *cnf, const product_t *q, const lit_t *a,
                          const lit_t *b, short_t s) {
  lit_t most[ProductMostBits], more[ProductMostBits], power[ProductMostBits];
  shift(a, q->width, s.k, most);
  if (s.is_sum) {
    shift(a, q->width, s.j, more);
    bits_add(aig, q->width, most, more, AigFalse, most);
  }
  bits_constant(power, q->width, factor(s));
  cnf_require(cnf, aig_or(aig, bits_below(aig, q->width, power, b),
                          aig_not(bits_below(aig, q->width, most, q->result))));
}

// Tells the solver if these values make the product larger than word a times the power of two
// that is word b or next above it, or times the sum of the one below it and another.
static bool tell_short(aig_t *aig, cnf_t *cnf, const product_t *q, const lit_t *a, const lit_t *b,
                       const uint8_t *value) {
  const uint64_t x = number(value, a, q->width), y = number(value, b, q->width);
  const uint32_t above = y < 2 ? 0 : 64 - (uint32_t)__builtin_clzll(y - 1);
  short_t s = {above, 0, false};
  bool is_broken = false;
  if (is_whole(q) && above < q->width && significant(a, q->width) + above <= q->width) {
    is_broken = number(value, q->result, q->width) > x * factor(s);
    const uint64_t rest = above > 0 ? y - (UINT64_C(1) << (above - 1)) : 0;
    if (!is_broken && rest > 0) {
      s = (short_t){above - 1, rest < 2 ? 0 : 64 - (uint32_t)__builtin_clzll(rest - 1), true};
      is_broken = number(value, q->result, q->width) > x * factor(s);
    }
  }
  if (is_broken) {
    require_short(aig, cnf, q, a, b, s);
  }
  return is_broken;
}

// Returns true if the solver was asked about anything that depends on it.
static bool is_known(const cnf_t *cnf, const product_t *q) {
  bool known = false;
  for (uint32_t i = 0; i < q->width && !known; i++) {
    known = q->result[i] != AigFalse && cnf_knows(cnf, q->result[i]);
  }
  return known;
}

static void require_equal(aig_t *aig, cnf_t *cnf, const product_t *q, const product_t *r) {
  const uint32_t w = q->width < r->width ? q->width : r->width;
  const lit_t straight =
      aig_and(aig, bits_equal(aig, w, q->a, r->a), bits_equal(aig, w, q->b, r->b));
  const lit_t crossed =
      aig_and(aig, bits_equal(aig, w, q->a, r->b), bits_equal(aig, w, q->b, r->a));
  cnf_require(cnf, aig_or(aig, aig_not(aig_or(aig, straight, crossed)),
                          bits_equal(aig, w, q->result, r->result)));
}

// Tells the solver if word a is no larger than the other product's c, and b than d, but the product
// is larger than the other one. No bit of the two may be lost.
static bool tell_order(aig_t *aig, cnf_t *cnf, const product_t *q, const product_t *r,
                       const lit_t *c, const lit_t *d, const uint8_t *value) {
  const uint32_t w = q->width > r->width ? q->width : r->width;
  const lit_t *from[] = {q->a, c, q->b, d, q->result, r->result};
  lit_t words[6][ProductMostBits] = {{AigFalse}}, above[3];
  for (uint32_t i = 0; i < 6; i++) {
    memcpy(words[i], from[i], (i % 2 ? r : q)->width * sizeof(lit_t));
  }
  if (!is_whole(q) || !is_whole(r) || number(value, words[0], w) > number(value, words[1], w) ||
      number(value, words[2], w) > number(value, words[3], w) ||
      number(value, words[4], w) <= number(value, words[5], w)) {
    return false;
  }
  for (uint32_t i = 0; i < 3; i++) {
    above[i] = bits_below(aig, w, words[2 * i + 1], words[2 * i]);
  }
  cnf_require(cnf, aig_or(aig, aig_not(above[2]), aig_or(aig, above[0], above[1])));
  return true;
}

// Tells the solver of what these values make wrong in two products, or in one (q == r). Returns
// false if that is nothing.
typedef bool (*tell_t)(aig_t *aig, cnf_t *cnf, const product_t *q, const product_t *r,
                       const uint8_t *value);

static bool tell_equal(aig_t *aig, cnf_t *cnf, const product_t *q, const product_t *r,
                       const uint8_t *value) {
  const bool is_wrong = is_contradiction(q, r, value);
  if (is_wrong) {
    require_equal(aig, cnf, q, r);
  }
  return is_wrong;
}

static bool tell_bounds(aig_t *aig, cnf_t *cnf, const product_t *q, const product_t *r,
                        const uint8_t *value) {
  return q == r ? tell_short(aig, cnf, q, q->a, q->b, value) ||
                      tell_short(aig, cnf, q, q->b, q->a, value)
                : tell_order(aig, cnf, q, r, r->a, r->b, value) ||
                      tell_order(aig, cnf, q, r, r->b, r->a, value) ||
                      tell_order(aig, cnf, r, q, q->a, q->b, value) ||
                      tell_order(aig, cnf, r, q, q->b, q->a, value);
}

static bool contradict(products_t *p, cnf_t *cnf, const uint8_t *value, tell_t tell) {
  bool any = false;
  for (uint32_t i = 0; i < p->count; i++) {
    bool is_told = !is_known(cnf, p->list[i]);
    // One other of each is enough for now: all pairs of many may be more than memory holds.
    for (uint32_t k = 0; k <= i && !is_told; k++) {
      is_told = is_known(cnf, p->list[k]) && tell(p->aig, cnf, p->list[i], p->list[k], value);
      any |= is_told;
    }
  }
  return any;
}

bool products_contradict(products_t *p, cnf_t *cnf, const uint8_t *value) {
  return contradict(p, cnf, value, tell_equal) || contradict(p, cnf, value, tell_bounds);
}

void products_require(const products_t *p, cnf_t *cnf) {
  for (uint32_t i = 0; i < p->count; i++) {
    if (!cnf_knows(cnf, p->list[i]->known)) {
      cnf_require(cnf, p->list[i]->known);
    }
  }
}

static bool depends(const products_t *p, const product_t *q, const uint8_t *is_marked) {
  lit_t words[2 * ProductMostBits];
  const uint32_t nodes = aig_count(p->aig);
  uint8_t *needed = fault_calloc(nodes, 1);
  bool found = false;
  memcpy(words, q->a, q->width * sizeof *words);
  memcpy(words + q->width, q->b, q->width * sizeof *words);
  aig_cone(p->aig, words, 2 * q->width, needed);
  for (uint32_t i = 0; i < nodes && !found; i++) {
    found = needed[i] && is_marked[i];
  }
  free(needed);
  return found;
}

// (A product's words are older than it is.)
void products_follow(const products_t *p, uint8_t *is_marked) {
  for (uint32_t i = 0; i < p->count; i++) {
    const product_t *q = p->list[i];
    const bool is_dependent = depends(p, q, is_marked);
    for (uint32_t b = 0; b < q->width && is_dependent; b++) {
      is_marked[q->result[b] / 2] |= q->result[b] != AigFalse;
    }
  }
}

void products_work_out(const products_t *p, lit_t *roots, uint32_t count) {
  uint32_t bits = 0, at = count;
  for (uint32_t i = 0; i < p->count; i++) {
    bits += p->list[i]->width;
  }
  if (!bits) {
    return;
  }
  // Behind the roots the words of all products: they may hold products themselves.
  lit_t *all = fault_calloc(count + 2 * (size_t)bits, sizeof *all);
  lit_t *from = fault_calloc(bits, sizeof *from), *to = fault_calloc(bits, sizeof *to);
  memcpy(all, roots, count * sizeof *all);
  for (uint32_t i = 0; i < p->count; i++) {
    const product_t *q = p->list[i];
    memcpy(all + at, q->a, q->width * sizeof *all);
    memcpy(all + at + q->width, q->b, q->width * sizeof *all);
    at += 2 * q->width;
  }
  for (uint32_t turn = 0; turn < MostChain; turn++) {
    uint32_t open = 0;
    at = count;
    for (uint32_t i = 0; i < p->count; i++) {
      const product_t *q = p->list[i];
      lit_t result[ProductMostBits];
      bits_multiply(p->aig, q->width, all + at, all + at + q->width, result);
      at += 2 * q->width;
      for (uint32_t b = 0; b < q->width; b++) {
        if (q->result[b] != AigFalse) {
          from[open] = q->result[b];
          to[open++] = result[b];
        }
      }
    }
    lit_t *was = fault_calloc(at, sizeof *was);
    memcpy(was, all, at * sizeof *was);
    aig_substitute(p->aig, from, to, open, all, at);
    const bool is_done = memcmp(was, all, at * sizeof *was) == 0;
    free(was);
    if (is_done) {
      break;
    }
    if (turn == MostChain - 1) {
      fault(FaultUsage, "more than %d products of products", MostChain);
    }
  }
  memcpy(roots, all, count * sizeof *roots);
  free(all);
  free(from);
  free(to);
}
