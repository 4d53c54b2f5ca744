// SPDX-License-Identifier: Apache-2.0
// Golden model and RTL as one AIGER file for other programs (berkeley-abc, another solver): an
// output for each duty, which is 1 where the duty is broken.
//
// A part of the proof (base, reset, step) is a file without registers: its inputs are the unit's
// inputs and both states before, and an output is 1 only where the invariant holds. Of that part
// every output must be impossible. `reachable` is the machine from reset: registers for both
// states, an input reset_i, which may come in any cycle; an output for each bit that differs, each
// register that is not as related, each check. Names are in the file.
#ifndef NOCTURNE_PROVE_EXPORT_H
#define NOCTURNE_PROVE_EXPORT_H

#include "flaw.h"
#include "proof.h"
#include "reel.h"

// part: a name of ProofNames, or "reachable". False: there is no such part. Ends the program where
// the file cannot be written.
bool export_write(const proof_t *proof, const char *part, const char *path);

// Proves what another program found of `reachable`: each line of the file (abc's `pdr -d -e -I`)
// is a set of states, one place for each register, that no run comes to; and with that no output is
// ever 1. Prints what came of it.
bool export_confirm(const proof_t *proof, const char *path);

// Lets abc look for an invariant with which a flaw never changes an output in a run from reset, and
// proves what it finds; then, in a smaller graph of the same, for a run. path: of files that are
// written for it, and removed. False: none was found, each with so many seconds of CPU. run: a run
// in which abc says that an output differs, its outputs not known yet; or without cycles.
bool export_flaw(const proof_t *proof, const flaw_t *flaw, const char *path, uint32_t seconds,
                 reel_t *run);

#endif
