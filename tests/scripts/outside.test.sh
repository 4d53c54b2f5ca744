#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A unit from outside the tree, as docs/how-to/add-a-unit.md goes: from a page to a failing test, shrunk,
# with waves; proved and mutated. And what is refused.
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

# ---- What it costs, and what it covers.
check 'lint' verilator --lint-only -Wall -Irtl/common $here/arbiter.sv
check 'area' says '^arbiter +Inputs=8 .* 1[0-9][0-9][0-9] +164 ' 0 "$n" area --page $here/arbiter.yaml --set Inputs=4,8
check 'area: a parameter out of range' says 'Inputs=99, expected 2 to 16' 2 "$n" area --page $here/arbiter.yaml \
  --set Inputs=99
check 'area: RTL without a page' says 'page: of a unit alone' 2 "$n" area --rtl $here
# shellcheck disable=SC2086
check 'netlist' says '300 compared, 0 mismatches' 0 "$n" unit $use --engine gates --cycles 300
# shellcheck disable=SC2086
check 'speed' says '^arbiter +[1-9][0-9]{4,} +[1-9][0-9]{4,} +[0-9]\.[0-9]{2} ' 0 "$n" bench $use
check 'speed: no golden model' says 'page: of a unit alone, with --golden' 2 "$n" bench --page "$own/arbiter.yaml"

# ---- Coverage of all that is the unit's: points, RTL, golden model; plan and exclusions are its own.
cover() { # PATTERN STATUS [TEST...]
  local pattern=$1 expected=$2
  shift 2
  { echo "defaults: {unit: arbiter, page: $own/arbiter.yaml, golden: $own/arbiter.so, cycles: 2000}"
    printf 'tests:\n'
    printf '  - {name: %s, seeds: 1..1}\n' arbiter "$@"; } | sed 's/dry,/dry, knobs: {credit: 20},/' >"$own/list.yaml"
  (unset MAKEFLAGS MFLAGS MAKELEVEL; says "$pattern" "$expected" make -C "$own" NOCTURNE="$root" cover)
}
judge() { # PATTERN STATUS: what was measured, again
  says "$1" "$2" "$n" cover "$own/list.yaml" --page "$own/arbiter.yaml" --data "$own/cover/data" \
    --results "$own/cover/regress/results.json" --folder "$own/cover" --c "$own/cover/golden.info"
}
if ! command -v lcov >/dev/null; then
  echo 'skipped: coverage of a unit from outside: lcov is missing'
else
  echo "no_credit: cover property (@(posedge clk_i) disable iff (!rst_ni) u_dut.left_q == 4'd0);" >"$own/cover_arbiter.svh"
  cat >"$own/plan.yaml" <<END
unit: arbiter
files: [arbiter.sv]
toggle: ["Inputs=4 Width=16 Credits=4"]
features:
  - name: credits
    shows: Without a credit no request is granted, and one too many is refused.
    tests: ["arbiter*"]
    cover: [no_credit, error_credit]
END
  # (make's own status for any failure is 2.)
  check 'coverage: a cover point that was not hit' cover '^cover: arbiter: feature credits is bare: no_credit was not hit$' 2
  check 'coverage: each missed bit is named' has "$t/said" '^missed: arbiter toggle: arbiter.sv:[0-9]+: left_q\[3\] '
  cat >"$own/exclusions.yaml" <<END
rtl:
  - {kind: toggle, file: arbiter.sv, name: ["left_q[3]", "left_o[3]", "rest[3]"], reason: Four credits need three bits.}
