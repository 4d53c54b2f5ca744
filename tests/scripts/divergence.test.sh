#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A wrong line in any one unit's RTL (tests/units/NAME/wrong.cases) is caught; the report names unit, cycle and signal.
# The command that it prints writes a waveform around the failure: tried with two units, with MORE all of them.
set -u
. tests/scripts/lib.sh
work=$(realpath "$t")

diverge() { # unit file sed-expression [option...]
  local unit=$1 command fst quiet=1
  [ -z "$MORE" ] && [[ ! $unit =~ ^(atfim|draw_scheduler)$ ]] || quiet=
  if ! plant "$work/$unit" "$2" "$3"; then
    bad "$unit" "the wrong line no longer applies to $2"
    return
  fi
  cd "$work/$unit" || exit 1
  for seed in 1 2 3 4; do
    env ${quiet:+NOCTURNE_NO_WAVES=1} build/nocturne unit "$unit" --seed $seed --cycles 20000 "${@:4}" >report.log 2>&1 && continue
    if ! grep -qE "^(MISMATCH|ASSERT): $unit [0-9]+, cycle [0-9]+" report.log ||
      { grep -q ^MISMATCH report.log && ! grep -q '  signal .*: expected 0x.*, actual 0x' report.log; }; then
      break
    fi
    if [ -n "$quiet" ]; then
      good "$unit: $(head -n 1 report.log)"
      return
    fi
    command=$(sed -n 's/^  reproduce with waves: //p' report.log)
    fst=$(echo "$command" | sed 's/.*--waves \([^ ]*\).*/\1/')
    eval "$command" >waves.log 2>&1
    if [ -s "$fst" ]; then
      good "$unit: $(head -n 1 report.log)"
      grep -m 2 '  signal' report.log
      return
    fi
    echo "no waveform $fst"
    break
  done
  bad "$unit" "a wrong line was not reported" report.log
}

tests/scripts/wrong.sh lockstep >"$work/cases"
while IFS= read -r unit; do
  bad "$unit" "tests/units/$unit/wrong.cases has no wrong line for lockstep"
done < <(cut -d $'\037' -f 1 "$work/cases" | sort -u | comm -13 - <(echo "$units"))
while IFS=$'\037' read -r unit _ file change options _; do
  # shellcheck disable=SC2086
  diverge "$unit" "$file" "$change" $options
done <"$work/cases"

# ---- Failed assertions

# A failure shrinks to one with the same signature, which its vectors show again.
shrinks() { # name file sed-expression class steps [option...]
  local name=$1 tree=$work/$1 last signature
  if ! plant "$tree" "$2" "$3"; then
    bad "$name" "the wrong line no longer applies to $2"
    return
  fi
  (cd "$tree" && NOCTURNE_NO_WAVES=1 build/nocturne unit draw_scheduler --shrink cut.vec "${@:6}") >"$tree.log" 2>&1
  (cd "$tree" && NOCTURNE_NO_WAVES=1 build/nocturne unit --vectors cut.vec) >"$tree.play.log" 2>&1
  last=$(sed -n 's/^shrunk: [0-9]* steps to \([0-9]*\).*/\1/p' "$tree.log")
  signature() { sed -nE 's/^(MISMATCH|ASSERT): .*/\1/p; /^  assertion /p' "$1"; }
  signature=$(signature "$tree.log")
  if [ "${last:-999}" -le "$5" ] && grep -q "^  assertion .* rtl/chopin/draw_scheduler.sv:[0-9]* u_dut" "$tree.log" &&
    [ "${signature%%$'\n'*}" = "$4" ] && [ "$signature" = "$(signature "$tree.play.log")" ]; then
    good "$name: $last steps, ${signature//$'\n'/}"
  else
    bad "$name" "$(signature "$tree.play.log")" "$tree.log"
  fi
}
shrinks lost-down rtl/chopin/draw_scheduler.sv 's/: remaining_q\[g\] - down;/: remaining_q[g];/' ASSERT 10 --seed 3 --set paper
planted='s/^endmodule/`NOCTURNE_ASSERT(NoProgress, progress_valid_i == 0)\n`NOCTURNE_ASSERT(NoCredit, credit_i == 0)\nendmodule/'
shrinks mismatch-and-assertion rtl/chopin/draw_scheduler.sv "s/processed_q\[g\] + down;/processed_q[g];/; $planted" \
  MISMATCH 10 --seed 3 --set paper --knob credit=0 --knob errors=0

