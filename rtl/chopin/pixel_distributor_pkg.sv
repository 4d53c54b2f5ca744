// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of pixel_distributor.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef PIXEL_DISTRIBUTOR_PKG_SV
`define PIXEL_DISTRIBUTOR_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package pixel_distributor_pkg;

  localparam logic [1:0] MapRows = 2'd0;
  localparam logic [1:0] MapSkew = 2'd1;
  localparam logic [1:0] MapWorkTiles = 2'd2;
  localparam logic [1:0] MapHalving = 2'd3;

  localparam logic [1:0] OperatorOver = 2'd0;
  localparam logic [1:0] OperatorAdd = 2'd1;
  localparam logic [1:0] OperatorMultiply = 2'd2;

  localparam logic [1:0] BeatKindHeader = 2'd0;
  localparam logic [1:0] BeatKindData = 2'd1;
  localparam logic [1:0] BeatKindEnd = 2'd2;

  localparam logic [2:0] CounterPixelsSent = 3'd0;
  localparam logic [2:0] CounterBeatsSent = 3'd1;
  localparam logic [2:0] CounterHeadersSent = 3'd2;
  localparam logic [2:0] CounterCellsSkipped = 3'd3;
  localparam logic [2:0] CounterPixelsReceived = 3'd4;
  localparam logic [2:0] CounterPixelsLost = 3'd5;
  localparam logic [2:0] CounterTies = 3'd6;
  localparam logic [2:0] CounterBeatsReceived = 3'd7;

  localparam logic [1:0] PeekOwner = 2'd0;
  localparam logic [1:0] PeekBlocks = 2'd1;
  localparam logic [1:0] PeekStamps = 2'd2;
  localparam logic [1:0] PeekCounter = 2'd3;

  localparam logic [3:0] ErrNone = 4'd0;
  localparam logic [3:0] ErrConfig = 4'd1;
  localparam logic [3:0] ErrTouch = 4'd2;
  localparam logic [3:0] ErrClear = 4'd3;
  localparam logic [3:0] ErrStart = 4'd4;
  localparam logic [3:0] ErrBegin = 4'd5;
  localparam logic [3:0] ErrSendData = 4'd6;
  localparam logic [3:0] ErrSequence = 4'd7;
  localparam logic [3:0] ErrTile = 4'd8;
  localparam logic [3:0] ErrPiece = 4'd9;
  localparam logic [3:0] ErrCount = 4'd10;
  localparam logic [3:0] ErrReceiveData = 4'd11;

  localparam logic [1:0] CellTile = 2'd0;
  localparam logic [1:0] CellBlock = 2'd1;
  localparam logic [1:0] CellStamp = 2'd2;

endpackage
// verilator lint_on UNUSED

`endif
