#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Synthesis of one unit with Yosys and abc on the OSU 0.18 um cells, or on those of the liberty file that
# NOCTURNE_LIBERTY names.
#   rtl/synth/synth.sh UNIT "-set NAME VALUE ..." OUT [gates|modules|hierarchy]
# Writes into OUT: elaborated.json (registers and memories as the RTL names them),
# netlist.json and netlist.v (mapped; memories of 16 words and more stay memories), *.log.
# gates: with the parameters of vectors_UNIT.sv (in build/unit, or NOCTURNE_MADE); also gates.v, which takes the unit's place
# under the harness: the netlist under the unit's name, with its parameters, which it ignores; and cells.v, the
# cells as plain Verilog.
# modules: only OUT/modules.json: each module mapped by itself.
# hierarchy: only OUT/hierarchy.json: the modules as the RTL has them, not mapped.
set -eu
unit=$1 params=$2 out=$3
lib=${NOCTURNE_LIBERTY:-${OSU018:-/usr/share/qflow/tech/osu018/osu018_stdcells.lib}}
folder=$(dirname "$(rtl/synth/files.sh "$unit" | grep "/$unit\.sv$")")
files=$(rtl/synth/files.sh "$unit" | grep '\.sv$' | paste -sd' ')
mkdir -p "$out"
# Yosys and abc take no path with blanks, not even of the folder they run in.
links=$(mktemp -d /tmp/nocturne-synth.XXXXXX)
trap 'rm -rf "$links"' EXIT
ln -s "$(realpath "$lib")" "$links/cells.lib"
lib=$links/cells.lib
top=$unit wrapper= unwrap= name=synth
flatten=flatten elaborated="write_json $out/elaborated.json" netlist=$out/netlist.json
if [ "${4:-}" = modules ]; then
  name=modules flatten= elaborated= netlist=$out/modules.json
fi
if [ "${4:-}" = gates ]; then
  top=vectors_$unit wrapper=${NOCTURNE_MADE:-build/unit}/$unit/vectors_$unit.sv
  unwrap="delete $top; hierarchy -auto-top"
fi

cat >"$out/$name.ys" <<END
read_verilog -sv -I$folder -Irtl/common $files $wrapper
${params:+chparam $params $top}
hierarchy -check -top $top
$unwrap
rename -top $unit
proc
$flatten
opt_expr
opt_clean
$elaborated
synth -run coarse:fine
select -set large t:\$mem_v2 r:SIZE>=16 %i r:WR_PORTS>=1 %i
memory_map t:\$mem_v2 @large %d
opt -fast -full
opt -undriven -fine
techmap
opt -fast
dfflibmap -liberty $lib
opt_clean
abc -liberty $lib -script +strash;dch,-f;map,-B,0.9;topo;buffer,-N,12;upsize;dnsize;stime,-p
opt_clean -purge
write_json $netlist
END
if [ "${4:-}" = hierarchy ]; then
  sed -i '/^flatten$/d; s/elaborated\.json/hierarchy.json/; /hierarchy\.json/q' "$out/$name.ys"
  yosys -q "$out/$name.ys" >"$out/warnings.log" 2>&1
  exit
fi
yosys -q -l "$out/$name.log" "$out/$name.ys" >"$out/warnings.log" 2>&1
[ $name = synth ] || exit 0

# abc's buffer leaves what flip-flops and pins drive.
tool=$(tb/area/tools/tool.sh buffer_nets)
$tool "$lib" "$out/netlist.json" "$unit" 2>>"$out/warnings.log"
# Vectors that many cells drive bit by bit look like loops to Verilator.
split=
[ "${4:-}" != gates ] || split="splitnets; write_verilog -noattr -noexpr $out/split.v"
yosys -q -p "read_json $out/netlist.json; write_json $out/netlist.json; write_verilog -noattr -noexpr $out/netlist.v; $split" \
  >>"$out/warnings.log" 2>&1

if [ "${4:-}" = gates ]; then
  names=$(sed -nE 's/^  parameter +(int|bit|logic +\[[^]]*\]) +([A-Za-z0-9]+) *=.*/parameter \2 = 0/p' \
    "$folder"/"$unit".sv | paste -sd,)
  sed -E "s/^module $unit\(/module $unit #($names) (/" "$out/split.v" >"$out/gates.v"
  rm "$out/split.v"
  tool=$(tb/area/tools/tool.sh models)
  $tool "$lib" >"$out/cells.v" 2>>"$out/warnings.log"
fi
