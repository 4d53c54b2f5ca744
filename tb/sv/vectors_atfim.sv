// A-TFIM's logic layer with its inputs and outputs as one packed vector each, for the replay
// of recorded vectors. The fields lie in the order of csim/unit/atfim.h, the first lowest.
module vectors_atfim #(
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
  parameter bit Observe = 1'b1,
  localparam int DescriptorWidth = 1 + 16 + 22 + 14 + 14 + 2 + 2,
  localparam int DataWidth = 1 + 11 + 8 + 1 + 8 * LineBytes,
  localparam int InWidth = 8 + DescriptorWidth + 1 + 320 + 1 + DataWidth + 1 + (1 + 2 + 2 + 16),
  localparam int WritesWidth = (1 + 8 + 8 + 4 + 4 + 8 + 1) + (1 + 8) + (1 + 8 + 8 + 4) + (1 + 8 + 63),
  localparam int OutWidth = 1 + 16 + 1 + (1 + 11 + 30) + 1 + (1 + 320) + WritesWidth + 64
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [InWidth-1:0]  in_i,
  output logic [OutWidth-1:0] out_o
);

  logic descriptor_valid, package_valid, read_ready, data_valid, data_failed, response_ready;
  logic peek_valid;
  logic [7:0] epoch, data_epoch;
  logic [15:0] index, peek_index;
  logic [21:0] base;
  logic [13:0] width, height;
  logic [1:0] wrap_x, wrap_y, peek_unit, peek_select;
  logic [319:0] package_in;
  logic [10:0] data_tag;
  logic [8*LineBytes-1:0] data;
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

  assign {peek_index, peek_select, peek_unit, peek_valid, response_ready, data, data_failed,
          data_epoch, data_tag, data_valid, read_ready, package_in, package_valid, wrap_y, wrap_x,
          height, width, base, index, descriptor_valid, epoch} = in_i;
  assign out_o = {peek_data, update_word, update_index, update_write, alloc_ratio, alloc_id,
                  alloc_index, alloc_write, close_slot, close_valid, insert_new, insert_slot, insert_count,
                  insert_first, insert_parent, insert_index, insert_valid, response,
                  response_valid, data_ready, read_line, read_tag, read_valid, package_ready,
                  error, quiescent};

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
    .descriptor_valid_i(descriptor_valid),
    .descriptor_index_i(index),
    .descriptor_base_i(base),
    .descriptor_width_i(width),
    .descriptor_height_i(height),
    .descriptor_wrap_x_i(wrap_x),
    .descriptor_wrap_y_i(wrap_y),
    .package_valid_i(package_valid),
    .package_ready_o(package_ready),
    .package_i(package_in),
    .child_read_valid_o(read_valid),
    .child_read_ready_i(read_ready),
    .child_read_tag_o(read_tag),
    .child_read_line_o(read_line),
    .child_data_valid_i(data_valid),
    .child_data_ready_o(data_ready),
    .child_data_tag_i(data_tag),
    .child_data_epoch_i(data_epoch),
    .child_data_failed_i(data_failed),
    .child_data_i(data),
    .response_valid_o(response_valid),
    .response_ready_i(response_ready),
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
    .peek_valid_i(peek_valid),
    .peek_unit_i(peek_unit),
    .peek_select_i(peek_select),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

endmodule
