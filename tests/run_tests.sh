#!/bin/bash
# usage: tests/run_tests.sh [BUILD [TEST...]]
# Runs every test, or those named ("bad.test", "test_hmc"), as many at a time as there are
# processors (JOBS=1: one after the other): a line each, in the order below, logs under
# BUILD/test. The slowest follow; the last line is "N passed, N failed", and the exit status is 1
# if any failed.
#
# A test is a cmocka program of tests/unit, or a script of tests/ that ends with status 0. A
# script's lines "ok NAME" and "not ok NAME" count as that many tests. One that is missing, is
# killed, takes longer than LIMIT seconds or prints neither has failed.
set -u
build=${1:-build}
jobs=${JOBS:-$(nproc)}
limit=${LIMIT:-3600}
logs=$build/test
mkdir -p "$logs"
rm -f "$logs"/*.{status,times}

# The longest first: what is short fills the processors at the end.
order() {
  local t
  for t in workloads units gates area sanitize divergence netlist; do
    [ ! -e "tests/$t.test.sh" ] || echo "tests/$t.test.sh"
  done
  ls tests/formal/*.sh tests/*.test.sh
  for t in tests/unit/test_*.c; do echo "$build/tests/$(basename "$t" .c)"; done
}
commands=()
names=()
while read -r command; do
  name=$(basename "$command" .sh)
  if [ $# -lt 2 ] || [[ " ${*:2} " == *" $name "* ]]; then
    commands+=("$command")
    names+=("$name")
  fi
done < <(order | awk '!seen[$0]++')

run() { # number: the log, and times and status
  local name=${names[$1]} status=0 start=$EPOCHREALTIME
  timeout -k 10 "$limit" "${commands[$1]}" "$build" >"$logs/$name.log" 2>&1 </dev/null &
  # shellcheck disable=SC2064
  trap "kill $! 2>/dev/null" TERM
  wait $! || status=$?
  times >"$logs/$name.times"
  echo "$status $start $EPOCHREALTIME $(tail -n 1 "$logs/$name.times")" >"$logs/$name.status"
}

passed=0
failed=0
report() { # number
  local name=${names[$1]} log=$logs/${names[$1]}.log status=died start=0 end=0 user=0m0s system=0m0s
  [ ! -s "$logs/$name.status" ] || read -r status start end user system <"$logs/$name.status"
  local good bad took
  good=$(grep -cE '^(\[       OK \]|ok )' "$log")
  bad=$(grep -cE '^(\[  FAILED  \] [a-zA-Z_0-9]+$|not ok )' "$log")
  [ "$status" != 0 ] && [ "$bad" -eq 0 ] && bad=1
  [ "$good" -eq 0 ] && [ "$bad" -eq 0 ] && bad=1
  passed=$((passed + good))
  failed=$((failed + bad))
  took=$(echo "$start $end $user $system" | tr 'ms' '  ' |
    awk '{ printf "%.0f s, %.1f s of CPU", $2 - $1, 60 * $3 + $4 + 60 * $5 + $6 }')
  echo "$took" "$name" >>"$logs/times"
  if [ "$bad" -gt 0 ]; then
    case $status in
      124) status="$status, stopped after $limit s" ;;
      137) status="$status, killed" ;;
      126 | 127) status="$status, cannot be run" ;;
    esac
    echo "FAIL $name ($bad of $((good + bad)), status $status, $took): $log"
    grep -E '^(not ok|\[  ERROR|.*MISMATCH)' "$log" | head -n 5
    tail -n 5 "$log" | sed 's/^/     /'
  else
    echo "pass $name ($good, $took)"
  fi
}

stop() { # what runs ends with all its processes
  # shellcheck disable=SC2046
  kill $(jobs -p) 2>/dev/null
  exit 130
}
trap stop INT TERM

: >"$logs/times"
declare -A running=()
reported=0
next=0
while [ $reported -lt ${#names[@]} ]; do
  while [ ${#running[@]} -lt "$jobs" ] && [ $next -lt ${#names[@]} ]; do
    run $next 2>/dev/null &
    running[$!]=$next
    next=$((next + 1))
  done
  wait -n -p ended
  unset "running[$ended]"
  while [ $reported -lt $next ] && [[ " ${running[*]} " != *" $reported "* ]]; do
    report $reported
    reported=$((reported + 1))
  done
done
echo "slowest: $(sort -rn "$logs/times" | head -n 5 | awk '{ print $NF " " $1 " s" }' | paste -sd, | sed 's/,/, /g')"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
