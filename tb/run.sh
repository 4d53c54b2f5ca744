#!/bin/sh
# `make run`: the bundled real frame on 8 GPUs, every cycle of the hardware checked.
set -eu
nocturne=$1
out=build/run
mkdir -p "$out"
echo "Rendering vectors/frames/nexuiz/bench1_ultra.nframe on 8 GPUs, in lockstep."
echo "(The first time the hardware is compiled by Verilator.)"
"$nocturne" run vectors/config/chopin.yaml --engine lockstep --baseline duplication \
  --json "$out/chopin.json" --image "$out/chopin.png" --reference "$out/single.png" \
  --difference "$out/difference.png"
echo "picture:    $out/chopin.png (single GPU: $out/single.png, difference: $out/difference.png)"
echo "result:     $out/chopin.json"
