#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# All single-bit flaws of a unit's graph (docs/how-to/mutation.md): runs and solver agree, weak runs leave
# survivors, a wrong engine and wrong input are refused, a run that was cut off goes on.
set -u
. tests/scripts/lib.sh
export XDG_CACHE_HOME=$t/cache

check 'conditions of a graph by hand' "$build/tests/prove_seen"
"$n" prove --folder "$t/proof" --size NumGpus=2 composition_scheduler >"$t/proof.log" 2>&1 ||
  { bad 'the unit is proved' '' "$t/proof.log"; exit 1; }
proof=$(dirname "$(find "$t/proof" -name rtl.aig)")
run() { # NAME OPTION...: records
  "$n" unit composition_scheduler --gpus 2 --set paper --engine golden --record "$t/$1" "${@:2}" >"$t/log" 2>&1
  echo "$t/$1/composition_scheduler-0.vec"
}
weak=$(run weak --seed 1 --cycles 20) calm=$(run calm --seed 1 --cycles 4000) busy=$(run busy --seed 2 --cycles 4000 --busy)
flaws() { # FOLDER RUNS OPTION...: RUNS as FOLDER/runs has them
  mkdir -p "$t/$1"
  printf '%s' "$2" >"$t/$1/runs"
  "$build/prove" composition_scheduler NumGpus=2 --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --flaws "$t/$1" --cycles 1 "${@:3}" \
    >"$t/$1.log" 2>&1
}
open() { grep -c '^[0-9]* open' "$t/$1/fates"; }

flaws weak "$weak
" --no-solver
[ $? -eq 1 ] && w=$(open weak) || w=0
flaws runs "$calm
$busy
" --no-solver
[ $? -eq 1 ] && r=$(open runs) || r=0
if [ "$r" -gt 0 ] && [ "$r" -le 411 ] && [ "$w" -gt $((2 * r)) ]; then good "weak runs leave $w survivors, longer ones $r"; else
  bad "weak runs leave $w survivors, longer ones $r" '' "$t/weak.log"; fi

# The solver first, then the runs; what these alone kill is no equivalent.
flaws solver_first "
$calm
$busy
" --jobs 2
agree() {
  awk '$2 == "equivalent" && NR == FNR { equivalent[$1] = 1; n++ }
    $2 == "killed" && NR != FNR && $1 in equivalent { print "flaw " $1 " is both"; bad = 1 }
    END { exit n < 50 || bad }' "$1" "$2"
}
check 'what the solver calls equivalent, no run kills' agree "$t/solver_first/fates" "$t/runs/fates"

# 50 are open without those that change registers and no output (tb/prove/stray.h), 35 where only registers are
# conditions and facts.
o=$(open solver_first)
if [ "$o" -le 33 ]; then good "$o open"; else bad "$o open" '' "$t/solver_first.log"; fi

# One whose proof of equivalence looks past the outputs leaves nothing to be found.
check 'what only a run that the solver found kills is not called equivalent' \
  grep -q '^[0-9]* killed found-' "$t/solver_first/fates"

# Of the scheduler with lookahead, whose registers reset does not all clear, each run that the solver found kills its
# flaw, too, if it is played as lockstep plays it: without a clock before the first reset.
"$n" prove --folder "$t/lookahead_proof" --size NumGpus=2 lookahead_scheduler >"$t/proof.log" 2>&1
deep=$(dirname "$(find "$t/lookahead_proof" -name rtl.aig)")
mkdir -p "$t/lookahead"
for options in '--seed 1' '--seed 2 --busy' '--seed 3'; do
  # shellcheck disable=SC2086
  "$n" unit lookahead_scheduler --gpus 2 --set paper --engine golden $options --cycles 4000 --record "$t/deep$options" >"$t/log" 2>&1
  echo "$t/deep$options/lookahead_scheduler-0.vec"
done >"$t/lookahead/runs"
echo >>"$t/lookahead/runs"
"$build/prove" lookahead_scheduler NumGpus=2 --golden "$deep/golden.bc" --rtl "$deep/rtl.aig" --flaws "$t/lookahead" --cycles 1 \
  --jobs 2 >"$t/lookahead.log" 2>&1
