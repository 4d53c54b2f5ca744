#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What next.yaml adds: combinations render small sequences right (target switches, draws by all, transparency, stale
# depth), and what is on acts; alike in all three engines. Of the combinations all, none, each alone and all but one;
# LONG=1: all 128.
set -u
. tests/scripts/lib.sh
. tests/scripts/engines.sh
c=vectors/config/next.yaml
small="--set driver.threshold=20 --set driver.split_min=2 --set coarse_depth.epoch=64 --set distributor.early=64"
# Words for jq: sums over all runs that had it on.
acted="[(.frames // [.])[] | [.pieces.cuts, .broadcasts.depth_left, .broadcasts.blocks_left, .coarse_depth.hidden,
        .scouts.by_all, .barriers.groups_left, .traffic.composition_early_bytes] | map(. // 0)] | transpose | map(add) | @tsv"

# next.test.sh BUILD FRAME GPUS [MECHANISM...]: a real frame in lockstep; all but these act there.
if [ $# -gt 1 ]; then
  unset NOCTURNE_QUICK
  t=$t/$(basename "${2#*:}")-$3
  mkdir -p "$t"
  check "$2, $3 GPUs: right, and no mismatch" "$n" run $c "$2" --set "gpus=$3" --engine lockstep --json "$t/run.json"
  read -r -a found < <(jq -r "$acted" "$t/run.json")
  k=0
  for mechanism in pieces depth blocks hidden scouts groups early; do
    [[ " ${*:4} " = *" $mechanism "* ]] || check "acted: $mechanism" test "${found[k]:-0}" -gt 0
    k=$((k + 1))
  done
  exit
fi

# shellcheck disable=SC2086
engines "next machine" $c $small --frames gen:test-4 --count 2 --set gpus=3
# shellcheck disable=SC2086
engines "next machine, 6 GPUs" $c $small --frames gen:test-2 --seed 2 --count 2 --set gpus=6

# A mechanism, its settings where it is off, and what of the results shows that it acted in a sequence.
off() {
  case $1 in
    split) echo "--set driver.split=0" ;;
    eligible) echo "--set draw_scheduler.eligible=false --set draw_scheduler.opaque_ahead=8" ;;
    broadcasts) echo "--set driver.sync_needed=false --set sync.blocks=false" ;;
    coarse) echo "--set coarse_depth.epoch=0" ;;
    scouts) echo "--set scout.triangles=0" ;;
    barriers) echo "--set driver.barrier_share=0" ;;
    early) echo "--set distributor.early=0" ;;
  esac
}
all="split eligible broadcasts coarse scouts barriers early"
sum=(0 0 0 0 0 0 0) wrong=0 runs=0
combinations="0 1 2 4 8 16 32 64 63 95 111 119 123 125 126 127"
[ -z "${LONG:-}" ] || combinations=$(seq 0 127)
for sequence in "test-4 --seed 2 --set gpus=6" "test-7 --seed 7 --set gpus=3"; do
  for which in $combinations; do
    set="" k=0
    for mechanism in $all; do
      [ $((which >> k & 1)) -eq 1 ] || set="$set $(off $mechanism)"
      k=$((k + 1))
    done
    runs=$((runs + 1))
    # The exit status says that no pixel is beyond its bound. Broadcasts check themselves.
    # shellcheck disable=SC2086
    if ! "$n" run $c $small --frames gen:$sequence --count 2 --engine golden $set --json "$t/run.json" \
      >"$t/run.log" 2>&1; then
      bad "combination $which of $sequence" "$set" "$t/run.log"
      wrong=$((wrong + 1))
      continue
    fi
    read -r -a found < <(jq -r "$acted" "$t/run.json")
    for k in 0 1 2 3 4 5 6; do sum[k]=$((sum[k] + found[k])); done
    # What is off does not act.
    on=($((which & 1)) $((which >> 2 & 1)) $((which >> 2 & 1)) $((which >> 3 & 1)) $((which >> 4 & 1)) $((which >> 5 & 1)) $((which >> 6 & 1)))
    for k in 0 1 2 3 4 5 6; do
      [ "${on[k]}" -eq 1 ] || [ "${found[k]}" -eq 0 ] || bad "combination $which: off, and acts" "${found[*]}"
    done
  done
done
[ $wrong -eq 0 ] && good "$runs combinations render right"
k=0
for what in "pieces beyond the first" "depth buffers not broadcast" "blocks left out" "pixels hidden" "scouts by all" "groups left" "bytes sent early"; do
  [ "${sum[k]}" -gt 0 ] && good "acted: $what" || bad "acted: $what" "none"
  k=$((k + 1))
done

# Eligible: the choice is another one.
cycles() { # name, arguments
  local name=$1
  shift
  # shellcheck disable=SC2086
  "$n" run $c $small --frame gen:test-2 --engine golden --json "$t/$name.json" "$@" >"$t/run.log" 2>&1
  value cycles "$t/$name.json"
}
with=$(cycles with) without=$(cycles without --set draw_scheduler.eligible=false)
[ -n "$with" ] && [ "$with" != "$without" ] && good "eligible acts: $with cycles, without $without" ||
  bad "eligible" "$with cycles, without $without"

# Early transfers take memory bandwidth: a beat's bytes for each read of the sender, read and write of the merge.
for memory in false true; do
  # shellcheck disable=SC2086
  "$n" run $c $small --frame gen:test-7 --set gpus=6 --engine golden --set distributor.early_memory=$memory \
    --json "$t/$memory.json" >"$t/run.log" 2>&1
done
early=$(value traffic.composition_early_bytes "$t/true.json") less=$(value cycles "$t/false.json") more=$(value cycles "$t/true.json")
bytes=$(jq -s 'map(.memory | add) | .[1] - .[0]' "$t/false.json" "$t/true.json")
[ "$more" -gt "$less" ] && [ "$bytes" -gt "$early" ] && [ "$bytes" -lt $((early * 3)) ] &&
  good "early transfers take memory bandwidth: $bytes bytes for $early sent, $more cycles, else $less" ||
  bad "distributor.early_memory" "$bytes bytes for $early sent, $more cycles, else $less"

# A frame of which nothing is composed takes what duplication takes, to the cycle.
alone=$(cycles alone --set driver.threshold=100000) copies=$(cycles copies --set scheme=duplication)
[ -n "$alone" ] && [ "$alone" = "$copies" ] && good "nothing composed: as duplication" ||
  bad "nothing composed" "$alone cycles, duplication $copies"

# Both sequences together have what the rules are about.
for reason in stale_depth composed; do
  found=0
  for sequence in "test-4 --seed 2" "test-7 --seed 7"; do
    # shellcheck disable=SC2086
    "$n" run $c $small --frames gen:$sequence --count 1 --engine golden --json "$t/run.json" >"$t/run.log" 2>&1
    found=$((found + $(jq "[.frames[].groups.by_reason.$reason] | add" "$t/run.json")))
  done
  [ "$found" -gt 0 ] && good "the sequences have groups: $reason" || bad "the sequences have no group: $reason" ""
done

if "$n" run $c --set driver.by_all=false >"$t/run.log" 2>&1; then
  bad "scouts without draws by all" "taken"
else
  check "scouts without draws by all are refused" grep -q "scout.triangles=64: only with driver.by_all=true" "$t/run.log"
fi

if "$n" run $c --set distributor.early=64 --set composition_scheduler.lookahead=0 >"$t/run.log" 2>&1; then
  bad "early stamps without lookahead" "taken"
else
  check "early stamps without lookahead are refused" grep -q "distributor.early=64: only with composition_" "$t/run.log"
fi
