#!/bin/bash
# The textured real frame under A-TFIM: one result from three engines, and with reuse off every
# sample within its bound.
set -u
n=build/nocturne
t=build/test/textured_frame
mkdir -p "$t"
. tests/engines.sh
run=(vectors/config/atfim.yaml --frame vectors/frames/openarena/demo088_test1_1300.nframe)
engines reuse "${run[@]}"
if "$n" run "${run[@]}" --engine golden --set texture.angle_threshold=always \
  --set texture.track_error=1 >"$t/always.log" 2>&1; then
  echo "ok reuse off: picture and samples within their bounds"
else
  echo "not ok reuse off"
  head -n 12 "$t/always.log"
fi
