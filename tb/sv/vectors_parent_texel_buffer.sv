// The parent texel buffer with its inputs and outputs as one packed vector each, for the
// replay of recorded vectors. The fields lie in the order of csim/unit/parent_texel_buffer.h,
// the first lowest.
module vectors_parent_texel_buffer #(
  parameter int Entries = 256,
  parameter bit Exact = 1'b1,
  parameter bit Observe = 1'b1,
  localparam int InWidth = 1 + 8 + 8 + 4 + 1 + 8 + 4 + 1 + 48 + 1 + 1 + 8,
  localparam int OutWidth = 1 + 4 + 1 + 8 + 1 + 48 + (1 + 8 + 8 + 4) + (1 + 8 + 63) + 63
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [InWidth-1:0]  in_i,
  output logic [OutWidth-1:0] out_o
);

  logic alloc_valid, update_valid, update_failed, parent_ready, peek_valid;
  logic [7:0] alloc_index, alloc_id, update_index, peek_index;
  logic [3:0] alloc_ratio, update_count;
  logic [47:0] update_sum;
  logic quiescent, parent_valid, parent_failed, alloc_write, update_write;
  logic [3:0] error;
  logic [7:0] parent_id, alloc_write_index, update_write_index;
  logic [47:0] parent_value;
  logic [7:0] alloc_write_id;
  logic [3:0] alloc_write_ratio;
  logic [62:0] update_word, peek_data;

  assign {peek_index, peek_valid, parent_ready, update_sum, update_failed, update_count,
          update_index, update_valid, alloc_ratio, alloc_id, alloc_index, alloc_valid} = in_i;
  assign out_o = {peek_data, update_word, update_write_index, update_write, alloc_write_ratio,
                  alloc_write_id,
                  alloc_write_index, alloc_write, parent_value, parent_failed, parent_id,
                  parent_valid, error, quiescent};

  parent_texel_buffer #(
    .Entries(Entries),
    .Exact(Exact),
    .Observe(Observe)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .alloc_valid_i(alloc_valid),
    .alloc_index_i(alloc_index),
    .alloc_id_i(alloc_id),
    .alloc_ratio_i(alloc_ratio),
    .update_valid_i(update_valid),
    .update_index_i(update_index),
    .update_count_i(update_count),
    .update_failed_i(update_failed),
    .update_sum_i(update_sum),
    .parent_valid_o(parent_valid),
    .parent_ready_i(parent_ready),
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
    .peek_valid_i(peek_valid),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

endmodule
