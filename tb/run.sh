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
echo "CHOPIN: vectors/frames/nexuiz/bench1_ultra.nframe on 8 GPUs, in lockstep."
echo "(The first time the hardware is compiled by Verilator, which takes longer than the run.)"
"$nocturne" run vectors/config/chopin.yaml --engine lockstep --baseline duplication --explain \
  --json "$out/chopin.json" --image "$out/chopin.png" --reference "$out/single.png" \
  --difference "$out/difference.png"
echo "picture:    $out/chopin.png (single GPU: $out/single.png, difference: $out/difference.png)"
echo "result:     $out/chopin.json"
echo
echo "CHOPIN and our extensions: two consecutive frames of $sequence; the paper's machine and the"
echo "extended one in lockstep, what lies between with the golden models."
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
END
echo
echo "A-TFIM: $textured with each texture design, in lockstep."
"$nocturne" sweep vectors/sweeps/designs.yaml --engine lockstep --frame "$textured" --no-plots \
  --out "$out/designs"

value() { # design key: the first of this name in the run's JSON
  sed -n "s/^ *\"$2\": \([-0-9.e+]*\),*$/\1/p" "$out/designs/logs/$1.json" | head -n 1
}
cat <<END

in words
  shown    One frame, its textures filtered by the GPU from GDDR5 (baseline), from a memory cube (b_pim),
           wholly inside the cube (s_tfim), inside the cube with reuse (a_tfim: A-TFIM), and without
           anisotropy (isotropic). Every picture is the one that the golden models give, and of A-TFIM's
           RTL every output in every cycle.
END
awk -v base="$(value baseline cycles)" -v ours="$(value a_tfim cycles)" -v children="$(value a_tfim children)" \
  -v texels="$(value baseline filter_operations)" -v before="$(value baseline texture_bytes)" \
  -v after="$(value a_tfim texture_bytes)" -v packages="$(value a_tfim packages)" -v psnr="$(value a_tfim psnr_db)" 'BEGIN {
  printf "  speed    A-TFIM takes %d cycles, the baseline %d: %.3f times as fast%s.\n", ours, base, base / ours,
    (ours > base ? ", that is slower" : "")
  if (ours > base) {
    printf "  why      The hardware in the cube reads %.1f million texels, %.1f a cycle; the baseline'"'"'s texture units\n", children / 1e6,
      children / ours
    printf "           %.1f million, %.1f a cycle: the rate of the hardware in the cube decides, not the memory'"'"'s.\n", texels / 1e6,
      texels / base
    printf "           docs/texture-designs.md has what each limit costs.\n"
  }
  printf "  traffic  %.1f MB of texture instead of %.1f", after / 1e6, before / 1e6
  if (after > before) {
    printf ": what it asks for goes as %.2f million messages of 64 bytes there\n           and 80 back", packages / 1e6
  }
  printf ".\n"
}'
