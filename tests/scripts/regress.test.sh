#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The regression runner: what fails shows as that test and its cause, whatever it does; a
# runner that is killed goes on; the number of jobs changes nothing; broken lists are refused.
set -u
. tests/scripts/lib.sh

# ---- Tests that misbehave, beside good ones
cat >"$t/bad.yaml" <<'Y'
defaults: {timeout: {seconds: 60}, memory: 200}
tests:
  - {name: good, unit: draw_scheduler, engine: golden, cycles: 2000, seeds: 1..3, memory: 2000}
  - {name: crash, command: [sh, -c, 'kill -SEGV $$']}
  - {name: hang, command: [sleep, "100"], timeout: {seconds: 2}}
  - {name: memory, command: [awk, 'BEGIN { s = "x"; while (1) s = s s }']}
  - {name: garbage, command: [sh, -c, 'echo "{ not json" >"$0"', "{result}"]}
  - {name: noise, command: [sh, -c, "printf 'MISMATCH: \\377\\001 0\\n  signal \\376: 1\\n'; head -c 100000 /dev/urandom; exit 1"]}
  - {name: says, command: [sh, -c, 'echo "{\"passed\": false}" >"$0"', "{result}"]}
  - {name: silent, command: [sh, -c, 'exit 0', "{result}"]}
  - {name: status, command: [sh, -c, 'exit 7']}
  - {name: missing, command: [./no/such/program]}
  - {name: full, command: [sh, -c, 'echo "gcc: x.s: No space left on device"; exit 8']}
Y
"$n" regress "$t/bad.yaml" --folder "$t/bad" --junit "$t/bad.xml" >"$t/bad.log" 2>&1
code=$?
want() { # id signature
  jq -e --arg id "$1" --arg signature "$2" \
    'any(.. | objects | select(.id == $id) | .signature // ""; startswith($signature))' "$t/bad/results.json" >/dev/null
}
if [ $code -eq 1 ] && [ "$(tail -n 1 "$t/bad.log")" = '3 passed, 10 failed' ] && want crash 'CRASH SIGSEGV' &&
  want hang TIME-OUT && want memory 'OUT OF MEMORY' && want garbage GARBAGE && want says FAILED && want noise MISMATCH &&
  want silent 'NO RESULT' && want status 'exit status 7' && want missing 'exit status 127'; then
  good "misbehaving tests"
else
  bad "misbehaving tests" "status $code"
  grep -E 'FAIL|passed,' "$t/bad.log"
fi
check "a full disk is said of its test" has "$t/bad.log" 'exit status 8 \(its log has: No space left on device\)'
if [ "$(grep -A3 '^MISMATCH ' "$t/bad.log" | sed -n 's/^  reproduce: //p' | bash 2>&1 | head -n 1)" = "$(
  printf 'MISMATCH: \377\001 0')" ]; then
  good "a reproducing command with quotes"
else
  bad "a reproducing command with quotes" "$(grep -a -A3 '^MISMATCH ' "$t/bad.log")"
fi
if [ "$(grep -c '<failure' "$t/bad.xml")" -eq 10 ] && [ "$(grep -c '<testcase' "$t/bad.xml")" -eq 13 ] &&
  { ! command -v xmllint >/dev/null || xmllint --noout "$t/bad.xml" "$t/bad/index.html"; }; then
  good "JUnit XML"
else
  bad "JUnit XML" "$(grep -c '<failure' "$t/bad.xml") failures"
fi

# ---- Jobs, cache
cat >"$t/many.yaml" <<'Y'
defaults: {engine: golden, cycles: 20000}
tests:
  - {name: draw, unit: draw_scheduler, gpus: 6, seeds: 1..25}
  - {name: composition, unit: composition_scheduler, gpus: 3, seeds: 1..25}
