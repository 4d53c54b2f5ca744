#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The netlist as an engine: the models of the cells proven, the smallest units' netlists in lockstep
# with golden, and netlists that were changed, which must fail. With MORE the parent texel buffer, too, and more
# seeds; `make gates` runs all units.
set -u
. tests/scripts/lib.sh
n=$(realpath "$n")
t=$(realpath "$t")

check "cell models proven" rtl/synth/prove_cells.sh "$t/prove"
sed 's/Y = (~((A | B) & C))/Y = (~((A \& B) | C))/' "$t/prove/cells.v" >"$t/wrong.v"
wrong() { ! rtl/synth/prove_cells.sh "$t/prove" "$t/wrong.v" && has "$t/prove/prove.log" OAI21X1; }
check "wrong cell model refused" wrong

regress() { # filter...
  for filter in "$@"; do
    "$n" regress tests/lists/gates.yaml --filter "$filter" --no-cache -j 2 --folder "$t/regress" || return
  done
}
# The programs take the netlists of many parameter sets.
# The composition scheduler of 3 GPUs, as in its diagrams; with LONG that of 8.
G=${LONG:+8}
G=${G:-3}
check "composition scheduler: diagrams" regress 'composition_scheduler_*'
seeds=5
[ -z "$MORE" ] || seeds=20
check "composition scheduler: $seeds seeds" "$n" unit composition_scheduler --gpus $G --engine gates --set paper \
  --cycles 2000 --seeds $seeds
[ -z "$MORE" ] || check "parent texel buffer: 20 seeds" regress 'parent_texel_buffer-gates' 'parent_texel_buffer-seeds-gates'
if [ -n "${LONG:-}" ]; then
  check "composition scheduler: program" regress 'composition_scheduler-program*'
  check "parent texel buffer: program" regress 'parent_texel_buffer-program*'
fi

# The functions in place of the cells are those of the models.
synth=build/units/composition_scheduler/NumGpus=$G-LowestFirst=0/gates/synth
equal() { # netlist with functions
  yosys -q -p "read_verilog $synth/cells.v $synth/gates.v; hierarchy -top composition_scheduler
    proc; flatten; opt_clean; design -stash cells
    read_verilog $1; hierarchy -top composition_scheduler; proc; opt_clean; design -stash functions
    design -copy-from cells -as cells composition_scheduler
    design -copy-from functions -as functions composition_scheduler
    equiv_make cells functions both; hierarchy -top both; equiv_simple; equiv_induct
    equiv_status -assert"
}
check "functions equal the cells" equal $synth/functions.v
sed '0,/ ^ /s/ ^ / | /' $synth/functions.v >"$t/functions.v"
unequal() { ! equal "$t/functions.v" && has "$t/log" 'Unproven|unproven'; }
check "a wrong function refused" unequal
unknown() {
  printf 'module m (y);\n  output y;\n  NAND4X1 _1_ (\n    .Y(y)\n  );\nendmodule\n' >"$t/unknown.v"
  ! awk -f rtl/synth/inline_cells.awk "$t/prove/cells.v" "$t/unknown.v" >"$t/unknown.out" 2>&1 &&
    has "$t/unknown.out" 'unknown.v:3: NAND4X1: no model of this cell'
}
check "a cell without a model refused" unknown

# A netlist in which one line was changed, in a tree of its own.
changed() { # name unit parameters sed-expression
  local tree=$t/$1 netlist
  netlist=$(cd build && ls -dt units/$2/$3*/gates | head -n 1)
  mkdir -p "$tree/build/$(dirname "$netlist")"
  ln -s "$PWD"/{rtl,csim,dpi,tb,tests,docs} "$tree/"
  ln -s "$PWD/build/unit" "$tree/build/"
  cp -rp "build/$netlist" "$tree/build/$netlist"
  share_units "$tree/build/units"
  sed -i "$4" "$tree/build/$netlist/synth/gates.v"
  ! cmp -s "build/$netlist/synth/gates.v" "$tree/build/$netlist/synth/gates.v" || return 1
  (cd "$tree" && NOCTURNE_NO_WAVES=1 "$n" unit "$2" --gpus $G --engine gates --set paper --cycles 2000) >"$tree.txt" 2>&1
  [ $? -eq 1 ] && has "$tree.txt" "^MISMATCH: $2 0, cycle [0-9]+ .*: golden and netlist differ" &&
    has "$tree.txt" '^  signal .*: expected 0x' && has "$tree.txt" '^  seed 1, engine gates$' &&
    has "$tree.txt" "the same cycles in the RTL, with waves: .*--engine lockstep --waves"
}
waves() {
  eval "$(sed -n 's/^  the same cycles in the RTL, with waves: //p' "$t/gate.txt" |
    sed "s|build/waves|$t|")" && test -s "$t/composition_scheduler-0.fst"
}
scheduler="composition_scheduler NumGpus=$G-LowestFirst=0"
parents="parent_texel_buffer Slots=16"
check "composition scheduler with a gate changed" changed gate $scheduler '0,/^  XOR2X1 /s//  XNOR2X1 /'
check "the RTL's waves beside it" waves
[ -z "$MORE" ] || check "parent texel buffer with a gate changed" changed parents $parents '0,/^  XOR2X1 /s//  XNOR2X1 /'
# The reset reaches the flip-flops through buffers: one that stays high leaves random values.
check "composition scheduler with a reset cut" changed reset $scheduler "0,/(rst_ni)/s//(1'h1)/"
