#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A unit with mutants, one of which is chosen at run time:
#   tb/mutate/mutants.sh UNIT "-set NAME VALUE ..." OUT COUNT
# Yosys draws COUNT mutations of the unit's cells and wires as the RTL has them (nothing is mapped), spread
# evenly over its source lines, by a fixed seed. Into OUT: list.ys (a mutation a line, the first is number 1),
# mutants.v: takes the unit's place under the harness; its parameters are those given here, whatever it is
# told. Registers' outputs are left as they are, so that they keep their names for the prover; what reads them is
# mutated. NOCTURNE_MUTANT in the environment of a run says which; 0: the unit as it is. mutants.il: the same in Yosys'
# own format, for the prover, whose --mutant says which.
set -eu
unit=$1 params=$2 out=$3 count=$4
rtl=$(rtl/synth/files.sh "$unit" | grep "/$unit\.sv$")
files=$(rtl/synth/files.sh "$unit" | grep '\.sv$' | paste -sd' ')
top=vectors_$unit
mkdir -p "$out"
# As the prover reads it (tb/prove/driver/proof_step.c), so that registers have the same names.
cat >"$out/unit.ys" <<END
read_verilog -sv -I$(dirname "$rtl") -Irtl/common $files ${NOCTURNE_MADE:-build/unit}/$unit/$top.sv
${params:+chparam $params $top}
hierarchy -check -top $top
delete $top
hierarchy -auto-top
rename -top $unit
proc
flatten
opt_expr
opt_clean
END
cat >"$out/mutants.ys" <<END
script $out/unit.ys
# (Yosys 0.23 cannot write a memory whose read port has a mutated enable.)
select -set cells t:\$mem* %n
mutate -list $((2 * count)) -seed 1 -ctrl mutant 16 1 -o $out/all.ys @cells
! awk -v count=$count '!/ -port Q / && n < count { sub(/mutant 16 [0-9]+/, "mutant 16 " ++n); print }' $out/all.ys >$out/list.ys
script $out/list.ys
write_rtlil $out/mutants.il
write_verilog -noattr $out/flat.v
END
yosys -q "$out/mutants.ys" >"$out/yosys.log" 2>&1 || { grep ERROR "$out/yosys.log"; exit 1; }
# The parameters that the page names, as its tops give them.
names=$(sed -n "/^  $unit #(/,/u_dut (/s/^    \.\([A-Za-z0-9_]*\)(.*/parameter \1 = 0/p" \
  "${NOCTURNE_MADE:-build/unit}/$unit/$top.sv" | paste -sd,)
choice='(std::getenv(\\"NOCTURNE_MUTANT\\") ? std::atoi(std::getenv(\\"NOCTURNE_MUTANT\\")) : 0)'
sed -E "s/^module $unit\(/module $unit ${names:+#($names) }(/; s/, mutant(\);)?$/\1/; /^  wire \[15:0\] mutant;/d; \
  s/^  input \[15:0\] mutant;/  reg [15:0] mutant; initial mutant = \$c32(\"$choice\");/" "$out/flat.v" >"$out/mutants.v"
rm "$out/flat.v" "$out/all.ys"
