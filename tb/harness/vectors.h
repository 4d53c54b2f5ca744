// SPDX-License-Identifier: Apache-2.0
// Records a unit's vectors: its inputs and outputs step by step, for replay without C (a second
// simulator, the bare Verilated unit) and in lockstep.
//
// The file is text. Its first line holds unit, parameters, bits of inputs and of outputs. Every
// further line is one number in hexadecimal, from the top: a nibble, 0 for a step and for a reset
// the number of its clocks; the observed state and the outputs after the clock as one number; the
// inputs. Each of the two is padded to whole nibbles. Fields lie in the order of the unit's tables,
// the first lowest, outputs below state.
#ifndef NOCTURNE_HARNESS_VECTORS_H
#define NOCTURNE_HARNESS_VECTORS_H

#include "observer.h"

// Records the steps and resets of one instance into the file `path`.
bool vectors_record(observer_t *observer, const instance_t *unit, const char *path, err_t *err);

// The clocks of the reset that a line records; 0: it records a step.
uint32_t vectors_reset(const char *line);

uint32_t vectors_in_bits(const instance_t *unit);
uint32_t vectors_out_bits(const instance_t *unit);  // outputs and state

// Reads a recorded number; text has `nibbles` digits, highest first.
void vectors_unpack_in(const instance_t *unit, const char *text, uint32_t nibbles, void *in);
void vectors_unpack_out(const instance_t *unit, const char *text, uint32_t nibbles, void *out,
                        void *state);

#endif
