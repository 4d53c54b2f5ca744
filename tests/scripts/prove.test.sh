#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The prover itself, on the composition scheduler: instructions, refusals, what is kept, its graphs as another program
# reads them, one of two units that fails, a wrong line replayed (docs/hardware/proved.md). proofs.test.sh has the other units.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/scripts/lib.sh
. tests/scripts/lib.sh
# shellcheck source=tests/scripts/prove.sh
. tests/scripts/prove.sh

# Each instruction against clang, what is refused, what is owed.
names() { sed -n 's/^define i64 @\([a-z_]*\)(i64 %a, i64 %b, i64 %c).*/\1/p' "$1"; }
instructions() {
  clang-14 -Wno-override-module -c -emit-llvm tests/programs/instructions.ll -o "$t/instructions.bc" &&
    clang-14 -Wno-override-module -O0 -shared -fPIC tests/programs/instructions.ll -o "$t/instructions.so" &&
    "$build/tests/prove_instructions" "$t/instructions.bc" "$t/instructions.so" $(names tests/programs/instructions.ll)
}
check "$(names tests/programs/instructions.ll | wc -l) instructions on random words" instructions
# Where control comes to for sure.
control() { # LEVEL FUNCTION..
  local level=$1
  shift
  clang-14 -std=c11 "$level" -c -emit-llvm tests/programs/control.c -o "$t/control.bc" &&
    clang-14 -std=c11 -O0 -shared -fPIC tests/programs/control.c -o "$t/control.so" &&
    "$build/tests/prove_instructions" "$t/control.bc" "$t/control.so" "$@"
}
check 'branches and loops on random words' control -O1 cut_short begins_again ends_early leaves_both returns_early
check 'branches and loops, with variables in memory' control -O0 cut_short begins_again ends_early returns_early
# Loads behind stores, as where there is an Any; told: such a load is what was stored.
stores() {
  clang-14 -std=c11 -O1 -c -emit-llvm tests/programs/stores.c -o "$t/stores.bc" &&
    clang-14 -std=c11 -O0 -shared -fPIC tests/programs/stores.c -o "$t/stores.so" &&
    "$build/tests/prove_instructions" "$t/stores.bc" "$t/stores.so" one under_conditions one_behind_another at_some bytes
}
check 'loads behind stores on random words' stores
for name in told told_not; do
  "$build/tests/prove_instructions" "$t/stores.bc" - $name >"$t/$name"
done
is_told() { ! grep -q 'out of bounds' "$t/told" && grep -q 'out of bounds' "$t/told_not"; }
check 'a load behind a store is what was stored' is_told
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

expect 'composition_scheduler is proved' 0 '^composition_scheduler .* proved' prove . -f -o "$t/proofs" composition_scheduler
expect 'what was proved is kept' 0 ' proved +kept +[1-9][0-9]* MB$' prove . -o "$t/proofs" composition_scheduler
expect 'a folder with a space' 2 "expected a name without space or ';', for Yosys and abc: 'a b'" prove . -o 'a b' nothing
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

# What runs said of widths is a duty of the proof, and what has no RTL needs it.
narrowed() { # bit of composition_scheduler's state that is taken for constant
  mkdir -p "$t/narrowed" && cp "$t"/proofs/composition_scheduler/NumGpus=2-*/{golden.bc,rtl.aig,found.widths} "$t/narrowed" &&
    grep -q "^bit $1\$" "$t/narrowed/found.widths" && sed -i "/^bit $1\$/d" "$t/narrowed/found.widths" &&
    "$build/prove" composition_scheduler NumGpus=2 --golden "$t/narrowed/golden.bc" --rtl "$t/narrowed/rtl.aig" \
      --cycles 1 --found >"$t/said"
}
top=$(sed -n 's/^bit \(allocated .*\)$/\1/p' "$t"/proofs/composition_scheduler/NumGpus=2-*/found.widths | tail -n 1)
expect 'a width that is too small' 1 '^  broken: the width that runs showed, at byte' narrowed "$top"
unfound() {
  rm "$t/narrowed/found.widths"
  "$build/prove" composition_scheduler NumGpus=2 --golden "$t/narrowed/golden.bc" --checker "$t/narrowed/c.v" 2>"$t/said"
}
expect 'a checker without what was found' 2 'no found.widths beside it' unfound

# What needs more cycles than any run has is named, possible within the invariant, and in none of the runs.
beyond() { # options of the run
  set -- "$t"/proofs/composition_scheduler/NumGpus=2-* "$@"
  "$n" unit composition_scheduler --gpus 2 --set paper --seed 5 --engine golden --record "$t/short" "${@:2}" >"$t/log" &&
    "$build/prove" composition_scheduler NumGpus=2 --golden "$1/golden.bc" --rtl "$1/rtl.aig" --covers \
      --beyond 'error Done' --play "$t/short/composition_scheduler-0.vec" >"$t/said"
}
expect 'beyond any run, and possible' 1 '^  error Done: beyond any run from reset; possible' beyond --cycles 1
check 'what is not named is asked for' has "$t/said" '^  error Kind: not in these vectors'
expect 'said to be beyond any run, and in one' 1 '^  error Done: in these vectors, so not beyond' \
  beyond --knob errors=30 --cycles 200

