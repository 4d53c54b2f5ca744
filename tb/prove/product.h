// SPDX-License-Identifier: Apache-2.0
// Products of two unknown words, which no solver sees through. Where they are open, a product is a
// word of variables of which only this is known: those of equal words, in either order, are equal,
// those of larger words are no smaller, and none is larger than its words allow: than one word
// times a power of two, or the sum of two, that the other is up to. A proof with them holds for
// multiplication too; that both languages mean multiplication by * is taken for granted.
#ifndef NOCTURNE_PROVE_PRODUCT_H
#define NOCTURNE_PROVE_PRODUCT_H

#include "cnf.h"

// Bits of a word, to be open; ProductLeastUnknown is that of products.v.
enum { ProductMostBits = 64, ProductLeastUnknown = 6 };

typedef struct products products_t;

products_t *products_create(aig_t *aig);
void products_destroy(products_t *products);
// From here on products of words of at least so many unknown bits are open; before, and with
// UINT32_MAX, all are worked out. Returns what it was.
uint32_t products_open(products_t *products, uint32_t least_unknown);

// The lowest `width` bits of a product.
void products_multiply(products_t *products, uint32_t width, const lit_t *a, const lit_t *b,
                       lit_t *product);

// As aig_evaluate, with the values that the products have.
void products_evaluate(const products_t *products, uint8_t *value);
// The same of 64 values at once, a bit for each, of the nodes from `first` on.
void products_evaluate_words(const products_t *products, uint32_t first, uint64_t *word);
// True if all products have their values, given those of all nodes.
bool products_are(const products_t *products, const uint8_t *value);
// After CnfSatisfiable and aig_evaluate: whether these values break what is known of products; the
// solver is told of these products, and is to be asked again.
bool products_contradict(products_t *products, cnf_t *cnf, const uint8_t *value);
// Adds the known properties of each product.
void products_require(const products_t *products, cnf_t *cnf);
// is_marked, by node: variables; grows by the open products of words that depend on marked ones.
void products_follow(const products_t *products, uint8_t *is_marked);
// The roots with the open products worked out.
void products_work_out(const products_t *products, lit_t *roots, uint32_t count);

#endif
