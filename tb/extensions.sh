#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What each extension brings on a sequence of frames: a row for the paper's machine and one more
# extension in each row after it, over primitive duplication. By-all draws and weights need a frame
# before, so the first frame stands apart.
#   tb/extensions.sh NOCTURNE SEQUENCE OUT [ENGINE [OPTION...]]
# ENGINE: of the paper's, the extended and the next machine; golden for what lies between. Results: OUT/*.json
set -eu
nocturne=$1 frames=$2 out=$3 engine=${4:-golden}
shift "$(($# < 4 ? $# : 4))"
mkdir -p "$out"

run() { # name engine configuration argument...
  name=$1 with=$2 config=$3
  shift 3
  "$nocturne" run "vectors/config/$config.yaml" --frames "$frames" --engine "$with" \
    --json "$out/$name.json" "$@" >"$out/$name.log" || { cat "$out/$name.log"; exit 1; }
}
row() { # name words
  jq -rn --arg words "$2" --slurpfile ours "$out/$1.json" --slurpfile base "$out/duplication.json" '
    [$ours[0].frames[].cycles] as $a | [$base[0].frames[].cycles] as $b |
    [$words, $a[0], $b[0] / $a[0]] +
    if ($a | length) > 1 then [($a[1:] | add / length | floor), ($b[1:] | add) / ($a[1:] | add)] else [] end | @tsv' |
    while IFS="$(printf '\t')" read -r words first speedup later gain; do
      printf '  %-26s %11d %9.3f' "$words" "$first" "$speedup"
      [ -z "$later" ] || printf ' %13d %9.3f' "$later" "$gain"
      echo
    done
}

ahead="--set gpu.queue=64 --set draw_scheduler.opaque_ahead=8"
echo "                             first frame   speedup    later, mean   speedup"
# Two at a time: a run with the golden models alone keeps one processor busy.
run duplication golden chopin --set scheme=duplication "$@" & other=$!
run paper "$engine" chopin "$@"
wait $other
row duplication "primitive duplication"
row paper "CHOPIN as in the paper"
# shellcheck disable=SC2086
run ahead golden chopin $ahead "$@" & other=$!
# shellcheck disable=SC2086
run lookahead golden chopin $ahead --set composition_scheduler.lookahead=8 "$@"
wait $other
row ahead "+ OpaqueAhead"
row lookahead "+ Lookahead"
run by_all golden extended --set driver.weights=false "$@" & other=$!
run extended "$engine" extended "$@" & another=$!
run next "$engine" next "$@"
wait $other
row by_all "+ by-all draws"
wait $another
row extended "+ weights: extended.yaml"
row next "next.yaml"
