#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The textured real frame under A-TFIM in the golden models: a right picture. With LONG one result
# from three engines, and with reuse off every sample as without time (small frames: texture.test.sh).
set -u
. tests/scripts/lib.sh
. tests/scripts/engines.sh
unset NOCTURNE_QUICK
run=(vectors/config/atfim.yaml --frame vectors/frames/openarena/demo088_test1_1300.nframe)
check "picture" "$n" run "${run[@]}" --engine golden
[ -n "${LONG:-}" ] || exit 0
engines reuse "${run[@]}"
check "reuse off: picture and samples" "$n" run "${run[@]}" --engine golden \
  --set texture.angle_threshold=always --set texture.track_error=1
