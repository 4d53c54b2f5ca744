#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Regressions on a cluster: the same reports as on one machine; what is refused, and how. With stand-ins
# for Slurm's commands, which run the tasks here. With LONG=1 in Slurm itself, a controller and four nodes
# on this machine: nodes lost, an array cancelled, a front end killed; no finished test runs again.
set -u
. tests/scripts/lib.sh
. tests/scripts/slurm.sh

cat >"$t/list.yaml" <<'Y'
defaults: {engine: golden, cycles: 2000, timeout: {seconds: 60}}
tests:
  - {name: draw, unit: draw_scheduler, gpus: 6, seeds: 1..6}
  - {name: composition, unit: composition_scheduler, gpus: 3, seeds: 1..6}
  - {name: counts, command: [printf, 'ok one\nnot ok two\n'], counts: true}
  - {name: files, command: [sh, -c, 'mkdir -p "$0".d && echo 1 >"$0".d/a && echo "$0" && echo "{}" >"$0"', "{result}"]}
  - {name: fails, command: [sh, -c, 'echo "nocturne: it is broken"; exit 3']}
  - {name: crash, command: [sh, -c, 'kill -SEGV $$']}
Y
one_line() { # FILE PATTERN: that is all it says
  has "$1" "$2" && [ "$(wc -l <"$1")" -eq 1 ] || { cat "$1"; return 1; }
}
ends() { # STATUS COMMAND...: it prints to $t/said
  local want=$1 got
  shift
  "$@" >"$t/said" 2>&1
  got=$?
  [ $got -eq "$want" ] || { echo "status $got instead of $want"; cat "$t/said"; return 1; }
}
totals() { # LOG PASSED FAILED CACHED
  [ "$(tail -n 1 "$1")" = "$2 passed, $3 failed" ] && has "$1" "^[0-9]+ tests in .*, $4 from the cache"
}

# The report of FOLDER, of a regression on a cluster, is that of one machine.
same_report() { # LIST FOLDER STATUS OPTIONS...
  local list=$1 folder=$2 want=$3
  shift 3
  rm -rf "$folder"
  ends "$want" "$n" regress "$list" --folder "$folder" --junit "$folder.xml" --slurm "$@" || return
  tail -n 1 "$t/said"
  diff <(tb/regress/filter.sh "$t/here" "$t/here.xml") <(tb/regress/filter.sh "$folder" "$folder.xml")
}
cat >"$t/grid.yaml" <<'Y'
config: vectors/config/chopin.yaml
set: {driver.threshold: 20, gpus: 2}
grid:
  frame: ["gen:test-1", "gen:test-2", "gen:test-3"]
  scheme: [duplication, chopin]
columns:
  - {name: speedup, key: cycles, speedup_over: {scheme: duplication}}
Y
cat >"$t/stated.yaml" <<'Y'
paper:
  - {id: one, what: duplication over itself, value: 1, where: I}
Y
cat >"$t/paper.yaml" <<Y
stated: $t/stated.yaml
pages:
  - file: page.md
    title: Page
    of: paper
    figures:
      - name: first
        title: First
        sweep: $t/grid.yaml
        rows: [{stated: one, column: speedup, at: {frame: test-1, scheme: duplication}}]
      - name: second
        title: Second
        sweep: $t/grid.yaml
        set: [gpus=3]
