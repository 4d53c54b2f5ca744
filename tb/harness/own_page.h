// SPDX-License-Identifier: Apache-2.0
// Compares the page of a user's unit with that of the unit in whose place it stands.
#ifndef NOCTURNE_HARNESS_OWN_PAGE_H
#define NOCTURNE_HARNESS_OWN_PAGE_H

#include "csim/unit/page.h"

// Returns true if the machine can clock it: the tree's parameters and ports, in this order, of the
// same widths. State, documentation and further parameters are the user's. Fails with
// "file:line: what, expected ...".
bool own_page_fits(const page_t *own, const page_t *tree, err_t *err);

#endif
