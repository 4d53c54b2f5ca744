#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The pictures of emerald.yaml are the same to the byte whatever the fronts, coalescers, work tiles and GPUs, and what is
# on acts: 24 cases, golden and some in lockstep. GPUs compose; order tags decide which of two equally near surfaces is
# seen (driver.order_tag). Transparent layers that are composed may round otherwise, within the judge's bound, which is 0
# at pixels without such a layer: the same case under duplication must then give the single GPU's bytes. LONG=1: all of
# 72 frames, golden; 15 of them in lockstep, with each value of each key. LONG=PATTERN: of the frames that match alone
# (grep -E), so that it runs in parts. It says how long that took.
set -u
. tests/scripts/lib.sh
c=vectors/config/emerald.yaml
declare -A first  # picture of a frame
runs=0 wrong=0 rounded=0 locked=0 compared=0 masks=0 tiles=0

# ENGINE FRAME FRONT ENGINES WT GPUS [SCHEME]
picture() {
  local set="--set gpu.front=$3 --set gpu.tc_engines=$4 --set gpu.wt=$5 --set gpus=$6" sha violations off of m
  local scheme=${7:-chopin}
  [ "$6" -eq 1 ] || set="$set --set scheme=$scheme"
  [ "$6" -eq 1 ] || [ "$scheme" != chopin ] || set="$set --set driver.threshold=20 --set driver.order_tag=true"
  runs=$((runs + 1))
  [ "$1" != lockstep ] || locked=$((locked + 1))
  # shellcheck disable=SC2086
  if ! "$n" run $c --frame "$2" --engine "$1" $set --json "$t/run.json" >"$t/run.log" 2>&1; then
    bad "$2 in $1" "$set" "$t/run.log"
    wrong=$((wrong + 1))
    return
  fi
  read -r sha violations off of m tc steps differ < <(jq -r '[.image.sha256,
    .image.violations + .image.target_violations, .image.tie_pixels + .image.max_abs_error,
    (.vpo.bits_per_primitive // 0), (.vpo.masks // 0), (.tc.tiles // 0)] +
    [.engine.units | (map(.cycles_compared) | add // 0), (map(.mismatches) | add // 0)] | @tsv' "$t/run.json")
  : "${first[$2]:=$sha}"
  masks=$((masks + m)) tiles=$((tiles + tc)) compared=$((compared + steps))
  if [ "$3" = cluster ] && [ "$of" = 0 ] || [ "$4" -gt 0 ] && [ "$tc" -eq 0 ]; then
    bad "$2 in $1" "$set: what is on does not act"
  fi
  if [ "$sha" != "${first[$2]}" ] && [ "$violations$differ" = 00 ] && [ "$off" -ne 0 ] && [ $# -eq 6 ]; then
    rounded=$((rounded + 1))
    picture "$@" duplication
  elif [ "$sha" != "${first[$2]}" ] || [ "$violations$differ" != 00 ]; then
    bad "$2 in $1" "$set: picture $sha and not ${first[$2]}, violations $violations, mismatches $differ"
    wrong=$((wrong + 1))
  fi
}

all() { # ENGINE FRAME, then words FRONT:ENGINES:WT:GPUS
  local engine=$1 frame=$2 case
  for case in "${@:3}"; do
    # shellcheck disable=SC2086
    picture "$engine" "$frame" ${case//:/ }
  done
}

# The frames of games compose groups of their own size.
if [ -n "${LONG:-}" ]; then
  unset NOCTURNE_QUICK
  games="vectors/frames/nexuiz/bench1_ultra.nframe vectors/frames/openarena/demo088_test1.nframe"
  [ "$LONG" = 1 ] && LONG=.
  chosen() { printf '%s\n' "$@" | grep -E -- "$LONG"; }
  for frame in $(chosen $(seq -f gen:test-%g 1 64) $games $(seq -f gen:w%g 1 6)); do
    # shellcheck disable=SC2046
    all golden "$frame" $(echo {shared,cluster}:{0,1,2,8}:{1,3,7}:{1,3,8})
  done
  for frame in $(chosen $(seq -f gen:test-%g 1 8) "${games%% *}" $(seq -f gen:w%g 1 6)); do
    all lockstep "$frame" shared:0:1:1 cluster:0:3:3 cluster:1:7:1 shared:2:3:3 cluster:8:1:3
  done
else
  all golden gen:test-1 {shared,cluster}:{0,1,2,8}:3:1
  all golden gen:w5-64x48 {shared,cluster}:{0,2}:{1,7}:1
  all golden gen:test-4 shared:0:1:1 cluster:0:1:3 cluster:2:3:3 cluster:8:7:8
  all lockstep gen:test-3 shared:0:1:1 cluster:2:1:1 cluster:8:7:1 cluster:1:3:3
fi
[ "$wrong" -eq 0 ] && good "$runs pictures as they must be"
[ "$masks" -gt 0 ] && [ "$tiles" -gt 0 ] && { [ "$locked" -eq 0 ] || [ "$compared" -gt 0 ]; } &&
  good "acted: $masks masks, $tiles TC tiles, $compared cycles of units compared" || bad "acted" "$masks $tiles $compared"
[ -z "${LONG:-}" ] ||
  echo "  $rounded pictures on several GPUs differ by rounding, and not under duplication; $((SECONDS / 60)) minutes"