# A size of which nothing shows what it covers.
no_shows() { # shows
  planted composition_scheduler tests/units/composition_scheduler/unit.yaml "s/\"shows\": \"search\"/$1/" ''
  prove "$t/copy" composition_scheduler
}
expect 'a size without covers' 2 \
  '^nocturne: tests/units/composition_scheduler/unit.yaml: prove: NumGpus=2: shows: expected search, runs or hunt' \
  no_shows '"takes": 1'
expect 'a size with covers that are not known' 2 'shows: expected search, runs or hunt, .*, not nothing$' no_shows '"shows": "nothing"'

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

# A parameter that changes nothing at a size: two GPUs are one pair, whatever the order of choice.
sized() { prove . -f -o "$t/sized" --size "$1" composition_scheduler; }
expect 'a parameter that changes nothing' 2 '^  LowestFirst=1: it changes nothing at this size' sized 'NumGpus=2 LowestFirst=1'
expect 'the same at another size' 0 ' proved ' sized 'NumGpus=3 LowestFirst=1'
expect 'a size of the list is shown as the list says' 0 '^  [0-9]+ vectors: as recorded' sized NumGpus=4

# Several at a time: one that is refuted does not hide the others, nor one that is killed itself.
planted composition_scheduler csim/units/composition_scheduler/golden.c 's/t->cgid\[i\]++;//' '' &&
  expect 'two at a time, one of them refuted' 1 '^composition_scheduler .* refuted +[0-9]+ s +[1-9][0-9]* MB$' \
    prove "$t/copy" -j 2 -o proofs composition_scheduler lookahead_scheduler
check 'the other one is proved' grep -qE '^lookahead_scheduler .* proved +[0-9]+ s +[1-9][0-9]* MB$' "$t/said"
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
# The same from a recorded run that ends a cycle before it, where the search goes on.
behind_a_run() {
  local folder cycles
  planted composition_scheduler rtl/chopin/composition_scheduler.sv 's/is_ready_message & ~ready_q & ~release_valid_q/is_ready_message \& ~ready_q/' ''
  prove "$t/copy" -c 1 -o proofs composition_scheduler
  folder=$(ls -d "$t"/copy/proofs/composition_scheduler/NumGpus=2-* | head -n 1)
  set -- "$build/prove" composition_scheduler NumGpus=2 --golden "$folder/golden.bc" --rtl "$folder/rtl.aig"
  "$@" --vectors "$t/whole.vec" >"$t/said"
  cycles=$(sed 1d "$t/whole.vec" | wc -l)
  head -n -1 "$t/whole.vec" >"$t/cut.vec"
  set -- "$@" --cycles 1 --runs "$t/cut.vec"
  "$@" >"$t/said"
  [ $? -eq 1 ] && has "$t/said" '^  not reached in 1 cycles from reset.*--search N goes on' || return 1
  "$@" --search 1 --vectors "$t/found.vec" >"$t/said"
  [ $? -eq 1 ] && has "$t/said" "^  from reset, in $((cycles - 1)) cycles of .* and 1 more" || return 1
  (cd "$t/copy" && build/nocturne unit --vectors "$root/$t/found.vec") >"$t/said"
  [ $? -eq 1 ] && has "$t/said" "^MISMATCH: .* cycle $((cycles - 1)) "
}
wrong_machine() {
  as_aiger "$t/copy" && another_says "$t/reachable.aig" 'scorr; pdr' 'was asserted in frame'
}
check 'another program refutes a wrong machine from reset' wrong_machine
# A solver that calls everything impossible: believed without its proofs, caught with them.
lying() { # more options
  local folder
  folder=$(ls -d "$t"/copy/proofs/composition_scheduler/NumGpus=2-* | head -n 1)
  "$build/tests/prove_lying" composition_scheduler NumGpus=2 --golden "$folder/golden.bc" --rtl "$folder/rtl.aig" "$@" \
    >"$t/said" 2>&1
}
expect 'a wrong answer of the solver, believed' 0 '^  step: proved' lying
expect 'a wrong answer of the solver, caught' 1 'an answer of the solver is not confirmed' lying --confirm "$build/confirm"
killed() { # a prover that is killed at one of two units
  printf '#!/bin/bash\n[[ " $* " != *" composition_scheduler "*--golden* ]] || kill -9 $PPID\nexec "%s" "$@"\n' \
    "$root/$build/prove" >"$t/killed" && chmod +x "$t/killed"
  prove "$t/copy" -b "$root/$t/killed" -j 2 -o killed composition_scheduler lookahead_scheduler
}
expect 'two at a time, one of them killed' 2 '^composition_scheduler .* failed' killed
check 'the other one is proved all the same' grep -qE '^lookahead_scheduler .* proved +[0-9]+ s +[1-9][0-9]* MB$' "$t/said"
check 'a run to what is refuted, from a recorded one' from_a_run
check 'a run to what is refuted, behind a recorded one' behind_a_run

IFS=$'\037' read -r unit name file change pattern size _ < <(tests/scripts/wrong.sh proof composition_scheduler)
refuted "$name" "$unit" "$file" "$change" "$pattern" "$size"
