#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Safety of the composition scheduler: rtl/chopin/composition_scheduler_rules.svh, proven
# by induction under any input, for every run of any length. The bounded proof from reset
# shows that the rules are no contradiction, the cover that a group does end, and one
# wrong line at a time that each rule can fail.
# usage: tests/formal/composition_scheduler.sh [BUILD]
set -u
. tests/lib.sh
unit=composition_scheduler
rtl=rtl/chopin/$unit.sv
. tests/formal.sh

translate $rtl "NumGpus 4" "" "$t/4.smt2" || { bad translation; exit; }
prove "induction, 4 GPUs, any input" PASSED "$t/4.smt2" -i -t 1
prove "14 cycles from reset, 4 GPUs, any input" PASSED "$t/4.smt2" -t 14
prove "a group ends, 4 GPUs" PASSED "$t/4.smt2" -c -t 24

translate $rtl "NumGpus 4" -DCOMPOSITION_SCHEDULER_INPUT_RULES "$t/4_inputs.smt2" ||
  { bad translation; exit; }
prove "induction, 4 GPUs, input rules: no error" PASSED "$t/4_inputs.smt2" -i -t 1
prove "12 cycles from reset, 4 GPUs, input rules" PASSED "$t/4_inputs.smt2" -t 12
prove "a group ends, 4 GPUs, input rules" PASSED "$t/4_inputs.smt2" -c -t 24

for gpus in 2 3 6; do
  translate $rtl "NumGpus $gpus" "" "$t/$gpus.smt2" || { bad translation; exit; }
  prove "induction, $gpus GPUs, any input" PASSED "$t/$gpus.smt2" -i -t 1
done

# The source's own Ready in the eligibility is not among them: who has left a group has been merged
# by all that are still in it, so that term never decides.
mutant two_receivers "NumGpus 4" 8 '& ready_q & ~sending_q &' '& ready_q &'
mutant two_senders "NumGpus 4" 8 'ready_q[g] && !receiving_q[g]}}' 'ready_q[g]}}'
mutant receiver_not_ready "NumGpus 3" 18 '{ready_q[g] && !receiving_q[g]}}' '{!receiving_q[g]}}'
mutant to_itself "NumGpus 4" 8 '~sending_q & ~merged &' '~sending_q & ~received_q[g*NumGpus +: NumGpus] &'
mutant twice "NumGpus 4" 10 '~sending_q & ~merged &' '~sending_q & ~Self &'
mutant other_group "NumGpus 3" 18 '~(odd ^ {NumGpus{odd[g]}}) & ' ''
mutant other_kind "NumGpus 4" 8 '& ~(transparent_q ^ {NumGpus{transparent_q[g]}}) &' '&'
mutant no_neighbour "NumGpus 4" 8 '(neighbour | {NumGpus{!transparent_q[g]}})' "{NumGpus{1'b1}}"
mutant early_release "NumGpus 4" 12 '(&(received_q[g*NumGpus +: NumGpus] | Self))' "1'b1"
mutant late_cgid "NumGpus 4" 8 "cgid_q[g*8 +: 8] + 8'd1" "cgid_q[g*8 +: 8] + 8'd2"
mutant refused_ready "NumGpus 4" 8 'is_ready_message & ~ready_q & ~release_valid_q' \
  'is_ready_message & ~release_valid_q'
mutant refused_ready_at_release "NumGpus 2" 14 'is_ready_message & ~ready_q & ~release_valid_q' \
  'is_ready_message & ~ready_q'
mutant refused_done "NumGpus 4" 8 'is_done_message & receiving_q' 'is_done_message'
mutant wrong_front "NumGpus 4" 8 '|(above_lowest(receiver) & source)' '|(above_lowest(source) & receiver)'
mutant start_not_held "NumGpus 4" 8 'if (is_free) begin' "if (1'b1) begin"
mutant release_not_held "NumGpus 2" 14 '(release_valid_q & ~release_ready_i) | complete' 'complete'
mutant error_not_sticky "NumGpus 4" 8 'error_d = error_q;' 'error_d = ErrNone;'
