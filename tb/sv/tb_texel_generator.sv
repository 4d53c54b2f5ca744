// The texel generator under the harness: exchanges one clock's values through DPI.
module tb_texel_generator #(
  parameter int Descriptors = 1024,
  parameter int Entries = 256,
  parameter int LineBytes = 64,
  parameter int CountWidth = 48,
  parameter bit Observe = 1'b1
) (
  input logic clk_i,
  input logic rst_ni
);

  chandle context_h;
  initial context_h = texel_generator_pkg::texel_generator_dpi_context();

  byte unsigned flags, epoch, wrap_x, wrap_y, peek_select;
  shortint unsigned index, width, height, peek_index;
  int unsigned base;
  bit [319:0] package_in;
  bit [511:0] line_words;

  always @(negedge clk_i) begin
    texel_generator_pkg::texel_generator_dpi_get(context_h, flags, epoch);
    if (flags[0]) begin
      texel_generator_pkg::texel_generator_dpi_get_descriptor(context_h, index, base, width,
                                                              height, wrap_x, wrap_y);
    end
    if (flags[1]) begin
      texel_generator_pkg::texel_generator_dpi_get_package(context_h, package_in);
    end
    if (flags[5]) begin
      texel_generator_pkg::texel_generator_dpi_get_peek(context_h, peek_select, peek_index);
    end
  end

  logic package_ready, request_valid, refused, alloc_valid, beat_valid, quiescent;
  logic [10:0] id;
  logic [7:0] request_epoch, mask, alloc_index, alloc_id, entry;
  logic [3:0] request_ratio, alloc_ratio, beat_ratio, error;
  logic [16*30-1:0] line;
  logic [63:0] texel;
  logic [54:0] peek_data;

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
    .request_valid_o(request_valid),
    .request_ready_i(flags[2]),
    .request_id_o(id),
    .request_epoch_o(request_epoch),
    .request_mask_o(mask),
    .request_ratio_o(request_ratio),
    .request_refused_o(refused),
    .alloc_valid_o(alloc_valid),
    .alloc_index_o(alloc_index),
    .alloc_id_o(alloc_id),
    .alloc_ratio_o(alloc_ratio),
    .parent_free_i(flags[3]),
    .beat_valid_o(beat_valid),
    .beat_ready_i(flags[4]),
    .beat_parent_o(entry),
    .beat_ratio_o(beat_ratio),
    .beat_line_o(line),
    .beat_texel_o(texel),
    .error_o(error),
    .quiescent_o(quiescent),
    .peek_valid_i(flags[5]),
    .peek_select_i(peek_select[0]),
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
    texel_generator_pkg::texel_generator_dpi_put(context_h,
        8'({beat_valid, alloc_valid, request_valid, package_ready, quiescent}), 8'(error),
        64'(peek_data));
    if (request_valid) begin
      texel_generator_pkg::texel_generator_dpi_put_request(context_h, 16'(id), request_epoch,
          mask, 8'(request_ratio), 8'(refused));
    end
    if (alloc_valid) begin
      texel_generator_pkg::texel_generator_dpi_put_alloc(context_h, alloc_index, alloc_id,
                                                         8'(alloc_ratio));
    end
    if (beat_valid) begin
      for (int i = 0; i < 16; i = i + 1) line_words[i*32 +: 32] = 32'(line[i*30 +: 30]);
      texel_generator_pkg::texel_generator_dpi_put_beat(context_h, entry, 8'(beat_ratio),
                                                        line_words, texel);
    end
    // What is not valid is 0.
    if (rst_ni && reset_seen) begin
      assert ((request_valid || {id, request_epoch, mask, request_ratio, refused} == '0) &&
              (alloc_valid || {alloc_index, alloc_id, alloc_ratio} == '0) &&
              (beat_valid || {entry, beat_ratio, line, texel} == '0));
    end
  end

`ifdef COVER
`include "cover_texel_generator.svh"
`endif

endmodule
