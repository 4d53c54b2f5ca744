#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The divider of the combination unit, for every number and every R, at both widths that the
# unit uses: as written, and as Yosys reads it.
set -u
. tests/lib.sh

cases() { # name width source
  iverilog -g2012 -Wno-timescale -DWIDTH="$2" -s ratio_divider_cases -o "$t/$1.vvp" "$3" \
    tb/sv/ratio_divider_cases.sv >"$t/$1.log" 2>&1
  vvp -n "$t/$1.vvp" >>"$t/$1.log" 2>&1
  if grep -q "^CASES: $((16 << $2)), 0 wrong" "$t/$1.log"; then
    good "$1"
  else
    bad "$1" "$(grep -v sorry "$t/$1.log" | head -n 6)"
  fi
}

for width in 9 13; do
  cases "divider-$width" $width rtl/common/ratio_divider.sv
  # The netlist takes the bench's parameter, which it was made with.
  yosys -q -p "read_verilog -sv rtl/common/ratio_divider.sv; chparam -set Width $width ratio_divider; \
    hierarchy -check -top ratio_divider; proc; opt -full; wreduce; rename -top ratio_divider; \
    write_verilog -noattr $t/netlist-$width.v" >"$t/yosys.log" 2>&1
  sed -i 's/^module ratio_divider(/module ratio_divider #(parameter Width = 0) (/' \
    "$t/netlist-$width.v"
  cases "divider-netlist-$width" $width "$t/netlist-$width.v"
done
