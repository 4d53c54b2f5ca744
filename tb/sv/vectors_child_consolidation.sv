// The child consolidation with its inputs and outputs as one packed vector each, for the
// replay of recorded vectors. The fields lie in the order of csim/unit/child_consolidation.h,
// the first lowest.
module vectors_child_consolidation #(
  parameter int Entries = 256,
  parameter int SetBits = 6,
  parameter int Ways = 4,
  parameter int LineBytes = 64,
  parameter bit Merge = 1'b1,
  parameter int CountWidth = 48,
  parameter bit Observe = 1'b1,
  localparam int InWidth = 1 + 8 + 4 + 16 * 30 + 16 * 4 + 1 + 1 + 11 + 1 + 1 + 2 + 8,
  localparam int OutWidth = 1 + 4 + 1 + 1 + 11 + 30 + 1 + 1 + 2 + 8 + 4 + 4 + 4 + 64 +
                            1 + 8 + 8 + 4 + 4 + 8 + 1 + 1 + 8 + 64
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [InWidth-1:0]  in_i,
  output logic [OutWidth-1:0] out_o
);

  logic beat_valid, read_ready, take_valid, run_ready, peek_valid;
  logic [1:0] peek_select;
  logic [3:0] beat_ratio;
  logic [7:0] beat_parent, peek_index;
  logic [10:0] take_tag;
  logic [16*30-1:0] beat_line;
  logic [63:0] beat_texel;
  logic beat_ready, read_valid, take_ready, run_valid, run_void, run_last, quiescent;
  logic insert_valid, insert_new, close_valid;
  logic [3:0] error, run_first, run_count, run_ratio, insert_first, insert_count;
  logic [7:0] run_parent, insert_index, insert_parent, insert_slot, close_slot;
  logic [10:0] read_tag;
  logic [29:0] read_line;
  logic [63:0] run_texel;
  logic [63:0] peek_data;

  assign {peek_index, peek_select, peek_valid, run_ready, take_tag, take_valid, read_ready,
          beat_texel, beat_line, beat_ratio, beat_parent, beat_valid} = in_i;
  assign out_o = {peek_data, close_slot, close_valid, insert_new, insert_slot, insert_count,
                  insert_first, insert_parent, insert_index, insert_valid, run_texel, run_ratio,
                  run_count, run_first, run_parent, run_last, run_void, run_valid, take_ready,
                  read_line, read_tag, read_valid, beat_ready, error, quiescent};

  child_consolidation #(
    .Entries(Entries),
    .SetBits(SetBits),
    .Ways(Ways),
    .LineBytes(LineBytes),
    .Merge(Merge),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .beat_valid_i(beat_valid),
    .beat_ready_o(beat_ready),
    .beat_parent_i(beat_parent),
    .beat_ratio_i(beat_ratio),
    .beat_line_i(beat_line),
    .beat_texel_i(beat_texel),
    .read_valid_o(read_valid),
    .read_ready_i(read_ready),
    .read_tag_o(read_tag),
    .read_line_o(read_line),
    .take_valid_i(take_valid),
    .take_ready_o(take_ready),
    .take_tag_i(take_tag),
    .run_valid_o(run_valid),
    .run_ready_i(run_ready),
    .run_void_o(run_void),
    .run_last_o(run_last),
    .run_parent_o(run_parent),
    .run_first_o(run_first),
    .run_count_o(run_count),
    .run_ratio_o(run_ratio),
    .run_texel_o(run_texel),
    .error_o(error),
    .quiescent_o(quiescent),
    .insert_valid_o(insert_valid),
    .insert_index_o(insert_index),
    .insert_parent_o(insert_parent),
    .insert_first_o(insert_first),
    .insert_count_o(insert_count),
    .insert_slot_o(insert_slot),
    .insert_new_o(insert_new),
    .close_valid_o(close_valid),
    .close_slot_o(close_slot),
    .peek_valid_i(peek_valid),
    .peek_select_i(peek_select),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

endmodule
