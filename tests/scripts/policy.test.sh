#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A policy of one's own, as docs/how-to/your-own-policy.md goes: from a skeleton that equals the built-in
# one to a table; units in place of ours in golden, RTL and lockstep; libraries that do wrong, each a
# failure by name, unit and cycle. LONG=1: other units and engines, real frames.
set -u
. tests/scripts/lib.sh
export NOCTURNE_NO_WAVES=1 NOCTURNE_CALL_SECONDS=1 NOCTURNE_REPORT=$t/report
ulimit -c 0
own=$t/mine
small=(-s driver.threshold=64 --frame gen:test-5)
# Frames of tests have small groups.
fit() { sed -i 's/^grid:/set: {driver.threshold: 64}\n&/' "$1/sweep.yaml"; }

run() { # DIR [OPTIONS]: golden, with the driver of the same library
  "$n" run "$config" "${small[@]}" --engine golden --unit "draw_scheduler=$1" --driver "$1/draw_scheduler.so" "${@:2}"
}
config=vectors/config/next.yaml

# ---- The whole way, in small: each command once.
check '1 a skeleton' says "policy --evaluate $own" 0 "$n" policy --new mine "$own"
fit "$own"
check '2 its table' says '^20 runs, 0 failed, 0 known before; engine golden' 0 "$n" policy --evaluate "$own" \
  --quick --frame gen:test-5 --cache "$t/cache"
rows() { # MACHINE: its rows, without its name
  grep ",$1," "$own/results/table.csv" | sed "s/,$1,/,/"
}
for config in next chopin; do
  config=vectors/config/$config.yaml
  equals() {
    "$n" run $config "${small[@]}" --engine golden --json "$t/ours.json" >/dev/null && run "$own" --json "$t/own.json" >/dev/null &&
      [ "$(jq -r '.engine.own | keys | join(" ")' "$t/own.json")" = 'draw_scheduler driver' ] &&
      cmp <(result "$t/ours.json") <(result "$t/own.json")
  }
  check "3 to the byte as the built-in one: $config" equals
done
# (A group is composed, pieces are cut and draws weigh: what the library is asked acts.)
sequence() {
  local f=(-s driver.threshold=64 -s driver.split_min=4 --frames gen:test-5 --count 2 --engine golden)
  "$n" run vectors/config/next.yaml "${f[@]}" --json "$t/ours.json" >/dev/null &&
    "$n" run vectors/config/next.yaml "${f[@]}" --unit "draw_scheduler=$own" --driver "$own/draw_scheduler.so" \
      --json "$t/own.json" >/dev/null && cmp <(result "$t/ours.json") <(result "$t/own.json") &&
    jq -e '.frames[1] | .hints.weight > 0 and .pieces.cuts > 0 and .groups.by_reason.composed > 0' "$t/own.json"
}
check '3 a sequence, with weights and pieces' sequence
check '4 one table' test "$(rows next)" = "$(rows mine)" -a "$(rows mine | wc -l)" -gt 10
check '4 without the other numbers of GPUs' says '^ *test-5/8/200/mine ' 0 "$n" sweep "$own/sweep.yaml" --list --frame gen:test-5 \
  --only gpus=8 --only messages.latency=200
check '5 plots' test -s "$own/results/frames.svg" -a -s "$own/results/gpus.svg" -a -s "$own/results/scatter.svg"
sed -i 's/{ return built_in_choice(g); }/{ return g->has_credit \& 2 ? 1 : built_in_choice(g); }/' "$own/policy.c"
check '6 another choice: only its runs are new' says '^20 runs, 0 failed, 14 known before' 0 "$n" policy \
  --evaluate "$own" --quick --frame gen:test-5 --cache "$t/cache"
check '7 and another table' test "$(rows next)" != "$(rows mine)"
check '7 lockstep without RTL: before any run' says "^nocturne: $own/draw_scheduler.sv: No such file or directory, expected with --engine lockstep; begin with ours: cp rtl/chopin/draw_scheduler.sv $own$" \
  2 "$n" policy --evaluate "$own" --engine lockstep --quick
