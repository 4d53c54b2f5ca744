// SPDX-License-Identifier: Apache-2.0
// Cases that are each other's, but that a ring of state (prove_ring) begins elsewhere. With the
// elements of a ring called by their distance from where it begins, which only gives variables
// other names, what is asked of two cases may be the same functions of the graph: then it holds in
// both if it holds in one. Nothing is taken on trust from the wrapper: where it is wrong about a
// ring, no two cases are the same.
#ifndef NOCTURNE_PROVE_RING_H
#define NOCTURNE_PROVE_RING_H

#include "proof.h"

typedef struct rings rings_t;

rings_t *rings_create(const proof_t *proof, const moment_t *moment);
void rings_destroy(rings_t *rings);

// A case: all that holds in it (what decides where the ring begins may stand among it) and, as
// simple as in this case, where the ring begins and the duties. Puts those duties first that are no
// duty of a case before; returns how many.
uint32_t rings_leave(rings_t *rings, const lit_t *context, uint32_t context_count,
                     const lit_t *first, duty_t *list, uint32_t count);

#endif