found_kill() { grep -q ' killed found-' "$t/lookahead/fates" && ! grep ' open shown' "$t/lookahead/fates"; }
check 'runs that the solver found kill when they are played' found_kill

# Words that do not matter (tb/prove/loose.h) settle some.
loosened() { # by the progress: equivalents before and after
  awk '/words that may differ: [1-9]/ { gsub(/.*killed, | equivalent.*/, ""); if (!n++) first = $0; last = $0 }
    END { exit !(n > 1 && last > first) }' "$t/lookahead.log"
}
check 'words that do not matter make some equivalent' loosened

# Nor do runs kill one that they settle where few runs are known, which leave much that can be killed. (Cut off then.)
mkdir -p "$t/lookahead_long" "$t/lookahead_few"
"$n" unit lookahead_scheduler --gpus 2 --set paper --engine golden --cycles 100 --record "$t/few" >"$t/log" 2>&1
echo "$t/few/lookahead_scheduler-0.vec" >"$t/lookahead_few/runs"
echo >>"$t/lookahead_few/runs"
for seed in 11 12 13; do
  "$n" unit lookahead_scheduler --gpus 2 --set paper --engine golden --seed $seed --cycles 20000 --record "$t/long$seed" >"$t/log" 2>&1
  echo "$t/long$seed/lookahead_scheduler-0.vec"
done >"$t/lookahead_long/runs"
"$build/prove" lookahead_scheduler NumGpus=2 --golden "$deep/golden.bc" --rtl "$deep/rtl.aig" --flaws "$t/lookahead_long" \
  --no-solver >"$t/lookahead_long.log" 2>&1
"$build/prove" lookahead_scheduler NumGpus=2 --golden "$deep/golden.bc" --rtl "$deep/rtl.aig" --flaws "$t/lookahead_few" --cycles 1 \
  --jobs 2 >"$t/lookahead_few.log" 2>&1 &
few=$!
while kill -0 $few 2>"$t/log" && [ "$(grep -cE 'words that may differ|longer|facts' "$t/lookahead_few.log")" -lt 2 ]; do
  sleep 0.2
done
kill $few
wait $few 2>"$t/log"
check 'what words that do not matter make equivalent, no run kills' agree "$t/lookahead_few/journal" "$t/lookahead_long/fates"

# What nothing depends on (tb/prove/unseen.h), found without knowing a run: these kill none of it. (Then each other flaw
# is a question, which takes long: cut off.)
nothing_depends() { # FOLDER UNIT PARAMETERS ITS-FOLDER
  mkdir -p "$t/$1"
  echo >"$t/$1/runs"
  "$build/prove" "$2" "$3" --golden "$4/golden.bc" --rtl "$4/rtl.aig" --flaws "$t/$1" --cycles 1 >"$t/$1.log" 2>&1 &
  local cut=$!
  while kill -0 $cut 2>"$t/log" && ! grep -q 'what nothing depends on' "$t/$1.log" 2>"$t/log"; do
    sleep 0.2
  done
  kill $cut
  wait $cut 2>"$t/log"
}
nothing_depends unseen lookahead_scheduler NumGpus=2 "$deep"
check 'what nothing depends on, no run kills' agree "$t/unseen/journal" "$t/lookahead/fates"

# Products in 512 lanes (tb/prove/swarm_kernel.h): of the DASH scheduler the unit in lane 0 is as recorded, and a flaw
# ends as it does in another lane, beside other flaws.
"$n" prove --folder "$t/dash_proof" dash_scheduler --size \
  'Cpus=2 Ips=1 Channels=1 CountWidth=8 TimeWidth=6 UnitTicks=3 SwitchTicks=2 ShuffleTicks=2 QuantumTicks=16' >"$t/proof.log" 2>&1
