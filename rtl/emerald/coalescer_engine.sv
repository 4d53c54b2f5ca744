// SPDX-License-Identifier: Apache-2.0
// One engine of tile_coalescer: assembles a TC tile of 16 stamps from up to Bins raster tiles.
//
// Each stamp that is not covered is moved from the oldest raster tile that has it, all in one
// cycle. Raster tiles that are left without stamps leave, and the others move up in their order.
// wants_o: could issue, but for its place, the output register and ids.
// Illegal: take_i while active, append_i and issue_i together or while not active, append_i with
// Bins raster tiles, issue_i without wants_o.
`include "assert.svh"
module coalescer_engine #(
  parameter int Bins     = 4,   // raster tiles, 1 to 8
  parameter int Wait     = 20,  // cycles, 1 to 1023
  parameter int TagWidth = 11,
  parameter int PosWidth = 10,
  localparam int IdleW = $clog2(Wait + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   take_i,       // a new place, with its first raster tile
  input  logic                   append_i,     // a raster tile
  input  logic                   evict_i,
  input  logic                   issue_i,
  input  logic [2*PosWidth-1:0]  place_i,
  input  logic [1:0]             quadrant_i,
  input  logic [3:0]             stamps_i,
  input  logic [TagWidth-1:0]    tag_i,
  output logic                   active_o,
  output logic                   evict_o,
  output logic                   moves_o,
  output logic                   wants_o,
  output logic [IdleW-1:0]       idle_o,
  output logic                   full_o,       // has Bins raster tiles
  output logic [3:0]             held_o,
  output logic [2*PosWidth-1:0]  place_o,
  output logic [15:0]            covered_o,
  output logic [16*TagWidth-1:0] tags_o
);

  localparam int HeldW = $clog2(Bins + 1);
  localparam logic [HeldW-1:0] Full = HeldW'(Bins);
  localparam logic [IdleW-1:0] Waited = IdleW'(Wait);

  // Counts the set bits.
  function automatic logic [HeldW-1:0] count(input logic [Bins-1:0] bits);
    count = '0;
    for (int k = 0; k < Bins; k = k + 1) count = count + HeldW'(bits[k]);
  endfunction

  logic gets;
  logic active_q, evict_q;
  logic [2*PosWidth-1:0] place_q;
  logic [IdleW-1:0] idle_q;
  logic [HeldW-1:0] held_q;
  logic [1:0] quadrant_q [Bins];
  logic [3:0] stamps_q [Bins];
  logic [TagWidth-1:0] tag_q [Bins];
  logic [15:0] covered_q;

  // ---- Moves -------------------------------------------------------------------------------

  logic [15:0] has [Bins];                     // stamps of the TC tile
  logic [Bins-1:0] holders [16];               // `has` of each stamp
  logic [15:0] earlier [Bins];                 // covered, or of an older raster tile
  logic [3:0] left [Bins];                     // stamps that stay
  logic [Bins-1:0] keep;
  logic [15:0] moved;

  for (genvar b = 0; b < Bins; b = b + 1) begin : gen_bin
    localparam logic [Bins-1:0] Older = Bins'((1 << b) - 1);
    for (genvar s = 0; s < 16; s = s + 1) begin : gen_stamp
      localparam int Quadrant = (s / 8) * 2 + (s / 2) % 2;
      localparam int Stamp = ((s / 4) % 2) * 2 + s % 2;
      assign has[b][s] = stamps_q[b][Stamp] & (quadrant_q[b] == 2'(Quadrant)) &
                         (held_q > HeldW'(b));
      assign holders[s][b] = has[b][s];
      assign earlier[b][s] = covered_q[s] | ((holders[s] & Older) != '0);
    end
    for (genvar s = 0; s < 4; s = s + 1) begin : gen_left
      localparam int First = (s / 2) * 4 + s % 2;  // in quadrant 0
      assign left[b][s] = (has[b][First] & earlier[b][First]) |
                          (has[b][First+2] & earlier[b][First+2]) |
                          (has[b][First+8] & earlier[b][First+8]) |
                          (has[b][First+10] & earlier[b][First+10]);
    end
    assign keep[b] = left[b] != 4'd0;
  end

  assign moved = (earlier[Bins-1] | has[Bins-1]) & ~covered_q;

  for (genvar s = 0; s < 16; s = s + 1) begin : gen_tag
    logic [TagWidth-1:0] tag, stamp_q;

    always_comb begin
      tag = '0;
      for (int b = 0; b < Bins; b = b + 1) begin
        tag = tag | (tag_q[b] & {TagWidth{has[b][s] & ~earlier[b][s]}});
      end
    end

    always_ff @(posedge clk_i) begin
      if (moved[s]) stamp_q <= tag;
    end

    assign tags_o[s*TagWidth +: TagWidth] = stamp_q & {TagWidth{covered_q[s]}};
  end

  // ---- Raster tiles ------------------------------------------------------------------------

  logic [HeldW-1:0] rank [Bins];               // raster tiles before it that stay
  logic [HeldW-1:0] kept;

  assign kept = count(keep);
  for (genvar b = 0; b < Bins; b = b + 1) begin : gen_rank
    localparam logic [Bins-1:0] Before = Bins'((1 << b) - 1);
    assign rank[b] = count(keep & Before);
  end

  // A place that no raster tile moves to takes the new one, whether there is one or not.
  for (genvar b = 0; b < Bins; b = b + 1) begin : gen_next
    logic some;
    logic [1:0] quadrant;
    logic [3:0] stamps;
    logic [TagWidth-1:0] tag;

    always_comb begin
      some = 1'b0;
      quadrant = '0;
      stamps = '0;
      tag = '0;
      for (int k = b; k < Bins; k = k + 1) begin
        if (keep[k] && rank[k] == HeldW'(b)) begin
          some = 1'b1;
          quadrant = quadrant | quadrant_q[k];
          stamps = stamps | left[k];
          tag = tag | tag_q[k];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      quadrant_q[b] <= some ? quadrant : quadrant_i;
      stamps_q[b] <= some ? stamps : stamps_i;
      tag_q[b] <= some ? tag : tag_i;
    end
  end

  // ---- State -------------------------------------------------------------------------------

  assign gets = take_i | append_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      evict_q <= 1'b0;
      idle_q <= '0;
      held_q <= '0;
      covered_q <= '0;
    end else begin
      active_q <= take_i | (active_q & ~(issue_i & (held_q == '0)));
      evict_q <= (evict_q | evict_i) & ~take_i & ~(issue_i & (held_q == '0));
      held_q <= kept + HeldW'(gets);
      covered_q <= (covered_q | moved) & {16{~issue_i}};
      if (issue_i || gets) idle_q <= '0;
      else if (active_q && idle_q != Waited) idle_q <= idle_q + IdleW'(1);
    end
    if (take_i) place_q <= place_i;
  end

  assign active_o = active_q;
  assign evict_o = evict_q;
  assign idle_o = idle_q;
  assign held_o = 4'(held_q);
  assign full_o = held_q == Full;
  assign place_o = place_q;
  assign covered_o = covered_q;
  assign moves_o = moved != '0;
  assign wants_o = active_q & (covered_q != '0) & ~moves_o &
                   (evict_q | (covered_q == '1) | full_o | (idle_q == Waited));

  // Rule 2: an engine without a raster tile and a covered stamp is inactive.
  `NOCTURNE_ASSERT(ActiveHasStamps, active_q == (held_q != '0 || covered_q != '0))
  // Rule 2: what issues has no move, so nothing leaves it but what is covered.
  `NOCTURNE_ASSERT(IssueIsWanted, issue_i |-> wants_o)
  // Rule 4: a raster tile finds room.
  `NOCTURNE_ASSERT(AppendHasRoom, append_i |-> active_q && !full_o && !issue_i)
  // Rule 4: only an active engine is evicted.
  `NOCTURNE_ASSERT(EvictedIsActive, evict_q |-> active_q)

endmodule
