// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of atfim.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef ATFIM_PKG_SV
`define ATFIM_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package atfim_pkg;

  localparam logic [1:0] PeekUnitGenerator = 2'd0;
  localparam logic [1:0] PeekUnitConsolidation = 2'd1;
  localparam logic [1:0] PeekUnitBuffer = 2'd2;
  localparam logic [1:0] PeekUnitCombination = 2'd3;

endpackage
// verilator lint_on UNUSED

`endif
