// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of offload_unit.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef OFFLOAD_UNIT_PKG_SV
`define OFFLOAD_UNIT_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package offload_unit_pkg;

  localparam logic [1:0] CounterRequests = 2'd0;
  localparam logic [1:0] CounterPackages = 2'd1;
  localparam logic [1:0] CounterResponses = 2'd2;
  localparam logic [1:0] CounterDropped = 2'd3;

  localparam logic [1:0] ErrNone = 2'd0;
  localparam logic [1:0] ErrResponse = 2'd1;
  localparam logic [1:0] ErrReissue = 2'd2;

endpackage
// verilator lint_on UNUSED

`endif