dash=$(dirname "$(find "$t/dash_proof" -name rtl.aig)")
"$n" unit dash_scheduler --set tiny --engine golden --seed 1 --cycles 300 --record "$t/dash_run" >"$t/log" 2>&1
played=$t/dash_run/dash_scheduler-0.vec
dash_flaws() { # FOLDER OPTION...
  "$build/prove" dash_scheduler "$(head -n 1 "$played" | cut -d ' ' -f 4-)" --golden "$dash/golden.bc" --rtl "$dash/rtl.aig" \
    --flaws "$t/$1" "${@:2}" >"$t/$1.log" 2>&1
}
# Of some flaws only what a reset leaves alone depends; they are settled with the others (943 without).
nothing_depends dash_unseen dash_scheduler "$(head -n 1 "$played" | cut -d ' ' -f 4-)" "$dash"
settled() { test "$(grep -c ' equivalent$' "$t/dash_unseen/journal")" -ge 1000; }
check 'what nothing but a reset depends on' settled
mkdir -p "$t/lanes" "$t/other_lanes"
echo "$played" | tee "$t/lanes/runs" >"$t/other_lanes/runs"
dash_flaws lanes --cycles 1 --no-solver
product_names() { grep -q ': product [0-9]*, bit [0-9]*$' "$t/lanes/fates" && ! grep -E ': (in_i\[[0-9]{5,}\])?$' "$t/lanes/fates"; }
check 'products: a flaw is named by its bit' product_names
{ head -n 1 "$t/lanes/journal"; seq 0 2 4000 | sed 's/$/ killed before/'; } >"$t/other_lanes/journal"
dash_flaws other_lanes --cycles 1 --no-solver
same_kills() {
  awk 'NR == FNR { fate[$1] = $0; n += $2 == "killed" && $3 ~ /^dash/; next }
    $3 != "before" && $0 != fate[$1] { print; bad = 1 }
    END { exit n < 1000 || bad }' "$t/lanes/fates" "$t/other_lanes/fates"
}
check 'products: a flaw ends the same in each lane' same_kills

# Where products are open to the solver, the runs that it finds are true all the same: each kills its flaw. (Of some.)
if [ -n "${LONG:-}" ]; then
  mkdir -p "$t/dash_found"
  printf '%s\n\n' "$played" >"$t/dash_found/runs"
  { head -n 1 "$t/lanes/journal"
    awk '$2 == "killed" || left++ % 40 { print $1 " killed before" }' "$t/lanes/fates"; } >"$t/dash_found/journal"
  dash_flaws dash_found --cycles 16 --jobs 2
  true_runs() { grep -q ' killed found-' "$t/dash_found/fates" && ! grep ' open shown' "$t/dash_found/fates"; }
  check 'products: runs that the solver found kill when they are played' true_runs
fi

# What is left goes to abc, which finds invariants of some and runs of others.
if [ -n "${LONG:-}" ]; then
  mkdir -p "$t/abc"
  cp "$t/solver_first/journal" "$t/abc/"
  flaws abc "
$calm
$busy
" --invariants 4 --jobs 2
  check "abc settles some: $(open abc) of $o open" test "$(open abc)" -le $((o / 8))
  by_run() { grep -c '^[0-9]* killed found-' "$t/$1/fates"; }
  check 'runs that abc found kill' test "$(by_run abc)" -gt "$(by_run solver_first)"
  check 'what has an invariant, no run kills' agree "$t/abc/fates" "$t/runs/fates"
fi

# The command plays the runs of the proof and those for flaws alone (`mutate: runs:`), which kill what no other does.
"$n" mutate --flaws -p -s 0 -o "$t/command" composition_scheduler >"$t/command.log" 2>&1
status=$?
own_kill() {
  local folder=$t/command/flaws/composition_scheduler first of_own
  first=$("$n" room composition_scheduler | jq '.[0].runs | length')
  of_own=$("$n" room composition_scheduler | jq '[.[0].mutate.runs[].seeds[]] | length')
  [ "$status" -eq 1 ] && [ "$of_own" -gt 0 ] &&
    [ "$(sed -nE 's|.*/knobs-([0-9]+)-.*|\1|p' "$folder/runs" | awk -v first="$first" '$1 >= first' | wc -l)" -eq "$of_own" ] &&
    sed -nE 's/^[0-9]+ killed knobs-([0-9]+)-.*/\1/p' "$folder/fates" | awk -v first="$first" '$1 >= first { n++ } END { exit !n }'
}
check 'runs for flaws alone play and kill' own_kill

