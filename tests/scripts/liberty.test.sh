#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A user's own cells: qflow's 0.35 um library in place of the 0.18 um one, macros, constraints, what is
# refused and with which status; with LONG the draw scheduler's area, clock and netlist in lockstep.
set -u
. tests/scripts/lib.sh
lib=/usr/share/qflow/tech/osu035/osu035_stdcells.lib
small=/usr/share/qflow/tech/osu018/osu018_stdcells.lib

n=$(realpath "$n")
t=$(realpath "$t")
# In a tree of its own: other tests make netlists of the same unit.
mkdir "$t/tree"
ln -s "$PWD"/{rtl,csim,dpi,tb,tests,docs} "$t/tree/"
area() { (cd "$t/tree" && "$n" area composition_scheduler --gpus 2 --liberty "$@"); }

# Cells left out of the 0.35 um library, by their names.
without() { # name regular-expression
  awk -v out="^ *cell *[(]($2)[)]" '/^ *cell *\(/ { off = $0 ~ out } !off' "$lib" >"$t/$1.lib"
  # The last cells' end is the library's.
  [ "$(tail -n 1 "$t/$1.lib" | tr -d ' \n')" = "}" ] || echo "}" >>"$t/$1.lib"
}
head -n 3000 "$lib" >"$t/cut.lib"
check "a broken library" refused 2 'cut.lib:11:1: library .osu035_stdcells.: a \{ without an end|cut.lib:[0-9]+:[0-9]+: .*without an end, expected' area "$t/cut.lib"
without no_ff 'DFF[A-Z0-9]*'
check "a library without flip-flops" refused 2 'no_ff.lib: library osu035_stdcells has no flip-flop .ff. .*add one$' \
  area "$t/no_ff.lib"
without no_inverter 'INVX[0-9]'
check "a library without an inverter" refused 2 'no_inverter.lib: .* has no inverter .function !A. .*add one$' \
  area "$t/no_inverter.lib"
without no_gates '(NAND|NOR|AND|OR)2X[0-9]'
check "a library without a gate of two inputs" refused 2 'has no gate of two inputs .*add one$' area "$t/no_gates.lib"
gzip -c "$lib" >"$t/packed.lib"
check "a packed library" refused 2 'packed.lib:?.*(not a text|expected)' area "$t/packed.lib"
check "no such library" refused 2 'none.lib: No such file' area "$t/none.lib"
check "constraints without a library" refused 2 'sdc, --memories: of --liberty' "$n" area composition_scheduler --sdc x
check "budgets of another library" refused 2 'without --check' area "$lib" --check tests/units
check "no such constraints" refused 2 'none.sdc: No such file' area "$lib" --sdc "$t/none.sdc"
printf 'macros:\n  - {name: a, words: 4}\n' >"$t/broken.yaml"
check "a broken table of macros" refused 2 'broken.yaml:2:5: macros: expected width' area "$lib" --memories "$t/broken.yaml"
check "a netlist of a broken library" refused 2 'no_ff.lib: .*has no flip-flop' \
  "$n" unit composition_scheduler --engine gates --liberty "$t/no_ff.lib"
check "a library without a netlist" refused 2 'expected --engine gates too' \
  "$n" unit composition_scheduler --liberty "$lib"
mkdir -p "$t/bin"
for tool in bash sh yosys yosys-abc berkeley-abc; do
  [ -z "$(command -v $tool)" ] || ln -sf "$(command -v $tool)" "$t/bin/"
done
check "no OpenSTA" refused 3 'sta .OpenSTA. is missing; run .make setup' env PATH="$t/bin" "$n" area composition_scheduler

