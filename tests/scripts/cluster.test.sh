#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Regressions on other machines: the same reports as on one; launchers that are missing, die, hang or lose
# their machine; a front end that is killed or ended; no finished test runs again. The launchers are
# stand-ins that run the jobs here. With LONG=1 also srun, with a Slurm of four nodes on this machine.
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

# A launcher that passes on neither the working folder nor the environment. STAND_IN/bad lists what goes
# wrong, a word for each launch: die (before the job begins), lose (the machine, while the job runs), hang
# (the job is stopped), cut (the launcher dies, the job lives on), refuse (the same for all that follow).
mkdir -p "$t/stand-in"
STAND_IN=$(realpath "$t/stand-in")
cat >"$t/launcher" <<S
#!/bin/bash
bad=$STAND_IN/bad
exec 3>>"\$bad.lock"
flock 3
word=\$(head -n 1 "\$bad" 2>/dev/null)
[ "\$word" = refuse ] || sed -i 1d "\$bad" 2>/dev/null
flock -u 3
cd /
job() { env -i PATH="\$PATH" setsid "\$@" 3>&- & }
case \$word in
  die | refuse) echo "stand-in: no machine" >&2; exit 1 ;;
  lose) job "\$@"; sleep 0.3; kill -9 -\$!; sleep 0.1; exit 9 ;;
  hang) job "\$@"; sleep 0.3; kill -STOP \$!; wait \$! ;;
  cut) job "\$@"; sleep 0.2; exit 9 ;;
esac
exec env -i PATH="\$PATH" "\$@" 3>&-
S
chmod +x "$t/launcher"
launcher=$(realpath "$t/launcher")
launched=(--launch "$launcher" -j 4 --lost-after 4)

