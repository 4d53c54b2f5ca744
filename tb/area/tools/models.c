// SPDX-License-Identifier: Apache-2.0
// A library's cells as plain Verilog, one module a cell, from their functions in the liberty file:
// gates, and the flip-flops that the flow uses. Others are left out: no netlist has them.
//   models LIBERTY >CELLS.v
// rtl/synth/prove_cells.sh proves each equal to what Yosys reads of the file; inline_cells.awk puts
// them into netlists. A pin that sets or clears a flip-flop is tied in every netlist: its model
// leaves it out of account, and a comment "tied CELL PIN LEVEL" tells the proof.
#include <stdio.h>

#include "tb/area/liberty.h"
#include "tb/area/liberty_function.h"

static void print_model(const liberty_cell_t *cell) {
  const char *separator = "";
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    if (cell->pins[p].is_tied) {
      printf("// tied %s %s %d\n", cell->name, cell->pins[p].name, cell->pins[p].tie);
    }
  }
  printf("module %s (", cell->name);
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    printf("%s%s %s", separator, cell->pins[p].is_output ? "output" : "input", cell->pins[p].name);
    separator = ", ";
  }
  printf(");\n");
  if (cell->is_register) {
    printf("  reg kept;\n  always @(posedge %s) kept <= %s%s;\n", cell->pins[cell->clock].name,
           cell->data_inverts ? "~" : "", cell->pins[cell->data].name);
  }
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    const liberty_pin_t *pin = &cell->pins[p];
    text_t text = {0};
    if (pin->is_output && cell->is_register) {
      printf("  assign %s = %skept;\n", pin->name, pin->inverts ? "~" : "");
    } else if (pin->is_output && liberty_function_verilog(pin->function, cell, &text)) {
      printf("  assign %s = %s;\n", pin->name, text_string(&text));
    }
    text_free(&text);
  }
  printf("endmodule\n");
}

static bool has_model(const liberty_cell_t *cell) {
  bool has_output = false;
  for (uint32_t p = 0; p < cell->pin_count; p++) {
    if (cell->pins[p].is_output) {
      has_output = true;
      if (!cell->is_register && !cell->pins[p].has_table) {
        return false;
      }
    }
  }
  return has_output && !cell->is_other;
}

int main(int argc, char **argv) {
  liberty_t liberty;
  err_t err = {0};
  if (argc != 2 || !liberty_load(&liberty, argv[1], &err)) {
    fprintf(stderr, "ERROR: %s\n", argc == 2 ? err_text(&err) : "usage: models LIBERTY");
    err_free(&err);
    return 2;
  }
  printf("// The cells of %s, made by tb/area/tools/models.c.\n", liberty.name);
  for (uint32_t c = 0; c < liberty.cell_count; c++) {
    if (has_model(&liberty.cells[c])) {
      print_model(&liberty.cells[c]);
    }
  }
  liberty_free(&liberty);
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
