// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of tile_coalescer.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef TILE_COALESCER_PKG_SV
`define TILE_COALESCER_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package tile_coalescer_pkg;

  localparam logic [0:0] OpTile = 1'd0;
  localparam logic [0:0] OpEnd = 1'd1;

  localparam logic [1:0] ErrNone = 2'd0;
  localparam logic [1:0] ErrRaster = 2'd1;
  localparam logic [1:0] ErrDone = 2'd2;

endpackage
// verilator lint_on UNUSED

`endif
