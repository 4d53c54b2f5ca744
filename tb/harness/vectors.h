// SPDX-License-Identifier: Apache-2.0
// A unit's vectors: what it was given and what it answered, step by step, for replay where there
// is no C (a second simulator, the bare Verilated unit), and in lockstep.
//
// Text. The first line holds unit, parameters, bits of inputs and of outputs. Every further line
// is one number in hexadecimal, from the top: a nibble that is 1 for a reset, the observed state
// and the outputs after the clock as one number, the inputs; each of the two padded to whole
// nibbles. Fields lie in the order of the unit's tables, the first lowest, outputs below state.
#ifndef NOCTURNE_HARNESS_VECTORS_H
#define NOCTURNE_HARNESS_VECTORS_H

#include "observer.h"

// Records the steps and resets of one instance into the file path. False with one line in error.
bool vectors_record(observer_t *observer, const instance_t *unit, const char *path, err_t *err);

uint32_t vectors_in_bits(const instance_t *unit);
uint32_t vectors_out_bits(const instance_t *unit);  // outputs and state

// The reverse of a recorded number; text has `nibbles` digits, highest first.
void vectors_unpack_in(const instance_t *unit, const char *text, uint32_t nibbles, void *in);
void vectors_unpack_out(const instance_t *unit, const char *text, uint32_t nibbles, void *out,
                        void *state);

#endif
