#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The fuzzer against random stimulus of the same time, on the wrong lines of tests/fuzz/planted.cases: processor seconds
# until each is found, medians over seeds (docs/fuzz.md has the table).
# usage: tests/fuzz/compare.sh [-s SEEDS] [-t SECONDS] [-o FOLDER] [PATTERN]
#   -s  seeds of each (10)   -t  the limit of each (20)   -o  where trees and results go (build/fuzz/compare); a tree
#                                                             that is there is used again
#   PATTERN  of the names
# random: `nocturne unit` with seed after seed of 20,000 cycles. blind: random bytes for the fuzzer's decoder, of which
# it learns nothing. The building of units counts for none. FOLDER/results: a line for each wrong line and seed.
set -u
seeds=10 limit=20 out=build/fuzz/compare
while getopts s:t:o: option; do
  case $option in
    s) seeds=$OPTARG ;;
    t) limit=$OPTARG ;;
    o) out=$OPTARG ;;
    *) sed -n '5,8s/^# //p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
pattern=${1:-.}
root=$PWD
for program in nocturne fuzz_unit; do
  [ -x build/$program ] || { echo "compare: build/$program is missing; make fuzz builds it" >&2; exit 3; }
done
mkdir -p "$out" && out=$(realpath "$out") || exit 2
export NOCTURNE_NO_WAVES=1

# Processor seconds of a command, in $spent; what it says in $said.
spend() {
  local TIMEFORMAT='%U %S' times
  { times=$({ time "$@" >"$said" 2>&1; } 2>&1 1>&3); } 3>&1
  [ $? -le 1 ] || { echo "compare: $*: $(tail -n 1 "$said")" >&2; exit 1; }
  spent=$(awk '{ print $1 + $2 }' <<<"$times")
}

# Seed after seed, in runs of ever more of them, until one fails or the time is over.
random() { # unit gpus params seed
  local first=$(($4 * 1000000 + 1)) chunk=64 sum=0 failed
  said=$PWD/random.log
  spend build/nocturne unit "$1" --gpus "$2" --knob params="$3" --seed 1 --cycles 1
  local start=$spent
  while awk "BEGIN { exit !($sum < $limit) }"; do
    spend build/nocturne unit "$1" --gpus "$2" --knob params="$3" --seeds $first..$((first + chunk - 1)) --cycles 20000
    failed=$(sed -n 's/^  [0-9]* of [0-9]* seeds failed: \([0-9]*\).*/\1/p' "$said")
    # The share of the run that led to it.
    sum=$(awk "BEGIN { s = $spent - $start; s = s < 0 ? 0 : s
                       print $sum + ${failed:+($failed - $first + 1) / $chunk *} s }")
    [ -z "$failed" ] || { awk "BEGIN { print $sum <= $limit ? $sum : \"-\" }"; return; }
    first=$((first + chunk)) chunk=$((chunk * 2))
  done
  echo -
}

fuzzed() { # blind or fuzz, unit gpus params seed
  local how=$1 own=("$2" --gpus "$3" --params "$4" --seconds "$limit" --found found --report report)
  rm -rf corpus report
  mkdir corpus
  if [ "$how" = blind ]; then
    build/fuzz_unit "${own[@]}" --blind "$5" >blind.log 2>&1
  else
    build/fuzz_unit -max_len=2048 -len_control=0 -use_value_profile=1 -seed="$5" corpus -ignore_remaining_args=1 \
      "${own[@]}" >fuzz.log 2>&1
  fi
  awk '{ print $1 == "found" ? $4 : "-" }' report
}

median() { # of a column of results; - is beyond the limit
  awk -v c="$1" -v n="$2" -v l="$limit" '$1 == n { print $c == "-" ? 1e9 : $c }' "$out/results" | sort -g |
    awk -v l="$limit" '{ v[NR] = $1 }
      END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
            for (i = 1; i <= NR; i++) found += (v[i] < 1e9)
            printf "%s (%d)", (m >= 1e8 ? "> " l : sprintf("%.2f", m)), found }'
}

: >"$out/results"
echo "| wrong line | unit | random | blind | fuzzer |"
echo "|---|---|---|---|---|"
number=0
while IFS= read -r head && IFS= read -r line; do
  number=$((number + 1))
  name=${head%%: *} rest=${head#*: }
  read -r unit gpus params file <<<"$rest"
  grep -q "$pattern" <<<"$name" || continue
  tree=$out/$number
  if [ ! -f "$tree/build.log" ]; then
    mkdir -p "$tree/build/units" "$tree/csim"
    cp -rp rtl dpi tb "$tree/"
    cp -rp csim/unit "$tree/csim/"
    cp -rp build/unit "$tree/build/"
    mkdir -p build/units/store
    ln -s "$root"/build/units/{library-*,store} "$tree/build/units/"
    ln -s "$root/build/nocturne" "$root/build/fuzz_unit" "$tree/build/"
    ln -s "$root/vectors" "$tree/vectors"
    sed -i "${line#  }" "$tree/$file"
    cmp -s "$file" "$tree/$file" && { echo "compare: $name: the wrong line no longer applies" >&2; exit 1; }
  fi
  cd "$tree" || exit 1
  # Built before the clock starts.
  build/nocturne unit "$unit" --gpus "$gpus" --knob params="$params" --seed 1 --cycles 1 >build.log 2>&1
  build/fuzz_unit -runs=1 -ignore_remaining_args=1 "$unit" --gpus "$gpus" --params "$params" >>build.log 2>&1
  for ((seed = 1; seed <= seeds; seed++)); do
    echo "$number $seed $(random "$unit" "$gpus" "$params" $seed) $(fuzzed blind "$unit" "$gpus" "$params" $seed)" \
      "$(fuzzed fuzz "$unit" "$gpus" "$params" $seed)" >>"$out/results"
  done
  cd "$root" || exit 1
  echo "| $name | \`$unit\`, $gpus GPUs | $(median 3 $number) | $(median 4 $number) | $(median 5 $number) |"
done < <(grep -v '^#' tests/fuzz/planted.cases)
