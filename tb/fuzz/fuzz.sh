#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Units under libFuzzer, in lockstep (docs/how-to/fuzz.md).
# usage: tb/fuzz/fuzz.sh [-b BUILD] [-o FOLDER] [-t SECONDS] [-s SEED] [UNIT...]
#        tb/fuzz/fuzz.sh [...] -- --page P.yaml --rtl DIR [--golden LIB.so]    a unit from outside the tree
#   -t  processor seconds for each size of tests/units/UNIT/unit.yaml (60)
#   -s  libFuzzer's seed (0: another one each time)
# Starts from tests/units/UNIT/corpus.tar.gz and what earlier runs left. FOLDER/UNIT-...: corpus (cut down to what
# reaches something new), log; after a difference found (the input) and found.vec (its vectors, cut down).
# Exit status: 0 no difference, 1 one, 2 bad usage, 3 a tool is missing.
set -u
build=build out=build/fuzz seconds=60 seed=0
while getopts b:o:t:s: option; do
  case $option in
    b) build=$OPTARG ;;
    o) out=$OPTARG ;;
    t) seconds=$OPTARG ;;
    s) seed=$OPTARG ;;
    *) sed -n '4,7s/^# //p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
case $seconds$seed in *[!0-9]*) echo "fuzz: -t, -s: expected numbers" >&2; exit 2 ;; esac
program=$build/fuzz_unit
[ -x "$program" ] || { echo "fuzz: $program is missing; make fuzz builds it" >&2; exit 3; }

fuzz() { # name options...
  local name=$1 folder status kept='' before
  shift
  folder=$out/$(sed 's|\.[a-z]*\b||g; s|[^A-Za-z0-9_]\+|-|g; s|-$||' <<<"$*")
  mkdir -p "$folder/corpus"
  rm -f "$folder"/found*
  kept=$(tb/fuzz/corpus.sh unpack "$name" "$folder/kept")
  # shellcheck disable=SC2086
  "$program" -max_len=2048 -len_control=0 -use_value_profile=1 -seed="$seed" -verbosity=1 -timeout=60 -rss_limit_mb=4000 \
    -artifact_prefix="$folder/" "$folder/corpus" $kept -ignore_remaining_args=1 "$@" --seconds "$seconds" \
    --found "$folder" >"$folder/log" 2>&1
  status=$?
  if [ $status -eq 0 ]; then
    before=$(find "$folder/corpus" -type f | wc -l)
    rm -rf "$folder/least" && mkdir "$folder/least"
    "$program" -merge=1 "$folder/least" "$folder/corpus" -ignore_remaining_args=1 "$@" \
      >"$folder/merge" 2>&1 && rm -rf "$folder/corpus" && mv "$folder/least" "$folder/corpus"
    echo "$(tail -n 1 "$folder/log"); corpus $before, cut down $(find "$folder/corpus" -type f | wc -l)"
  elif [ $status -eq 2 ] || [ $status -eq 3 ]; then
    tail -n 1 "$folder/log"
  else
    grep -v '^#\|^INFO\|^WARNING' "$folder/log"
    status=1
  fi
  return $status
}

worst=0
if [[ "${1:-}" = --* ]]; then  # (getopts has taken the --)
  fuzz outside "$@"
  exit
fi
rooms=$("$build/nocturne" room --section fuzz "$@") || exit
while read -r unit options; do
  # shellcheck disable=SC2086
  fuzz "$unit" "$unit" $options </dev/null
  status=$?
  [ $status -le $worst ] || worst=$status
done < <(jq -r '.[] | .unit as $unit | .fuzz[] | "\($unit) \(to_entries | map("--\(.key) \(.value)") | join(" "))"' <<<"$rooms")
exit $worst