Y
strip() { jq 'del(.timing)' "$1"; }
"$n" regress "$t/many.yaml" --folder "$t/one" -j1 >"$t/one.log" 2>&1
"$n" regress "$t/many.yaml" --folder "$t/two" -j2 >"$t/two.log" 2>&1
printf "tests:\n  - {name: a, tags: [proof], command: [sh, -c, '%s']}\n  - {name: b, command: [\"true\"]}\n" \
  "(ulimit -t 1; while :; do :; done); true" >"$t/budgets.yaml"
"$n" regress "$t/budgets.yaml" --folder "$t/budgets" >"$t/budgets.log" 2>&1
if has "$t/budgets.log" "^of these proof 1 s, fuzz 0 s, all else 0 s"; then good budgets; else bad budgets; fi
totals() { # log passed cached: nothing failed
  [ "$(tail -n 1 "$1")" = "$2 passed, 0 failed" ] && grep -q "^$2 tests in .*, $3 from the cache" "$1"
}
if totals "$t/one.log" 50 0 &&
  cmp -s <(strip "$t/one/results.json") <(strip "$t/two/results.json"); then
  good "one or two jobs, one result"
else
  bad "one or two jobs, one result" "$(tail -n 2 "$t/one.log")"
fi
"$n" regress "$t/many.yaml" --folder "$t/two" >"$t/cached.log" 2>&1
"$n" regress "$t/many.yaml" --folder "$t/two" --no-cache --filter 'draw*' >"$t/again.log" 2>&1
if totals "$t/cached.log" 50 50 && totals "$t/again.log" 25 0; then
  good cache
else
  bad cache "$(tail -n 2 "$t/cached.log")"
fi

echo 1 >"$t/needed"
printf 'tests:\n  - {name: a, command: ["true"], needs: %s}\n' "$t/needed" >"$t/needs.yaml"
for i in 1 2 3; do
  "$n" regress "$t/needs.yaml" --folder "$t/needs" >"$t/needs.$i" 2>&1
  [ $i -ne 2 ] || echo 2 >"$t/needed"
done
if totals "$t/needs.1" 1 0 && totals "$t/needs.2" 1 1 && totals "$t/needs.3" 1 0; then
  good "cache: a file that a test needs"
else
  bad "cache: a file that a test needs" "$(tail -n 1 "$t/needs.2" "$t/needs.3")"
fi

# ---- A folder whose path is as long as the system takes
long_folder() {
  local i folder=$t/deep
  for i in 1 2 3 4 5; do folder+=/$(printf 'f%.0s' {1..200}); done
  mkdir -p "$(dirname "$folder")"
  head -n 3 "$t/many.yaml" | sed 's/1\.\.25/1..3/' >"$t/few.yaml"
  printf '  - {name: fails, command: [sh, -c, "echo nocturne: it is broken; exit 1"]}\n' >>"$t/few.yaml"
  run() { "$n" regress "$t/few.yaml" --folder "$folder" --junit "$folder/junit.xml" --html "$folder/page" "$@" >"$t/deep.log" 2>&1; }
  run
  [ $? -eq 1 ] && [ "$(tail -n 1 "$t/deep.log")" = "3 passed, 1 failed" ] && [ -s "$folder/logs/draw+seed-3.json" ] &&
    [ -s "$folder/results.json" ] && [ -s "$folder/junit.xml" ] && [ -s "$folder/times.json" ] &&
    has "$folder/page/index.html" '>it is broken<|: it is broken<' && has "$t/deep.log" "^report: $folder/page/index.html$" || return
  run
  has "$t/deep.log" ', 3 from the cache' || return
  run --failed --compare "$folder"
  has "$t/deep.log" '^0 passed, 1 failed' && has "$t/deep.log" "^against $folder: 1 tests in both" || return
  run --no-cache --launch env -j2
  [ "$(tail -n 1 "$t/deep.log")" = "3 passed, 1 failed" ] && "$n" rerun --folder "$folder" draw/seed-1 >"$t/deep.log" 2>&1
}
check "a folder of 1,000 characters" long_folder

