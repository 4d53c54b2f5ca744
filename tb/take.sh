#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A unit as others take it away: a folder that needs nothing else of this tree.
#   tb/take.sh UNIT [-b BUILD] [-o FOLDER] [-s SEED] [-c CYCLES]
# FOLDER (BUILD/take/UNIT):
#   rtl/           the RTL that the unit needs, the paths as here
#   UNIT.f         the same as a list that simulators take with -f
#   UNIT.core      for FuseSoC (CAPI2): targets default, lint and sim
#   UNIT.xml       IP-XACT 2014: parameters, ports with widths as expressions of these, files
#   UNIT.md        the cycle contract
#   tb/            a test bench that plays recorded vectors: replay_UNIT.sv, vectors_UNIT.sv, UNIT.hex
#   README.md      how to run it
# The vectors are CYCLES (2000) random cycles of the golden model, by SEED (1). Exit status: 2 bad usage.
set -u
cd "$(dirname "$0")/.." || exit 1
build=build seed=1 cycles=2000 folder='' unit=''
while [ $# -gt 0 ]; do
  case $1 in
    -b) build=$2; shift ;;
    -o) folder=$2; shift ;;
    -s) seed=$2; shift ;;
    -c) cycles=$2; shift ;;
    -*) unit=''; break ;;
    *) unit=$1 ;;
  esac
  shift || { unit=''; break; }
done
page=csim/units/$unit/page.yaml
if [ ! -f "$page" ]; then
  echo "take: '$unit': no such unit; expected UNIT [-b BUILD] [-o FOLDER] [-s SEED] [-c CYCLES]," \
    "UNIT one of: $(cd csim/units && echo *)" >&2
  exit 2
fi
folder=${folder:-$build/take/$unit}
[ ! -e "$folder" ] || [ -f "$folder/$unit.core" ] || [ -z "$(ls -A "$folder")" ] ||
  { echo "take: $folder: holds something else; expected an empty folder or an earlier $unit" >&2; exit 2; }
rm -rf "$folder"
mkdir -p "$folder/tb" || exit 1
set -e
files=$(rtl/synth/files.sh "$unit")
group=$(basename "$(dirname rtl/*/"$unit".sv)")
version=$("$build/nocturne" --version | sed -n '1s/^nocturne \([0-9.]*\).*/\1/p')
for f in $files; do
  mkdir -p "$folder/$(dirname "$f")"
  cp "$f" "$folder/$f"
done
cp "docs/units/$unit.md" LICENSE "$folder/"
# shellcheck disable=SC2086
for kind in core:core ipxact:xml list:f; do
  "$build/unit_take" "${kind%:*}" "$page" "$group" "$version" $files >"$folder/$unit.${kind#*:}"
done

# The bench: its head says what the vectors are of.
"$build/nocturne" unit "$unit" --seed "$seed" --cycles "$cycles" --engine golden --record "$folder/tb" \
  >"$folder/tb/record.log" 2>&1 || { cat "$folder/tb/record.log" >&2; exit 1; }
record=$(ls "$folder/tb/$unit"-*.vec)
header=$(head -n 1 "$record")
tail -n +2 "$record" >"$folder/tb/$unit.hex"
in_bits=$(echo "$header" | cut -d ' ' -f 2)
out_bits=$(echo "$header" | cut -d ' ' -f 3)
values=$(echo "$header" | cut -d ' ' -f 4-)
{
  echo "\`define UNIT vectors_$unit"
  echo "\`define PARAMS $(echo "$values" | sed 's/\([A-Za-z0-9]*\)=\([0-9]*\)/.\1(\2)/g; s/ /,/g')"
  echo "\`define IN_BITS $in_bits"
  echo "\`define OUT_BITS $out_bits"
  echo "\`define IN_NIBBLES $(((in_bits + 3) / 4))"
  echo "\`define OUT_NIBBLES $(((out_bits + 3) / 4))"
  echo "\`define LINES $(wc -l <"$folder/tb/$unit.hex")"
  echo "\`define VECTORS \"tb/$unit.hex\""
  cat tb/harness/replay.sv
} >"$folder/tb/replay_$unit.sv"
cp "build/unit/$unit/vectors_$unit.sv" "$folder/tb/"
rm "$record" "$folder/tb/record.log"

cat >"$folder/README.md" <<EOF
# $unit, nocturne $version

\`$unit.md\` is the cycle contract: parameters, ports, what happens in each cycle. \`$unit.f\` lists the RTL, \`$unit.core\`
is for FuseSoC, \`$unit.xml\` is IP-XACT 2014.

    verilator --lint-only -Wall --top-module $unit -f $unit.f

The bench plays $cycles random cycles, recorded from the golden model, and compares every output ($values):

    iverilog -g2012 -o replay.vvp -s replay -f $unit.f tb/vectors_$unit.sv tb/replay_$unit.sv && vvp -n replay.vvp
    verilator --binary --timing -Wno-lint -Wno-style -fno-const-bit-op-tree -fno-dfg --top-module replay -f $unit.f tb/vectors_$unit.sv tb/replay_$unit.sv && obj_dir/Vreplay

It ends with \`REPLAY: N lines, 0 mismatches\`; +vectors=FILE plays others. (The two -fno options: Verilator 5.006 computes
some logic wrongly without them.)
EOF
echo "$folder"
