// SPDX-License-Identifier: Apache-2.0
// Hands each primitive to the clusters that own a work tile of its bounding box, as masks with one
// bit per primitive of a batch. Emerald (ISCA 2019), 3.3.4. Cycle contract:
// docs/units/primitive_distributor.md.
//
// A primitive passes a queue and three places. divide: the box in work tiles, by products with
// M = (2^(PosWidth + 6) + 63) / N rounded down. start: the owner of its first work tile, its rows
// and columns, at most Clusters each. rows: the owners of one row per cycle. What is over joins the
// batch; a full or closed batch becomes the masks, once these have been taken.
// Illegal, and refused: a configure of no size or of too large a one (1); a primitive before a
// configure, of no operation, or with its ends swapped (2), which counts as an empty one. error_o
// holds the first one's code.
// Rate: one row of owners per cycle. Latency: from primitive to rows 4 cycles.
// No deadlock: rows waits for masks to be taken and for nothing else.
// Cost: masks and batch, Clusters x (2 Batch - 1) bits; four multipliers of
// PosWidth x (PosWidth + 7) bits.
`include "primitive_distributor_pkg.sv"
`include "assert.svh"
module primitive_distributor #(
  parameter int Clusters  = 6,   // 2 to 16
  parameter int Batch     = 32,  // primitives, 1 to 32
  parameter int PosWidth  = 10,  // bits of a position, 4 to 10
  parameter int PrimWidth = 32,  // bits of a primitive's number, 6 to 32
  localparam int Wide = PosWidth + 1
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,            // synchronous
  // The map
  input  logic                          configure_valid_i,
  output logic                          configure_ready_o,
  input  logic [6:0]                    configure_wt_i,    // side of a work tile
  input  logic [Wide-1:0]               configure_width_i, // of the target
  // Boxes, ends included
  input  logic                          primitive_valid_i,
  output logic                          primitive_ready_o,
  input  logic [1:0]                    primitive_op_i,
  input  logic [PosWidth-1:0]           primitive_x0_i,
  input  logic [PosWidth-1:0]           primitive_y0_i,
  input  logic [PosWidth-1:0]           primitive_x1_i,
  input  logic [PosWidth-1:0]           primitive_y1_i,
  // A mask for each cluster
  output logic [Clusters-1:0]           mask_valid_o,
  input  logic [Clusters-1:0]           mask_ready_i,
  output logic [Clusters*Batch-1:0]     mask_bits_o,
  output logic [Clusters*6-1:0]         mask_count_o,
  output logic [Clusters*PrimWidth-1:0] mask_first_o,
  // Status
  output logic [1:0]                    error_o,           // sticky, 0 none
  output logic                          quiescent_o,
  // State
  output logic                          configured_o,
  output logic [3:0]                    row_step_o,
  output logic [PrimWidth-1:0]          next_o
);

  localparam int QueueWidth = 2 + 4 * PosWidth;
  localparam int InverseWidth = PosWidth + 6;           // exact for each N up to 2^6
  localparam int ProductWidth = PosWidth + InverseWidth + 1;
  localparam logic [1:0] OpBox = 2'd0, OpEmpty = 2'd1, OpClose = 2'd2;
  localparam int StepWidth = $clog2(Clusters);
  localparam int CountWidth = $clog2(Batch + 1);
  localparam int SideWidth = $clog2(Clusters + 1);
  localparam logic [SideWidth-1:0] Most = SideWidth'(Clusters);  // columns and rows
  localparam logic [CountWidth-1:0] LastOfBatch = CountWidth'(Batch - 1);

  // Returns a number modulo Clusters, by tables for its two digits of 6 bits.
  function automatic logic [StepWidth-1:0] residue(input logic [11:0] number);
    logic [4:0] low, high, sum;
    low = '0;
    high = '0;
    for (int v = 0; v < 64; v = v + 1) begin
      if (number[5:0] == 6'(v)) low = low | 5'(v % Clusters);
      if (number[11:6] == 6'(v)) high = high | 5'((64 * v) % Clusters);
    end
    sum = low + high;
    residue = (sum >= 5'(Clusters)) ? StepWidth'(sum - 5'(Clusters)) : StepWidth'(sum);
  endfunction

  // Returns the sum of two numbers below Clusters, modulo Clusters.
  function automatic logic [StepWidth-1:0] around(input logic [StepWidth-1:0] a,
                                                  input logic [StepWidth-1:0] b);
    logic [StepWidth:0] sum;
    sum = {1'b0, a} + {1'b0, b};
    around = (sum >= (StepWidth+1)'(Clusters)) ? StepWidth'(sum - (StepWidth+1)'(Clusters))
                                               : StepWidth'(sum);
  endfunction

  // Returns the product divided by 2^InverseWidth.
  function automatic logic [PosWidth-1:0] divided(input logic [PosWidth-1:0] number,
                                                  input logic [InverseWidth:0] inverse);
    divided = PosWidth'((ProductWidth'(number) * ProductWidth'(inverse)) >> InverseWidth);
  endfunction

  // ---- Configure -----------------------------------------------------------------------------

  logic configured_q;
  logic [6:0] wt_q;
  logic [4:0] left_q;                                   // cycles of the divider
  logic [InverseWidth:0] inverse_q;                     // M
  logic [5:0] rest_q;
  logic [Wide-1:0] row_q;                               // R
  logic [StepWidth-1:0] row_step_q;                     // r
  logic rests, configures, configure_bad, inverts, fits;
  logic [6:0] rest;
  logic [PosWidth-1:0] x0_divided, y0_divided, x1_divided, y1_divided;

  localparam logic [Wide-1:0] MostWide = Wide'(1) << PosWidth;

  assign rests = left_q == 5'd0;
  assign configures = configure_valid_i & configure_ready_o & ~configure_bad;
  assign configure_bad = (configure_wt_i == 7'd0) | (configure_wt_i > 7'd64) |
                         (configure_width_i == '0) | (configure_width_i > MostWide);
  assign inverts = left_q > 5'd2;
  assign rest = {rest_q, inverse_q[InverseWidth]};
  assign fits = rest >= wt_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      configured_q <= 1'b0;
      left_q <= 5'd0;
      row_step_q <= '0;
    end else if (configures) begin
      configured_q <= 1'b0;
      left_q <= 5'(InverseWidth + 3);
    end else if (!rests) begin
      left_q <= left_q - 5'd1;
      configured_q <= left_q == 5'd1;
      if (left_q == 5'd1) row_step_q <= residue(12'(row_q));
    end
    if (configures) begin
      wt_q <= configure_wt_i;
      inverse_q <= {1'b1, (InverseWidth-6)'(0), 6'd63};
      rest_q <= '0;
    end else if (inverts) begin
      inverse_q <= {inverse_q[InverseWidth-1:0], fits};
      rest_q <= fits ? 6'(rest - wt_q) : 6'(rest);
    end
    row_q <= Wide'(x0_divided) + Wide'(1);
  end

  // ---- Queue ---------------------------------------------------------------------------------

  logic accepts, pop;
  logic [QueueWidth-1:0] head;
  logic [1:0] queued;

  assign primitive_ready_o = ~queued[1] & rests;
  assign accepts = primitive_valid_i & primitive_ready_o;

  skid_fifo #(.Width(QueueWidth), .Depth(2), .Shift(1'b1)) u_queue (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(accepts),
    .data_i({primitive_op_i, primitive_x0_i, primitive_y0_i, primitive_x1_i, primitive_y1_i}),
    .pop_i(pop),
    .data_o(head),
    .count_o(queued)
  );

  // ---- Places --------------------------------------------------------------------------------

  logic divide_q, start_q, rows_q;                      // hold something
  logic leaves_divide, leaves_start, over;

  assign leaves_start = start_q & (~rows_q | over);
  assign leaves_divide = divide_q & (~start_q | leaves_start);
  assign pop = (queued != 2'd0) & rests & (~divide_q | leaves_divide);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      divide_q <= 1'b0;
      start_q <= 1'b0;
      rows_q <= 1'b0;
    end else begin
      divide_q <= pop | (divide_q & ~leaves_divide);
      start_q <= leaves_divide | (start_q & ~leaves_start);
      rows_q <= leaves_start | (rows_q & ~over);
    end
  end

  // divide
  logic [1:0] op_q, op;
  logic [PosWidth-1:0] x0_q, y0_q, x1_q, y1_q;
  logic bad;

  assign bad = ~configured_q | (op_q == 2'd3) |
               ((op_q == OpBox) & ((x0_q > x1_q) | (y0_q > y1_q)));
  assign op = (op_q == OpClose) ? OpClose : bad ? OpEmpty : op_q;
  assign x0_divided = divided(x0_q, inverse_q);
  assign y0_divided = divided(y0_q, inverse_q);
  assign x1_divided = divided(x1_q, inverse_q);
  assign y1_divided = divided(y1_q, inverse_q);

  // The divider has the first multiplier while divide is empty: for the last column of the target.
  always_ff @(posedge clk_i) begin
    if (pop) {op_q, x0_q, y0_q, x1_q, y1_q} <= head;
    if (configures) x0_q <= PosWidth'(configure_width_i - Wide'(1));
  end

  // start
  logic [1:0] start_op_q;
  logic [PosWidth-1:0] start_x0_q, start_y0_q, start_x1_q, start_y1_q;
  logic [PosWidth-1:0] more_columns, more_rows;
  logic [SideWidth-1:0] columns, rows;
  logic [StepWidth-1:0] y0_residue, x0_residue;
  logic [7:0] first_cluster;                            // of the first row, not yet modulo Clusters
  logic is_box;

  always_ff @(posedge clk_i) begin
    if (leaves_divide) begin
      start_op_q <= op;
      start_x0_q <= x0_divided;
      start_y0_q <= y0_divided;
      start_x1_q <= x1_divided;
      start_y1_q <= y1_divided;
    end
  end

  assign is_box = start_op_q == OpBox;
  assign more_columns = start_x1_q - start_x0_q;
  assign more_rows = start_y1_q - start_y0_q;
  assign columns = (more_columns >= PosWidth'(Clusters - 1)) ? Most
                   : SideWidth'(more_columns) + SideWidth'(1);
  assign rows = (more_rows >= PosWidth'(Clusters - 1)) ? Most
                : SideWidth'(more_rows) + SideWidth'(1);
  assign y0_residue = residue(12'(start_y0_q));
  assign x0_residue = residue(12'(start_x0_q));
  assign first_cluster = 8'(y0_residue) * 8'(row_step_q) + 8'(x0_residue);

  // rows
  logic close_q;
  logic [SideWidth-1:0] columns_q, rows_left_q;
  logic [StepWidth-1:0] first_q;
  logic [Clusters-1:0] set_q, row, set;
  logic [2*Clusters-1:0] window;
  logic last, ends, stays, works;
  logic [CountWidth-1:0] count_q;
  logic [Clusters-1:0] valid_q, kept;

  assign window = (2*Clusters)'((2*Clusters)'((32'd1 << columns_q) - 32'd1) << first_q);
  assign row = window[Clusters-1:0] | window[2*Clusters-1:Clusters];
  assign set = (rows_left_q != '0) ? set_q | row : set_q;
  assign last = (rows_left_q <= SideWidth'(1)) | (set == {Clusters{1'b1}});
  assign ends = close_q ? count_q != '0 : count_q == LastOfBatch;
  assign kept = valid_q & ~mask_ready_i;
  assign stays = last & ends & (kept != '0);
  assign over = rows_q & last & ~stays;
  assign works = rows_q & ~stays;

  always_ff @(posedge clk_i) begin
    if (leaves_start) begin
      close_q <= start_op_q == OpClose;
      columns_q <= columns;
      rows_left_q <= is_box ? rows : '0;
      first_q <= residue(12'(first_cluster));
      set_q <= '0;
    end else if (works) begin
      rows_left_q <= rows_left_q - SideWidth'(1);
      first_q <= around(first_q, row_step_q);
      set_q <= set;
    end
  end

  // ---- Batch and masks -----------------------------------------------------------------------

  logic joins, masks;
  logic [PrimWidth-1:0] next_q, mask_first_q;
  logic [CountWidth-1:0] mask_count_q, count;
  logic [Batch-1:0] place;

  assign joins = over & ~close_q;
  assign masks = over & ends;
  assign count = count_q + CountWidth'(joins);
  assign place = Batch'(1) << count_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= '0;
      next_q <= '0;
      valid_q <= '0;
    end else begin
      if (masks) begin
        count_q <= '0;
        next_q <= next_q + PrimWidth'(count);
      end else if (joins) begin
        count_q <= count;
      end
      valid_q <= masks ? {Clusters{1'b1}} : kept;
    end
    if (masks) begin
      mask_first_q <= next_q;
      mask_count_q <= count;
    end
  end

  assign mask_valid_o = valid_q;
  for (genvar c = 0; c < Clusters; c = c + 1) begin : gen_cluster
    logic [Batch-1:0] bits_q, mask_q, bits;

    assign bits = bits_q | (place & {Batch{set[c] & ~close_q}});

    always_ff @(posedge clk_i) begin
      if (!rst_ni) bits_q <= '0;
      else if (masks) bits_q <= '0;
      else if (joins) bits_q <= bits;
      if (masks) mask_q <= bits;
    end

    assign mask_bits_o[c*Batch +: Batch] = mask_q & {Batch{valid_q[c]}};
    assign mask_count_o[c*6 +: 6] = 6'(mask_count_q) & {6{valid_q[c]}};
    assign mask_first_o[c*PrimWidth +: PrimWidth] = mask_first_q & {PrimWidth{valid_q[c]}};
  end

  // ---- Status --------------------------------------------------------------------------------

  logic [1:0] error_q;
  logic is_empty, finds_error;

  assign is_empty = ~(divide_q | start_q | rows_q) & (queued == 2'd0);
  assign configure_ready_o = rests & is_empty & (count_q == '0) & (valid_q == '0);
  assign configured_o = configured_q;
  assign row_step_o = 4'(row_step_q);
  assign next_o = next_q;
  assign error_o = error_q;
  assign finds_error = divide_q & bad & (error_q == primitive_distributor_pkg::ErrNone);
  assign quiescent_o = ~((configure_valid_i & configure_ready_o) | accepts | ~rests |
                         ((valid_q & mask_ready_i) != '0) | works | leaves_start | leaves_divide |
                         pop | finds_error);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      error_q <= primitive_distributor_pkg::ErrNone;
    end else if (finds_error) begin
      error_q <= primitive_distributor_pkg::ErrPrimitive;
    end else if (configure_valid_i && configure_ready_o && configure_bad &&
                 error_q == primitive_distributor_pkg::ErrNone) begin
      error_q <= primitive_distributor_pkg::ErrConfigure;
    end
  end

  // Rule 1: the divider works alone.
  `NOCTURNE_ASSERT(DividerIsAlone,
      !rests |-> !divide_q && !start_q && !rows_q && count_q == '0 && valid_q == '0)
  // Rule 3: a row begins at a cluster.
  `NOCTURNE_ASSERT(FirstIsCluster, rows_q && rows_left_q != '0 |-> SideWidth'(first_q) < Most)
  // Rule 4: a batch that is full leaves at once.
  `NOCTURNE_ASSERT(BatchHasRoom, count_q <= LastOfBatch)
  // Rule 5: a mask holds until it is taken.
  `NOCTURNE_ASSERT(MaskHolds,
      kept != '0 |=> valid_q == $past(kept) && $stable(mask_first_q) && $stable(mask_count_q))

endmodule
