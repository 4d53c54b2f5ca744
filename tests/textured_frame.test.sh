#!/bin/bash
# The textured real frame under A-TFIM: one result from three engines, and with reuse off every
# sample within its bound.
set -u
n=build/nocturne
t=build/test/textured_frame
frame=vectors/frames/openarena/demo088_test1_1300.nframe
mkdir -p "$t"
run() { # name args...
  local name=$1
  shift
  if ! "$n" run vectors/config/atfim.yaml --frame "$frame" --json "$t/$name.json" "$@" \
      >"$t/$name.log" 2>&1; then
    echo "not ok $name"
    head -n 12 "$t/$name.log"
    return 1
  fi
  awk '/^  "engine": \{/ { exit } { print }' "$t/$name.json" >"$t/$name.stripped"
}

for engine in golden rtl lockstep; do
  run "$engine" --engine "$engine" && echo "ok $engine"
done
if cmp -s "$t/golden.stripped" "$t/rtl.stripped" && cmp -s "$t/golden.stripped" "$t/lockstep.stripped"
then
  echo "ok three engines, one result"
else
  echo "not ok the engines' results differ"
fi
run always --engine golden --set texture.angle_threshold=always --set texture.track_error=1 &&
  echo "ok reuse off: picture and samples within their bounds"
