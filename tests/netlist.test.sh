#!/bin/bash
# Recorded vectors replayed in the netlist that Yosys makes of each unit: what is proven
# and synthesized must be what is simulated. Yosys 0.23 reads some lines that all tools
# accept otherwise than the simulators do (a cast inside a reduction, for one).
set -u
build=${1:-build}
out=$build/netlist
mkdir -p "$out"
status=0

replay() { # unit gpus seed cycles
  local unit=$1 gpus=$2 seed=$3 cycles=$4
  local name=$unit-$gpus-$seed dir=$out/$unit-$gpus-$seed
  rm -rf "$dir"
  mkdir -p "$dir"
  "$build"/nocturne unit "$unit" --gpus "$gpus" --seed "$seed" --cycles "$cycles" \
    --engine golden --record "$dir" >"$dir/record.log" 2>&1 ||
    { echo "not ok $name: recording"; status=1; return; }
  local vectors header in_bits out_bits params folder
  folder=$(basename "$(dirname rtl/*/"$unit".sv)")
  vectors=$(echo "$dir/$unit"-*.vec)
  header=$(head -n 1 "$vectors")
  in_bits=$(echo "$header" | cut -d ' ' -f 2)
  out_bits=$(echo "$header" | cut -d ' ' -f 3)
  params=$(echo "$header" | cut -d ' ' -f 4- | tr ' ' '\n' |
    sed -n 's/\([A-Za-z0-9]*\)=\([0-9]*\)/-set \1 \2/p' | tr '\n' ' ')
  tail -n +2 "$vectors" >"$dir/lines.hex"
  if ! yosys -q -p "read_verilog -sv -Irtl/$folder rtl/common/*.sv rtl/$folder/*.sv \
    tb/sv/vectors_$unit.sv; chparam $params vectors_$unit; hierarchy -check -top vectors_$unit; \
    proc; flatten; opt; memory -nomap; opt -full; wreduce; opt_clean; rename -top vectors_$unit; \
    write_verilog -noattr $dir/netlist.v" >"$dir/yosys.log" 2>&1; then
    tail -n 3 "$dir/yosys.log"
    echo "not ok $name: yosys"
    status=1
    return
  fi
  if ! iverilog -g2012 -o "$dir/replay.vvp" -s replay -DUNIT="vectors_$unit" -DPARAMS= \
    -DIN_BITS="$in_bits" -DOUT_BITS="$out_bits" -DIN_NIBBLES=$(((in_bits + 3) / 4)) \
    -DOUT_NIBBLES=$(((out_bits + 3) / 4)) -DLINES="$(wc -l <"$dir/lines.hex")" \
    tb/sv/replay.sv "$dir/netlist.v" >"$dir/build.log" 2>&1 ||
    grep -q expects "$dir/build.log"; then
    head -n 3 "$dir/build.log"
    echo "not ok $name: iverilog"
    status=1
    return
  fi
  vvp -n "$dir/replay.vvp" +vectors="$dir/lines.hex" >"$dir/replay.log" 2>&1
  if grep -q '^REPLAY: [0-9]* lines, 0 mismatches' "$dir/replay.log"; then
    echo "ok $name: $(grep -o '[0-9]* lines' "$dir/replay.log")"
  else
    head -n 6 "$dir/replay.log"
    echo "not ok $name"
    status=1
  fi
}

for gpus in 3 8 12; do
  replay draw_scheduler $gpus $gpus 2000
  replay composition_scheduler $gpus $gpus 1000
done
for seed in 1 2 3 4 5; do
  replay pixel_distributor $((seed * 3)) $seed 1500
done
replay draw_scheduler 6 7 2000
replay draw_scheduler 2 9 2000
for seed in 1 2 3; do
  replay parent_texel_buffer 8 $seed 2000
  replay combination_unit 8 $seed 1500
done
for seed in 2 3 4; do
  replay texel_generator 8 $seed 1500
done
for seed in 1 3 5 6; do
  replay child_consolidation 8 $seed 2000
done
for seed in 2 3 5; do
  replay atfim 8 $seed 1000
done
for seed in 1 3 4; do
  replay offload_unit 8 $seed 1500
done
exit $status
