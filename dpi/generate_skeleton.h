// SPDX-License-Identifier: Apache-2.0
// The start of a unit of one's own: RTL and golden model whose outputs are all 0, which
// agree, the contract's tables, a Makefile for the golden model's shared object, and a test list.
#ifndef NOCTURNE_DPI_GENERATE_SKELETON_H
#define NOCTURNE_DPI_GENERATE_SKELETON_H

#include "csim/unit/page.h"

// Makes the folder if need be. False with one line in error: a file that is there already, or
// cannot be written.
bool generate_skeleton(const page_t *page, const char *folder, err_t *err);

#endif
