#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Readers under libFuzzer and the sanitizers (docs/how-to/fuzz.md).
# usage: tests/fuzz/fuzz_parsers.sh [-b BUILD] [-o FOLDER] [-n RUNS] [-t SECONDS] [TARGET...]
#   -n  inputs of each target (0: no limit)   -t  seconds of each (60; 0: no limit)
# Starts from tests/fuzz/corpus/TARGET and from the tree's own files of the kind. FOLDER/TARGET: corpus (what reached
# something new), log, crash-... (a finding). Exit status: 0 nothing found, 1 a finding, 2 bad usage, 3 a tool is
# missing.
set -u
build=build/fuzzing out=build/fuzz runs=0 seconds=60
while getopts b:o:n:t: option; do
  case $option in
    b) build=$OPTARG ;;
    o) out=$OPTARG ;;
    n) runs=$OPTARG ;;
    t) seconds=$OPTARG ;;
    *) sed -n '4,5s/^# //p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
case $runs$seconds in *[!0-9]*) echo "fuzz: -n, -t: expected numbers" >&2; exit 2 ;; esac
program=$build/fuzz_parsers nocturne=build/nocturne
[ -x "$program" ] || { echo "fuzz: $program is missing; make fuzz PARSER=all builds it" >&2; exit 3; }
known=$("$program" --targets | cut -d ' ' -f 1)
[ $# -gt 0 ] || set -- $known
for target in "$@"; do
  grep -qx "$target" <<<"$known" || { echo "fuzz: $target: expected one of" $known >&2; exit 2; }
done
# What a file claims to need must be refused, not tried.
export ASAN_OPTIONS=max_allocation_size_mb=2048:allocator_may_return_null=1:detect_leaks=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# The tree's own files that the target reads.
sound() { # target
  case $1 in
    frame)
      for i in 1 3 8; do
        "$nocturne" frame generate gen:test-$i "$out/frame/test-$i.nframe" >/dev/null && echo "$out/frame/test-$i.nframe"
      done
      ;;
    config) ls vectors/config/*.yaml ;;
    set) ls vectors/sets/*/*.yaml ;;
    page) ls csim/units/*/page.yaml tests/outside/*/*.yaml ;;
    list) ls tests/lists/*.yaml ;;
    exclusions) ls tests/coverage/*.yaml ;;
    sweep) ls vectors/sweeps/*.yaml ;;
    vectors)
      for unit in $(ls csim/units/*/page.yaml | sed 's|.*/||; s|\.yaml$||'); do
        "$nocturne" unit "$unit" --engine golden --cycles 12 --seed 3 --busy --record "$out/vectors/sound" >/dev/null 2>&1
      done
      ls "$out"/vectors/sound/*.vec
      ;;
    sequence) ls docs/units/images/*.json ;;
    journal) ls build/test/journal.jsonl build/regress/journal.jsonl 2>/dev/null ;;
  esac
}

limit() { # target: the most bytes of an input
  case $1 in frame) echo 12000 ;; vectors) echo 8000 ;; *) echo 6000 ;; esac
}

status=0
for target in "$@"; do
  folder=$out/$target
  mkdir -p "$folder/seeds" "$folder/corpus"
  n=0
  for file in $(sound "$target"); do
    n=$((n + 1))
    "$program" "$target" --convert "$file" "$folder/seeds/$n" || exit 2
  done
  kept=tests/fuzz/corpus/$target
  [ -d "$kept" ] || kept=''
  # Stops at a finding, which it leaves in the folder.
  "$program" "$target" --fuzz -max_len="$(limit "$target")" -runs="$((runs ? runs : -1))" -max_total_time="$seconds" \
    -timeout=30 -rss_limit_mb=3000 -malloc_limit_mb=2049 -print_final_stats=1 -verbosity=1 -close_fd_mask=1 \
    -artifact_prefix="$folder/" "$folder/corpus" "$folder/seeds" $kept >"$folder/log" 2>&1
  code=$?
  done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log")
  if [ $code -eq 72 ]; then
    echo "stopped $target: ${done:-?} inputs"
    status=1
  elif [ $code -ne 0 ]; then
    echo "FOUND $target: after ${done:-?} inputs, $folder/log:"
    grep -m 3 -E 'WRONG|ERROR|runtime error|Test unit written' "$folder/log"
    status=1
  else
    echo "ok $target: ${done:-?} inputs, $(find "$folder/corpus" -type f | wc -l) reached something new"
  fi
done
exit $status
