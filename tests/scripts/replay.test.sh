#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Recorded vectors of the units, replayed in Icarus: every output and every observed state, all
# four values of a bit. A second simulator that agrees with Verilator and with the golden models. A parameter set of
# each unit, and the draw scheduler with all extensions; with MORE all.
set -u
. tests/scripts/lib.sh
. tests/scripts/replay.sh

parameters() { # as Verilog has them: .NAME(VALUE),...
  echo "$params" | sed 's/\([A-Za-z0-9]*\)=\([0-9]*\)/.\1(\2)/g; s/ /,/g'
}

replay() { # unit gpus seed cycles, what else the command takes...
  local name=$1-$2-$3${6:+-$6}
  record "$name" "$@" || return
  icarus "$name" -DPARAMS="$(parameters)" \
    "-Irtl/$folder" -Irtl/common -y "rtl/$folder" -y rtl/common -Y.sv "build/unit/$1/vectors_$1.sv"
}

for unit in $units; do
  while read -r gpus seed cycles; do
    replay "$unit" "$gpus" "$seed" "$cycles"
  done < <(cases "$unit" | if [ -n "$MORE" ]; then cat; else head -n 1; fi)
done
# The extensions.
seed=5
for set in extended ${MORE:+extended_narrow by_all weighted ahead}; do
  replay draw_scheduler $((seed * 2 - 7)) $seed 2000 --set $set
  seed=$((seed + 1))
done
replay draw_scheduler 17 1 300 --set extended_narrow

# What only the observed state shows is seen: a progress report that one table loses.
record lost draw_scheduler 8 5 2000
plant_lost=$dir/rtl
mkdir -p "$plant_lost"
sed 's/processed_q\[g\] <= processed_q\[g\] + down;/processed_q[g] <= processed_q[g] + (g == 3 ? 1'"'"'b0 : 1'"'"'b1) * down;/' \
  rtl/chopin/draw_scheduler.sv >"$plant_lost/draw_scheduler.sv"
if cmp -s rtl/chopin/draw_scheduler.sv "$plant_lost/draw_scheduler.sv"; then
  bad "a lost progress report" "the wrong line no longer applies"
elif iverilog -g2012 -o "$dir/replay.vvp" -s replay "${defines[@]}" tb/harness/replay.sv rtl/chopin/*_pkg.sv \
  -DPARAMS="$(parameters)" -Irtl/chopin -Irtl/common -y "$plant_lost" -y rtl/chopin -y rtl/common \
  -Y.sv build/unit/draw_scheduler/vectors_draw_scheduler.sv >"$dir/build.log" 2>&1 &&
  ! vvp -n "$dir/replay.vvp" +vectors="$dir/lines.hex" >"$dir/replay.log" 2>&1 &&
  grep -q '^REPLAY: [0-9]* lines, [1-9][0-9]* mismatches' "$dir/replay.log"; then
  good "a lost progress report: $(grep -o '[0-9]* mismatches' "$dir/replay.log")"
else
  bad "a lost progress report" "" "$dir/replay.log"
fi
