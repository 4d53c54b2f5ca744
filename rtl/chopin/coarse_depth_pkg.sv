// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of coarse_depth.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef COARSE_DEPTH_PKG_SV
`define COARSE_DEPTH_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package coarse_depth_pkg;

  localparam logic [2:0] ErrNone = 3'd0;
  localparam logic [2:0] ErrForget = 3'd1;
  localparam logic [2:0] ErrLook = 3'd2;
  localparam logic [2:0] ErrTell = 3'd3;
  localparam logic [2:0] ErrHear = 3'd4;

endpackage
// verilator lint_on UNUSED

`endif