number() { jq "first(.. | objects | .$1 | numbers)" "$2"; }
within() { # value least most
  awk -v v="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(v != "" && v >= a && v <= b) }' ||
    { echo "$1: expected $2 to $3"; return 1; }
}
# The 0.35 um cells are the 0.18 um ones four times as large, and about 1.5 times as slow.
small_unit() {
  area "$lib" --json "$t/small.json" && "$n" area composition_scheduler --gpus 2 --json "$t/osu018.json" &&
    has "$t/small.json" '"name": "osu035_stdcells"' && has "$t/small.json" '"corner": "typical"' &&
    has "$t/small.json" '"voltage_v": 3.3' && has "$t/small.json" '"clock_by": "OpenSTA"' &&
    ! grep -qE '28nm|osu018' "$t/small.json" &&
    [ "$(number flip_flops "$t/small.json")" = "$(number flip_flops "$t/osu018.json")" ] &&
    within "$(awk "BEGIN { print $(number area_um2 "$t/small.json") / $(number area_um2_osu018 "$t/osu018.json") }")" 3.6 4.4 &&
    within "$(awk "BEGIN { print $(number clock_mhz_osu018 "$t/osu018.json") / $(number clock_mhz "$t/small.json") }")" 1.2 2
}
check "area and clock of a small unit at 0.35 um" small_unit
named() {
  area "$lib" --csv "$t/small.csv" >"$t/report.txt" &&
    has "$t/report.txt" '^library osu035_stdcells, corner typical: process 1, 3.3 V, 25 C' &&
    has "$t/report.txt" 'mW internal [0-9.]*[1-9]' &&
    has "$t/small.csv" '^composition_scheduler,NumGpus=2,osu035_stdcells,typical,'
}
check "the report names library and corner" named
# The library's own file named as the user's: the same netlist and clock.
same() {
  "$n" area composition_scheduler --gpus 2 --liberty "$small" --json "$t/own.json" &&
    [ "$(number cells "$t/own.json") $(number area_um2 "$t/own.json") $(number clock_mhz "$t/own.json")" = \
      "$(number cells "$t/osu018.json") $(number area_um2_osu018 "$t/osu018.json") $(number clock_mhz_osu018 "$t/osu018.json")" ]
}
check "the usual library given as one's own" same
printf 'create_clock -name clk -period 2.5 [get_ports clk_i]\nset_output_delay -clock clk 1 [all_outputs]\n' >"$t/slow.sdc"
constrained() {
  area "$lib" --sdc "$t/slow.sdc" --json "$t/sdc.json" && area "$lib" --sdc "$t/slow.sdc" >"$t/sdc.txt" &&
    within "$(number sdc_clock_ns "$t/sdc.json")" 2.5 2.5 && has "$t/sdc.txt" 'clock of 2.500 ns, slack -?[0-9.]+ ns' &&
    within "$(number clock_mhz "$t/sdc.json")" 1 "$(awk "BEGIN { print $(number clock_mhz "$t/small.json") + 0.1 }")"
}
check "constraints by the RTL's ports" constrained
printf 'create_clock -period 4 [get_ports no_such_port]\n' >"$t/wrong.sdc"
check "constraints on a port that is none" refused 2 'OpenSTA: .*no_such_port|wrong.sdc: no clock' area "$lib" --sdc "$t/wrong.sdc"
check "constraints without a clock" refused 2 'none_.sdc: no clock; expected create_clock' \
  sh -c ": >'$t/none_.sdc' && exec '$n' area composition_scheduler --gpus 2 --liberty '$lib' --sdc '$t/none_.sdc'"

