#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A unit from outside the tree, as docs/how-to/add-a-unit.md goes: from a page to a failing test, shrunk,
# with waves. And what is refused. (Coverage, proof, mutants: outside_proved.test.sh.)
set -u
. tests/scripts/lib.sh
here=tests/outside/arbiter
own=$t/arbiter
use="--page $own/arbiter.yaml --golden $own/arbiter.so"

# ---- The stranger's way: each command once.
check '1 what to begin with' says "make -C $own" 0 "$n" unit --new $here/arbiter.yaml "$own"
check '2 the golden model' make -C "$own" NOCTURNE="$root"
# shellcheck disable=SC2086
check '3 both do nothing' says '500 compared, 0 mismatches' 0 "$n" unit $use --cycles 500
cp $here/arbiter.sv $here/arbiter_golden.c "$own/"
make -C "$own" NOCTURNE="$root" >"$t/log" 2>&1
# shellcheck disable=SC2086
check '4 both do the same' says '20000 compared, 0 mismatches' 0 "$n" unit $use
sed -i 's/last_q <= chosen;/last_q <= last_q;/' "$own/arbiter.sv"
# shellcheck disable=SC2086
check '5 a wrong line, shrunk' says '^shrunk: [0-9]* steps to [1-9] in [0-9]+ trials, counted from the last reset: ' 1 "$n" unit $use --seed 2 \
  --shrink "$own/short.vec"
has "$t/said" "play: build/nocturne unit $use --vectors" >"$t/log" && good '6 the command is said' ||
  bad '6 the command is said' "" "$t/said"
# shellcheck disable=SC2086
check '7 it fails again, with waves' says '^FAILED: .*short.vec: [1-9] steps, failed as above; 0 differ from the record' 1 "$n" unit $use \
  --vectors "$own/short.vec" --waves "$own/short.fst"
check '7 the command for waves names them once' test "$(grep 'reproduce with waves' "$t/said" | grep -o -- '--waves ' | wc -l)" -eq 1
check '8 waves and what to see in them' test -s "$own/short.fst" -a -s "$own/short.gtkw"

# From another working folder the program finds its tree.
elsewhere() {
  (cd "$t" && "$root/$n" unit --new "$root/$here/arbiter.yaml" away && make -s -C away &&
    "$root/$n" run vectors/config/chopin.yaml --engine golden --frame gen:test-1)
}
check '9 the same in another folder' elsewhere
# A port that changed in the description only.
port() { # SED PATTERN
  sed "$1" "$here/arbiter.yaml" >"$t/away/arbiter.yaml"
  make -s -C "$t/away" NOCTURNE="$root" >"$t/log" 2>&1 &&
    says "$2" 1 "$n" unit --page "$t/away/arbiter.yaml" --golden "$t/away/arbiter.so" --cycles 10
}
check 'a port of another width' port 's/source: index/source: 7/' ': port grant_source_o has 2 bits, but 7 in the description; correct one of them$'
check 'a port that the RTL lacks' port '/^doc:/,$d; s/source: index/&, age: 3/' ': port grant_age_o of the description is missing; add it, or correct the description$'
check 'a port that the description lacks' port '/^doc:/,$d; s/source: index, //' ': port grant_source_o is not in the description; add it there, or leave it out$'

mkdir -p "$t/bin"
printf '#!/bin/sh\nPATH=${PATH#*:} exec gcc -nostdinc "$@"\n' >"$t/bin/gcc"
chmod +x "$t/bin/gcc"
rm -f build/outside/unit/arbiter/tables-*.so
# shellcheck disable=SC2086
check 'gcc without the headers of C' says '^nocturne: gcc or string.h is missing; run `make setup`$' 3 \
  env PATH="$root/$t/bin:$PATH" "$n" unit $use --cycles 500

# ---- The other options, with the right RTL.
cp $here/arbiter.sv "$own/"
wide="--knob param.inputs=7 --knob param.width=9 --knob param.credits=3"
# shellcheck disable=SC2086
check 'parameters' says '5000 compared, 0 mismatches' 0 "$n" unit $use $wide --cycles 5000 --seed 4
# shellcheck disable=SC2086
check 'log' says passed 0 "$n" unit $use --cycles 500 --log "$t/log.txt"
check 'log: grants' has "$t/log.txt" '^[0-9]+ arbiter.0 grant grant_source=[0-3] grant_data=[0-9]+$'
# shellcheck disable=SC2086
check 'vectors recorded' says passed 0 "$n" unit $use --cycles 500 --record "$t/vectors"
# shellcheck disable=SC2086
check 'vectors played' says '0 differ from the record' 0 "$n" unit $use --vectors "$t/vectors/arbiter-0.vec"
# A golden model that crashes or hangs ends its run with one line.
faulty() { # NAME SED PATTERN
  local at=$t/faulty
  rm -rf "$at"
  cp -r "$own" "$at"
  sed -i "$2" "$at/arbiter_golden.c"
  make -s -C "$at" NOCTURNE="$root" >/dev/null
  check "$1" says "^LIBRARY: arbiter, step [1-9][0-9]*: $at/arbiter.so: arbiter_golden_step $3" 1 env NOCTURNE_CALL_SECONDS=1 \
    "$n" unit --page "$at/arbiter.yaml" --golden "$at/arbiter.so" --cycles 500
}
faulty 'a golden model that crashes' 's/g->left++;/*(volatile int *)0 = 1;/' 'crashed'
faulty 'a golden model that hangs' 's/g->left++;/for (volatile int x = 0; !x;) {}/' 'did not return in 1 s of processor time'
check 'RTL alone' says 'passed: arbiter' 0 "$n" unit --page "$own/arbiter.yaml" --cycles 500
mkdir -p "$t/a folder" && cp "$own"/arbiter.{sv,so,yaml} "$t/a folder/"
check 'a folder with a blank in its name, its netlist' says '500 compared, 0 mismatches' 0 "$n" unit \
  --page "$t/a folder/arbiter.yaml" --golden "$t/a folder/arbiter.so" --engine gates --cycles 500
