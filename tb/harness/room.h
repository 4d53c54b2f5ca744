// SPDX-License-Identifier: Apache-2.0
// Reads a unit's room, tests/units/NAME: its unit.yaml holds everything that tools must know about
// the unit. No list elsewhere names the units.
//
//   prove:   the sizes at which it is proved: size (parameters as the RTL names them), short (`make
//            test` proves it too), full (only `make prove LIST=full` does), shows (how the proof is
//            shown not to be empty: search or runs; hunt: nothing is proved, random runs from reset
//            and `runs` are searched), takes (seconds of processor time, for the order), symbolic
//            (no place of its memories is written down: tb/prove/arrays.h), beyond (errors for
//            which no run from reset is short enough: that a state within the invariant leads to
//            them is shown)
//   arrays:  its proof ends the golden model's loops at their array's end, and owes that no index
//            is beyond it
//   parts:   units that its proof replaces by what may do anything
//   runs:    runs of the golden model that reach every stream and error, for the sizes whose
//            parameters are those of the set, whatever the number of GPUs: set, knobs, cycles and
//            seeds, or play (a sequence in the room, of the size that it names)
//   mutate:  the size at which its mutants run: gpus, and set, a parameter set of the description;
//            runs that all flaws of its graph meet besides: knobs, cycles and seeds
//   fuzz:    the sizes at which it is fuzzed, likewise
//   errors:  the size at which tests/programs/test_errors.c lets two causes of errors meet in one
//            cycle, likewise, and how many pairs of codes can
//   lint:    parameter sets that lint reads besides the defaults and Observe=0. tools: v Verilator,
//            i Icarus, y Yosys (V, I, Y: only with MORE), p against the description. A list of
//            values stands for each of them.
//   budget:  FIGURE: [measured, limit]: what it may cost at its default parameters
#ifndef NOCTURNE_HARNESS_ROOM_H
#define NOCTURNE_HARNESS_ROOM_H

#include <jansson.h>

#include "csim/base/err.h"

// Returns unit.yaml of a unit of the tree as JSON in the file's order, owned by the caller. NULL
// with err_set: no such unit, or what is not known there.
json_t *room_read(const char *unit, err_t *err);

// Returns an array of all rooms that have a section, each with its name as "unit", in alphabetical
// order; owned by the caller. section NULL: all. units, count: only these, none for all; each must
// have the section.
json_t *room_list(const char *section, const char *const *units, size_t count, err_t *err);

// Writes parameters, {"NumGpus": 2}, as "NumGpus=2 CountWidth=10".
void room_size(const json_t *size, text_t *text);

#endif
