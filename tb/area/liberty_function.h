// SPDX-License-Identifier: Apache-2.0
// Boolean functions as liberty writes them: ! and ', ^, then * & or nothing between two, then + |.
#ifndef NOCTURNE_AREA_LIBERTY_FUNCTION_H
#define NOCTURNE_AREA_LIBERTY_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liberty_cell.h"

// The value for each value of the inputs, those of the cell's pins in their order, the first
// lowest.
// False where text is no function of at most LibertyMaxInputs inputs.
bool liberty_function_table(const char *text, const liberty_cell_t *cell, uint64_t *table);

// The same in Verilog, every operation in parentheses. False as above, or where it does not fit.
bool liberty_function_verilog(const char *text, const liberty_cell_t *cell, char *out, size_t size);

#endif