Y
# The same tables and pages; the second sweep's.
same_tables() { # NAME
  rm -rf "$t/sweep-$1" "$t/paper-$1"
  ends 0 "$n" sweep "$t/grid.yaml" --engine golden --cache "$t/sweep-$1" --out "$t/sweep-$1/out" --slurm &&
    has "$t/said" '^6 runs, 0 failed, 0 known before' &&
    diff <(cat "$t"/sweep-here/out/table.*) <(cat "$t/sweep-$1"/out/table.*) &&
    ends 0 "$n" paper "$t/paper.yaml" --cache "$t/paper-$1" --out "$t/paper-$1/out" --runs "$t/paper-$1/runs" \
      --slurm --shards 3 && diff -r "$t/paper-here/out" "$t/paper-$1/out" &&
    [ "$(find "$t/paper-$1/runs" -name '2.jobs' | wc -l)" -eq 2 ]
}
"$n" sweep "$t/grid.yaml" --engine golden --cache "$t/sweep-here" --out "$t/sweep-here/out" -j2 >"$t/sweep-here.log" 2>&1
"$n" paper "$t/paper.yaml" --cache "$t/paper-here" --out "$t/paper-here/out" --runs "$t/paper-here/runs" >"$t/paper-here.log" 2>&1
"$n" regress "$t/list.yaml" --folder "$t/here" --junit "$t/here.xml" -j2 >"$t/here.log" 2>&1

# ---- Without Slurm

no_slurm() {
  ends 3 env PATH=/nowhere "$n" regress "$t/list.yaml" --folder "$t/none" --slurm &&
    one_line "$t/said" '^nocturne: Slurm is missing; install it with: apt-get install slurm-wlm, or leave out --slurm$' &&
    ends 3 env PATH=/nowhere "$n" paper --slurm && one_line "$t/said" '^nocturne: Slurm is missing; '
}
check "no Slurm" no_slurm
without() {
  ends 2 "$n" regress "$t/list.yaml" --partition main && has "$t/said" 'partition: expected --slurm beside it' &&
    ends 2 "$n" regress "$t/list.yaml" --slurm --shards 0 && has "$t/said" 'from 1 to 1000' &&
    ends 2 "$n" shard "$t/none/0" && one_line "$t/said" 'none/0.jobs: No such file'
}
check "options and files that do not fit" without
echo >"$t/file"
unwritable() {
  ends 1 "$n" regress "$t/list.yaml" --folder "$t/file/r" --slurm && one_line "$t/said" 'file/r/logs: Not a directory'
}
check "a folder that cannot be written" unwritable

mkdir -p "$t/bin"
cat >"$t/bin/sbatch" <<'S'
#!/bin/bash
for a; do
  case $a in
    --array=*) last=${a#*=0-}; last=${last%\%*} ;;
    --output=*) out=${a#*=} ;;
    --job-name=*) name=${a#*=} ;;
    --partition=nowhere) printf 'sbatch: error: invalid partition specified: nowhere\nsbatch: error: Batch job submission failed: Invalid partition name specified\n' >&2; exit 1 ;;
    --partition=silent) echo 'sbatch: error: Unable to contact slurm controller (connect failure)' >&2; exit 1 ;;
  esac
