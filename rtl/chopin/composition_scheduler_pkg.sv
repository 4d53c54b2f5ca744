// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of composition_scheduler.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef COMPOSITION_SCHEDULER_PKG_SV
`define COMPOSITION_SCHEDULER_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package composition_scheduler_pkg;

  localparam logic [1:0] MessageReadyOpaque = 2'd0;
  localparam logic [1:0] MessageReadyTransparent = 2'd1;
  localparam logic [1:0] MessageDone = 2'd2;

  localparam logic [2:0] ErrNone = 3'd0;
  localparam logic [2:0] ErrMessage = 3'd1;
  localparam logic [2:0] ErrReady = 3'd2;
  localparam logic [2:0] ErrDone = 3'd3;
  localparam logic [2:0] ErrKind = 3'd4;

endpackage
// verilator lint_on UNUSED

`endif
