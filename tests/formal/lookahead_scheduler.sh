#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Safety of the composition scheduler with lookahead: rtl/chopin/lookahead_scheduler_rules.svh,
# proven by induction under any input, for every run of any length. The bounded proof from reset
# shows that the rules are no contradiction, the cover that a group does end, and one wrong line
# at a time that each rule can fail. With LONG=1 4 GPUs, too, and the wrong lines that need 3.
# usage: tests/formal/lookahead_scheduler.sh [BUILD]
set -u
. tests/lib.sh
unit=lookahead_scheduler
rtl=rtl/chopin/$unit.sv
. tests/formal.sh

for gpus in 2 3 ${LONG:+4}; do
  name=$t/$gpus
  translate $rtl "NumGpus $gpus" "" "$name.smt2" || { bad translation; exit; }
  prove "induction, $gpus GPUs, any input" PASSED "$name.smt2" -i -t 1
done
prove "10 cycles from reset, 2 GPUs, any input" PASSED "$t/2.smt2" -t 10
prove "a group ends, 2 GPUs" PASSED "$t/2.smt2" -c -t 14
translate $rtl "NumGpus 2" -DLOOKAHEAD_SCHEDULER_INPUT_RULES "$t/inputs.smt2" || { bad translation; exit; }
prove "induction, 2 GPUs, input rules: no error" PASSED "$t/inputs.smt2" -i -t 1
prove "a group ends, 2 GPUs, input rules" PASSED "$t/inputs.smt2" -c -t 14

mutant twice "NumGpus 2 MaxDepth 2" 10 '        ~granted & ~(odd' '        ~Self & ~(odd'
mutant to_itself "NumGpus 2 MaxDepth 2" 6 '        ~granted & ~(odd' '        ~received_q[g*NumGpus +: NumGpus] & ~(odd'
mutant other_kind "NumGpus 2 MaxDepth 2" 6 '& ~(transparent_q ^ {NumGpus{transparent_q[g]}}) &' '&'
mutant not_lowest_level "NumGpus 2 MaxDepth 2" 8 '&& !level_any[l-1]' ''
mutant early_reset "NumGpus 2 MaxDepth 2" 10 "sending_q[g*4 +: 4] == 4'd0 && receiving_q[g*4 +: 4] == 4'd0" \
  "sending_q[g*4 +: 4] == 4'd0"
mutant pending_lost "NumGpus 2 MaxDepth 2" 12 'wants & ~enter' 'taken_ready & ~enter'
mutant refused_ready "NumGpus 2 MaxDepth 2" 8 'good_depth & ~pending_q' 'good_depth'
mutant refused_depth "NumGpus 2 MaxDepth 2" 6 'is_ready_message & good_depth &' 'is_ready_message &'
mutant refused_ending "NumGpus 2 MaxDepth 2" 8 ' && !ended_q[g*NumGpus + d]' ''
mutant late_cgid "NumGpus 2 MaxDepth 2" 4 "cgid_q[g*8 +: 8] + 8'd1" "cgid_q[g*8 +: 8] + 8'd2"
mutant wrong_front "NumGpus 2 MaxDepth 2" 6 '|(above_lowest(receiver) & source)' '|(above_lowest(source) & receiver)'
mutant start_not_held "NumGpus 2 MaxDepth 2" 6 'if (is_free) begin' "if (1'b1) begin"
mutant error_not_sticky "NumGpus 2 MaxDepth 2" 4 'error_d = error_q;' 'error_d = ErrNone;'

# 3 GPUs take longer.
[ -n "${LONG:-}" ] || exit 0
mutant other_group "NumGpus 3 MaxDepth 2" 16 '~(odd ^ {NumGpus{odd[g]}}) & ' ''
mutant no_neighbour "NumGpus 3 MaxDepth 2" 6 '(neighbour | {NumGpus{!transparent_q[g]}})' "{NumGpus{1'b1}}"
mutant beyond_depth "NumGpus 3 MaxDepth 2" 10 'ready_q[g] && sending_q[g*4 +: 4] < depth_q[g*4 +: 4]' 'ready_q[g]'
mutant receiver_beyond_depth "NumGpus 3 MaxDepth 2" 10 'receiving_q[g*4 +: 4] < depth_q' 'receiving_q[g*4 +: 4] <= depth_q'