# The report of FOLDER, of a regression elsewhere, is that of one machine.
same_report() { # LIST FOLDER STATUS OPTIONS...
  local list=$1 folder=$2 want=$3
  shift 3
  rm -rf "$folder"
  ends "$want" "$n" regress "$list" --folder "$folder" --junit "$folder.xml" "$@" || return
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
same_tables() { # NAME OPTIONS...
  local name=$1
  shift
  rm -rf "$t/sweep-$name" "$t/paper-$name"
  ends 0 "$n" sweep "$t/grid.yaml" --engine golden --cache "$t/sweep-$name" --out "$t/sweep-$name/out" "$@" &&
    has "$t/said" '^6 runs, 0 failed, 0 known before' &&
    diff <(cat "$t"/sweep-here/out/table.*) <(cat "$t/sweep-$name"/out/table.*) &&
    ends 0 "$n" paper "$t/paper.yaml" --cache "$t/paper-$name" --out "$t/paper-$name/out" --runs "$t/paper-$name/runs" \
      "$@" && diff -r "$t/paper-here/out" "$t/paper-$name/out" &&
    [ "$(find "$t/paper-$name/runs" -name launched | wc -l)" -eq 2 ]
}
"$n" sweep "$t/grid.yaml" --engine golden --cache "$t/sweep-here" --out "$t/sweep-here/out" -j2 >"$t/sweep-here.log" 2>&1
"$n" paper "$t/paper.yaml" --cache "$t/paper-here" --out "$t/paper-here/out" --runs "$t/paper-here/runs" >"$t/paper-here.log" 2>&1
"$n" regress "$t/list.yaml" --folder "$t/here" --junit "$t/here.xml" -j2 >"$t/here.log" 2>&1

# ---- What is refused

refused() {
  ends 2 "$n" regress "$t/list.yaml" --launch "$launcher" && has "$t/said" 'launch: expected -j N beside it' &&
    ends 2 "$n" regress "$t/list.yaml" "${launched[@]}" --attempts 0 && has "$t/said" 'from 1 to 1000' &&
    ends 2 "$n" job "$t/none" && one_line "$t/said" 'none/job.json: No such file' &&
    ends 3 "$n" regress "$t/list.yaml" --folder "$t/none" "${launched[@]}" --launch './no/such' &&
    one_line "$t/said" "^nocturne: --launch './no/such': no test began in 3 attempts: .*: ./no/such: not found$" || return
  echo refuse >"$t/stand-in/bad"
  ends 3 "$n" regress "$t/list.yaml" --folder "$t/none" "${launched[@]}" --attempts 2 &&
    one_line "$t/said" "no test began in 2 attempts: stand-in: no machine$" || return
  rm "$t/stand-in/bad"
}
check "options and launchers that do not fit" refused
echo >"$t/file"
unwritable() {
  ends 1 "$n" regress "$t/list.yaml" --folder "$t/file/r" "${launched[@]}" && one_line "$t/said" 'file/r/logs: Not a directory'
}
check "a folder that cannot be written" unwritable
# A machine that has the folder, and may not write to it.
unwritable_there() {
  mkdir -p "$t/read-only"
  cat >"$t/read-only.sh" <<'S'
exec unshare -m sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"' "$@"
S
  ends 3 "$n" regress "$t/list.yaml" --folder "$t/read-only/r" -j2 --attempts 1 \
    --launch "bash $(realpath "$t/read-only.sh") $(realpath "$t/read-only")" &&
    has "$t/said" '^nocturne: .*no test began in 1 attempts: nocturne: .*/alive: cannot be written: Read-only file system$'
}
! unshare -m true 2>/dev/null || check "a machine may not write to the folder" unwritable_there

# ---- The same as on one machine

check "the same report" same_report "$t/list.yaml" "$t/there" 1 "${launched[@]}"
cached() {
  ends 1 "$n" regress "$t/list.yaml" --folder "$t/there" "${launched[@]}" && totals "$t/said" 14 3 13
}
check "a second time from the cache" cached
check "the same tables of a sweep, the same pages" same_tables there "${launched[@]}"
resumed() {
  head -n 5 "$t/there/journal.jsonl" >"$t/five" && cp "$t/five" "$t/there/journal.jsonl" &&
    ends 1 "$n" regress "$t/list.yaml" --folder "$t/there" "${launched[@]}" --resume --no-cache &&
    totals "$t/said" 14 3 '[0-9]+' && [ "$(wc -l <"$t/there/journal.jsonl")" -eq 16 ]
}
check "resumed" resumed
each_item() {
  printf '%s\n' c a b | ends 0 tb/regress/each.sh "$t/each" "--launch '$launcher' -j2" sh -c "echo \"it's \$0\"" ITEM &&
    [ "$(cat "$t/said")" = "it's c
it's a
it's b" ] || return
  printf '%s\n' a b | ends 1 tb/regress/each.sh "$t/each" -j2 sh -c 'echo $0; [ $0 = a ]' ITEM &&
    [ "$(cat "$t/said")" = "a
b" ] || return
  echo a | ends 3 tb/regress/each.sh "$t/each" '--launch ./no/such -j2' true ITEM && one_line "$t/said" '^nocturne: --launch '
}
check "a command for each of many items" each_item

same_mutants() { # (those that survive these few runs stay open)
  local few='-n 4 -s 0 -p composition_scheduler'
  # shellcheck disable=SC2086
  "$n" mutate -o "$t/mutants-here" $few
  # shellcheck disable=SC2086
  "$n" mutate -o "$t/mutants-there" --launch "$launcher" -j 4 $few
  [ "$(grep -cE '^[0-9]+ (killed|survived)' "$t/mutants-here/composition_scheduler/results")" -eq 4 ] &&
    diff "$t"/mutants-{here,there}/composition_scheduler/results
}
check "the same mutants" same_mutants

# ---- Machines that are lost

printf '%s\n' die lose hang cut die lose cut hang >"$t/stand-in/bad"
check "launchers that die, hang, lose the machine or the connection: the same report" same_report "$t/list.yaml" \
  "$t/flaky" 1 "${launched[@]}"
[ -s "$t/stand-in/bad" ] && bad "all of it went wrong" "" "$t/stand-in/bad" || good "all of it went wrong"

# Tests that write down when they begin and end.
many() { # FOLDER COUNT SECONDS
  mkdir -p "$1"
  printf "tests:\n  - {name: t, command: [sh, -c, 'echo begin \$NOCTURNE_REPORT >>%s/runs; sleep %s; echo end \$NOCTURNE_REPORT >>%s/runs'], repeats: %s}\n" \
    "$1" "$3" "$1" "$2" >"$1/list.yaml"
}
ran() { sed 's|[^ ]*/||' "$1/runs" 2>/dev/null; }  # begin t+repeat-3
finished() { ran "$1" | grep -c '^end'; }
until_finished() { until [ "$(finished "$1")" -ge "$2" ]; do sleep 0.05; done; }
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
nothing_left() { # FOLDER: no launched process of it lives
  for ((i = 0; i < 100; i++)); do
    pgrep -f "nocturne job $(realpath "$1")/" >"$t/left" || return 0
    sleep 0.1
  done
  cat "$t/left"
  return 1
}
# A queue: the progress shows how many tests wait, and the last words of a launcher. (On a terminal, where it comes at once.)
queued() {
  printf '#!/bin/sh\necho "stand-in: job 7 waits for Resources"\nsleep 0.6\nexec "$@"\n' >"$t/queue"
  chmod +x "$t/queue"
  many "$t/queued" 2 0.4
  script -qec "$n regress $t/queued/list.yaml --folder $t/queued/r --no-cache --launch $(realpath "$t/queue") -j2" /dev/null >"$t/said" &&
    has "$t/said" ' 0 running, 2 waiting \(stand-in: job 7 waits for Resources\)' && has "$t/said" ' 2 running(, about [^,]* left)? '
}
check "tests that wait in a queue" queued

# Two machines are lost while they run: their tests run again, and no others.
again() {
  many "$t/again" 16 0.5
  printf '%s\n' ok lose ok ok lose >"$t/stand-in/bad"
  start "$t/again" "${launched[@]}"
  wait $front && totals "$t/again/log" 16 0 0 && runs_right "$t/again" 16 2 && nothing_left "$t/again"
}
check "two machines lost: their tests run again, and no other" again
# A test that takes its machine with it each time is one that fails.
cat >"$t/fatal.yaml" <<'Y'
tests:
  - {name: good, command: ["true"], repeats: 6}
  - {name: fatal, command: [sh, -c, 'kill -9 $PPID; sleep 5']}
Y
fatal() {
  ends 1 "$n" regress "$t/fatal.yaml" --folder "$t/fatal" --no-cache "${launched[@]}" --attempts 2 &&
    totals "$t/said" 6 1 0 && has "$t/said" '^FAIL fatal: launched 2 times, lost each time: ' || return
  # It is not done with: another machine may hold it.
  ends 1 "$n" regress "$t/fatal.yaml" --folder "$t/fatal" --no-cache --resume "${launched[@]}" --attempts 1 &&
    has "$t/said" '^FAIL fatal: launched 1 times'
}
check "a test that loses its machine each time" fatal
# The cluster goes away half-way.
gone() {
  many "$t/gone" 12 0.3
  printf '%s\n' ok ok ok ok ok refuse >"$t/stand-in/bad"
  start "$t/gone" "${launched[@]}"
  wait $front
  [ $? -eq 1 ] && has "$t/gone/log" '^nocturne: 3 tests in a row were lost 3 times each, .*no machine; --resume goes on$' || return
  rm "$t/stand-in/bad"
  start "$t/gone" "${launched[@]}" --resume
  wait $front && totals "$t/gone/log" 12 0 0
  ran "$t/gone" | sort | uniq -c | awk '$1 != 1 { print; wrong = 1 } END { exit wrong }'
}
check "a cluster that goes away, and comes back" gone

# ---- A front end that ends

front_killed() { # what runs goes on and is taken over
  many "$t/killed" 16 0.7
  start "$t/killed" "${launched[@]}"
  until_finished "$t/killed" 6
  kill -KILL $front
  wait $front 2>/dev/null
  start "$t/killed" "${launched[@]}" --resume
  wait $front && totals "$t/killed/log" 16 0 0 && runs_right "$t/killed" 16 0
}
check "a front end killed, and resumed: nothing runs again" front_killed
taken_over() { # what has ended meanwhile is taken; the rest runs on this machine
  many "$t/taken" 12 0.5
  start "$t/taken" "${launched[@]}"
  until_finished "$t/taken" 4
  kill -KILL $front
  wait $front 2>/dev/null
  nothing_left "$t/taken" || return
  start "$t/taken" -j4 --resume
  wait $front && totals "$t/taken/log" 12 0 0 && runs_right "$t/taken" 12 0 && nothing_left "$t/taken"
}
check "a front end killed, resumed on one machine" taken_over
front_ended() { # by a signal: what runs ends too
  local signal
  for signal in TERM INT; do
    many "$t/ended-$signal" 12 0.5
    env --default-signal=$signal "$n" regress "$t/ended-$signal/list.yaml" --folder "$t/ended-$signal/r" --no-cache "${launched[@]}" >"$t/ended-$signal/log" 2>&1 &
    front=$!
    until_finished "$t/ended-$signal" 4
    kill -$signal $front
    wait $front
    [ $? -eq 1 ] && has "$t/ended-$signal/log" '^nocturne: interrupted after [0-9]+ of 12 tests; --resume goes on' &&
      nothing_left "$t/ended-$signal" || return
    start "$t/ended-$signal" -j4 --resume
    wait $front && totals "$t/ended-$signal/log" 12 0 0 && runs_right "$t/ended-$signal" 12 4 || return
  done
}
check "a front end ended by a signal, resumed on one machine" front_ended
replaced() { # a new regression in the folder ends what the one before has left
  many "$t/replaced" 4 20
  start "$t/replaced" "${launched[@]}"
  until [ "$(ran "$t/replaced" | grep -c begin)" -eq 4 ]; do sleep 0.05; done
  kill -KILL $front
  wait $front 2>/dev/null
  ends 0 "$n" regress "$t/fatal.yaml" --filter 'good*' --folder "$t/replaced/r" "${launched[@]}" && nothing_left "$t/replaced"
}
check "a front end killed, and another regression" replaced
[ -n "${LONG:-}" ] || exit 0

# ---- A thousand tests

thousand() {
  local TIMEFORMAT='front end and jobs: %R s, of a processor %U + %S s'
  printf 'tests:\n  - {name: t, command: ["true"], repeats: 1000}\n' >"$t/thousand.yaml"
  { time ends 0 "$n" regress "$t/thousand.yaml" --folder "$t/thousand" --no-cache --launch env -j 50; } 2>"$t/thousand.time" &&
    totals "$t/said" 1000 0 0 && [ "$(wc -l <"$t/thousand/journal.jsonl")" -eq 1000 ] &&
    [ -z "$(ls "$t/thousand/launched")" ]
}
check "1,000 tests, 50 at a time" thousand
sed 's/^/  /' "$t/thousand.time"

# ---- In Slurm

missing=$(slurm_missing)
if [ -n "$missing" ]; then
  bad "Slurm" "$missing is missing; install it with: tb/setup.sh slurm"
  exit
fi
cleanup() { slurm_stop; }
slurm_start "$t/cluster" 4 >"$t/start.log" 2>&1 && good "a controller and four nodes" ||
  { bad "a controller and four nodes" "" "$t/start.log"; exit; }
srun=(--launch 'srun -Q -n1' -j 8 --lost-after 8)

check "Slurm: the same report" same_report "$t/list.yaml" "$t/slurm" 1 "${srun[@]}"
slurm_cached() { ends 1 "$n" regress "$t/list.yaml" --folder "$t/slurm" "${srun[@]}" && totals "$t/said" 14 3 13; }
check "Slurm: a second time from the cache" slurm_cached
check "Slurm: the same tables of a sweep, the same pages" same_tables slurm "${srun[@]}"
slurm_refused() {
  ends 3 "$n" regress "$t/list.yaml" --folder "$t/refused" --no-cache -j4 --launch 'srun -n1 --partition nowhere' &&
    one_line "$t/said" 'no test began in 3 attempts: srun: error: .*partition' &&
    ends 3 "$n" regress "$t/list.yaml" --folder "$t/refused" --no-cache -j4 --launch 'srun -n1 --mem 900G' &&
    one_line "$t/said" 'no test began .*srun: error: .*(emory|onfiguration)'
}
check "Slurm: refused" slurm_refused
passed_through() {
  printf 'tests:\n  - {name: a, command: [sh, -c, "scontrol show job $SLURM_JOB_ID"]}\n' >"$t/through.yaml"
  ends 0 "$n" regress "$t/through.yaml" --folder "$t/through" -j1 \
    --launch 'srun -n1 --partition main --time 7:00 --mem 300M --comment=nocturnal' &&
    has "$t/through/logs/a.log" 'Partition=main' && has "$t/through/logs/a.log" 'TimeLimit=00:07:00' &&
    has "$t/through/logs/a.log" 'MinMemoryNode=300M' && has "$t/through/logs/a.log" 'Comment=nocturnal'
}
check "Slurm: partition, time, memory, others" passed_through

# Where slurmd alone is gone, the test lives on beside that; the controller is told, instead of waited for.
node_lost() { # WHAT
  local folder=$t/lost-$1 victims
  many "$folder" 30 1.5
  start "$folder" "${srun[@]}"
  until_finished "$folder" 9
  while mapfile -t victims < <(slurm_tree n2); [ "${#victims[@]}" -lt 4 ]; do sleep 0.05; done
  [ "$1" = all ] || victims=("${victims[0]}")
  kill -STOP "${victims[@]}"
  kill -KILL "${victims[@]}"
  [ "$1" = all ] || scontrol update nodename=n2 state=down reason=lost
  wait $front
  code=$?
  slurm_node "$slurm_folder" n2
  scontrol update nodename=n2 state=resume 2>/dev/null
  [ $code -eq 0 ] && totals "$folder/log" 30 0 0 && runs_right "$folder" 30 1 || { cat "$folder/log"; return 1; }
}
check "Slurm: a node lost: slurmd, slurmstepd and their children" node_lost all
check "Slurm: a node lost: slurmd alone" node_lost slurmd

cancelled() { # in Slurm: the tests start again
  many "$t/cancelled" 24 0.5
  start "$t/cancelled" "${srun[@]}"
  until_finished "$t/cancelled" 10
  scancel -u "$(id -un)"
  wait $front && totals "$t/cancelled/log" 24 0 0 && runs_right "$t/cancelled" 24 8
}
check "Slurm: all jobs cancelled" cancelled
slurm_killed() {
  many "$t/slurm-killed" 24 1
  start "$t/slurm-killed" "${srun[@]}"
  until_finished "$t/slurm-killed" 8
  kill -KILL $front
  wait $front 2>/dev/null
  start "$t/slurm-killed" "${srun[@]}" --resume
  wait $front && totals "$t/slurm-killed/log" 24 0 0 && runs_right "$t/slurm-killed" 24 0
}
check "Slurm: a front end killed, and resumed" slurm_killed
slurm_ended() { # by a signal: the jobs too; what is left then runs on this machine
  many "$t/slurm-ended" 12 0.5
  start "$t/slurm-ended" "${srun[@]}"
  until_finished "$t/slurm-ended" 4
  kill -TERM $front
  wait $front
  [ $? -eq 1 ] && has "$t/slurm-ended/log" '^nocturne: interrupted after [0-9]+ of 12 tests; --resume goes on' || return
  for ((i = 0; i < 50; i++)); do [ -n "$(squeue -h -t running,pending)" ] || break; sleep 0.2; done
  [ -z "$(squeue -h -t running,pending)" ] || { squeue; return 1; }
  start "$t/slurm-ended" -j4 --resume
  wait $front && totals "$t/slurm-ended/log" 12 0 0 && runs_right "$t/slurm-ended" 12 4
}
check "Slurm: a front end ended by a signal, resumed on one machine" slurm_ended
slurm_many() {
  local TIMEFORMAT='200 tests, 40 at a time in Slurm: %R s, the front end of a processor %U + %S s'
  printf 'tests:\n  - {name: t, command: ["true"], repeats: 200}\n' >"$t/hundreds.yaml"
  { time ends 0 "$n" regress "$t/hundreds.yaml" --folder "$t/hundreds" --no-cache --launch 'srun -Q -n1' -j 40; } \
    2>"$t/hundreds.time" && totals "$t/said" 200 0 0
}
check "Slurm: 200 tests" slurm_many
sed 's/^/  /' "$t/hundreds.time"
