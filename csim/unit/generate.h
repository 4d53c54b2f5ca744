// SPDX-License-Identifier: Apache-2.0
// The C side of a unit, written from its page: in `folder`
//   NAME.h        vocabulary: parameters, enums, structs of the streams, in, out, state, engine
//   NAME_table.c  the same as tables (table.h): NAME_info
#ifndef NOCTURNE_UNIT_GENERATE_H
#define NOCTURNE_UNIT_GENERATE_H

#include "page.h"

// False with one line in error: a file that cannot be written.
bool generate_c(const page_t *page, const char *folder, err_t *err);

#endif