# ---- Killed at ten random moments; --resume loses nothing and repeats nothing
# The last test waits for a file, so that a kill always finds the regression running.
(
  cat "$t/many.yaml"
  printf '  - {name: gate, command: [sh, -c, "until [ -e %s ]; do sleep 0.02; done"]}\n' "$t/open"
) >"$t/longer.yaml"
touch "$t/open"
"$n" regress "$t/longer.yaml" --folder "$t/whole" -j2 >"$t/whole.log" 2>&1
lost=0
moments=""
for i in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$t/killed" "$t/open"
  "$n" regress "$t/longer.yaml" --folder "$t/killed" -j2 >"$t/killed.log" 2>&1 &
  pid=$!
  finished=$((RANDOM % 45))
  until [ "$(cat "$t/killed/journal.jsonl" 2>/dev/null | wc -l)" -ge $finished ] || ! kill -0 $pid; do
    sleep "0.0$((RANDOM % 3))"
  done
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  touch "$t/open"
  before=$(cat "$t/killed/journal.jsonl" 2>/dev/null | grep -c '"verdict"')
  moments="$moments $before"
  "$n" regress "$t/longer.yaml" --folder "$t/killed" -j2 --resume --no-cache >"$t/resumed.log" 2>&1
  ids=$(grep -o '"id":"[^"]*"' "$t/killed/journal.jsonl" | sort | uniq -c | awk '$1 != 1' | wc -l)
  if ! totals "$t/resumed.log" 51 0 || [ "$ids" -ne 0 ] ||
    [ "$(wc -l <"$t/killed/journal.jsonl")" -ne 51 ] || [ "$before" -ge 51 ] ||
    ! cmp -s <(strip "$t/whole/results.json") <(strip "$t/killed/results.json"); then
    lost=$((lost + 1))
    echo "killed after $before tests: $(tail -n 2 "$t/resumed.log")"
  fi
done
[ $lost -eq 0 ] && good "killed ten times, after$moments tests" || bad "killed ten times" "$lost of 10"

# ---- One at a time in a folder; each signal leaves a whole journal and says how to go on
waits() { # file pattern: until a line of the file matches
  until grep -qsE "$2" "$1"; do sleep 0.02; done
}
signals=""
for signal in INT TERM HUP; do
  rm -rf "$t/open" "$t/signal"
  # (What was ignored when this script began, as under nohup, a shell cannot set back.)
  env --default-signal=$signal "$n" regress "$t/longer.yaml" --folder "$t/signal" >"$t/signal.log" 2>&1 &
  pid=$!
  waits "$t/signal/journal.jsonl" verdict
  if [ $signal = TERM ]; then
    "$n" regress "$t/many.yaml" --folder "$t/signal" >"$t/second.log" 2>&1
    second=$?
  fi
  kill -$signal $pid
  wait $pid
  got=$?
  touch "$t/open"
  [ $got -eq 1 ] && grep -qE '^nocturne: interrupted after [0-9]+ of 51 tests; --resume goes on' "$t/signal.log" &&
    "$n" regress "$t/longer.yaml" --folder "$t/signal" --resume --no-cache >"$t/resumed.log" 2>&1 &&
    totals "$t/resumed.log" 51 0 || signals="$signals $signal: $got, $(tail -n 1 "$t/signal.log")"
  [ $signal != TERM ] || was=$pid
done
[ -z "$signals" ] && good "INT, TERM and HUP" || bad "INT, TERM and HUP" "$signals"
if [ "$second" -eq 2 ] && grep -qE "signal: in use by process $was on .* since .*: .* regress .*; expected another --folder" \
  "$t/second.log" && [ "$(wc -l <"$t/second.log")" -eq 1 ]; then
  good "two regressions in a folder: the second is refused"
else
  bad "two regressions in a folder" "status $second" "$t/second.log"
fi

