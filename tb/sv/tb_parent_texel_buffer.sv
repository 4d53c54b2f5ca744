// The parent texel buffer under the harness: exchanges one clock's values through DPI.
module tb_parent_texel_buffer #(
  parameter int Entries = 256,
  parameter bit Exact = 1'b1,
  parameter bit Observe = 1'b1
) (
  input logic clk_i,
  input logic rst_ni
);

  chandle context_h;
  initial context_h = parent_texel_buffer_pkg::parent_texel_buffer_dpi_context();

  byte unsigned flags, alloc_index, alloc_id, alloc_ratio, update_index, update_count, peek_index;
  longint unsigned update_sum;

  always @(negedge clk_i) begin
    parent_texel_buffer_pkg::parent_texel_buffer_dpi_get(context_h, flags, alloc_index, alloc_id,
        alloc_ratio, update_index, update_count, update_sum, peek_index);
  end

  logic parent_valid, parent_failed, quiescent, alloc_write, update_write;
  logic [3:0] error;
  logic [7:0] parent_id, alloc_write_index, update_write_index;
  logic [47:0] parent_value;
  logic [7:0] alloc_write_id;
  logic [3:0] alloc_write_ratio;
  logic [62:0] update_word, peek_data;

  parent_texel_buffer #(
    .Entries(Entries),
    .Exact(Exact),
    .Observe(Observe)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .alloc_valid_i(flags[0]),
    .alloc_index_i(alloc_index),
    .alloc_id_i(alloc_id),
    .alloc_ratio_i(alloc_ratio[3:0]),
    .update_valid_i(flags[1]),
    .update_index_i(update_index),
    .update_count_i(update_count[3:0]),
    .update_failed_i(flags[2]),
    .update_sum_i(update_sum[47:0]),
    .parent_valid_o(parent_valid),
    .parent_ready_i(flags[3]),
    .parent_id_o(parent_id),
    .parent_failed_o(parent_failed),
    .parent_value_o(parent_value),
    .error_o(error),
    .quiescent_o(quiescent),
    .alloc_write_valid_o(alloc_write),
    .alloc_write_index_o(alloc_write_index),
    .alloc_write_id_o(alloc_write_id),
    .alloc_write_ratio_o(alloc_write_ratio),
    .update_write_valid_o(update_write),
    .update_write_index_o(update_write_index),
    .update_write_word_o(update_word),
    .peek_valid_i(flags[4]),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

  bit after_clock;
  always @(posedge clk_i) after_clock <= ~after_clock;

  always @(after_clock) begin
    parent_texel_buffer_pkg::parent_texel_buffer_dpi_put(context_h,
        8'({update_write, alloc_write, parent_failed, parent_valid, quiescent}), 8'(error),
        parent_id, 64'(parent_value), alloc_write_index, alloc_write_id,
        8'(alloc_write_ratio), update_write_index, 64'(update_word), 64'(peek_data));
  end

`ifdef COVER
`include "cover_parent_texel_buffer.svh"
`endif

endmodule
