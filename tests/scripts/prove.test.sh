#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Golden model and RTL proved equal, each unit at its smallest size; and wrong lines of each, which must
# be refuted (docs/proved.md).
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/scripts/lib.sh
. tests/scripts/lib.sh

prove() { # tree, arguments of nocturne prove...: its status; what it says in $t/said
  local tree=$1
  shift
  (cd "$tree" && "$root/$n" prove -s "$@") >"$t/said" 2>&1
}

expect() { # name status pattern command...
  local name=$1 status=$2 pattern=$3
  shift 3
  "$@"
  local got=$?
  if [ $got -eq "$status" ] && grep -qE "$pattern" "$t/said"; then
    good "$name"
  else
    bad "$name" "status $got, expected $status and '$pattern'" "$t/said"
  fi
}

# Each instruction against clang, what is refused, what is owed.
names() { sed -n 's/^define i64 @\([a-z_]*\)(i64 %a, i64 %b, i64 %c).*/\1/p' "$1"; }
instructions() {
  clang-14 -Wno-override-module -c -emit-llvm tests/programs/instructions.ll -o "$t/instructions.bc" &&
    clang-14 -Wno-override-module -O0 -shared -fPIC tests/programs/instructions.ll -o "$t/instructions.so" &&
    "$build/tests/prove_instructions" "$t/instructions.bc" "$t/instructions.so" $(names tests/programs/instructions.ll)
}
check "$(names tests/programs/instructions.ll | wc -l) instructions on random words" instructions
clang-14 -Wno-override-module -c -emit-llvm tests/programs/refused.ll -o "$t/refused.bc"
awk -F '[@(:]' '/^; (refused|owed):/ { kind = substr($1, 3); what = substr($2, 2) }
  /^define/ { print kind, $2, what }' tests/programs/refused.ll | sort -u >"$t/refused.list"
while read -r kind name what; do
  "$build/tests/prove_instructions" "$t/refused.bc" - "$name" >"$t/said" 2>&1
  status=$?
  case $kind in
    refused) wanted="^prove: not known to the translator: .*$what.*, in $name" expected=2 ;;
    *) wanted="^owed: $what in $name" expected=0 ;;
  esac
  if grep -q "$wanted" "$t/said" && [ $status -eq $expected ]; then
    good "$kind: $what"
  else
    bad "$kind: $what" "status $status" "$t/said"
  fi
done <"$t/refused.list"

proved=$("$n" room --section prove | jq -r '.[] | select(any(.prove[]; .short)) | .unit')
for unit in $proved; do
  expect "$unit is proved" 0 "^$unit .* proved" prove . -f -o "$t/proofs" "$unit"
done
expect 'what was proved is kept' 0 ' proved +kept$' prove . -o "$t/proofs" composition_scheduler
expect 'an unknown unit' 2 '^nocturne: nothing: no tests/units/nothing/unit.yaml' prove . nothing
mkdir -p "$t/empty"
lacks_tools() { PATH=$t/empty "$n" prove >"$t/said" 2>&1; }
expect 'a missing tool' 3 '^nocturne: clang-14 is missing' lacks_tools

# What the translator made of the golden model, and Yosys of the RTL, answers as the compiled golden model.
plays() { # unit gpus
  local folder
  folder=$(ls -d "$t/proofs/$1/NumGpus=$2-"* | head -n 1)
  "$n" unit "$1" --gpus "$2" --seed 5 --cycles 2000 --engine golden --record "$t/vectors" &&
    "$build/prove" "$1" "$(head -n 1 "$t/vectors/$1-0.vec" | cut -d ' ' -f 4-)" --golden "$folder/golden.bc" \
      --rtl "$folder/rtl.aig" --play "$t/vectors/$1-0.vec"
}
check 'recorded vectors of composition_scheduler in the graphs' plays composition_scheduler 2

# Another program reads the duties and the machine from reset as AIGER files.
as_aiger() { # tree: the files $t/*.aig of composition_scheduler's first size
  local folder
  folder=$(ls -d "$1"/proofs/composition_scheduler/NumGpus=2-LowestFirst=0 | head -n 1)
  "$build/prove" composition_scheduler NumGpus=2 --golden "$folder/golden.bc" --rtl "$folder/rtl.aig" \
    --write "step:$t/step.aig" --write "outputs:$t/outputs.aig" --write "reachable:$t/reachable.aig"
}
another_says() { # commands of abc for a file pattern
  yosys-abc -c "read_aiger $1; orpos; $2" >"$t/said" 2>&1 && has "$t/said" "$3"
}
check 'duties as AIGER files' as_aiger "$t"
for part in step outputs; do
  check "another program proves them: $part" another_says "$t/$part.aig" iprove '^UNSATISFIABLE'
done
check 'another program proves the machine from reset' another_says "$t/reachable.aig" 'scorr; pdr' '^Property proved'

