#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Recorded vectors replayed in the netlist that Yosys makes of each unit: what is proven
# and synthesized must be what is simulated. Yosys 0.23 reads some lines that all tools
# accept otherwise than the simulators do (a cast inside a reduction, for one). One parameter set of
# each unit, unless LONG is set.
set -u
. tests/lib.sh
. tests/replay.sh

replay() { # unit gpus seed cycles
  local unit=$1 name=$1-$2-$3 chparam
  record "$name" "$@" || return
  chparam=$(echo "$params" | tr ' ' '\n' | sed -n 's/\([A-Za-z0-9]*\)=\([0-9]*\)/-set \1 \2/p' | tr '\n' ' ')
  if ! yosys -q -p "read_verilog -sv -Irtl/$folder -Irtl/common rtl/common/*.sv rtl/$folder/*.sv \
    build/unit/$unit/vectors_$unit.sv; chparam $chparam vectors_$unit; hierarchy -check -top vectors_$unit; \
    proc; flatten; opt; memory -nomap; opt -full; wreduce; opt_clean; rename -top vectors_$unit; \
    write_verilog -noattr $dir/netlist.v" >"$dir/yosys.log" 2>&1; then
    bad "$name" "yosys: $(tail -n 3 "$dir/yosys.log")"
    return
  fi
  icarus "$name" -DPARAMS= "$dir/netlist.v"
}

replay draw_scheduler 8 8 2000
replay composition_scheduler 3 3 1000
replay pixel_distributor 6 2 1500
replay parent_texel_buffer 8 1 2000
replay combination_unit 8 1 1500
replay texel_generator 8 2 1500
replay child_consolidation 8 1 2000
replay atfim 8 2 1000
replay offload_unit 8 1 1500
[ -n "${LONG:-}" ] || exit 0
for gpus in 3 12; do
  replay draw_scheduler $gpus $gpus 2000
done
for gpus in 8 12; do
  replay composition_scheduler $gpus $gpus 1000
done
for seed in 1 3 4 5; do
  replay pixel_distributor $((seed * 3)) $seed 1500
done
replay draw_scheduler 6 7 2000
replay draw_scheduler 2 9 2000
for seed in 2 3; do
  replay parent_texel_buffer 8 $seed 2000
  replay combination_unit 8 $seed 1500
done
for seed in 3 4; do
  replay texel_generator 8 $seed 1500
done
for seed in 3 5 6; do
  replay child_consolidation 8 $seed 2000
done
for seed in 3 5; do
  replay atfim 8 $seed 1000
done
for seed in 3 4; do
  replay offload_unit 8 $seed 1500
done
