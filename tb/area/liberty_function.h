// SPDX-License-Identifier: Apache-2.0
// Boolean functions as liberty writes them: ! and ', ^, then * & or nothing between two, then + |.
#ifndef NOCTURNE_AREA_LIBERTY_FUNCTION_H
#define NOCTURNE_AREA_LIBERTY_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "csim/base/text.h"
#include "liberty_cell.h"

// Finds the value for each value of the inputs, those of the cell's pins in their order, the first
// lowest. False where text is no function of at most LibertyMaxInputs inputs.
bool liberty_function_table(const char *text, const liberty_cell_t *cell, uint64_t *table);

// Adds the function in Verilog, every operation in parentheses. False as above, or without memory.
bool liberty_function_verilog(const char *text, const liberty_cell_t *cell, text_t *out);

#endif
