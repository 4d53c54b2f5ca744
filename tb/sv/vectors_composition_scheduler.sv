// The composition scheduler with its inputs and outputs as one packed vector each, for
// the replay of recorded vectors (bare Verilated unit, second simulator). The fields lie
// in the order of the tables in tb/harness/unit_composition_scheduler.c, the first lowest.
module vectors_composition_scheduler #(
  parameter int NumGpus = 8,
  parameter bit LowestFirst = 1'b0,
  localparam int IndexWidth = $clog2(NumGpus),
  localparam int InWidth = NumGpus + 2 * NumGpus + 1 + NumGpus,
  localparam int OutWidth = 1 + 3 + 1 + 1 + 2 * IndexWidth + 8 + NumGpus
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [InWidth-1:0]         in_i,
  output logic [OutWidth-1:0]        out_o,
  output logic [NumGpus*8-1:0]       cgid_o,
  output logic [NumGpus-1:0]         ready_o,
  output logic [NumGpus-1:0]         receiving_o,
  output logic [NumGpus-1:0]         sending_o,
  output logic [NumGpus*NumGpus-1:0] sent_o,
  output logic [NumGpus*NumGpus-1:0] received_o
);

  logic quiescent, start_valid, start_ready, start_front;
  logic [2:0] error;
  logic [IndexWidth-1:0] source, destination;
  logic [7:0] cgid;
  logic [NumGpus-1:0] message_valid, release_valid, release_ready;
  logic [2*NumGpus-1:0] message_op;

  assign {release_ready, start_ready, message_op, message_valid} = in_i;
  assign out_o = {release_valid, cgid, destination, source, start_front, start_valid, error,
                  quiescent};

  composition_scheduler #(
    .NumGpus(NumGpus),
    .LowestFirst(LowestFirst)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .message_valid_i(message_valid),
    .message_op_i(message_op),
    .start_valid_o(start_valid),
    .start_ready_i(start_ready),
    .start_source_o(source),
    .start_destination_o(destination),
    .start_cgid_o(cgid),
    .start_front_o(start_front),
    .release_valid_o(release_valid),
    .release_ready_i(release_ready),
    .error_o(error),
    .quiescent_o(quiescent),
    .cgid_o(cgid_o),
    .ready_o(ready_o),
    .receiving_o(receiving_o),
    .sending_o(sending_o),
    .sent_o(sent_o),
    .received_o(received_o)
  );

endmodule
