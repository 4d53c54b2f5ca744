#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The RTL through all three tools, for several parameters, without a warning. In Yosys a set or two of each unit
# besides the default; with LONG all, and 64 GPUs in Verilator.
set -u
. tests/lib.sh
silent() { # name command...: neither an error nor a warning
  local name=$1 log
  shift
  log=$("$@" 2>&1 | grep -vE 'sorry: constant selects|Replacing memory')
  if [ -n "$log" ]; then
    bad "$name" "$(echo "$log" | head -n 6)"
  else
    good "$name"
  fi
}
declare -A sets  # of each unit, the parameter sets that Yosys reads below, each with a |
inc="-Irtl/chopin -Irtl/common"
for n in 2 3 6 8 12 64; do
  for w in 10 64; do
    silent "verilator draw_scheduler $n $w" verilator --lint-only -Wall $inc -GNumGpus=$n \
      -GCountWidth=$w rtl/chopin/draw_scheduler.sv
  done
  silent "verilator draw_scheduler $n extended" verilator --lint-only -Wall $inc -GNumGpus=$n \
    -GOpaqueAhead=8 "-GByAll=1'b1" "-GWeights=1'b1" rtl/chopin/draw_scheduler.sv
  # (Those of 64 take as long as all others.)
  [ $n -eq 64 ] && [ -z "${LONG:-}" ] || silent "verilator composition_scheduler $n" verilator --lint-only -Wall $inc -GNumGpus=$n \
    rtl/chopin/composition_scheduler.sv
  [ $n -eq 64 ] && [ -z "${LONG:-}" ] || silent "verilator lookahead_scheduler $n" verilator --lint-only -Wall $inc -GNumGpus=$n \
    rtl/chopin/lookahead_scheduler.sv
  silent "verilator pixel_distributor $n" verilator --lint-only -Wall $inc -GNumGpus=$n \
    rtl/chopin/pixel_distributor.sv
done
for p in "ByAll=1'b1" "Weights=1'b1" "OpaqueAhead=3 -GCredits=3" "OpaqueAhead=1 -GCredits=1023"; do
  silent "verilator draw_scheduler $p" verilator --lint-only -Wall $inc -G$p rtl/chopin/draw_scheduler.sv
done
silent "icarus draw_scheduler extended" iverilog -g2012 -tnull -Wno-timescale -y rtl/common -y rtl/chopin -Y.sv \
  $inc -Pdraw_scheduler.OpaqueAhead=8 -Pdraw_scheduler.ByAll=1 -Pdraw_scheduler.Weights=1 rtl/chopin/draw_scheduler.sv
sets[draw_scheduler]="-set OpaqueAhead 8 -set ByAll 1 -set Weights 1|"
for b in 16 32 128 256; do
  for c in 0 1; do
    silent "verilator pixel_distributor beats $b cells $c" verilator --lint-only -Wall $inc \
      -GBeatBytes=$b -GCellMode=$c rtl/chopin/pixel_distributor.sv
  done
done
for u in draw_scheduler composition_scheduler lookahead_scheduler pixel_distributor; do
  for n in 3 8 64; do
    silent "icarus $u $n" iverilog -g2012 -tnull -Wno-timescale -y rtl/common -y rtl/chopin -Y.sv \
      $inc -P$u.NumGpus=$n rtl/chopin/$u.sv
  done
  sets[$u]+="-set NumGpus 6|-set NumGpus 8|"
done

# A unit of rtl/atfim with parameters, as NAME=VALUE, of the types int and bit.
atfim() { # unit parameters
  local unit=$1 p lint="" icarus="" set=""
  for p in $2; do
    case $p in
      Exact=* | Merge=* | Observe=*) lint+=" -G${p%=*}=1'b${p#*=}" ;;
      *) lint+=" -G$p" ;;
    esac
    icarus+=" -P$unit.$p"
    set+=" -set ${p%=*} ${p#*=}"
  done
  silent "verilator $1 $2" verilator --lint-only -Wall -Irtl/atfim -Irtl/common $lint \
    "rtl/atfim/$unit.sv"
  silent "icarus $1 $2" iverilog -g2012 -tnull -Wno-timescale -Irtl/common -y rtl/common -y rtl/atfim -Y.sv \
    $icarus "rtl/atfim/$unit.sv"
  sets[$unit]+="$set|"
}
for p in "" "Entries=16 Exact=0" "Entries=64 Exact=1" "Observe=0"; do
  atfim parent_texel_buffer "$p"
done
for p in "" "LineBytes=16 Exact=0 Requests=2" "LineBytes=32 Exact=1 Requests=256" \
  "LineBytes=64 Exact=0 Requests=16" "CountWidth=10" "Observe=0"; do
  atfim combination_unit "$p"