# ---- A full disk is said as such
if full=$(mktemp -d "$t/full.XXXX") && mount -t tmpfs -o size=64k tmpfs "$full" 2>/dev/null; then
  cleanup() { umount "$full"; }
  # Room for the folders and a first line or two.
  mkdir -p "$full/r/logs"
  head -c 24k /dev/zero >"$full/fill"
  "$n" regress "$t/many.yaml" --folder "$full/r" --no-cache >"$t/full.log" 2>&1
  code=$?
  if [ $code -eq 1 ] && grep -q "journal.jsonl: cannot be written: No space left on device" "$t/full.log"; then
    good "a full disk"
  else
    bad "a full disk" "status $code" "$t/full.log"
  fi
  # (RTL is built there; a program's log is looked at above.)
  "$n" unit composition_scheduler --engine golden --gpus 2 --cycles 50 --record "$t" >"$t/log"
  cat >"$t/kinds.yaml" <<END
tests:
  - {name: unit, unit: composition_scheduler, gpus: 2, cycles: 500}
  - {name: run, run: vectors/config/chopin.yaml, frame: gen:test-1, engine: lockstep, set: [gpus=2]}
  - {name: play, play: docs/units/images/$(basename "$(find docs/units/images -name 'composition*.json' | sort | head -n 1)")}
  - {name: vectors, vectors: $t/composition_scheduler-0.vec}
END
  NOCTURNE_DATA=$root XDG_CACHE_HOME="$root/$full" "$n" regress "$t/kinds.yaml" --folder "$t/kinds" --no-cache >"$t/full.log" 2>&1
  [ "$(grep -cE '^FAIL (unit/seed-1|run|play|vectors): .*No space left on device' "$t/full.log")" -eq 4 ] &&
    good "a full disk, said by a test of each kind" || bad "a full disk, said by a test of each kind" "" "$t/full.log"
  umount "$full"
  cleanup() { :; }
fi
# The same where the journal may not grow.
(trap "" XFSZ; ulimit -f 8; exec "$n" regress "$t/many.yaml" --folder "$t/small" --no-cache) >"$t/small.log" 2>&1
code=$?
if [ $code -eq 1 ] && grep -q "journal.jsonl: cannot be written: File too large" "$t/small.log"; then
  good "a journal that may not grow"
else
  bad "a journal that may not grow" "status $code" "$t/small.log"
fi

# ---- What a command checks counts, a line each; all that a failing one prints is shown
cat >"$t/counts.yaml" <<'Y'
defaults: {counts: true, timeout: {seconds: 60}}
tests:
  - {name: two, command: [printf, 'ok one\nok two\nnot okay\n']}
  - {name: cmocka, command: [printf, '[       OK ] a\n[  FAILED  ] b\n[  FAILED  ] 1 test(s), listed below:\n']}
  - {name: fails, command: [sh, -c, 'echo ok one; echo not ok three: the cause; seq 3000; echo the end']}
  - {name: status, command: [sh, -c, 'echo ok one; exit 3']}
  - {name: killed, command: [sh, -c, 'echo ok one; kill -9 $$']}
  - {name: nothing, command: ["true"]}
  - {name: missing, command: [./no/such/program]}
  - {name: plain, command: ["true"], counts: false}
Y
for jobs in 1 2; do
  "$n" regress "$t/counts.yaml" --folder "$t/counts" --no-cache -j $jobs >"$t/counts.$jobs" 2>&1
  echo "status $?" >>"$t/counts.$jobs"
done
counted() { # checks
  for jobs in 1 2; do
    [ "$(tail -n 2 "$t/counts.$jobs" | xargs)" = "7 passed, 6 failed status 1" ] || return
  done
  for line in '^pass two \(2, ' '^FAIL cmocka \(1 of 2, .*FAILED  . b$' '^FAIL fails \(1 of 2, .*not ok three: the cause' \
    '^FAIL status \(1 of 2, .*exit status 3' '^FAIL killed \(1 of 2, .*SIGKILL' '^FAIL nothing \(1 of 1, .*checked anything' \
    '^FAIL missing \(1 of 1, .*cannot start' '^1500$' '^the end$'; do
    has "$t/counts.2" "$line" || return
  done
}
check "checks are counted, whatever fails" counted