# Two assertions are two groups of a regression, one assertion is one.
cat >"$work/assertions.yaml" <<'YAML'
defaults: {unit: draw_scheduler, gpus: 8, cycles: 4000}
tests:
  - {name: progress, seeds: 1..2, set: paper, knobs: {credit: 0, errors: 0}}
  - {name: credit, seeds: 1..2, set: paper, knobs: {progress: 0, errors: 0}}
YAML
if ! plant "$work/groups" rtl/chopin/draw_scheduler.sv "$planted"; then
  bad groups "no line ends the module"
elif (cd "$work/groups" && build/nocturne regress ../assertions.yaml -j 1) >"$work/groups.log" 2>&1; [ $? -ne 1 ]; then
  bad groups "status" "$work/groups.log"
elif [ "$(jq -r '.. | objects | .signature // empty' "$work/groups/build/regress/results.json" | sort | uniq -c |
  sed 's/^ *//; s/sv:[0-9]*/sv/')" = \
  "2 ASSERT draw_scheduler assertion NoCredit rtl/chopin/draw_scheduler.sv u_dut
2 ASSERT draw_scheduler assertion NoProgress rtl/chopin/draw_scheduler.sv u_dut" ]; then
  good "groups of assertions"
else
  bad "groups of assertions" "" "$work/groups.log"
fi

# The same in the machine, where the RTL runs behind on its own thread: the run fails, and is
# repeated with waves by itself.
cd "$work/pixel_distributor" || exit 1
build/nocturne run vectors/config/chopin.yaml --frame gen:test-1 --set driver.threshold=20 \
  >report.log 2>&1
code=$?
fst=$(sed -n 's/^  waves: //p' report.log)
if [ $code -eq 1 ] && [ -s "${fst:-none}" ] && [ -s build/waves/system.vcd ] &&
  grep -q '^-MISMATCH: pixel_distributor' build/waves/system.gtkw &&
  grep -qE '^(MISMATCH|ASSERT): pixel_distributor [0-9]+, cycle [0-9]+' report.log; then
  good "machine: $(head -n 1 report.log)"
else
  bad machine "a wrong line was not reported, status $code" report.log
fi

# Without a golden model a unit that never answers makes the machine hang: the watchdog ends the
# run and says what everything waits for.
cd "$work/composition_scheduler" || exit 1
cp "$root/rtl/chopin/composition_scheduler.sv" rtl/chopin/
sed -i 's/(release_valid_q & ~release_ready_i) | complete;/release_valid_q \& ~release_ready_i;/' \
  rtl/chopin/composition_scheduler.sv
rm -f build/waves/system.*
build/nocturne run vectors/config/chopin.yaml --engine rtl --frame gen:test-1 \
  --set driver.threshold=20 --set watchdog=50000 >hang.log 2>&1
code=$?
if [ $code -eq 1 ] && grep -q '^HANG: cycle ' hang.log && [ -s build/waves/system.gtkw ] &&
  grep -q '  of all units: build/waves/system.vcd' hang.log &&
  grep -q 'pixel_distributor: composing, composed 0 of' hang.log &&
  grep -q '^composition_scheduler 0: last clocked in cycle' hang.log; then
  good "machine: $(head -n 1 hang.log)"
else
  bad machine "a hang was not reported, status $code" hang.log
fi
