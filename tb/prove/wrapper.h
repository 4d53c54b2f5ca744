// SPDX-License-Identifier: Apache-2.0
// The vocabulary of wrappers (tests/units/UNIT/proof.c): the relation between a unit's golden
// model and its RTL, and the invariant, as C that clang compiles for the prover
// (docs/hardware/proved.md). The wrapper includes the golden model's C, so it sees the model's
// state.
//
//   PROVE_UNIT(NAME)        the unit's inputs In, outputs Out, observed state State, parameters
//                           Params, and its engine; PROVE_STATELESS_UNIT where none is observed;
//                           PROVE_OUTSIDE_UNIT, PROVE_STATELESS_OUTSIDE_UNIT: of a unit from
//                           outside the tree, whose functions are those of tb/harness/outside.h
//   Related, Registers      Related is a struct of the wrapper's that prove_relate fills from the
//                           golden model's state; Registers says which RTL register each member
//                           equals
//   FindRelation            a global variable of this name, or no Registers: each RTL register that
//                           the wrapper does not name is taken for what it was of the golden
//                           model's state in runs from reset, which is proved as the rest is
//                           (relation.h)
//   Rtl                     a struct of registers that no golden state determines, given to the
//                           invariant and to prove_relate, which may write into it what some of
//                           them must be in this state, such as the words of a queue that are in
//                           use: a register equals what is there then, and what is left as it was
//                           may be anything
//   FindWidths              a global variable of this name: a bit of the golden model's integers is
//                           state if it was not as made in runs from reset or in the recorded runs,
//                           or if it is the next one of a counter that is as wide in the RTL; short
//                           words are no more than they were. What the solver finds wrong of that
//                           is given up, and that a step keeps the rest is proved (widths.h)
//   OpenProducts            a global variable of this name, at least 6, leaves products of two
//                           words of so many unknown bits open (product.h)
//   prove_narrow()          clears the bits of the golden model's state that it never uses, and
//                           makes again what follows from other state: that this changes nothing
//                           is proven of every step
//   prove_invariant()       prove_check for each fact that holds before and after every step
//   prove_instances()       where there is a global variable Any, such as the number of an entry:
//                           it has free values, and what invariant and step say of it is proved for
//                           each. The invariant is assumed for it and for all that this function
//                           writes into the array Instances, of the state and the inputs. State,
//                           relation and prove_assume may not depend on Any, nor a branch of
//                           prove_step with a store behind it
//   prove_lemmas()          prove_check for facts that follow of any related state, with Rtl at
//                           hand, and that help with what a clock makes of it: proved before the
//                           rest, such as that a word which both sides read is one word
//   prove_step()            one clock, and prove_check for what it must
//                           do; prove_assume for what the contract leaves undefined where the
//                           inputs don't keep to it
//   prove_case()            in prove_step: where the condition holds and where it does not is
//                           proved one after the other, each in a simpler graph; further ones make
//                           cases of these, and so do outputs of prove_outputs
//   prove_ring()            in prove_step: the elements of a ring, and at which one it begins. Of
//                           cases that differ in nothing but that one is proved
//   prove_instead_NAME()    runs wherever the golden model calls NAME, a function of numbers alone,
//                           which the wrapper declares noinline before it includes it. That the
//                           two are equal where this one's checks hold is proved apart, for all
//                           numbers; that they hold is proved wherever it is called
//   prove_setup()           once, after the golden model was made: prove_by_value or
//                           prove_by_argument for each function that is run once per value of a
//                           small word, in a smaller graph. The wrapper keeps clang from building
//                           it in, with a pragma around the golden model. With FindWidths,
//                           prove_width for words that no run fills
//                           With `symbolic` in unit.yaml, prove_symbolic for each table of the
//                           golden model, or of the wrapper, that goes with an RTL memory: no place
//                           of it is written down (arrays.h), and Any is one. PROVE_SYMBOLIC is
//                           defined then. There is no FindWidths, and prove_width says how many
//                           bits of a word the model uses
//   prove_memory()          in prove_invariant: a word of a memory of the RTL, which its register
//   is
//                           not named for; where it is not symbolic, the place must be known
//   prove_outputs()         writes Out and State as the golden model does of its state and In, at
//   the
//                           end of a clock. Where there is one, the RTL's outputs are proved equal
//                           to these in any related state, and a clock's to be these, and not
//                           behind the clock's graph
//                           PROVE_OUTPUTS: by the function `outputs` of the golden model
//   prove_restart()         a reset, where the wrapper has something of its own to reset;
//                           PROVE_MONITOR_RESTART: a Monitor, to zeros
//   prove_cover()           after a clock, prove_check for each situation: that it never fails is
//                           what is refuted, by a run from reset
#ifndef NOCTURNE_PROVE_WRAPPER_H
#define NOCTURNE_PROVE_WRAPPER_H