# ---- Those that failed last, and against another regression
cat >"$t/changes.yaml" <<Y
defaults: {counts: true}
tests:
  - {name: mended, command: [sh, -c, 'test -e $t/second && echo ok a || echo not ok a']}
  - {name: broken, command: [sh, -c, 'test -e $t/second && echo not ok b || echo ok b']}
  - {name: slower, command: [sh, -c, 'test -e $t/second && i=0 && while [ \$i -lt 1500000 ]; do i=\$((i + 1)); done; echo ok c']}
  - {name: steady, command: [echo, ok d]}
Y
mkdir -p "$t/cover1" "$t/cover2"
cover_json() { # lines hit
  printf '{"units": [{"name": "draw_scheduler", "line": {"hit": %s, "excluded": 0, "total": 100}, "toggle": {"hit": 5, "excluded": 0, "total": 9}, "points": {"hit": 3, "total": 4}}], "c": {"all": {"hit": 9, "excluded": 0, "total": 10}, "folders": {}}}' "$1"
}
cover_json 98 >"$t/cover1/summary.json"
cover_json 91 >"$t/cover2/summary.json"
rm -f "$t/second"
"$n" regress "$t/changes.yaml" --folder "$t/old" --no-cache --cover "$t/cover1" >"$t/old.log" 2>&1
touch "$t/second"
"$n" regress "$t/changes.yaml" --folder "$t/new" --no-cache --cover "$t/cover2" --compare "$t/old" >"$t/new.log" 2>&1
compared() {
  for line in '^newly failing: broken$' '^newly passing: mended$' '^slower: slower [0-9.]+ s instead of [0-9.]+' \
    '^coverage lost: draw_scheduler, 9 lines missed instead of 2$'; do
    has "$t/new.log" "$line" || return
  done
  ! grep -E "^(newly|slower|coverage).*(steady|toggle)" "$t/new.log"
}
check "compared with another regression" compared
failed_only() {
  "$n" regress "$t/changes.yaml" --folder "$t/new" --no-cache --failed >"$t/failed.log" 2>&1
  [ $? -eq 1 ] && [ "$(tail -n 1 "$t/failed.log")" = "0 passed, 1 failed" ] && has "$t/failed.log" '^FAIL broken' || return
  rm -f "$t/second"
  "$n" regress "$t/changes.yaml" --folder "$t/new" --no-cache --failed >"$t/failed.log" 2>&1
  [ $? -eq 0 ] && [ "$(tail -n 1 "$t/failed.log")" = "1 passed, 0 failed" ] || return
  "$n" regress "$t/changes.yaml" --folder "$t/new" --no-cache --failed >"$t/failed.log" 2>&1
  [ $? -eq 0 ] && has "$t/failed.log" 'no test of these lists failed last'
}
check "those that failed last" failed_only

# ---- The order, and what is left, from known times
cat >"$t/times.yaml" <<'Y'
tests:
  - {name: short, command: ["true"], takes: 1}
  - {name: long, command: ["true"], takes: 900}
  - {name: middle, command: ["true"], takes: 30}
  - {name: failing, command: ["false"], takes: 1}
Y
order() { sed -n 's/.*"id":"\([a-z]*\)".*/\1/p' "$t/times/journal.jsonl" | xargs; }
longest_first() {
  "$n" regress "$t/times.yaml" --folder "$t/times" --no-cache -j1
  [ "$(order)" = "long middle short failing" ] || { order; return 1; }
  "$n" regress "$t/times.yaml" --folder "$t/times" --no-cache -j1
  [ "$(order | cut -d ' ' -f 1)" = failing ] || { order; return 1; }
}
check "longest first, failed before all" longest_first

