#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What every script shares, run as `make test` runs it: a script that fails, ends badly, hangs, is
# killed or tests nothing is counted, whatever it ends with; an interrupted run leaves no process.
# Every script and program is in the lists.
set -u
. tests/scripts/lib.sh
tree=$t/tree
mkdir -p "$tree/tests" "$tree/build"
mkdir -p "$tree/tests/scripts"
cp tests/scripts/lib.sh "$tree/tests/scripts/"
ln -s "$(realpath "$n")" "$tree/build/nocturne"
script() { # name text
  printf '#!/bin/bash\n. tests/scripts/lib.sh\n%s\n' "$2" >"$tree/tests/$1.test.sh"
  chmod +x "$tree/tests/$1.test.sh"
  echo "  - {name: $1, command: [tests/$1.test.sh, build/]}" >>"$tree/list.yaml"
}
printf 'defaults: {counts: true, timeout: {seconds: 3}}\ntests:\n' >"$tree/list.yaml"
script slow 'for ((i = 0; i < 100000; i++)); do :; done; good one; good two'
script fails 'bad one "the cause"; good two; exit 0'
script last 'check one false; good two'
script inner 'printf "ok inner\nnot ok inner\nthe end\n" >"$t/inner"; bad one "" "$t/inner"'
script status 'good one; exit 3'
script killed 'good one; kill -9 $$'
script hangs 'good one; sleep 100'
script nothing 'true'
script leaves 'cleanup() { touch "$t.left"; }; bad one'
for jobs in 1 2; do
  (cd "$tree" && build/nocturne regress list.yaml --folder build/test --no-cache -j $jobs) >"$t/$jobs.txt" 2>&1
  echo "status $?" >>"$t/$jobs.txt"
done
if [ "$(tail -n 2 "$t/1.txt")" = "7 passed, 8 failed
status 1" ] && [ "$(tail -n 2 "$t/1.txt")" = "$(tail -n 2 "$t/2.txt")" ]; then
  good "every failure counts"
else
  bad "every failure counts" "" "$t/2.txt"
fi
shows() { check "$1" has "$t/2.txt" "$2"; }
shows slow '^pass slow \(2, [0-9]+ s, [0-9.]+ s of CPU\)'
shows fails '^FAIL fails \(1 of 2, .*: not ok one: the cause$'
shows last '^FAIL last \(1 of 2, .*: not ok one: status 1$'
shows inner '^FAIL inner \(1 of 1, '
shows "the whole of an inner log, which counts nothing" '^  the end$'
shows status '^FAIL status \(1 of 2, .*: exit status 3$'
shows killed '^FAIL killed \(1 of 2, .*SIGKILL'
shows hangs '^FAIL hangs \(1 of 2, .*: killed after 3 seconds of an idle machine$'
shows nothing '^FAIL nothing \(1 of 1, .*anything$'
[ -e "$tree/build/test/leaves.left" ] && good cleanup || bad cleanup "was not run"
# Interrupted, it takes what runs with it.
script sleeps 'good one; sleep 2.987e9'
(cd "$tree" && exec build/nocturne regress list.yaml --folder build/stopped --filter sleeps) >"$t/stopped.txt" 2>&1 &
until grep -qs ok "$tree/build/stopped/logs/sleeps.log"; do sleep 0.05; done
kill %1
wait %1
for ((i = 0; i < 3000; i++)); do
  pgrep -f '^sleep 2.987e9$' >"$t/left" || break
  sleep 0.1
done
[ -s "$t/left" ] && bad "an interrupted runner" "leaves processes" || good "an interrupted runner"

# Every script ends as lib.sh sees to.
left=$(grep -L '^\. tests/scripts/lib.sh$' tests/scripts/*.test.sh)
left=$(for s in $left; do grep -q '^# shellcheck source=tests/scripts/lib.sh' "$s" || echo "$s"; done)
[ -z "$left" ] && good "all scripts share lib.sh" || bad "all scripts share lib.sh" "$left"

# What lies in tests/ is run by `.ci/run`, and by LIST=full.
left_out() { # list...
  comm -23 <({ ls tests/scripts/*.test.sh; ls tests/programs/test_*.c tests/units/*/directed.c |
    sed 's|tests/programs/\(.*\).c|build/tests/\1|; s|tests/units/\(.*\)/directed.c|build/tests/test_\1|'; } |
    sort) <("$n" regress $(printf 'tests/lists/%s.yaml ' "$@") --list | awk '{ for (i = 2; i <= NF; i++) print $i }' | sort -u)
}
for lists in "test proofs netlists" full; do
  # shellcheck disable=SC2086
  left=$(left_out $lists)
  [ -z "$left" ] && good "all scripts and programs are in: $lists" || bad "not in the lists $lists" "$left"
done

# `.ci/run` adds the sums of `make test` and of the lists beside it, and fails when one of them does.
mkdir -p "$t/ci"/{.ci,build,bin}
cp .ci/run "$t/ci/.ci/"
summed() { # status of each, sums of each, expected
  printf '#!/bin/sh\necho "%s"\nexit %s\n' "$3" "$1" >"$t/ci/bin/make"
  printf '#!/bin/sh\necho "%s"\nexit %s\n' "$4" "$2" >"$t/ci/build/nocturne"
  chmod +x "$t/ci/bin/make" "$t/ci/build/nocturne"
  [ "$(PATH=$t/ci/bin:$PATH "$t/ci/.ci/run"; echo "status $?")" = "$3
$4
$5" ]
}
t=$(realpath "$t")
check "all sums of .ci/run" summed 0 1 '3 passed, 0 failed' '2 passed, 1 failed' '5 passed, 1 failed
status 1'
check "a list that says nothing" summed 1 3 '3 passed, 1 failed' 'nothing' '3 passed, 2 failed
status 1'
check "both pass" summed 0 0 '3 passed, 0 failed' '2 passed, 0 failed' '5 passed, 0 failed
status 0'
