// SPDX-License-Identifier: Apache-2.0
// Adds the texels of arriving lines to the parents of packages, and makes a response of each
// complete row of parents. A-TFIM (HPCA 2017), V-B, V-D, V-E, VII-E, Fig. 9, Table I (16 filtering
// ALUs). Cycle contract: docs/units/combination_unit.md; response: csim/units/atfim/package.h.
//
// A line goes to the consolidation by its tag, comes back as runs, and each run becomes one update
// of the parent texel buffer: the line with its columns in one order (stage A), for each parent the
// texel that it takes of each column and their sums (stage B). A complete row is shifted, rounded
// and put together with what the generator said of its package, and its slot is free again.
// Illegal: a run that gives a parent two texels of a column (its parents are marked as failed), a
// request of a slot that is in process or beyond Slots or of an extent that is not 1 to 4, a row
// of a slot that is not in process. error_o holds the first one's code until reset.
// Rate: one line, run, row and response a cycle. Latency: run to update 2 cycles, row to response
// and free 1.
// No deadlock: lines are drained by runs and these by updates, which are always taken; only rows
// wait for responses to be accepted, and refused packages for rows.
// Cost: the queues' bits (4 x 513, 2 x 11, 2 x 19, 4 x 548), Slots x 39, stages A (600) and
// B (680); for each of 16 parents 4 choices of a texel and 4 sums of four; 64 additions of 12 bits.
`include "combination_unit_pkg.sv"
`include "assert.svh"