# ---- A planted bug: grouped once, one command, a short stimulus that still fails
unset NOCTURNE_COVERAGE  # which lines a wrong RTL reaches says nothing
tree=$t/planted
plant "$tree" rtl/chopin/draw_scheduler.sv "$(wrong_tie)" ||
  bad "planted bug" "the wrong line no longer applies"
cat >"$tree/list.yaml" <<'Y'
tests:
  - {name: draw, unit: draw_scheduler, gpus: 8, cycles: 60000, seeds: 1..4, set: paper, knobs: {command: 4}}
Y
(
  cd "$tree" || exit 1
  build/nocturne regress list.yaml >regress.log 2>&1
  build/nocturne rerun draw/seed-2 --shrink >shrink.log 2>&1
  build/nocturne unit --vectors build/regress/shrunk/draw+seed-2.vec >play.log 2>&1
)
first=$(sed -n 's/^shrunk: \([0-9]*\) steps to \([0-9]*\).*/\1/p' "$tree/shrink.log")
last=$(sed -n 's/^shrunk: \([0-9]*\) steps to \([0-9]*\).*/\2/p' "$tree/shrink.log")
again=$(sed -n 's/^  reproduce: //p' "$tree/regress.log")
(cd "$tree" && NOCTURNE_NO_WAVES=1 $again >again.log 2>&1)
if [ "$(grep -c 'MISMATCH draw_scheduler piece_valid' "$tree/regress.log")" -eq 1 ] &&
  grep -q '^MISMATCH draw_scheduler piece_valid: 4 tests' "$tree/regress.log" &&
  [ "$(echo "$again" | grep -c .)" -eq 1 ] && grep -q '^MISMATCH: draw_scheduler' "$tree/again.log" &&
  [ -n "$last" ] && [ $((last * 10)) -le "$first" ] && grep -q '^MISMATCH: draw_scheduler' "$tree/play.log"; then
  good "planted bug: $first steps shrunk to $last"
else
  bad "planted bug" "steps '$first' to '$last'"
  tail -n 8 "$tree/regress.log" "$tree/shrink.log"
fi

# ---- The page: a picture of the failure, plan, coverage, what has changed; one file, valid
mkdir -p "$tree/cover"
cat >"$tree/cover/summary.json" <<'J'
{"passed": false, "thresholds": {"line": 100, "toggle": 98, "c": 90, "excluded": 2},
 "units": [{"name": "draw_scheduler", "line": {"hit": 98, "excluded": 2, "total": 100},
   "toggle": {"hit": 970, "excluded": 5, "total": 1000}, "points": {"hit": 3, "total": 4}}],
 "c": {"all": {"hit": 9, "excluded": 0, "total": 10}, "folders": {"csim/base": {"hit": 9, "excluded": 0, "total": 10}}},
 "exclusions": [], "complaints": ["draw_scheduler: toggle 97.00 % < 98 %"]}
J
cat >"$tree/cover/plan.json" <<'J'
{"units": [{"unit": "draw_scheduler", "file": "p.yaml", "features": [
  {"name": "tie", "shows": "Among equals the first.", "bare": true, "why": "tie_never was not hit",
   "tests": [{"name": "draw-*", "passed": 3, "failed": 1}], "cover": [{"name": "tie_never", "count": 0}]}]}]}
