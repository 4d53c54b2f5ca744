// SPDX-License-Identifier: Apache-2.0
// All single-bit flaws of a unit's graph (tb/prove/flaw.h) instead of mutants that were drawn:
// killed in recorded runs, 512 at a time, or settled by the solver.
#ifndef NOCTURNE_MUTATE_FLAWS_H
#define NOCTURNE_MUTATE_FLAWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "csim/base/err.h"

typedef struct {
  const char *name, *params;
  const char *const *unit;  // arguments of `nocturne unit` that name the unit and its size, NULL at
                            // the end
  const char *folder;       // takes runs, journal and fates
  const char *proof;        // folder of the unit's proof at this size
  const char *prover, *tables;  // tables: of a unit from outside the tree; or NULL
  const char *vectors;          // folder of vectors and sequences that are played too; or NULL
  const json_t *room;           // of the unit, whose runs are played too; or NULL
  uint32_t seeds, jobs;         // seeds: of 20,000 cycles each, after ten of 2,000
  uint32_t pdr;                 // seconds of CPU for abc to settle each flaw that is left; 0: none
  bool no_solver;               // survivors stay open
  bool speed;                   // lockstep runs too, and its speed is compared
} flaws_work_t;

// The head of the table whose row flaws_settle adds.
extern const char FlawsHead[];

// Returns an exit status: 1 if more than 0.1 % are open.
int flaws_settle(const flaws_work_t *work, text_t *table, err_t *err);

#endif
