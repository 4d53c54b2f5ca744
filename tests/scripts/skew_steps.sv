// SPDX-License-Identifier: Apache-2.0
// Prints the step of the skewed map as each number of GPUs elaborates it: "NumGpus step" a line.
module skew_steps;
  genvar n;
  generate
    for (n = 2; n <= 64; n = n + 1) begin : gen_map
      tile_map #(.NumGpus(n)) u_map ();
      initial $display("%0d %0d", n, u_map.SkewStep);
    end
  endgenerate
endmodule
