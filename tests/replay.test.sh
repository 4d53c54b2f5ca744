#!/bin/bash
# Recorded vectors of the units, replayed in Icarus: every output, all four states.
# A second simulator that agrees with Verilator and with the golden models.
set -u
. tests/lib.sh
. tests/replay.sh

replay() { # unit gpus seed cycles
  local name=$1-$2-$3
  record "$name" "$@" || return
  icarus "$name" -DPARAMS="$(echo "$params" | sed 's/\([A-Za-z0-9]*\)=\([0-9]*\)/.\1(\2)/g; s/ /,/g')" \
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
