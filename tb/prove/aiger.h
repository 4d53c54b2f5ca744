// SPDX-License-Identifier: Apache-2.0
// A unit's RTL as Yosys writes it: binary AIGER with names, of the unit's packed top
// (build/unit/NAME/vectors_NAME.sv: clk_i, rst_ni, in_i, out_o). Yosys gives a register all names
// that mean it; those under u_dut count here.
#ifndef NOCTURNE_PROVE_AIGER_H
#define NOCTURNE_PROVE_AIGER_H

#include "arrays.h"
#include "product.h"

typedef struct {
  const char *name;  // "gen_entry[0].credit_q[3]"
  uint32_t latch;
} aiger_name_t;

// Inputs and outputs by bit.
typedef struct {
  bool is_open;
  uint32_t a[ProductMostBits], b[ProductMostBits], y[ProductMostBits];
} aiger_product_t;

// A memory that tb/prove/memories.v left open. Its ports by bit: of the store, outputs; what loads
// ask, outputs, and are answered, inputs, load behind load.
typedef struct {
  uint32_t *at;
  uint32_t count;
} aiger_port_t;
typedef struct {
  const char *name;
  aiger_port_t enable, place, data, ask, answer;
  uint32_t array;
  const store_t *after;  // what the last clock stored (aiger_apply)
} aiger_memory_t;

// A fault of one bit of the graph (flaw.h), at a place: a node by its number, then each
// operand of each conjunction, then next states, then outputs.
typedef enum { FlawStuck0, FlawStuck1, FlawInverted, FlawKinds } flaw_kind_e;
typedef struct {
  uint32_t place;
  flaw_kind_e kind;
  uint32_t mutant;  // instead: of those that the graph holds (tb/mutate/mutants.sh); 0: none
} flaw_t;

// Flaws of which each is there where a literal of the graph holds (crowd.h). code: variables, of
// which a flaw's number is the value.
enum { CrowdBits = 8 };
typedef struct {
  aig_t *aig;
  const flaw_t *flaws;  // those of one place side by side
  lit_t *under;         // by flaw
  uint32_t count;
  uint32_t *at;  // by place: 1 + the first flaw there; 0: none
  lit_t code[CrowdBits];
  uint32_t bits;
} crowd_t;

typedef struct {
  uint32_t inputs, latches, outputs, ands;
  uint32_t *next, *output;  // AIGER's literals
  uint32_t (*operands)[2];
  uint32_t *input_bit;  // by input: bit of in_i, or one of those below
  uint32_t *output_of;  // by bit of out_o: the output
  uint32_t out_bits;
  aiger_name_t *names;  // of latches, sorted
  uint32_t name_count;
  const char **latch_name;    // by latch: one of its names
  aiger_product_t *products;  // those that tb/prove/products.v left open, by number
  uint32_t product_count;
  aiger_memory_t *memories;
  uint32_t memory_count;
  arrays_t *arrays;      // of the memories, since aiger_open
  char *text;            // that holds the names
  const crowd_t *crowd;  // or NULL
} aiger_t;

// AigerMutant and up: bits of the number that chooses a mutant.
enum {
  AigerMutant = 0xffffff00,
  AigerMemory = 0xfffffffc,
  AigerProduct = 0xfffffffd,
  AigerReset,
  AigerClock
};

// Nodes.
static inline uint32_t aiger_first_latch(const aiger_t *a) { return 1 + a->inputs; }
static inline uint32_t aiger_first_and(const aiger_t *a) { return 1 + a->inputs + a->latches; }
// Places.
static inline uint32_t aiger_operand(const aiger_t *a, uint32_t conjunction, uint32_t k) {
  return aiger_first_and(a) + a->ands + 2 * conjunction + k;
}
static inline uint32_t aiger_places(const aiger_t *a) {
  return aiger_operand(a, a->ands, a->latches + a->outputs);
}

// Ends the program with one line where the file is not what is said above.
void aiger_read(aiger_t *aiger, const char *path);
void aiger_free(aiger_t *aiger);
// Makes arrays of open memories; like: those of another graph's memories of the same names, or
// NULL. Ends the program where it does not have them.
void aiger_open(aiger_t *aiger, arrays_t *arrays, const aiger_t *like);
// The memory of this name under the unit, or NULL.
const aiger_memory_t *aiger_memory(const aiger_t *aiger, const char *name);

// The latch of a register's bit, or -1: it is constant or was merged with another without a name.
// element: of an unpacked array's.
int64_t aiger_latch(const aiger_t *aiger, const char *name, uint32_t element, uint32_t bits,
                    uint32_t elements, uint32_t bit);

// Marks all bits of the register's word of which this latch is one.
void aiger_mark_word(const aiger_t *aiger, uint32_t latch, bool *is_marked);
// By register: the first one of its word.
void aiger_words(const aiger_t *aiger, uint32_t *first);

// The literal of each node under literals for the rest; the caller frees them. like: the same of
// this graph without its flaws, under the same inputs and perhaps other registers, so that only
// what differs is worked out; or NULL.
lit_t *aiger_nodes(const aiger_t *aiger, aig_t *aig, products_t *products, lit_t rst_ni,
                   const lit_t *in, const lit_t *latches, const lit_t *like);
// Outputs by bit of out_o, and next states, of such nodes; either may be NULL.
void aiger_ends(const aiger_t *aiger, const lit_t *nodes, lit_t *out, lit_t *next);

// Both at once, of nodes that nobody else needs. With next states, open memories are as before the
// clock, and get what it stores; without them nothing is known of what they answer.
void aiger_apply(const aiger_t *aiger, aig_t *aig, products_t *products, lit_t rst_ni,
                 const lit_t *in, const lit_t *latches, lit_t *out, lit_t *next);

#endif
