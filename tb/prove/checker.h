// SPDX-License-Identifier: Apache-2.0
// The golden model of one size as plain Verilog, from the translator's graph: a module NAME_golden
// with the packed inputs and outputs, and a module NAME_checker with the unit's ports, which raises
// an error in the cycle in which an output is not what the golden model says
// (docs/how-to/take-a-unit.md).
//
// Where the wrapper has prove_outputs, every output is compared; else those that depend on
// registers alone, since the golden model's are known at the end of a clock only.
#ifndef NOCTURNE_PROVE_CHECKER_H
#define NOCTURNE_PROVE_CHECKER_H

#include "transition.h"

// params: all of them, as text. Ends the program where the file cannot be written.
void checker_write(const transition_t *t, const char *params, const char *path);

// The RTL of the transition system is NAME_golden, read back from such a file. Whether it is the
// golden model: from reset and by each clock its registers are that model's state, and its outputs
// are that model's. Prints what was proved.
bool checker_prove(const transition_t *t);

#endif
