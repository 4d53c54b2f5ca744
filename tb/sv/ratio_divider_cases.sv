// SPDX-License-Identifier: Apache-2.0
// Compares the divider with the operator / for every number and every R.
// Macro WIDTH: bits of the number.
module ratio_divider_cases;

  logic [`WIDTH-1:0] number, quotient;
  logic [3:0] ratio;
  integer wrong, cases;

  ratio_divider #(.Width(`WIDTH)) u_dut (
    .number_i(number),
    .ratio_i(ratio),
    .quotient_o(quotient)
  );

  initial begin
    wrong = 0;
    for (cases = 0; cases < 16 << `WIDTH; cases = cases + 1) begin
      {ratio, number} = cases[`WIDTH+3:0];
      #1;
      if (quotient !== number / ({28'd0, ratio} + 1)) begin
        wrong = wrong + 1;
        if (wrong <= 5) $display("%0d / %0d: %0d", number, ratio + 32'd1, quotient);
      end
    end
    $display("CASES: %0d, %0d wrong", cases, wrong);
    $finish;
  end

endmodule
