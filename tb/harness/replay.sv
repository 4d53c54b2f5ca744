// SPDX-License-Identifier: Apache-2.0
// Replays recorded vectors in a simulator without DPI and compares every output in all
// four states. Macros: UNIT the wrapper (vectors_...), PARAMS its parameter assignments,
// IN_NIBBLES and OUT_NIBBLES the widths of a line's two numbers, IN_BITS and OUT_BITS the
// wrapper's, LINES the number of lines, VECTORS the file of the lines unless +vectors=FILE says so
// (tb/harness/vectors.c). +passes=N plays all of them N times.
// A mismatch ends the simulation with a status that is not 0.
module replay;

  localparam int LineWidth = 4 * (1 + `OUT_NIBBLES + `IN_NIBBLES);

  logic clk = 1'b1;
  logic rst_n = 1'b1;
  logic [LineWidth-1:0] line;
  logic [`IN_BITS-1:0] in = '0;
  logic [`OUT_BITS-1:0] out, expected;
  logic [8*512-1:0] path;
  logic [LineWidth-1:0] vectors [`LINES];
  integer number, mismatches, pass, passes, cycles;

  `UNIT #(`PARAMS) u_unit (.clk_i(clk), .rst_ni(rst_n), .in_i(in), .out_o(out));

  task clock;
    begin
      #1 clk = 1'b0;
      #1 clk = 1'b1;
      #1 cycles = cycles + 1;
    end
  endtask

  initial begin
    if ($value$plusargs("vectors=%s", path) == 0) begin
`ifdef VECTORS
      path = `VECTORS;
`else
      $fatal(1, "REPLAY: no +vectors=FILE");
`endif
    end
    $readmemh(path, vectors);
    if ($value$plusargs("passes=%d", passes) == 0) begin
      passes = 1;
    end
    mismatches = 0;
    cycles = 0;
    for (pass = 0; pass < passes; pass = pass + 1) begin
      replay_all;
    end
    $display("REPLAY: %0d lines, %0d mismatches", passes * number, mismatches);
    if (mismatches != 0) begin
      $fatal(1, "REPLAY: the outputs are not those recorded");
    end
    $finish;
  end

  task replay_all;
    for (number = 0; number < `LINES; number = number + 1) begin
      line = vectors[number];
      in = line[`IN_BITS-1:0];
      expected = line[4*`IN_NIBBLES +: `OUT_BITS];
      if (line[LineWidth-1 -: 4] != 4'd0) begin
        rst_n = 1'b0;
        repeat (line[LineWidth-1 -: 4]) clock;
        rst_n = 1'b1;
        #1;
      end else begin
        clock;
      end
      if (out !== expected || ^line === 1'bx) begin
        mismatches = mismatches + 1;
        if (mismatches <= 5) begin
          $display("REPLAY: MISMATCH line %0d: expected %h, actual %h, cycle %0d", number + 2,
                   expected, out, cycles);
        end
      end
    end
  endtask

endmodule
