#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The standard list (LIST) on a Slurm of four nodes on this machine, of which two are lost half-way, one whole, one its
# slurmd alone: the same report as with -j2, nothing lost, no finished test run again; then all of it from the cache.
# It takes as long as the list twice: `make regress LIST=long`.
set -u
. tests/scripts/lib.sh
. tests/scripts/slurm.sh
list=${LIST:-tests/lists/standard.yaml}

missing=$(slurm_missing)
if [ -n "$missing" ]; then
  bad "Slurm" "$missing is missing; install it with: tb/setup.sh slurm"
  exit
fi
cleanup() { slurm_stop; }

# What of tests sets here would be theirs, too.
regress() { env -u NOCTURNE_QUICK "$n" regress "$list" "$@"; }
count=$(regress --list | wc -l)
regress --folder "$t/here" --junit "$t/here.xml" --no-cache -j2 >"$t/here.log" 2>&1
here=$?
[ "$(wc -l <"$t/here/journal.jsonl")" -eq "$count" ] && good "with -j2 ($(tail -n 1 "$t/here.log"))" ||
  bad "with -j2" "status $here" "$t/here.log"

slurm_start "$t/cluster" 4 >"$t/start.log" 2>&1 && good "a controller and four nodes" ||
  { bad "a controller and four nodes" "" "$t/start.log"; exit; }
regress --folder "$t/there" --junit "$t/there.xml" --no-cache --slurm >"$t/there.log" 2>&1 &
front=$!

finished() { wc -l 2>/dev/null <"$t/there/journal.jsonl" || echo 0; }
ids() { sed -n 's/.*"id":"\([^"]*\)".*/\1/p' "$@" | sort; }
# The journal of the shard that runs on a node, once it has finished something.
journal_on() { # NODE
  local task
  task=$(squeue -h -t running -w "$1" -o '%K' | head -n 1)
  task=$(ls "$t"/there/slurm/*/"${task:-none}"/1/journal.jsonl 2>/dev/null)
  [ -z "$task" ] || [ "$(wc -l <"$task")" -lt 3 ] || echo "$task"
}

# The node's processes stop, so that what its shard had finished by then is known, and are killed.
lose() { # NODE WHAT
  local victims journal
  while kill -0 $front 2>/dev/null; do
    journal=$(journal_on "$1")
    mapfile -t victims < <(slurm_tree "$1")
    [ -z "$journal" ] || [ "${#victims[@]}" -lt 4 ] || break
    sleep 0.2
  done
  [ "$2" = all ] || victims=("${victims[0]}")
  kill -STOP "${victims[@]}"
  ids "$journal" >"$t/$1.finished"
  dirname "$(dirname "$journal")" >"$t/$1.shard"
  kill -KILL "${victims[@]}"
  [ "$2" = all ] || scontrol update nodename="$1" state=down reason=lost
}
back() { # NODE
  slurm_node "$slurm_folder" "$1"
  scontrol update nodename="$1" state=resume 2>/dev/null
}
while kill -0 $front 2>/dev/null && [ "$(finished)" -lt $((count * 9 / 20)) ]; do sleep 1; done
lose n2 all
while kill -0 $front 2>/dev/null && [ "$(finished)" -lt $((count / 2)) ]; do sleep 1; done
lose n3 slurmd
sleep 10
back n2
back n3
wait $front
there=$?

[ $there -eq $here ] && [ "$(ids "$t/there/journal.jsonl" | uniq | wc -l)" -eq "$count" ] &&
  good "two nodes lost, no test lost ($(tail -n 1 "$t/there.log"))" ||
  bad "two nodes lost, no test lost" "status $there" "$t/there.log"
# What was under way may run again, and the task whose slurmd is gone still ends it.
again() { # NODE
  local shard
  shard=$(cat "$t/$1.shard")
  [ -s "$t/$1.finished" ] || { echo "nothing was finished there"; return 1; }
  [ -e "$shard/2/journal.jsonl" ] || { echo "$shard: no second attempt"; return 1; }
  [ -z "$(comm -12 "$t/$1.finished" <(ids "$shard"/[2-9]/journal.jsonl))" ] || {
    comm -12 "$t/$1.finished" <(ids "$shard"/[2-9]/journal.jsonl)
    return 1
  }
}
check "the node that is lost whole: none of what it had finished ($(wc -l <"$t/n2.finished")) runs again" again n2
check "the node whose slurmd is lost: none of what it had finished ($(wc -l <"$t/n3.finished")) runs again" again n3
twice=$(ids "$t"/there/slurm/*/*/*/journal.jsonl | uniq -d | wc -l)
[ "$twice" -le 1 ] && good "at most the test under way ended twice ($twice)" || bad "at most the test under way ended twice" "$twice did"
diff <(tb/regress/filter.sh "$t/here" "$t/here.xml") <(tb/regress/filter.sh "$t/there" "$t/there.xml") >"$t/report.diff" &&
  good "the same report" || bad "the same report" "" "$t/report.diff"

regress --folder "$t/there" --slurm >"$t/cached.log" 2>&1
cached=$(sed -n 's/^[0-9]* tests in .*, \([0-9]*\) from the cache$/\1/p' "$t/cached.log")
echo "  $(tail -n 2 "$t/cached.log" | head -n 1), of $count"
[ "${cached:-0}" -ge $((count - $(grep -c '"verdict":"[^p]' "$t/there/journal.jsonl"))) ] &&
  good "a second time from the cache" || bad "a second time from the cache" "" "$t/cached.log"
