// SPDX-License-Identifier: Apache-2.0
// Words as literals, the lowest bit first, and the arithmetic of them. Results may stand where an
// operand does, but for shifts, products and divisions.
#ifndef NOCTURNE_PROVE_BITS_H
#define NOCTURNE_PROVE_BITS_H

#include "aig.h"

enum { BitsMost = 4096 };  // of a word

void bits_constant(lit_t *bits, uint32_t width, uint64_t value);
bool bits_is_constant(const lit_t *bits, uint32_t width);
uint64_t bits_number(const lit_t *bits, uint32_t width);  // of a constant, its lowest 64 bits

void bits_add(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b, lit_t carry, lit_t *sum);
void bits_subtract(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b, lit_t *difference);
void bits_negate(aig_t *aig, uint32_t width, const lit_t *a, lit_t *negative);
void bits_multiply(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b, lit_t *product);
// Unsigned. By 0: the quotient is all ones, the rest is a.
void bits_divide(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b, lit_t *quotient,
                 lit_t *rest);
void bits_mux(aig_t *aig, uint32_t width, lit_t condition, const lit_t *then,
              const lit_t *otherwise, lit_t *result);
lit_t bits_below(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b);  // unsigned
lit_t bits_equal(aig_t *aig, uint32_t width, const lit_t *a, const lit_t *b);
lit_t bits_is(aig_t *aig, uint32_t width, const lit_t *a, uint64_t value);  // width at most 64

typedef enum { ShiftLeft, ShiftRight, ShiftArithmetic } shift_e;
// Amounts of width and more shift everything out.
void bits_shift(aig_t *aig, shift_e kind, uint32_t width, const lit_t *a, uint32_t amount_width,
                const lit_t *amount, lit_t *result);

#endif
