// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of primitive_distributor.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef PRIMITIVE_DISTRIBUTOR_PKG_SV
`define PRIMITIVE_DISTRIBUTOR_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package primitive_distributor_pkg;

  localparam logic [1:0] OpBox = 2'd0;
  localparam logic [1:0] OpEmpty = 2'd1;
  localparam logic [1:0] OpClose = 2'd2;

  localparam logic [1:0] ErrNone = 2'd0;
  localparam logic [1:0] ErrConfigure = 2'd1;
  localparam logic [1:0] ErrPrimitive = 2'd2;

endpackage
// verilator lint_on UNUSED

`endif
