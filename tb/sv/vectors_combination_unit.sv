// The combination unit with its inputs and outputs as one packed vector each, for the
// replay of recorded vectors. The fields lie in the order of csim/unit/combination_unit.h,
// the first lowest.
module vectors_combination_unit #(
  parameter int LineBytes = 64,
  parameter bit Exact = 1'b1,
  parameter int Requests = 64,
  parameter int CountWidth = 48,
  parameter bit Observe = 1'b1,
  localparam int DataWidth = 1 + 11 + 8 + 1 + 8 * LineBytes,
  localparam int RunWidth = 1 + 1 + 1 + 8 + 4 + 4 + 4 + 64,
  localparam int RequestWidth = 1 + 11 + 8 + 8 + 4 + 1,
  localparam int InWidth = 8 + DataWidth + 1 + RunWidth + RequestWidth + (1 + 8 + 1 + 48) + 1 +
                           1 + 8,
  localparam int OutWidth = 1 + 4 + 1 + 1 + 11 + 1 + (1 + 8 + 4 + 1 + 48) + 1 + 1 + 1 + 320 +
                            CountWidth
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [InWidth-1:0]  in_i,
  output logic [OutWidth-1:0] out_o
);

  logic data_valid, data_failed, take_ready, run_valid, run_void, run_last, request_valid;
  logic request_refused, parent_valid, parent_failed, response_ready, peek_valid;
  logic [10:0] data_tag, request_id;
  logic [7:0] epoch, data_epoch, run_parent, request_epoch, request_mask, parent_id, peek_index;
  logic [3:0] run_first, run_count, run_ratio, request_ratio;
  logic [8*LineBytes-1:0] data;
  logic [63:0] run_texel;
  logic [47:0] parent_value;
  logic quiescent, data_ready, take_valid, run_ready, update_valid, update_failed;
  logic request_ready, parent_ready, response_valid;
  logic [10:0] take_tag;
  logic [7:0] update_index;
  logic [3:0] error, update_count;
  logic [47:0] update_sum;
  logic [319:0] response;
  logic [CountWidth-1:0] peek_data;

  assign {peek_index, peek_valid, response_ready, parent_value, parent_failed, parent_id,
          parent_valid, request_refused, request_ratio, request_mask, request_epoch, request_id,
          request_valid, run_texel, run_ratio, run_count, run_first, run_parent, run_last,
          run_void, run_valid, take_ready, data, data_failed, data_epoch, data_tag, data_valid,
          epoch} = in_i;
  assign out_o = {peek_data, response, response_valid, parent_ready, request_ready, update_sum,
                  update_failed, update_count, update_index, update_valid, run_ready, take_tag,
                  take_valid, data_ready, error, quiescent};

  combination_unit #(
    .LineBytes(LineBytes),
    .Exact(Exact),
    .Requests(Requests),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .epoch_i(epoch),
    .data_valid_i(data_valid),
    .data_ready_o(data_ready),
    .data_tag_i(data_tag),
    .data_epoch_i(data_epoch),
    .data_failed_i(data_failed),
    .data_i(data),
    .take_valid_o(take_valid),
    .take_ready_i(take_ready),
    .take_tag_o(take_tag),
    .run_valid_i(run_valid),
    .run_ready_o(run_ready),
    .run_void_i(run_void),
    .run_last_i(run_last),
    .run_parent_i(run_parent),
    .run_first_i(run_first),
    .run_count_i(run_count),
    .run_ratio_i(run_ratio),
    .run_texel_i(run_texel),
    .update_valid_o(update_valid),
    .update_index_o(update_index),
    .update_count_o(update_count),
    .update_failed_o(update_failed),
    .update_sum_o(update_sum),
    .request_valid_i(request_valid),
    .request_ready_o(request_ready),
    .request_id_i(request_id),
    .request_epoch_i(request_epoch),
    .request_mask_i(request_mask),
    .request_ratio_i(request_ratio),
    .request_refused_i(request_refused),
    .parent_valid_i(parent_valid),
    .parent_ready_o(parent_ready),
    .parent_id_i(parent_id),
    .parent_failed_i(parent_failed),
    .parent_value_i(parent_value),
    .response_valid_o(response_valid),
    .response_ready_i(response_ready),
    .response_o(response),
    .error_o(error),
    .quiescent_o(quiescent),
    .peek_valid_i(peek_valid),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

endmodule
