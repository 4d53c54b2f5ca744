#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Places and routes a mapped netlist of the OSU 0.18 um cells by qflow's graywolf and qrouter, as qflow does
# (Debian's qflow, which needs tcsh): the area with wires.
#   rtl/synth/place.sh FOLDER UNIT OUT      FOLDER: of `nocturne area`, build/area/UNIT/HASH
# Prints the cells' number and area, that of the placed block, wires, vias, seconds, and the clock by vesta
# without and with the wires. Constants become an input of the block.
set -eu
tech=/usr/share/qflow/tech/osu018 scripts=/usr/lib/qflow/scripts bin=/usr/lib/qflow/bin
netlist=$1/timing.v unit=$2
mkdir -p "$3"/{source,synthesis,layout,log}
out=$(realpath "$3")
layout=$out/layout/$unit log=$out/log

awk -v unit="$unit" '
  function name(net) { gsub(/[][]/, "_", net); sub(/_$/, "", net); return net ~ /\x27/ ? "constant" : net }
  function port(kind, text, range, i) {
    gsub(/;/, "", text)
    if (match(text, /\[[0-9]+:0\]/)) {
      range = substr(text, RSTART + 1, RLENGTH - 4) + 0
      sub(/.*\] /, "", text)
      for (i = 0; i <= range; i++) ports[kind] = ports[kind] " " name(text "[" i "]")
    } else {
      ports[kind] = ports[kind] " " name($2 ~ /;/ ? substr($2, 1, length($2) - 1) : $2)
    }
  }
  /^input / { port("in", $0); next }
  /^output / { port("out", $0); next }
  /^assign / { sub(/;/, "", $4); gates = gates ".gate BUFX2 A=" name($4) " Y=" name($2) "\n"; next }
  / u[0-9]+ \(/ {
    line = $0
    gates = gates ".gate " $1
    while (match(line, /\.[A-Z]+\([^()]+\)/)) {
      pin = net = substr(line, RSTART + 1, RLENGTH - 2)
      sub(/\(.*/, "", pin)
      sub(/.*\(/, "", net)
      gates = gates " " pin "=" name(net)
      line = substr(line, RSTART + RLENGTH)
    }
    gates = gates "\n"
  }
  END { printf ".model %s\n.inputs constant%s\n.outputs%s\n%s.end\n", unit, ports["in"], ports["out"], gates }
' "$netlist" >"$out/synthesis/$unit.blif"

cat >"$out/qflow_vars.sh" <<END
set projectpath=$out
set techdir=$tech
set sourcedir=$out/source
set synthdir=$out/synthesis
set layoutdir=$out/layout
set techname=osu018
set scriptdir=$scripts
set bindir=$bin
set logdir=$log
END
: >"$out/project_vars.sh"
echo "mapped" >"$log/synth.log"
printf 'set vddnet="vdd"\nset gndnet="gnd"\n' >"$out/synthesis/${unit}_powerground"
cp $tech/osu018.par "$layout.par"
unset DISPLAY

stage() { # name command...
  local name=$1 from=$SECONDS
  shift
  "$@" >"$log/$name.out" 2>&1 || { echo "ERROR: $name failed: $log/$name.out" >&2; exit 1; }
  times="$times$name $((SECONDS - from)) s, "
}
times=
stage place tcsh -f $scripts/placement.sh -d -k "$out" "$unit"
stage route tcsh -f $scripts/router.sh "$out" "$unit"
grep -q '^Final: No failed routes' "$log/route.log" || { echo "ERROR: nets are not routed: $log/route.log" >&2; exit 1; }

awk -v times="$times" -v blif="$out/synthesis/$unit.blif" -v library=$tech/osu018_stdcells.lib '
  BEGIN {
    while ((getline line <library) > 0) {
      if (match(line, /^ *cell *\([^)]*/)) { cell = substr(line, RSTART, RLENGTH); sub(/.*\(/, "", cell) }
      if (line ~ /^ *area *:/) { sub(/.*: */, "", line); area[cell] = line + 0 }
    }
    while ((getline line <blif) > 0) if (split(line, word, " ") > 1 && word[1] == ".gate") { sum += area[word[2]]; cells++ }
  }
  /^DIEAREA/ { block = ($7 - $3) * ($8 - $4) / 1e4 }
  /^NETS/ { on = 1 }
  /^END NETS/ { on = 0 }
  on && /ROUTED|NEW/ {
    first = 1
    line = $0
    while (match(line, /\( *(-?[0-9]+|\*) +(-?[0-9]+|\*) *\)/)) {
      split(substr(line, RSTART + 1, RLENGTH - 2), at, " ")
      x = at[1] == "*" ? last_x : at[1]
      y = at[2] == "*" ? last_y : at[2]
      if (!first) wire += (x > last_x ? x - last_x : last_x - x) + (y > last_y ? y - last_y : last_y - y)
      first = 0
      last_x = x
      last_y = y
      line = substr(line, RSTART + RLENGTH)
    }
    vias += $0 ~ /M[0-9]_M[0-9]/
  }
  END {
    sub(/, $/, "", times)
    printf "%d cells, %.0f um2; placed %.0f um2 (%+.1f %%); wires %.1f mm, %d vias; %s\n", cells, sum, block,
      100 * (block / sum - 1), wire / 1e5, vias, times
  }' "$layout.def"
$bin/rc2dly -r "$layout.rc" -l $tech/osu018_stdcells.lib -d "$out/delays" >"$log/delays.out" 2>&1
clock() { $bin/vesta "$@" "$out/synthesis/$unit.rtlnopwr.v" $tech/osu018_stdcells.lib 2>/dev/null |
  sed -n 's/^Computed maximum clock frequency (zero margin) = //p'; }
echo "clock by vesta $(clock), with wires $(clock -d "$out/delays")"
