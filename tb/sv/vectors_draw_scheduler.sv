// The draw scheduler with its inputs and outputs as one packed vector each, for the
// replay of recorded vectors (bare Verilated unit, second simulator). The fields lie in
// the order of the tables in tb/harness/unit_draw_scheduler.c, the first lowest.
module vectors_draw_scheduler #(
  parameter int NumGpus = 8,
  parameter int CountWidth = 64,
  parameter int Credits = 64,
  parameter bit TieLowest = 1'b0,
  parameter int ResetBelow = 0,  // counters reset to this much below all ones; 0: to 0
  localparam int InWidth = 1 + 2 + 2 + 2 + 32 + 32 + 32 + 3 * NumGpus + 11 * NumGpus,
  localparam int OutWidth = 1 + 1 + 3 + 1 + 2 + 32 + 32 + 32 + NumGpus
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic [InWidth-1:0]            in_i,
  output logic [OutWidth-1:0]           out_o,
  output logic [NumGpus*CountWidth-1:0] scheduled_o,
  output logic [NumGpus*CountWidth-1:0] processed_o
);

  logic cmd_valid, cmd_ready, quiescent, compose;
  logic [1:0] op, kind, policy, piece_kind;
  logic [2:0] error;
  logic [31:0] id, first, count, piece_id, piece_first, piece_count;
  logic [NumGpus-1:0] piece_ready, piece_valid, credit, progress_valid;
  logic [NumGpus*11-1:0] progress;

  assign {progress, progress_valid, credit, piece_ready, count, first, id, policy, kind, op,
          cmd_valid} = in_i;
  assign out_o = {piece_valid, piece_count, piece_first, piece_id, piece_kind, compose, error,
                  quiescent, cmd_ready};

  draw_scheduler #(
    .NumGpus(NumGpus),
    .CountWidth(CountWidth),
    .Credits(Credits),
    .TieLowest(TieLowest),
    .ResetCount((ResetBelow == 0) ? '0 : {CountWidth{1'b1}} - CountWidth'(ResetBelow))
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .cmd_valid_i(cmd_valid),
    .cmd_ready_o(cmd_ready),
    .cmd_op_i(op),
    .cmd_kind_i(kind),
    .cmd_id_i(id),
    .cmd_first_i(first),
    .cmd_count_i(count),
    .policy_i(policy),
    .piece_valid_o(piece_valid),
    .piece_ready_i(piece_ready),
    .piece_compose_o(compose),
    .piece_kind_o(piece_kind),
    .piece_id_o(piece_id),
    .piece_first_o(piece_first),
    .piece_count_o(piece_count),
    .credit_i(credit),
    .progress_valid_i(progress_valid),
    .progress_count_i(progress),
    .error_o(error),
    .quiescent_o(quiescent),
    .scheduled_o(scheduled_o),
    .processed_o(processed_o)
  );

endmodule
