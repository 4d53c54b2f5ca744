// SPDX-License-Identifier: Apache-2.0
// A C program as LLVM bitcode, run on symbols: whatever its inputs, at once, into an and-inverter
// graph. Every loop is unrolled, stores happen under the condition of their block.
//
// Built for LLVM 14's C interface and for what clang makes of C at -O1 without vectors: integers of
// any width, pointers, structs, arrays, calls. Undefined values are 0. What is not known is refused
// by name with function and line (fault.h). What C leaves undefined, and what can't be told while
// running, is noted as an obligation, to be proven impossible: an access outside every object, a
// loop that goes on beyond its bound, a division by 0, a point that is not reached.
//
// Besides C's own, a program may call
//     void prove_check(const char *what, bool ok);
// which notes an obligation that the program states itself, and the same of prove_assume: what may
// be taken for granted; and of prove_case: where its condition does not hold is a case of its own.
//     void prove_by_value(const char *function, const void *word, size_t size, uint32_t count);
//     void prove_by_argument(const char *function, uint32_t argument, uint32_t count);
// say that from then on a function is run once for each value below `count` that the word, or an
// argument, may have, and that its results are joined by what the word is: a distinction of cases.
//     void prove_width(const void *word, size_t size, uint32_t bits);
//     void prove_ring(const void *elements, size_t size, size_t count, uint32_t first);
// says that `count` elements of `size` bytes each are a ring, which begins at `first`.
//     void prove_symbolic(const char *name, const void *elements, size_t size);
// makes an array (arrays.h) of what was allocated for elements of so many bytes.
//     void prove_memory(const char *name, uint32_t words, uint32_t bits, uint32_t word, void *to);
// reads a word of an RTL memory.
#ifndef NOCTURNE_PROVE_BITCODE_H
#define NOCTURNE_PROVE_BITCODE_H

#include "memory.h"
#include "product.h"

typedef struct bitcode bitcode_t;

typedef enum {
  ObligationOwed,
  ObligationCheck,
  ObligationAssumed,
  ObligationCase,  // none, but a condition that parts what is proved into two cases
} obligation_e;

typedef struct {
  const char *what;      // "bounds in step, draw_scheduler_golden.c:312", or the text of a check
  const char *instance;  // of a check: " (turn 0, 2)" of the loops around it, or ""
  lit_t broken;          // when it does not hold
  obligation_e kind;
} obligation_t;

// Bits that a word of the golden state uses.
enum { BitcodeMostWidths = 256 };
typedef struct {
  uint32_t object, bit, bits, most;  // most: bits that the word has
} width_t;

enum { BitcodeMostArrays = 16 };

// A word of one of the RTL's memories: its bits, at a place of so many, which is a word of 32 bits.
// False: there is no such memory, or it is not known of that place.
typedef bool bitcode_read_t(void *context, const char *name, uint32_t words, uint32_t bits,
                            const lit_t *index, lit_t *word);

typedef struct {
  uint32_t object, count;
  uint64_t offset, size;  // bytes; of an element
  lit_t first[32];
} ring_t;

// bound: of the turns of a loop whose end depends on symbols.
bitcode_t *bitcode_load(const char *path, aig_t *aig, products_t *products, uint32_t bound);
void bitcode_destroy(bitcode_t *program);

bool bitcode_has(const bitcode_t *program, const char *function);
// Runs a function with these arguments. The result is a ValueNone for void.
value_t bitcode_call(bitcode_t *program, const char *function, const value_t *arguments,
                     uint32_t count);
// A global variable's object, or ObjectNull.
uint32_t bitcode_object(bitcode_t *program, const char *name);
memory_t *bitcode_memory(bitcode_t *program);
arena_t *bitcode_arena(bitcode_t *program);

// Functions of the golden model for which the wrapper has others: prove_instead_NAME for NAME, of
// the same type, which may only read its arguments. Wherever NAME is called the other one runs.
// NULL: there are no more.
const char *bitcode_replaced(const bitcode_t *program, uint32_t i);
// Runs both with the same unknown words. What is noted in the meantime: that what they give is
// equal, and what the first one owes; both only where the second one's checks hold.
void bitcode_compare(bitcode_t *program, const char *name);

// Returns the obligations noted since the last clear.
const obligation_t *bitcode_obligations(const bitcode_t *program, uint32_t *count);
void bitcode_clear_obligations(bitcode_t *program);
// Words that prove_width named.
const width_t *bitcode_widths(const bitcode_t *program, uint32_t *count);
// Arrays that prove_symbolic named.
const element_t *bitcode_arrays(const bitcode_t *program, uint32_t *count);
// The function that prove_memory reads with from then on.
void bitcode_read_with(bitcode_t *program, bitcode_read_t *read, void *context);
// The ring that was named last since then, or NULL.
const ring_t *bitcode_ring(const bitcode_t *program);

#endif
