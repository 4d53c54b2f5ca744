#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Recorded vectors replayed in the netlist that Yosys makes of each unit: what is proven
# and synthesized must be what is simulated. Yosys 0.23 reads some lines that all tools
# accept otherwise than the simulators do (a cast inside a reduction, for one). One parameter set of
# each unit but atfim, which is made of others; with LONG it and more sets.
set -u
. tests/scripts/lib.sh
. tests/scripts/replay.sh

replay() { # unit gpus seed cycles, what else the command takes...
  local unit=$1 name=$1-$2-$3${6:+-$6} chparam
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

for unit in $units; do
  [ "$unit" != atfim ] || [ -n "${LONG:-}" ] || continue
  while read -r gpus seed cycles; do
    replay "$unit" "$gpus" "$seed" "$cycles"
  done < <(cases "$unit" | if [ -n "${LONG:-}" ]; then cat; else head -n 1; fi)
done
# The extensions.
seed=5
for set in extended ${LONG:+extended_narrow by_all weighted ahead}; do
  replay draw_scheduler $((seed + 3)) $seed 2000 --set $set
  seed=$((seed + 1))
done