#include "csim/unit/table.h"

typedef enum { ProveRelated, ProveRtl, ProveShown } prove_side_e;

// A member of Related or Rtl: `elements` of `size` bytes each, of which the register has `bits`.
// name: the register under the unit; "[%u]" in it stands for the element. ProveShown: a member of
// Related without a register, for reports.
typedef struct {
  const char *name;
  uint32_t side, offset, size, bits, elements;
} prove_register_t;

#define PROVE_MEMBER(side, type, member, name, bits, elements) \
  { name, side, offsetof(type, member), sizeof(((type *)0)->member) / (elements), bits, elements }

void prove_check(const char *what, bool ok);
void prove_assume(const char *what, bool ok);
void prove_case(const char *what, bool condition);
void prove_by_value(const char *function, const void *word, size_t size, uint32_t count);
void prove_by_argument(const char *function, uint32_t argument, uint32_t count);
void prove_width(const void *word, size_t size, uint32_t bits);
void prove_ring(const void *elements, size_t size, size_t count, uint32_t first);
void prove_symbolic(const char *name, const void *elements, size_t size);
void prove_memory(const char *name, uint32_t words, uint32_t bits, uint32_t word, void *to);

// `width` bits of a register that is a row of bytes, from bit `from` on.
static inline uint64_t prove_bits(const uint8_t *word, uint32_t from, uint32_t width) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < width; i++) {
    value |= (uint64_t)(word[(from + i) / 8] >> ((from + i) % 8) & 1) << i;
  }
  return value;
}

#define PROVE_MONITOR_RESTART            \
  void prove_restart(void) {             \
    prove_reset();                       \
    memset(&Monitor, 0, sizeof Monitor); \
  }
#define PROVE_OUTPUTS                    \
  void prove_outputs(void) {             \
    outputs(golden(), &In, &Out);        \
    Engine.observe(Engine.self, &State); \
  }

#define PROVE_UNIT(unit) \
  unit##_state_t State;  \
  PROVE_TREE_ENGINE(unit, Engine.observe(Engine.self, &State))

// The state of a unit whose description names none.
#define PROVE_STATELESS_UNIT(unit) \
  uint8_t State;                   \
  PROVE_TREE_ENGINE(unit, (void)0)

#define PROVE_OUTSIDE_UNIT(unit) \
  unit##_state_t State;          \
  PROVE_OUTSIDE_ENGINE(unit, unit##_golden_observe(Engine.self, &State))

#define PROVE_STATELESS_OUTSIDE_UNIT(unit) \
  uint8_t State;                           \
  PROVE_OUTSIDE_ENGINE(unit, (void)0)

#define PROVE_TREE_ENGINE(unit, observe)                               \
  PROVE_ENGINE(unit, unit##_t, unit##_golden_create(&Params, &Engine), \
               Engine.step(Engine.self, &In, &Out), Engine.reset(Engine.self, &Out), observe)

#define PROVE_OUTSIDE_ENGINE(unit, observe)                                                        \
  typedef struct {                                                                                 \
    void *self;                                                                                    \
  } prove_engine_t;                                                                                \
  PROVE_ENGINE(unit, prove_engine_t, (Engine.self = unit##_golden_create(&Params)) != NULL,        \
               unit##_golden_step(Engine.self, &In, &Out), unit##_golden_reset(Engine.self, &Out), \
               observe)

#define PROVE_ENGINE(unit, engine_t, create, step, reset, observe) \
  unit##_in_t In;                                                  \
  unit##_out_t Out;                                                \
  unit##_params_t Params;                                          \
  static engine_t Engine;                                          \
  void prove_create(void) {                                        \
    prove_check("the golden model can be made", create);           \
    reset;                                                         \
    observe;                                                       \
  }                                                                \
  void prove_clock(void) {                                         \
    step;                                                          \
    observe;                                                       \
  }                                                                \
  void prove_reset(void) {                                         \
    reset;                                                         \
    observe;                                                       \
  }

#endif
