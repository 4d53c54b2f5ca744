#!/bin/bash
# The same result, byte for byte, from all three engines (but for "engine" and "timing"),
# and a right picture: real frames, and generated ones with every kind of state.
set -u
n=build/nocturne
t=build/test/frames
mkdir -p "$t"
# The JSON without its last two objects, engine and timing.
strip() { awk '/^  "engine": \{/ { exit } { print }' "$1"; }

engines() { # name config-args...
  local name=$1 e
  shift
  for e in golden rtl lockstep; do
    if ! "$n" run vectors/config/chopin.yaml --engine "$e" --json "$t/$name.$e.json" "$@" \
        >"$t/$name.$e.log" 2>&1; then
      echo "not ok $name, engine $e"
      head -n 12 "$t/$name.$e.log"
      return
    fi
    strip "$t/$name.$e.json" >"$t/$name.$e.stripped"
  done
  if cmp -s "$t/$name.golden.stripped" "$t/$name.rtl.stripped" &&
     cmp -s "$t/$name.golden.stripped" "$t/$name.lockstep.stripped"; then
    echo "ok $name: three engines, one result"
  else
    echo "not ok $name: the engines' results differ"
  fi
}

picture() { # name args...: golden engine, exit status judges the picture
  local name=$1
  shift
  if "$n" run vectors/config/chopin.yaml --engine golden "$@" >"$t/$name.log" 2>&1; then
    echo "ok $name: picture"
  else
    echo "not ok $name: picture"
    head -n 8 "$t/$name.log"
  fi
}

engines nexuiz --frame vectors/frames/nexuiz/bench1_ultra.nframe
engines openarena --frame vectors/frames/openarena/demo088_test1.nframe
engines duplication --set scheme=duplication
engines single --set scheme=single
for scheme in gpupd gpupd_ideal chopin_ideal; do
  engines "$scheme" --set "scheme=$scheme"
done
for seed in 1 2 3 4; do
  engines "test-$seed" --frame "gen:test-$seed" --set driver.threshold=20
done
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
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
    --set gpupd.batch_draws=3 --set gpupd.runahead=false
done
for map in skew work_tiles halving; do
  picture "map-$map" --frame gen:test-5 --set driver.threshold=20 --set "distributor.map=$map"
done
for cell in tile block; do
  picture "cell-$cell" --frame gen:test-6 --set driver.threshold=20 --set "distributor.cell=$cell"
done
