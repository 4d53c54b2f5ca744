// SPDX-License-Identifier: Apache-2.0
// Cover points of the DASH scheduler, inside its top; plan.yaml of its tests names them.

lanes_of_one_source: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.served[Cpus] > 3'd1);
served_inactive: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.served[Cpus] != '0 && !u_dut.active_q[0]);
served_with_quantum: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.ends_quantum && u_dut.some_served);
start_again: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.start & u_dut.active_q) != '0);
finish_and_start: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.start & finish_i & u_dut.active_q) != '0);
start_with_tick: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.ticks && u_dut.start != '0);
unit_and_switch: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.ends_unit && u_dut.ends_switch);
becomes_urgent: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.judged != '0 && u_dut.ends_unit_q && u_dut.is_urgent);
stays_urgent: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.judged & u_dut.urgent_q) != '0 && u_dut.ends_unit_q && u_dut.is_urgent);
urgent_no_more: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.judged & u_dut.urgent_q) != '0 && u_dut.ends_unit_q && !u_dut.is_urgent);
exactly_on_track: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.judged != '0 && u_dut.at_active && u_dut.served_product_q == u_dut.elapsed_product_q);
judging_cancelled: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.evaluates_q && u_dut.judges_q && u_dut.cancelled_q);
replaced_when_judged: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.judged & u_dut.replaced) != '0);
probability_rises: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.judged != '0 && u_dut.rises);
probability_falls: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.judged != '0 && u_dut.falls);
ip_behind: cover property (@(posedge clk_i) disable iff (!rst_ni)
  (u_dut.behind & ~u_dut.urgent_q) != '0);
past_deadline: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.active_q[0] && u_dut.elapsed_q[0] > u_dut.period_q[0]);
cluster_light: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.judged_cpu != '0 && !u_dut.is_over);
cluster_heavy: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.judged_cpu != '0 && u_dut.is_over);
cluster_with_ips: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.ends_quantum && all_i && u_dut.ip_quantum_q[0] != '0);
shuffle_turns: cover property (@(posedge clk_i) disable iff (!rst_ni)
  u_dut.ends_shuffle && u_dut.intensive_q != '0);
works_after_error: cover property (@(posedge clk_i) disable iff (!rst_ni)
  error_o != '0 && u_dut.judged != '0);
reset_in_use: cover property (@(posedge clk_i) !rst_ni && u_dut.active_q != '0);
quiescent_in_use: cover property (@(posedge clk_i) disable iff (!rst_ni)
  quiescent_o && u_dut.active_q != '0);
