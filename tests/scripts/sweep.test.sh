#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sweeps: one table whatever the number of jobs and the engine; a sweep that is killed goes on;
# a run that fails is one line and the others go on; broken files are refused by place.
set -u
. tests/scripts/lib.sh
same() { cmp -s "$t/$1/table.csv" "$t/$2/table.csv" && cmp -s "$t/$1/table.json" "$t/$2/table.json" &&
  cmp -s "$t/$1/table.txt" "$t/$2/table.txt"; }

cat >"$t/grid.yaml" <<'Y'
title: Random frames
config: vectors/config/chopin.yaml
set: {driver.threshold: 20, gpus: 4}
pictures: true
grid:
  frame: ["gen:test-1", "gen:test-2", "gen:test-3"]
  scheme: [duplication, chopin_direct, chopin]
  link.bandwidth: [16, 64]
pins:
  - {when: {scheme: duplication}, set: {link.bandwidth: 64}}
columns:
  - {name: cycles, key: cycles, digits: 0}
  - {name: speedup, key: cycles, speedup_over: {scheme: duplication, link.bandwidth: 64}}
  - {name: slowdown, key: cycles, relative_to: {scheme: duplication, link.bandwidth: 64}, mean: none}
  - {name: change, key: cycles, change_from: {link.bandwidth: 16}}
  - {name: traffic, key: [traffic.composition_bytes, traffic.sync_bytes], scale: 1e-6, unit: MB}
  - {name: header share, key: traffic.composition_header_bytes, per: [traffic.composition_bytes, traffic.sync_bytes]}
summary: {over: frame, rows: [mean, max]}
plots:
  - {name: bars, kind: bars, column: speedup, x: frame, series: scheme, where: {link.bandwidth: 64},
     stated: 7.5, stated_of: somebody}
  - {name: lines, kind: lines, column: speedup, right: traffic, x: link.bandwidth, log_x: true,
     where: {frame: mean, scheme: chopin}}
  - {name: stack, kind: stacked, column: [cycles, traffic], x: frame, where: {scheme: chopin, link.bandwidth: 16}}
Y

# ---- Jobs, engines, cache
for j in 1 2; do
  "$n" sweep "$t/grid.yaml" --engine golden -j$j --out "$t/j$j" --cache "$t/cache$j" >"$t/j$j.log" 2>&1 ||
    bad "-j$j" "$(tail -n 3 "$t/j$j.log")"
done
if grep -q '^15 runs, 0 failed, 0 known before' "$t/j1.log" && same j1 j2; then
  good "one or two jobs, one table; pinned points run once"
else
  bad "one or two jobs, one table" "$(tail -n 3 "$t/j1.log")"
fi
"$n" sweep "$t/grid.yaml" --engine lockstep -j2 --out "$t/lockstep" --cache "$t/cache1" >"$t/lockstep.log" 2>&1
if grep -qE '^15 runs, 0 failed, 0 known .* lockstep, [1-9][0-9]+ cycles compared, mismatches 0' "$t/lockstep.log" &&
  same j1 lockstep; then
  good "golden and lockstep, one table"
else
  bad "golden and lockstep, one table" "$(tail -n 3 "$t/lockstep.log")"
fi
"$n" sweep "$t/grid.yaml" --engine golden --out "$t/again" --cache "$t/cache1" >"$t/again.log" 2>&1
if grep -q '^15 runs, 0 failed, 15 known' "$t/again.log" && same j1 again &&
  [ "$(find "$t/again/logs" -name '*.png' | wc -l)" -eq 15 ] &&
  cmp -s "$t/j1/logs/test-1+chopin+16.png" "$t/again/logs/test-1+chopin+16.png"; then
  good "results kept with their pictures"
else
  bad "results kept" "$(tail -n 3 "$t/again.log")"
