// SPDX-License-Identifier: Apache-2.0
// Holds the parents in process: a ring of entries that children are added to.
// A-TFIM (HPCA 2017), V-D, VII-E, Fig. 9. Cycle contract: docs/units/parent_texel_buffer.md.
//
// The texel generator reserves entries, the combination unit adds children to them, and
// completed parents leave in the order of reservation.
// Illegal: a reservation out of the ring's order or beyond its size, an update of an entry
// that is not live, is done or lacks fewer children. They are refused, change nothing, and
// error_o holds the first one's code until reset.
// Rate: a reservation, an update and a completed parent a cycle. Latency: one cycle.
// No deadlock: reservations and updates are always taken.
// Cost: Entries x (14 + 4 ChannelBits) flip-flops; the update's read of one of Entries, an
// addition of ChannelBits and the write are one cycle.
`include "assert.svh"

module parent_texel_buffer #(
  parameter int Entries = 256,  // powers of two, 16 to 256
  parameter bit Exact = 1'b1,   // 12 bits a channel; 0: the paper's 8
  parameter bit Observe = 1'b1, // 0: reports of writes and peek_data_o are 0
  localparam int WordWidth = 63 // an entry as reports and peeks show it
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Reserves an entry, always taken
  input  logic        alloc_valid_i,
  input  logic [7:0]  alloc_index_i,
  input  logic [7:0]  alloc_id_i,
  input  logic [3:0]  alloc_ratio_i,          // children - 1
  // Adds children to an entry, always taken
  input  logic        update_valid_i,
  input  logic [7:0]  update_index_i,
  input  logic [3:0]  update_count_i,         // children - 1
  input  logic        update_failed_i,
  input  logic [47:0] update_sum_i,           // 12 bits a channel, red lowest
  // Completed parents, in order
  output logic        parent_valid_o,
  input  logic        parent_ready_i,
  output logic [7:0]  parent_id_o,
  output logic        parent_failed_o,
  output logic [47:0] parent_value_o,
  // Status
  output logic [3:0]  error_o,
  output logic        quiescent_o,
  // What the last clock wrote
  output logic        alloc_write_valid_o,
  output logic [7:0]  alloc_write_index_o,
  output logic [7:0]  alloc_write_id_o,
  output logic [3:0]  alloc_write_ratio_o,
  output logic        update_write_valid_o,
  output logic [7:0]  update_write_index_o,
  output logic [WordWidth-1:0] update_write_word_o,
  // Observation
  input  logic        peek_valid_i,
  input  logic [7:0]  peek_index_i,
  output logic [WordWidth-1:0] peek_data_o
);

  localparam int IndexWidth = $clog2(Entries);
  localparam int UsedWidth = IndexWidth + 1;
  localparam int ChannelBits = Exact ? 12 : 8;
  localparam int ValueWidth = 4 * ChannelBits;
  localparam logic [1:0] ErrNone = 2'd0, ErrAlloc = 2'd1, ErrUpdate = 2'd2;

  logic [7:0] id_q [Entries];
  logic [ValueWidth-1:0] value_q [Entries];
  logic done_q [Entries];
  logic [3:0] remaining_q [Entries];  // children that lack - 1 while not done, else 0
  logic failed_q [Entries];

  logic [IndexWidth-1:0] head_q, tail;
  logic [UsedWidth-1:0] used_q;
  logic [1:0] error_q;

  assign tail = head_q + used_q[IndexWidth-1:0];

  function automatic logic [47:0] widen(input logic [ValueWidth-1:0] value);
    widen = '0;
    for (int c = 0; c < 4; c = c + 1) begin
      widen[c*12 +: 12] = 12'(value[c*ChannelBits +: ChannelBits]);
    end
  endfunction

  // An entry as reports and peeks show it.
  function automatic logic [WordWidth-1:0] word_of(
    input logic [7:0] id, input logic done, input logic [3:0] remaining, input logic failed,
    input logic [ValueWidth-1:0] value
  );
    word_of = {widen(value), 1'b1, failed, remaining, done, id};
  endfunction

  // Whether an index is one of the used entries from head on.
  function automatic logic is_live(
    input logic [7:0] index, input logic [IndexWidth-1:0] head, input logic [UsedWidth-1:0] used
  );
    logic [IndexWidth-1:0] distance;
    distance = index[IndexWidth-1:0] - head;
    is_live = ((index >> IndexWidth) == 8'd0) & ({1'b0, distance} < used);
  endfunction

  // ---- Reservation -----------------------------------------------------------------------

  logic alloc_ok;

  assign alloc_ok = alloc_valid_i & (used_q != UsedWidth'(Entries)) & (alloc_index_i == 8'(tail));

  // ---- Update ----------------------------------------------------------------------------

  logic [IndexWidth-1:0] update_entry;
  logic [ValueWidth-1:0] old_value, new_value;
  logic [3:0] remaining, new_remaining;
  logic update_ok, new_done, new_failed;

  assign update_entry = update_index_i[IndexWidth-1:0];
  assign old_value = value_q[update_entry];
  assign remaining = remaining_q[update_entry];
  assign update_ok = update_valid_i & is_live(update_index_i, head_q, used_q) &
                     ~done_q[update_entry] & (update_count_i <= remaining);
  assign new_done = update_count_i == remaining;
  assign new_remaining = new_done ? 4'd0 : remaining - update_count_i - 4'd1;
  assign new_failed = failed_q[update_entry] | update_failed_i;

  always_comb begin
    for (int c = 0; c < 4; c = c + 1) begin
      new_value[c*ChannelBits +: ChannelBits] =
          old_value[c*ChannelBits +: ChannelBits] + update_sum_i[c*12 +: ChannelBits];
    end
  end

  if (!Exact) begin : gen_narrow
    // The upper bits of a sum of shares are not added.
    logic unused_sum;
    assign unused_sum = ^{update_sum_i[47:44], update_sum_i[35:32], update_sum_i[23:20],
                          update_sum_i[11:8]};
  end

  // ---- Completed parents -----------------------------------------------------------------

  logic leave;

  assign parent_valid_o = (used_q != '0) & done_q[head_q];
  assign parent_id_o = parent_valid_o ? id_q[head_q] : 8'd0;
  assign parent_failed_o = parent_valid_o & failed_q[head_q];
  assign parent_value_o = parent_valid_o ? widen(value_q[head_q]) : 48'd0;
  assign leave = parent_valid_o & parent_ready_i;

  // ---- Observation -----------------------------------------------------------------------

  if (Observe) begin : gen_observe
    logic alloc_write_q, update_write_q;
    logic [7:0] alloc_index_q, alloc_id_q, update_index_q;
    logic [3:0] alloc_ratio_q;
    logic [WordWidth-1:0] update_word_q, peek_data_q;
    logic [IndexWidth-1:0] peek_entry;

    assign alloc_write_valid_o = alloc_write_q;
    assign alloc_write_index_o = alloc_index_q;
    assign alloc_write_id_o = alloc_id_q;
    assign alloc_write_ratio_o = alloc_ratio_q;
    assign update_write_valid_o = update_write_q;
    assign update_write_index_o = update_index_q;
    assign update_write_word_o = update_word_q;
    assign peek_entry = peek_index_i[IndexWidth-1:0];
    assign peek_data_o = peek_data_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        alloc_write_q <= 1'b0;
        alloc_index_q <= '0;
        alloc_id_q <= '0;
        alloc_ratio_q <= '0;
        update_write_q <= 1'b0;
        update_index_q <= '0;
        update_word_q <= '0;
        peek_data_q <= '0;
      end else begin
        alloc_write_q <= alloc_ok;
        alloc_index_q <= alloc_ok ? alloc_index_i : 8'd0;
        alloc_id_q <= alloc_ok ? alloc_id_i : 8'd0;
        alloc_ratio_q <= alloc_ok ? alloc_ratio_i : 4'd0;
        update_write_q <= update_ok;
        update_index_q <= update_ok ? update_index_i : 8'd0;
        update_word_q <= update_ok ?
            word_of(id_q[update_entry], new_done, new_remaining, new_failed, new_value) : '0;
        if (peek_valid_i) begin
          peek_data_q <= is_live(peek_index_i, head_q, used_q) ?
              word_of(id_q[peek_entry], done_q[peek_entry], remaining_q[peek_entry],
                      failed_q[peek_entry], value_q[peek_entry]) : '0;
        end
      end
    end
  end else begin : gen_no_observe
    logic unused_peek;
    assign unused_peek = ^{peek_valid_i, peek_index_i};
    assign alloc_write_valid_o = 1'b0;
    assign alloc_write_index_o = '0;
    assign alloc_write_id_o = '0;
    assign alloc_write_ratio_o = '0;
    assign update_write_valid_o = 1'b0;
    assign update_write_index_o = '0;
    assign update_write_word_o = '0;
    assign peek_data_o = '0;
  end

  assign error_o = {2'd0, error_q};
  assign quiescent_o = ~(alloc_valid_i | update_valid_i | leave | (Observe & peek_valid_i) |
                         alloc_write_valid_o | update_write_valid_o);

  always_ff @(posedge clk_i) begin
    if (alloc_ok) begin
      id_q[tail] <= alloc_id_i;
      value_q[tail] <= '0;
      done_q[tail] <= 1'b0;
      remaining_q[tail] <= alloc_ratio_i;
      failed_q[tail] <= 1'b0;
    end
    // Never the entry reserved in this cycle: that is not live yet.
    if (update_ok) begin
      value_q[update_entry] <= new_value;
      done_q[update_entry] <= new_done;
      remaining_q[update_entry] <= new_remaining;
      failed_q[update_entry] <= new_failed;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      used_q <= '0;
      error_q <= ErrNone;
    end else begin
      if (leave) head_q <= head_q + IndexWidth'(1);
      if (alloc_ok && !leave) used_q <= used_q + UsedWidth'(1);
      if (leave && !alloc_ok) used_q <= used_q - UsedWidth'(1);
      if (error_q == ErrNone) begin
        if (alloc_valid_i && !alloc_ok) error_q <= ErrAlloc;
        else if (update_valid_i && !update_ok) error_q <= ErrUpdate;
      end
    end
  end

`ifdef VERILATOR
  // Rule 1: never more entries than there are.
  `NOCTURNE_ASSERT(EntriesWithinSize, used_q <= UsedWidth'(Entries))
  // Rule 2: a completed parent holds until it is taken.
  `NOCTURNE_ASSERT(ParentHolds,
      parent_valid_o && !parent_ready_i |=> parent_valid_o && $stable(parent_id_o) &&
      $stable(parent_value_o))
`endif

endmodule
