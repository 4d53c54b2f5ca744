// The offloading unit under the harness: exchanges one clock's values through DPI.
module tb_offload_unit #(
  parameter int NumTextureUnits = 16,
  parameter int Slots = 16,
  parameter int CountWidth = 48,
  parameter bit Observe = 1'b1
) (
  input logic clk_i,
  input logic rst_ni
);

  localparam int TotalSlots = NumTextureUnits * Slots;

  chandle context_h;
  initial context_h = offload_unit_pkg::offload_unit_dpi_context();

  byte unsigned flags, reissue_epoch, peek_index;
  longint unsigned request_valid, answer_ready;
  bit [287:0] request_word [NumTextureUnits];
  bit [NumTextureUnits*288-1:0] request;
  bit [319:0] response;

  always @(negedge clk_i) begin
    offload_unit_pkg::offload_unit_dpi_get(context_h, flags, request_valid, answer_ready,
                                           reissue_epoch, peek_index);
    for (int n = 0; n < NumTextureUnits; n = n + 1) begin
      if (request_valid[n]) begin
        offload_unit_pkg::offload_unit_dpi_get_request(context_h, n, request_word[n]);
      end
    end
    if (flags[2]) offload_unit_pkg::offload_unit_dpi_get_response(context_h, response);
  end

  genvar u;
  generate
    for (u = 0; u < NumTextureUnits; u = u + 1) begin : gen_request
      assign request[u*288 +: 288] = request_word[u];
    end
  endgenerate

  logic [NumTextureUnits-1:0] request_ready, answer_valid;
  logic [NumTextureUnits*5-1:0] request_slot;
  logic package_valid, response_ready, answer_refused, quiescent;
  logic [319:0] package_words;
  logic [3:0] error;
  logic [4:0] answer_slot;
  logic [7:0] answer_mask, answer_failed, epoch;
  logic [255:0] answer_texel;
  logic [TotalSlots-1:0] free, pending, waiting;
  logic [CountWidth-1:0] peek_data;

  offload_unit #(
    .NumTextureUnits(NumTextureUnits),
    .Slots(Slots),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .request_valid_i(request_valid[NumTextureUnits-1:0]),
    .request_ready_o(request_ready),
    .request_slot_o(request_slot),
    .request_i(request),
    .reissue_valid_i(flags[0]),
    .reissue_epoch_i(reissue_epoch),
    .package_valid_o(package_valid),
    .package_ready_i(flags[1]),
    .package_o(package_words),
    .response_valid_i(flags[2]),
    .response_ready_o(response_ready),
    .response_i(response),
    .answer_valid_o(answer_valid),
    .answer_ready_i(answer_ready[NumTextureUnits-1:0]),
    .answer_slot_o(answer_slot),
    .answer_mask_o(answer_mask),
    .answer_failed_o(answer_failed),
    .answer_refused_o(answer_refused),
    .answer_texel_o(answer_texel),
    .error_o(error),
    .quiescent_o(quiescent),
    .free_o(free),
    .pending_o(pending),
    .waiting_o(waiting),
    .epoch_o(epoch),
    .peek_valid_i(flags[3]),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

  bit after_clock, reset_seen;
  bit [TotalSlots-1:0] free_seen, pending_seen, waiting_seen;
  bit [NumTextureUnits*5-1:0] slot_seen;
  always @(posedge clk_i) begin
    after_clock <= ~after_clock;
    if (!rst_ni) reset_seen <= 1'b1;
  end

  // The C side starts with all 0, too.
  initial begin
    reset_seen = 1'b0;
    free_seen = '0;
    pending_seen = '0;
    waiting_seen = '0;
    slot_seen = '0;
  end

  always @(after_clock) begin
    offload_unit_pkg::offload_unit_dpi_put(context_h,
        8'({response_ready, package_valid, quiescent}), 8'(error), 64'(request_ready),
        64'(answer_valid), epoch, 64'(peek_data));
    if (package_valid) offload_unit_pkg::offload_unit_dpi_put_package(context_h, package_words);
    if (answer_valid != '0) begin
      offload_unit_pkg::offload_unit_dpi_put_answer(context_h, 8'(answer_slot), answer_mask,
                                                    answer_failed, 8'(answer_refused),
                                                    answer_texel);
    end
    if (free != free_seen || pending != pending_seen || waiting != waiting_seen ||
        request_slot != slot_seen) begin
      for (int n = 0; n < NumTextureUnits; n = n + 1) begin
        if (free[n*Slots +: Slots] != free_seen[n*Slots +: Slots] ||
            pending[n*Slots +: Slots] != pending_seen[n*Slots +: Slots] ||
            waiting[n*Slots +: Slots] != waiting_seen[n*Slots +: Slots] ||
            request_slot[n*5 +: 5] != slot_seen[n*5 +: 5]) begin
          offload_unit_pkg::offload_unit_dpi_put_unit(context_h, n, 32'(free[n*Slots +: Slots]),
              32'(pending[n*Slots +: Slots]), 32'(waiting[n*Slots +: Slots]),
              8'(request_slot[n*5 +: 5]));
        end
      end
      free_seen = free;
      pending_seen = pending;
      waiting_seen = waiting;
      slot_seen = request_slot;
    end
    // What is not valid is 0.
    if (rst_ni && reset_seen) begin
      assert ((package_valid || package_words == '0) &&
              (answer_valid != '0 || {answer_slot, answer_mask, answer_failed, answer_refused,
                                      answer_texel} == '0));
    end
  end

`ifdef COVER
`include "cover_offload_unit.svh"
`endif

endmodule
