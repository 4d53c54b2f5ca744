// SPDX-License-Identifier: Apache-2.0
// Looks for a short run from reset in which a flaw shows: the unit's RTL beside itself with the
// flaw, cycle after cycle, under inputs that are variables.
#ifndef NOCTURNE_PROVE_CHASE_H
#define NOCTURNE_PROVE_CHASE_H

#include "flaw.h"
#include "proof.h"
#include "swarm.h"

enum { ChaseCycles = 40 };  // at most

// Writes the run as vectors that expect what the unit gives when its registers hold before the
// reset what `seed` makes of them. `head`: their first line. CnfUnknown: the solver gave up. Ends
// the program where the file cannot be written.
cnf_result_e chase(const proof_t *proof, const flaw_t *flaw, uint32_t cycles, uint32_t conflicts,
                   swarm_t *swarm, uint64_t seed, const char *head, const char *path);

// As chase, a run that abc finds, of any length.
// CnfUnsatisfiable: an invariant that abc found (export.h) shows that there is none.
cnf_result_e chase_far(const proof_t *proof, const flaw_t *flaw, uint32_t seconds, swarm_t *swarm,
                       uint64_t seed, const char *head, const char *path);

#endif