# Open kits as they are. IHP's flip-flops all have a reset, its arcs conditions, its wire loads names that begin
# with a digit; GF180MCU writes expressions without quotes; ASAP7 is in several files. The 0.35 um cells get these forms.
reset_only() { # DFFPOSX1 alone is left, with a reset; a latch has a test_cell
  awk '/^ *cell *\(/ { off = /\((DFFNEGX1|DFFSR)\)/; dff = /\(DFFPOSX1\)/ } off { next } { print }
    dff && /clocked_on/ { print "    clear : !RESET_B ;" }
    /^library/ {
      print "  wire_load (\"0_1k\") { capacitance : 0.0001; fanout_length (1, 6.4); resistance : 0.0035; slope : 7.4; }"
      print "  wire_load_selection (\"4_metals\") { wire_load_from_area (0, 1.2e+06, 0_1k); }"
      print "  default_wire_load : \"0_1k\";"
    }
    /^cell \(LATCH/ { print "  test_cell () { ff (IQ, IQN) { next_state : D&!SE ; clear : !RESET_B ; } }" }
    dff && /^cell/ {
      print "  pin (RESET_B) { direction : input; capacitance : 0.01;"
      print "    timing () { related_pin : \"CLK\"; timing_type : recovery_rising; sdf_cond : \"D == 1\047b0\"; when : \"!D\"; rise_constraint (scalar) { values (\"0.1\"); } } }"
    }' "$lib" >"$t/reset.lib"
  grep -q 'D&!SE' "$t/reset.lib"
}
reset_only
check "flip-flops with a reset only, expressions without quotes" area "$t/reset.lib" --json "$t/reset.json"
check "  the reset is tied: as many flip-flops and cells" eval '[ "$(number flip_flops "$t/reset.json") $(number cells "$t/reset.json")" = \
  "$(number flip_flops "$t/small.json") $(number cells "$t/small.json")" ]'
check "  the netlist ties it" grep -q "RESET_B.1.h1" "$t"/tree/build/area/composition_scheduler/*/netlist.v

# The figures of three kits and of that form beside those of Yosys and OpenSTA by hand, of the netlist that was timed.
beside() { # LIBRARY, and as OpenSTA and Yosys read it
  local timed got
  rm -f "$t"/tree/build/area/composition_scheduler/*/timing.v
  area "$1" --json "$t/kit.json" >/dev/null || return
  timed=$(ls "$t"/tree/build/area/composition_scheduler/*/timing.v)
  printf '%s\n' "read_liberty $2" "read_verilog $timed" 'link_design composition_scheduler' \
    'create_clock -name c -period 100 [get_ports clk_i]' 'set_input_delay 0 -clock c [all_inputs]' \
    'set_output_delay 0 -clock c [all_outputs]' 'puts "by hand [expr 1000 / (100 - [worst_slack])]"' >"$t/hand.tcl"
  got=$(sta -exit "$t/hand.tcl" 2>&1 | sed -n 's/^by hand //p')
  within "$(number clock_mhz "$t/kit.json")" "$(awk "BEGIN { print $got - 0.1 }")" "$(awk "BEGIN { print $got + 0.1 }")" &&
    yosys -q -p "read_verilog $timed; tee -o $t/hand.log stat -liberty $2" &&
    has "$t/hand.log" "Number of cells: +$(number cells "$t/kit.json")$" &&
    has "$t/hand.log" "Chip area for module .*: $(number area_um2 "$t/kit.json")\.0"
}
check "osu035 by hand" beside "$lib" "$lib"
check "osu018 by hand" beside "$small" "$small"
older=/usr/share/qflow/tech/osu050/osu05_stdcells.lib
if [ -s "$older" ]; then check "osu050 by hand" beside "$older" "$older"; else good "osu050 by hand: SKIPPED, it is missing (make setup)"; fi
sed -E 's/ : (D&!SE|!RESET_B) ;/ : "\1";/g' "$t/reset.lib" >"$t/quoted.lib"
check "the made form by hand" beside "$t/reset.lib" "$t/quoted.lib"

without part1 '[ACEG-Z].*|BUF.*|FAX1'
without part2 '[AD-HJ-Z].*'
without part3 '(DFF|LATCH|INV|BUF|CLKBUF).*'
whole() {
  "$n" area composition_scheduler --gpus 2 --liberty "$t/part1.lib" --liberty "$t/part2.lib" --liberty "$t/part3.lib" --json "$t/parts.json" &&
    [ "$(grep -c '^ *cell *(' "$t/part1.lib")" -lt "$(grep -c '^ *cell *(' "$lib")" ] &&
    [ "$(number cells "$t/parts.json") $(number area_um2 "$t/parts.json") $(number clock_mhz "$t/parts.json")" = \
      "$(number cells "$t/small.json") $(number area_um2 "$t/small.json") $(number clock_mhz "$t/small.json")" ]
}
check "a kit of three files: as the library of one" whole
check "a part of it alone" refused 2 'part1.lib: .* has no inverter' area "$t/part1.lib"
check "a cell in two files" refused 2 'part1.lib:[0-9]+:1: cell .*: comes twice' area "$t/part1.lib" --liberty "$t/part1.lib"
sed 's/nom_voltage : 3.3/nom_voltage : 3.0/' "$t/part2.lib" >"$t/slow.lib"
check "files of two corners" refused 2 'slow.lib:[0-9]+:[0-9]+: nom_voltage is 3.0, but .*part1.lib has 3.3' \
  area "$t/part1.lib" --liberty "$t/slow.lib"
sed 's/^  ff (DS0000/  odd : a$b;\n&/' "$lib" >"$t/odd.lib"
check "a line that Yosys cannot read" refused 2 'odd.lib:[0-9]+: Yosys cannot read this line' area "$t/odd.lib"
check "  what failed is kept once" eval '! area "$t/odd.lib" && [ "$(ls -d "$t"/tree/build/area/composition_scheduler/*.failed | wc -l)" -eq 1 ] &&
  ! ls -d "$t"/tree/build/area/composition_scheduler/*.[0-9]*'

[ -n "${LONG:-}" ] || exit 0

check "cell models of 0.35 um proven" env NOCTURNE_LIBERTY="$lib" rtl/synth/prove_cells.sh "$t/prove"
draw() {
  "$n" area draw_scheduler --liberty "$lib" --json "$t/draw.json" &&
    [ "$(number flip_flops "$t/draw.json")" = 2066 ] && within "$(number area_um2 "$t/draw.json")" 3.2e6 4.0e6 &&
    within "$(number clock_mhz "$t/draw.json")" 90 180
}
check "draw scheduler at 0.35 um" draw
check "its netlist in lockstep" "$n" unit draw_scheduler --engine gates --liberty "$lib" --busy --cycles 20000
reset_netlist() {
  # (Yosys reads it here without what nocturne does for it.)
  sed 's/: !RESET_B ;/: "!RESET_B" ;/; s/D&!SE/"D\&!SE"/' "$t/reset.lib" >"$t/quoted.lib"
  NOCTURNE_LIBERTY="$t/quoted.lib" rtl/synth/prove_cells.sh "$t/prove_reset" &&
    "$n" unit composition_scheduler --gpus 2 --engine gates --liberty "$t/reset.lib" --set paper --cycles 5000
}
check "flip-flops with a reset: models proven, a netlist in lockstep" reset_netlist
# Two cells of each function at least are left: the rest is what abc cannot do without.
without few '(A|O)[A-Z]*[0-9]+X[0-9]|X[N]?OR2X[0-9]|MUX2X1|[FH]AX1|N[A-Z]*3X1|NOR2X1'
few() {
  area "$t/few.lib" --json "$t/few.json" &&
    [ "$(number cells "$t/few.json")" -gt "$(number cells "$t/small.json")" ] &&
    "$n" unit composition_scheduler --gpus 2 --engine gates --liberty "$t/few.lib" --set paper --cycles 5000
}
check "a library of an inverter, a buffer, a NAND and a flip-flop" few
# Two cells with each other's function: netlists and what stands for their cells follow the file.
swapped() {
  sed 's/function : "(!(A B))"/function : "(!(A+B+))"/; s/function : "(!(A+B))"/function : "(!(A B))"/; s/A+B+/A+B/' \
    "$lib" >"$t/swapped.lib"
  ! cmp -s "$lib" "$t/swapped.lib" &&
    "$n" unit composition_scheduler --gpus 2 --engine gates --liberty "$t/swapped.lib" --set paper --cycles 5000
}
check "cells' functions are the library's" swapped
cat >"$t/macros.yaml" <<'END'
macros:
  - {name: through, words: 64, width: 16, reads: 2, writes: 2, clocked: no, area_um2: 90000, access_ns: 3.1}
END
# The unit reads within the cycle: the access time is in its paths.
macros() {
  "$n" area parent_texel_buffer --liberty "$lib" --json "$t/model.json" &&
    "$n" area parent_texel_buffer --liberty "$lib" --memories "$t/macros.yaml" --json "$t/macros.json" &&
    has "$t/macros.json" '"macro": "through"' &&
    awk "BEGIN { exit !($(number clock_mhz "$t/macros.json") < $(number clock_mhz "$t/model.json")) }"
}
check "macros and their access time" macros
recorded() {
  "$n" unit composition_scheduler --engine golden --busy --set paper --cycles 400 --record "$t/rec" &&
    "$n" area composition_scheduler --activity "$t/rec/composition_scheduler-0.vec" --liberty "$lib" >"$t/energy.txt" &&
    has "$t/energy.txt" '400 recorded cycles' && has "$t/energy.txt" 'pJ a cycle: nets [1-9]'
}
check "energy of recorded vectors" recorded
