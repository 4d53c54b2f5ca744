#!/bin/bash
# Recorded vectors of the units, replayed in Icarus: every output, all four states.
# A second simulator that agrees with Verilator and with the golden models.
set -u
build=${1:-build}
out=$build/replay
mkdir -p "$out"
status=0

replay() { # unit gpus seed cycles
  local unit=$1 gpus=$2 seed=$3 cycles=$4
  local name=$unit-$gpus-$seed dir=$out/$unit-$gpus-$seed
  rm -rf "$dir"
  mkdir -p "$dir"
  "$build"/nocturne unit "$unit" --gpus "$gpus" --seed "$seed" --cycles "$cycles" \
    --engine golden --record "$dir" >"$dir/record.log" 2>&1 || { echo "not ok $name: recording"; status=1; return; }
  local vectors header in_bits out_bits params folder
  folder=$(basename "$(dirname rtl/*/"$unit".sv)")
  vectors=$(echo "$dir/$unit"-*.vec)
  header=$(head -n 1 "$vectors")
  in_bits=$(echo "$header" | cut -d ' ' -f 2)
  out_bits=$(echo "$header" | cut -d ' ' -f 3)
  params=$(echo "$header" | cut -d ' ' -f 4- | sed 's/\([A-Za-z0-9]*\)=\([0-9]*\)/.\1(\2)/g; s/ /,/g')
  tail -n +2 "$vectors" >"$dir/lines.hex"
  if ! iverilog -g2012 -o "$dir/replay.vvp" -s replay "-Irtl/$folder" -Irtl/common \
    -DUNIT="vectors_$unit" -DPARAMS="$params" -DIN_BITS="$in_bits" -DOUT_BITS="$out_bits" \
    -DIN_NIBBLES=$(((in_bits + 3) / 4)) -DOUT_NIBBLES=$(((out_bits + 3) / 4)) \
    -DLINES="$(wc -l <"$dir/lines.hex")" \
    -y "rtl/$folder" -y rtl/common -Y.sv tb/sv/replay.sv "tb/sv/vectors_$unit.sv" \
    >"$dir/build.log" 2>&1 || grep -q expects "$dir/build.log"; then
    grep -v sorry "$dir/build.log" | head -n 3
    echo "not ok $name: iverilog"
    status=1
    return
  fi
  timeout 120 vvp -n "$dir/replay.vvp" +vectors="$dir/lines.hex" >"$dir/replay.log" 2>&1
  if grep -q '^REPLAY: [0-9]* lines, 0 mismatches' "$dir/replay.log" && ! grep -q ERROR "$dir/replay.log"; then
    echo "ok $name: $(grep -o '[0-9]* lines' "$dir/replay.log")"
  else
    head -n 6 "$dir/replay.log"
    echo "not ok $name"
    status=1
  fi
}

for gpus in 2 3 6 8 12; do
  replay draw_scheduler $gpus $gpus 2000
  replay composition_scheduler $gpus $gpus 1000
done
replay draw_scheduler 16 16 500
replay composition_scheduler 16 16 300
replay draw_scheduler 8 5 8000
replay composition_scheduler 8 5 4000
for seed in 1 2 3 4; do
  replay pixel_distributor $((seed * 3)) $seed 1500
done
for seed in 1 2 3 4; do
  replay parent_texel_buffer 8 $seed 3000
  replay combination_unit 8 $seed 1500
done
for seed in 1 2 3 4; do
  replay texel_generator 8 $seed 2000
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