# Of no GPUs, nothing is said.
check 'no GPUs' has "$t/said" '^passed: arbiter, seed 1: '
cat >"$t/list.yaml" <<END
defaults: {unit: arbiter, page: $own/arbiter.yaml, golden: $own/arbiter.so, cycles: 2000}
tests:
  - {name: arbiter, seeds: 1..3}
  - {name: arbiter-7, seeds: 1..2, knobs: {param.inputs: 7, grant: 50..200}}
END
check 'a list' says '^5 passed, 0 failed' 0 "$n" regress "$t/list.yaml" --folder "$t/regress" --no-cache

# Its RTL counts for the results that are kept.
cached() { # what the last line says
  says "$1" 0 "$n" regress "$t/list.yaml" --folder "$t/cached"
}
check 'results are kept: none yet' cached '^5 tests in .*, 0 from the cache'
check 'results are kept' cached '^5 tests in .*, 5 from the cache'
echo '// A comment.' >>"$own/arbiter.sv"
check 'not of other RTL' cached '^5 tests in .*, 0 from the cache'
cp $here/arbiter.sv "$own/"
check 'but of that of before' cached '^5 tests in .*, 5 from the cache'

check 'the list that was written' says '^20 passed, 0 failed' 0 "$n" regress "$own/list.yaml" --folder "$t/regress-own" \
  --no-cache

# ---- What is refused, in one line.
sed "s/left_q <= rest + 4'(returned)/left_q <= rest + 4'(credit_i)/" $here/arbiter.sv >"$own/arbiter.sv"
check 'RTL alone: an assertion' says 'CreditsWithinLimit' 1 "$n" unit --page "$own/arbiter.yaml" --seed 2
cp $here/arbiter.sv "$own/"
# (The wire follows its own inverse.)
sed 's/assign left_o = left_q;/wire spin = ~spin | (clk_i \& 1'"'"'b0);\n  assign left_o = left_q ^ {3'"'"'d0, spin};/' $here/arbiter.sv >"$own/arbiter.sv"
# shellcheck disable=SC2086
check 'a combinational loop, at its place' says \
  '^LOOP: arbiter 0, cycle 0 .*: a combinational loop does not settle: .*/arbiter/arbiter.sv:[0-9]+:[0-9]+ .*spin$' 1 \
  env -u NOCTURNE_COVERAGE NOCTURNE_NO_WAVES=1 "$n" unit $use --cycles 100
cp $here/arbiter.sv "$own/"
# What is built, and how long it took, is said where somebody waits.
waiting() {
  echo "// $RANDOM" >>"$own/arbiter.sv"
  says "$1" 0 script -qec "$n unit $use --cycles 100" /dev/null
}
check 'a build on a terminal is said' waiting '^building arbiter Inputs=4 Width=16 Credits=4 \((quick|cover|toggle)\): '
check 'a build on a terminal: its time' has "$t/said" '^built in [0-9]+ s'
cp $here/arbiter.sv "$own/"
sed -i 's/^state: {left: 4}/state: {left: 5}/' "$own/arbiter.yaml"
# shellcheck disable=SC2086
check 'a stale model' says 'arbiter.so is stale: built from another page of arbiter' 2 "$n" unit $use
# (For coverage widths are not looked at.)
check 'a width that differs' says 'cannot build the RTL of arbiter .*left_o' 1 env -u NOCTURNE_COVERAGE "$n" unit --page "$own/arbiter.yaml"
check 'no RTL' says 'no arbiter.sv there' 2 "$n" unit --page $here/arbiter.yaml --rtl docs
check 'a model of nothing' says 'no such file' 2 "$n" unit --page $here/arbiter.yaml --golden "$t/none.so"
check 'a parameter out of range' says 'Inputs=1, expected 2 to 16' 1 "$n" unit --page $here/arbiter.yaml \
  --knob param.inputs=1
check 'a name of the tree' says 'draw_scheduler is a unit of the tree' 2 "$n" unit \
  --page csim/units/draw_scheduler/page.yaml --rtl rtl/chopin
check 'golden without a page' says 'expected --page too' 2 "$n" unit --golden x.so draw_scheduler

# A page without meanings gets a place for each; the page that is written reads back.
sed '/^doc:/,$d' "$here/arbiter.yaml" >"$t/bare.yaml"
meanings() {
  "$n" unit --new "$t/bare.yaml" "$t/bare" >"$t/log" && [ "$(grep -c '^  [A-Za-z_]*: TEXT$' "$t/bare/arbiter.yaml")" -eq 10 ] &&
    "$n" unit --new "$t/bare/arbiter.yaml" "$t/again" >"$t/log" && has "$t/again/arbiter.md" '^\| `left_o` .* TEXT \|$'
}
check 'a page without meanings' meanings
check 'a folder in a folder that is not there' "$n" unit --new $here/arbiter.yaml "$t/of my/own"
check 'a folder with work in it' says 'is there already' 2 "$n" unit --new $here/arbiter.yaml "$own"
