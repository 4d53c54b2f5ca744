// A-TFIM's logic layer under the harness: exchanges one clock's values through DPI.
module tb_atfim #(
  parameter int Descriptors = 1024,
  parameter int ParentEntries = 256,
  parameter int RunEntries = 256,
  parameter int SetBits = 6,
  parameter int Ways = 4,
  parameter bit Merge = 1'b1,
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
  initial context_h = atfim_pkg::atfim_dpi_context();

  byte unsigned flags, epoch, wrap_x, wrap_y, data_epoch, peek_unit, peek_select;
  shortint unsigned index, width, height, data_tag, peek_index;
  int unsigned base;
  bit [319:0] package_in;
  bit [511:0] data;

  always @(negedge clk_i) begin
    atfim_pkg::atfim_dpi_get(context_h, flags, epoch);
    if (flags[0]) begin
      atfim_pkg::atfim_dpi_get_descriptor(context_h, index, base, width, height, wrap_x, wrap_y);
    end
    if (flags[1]) atfim_pkg::atfim_dpi_get_package(context_h, package_in);
    if (flags[3]) atfim_pkg::atfim_dpi_get_data(context_h, data_tag, data_epoch, data);
    // Also without a peek: the answer to the last one must stay.
    atfim_pkg::atfim_dpi_get_peek(context_h, peek_unit, peek_select, peek_index);
  end

  logic package_ready, read_valid, data_ready, response_valid, quiescent, insert_valid, insert_new;
  logic close_valid, alloc_write, update_write;
  logic [10:0] read_tag;
  logic [29:0] read_line;
  logic [319:0] response;
  logic [15:0] error;
  logic [7:0] insert_index, insert_parent, insert_slot, close_slot, alloc_index, update_index;
  logic [3:0] insert_first, insert_count;
  logic [7:0] alloc_id;
  logic [3:0] alloc_ratio;
  logic [62:0] update_word;
  logic [63:0] peek_data;

  atfim #(
    .Descriptors(Descriptors),
    .ParentEntries(ParentEntries),
    .RunEntries(RunEntries),
    .SetBits(SetBits),
    .Ways(Ways),
    .Merge(Merge),
    .LineBytes(LineBytes),
    .Exact(Exact),
    .Requests(Requests),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .epoch_i(epoch),
    .descriptor_valid_i(flags[0]),
    .descriptor_index_i(index),
    .descriptor_base_i(base[21:0]),
    .descriptor_width_i(width[13:0]),
    .descriptor_height_i(height[13:0]),
    .descriptor_wrap_x_i(wrap_x[1:0]),
    .descriptor_wrap_y_i(wrap_y[1:0]),
    .package_valid_i(flags[1]),
    .package_ready_o(package_ready),
    .package_i(package_in),
    .child_read_valid_o(read_valid),
    .child_read_ready_i(flags[2]),
    .child_read_tag_o(read_tag),
    .child_read_line_o(read_line),
    .child_data_valid_i(flags[3]),
    .child_data_ready_o(data_ready),
    .child_data_tag_i(data_tag[10:0]),
    .child_data_epoch_i(data_epoch),
    .child_data_failed_i(flags[4]),
    .child_data_i(data[8*LineBytes-1:0]),
    .response_valid_o(response_valid),
    .response_ready_i(flags[5]),
    .response_o(response),
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
    .alloc_write_valid_o(alloc_write),
    .alloc_write_index_o(alloc_index),
    .alloc_write_id_o(alloc_id),
    .alloc_write_ratio_o(alloc_ratio),
    .update_write_valid_o(update_write),
    .update_write_index_o(update_index),
    .update_write_word_o(update_word),
    .peek_valid_i(flags[6]),
    .peek_unit_i(peek_unit[1:0]),
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
    atfim_pkg::atfim_dpi_put(context_h,
        16'({update_write, alloc_write, close_valid, insert_new, insert_valid, response_valid,
             data_ready, read_valid, package_ready, quiescent}), error, peek_data);
    if (read_valid) atfim_pkg::atfim_dpi_put_read(context_h, 16'(read_tag), 32'(read_line));
    if (response_valid) atfim_pkg::atfim_dpi_put_response(context_h, response);
    if (insert_valid) begin
      atfim_pkg::atfim_dpi_put_insert(context_h, insert_index, insert_parent, 8'(insert_first),
                                      8'(insert_count), insert_slot);
    end
    if (close_valid) atfim_pkg::atfim_dpi_put_close(context_h, close_slot);
    if (alloc_write) atfim_pkg::atfim_dpi_put_alloc(context_h, alloc_index, alloc_id,
                                                         8'(alloc_ratio));
    if (update_write) atfim_pkg::atfim_dpi_put_update(context_h, update_index,
                                                            64'(update_word));
    // What is not valid is 0.
    if (rst_ni && reset_seen) begin
      assert ((read_valid || {read_tag, read_line} == '0) &&
              (response_valid || response == '0) &&
              (insert_valid || {insert_index, insert_parent, insert_first, insert_count,
                                insert_slot, insert_new} == '0) &&
              (close_valid || close_slot == '0) &&
              (alloc_write || {alloc_index, alloc_id, alloc_ratio} == '0) &&
              (update_write || {update_index, update_word} == '0));
    end
  end

`ifdef COVER
`include "cover_atfim.svh"
`endif

endmodule