# A copy of what is proved, with a line changed; the harness works in it.
planted() { # unit file sed [size]: this size, with the word hunt only searched, or the unit's first one
  rm -rf "$t/copy"
  mkdir -p "$t/copy/tests" "$t/copy/csim"
  cp -rp tests/units "$t/copy/tests/"
  # (JSON is YAML.)
  "$n" room "$1" | jq --arg size "$4" '.[0] | del(.unit) | .prove = [.prove[0] | {short: true} +
    if $size == "" then {size} + if .shows == "runs" then {shows} else {} end
    else {size: ($size | split(" ") | map(select(contains("=")) | split("=") | {(.[0]): (.[1] | tonumber)}) | add)} +
      if $size | endswith(" hunt") then {shows: "hunt"} else {} end end] | if $size | endswith(" hunt") then del(.runs) else . end' \
    >"$t/copy/tests/units/$1/unit.yaml"
  cp -rp csim/units "$t/copy/csim/"
  plant "$t/copy" "$2" "$3"
}
refuted() { # name unit file sed pattern [size]
  if ! planted "$2" "$3" "$4" "${6:-}"; then
    bad "$1" "the line has changed; adapt tests/units/$2/wrong.cases"
    return
  fi
  expect "refuted: $2: $1" 1 "$5" prove "$t/copy" -o proofs "$2"
  # What stands for a part of a joined unit has no runs to repeat.
  ! "$n" room "$2" | jq -e '.[0].parts' >/dev/null || return
  if grep -qE "^  replayed in (lockstep|the RTL)" "$t/said"; then
    good "replayed: $2: $1"
  else
    bad "replayed: $2: $1" "" "$t/said"
  fi
}

# Several at a time: one that is refuted does not hide the others, nor one that is killed itself.
planted composition_scheduler csim/units/composition_scheduler/golden.c 's/t->cgid\[i\]++;//' '' &&
  expect 'two at a time, one of them refuted' 1 '^composition_scheduler .* refuted +[0-9]+ s$' \
    prove "$t/copy" -j 2 -o proofs composition_scheduler lookahead_scheduler
check 'the other one is proved' grep -qE '^lookahead_scheduler .* proved +[0-9]+ s$' "$t/said"
# A run to what is refuted that no search of one cycle finds: from a recorded one, and in the harness.
from_a_run() {
  local folder
  planted composition_scheduler rtl/chopin/composition_scheduler.sv 's/error_d = error_q;/error_d = composition_scheduler_pkg::ErrNone;/' ''
  prove "$t/copy" -c 1 -o proofs composition_scheduler
  folder=$(ls -d "$t"/copy/proofs/composition_scheduler/NumGpus=2-* | head -n 1)
  "$n" unit composition_scheduler --gpus 2 --set paper --knob errors=30 --seed 5 --cycles 200 --engine golden --record "$t/errors" &&
    "$build/prove" composition_scheduler NumGpus=2 --golden "$folder/golden.bc" --rtl "$folder/rtl.aig" --cycles 1 \
      --runs "$t/errors/composition_scheduler-0.vec" --vectors "$t/found.vec" >"$t/said"
  [ $? -eq 1 ] && has "$t/said" '^  from reset, in [0-9]* cycles of ' && has "$t/said" '^  signal error' || return 1
  (cd "$t/copy" && build/nocturne unit --vectors "$root/$t/found.vec") >"$t/said"
  [ $? -eq 1 ] && has "$t/said" '^MISMATCH'
}
wrong_machine() {
  as_aiger "$t/copy" && another_says "$t/reachable.aig" 'scorr; pdr' 'was asserted in frame'
}
check 'another program refutes a wrong machine from reset' wrong_machine
killed() { # a prover that is killed at one of two units
  printf '#!/bin/bash\n[[ " $* " != *" composition_scheduler "*--golden* ]] || kill -9 $PPID\nexec "%s" "$@"\n' \
    "$root/$build/prove" >"$t/killed" && chmod +x "$t/killed"
  prove "$t/copy" -b "$root/$t/killed" -j 2 -o killed composition_scheduler lookahead_scheduler
}
expect 'two at a time, one of them killed' 2 '^composition_scheduler .* failed' killed
check 'the other one is proved all the same' grep -qE '^lookahead_scheduler .* proved +[0-9]+ s$' "$t/said"
check 'a run to what is refuted, from a recorded one' from_a_run

