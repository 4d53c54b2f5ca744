#!/bin/sh
# `make run`: the bundled real frames, every cycle of the hardware checked.
set -eu
nocturne=$1
out=build/run
textured=vectors/frames/openarena/demo088_test1_1300.nframe
mkdir -p "$out"
echo "CHOPIN: vectors/frames/nexuiz/bench1_ultra.nframe on 8 GPUs, in lockstep."
echo "(The first time the hardware is compiled by Verilator.)"
"$nocturne" run vectors/config/chopin.yaml --engine lockstep --baseline duplication \
  --json "$out/chopin.json" --image "$out/chopin.png" --reference "$out/single.png" \
  --difference "$out/difference.png"
echo "picture:    $out/chopin.png (single GPU: $out/single.png, difference: $out/difference.png)"
echo "result:     $out/chopin.json"
echo
echo "A-TFIM: $textured with each texture design, in lockstep."
"$nocturne" sweep vectors/sweeps/designs.yaml --engine lockstep --frame "$textured" \
  --out "$out/designs"
