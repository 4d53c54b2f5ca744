// The combination unit under the harness: exchanges one clock's values through DPI.
module tb_combination_unit #(
  parameter int LineBytes = 64,
  parameter bit Exact = 1'b1,
  parameter int Requests = 64,
  parameter int CountWidth = 48,
  parameter bit Observe = 1'b1
) (
  input logic clk_i,
  input logic rst_ni
);

  chandle context_h;
  initial context_h = combination_unit_pkg::combination_unit_dpi_context();

  shortint unsigned flags, data_tag, request_id;
  byte unsigned epoch, data_epoch, run_parent, run_first, run_count, run_ratio, request_epoch,
                request_mask, request_ratio, parent_id, peek_index;
  bit [511:0] data;
  bit [63:0] run_texel;
  longint unsigned parent_value;

  always @(negedge clk_i) begin
    combination_unit_pkg::combination_unit_dpi_get(context_h, flags, epoch);
    if (flags[0]) begin
      combination_unit_pkg::combination_unit_dpi_get_data(context_h, data_tag, data_epoch, data);
    end
    if (flags[3]) begin
      combination_unit_pkg::combination_unit_dpi_get_run(context_h, run_parent, run_first,
          run_count, run_ratio, run_texel);
    end
    if (flags[6]) begin
      combination_unit_pkg::combination_unit_dpi_get_request(context_h, request_id,
          request_epoch, request_mask, request_ratio);
    end
    if (flags[8]) begin
      combination_unit_pkg::combination_unit_dpi_get_parent(context_h, parent_id, parent_value);
    end
    if (flags[11]) peek_index = combination_unit_pkg::combination_unit_dpi_get_peek(context_h);
  end

  logic data_ready, take_valid, run_ready, update_valid, update_failed, request_ready;
  logic parent_ready, response_valid, quiescent;
  logic [10:0] take_tag;
  logic [7:0] update_index;
  logic [3:0] update_count, error;
  logic [47:0] update_sum;
  logic [319:0] response;
  logic [CountWidth-1:0] peek_data;

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
    .data_valid_i(flags[0]),
    .data_ready_o(data_ready),
    .data_tag_i(data_tag[10:0]),
    .data_epoch_i(data_epoch),
    .data_failed_i(flags[1]),
    .data_i(data[8*LineBytes-1:0]),
    .take_valid_o(take_valid),
    .take_ready_i(flags[2]),
    .take_tag_o(take_tag),
    .run_valid_i(flags[3]),
    .run_ready_o(run_ready),
    .run_void_i(flags[4]),
    .run_last_i(flags[5]),
    .run_parent_i(run_parent),
    .run_first_i(run_first[3:0]),
    .run_count_i(run_count[3:0]),
    .run_ratio_i(run_ratio[3:0]),
    .run_texel_i(run_texel),
    .update_valid_o(update_valid),
    .update_index_o(update_index),
    .update_count_o(update_count),
    .update_failed_o(update_failed),
    .update_sum_o(update_sum),
    .request_valid_i(flags[6]),
    .request_ready_o(request_ready),
    .request_id_i(request_id[10:0]),
    .request_epoch_i(request_epoch),
    .request_mask_i(request_mask),
    .request_ratio_i(request_ratio[3:0]),
    .request_refused_i(flags[7]),
    .parent_valid_i(flags[8]),
    .parent_ready_o(parent_ready),
    .parent_id_i(parent_id),
    .parent_failed_i(flags[9]),
    .parent_value_i(parent_value[47:0]),
    .response_valid_o(response_valid),
    .response_ready_i(flags[10]),
    .response_o(response),
    .error_o(error),
    .quiescent_o(quiescent),
    .peek_valid_i(flags[11]),
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
    combination_unit_pkg::combination_unit_dpi_put(context_h,
        16'({response_valid, parent_ready, request_ready, update_failed, update_valid, run_ready,
             take_valid, data_ready, quiescent}), 8'(error), 16'(take_tag), update_index,
        8'(update_count), 64'(update_sum), 64'(peek_data));
    if (response_valid) begin
      combination_unit_pkg::combination_unit_dpi_put_response(context_h, response);
    end
    // What is not valid is 0.
    if (rst_ni && reset_seen) assert (response_valid || response == '0);
  end

`ifdef COVER
`include "cover_combination_unit.svh"
`endif

endmodule
