// A unit's vectors: what it was given and what it answered, step by step, for replay where there
// is no C (a second simulator, the bare Verilated unit), and in lockstep.
//
// Text. The first line holds unit, parameters, bits of inputs and of outputs. Every further line
// is one number in hexadecimal, from the top: a nibble that is 1 for a reset, the outputs after
// the clock, the inputs; each of the two padded to whole nibbles. Fields lie in the order of the
// unit's tables, the first lowest.
#ifndef NOCTURNE_HARNESS_VECTORS_H
#define NOCTURNE_HARNESS_VECTORS_H

#include "observer.h"

// Records the steps and resets of one instance into the file path. False with one line in error.
bool vectors_record(observer_t *observer, const instance_t *unit, const char *path,
                    char error[HarnessErrorSize]);

uint32_t vectors_bits(const instance_t *unit, const unit_field_t *fields);

// Packs inputs into words, lowest first; returns how many there are (at most max).
uint32_t vectors_pack(const instance_t *unit, const void *in, uint32_t *words, uint32_t max);

// The reverse of a recorded struct; text has `nibbles` digits, highest first.
void vectors_unpack(const instance_t *unit, const unit_field_t *fields, const char *text,
                    uint32_t nibbles, void *base);

#endif
