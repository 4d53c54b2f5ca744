// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of child_consolidation.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef CHILD_CONSOLIDATION_PKG_SV
`define CHILD_CONSOLIDATION_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package child_consolidation_pkg;

  localparam logic [2:0] CounterBeats = 3'd0;
  localparam logic [2:0] CounterMerged = 3'd1;
  localparam logic [2:0] CounterReads = 3'd2;
  localparam logic [2:0] CounterNoBeat = 3'd3;
  localparam logic [2:0] CounterNoEntry = 3'd4;
  localparam logic [2:0] CounterClosing = 3'd5;
  localparam logic [2:0] CounterNoFetch = 3'd6;
  localparam logic [2:0] CounterNoRead = 3'd7;

  localparam logic [1:0] PeekEntry = 2'd0;
  localparam logic [1:0] PeekFetch = 2'd1;
  localparam logic [1:0] PeekCounter = 2'd2;
  localparam logic [1:0] PeekParents = 2'd3;

  localparam logic [0:0] ErrNone = 1'd0;
  localparam logic [0:0] ErrTake = 1'd1;

  // Packed read
  localparam int ReadTagAt = 0, ReadTagBits = 11;
  localparam int ReadLineAt = 11, ReadLineBits = 28;
  localparam int ReadTotalBits = 39;

  // Packed run
  localparam int RunIsVoidAt = 0, RunIsVoidBits = 1;
  localparam int RunLastAt = 1, RunLastBits = 1;
  localparam int RunSlotAt = 2, RunSlotBits = 6;
  localparam int RunAlongYAt = 8, RunAlongYBits = 1;
  localparam int RunTexelAt = 9, RunTexelBits = 16;
  localparam int RunParentAt = 25, RunParentBits = 64;
  localparam int RunTotalBits = 89;

endpackage
// verilator lint_on UNUSED

`endif
