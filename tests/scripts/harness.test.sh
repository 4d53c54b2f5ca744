#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each comparison of the lockstep by itself: differences that only the observed state shows, only
# the reset, and only a clock in which the machine would have skipped the unit.
set -u
. tests/scripts/lib.sh
export NOCTURNE_NO_WAVES=1

differs() { # unit name file sed-expression what signal command...
  local name=$1-$2 tree=$t/$1-$2 unit=$1 what=$5 signal=$6 code
  if ! plant "$tree" "$3" "$4"; then
    bad "$name" "the wrong line no longer applies to $3"
    return
  fi
  shift 6
  (cd "$tree" && build/nocturne "$@") >"$tree.log" 2>&1
  code=$?
  # The signal differs, and no other.
  if [ $code -eq 1 ] && grep -qE "^MISMATCH: $unit 0, .*: $what$" "$tree.log" &&
    [ "$(grep '^  signal ' "$tree.log" | sed 's/^  signal //; s/[:[].*//' | sort -u)" = "$signal" ]; then
    good "$name"
  else
    bad "$name" "status $code, expected: $what, signal $signal" "$tree.log"
  fi
}

top() { echo "build/unit/$1/tb_$1.sv"; } # unit

differs composition_scheduler state "$(top composition_scheduler)" "s/put_cgid_o(context_h, cgid_o)/put_cgid_o(context_h, cgid_o ^ (8*NumGpus)'(cgid_o[15:8] != 8'd0))/" \
  'golden and RTL differ after this step' cgid unit composition_scheduler --set paper --cycles 2000

# Not quiescent in the cycle after reset.
differs composition_scheduler reset "$(top composition_scheduler)" 's/^  bit after_clock;/  bit fresh_q;\n  always_ff @(posedge clk_i) fresh_q <= !rst_ni;\n&/
  s/_dpi_put(context_h, quiescent_o,/_dpi_put(context_h, quiescent_o \& ~fresh_q,/' \
  'golden and RTL differ after reset' quiescent unit composition_scheduler --set paper --cycles 2000

# A register that is cleared in the second clock of a reset: resets of one clock find it.
differs composition_scheduler short-reset rtl/chopin/composition_scheduler.sv \
  "s/^        cgid_q\[g\*8 +: 8\] .*<= '0;/        if (second_q) cgid_q[g*8 +: 8] <= '0;/
  s/^  for (genvar g .* : gen_entry/  logic second_q;\\n  always_ff @(posedge clk_i) second_q <= !rst_ni;\\n&/" \
  'golden and RTL differ after reset' cgid unit composition_scheduler --set paper --cycles 20000 --gpus 4

# An error after two clocks with nothing to do: a machine skips all but one of them.
differs draw_scheduler skipped "$(top draw_scheduler)" 's/^  bit after_clock;/  bit [1:0] idle_q;\n  always_ff @(posedge clk_i) begin\n    idle_q <= {idle_q[0], 1'"'"'b1} \& {2{rst_ni \& quiescent_o \& ~cmd_valid_i \& (credit_i == '"'"'0) \& (progress_valid_i == '"'"'0)}};\n  end\n&/
  s/8'"'"'(error_o),/8'"'"'(error_o) | 8'"'"'(idle_q == 2'"'"'d3),/' \
  'a clock while quiescent changed something' error run vectors/config/chopin.yaml --frame gen:test-2 \
  --set driver.threshold=20 --seed 6

# The parts of the harness know one another in one direction.
no_circle() { # folder
  local file part
  for file in "$1"/*.[ch]; do
    part=$(basename "${file%.*}")
    sed -n 's/^#include "\([a-z_]*\)\.h".*/\1/p' "$file" | sed "/^$part\$/d; s/^/$part /"
  done | sort -u | tsort >/dev/null
}
check parts-without-circle no_circle tb/harness
