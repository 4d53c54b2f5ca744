// SPDX-License-Identifier: Apache-2.0
// For Yosys' techmap: memories of 64 words and more stay open (arrays.h). What they are written and
// asked, and what they answer, become ports NAME.symbolic_* of the top.
(* techmap_celltype = "$mem_v2" *)
module open_memory (RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR,
                    WR_DATA);
  parameter MEMID = "";
  parameter SIZE = 4;
  parameter OFFSET = 0;
  parameter ABITS = 2;
  parameter WIDTH = 8;
  parameter INIT = 1'bx;
  parameter RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 1'b0;
  parameter RD_CLK_POLARITY = 1'b0;
  parameter RD_TRANSPARENCY_MASK = 1'b0;
  parameter RD_COLLISION_X_MASK = 1'b0;
  parameter RD_WIDE_CONTINUATION = 1'b0;
  parameter RD_CE_OVER_SRST = 1'b0;
  parameter RD_ARST_VALUE = 1'b0;
  parameter RD_SRST_VALUE = 1'b0;
  parameter RD_INIT_VALUE = 1'b0;
  parameter WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1'b0;
  parameter WR_CLK_POLARITY = 1'b0;
  parameter WR_PRIORITY_MASK = 1'b0;
  parameter WR_WIDE_CONTINUATION = 1'b0;
  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN, WR_DATA;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;

  wire _TECHMAP_FAIL_ = SIZE < 64 || OFFSET != 0 || WR_PORTS != 1 || WR_CLK_ENABLE != 1'b1 ||
      RD_CLK_ENABLE != {RD_PORTS{1'b0}};
  (* keep *) wire [RD_PORTS*ABITS-1:0] symbolic_ra;
  (* keep *) wire [RD_PORTS*WIDTH-1:0] symbolic_rd;
  (* keep *) wire [WIDTH-1:0] symbolic_we, symbolic_wd;
  (* keep *) wire [ABITS-1:0] symbolic_wa;
  assign symbolic_ra = RD_ADDR;
  assign RD_DATA = symbolic_rd;
  assign symbolic_we = WR_EN;
  assign symbolic_wd = WR_DATA;
  assign symbolic_wa = WR_ADDR;
endmodule