fi
"$n" sweep "$t/grid.yaml" --engine golden --seed 2 --out "$t/seed" --cache "$t/cache1" --frame gen:test-1 >"$t/seed.log" 2>&1
grep -q '^5 runs, 0 failed, 0 known' "$t/seed.log" && good "another seed is another result" ||
  bad "another seed is another result" "$(tail -n 3 "$t/seed.log")"
# A kept result that was hurt is not taken.
for f in "$t"/cache1/cache/*/*.json; do sed -i 's/"cycles": [0-9]*/"cycles": 7/' "$f"; done
"$n" sweep "$t/grid.yaml" --engine golden --out "$t/hurt" --cache "$t/cache1" >"$t/hurt.log" 2>&1
grep -q '^15 runs, 0 failed, 0 known' "$t/hurt.log" && same j1 hurt && good "damaged results are run again" ||
  bad "damaged results" "$(tail -n 3 "$t/hurt.log")"

# A program that is built anew while a sweep runs leaves nothing under the old one's key.
mkdir -p "$t/tree/build"
ln -s "$PWD/vectors" "$t/tree/vectors"
cp "$n" "$t/tree/build/nocturne"
(
  cd "$t/tree" || exit 1
  build/nocturne sweep ../grid.yaml --engine golden -j1 >../tree.log 2>&1 &
  until [ "$(wc -l 2>/dev/null <build/sweep/grid/journal.jsonl)" -gt 1 ] 2>/dev/null; do sleep 0.02; done
  cp build/nocturne build/fresh
  mv build/fresh build/nocturne
  wait
)
kept=$(find "$t/tree/build/sweep/cache" -name '*.json' | wc -l)
entries=$(find "$t/tree/build/sweep/cache" -type f ! -name '*.*' | wc -l)
if grep -q '^15 runs, 0 failed' "$t/tree.log" && [ "$entries" -gt 0 ] && [ "$entries" -lt 15 ]; then
  good "a program built anew"
else
  bad "a program built anew" "$entries of $kept results kept"
fi

