// SPDX-License-Identifier: Apache-2.0
// Proves units: each size is a job of the runner, longest first, and what was proved is kept by the
// hash of all that it depends on (docs/hardware/proved.md).
#ifndef NOCTURNE_PROVE_DRIVER_PROVE_H
#define NOCTURNE_PROVE_DRIVER_PROVE_H

#include "proof_step.h"

typedef struct {
  const char *const *units;  // of the tree, `count` of them; none: all
  size_t count;
  const char *folder;   // where things are made
  const char *prover;   // the program build/prove
  const char *rtlil;    // the one unit is the module of this RTLIL file; or NULL
  const char *size;     // the one size, "NAME=VALUE ..."; NULL: those of unit.yaml
  outside_t outside;    // page NULL: none; rtl and golden may be NULL
  const char *wrapper;  // of a unit from outside
  const char *checker;  // no proof, but the golden model of the one size as this Verilog file
  const char *shows;    // of a size that is given: "search", "runs", "hunt" or ""
  const char *one;      // the job itself: folder of the one proof; NULL: all as jobs
  const char *launch;   // starts each proof (docs/how-to/cluster.md); or NULL
  bool is_short;        // only the sizes that `make test` proves
  bool is_full;         // also those that take longest
  bool certify;         // with a second opinion of solver and translator
  bool again;           // also what is kept
  bool resume;          // go on with a run that was cut off
  uint32_t jobs;        // proofs at a time, and cases of each
  uint32_t cycles;      // most cycles of a run from reset that is searched; 0: the prover's
  uint32_t search;      // so many more where none is found, from recorded runs, too
} prove_options_t;

// Proves and prints what each job said, then a table. Returns the exit status: 0 all proved; 1
// something refuted; 2 bad usage, or what the translator does not know; 3 a tool is missing. err is
// set where nothing was proved.
int prove_units(const prove_options_t *options, err_t *err);

#endif