END
  check 'coverage: passed, with an exclusion' cover '^passed: coverage$' 0 arbiter-dry
  check 'coverage: the RTL' has "$t/said" '^arbiter +14/14 100.00 % +2[0-9]+/212 98.58 % \(-3\) +2/2 +1 features, 0 bare$'
  check 'coverage: lines of the golden model' has "$t/said" '^golden model +5[0-9]/5[0-9] 100.00 %'
  check 'coverage: the page' has "$own/cover/regress/index.html" 'no_credit'
  check 'coverage: pages of the lines' test -s "$own/cover/html/index.html"
  sed 's/left_q.3./last_q[0]/' "$own/exclusions.yaml" >"$t/stale" && mv "$t/stale" "$own/exclusions.yaml"
  check 'coverage: without an exclusion' judge '^missed: arbiter toggle: arbiter.sv:[0-9]+: left_q\[3\] ' 0
  sed -i 's/no_credit, error/no_credits, error/' "$own/plan.yaml"
  check 'coverage: no such point' judge 'plan.yaml:[0-9]+:[0-9]+: cover: no_credits: expected a cover point of .*/cover_arbiter.svh' 2
  rm "$own/plan.yaml" "$own/exclusions.yaml"
  check 'coverage: neither plan nor exclusions' judge '^arbiter +14/14 .*\(-0\) +2/2 +0 features, 0 bare$' 0
  sed -i /v_toggle/d "$own"/cover/data/arbiter/*.dat
  check 'coverage: no toggles' judge '^arbiter +14/14 100.00 % +no set in the plan +2/2 ' 0
  check 'coverage: a folder without any' says '^nocturne: --cover .*: no summary.json there' 2 "$n" regress "$own/list.yaml" --cover "$t"
fi

# ---- A wrong line is in the netlist, too.
sed -i 's/last_q <= chosen;/last_q <= last_q;/' "$own/arbiter.sv"
# shellcheck disable=SC2086
check 'netlist of a wrong line' says 'golden and netlist differ' 1 env NOCTURNE_NO_WAVES=1 \
  "$n" unit $use --engine gates --seed 2
cp $here/arbiter.sv "$own/"

# ---- Proved, and mutated.
size='Inputs=2 Width=8 Credits=2'
prove() { # PATTERN STATUS SIZE WRAPPER
  # shellcheck disable=SC2086
  says "$1" "$2" "$n" prove -o "$t/proofs" $use --wrapper "$4" --size "$3"
}
refuted() { # PATTERN FILE SED: with a run from reset that the harness repeats
  local code
  sed -i "$3" "$own/$2"
  ! cmp -s $here/"$2" "$own/$2" || { echo "the line has changed; adapt this script"; return 1; }
  prove "$1" 1 "$size" "$own/arbiter_prove.c" && has "$t/said" '^  replayed in (lockstep|the RTL)'
  code=$?
  cp $here/"$2" "$own/"
  return $code
}
cp $here/arbiter_prove.c "$own/"
check 'proved' prove '^  from reset: 6 of 6 streams, errors' 0 "$size" "$own/arbiter_prove.c"
check 'what was proved is kept' prove "^arbiter +$size +proved +kept" 0 "$size" "$own/arbiter_prove.c"
check 'refuted: golden: a credit that comes back is lost' refuted 'signal left' arbiter_golden.c 's/g->left++;/;/'
# (What is refuted is not kept: each of the two is asked for beside a proof that is.)
check 'proved again' prove '^  from reset: 6 of 6 streams, errors' 0 "$size" "$own/arbiter_prove.c"
check 'refuted: RTL: a grant without a credit' refuted 'register left_q' arbiter.sv \
  "s/ & any & (left_q != 4'd0);/ \& any;/"
check 'refuted: RTL: the error is not sticky' refuted 'signal error' arbiter.sv \
  's/error_q <= error_q | refused;/error_q <= refused;/'
check 'proof: no such parameter' prove '^nocturne: Breadth: no such parameter of arbiter' 2 Breadth=8 \
  "$own/arbiter_prove.c"
check 'proof: no wrapper' prove '^nocturne: --wrapper .*: no such file' 2 "$size" "$t/none.c"
# Without a wrapper: another program finds an invariant, which is proved.
bare() { # PATTERN STATUS
  # shellcheck disable=SC2086
  says "$1" "$2" "$n" prove -o "$t/bare" $use --size "$size"
}
check 'proved without a wrapper' bare '^  from reset: proved, invariant of [1-9][0-9]* clauses' 0
bare_refuted() {
  sed -i 's/g->left++;/;/' "$own/arbiter_golden.c"
  bare '^  signal left' 1 && has "$t/said" '^  replayed in (lockstep|the RTL)'
}
check 'refuted without a wrapper' bare_refuted
cp $here/arbiter_golden.c "$own/"
# An abc that leaves a clause out is not believed.
mkdir -p "$t/abc"
cat >"$t/abc/yosys-abc" <<EOF
#!/bin/bash
$(command -v yosys-abc) "\$@"
sed -i '/^[01-]* 1$/{0~2d}' "$t"/bare/arbiter/*/clauses.pla
EOF
chmod +x "$t/abc/yosys-abc"
wrong_invariant() {
  # shellcheck disable=SC2086
  says '^  from reset: the invariant does not hold' 1 env PATH="$root/$t/abc:$PATH" "$n" prove -f -o "$t/bare" $use --size "$size"
}
check 'a wrong invariant' wrong_invariant
rm "$t/abc/yosys-abc"
mv "$own/arbiter_golden.c" "$own/other.c"
check 'proof: no wrapper, and no golden model' bare '^nocturne: .*arbiter_golden.c: no such file; expected ' 2
mv "$own/other.c" "$own/arbiter_golden.c"
sed 's/PROVE_OUTSIDE_UNIT(arbiter)/&;nothing/' $here/arbiter_prove.c >"$own/wrong.c"
check 'proof: a wrapper that does not compile' prove '^nocturne: .*wrong.c:.* error: ' 2 "$size" "$own/wrong.c"
sed 's/"last_q"/"first_q"/' $here/arbiter_prove.c >"$own/wrong.c"
check 'proof: a register that is not there' prove '^prove: .*no register first_q' 2 "$size" "$own/wrong.c"
other='typedef struct { bool grant_ready; uint64_t more[9]; } other_t;\n#define arbiter_in_t other_t'
sed "s/^PROVE_OUTSIDE_UNIT/$other\n&/" $here/arbiter_prove.c >"$own/wrong.c"
check 'proof: a wrapper of another page' prove "^prove: the wrapper's In has 80 bytes, expected 72: " 2 "$size" "$own/wrong.c"
mutate() { # PATTERN STATUS OPTIONS...
  # shellcheck disable=SC2086
  says "$1" "$2" "$n" mutate -o "$t/mutate" -s 0 "${@:3}"
}
# shellcheck disable=SC2086
check 'mutants' mutate '^arbiter +12 +(11|10) +[12] +0 +0$' 0 -n 12 $use --wrapper "$own/arbiter_prove.c" --size "$size"
check 'mutants: of the size that was asked for' has "$t/said" "^arbiter $size: 12 of 240 mutants"
check 'mutants: by proof' has "$t/mutate/arbiter/results" '^[0-9]+ equivalent proof '
# shellcheck disable=SC2086
check 'vectors of this size' says passed 0 "$n" unit $use --knob param.inputs=2 --knob param.width=8 \
  --knob param.credits=2 --cycles 200 --record "$t/small"
# shellcheck disable=SC2086
check 'mutants: without a wrapper what survives stays open' mutate '^arbiter +4 +3 +0 +0 +1$' 1 -n 4 $use \
  --size "$size" --vectors "$t/small"
check 'mutants: by vectors' has "$t/mutate/arbiter/results" '^[0-9]+ killed arbiter-0 '
# shellcheck disable=SC2086
check 'mutants: no such parameter' mutate '^nocturne: --size Breadth=8: expected NAME=VALUE, a parameter of arbiter' 2 \
  $use --size Breadth=8
check 'mutants: no golden model' mutate '^nocturne: --page: expected --golden' 2 --page $here/arbiter.yaml

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
