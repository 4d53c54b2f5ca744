// The offloading unit with its inputs and outputs as one packed vector each, for the replay
// of recorded vectors. The fields lie in the order of csim/unit/offload_unit.h, the first
// lowest; the state of the slots is not among them.
module vectors_offload_unit #(
  parameter int NumTextureUnits = 16,
  parameter int Slots = 16,
  parameter int CountWidth = 48,
  parameter bit Observe = 1'b1,
  localparam int InWidth = NumTextureUnits * (1 + 288) + 1 + 8 + 1 + 1 + 320 + NumTextureUnits +
                           1 + 8,
  localparam int OutWidth = 1 + 4 + NumTextureUnits * (1 + 5) + 1 + 320 + 1 + NumTextureUnits +
                            5 + 8 + 8 + 1 + 256 + CountWidth
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [InWidth-1:0]  in_i,
  output logic [OutWidth-1:0] out_o
);

  logic [NumTextureUnits-1:0] request_valid, request_ready, answer_valid, answer_ready;
  logic [NumTextureUnits*288-1:0] request;
  logic [NumTextureUnits*5-1:0] request_slot;
  logic reissue_valid, package_valid, package_ready, response_valid, response_ready;
  logic answer_refused, quiescent, peek_valid;
  logic [7:0] reissue_epoch, answer_mask, answer_failed, epoch, peek_index;
  logic [319:0] response;
  logic [319:0] package_words;
  logic [3:0] error;
  logic [4:0] answer_slot;
  logic [255:0] answer_texel;
  logic [NumTextureUnits*Slots-1:0] free, pending, waiting;
  logic [CountWidth-1:0] peek_data;

  assign {peek_index, peek_valid, answer_ready, response, response_valid, package_ready,
          reissue_epoch, reissue_valid, request, request_valid} = in_i;
  assign out_o = {peek_data, answer_texel, answer_refused, answer_failed, answer_mask,
                  answer_slot, answer_valid, response_ready, package_words, package_valid,
                  request_slot, request_ready, error, quiescent};

  offload_unit #(
    .NumTextureUnits(NumTextureUnits),
    .Slots(Slots),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .request_valid_i(request_valid),
    .request_ready_o(request_ready),
    .request_slot_o(request_slot),
    .request_i(request),
    .reissue_valid_i(reissue_valid),
    .reissue_epoch_i(reissue_epoch),
    .package_valid_o(package_valid),
    .package_ready_i(package_ready),
    .package_o(package_words),
    .response_valid_i(response_valid),
    .response_ready_o(response_ready),
    .response_i(response),
    .answer_valid_o(answer_valid),
    .answer_ready_i(answer_ready),
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
    .peek_valid_i(peek_valid),
    .peek_index_i(peek_index),
    .peek_data_o(peek_data)
  );

  logic unused;
  assign unused = ^{free, pending, waiting, epoch};

endmodule
