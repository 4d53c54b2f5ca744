#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A unit from outside the tree, as docs/how-to/add-a-unit.md goes on: its area, netlist and speed; coverage; proof with a
# wrapper and without; mutants.
set -u
. tests/scripts/lib.sh
here=tests/outside/arbiter
own=$t/arbiter
use="--page $own/arbiter.yaml --golden $own/arbiter.so"
check 'a folder of its own' "$n" unit --new $here/arbiter.yaml "$own"
cp $here/arbiter.sv $here/arbiter_golden.c "$own/"
check 'the golden model' make -C "$own" NOCTURNE="$root"

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
sed 's/^void prove_invariant.*/&\n  prove_check("no credit comes", !In.credit);/' $here/arbiter_prove.c >"$own/wrong.c"
check 'proof: an invariant of inputs' prove "^prove: the wrapper's relation or invariant reads In" 2 "$size" "$own/wrong.c"
# A register that follows from the golden state only at times.
sed -e 's/uint32_t data\[N\], out;/uint32_t out;/' \
  -e 's/^} Related;/&\nstruct rtl { uint32_t data[N]; } Rtl;/' \
  -e 's/Related.data\[i\] = g->data\[i\];/Rtl.data[i] = g->full[i] ? g->data[i] : Rtl.data[i];/' \
  -e 's/MEMBER(data, "data_q", P_Width, N),/PROVE_MEMBER(ProveRtl, struct rtl, data, "data_q", P_Width, N),/' \
  $here/arbiter_prove.c >"$own/at_times.c"
check 'at times: proved' prove '^  from reset: 6 of 6 streams, errors' 0 "$size" "$own/at_times.c"
sed 's/g->full\[i\] ?/g->full[i] \&\& i > 0 ?/' "$own/at_times.c" >"$own/too_seldom.c"
check 'at times: too seldom' prove '^  register out_q' 1 "$size" "$own/too_seldom.c"
sed 's/g->full\[i\] ? g->data\[i\]/g->full[i] || i == 0 ? 5/' "$own/at_times.c" >"$own/too_often.c"
check 'at times: another value' prove '^  register data_q, bit ' 1 "$size" "$own/too_often.c"
word_refuted() { # PATTERN WRAPPER: the word of the last input is another one
  sed -i "s/data_q\[i\*Width +: Width\] <= request_data_i\[i\*Width +: Width\]/& ^ Width'(i == Inputs - 1)/" "$own/arbiter.sv"
  prove "$1" 1 "$size" "$2" && has "$t/said" '^  replayed in (lockstep|the RTL)'
  local code=$?
  cp $here/arbiter.sv "$own/"
  return $code
}
check 'at times: refuted where it matters' word_refuted '^  register data_q, bit ' "$own/at_times.c"
# A fact of the state before a clock, with registers at hand.
lemma='prove_check("the RTL keeps the word", !g->full[0] || Rtl.data[0] == g->data[0]);'
sed "s/^void prove_step.*/void prove_lemmas(void) {\n  const golden_t *g = golden();\n  $lemma\n}\n\n&/" \
  "$own/at_times.c" >"$own/lemma.c"
check 'a lemma: proved' prove '^  from reset: 6 of 6 streams, errors' 0 "$size" "$own/lemma.c"
sed 's/!g->full\[0\] || Rtl/Rtl/' "$own/lemma.c" >"$own/wrong.c"
check 'a lemma that does not follow' prove '^  broken: the RTL keeps the word' 1 "$size" "$own/wrong.c"
# Something that is said of any input (Any), and assumed of the one that is granted.
sed -e 's/uint32_t data\[N\], out;/uint32_t out;/' -e '/Related.data/d' \
  -e 's/^} Related;/&\nstruct rtl { uint32_t data[N]; } Rtl;\nuint8_t Any, Instances[1], Seen;/' \
  -e 's/MEMBER(data, "data_q", P_Width, N),/PROVE_MEMBER(ProveRtl, struct rtl, data, "data_q", P_Width, N),/' \
  -e 's/^void prove_invariant.*/&\n  const golden_t *g = golden();\n  const uint32_t i = Any % N;\n  '"\
prove_check(\"what is kept\", !g->full[i] || Rtl.data[i] == g->data[i]);/" \
  $here/arbiter_prove.c >"$own/unpicked.c"
sed -e '/^\/\/ Safety and/i void prove_instances(void) {\n  for (uint32_t k = N; k > 0; k--) {\n    const uint32_t i = (golden()->last + k) % N;\n    Instances[0] = golden()->full[i] ? (uint8_t)i : Instances[0];\n  }\n}\n' \
  "$own/unpicked.c" >"$own/any.c"