J
(
  cd "$tree" || exit 1
  cp -r "$OLDPWD/rtl" good-rtl
  cat >>list.yaml <<'Y'
  - {name: markup, command: [sh, -c, "echo '<b>&'; exit 9"]}
Y
  mv rtl bad-rtl
  mv good-rtl rtl
  build/nocturne regress list.yaml --folder page >page.log 2>&1
  rm -rf rtl
  mv bad-rtl rtl
  find rtl -name '*.sv' -exec touch {} +
  build/nocturne regress list.yaml --folder page --cover cover >page.log 2>&1
)
page=$tree/page/index.html
missing=""
for text in '>MISMATCH draw_scheduler piece_valid<' 'piece_valid_o, golden' 'piece_valid_o, RTL' \
  'With waves: <code>build/nocturne rerun --folder page draw/seed-1<' '4 newly failing: draw/seed-1' '&lt;b&gt;&amp;' '98 of 98, 100.00 %' \
  '<dt>command</dt><dd><code>build/nocturne regress list.yaml --folder page --cover cover<' '<dt>revision</dt><dd><code>' \
  '<dt>Verilator</dt><dd><code>Verilator ' '<dt>compiler</dt><dd><code>gcc ' "<dt>host</dt><dd><code>$(hostname)<" \
  '970 of 1000, 97.00 %' 'toggle 97.00 % &lt; 98 %' 'tie_never was not hit' '1 failed</span>' \
  'The last 2 regressions'; do
  grep -qF "$text" "$page" || missing="$missing|$text"
done
if [ -z "$missing" ] && ! grep -qE '(src|href)="[^#]|@import|url\(|<script' "$page"; then
  good "page: one file with all in it"
else
  bad "page: one file with all in it" "missing$missing"
fi
# Its command, as a reader copies it.
typed() {
  local line
  line=$(sed -n 's|.*With waves: <code>\([^<]*\)</code>.*|\1|p' "$page" | head -n 1)
  (cd "$tree" && NOCTURNE_NO_WAVES=1 bash -c "$line") >"$t/typed.log" 2>&1
  [ $? -eq 1 ] && has "$t/typed.log" '^MISMATCH'
}
check "page: the command of a failure shows it again" typed
# With nothing left to run, --resume writes the page anew and the history does not grow.
runs=$(wc -l <"$tree/page/history.jsonl")
rm -f "$page.old"
mv "$page" "$page.old"
(cd "$tree" && build/nocturne regress list.yaml --folder page --cover cover --resume >resume.log 2>&1)
if [ -s "$page" ] && [ "$(wc -l <"$tree/page/history.jsonl")" -eq "$runs" ] &&
  cmp -s <(grep -vE 'tests in .* seconds|<dt>command' "$page") <(grep -vE 'tests in .* seconds|<dt>command' "$page.old"); then
  good "page: written anew"
else
  bad "page: written anew" "$(tail -n 1 "$tree/resume.log")"
fi
if command -v xmllint >/dev/null; then
  if xmllint --noout "$page" 2>"$t/page.err"; then
    good "page: well-formed"
  else
    bad "page: well-formed" "$(head -n 2 "$t/page.err")"
  fi
else
  echo "left out: xmllint is missing: whether the page is well-formed"
fi
# A browser that mends nothing has the same elements in the same order.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
  look="$browser --headless --no-sandbox --disable-gpu --user-data-dir=$PWD/$t/browser"
  $look --dump-dom "file://$PWD/$page" >"$t/dom.html" 2>/dev/null
  $look --screenshot="$PWD/$t/page.png" --window-size=1300,1200 "file://$PWD/$page" >/dev/null 2>&1
  elements() { grep -oE '<[a-zA-Z][a-zA-Z0-9]*' "$1"; }
  if difference=$(diff <(elements "$page") <(elements "$t/dom.html")) && [ -s "$t/page.png" ]; then
    good "page: $(elements "$page" | wc -l) elements in Chromium"
  else
    bad "page: in Chromium" "$(echo "$difference" | head -n 4)"
  fi
else
  echo "left out: chromium is missing (apt-get install chromium): the page in a browser"
fi

