// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of combination_unit.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef COMBINATION_UNIT_PKG_SV
`define COMBINATION_UNIT_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package combination_unit_pkg;

  localparam logic [2:0] CounterLines = 3'd0;
  localparam logic [2:0] CounterDropped = 3'd1;
  localparam logic [2:0] CounterVoid = 3'd2;
  localparam logic [2:0] CounterRuns = 3'd3;
  localparam logic [2:0] CounterTexels = 3'd4;
  localparam logic [2:0] CounterFailed = 3'd5;
  localparam logic [2:0] CounterResponses = 3'd6;
  localparam logic [2:0] CounterRefused = 3'd7;

  localparam logic [1:0] ErrNone = 2'd0;
  localparam logic [1:0] ErrRun = 2'd1;
  localparam logic [1:0] ErrRequest = 2'd2;
  localparam logic [1:0] ErrRow = 2'd3;

  // Packed data
  localparam int DataTagAt = 0, DataTagBits = 11;
  localparam int DataEpochAt = 11, DataEpochBits = 8;
  localparam int DataFailedAt = 19, DataFailedBits = 1;
  localparam int DataAt = 20, DataBits = 512;
  localparam int DataTotalBits = 532;

endpackage
// verilator lint_on UNUSED

`endif