done
script=${!#}
touch "$STAND_IN/$name"
(for ((i = 0; i <= last; i++)); do
  [ -e "$STAND_IN/lost" ] || SLURM_ARRAY_TASK_ID=$i sh "$script" >"${out//%a/$i}" 2>&1
done; rm "$STAND_IN/$name") >/dev/null 2>&1 &
echo 7
S
cat >"$t/bin/squeue" <<'S'
#!/bin/bash
for a; do case $a in --name=*) name=${a#*=} ;; esac; done
if [ -e "$STAND_IN/$name" ]; then echo 'RUNNING None'; elif [ -e "$STAND_IN/cancelled" ]; then echo 'CANCELLED None'; else echo 'COMPLETED None'; fi
S
printf '#!/bin/bash\nexit 0\n' >"$t/bin/scancel"
printf '#!/bin/bash\necho 0/2/0/2\n' >"$t/bin/sinfo"
chmod +x "$t"/bin/*
mkdir -p "$t/stand-in"
in_stand_in() {
  STAND_IN=$(realpath "$t/stand-in") PATH=$(realpath "$t/bin"):$PATH "$@"
}
check "the same report" in_stand_in same_report "$t/list.yaml" "$t/there" 1
cached() {
  in_stand_in ends 1 "$n" regress "$t/list.yaml" --folder "$t/there" --slurm && totals "$t/said" 14 3 13
}
check "a second time from the cache" cached
check "the same tables of a sweep, the same pages" in_stand_in same_tables there
resumed() {
  head -n 5 "$t/there/journal.jsonl" >"$t/five" && cp "$t/five" "$t/there/journal.jsonl" &&
    in_stand_in ends 1 "$n" regress "$t/list.yaml" --folder "$t/there" --slurm --resume --no-cache --shards 3 &&
    totals "$t/said" 14 3 '[0-9]+' && [ "$(wc -l <"$t/there/journal.jsonl")" -eq 16 ]
}
check "resumed" resumed
each_item() {
  printf '%s\n' c a b | in_stand_in ends 0 tb/regress/each.sh "$t/each" --slurm sh -c "echo \"it's \$0\"" ITEM &&
    [ "$(cat "$t/said")" = "it's c
it's a
it's b" ] || return
  printf '%s\n' a b | in_stand_in ends 1 tb/regress/each.sh "$t/each" -j2 sh -c 'echo $0; [ $0 = a ]' ITEM &&
    [ "$(cat "$t/said")" = "a
b" ] || return
  echo a | in_stand_in ends 2 tb/regress/each.sh "$t/each" '--slurm --partition nowhere' true ITEM &&
    one_line "$t/said" '^nocturne: sbatch refuses: '
}
check "a command for each of many items" each_item
refused() {
  in_stand_in ends 2 "$n" regress "$t/list.yaml" --folder "$t/refused" --slurm --partition nowhere &&
    one_line "$t/said" '^nocturne: sbatch refuses: invalid partition specified: nowhere; Batch .*; `sinfo` shows what there is$' &&
    in_stand_in ends 3 "$n" regress "$t/list.yaml" --folder "$t/refused" --slurm --partition silent &&
    one_line "$t/said" '^nocturne: Slurm does not answer: Unable to contact slurm controller'
}
check "refused by sbatch, or not answered" refused
nothing_ends() {
  touch "$t/stand-in/lost"
  in_stand_in ends 1 "$n" regress "$t/list.yaml" --folder "$t/lost" --slurm --no-cache &&
    has "$t/said" '^nocturne: .*lost: the shards ended without a test finished: .*a folder that all nodes share' || return
  touch "$t/stand-in/cancelled"
  in_stand_in ends 1 "$n" regress "$t/list.yaml" --folder "$t/lost" --slurm --no-cache &&
    has "$t/said" '^nocturne: the job array was cancelled after 0 of 16 tests; --resume goes on$' || return
  rm "$t/stand-in/lost" "$t/stand-in/cancelled"
  in_stand_in ends 1 "$n" regress "$t/list.yaml" --folder "$t/lost" --slurm --no-cache --resume && totals "$t/said" 14 3 0
}
check "shards that end without a result, and what follows" nothing_ends
[ -n "${LONG:-}" ] || exit 0

# ---- In Slurm

missing=$(slurm_missing)
if [ -n "$missing" ]; then
  bad "Slurm" "$missing is missing; install it with: tb/setup.sh slurm"
  exit
fi
cleanup() { slurm_stop; }
slurm_start "$t/cluster" 4 >"$t/start.log" 2>&1 && good "a controller and four nodes" ||
  { bad "a controller and four nodes" "" "$t/start.log"; exit; }

check "Slurm: the same report" same_report "$t/list.yaml" "$t/slurm" 1
slurm_cached() { ends 1 "$n" regress "$t/list.yaml" --folder "$t/slurm" --slurm && totals "$t/said" 14 3 13; }
check "Slurm: a second time from the cache" slurm_cached
check "Slurm: the same tables of a sweep, the same pages" same_tables slurm
same_mutants() { # all of them are killed
  for options in -j2 --slurm; do
    ends 0 tb/mutate/mutate.sh -b "$build" -o "$t/mutants$options" -n 8 -s 0 -p -r "$options" composition_scheduler || return
  done
  [ "$(wc -l <"$t/mutants-j2/composition_scheduler/results")" -eq 8 ] &&
    diff "$t/mutants-j2/composition_scheduler/results" "$t/mutants--slurm/composition_scheduler/results"
}
check "Slurm: the same mutants" same_mutants
slurm_refused() {
  ends 2 "$n" regress "$t/list.yaml" --folder "$t/refused" --slurm --no-cache --partition nowhere &&
    one_line "$t/said" '^nocturne: sbatch refuses: invalid partition specified: nowhere' &&
    ends 2 "$n" regress "$t/list.yaml" --folder "$t/refused" --slurm --no-cache --memory 900G &&
    one_line "$t/said" '^nocturne: sbatch refuses: .*[Mm]emory' &&
    ends 2 "$n" regress "$t/list.yaml" --folder "$t/refused" --slurm --no-cache --time soon &&
    one_line "$t/said" '^nocturne: sbatch refuses: .*[Tt]ime'
}
check "Slurm: refused" slurm_refused
passed_through() {
  printf 'tests:\n  - {name: a, command: [sh, -c, "scontrol show job $SLURM_JOB_ID"]}\n' >"$t/through.yaml"
  ends 0 "$n" regress "$t/through.yaml" --folder "$t/through" --slurm --partition main --time 7:00 --memory 300M \
    --sbatch --comment=nocturnal && has "$t/through/logs/a.log" 'Partition=main' &&
    has "$t/through/logs/a.log" 'TimeLimit=00:07:00' && has "$t/through/logs/a.log" 'MinMemoryNode=300M' &&
    has "$t/through/logs/a.log" 'Comment=nocturnal'
}
check "Slurm: partition, time, memory, others" passed_through

# Tests that write down when they begin and end.
many() { # FOLDER COUNT SECONDS
  mkdir -p "$1"
  printf "tests:\n  - {name: t, command: [sh, -c, 'echo begin \$NOCTURNE_REPORT >>%s/runs; sleep %s; echo end \$NOCTURNE_REPORT >>%s/runs'], repeats: %s}\n" \
    "$1" "$3" "$1" "$2" >"$1/list.yaml"
}
ran() { sed 's|[^ ]*/||' "$1/runs" 2>/dev/null; }  # begin t+repeat-3
finished() { ran "$1" | grep -c '^end'; }
until_half() { until [ "$(finished "$1")" -ge "$2" ]; do sleep 0.05; done; }
# All have ended, none began after it had ended, and at most AGAIN began twice.
runs_right() { # FOLDER COUNT AGAIN
  ran "$1" | awk -v count="$2" -v most="$3" '
    $1 == "begin" && $2 in ended { print $2 " began after its end"; wrong = 1 }
    $1 == "begin" && $2 in begun { again++ }
    { if ($1 == "begin") begun[$2] = 1; else ended[$2] = 1 }
    END {
      for (i in ended) n++
      if (n != count) print n + 0 " of " count " ended"
      if (again > most) print again " began twice"
      exit wrong || n != count || again > most
    }' && [ "$(wc -l <"$1/r/journal.jsonl")" -eq "$2" ]
}
start() { # FOLDER OPTIONS...
  "$n" regress "$1/list.yaml" --folder "$1/r" --no-cache "${@:2}" >"$1/log" 2>&1 &
  front=$!
}

# A task runs on the node when it is lost; then it is another node's, which is free, as a second attempt.
# Where slurmd alone is gone, the task lives on beside that; the controller is told, instead of waited for.
node_lost() { # WHAT
  local folder=$t/lost-$1 victims
  many "$folder" 30 1.5
  start "$folder" --slurm --shards 3
  until_half "$folder" 9
  while mapfile -t victims < <(slurm_tree n2); [ "${#victims[@]}" -lt 4 ]; do sleep 0.05; done
  [ "$1" = all ] || victims=("${victims[0]}")
  kill -STOP "${victims[@]}"
  kill -KILL "${victims[@]}"
  [ "$1" = all ] || scontrol update nodename=n2 state=down reason=lost
  wait $front
  code=$?
  slurm_node "$slurm_folder" n2
  scontrol update nodename=n2 state=resume 2>/dev/null
  [ $code -eq 0 ] && totals "$folder/log" 30 0 0 && runs_right "$folder" 30 1 &&
    [ "$(find "$folder/r/slurm" -mindepth 3 -maxdepth 3 -name 2 | wc -l)" -eq 1 ] || { cat "$folder/log"; return 1; }
}
check "a node lost: slurmd, slurmstepd and their children" node_lost all
check "a node lost: slurmd alone" node_lost slurmd

cancelled() {
  many "$t/cancelled" 24 0.5
  start "$t/cancelled" --slurm
  until_half "$t/cancelled" 10
  scancel -u "$(id -un)"
  wait $front
  [ $? -eq 1 ] && has "$t/cancelled/log" '^nocturne: the job array was cancelled after [0-9]+ of 24 tests; --resume goes on$' || return
  start "$t/cancelled" --slurm --resume
  wait $front && totals "$t/cancelled/log" 24 0 0 && runs_right "$t/cancelled" 24 4
}
check "an array cancelled, and resumed" cancelled

front_killed() {
  many "$t/killed" 24 0.5
  start "$t/killed" --slurm
  until_half "$t/killed" 8
  kill -KILL $front
  wait $front 2>/dev/null
  until_half "$t/killed" 12
  start "$t/killed" --slurm --resume
  wait $front && totals "$t/killed/log" 24 0 0 && runs_right "$t/killed" 24 0 &&
    [ "$(find "$t/killed/r/slurm" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
}
check "a front end killed: the array goes on, and so does --resume" front_killed
taken_over() { # the array of one that was killed ends; what is left runs on this machine
  many "$t/taken" 12 0.5
  start "$t/taken" --slurm
  until_half "$t/taken" 4
  kill -KILL $front
  wait $front 2>/dev/null
  start "$t/taken" -j4 --resume
  wait $front && totals "$t/taken/log" 12 0 0 && ran "$t/taken" | awk '$1 == "end"' | sort | uniq -c | awk '$1 > 2 { exit 1 }' &&
    [ -z "$(squeue -h -t running,pending)" ] && [ "$(wc -l <"$t/taken/r/journal.jsonl")" -eq 12 ]
}
check "a front end killed, resumed on one machine" taken_over
front_ended() { # by a signal: the array too; what is left then runs on this machine
  many "$t/ended" 12 0.5
  start "$t/ended" --slurm
  until_half "$t/ended" 4
  kill -TERM $front
  wait $front
  [ $? -eq 1 ] && has "$t/ended/log" '^nocturne: interrupted after [0-9]+ of 12 tests; --resume goes on' || return
  [ -z "$(squeue -h -t running,pending)" ] || { squeue; return 1; }
  start "$t/ended" -j4 --resume
  wait $front && totals "$t/ended/log" 12 0 0 && runs_right "$t/ended" 12 4
}
check "a front end ended by a signal, resumed on one machine" front_ended

# A node that has the folder, and may not write to it.
unwritable_there() {
  slurm_stop
  slurm_node() {
    # shellcheck disable=SC2016
    (unset "${!SLURM_@}"
      exec unshare -m sh -c 'mount --bind "$3" "$3" && mount -o remount,ro,bind "$3" && exec slurmd -D -N "$1" -f "$2"' \
        sh "$2" "$1/slurm.conf" "$read_only") >"$1/$2.out" 2>&1 &
    disown
  }
  read_only=$(realpath "$t")/read-only
  mkdir -p "$read_only"
  slurm_start "$t/cluster2" 1 &&
    ends 1 "$n" regress "$t/list.yaml" --folder "$read_only/r" --no-cache --slurm &&
    has "$t/said" '^nocturne: .*read-only/r: the shards ended without a test finished: .* all nodes share and may write to$'
}
! unshare -m true 2>/dev/null || check "Slurm: a node may not write to the folder" unwritable_there