cp rtl/chopin/draw_scheduler.sv "$own/"
config=vectors/config/chopin.yaml
lockstep() { "$n" run $config "${small[@]}" --engine lockstep --unit "draw_scheduler=$own"; }
check '8 RTL that is not the model' says '^MISMATCH: draw_scheduler 0, cycle [0-9]+' 1 lockstep
sed -i 's/{ return g->has_credit .*/{ return built_in_choice(g); }/' "$own/policy.c"
make -s -C "$own" >/dev/null
check '9 RTL that is' says 'draw_scheduler +[0-9]+ cycles evaluated, [1-9][0-9]+ compared, mismatches 0' 0 lockstep
rm "$own/draw_scheduler.sv"

# ---- The examples, each with a mechanism of its own that acts.
config=vectors/config/next.yaml
for example in random longest textures; do
  "$n" policy --new $example "$t/$example" --from $example >/dev/null
  check "example $example: it builds" make -s -C "$t/$example"
  settings=(); [ $example = longest ] && settings=(-s driver.rehearse=true)
  differs() { # the picture is right, and the time is another one
    run "$t/$example" "${settings[@]}" --json "$t/own.json" >/dev/null &&
      "$n" run $config "${small[@]}" "${settings[@]}" --engine golden --json "$t/ours.json" >/dev/null &&
      [ "$(value cycles "$t/own.json")" != "$(value cycles "$t/ours.json")" ]
  }
  check "example $example: it acts" differs
done
# (Longest first changes the order of draws on a GPU, and of two equal depths the first one drawn is kept.)
longest() {
  "$n" run $config "$@" -s driver.rehearse=true --engine golden --unit "draw_scheduler=$t/longest" --driver "$t/longest/draw_scheduler.so"
}
check 'a policy that changes which of two equal depths wins is wrong' says 'violations [1-9]' 1 longest \
  -s driver.threshold=64 --frame gen:test-16 -s gpus=2
check 'what is rehearsed weighs' test "$(value hints.weight "$t/ours.json")" != 0
check 'rehearsing without a use' says 'driver.rehearse=true: only with driver.by_all=true or driver.weights=true' 2 \
  "$n" run vectors/config/chopin.yaml -s driver.rehearse=true --frame gen:test-5

# ---- What a library does wrong.
wrong() { # NAME PATTERN FILE SED
  local name=$1 pattern=$2
  rm -rf "$t/wrong"
  mkdir "$t/wrong"
  cp "$own"/policy.c "$own"/own_unit.h "$own"/Makefile "$own"/draw_scheduler.yaml "$t/wrong/"
  sed -i "$4" "$t/wrong/$3"
  cmp -s "$t/wrong/$3" "$own/$3" && bad "wrong: $name" 'the line has changed; adapt this script'
  make -s -C "$t/wrong" >"$t/log" 2>&1 || { bad "wrong: $name" build "$t/log"; return; }
  check "wrong: $name" says "$pattern" 1 run "$t/wrong"
}
unit='^LIBRARY: draw_scheduler 0, cycle [1-9][0-9]* \(step [0-9]+\): '
step="$unit.*draw_scheduler.so: draw_scheduler_golden_step"
put() { # NAME PATTERN C: put behind the model's step, where `out` is what it gives
  wrong "$1" "$2" own_unit.h "s/  return front_step(self, in, out);/  unit_status_e s = front_step(self, in, out); static int n; (void)n;\n  if (out->piece_valid \&\& out->piece_kind == 1 \&\& !out->piece_compose) { $3 }\n  return s;/"
}
wrong 'a crash' "$step crashed \(Segmentation fault\)" policy.c 's/return built_in_choice(g);/return *(volatile uint32_t *)8 + built_in_choice(g);/'
wrong 'an abort' "$step crashed \(Aborted\)" policy.c 's/return built_in_choice(g);/abort();/'
wrong 'a stack that overflows' "$step crashed" policy.c 's/return built_in_choice(g);/volatile char much[999999]; much[0] = much[99999] = 1; return much[0] + choose_gpu(g) + much[9];/'
wrong 'an endless loop' "$step did not return in 1 s of processor time" policy.c 's/return built_in_choice(g);/for (volatile int i = 0;;) { i = 1; }/'
put 'a draw given twice' "${unit}draw [0-9]+ \(from primitive [0-9]+\) was given twice: to GPU [0-7] and then to GPU [0-7]" \
  'out->piece_valid |= out->piece_valid == 1 ? 2 : 1;'
