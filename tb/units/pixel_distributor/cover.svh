// SPDX-License-Identifier: Apache-2.0
// Cover points of the pixel distributor, inside its top; plan.yaml of its tests names them.

logic cover_take, cover_fills, cover_merge;
assign cover_take = u_dut.taken & ~u_dut.config_refused;
assign cover_fills = u_dut.filling;
assign cover_merge = u_dut.u_receiver.a_q;  // a beat is merged in this cycle
logic [2:0] cover_func;
logic [7:0] cover_wins, cover_loses;  // over written pixels, by depth function
assign cover_func = u_dut.u_receiver.depth_func_q;
for (genvar f = 0; f < 8; f = f + 1) begin : gen_cover_func
  logic here;
  assign here = cover_merge & ~u_dut.u_receiver.transparent_q & (cover_func == 3'(f));
  assign cover_wins[f] = here & (u_dut.u_receiver.wins & u_dut.u_receiver.written_q) != '0;
  assign cover_loses[f] = here & (u_dut.u_receiver.losers & u_dut.u_receiver.written_q) != '0;
end
logic cover_over;
assign cover_over = cover_merge & u_dut.u_receiver.transparent_q &
                    ((u_dut.u_receiver.a_mask & u_dut.u_receiver.written_q) != '0);

// Maps
map_rows: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_fills && u_dut.u_map.map_q == pixel_distributor_pkg::MapRows && u_dut.u_map.last_x);
map_skew: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_fills && u_dut.u_map.map_q == pixel_distributor_pkg::MapSkew && u_dut.u_map.last_x);
map_published_6: cover property (@(posedge clk_i) disable iff (!rst_ni)
  NumGpus == 6 && cover_fills && u_dut.u_map.map_q == pixel_distributor_pkg::MapSkew &&
  u_dut.u_map.row6_q == 3'd3);
map_work_tiles: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_fills && u_dut.u_map.map_q == pixel_distributor_pkg::MapWorkTiles &&
  u_dut.u_map.sub_y_q != '0);
map_halving: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_map.judge && u_dut.u_map.fill_q == u_dut.u_map.FillSplit && u_dut.u_map.wide);
map_halving_down: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_map.judge && u_dut.u_map.fill_q == u_dut.u_map.FillSplit && !u_dut.u_map.wide);
map_nothing_for_one: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_map.judge && u_dut.u_map.judged == u_dut.u_map.FillVisit);
map_odd_size: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_take && config_width_i[5:0] != '0 && config_height_i[5:0] != '0);
// Touched map
touch_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
  map_write_valid_o && !u_dut.u_touched.append);
touch_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.touch && $past(u_dut.touch));
touch_and_clear: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.clear && map_write_valid_o);
cells_of_tiles: cover property (@(posedge clk_i) disable iff (!rst_ni)
  CellMode == 32'(pixel_distributor_pkg::CellTile) && map_write_valid_o);
cells_of_blocks: cover property (@(posedge clk_i) disable iff (!rst_ni)
  CellMode == 32'(pixel_distributor_pkg::CellBlock) && map_write_valid_o);
cells_of_stamps: cover property (@(posedge clk_i) disable iff (!rst_ni)
  CellMode == 32'(pixel_distributor_pkg::CellStamp) && map_write_valid_o);
// Sender
send_nothing: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_sender.fetch_head_done && !u_dut.list_valid);
send_several_tiles: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_sender.fetch_q == u_dut.u_sender.FetchPush &&
  u_dut.u_sender.fetch_d == u_dut.u_sender.FetchRead);
send_packs: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_sender.accept && u_dut.u_sender.full && u_dut.u_sender.held_q != '0);
send_flushes: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.u_sender.packs_flush);
send_part_of_beat: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_sender.accept && u_dut.u_sender.token_last && !u_dut.u_sender.full &&
  u_dut.u_sender.total != '0);
send_unwritten: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_sender.accept && u_dut.u_sender.mask == '0);
send_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_sender.accept && u_dut.u_sender.full &&
  $past(u_dut.u_sender.accept && u_dut.u_sender.full));