done
for p in "" "Descriptors=2 Entries=64 LineBytes=32" "Descriptors=16 Entries=16 LineBytes=16 CountWidth=10" \
  "Descriptors=16 Observe=0"; do
  atfim texel_generator "$p"
done
for p in "" "Descriptors=2 Slots=64" "Descriptors=16 Slots=2 CountWidth=10" "Descriptors=16 Observe=0"; do
  atfim line_generator "$p"
done
for p in "" "Slots=2" "Slots=64" "Slots=4 Observe=0"; do
  atfim line_buffer "$p"
done
for p in "" "Slots=2 CountWidth=10" "Slots=64" "Slots=4 Observe=0"; do
  atfim line_combination "$p"
done
# Yosys takes minutes for that many descriptors.
silent "verilator texel_generator Descriptors=65536" verilator --lint-only -Wall -Irtl/atfim \
  -Irtl/common -GDescriptors=65536 rtl/atfim/texel_generator.sv
for p in "" "Entries=16 SetBits=1 Ways=1 LineBytes=16" "Entries=32 SetBits=2 Ways=2 LineBytes=32" \
  "Entries=64 LineBytes=32 Merge=0" "Entries=16 SetBits=6 Ways=4 LineBytes=16 Merge=0 CountWidth=10" "Observe=0"; do
  atfim child_consolidation "$p"
done
for p in "" "Entries=16 SetBits=1 Ways=1" "Entries=32 SetBits=2 Ways=2" "Entries=64 Merge=0" \
  "Entries=16 SetBits=6 Ways=4 Merge=0 CountWidth=10" "Observe=0"; do
  atfim line_consolidation "$p"
done
for p in "" "Descriptors=16 Slots=2 Entries=16 SetBits=2 Ways=1" "Descriptors=16 Slots=64 Merge=0 CountWidth=10" \
  "Descriptors=16 Observe=0"; do
  atfim line_atfim "$p"
done
for p in "" "Descriptors=16 ParentEntries=16 RunEntries=16 SetBits=2 Ways=1 LineBytes=16 Requests=2" \
  "Merge=0 LineBytes=32 Exact=0 Requests=256 CountWidth=10" "Observe=0"; do
  atfim atfim "$p"
done
for p in "" "NumTextureUnits=1 Slots=1" "NumTextureUnits=5 Slots=4 CountWidth=10" \
  "NumTextureUnits=64 Slots=32" "Observe=0"; do
  atfim offload_unit "$p"
done
for p in "" "NumTextureUnits=1 Slots=1 PackageFlits=2" "NumTextureUnits=5 Slots=4 CountWidth=10" \
  "NumTextureUnits=64 Slots=32" "Observe=0"; do
  atfim line_offload "$p"
done

# Each unit from the files that it is said to need, and no other. Yosys reads them once for
# its parameter sets. No path goes from an input pin to an output pin but quiescent_o.
for u in $units; do
  files=$(rtl/synth/files.sh $u | grep '\.sv$')
  inc="-I$(dirname "$(echo rtl/*/$u.sv)") -Irtl/common"
  # shellcheck disable=SC2086
  silent "verilator $u alone" verilator --lint-only -Wall $inc --top-module $u $files
  # shellcheck disable=SC2086
  silent "icarus $u alone" iverilog -g2012 -tnull -Wno-timescale $inc -s $u $files
  script="read_verilog -sv $inc ${files//$'\n'/ }; design -save rtl; hierarchy -check -top $u; proc; check -assert; \
    flatten; opt_expr; opt_clean; select -assert-none o:* o:quiescent_o %d %ci*:-\$dff i:* %i"
  IFS='|' read -ra list <<<"${sets[$u]:-}"
  [ -n "${LONG:-}" ] || list=("${list[@]:0:2}")
  for set in "${list[@]}"; do
    [ -z "${set// /}" ] || script+="; design -load rtl; chparam $set $u; hierarchy -check -top $u; proc; check -assert"
  done
  silent "yosys $u, ${#list[@]} parameter sets; outputs depend on state" yosys -q -p "$script"
done

# The RTL against the unit's page: ports, widths, parameters, defaults, error codes.
xml=$t/xml
mkdir -p "$xml"
held() { # name unit file parameters as NAME=VALUE
  local p folder g=()
  folder=$(basename "$(dirname rtl/*/"$2".sv)")
  for p in $4; do g+=("-G$p"); done
  verilator --xml-only --xml-output "$xml/$1.xml" --Mdir "$xml" -Wno-fatal -Wno-lint "-Irtl/$folder" -Irtl/common \
    "${g[@]}" --top-module "$2" "$3" >"$xml/$1.log" 2>&1 || return 3
  # shellcheck disable=SC2086
  "$build/page_lint" "csim/unit/$2.yaml" "$xml/$1.xml" $4 >"$xml/$1.log" 2>&1
}
while read -r unit params; do
  if held "$unit" "$unit" "$(echo rtl/*/"$unit".sv)" "$params"; then
    good "page of $unit${params:+ $params}"
  else
    bad "page of $unit${params:+ $params}" "" "$xml/$unit.log"
  fi
