#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How the fields of a unit's recorded vectors lie on its pins: build/unit/UNIT/vectors_UNIT.sv as a netlist.
#   rtl/synth/wrapper.sh UNIT "-set NAME VALUE ..." OUT
# Writes OUT/wrapper.json: module wrapper, whose only cell u_dut is the unit.
set -eu
unit=$1 params=$2 out=$3 top=vectors_$1
mkdir -p "$out"
cat >"$out/wrapper.ys" <<END
read_verilog -sv -I$(dirname rtl/*/"$unit".sv) -Irtl/common $(rtl/synth/files.sh "$unit" | grep '\.sv$' | paste -sd' ') build/unit/$unit/$top.sv
${params:+chparam $params $top}
hierarchy -check -top $top
rename -top wrapper
select wrapper
proc
opt_expr
opt_clean
json -o $out/wrapper.json
END
yosys -q "$out/wrapper.ys" >"$out/warnings.log" 2>&1
