// The texel generator with its inputs and outputs as one packed vector each, for the
// replay of recorded vectors (bare Verilated unit, second simulator). The fields lie in
// the order of the tables in tb/harness/unit_texel_generator.c, the first lowest.
module vectors_texel_generator #(
  parameter int Descriptors = 1024,
  parameter int Entries = 256,
  parameter int LineBytes = 64,
  parameter int CountWidth = 48,
  parameter bit Observe = 1'b1,
  localparam int InWidth = 8 + 1 + 16 + 22 + 14 + 14 + 2 + 2 + 1 + 320 + 1 + 1 + 1 + 1 + 1 + 16,
  localparam int BeatWidth = 8 + 4 + 16 * 30 + 16 * 4,
  localparam int OutWidth = 1 + 4 + 1 + 1 + 32 + 1 + 20 + 1 + BeatWidth + 55
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [InWidth-1:0]  in_i,
  output logic [OutWidth-1:0] out_o
);

  logic [7:0] epoch, request_epoch, mask, alloc_index, alloc_id, entry;
  logic descriptor_valid, package_valid, request_ready, parent_free, beat_ready, peek_valid;
  logic peek_select, package_ready, request_valid, refused, alloc_valid, beat_valid, quiescent;
  logic [15:0] index, peek_index;
  logic [21:0] base;
  logic [13:0] width, height;
  logic [1:0] wrap_x, wrap_y;
  logic [319:0] words;
  logic [10:0] id;
  logic [3:0] request_ratio, alloc_ratio, beat_ratio, error;
  logic [16*30-1:0] line;
  logic [63:0] texel;
  logic [54:0] peek_data;

  assign {peek_index, peek_select, peek_valid, beat_ready, parent_free, request_ready, words,
          package_valid, wrap_y, wrap_x, height, width, base, index, descriptor_valid,
          epoch} = in_i;
  assign out_o = {peek_data, texel, line, beat_ratio, entry, beat_valid, alloc_ratio, alloc_id,
                  alloc_index, alloc_valid, refused, request_ratio, mask, request_epoch, id,
                  request_valid, package_ready, error, quiescent};

  texel_generator #(
    .Descriptors(Descriptors),
    .Entries(Entries),
    .LineBytes(LineBytes),
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
    .package_i(words),
    .request_valid_o(request_valid),
    .request_ready_i(request_ready),
    .request_id_o(id),
    .request_epoch_o(request_epoch),
    .request_mask_o(mask),
    .request_ratio_o(request_ratio),
    .request_refused_o(refused),
    .alloc_valid_o(alloc_valid),
    .alloc_index_o(alloc_index),
    .alloc_id_o(alloc_id),
    .alloc_ratio_o(alloc_ratio),
    .parent_free_i(parent_free),
    .beat_valid_o(beat_valid),
    .beat_ready_i(beat_ready),
    .beat_parent_o(entry),
    .beat_ratio_o(beat_ratio),
    .beat_line_o(line),
    .beat_texel_o(texel),
    .error_o(error),
    .quiescent_o(quiescent),
    .peek_valid_i(peek_valid),
    .peek_select_i(peek_select),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

endmodule