module combination_unit #(
  parameter int Slots = 16,       // packages in process: powers of two, 2 to 64
  parameter int CountWidth = 48,  // bits of a counter, 10 to 48
  parameter bit Observe = 1'b1    // 0: no counters, peek_data_o is 0
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [7:0]            epoch_i,  // the cube's, constant between resets
  // Child data from the switch, in any order
  input  logic                  data_valid_i,
  output logic                  data_ready_o,
  input  logic [10:0]           data_tag_i,
  input  logic [7:0]            data_epoch_i,       // of the read
  input  logic                  data_failed_i,
  input  logic [511:0]          data_i,             // RGBA8 texels, y x 4 + x
  // Tags to the consolidation
  output logic                  take_valid_o,
  input  logic                  take_ready_i,
  output logic [10:0]           take_tag_o,
  // Runs from the consolidation, of the lines taken, in order
  input  logic                  run_valid_i,
  output logic                  run_ready_o,
  input  logic                  run_void_i,         // nobody asked for the line
  input  logic                  run_last_i,         // of the line
  input  logic [5:0]            run_slot_i,
  input  logic                  run_along_y_i,      // columns have the same y
  input  logic [15:0]           run_texel_i,        // texels that are taken
  input  logic [63:0]           run_parent_i,       // 4 bits a texel: by which parent
  // Updates of the parent texel buffer, always taken
  output logic                  update_valid_o,
  output logic [5:0]            update_slot_o,
  output logic [15:0]           update_add_o,       // parents
  output logic [15:0]           update_failed_o,
  output logic [639:0]          update_sum_o,       // 10 bits: 4 x parent + channel
  // Requests from the texel generator
  input  logic                  request_valid_i,
  output logic                  request_ready_o,
  input  logic [5:0]            request_slot_i,
  input  logic [10:0]           request_id_i,
  input  logic [7:0]            request_epoch_i,
  input  logic [15:0]           request_mask_i,     // parents inside the virtual texture
  input  logic [2:0]            request_extent_i,   // 2^k children a parent
  input  logic                  request_refused_i,
  // Complete rows
  input  logic                  row_valid_i,
  output logic                  row_ready_o,
  input  logic [5:0]            row_slot_i,
  input  logic [15:0]           row_failed_i,
  input  logic [767:0]          row_value_i,        // 12 bits: 4 x parent + channel
  // Slots that came free
  output logic                  free_valid_o,
  output logic [5:0]            free_slot_o,
  // Responses to the switch
  output logic                  response_valid_o,
  input  logic                  response_ready_i,
  output logic [575:0]          response_o,
  // Status and observation
  output logic [3:0]            error_o,
  output logic                  quiescent_o,
  input  logic                  peek_valid_i,
  input  logic [7:0]            peek_index_i,
  output logic [CountWidth-1:0] peek_data_o
);

  localparam int DataDepth = 4, TakeDepth = 2, RefusedDepth = 2, ResponseDepth = 4;
  localparam int IndexWidth = $clog2(Slots);
  localparam int ResponseWidth = 11 + 8 + 16 + 1 + 512;
  localparam logic [6:0] ResponseCommand = 7'h71;
  localparam logic [4:0] ResponseFlits = 5'd5;

  function automatic logic beyond(input logic [5:0] slot);
    beyond = (slot >> IndexWidth) != 6'd0;
  endfunction

  // ---- Data and takes --------------------------------------------------------------------

  logic data_take, data_keep, data_pop, head_failed, take_leave;
  logic [2:0] data_count;
  logic [1:0] take_count;
  logic [511:0] head_line;

  assign data_ready_o = (data_count != 3'(DataDepth)) & (take_count != 2'(TakeDepth));
  assign data_take = data_valid_i & data_ready_o;
  assign data_keep = data_take & (data_epoch_i == epoch_i);

  skid_fifo #(.Width(513), .Depth(DataDepth)) u_data (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(data_keep),
    .data_i({data_failed_i, data_i}),
    .pop_i(data_pop),
    .data_o({head_failed, head_line}),
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

  // ---- Runs: stage A ---------------------------------------------------------------------

  logic run_take, run_adds, a_valid_q, a_failed_q;
  logic [5:0] a_slot_q;
  logic [15:0] a_texel_q;     // 4 x column + place in it, as the two below
  logic [63:0] a_parent_q;
  logic [511:0] a_line_q;

  assign run_ready_o = data_count != '0;
  assign run_take = run_valid_i & run_ready_o;
  assign run_adds = run_take & ~run_void_i;
  assign data_pop = run_take & (run_void_i | run_last_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) a_valid_q <= 1'b0;
    else a_valid_q <= run_adds;
    if (run_adds) begin
      a_failed_q <= head_failed;
      a_slot_q <= run_slot_i;
      for (int c = 0; c < 4; c = c + 1) begin
        for (int i = 0; i < 4; i = i + 1) begin
          a_texel_q[4*c + i] <= run_along_y_i ? run_texel_i[4*c + i] : run_texel_i[4*i + c];
          a_parent_q[4*(4*c + i) +: 4] <= run_along_y_i ? run_parent_i[4*(4*c + i) +: 4]
                                                        : run_parent_i[4*(4*i + c) +: 4];
          a_line_q[32*(4*c + i) +: 32] <= run_along_y_i ? head_line[32*(4*c + i) +: 32]
                                                        : head_line[32*(4*i + c) +: 32];
        end
      end
    end
  end

  // ---- Sums: stage B ---------------------------------------------------------------------

  logic b_valid_q, b_failed_q;
  logic [5:0] b_slot_q;
  logic [15:0] b_add_q, add;
  logic [639:0] b_sum_q, sum;
  logic [15:0] takes [16];    // of each texel: the parent that takes it
  logic [3:0] column_bad;
  logic bad;

  for (genvar t = 0; t < 16; t = t + 1) begin : gen_takes
    assign takes[t] = a_texel_q[t] ? 16'd1 << a_parent_q[4*t +: 4] : 16'd0;
  end

  for (genvar c = 0; c < 4; c = c + 1) begin : gen_bad
    assign column_bad[c] = ((takes[4*c] & (takes[4*c+1] | takes[4*c+2] | takes[4*c+3])) != '0) |
                           ((takes[4*c+1] & (takes[4*c+2] | takes[4*c+3])) != '0) |
                           ((takes[4*c+2] & takes[4*c+3]) != '0);
  end
  assign bad = column_bad != '0;

  for (genvar p = 0; p < 16; p = p + 1) begin : gen_alu
    logic [31:0] texel [4];   // of each column
    logic [3:0] taken;
    for (genvar c = 0; c < 4; c = c + 1) begin : gen_column
      assign texel[c] = ({32{takes[4*c][p]}} & a_line_q[32*(4*c) +: 32]) |
                        ({32{takes[4*c+1][p]}} & a_line_q[32*(4*c+1) +: 32]) |
                        ({32{takes[4*c+2][p]}} & a_line_q[32*(4*c+2) +: 32]) |
                        ({32{takes[4*c+3][p]}} & a_line_q[32*(4*c+3) +: 32]);
      assign taken[c] = takes[4*c][p] | takes[4*c+1][p] | takes[4*c+2][p] | takes[4*c+3][p];
    end
    assign add[p] = taken != '0;
    for (genvar n = 0; n < 4; n = n + 1) begin : gen_channel
      assign sum[40*p + 10*n +: 10] =
          ({2'd0, texel[0][8*n +: 8]} + {2'd0, texel[1][8*n +: 8]}) +
          ({2'd0, texel[2][8*n +: 8]} + {2'd0, texel[3][8*n +: 8]});
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) b_valid_q <= 1'b0;
    else b_valid_q <= a_valid_q;
    if (a_valid_q) begin
      b_slot_q <= a_slot_q;
      b_add_q <= add;
      b_failed_q <= a_failed_q | bad;
      b_sum_q <= sum;
    end
  end

  assign update_valid_o = b_valid_q;
  assign update_slot_o = b_valid_q ? b_slot_q : 6'd0;
  assign update_add_o = b_valid_q ? b_add_q : 16'd0;
  assign update_failed_o = (b_valid_q & b_failed_q) ? b_add_q : 16'd0;
  assign update_sum_o = (b_valid_q & ~b_failed_q) ? b_sum_q : 640'd0;

  // ---- Packages in process ---------------------------------------------------------------

  logic [Slots-1:0] open_q, opened, closed;
  logic [10:0] id_q [Slots];
  logic [7:0] epoch_q [Slots];
  logic [15:0] mask_q [Slots];
  logic [2:0] extent_q [Slots];
  logic [IndexWidth-1:0] request_slot, row_slot;
  logic request_take, request_opens, refused_push, refused_leave, row_take, row_ok;
  logic [1:0] refused_count;
  logic [2:0] response_count;
  logic [10:0] refused_id;
  logic [7:0] refused_epoch;

  assign request_slot = request_slot_i[IndexWidth-1:0];
  assign request_ready_o = refused_count != 2'(RefusedDepth);
  assign request_take = request_valid_i & request_ready_o;
  assign refused_push = request_take & request_refused_i;
  assign request_opens = request_take & ~request_refused_i & ~beyond(request_slot_i) &
                         ~open_q[request_slot] & (request_extent_i != 3'd0) &
                         (request_extent_i <= 3'd4);

  skid_fifo #(.Width(19), .Depth(RefusedDepth)) u_refused (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(refused_push),
    .data_i({request_epoch_i, request_id_i}),
    .pop_i(refused_leave),
    .data_o({refused_epoch, refused_id}),
    .count_o(refused_count)
  );

  always_ff @(posedge clk_i) begin
    if (request_opens) begin
      id_q[request_slot] <= request_id_i;
      epoch_q[request_slot] <= request_epoch_i;
      mask_q[request_slot] <= request_mask_i;
      extent_q[request_slot] <= request_extent_i;
    end
    if (!rst_ni) open_q <= '0;
    else open_q <= (open_q | opened) & ~closed;
  end

  // Never the same: a request finds a slot closed, a row finds it open.
  assign opened = Slots'(request_opens) << request_slot;
  assign closed = Slots'(row_ok) << row_slot;

  // ---- Composing -------------------------------------------------------------------------

  logic [2:0] extent;
  logic [11:0] half;
  logic [15:0] mask, good;
  logic [511:0] texels;

  assign row_slot = row_slot_i[IndexWidth-1:0];
  assign row_ready_o = response_count != 3'(ResponseDepth);
  assign row_take = row_valid_i & row_ready_o;
  assign row_ok = row_take & ~beyond(row_slot_i) & open_q[row_slot];
  assign refused_leave = (refused_count != '0) & row_ready_o & ~row_valid_i;
  assign extent = extent_q[row_slot];
  assign half = {8'd0, extent == 3'd4, extent == 3'd3, extent == 3'd2, extent == 3'd1};
  assign mask = mask_q[row_slot];
  assign good = row_ok ? mask & ~row_failed_i : 16'd0;

  for (genvar p = 0; p < 16; p = p + 1) begin : gen_parent
    for (genvar n = 0; n < 4; n = n + 1) begin : gen_mean
      logic [11:0] rounded;
      logic [7:0] mean;
      logic unused_low;
      // Beyond 12 bits lies only what the low 8 of the mean leave out.
      assign rounded = row_value_i[48*p + 12*n +: 12] + half;
      assign mean = ({8{extent == 3'd1}} & rounded[8:1]) | ({8{extent == 3'd2}} & rounded[9:2]) |
                    ({8{extent == 3'd3}} & rounded[10:3]) | ({8{extent == 3'd4}} & rounded[11:4]);
      assign unused_low = rounded[0];
      assign texels[32*p + 8*n +: 8] = good[p] ? mean : 8'd0;
    end
  end

  // ---- Responses and free slots ----------------------------------------------------------

  logic response_leave, response_refused, free_valid_q;
  logic [10:0] response_id;
  logic [7:0] response_epoch;
  logic [15:0] response_failed;
  logic [511:0] response_texels;
  logic [IndexWidth-1:0] free_slot_q;

  skid_fifo #(.Width(ResponseWidth), .Depth(ResponseDepth)) u_response (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(row_ok | refused_leave),
    .data_i({texels, refused_leave, row_ok ? row_failed_i & mask : 16'd0,
             row_ok ? epoch_q[row_slot] : refused_epoch, row_ok ? id_q[row_slot] : refused_id}),
    .pop_i(response_leave),
    .data_o({response_texels, response_refused, response_failed, response_epoch, response_id}),
    .count_o(response_count)
  );

  assign response_valid_o = response_count != '0;
  assign response_leave = response_valid_o & response_ready_i;
  assign response_o = response_valid_o ?
      {response_texels, 15'd0, response_refused, response_failed, response_epoch, 1'b0,
       response_id, ResponseFlits, ResponseCommand} : 576'd0;

  assign free_valid_o = free_valid_q;
  assign free_slot_o = free_valid_q ? 6'(free_slot_q) : 6'd0;

  always_ff @(posedge clk_i) begin
    free_slot_q <= row_slot;
    if (!rst_ni) free_valid_q <= 1'b0;
    else free_valid_q <= row_ok;
  end

  // ---- Errors, counters, observation -----------------------------------------------------

  logic [1:0] error_q;

  assign error_o = {2'd0, error_q};
  assign quiescent_o = ~(data_take | take_leave | run_take | request_take | row_take |
                         response_leave | refused_leave | a_valid_q | b_valid_q | free_valid_q |
                         (Observe & peek_valid_i));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      error_q <= combination_unit_pkg::ErrNone;
    end else if (error_q == combination_unit_pkg::ErrNone) begin
      if (a_valid_q && bad) error_q <= combination_unit_pkg::ErrRun;
      else if (request_take && !request_refused_i && !request_opens) begin
        error_q <= combination_unit_pkg::ErrRequest;
      end else if (row_take && !row_ok) error_q <= combination_unit_pkg::ErrRow;
    end
  end

  if (Observe) begin : gen_observe
    logic [CountWidth-1:0] peek_counter, peek_data_q;
    logic [4:0] run_texels;

    assign peek_data_o = peek_data_q;
    always_comb begin
      run_texels = '0;
      for (int t = 0; t < 16; t = t + 1) run_texels = run_texels + 5'(run_texel_i[t]);
    end

    // Lines kept, lines dropped, void runs, runs, texels, failed lines, rows answered, refused
    // packages answered.
    counter_bank #(
      .Counters(8),
      .CountWidth(CountWidth),
      .StepWidth(5)
    ) u_counters (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .add_i({refused_leave, row_ok, data_keep & data_failed_i, {2{run_adds}},
              run_take & run_void_i, data_take & ~data_keep, data_keep}),
      .step_i({{3{5'd1}}, run_texels, {4{5'd1}}}),
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
  // Rule 1: a response, and a tag, hold until they are taken.
  `NOCTURNE_ASSERT(ResponseHolds, response_valid_o && !response_ready_i |=> $stable(response_o))
  `NOCTURNE_ASSERT(TakeHolds, take_valid_o && !take_ready_i |=> $stable(take_tag_o))
  // Rule 2: a slot comes free when its response is in the queue and its package is gone.
  `NOCTURNE_ASSERT(FreeIsClosed, free_valid_o |-> !open_q[free_slot_q])
`endif

endmodule
