#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Recomputes energy and texture traffic of a run from its counts, each term, for every design that
# has a row with a memory in docs/results/texture-designs.md, with the figures of that page.
set -u
. tests/scripts/lib.sh

# The timed designs of the page and their facts: name, memory, texture units, anisotropic part.
rows() {
  awk -F ' *[|] *' '/^\| `[a-z_]+` / && $4 ~ /GDDR5|HMC/ {
    name = $2; gsub("`", "", name)
    print name, $4 ~ /HMC/ ? "hmc" : "gddr5", $3 ~ /cube/ ? "inside" : "outside", $5 ~ /cube/ ? "rtl" : "units"
  }' docs/results/texture-designs.md
}

recompute() { # memory place anisotropic json: prints the terms that differ, and fails if any does
  jq -e -r --arg memory "$1" --arg place "$2" --arg anisotropic "$3" '
    def differ($what; $stated; $expected):
      select((($stated - $expected) | fabs) > 1e-9 * $expected) |
      "\($what): stated \($stated), from the counts \($expected)";
    (3.7 + 0.9) as $mac | 1e-12 as $pj | ($memory == "hmc") as $hmc |
    ($place == "inside" or $anisotropic == "rtl") as $packages |
    .energy as $e | .texture as $t | .traffic as $b |
    ($e.link_j + $e.dram_j + $e.shader_j + $e.texture_units_j + $e.caches_j + $e.cube_j) as $sum |
    [differ("shader"; $e.shader_j; .stages.shading * (70 + 16 * 4 * $mac) * $pj),
     differ("caches"; $e.caches_j; ($t.l1_lookups * 113 + $t.l2_lookups * 304) * $pj),
     differ("texture units"; $e.texture_units_j;
            ($t.address_operations * (0.1 + $mac) + $t.filter_operations * 4 * $mac) * $pj),
     differ("cube"; $e.cube_j; $t.children * (2 * 0.1 + 4 * $mac) * $pj),
     differ("link"; $e.link_j; if $hmc then $b.cube_link_bytes * 8 * 5 * $pj else 0 end),
     (select($hmc) | differ("DRAM"; $e.dram_j; $b.cube_tsv_bytes * 8 * 4 * $pj)),
     differ("leakage"; $e.leakage_j; $sum / 10),
     differ("total"; $e.total_j; $sum * 1.1),
     differ("packages"; $b.texture_package_bytes; $t.packages * 64),
     differ("responses"; $b.texture_response_bytes; $t.packages * 80),
     differ("traffic"; $b.texture_bytes;
            (if $place == "inside" then 0 else $t.line_reads end) * (16 + 80) +
            $t.packages * (64 + 80) + $b.texture_signal_bytes),
     (select($e.dram_j <= 0 or $t.l1_lookups == 0 or $b.texture_bytes == 0 or
             ($t.packages > 0) != $packages or ($t.children > 0) != ($anisotropic == "rtl")) |
      "nothing was counted")] |
    .[], length == 0' "$4"
}

# A row for every timed design that a run takes.
named=$("$n" config --markdown | sed -n 's/^| `texture.design` | [^|]*| \([^|]*\) |.*/\1/p' | sed 's/, \| or /\n/g' | grep -v '^rate$' | sort)
check "the page has every design" [ "$named" = "$(rows | cut -d ' ' -f 1 | sort)" ]
while read -r design memory place anisotropic; do
  if "$n" run vectors/config/atfim.yaml --engine golden --frame gen:test-1 \
      --set "texture.design=$design" --json "$t/$design.json" >"$t/$design.log" 2>&1 &&
    recompute "$memory" "$place" "$anisotropic" "$t/$design.json" >"$t/$design.out"; then
    good "$design"
  else
    bad "$design" "" "$t/$design.out"
  fi
done < <(rows)

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
