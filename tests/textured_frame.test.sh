#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The textured real frame under A-TFIM: one result from three engines, and with reuse off every
# sample within its bound.
set -u
. tests/lib.sh
. tests/engines.sh
run=(vectors/config/atfim.yaml --frame vectors/frames/openarena/demo088_test1_1300.nframe)
engines reuse "${run[@]}"
if "$n" run "${run[@]}" --engine golden --set texture.angle_threshold=always \
  --set texture.track_error=1 >"$t/always.log" 2>&1; then
  good "reuse off: picture and samples within their bounds"
else
  bad "reuse off" "" "$t/always.log"
fi
