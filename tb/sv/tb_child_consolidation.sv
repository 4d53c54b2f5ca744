// The child consolidation under the harness: exchanges one clock's values through DPI.
module tb_child_consolidation #(
  parameter int Entries = 256,
  parameter int SetBits = 6,
  parameter int Ways = 4,
  parameter int LineBytes = 64,
  parameter bit Merge = 1'b1,
  parameter int CountWidth = 48,
  parameter bit Observe = 1'b1
) (
  input logic clk_i,
  input logic rst_ni
);

  chandle context_h;
  initial context_h = child_consolidation_pkg::child_consolidation_dpi_context();

  byte unsigned flags, beat_parent, beat_ratio, peek_select, peek_index;
  shortint unsigned take_tag;
  bit [511:0] line_words;
  bit [16*30-1:0] beat_line;
  bit [63:0] beat_texel;

  always @(negedge clk_i) begin
    child_consolidation_pkg::child_consolidation_dpi_get(context_h, flags, take_tag, peek_select,
                                                         peek_index);
    if (flags[0]) begin
      child_consolidation_pkg::child_consolidation_dpi_get_beat(context_h, beat_parent,
                                                                beat_ratio, line_words,
                                                                beat_texel);
    end
  end

  genvar i;
  generate
    for (i = 0; i < 16; i = i + 1) begin : gen_line
      assign beat_line[i*30 +: 30] = line_words[i*32 +: 30];
    end
  endgenerate

  logic beat_ready, read_valid, take_ready, run_valid, run_void, run_last, quiescent;
  logic insert_valid, insert_new, close_valid;
  logic [3:0] error, run_first, run_count, run_ratio, insert_first, insert_count;
  logic [7:0] run_parent, insert_index, insert_parent, insert_slot, close_slot;
  logic [10:0] read_tag;
  logic [29:0] read_line;
  logic [63:0] run_texel;
  logic [63:0] peek_data;

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
    .beat_valid_i(flags[0]),
    .beat_ready_o(beat_ready),
    .beat_parent_i(beat_parent),
    .beat_ratio_i(beat_ratio[3:0]),
    .beat_line_i(beat_line),
    .beat_texel_i(beat_texel),
    .read_valid_o(read_valid),
    .read_ready_i(flags[1]),
    .read_tag_o(read_tag),
    .read_line_o(read_line),
    .take_valid_i(flags[2]),
    .take_ready_o(take_ready),
    .take_tag_i(take_tag[10:0]),
    .run_valid_o(run_valid),
    .run_ready_i(flags[3]),
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
    .peek_valid_i(flags[4]),
    .peek_select_i(peek_select[1:0]),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

  bit after_clock, reset_seen;
  initial reset_seen = 1'b0;
  always @(posedge clk_i) begin
    after_clock <= ~after_clock;
    if (!rst_ni) reset_seen <= 1'b1;
  end

  always @(after_clock) begin
    child_consolidation_pkg::child_consolidation_dpi_put(context_h,
        8'({close_valid, insert_valid, run_valid, read_valid, take_ready, beat_ready, quiescent}),
        8'(error), peek_data);
    if (read_valid) begin
      child_consolidation_pkg::child_consolidation_dpi_put_read(context_h, 16'(read_tag),
                                                                32'(read_line));
    end
    if (run_valid) begin
      child_consolidation_pkg::child_consolidation_dpi_put_run(context_h, 8'(run_void),
          8'(run_last), run_parent, 8'(run_first), 8'(run_count), 8'(run_ratio), run_texel);
    end
    if (insert_valid) begin
      child_consolidation_pkg::child_consolidation_dpi_put_insert(context_h, insert_index,
          insert_parent, 8'(insert_first), 8'(insert_count), insert_slot, 8'(insert_new));
    end
    if (close_valid) begin
      child_consolidation_pkg::child_consolidation_dpi_put_close(context_h, close_slot);
    end
    // What is not valid is 0.
    if (rst_ni && reset_seen) begin
      assert ((read_valid || {read_tag, read_line} == '0) &&
              (run_valid || {run_void, run_last, run_parent, run_first, run_count, run_ratio,
                             run_texel} == '0) &&
              (insert_valid || {insert_index, insert_parent, insert_first, insert_count,
                                insert_slot, insert_new} == '0) &&
              (close_valid || close_slot == '0));
    end
  end

`ifdef COVER
`include "cover_child_consolidation.svh"
`endif

endmodule
