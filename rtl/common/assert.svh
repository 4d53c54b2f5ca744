// SPDX-License-Identifier: Apache-2.0
// Labelled assertions for the simulator; nothing where neither VERILATOR nor FORMAL is defined.
//
//   `NOCTURNE_ASSERT(Label, property)  of each rising clk_i out of reset; at module level
//   `NOCTURNE_ASSERT_NOW(Label, expression)  of the moment; in an always block
//
// No semicolon follows. A label is UpperCamelCase, names the rule, and is used once in a scope. A
// failure in Verilator is two lines on standard output, after which the model has stopped:
//   [TIME] %Error: FILE:LINE: Assertion failed in INSTANCE.LABEL: LABEL
//   %Error: FOLDER/FILE:LINE: Verilog $stop
// LINE is the macro's last. Yosys under FORMAL takes the second kind only, as it has no properties,
// and without the label, which it would refuse in the second turn of a generate loop.
//
// No include guard: Icarus 11 ends with a segmentation fault in a file that it finds with -y if
// that file skips the definition of a macro with arguments and then uses the macro.
`ifdef VERILATOR
`define NOCTURNE_ASSERT(label, property_expr) \
  label: assert property (@(posedge clk_i) disable iff (!rst_ni) property_expr) \
    else $error(`"label`");
`define NOCTURNE_ASSERT_NOW(label, expr) \
  label: assert (expr) else $error(`"label`");
`else
`define NOCTURNE_ASSERT(label, property_expr)
`ifdef FORMAL
`define NOCTURNE_ASSERT_NOW(label, expr) \
  assert (expr);
`else
`define NOCTURNE_ASSERT_NOW(label, expr)
`endif
`endif
