// SPDX-License-Identifier: Apache-2.0
// Assembles raster tiles of several primitives to TC tiles, of which one of a place is in shading
// at a time. Emerald (ISCA 2019), 3.3.5. Cycle contract: docs/units/tile_coalescer.md.
//
// The head of the queue goes to the engine that has its place, or to an inactive one; without one
// the engine that is idle the longest is evicted. An engine issues when its TC tile is full, when
// it is evicted, when its raster tiles can be staged no further, or after Wait cycles without one.
// Illegal, and refused: a raster tile without stamps (1), a done of an id that is not in shading
// (2). error_o holds the first one's code.
// Rate: a raster tile and a TC tile a cycle. Latency: from the raster tile that fills its TC tile
// to the TC tile 4 cycles.
// No deadlock: the head waits for engines to issue, these for tiles to be taken and for ids and
// places, which come free with dones.
// Cost: 16 (TagWidth + 1) bits in each engine and the output register, Live x (2 PosWidth + 1) for
// the live places, each compared with the place of each engine.
`include "tile_coalescer_pkg.sv"
`include "assert.svh"
module tile_coalescer #(
  parameter int Engines  = 2,   // 1 to 8
  parameter int Bins     = 4,   // raster tiles of an engine, 1 to 8
  parameter int Wait     = 20,  // cycles, 1 to 1023
  parameter int Live     = 32,  // TC tiles in shading, 2 to 64
  parameter int TagWidth = 11,  // 1 to 16
  parameter int PosWidth = 10,  // bits of a position, 1 to 10
  localparam int Id = $clog2(Live)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,           // synchronous
  // Raster tiles
  input  logic                   raster_valid_i,
  output logic                   raster_ready_o,
  input  logic                   raster_op_i,      // 0 tile, 1 end
  input  logic [PosWidth-1:0]    raster_x_i,
  input  logic [PosWidth-1:0]    raster_y_i,
  input  logic [1:0]             raster_quadrant_i,
  input  logic [3:0]             raster_stamps_i,
  input  logic [TagWidth-1:0]    raster_tag_i,
  // TC tiles
  output logic                   tile_valid_o,
  input  logic                   tile_ready_i,
  output logic [Id-1:0]          tile_id_o,
  output logic [PosWidth-1:0]    tile_x_o,
  output logic [PosWidth-1:0]    tile_y_o,
  output logic [15:0]            tile_stamps_o,
  output logic [16*TagWidth-1:0] tile_tag_o,
  // Those that have been shaded, always taken
  input  logic                   done_valid_i,
  input  logic [Id-1:0]          done_id_i,
  // Status
  output logic [1:0]             error_o,          // sticky, 0 none
  output logic                   quiescent_o,
  // State
  output logic [Engines-1:0]     active_o,
  output logic [Engines-1:0]     evict_o,
  output logic [16*Engines-1:0]  covered_o,
  output logic [4*Engines-1:0]   held_o,
  output logic [Live-1:0]        live_o
);

  localparam int PlaceW = 2 * PosWidth;
  localparam int QueueWidth = 7 + PlaceW + TagWidth;
  localparam int IdleW = $clog2(Wait + 1);
  localparam int TagsW = 16 * TagWidth;

  // Returns the lowest set bit alone.
  function automatic logic [Engines-1:0] lowest(input logic [Engines-1:0] bits);
    logic [Engines-1:0] seen;
    seen = bits;
    for (int k = 1; k < Engines; k = k * 2) seen = seen | (seen << k);
    lowest = seen & ~(seen << 1);
  endfunction

  // Returns the bits from the lowest set one on.
  function automatic logic [Live-1:0] from_lowest(input logic [Live-1:0] bits);
    from_lowest = bits;
    for (int k = 1; k < Live; k = k * 2) from_lowest = from_lowest | (from_lowest << k);
  endfunction

  // ---- Queue ---------------------------------------------------------------------------------

  logic accepts, pop;
  logic [1:0] queued;
  logic [QueueWidth-1:0] head;
  logic head_end, head_tile, head_bad, some_head;
  logic [PlaceW-1:0] head_place;
  logic [1:0] head_quadrant;
  logic [3:0] head_stamps;
  logic [TagWidth-1:0] head_tag;
  logic head_op;

  assign raster_ready_o = ~queued[1];
  assign accepts = raster_valid_i & raster_ready_o;

  skid_fifo #(.Width(QueueWidth), .Depth(2), .Shift(1'b1)) u_queue (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(accepts),
    .data_i({raster_op_i, raster_y_i, raster_x_i, raster_quadrant_i, raster_stamps_i,
             raster_tag_i}),
    .pop_i(pop),
    .data_o(head),
    .count_o(queued)
  );

  assign {head_op, head_place, head_quadrant, head_stamps, head_tag} = head;
  assign some_head = queued != 2'd0;
  assign head_end = some_head & head_op;
  assign head_bad = some_head & ~head_op & (head_stamps == 4'd0);
  assign head_tile = some_head & ~head_op & (head_stamps != 4'd0);

  // ---- Engines -------------------------------------------------------------------------------

  logic [Engines-1:0] active, evicted, moves, wants, full, has_place, waited, is_live;
  logic [Engines-1:0] take, append, issue, evict, longest, leaves, no_tile;
  logic [IdleW-1:0] idle [Engines];
  logic [PlaceW-1:0] place [Engines];
  logic [15:0] covered [Engines];
  logic [TagsW-1:0] tags [Engines];

  for (genvar e = 0; e < Engines; e = e + 1) begin : gen_engine
    coalescer_engine #(
      .Bins(Bins), .Wait(Wait), .TagWidth(TagWidth), .PosWidth(PosWidth)
    ) u_engine (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .take_i(take[e]),
      .append_i(append[e]),
      .evict_i(evict[e]),
      .issue_i(issue[e]),
      .place_i(head_place),
      .quadrant_i(head_quadrant),
      .stamps_i(head_stamps),
      .tag_i(head_tag),
      .active_o(active[e]),
      .evict_o(evicted[e]),
      .moves_o(moves[e]),
      .wants_o(wants[e]),
      .idle_o(idle[e]),
      .full_o(full[e]),
      .held_o(held_o[4*e +: 4]),
      .place_o(place[e]),
      .covered_o(covered[e]),
      .tags_o(tags[e])
    );
    assign covered_o[16*e +: 16] = covered[e];
    assign has_place[e] = active[e] & (place[e] == head_place);
    assign waited[e] = idle[e] == IdleW'(Wait);
    assign no_tile[e] = held_o[4*e +: 4] == 4'd0;
    // No other has been idle longer; looked at while all are active.
    logic [Engines-1:0] behind;
    for (genvar k = 0; k < Engines; k = k + 1) begin : gen_other
      if (k < e) begin : gen_before
        assign behind[k] = idle[k] < idle[e];
      end else begin : gen_after
        assign behind[k] = idle[k] <= idle[e];
      end
    end
    assign longest[e] = behind == {Engines{1'b1}};
  end

  assign active_o = active;
  assign evict_o = evicted;

  // ---- Head ----------------------------------------------------------------------------------

  logic has_engine, has_room;
  logic [Engines-1:0] idle_engine;

  assign has_engine = has_place != '0;
  assign has_room = active != {Engines{1'b1}};
  assign idle_engine = lowest(~active);
  assign append = has_place & ~full & ~issue & {Engines{head_tile}};
  assign take = idle_engine & {Engines{head_tile & ~has_engine}};
  assign leaves = issue & no_tile;
  assign evict = (head_end ? active
                  : longest & {Engines{head_tile & ~has_engine & ~has_room & (evicted == '0)}}) &
                 ~leaves;
  assign pop = head_bad | (append != '0) | (take != '0) | (head_end & (active == '0));

  // ---- Live places ---------------------------------------------------------------------------

  logic [Live-1:0] live_q, free_id, done, gets;
  logic [PlaceW-1:0] live_place_q [Live];
  logic [Live-1:0] seen_free;
  logic some_id, done_ok, issues;
  logic [Id-1:0] next_id;
  logic [PlaceW-1:0] next_place;

  assign seen_free = from_lowest(~live_q);
  assign free_id = seen_free & ~(seen_free << 1);
  assign some_id = seen_free[Live-1];
  assign gets = free_id & {Live{issues}};

  for (genvar l = 0; l < Live; l = l + 1) begin : gen_live
    logic [Engines-1:0] same;

    assign done[l] = done_ok & (done_id_i == Id'(l));
    always_ff @(posedge clk_i) begin
      if (!rst_ni) live_q[l] <= 1'b0;
      else live_q[l] <= (live_q[l] & ~done[l]) | gets[l];
      if (gets[l]) live_place_q[l] <= next_place;
    end
    for (genvar e = 0; e < Engines; e = e + 1) begin : gen_same
      assign same[e] = live_q[l] & (live_place_q[l] == place[e]);
    end
  end

  for (genvar e = 0; e < Engines; e = e + 1) begin : gen_is_live
    logic [Live-1:0] hits;
    for (genvar l = 0; l < Live; l = l + 1) begin : gen_hit
      assign hits[l] = gen_live[l].same[e];
    end
    assign is_live[e] = hits != '0;
  end

  assign live_o = live_q;

  // ---- Issue ---------------------------------------------------------------------------------

  logic valid_q, can_issue;
  logic [Id-1:0] id_q;
  logic [PlaceW-1:0] place_q;
  logic [15:0] stamps_q, next_stamps;
  logic [TagsW-1:0] tags_q, next_tags;
  logic [Engines-1:0] able, first;

  for (genvar e = 0; e < Engines; e = e + 1) begin : gen_able
    assign able[e] = wants[e] & ~is_live[e];
  end
  assign can_issue = (~valid_q | tile_ready_i) & some_id;
  assign issue = first & {Engines{can_issue}};
  assign issues = issue != '0;

  // The first after the engine that issued last.
  if (Engines == 1) begin : gen_one
    assign first = able;
  end else begin : gen_round
    localparam int LastW = $clog2(Engines);
    logic [LastW-1:0] last_q, issued;
    logic [Engines-1:0] after_last;

    always_comb begin
      issued = '0;
      after_last = '0;
      for (int e = 0; e < Engines; e = e + 1) begin
        issued = issued | (LastW'(e) & {LastW{issue[e]}});
        after_last[e] = LastW'(e) > last_q;
      end
    end
    assign first = ((able & after_last) != '0) ? lowest(able & after_last) : lowest(able);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) last_q <= LastW'(Engines - 1);
      else if (issues) last_q <= issued;
    end
  end

  always_comb begin
    next_place = '0;
    next_stamps = '0;
    next_tags = '0;
    for (int e = 0; e < Engines; e = e + 1) begin
      next_place = next_place | (place[e] & {PlaceW{issue[e]}});
      next_stamps = next_stamps | (covered[e] & {16{issue[e]}});
      next_tags = next_tags | (tags[e] & {TagsW{issue[e]}});
    end
    next_id = '0;
    for (int l = 0; l < Live; l = l + 1) next_id = next_id | (Id'(l) & {Id{free_id[l]}});
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else begin
      valid_q <= issues | (valid_q & ~tile_ready_i);
    end
    if (issues) begin
      id_q <= next_id;
      place_q <= next_place;
      stamps_q <= next_stamps;
      tags_q <= next_tags;
    end
  end

  assign tile_valid_o = valid_q;
  assign tile_id_o = id_q & {Id{valid_q}};
  assign {tile_y_o, tile_x_o} = place_q & {PlaceW{valid_q}};
  assign tile_stamps_o = stamps_q & {16{valid_q}};
  assign tile_tag_o = tags_q & {TagsW{valid_q}};

  // ---- Status --------------------------------------------------------------------------------

  logic done_live, done_bad;
  logic [1:0] error_q;
  logic [Live-1:0] done_hits;

  for (genvar l = 0; l < Live; l = l + 1) begin : gen_done
    assign done_hits[l] = live_q[l] & (done_id_i == Id'(l));
  end
  assign done_live = (done_hits != '0) & ~(valid_q & (done_id_i == id_q));
  assign done_ok = done_valid_i & done_live;
  assign done_bad = done_valid_i & ~done_live;

  assign error_o = error_q;
  assign quiescent_o = ~(accepts | done_valid_i | (valid_q & tile_ready_i) | (moves != '0) |
                         issues | ((active & ~waited) != '0) | pop | ((evict & ~evicted) != '0));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      error_q <= tile_coalescer_pkg::ErrNone;
    end else if (error_q == tile_coalescer_pkg::ErrNone) begin
      if (head_bad) error_q <= tile_coalescer_pkg::ErrRaster;
      else if (done_bad) error_q <= tile_coalescer_pkg::ErrDone;
    end
  end

  // Rule 2: an id is given out once.
  `NOCTURNE_ASSERT(IdIsFree, issues |-> some_id && (live_q & gets) == '0)
  // Rule 4: a place has one engine.
  `NOCTURNE_ASSERT(PlaceHasOneEngine, some_head |-> $onehot0(has_place))
  // A tile holds until it is taken.
  `NOCTURNE_ASSERT(TileHolds,
      valid_q && !tile_ready_i |=> valid_q && $stable(id_q) && $stable(stamps_q))
  // Rule 6: what is offered lives.
  `NOCTURNE_ASSERT(OfferedLives, valid_q |-> live_q[id_q])

endmodule
