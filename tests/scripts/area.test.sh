#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the hardware costs: the papers' fields bit by bit, the budgets, and what must exceed them.
# The composition scheduler, which synthesizes in seconds; with MORE the draw scheduler of 2 GPUs, FPGAs, the schematics
# of all units and what else synthesizes more than once; with LONG larger units.
set -u
. tests/scripts/lib.sh
n=$(realpath "$n")
t=$(realpath "$t")
# A tree of its own for changed RTL, in a folder with blanks in its name.
tree() { # name: prints the folder
  mkdir -p "$t/$1"
  cp -r rtl "$t/$1/"
  ln -s "$PWD"/{csim,dpi,tb,tests,docs} "$t/$1/"
  echo "$t/$1"
}

# A register of 64 bits that the composition scheduler does not need.
planted=$(tree "a planted tree")
sed -i 's/^endmodule$/logic [63:0] planted_q;\n  always_ff @(posedge clk_i) planted_q <= planted_q + 64'"'"'d1;\nendmodule/
  s/assign error_o  *= error_q;/assign error_o = error_q | {3{planted_q == 64'"'"'d7}};/' \
  "$planted/rtl/chopin/composition_scheduler.sv"
(cd "$planted" && "$n" area composition_scheduler --check tests/units) >"$t/planted.txt" 2>&1 &
planted_job=$!

units="${LONG:+draw_scheduler parent_texel_buffer }composition_scheduler"
check "area" "$n" area $units --json "$t/first.json"
[ -z "$MORE" ] || check "area of the draw scheduler" "$n" area draw_scheduler --gpus ${LONG:+8,}2 --json "$t/draw.json"
# The papers: GPUs x 2 x 64 bits; 8 x (8 + 3 + 8 + 8). Ours of the paper's buffer: 16 rows of 16 values and a count.
fields() { # unit bytes file
  jq ".units[] | select(.name == \"$1\") | .storage_bytes" "$t/${3:-first.json}" | grep -qx "$2"
}
[ -z "$MORE" ] || check "draw scheduler 32 bytes" fields draw_scheduler 32 draw.json
[ -z "${LONG:-}" ] || check "draw scheduler 128 bytes" fields draw_scheduler 128 draw.json
check "composition scheduler 27 bytes" fields composition_scheduler 27
[ -z "${LONG:-}" ] || check "parent texel buffer 1040 bytes" fields parent_texel_buffer 1040
# Registers that synthesis keeps are those of the elaborated RTL.
whole() {
  has "$t/draw.json" "\"storage_bits_all\": $1" && has "$t/draw.json" "\"flip_flops\": $1"
}
[ -z "$MORE" ] || check "every bit named" whole 850
[ -z "${LONG:-}" ] || check "every bit of 8 GPUs named" whole 2066
check "longest path by its registers" has "$t/first.json" '"from": "u_messages.transparent_i\['
check "and where it ends" has "$t/first.json" '"to": "start_front_o"'
# Into the parent texel buffer: to the beats left of a row.
[ -z "${LONG:-}" ] || check "a path from a port" has "$t/first.json" '"to": "left\['
again() { "$n" area $units --check tests/units --json "$t/second.json" && cmp "$t/first.json" "$t/second.json"; }
check "same figures again, within the budget" again
# Comments, and files that the unit does not need, change nothing.
commented=$(tree "a tree with comments")
sed -i '1i // A comment.\n// Another.' "$commented"/rtl/chopin/{composition_scheduler,tile_map}.sv
same() {
  "$n" area composition_scheduler --json "$t/here.json" &&
    (cd "$commented" && "$n" area composition_scheduler --json "$t/there.json") &&
    cmp "$t/here.json" "$t/there.json"
}
[ -z "$MORE" ] || check "same figures with comments" same
# The netlist as an engine there, too.
netlist() {
  mkdir -p "$commented/build" && ln -sf "$PWD/build/unit" "$commented/build/" && share_units "$commented/build/units" &&
    (cd "$commented" && "$n" unit composition_scheduler --gpus 2 --engine gates --set paper --cycles 100)
}
[ -z "$MORE" ] || check "a netlist in a folder with blanks" netlist
# A netlist of its own: more cells, a lower clock.
number() { sed -n "s/^ *\"$1\": \([0-9.]*\),\{0,1\}\$/\1/p" "$2"; }
without_search() {
  "$n" area composition_scheduler --json "$t/with.json" &&
    "$n" area composition_scheduler --no-search --json "$t/without.json" &&
    [ "$(number cells "$t/without.json")" -gt "$(number cells "$t/with.json")" ] &&
    [ "$(number clock_mhz_28nm "$t/without.json" | cut -d. -f1)" -lt \
      "$(number clock_mhz_28nm "$t/with.json" | cut -d. -f1)" ]
}
[ -z "$MORE" ] || check "without abc's search" without_search

check "unknown unit" refused 2 'rasteriser: no such unit; expected one of' "$n" area rasteriser
check "no GPU" refused 2 'expected numbers of 2 to 64' "$n" area draw_scheduler --gpus 8,65
check "an empty number of GPUs" refused 2 'expected numbers of 2 to 64' "$n" area draw_scheduler --gpus 8,
check "no unit of GPUs" refused 2 'parent_texel_buffer has no NumGpus' "$n" area parent_texel_buffer --gpus 8
check "impossible parameter" refused 2 'CountWidth=9, expected 10 to 64' "$n" area draw_scheduler --set CountWidth=9
check "unknown parameter" refused 2 'Width=9: draw_scheduler has no such parameter' \
  "$n" area draw_scheduler --set Width=9
check "no library" refused 3 'osu018.lib (is|are) missing' env OSU018=/none/osu018.lib "$n" area $units
mkdir -p "$t/bin"
ln -sf "$(command -v bash)" "$(command -v sh)" "$t/bin/"
check "no yosys" refused 3 'yosys, yosys-abc, sta .OpenSTA. are missing; ' env PATH="$t/bin" "$n" area $units
gates() { "$@" "$n" unit parent_texel_buffer --engine gates --cycles 1; }
check "no library for a netlist" refused 3 'cell library .OSU018. is missing' gates env OSU018=/none/osu018.lib
mkdir -p "$t"/{broken,fast}/composition_scheduler
printf 'budget: {paper_bits: [1, 2]}\n' >"$t/broken/composition_scheduler/unit.yaml"
check "broken budget" refused 2 'broken/composition_scheduler/unit.yaml:1:[0-9]+: paper_bits' \
  "$n" area composition_scheduler --check "$t/broken"

# A clock that no synthesis reaches.
sed 's/clock_mhz_osu018: .*/clock_mhz_osu018: [9999, 9998]/' tests/units/composition_scheduler/unit.yaml \
  >"$t/fast/composition_scheduler/unit.yaml"
slow() {
  ! "$n" area composition_scheduler --check "$t/fast" >"$t/slow.txt" &&
    has "$t/slow.txt" 'clock_mhz_osu018 .*EXCEEDED' && has "$t/slow.txt" 'longest path from u_messages.transparent_i.* to start_front_o'
}
check "a clock missed, and by which path" slow

wait $planted_job
planted_status=$?
caught() {
  [ $planted_status -eq 1 ] && has "$t/planted.txt" 'storage_bits .*before +283 +after +347 .*EXCEEDED'
}
check "planted register caught" caught

late() (cd "$commented" && FPGA_SECONDS=1 exec "$n" area composition_scheduler --fpga)
[ -z "$MORE" ] || check "FPGA beyond its time" refused 1 'synth_ice40: ended after 1 CPU seconds' late
# FPGA: the registers are as many there, where nothing is a memory.
fpga() {
  "$n" area composition_scheduler --gpus 2 --fpga --csv "$t/fpga.csv" &&
    tail -n 1 "$t/fpga.csv" | awk -F, '{ exit !($16 > 0 && $19 > 0 && $7 > 0 && $17 == $7 && $20 == $7) }'
}
[ -z "$MORE" ] || check "iCE40 and Xilinx 7" fpga

# The sweep: a row for each value, and the plots.
swept() {
  WIDTHS="parent_texel_buffer Slots 2 4" tb/area/area_sweep.sh "$n" "$t/sweep" 2 &&
    [ "$(grep -cE '^(draw|composition)_scheduler,NumGpus=2,2,' "$t/sweep/area.csv")" -eq 2 ] &&
    has "$t/sweep/widths.csv" '^Slots,2,parent_texel_buffer,Slots=2,' &&
    has "$t/sweep/widths.csv" '^Slots,4,parent_texel_buffer,Slots=4,' &&
    has "$t/sweep/width/parent_texel_buffer-Slots.json" '"Slots": 4' &&
    has "$t/sweep/area.svg" '</svg>' && has "$t/sweep/widths.svg" '>parent_texel_buffer<'
}
[ -z "${LONG:-}" ] || check "sweep" swept

# Lists: each value with each, in their order.
lists() {
  "$n" area composition_scheduler --set NumGpus=2,3 --set LowestFirst=0,1 --csv "$t/lists.csv" &&
    [ "$(tail -n +2 "$t/lists.csv" | cut -d, -f2 | paste -sd,)" = \
      "NumGpus=2 LowestFirst=0,NumGpus=2 LowestFirst=1,NumGpus=3 LowestFirst=0,NumGpus=3 LowestFirst=1" ]
}
[ -z "$MORE" ] || check "lists of parameters" lists
check "a list's empty value" refused 2 'Slots=: expected NAME=NUMBER' \
  "$n" area parent_texel_buffer --set Slots=2,

# A schematic of each unit, here of two: its blocks, and what data goes where.
mkdir -p "$t/dot"
drawn() {
  local some="draw_scheduler offload_unit"
  [ -z "$MORE" ] || some=$(cd csim/units && ls)
  # shellcheck disable=SC2086
  "$n" area --schematic "$t/dot" $some &&
    [ "$(ls "$t/dot" | wc -l)" -eq "$(wc -w <<<"$some")" ] &&
    has "$t/dot/draw_scheduler.dot" 'label="scheduled_q.n512 bits"' &&
    { [ -z "$MORE" ] || has "$t/dot/atfim.dot" 'label="u_generator.ntexel_generator"'; } &&
    has "$t/dot/offload_unit.dot" 'u_requests.nmemory_1r1w, 16 times' &&
    ! grep -L -e '->' "$t"/dot/*.dot | grep -q .
}
check "schematics" drawn
# Every register, memory and instance has a way in and a way out, every edge two blocks; graphviz ends
# edges between blocks where it concentrates them.
connected() { # graph...
  ! grep -l concentrate "$@" && ! awk '
    /^  b[0-9]+ \[/ { block[FILENAME $1]; if (!/shape=cds/) part[FILENAME $1] = $0 }
    /^  b[0-9]+ -> / { sub(/;/, "", $3); out[FILENAME $1]; into[FILENAME $3] }
    END {
      for (b in out) if (!(b in block)) print b ": an edge from no block"
      for (b in into) if (!(b in block)) print b ": an edge to no block"
      for (b in part) if (!(b in into) || !(b in out)) print b ": " part[b]
    }' "$@" | grep .
}
check "every block has edges, every edge blocks" connected "$t"/dot/*.dot

# Energy: the netlist runs recorded vectors and answers as recorded (busy: without peeks, which it
# has not). tests/programs/test_energy.c has the sums.
energy() { # unit
  "$n" unit "$1" --engine golden --busy --cycles 400 --record "$t/rec" &&
    "$n" area "$1" --activity "$t/rec/$1-0.vec" --json "$t/energy_$1.json" &&
    has "$t/energy_$1.json" '"cycles": [1-9]' && has "$t/energy_$1.json" '"toggles": [1-9]'
}
check "energy of the composition scheduler" energy composition_scheduler
[ -z "${LONG:-}" ] || check "energy of the parent texel buffer" energy parent_texel_buffer
[ -z "${LONG:-}" ] || check "accesses of its memories" has "$t/energy_parent_texel_buffer.json" '"memory_read_bits": [1-9]'
# The highest nibble of the answers, of one step.
awk 'NR == 100 { $0 = substr($0, 1, 1) (substr($0, 2, 1) == "f" ? "0" : "f") substr($0, 3) } 1' \
  "$t/rec/composition_scheduler-0.vec" >"$t/other.vec"
check "other answer" refused 1 'other.vec:100:1: the netlist answers otherwise' \
  "$n" area --activity "$t/other.vec"
check "vectors of another unit" refused 2 'vectors of composition_scheduler, not of parent_texel_buffer' \
  "$n" area parent_texel_buffer --activity "$t/other.vec"
echo nothing >"$t/nothing.vec"
check "no vectors" refused 2 'nothing.vec:1:1: expected a unit' "$n" area --activity "$t/nothing.vec"
