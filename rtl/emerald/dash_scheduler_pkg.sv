// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of dash_scheduler.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef DASH_SCHEDULER_PKG_SV
`define DASH_SCHEDULER_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package dash_scheduler_pkg;

  localparam logic [2:0] ErrNone = 3'd0;
  localparam logic [2:0] ErrStart = 3'd1;
  localparam logic [2:0] ErrServed = 3'd2;
  localparam logic [2:0] ErrFinish = 3'd3;
  localparam logic [2:0] ErrTick = 3'd4;

endpackage
// verilator lint_on UNUSED

`endif
