#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mutation: the vectors that it left play in lockstep; mutants are killed, proved equivalent, or named as gaps.
# With LONG all units, with their proofs.
set -u
. tests/scripts/lib.sh

for vec in tests/units/*/mutants/*.vec; do
  check "vectors $vec" "$n" unit --vectors "$vec"
done
for sequence in tests/units/*/mutants/*.json; do
  check "sequence $sequence" "$n" unit --play "$sequence"
done

if [ -n "${LONG:-}" ]; then
  check "mutants of all units" "$n" mutate -o "$t/all"
  exit
fi

# Few mutants, the first vectors alone: some die, and no gap is named that the proof does not show.
mutate() { "$n" mutate -o "$t/few" -n 8 -s 0 "$@"; }
mutate composition_scheduler >"$t/few.log" 2>&1
code=$?
killed=$(grep -c '^[0-9]* killed' "$t/few/composition_scheduler/results")
equivalent=$(grep -c '^[0-9]* equivalent' "$t/few/composition_scheduler/results")
if [ $code -eq 0 ] && [ "$killed" -ge 6 ] && [ "$equivalent" -ge 1 ] && [ $((killed + equivalent)) -eq 8 ]; then
  good "8 mutants: $killed killed, $equivalent equivalent"
else
  bad "8 mutants: status $code, $killed killed, $equivalent equivalent" "" "$t/few.log"
fi
number=$(sed -n 's/^\([0-9]*\) killed seed .*/\1/p' "$t/few/composition_scheduler/results" | head -n 1)
# What the tests kill is not equivalent to the prover either.
refuted() { # MUTANT
  local proof
  proof=$(dirname "$(find "$t/few/composition_scheduler/proof" -name golden.bc)")
  "$build/prove" composition_scheduler NumGpus=3 --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --mutant "$1" \
    --cycles 20 >"$t/refuted.log"
  [ $? -eq 1 ] && has "$t/refuted.log" 'step: refuted' && has "$t/refuted.log" '^  from reset, in'
}
check "mutant $number is refuted" refuted "$number"
check "the unit without a mutant" env NOCTURNE_MUTANT=0 "$n" unit composition_scheduler --gpus 3 \
  --set paper --cycles 500
if NOCTURNE_MUTANT=$number NOCTURNE_NO_WAVES=1 "$n" unit composition_scheduler --gpus 3 --set paper \
  --cycles 2000 >"$t/one.log" 2>&1 || ! has "$t/one.log" '^MISMATCH'; then
  bad "mutant $number alone" "" "$t/one.log"
else
  good "mutant $number alone"
fi
# A difference in the first step of a file of one vector is a mismatch, and no fault of the file.
"$n" unit composition_scheduler --gpus 3 --set paper --engine golden --cycles 1 --seed 2 --record "$t/first" >"$t/log"
first=0 wrong=0
for m in $(seq 4 4 240); do
  NOCTURNE_MUTANT=$m NOCTURNE_NO_WAVES=1 "$n" unit --vectors "$t/first/composition_scheduler-0.vec" >"$t/first.log" 2>&1 ||
    { first=$((first + 1)); grep -q '^MISMATCH' "$t/first.log" || wrong=$((wrong + 1)); }
done
if [ $first -gt 0 ] && [ $wrong -eq 0 ]; then
  good "the first step: $first mutants differ"
else
  bad "the first step: $first mutants differ, $wrong without a report" "" "$t/first.log"
fi
refused() { says "$1" 2 "${@:2}"; }  # PATTERN COMMAND...
check 'a unit without a size' refused 'no tests/units/atfim/unit.yaml with mutate' "$n" mutate atfim
check 'no number' refused 'count many: expected' "$n" mutate -n many
