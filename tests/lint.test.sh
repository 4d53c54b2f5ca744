#!/bin/bash
# The RTL through all three tools, for several parameters, without a warning.
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
inc="-Irtl/chopin -Irtl/common"
for n in 2 3 6 8 12 64; do
  for w in 10 64; do
    silent "verilator draw_scheduler $n $w" verilator --lint-only -Wall $inc -GNumGpus=$n \
      -GCountWidth=$w rtl/chopin/draw_scheduler.sv
  done
  silent "verilator composition_scheduler $n" verilator --lint-only -Wall $inc -GNumGpus=$n \
    rtl/chopin/composition_scheduler.sv
  silent "verilator pixel_distributor $n" verilator --lint-only -Wall $inc -GNumGpus=$n \
    rtl/chopin/pixel_distributor.sv
done
for b in 16 32 128 256; do
  for c in 0 1; do
    silent "verilator pixel_distributor beats $b cells $c" verilator --lint-only -Wall $inc \
      -GBeatBytes=$b -GCellMode=$c rtl/chopin/pixel_distributor.sv
  done
done
for u in draw_scheduler composition_scheduler pixel_distributor; do
  for n in 3 8 64; do
    silent "icarus $u $n" iverilog -g2012 -tnull -Wno-timescale -y rtl/common -y rtl/chopin -Y.sv \
      $inc -P$u.NumGpus=$n rtl/chopin/$u.sv
  done
  for n in 6 8; do
    silent "yosys $u $n" yosys -q -p "read_verilog -sv -Irtl/chopin -Irtl/common rtl/common/*.sv rtl/chopin/*.sv; \
      chparam -set NumGpus $n $u; hierarchy -check -top $u; proc; check -assert"
  done
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
  silent "yosys $1 $2" yosys -q -p "read_verilog -sv -Irtl/common rtl/common/*.sv rtl/atfim/*.sv; \
    chparam $set $unit; hierarchy -check -top $unit; proc; check -assert"
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
# Yosys takes minutes for that many descriptors.
silent "verilator texel_generator Descriptors=65536" verilator --lint-only -Wall -Irtl/atfim \
  -Irtl/common -GDescriptors=65536 rtl/atfim/texel_generator.sv
for p in "" "Entries=16 SetBits=1 Ways=1 LineBytes=16" "Entries=32 SetBits=2 Ways=2 LineBytes=32" \
  "Entries=64 LineBytes=32 Merge=0" "Entries=16 SetBits=6 Ways=4 LineBytes=16 Merge=0 CountWidth=10" "Observe=0"; do
  atfim child_consolidation "$p"
done
for p in "" "Descriptors=16 ParentEntries=16 RunEntries=16 SetBits=2 Ways=1 LineBytes=16 Requests=2" \
  "Merge=0 LineBytes=32 Exact=0 Requests=256 CountWidth=10" "Observe=0"; do
  atfim atfim "$p"
done
for p in "" "NumTextureUnits=1 Slots=1" "NumTextureUnits=5 Slots=4 CountWidth=10" \
  "NumTextureUnits=64 Slots=32" "Observe=0"; do
  atfim offload_unit "$p"
done

# Each unit from the files that it is said to need, and no other. No path goes from an input pin to an
# output pin but quiescent_o.
for u in draw_scheduler composition_scheduler pixel_distributor offload_unit texel_generator child_consolidation \
  parent_texel_buffer combination_unit atfim; do
  files=$(rtl/synth/files.sh $u | grep '\.sv$')
  inc="-I$(dirname "$(echo rtl/*/$u.sv)") -Irtl/common"
  # shellcheck disable=SC2086
  silent "verilator $u alone" verilator --lint-only -Wall $inc --top-module $u $files
  # shellcheck disable=SC2086
  silent "icarus $u alone" iverilog -g2012 -tnull -Wno-timescale $inc -s $u $files
  silent "outputs of $u depend on state" yosys -q -p "read_verilog -sv $inc ${files//$'\n'/ }; hierarchy -check \
    -top $u; proc; flatten; opt_expr; opt_clean; select -assert-none o:* o:quiescent_o %d %ci*:-\$dff i:* %i"
done