put 'a GPU that does not exist' "${unit}draw [0-9]+ for GPU 8, which does not exist \(0 to 7\)" 'out->piece_valid = 256;'
put 'a draw never given' "${unit}draw [0-9]+ \(from primitive 0\), taken in cycle [0-9]+, was never given: its group is composed" \
  'if (n++ == 0) { out->piece_valid = 0; }'
put 'a draw that nobody sent' "${unit}draw 4000000 for GPU|${unit}draw 4000000, .*no such draw was taken" 'out->piece_id = 4000000;'
put 'a value that its port does not hold' "${unit}.*piece_kind = 0x9, expected 2 bits" 'out->piece_kind = 9;'
wrong 'waiting for ever' '^HANG: cycle ' policy.c 's/return built_in_choice(g);/return 9;/'
check 'wrong: waiting for ever: the draws that wait' has "$t/said" '^  draw [0-9]+ \(from primitive 0\), taken in cycle [0-9]+, was not given'
driver='^(nocturne: )?LIBRARY: driver, cycle 0: .*draw_scheduler.so: nocturne_'
answer() { # NAME PATTERN FUNCTION C
  wrong "$1" "$driver$2" policy.c "/nocturne_$3(/,/^}/s/return built_in;/$4/"
}
answer 'no piece' 'split, asked about command [0-9]+ of the frame: answer 0, expected 1 to' split 'return 0;'
answer 'a weight too large' 'weight, .*: answer 65536, expected 0 to 65535' weight 'return 65536;'
answer 'a crash of the driver' 'compose, .*: crashed \(Segmentation fault\)' compose 'return *(volatile bool *)8;'
answer 'a driver that does not return' 'by_all, .*: did not return in 1 s' by_all 'for (volatile int i = 0;;) { i = 1; }'
check 'a process that a library ends' says 'a library of your own ended the process' 1 bash -c "
  sed -i 's/return built_in;/exit(0);/; 1i #include <stdlib.h>' '$t/wrong/policy.c' && make -s -C '$t/wrong' &&
  '$n' run $config ${small[*]} --engine golden --driver '$t/wrong/draw_scheduler.so'"
# The report is stored, and a sweep goes on with its other runs.
check 'the report is stored' has "$t/report.txt" '^LIBRARY: draw_scheduler 0'
sed "s,$own,$t/wrong," "$own/sweep.yaml" >"$t/wrong.yaml"
check 'nothing else is lost' says '^6 runs, 1 failed, [0-9]+ known before' 1 "$n" sweep "$t/wrong.yaml" --engine golden \
  --frame gen:test-5 --only gpus=8 --only messages.latency=200 --only machine=duplication --only "machine=duplication broadcasts" --only machine=paper --only machine=extended \
  --only machine=next --only machine=mine --no-plots --out "$t/lost" --cache "$t/cache"

# ---- Each decision acts.
acts() { # JQ FUNCTION C [OPTIONS]: also where the frame is known
  rm -rf "$t/acts"
  "$n" policy --new acts "$t/acts" >/dev/null
  sed -i "/nocturne_$2(/,/^}/s/return built_in;/$3/" "$t/acts/policy.c"
  make -s -C "$t/acts" && run "$t/acts" -s driver.rehearse=true "${@:4}" --json "$t/own.json" >/dev/null && jq -e "$1" "$t/own.json"
}
check 'compose: nothing' acts '.groups.by_reason | .composed == 0 and .policy > 0' compose 'return false;'
check 'compose: what is small' acts '.groups.by_reason.composed == 4' compose 'return true;' -s driver.threshold=4096
check 'by all: each draw' acts '.hints.by_all > 0 and .hints.assigned == 0' by_all 'return true;'
check 'weight: each draw' acts '.hints.weight == 7 * .hints.assigned and .hints.weight > 0' weight 'return 7;'
check 'split: in two' acts '.pieces.cuts > 10' split 'return group->draws[draw].triangles > 1 ? 2 : 1;'

# ---- Regressions, and what is kept.
cat >"$t/list.yaml" <<END
tests:
  - {name: small, run: $config, frame: "gen:test-5", set: [driver.threshold=64], engine: golden}
