#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A canary for the simulator: random one-bit trees of & | ^ with inversions, in Verilator
# with the flags of tb/unit.mk and in Icarus. Verilator 5.006 computes such logic wrongly
# with its default flags, and tile and owner hashes are logic of this kind.
set -u
. tests/scripts/lib.sh
flags=$(grep -o -- '-fno-[a-z-]*' tb/unit.mk | sort -u | grep -v fno-table | tr '\n' ' ')

awk -v seed=1 'BEGIN {
  srand(seed); trees = 200; bits = 32
  print "module canary(input logic clk_i, input logic [" bits-1 ":0] in_i, output logic [" trees-1 ":0] out_o);"
  print "  logic [" bits-1 ":0] in_q;\n  always_ff @(posedge clk_i) in_q <= in_i;"
  for (t = 0; t < trees; t++) {
    n = 4 + int(rand() * 12)
    for (i = 0; i < n; i++) e[i] = (rand() < 0.3 ? "~" : "") "in_q[" int(rand() * bits) "]"
    while (n > 1) {
      i = int(rand() * n); x = e[i]; e[i] = e[--n]
      i = int(rand() * n); y = e[i]; e[i] = e[--n]
      e[n++] = (rand() < 0.3 ? "~" : "") "(" x " " substr("&|^", 1 + int(rand() * 3), 1) " " y ")"
    }
    print "  assign out_o[" t "] = " e[0] ";"
  }
  print "endmodule"
}' >"$t/canary.sv"

cat >"$t/top.sv" <<'SV'
module top(input logic clk_i);
  logic [31:0] in = 32'd1;
  logic [31:0] mix;
  logic [199:0] out;
  logic [10:0] count = '0;
  canary u_canary (.clk_i(clk_i), .in_i(in), .out_o(out));
  assign mix = in ^ (in << 13);
  always_ff @(posedge clk_i) begin
    in <= (mix ^ (mix >> 17)) ^ ((mix ^ (mix >> 17)) << 5);
    count <= count + 11'd1;
    if (count > 11'd3) $display("%h", out);
    if (count == 11'd2000) $finish;
  end
endmodule
SV
cat >"$t/icarus.sv" <<'SV'
module icarus;
  logic clk = 1'b0;
  top u_top (.clk_i(clk));
  always #1 clk = ~clk;
endmodule
SV
cat >"$t/main.cpp" <<'CPP'
#include "Vtop.h"
int main() {
  Vtop top;
  while (!Verilated::gotFinish()) {
    top.clk_i = !top.clk_i;
    top.eval();
  }
}
CPP
log=$t/build.log
# shellcheck disable=SC2086
if ! verilator --cc --exe --build -O3 $flags -Wno-fatal --no-timing --top-module top --Mdir "$t/v" \
  "$t/canary.sv" "$t/top.sv" "$(cd "$t" && pwd)/main.cpp" >"$log" 2>&1; then
  bad canary "verilator: $(tail -n 5 "$log")"
  exit
fi
"$t/v/Vtop" | grep -v finish >"$t/verilator.txt"
iverilog -g2012 -s icarus -o "$t/canary.vvp" "$t/icarus.sv" "$t/top.sv" "$t/canary.sv" &&
  vvp -n "$t/canary.vvp" | grep -v finish >"$t/icarus.txt"
if [ -s "$t/icarus.txt" ] && cmp -s "$t/verilator.txt" "$t/icarus.txt"; then
  good "canary: 200 trees, $(wc -l <"$t/icarus.txt") vectors, flags $flags"
else
  bad "canary: the simulators differ (flags $flags)" "$(diff "$t/verilator.txt" "$t/icarus.txt" | head -n 4)"
fi
