// SPDX-License-Identifier: Apache-2.0
// Holds the parents in process: a row of 16 for each package, in 16 banks.
// A-TFIM (HPCA 2017), V-D, VII-E, Fig. 9 (the parent texel buffer). Cycle contract:
// docs/units/parent_texel_buffer.md.
//
// The texel generator's beats are counted up, the combination unit's updates down; each update adds
// to up to 16 parents of a row. Rows whose beats have all come back leave, in the order in which
// they became complete.
// Illegal: a beat of a slot beyond Slots, after the last one or above 255; an update of a slot
// beyond Slots or without beats. They are refused, change nothing, and error_o holds the first
// one's code until reset.
// Rate: a beat, an update and a row a cycle. Latency: one cycle.
// No deadlock: beats and updates are always taken.
// Cost: Slots x (16 x 50 + 9) flip-flops; an update's read of one row of Slots, additions of 12
// bits and the write are one cycle.
`include "parent_texel_buffer_pkg.sv"
`include "assert.svh"

module parent_texel_buffer #(
  parameter int Slots = 16,     // packages: powers of two, 2 to 64
  parameter bit Observe = 1'b1  // 0: reports of writes and peek_data_o are 0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  // Beats that go to the consolidation, always taken
  input  logic         beat_valid_i,
  input  logic [5:0]   beat_slot_i,
  input  logic         beat_last_i,            // of the package
  // Adds children to a row, always taken
  input  logic         update_valid_i,
  input  logic [5:0]   update_slot_i,
  input  logic [15:0]  update_add_i,           // parents
  input  logic [15:0]  update_failed_i,        // of these: their read failed
  input  logic [639:0] update_sum_i,           // 10 bits: 4 x parent + channel
  // Complete rows
  output logic         row_valid_o,
  input  logic         row_ready_i,
  output logic [5:0]   row_slot_o,
  output logic [15:0]  row_failed_o,
  output logic [767:0] row_value_o,            // 12 bits: 4 x parent + channel
  // Status
  output logic [3:0]   error_o,
  output logic         quiescent_o,
  // What the last clock wrote
  output logic         beat_write_valid_o,
  output logic [5:0]   beat_write_slot_o,
  output logic [7:0]   beat_write_left_o,
  output logic         beat_write_seen_o,
  output logic         update_write_valid_o,
  output logic [5:0]   update_write_slot_o,
  output logic [7:0]   update_write_left_o,
  output logic [15:0]  update_write_begun_o,
  output logic [15:0]  update_write_failed_o,
  output logic [767:0] update_write_value_o,
  // Observation
  input  logic         peek_valid_i,
  input  logic [9:0]   peek_index_i,           // 16 x slot + parent
  output logic [58:0]  peek_data_o
);

  localparam int IndexWidth = $clog2(Slots);

  // Of each slot. They are reset all at once, so they are flip-flops, whatever the banks are.
  logic [8*Slots-1:0] left_q;     // beats counted less updates taken
  logic [Slots-1:0] seen_q;       // the last beat was counted
  logic [16*Slots-1:0] begun_q;   // parents; others are 0 whatever their bank holds
  logic [7:0] left [Slots];
  logic [15:0] begun_of [Slots];
  logic [1:0] error_q;

  function automatic logic beyond(input logic [5:0] slot);
    beyond = (slot >> IndexWidth) != 6'd0;
  endfunction

  // ---- Beats -----------------------------------------------------------------------------

  logic [IndexWidth-1:0] beat_slot;
  logic beat_ok;

  assign beat_slot = beat_slot_i[IndexWidth-1:0];
  assign beat_ok = beat_valid_i & ~beyond(beat_slot_i) & ~seen_q[beat_slot] &
                   (left[beat_slot] != 8'hff);

  // ---- Updates ---------------------------------------------------------------------------

  logic [IndexWidth-1:0] update_slot, leave_slot;
  logic update_ok, completes;
  logic [15:0] begun;

  assign update_slot = update_slot_i[IndexWidth-1:0];
  assign update_ok = update_valid_i & ~beyond(update_slot_i) & (left[update_slot] != 8'd0);
  assign completes = update_ok & seen_q[update_slot] & (left[update_slot] == 8'd1);
  assign begun = begun_of[update_slot];

  // ---- Complete rows ---------------------------------------------------------------------

  logic leave;
  logic [$clog2(Slots+1)-1:0] complete_count;
  logic [15:0] leave_begun;

  skid_fifo #(.Width(IndexWidth), .Depth(Slots)) u_complete (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(completes),
    .data_i(update_slot),
    .pop_i(leave),
    .data_o(leave_slot),
    .count_o(complete_count)
  );

  assign row_valid_o = complete_count != '0;
  assign row_slot_o = row_valid_o ? 6'(leave_slot) : 6'd0;
  assign leave = row_valid_o & row_ready_i;
  assign leave_begun = row_valid_o ? begun_of[leave_slot] : 16'd0;

  // ---- Banks -----------------------------------------------------------------------------

  logic [IndexWidth-1:0] shown_slot, peek_slot;  // of the last update; 0 without Observe
  logic [15:0] shown_begun, shown_failed, peek_begun, peek_failed;
  logic [47:0] peek_value [16];

  // A row is 16 banks, each written by itself.
  logic [767:0] value_q [Slots];
  logic [15:0] failed_q [Slots];
  logic [767:0] old_row, leave_row, shown_row, peek_row;
  logic [47:0] new_value [16];

  assign old_row = value_q[update_slot];
  assign leave_row = value_q[leave_slot];
  assign shown_row = value_q[shown_slot];
  assign peek_row = value_q[peek_slot];

  for (genvar p = 0; p < 16; p = p + 1) begin : gen_bank
    logic [47:0] old_value;
    assign old_value = begun[p] ? old_row[48*p +: 48] : 48'd0;
    for (genvar c = 0; c < 4; c = c + 1) begin : gen_channel
      assign new_value[p][12*c +: 12] = old_value[12*c +: 12] +
                                        {2'd0, update_sum_i[40*p + 10*c +: 10]};
    end
    assign row_value_o[48*p +: 48] = leave_begun[p] ? leave_row[48*p +: 48] : 48'd0;
    assign update_write_value_o[48*p +: 48] = shown_begun[p] ? shown_row[48*p +: 48] : 48'd0;
    assign peek_value[p] = peek_begun[p] ? peek_row[48*p +: 48] : 48'd0;
  end

  assign row_failed_o = leave_begun & failed_q[leave_slot];
  assign shown_failed = shown_begun & failed_q[shown_slot];
  assign peek_failed = peek_begun & failed_q[peek_slot];

  always_ff @(posedge clk_i) begin
    if (update_ok) begin
      for (int p = 0; p < 16; p = p + 1) begin
        if (update_add_i[p]) value_q[update_slot][48*p +: 48] <= new_value[p];
      end
      failed_q[update_slot] <= (begun & failed_q[update_slot]) | (update_add_i & update_failed_i);
    end
  end

  // ---- Observation -----------------------------------------------------------------------

  if (Observe) begin : gen_observe
    logic beat_write_q, update_write_q;
    logic [IndexWidth-1:0] beat_slot_q, update_slot_q;
    logic [58:0] peek_data_q;
    logic [3:0] parent;

    // What was written is still there one cycle later: a row is not taken in the cycle of its
    // last update, and a report shows the row after the beat of the same cycle.
    assign beat_write_valid_o = beat_write_q;
    assign beat_write_slot_o = beat_write_q ? 6'(beat_slot_q) : 6'd0;
    assign beat_write_left_o = beat_write_q ? left[beat_slot_q] : 8'd0;
    assign beat_write_seen_o = beat_write_q & seen_q[beat_slot_q];
    assign shown_slot = update_slot_q;
    assign shown_begun = update_write_q ? begun_of[update_slot_q] : 16'd0;
    assign update_write_valid_o = update_write_q;
    assign update_write_slot_o = update_write_q ? 6'(update_slot_q) : 6'd0;
    assign update_write_left_o = update_write_q ? left[update_slot_q] : 8'd0;

    assign peek_slot = peek_index_i[4 +: IndexWidth];
    assign parent = peek_index_i[3:0];
    assign peek_begun = begun_of[peek_slot];
    assign peek_data_o = peek_data_q;

    always_ff @(posedge clk_i) begin
      beat_slot_q <= beat_slot;
      update_slot_q <= update_slot;
      if (!rst_ni) begin
        beat_write_q <= 1'b0;
        update_write_q <= 1'b0;
        peek_data_q <= '0;
      end else begin
        beat_write_q <= beat_ok;
        update_write_q <= update_ok;
        if (peek_valid_i) begin
          peek_data_q <= beyond(peek_index_i[9:4]) ? '0 :
              {seen_q[peek_slot], left[peek_slot], peek_begun[parent], peek_failed[parent],
               peek_value[parent]};
        end
      end
    end
  end else begin : gen_no_observe
    logic unused_peek;
    assign unused_peek = ^{peek_valid_i, peek_index_i, peek_failed, peek_value[0]};
    assign shown_slot = '0;
    assign shown_begun = '0;
    assign peek_slot = '0;
    assign peek_begun = '0;
    assign beat_write_valid_o = 1'b0;
    assign beat_write_slot_o = '0;
    assign beat_write_left_o = '0;
    assign beat_write_seen_o = 1'b0;
    assign update_write_valid_o = 1'b0;
    assign update_write_slot_o = '0;
    assign update_write_left_o = '0;
    assign peek_data_o = '0;
  end

  assign update_write_begun_o = shown_begun;
  assign update_write_failed_o = shown_failed;
  assign error_o = {2'd0, error_q};
  assign quiescent_o = ~(beat_valid_i | update_valid_i | leave | (Observe & peek_valid_i) |
                         beat_write_valid_o | update_write_valid_o);

  // ---- State of the slots ----------------------------------------------------------------

  logic [7:0] beat_left, update_left;
  logic [15:0] update_begun;

  assign beat_left = left[beat_slot] + 8'd1;
  assign update_left = left[update_slot] - 8'd1;
  assign update_begun = begun | update_add_i;

  for (genvar s = 0; s < Slots; s = s + 1) begin : gen_slot
    logic is_beat, is_update, is_leave;  // never leave with one of the others: it is complete

    assign left[s] = left_q[8*s +: 8];
    assign begun_of[s] = begun_q[16*s +: 16];
    assign is_beat = beat_ok & (beat_slot == IndexWidth'(s));
    assign is_update = update_ok & (update_slot == IndexWidth'(s));
    assign is_leave = leave & (leave_slot == IndexWidth'(s));

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        left_q[8*s +: 8] <= '0;
        seen_q[s] <= 1'b0;
        begun_q[16*s +: 16] <= '0;
      end else begin
        if (is_beat && !is_update) left_q[8*s +: 8] <= beat_left;
        if (is_update && !is_beat) left_q[8*s +: 8] <= update_left;
        if (is_beat) seen_q[s] <= beat_last_i;
        if (is_update) begun_q[16*s +: 16] <= update_begun;
        if (is_leave) begin
          seen_q[s] <= 1'b0;
          begun_q[16*s +: 16] <= '0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      error_q <= parent_texel_buffer_pkg::ErrNone;
    end else if (error_q == parent_texel_buffer_pkg::ErrNone) begin
      if (beat_valid_i && !beat_ok) error_q <= parent_texel_buffer_pkg::ErrBeat;
      else if (update_valid_i && !update_ok) error_q <= parent_texel_buffer_pkg::ErrUpdate;
    end
  end

`ifdef VERILATOR
  // Not in the property: Verilator 5.006 fails on elements of arrays there.
  logic leave_complete;
  assign leave_complete = seen_q[leave_slot] & (left[leave_slot] == 8'd0);
  // Rule 1: a slot is in the queue of complete ones once, so that the queue has room.
  `NOCTURNE_ASSERT(CompleteOnce, completes |-> complete_count != ($clog2(Slots+1))'(Slots))
  // Rule 2: what leaves is complete.
  `NOCTURNE_ASSERT(LeavesComplete, row_valid_o |-> leave_complete)
  // Rule 3: a row holds until it is taken.
  `NOCTURNE_ASSERT(RowHolds,
      row_valid_o && !row_ready_i |=> row_valid_o && $stable(row_slot_o) &&
      $stable(row_failed_o) && $stable(row_value_o))
`endif

endmodule
