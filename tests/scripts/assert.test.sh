#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The RTL's dialect: every assertion has a label, by the macros of rtl/common/assert.svh, which say in
# one line which one failed, where and in what instance; one generate style; one prefix of error codes.
set -u
. tests/scripts/lib.sh

none() { # name pattern files...: no line of the files has the pattern, but for comments
  local name=$1 pattern=$2 found
  shift 2
  found=$(grep -nE "$pattern" "$@" | grep -vE '^[^:]*:[0-9]+: *//' | head -n 4)
  if [ -z "$found" ]; then
    good "$name"
  else
    bad "$name" "$found"
  fi
}
rtl=$(ls rtl/*/*.sv rtl/*/*.svh | grep -v '^rtl/common/assert.svh$')
# shellcheck disable=SC2086
{
  none "every assertion has a label" '\bassert\b *(property)? *\(|\bassert +property' $rtl
  none "generate without a region" '\b(end)?generate\b|^ *genvar\b' $rtl
  none "error codes are Err*" '\blocalparam\b.*\bError[A-Z]' $rtl
}
unnamed=$(grep -nE 'for \(genvar' rtl/*/*.sv rtl/*/*.svh | grep -vE 'begin : gen_[a-z_]+$')
if [ -z "$unnamed" ]; then
  good "generated blocks are gen_*"
else
  bad "generated blocks are gen_*" "$unnamed"
fi
labels=$(grep -ohE '`NOCTURNE_ASSERT(_NOW)?\([^,]*' $rtl)
if [ -n "$labels" ] && ! grep -vE '\(([A-Z][a-z0-9]*){2,}$' <<<"$labels"; then
  good "labels: $(wc -l <<<"$labels")"
else
  bad "labels" "expected UpperCamelCase"
fi

# Both kinds in two instances; one of each fails.
cat >"$t/pair.sv" <<'SV'
`include "assert.svh"
module part (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] count_i,
  output logic [3:0] count_o
);
  assign count_o = count_i;
  `NOCTURNE_ASSERT(CountGrows, count_i[0] && !count_i[1] |=>
                   count_i != 4'd5 && $stable({count_i[3], count_i[2]}))
  always @(posedge clk_i) begin
    if (rst_ni) begin
      `NOCTURNE_ASSERT_NOW(CountSmall, count_i < 4'd9)
    end
  end
endmodule
module pair (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [7:0] count_i,
  output logic [7:0] count_o
);
  for (genvar g = 0; g < 2; g = g + 1) begin : gen_part
    part u_part (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .count_i(count_i[g*4 +: 4]),
      .count_o(count_o[g*4 +: 4])
    );
  end
endmodule
SV
cat >"$t/main.cpp" <<'CPP'
#include "Vpair.h"
int main() {
  VerilatedContext context;
  context.fatalOnError(false);
  Vpair top(&context, "top");
  for (int n = 0; n < 11; n++) {
    top.rst_ni = n > 0;
    top.count_i = n == 9 ? 0xA2 : n == 4 ? 0x21 : n == 5 ? 0x25 : 0x22;
    for (int clock = 0; clock < 2; clock++) {
      top.clk_i = clock;
      top.eval();
    }
  }
}
CPP
if verilator --cc --exe --build --assert -Wno-DECLFILENAME -Irtl/common --top-module pair \
  --Mdir "$t/v" "$t/pair.sv" "$(realpath "$t/main.cpp")" >"$t/build.log" 2>&1; then
  "$t/v/Vpair" >"$t/run.log"
  line() { # file line, instance, label
    echo "[0] %Error: pair.sv:$1: Assertion failed in top.pair.gen_part[$2].u_part.$3: $3"
  }
  if grep -v stop "$t/run.log" | sort | uniq |
    cmp -s - <(sort <<<"$(line 13 1 CountSmall)"$'\n'"$(line 10 0 CountGrows)"); then
    good "Verilator tells label, line and instance"
  else
    bad "Verilator tells label, line and instance" "" "$t/run.log"
  fi
else
  bad "Verilator builds both kinds" "" "$t/build.log"
fi
check "Icarus takes both kinds" iverilog -g2012 -tnull -Wno-timescale -Irtl/common "$t/pair.sv"
yosys_cells() { # option
  yosys -q -p "read_verilog $1 -sv -Irtl/common $t/pair.sv; prep -top pair -flatten; \
    tee -q -o $t/cells.txt select -list t:\$assert" && wc -l <"$t/cells.txt"
}
if [ "$(yosys_cells '')" = 0 ] && [ "$(yosys_cells -formal)" = 2 ]; then
  good "Yosys takes what is immediate, under FORMAL only"
else
  bad "Yosys takes what is immediate, under FORMAL only" "" "$t/cells.txt"
fi
