#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a command writes and the repository holds is what the command writes today.
set -u
. tests/scripts/lib.sh
current() { # name committed written
  if cmp -s "$2" "$3"; then
    good "$1"
  else
    diff "$2" "$3" >"$t/log"
    bad "$1" "$2 is not what the command writes" "$t/log"
  fi
}
"$n" config --markdown >"$t/configuration.md" && current configuration docs/reference/configuration.md "$t/configuration.md"

# Core keys stay few; each key is of one group.
core=$(grep -c '^| `.*| core |$' "$t/configuration.md")
others=$(grep -cE '^\| `.*\| (extension|reading) \|$' "$t/configuration.md")
if [ "$core" -le 96 ] && [ "$core" -ge 50 ]; then good "core keys: $core"; else bad "core keys: $core"; fi
keys() { sed '/^## Named sets/q' "$t/configuration.md" | grep -c '^| `'; }
check "other keys: $others" [ $((core + others)) -eq "$(keys)" ]

# Pictures, and the tables of docs/hardware/area.md: of what is there today, or marked as older.
if NOCTURNE=$n tb/products.sh check >"$t/products"; then
  good "pictures and tables of what they cost: $(wc -l <docs/products.txt)"
else
  bad "pictures and tables of what they cost" "" "$t/products"
fi

# The pages of the papers' figures: of the committed tables, every table on a page.
mkdir -p "$t/results"
cp -r docs/results/tables "$t/results/"
"$n" paper --pages --full --out "$t/results" --runs "$t/runs" >"$t/pages.log" 2>&1
written=$(grep -L '^Made by .make paper' docs/results/*.md | sed 's|.*/|-x |')  # by hand
# shellcheck disable=SC2086
if diff -r $written docs/results "$t/results" >"$t/diff"; then good results; else bad results "make paper FULL=1" "$t/diff"; fi
lost=$(cd docs/results && for f in tables/*.csv plots/*.svg; do grep -qF "($f)" ./*.md || echo "$f"; done)
[ -z "$lost" ] && good "results: all shown" || bad "results: all shown" "$lost"
# Two of their points, today: the tables are those of this model.
point() { # table row arguments of run
  "$n" run "${@:3}" --engine golden --json "$t/point.json" >"$t/point.log" 2>&1
  local cycles
  cycles=$(value cycles "$t/point.json")
  if [ -n "$cycles" ] && grep -q "^$2,$cycles," "docs/results/tables/$1.csv"; then
    good "$1: $2"
  else
    bad "$1: $2" "$cycles cycles, the table has $(grep "^$2," "docs/results/tables/$1.csv")" "$t/point.log"
  fi
}
point chopin-fig13 wolf,chopin vectors/config/chopin.yaml --frame gen:wolf
point atfim-fig11 doom3-320x240,b_pim vectors/config/atfim.yaml --frame gen:doom3-320x240 --set texture.design=b_pim
