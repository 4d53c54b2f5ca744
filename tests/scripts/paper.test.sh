#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The pages of stated figures beside ours: values from the sweeps' tables, verdicts, missed ones first, the same
# bytes from golden and lockstep, a sweep that fails, broken files; the sweeps of the pages from both engines.
set -u
. tests/scripts/lib.sh

cat >"$t/grid.yaml" <<'Y'
title: Random frames
config: vectors/config/chopin.yaml
set: {driver.threshold: 20, gpus: 4}
grid:
  frame: ["gen:test-1", "gen:test-2", "gen:test-3"]
  scheme: [duplication, chopin]
columns:
  - {name: cycles, key: cycles, digits: 0}
  - {name: speedup, key: cycles, speedup_over: {scheme: duplication}}
summary: {over: frame, rows: [mean, max]}
plots:
  - {name: bars, kind: bars, column: speedup, x: frame, series: scheme}
Y
cat >"$t/fails.yaml" <<'Y'
config: vectors/config/chopin.yaml
frame: gen:test-1
set: {gpus: 4}
grid:
  limit: [1000]
columns: [{name: cycles, key: cycles}]
Y
cat >"$t/crossing.yaml" <<'Y'
config: vectors/config/chopin.yaml
set: {frame: "gen:test-1", driver.threshold: 20}
grid:
  bandwidth: [{8: {link.bandwidth: 8}}, {16: {link.bandwidth: 16}}, {64: {link.bandwidth: 64}},
    {96: {link.bandwidth: 96}}, {128: {link.bandwidth: 128}}, {160: {link.bandwidth: 160}},
    {192: {link.bandwidth: 192}}, {224: {link.bandwidth: 224}}, {256: {link.bandwidth: 256}}]
columns:
  - {name: share, key: cycles, relative_to: {bandwidth: 8}}
  - {name: idle, key: breakdown.idle}
Y
cat >"$t/stated.yaml" <<'Y'
paper:
  - {id: one, what: duplication over itself, value: 1, times: true, where: I}
  - {id: far, what: far off, value: 100, unit: "%", where: II}
  - {id: gain, what: gain over duplication, value: 0, unit: "%", where: III}
  - {id: order, what: the order, value: rises, where: IV}
  - {id: enough, what: the change, value: falls, where: IX}
  - {id: most, what: the longest frame, value: FRAME, where: V}
  - {id: lost, what: of a run that fails, value: 3, where: VI}
  - {id: place, what: where it crosses, value: 30, unit: cycles, where: VII}
  - {id: spread, what: most over least, value: 5, unit: "%", where: X}
  - {id: together, what: with idle time, value: 0.5, where: XI}
  - {id: nothing, what: what nothing gives, value: 7, where: VIII}
Y
pages() { # grid
  cat <<Y
stated: $t/stated.yaml
pages:
  - file: page.md
    title: Page
    of: paper
    not_given:
      - {stated: nothing, why: No sweep.}
    figures:
      - title: First
        name: first
        sweep: $1
        frames: ["gen:test-1", "gen:test-2"]
        plots: bars
        rows:
          - {stated: one, column: speedup, at: {frame: mean, scheme: duplication}, within: 10}
          - {stated: far, column: speedup, at: {frame: mean, scheme: duplication}, within: 25, why: The reason.}
          - {stated: far, column: speedup, at: {frame: mean, scheme: duplication}, is: reaches, why: The reason.}
          - {stated: far, column: speedup, at: {frame: mean, scheme: duplication}, is: stays}
          - {stated: one, column: speedup, at: {frame: mean, scheme: duplication}, is: reaches}
          - {stated: one, column: speedup, at: {frame: mean, scheme: duplication}, is: stays}
          - {stated: gain, column: speedup, at: {frame: test-2, scheme: chopin}, as: gain, points: 1000}
          - {stated: gain, column: cycles, at: {frame: test-2, scheme: duplication}, over: {scheme: chopin}, as: gain, points: 1000}
          - {stated: order, column: speedup, at: [{frame: mean, scheme: duplication}, {frame: mean, scheme: duplication}], is: rises, step: 1}
          - {stated: most, column: cycles, at: {scheme: duplication}, along: frame, is: most, digits: 0}
      - {title: Whole, name: whole, sweep: $1, only_full: true}
      - title: Crossing
        name: crossing
        sweep: $t/crossing.yaml
        set: [gpus=4]
        rows:
          - {stated: place, column: share, at: {}, along: bandwidth, is: crosses, through: 0.97, within: 10000, digits: 1}
          - {stated: spread, column: share, at: {}, along: bandwidth, as: spread, is: reaches}
          - {stated: together, column: share, at: {}, along: bandwidth, as: correlation, with: idle, is: reaches}
          - {stated: enough, column: share, at: [{bandwidth: 8}, {bandwidth: 256}], is: falls, step: 1}
          - {stated: enough, column: share, at: [{bandwidth: 8}, {bandwidth: 256}], is: falls, step: 90}
      - title: Failing
        name: failing
        sweep: $t/fails.yaml
        rows:
          - {stated: lost, column: cycles, at: {limit: 1000}, within: 10}
      - title: Without a sweep
        text: "Words only, [elsewhere](../other.md)."
Y
}
pages "$t/grid.yaml" >"$t/paper.yaml"
sed 's/FRAME/test-2/' -i "$t/stated.yaml"
without_failing() {
  sed '/Failing/,/within: 10}/d; s/^\( *- \){stated: nothing.*/&\n\1{stated: lost, why: Not here.}/'
}
run() { # folder option...
  "$n" paper "$t/paper.yaml" --runs "$t/$1/runs" --out "$t/$1/out" --cache "$t/cache" "${@:2}" >"$t/$1.log" 2>&1
}

