# SPDX-License-Identifier: Apache-2.0
# Sourced. A unit's vectors, recorded from its golden model and replayed in Icarus: every output,
# all four states.
# shellcheck shell=bash disable=SC2154

# Of a unit: lines of GPUs, seed and cycles, each with other parameters. A page with the parameter gpus
# is that of a unit of several GPUs; the seeds of the others draw other parameter sets.
cases() { # unit
  local gpus seed
  if grep -q '^  gpus:' "csim/units/$1/page.yaml"; then
    for seed in 2 1 3 4; do
      echo "$((seed * 3)) $seed $((9000 / seed / 3))"
    done
    echo '8 5 1500'
    echo '2 1 1500'
  else
    for seed in 1 3 5 6; do
      echo "8 $seed 1500"
    done
  fi
}

# Sets dir, folder (of the RTL), params ("NAME=VALUE ...") and the defines of tb/harness/replay.sv.
record() { # name unit gpus seed cycles, what else the command takes...
  local name=$1 unit=$2 header in_bits out_bits
  dir=$t/$name
  mkdir -p "$dir"
  if ! "$n" unit "$unit" --gpus "$3" --seed "$4" --cycles "$5" --engine golden --record "$dir" "${@:6}" \
    >"$dir/record.log" 2>&1; then
    bad "$name" recording "$dir/record.log"
    return 1
  fi
  folder=$(basename "$(dirname rtl/*/"$unit".sv)")
  header=$(head -n 1 "$dir/$unit"-*.vec)
  tail -n +2 "$dir/$unit"-*.vec >"$dir/lines.hex"
  in_bits=$(echo "$header" | cut -d ' ' -f 2)
  out_bits=$(echo "$header" | cut -d ' ' -f 3)
  params=$(echo "$header" | cut -d ' ' -f 4-)
  defines=(-DUNIT="vectors_$unit" -DIN_BITS="$in_bits" -DOUT_BITS="$out_bits"
    -DIN_NIBBLES=$(((in_bits + 3) / 4)) -DOUT_NIBBLES=$(((out_bits + 3) / 4))
    -DLINES="$(wc -l <"$dir/lines.hex")")
}

icarus() { # name, what else iverilog takes...
  local name=$1
  shift
  if ! iverilog -g2012 -o "$dir/replay.vvp" -s replay "${defines[@]}" tb/harness/replay.sv rtl/"$folder"/*_pkg.sv "$@" \
    >"$dir/build.log" 2>&1 || grep -q expects "$dir/build.log"; then
    grep -v sorry "$dir/build.log" >"$dir/errors.log"
    bad "$name" iverilog "$dir/errors.log"
    return
  fi
  vvp -n "$dir/replay.vvp" +vectors="$dir/lines.hex" >"$dir/replay.log" 2>&1
  if grep -q '^REPLAY: [0-9]* lines, 0 mismatches' "$dir/replay.log" && ! grep -q ERROR "$dir/replay.log"; then
    good "$name: $(grep -o '[0-9]* lines' "$dir/replay.log")"
  else
    bad "$name" "" "$dir/replay.log"
  fi
}
