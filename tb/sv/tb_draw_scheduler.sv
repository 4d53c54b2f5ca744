// The draw scheduler under the harness: exchanges one clock's values through DPI.
//
// The low phase fetches the inputs; the rising edge clocks the unit; what follows from
// it goes back, quiescence with the same inputs still applied.
module tb_draw_scheduler #(
  parameter int NumGpus = 8,
  parameter int CountWidth = 64,
  parameter int Credits = 64,
  parameter bit TieLowest = 1'b0,
  parameter int ResetBelow = 0  // counters reset to this much below all ones; 0: to 0
) (
  input logic clk_i,
  input logic rst_ni
);

  chandle context_h;
  initial context_h = draw_scheduler_pkg::draw_scheduler_dpi_context();

  byte unsigned cmd_valid, cmd_op, cmd_kind, policy;
  int unsigned cmd_id, cmd_first, cmd_count;
  longint unsigned piece_ready, credit, progress_valid;
  logic [NumGpus*11-1:0] progress_count;

  logic cmd_ready, compose, quiescent;
  logic [1:0] kind;
  logic [2:0] error;
  logic [31:0] id, first, count;
  logic [NumGpus-1:0] piece_valid;
  logic [NumGpus*CountWidth-1:0] scheduled, processed, scheduled_seen, processed_seen;

  initial progress_count = '0;

  always @(negedge clk_i) begin
    draw_scheduler_pkg::draw_scheduler_dpi_get(context_h, cmd_valid, cmd_op, cmd_kind, policy,
        cmd_id, cmd_first, cmd_count, piece_ready, credit, progress_valid);
    if (progress_valid != 64'd0) begin
      for (int g = 0; g < NumGpus; g = g + 1) begin
        if (progress_valid[g]) begin
          progress_count[g*11 +: 11] =
              11'(draw_scheduler_pkg::draw_scheduler_dpi_progress(context_h, g));
        end
      end
    end
  end

  draw_scheduler #(
    .NumGpus(NumGpus),
    .CountWidth(CountWidth),
    .Credits(Credits),
    .TieLowest(TieLowest),
    .ResetCount((ResetBelow == 0) ? '0 : ~CountWidth'(ResetBelow))
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .cmd_valid_i(cmd_valid[0]),
    .cmd_ready_o(cmd_ready),
    .cmd_op_i(cmd_op[1:0]),
    .cmd_kind_i(cmd_kind[1:0]),
    .cmd_id_i(cmd_id),
    .cmd_first_i(cmd_first),
    .cmd_count_i(cmd_count),
    .policy_i(policy[1:0]),
    .piece_valid_o(piece_valid),
    .piece_ready_i(piece_ready[NumGpus-1:0]),
    .piece_compose_o(compose),
    .piece_kind_o(kind),
    .piece_id_o(id),
    .piece_first_o(first),
    .piece_count_o(count),
    .credit_i(credit[NumGpus-1:0]),
    .progress_valid_i(progress_valid[NumGpus-1:0]),
    .progress_count_i(progress_count),
    .error_o(error),
    .quiescent_o(quiescent),
    .scheduled_o(scheduled),
    .processed_o(processed)
  );

  bit after_clock;
  always @(posedge clk_i) after_clock <= ~after_clock;

  initial begin
    scheduled_seen = '0;
    processed_seen = '0;
  end

  always @(after_clock) begin
    draw_scheduler_pkg::draw_scheduler_dpi_put(context_h, 8'(cmd_ready), 8'(quiescent), 8'(error),
        8'(compose), 8'(kind), id, first, count, 64'(piece_valid));
    if (scheduled != scheduled_seen || processed != processed_seen) begin
      for (int g = 0; g < NumGpus; g = g + 1) begin
        if (scheduled[g*CountWidth +: CountWidth] != scheduled_seen[g*CountWidth +: CountWidth] ||
            processed[g*CountWidth +: CountWidth] != processed_seen[g*CountWidth +: CountWidth])
        begin
          draw_scheduler_pkg::draw_scheduler_dpi_put_entry(context_h, g,
              64'(scheduled[g*CountWidth +: CountWidth]),
              64'(processed[g*CountWidth +: CountWidth]));
        end
      end
      scheduled_seen = scheduled;
      processed_seen = processed;
    end
  end

`ifdef COVER
`include "cover_draw_scheduler.svh"
`endif

endmodule