send_stalled: cover property (@(posedge clk_i) disable iff (!rst_ni)
  beat_out_valid_o && !u_dut.u_sender.beat_pop && u_dut.u_sender.beats_count == 2'd2);
send_memory_late: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_sender.tokens_q == $bits(u_dut.u_sender.tokens_q)'(SendDepth));
// Receiver
receive_merges: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_merge && u_dut.u_receiver.losers != '0 && u_dut.u_receiver.wins != '0);
receive_all_lost: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_receiver.b_q && !u_dut.u_receiver.writes_push);
receive_each_cycle: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_merge && $past(cover_merge));
receive_stalled: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_receiver.writes_count == 3'd4);
receive_memory_late: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_receiver.pending_q == $bits(u_dut.u_receiver.pending_q)'(ReceiveDepth));
receive_while_sending: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.u_receiver.accept && u_dut.u_sender.accept);
done: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.done_valid_o && u_dut.done_ready_i);
// Depth functions: never, less, equal, less-equal, greater, not-equal, greater-equal, always
func_never: cover property (@(posedge clk_i) disable iff (!rst_ni) cover_loses[0]);
func_less: cover property (@(posedge clk_i) disable iff (!rst_ni) cover_wins[1] && cover_loses[1]);
func_equal: cover property (@(posedge clk_i) disable iff (!rst_ni) cover_wins[2]);
func_less_equal: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_wins[3] && cover_loses[3]);
func_greater: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_wins[4] && cover_loses[4]);
func_not_equal: cover property (@(posedge clk_i) disable iff (!rst_ni) cover_loses[5]);
func_greater_equal: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_wins[6] && cover_loses[6]);
func_always: cover property (@(posedge clk_i) disable iff (!rst_ni) cover_wins[7]);
tie: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_merge && u_dut.u_receiver.ties != '0 && !u_dut.u_receiver.tag_enable_q);
tags: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_merge && u_dut.u_receiver.ties != '0 && u_dut.u_receiver.tag_enable_q);
base_tested: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_merge && u_dut.u_receiver.test_base_q && !u_dut.u_receiver.transparent_q &&
  (u_dut.u_receiver.losers & ~u_dut.u_receiver.written_q) != '0);
colour_mask: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_merge && !u_dut.u_receiver.transparent_q && u_dut.u_receiver.color_mask_q == 4'd5 &&
  u_dut.u_receiver.wins != '0);
depth_kept: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_merge && !u_dut.u_receiver.transparent_q && !u_dut.u_receiver.depth_write_q &&
  u_dut.u_receiver.wins != '0);
// Transparent
over_front: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_over && u_dut.u_receiver.operator_q == pixel_distributor_pkg::OperatorOver &&
  u_dut.u_receiver.front_q);
over_behind: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_over && u_dut.u_receiver.operator_q == pixel_distributor_pkg::OperatorOver &&
  !u_dut.u_receiver.front_q);
add: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_over && u_dut.u_receiver.operator_q == pixel_distributor_pkg::OperatorAdd);
multiply: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_over && u_dut.u_receiver.operator_q == pixel_distributor_pkg::OperatorMultiply);
first_layer: cover property (@(posedge clk_i) disable iff (!rst_ni)
  cover_merge && u_dut.u_receiver.transparent_q &&
  (u_dut.u_receiver.a_mask & ~u_dut.u_receiver.written_q) != '0);
// Errors
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != pixel_distributor_pkg::ErrNone && u_dut.u_sender.accept);
// Reset, quiescence, observation
reset_in_transfer: cover property (@(posedge clk_i)
  !rst_ni && u_dut.u_sender.sending_q && u_dut.u_receiver.receiving_q);
reset_while_filling: cover property (@(posedge clk_i) !rst_ni && cover_fills);
quiescent_in_transfer: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.u_sender.sending_q && u_dut.u_receiver.receiving_q);
peek_while_busy: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.peek_valid_i && u_dut.u_sender.sending_q);