sed 's/^  prove_clock();/&\n  Seen = Any \& 1;/' "$own/any.c" >"$own/kept.c"
check 'any: proved of each' prove '^  from reset: 6 of 6 streams, errors' 0 "$size" "$own/any.c"
check 'any: not assumed of the one that is granted' prove '^  register out_q' 1 "$size" "$own/unpicked.c"
check 'any: refused in the state' prove '^prove: the wrapper lets Any into the state, ' 2 "$size" "$own/kept.c"
sed 's/^  prove_clock();/&\n  Any = 0;/' "$own/any.c" >"$own/written.c"
check 'any: not to be written' prove '^prove: the wrapper writes Any' 2 "$size" "$own/written.c"
sed 's/!g->full\[i\] || Rtl/Rtl.data[N + i] == 7 || &/' "$own/any.c" >"$own/beyond.c"
check 'any: nothing is read beyond a table' prove '^  broken: an access out of bounds in prove_invariant' 1 "$size" \
  "$own/beyond.c"
check 'any: refuted of one' word_refuted '^  broken: what is kept$' "$own/any.c"
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

# ---- Flaws under inputs that a wrapper rules out: shaken runs, which bring credits of their own, leave out those that
# nobody owes, so no run raises an error. (That none can is what the proof complains of.)
mkdir -p "$t/owed"
sed -e 's/^  prove_clock();/  prove_assume("no credit that nobody owes", !(In.credit \&\& was.left == P_Credits));\n&/' \
  -e 's/^  prove_check("no more credits/  prove_check("no error", !golden()->error);\n&/' $here/arbiter_prove.c >"$own/owed.c"
# shellcheck disable=SC2086
check 'proof under inputs that a wrapper rules out' says '^  error Credit: not reached' 1 \
  "$n" prove -f -o "$t/owed_proof" $use --wrapper "$own/owed.c" --size "$size"
# shellcheck disable=SC2086
check 'a run without credits' says passed 0 "$n" unit $use --engine golden --knob param.inputs=2 --knob param.width=8 \
  --knob param.credits=2 --knob credit=0 --cycles 300 --record "$t/owed_runs"
printf '%s\n\n' "$t/owed_runs/arbiter-0.vec" >"$t/owed/runs"
proof=$(dirname "$(find "$t/owed_proof" -name rtl.aig)")
"$build/prove" arbiter "$size" --tables "$(find build/outside/unit/arbiter -name 'tables-*.so' | head -n 1)" \
  --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --flaws "$t/owed" --cycles 1 >"$t/log" 2>&1
owed() { grep -q ' killed shaken-' "$t/owed/fates" && grep -q '^[0-9]* equivalent | stuck at 0: error_q$' "$t/owed/fates"; }
check 'flaws: no run has inputs that the wrapper rules out' owed

# ---- Flaws that change a register which does not matter then: what the wrapper says of it holds in spite of them. (Where
# nothing is granted, the data's register here holds the inverse of what it held.)
sed -i -e "s/out_q <= grants ? \(.*\) : '0;/out_q <= grants ? \1 : ~out_q;/" \
  -e "s/grant_data_o = out_q;/grant_data_o = valid_q ? out_q : '0;/" "$own/arbiter.sv"
sed -e 's/uint32_t data\[N\], out;/uint32_t data[N];/' -e 's/^} Related;/&\nstruct rtl { uint32_t out; } Rtl;/' \
  -e 's/MEMBER(out, "out_q", P_Width, 1)/PROVE_MEMBER(ProveRtl, struct rtl, out, "out_q", P_Width, 1)/' \
  -e 's/\.out = g->out,//' -e 's/^  g->left &= 15;/&\n  g->out = g->valid ? g->out : 0;/' \
  -e 's/^void prove_invariant.*/&\n  prove_check("the data of a grant", !golden()->valid || Rtl.out == golden()->out);/' \
  $here/arbiter_prove.c >"$own/idle.c"
# shellcheck disable=SC2086
check 'proof: data that do not matter' says "^arbiter +$size +proved" 0 \
  "$n" prove -f -o "$t/idle_proof" $use --wrapper "$own/idle.c" --size "$size"
