#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Several frames in one run: each as it runs alone, from a file as generated, the whole their sum, the
# same from all three engines, and a picture of each.
set -u
. tests/scripts/lib.sh
. tests/scripts/engines.sh
c=vectors/config/chopin.yaml
set="--set driver.threshold=20"

run() { # name arguments...: the JSON as $t/NAME.json
  local name=$1
  shift
  # shellcheck disable=SC2086
  "$n" run $c $set --engine golden --json "$t/$name.json" "$@" >"$t/$name.log" 2>&1 ||
    bad "$name runs" "" "$t/$name.log"
}

# The nth frame of a run of several; a run of one without what a run of several says once.
frame_of() { jq ".frames[$2]" "$t/$1.json"; }  # name n
alone_of() { # name
  jq 'del(.version, .config, .config_sha256, .seed, .scheme, .gpus, .units_outside, .engine, .timing)' "$t/$1.json"
}

same() { # name, two texts
  if [ -n "$2" ] && [ "$2" = "$3" ]; then
    good "$1"
  else
    bad "$1" "$(diff <(echo "$2") <(echo "$3") | head -n 6)"
  fi
}

# shellcheck disable=SC2086
engines several $c $set --frames gen:test-3 --set gpus=3 --baseline duplication
check "a file of them" "$n" frame generate gen:test-3 "$t/four.nframe" 1 4
run four --frames "$t/four.nframe" --baseline duplication --image "$t/four.png"
run generated --frames gen:test-3 --count 4 --baseline duplication
same "from a file as generated" "$(result "$t/four.json")" "$(result "$t/generated.json")"
run alone --frame gen:test-3 --baseline duplication
same "the first as alone" "$(alone_of alone)" "$(frame_of four 0)"
run third --frames "$t/four.nframe" --first 2 --count 1 --baseline duplication
same "the third by itself" "$(frame_of third 0)" "$(frame_of four 2)"
run twice --frames "$t/four.nframe" --baseline duplication
same "the same again" "$(result "$t/twice.json")" "$(result "$t/four.json")"
for key in cycles traffic.sync_bytes work.fragments_shaded; do
  same "whole: $key" "$(value "$key" "$t/four.json")" "$(jq "[.frames[].$key] | add" "$t/four.json")"
done
same "four frames" 4 "$(jq '.frames | length' "$t/four.json")"
same "each of its own hash" 4 "$(jq '[.frames[].frame_hash] | unique | length' "$t/four.json")"
for k in 0 1 2 3; do
  sha=$(value "frames[$k].image.sha256" "$t/four.json")
  if [ -s "$t/four-$k.png" ] && [ -n "$sha" ]; then good "picture $k"; else bad "picture $k" "$t/four-$k.png"; fi
done
check "a row of each and the whole" has "$t/four.log" '^  whole +[0-9]+ +[0-9]+ +[0-9.]+ +0 '
# What lasts: a frame knows the draws of the one before, and the first that runs knows nothing.
run weights --frames "$t/four.nframe" --set driver.weights=true
run alone_weights --frame gen:test-3 --set driver.weights=true
same "nothing is known of a frame before the first" "$(alone_of alone_weights)" "$(frame_of weights 0)"
run third_weights --frames "$t/four.nframe" --first 2 --count 1 --set driver.weights=true
same "nor of one that did not run" "$(frame_of third_weights 0)" "$(frame_of third 0 | jq 'del(.baseline)')"
if [ "$(frame_of weights 2)" != "$(frame_of third_weights 0)" ]; then
  good "what is known has a part"
else
  bad "what is known has a part" "frame 2 ran the same after frame 1 and alone"
fi

# DFSL: sizes and phases as Algorithm 1 gives them for the times of runs with one size each.
dfsl() { # NAME FRAME MIN MAX FIRST COUNT: with two frames between evaluations
  local set k
  c=vectors/config/emerald.yaml
  for k in $(seq "$3" "$4"); do
    set="--set gpu.wt=$k"
    run "wt$k" --frames "$2" --first "$5" --count "$6"
  done
  set="--set dfsl.mode=on --set dfsl.min_wt=$3 --set dfsl.max_wt=$4 --set dfsl.run_frames=2"
  run dfsl --frames "$2" --first "$5" --count "$6"
  # shellcheck disable=SC2046
  jq -s --argjson min "$3" '[.[].frames | map(.work.fragment_cycles)] as $t | ($t | length) as $sizes
    | [range($t[0] | length) | . as $n | (. % ($sizes + 2)) as $k | ($n - $k) as $first
      | (if $k < $sizes then $k else [range($sizes)] | min_by($t[.][$first + .]) end) as $size
      | {wt: ($min + $size), phase: (if $k < $sizes then "evaluate" else "run" end), time: $t[$size][$n]}]' \
    $(seq -f "$t/wt%g.json" "$3" "$4") >"$t/$1.wanted"
  jq '[.frames[] | {wt: .dfsl.wt, phase: .dfsl.phase, time: .work.fragment_cycles}]' "$t/dfsl.json" >"$t/$1.got"
  same "DFSL, $1" "$(cat "$t/$1.wanted")" "$(cat "$t/$1.got")"
}
dfsl sizes gen:w6-128x96 1 4 0 13
same "three evaluations, of which the last found no size yet to run with" "3 1" \
  "$(jq -r '"\(.dfsl.evaluations) \(.frames[12].dfsl.wt)"' "$t/dfsl.json")"
if [ "$(jq '[.[] | select(.phase == "run").wt] | unique - [1] | length' "$t/sizes.got")" -gt 0 ]; then
  good "DFSL runs with another size than the first"
else
  bad "DFSL runs with another size than the first" "$(jq -c . "$t/sizes.got")"
fi
dfsl ties gen:w3-64x48 8 9 5 3
same "equal times: the smaller size" true "$(jq ".[0].time == .[1].time and .[2].wt == 8" "$t/ties.got")"
