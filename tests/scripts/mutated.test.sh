#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mutated input under AddressSanitizer and UBSan: frames whose checksums are right, configurations
# and sets, recorded vectors, test lists and journals (tests/programs/mutated_*.c). Each is refused in one line or taken rightly.
# A share of them; with LONG=1 100,000 of each.
#   tests/scripts/mutated.test.sh BUILD [frames|configs|vectors|lists]
set -u
. tests/scripts/lib.sh
san=$build/sanitize
only=${2:-frames configs vectors lists}
unset MAKEFLAGS MFLAGS MAKELEVEL
# What a file claims to need must be refused, not tried.
export ASAN_OPTIONS=max_allocation_size_mb=2048:allocator_may_return_null=1:handle_sigill=1

mutate() { # name count arguments...: its last line is the result
  local name=$1 count=$2
  shift 2
  [[ " $only " == *" $name "* ]] || return 0
  [ -z "${LONG:-}" ] || count=100000
  "$san/tests/mutated_$name" "$count" 1 0 "$@" >"$t/$name.log" 2>&1
  if grep -q '^ok ' "$t/$name.log" && ! grep -qE 'ERROR: |runtime error' "$t/$name.log"; then
    grep '^ok ' "$t/$name.log"
  else
    bad "mutated $name" "" "$t/$name.log"
  fi
}

# (The sanitize test builds there, too.)
# shellcheck disable=SC2086
if ! flock "$build/sanitize.lock" make -s -j2 SAN=1 B="$san" $(printf "$san/tests/mutated_%s " $only) >"$t/build.log" 2>&1; then
  bad build "" "$t/build.log"
  exit 1
fi
mutate frames 1200
mutate configs 2000
mutate lists 2000
if [[ " $only " == *" vectors "* ]]; then
  for unit in $units; do
    "$n" unit $unit --engine golden --cycles 60 --seed 3 --busy --record "$t/vectors" >"$t/log" 2>&1 ||
      bad "vectors of $unit" "" "$t/log"
  done
fi
mutate vectors 2000 "$t"/vectors/*.vec
