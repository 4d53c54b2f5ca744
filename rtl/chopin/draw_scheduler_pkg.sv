// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of draw_scheduler.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef DRAW_SCHEDULER_PKG_SV
`define DRAW_SCHEDULER_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package draw_scheduler_pkg;

  localparam logic [1:0] OpGroupStart = 2'd0;
  localparam logic [1:0] OpDraw = 2'd1;
  localparam logic [1:0] OpGroupEnd = 2'd2;

  localparam logic [1:0] GroupDuplicated = 2'd0;
  localparam logic [1:0] GroupOpaque = 2'd1;
  localparam logic [1:0] GroupTransparent = 2'd2;

  localparam logic [1:0] PolicyLeastRemaining = 2'd0;
  localparam logic [1:0] PolicyRoundRobin = 2'd1;
  localparam logic [1:0] PolicyDuplicateAll = 2'd2;

  localparam logic [2:0] ErrNone = 3'd0;
  localparam logic [2:0] ErrSequence = 3'd1;
  localparam logic [2:0] ErrWrap = 3'd2;
  localparam logic [2:0] ErrRange = 3'd3;
  localparam logic [2:0] ErrProgress = 3'd4;
  localparam logic [2:0] ErrCredit = 3'd5;
  localparam logic [2:0] ErrMode = 3'd6;

endpackage
// verilator lint_on UNUSED

`endif
