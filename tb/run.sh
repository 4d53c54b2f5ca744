#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make run`: the bundled real frames, every cycle of the hardware checked; then what was shown, in
# words. All figures are those of the runs.
set -eu
nocturne=$1
out=build/run
sequence=vectors/frames/nexuiz/bench1_ultra_6.nframe
textured=vectors/frames/openarena/demo088_test1_1300.nframe
mkdir -p "$out"
# A small frame builds the units that later runs need, while the first one keeps one processor busy.
for config in extended atfim; do
  "$nocturne" run "vectors/config/$config.yaml" --engine lockstep --frame gen:test-1
done >"$out/units.log" 2>&1 &
units=$!
trap 'kill $units 2>/dev/null || :' EXIT
echo "CHOPIN: vectors/frames/nexuiz/bench1_ultra.nframe on 8 GPUs, in lockstep."
echo "(The first time the hardware is compiled by Verilator, which takes longer than the run.)"
"$nocturne" run vectors/config/chopin.yaml --engine lockstep --baseline duplication --explain \
  --json "$out/chopin.json" --image "$out/chopin.png" --reference "$out/single.png" \
  --difference "$out/difference.png"
echo "picture:    $out/chopin.png (single GPU: $out/single.png, difference: $out/difference.png)"
echo "result:     $out/chopin.json"
echo
echo "CHOPIN and our extensions: two consecutive frames of $sequence; the paper's machine, the"
echo "extended one and the next in lockstep, what lies between with the golden models."
tb/extensions.sh "$nocturne" "$sequence" "$out/extensions" lockstep --count 2
cat <<END
in words
  speedup      Over primitive duplication, one extension more in each row. Results: $out/extensions.
  OpaqueAhead  Commands that all GPUs get may run 64 ahead, so that none waits for the slowest; draws that one GPU
               gets are still given out late, when it shows who has least to do.
  Lookahead    The composition scheduler grants the next transfers while one is under way: no round trip each.
  by-all       A draw of few triangles that covered a large area in the frame before goes to all GPUs, each
               drawing its own tiles, where it would hold one up. So a first frame has none.
  weights      The others count by the cycles that they took in the frame before.
  next.yaml    Draws are cut, and a piece goes to a GPU that can take it at once; small draws are projected ahead, so
               that a first frame has by-all draws, too; broadcasts send only what may be read; GPUs send what they
               have drawn of a group while they draw the rest (docs/results/chopin-next.md).
END
echo
echo "A-TFIM: $textured with each texture design, in lockstep."
"$nocturne" sweep vectors/sweeps/designs.yaml --engine lockstep --frame "$textured" --no-plots \
  --out "$out/designs"

cat <<END

in words
  shown    One frame, its textures filtered by the GPU from GDDR5 (baseline), from a memory cube (b_pim), wholly
           inside the cube (s_tfim), inside the cube with reuse (a_tfim), and without anisotropy (isotropic).
           Texture units and vaults are the same in all rows; A-TFIM has four layers of units in the cube, where the
           paper has one, with 8 times its storage for parents. Every picture is the one that the golden models
           give, and of A-TFIM's RTL every output in every cycle.
END
value() { jq "$2" "$out/designs/logs/$1.json"; }
awk -v base="$(value baseline .cycles)" -v cube="$(value b_pim .cycles)" -v a="$(value a_tfim .cycles)" \
  -v packages="$(value a_tfim .texture.packages)" -v children="$(value a_tfim .texture.children)" \
  -v none="$(value isotropic .quality.psnr_db)" -v psnr="$(value a_tfim .quality.psnr_db)" 'BEGIN {
  printf "  speed    A-TFIM %d cycles, the baseline %d: %.3f times as fast%s; b_pim %.3f times.\n", a, base, base / a,
    (a > base ? ", that is slower" : ""), base / cube
  printf "  why      A line of 16 parents is asked for once for all pixels that need it: %.2f million packages,\n",
    packages / 1e6
  printf "           for which the cube adds %.1f million texels.\n", children / 1e6
  printf "           The paper states 1.43 with its rule of 1.8 degrees; docs/results/texture-designs.md has ours with it, and what is missed.\n"
  printf "  picture  PSNR to the baseline %.1f dB with A-TFIM, %.1f dB without anisotropy.\n", psnr, none
}'
