#!/bin/bash
# Runs every test, one line each, logs under BUILD/test. The last line is
# "N passed, N failed"; the exit status is 1 if any failed.
#
# A test is a cmocka program of tests/unit, or a script of tests/ that ends with
# status 0. A script's lines "ok NAME" and "not ok NAME" count as that many tests; one that
# prints neither has tested nothing, and fails.
set -u
build=${1:-build}
logs=$build/test
mkdir -p "$logs"
passed=0
failed=0

one() { # name command...
  local name=$1 log
  shift
  log=$logs/${name//\//_}.log
  local start=$SECONDS status=0
  "$@" >"$log" 2>&1 </dev/null || status=$?
  local good bad
  good=$(grep -cE '^(\[       OK \]|ok )' "$log")
  bad=$(grep -cE '^(\[  FAILED  \] [a-zA-Z_0-9]+$|not ok )' "$log")
  [ "$status" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
  [ "$good" -eq 0 ] && [ "$bad" -eq 0 ] && bad=1
  passed=$((passed + good))
  failed=$((failed + bad))
  if [ "$bad" -gt 0 ]; then
    echo "FAIL $name ($bad of $((good + bad)), status $status, $((SECONDS - start)) s): $log"
    grep -E '^(not ok|\[  ERROR|.*MISMATCH)' "$log" | head -n 5
    tail -n 5 "$log" | sed 's/^/     /'
  else
    echo "pass $name ($good, $((SECONDS - start)) s)"
  fi
}

for t in "$build"/tests/test_*; do
  [ -x "$t" ] && [ "${t%.d}" = "$t" ] && one "$(basename "$t")" "$t"
done
for t in tests/*.test.sh tests/formal/*.sh; do
  [ -x "$t" ] && one "$(basename "$t" .sh)" "$t" "$build"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