END
again() { says "$1" 0 "$n" regress "$t/list.yaml" --folder "$t/regress" "${@:2}"; }
check 'a regression' again '^1 tests in .*, 0 from the cache' --unit "draw_scheduler=$own"
check 'a regression: kept' again '^1 tests in .*, 1 from the cache' --unit "draw_scheduler=$own"
check 'a regression: not of another unit' again '^1 tests in .*, 0 from the cache' --unit "draw_scheduler=$t/random"
check 'a regression: nor of ours' again '^1 tests in .*, 0 from the cache'

# ---- What is refused, in one line.
refused() { # PATTERN OPTIONS...
  says "^nocturne: $1\$" 2 "$n" run $config "${small[@]}" --engine golden "${@:2}" && [ "$(wc -l <"$t/said")" -eq 1 ]
}
check 'no model' refused '--unit coarse_depth=.*: no coarse_depth.yaml there' --unit "coarse_depth=$own"
check 'not NAME=DIR' refused '--unit mine: expected NAME=DIR' --unit mine
check 'twice' refused '--unit draw_scheduler: given twice, expected once' --unit "draw_scheduler=$own" \
  --unit "draw_scheduler=$own"
check 'no such driver' refused '--driver none.so: no such file' --driver none.so
check 'no driver' refused '--driver .*: no nocturne_driver_interface, expected .*' --driver "$(ldconfig -p | sed -n 's/.*libyaml-0.* => //p' | head -n 1)"
check 'no RTL' says '^nocturne: --unit draw_scheduler=.*: no draw_scheduler.sv there, so that only --engine golden runs$' 2 "$n" run $config \
  "${small[@]}" --unit "draw_scheduler=$own"
page() { # PATTERN SED
  rm -rf "$t/page"
  cp -r "$own" "$t/page"
  sed -i "$2" "$t/page/draw_scheduler.yaml"
  ! cmp -s "$t/page/draw_scheduler.yaml" "$own/draw_scheduler.yaml" || { echo 'the line has changed'; return 1; }
  refused "$1" --unit "draw_scheduler=$t/page"
}
check 'another stream' page '.*draw_scheduler.yaml:[0-9]+: cmd_id_i, expected cmd_id_i as in .*page.yaml:[0-9]+' \
  's/fields: {op: op, kind: group, id: 32,/fields: {op: op, kind: group, id: 31,/'
check 'a parameter less' page '.*draw_scheduler.yaml:[0-9]+: params: no tie_lowest, expected it as in .*page.yaml:[0-9]+' \
  '/^  tie_lowest: *{rtl/d; /TieLowest:/d; /tie_lowest: 1/d; s/, tie_lowest//'
check 'another range' page '.*draw_scheduler.yaml:[0-9]+: credits: another range, expected 1..1023 as in .*' \
  's/rtl: Credits, range: 1..1023/rtl: Credits, range: 1..64/; /odd:/d; /far:/d; s/, odd, far//'
check 'another page' page '.*draw_scheduler.so is stale: .*' 's/^state: {/state: {draws: 8, /; s/^  scheduled_o:/  draws_o: draws\n&/'
check 'a folder with work in it' says 'is.*File exists|File exists, expected a new folder' 2 "$n" policy --new mine "$own"
check 'no such example' says '^nocturne: --from none: expected a folder of docs/examples/policies' 2 "$n" policy --new x "$t/x" --from none
check 'no folder' says 'expected --new NAME DIR or --evaluate DIR' 2 "$n" policy --new x
check 'no sweep' says 'sweep.yaml: No such file' 2 "$n" policy --evaluate "$t"
# A killed evaluation leaves no sweep behind.
ended() { # PID of an evaluation
  local sweep i
  for i in {1..100}; do sweep=$(pgrep -P "$1" -f "$own/sweep.yaml") && break; sleep 0.1; done
  [ -n "$sweep" ] && kill -9 "$1" || return 1
  for i in {1..100}; do kill -0 "$sweep" 2>/dev/null || return 0; sleep 0.1; done
  return 1
}
"$n" policy --evaluate "$own" --frame gen:wolf --cache "$t/none" >"$t/log" 2>&1 &
check 'a killed evaluation' ended $!
check 'a policy that does not compile' says 'make -C .*: failed' 2 bash -c "echo wrong >>'$t/acts/policy.c'; '$n' policy --evaluate '$t/acts'"
check 'no such value' says 'machine: --only leaves no value' 2 "$n" sweep "$own/sweep.yaml" --only machine=none --list
[ -n "${LONG:-}" ] || exit 0

