#!/bin/bash
# Synthesis of one unit with Yosys and abc on the OSU 0.18 um cells.
#   rtl/synth/synth.sh UNIT "-set NAME VALUE ..." OUT
# Writes into OUT: elaborated.json (registers and memories as the RTL names them),
# netlist.json and netlist.v (mapped; memories of 16 words and more stay memories), *.log.
set -eu
unit=$1 params=$2 out=$3
lib=${OSU018:-/usr/share/qflow/tech/osu018/osu018_stdcells.lib}
folder=$(basename "$(dirname rtl/*/"$unit".sv)")
mkdir -p "$out"

cat >"$out/synth.ys" <<END
read_verilog -sv -Irtl/$folder rtl/common/*.sv rtl/$folder/*.sv
${params:+chparam $params $unit}
hierarchy -check -top $unit
rename -top $unit
proc
flatten
opt_expr
opt_clean
write_json $out/elaborated.json
synth -run coarse:fine
select -set large t:\$mem_v2 r:SIZE>=16 %i r:WR_PORTS>=1 %i
memory_map t:\$mem_v2 @large %d
opt -fast -full
opt -undriven -fine
techmap
opt -fast
dfflibmap -liberty $lib
opt_clean
abc -liberty $lib -script +strash;dch,-f;map,-B,0.9;topo;buffer,-p,-N,12;upsize;dnsize;stime,-p
opt_clean -purge
write_json $out/netlist.json
write_verilog -noattr -noexpr $out/netlist.v
END
yosys -q -l "$out/synth.log" "$out/synth.ys" >"$out/warnings.log" 2>&1
