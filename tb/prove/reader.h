// SPDX-License-Identifier: Apache-2.0
// A second opinion of what reads the RTL: another Yosys wrote it as an and-inverter graph, too, and
// both graphs are proved equal, from reset on and in every clock, register by register.
#ifndef NOCTURNE_PROVE_READER_H
#define NOCTURNE_PROVE_READER_H

#include <stdbool.h>

// Registers are matched by name; where one reader made one register of several of the other, these
// are proved to be the same from the first reset on. Prints what came of it, on one line.
bool reader_prove(const char *rtl, const char *second);

#endif
