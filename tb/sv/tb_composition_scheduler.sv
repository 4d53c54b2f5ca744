// The composition scheduler under the harness: exchanges one clock's values through DPI.
module tb_composition_scheduler #(
  parameter int NumGpus = 8,
  parameter bit LowestFirst = 1'b0
) (
  input logic clk_i,
  input logic rst_ni
);

  localparam int IndexWidth = $clog2(NumGpus);

  chandle context_h;
  initial context_h = composition_scheduler_pkg::composition_scheduler_dpi_context();

  longint unsigned message_valid, release_ready;
  byte unsigned start_ready;
  logic [NumGpus*2-1:0] message_op;
  initial message_op = '0;

  logic start_valid, start_front, quiescent;
  logic [IndexWidth-1:0] start_source, start_destination;
  logic [7:0] start_cgid;
  logic [2:0] error;
  logic [NumGpus-1:0] release_valid, ready, receiving, sending;
  logic [NumGpus*8-1:0] cgid, cgid_seen;
  logic [NumGpus*NumGpus-1:0] sent, received, sent_seen, received_seen;

  always @(negedge clk_i) begin
    composition_scheduler_pkg::composition_scheduler_dpi_get(context_h, message_valid,
        start_ready, release_ready);
    if (message_valid != 64'd0) begin
      for (int g = 0; g < NumGpus; g = g + 1) begin
        if (message_valid[g]) begin
          message_op[g*2 +: 2] =
              2'(composition_scheduler_pkg::composition_scheduler_dpi_message(context_h, g));
        end
      end
    end
  end

  composition_scheduler #(
    .NumGpus(NumGpus),
    .LowestFirst(LowestFirst)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .message_valid_i(message_valid[NumGpus-1:0]),
    .message_op_i(message_op),
    .start_valid_o(start_valid),
    .start_ready_i(start_ready[0]),
    .start_source_o(start_source),
    .start_destination_o(start_destination),
    .start_cgid_o(start_cgid),
    .start_front_o(start_front),
    .release_valid_o(release_valid),
    .release_ready_i(release_ready[NumGpus-1:0]),
    .error_o(error),
    .quiescent_o(quiescent),
    .cgid_o(cgid),
    .ready_o(ready),
    .receiving_o(receiving),
    .sending_o(sending),
    .sent_o(sent),
    .received_o(received)
  );

  bit after_clock;
  always @(posedge clk_i) after_clock <= ~after_clock;

  initial begin
    cgid_seen = '0;
    sent_seen = '0;
    received_seen = '0;
  end

  always @(after_clock) begin
    composition_scheduler_pkg::composition_scheduler_dpi_put(context_h, 8'(quiescent), 8'(error),
        8'(start_valid), 8'(start_front), 8'(start_source), 8'(start_destination), start_cgid,
        64'(release_valid));
    composition_scheduler_pkg::composition_scheduler_dpi_put_flags(context_h, 64'(ready),
        64'(receiving), 64'(sending));
    if (cgid != cgid_seen || sent != sent_seen || received != received_seen) begin
      for (int g = 0; g < NumGpus; g = g + 1) begin
        composition_scheduler_pkg::composition_scheduler_dpi_put_row(context_h, g,
            cgid[g*8 +: 8], 64'(sent[g*NumGpus +: NumGpus]),
            64'(received[g*NumGpus +: NumGpus]));
      end
      cgid_seen = cgid;
      sent_seen = sent;
      received_seen = received;
    end
  end

`ifdef COVER
`include "cover_composition_scheduler.svh"
`endif

endmodule
