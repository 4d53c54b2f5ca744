// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of parent_texel_buffer.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef PARENT_TEXEL_BUFFER_PKG_SV
`define PARENT_TEXEL_BUFFER_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package parent_texel_buffer_pkg;

  localparam logic [1:0] ErrNone = 2'd0;
  localparam logic [1:0] ErrBeat = 2'd1;
  localparam logic [1:0] ErrUpdate = 2'd2;

  // Packed beat
  localparam int BeatSlotAt = 0, BeatSlotBits = 6;
  localparam int BeatLastAt = 6, BeatLastBits = 1;
  localparam int BeatTotalBits = 7;

  // Packed update
  localparam int UpdateSlotAt = 0, UpdateSlotBits = 6;
  localparam int UpdateAddAt = 6, UpdateAddBits = 16;
  localparam int UpdateFailedAt = 22, UpdateFailedBits = 16;
  localparam int UpdateSumAt = 38, UpdateSumBits = 640;
  localparam int UpdateTotalBits = 678;

  // Packed row
  localparam int RowSlotAt = 0, RowSlotBits = 6;
  localparam int RowFailedAt = 6, RowFailedBits = 16;
  localparam int RowValueAt = 22, RowValueBits = 768;
  localparam int RowTotalBits = 790;

endpackage
// verilator lint_on UNUSED

`endif