# ---- The numbers, recomputed from the runs' own JSON
cycles() { value cycles "$t/j1/logs/$1.json"; }
cell() { # frame scheme bandwidth column
  awk -F, -v f="$1" -v s="$2" -v b="$3" -v c="$4" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i }
    $1 == f && $2 == s && $3 == b { print $k }' "$t/j1/table.csv"
}
wrong=$(for f in test-1 test-2 test-3; do
  base=$(cycles "$f+duplication+16")
  for b in 16 64; do
    echo "$f $b $base $(cycles "$f+chopin+$b") $(cell $f chopin $b speedup) $(cell $f chopin $b slowdown) $(cell $f chopin $b change) $(cycles "$f+chopin+16")"
  done
done | awk 'function off(a, b) { return a - b > 1e-9 || b - a > 1e-9 }
  off($3 / $4, $5) || off($4 / $3, $6) || off(100 * ($4 / $8 - 1), $7)')
[ -z "$wrong" ] && good "speedup, ratio, change" || bad "speedup, ratio, change" "$wrong"
mean=$(for f in test-1 test-2 test-3; do cell $f chopin 64 speedup; done |
  awk -v stated="$(cell mean chopin 64 speedup)" -v most="$(cell max chopin 64 speedup)" \
    '{ p += log($1); m = $1 > m ? $1 : m } END { d = exp(p / NR) - stated; print (d < 1e-9 && d > -1e-9 && m == most) }')
[ "$mean" = 1 ] && [ -z "$(cell mean chopin 64 slowdown)" ] && good "gmean and max" || bad "gmean and max" "$mean"
cat >"$t/slices.yaml" <<'Y'
config: vectors/config/chopin.yaml
set: {driver.threshold: 20, gpus: 4, frame: "gen:test-1"}
grid:
  scheme: [duplication, chopin]
  quarter: [{1: {}}, {4: {}}]
columns:
  - {name: rate, key: "draws.quarters.{quarter}.pipeline", per: "draws.quarters.{quarter}.triangles", digits: 1}
plots:
  - {name: rate, kind: lines, column: rate, x: quarter, series: scheme, log_y: true}
Y
"$n" sweep "$t/slices.yaml" --engine golden --out "$t/slices" --cache "$t/cache1" >"$t/slices.log" 2>&1
wrong=$(for s in duplication chopin; do for i in 1 4; do
  jq ".draws.quarters[\"$i\"] | .triangles, .pipeline" "$t/slices/logs/$s+1.json" | xargs echo "$(awk -F, -v s=$s -v i=$i '$1 == s && $2 == i { print $3 }' "$t/slices/table.csv")"
done; done | awk 'NF != 3 || $3 == 0 || $1 - $3 / $2 > 1e-6 || $3 / $2 - $1 > 1e-6')
if grep -q '^2 runs, 0 failed' "$t/slices.log" && [ -z "$wrong" ] && grep -q '^set logscale y$' "$t/slices/rate.gp"; then
  good "an axis in a key"
else
  bad "an axis in a key" "$wrong $(tail -n 3 "$t/slices.log")"
fi
cat >"$t/sequence.yaml" <<'Y'
config: vectors/config/extended.yaml
set: {driver.threshold: 20, gpus: 4}
grid:
  frame:
    - alone: {frame: "gen:test-2"}
    - several: {frames: "gen:test-2"}
  scheme: [duplication, chopin]
columns:
  - {name: cycles, key: cycles, digits: 0}
  - {name: first, key: frames.0.cycles, digits: 0}
  - {name: later, key: [frames.1.cycles, frames.2.cycles, frames.3.cycles], speedup_over: {scheme: duplication}}
Y
"$n" sweep "$t/sequence.yaml" --engine golden --out "$t/sequence" --cache "$t/cache1" >"$t/sequence.log" 2>&1
"$n" run vectors/config/extended.yaml --frames gen:test-2 --engine golden --set driver.threshold=20 --set gpus=4 \
  --set scheme=duplication --json "$t/duplication.json" >"$t/duplication.log"
each() { jq '.frames[].cycles' "$1"; }
several=$(awk -F, '$1 == "several" && $2 == "chopin"' "$t/sequence/table.csv")
stated=$({ each "$t/sequence/logs/several+chopin.json"; each "$t/duplication.json"; } |
  awk '{ c[NR] = $1 } END { printf "several,chopin,%d,%d,%.12g", c[1] + c[2] + c[3] + c[4], c[1],
    (c[6] + c[7] + c[8]) / (c[2] + c[3] + c[4]) }')
if grep -q '^4 runs, 0 failed' "$t/sequence.log" && [ "$several" = "$stated" ] &&
  grep -q '^alone,chopin,[0-9]*,,$' "$t/sequence/table.csv"; then
  good "a sequence beside a frame: the whole, each frame, sums of frames"
else
  bad "a sequence beside a frame" "$several, expected $stated; $(tail -n 3 "$t/sequence.log")"
fi
"$n" sweep "$t/sequence.yaml" --engine golden --out "$t/sequence2" --cache "$t/cache1" >"$t/sequence2.log" 2>&1
grep -q '^4 runs, 0 failed, 4 known' "$t/sequence2.log" && same sequence sequence2 && good "sequences are kept" ||
  bad "sequences are kept" "$(tail -n 3 "$t/sequence2.log")"
sed '1i count: 5' "$t/sequence.yaml" >"$t/two.yaml"
"$n" sweep "$t/two.yaml" --engine golden --out "$t/two" --cache "$t/cache1" >"$t/two.log" 2>&1
grep -q '^4 runs, 0 failed, 2 known' "$t/two.log" && [ "$(each "$t/two/logs/several+chopin.json" | wc -l)" -eq 5 ] &&
  good "so many frames of a sequence" || bad "so many frames of a sequence" "$(tail -n 3 "$t/two.log")"
for p in bars lines stack; do
  if [ -s "$t/j1/$p.svg" ] && cmp -s "$t/j1/$p.svg" "$t/j2/$p.svg" && grep -q '</svg>' "$t/j1/$p.svg"; then
    good "plot $p"
  else
    bad "plot $p" "missing, or not the same with two jobs"
  fi
done
has "$t/j1/bars.svg" 'paper: somebody 7.5' && has "$t/j1/bars.gp" '^set yrange \[0:7.875<\*\]$' && good "a paper's value in a plot" || bad "a paper's value in a plot"
grep -q '>gmean<' "$t/j1/bars.svg" && good "gmean bars" || bad "gmean bars" "none"

# ---- Killed; --resume loses nothing and runs nothing twice
lost=0
stopped=0
for i in 1 2 3 4 5; do
  rm -rf "$t/killed" "$t/cache3"
  "$n" sweep "$t/grid.yaml" --engine golden -j2 --out "$t/killed" --cache "$t/cache3" >"$t/killed.log" 2>&1 &
  pid=$!
  for _ in $(seq 500); do
    [ "$(grep -c '"verdict"' "$t/killed/journal.jsonl" 2>/dev/null)" -ge $((2 * i)) ] 2>/dev/null && break
    sleep 0.02
  done
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  before=$(wc -l <"$t/killed/journal.jsonl")
  [ "$before" -lt 15 ] && stopped=$((stopped + 1))
  stat -c '%n %Y' $(sed -n 's/.*"id":"\([^"]*\)".*/\1/p' "$t/killed/journal.jsonl" | tr / + |
    sed "s|.*|$t/killed/logs/&.log|") >"$t/before"
  "$n" sweep "$t/grid.yaml" --engine golden -j2 --out "$t/killed" --cache "$t/cache3" --resume --no-cache >"$t/resumed.log" 2>&1
  stat -c '%n %Y' $(cut -d' ' -f1 "$t/before") >"$t/after"
  if ! grep -q '^15 runs, 0 failed' "$t/resumed.log" || ! same j1 killed || ! cmp -s "$t/before" "$t/after" ||
    [ "$(wc -l <"$t/killed/journal.jsonl")" -ne 15 ]; then
    lost=$((lost + 1))
    echo "killed after $before runs: $(tail -n 2 "$t/resumed.log")"
  fi
done
[ $lost -eq 0 ] && [ $stopped -ge 3 ] && good "killed five times" || bad "killed five times" "$lost lost, $stopped stopped"

# ---- A run that fails: one line with its command, the others go on
cat >"$t/fails.yaml" <<'Y'
config: vectors/config/chopin.yaml
grid:
  limit: [1000, 0]
  frame: ["gen:test-1", "gen:test-2"]
set: {gpus: 4}
columns:
  - {name: cycles, key: cycles}
  - {name: speedup, key: cycles, speedup_over: {limit: 0}}
summary: {over: limit}
Y
"$n" sweep "$t/fails.yaml" --engine golden --out "$t/fails" --cache "$t/cache1" >"$t/fails.log" 2>"$t/fails.err"
code=$?
again=$(sed -n 's/^FAIL 1000\/test-1: .*; again: //p' "$t/fails.err")
if [ $code -eq 1 ] && [ "$(wc -l <"$t/fails.err")" -eq 2 ] && grep -q '^4 runs, 2 failed' "$t/fails.log" &&
  grep -q '^0,test-2,[0-9]*,1$' "$t/fails/table.csv" && grep -q '^1000,test-1,,$' "$t/fails/table.csv" &&
  grep -q '^mean,test-1,,$' "$t/fails/table.csv" && [[ $again == build/nocturne\ run* ]]; then
  good "a failing run"
else
  bad "a failing run" "status $code, $(cat "$t/fails.err")"
fi
$again >"$t/fails.again" 2>&1
[ $? -eq 1 ] && good "its command fails again" || bad "its command fails again" "$again"

# ---- Files that are wrong: place and remedy
"$n" frame generate gen:test-3 "$t/four.nframe" 1 4 >"$t/four.log"
head -c 16000 "$t/four.nframe" >"$t/four-cut.nframe"
refuse() { # name pattern text [option...]
  printf '%s\n' "$3" >"$t/wrong.yaml"
  "$n" sweep "$t/wrong.yaml" --engine golden --out "$t/wrong" "${@:4}" >"$t/wrong.log" 2>&1
  code=$?
  if [ $code -eq 2 ] && [ "$(wc -l <"$t/wrong.log")" -eq 1 ] && grep -qE -- "$2" "$t/wrong.log"; then
    good "file: $1"
  else
    bad "file: $1" "status $code: $(head -n 2 "$t/wrong.log")"
  fi
}
head='config: vectors/config/chopin.yaml
frame: gen:test-1'
columns='columns: [{name: a, key: cycles}]'
refuse "not YAML" 'wrong.yaml:[0-9]+:[0-9]+: ' 'grid: ['
refuse "empty" 'wrong.yaml:1:1: empty' ''
refuse "unknown key" 'wrong.yaml:1:1: unknown key girds, expected title, source, .* or plots' 'girds: 1'
refuse "no axis in the braces" 'wrong.yaml:[0-9]+:[0-9]+: key: draws.slices.\{slize\}.triangles: expected an axis' "$head"$'\ngrid: {gpus: [2]}\ncolumns: [{name: a, key: "draws.slices.{slize}.triangles"}]'
refuse "no grid" 'wrong.yaml:1:1: expected grid' "$columns"
refuse "no frame" 'wrong.yaml:2:7: no frame' $'config: vectors/config/chopin.yaml\ngrid: {gpus: [2]}\n'"$columns"
refuse "unknown setting" 'wrong.yaml:3:15: gpuz=2: unknown key' "$head"$'\ngrid: {gpuz: [2]}\n'"$columns"
refuse "value out of range" 'wrong.yaml:3:18: gpus=65' "$head"$'\ngrid: {gpus: [8, 65]}\n'"$columns"
refuse "impossible together" 'wrong.yaml:3:7: .*gpus=1: scheme chopin needs' "$head"$'\ngrid: {gpus: [1]}\n'"$columns"
refuse "unknown frame" 'wrong.yaml:2:8: gen:quake' $'config: vectors/config/chopin.yaml\nframe: gen:quake\ngrid: {gpus: [2]}\n'"$columns"
refuse "frame and frames" 'wrong.yaml:3:9: frame and frames: expected one of them' $'config: vectors/config/chopin.yaml\nframe: gen:test-1\nframes: gen:test-1\ngrid: {gpus: [2]}\n'"$columns"
refuse "unknown sequence" 'wrong.yaml:2:9: gen:quake' $'config: vectors/config/chopin.yaml\nframes: gen:quake\ngrid: {gpus: [2]}\n'"$columns"
refuse "missing sequence" 'wrong.yaml:2:21: none.nframe' $'config: vectors/config/chopin.yaml\ngrid: {frame: [{a: {frames: none.nframe}}]}\n'"$columns"
refuse "damaged sequence" 'wrong.yaml:2:9: .*four-cut.nframe: byte [0-9]+: section' $'config: vectors/config/chopin.yaml\nframes: '"$t/four-cut.nframe"$'\ngrid: {gpus: [2]}\n'"$columns"
refuse "work of a sequence" 'frame.work=1: the 4 frames have' $'config: vectors/config/chopin.yaml\nframes: '"$t/four.nframe"$'\nset: {frame.work: 1}\ngrid: {gpus: [2]}\n'"$columns"
refuse "missing configuration" 'nowhere.yaml: ' $'config: nowhere.yaml\nframe: gen:test-1\ngrid: {gpus: [2]}\n'"$columns"
refuse "a value twice" 'wrong.yaml:3:18: gpus: 8 is there twice' "$head"$'\ngrid: {gpus: [8, 8]}\n'"$columns"
refuse "column without key" 'wrong.yaml:4:11: columns: expected key' "$head"$'\ngrid: {gpus: [2]}\ncolumns: [{name: a}]'
refuse "column of the engine" 'wrong.yaml:4:27: key: timing.seconds differs' "$head"$'\ngrid: {gpus: [2]}\ncolumns: [{name: a, key:  timing.seconds}]'
refuse "column of no result" 'wrong.yaml:4:11: column a: no result has a number under cycels' "$head"$'\ngrid: {gpus: [2]}\ncolumns: [{name: a, key: cycels}]'
refuse "base row" 'wrong.yaml:4:61: gpus: 3: no such value' "$head"$'\ngrid: {gpus: [2]}\ncolumns: [{name: a, key: cycles, speedup_over:       {gpus: 3}}]'
refuse "summary" 'wrong.yaml:5:17: over: scheme: expected an axis' "$head"$'\ngrid: {gpus: [2]}\n'"$columns"$'\nsummary: {over: scheme}'
refuse "plot's column" 'wrong.yaml:5:30: column: b: expected a column' "$head"$'\ngrid: {gpus: [2]}\n'"$columns"$'\nplots: [{name: p, column:    b, x: gpus}]'
refuse "a paper's value of nothing" 'wrong.yaml:5:9: plots: p: stated and stated_of go together' "$head"$'\ngrid: {gpus: [2]}\n'"$columns"$'\nplots: [{name: p, column: a, x: gpus, stated: 2}]'
refuse "plot's axes" 'wrong.yaml:5:9: plots: p: axis scheme is neither' "$head"$'\ngrid: {gpus: [2], scheme: [chopin, duplication]}\n'"$columns"$'\nplots: [{name: p, column: a, x: gpus}]'
refuse "--set of an axis" '--set gpus=4: an axis' "$head"$'\ngrid: {gpus: [2]}\n'"$columns" --set gpus=4
refuse "--set" '--set gpuz=4: unknown key' "$head"$'\ngrid: {gpus: [2]}\n'"$columns" --set gpuz=4
"$n" sweep nowhere.yaml >"$t/wrong.log" 2>&1
[ $? -eq 2 ] && grep -q 'nowhere.yaml: No such file' "$t/wrong.log" && good "no file" || bad "no file" "$(cat "$t/wrong.log")"

# ---- A generated sequence is checked a frame at a time
cat >"$t/many.yaml" <<'Y'
title: Many frames
config: vectors/config/emerald.yaml
count: 100
grid:
  frames: ["gen:w1"]
columns:
  - {name: cycles, key: cycles}
Y
check "a hundred frames in 38 MB" sh -c "ulimit -v 38000; exec $n sweep $t/many.yaml --list"

# ---- Every sweep file of the project is sound
for f in vectors/sweeps/*.yaml; do
  # Small, but where a plot is of one of its frames.
  small="--frame gen:test-1"
  ! grep -qE "frame: (bench1|demo088|g80)" "$f" || small=
  only=$(sed -nE 's/^  frames: \["gen:(w[0-9]).*/\1/p' "$f")
  [ -z "$only" ] || small="--only frames=$only"
  # shellcheck disable=SC2086
  if "$n" sweep "$f" --list $small >"$t/list.log" 2>&1; then
    good "$f"
  else
    bad "$f" "$(head -n 1 "$t/list.log")"
  fi
done

# ---- Without gnuplot the table is there, and the tool is named
mkdir -p "$t/bin"
for c in sh make; do ln -sf "$(command -v $c)" "$t/bin/$c"; done
PATH=$PWD/$t/bin "$n" sweep "$t/grid.yaml" --engine golden --out "$t/bare" --cache "$t/cache2" >"$t/bare.log" 2>&1
if [ $? -eq 3 ] && grep -q 'gnuplot is missing; install it with' "$t/bare.log" && same j1 bare; then
  good "no gnuplot"
else
  bad "no gnuplot" "$(tail -n 2 "$t/bare.log")"
fi
