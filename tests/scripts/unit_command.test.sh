#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nocturne unit: its knobs are printed and taken, many seeds give what each gives, the summary says
# how busy the unit was, and its speed leaves building out. Stimulus from the page alone.
set -u
. tests/scripts/lib.sh
export NOCTURNE_NO_WAVES=1
work=$(realpath "$t")

# Every knob of every unit: printed, taken, and all that the test lists use are among them.
units=$("$n" unit nothing 2>&1 | sed -n 's/.*expected one of //p' | tr -d ,)
wrong=""
for u in $units; do
  "$n" unit "$u" --knobs >"$t/$u.knobs" || wrong="$wrong $u"
  for knob in $(sed -n 's/^  \([a-z0-9_]*\) .*/\1/p' "$t/$u.knobs"); do
    "$n" unit "$u" --engine golden --cycles 10 --knob "$knob=1" >"$t/knob.log" 2>&1 || wrong="$wrong $u:$knob"
    echo "$u $knob"
  done
done >"$t/known"
{
  grep -ohE 'unit: [a-z_]+,.* knobs: \{[^}]*' tests/lists/*.yaml | sed 's/unit: \([a-z_]*\),.* knobs: {/\1 /'
  # Those of a unit's room, whose default is the unit.
  for u in $units; do
    grep -ohE 'knobs: \{[^}]*' "tests/units/$u/tests.yaml" | sed "s/knobs: {/$u /"
  done
} | sed 's/"[^"]*"//g' |
  awk '{ u = $1; for (i = 2; i <= NF; i++) if ($i ~ /:$/) print u, substr($i, 1, length($i) - 1) }' | sort -u >"$t/used"
unknown=$(sort "$t/known" | comm -13 - "$t/used")
if [ "$(wc -w <<<"$units")" -ge 9 ] && [ -s "$t/used" ] && [ -z "$wrong$unknown" ]; then
  good "knobs: $(wc -l <"$t/known") of $(wc -w <<<"$units") units"
else
  bad knobs "not taken:$wrong, not printed: $unknown"
fi

# The transactions of the summary are those of the log.
json() { jq "first(.. | objects | .$2 | numbers)" "$1"; }
"$n" unit draw_scheduler --engine golden --cycles 5000 --log "$t/log.txt" --json "$t/one.json" >"$t/one.log"
awk '$3 != "reset" { sub(/\[.*/, "", $3); n[$3]++ } END { for (s in n) print s, n[s] }' "$t/log.txt" | sort >"$t/logged"
for s in cmd piece credit progress; do echo "$s $(json "$t/one.json" $s)"; done | sort >"$t/counted"
if [ -s "$t/logged" ] && cmp -s "$t/logged" "$t/counted" && grep -q '  nearly idle; another --seed' "$t/one.log"; then
  good "activity of an idle unit: $(tr '\n' ' ' <"$t/counted")"
else
  bad "activity of an idle unit" "$(diff "$t/logged" "$t/counted")" "$t/one.log"
fi
"$n" unit draw_scheduler --engine golden --cycles 5000 --busy --json "$t/busy.json" >"$t/busy.log"
if [ "$(json "$t/busy.json" taken_cycles)" -ge 3500 ] && ! grep -q 'nearly idle' "$t/busy.log"; then
  good "activity of a busy unit"
else
  bad "activity of a busy unit" "" "$t/busy.log"
fi