proof=$(dirname "$(find "$t/idle_proof" -name rtl.aig)")
idle_flaws() { # FOLDER RUNS OPTION...
  mkdir -p "$t/$1"
  printf '%s\n' "$2" >"$t/$1/runs"
  "$build/prove" arbiter "$size" --tables "$(find build/outside/unit/arbiter -name 'tables-*.so' | head -n 1)" \
    --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --flaws "$t/$1" --cycles 1 "${@:3}" >"$t/log" 2>&1
}
# shellcheck disable=SC2086
check 'a longer run' says passed 0 "$n" unit $use --engine golden --knob param.inputs=2 --knob param.width=8 \
  --knob param.credits=2 --cycles 3000 --record "$t/long_run"
idle_flaws idle_long "$t/long_run/arbiter-0.vec" --no-solver
# Of those that a short run leaves the inverted ones, and some of those that it kills; the others are taken for killed.
# No run for guesses.
idle_flaws idle_short "$t/small/arbiter-0.vec" --no-solver
mkdir -p "$t/idle"
{ head -n 1 "$t/idle_short/journal"
  awk '/ \| inverted: / && ($2 == "open" || n++ % 24 == 5) { next } { print $1 " killed before" }' "$t/idle_short/fates"; } >"$t/idle/journal"
idle_flaws idle ''
idle() { [ "$(grep -c '^[0-9]* equivalent | inverted' "$t/idle/fates")" -ge 52 ]; }
check 'flaws: what is said of the data holds in spite of them' idle
agree() {
  awk '$2 == "equivalent" && NR == FNR { equivalent[$1] = 1 }
    $2 == "killed" && NR != FNR && $1 in equivalent { print "flaw " $1 " is both"; bad = 1 }
    END { exit bad }' "$1" "$2"
}
check 'flaws: no run kills these' agree "$t/idle/fates" "$t/idle_long/fates"

# ---- Flaws that change a register which is read in the one cycle after it was written: what it holds in the flawed unit
# while its input is empty is guessed from runs (tb/prove/stray.h, holds.h). Without these guesses 76 flaws are open.
moved="    if (moved_q[i]) data_q[i*Width +: Width] <= fresh_q[i*Width +: Width];"
word="wire [Width-1:0] word = moved_q[chosen] ? fresh_q[32'(chosen)*Width +: Width] : data_q[32'(chosen)*Width +: Width];"
sed -e "s/grants ? data_q\[.*Width\] :/grants ? word :/" -e "s/data_q\[i\*Width +: Width\] <= request/fresh_q[i*Width +: Width] <= request/" \
  -e "s/^        if (accepted\[i\]) begin/    $moved\n&/" -e "s/^      left_q <= rest/      moved_q <= accepted;\n&/" \
  -e "s/^      data_q <= '0;/&\n      fresh_q <= '0;\n      moved_q <= '0;/" \
  -e "s/^  wire leaves = .*/&\n  logic [Inputs*Width-1:0] fresh_q;\n  logic [Inputs-1:0] moved_q;\n  $word/" $here/arbiter.sv >"$own/arbiter.sv"
rtl='PROVE_MEMBER(ProveRtl, struct rtl,'
sed -e 's/uint32_t data\[N\], out;/uint32_t out;/' -e '/Related.data/d' \
  -e 's/^} Related;/&\nstruct rtl { uint32_t data[N], fresh[N]; bool moved[N]; } Rtl;/' \
  -e "s/MEMBER(data, \"data_q\", P_Width, N),/$rtl data, \"data_q\", P_Width, N), $rtl moved, \"moved_q\", 1, N),\n    \
$rtl fresh, \"fresh_q\", P_Width, N),/" \
  -e 's/^void prove_invariant.*/&\n  for (uint32_t i = 0; i < N; i++) {\n    const golden_t *g = golden();\n    '"\
prove_check(\"what has come is kept\", g->full[i] || !Rtl.moved[i]);\n    \
prove_check(\"what is kept\", !g->full[i] || (Rtl.moved[i] ? Rtl.fresh : Rtl.data)[i] == g->data[i]);\n  }/" \
  $here/arbiter_prove.c >"$own/held.c"
# shellcheck disable=SC2086
check 'proof: data that are read in one cycle' says "^arbiter +$size +proved" 0 \
  "$n" prove -f -o "$t/held_proof" $use --wrapper "$own/held.c" --size "$size"
proof=$(dirname "$(find "$t/held_proof" -name rtl.aig)")
idle_flaws held_long "$t/long_run/arbiter-0.vec" --no-solver
idle_flaws held "
$t/long_run/arbiter-0.vec"
held() { [ "$(grep -c '^[0-9]* open' "$t/held/fates")" -le 60 ]; }
check 'flaws: what a register holds while nothing reads it' held
check 'flaws: no run kills these, either' agree "$t/held/fates" "$t/held_long/fates"
