#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Safety of the composition scheduler: rtl/chopin/composition_scheduler_rules.svh, proven
# by induction under any input, for every run of any length. The bounded proof from reset
# shows that the rules are no contradiction, the cover that a group does end, and one
# wrong line at a time that each rule can fail.
# usage: tests/formal/composition_scheduler.sh [BUILD]
set -u
. tests/lib.sh
rtl=rtl/chopin/composition_scheduler.sv

# Bit by bit and flat, and unrolled: z3 takes hours for the same formula otherwise.
translate() { # source gpus defines smt2
  yosys -q -l "${4%.smt2}.yosys.log" -p "read_verilog -formal -sv $3 -Irtl/chopin -Irtl/common $1; \
    chparam -set NumGpus $2 composition_scheduler; prep -top composition_scheduler -flatten; \
    async2sync; dffunmap; techmap; opt -full; abc -g AND,XOR,MUX -fast; opt_clean; \
    write_smt2 -wires $4" >"${4%.smt2}.yosys.out" 2>&1
}

solve() { # smt2 arguments...: prints the solver's status line
  local smt2=$1
  shift
  yosys-smtbmc -s z3 --unroll --noprogress "$@" "$smt2" 2>&1 | tee "${smt2%.smt2}.log" |
    grep -oE 'Status: [A-Za-z]+' | tail -n 1
}

prove() { # name expected smt2 arguments...
  local name=$1 expected="Status: $2" got start=$SECONDS
  shift 2
  got=$(solve "$@")
  if [ "$got" = "$expected" ]; then
    good "$name ($((SECONDS - start)) s)"
  else
    bad "$name" "expected '$expected', got '${got:-nothing}'; see ${1%.smt2}.log"
  fi
}

translate $rtl 4 "" "$t/4.smt2" || { bad translation; exit; }
prove "induction, 4 GPUs, any input" PASSED "$t/4.smt2" -i -t 1
prove "14 cycles from reset, 4 GPUs, any input" PASSED "$t/4.smt2" -t 14
prove "a group ends, 4 GPUs" PASSED "$t/4.smt2" -c -t 24

translate $rtl 4 -DCOMPOSITION_SCHEDULER_INPUT_RULES "$t/4_inputs.smt2" ||
  { bad translation; exit; }
prove "induction, 4 GPUs, input rules: no error" PASSED "$t/4_inputs.smt2" -i -t 1
prove "12 cycles from reset, 4 GPUs, input rules" PASSED "$t/4_inputs.smt2" -t 12
prove "a group ends, 4 GPUs, input rules" PASSED "$t/4_inputs.smt2" -c -t 24

for gpus in 2 3 6; do
  translate $rtl $gpus "" "$t/$gpus.smt2" || { bad translation; exit; }
  prove "induction, $gpus GPUs, any input" PASSED "$t/$gpus.smt2" -i -t 1
done

# One line wrong; the proof must find a run from reset that breaks a rule. (The source's own
# Ready in the eligibility is not among them: who has left a group has been merged by all that
# are still in it, so that term never decides.)
mutant() { # name gpus cycles from to
  local name=$1 gpus=$2 cycles=$3 sv=$t/mutant_$1.sv text
  text=$(<$rtl)
  if [ "${text/"$4"/}" = "$text" ]; then
    bad "mutant $name" "the line has changed; adapt this script"
    return
  fi
  printf '%s\n' "${text/"$4"/"$5"}" >"$sv"
  translate "$sv" "$gpus" "" "$t/mutant_$name.smt2" ||
    { bad "mutant $name" translation; return; }
  prove "refuted: $name" FAILED "$t/mutant_$name.smt2" -t "$cycles"
}

mutant two_receivers 4 8 '& ready_q & ~sending_q &' '& ready_q &'
mutant two_senders 4 8 'ready_q[g] && !receiving_q[g]}}' 'ready_q[g]}}'
mutant receiver_not_ready 3 18 '{ready_q[g] && !receiving_q[g]}}' '{!receiving_q[g]}}'
mutant to_itself 4 8 '~sending_q & ~merged &' '~sending_q & ~received_q[g*NumGpus +: NumGpus] &'
mutant twice 4 10 '~sending_q & ~merged &' '~sending_q & ~Self &'
mutant other_group 3 18 '~(odd ^ {NumGpus{odd[g]}}) & ' ''
mutant other_kind 4 8 '& ~(transparent_q ^ {NumGpus{transparent_q[g]}}) &' '&'
mutant no_neighbour 4 8 '(neighbour | {NumGpus{!transparent_q[g]}})' "{NumGpus{1'b1}}"
mutant early_release 4 12 '(&(received_q[g*NumGpus +: NumGpus] | Self))' "1'b1"
mutant late_cgid 4 8 "cgid_q[g*8 +: 8] + 8'd1" "cgid_q[g*8 +: 8] + 8'd2"
mutant refused_ready 4 8 'is_ready_message & ~ready_q & ~release_valid_q' \
  'is_ready_message & ~release_valid_q'
mutant refused_ready_at_release 2 14 'is_ready_message & ~ready_q & ~release_valid_q' \
  'is_ready_message & ~ready_q'
mutant refused_done 4 8 'is_done_message & receiving_q' 'is_done_message'
mutant wrong_front 4 8 '|(above_lowest(receiver) & source)' '|(above_lowest(source) & receiver)'
mutant start_not_held 4 8 'if (is_free) begin' "if (1'b1) begin"
mutant release_not_held 2 14 '(release_valid_q & ~release_ready_i) | complete' 'complete'
mutant error_not_sticky 4 8 'error_d = error_q;' 'error_d = ErrNone;'