# A set that is named is taken, busy or not.
named_set() {
  "$n" unit texel_generator --engine golden --set tiny --busy --cycles 20 --record "$t/set" && head -n 1 "$t"/set/*.vec | grep ' Slots=2 '
}
check 'a busy unit of a named set' named_set

# Three seeds are the sum of each.
sum=0
for s in 3 4 5; do
  "$n" unit draw_scheduler --engine golden --cycles 2000 --seed $s --json "$t/s.json" >"$t/s.log"
  sum=$((sum + $(json "$t/s.json" cmd)))
done
"$n" unit draw_scheduler --engine golden --cycles 2000 --seeds 3..5 --json "$t/s.json" >"$t/s.log"
if [ "$(json "$t/s.json" cmd)" = $sum ] && [ "$(json "$t/s.json" cycles)" = 6000 ] &&
  grep -q '^passed: draw_scheduler, gpus 8, seeds 3 to 5: 6000 steps' "$t/s.log"; then
  good "seeds: $sum commands"
else
  bad seeds "expected $sum commands" "$t/s.log"
fi

# From the page alone: every unit takes it, the same bytes each time.
wrong=""
for u in $units; do
  for k in a b; do
    "$n" unit "$u" --from-page --engine golden --seed 3 --cycles 2000 --log "$t/$u.$k" >"$t/page.log" 2>&1 || wrong="$wrong $u"
  done
  cmp -s "$t/$u.a" "$t/$u.b" && [ "$(grep -vc reset "$t/$u.a")" -gt 200 ] || wrong="$wrong $u"
done
if [ -z "$wrong" ]; then good "from the page: all units"; else bad "from the page" "$wrong" "$t/page.log"; fi

# Values are those of the knob, names and credits right without errors, wrong with them.
page() { "$n" unit draw_scheduler --from-page --engine golden --cycles 4000 --knob resets=500 --log "$t/log.txt" "$@" >"$t/page.log" 2>&1; }
outside() { grep -o " $1=[^ ]*" "$t/log.txt" | sort -u | grep -vcE "=($2)$"; }
owed() { # credits that nobody owes, of all GPUs
  awk '$3 == "reset" { delete n } $3 ~ /^piece/ { sub(/piece/, "", $3); n[$3]++ }
    $3 ~ /^credit/ { sub(/credit/, "", $3); if (n[$3]-- <= 0) { n[$3] = 0; wrong++ } } END { print wrong + 0 }' "$t/log.txt"
}
page --knob errors=0 --knob value.cmd_count=5..9 --knob value.cmd_kind=1*1,2*3 --knob param.credits=3
counts=$(outside cmd_count '[5-9]') kinds=$(outside cmd_kind 'Opaque|Transparent') ops=$(outside cmd_op 'GroupStart|Draw|GroupEnd')
seen=$(grep -c ' piece' "$t/log.txt") free=$(owed)
page --knob errors=200
if [ "$seen" -gt 50 ] && [ "$counts$kinds$ops$free" = 0000 ] && [ "$(outside cmd_op 'GroupStart|Draw|GroupEnd')" -gt 0 ] &&
  [ "$(owed)" -gt 0 ]; then
  good "values from the page: $seen pieces"
else
  bad "values from the page" "$seen pieces; outside: $counts $kinds $ops, credits: $free; with errors $(owed)" "$t/page.log"
fi

# Of a wrong unit the first seed that fails is shown, the others counted; its command has one seed.
tree=$work/wrong
if plant "$tree" rtl/chopin/draw_scheduler.sv "$(wrong_tie)"; then
  cd "$tree" || exit 1
  start=$(date +%s%N)
  build/nocturne unit draw_scheduler --cycles 100 --set paper --seeds 3 --json all.json >all.log 2>&1
  code=$?
  elapsed=$((($(date +%s%N) - start) / 1000000))
  failing=""
  for s in 1 2 3; do
    build/nocturne unit draw_scheduler --cycles 100 --set paper --seed $s >one.log 2>&1 || failing="$failing $s"
  done
  first=$(awk '{ print $1 }' <<<"$failing")
  command=$(sed -n 's/^  reproduce with waves: //p' all.log)
  if [ $code -eq 1 ] && [ -n "$first" ] && [ "$(grep -c ^MISMATCH all.log)" = 1 ] &&
    grep -q "^  seed $first, engine lockstep" all.log && grep -qF "seeds failed:$failing; above is the first" all.log &&
    grep -q -- "--seed $first " <<<"$command" && ! grep -q -- --seeds <<<"$command" &&
    [ "$(json all.json failed)" = "$(wc -w <<<"$failing")" ]; then
    good "seeds of a wrong unit:$failing"
  else
    bad "seeds of a wrong unit" "status $code, expected seeds$failing" all.log
  fi
  # From the page too, and cut down.
  build/nocturne unit draw_scheduler --from-page --cycles 3000 --knob errors=0 --seeds 4 --shrink cut.vec >page.log 2>&1
  last=$(sed -n 's/^shrunk: [0-9]* steps to \([0-9]*\).*/\1/p' page.log)
  build/nocturne unit --vectors cut.vec >play.log 2>&1
  if [ "${last:-99}" -le 12 ] && grep -q '^MISMATCH: draw_scheduler' page.log && grep -q '^MISMATCH: draw_scheduler' play.log; then
    good "a wrong unit from the page: $last steps"
  else
    bad "a wrong unit from the page" "" page.log
  fi
  # The unit was built in this command.
  seconds=$(jq 'first(.. | objects | .seconds | numbers) * 1000 | floor' all.json)
  if [ -n "$seconds" ] && [ $((seconds * 4)) -lt $elapsed ] && grep -q 'million steps a second' all.log; then
    good "speed without building"
  else
    bad "speed without building" "$seconds ms of $elapsed ms"
  fi
else
  bad "seeds of a wrong unit" "the wrong line no longer applies"
fi
