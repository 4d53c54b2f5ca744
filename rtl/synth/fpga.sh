#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# FPGA cost of one unit: Yosys' synthesis for iCE40 and for Xilinx 7, without place and route.
#   rtl/synth/fpga.sh UNIT "-set NAME VALUE ..." OUT
# Writes OUT/fpga.log: this script's SHA-256 and the cells of both. Neither synthesis may take more than
# FPGA_SECONDS (3,600) CPU seconds.
set -eu
unit=$1 params=$2 out=$3 limit=${FPGA_SECONDS:-3600}
folder=$(dirname "$(rtl/synth/files.sh "$unit" | grep "/$unit\.sv$")")
mkdir -p "$out"
: >"$out/warnings.log"
exec 2>>"$out/warnings.log"
for flow in "synth_ice40" "synth_xilinx -family xc7"; do
  cat >"$out/fpga.ys" <<END
read_verilog -sv -I$folder -Irtl/common $(rtl/synth/files.sh "$unit" | grep '\.sv$' | paste -sd' ')
${params:+chparam $params $unit}
hierarchy -check -top $unit
rename -top $unit
$flow -flatten -top $unit
tee -o $out/${flow%% *}.stat stat
END
  status=0
  (ulimit -t "$limit"; exec yosys -q "$out/fpga.ys") >&2 || status=$?
  # Yosys itself ends by the signal, or says so of abc.
  if [ $status -gt 128 ] || grep -q 'ERROR: ABC: execution' "$out/warnings.log"; then
    echo "ERROR: ${flow%% *}: ended after $limit CPU seconds (FPGA_SECONDS)" >&2
  fi
  [ $status -eq 0 ] || exit 1
done
{
  sha256sum <"$0"
  cat "$out"/synth_ice40.stat "$out"/synth_xilinx.stat
} >"$out/fpga.log"
