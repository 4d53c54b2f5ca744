// SPDX-License-Identifier: Apache-2.0
// The simulator's side of a unit, written from its page: in `folder`
//   tb_NAME.sv       test bench top: the unit, its values exchanged through DPI-C each clock
//   NAME_dpi.c       answers the imports of that top
//   vectors_NAME.sv  the unit with its inputs and its outputs as one packed vector each: replay
//   bare_NAME.sv     the unit under the parameters of the top, one port a field: the limit of speed
//   bare_NAME.h      C++ that writes these ports from recorded inputs
//   NAME_ports.md    parameters and ports, for the contract
//   NAME_pkg.sv      package of codes and sizes, which stands beside the RTL
// docs/reference/description.md has the notation.
#ifndef NOCTURNE_DPI_GENERATE_H
#define NOCTURNE_DPI_GENERATE_H

#include "csim/unit/page.h"

// False with one line in error: a file that cannot be written.
bool generate_simulator(const page_t *page, const char *folder, err_t *err);

#endif