run golden
code=$?
page=$t/golden/out/page.md
csv=$t/golden/out/tables/first.csv
if [ $code -eq 1 ] && grep -q '^first  *[0-9.]* s$' "$t/golden.log" && grep -q '^failing .* failed in part (status 1)' "$t/golden.log" &&
  grep -q '1 sweeps failed' "$t/golden.log" && ! grep -q whole "$t/golden.log"; then
  good "a failing sweep is one line, the others go on"
else
  bad "a failing sweep" "status $code: $(cat "$t/golden.log")"
fi
cell() { awk -F, -v f="$1" -v s="$2" -v c="$3" '$1 == f && $2 == s { print $c }' "$csv"; }
gain=$(awk -v x="$(cell test-2 chopin 4)" 'BEGIN { printf "%.3f", 100 * (x - 1) }')
difference=$(awk -v g="$gain" 'BEGIN { printf "%+.1f", g }')
[ "$(grep -c "^| gain over duplication | III | 0 % | $gain; $gain | [^|]*; [^|]* | $difference; $difference | 1000 points | yes |$" "$page")" -eq 1 ] &&
  good "gain, of a column and of two cells" || bad "gain" "$gain: $(grep gain "$page")"
line=$(sed -n '/^## Missed/,/^## Not/p' "$page" | grep -c '^- ')
slowest=test-1
[ "$(cell test-2 duplication 3)" -gt "$(cell test-1 duplication 3)" ] && slowest=test-2
expected=$([ $slowest = test-2 ] && echo 3 || echo 4)
if grep -q '^- far off (II): stated 100 %, ours 1.000 (mean, duplication); far off (II): stated 100 %, ours 1.000 (mean,$' "$page" && [ "$line" -eq "$expected" ] &&
  grep -q '^- the order (IV): stated rises, ours duplication: 1.000, duplication: 1.000. No explanation yet.$' "$page" &&
  [ "$(grep -n '^## Missed' "$page" | cut -d: -f1)" -lt "$(grep -n '^## First' "$page" | cut -d: -f1)" ]; then
  good "missed ones first, those of one reason together"
else
  bad "missed ones first" "$(sed -n '/^## Missed/,/^## First/p' "$page")"
fi
grep -q '^| duplication over itself | I | 1 (2 as 1 + N) | 1.000 | \[first\](tables/first.csv): mean, duplication | +0.0 % | 10 % | yes |$' "$page" && good "a figure that holds" ||
  bad "a figure that holds" "$(grep itself "$page")"
verdict=$([ $slowest = test-2 ] && echo yes || echo '\*\*missed\*\*')
grep -q "^| the longest frame | V | test-2 | $slowest: $(cell $slowest duplication 3) | [^|]*: duplication |  *|  *| $verdict |$" "$page" &&
  good "the most of an axis" || bad "the most of an axis" "$(grep longest "$page")"
