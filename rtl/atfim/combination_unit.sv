// SPDX-License-Identifier: Apache-2.0
// Adds the children of arriving lines to their parents, and makes responses of completed
// parents. A-TFIM (HPCA 2017), V-B, V-D, V-E, VII-E, Fig. 9, Table I (16 filtering ALUs).
// Cycle contract: docs/units/combination_unit.md; response: docs/units/atfim.md.
//
// A line goes to the consolidation by its tag, comes back as runs, and each run becomes one
// update of the parent texel buffer: contributions (stage A), their sums (stage B). Completed
// parents are divided by R (stages D1 and D2) and composed to the response of the oldest
// request.
// Illegal: a parent whose number is not in the oldest request's mask, or was there before. It
// counts, but is not placed, and error_o becomes ErrParent until reset.
// Rate: one line, run, parent and response a cycle. Latency: run to update 2 cycles, last
// parent to response 3.
// No deadlock: lines are drained by runs and these by updates, which are always taken; only
// parents wait for responses to be accepted.
// Cost: the queues' bits (4 x (8 LineBytes + 1), Requests x 32, 4 x 292), stage A (16 x 4 x 9);
// 16 selections of a texel of the line, four sums of 16, four multiplications 13 x 18.
// With Exact 0 a texel's selection, an addition of 9 bits and a multiplication 9 x 14 are one
// cycle, 64 times.
`include "assert.svh"

module combination_unit #(
  parameter int LineBytes = 64,   // of child data: 16, 32, 64
  parameter bit Exact = 1'b1,     // sums of 12 bits a channel; 0: of shares, 8 bits
  parameter int Requests = 64,    // packages in process: powers of two, 2 to 256
  parameter int CountWidth = 48,  // bits of a counter, 10 to 48
  parameter bit Observe = 1'b1    // 0: no counters, peek_data_o is 0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [7:0]             epoch_i,  // the cube's, constant between resets
  // Child data from the switch, in any order
  input  logic                   data_valid_i,
  output logic                   data_ready_o,
  input  logic [10:0]            data_tag_i,
  input  logic [7:0]             data_epoch_i,     // of the read
  input  logic                   data_failed_i,
  input  logic [8*LineBytes-1:0] data_i,           // RGBA8 texels, first lowest
  // Tags to the consolidation
  output logic                   take_valid_o,
  input  logic                   take_ready_i,
  output logic [10:0]            take_tag_o,
  // Runs from the consolidation, of the lines taken, in order
  input  logic                   run_valid_i,
  output logic                   run_ready_o,
  input  logic                   run_void_i,       // nobody asked for the line
  input  logic                   run_last_i,       // of the line
  input  logic [7:0]             run_parent_i,
  input  logic [3:0]             run_first_i,
  input  logic [3:0]             run_count_i,      // children - 1
  input  logic [3:0]             run_ratio_i,      // R - 1
  input  logic [63:0]            run_texel_i,      // 4 bits a child: texel in the line
  // Updates of the parent texel buffer, always taken
  output logic                   update_valid_o,
  output logic [7:0]             update_index_o,
  output logic [3:0]             update_count_o,   // children - 1
  output logic                   update_failed_o,
  output logic [47:0]            update_sum_o,     // 12 bits a channel, red lowest
  // Requests from the texel generator
  input  logic                   request_valid_i,
  output logic                   request_ready_o,
  input  logic [10:0]            request_id_i,
  input  logic [7:0]             request_epoch_i,
  input  logic [7:0]             request_mask_i,
  input  logic [3:0]             request_ratio_i,  // R - 1
  input  logic                   request_refused_i,
  // Completed parents, in order
  input  logic                   parent_valid_i,
  output logic                   parent_ready_o,
  input  logic [7:0]             parent_id_i,
  input  logic                   parent_failed_i,
  input  logic [47:0]            parent_value_i,   // 12 bits a channel, red lowest
  // Responses to the switch
  output logic                   response_valid_o,
  input  logic                   response_ready_i,
  output logic [319:0]           response_o,
  // Status and observation
  output logic [3:0]             error_o,
  output logic                   quiescent_o,
  input  logic                   peek_valid_i,
  input  logic [7:0]             peek_index_i,
  output logic [CountWidth-1:0]  peek_data_o
);

  localparam int DataDepth = 4, TakeDepth = 2, ResponseDepth = 4;
  localparam int LineWidth = 8 * LineBytes;
  localparam int TexelBits = $clog2(LineBytes / 4);  // of a texel's number in the line
  localparam int ShareWidth = Exact ? 8 : 9;
  localparam int RequestWidth = 11 + 8 + 8 + 4 + 1;
  localparam int ResponseWidth = 11 + 8 + 8 + 1 + 8 + 256;
  localparam int RequestCount = $clog2(Requests + 1);
  localparam logic [6:0] ResponseCommand = 7'h71;
  localparam logic [4:0] ResponseFlits = 5'd5;

  // ---- Data and takes --------------------------------------------------------------------

  logic data_take, data_keep, data_pop, data_head_failed, take_leave;
  logic [$clog2(DataDepth+1)-1:0] data_count;
  logic [$clog2(TakeDepth+1)-1:0] take_count;
  logic [LineWidth-1:0] line;

  assign data_ready_o = (data_count != 3'(DataDepth)) & (take_count != 2'(TakeDepth));
  assign data_take = data_valid_i & data_ready_o;
  assign data_keep = data_take & (data_epoch_i == epoch_i);

  skid_fifo #(.Width(LineWidth + 1), .Depth(DataDepth)) u_data (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(data_keep),
    .data_i({data_failed_i, data_i}),
    .pop_i(data_pop),
    .data_o({data_head_failed, line}),
    .count_o(data_count)
  );

  skid_fifo #(.Width(11), .Depth(TakeDepth)) u_take (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(data_keep),
    .data_i(data_tag_i),
    .pop_i(take_leave),
    .data_o(take_tag_o),
    .count_o(take_count)
  );

  assign take_valid_o = take_count != '0;
  assign take_leave = take_valid_o & take_ready_i;

  // ---- Runs: stage A, one contribution a child and channel -------------------------------

  logic run_take, run_adds;
  logic [64*ShareWidth-1:0] share, a_share_q;
  logic a_valid_q, a_failed_q;
  logic [7:0] a_parent_q;
  logic [3:0] a_count_q;
  logic [4:0] run_end;  // last child of the run; 16 and above are left out
  logic [15:0] from_first, to_end, adds;

  assign run_ready_o = data_count != '0;
  assign run_take = run_valid_i & run_ready_o;
  assign run_adds = run_take & ~run_void_i;
  assign data_pop = run_take & (run_void_i | run_last_i);
  assign run_end = {1'b0, run_first_i} + {1'b0, run_count_i};
  assign from_first = 16'hffff << run_first_i;
  assign to_end = run_end[4] ? 16'hffff : 16'hffff >> (4'd15 - run_end[3:0]);
  assign adds = data_head_failed ? 16'd0 : from_first & to_end;

  wire [31:0] texels [LineBytes/4];  // of the line

  for (genvar i = 0; i < LineBytes / 4; i = i + 1) begin : gen_texel
    assign texels[i] = line[32*i +: 32];
  end
  for (genvar i = 0; i < 16; i = i + 1) begin : gen_child
    logic [TexelBits-1:0] number;
    logic [31:0] texel;

    assign number = run_texel_i[4*i +: TexelBits];
    assign texel = texels[number];

    for (genvar c = 0; c < 4; c = c + 1) begin : gen_channel
      logic [ShareWidth-1:0] full;
      if (Exact) begin : gen_exact
        assign full = texel[8*c +: 8];
      end else begin : gen_share
        logic [ShareWidth-1:0] sum;
        assign sum = {1'b0, texel[8*c +: 8]} + ShareWidth'(i);
        ratio_divider #(.Width(ShareWidth)) u_share (
          .number_i(sum),
          .ratio_i(run_ratio_i),
          .quotient_o(full)
        );
      end
      assign share[(4*i+c)*ShareWidth +: ShareWidth] = adds[i] ? full : '0;
    end

    if (TexelBits < 4) begin : gen_unused
      logic unused_texel;
      assign unused_texel = ^run_texel_i[4*i+TexelBits +: 4-TexelBits];
    end
  end
  if (Exact) begin : gen_no_ratio
    logic unused_ratio;
    assign unused_ratio = ^run_ratio_i;
  end

  // ---- Stage B: the sums -----------------------------------------------------------------

  // The sum of a channel's 16 contributions; synthesis makes a carry-save tree of it.
  function automatic logic [11:0] sum_of(input logic [64*ShareWidth-1:0] shares, input int channel);
    sum_of = '0;
    for (int k = 0; k < 16; k = k + 1) begin
      sum_of = sum_of + 12'(shares[(4*k+channel)*ShareWidth +: ShareWidth]);
    end
  endfunction

  logic b_valid_q, b_failed_q;
  logic [7:0] b_index_q;
  logic [3:0] b_count_q;
  logic [47:0] b_sum_q;

  assign update_valid_o = b_valid_q;
  assign update_index_o = b_index_q;
  assign update_count_o = b_count_q;
  assign update_failed_o = b_failed_q;
  assign update_sum_o = b_sum_q;

  always_ff @(posedge clk_i) begin
    if (run_adds) begin
      a_parent_q <= run_parent_i;
      a_count_q <= run_count_i;
      a_failed_q <= data_head_failed;
      a_share_q <= share;
    end
    a_valid_q <= rst_ni & run_adds;
    b_valid_q <= rst_ni & a_valid_q;
    if (!rst_ni || !a_valid_q) begin
      b_index_q <= '0;
      b_count_q <= '0;
      b_failed_q <= 1'b0;
      b_sum_q <= '0;
    end else begin
      b_index_q <= a_parent_q;
      b_count_q <= a_count_q;
      b_failed_q <= a_failed_q;
      b_sum_q <= {sum_of(a_share_q, 3), sum_of(a_share_q, 2), sum_of(a_share_q, 1),
                  sum_of(a_share_q, 0)};
    end
  end

  // ---- Requests --------------------------------------------------------------------------

  logic [RequestCount-1:0] request_count;
  logic request_take, head_valid, head_empty, head_refused, head_leave;
  logic [10:0] head_id;
  logic [7:0] head_epoch, head_mask;
  logic [3:0] head_ratio;

  assign request_ready_o = request_count != RequestCount'(Requests);
  assign request_take = request_valid_i & request_ready_o;

  skid_fifo #(.Width(RequestWidth), .Depth(Requests)) u_request (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(request_take),
    .data_i({request_refused_i, request_ratio_i, request_mask_i, request_epoch_i, request_id_i}),
    .pop_i(head_leave),
    .data_o({head_refused, head_ratio, head_mask, head_epoch, head_id}),
    .count_o(request_count)
  );

  assign head_valid = request_count != '0;
  assign head_empty = head_refused | (head_mask == 8'd0);

  // ---- Composing -------------------------------------------------------------------------

  function automatic logic [3:0] ones(input logic [7:0] mask);
    ones = '0;
    for (int k = 0; k < 8; k = k + 1) ones = ones + {3'd0, mask[k]};
  endfunction

  logic [2:0] seen_q;             // parents of the head accepted
  logic [7:0] taken_q;            // those of them that were placed, by number
  logic room, parent_take, parent_placed, parent_last, empty_leave;
  logic [2:0] parent_number;
  logic [7:0] number_bit;
  logic unused_id;  // the request's sequence
  logic [2:0] response_count, response_used;

  // Stage D1: a parent before division, or the end of an empty request; D2: after.
  logic d1_valid_q, d1_last_q, d1_placed_q, d1_failed_q, d1_refused_q;
  logic d2_valid_q, d2_last_q, d2_placed_q, d2_failed_q, d2_refused_q;
  logic [2:0] d1_number_q, d2_number_q;
  logic [3:0] d1_ratio_q;
  logic [10:0] d1_id_q, d2_id_q;
  logic [7:0] d1_epoch_q, d2_epoch_q, d1_mask_q, d2_mask_q;
  logic [47:0] d1_value_q;
  logic [31:0] d2_texel_q, d1_texel;

  // What lies in the stages has its place in the response queue.
  assign response_used = response_count + {2'd0, d1_valid_q & d1_last_q} +
                         {2'd0, d2_valid_q & d2_last_q};
  assign room = response_used < 3'(ResponseDepth);
  assign parent_ready_o = head_valid & ~head_empty & room;
  assign parent_take = parent_valid_i & parent_ready_o;
  assign parent_number = parent_id_i[2:0];
  assign unused_id = ^parent_id_i[7:3];
  assign number_bit = 8'd1 << parent_number;
  assign parent_placed = (number_bit & head_mask & ~taken_q) != 8'd0;
  assign parent_last = {1'b0, seen_q} + 4'd1 == ones(head_mask);
  assign empty_leave = head_valid & head_empty & room;
  assign head_leave = empty_leave | (parent_take & parent_last);

  for (genvar c = 0; c < 4; c = c + 1) begin : gen_divide
    if (Exact) begin : gen_exact
      // S / R to nearest, halves up, is (S + R / 2) / R, both rounded down.
      logic [3:0] half;
      logic [12:0] number, quotient;
      assign half = 4'((5'(d1_ratio_q) + 5'd1) >> 1);
      assign number = {1'b0, d1_value_q[12*c +: 12]} + 13'(half);
      ratio_divider #(.Width(13)) u_divide (
        .number_i(number),
        .ratio_i(d1_ratio_q),
        .quotient_o(quotient)
      );
      assign d1_texel[8*c +: 8] = (quotient > 13'd255) ? 8'd255 : quotient[7:0];
    end else begin : gen_narrow
      logic unused_value;
      assign unused_value = ^d1_value_q[12*c+8 +: 4];
      assign d1_texel[8*c +: 8] = d1_value_q[12*c +: 8];
    end
  end
  if (!Exact) begin : gen_no_division
    logic unused_ratio;
    assign unused_ratio = ^d1_ratio_q;
  end

  // The assembly with what D2 holds.
  logic [255:0] texels_q, texels_d;
  logic [7:0] failed_q, failed_d;

  for (genvar i = 0; i < 8; i = i + 1) begin : gen_place
    logic here;
    assign here = d2_valid_q & d2_placed_q & (d2_number_q == 3'(i));
    assign texels_d[32*i +: 32] = here ? (d2_failed_q ? 32'd0 : d2_texel_q)
                                       : texels_q[32*i +: 32];
    assign failed_d[i] = here ? d2_failed_q : failed_q[i];
  end

  // ---- Responses -------------------------------------------------------------------------

  logic response_push, response_leave, response_refused;
  logic [10:0] response_id;
  logic [7:0] response_epoch, response_mask, response_failed;
  logic [255:0] response_texels;

  assign response_push = d2_valid_q & d2_last_q;

  skid_fifo #(.Width(ResponseWidth), .Depth(ResponseDepth)) u_response (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(response_push),
    .data_i({texels_d, d2_refused_q, failed_d, d2_mask_q, d2_epoch_q, d2_id_q}),
    .pop_i(response_leave),
    .data_o({response_texels, response_refused, response_failed, response_mask, response_epoch,
             response_id}),
    .count_o(response_count)
  );

  assign response_valid_o = response_count != '0;
  assign response_leave = response_valid_o & response_ready_i;
  assign response_o = response_valid_o ?
      {response_texels, 15'd0, response_refused, response_failed, response_mask,
       response_epoch, 1'b0, response_id, ResponseFlits, ResponseCommand} : 320'd0;

  // ---- State of composing, counters, observation -----------------------------------------

  localparam logic [3:0] ErrNone = 4'd0, ErrParent = 4'd1;
  logic error_q;  // a parent that the oldest request does not have

  assign error_o = error_q ? ErrParent : ErrNone;
  assign quiescent_o = ~(data_take | take_leave | run_take | request_take | parent_take |
                         response_leave | empty_leave | a_valid_q | b_valid_q | d1_valid_q |
                         d2_valid_q | (Observe & peek_valid_i));

  always_ff @(posedge clk_i) begin
    d1_last_q <= empty_leave | parent_last;
    d1_placed_q <= ~empty_leave & parent_placed;
    d1_number_q <= parent_number;
    d1_failed_q <= parent_failed_i;
    d1_refused_q <= head_refused;
    d1_ratio_q <= head_ratio;
    d1_id_q <= head_id;
    d1_epoch_q <= head_epoch;
    d1_mask_q <= head_mask;
    d1_value_q <= parent_value_i;
    d2_last_q <= d1_last_q;
    d2_placed_q <= d1_placed_q;
    d2_number_q <= d1_number_q;
    d2_failed_q <= d1_failed_q;
    d2_refused_q <= d1_refused_q;
    d2_id_q <= d1_id_q;
    d2_epoch_q <= d1_epoch_q;
    d2_mask_q <= d1_mask_q;
    d2_texel_q <= d1_texel;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      d1_valid_q <= 1'b0;
      d2_valid_q <= 1'b0;
      seen_q <= '0;
      taken_q <= '0;
      texels_q <= '0;
      failed_q <= '0;
      error_q <= 1'b0;
    end else begin
      d1_valid_q <= parent_take | empty_leave;
      d2_valid_q <= d1_valid_q;
      if (parent_take) begin
        seen_q <= parent_last ? '0 : seen_q + 3'd1;
        taken_q <= parent_last ? '0 : taken_q | (number_bit & head_mask);
        if (!parent_placed) error_q <= 1'b1;
      end
      texels_q <= response_push ? '0 : texels_d;
      failed_q <= response_push ? '0 : failed_d;
    end
  end

  if (Observe) begin : gen_observe
    logic [CountWidth-1:0] peek_counter, peek_data_q;
    logic [4:0] run_children;

    assign peek_data_o = peek_data_q;
    assign run_children = {1'b0, run_count_i} + 5'd1;

    // Lines kept, lines dropped, void runs, runs, children, failed lines, responses.
    counter_bank #(
      .Counters(7),
      .CountWidth(CountWidth),
      .StepWidth(5)
    ) u_counters (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .add_i({response_push, data_keep & data_failed_i, {2{run_adds}}, run_take & run_void_i,
              data_take & ~data_keep, data_keep}),
      .step_i({5'd1, 5'd1, run_children, {4{5'd1}}}),
      .index_i(peek_index_i),
      .count_o(peek_counter)
    );

    always_ff @(posedge clk_i) begin
      if (!rst_ni) peek_data_q <= '0;
      else if (peek_valid_i) peek_data_q <= peek_counter;
    end
  end else begin : gen_no_observe
    logic unused_peek;
    assign unused_peek = ^{peek_valid_i, peek_index_i};
    assign peek_data_o = '0;
  end

`ifdef VERILATOR
  // Rule 1: no response finds its queue full.
  `NOCTURNE_ASSERT(ResponseQueueHasRoom, response_push |-> response_count != 3'(ResponseDepth))
  // Rule 2: a response, and a tag, hold until they are taken.
  `NOCTURNE_ASSERT(ResponseHolds, response_valid_o && !response_ready_i |=> $stable(response_o))
  `NOCTURNE_ASSERT(TakeHolds, take_valid_o && !take_ready_i |=> $stable(take_tag_o))
`endif

endmodule
