#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same result, byte for byte, from all three engines (but for "engine" and "timing"),
# and a right picture: real frames, and generated ones with every kind of state.
set -u
. tests/scripts/lib.sh
. tests/scripts/engines.sh
unset NOCTURNE_QUICK
c=vectors/config/chopin.yaml

picture() { # name args...: golden engine, exit status judges the picture
  local name=$1
  shift
  if "$n" run $c --engine golden "$@" >"$t/$name.log" 2>&1; then
    good "$name: picture"
  else
    bad "$name: picture" "" "$t/$name.log"
  fi
}

engines nexuiz $c --frame vectors/frames/nexuiz/bench1_ultra.nframe
[ -z "${LONG:-}" ] || engines nexuiz-frames $c --frames vectors/frames/nexuiz/bench1_ultra_6.nframe
engines openarena $c --frame vectors/frames/openarena/demo088_test1.nframe
# Those of the other schemes on a small frame, with LONG on the captured one.
small=(--frame gen:test-2 --set driver.threshold=20)
[ -z "${LONG:-}" ] || small=()
for scheme in duplication single gpupd gpupd_ideal chopin_ideal; do
  engines "$scheme" $c "${small[@]}" --set "scheme=$scheme"
done
for seed in 1 2 ${LONG:+3 4}; do
  engines "test-$seed" $c --frame "gen:test-$seed" --set driver.threshold=20
done
for seed in 1 2 3 4 ${LONG:+5 6 7 8 9 10 11 12 13 14 15 16}; do
  picture "chopin-$seed" --frame "gen:test-$seed" --set driver.threshold=20 \
    --set "gpus=$((2 + seed % 7))"
  picture "broadcast-$seed" --frame "gen:test-$seed" --set driver.threshold=20 \
    --set driver.depth_broadcast=true --set driver.order_tag=true
  picture "direct-$seed" --frame "gen:test-$seed" --set driver.threshold=20 \
    --set scheme=chopin_direct --set driver.depth_broadcast=true
  picture "ideal-$seed" --frame "gen:test-$seed" --set driver.threshold=20 \
    --set scheme=chopin_ideal --set driver.order_tag=true --set "gpus=$((2 + seed % 7))"
  picture "gpupd-$seed" --frame "gen:test-$seed" --set scheme=gpupd \
    --set gpupd.batch_primitives=100 --set "gpus=$((2 + seed % 7))"
  picture "gpupd-alone-$seed" --frame "gen:test-$seed" --set scheme=gpupd \
    --set gpupd.batch_draws=3 --set gpupd.runahead=false --set gpupd.culled=true
done
for map in skew work_tiles halving; do
  picture "map-$map" --frame gen:test-5 --set driver.threshold=20 --set "distributor.map=$map"
done
for cell in tile block; do
  picture "cell-$cell" --frame gen:test-6 --set driver.threshold=20 --set "distributor.cell=$cell"
done