# A knob there that the unit lacks: one line. (A tree of links, with a unit.yaml of its own.)
wrong_knob() {
  mkdir -p "$t/tree/tests"
  ln -s "$root"/* "$t/tree/" 2>"$t/log"
  ln -s "$root"/tests/* "$t/tree/tests/"
  rm "$t/tree/tests/units"
  cp -r tests/units "$t/tree/tests/"
  sed -i '/mutate:/,/fuzz:/s/done: 500/dune: 500/' "$t/tree/tests/units/composition_scheduler/unit.yaml"
  (cd "$t/tree" && build/nocturne mutate --flaws -p -s 0 -o tree composition_scheduler) >"$t/said" 2>&1
  [ $? -eq 2 ] && has "$t/said" '^nocturne: composition_scheduler: a run of its unit.yaml: --knob dune: .* no such knob'
}
check 'a run with a wrong knob' wrong_knob

sed -i 's/^mutate: {set: tiny}/mutate: {set: "tiny,single"}/' "$t/tree/tests/units/tile_coalescer/unit.yaml"
other_size() {
  (cd "$t/tree" && build/nocturne mutate --flaws -p -s 0 -o tree tile_coalescer) >"$t/said" 2>&1
  [ $? -eq 2 ] && has "$t/said" '^nocturne: tile_coalescer: its run (seed|busy)-[0-9]+ is of another size than Engines='
}
check 'a set from which the seed chooses' other_size

# Cut off in the middle of a line, while runs are played and while the solver is asked, and with one job.
resumed() { # NAME: from $t/resumed/journal
  flaws resumed "
$calm
$busy
"
  check "cut off $1, resumed and by one job: the same fates" cmp "$t/solver_first/fates" "$t/resumed/fates"
}
mkdir -p "$t/resumed"
head -c "$(($(wc -c <"$t/solver_first/journal") * 2 / 3))" "$t/solver_first/journal" >"$t/resumed/journal"
resumed 'in a run'
{ awk '{ print } /^unseen$/ || n { n++ } n > 20 { exit }' "$t/solver_first/journal" && printf 7; } >"$t/resumed/journal"
resumed 'by the solver'
again_unseen() { ! grep 'what nothing depends on' "$t/resumed.log"; }
check 'what nothing depends on is not looked for again' again_unseen

refused() { # STATUS PATTERN COMMAND...
  "${@:3}" >"$t/said" 2>&1
  [ $? -eq "$1" ] && { cat "$t/said" "$t/${4:-said}.log" 2>/dev/null; true; } >"$t/all.said" && has "$t/all.said" "$2"
}
# A compiler that gets one operation wrong: the lane without a flaw differs.
printf '#!/bin/sh\nfor f; do case $f in */swarm.c) sed -i "/chunk_2(/,/ & /s/ & / | /" "$f";; esac; done\nexec cc "$@"\n' >"$t/wrong_cc"
chmod +x "$t/wrong_cc"
check 'a wrong engine is refused' refused 1 'the unit without a flaw differs at bit' \
  env CC="$t/wrong_cc" "$build/prove" composition_scheduler NumGpus=2 --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" \
  --flaws "$t/weak"
check 'no compiler' refused 3 'the compiler does not take it' env CC=false "$build/prove" composition_scheduler NumGpus=2 \
  --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --flaws "$t/weak"
check 'no runs' refused 2 'none/runs: No such file' "$build/prove" composition_scheduler NumGpus=2 \
  --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --flaws "$t/none"
sed -i '1s/NumGpus=2/NumGpus=3/' "$weak"
rm "$t/weak/journal"
check 'a run of another size' refused 2 ':1:1: expected vectors of composition_scheduler' "$build/prove" \
  composition_scheduler NumGpus=2 --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --flaws "$t/weak"
