#!/bin/bash
# The runner of these tests and what every script shares: a script that fails, ends badly, hangs,
# is killed or tests nothing is counted, whatever it ends with; one or two jobs give one sum.
set -u
. tests/lib.sh
tree=$t/tree
mkdir -p "$tree/tests/formal" "$tree/tests/unit" "$tree/build/tests"
cp tests/run_tests.sh tests/lib.sh "$tree/tests/"
ln -s "$(realpath "$n")" "$tree/build/nocturne"
script() { # name text
  printf '#!/bin/bash\n. tests/lib.sh\n%s\n' "$2" >"$tree/tests/$1"
  chmod +x "$tree/tests/$1"
}
script formal/proof.sh 'good one'
script slow.test.sh 'for ((i = 0; i < 100000; i++)); do :; done; good one; good two'
script fails.test.sh 'bad one "the cause"; good two; exit 0'
script last.test.sh 'check one false; good two'
script status.test.sh 'good one; exit 3'
script killed.test.sh 'good one; kill -9 $$'
script hangs.test.sh 'good one; sleep 100'
script nothing.test.sh 'true'
script leaves.test.sh 'cleanup() { touch "$t.left"; }; bad one'
touch "$tree"/tests/unit/test_{passes,fails,missing}.c
printf '#!/bin/sh\necho "[       OK ] a"\n' >"$tree/build/tests/test_passes"
printf '#!/bin/sh\necho "[       OK ] a"\necho "[  FAILED  ] b"\nexit 1\n' >"$tree/build/tests/test_fails"
chmod +x "$tree"/build/tests/*

for jobs in 1 2; do
  (cd "$tree" && LIMIT=3 JOBS=$jobs tests/run_tests.sh build) >"$t/$jobs.txt" 2>&1
  echo "status $?" >>"$t/$jobs.txt"
  sed 's/[0-9]* s, [0-9.]* s of CPU/TIME/; /^slowest/d' "$t/$jobs.txt" >"$t/$jobs.out"
done
if [ "$(tail -n 2 "$t/2.txt" | head -n 1)" = "10 passed, 9 failed" ] && grep -q '^status 1$' "$t/2.txt"; then
  good "every failure counts"
else
  bad "every failure counts" "" "$t/2.txt"
fi
has() { grep -qE -- "$2" "$t/2.txt" && good "$1" || bad "$1" "$(grep "^[A-Z]* $1" "$t/2.txt")"; }
has slow '^pass slow.test \(2, [0-9]+ s, ([1-9][0-9]*.[0-9]|0.[1-9]) s of CPU\)'
has fails '^FAIL fails.test \(1 of 2, status 1,'
has "fails' cause" '^not ok one: the cause$'
has last '^FAIL last.test \(1 of 2, status 1,'
has status '^FAIL status.test \(1 of 2, status 3,'
has killed '^FAIL killed.test \(1 of 2, status 137, killed,'
has hangs '^FAIL hangs.test \(1 of 2, status 124, stopped after 3 s,'
has nothing '^FAIL nothing.test \(1 of 1, status 0,'
has missing '^FAIL test_missing \(1 of 1, status 127, cannot be run,'
has slowest '^slowest: hangs.test 3 s, '
[ -e "$tree/build/test/leaves.left" ] && good cleanup || bad cleanup "was not run"
check "one or two jobs, one report" diff "$t/1.out" "$t/2.out"
(cd "$tree" && tests/run_tests.sh build slow.test test_passes) >"$t/some.txt" 2>&1
if [ $? -eq 0 ] && [ "$(tail -n 1 "$t/some.txt")" = "3 passed, 0 failed" ]; then
  good "those named"
else
  bad "those named" "" "$t/some.txt"
fi
# Interrupted, it takes what runs with it.
script hangs.test.sh 'good one; sleep 98.7'
rm -f "$tree/build/test/hangs.test.log"
(cd "$tree" && exec tests/run_tests.sh build hangs.test) >"$t/stopped.txt" 2>&1 &
for ((i = 0; i < 100; i++)); do
  grep -qs ok "$tree/build/test/hangs.test.log" && break
  sleep 0.1
done
kill %1
wait %1
for ((i = 0; i < 100; i++)); do
  pgrep -f '^sleep 98.7$' >"$t/left" || break
  sleep 0.1
done
[ -s "$t/left" ] && bad "an interrupted runner" "leaves processes" || good "an interrupted runner"

# Every script ends as lib.sh sees to.
left=$(grep -L '^\. tests/lib.sh$' tests/*.test.sh tests/formal/*.sh)
[ -z "$left" ] && good "all scripts share lib.sh" || bad "all scripts share lib.sh" "$left"
