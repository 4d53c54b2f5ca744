#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Recorded vectors of the units, replayed in Icarus: every output and every observed state, all
# four values of a bit. A second simulator that agrees with Verilator and with the golden models.
set -u
. tests/lib.sh
. tests/replay.sh

parameters() { # as Verilog has them: .NAME(VALUE),...
  echo "$params" | sed 's/\([A-Za-z0-9]*\)=\([0-9]*\)/.\1(\2)/g; s/ /,/g'
}

replay() { # unit gpus seed cycles
  local name=$1-$2-$3
  record "$name" "$@" || return
  icarus "$name" -DPARAMS="$(parameters)" \
    "-Irtl/$folder" -Irtl/common -y "rtl/$folder" -y rtl/common -Y.sv "build/unit/$1/vectors_$1.sv"
}

for gpus in 2 3 6 8 12; do
  replay draw_scheduler $gpus $gpus 2000
  replay composition_scheduler $gpus $gpus 1000
done
replay draw_scheduler 16 16 500
replay composition_scheduler 16 16 300
replay draw_scheduler 8 5 8000
replay composition_scheduler 8 5 4000
for seed in 1 2 3 4; do
  replay pixel_distributor $((seed * 3)) $seed 1500
done
for seed in 1 2 3 4; do
  replay parent_texel_buffer 8 $seed 3000
  replay combination_unit 8 $seed 1500
done
for seed in 1 2 3 4; do
  replay texel_generator 8 $seed 2000
done
for seed in 1 3 5 6; do
  replay child_consolidation 8 $seed 2000
done
for seed in 2 3 5; do
  replay atfim 8 $seed 1000
done
for seed in 1 3 4; do
  replay offload_unit 8 $seed 1500
done

# What only the observed state shows is seen: a progress report that one table loses.
record lost draw_scheduler 8 5 2000
plant_lost=$dir/rtl
mkdir -p "$plant_lost"
sed 's/processed_q\[g\] <= processed_q\[g\] + down;/processed_q[g] <= processed_q[g] + (g == 3 ? 1'"'"'b0 : 1'"'"'b1) * down;/' \
  rtl/chopin/draw_scheduler.sv >"$plant_lost/draw_scheduler.sv"
if cmp -s rtl/chopin/draw_scheduler.sv "$plant_lost/draw_scheduler.sv"; then
  bad "a lost progress report" "the wrong line no longer applies"
elif iverilog -g2012 -o "$dir/replay.vvp" -s replay "${defines[@]}" tb/sv/replay.sv \
  -DPARAMS="$(parameters)" -Irtl/chopin -Irtl/common -y "$plant_lost" -y rtl/chopin -y rtl/common \
  -Y.sv build/unit/draw_scheduler/vectors_draw_scheduler.sv >"$dir/build.log" 2>&1 &&
  vvp -n "$dir/replay.vvp" +vectors="$dir/lines.hex" >"$dir/replay.log" 2>&1 &&
  grep -q '^REPLAY: [0-9]* lines, [1-9][0-9]* mismatches' "$dir/replay.log"; then
  good "a lost progress report: $(grep -o '[0-9]* mismatches' "$dir/replay.log")"
else
  bad "a lost progress report" "" "$dir/replay.log"
fi
