// SPDX-License-Identifier: Apache-2.0
// How many cells a GPU has touched in this group: in the tiles of each owner, and in all tiles
// that are not its own. Our extension, for the lookahead of the composition scheduler
// (docs/units/lookahead_scheduler.md): how long each transfer will be. Cycle contract:
// docs/units/pixel_distributor.md, section 3.
//
// Each cell is counted once, when its bit is newly set, so that Width bits never wrap if they hold
// the cells of the map.
// Cost: (NumGpus + 1) x Width flip-flops, an adder each.
`include "assert.svh"
module cell_counts #(
  parameter int NumGpus = 8,
  parameter int Width = 21,
  localparam int IndexWidth = $clog2(NumGpus)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic [4:0]            fresh_i,  // cells newly touched in this cycle
  input  logic [IndexWidth-1:0] owner_i,  // of their tile
  input  logic [IndexWidth-1:0] gpu_i,    // own number
  input  logic [IndexWidth-1:0] index_i,
  output logic [Width-1:0]      count_o,  // of that owner
  output logic [Width-1:0]      foreign_o
);

  logic [Width-1:0] counts_q [NumGpus];
  logic [Width-1:0] foreign_q;

  assign count_o = counts_q[index_i];
  assign foreign_o = foreign_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      for (int g = 0; g < NumGpus; g = g + 1) counts_q[g] <= '0;
      foreign_q <= '0;
    end else begin
      for (int g = 0; g < NumGpus; g = g + 1) begin
        if (owner_i == IndexWidth'(g)) counts_q[g] <= counts_q[g] + Width'(fresh_i);
      end
      if (owner_i != gpu_i) foreign_q <= foreign_q + Width'(fresh_i);
    end
  end

  // No bit is lost as long as Width bits hold the cells of the map.
  `NOCTURNE_ASSERT(CountNeverWraps, !clear_i && fresh_i != '0 && owner_i != gpu_i |=>
                   clear_i || foreign_q >= $past(foreign_q))

endmodule