# Cases of a step, and cases of these: proved all the same, and what breaks in one of them only is found.
in_cases() { # check
  planted composition_scheduler tests/units/composition_scheduler/proof.c "s/^  Monitor.is_misused |= is_misuse(g);/&\\
  prove_case(\"a start is taken\", In.start_ready);\\
  prove_case(\"and GPU 0 reports\", In.start_ready \\&\\& In.message_valid \\& 1);\\
  prove_check(\"planted\", $1);/" ''
}
in_cases true && expect 'a step in cases' 0 ' proved ' prove "$t/copy" -c 1 -o proofs composition_scheduler
for case in In.start_ready '(!In.start_ready || !(In.message_valid \& 1))'; do
  in_cases "$case" && expect "in cases, refuted: ${case//\\}" 1 '^  broken: planted' prove "$t/copy" -c 1 -o proofs composition_scheduler
done
# The last one at the same time as others: to the letter the same, but for the times.
said_again() { # jobs
  local folder
  folder=$(ls -d "$t"/copy/proofs/composition_scheduler/NumGpus=2-* | head -n 1)
  "$build/prove" composition_scheduler NumGpus=2 --golden "$folder/golden.bc" --rtl "$folder/rtl.aig" --cycles 1 --jobs "$1" |
    sed 's/[0-9.]* s\b//'
}
check 'in cases, refuted: three at a time' cmp <(said_again 1) <(said_again 3)

# What a wrapper says of outputs and of functions by value is not believed.
in_wrapper() { # sed
  planted composition_scheduler tests/units/composition_scheduler/proof.c "$1" ''
}
in_wrapper 's/^  outputs(golden(), &In, &Out);/&\n  Out.error = 0;/' &&
  expect 'outputs that are others than a clock gives, refuted' 1 '^  signal error' prove "$t/copy" -c 1 -o proofs composition_scheduler
in_wrapper 's/prove_by_argument("eligible", 1, N)/prove_by_argument("eligible", 1, N - 1)/' &&
  expect 'a value beyond those that are run, refuted' 1 '^  broken: a value beyond those that a function is run by in ' \
    prove "$t/copy" -c 1 -o proofs composition_scheduler
in_wrapper 's/prove_by_argument("eligible", 1, N)/prove_by_value("message", \&golden()->table.ready, 1, 2)/' &&
  expect 'by a word that the function writes' 2 'not known to the translator: a function by value of a word that it writes, in ' \
    prove "$t/copy" -o proofs composition_scheduler
in_wrapper 's/prove_by_argument("eligible", 1, N)/prove_by_argument("elegible", 1, N)/' &&
  expect 'by value a function that is not there' 2 'by value a function elegible, which the bitcode does not have, in prove_setup' \
    prove "$t/copy" -o proofs composition_scheduler

# A ring of four: the cases of where it begins are one another's, unless something is said of one place.
in_ring() { # check
  planted composition_scheduler tests/units/composition_scheduler/proof.c "/^void prove_step/,/golden()/s/^  const golden_t \*g = golden();/&\\
  static struct { uint8_t first; bool words[4]; } Ring;\\
  prove_ring(Ring.words, 1, 4, Ring.first);\\
  prove_case(\"bit 0\", Ring.first \\& 1);\\
  prove_case(\"bit 1\", Ring.first \\& 2);\\
  const bool oldest = Ring.words[(Ring.first + 3) \\& 3];\\
  const uint8_t a = g->table.cgid[0], b = g->table.cgid[1];\\
  const bool holds = !oldest || (a > b) + (b > a) + (a == b) == 1;\\
  Ring.first = (Ring.first + 3) \\& 3;\\
  Ring.words[Ring.first] = In.start_ready;\\
  prove_check(\"planted\", $1);/" ''
}
in_ring holds && expect 'cases of a ring' 0 'step: proved, .* [1-9][0-9]* of cases as in others' \
  prove "$t/copy" -c 1 -o proofs composition_scheduler
in_ring 'holds \&\& !(a == 77 \&\& oldest \&\& Ring.first == 1)' &&
  expect 'cases of a ring, refuted: one of them' 1 '^  broken: planted' prove "$t/copy" -c 1 -o proofs composition_scheduler

# A product of words of a ring is another one in each case, though its name in the graph is the same.
in_products() {
  planted composition_scheduler tests/units/composition_scheduler/proof.c "s/^PROVE_UNIT(.*/&\\
const bool OpenProducts = true;/
  /^void prove_step/,/golden()/s/^  const golden_t \*g = golden();/&\\
  static struct { uint8_t first, words[4]; } Ring;\\
  prove_ring(Ring.words, 1, 4, Ring.first);\\
  prove_case(\"bit 0\", Ring.first \\& 1);\\
  prove_case(\"bit 1\", Ring.first \\& 2);\\
  const uint32_t a = g->table.cgid[0], oldest = Ring.words[(Ring.first + 3) \\& 3];\\
  const bool holds = !(oldest \\& 1) || oldest * a == Ring.words[3] * a;\\
  Ring.first = (Ring.first + 3) \\& 3;\\
  Ring.words[Ring.first] = g->table.cgid[1];\\
  prove_check(\"planted\", holds);/" ''
}
in_products && expect 'cases of a ring, refuted: equal in the first by a product' 1 '^  broken: planted' \
  prove "$t/copy" -c 1 -o proofs composition_scheduler

# LONG: also those whose proofs or runs from reset take long. WRONG: those whose "UNIT: NAME" matches.
while IFS=$'\037' read -r unit name file change pattern size long; do
  if { [ "$long" -eq 0 ] || [ -n "${LONG:-}" ]; } && [[ "$unit: $name" =~ ${WRONG:-} ]]; then
    refuted "$name" "$unit" "$file" "$change" "$pattern" "$size" </dev/null
  fi
done < <(tests/scripts/wrong.sh proof)
