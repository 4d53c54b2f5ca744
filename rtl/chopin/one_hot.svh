// SPDX-License-Identifier: Apache-2.0
// Functions on one bit per GPU, to be included in a module that has NumGpus and IndexWidth.

// Returns the bits above the lowest set one; all 0 if none is set. The doubling keeps the depth at
// clog2(NumGpus).
function automatic logic [NumGpus-1:0] above_lowest(input logic [NumGpus-1:0] bits);
  logic [NumGpus-1:0] seen;
  seen = bits;
  for (int k = 1; k < NumGpus; k = k * 2) begin
    seen = seen | (seen << k);
  end
  above_lowest = seen << 1;
endfunction

// Returns the number of the one set bit, 0 if none is set.
function automatic logic [IndexWidth-1:0] encode(input logic [NumGpus-1:0] one_hot);
  encode = '0;
  for (int k = 0; k < NumGpus; k = k + 1) begin
    encode = encode | (one_hot[k] ? IndexWidth'(k) : '0);
  end
endfunction
