#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Energy and texture traffic of a run, recomputed from its counts with the figures of
# docs/texture-designs.md: each term, of every design.
set -u
. tests/scripts/lib.sh

recompute() { # design json: a line for each term that differs
  jq -r --arg design "$1" '
    def close_to($what; $stated; $expected):
      if ($stated - $expected | fabs) <= 1e-9 * $expected then empty
      else "\($what): stated \($stated), from the counts \($expected)" end;
    (3.7 + 0.9) as $mac | 1e-12 as $pj | ($design | test("tfim")) as $tfim |
    (if $design == "baseline" then 0 else 1 end) as $hmc | (if $design == "s_tfim" then 0 else 1 end) as $reads |
    .energy as $e | .texture as $t | .traffic as $bytes |
    ($e.link_j + $e.dram_j + $e.shader_j + $e.texture_units_j + $e.caches_j + $e.cube_j) as $sum |
    close_to("shader"; $e.shader_j; .stages.shading * (70 + 16 * 4 * $mac) * $pj),
    close_to("caches"; $e.caches_j; ($t.l1_lookups * 113 + $t.l2_lookups * 304) * $pj),
    close_to("texture units"; $e.texture_units_j;
             ($t.address_operations * (0.1 + $mac) + $t.filter_operations * 4 * $mac) * $pj),
    close_to("cube"; $e.cube_j; $t.children * (2 * 0.1 + 4 * $mac) * $pj),
    close_to("link"; $e.link_j; $hmc * $bytes.cube_link_bytes * 8 * 5 * $pj),
    (select($hmc == 1) | close_to("DRAM"; $e.dram_j; $bytes.cube_tsv_bytes * 8 * 4 * $pj)),
    close_to("leakage"; $e.leakage_j; $sum / 10),
    close_to("total"; $e.total_j; $sum * 1.1),
    close_to("packages"; $bytes.texture_package_bytes; $t.packages * 64),
    close_to("responses"; $bytes.texture_response_bytes; $t.packages * 80),
    close_to("traffic"; $bytes.texture_bytes;
             $reads * $t.line_reads * (16 + 80) + $t.packages * (64 + 80) + $bytes.texture_signal_bytes),
    if $e.dram_j <= 0 or $t.l1_lookups == 0 or $bytes.texture_bytes == 0 or ($t.packages > 0) != $tfim or
       ($t.children > 0) != ($design == "a_tfim") then "nothing was counted" else empty end' "$2"
}
for design in baseline b_pim s_tfim a_tfim; do
  if "$n" run vectors/config/atfim.yaml --engine golden --frame gen:test-1 \
      --set texture.design=$design --json "$t/$design.json" >"$t/$design.log" 2>&1 &&
    recompute $design "$t/$design.json" >"$t/$design.out" 2>&1 && ! [ -s "$t/$design.out" ]; then
    good $design
  else
    bad $design "" "$t/$design.out"
  fi
done

# GDDR5, a run for each of its prices alone, by a set of one's own: background is the channels'
# cycles; a row has 64 accesses, and few are opened in vain; with the bundled prices the terms are
# what the run above says.
prices='activate 6000 read 1260 write 1420 background 675'
# shellcheck disable=SC2086
set -- $prices
terms=""
while [ $# -gt 0 ]; do
  sed "s/^gddr5_\([a-z]*\): [0-9]*/gddr5_\1: 0/; s/^gddr5_$1: 0/gddr5_$1: 1000/" \
    vectors/sets/energy/horowitz.yaml >"$t/$1.yaml"
  "$n" run vectors/config/atfim.yaml --engine golden --frame gen:test-1 --set texture.design=baseline \
    --set "energy=$t/$1.yaml" --json "$t/$1.json" >"$t/$1.log" 2>&1
  terms="$terms $2 $(value energy.dram_j "$t/$1.json")"
  shift 2
done
cycles=$(value cycles "$t/background.json")
# shellcheck disable=SC2086
if echo $terms "$(value energy.dram_j "$t/baseline.json")" "$cycles" | awk '
    function near(a, b) { return a > b * (1 - 1e-6) && a < b * (1 + 1e-6) }
    NF != 10 { exit 1 }
    { for (i = 1; i <= 8; i += 2) { sum += $i * $(i + 1) / 1000; if ($(i + 1) <= 0) exit 1 }
      accesses = $4 + $6
      exit !($2 > accesses / 64 && $2 < accesses / 4 && near($9, sum) && $8 > $10 * 8 * 1e-9 * 0.999 && $8 < $10 * 8 * 1e-9 * 1.001) }'; then
  good gddr5
else
  bad gddr5 "$terms, $(value energy.dram_j "$t/baseline.json"), $cycles cycles" "$t/background.log"
fi
