// SPDX-License-Identifier: Apache-2.0
// Cover points of the child consolidation, inside its top; plan.yaml of its tests names them.

// Beats
insert_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.insert && $past(u_dut.insert));
read_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.read_valid_o && u_dut.read_ready_i && $past(u_dut.read_valid_o && u_dut.read_ready_i));
run_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_valid_o && u_dut.run_ready_i && $past(u_dut.run_valid_o && u_dut.run_ready_i));
axis_y: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_valid_o && u_dut.run_along_y_o);
// Merging
beat_joins: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.join_ok);
joins_a_chain: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.join_ok && $past(u_dut.join_ok));
fetch_begins: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.begin_ok);
second_way: cover property (@(posedge clk_i) disable iff (!rst_ni)
  Ways > 1 && u_dut.begin_ok && !u_dut.way_pick[0]);
joins_while_closing: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.joins && u_dut.closing && u_dut.beat_waits);
set_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_waits && !u_dut.joins && u_dut.way_pick == '0);
entries_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_waits && u_dut.full);
reads_full: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.beat_waits && !u_dut.full && !u_dut.joins && u_dut.way_pick != '0 && !u_dut.read_room);
no_merging: cover property (@(posedge clk_i) disable iff (!rst_ni) !Merge && u_dut.begin_ok);
// Walks
chain_of_several: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.emit && !u_dut.emit_last);
chain_of_one: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.close && u_dut.named_first == u_dut.named_last);
take_behind_take: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.take && $past(u_dut.take));
run_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.run_valid_o && !u_dut.run_ready_i);
take_waits: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.take_valid_i && !u_dut.take_ready_o);
closed_and_begun: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.close && u_dut.begin_ok);
generation_counts: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.close && u_dut.named_generation == 3'd7);
entry_freed_out_of_order: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.emit && !u_dut.void_q && u_dut.current_q != u_dut.head_q);
ring_around: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.insert && u_dut.tail_q == '0 && u_dut.used_q != '0);
// Refusal, reset, quiescence, peek
void_run: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.emit && u_dut.void_q);
stale_generation: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.take && u_dut.take_valid != '0 && !u_dut.take_named);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != 4'(child_consolidation_pkg::ErrNone) && u_dut.close);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.used_q != '0 && u_dut.busy_q);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.used_q != '0);
peek_entry: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_data_o[24] && $past(u_dut.peek_valid_i &&
  u_dut.peek_select_i == child_consolidation_pkg::PeekEntry));
peek_fetch: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_data_o[3] && $past(u_dut.peek_valid_i &&
  u_dut.peek_select_i == child_consolidation_pkg::PeekFetch));
peek_counter: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_data_o != '0 && $past(u_dut.peek_valid_i &&
  u_dut.peek_select_i == child_consolidation_pkg::PeekCounter));
peek_parents: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_data_o != '0 && $past(u_dut.peek_valid_i &&
  u_dut.peek_select_i == child_consolidation_pkg::PeekParents));
