#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The extensions in the machine: every combination renders its sequences right, alike in all three
# engines; a first frame knows of no frame before; the table of one more extension in each row.
set -u
. tests/scripts/lib.sh
. tests/scripts/engines.sh
c=vectors/config/extended.yaml
set="--set driver.threshold=20"

# shellcheck disable=SC2086
engines "extended machine" $c $set --frames gen:test-2 --count 3 --set gpus=3

# What is on has acted, and what is off has not.
acted() { # JSON by_all
  jq -e --argjson by_all "$2" '([.frames[].hints | objects | .by_all] | add // 0) as $sent |
    ([.frames[].groups.composed] | add) > 0 and .composition.starts > 0 and
    if $by_all then $sent > 0 else $sent == 0 end' "$1" >/dev/null || {
    echo "nothing composed, or draws by all: $(jq -c '[.frames[].hints | objects | .by_all]' "$1")"
    return 1
  }
}

# The exit status says that no pixel is beyond its bound.
for gpus in 2 6 64; do
  for ahead in 0 8; do
    for by_all in false true; do
      for weights in false true; do
        # One of 64 GPUs, with LONG all.
        [ $gpus -ne 64 ] || [ -n "${LONG:-}" ] || [ $ahead-$by_all-$weights = 8-true-true ] || continue
        lookahead=$((gpus == 6 ? 8 - ahead : 8))
        name=$gpus-$ahead-$by_all-$weights
        # shellcheck disable=SC2086
        check "combination $name" "$n" run $c $set --frames gen:test-7 --count 2 --engine golden \
          --set gpus=$gpus --set draw_scheduler.opaque_ahead=$ahead --set driver.by_all=$by_all \
          --set composition_scheduler.lookahead=$lookahead \
          --set driver.weights=$weights --json "$t/$name.json"
        check "combination $name acts" acted "$t/$name.json" $by_all
      done
    done
  done
done

# Shared coarse depth hides pixels and no other; 2 to 64 GPUs. A base that is forgotten too late is found by the last.
coarse="$set --set coarse_depth.epoch=64"
# shellcheck disable=SC2086
engines "coarse depth" $c $coarse --frames gen:test-5 --count 2 --set gpus=3
for gpus in 2 6 12 ${LONG:+32 64}; do
  for frame in test-1 test-3 test-5; do
    # shellcheck disable=SC2086
    check "coarse depth, $frame, $gpus GPUs" "$n" run $c $coarse --frames gen:$frame --count 3 --engine golden \
      --set gpus=$gpus --json "$t/coarse-$frame-$gpus.json"
  done
  acted=$(jq -s '[.[].coarse_depth] | all(map(.hidden), map(.messages), map(.forgets); add > 0)' "$t"/coarse-*-$gpus.json)
  check "coarse depth acts, $gpus GPUs" [ "$acted" = true ]
done

# A first frame has no hints, whatever is asked for; the next one has.
hints() { jq '[.frames[].hints | objects] | length' "$t/$1.json"; }
hints=$(hints 6-8-true-true)
[ "$hints" -eq 1 ] && good "hints from the second frame on" || bad "hints" "$hints of 2 frames"
hints=$(hints 6-8-false-false)
[ "$hints" -eq 0 ] && good "no hints without the options" || bad "hints without the options" "$hints"
cycles() { value 'frames[0].cycles' "$t/$1.json"; }
[ "$(cycles 6-8-true-true)" = "$(cycles 6-8-false-false)" ] &&
  good "the first frame is what it is without" || bad "first frame" "$(cycles 6-8-true-true)"

# shellcheck disable=SC2086
tb/extensions.sh "$n" gen:test-2 "$t/table" golden $set --set gpus=4 >"$t/table.txt" 2>&1
rows=$(grep -cE '^  .* +[0-9]+ +[0-9]+\.[0-9]{3} +[0-9]+ +[0-9]+\.[0-9]{3}$' "$t/table.txt")
[ "$rows" -eq 7 ] && good "a row for each machine" || bad "table" "$rows rows" "$t/table.txt"