bounds=$(sed -nE 's/^\| (far off|duplication over itself) .*\| ([^|]* \| [^|]*) \|$/\2/p' "$page" | paste -sd';')
[ "$bounds" = '10 % | yes;25 % | **missed**;at least | **missed**;at most | yes;at least | yes;at most | yes' ] &&
  good "bounds on one side" || bad "bounds on one side" "$bounds"
grep '^| the change | IX' "$page" | grep -o '[^|]*|[^|]*|$' | paste -sd' ' | grep -qx ' falls by 1 % | yes |  falls by 90 % | \*\*missed\*\* |' &&
  good "a trend needs its least step" || bad "a trend needs its least step" "$(grep 'the change' "$page")"
sed -n '/^## Not measured/,/^## First/p' "$page" | grep -q '^- of a run that fails (VI): stated 3$' && grep -qE '(^| )Rows without a result: 1\.( |$)' "$page" &&
  good "not measured" || bad "not measured" "$(sed -n '/^## Not measured/,/^## First/p' "$page")"
place=$(awk -F, 'NR > 1 && p != "" && (p - 0.97) * ($2 - 0.97) < 0 { printf "%.1f", x + ($1 - x) * (p - 0.97) / (p - $2); exit }
  NR > 1 { x = $1; p = $2 }' "$t/golden/out/tables/crossing.csv")
[ -n "$place" ] && grep -q "^| where it crosses | VII | 30 cycles | $place | " "$page" && good "where a trend crosses a value" ||
  bad "where a trend crosses a value" "$place: $(grep 'where it' "$page") $(cat "$t/golden/out/tables/crossing.csv")"
folded=$(awk -F, 'NR > 1 { n++; x[n] = $2; y[n] = $3; sx += $2; sy += $3; if (n == 1 || $2 > most) most = $2; if (n == 1 || $2 < least) least = $2 }
  END { for (i = 1; i <= n; i++) { a = x[i] - sx / n; b = y[i] - sy / n; xx += a * a; yy += b * b; xy += a * b }
    printf "%.3f %.3f", 100 * (most / least - 1), xy / sqrt(xx * yy) }' "$t/golden/out/tables/crossing.csv")
grep -q "^| most over least | X | 5 % | ${folded% *} | [^|]* | [^|]* | at least | yes |$" "$page" &&
  grep -q "^| with idle time | XI | 0.5 | ${folded#* } | " "$page" && good "spread and correlation along an axis" ||
  bad "spread and correlation" "$folded: $(grep -E '^. (most over|with idle)' "$page")"
grep -q -- '--set gpus=4`$' "$page" && good "settings of a figure" || bad "settings of a figure" "$(grep crossing.yaml "$page")"
sed -n '/^## Not measured/,/^## First/p' "$page" | grep -q '^- what nothing gives (VIII): stated 7. No sweep.$' && good "what nothing gives" ||
  bad "what nothing gives" "$(sed -n '/^## Not measured/,/^## First/p' "$page")"
cmp -s "$t/golden/runs/first/bars.svg" "$t/golden/out/plots/first-bars.svg" && grep -q '^\[!\[bars\](plots/first-bars.svg)\](tables/first.csv)$' "$page" &&
  good "plot" || bad "plot" "missing"

run lockstep --engine lockstep
if diff -r "$t/golden/out" "$t/lockstep/out" >"$t/diff" && grep -q 'mismatches 0' "$t/lockstep/runs/first.log" &&
  grep -qE '[1-9][0-9]+ cycles compared' "$t/lockstep/runs/first.log"; then
  good "golden and lockstep, the same pages"
else
  bad "golden and lockstep" "$(head -n 5 "$t/diff") $(tail -n 3 "$t/lockstep/runs/first.log")"
fi

run full --full
if grep -q '^whole ' "$t/full.log" && grep -q '^test-3,' "$t/full/out/tables/first.csv" && grep -q '^## Whole' "$t/full/out/page.md"; then
  good "the full set"
else
  bad "the full set" "$(cat "$t/full.log")"
fi

# Without --out the full set is part of the documents, the short one a product; their links lead to the same.
mkdir -p "$t/tree/build"
ln -s "$root/$n" "$t/tree/build/nocturne"
ln -s "$root/vectors" "$t/tree/vectors"
pages grid.yaml | without_failing | sed "s|$t/||; /title: Crossing/,/step: 90}/d; s/^\( *- \){stated: nothing.*/&\n\1{stated: place, why: Not here.}\n\1{stated: enough, why: Not here.}\n\1{stated: spread, why: Not here.}\n\1{stated: together, why: Not here.}/" >"$t/tree/paper.yaml"
cp "$t/grid.yaml" "$t/stated.yaml" "$t/tree/"
for o in "" --full; do
  (cd "$t/tree" && build/nocturne paper paper.yaml $o) >"$t/tree$o.log" 2>&1 || bad "paper $o" "$(tail -n 2 "$t/tree$o.log")"
done
short=$t/tree/build/results/page.md
full=$t/tree/docs/results/page.md
if [ -f "$short" ] && ! grep -q '^## Whole' "$short" && grep -q '^## Whole' "$full" &&
  grep -q '(../other.md)' "$full" && grep -q '(../../docs/other.md)' "$short" &&
  [ -f "$t/tree/build/paper-full/whole/table.csv" ] && [ ! -e "$t/tree/build/paper/whole" ]; then
  good "both sets, side by side"
else
  bad "both sets, side by side" "$(find "$t/tree" -name '*.md' -o -name table.csv)"
fi

# Pages and plots come from the tables alone, and a table that is not the sweep's is refused.
mkdir -p "$t/again"
cp -r "$t/golden/out/tables" "$t/again/"
"$n" paper "$t/paper.yaml" --pages --runs "$t/again-runs" --out "$t/again" >"$t/again.log" 2>&1
diff -r "$t/golden/out" "$t/again" >"$t/diff" && good "pages of tables alone" || bad "pages of tables alone" "" "$t/diff"
table() { # name pattern sed-expression
  sed "$3" "$t/golden/out/tables/first.csv" >"$t/again/tables/first.csv"
  "$n" paper "$t/paper.yaml" --pages --runs "$t/again-runs" --out "$t/again" >"$t/again.log" 2>&1
  [ $? -eq 1 ] && grep -qE "^nocturne: $t/again/tables/first.csv:$2" "$t/again.log" && good "table: $1" ||
    bad "table: $1" "" "$t/again.log"
}
table "another column" '1: speed, expected speedup$' '1s/speedup/speed/'
table "another row" '2: test-3, expected test-1$' '2s/test-1/test-3/'
table "no number" '3: fast, expected a number$' '3s/[^,]*$/fast/'
table "a row more" '[0-9]+: a row more, expected the end' '$p'
table "a row less" '[0-9]+: the file ends, expected a row' '$d'
table "a column less" '4: the line ends, expected a number' '4s/,[^,]*$//'
table "a column more" '4: 7, expected no more columns' '4s/$/,7/'

# A sweep begins when its turn comes, and passes it on when its last run has begun.
mkfifo "$t/turn" "$t/next"
"$n" sweep "$t/grid.yaml" --engine golden -j2 --no-cache --out "$t/in-turn" --in-turn <"$t/turn" 3>"$t/next" >"$t/in-turn.log" 2>&1 &
sweep=$!
exec 4>"$t/turn" 5<"$t/next"
sleep 1
early=$(find "$t/in-turn" -name '*.json' 2>/dev/null | wc -l)
exec 4>&-
cat <&5
over=$(wc -l <"$t/in-turn/journal.jsonl")
grep -q '^6 runs' "$t/in-turn.log" && over=0  # it had ended
exec 5<&-
wait $sweep
code=$?
if [ "$early" -eq 0 ] && [ "$over" -ge 5 ] && [ $code -eq 0 ] && grep -q '^6 runs, 0 failed' "$t/in-turn.log"; then
  good "one sweep after the other"
else
  bad "one sweep after the other" "$early results early, $over of 6 over, status $code"
fi

# A table of an earlier run does not count for a sweep that fails; a speedup does not fail the command.
pages "$t/nowhere.yaml" | without_failing >"$t/paper.yaml"
run golden
[ $? -eq 1 ] && grep -q 'failed in whole' "$t/golden.log" && grep -q '^The sweep has no result' "$page" &&
  [ "$(sed -n '/^## Not measured/,/^## First/p' "$page" | grep -c "^- ")" -eq 12 ] &&
  good "no old table" || bad "no old table" "$(cat "$t/golden.log")"
pages "$t/grid.yaml" | without_failing >"$t/paper.yaml"
run golden
[ $? -eq 0 ] && grep -q 'missed' "$page" && good "missed figures do not fail" || bad "missed figures do not fail" "$(cat "$t/golden.log")"

refuse() { # name pattern sed-expression
  pages "$t/grid.yaml" | without_failing | sed "$3" >"$t/paper.yaml"
  run wrong
  code=$?
  if { [ $code -eq 2 ] || [ $code -eq 1 ]; } && [ "$(grep -c '^nocturne: ' "$t/wrong.log")" -eq 1 ] && grep -qE -- "$2" "$t/wrong.log"; then
    good "file: $1"
  else
    bad "file: $1" "status $code: $(cat "$t/wrong.log")"
  fi
}
refuse "unknown key" 'paper.yaml:[0-9]+:[0-9]+: rows: unknown key withn' '0,/within/s//withn/'
refuse "unknown figure" 'paper.yaml:[0-9]+:[0-9]+: stated: two: no such figure' 's/stated: one/stated: two/'
refuse "unknown column" 'paper.yaml:[0-9]+:[0-9]+: column sped: the sweep has none' '0,/column: speedup/s//column: sped/'
refuse "cell without an axis" 'paper.yaml:[0-9]+:[0-9]+: at: the sweep has no such row' '0,/at: {frame: mean, /s//at: {/'
refuse "several cells without a trend" 'paper.yaml:[0-9]+:[0-9]+: expected a trend' '0,/, is: rises, step: 1/s///'
refuse "a trend without its least step" 'paper.yaml:[0-9]+:[0-9]+: expected step' '0,/, step: 1/s///'
refuse "no such file of figures" 'nowhere.yaml: No such file' "s|^stated: .*|stated: nowhere.yaml|"

refuse "a figure that is nowhere" 'stated.yaml:[0-9]+:[0-9]+: nothing: expected a row of a page, or not_given' '/stated: nothing/d'
refuse "a figure that is there twice" 'stated.yaml:[0-9]+:[0-9]+: one: expected a row or not_given, not both' 's/stated: nothing, /stated: one, /'
refuse "a page of another paper" 'stated.yaml:[0-9]+:[0-9]+: one: expected a page of its paper' 's/of: paper/of: other/'
refuse "no value to cross" 'paper.yaml:[0-9]+:[0-9]+: expected along, through and a stated number' 's/through: [0-9.]*, //'

# ---- The project's own file is sound: it is read, and without tables all is unmeasured
if "$n" paper --pages --full --runs "$t/none" --out "$t/own" >"$t/own.log" 2>&1 && [ -s "$t/own/chopin.md" ] && [ -s "$t/own/atfim.md" ] &&
  [ -s "$t/own/beyond.md" ] && ! grep -q "^## Missed" "$t/own/beyond.md"; then
  good "vectors/paper.yaml"
else
  bad "vectors/paper.yaml" "$(cat "$t/own.log")"
fi
missing=$(sed -n 's/^ *sweep: //p' vectors/paper.yaml | while read -r f; do [ -f "$f" ] || echo "$f"; done)
[ -z "$missing" ] && good "its sweeps are there" || bad "its sweeps are there" "$missing"

# ---- The project's own sweeps on a small frame: the same figures and plots from golden and lockstep
engines_agree() { # sweep option...
  local name=$1 e
  shift
  for e in golden lockstep; do
    "$n" sweep "vectors/sweeps/$name.yaml" --engine $e --out "$t/$name-$e" --cache "$t/cache" "$@" >"$t/$name-$e.log" 2>&1 ||
      bad "$name" "$e: $(tail -n 1 "$t/$name-$e.log")"
    rm -rf "$t/$name-$e"/{logs,journal.jsonl,lock,times.json}
  done
  if [ -s "$t/$name-golden/table.csv" ] && diff -r "$t/$name-golden" "$t/$name-lockstep" >"$t/diff" &&
    grep -qE '0 failed, .* lockstep, [1-9][0-9]+ cycles compared, mismatches 0' "$t/$name-lockstep.log"; then
    good "$name: golden and lockstep"
  else
    bad "$name: golden and lockstep" "$(head -n 3 "$t/diff") $(tail -n 1 "$t/$name-lockstep.log")"
  fi
}
for s in chopin-fig13 chopin-fig16 chopin-compositions chopin-assignment; do
  engines_agree $s --frame gen:test-1 --set driver.threshold=20
done
engines_agree combined --frame gen:test-1 --set driver.threshold=20
engines_agree atfim-fig12 --frame gen:test-3
