#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Energy and texture traffic of a run, recomputed from its counts with the figures of
# docs/texture-designs.md: each term, of every design.
set -u
. tests/scripts/lib.sh

recompute() { # design json
  awk -v design="$1" '
    /^  "[a-z]+": \{/ { group = $1; gsub(/[":]/, "", group) }
    /^    "/ { key = $1; gsub(/[":,]/, "", key); v[group "." key] = $2 + 0 }
    function close_to(what, stated, expected) {
      if (stated - expected > 1e-9 * expected || expected - stated > 1e-9 * expected) {
        printf "%s: stated %.10g, from the counts %.10g\n", what, stated, expected; wrong = 1
      }
    }
    END {
      mac = 3.7 + 0.9; pj = 1e-12; hmc = design != "baseline"
      close_to("shader", v["energy.shader_j"], v["stages.shading"] * (70 + 16 * 4 * mac) * pj)
      close_to("caches", v["energy.caches_j"], (v["texture.l1_lookups"] * 113 + v["texture.l2_lookups"] * 304) * pj)
      close_to("texture units", v["energy.texture_units_j"],
               (v["texture.address_operations"] * (0.1 + mac) + v["texture.filter_operations"] * 4 * mac) * pj)
      close_to("cube", v["energy.cube_j"], v["texture.children"] * (2 * 0.1 + 4 * mac) * pj)
      close_to("link", v["energy.link_j"], hmc * v["traffic.cube_link_bytes"] * 8 * 5 * pj)
      if (hmc) close_to("DRAM", v["energy.dram_j"], v["traffic.cube_tsv_bytes"] * 8 * 4 * pj)
      sum = v["energy.link_j"] + v["energy.dram_j"] + v["energy.shader_j"]
      sum += v["energy.texture_units_j"] + v["energy.caches_j"] + v["energy.cube_j"]
      close_to("leakage", v["energy.leakage_j"], sum / 10)
      close_to("total", v["energy.total_j"], sum * 1.1)
      lines = design == "s_tfim" ? 0 : v["texture.line_reads"]
      close_to("packages", v["traffic.texture_package_bytes"], v["texture.packages"] * 64)
      close_to("responses", v["traffic.texture_response_bytes"], v["texture.packages"] * 80)
      messages = v["texture.packages"] * (64 + 80) + v["traffic.texture_signal_bytes"]
      close_to("traffic", v["traffic.texture_bytes"], lines * (16 + 80) + messages)
      if (v["energy.dram_j"] <= 0 || v["texture.l1_lookups"] == 0 || v["traffic.texture_bytes"] == 0 ||
          (v["texture.packages"] > 0) != (design ~ /tfim/) || (v["texture.children"] > 0) != (design == "a_tfim")) {
        print "nothing was counted"; wrong = 1
      }
      exit wrong
    }' "$2"
}
for design in baseline b_pim s_tfim a_tfim; do
  if "$n" run vectors/config/atfim.yaml --engine golden --frame gen:test-1 \
      --set texture.design=$design --json "$t/$design.json" >"$t/$design.log" 2>&1 &&
    recompute $design "$t/$design.json" >"$t/$design.out"; then
    good $design
  else
    bad $design "" "$t/$design.out"
  fi
done

# GDDR5, a run for each of its prices alone, by a set of one's own: background is the channels'
# cycles; a row has 64 accesses, and few are opened in vain; with the bundled prices the terms are
# what the run above says.
value() { # json key
  sed -n "s/^ *\"$2\": \([-0-9.e+]*\),\{0,1\}$/\1/p" "$1" | head -n 1
}
prices='activate 6000 read 1260 write 1420 background 675'
# shellcheck disable=SC2086
set -- $prices
terms=""
while [ $# -gt 0 ]; do
  sed "s/^gddr5_\([a-z]*\): [0-9]*/gddr5_\1: 0/; s/^gddr5_$1: 0/gddr5_$1: 1000/" \
    vectors/sets/energy/horowitz.yaml >"$t/$1.yaml"
  "$n" run vectors/config/atfim.yaml --engine golden --frame gen:test-1 --set texture.design=baseline \
    --set "energy=$t/$1.yaml" --json "$t/$1.json" >"$t/$1.log" 2>&1
  terms="$terms $2 $(value "$t/$1.json" dram_j)"
  shift 2
done
cycles=$(value "$t/background.json" cycles)
# shellcheck disable=SC2086
if echo $terms "$(value "$t/baseline.json" dram_j)" "$cycles" | awk '
    function near(a, b) { return a > b * (1 - 1e-6) && a < b * (1 + 1e-6) }
    NF != 10 { exit 1 }
    { for (i = 1; i <= 8; i += 2) { sum += $i * $(i + 1) / 1000; if ($(i + 1) <= 0) exit 1 }
      accesses = $4 + $6
      exit !($2 > accesses / 64 && $2 < accesses / 4 && near($9, sum) && $8 > $10 * 8 * 1e-9 * 0.999 && $8 < $10 * 8 * 1e-9 * 1.001) }'; then
  good gddr5
else
  bad gddr5 "$terms, $(value "$t/baseline.json" dram_j), $cycles cycles" "$t/background.log"
fi
