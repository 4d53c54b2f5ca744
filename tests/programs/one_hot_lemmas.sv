// SPDX-License-Identifier: Apache-2.0
// What rtl/chopin/one_hot.svh says of its functions, for a number of GPUs that no proof of a whole
// unit reaches.
module one_hot_lemmas #(
  parameter int NumGpus = 64,
  localparam int IndexWidth = $clog2(NumGpus)
) (
  input logic [NumGpus-1:0] bits_i
);
  `include "one_hot.svh"

  logic [IndexWidth-1:0] number;
  logic [NumGpus-1:0] above;
  assign number = encode(bits_i);
  assign above = above_lowest(bits_i);

  for (genvar k = 0; k < NumGpus; k = k + 1) begin : gen_gpu
    always_comb assert (bits_i != NumGpus'(1) << k || number == IndexWidth'(k));
    always_comb assert (above[k] == ((bits_i & ((NumGpus'(1) << k) - NumGpus'(1))) != '0));
  end
endmodule