# ---- Other units, likewise: our model behind the functions of one from outside, and our RTL.
adapt() { # UNIT: its folder is $t/UNIT
  mkdir -p "$t/$1"
  cp "csim/units/$1/page.yaml" "$t/$1/$1.yaml"
  sed -e "s/draw_scheduler/$1/g; s/^#define DRAW_SCHEDULER_CHOICE.*//" "$own/own_unit.h" |
    sed '/^\/\/ The least loaded GPU/,/^static inline/d' >"$t/$1/policy.c"
  if ! grep -q '^state:' "$t/$1/$1.yaml"; then
    sed -i '/_golden_observe/,/^}/d' "$t/$1/policy.c"
  fi
  sed "s/draw_scheduler/$1/g" "$own/Makefile" >"$t/$1/Makefile"
  make -s -C "$t/$1"
}
config=vectors/config/next.yaml
for unit in composition_scheduler coarse_depth lookahead_scheduler; do
  check "$unit: built" adapt $unit
  settings=(); [ $unit = composition_scheduler ] && settings=(-s composition_scheduler.lookahead=0)
  same() { # ENGINE
    "$n" run $config "${small[@]}" "${settings[@]}" --engine golden --json "$t/ours.json" >/dev/null &&
      "$n" run $config "${small[@]}" "${settings[@]}" --engine "$1" --unit "$unit=$t/$unit" --json "$t/own.json" >/dev/null &&
      cmp <(result "$t/ours.json") <(result "$t/own.json") &&
      jq -e ".engine.own.$unit and .engine.units.$unit.steps > 0" "$t/own.json"
  }
  check "$unit: golden" same golden
  cp rtl/chopin/$unit.sv "$t/$unit/"
  check "$unit: rtl" same rtl
  check "$unit: lockstep" same lockstep
done
sed -i 's/  return front_step(self, in, out);/  for (;;) {}/' "$t/coarse_depth/policy.c"
make -s -C "$t/coarse_depth"
check 'an endless loop of another unit' says '^LIBRARY: coarse_depth [0-7], cycle [0-9]+ .*coarse_depth_golden_step did not return' 1 \
  "$n" run $config "${small[@]}" --engine golden --unit "coarse_depth=$t/coarse_depth"

# ---- RTL alone is watched, too: a draw that goes to two GPUs.
cp rtl/chopin/draw_scheduler.sv "$own/"
sed -i "s/assign piece_valid_o = valid_q;/assign piece_valid_o = valid_q | (NumGpus'(valid_q[0] \&\& piece_kind_o == 2'd1 \&\& !piece_compose_o) << 1);/" "$own/draw_scheduler.sv"
! cmp -s rtl/chopin/draw_scheduler.sv "$own/draw_scheduler.sv" || bad 'RTL: a draw given twice' 'the line has changed; adapt this script'
check 'RTL: a draw given twice' says "^LIBRARY: draw_scheduler 0, cycle [0-9]+ .*: draw [0-9]+ \(from primitive [0-9]+\) was given twice" 1 \
  "$n" run vectors/config/chopin.yaml "${small[@]}" --engine rtl --unit "draw_scheduler=$own"
rm "$own/draw_scheduler.sv"

# ---- Pages of figures hand it to their sweeps.
cat >"$t/figure.yaml" <<END
config: $config
set: {driver.threshold: 64}
grid: {frame: ["gen:test-5"], scheme: [chopin]}
columns: [{name: cycles, key: cycles}]
END
sweep() { # the cycles under these options
  "$n" sweep "$t/figure.yaml" --engine golden --no-plots --out "$t/figure" --cache "$t/cache" "$@" >"$t/log" 2>&1
  sed -n '2s/.*,//p' "$t/figure/table.csv"
}
check 'a sweep with it has another result' test "$(sweep)" != "$(sweep --unit "draw_scheduler=$t/random")"

# ---- The skeleton on real frames.
for frame in gen:wolf vectors/frames/nexuiz/bench1_ultra.nframe; do
  small=(--frame "$frame")
  check "a real frame, to the byte: $frame" equals
done
config=vectors/config/next.yaml
check 'a violation beside the picture is said' says '^  beside it +1 violations in other targets, depth and stencil' 1 \
  longest --frame gen:nfs -s gpus=2