# Colours for a terminal only, and only where they are wanted.
colours() {
  local list=$t/changes.yaml on='\033\[1;31m'
  touch "$t/second"
  command -v script >/dev/null || { echo "left out: script is missing: colours on a terminal"; return 0; }
  run() { env TERM=xterm "$@" script -qec "$n regress $list --folder $t/colour --no-cache --filter 'broken'" /dev/null </dev/null; }
  run >"$t/colour.on" 2>&1
  run NO_COLOR=1 >"$t/colour.off" 2>&1
  run TERM=dumb >"$t/colour.dumb" 2>&1
  env TERM=xterm "$n" regress "$list" --folder "$t/colour" --no-cache --filter 'broken' >"$t/colour.pipe" 2>&1
  grep -qP "$on" "$t/colour.on" && grep -q FAIL "$t/colour.off" && grep -q FAIL "$t/colour.dumb" &&
    ! grep -lP "$on" "$t/colour.off" "$t/colour.dumb" && ! grep -P '\033' "$t/colour.pipe"
}
check "colours" colours

printf 'defaults: {command: [a, b], knobs: {x: 1}}\ntests:\n  - {name: p, command: [c]}\n' >"$t/defaults.yaml"
[ "$("$n" regress "$t/defaults.yaml" --list | xargs)" = "p c" ] && good "list: a test's words instead of the defaults'" ||
  bad "list: a test's words instead of the defaults'" "$("$n" regress "$t/defaults.yaml" --list)"


# ---- Lists that are wrong: place and remedy
refuse() { # name pattern text
  printf '%s\n' "$3" >"$t/wrong.yaml"
  "$n" regress "$t/wrong.yaml" >"$t/wrong.log" 2>&1
  code=$?
  if [ $code -eq 2 ] && [ "$(wc -l <"$t/wrong.log")" -eq 1 ] && grep -qE "$2" "$t/wrong.log"; then
    good "list: $1"
  else
    bad "list: $1" "status $code: $(head -n 2 "$t/wrong.log")"
  fi
}
refuse "unknown key" 'wrong.yaml:2:15: unknown key untit, expected perhaps unit$' $'tests:\n  - {name: a, untit: b}'
refuse "a key like none" 'wrong.yaml:2:15: unknown key flavour, expected name, each, unit, .*memory or tags$' $'tests:\n  - {name: a, flavour: b}'
refuse "unknown part" 'wrong.yaml:1:1: unknown key test, expected perhaps tests$' $'test:\n  - {name: a, unit: b}'
refuse "not a flag" 'wrong.yaml:2:.*: counts: expected true or false' $'tests:\n  - {name: a, command: b, counts: 1}'
refuse "no name" 'wrong.yaml:2:5: expected a name' $'tests:\n  - {unit: draw_scheduler}'
refuse "two kinds" 'wrong.yaml:2:5: .*expected one of' $'tests:\n  - {name: a, unit: b, run: c}'
refuse "frame and frames" 'wrong.yaml:2:5: a: frame and frames: expected one of them' $'tests:\n  - {name: a, run: b, frame: c, frames: d}'
refuse "bad seeds" 'wrong.yaml:2:.*: seeds: expected' $'tests:\n  - {name: a, unit: b, seeds: 5..1}'
refuse "endless seeds" 'wrong.yaml:2:.*: seeds: expected' $'tests:\n  - {name: a, unit: b, seeds: 18446744073709551615}'
refuse "signed seeds" 'wrong.yaml:2:.*: seeds: expected' $'tests:\n  - {name: a, unit: b, seeds: +1}'
refuse "key twice" 'wrong.yaml:2:24: unit stands twice' $'tests:\n  - {name: a, unit: b, unit: c}'
refuse "not YAML" 'wrong.yaml:[0-9]+:[0-9]+: ' $'tests: [\n'
refuse "twice" 'two tests of this name' $'tests:\n  - {name: a, unit: b}\n  - {name: a, unit: c}'
refuse "a name too long" 'expected at most 200 characters' $'tests:\n  - {unit: b, name: '"$(printf 'a%.0s' {1..201})}"
refuse "no include" 'nowhere.yaml: No such file' $'include: [nowhere.yaml]'
refuse "time-out" 'wrong.yaml:2:43: seconds: expected a number from 1 to 1000000$' $'tests:\n  - {name: a, unit: b, timeout: {seconds: x}}'
refuse "empty" 'empty, expected tests' ''