done <<'LIST'
draw_scheduler
draw_scheduler NumGpus=2 CountWidth=10 Credits=1
draw_scheduler NumGpus=33 CountWidth=64 Credits=1023 TieLowest=1
draw_scheduler OpaqueAhead=8 ByAll=1 Weights=1
draw_scheduler NumGpus=6 CountWidth=16 Credits=1023 OpaqueAhead=1023 Weights=1
composition_scheduler
composition_scheduler NumGpus=2
composition_scheduler NumGpus=33 LowestFirst=1
lookahead_scheduler
lookahead_scheduler NumGpus=2 MaxDepth=1
lookahead_scheduler NumGpus=33 MaxDepth=3
pixel_distributor
pixel_distributor NumGpus=2 TileLog2=4 CellMode=0 BeatBytes=16 MaxWidth=65 MaxHeight=8192
pixel_distributor NumGpus=33 TileLog2=5 BeatBytes=256 MaxWidth=1000 MaxHeight=700 SendDepth=4 ReceiveDepth=1024
offload_unit
offload_unit NumTextureUnits=1 Slots=1 CountWidth=10
offload_unit NumTextureUnits=63 Slots=32
line_offload
line_offload NumTextureUnits=1 Slots=1 PackageFlits=2 CountWidth=10
line_offload NumTextureUnits=63 Slots=32
texel_generator
texel_generator Descriptors=2 Entries=16 LineBytes=16 CountWidth=10
line_generator
line_generator Descriptors=2 Slots=64 CountWidth=10
line_buffer
line_buffer Slots=64
line_combination
line_combination Slots=2 CountWidth=10
child_consolidation
child_consolidation Entries=16 SetBits=1 Ways=1 LineBytes=16 CountWidth=10
line_consolidation
line_consolidation Entries=16 SetBits=1 Ways=1 CountWidth=10
line_atfim
line_atfim Descriptors=2 Slots=64 Entries=16 SetBits=1 Ways=1 CountWidth=10
parent_texel_buffer
parent_texel_buffer Entries=16 Exact=0
combination_unit
combination_unit LineBytes=16 Requests=2 CountWidth=10
combination_unit LineBytes=32
atfim
atfim Descriptors=2 ParentEntries=16 RunEntries=16 LineBytes=16 Requests=2 CountWidth=10
LIST

# Each kind of difference is named.
while IFS='|' read -r name unit change expected; do
  rtl=$(echo rtl/*/"$unit".sv)
  sed "$change" "$rtl" >"$xml/$unit.sv"
  if cmp -s "$rtl" "$xml/$unit.sv"; then
    bad "page: $name" "the change no longer applies"
  elif held "$name" "$unit" "$xml/$unit.sv" "" || [ $? -ne 1 ] ||
    ! grep -qxF "csim/unit/$unit.yaml:$expected" <(sed -E 's/^([^:]*):[0-9]*:1:/\1:/' "$xml/$name.log"); then
    bad "page: $name" "" "$xml/$name.log"
  else
    good "page: $name"
  fi
done <<'LIST'
extra port|draw_scheduler|s/^  output logic  *quiescent_o,/&\n  output logic busy_o,/| busy_o: a port of the RTL that is not on the page
lost port|draw_scheduler|s/policy_i/mode_i/| policy_i: no such port in the RTL
wrong width|composition_scheduler|s/logic \[7:0\]\( *start_cgid_o\)/logic [6:0]\1/| start_cgid_o: 7 bits in the RTL, expected 8
wrong direction|parent_texel_buffer|s/input  logic *parent_ready_i/output logic parent_ready_i/| parent_ready_i: an output in the RTL, expected an input
wrong default|offload_unit|s/parameter int Slots = 16/parameter int Slots = 8/| Slots: default 8 in the RTL, expected 16
extra parameter|texel_generator|s/^  parameter int Descriptors = 1024,/&\n  parameter int Extra = 1,/| Extra: a parameter of the RTL that is not on the page
lost parameter|child_consolidation|s/parameter bit Merge = /localparam bit Merge = /| Merge: no such parameter in the RTL
wrong error code|draw_scheduler|s/ErrWrap = 3'd2/ErrWrap = 3'd6/| ErrWrap: 6 in the RTL, expected 2
lost error code|combination_unit|s/, ErrParent = 4'd1;/;\n  localparam logic [3:0] WrongParent = 4'd1;/; s/ErrParent :/WrongParent :/| ErrParent: no such localparam in the RTL, expected 1
extra error code|offload_unit|s/ErrReissue = 2'd2;/ErrReissue = 2'd2, ErrMore = 2'd3;/| ErrMore: an error code of the RTL that is not on the page
LIST
