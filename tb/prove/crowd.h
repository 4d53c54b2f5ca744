// SPDX-License-Identifier: Apache-2.0
// Several flaws in one graph, each under a code of its own of a few variables: one question to the
// solver is about all of them, and what it learns about one serves the others. A single flaw needs
// no code, and is there always.
#ifndef NOCTURNE_PROVE_CROWD_H
#define NOCTURNE_PROVE_CROWD_H

#include "aiger.h"
#include "cnf.h"

enum { CrowdMost = 256 };  // flaws

// The flaws stay the caller's; those of one place are side by side, as flaws_create has them. Codes
// that are no flaw's number are the last one's.
void crowd_create(crowd_t *crowd, const aiger_t *aiger, aig_t *aig, const flaw_t *flaws,
                  uint32_t count);
void crowd_destroy(crowd_t *crowd);

// The flaw that is there under these values of all nodes; one is.
uint32_t crowd_chosen(const crowd_t *crowd, const uint8_t *value);
// Gives 64 values of all nodes their flaws: the first of them that one, each after it the next.
void crowd_spread(const crowd_t *crowd, uint32_t first, uint64_t *word);

// A question about some flaws; said: the answer by flaw.
typedef void crowd_ask_t(void *context, const flaw_t *flaws, uint32_t count, cnf_result_e *said);
// Asks about at most CrowdMost flaws, and again about parts of those of which the answer is
// CnfUnknown, down to each alone.
void crowd_ask(crowd_ask_t *ask, void *context, const flaw_t *flaws, uint32_t count,
               cnf_result_e *said);

#endif
