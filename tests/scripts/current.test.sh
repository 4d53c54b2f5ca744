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
"$n" config --csv >"$t/sets.csv" && current 'sets and constants' docs/reference/sets.csv "$t/sets.csv"

# The page of verification status: of its table, whose rows are those of files that commands write.
tb/status.sh page >"$t/status.md"
current 'verification status' docs/hardware/status.md "$t/status.md"
mkdir -p "$t/mutate/draw_scheduler" "$t/fuzz/draw_scheduler-gpus-2"
printf '0 killed seed 1\n1 equivalent proof\n2 open -\n3 killed seed 2\n' >"$t/mutate/draw_scheduler/results"
echo 'ok: draw_scheduler NumGpus=2: 12 inputs, 900 steps, 60.4 s of CPU' >"$t/fuzz/draw_scheduler-gpus-2/log"
cat >"$t/cover.json" <<END
{"units": [{"name": "atfim", "line": {"hit": 8, "excluded": 1, "total": 9}, "toggle": {"hit": 5, "excluded": 0, "total": 6},
  "points": {"hit": 2, "excluded": 0, "total": 3}}]}
END
cat >"$t/prove.json" <<END
{"command": "nocturne prove --one F --size 'NumGpus=9 Observe=1' --shows hunt --prover P draw_scheduler", "verdict": "passed", "seconds": 9, "cpu": 3.7}
{"command": "nocturne prove --one F --size 'NumGpus=2 Observe=1' --shows '' --prover P draw_scheduler", "verdict": "failed", "seconds": 9, "cpu": 4}
END
echo '{"tests": [{"id": "atfim_package-gates", "verdict": "passed"}, {"id": "atfim-gates/seed-1", "verdict": "failed"}]}' >"$t/gates.json"
printf 'unit\na,,,,,17,,,,,,,1676.4\n' >"$t/area.csv"
status_rows() { # kind file rows
  diff <(printf '%s\n' "${@:3}" | sort) <(tb/status.sh rows "$1" "$2" | sort)
}
check 'status of cover' status_rows cover "$t/cover.json" atfim,lines,8,9,1 atfim,points,2,3,0 atfim,toggles,5,6,0
check 'status of mutate' status_rows mutate "$t/mutate" draw_scheduler,equivalent,1,4, draw_scheduler,killed,2,4, draw_scheduler,open,1,4,
check 'status of prove' status_rows prove "$t/prove.json" draw_scheduler,refuted,4,,NumGpus=2 draw_scheduler,searched,3,,NumGpus=9
check 'status of fuzz' status_rows fuzz "$t/fuzz" draw_scheduler,fuzz,60,12,
check 'status of gates' status_rows gates "$t/gates.json" atfim,netlist,1,2,
check 'status of area' status_rows area "$t/area.csv" a,cells,17,, 'a,MHz,1676,,28 nm'
# New rows stand in place of the older ones of a unit, whatever else there is of it and of others.
printf '%s\n' unit,what a,lines,9,9,,d,r a,points,3,3,,d,r 'a,proved,,,N=2,d,r*' 'a,proved,,,N=3,d,r*' 'a,proved,4,,N=2 M=1,d,r' b,lines,8,8,,d,r >"$t/table"
printf '%s\n' a,lines,1,2,,e,q 'a,proved,5,,N=2 M=0,e,q' >"$t/rows"
printf '%s\n' unit,what a,lines,1,2,,e,q a,points,3,3,,d,r 'a,proved,,,N=3,d,r*' 'a,proved,4,,N=2 M=1,d,r' 'a,proved,5,,N=2 M=0,e,q' b,lines,8,8,,d,r >"$t/expected"
check 'status with new rows' diff "$t/expected" <(STATUS_TABLE=$t/table tb/status.sh merged "$t/rows")
# A file without rows leaves the table as it is.
no_rows() {
  cp "$t/table" "$t/same"
  STATUS_TABLE=$t/same tb/status.sh record mutate "$t/nowhere" 2>"$t/status.log"
  [ $? -eq 2 ] && mkdir -p "$t/nowhere" && STATUS_TABLE=$t/same tb/status.sh record mutate "$t/nowhere" 2>>"$t/status.log"
  [ $? -eq 2 ] && [ "$(wc -l <"$t/status.log")" -eq 2 ] && cmp "$t/table" "$t/same"
}
check 'status without new rows' no_rows

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
